/* Floor division and remainder in canonical form.
   Before: any operands. After: by a constant d > 0, what is a multiple of d has left the dividend
   (coefficients are below d in absolute value, keeping their sign; the constant is in 0 .. d-1),
   and the common divisor of d and the coefficients is divided out; so d*(x//d) and x % d are built
   over the same x. By anything else, only what holds for divisor 0 too is done: N//N stays, since
   0//0 is 0 (sym_simplify knows more). */
#include "lang/sym/sym.h"
#include "lang/sym/sym_node.h"

bool sym_i64_floordiv(int64_t a, int64_t b, int64_t *q) {
    if (b == -1)
        return !__builtin_sub_overflow(0, a, q);
    *q = a / b;
    if (a % b != 0 && (a < 0) != (b < 0))
        --*q;
    return true;
}

int64_t sym_i64_mod(int64_t a, int64_t b) {
    if (b == -1)
        return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

int64_t sym_i64_gcd(int64_t a, int64_t b) {
    if (a == INT64_MIN || b == INT64_MIN)
        return 1;
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

int64_t sym_content(const struct sym_ctx *c, struct sym a, int64_t g, bool all) {
    const struct poly *p = sym_poly(c, a);
    for (uint32_t k = 0; k < p->n && g != 1; k++)
        if (all || p->at[k].mono != SYM_UNIT)
            g = sym_i64_gcd(g, p->at[k].coef);
    return g;
}

struct sym sym_divide_coefficients(struct sym_ctx *c, struct sym a, int64_t g) {
    const struct poly *p = sym_poly(c, a);
    struct term t[SYM_MAX_TERMS];
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        t[n].mono = p->at[k].mono;
        sym_i64_floordiv(p->at[k].coef, g, &t[n].coef);
        n += t[n].coef != 0;
    }
    return sym_poly_of(c, t, n);
}

/* a = d * quotient + rest: coefficients by truncation, the constant by floor. */
static void split(struct sym_ctx *c, struct sym a, int64_t d, struct sym *quotient,
                  struct sym *rest) {
    const struct poly *p = sym_poly(c, a);
    struct term q[SYM_MAX_TERMS], r[SYM_MAX_TERMS];
    uint32_t nq = 0, nr = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        int64_t x = p->at[k].coef;
        q[nq].mono = r[nr].mono = p->at[k].mono;
        q[nq].coef = x / d;
        r[nr].coef = x % d;
        if (p->at[k].mono == SYM_UNIT) {
            sym_i64_floordiv(x, d, &q[nq].coef);
            r[nr].coef = sym_i64_mod(x, d);
        }
        nq += q[nq].coef != 0;
        nr += r[nr].coef != 0;
    }
    *quotient = sym_poly_of(c, q, nq);
    *rest = sym_poly_of(c, r, nr);
}

/* If A is FACTOR + constant with a factor of kind KIND over a positive constant: that factor. */
static const struct factor *factor_and_constant(const struct sym_ctx *c, struct sym a,
                                                enum factor_kind kind, int64_t *by) {
    const struct poly *p = sym_poly(c, a);
    if (p->n == 0 || p->n > 2 || p->at[0].coef != 1 || (p->n == 2 && p->at[1].mono != SYM_UNIT))
        return NULL;
    const struct factor *f = sym_mono_factor(c, p->at[0].mono);
    return f && f->kind == kind && sym_is_const(c, f->b, by) && *by > 0 ? f : NULL;
}

static struct sym floordiv_const(struct sym_ctx *c, struct sym a, int64_t d) {
    struct sym exact, rest;
    if (d == 1)
        return a;
    split(c, a, d, &exact, &rest);
    int64_t g = sym_content(c, rest, d, false), m, product;
    if (g > 1) {
        rest = sym_divide_coefficients(c, rest, g);
        d /= g;
        if (d == 1)
            return sym_add(c, exact, rest);
    }
    int64_t k = sym_constant_part(c, rest);
    struct interval r = sym_range(c, rest);
    if (r.lo != INT64_MIN && r.hi != INT64_MAX) {
        int64_t lo, hi;
        if (sym_i64_floordiv(r.lo, d, &lo) && sym_i64_floordiv(r.hi, d, &hi) && lo == hi)
            return sym_add(c, exact, sym_const(c, lo));
    }
    /* (x//m + k)//d is (x + k*m)//(m*d). */
    const struct factor *f = factor_and_constant(c, rest, F_FLOORDIV, &m);
    int64_t shift;
    if (f && !__builtin_mul_overflow(m, d, &product) && !__builtin_mul_overflow(k, m, &shift))
        return sym_add(c, exact, floordiv_const(c, sym_add(c, f->a, sym_const(c, shift)), product));
    /* (x % m)//d is (x//d) % (m/d) where d divides m. */
    f = k == 0 ? factor_and_constant(c, rest, F_MOD, &m) : NULL;
    if (f && m % d == 0)
        return sym_add(c, exact,
                       sym_mod(c, sym_floordiv(c, f->a, sym_const(c, d)), sym_const(c, m / d)));
    return sym_add(c, exact, sym_factor_of(c, F_FLOORDIV, rest, sym_const(c, d)));
}

