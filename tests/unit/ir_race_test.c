/* The dependence test against enumeration: what it proves of hundreds of random maps must hold for
   all small sizes; and by name, what it must be able to prove. */
#include "compiler/analysis/depend.h"
#include "compiler/print/print.h"
#include "tests/unit/ir_build.h"

/* --- enumeration ------------------------------------------------------------------------------ */

enum { MAX_NAMES = 16, MAX_TOUCHES = 400000 };

struct touch {
    int64_t iteration[4]; /* of the map */
    uint32_t cont;
    int64_t element; /* its subscripts as one number */
    bool write;
    enum resolution resolution;
};

struct world {
    struct build *b;
    const struct node *map;
    struct name name[MAX_NAMES];
    int64_t value[MAX_NAMES];
    uint32_t names;
    bool conditional; /* branches are taken */
    int64_t iteration[4];
    struct touch *at;
    uint32_t n;
    bool *local;
};

static bool lookup(void *data, struct name n, int64_t *v) {
    struct world *w = data;
    for (uint32_t i = w->names; i-- > 0;)
        if (name_eq(w->name[i], n)) {
            *v = w->value[i];
            return true;
        }
    return false;
}

static int64_t value(struct world *w, struct sym s) {
    int64_t v;
    if (!sym_eval(w->b->syms, s, lookup, w, &v)) {
        fprintf(stderr, "ir_race_test: no value\n");
        exit(2);
    }
    return v;
}

static void run(struct world *w, const struct region *r);

static void touch(struct world *w, const struct memlet *m, bool write) {
    if (w->local[m->cont.i] || w->n == MAX_TOUCHES)
        return;
    struct touch *t = &w->at[w->n++];
    memcpy(t->iteration, w->iteration, sizeof t->iteration);
    t->cont = m->cont.i;
    t->element = 0;
    for (uint32_t d = 0; d < m->rank; d++)
        t->element = t->element * 100003 + value(w, m->at[d]);
    t->write = write;
    t->resolution = m->resolution;
}

/* Runs BODY for all values of the indices from K on. DEPTH: where to note the iteration, or -1. */
static void run_indices(struct world *w, const struct index *x, uint32_t n, uint32_t k, bool outer,
                        const struct region *body) {
    if (k == n) {
        run(w, body);
        return;
    }
    int64_t lo = value(w, x[k].lo), hi = value(w, x[k].hi), step = value(w, x[k].step);
    uint32_t slot = w->names++;
    w->name[slot] = x[k].name;
    for (int64_t i = lo; i < hi; i += step) {
        w->value[slot] = i;
        if (outer)
            w->iteration[k] = i;
        run_indices(w, x, n, k + 1, outer, body);
    }
    w->names--;
}

static void run(struct world *w, const struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        switch (n->kind) {
        case NODE_READ: touch(w, &n->read.from, false); break;
        case NODE_WRITE: touch(w, &n->write.to, true); break;
        case NODE_DECL: w->local[n->decl.cont.i] = true; break;
        case NODE_MAP: run_indices(w, n->map.index, n->map.n, 0, false, &n->map.body); break;
        case NODE_LOOP: run_indices(w, &n->loop.index, 1, 0, false, &n->loop.body); break;
        case NODE_BRANCH:
            if (w->conditional)
                run(w, &n->branch.then);
            break;
        default: break;
        }
    }
}

static int by_element(const void *x, const void *y) {
    const struct touch *a = x, *b = y;
    if (a->cont != b->cont)
        return a->cont < b->cont ? -1 : 1;
    return a->element < b->element ? -1 : a->element > b->element;
}

static bool counts(const struct touch *a, const struct touch *b, enum conflict what) {
    if (!a->write && !b->write)
        return false;
    bool same = a->write && b->write && a->resolution && a->resolution == b->resolution;
    if (what == CONFLICT_ORDERED) /* all containers here are of floats */
        return same && a->resolution == RES_SUM;
    return what == CONFLICT_ANY || same == (what == CONFLICT_RESOLVED);
}

/* Whether two iterations that first differ in index K (-1: in any) conflict. */
static bool conflicts(const struct world *w, enum conflict what, int k) {
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t j = i + 1; j < w->n && by_element(&w->at[i], &w->at[j]) == 0; j++) {
            int first = 0;
            while (first < (int)w->map->map.n &&
                   w->at[i].iteration[first] == w->at[j].iteration[first])
                first++;
            if (first < (int)w->map->map.n && (k < 0 || k == first) &&
                counts(&w->at[i], &w->at[j], what))
                return true;
        }
    return false;
}

