/* Fuses two maps that stand one after the other over indices that they share: what is common runs
   once around both, the rest of each stays a map of its own inside. So a reduction, what uses it,
   and what normalizes by it walk a row together.

   Two indices may be shared if they have the same range and there is a container in which both
   subscript the same dimension, alone. Sound if no iteration of the shared indices depends on
   another (index_race on the fused map is proved free), in a strict program not even in a sum;
   within an iteration program order stays.
   What stands between the two (declarations without memlets of either) moves in front. */
#include "compiler/analysis/depend.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/uses.h"

/* Memlets of two maps that may fuse, together: a bound on the work of each step, so that a long
   program takes time in proportion to its length, and on the registers that one body needs. */
#define MOST_MEMLETS 64

struct outer {
    struct graph *g;
    struct arena *scratch;
    struct sym_facts *facts;
    bool strict;
    bool changed;
};

static bool same_range(const struct index *x, const struct index *y) {
    return sym_eq(x->lo, y->lo) && sym_eq(x->hi, y->hi) && sym_eq(x->step, y->step);
}

static int alone(const struct graph *g, const struct node *map, struct sym s) {
    struct name n;
    if (!sym_is_atom(g->syms, s, &n))
        return -1;
    for (uint32_t k = 0; k < map->map.n; k++)
        if (name_eq(map->map.index[k].name, n))
            return (int)k;
    return -1;
}

struct memlets {
    struct arena *arena;
    VEC(const struct memlet *) at;
};

static void collect(void *data, struct node *n) {
    struct memlets *m = data;
    if (n->kind == NODE_READ)
        VEC_PUSH(m->arena, m->at, &n->read.from);
    if (n->kind == NODE_WRITE)
        VEC_PUSH(m->arena, m->at, &n->write.to);
}

static struct memlets memlets_of(struct outer *o, struct node *n) {
    struct memlets m = {.arena = o->scratch};
    struct region one = {{&n, 1, 1}};
    region_walk(&one, collect, &m);
    return m;
}

/* Pairs indices by the containers that both touch. */
static uint32_t pair_indices(struct outer *o, struct node *a, struct node *b, int *match) {
    struct memlets x = memlets_of(o, a), y = memlets_of(o, b);
    uint32_t found = 0;
    if (x.at.n + y.at.n > MOST_MEMLETS)
        return 0;
    for (uint32_t k = 0; k < b->map.n; k++)
        match[k] = -1;
    for (uint32_t i = 0; i < x.at.n; i++)
        for (uint32_t j = 0; j < y.at.n; j++) {
            const struct memlet *p = x.at.at[i], *q = y.at.at[j];
            if (p->cont.i != q->cont.i)
                continue;
            for (uint32_t d = 0; d < p->rank; d++) {
                int ka = alone(o->g, a, p->at[d]), kb = alone(o->g, b, q->at[d]);
                if (ka < 0 || kb < 0 || match[kb] >= 0 ||
                    !same_range(&a->map.index[ka], &b->map.index[kb]))
                    continue;
                bool taken = false;
                for (uint32_t k = 0; k < b->map.n; k++)
                    taken = taken || match[k] == ka;
                if (taken)
                    continue;
                match[kb] = ka;
                found++;
            }
        }
    return found;
}

/* A map over the indices of FROM that are not shared, or its plain body if none is left. */
static void add_rest(struct outer *o, struct region *to, const struct node *from,
                     const bool *shared, const struct subst *sub) {
    struct region body = region_clone(o->g, &from->map.body, sub);
    uint32_t left = 0;
    for (uint32_t k = 0; k < from->map.n; k++)
        left += !shared[k];
    if (left == 0) {
        for (uint32_t i = 0; i < body.nodes.n; i++)
            region_add(o->g, to, body.nodes.at[i]);
        return;
    }
    struct node *m = node_new(o->g, NODE_MAP, from->span);
    m->map.unique = from->map.unique;
    m->map.index = ARENA_ARRAY(o->g->arena, struct index, left);
    for (uint32_t k = 0; k < from->map.n; k++)
        if (!shared[k])
            m->map.index[m->map.n++] = from->map.index[k];
    m->map.body = body;
    region_add(o->g, to, m);
}

