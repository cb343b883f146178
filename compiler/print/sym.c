/* Symbolic integers as expressions, in the order of sym_print: positive terms, negative ones, the
   constant; if nothing but the constant is positive it leads. */
#include "compiler/print/internal.h"

static struct ast *operand(struct printer *p, struct sym s);

/* The constant coefficient of term S, and whether there are other factors (the rest from
   operand *FROM on, or S itself). */
static int64_t coefficient(struct printer *p, struct sym s, uint32_t *from) {
    struct sym_ctx *c = p->g->syms;
    int64_t k;
    *from = 0;
    if (sym_is_const(c, s, &k))
        return k;
    if (sym_kind(c, s) == SYM_PRODUCT && sym_is_const(c, sym_operand(c, s, 0), &k)) {
        *from = 1;
        return k;
    }
    return 1;
}

/* Term S, its sign dropped if it is negative and ABSOLUTE. */
static struct ast *term(struct printer *p, struct sym s, bool absolute) {
    struct sym_ctx *c = p->g->syms;
    int64_t v;
    if (sym_is_const(c, s, &v))
        return ast_integer(p, absolute && v != INT64_MIN && v < 0 ? -v : v);
    if (sym_kind(c, s) != SYM_PRODUCT)
        return operand(p, s);
    uint32_t from;
    int64_t k = coefficient(p, s, &from);
    bool minus = k < 0 && k != INT64_MIN;
    if (minus && absolute)
        k = -k;
    struct ast *all = NULL;
    if (k == -1) {
        all = ast_unary(p, AOP_NEG, operand(p, sym_operand(c, s, from)));
        from++;
    } else if (k != 1) {
        all = ast_integer(p, k);
    }
    for (uint32_t i = from; i < sym_count(c, s); i++) {
        struct ast *x = operand(p, sym_operand(c, s, i));
        all = all ? ast_binary(p, AOP_MUL, all, x) : x;
    }
    return all;
}

/* Adds term S to ALL, which may be NULL. */
static struct ast *join(struct printer *p, struct ast *all, struct sym s) {
    uint32_t from;
    int64_t k = coefficient(p, s, &from);
    if (!all)
        return term(p, s, false);
    bool minus = k < 0 && k != INT64_MIN;
    return ast_binary(p, minus ? AOP_SUB : AOP_ADD, all, term(p, s, minus));
}

static struct ast *sum(struct printer *p, struct sym s) {
    struct sym_ctx *c = p->g->syms;
    uint32_t n = sym_count(c, s), from;
    int64_t constant = 0;
    struct sym last = sym_operand(c, s, n - 1);
    bool has_constant = sym_is_const(c, last, &constant), positive = false;
    if (has_constant)
        n--;
    for (uint32_t i = 0; i < n; i++)
        positive |= coefficient(p, sym_operand(c, s, i), &from) > 0;
    bool leads = has_constant && !positive && constant > 0;
    struct ast *all = leads ? join(p, NULL, last) : NULL;
    for (int negative = 0; negative < 2; negative++)
        for (uint32_t i = 0; i < n; i++) {
            struct sym t = sym_operand(c, s, i);
            if ((coefficient(p, t, &from) < 0) == negative)
                all = join(p, all, t);
        }
    return has_constant && !leads ? join(p, all, last) : all;
}

static struct ast *operand(struct printer *p, struct sym s) {
    struct sym_ctx *c = p->g->syms;
    int64_t v;
    struct name n;
    if (sym_is_const(c, s, &v))
        return ast_integer(p, v);
    if (sym_is_atom(c, s, &n)) {
        struct ast *x = ast_name(p, n);
        uint64_t narrow;
        return map_get(&p->narrow, n.i, &narrow) && narrow ? ast_call(p, "i64", 1, &x) : x;
    }
    enum sym_kind kind = sym_kind(c, s);
    if (kind == SYM_SUM)
        return sum(p, s);
    if (kind == SYM_PRODUCT)
        return term(p, s, false);
    struct ast *args[2] = {operand(p, sym_operand(c, s, 0)), operand(p, sym_operand(c, s, 1))};
    switch (kind) {
    case SYM_FLOORDIV: return ast_binary(p, AOP_FLOORDIV, args[0], args[1]);
    case SYM_MOD: return ast_binary(p, AOP_MOD, args[0], args[1]);
    case SYM_MIN: return ast_call(p, "min", 2, args);
    default: return ast_call(p, "max", 2, args);
    }
}

struct ast *sym_to_ast(struct printer *p, struct sym s) {
    struct name n;
    return sym_is_atom(p->g->syms, s, &n) ? ast_name(p, n) : operand(p, s);
}
