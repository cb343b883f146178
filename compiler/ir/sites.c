/* Sites: where the memlets of a program stand in its text. Lowering notes them; before passes each
   memlet gets one of its own, with the maps and loops around it. Numbers follow from the graph's
   structure alone, which is that of its text. */
#include "compiler/ir/graph.h"

static const struct graph_site nowhere = {0};

uint32_t graph_add_site(struct graph *g, const struct site *where) {
    if (!g->sites.n)
        VEC_PUSH(g->arena, g->sites, nowhere);
    struct graph_site x = {.where = where};
    VEC_PUSH(g->arena, g->sites, x);
    return g->sites.n - 1;
}

struct numbering {
    struct graph *g;
    VEC(struct graph_site) sites;
};

static void number(struct numbering *k, struct node *n, struct memlet *m,
                   const struct site_level *l, bool always) {
    const struct container *c = graph_cont(k->g, m->cont);
    struct graph_site x = m->site < k->g->sites.n ? k->g->sites.at[m->site] : nowhere;
    x.span = n->span;
    x.name = c->name;
    x.always = always && m->outside == OUTSIDE_ERROR;
    if (!x.laid) {
        x.rank = m->rank;
        x.at = arena_copy(k->g->arena, m->at, m->rank * sizeof *m->at);
        x.dims = arena_copy(k->g->arena, c->dims, c->rank * sizeof *c->dims);
    }
    x.level = l;
    m->site = k->sites.n;
    VEC_PUSH(k->g->arena, k->sites, x);
}

static const struct site_level *enter(struct numbering *k, const struct site_level *outer,
                                      const struct index *x) {
    struct site_level *l = ARENA_NEW(k->g->arena, struct site_level);
    *l = (struct site_level){outer, *x};
    return l;
}

static void walk(struct numbering *k, const struct region *r, const struct site_level *l,
                 bool always) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        struct region *inner[2];
        const struct site_level *in = l;
        if (n->kind == NODE_READ)
            number(k, n, &n->read.from, l, always);
        if (n->kind == NODE_WRITE)
            number(k, n, &n->write.to, l, always);
        for (uint32_t d = 0; n->kind == NODE_MAP && d < n->map.n; d++)
            in = enter(k, in, &n->map.index[d]);
        if (n->kind == NODE_LOOP)
            in = enter(k, in, &n->loop.index);
        bool sure = always && n->kind != NODE_BRANCH && n->kind != NODE_WHILE;
        for (uint32_t d = 0, count = node_regions(n, inner); d < count; d++)
            walk(k, inner[d], in, sure);
    }
}

void graph_number_sites(struct graph *g) {
    struct numbering k = {.g = g};
    VEC_PUSH(g->arena, k.sites, nowhere);
    walk(&k, &g->body, NULL, true);
    g->sites.at = k.sites.at;
    g->sites.n = k.sites.n;
    g->sites.cap = k.sites.cap;
}
