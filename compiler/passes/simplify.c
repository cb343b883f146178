/* Folds what is known. Subscripts, bounds and sizes take their simplest form under the facts that
   hold where they stand; guards that cannot be needed go; comparisons of integers that are decided
   become constants; branches and maps of no or one iteration become what they do.
   Holds after: the graph means the same for all arguments that meet its conditions. */
#include "compiler/passes/pass.h"

#include "compiler/analysis/facts.h"

struct simplify {
    struct graph *g;
    struct arena *scratch;
    struct sym_facts *facts;
    uint32_t branches; /* around, whose conditions are among the facts */
    bool changed;
};

static struct sym fold(struct simplify *s, struct sym x) {
    struct sym y = sym_simplify(s->facts, x);
    s->changed = s->changed || !sym_eq(x, y);
    return y;
}

static int decide(struct simplify *s, enum scalar_op op, struct sym a, struct sym b) {
    struct sym_facts *f = s->facts;
    switch (op) {
    case OP_LT: return sym_prove_lt(f, a, b) ? 1 : sym_prove_le(f, b, a) ? 0 : -1;
    case OP_LE: return sym_prove_le(f, a, b) ? 1 : sym_prove_lt(f, b, a) ? 0 : -1;
    case OP_GT: return sym_prove_lt(f, b, a) ? 1 : sym_prove_le(f, a, b) ? 0 : -1;
    case OP_GE: return sym_prove_le(f, b, a) ? 1 : sym_prove_lt(f, a, b) ? 0 : -1;
    case OP_EQ:
    case OP_NE:
        if (sym_prove_eq(f, a, b))
            return op == OP_EQ;
        return sym_prove_lt(f, a, b) || sym_prove_lt(f, b, a) ? op == OP_NE : -1;
    default: return -1;
    }
}

static const struct expr *boolean(struct simplify *s, bool b) {
    union scalar v = {.b = b};
    return expr_const(s->g, DT_bool, v);
}

static const struct expr *fold_op(struct simplify *s, const struct expr *e,
                                  const struct expr *const *a) {
    struct sym x, y;
    const struct expr *folded = expr_op(s->g, e->op, a[0], a[1], a[2]);
    if (facts_compare(s->facts, s->g, folded, &x, &y)) {
        int known = decide(s, e->op, x, y);
        if (known >= 0)
            return boolean(s, known);
    }
    if (e->op == OP_AND || e->op == OP_OR)
        for (int k = 0; k < 2; k++)
            if (a[k]->kind == EXPR_CONST)
                return a[k]->constant.b == (e->op == OP_AND) ? a[1 - k] : a[k];
    if (e->op == OP_SELECT && a[0]->kind == EXPR_CONST)
        return a[0]->constant.b ? a[1] : a[2];
    return folded;
}

static const struct expr *fold_expr(struct simplify *s, const struct expr *e) {
    const struct expr *a[3] = {NULL, NULL, NULL}, *r = e;
    bool same = true;
    for (uint32_t i = 0; i < expr_nargs(e); i++) {
        a[i] = fold_expr(s, e->args[i]);
        same = same && a[i] == e->args[i];
    }
    if (e->kind == EXPR_SYM) {
        struct sym x = sym_simplify(s->facts, e->sym);
        if (!sym_eq(x, e->sym))
            r = expr_sym(s->g, x);
    } else if (e->kind == EXPR_CAST) {
        if (!same)
            r = expr_cast(s->g, e->dtype, a[0]);
    } else if (e->kind == EXPR_OP) {
        r = fold_op(s, e, a);
        if (same && expr_equal(r, e))
            r = e;
    }
    s->changed = s->changed || r != e;
    return r;
}

static void fold_memlet(struct simplify *s, struct memlet *m) {
    bool inside = m->outside != OUTSIDE_ERROR;
    const struct container *c = graph_cont(s->g, m->cont);
    for (uint32_t d = 0; d < m->rank; d++) {
        m->at[d] = fold(s, m->at[d]);
        inside = inside && sym_prove_nonneg(s->facts, m->at[d]) &&
                 sym_prove_lt(s->facts, m->at[d], c->dims[d]);
    }
    if (inside) {
        m->outside = OUTSIDE_ERROR;
        s->changed = true;
    }
}

static void fold_region(struct simplify *s, struct region *r);

/* Below a branch bounds stay: `min(8, N - i)` keeps the iterations of a map around the branch
   apart, where what the condition says of N is not known. */
static void fold_index(struct simplify *s, struct index *x) {
    if (s->branches)
        return;
    x->lo = fold(s, x->lo);
    x->hi = fold(s, x->hi);
}

/* Copies the nodes of FROM to the end of TO with fresh names for what they define. */
static void splice(struct simplify *s, struct region *to, const struct region *from,
                   struct name index, struct sym value) {
    struct name *names = ARENA_ARRAY(s->scratch, struct name, from->nodes.n + 1);
    struct sym *syms = ARENA_ARRAY(s->scratch, struct sym, from->nodes.n + 1);
    const struct expr *as_expr[1];
    struct subst map = {.from = names, .to = syms};
    if (!name_none(index)) {
        names[map.n] = index;
        syms[map.n++] = value;
        as_expr[0] = expr_sym(s->g, value);
        map.nexprs = 1;
        map.value = &names[0];
        map.expr = as_expr;
    }
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        const struct node *n = from->nodes.at[i];
        if (n->kind != NODE_READ && n->kind != NODE_LET)
            continue;
        names[map.n] = n->kind == NODE_READ ? n->read.name : n->let.name;
        syms[map.n] = sym_atom(s->g->syms, graph_fresh(s->g, names[map.n]));
        map.n++;
    }
    struct region copy = region_clone(s->g, from, &map);
    for (uint32_t i = 0; i < copy.nodes.n; i++)
        region_add(s->g, to, copy.nodes.at[i]);
    s->changed = true;
}

