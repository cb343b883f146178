/* Moves a container into the map whose iterations use it, each its own part, and drops the
   dimensions in which an iteration has one element; drops dimensions of size 1 elsewhere too.
   Before: a transient container declared in a region. After, if it applies: the same declaration at
   the start of the body of the one map that touches it. Sound because iterations touch disjoint
   parts (every memlet has the map's index, alone, in the dropped dimension) and nothing outside
   the map sees the container: each iteration starts with the fill, as each part did. */
#include "compiler/passes/pass.h"
#include "compiler/passes/uses.h"

struct shrink {
    struct graph *g;
    struct arena *scratch;
    bool changed;
};

struct dims { /* what every memlet of a container has in common */
    struct shrink *s;
    struct cont c;
    const struct node *map;
    uint32_t rank;
    int *index; /* per dimension: the map's index that always stands there, -1 unknown, -2 none */
};

static int alone(const struct graph *g, const struct node *map, struct sym s) {
    struct name n;
    if (!sym_is_atom(g->syms, s, &n))
        return -2;
    for (uint32_t k = 0; k < map->map.n; k++)
        if (name_eq(map->map.index[k].name, n))
            return (int)k;
    return -2;
}

static struct memlet *memlet_of(struct node *n) {
    return n->kind == NODE_READ ? &n->read.from : n->kind == NODE_WRITE ? &n->write.to : NULL;
}

static void common(void *data, struct node *n) {
    struct dims *d = data;
    const struct memlet *m = memlet_of(n);
    if (!m || m->cont.i != d->c.i)
        return;
    for (uint32_t k = 0; k < d->rank; k++) {
        int i = alone(d->s->g, d->map, m->at[k]);
        d->index[k] = d->index[k] == -1 || d->index[k] == i ? i : -2;
    }
}

struct drop {
    struct cont c;
    const bool *gone;
};

static void drop_dims(void *data, struct node *n) {
    struct drop *d = data;
    struct memlet *m = memlet_of(n);
    if (!m || m->cont.i != d->c.i)
        return;
    uint32_t to = 0;
    for (uint32_t k = 0; k < m->rank; k++)
        if (!d->gone[k])
            m->at[to++] = m->at[k];
    m->rank = to;
}

static void drop_in_container(struct shrink *s, struct cont c, const bool *gone) {
    struct container *x = graph_cont(s->g, c);
    struct drop d = {c, gone};
    region_walk(&s->g->body, drop_dims, &d);
    uint32_t to = 0;
    for (uint32_t k = 0; k < x->rank; k++)
        if (!gone[k])
            x->dims[to++] = x->dims[k];
    x->rank = to;
    s->changed = true;
}

struct unit {
    struct graph *g;
    struct cont c;
    bool *gone;
};

static void unit_subscripts(void *data, struct node *n) {
    struct unit *u = data;
    const struct memlet *m = memlet_of(n);
    int64_t zero;
    if (!m || m->cont.i != u->c.i)
        return;
    for (uint32_t k = 0; k < m->rank; k++)
        u->gone[k] = u->gone[k] && m->outside == OUTSIDE_ERROR &&
                     sym_is_const(u->g->syms, m->at[k], &zero) && zero == 0;
}

/* Dimensions of size 1 whose subscript is 0 everywhere. */
static void drop_units(struct shrink *s, struct cont c) {
    struct container *x = graph_cont(s->g, c);
    bool *gone = ARENA_ARRAY(s->scratch, bool, x->rank), any = false;
    for (uint32_t k = 0; k < x->rank; k++) {
        int64_t one;
        gone[k] = sym_is_const(s->g->syms, x->dims[k], &one) && one == 1;
    }
    struct unit u = {s->g, c, gone};
    region_walk(&s->g->body, unit_subscripts, &u);
    for (uint32_t k = 0; k < x->rank; k++)
        any = any || gone[k];
    if (any)
        drop_in_container(s, c, gone);
}

/* Every memlet of C may leave it only where it cannot: guards speak of the dropped dimension. */
static void unguarded(void *data, struct node *n) {
    struct unit *u = data;
    const struct memlet *m = memlet_of(n);
    if (m && m->cont.i == u->c.i && m->outside != OUTSIDE_ERROR)
        *u->gone = false;
}

static bool into_map(struct shrink *s, struct region *r, uint32_t decl, uint32_t at) {
    struct node *d = r->nodes.at[decl], *m = r->nodes.at[at];
    struct container *x = graph_cont(s->g, d->decl.cont);
    struct dims c = {.s = s, .c = d->decl.cont, .map = m, .rank = x->rank};
    bool plain = true;
    struct unit u = {s->g, d->decl.cont, &plain};
    c.index = ARENA_ARRAY(s->scratch, int, x->rank);
    for (uint32_t k = 0; k < x->rank; k++)
        c.index[k] = -1;
    region_walk(&m->map.body, common, &c);
    region_walk(&m->map.body, unguarded, &u);
    /* Each index of the map must tell the parts apart: one dimension each. */
    bool *gone = ARENA_ARRAY(s->scratch, bool, x->rank);
    for (uint32_t k = 0; k < m->map.n; k++) {
        bool found = false;
        for (uint32_t j = 0; j < x->rank && !found; j++)
            if (c.index[j] == (int)k)
                found = gone[j] = true;
        if (!found)
            return false;
    }
    if (!plain)
        return false;
    drop_in_container(s, d->decl.cont, gone);
    struct region body = {0};
    region_add(s->g, &body, d);
    for (uint32_t i = 0; i < m->map.body.nodes.n; i++)
        region_add(s->g, &body, m->map.body.nodes.at[i]);
    m->map.body = body;
    for (uint32_t i = decl + 1; i < r->nodes.n; i++)
        r->nodes.at[i - 1] = r->nodes.at[i];
    r->nodes.n--;
    return true;
}

static void shrink_region(struct shrink *s, struct region *r) {
    struct arena *a = arena_new();
    for (bool again = true; again;) {
        struct uses u;
        uses_of(&u, a, s->g, r);
        again = false;
        for (uint32_t i = 0; i < r->nodes.n && !again; i++) {
            struct node *n = r->nodes.at[i];
            if (n->kind != NODE_DECL)
                continue;
            uint32_t c = n->decl.cont.i, users = 0, user = 0;
            for (uint32_t k = 0; k < u.of[c].n; k++)
                if (u.of[c].at[k].at != i) {
                    users++;
                    user = u.of[c].at[k].at;
                }
            again = users == 1 && r->nodes.at[user]->kind == NODE_MAP && into_map(s, r, i, user);
        }
    }
    arena_free(a);
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        if (n->kind == NODE_DECL)
            drop_units(s, n->decl.cont);
        else if (n->kind == NODE_MAP)
            shrink_region(s, &n->map.body);
        else if (n->kind == NODE_LOOP)
            shrink_region(s, &n->loop.body);
        else if (n->kind == NODE_BRANCH) {
            shrink_region(s, &n->branch.then);
            shrink_region(s, &n->branch.otherwise);
        }
    }
}

bool pass_shrink(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    (void)t;
    struct shrink s = {.g = g, .scratch = scratch};
    shrink_region(&s, &g->body);
    return s.changed;
}
