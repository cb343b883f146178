/* Proofs of a >= 0 from facts, by bounded search.
   Note [search]. A goal is replaced by goals that imply it, until an interval decides:
   1. rounding: a is an integer, so what it is modulo m, and the common divisor of its
      coefficients, give slack;
   2. min and max in which the goal is monotone split exactly: both branches must hold;
   3. elimination, what is declared last first: a factor in which the goal is monotone, or that
      occurs linearly with a cofactor of known sign, is replaced by one of its bounds (those of
      atoms are facts, those of opaque nodes follow from what they are);
   4. floor divisions that remain: d*(x//d) lies in x-(d-1) .. x; the goal is multiplied by d, and
      since d*a > -d is enough, d-1 is added;
   5. recorded facts h >= 0: a*k - h*l >= 0 is enough; and case splits on min and max.
   Several bounds are tried in turn; what failed is remembered. After the steps of the proof are
   used up every answer is "not proved". */
#include "lang/sym/sym.h"
#include "lang/sym/sym_proof.h"
#include <string.h>

#define MAX_BOUNDS 8
#define MAX_TARGETS 16
#define MAX_HINTS 32

void sym_proof_start(struct proof *p, struct sym_facts *f, uint64_t steps) {
    memset(p, 0, sizeof *p);
    p->facts = f;
    p->ctx = f->ctx;
    p->end = f->ctx->steps + steps;
    p->easy = f->ctx->steps + SYM_PROOF_EASY;
    p->cases = 2;
}

static bool failed_before(const struct proof *p, struct sym a, int depth) {
    uint32_t k = a.i % SYM_PROOF_FAILED;
    return p->failed[k].a == a.i && p->failed[k].depth >= depth;
}

/* Also while the goal is under way: should it come up again below, then no deeper proof than one
   that is found here anyway is lost. */
static void remember_failure(struct proof *p, struct sym a, int depth) {
    uint32_t k = a.i % SYM_PROOF_FAILED;
    p->failed[k].a = a.i;
    p->failed[k].depth = depth;
}

/* Whether a sample shows that a >= 0 does not follow. */
static bool refuted(struct proof *p, struct sym a) {
    int64_t v;
    if (!p->samples) {
        if (p->ctx->steps < p->easy)
            return false;
        p->samples = sym_samples(p->facts, a);
    }
    for (uint32_t k = 0; k < p->samples->n && !sym_exhausted(p); k++)
        if (!(p->excluded >> k & 1) && sym_sample_value(p->ctx, p->samples, k, a, &v) && v < 0)
            return true;
    return false;
}

/* A goal that is nonnegative exactly if A is, rounded as far as divisibility allows. */
static struct sym tighten(struct proof *p, struct sym a) {
    struct sym_ctx *c = p->ctx;
    struct residue r = sym_residue(p->facts, a);
    if (r.m == 0)
        return sym_const(c, r.r);
    if (r.m > 1 && r.r != r.m - 1)
        a = sym_add(c, a, sym_const(c, r.m - 1 - r.r));
    int64_t g = sym_content(c, a, 0, false);
    return g > 1 ? sym_divide_coefficients(c, a, g) : a;
}

/* ---- Parts of a goal ---- */

/* a = f*X + rest, where REST contains X only inside opaque nodes; false if f would be 0. F may
   contain X. */
static bool group_of(struct sym_ctx *c, struct sym a, const struct factor *x, struct sym *f,
                     struct sym *rest) {
    const struct poly *p = sym_poly(c, a);
    struct term in[SYM_MAX_TERMS], out[SYM_MAX_TERMS];
    uint32_t nin = 0, nout = 0, q;
    for (uint32_t k = 0; k < p->n; k++) {
        if (sym_mono_divide(c, p->at[k].mono, x->mono, &q))
            in[nin++] = (struct term){p->at[k].coef, q};
        else
            out[nout++] = p->at[k];
    }
    *f = sym_poly_of(c, in, nin);
    *rest = sym_poly_of(c, out, nout);
    return nin > 0;
}

/* 1: A >= 0, -1: A <= 0, 0: neither was shown. */
static int sign_of(struct proof *p, struct sym a, int depth) {
    struct interval r = sym_facts_range(p->facts, a);
    if (r.lo >= 0 || r.hi <= 0)
        return r.lo >= 0 ? 1 : -1;
    if (sym_search(p, a, depth - 3))
        return 1;
    return sym_search(p, sym_neg(p->ctx, a), depth - 3) ? -1 : 0;
}

