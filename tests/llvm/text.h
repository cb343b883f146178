/* text.h: graphs for the code generator's tests from short texts in the explicit form, read
   straight into compiler/ir, and a runner that compiles, loads and calls them.

   in A: f32[M, K]   inout B: ...   out C: f32[M, N]   symbol n
   c: f32[6, 16] in register = 0         a container
   a << A[i, k else 0]                   a read
   x = a * 2 + f64(b)                    a value; number literals take the type they meet
   x >> C[i, j else _] (sum)             a write
   map i in 0:M:6 parallel, j in 0:N vector(2) unique { ... }
   for k in 0:K { ... }    if i < n { ... } else { ... } */
#ifndef TESTS_LLVM_TEXT_H
#define TESTS_LLVM_TEXT_H

#include "backends/llvm/llvm.h"
#include "backends/rt/rt.h"
#include "lang/base/map.h"
#include "tests/harness/tap.h"
#include <ctype.h>
#include <dlfcn.h>

struct reader {
    const char *at;
    struct graph *g;
    struct arena *a;
    struct map conts;  /* name.i -> cont.i */
    struct map values; /* name.i -> dtype, of READ and LET */
};

static void rd_space(struct reader *r) {
    while (isspace((unsigned char)*r->at) || *r->at == '#')
        if (*r->at == '#')
            while (*r->at && *r->at != '\n')
                r->at++;
        else
            r->at++;
}

