/* Random trees of every kind, printed and parsed: the same trees; printed again: the same text. */
#include "tests/parse/trees.h"

/* Every kind of node was grown, so nothing escapes this test. */
static void count_kinds(const struct ast *node, uint32_t *counts) {
    counts[node->kind]++;
    for (uint32_t i = 0; i < node->nkids; i++)
        if (node->kids[i] != NULL)
            count_kinds(node->kids[i], counts);
}

static uint32_t widest(const char *text) {
    uint32_t most = 0;
    for (const char *at = text; *at != '\0'; at += strspn(at, "\n")) {
        size_t n = strcspn(at, "\n");
        most = n > most ? (uint32_t)n : most;
        at += n;
    }
    return most;
}

static void test_random_trees(int count) {
    uint32_t counts[AST_COUNT] = {0};
    int failed = 0;
    for (int seed = 0; seed < count && failed < 3; seed++) {
        struct unit u = unit_new();
        struct ast *file = grow_file(&u, (uint64_t)seed, 20 + seed % 200);
        count_kinds(file, counts);
        const char *error = shape_error(file, UINT32_MAX, 0);
        if (error != NULL || !round_trips(&u, file)) {
            diag("seed %d: %s", seed, error == NULL ? "" : error);
            failed++;
        }
        unit_free(&u);
    }
    is_int(failed, 0, "%d random trees come back from their text", count);
    for (int kind = 0; kind < AST_COUNT; kind++)
        if (kind != AST_ERROR && counts[kind] == 0)
            fail("no %s was grown", ast_kind_name((enum ast_kind)kind));
}

static void test_clones(void) {
    struct unit u = unit_new();
    bool equal = true, apart = true;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct ast *file = grow_file(&u, seed, 100);
        struct ast *copy = ast_clone(u.arena, file);
        equal = equal && ast_equal(file, copy);
        ast_push(u.arena, copy, ast_new(u.arena, AST_BOOL, (struct span){0}, 0));
        apart = apart && !ast_equal(file, copy) && file->nkids + 1 == copy->nkids;
    }
    ok(equal, "a clone equals its tree");
    ok(apart, "and is another one");
    struct ast *file = parse_text(&u, "x = f(1)"), *copy = ast_clone(u.arena, file);
    copy->kids[0]->kids[0]->kids[1]->integer = 2;
    ok(!ast_equal(file, copy), "down to its leaves");
    ok(!ast_equal(parse_text(&u, "0.0"), parse_text(&u, "-0.0")), "0 and -0 differ");
    ok(!ast_equal(parse_text(&u, "1.0"), parse_text(&u, "1")), "1.0 and 1 differ");
    ok(ast_equal(parse_text(&u, "(nan)"), parse_text(&u, "nan")), "nan and parentheses do not");
    unit_free(&u);
}

static void test_wide_lines(void) {
    struct unit u = unit_new();
    struct buf text = buf_new(u.arena);
    buf_text(&text, "result = call(first");
    for (int i = 0; i < 200; i++)
        buf_printf(&text, ", argument_%d[%d, %d:%d]", i, i, i, i + 1);
    buf_text(&text, ")\nmap a");
    for (int i = 0; i < 60; i++)
        buf_printf(&text, ", index_%d in %d", i, i);
    buf_text(&text, " { a }\nlist = [0");
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, ", -%d", i);
    buf_text(&text, "]\nfn f(a0");
    for (int i = 1; i < 50; i++)
        buf_printf(&text, ", a%d: f32[N, M] = %d", i, i);
    buf_text(&text, ") -> (b: f32");
    for (int i = 1; i < 30; i++)
        buf_printf(&text, ", b%d: f32[N, M]", i);
    buf_text(&text, ") where T: float");
    for (int i = 1; i < 30; i++)
        buf_printf(&text, ", N > %d", i);
    buf_text(&text, " { a }\n");
    struct ast *file = parse_text(&u, text.at);
    is_str(messages(&u), "", "long lines parse");
    ok(round_trips(&u, file), "and come back");
    ok(widest(printed(&u, file)) <= 100, "in at most 100 columns");
    unit_free(&u);
}

int main(void) {
    const char *count = getenv("DCL_FUZZ_COUNT");
    test_random_trees(count == NULL ? 1000 : 10 * atoi(count));
    test_clones();
    test_wide_lines();
    return done_testing();
}
