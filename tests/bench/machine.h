/* What the machine can do at most, measured beside each sample: a loop of independent fused
   multiply-adds in registers, and a copy between buffers beyond the caches. */
#ifndef DCL_TESTS_BENCH_MACHINE_H
#define DCL_TESTS_BENCH_MACHINE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Twelve chains hide the latency of a multiply-add on every processor of today. */
#define PEAK_STEP(x) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+x"(x) : "x"(m), "x"(a))
#define PEAK_LOOP(name, bytes, isa)                                                                \
    __attribute__((target(isa), noinline)) static double name(long rounds) {                       \
        typedef float vec __attribute__((vector_size(bytes)));                                     \
        vec m = {0}, a = {0}, x0 = {0}, x1 = {0}, x2 = {0}, x3 = {0}, x4 = {0}, x5 = {0};          \
        vec x6 = {0}, x7 = {0}, x8 = {0}, x9 = {0}, x10 = {0}, x11 = {0};                          \
        double t = now();                                                                          \
        for (long r = 0; r < rounds; r++) {                                                        \
            PEAK_STEP(x0);                                                                         \
            PEAK_STEP(x1);                                                                         \
            PEAK_STEP(x2);                                                                         \
            PEAK_STEP(x3);                                                                         \
            PEAK_STEP(x4);                                                                         \
            PEAK_STEP(x5);                                                                         \
            PEAK_STEP(x6);                                                                         \
            PEAK_STEP(x7);                                                                         \
            PEAK_STEP(x8);                                                                         \
            PEAK_STEP(x9);                                                                         \
            PEAK_STEP(x10);                                                                        \
            PEAK_STEP(x11);                                                                        \
        }                                                                                          \
        t = now() - t;                                                                             \
        return 2.0 * (double)rounds * 12 * (bytes / 4) / t / 1e9;                                  \
    }

#if defined(__x86_64__)
PEAK_LOOP(peak_256, 32, "avx2,fma")
PEAK_LOOP(peak_512, 64, "avx512f,fma")
/* GFLOP/s of one core in f32, with vectors of BYTES bytes; about 3 ms. */
static inline double machine_peak(uint32_t bytes) {
    return bytes == 64 ? peak_512(200000) : peak_256(400000);
}
#endif

#define COPY_BYTES ((size_t)64 << 20)

/* Seconds to copy BYTES (at most COPY_BYTES) of memory that is in no cache. */
static inline double machine_copy(size_t bytes) {
    static char *from, *to;
    static size_t at;
    if (!from) {
        from = malloc(COPY_BYTES * 2);
        to = malloc(COPY_BYTES * 2);
        memset(from, 1, COPY_BYTES * 2);
        memset(to, 1, COPY_BYTES * 2);
    }
    if (at + bytes > COPY_BYTES * 2)
        at = 0;
    double t = now();
    memcpy(to + at, from + at, bytes);
    t = now() - t;
    at += bytes;
    return t;
}

static inline int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the N samples; the median, the least and the largest. */
static inline double median(double *s, int n, double *least, double *largest) {
    qsort(s, (size_t)n, sizeof *s, by_value);
    *least = s[0];
    *largest = s[n - 1];
    return s[n / 2];
}

#endif
