/* Programs that are right: whole files, and the trees of single constructs. */
#include "tests/parse/trees.h"

static struct unit u;

/* --- trees as text --------------------------------------------------------------------------- */

static void dump(struct buf *out, const struct ast *node) {
    if (node == NULL) {
        buf_text(out, "_");
        return;
    }
    buf_text(out, ast_kind_name(node->kind));
    if (!name_none(node->name))
        buf_printf(out, ".%s", name_text(u.names, node->name));
    if ((node->flags & ~(uint32_t)AST_PAREN) != 0)
        buf_printf(out, "!%u", node->flags & ~(uint32_t)AST_PAREN);
    if (node->op != 0)
        buf_printf(out, "#%d", node->op);
    if (node->kind == AST_FLOAT) {
        buf_text(out, " ");
        print_number(node->number, DT_f64, out);
    } else if (node->kind == AST_INT || node->kind == AST_BOOL || node->integer != 0) {
        buf_printf(out, " %" PRId64, node->integer);
    }
    if (node->nkids == 0)
        return;
    buf_text(out, "(");
    for (uint32_t i = 0; i < node->nkids; i++) {
        buf_text(out, i > 0 ? ", " : "");
        dump(out, node->kids[i]);
    }
    buf_text(out, ")");
}

/* The tree of TEXT, without the FILE if it has one statement. */
static const char *tree(const char *text) {
    struct ast *file = parse_text(&u, text);
    if (u.diags.errors > 0)
        return messages(&u);
    struct buf out = buf_new(u.arena);
    dump(&out, file->nkids == 1 ? file->kids[0] : file);
    return out.at;
}

#define is_tree(text, want) is_str(tree(text), want, "%s", #text)
/* TEXT and WANT are the same program. */
#define same(text, want) is_str(tree(text), arena_printf(u.arena, "%s", tree(want)), "%s", #text)

/* --- files ----------------------------------------------------------------------------------- */

static void test_files(void) {
    const char *text = program(&u, "language.dcl");
    struct ast *file = parse_text(&u, text);
    is_str(messages(&u), "", "language.dcl parses");
    ok(file->nkids > 10, "and holds its programs");
    ok(shape_error(file, (uint32_t)strlen(text), 0) == NULL, "in the shape of ast.def");
    ok(round_trips(&u, file), "and comes back from its print");

    text = program(&u, "layout.dcl");
    file = parse_text(&u, text);
    is_str(messages(&u), "", "layout.dcl parses");
    is_str(printed(&u, file), text, "layout.dcl prints as it stands");
    ok(round_trips(&u, file), "and comes back from its print");
}

/* --- expressions ----------------------------------------------------------------------------- */

static void test_precedence(void) {
    same("a + b * c - d", "(a + (b * c)) - d");
    same("a - b - c", "(a - b) - c");
    same("a // b % c @ d / e", "((((a // b) % c) @ d) / e)");
    same("-a ** b", "-(a ** b)");
    same("a ** -b ** c", "a ** (-(b ** c))");
    same("a ** b ** c", "a ** (b ** c)");
    same("a ** -b * c", "(a ** (-b)) * c");
    same("-a * b", "(-a) * b");
    same("not a == b and c or d", "((not (a == b)) and c) or d");
    same("x |> f |> g(1) + h", "(x |> f) |> (g(1) + h)");
    same("a or b |> f", "(a or b) |> f");
    same("a.b[c](d).e", "((((a.b)[c])(d)).e)");
    same("a < b + c", "a < (b + c)");
    same("if a { b } else { c } + 1", "(if a { b } else { c }) + 1");
    same("a + gradient b over c |> d", "a + (gradient b over (c |> d))");
    is_tree("minimize a over b with c", "MINIMIZE(NAME.a, NAME.b, NAME.c)");
    is_tree("minimize { a } over b with c, d with e + 1",
            "MINIMIZE(BLOCK(NAME.a), NAME.b, NAME.c, NAME.d, BINARY(NAME.e, INT 1))");
    is_tree("update a.b by c * 2 with d",
            "STEP(MEMBER.b(NAME.a), BINARY#2(NAME.c, INT 2), NAME.d)");
    is_tree("a + b * 2", "BINARY(NAME.a, BINARY#2(NAME.b, INT 2))");
    is_tree("not -a", "UNARY#16(UNARY#17(NAME.a))");
}

