/* Copies of graphs and regions, and memlets under a substitution.
   graph_clone keeps ids, so that side tables of the original fit the copy. region_clone makes new
   nodes of the same graph, under a substitution; a container that is declared inside the region
   must be mapped by the caller if the copy and the original are both to stand in the graph. */
#include "compiler/ir/names.h"

/* What a copy is made with. SUBST NULL: a copy with the same ids into G. */
struct copier {
    struct graph *g;
    const struct subst *subst;
};

static struct region copy_region(struct copier *k, const struct region *r);

static struct sym copy_sym(struct copier *k, struct sym s) {
    const struct subst *by = k->subst;
    return by && by->n && !sym_none(s) ? sym_subst(k->g->syms, s, by->n, by->from, by->to) : s;
}

static struct name copy_name(struct copier *k, struct name n) {
    const struct subst *by = k->subst;
    for (uint32_t i = 0; by && i < by->n; i++) {
        struct name to;
        if (name_eq(by->from[i], n) && sym_is_atom(k->g->syms, by->to[i], &to))
            return to;
    }
    return n;
}

static struct cont copy_cont(struct copier *k, struct cont c) {
    const struct subst *by = k->subst;
    bool mapped = by && by->conts && c.i < by->nconts && by->conts[c.i].i;
    return mapped ? by->conts[c.i] : c;
}

static struct memlet copy_memlet(struct copier *k, const struct memlet *m) {
    struct memlet copy = *m;
    copy.cont = copy_cont(k, m->cont);
    copy.at = ARENA_ARRAY(k->g->arena, struct sym, m->rank);
    for (uint32_t d = 0; d < m->rank; d++)
        copy.at[d] = copy_sym(k, m->at[d]);
    return copy;
}

/* Without a substitution the copy may outlive the original's arena, so all of it is copied. */
static const struct expr *copy_expr(struct copier *k, const struct expr *e) {
    if (!e)
        return NULL;
    if (k->subst)
        return expr_subst(k->g, e, k->subst);
    struct expr *copy = arena_copy(k->g->arena, e, sizeof *e);
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        copy->args[i] = copy_expr(k, e->args[i]);
    return copy;
}

static struct index copy_index(struct copier *k, const struct index *x) {
    struct index copy = *x;
    copy.name = copy_name(k, x->name);
    copy.lo = copy_sym(k, x->lo);
    copy.hi = copy_sym(k, x->hi);
    copy.step = copy_sym(k, x->step);
    return copy;
}

/* The sizes of a container that stays the same one follow what is renamed: the copy takes the place
   of the original. */
static void copy_dims(struct copier *k, struct cont from, struct cont to) {
    if (!k->subst || from.i != to.i)
        return;
    struct container *c = graph_cont(k->g, to);
    struct sym *dims = ARENA_ARRAY(k->g->arena, struct sym, c->rank);
    for (uint32_t d = 0; d < c->rank; d++)
        dims[d] = copy_sym(k, c->dims[d]);
    c->dims = dims;
}

static struct node *copy_node(struct copier *k, const struct node *n) {
    struct node *copy;
    if (k->subst) {
        copy = node_new(k->g, n->kind, n->span);
    } else {
        copy = ARENA_NEW(k->g->arena, struct node);
        graph_names_node(k->g, copy);
    }
    uint32_t id = k->subst ? copy->id : n->id;
    *copy = *n;
    copy->id = id;
    switch (n->kind) {
    case NODE_DECL:
        copy->decl.cont = copy_cont(k, n->decl.cont);
        copy_dims(k, n->decl.cont, copy->decl.cont);
        break;
    case NODE_READ:
        copy->read.name = copy_name(k, n->read.name);
        copy->read.from = copy_memlet(k, &n->read.from);
        break;
    case NODE_LET:
        copy->let.name = copy_name(k, n->let.name);
        copy->let.value = copy_expr(k, n->let.value);
        break;
    case NODE_WRITE:
        copy->write.value = copy_expr(k, n->write.value);
        copy->write.to = copy_memlet(k, &n->write.to);
        break;
    case NODE_MAP:
        copy->map.index = ARENA_ARRAY(k->g->arena, struct index, n->map.n);
        for (uint32_t i = 0; i < n->map.n; i++)
            copy->map.index[i] = copy_index(k, &n->map.index[i]);
        copy->map.body = copy_region(k, &n->map.body);
        break;
    case NODE_LOOP:
        copy->loop.index = copy_index(k, &n->loop.index);
        copy->loop.body = copy_region(k, &n->loop.body);
        break;
    case NODE_WHILE:
        copy->repeat.condition = copy_memlet(k, &n->repeat.condition);
        copy->repeat.body = copy_region(k, &n->repeat.body);
        break;
    case NODE_BRANCH:
        copy->branch.condition = copy_expr(k, n->branch.condition);
        copy->branch.then = copy_region(k, &n->branch.then);
        copy->branch.otherwise = copy_region(k, &n->branch.otherwise);
        break;
    case NODE_COUNT: break;
    }
    return copy;
}

static struct region copy_region(struct copier *k, const struct region *r) {
    struct region copy = {0};
    for (uint32_t i = 0; i < r->nodes.n; i++)
        region_add(k->g, &copy, copy_node(k, r->nodes.at[i]));
    return copy;
}

static const struct subst nothing = {0};

struct region region_clone(struct graph *g, const struct region *r, const struct subst *s) {
    return copy_region(&(struct copier){g, s ? s : &nothing}, r);
}

struct memlet memlet_subst(struct graph *g, const struct memlet *m, const struct subst *s) {
    return copy_memlet(&(struct copier){g, s}, m);
}

struct graph *graph_clone(struct arena *a, const struct graph *g) {
    struct graph *copy = graph_new(a, g->names, g->syms, g->name);
    struct copier k = {copy, NULL};
    copy->span = g->span;
    copy->nodes = g->nodes;
    for (uint32_t i = 1; i < g->conts.n; i++) {
        const struct container *c = &g->conts.at[i];
        graph_container(copy, c->name, c->dtype, c->rank, c->dims, c->storage, c->role, c->span);
    }
    for (uint32_t i = 0; i < g->params.n; i++)
        VEC_PUSH(a, copy->params, g->params.at[i]);
    for (uint32_t i = 0; i < g->results.n; i++)
        VEC_PUSH(a, copy->results, g->results.at[i]);
    for (uint32_t i = 0; i < g->conditions.n; i++) {
        struct graph_condition c = g->conditions.at[i];
        c.condition = copy_expr(&k, c.condition);
        c.text = c.text ? arena_printf(a, "%s", c.text) : NULL;
        VEC_PUSH(a, copy->conditions, c);
    }
    for (uint32_t i = 0; i < g->sites.n; i++)
        VEC_PUSH(a, copy->sites, g->sites.at[i]);
    copy->body = copy_region(&k, &g->body);
    return copy;
}
