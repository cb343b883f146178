/* Divisions that facts decide, and sym_simplify.
   Before: any facts. After: an expression with the same value wherever the facts hold; min, max,
   // and % are gone where their outcome is proved, and d*(x//d) + x % d is x. One budget for the
   whole expression: what is not decided when it is used up stays. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_proof.h"

/* ---- Division ---- */

static bool search_le(struct proof *p, struct sym a, struct sym b, int depth) {
    return sym_search(p, sym_sub(p->ctx, b, a), depth);
}

/* If rest + k*d lies in 0 .. d-1 for k in -1, 0 or 1, moves that into QUOTIENT and REST. */
static bool settle(struct proof *p, struct sym d, int depth, struct sym *quotient,
                   struct sym *rest) {
    struct sym_ctx *c = p->ctx;
    struct sym one = sym_const(c, 1), zero = sym_const(c, 0);
    if (search_le(p, zero, *rest, depth)) {
        if (search_le(p, *rest, sym_sub(c, d, one), depth))
            return true;
        struct sym less = sym_sub(c, *rest, d);
        if (!search_le(p, zero, less, depth) || !search_le(p, less, sym_sub(c, d, one), depth))
            return false;
        *quotient = sym_add(c, *quotient, one);
        *rest = less;
        return true;
    }
    struct sym more = sym_add(c, *rest, d);
    if (!search_le(p, *rest, sym_const(c, -1), depth) || !search_le(p, zero, more, depth))
        return false;
    *quotient = sym_sub(c, *quotient, one);
    *rest = more;
    return true;
}

/* X = multiple + rest, where the terms in MULTIPLE are multiples of D under the facts. */
static void split_multiples(struct proof *p, struct sym x, int64_t d, struct sym *multiple,
                            struct sym *rest) {
    const struct poly *terms = sym_poly(p->ctx, x);
    struct term in[SYM_MAX_TERMS], out[SYM_MAX_TERMS];
    uint32_t nin = 0, nout = 0;
    for (uint32_t k = 0; k < terms->n; k++) {
        struct sym t = sym_poly_of(p->ctx, &terms->at[k], 1);
        if (terms->at[k].mono != SYM_UNIT && sym_prove_multiple(p->facts, t, d))
            in[nin++] = terms->at[k];
        else
            out[nout++] = terms->at[k];
    }
    *multiple = sym_poly_of(p->ctx, in, nin);
    *rest = sym_poly_of(p->ctx, out, nout);
}

static bool fold_by_constant(struct proof *p, struct sym x, int64_t d, int depth,
                             struct sym *quotient, struct sym *remainder) {
    struct sym_ctx *c = p->ctx;
    struct sym by = sym_const(c, d), multiple, rest, q;
    int64_t lo, hi, none;
    if (d <= 0)
        return false;
    split_multiples(p, x, d, &multiple, &rest);
    struct interval r = sym_facts_range(p->facts, rest);
    bool known = r.lo != INT64_MIN && r.hi != INT64_MAX && r.lo <= r.hi &&
                 sym_i64_floordiv(r.lo, d, &lo) && sym_i64_floordiv(r.hi, d, &hi) && lo == hi;
    if (known) {
        q = sym_const(c, lo);
        rest = sym_combine(c, 1, rest, -lo, by);
    } else {
        q = sym_const(c, 0);
        known = settle(p, by, depth - 3, &q, &rest);
        if (!known && sym_is_const(c, multiple, &none)) /* nothing is a multiple */
            return false;
    }
    *quotient = sym_add(c, sym_floordiv(c, multiple, by), known ? q : sym_floordiv(c, rest, by));
    *remainder = known ? rest : sym_mod(c, rest, by);
    return true;
}

