/* The text form: what prints, and that it reads back as the same graph. */
#include "compiler/lower/lower.h"
#include "compiler/print/print.h"
#include "lang/check/check.h"
#include "lang/parse/parse.h"
#include "lang/print/print.h"
#include "lang/scalar/print_number.h"
#include "tests/unit/ir_build.h"

static bool is_builtin(void *data, struct name n) {
    const char *text = name_text(data, n);
    for (int op = 0; op < OP_COUNT; op++)
        if (scalars[op].form == FORM_CALL && strcmp(text, scalars[op].spelling) == 0)
            return true;
    return dtype_of(text) != DT_NONE;
}

static bool is_variable(void *data, struct name n) {
    (void)data;
    (void)n;
    return false;
}

static const char *messages(struct build *b, struct diags *d) {
    struct buf out = buf_new(b->arena);
    diags_print(d, &out, false);
    return out.at;
}

/* Prints, parses, checks and lowers; the result is the graph that was printed. */
static void reads_back(struct build *b, const char *what) {
    struct sources *sources = sources_new(b->arena);
    struct diags d;
    diags_init(&d, b->arena, sources);
    struct buf text = buf_new(b->arena), why = buf_new(b->arena);
    graph_print(b->g, &text);
    struct ast *file =
        parse_source(b->arena, b->names, &d, sources_add(sources, "graph", text.at, text.n));
    if (!ok(d.errors == 0 && file->nkids == 1, "%s: the text parses", what)) {
        diag("%s\n%s", messages(b, &d), text.at);
        return;
    }
    struct ast *tree = graph_to_ast(b->arena, b->g);
    ok(ast_equal(tree, file->kids[0]), "%s: ... to the tree that was printed", what);
    struct module *m = module_new(b->arena, b->names, "graph", NULL);
    module_define(m, file->kids[0]);
    struct check_builtins builtins = {is_builtin, b->names, NULL, NULL};
    if (!ok(check_file(b->arena, m, &builtins, is_variable, NULL, &d, file), "%s: it checks",
            what)) {
        diag("%s", messages(b, &d));
        return;
    }
    struct graph *g = lower_printed(b->arena, b->names, b->syms, &d, m, file->kids[0]);
    if (!ok(g && d.errors == 0, "%s: it lowers", what)) {
        diag("%s\n%s", messages(b, &d), text.at);
        return;
    }
    if (!ok(graph_equal(b->g, g, &why), "%s: ... to the same graph", what)) {
        struct buf again = buf_new(b->arena);
        graph_print(g, &again);
        diag("%s differs:\n%s\n%s", why.at, text.at, again.at);
    }
    is_str(build_verify(b), "", "%s: the graph verifies", what);
    ok(graph_verify(g, "reading", &d), "%s: so does the one that was read", what);
}

/* IR.md shows the text of B, indented by four. */
static void shown_in_manual(struct build *b) {
    const char *root = getenv("DCL_SRC"), *why = "";
    size_t n;
    if (!root) {
        skip("DCL_SRC does not say where IR.md is");
        return;
    }
    struct buf text = buf_new(b->arena), want = buf_new(b->arena);
    graph_print(b->g, &text);
    for (size_t i = 0; i < text.n; i++) {
        buf_text(&want, i == 0 || text.at[i - 1] == '\n' ? "    " : "");
        buf_bytes(&want, &text.at[i], 1);
    }
    const char *manual =
        source_read_file(b->arena, arena_printf(b->arena, "%s/compiler/IR.md", root), &n, &why);
    ok(manual && strstr(manual, want.at), "IR.md shows softmax as it prints%s", why);
}

static void prints(struct build *b, const char *want, const char *what) {
    struct buf text = buf_new(b->arena);
    graph_print(b->g, &text);
    is_str(text.at, want, "%s", what);
    reads_back(b, what);
    arena_free(b->arena);
}

static void softmax(void) {
    struct build b = build_softmax();
    shown_in_manual(&b);
    prints(&b,
           "fn softmax(x: f32[S, N]) -> y: f32[S, N] {\n"
           "  m: f32[S] in heap = -inf\n"
           "  s: f32[S] = 0.0\n"
           "  map b in 0:S parallel, i in 0:N vector(4) {\n"
           "    v << x[b, i]\n"
           "    v >> m[b] (max)\n"
           "  }\n"
           "  map b in 0:S parallel, i in 0:N {\n"
           "    v << x[b, i]\n"
           "    mx << m[b]\n"
           "    e = exp(v - mx)\n"
           "    e >> y[b, i]\n"
           "    e >> s[b] (sum)\n"
           "  }\n"
           "  map b in 0:S parallel, i in 0:N vector {\n"
           "    e << y[b, i]\n"
           "    t << s[b]\n"
           "    e / t >> y[b, i]\n"
           "  }\n"
           "}\n",
           "softmax");
}

