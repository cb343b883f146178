/* The table of passes and the driver that runs a pipeline. */
#include "compiler/passes/pass.h"

#include <string.h>

#define PASS(name, level, doc)                                                                     \
    bool pass_##name(struct graph *g, struct arena *scratch, const struct pass_target *t);
#include "compiler/passes/pass.def"
#undef PASS

const struct pass_info passes[PASS_COUNT] = {
#define PASS(name, level, doc) [PASS_##name] = {#name, doc, level, pass_##name},
#include "compiler/passes/pass.def"
#undef PASS
};

enum pass_id pass_of(const char *text) {
    int p = 0;
    while (p < PASS_COUNT && strcmp(passes[p].name, text) != 0)
        p++;
    return (enum pass_id)p;
}

void pipeline_default(struct pipeline *p) {
    p->n = 0;
    for (int i = 0; i < PASS_COUNT; i++)
        p->at[p->n++] = (enum pass_id)i;
}

bool pipeline_run(struct graph *g, const struct pipeline *p, const struct pass_target *t,
                  bool verify, bool (*after)(void *data, enum pass_id pass, const struct graph *g),
                  void *data, struct diags *d) {
    for (uint32_t i = 0; i < p->n; i++) {
        struct arena *scratch = arena_under(g->arena);
        passes[p->at[i]].run(g, scratch, t);
        arena_free(scratch);
        if (verify && !graph_verify(g, passes[p->at[i]].name, d))
            return false;
        if (after && !after(data, p->at[i], g))
            return false;
    }
    return true;
}
