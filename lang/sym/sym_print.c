/* Text of expressions, as DCL source that parses back to the same form.
   In a sum the positive terms come first, then the negative ones, then the constant; if nothing
   but the constant is positive it leads: `5 - i`. A floor division or remainder is in brackets
   wherever it is not alone in its term. A power is written as a product. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_node.h"
#include <inttypes.h>

static void print_sum(const struct sym_ctx *c, struct sym a, struct buf *out);

static void print_call(const struct sym_ctx *c, const char *name, const struct factor *f,
                       struct buf *out) {
    buf_printf(out, "%s(", name);
    print_sum(c, f->a, out);
    buf_text(out, ", ");
    print_sum(c, f->b, out);
    buf_text(out, ")");
}

/* Whether A stands as an operand of *, // or % without brackets. */
static bool is_primary(const struct sym_ctx *c, struct sym a) {
    int64_t v;
    if (sym_is_const(c, a, &v))
        return v >= 0;
    const struct factor *f = sym_lone_factor(c, a);
    return f && (f->kind == F_ATOM || f->kind == F_MIN || f->kind == F_MAX);
}

static void print_operand(const struct sym_ctx *c, struct sym a, struct buf *out) {
    bool bare = is_primary(c, a);
    if (!bare)
        buf_text(out, "(");
    print_sum(c, a, out);
    if (!bare)
        buf_text(out, ")");
}

static void print_infix(const struct sym_ctx *c, const char *op, const struct factor *f,
                        struct buf *out) {
    print_operand(c, f->a, out);
    buf_text(out, op);
    print_operand(c, f->b, out);
}

/* ALONE: nothing binds to the factor but + and binary -. */
static void print_factor(const struct sym_ctx *c, const struct factor *f, bool alone,
                         struct buf *out) {
    bool bare = alone || f->kind == F_ATOM || f->kind == F_MIN || f->kind == F_MAX;
    if (!bare)
        buf_text(out, "(");
    switch (f->kind) {
    case F_ATOM: buf_text(out, name_text(c->names, f->name)); break;
    case F_FLOORDIV: print_infix(c, "//", f, out); break;
    case F_MOD: print_infix(c, " % ", f, out); break;
    case F_MIN: print_call(c, "min", f, out); break;
    case F_MAX: print_call(c, "max", f, out); break;
    case F_MUL: print_infix(c, "*", f, out); break;
    case F_ADD: /* as a difference the second operand would need brackets of its own */
        print_operand(c, f->a, out);
        buf_text(out, " + ");
        print_operand(c, f->b, out);
        break;
    }
    if (!bare)
        buf_text(out, ")");
}

static void print_constant(int64_t v, struct buf *out) {
    if (v == INT64_MIN) /* its absolute value is no literal */
        buf_text(out, "(-9223372036854775807 - 1)");
    else
        buf_printf(out, "%" PRId64, v);
}

/* One term after the sign that LEADS or joins it to what stands before. */
static void print_term(const struct sym_ctx *c, struct term t, bool leads, struct buf *out) {
    const struct mono *m = sym_mono(c, t.mono);
    bool minus = t.coef < 0 && t.coef != INT64_MIN;
    int64_t k = minus ? -t.coef : t.coef;
    buf_text(out, leads ? (minus ? "-" : "") : minus ? " - " : " + ");
    if (t.mono == SYM_UNIT) {
        print_constant(k, out);
        return;
    }
    if (k != 1) {
        print_constant(k, out);
        buf_text(out, "*");
    }
    bool alone = m->degree == 1 && k == 1 && !(minus && leads);
    for (uint32_t i = 0; i < m->n; i++) {
        const struct factor *f = sym_factor(c, m->at[i].factor);
        /* an opaque sum after a binary minus would change its meaning */
        bool bare = alone && !(f->kind == F_ADD && minus);
        for (uint32_t q = 0; q < m->at[i].power; q++) {
            buf_text(out, i + q ? "*" : "");
            print_factor(c, f, bare, out);
        }
    }
}

static void print_sum(const struct sym_ctx *c, struct sym a, struct buf *out) {
    const struct poly *p = sym_poly(c, a);
    uint32_t n = p->n, done = 0;
    if (n == 0)
        buf_text(out, "0");
    bool constant = n > 0 && p->at[n - 1].mono == SYM_UNIT;
    uint32_t nonconstant = n - constant;
    bool positive = false;
    for (uint32_t k = 0; k < nonconstant; k++)
        positive |= p->at[k].coef > 0;
    bool constant_leads = constant && !positive && p->at[n - 1].coef > 0;
    if (constant_leads)
        print_term(c, p->at[n - 1], done++ == 0, out);
    for (int negative = 0; negative < 2; negative++)
        for (uint32_t k = 0; k < nonconstant; k++)
            if ((p->at[k].coef < 0) == negative)
                print_term(c, p->at[k], done++ == 0, out);
    if (constant && !constant_leads)
        print_term(c, p->at[n - 1], done == 0, out);
}

void sym_print(const struct sym_ctx *c, struct sym a, struct buf *out) {
    if (!sym_none(a))
        print_sum(c, a, out);
}