static void find_plain_write(void *found, struct node *n) {
    if (n->kind == NODE_WRITE && n->write.to.resolution == RES_NONE)
        *(bool *)found = true;
}

/* Whether N, which never runs, may be what gives a container its values: without it a container
   without elements would never be written, or through a resolution only, which means a fill. */
static bool may_fill(const struct node *n) {
    bool found = false;
    region_walk(&n->map.body, find_plain_write, &found);
    return found;
}

static bool never_runs(struct simplify *s, const struct index *x) {
    return sym_prove_le(s->facts, x->hi, x->lo);
}

static bool map_never_runs(struct simplify *s, const struct node *n) {
    for (uint32_t k = 0; k < n->map.n; k++)
        if (never_runs(s, &n->map.index[k]))
            return true;
    return false;
}

/* An index with one value is that value. True if N is gone (its body stands in TO). */
static bool thin_map(struct simplify *s, struct node *n, struct region *to) {
    for (uint32_t k = 0; k < n->map.n; k++) {
        struct index x = n->map.index[k];
        int64_t step, trip;
        if (x.schedule == SCHED_GRID || x.schedule == SCHED_BLOCK || x.schedule == SCHED_WARP)
            continue; /* what is shared, and whose registers are, hangs on it */
        struct sym size = sym_sub(s->g->syms, x.hi, x.lo);
        if (!sym_is_const(s->g->syms, x.step, &step) || !sym_is_const(s->g->syms, size, &trip) ||
            trip > step)
            continue;
        struct region body = {0};
        splice(s, &body, &n->map.body, x.name, x.lo);
        n->map.body = body;
        for (uint32_t j = k + 1; j < n->map.n; j++)
            n->map.index[j - 1] = n->map.index[j];
        n->map.n--;
        k--;
    }
    if (n->map.n)
        return false;
    fold_region(s, &n->map.body);
    splice(s, to, &n->map.body, (struct name){0}, (struct sym){0});
    return true;
}

static bool fold_branch(struct simplify *s, struct node *n, struct region *to) {
    n->branch.condition = fold_expr(s, n->branch.condition);
    const struct expr *c = n->branch.condition;
    if (c->kind == EXPR_CONST) {
        struct region *arm = c->constant.b ? &n->branch.then : &n->branch.otherwise;
        fold_region(s, arm);
        splice(s, to, arm, (struct name){0}, (struct sym){0});
        return true;
    }
    for (int arm = 0; arm < 2; arm++) {
        uint32_t mark = sym_facts_mark(s->facts);
        facts_add(s->facts, s->g, c, arm == 0);
        s->branches++;
        fold_region(s, arm == 0 ? &n->branch.then : &n->branch.otherwise);
        s->branches--;
        sym_facts_restore(s->facts, mark);
    }
    return false;
}

/* Whether N has been replaced by nodes in TO. */
static bool fold_node(struct simplify *s, struct node *n, struct region *to) {
    uint32_t mark = sym_facts_mark(s->facts);
    bool gone = false;
    switch (n->kind) {
    case NODE_DECL: {
        struct container *c = graph_cont(s->g, n->decl.cont);
        for (uint32_t d = 0; d < c->rank; d++)
            c->dims[d] = fold(s, c->dims[d]);
        break;
    }
    case NODE_READ: fold_memlet(s, &n->read.from); break;
    case NODE_LET: n->let.value = fold_expr(s, n->let.value); break;
    case NODE_WRITE:
        n->write.value = fold_expr(s, n->write.value);
        fold_memlet(s, &n->write.to);
        break;
    case NODE_MAP:
        for (uint32_t k = 0; k < n->map.n; k++)
            fold_index(s, &n->map.index[k]);
        if (map_never_runs(s, n)) { /* what is not reached is not folded: all would follow */
            gone = !may_fill(n);
            s->changed = s->changed || gone;
            break;
        }
        if ((gone = thin_map(s, n, to)))
            break;
        for (uint32_t k = 0; k < n->map.n; k++)
            index_facts(s->facts, s->g->syms, &n->map.index[k]);
        fold_region(s, &n->map.body);
        break;
    case NODE_LOOP:
        fold_index(s, &n->loop.index);
        if (never_runs(s, &n->loop.index))
            break;
        index_facts(s->facts, s->g->syms, &n->loop.index);
        fold_region(s, &n->loop.body);
        break;
    case NODE_WHILE: fold_region(s, &n->repeat.body); break;
    default: gone = fold_branch(s, n, to); break;
    }
    sym_facts_restore(s->facts, mark);
    return gone;
}

static void fold_region(struct simplify *s, struct region *r) {
    struct region out = {0};
    for (uint32_t i = 0; i < r->nodes.n; i++)
        if (!fold_node(s, r->nodes.at[i], &out))
            region_add(s->g, &out, r->nodes.at[i]);
    *r = out;
}

bool pass_simplify(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    (void)t;
    struct simplify s = {.g = g, .scratch = scratch, .facts = graph_facts(scratch, g)};
    fold_region(&s, &g->body);
    return s.changed;
}
