/* The library's functions of one float against libm in double precision: within 2 ulp in f32 (1 in
   the rounded result where it is computed in f64), over numbers of all sizes, special ones among
   them; signs of zeros too. DCL_MATH_STEP is the distance between the bit patterns that are tried:
   1 tries all 2^32 (exhaustive.t does). DCL_MATH_ONLY is one function's name; if it is empty, all
   are listed. Of f16 and bf16 all 65,536 numbers: the result is the rounded one or a neighbour. */
#include "dcl.h"

#include "lang/scalar/scalar.h"
#include "tests/harness/tap.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#define BLOCK 65536

struct function {
    const char *name;
    double (*libm)(double);
    double ulp32, ulp64; /* bounds */
};

static const struct function functions[] = {
    {"sqrt", sqrt, 0.5, 0.5},  {"exp", exp, 2, 2},        {"log", log, 2, 2},
    {"tanh", tanh, 2, 4},      {"sin", sin, 0.51, 2},     {"cos", cos, 0.51, 2},
    {"tan", tan, 0.51, 4},     {"asin", asin, 0.51, 4},   {"acos", acos, 0.51, 4},
    {"atan", atan, 0.51, 3},   {"sinh", sinh, 0.51, 4},   {"cosh", cosh, 0.51, 4},
    {"asinh", asinh, 0.51, 4}, {"acosh", acosh, 0.51, 4}, {"atanh", atanh, 0.51, 4},
    {"expm1", expm1, 0.51, 3}, {"log1p", log1p, 0.51, 3}, {"exp2", exp2, 0.51, 2},
    {"log2", log2, 0.51, 3},   {"log10", log10, 0.51, 3}, {"erf", erf, 2, 4},
    {"erfc", erfc, 0.51, 6},   {"ceil", ceil, 0, 0},      {"trunc", trunc, 0, 0},
    {"floor", floor, 0, 0},    {"round", rint, 0, 0},
};

static dcl_session *session;

static dcl_function *compile(const char *name, const char *type) {
    char text[200];
    snprintf(text, sizeof text, "fn %s_%s(x: %s[N]) -> y: %s[N] { map i { y[i] = %s(x[i]) } }\n",
             name, type, type, type, name);
    if (dcl_run(session, text, "math.dcl"))
        return NULL;
    snprintf(text, sizeof text, "%s_%s(x: %s[N])", name, type, type);
    return dcl_compile(session, text);
}

static int call(dcl_function *f, int type, void *x, void *y, int64_t n) {
    dcl_tensor arg = {x, type, 1, &n, NULL}, result = {y, type, 1, &n, NULL};
    return f ? dcl_call(f, &arg, 1, &result, 1) : 1;
}

/* The distance of Y from WANT in units of the last place of the type with MANTISSA bits. */
static double distance(double y, double want, int mantissa, int least) {
    if (isnan(want) || isnan(y))
        return isnan(want) && isnan(y) ? 0 : INFINITY;
    if (y == want)
        return signbit(y) == signbit(want) ? 0 : INFINITY;
    if (isinf(want) || isinf(y))
        return INFINITY;
    int e = want == 0 ? least : ilogb(want);
    return fabs(y - want) / ldexp(1, (e < least ? least : e) - mantissa + 1);
}

/* Where little is left after multiples of pi/2 have gone. */
static const float hard[] = {0x1.f37c8ap+95f, -0x1.f37c8ap+95f, 3.04557798e+12f, -3.04557798e+12f};
enum { HARD = sizeof hard / sizeof *hard };

