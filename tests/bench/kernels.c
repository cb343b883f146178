/* Speed of the kernels of stdlib/kernels through libdcl, compiled once for symbolic shapes, as a
   ratio to machine.h's loops run before and after each sample. No other library of kernels is in
   the process. Usage: kernels [CASE ..]; prints TAP with the figures. The whole machine is needed.

   Cases: matmul matmul_tall matmul_odd conv softmax threads haswell. */
#include "include/dcl.h"
#include "tests/bench/machine.h"
#include "tests/harness/tap.h"

#include <stdio.h>

#define SAMPLES 15
#define BUFFERS 8 /* softmax: more than any cache holds */

struct operand {
    int rank;
    int64_t shape[6];
    float *data;
    dcl_tensor tensor;
};

static uint64_t seed = 88172645463325252u;

static float *fresh(int64_t n) {
    float *p = aligned_alloc(64, (size_t)(n * 4 + 127) / 64 * 64);
    for (int64_t i = 0; i < n; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        p[i] = (float)(seed % 2048) / 1024 - 1;
    }
    return p;
}

static void make(struct operand *o, int rank, ...) {
    va_list list;
    int64_t n = 1;
    va_start(list, rank);
    o->rank = rank;
    for (int d = 0; d < rank; d++)
        n *= o->shape[d] = va_arg(list, int);
    va_end(list);
    o->data = fresh(n);
    o->tensor = (dcl_tensor){o->data, DCL_F32, rank, o->shape, NULL};
}

static int64_t columns;
static dcl_tensor number = {&columns, DCL_I64, 0, NULL, NULL};

static dcl_function *compile(dcl_session *s, const char *signature) {
    dcl_function *f = dcl_compile(s, signature);
    if (!f)
        diag("%s", dcl_errors(s));
    return f;
}

static double call(dcl_session *s, dcl_function *f, const dcl_tensor *args, int n,
                   const dcl_tensor *result) {
    double t = now();
    if (dcl_call(f, args, n, result, 1)) {
        diag("%s", dcl_errors(s));
        exit(1);
    }
    return now() - t;
}

/* The ratio of the call's flop rate to the peak, per sample. */
static double against_peak(dcl_session *s, dcl_function *f, const dcl_tensor *args, int n,
                           const dcl_tensor *result, double flop, uint32_t bytes,
                           const char *what) {
    double ratio[SAMPLES], least, most, total = 0;
    for (int i = 0; i < 3; i++)
        call(s, f, args, n, result);
    for (int i = 0; i < SAMPLES; i++) {
        double before = machine_peak(bytes), t = 1e9;
        for (int k = 0; k < 5; k++) {
            double one = call(s, f, args, n, result);
            t = one < t ? one : t;
        }
        double after = machine_peak(bytes), peak = before > after ? before : after;
        ratio[i] = flop / t / 1e9 / peak;
        total += peak;
    }
    double m = median(ratio, SAMPLES, &least, &most);
    diag("%s: %.1f %% of peak (least %.1f, most %.1f; peak %.0f GFLOP/s)", what, 100 * m,
         100 * least, 100 * most, total / SAMPLES);
    return m;
}

static double matmul(dcl_session *s, int m, int k, int n, int packed, uint32_t bytes,
                     const char *what) {
    int w = bytes == 64 ? 32 : 16;
    struct operand a, b, c;
    make(&a, 2, m, k);
    make(&c, 2, m, n);
    columns = n;
    double r = 0;
    if (packed) {
        make(&b, 3, (n + w - 1) / w, k, w);
        char text[160];
        snprintf(text, sizeof text, "matmul_packed(A: f32[M, K], Q: f32[NB, K, %d], n: i64)", w);
        dcl_function *f = compile(s, text);
        dcl_tensor args[] = {a.tensor, b.tensor, number};
        if (f)
            r = against_peak(s, f, args, 3, &c.tensor, 2.0 * m * k * n, bytes, what);
    } else {
        make(&b, 2, k, n);
        dcl_function *f = compile(s, "matmul_tiled(A: f32[M, K], B: f32[K, N])");
        dcl_tensor args[] = {a.tensor, b.tensor};
        if (f)
            r = against_peak(s, f, args, 2, &c.tensor, 2.0 * m * k * n, bytes, what);
    }
    free(a.data), free(b.data), free(c.data);
    return r;
}

static void conv(dcl_session *s, uint32_t bytes) {
    struct operand x, w, y;
    make(&x, 5, 1, 4, 56, 56, 16);
    make(&w, 6, 4, 4, 3, 3, 16, 16);
    make(&y, 5, 1, 4, 56, 56, 16);
    dcl_function *f =
        compile(s, "conv3x3_blocked(x: f32[N, CB, H, W, 16], w: f32[OB, CB, 3, 3, 16, 16])");
    dcl_tensor args[] = {x.tensor, w.tensor};
    double r = f ? against_peak(s, f, args, 2, &y.tensor, 2.0 * 56 * 56 * 64 * 64 * 9, bytes,
                                "convolution 3x3 56x56x64->64")
                 : 0;
    ok(r >= 0.88, "convolution 56x56x64->64 reaches 88 %% of peak");
    free(x.data), free(w.data), free(y.data);
}

