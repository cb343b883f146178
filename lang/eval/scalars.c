/* Operators and casts on every kind of value. Static numbers are computed at once; symbolic
   integers stay symbolic as long as the operator allows; with a run-time scalar the host applies
      the
   operator; with a tensor the operator becomes a map over the broadcast of all operands.
   Static numbers are "weak": they take the element type that they meet. */
#include "lang/eval/internal.h"

#include <math.h>
#include <string.h>

enum scalar_op binary_scalar(int aop) {
    static const enum scalar_op ops[AOP_COUNT] = {
        [AOP_ADD] = OP_ADD,
        [AOP_SUB] = OP_SUB,
        [AOP_MUL] = OP_MUL,
        [AOP_DIV] = OP_DIV,
        [AOP_FLOORDIV] = OP_FLOORDIV,
        [AOP_MOD] = OP_MOD,
        [AOP_POW] = OP_COUNT,
        [AOP_MATMUL] = OP_COUNT,
        [AOP_IN] = OP_COUNT,
        [AOP_LT] = OP_LT,
        [AOP_LE] = OP_LE,
        [AOP_GT] = OP_GT,
        [AOP_GE] = OP_GE,
        [AOP_EQ] = OP_EQ,
        [AOP_NE] = OP_NE,
        [AOP_AND] = OP_AND,
        [AOP_OR] = OP_OR,
        [AOP_NOT] = OP_NOT,
        [AOP_NEG] = OP_NEG,
    };
    return ops[aop];
}

bool read_if_scalar(struct eval *ev, struct value *v, struct span span) {
    if (v->kind != VAL_TENSOR || v->tensor->rank != 0)
        return true;
    struct value out, at[EVAL_MAX_RANK];
    real_indices(ev, v->tensor, NULL, at);
    if (!ev->ops->read(ev->host, v->tensor, at, NULL, span, &out))
        return false;
    *v = out;
    return true;
}

/* CARRIED is an operand that a loop carries, or NULL: its type is that from before the loop. */
static bool mismatch_of(struct eval *ev, const char *what, enum dtype a, enum dtype b,
                        const struct tensor *carried, struct span span) {
    struct diag *e =
        diag_error(ev->diags, span, ERR_DTYPE_MISMATCH, what, dtypes[a].name, dtypes[b].name);
    if (carried)
        diag_help(ev->diags, e, "%s keeps the type that it has before the loop: %s = %s(..) there",
                  text_of(ev, carried->name), text_of(ev, carried->name),
                  dtypes[carried->dtype == a ? b : a].name);
    else
        diag_help(ev->diags, e, "convert one of them: %s(..) or %s(..)", dtypes[a].name,
                  dtypes[b].name);
    return false;
}

static bool mismatch(struct eval *ev, const char *what, enum dtype a, enum dtype b,
                     struct span span) {
    return mismatch_of(ev, what, a, b, NULL, span);
}

/* Whether T, an element type, holds the static number V. A u64 beyond those of i64 is written as
   the negative number that it wraps to. */
static bool holds_number(struct eval *ev, enum dtype t, const struct value *v, const char *what,
                         struct span span) {
    if (!dtype_is_int(t) || t == DT_u64 || !(v->kind == VAL_INT || v->kind == VAL_FLOAT))
        return true;
    union scalar whole = {.i64 = v->kind == VAL_INT ? v->i : (int64_t)v->f};
    union scalar wrapped = scalar_cast(DT_i64, t, whole);
    if (scalar_cast(t, DT_i64, wrapped).i64 == whole.i64)
        return true;
    int64_t least = scalar_cast(t, DT_i64, resolution_identity(RES_MAX, t)).i64;
    int64_t most = scalar_cast(t, DT_i64, resolution_identity(RES_MIN, t)).i64;
    struct diag *d = diag_error(ev->diags, span, ERR_DTYPE_EXPECTED, what,
                                arena_printf(ev->arena, "%s, from %lld to %lld", dtypes[t].name,
                                             (long long)least, (long long)most),
                                value_text(ev, v));
    diag_help(ev->diags, d, "%s(..) wraps", dtypes[t].name);
    return false;
}

