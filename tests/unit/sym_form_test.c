/* Canonical forms against the trees they were made from: same values, same form however they are
   built, text that reads back to the same form, and limits that keep every operation bounded. */
#include "lang/sym/sym.h"
#include "tests/harness/tap.h"
#include <ctype.h>
#include <inttypes.h>

enum { ATOMS = 4, POINTS = 40 };

static const char *const atom_names[ATOMS] = {"N", "a", "io", "x"};
static struct arena *arena;
static struct names *names;
static struct sym_ctx *ctx;
static struct name atom[ATOMS];
static int64_t point[POINTS][ATOMS];

static uint64_t state;

static uint32_t below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

static void begin(void) {
    arena = arena_new();
    names = names_new(arena);
    ctx = sym_ctx_new(arena, names);
    for (int k = 0; k < ATOMS; k++)
        atom[k] = name_of_text(names, atom_names[k]);
    for (int p = 0; p < POINTS; p++)
        for (int k = 0; k < ATOMS; k++)
            point[p][k] = p == 0 ? 0 : (int64_t)below(p < 20 ? 9 : 60) - (p < 20 ? 4 : 20);
}

static void end(void) {
    arena_free(arena);
}

static const char *show(struct sym a) {
    struct buf b = buf_new(arena);
    sym_print(ctx, a, &b);
    return b.at;
}

static bool value_of(void *data, struct name n, int64_t *v) {
    const int64_t *values = data;
    for (int k = 0; k < ATOMS; k++)
        if (name_eq(n, atom[k]))
            return *v = values[k], true;
    return false;
}

/* ---- Trees, and what they mean ---- */

enum op { CONST, ATOM, ADD, SUB, MUL, DIV, MOD, MIN, MAX, NEG, OPS };

struct tree {
    enum op op;
    int64_t v; /* CONST: the value; ATOM: its number */
    const struct tree *a, *b;
};

static int64_t floor_div(int64_t a, int64_t b) {
    int64_t q = b ? a / b : 0;
    return b && q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static int64_t apply(enum op op, int64_t a, int64_t b) {
    switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case DIV: return floor_div(a, b);
    case MOD: return b ? a - b * floor_div(a, b) : 0;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    default: return -a;
    }
}

static struct sym make(enum op op, struct sym a, struct sym b) {
    switch (op) {
    case ADD: return sym_add(ctx, a, b);
    case SUB: return sym_sub(ctx, a, b);
    case MUL: return sym_mul(ctx, a, b);
    case DIV: return sym_floordiv(ctx, a, b);
    case MOD: return sym_mod(ctx, a, b);
    case MIN: return sym_min(ctx, a, b);
    case MAX: return sym_max(ctx, a, b);
    default: return sym_neg(ctx, a);
    }
}

static int64_t tree_value(const struct tree *t, const int64_t *values) {
    if (t->op == CONST)
        return t->v;
    if (t->op == ATOM)
        return values[t->v];
    return apply(t->op, tree_value(t->a, values), tree_value(t->b, values));
}

static struct sym form(const struct tree *t) {
    if (t->op == CONST)
        return sym_const(ctx, t->v);
    if (t->op == ATOM)
        return sym_atom(ctx, atom[t->v]);
    return make(t->op, form(t->a), form(t->b));
}

/* The same with the operands made in the other order. */
static struct sym form_backwards(const struct tree *t) {
    if (t->op == CONST || t->op == ATOM)
        return form(t);
    struct sym b = form_backwards(t->b), a = form_backwards(t->a);
    return make(t->op, a, b);
}

static const struct tree *random_tree(int depth) {
    struct tree *t = ARENA_NEW(arena, struct tree);
    if (depth == 0 || below(7) == 0) {
        t->op = below(3) ? ATOM : CONST;
        t->v = t->op == ATOM ? (int64_t)below(ATOMS) : (int64_t)below(20) - 6;
        return t;
    }
    t->op = ADD + (enum op)below(OPS - ADD);
    if (below(3) == 0)
        t->op = below(2) ? ADD : SUB;
    t->a = random_tree(depth - 1);
    t->b = random_tree(t->op == MUL && below(2) ? 0 : depth - 1);
    if ((t->op == DIV || t->op == MOD) && below(3)) {
        struct tree *by = ARENA_NEW(arena, struct tree);
        by->v = 1 + (int64_t)below(12);
        t->b = by;
    }
    return t;
}

/* ---- A reader of DCL text that computes the form and the values side by side ---- */

