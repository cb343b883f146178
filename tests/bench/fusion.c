/* Library calls against the versions by hand of tests/passes/fusion_pairs.h: the same results, and
   times within 7 %. Both are compiled for symbolic shapes and called in turn, each sample the least
   of a few calls; the figure is the median of the ratios. */
#include "include/dcl.h"
#include "tests/bench/machine.h"
#include "tests/harness/tap.h"
#include "tests/passes/fusion_pairs.h"

#include <math.h>
#include <stdio.h>

#define SAMPLES 21
#define MOST_ARGS 3

struct shapes { /* of the arguments and the result, in the order of the pairs */
    int nargs;
    int rank[MOST_ARGS + 1];
    int64_t dims[MOST_ARGS + 1][6];
};

static const struct shapes shapes[] = {
    {3,
     {5, 6, 5, 5},
     {{1, 4, 56, 56, 16}, {4, 4, 3, 3, 16, 16}, {1, 4, 1, 1, 16}, {1, 4, 56, 56, 16}}},
    {1, {2, 2}, {{512, 768}, {512, 768}}},
    {3, {2, 1, 1, 2}, {{512, 768}, {768}, {768}, {512, 768}}},
    {2, {2, 1, 2}, {{512, 768}, {768}, {512, 768}}},
};

static dcl_tensor make(int rank, const int64_t *dims, int64_t *n) {
    *n = 1;
    for (int d = 0; d < rank; d++)
        *n *= dims[d];
    float *p = aligned_alloc(64, (size_t)(*n * 4 + 127) / 64 * 64);
    for (int64_t i = 0; i < *n; i++)
        p[i] = (float)((i * 7919 + 13) % 1000) / 500 - 1;
    return (dcl_tensor){p, DCL_F32, rank, dims, NULL};
}

static dcl_function *compile(dcl_session *s, const char *text) {
    char signature[256];
    const char *open = strchr(text, '('), *end = strstr(text, "->");
    if (dcl_run(s, text, "pair") == 0) {
        snprintf(signature, sizeof signature, "f%.*s", (int)(end - open), open);
        for (char *c = signature; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        dcl_function *f = dcl_compile(s, signature);
        if (f)
            return f;
    }
    diag("%s", dcl_errors(s));
    return NULL;
}

static double least_of(dcl_session *s, dcl_function *f, const dcl_tensor *args, int n,
                       const dcl_tensor *result) {
    double least = 1e9;
    for (int k = 0; k < 5; k++) {
        double t = now();
        if (dcl_call(f, args, n, result, 1))
            diag("%s", dcl_errors(s));
        t = now() - t;
        least = t < least ? t : least;
    }
    return least;
}

static void compare(const struct pair *p, const struct shapes *q) {
    dcl_session *a = dcl_open("threads=1"), *b = dcl_open("threads=1");
    dcl_function *calls = compile(a, p->calls), *hand = compile(b, p->by_hand);
    dcl_tensor args[MOST_ARGS], x, y;
    int64_t n;
    for (int i = 0; i < q->nargs; i++)
        args[i] = make(q->rank[i], q->dims[i], &n);
    x = make(q->rank[q->nargs], q->dims[q->nargs], &n);
    y = make(q->rank[q->nargs], q->dims[q->nargs], &n);
    double ratio[SAMPLES], lowest = 0, highest = 0, m = 1e9, far = 0;
    for (int i = 0; calls && hand && i < SAMPLES; i++) {
        double t = least_of(a, calls, args, q->nargs, &x);
        ratio[i] = t / least_of(b, hand, args, q->nargs, &y);
    }
    if (calls && hand)
        m = median(ratio, SAMPLES, &lowest, &highest);
    for (int64_t i = 0; i < n; i++) {
        double d = fabs((double)((float *)x.data)[i] - ((float *)y.data)[i]);
        far = d > far ? d : far;
    }
    ok(calls && hand && far < 1e-4, "%s: the same results (%g apart)", p->what, far);
    diag("%s: %.3f x the time by hand (least %.3f, most %.3f)", p->what, m, lowest, highest);
    ok(m <= 1.07, "%s: from calls within 7 %% of the version by hand", p->what);
    for (int i = 0; i < q->nargs; i++)
        free(args[i].data);
    free(x.data), free(y.data);
    dcl_close(a);
    dcl_close(b);
}

int main(void) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        compare(&pairs[i], &shapes[i]);
    return done_testing();
}
