/* Programs that are wrong: exact messages, several per file, and what is left of the file. */
#include "tests/parse/trees.h"

static struct unit u;

/* The first lines of the messages with their help, one per line: "LINE:COLUMN: TEXT | HELP". */
static const char *errors(const char *text, size_t n) {
    parse_bytes(&u, text, n);
    struct buf out = buf_new(u.arena);
    for (const struct diag *d = u.diags.first; d != NULL; d = d->next) {
        uint32_t line, column;
        source_position(sources_get(u.sources, d->span.source), d->span.start, &line, &column);
        buf_printf(&out, "%s%u:%u: %s", out.n > 0 ? "\n" : "", line, column, d->text);
        if (d->help != NULL)
            buf_printf(&out, " | %s", d->help);
    }
    return out.at;
}

struct wrong {
    const char *text, *want;
};

static void check(const struct wrong *cases, size_t n) {
    for (size_t i = 0; i < n; i++)
        is_str(errors(cases[i].text, strlen(cases[i].text)), cases[i].want, "case %zu", i + 1);
}
#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

/* --- characters ------------------------------------------------------------------------------ */

static void test_tokens(void) {
    static const struct wrong cases[] = {
        {"x = 5 $ 6", "1:7: unexpected character '$'"},
        {"x = $$$ 6", "1:5: unexpected character '$'"},
        {"x = '$a'", "1:5: unexpected character ''' | A string stands in double quotes: \"...\"."},
        {"x: f32[2 + ?]",
         "1:12: expected an expression, found '?' | `?` stands behind the type of a parameter "
         "that may be absent, or alone in brackets: as the dimension of what grows, as the row "
         "that is appended."},
        {"a & b", "1:3: unexpected character '&' | Logic is written with the words and, or, not."},
        {"\xc3\xa9 = 1", "1:1: unexpected character '\xc3\xa9' | Names are made of ASCII letters, "
                         "digits and _."},
        {"x = \xff", "1:5: unexpected character \\xff"},
        {"x\v = 1", "1:2: unexpected character \\x0b"},
        {"x = 1\r", "1:6: unexpected character \\x0d"},
        {"# a\x01", "1:4: unexpected character \\x01"},
        {"x = \"abc\ny = 1 2", "1:5: this string has no closing quote\n"
                               "2:7: expected an operator or end of line, found number 2"},
        {"x = \"abc\\", "1:5: this string has no closing quote"},
        {"x = \"a\\qb\\x0\\x00\"",
         "1:7: unknown escape \\q in a string | The escapes are \\n \\t \\\" \\\\ and \\xNN (not "
         "\\x00).\n"
         "1:10: unknown escape \\x in a string | The escapes are \\n \\t \\\" \\\\ and \\xNN (not "
         "\\x00).\n"
         "1:13: unknown escape \\x in a string | The escapes are \\n \\t \\\" \\\\ and \\xNN (not "
         "\\x00)."},
        {"x = 12ab", "1:5: malformed number 12ab"},
        {"x = 0x", "1:5: malformed number 0x"},
        {"x = 1e", "1:5: malformed number 1e"},
        {"x = 1.", "1:5: malformed number 1. | Write a digit after the point: 1.0"},
        {"x = 1e400", "1:5: malformed number 1e400 | It is larger than any f64; infinity is "
                      "written inf."},
        {"x = 9223372036854775808", "1:5: malformed number 9223372036854775808 | Whole numbers go "
                                    "up to 9223372036854775807."},
        {"x = a - 9223372036854775809", "1:9: malformed number 9223372036854775809 | Whole numbers "
                                        "go up to 9223372036854775807."},
        {"x = 0x10000000000000000", "1:5: malformed number 0x10000000000000000 | Whole numbers go "
                                    "up to 9223372036854775807."},
    };
    CHECK(cases);
    is_str(errors("x = \0 1", 7), "1:5: unexpected character \\x00", "a NUL byte");
    is_str(errors("x = \"a\0b\"", 9),
           "1:5: this string has no closing quote\n1:7: unexpected character \\x00\n"
           "1:9: this string has no closing quote",
           "a NUL byte in a string");
}

