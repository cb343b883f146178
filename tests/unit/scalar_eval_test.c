/* Scalar operators: the table, and each operator's values against its documentation; integers
   exhaustively at the edges against 128-bit arithmetic, floats bit by bit. */
#include "lang/scalar/scalar.h"
#include "tests/harness/tap.h"

#include <float.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static void test_table(void) {
    for (unsigned op = 0; op < OP_COUNT; op++) {
        const struct scalar_info *i = &scalars[op];
        ok(scalar_find(i->form, i->spelling, i->arity) == op && i->id[0] && strlen(i->doc) >= 4 &&
               i->arity >= 1 && i->arity <= 3 && i->operands,
           "the operator %s", i->id);
    }
    ok(scalar_find(FORM_CALL, "+", 2) == OP_COUNT, "+ is no function");
    ok(scalar_find(FORM_INFIX, "-", 2) == OP_SUB && scalar_find(FORM_PREFIX, "-", 1) == OP_NEG,
       "- is two operators");
    ok(scalar_find(FORM_CALL, "max", 1) == OP_COUNT, "the arity counts");
}

/* The floor quotient of wide numbers; B is not 0. */
static __int128_t wide_floor(__int128_t a, __int128_t b) {
    __int128_t q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static __int128_t wide_eval(enum scalar_op op, __int128_t a, __int128_t b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return (__int128_t)((__uint128_t)a * (__uint128_t)b); /* wraps */
    case OP_FLOORDIV: return b ? wide_floor(a, b) : 0;
    case OP_MOD: return b ? a - b * wide_floor(a, b) : 0;
    case OP_NEG: return -a;
    case OP_MAX: return a > b ? a : b;
    case OP_MIN: return a < b ? a : b;
    case OP_ABS: return a < 0 ? -a : a;
    case OP_LT: return a < b;
    case OP_LE: return a <= b;
    case OP_GT: return a > b;
    case OP_GE: return a >= b;
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_BIT_AND: return a & b;
    case OP_BIT_OR: return a | b;
    case OP_BIT_XOR: return a ^ b;
    case OP_BIT_NOT: return -a - 1;
    default: return 0;
    }
}

/* Shifts as multiplications and divisions; beyond the bits of the type nothing is left. */
static __int128_t wide_shift(enum scalar_op op, __int128_t a, __int128_t count, int bits) {
    bool in = count >= 0 && count < bits;
    if (op == OP_SHR)
        return in ? wide_floor(a, (__int128_t)1 << count) : a < 0 ? -1 : 0;
    return in ? (__int128_t)((__uint128_t)a << count) : 0;
}

static const int64_t edges[] = {0,
                                8,
                                16,
                                31,
                                32,
                                33,
                                63,
                                64,
                                127,
                                128,
                                -128,
                                -129,
                                255,
                                256,
                                32767,
                                32768,
                                -32768,
                                1,
                                -1,
                                2,
                                -2,
                                3,
                                -3,
                                7,
                                -7,
                                10,
                                -10,
                                65536,
                                -65536,
                                INT32_MAX,
                                INT32_MIN,
                                INT32_MAX - 1,
                                INT32_MIN + 1,
                                1000003,
                                INT64_MAX,
                                INT64_MIN,
                                INT64_MAX - 1,
                                INT64_MIN + 1,
                                INT64_C(1) << 32,
                                -(INT64_C(1) << 32),
                                INT64_C(3037000500)};

static __int128_t wide_of(enum dtype t, union scalar v) {
    switch (t) {
    case DT_i8: return v.i8;
    case DT_i16: return v.i16;
    case DT_i32: return v.i32;
    case DT_i64: return v.i64;
    case DT_u8: return v.u8;
    case DT_u16: return v.u16;
    case DT_u32: return v.u32;
    case DT_u64: return v.u64;
    default: return 0;
    }
}

/* The number of T that is V modulo a power of two. */
static __int128_t wide_low(enum dtype t, __int128_t v) {
    __int128_t all = (__int128_t)1 << (8 * dtypes[t].bytes);
    v = ((v % all) + all) % all;
    return !dtype_is_unsigned(t) && v >= all / 2 ? v - all : v;
}

