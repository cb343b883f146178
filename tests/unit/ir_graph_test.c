/* Graphs: names, copies, substitution, equality, walks, symbols, facts. */
#include "compiler/print/print.h"
#include "tests/unit/ir_build.h"

static const char *text_of(struct build *b, const struct name n) {
    return name_text(b->names, n);
}

static const char *sym_text(struct build *b, struct sym s) {
    struct buf out = buf_new(b->arena);
    sym_print(b->syms, s, &out);
    return out.at;
}

static const char *graph_text(const struct graph *g) {
    struct buf out = buf_new(g->arena);
    graph_print(g, &out);
    return out.at;
}

static void fresh_names(void) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N, M_3");
    build_integer(&b, "pos");
    build_map(&b, "i in 0:N, j in 0:M_3");
    build_read(&b, "v", "x[i, j]");
    build_let(&b, "e", op1(&b, OP_EXP, val(&b, "v")));
    build_end(&b);
    static const char *const pairs[][2] = {
        {"i", "i_2"},     {"i", "i_3"},     {"j", "j_2"},     {"v", "v_2"},     {"e", "e_2"},
        {"x", "x_2"},     {"N", "N_2"},     {"pos", "pos_2"}, {"t", "t"},       {"t", "t_2"},
        {"exp", "exp_2"}, {"f32", "f32_2"}, {"if", "if_2"},   {"inf", "inf_2"}, {"M", "M"},
        {"M", "M_2"},     {"M", "M_4"},     {"f", "f_2"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        is_str(text_of(&b, graph_fresh(b.g, build_name(&b, pairs[k][0]))), pairs[k][1],
               "fresh name %zu from %s", k, pairs[k][0]);
    /* a node that is named after it was made, and after a fresh name was asked for */
    struct node *late = node_new(b.g, NODE_READ, (struct span){0});
    graph_fresh(b.g, build_name(&b, "late"));
    late->read.name = build_name(&b, "late_2");
    is_str(text_of(&b, graph_fresh(b.g, build_name(&b, "late"))), "late_3",
           "names are taken when they are set");
    struct graph *copy = graph_clone(arena_new(), b.g);
    is_str(text_of(&b, graph_fresh(copy, build_name(&b, "v"))), "v_2",
           "a copy has the names of its nodes");
    arena_free(copy->arena);
    arena_free(b.arena);
}

static void many_fresh_names(void) {
    struct build b = build_new("f");
    struct name base = build_name(&b, "v"), last = {0};
    for (int k = 0; k < 20000; k++)
        last = graph_fresh(b.g, base);
    is_str(text_of(&b, last), "v_20000", "twenty thousand names of one base");
    arena_free(b.arena);
}

static void expressions(void) {
    struct build b = build_new("f");
    const struct expr *x = val(&b, "x"), *one = num(&b, 1), *two = num(&b, 2);
    const struct expr *sum = op2(&b, OP_ADD, x, one);
    ok(expr_equal(sum, op2(&b, OP_ADD, val(&b, "x"), num(&b, 1))), "equal by structure");
    ok(!expr_equal(sum, op2(&b, OP_ADD, one, x)), "the order of operands counts");
    ok(!expr_equal(sum, op2(&b, OP_SUB, x, one)), "the operator counts");
    ok(!expr_equal(num(&b, 0), num(&b, -0.0)), "signed zeros differ");
    ok(expr_equal(num(&b, NAN), num(&b, NAN)), "a NaN equals a NaN");
    ok(!expr_equal(val_of(&b, DT_f64, "x"), x), "types count");
    is_int(op2(&b, OP_LT, x, one)->dtype, DT_bool, "a comparison is bool");
    is_int(sum->dtype, DT_f32, "a sum has its operands' type");
    const struct expr *folded = op2(&b, OP_MUL, one, two);
    ok(folded->kind == EXPR_CONST && folded->constant.f32 == 2, "constants fold");
    ok(expr_cast(b.g, DT_f32, x) == x, "a cast to the same type is no node");
    folded = expr_cast(b.g, DT_i32, num(&b, 2.5));
    ok(folded->kind == EXPR_CONST && folded->dtype == DT_i32 && folded->constant.i32 == 2,
       "casts of constants fold");
    const struct expr *select = expr_op(b.g, OP_SELECT, val_of(&b, DT_bool, "c"), x, one);
    ok(select->dtype == DT_f32 && expr_nargs(select) == 3, "select has the type of its values");
    ok(integer(&b, "7")->kind == EXPR_CONST, "a symbolic number is a constant");

    struct sym s;
    const struct expr *n = val_of(&b, DT_i64, "n"), *k = val_of(&b, DT_i32, "k");
    const struct expr *e =
        op2(&b, OP_ADD, op2(&b, OP_MUL, n, integer(&b, "i + 1")), expr_cast(b.g, DT_i64, k));
    ok(expr_to_sym(b.g, e, &s) && sym_eq(s, sym(&b, "n*(i + 1) + k")), "arithmetic as a sym");
    e = op2(&b, OP_MIN, op2(&b, OP_FLOORDIV, n, integer(&b, "4")),
            op2(&b, OP_MAX, op2(&b, OP_MOD, n, integer(&b, "4")), op1(&b, OP_NEG, n)));
    ok(expr_to_sym(b.g, e, &s) && sym_eq(s, sym(&b, "min(n//4, max(n%4, -n))")),
       "division, minimum and sign as a sym");
    ok(!expr_to_sym(b.g, op1(&b, OP_ABS, n), &s), "abs is none");
    ok(!expr_to_sym(b.g, k, &s), "i32 is none");
    ok(!expr_to_sym(b.g, expr_cast(b.g, DT_i64, x), &s), "a cast of a float is none");
    const struct expr *huge = integer(&b, "4611686018427387904");
    e = op2(&b, OP_MUL, op2(&b, OP_MUL, n, huge), huge);
    ok(!expr_to_sym(b.g, e, &s), "what overflows is none");
    arena_free(b.arena);
}

static void substitution(void) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N, N");
    build_inout(&b, "y", DT_f32, "N, N");
    build_inout(&b, "z", DT_f32, "N, N");
    struct node *map = build_map(&b, "j in 0:i + 1");
    build_read(&b, "v", "x[i, j]");
    build_let(&b, "e", op2(&b, OP_ADD, val(&b, "v"), val(&b, "w")));
    build_let(&b, "k", integer(&b, "i + j"));
    build_write(&b, val(&b, "e"), "y[i + 1, j]", RES_SUM);
    build_end(&b);
    struct name from[] = {build_name(&b, "i"), build_name(&b, "j"), build_name(&b, "v"),
                          build_name(&b, "e")};
    struct sym to[] = {sym(&b, "4*io + ii"), sym(&b, "jj"), sym(&b, "v_2"), sym(&b, "e_2")};
    struct name value[] = {build_name(&b, "w")};
    const struct expr *expr[] = {op1(&b, OP_SQRT, val(&b, "u"))};
    struct cont conts[] = {{0}, {0}, {3}};
    struct subst s = {.n = 4,
                      .from = from,
                      .to = to,
                      .conts = conts,
                      .nconts = 3,
                      .nexprs = 1,
                      .value = value,
                      .expr = expr};
    uint32_t before = b.g->nodes;
    struct region r = region_clone(b.g, &b.g->body, &s);
    struct region old = b.g->body;
    b.g->body = r;
    const char *got = strstr(graph_text(b.g), "{");
    is_str(got,
           "{\n"
           "  map jj in 0:ii + 4 * io + 1 {\n"
           "    v_2 << x[ii + 4 * io, jj]\n"
           "    e_2 = v_2 + sqrt(u)\n"
           "    k = i64(ii + 4 * io + jj)\n"
           "    e_2 >> z[ii + 4 * io + 1, jj] (sum)\n"
           "  }\n"
           "}\n",
           "a clone under a substitution");
    b.g->body = old;
    is_int(b.g->nodes, before + 5, "the clone's nodes have new ids");
    is_int(map->map.body.nodes.n, 4, "the original is as it was");
    is_str(text_of(&b, map->map.body.nodes.at[0]->read.name), "v", "... names too");
    struct region same = region_clone(b.g, &b.g->body, NULL);
    is_int(same.nodes.n, 1, "a clone without a substitution");
    struct memlet m = build_memlet(&b, "y[i, j]"), n = memlet_subst(b.g, &m, &s);
    is_int(n.cont.i, 3, "a memlet's container maps");
    is_str(sym_text(&b, n.at[0]), "ii + 4*io", "... and its subscripts");
    ok(memlet_equal(&m, &m) && !memlet_equal(&m, &n), "memlets compare");
    const struct expr *cast = expr_cast(b.g, DT_f32, val_of(&b, DT_i64, "q"));
    struct name q[] = {build_name(&b, "q")};
    const struct expr *three[] = {integer(&b, "3")};
    struct subst fold = {.nexprs = 1, .value = q, .expr = three};
    const struct expr *e = expr_subst(b.g, cast, &fold);
    ok(e->kind == EXPR_CONST && e->dtype == DT_f32 && e->constant.f32 == 3,
       "what becomes constant is folded");
    ok(expr_subst(b.g, cast, &s) == cast, "what does not change is shared");
    arena_free(b.arena);
}