static struct touch touches[MAX_TOUCHES];

/* All that the map touches when the symbols have these values. */
static void enumerate(struct world *w, struct build *b, const struct node *map, int64_t n,
                      int64_t m, bool conditional) {
    *w = (struct world){.b = b, .map = map, .conditional = conditional, .at = touches};
    w->local = ARENA_ARRAY(b->arena, bool, b->g->conts.n);
    w->name[0] = build_name(b, "N");
    w->name[1] = build_name(b, "M");
    w->value[0] = n;
    w->value[1] = m;
    w->names = 2;
    run_indices(w, map->map.index, map->map.n, 0, true, &map->map.body);
    qsort(w->at, w->n, sizeof *w->at, by_element);
}

/* --- random maps ------------------------------------------------------------------------------ */

static uint64_t seed;

static uint32_t below(uint32_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

static const char *pick(const char *const *from) {
    uint32_t n = 0;
    while (from[n])
        n++;
    return from[below(n)];
}

/* Ranges of the first, second and third index. */
static const char *const first_ranges[] = {
    "i in 0:N",   "i in 0:N",   "i in 0:6",     "i in 1:N",   "i in 0:N:2",  "i in 0:N:4",
    "i in 0:8:3", "i in 2:9:2", "i in 0:4*N:4", "i in 0:1",   "i in N:2*N",  "i in 0:min(N, 4)",
    "i in 0:N+M", "i in 1:2",   "i in 0:N:6",   "i in 0:N*M", "i in 0:16*N", NULL};
static const char *const second_ranges[] = {
    "j in 0:M",           "j in 0:M",           "j in 0:4",         "j in 0:i+1",
    "j in i:N",           "j in 0:2",           "j in 1:M-1",       "j in 0:M:2",
    "j in 0:min(4, N-i)", "j in 0:6",           "j in 0:N",         "j in i:i+4",
    "j in i:i+4:2",       "j in 0:min(2, N-i)", "j in max(i, 1):N", NULL};
static const char *const third_ranges[] = {"k in 0:M",   "k in 0:3",   "k in 0:N", "k in j:M",
                                           "k in 0:j+1", "k in 0:4:2", NULL};
static const char *const subscripts[3][40] = {
    {"i",   "i",    "i",   "i",         "0",   "2*i",   "2*i+1", "i+1", "i-1",
     "N-i", "i//2", "i%2", "i//4",      "i%4", "i//16", "i%16",  "3*i", "i*N",
     "N",   "i+2",  "i*i", "min(i, 3)", "-i",  "i+M",   NULL},
    {"i",     "i",     "j",     "j",         "i+j",        "i+j",       "i-j",   "j-i",
     "4*i+j", "2*i+j", "i*M+j", "i*M+j",     "i+N*j",      "0",         "j+1",   "2*j",
     "2*j+1", "i+2*j", "j//2",  "j%2",       "(i*M+j)//4", "(i*M+j)%4", "i*6+j", "3*i+2*j",
     "i+j+1", "j*N+i", "i*j",   "max(i, j)", "(i+j)//4",   "(i+j)%4",   NULL},
    {"i",           "j",     "k",     "i+j",   "j+k",   "i+k",        "(i*N+j)*M+k",
     "(i*M+j)*M+k", "i*M+k", "j*M+k", "i+j+k", "j-k",   "4*i+k",      "k+1",
     "0",           "k//2",  "k%2",   "4*j+k", "2*i+k", "16*i+4*j+k", NULL},
};

static const enum resolution resolutions[] = {RES_NONE, RES_NONE, RES_SUM, RES_SUM, RES_MAX};

static void random_memlet(struct build *b, uint32_t known, uint32_t count) {
    static const char *const conts[] = {"A", "B", "C", "L"};
    uint32_t c = below(count);
    char text[120];
    int n = snprintf(text, sizeof text, "%s[", conts[c]);
    for (uint32_t d = 0; d < (c == 1 ? 2 : c == 2 ? 3 : 1); d++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s, ",
                      pick(subscripts[below(known < 2 ? 2 : known + 1) < known - 1 ? below(known)
                                                                                   : known - 1]));
    snprintf(text + n, sizeof text - (size_t)n, "]");
    if (below(3) == 0)
        build_read(b, "v", text);
    else
        build_write(b, num(b, 1), text, resolutions[below(5)]);
}

/* A map over N and M that touches A, B, C; the test looks at `map` only, so the graph need not be
   whole. */
static const struct node *random_map(struct build *b) {
    char text[120];
    uint32_t n = 1 + below(3), known = n;
    build_param(b, "x", DT_f32, "N, M");
    build_inout(b, "A", DT_f32, "1000000");
    build_inout(b, "B", DT_f32, "1000000, 1000000");
    build_inout(b, "C", DT_f32, "1000000, 1000000, 1000000");
    snprintf(text, sizeof text, "%s%s%s%s%s", pick(first_ranges), n > 1 ? ", " : "",
             n > 1 ? pick(second_ranges) : "", n > 2 ? ", " : "", n > 2 ? pick(third_ranges) : "");
    const struct node *map = build_map(b, text);
    uint32_t conts = 3;
    if (below(4) == 0) {
        build_decl(b, "L", DT_f32, "64", STORE_NONE, 0);
        conts = 4;
    }
    if (below(4) == 0)
        random_memlet(b, known, conts);
    uint32_t opened = 0;
    if (known < 3 && below(2)) {
        const char *range = pick(known == 1 ? second_ranges : third_ranges);
        if (below(2))
            build_map(b, range);
        else
            build_loop(b, range);
        known++;
        opened++;
    }
    if (below(6) == 0) {
        build_branch(b, num_of(b, DT_bool, 1));
        opened++;
    }
    for (uint32_t i = 0, m = 1 + below(2); i < m; i++)
        random_memlet(b, known, conts);
    for (uint32_t i = 0; i <= opened; i++)
        build_end(b);
    return map;
}

/* --- answers against enumeration -------------------------------------------------------------- */

static const char *const answers[] = {
    [RACE_FREE] = "free", [RACE_CERTAIN] = "certain", [RACE_UNKNOWN] = "unknown"};
static uint32_t decided[3];

/* Compares ANSWER about conflicts in index K (-1: any) with what happens. */
static bool holds(struct build *b, const struct node *map, enum race answer, enum conflict what,
                  int k, const char **why) {
    struct world w;
    decided[answer]++;
    *why = "";
    if (answer == RACE_FREE) {
        for (int64_t n = 1; n <= 5; n++)
            for (int64_t m = 1; m <= 5; m++) {
                enumerate(&w, b, map, n, m, true);
                if (conflicts(&w, what, k)) {
                    *why = arena_printf(b->arena, "N = %d, M = %d", (int)n, (int)m);
                    return false;
                }
            }
        return true;
    }
    if (answer == RACE_CERTAIN) { /* when the ranges are long enough */
        static const int64_t sizes[][2] = {{7, 7},   {20, 20}, {33, 33},
                                           {59, 59}, {200, 9}, {9, 200}};
        *why = "not even large";
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            enumerate(&w, b, map, sizes[i][0], sizes[i][1], false);
            if (conflicts(&w, what, k))
                return true;
        }
        return false;
    }
    return true;
}