static bool rd_is(struct reader *r, const char *word) {
    rd_space(r);
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return false;
    if (isalpha((unsigned char)word[0]) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        return false;
    r->at += n;
    return true;
}

static void rd_want(struct reader *r, const char *word) {
    if (!rd_is(r, word)) {
        fprintf(stderr, "text.h: expected '%s' at: %.40s\n", word, r->at);
        exit(2);
    }
}

static struct name rd_name(struct reader *r) {
    rd_space(r);
    const char *from = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    if (from == r->at) {
        fprintf(stderr, "text.h: expected a name at: %.40s\n", r->at);
        exit(2);
    }
    return name_of(r->g->names, from, (size_t)(r->at - from));
}

/* --- expressions; a literal has dtype DT_NONE until it meets a type --- */

static const struct expr *rd_expr(struct reader *r);

struct literal {
    struct expr e;
    double value;
    int64_t whole;
    bool is_whole;
};

static const struct expr *rd_typed(struct reader *r, const struct expr *e, enum dtype t) {
    if (e->dtype != DT_NONE)
        return e;
    const struct literal *l = (const struct literal *)e;
    return expr_const(
        r->g, t, dtype_is_float(t) ? scalar_from_f64(t, l->value) : scalar_from_i64(t, l->whole));
}

static const struct expr *rd_binary(struct reader *r, enum scalar_op op, const struct expr *a,
                                    const struct expr *b) {
    enum dtype t = a->dtype != DT_NONE ? a->dtype : b->dtype != DT_NONE ? b->dtype : DT_i64;
    a = rd_typed(r, a, t);
    b = rd_typed(r, b, t);
    return expr_op(r->g, op, a, b, NULL);
}

static const struct expr *rd_primary(struct reader *r) {
    rd_space(r);
    if (rd_is(r, "(")) {
        const struct expr *e = rd_expr(r);
        rd_want(r, ")");
        return e;
    }
    if (rd_is(r, "-")) {
        const struct expr *e = rd_primary(r);
        if (e->dtype == DT_NONE) {
            struct literal *l = (struct literal *)e;
            l->value = -l->value;
            l->whole = -l->whole;
            return e;
        }
        return expr_op(r->g, OP_NEG, e, NULL, NULL);
    }
    if (rd_is(r, "not"))
        return expr_op(r->g, OP_NOT, rd_primary(r), NULL, NULL);
    union scalar v = {.i64 = 0};
    if (rd_is(r, "true")) {
        v.b = true;
        return expr_const(r->g, DT_bool, v);
    }
    if (rd_is(r, "false"))
        return expr_const(r->g, DT_bool, v);
    bool inf = rd_is(r, "inf"), nan = !inf && rd_is(r, "nan");
    if (inf || nan || isdigit((unsigned char)*r->at)) {
        struct literal *l = ARENA_NEW(r->a, struct literal);
        char *end = (char *)r->at;
        l->e.kind = EXPR_CONST;
        l->e.dtype = DT_NONE;
        l->value = inf ? INFINITY : nan ? NAN : strtod(r->at, &end);
        l->whole = inf || nan ? 0 : strtoll(r->at, NULL, 10);
        /* `0:4` is a range, not a number. */
        r->at = end;
        return &l->e;
    }
    struct name n = rd_name(r);
    const char *text = name_text(r->g->names, n);
    if (rd_is(r, "(")) {
        const struct expr *args[3] = {NULL};
        unsigned count = 0;
        do
            args[count++] = rd_expr(r);
        while (count < 3 && rd_is(r, ","));
        rd_want(r, ")");
        enum dtype t = dtype_of(text);
        if (t != DT_NONE)
            return expr_cast(r->g, t, rd_typed(r, args[0], DT_f64));
        enum scalar_op op = scalar_find(FORM_CALL, text, count);
        t = DT_NONE;
        for (unsigned i = op == OP_SELECT; i < count; i++)
            if (args[i]->dtype != DT_NONE)
                t = args[i]->dtype;
        for (unsigned i = op == OP_SELECT; i < count; i++)
            args[i] = rd_typed(r, args[i], t);
        return expr_op(r->g, op, args[0], args[1], args[2]);
    }
    uint64_t t;
    if (map_get(&r->values, n.i, &t))
        return expr_value(r->g, (enum dtype)t, n);
    return expr_sym(r->g, sym_atom(r->g->syms, n));
}

static const struct expr *rd_level(struct reader *r, int level) {
    static const struct {
        const char *text;
        enum scalar_op op;
        int level;
    } operators[] = {{"or", OP_OR, 0}, {"and", OP_AND, 1}, {"==", OP_EQ, 2}, {"!=", OP_NE, 2},
                     {"<=", OP_LE, 2}, {">=", OP_GE, 2},   {"<", OP_LT, 2},  {">", OP_GT, 2},
                     {"+", OP_ADD, 3}, {"-", OP_SUB, 3},   {"*", OP_MUL, 4}, {"//", OP_FLOORDIV, 4},
                     {"/", OP_DIV, 4}, {"%", OP_MOD, 4}};
    if (level > 4)
        return rd_primary(r);
    const struct expr *e = rd_level(r, level + 1);
    for (;;) {
        rd_space(r);
        unsigned i = 0, n = sizeof operators / sizeof *operators;
        if (strncmp(r->at, ">>", 2) == 0 || strncmp(r->at, "<<", 2) == 0)
            return e;
        for (; i < n; i++)
            if (operators[i].level == level && rd_is(r, operators[i].text))
                break;
        if (i == n)
            return e;
        e = rd_binary(r, operators[i].op, e, rd_level(r, level + 1));
    }
}

static const struct expr *rd_expr(struct reader *r) {
    return rd_level(r, 0);
}

static struct sym rd_sym(struct reader *r) {
    const struct expr *e = rd_typed(r, rd_level(r, 3), DT_i64);
    struct sym s = {0};
    if (!expr_to_sym(r->g, e, &s)) {
        fprintf(stderr, "text.h: not a symbolic integer before: %.40s\n", r->at);
        exit(2);
    }
    return s;
}

/* --- nodes --- */

static struct cont rd_container(struct reader *r, struct name n, enum cont_role role) {
    rd_want(r, ":");
    enum dtype t = dtype_of(name_text(r->g->names, rd_name(r)));
    struct sym dims[8];
    uint32_t rank = 0;
    if (rd_is(r, "[")) {
        do
            dims[rank++] = rd_sym(r);
        while (rd_is(r, ","));
        rd_want(r, "]");
    }
    enum storage s = STORE_NONE;
    const char *before = r->at;
    if (rd_is(r, "in")) { /* storage, or the next parameter */
        const char *word = name_text(r->g->names, rd_name(r));
        while (++s < STORE_COUNT && strcmp(storage_names[s], word) != 0)
            ;
        if (s == STORE_COUNT) {
            s = STORE_NONE;
            r->at = before;
        }
    }
    struct cont c = graph_container(r->g, n, t, rank, dims, s, role, (struct span){0});
    map_put(&r->conts, n.i, c.i);
    return c;
}

static struct memlet rd_memlet(struct reader *r, bool write) {
    struct name n = rd_name(r);
    uint64_t cont = 0;
    map_get(&r->conts, n.i, &cont);
    struct sym at[8];
    uint32_t rank = 0;
    enum outside outside = OUTSIDE_ERROR;
    const struct expr *other = NULL;
    if (rd_is(r, "[")) {
        do {
            if (rd_is(r, "else")) {
                outside = write ? OUTSIDE_DROP : OUTSIDE_VALUE;
                if (write)
                    rd_want(r, "_");
                else
                    other = rd_expr(r);
                break;
            }
            at[rank++] = rd_sym(r);
        } while (rd_is(r, ",") || (rd_space(r), strncmp(r->at, "else", 4) == 0));
        rd_want(r, "]");
    }
    struct memlet m = memlet_new(r->g, (struct cont){(uint32_t)cont}, at);
    m.outside = outside;
    if (other)
        m.other = rd_typed(r, other, graph_cont(r->g, m.cont)->dtype)->constant;
    if (write && rd_is(r, "(")) {
        m.resolution = resolution_of(name_text(r->g->names, rd_name(r)));
        rd_want(r, ")");
    }
    return m;
}

static struct index rd_index(struct reader *r) {
    struct index x = {.name = rd_name(r), .step = sym_const(r->g->syms, 1)};
    rd_want(r, "in");
    x.lo = rd_sym(r);
    rd_want(r, ":");
    x.hi = rd_sym(r);
    if (rd_is(r, ":"))
        x.step = rd_sym(r);
    for (enum schedule s = SCHED_SEQ; s <= SCHED_VECTOR; s++)
        if (rd_is(r, schedule_names[s]))
            x.schedule = s;
    if (rd_is(r, "(")) {
        x.factor = (uint32_t)strtol(r->at, (char **)&r->at, 10);
        rd_want(r, ")");
    }
    return x;
}

static void rd_region(struct reader *r, struct region *out, const char *end);

static struct node *rd_map(struct reader *r) {
    struct node *n = node_new(r->g, NODE_MAP, (struct span){0});
    struct index all[12];
    do
        all[n->map.n++] = rd_index(r);
    while (rd_is(r, ","));
    n->map.index = arena_copy(r->a, all, sizeof *all * n->map.n);
    n->map.unique = rd_is(r, "unique");
    rd_want(r, "{");
    rd_region(r, &n->map.body, "}");
    return n;
}

static struct node *rd_node(struct reader *r) {
    struct span none = {0};
    struct node *n;
    if (rd_is(r, "map"))
        return rd_map(r);
    if (rd_is(r, "for")) {
        n = node_new(r->g, NODE_LOOP, none);
        n->loop.index = rd_index(r);
        rd_want(r, "{");
        rd_region(r, &n->loop.body, "}");
        return n;
    }
    if (rd_is(r, "while")) {
        n = node_new(r->g, NODE_WHILE, none);
        n->repeat.condition = rd_memlet(r, false);
        rd_want(r, "{");
        rd_region(r, &n->repeat.body, "}");
        return n;
    }
    if (rd_is(r, "if")) {
        n = node_new(r->g, NODE_BRANCH, none);
        n->branch.condition = rd_expr(r);
        rd_want(r, "{");
        rd_region(r, &n->branch.then, "}");
        if (rd_is(r, "else")) {
            rd_want(r, "{");
            rd_region(r, &n->branch.otherwise, "}");
        }
        return n;
    }
    const char *start = r->at;
    if (isalpha((unsigned char)*r->at)) {
        struct name name = rd_name(r);
        rd_space(r);
        if (*r->at == ':') {
            n = node_new(r->g, NODE_DECL, none);
            n->decl.cont = rd_container(r, name, ROLE_TRANSIENT);
            if (rd_is(r, "=")) {
                n->decl.has_fill = true;
                n->decl.fill =
                    rd_typed(r, rd_expr(r), graph_cont(r->g, n->decl.cont)->dtype)->constant;
            }
            return n;
        }
        if (rd_is(r, "<<")) {
            n = node_new(r->g, NODE_READ, none);
            n->read.name = name;
            n->read.from = rd_memlet(r, false);
            map_put(&r->values, name.i, graph_cont(r->g, n->read.from.cont)->dtype);
            return n;
        }
        if (*r->at == '=' && r->at[1] != '=') {
            r->at++;
            n = node_new(r->g, NODE_LET, none);
            n->let.name = name;
            n->let.value = rd_expr(r);
            map_put(&r->values, name.i, n->let.value->dtype);
            return n;
        }
        r->at = start;
    }
    n = node_new(r->g, NODE_WRITE, none);
    const struct expr *value = rd_expr(r);
    rd_want(r, ">>");
    n->write.to = rd_memlet(r, true);
    n->write.value = rd_typed(r, value, graph_cont(r->g, n->write.to.cont)->dtype);
    return n;
}

static void rd_region(struct reader *r, struct region *out, const char *end) {
    for (;;) {
        while (rd_is(r, ";"))
            ;
        rd_space(r);
        if (!*r->at || (*end && rd_is(r, end)))
            return;
        struct node *n = rd_node(r);
        region_add(r->g, out, n);
    }
}

static struct graph *rd_graph(struct arena *a, const char *text) {
    struct names *names = names_new(a);
    struct graph *g = graph_new(a, names, sym_ctx_new(a, names), name_of_text(names, "test"));
    struct reader r = {text, g, a, map_new(a), map_new(a)};
    for (;;) {
        struct graph_param p = {0};
        bool in = rd_is(&r, "in"), inout = !in && rd_is(&r, "inout");
        if (in || inout) {
            struct name n = rd_name(&r);
            p.name = n;
            p.cont = rd_container(&r, n, in ? ROLE_PARAM : ROLE_INOUT);
            VEC_PUSH(a, g->params, p);
        } else if (rd_is(&r, "out")) {
            struct cont c = rd_container(&r, rd_name(&r), ROLE_RESULT);
            VEC_PUSH(a, g->results, c);
        } else if (rd_is(&r, "symbol")) {
            p.is_symbol = true;
            p.name = rd_name(&r);
            VEC_PUSH(a, g->params, p);
        } else {
            break;
        }
    }
    rd_region(&r, &g->body, "");
    return g;
}

/* --- compiling and running --- */

struct kernel {
    struct arena *a;
    struct llvm_code code;
    struct rt_object *object;
    rt_kernel *run;
    const char *message; /* of the last call */
};

static const struct llvm_backend *test_backend(void) {
    static const struct llvm_backend *backend;
    if (backend)
        return backend;
    const char *build = getenv("DCL_BUILD");
    char path[4096];
    snprintf(path, sizeof path, "%s/libdcl_llvm.so", build ? build : ".");
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib)
        skip_all("%s", dlerror());
    const struct llvm_backend *(*get)(void);
    *(void **)&get = dlsym(lib, "dcl_llvm_backend");
    backend = get();
    return backend;
}