/* One change each; graph_equal must see it. */
static void change(int k, struct build *b) {
    struct graph *g = b->g;
    struct node *first = g->body.nodes.at[2], *second = g->body.nodes.at[3];
    switch (k) {
    case 0: g->name = build_name(b, "other"); break;
    case 1: g->params.n--; break;
    case 2: g->results.n--; break;
    case 3: graph_cont(g, (struct cont){1})->dtype = DT_f64; break;
    case 4: graph_cont(g, (struct cont){1})->dims[0] = sym(b, "S + 1"); break;
    case 5: graph_cont(g, (struct cont){3})->storage = STORE_STACK; break;
    case 6: graph_cont(g, (struct cont){1})->role = ROLE_INOUT; break;
    case 7: g->body.nodes.at[0]->decl.has_fill = false; break;
    case 8: g->body.nodes.at[0]->decl.fill.f32 = 0; break;
    case 9: g->body.nodes.n--; break;
    case 10: first->map.n--; break;
    case 11: first->map.unique = true; break;
    case 12: first->map.index[0].name = build_name(b, "c"); break;
    case 13: first->map.index[0].hi = sym(b, "N"); break;
    case 14: first->map.index[0].step = sym(b, "2"); break;
    case 15: first->map.index[0].schedule = SCHED_SEQ; break;
    case 16: first->map.index[1].factor = 8; break;
    case 17: first->map.body.nodes.at[0]->read.name = build_name(b, "u"); break;
    case 18: first->map.body.nodes.at[0]->read.from.at[1] = sym(b, "i + 1"); break;
    case 19: first->map.body.nodes.at[0]->read.from.outside = OUTSIDE_VALUE; break;
    case 20: first->map.body.nodes.at[1]->write.to.resolution = RES_MIN; break;
    case 21: first->map.body.nodes.at[1]->write.value = num(b, 1); break;
    case 22: second->map.body.nodes.at[2]->let.name = build_name(b, "u"); break;
    case 23: second->map.body.nodes.at[2]->let.value = val(b, "v"); break;
    case 24: second->map.body.nodes.at[4]->write.to.cont.i = 3; break;
    case 25: build_condition(b, op2(b, OP_LT, integer(b, "S"), integer(b, "N"))); break;
    case 26: second->kind = NODE_LOOP; break;
    default: build_integer(b, "pos"); break;
    }
}