static void random_maps(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        seed = i + 1;
        below(2);
        struct build b = build_new("f");
        const struct node *map = random_map(&b);
        const char *why, *wrong = NULL;
        for (int what = 0; what <= CONFLICT_ANY && !wrong; what++) {
            struct sym_facts *f = graph_facts(b.arena, b.g);
            enum race r = node_race(b.g, map, f, (enum conflict)what, NULL);
            if (!holds(&b, map, r, (enum conflict)what, -1, &why))
                wrong = arena_printf(b.arena, "all, %s, %s", answers[r], why);
            for (uint32_t k = 0; k < map->map.n && !wrong; k++) {
                r = index_race(b.g, map, k, f, (enum conflict)what, NULL);
                if (!holds(&b, map, r, (enum conflict)what, (int)k, &why))
                    wrong = arena_printf(b.arena, "index %u, %s, %s", k, answers[r], why);
            }
        }
        if (!ok(!wrong, "map %u: what is proved holds", i)) {
            struct buf text = buf_new(b.arena);
            graph_print(b.g, &text);
            diag("%s:\n%s", wrong, text.at);
        }
        arena_free(b.arena);
    }
    diag("free %u, certain %u, unknown %u", decided[0], decided[1], decided[2]);
    ok(decided[RACE_UNKNOWN] < (decided[0] + decided[1]) / 2, "most questions are decided");
}