static bool is_positive(struct proof *p, struct sym a, int depth) {
    return sym_facts_range(p->facts, a).lo > 0 ||
           sym_search(p, sym_sub(p->ctx, a, sym_const(p->ctx, 1)), depth - 3);
}

struct target {
    const struct factor *x;
    uint32_t rank; /* 0: not declared; higher is further in */
};

struct targets {
    struct target at[MAX_TARGETS];
    uint32_t n;
};

/* Adds the factors of A and, inside opaque ones, theirs; returns the highest rank among them. */
static uint32_t gather(struct proof *p, struct sym a, struct targets *v) {
    const struct poly *poly = sym_poly(p->ctx, a);
    uint32_t highest = 0;
    for (uint32_t k = 0; k < poly->n; k++) {
        const struct mono *m = sym_mono(p->ctx, poly->at[k].mono);
        for (uint32_t i = 0; i < m->n; i++) {
            const struct factor *x = sym_factor(p->ctx, m->at[i].factor);
            uint32_t rank = 0, at = 0;
            while (at < v->n && v->at[at].x != x)
                at++;
            bool known = at < v->n;
            p->ctx->steps++;
            if (known) {
                rank = v->at[at].rank;
            } else if (x->kind == F_ATOM) {
                const struct fact *e = sym_fact_of(p->facts, x->name);
                rank = e ? e->rank + 1 : 0;
            } else if (v->n < MAX_TARGETS) {
                uint32_t in_a = gather(p, x->a, v), in_b = gather(p, x->b, v);
                rank = in_a > in_b ? in_a : in_b;
            }
            if (!known && v->n < MAX_TARGETS)
                v->at[v->n++] = (struct target){x, rank};
            highest = rank > highest ? rank : highest;
        }
    }
    return highest;
}

/* Further in first; where equal min and max, which keep what their operands share, then as found:
   operands of a quotient before it. */
static bool comes_before(struct target a, struct target b) {
    if (a.rank != b.rank)
        return a.rank > b.rank;
    return (a.x->kind == F_MIN || a.x->kind == F_MAX) && b.x->kind != F_MIN && b.x->kind != F_MAX;
}

static void sort_targets(struct targets *v) {
    for (uint32_t i = 1; i < v->n; i++) {
        struct target t = v->at[i];
        uint32_t k = i;
        for (; k > 0 && comes_before(t, v->at[k - 1]); k--)
            v->at[k] = v->at[k - 1];
        v->at[k] = t;
    }
}

/* ---- Bounds ---- */

struct bounds {
    struct sym at[MAX_BOUNDS];
    uint32_t n;
};

static void add_bound(struct bounds *b, struct sym s) {
    for (uint32_t k = 0; k < b->n; k++)
        if (sym_eq(b->at[k], s))
            return;
    if (b->n < MAX_BOUNDS)
        b->at[b->n++] = s;
}

/* BOUND of the atom of E, moved to the last (LOWER: first) value that E's step allows. */
static bool step_bound(struct proof *p, const struct fact *e, struct sym bound, bool lower,
                       int depth, struct sym *out) {
    struct sym_ctx *c = p->ctx;
    struct sym way = lower ? sym_sub(c, e->lo, bound) : sym_sub(c, bound, e->lo), q, r;
    if (sym_eq(bound, e->lo) || !is_positive(p, e->step, depth))
        return false;
    if (!sym_fold_division(p, way, e->step, depth, &q, &r))
        q = sym_floordiv(c, way, e->step);
    q = sym_mul(c, q, e->step);
    *out = lower ? sym_sub(c, e->lo, q) : sym_add(c, e->lo, q);
    return true;
}