/* --- grammar --------------------------------------------------------------------------------- */

static void test_statements(void) {
    static const struct wrong cases[] = {
        {"x = a b", "1:7: expected an operator or end of line, found name 'b'"},
        {"x = ", "1:5: expected an expression, found the end of the text"},
        {"x = (1 +)", "1:9: expected an expression, found ')'"},
        {"x = f(a b)", "1:9: expected an operator, ')' or ',', found name 'b'"},
        {"x = f(a, ]", "1:6: '(' is never closed\n1:10: ']' has no '[' before it"},
        {"x = a[1 2]", "1:9: expected an operator, ',', ':' or ']', found number 2"},
        {"x = [a, for]", "1:9: expected an expression or ']', found 'for'"},
        {"x[else 0, 1] = 2", "1:9: expected an operator or ']', found ','"},
        {"x[*a:] = 2", "1:5: expected an operator, ',' or ']', found ':'"},
        {"map in N { a }", "1:5: expected '*' or a name, found 'in'"},
        {"map i in N foo { a }",
         "1:12: expected a schedule or '{', found name 'foo' | The schedules are seq, parallel, "
         "unroll, vector, grid, block, warp; `unique` may follow the last index of a map."},
        {"map i in N seq seq { a }", "1:16: 'seq' is one word too many | An index has one "
                                     "schedule."},
        {"map i in N unroll(0) { a }", "1:19: the argument of a schedule is at least 1"},
        {"map i unique, j { a }", "1:5: `unique` stands after the last index of a map"},
        {"for i { a }", "1:5: a `for` needs a range: for i in 0:n, or for x in list"},
        {"for i in N seq { a }", "1:5: a `for` runs in order: it takes no schedule but unroll"},
        {"for i in N, j in M { a }", "1:5: the names of a `for` stand before one `in`"},
        {"for *i in N { a }", "1:5: a `for` has no pack of indices"},
        {"x: f32 in stac", "1:11: expected a storage, found name 'stac' | The storages are "
                           "register, stack, heap, reserve, shared, global."},
        {"x: = 3", "1:4: expected a name, found '='"},
        {"f(x) = 3", "1:1: cannot assign to this expression | A function is defined so: fn f(x: "
                     "f32) -> f32 { x + 1 }"},
        {"x = y = 3", "1:7: expected an operator or end of line, found '=' | Each name has a "
                      "statement of its own: y = 3; x = y"},
        {"g = fn(x: f32) -> f32 { x }", "1:5: expected an expression, found 'fn' | A function is "
                                        "defined with its name: fn f(x: f32) -> f32 { x + 1 }"},
        {"for (i = 0; i < 3; i += 1) { i }", "1:5: expected '*' or a name, found '(' | Its indices "
                                             "stand without parentheses: for i in 0:3 { .. }"},
        {"for i in 0..3 { i }", "1:10: malformed number 0. | A range is written with a colon: "
                                "0:3\n1:13: expected a name, found number 3"},
        {"// a\n/* b */", "1:1: expected a statement, found '//' | A comment begins with #\n2:1: "
                          "expected a statement, found '/' | A comment begins with #"},
        {"fn f(x) -> f32 { x, x }", "1:23: expected '(', ',', '.', '=' or '[', found '}' | Several "
                                    "values stand in parentheses: (a, b)"},
        {"fn f(x) -> f32, f32 { x }",
         "1:15: expected '.', ':', '?', '[', '{', 'where' or 'layout', "
         "found ',' | Several results stand in parentheses: -> "
         "(f32[N], f32[N])"},
        {"k = 1_000", "1:5: malformed number 1_000 | Digits stand together: 1000"},
        {"?relu", "1:1: expected a statement, found '?' | A page of help is :help NAME at the "
                  "prompt."},
        {"print(\"a\nb\")", "1:6: '(' is never closed\n1:7: this string has no closing quote\n2:2: "
                            "this string has no closing quote\n2:2: expected an operator or end of "
                            "line, found a string"},
        {"(a, b) = c", "1:1: cannot assign to this expression | Several names stand without "
                       "parentheses: a, b = f(x)"},
        {"a, 1 = 3", "1:4: cannot assign to this expression | A name, name[subscripts] or a member "
                     "stands on the left."},
        {"f() += 3", "1:1: cannot assign to this expression | A name, name[subscripts] or a member "
                     "stands on the left."},
        {"f(x) << y", "1:6: expected an operator or end of line, found '<<'"},
        {"return 1, 2", "1:9: expected an operator or end of line, found ',' | Several values are "
                        "returned in parentheses: return (a, b)"},
        {"fn f(a b) {}", "1:8: expected ')', ',', ':', ';' or '=', found name 'b'"},
        {"fn f(a) -> {}", "1:12: expected '(' or a name, found '{'"},
        {"fn f(a)", "1:8: expected '{', '->' or 'where', found the end of the text | The body of a "
                    "function stands in braces: fn f(x: f32) -> f32 { x + 1 }"},
        {"layer L  # a comment\n\n", "1:21: expected '(', '{' or 'where', found the end of the "
                                     "text | What a layer holds stands "
                                     "in braces: layer L(n: int) { param w: f32[n] }"},
        {"fn 3() {}", "1:4: expected a name, found number 3"},
        {"layer L { a\n x += 1\n param y }",
         "1:11: this statement cannot stand in a layer | A layer holds params, named values and "
         "functions.\n"
         "2:2: this statement cannot stand in a layer | A layer holds params, named values and "
         "functions.\n"
         "3:10: expected ':', found '}'"},
        {"fn f() {\n fn g() {}\n}", "2:2: expected a statement, found 'fn' | Functions stand at "
                                    "the top level or in a layer, layers and rewrites at the "
                                    "top level."},
        {"use 3", "1:5: expected a name or a string, found number 3"},
        {"l = minimize f(x) over net", "1:27: expected an operator or 'with', found the end of the "
                                       "text | It is minimize E over P "
                                       "with OPTIMIZER."},
        {"l, g = gradient f(x)", "1:21: expected an operator or 'over', found the end of the text "
                                 "| It is l, g = gradient E over P, or minimize E over P with "
                                 "OPTIMIZER."},
        {"x.3 = 1", "1:3: expected a name, found number 3 | An element of a list "
                    "stands in brackets: x[3]"},
        {"map i { a } b", "1:13: expected end of line, found name 'b'"},
        {"in = 3", "1:1: expected a statement, found 'in'"},
    };
    CHECK(cases);
}

