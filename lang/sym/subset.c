/* Subset algebra over half-open strided ranges.
   Before: steps are positive; ranges may be empty. After: what is answered with true is proved for
   all values that satisfy the facts; a box that is given out holds all elements of what it was made
   from, and is as small as the facts allow to show. Where an answer need only hold if a subset has
   elements, that it has some is pushed as a fact for the question. */
#include "lang/sym/subset.h"
#include "lang/sym/sym_proof.h"

static struct sym one(struct sym_ctx *c) {
    return sym_const(c, 1);
}

static bool is_one(const struct sym_ctx *c, struct sym a) {
    int64_t v;
    return sym_is_const(c, a, &v) && v == 1;
}

static struct sym extent(struct sym_ctx *c, struct range r) {
    return sym_sub(c, r.end, r.begin);
}

/* At most one element whatever the atoms are: an index. */
static bool is_index(struct sym_ctx *c, struct range r) {
    return sym_range(c, extent(c, r)).hi <= 1;
}

/* (end - begin - 1) // step: the number of the last element, from 0; less if there is none. */
static struct sym last_number(struct sym_facts *f, struct range r) {
    struct sym_ctx *c = f->ctx;
    struct sym x = sym_sub(c, extent(c, r), one(c));
    return is_one(c, r.step) ? x : sym_simplify(f, sym_floordiv(c, x, r.step));
}

static struct sym last_element(struct sym_facts *f, struct range r) {
    return sym_add(f->ctx, r.begin, sym_mul(f->ctx, r.step, last_number(f, r)));
}

struct sym subset_volume(struct sym_ctx *c, const struct subset *s) {
    struct sym v = one(c);
    for (uint32_t k = 0; k < s->rank; k++) {
        struct range r = s->dims[k];
        struct sym n = extent(c, r);
        if (sym_range(c, n).hi <= 0)
            return sym_const(c, 0);
        if (!is_one(c, r.step))
            n = sym_floordiv(c, sym_add(c, n, sym_sub(c, r.step, one(c))), r.step);
        v = sym_mul(c, v, n);
    }
    return v;
}

static bool is_empty(struct sym_facts *f, const struct subset *s) {
    for (uint32_t k = 0; k < s->rank; k++)
        if (sym_prove_le(f, s->dims[k].end, s->dims[k].begin))
            return true;
    return false;
}

static void assume_nonempty(struct sym_facts *f, const struct subset *s) {
    for (uint32_t k = 0; k < s->rank; k++) {
        struct sym more = sym_sub(f->ctx, extent(f->ctx, s->dims[k]), one(f->ctx));
        if (sym_facts_range(f, more).lo < 0)
            sym_facts_nonneg(f, more);
    }
}

/* ---- Projection ---- */

/* Values that an atom takes: FIRST, ... LAST. */
struct iteration {
    struct name n;
    const struct factor *atom;
    struct sym first, last;
};

/* The only term k*min, k*max or k*(x % d) of A that contains the atom, with constants k and d > 0;
   NULL if there is none, or more than one. REST: the other terms. */
static const struct factor *choice(struct sym_ctx *c, struct sym a, struct name n, int64_t *k,
                                   struct sym *rest) {
    const struct poly *p = sym_poly(c, a);
    const struct factor *found = NULL;
    int64_t divisor;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct factor *x = sym_mono_factor(c, p->at[i].mono);
        if (!x || !sym_contains(c, x->self, n))
            continue;
        if (x->kind != F_MIN && x->kind != F_MAX &&
            !(x->kind == F_MOD && sym_is_const(c, x->b, &divisor) && divisor > 0))
            continue;
        if (found)
            return NULL;
        found = x;
        *k = p->at[i].coef;
    }
    if (found)
        *rest = sym_combine(c, 1, a, -1, sym_scale(c, *k, found->self));
    return found;
}

/* The LEAST (else greatest) value of A over the iteration, or a bound of it. */
static bool extreme(struct sym_facts *f, struct sym a, const struct iteration *it, bool least,
                    int depth, struct sym *out) {
    struct sym_ctx *c = f->ctx;
    struct sym factor, rest, x, y;
    int64_t k;
    int d = sym_contains(c, a, it->n) ? sym_direction(f, a, it->atom) : 0;
    if (d == SYM_EITHER && sym_linear(c, a, it->n, &factor, &rest)) {
        if (sym_prove_nonneg(f, factor))
            d = SYM_GROWS;
        else if (sym_prove_nonneg(f, sym_neg(c, factor)))
            d = SYM_FALLS;
    }
    if (d != SYM_EITHER) {
        struct sym to = (d == SYM_GROWS) == least ? it->first : it->last;
        *out = d == 0 ? a : sym_subst(c, a, 1, &it->n, &to);
        return true;
    }
    const struct factor *m = choice(c, a, it->n, &k, &rest);
    if (m && m->kind == F_MOD) { /* by a positive constant: 0 .. divisor - 1 */
        struct sym end = (k > 0) == least ? sym_const(c, 0) : sym_sub(c, m->b, one(c));
        return extreme(f, sym_combine(c, 1, rest, k, end), it, least, depth - 1, out);
    }
    if (!m || depth <= 0 ||
        !extreme(f, sym_combine(c, 1, rest, k, m->a), it, least, depth - 1, &x) ||
        !extreme(f, sym_combine(c, 1, rest, k, m->b), it, least, depth - 1, &y))
        return false;
    *out = (m->kind == F_MIN) == (k > 0) ? sym_min(c, x, y) : sym_max(c, x, y);
    return true;
}

