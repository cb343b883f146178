/* Copies of forward nodes for the reverse, with names and containers of their own. */
#include "compiler/ad/internal.h"

struct node *ad_copy_node(struct reverse *r, const struct node *n) {
    struct node *copy = node_new(r->g, n->kind, n->span);
    uint32_t id = copy->id;
    *copy = *n;
    copy->id = id;
    return copy;
}

/* Copies the forward nodes of a map's body, but for writes to what stands outside the copy. */
void ad_repeat(struct reverse *r, struct region *to, const struct region *from, bool *local) {
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        struct node *n = from->nodes.at[i], *copy;
        if (n->kind == NODE_DECL)
            local[n->decl.cont.i] = true;
        if (n->kind == NODE_WRITE && !local[n->write.to.cont.i])
            continue;
        copy = ad_copy_node(r, n);
        if (n->kind == NODE_MAP) {
            copy->map.body = (struct region){0};
            ad_repeat(r, &copy->map.body, &n->map.body, local);
        } else if (n->kind == NODE_LOOP) {
            copy->loop.body = (struct region){0};
            ad_repeat(r, &copy->loop.body, &n->loop.body, local);
        } else if (n->kind == NODE_BRANCH) {
            copy->branch.then = copy->branch.otherwise = (struct region){0};
            ad_repeat(r, &copy->branch.then, &n->branch.then, local);
            ad_repeat(r, &copy->branch.otherwise, &n->branch.otherwise, local);
        }
        region_add(r->g, to, copy);
    }
}

struct rename {
    struct reverse *r;
    VEC(struct name) from;
    VEC(struct sym) to;
};

static void rename_one(struct rename *s, struct name n) {
    uint64_t times;
    if (!map_get(&s->r->names, n.i, &times) || times < 2)
        return;
    for (uint32_t i = 0; i < s->from.n; i++)
        if (name_eq(s->from.at[i], n))
            return;
    VEC_PUSH(s->r->scratch, s->from, n);
    VEC_PUSH(s->r->scratch, s->to, sym_atom(s->r->g->syms, graph_fresh(s->r->g, n)));
}

static void rename_node(void *data, struct node *n) {
    struct rename *s = data;
    if (n->kind == NODE_READ)
        rename_one(s, n->read.name);
    if (n->kind == NODE_LET)
        rename_one(s, n->let.name);
    if (n->kind == NODE_LOOP)
        rename_one(s, n->loop.index.name);
    for (uint32_t k = 0; n->kind == NODE_MAP && k < n->map.n; k++)
        rename_one(s, n->map.index[k].name);
}

static void count_name(struct reverse *r, struct name n) {
    uint64_t times = 0;
    map_get(&r->names, n.i, &times);
    map_put(&r->names, n.i, times + 1);
}

void ad_count_names(void *data, struct node *n) {
    struct reverse *r = data;
    if (n->kind == NODE_READ)
        count_name(r, n->read.name);
    if (n->kind == NODE_LET)
        count_name(r, n->let.name);
    if (n->kind == NODE_LOOP)
        count_name(r, n->loop.index.name);
    for (uint32_t k = 0; n->kind == NODE_MAP && k < n->map.n; k++)
        count_name(r, n->map.index[k].name);
}

/* Gives what was declared in a copied region an identity of its own: containers, and names that
   stand for other things too, which may be in scope where the copy is. */
struct region ad_own_names(struct reverse *r, const struct region *from, const bool *local,
                           uint32_t nlocal) {
    struct cont *to = ARENA_ARRAY(r->scratch, struct cont, nlocal);
    struct rename names = {.r = r};
    bool any = false;
    region_walk(from, rename_node, &names);
    for (uint32_t i = 1; i < nlocal; i++) {
        to[i] = (struct cont){i};
        if (!local[i])
            continue;
        struct container x = r->g->conts.at[i];
        struct sym *dims = ARENA_ARRAY(r->scratch, struct sym, x.rank);
        for (uint32_t d = 0; d < x.rank; d++)
            dims[d] = sym_subst(r->g->syms, x.dims[d], names.from.n, names.from.at, names.to.at);
        to[i] = graph_container(r->g, graph_fresh(r->g, x.name), x.dtype, x.rank, dims, x.storage,
                                x.role, x.span);
        any = true;
    }
    struct subst sub = {
        .n = names.from.n, .from = names.from.at, .to = names.to.at, .conts = to, .nconts = nlocal};
    return any || sub.n ? region_clone(r->g, from, &sub) : *from;
}
