/* Moves a container into the map whose iterations use it, each its own part, and drops the
   dimensions in which an iteration has one element; drops dimensions of size 1 elsewhere too.
   Before: a transient container declared in a region. After, if it applies: the same declaration at
   the start of the body of the one map that touches it. Sound because iterations touch disjoint
   parts (every memlet has each of the map's indices, alone, in a dimension of its own) and nothing
   outside the map sees the container: each iteration starts with the fill, as each part did.
   A size that the run must check stays where it stands, as that of a container without uses. */
#include "compiler/analysis/counts.h"
#include "compiler/analysis/facts.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/uses.h"

struct touched { /* all memlets of a container in the graph */
    VEC(struct memlet *) at;
};

struct shrink {
    struct graph *g;
    struct arena *scratch;
    struct touched *of; /* per container id, of those that were there before */
    uint32_t nof;
    struct sym_facts *facts;
    bool changed;
};

static void note_memlet(void *data, struct node *n) {
    struct shrink *s = data;
    struct memlet *m = n->kind == NODE_READ    ? &n->read.from
                       : n->kind == NODE_WRITE ? &n->write.to
                       : n->kind == NODE_WHILE ? &n->repeat.condition
                                               : NULL;
    if (m)
        VEC_PUSH(s->scratch, s->of[m->cont.i].at, m);
}

/* Which index of MAP the subscript X is, alone; -1 if it is none. */
static int alone(const struct graph *g, const struct node *map, struct sym x) {
    struct name n;
    if (!sym_is_atom(g->syms, x, &n))
        return -1;
    for (uint32_t k = 0; k < map->map.n; k++)
        if (name_eq(map->map.index[k].name, n))
            return (int)k;
    return -1;
}

static void drop(struct shrink *s, struct cont c, const bool *gone) {
    struct container *x = graph_cont(s->g, c);
    const struct touched *t = &s->of[c.i];
    uint32_t to = 0;
    for (uint32_t i = 0; i < t->at.n; i++) {
        struct memlet *m = t->at.at[i];
        m->rank = 0;
        for (uint32_t k = 0; k < x->rank; k++)
            if (!gone[k])
                m->at[m->rank++] = m->at[k];
        if (m->rank == 0) /* no guard is left */
            m->outside = OUTSIDE_ERROR;
    }
    for (uint32_t k = 0; k < x->rank; k++)
        if (!gone[k])
            x->dims[to++] = x->dims[k];
    x->rank = to;
    s->changed = true;
}

/* Dimensions of size 1 whose subscript is 0 everywhere. */
static void drop_units(struct shrink *s, struct cont c) {
    struct container *x = graph_cont(s->g, c);
    const struct touched *t = &s->of[c.i];
    bool *gone = ARENA_ARRAY(s->scratch, bool, x->rank), any = false;
    if (x->role != ROLE_TRANSIENT)
        return;
    for (uint32_t k = 0; k < x->rank; k++) {
        int64_t v;
        gone[k] = sym_is_const(s->g->syms, x->dims[k], &v) && v == 1;
        for (uint32_t i = 0; i < t->at.n && gone[k]; i++)
            gone[k] = t->at.at[i]->outside == OUTSIDE_ERROR &&
                      sym_is_const(s->g->syms, t->at.at[i]->at[k], &v) && v == 0;
        any = any || gone[k];
    }
    if (any)
        drop(s, c, gone);
}

/* All of the index is inside a dimension of that size: no guard speaks of it. One of size 0 stays:
   without it there would be an element that nothing writes. */
static bool within(const struct shrink *s, const struct index *x, struct sym size) {
    int64_t lo, hi, n;
    if (sym_is_const(s->g->syms, size, &n) && n == 0)
        return false;
    return sym_is_const(s->g->syms, x->lo, &lo) && lo >= 0 &&
           (sym_eq(x->hi, size) || (sym_is_const(s->g->syms, x->hi, &hi) &&
                                    sym_is_const(s->g->syms, size, &n) && hi <= n));
}

