/* Diagnostics: the printed form in every situation, collecting and limits, and the table of
   messages itself. */
#include "lang/base/diag.h"
#include "tests/harness/tap.h"

static struct arena *arena;
static struct sources *sources;

static struct span span_of(const char *text, size_t n, uint32_t start, uint32_t end) {
    uint32_t source = sources_add(sources, "t.dcl", text, n);
    return (struct span){.source = source, .start = start, .end = end};
}

static const char *printed(const struct diags *d) {
    struct buf out = buf_new(arena);
    diags_print(d, &out, false);
    return out.at;
}

/* How an error at START to END of TEXT prints; the message is "m". */
static const char *error_at(const char *text, uint32_t start, uint32_t end, const char *detail) {
    struct diags d;
    diags_init(&d, arena, sources);
    struct diag *m = diag_error(&d, span_of(text, strlen(text), start, end), ERR_SYNTAX, "%s", "m");
    m->text = "m";
    if (detail)
        diag_detail(&d, m, "%s", detail);
    return printed(&d);
}

static void test_whole_message(void) {
    const char *text = "\n\n\n\n\n\n\n\n  param W: f32[128, 10]\n\n\n\n\n    h = x @ W\n";
    uint32_t at = (uint32_t)(strstr(text, "x @ W") - text);
    struct diags d;
    diags_init(&d, arena, sources);
    struct span s = span_of(text, strlen(text), at, at + 5);
    struct diag *m = diag_error(&d, s, ERR_SHAPE_MISMATCH, "matmul", "inner dimensions", "K", "784",
                                "x", "128", "W");
    diag_detail(&d, m, "x: f32[B, %d]   W: f32[128, 10]", 784);
    struct span w = {.source = s.source, .start = 10, .end = 15};
    diag_note(&d, m, w, "%s is declared here", "W");
    diag_note(&d, m, (struct span){0}, "nowhere");
    diag_help(&d, m, "x @ W.T would fit if W were f32[128, %d]", 784);
    is_str(printed(&d),
           "t.dcl:14:9: error: matmul: inner dimensions differ: K is 784 from x and 128 from W\n"
           "   14 |     h = x @ W\n"
           "      |         ^~~~~  x: f32[B, 784]   W: f32[128, 10]\n"
           "   note: W is declared here: t.dcl:9:3\n"
           "   note: nowhere\n"
           "   help: x @ W.T would fit if W were f32[128, 784]\n",
           "a message with all its parts");
    struct buf out = buf_new(arena);
    diags_print(&d, &out, true);
    ok(strstr(out.at, "\033[1;31merror:\033[0m") && strstr(out.at, "\033[1;31m^~~~~\033[0m"),
       "in colour");
    struct buf plain = buf_new(arena);
    for (const char *c = out.at; *c; c++)
        if (*c == '\033')
            c = strchr(c, 'm');
        else
            buf_bytes(&plain, c, 1);
    is_str(plain.at, printed(&d), "colour changes nothing else");
}

