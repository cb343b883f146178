/* The reverse of a region. Forward nodes stand and have run; what follows walks them backwards.
   Each float container X on the way gets an adjoint dX, zero at first; a write `e >> X[s]` reads
   dX[s] and hands it to e; a read `v << X[s]` adds v's adjoint to dX[s].

   Before: containers are written once, or resolved after a fill; what is read is not overwritten
   later (checked). Inside a map the forward body is repeated for the values that the derivatives
   need, without its writes to what stands outside; `dead` removes what was not needed.

   Values. An adjoint of a value is an expression as long as the value is used in its own region.
   Used in a nested map it is a sum over iterations, and so a container (struct value_adjoint). */
#include "compiler/ad/ad.h"

#include "lang/base/map.h"

struct value_adjoint {
    struct name value;
    const struct expr *sum; /* contributions of its own region, or NULL */
    struct cont inner;      /* contributions of nested regions, or none */
    enum dtype dtype;
};

struct level { /* a region that is being reversed */
    struct level *out;
    struct region *to;
    struct region *top; /* declarations go here */
    VEC(struct value_adjoint) values;
    VEC(struct index) around; /* indices of the map at this level */
};

struct reverse {
    struct graph *g;
    struct arena *scratch;
    struct diags *d;
    uint32_t nadjoint;
    struct cont *adjoint; /* per container id that existed before */
    bool *active;         /* the loss may depend on it through what is differentiated */
    uint32_t *writers;    /* nodes of a region that write it, fills aside */
    struct region *top;   /* declarations of adjoints of what stands at the top */
    bool failed;
};

static void fail(struct reverse *r, struct span at, const char *what) {
    if (!r->failed)
        diag_error(r->d, at, ERR_NOT_HERE,
                   arena_printf(r->d->arena, "this has no derivative here: %s", what));
    r->failed = true;
}

static struct name fresh(struct reverse *r, const char *prefix, struct name base) {
    return graph_fresh(r->g, name_of_text(r->g->names, arena_printf(r->scratch, "%s%s", prefix,
                                                                    name_text(r->g->names, base))));
}

static struct cont declare(struct reverse *r, struct region *at, struct name n, enum dtype t,
                           uint32_t rank, const struct sym *dims, union scalar fill,
                           struct span span) {
    struct cont c = graph_container(r->g, n, t, rank, dims, STORE_NONE, ROLE_TRANSIENT, span);
    struct node *decl = node_new(r->g, NODE_DECL, span);
    decl->decl.cont = c;
    decl->decl.has_fill = true;
    decl->decl.fill = fill;
    region_add(r->g, at, decl);
    return c;
}

static bool differentiable(struct reverse *r, struct cont c) {
    return c.i < r->nadjoint && r->active[c.i] && dtype_is_float(graph_cont(r->g, c)->dtype);
}

static struct cont adjoint_of(struct reverse *r, struct region *top, struct cont c) {
    if (!r->adjoint[c.i].i) {
        struct container x = *graph_cont(r->g, c);
        r->adjoint[c.i] = declare(r, top, fresh(r, "d_", x.name), x.dtype, x.rank, x.dims,
                                  scalar_from_i64(x.dtype, 0), x.span);
    }
    return r->adjoint[c.i];
}

static const struct expr *plus(struct reverse *r, const struct expr *a, const struct expr *b) {
    return a ? expr_op(r->g, OP_ADD, a, b, NULL) : b;
}

static struct value_adjoint *value_at(struct level *l, struct name n) {
    for (uint32_t i = 0; i < l->values.n; i++)
        if (name_eq(l->values.at[i].value, n))
            return &l->values.at[i];
    return NULL;
}

static void add_write(struct reverse *r, struct region *to, const struct expr *v, struct cont c,
                      const struct sym *at, enum resolution res, enum outside outside,
                      struct span span) {
    struct node *w = node_new(r->g, NODE_WRITE, span);
    w->write.value = v;
    w->write.to = memlet_new(r->g, c, at);
    w->write.to.resolution = res;
    w->write.to.outside = outside;
    region_add(r->g, to, w);
}

