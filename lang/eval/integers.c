/* Integers of the evaluator: plain numbers where both operands are, symbolic ones otherwise.
   Plain arithmetic that overflows wraps, and the result is marked: it is no size. */
#include "lang/eval/eval.h"

#include "lang/eval/internal.h"

struct sym value_sym(struct eval *ev, const struct value *v) {
    return v->kind == VAL_SYM ? v->sym : sym_const(ev->syms, v->i);
}

struct value value_from_sym(struct eval *ev, struct sym s) {
    int64_t k;
    if (sym_is_const(ev->syms, s, &k))
        return value_int(k);
    return (struct value){.kind = VAL_SYM, .dtype = DT_NONE, .sym = s};
}

static int64_t floor_div(int64_t a, int64_t b) {
    if (b == 0)
        return 0;
    if (b == -1)
        return (int64_t)(0 - (uint64_t)a);
    int64_t q = a / b;
    return q - (a % b != 0 && (a % b < 0) != (b < 0));
}

static int64_t floor_mod(int64_t a, int64_t b) {
    if (b == 0 || b == -1)
        return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

struct value int_op(struct eval *ev, enum int_op op, const struct value *a, const struct value *b) {
    if (a->kind == VAL_INT && b->kind == VAL_INT) {
        int64_t x = a->i, y = b->i, r;
        bool overflow = false;
        switch (op) {
        case INT_ADD: overflow = __builtin_add_overflow(x, y, &r); break;
        case INT_SUB: overflow = __builtin_sub_overflow(x, y, &r); break;
        case INT_MUL: overflow = __builtin_mul_overflow(x, y, &r); break;
        case INT_FLOORDIV: r = floor_div(x, y); break;
        case INT_MOD: r = floor_mod(x, y); break;
        case INT_MIN: r = x < y ? x : y; break;
        default: r = x > y ? x : y; break;
        }
        struct value v = value_int(r);
        v.wrapped = overflow || a->wrapped || b->wrapped;
        return v;
    }
    struct sym x = value_sym(ev, a), y = value_sym(ev, b), r;
    switch (op) {
    case INT_ADD: r = sym_add(ev->syms, x, y); break;
    case INT_SUB: r = sym_sub(ev->syms, x, y); break;
    case INT_MUL: r = sym_mul(ev->syms, x, y); break;
    case INT_FLOORDIV: r = sym_floordiv(ev->syms, x, y); break;
    case INT_MOD: r = sym_mod(ev->syms, x, y); break;
    case INT_MIN: r = sym_min(ev->syms, x, y); break;
    default: r = sym_max(ev->syms, x, y); break;
    }
    return value_from_sym(ev, r);
}

int int_equal(struct eval *ev, const struct value *a, const struct value *b) {
    if (a->kind == VAL_INT && b->kind == VAL_INT)
        return a->i == b->i;
    struct sym x = value_sym(ev, a), y = value_sym(ev, b);
    if (sym_eq(x, y))
        return 1;
    int64_t k;
    if (sym_is_const(ev->syms, sym_sub(ev->syms, x, y), &k))
        return k == 0;
    if (ev->facts) {
        if (sym_prove_eq(ev->facts, x, y))
            return 1;
        if (sym_prove_lt(ev->facts, x, y) || sym_prove_lt(ev->facts, y, x))
            return 0;
    }
    return -1;
}