static void test_literals(void) {
    is_tree("-1", "INT -1");
    is_tree("-(1)", "UNARY#17(INT 1)");
    is_tree("--1", "UNARY#17(INT -1)");
    is_tree("-1 ** 2", "UNARY#17(BINARY#6(INT 1, INT 2))");
    is_tree("0x7fffFFFFffffFFFF", "INT 9223372036854775807");
    is_tree("-9223372036854775808", "INT -9223372036854775808");
    is_tree("-0x8000000000000000", "INT -9223372036854775808");
    is_tree("1.5", "FLOAT 1.5");
    is_tree("-0.0", "FLOAT -0.0");
    is_tree("1e3", "FLOAT 1000.0");
    is_tree("12.5E-1", "FLOAT 1.25");
    is_tree("0.1", "FLOAT 0.1");
    is_tree("0.1000000000000000055511151231257827", "FLOAT 0.1");
    is_tree("1e-400", "FLOAT 0.0");
    is_tree("-inf", "FLOAT -inf");
    is_tree("nan", "FLOAT nan");
    is_tree("true", "BOOL 1");
    is_tree("\"a\\n\\t\\\"\\\\\\x41\\xFF#\"", "STR.a\n\t\"\\A\xff#");
    is_tree("\"\xc3\xa9\"", "STR.\xc3\xa9");
    is_tree("()", "TUPLE");
    is_tree("(a,)", "TUPLE(NAME.a)");
    is_tree("(a, b,)", "TUPLE(NAME.a, NAME.b)");
    is_tree("(a)", "NAME.a");
    is_tree("[]", "LIST");
    is_tree("[a, b,]", "LIST(NAME.a, NAME.b)");
    is_tree("[f(i) for i in 0:n]",
            "COMPREHENSION.i(CALL(NAME.f, NAME.i), RANGE(INT 0, NAME.n, _), _)");
    is_tree("[x for x in y]", "COMPREHENSION.x(NAME.x, NAME.y, _)");
    is_tree("[a for a, b in y if b in z]",
            "COMPREHENSION.a(NAME.a, NAME.y, BINARY#18(NAME.b, NAME.z), NAME.b)");
    is_tree("[*a, *a[1:]]", "LIST(SPREAD.a, SPREAD(INDEX(NAME.a, RANGE(INT 1, _, _))))");
}

static void test_subscripts(void) {
    is_tree("x[:]", "INDEX(NAME.x, RANGE(_, _, _))");
    is_tree("x[a:, :b, ::c, a::c]", "INDEX(NAME.x, RANGE(NAME.a, _, _), RANGE(_, NAME.b, _), "
                                    "RANGE(_, _, NAME.c), RANGE(NAME.a, _, NAME.c))");
    is_tree("x[*b, i, else 0]", "INDEX(NAME.x, SPREAD.b, NAME.i, ELSE(INT 0))");
    is_tree("x[else _]", "INDEX(NAME.x, ELSE(_))");
    is_tree("x[else (_)]", "INDEX(NAME.x, ELSE(NAME._))");
    is_tree("x[]", "INDEX(NAME.x)");
    is_tree("f(a, b = 1, *c)", "CALL(NAME.f, NAME.a, KEYWORD.b(INT 1), SPREAD.c)");
    is_tree("f(a,)", "CALL(NAME.f, NAME.a)");
    is_tree("a.in.layout.inf", "MEMBER.inf(MEMBER.layout(MEMBER.in(NAME.a)))");
}

/* --- statements ------------------------------------------------------------------------------ */

