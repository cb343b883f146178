/* Where the time of a call goes: the nodes at the top of the compiled graph, its parts, each with
   the place in the user's text that it comes from; and calls that note when each of them ends
   (backends/llvm/region.c, rt_stamps). Needs a session with profile=1, in which the graph of a
   variant is the one that was compiled, since nothing comes from the cache. */
#include "session/call.h"

#include "compiler/analysis/movement.h"

#include <string.h>

struct asking_parts {
    struct dcl_function *f;
    struct session_part *at;
    int n;
};

static const struct graph *profiled(struct dcl_session *s, struct dcl_function *f) {
    if (s->options.profile && f->last)
        return f->last->program.graph;
    diag_error(&s->diags, (struct span){0}, ERR_USAGE,
               "a profile wants a session with profile=1, and a call before");
    return NULL;
}

/* The line that OFFSET lies in, without the blanks around it. */
static const char *line_text(struct arena *a, const struct source *src, uint32_t offset) {
    uint32_t from = offset, to = offset;
    while (from > 0 && src->text[from - 1] != '\n')
        from--;
    from += (uint32_t)strspn(src->text + from, " \t");
    while (to < src->n && src->text[to] != '\n' && src->text[to] != '\r')
        to++;
    return to > from ? arena_strndup(a, src->text + from, to - from) : "";
}

/* What NODE moves; what is not known as a number counts nothing. */
static double part_bytes(struct arena *a, const struct graph *g, const struct node *node,
                         struct sym_facts *facts) {
    const struct movement *m = node_movement(a, g, node, facts);
    double sum = 0;
    for (uint32_t c = 1; c < g->conts.n; c++) {
        int64_t read, written;
        if (sym_is_const(g->syms, m[c].read_bytes, &read) &&
            sym_is_const(g->syms, m[c].write_bytes, &written))
            sum += (double)read + (double)written;
    }
    return sum;
}

static bool list_parts(struct dcl_session *s, void *data) {
    struct asking_parts *x = data;
    const struct graph *g = profiled(s, x->f);
    if (!g)
        return false;
    struct sym_facts *facts = graph_facts(s->messages, g);
    x->n = (int)g->body.nodes.n;
    x->at = ARENA_ARRAY(s->messages, struct session_part, x->n);
    for (int i = 0; i < x->n; i++) {
        const struct node *node = g->body.nodes.at[i];
        struct session_part *part = &x->at[i];
        *part = (struct session_part){.path = "", .text = ""};
        part->bytes = part_bytes(s->messages, g, node, facts);
        if (node->span.source == 0)
            continue;
        const struct source *src = sources_get(s->sources, node->span.source);
        uint32_t column;
        part->path = src->path;
        source_position(src, node->span.start, &part->line, &column);
        part->text = line_text(s->messages, src, node->span.start);
    }
    return true;
}

int session_parts(dcl_function *f, int *n, struct session_part **parts) {
    struct asking_parts x = {.f = f};
    int failed = session_guard(f->session, list_parts, &x);
    *n = x.n;
    *parts = x.at;
    return failed;
}

static bool stamps_missing(struct dcl_session *s, void *data) {
    (void)data;
    diag_error(&s->diags, (struct span){0}, ERR_INTERNAL,
               "the parts of the kernel are not those of its graph");
    return false;
}

int session_profile(dcl_function *f, const dcl_tensor *args, int nargs, const dcl_tensor *results,
                    int nresults, int n, int64_t *times) {
    struct dcl_session *s = f->session;
    struct arena *a = arena_new();
    size_t room = (size_t)n + 1;
    struct rt_stamp *at = ARENA_ARRAY(a, struct rt_stamp, room);
    rt_stamps(s->rt, at, room);
    int failed = dcl_call(f, args, nargs, results, nresults);
    size_t found = rt_stamps(s->rt, NULL, 0);
    for (size_t i = 0; i < room; i++)
        times[i] = at[i].time;
    arena_free(a);
    if (!failed && found != room)
        failed = session_guard(s, stamps_missing, NULL);
    return failed;
}