static void bounds_of_atom(struct proof *p, const struct factor *x, bool lower, int depth,
                           struct bounds *b) {
    struct sym_facts *f = p->facts;
    for (const struct fact *e = sym_fact_of(f, x->name); e; e = sym_fact_former(f, e)) {
        struct sym bound = lower ? e->lo : e->hi, better;
        if (e->kind != FACT_BOUNDS || sym_none(bound))
            continue;
        /* the better bound alone if it is as simple, else behind */
        bool needed = true;
        struct bounds behind = {.n = 0};
        for (const struct fact *s = sym_fact_of(f, x->name); s; s = sym_fact_former(f, s)) {
            if (s->kind != FACT_STEP || !step_bound(p, s, bound, lower, depth, &better))
                continue;
            bool simple = sym_poly(p->ctx, better)->size <= sym_poly(p->ctx, bound)->size;
            add_bound(simple ? b : &behind, better);
            needed &= !simple;
        }
        if (needed)
            add_bound(b, bound);
        for (uint32_t k = 0; k < behind.n; k++)
            add_bound(b, behind.at[k]);
    }
    uint32_t tried = 0;
    for (uint32_t k = f->at.n; k-- > 0 && tried < MAX_HINTS;) {
        struct sym h = f->at.at[k].nonneg[0], factor, rest;
        int64_t one;
        if (f->at.at[k].kind != FACT_NONNEG)
            continue;
        tried++;
        if (!sym_contains(p->ctx, h, x->name) || !sym_linear(p->ctx, h, x->name, &factor, &rest) ||
            !sym_is_const(p->ctx, factor, &one) || one != (lower ? 1 : -1))
            continue;
        add_bound(b, lower ? sym_neg(p->ctx, rest) : rest);
    }
}

/* Of opaque nodes; only where one bound at a time is enough (exact splits are done elsewhere). */
static void bounds_of_opaque(struct proof *p, const struct factor *x, bool lower, int depth,
                             struct bounds *b) {
    struct sym_ctx *c = p->ctx;
    switch (x->kind) {
    case F_MIN:
    case F_MAX:
        if ((x->kind == F_MAX) == lower) {
            add_bound(b, x->a);
            add_bound(b, x->b);
        }
        break;
    case F_MOD:
        if (lower && sym_facts_range(p->facts, x->b).lo >= 0)
            add_bound(b, sym_const(c, 0));
        if (!lower && is_positive(p, x->b, depth)) {
            struct residue r = sym_residue(p->facts, x->self);
            struct sym last = sym_sub(c, x->b, sym_const(c, 1));
            int64_t d;
            if (sym_is_const(c, x->b, &d) && r.m > 1)
                last = sym_const(c, d - r.m + r.r);
            add_bound(b, last);
            if (sym_search(p, x->a, depth - 3))
                add_bound(b, x->a);
        }
        break;
    case F_FLOORDIV: /* by a constant, the interval and relax_quotient know more */
        if (!sym_is_const(c, x->b, NULL) && sym_facts_range(p->facts, x->b).lo >= 0 &&
            sym_search(p, x->a, depth - 3))
            add_bound(b, lower ? sym_const(c, 0) : x->a);
        break;
    case F_ATOM:
    case F_MUL:
    case F_ADD: break;
    }
}

static void bounds_of(struct proof *p, const struct factor *x, bool lower, int depth,
                      struct bounds *b) {
    b->n = 0;
    if (x->kind == F_ATOM)
        bounds_of_atom(p, x, lower, depth, b);
    else
        bounds_of_opaque(p, x, lower, depth, b);
}

/* ---- Moves ---- */

/* rest + f*X with each term of f by its own sign; one bound of each side. */
static bool eliminate_by_terms(struct proof *p, const struct factor *x, struct sym f,
                               struct sym rest, int depth) {
    struct sym_ctx *c = p->ctx;
    struct bounds lower, upper;
    struct sym goal = rest;
    const struct poly *terms = sym_poly(c, f);
    if (terms->n < 2)
        return false;
    bounds_of(p, x, true, depth, &lower);
    bounds_of(p, x, false, depth, &upper);
    for (uint32_t k = 0; k < terms->n; k++) {
        struct sym t = sym_poly_of(c, &terms->at[k], 1);
        struct interval r = sym_facts_range(p->facts, t);
        struct bounds *b = r.lo >= 0 ? &lower : &upper;
        if ((r.lo < 0 && r.hi > 0) || b->n == 0)
            return false;
        goal = sym_add(c, goal, sym_mul(c, t, b->at[0]));
    }
    return sym_search(p, goal, depth - 1);
}