/* The step of the union of range R over the iteration with step OVER. */
static struct sym projected_step(struct sym_facts *f, struct range r, struct name n,
                                 struct sym over) {
    struct sym_ctx *c = f->ctx;
    struct sym factor, rest;
    int64_t by, step;
    if (sym_contains(c, r.step, n) || sym_contains(c, extent(c, r), n) ||
        !sym_linear(c, r.begin, n, &factor, &rest))
        return one(c);
    struct sym move = sym_mul(c, factor, over);
    if (sym_is_const(c, move, &by) && by != INT64_MIN) {
        by = by < 0 ? -by : by;
        if (by == 0)
            return r.step;
        if (is_index(c, r))
            return sym_const(c, by);
        return sym_const(c, sym_is_const(c, r.step, &step) ? sym_i64_gcd(step, by) : 1);
    }
    if (!is_index(c, r) && !sym_eq(r.step, move) && !sym_eq(r.step, sym_neg(c, move)))
        return one(c);
    if (sym_prove_lt(f, sym_const(c, 0), move))
        return move;
    move = sym_neg(c, move);
    return sym_prove_lt(f, sym_const(c, 0), move) ? move : one(c);
}

/* R with its end right behind its last element, where the number of elements is a constant. */
static struct range trimmed(struct sym_facts *f, struct range r) {
    struct sym n = last_number(f, r);
    int64_t v;
    if (sym_is_const(f->ctx, n, &v) && v >= 0)
        r.end = sym_add(f->ctx, last_element(f, r), one(f->ctx));
    return r;
}

static struct subset subset_new(struct arena *a, uint32_t rank) {
    return (struct subset){rank, ARENA_ARRAY(a, struct range, rank)};
}

bool subset_project(struct arena *a, struct sym_facts *f, const struct subset *s, struct name n,
                    struct range over, struct subset *out) {
    struct sym_ctx *c = f->ctx;
    struct sym atom = sym_atom(c, n);
    struct iteration it = {n, sym_lone_factor(c, atom), over.begin, last_element(f, over)};
    struct subset r = subset_new(a, s->rank);
    for (uint32_t k = 0; k < s->rank; k++) {
        struct range d = {sym_simplify(f, s->dims[k].begin), sym_simplify(f, s->dims[k].end),
                          s->dims[k].step};
        struct sym step = projected_step(f, d, n, over.step);
        if (!sym_eq(step, d.step))
            d = trimmed(f, d);
        if (!extreme(f, d.begin, &it, true, 4, &r.dims[k].begin) ||
            !extreme(f, d.end, &it, false, 4, &r.dims[k].end))
            return false;
        r.dims[k].step = step;
        r.dims[k].begin = sym_simplify(f, r.dims[k].begin);
        r.dims[k].end = sym_simplify(f, r.dims[k].end);
    }
    *out = r;
    return true;
}

/* ---- Relations ---- */

/* The step as a modulus: 0 for an index, whose elements are all the same; -1 if not constant. */
static int64_t modulus(struct sym_ctx *c, struct range r) {
    int64_t step;
    if (is_index(c, r))
        return 0;
    return sym_is_const(c, r.step, &step) && step > 0 ? step : -1;
}

/* The greatest g such that all elements of both are congruent modulo g, where BETWEEN is the
   difference of two of them; 0: they are one element. */
static int64_t common_step(int64_t a, int64_t b, struct residue between) {
    return sym_i64_gcd(sym_i64_gcd(sym_i64_gcd(a, b), between.m), between.r);
}

/* No element in common because of their residues. */
static bool interleaved(struct sym_facts *f, struct range a, struct range b) {
    int64_t x = modulus(f->ctx, a), y = modulus(f->ctx, b);
    if (x < 0 || y < 0)
        return false;
    struct residue d = sym_residue(f, sym_sub(f->ctx, a.begin, b.begin));
    int64_t g = sym_i64_gcd(sym_i64_gcd(x, y), d.m);
    return g == 0 ? d.r != 0 : d.r % g != 0;
}

