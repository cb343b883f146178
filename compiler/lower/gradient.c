/* The verbs of gradients: what is written down is reversed by compiler/ad, and the calls of
   functions with a gradient of their own by the evaluator. */
#include "compiler/lower/internal.h"

/* What the reverse has named inside of maps: no container may be called like it. */
static void note_names(void *data, struct node *n) {
    struct lower *l = data;
    if (n->kind == NODE_READ)
        map_put(&l->used, n->read.name.i, 1);
    if (n->kind == NODE_LET)
        map_put(&l->used, n->let.name.i, 1);
    if (n->kind == NODE_LOOP)
        map_put(&l->used, n->loop.index.name.i, 1);
    for (uint32_t k = 0; n->kind == NODE_MAP && k < n->map.n; k++)
        map_put(&l->used, n->map.index[k].name.i, 1);
}

bool lower_keep_begin(void *host) {
    struct lower *l = host;
    l->kept_from = l->g->body.nodes.n;
    return l->at == &l->g->body;
}

void lower_keep_end(void *host, struct grad_call *call) {
    struct lower *l = host;
    struct ad_call c = {.first = l->kept_from, .last = l->g->body.nodes.n - 1, .call = call};
    if (!call || l->g->body.nodes.n == l->kept_from)
        return;
    c.in = ARENA_ARRAY(l->arena, struct cont, call->nin);
    c.out = ARENA_ARRAY(l->arena, struct cont, call->nout);
    for (uint32_t i = 0; i < call->nin; i++)
        if (call->in[i].kind == VAL_TENSOR)
            c.in[i] = (struct cont){call->in[i].tensor->id};
    for (uint32_t k = 0; k < call->nout; k++)
        c.out[k] = (struct cont){call->out[k]->id};
    c.nin = call->nin;
    c.nout = call->nout;
    VEC_PUSH(l->arena, l->calls, c);
}

/* Container C, an adjoint of LIKE; NULL if there is none. */
static struct tensor *adjoint_tensor(struct lower *l, const struct tensor *like, struct cont c) {
    if (!c.i)
        return NULL;
    struct tensor *x = tensor_of(&l->ev, like->dtype, like->rank, like->dims, like->span);
    x->name = graph_cont(l->g, c)->name;
    x->id = c.i;
    x->impl = l->g;
    x->layout = like->layout;
    x->laid = like->laid;
    return x;
}

/* Writes the call of C's gradient function to TO. */
static bool reverse_call(void *host, const struct ad_call *c, struct region *to,
                         const struct cont *dout, const struct cont *din) {
    struct lower *l = host;
    struct grad_call *call = c->call;
    struct tensor **out = ARENA_ARRAY(l->arena, struct tensor *, c->nout);
    struct tensor **in = ARENA_ARRAY(l->arena, struct tensor *, c->nin);
    for (uint32_t k = 0; k < c->nout; k++)
        out[k] = adjoint_tensor(l, call->out[k], dout[k]);
    for (uint32_t i = 0; i < c->nin; i++)
        if (din[i].i)
            in[i] = adjoint_tensor(l, call->in[i].tensor, din[i]);
    struct region *at = l->at;
    l->at = to;
    l->foreign = true;
    l->automatic_read = NULL;
    bool ok = eval_grad(&l->ev, call, out, in);
    l->foreign = false;
    l->at = at;
    l->automatic_read = NULL;
    return ok;
}

bool lower_gradient(void *host, const struct tensor *loss, uint32_t n, struct tensor *const *wrt,
                    struct tensor **out, bool *depends, struct span span) {
    struct lower *l = host;
    struct cont *by = ARENA_ARRAY(l->arena, struct cont, n);
    struct cont *gradients = ARENA_ARRAY(l->arena, struct cont, n);
    if (l->at != &l->g->body) {
        diag_error(l->ev.diags, span, ERR_NOT_HERE, "a gradient is taken outside maps and loops");
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        by[i] = (struct cont){wrt[i]->id};
    uint32_t before = l->g->conts.n;
    struct ad_calls calls = {l->calls.n, l->calls.at, reverse_call, l};
    if (!ad_reverse(l->g, (struct cont){loss->id}, n, by, gradients, depends, &calls, l->ev.diags))
        return false;
    for (uint32_t c = before; c < l->g->conts.n; c++) { /* names that the reverse has given */
        map_put(&l->used, l->g->conts.at[c].name.i, 1);
        map_put(&l->reserved, l->g->conts.at[c].name.i, 1);
    }
    for (uint32_t i = 0; i < l->g->body.nodes.n; i++) {
        const struct node *x = l->g->body.nodes.at[i];
        struct name value = x->kind == NODE_READ  ? x->read.name
                            : x->kind == NODE_LET ? x->let.name
                                                  : (struct name){0};
        if (!name_none(value) && !lower_has(&l->active, value)) {
            map_put(&l->used, value.i, 1);
            map_put(&l->active, value.i, 1);
        }
    }
    region_walk(&l->g->body, note_names, l);
    l->automatic_read = NULL;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = tensor_of(&l->ev, wrt[i]->dtype, wrt[i]->rank, wrt[i]->dims, span);
        out[i]->name = graph_cont(l->g, gradients[i])->name;
        out[i]->id = gradients[i].i;
        out[i]->impl = l->g;
        out[i]->layout = wrt[i]->layout;
        out[i]->laid = wrt[i]->laid;
        out[i]->map = wrt[i]->map;
        out[i]->unit = wrt[i]->unit;
        out[i]->real_rank = wrt[i]->real_rank;
    }
    return true;
}