bool number_fits(struct eval *ev, enum dtype t, const struct value *v, const char *what,
                 struct span span) {
    bool fits =
        v->kind == VAL_BOOL   ? dtypes[t].class == DC_BOOL
        : value_is_integer(v) ? dtypes[t].class != DC_BOOL
        : v->kind == VAL_FLOAT
            ? dtype_is_float(t) || (dtype_is_int(t) && v->f == floor(v->f) && fabs(v->f) < 9.2e18)
            : false;
    if (!fits) {
        struct diag *d = diag_error(ev->diags, span, ERR_DTYPE_EXPECTED, what, dtypes[t].name,
                                    value_text(ev, v));
        if (v->kind == VAL_FLOAT && dtype_is_int(t))
            diag_help(ev->diags, d,
                      "%s holds no fractions: f32(..) of what has that type, or a whole number",
                      dtypes[t].name);
        return false;
    }
    return holds_number(ev, t, v, what, span);
}

bool to_scalar(struct eval *ev, enum dtype t, struct value *v, const char *what, struct span span) {
    if (!read_if_scalar(ev, v, span))
        return false;
    struct value out;
    if (v->kind == VAL_SCALAR) {
        if (v->dtype == t) {
            v->weak = false;
            return true;
        }
        if (!v->weak || !dtype_is_float(t))
            return mismatch(ev, what, t, v->dtype, span);
        if (!ev->ops->cast(ev->host, t, v, span, &out))
            return false;
        out.weak = false;
        *v = out;
        return true;
    }
    if (!number_fits(ev, t, v, what, span))
        return false;
    if (!ev->ops->constant(ev->host, t, v, span, &out))
        return false;
    *v = out;
    return true;
}

/* The operators that integers have, plain or symbolic; false for others. */
static bool integer_op(struct eval *ev, enum scalar_op op, const struct value *a,
                       struct value *out) {
    struct value zero = value_int(0);
    switch (op) {
    case OP_ADD: *out = int_op(ev, INT_ADD, &a[0], &a[1]); return true;
    case OP_SUB: *out = int_op(ev, INT_SUB, &a[0], &a[1]); return true;
    case OP_MUL: *out = int_op(ev, INT_MUL, &a[0], &a[1]); return true;
    case OP_FLOORDIV: *out = int_op(ev, INT_FLOORDIV, &a[0], &a[1]); return true;
    case OP_MOD: *out = int_op(ev, INT_MOD, &a[0], &a[1]); return true;
    case OP_MIN: *out = int_op(ev, INT_MIN, &a[0], &a[1]); return true;
    case OP_MAX: *out = int_op(ev, INT_MAX, &a[0], &a[1]); return true;
    case OP_NEG: *out = int_op(ev, INT_SUB, &zero, &a[0]); return true;
    default: return false;
    }
}

