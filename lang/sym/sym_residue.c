/* Congruences: what an expression is modulo a constant, from its form and the step facts.
   Sums, products, quotients and remainders of what is known to be R modulo M (Granger 1989,
   "Static analysis of arithmetical congruences"). Before: any facts. After: sound; a modulus that
   would overflow is forgotten (M = 1). */
#include "lang/sym/sym_proof.h"

static const struct residue unknown = {1, 0};

/* r modulo m, or the constant r for m = 0. */
static struct residue residue(int64_t m, int64_t r) {
    if (m == INT64_MIN || r == INT64_MIN)
        return unknown;
    m = m < 0 ? -m : m;
    return (struct residue){m, m == 0 ? r : sym_i64_mod(r, m)};
}

static struct residue sum(struct residue x, struct residue y) {
    int64_t r;
    if (__builtin_add_overflow(x.r, y.r, &r))
        return unknown;
    return residue(sym_i64_gcd(x.m, y.m), r);
}

static struct residue product(struct residue x, struct residue y) {
    int64_t mm, mr, rm, rr;
    if (__builtin_mul_overflow(x.m, y.m, &mm) || __builtin_mul_overflow(x.m, y.r, &mr) ||
        __builtin_mul_overflow(x.r, y.m, &rm) || __builtin_mul_overflow(x.r, y.r, &rr))
        return unknown;
    return residue(sym_i64_gcd(sym_i64_gcd(mm, mr), rm), rr);
}

/* Of one of the two. */
static struct residue either(struct residue x, struct residue y) {
    int64_t d;
    if (__builtin_sub_overflow(x.r, y.r, &d))
        return unknown;
    return residue(sym_i64_gcd(sym_i64_gcd(x.m, y.m), d), x.r);
}

static struct residue of(struct sym_facts *f, struct sym a, int depth);

static struct residue of_atom(struct sym_facts *f, struct name n, int depth) {
    struct residue best = unknown;
    const struct fact *e = sym_fact_of(f, n);
    if (e && e->range.lo == e->range.hi && e->range.lo != INT64_MIN && e->range.lo != INT64_MAX)
        return residue(0, e->range.lo);
    for (; e && depth > 0; e = sym_fact_former(f, e)) {
        struct residue r = unknown;
        f->ctx->steps++;
        if (e->kind == FACT_STEP) { /* lo + step * anything */
            r = sum(of(f, e->lo, depth - 1), product(of(f, e->step, depth - 1), unknown));
        } else if (!sym_none(e->lo) && !sym_none(e->hi) && sym_eq(e->lo, e->hi)) {
            r = of(f, e->lo, depth - 1);
        }
        if (best.m != 0 && (r.m == 0 || r.m > best.m))
            best = r;
    }
    return best;
}

static struct residue of_factor(struct sym_facts *f, const struct factor *x, int depth) {
    if (x->kind == F_ATOM)
        return of_atom(f, x->name, depth);
    struct residue a = of(f, x->a, depth), b = of(f, x->b, depth), r = unknown;
    switch (x->kind) {
    case F_ATOM: break;
    case F_MUL: return product(a, b);
    case F_ADD: return sum(a, b);
    case F_MIN:
    case F_MAX: return either(a, b);
    case F_FLOORDIV: /* a = d*(m/d)*k + r */
        if (b.m == 0 && b.r > 0 && a.m % b.r == 0) {
            sym_i64_floordiv(a.r, b.r, &r.r);
            return residue(a.m / b.r, r.r);
        }
        break;
    case F_MOD: /* a - d * anything; where d divides m the remainder is known */
        if (b.m == 0 && b.r > 0) {
            if (a.m % b.r == 0)
                return residue(0, sym_i64_mod(a.r, b.r));
            return residue(sym_i64_gcd(a.m, b.r), a.r);
        }
        break;
    }
    return unknown;
}

static struct residue of(struct sym_facts *f, struct sym a, int depth) {
    const struct poly *p = sym_poly(f->ctx, a);
    struct residue s = {0, 0};
    for (uint32_t k = 0; k < p->n && s.m != 1; k++) {
        const struct mono *m = sym_mono(f->ctx, p->at[k].mono);
        struct residue t = residue(0, p->at[k].coef);
        f->ctx->steps++;
        for (uint32_t i = 0; i < m->n; i++) {
            struct residue x = of_factor(f, sym_factor(f->ctx, m->at[i].factor), depth);
            for (uint32_t q = 0; q < m->at[i].power; q++)
                t = product(t, x);
        }
        s = sum(s, t);
    }
    return s;
}

struct residue sym_residue(struct sym_facts *f, struct sym a) {
    return of(f, a, 4);
}

bool sym_prove_multiple(struct sym_facts *f, struct sym a, int64_t m) {
    struct residue r = sym_residue(f, a);
    if (m == 0 || m == INT64_MIN)
        return r.m == 0 && r.r == 0;
    return r.m % m == 0 && r.r % m == 0;
}