static const struct expr *add_read(struct reverse *r, struct region *to, const char *prefix,
                                   struct cont c, const struct memlet *m, struct span span) {
    struct node *n = node_new(r->g, NODE_READ, span);
    struct container *x = graph_cont(r->g, c);
    n->read.name = fresh(r, prefix, x->name);
    n->read.from = memlet_new(r->g, c, m->at);
    if (m->outside != OUTSIDE_ERROR) {
        n->read.from.outside = OUTSIDE_VALUE;
        n->read.from.other = scalar_from_i64(x->dtype, 0);
    }
    region_add(r->g, to, n);
    return expr_value(r->g, x->dtype, n->read.name);
}

static void give_value(struct reverse *r, struct level *l, struct name n, const struct expr *a,
                       struct span span) {
    for (struct level *at = l; at; at = at->out) {
        struct value_adjoint *v = value_at(at, n);
        if (!v)
            continue;
        if (at == l) {
            v->sum = plus(r, v->sum, a);
            return;
        }
        if (!v->inner.i)
            v->inner = declare(r, at->top, fresh(r, "d_", n), v->dtype, 0, NULL,
                               scalar_from_i64(v->dtype, 0), span);
        add_write(r, l->to, a, v->inner, NULL, RES_SUM, OUTSIDE_ERROR, span);
        return;
    }
}

/* Hands adjoint A of expression E to the values in it. A is named first where it would be
   repeated. */
static void give(struct reverse *r, struct level *l, const struct expr *e, const struct expr *a,
                 struct span span) {
    if (e->kind == EXPR_VALUE) {
        if (dtype_is_float(e->dtype))
            give_value(r, l, e->value, a, span);
        return;
    }
    if (expr_nargs(e) == 0)
        return;
    if (a->kind != EXPR_VALUE && a->kind != EXPR_CONST && expr_nargs(e) > 1) {
        struct node *let = node_new(r->g, NODE_LET, span);
        let->let.name = graph_fresh(r->g, name_of_text(r->g->names, "d"));
        let->let.value = a;
        region_add(r->g, l->to, let);
        a = expr_value(r->g, a->dtype, let->let.name);
    }
    const struct expr *parts[3];
    derivative(r->g, e, a, parts);
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        if (parts[i])
            give(r, l, e->args[i], parts[i], span);
}

/* The place of the iteration among all of the maps around, as a number; for ties of max. */
static const struct expr *position(struct reverse *r, struct level *l) {
    struct sym_ctx *c = r->g->syms;
    struct sym at = sym_const(c, 0), size = sym_const(c, 1);
    for (; l; l = l->out)
        for (uint32_t k = l->around.n; k-- > 0;) {
            const struct index *x = &l->around.at[k];
            struct sym span = sym_sub(c, x->hi, x->lo);
            struct sym n = sym_sub(c, sym_atom(c, x->name), x->lo);
            at = sym_add(c, at, sym_mul(c, size, sym_floordiv(c, n, x->step)));
            struct sym trips =
                sym_floordiv(c, sym_add(c, span, sym_sub(c, x->step, sym_const(c, 1))), x->step);
            size = sym_mul(c, size, trips);
        }
    return expr_sym(r->g, at);
}

/* max and min hand all to the first iteration that has the extreme value: FIRST holds its position,
   found by the forward node N repeated with one write (see before_map). */
struct extreme {
    const struct node *write;
    struct cont first;
};

struct extremes {
    VEC(struct extreme) at;
};