/* Subtracts multiples of D from REST while a term of it is a multiple of the first term of D. */
static void divide_out(struct sym_ctx *c, struct sym d, struct sym *quotient, struct sym *rest) {
    struct term first = sym_poly(c, d)->at[0];
    for (int round = 0; round < 8; round++) {
        const struct poly *r = sym_poly(c, *rest);
        struct term t = {0, 0};
        for (uint32_t k = 0; k < r->n && t.coef == 0; k++)
            if (sym_i64_mod(r->at[k].coef, first.coef) != 0 ||
                !sym_mono_divide(c, r->at[k].mono, first.mono, &t.mono) ||
                !sym_i64_floordiv(r->at[k].coef, first.coef, &t.coef))
                t.coef = 0;
        if (t.coef == 0)
            return;
        struct sym q = sym_poly_of(c, &t, 1);
        *quotient = sym_add(c, *quotient, q);
        *rest = sym_sub(c, *rest, sym_mul(c, q, d));
    }
}

bool sym_fold_division(struct proof *p, struct sym x, struct sym d, int depth, struct sym *quotient,
                       struct sym *remainder) {
    struct sym_ctx *c = p->ctx;
    int64_t k, none;
    if (sym_is_const(c, d, &k))
        return fold_by_constant(p, x, k, depth, quotient, remainder);
    if (sym_facts_range(p->facts, d).lo <= 0 &&
        !search_le(p, sym_const(c, 1), d, depth - 3)) /* 0 // 0 is 0 */
        return false;
    struct sym q = sym_const(c, 0), rest = x;
    divide_out(c, d, &q, &rest);
    bool known = settle(p, d, depth - 3, &q, &rest);
    if (!known && sym_is_const(c, q, &none) && none == 0)
        return false;
    *quotient = known ? q : sym_add(c, q, sym_floordiv(c, rest, d));
    *remainder = known ? rest : sym_mod(c, rest, d);
    return true;
}

/* ---- Simplification ---- */

#define FOLD_MEMO 32
#define FOLD_DEPTH 10

struct fold {
    struct proof proof;
    struct {
        uint32_t from;
        struct sym to;
    } memo[FOLD_MEMO];
};

static struct sym fold(struct fold *s, struct sym a);

/* The operands of a chain of min or max without those that another one makes needless. */
static struct sym fold_chain(struct fold *s, enum factor_kind kind, struct sym a, struct sym b) {
    struct sym_ctx *c = s->proof.ctx;
    struct sym v[SYM_MAX_CHAIN];
    uint32_t n = 0;
    const struct factor *f;
    v[n++] = a;
    while (n < SYM_MAX_CHAIN - 1 && (f = sym_lone_factor(c, b)) != NULL && f->kind == kind) {
        v[n++] = f->a;
        b = f->b;
    }
    v[n++] = b;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < n; k++) {
            if (i == k || !(kind == F_MIN ? search_le(&s->proof, v[i], v[k], FOLD_DEPTH)
                                          : search_le(&s->proof, v[k], v[i], FOLD_DEPTH)))
                continue;
            for (uint32_t j = k; j + 1 < n; j++) /* v[k] is not needed */
                v[j] = v[j + 1];
            n--;
            i -= i > k;
            k--;
        }
    }
    struct sym r = v[n - 1];
    while (--n > 0)
        r = sym_rebuild(c, kind, v[n - 1], r);
    return r;
}

static struct sym fold_factor(struct fold *s, const struct factor *f) {
    struct sym_ctx *c = s->proof.ctx;
    if (f->kind == F_ATOM)
        return f->self;
    struct sym a = fold(s, f->a), b = fold(s, f->b), q, r;
    switch (f->kind) {
    case F_MIN:
    case F_MAX: return fold_chain(s, f->kind, a, b);
    case F_FLOORDIV:
        return sym_fold_division(&s->proof, a, b, FOLD_DEPTH, &q, &r) ? q : sym_floordiv(c, a, b);
    case F_MOD:
        return sym_fold_division(&s->proof, a, b, FOLD_DEPTH, &q, &r) ? r : sym_mod(c, a, b);
    case F_MUL:
    case F_ADD:
    case F_ATOM: break;
    }
    return sym_rebuild(c, f->kind, a, b);
}

