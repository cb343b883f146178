/* Graphs for tests, written down compactly: symbolic integers and indices come from text.
     struct build b = build_new("f");
     build_param(&b, "x", DT_f32, "N, M");
     build_map(&b, "i in 0:N parallel, j in 0:M");
     build_read(&b, "v", "x[i, j]");
     build_write(&b, val(&b, "v"), "y[i, j]", RES_SUM);
     build_end(&b);
   Mistakes in the text end the program. */
#ifndef TESTS_UNIT_IR_BUILD_H
#define TESTS_UNIT_IR_BUILD_H

#include "compiler/ir/graph.h"
#include "tests/harness/tap.h"

struct build {
    struct arena *arena;
    struct names *names;
    struct sym_ctx *syms;
    struct graph *g;
    struct region *at[20]; /* open regions, innermost last */
    uint32_t depth;
    const char *text; /* what is being read */
    struct node *last;
};

#define BUILD __attribute__((unused)) static

BUILD struct name build_name(struct build *b, const char *text) {
    return name_of_text(b->names, text);
}

BUILD struct build build_in(struct arena *a, struct names *names, struct sym_ctx *syms,
                            const char *name) {
    struct build b = {.arena = a, .names = names, .syms = syms};
    b.g = graph_new(a, names, syms, name_of_text(names, name));
    b.at[0] = &b.g->body;
    return b;
}

BUILD struct build build_new(const char *name) {
    struct arena *a = arena_new();
    struct names *names = names_new(a);
    return build_in(a, names, sym_ctx_new(a, names), name);
}

_Noreturn BUILD void build_bad(struct build *b) {
    fprintf(stderr, "ir_build: cannot read '%s'\n", b->text);
    exit(2);
}

/* --- symbolic integers from text --- */

BUILD void build_blank(struct build *b) {
    while (*b->text == ' ')
        b->text++;
}

BUILD bool build_take(struct build *b, const char *word) {
    build_blank(b);
    size_t n = strlen(word);
    if (strncmp(b->text, word, n) != 0)
        return false;
    b->text += n;
    return true;
}

BUILD void build_need(struct build *b, const char *word) {
    if (!build_take(b, word))
        build_bad(b);
}

BUILD bool build_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

BUILD struct name build_word(struct build *b) {
    build_blank(b);
    const char *from = b->text;
    while (build_is_letter(*b->text))
        b->text++;
    if (from == b->text)
        build_bad(b);
    return name_of(b->names, from, (size_t)(b->text - from));
}

BUILD struct sym build_sum(struct build *b);

BUILD struct sym build_factor(struct build *b) {
    if (build_take(b, "-"))
        return sym_neg(b->syms, build_factor(b));
    if (build_take(b, "(")) {
        struct sym s = build_sum(b);
        build_need(b, ")");
        return s;
    }
    bool min = build_take(b, "min("), max = !min && build_take(b, "max(");
    if (min || max) {
        struct sym x = build_sum(b);
        build_need(b, ",");
        struct sym y = build_sum(b);
        build_need(b, ")");
        return min ? sym_min(b->syms, x, y) : sym_max(b->syms, x, y);
    }
    build_blank(b);
    if (*b->text >= '0' && *b->text <= '9')
        return sym_const(b->syms, strtoll(b->text, (char **)&b->text, 10));
    return sym_atom(b->syms, build_word(b));
}

BUILD struct sym build_term(struct build *b) {
    struct sym s = build_factor(b);
    for (;;) {
        if (build_take(b, "*"))
            s = sym_mul(b->syms, s, build_factor(b));
        else if (build_take(b, "//"))
            s = sym_floordiv(b->syms, s, build_factor(b));
        else if (build_take(b, "%"))
            s = sym_mod(b->syms, s, build_factor(b));
        else
            return s;
    }
}

BUILD struct sym build_sum(struct build *b) {
    struct sym s = build_term(b);
    for (;;) {
        if (build_take(b, "+"))
            s = sym_add(b->syms, s, build_term(b));
        else if (build_take(b, "-"))
            s = sym_sub(b->syms, s, build_term(b));
        else
            return s;
    }
}

BUILD struct sym sym(struct build *b, const char *text) {
    b->text = text;
    struct sym s = build_sum(b);
    build_blank(b);
    if (*b->text)
        build_bad(b);
    return s;
}

BUILD uint32_t build_list(struct build *b, const char *end, struct sym *out) {
    uint32_t n = 0;
    while (!build_take(b, end)) {
        out[n++] = build_sum(b);
        build_take(b, ",");
    }
    return n;
}

