/* Who touches what: one walk of a region, positions kept per container. */
#include "compiler/passes/uses.h"

struct visit {
    use_visit *f;
    void *data;
};

static void visit_node(void *data, struct node *n) {
    struct visit *v = data;
    switch (n->kind) {
    case NODE_DECL:
        if (n->decl.has_fill)
            v->f(v->data, n->decl.cont, true);
        break;
    case NODE_READ: v->f(v->data, n->read.from.cont, false); break;
    case NODE_WRITE:
        if (n->write.to.resolution != RES_NONE)
            v->f(v->data, n->write.to.cont, false);
        v->f(v->data, n->write.to.cont, true);
        break;
    default: break;
    }
}

void node_uses(struct node *n, use_visit *f, void *data) {
    struct visit v = {f, data};
    struct region one = {{&n, 1, 1}};
    region_walk(&one, visit_node, &v);
}

struct collect {
    struct uses *u;
    uint32_t at;
};

static void collect(void *data, struct cont c, bool write) {
    struct collect *k = data;
    struct uses *u = k->u;
    if (u->of[c.i].n == 0 || u->of[c.i].at[u->of[c.i].n - 1].at != k->at) {
        struct use x = {.at = k->at};
        VEC_PUSH(u->arena, u->of[c.i], x);
    }
    struct use *x = &u->of[c.i].at[u->of[c.i].n - 1];
    x->read = x->read || !write;
    x->write = x->write || write;
}

void uses_of(struct uses *u, struct arena *a, struct graph *g, const struct region *r) {
    *u = (struct uses){.g = g, .arena = a, .nconts = g->conts.n};
    u->of = arena_alloc(a, sizeof *u->of * g->conts.n);
    u->decl = ARENA_ARRAY(a, uint32_t, g->conts.n);
    for (uint32_t i = 0; i < g->conts.n; i++)
        u->decl[i] = UINT32_MAX;
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct collect k = {u, i};
        if (r->nodes.at[i]->kind == NODE_DECL)
            u->decl[r->nodes.at[i]->decl.cont.i] = i;
        node_uses(r->nodes.at[i], collect, &k);
    }
}

bool uses_between(const struct uses *u, struct cont c, uint32_t from, uint32_t to,
                  uint32_t except, bool writes_only) {
    for (uint32_t i = 0; i < u->of[c.i].n; i++) {
        const struct use *x = &u->of[c.i].at[i];
        if (x->at >= from && x->at < to && x->at != except && (x->write || !writes_only))
            return true;
    }
    return false;
}

static void count(void *data, struct node *n) {
    struct use_count *c = data;
    if (n->kind == NODE_READ)
        c[n->read.from.cont.i].reads++;
    if (n->kind == NODE_WRITE)
        c[n->write.to.cont.i].writes++;
    if (n->kind == NODE_DECL && n->decl.has_fill)
        c[n->decl.cont.i].writes++;
}

struct use_count *use_counts(struct arena *a, struct graph *g) {
    struct use_count *c = ARENA_ARRAY(a, struct use_count, g->conts.n);
    region_walk(&g->body, count, c);
    return c;
}