struct renames { /* names of B that may not stand below A's */
    struct outer *o;
    struct map taken; /* name.i -> 1 */
    VEC(struct name) from;
    VEC(struct sym) to;
};

static void rename_to(struct renames *x, struct name from, struct sym to) {
    VEC_PUSH(x->o->scratch, x->from, from);
    VEC_PUSH(x->o->scratch, x->to, to);
}

/* A fresh name for N if it is taken, and the same one wherever N is defined again. */
static void rename_taken(struct renames *x, struct name n) {
    bool known = !map_get(&x->taken, n.i, NULL);
    for (uint32_t i = 0; i < x->from.n && !known; i++)
        known = name_eq(x->from.at[i], n);
    if (!known)
        rename_to(x, n, sym_atom(x->o->g->syms, graph_fresh(x->o->g, n)));
}

static void rename_defined(void *data, struct node *n) {
    struct renames *x = data;
    if (n->kind == NODE_READ)
        rename_taken(x, n->read.name);
    if (n->kind == NODE_LET)
        rename_taken(x, n->let.name);
    if (n->kind == NODE_LOOP)
        rename_taken(x, n->loop.index.name);
    for (uint32_t k = 0; n->kind == NODE_MAP && k < n->map.n; k++)
        rename_taken(x, n->map.index[k].name);
}

/* The names that a region's top defines: what comes to stand beside or below it has others. */
static void take_values(struct renames *x, const struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        if (n->kind == NODE_READ)
            map_put(&x->taken, n->read.name.i, 1);
        if (n->kind == NODE_LET)
            map_put(&x->taken, n->let.name.i, 1);
    }
}

/* The fused map for the pairing MATCH; indices keep A's order and names. */
static struct node *fused(struct outer *o, const struct node *a, const struct node *b,
                          const int *match) {
    struct graph *g = o->g;
    bool *in_a = ARENA_ARRAY(o->scratch, bool, a->map.n);
    bool *in_b = ARENA_ARRAY(o->scratch, bool, b->map.n);
    struct node *m = node_new(g, NODE_MAP, a->span);
    m->map.unique = a->map.unique && b->map.unique;
    m->map.index = ARENA_ARRAY(g->arena, struct index, b->map.n);
    struct renames names = {.o = o, .taken = map_new(o->scratch)};
    for (uint32_t k = 0; k < b->map.n; k++)
        if (match[k] >= 0) {
            in_b[k] = in_a[match[k]] = true;
            rename_to(&names, b->map.index[k].name, sym_atom(g->syms, a->map.index[match[k]].name));
        }
    for (uint32_t k = 0; k < a->map.n; k++)
        if (in_a[k]) {
            m->map.index[m->map.n++] = a->map.index[k];
            map_put(&names.taken, a->map.index[k].name.i, 1);
        }
    struct subst none = {0};
    add_rest(o, &m->map.body, a, in_a, &none);
    take_values(&names, &m->map.body);
    if (m->map.n == b->map.n) /* B's values come to stand beside A's */
        take_values(&names, &b->map.body);
    struct node *rest = ARENA_NEW(o->scratch, struct node);
    *rest = *b;
    struct region all = {{&rest, 1, 1}};
    region_walk(&all, rename_defined, &names);
    struct subst sub = {.n = names.from.n, .from = names.from.at, .to = names.to.at};
    rest->map.index = arena_copy(o->scratch, b->map.index, b->map.n * sizeof(struct index));
    for (uint32_t k = 0; k < b->map.n; k++)
        for (uint32_t j = 0; j < sub.n; j++)
            if (!in_b[k] && name_eq(sub.from[j], b->map.index[k].name))
                sym_is_atom(g->syms, sub.to[j], &rest->map.index[k].name);
    add_rest(o, &m->map.body, rest, in_b, &sub);
    return m;
}

