/* Register containers that are distributed over threads (IR.md, 19), seen from one thread.
   Before: a graph that verifies. After: a copy in which the dimensions whose subscripts are the
   numbers of the thread are gone from such a container and from its memlets. So the general
   lowering sees a small array of the thread's own. */
#include "backends/ptx/ptx.h"

#include "compiler/analysis/owner.h"

struct split { /* by container id */
    bool declared, written_below;
    uint32_t around;
    struct owner owner;
};

struct threads {
    struct cg *c;
    struct graph *g;
    struct split *of;
    VEC(const struct index *) around;
    bool cut; /* the second walk: memlets are changed */
};

static void walk(struct threads *t, struct region *r);

static bool below_block(const struct threads *t, uint32_t from) {
    for (uint32_t i = from; i < t->around.n; i++)
        if (t->around.at[i]->schedule == SCHED_BLOCK || t->around.at[i]->schedule == SCHED_WARP)
            return true;
    return false;
}

static bool memlet_of(struct threads *t, const struct node *n, const struct memlet *m, bool write,
                      struct owner *o, bool *fits) {
    struct split *s = &t->of[m->cont.i];
    (void)n;
    (void)write;
    if (!s->declared)
        return false;
    *fits = memlet_owner(t->g, m, t->around.at + s->around, t->around.n - s->around, o);
    return true;
}

/* The first walk: what is written below block indices that it is declared outside of. */
static void look(struct threads *t, const struct node *n, const struct memlet *m, bool write) {
    struct split *s = &t->of[m->cont.i];
    struct owner o;
    bool fits;
    if (!memlet_of(t, n, m, write, &o, &fits) || !write || o.n == 0)
        return;
    const struct container *k = graph_cont(t->g, m->cont);
    if (k->storage != STORE_REGISTER)
        ptx_refuse(t->c, n,
                   "%s is written by the threads of a block: it must be in shared or in "
                   "register",
                   name_text(t->g->names, k->name));
    else if (!fits)
        ptx_refuse(t->c, n, "an element of %s, in registers, has no one thread that owns it",
                   name_text(t->g->names, k->name));
    s->written_below = true;
    s->owner = o;
}

static bool owned_dim(const struct owner *o, uint32_t d) {
    for (uint32_t i = 0; i < o->n; i++)
        if (o->dim[i] == d)
            return true;
    return false;
}

/* The second walk. */
static void cut(struct threads *t, const struct node *n, struct memlet *m, bool write) {
    struct split *s = &t->of[m->cont.i];
    struct owner o;
    bool fits;
    if (!memlet_of(t, n, m, write, &o, &fits) || !s->written_below)
        return;
    const struct container *k = graph_cont(t->g, m->cont);
    const char *name = name_text(t->g->names, k->name);
    if (!fits || !owner_equal(&o, &s->owner)) {
        ptx_refuse(t->c, n, "an element of %s, in registers, has no one thread that owns it", name);
        return;
    }
    uint32_t rank = 0;
    for (uint32_t d = 0; d < m->rank; d++) {
        if (!owned_dim(&o, d))
            m->at[rank++] = m->at[d];
        else if (!sym_prove_lt(t->c->facts, m->at[d], k->dims[d]))
            ptx_refuse(t->c, n, "%s has no element for some threads in dimension %u", name, d);
    }
    m->rank = rank;
    if (!rank) /* `else` is for containers with dimensions */
        m->outside = OUTSIDE_ERROR;
}

static void visit(struct threads *t, const struct node *n, struct memlet *m, bool write) {
    if (t->cut)
        cut(t, n, m, write);
    else
        look(t, n, m, write);
}

static void walk_map(struct threads *t, struct node *n) {
    uint32_t mark = t->around.n, facts = sym_facts_mark(t->c->facts);
    for (uint32_t k = 0; k < n->map.n; k++) {
        VEC_PUSH(t->c->a, t->around, &n->map.index[k]);
        index_facts(t->c->facts, t->g->syms, &n->map.index[k]);
    }
    walk(t, &n->map.body);
    sym_facts_restore(t->c->facts, facts);
    t->around.n = mark;
}

static void walk_node(struct threads *t, struct node *n) {
    switch (n->kind) {
    case NODE_DECL:
        t->of[n->decl.cont.i].declared = !below_block(t, 0);
        t->of[n->decl.cont.i].around = t->around.n;
        if (graph_cont(t->g, n->decl.cont)->storage == STORE_SHARED)
            t->of[n->decl.cont.i].declared = false;
        break;
    case NODE_READ: visit(t, n, &n->read.from, false); break;
    case NODE_WRITE: visit(t, n, &n->write.to, true); break;
    case NODE_MAP: walk_map(t, n); break;
    case NODE_LOOP: walk(t, &n->loop.body); break;
    case NODE_WHILE: walk(t, &n->repeat.body); break;
    case NODE_BRANCH:
        walk(t, &n->branch.then);
        walk(t, &n->branch.otherwise);
        break;
    default: break;
    }
}

static void walk(struct threads *t, struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n && !t->c->failed; i++)
        walk_node(t, r->nodes.at[i]);
}

static void cut_container(struct container *k, const struct owner *o) {
    uint32_t rank = 0;
    for (uint32_t d = 0; d < k->rank; d++)
        if (!owned_dim(o, d))
            k->dims[rank++] = k->dims[d];
    k->rank = rank;
}

struct graph *ptx_per_thread(struct cg *c) {
    struct graph *g = graph_clone(c->a, c->g);
    struct threads t = {.c = c, .g = g, .of = ARENA_ARRAY(c->a, struct split, g->conts.n)};
    walk(&t, &g->body);
    t.cut = true;
    walk(&t, &g->body);
    for (uint32_t i = 1; i < g->conts.n; i++)
        if (t.of[i].written_below)
            cut_container(&g->conts.at[i], &t.of[i].owner);
    return c->failed ? NULL : g;
}
