/* Adjoints of containers, and the nodes that the reverse writes. */
#include "compiler/ad/internal.h"

#include "lang/eval/site.h"

/* Where the first memlet in N stands, with the calls around; NULL if none is known. */
static const struct site *site_in(const struct graph *g, const struct node *n) {
    const struct memlet *m = n->kind == NODE_READ    ? &n->read.from
                             : n->kind == NODE_WRITE ? &n->write.to
                                                     : NULL;
    if (m)
        return m->site < g->sites.n ? g->sites.at[m->site].where : NULL;
    struct region *inner[2];
    const struct site *found = NULL;
    for (uint32_t d = 0, count = node_regions((struct node *)(uintptr_t)n, inner); d < count; d++)
        for (uint32_t i = 0; !found && i < inner[d]->nodes.n; i++)
            found = site_in(g, inner[d]->nodes.at[i]);
    return found;
}

void ad_fail(struct reverse *r, struct span at, const struct node *n, const char *what) {
    if (!r->failed) {
        struct diag *d =
            diag_error(r->d, at, ERR_NOT_HERE,
                       arena_printf(r->d->arena, "this has no derivative here: %s", what));
        const struct site *where = n ? site_in(r->g, n) : NULL;
        if (where)
            note_calls(r->d, r->g->names, d, where->calls);
    }
    r->failed = true;
}

struct name ad_fresh(struct reverse *r, const char *prefix, struct name base) {
    return graph_fresh(r->g, name_of_text(r->g->names, arena_printf(r->scratch, "%s%s", prefix,
                                                                    name_text(r->g->names, base))));
}

struct cont ad_declare(struct reverse *r, struct region *at, struct name n, enum dtype t,
                       uint32_t rank, const struct sym *dims, union scalar fill, struct span span) {
    struct cont c = graph_container(r->g, n, t, rank, dims, STORE_NONE, ROLE_TRANSIENT, span);
    struct node *decl = node_new(r->g, NODE_DECL, span);
    decl->decl.cont = c;
    decl->decl.has_fill = true;
    decl->decl.fill = fill;
    region_add(r->g, at, decl);
    return c;
}

bool ad_matters(struct reverse *r, struct cont c) {
    return c.i < r->nadjoint && r->since[c.i] <= r->now && r->now < r->until[c.i] &&
           dtype_is_float(graph_cont(r->g, c)->dtype);
}

struct cont ad_adjoint(struct reverse *r, struct region *top, struct cont c) {
    if (!r->adjoint[c.i].i) {
        struct container x = *graph_cont(r->g, c);
        r->adjoint[c.i] = ad_declare(r, top, ad_fresh(r, "d_", x.name), x.dtype, x.rank, x.dims,
                                     scalar_from_i64(x.dtype, 0), x.span);
    }
    return r->adjoint[c.i];
}

struct memlet *ad_write(struct reverse *r, struct region *to, const struct expr *v, struct cont c,
                        const struct sym *at, enum resolution res, enum outside outside,
                        struct span span) {
    struct node *w = node_new(r->g, NODE_WRITE, span);
    w->write.value = v;
    w->write.to = memlet_new(r->g, c, at);
    w->write.to.resolution = res;
    w->write.to.outside = outside;
    region_add(r->g, to, w);
    return &w->write.to;
}

const struct expr *ad_read(struct reverse *r, struct region *to, const char *prefix, struct cont c,
                           const struct memlet *m, struct span span) {
    struct node *n = node_new(r->g, NODE_READ, span);
    struct container *x = graph_cont(r->g, c);
    n->read.name = ad_fresh(r, prefix, x->name);
    n->read.from = memlet_new(r->g, c, m->at);
    n->read.from.site = m->site;
    if (m->outside != OUTSIDE_ERROR) {
        n->read.from.outside = OUTSIDE_VALUE;
        n->read.from.other = scalar_from_i64(x->dtype, 0);
    }
    region_add(r->g, to, n);
    return expr_value(r->g, x->dtype, n->read.name);
}
