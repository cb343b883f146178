/* Subsets: boxes, unions, covers and disjointness of what tiles, halos and strided accesses touch,
   as text; and against enumeration of elements for all values in small ranges. */
#include "lang/sym/subset.h"
#include "tests/harness/tap.h"
#include <ctype.h>

static struct arena *arena;
static struct names *names;
static struct sym_ctx *ctx;

static void begin(void) {
    arena = arena_new();
    names = names_new(arena);
    ctx = sym_ctx_new(arena, names);
}

static void end(void) {
    arena_free(arena);
}

/* ---- Expressions and facts from text ---- */

static const char *at; /* where the reader stands */

static bool accept(const char *token) {
    while (*at == ' ')
        at++;
    size_t n = strlen(token);
    if (strncmp(at, token, n) != 0)
        return false;
    if (isalpha((unsigned char)token[n - 1]) && isalnum((unsigned char)at[n]))
        return false; /* a longer word */
    at += n;
    return true;
}

static struct sym read_sum(void);

static struct sym read_unary(void) {
    if (accept("-"))
        return sym_neg(ctx, read_unary());
    bool is_min = accept("min(");
    if (is_min || accept("max(")) {
        struct sym a = read_sum();
        accept(",");
        struct sym b = read_sum();
        accept(")");
        return is_min ? sym_min(ctx, a, b) : sym_max(ctx, a, b);
    }
    if (accept("(")) {
        struct sym a = read_sum();
        accept(")");
        return a;
    }
    const char *from = at;
    if (isdigit((unsigned char)*at)) {
        char *stop;
        int64_t v = strtoll(at, &stop, 10);
        at = stop;
        return sym_const(ctx, v);
    }
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    if (at == from) {
        fail("cannot read '%s'", at);
        exit(1);
    }
    return sym_atom(ctx, name_of(names, from, (size_t)(at - from)));
}

static struct sym read_term(void) {
    struct sym a = read_unary();
    for (;;) {
        if (accept("*"))
            a = sym_mul(ctx, a, read_unary());
        else if (accept("//"))
            a = sym_floordiv(ctx, a, read_unary());
        else if (accept("%"))
            a = sym_mod(ctx, a, read_unary());
        else
            return a;
    }
}

static struct sym read_sum(void) {
    struct sym a = read_term();
    for (;;) {
        if (accept("+"))
            a = sym_add(ctx, a, read_term());
        else if (accept("-"))
            a = sym_sub(ctx, a, read_term());
        else
            return a;
    }
}

static struct sym expr(const char *text) {
    at = text;
    return read_sum();
}

static const char *show(struct sym a) {
    struct buf b = buf_new(arena);
    sym_print(ctx, a, &b);
    return b.at;
}

/* `i in LO:HI:STEP` (half-open; the step may be missing), `LO <= i <= HI`, `i <= HI`, `LO <= i`,
   `A <= B`; separated by semicolons. */
static struct sym_facts *facts(const char *text) {
    struct sym_facts *f = sym_facts_new(arena, ctx);
    struct sym none = {0}, one = sym_const(ctx, 1);
    struct name n;
    at = text;
    while (*at) {
        struct sym a = read_sum();
        if (accept("in")) {
            struct sym lo = read_sum();
            accept(":");
            struct sym hi = read_sum();
            sym_is_atom(ctx, a, &n);
            sym_facts_bounds(f, n, lo, sym_sub(ctx, hi, one));
            if (accept(":"))
                sym_facts_step(f, n, lo, read_sum());
        } else {
            accept("<=");
            struct sym b = read_sum();
            if (accept("<=")) {
                sym_is_atom(ctx, b, &n);
                sym_facts_bounds(f, n, a, read_sum());
            } else if (sym_is_atom(ctx, b, &n)) {
                sym_facts_bounds(f, n, a, none);
            } else if (sym_is_atom(ctx, a, &n)) {
                sym_facts_bounds(f, n, none, b);
            } else {
                sym_facts_nonneg(f, sym_sub(ctx, b, a));
            }
        }
        accept(";");
        accept(" ");
    }
    return f;
}

