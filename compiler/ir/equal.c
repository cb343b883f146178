/* Equality of memlets and graphs. Graphs are compared as their text would be: spans, ids and the
   texts of conditions do not count, containers match by name. Both graphs must share one table of
   names and one context of symbolic integers. The first difference ends the comparison. */
#include "compiler/ir/graph.h"

bool memlet_equal(const struct memlet *a, const struct memlet *b) {
    if (a->cont.i != b->cont.i || a->rank != b->rank || a->outside != b->outside ||
        a->resolution != b->resolution)
        return false;
    for (uint32_t d = 0; d < a->rank; d++)
        if (!sym_eq(a->at[d], b->at[d]))
            return false;
    return a->outside != OUTSIDE_VALUE || a->other.i64 == b->other.i64;
}

struct pair {
    const struct graph *x, *y;
    struct buf *why; /* NULL, or where the first difference goes */
};

static bool differ(const struct pair *p, const char *what, struct name at) {
    if (p->why)
        buf_printf(p->why, "%s%s%s", what, name_none(at) ? "" : " ", name_text(p->x->names, at));
    return false;
}

static bool same_index(const struct pair *p, const struct index *a, const struct index *b) {
    if (!name_eq(a->name, b->name))
        return differ(p, "the name of index", a->name);
    if (!sym_eq(a->lo, b->lo) || !sym_eq(a->hi, b->hi) || !sym_eq(a->step, b->step))
        return differ(p, "the range of", a->name);
    if (a->schedule != b->schedule || a->factor != b->factor)
        return differ(p, "the schedule of", a->name);
    return true;
}

static bool same_container(const struct pair *p, struct cont cx, struct cont cy) {
    const struct container *a = graph_cont(p->x, cx), *b = graph_cont(p->y, cy);
    if (!name_eq(a->name, b->name))
        return differ(p, "the name of container", a->name);
    if (a->dtype != b->dtype)
        return differ(p, "the element type of", a->name);
    bool same = a->rank == b->rank;
    for (uint32_t d = 0; same && d < a->rank; d++)
        same = sym_eq(a->dims[d], b->dims[d]);
    if (!same)
        return differ(p, "the shape of", a->name);
    if (a->storage != b->storage)
        return differ(p, "the storage of", a->name);
    return a->role == b->role || differ(p, "the role of", a->name);
}

static bool same_memlet(const struct pair *p, const struct memlet *a, const struct memlet *b) {
    struct name name = graph_cont(p->x, a->cont)->name;
    if (!name_eq(name, graph_cont(p->y, b->cont)->name))
        return differ(p, "the container of a memlet on", name);
    bool same = a->rank == b->rank;
    for (uint32_t d = 0; same && d < a->rank; d++)
        same = sym_eq(a->at[d], b->at[d]);
    if (!same)
        return differ(p, "the subscripts of", name);
    if (a->resolution != b->resolution)
        return differ(p, "the resolution on", name);
    enum dtype t = graph_cont(p->x, a->cont)->dtype;
    if (a->outside != b->outside ||
        (a->outside == OUTSIDE_VALUE && !scalar_same(t, a->other, b->other)))
        return differ(p, "what is outside of", name);
    return true;
}

static bool same_region(const struct pair *p, const struct region *a, const struct region *b);

static bool same_decl(const struct pair *p, const struct node *a, const struct node *b) {
    if (!same_container(p, a->decl.cont, b->decl.cont))
        return false;
    const struct container *c = graph_cont(p->x, a->decl.cont);
    if (a->decl.has_fill != b->decl.has_fill ||
        (a->decl.has_fill && !scalar_same(c->dtype, a->decl.fill, b->decl.fill)))
        return differ(p, "the fill of", c->name);
    return true;
}