/* --- containers --- */

BUILD struct cont build_cont(struct build *b, const char *name, enum dtype t, const char *dims,
                             enum storage storage, enum cont_role role) {
    struct sym d[8];
    b->text = arena_printf(b->arena, "%s]", dims);
    uint32_t n = build_list(b, "]", d);
    return graph_container(b->g, build_name(b, name), t, n, d, storage, role, (struct span){0});
}

BUILD struct cont build_param(struct build *b, const char *name, enum dtype t, const char *dims) {
    struct cont c = build_cont(b, name, t, dims, STORE_NONE, ROLE_PARAM);
    struct graph_param p = {.name = build_name(b, name), .cont = c};
    VEC_PUSH(b->arena, b->g->params, p);
    return c;
}

BUILD struct cont build_inout(struct build *b, const char *name, enum dtype t, const char *dims) {
    struct cont c = build_param(b, name, t, dims);
    graph_cont(b->g, c)->role = ROLE_INOUT;
    return c;
}

BUILD void build_integer(struct build *b, const char *name) {
    struct graph_param p = {.is_symbol = true, .name = build_name(b, name)};
    VEC_PUSH(b->arena, b->g->params, p);
}

BUILD struct cont build_result(struct build *b, const char *name, enum dtype t, const char *dims) {
    struct cont c = build_cont(b, name, t, dims, STORE_NONE, ROLE_RESULT);
    VEC_PUSH(b->arena, b->g->results, c);
    return c;
}

BUILD struct cont build_find(struct build *b, struct name n) {
    for (uint32_t i = 1; i < b->g->conts.n; i++)
        if (name_eq(b->g->conts.at[i].name, n))
            return (struct cont){i};
    build_bad(b);
}

/* --- nodes --- */

BUILD struct node *build_node(struct build *b, enum node_kind kind) {
    b->last = node_new(b->g, kind, (struct span){0});
    region_add(b->g, b->at[b->depth], b->last);
    return b->last;
}

/* FILL NAN: none. */
BUILD struct node *build_decl(struct build *b, const char *name, enum dtype t, const char *dims,
                              enum storage storage, double fill) {
    struct cont c = build_cont(b, name, t, dims, storage, ROLE_TRANSIENT);
    struct node *n = build_node(b, NODE_DECL);
    n->decl.cont = c;
    n->decl.has_fill = !isnan(fill);
    if (n->decl.has_fill)
        n->decl.fill = scalar_from_f64(t, fill);
    return n;
}

/* "x[i, j]", or "x" */
BUILD struct memlet build_memlet(struct build *b, const char *text) {
    b->text = text;
    struct cont c = build_find(b, build_word(b));
    struct memlet m = {.cont = c};
    struct sym at[8];
    if (build_take(b, "["))
        m.rank = build_list(b, "]", at);
    m.at = arena_copy(b->arena, at, m.rank * sizeof *at);
    return m;
}

BUILD struct node *build_read(struct build *b, const char *name, const char *memlet) {
    struct memlet m = build_memlet(b, memlet);
    struct node *n = build_node(b, NODE_READ);
    n->read.name = build_name(b, name);
    n->read.from = m;
    return n;
}

BUILD struct node *build_let(struct build *b, const char *name, const struct expr *e) {
    struct node *n = build_node(b, NODE_LET);
    n->let.name = build_name(b, name);
    n->let.value = e;
    return n;
}

BUILD struct node *build_write(struct build *b, const struct expr *e, const char *memlet,
                               enum resolution r) {
    struct memlet m = build_memlet(b, memlet);
    struct node *n = build_node(b, NODE_WRITE);
    n->write.value = e;
    n->write.to = m;
    n->write.to.resolution = r;
    return n;
}

/* "i in lo:hi:step word(factor)" */
BUILD struct index build_index(struct build *b) {
    struct index x = {.name = build_word(b), .step = sym_const(b->syms, 1)};
    build_need(b, "in");
    x.lo = build_sum(b);
    build_need(b, ":");
    x.hi = build_sum(b);
    if (build_take(b, ":"))
        x.step = build_sum(b);
    for (int s = 1; s < SCHED_COUNT; s++)
        if (build_take(b, schedule_names[s])) {
            x.schedule = (enum schedule)s;
            if (build_take(b, "(")) {
                x.factor = (uint32_t)strtoul(b->text, (char **)&b->text, 10);
                build_need(b, ")");
            }
            break;
        }
    return x;
}

BUILD void build_open(struct build *b, struct region *r) {
    b->at[++b->depth] = r;
}