/* Replaces X by its bounds: everywhere if the goal is monotone in it, else where it is linear. */
static bool eliminate(struct proof *p, struct sym a, const struct factor *x, int depth) {
    struct sym_ctx *c = p->ctx;
    int direction = sym_direction(p->facts, a, x);
    struct sym f, rest;
    struct bounds b;
    if (direction == SYM_GROWS || direction == SYM_FALLS) {
        bounds_of(p, x, direction == SYM_GROWS, depth, &b);
        for (uint32_t k = 0; k < b.n && !sym_exhausted(p); k++)
            if (sym_search(p, sym_replace(c, a, x, b.at[k]), depth - 1))
                return true;
        return false;
    }
    if (!group_of(c, a, x, &f, &rest))
        return false;
    int sign = sign_of(p, f, depth);
    if (sign == 0)
        return eliminate_by_terms(p, x, f, rest, depth);
    bounds_of(p, x, sign > 0, depth, &b);
    for (uint32_t k = 0; k < b.n && !sym_exhausted(p); k++)
        if (sym_search(p, sym_add(c, rest, sym_mul(c, f, b.at[k])), depth - 1))
            return true;
    return false;
}

/* Whether an atom has a bound that is both: then it is replaced, exactly. */
static bool fixed_value(struct proof *p, const struct factor *x, struct sym *v) {
    const struct fact *e = x->kind == F_ATOM ? sym_fact_of(p->facts, x->name) : NULL;
    for (; e; e = sym_fact_former(p->facts, e)) {
        if (e->kind == FACT_BOUNDS && !sym_none(e->lo) && sym_eq(e->lo, e->hi) &&
            !sym_contains(p->ctx, e->lo, x->name)) {
            *v = e->lo;
            return true;
        }
    }
    return false;
}

/* f / d where the single term D divides every term of F. */
static bool divide_exactly(struct sym_ctx *c, struct sym f, struct sym d, struct sym *quotient) {
    const struct poly *p = sym_poly(c, f), *q = sym_poly(c, d);
    struct term t[SYM_MAX_TERMS];
    if (q->n != 1)
        return false;
    for (uint32_t k = 0; k < p->n; k++) {
        if (sym_i64_mod(p->at[k].coef, q->at[0].coef) != 0 ||
            !sym_i64_floordiv(p->at[k].coef, q->at[0].coef, &t[k].coef) ||
            !sym_mono_divide(c, p->at[k].mono, q->at[0].mono, &t[k].mono))
            return false;
    }
    *quotient = sym_poly_of(c, t, p->n);
    return true;
}

/* Step 4 of Note [search], for the quotient X. */
static bool relax_quotient(struct proof *p, struct sym a, const struct factor *x, int depth) {
    struct sym_ctx *c = p->ctx;
    struct sym f, rest, above, scale;
    int64_t d;
    if (!group_of(c, a, x, &f, &rest))
        return false;
    int sign = sign_of(p, f, depth);
    if (sign == 0)
        return false;
    if (sym_is_const(c, x->b, &d)) {
        if (d <= 0)
            return false;
        /* x - d*(x//d) is known modulo g, so it lies in least .. d - g + least */
        struct residue r = sym_residue(p->facts, x->a);
        int64_t g = sym_i64_gcd(r.m, d), least = sym_i64_mod(r.r, g);
        above = sym_const(c, sign > 0 ? d - g + least : least);
        int64_t k = sym_i64_gcd(sym_content(c, f, 0, true), d);
        scale = sym_const(c, d / k);
        f = sym_divide_coefficients(c, f, k);
    } else {
        struct sym exact;
        if (!is_positive(p, x->b, depth))
            return false;
        above = sign > 0 ? sym_sub(c, x->b, sym_const(c, 1)) : sym_const(c, 0);
        scale = x->b;
        if (divide_exactly(c, f, x->b, &exact)) {
            f = exact;
            scale = sym_const(c, 1);
        }
    }
    struct sym goal = sym_mul(c, f, sym_sub(c, x->a, above));
    goal = sym_add(c, goal, sym_mul(c, scale, rest));
    goal = sym_add(c, goal, sym_sub(c, scale, sym_const(c, 1)));
    return sym_search(p, goal, depth - 1);
}