/* K times the monomial that is left of T without factor I. */
static struct sym cofactor(struct sym_ctx *c, struct term t, const struct factor *x) {
    struct term r = {t.coef, 0};
    sym_mono_divide(c, t.mono, x->mono, &r.mono);
    return sym_poly_of(c, &r, 1);
}

/* In a sum: k*(x % d) + k*d*(x//d) is k*x for d other than 0; and k*(x//d), where d divides k and
   x is known modulo d, is k/d * (x - x % d). One such change, or A. */
static struct sym recombine(struct fold *s, struct sym a) {
    struct sym_ctx *c = s->proof.ctx;
    const struct poly *p = sym_poly(c, a);
    int64_t d;
    for (uint32_t k = 0; k < p->n; k++) {
        const struct mono *m = sym_mono(c, p->at[k].mono);
        for (uint32_t i = 0; i < m->n; i++) {
            const struct factor *x = sym_factor(c, m->at[i].factor);
            if (x->kind == F_MOD && p->n > 1) {
                struct sym q = sym_mul(c, x->b, sym_floordiv(c, x->a, x->b));
                struct sym change = sym_sub(c, sym_sub(c, x->a, q), x->self);
                change = sym_mul(c, cofactor(c, p->at[k], x), change);
                struct sym to = sym_add(c, a, change);
                if (sym_poly(c, to)->n < p->n &&
                    (sym_facts_range(s->proof.facts, x->b).lo > 0 ||
                     search_le(&s->proof, sym_const(c, 1), x->b, FOLD_DEPTH)))
                    return to;
            } else if (x->kind == F_FLOORDIV && sym_is_const(c, x->b, &d) && d > 0 &&
                       p->at[k].coef % d == 0) {
                struct residue r = sym_residue(s->proof.facts, x->a);
                if (r.m % d != 0)
                    continue;
                struct term t = {p->at[k].coef / d, p->at[k].mono};
                struct sym exact = sym_sub(c, x->a, sym_const(c, sym_i64_mod(r.r, d)));
                struct sym change = sym_combine(c, 1, exact, -d, x->self);
                return sym_add(c, a, sym_mul(c, cofactor(c, t, x), change));
            }
        }
    }
    return a;
}

static struct sym fold(struct fold *s, struct sym a) {
    struct sym_ctx *c = s->proof.ctx;
    const struct poly *p = sym_poly(c, a);
    if (sym_is_const(c, a, NULL) || sym_exhausted(&s->proof))
        return a;
    if (s->memo[a.i % FOLD_MEMO].from == a.i)
        return s->memo[a.i % FOLD_MEMO].to;
    struct sym sum = sym_const(c, 0);
    for (uint32_t k = 0; k < p->n; k++) {
        const struct mono *m = sym_mono(c, p->at[k].mono);
        struct sym t = sym_const(c, p->at[k].coef);
        for (uint32_t i = 0; i < m->n; i++) {
            struct sym f = fold_factor(s, sym_factor(c, m->at[i].factor));
            for (uint32_t q = 0; q < m->at[i].power; q++)
                t = sym_mul(c, t, f);
        }
        sum = sym_add(c, sum, t);
    }
    for (int round = 0; round < 8; round++) {
        struct sym to = recombine(s, sum);
        if (sym_eq(to, sum))
            break;
        sum = to;
    }
    s->memo[a.i % FOLD_MEMO].from = a.i;
    s->memo[a.i % FOLD_MEMO].to = sum;
    return sum;
}

struct sym sym_simplify(struct sym_facts *f, struct sym a) {
    struct fold s = {.memo = {{0, {0}}}};
    sym_proof_start(&s.proof, f, SYM_PROOF_STEPS);
    for (int round = 0; round < 3; round++) {
        struct sym to = fold(&s, a);
        if (sym_eq(to, a))
            break;
        a = to;
    }
    return a;
}