static bool static_op(struct eval *ev, enum scalar_op op, uint32_t n, struct value *a,
                      struct span span, struct value *out) {
    bool ints = true, bools = true;
    for (uint32_t i = 0; i < n; i++) {
        ints = ints && (a[i].kind == VAL_INT || (op == OP_SELECT && i == 0));
        bools = bools && a[i].kind == VAL_BOOL;
    }
    if (op == OP_SELECT) {
        if (a[0].kind != VAL_BOOL) {
            diag_error(ev->diags, span, ERR_ARG_KIND, "select", "the condition", "a truth value",
                       value_text(ev, &a[0]));
            return false;
        }
        *out = a[0].b ? a[1] : a[2];
        return true;
    }
    if ((op == OP_EQ || op == OP_NE) && (a[0].kind == VAL_BOOL || a[1].kind == VAL_BOOL)) {
        *out = value_bool(value_equal(&a[0], &a[1]) == (op == OP_EQ));
        return true;
    }
    bool one = false;
    for (uint32_t i = 0; i < n; i++)
        one = one || a[i].kind == VAL_BOOL;
    if (one && !bools && (scalars[op].operands & DC_FLOAT)) {
        diag_error(ev->diags, span, ERR_ARG_KIND, scalars[op].spelling, "an operand", "a number",
                   "a truth value");
        return false;
    }
    if (!bools && (scalars[op].operands & DC_BOOL) && !(scalars[op].operands & DC_FLOAT)) {
        diag_error(ev->diags, span, ERR_ARG_KIND, scalars[op].spelling, "an operand",
                   "a truth value", value_kind_name(a[0].kind == VAL_BOOL ? &a[n - 1] : &a[0]));
        return false;
    }
    if (ints && !bools && integer_op(ev, op, a, out))
        return true;
    union scalar args[3] = {{0}};
    enum dtype t = bools ? DT_bool : ints && (scalars[op].operands & DC_INT) ? DT_i64 : DT_f64;
    if (bools && !(scalars[op].operands & DC_BOOL)) {
        diag_error(ev->diags, span, ERR_ARG_KIND, scalars[op].spelling, "an operand", "a number",
                   "a truth value");
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (t == DT_bool)
            args[i].b = a[i].b;
        else if (t == DT_i64)
            args[i].i64 = a[i].i;
        else
            args[i].f64 = a[i].kind == VAL_FLOAT ? a[i].f
                          : a[i].kind == VAL_INT ? (double)a[i].i
                                                 : a[i].b;
    }
    if (t == DT_f64 && !(scalars[op].operands & DC_FLOAT)) { /* // and % on numbers with a point */
        diag_error(ev->diags, span, ERR_ARG_KIND, scalars[op].spelling, "an operand", "an integer",
                   "a number");
        return false;
    }
    union scalar r = scalar_eval(op, t, args);
    if (scalars[op].result == RESULT_BOOL || t == DT_bool)
        *out = value_bool(r.b);
    else if (t == DT_i64)
        *out = value_int(r.i64);
    else
        *out = value_float(r.f64);
    return true;
}

/* Integers of which one is symbolic: true if the result stays symbolic or is decided. */
static bool symbolic_op(struct eval *ev, enum scalar_op op, const struct value *a,
                        struct value *out) {
    if (integer_op(ev, op, a, out))
        return true;
    if (scalars[op].result == RESULT_BOOL && scalars[op].arity == 2) {
        struct value d = int_op(ev, INT_SUB, &a[0], &a[1]); /* a - b against 0 */
        struct value zero = value_int(0);
        int eq = d.kind == VAL_INT ? d.i == 0 : -1;
        if ((op == OP_EQ || op == OP_NE) && eq < 0 && ev->facts)
            eq = int_equal(ev, &a[0], &a[1]);
        if (d.kind == VAL_INT) {
            struct value args[2] = {d, zero};
            return static_op(ev, op, 2, args, (struct span){0}, out);
        }
        if (eq >= 0 && (op == OP_EQ || op == OP_NE)) {
            *out = value_bool((eq == 1) == (op == OP_EQ));
            return true;
        }
    }
    return false;
}

struct lift {
    struct eval *ev;
    enum scalar_op op; /* OP_COUNT: cast to dtype */
    enum dtype dtype;
    uint32_t n;
    struct value *args;
    struct tensor *out;
    struct span span;
};

static bool lift_body(void *data, const struct value *index) {
    struct lift *l = data;
    struct value args[3], r, at[EVAL_MAX_RANK];
    for (uint32_t i = 0; i < l->n; i++) {
        args[i] = l->args[i];
        if (args[i].kind != VAL_TENSOR)
            continue;
        struct tensor *t = args[i].tensor;
        real_indices(l->ev, t, index, at);
        if (!l->ev->ops->read(l->ev->host, t, at, NULL, l->span, &args[i]))
            return false;
    }
    if (l->op == OP_COUNT ? !l->ev->ops->cast(l->ev->host, l->dtype, &args[0], l->span, &r)
                          : !l->ev->ops->scalar(l->ev->host, l->op, args, l->span, &r))
        return false;
    return l->ev->ops->write(l->ev->host, l->out, index, r, RES_NONE, false, l->span);
}

