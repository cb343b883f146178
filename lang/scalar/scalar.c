/* Scalar operators: the table of scalar.def and the one function that says what they mean.
   It is the reference for every back-end, so it is plain: libm in the operand's own precision, the
   default rounding mode, no contraction across operators.
   Integers are computed in 64 bits, with or without a sign, and narrower types take the low bits,
   which is wrapping arithmetic. What could overflow 64 bits goes through unsigned, so nothing here
   is undefined.
   f16 and bf16 are computed in f32 and rounded; what f32 rounds first does no harm to + - * / and
   sqrt, since f32 has two more than twice their digits (but for products of bf16 below the normal
   range).
   An operator on a type outside its table entry is the caller's mistake and gives zero. */
#include "lang/scalar/scalar.h"

#include <math.h>
#include <string.h>

const struct scalar_info scalars[OP_COUNT] = {
#define SCALAR(name, text, count, shape, types, gives, about)                                      \
    [OP_##name] = {.id = #name,                                                                    \
                   .spelling = text,                                                               \
                   .doc = about,                                                                   \
                   .arity = count,                                                                 \
                   .form = FORM_##shape,                                                           \
                   .operands = OPERANDS_##types,                                                   \
                   .result = RESULT_##gives},
#include "lang/scalar/scalar.def"
#undef SCALAR
};

enum scalar_op scalar_find(enum scalar_form form, const char *spelling, unsigned arity) {
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (scalars[op].form == form && scalars[op].arity == arity &&
            strcmp(scalars[op].spelling, spelling) == 0)
            return op;
    return OP_COUNT;
}

/* Comparison of any type: false with NaN, but for NE. */
#define COMPARE(op, a, b)                                                                          \
    ((op) == OP_LT   ? (a) < (b)                                                                   \
     : (op) == OP_LE ? (a) <= (b)                                                                  \
     : (op) == OP_GT ? (a) > (b)                                                                   \
     : (op) == OP_GE ? (a) >= (b)                                                                  \
     : (op) == OP_EQ ? (a) == (b)                                                                  \
                     : (a) != (b))

/* max and min with IEEE 754-2019's maximum and minimum: NaN wins, -0 is less than 0. */
#define FLOAT_MAX(a, b)                                                                            \
    (isnan(a)     ? (a)                                                                            \
     : isnan(b)   ? (b)                                                                            \
     : (a) == (b) ? (signbit(a) ? (b) : (a))                                                       \
     : (a) > (b)  ? (a)                                                                            \
                  : (b))
#define FLOAT_MIN(a, b)                                                                            \
    (isnan(a)     ? (a)                                                                            \
     : isnan(b)   ? (b)                                                                            \
     : (a) == (b) ? (signbit(a) ? (a) : (b))                                                       \
     : (a) < (b)  ? (a)                                                                            \
                  : (b))

static float eval_f32(enum scalar_op op, float a, float b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_NEG: return -a;
    case OP_MAX: return FLOAT_MAX(a, b);
    case OP_MIN: return FLOAT_MIN(a, b);
    case OP_ABS: return fabsf(a);
    case OP_SQRT: return sqrtf(a);
    case OP_EXP: return expf(a);
    case OP_LOG: return logf(a);
    case OP_TANH: return tanhf(a);
    case OP_FLOOR: return floorf(a);
    case OP_ROUND: return nearbyintf(a);
    default: return 0;
    }
}

static double eval_f64(enum scalar_op op, double a, double b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_NEG: return -a;
    case OP_MAX: return FLOAT_MAX(a, b);
    case OP_MIN: return FLOAT_MIN(a, b);
    case OP_ABS: return fabs(a);
    case OP_SQRT: return sqrt(a);
    case OP_EXP: return exp(a);
    case OP_LOG: return log(a);
    case OP_TANH: return tanh(a);
    case OP_FLOOR: return floor(a);
    case OP_ROUND: return nearbyint(a);
    default: return 0;
    }
}

static int64_t negate(int64_t a) {
    return (int64_t)(0 - (uint64_t)a);
}