static void reverse_write(struct reverse *r, struct level *l, struct node *n,
                          struct extremes *extremes) {
    const struct memlet *m = &n->write.to;
    if (!differentiable(r, m->cont))
        return;
    if (m->resolution == RES_PROD || m->resolution == RES_AND || m->resolution == RES_OR) {
        fail(r, n->span, "a product over iterations");
        return;
    }
    const struct expr *a = add_read(r, l->to, "", adjoint_of(r, r->top, m->cont), m, n->span);
    if (m->resolution == RES_MAX || m->resolution == RES_MIN) {
        struct cont first = {0};
        for (uint32_t i = 0; i < extremes->at.n; i++)
            if (extremes->at.at[i].write == n)
                first = extremes->at.at[i].first;
        if (!first.i) {
            fail(r, n->span, "a largest value outside any map");
            return;
        }
        const struct expr *f = add_read(r, l->to, "", first, m, n->span);
        a = expr_op(r->g, OP_SELECT, expr_op(r->g, OP_EQ, f, position(r, l), NULL), a,
                    expr_const(r->g, a->dtype, scalar_from_i64(a->dtype, 0)));
    }
    if (m->resolution == RES_NONE && r->writers[m->cont.i] > 1)
        add_write(r, l->to, expr_const(r->g, a->dtype, scalar_from_i64(a->dtype, 0)),
                  r->adjoint[m->cont.i], m->at, RES_NONE,
                  m->outside == OUTSIDE_ERROR ? OUTSIDE_ERROR : OUTSIDE_DROP, n->span);
    give(r, l, n->write.value, a, n->span);
}

static void reverse_region(struct reverse *r, struct level *l, const struct region *from,
                           struct extremes *extremes);

static struct node *node_copy(struct reverse *r, const struct node *n) {
    struct node *copy = node_new(r->g, n->kind, n->span);
    uint32_t id = copy->id;
    *copy = *n;
    copy->id = id;
    return copy;
}

/* Copies the forward nodes of a map's body, but for writes to what stands outside the copy. */
static void repeat(struct reverse *r, struct region *to, const struct region *from, bool *local) {
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        struct node *n = from->nodes.at[i], *copy;
        if (n->kind == NODE_DECL)
            local[n->decl.cont.i] = true;
        if (n->kind == NODE_WRITE && !local[n->write.to.cont.i])
            continue;
        copy = node_copy(r, n);
        if (n->kind == NODE_MAP) {
            copy->map.body = (struct region){0};
            repeat(r, &copy->map.body, &n->map.body, local);
        } else if (n->kind == NODE_LOOP) {
            copy->loop.body = (struct region){0};
            repeat(r, &copy->loop.body, &n->loop.body, local);
        } else if (n->kind == NODE_BRANCH) {
            copy->branch.then = copy->branch.otherwise = (struct region){0};
            repeat(r, &copy->branch.then, &n->branch.then, local);
            repeat(r, &copy->branch.otherwise, &n->branch.otherwise, local);
        }
        region_add(r->g, to, copy);
    }
}

/* Gives the containers that were declared in a copied region an identity of their own. */
static struct region own_containers(struct reverse *r, const struct region *from, const bool *local,
                                    uint32_t nlocal) {
    struct cont *to = ARENA_ARRAY(r->scratch, struct cont, nlocal);
    bool any = false;
    for (uint32_t i = 1; i < nlocal; i++) {
        to[i] = (struct cont){i};
        if (!local[i])
            continue;
        struct container x = r->g->conts.at[i];
        to[i] = graph_container(r->g, graph_fresh(r->g, x.name), x.dtype, x.rank, x.dims, x.storage,
                                x.role, x.span);
        any = true;
    }
    struct subst sub = {.conts = to, .nconts = nlocal};
    return any ? region_clone(r->g, from, &sub) : *from;
}

struct writes {
    struct reverse *r;
    bool active;
};

static void note_active_write(void *data, struct node *n) {
    struct writes *w = data;
    if (n->kind == NODE_WRITE && differentiable(w->r, n->write.to.cont))
        w->active = true;
}

static bool writes_active(struct reverse *r, struct node *n) {
    struct writes w = {r, false};
    struct region one = {{&n, 1, 1}};
    region_walk(&one, note_active_write, &w);
    return w.active;
}