static bool same_map(const struct pair *p, const struct node *a, const struct node *b) {
    if (a->map.n != b->map.n)
        return differ(p, "the number of indices of a map", (struct name){0});
    for (uint32_t k = 0; k < a->map.n; k++)
        if (!same_index(p, &a->map.index[k], &b->map.index[k]))
            return false;
    if (a->map.unique != b->map.unique)
        return differ(p, "`unique` on the map over", a->map.index[0].name);
    return same_region(p, &a->map.body, &b->map.body);
}

static bool same_node(const struct pair *p, const struct node *a, const struct node *b) {
    static const struct name nowhere = {0};
    if (a->kind != b->kind)
        return differ(p, "the kind of a node", nowhere);
    switch (a->kind) {
    case NODE_DECL: return same_decl(p, a, b);
    case NODE_READ:
        if (!name_eq(a->read.name, b->read.name))
            return differ(p, "the name of value", a->read.name);
        return same_memlet(p, &a->read.from, &b->read.from);
    case NODE_LET:
        if (!name_eq(a->let.name, b->let.name))
            return differ(p, "the name of value", a->let.name);
        return expr_equal(a->let.value, b->let.value) ||
               differ(p, "the expression of", a->let.name);
    case NODE_WRITE:
        if (!same_memlet(p, &a->write.to, &b->write.to))
            return false;
        return expr_equal(a->write.value, b->write.value) ||
               differ(p, "the expression written to", graph_cont(p->x, a->write.to.cont)->name);
    case NODE_MAP: return same_map(p, a, b);
    case NODE_LOOP:
        return same_index(p, &a->loop.index, &b->loop.index) &&
               same_region(p, &a->loop.body, &b->loop.body);
    case NODE_WHILE:
        return same_memlet(p, &a->repeat.condition, &b->repeat.condition) &&
               same_region(p, &a->repeat.body, &b->repeat.body);
    case NODE_BRANCH:
        if (!expr_equal(a->branch.condition, b->branch.condition))
            return differ(p, "the condition of a branch", nowhere);
        return same_region(p, &a->branch.then, &b->branch.then) &&
               same_region(p, &a->branch.otherwise, &b->branch.otherwise);
    case NODE_COUNT: break;
    }
    return false;
}

static bool same_region(const struct pair *p, const struct region *a, const struct region *b) {
    for (uint32_t i = 0; i < a->nodes.n && i < b->nodes.n; i++)
        if (!same_node(p, a->nodes.at[i], b->nodes.at[i]))
            return false;
    return a->nodes.n == b->nodes.n || differ(p, "the number of nodes", (struct name){0});
}

static bool same_signature(const struct pair *p) {
    const struct graph *x = p->x, *y = p->y;
    if (!name_eq(x->name, y->name))
        return differ(p, "the name of the graph", x->name);
    if (x->params.n != y->params.n)
        return differ(p, "the number of parameters", (struct name){0});
    for (uint32_t i = 0; i < x->params.n; i++) {
        const struct graph_param *a = &x->params.at[i], *b = &y->params.at[i];
        if (a->is_symbol != b->is_symbol || !name_eq(a->name, b->name))
            return differ(p, "the parameter", a->name);
        if (!a->is_symbol && !same_container(p, a->cont, b->cont))
            return false;
    }
    if (x->results.n != y->results.n)
        return differ(p, "the number of results", (struct name){0});
    for (uint32_t i = 0; i < x->results.n; i++)
        if (!same_container(p, x->results.at[i], y->results.at[i]))
            return false;
    if (x->conditions.n != y->conditions.n)
        return differ(p, "the number of conditions", (struct name){0});
    for (uint32_t i = 0; i < x->conditions.n; i++)
        if (!expr_equal(x->conditions.at[i].condition, y->conditions.at[i].condition))
            return differ(p, "a condition", (struct name){0});
    return true;
}

bool graph_equal(const struct graph *x, const struct graph *y, struct buf *why) {
    struct pair p = {x, y, why};
    return same_signature(&p) && same_region(&p, &x->body, &y->body);
}
