/* The reverse of a region. Forward nodes stand and have run; what follows walks them backwards.
   Each float container X on the way gets an adjoint dX, zero at first; a write `e >> X[s]` reads
   dX[s] and hands it to e; a read `v << X[s]` adds v's adjoint to dX[s].

   Inside a map the forward body is repeated for the values that the derivatives need, without its
   writes to what stands outside; `dead` removes what was not needed. The copy finds what stands
   outside as it is in the end. So these are refused, with place and reason (order.c, and where
   they are met): a write of any kind to what the copy reads and an earlier node has read; a largest
   value of what was written before by anything but constants, or is written afterwards; a map whose
   iterations are not proved independent; products that the loss depends on. Loops: loops.c.

   Containers may be written several times: a plain write takes its adjoint away from what was there
   before. What is differentiated by counts as independent from its last write on; that the loss
   depends on it by an earlier value is refused.

   Nodes that belong to a call with a gradient of its own (struct ad_calls) are passed over as one:
   their writer adds what hands the adjoints on. It reads arguments and results as they are in the
   end, too.

   Values. An adjoint of a value is an expression as long as the value is used in its own region.
   Used in a nested map it is a sum over iterations, and so a container (struct value_adjoint). */
#include "compiler/ad/internal.h"

static const struct expr *plus(struct reverse *r, const struct expr *a, const struct expr *b) {
    return a ? expr_op(r->g, OP_ADD, a, b, NULL) : b;
}

static struct value_adjoint *value_at(struct level *l, struct name n) {
    for (uint32_t i = 0; i < l->values.n; i++)
        if (name_eq(l->values.at[i].value, n))
            return &l->values.at[i];
    return NULL;
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
            v->inner = ad_declare(r, at->top, ad_fresh(r, "d_", n), v->dtype, 0, NULL,
                                  scalar_from_i64(v->dtype, 0), span);
        ad_write(r, l->to, a, v->inner, NULL, RES_SUM, OUTSIDE_ERROR, span);
        return;
    }
}

/* Hands adjoint A of expression E to the values in it. A is named first where it would be
   repeated. IN_SUM: E is a product that is summed up. */
static void give(struct reverse *r, struct level *l, const struct expr *e, const struct expr *a,
                 bool guarded, bool in_sum, struct span span) {
    if (e->kind == EXPR_VALUE) {
        if (dtype_is_float(e->dtype))
            give_value(r, l, e->value, a, span);
        return;
    }
    if (expr_nargs(e) == 0)
        return;
    bool repeated = guarded || expr_nargs(e) > 1 || derivative_is_steep(e);
    if (a->kind != EXPR_VALUE && a->kind != EXPR_CONST && repeated) {
        struct node *let = node_new(r->g, NODE_LET, span);
        let->let.name = graph_fresh(r->g, name_of_text(r->g->names, "d"));
        let->let.value = a;
        region_add(r->g, l->to, let);
        a = expr_value(r->g, a->dtype, let->let.name);
    }
    const struct expr *parts[3];
    derivative(r->g, e, a, guarded && !in_sum, parts);
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        if (parts[i])
            give(r, l, e->args[i], parts[i], guarded || derivative_chooses(e), false, span);
}

static void reverse_write(struct reverse *r, struct level *l, struct node *n,
                          struct extremes *extremes) {
    const struct memlet *m = &n->write.to;
    if (!ad_matters(r, m->cont))
        return;
    if (graph_cont(r->g, m->cont)->storage == STORE_RESERVE) {
        ad_fail(r, n->span, n, "a row that is appended"); /* its adjoint would be as large */
        return;
    }
    if (m->resolution == RES_PROD || m->resolution == RES_AND || m->resolution == RES_OR) {
        ad_fail(r, n->span, n, "a product over iterations");
        return;
    }
    const struct expr *a = ad_read(r, l->to, "", ad_adjoint(r, r->top, m->cont), m, n->span);
    if (m->resolution == RES_MAX || m->resolution == RES_MIN) {
        struct cont first = {0};
        for (uint32_t i = 0; i < extremes->at.n; i++)
            if (extremes->at.at[i].write == n)
                first = extremes->at.at[i].first;
        if (!first.i) {
            ad_fail(r, n->span, n, "a largest value outside any map");
            return;
        }
        const struct expr *f = ad_read(r, l->to, "", first, m, n->span);
        const struct expr *y = ad_read(r, l->to, "", m->cont, m, n->span);
        const struct expr *here = expr_op(r->g, OP_EQ, f, ad_position(r, l, n->span), NULL);
        const struct expr *extreme = expr_op(r->g, OP_EQ, n->write.value, y, NULL);
        a = expr_op(r->g, OP_SELECT, expr_op(r->g, OP_AND, here, extreme, NULL), a,
                    expr_const(r->g, a->dtype, scalar_from_i64(a->dtype, 0)));
    }
    if (m->resolution == RES_NONE && r->writers[m->cont.i] > 1)
        ad_write(r, l->to, expr_const(r->g, a->dtype, scalar_from_i64(a->dtype, 0)),
                 r->adjoint[m->cont.i], m->at, RES_NONE,
                 m->outside == OUTSIDE_ERROR ? OUTSIDE_ERROR : OUTSIDE_DROP, n->span);
    const struct expr *v = n->write.value;
    bool product = m->resolution == RES_SUM && v->kind == EXPR_OP && v->op == OP_MUL;
    give(r, l, v, a, r->guarded[m->cont.i], product, n->span);
}