static void test_ints(enum dtype t) {
    for (unsigned op = 0; op < OP_COUNT; op++) {
        if (!(scalars[op].operands & DC_INT) || op == OP_SELECT)
            continue;
        bool good = true;
        for (size_t i = 0; i < LENGTH(edges); i++)
            for (size_t k = 0; k < LENGTH(edges); k++) {
                union scalar args[2] = {scalar_from_i64(t, edges[i]), scalar_from_i64(t, edges[k])};
                __int128_t a = wide_of(t, args[0]), b = wide_of(t, args[1]);
                bool moves = op == OP_SHL || op == OP_SHR,
                     truth = scalars[op].result == RESULT_BOOL;
                __int128_t want =
                    moves ? wide_shift(op, a, b, 8 * (int)dtypes[t].bytes) : wide_eval(op, a, b);
                union scalar r = scalar_eval(op, t, args);
                __int128_t got = truth ? r.b : wide_of(t, r);
                if (!truth)
                    want = wide_low(t, want);
                if (got != want && good)
                    diag("%s %lld %lld: got %lld, want %lld", scalars[op].id, (long long)a,
                         (long long)b, (long long)got, (long long)want);
                good &= got == want;
            }
        ok(good, "%s of %s at the edges", scalars[op].id, dtypes[t].name);
    }
}

static int32_t int_op(enum scalar_op op, int32_t a, int32_t b) {
    union scalar args[2] = {{.i32 = a}, {.i32 = b}};
    return scalar_eval(op, DT_i32, args).i32;
}

/* The documented cases by hand, so that the reference above is no second opinion of the same. */
static void test_int_examples(void) {
    is_int(int_op(OP_FLOORDIV, -7, 2), -4, "-7 // 2");
    is_int(int_op(OP_FLOORDIV, 7, -2), -4, "7 // -2");
    is_int(int_op(OP_FLOORDIV, -7, -2), 3, "-7 // -2");
    is_int(int_op(OP_FLOORDIV, 5, 0), 0, "5 // 0");
    is_int(int_op(OP_FLOORDIV, INT32_MIN, -1), INT32_MIN, "INT_MIN // -1 wraps");
    is_int(int_op(OP_MOD, -7, 2), 1, "-7 %% 2");
    is_int(int_op(OP_MOD, 7, -2), -1, "7 %% -2");
    is_int(int_op(OP_MOD, 6, -2), 0, "6 %% -2");
    is_int(int_op(OP_MOD, 5, 0), 0, "5 %% 0");
    is_int(int_op(OP_MOD, INT32_MIN, -1), 0, "INT_MIN %% -1");
    is_int(int_op(OP_ADD, INT32_MAX, 1), INT32_MIN, "sums wrap");
    is_int(int_op(OP_MUL, 65536, 65536), 0, "products wrap");
    is_int(int_op(OP_ABS, INT32_MIN, 0), INT32_MIN, "abs of the least wraps");
    is_int(int_op(OP_NEG, INT32_MIN, 0), INT32_MIN, "its negation too");
    is_int(int_op(OP_DIV, 6, 2), 0, "/ is no operator of integers");
}

