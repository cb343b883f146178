/* Where the threads of a block meet. It follows from the memlets: where all threads run the same
   code, a map over block indices is one step that they do together; before a step that touches what
   an earlier one wrote, or writes what an earlier one touched, in memory that threads share, there
   is a barrier, unless one stands in between already.
   Loops run their steps again, so what is pending at their end is pending at their start. */
#include "backends/ptx/ptx.h"

#include <string.h>

/* What was touched since the last barrier, by container id. */
struct pending {
    bool *read, *written;
};

struct meeting {
    struct cg *c;
    struct pending step; /* of the node that is looked at */
};

static struct pending pending_new(struct cg *c) {
    uint32_t n = c->g->conts.n;
    return (struct pending){ARENA_ARRAY(c->a, bool, n), ARENA_ARRAY(c->a, bool, n)};
}

static void clear(struct cg *c, struct pending *p) {
    memset(p->read, 0, c->g->conts.n * sizeof(bool));
    memset(p->written, 0, c->g->conts.n * sizeof(bool));
}

/* Adds B to A; true if that changed A. */
static bool merge(struct cg *c, struct pending *a, const struct pending *b) {
    bool changed = false;
    for (uint32_t i = 0; i < c->g->conts.n; i++) {
        changed = changed || (b->read[i] && !a->read[i]) || (b->written[i] && !a->written[i]);
        a->read[i] = a->read[i] || b->read[i];
        a->written[i] = a->written[i] || b->written[i];
    }
    return changed;
}

static bool conflict(struct cg *c, const struct pending *a, const struct pending *b) {
    for (uint32_t i = 0; i < c->g->conts.n; i++)
        if ((a->written[i] && (b->read[i] || b->written[i])) || (a->read[i] && b->written[i]))
            return true;
    return false;
}

static bool threads_share(struct cg *c, struct cont k) {
    const struct container *x = graph_cont(c->g, k);
    return !c->gpu->own[k.i] && (x->role != ROLE_TRANSIENT || x->storage == STORE_SHARED);
}

static void touch(void *data, struct node *n) {
    struct meeting *m = data;
    if (n->kind == NODE_READ && threads_share(m->c, n->read.from.cont))
        m->step.read[n->read.from.cont.i] = true;
    if (n->kind == NODE_WRITE && threads_share(m->c, n->write.to.cont)) {
        m->step.written[n->write.to.cont.i] = true;
        if (n->write.to.resolution != RES_NONE)
            m->step.read[n->write.to.cont.i] = true;
    }
    if (n->kind == NODE_DECL && n->decl.has_fill && threads_share(m->c, n->decl.cont))
        m->step.written[n->decl.cont.i] = true;
}

static void step(struct meeting *m, struct node *n, struct pending *p) {
    struct cg *c = m->c;
    struct region one = {{&n, 1, 1}};
    clear(c, &m->step);
    region_walk(&one, touch, m);
    bool *here = &c->gpu->barrier[n->id];
    *here = *here || conflict(c, p, &m->step);
    if (*here)
        clear(c, p);
    merge(c, p, &m->step);
}

static void meet_region(struct meeting *m, const struct region *r, struct pending *p);

static void meet_loop(struct meeting *m, const struct region *body, struct pending *p) {
    struct pending end = pending_new(m->c);
    do {
        clear(m->c, &end);
        merge(m->c, &end, p);
        meet_region(m, body, &end);
    } while (merge(m->c, p, &end));
}

static void meet_branch(struct meeting *m, const struct node *n, struct pending *p) {
    struct pending other = pending_new(m->c);
    merge(m->c, &other, p);
    meet_region(m, &n->branch.then, p);
    meet_region(m, &n->branch.otherwise, &other);
    merge(m->c, p, &other);
}

static bool has_block(const struct node *n) {
    for (uint32_t k = 0; k < n->map.n; k++)
        if (ptx_is_block(n, k))
            return true;
    return false;
}

static void meet_region(struct meeting *m, const struct region *r, struct pending *p) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        if (n->kind == NODE_MAP && !has_block(n))
            meet_loop(m, &n->map.body, p);
        else if (n->kind == NODE_LOOP)
            meet_loop(m, &n->loop.body, p);
        else if (n->kind == NODE_WHILE)
            meet_loop(m, &n->repeat.body, p);
        else if (n->kind == NODE_BRANCH)
            meet_branch(m, n, p);
        else
            step(m, n, p);
    }
}

/* Turns of grid indices touch different elements of what outlives them; what is declared in them is
   the same memory in each. */
static void forget_arguments(struct cg *c, struct pending *p) {
    for (uint32_t i = 1; i < c->g->conts.n; i++)
        if (c->g->conts.at[i].role != ROLE_TRANSIENT)
            p->read[i] = p->written[i] = false;
}

/* A map that has grid and block indices is one step. */
void ptx_barriers(struct cg *c) {
    const uint32_t *t = c->gpu->threads;
    struct meeting m = {c, pending_new(c)};
    struct pending p = pending_new(c), end = pending_new(c);
    if (t[0] * t[1] * t[2] == 1 || has_block(c->gpu->map))
        return;
    do {
        clear(c, &end);
        merge(c, &end, &p);
        meet_region(&m, &c->gpu->map->map.body, &end);
        forget_arguments(c, &end);
    } while (merge(c, &p, &end));
}

void ptx_before(struct cg *c, const struct node *n) {
    if (c->gpu->barrier[n->id])
        cg_intrinsic(c, "llvm.nvvm.barrier0", NULL, 0, NULL, 0);
}
