/* Conversions of f16 and bf16 as code, on all 65,536 values and all ties, in lanes and alone, for
   this machine and for one without F16C: equal bits to scalar_cast (whose own test is
   tests/unit/scalar_half_test.c). And that no code calls a library for them. */
#include "tests/llvm/text.h"

static const enum dtype halves[] = {DT_f16, DT_bf16};

static void convert(enum dtype from, enum dtype to, int64_t n, const void *values,
                    const char *what) {
    static const char *const cpus[] = {"host", "x86-64"};
    char *got = calloc((size_t)n + 1, dtypes[to].bytes);
    for (int i = 0; i < 4; i++) {
        struct llvm_options o = test_options();
        if (!target_named(&o.target, cpus[i / 2]) || !target_runs_here(&o.target))
            continue;
        char text[200];
        snprintf(text, sizeof text,
                 "in a: %s[N] out y: %s[N] map i in 0:N %s { x << a[i]; "
                 "%s(x) >> y[i] }",
                 dtypes[from].name, dtypes[to].name, i & 1 ? "vector" : "", dtypes[to].name);
        struct kernel k = kernel_with(text, &o);
        int bad = kernel_run(&k, BUFS((void *)(uintptr_t)values, got), &n);
        for (int64_t at = 0; at < n && bad < 3; at++) {
            union scalar x = scalar_load(from, (const char *)values + at * dtypes[from].bytes);
            union scalar g = scalar_load(to, got + at * dtypes[to].bytes);
            union scalar w = scalar_cast(from, to, x);
            if (scalar_same(to, g, w))
                continue;
            diag("%s %a to %s: got %a, want %a", dtypes[from].name, scalar_to_f64(from, x),
                 dtypes[to].name, scalar_to_f64(to, g), scalar_to_f64(to, w));
            bad++;
        }
        ok(!bad, "%s to %s, %s%s (%s)", dtypes[from].name, dtypes[to].name, what,
           i & 1 ? ", vector" : "", cpus[i / 2]);
        kernel_free(&k);
    }
    free(got);
}

static void test_all(enum dtype t) {
    uint16_t *all = calloc(65536, 2);
    for (unsigned k = 0; k < 65536; k++)
        all[k] = (uint16_t)k;
    for (unsigned to = 0; to < DT_COUNT; to++)
        if (to != t)
            convert(t, to, 65536, all, "all values");
    free(all);
}

/* Between all neighbours: a tie, and the two numbers beside it. */
static void test_ties(enum dtype t) {
    double *wide = calloc(65536 * 3, sizeof *wide);
    float *single = calloc(65536 * 3, sizeof *single);
    int64_t *whole = calloc(65536 * 3, sizeof *whole), n = 0;
    for (unsigned k = 0; k < 65535; k++) {
        union scalar a = {.i64 = 0}, b = {.i64 = 0};
        a.f16 = (uint16_t)k;
        b.f16 = (uint16_t)(k + 1);
        double tie = (scalar_to_f64(t, a) + scalar_to_f64(t, b)) / 2;
        if (!isfinite(tie))
            tie = scalar_to_f64(t, a) * (1 + ldexp(1, -(int)dtypes[t].digits));
        wide[n] = tie;
        wide[n + 1] = nextafter(tie, INFINITY);
        wide[n + 2] = nextafter(tie, -INFINITY);
        for (int i = 0; i < 3; i++) {
            single[n + i] = i ? nextafterf((float)tie, i == 1 ? INFINITY : -INFINITY) : (float)tie;
            whole[n + i] = fabs(tie) < 0x1p62 ? (int64_t)tie + i - 1 : (int64_t)k - 32768;
        }
        n += 3;
    }
    convert(DT_f64, t, n, wide, "ties");
    convert(DT_f32, t, n, single, "ties");
    convert(DT_i64, t, n, whole, "ties");
    convert(DT_u64, t, n, whole, "ties");
    convert(DT_i32, t, n, single, "all bits");
    free(wide);
    free(single);
    free(whole);
}

int main(void) {
    for (size_t k = 0; k < sizeof halves / sizeof *halves; k++) {
        test_all(halves[k]);
        test_ties(halves[k]);
    }
    return done_testing();
}