static void softmax(dcl_session *s) {
    struct operand x[BUFFERS], y[BUFFERS];
    double ratio[SAMPLES], least, most;
    size_t bytes = (size_t)4096 * 768 * 4;
    for (int i = 0; i < BUFFERS; i++) {
        make(&x[i], 2, 4096, 768);
        make(&y[i], 2, 4096, 768);
    }
    dcl_function *f = compile(s, "softmax_rows(x: f32[R, N])");
    for (int i = 0; f && i < SAMPLES; i++) {
        double copy = machine_copy(bytes), t = 0;
        for (int k = 0; k < BUFFERS; k++)
            t += call(s, f, &x[k].tensor, 1, &y[k].tensor);
        for (int k = 1; k < BUFFERS; k++)
            copy += machine_copy(bytes);
        ratio[i] = t / copy;
    }
    double m = f ? median(ratio, SAMPLES, &least, &most) : 1e9;
    if (f)
        diag("softmax 4096x768: %.2f x the time of a copy (least %.2f, most %.2f)", m, least, most);
    ok(m <= 1.6, "softmax 4096x768 takes at most 1.6 times the time of a copy");
    for (int i = 0; i < BUFFERS; i++)
        free(x[i].data), free(y[i].data);
}

static void threads(void) {
    struct operand a, b, c;
    make(&a, 2, 1024, 1024);
    make(&b, 3, 64, 1024, 16);
    make(&c, 2, 1024, 1024);
    columns = 1024;
    dcl_session *one = dcl_open("threads=1"), *two = dcl_open("threads=2");
    const char *text = "matmul_packed(A: f32[M, K], Q: f32[NB, K, 16], n: i64)";
    dcl_function *f = compile(one, text), *g = compile(two, text);
    dcl_tensor args[] = {a.tensor, b.tensor, number};
    double ratio[SAMPLES], least, most;
    for (int i = 0; f && g && i < SAMPLES; i++) {
        double t = 1e9, u = 1e9;
        for (int k = 0; k < 5; k++) {
            double x = call(one, f, args, 3, &c.tensor), y = call(two, g, args, 3, &c.tensor);
            t = x < t ? x : t;
            u = y < u ? y : u;
        }
        ratio[i] = t / u;
    }
    double m = f && g ? median(ratio, SAMPLES, &least, &most) : 0;
    if (m)
        diag("two threads: %.2f x one (least %.2f, most %.2f)", m, least, most);
    ok(m >= 1.8, "two threads are at least 1.8 times as fast as one");
    dcl_close(one);
    dcl_close(two);
}

static int no_rivals(void) {
    char line[512];
    int found = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "openblas") || strstr(line, "dnnl") || strstr(line, "libmvec") ||
            strstr(line, "mkl"))
            found = 1;
    if (f)
        fclose(f);
    return !found;
}

static int wanted(int argc, char **argv, const char *what) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], what) == 0)
            return 1;
    return argc == 1;
}

int main(int argc, char **argv) {
    uint32_t bytes = __builtin_cpu_supports("avx512f") ? 64 : 32;
    if (!__builtin_cpu_supports("avx2"))
        skip_all("this processor has no AVX2");
    dcl_session *s = dcl_open("threads=1");
    if (wanted(argc, argv, "matmul"))
        ok(matmul(s, 1024, 1024, 1024, 1, bytes, "matmul 1024x1024x1024 packed") >= 0.8,
           "matmul 1024x1024x1024 reaches 80 %% of peak");
    if (wanted(argc, argv, "matmul_tall"))
        ok(matmul(s, 64, 768, 3072, 1, bytes, "matmul 64x768x3072 packed") >= 0.8,
           "matmul 64x768x3072, packed, reaches 80 %% of peak");
    if (wanted(argc, argv, "matmul_odd"))
        ok(matmul(s, 1021, 1031, 1033, 0, bytes, "matmul 1021x1031x1033, packing within") >= 0.7,
           "matmul 1021x1031x1033 reaches 70 %% of peak");
    if (wanted(argc, argv, "conv"))
        conv(s, bytes);
    if (wanted(argc, argv, "softmax"))
        softmax(s);
    if (wanted(argc, argv, "haswell")) {
        dcl_session *h = dcl_open("threads=1 target-cpu=haswell");
        ok(matmul(h, 1024, 1024, 1024, 1, 32, "matmul 1024x1024x1024 for haswell") >= 0.8,
           "the same text for AVX2 reaches 80 %% of that peak");
        dcl_close(h);
    }
    if (wanted(argc, argv, "threads"))
        threads();
    ok(no_rivals(), "no other library of kernels is in the process");
    dcl_close(s);
    return done_testing();
}