/* --- by name ---------------------------------------------------------------------------------- */

struct question {
    const char *what, *map, *inner, *first, *second; /* second: read, or NULL */
    enum resolution resolution;
    enum race error, any;
};

static const struct question questions[] = {
    {"own element", "i in 0:N, j in 0:M", NULL, "B[i, j]", "B[i, j]", RES_NONE, RACE_FREE,
     RACE_FREE},
    {"transposed", "i in 0:N, j in 0:M", NULL, "B[j, i]", NULL, RES_NONE, RACE_FREE, RACE_FREE},
    {"tiles of 6", "io in 0:M:6, i in 0:6", NULL, "A[io + i]", NULL, RES_NONE, RACE_FREE,
     RACE_FREE},
    {"tiles with an edge", "io in 0:M:6", "i in 0:min(6, M - io)", "A[io + i]", "A[io + i]",
     RES_NONE, RACE_FREE, RACE_FREE},
    {"tiles of a symbol", "io in 0:M, i in 0:N", NULL, "A[io*N + i]", NULL, RES_NONE, RACE_FREE,
     RACE_FREE},
    {"three digits", "i in 0:P, j in 0:N, k in 0:M", NULL, "A[(i*N + j)*M + k]", NULL, RES_NONE,
     RACE_FREE, RACE_FREE},
    {"tile of a tile", "io in 0:M:16", "i in 0:16:4", "A[io + i]", NULL, RES_NONE, RACE_FREE,
     RACE_FREE},
    {"blocked layout", "c in 0:N, i in 0:M", NULL, "C[c//16, i, c%16]", NULL, RES_NONE, RACE_FREE,
     RACE_FREE},
    {"blocked twice", "c in 0:N", NULL, "C[c//32, (c//8)%4, c%8]", NULL, RES_NONE, RACE_FREE,
     RACE_FREE},
    {"flattened and back", "c in 0:N*16", NULL, "B[c//16, c%16]", "B[c//16, c%16]", RES_NONE,
     RACE_FREE, RACE_FREE},
    {"even and odd", "i in 0:N", NULL, "A[2*i]", "A[2*i + 1]", RES_NONE, RACE_FREE, RACE_FREE},
    {"other half", "i in 0:N", NULL, "A[i]", "A[i + N]", RES_NONE, RACE_FREE, RACE_FREE},
    {"skewed", "i in 0:N, j in 0:M", NULL, "B[i + j, i - j]", NULL, RES_NONE, RACE_FREE, RACE_FREE},
    {"triangle", "i in 0:N", "j in i:N", "B[i, j]", "B[i, j]", RES_NONE, RACE_FREE, RACE_FREE},
    {"former element", "i in 1:N", NULL, "A[i]", "A[i - 1]", RES_NONE, RACE_CERTAIN, RACE_CERTAIN},
    {"seventh before", "i in 7:N", NULL, "A[i]", "A[i - 7]", RES_NONE, RACE_CERTAIN, RACE_CERTAIN},
    {"one element", "i in 0:N", NULL, "A[0]", NULL, RES_NONE, RACE_CERTAIN, RACE_CERTAIN},
    {"a sum of all", "i in 0:N", NULL, "A[0]", NULL, RES_SUM, RACE_FREE, RACE_CERTAIN},
    {"a row of sums", "i in 0:N, j in 0:M", NULL, "A[i]", NULL, RES_SUM, RACE_FREE, RACE_CERTAIN},
    {"sums in a row's own map", "i in 0:N", "j in 0:M", "A[i]", NULL, RES_SUM, RACE_FREE,
     RACE_FREE},
    {"a sum that is read", "i in 0:N", NULL, "A[0]", "A[0]", RES_SUM, RACE_CERTAIN, RACE_CERTAIN},
    {"one iteration", "i in 0:1", NULL, "A[0]", "A[0]", RES_NONE, RACE_FREE, RACE_FREE},
    {"reversed", "i in 0:N", NULL, "A[i]", "A[N - 1 - i]", RES_NONE, RACE_UNKNOWN, RACE_UNKNOWN},
    {"overlapping tiles", "io in 0:M:6, i in 0:8", NULL, "A[io + i]", NULL, RES_NONE, RACE_CERTAIN,
     RACE_CERTAIN},
    {"diagonals", "i in 0:N, j in 0:M", NULL, "A[i + j]", NULL, RES_NONE, RACE_CERTAIN,
     RACE_CERTAIN},
    {"by data", "i in 0:N", NULL, "A[n]", NULL, RES_NONE, RACE_UNKNOWN, RACE_UNKNOWN},
    {"by data, own row", "i in 0:N", NULL, "B[i, n]", "B[i, n]", RES_NONE, RACE_FREE, RACE_FREE},
    {"a histogram", "i in 0:N", NULL, "A[n]", NULL, RES_SUM, RACE_FREE, RACE_UNKNOWN},
    {"an index by way of a value", "i in 0:N", NULL, "A[m]", "A[m]", RES_NONE, RACE_FREE,
     RACE_FREE},
    {"a value that is the same", "i in 0:N", NULL, "A[q]", NULL, RES_NONE, RACE_CERTAIN,
     RACE_CERTAIN},
};