static struct llvm_options test_options(void) {
    struct llvm_options o = {.keep_asm = true, .keep_ir = true};
    target_host(&o.target);
    return o;
}

/* Fills K from G, a graph that verifies, in K's arena. */
static void kernel_compile(struct kernel *k, struct graph *g, const struct llvm_options *o) {
    struct diags d;
    diags_init(&d, k->a, sources_new(k->a));
    if (!test_backend()->compile(g, o, k->a, &d, &k->code)) {
        diag("does not compile: %s", d.first ? d.first->text : "?");
        return;
    }
    if (getenv("DCL_SHOW"))
        fputs(strcmp(getenv("DCL_SHOW"), "asm") == 0 ? k->code.assembly : k->code.ir, stderr);
    const char *why = NULL;
    k->object = rt_object_load(k->code.object, k->code.n, NULL, 0, &why);
    if (!k->object) {
        diag("does not load: %s", why);
        return;
    }
    *(void **)&k->run = rt_object_symbol(k->object, "dcl_kernel");
}

static struct kernel kernel_with(const char *text, const struct llvm_options *o) {
    struct kernel k = {.a = arena_new()};
    struct diags d;
    diags_init(&d, k.a, sources_new(k.a));
    struct graph *g = rd_graph(k.a, text);
    if (graph_verify(g, "test", &d))
        kernel_compile(&k, g, o);
    else
        diag("does not verify: %s", d.first ? d.first->text : "?");
    return k;
}

__attribute__((unused)) static struct kernel kernel_of(const char *text) {
    struct llvm_options o = test_options();
    return kernel_with(text, &o);
}

__attribute__((unused)) static struct rt *test_rt(void) {
    static struct rt *rt;
    if (!rt)
        rt = rt_new(0);
    return rt;
}

/* -1 if there is no code. */
__attribute__((unused)) static int kernel_run(struct kernel *k, void *const *bufs,
                                              const int64_t *symbols) {
    return k->run ? (int)rt_call(test_rt(), k->run, bufs, symbols, &k->message) : -1;
}

__attribute__((unused)) static void kernel_free(struct kernel *k) {
    if (k->object)
        rt_object_free(k->object);
    arena_free(k->a);
}

#define BUFS(...) ((void *const[]){__VA_ARGS__})
#define SYMBOLS(...) ((const int64_t[]){__VA_ARGS__})

#endif