static void signatures(void) {
    struct build b = build_new("f");
    build_param(&b, "alpha", DT_f32, "");
    build_param(&b, "first", DT_i64, "");
    build_integer(&b, "pos");
    build_param(&b, "x", DT_bool, "N, M");
    build_inout(&b, "cache", DT_f64, "2*N + 1, min(N, 7)");
    build_result(&b, "y", DT_i32, "N//2 - 1");
    build_result(&b, "count", DT_i64, "");
    build_condition(&b, op2(&b, OP_EQ, integer(&b, "N"), integer(&b, "2*M")));
    build_condition(&b, op2(&b, OP_AND, op2(&b, OP_LT, integer(&b, "pos"), integer(&b, "N")),
                            op1(&b, OP_NOT, op2(&b, OP_LT, integer(&b, "M"), integer(&b, "3")))));
    build_map(&b, "i in 0:N//2 - 1");
    build_write(&b, num_of(&b, DT_i32, -7), "y[i]", RES_NONE);
    build_end(&b);
    build_read(&b, "n", "first");
    build_write(&b, val_of(&b, DT_i64, "n"), "count", RES_NONE);
    prints(&b,
           "fn f(alpha: f32[], first: i64[], pos: i64, x: bool[N, M], inout cache: f64[2 * N + 1, "
           "min(7, N)])\n"
           "    -> (y: i32[N // 2 - 1], count: i64) where N == 2 * M, pos < N and not M < 3 {\n"
           "  map i in 0:N // 2 - 1 { -7 >> y[i] }\n"
           "  n << first\n"
           "  n >> count\n"
           "}\n",
           "signatures");
}

static void statements(void) {
    struct build b = build_new("f");
    build_param(&b, "A", DT_f32, "M, K");
    build_result(&b, "C", DT_f32, "M, K");
    build_map(&b, "io in 0:M:6 parallel, jo in 0:K:16");
    build_decl(&b, "acc", DT_f32, "6, 16", STORE_REGISTER, 0);
    build_decl(&b, "edge", DT_f32, "min(6, M - io)", STORE_STACK, NAN);
    build_loop(&b, "t in 1:K:2");
    build_map(&b, "i in 0:6 unroll, j in 0:16 vector(2) unique");
    b.last->map.unique = true;
    build_read(&b, "a", "A[io + i, t]")->read.from.outside = OUTSIDE_VALUE;
    b.last->read.from.other.f32 = 0.5f;
    build_write(&b, val(&b, "a"), "acc[i, j]", RES_SUM);
    build_end(&b);
    build_end(&b);
    build_map(&b, "i in 0:6, j in 0:16");
    build_read(&b, "v", "acc[i, j]");
    struct node *branch = build_branch(&b, op2(&b, OP_GT, val(&b, "v"), num(&b, 0)));
    build_write(&b, val(&b, "v"), "C[io + i, jo + j]", RES_NONE)->write.to.outside = OUTSIDE_DROP;
    build_else(&b, branch);
    build_write(&b, num(&b, 1e-5), "C[io + i, jo + j]", RES_NONE)->write.to.outside = OUTSIDE_DROP;
    build_end(&b);
    build_branch(&b, op2(&b, OP_NE, integer(&b, "jo"), integer(&b, "0")));
    build_end(&b);
    build_end(&b);
    build_end(&b);
    prints(&b,
           "fn f(A: f32[M, K]) -> C: f32[M, K] {\n"
           "  map io in 0:M:6 parallel, jo in 0:K:16 {\n"
           "    acc: f32[6, 16] in register = 0.0\n"
           "    edge: f32[min(6, M - io)] in stack\n"
           "    for t in 1:K:2 {\n"
           "      map i in 0:6 unroll, j in 0:16 vector(2) unique {\n"
           "        a << A[i + io, t, else 0.5]\n"
           "        a >> acc[i, j] (sum)\n"
           "      }\n"
           "    }\n"
           "    map i in 0:6, j in 0:16 {\n"
           "      v << acc[i, j]\n"
           "      if v > 0.0 { v >> C[i + io, j + jo, else _] } else { 1e-5 >> C[i + io, j + jo, "
           "else _] }\n"
           "      if i64(jo) != 0 {}\n"
           "    }\n"
           "  }\n"
           "}\n",
           "statements");
}

