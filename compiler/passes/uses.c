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
    case NODE_WHILE: v->f(v->data, n->repeat.condition.cont, false); break;
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

static struct cont_uses *entry(struct uses *u, struct cont c) {
    uint64_t at;
    if (!map_get(&u->index, c.i, &at)) {
        struct cont_uses x = {.cont = c, .decl = UINT32_MAX};
        map_put(&u->index, c.i, at = u->conts.n);
        VEC_PUSH(u->arena, u->conts, x);
    }
    return &u->conts.at[at];
}

static void collect(void *data, struct cont c, bool write) {
    struct collect *k = data;
    struct cont_uses *e = entry(k->u, c);
    if (e->of.n == 0 || e->of.at[e->of.n - 1].at != k->at) {
        struct use x = {.at = k->at};
        VEC_PUSH(k->u->arena, e->of, x);
    }
    struct use *x = &e->of.at[e->of.n - 1];
    x->read = x->read || !write;
    x->write = x->write || write;
}

void uses_of(struct uses *u, struct arena *a, struct graph *g, const struct region *r,
             uint32_t from, uint32_t to) {
    *u = (struct uses){.g = g, .arena = a, .index = map_new(a)};
    for (uint32_t i = from; i < r->nodes.n && i < to; i++) {
        struct collect k = {u, i};
        if (r->nodes.at[i]->kind == NODE_DECL)
            entry(u, r->nodes.at[i]->decl.cont)->decl = i;
        node_uses(r->nodes.at[i], collect, &k);
    }
}

const struct cont_uses *uses_find(const struct uses *u, struct cont c) {
    uint64_t at;
    return map_get(&u->index, c.i, &at) ? &u->conts.at[at] : NULL;
}

uint32_t uses_decl(const struct uses *u, struct cont c) {
    const struct cont_uses *e = uses_find(u, c);
    return e ? e->decl : UINT32_MAX;
}

bool uses_between(const struct uses *u, struct cont c, uint32_t from, uint32_t to, uint32_t except,
                  bool writes_only) {
    const struct cont_uses *e = uses_find(u, c);
    for (uint32_t i = 0; e && i < e->of.n; i++) {
        const struct use *x = &e->of.at[i];
        if (x->at >= from && x->at < to && x->at != except && (x->write || !writes_only))
            return true;
    }
    return false;
}

static void count(void *data, struct node *n) {
    struct use_count *c = data;
    if (n->kind == NODE_READ)
        c[n->read.from.cont.i].reads++;
    if (n->kind == NODE_WHILE)
        c[n->repeat.condition.cont.i].reads++;
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
