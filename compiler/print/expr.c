/* Scalar expressions as syntax.

   Note [types in the text form]
   The text gives no types, so an expression has to come back with those it had. A literal takes
   the type it meets: the other operand's, the container's. Where nothing typed stands beside it, it
   is converted: f32(1.0). Arithmetic, min and max of symbolic integers (symbols and indices) is
   symbolic, and a comparison of two of them may be decided on reading; so where such an operator is
   one of the graph, its first operand is marked as a scalar: i64(i) + 1. Values are scalars by
   themselves. */
#include "compiler/print/internal.h"

/* Whether E reads back as a symbolic integer or a number: no scalar of any type yet. */
static bool untyped(const struct expr *e) {
    return e->kind == EXPR_CONST || e->kind == EXPR_SYM;
}

static const enum ast_op infix[OP_COUNT] = {
    [OP_ADD] = AOP_ADD, [OP_SUB] = AOP_SUB, [OP_MUL] = AOP_MUL,
    [OP_DIV] = AOP_DIV, [OP_MOD] = AOP_MOD, [OP_FLOORDIV] = AOP_FLOORDIV,
    [OP_LT] = AOP_LT,   [OP_LE] = AOP_LE,   [OP_GT] = AOP_GT,
    [OP_GE] = AOP_GE,   [OP_EQ] = AOP_EQ,   [OP_NE] = AOP_NE,
    [OP_AND] = AOP_AND, [OP_OR] = AOP_OR,   [OP_NOT] = AOP_NOT,
    [OP_NEG] = AOP_NEG,
};

static struct ast *operator(struct printer *p, enum scalar_op op, struct ast **args) {
    switch (scalars[op].form) {
    case FORM_INFIX: return ast_binary(p, infix[op], args[0], args[1]);
    case FORM_PREFIX: return ast_unary(p, infix[op], args[0]);
    case FORM_CALL: break;
    }
    return ast_call(p, scalars[op].spelling, scalars[op].arity, args);
}

/* Whether E compares two symbolic integers and reads back as such without a mark: an inequality of
   which only the difference of the sides could decide it, and does not. EQUALITY: == and != too. */
static bool open_comparison(struct printer *p, const struct expr *e, bool equality) {
    struct sym a, b;
    int64_t v;
    if (e->kind != EXPR_OP || scalars[e->op].arity != 2 || scalars[e->op].result != RESULT_BOOL ||
        (!equality && (e->op == OP_EQ || e->op == OP_NE)))
        return false;
    return untyped(e->args[0]) && untyped(e->args[1]) && expr_to_sym(p->g, e->args[0], &a) &&
           expr_to_sym(p->g, e->args[1], &b) &&
           !sym_is_const(p->g->syms, sym_sub(p->g->syms, a, b), &v);
}

/* See Note [types in the text form]: the first operand carries the type if no other does. */
static struct ast *op_to_ast(struct printer *p, const struct expr *e, bool equality) {
    uint32_t n = scalars[e->op].arity, first = e->op == OP_SELECT;
    bool typed = open_comparison(p, e, equality);
    for (uint32_t k = first; k < n; k++)
        typed |= !untyped(e->args[k]);
    struct ast *args[3];
    if (e->op == OP_SELECT)
        args[0] = expr_to_ast(p, e->args[0], true);
    /* `true or x` is true to the evaluator, which does not look at x. */
    bool decides = e->op == OP_AND || e->op == OP_OR;
    for (uint32_t k = first; k < n; k++)
        args[k] = expr_to_ast(p, e->args[k], k == first && (!typed || decides));
    return operator(p, e->op, args);
}

static struct ast *convert(struct printer *p, enum dtype t, struct ast *x) {
    return ast_call(p, dtypes[t].name, 1, &x);
}

struct ast *expr_to_ast(struct printer *p, const struct expr *e, bool typed) {
    bool mark = typed && untyped(e);
    struct ast *x = NULL;
    switch (e->kind) {
    case EXPR_CONST: x = ast_literal(p, e->dtype, e->constant); break;
    case EXPR_VALUE: return ast_name(p, e->value);
    case EXPR_SYM: x = sym_to_ast(p, e->sym); break;
    case EXPR_OP: return op_to_ast(p, e, false);
    case EXPR_CAST: return convert(p, e->dtype, expr_to_ast(p, e->args[0], false));
    }
    return mark ? convert(p, e->dtype, x) : x;
}

struct ast *condition_to_ast(struct printer *p, const struct expr *e) {
    if (open_comparison(p, e, true))
        return op_to_ast(p, e, true);
    if (e->kind != EXPR_OP || (e->op != OP_AND && e->op != OP_OR && e->op != OP_NOT))
        return expr_to_ast(p, e, true);
    struct ast *args[2];
    for (uint32_t k = 0; k < scalars[e->op].arity; k++)
        args[k] = condition_to_ast(p, e->args[k]);
    return operator(p, e->op, args);
}