/* Applies the operator of L to tensors: L->args are SCALARs of the right type or TENSORs. */
static bool lift(struct eval *ev, struct lift *l, const char *what, enum dtype result,
                 struct value *out) {
    uint32_t rank = 0;
    struct value *dims = NULL;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->args[i].kind == VAL_TENSOR &&
            !broadcast_dims(ev, what, &rank, &dims, l->args[i].tensor->rank,
                            l->args[i].tensor->dims, l->span))
            return false;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->args[i].kind == VAL_TENSOR) {
            struct tensor *t = l->args[i].tensor;
            l->args[i].tensor = tensor_broadcast(ev, t, 0, t->rank, rank, dims);
        }
    l->out = declare(ev, result, rank, dims, STORE_NONE, NULL, (struct name){0}, l->span);
    if (!l->out)
        return false;
    if (!map_elements(ev, rank, dims, l->span, lift_body, l))
        return false;
    *out = value_tensor(l->out);
    return true;
}

bool apply_op(struct eval *ev, enum scalar_op op, uint32_t n, struct value *args, struct span span,
              struct value *out) {
    const struct scalar_info *info = &scalars[op];
    bool tensors = false, runtime = false, symbolic = false;
    for (uint32_t i = 0; i < n; i++)
        if (args[i].kind == VAL_LIST && args[i].list->path)
            return gradient_op(ev, op, n, args, span, out);
    if (!lists_beside(ev, op, n, args, span))
        return false;
    bool alone = n == 1 && (args[0].kind == VAL_LIST || args[0].kind == VAL_PACK);
    if (alone && stands_for_tensor(&args[0])) {
        enum dtype numbers = info->operands == OPERANDS_FLT ? DT_f32 : DT_NONE;
        if (!list_tensor(ev, list_element(&args[0], numbers), (struct name){0}, span, &args[0]))
            return false;
    }
    const struct tensor *carried = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind == VAL_TENSOR && args[i].tensor->carried && args[i].tensor->rank == 0)
            carried = args[i].tensor;
        if (!read_if_scalar(ev, &args[i], span))
            return false;
        if (!value_is_scalar(&args[i]) && args[i].kind != VAL_TENSOR) {
            if ((op == OP_EQ || op == OP_NE) && n == 2) {
                *out = value_bool(value_equal(&args[0], &args[1]) == (op == OP_EQ));
                return true;
            }
            struct diag *d = diag_error(ev->diags, span, ERR_ARG_KIND, info->spelling, "an operand",
                                        "a number or tensor", value_kind_name(&args[i]));
            advise_operand(ev, d, &args[i]);
            return false;
        }
        tensors = tensors || args[i].kind == VAL_TENSOR;
        runtime = runtime || args[i].kind == VAL_SCALAR;
        symbolic = symbolic || args[i].kind == VAL_SYM;
    }
    if (!tensors && !runtime && !symbolic)
        return static_op(ev, op, n, args, span, out);
    if (!tensors && !runtime) {
        bool ints = true;
        for (uint32_t i = 0; i < n; i++)
            ints = ints && value_is_integer(&args[i]);
        if (ints && symbolic_op(ev, op, args, out))
            return true;
        if (op == OP_SELECT && args[0].kind == VAL_BOOL) {
            *out = args[0].b ? args[1] : args[2];
            return true;
        }
    }
    /* The element type that the operands share. */
    enum dtype t = DT_NONE;
    bool weak = true, number = false;
    for (uint32_t i = op == OP_SELECT; i < n; i++) {
        bool strong = args[i].kind == VAL_TENSOR || (args[i].kind == VAL_SCALAR && !args[i].weak);
        if (strong) {
            if (!weak && t != args[i].dtype)
                return mismatch_of(ev, info->spelling, t, args[i].dtype, carried, span);
            t = args[i].dtype;
            weak = false;
        }
        number = number || args[i].kind == VAL_FLOAT || args[i].kind == VAL_SCALAR;
    }
    if (weak) { /* numbers and symbols only */
        bool ints = info->operands & DC_INT;
        t = number || !ints ? DT_f64 : DT_i64;
        for (uint32_t i = op == OP_SELECT; i < n; i++)
            if (args[i].kind == VAL_BOOL ||
                (args[i].kind == VAL_SCALAR && args[i].dtype == DT_bool))
                t = DT_bool;
    }
    if (!(info->operands & dtypes[t].class)) {
        struct diag *e = diag_error(ev->diags, span, ERR_DTYPE_EXPECTED, info->spelling,
                                    info->operands == OPERANDS_FLT    ? "a float type"
                                    : info->operands == OPERANDS_INT  ? "an integer type"
                                    : info->operands == OPERANDS_BOOL ? "bool"
                                                                      : "a number type",
                                    dtypes[t].name);
        if (op == OP_DIV)
            diag_help(ev->diags, e, "`//` divides integers");
        else if (info->operands == OPERANDS_FLT && dtype_is_int(t))
            diag_help(ev->diags, e, "f32(..) converts");
        else if (op == OP_FLOORDIV && dtype_is_float(t))
            diag_help(ev->diags, e, "of floats write floor(x / y)");
        else if (op == OP_MOD && dtype_is_float(t))
            diag_help(ev->diags, e, "of floats write x - y * floor(x / y)");
        else if (info->operands == OPERANDS_BOOL)
            diag_help(ev->diags, e, "compare first, as in x != 0");
        else if (t == DT_bool)
            diag_help(ev->diags, e, TRUTH_COUNTS);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        enum dtype want = op == OP_SELECT && i == 0 ? DT_bool : t;
        if (args[i].kind == VAL_TENSOR) {
            if (args[i].dtype != want && op == OP_SELECT && i == 0) {
                diag_error(ev->diags, span, ERR_DTYPE_EXPECTED, "select: the condition", "bool",
                           value_text(ev, &args[0]));
                return false;
            }
            if (args[i].dtype != want)
                return mismatch(ev, info->spelling, want, args[i].dtype, span);
        } else if (!to_scalar(ev, want, &args[i], info->spelling, span)) {
            return false;
        }
    }
    enum dtype result = info->result == RESULT_BOOL ? DT_bool : t;
    if (tensors) {
        struct lift l = {.ev = ev, .op = op, .n = n, .args = args, .span = span};
        return lift(ev, &l, info->spelling, result, out);
    }
    if (!ev->ops->scalar(ev->host, op, args, span, out))
        return false;
    out->weak = weak && t == DT_f64 && result == DT_f64;
    return true;
}

