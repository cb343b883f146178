/* Which containers are counts, and the names that only they are read into. They count what is done
   one after the other, so no count ever leaves 64 bits. */
#include "compiler/analysis/counts.h"

#include "lang/base/map.h"

struct counts {
    const struct graph *g;
    bool *count;      /* by container: filled with a number, and no write speaks against it */
    struct map read;  /* name -> the container that it is read from */
    struct map other; /* names that stand for other things, too */
};

static bool whole(const struct expr *e) {
    return e->kind == EXPR_CONST && e->dtype == DT_i64 && e->constant.i64 >= 0;
}

static void note_name(struct counts *s, struct name n, uint32_t cont) {
    uint64_t before;
    if (!cont || (map_get(&s->read, n.i, &before) && before != cont))
        map_put(&s->other, n.i, 1);
    map_put(&s->read, n.i, cont);
}

static void note_names(void *data, struct node *n) {
    struct counts *s = data;
    if (n->kind == NODE_READ)
        note_name(s, n->read.name, n->read.from.outside == OUTSIDE_ERROR ? n->read.from.cont.i : 0);
    if (n->kind == NODE_LET)
        note_name(s, n->let.name, 0);
    if (n->kind == NODE_LOOP)
        note_name(s, n->loop.index.name, 0);
    for (uint32_t k = 0; n->kind == NODE_MAP && k < n->map.n; k++)
        note_name(s, n->map.index[k].name, 0);
    if (n->kind == NODE_DECL && graph_cont(s->g, n->decl.cont)->dtype == DT_i64)
        s->count[n->decl.cont.i] = n->decl.has_fill && n->decl.fill.i64 >= 0;
}

static bool reads(const struct counts *s, const struct expr *e, struct cont c) {
    uint64_t from;
    return e->kind == EXPR_VALUE && !map_get(&s->other, e->value.i, NULL) &&
           map_get(&s->read, e->value.i, &from) && from == c.i;
}

static void check_write(void *data, struct node *n) {
    struct counts *s = data;
    if (n->kind != NODE_WRITE)
        return;
    struct cont c = n->write.to.cont;
    const struct expr *e = n->write.value;
    bool counts = whole(e) || (e->kind == EXPR_OP && e->op == OP_ADD &&
                               ((reads(s, e->args[0], c) && whole(e->args[1])) ||
                                (reads(s, e->args[1], c) && whole(e->args[0]))));
    if (!counts || (n->write.to.resolution != RES_NONE && n->write.to.resolution != RES_SUM))
        s->count[c.i] = false;
}

void count_facts(struct sym_facts *f, struct arena *scratch, const struct graph *g) {
    struct counts s = {.g = g};
    s.count = ARENA_ARRAY(scratch, bool, g->conts.n);
    s.read = map_new(scratch);
    s.other = map_new(scratch);
    region_walk(&g->body, note_names, &s);
    region_walk(&g->body, check_write, &s);
    struct sym none = {0}, zero = sym_const(g->syms, 0);
    for (uint32_t i = 0; i < s.read.n; i++) {
        struct name n = {(uint32_t)s.read.entries[i].key};
        uint64_t from = s.read.entries[i].value;
        if (from && s.count[from] && !map_get(&s.other, n.i, NULL))
            sym_facts_bounds(f, n, zero, none);
    }
}
