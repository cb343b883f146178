/* Constant intervals of expressions that hold whatever the atoms are: x % 4 is in 0 .. 3.
   Used while expressions are built, so that min(x % 4, 10) is x % 4 and (x % 4)//4 is 0.
   Before: factors carry their own range. After: sound intervals; INT64_MIN and INT64_MAX mean
   unbounded, also where a bound would overflow. */
#include "lang/sym/sym_node.h"

static const struct interval everything = {INT64_MIN, INT64_MAX};

static bool unbounded(int64_t v) {
    return v == INT64_MIN || v == INT64_MAX;
}

/* Of two ends; 0 times unbounded is 0. */
static int64_t end_product(int64_t a, int64_t b) {
    int64_t r;
    if (a == 0 || b == 0)
        return 0;
    if (unbounded(a) || unbounded(b) || __builtin_mul_overflow(a, b, &r))
        return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    return r;
}

static struct interval interval_product(struct interval x, struct interval y) {
    int64_t p[4] = {end_product(x.lo, y.lo), end_product(x.lo, y.hi), end_product(x.hi, y.lo),
                    end_product(x.hi, y.hi)};
    struct interval r = {p[0], p[0]};
    for (int k = 1; k < 4; k++) {
        r.lo = p[k] < r.lo ? p[k] : r.lo;
        r.hi = p[k] > r.hi ? p[k] : r.hi;
    }
    return r;
}

static struct interval interval_sum(struct interval x, struct interval y) {
    struct interval r;
    if (x.lo == INT64_MIN || y.lo == INT64_MIN || __builtin_add_overflow(x.lo, y.lo, &r.lo))
        r.lo = INT64_MIN;
    if (x.hi == INT64_MAX || y.hi == INT64_MAX || __builtin_add_overflow(x.hi, y.hi, &r.hi))
        r.hi = INT64_MAX;
    /* An end that overflowed in the other direction says nothing either. */
    r.lo = r.lo == INT64_MAX ? INT64_MIN : r.lo;
    r.hi = r.hi == INT64_MIN ? INT64_MAX : r.hi;
    return r;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b) {
    return a > b ? a : b;
}

struct interval sym_interval_meet(struct interval x, struct interval y) {
    return (struct interval){greatest(x.lo, y.lo), least(x.hi, y.hi)};
}

static struct interval mod_range(struct interval a, struct interval b) {
    if (b.lo < 0)
        return everything;
    struct interval r = {0, b.hi == INT64_MAX ? b.hi : greatest(b.hi - 1, 0)};
    if (a.lo >= 0)
        r.hi = least(r.hi, a.hi);
    /* both ends fall into one period of a constant divisor */
    if (b.lo == b.hi && b.lo > 0 && !unbounded(a.lo) && !unbounded(a.hi)) {
        int64_t lo, hi;
        sym_i64_floordiv(a.lo, b.lo, &lo);
        sym_i64_floordiv(a.hi, b.lo, &hi);
        if (lo == hi)
            return (struct interval){sym_i64_mod(a.lo, b.lo), sym_i64_mod(a.hi, b.lo)};
    }
    return r;
}

/* By divisors of at least 0; where the divisor is 0 the quotient is. */
static struct interval floordiv_range(struct interval a, struct interval b) {
    struct interval r = everything;
    if (b.lo < 0)
        return everything;
    int64_t least_divisor = greatest(b.lo, 1);
    if (a.lo != INT64_MIN)
        sym_i64_floordiv(a.lo, a.lo < 0 ? least_divisor : greatest(b.hi, 1), &r.lo);
    if (a.hi != INT64_MAX)
        sym_i64_floordiv(a.hi, a.hi < 0 ? greatest(b.hi, 1) : least_divisor, &r.hi);
    if (b.lo == 0) {
        r.lo = least(r.lo, 0);
        r.hi = greatest(r.hi, 0);
    }
    return r;
}

struct interval sym_kind_range(enum factor_kind kind, struct interval a, struct interval b) {
    switch (kind) {
    case F_ATOM: break;
    case F_MUL: return interval_product(a, b);
    case F_ADD: return interval_sum(a, b);
    case F_FLOORDIV: return floordiv_range(a, b);
    case F_MOD: return mod_range(a, b);
    case F_MIN: return (struct interval){least(a.lo, b.lo), least(a.hi, b.hi)};
    case F_MAX: return (struct interval){greatest(a.lo, b.lo), greatest(a.hi, b.hi)};
    }
    return everything;
}

/* Where the ranges of atoms come from; NULL: nothing is known of them. */
struct source {
    struct interval (*atom)(void *, struct name);
    void *data;
};

static struct interval range_in(const struct sym_ctx *c, const struct source *s, struct sym a);

static struct interval factor_range(const struct sym_ctx *c, const struct source *s,
                                    const struct factor *f) {
    if (!s)
        return f->range;
    if (f->kind == F_ATOM)
        return s->atom(s->data, f->name);
    struct interval r = sym_kind_range(f->kind, range_in(c, s, f->a), range_in(c, s, f->b));
    return sym_interval_meet(f->range, r);
}

static struct interval term_range(const struct sym_ctx *c, const struct source *s, int64_t coef,
                                  uint32_t mono) {
    const struct mono *m = sym_mono(c, mono);
    struct interval r = {coef, coef};
    if (unbounded(coef))
        return everything;
    for (uint32_t k = 0; k < m->n; k++) {
        struct interval f = factor_range(c, s, sym_factor(c, m->at[k].factor)), square;
        uint32_t p = m->at[k].power;
        if (p > 1) {
            square = interval_product(f, f);
            square.lo = square.lo < 0 ? 0 : square.lo;
            for (uint32_t q = 0; q < p / 2; q++)
                r = interval_product(r, square);
        }
        if (p % 2)
            r = interval_product(r, f);
    }
    return r;
}

static struct interval range_in(const struct sym_ctx *c, const struct source *s, struct sym a) {
    struct interval r = {0, 0};
    if (sym_none(a))
        return everything;
    const struct poly *p = sym_poly(c, a);
    for (uint32_t k = 0; k < p->n; k++)
        r = interval_sum(r, term_range(c, s, p->at[k].coef, p->at[k].mono));
    return r;
}

struct interval sym_range(const struct sym_ctx *c, struct sym a) {
    return range_in(c, NULL, a);
}

struct interval sym_range_of(struct sym_ctx *c, struct sym a,
                             struct interval (*atom)(void *, struct name), void *data) {
    struct source s = {atom, data};
    c->steps += sym_poly(c, a)->size;
    return range_in(c, &s, a);
}

struct interval sym_range_difference(struct sym_ctx *c, struct sym a, struct sym b) {
    const struct poly *p = sym_poly(c, a), *q = sym_poly(c, b);
    struct interval r = {0, 0};
    uint32_t i = 0, j = 0;
    while (i < p->n || j < q->n) {
        c->steps++;
        int o = i == p->n ? 1 : j == q->n ? -1 : sym_mono_compare(c, p->at[i].mono, q->at[j].mono);
        uint32_t mono = o <= 0 ? p->at[i].mono : q->at[j].mono;
        int64_t x = o <= 0 ? p->at[i++].coef : 0, y = o >= 0 ? q->at[j++].coef : 0, d;
        if (__builtin_sub_overflow(x, y, &d))
            return everything;
        r = interval_sum(r, term_range(c, NULL, d, mono));
    }
    return r;
}
