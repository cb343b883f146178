/* Which names and containers a piece of the graph uses and defines. */
#include "backends/llvm/codegen.h"

static void use_name(void *data, struct name n) {
    map_put(data, n.i, 1);
}

void expr_uses(struct cg *c, const struct expr *e, struct map *names) {
    switch (e->kind) {
    case EXPR_CONST: break;
    case EXPR_VALUE: map_put(names, e->value.i, 1); break;
    case EXPR_SYM: sym_atoms(c->syms, e->sym, use_name, names); break;
    case EXPR_CAST: expr_uses(c, e->args[0], names); break;
    case EXPR_OP:
        for (unsigned i = 0; i < scalars[e->op].arity; i++)
            expr_uses(c, e->args[i], names);
        break;
    }
}

static void memlet_uses(struct uses *u, const struct memlet *m) {
    map_put(&u->conts, m->cont.i, 1);
    const struct container *k = graph_cont(u->c->g, m->cont);
    for (uint32_t d = 0; d < m->rank; d++) {
        sym_atoms(u->c->syms, m->at[d], use_name, &u->names);
        sym_atoms(u->c->syms, k->dims[d], use_name, &u->names);
    }
}

static void index_uses(struct uses *u, const struct index *x) {
    map_put(&u->defined, x->name.i, 1);
    sym_atoms(u->c->syms, x->lo, use_name, &u->names);
    sym_atoms(u->c->syms, x->hi, use_name, &u->names);
    sym_atoms(u->c->syms, x->step, use_name, &u->names);
}

static void node_uses(void *data, struct node *n) {
    struct uses *u = data;
    const struct container *k;
    switch (n->kind) {
    case NODE_DECL:
        map_put(&u->declared, n->decl.cont.i, 1);
        k = graph_cont(u->c->g, n->decl.cont);
        for (uint32_t d = 0; d < k->rank; d++)
            sym_atoms(u->c->syms, k->dims[d], use_name, &u->names);
        break;
    case NODE_READ:
        map_put(&u->defined, n->read.name.i, 1);
        memlet_uses(u, &n->read.from);
        break;
    case NODE_LET:
        map_put(&u->defined, n->let.name.i, 1);
        expr_uses(u->c, n->let.value, &u->names);
        break;
    case NODE_WRITE:
        memlet_uses(u, &n->write.to);
        expr_uses(u->c, n->write.value, &u->names);
        break;
    case NODE_MAP:
        for (uint32_t i = 0; i < n->map.n; i++)
            index_uses(u, &n->map.index[i]);
        break;
    case NODE_LOOP: index_uses(u, &n->loop.index); break;
    case NODE_WHILE: memlet_uses(u, &n->repeat.condition); break;
    case NODE_BRANCH: expr_uses(u->c, n->branch.condition, &u->names); break;
    case NODE_COUNT: break;
    }
}

static struct uses no_uses(struct cg *c) {
    return (struct uses){c, map_new(c->a), map_new(c->a), map_new(c->a), map_new(c->a)};
}

void nodes_uses(struct cg *c, const struct region *r, uint32_t from, uint32_t to, struct uses *u) {
    struct region some = {0};
    some.nodes.at = r->nodes.at + from;
    some.nodes.n = to - from;
    *u = no_uses(c);
    region_walk(&some, node_uses, u);
}

void map_uses(struct cg *c, const struct node *n, uint32_t k, struct uses *u) {
    *u = no_uses(c);
    if (n->kind == NODE_LOOP) {
        index_uses(u, &n->loop.index);
        region_walk(&n->loop.body, node_uses, u);
        return;
    }
    for (uint32_t i = k; i < n->map.n; i++)
        index_uses(u, &n->map.index[i]);
    region_walk(&n->map.body, node_uses, u);
}

struct search {
    const struct map *in;
    bool found;
};

static void look_for(void *data, struct name n) {
    struct search *x = data;
    x->found = x->found || map_get(x->in, n.i, NULL);
}

bool sym_uses_any(struct cg *c, struct sym s, const struct map *names) {
    struct search x = {names, false};
    sym_atoms(c->syms, s, look_for, &x);
    return x.found;
}

bool expr_uses_any(struct cg *c, const struct expr *e, const struct map *names) {
    struct map used = map_new(c->a);
    expr_uses(c, e, &used);
    for (uint32_t i = 0; i < used.n; i++)
        if (map_get(names, used.entries[i].key, NULL))
            return true;
    return false;
}
