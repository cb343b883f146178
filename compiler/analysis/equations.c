/* Showing that a system of equations "difference = 0" has no solution within ranges.
   Three ways for one equation, and one that joins several:
   - bounds: variables are replaced, inner ones first, by the end of their range that makes the
     difference least (Banerjee's inequality, with symbolic bounds); what is left is positive;
   - divisibility: with index = lo + step*n, the greatest common divisor of all coefficients does
     not divide the constant (the GCD test; both are in Allen and Kennedy, Optimizing Compilers
     for Modern Architectures, 2001, section 3.3);
   - facts: the prover of lang/sym knows one of them not to be zero;
   - elimination: an equation with a variable of coefficient 1 or -1 is solved for it and put into
     the others.
   x // m and x % m that stand in two subscripts (blocked layouts) are taken together to one more
   equation in x. All is bounded by T->budget. */
#include "compiler/analysis/internal.h"

static bool spend(struct test *t) {
    return t->budget > 0 && t->budget-- > 0;
}

/* ---- Taking x // m and x % m together ---- */

static bool has_division(const struct sym_ctx *c, struct sym s) {
    enum sym_kind kind = sym_kind(c, s);
    if (kind == SYM_FLOORDIV || kind == SYM_MOD)
        return true;
    for (uint32_t i = 0; i < sym_count(c, s); i++)
        if (has_division(c, sym_operand(c, s, i)))
            return true;
    return false;
}

static uint32_t divisions(const struct sym_ctx *c, struct sym s) {
    if (sym_kind(c, s) != SYM_SUM)
        return has_division(c, s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < sym_count(c, s); i++)
        n += has_division(c, sym_operand(c, s, i));
    return n;
}

/* TERM = coefficient * (x % m) with a positive constant m? */
static bool remainder_term(struct sym_ctx *c, struct sym term, struct sym *coefficient,
                           struct sym *x, struct sym *m) {
    int64_t v;
    *coefficient = sym_const(c, 1);
    if (sym_kind(c, term) == SYM_PRODUCT && sym_count(c, term) == 2 &&
        sym_is_const(c, sym_operand(c, term, 0), &v)) {
        *coefficient = sym_operand(c, term, 0);
        term = sym_operand(c, term, 1);
    }
    if (sym_kind(c, term) != SYM_MOD)
        return false;
    *x = sym_operand(c, term, 0);
    *m = sym_operand(c, term, 1);
    return sym_is_const(c, *m, &v) && v > 0;
}

/* The sum with coefficient * (x % m + m * (x // m)) replaced by coefficient * x, if that leaves
   fewer divisions. */
static bool recombine_once(struct sym_ctx *c, struct sym *s) {
    bool sum = sym_kind(c, *s) == SYM_SUM;
    uint32_t n = sum ? sym_count(c, *s) : 1;
    for (uint32_t i = 0; i < n; i++) {
        struct sym term = sum ? sym_operand(c, *s, i) : *s, k, x, m;
        if (!remainder_term(c, term, &k, &x, &m))
            continue;
        struct sym whole = sym_sub(c, x, sym_mul(c, m, sym_floordiv(c, x, m)));
        struct sym r = sym_add(c, sym_sub(c, *s, term), sym_mul(c, k, whole));
        if (divisions(c, r) < divisions(c, *s)) {
            *s = r;
            return true;
        }
    }
    return false;
}

struct sym recombine(struct sym_ctx *c, struct sym s) {
    while (recombine_once(c, &s))
        ;
    return s;
}

/* The modulus of the first remainder in S, none if there is none. */
static struct sym some_modulus(struct sym_ctx *c, struct sym s) {
    bool sum = sym_kind(c, s) == SYM_SUM;
    for (uint32_t i = 0; i < (sum ? sym_count(c, s) : 1); i++) {
        struct sym k, x, m;
        if (remainder_term(c, sum ? sym_operand(c, s, i) : s, &k, &x, &m))
            return m;
    }
    return (struct sym){0};
}