static void reverse_region(struct reverse *r, struct level *l, const struct region *from,
                           struct extremes *extremes);

static void reverse_map(struct reverse *r, struct level *l, struct node *n,
                        struct extremes *extremes) {
    if (!ad_writes(r, n))
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
    ad_repeat(r, &forward, &n->map.body, local);
    reverse_region(r, &inner, &n->map.body, extremes);
    for (uint32_t i = 0; i < forward.nodes.n; i++)
        region_add(r->g, &m->map.body, forward.nodes.at[i]);
    for (uint32_t i = 0; i < top.nodes.n; i++)
        region_add(r->g, &m->map.body, top.nodes.at[i]);
    for (uint32_t i = 0; i < body.nodes.n; i++)
        region_add(r->g, &m->map.body, body.nodes.at[i]);
    struct region whole = {{&m, 1, 1}};
    whole = ad_own_names(r, &whole, local, nlocal);
    region_add(r->g, l->to, whole.nodes.at[0]);
}

/* Each iteration starts anew from what the loop has kept of it: see Note [loops]. */
static void reverse_loop(struct reverse *r, struct level *l, struct node *n,
                         struct extremes *extremes) {
    if (!ad_writes(r, n))
        return;
    struct region whole = {0}, top = {0}, body = {0};
    struct level inner = {.out = l, .to = &body, .top = &top};
    uint32_t nlocal = r->g->conts.n;
    bool *local = ARENA_ARRAY(r->scratch, bool, nlocal);
    ad_repeat(r, &whole, &n->loop.body, local);
    ad_start_from_rows(r, n, &whole);
    reverse_region(r, &inner, &n->loop.body, extremes);
    for (uint32_t i = 0; i < top.nodes.n; i++)
        region_add(r->g, &whole, top.nodes.at[i]);
    for (uint32_t i = 0; i < body.nodes.n; i++)
        region_add(r->g, &whole, body.nodes.at[i]);
    whole = ad_own_names(r, &whole, local, nlocal);
    region_add(r->g, l->to, ad_backwards(r, n, &whole));
}

static void reverse_branch(struct reverse *r, struct level *l, struct node *n,
                           struct extremes *extremes) {
    if (!ad_writes(r, n))
        return;
    struct node *b = node_new(r->g, NODE_BRANCH, n->span);
    b->branch.condition = n->branch.condition;
    for (int arm = 0; arm < 2; arm++) {
        struct region *from = arm ? &n->branch.otherwise : &n->branch.then;
        struct region *to = arm ? &b->branch.otherwise : &b->branch.then, body = {0};
        struct level inner = {.out = l, .to = &body, .top = to};
        uint32_t nlocal = r->g->conts.n;
        bool *local = ARENA_ARRAY(r->scratch, bool, nlocal);
        ad_repeat(r, to, from, local);
        reverse_region(r, &inner, from, extremes);
        for (uint32_t i = 0; i < body.nodes.n; i++)
            region_add(r->g, to, body.nodes.at[i]);
        *to = ad_own_names(r, to, local, nlocal);
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
            a = plus(r, a, ad_read(r, l->to, "", v->inner, &m, n->span));
        }
        if (!a)
            break;
        if (n->kind == NODE_LET)
            give(r, l, n->let.value, a, map_get(&r->guards, n->let.name.i, NULL), false, n->span);
        else if (ad_matters(r, n->read.from.cont))
            ad_write(r, l->to, a, ad_adjoint(r, r->top, n->read.from.cont), n->read.from.at,
                     RES_SUM, n->read.from.outside == OUTSIDE_ERROR ? OUTSIDE_ERROR : OUTSIDE_DROP,
                     n->span)
                ->site = n->read.from.site;
        break;
    case NODE_MAP: reverse_map(r, l, n, extremes); break;
    case NODE_LOOP: reverse_loop(r, l, n, extremes); break;
    case NODE_BRANCH: reverse_branch(r, l, n, extremes); break;
    default: break; /* a `while` that would be reversed is refused in check_order */
    }
}

