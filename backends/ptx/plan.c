/* What a kernel asks of the GPU: how many threads a block has, and that all that its map says can
   be done there. Block indices of a map are, from the last one on, the x, y and z of a thread; the
   block is as large as the largest of its maps. */
#include "backends/ptx/ptx.h"

#include "compiler/analysis/depend.h"

static bool plan_region(struct cg *c, const struct region *r);

bool ptx_is_block(const struct node *n, uint32_t k) {
    return n->map.index[k].schedule == SCHED_BLOCK;
}

static uint32_t blocks_from(const struct node *n, uint32_t k) {
    uint32_t count = 0;
    for (; k < n->map.n; k++)
        count += ptx_is_block(n, k);
    return count;
}

/* A constant that HI - LO does not exceed. The least of two is no more than either. */
static bool bounded(struct cg *c, struct sym hi, struct sym lo, int64_t *most) {
    int64_t other;
    bool known = sym_upper_bound(c->facts, sym_sub(c->syms, hi, lo), most);
    if (sym_kind(c->syms, hi) != SYM_MIN)
        return known;
    for (uint32_t i = 0; i < 2; i++)
        if (bounded(c, sym_operand(c->syms, hi, i), lo, &other)) {
            *most = known && *most < other ? *most : other;
            known = true;
        }
    return known;
}

/* Thread dimension P is as long as index X. */
static bool plan_block(struct cg *c, const struct node *n, const struct index *x, uint32_t p) {
    const char *name = name_text(c->g->names, x->name);
    int64_t most, step;
    if (p > 2)
        return ptx_refuse(c, n, "a map with more than three block indices");
    if (!sym_is_const(c->syms, x->step, &step) || !bounded(c, x->hi, x->lo, &most))
        return ptx_refuse(c, n, "block index %s has no constant bound on its length", name);
    most = most <= 0 ? 1 : (most + step - 1) / step;
    if (most > PTX_THREADS)
        return ptx_refuse(c, n, "block index %s is longer than %d", name, PTX_THREADS);
    if ((uint32_t)most > c->gpu->threads[p])
        c->gpu->threads[p] = (uint32_t)most;
    return true;
}

/* What stands left of a block index is run by all threads without meeting in between. */
static bool plan_outer(struct cg *c, const struct node *n, uint32_t k) {
    struct race_pair pair;
    if (!blocks_from(n, k) || n->map.unique ||
        index_race(c->g, n, k, c->facts, CONFLICT_ANY, &pair) == RACE_FREE)
        return true;
    return ptx_refuse(c, n,
                      "the threads may conflict on %s from one %s to the next: make a map or "
                      "loop of it around the block indices",
                      name_text(c->g->names, graph_cont(c->g, pair.cont)->name),
                      name_text(c->g->names, n->map.index[k].name));
}

static bool plan_index(struct cg *c, const struct node *n, uint32_t k) {
    const struct index *x = &n->map.index[k];
    const char *name = name_text(c->g->names, x->name);
    switch (x->schedule) {
    case SCHED_GRID:
        if (n != c->gpu->map || k >= c->gpu->grids)
            return ptx_refuse(c, n, "grid index %s is not among the first of a kernel's map", name);
        return true;
    case SCHED_BLOCK:
        if (c->gpu->below_block)
            return ptx_refuse(c, n, "block index %s is below those of another map", name);
        return plan_block(c, n, x, blocks_from(n, k + 1));
    case SCHED_WARP: return ptx_refuse(c, n, "warp index %s: warps are not lowered yet", name);
    default: return true;
    }
}

static bool plan_map(struct cg *c, const struct node *n) {
    uint32_t facts = sym_facts_mark(c->facts);
    bool below = c->gpu->below_block, fine = true;
    for (uint32_t k = 0; k < n->map.n && fine; k++)
        fine = ptx_is_block(n, k) || k < c->gpu->grids * (n == c->gpu->map) || plan_outer(c, n, k);
    for (uint32_t k = 0; k < n->map.n && fine; k++) {
        fine = plan_index(c, n, k);
        index_facts(c->facts, c->syms, &n->map.index[k]);
    }
    c->gpu->below_block = below || blocks_from(n, 0);
    fine = fine && plan_region(c, &n->map.body);
    c->gpu->below_block = below;
    sym_facts_restore(c->facts, facts);
    return fine;
}

static bool plan_loop(struct cg *c, const struct node *n) {
    uint32_t facts = sym_facts_mark(c->facts);
    index_facts(c->facts, c->syms, &n->loop.index);
    bool fine = plan_region(c, &n->loop.body);
    sym_facts_restore(c->facts, facts);
    return fine;
}

static bool plan_node(struct cg *c, const struct node *n) {
    switch (n->kind) {
    case NODE_DECL: c->gpu->own[n->decl.cont.i] = c->gpu->below_block; return true;
    case NODE_MAP: return plan_map(c, n);
    case NODE_LOOP: return plan_loop(c, n);
    case NODE_WHILE: return ptx_refuse(c, n, "a `while`");
    case NODE_BRANCH:
        return plan_region(c, &n->branch.then) && plan_region(c, &n->branch.otherwise);
    default: return true;
    }
}

static bool plan_region(struct cg *c, const struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++)
        if (!plan_node(c, r->nodes.at[i]))
            return false;
    return true;
}

bool ptx_plan(struct cg *c) {
    struct gpu *g = c->gpu;
    for (g->grids = 0; g->grids < g->map->map.n; g->grids++)
        if (g->map->map.index[g->grids].schedule != SCHED_GRID)
            break;
    if (!g->grids)
        return ptx_refuse(c, g->map, "a map outside of a kernel: its first index is not grid");
    if (g->grids > 3)
        return ptx_refuse(c, g->map, "a map with more than three grid indices");
    for (int p = 0; p < 3; p++)
        g->threads[p] = 1;
    if (!plan_map(c, g->map))
        return false;
    if (g->threads[0] * g->threads[1] * g->threads[2] > PTX_THREADS)
        return ptx_refuse(c, g->map, "blocks of %u x %u x %u threads: the most are %d",
                          g->threads[0], g->threads[1], g->threads[2], PTX_THREADS);
    return true;
}
