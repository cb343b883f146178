/* exp, log and tanh within 2, 2 and 4 units in the last place of the exact value, with and without
   FMA, in f32 and f64, over the whole range: every exponent, both signs, denormals, infinities and
   NaN. Sampled; all of f32 if DCL_EXHAUSTIVE is set (a minute per function). */
#include "tests/llvm/text.h"

enum { BLOCK = 1 << 14, SAMPLES = 1 << 20 };

struct function {
    const char *name;
    double (*wide)(double);
    long double (*widest)(long double);
    double limit;
};

static const struct function functions[] = {
    {"exp", exp, expl, 2}, {"log", log, logl, 2}, {"tanh", tanh, tanhl, 4}};

/* |got - want| in units of the last place of type T at WANT; denormals have the smallest. */
static double ulps(enum dtype t, double got, long double want) {
    int e, digits = t == DT_f32 ? 24 : 53, least = t == DT_f32 ? -149 : -1074;
    double most = t == DT_f32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : INFINITY;
    if (isinf(want))
        return got == want ? 0 : INFINITY;
    if (isinf(got))
        return fabsl(want) >= most ? 0 : INFINITY;
    if (want == 0)
        return got == 0 && signbit(got) == signbit(want) ? 0 : fabs(got) / ldexp(1, least);
    frexpl(want, &e);
    e = e - digits < least ? least : e - digits;
    return (double)(fabsl(got - want) / ldexpl(1, e));
}

static uint64_t mix(uint64_t x) {
    x ^= x >> 31;
    x *= 0x7fb5d329728ea185u;
    x ^= x >> 27;
    x *= 0x81dadef4bc2dd44du;
    return x ^ x >> 33;
}

static double operand(enum dtype t, uint64_t i, bool exhaustive) {
    static const double special[] = {0,
                                     1,
                                     INFINITY,
                                     NAN,
                                     88.72283,
                                     88.72284,
                                     103.97208,
                                     103.9721,
                                     87.33655,
                                     709.78271289338397,
                                     745.13321910194122,
                                     708.3964185322641,
                                     0.625,
                                     1e-300,
                                     5e-324,
                                     1.4e-45,
                                     9.01,
                                     22};
    uint64_t bits = exhaustive ? i : mix(i);
    float f;
    double d;
    if (!exhaustive && i / 2 < sizeof special / sizeof *special)
        return i & 1 ? -special[i / 2] : special[i / 2];
    if (!exhaustive && i % 3 == 0) /* where the functions are neither 0 nor 1 nor infinite */
        return ldexp((double)(bits >> 11), -53) * (t == DT_f32 ? 220 : 1500) -
               (t == DT_f32 ? 110 : 750);
    if (t == DT_f32) {
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, 4);
        return f;
    }
    memcpy(&d, &bits, 8);
    return d;
}

static void check(const struct function *f, enum dtype t, const char *cpu) {
    struct llvm_options o = test_options();
    if (!target_named(&o.target, cpu) || !target_runs_here(&o.target)) {
        skip("no %s here", cpu);
        return;
    }
    bool exhaustive = getenv("DCL_EXHAUSTIVE") && t == DT_f32;
    uint64_t count = exhaustive ? (uint64_t)1 << 32 : SAMPLES;
    char text[200];
    snprintf(text, sizeof text,
             "in x: %s[N] out y: %s[N] map i in 0:N vector(2) { v << x[i]; %s(v) >> y[i] }",
             dtypes[t].name, dtypes[t].name, f->name);
    struct kernel k = kernel_with(text, &o);
    double *x = malloc(BLOCK * 8), *y = malloc(BLOCK * 8);
    double worst = 0, at = 0;
    int64_t n = BLOCK;
    int status = 0;
    for (uint64_t i = 0; i < count && !status; i += BLOCK) {
        for (int j = 0; j < BLOCK; j++) {
            double v = operand(t, i + (uint64_t)j, exhaustive);
            if (t == DT_f32)
                ((float *)x)[j] = (float)v;
            else
                x[j] = v;
        }
        status = kernel_run(&k, BUFS(x, y), &n);
        for (int j = 0; j < BLOCK && !status; j++) {
            double v = t == DT_f32 ? ((float *)x)[j] : x[j];
            double got = t == DT_f32 ? ((float *)y)[j] : y[j];
            long double want = t == DT_f32 ? (long double)f->wide(v) : f->widest(v);
            double e = ulps(t, got, want);
            if (!(e <= worst)) {
                worst = e;
                at = v;
            }
        }
    }
    ok(status == 0 && worst <= f->limit, "%s of %s (%s): %.2f ulp, at %a", f->name, dtypes[t].name,
       cpu, worst, at);
    free(x);
    free(y);
    kernel_free(&k);
}

int main(void) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (enum dtype t = DT_f32; t <= DT_f64; t++) {
            check(&functions[i], t, "host");
            check(&functions[i], t, "x86-64");
        }
    return done_testing();
}