/* C rounds quotients towards zero; one less where that rounded up. */
static int64_t floor_divide(int64_t a, int64_t b) {
    if (b == 0)
        return 0;
    if (b == -1)
        return negate(a); /* INT64_MIN / -1 traps */
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_modulo(int64_t a, int64_t b) {
    if (b == 0 || b == -1)
        return 0;
    int64_t r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/* COUNT, of BITS bits, is the number of a bit. Right shifts of negative numbers are arithmetic with
   every compiler that builds this. */
static int64_t shift(enum scalar_op op, int64_t a, int64_t count, unsigned bits) {
    bool in = count >= 0 && count < bits;
    if (op == OP_SHL)
        return in ? (int64_t)((uint64_t)a << count) : 0;
    return a >> (in ? count : 63);
}

static int64_t eval_int(enum scalar_op op, int64_t a, int64_t b, unsigned bits) {
    switch (op) {
    case OP_BIT_AND: return a & b;
    case OP_BIT_OR: return a | b;
    case OP_BIT_XOR: return a ^ b;
    case OP_BIT_NOT: return ~a;
    case OP_SHL:
    case OP_SHR: return shift(op, a, b, bits);
    case OP_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
    case OP_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
    case OP_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
    case OP_FLOORDIV: return floor_divide(a, b);
    case OP_MOD: return floor_modulo(a, b);
    case OP_NEG: return negate(a);
    case OP_MAX: return a > b ? a : b;
    case OP_MIN: return a < b ? a : b;
    case OP_ABS: return a < 0 ? negate(a) : a;
    default: return 0;
    }
}

/* What differs without a sign. */
static int64_t eval_unsigned(enum scalar_op op, uint64_t a, uint64_t b, unsigned bits) {
    switch (op) {
    case OP_FLOORDIV: return b ? (int64_t)(a / b) : 0;
    case OP_MOD: return b ? (int64_t)(a % b) : 0;
    case OP_MAX: return (int64_t)(a > b ? a : b);
    case OP_MIN: return (int64_t)(a < b ? a : b);
    case OP_ABS: return (int64_t)a;
    case OP_SHR: return b < bits ? (int64_t)(a >> b) : 0;
    default: return eval_int(op, (int64_t)a, (int64_t)b, bits);
    }
}

static bool eval_bool(enum scalar_op op, bool a, bool b) {
    switch (op) {
    case OP_AND: return a && b;
    case OP_OR: return a || b;
    case OP_NOT: return !a;
    default: return false;
    }
}

static bool compare(enum scalar_op op, enum dtype t, union scalar a, union scalar b) {
    if (dtype_is_float(t)) {
        double x = scalar_to_f64(t, a), y = scalar_to_f64(t, b);
        return COMPARE(op, x, y);
    }
    int64_t x = scalar_to_i64(t, a), y = scalar_to_i64(t, b);
    return dtype_is_unsigned(t) ? COMPARE(op, (uint64_t)x, (uint64_t)y) : COMPARE(op, x, y);
}

union scalar scalar_eval(enum scalar_op op, enum dtype t, const union scalar *args) {
    union scalar r = {.i64 = 0};
    if (t >= DT_COUNT || op >= OP_COUNT || !(scalars[op].operands & dtypes[t].class))
        return r;
    if (op == OP_SELECT)
        return args[0].b ? args[1] : args[2];
    union scalar a = args[0], b = args[scalars[op].arity > 1];
    if (scalars[op].result == RESULT_BOOL) {
        r.b = compare(op, t, a, b);
    } else if (dtype_is_int(t)) {
        int64_t x = scalar_to_i64(t, a), y = scalar_to_i64(t, b);
        unsigned bits = 8 * dtypes[t].bytes;
        r = scalar_from_i64(t, dtype_is_unsigned(t)
                                   ? eval_unsigned(op, (uint64_t)x, (uint64_t)y, bits)
                                   : eval_int(op, x, y, bits));
    } else if (t == DT_bool) {
        r.b = eval_bool(op, a.b, b.b);
    } else if (t == DT_f64) {
        r.f64 = eval_f64(op, a.f64, b.f64);
    } else if (t == DT_f32) {
        r.f32 = eval_f32(op, a.f32, b.f32);
    } else {
        float x = (float)scalar_to_f64(t, a), y = (float)scalar_to_f64(t, b);
        r = scalar_from_f64(t, (double)eval_f32(op, x, y));
    }
    return r;
}
