/* Texts that nobody should write: random bytes, random tokens, mutated programs, no memory. The
   parser tells and never crashes; whatever it accepts comes back from its print. */
#include "tests/parse/trees.h"

/* A reader of lines is told the same as one of the whole text, as far as it reads on. */
static bool same_by_lines(const char *text, size_t n) {
    struct arena *a = arena_new();
    struct buf lines = buf_new(a);
    bool same = true, more = true;
    for (size_t at = 0; at < n && more && same;) {
        struct buf whole = buf_new(a);
        const char *end = memchr(text + at, '\n', n - at);
        size_t line = end ? (size_t)(end - text) + 1 - at : n - at;
        more = parse_wants_more(&lines, text + at, line);
        at += line;
        same = more == parse_wants_more(&whole, text, at);
    }
    arena_free(a);
    return same;
}

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
    if (!same_by_lines(text, n))
        error = "line by line more is wanted elsewhere";
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
        "fn",    "layer", "param",  "map",      "in",       "for",   "if",   "else",
        "while", "where", "and",    "or",       "not",      "inout", "use",  "return",
        "true",  "inf",   "update", "gradient", "minimize", "over",  "with", "a",
        "b",     "max",   "1",      "2.5",      "\"s\"",    "(",     ")",    "[",
        "]",     "{",     "}",      "{",        "}",        "->",    "|>",   "<<",
        ">>",    "+=",    "==",     "=",        "=",        ":",     ":",    ",",
        ",",     ";",     ".",      "*",        "**",       "-",     "<",    "~",
        "\n",    "\n",    "\n",     "# c\n",    "## d\n",   "&&",    "seq",  "9223372036854775808",
        "$",     "max=",  "else _", "()"};
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

/* Whether parsing comes to its end when the N-th allocation fails. */
static bool parse_without_memory(long n) {
    static const char text[] =
        "## Doc\nfn f(a: f32[N]) {\n  x = a b\n  y: nn.T << a[i, else 0]\n}\n"
        "s = \"text\" + 1.5 + (\n";
    struct unit u = unit_new();
    jmp_buf out_of_memory;
    jmp_buf *former = arena_on_oom(&out_of_memory);
    volatile bool finished = false;
    if (setjmp(out_of_memory) == 0) {
        arena_fail_after(n);
        parse_text(&u, text);
        struct buf open = buf_new(u.arena);
        parse_wants_more(&open, text, sizeof text - 1);
        finished = true;
    }
    arena_fail_after(-1);
    arena_on_oom(former);
    unit_free(&u);
    return finished;
}

/* Every allocation fails once; the jump leaves nothing behind (LeakSanitizer looks). Only that of
   parse_wants_more is survived. */
static void test_no_memory(void) {
    int failures = 0, n = 1;
    for (; n < 5000; n++)
        failures += !parse_without_memory(n);
    ok(failures > 20, "%d allocations fail and leave nothing behind", failures);
}

int main(void) {
    test_no_memory();
    test_random_bytes();
    test_random_tokens();
    test_mutations();
    return done_testing();
}