static void loop_schedule(void) {
    struct build b = build_new("f");
    build_loop(&b, "t in 0:8 unroll(4)");
    struct buf text = buf_new(b.arena);
    graph_print(b.g, &text);
    is_str(text.at, "fn f() {\n  for t in 0:8 unroll(4) {}\n}\n", "a loop with a schedule");
    arena_free(b.arena);
}

/* Each expression as a LET of its own. */
static void expressions(void) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N");
    build_param(&b, "w", DT_f64, "N");
    build_param(&b, "idx", DT_i64, "N");
    build_param(&b, "small", DT_i32, "N");
    build_result(&b, "r", DT_i64, "N");
    build_map(&b, "i in 0:N");
    build_read(&b, "v", "x[i]");
    build_read(&b, "d", "w[i]");
    build_read(&b, "n", "idx[i]");
    build_read(&b, "k", "small[i]");
    const struct expr *v = val(&b, "v"), *n = val_of(&b, DT_i64, "n"), *k = val_of(&b, DT_i32, "k"),
                      *i = integer(&b, "i");
    const struct expr *c = op2(&b, OP_LT, v, num(&b, 0.1f));
    static const char *const names[] = {"e0",  "e1",  "e2",  "e3",  "e4",  "e5",  "e6",  "e7",
                                        "e8",  "e9",  "e10", "e11", "e12", "e13", "e14", "e15",
                                        "e16", "e17", "e18", "e19", "e20", "e21", "e22", "e23"};
    const struct expr *all[] = {
        num(&b, 1),
        num(&b, -INFINITY),
        num_of(&b, DT_f64, NAN),
        num_of(&b, DT_i32, 3),
        num_of(&b, DT_bool, 1),
        integer(&b, "-9223372036854775807 - 1"),
        integer(&b, "2*i - N"),
        op2(&b, OP_ADD, i, integer(&b, "1")),
        op2(&b, OP_MUL, n, integer(&b, "i + 2")),
        op2(&b, OP_MUL, op2(&b, OP_ADD, v, num(&b, -2)), op2(&b, OP_SUB, v, num(&b, -0.0))),
        op2(&b, OP_SUB, v, op2(&b, OP_SUB, v, v)),
        op1(&b, OP_NEG, op1(&b, OP_NEG, v)),
        op2(&b, OP_MAX, v, num(&b, 3.4028235e38f)),
        expr_op(b.g, OP_SELECT, c, v, num(&b, 1e10f)),
        expr_op(b.g, OP_SELECT, op2(&b, OP_EQ, i, integer(&b, "0")), num(&b, 1), num(&b, 0)),
        op2(&b, OP_OR, c, op1(&b, OP_NOT, op2(&b, OP_NE, k, num_of(&b, DT_i32, -1)))),
        expr_cast(b.g, DT_f32, i),
        expr_cast(b.g, DT_f64, expr_cast(b.g, DT_i32, v)),
        expr_cast(b.g, DT_i64, k),
        op2(&b, OP_LE, i, integer(&b, "N - i")),
        op2(&b, OP_GT, i, integer(&b, "i + 1")),
        op1(&b, OP_ABS, integer(&b, "i - N")),
        op2(&b, OP_MIN, op2(&b, OP_FLOORDIV, n, integer(&b, "2")), op2(&b, OP_MOD, n, i)),
        op2(&b, OP_MUL, val_of(&b, DT_f64, "d"), num_of(&b, DT_f64, 0.1)),
    };
    for (size_t j = 0; j < sizeof all / sizeof *all; j++)
        build_let(&b, names[j], all[j]);
    build_write(&b, i, "r[i]", RES_NONE);
    build_write(&b, op2(&b, OP_MUL, i, i), "r[i]", RES_NONE);
    build_write(&b, integer(&b, "i*i"), "r[i]", RES_NONE);
    build_write(&b, integer(&b, "4"), "r[i]", RES_NONE);
    build_read(&b, "at", "idx[min(n + k, i//2)]");
    build_read(&b, "at_k", "idx[k]");
    build_end(&b);
    prints(&b,
           "fn f(x: f32[N], w: f64[N], idx: i64[N], small: i32[N]) -> r: i64[N] {\n"
           "  map i in 0:N {\n"
           "    v << x[i]\n"
           "    d << w[i]\n"
           "    n << idx[i]\n"
           "    k << small[i]\n"
           "    e0 = f32(1.0)\n"
           "    e1 = f32(-inf)\n"
           "    e2 = f64(nan)\n"
           "    e3 = i32(3)\n"
           "    e4 = bool(true)\n"
           "    e5 = i64(-9223372036854775808)\n"
           "    e6 = i64(2 * i - N)\n"
           "    e7 = i64(i) + 1\n"
           "    e8 = n * (i + 2)\n"
           "    e9 = (v + -2.0) * (v - -0.0)\n"
           "    e10 = v - (v - v)\n"
           "    e11 = --v\n"
           "    e12 = max(v, 3.4028235e38)\n"
           "    e13 = select(v < 0.1, v, 10000000000.0)\n"
           "    e14 = select(i64(i) == 0, f32(1.0), 0.0)\n"
           "    e15 = v < 0.1 or not k != -1\n"
           "    e16 = f32(i)\n"
           "    e17 = f64(i32(v))\n"
           "    e18 = i64(k)\n"
           "    e19 = i <= N - i\n"
           "    e20 = i64(i) > i + 1\n"
           "    e21 = abs(i64(i - N))\n"
           "    e22 = min(n // 2, n % i)\n"
           "    e23 = d * 0.1\n"
           "    i >> r[i]\n"
           "    i64(i) * i >> r[i]\n"
           "    i * i >> r[i]\n"
           "    4 >> r[i]\n"
           "    at << idx[min(i64(k) + n, i // 2)]\n"
           "    at_k << idx[k]\n"
           "  }\n"
           "}\n",
           "expressions");
}