static void test_places(void) {
    is_str(error_at("ab cd\n", 3, 5, NULL), "t.dcl:1:4: error: m\n   1 | ab cd\n     |    ^~\n",
           "a line of one digit");
    is_str(error_at("ab", 1, 1, NULL), "t.dcl:1:2: error: m\n   1 | ab\n     |  ^\n",
           "an empty span");
    is_str(error_at("ab", 1, 0, NULL), "t.dcl:1:2: error: m\n   1 | ab\n     |  ^\n",
           "an end before the start");
    is_str(error_at("f(\n  x\n)\n", 0, 8, "d"), "t.dcl:1:1: error: m\n   1 | f(\n     | ^~  d\n",
           "several lines: the first is marked");
    is_str(error_at("ab\ncd\n", 2, 3, NULL), "t.dcl:1:3: error: m\n   1 | ab\n     |   ^\n",
           "the end of a line");
    is_str(error_at("ab\r\ncd", 1, 4, NULL), "t.dcl:1:2: error: m\n   1 | ab\n     |  ^\n",
           "a carriage return is no part of the line");
    is_str(error_at("ab\n", 3, 3, NULL), "t.dcl:2:1: error: m\n   2 |\n     | ^\n",
           "the end of the file");
    is_str(error_at("ab", 2, 2, NULL), "t.dcl:1:3: error: m\n   1 | ab\n     |   ^\n",
           "the end of a file without a newline");
    is_str(error_at("", 0, 0, NULL), "t.dcl:1:1: error: m\n   1 |\n     | ^\n", "an empty file");
    is_str(error_at("ab", 70, 90, NULL), "t.dcl:1:3: error: m\n   1 | ab\n     |   ^\n",
           "a span beyond the file");
    is_str(error_at("\tx\t= 1", 1, 4, NULL), "t.dcl:1:2: error: m\n   1 |  x = 1\n     |  ^~~\n",
           "a tab prints as one space");
    is_str(error_at("\033[31m", 1, 2, NULL), "t.dcl:1:2: error: m\n   1 |  [31m\n     |  ^\n",
           "so does a control character");
    is_str(error_at("\xc3\xa4\xe2\x88\x91 = \xc3\xb6y", 5, 9, NULL),
           "t.dcl:1:6: error: m\n   1 | \xc3\xa4\xe2\x88\x91 = \xc3\xb6y\n     |   ^~~~\n",
           "UTF-8 passes through, the caret counts characters");
    struct diags d;
    diags_init(&d, arena, sources);
    diag_error(&d, (struct span){0}, ERR_NESTING, 7);
    is_str(printed(&d), "error: nesting deeper than 7\n", "no place");
    diag_detail(&d, d.first, "the detail");
    is_str(printed(&d), "error: nesting deeper than 7\n   note: the detail\n",
           "a detail without a place");
    diags_clear(&d);
    diag_error(&d, span_of("a\0b", 3, 2, 3), ERR_NESTING, 7);
    is_str(printed(&d), "t.dcl:1:3: error: nesting deeper than 7\n   1 | a b\n     |   ^\n",
           "a NUL in the text");
}

/* Line 2 and 3 of a message: the text and the marks below it. */
static void split(const char *message, char text[400], char marks[400]) {
    const char *second = strchr(message, '\n') + 1, *third = strchr(second, '\n') + 1;
    snprintf(text, 400, "%.*s", (int)(third - second - 1), second);
    snprintf(marks, 400, "%.*s", (int)strcspn(third, "\n"), third);
}

/* Every span in a line of 300 different neighbours: the marked text is the span's. */
static void test_long_lines(void) {
    char line[301], text[400], marks[400];
    for (int i = 0; i < 300; i++)
        line[i] = (char)('!' + i * 7 % 90);
    line[300] = 0;
    bool width = true, marked = true, dots = true;
    for (uint32_t start = 0; start <= 300; start++)
        for (uint32_t n = 0; n <= 300 - start; n += n < 4 ? 1 : 37) {
            arena_reset(arena);
            sources = sources_new(arena);
            split(error_at(line, start, start + n, NULL), text, marks);
            size_t caret = strcspn(marks, "^"), len = strlen(marks) - caret;
            width &= strlen(text) == 7 + 100 && strlen(marks) <= 7 + 101;
            marked &= len == (n ? n : 1) || (len < n && strlen(marks) == 7 + 100);
            if (start < 300)
                marked &= text[caret] == line[start] &&
                          (len > 50 || len < 2 || text[caret + len - 1] == line[start + len - 1]);
            dots &= (strncmp(text + 7, line, 97) == 0 || strncmp(text + 7, "...", 3) == 0) &&
                    (strcmp(text + 10, line + 203) == 0 || strcmp(text + 104, "...") == 0);
        }
    ok(width, "long lines are cut to 100 columns");
    ok(marked, "the marks stand under the span's text");
    ok(dots, "dots stand where text is missing");
    line[100] = 0;
    split(error_at(line, 99, 100, NULL), text, marks);
    ok(strcmp(text + 7, line) == 0 && strlen(marks) == 107, "a line of 100 columns is not cut");
}