static void check_f32(const struct function *f, uint64_t step) {
    static float x[BLOCK], y[BLOCK];
    dcl_function *code = compile(f->name, "f32");
    double worst = 0;
    float at = 0, got = 0;
    for (uint64_t next = 0; next < (uint64_t)1 << 32;) {
        int n = next == 0 && step > 1 ? HARD : 0;
        memcpy(x, hard, (size_t)n * sizeof *hard);
        for (; n < BLOCK && next < (uint64_t)1 << 32; n++, next += step) {
            uint32_t bits = (uint32_t)next;
            memcpy(&x[n], &bits, 4);
        }
        if (call(code, DCL_F32, x, y, n)) {
            fail("%s: %s", f->name, dcl_errors(session));
            return;
        }
        for (int i = 0; i < n; i++) {
            double want = f->libm((double)x[i]);
            float single = (float)want;
            if (isinf(single))
                want = single; /* what rounds to it */
            double d = y[i] == single && signbit(y[i]) == signbit(single)
                           ? 0
                           : distance((double)y[i], want, 24, -126);
            if (d > worst) {
                worst = d;
                at = x[i];
                got = y[i];
            }
        }
    }
    ok(worst <= f->ulp32, "%s of f32: within %g ulp", f->name, f->ulp32);
    diag("%s of f32: at most %.3f ulp, of %.9g: %.9g, libm %.17g", f->name, worst, (double)at,
         (double)got, f->libm((double)at));
}

/* The place of a number of 16 bits in their order; both zeros have the same. */
static int place(uint16_t bits) {
    return bits & 0x8000 ? -(bits & 0x7fff) : bits;
}

static void check_half(const struct function *f, enum dtype t, int type) {
    static uint16_t x[BLOCK], y[BLOCK];
    dcl_function *code = compile(f->name, dtypes[t].name);
    bool exact = f->ulp32 == 0;
    int worst = 0, at = 0, other = 0;
    for (int i = 0; i < BLOCK; i++)
        x[i] = (uint16_t)i;
    if (call(code, type, x, y, BLOCK)) {
        fail("%s: %s", f->name, dcl_errors(session));
        return;
    }
    for (int i = 0; i < BLOCK; i++) {
        double want = f->libm(scalar_to_f64(t, scalar_load(t, &x[i])));
        double got = scalar_to_f64(t, scalar_load(t, &y[i]));
        uint16_t rounded = 0;
        scalar_store(t, &rounded, scalar_from_f64(t, want));
        int d = isnan(want) || isnan(got)       ? (isnan(want) && isnan(got) ? 0 : BLOCK)
                : signbit(want) != signbit(got) ? BLOCK
                                                : abs(place(y[i]) - place(rounded));
        other += d != 0;
        if (d > worst)
            worst = d, at = i;
    }
    ok(worst <= (exact ? 0 : 1), "%s of %s: the rounded result or a neighbour", f->name,
       dtypes[t].name);
    diag("%s of %s: at most %d away, %d of 65536 not the nearest; %.9g gives %.9g", f->name,
         dtypes[t].name, worst, other, scalar_to_f64(t, scalar_load(t, &x[at])),
         scalar_to_f64(t, scalar_load(t, &y[at])));
}

static uint64_t state = 0x9e3779b97f4a7c15u;

static double draw(int kind) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    double unit = (double)(state >> 11) * 0x1p-53;
    switch (kind % 4) {
    case 0: return unit * 4 - 2;
    case 1: return unit * 60 - 30;
    case 2: return unit * 2e6 - 1e6;
    default: return ldexp(unit * 2 - 1, kind % 300 - 150);
    }
}

static void check_f64(const struct function *f) {
    static const double special[] = {0, -0.0, 1, -1, 0.5, INFINITY, -INFINITY, NAN, 2, 1e-310};
    static double x[BLOCK], y[BLOCK];
    dcl_function *code = compile(f->name, "f64");
    bool turns = f->libm == sin || f->libm == cos || f->libm == tan;
    for (int i = 0; i < BLOCK; i++) {
        x[i] = i < 10 ? special[i] : draw(i);
        if (turns && fabs(x[i]) > 1e6)
            x[i] = fmod(x[i], 1e6); /* see quarter_turns */
    }
    if (call(code, DCL_F64, x, y, BLOCK)) {
        fail("%s: %s", f->name, dcl_errors(session));
        return;
    }
    double worst = 0, at = 0, got = 0;
    for (int i = 0; i < BLOCK; i++) {
        double d = distance(y[i], f->libm(x[i]), 53, -1022);
        if (d > worst)
            worst = d, at = x[i], got = y[i];
    }
    ok(worst <= f->ulp64, "%s of f64: within %g ulp", f->name, f->ulp64);
    diag("%s of f64: at most %.3f ulp, of %.17g: %.17g, libm %.17g", f->name, worst, at, got,
         f->libm(at));
}