static void test_habits(void) {
    static const struct wrong cases[] = {
        {"if a = b { c }", "1:6: expected an operator or '{', found '=' | `==` compares, `=` gives "
                           "a name to a value."},
        {"while f(a)[1] = b { c }", "1:15: expected an operator or '{', found '=' | `==` compares, "
                                    "`=` gives a name to a value."},
        {"v <- x[i]", "1:3: expected an operator or end of line, found '<-' | `name << subset` "
                      "reads; a comparison with a negative number is written a < -b."},
        {"x **= 2", "1:3: expected an operator or end of line, found '**=' | There is no `**=`: "
                    "write x = x ** value."},
        {"x[i] -= 2", "1:6: expected an operator or end of line, found '-=' | There is no `-=`: "
                      "write x = x - value."},
        {"acc f32[64]", "1:5: expected an operator or end of line, found name 'f32' | A container "
                        "is declared with a colon: acc: f32"},
        {"acc f32", "1:5: expected an operator or end of line, found name 'f32' | A container is "
                    "declared with a colon: acc: f32"},
        {"a < b < c", "1:7: expected an operator or end of line, found '<' | Comparisons do not "
                      "chain: write a < b and b < c."},
        {"a && b", "1:3: expected an operator or end of line, found '&&' | Write `and`."},
        {"a || b", "1:3: expected an operator or end of line, found '||' | Write `or`."},
        {"x = !a", "1:5: expected an expression, found '!' | Write `not`."},
        {"i++", "1:2: expected an operator or end of line, found '++' | Write x = x + 1."},
        {"i--\nx", "1:2: expected an operator or end of line, found '--' | Write x = x - 1."},
        {"i--", "1:4: expected an expression, found the end of the text | x-- does not exist: "
                "write x = x - 1."},
        {"if a { b } elif c { d }", "1:12: expected an operator, end of line or 'else', found name "
                                    "'elif' | Write `else if`."},
        {"def f(x) { x }", "1:5: expected an operator or end of line, found name 'f' | A function "
                           "is defined with `fn`."},
        {"let x = 3", "1:5: expected an operator or end of line, found name 'x' | A value is named "
                      "without a word before it: x = 1"},
        {"else { a }", "1:1: expected a statement, found 'else' | A line that begins like this "
                       "continues the line before."},
        {"|> f", "1:1: expected a statement, found '|>' | A line that begins like this continues "
                 "the line before."},
        {"print x[0], 1", "1:7: expected an operator or end of line, found name 'x' | A call has "
                          "parentheses: print(x[0], 1)"},
        {"if c { assert x == 3 }", "1:15: expected an operator or end of line, found name 'x' | A "
                                   "call has parentheses: assert(x == 3)"},
        {"print \"a\"; x = 1", "1:7: expected an operator or end of line, found a string | A call "
                               "has parentheses: print(\"a\")"},
        {"print [1,\n 2] x", "2:5: expected an operator or end of line, found name 'x'"},
        {"f\"a\"", "1:2: expected an operator or end of line, found a string | A string has no "
                   "letter before it; str(x) is x as text: \"x is \" + str(x)"},
        {"x^2", "1:2: unexpected character '^' | A power is written x ** 2; bits are those of "
                "bit_xor(x, y)."},
        {"x is y", "1:3: expected an operator or end of line, found name 'is' | Write ==, or !=: x "
                   "== none"},
        {"x not in l", "1:3: expected an operator or end of line, found 'not' | Write not (x in "
                       "list)."},
        {"y = a if c else b", "1:7: expected an operator or end of line, found 'if' | A choice is "
                              "written if c { a } else { b }, or select(c, a, b)."},
        {"lambda x: x", "1:8: expected an operator or end of line, found name 'x' | A function is "
                        "defined with `fn`, and has a name: fn twice(x: f32) -> f32 { x * 2 }"},
        {"from a import b", "1:6: expected an operator or end of line, found name 'a' | "
                            "Definitions of a file are read by `use`; those of the library are "
                            "there without."},
        {"fn f(x) -> T = x", "1:14: expected '.', ':', '?', '[', '{', 'where' or 'layout', found "
                             "'=' | The body of a function stands in braces: fn f(x: f32) -> f32 "
                             "{ x + 1 }"},
        {"if x > 3: x", "1:9: expected an operator or '{', found ':' | The block of an `if` stands "
                        "in braces: if c { .. }"},
        {"while x > 3:\n x", "1:12: expected an operator or '{', found ':' | The block of a "
                             "`while` stands in braces: while c { .. }"},
        {"for i in f(3):\n x",
         "2:3: expected an operator, ',', ':', '{' or a name, found the end of the text | "
         "The block of a `for` stands in braces: for i in 0:3 { .. }"},
        {"map i: x", "1:6: expected ',', '{', a name or 'in', found ':' | The body of a map stands "
                     "in braces: map i in n { .. }"},
        {"rewrite r a => b", "1:11: expected '{', found name 'a' | The rules of a rewrite stand in "
                             "braces."},
        {"x: f32(3)",
         "1:7: expected '.', '=', '?', '[', end of line, '<<', 'in' or 'layout', found "
         "'(' | Dimensions stand in brackets: x: f32[3]"},
        {"fn f(x: f32(3)) {}",
         "1:12: expected ')', ',', '.', ';', '=', '?', '[' or 'layout', found "
         "'(' | Dimensions stand in brackets: x: f32[3]"},
        {"x: f32[2][3]", "1:11: expected ']', found number 3 | All dimensions stand in one pair of "
                         "brackets: f32[2, 3]"},
        {"x: [2, 3]", "1:4: expected a name, found '[' | The element type stands before the "
                      "dimensions: x: f32[2, 3]"},
        {"y = x[..., 0]", "1:7: expected an expression, ':', '?', ']' or 'else', found '.' | Each "
                          "dimension has a subscript of its own, `:` for all of it: x[:, :, 0]"},
        {"fn f()\n{\n a\n}", "2:1: expected a statement, found '{' | The opening brace stands at "
                             "the end of the line before."},
    };
    CHECK(cases);
}

