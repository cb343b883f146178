/* Long programs of small kernels of mixed kinds, with loops and branches: compile time is linear
   in their number, in the thread's own time; and what is compiled in pieces is what the reference
   computes. */
/* test: timed */
#include "dcl.h"

#include "tests/harness/tap.h"

#include <time.h>

enum { ROWS = 8, COLUMNS = 16, SIZE = ROWS * COLUMNS };

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char head[] =
    "fn net(x: f32[8, 16], w: f32[16, 16], b: f32[16], k: i64) -> f32[8, 16] {\n"
    "first = x\nbase = sum(x)\n";

/* Blocks of four kernels in a row, N of them. */
static char *straight(int n) {
    char *text = malloc(sizeof head + (size_t)n * 200 + 100), *at = text;
    at += sprintf(at, "%s", head);
    for (int i = 0; i < n; i++)
        at += sprintf(at, "x = tanh(x * 0.5 + b)\nx = x @ w\nx = x - sum(x)\n"
                          "x = reshape(reshape(x, [16, 8]) * 0.5, [8, 16])\n");
    sprintf(at, "x + first * f32(k) + base\n}\n");
    return text;
}

/* N blocks; each eighth has a loop or a `while`, whose body is long in every second eight. */
static char *program(int n) {
    char *text = malloc(sizeof head + (size_t)n * 1600 + 100), *at = text;
    at += sprintf(at, "%s", head);
    for (int i = 0; i < n; i++) {
        int turns = i % 16 < 8 ? 30 : 2;
        at += sprintf(at, "x = tanh(x * 0.5 + b)\nx = x @ w\nx = x - sum(x) * 0.01\n");
        at += sprintf(at, "x = reshape(reshape(x, [16, 8]) * 0.5, [8, 16])\n");
        at += sprintf(at, "s%d = sum(x, axes = [0])\n", i);
        at += sprintf(at, "x = if sum(x) > 0 { x * 0.25 } else { x - s%d }\n", i);
        if (i % 8 == 3) {
            at += sprintf(at, "for t%d in 0:k {\n", i);
            for (int j = 0; j < turns; j++)
                at += sprintf(at, "x = tanh(x @ w - b)\n");
            at += sprintf(at, "x = x - s%d * base\n}\n", i);
        }
        if (i % 8 == 5) {
            at += sprintf(at, "c%d = 0\nwhile c%d < k and x[0, 0] > -5 {\nc%d += 1\n", i, i, i);
            for (int j = 0; j < turns; j++)
                at += sprintf(at, "x = tanh(x * 1.5 + s%d) @ w\n", i);
            at += sprintf(at, "}\nx = x + f32(c%d) * 0.125\n", i);
        }
    }
    sprintf(at, "x + first\n}\n");
    return text;
}

static double compile_time(int n) {
    char *text = straight(n);
    dcl_session *s = dcl_open("cache=off threads=1 verify=0");
    double t = seconds();
    if (dcl_run(s, text, "net.dcl") ||
        !dcl_compile(s, "net(x: f32[8, 16], w: f32[16, 16], b: f32[16], k: i64)")) {
        fail("compile");
        diag("%s", dcl_errors(s));
    }
    t = seconds() - t;
    dcl_close(s);
    free(text);
    return t;
}

static void check_time(int n) {
    double few = compile_time(n), many = compile_time(4 * n);
    diag("%d, %d blocks: %.0f, %.0f ms; %.2f x", n, 4 * n, 1e3 * few, 1e3 * many, many / few);
    ok(many < 6 * few, "time is linear in the number of kernels");
}

static void run(const char *options, const char *text, int64_t turns, float *y) {
    static const int64_t matrix[] = {ROWS, COLUMNS}, square[] = {COLUMNS, COLUMNS};
    float x[SIZE], w[COLUMNS * COLUMNS], b[COLUMNS];
    for (int i = 0; i < SIZE; i++)
        x[i] = (float)(i * 7 % 23 - 11) * 0.1f;
    for (int i = 0; i < COLUMNS * COLUMNS; i++)
        w[i] = (float)(i * 5 % 19 - 9) * 0.05f;
    for (int i = 0; i < COLUMNS; i++)
        b[i] = (float)(i % 5 - 2) * 0.1f;
    dcl_tensor args[] = {{x, DCL_F32, 2, matrix, NULL},
                         {w, DCL_F32, 2, square, NULL},
                         {b, DCL_F32, 1, square, NULL},
                         {&turns, DCL_I64, 0, NULL, NULL}};
    dcl_tensor result = {y, DCL_F32, 2, matrix, NULL};
    dcl_session *s = dcl_open(options);
    dcl_function *f = dcl_run(s, text, "net.dcl") ? NULL : dcl_compile(s, "net");
    if (!f || dcl_call(f, args, 4, &result, 1)) {
        fail("%s", options);
        diag("%s", dcl_errors(s));
    }
    dcl_close(s);
}

static void check_values(int n, int64_t turns) {
    char *text = program(n);
    float want[SIZE] = {0}, got[SIZE] = {0}, again[SIZE] = {0};
    run("backend=ref", text, turns, want);
    run("cache=off threads=1", text, turns, got);
    run("cache=off threads=3", text, turns, again);
    int wrong = 0;
    for (int i = 0; i < SIZE; i++)
        wrong += !(fabsf(got[i] - want[i]) <= 1e-4f * (1 + fabsf(want[i])));
    is_int(wrong, 0, "%d blocks, %d turns: elements that differ from the reference's", n,
           (int)turns);
    ok(memcmp(got, again, sizeof got) == 0, "... and are the same on three threads");
    free(text);
}

int main(void) {
    compile_time(1); /* the backend's own start */
    check_values(8, 0);
    check_values(16, 3);
    check_time(100);
    return done_testing();
}