struct read {
    struct sym form;
    int64_t v[POINTS];
};

static const char *at;

static bool accept(const char *token) {
    while (*at == ' ')
        at++;
    size_t n = strlen(token);
    if (strncmp(at, token, n) != 0)
        return false;
    at += n;
    return true;
}

static void combine(enum op op, struct read *a, const struct read *b) {
    a->form = make(op, a->form, b->form);
    for (int p = 0; p < POINTS; p++)
        a->v[p] = apply(op, a->v[p], b->v[p]);
}

static struct read read_sum(void);

static struct read read_unary(void) {
    struct read r = {{0}, {0}};
    if (accept("-")) {
        r = read_unary();
        combine(NEG, &r, &r);
        return r;
    }
    bool is_min = accept("min(");
    if (is_min || accept("max(")) {
        r = read_sum();
        if (!accept(","))
            fail("no comma before '%s'", at);
        struct read b = read_sum();
        combine(is_min ? MIN : MAX, &r, &b);
    } else if (accept("(")) {
        r = read_sum();
    } else if (isdigit((unsigned char)*at)) {
        char *stop;
        int64_t v = strtoll(at, &stop, 10);
        at = stop;
        r.form = sym_const(ctx, v);
        for (int p = 0; p < POINTS; p++)
            r.v[p] = v;
        return r;
    } else {
        for (int k = 0; k < ATOMS; k++) {
            if (!accept(atom_names[k]))
                continue;
            r.form = sym_atom(ctx, atom[k]);
            for (int p = 0; p < POINTS; p++)
                r.v[p] = point[p][k];
            return r;
        }
        fail("cannot read '%s'", at);
        exit(1);
    }
    if (!accept(")"))
        fail("no bracket before '%s'", at);
    return r;
}

static struct read read_term(void) {
    struct read a = read_unary();
    for (;;) {
        enum op op = accept("//") ? DIV : accept("*") ? MUL : accept("%") ? MOD : OPS;
        if (op == OPS)
            return a;
        struct read b = read_unary();
        combine(op, &a, &b);
    }
}

static struct read read_sum(void) {
    struct read a = read_term();
    for (;;) {
        enum op op = accept("+") ? ADD : accept("-") ? SUB : OPS;
        if (op == OPS)
            return a;
        struct read b = read_term();
        combine(op, &a, &b);
    }
}

/* ---- Values and text ---- */

/* The expression again from its structure as printers and code generators see it. */
static struct sym from_structure(struct sym a) {
    static const enum op ops[] = {[SYM_SUM] = ADD,      [SYM_PRODUCT] = MUL, [SYM_MIN] = MIN,
                                  [SYM_FLOORDIV] = DIV, [SYM_MOD] = MOD,     [SYM_MAX] = MAX};
    enum sym_kind k = sym_kind(ctx, a);
    if (k == SYM_CONST || k == SYM_ATOM)
        return a;
    struct sym r = from_structure(sym_operand(ctx, a, 0));
    for (uint32_t i = 1; i < sym_count(ctx, a); i++)
        r = make(ops[k], r, from_structure(sym_operand(ctx, a, i)));
    return r;
}

static int wrong;

static void check(bool good, const char *what, struct sym a) {
    if (!good && wrong++ < 10)
        diag("%s: %s", what, show(a));
}

static void check_values(const struct tree *t, struct sym a) {
    const char *text = show(a);
    at = text;
    struct read r = read_sum();
    bool all_read = *at == 0;
    check(all_read, "not all of the text is read", a);
    check(sym_eq(r.form, a), "the text reads as another form", a);
    check(sym_eq(from_structure(a), a), "the structure is another form", a);
    for (int p = 0; p < POINTS; p++) {
        int64_t v, want = tree_value(t, point[p]);
        check(sym_eval(ctx, a, value_of, point[p], &v) && v == want, "another value", a);
        check(r.v[p] == want, "the text has another value", a);
    }
}

static void test_values(void) {
    state = UINT64_C(0x243f6a8885a308d3);
    wrong = 0;
    enum { N = 4000 };
    for (int round = 0; round < N; round++) {
        if (round % 100 == 0)
            begin();
        const struct tree *t = random_tree(1 + round % 4);
        check_values(t, form(t));
        if (round % 100 == 99)
            end();
    }
    is_int(wrong, 0, "values, text and structure of %d expressions", N);
}

static void same(struct sym a, struct sym b, const char *what) {
    if (!sym_eq(a, b) && wrong++ < 10)
        diag("%s: %s  and  %s", what, show(a), show(b));
}