static void test_long_utf8(void) {
    struct buf b = buf_new(arena);
    for (int i = 0; i < 200; i++)
        buf_text(&b, i == 150 ? "\xe2\x88\x91" : "\xc3\xa4");
    char text[400], marks[400];
    split(error_at(b.at, 300, 303, NULL), text, marks);
    size_t begins = 0, sum = 0;
    for (size_t i = 7; text[i]; i++) {
        if (strncmp(text + i, "\xe2\x88\x91", 3) == 0)
            sum = begins;
        begins += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    is_int((long long)begins, 100, "a long line of UTF-8 is cut by characters");
    is_int((long long)strcspn(marks, "^"), (long long)(7 + sum), "and marked by characters");
}

static void test_collecting(void) {
    struct diags d;
    diags_init(&d, arena, sources);
    is_str(printed(&d), "", "nothing collected, nothing printed");
    d.limit = 2;
    for (int i = 0; i < 5; i++) {
        struct diag *m = diag_error(&d, (struct span){0}, ERR_NESTING, i);
        diag_note(&d, m, (struct span){0}, "n%d", i);
        diag_help(&d, m, "h%d", i);
        diag_detail(&d, m, "d%d", i);
    }
    for (int i = 0; i < 3; i++)
        diag_warning(&d, (struct span){0}, ERR_UNUSED_DIM, "K");
    is_str(printed(&d),
           "error: nesting deeper than 0\n   note: d0\n   note: n0\n   help: h0\n"
           "error: nesting deeper than 1\n   note: d1\n   note: n1\n   help: h1\n"
           "warning: the dimension K is used only once\n"
           "warning: the dimension K is used only once\n"
           "3 more errors\n1 more warning\n",
           "messages over the limit are counted");
    ok(d.errors == 5 && d.warnings == 3, "all are counted");
    diags_clear(&d);
    ok(!d.first && !d.errors && !d.warnings, "clear forgets them");
    diag_warning(&d, (struct span){0}, ERR_UNUSED_DIM, "M");
    is_str(printed(&d), "warning: the dimension M is used only once\n", "and collects anew");
    d.limit = 0;
    for (int i = 0; i < 101; i++)
        diag_error(&d, (struct span){0}, ERR_INTERRUPTED);
    ok(strstr(printed(&d), "\n1 more error\n") != NULL, "the limit is 100 by itself");
}

/* Messages take %s and %d only, begin small and end without a stop; each has a documentation. */
static void test_table(void) {
    static const char *const formats[] = {
#define ERROR(code, format, doc) format,
#include "lang/base/error.def"
#undef ERROR
    };
    for (unsigned i = 0; i < ERR_COUNT; i++) {
        const char *f = formats[i], *doc = error_doc(i);
        size_t n = strlen(f);
        bool good = n > 0 && f[n - 1] != '.' && strlen(doc) > 8 && doc[strlen(doc) - 1] != '.';
        for (const char *p = f; (p = strchr(p, '%')); p += 2)
            good &= p[1] == 's' || p[1] == 'd';
        for (unsigned k = 0; k < i; k++)
            good &= strcmp(error_name(i), error_name(k)) != 0;
        ok(good, "the entry %s", error_name(i));
    }
    is_str(error_name(ERR_SHAPE_MISMATCH), "SHAPE_MISMATCH", "a name");
    is_str(error_doc(ERR_SHAPE_MISMATCH), "one dimension gets two values", "its documentation");
    is_str(error_name(ERR_COUNT), "", "no such entry");
    is_str(error_doc(ERR_COUNT), "", "no documentation");
}

int main(void) {
    arena = arena_new();
    sources = sources_new(arena);
    test_whole_message();
    test_places();
    test_long_lines();
    test_long_utf8();
    test_collecting();
    test_table();
    arena_free(arena);
    return done_testing();
}
