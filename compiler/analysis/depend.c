/* The dependence test: each pair of memlets on one container is shown to be free of conflict
   (equations.c) or to have one (witness.c).

   Note [two iterations]
   The first iteration keeps the names of the body, the second has a prime on each name that may
   differ: the index k, the indices right of it, the indices inside and the values that the body
   computes. The indices left of k are the same in both. The second's index k is greater, so each
   pair of different memlets is tested in both orders. The subscripts are equal when the differences
   "second - first" are all zero; there is no conflict if that has no solution within the ranges. */
#include "compiler/analysis/depend.h"

#include "compiler/analysis/internal.h"

enum { BUDGET = 400 };

static struct name primed(struct test *t, struct name n) {
    struct buf b = buf_new(t->arena);
    buf_text(&b, name_text(t->g->names, n));
    buf_text(&b, "'");
    return name_of(t->g->names, b.at, b.n);
}

/* From the names of the first iteration to those of the second. */
struct primes {
    VEC(struct name) from;
    VEC(struct sym) to;
};

static void prime(struct test *t, struct primes *p, struct name n) {
    VEC_PUSH(t->arena, p->from, n);
    VEC_PUSH(t->arena, p->to, sym_atom(t->syms, primed(t, n)));
}

static struct sym second(struct test *t, const struct primes *p, struct sym s) {
    return sym_subst(t->syms, s, p->from.n, p->from.at, p->to.at);
}

/* Adds a variable and what its range says of it. */
static void add_var(struct test *t, struct name n, struct sym lo, struct sym hi, struct sym step,
                    struct sym least) {
    struct var v = {n, lo, hi, step, least};
    VEC_PUSH(t->arena, t->vars, v);
    sym_facts_bounds(t->facts, n, v.least, sym_sub(t->syms, v.hi, sym_const(t->syms, 1)));
    sym_facts_step(t->facts, n, v.lo, v.step);
    sym_facts_nonneg(t->facts, sym_sub(t->syms, sym_atom(t->syms, n), v.lo));
}

static void add_index(struct test *t, const struct index *x, const struct primes *p) {
    if (!p) {
        add_var(t, x->name, x->lo, x->hi, x->step, x->lo);
        return;
    }
    struct sym lo = second(t, p, x->lo);
    add_var(t, primed(t, x->name), lo, second(t, p, x->hi), second(t, p, x->step), lo);
}

static void add_around(struct test *t, const struct around *x, const struct primes *p) {
    if (!x)
        return;
    add_around(t, x->out, p);
    add_index(t, &x->index, p);
}

/* Sets up T's variables for the pair. */
static struct primes set_up(struct test *t, const struct access *a, const struct access *b) {
    struct primes p = {0};
    for (uint32_t i = t->k; i < t->n; i++)
        prime(t, &p, t->index[i].name);
    for (uint32_t i = 0; i < t->accesses.names.n; i++)
        prime(t, &p, t->accesses.names.at[i]);
    t->vars.n = 0;
    for (uint32_t i = 0; i <= t->k; i++)
        add_index(t, &t->index[i], NULL);
    const struct index *x = &t->index[t->k];
    add_var(t, primed(t, x->name), x->lo, x->hi, x->step,
            sym_add(t->syms, sym_atom(t->syms, x->name), x->step));
    for (uint32_t i = t->k + 1; i < t->n; i++)
        add_index(t, &t->index[i], NULL);
    for (uint32_t i = t->k + 1; i < t->n; i++)
        add_index(t, &t->index[i], &p);
    add_around(t, a->around, NULL);
    add_around(t, b->around, &p);
    /* an element that both touch exists: no dimension is empty */
    const struct container *c = graph_cont(t->g, a->memlet->cont);
    for (uint32_t d = 0; d < c->rank; d++)
        sym_facts_nonneg(t->facts, sym_sub(t->syms, c->dims[d], sym_const(t->syms, 1)));
    return p;
}

/* Whether X or one around it has no iteration. */
static bool never_runs(struct test *t, const struct around *x) {
    for (; x; x = x->out)
        if (sym_prove_le(t->facts, x->index.hi, x->index.lo))
            return true;
    return false;
}

/* Whether nothing is touched: the container is empty, or a range that A or B stands in. Said by
   itself, since from what cannot be the equations show now one thing and now another. */
static bool touch_nothing(struct test *t, const struct access *a, const struct access *b) {
    const struct container *c = graph_cont(t->g, a->memlet->cont);
    for (uint32_t d = 0; d < c->rank; d++)
        if (sym_prove_le(t->facts, c->dims[d], sym_const(t->syms, 0)))
            return true;
    for (uint32_t i = 0; i < t->n; i++)
        if (sym_prove_le(t->facts, t->index[i].hi, t->index[i].lo))
            return true;
    return never_runs(t, a->around) || never_runs(t, b->around);
}

