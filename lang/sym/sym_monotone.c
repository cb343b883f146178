/* Directions: how an expression changes when one factor in it grows.
   Before: any facts, of which only constant intervals are used. After: SYM_GROWS means that it
   never falls, SYM_FALLS that it never grows, 0 that the factor does not occur, SYM_EITHER that
   nothing is known. Other factors are taken to keep their values: also those that share atoms with
   the factor, so the answer is about replacing the factor by another expression. That expression
   may leave the interval that the facts give the factor, so what contains the factor itself counts
   with what holds for all values of its atoms: x*x is not said to grow, though 0 <= x. */
#include "lang/sym/sym_proof.h"

static int flip(int d) {
    return d == SYM_GROWS ? SYM_FALLS : d == SYM_FALLS ? SYM_GROWS : d;
}

static bool may_contain(uint64_t atoms, const struct factor *x) {
    return (atoms & x->atoms) == x->atoms;
}

static int of_factor(struct sym_facts *f, const struct factor *y, const struct factor *x);

static struct interval range_beside(struct sym_facts *f, struct sym a, const struct factor *x) {
    if (!may_contain(sym_poly(f->ctx, a)->atoms, x))
        return sym_facts_range(f, a);
    return x->kind == F_ATOM ? sym_range(f->ctx, a) : (struct interval){INT64_MIN, INT64_MAX};
}

/* 1: never negative, -1: never positive, 0: unknown, while X takes any value. */
static int sign_of(struct sym_facts *f, const struct factor *y, const struct factor *x) {
    struct interval r = range_beside(f, y->self, x);
    return r.lo >= 0 ? 1 : r.hi <= 0 ? -1 : 0;
}

/* The product rule: each occurrence moves the product by the sign of all the others. */
static int of_term(struct sym_facts *f, struct term t, const struct factor *x) {
    const struct mono *m = sym_mono(f->ctx, t.mono);
    int all = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct factor *y = sym_factor(f->ctx, m->at[i].factor);
        int d = may_contain(y->atoms, x) ? of_factor(f, y, x) : 0;
        if (d == 0)
            continue;
        int sign = t.coef > 0 ? 1 : -1;
        for (uint32_t k = 0; k < m->n && sign; k++) {
            uint32_t others = m->at[k].power - (k == i);
            if (others == 0)
                continue;
            int s = sign_of(f, sym_factor(f->ctx, m->at[k].factor), x);
            sign *= others % 2 || s == 0 ? s : 1;
        }
        all |= sign > 0 ? d : sign < 0 ? flip(d) : SYM_EITHER;
    }
    return all;
}

static int of_factor(struct sym_facts *f, const struct factor *y, const struct factor *x) {
    f->ctx->steps++;
    if (y == x)
        return SYM_GROWS;
    if (y->kind == F_ATOM)
        return 0;
    int a = sym_direction(f, y->a, x), b = sym_direction(f, y->b, x);
    if (a == 0 && b == 0)
        return 0;
    struct interval divisor, dividend;
    switch (y->kind) {
    case F_MIN:
    case F_MAX:
    case F_ADD: return a | b;
    case F_FLOORDIV: /* a fixed divisor of at least 0; or a growing positive one */
        divisor = range_beside(f, y->b, x);
        dividend = range_beside(f, y->a, x);
        if (b == 0)
            return divisor.lo >= 0 ? a : divisor.hi <= 0 ? flip(a) : SYM_EITHER;
        return divisor.lo > 0 && dividend.lo >= 0 ? a | flip(b) : SYM_EITHER;
    case F_ATOM:
    case F_MOD:
    case F_MUL: break;
    }
    return SYM_EITHER;
}

int sym_direction(struct sym_facts *f, struct sym a, const struct factor *x) {
    const struct poly *p = sym_poly(f->ctx, a);
    int all = 0;
    if (!may_contain(p->atoms, x))
        return 0;
    for (uint32_t k = 0; k < p->n && all != SYM_EITHER; k++)
        if (may_contain(sym_mono(f->ctx, p->at[k].mono)->atoms, x))
            all |= of_term(f, p->at[k], x);
    return all;
}
