/* What depends on what: from which node of the body on a container depends on what is
   differentiated by, and up to which one the loss depends on it. */
#include "compiler/ad/internal.h"

struct writes {
    struct reverse *r;
    bool active;
};

static void note_active_write(void *data, struct node *n) {
    struct writes *w = data;
    if (n->kind == NODE_WRITE && ad_matters(w->r, n->write.to.cont))
        w->active = true;
}

bool ad_writes(struct reverse *r, struct node *n) {
    struct writes w = {r, false};
    struct region one = {{&n, 1, 1}};
    region_walk(&one, note_active_write, &w);
    return w.active;
}

bool ad_call_matters(struct reverse *r, const struct ad_call *c) {
    bool matters = false;
    r->now = c->last;
    for (uint32_t k = 0; k < c->nout; k++)
        matters = matters || ad_matters(r, c->out[k]);
    return matters;
}

enum { ACTIVE = 1, STALE = 2, NEEDED = 4 };

/* Both walks go by nodes of the body, so that `since` and `until` tell the values that a container
   has one after the other apart. */
struct flow {
    struct reverse *r;
    struct map values; /* of a name: ACTIVE, STALE, NEEDED */
    const bool *wrt;
    bool *stale; /* depends on what is differentiated by before it is written for the last time */
    bool changed;
};

static uint64_t bits(const struct flow *f, struct name n) {
    uint64_t v = 0;
    map_get(&f->values, n.i, &v);
    return v;
}

static uint64_t expr_bits(const struct flow *f, const struct expr *e) {
    uint64_t v = e->kind == EXPR_VALUE ? bits(f, e->value) : 0;
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        v |= expr_bits(f, e->args[i]);
    return v;
}

static void flow_forward(void *data, struct node *n) {
    struct flow *f = data;
    struct reverse *r = f->r;
    uint64_t v;
    uint32_t c;
    if (n->kind == NODE_READ) {
        c = n->read.from.cont.i;
        bool is_active = r->since[c] <= r->now, is_stale = f->stale[c] || (f->wrt[c] && !is_active);
        map_put(&f->values, n->read.name.i, (is_active ? ACTIVE : 0) | (is_stale ? STALE : 0));
    } else if (n->kind == NODE_LET) {
        map_put(&f->values, n->let.name.i, expr_bits(f, n->let.value));
    } else if (n->kind == NODE_WRITE) {
        c = n->write.to.cont.i;
        v = expr_bits(f, n->write.value);
        if ((v & ACTIVE) && f->wrt[c] && r->since[c] > r->now)
            ad_fail(r, n->span, n,
                    "what it is taken over depends on something else it is taken over");
        if ((v & ACTIVE) && r->since[c] > r->now) {
            r->since[c] = r->now;
            f->changed = true;
        }
        if ((v & STALE) && !f->wrt[c] && !f->stale[c])
            f->changed = f->stale[c] = true;
    }
}

static void need(struct flow *f, const struct expr *e) {
    if (e->kind == EXPR_VALUE && !(bits(f, e->value) & NEEDED)) {
        map_put(&f->values, e->value.i, bits(f, e->value) | NEEDED);
        f->changed = true;
    }
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        need(f, e->args[i]);
}

/* Notes which values of E reach the loss through a `select` only: all if it does, or below one. */
static void guard(struct flow *f, const struct expr *e, bool on) {
    if (e->kind == EXPR_VALUE && on && !map_get(&f->r->guards, e->value.i, NULL)) {
        map_put(&f->r->guards, e->value.i, 1);
        f->changed = true;
    }
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        guard(f, e->args[i], on || derivative_chooses(e));
}

/* In a branch, which may not run: all that it uses. */
static void guard_used(void *data, struct node *n) {
    struct flow *f = data;
    if (n->kind == NODE_WRITE)
        guard(f, n->write.value, true);
    if (n->kind == NODE_LET)
        guard(f, n->let.value, true);
}

static void flow_guards(struct flow *f, struct node *n) {
    struct reverse *r = f->r;
    if (n->kind == NODE_BRANCH) {
        region_walk(&n->branch.then, guard_used, f);
        region_walk(&n->branch.otherwise, guard_used, f);
    }
    if (n->kind == NODE_WRITE)
        guard(f, n->write.value, r->guarded[n->write.to.cont.i]);
    if (n->kind == NODE_LET)
        guard(f, n->let.value, map_get(&r->guards, n->let.name.i, NULL));
    if (n->kind == NODE_READ && map_get(&r->guards, n->read.name.i, NULL) &&
        !r->guarded[n->read.from.cont.i])
        f->changed = r->guarded[n->read.from.cont.i] = true;
}

static void flow_backward(void *data, struct node *n) {
    struct flow *f = data;
    struct reverse *r = f->r;
    flow_guards(f, n);
    if (n->kind == NODE_WRITE && r->until[n->write.to.cont.i] > r->now)
        need(f, n->write.value);
    if (n->kind == NODE_LET && (bits(f, n->let.name) & NEEDED))
        need(f, n->let.value);
    if (n->kind == NODE_READ && (bits(f, n->read.name) & NEEDED) &&
        r->until[n->read.from.cont.i] <= r->now) {
        r->until[n->read.from.cont.i] = r->now + 1;
        f->changed = true;
    }
}

static void flow_node(struct flow *f, struct node *n, void (*step)(void *, struct node *)) {
    struct region one = {{&n, 1, 1}};
    do {
        f->changed = false;
        region_walk(&one, step, f);
    } while (f->changed && !f->r->failed);
}

void count_writer(void *data, struct node *n) {
    struct reverse *r = data;
    if (n->kind == NODE_WRITE)
        r->writers[n->write.to.cont.i]++;
}

static void note_last(void *data, struct node *n) {
    struct reverse *r = data;
    if (n->kind == NODE_WRITE && r->since[n->write.to.cont.i] != UINT32_MAX)
        r->since[n->write.to.cont.i] = r->now + 1;
}

void ad_find_flow(struct reverse *r, struct cont loss, uint32_t n, const struct cont *wrt) {
    struct region *body = &r->g->body;
    bool *by = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
    struct flow f = {.r = r, .values = map_new(r->scratch), .wrt = by};
    f.stale = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
    region_walk(body, count_writer, r);
    for (uint32_t i = 0; i < r->nadjoint; i++)
        r->since[i] = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        by[wrt[i].i] = true;
        r->since[wrt[i].i] = 0;
    }
    for (r->now = 0; r->now < body->nodes.n; r->now++) {
        struct region one = {{&body->nodes.at[r->now], 1, 1}};
        region_walk(&one, note_last, r);
    }
    for (r->now = 0; r->now < body->nodes.n && !r->failed; r->now++)
        flow_node(&f, body->nodes.at[r->now], flow_forward);
    if (f.stale[loss.i])
        ad_fail(r, graph_cont(r->g, loss)->span, NULL,
                "the value depends on what it is taken over as it was before it was overwritten");
    f.values = map_new(r->scratch);
    r->until[loss.i] = UINT32_MAX;
    for (r->now = body->nodes.n; r->now-- > 0 && !r->failed;)
        flow_node(&f, body->nodes.at[r->now], flow_backward);
}