bool apply_cast(struct eval *ev, enum dtype t, struct value *v, struct span span,
                struct value *out) {
    bool list = v->kind == VAL_LIST || v->kind == VAL_PACK;
    if (list && stands_for_tensor(v)) {
        enum dtype own = list_element(v, dtype_is_float(t) ? t : DT_NONE);
        if (!list_tensor(ev, own, (struct name){0}, span, v))
            return false;
    }
    if (!read_if_scalar(ev, v, span))
        return false;
    if (v->kind == VAL_TENSOR) {
        if (v->dtype == t) {
            *out = *v;
            return true;
        }
        struct lift l = {.ev = ev, .op = OP_COUNT, .dtype = t, .n = 1, .args = v, .span = span};
        return lift(ev, &l, dtypes[t].name, t, out);
    }
    if (v->kind == VAL_SCALAR) {
        if (v->dtype == t) {
            *out = *v;
            out->weak = false;
            return true;
        }
        return ev->ops->cast(ev->host, t, v, span, out);
    }
    if (!value_is_number(v) && v->kind != VAL_BOOL) {
        diag_error(ev->diags, span, ERR_ARG_KIND, dtypes[t].name, "the argument",
                   "a number or tensor", value_kind_name(v));
        return false;
    }
    if (v->kind == VAL_SYM && t != DT_i64) {
        struct value x;
        return ev->ops->constant(ev->host, DT_i64, v, span, &x) &&
               ev->ops->cast(ev->host, t, &x, span, out);
    }
    struct value x = *v; /* a static number: the same rules as at run time */
    union scalar s;
    enum dtype from = v->kind == VAL_FLOAT ? DT_f64 : v->kind == VAL_BOOL ? DT_bool : DT_i64;
    if (v->kind != VAL_SYM) {
        if (from == DT_f64)
            s.f64 = v->f;
        else if (from == DT_bool)
            s.b = v->b;
        else
            s.i64 = v->i;
        s = scalar_cast(from, t, s);
        if (t == DT_bool)
            x = value_bool(s.b);
        else if (dtype_is_int(t))
            x = value_int(scalar_cast(t, DT_i64, s).i64);
        else
            x = value_float(scalar_cast(t, DT_f64, s).f64);
    }
    return ev->ops->constant(ev->host, t, &x, span, out);
}
