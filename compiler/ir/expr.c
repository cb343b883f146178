/* Scalar expressions: making, comparing, substituting, and the way to symbolic integers.
   An i64 leaf is a constant, a value, or a symbolic integer over indices and symbols; arithmetic on
   it stays as it is made, since arithmetic on data wraps: it becomes symbolic only where someone
   asks for it (expr_to_sym). */
#include "compiler/ir/graph.h"

#include <math.h>
#include <string.h>

static struct expr *expr_new(struct graph *g, enum expr_kind kind, enum dtype t) {
    struct expr *e = ARENA_NEW(g->arena, struct expr);
    e->kind = kind;
    e->dtype = t;
    e->op = OP_COUNT;
    return e;
}

const struct expr *expr_const(struct graph *g, enum dtype t, union scalar v) {
    struct expr *e = expr_new(g, EXPR_CONST, t);
    e->constant = v;
    return e;
}

const struct expr *expr_value(struct graph *g, enum dtype t, struct name n) {
    struct expr *e = expr_new(g, EXPR_VALUE, t);
    e->value = n;
    return e;
}

const struct expr *expr_sym(struct graph *g, struct sym s) {
    union scalar v;
    if (sym_is_const(g->syms, s, &v.i64))
        return expr_const(g, DT_i64, v);
    struct expr *e = expr_new(g, EXPR_SYM, DT_i64);
    e->sym = s;
    return e;
}

const struct expr *expr_op(struct graph *g, enum scalar_op op, const struct expr *a,
                           const struct expr *b, const struct expr *c) {
    enum dtype operand = op == OP_SELECT ? b->dtype : a->dtype;
    enum dtype t = scalars[op].result == RESULT_BOOL ? DT_bool : operand;
    const struct expr *args[3] = {a, b, c};
    union scalar v[3];
    bool constant = true;
    for (unsigned k = 0; k < scalars[op].arity; k++) {
        constant = constant && args[k]->kind == EXPR_CONST;
        v[k] = args[k]->constant;
    }
    if (constant)
        return expr_const(g, t, scalar_eval(op, operand, v));
    struct expr *e = expr_new(g, EXPR_OP, t);
    e->op = op;
    for (unsigned k = 0; k < scalars[op].arity; k++)
        e->args[k] = args[k];
    return e;
}

const struct expr *expr_cast(struct graph *g, enum dtype t, const struct expr *a) {
    if (a->dtype == t)
        return a;
    if (a->kind == EXPR_CONST)
        return expr_const(g, t, scalar_cast(a->dtype, t, a->constant));
    struct expr *e = expr_new(g, EXPR_CAST, t);
    e->args[0] = a;
    return e;
}

uint32_t expr_nargs(const struct expr *e) {
    return e->kind == EXPR_OP ? scalars[e->op].arity : e->kind == EXPR_CAST;
}

bool expr_equal(const struct expr *a, const struct expr *b) {
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind || a->dtype != b->dtype)
        return false;
    switch (a->kind) {
    case EXPR_CONST: return scalar_same(a->dtype, a->constant, b->constant);
    case EXPR_VALUE: return name_eq(a->value, b->value);
    case EXPR_SYM: return sym_eq(a->sym, b->sym);
    case EXPR_OP:
        if (a->op != b->op)
            return false;
        break;
    case EXPR_CAST: break;
    }
    for (uint32_t k = 0; k < expr_nargs(a); k++)
        if (!expr_equal(a->args[k], b->args[k]))
            return false;
    return true;
}

static bool op_to_sym(struct sym_ctx *c, enum scalar_op op, struct sym a, struct sym b,
                      struct sym *s) {
    switch (op) {
    case OP_ADD: *s = sym_add(c, a, b); return true;
    case OP_SUB: *s = sym_sub(c, a, b); return true;
    case OP_MUL: *s = sym_mul(c, a, b); return true;
    case OP_FLOORDIV: *s = sym_floordiv(c, a, b); return true;
    case OP_MOD: *s = sym_mod(c, a, b); return true;
    case OP_MIN: *s = sym_min(c, a, b); return true;
    case OP_MAX: *s = sym_max(c, a, b); return true;
    case OP_NEG: *s = sym_neg(c, a); return true;
    default: return false;
    }
}

bool expr_to_sym(const struct graph *g, const struct expr *e, struct sym *s) {
    if (e->dtype != DT_i64)
        return false;
    switch (e->kind) {
    case EXPR_CONST: *s = sym_const(g->syms, e->constant.i64); return true;
    case EXPR_VALUE: *s = sym_atom(g->syms, e->value); return true;
    case EXPR_SYM: *s = e->sym; return true;
    case EXPR_CAST: {
        const struct expr *a = e->args[0];
        if (a->kind != EXPR_VALUE || !dtype_is_int(a->dtype))
            return false;
        *s = sym_atom(g->syms, a->value);
        return true;
    }
    case EXPR_OP: break;
    }
    struct sym args[3] = {{0}, {0}, {0}};
    for (uint32_t k = 0; k < expr_nargs(e); k++)
        if (!expr_to_sym(g, e->args[k], &args[k]))
            return false;
    bool overflowed = sym_overflowed(g->syms);
    return op_to_sym(g->syms, e->op, args[0], args[1], s) &&
           (overflowed || !sym_overflowed(g->syms));
}

/* The expression that replaces value N, or NULL. */
static const struct expr *replacement(const struct subst *s, struct name n) {
    for (uint32_t k = 0; k < s->nexprs; k++)
        if (name_eq(s->value[k], n))
            return s->expr[k];
    return NULL;
}

static const struct expr *subst_sym(struct graph *g, const struct expr *e, const struct subst *s) {
    struct sym to = sym_subst(g->syms, e->sym, s->n, s->from, s->to);
    return sym_eq(to, e->sym) ? e : expr_sym(g, to);
}

static const struct expr *subst_value(struct graph *g, const struct expr *e,
                                      const struct subst *s) {
    const struct expr *by = replacement(s, e->value);
    if (by)
        return by;
    for (uint32_t k = 0; k < s->n; k++) {
        struct name n;
        if (!name_eq(s->from[k], e->value))
            continue;
        if (sym_is_atom(g->syms, s->to[k], &n))
            return name_eq(n, e->value) ? e : expr_value(g, e->dtype, n);
        return expr_cast(g, e->dtype, expr_sym(g, s->to[k]));
    }
    return e;
}

const struct expr *expr_subst(struct graph *g, const struct expr *e, const struct subst *s) {
    switch (e->kind) {
    case EXPR_CONST: return e;
    case EXPR_VALUE: return subst_value(g, e, s);
    case EXPR_SYM: return subst_sym(g, e, s);
    case EXPR_OP:
    case EXPR_CAST: break;
    }
    const struct expr *args[3] = {NULL, NULL, NULL};
    bool changed = false;
    for (uint32_t k = 0; k < expr_nargs(e); k++) {
        args[k] = expr_subst(g, e->args[k], s);
        changed |= args[k] != e->args[k];
    }
    if (!changed)
        return e;
    if (e->kind == EXPR_CAST)
        return expr_cast(g, e->dtype, args[0]);
    return expr_op(g, e->op, args[0], args[1], args[2]);
}