/* `[0:N, i, a:b:2]` */
static struct subset subset(const char *text) {
    struct subset s = {0, ARENA_ARRAY(arena, struct range, 4)};
    at = text;
    accept("[");
    while (!accept("]")) {
        struct range *r = &s.dims[s.rank++];
        r->begin = read_sum();
        r->step = sym_const(ctx, 1);
        r->end = accept(":") ? read_sum() : sym_add(ctx, r->begin, r->step);
        if (accept(":"))
            r->step = read_sum();
        accept(",");
    }
    return s;
}

static const char *show_subset(const struct subset *s) {
    struct buf b = buf_new(arena);
    struct sym one = sym_const(ctx, 1);
    buf_text(&b, "[");
    for (uint32_t k = 0; k < s->rank; k++) {
        struct range r = s->dims[k];
        buf_text(&b, k ? ", " : "");
        sym_print(ctx, r.begin, &b);
        if (sym_eq(r.end, sym_add(ctx, r.begin, one)) && sym_eq(r.step, one))
            continue;
        buf_text(&b, ":");
        sym_print(ctx, r.end, &b);
        if (sym_eq(r.step, one))
            continue;
        buf_text(&b, ":");
        sym_print(ctx, r.step, &b);
    }
    buf_text(&b, "]");
    return b.at;
}

/* ---- As text ---- */