static void test_reserved(void) {
    static const struct wrong cases[] = {
        {"expand r { a(b) => c where\n k }\nx 1",
         "1:1: 'expand' is not part of the language yet\n"
         "3:3: expected an operator or end of line, found number 1"},
        {"rewrite r { a(b) => c where\n k }\nx 1",
         "1:28: expected a name, found end of line\n"
         "2:4: expected an operator or '=>', found '}'\n"
         "3:3: expected an operator or end of line, found number 1"},
        {"rewrite r {\n a(b)\n c => d\n e => f when\n}\nx 1",
         "2:6: expected an operator or '=>', found end of line\n"
         "4:13: expected an expression, found end of line\n"
         "6:3: expected an operator or end of line, found number 1"},
        {"fn f() { rewrite r { } }",
         "1:10: expected a statement, found 'rewrite' | Functions stand "
         "at the top level or in a layer, layers and rewrites at the "
         "top level."},
        {"x = 1\nupdate net of g with opt",
         "2:12: expected `by` | It is update P by GRADIENTS with "
         "OPTIMIZER."},
        {"pipeline p = d {\n fuse_maps \"a\" (64)\n}",
         "1:1: 'pipeline' is not part of the language yet"},
        {"x: f32[N] layout(n)", "1:19: expected ',' or '=>', found ')'"},
        {"y = f(x) using direct(tile = 8)", "1:10: 'using' is not part of the language yet"},
        {"use a as b", "1:7: 'as' is not part of the language yet"},
        {"d = compile(f)", "1:5: expected an expression, found 'compile'"},
        {"compile f", "1:10: expected '(', '.' or '[', found the end of the text"},
    };
    CHECK(cases);
}