static void test_rewrites(void) {
    state = UINT64_C(0x13198a2e03707344);
    wrong = 0;
    enum { N = 3000 };
    for (int round = 0; round < N; round++) {
        if (round % 100 == 0)
            begin();
        int depth = 1 + round % 3;
        struct sym a = form(random_tree(depth)), b = form(random_tree(depth));
        struct sym e = form(random_tree(depth)), zero = sym_const(ctx, 0);
        struct sym d = sym_const(ctx, 2 + (int64_t)below(9)), g = sym_const(ctx, 2);
        same(make(ADD, a, b), make(ADD, b, a), "a + b");
        same(make(ADD, make(ADD, a, b), e), make(ADD, a, make(ADD, b, e)), "a + b + c");
        same(make(MUL, a, b), make(MUL, b, a), "a*b");
        same(make(MUL, make(MUL, a, b), e), make(MUL, a, make(MUL, b, e)), "a*b*c");
        same(make(MUL, a, make(ADD, b, e)), make(ADD, make(MUL, a, b), make(MUL, a, e)),
             "a*(b + c)");
        same(make(SUB, a, a), zero, "a - a");
        same(make(SUB, make(ADD, a, b), b), a, "a + b - b");
        same(make(NEG, make(NEG, a, a), a), a, "-(-a)");
        same(make(MIN, a, b), make(MIN, b, a), "min(a, b)");
        same(make(MIN, a, a), a, "min(a, a)");
        same(make(MIN, a, make(ADD, a, d)), a, "min(a, a + d)");
        same(make(MAX, a, make(ADD, a, d)), make(ADD, a, d), "max(a, a + d)");
        struct sym y = sym_atom(ctx, name_of_text(names, "y"));
        same(make(DIV, make(ADD, make(MUL, a, d), y), d), make(ADD, a, make(DIV, y, d)),
             "(a*d + y)//d");
        same(make(MOD, make(ADD, make(MUL, a, d), y), d), make(MOD, y, d), "(a*d + y) % d");
        same(make(DIV, make(MUL, a, g), make(MUL, d, g)), make(DIV, a, d), "(2*a)//(2*d)");
        same(make(MOD, make(MUL, a, g), make(MUL, d, g)), make(MUL, make(MOD, a, d), g),
             "(2*a) % (2*d)");
        same(make(MOD, make(MOD, a, make(MUL, d, g)), d), make(MOD, a, d), "a % (2*d) % d");
        same(make(MOD, make(MOD, a, d), d), make(MOD, a, d), "a % d % d");
        same(make(DIV, make(MOD, a, d), d), zero, "(a % d)//d");
        if (round % 100 == 99)
            end();
    }
    is_int(wrong, 0, "rewrites that keep the form, of %d triples", N);
}

/* What holds for operands without min, max and divisions of their own. */
static void test_chains(void) {
    wrong = 0;
    begin();
    struct sym a = sym_atom(ctx, atom[1]), n = sym_atom(ctx, atom[0]), x = sym_atom(ctx, atom[3]);
    struct sym io = sym_atom(ctx, atom[2]), two = sym_const(ctx, 2), six = sym_const(ctx, 6);
    struct sym v[] = {make(ADD, a, six), make(SUB, n, x), make(MUL, a, two), six, make(ADD, a, x)};
    for (enum op op = MIN; op <= MAX; op++) {
        struct sym all = make(op, v[0], make(op, v[1], make(op, v[2], make(op, v[3], v[4]))));
        struct sym left = make(op, make(op, make(op, make(op, v[4], v[2]), v[0]), v[3]), v[1]);
        struct sym pairs = make(op, make(op, v[3], v[1]), make(op, make(op, v[0], v[4]), v[2]));
        same(all, left, "chains");
        same(all, pairs, "chains");
        struct sym moved = make(op, make(ADD, v[0], io), make(ADD, v[1], io));
        same(moved, make(ADD, make(op, v[0], v[1]), io), "a common term is outside");
        same(make(op, make(MUL, v[1], six), make(MUL, v[3], six)),
             make(MUL, make(op, v[1], v[3]), six), "a common factor is outside");
        same(make(op, make(NEG, a, a), make(NEG, x, x)),
             make(NEG, make(op == MIN ? MAX : MIN, a, x), a), "a common sign is outside");
    }
    is_int(wrong, 0, "min and max do not depend on how operands are grouped");
    end();
}