static void reverse_call(struct reverse *r, struct level *l, const struct ad_call *c) {
    if (!ad_call_matters(r, c))
        return;
    struct cont *dout = ARENA_ARRAY(r->scratch, struct cont, c->nout);
    struct cont *din = ARENA_ARRAY(r->scratch, struct cont, c->nin);
    for (uint32_t k = 0; k < c->nout; k++)
        if (dtype_is_float(graph_cont(r->g, c->out[k])->dtype))
            dout[k] = ad_adjoint(r, r->top, c->out[k]);
    r->now = c->first;
    for (uint32_t i = 0; i < c->nin; i++)
        if (c->in[i].i && ad_matters(r, c->in[i]))
            din[i] = ad_adjoint(r, r->top, c->in[i]);
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
            if (n->kind == NODE_DECL && l->out && ad_matters(r, n->decl.cont))
                ad_adjoint(r, l->top, n->decl.cont); /* each iteration has its own */
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

/* The tables by container and node, and the flow between them. */
static void begin(struct reverse *r, struct cont loss, uint32_t n, const struct cont *wrt) {
    struct graph *g = r->g;
    r->nadjoint = g->conts.n;
    r->call_of = ARENA_ARRAY(r->scratch, const struct ad_call *, g->body.nodes.n);
    for (uint32_t k = 0; k < r->ncalls; k++)
        for (uint32_t i = r->call[k].first; i <= r->call[k].last; i++)
            r->call_of[i] = &r->call[k];
    r->adjoint = ARENA_ARRAY(r->scratch, struct cont, g->conts.n);
    r->since = ARENA_ARRAY(r->scratch, uint32_t, g->conts.n);
    r->until = ARENA_ARRAY(r->scratch, uint32_t, g->conts.n);
    r->writers = ARENA_ARRAY(r->scratch, uint32_t, g->conts.n);
    r->guarded = ARENA_ARRAY(r->scratch, bool, g->conts.n);
    r->guards = map_new(r->scratch);
    ad_find_flow(r, loss, n, wrt);
}

bool ad_reverse(struct graph *g, struct cont loss, uint32_t n, const struct cont *wrt,
                struct cont *out, bool *depends, const struct ad_calls *calls, struct diags *d) {
    struct arena *scratch = arena_under(g->arena);
    struct reverse r = {.g = g, .scratch = scratch, .d = d, .calls = calls, .ncalls = calls->n};
    r.call = arena_copy(scratch, calls->at, calls->n * sizeof *r.call);
    begin(&r, loss, n, wrt);
    if (!r.failed)
        ad_note_loops(&r);
    if (!r.failed && ad_keep_loops(&r) && !r.failed)
        begin(&r, loss, n, wrt); /* with what the loops keep */
    ad_count_repeated(&r);
    r.symbols = map_new(scratch);
    r.names = map_new(scratch);
    struct graph_symbol *symbols;
    for (uint32_t i = graph_symbols(g, scratch, &symbols); i-- > 0;)
        map_put(&r.symbols, symbols[i].name.i, 1);
    region_walk(&g->body, ad_count_names, &r);
    ad_check_order(&r);
    struct region top = {0}, body = {0}, first = {0};
    struct container l = *graph_cont(g, loss);
    r.top = &top;
    r.adjoint[loss.i] = ad_declare(&r, &top, ad_fresh(&r, "d_", l.name), l.dtype, l.rank, l.dims,
                                   scalar_from_i64(l.dtype, 1), l.span);
    struct extremes extremes = {0};
    for (r.now = 0; r.now < g->body.nodes.n; r.now++)
        if (!r.call_of[r.now])
            ad_find_extremes(&r, &first, g->body.nodes.at[r.now], &extremes);
    struct level level = {.to = &body, .top = &top};
    reverse_region(&r, &level, &g->body, &extremes);
    for (uint32_t i = 0; i < n; i++) {
        depends[i] = r.until[wrt[i].i] > 0;
        out[i] = ad_adjoint(&r, &top, wrt[i]);
    }
    const struct region *parts[] = {&first, &top, &body};
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < parts[k]->nodes.n; i++)
            region_add(g, &g->body, parts[k]->nodes.at[i]);
    arena_free(scratch);
    return !r.failed;
}