static void reverse_map(struct reverse *r, struct level *l, struct node *n,
                        struct extremes *extremes) {
    if (!writes_active(r, n))
        return;
    struct node *m = node_new(r->g, NODE_MAP, n->span);
    m->map.n = n->map.n;
    m->map.index = arena_copy(r->g->arena, n->map.index, n->map.n * sizeof(struct index));
    for (uint32_t k = 0; k < m->map.n; k++) {
        m->map.index[k].schedule = SCHED_NONE; /* that of the forward map may not be legal */
        m->map.index[k].factor = 0;
    }
    struct region top = {0}, body = {0};
    struct level inner = {.out = l, .to = &body, .top = &top};
    for (uint32_t k = 0; k < n->map.n; k++)
        VEC_PUSH(r->scratch, inner.around, n->map.index[k]);
    uint32_t nlocal = r->g->conts.n;
    bool *local = ARENA_ARRAY(r->scratch, bool, nlocal);
    struct region forward = {0};
    repeat(r, &forward, &n->map.body, local);
    reverse_region(r, &inner, &n->map.body, extremes);
    for (uint32_t i = 0; i < forward.nodes.n; i++)
        region_add(r->g, &m->map.body, forward.nodes.at[i]);
    for (uint32_t i = 0; i < top.nodes.n; i++)
        region_add(r->g, &m->map.body, top.nodes.at[i]);
    for (uint32_t i = 0; i < body.nodes.n; i++)
        region_add(r->g, &m->map.body, body.nodes.at[i]);
    m->map.body = own_containers(r, &m->map.body, local, nlocal);
    region_add(r->g, l->to, m);
}

static void reverse_branch(struct reverse *r, struct level *l, struct node *n,
                           struct extremes *extremes) {
    if (!writes_active(r, n))
        return;
    struct node *b = node_new(r->g, NODE_BRANCH, n->span);
    b->branch.condition = n->branch.condition;
    for (int arm = 0; arm < 2; arm++) {
        struct region *from = arm ? &n->branch.otherwise : &n->branch.then;
        struct region *to = arm ? &b->branch.otherwise : &b->branch.then, body = {0};
        struct level inner = {.out = l, .to = &body, .top = to};
        uint32_t nlocal = r->g->conts.n;
        bool *local = ARENA_ARRAY(r->scratch, bool, nlocal);
        repeat(r, to, from, local);
        reverse_region(r, &inner, from, extremes);
        for (uint32_t i = 0; i < body.nodes.n; i++)
            region_add(r->g, to, body.nodes.at[i]);
        *to = own_containers(r, to, local, nlocal);
    }
    region_add(r->g, l->to, b);
}

static void reverse_node(struct reverse *r, struct level *l, struct node *n,
                         struct extremes *extremes) {
    struct value_adjoint *v;
    const struct expr *a;
    switch (n->kind) {
    case NODE_WRITE: reverse_write(r, l, n, extremes); break;
    case NODE_READ:
    case NODE_LET:
        v = value_at(l, n->kind == NODE_READ ? n->read.name : n->let.name);
        if (!v)
            break;
        a = v->sum;
        if (v->inner.i) {
            struct memlet m = memlet_new(r->g, v->inner, NULL);
            a = plus(r, a, add_read(r, l->to, "", v->inner, &m, n->span));
        }
        if (!a)
            break;
        if (n->kind == NODE_LET)
            give(r, l, n->let.value, a, n->span);
        else if (differentiable(r, n->read.from.cont))
            add_write(r, l->to, a, adjoint_of(r, r->top, n->read.from.cont), n->read.from.at,
                      RES_SUM, n->read.from.outside == OUTSIDE_ERROR ? OUTSIDE_ERROR : OUTSIDE_DROP,
                      n->span);
        break;
    case NODE_MAP: reverse_map(r, l, n, extremes); break;
    case NODE_BRANCH: reverse_branch(r, l, n, extremes); break;
    case NODE_LOOP:
        if (writes_active(r, n))
            fail(r, n->span, "a sequential loop whose steps depend on each other");
        break;
    default: break;
    }
}