static void copies(void) {
    struct arena *a = arena_new();
    struct build b = build_softmax();
    build_condition(&b, op2(&b, OP_LT, integer(&b, "S"), integer(&b, "N")));
    struct graph *copy = graph_clone(a, b.g);
    struct buf why = buf_new(a);
    ok(graph_equal(b.g, copy, &why), "a copy is equal%s", why.at);
    is_str(graph_text(copy), graph_text(b.g), "... and prints alike");
    ok(copy->body.nodes.at[2]->id == b.g->body.nodes.at[2]->id, "... with the same ids");
    ok(copy->body.nodes.at[2] != b.g->body.nodes.at[2], "... and nodes of its own");
    ok(copy->conditions.at[0].condition != b.g->conditions.at[0].condition,
       "... and expressions of its own");
    b.g->conditions.at[0].text = "another text";
    ok(graph_equal(b.g, copy, NULL), "the text of a condition does not count");
    b.g->body.nodes.at[0]->span.start = 7;
    ok(graph_equal(b.g, copy, NULL), "spans do not count");
    arena_free(b.arena);
    arena_free(a);
    for (int k = 0; k <= 27; k++) {
        struct build x = build_softmax();
        struct arena *kept = arena_new();
        struct graph *before = graph_clone(kept, x.g);
        change(k, &x);
        struct buf text = buf_new(kept);
        bool equal = graph_equal(before, x.g, &text);
        ok(!equal && text.n > 0, "change %d is seen: %s", k, text.at);
        ok(!graph_equal(x.g, before, NULL), "... from the other side");
        arena_free(kept);
        arena_free(x.arena);
    }
}