BUILD void build_end(struct build *b) {
    b->depth--;
}

BUILD struct node *build_map(struct build *b, const char *text) {
    struct node *n = build_node(b, NODE_MAP);
    b->text = text;
    struct index x[8];
    do
        x[n->map.n++] = build_index(b);
    while (build_take(b, ","));
    n->map.unique = build_take(b, "unique");
    n->map.index = arena_copy(b->arena, x, n->map.n * sizeof *x);
    build_open(b, &n->map.body);
    return n;
}

BUILD struct node *build_loop(struct build *b, const char *text) {
    struct node *n = build_node(b, NODE_LOOP);
    b->text = text;
    n->loop.index = build_index(b);
    build_open(b, &n->loop.body);
    return n;
}

BUILD struct node *build_while(struct build *b, const char *condition) {
    struct node *n = build_node(b, NODE_WHILE);
    n->repeat.condition = build_memlet(b, condition);
    build_open(b, &n->repeat.body);
    return n;
}

/* Opens the first region. */
BUILD struct node *build_branch(struct build *b, const struct expr *condition) {
    struct node *n = build_node(b, NODE_BRANCH);
    n->branch.condition = condition;
    build_open(b, &n->branch.then);
    return n;
}

BUILD void build_else(struct build *b, struct node *n) {
    b->at[b->depth] = &n->branch.otherwise;
}

/* --- expressions --- */

BUILD const struct expr *val_of(struct build *b, enum dtype t, const char *name) {
    return expr_value(b->g, t, build_name(b, name));
}

BUILD const struct expr *val(struct build *b, const char *name) {
    return val_of(b, DT_f32, name);
}

BUILD const struct expr *num_of(struct build *b, enum dtype t, double v) {
    return expr_const(b->g, t, scalar_from_f64(t, v));
}

BUILD const struct expr *num(struct build *b, double v) {
    return num_of(b, DT_f32, v);
}

BUILD const struct expr *integer(struct build *b, const char *text) {
    return expr_sym(b->g, sym(b, text));
}

BUILD const struct expr *op1(struct build *b, enum scalar_op op, const struct expr *x) {
    return expr_op(b->g, op, x, NULL, NULL);
}

BUILD const struct expr *op2(struct build *b, enum scalar_op op, const struct expr *x,
                             const struct expr *y) {
    return expr_op(b->g, op, x, y, NULL);
}

BUILD void build_condition(struct build *b, const struct expr *e) {
    struct graph_condition c = {.condition = e, .text = "as declared"};
    VEC_PUSH(b->arena, b->g->conditions, c);
}

/* What graph_verify says: "" or the first message. */
BUILD const char *build_verify(struct build *b) {
    struct diags d;
    diags_init(&d, b->arena, sources_new(b->arena));
    bool whole = graph_verify(b->g, "test", &d);
    if (whole != (d.errors == 0))
        return "graph_verify and its diagnostics do not agree";
    return whole ? "" : d.first->text;
}

/* --- the graphs of the examples --- */

/* fn softmax(x: f32[S, N]) -> (y: f32[S, N]) */
BUILD struct build build_softmax(void) {
    struct build b = build_new("softmax");
    build_param(&b, "x", DT_f32, "S, N");
    build_result(&b, "y", DT_f32, "S, N");
    build_decl(&b, "m", DT_f32, "S", STORE_HEAP, -INFINITY);
    build_decl(&b, "s", DT_f32, "S", STORE_NONE, 0);
    build_map(&b, "b in 0:S parallel, i in 0:N vector(4)");
    build_read(&b, "v", "x[b, i]");
    build_write(&b, val(&b, "v"), "m[b]", RES_MAX);
    build_end(&b);
    build_map(&b, "b in 0:S parallel, i in 0:N");
    build_read(&b, "v", "x[b, i]");
    build_read(&b, "mx", "m[b]");
    build_let(&b, "e", op1(&b, OP_EXP, op2(&b, OP_SUB, val(&b, "v"), val(&b, "mx"))));
    build_write(&b, val(&b, "e"), "y[b, i]", RES_NONE);
    build_write(&b, val(&b, "e"), "s[b]", RES_SUM);
    build_end(&b);
    build_map(&b, "b in 0:S parallel, i in 0:N vector");
    build_read(&b, "e", "y[b, i]");
    build_read(&b, "t", "s[b]");
    build_write(&b, op2(&b, OP_DIV, val(&b, "e"), val(&b, "t")), "y[b, i]", RES_NONE);
    build_end(&b);
    return b;
}

#endif