struct pair {
    const char *name;
    double (*libm)(double, double);
    double ulp;
};

static void check_pairs(const struct pair *f) {
    static const float special[] = {0, -0.0f, 1, -1, 0.5f, 2, 3, -3, INFINITY, -INFINITY, NAN};
    enum { SPECIAL = sizeof special / sizeof *special };
    static float x[BLOCK], y[BLOCK], z[BLOCK];
    char text[200];
    snprintf(text, sizeof text,
             "fn %s_2(x: f32[N], y: f32[N]) -> z: f32[N] { map i { z[i] = %s(x[i], y[i]) } }\n",
             f->name, f->name);
    dcl_run(session, text, "math.dcl");
    snprintf(text, sizeof text, "%s_2(x: f32[N], y: f32[N])", f->name);
    dcl_function *code = dcl_compile(session, text);
    for (int i = 0; i < BLOCK; i++) {
        x[i] = i < SPECIAL * SPECIAL ? special[i / SPECIAL] : (float)draw(i / 2 % 3);
        y[i] = i < SPECIAL * SPECIAL ? special[i % SPECIAL] : (float)draw(i % 2);
    }
    int64_t n = BLOCK;
    dcl_tensor args[] = {{x, DCL_F32, 1, &n, NULL}, {y, DCL_F32, 1, &n, NULL}};
    dcl_tensor result = {z, DCL_F32, 1, &n, NULL};
    if (!code || dcl_call(code, args, 2, &result, 1)) {
        fail("%s: %s", f->name, dcl_errors(session));
        return;
    }
    double worst = 0;
    int at = 0;
    for (int i = 0; i < BLOCK; i++) {
        double want = f->libm((double)x[i], (double)y[i]);
        float single = (float)want;
        double d = z[i] == single && signbit(z[i]) == signbit(single)
                       ? 0
                       : distance((double)z[i], isinf(single) ? (double)single : want, 24, -126);
        if (d > worst)
            worst = d, at = i;
    }
    ok(worst <= f->ulp, "%s of f32: within %g ulp", f->name, f->ulp);
    diag("%s of f32: at most %.3f ulp, of %.9g, %.9g: %.9g, libm %.9g", f->name, worst,
         (double)x[at], (double)y[at], (double)z[at], f->libm((double)x[at], (double)y[at]));
}

int main(void) {
    static const struct pair pairs[] = {
        {"pow", pow, 0.51}, {"atan2", atan2, 0.51}, {"hypot", hypot, 2}};
    const char *text = getenv("DCL_MATH_STEP"), *only = getenv("DCL_MATH_ONLY");
    uint64_t step = text ? strtoull(text, NULL, 10) : 16411;
    for (size_t i = 0; only && !*only && i < sizeof functions / sizeof *functions; i++)
        puts(functions[i].name);
    if (only && !*only)
        return 0;
    session = dcl_open("threads=1");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (only && strcmp(only, functions[i].name) != 0)
            continue;
        check_f32(&functions[i], step);
        if (only)
            continue;
        check_f64(&functions[i]);
        check_half(&functions[i], DT_f16, DCL_F16);
        check_half(&functions[i], DT_bf16, DCL_BF16);
    }
    for (size_t i = 0; !only && i < sizeof pairs / sizeof *pairs; i++)
        check_pairs(&pairs[i]);
    dcl_close(session);
    return done_testing();
}
