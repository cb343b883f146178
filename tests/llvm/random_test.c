/* Random schedules: the texts of data.h without their schedules get others by chance, as long as
   the graph verifies, on random processors; the results must stay the same. DCL_FUZZ_COUNT says how
   many. */
#include "compiler/print/print.h"
#include "tests/llvm/data.h"

static uint32_t chance(uint32_t n) {
    return (uint32_t)(random_bits() >> 33) % n;
}

static void schedule_index(struct index *x, bool last) {
    static const uint32_t factors[] = {0, 0, 1, 2, 3, 4, 5, 8};
    x->factor = 0;
    switch (chance(6)) {
    case 0: x->schedule = SCHED_NONE; break;
    case 1: x->schedule = SCHED_SEQ; break;
    case 2: x->schedule = SCHED_PARALLEL; break;
    case 3: x->schedule = SCHED_UNROLL; break;
    default: x->schedule = last ? SCHED_VECTOR : SCHED_UNROLL; break;
    }
    if (x->schedule == SCHED_UNROLL || x->schedule == SCHED_VECTOR)
        x->factor = factors[chance(8)];
}

static void schedule_node(void *data, struct node *n) {
    const struct graph *g = data;
    if (n->kind == NODE_MAP) {
        for (uint32_t i = 0; i < n->map.n; i++)
            schedule_index(&n->map.index[i], i + 1 == n->map.n);
    } else if (n->kind == NODE_LOOP) {
        n->loop.index.schedule = chance(2) ? SCHED_UNROLL : SCHED_NONE;
        n->loop.index.factor = n->loop.index.schedule == SCHED_UNROLL ? chance(5) : 0;
    } else if (n->kind == NODE_DECL) {
        graph_cont(g, n->decl.cont)->storage = (enum storage)chance(STORE_HEAP + 1);
    }
}

/* A verified graph of TEXT with a random schedule; NULL after many tries. */
static struct graph *random_graph(struct arena *a, const char *text) {
    for (int i = 0; i < 50; i++) {
        struct diags d;
        diags_init(&d, a, sources_new(a));
        struct graph *g = rd_graph(a, text);
        region_walk(&g->body, schedule_node, g);
        if (graph_verify(g, "random", &d))
            return g;
    }
    return NULL;
}

static const char *random_cpu(void) {
    static const char *const cpus[] = {"host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
    struct target t;
    for (;;) {
        const char *cpu = cpus[chance(5)];
        if (target_named(&t, cpu) && target_runs_here(&t))
            return cpu;
    }
}

static bool agree(size_t i, struct kernel *a, struct kernel *b) {
    int64_t n = sizes[chance(sizeof sizes / sizeof *sizes)];
    struct arena *arena = arena_new();
    struct graph *g = rd_graph(arena, cases[i].text);
    struct buffers x = buffers_for(g, &n, cases[i].limit), y = buffers_for(g, &n, cases[i].limit);
    buffers_copy(&y, &x);
    int rx = kernel_run(a, x.at, &n), ry = kernel_run(b, y.at, &n);
    bool good = rx == 0 && ry == 0 && buffers_same(&x, &y, 2e-5);
    if (!good)
        diag("size %lld: status %d and %d", (long long)n, rx, ry);
    buffers_free(&x);
    buffers_free(&y);
    arena_free(arena);
    return good;
}

static bool round_of(size_t i, struct kernel *plain, const char **cpu) {
    struct kernel k = {.a = arena_new()};
    struct llvm_options o = test_options();
    *cpu = random_cpu();
    target_named(&o.target, *cpu);
    struct graph *g = random_graph(k.a, cases[i].text);
    bool good = true;
    if (g) {
        kernel_compile(&k, g, &o);
        for (int j = 0; j < 6 && good; j++)
            good = agree(i, &k, plain);
        if (!good) {
            struct diags d;
            diags_init(&d, k.a, sources_new(k.a));
            struct buf b = buf_new(k.a);
            graph_print(g, &b);
            diag("%s", b.at);
        }
    }
    kernel_free(&k);
    return good;
}

int main(void) {
    const char *count = getenv("DCL_FUZZ_COUNT"), *from = getenv("DCL_FUZZ_SEED");
    int rounds = count ? atoi(count) / 20 + 1 : 6;
    uint64_t start = from ? strtoull(from, NULL, 10) : 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kernel plain = kernel_of(cases[i].text);
        bool good = true;
        for (int r = 0; r < rounds && good; r++) {
            const char *cpu;
            seed = (start + (uint64_t)r) * 0x9e3779b97f4a7c15u + i;
            good = round_of(i, &plain, &cpu);
            if (!good)
                diag("for %s, with DCL_FUZZ_SEED=%llu", cpu,
                     (unsigned long long)start + (unsigned)r);
        }
        ok(good, "%s, %d random schedules", cases[i].what, rounds);
        kernel_free(&plain);
    }
    return done_testing();
}