static void test_text(void) {
    static const struct {
        const char *from, *to;
    } cases[] = {
        {"io - 1 + 2*N", "2*N + io - 1"},
        {"(N + 2*io - a)//x + 1", "(N + 2*io - a)//x + 1"},
        {"min(N - a, 64)", "min(64, N - a)"},
        {"5 - a", "5 - a"},
        {"-a - N", "-N - a"},
        {"-a - N - 3", "-N - a - 3"},
        {"x*N*N*3", "3*N*N*x"},
        {"(6*a + x)//3", "2*a + x//3"},
        {"(a//4)//8", "a//32"},
        {"-(a//4)", "-(a//4)"},
        {"3 - a//4", "3 - a//4"},
        {"2*(a//4)*(x % 4)", "2*(a//4)*(x % 4)"},
        {"(a % 4)//2", "(a//2) % 2"},
        {"(a//2)//(x//3)", "(a//2)//(x//3)"},
        {"a//-4", "(-a)//4"},
        {"a % -4", "-((-a) % 4)"},
        {"N//N", "N//N"},
        {"a//0 + a % 0", "0"},
        {"(a*N + x) % N", "x % N"},
        {"max(a, min(x, N))*2", "2*max(a, min(N, x))"},
        {"min(io, min(a, N))", "min(N, min(a, io))"},
        {"(N + 1)*(N - 1)", "N*N - 1"},
    };
    begin();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        at = cases[k].from;
        is_str(show(read_sum().form), cases[k].to, "%s", cases[k].from);
    }
    struct buf b = buf_new(arena);
    sym_print(ctx, (struct sym){0}, &b);
    is_str(b.at, "", "no expression has no text");
    end();
}

/* ---- Independence from what was made before ---- */

static void test_order_of_creation(void) {
    wrong = 0;
    enum { N = 300 };
    for (int round = 0; round < N; round++) {
        static char text[2][4096];
        for (int turn = 0; turn < 2; turn++) {
            begin();
            if (turn == 1) { /* names and expressions that get the early numbers */
                arena_free(arena);
                arena = arena_new();
                names = names_new(arena);
                ctx = sym_ctx_new(arena, names);
                for (int k = ATOMS; k-- > 0;) {
                    name_of_text(names, k % 2 ? "b" : "M");
                    atom[k] = name_of_text(names, atom_names[k]);
                }
                state = UINT64_C(77) + (uint64_t)round;
                for (int k = 0; k < 20; k++)
                    form(random_tree(3));
            }
            state = UINT64_C(0xa4093822299f31d0) + (uint64_t)round;
            const struct tree *t = random_tree(2 + round % 4);
            snprintf(text[turn], sizeof text[turn], "%s", show(turn ? form_backwards(t) : form(t)));
            end();
        }
        if (strcmp(text[0], text[1]) != 0 && wrong++ < 5)
            diag("%s  and  %s", text[0], text[1]);
    }
    is_int(wrong, 0, "%d texts do not depend on what was made before", N);
}

/* ---- Parts ---- */

static void test_subst(void) {
    state = UINT64_C(0x082efa98ec4e6c89);
    wrong = 0;
    enum { N = 1000 };
    for (int round = 0; round < N; round++) {
        if (round % 100 == 0)
            begin();
        const struct tree *t = random_tree(3), *u = random_tree(2), *w = random_tree(1);
        struct name from[2] = {atom[1], atom[3]};
        struct sym to[2] = {form(u), form(w)}, a = form(t);
        struct sym got = sym_subst(ctx, a, 2, from, to);
        for (int p = 0; p < POINTS; p++) {
            int64_t moved[ATOMS], v;
            memcpy(moved, point[p], sizeof moved);
            moved[1] = tree_value(u, point[p]);
            moved[3] = tree_value(w, point[p]);
            check(sym_eval(ctx, got, value_of, point[p], &v) && v == tree_value(t, moved),
                  "another value after substitution", a);
        }
        struct sym back[2] = {sym_atom(ctx, atom[1]), sym_atom(ctx, atom[3])};
        same(sym_subst(ctx, a, 2, from, back), a, "atoms by themselves");
        back[0] = sym_atom(ctx, atom[3]);
        back[1] = sym_atom(ctx, atom[1]);
        same(sym_subst(ctx, sym_subst(ctx, a, 2, from, back), 2, from, back), a, "a swap, twice");
        if (round % 100 == 99)
            end();
    }
    is_int(wrong, 0, "%d substitutions", N);
}

