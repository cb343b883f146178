/* min and max in canonical form.
   Before: any operands. After: nested ones of the same kind are flattened, an operand that another
   one dominates whatever the atoms are is gone, terms that all operands share (with the same
   coefficient) are outside, as is the common divisor: min(i + 3, i + N) is i + min(3, N). The
   operands are sorted, a constant first, and more than two nest to the right: min(a, min(b, c)).
   Flattening sees through a sum: i + min(3, N) as an operand counts as i + 3 and i + N. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_node.h"

struct chain {
    enum factor_kind kind; /* F_MIN or F_MAX */
    struct sym at[SYM_MAX_CHAIN];
    uint32_t n, visits;
    bool full;
};

static enum factor_kind other(enum factor_kind k) {
    return k == F_MIN ? F_MAX : F_MIN;
}

/* The term of A to flatten, if exactly one is k*min (k > 0) or k*max (k < 0) for a chain of min. */
static const struct term *nested(const struct sym_ctx *c, struct sym a, enum factor_kind kind) {
    const struct poly *p = sym_poly(c, a);
    const struct term *found = NULL;
    for (uint32_t k = 0; k < p->n; k++) {
        const struct factor *f = sym_mono_factor(c, p->at[k].mono);
        if (f && f->kind == (p->at[k].coef > 0 ? kind : other(kind))) {
            if (found)
                return NULL;
            found = &p->at[k];
        }
    }
    return found;
}

/* Adds the operands of A to V; V is full where they are too many, or too many are dominated. */
static void collect(struct sym_ctx *c, struct chain *v, struct sym a, int depth) {
    const struct term *t = depth < SYM_MAX_CHAIN ? nested(c, a, v->kind) : NULL;
    if (++v->visits > 8 * SYM_MAX_CHAIN)
        v->full = true;
    if (v->full)
        return;
    if (t) {
        const struct factor *f = sym_mono_factor(c, t->mono);
        struct sym rest = sym_combine(c, 1, a, -1, sym_scale(c, t->coef, f->self));
        collect(c, v, sym_combine(c, 1, rest, t->coef, f->a), depth + 1);
        collect(c, v, sym_combine(c, 1, rest, t->coef, f->b), depth + 1);
        return;
    }
    for (uint32_t k = 0; k < v->n;) {
        struct interval d = sym_range_difference(c, a, v->at[k]);
        if (v->kind == F_MIN ? d.lo >= 0 : d.hi <= 0) /* a is never the one chosen */
            return;
        if (v->kind == F_MIN ? d.hi <= 0 : d.lo >= 0)
            v->at[k] = v->at[--v->n];
        else
            k++;
    }
    if (v->n == SYM_MAX_CHAIN)
        v->full = true;
    else
        v->at[v->n++] = a;
}

/* Constants first, as people write them: min(64, S - i). */
static int operand_compare(struct sym_ctx *c, struct sym a, struct sym b) {
    bool x = sym_is_const(c, a, NULL), y = sym_is_const(c, b, NULL);
    return x != y ? (x ? -1 : 1) : sym_compare(c, a, b);
}

static void sort_chain(struct sym_ctx *c, struct chain *v) {
    for (uint32_t i = 1; i < v->n; i++) {
        struct sym a = v->at[i];
        uint32_t k = i;
        for (; k > 0 && operand_compare(c, v->at[k - 1], a) > 0; k--)
            v->at[k] = v->at[k - 1];
        v->at[k] = a;
    }
}

/* The terms that A and B have in common, coefficients included. */
static struct sym common_terms(struct sym_ctx *c, struct sym a, struct sym b) {
    const struct poly *p = sym_poly(c, a), *q = sym_poly(c, b);
    struct term t[SYM_MAX_TERMS];
    uint32_t n = 0, i = 0, j = 0;
    while (i < p->n && j < q->n) {
        c->steps++;
        int o = sym_mono_compare(c, p->at[i].mono, q->at[j].mono);
        if (o == 0 && p->at[i].coef == q->at[j].coef)
            t[n++] = p->at[i];
        i += o <= 0;
        j += o >= 0;
    }
    return sym_poly_of(c, t, n);
}

static bool never_positive(const struct sym_ctx *c, const struct chain *v) {
    for (uint32_t i = 0; i < v->n; i++)
        for (uint32_t k = 0; k < sym_poly(c, v->at[i])->n; k++)
            if (sym_poly(c, v->at[i])->at[k].coef > 0 ||
                sym_poly(c, v->at[i])->at[k].coef == INT64_MIN)
                return false;
    return true;
}

static struct sym build(struct sym_ctx *c, enum factor_kind kind, struct sym a, struct sym b,
                        int depth);

/* The sorted chain as an expression, with what the operands share moved out. */
static struct sym chain_result(struct sym_ctx *c, struct chain *v, int depth) {
    struct sym shared = v->at[0];
    int64_t g = 0, sign = never_positive(c, v) ? -1 : 1;
    for (uint32_t k = 1; k < v->n; k++)
        shared = common_terms(c, shared, v->at[k]);
    if (sym_poly(c, shared)->n != 0 && depth < 4) {
        struct sym r = sym_sub(c, v->at[0], shared);
        for (uint32_t k = 1; k < v->n; k++)
            r = build(c, v->kind, r, sym_sub(c, v->at[k], shared), depth + 1);
        return sym_add(c, shared, r);
    }
    for (uint32_t k = 0; k < v->n; k++)
        g = sym_content(c, v->at[k], g, true);
    g = g == 0 ? 1 : g;
    for (uint32_t k = 0; k < v->n && (g != 1 || sign < 0); k++)
        v->at[k] = sym_scale(c, sign, sym_divide_coefficients(c, v->at[k], g));
    enum factor_kind kind = sign < 0 ? other(v->kind) : v->kind;
    sort_chain(c, v);
    struct sym r = v->at[v->n - 1];
    for (uint32_t k = v->n - 1; k-- > 0;)
        r = sym_factor_of(c, kind, v->at[k], r);
    return sym_scale(c, sign * g, r);
}

static struct sym build(struct sym_ctx *c, enum factor_kind kind, struct sym a, struct sym b,
                        int depth) {
    struct chain v = {.kind = kind};
    struct interval d = sym_range_difference(c, a, b);
    if (kind == F_MIN ? d.lo >= 0 : d.hi <= 0)
        return b;
    if (kind == F_MIN ? d.hi <= 0 : d.lo >= 0)
        return a;
    collect(c, &v, a, 0);
    collect(c, &v, b, 0);
    if (v.full) { /* too many to flatten: a pair */
        return operand_compare(c, a, b) <= 0 ? sym_factor_of(c, kind, a, b)
                                             : sym_factor_of(c, kind, b, a);
    }
    if (v.n == 1)
        return v.at[0];
    return chain_result(c, &v, depth);
}

struct sym sym_min(struct sym_ctx *c, struct sym a, struct sym b) {
    return build(c, F_MIN, a, b, 0);
}

struct sym sym_max(struct sym_ctx *c, struct sym a, struct sym b) {
    return build(c, F_MAX, a, b, 0);
}