/* Equal bits, or both NaN. */
static bool same_f32(float a, float b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}
static bool same_f64(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* OP on A and B in both types; all values here are exact in f32. */
static bool gives(enum scalar_op op, double a, double b, double want) {
    union scalar f[2] = {{.f32 = (float)a}, {.f32 = (float)b}}, d[2] = {{.f64 = a}, {.f64 = b}};
    return same_f32(scalar_eval(op, DT_f32, f).f32, (float)want) &&
           same_f64(scalar_eval(op, DT_f64, d).f64, want);
}
static bool compares(enum scalar_op op, double a, double b) {
    union scalar f[2] = {{.f32 = (float)a}, {.f32 = (float)b}}, d[2] = {{.f64 = a}, {.f64 = b}};
    bool narrow = scalar_eval(op, DT_f32, f).b, wide = scalar_eval(op, DT_f64, d).b;
    if (narrow != wide)
        fail("%s differs in f32 and f64", scalars[op].id);
    return wide;
}

static void test_arithmetic(void) {
    ok(gives(OP_ADD, 1.5, -4, -2.5) && gives(OP_ADD, INFINITY, -INFINITY, NAN), "+");
    ok(gives(OP_SUB, 1.5, -4, 5.5) && gives(OP_SUB, 0, 0, 0), "-");
    ok(gives(OP_MUL, 1.5, -4, -6) && gives(OP_MUL, 0, -1, -0.0) && gives(OP_MUL, 0, INFINITY, NAN),
       "*");
    ok(gives(OP_DIV, 1, 4, 0.25) && gives(OP_DIV, 1, 0, INFINITY) &&
           gives(OP_DIV, 1, -0.0, -INFINITY) && gives(OP_DIV, 0, 0, NAN),
       "/");
    ok(gives(OP_NEG, 0, 9, -0.0) && gives(OP_NEG, -2, 9, 2), "negation");
    ok(gives(OP_ABS, -0.0, 9, 0) && gives(OP_ABS, -INFINITY, 9, INFINITY) &&
           gives(OP_ABS, NAN, 9, NAN),
       "abs");
    union scalar f[2] = {{.f32 = 1}, {.f32 = 3}};
    ok(same_f32(scalar_eval(OP_DIV, DT_f32, f).f32, 1.0f / 3), "f32 divides in f32");
    f[0].f32 = 16777216, f[1].f32 = 1;
    ok(same_f32(scalar_eval(OP_ADD, DT_f32, f).f32, 16777216), "f32 adds in f32");
}

static void test_max_min(void) {
    ok(gives(OP_MAX, 1, 2, 2) && gives(OP_MAX, 2, 1, 2) && gives(OP_MAX, -INFINITY, 1, 1), "max");
    ok(gives(OP_MIN, 1, 2, 1) && gives(OP_MIN, 2, 1, 1) && gives(OP_MIN, INFINITY, 1, 1), "min");
    bool nan = true;
    const double others[] = {1, -1, 0, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < LENGTH(others); i++)
        nan &= gives(OP_MAX, NAN, others[i], NAN) && gives(OP_MAX, others[i], NAN, NAN) &&
               gives(OP_MIN, NAN, others[i], NAN) && gives(OP_MIN, others[i], NAN, NAN);
    ok(nan, "NaN in either operand gives NaN");
    ok(gives(OP_MAX, -0.0, 0, 0) && gives(OP_MAX, 0, -0.0, 0), "max(-0, 0) is 0");
    ok(gives(OP_MAX, -0.0, -0.0, -0.0), "max(-0, -0) is -0");
    ok(gives(OP_MIN, -0.0, 0, -0.0) && gives(OP_MIN, 0, -0.0, -0.0), "min(-0, 0) is -0");
    ok(gives(OP_MIN, 0, 0, 0), "min(0, 0) is 0");
}

static void test_comparisons(void) {
    const double v[] = {-INFINITY, -1, -0.0, 0, 1, INFINITY, NAN};
    bool good = true;
    for (size_t i = 0; i < LENGTH(v); i++)
        for (size_t k = 0; k < LENGTH(v); k++) {
            double a = v[i], b = v[k];
            good &= compares(OP_LT, a, b) == (a < b) && compares(OP_LE, a, b) == (a <= b) &&
                    compares(OP_GT, a, b) == (a > b) && compares(OP_GE, a, b) == (a >= b) &&
                    compares(OP_EQ, a, b) == (a == b) && compares(OP_NE, a, b) == (a != b);
        }
    ok(good, "floats compare as in IEEE 754");
    ok(!compares(OP_EQ, NAN, NAN) && compares(OP_NE, NAN, NAN) && !compares(OP_LE, NAN, NAN),
       "NaN equals nothing");
    ok(compares(OP_EQ, -0.0, 0) && !compares(OP_LT, -0.0, 0), "-0 equals 0");
}

static void test_functions(void) {
    ok(gives(OP_SQRT, 9, 0, 3) && gives(OP_SQRT, -1, 0, NAN) && gives(OP_SQRT, -0.0, 0, -0.0),
       "sqrt");
    ok(gives(OP_EXP, 0, 0, 1) && gives(OP_EXP, -INFINITY, 0, 0) && gives(OP_EXP, 1000, 0, INFINITY),
       "exp");
    ok(gives(OP_LOG, 1, 0, 0) && gives(OP_LOG, 0, 0, -INFINITY) && gives(OP_LOG, -1, 0, NAN),
       "log");
    ok(gives(OP_TANH, INFINITY, 0, 1) && gives(OP_TANH, -0.0, 0, -0.0) &&
           gives(OP_TANH, NAN, 0, NAN),
       "tanh");
    ok(gives(OP_FLOOR, -0.5, 0, -1) && gives(OP_FLOOR, 2.9375, 0, 2), "floor");
    ok(gives(OP_ROUND, 0.5, 0, 0) && gives(OP_ROUND, 1.5, 0, 2) && gives(OP_ROUND, 2.5, 0, 2) &&
           gives(OP_ROUND, -2.5, 0, -2) && gives(OP_ROUND, -0.25, 0, -0.0) &&
           gives(OP_ROUND, 2.75, 0, 3),
       "round: ties to even");

    double worst[4] = {0}; /* in ulp of f32, against f64 */
    const enum scalar_op ops[] = {OP_SQRT, OP_EXP, OP_LOG, OP_TANH};
    for (int i = 1; i < 4000; i++) {
        union scalar x = {.f32 = (float)i * 0.02f};
        double d = x.f32, want[] = {sqrt(d), exp(d), log(d), tanh(d)};
        for (int k = 0; k < 4; k++) {
            float got = scalar_eval(ops[k], DT_f32, &x).f32, at = fabsf((float)want[k]);
            double ulp = nextafterf(at, INFINITY) - at;
            worst[k] = fmax(worst[k], fabs(got - want[k]) / ulp);
        }
    }
    ok(worst[0] <= 0.5, "sqrt of f32 is correctly rounded");
    ok(worst[1] <= 2, "exp of f32 within 2 ulp: %.3f", worst[1]);
    ok(worst[2] <= 2, "log of f32 within 2 ulp: %.3f", worst[2]);
    ok(worst[3] <= 4, "tanh of f32 within 4 ulp: %.3f", worst[3]);
    union scalar x = {.f32 = 0.3f};
    ok(same_f32(scalar_eval(OP_EXP, DT_f32, &x).f32, expf(0.3f)), "f32 is computed in f32");
}

static void test_bool(void) {
    bool good = true;
    for (int i = 0; i < 4; i++) {
        bool a = i & 1, b = i >> 1;
        union scalar args[2] = {{.b = a}, {.b = b}};
        good &= scalar_eval(OP_AND, DT_bool, args).b == (a && b) &&
                scalar_eval(OP_OR, DT_bool, args).b == (a || b) &&
                scalar_eval(OP_NOT, DT_bool, args).b == !a &&
                scalar_eval(OP_EQ, DT_bool, args).b == (a == b) &&
                scalar_eval(OP_NE, DT_bool, args).b == (a != b);
    }
    ok(good, "and, or, not, ==, != of bool");
}

static void test_select(void) {
    bool good = true;
    for (unsigned t = 0; t < DT_COUNT; t++) {
        union scalar args[3] = {{.b = true}, scalar_from_i64(t, 1), scalar_from_i64(t, 0)};
        union scalar r = scalar_eval(OP_SELECT, t, args);
        good &= memcmp(&r, &args[1], dtypes[t].bytes) == 0;
        args[0].b = false;
        r = scalar_eval(OP_SELECT, t, args);
        good &= memcmp(&r, &args[2], dtypes[t].bytes) == 0;
    }
    ok(good, "select of every type");
}

/* Every operator on every type, allowed or not: nothing traps, and what is not allowed is 0. */
static void test_all(void) {
    bool good = true;
    for (unsigned op = 0; op < OP_COUNT; op++)
        for (unsigned t = 0; t < DT_COUNT; t++) {
            union scalar args[3] = {scalar_from_i64(t, 1), scalar_from_i64(t, 1),
                                    scalar_from_i64(t, 1)};
            if (op == OP_SELECT)
                args[0] = (union scalar){.b = true};
            union scalar r = scalar_eval(op, t, args);
            if (!(scalars[op].operands & dtypes[t].class))
                good &= r.i64 == 0;
        }
    ok(good, "an operator on a type outside its table entry gives zero");
}

/* op(identity, x) is x; where R does not work on T the identity is zero. */
static void test_resolutions(void) {
    for (unsigned r = 0; r < RES_COUNT; r++) {
        bool good = resolution_of(resolution_names[r]) == r;
        enum scalar_op op = resolution_op(r);
        for (unsigned t = 0; t < DT_COUNT; t++)
            for (int64_t x = -2; x <= 2 && op != OP_COUNT; x++) {
                if (!(scalars[op].operands & dtypes[t].class))
                    continue;
                union scalar args[2] = {resolution_identity(r, t), scalar_from_i64(t, x)};
                union scalar v = scalar_eval(op, t, args);
                good &= memcmp(&v, &args[1], dtypes[t].bytes) == 0;
            }
        ok(good, "the identity of '%s'", resolution_names[r]);
    }
    ok(resolution_identity(RES_MAX, DT_f32).f32 == -INFINITY &&
           resolution_identity(RES_MIN, DT_f64).f64 == INFINITY,
       "floats start max and min at infinities");
    ok(resolution_identity(RES_MAX, DT_i32).i32 == INT32_MIN &&
           resolution_identity(RES_MAX, DT_i64).i64 == INT64_MIN &&
           resolution_identity(RES_MIN, DT_i32).i32 == INT32_MAX &&
           resolution_identity(RES_MIN, DT_i64).i64 == INT64_MAX,
       "integers at the ends of their range");
    ok(resolution_identity(RES_AND, DT_bool).b && !resolution_identity(RES_OR, DT_bool).b,
       "and starts at true, or at false");
    ok(resolution_identity(RES_AND, DT_i32).i32 == 0 && !resolution_identity(RES_SUM, DT_bool).b,
       "zero where the resolution does not work on the type");
    ok(resolution_of("avg") == RES_COUNT && resolution_op(RES_NONE) == OP_COUNT &&
           resolution_op(RES_COUNT) == OP_COUNT,
       "no such resolution");
}

int main(void) {
    test_table();
    for (unsigned t = 0; t < DT_COUNT; t++)
        if (dtype_is_int(t))
            test_ints(t);
    test_int_examples();
    test_arithmetic();
    test_max_min();
    test_comparisons();
    test_functions();
    test_bool();
    test_select();
    test_all();
    test_resolutions();
    return done_testing();
}