static bool tree_contains(const struct tree *t, int64_t k) {
    if (t->op == CONST || t->op == ATOM)
        return t->op == ATOM && t->v == k;
    return tree_contains(t->a, k) || tree_contains(t->b, k);
}

struct list {
    struct name at[16];
    uint32_t n;
};

static void add_name(void *data, struct name n) {
    struct list *l = data;
    l->at[l->n++ % 16] = n;
}

static void test_parts(void) {
    state = UINT64_C(0x452821e638d01377);
    wrong = 0;
    int linear = 0;
    enum { N = 1000 };
    for (int round = 0; round < N; round++) {
        if (round % 100 == 0)
            begin();
        const struct tree *t = random_tree(1 + round % 4);
        struct sym a = form(t), factor, rest;
        struct list l = {.n = 0};
        sym_atoms(ctx, a, add_name, &l);
        for (uint32_t k = 1; k < l.n; k++)
            check(strcmp(name_text(names, l.at[k - 1]), name_text(names, l.at[k])) < 0,
                  "atoms are not in order of text", a);
        for (int k = 0; k < ATOMS; k++) {
            bool listed = false, found = sym_contains(ctx, a, atom[k]);
            for (uint32_t i = 0; i < l.n; i++)
                listed |= name_eq(l.at[i], atom[k]);
            check(listed == found, "atoms and contains differ", a);
            check(tree_contains(t, k) || !found, "an atom from nowhere", a);
            for (int p = 0; p < POINTS && !found; p++) {
                int64_t moved[ATOMS];
                memcpy(moved, point[p], sizeof moved);
                moved[k] += 7;
                check(tree_value(t, moved) == tree_value(t, point[p]), "an atom is lost", a);
            }
            if (!sym_linear(ctx, a, atom[k], &factor, &rest))
                continue;
            linear += found;
            struct sym n = sym_atom(ctx, atom[k]);
            same(sym_add(ctx, sym_mul(ctx, factor, n), rest), a, "factor*n + rest");
            check(!sym_contains(ctx, factor, atom[k]) && !sym_contains(ctx, rest, atom[k]),
                  "the atom is in its factor or the rest", a);
        }
        if (round % 100 == 99)
            end();
    }
    is_int(wrong, 0, "atoms and linear parts of %d expressions", N);
    ok(linear > 300, "%d are linear", linear);
    begin();
    struct sym f, r, n = sym_atom(ctx, atom[0]), x = sym_atom(ctx, atom[3]);
    ok(!sym_linear(ctx, sym_mul(ctx, n, n), atom[0], &f, &r), "a square is not linear");
    ok(!sym_linear(ctx, sym_floordiv(ctx, n, x), atom[0], &f, &r), "nor a quotient");
    ok(sym_linear(ctx, sym_floordiv(ctx, x, sym_const(ctx, 3)), atom[0], &f, &r) &&
           sym_eq(f, sym_const(ctx, 0)),
       "what does not occur has factor 0");
    int64_t v;
    struct name name;
    ok(sym_is_const(ctx, sym_const(ctx, -7), &v) && v == -7, "a constant");
    ok(!sym_is_const(ctx, n, &v) && !sym_is_const(ctx, (struct sym){0}, &v), "no constants");
    ok(sym_is_atom(ctx, n, &name) && name_eq(name, atom[0]), "an atom");
    ok(!sym_is_atom(ctx, sym_mul(ctx, n, n), &name), "no atom");
    end();
}

/* ---- Limits ---- */

__extension__ typedef __int128 wide;

static wide wide_floor_div(wide a, wide b) {
    wide q = b ? a / b : 0;
    return b && q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static wide wide_apply(enum op op, wide a, wide b) {
    switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case DIV: return wide_floor_div(a, b);
    case MOD: return b ? a - b * wide_floor_div(a, b) : 0;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    default: return -a;
    }
}

