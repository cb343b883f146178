/* A form that decides equations of quotients and remainders by constants.
   Remainders become x - d*(x//d); (x//m + r)//d becomes (x + m*r)//(m*d); the coefficients of a
   dividend become 0 .. d-1. Before: any expression. After: one with the same value, often larger:
   it is compared and thrown away. Minima, maxima and other divisors stay as they are. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_proof.h"

/* a = d*quotient + rest with all coefficients of REST in 0 .. d-1. */
static void reduce(struct sym_ctx *c, struct sym a, int64_t d, struct sym *quotient,
                   struct sym *rest) {
    const struct poly *p = sym_poly(c, a);
    struct term q[SYM_MAX_TERMS], r[SYM_MAX_TERMS];
    uint32_t nq = 0, nr = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        q[nq].mono = r[nr].mono = p->at[k].mono;
        sym_i64_floordiv(p->at[k].coef, d, &q[nq].coef);
        r[nr].coef = sym_i64_mod(p->at[k].coef, d);
        nq += q[nq].coef != 0;
        nr += r[nr].coef != 0;
    }
    *quotient = sym_poly_of(c, q, nq);
    *rest = sym_poly_of(c, r, nr);
}

/* (x//m + r)//d as (x + m*r)//(m*d), for the first such x//m; false if there is none. */
static bool merge_quotient(struct sym_ctx *c, struct sym *a, int64_t *d) {
    const struct poly *p = sym_poly(c, *a);
    int64_t m, product;
    for (uint32_t k = 0; k < p->n; k++) {
        const struct factor *f = sym_mono_factor(c, p->at[k].mono);
        if (p->at[k].coef != 1 || !f || f->kind != F_FLOORDIV || !sym_is_const(c, f->b, &m) ||
            m <= 0 || __builtin_mul_overflow(m, *d, &product) || product > INT64_C(1) << 40)
            continue;
        *a = sym_combine(c, 1, f->a, m, sym_sub(c, *a, f->self));
        *d = product;
        return true;
    }
    return false;
}

static struct sym floordiv(struct sym_ctx *c, struct sym a, int64_t d) {
    struct sym quotient, rest, sum = sym_const(c, 0);
    for (int round = 0; round < 8; round++) {
        reduce(c, a, d, &quotient, &rest);
        sum = sym_add(c, sum, quotient);
        a = rest;
        if (!merge_quotient(c, &a, &d))
            break;
    }
    return sym_add(c, sum, sym_floordiv(c, a, sym_const(c, d)));
}

static struct sym factor(struct sym_ctx *c, const struct factor *f) {
    int64_t d;
    if (f->kind == F_ATOM)
        return f->self;
    struct sym a = sym_expand(c, f->a), b = sym_expand(c, f->b);
    bool constant = sym_is_const(c, b, &d) && d > 0;
    if (f->kind == F_FLOORDIV && constant)
        return floordiv(c, a, d);
    if (f->kind == F_MOD && constant)
        return sym_combine(c, 1, a, -d, floordiv(c, a, d));
    return sym_rebuild(c, f->kind, a, b);
}

struct sym sym_expand(struct sym_ctx *c, struct sym a) {
    const struct poly *p = sym_poly(c, a);
    struct sym sum = sym_const(c, 0);
    for (uint32_t k = 0; k < p->n; k++) {
        const struct mono *m = sym_mono(c, p->at[k].mono);
        struct sym t = sym_const(c, p->at[k].coef);
        for (uint32_t i = 0; i < m->n; i++) {
            struct sym f = factor(c, sym_factor(c, m->at[i].factor));
            for (uint32_t q = 0; q < m->at[i].power; q++)
                t = sym_mul(c, t, f);
        }
        sum = sym_add(c, sum, t);
    }
    return sum;
}