struct seen {
    char kinds[64];
    uint32_t n;
};

static void see(void *data, struct node *n) {
    struct seen *s = data;
    s->kinds[s->n++] = "drlwmfub"[n->kind];
    s->kinds[s->n] = '\0';
}

static void walks(void) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N");
    build_decl(&b, "y", DT_f32, "N", STORE_NONE, NAN);
    build_loop(&b, "t in 0:N");
    build_map(&b, "i in 0:N");
    build_read(&b, "v", "x[i]");
    build_write(&b, val(&b, "v"), "y[i]", RES_NONE);
    build_end(&b);
    struct node *branch = build_branch(&b, val_of(&b, DT_bool, "c"));
    build_let(&b, "e", num(&b, 1));
    build_else(&b, branch);
    build_decl(&b, "z", DT_f32, "", STORE_NONE, 0);
    build_end(&b);
    build_end(&b);
    build_decl(&b, "go", DT_bool, "", STORE_NONE, 0);
    build_while(&b, "go");
    build_let(&b, "e", num(&b, 1));
    build_end(&b);
    build_read(&b, "u", "x[0]");
    struct seen s = {.n = 0};
    region_walk(&b.g->body, see, &s);
    is_str(s.kinds, "dfmrwblddulr", "nodes in program order, around before inside");
    arena_free(b.arena);
}

static void symbols(void) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "M + 1, N");
    build_integer(&b, "pos");
    build_inout(&b, "y", DT_f32, "N, M, K");
    build_param(&b, "z", DT_f32, "pos");
    build_result(&b, "r", DT_f32, "Q");
    struct graph_symbol *s;
    uint32_t n = graph_symbols(b.g, b.arena, &s);
    struct buf text = buf_new(b.arena);
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&text, "%s=%u.%d ", text_of(&b, s[i].name), s[i].param, s[i].dim);
    is_str(text.at, "N=0.1 pos=1.-1 M=2.1 K=2.2 ", "symbols in order of binding");
    arena_free(b.arena);
}

static void facts(void) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N, M - 2");
    build_param(&b, "y", DT_f32, "M, K, P");
    build_integer(&b, "pos");
    build_condition(&b, op2(&b, OP_EQ, integer(&b, "K"), integer(&b, "2*N")));
    build_condition(&b, op2(&b, OP_AND, op2(&b, OP_LT, integer(&b, "pos"), integer(&b, "N")),
                            op2(&b, OP_GE, integer(&b, "P"), integer(&b, "8"))));
    struct sym_facts *f = graph_facts(b.arena, b.g);
    ok(sym_prove_nonneg(f, sym(&b, "N")), "a dimension is not negative");
    ok(!sym_prove_nonneg(f, sym(&b, "pos")), "a run-time integer may be");
    ok(sym_prove_nonneg(f, sym(&b, "M - 2")), "nor is an expression that is a dimension");
    ok(sym_prove_eq(f, sym(&b, "K"), sym(&b, "2*N")), "a condition is a fact");
    ok(sym_prove_lt(f, sym(&b, "pos"), sym(&b, "N")), "... and each part of one");
    ok(sym_prove_le(f, sym(&b, "8"), sym(&b, "P")), "... with a constant");
    uint32_t mark = sym_facts_mark(f);
    build_map(&b, "io in 0:N:8, i in io:min(io + 8, N)");
    for (int k = 0; k < 2; k++)
        index_facts(f, b.syms, &b.last->map.index[k]);
    ok(sym_prove_lt(f, sym(&b, "i"), sym(&b, "N")) && sym_prove_nonneg(f, sym(&b, "i - io")),
       "the bounds of an index");
    ok(sym_prove_multiple(f, sym(&b, "io"), 8), "the step of an index");
    sym_facts_restore(f, mark);
    ok(!sym_prove_lt(f, sym(&b, "i"), sym(&b, "N")), "facts go");
    arena_free(b.arena);
}

int main(void) {
    fresh_names();
    many_fresh_names();
    expressions();
    substitution();
    copies();
    walks();
    symbols();
    facts();
    return done_testing();
}