/* Equations that follow by taking a division in one and a remainder in another together, also in
   those that follow: of x % 2, x // 2 % 3 and x // 6 first the last two. They are put behind the N
   at DELTA; returns how many there are then. */
static uint32_t add_recombined(struct test *t, uint32_t n, uint32_t room, struct sym *delta) {
    uint32_t all = n, before;
    bool *taken = ARENA_ARRAY(t->arena, bool, room);
    do {
        before = all;
        for (uint32_t i = 0; i < all; i++) {
            struct sym m = some_modulus(t->syms, delta[i]);
            for (uint32_t j = 0; !sym_none(m) && !taken[i] && j < all && all < room; j++) {
                if (i == j)
                    continue;
                struct sym s = sym_add(t->syms, sym_mul(t->syms, m, delta[j]), delta[i]);
                struct sym r = recombine(t->syms, s);
                if (divisions(t->syms, r) >= divisions(t->syms, s))
                    continue;
                delta[all++] = r;
                taken[i] = true;
            }
        }
    } while (all > before);
    return all;
}

/* ---- One equation ---- */

/* The bounds that one bound says: min(a, b) as an upper bound is a and is b. KIND is MIN or MAX. */
struct bounds {
    struct sym at[8];
    uint32_t n;
};

static void alternatives(struct sym_ctx *c, enum sym_kind kind, struct sym s, struct bounds *out) {
    if (out->n == sizeof out->at / sizeof *out->at)
        return;
    if (sym_kind(c, s) == kind) {
        alternatives(c, kind, sym_operand(c, s, 0), out);
        alternatives(c, kind, sym_operand(c, s, 1), out);
        return;
    }
    if (sym_kind(c, s) == SYM_SUM)
        for (uint32_t i = 0; i < sym_count(c, s); i++) {
            struct sym term = sym_operand(c, s, i);
            if (sym_kind(c, term) != kind)
                continue;
            struct sym rest = sym_sub(c, s, term);
            for (uint32_t k = 0; k < 2; k++)
                alternatives(c, kind, sym_add(c, rest, sym_operand(c, term, k)), out);
            return;
        }
    out->at[out->n++] = s;
}

/* Upper bounds of V lowered to the last value that its step reaches, where that is a number away
   from its first. */
static void last_reached(struct sym_ctx *c, const struct var *v, struct bounds *b) {
    int64_t step, far;
    if (!sym_is_const(c, v->step, &step) || step <= 1)
        return;
    for (uint32_t i = 0; i < b->n; i++)
        if (sym_is_const(c, sym_sub(c, b->at[i], v->lo), &far) && far >= 0)
            b->at[i] = sym_add(c, v->lo, sym_const(c, far - far % step));
}

/* S > 0, where the variables from COUNT on have been replaced. */
static bool positive(struct test *t, struct sym s, uint32_t count) {
    struct sym_ctx *c = t->syms;
    struct sym one = sym_const(c, 1);
    if (!spend(t))
        return false;
    if (sym_prove_nonneg(t->facts, sym_sub(c, s, one)))
        return true;
    while (count > 0) {
        const struct var *v = &t->vars.at[--count];
        struct sym factor, rest;
        if (!sym_contains(c, s, v->name) || !sym_linear(c, s, v->name, &factor, &rest))
            continue;
        struct bounds b = {.n = 0};
        if (sym_prove_nonneg(t->facts, factor))
            alternatives(c, SYM_MAX, v->least, &b);
        else if (sym_prove_nonneg(t->facts, sym_neg(c, factor)))
            alternatives(c, SYM_MIN, sym_sub(c, v->hi, one), &b), last_reached(c, v, &b);
        for (uint32_t i = 0; i < b.n; i++)
            if (positive(t, sym_add(c, rest, sym_mul(c, factor, b.at[i])), count))
                return true;
        if (b.n)
            return false;
    }
    return false;
}