/* x % d is x - d*(x//d); for divisors other than 0. */
static bool expand_remainder(struct proof *p, struct sym a, const struct factor *x, int depth) {
    struct sym_ctx *c = p->ctx;
    struct interval d = sym_facts_range(p->facts, x->b);
    if (d.lo <= 0 && d.hi >= 0 && !is_positive(p, x->b, depth))
        return false;
    struct sym q = sym_mul(c, x->b, sym_floordiv(c, x->a, x->b));
    return sym_search(p, sym_replace(c, a, x, sym_sub(c, x->a, q)), depth - 1);
}

static bool try_target(struct proof *p, struct sym a, const struct factor *x, int depth) {
    struct sym v, r;
    if (fixed_value(p, x, &v))
        return sym_search(p, sym_replace(p->ctx, a, x, v), depth - 1);
    if (x->kind == F_FLOORDIV || x->kind == F_MOD) {
        bool known = sym_fold_division(p, x->a, x->b, depth, &v, &r);
        v = x->kind == F_MOD ? r : v;
        if (known && !sym_eq(v, x->self))
            return sym_search(p, sym_replace(p->ctx, a, x, v), depth - 1);
    }
    if (eliminate(p, a, x, depth))
        return true;
    if (sym_exhausted(p))
        return false;
    if (x->kind == F_FLOORDIV)
        return relax_quotient(p, a, x, depth);
    return x->kind == F_MOD && expand_remainder(p, a, x, depth);
}

/* A min in which the goal grows, or a max in which it falls; 1: proved, 0: not, -1: no such. */
static int split_exactly(struct proof *p, struct sym a, const struct targets *v, int depth) {
    for (uint32_t k = 0; k < v->n; k++) {
        const struct factor *x = v->at[k].x;
        if (x->kind != F_MIN && x->kind != F_MAX)
            continue;
        if (sym_direction(p->facts, a, x) == (x->kind == F_MIN ? SYM_GROWS : SYM_FALLS))
            return sym_search(p, sym_replace(p->ctx, a, x, x->a), depth - 1) &&
                   sym_search(p, sym_replace(p->ctx, a, x, x->b), depth - 1);
    }
    return -1;
}

/* a*k - h*l for the fact h >= 0, such that monomial J of H cancels; false if A does not have it
   with the same sign. */
static bool with_fact(struct sym_ctx *c, struct sym a, struct sym h, uint32_t j, struct sym *out) {
    const struct poly *p = sym_poly(c, a), *q = sym_poly(c, h);
    struct term t = q->at[j];
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->at[i].mono != t.mono || (p->at[i].coef < 0) != (t.coef < 0) ||
            p->at[i].coef == INT64_MIN || t.coef == INT64_MIN)
            continue;
        int64_t g = sym_i64_gcd(p->at[i].coef, t.coef);
        int64_t k = (t.coef < 0 ? -t.coef : t.coef) / g;
        int64_t l = (t.coef < 0 ? -p->at[i].coef : p->at[i].coef) / g;
        *out = sym_add(c, sym_combine(c, k, a, -l, h), sym_const(c, k - 1));
        return true;
    }
    return false;
}

/* AT_ONCE: only where an interval then decides. */
static bool use_fact(struct proof *p, struct sym a, struct sym h, bool at_once, int depth) {
    struct sym_ctx *c = p->ctx;
    struct sym goal;
    p->ctx->steps++;
    if (sym_none(h) || !(sym_poly(c, h)->atoms & sym_poly(c, a)->atoms))
        return false;
    for (uint32_t n = sym_poly(c, h)->n, j = 0; j < n && j < 4; j++) {
        if (sym_poly(c, h)->at[j].mono == SYM_UNIT || !with_fact(c, a, h, j, &goal))
            continue;
        if (sym_facts_range(p->facts, goal).lo >= 0 || (!at_once && sym_search(p, goal, depth - 1)))
            return true;
    }
    return false;
}

/* Step 5 of Note [search]. */
static bool use_facts(struct proof *p, struct sym a, bool at_once, int depth) {
    struct sym_facts *f = p->facts;
    uint32_t tried = 0;
    for (uint32_t k = f->at.n; k-- > 0 && tried < MAX_HINTS && !sym_exhausted(p);) {
        if (f->at.at[k].kind == FACT_STEP)
            continue;
        tried++;
        if (use_fact(p, a, f->at.at[k].nonneg[0], at_once, depth) ||
            use_fact(p, a, f->at.at[k].nonneg[1], at_once, depth))
            return true;
    }
    return false;
}