/* A in the first iteration never meets B in a later one. */
static bool never_meet(struct test *t, const struct access *a, const struct access *b) {
    uint32_t mark = sym_facts_mark(t->facts), rank = a->memlet->rank;
    if (rank != b->memlet->rank)
        return false;
    if (touch_nothing(t, a, b))
        return true;
    struct primes p = set_up(t, a, b);
    t->budget = BUDGET;
    struct sym last = sym_sub(t->syms, t->index[t->k].hi, sym_const(t->syms, 1));
    if (proved_positive(t, sym_sub(t->syms, t->vars.at[t->k + 1].least, last))) {
        sym_facts_restore(t->facts, mark);
        return true; /* there is no later iteration */
    }
    struct sym *delta = ARENA_ARRAY(t->arena, struct sym, rank);
    for (uint32_t d = 0; d < rank; d++) {
        struct sym x = a->at[d], y = b->at[d];
        delta[d] = recombine(t->syms, sym_sub(t->syms, second(t, &p, y), x));
    }
    t->budget = BUDGET;
    bool impossible = equations_impossible(t, rank, delta);
    sym_facts_restore(t->facts, mark);
    return impossible;
}

static enum race pair_race(struct test *t, const struct access *a, const struct access *b) {
    if (never_meet(t, a, b) && (a == b || never_meet(t, b, a)))
        return RACE_FREE;
    if (conflict_exists(t, a, b) || (a != b && conflict_exists(t, b, a)))
        return RACE_CERTAIN;
    return RACE_UNKNOWN;
}

static bool order_shows(const struct graph *g, const struct memlet *m) {
    return (m->resolution == RES_SUM || m->resolution == RES_PROD) &&
           dtype_is_float(graph_cont(g, m->cont)->dtype);
}

static bool matters(const struct test *t, const struct access *a, const struct access *b,
                    enum conflict what) {
    if (a->memlet->cont.i != b->memlet->cont.i || t->accesses.local[a->memlet->cont.i])
        return false;
    if (!a->write && !b->write)
        return false;
    bool same = a->write && b->write && a->memlet->resolution != RES_NONE &&
                a->memlet->resolution == b->memlet->resolution;
    if (what == CONFLICT_ORDERED)
        return same && order_shows(t->g, a->memlet);
    return what == CONFLICT_ANY || same == (what == CONFLICT_RESOLVED);
}

static enum race all_pairs(struct test *t, enum conflict what, struct race_pair *pair) {
    enum race worst = RACE_FREE;
    for (uint32_t i = 0; i < t->accesses.at.n; i++)
        for (uint32_t j = i; j < t->accesses.at.n; j++) {
            const struct access *a = &t->accesses.at.at[i], *b = &t->accesses.at.at[j];
            if (!matters(t, a, b, what))
                continue;
            enum race r = pair_race(t, a, b);
            if (r == RACE_FREE)
                continue;
            if (pair && (worst == RACE_FREE || r == RACE_CERTAIN))
                *pair = (struct race_pair){a->memlet->cont, a->node, b->node, t->k};
            worst = r;
            if (r == RACE_CERTAIN)
                return r;
        }
    return worst;
}

static struct test test_new(const struct graph *g, const struct node *node, struct sym_facts *f) {
    struct test t = {.arena = arena_under(g->arena), .g = g, .syms = g->syms, .facts = f};
    bool map = node->kind == NODE_MAP;
    t.n = map ? node->map.n : 1;
    t.index = map ? node->map.index : &node->loop.index;
    accesses_of(t.arena, g, map ? &node->map.body : &node->loop.body, &t.accesses);
    return t;
}

enum race index_race(const struct graph *g, const struct node *node, uint32_t k,
                     struct sym_facts *f, enum conflict what, struct race_pair *pair) {
    struct test t = test_new(g, node, f);
    t.k = k;
    enum race r = all_pairs(&t, what, pair);
    arena_free(t.arena);
    return r;
}

enum race node_race(const struct graph *g, const struct node *node, struct sym_facts *f,
                    enum conflict what, struct race_pair *pair) {
    struct test t = test_new(g, node, f);
    enum race worst = RACE_FREE;
    for (t.k = 0; t.k < t.n && worst != RACE_CERTAIN; t.k++) {
        struct race_pair here;
        enum race r = all_pairs(&t, what, &here);
        if (pair && r != RACE_FREE && (worst == RACE_FREE || r == RACE_CERTAIN))
            *pair = here;
        if (r != RACE_FREE)
            worst = r;
    }
    arena_free(t.arena);
    return worst;
}
