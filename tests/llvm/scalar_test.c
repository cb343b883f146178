/* Every scalar operator and cast on every type it takes, in lanes and alone, against scalar_eval:
   equal bits, but NaN for NaN and a few units in the last place for exp, log and tanh. Operands are
   all pairs of special values. */
#include "tests/llvm/text.h"

enum { MOST = 48 };

static int specials(enum dtype t, union scalar *out) {
    static const double floats[] = {0.0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    3.25,
                                    1e-3,
                                    -7.75,
                                    100,
                                    -100,
                                    88.7,
                                    -103.9,
                                    709.7,
                                    -745.1,
                                    1e-30,
                                    -1e-30,
                                    1e30,
                                    -1e30,
                                    2147483647.0,
                                    2147483648.0,
                                    -2147483648.0,
                                    4294967296.0,
                                    9.3e18,
                                    -9.3e18,
                                    8388607.5,
                                    4503599627370495.5,
                                    127.5,
                                    128.0,
                                    255.5,
                                    -128.9,
                                    32768.0,
                                    65535.9,
                                    65536.0,
                                    4294967295.5,
                                    1.8446744073709552e19,
                                    1e-42,
                                    5e-324,
                                    INFINITY,
                                    -INFINITY,
                                    NAN};
    static const int64_t ints[] = {0,
                                   1,
                                   -1,
                                   2,
                                   -2,
                                   3,
                                   -3,
                                   7,
                                   -7,
                                   10,
                                   100,
                                   -100,
                                   63,
                                   64,
                                   127,
                                   128,
                                   255,
                                   32768,
                                   INT32_MAX,
                                   INT32_MIN,
                                   (int64_t)INT32_MAX + 1,
                                   INT64_MAX,
                                   INT64_MIN,
                                   INT64_MIN + 1,
                                   0x4000004000000001, /* by way of f64 this would round twice */
                                   1234567890123};
    int n = 0;
    if (dtype_is_float(t))
        for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
            out[n++] = scalar_from_f64(t, floats[i]);
    else if (dtype_is_int(t))
        for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
            out[n++] = scalar_from_i64(t, ints[i]);
    else
        for (int i = 0; i < 2; i++)
            out[n++].b = i;
    return n;
}

static double ulps(enum dtype t, union scalar got, union scalar want) {
    if (dtype_is_half(t)) {
        if (scalar_same(t, got, want))
            return 0;
        return (got.f16 ^ want.f16) & 0x8000 ? 1e9 : abs((int)got.f16 - (int)want.f16);
    }
    if (t == DT_f32) {
        if (isnan(want.f32) || isnan(got.f32))
            return isnan(want.f32) && isnan(got.f32) ? 0 : 1e9;
        int32_t a, b;
        memcpy(&a, &got.f32, 4);
        memcpy(&b, &want.f32, 4);
        return (a ^ b) < 0 ? (got.f32 == want.f32 ? 1e8 : 1e9) : fabs((double)a - (double)b);
    }
    if (isnan(want.f64) || isnan(got.f64))
        return isnan(want.f64) && isnan(got.f64) ? 0 : 1e9;
    int64_t a, b;
    memcpy(&a, &got.f64, 8);
    memcpy(&b, &want.f64, 8);
    return (a ^ b) < 0 ? (got.f64 == want.f64 ? 1e8 : 1e9) : fabs((double)(a - b));
}

static bool equal(enum dtype t, union scalar got, union scalar want, double tolerance) {
    return dtype_is_float(t) ? ulps(t, got, want) <= tolerance : scalar_same(t, got, want);
}

static void put(enum dtype t, void *base, int i, union scalar v) {
    scalar_store(t, (char *)base + (size_t)i * dtypes[t].bytes, v);
}

static void show(enum dtype t, union scalar v, char *out) {
    if (dtype_is_float(t))
        sprintf(out, "%.17g", scalar_to_f64(t, v));
    else
        sprintf(out, "%lld", (long long)scalar_to_i64(t, v));
}