/* A with each k*(x % m) replaced by k*x where the divisor B divides k*m: the same modulo B. */
static struct sym without_inner_mods(struct sym_ctx *c, struct sym a, struct sym b) {
    const struct poly *p = sym_poly(c, a);
    int64_t d, m, km;
    bool constant = sym_is_const(c, b, &d);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct factor *f = sym_mono_factor(c, p->at[i].mono);
        if (!f || f->kind != F_MOD)
            continue;
        bool divides = sym_eq(f->b, b);
        if (constant && sym_is_const(c, f->b, &m))
            divides = !__builtin_mul_overflow(p->at[i].coef, m, &km) && km % d == 0;
        if (divides) {
            struct sym change = sym_sub(c, f->a, f->self);
            return without_inner_mods(c, sym_combine(c, 1, a, p->at[i].coef, change), b);
        }
    }
    return a;
}

static struct sym mod_const(struct sym_ctx *c, struct sym a, int64_t d) {
    struct sym exact, rest;
    if (d == 1)
        return sym_const(c, 0);
    a = without_inner_mods(c, a, sym_const(c, d));
    split(c, a, d, &exact, &rest);
    int64_t g = sym_content(c, rest, d, false);
    int64_t k = 0;
    if (g > 1) { /* (g*x + k) % (g*d) is g*(x % d) + k for 0 <= k < g */
        k = sym_i64_mod(sym_constant_part(c, rest), g);
        rest = sym_divide_coefficients(c, rest, g);
        d /= g;
    }
    struct interval r = sym_range(c, rest);
    struct sym result = d == 1 ? sym_const(c, 0)
                        : r.lo >= 0 && r.hi <= d - 1
                            ? rest
                            : sym_factor_of(c, F_MOD, rest, sym_const(c, d));
    return sym_combine(c, g, result, 1, sym_const(c, k));
}

/* Makes the first coefficient of the divisor positive and divides out what both share. Returns
   the factor by which a remainder must be multiplied: content, with the sign. */
static int64_t normalize_divisor(struct sym_ctx *c, struct sym *a, struct sym *b) {
    int64_t g = sym_content(c, *a, sym_content(c, *b, 0, true), true);
    int64_t sign = 1;
    if (sym_poly(c, *b)->at[0].coef < 0) {
        *a = sym_neg(c, *a);
        *b = sym_neg(c, *b);
        sign = -1;
    }
    if (g > 1) {
        *a = sym_divide_coefficients(c, *a, g);
        *b = sym_divide_coefficients(c, *b, g);
    } else {
        g = 1;
    }
    return sign * g;
}

struct sym sym_floordiv(struct sym_ctx *c, struct sym a, struct sym b) {
    int64_t d, x;
    if (sym_is_const(c, b, &d)) {
        if (d == 0)
            return b;
        if (sym_is_const(c, a, &x) && sym_i64_floordiv(x, d, &x))
            return sym_const(c, x);
        if (d == INT64_MIN)
            return sym_factor_of(c, F_FLOORDIV, a, b);
        if (d < 0)
            return floordiv_const(c, sym_neg(c, a), -d);
        return floordiv_const(c, a, d);
    }
    if (sym_is_const(c, a, &x) && x == 0)
        return a;
    normalize_divisor(c, &a, &b);
    return sym_factor_of(c, F_FLOORDIV, a, b);
}

/* A without the terms that are multiples of the single term B. */
static struct sym without_multiples(struct sym_ctx *c, struct sym a, struct sym b) {
    const struct poly *p = sym_poly(c, a), *q = sym_poly(c, b);
    struct term t[SYM_MAX_TERMS];
    uint32_t n = 0, quotient;
    if (q->n != 1)
        return a;
    for (uint32_t k = 0; k < p->n; k++)
        if (sym_i64_mod(p->at[k].coef, q->at[0].coef) != 0 ||
            !sym_mono_divide(c, p->at[k].mono, q->at[0].mono, &quotient))
            t[n++] = p->at[k];
    return sym_poly_of(c, t, n);
}

struct sym sym_mod(struct sym_ctx *c, struct sym a, struct sym b) {
    int64_t d, x;
    if (sym_is_const(c, b, &d)) {
        if (d == 0)
            return b;
        if (sym_is_const(c, a, &x))
            return sym_const(c, sym_i64_mod(x, d));
        if (d == INT64_MIN)
            return sym_factor_of(c, F_MOD, a, b);
        if (d < 0)
            return sym_neg(c, mod_const(c, sym_neg(c, a), -d));
        return mod_const(c, a, d);
    }
    a = without_multiples(c, without_inner_mods(c, a, b), b);
    if (sym_is_const(c, a, &x) && x == 0)
        return a;
    int64_t k = normalize_divisor(c, &a, &b);
    return sym_scale(c, k, sym_factor_of(c, F_MOD, a, b));
}