static void reverse_region(struct reverse *r, struct level *l, const struct region *from,
                           struct extremes *extremes) {
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        const struct node *n = from->nodes.at[i];
        struct value_adjoint v = {0};
        if (n->kind == NODE_READ) {
            v.value = n->read.name;
            v.dtype = graph_cont(r->g, n->read.from.cont)->dtype;
        } else if (n->kind == NODE_LET) {
            v.value = n->let.name;
            v.dtype = n->let.value->dtype;
        } else {
            if (n->kind == NODE_DECL && l->out && differentiable(r, n->decl.cont))
                adjoint_of(r, l->top, n->decl.cont); /* each iteration has its own */
            continue;
        }
        if (dtype_is_float(v.dtype))
            VEC_PUSH(r->scratch, l->values, v);
    }
    for (uint32_t i = from->nodes.n; i-- > 0 && !r->failed;)
        reverse_node(r, l, from->nodes.at[i], extremes);
}

/* ---- max and min: who was first ---- */

struct search {
    struct reverse *r;
    struct node *found[64];
    uint32_t n;
};

static void note_extreme(void *data, struct node *n) {
    struct search *s = data;
    if (n->kind == NODE_WRITE && differentiable(s->r, n->write.to.cont) &&
        (n->write.to.resolution == RES_MAX || n->write.to.resolution == RES_MIN) && s->n < 64)
        s->found[s->n++] = n;
}

/* Replaces, in a copy of the nest, the write W by one of the position to FIRST. */
static bool keep_first(struct reverse *r, struct region *to, const struct region *from,
                       const struct node *w, struct cont first, struct level *l) {
    bool found = false;
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        struct node *n = from->nodes.at[i];
        if (n == w) {
            const struct expr *y = add_read(r, to, "", n->write.to.cont, &n->write.to, n->span);
            union scalar last = {.i64 = INT64_MAX};
            const struct expr *at =
                expr_op(r->g, OP_SELECT, expr_op(r->g, OP_EQ, n->write.value, y, NULL),
                        position(r, l), expr_const(r->g, DT_i64, last));
            add_write(r, to, at, first, n->write.to.at, RES_MIN, n->write.to.outside, n->span);
            found = true;
        } else if (n->kind == NODE_MAP) {
            struct node *m = node_copy(r, n);
            m->map.body = (struct region){0};
            m->map.index = arena_copy(r->g->arena, n->map.index, n->map.n * sizeof(struct index));
            struct level inner = {.out = l};
            for (uint32_t k = 0; k < n->map.n; k++) {
                m->map.index[k].schedule = SCHED_NONE;
                m->map.index[k].factor = 0;
                VEC_PUSH(r->scratch, inner.around, n->map.index[k]);
            }
            if (keep_first(r, &m->map.body, &n->map.body, w, first, &inner)) {
                region_add(r->g, to, m);
                found = true;
            }
        } else if (l->out && (n->kind == NODE_READ || n->kind == NODE_LET)) {
            region_add(r->g, to, node_copy(r, n));
        } else if (l->out && n->kind == NODE_DECL) {
            fail(r, n->span, "a largest value that needs a container of each iteration");
        }
    }
    return found;
}

static void find_extremes(struct reverse *r, struct region *to, struct node *n,
                          struct extremes *out) {
    struct search s = {.r = r};
    struct region one = {{&n, 1, 1}};
    region_walk(&one, note_extreme, &s);
    for (uint32_t i = 0; i < s.n; i++) {
        struct container x = *graph_cont(r->g, s.found[i]->write.to.cont);
        union scalar last = {.i64 = INT64_MAX};
        struct extreme e = {s.found[i], declare(r, to, fresh(r, "first_", x.name), DT_i64, x.rank,
                                                x.dims, last, n->span)};
        struct level root = {0};
        struct region copy = {0};
        if (!keep_first(r, &copy, &one, s.found[i], e.first, &root))
            fail(r, s.found[i]->span, "a largest value under a condition or in a loop");
        for (uint32_t k = 0; k < copy.nodes.n; k++)
            region_add(r->g, to, copy.nodes.at[k]);
        VEC_PUSH(r->scratch, out->at, e);
    }
}

/* ---- What depends on what ---- */