bool proved_positive(struct test *t, struct sym s) {
    return positive(t, s, t->vars.n);
}

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* The divisor of a term's coefficient: the constant in front of it. */
static int64_t coefficient(const struct sym_ctx *c, struct sym term) {
    int64_t v;
    if (sym_kind(c, term) == SYM_PRODUCT && sym_is_const(c, sym_operand(c, term, 0), &v))
        return v;
    return 1;
}

static bool indivisible(struct test *t, struct sym s) {
    struct sym_ctx *c = t->syms;
    for (uint32_t i = t->vars.n; i-- > 0;) {
        const struct var *v = &t->vars.at[i];
        int64_t step;
        if (!sym_is_const(c, v->step, &step) || step == 1 || !sym_contains(c, s, v->name))
            continue;
        /* the counter of the index may keep its name: only coefficients matter from here on */
        struct sym to = sym_add(c, v->lo, sym_mul(c, v->step, sym_atom(c, v->name)));
        s = sym_subst(c, s, 1, &v->name, &to);
    }
    if (sym_kind(c, s) != SYM_SUM)
        return false;
    int64_t divisor = 0, constant = 0, v;
    for (uint32_t i = 0; i < sym_count(c, s); i++) {
        struct sym term = sym_operand(c, s, i);
        if (sym_is_const(c, term, &v))
            constant = v;
        else
            divisor = gcd(divisor, coefficient(c, term));
    }
    return divisor > 1 && constant % divisor != 0;
}

static bool never_zero(struct test *t, struct sym s) {
    int64_t v;
    if (sym_is_const(t->syms, s, &v))
        return v != 0;
    return positive(t, s, t->vars.n) || positive(t, sym_neg(t->syms, s), t->vars.n) ||
           indivisible(t, s);
}

/* ---- Several equations ---- */

/* Solves S = 0 for the innermost variable that allows it. */
static bool solve(struct test *t, struct sym s, const struct var **v, struct sym *solution) {
    struct sym_ctx *c = t->syms;
    for (uint32_t i = t->vars.n; i-- > 0;) {
        struct sym factor, rest;
        int64_t k;
        *v = &t->vars.at[i];
        if (!sym_contains(c, s, (*v)->name) || !sym_linear(c, s, (*v)->name, &factor, &rest) ||
            !sym_is_const(c, factor, &k) || (k != 1 && k != -1))
            continue;
        *solution = k == 1 ? sym_neg(c, rest) : rest;
        return true;
    }
    return false;
}

static bool eliminate(struct test *t, uint32_t n, const struct sym *delta) {
    struct sym_ctx *c = t->syms;
    for (uint32_t i = 0; i < n && t->budget; i++) {
        const struct var *v;
        struct sym x;
        if (!solve(t, delta[i], &v, &x))
            continue;
        uint32_t mark = sym_facts_mark(t->facts);
        sym_facts_nonneg(t->facts, sym_sub(c, x, v->least));
        sym_facts_nonneg(t->facts, sym_sub(c, sym_sub(c, v->hi, x), sym_const(c, 1)));
        struct sym *rest = ARENA_ARRAY(t->arena, struct sym, n);
        uint32_t m = 0;
        for (uint32_t j = 0; j < n; j++)
            if (j != i)
                rest[m++] = sym_subst(c, delta[j], 1, &v->name, &x);
        bool impossible = equations_impossible(t, m, rest);
        sym_facts_restore(t->facts, mark);
        if (impossible)
            return true;
    }
    return false;
}

bool equations_impossible(struct test *t, uint32_t n, const struct sym *delta) {
    if (n == 0 || !spend(t))
        return false;
    struct sym *all = ARENA_ARRAY(t->arena, struct sym, 2 * n);
    for (uint32_t i = 0; i < n; i++)
        all[i] = delta[i];
    n = add_recombined(t, n, 2 * n, all);
    for (uint32_t i = 0; i < n; i++)
        if (never_zero(t, all[i]))
            return true;
    return n > 1 && eliminate(t, n, all);
}
