/* Gives nests of maps without any schedule word one: outer indices whose iterations are proved
   independent run in parallel, and in each innermost map the index along which most memlets are
   contiguous becomes the last one, in vectors. Maps that say how they run are left alone, and so
   are nests that hold one that does.
   Changes speed, and the order of reductions, but no other result: an index may be vector if its
   iterations conflict in nothing but equal resolutions, parallel if they do not meet at all. */
#include "compiler/analysis/depend.h"
#include "compiler/passes/pass.h"

#define SERIAL_WORK (1 << 15) /* scalar operations; fewer are not worth waking a thread */
#define REDUCTION_VECTORS 4   /* independent sums: covers the latency of an addition */

struct scheduler {
    struct graph *g;
    bool strict;
    struct sym_facts *facts;
    bool changed;
};

static void has_words(void *data, struct node *n) {
    bool *words = data;
    if (n->kind == NODE_MAP)
        for (uint32_t k = 0; k < n->map.n; k++)
            *words = *words || n->map.index[k].schedule != SCHED_NONE;
    if (n->kind == NODE_LOOP)
        *words = *words || n->loop.index.schedule != SCHED_NONE;
}

static bool plain_body(const struct node *n) {
    for (uint32_t i = 0; i < n->map.body.nodes.n; i++) {
        enum node_kind k = n->map.body.nodes.at[i]->kind;
        if (k != NODE_READ && k != NODE_LET && k != NODE_WRITE)
            return false;
    }
    return true;
}

/* +1 for a memlet that is contiguous along N, -1 for one that is strided, 0 for one without it. */
static int contiguous(const struct graph *g, const struct memlet *m, struct name n) {
    int score = 0;
    for (uint32_t d = 0; d < m->rank; d++) {
        struct sym factor, rest;
        int64_t one;
        if (!sym_contains(g->syms, m->at[d], n))
            continue;
        bool unit = d + 1 == m->rank && sym_linear(g->syms, m->at[d], n, &factor, &rest) &&
                    sym_is_const(g->syms, factor, &one) && one == 1;
        score = unit && score == 0 ? 1 : -1;
    }
    return score;
}

static int score(const struct graph *g, const struct node *map, uint32_t k) {
    int total = 0;
    for (uint32_t i = 0; i < map->map.body.nodes.n; i++) {
        const struct node *n = map->map.body.nodes.at[i];
        if (n->kind == NODE_READ)
            total += contiguous(g, &n->read.from, map->map.index[k].name);
        if (n->kind == NODE_WRITE)
            total += contiguous(g, &n->write.to, map->map.index[k].name);
    }
    return total;
}

static bool reduces_along(const struct graph *g, const struct node *map, struct name n) {
    for (uint32_t i = 0; i < map->map.body.nodes.n; i++) {
        const struct node *w = map->map.body.nodes.at[i];
        bool along = w->kind == NODE_WRITE && w->write.to.resolution != RES_NONE;
        for (uint32_t d = 0; along && d < w->write.to.rank; d++)
            along = !sym_contains(g->syms, w->write.to.at[d], n);
        if (along)
            return true;
    }
    return false;
}

/* Whether index K may run innermost and at once: in a strict program the order of sums stays. */
static bool may_be_last(struct scheduler *s, const struct node *map, uint32_t k) {
    return index_race(s->g, map, k, s->facts, CONFLICT_ERROR, NULL) == RACE_FREE &&
           (!s->strict || k + 1 == map->map.n ||
            index_race(s->g, map, k, s->facts, CONFLICT_ORDERED, NULL) == RACE_FREE);
}