static void test_statements(void) {
    is_tree("x: f32", "DECL.x(TYPE.f32, _, _)");
    is_tree("x: f32[N, *S] in stack = 0", "DECL.x#2(TYPE.f32!4(NAME.N, SPREAD.S), INT 0, _)");
    is_tree("x: T[] in register << a.b[:]", "DECL.x#1(TYPE.T!4, _, INDEX(MEMBER.b(NAME.a), "
                                            "RANGE(_, _, _)))");
    is_tree("x: nn . Net", "DECL.x(TYPE.nn.Net, _, _)");
    is_tree("a, b[0], c.d = f()",
            "ASSIGN(CALL(NAME.f), NAME.a, INDEX(NAME.b, INT 0), MEMBER.d(NAME.c))");
    is_tree("x += 1", "UPDATE#1(NAME.x, INT 1)");
    is_tree("x[i] max= 1", "UPDATE#3(INDEX(NAME.x, NAME.i), INT 1)");
    is_tree("x or= y", "UPDATE#6(NAME.x, NAME.y)");
    is_tree("max = 1", "ASSIGN(INT 1, NAME.max)");
    is_tree("x.max = 1", "ASSIGN(INT 1, MEMBER.max(NAME.x))");
    is_tree("clip(x, min=0, max=1)",
            "CALL(NAME.clip, NAME.x, KEYWORD.min(INT 0), KEYWORD.max(INT 1))");
    is_tree("v << x[i]", "READ.v(INDEX(NAME.x, NAME.i))");
    is_tree("a + b >> x (and)", "WRITE#5(BINARY(NAME.a, NAME.b), NAME.x, _)");
    is_tree("a >> x[?, :] (f)", "WRITE(NAME.a, INDEX(NAME.x, ANY, RANGE(_, _, _)), NAME.f)");
    is_tree("x: f32[?, n]", "DECL.x(TYPE.f32!4(ANY, NAME.n), _, _)");
    is_tree("map i { a }", "MAP(BLOCK(NAME.a), ITER.i(_, _, _, _))");
    is_tree("map *b in *S, *c in S, i in 4 unroll(2), j in 0:n:k seq unique {}",
            "MAP!64(BLOCK, ITER.b!16(_, SPREAD.S, _, _), ITER.c!16(_, NAME.S, _, _), "
            "ITER.i#3 2(_, INT 4, _, _), ITER.j#1(INT 0, NAME.n, NAME.k, _))");
    is_tree("map seq seq, unique in unique unique {}",
            "MAP!64(BLOCK, ITER.seq#1(_, _, _, _), ITER.unique(_, NAME.unique, _, _))");
    is_tree("for x, y in z { }", "FOR(BLOCK, ITER.x(_, _, _, _), ITER.y(_, NAME.z, _, _))");
    is_tree("for i in 0:n { a; b }", "FOR(BLOCK(NAME.a, NAME.b), ITER.i(INT 0, NAME.n, _, _))");
    is_tree("while a { b }", "WHILE(NAME.a, BLOCK(NAME.b))");
    is_tree("if a { b } else if c {} else { d }",
            "IF(NAME.a, BLOCK(NAME.b), IF(NAME.c, BLOCK, BLOCK(NAME.d)))");
    is_tree("fn f() { return; return a }",
            "FN.f(PARAMS, RESULTS, WHERE, BLOCK(RETURN(_), RETURN(NAME.a)))");
}

static void test_definitions(void) {
    is_tree("fn f(a: f32, inout b: T[N] = 1, c; d = 2) -> T where T: float, N > 1 {}",
            "FN.f(PARAMS(PARAM.a(TYPE.f32, _), PARAM.b!1(TYPE.T!4(NAME.N), INT 1), PARAM.c(_, _), "
            "PARAM.d!2(_, INT 2)), RESULTS(RESULT(TYPE.T)), "
            "WHERE(CONSTRAINT.T(NAME.float), BINARY#10(NAME.N, INT 1)), BLOCK)");
    is_tree("fn f(;a) -> (x: f32, y: i32,) {}", "t.dcl:1:29: error: expected a name, found ')'\n"
                                                "   1 | fn f(;a) -> (x: f32, y: i32,) {}\n"
                                                "     |                             ^\n");
    is_tree("fn f(;a) -> x: f32 {}",
            "FN.f(PARAMS(PARAM.a!2(_, _)), RESULTS(RESULT.x(TYPE.f32)), WHERE, BLOCK)");
    is_tree("layer L { param W: f32 ~ zeros; param b: f32 = 1; param c: f32; a = b }",
            "LAYER.L(PARAMS, WHERE, BLOCK(STATE.W!8(TYPE.f32, NAME.zeros), "
            "STATE.b(TYPE.f32, INT 1), STATE.c(TYPE.f32, _), ASSIGN(NAME.b, NAME.a)))");
    is_tree("use a", "USE.a");
    is_tree("use \"a b\"", "USE.a b!32");
}

/* --- lines, comments, documentation ---------------------------------------------------------- */

