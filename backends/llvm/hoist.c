/* Bounds checks before the map or loop that they are for, instead of in each iteration.
   When one is entered, the unproved subscripts of the memlets below it are looked at: one that is
   linear in the indices inside has its extremes where those are at their ends, so one test of each
   end covers all iterations, provided that there are any. What depends on values that are read
   inside, or stands in a branch, keeps its check where it is.
   Subscripts wrap. Those that may (facts_exact) are tested at both ends, without sign; then all
   between are inside, provided that the ends are less than 2^63 apart.
   Which map takes which check is decided when the map is first lowered (outer maps come first) and
   holds for all its copies. So are the proofs of all memlets below it: a part of the map that is
   lowered first, a loop of whole vectors say, has facts of its own. */
#include "backends/llvm/codegen.h"

#include "compiler/analysis/facts.h"

struct hoisted {
    const struct memlet *m;
    uint32_t dim;
    struct sym low, high;          /* none: that side is proved */
    VEC(const struct index *) all; /* that must have an iteration for the check to count */
};

struct level {
    const struct level *outer;
    const struct index *index;
    bool sure; /* proved to have an iteration */
};

struct walk {
    struct cg *c;
    const struct uses *inner;
    uint32_t branches; /* around */
    VEC(struct hoisted) found;
};

static struct sym last_of(struct cg *c, const struct index *x) {
    struct sym span = sym_sub(c->syms, sym_sub(c->syms, x->hi, sym_const(c->syms, 1)), x->lo);
    struct sym turns = sym_floordiv(c->syms, span, x->step);
    return sym_add(c->syms, x->lo, sym_mul(c->syms, turns, x->step));
}

static bool extreme(struct walk *w, struct sym s, const struct level *l, bool largest,
                    struct sym *out) {
    struct cg *c = w->c;
    for (; l; l = l->outer) {
        struct sym factor, rest;
        if (!sym_contains(c->syms, s, l->index->name))
            continue;
        if (!sym_linear(c->syms, s, l->index->name, &factor, &rest))
            return false;
        bool up = sym_prove_nonneg(c->facts, factor);
        if (!up && !sym_prove_nonneg(c->facts, sym_neg(c->syms, factor)))
            return false;
        struct sym end = up == largest ? last_of(c, l->index) : l->index->lo;
        s = sym_add(c->syms, rest, sym_mul(c->syms, factor, end));
    }
    *out = s;
    return !sym_uses_any(c, s, &w->inner->defined);
}

/* Whether the ends of S, which may wrap, are less than 2^63 apart. */
static bool close_ends(struct walk *w, struct sym s, const struct level *l,
                       const struct hoisted *h) {
    struct cg *c = w->c;
    if (facts_exact(c->facts, c->g, sym_sub(c->syms, h->high, h->low)))
        return true;
    const struct index *only = NULL;
    for (; l; l = l->outer) {
        if (!sym_contains(c->syms, s, l->index->name))
            continue;
        if (only)
            return false;
        only = l->index;
    }
    /* lo + step, ... below hi: no more than the largest i64 apart if lo is not negative. */
    struct sym factor, rest;
    int64_t by, lo;
    return only && sym_linear(c->syms, s, only->name, &factor, &rest) &&
           sym_is_const(c->syms, factor, &by) && (by == 1 || by == -1) &&
           sym_is_const(c->syms, only->lo, &lo) && lo >= 0;
}

static void try_dim(struct walk *w, const struct memlet *m, uint32_t d, const struct level *l,
                    struct proof *p) {
    struct cg *c = w->c;
    bool lower = p->lower >> d & 1, upper = p->upper >> d & 1;
    struct hoisted h = {.m = m, .dim = d};
    if (lower && upper)
        return;
    bool wraps = !facts_exact(c->facts, c->g, m->at[d]);
    if ((wraps || !lower) && !extreme(w, m->at[d], l, false, &h.low))
        return;
    if ((wraps || !upper) && !extreme(w, m->at[d], l, true, &h.high))
        return;
    if (wraps && !close_ends(w, m->at[d], l, &h))
        return;
    if (sym_uses_any(c, graph_cont(c->g, m->cont)->dims[d], &w->inner->defined))
        return;
    for (; l; l = l->outer) {
        if (l->sure)
            continue;
        if (sym_uses_any(c, l->index->lo, &w->inner->defined) ||
            sym_uses_any(c, l->index->hi, &w->inner->defined))
            return;
        VEC_PUSH(c->a, h.all, l->index);
    }
    p->lower |= 1u << d;
    p->upper |= 1u << d;
    VEC_PUSH(c->a, w->found, h);
}

static void walk_region(struct walk *w, const struct region *r, const struct level *l);