/* Whether C may become MAP's own; its dimensions that go then are dropped. */
static bool fits(struct shrink *s, struct cont c, const struct node *map) {
    const struct container *x = graph_cont(s->g, c);
    const struct touched *t = &s->of[c.i];
    bool *gone = ARENA_ARRAY(s->scratch, bool, x->rank);
    if (x->storage == STORE_SHARED || x->role != ROLE_TRANSIENT)
        return false; /* a block's threads share it; the caller gets it */
    for (uint32_t k = 0; k < map->map.n; k++) {
        bool found = false;
        for (uint32_t d = 0; d < x->rank && !found; d++) {
            found = t->at.n > 0 && !gone[d] && within(s, &map->map.index[k], x->dims[d]);
            for (uint32_t i = 0; i < t->at.n && found; i++)
                found = alone(s->g, map, t->at.at[i]->at[d]) == (int)k;
            gone[d] = gone[d] || found;
        }
        if (!found)
            return false;
    }
    drop(s, c, gone);
    return true;
}

/* Whether the run must check the size of X. */
static bool is_checked(struct shrink *s, const struct container *x) {
    for (uint32_t d = 0; d < x->rank; d++)
        if (!facts_size(s->facts, s->g, x->dims[d]))
            return true;
    return false;
}

/* A DECL for the size alone that DECL's container had: BEFORE, whose name it takes. */
static struct node *left_behind(struct shrink *s, const struct node *decl,
                                const struct container *before) {
    struct node *n = node_new(s->g, NODE_DECL, decl->span);
    n->decl.cont = graph_container(s->g, before->name, before->dtype, before->rank, before->dims,
                                   STORE_NONE, ROLE_TRANSIENT, before->span);
    struct container *x = graph_cont(s->g, decl->decl.cont);
    x->name = graph_fresh(s->g, x->name);
    return n;
}

static void put_first(struct shrink *s, struct node *map, struct node *decl) {
    struct region body = {0};
    region_add(s->g, &body, decl);
    for (uint32_t i = 0; i < map->map.body.nodes.n; i++)
        region_add(s->g, &body, map->map.body.nodes.at[i]);
    map->map.body = body;
}

static void shrink_region(struct shrink *s, struct region *r) {
    struct arena *a = arena_under(s->scratch);
    struct uses u;
    uses_of(&u, a, s->g, r, 0, r->nodes.n);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        const struct cont_uses *c = n->kind == NODE_DECL ? uses_find(&u, n->decl.cont) : NULL;
        struct node *user = NULL;
        uint32_t users = 0;
        for (uint32_t k = 0; c && k < c->of.n; k++)
            if (c->of.at[k].at != i) {
                user = r->nodes.at[c->of.at[k].at];
                users++;
            }
        if (users != 1 || user->kind != NODE_MAP) {
            r->nodes.at[kept++] = n;
            continue;
        }
        struct container before = *graph_cont(s->g, n->decl.cont);
        before.dims = arena_copy(s->scratch, before.dims, before.rank * sizeof *before.dims);
        if (!fits(s, n->decl.cont, user)) {
            r->nodes.at[kept++] = n; /* users stand behind their DECL: not yet moved */
            continue;
        }
        put_first(s, user, n);
        if (is_checked(s, &before))
            r->nodes.at[kept++] = left_behind(s, n, &before);
    }
    r->nodes.n = kept;
    arena_free(a);
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        uint32_t mark = sym_facts_mark(s->facts);
        if (n->kind == NODE_DECL && n->decl.cont.i < s->nof)
            drop_units(s, n->decl.cont);
        else if (n->kind == NODE_MAP) {
            for (uint32_t k = 0; k < n->map.n; k++)
                index_facts(s->facts, s->g->syms, &n->map.index[k]);
            shrink_region(s, &n->map.body);
        } else if (n->kind == NODE_LOOP) {
            index_facts(s->facts, s->g->syms, &n->loop.index);
            shrink_region(s, &n->loop.body);
        } else if (n->kind == NODE_WHILE)
            shrink_region(s, &n->repeat.body);
        else if (n->kind == NODE_BRANCH) {
            facts_add(s->facts, s->g, n->branch.condition, true);
            shrink_region(s, &n->branch.then);
            sym_facts_restore(s->facts, mark);
            facts_add(s->facts, s->g, n->branch.condition, false);
            shrink_region(s, &n->branch.otherwise);
        }
        sym_facts_restore(s->facts, mark);
    }
}

bool pass_shrink(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    (void)t;
    struct shrink s = {
        .g = g, .scratch = scratch, .nof = g->conts.n, .facts = graph_facts(scratch, g)};
    count_facts(s.facts, scratch, g);
    s.of = ARENA_ARRAY(scratch, struct touched, g->conts.n);
    region_walk(&g->body, note_memlet, &s);
    shrink_region(&s, &g->body);
    return s.changed;
}
