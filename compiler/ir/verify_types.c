/* Verification of expressions and memlets: 8 to 14 of IR.md. */
#include "compiler/ir/verify.h"

static bool check_op(struct verifier *v, const struct expr *e) {
    const struct scalar_info *info = &scalars[e->op];
    bool select = e->op == OP_SELECT;
    enum dtype t = e->args[select]->dtype;
    if (!(info->operands & dtypes[t].class))
        return broken(v, 10, "%s on %s", info->id, dtypes[t].name);
    bool constant = true;
    for (unsigned k = 0; k < info->arity; k++) {
        enum dtype want = select && k == 0 ? DT_bool : t;
        if (e->args[k]->dtype != want)
            return broken(v, 10, "%s on %s and %s", info->id, dtypes[want].name,
                          dtypes[e->args[k]->dtype].name);
        constant = constant && e->args[k]->kind == EXPR_CONST;
    }
    if (constant)
        return broken(v, 11, "%s of constants is not folded", info->id);
    if (e->dtype != (info->result == RESULT_BOOL ? DT_bool : t))
        return broken(v, 10, "%s of %s gives %s", info->id, dtypes[t].name, dtypes[e->dtype].name);
    return true;
}

struct indices {
    const struct verifier *v;
    bool ok;
};

static void no_value(void *data, struct name n) {
    struct indices *x = data;
    x->ok = x->ok && look_up(x->v, n)->thing != THING_VALUE;
}

static bool check_leaf(struct verifier *v, const struct expr *e, bool only_symbols) {
    if (e->kind == EXPR_VALUE) {
        const struct binding *b = look_up(v, e->value);
        if (!b || b->thing != THING_VALUE || only_symbols)
            return broken(v, only_symbols ? 7 : 6, "%s is not a value in scope",
                          verify_name(v, e->value));
        if (b->dtype != e->dtype)
            return broken(v, 10, "%s is %s, used as %s", verify_name(v, e->value),
                          dtypes[b->dtype].name, dtypes[e->dtype].name);
        return true;
    }
    if (e->kind == EXPR_CONST)
        return true;
    if (!check_sym(v, e->sym, only_symbols))
        return false;
    int64_t k;
    struct indices x = {v, true};
    sym_atoms(v->g->syms, e->sym, no_value, &x);
    if (e->dtype != DT_i64 || !x.ok || sym_is_const(v->g->syms, e->sym, &k))
        return broken(v, 11, "a symbolic integer that is not over indices and symbols");
    return true;
}

bool verify_expr(struct verifier *v, const struct expr *e, bool only_symbols) {
    if (!e)
        return broken(v, 1, "an expression is missing");
    if (e->kind > EXPR_CAST || e->dtype >= DT_COUNT || (e->kind == EXPR_OP && e->op >= OP_COUNT))
        return broken(v, 1, "an expression of no kind");
    for (uint32_t k = 0; k < expr_nargs(e); k++)
        if (!verify_expr(v, e->args[k], only_symbols))
            return false;
    switch (e->kind) {
    case EXPR_OP: return check_op(v, e);
    case EXPR_CAST:
        if (e->args[0]->dtype == e->dtype || e->args[0]->kind == EXPR_CONST)
            return broken(v, 11, "a cast of %s to %s", dtypes[e->args[0]->dtype].name,
                          dtypes[e->dtype].name);
        return true;
    default: return check_leaf(v, e, only_symbols);
    }
}

bool check_memlet(struct verifier *v, const struct memlet *m, bool write) {
    const struct graph *g = v->g;
    if (m->cont.i == 0 || m->cont.i >= g->conts.n)
        return broken(v, 2, "a memlet on container %u", m->cont.i);
    const struct container *c = graph_cont(g, m->cont);
    const char *name = verify_name(v, c->name);
    if (!v->conts[m->cont.i].alive)
        return broken(v, 8, "%s is used where it is not declared", name);
    if (m->rank != c->rank)
        return broken(v, 9, "%u subscripts for %s, which has %u dimensions", m->rank, name,
                      c->rank);
    for (uint32_t d = 0; d < m->rank; d++)
        if (!check_sym(v, m->at[d], false))
            return false;
    if (m->outside != OUTSIDE_ERROR &&
        (m->rank == 0 || m->outside != (write ? OUTSIDE_DROP : OUTSIDE_VALUE)))
        return broken(v, 12, "what lies outside of %s in a %s", name, write ? "write" : "read");
    if (m->resolution == RES_NONE)
        return true;
    if (!write || m->resolution >= RES_COUNT ||
        !(scalars[resolution_op(m->resolution)].operands & dtypes[c->dtype].class))
        return broken(v, 12, "a resolution on %s, which is %s", name, dtypes[c->dtype].name);
    if (c->storage == STORE_RESERVE)
        return broken(v, 12, "a resolution on %s, which is in reserve", name);
    return true;
}

/* Whether R holds a write to C that does not resolve. */
static bool writes_plainly(const struct region *r, struct cont c);

static bool node_writes_plainly(const struct node *n, struct cont c) {
    switch (n->kind) {
    case NODE_WRITE: return n->write.to.cont.i == c.i && n->write.to.resolution == RES_NONE;
    case NODE_MAP: return writes_plainly(&n->map.body, c);
    case NODE_LOOP: return writes_plainly(&n->loop.body, c);
    case NODE_WHILE: return writes_plainly(&n->repeat.body, c);
    case NODE_BRANCH:
        return writes_plainly(&n->branch.then, c) || writes_plainly(&n->branch.otherwise, c);
    default: return false;
    }
}

static bool writes_plainly(const struct region *r, struct cont c) {
    for (uint32_t i = 0; i < r->nodes.n; i++)
        if (node_writes_plainly(r->nodes.at[i], c))
            return true;
    return false;
}

/* Before this place, or later in a loop around it whose former iteration may have done it. */
static bool maybe_written(const struct verifier *v, struct cont c) {
    const struct cont_state *s = &v->conts[c.i];
    const struct container *k = graph_cont(v->g, c);
    if (s->written || has_no_elements(v->g, k) || k->storage == STORE_RESERVE)
        return true;
    for (uint32_t i = v->loops.n; i-- > s->depth;)
        if (writes_plainly(v->loops.at[i], c))
            return true;
    return false;
}

bool check_written(struct verifier *v, const struct memlet *m, bool write) {
    const struct container *c = graph_cont(v->g, m->cont);
    const char *name = verify_name(v, c->name);
    if (write && c->role == ROLE_PARAM)
        return broken(v, 13, "the parameter %s is written", name);
    if (!write && !maybe_written(v, m->cont))
        return broken(v, 14, "%s is read before anything was written to it", name);
    if (write && m->resolution != RES_NONE && !maybe_written(v, m->cont))
        return broken(v, 14,
                      "%s has no value yet that this resolution could meet: give it one, as in "
                      "%s = 0 (only where all writes use one resolution it starts at its identity)",
                      name, name);
    if (write && m->resolution == RES_NONE)
        v->conts[m->cont.i].written = true;
    return true;
}