/* EXPRESSION over x, y of type T gives R; WANT computes it. */
static void check(const char *expression, enum dtype t, enum dtype r, const char *schedule,
                  union scalar (*want)(int, enum dtype, enum dtype, union scalar, union scalar),
                  int op, double tolerance, const char *cpu) {
    struct llvm_options o = test_options();
    if (!target_named(&o.target, cpu) || !target_runs_here(&o.target))
        return;
    char text[512];
    snprintf(text, sizeof text,
             "in a: %s[N] in b: %s[N] out y: %s[N] map i in 0:N %s { x << a[i]; z << b[i]; "
             "%s >> y[i] }",
             dtypes[t].name, dtypes[t].name, dtypes[r].name, schedule, expression);
    struct kernel k = kernel_with(text, &o);
    union scalar values[MOST];
    int n = specials(t, values), bad = 0;
    int64_t total = (int64_t)n * n;
    char *a = calloc((size_t)total, 8), *b = calloc((size_t)total, 8),
         *y = calloc((size_t)total, 8);
    for (int i = 0; i < n * n; i++) {
        put(t, a, i, values[i / n]);
        put(t, b, i, values[i % n]);
    }
    int status = kernel_run(&k, BUFS(a, b, y), &total);
    for (int i = 0; i < n * n && status == 0; i++) {
        union scalar w = want(op, t, r, values[i / n], values[i % n]);
        union scalar g = scalar_load(r, y + (size_t)i * dtypes[r].bytes);
        if (!equal(r, g, w, tolerance) && bad++ < 3) {
            char s[4][40];
            show(t, values[i / n], s[0]);
            show(t, values[i % n], s[1]);
            show(r, g, s[2]);
            show(r, w, s[3]);
            diag("%s: x = %s, z = %s: got %s, want %s", expression, s[0], s[1], s[2], s[3]);
        }
    }
    ok(status == 0 && bad == 0, "%s on %s%s%s (%s)", expression, dtypes[t].name,
       *schedule ? ", " : "", schedule, cpu);
    free(a);
    free(b);
    free(y);
    kernel_free(&k);
}

static union scalar want_op(int op, enum dtype t, enum dtype r, union scalar x, union scalar z) {
    (void)r;
    union scalar args[3] = {x, z, z};
    if (op == OP_SELECT) {
        args[0].b = scalar_eval(OP_LT, t, (union scalar[]){x, z}).b;
        args[1] = x;
        args[2] = z;
        if (t == DT_bool)
            args[0].b = x.b;
    }
    return scalar_eval(op, t, args);
}

static union scalar want_cast(int op, enum dtype t, enum dtype r, union scalar x, union scalar z) {
    (void)op;
    (void)z;
    return scalar_cast(t, r, x);
}

static double tolerance_of(enum scalar_op op, enum dtype t) {
    if (dtype_is_half(t)) /* a tie of what f32 has more or less of */
        return op == OP_EXP || op == OP_LOG || op == OP_TANH;
    return op == OP_EXP || op == OP_LOG ? 2 : op == OP_TANH ? 4 : 0;
}

static void check_op(enum scalar_op op, enum dtype t) {
    const struct scalar_info *s = &scalars[op];
    char expression[64];
    if (op == OP_SELECT)
        strcpy(expression, t == DT_bool ? "select(x, x, z)" : "select(x < z, x, z)");
    else if (s->form == FORM_CALL)
        snprintf(expression, sizeof expression, s->arity == 2 ? "%s(x, z)" : "%s(x)", s->spelling);
    else if (s->form == FORM_PREFIX)
        snprintf(expression, sizeof expression, "%s x", s->spelling);
    else
        snprintf(expression, sizeof expression, "x %s z", s->spelling);
    enum dtype r = s->result == RESULT_BOOL ? DT_bool : t;
    static const char *const cpus[] = {"host", "x86-64"};
    for (int i = 0; i < 4; i++)
        check(expression, t, r, i & 1 ? "vector" : "", want_op, (int)op, tolerance_of(op, t),
              cpus[i / 2]);
}

/* max and min have short cuts for constants. */
static union scalar want_constant(int op, enum dtype t, enum dtype r, union scalar x,
                                  union scalar z) {
    static const double constants[] = {0.0, -0.0, 1.5};
    (void)r;
    z = scalar_from_f64(t, constants[op / 2]);
    return scalar_eval(op % 2 ? OP_MIN : OP_MAX, t, (union scalar[]){x, z});
}

int main(void) {
    for (int op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < DT_COUNT; t++)
            if (scalars[op].operands & dtypes[t].class)
                check_op((enum scalar_op)op, (enum dtype)t);
    for (int from = 0; from < DT_COUNT; from++)
        for (int to = 0; to < DT_COUNT; to++) {
            char expression[64];
            snprintf(expression, sizeof expression, "%s(x)", dtypes[to].name);
            for (int i = 0; i < 4; i++)
                check(expression, (enum dtype)from, (enum dtype)to, i & 1 ? "vector" : "",
                      want_cast, 0, 0, i & 2 ? "x86-64" : "host");
        }
    static const char *const constants[] = {"max(x, 0)",    "min(x, 0)",   "max(x, -0.0)",
                                            "min(-0.0, x)", "max(1.5, x)", "min(x, 1.5)"};
    for (int i = 0; i < 6; i++)
        for (int v = 0; v < 2; v++)
            for (int t = DT_f32; t <= DT_f64; t++)
                check(constants[i], (enum dtype)t, (enum dtype)t, v ? "vector" : "", want_constant,
                      i, 0, "host");
    return done_testing();
}