/* --- brackets -------------------------------------------------------------------------------- */

static void test_brackets(void) {
    static const struct wrong cases[] = {
        {"x = f(1,\ny = 2\nz = 3 4", "1:6: '(' is never closed\n"
                                     "3:7: expected an operator or end of line, found number 4"},
        {"x = (1\nfn f() {\n y = 2 3\n}",
         "1:5: '(' is never closed\n"
         "3:8: expected an operator or end of line, found number 3"},
        {"x = [1)\ny = 2 3", "1:5: '[' is never closed\n1:7: ')' has no '(' before it\n"
                             "2:7: expected an operator or end of line, found number 3"},
        {"fn f() {\n y = (2\n}\nx 3", "2:6: '(' is never closed\n"
                                      "4:3: expected an operator or end of line, found number 3"},
        {"fn f() {\n y = 2\n\nfn g() {\n z = 3 4\n}",
         "1:8: '{' is never closed\n5:8: expected an operator or end of line, found number 4"},
        {"layer L {\n fn f() {\n  a\n fn g() { b }\n}\nx 1",
         "2:9: '{' is never closed\n6:3: expected an operator or end of line, found number 1"},
        {"layer L {\n fn f() { a }\nlayer M {}", "1:9: '{' is never closed"},
        {"a }\nb 1", "1:3: '}' has no '{' before it\n"
                     "2:3: expected an operator or end of line, found number 1"},
        {"f(a))", "1:5: ')' has no '(' before it"},
        {"x = f(if a { b )\n}\ny 1", "1:6: '(' is never closed\n1:16: ')' has no '(' before it\n"
                                     "3:3: expected an operator or end of line, found number 1"},
        {"if a { b )\n}", "1:10: ')' has no '(' before it"},
    };
    CHECK(cases);
}