static void vectorize(struct scheduler *s, struct node *map) {
    int best = 0;
    uint32_t at = UINT32_MAX;
    for (uint32_t k = 0; k < map->map.n; k++) {
        int64_t trip;
        struct sym size = sym_sub(s->g->syms, map->map.index[k].hi, map->map.index[k].lo);
        if (map->map.index[k].schedule != SCHED_NONE ||
            (sym_is_const(s->g->syms, size, &trip) && trip < 4))
            continue;
        int x = score(s->g, map, k);
        if (x > 0 && x >= best && may_be_last(s, map, k)) {
            best = x;
            at = k;
        }
    }
    if (at == UINT32_MAX)
        return;
    struct index x = map->map.index[at];
    for (uint32_t k = at + 1; k < map->map.n; k++)
        map->map.index[k - 1] = map->map.index[k];
    x.schedule = SCHED_VECTOR;
    x.factor = reduces_along(s->g, map, x.name) ? REDUCTION_VECTORS : 0;
    map->map.index[map->map.n - 1] = x;
    s->changed = true;
}

/* How many scalar operations N runs, if that is a number. */
static bool work(const struct graph *g, const struct region *r, int64_t *total) {
    *total = 0;
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        int64_t inner = 1, trip;
        if (n->kind == NODE_MAP || n->kind == NODE_LOOP) {
            uint32_t count = n->kind == NODE_MAP ? n->map.n : 1;
            const struct index *x = n->kind == NODE_MAP ? n->map.index : &n->loop.index;
            if (!work(g, n->kind == NODE_MAP ? &n->map.body : &n->loop.body, &inner))
                return false;
            for (uint32_t k = 0; k < count; k++)
                if (!sym_is_const(g->syms, sym_sub(g->syms, x[k].hi, x[k].lo), &trip) ||
                    __builtin_mul_overflow(inner, trip, &inner))
                    return false;
        } else if (n->kind == NODE_BRANCH) {
            int64_t other;
            if (!work(g, &n->branch.then, &inner) || !work(g, &n->branch.otherwise, &other))
                return false;
            inner += other;
        } else if (n->kind == NODE_WHILE) {
            return false; /* until it ends */
        }
        if (__builtin_add_overflow(*total, inner, total))
            return false;
    }
    return true;
}

static void parallelize(struct scheduler *s, struct node *map) {
    int64_t ops;
    struct node *one = map;
    struct region r = {{&one, 1, 1}};
    if (work(s->g, &r, &ops) && ops < SERIAL_WORK)
        return;
    for (uint32_t k = 0; k < map->map.n; k++) {
        if (map->map.index[k].schedule != SCHED_NONE ||
            index_race(s->g, map, k, s->facts, CONFLICT_ANY, NULL) != RACE_FREE)
            return;
        map->map.index[k].schedule = SCHED_PARALLEL;
        s->changed = true;
        int64_t trip;
        if (!sym_is_const(s->g->syms,
                          sym_sub(s->g->syms, map->map.index[k].hi, map->map.index[k].lo), &trip) ||
            trip >= 64)
            return;
    }
}

static void inner(struct scheduler *s, struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        uint32_t mark = sym_facts_mark(s->facts);
        if (n->kind == NODE_MAP && plain_body(n))
            vectorize(s, n);
        struct region *below[2];
        uint32_t count = node_regions(n, below);
        node_facts(s->facts, s->g->syms, n);
        for (uint32_t k = 0; k < count; k++)
            inner(s, below[k]);
        sym_facts_restore(s->facts, mark);
    }
}

static void outer(struct scheduler *s, struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        if (n->kind == NODE_MAP) {
            bool words = false;
            struct region one = {{&n, 1, 1}};
            region_walk(&one, has_words, &words);
            if (words)
                continue;
            inner(s, &one);
            parallelize(s, n);
        } else if (n->kind == NODE_LOOP) {
            uint32_t mark = sym_facts_mark(s->facts);
            index_facts(s->facts, s->g->syms, &n->loop.index);
            outer(s, &n->loop.body);
            sym_facts_restore(s->facts, mark);
        } else if (n->kind == NODE_WHILE) {
            outer(s, &n->repeat.body);
        } else if (n->kind == NODE_BRANCH) {
            outer(s, &n->branch.then);
            outer(s, &n->branch.otherwise);
        }
    }
}

bool pass_schedule(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    struct scheduler s = {.g = g, .strict = t->strict, .facts = graph_facts(scratch, g)};
    outer(&s, &g->body);
    return s.changed;
}