struct flow {
    struct reverse *r;
    struct map values; /* names that depend on what is differentiated by */
    bool changed;
};

static bool expr_depends(struct flow *f, const struct expr *e) {
    if (e->kind == EXPR_VALUE)
        return map_get(&f->values, e->value.i, NULL);
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        if (expr_depends(f, e->args[i]))
            return true;
    return false;
}

static void flow_node(void *data, struct node *n) {
    struct flow *f = data;
    bool *active = f->r->active;
    if (n->kind == NODE_READ && active[n->read.from.cont.i])
        map_put(&f->values, n->read.name.i, 1);
    if (n->kind == NODE_LET && expr_depends(f, n->let.value))
        map_put(&f->values, n->let.name.i, 1);
    if (n->kind == NODE_WRITE && !active[n->write.to.cont.i] && expr_depends(f, n->write.value))
        f->changed = active[n->write.to.cont.i] = true;
}

static void count_writer(void *data, struct node *n) {
    struct reverse *r = data;
    if (n->kind == NODE_WRITE)
        r->writers[n->write.to.cont.i]++;
}

struct order {
    struct reverse *r;
    bool *read; /* containers that an earlier node reads */
};

static void check_order(void *data, struct node *n) {
    struct order *o = data;
    if (n->kind == NODE_READ)
        o->read[n->read.from.cont.i] = true;
    if (n->kind == NODE_WRITE && n->write.to.resolution == RES_NONE &&
        o->read[n->write.to.cont.i] && differentiable(o->r, n->write.to.cont) &&
        graph_cont(o->r->g, n->write.to.cont)->role != ROLE_TRANSIENT)
        fail(o->r, n->span, "what was read before is overwritten");
    if (n->kind == NODE_WRITE && n->write.to.resolution == RES_NONE &&
        o->read[n->write.to.cont.i] && o->r->writers[n->write.to.cont.i] > 1 &&
        differentiable(o->r, n->write.to.cont))
        fail(o->r, n->span, "what was read before is overwritten");
}

bool ad_reverse(struct graph *g, struct cont loss, uint32_t n, const struct cont *wrt,
                struct cont *out, struct diags *d) {
    struct arena *scratch = arena_new();
    struct reverse r = {.g = g, .scratch = scratch, .d = d, .nadjoint = g->conts.n};
    r.adjoint = ARENA_ARRAY(scratch, struct cont, g->conts.n);
    r.active = ARENA_ARRAY(scratch, bool, g->conts.n);
    r.writers = ARENA_ARRAY(scratch, uint32_t, g->conts.n);
    for (uint32_t i = 0; i < n; i++)
        r.active[wrt[i].i] = true;
    struct flow flow = {.r = &r, .values = map_new(scratch), .changed = true};
    while (flow.changed) {
        flow.changed = false;
        region_walk(&g->body, flow_node, &flow);
    }
    region_walk(&g->body, count_writer, &r);
    struct order order = {&r, ARENA_ARRAY(scratch, bool, g->conts.n)};
    region_walk(&g->body, check_order, &order);
    struct region top = {0}, body = {0}, first = {0};
    struct container l = *graph_cont(g, loss);
    r.top = &top;
    r.active[loss.i] = true;
    r.adjoint[loss.i] = declare(&r, &top, fresh(&r, "d_", l.name), l.dtype, l.rank, l.dims,
                                scalar_from_i64(l.dtype, 1), l.span);
    struct extremes extremes = {0};
    for (uint32_t i = 0; i < g->body.nodes.n; i++)
        find_extremes(&r, &first, g->body.nodes.at[i], &extremes);
    struct level level = {.to = &body, .top = &top};
    reverse_region(&r, &level, &g->body, &extremes);
    for (uint32_t i = 0; i < n; i++)
        out[i] = adjoint_of(&r, &top, wrt[i]);
    const struct region *parts[] = {&first, &top, &body};
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < parts[k]->nodes.n; i++)
            region_add(g, &g->body, parts[k]->nodes.at[i]);
    arena_free(scratch);
    return !r.failed;
}