/* --- several errors, and what is left -------------------------------------------------------- */

static void test_recovery(void) {
    static const struct wrong cases[] = {
        {"map i in in N {\n a b\n while c { d e }\n}\nf g",
         "1:10: expected an expression, found 'in'\n"
         "2:4: expected an operator or end of line, found name 'b'\n"
         "3:14: expected an operator or end of line, found name 'e'\n"
         "5:3: expected an operator or end of line, found name 'g'"},
        {"x = 3 { a b\n c d }\ny 1", "1:7: expected an operator or end of line, found '{'\n"
                                     "1:11: expected an operator or end of line, found name 'b'\n"
                                     "2:4: expected an operator or end of line, found name 'd'\n"
                                     "3:3: expected an operator or end of line, found number 1"},
        {"fn f(a: ) {\n b c\n}", "1:9: expected a name, found ')'\n"
                                 "2:4: expected an operator or end of line, found name 'c'"},
        {"layer L(a: ) {\n param b\n fn f() { c d }\n}",
         "1:12: expected a name, found ')'\n2:9: expected ':', found end of line\n"
         "3:13: expected an operator or end of line, found name 'd'"},
        {"a b; c d\ne f", "1:3: expected an operator or end of line, found name 'b'\n"
                          "1:8: expected an operator or end of line, found name 'd'\n"
                          "2:3: expected an operator or end of line, found name 'f'"},
        {"x = f(a b, if c { d e }, [g h])\ni j",
         "1:9: expected an operator, ')' or ',', found name 'b'\n"
         "1:21: expected an operator or end of line, found name 'e'\n"
         "2:3: expected an operator or end of line, found name 'j'"},
    };
    CHECK(cases);

    struct ast *file = parse_text(&u, "a = 1\nb c\nfn f() {\n d = 2\n map i { a } e f\n g = 3\n}\n"
                                      "use x as y\nuse z");
    is_str(printed(&u, file), "a = 1\n\nfn f() {\n  d = 2\n  g = 3\n}\n\nuse z\n",
           "only statements with errors are left out");
    file = parse_text(&u, "map i in N foo { a = 1 }\nlayer L { b = if x { c d } else {}; f(e) }");
    is_str(printed(&u, file), "layer L {\n  b = if x {} else {}\n}\n",
           "an error before a block leaves out the whole statement, one in it does not");
    parse_text(&u, "fn f(x: f32) {\n  y = = 3\n}\n");
    is_str(messages(&u),
           "t.dcl:2:7: error: expected an expression, found '='\n"
           "   2 |   y = = 3\n"
           "     |       ^\n",
           "a whole message");
}

/* Errors beyond the limit are counted, quickly. */
static void test_many(void) {
    struct buf text = buf_new(u.arena);
    for (int i = 0; i < 5000; i++)
        buf_text(&text, "a b\n");
    parse_text(&u, text.at);
    is_int(u.diags.errors, 5000, "5000 errors are counted");
}

int main(void) {
    u = unit_new();
    test_tokens();
    test_statements();
    test_habits();
    test_reserved();
    test_brackets();
    test_recovery();
    test_many();
    unit_free(&u);
    return done_testing();
}