static void test_extremes(void) {
    static const int64_t v[] = {INT64_MIN, INT64_MIN + 1, -3,       -1, 0, 1,
                                2,         INT64_MAX - 1, INT64_MAX};
    enum { N = sizeof v / sizeof *v };
    wrong = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++) {
            for (enum op op = ADD; op < OPS; op++) {
                begin();
                struct sym a = sym_const(ctx, v[i]), b = sym_const(ctx, v[k]);
                struct sym x = sym_atom(ctx, atom[3]), r = make(op, a, b), s, back[2] = {a, b};
                wide want = wide_apply(op, v[i], v[k]);
                int64_t got;
                bool fits = want >= INT64_MIN && want <= INT64_MAX;
                bool has = sym_eval(ctx, r, value_of, point[0], &got);
                check(!has || got == (int64_t)want, "the value is wrong", r);
                check(!fits || has, "there is no value", r);
                check(fits != sym_overflowed(ctx) || op == MOD, "the flag is wrong", r);
                /* with atoms in the place of constants, then those put back */
                struct name from[2] = {atom[3], atom[0]};
                s = make(op, make(ADD, x, x), make(MUL, sym_atom(ctx, atom[0]), b));
                sym_subst(ctx, s, 2, from, back);
                make(op, make(MUL, a, x), make(ADD, make(MUL, x, b), a));
                make(DIV, make(op, make(MUL, a, x), b), b);
                make(MOD, make(op, make(MUL, a, x), b), b);
                show(s);
                end();
            }
        }
    }
    is_int(wrong, 0, "constants at the ends of int64");
}

static void test_limits(void) {
    begin();
    int64_t v;
    struct sym sum = sym_const(ctx, 0), n = sym_atom(ctx, atom[0]), a = sym_atom(ctx, atom[1]);
    char text[32];
    for (int k = 0; k < 1000; k++) {
        snprintf(text, sizeof text, "v%d", k);
        sum = sym_add(ctx, sum, sym_atom(ctx, name_of_text(names, text)));
    }
    ok(sym_steps(ctx) < 2000000, "a sum of 1000 atoms: %" PRIu64 " steps", sym_steps(ctx));
    ok(sym_kind(ctx, sum) == SYM_SUM && sym_count(ctx, sum) <= SYM_MAX_TERMS,
       "has at most SYM_MAX_TERMS operands");
    ok(!sym_overflowed(ctx), "and that is no overflow");

    struct sym dense = sym_add(ctx, sym_add(ctx, n, a), sym_atom(ctx, atom[3]));
    for (int k = 0; k < 5; k++)
        dense = sym_mul(ctx, dense, dense);
    bool has = sym_eval(ctx, dense, value_of, (int64_t[ATOMS]){1, -1, 0, 1}, &v);
    ok(has && v == 1, "(N + a + x) to the power 32 has its value");
    ok(!sym_eval(ctx, dense, value_of, (int64_t[ATOMS]){9, 1, 0, 1}, &v), "which may overflow");

    uint64_t from = sym_steps(ctx);
    struct sym deep = n, bushy = a, medium = a;
    for (int k = 0; k < 2000; k++) {
        deep = sym_floordiv(ctx, sym_add(ctx, deep, a), sym_add(ctx, n, sym_const(ctx, k)));
        struct sym up = sym_add(ctx, bushy, n), down = sym_mul(ctx, bushy, a);
        medium = k == 9 ? bushy : medium;
        bushy = k % 2 ? sym_min(ctx, up, down) : sym_max(ctx, sym_floordiv(ctx, up, n), down);
    }
    ok(sym_steps(ctx) - from < 200000000, "deep and bushy nests: %" PRIu64 " steps",
       sym_steps(ctx) - from);
    ok(strlen(show(deep)) < 1000000 && strlen(show(bushy)) < 1000000, "their text is bounded");
    ok(sym_overflowed(ctx), "and that they are cut is seen");
    struct name first = atom[0];
    from = sym_steps(ctx);
    sym_subst(ctx, medium, 1, &first, &medium);
    ok(sym_steps(ctx) - from < 100000000, "a substitution in them: %" PRIu64 " steps",
       sym_steps(ctx) - from);
    end();

    begin();
    struct sym max = sym_const(ctx, INT64_MAX), one = sym_const(ctx, 1);
    struct sym over = sym_add(ctx, max, one);
    ok(sym_overflowed(ctx), "INT64_MAX + 1 overflows");
    ok(!sym_eval(ctx, over, value_of, NULL, &v), "and has no value");
    ok(!sym_eq(over, sym_add(ctx, max, sym_const(ctx, 2))), "INT64_MAX + 2 is something else");
    ok(sym_eq(over, sym_add(ctx, one, max)), "1 + INT64_MAX is the same");
    struct sym back = sym_sub(ctx, sym_add(ctx, over, sym_atom(ctx, atom[0])), over);
    ok(sym_eq(back, sym_atom(ctx, atom[0])), "it cancels");
    end();
}

int main(void) {
    test_values();
    test_rewrites();
    test_chains();
    test_text();
    test_order_of_creation();
    test_subst();
    test_parts();
    test_extremes();
    test_limits();
    return done_testing();
}
