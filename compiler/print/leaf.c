/* The smallest pieces of syntax: names, calls, operators, literals.
   A negative literal is one node, which is what the parser makes of a minus before a literal. */
#include "compiler/print/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct ast *ast_leaf(struct printer *p, enum ast_kind kind) {
    return ast_new(p->arena, kind, p->span, 0);
}

struct ast *ast_name(struct printer *p, struct name n) {
    struct ast *x = ast_leaf(p, AST_NAME);
    x->name = n;
    return x;
}

struct ast *ast_word(struct printer *p, const char *text) {
    return ast_name(p, name_of_text(p->g->names, text));
}

struct ast *ast_unary(struct printer *p, enum ast_op op, struct ast *x) {
    struct ast *e = ast_new(p->arena, AST_UNARY, p->span, 1);
    e->op = op;
    e->kids[0] = x;
    return e;
}

struct ast *ast_binary(struct printer *p, enum ast_op op, struct ast *x, struct ast *y) {
    struct ast *e = ast_new(p->arena, AST_BINARY, p->span, 2);
    e->op = op;
    e->kids[0] = x;
    e->kids[1] = y;
    return e;
}

struct ast *ast_call(struct printer *p, const char *callee, uint32_t n, struct ast *const *args) {
    struct ast *e = ast_new(p->arena, AST_CALL, p->span, 1 + n);
    e->kids[0] = ast_word(p, callee);
    for (uint32_t k = 0; k < n; k++)
        e->kids[1 + k] = args[k];
    return e;
}

struct ast *ast_integer(struct printer *p, int64_t v) {
    struct ast *x = ast_leaf(p, AST_INT);
    x->integer = v;
    return x;
}

static struct ast *real(struct printer *p, double v) {
    struct ast *x = ast_leaf(p, AST_FLOAT);
    x->number = isnan(v) ? (double)NAN : v;
    return x;
}

/* The f64 with the shortest text among those that round to V. Format and strtod share a locale, so
   it does not matter which. */
static double shortest(enum dtype t, union scalar v) {
    double wide = scalar_to_f64(t, v);
    for (int digits = 1; digits < 9 && isfinite(wide) && t != DT_f64; digits++) {
        char text[40];
        snprintf(text, sizeof text, "%.*g", digits, wide);
        double d = strtod(text, NULL);
        if (scalar_same(t, scalar_from_f64(t, d), v))
            return d;
    }
    return wide;
}

struct ast *ast_literal(struct printer *p, enum dtype t, union scalar v) {
    if (dtype_is_float(t))
        return real(p, shortest(t, v));
    if (dtype_is_int(t)) /* of u64 the bits: a negative number wraps to it */
        return ast_integer(p, scalar_to_i64(t, v));
    struct ast *x = ast_leaf(p, AST_BOOL);
    x->integer = v.b;
    return x;
}
