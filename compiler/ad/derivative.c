/* Derivatives of the scalar operators, as expressions over their operands.
   At a tie max and min give all to the first operand; abs, floor and round have 0 where they have
   no derivative.

   Note [sides not taken]: `select`, max and min compute both sides, and a branch may not run. The
   adjoint of what was not taken is 0, and 0 times a derivative that is infinite would be NaN: of
   select(x > 0, sqrt(x), 0) at 0. So what reaches the loss through one of them gets 0 where its
   adjoint is 0. Sums of products are left alone: the check would cost the speed of products of
   matrices. For sqrt and log it is so everywhere: 0 ** 1.5, which is exp(1.5 * log(0)), has the
   derivative 0. */
#include "compiler/ad/ad.h"

static const struct expr *number(struct graph *g, enum dtype t, double v) {
    return expr_const(g, t, scalar_from_f64(t, v));
}

static const struct expr *op2(struct graph *g, enum scalar_op op, const struct expr *a,
                              const struct expr *b) {
    return expr_op(g, op, a, b, NULL);
}

static void derivative_of(struct graph *g, const struct expr *e, const struct expr *a,
                          const struct expr **out) {
    const struct expr *x = e->args[0], *y = e->args[1];
    enum dtype t = a->dtype;
    out[0] = out[1] = out[2] = NULL;
    if (e->kind == EXPR_CAST) {
        if (dtype_is_float(x->dtype))
            out[0] = expr_cast(g, x->dtype, a);
        return;
    }
    const struct expr *zero = number(g, t, 0), *first;
    switch (e->op) {
    case OP_ADD: out[0] = out[1] = a; break;
    case OP_SUB:
        out[0] = a;
        out[1] = expr_op(g, OP_NEG, a, NULL, NULL);
        break;
    case OP_MUL:
        out[0] = op2(g, OP_MUL, a, y);
        out[1] = op2(g, OP_MUL, a, x);
        break;
    case OP_DIV:
        out[0] = op2(g, OP_DIV, a, y);
        out[1] = expr_op(g, OP_NEG, op2(g, OP_DIV, op2(g, OP_MUL, a, e), y), NULL, NULL);
        break;
    case OP_NEG: out[0] = expr_op(g, OP_NEG, a, NULL, NULL); break;
    case OP_MAX:
    case OP_MIN:
        first = op2(g, e->op == OP_MAX ? OP_GE : OP_LE, x, y);
        out[0] = expr_op(g, OP_SELECT, first, a, zero);
        out[1] = expr_op(g, OP_SELECT, first, zero, a);
        break;
    case OP_ABS:
        out[0] = expr_op(
            g, OP_SELECT, op2(g, OP_GT, x, zero), a,
            expr_op(g, OP_SELECT, op2(g, OP_LT, x, zero), expr_op(g, OP_NEG, a, NULL, NULL), zero));
        break;
    case OP_SQRT: out[0] = op2(g, OP_DIV, op2(g, OP_MUL, a, number(g, t, 0.5)), e); break;
    case OP_EXP: out[0] = op2(g, OP_MUL, a, e); break;
    case OP_LOG: out[0] = op2(g, OP_DIV, a, x); break;
    case OP_TANH:
        out[0] = op2(g, OP_MUL, a, op2(g, OP_SUB, number(g, t, 1), op2(g, OP_MUL, e, e)));
        break;
    case OP_SELECT:
        out[1] = expr_op(g, OP_SELECT, x, a, zero);
        out[2] = expr_op(g, OP_SELECT, x, zero, a);
        break;
    default: break; /* comparisons, logic, integers, floor, round: 0 where they have one */
    }
}

bool derivative_is_steep(const struct expr *e) {
    return e->kind == EXPR_OP && (e->op == OP_SQRT || e->op == OP_LOG);
}

/* Its derivative is infinite where an operand or the result is, or at 0. */
static bool may_be_steep(const struct expr *e) {
    return e->kind == EXPR_OP &&
           (e->op == OP_MUL || e->op == OP_DIV || e->op == OP_EXP || e->op == OP_TANH);
}

void derivative(struct graph *g, const struct expr *e, const struct expr *a, bool guarded,
                const struct expr **out) {
    derivative_of(g, e, a, out);
    if (!derivative_is_steep(e) && !(guarded && may_be_steep(e)))
        return;
    const struct expr *zero = number(g, a->dtype, 0), *none = op2(g, OP_EQ, a, zero);
    for (int i = 0; i < 3; i++)
        if (out[i])
            out[i] = expr_op(g, OP_SELECT, none, zero, out[i]);
}

bool derivative_chooses(const struct expr *e) {
    return e->kind == EXPR_OP && (e->op == OP_SELECT || e->op == OP_MAX || e->op == OP_MIN);
}
