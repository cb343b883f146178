/* Texts that nobody should write: random bytes, mutated programs, deep nesting, endless lines. The
   parser tells and never crashes; whatever it accepts comes back from its print. */
/* test: timed */
#include "tests/parse/trees.h"

#include <time.h>

/* What must hold of every text. */
static bool survives(const char *text, size_t n) {
    struct unit u = unit_new();
    struct ast *file = parse_bytes(&u, text, n);
    bool clean = u.diags.errors == 0;
    const char *error = shape_error(file, (uint32_t)n, 0);
    for (const struct diag *d = u.diags.first; d != NULL && error == NULL; d = d->next)
        if (d->span.start > d->span.end || d->span.end > n || d->text[0] == '\0')
            error = "a message without a place";
    messages(&u);
    parse_wants_more(text, n);
    bool back = error == NULL && round_trips(&u, file); /* what is left always prints */
    if (!clean && u.diags.errors > 0)
        back = false;
    if (!back)
        diag("%s, text of %zu bytes:\n%.*s", error == NULL ? "" : error, n, (int)n, text);
    unit_free(&u);
    return back;
}

static int count_of(int usual) {
    const char *count = getenv("DCL_FUZZ_COUNT");
    return count == NULL ? usual : usual * atoi(count) / 100;
}

static void test_random_bytes(void) {
    struct grower g = {.state = 1};
    int failed = 0;
    for (int i = 0; i < count_of(1000) && failed < 3; i++) {
        static const char usual[] = " \n\n(){}[]:;,.+-*/%@<>=~#\"\\'aexi019_";
        char text[400];
        uint32_t n = below(&g, sizeof text);
        for (uint32_t k = 0; k < n; k++)
            text[k] = i % 2 == 0 ? (char)below(&g, 256) : usual[below(&g, sizeof usual)];
        failed += !survives(text, n);
    }
    is_int(failed, 0, "random bytes");
}

/* Random tokens find more of the grammar than random bytes. */
static void test_random_tokens(void) {
    static const char *const words[] = {
        "fn",       "layer", "param",  "map",    "in",   "for",
        "if",       "else",  "while",  "where",  "and",  "or",
        "not",      "inout", "use",    "return", "true", "inf",
        "minimize", "a",     "b",      "max",    "1",    "2.5",
        "\"s\"",    "(",     ")",      "[",      "]",    "{",
        "}",        "{",     "}",      "->",     "|>",   "<<",
        ">>",       "+=",    "==",     "=",      "=",    ":",
        ":",        ",",     ",",      ";",      ".",    "*",
        "**",       "-",     "<",      "~",      "\n",   "\n",
        "\n",       "# c\n", "## d\n", "&&",     "seq",  "9223372036854775808",
        "$",        "max=",  "else _", "()"};
    struct grower g = {.state = 2};
    int failed = 0;
    for (int i = 0; i < count_of(3000) && failed < 3; i++) {
        char text[800];
        size_t n = 0;
        for (uint32_t k = below(&g, 60); k > 0; k--) {
            const char *word = words[below(&g, sizeof words / sizeof *words)];
            memcpy(text + n, word, strlen(word));
            n += strlen(word);
            text[n++] = once_in(&g, 8) ? '\n' : ' ';
        }
        failed += !survives(text, n);
    }
    is_int(failed, 0, "random tokens");
}

static size_t mutate(struct grower *g, char *text, size_t n) {
    size_t at = below(g, (uint32_t)n), size = 1 + below(g, 20), from = below(g, (uint32_t)n);
    if (at + size > n || from + size > n)
        return n;
    switch (below(g, 5)) {
    case 0: memmove(text + at, text + at + size, n - at - size); return n - size;
    case 1: text[at] = (char)below(g, 256); return n;
    case 2: text[at] = "(){}[]\n;:,.=*-\"#"[below(g, 16)]; return n;
    case 3: memmove(text + at, text + from, size); return n;
    default:
        memmove(text + at + size, text + at, n - at);
        memmove(text + at, text + from, size);
        return n + size;
    }
}