static void by_name(const struct question *q) {
    struct build b = build_new("f");
    build_param(&b, "x", DT_f32, "N, M, P");
    build_param(&b, "idx", DT_i64, "N");
    build_inout(&b, "A", DT_f32, "N*N*M*P + 16*M");
    build_inout(&b, "B", DT_f32, "N + M + 16, N + M + 16");
    build_inout(&b, "C", DT_f32, "N + 16, M, 16");
    const struct node *map = build_map(&b, q->map);
    build_read(&b, "n", "idx[0]");
    if (strstr(q->first, "m]"))
        build_let(&b, "m", integer(&b, "2*i + 1"));
    if (strstr(q->first, "q]"))
        build_let(&b, "q", integer(&b, "N - 1"));
    if (q->inner)
        build_map(&b, q->inner);
    if (q->second)
        build_read(&b, "v", q->second);
    build_write(&b, num(&b, 1), q->first, q->resolution);
    struct sym_facts *f = graph_facts(b.arena, b.g);
    uint32_t mark = sym_facts_mark(f);
    enum race error = node_race(b.g, map, f, CONFLICT_ERROR, NULL);
    enum race any = node_race(b.g, map, f, CONFLICT_ANY, NULL);
    is_str(answers[error], answers[q->error], "%s: conflicts that are errors", q->what);
    is_str(answers[any], answers[q->any], "%s: any conflicts", q->what);
    is_int(sym_facts_mark(f), mark, "%s: facts are as before", q->what);
    arena_free(b.arena);
}

/* Which index carries what. */
static void per_index(void) {
    struct build b = build_new("f");
    build_inout(&b, "A", DT_f32, "N");
    build_inout(&b, "B", DT_f32, "N, M");
    struct node *map = build_map(&b, "i in 0:N, j in 0:M");
    build_write(&b, num(&b, 1), "A[i]", RES_SUM);
    build_end(&b);
    struct sym_facts *f = graph_facts(b.arena, b.g);
    struct race_pair p;
    is_int(index_race(b.g, map, 0, f, CONFLICT_ANY, NULL), RACE_FREE, "i carries nothing");
    is_int(index_race(b.g, map, 1, f, CONFLICT_ERROR, NULL), RACE_FREE, "j carries no error");
    is_int(index_race(b.g, map, 1, f, CONFLICT_ANY, &p), RACE_CERTAIN, "j carries the sum");
    is_int(p.index, 1, "the pair says which index");
    is_str(name_text(b.names, graph_cont(b.g, p.cont)->name), "A", "... and which container");
    ok(p.first == p.second && p.first->kind == NODE_WRITE, "... and which nodes");
    struct node *loop = build_loop(&b, "t in 0:N");
    build_read(&b, "v", "B[t, 0]");
    build_write(&b, val(&b, "v"), "B[t, 1]", RES_NONE);
    build_end(&b);
    is_int(index_race(b.g, loop, 0, f, CONFLICT_ANY, NULL), RACE_FREE, "a loop that is a map");
    arena_free(b.arena);
}

int main(void) {
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        by_name(&questions[i]);
    per_index();
    const char *count = getenv("DCL_FUZZ_COUNT");
    random_maps(count ? 2 * (uint32_t)atoi(count) : 300);
    return done_testing();
}