/* The tree of a symbolic integer prints as the integer itself does, but for the blanks. */
static void symbolic(void) {
    static const char *const texts[] = {"N",          "-N",         "N + M",
                                        "N - M",      "M - N - 1",  "5 - N",
                                        "-N - 5",     "2*N*M - 3",  "-2*N",
                                        "N*N*M",      "-N*M",       "N//2",
                                        "N//2*3",     "-(N//2)",    "N%4 + N//4",
                                        "min(N, M)",  "-min(N, 3)", "max(N, M - 1)*2",
                                        "(N + M)//3", "(N//2)%3",   "4*(N//(M + 1))",
                                        "N - (M%5)",  "N*(M//2)",   "0",
                                        "-3",         "-N*N + M",   "min(N, max(M, 7)) - 1"};
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N, M");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sym s = sym(&b, texts[i]);
        struct index x = {.name = build_name(&b, "i"), .lo = s, .hi = s, .step = sym(&b, "1")};
        struct region r = {0};
        struct node *map = node_new(b.g, NODE_MAP, (struct span){0});
        map->map.n = 1;
        map->map.index = &x;
        region_add(b.g, &r, map);
        struct buf got = buf_new(b.arena), want = buf_new(b.arena);
        struct ast *block = region_to_ast(b.arena, b.g, &r);
        print_ast(b.names, block->kids[0]->kids[1]->kids[0], &got);
        sym_print(b.syms, s, &want);
        struct sym again = sym(&b, got.at);
        ok(sym_eq(again, s), "%s prints as %s", texts[i], got.at);
    }
    arena_free(b.arena);
}

/* Literals of f32: the text is short, and reading it gives the same bits. */
static void literals(void) {
    struct build b = build_new("f");
    uint64_t seed = 1;
    uint32_t wrong = 0;
    for (int i = 0; i < 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        union {
            uint32_t u;
            float f;
        } bits = {.u = (uint32_t)(seed >> 32)};
        if (isnan(bits.f) || isinf(bits.f))
            continue;
        struct region r = {0};
        build_inout(&b, "y", DT_f32, "");
        struct node *n = node_new(b.g, NODE_WRITE, (struct span){0});
        n->write.value = num(&b, bits.f);
        n->write.to = (struct memlet){.cont = {1}};
        region_add(b.g, &r, n);
        double v = region_to_ast(b.arena, b.g, &r)->kids[0]->kids[0]->number;
        struct buf text = buf_new(b.arena);
        print_number(v, DT_f64, &text);
        wrong += (float)strtod(text.at, NULL) != bits.f || text.n > 50;
    }
    is_int(wrong, 0, "f32 literals read back");
    arena_free(b.arena);
}

int main(void) {
    softmax();
    signatures();
    statements();
    loop_schedule();
    expressions();
    symbolic();
    literals();
    return done_testing();
}
