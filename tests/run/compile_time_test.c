/* Compiling takes time in proportion to the program: 1, 2 and 4 times as many calls, from text to
   machine code, for chains of layers and for elementwise chains; the figures are printed. */
/* test: timed */
#include "dcl.h"

#include "tests/harness/tap.h"

#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct chain {
    const char *what, *head, *line;
    const char *signature;
};

/* Least time of two to read a function of N times LINE and to compile it. */
static double time_of(const struct chain *c, int n) {
    size_t size = strlen(c->head) + (strlen(c->line) + 1) * (size_t)n + 8;
    char *text = malloc(size), *at = text;
    double least = 1e9;
    at += sprintf(at, "%s", c->head);
    for (int i = 0; i < n; i++)
        at += sprintf(at, "%s\n", c->line);
    sprintf(at, "x }\n");
    for (int k = 0; k < 2; k++) {
        dcl_session *s = dcl_open("cache=off threads=1 verify=0");
        double t = seconds();
        if (dcl_run(s, text, "net.dcl") || !dcl_compile(s, c->signature)) {
            fail("compile");
            diag("%s", dcl_errors(s));
        }
        t = seconds() - t;
        least = t < least ? t : least;
        dcl_close(s);
    }
    free(text);
    return least;
}

static void check(const struct chain *c, int n) {
    double t[3];
    for (int k = 0; k < 3; k++)
        t[k] = time_of(c, n << k);
    diag("%s: %d, %d, %d lines: %.0f, %.0f, %.0f ms; %.2f x and %.2f x", c->what, n, 2 * n, 4 * n,
         1e3 * t[0], 1e3 * t[1], 1e3 * t[2], t[1] / t[0], t[2] / t[0]);
    ok(t[2] < 4 * 1.5 * t[0] + 0.05, "%s: time is linear in the number of lines", c->what);
}

int main(void) {
    static const struct chain layers = {
        "layers", "fn net(x: f32[B, D], w: f32[D, D], b: f32[D]) -> f32[B, D] {\n",
        "x = relu(x @ w + b)", "net(x: f32[B, D], w: f32[D, D], b: f32[D])"};
    static const struct chain convolutions = {
        "convolutions", "fn net(x: f32[N, 8, H, W], w: f32[8, 8, 3, 3]) -> f32[N, 8, H, W] {\n",
        "x = relu(conv2d(x, w, pad = 1) + x)", "net(x: f32[N, 8, H, W], w: f32[8, 8, 3, 3])"};
    static const struct chain rows = {"rows", "fn net(x: f32[R, C]) -> f32[R, C] {\n",
                                      "x = softmax(x * 0.5)", "net(x: f32[R, C])"};
    static const struct chain elements = {"elements", "fn net(x: f32[N], y: f32[N]) -> f32[N] {\n",
                                          "x = tanh(x * y + x)", "net(x: f32[N], y: f32[N])"};
    time_of(&elements, 1); /* the backend's own start */
    check(&layers, 24);
    check(&convolutions, 16);
    check(&rows, 40);
    check(&elements, 100);
    return done_testing();
}
