/* Decides where transient containers live that say nothing of it: scalars in registers, arrays of
   constant size up to 16 KiB on the stack, the rest on the heap. Arrays go to registers only where
   the text says so: their subscripts would have to become constants. What is declared for its size
   alone lives nowhere. */
#include "compiler/passes/pass.h"
#include "compiler/passes/uses.h"

#define STACK_BYTES (16 << 10) /* a fraction of any L1 cache, and of a thread's stack */

struct place {
    struct graph *g;
    const struct use_count *uses;
    bool changed;
};

static void place_node(void *data, struct node *n) {
    struct place *p = data;
    if (n->kind != NODE_DECL)
        return;
    struct container *c = graph_cont(p->g, n->decl.cont);
    const struct use_count *u = &p->uses[n->decl.cont.i];
    if (c->storage != STORE_NONE || c->role != ROLE_TRANSIENT || u->reads + u->writes == 0)
        return;
    int64_t bytes = dtypes[c->dtype].bytes, size;
    c->storage = c->rank ? STORE_STACK : STORE_REGISTER;
    for (uint32_t d = 0; d < c->rank; d++)
        if (!sym_is_const(p->g->syms, c->dims[d], &size) ||
            __builtin_mul_overflow(bytes, size, &bytes) || bytes > STACK_BYTES) {
            c->storage = STORE_HEAP;
            break;
        }
    p->changed = true;
}

bool pass_place(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    (void)t;
    struct place p = {.g = g, .uses = use_counts(scratch, g)};
    region_walk(&g->body, place_node, &p);
    return p.changed;
}
