/* Large and deep programs, programs cut off anywhere, and memory that runs out. */
#include "tests/harness/tap.h"
#include "tests/unit/check_program.h"

#include <time.h>

static const char sample[] =
    "fn norm(x: T[*S, N]; eps: float = 1e-5) -> y: T[*S, N] where T: float {\n"
    "  s: T[*S]\n"
    "  map *b, i { s[*b] += x[*b, i] * x[*b, i] }\n"
    "  for k in 0:3 { s = s * 2 }\n"
    "  map *b, i { v << s[*b];  x[*b, i] / (v + eps) >> y[*b, i] }\n"
    "}\n"
    "layer Linear(inputs: int, outputs: int, bias: bool = true) {\n"
    "  param W: f32[outputs, inputs] ~ normal(0.1)\n"
    "  blocks = [inner(i) for i in 0:inputs]\n"
    "  fn inner(i: int) -> int { if i > 3 { i } else { 3 } }\n"
    "  fn forward(x: f32[*B, inputs]) -> f32[*B, outputs] { x |> norm(eps = 1.0) |> relu }\n"
    "}\n"
    "net = Linear(3, b = 4)\n"
    "t: f32[3] = 0\n"
    "map i { t[i] = 1; net = 3 }\n"
    "while len(t) > unknwon { print(net(t), session_variable[1]) }\n";

/* Seconds to check about LINES lines. */
static double seconds(int lines) {
    struct arena *a = arena_new();
    struct buf text = buf_new(a);
    for (int line = 0, k = 0; line < lines; line += 10, k++)
        buf_printf(&text,
                   "fn function_%d(x: T[*S, N], w: T[N, M]; a: int = 1) -> y: T[*S, M]\n"
                   "    where T: float {\n"
                   "  s: T[*S]\n"
                   "  map *b, i { s[*b] += x[*b, i] }\n"
                   "  h = relu(x @ w)\n"
                   "  map *b, j { v << h[*b, j];  u << s[*b];  exp(v - u) >> y[*b, j] }\n"
                   "  for t in 0:3 { h = h * 2 + function_%d(x, w, a = a) }\n"
                   "  value_%d = h |> relu\n"
                   "}\n"
                   "variable_%d = %d\n",
                   k, k / 2, k, k, k);
    struct program p;
    program_run(&p, a, "large.dcl", text.at, text.n);
    clock_t start = clock();
    program_check(&p);
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    ok(p.good && p.diags.warnings == 0, "%d lines are right", lines);
    if (!p.good)
        diag("%s", program_messages(&p));
    arena_free(a);
    return took;
}

static void test_large(void) {
    double took = seconds(20000), twice = seconds(40000);
    diag("20000 lines: %.3f s, 40000 lines: %.3f s", took, twice);
    ok(took < (getenv("DCL_ASAN") && *getenv("DCL_ASAN") ? 3.0 : 0.3), "20000 lines are quick");
}

/* A long function whose one map reads thousands of containers. */
static void test_wide(void) {
    struct arena *a = arena_new();
    struct buf text = buf_new(a);
    buf_text(&text, "fn f(x: f32[N]) -> y: f32[N] {\n");
    for (int k = 0; k < 5000; k++)
        buf_printf(&text, "  c%d: f32[N]\n", k);
    buf_text(&text, "  map i {\n");
    for (int k = 0; k < 5000; k++)
        buf_printf(&text, "    c%d[i] += x[i] + c%d[i]\n", k, k / 2);
    buf_text(&text, "  }\n}\n");
    struct program p;
    program_run(&p, a, "wide.dcl", text.at, text.n);
    ok(p.good, "5000 containers");
    const struct ast *iter = p.file->kids[0]->kids[3]->kids[5000]->kids[1];
    is_int(iter->nkids, 3 + 5001, "all of them give the range");
    arena_free(a);
}

static void test_deep(void) {
    struct arena *a = arena_new();
    struct buf text = buf_new(a);
    buf_text(&text, "fn f(x: f32[N]) -> y: f32[N] {\n");
    for (int k = 0; k < 100; k++)
        buf_printf(&text, "map i_%d in 2 { if i_%d > 0 { for t%d in 0:2 { ", k, k, k);
    buf_text(&text, "y[i_0] = ");
    for (int k = 0; k < 500; k++)
        buf_text(&text, "x[");
    buf_text(&text, "0");
    for (int k = 0; k < 500; k++)
        buf_text(&text, "]");
    for (int k = 0; k < 100; k++)
        buf_text(&text, " } } }");
    buf_text(&text, "\n}\n");
    struct program p;
    program_run(&p, a, "deep.dcl", text.at, text.n);
    if (!ok(p.good, "deep nesting"))
        diag("%s", program_messages(&p));
    arena_free(a);
}

/* What is left of the sample when it ends early, or when a piece is missing, is checked without
   harm, and twice alike. */
static void test_torn(void) {
    bool same = true;
    size_t n = sizeof sample - 1;
    for (size_t cut = 0; cut < 2 * n; cut++) {
        struct arena *a = arena_new();
        struct buf text = buf_new(a);
        buf_bytes(&text, sample, cut < n ? cut : cut - n);
        if (cut >= n && cut - n + 7 < n)
            buf_text(&text, sample + cut - n + 7);
        struct program p;
        program_run(&p, a, "torn.dcl", text.at, text.n);
        const char *first = program_messages(&p);
        struct program q;
        program_run(&q, a, "torn.dcl", text.at, text.n);
        same &= strcmp(first, program_messages(&q)) == 0;
        arena_free(a);
    }
    ok(same, "the sample, torn in every place");
}

/* Whether the sample is checked to its end when the N-th allocation fails. */
static bool survives(long n) {
    struct arena *a = arena_new();
    struct program p;
    program_run(&p, a, "memory.dcl", sample, sizeof sample - 1);
    jmp_buf out;
    jmp_buf *before = arena_on_oom(&out);
    volatile bool done = false;
    if (setjmp(out) == 0) {
        arena_fail_after(n);
        program_check(&p);
        done = true;
    }
    arena_fail_after(-1);
    arena_on_oom(before);
    arena_free(a);
    return done;
}

static void test_memory(void) {
    long n = 1;
    while (!survives(n))
        n++;
    ok(n > 50, "memory ran out in %ld places", n - 1);
}

int main(void) {
    test_large();
    test_wide();
    test_deep();
    test_torn();
    test_memory();
    return done_testing();
}
