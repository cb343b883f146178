/* The stack of facts about atoms, and the constant intervals that follow from it.
   Entries about the same atom add up: none replaces another. Names are expected to be unique among
   the scopes that are open. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_proof.h"

struct sym_facts *sym_facts_new(struct arena *a, struct sym_ctx *c) {
    struct sym_facts *f = ARENA_NEW(a, struct sym_facts);
    f->arena = a;
    f->ctx = c;
    f->newest = map_new(a);
    f->answers = map_new(a);
    return f;
}

uint32_t sym_facts_mark(const struct sym_facts *f) {
    return f->at.n;
}

void sym_facts_restore(struct sym_facts *f, uint32_t mark) {
    while (f->at.n > mark) {
        const struct fact *e = &f->at.at[--f->at.n];
        if (e->kind != FACT_NONNEG)
            map_put(&f->newest, e->atom.i, e->former);
    }
}

const struct fact *sym_fact_of(const struct sym_facts *f, struct name n) {
    uint64_t v;
    return map_get(&f->newest, n.i, &v) && v ? &f->at.at[v - 1] : NULL;
}

const struct fact *sym_fact_former(const struct sym_facts *f, const struct fact *e) {
    return e->former ? &f->at.at[e->former - 1] : NULL;
}

static struct interval atom_range(void *data, struct name n) {
    const struct fact *e = sym_fact_of(data, n);
    return e ? e->range : (struct interval){INT64_MIN, INT64_MAX};
}

struct interval sym_facts_range(struct sym_facts *f, struct sym a) {
    return sym_range_of(f->ctx, a, atom_range, f);
}

/* What follows from the bounds of E. */
static void set_bounds(struct sym_facts *f, struct fact *e) {
    struct sym atom = sym_atom(f->ctx, e->atom);
    struct interval all = {INT64_MIN, INT64_MAX};
    int n = 0;
    if (!sym_none(e->lo)) {
        e->nonneg[n++] = sym_sub(f->ctx, atom, e->lo);
        all.lo = sym_facts_range(f, e->lo).lo;
    }
    if (!sym_none(e->hi)) {
        e->nonneg[n++] = sym_sub(f->ctx, e->hi, atom);
        all.hi = sym_facts_range(f, e->hi).hi;
    }
    e->range = sym_interval_meet(e->range, all);
}

static void push(struct sym_facts *f, struct fact e) {
    e.stamp = ++f->stamps;
    if (e.kind != FACT_NONNEG) {
        const struct fact *former = sym_fact_of(f, e.atom);
        e.former = former ? (uint32_t)(former - f->at.at) + 1 : 0;
        e.rank = former ? former->rank : f->at.n;
        e.range = atom_range(f, e.atom);
        if (e.kind == FACT_BOUNDS)
            set_bounds(f, &e);
        map_put(&f->newest, e.atom.i, f->at.n + 1);
    }
    VEC_PUSH(f->arena, f->at, e);
}

void sym_facts_bounds(struct sym_facts *f, struct name n, struct sym lo, struct sym hi) {
    push(f, (struct fact){.kind = FACT_BOUNDS, .atom = n, .lo = lo, .hi = hi});
}

void sym_facts_step(struct sym_facts *f, struct name n, struct sym lo, struct sym step) {
    push(f, (struct fact){.kind = FACT_STEP, .atom = n, .lo = lo, .step = step});
}

/* Pushes c*x + k >= 0 as a bound of the atom x, so that its interval improves. */
static bool as_bounds(struct sym_facts *f, struct sym a) {
    const struct poly *p = sym_poly(f->ctx, a);
    if (p->n == 0 || p->n > 2 || (p->n == 2 && p->at[1].mono != SYM_UNIT))
        return false;
    const struct factor *x = sym_mono_factor(f->ctx, p->at[0].mono);
    int64_t k = sym_constant_part(f->ctx, a), at, c = p->at[0].coef;
    struct sym none = {0};
    if (!x || x->kind != F_ATOM || c == INT64_MIN)
        return false;
    /* c*x + k >= 0 */
    if (c > 0) {
        if (__builtin_sub_overflow(0, k, &k) || k == INT64_MIN)
            return false;
        sym_i64_floordiv(-k, c, &at); /* x >= ceil(k / c) */
        sym_facts_bounds(f, x->name, sym_const(f->ctx, -at), none);
    } else {
        sym_i64_floordiv(k, -c, &at);
        sym_facts_bounds(f, x->name, none, sym_const(f->ctx, at));
    }
    return true;
}

void sym_facts_nonneg(struct sym_facts *f, struct sym a) {
    if (!as_bounds(f, a))
        push(f, (struct fact){.kind = FACT_NONNEG, .nonneg = {a}});
}
