/* Time is linear in the text, for programs and for what is none; 20,000 lines take a moment. */
/* test: timed */
#include "tests/parse/trees.h"

#include <time.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Least time of three to parse N times PIECE. */
static double time_of(const char *piece, int n, bool print) {
    double least = 1e9;
    for (int k = 0; k < 3; k++) {
        struct unit u = unit_new();
        struct buf text = buf_new(u.arena);
        for (int i = 0; i < n; i++)
            buf_text(&text, piece);
        double start = seconds();
        struct ast *file = parse_bytes(&u, text.at, text.n);
        if (print) {
            start = seconds();
            printed(&u, file);
        }
        double t = seconds() - start;
        least = t < least ? t : least;
        unit_free(&u);
    }
    return least;
}

static void check_linear(const char *what, const char *piece, int n) {
    for (int print = 0; print < 2; print++) {
        double one = time_of(piece, n, print), four = time_of(piece, 4 * n, print);
        if (!ok(four < 4 * 2.5 * one + 0.02, "%s: %s time is linear", what,
                print ? "printing" : "parsing"))
            diag("%g s for %d, %g s for %d", one, n, four, 4 * n);
    }
}

static void test_time(void) {
    struct unit u = unit_new();
    const char *slow = getenv("DCL_ASAN");
    double bound = slow != NULL && slow[0] != '\0' ? 6 : 0.3;
#ifdef __SANITIZE_ADDRESS__
    bound = 6;
#endif
    const char *text = program(&u, "language.dcl");
    int lines = 0;
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    if (lines > 0) {
        double t = time_of(text, 20000 / lines + 1, false);
        if (!ok(t < bound, "20,000 lines are parsed in less than %g s", bound))
            diag("%g s", t);
        t = time_of(text, 20000 / lines + 1, true);
        if (!ok(t < bound, "and printed in less than %g s", bound))
            diag("%g s", t);
    }
    check_linear("statements", "x = a[i, 0:n] * b + c(d, \"e\", f = 1.5)\n", 3000);
    check_linear("functions", "## Doc\nfn f(a: f32[N]) -> f32[N] {\n  map i { b[i] = a[i] }\n}\n",
                 1000);
    check_linear("one line", "a; ", 10000);
    check_linear("arguments on one line", "a, ", 10000);
    check_linear("errors", "a b\n", 3000);
    check_linear("errors in headers", "map i in in { a b\n c }\n", 1500);
    check_linear("unclosed brackets", "x = (\n", 3000);
    check_linear("unclosed functions", "fn f() {\n", 3000);
    check_linear("stray brackets", "} )\n", 3000);
    check_linear("strange characters", "$ ", 10000);
    check_linear("minus", "-", 30000);
    check_linear("open brackets", "(", 30000);
    check_linear("dots", ".a", 10000);
    check_linear("comments", "## c\n", 10000);
    unit_free(&u);
}

int main(void) {
    test_time();
    return done_testing();
}
