/* The symbols of a graph, in the order in which a call binds them, and what is known of symbols
   and indices before anything runs. */
#include "compiler/ir/graph.h"

/* Whether NAME is a run-time integer, or one of the N symbols at S. */
static bool bound(const struct graph *g, const struct graph_symbol *s, uint32_t n,
                  struct name name) {
    for (uint32_t p = 0; p < g->params.n; p++)
        if (g->params.at[p].is_symbol && name_eq(g->params.at[p].name, name))
            return true;
    for (uint32_t i = 0; i < n; i++)
        if (name_eq(s[i].name, name))
            return true;
    return false;
}

uint32_t graph_symbols(const struct graph *g, struct arena *a, struct graph_symbol **out) {
    VEC(struct graph_symbol) all = {0};
    for (uint32_t p = 0; p < g->params.n; p++) {
        const struct graph_param *param = &g->params.at[p];
        if (param->is_symbol) {
            VEC_PUSH(a, all, ((struct graph_symbol){param->name, p, -1}));
            continue;
        }
        const struct container *c = graph_cont(g, param->cont);
        for (uint32_t d = 0; d < c->rank; d++) {
            struct name n;
            if (sym_is_atom(g->syms, c->dims[d], &n) && !bound(g, all.at, all.n, n))
                VEC_PUSH(a, all, ((struct graph_symbol){n, p, (int)d}));
        }
    }
    *out = all.at;
    return all.n;
}

/* What E says of symbols: comparisons of symbolic integers, and conjunctions of such. */
static void condition_facts(struct sym_facts *f, const struct graph *g, const struct expr *e) {
    struct sym_ctx *c = g->syms;
    struct sym a, b, one = sym_const(c, 1);
    if (e->kind != EXPR_OP || scalars[e->op].arity != 2)
        return;
    if (e->op == OP_AND) {
        condition_facts(f, g, e->args[0]);
        condition_facts(f, g, e->args[1]);
        return;
    }
    if (!expr_to_sym(g, e->args[0], &a) || !expr_to_sym(g, e->args[1], &b))
        return;
    if (e->op == OP_LE || e->op == OP_EQ)
        sym_facts_nonneg(f, sym_sub(c, b, a));
    if (e->op == OP_GE || e->op == OP_EQ)
        sym_facts_nonneg(f, sym_sub(c, a, b));
    if (e->op == OP_LT)
        sym_facts_nonneg(f, sym_sub(c, sym_sub(c, b, a), one));
    if (e->op == OP_GT)
        sym_facts_nonneg(f, sym_sub(c, sym_sub(c, a, b), one));
}

struct sym_facts *graph_facts(struct arena *a, const struct graph *g) {
    struct sym_facts *f = sym_facts_new(a, g->syms);
    struct sym none = {0}, zero = sym_const(g->syms, 0);
    for (uint32_t p = 0; p < g->params.n; p++) {
        if (g->params.at[p].is_symbol)
            continue;
        const struct container *c = graph_cont(g, g->params.at[p].cont);
        for (uint32_t d = 0; d < c->rank; d++) {
            struct name n;
            int64_t v;
            if (sym_is_atom(g->syms, c->dims[d], &n))
                sym_facts_bounds(f, n, zero, none);
            else if (!sym_is_const(g->syms, c->dims[d], &v))
                sym_facts_nonneg(f, c->dims[d]);
        }
    }
    for (uint32_t i = 0; i < g->conditions.n; i++)
        condition_facts(f, g, g->conditions.at[i].condition);
    return f;
}

void index_facts(struct sym_facts *f, struct sym_ctx *c, const struct index *x) {
    sym_facts_bounds(f, x->name, x->lo, sym_sub(c, x->hi, sym_const(c, 1)));
    sym_facts_step(f, x->name, x->lo, x->step);
}

void node_facts(struct sym_facts *f, struct sym_ctx *c, const struct node *n) {
    for (uint32_t k = 0; n->kind == NODE_MAP && k < n->map.n; k++)
        index_facts(f, c, &n->map.index[k]);
    if (n->kind == NODE_LOOP)
        index_facts(f, c, &n->loop.index);
}
