/* Nesting beyond the bound, in every construct: told once (ERR_NESTING), and the rest is parsed.
   Up to the bound, every recursive walk has stack enough. */
#include "tests/parse/trees.h"

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
    bool last = false;
    int deep = 0;
    for (const struct diag *d = u.diags.first; d != NULL; d = d->next) {
        deep += d->code == ERR_NESTING;
        last = d->code == ERR_SYNTAX;
    }
    ok(deep > 0 && last, "%s: told, and the next error too", what);
    /* a block is two nodes deep: told by its brackets and twice by its nodes */
    ok(deep <= (strchr(piece, '{') == NULL ? 1 : 3), "%s: told once", what);
    bool kept = file->nkids > 0 && file->kids[file->nkids - 1]->kind == AST_ASSIGN;
    ok(kept && shape_error(file, (uint32_t)text.n, 0) == NULL, "%s: and the rest is there", what);
    ok(round_trips(&u, file), "%s: and prints", what);
    unit_free(&u);
}

static void test_depth(void) {
    int n = 40000; /* more than bison's stack holds, YYMAXDEPTH */
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

int main(void) {
    test_depth();
    test_allowed_depth();
    return done_testing();
}