/* A schedule word says that its map is to run as it stands. */
static bool has_words(const struct node *m) {
    for (uint32_t k = 0; k < m->map.n; k++)
        if (m->map.index[k].schedule != SCHED_NONE)
            return true;
    return false;
}

/* Which nodes between the two must stay before both: only DECLs may stand there. */
static bool only_decls(const struct region *r, uint32_t from, uint32_t to) {
    for (uint32_t i = from + 1; i < to; i++)
        if (r->nodes.at[i]->kind != NODE_DECL)
            return false;
    return true;
}

static bool free_of_races(struct outer *o, const struct node *m) {
    for (uint32_t k = 0; k < m->map.n; k++)
        if (index_race(o->g, m, k, o->facts, CONFLICT_ERROR, NULL) != RACE_FREE ||
            (o->strict && index_race(o->g, m, k, o->facts, CONFLICT_ORDERED, NULL) != RACE_FREE))
            return false;
    return true;
}

/* A copy renames in the sizes of what it declares (region_clone); one that is not taken leaves them
   as they were. */
struct sizes {
    struct outer *o;
    VEC(struct cont) of;
    VEC(struct sym *) dims;
};

static void note_sizes(void *data, struct node *n) {
    struct sizes *s = data;
    if (n->kind != NODE_DECL)
        return;
    VEC_PUSH(s->o->scratch, s->of, n->decl.cont);
    VEC_PUSH(s->o->scratch, s->dims, graph_cont(s->o->g, n->decl.cont)->dims);
}

static void restore_sizes(const struct sizes *s) {
    for (uint32_t i = 0; i < s->of.n; i++)
        graph_cont(s->o->g, s->of.at[i])->dims = s->dims.at[i];
}

static bool try_fuse(struct outer *o, struct region *r, uint32_t at, uint32_t next) {
    struct node *a = r->nodes.at[at], *b = r->nodes.at[next];
    if (has_words(a) || has_words(b))
        return false;
    int *match = ARENA_ARRAY(o->scratch, int, b->map.n);
    uint32_t pairs = pair_indices(o, a, b, match);
    struct sizes sizes = {.o = o};
    region_walk(&a->map.body, note_sizes, &sizes);
    region_walk(&b->map.body, note_sizes, &sizes);
    /* Fewer shared indices, from the innermost, until the fused map is proved free. */
    while (pairs > 0) {
        struct node *m = fused(o, a, b, match);
        if (free_of_races(o, m)) {
            for (uint32_t k = at + 1; k < next; k++) /* what is between moves in front */
                r->nodes.at[k - 1] = r->nodes.at[k];
            r->nodes.at[next - 1] = m;
            for (uint32_t k = next + 1; k < r->nodes.n; k++)
                r->nodes.at[k - 1] = r->nodes.at[k];
            r->nodes.n--;
            o->changed = true;
            return true;
        }
        restore_sizes(&sizes);
        for (uint32_t k = b->map.n; k-- > 0;)
            if (match[k] >= 0) {
                match[k] = -1;
                pairs--;
                break;
            }
    }
    return false;
}

static void fuse_region(struct outer *o, struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        bool again = r->nodes.at[i]->kind == NODE_MAP;
        while (again) {
            uint32_t next = i + 1;
            while (next < r->nodes.n && r->nodes.at[next]->kind == NODE_DECL)
                next++;
            again = next < r->nodes.n && r->nodes.at[next]->kind == NODE_MAP &&
                    only_decls(r, i, next) && try_fuse(o, r, i, next);
            if (again)
                i = next - 1; /* the DECLs stand in front of the fused map now */
        }
    }
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        uint32_t mark = sym_facts_mark(o->facts);
        struct region *inner[2];
        uint32_t count = node_regions(n, inner);
        node_facts(o->facts, o->g->syms, n);
        for (uint32_t k = 0; k < count; k++)
            fuse_region(o, inner[k]);
        sym_facts_restore(o->facts, mark);
    }
}

bool pass_fuse_outer(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    struct outer o = {
        .g = g, .scratch = scratch, .strict = t->strict, .facts = graph_facts(scratch, g)};
    fuse_region(&o, &g->body);
    return o.changed;
}