static void test_mutations(void) {
    struct unit u = unit_new();
    const char *const sources[] = {program(&u, "language.dcl"), program(&u, "layout.dcl")};
    struct grower g = {.state = 3};
    int failed = 0;
    for (int i = 0; i < count_of(400) && failed < 3; i++) {
        const char *source = sources[i % 2];
        size_t n = strlen(source);
        char *text = arena_alloc(u.arena, n + 2000);
        memcpy(text, source, n);
        for (uint32_t k = 1 + below(&g, 8); k > 0 && n > 0; k--)
            n = mutate(&g, text, n);
        failed += !survives(text, n);
    }
    is_int(failed, 0, "mutated programs");
    /* every prefix of a program, as one types it */
    for (size_t n = 0; n < strlen(sources[1]) && failed < 3; n += 7)
        failed += !survives(sources[1], n);
    is_int(failed, 0, "programs cut short");
    unit_free(&u);
}

/* --- depth ----------------------------------------------------------------------------------- */

/* BEFORE, N times PIECE, MIDDLE, N times CLOSE, and another statement with an error. */
static void check_deep(const char *what, const char *before, const char *piece, const char *middle,
                       const char *close, int n) {
    struct unit u = unit_new();
    struct buf text = buf_new(u.arena);
    buf_text(&text, before);
    for (int i = 0; i < n; i++)
        buf_text(&text, piece);
    buf_text(&text, middle);
    for (int i = 0; i < n; i++)
        buf_text(&text, close);
    buf_text(&text, "\ny = 1\nz = 1 2\n");
    struct ast *file = parse_bytes(&u, text.at, text.n);
    bool deep = false, last = false;
    for (const struct diag *d = u.diags.first; d != NULL; d = d->next) {
        deep = deep || d->code == ERR_NESTING;
        last = d->code == ERR_SYNTAX;
    }
    ok(deep && last && u.diags.errors < 100, "%s: told, and the next error too", what);
    bool kept = file->nkids > 0 && file->kids[file->nkids - 1]->kind == AST_ASSIGN;
    ok(kept && shape_error(file, (uint32_t)text.n, 0) == NULL, "%s: and the rest is there", what);
    ok(round_trips(&u, file), "%s: and prints", what);
    unit_free(&u);
}

static void test_depth(void) {
    int n = 100000;
    check_deep("minus", "x = ", "- ", "a", "", n);
    check_deep("not", "x = ", "not ", "a", "", n);
    check_deep("power", "x = a", " ** a", "", "", n);
    check_deep("sum", "x = a", " + a", "", "", n);
    check_deep("pipe", "x = a", " |> a", "", "", n);
    check_deep("calls", "x = a", "(b)", "", "", n);
    check_deep("subscripts", "x = a", "[b]", "", "", n);
    check_deep("members", "x = a", ".b", "", "", n);
    check_deep("path", "x << a", ".b", "", "", n);
    check_deep("parentheses", "x = ", "(", "a", ")", n);
    check_deep("lists", "x = ", "[", "a", "]", n);
    check_deep("tuples", "x = ", "(a, ", "a", ")", n);
    check_deep("comprehensions", "x = ", "[a for a in ", "a", "]", n);
    check_deep("arguments", "x = ", "f(a + b * -c ** d or e |> ", "a", ")", n);
    check_deep("else if", "if a {}", " else if a {}", "", "", n);
    check_deep("blocks", "", "if a {", "", "}", n);
    check_deep("maps", "", "map i in N {\n", "", "}\n", n);
    check_deep("types", "x: ", "f32[a, b.c[", "d", "]]", n);
    check_deep("minus in a function", "fn f() {\n a\n x = ", "- ", "a\n b\n}", "", n);
}

/* Just below the bound all is well, through every recursive walk. */
static void test_allowed_depth(void) {
    struct unit u = unit_new();
    struct buf text = buf_new(u.arena);
    buf_text(&text, "x = ");
    for (int i = 0; i < 990; i++)
        buf_text(&text, i % 2 == 0 ? "f(" : "[");
    buf_text(&text, "a");
    for (int i = 990; i-- > 0;)
        buf_text(&text, i % 2 == 0 ? ")" : "]");
    buf_text(&text, "\ny = a");
    for (int i = 0; i < 990; i++)
        buf_text(&text, " + a");
    struct ast *file = parse_bytes(&u, text.at, text.n);
    is_str(messages(&u), "", "990 deep");
    ok(ast_equal(file, ast_clone(u.arena, file)) && round_trips(&u, file), "and walks well");
    unit_free(&u);
}

/* --- time ------------------------------------------------------------------------------------ */

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
    test_random_bytes();
    test_random_tokens();
    test_mutations();
    test_depth();
    test_allowed_depth();
    test_time();
    return done_testing();
}