static void test_lines(void) {
    same("a = f(\n1,\n\n2\n)\nb", "a = f(1, 2); b");
    same("a = 1 +\n # comment\n\n 2", "a = 1 + 2");
    same("a = x\n  |> f\n\n# c\n  |> g", "a = x |> f |> g");
    same("fn f()\n  -> f32\n  where N > 1,\n M > 1 {\n a\n }",
         "fn f() -> f32 where N > 1, M > 1 { a }");
    same("if a {\n}\n\nelse {\nb\n}\nc", "if a {} else { b }; c");
    same("x = [if a { b\nc } else { d }\n, e]", "x = [if a { b; c } else { d }, e]");
    same("a\n-b", "a; -b");
    same(";;a;;\n;b;", "a; b");
    same("a\r\nb\r\n", "a; b");
    same("\xef\xbb\xbf"
         "a",
         "a");
    same("# only\n\n\ta # comment with \"quote", "a");
    same("", "\n\n# nothing\n");
    ok(parse_text(&u, "")->nkids == 0, "an empty text is an empty file");
}

static void test_spans(void) {
    struct ast *file = parse_text(&u, "\xef\xbb\xbf"
                                      "x = (a + bc)  # c\ny: f32");
    const struct ast *sum = file->kids[0]->kids[0];
    is_int(file->kids[0]->span.start, 3, "a statement starts behind the byte order mark");
    is_int(file->kids[0]->span.end, 15, "and ends with its last token");
    is_int(sum->span.start, 8, "an expression starts in its parentheses");
    is_int(sum->span.end, 14, "and ends in them");
    is_int(file->kids[1]->span.start, 21, "the next statement");
    is_int(file->span.end, 27, "the file spans the text");
}

static const char *doc_of(const char *text) {
    struct ast *file = parse_text(&u, text);
    return file->nkids == 0 ? "no item" : file->kids[file->nkids - 1]->doc;
}

static void test_documentation(void) {
    is_str(doc_of("## A\n##  b\r\n##\n# c\n  ##d\nfn f() {}"), "A\n b\n\nd", "a block of lines");
    is_str(doc_of("## A\nlayer L {}"), "A", "of a layer");
    is_str(doc_of("## A\n\nfn f() {}"), NULL, "not across a blank line");
    is_str(doc_of("## A\n\n## B\nfn f() {}"), "B", "the nearest block");
    is_str(doc_of("## A\nx = 1\nfn f() {}"), NULL, "not across a statement");
    is_str(doc_of("## A\n-x\nfn f() {}"), NULL, "of any kind");
    is_str(doc_of("x = 1 ## A\nfn f() {}"), NULL, "not from the end of a line");
    is_str(doc_of("##\nfn f() {}"), "", "an empty one");
    ok((parse_text(&u, "(a)")->kids[0]->flags & AST_PAREN) != 0, "parentheses are noted");
    struct ast *file = parse_text(&u, "layer L {\n  ## A\n  fn f() {}\n}");
    is_str(file->kids[0]->kids[2]->kids[0]->doc, "A", "in a layer");
}

static void test_wants_more(void) {
    static const struct {
        const char *text;
        bool more;
    } cases[] = {
        {"", false},
        {"x = 1", false},
        {"x = 1\n", false},
        {"x = (1", true},
        {"f(a,\n", true},
        {"fn f() {", true},
        {"fn f() {\n}", false},
        {"x = a +", true},
        {"x = a + # c\n", true},
        {"a,", true},
        {"x =", true},
        {"[\"]\"", true},
        {"x = \"abc", false},
        {"f(]", false},
        {"}", false},
        {"if a {} else", false},
        {"# (", false},
        {"{ ( }", false},
        {"a |>", true},
        {"x max=", true},
        {"a and", true},
        {"x.", true},
        {"\xef\xbb\xbf(", true},
        {"a \xff(", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_int(wants_more(cases[i].text, strlen(cases[i].text)), cases[i].more,
               "whether more is wanted, case %zu", i);
    struct buf open = buf_new(u.arena);
    parse_wants_more(&open, "f(a, {[] # (\n", 13);
    parse_wants_more(&open, "\n", 1);
    ok(parse_wants_more(&open, "x +", 3) && !strcmp(open.at, "({ +\n"), "what lines leave open");
    ok(parse_wants_more(&open, "y })", 4) == false && open.n == 0, "until nothing is");
}

int main(void) {
    u = unit_new();
    test_files();
    test_precedence();
    test_literals();
    test_subscripts();
    test_statements();
    test_definitions();
    test_lines();
    test_spans();
    test_documentation();
    test_wants_more();
    unit_free(&u);
    return done_testing();
}