/* All of A lies before B. */
static bool before(struct sym_facts *f, struct range a, struct range b) {
    return sym_prove_le(f, a.end, b.begin) ||
           (!is_one(f->ctx, a.step) && sym_prove_lt(f, last_element(f, a), b.begin));
}

bool subset_disjoint(struct sym_facts *f, const struct subset *a, const struct subset *b) {
    bool disjoint = false;
    uint32_t mark = sym_facts_mark(f);
    if (a->rank != b->rank)
        return false;
    if (is_empty(f, a) || is_empty(f, b))
        return true;
    assume_nonempty(f, a);
    assume_nonempty(f, b);
    for (uint32_t k = 0; k < a->rank && !disjoint; k++)
        disjoint = interleaved(f, a->dims[k], b->dims[k]) || before(f, a->dims[k], b->dims[k]) ||
                   before(f, b->dims[k], a->dims[k]);
    sym_facts_restore(f, mark);
    return disjoint;
}

static bool is_multiple(struct sym_facts *f, struct sym a, struct sym step) {
    int64_t v;
    if (sym_is_const(f->ctx, step, &v))
        return sym_prove_multiple(f, a, v);
    return sym_is_const(f->ctx, sym_simplify(f, sym_mod(f->ctx, a, step)), &v) && v == 0;
}

/* Every element of B is one of A, if B has any. */
static bool range_covers(struct sym_facts *f, struct range a, struct range b) {
    struct sym_ctx *c = f->ctx;
    if (!sym_prove_le(f, a.begin, b.begin))
        return false;
    if (!sym_prove_le(f, b.end, a.end) &&
        (is_one(c, b.step) || !sym_prove_lt(f, last_element(f, b), a.end)))
        return false;
    if (is_one(c, a.step) || is_index(c, a))
        return true;
    return is_multiple(f, sym_sub(c, b.begin, a.begin), a.step) &&
           (is_index(c, b) || is_multiple(f, b.step, a.step));
}

bool subset_covers(struct sym_facts *f, const struct subset *a, const struct subset *b) {
    bool covers = true;
    uint32_t mark = sym_facts_mark(f);
    if (a->rank != b->rank)
        return false;
    if (is_empty(f, b))
        return true;
    assume_nonempty(f, b);
    for (uint32_t k = 0; k < a->rank && covers; k++)
        covers = range_covers(f, a->dims[k], b->dims[k]);
    sym_facts_restore(f, mark);
    return covers;
}

bool subset_equal(struct sym_facts *f, const struct subset *a, const struct subset *b) {
    bool same = a->rank == b->rank;
    for (uint32_t k = 0; k < a->rank && same; k++)
        same = sym_eq(a->dims[k].begin, b->dims[k].begin) &&
               sym_eq(a->dims[k].end, b->dims[k].end) && sym_eq(a->dims[k].step, b->dims[k].step);
    return same || (subset_covers(f, a, b) && subset_covers(f, b, a));
}

/* ---- Union ---- */

/* The one of A and B that is proved to be the lesser (or greater) one. */
static bool pick(struct sym_facts *f, struct sym a, struct sym b, bool lesser, struct sym *out) {
    bool ab = sym_prove_le(f, a, b);
    if (!ab && !sym_prove_le(f, b, a))
        return false;
    *out = ab == lesser ? a : b;
    return true;
}

static struct sym union_step(struct sym_facts *f, struct range a, struct range b) {
    struct sym_ctx *c = f->ctx;
    struct sym between = sym_sub(c, a.begin, b.begin);
    int64_t x = modulus(c, a), y = modulus(c, b);
    if (x >= 0 && y >= 0) {
        int64_t g = common_step(x, y, sym_residue(f, between));
        return g > 0 ? sym_const(c, g) : one(c);
    }
    if (x > 0 || y > 0 || (x < 0 && y < 0 && !sym_eq(a.step, b.step)))
        return one(c);
    struct sym step = x < 0 ? a.step : b.step;
    return is_multiple(f, between, step) ? step : one(c);
}

bool subset_union(struct arena *a, struct sym_facts *f, const struct subset *x,
                  const struct subset *y, struct subset *out) {
    if (x->rank != y->rank)
        return false;
    struct subset r = subset_new(a, x->rank);
    const struct subset *only = is_empty(f, x) ? y : is_empty(f, y) ? x : NULL;
    for (uint32_t k = 0; k < x->rank; k++) {
        struct range p = x->dims[k], q = y->dims[k];
        if (only) {
            r.dims[k] = only->dims[k];
            continue;
        }
        struct sym step = r.dims[k].step = union_step(f, p, q);
        p = sym_eq(step, p.step) ? p : trimmed(f, p);
        q = sym_eq(step, q.step) ? q : trimmed(f, q);
        if (!pick(f, p.begin, q.begin, true, &r.dims[k].begin) ||
            !pick(f, p.end, q.end, false, &r.dims[k].end))
            return false;
    }
    *out = r;
    return true;
}