static const struct level *enter(struct walk *w, const struct level *outer, const struct index *x) {
    struct cg *c = w->c;
    struct level *l = ARENA_NEW(c->a, struct level);
    *l = (struct level){outer, x, sym_prove_lt(c->facts, x->lo, x->hi)};
    index_facts(c->facts, c->syms, x);
    return l;
}

static const struct level *enter_map(struct walk *w, const struct level *l, const struct node *n) {
    for (uint32_t i = 0; i < n->map.n; i++)
        l = enter(w, l, &n->map.index[i]);
    return l;
}

static void walk_node(struct walk *w, const struct node *n, const struct level *l) {
    struct cg *c = w->c;
    uint32_t facts = sym_facts_mark(c->facts);
    const struct memlet *m = n->kind == NODE_READ ? &n->read.from : &n->write.to;
    switch (n->kind) {
    case NODE_READ:
    case NODE_WRITE:
        memlet_proof(c, n, m);
        if (m->outside != OUTSIDE_ERROR || w->branches)
            break;
        for (uint32_t d = 0; d < m->rank && d < 32; d++)
            try_dim(w, m, d, l, &c->proofs[n->id]);
        break;
    case NODE_MAP: walk_region(w, &n->map.body, enter_map(w, l, n)); break;
    case NODE_LOOP: walk_region(w, &n->loop.body, enter(w, l, &n->loop.index)); break;
    case NODE_BRANCH:
        w->branches++;
        facts_assume(c, n->branch.condition, true);
        walk_region(w, &n->branch.then, l);
        sym_facts_restore(c->facts, facts);
        facts_assume(c, n->branch.condition, false);
        walk_region(w, &n->branch.otherwise, l);
        w->branches--;
        break;
    default: break;
    }
    sym_facts_restore(c->facts, facts);
}

static void walk_region(struct walk *w, const struct region *r, const struct level *l) {
    for (uint32_t i = 0; i < r->nodes.n; i++)
        walk_node(w, r->nodes.at[i], l);
}

static void find_while(void *found, struct node *n) {
    if (n->kind == NODE_WHILE)
        *(bool *)found = true;
}

static void decide(struct cg *c, const struct node *n, struct decision *d) {
    struct uses inner;
    map_uses(c, n, 0, &inner);
    struct walk w = {.c = c, .inner = &inner};
    uint32_t facts = sym_facts_mark(c->facts);
    bool found = false; /* a `while` may not end: nothing behind it is known to be reached */
    region_walk(n->kind == NODE_MAP ? &n->map.body : &n->loop.body, find_while, &found);
    w.branches = found;
    if (n->kind == NODE_MAP)
        walk_region(&w, &n->map.body, enter_map(&w, NULL, n));
    else
        walk_region(&w, &n->loop.body, enter(&w, NULL, &n->loop.index));
    sym_facts_restore(c->facts, facts);
    d->hoisted = w.found.at;
    d->nhoisted = w.found.n;
}

/* The condition under which one end is outside; NULL if it is known not to be. */
static LLVMValueRef end_outside(struct cg *c, const struct hoisted *h, bool upper,
                                struct val *index, struct val *size) {
    struct sym end = upper ? h->high : h->low;
    if (sym_none(end))
        return NULL;
    struct sym dim = subst(c, graph_cont(c->g, h->m->cont)->dims[h->dim]);
    end = subst(c, end);
    *index = cg_sym(c, end);
    *size = cg_sym(c, dim);
    return LLVMBuildICmp(c->b, LLVMIntUGE, index->v, size->v, "");
}

static void check(struct cg *c, const struct hoisted *h, bool upper) {
    struct val index, size;
    LLVMValueRef outside = end_outside(c, h, upper, &index, &size);
    if (!outside || (LLVMIsConstant(outside) && LLVMIsNull(outside)))
        return;
    for (uint32_t i = 0; i < h->all.n; i++) {
        struct val lo = cg_sym(c, subst(c, h->all.at[i]->lo));
        struct val hi = cg_sym(c, subst(c, h->all.at[i]->hi));
        LLVMValueRef some = LLVMBuildICmp(c->b, LLVMIntSLT, lo.v, hi.v, "");
        outside = LLVMBuildAnd(c->b, outside, some, "");
    }
    check_index(c, h->m, h->dim, index, size, outside, 1);
}

void hoist_checks(struct cg *c, const struct node *n) {
    struct decision *d = &c->decisions[n->id];
    if (!d->hoisted_known) {
        d->hoisted_known = true;
        /* In a vector body the checks know of lanes, and stay. */
        if (c->fn->lanes == 1)
            decide(c, n, d);
    }
    for (uint32_t i = 0; i < d->nhoisted; i++) {
        check(c, &d->hoisted[i], false);
        check(c, &d->hoisted[i], true);
    }
}
