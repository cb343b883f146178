/* The reverse of a region. Forward nodes stand and have run; what follows walks them backwards.
   Each float container X on the way gets an adjoint dX, zero at first; a write `e >> X[s]` reads
   dX[s] and hands it to e; a read `v << X[s]` adds v's adjoint to dX[s].

   Inside a map the forward body is repeated for the values that the derivatives need, without its
   writes to what stands outside; `dead` removes what was not needed. The copy finds what stands
   outside as it is in the end. So these are refused, with place and reason (check_order, and where
   they are met): a write of any kind to what the copy reads and an earlier node has read; a largest
   value of what was written before by anything but constants, or is written afterwards; a map whose
   iterations are not proved independent; loops and products that the loss depends on.

   Containers may be written several times: a plain write takes its adjoint away from what was there
   before. What is differentiated by counts as independent from its last write on; that the loss
   depends on it by an earlier value is refused.

   Nodes that belong to a call with a gradient of its own (struct ad_calls) are passed over as one:
   their writer adds what hands the adjoints on. It reads arguments and results as they are in the
   end, too.

   Values. An adjoint of a value is an expression as long as the value is used in its own region.
   Used in a nested map it is a sum over iterations, and so a container (struct value_adjoint). */
#include "compiler/ad/ad.h"

#include "compiler/analysis/depend.h"
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
    uint32_t *since;      /* node of the body at which it depends on what is differentiated by */
    uint32_t *until;      /* one more than the last node of the body that takes it to the loss */
    uint32_t *writers;    /* nodes that write it, fills aside */
    uint32_t now;         /* the node of the body that is looked at */
    struct region *top;   /* declarations of adjoints of what stands at the top */
    const struct ad_calls *calls;
    const struct ad_call **call_of; /* by node of the body: the call it belongs to, or NULL */
    struct map symbols;             /* of the graph */
    struct map names;               /* how often the graph defines each */
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
    return c.i < r->nadjoint && r->since[c.i] <= r->now && r->now < r->until[c.i] &&
           dtype_is_float(graph_cont(r->g, c)->dtype);
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

static const struct index *index_around(struct level *l, struct name n) {
    for (; l; l = l->out)
        for (uint32_t k = 0; k < l->around.n; k++)
            if (name_eq(l->around.at[k].name, n))
                return &l->around.at[k];
    return NULL;
}

/* The largest (UP) or smallest value of S over the iterations around, free of their indices; none
   where it is not simple. */
static struct sym bound(struct reverse *r, struct level *l, struct sym s, bool up) {
    struct sym_ctx *c = r->g->syms;
    struct sym none = {0}, out, a, b;
    const struct index *x;
    struct name n;
    int64_t by;
    enum sym_kind kind = sym_kind(c, s);
    switch (kind) {
    case SYM_CONST: return s;
    case SYM_ATOM:
        if (!sym_is_atom(c, s, &n) || !(x = index_around(l, n)))
            return s;
        a = up ? sym_sub(c, x->hi, sym_const(c, 1)) : x->lo;
        return bound(r, l, a, up);
    case SYM_SUM:
        out = sym_const(c, 0);
        for (uint32_t k = 0; k < sym_count(c, s); k++) {
            a = bound(r, l, sym_operand(c, s, k), up);
            if (sym_none(a))
                return none;
            out = sym_add(c, out, a);
        }
        return out;
    case SYM_MIN:
    case SYM_MAX:
        a = bound(r, l, sym_operand(c, s, 0), up);
        b = bound(r, l, sym_operand(c, s, 1), up);
        if (sym_none(a) || sym_none(b))
            return up != (kind == SYM_MIN) ? none : sym_none(a) ? b : a;
        return kind == SYM_MIN ? sym_min(c, a, b) : sym_max(c, a, b);
    case SYM_PRODUCT:
        if (sym_count(c, s) == 2 && sym_is_const(c, sym_operand(c, s, 0), &by)) {
            a = bound(r, l, sym_operand(c, s, 1), up == (by > 0));
            return sym_none(a) ? none : sym_mul(c, a, sym_const(c, by));
        }
        break;
    case SYM_FLOORDIV:
        if (sym_is_const(c, sym_operand(c, s, 1), &by) && by > 0) {
            a = bound(r, l, sym_operand(c, s, 0), up);
            return sym_none(a) ? none : sym_floordiv(c, a, sym_const(c, by));
        }
        break;
    case SYM_MOD: break;
    }
    for (; l; l = l->out)
        for (uint32_t k = 0; k < l->around.n; k++)
            if (sym_contains(c, s, l->around.at[k].name))
                return none;
    return s;
}

