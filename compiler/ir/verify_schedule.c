/* Verification of storage, schedules and races: 16 to 21 of IR.md. */
#include "compiler/analysis/depend.h"
#include "compiler/ir/verify.h"

bool check_storage(struct verifier *v, const struct container *c) {
    const char *name = verify_name(v, c->name);
    if (c->role != ROLE_TRANSIENT && c->storage != STORE_NONE)
        return broken(v, 17, "the argument %s is in %s", name, storage_names[c->storage]);
    for (uint32_t d = 0; d < c->rank; d++) {
        int64_t n;
        bool constant = sym_is_const(v->g->syms, c->dims[d], &n);
        if (constant && n < 0)
            return broken(v, 16, "dimension %u of %s is negative", d, name);
        if (!constant && c->storage == STORE_REGISTER)
            return broken(v, 16, "%s is in registers and dimension %u is no constant", name, d);
    }
    if (c->storage != STORE_SHARED)
        return true;
    for (uint32_t i = 0; i < v->indices.n; i++)
        if (v->indices.at[i]->schedule == SCHED_GRID)
            return true;
    return broken(v, 19, "%s is shared outside of a grid", name);
}

/* --- registers of the threads of a block --- */

void begin_owner(struct verifier *v, struct cont c) {
    struct cont_state *s = &v->conts[c.i];
    bool grid = false, block = false;
    for (uint32_t i = 0; i < v->indices.n; i++) {
        enum schedule w = v->indices.at[i]->schedule;
        grid = grid || w == SCHED_GRID;
        block = block || w == SCHED_BLOCK || w == SCHED_WARP;
    }
    s->in_threads = grid && !block && graph_cont(v->g, c)->storage == STORE_REGISTER;
    s->around = v->indices.n;
}

bool check_owner(struct verifier *v, const struct memlet *m, bool write) {
    struct cont_state *s = &v->conts[m->cont.i];
    struct owner o;
    if (!s->in_threads)
        return true;
    bool fits = memlet_owner(v->g, m, v->indices.at + s->around, v->indices.n - s->around, &o);
    if (!fits || o.n == 0 || (s->owned && !owner_equal(&s->owner, &o))) {
        s->whole = true;
    } else {
        s->owned = true;
        s->owner = o;
    }
    s->written_below = s->written_below || (write && o.n > 0);
    if (s->whole && s->written_below)
        return broken(v, 19, "elements of %s, in registers, have no one thread that owns them",
                      verify_name(v, graph_cont(v->g, m->cont)->name));
    return true;
}

bool check_index_words(struct verifier *v, const struct node *n, const struct index *x) {
    const char *name = verify_name(v, x->name);
    if (x->schedule >= SCHED_COUNT)
        return broken(v, 1, "a schedule of no kind on %s", name);
    if (n->kind == NODE_LOOP && x->schedule != SCHED_NONE && x->schedule != SCHED_UNROLL)
        return broken(v, 18, "the loop over %s is %s", name, schedule_names[x->schedule]);
    if (x->factor && x->schedule != SCHED_UNROLL && x->schedule != SCHED_VECTOR)
        return broken(v, 18, "a factor without unroll or vector on %s", name);
    return true;
}

/* Whether an index of schedule S stands before the K-th index of N, in N or around. */
static bool below(const struct verifier *v, enum schedule s, const struct node *n, uint32_t k) {
    for (uint32_t i = 0; i < v->indices.n; i++)
        if (v->indices.at[i]->schedule == s)
            return true;
    for (uint32_t i = 0; i < k; i++)
        if (n->map.index[i].schedule == s)
            return true;
    return false;
}

/* Called before the indices of N are around. */
bool check_map_words(struct verifier *v, const struct node *n) {
    bool in_parallel = false;
    for (uint32_t i = 0; i < v->indices.n; i++)
        in_parallel |= v->indices.at[i]->schedule == SCHED_PARALLEL;
    for (uint32_t k = 0; k < n->map.n; k++) {
        enum schedule s = n->map.index[k].schedule;
        const char *name = verify_name(v, n->map.index[k].name);
        if (s == SCHED_VECTOR && k + 1 < n->map.n)
            return broken(v, 18, "%s is vector and not the last of its map", name);
        if ((s == SCHED_VECTOR || s == SCHED_PARALLEL) && below(v, SCHED_VECTOR, n, k))
            return broken(v, 18, "%s is %s below a vector index", name, schedule_names[s]);
        if (s == SCHED_PARALLEL && in_parallel)
            return broken(v, 18, "%s is parallel below a parallel map", name);
        if (s == SCHED_GRID && (below(v, SCHED_BLOCK, n, k) || below(v, SCHED_WARP, n, k) ||
                                below(v, SCHED_PARALLEL, n, k) || in_parallel))
            return broken(v, 19, "%s is grid below a block, warp or parallel index", name);
        if ((s == SCHED_BLOCK || s == SCHED_WARP) && !below(v, SCHED_GRID, n, k))
            return broken(v, 19, "%s is %s outside of a grid", name, schedule_names[s]);
    }
    return true;
}

/* Whether running the iterations of an index at the same time needs them to be independent. */
static bool at_once(enum schedule s) {
    return s == SCHED_PARALLEL || s == SCHED_GRID || s == SCHED_BLOCK || s == SCHED_WARP;
}

/* Called when the indices of N are not yet known facts. */
bool check_races(struct verifier *v, const struct node *n) {
    struct race_pair p;
    if (node_race(v->g, n, v->facts, CONFLICT_ERROR, &p) == RACE_CERTAIN)
        return broken(v, 21, "iterations of the map over %s conflict on %s",
                      verify_name(v, n->map.index[p.index].name),
                      verify_name(v, graph_cont(v->g, p.cont)->name));
    for (uint32_t k = 0; k < n->map.n; k++) {
        enum schedule s = n->map.index[k].schedule;
        if (!at_once(s) && s != SCHED_VECTOR)
            continue;
        bool ordered =
            !n->map.unique && index_race(v->g, n, k, v->facts, CONFLICT_ERROR, &p) != RACE_FREE;
        bool resolved = at_once(s) && !ordered &&
                        index_race(v->g, n, k, v->facts, CONFLICT_RESOLVED, &p) != RACE_FREE;
        if (ordered || resolved)
            return broken(v, 20, "%s is %s and its iterations may conflict on %s",
                          verify_name(v, n->map.index[k].name), schedule_names[s],
                          verify_name(v, graph_cont(v->g, p.cont)->name));
    }
    return true;
}
