/* test: bench
   How near the code comes to the processor: register tiles as a share of the multiply-add peak that
   a loop of nothing else reaches in the same run, softmax and friends in times of a copy. */
#include "tests/llvm/text.h"

#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_of(struct kernel *k, void *const *bufs, const int64_t *symbols, int runs) {
    double best = 1e9;
    for (int i = 0; i < runs; i++) {
        double t = now();
        if (kernel_run(k, bufs, symbols) != 0)
            return 1e9;
        t = now() - t;
        best = t < best ? t : best;
    }
    return best;
}

/* Twelve (or 24) independent sums of products in registers: what no kernel can exceed. */
static double peak(void) {
    struct llvm_options o = test_options();
    int rows = o.target.vector_registers > 16 ? 24 : 12, lanes = (int)o.target.vector_bytes / 4;
    char text[1024];
    snprintf(text, sizeof text,
             "in x: f32[%d] out y: f32[%d, %d] map u in 0:1 { acc: f32[%d, %d] in register = 0 "
             "b: f32[%d] in register map j in 0:%d vector { v << x[j]; v >> b[j] } "
             "map k in 0:100000 seq, i in 0:%d unroll, j in 0:%d vector "
             "{ v << b[j]; v * v >> acc[i, j] (sum) } "
             "map i in 0:%d unroll, j in 0:%d vector { v << acc[i, j]; v >> y[i, j] } }",
             lanes, rows, lanes, rows, lanes, lanes, lanes, rows, lanes, rows, lanes);
    struct kernel k = kernel_with(text, &o);
    float x[16] = {0}, y[24 * 16];
    double t = best_of(&k, BUFS(x, y), NULL, 200);
    kernel_free(&k);
    return 2.0 * rows * lanes * 100000 / t;
}

static float *floats(size_t n) {
    float *p = aligned_alloc(64, (n * 4 + 127) / 64 * 64);
    for (size_t i = 0; i < n; i++)
        p[i] = (float)(i % 7) * 0.25f - 0.5f;
    return p;
}

static void gemm(double most, int rows, int columns, int64_t m, int64_t n, int64_t depth) {
    char text[1024];
    snprintf(text, sizeof text,
             "in A: f32[M, K] in B: f32[K, N] out C: f32[M, N] "
             "map jo in 0:N:%d, io in 0:M:%d { acc: f32[%d, %d] in register = 0 "
             "map k in 0:K seq, i in 0:min(%d, M - io) unroll, j in 0:min(%d, N - jo) vector "
             "{ a << A[io + i, k]; b << B[k, jo + j]; a * b >> acc[i, j] (sum) } "
             "map i in 0:min(%d, M - io) unroll, j in 0:min(%d, N - jo) vector "
             "{ v << acc[i, j]; v >> C[io + i, jo + j] } }",
             columns, rows, rows, columns, rows, columns, rows, columns);
    struct kernel k = kernel_of(text);
    float *a = floats((size_t)(m * depth)), *b = floats((size_t)(depth * n)),
          *y = floats((size_t)(m * n));
    double t = best_of(&k, BUFS(a, b, y), SYMBOLS(m, depth, n), 100);
    printf("# GEMM %dx%d on %lldx%lldx%lld: %.1f %% of peak\n", rows, columns, (long long)m,
           (long long)n, (long long)depth, 200.0 * (double)(m * n * depth) / t / most);
    free(a);
    free(b);
    free(y);
    kernel_free(&k);
}

static void conv(double most, int pixels, bool padded) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "in x: f32[4, %d, %d, 16] in w: f32[4, 4, 3, 3, 16, 16] out y: f32[4, 54, 54, 16] "
        "map ob in 0:4, h in 0:54, wo in 0:54:%d { acc: f32[%d, 16] in register = 0 "
        "map cb in 0:4 seq, r in 0:3 seq, s in 0:3 seq, ci in 0:16 unroll(4), "
        "p in 0:%d unroll, o in 0:16 vector { a << x[cb, h + r%s, wo + p + s%s, ci%s]; "
        "b << w[ob, cb, r, s, ci, o]; a * b >> acc[p, o] (sum) } "
        "map p in 0:%d unroll, o in 0:16 vector { v << acc[p, o]; v >> y[ob, h, wo + p, o] } }",
        padded ? 54 : 56, padded ? 54 : 56, pixels, pixels, pixels, padded ? " - 1" : "",
        padded ? " - 1" : "", padded ? " else 0" : "", pixels);
    struct kernel k = kernel_of(text);
    float *x = floats(4 * 56 * 56 * 16), *w = floats(16 * 9 * 256), *y = floats(4 * 54 * 54 * 16);
    double t = best_of(&k, BUFS(x, w, y), NULL, 20);
    printf("# convolution 3x3, %d pixels%s: %.1f %% of peak\n", pixels, padded ? ", padded" : "",
           100 * 2.0 * 64 * 64 * 9 * 54 * 54 / t / most);
    free(x);
    free(w);
    free(y);
    kernel_free(&k);
}

static void against_copy(const char *what, const char *text, int64_t m, int64_t n) {
    struct kernel k = kernel_of(text);
    float *x = floats((size_t)(m * n)), *y = floats((size_t)(m * n));
    double copy = 1e9, t = 1e9;
    for (int i = 0; i < 20; i++) {
        double start = now();
        memcpy(y, x, (size_t)(m * n) * 4);
        copy = now() - start < copy ? now() - start : copy;
        double once = best_of(&k, BUFS(x, y), SYMBOLS(m, n), 1);
        t = once < t ? once : t;
    }
    printf("# %s on %lldx%lld: %.2f copies, %.3f ns per element\n", what, (long long)m,
           (long long)n, t / copy, t / (double)(m * n) * 1e9);
    free(x);
    free(y);
    kernel_free(&k);
}

int main(void) {
    static const char softmax[] =
        "in x: f32[M, N] out y: f32[M, N] map i in 0:M { m: f32 in register = -inf "
        "s: f32 in register = 0 map j in 0:N vector(4) { v << x[i, j]; v >> m (max) } "
        "map j in 0:N vector(2) { v << x[i, j]; t << m; e = exp(v - t); e >> y[i, j]; "
        "e >> s (sum) } map j in 0:N vector(4) { e << y[i, j]; t << s; e / t >> y[i, j] } }";
    static const char exponential[] = "in x: f32[M, N] out y: f32[M, N] "
                                      "map i in 0:M, j in 0:N vector(4) { v << x[i, j]; "
                                      "exp(v) >> y[i, j] }";
    bool wide = test_options().target.vector_bytes == 64;
    double most = peak();
    printf("# peak: %.1f GFLOP/s\n", most / 1e9);
    gemm(most, wide ? 12 : 6, wide ? 32 : 16, 192, 192, 256);
    gemm(most, wide ? 12 : 6, wide ? 32 : 16, 187, 189, 256);
    conv(most, wide ? 18 : 6, false);
    conv(most, wide ? 18 : 6, true);
    against_copy("softmax", softmax, 32, 1000);
    against_copy("softmax", softmax, 4096, 1000);
    against_copy("exp", exponential, 32, 1000);
    against_copy("exp", exponential, 4096, 1000);
    ok(most > 0, "the figures above");
    return done_testing();
}