struct known {
    struct reverse *r;
    struct level *l;
    bool all; /* symbols and indices, no values */
};

static void check_known(void *data, struct name n) {
    struct known *k = data;
    k->all = k->all && (map_get(&k->r->symbols, n.i, NULL) || index_around(k->l, n));
}

/* A number of the iteration among all of the maps around, different for each and smaller for
   earlier ones; for ties of max. Its digits have radices free of the indices, so that inner ranges
   may depend on outer indices. */
static const struct expr *position(struct reverse *r, struct level *all, struct span at_span) {
    struct sym_ctx *c = r->g->syms;
    struct sym at = sym_const(c, 0), size = sym_const(c, 1);
    for (struct level *l = all; l; l = l->out)
        for (uint32_t k = l->around.n; k-- > 0;) {
            const struct index *x = &l->around.at[k];
            struct sym n = sym_sub(c, sym_atom(c, x->name), x->lo);
            struct sym span = bound(r, all, sym_sub(c, x->hi, x->lo), true);
            struct sym most = bound(r, all, x->step, true);
            if (sym_none(span) || sym_none(most) || !sym_eq(most, x->step)) {
                fail(r, at_span, "a largest value over a range whose largest length is not known");
                return expr_sym(r->g, sym_const(c, 0));
            }
            at = sym_add(c, at, sym_mul(c, size, sym_floordiv(c, n, x->step)));
            struct sym trips =
                sym_floordiv(c, sym_add(c, span, sym_sub(c, x->step, sym_const(c, 1))), x->step);
            size = sym_mul(c, size, trips);
        }
    struct known known = {r, all, true};
    sym_atoms(c, at, check_known, &known);
    if (!known.all) {
        fail(r, at_span, "a largest value over a range that hangs on data");
        return expr_sym(r->g, sym_const(c, 0));
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
        const struct expr *y = add_read(r, l->to, "", m->cont, m, n->span);
        const struct expr *here = expr_op(r->g, OP_EQ, f, position(r, l, n->span), NULL);
        const struct expr *extreme = expr_op(r->g, OP_EQ, n->write.value, y, NULL);
        a = expr_op(r->g, OP_SELECT, expr_op(r->g, OP_AND, here, extreme, NULL), a,
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

static void count_names(void *data, struct node *n) {
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
static struct region own_names(struct reverse *r, const struct region *from, const bool *local,
                               uint32_t nlocal) {
    struct cont *to = ARENA_ARRAY(r->scratch, struct cont, nlocal);
    struct rename names = {.r = r};
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
    region_walk(from, rename_node, &names);
    struct subst sub = {
        .n = names.from.n, .from = names.from.at, .to = names.to.at, .conts = to, .nconts = nlocal};
    return any || sub.n ? region_clone(r->g, from, &sub) : *from;
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
    struct region whole = {{&m, 1, 1}};
    whole = own_names(r, &whole, local, nlocal);
    region_add(r->g, l->to, whole.nodes.at[0]);
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
        *to = own_names(r, to, local, nlocal);
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
    default: break; /* loops that would be reversed are refused in check_order */
    }
}

/* Whether the loss depends on what is differentiated by through a result of C. */
static bool call_matters(struct reverse *r, const struct ad_call *c) {
    bool matters = false;
    r->now = c->last;
    for (uint32_t k = 0; k < c->nout; k++)
        matters = matters || differentiable(r, c->out[k]);
    return matters;
}

static void reverse_call(struct reverse *r, struct level *l, const struct ad_call *c) {
    if (!call_matters(r, c))
        return;
    struct cont *dout = ARENA_ARRAY(r->scratch, struct cont, c->nout);
    struct cont *din = ARENA_ARRAY(r->scratch, struct cont, c->nin);
    for (uint32_t k = 0; k < c->nout; k++)
        if (dtype_is_float(graph_cont(r->g, c->out[k])->dtype))
            dout[k] = adjoint_of(r, r->top, c->out[k]);
    r->now = c->first;
    for (uint32_t i = 0; i < c->nin; i++)
        if (c->in[i].i && differentiable(r, c->in[i]))
            din[i] = adjoint_of(r, r->top, c->in[i]);
    if (!r->calls->reverse(r->calls->host, c, l->to, dout, din))
        r->failed = true;
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
    for (uint32_t i = from->nodes.n; i-- > 0 && !r->failed;) {
        const struct ad_call *call = l->out ? NULL : r->call_of[i];
        if (!l->out)
            r->now = i;
        if (call) {
            reverse_call(r, l, call);
            i = call->first;
        } else {
            reverse_node(r, l, from->nodes.at[i], extremes);
        }
    }
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
                        position(r, l, n->span), expr_const(r->g, DT_i64, last));
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
        bool *local = ARENA_ARRAY(r->scratch, bool, r->g->conts.n);
        copy = own_names(r, &copy, local, r->g->conts.n);
        for (uint32_t k = 0; k < copy.nodes.n; k++)
            region_add(r->g, to, copy.nodes.at[k]);
        VEC_PUSH(r->scratch, out->at, e);
    }
}

/* ---- What depends on what ---- */

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
            fail(r, n->span, "what it is taken over depends on something else it is taken over");
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

static void flow_backward(void *data, struct node *n) {
    struct flow *f = data;
    struct reverse *r = f->r;
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

static void count_writer(void *data, struct node *n) {
    struct reverse *r = data;
    if (n->kind == NODE_WRITE)
        r->writers[n->write.to.cont.i]++;
}

static void note_last(void *data, struct node *n) {
    struct reverse *r = data;
    if (n->kind == NODE_WRITE && r->since[n->write.to.cont.i] != UINT32_MAX)
        r->since[n->write.to.cont.i] = r->now + 1;
}

static void find_flow(struct reverse *r, struct cont loss, uint32_t n, const struct cont *wrt) {
    struct region *body = &r->g->body;
    bool *by = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
    struct flow f = {.r = r, .values = map_new(r->scratch), .wrt = by};
    f.stale = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
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
        fail(r, graph_cont(r->g, loss)->span,
             "the value depends on what it is taken over as it was before it was overwritten");
    f.values = map_new(r->scratch);
    r->until[loss.i] = UINT32_MAX;
    for (r->now = body->nodes.n; r->now-- > 0 && !r->failed;)
        flow_node(&f, body->nodes.at[r->now], flow_backward);
}

/* ---- What may be reversed ---- */

struct order {
    struct reverse *r;
    struct sym_facts *facts;
    uint32_t *depth; /* by container: of the region that declares it; 0 is the graph's body */
    bool *read;      /* by a copy that reversing makes of an earlier node */
    const struct ad_call *call;  /* that the node of the body belongs to, or NULL */
    bool *written;               /* with other things than constants */
    const struct node **extreme; /* the max or min that was written */
    VEC(bool) reversed;          /* by depth: the node around, that a copy is made of */
};

static void order_region(struct order *o, const struct region *region, uint32_t depth);

static void order_write(struct order *o, const struct node *n) {
    struct cont c = n->write.to.cont;
    enum resolution res = n->write.to.resolution;
    if (o->read[c.i])
        fail(o->r, n->span, "what was read before is overwritten");
    if (o->extreme[c.i] && o->extreme[c.i] != n)
        fail(o->r, n->span, "a largest or smallest value that is written again");
    if (!o->call && (res == RES_MAX || res == RES_MIN) && differentiable(o->r, c)) {
        if (o->written[c.i])
            fail(o->r, n->span, "a largest or smallest value of what was written before");
        o->extreme[c.i] = n;
    } else if (res != RES_NONE || n->write.value->kind != EXPR_CONST) {
        o->written[c.i] = true;
    }
}

/* A body that may run in order is gone through twice: the second time as its later iterations. */
static void order_below(struct order *o, struct node *n, uint32_t depth) {
    struct reverse *r = o->r;
    uint32_t mark = sym_facts_mark(o->facts);
    if (o->reversed.n == depth)
        VEC_PUSH(r->scratch, o->reversed, false);
    o->reversed.at[depth] = !o->call && writes_active(r, n);
    if (n->kind == NODE_MAP) {
        bool order = o->reversed.at[1] && !n->map.unique &&
                     node_race(r->g, n, o->facts, CONFLICT_ERROR, NULL) != RACE_FREE;
        if (order && o->reversed.at[depth])
            fail(r, n->span,
                 "a map whose iterations are not known to be independent; say `unique` if they "
                 "are");
        for (uint32_t k = 0; k < n->map.n; k++)
            index_facts(o->facts, r->g->syms, &n->map.index[k]);
        for (int times = order ? 2 : 1; times-- > 0;)
            order_region(o, &n->map.body, depth);
    } else if (n->kind == NODE_LOOP && o->reversed.at[depth]) {
        fail(r, n->span, "a sequential loop whose steps depend on each other");
    } else if (n->kind == NODE_LOOP) {
        index_facts(o->facts, r->g->syms, &n->loop.index);
        for (int times = 2; times-- > 0;)
            order_region(o, &n->loop.body, depth);
    } else if (n->kind == NODE_WHILE) {
        bool repeated = false; /* what is reversed runs its body once more, but for its writes */
        for (uint32_t d = 1; d <= depth; d++)
            repeated = repeated || o->reversed.at[d];
        if (repeated)
            fail(r, n->span, "a `while`");
        for (int times = 2; times-- > 0;)
            order_region(o, &n->repeat.body, depth);
    } else {
        order_region(o, &n->branch.then, depth);
        order_region(o, &n->branch.otherwise, depth);
    }
    sym_facts_restore(o->facts, mark);
}

struct use {
    struct sym_ctx *syms;
    struct name name;
    bool found;
};

static void use_atom(void *data, struct name n) {
    struct use *u = data;
    u->found = u->found || name_eq(n, u->name);
}

static void use_memlet(struct use *u, const struct memlet *m) {
    for (uint32_t d = 0; d < m->rank; d++)
        sym_atoms(u->syms, m->at[d], use_atom, u);
}

static void use_expr(struct use *u, const struct expr *e) {
    u->found = u->found || (e->kind == EXPR_VALUE && name_eq(e->value, u->name));
    if (e->kind == EXPR_SYM)
        sym_atoms(u->syms, e->sym, use_atom, u);
    for (uint32_t k = 0; k < expr_nargs(e); k++)
        use_expr(u, e->args[k]);
}

/* The value that node I of R reads is only written, as it is or cast: no derivative needs it, so
   the copy of the read that reversing makes is dead. */
static bool only_moved(const struct reverse *r, const struct region *region, uint32_t i) {
    struct use u = {r->g->syms, region->nodes.at[i]->read.name, false};
    for (uint32_t k = i + 1; k < region->nodes.n && !u.found; k++) {
        const struct node *n = region->nodes.at[k];
        if (n->kind == NODE_READ) {
            use_memlet(&u, &n->read.from);
        } else if (n->kind == NODE_LET) {
            use_expr(&u, n->let.value);
        } else if (n->kind == NODE_WRITE) {
            enum resolution res = n->write.to.resolution;
            const struct expr *e = n->write.value;
            while (e->kind == EXPR_CAST && dtype_is_float(e->dtype))
                e = e->args[0];
            use_memlet(&u, &n->write.to);
            if (e->kind != EXPR_VALUE || (res != RES_NONE && res != RES_SUM))
                use_expr(&u, e);
        } else if (n->kind != NODE_DECL) {
            return false;
        }
    }
    return !u.found;
}

/* The reverse of a call reads its arguments and results as they are in the end. */
static void order_call(struct order *o, const struct ad_call *c) {
    for (uint32_t i = 0; i < c->nin; i++)
        o->read[c->in[i].i] = true;
    for (uint32_t k = 0; k < c->nout; k++)
        o->read[c->out[k].i] = true;
}

static void order_region(struct order *o, const struct region *region, uint32_t depth) {
    for (uint32_t i = 0; i < region->nodes.n && !o->r->failed; i++) {
        struct node *n = region->nodes.at[i];
        uint32_t c;
        if (depth == 0) {
            o->r->now = i;
            o->call = o->r->call_of[i];
        }
        switch (n->kind) {
        case NODE_DECL:
            c = n->decl.cont.i;
            o->depth[c] = depth;
            o->read[c] = o->written[c] = false;
            o->extreme[c] = NULL;
            break;
        case NODE_READ:
            c = n->read.from.cont.i;
            if (o->depth[c] < depth && o->reversed.at[o->depth[c] + 1] &&
                !only_moved(o->r, region, i))
                o->read[c] = true;
            break;
        case NODE_WRITE: order_write(o, n); break;
        case NODE_MAP:
        case NODE_LOOP:
        case NODE_WHILE:
        case NODE_BRANCH: order_below(o, n, depth + 1); break;
        default: break;
        }
        if (depth == 0 && o->call && o->call->last == i && call_matters(o->r, o->call))
            order_call(o, o->call);
    }
}

static void check_order(struct reverse *r) {
    struct order o = {.r = r, .facts = graph_facts(r->scratch, r->g)};
    o.depth = ARENA_ARRAY(r->scratch, uint32_t, r->nadjoint);
    o.read = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
    o.written = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
    o.extreme = ARENA_ARRAY(r->scratch, const struct node *, r->nadjoint);
    VEC_PUSH(r->scratch, o.reversed, false);
    order_region(&o, &r->g->body, 0);
}

bool ad_reverse(struct graph *g, struct cont loss, uint32_t n, const struct cont *wrt,
                struct cont *out, const struct ad_calls *calls, struct diags *d) {
    struct arena *scratch = arena_under(g->arena);
    struct reverse r = {.g = g, .scratch = scratch, .d = d, .nadjoint = g->conts.n, .calls = calls};
    r.call_of = ARENA_ARRAY(scratch, const struct ad_call *, g->body.nodes.n);
    for (uint32_t k = 0; k < calls->n; k++)
        for (uint32_t i = calls->at[k].first; i <= calls->at[k].last; i++)
            r.call_of[i] = &calls->at[k];
    r.adjoint = ARENA_ARRAY(scratch, struct cont, g->conts.n);
    r.since = ARENA_ARRAY(scratch, uint32_t, g->conts.n);
    r.until = ARENA_ARRAY(scratch, uint32_t, g->conts.n);
    r.writers = ARENA_ARRAY(scratch, uint32_t, g->conts.n);
    r.symbols = map_new(scratch);
    r.names = map_new(scratch);
    struct graph_symbol *symbols;
    for (uint32_t i = graph_symbols(g, scratch, &symbols); i-- > 0;)
        map_put(&r.symbols, symbols[i].name.i, 1);
    find_flow(&r, loss, n, wrt);
    region_walk(&g->body, count_writer, &r);
    region_walk(&g->body, count_names, &r);
    check_order(&r);
    struct region top = {0}, body = {0}, first = {0};
    struct container l = *graph_cont(g, loss);
    r.top = &top;
    r.adjoint[loss.i] = declare(&r, &top, fresh(&r, "d_", l.name), l.dtype, l.rank, l.dims,
                                scalar_from_i64(l.dtype, 1), l.span);
    struct extremes extremes = {0};
    for (r.now = 0; r.now < g->body.nodes.n; r.now++)
        if (!r.call_of[r.now])
            find_extremes(&r, &first, g->body.nodes.at[r.now], &extremes);
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