static void test_volume(void) {
    static const struct {
        const char *subset, *volume;
    } cases[] = {
        {"[0:N, 0:M]", "M*N"},
        {"[i, j:j + 16]", "16"},
        {"[io:io + min(6, M - io), 0:N]", "N*min(6, M - io)"},
        {"[0:N:2]", "(N + 1)//2"},
        {"[0:10:3, a:b]", "4*b - 4*a"},
        {"[5:5, 0:N]", "0"},
        {"[7:3, 0:N]", "0"},
        {"[0:N, a % 4 + 9:3]", "0"},
        {"[]", "1"},
        {"[i:i + 1:s]", "s//s"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        struct subset s = subset(cases[k].subset);
        is_str(show(subset_volume(ctx, &s)), cases[k].volume, "volume of %s", cases[k].subset);
        end();
    }
}

static void test_project(void) {
    static const struct {
        const char *facts, *subset, *atom, *over, *box;
    } cases[] = {
        {"", "[0:N]", "i", "[0:9]", "[0:N]"},
        {"", "[i, j]", "i", "[0:N]", "[0:N, j]"},
        {"", "[i]", "i", "[0:N:2]", "[0:2*((N + 1)//2) - 1:2]"},
        {"", "[2*i]", "i", "[0:N]", "[0:2*N - 1:2]"},
        {"", "[2*i + 1]", "i", "[3:7]", "[7:14:2]"},
        {"", "[N - 1 - i]", "i", "[0:N]", "[0:N]"},
        {"", "[5 - 3*i]", "i", "[0:4]", "[-4:6:3]"},
        {"", "[i:i + 3]", "i", "[0:N]", "[0:N + 2]"},
        {"", "[16*i:16*i + 16]", "i", "[0:N]", "[0:16*N]"},
        {"", "[16*i:16*i + 16:4]", "i", "[0:N]", "[0:16*N:4]"},
        {"", "[6*i:6*i + 12:4]", "i", "[0:N]", "[0:6*N + 3:2]"},
        {"", "[i, i + 1:N]", "i", "[0:N]", "[0:N, 1:N]"},
        {"1 <= s", "[s*i]", "i", "[0:N]", "[0:N*s - s + 1:s]"},
        {"1 <= W", "[i*W + j]", "j", "[0:W]", "[W*i:W*i + W]"},
        {"1 <= W", "[i*W:i*W + W]", "i", "[0:H]", "[0:H*W]"},
        {"0 <= M; io in 0:M:6", "[io:io + min(6, M - io)]", "io", "[0:M:6]", "[0:M]"},
        {"0 <= M", "[io + i]", "i", "[0:min(6, M - io)]", "[io:io + min(6, M - io)]"},
        {"1 <= H; i in 0:H", "[i + r - 1]", "r", "[max(0, 1 - i):min(3, H + 1 - i)]",
         "[i + max(0, 1 - i) - 1:i + min(3, H - i + 1) - 1]"},
        {"1 <= H", "[i + max(0, 1 - i) - 1:i + min(3, H - i + 1) - 1]", "i", "[0:H]", "[0:H]"},
        {"", "[c//16, c % 16]", "c", "[0:16*C]", "[0:C, 0:16]"},
        {"0 <= C", "[c//16, c % 16]", "c", "[0:C]", "[0:(C + 15)//16, 0:16]"},
        {"c in 0:8", "[c//16, c % 16]", "c", "[0:8]", "[0, 0:8]"},
        {"1 <= T; 0 <= M", "[T*io:T*io + T]", "io", "[0:M//T]", "[0:T*(M//T)]"},
        {"0 <= M", "[io]", "io", "[0:6*(M//6):6]", "[0:6*(M//6) - 5:6]"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        struct sym_facts *f = facts(cases[k].facts);
        struct subset s = subset(cases[k].subset), over = subset(cases[k].over), box;
        struct name n = name_of_text(names, cases[k].atom);
        if (ok(subset_project(arena, f, &s, n, over.dims[0], &box), "%s over %s in %s",
               cases[k].subset, cases[k].atom, cases[k].over))
            is_str(show_subset(&box), cases[k].box, "is the box");
        end();
    }
    begin();
    struct sym_facts *f = facts("0 <= N");
    struct subset s = subset("[k*i]"), t = subset("[i*i - 4*i]"), over = subset("[0:N]"), box;
    struct name i = name_of_text(names, "i");
    ok(!subset_project(arena, f, &s, i, over.dims[0], &box), "a factor of unknown sign");
    ok(!subset_project(arena, f, &t, i, over.dims[0], &box), "not monotone");
    end();
}

static bool ask(struct sym_facts *f, char relation, const struct subset *x,
                const struct subset *y) {
    switch (relation) {
    case 'd': return subset_disjoint(f, x, y);
    case 'c': return subset_covers(f, x, y);
    default: return subset_equal(f, x, y);
    }
}

/* d: disjoint, c: the first covers the second, e: equal; capital: must not be proved. */
static const struct {
    const char *facts, *x;
    char relation;
    const char *y;
} relations[] = {
    {"", "[i]", 'd', "[i + 1]"},
    {"", "[i]", 'D', "[j]"},
    {"", "[i]", 'e', "[i]"},
    {"", "[]", 'D', "[]"},
    {"", "[]", 'e', "[]"},
    {"", "[0:N]", 'D', "[N - 1:N]"},
    {"", "[0:N]", 'd', "[N:M]"},
    {"", "[0:N, 0:4]", 'd', "[0:N, 4:8]"},
    {"", "[0:N:2]", 'd', "[1:N:2]"},
    {"", "[2*i]", 'd', "[2*j + 1]"},
    {"", "[2*i]", 'd', "[1:N:2]"},
    {"", "[0:N:2]", 'D', "[0:N:3]"},
    {"io in 0:M:6", "[io]", 'd', "[1:M:3]"},
    {"i in 0:N; j in 0:i", "[i]", 'd', "[j]"},
    {"0 <= M; io in 0:M:6", "[io:io + min(6, M - io)]", 'd', "[io + 6:M]"},
    {"0 <= M; io in 0:M:6", "[io:min(io + 6, M)]", 'd', "[min(io + 6, M):M]"},
    {"i in 0:4", "[0:i]", 'd', "[i:9]"},
    {"", "[5:5]", 'd', "[0:9]"},
    {"", "[a:b]", 'd', "[b:a]"},
    {"1 <= T", "[T*i:T*i + T]", 'd', "[T*i + T:T*i + 2*T]"},
    {"", "[0:4:3]", 'd', "[4:9]"},
    {"", "[0:N]", 'c', "[0:N]"},
    {"i in 0:N", "[0:N]", 'c', "[i]"},
    {"i in 0:N + 1", "[0:N]", 'C', "[i]"},
    {"", "[0:N]", 'C', "[0:N, 0]"},
    {"0 <= M; io in 0:M:6", "[0:M]", 'c', "[io:io + min(6, M - io)]"},
    {"0 <= M; io in 0:M:6", "[0:M]", 'C', "[io:io + 6]"},
    {"0 <= M; io in 0:6*(M//6):6", "[0:M]", 'c', "[io:io + 6]"},
    {"0 <= H; i in 0:H", "[0:H]", 'c', "[max(0, i - 1):min(i + 2, H)]"},
    {"", "[0:N:2]", 'c', "[4:N:6]"},
    {"", "[0:N:2]", 'C', "[4:N:3]"},
    {"", "[0:N:2]", 'C', "[1:N:2]"},
    {"i in 0:N:4", "[0:N:2]", 'c', "[i]"},
    {"1 <= s; 0 <= i; i <= 7", "[0:8*s:s]", 'c', "[i*s]"},
    {"", "[0:N:s]", 'c', "[0:N:s]"},
    {"", "[0:10]", 'c', "[0:12:3]"},
    {"", "[0:9]", 'C', "[0:12:3]"},
    {"", "[0:9]", 'c', "[20:20]"},
    {"", "[0:7:3]", 'e', "[0:9:3]"},
    {"", "[0:7:3]", 'E', "[0:10:3]"},
    {"0 <= M", "[0:M]", 'e', "[0:6*(M//6) + M % 6]"},
    {"M in 0:99:6", "[0:M]", 'e', "[0:6*(M//6)]"},
    {"", "[0:M]", 'E', "[0:6*(M//6)]"},
};

static void test_relations(void) {
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++) {
        begin();
        struct sym_facts *f = facts(relations[k].facts);
        struct subset x = subset(relations[k].x), y = subset(relations[k].y);
        char c = relations[k].relation, asked = (char)tolower(c);
        uint32_t mark = sym_facts_mark(f);
        ok(ask(f, asked, &x, &y) == (c == asked), "%s  |-  %s %c %s", relations[k].facts,
           relations[k].x, c, relations[k].y);
        if (asked != 'c')
            ok(ask(f, asked, &y, &x) == (c == asked), "and the other way round");
        is_int(sym_facts_mark(f), mark, "leaves the facts as they were");
        end();
    }
}

static void test_union(void) {
    static const struct {
        const char *facts, *x, *y, *box;
    } cases[] = {
        {"", "[0:4]", "[4:8]", "[0:8]"},
        {"", "[0:4]", "[6:8]", "[0:8]"},
        {"", "[3]", "[7]", "[3:8:4]"},
        {"", "[3]", "[3]", "[3]"},
        {"", "[i]", "[i + 1]", "[i:i + 2]"},
        {"", "[i]", "[j]", NULL},
        {"", "[0:N:2]", "[0:N:2]", "[0:N:2]"},
        {"", "[0:N:2]", "[1:N:2]", "[0:N]"},
        {"", "[0:N:4]", "[2:N:4]", "[0:N:2]"},
        {"", "[0:N:s]", "[0:N:s]", "[0:N:s]"},
        {"", "[0:N]", "[0:M]", NULL},
        {"N <= M", "[0:N]", "[0:M]", "[0:M]"},
        {"0 <= i", "[i:i + 3, 0:5]", "[0:i + 1, 2:9]", "[0:i + 3, 0:9]"},
        {"", "[5:5]", "[i:N]", "[i:N]"},
        {"", "[i:N]", "[5:5]", "[i:N]"},
        {"", "[0:N]", "[0:N, 0]", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        struct sym_facts *f = facts(cases[k].facts);
        struct subset x = subset(cases[k].x), y = subset(cases[k].y), u = {0, NULL};
        bool known = subset_union(arena, f, &x, &y, &u);
        is_str(known ? show_subset(&u) : NULL, cases[k].box, "%s and %s", cases[k].x, cases[k].y);
        end();
    }
}

/* ---- Against enumeration ---- */

static uint64_t state;

static uint32_t below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

enum { LOW = -120, SPAN = 340 }; /* where elements of one dimension lie */

static struct name atom_a, atom_b, atom_n;

static bool value_of(void *data, struct name n, int64_t *v) {
    const int64_t *values = data;
    *v = values[name_eq(n, atom_a) ? 0 : name_eq(n, atom_b) ? 1 : 2];
    return name_eq(n, atom_a) || name_eq(n, atom_b) || name_eq(n, atom_n);
}

static int64_t value(struct sym a, int64_t *values) {
    int64_t v = 0;
    if (!sym_eval(ctx, a, value_of, values, &v))
        fail("no value: %s", show(a));
    return v;
}

/* Adds the elements of R; the number of them. */
static int mark_elements(struct range r, int64_t *values, bool *set) {
    int64_t begin_at = value(r.begin, values), stop = value(r.end, values);
    int64_t step = value(r.step, values);
    int n = 0;
    if (step <= 0 && begin_at < stop)
        fail("a step of %lld", (long long)step);
    for (int64_t x = begin_at; x < stop && step > 0; x += step, n++)
        if (x >= LOW && x < LOW + SPAN)
            set[x - LOW] = true;
        else
            fail("out of the test's range: %lld", (long long)x);
    return n;
}

static const char *pick(const char *const *from, uint32_t n) {
    return from[below(n)];
}

#define PICK(list) pick(list, sizeof list / sizeof *list)

static struct range random_range(bool with_n) {
    static const char *const begins[] = {"0",      "1",     "3",         "a",
                                         "b",      "a + 1", "b - a",     "2*a",
                                         "a//2",   "a % 3", "min(a, b)", "max(0, b - 2)",
                                         "2*b + 1"};
    static const char *const over_n[] = {
        "n",       "n + 1",         "2*n", "n + a", "5 - n",    "a - n",         "n//2",
        "3*n + b", "max(0, n - 1)", "n*a", "n % 4", "n - n//2", "min(n, 3) + n", "a*b - n*b"};
    static const char *const extents[] = {
        "1", "1", "2", "4", "a", "b", "a + 2", "b - a", "min(4, b - a)", "3 - b", "0"};
    static const char *const extents_n[] = {"n", "n + 1", "4 - n", "min(3, b - n)", "b - n"};
    static const char *const steps[] = {"1", "1", "1", "2", "3", "4", "b + 1"};
    struct range r;
    r.begin = expr(with_n ? PICK(over_n) : PICK(begins));
    r.end = sym_add(ctx, r.begin, expr(with_n && below(3) == 0 ? PICK(extents_n) : PICK(extents)));
    r.step = expr(PICK(steps));
    return r;
}

static int wrong, proved[5], tight, boxes;

static void check(bool good, const char *what, struct range x, struct range y, struct range z) {
    struct range all[] = {x, y, z};
    struct subset s = {3, all};
    if (!good && wrong++ < 10)
        diag("%s: %s", what, show_subset(&s));
}

static bool subset_of(const bool *x, const bool *y) {
    bool all = true;
    for (int k = 0; k < SPAN; k++)
        all &= !x[k] || y[k];
    return all;
}

/* Whether BOX is the hull of ALL: its first and last elements are elements. */
static bool is_hull(const bool *all, const bool *box) {
    int first[2] = {-1, -1}, last[2] = {-1, -1};
    for (int k = 0; k < SPAN; k++) {
        for (int w = 0; w < 2; w++) {
            if (w ? box[k] : all[k]) {
                first[w] = first[w] < 0 ? k : first[w];
                last[w] = k;
            }
        }
    }
    return first[0] == first[1] && last[0] == last[1];
}

/* A and B are in the outer scope; N is projected out over a range. */
static void round_of_project(struct sym_facts *f, int64_t a_to, int64_t b_to) {
    struct range r = random_range(true), over = random_range(false);
    struct subset s = {1, &r}, box;
    over.end = sym_add(ctx, over.begin, expr(below(2) ? "4" : "a + 1"));
    uint32_t mark = sym_facts_mark(f);
    if (below(2)) {
        sym_facts_bounds(f, atom_n, over.begin, sym_sub(ctx, over.end, sym_const(ctx, 1)));
        sym_facts_step(f, atom_n, over.begin, over.step);
    }
    bool known = subset_project(arena, f, &s, atom_n, over, &box);
    sym_facts_restore(f, mark);
    proved[0] += known;
    /* monotone with a fixed extent: the box must be the smallest */
    bool plain = sym_eq(r.step, sym_const(ctx, 1)) && !strchr(show(r.begin), '%') &&
                 !sym_contains(ctx, sym_sub(ctx, r.end, r.begin), atom_n);
    for (int64_t a = 0; a <= a_to && known; a++) {
        for (int64_t b = a; b <= b_to; b++) {
            bool all[SPAN] = {false}, boxed[SPAN] = {false};
            int64_t v[3] = {a, b, 0}, last = value(over.end, v), by = value(over.step, v);
            int n = 0;
            for (v[2] = value(over.begin, v); v[2] < last; v[2] += by)
                n += mark_elements(r, v, all);
            v[2] = 1000; /* does not occur any more */
            if (n == 0)
                continue;
            mark_elements(box.dims[0], v, boxed);
            check(subset_of(all, boxed), "projected box", r, over, box.dims[0]);
            if (!plain)
                continue;
            tight += is_hull(all, boxed);
            boxes++;
        }
    }
}

static void round_of_relations(struct sym_facts *f, int64_t a_to, int64_t b_to) {
    struct range x = random_range(false), y = random_range(false);
    if (below(4) == 0)
        y.begin = below(2) ? x.end : x.begin;
    struct subset s = {1, &x}, t = {1, &y}, u;
    bool disjoint = subset_disjoint(f, &s, &t), covers = subset_covers(f, &s, &t);
    bool equal = subset_equal(f, &s, &t), known = subset_union(arena, f, &s, &t, &u);
    struct sym volume = subset_volume(ctx, &s);
    proved[1] += disjoint;
    proved[2] += covers;
    proved[3] += equal;
    proved[4] += known;
    for (int64_t a = 0; a <= a_to; a++) {
        for (int64_t b = a; b <= b_to; b++) {
            bool in_x[SPAN] = {false}, in_y[SPAN] = {false}, in_u[SPAN] = {false}, common = false;
            int64_t v[3] = {a, b, 1000};
            int n = mark_elements(x, v, in_x);
            mark_elements(y, v, in_y);
            for (int k = 0; k < SPAN; k++)
                common |= in_x[k] && in_y[k];
            check(!disjoint || !common, "disjoint", x, y, y);
            check(!covers || subset_of(in_y, in_x), "covers", x, y, y);
            check(!equal || (subset_of(in_y, in_x) && subset_of(in_x, in_y)), "equal", x, y, y);
            if (value(x.begin, v) <= value(x.end, v))
                check(value(volume, v) == n, "volume", x, y, y);
            if (!known)
                continue;
            mark_elements(u.dims[0], v, in_u);
            check(subset_of(in_x, in_u) && subset_of(in_y, in_u), "union", x, y, u.dims[0]);
        }
    }
}

static void test_random(void) {
    state = UINT64_C(0x9216d5d98979fb1b);
    wrong = 0;
    enum { N = 3000 };
    for (int round = 0; round < N; round++) {
        begin();
        atom_a = name_of_text(names, "a");
        atom_b = name_of_text(names, "b");
        atom_n = name_of_text(names, "n");
        struct sym_facts *f = facts("a in 0:5; a <= b <= 6");
        if (round % 2)
            round_of_project(f, 4, 6);
        else
            round_of_relations(f, 4, 6);
        end();
    }
    is_int(wrong, 0, "%d random subsets", N);
    ok(proved[0] > N / 4, "%d are projected", proved[0]);
    ok(boxes > N && tight > boxes * 95 / 100, "%d of %d plain boxes are the smallest", tight,
       boxes);
    ok(proved[1] > N / 20, "%d pairs are disjoint", proved[1]);
    ok(proved[2] > N / 20, "%d covered", proved[2]);
    ok(proved[3] > N / 100, "%d equal", proved[3]);
    ok(proved[4] > N / 10, "%d unions", proved[4]);
}

int main(void) {
    test_volume();
    test_project();
    test_relations();
    test_union();
    test_random();
    return done_testing();
}