/* One operand of the min or max X is chosen under the condition that it is the one. */
static bool one_case(struct proof *p, struct sym a, const struct factor *x, struct sym chosen,
                     struct sym other, int depth) {
    struct proof inner;
    uint32_t mark = sym_facts_mark(p->facts);
    struct sym condition =
        x->kind == F_MIN ? sym_sub(p->ctx, other, chosen) : sym_sub(p->ctx, chosen, other);
    int64_t v;
    sym_proof_start(&inner, p->facts, 0);
    inner.end = p->end;
    inner.cases = p->cases - 1;
    inner.samples = p->samples;
    inner.excluded = p->excluded;
    for (uint32_t k = 0; p->samples && k < p->samples->n; k++)
        if (!sym_sample_value(p->ctx, p->samples, k, condition, &v) || v < 0)
            inner.excluded |= UINT32_C(1) << k;
    sym_facts_nonneg(p->facts, condition);
    bool proved = sym_search(&inner, sym_replace(p->ctx, a, x, chosen), depth - 2);
    sym_facts_restore(p->facts, mark);
    return proved;
}

static bool split_cases(struct proof *p, struct sym a, const struct targets *v, int depth) {
    if (p->cases == 0)
        return false;
    for (uint32_t k = 0; k < v->n && !sym_exhausted(p); k++) {
        const struct factor *x = v->at[k].x;
        if ((x->kind == F_MIN || x->kind == F_MAX) && one_case(p, a, x, x->a, x->b, depth) &&
            one_case(p, a, x, x->b, x->a, depth))
            return true;
    }
    return false;
}

bool sym_search(struct proof *p, struct sym a, int depth) {
    struct targets v = {.n = 0};
    p->ctx->steps++;
    if (sym_exhausted(p))
        return false;
    a = tighten(p, a);
    struct interval r = sym_facts_range(p->facts, a);
    if (r.lo >= 0 || r.hi < 0)
        return r.lo >= 0;
    if (depth <= 0 || failed_before(p, a, depth) || refuted(p, a))
        return false;
    remember_failure(p, a, depth);
    if (use_facts(p, a, true, depth))
        return true;
    gather(p, a, &v);
    sort_targets(&v);
    int split = split_exactly(p, a, &v, depth);
    if (split > 0)
        return true;
    for (uint32_t k = 0; k < v.n && split < 0 && !sym_exhausted(p); k++)
        if (try_target(p, a, v.at[k].x, depth))
            return true;
    return split < 0 && (use_facts(p, a, false, depth) || split_cases(p, a, &v, depth));
}

/* ---- Questions ---- */

bool sym_prove_nonneg(struct sym_facts *f, struct sym a) {
    uint64_t key = ((uint64_t)sym_facts_stamp(f) << 32) | a.i, answer;
    struct interval r = sym_facts_range(f, a);
    struct proof p;
    if (r.lo >= 0 || r.hi < 0)
        return r.lo >= 0;
    if (map_get(&f->answers, key, &answer))
        return answer == 2;
    sym_proof_start(&p, f, SYM_PROOF_STEPS);
    bool proved = sym_search(&p, a, SYM_PROOF_DEPTH);
    map_put(&f->answers, key, 1 + proved);
    return proved;
}

bool sym_prove_le(struct sym_facts *f, struct sym a, struct sym b) {
    return sym_prove_nonneg(f, sym_sub(f->ctx, b, a));
}

bool sym_prove_lt(struct sym_facts *f, struct sym a, struct sym b) {
    return sym_prove_nonneg(f, sym_sub(f->ctx, sym_sub(f->ctx, b, a), sym_const(f->ctx, 1)));
}

bool sym_prove_eq(struct sym_facts *f, struct sym a, struct sym b) {
    struct sym d = sym_sub(f->ctx, a, b);
    int64_t v;
    if (sym_is_const(f->ctx, d, &v) || sym_is_const(f->ctx, sym_expand(f->ctx, d), &v))
        return v == 0;
    return sym_prove_nonneg(f, d) && sym_prove_nonneg(f, sym_neg(f->ctx, d));
}
