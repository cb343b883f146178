/* Gradients of the reference evaluator. While a call runs whose text takes a gradient, every
   operation on floats is noted on a tape: which results it was made of, and its derivative by each.
   A scalar knows its place on the tape, a tensor those of its elements (0: a constant). The
   gradient is one walk back over the tape. So it knows no maps and no memlets, and shares nothing
   with compiler/ad.

   An element that is read and has no place gets one: who knows whether it will be differentiated
   by. A call with a gradient of its own is one place, behind which stand those of its results. What
   a gradient is made of is not differentiated again, nor is a param as it was before a step: these
   are errors, never zeros. */
#include "backends/ref/internal.h"

#include <math.h>
#include <string.h>

enum { TAPE_CALL = -1, TAPE_GRADIENT = -2, TAPE_STEP = -3 };

struct entry {
    uint32_t from[2]; /* or TAPE_.., as uint32_t, and a number */
    double by[2];     /* the derivatives */
};

/* A call with a gradient of its own: the places of its arguments, and the first of each result. */
struct kept {
    struct grad_call *call;
    uint32_t **in, *out;
};

struct tape {
    struct entry *at;
    uint32_t n, cap;
    VEC(struct kept) kept;
    VEC(const struct ref_tensor *) stepped; /* by number in an entry */
    bool paused;
};

static void close_tape(void *tape) {
    mem_free(((struct tape *)tape)->at);
}

static struct tape *recording(struct ref *r) {
    if (!r->ev.takes || r->imagined)
        return NULL;
    if (!r->tape) {
        r->tape = ARENA_NEW(r->arena, struct tape);
        r->tape->n = 1;
        arena_on_free(r->arena, close_tape, r->tape);
    }
    return r->tape->paused ? NULL : r->tape;
}

static uint32_t push(struct tape *t, struct entry e) {
    if (t->n >= t->cap) {
        t->cap = t->cap ? 2 * t->cap : 4096;
        t->at = mem_realloc(t->at, t->cap * sizeof *t->at);
    }
    t->at[t->n] = e;
    return t->n++;
}

static uint32_t note(struct tape *t, uint32_t a, double by_a, uint32_t b, double by_b) {
    return a || b ? push(t, (struct entry){{a, b}, {by_a, by_b}}) : 0;
}

/* --- forward --------------------------------------------------------------------------------- */

/* The place of OP's result. */
static uint32_t noted(struct tape *t, enum scalar_op op, enum dtype of, const uint32_t *from,
                      const union scalar *args, union scalar result) {
    double x = scalar_to_f64(of, args[0]), e = scalar_to_f64(of, result);
    double y = scalars[op].arity > 1 ? scalar_to_f64(of, args[1]) : 0;
    uint32_t a = from[0], b = scalars[op].arity > 1 ? from[1] : 0;
    switch (op) {
    case OP_ADD: return note(t, a, 1, b, 1);
    case OP_SUB: return note(t, a, 1, b, -1);
    case OP_MUL: return note(t, a, y, b, x);
    case OP_DIV: return note(t, a, 1 / y, b, -e / y);
    case OP_NEG: return note(t, a, -1, 0, 0);
    case OP_MAX: return x >= y ? a : b;
    case OP_MIN: return x <= y ? a : b;
    case OP_ABS: return x > 0 ? a : x < 0 ? note(t, a, -1, 0, 0) : 0; /* never 0 * infinity */
    case OP_SQRT: return note(t, a, 0.5 / e, 0, 0);
    case OP_EXP: return note(t, a, e, 0, 0);
    case OP_LOG: return note(t, a, 1 / x, 0, 0);
    case OP_TANH: return note(t, a, 1 - e * e, 0, 0);
    default: return 0; /* floor, round */
    }
}

void taped_scalar(struct ref *r, enum scalar_op op, const struct value *args, struct value *out) {
    struct tape *t = recording(r);
    if (!t || !dtype_is_float(out->dtype))
        return;
    if (op == OP_SELECT) {
        out->place = args[args[0].scalar.b ? 1 : 2].place;
        return;
    }
    union scalar a[2] = {args[0].scalar, args[scalars[op].arity - 1].scalar};
    uint32_t from[2] = {args[0].place, args[scalars[op].arity - 1].place};
    out->place = noted(t, op, out->dtype, from, a, out->scalar);
}

/* How many elements X has, or in reserve has memory for. */
static int64_t held(const struct ref_tensor *x) {
    return x->room ? x->room->elements : x->count;
}

static uint32_t *places(struct ref_tensor *x) {
    struct room *room = x->room;
    if (room && room->nplaces < room->elements) {
        room->places = mem_realloc(room->places, (size_t)room->elements * sizeof *room->places);
        memset(room->places + room->nplaces, 0,
               (size_t)(room->elements - room->nplaces) * sizeof *room->places);
        room->nplaces = room->elements;
    }
    if (room)
        x->places = room->places;
    if (!x->places)
        x->places = ARENA_ARRAY(x->home, uint32_t, x->count);
    return x->places;
}

void taped_read(struct ref *r, const struct tensor *t, int64_t o, struct value *out) {
    struct tape *tape = recording(r);
    if (!tape || !dtype_is_float(t->dtype))
        return;
    uint32_t *at = &places(real(t))[o];
    if (!*at)
        *at = push(tape, (struct entry){{0}, {0}});
    out->place = *at;
}

/* What stands at the place AT is an element of X, a param, before a step. */
static void note_step(struct ref *r, struct tape *t, const struct ref_tensor *x, uint32_t at) {
    if (!t->stepped.n || t->stepped.at[t->stepped.n - 1] != x)
        VEC_PUSH(r->arena, t->stepped, x);
    t->at[at] = (struct entry){{(uint32_t)TAPE_STEP, t->stepped.n - 1}, {0}};
}

void taped_write(struct ref *r, const struct tensor *t, int64_t o, enum resolution res,
                 union scalar before, const struct value *v, union scalar after) {
    struct tape *tape = recording(r);
    struct ref_tensor *x = real(t);
    if (!dtype_is_float(t->dtype) || (!tape && !x->places))
        return;
    uint32_t *at = &places(x)[o], from[2] = {*at, v->place};
    union scalar args[2] = {before, v->scalar};
    bool param = t->state && !t->state->buffer; /* a step: what it is made of counts no more */
    if (param && tape && *at)
        note_step(r, tape, x, *at);
    if (!tape || param)
        *at = 0;
    else
        *at = res == RES_NONE ? v->place
                              : noted(tape, resolution_op(res), t->dtype, from, args, after);
}

/* --- calls with a gradient of their own ------------------------------------------------------ */

bool taped_keep_begin(void *host) {
    struct ref *r = host;
    return r->level == 0 && r->branches == 0;
}

static bool is_float(const struct value *v) {
    return v->kind == VAL_TENSOR && dtype_is_float(v->dtype);
}

void taped_keep_end(void *host, struct grad_call *call) {
    struct ref *r = host;
    struct tape *t = recording(r);
    if (!t || !call)
        return;
    struct kept k = {.call = call};
    k.in = ARENA_ARRAY(r->arena, uint32_t *, call->nin);
    k.out = ARENA_ARRAY(r->arena, uint32_t, call->nout);
    for (uint32_t i = 0; i < call->nin; i++) {
        if (!is_float(&call->in[i]))
            continue;
        struct ref_tensor *x = real(call->in[i].tensor);
        uint32_t *at = places(x);
        for (int64_t o = 0; o < held(x); o++)
            if (!at[o])
                at[o] = push(t, (struct entry){{0}, {0}});
        k.in[i] = arena_copy(r->arena, at, (size_t)held(x) * sizeof *at);
    }
    push(t, (struct entry){{(uint32_t)TAPE_CALL, t->kept.n}, {0}});
    for (uint32_t j = 0; j < call->nout; j++) {
        if (!dtype_is_float(call->out[j]->dtype))
            continue;
        struct ref_tensor *x = real(call->out[j]);
        uint32_t *at = places(x);
        k.out[j] = t->n;
        for (int64_t o = 0; o < held(x); o++)
            at[o] = push(t, (struct entry){{0}, {0}});
    }
    VEC_PUSH(r->arena, t->kept, k);
}

/* A new tensor like LIKE. */
static struct tensor *adjoint(struct ref *r, const struct tensor *like) {
    struct value zero = scalar_value(like->dtype, scalar_from_i64(like->dtype, 0));
    struct tensor *x = tensor_of(&r->ev, like->dtype, like->rank, like->dims, like->span);
    x->container = true;
    return ref_container(r, x, STORE_NONE, &zero) ? x : NULL;
}

static void *element(const struct tensor *t, int64_t o) {
    return (char *)real(t)->data.bytes + (size_t)o * dtypes[t->dtype].bytes;
}

static bool reverse_call(struct ref *r, const struct kept *k, double *due) {
    const struct grad_call *c = k->call;
    struct tensor **dout = ARENA_ARRAY(r->ev.arena, struct tensor *, c->nout);
    struct tensor **din = ARENA_ARRAY(r->ev.arena, struct tensor *, c->nin);
    for (uint32_t j = 0; j < c->nout; j++) {
        if (!k->out[j])
            continue;
        if (!(dout[j] = adjoint(r, c->out[j])))
            return false;
        for (int64_t o = 0; o < real(dout[j])->count; o++)
            scalar_store(dout[j]->dtype, element(dout[j], o),
                         scalar_from_f64(dout[j]->dtype, due[k->out[j] + o]));
    }
    for (uint32_t i = 0; i < c->nin; i++)
        if (k->in[i] && !(din[i] = adjoint(r, c->in[i].tensor)))
            return false;
    if (!eval_grad(&r->ev, c, dout, din))
        return false;
    for (uint32_t i = 0; i < c->nin; i++)
        for (int64_t o = 0; k->in[i] && o < real(din[i])->count; o++)
            due[k->in[i][o]] +=
                scalar_to_f64(din[i]->dtype, scalar_load(din[i]->dtype, element(din[i], o)));
    return true;
}

/* --- back ------------------------------------------------------------------------------------ */

/* A gradient of LOSS that is being taken. */
struct walk {
    double *due; /* by place: the derivative of the loss by what stands there */
    uint32_t n;
    struct tensor *const *wrt;
    bool twice, stepped; /* a gradient was reached; a param as it was */
};

static bool is_wanted(const struct walk *w, const struct ref_tensor *x) {
    for (uint32_t k = 0; k < w->n; k++)
        if (real(w->wrt[k]) == x)
            return true;
    return false;
}

static bool walk_back(struct ref *r, struct tape *t, uint32_t from, struct walk *w) {
    double *due = w->due;
    for (uint32_t i = from; i > 0; i--) {
        const struct entry *e = &t->at[i];
        if (e->from[0] == (uint32_t)TAPE_CALL) {
            struct kept k = t->kept.at[e->from[1]];
            if (!reverse_call(r, &k, due))
                return false;
            continue;
        }
        if (due[i] == 0)
            continue;
        if (e->from[0] == (uint32_t)TAPE_GRADIENT) {
            w->twice = true;
        } else if (e->from[0] == (uint32_t)TAPE_STEP) {
            w->stepped = w->stepped || is_wanted(w, t->stepped.at[e->from[1]]);
        } else {
            due[e->from[0]] += e->from[0] ? due[i] * e->by[0] : 0;
            due[e->from[1]] += e->from[1] ? due[i] * e->by[1] : 0;
        }
    }
    return true;
}

static void close_due(void *due) {
    mem_free(due);
}

bool taped_gradient(void *host, const struct tensor *loss, uint32_t n, struct tensor *const *wrt,
                    struct tensor **out, bool *depends, struct span span) {
    struct ref *r = host;
    struct tape *t = recording(r);
    if (!t || r->level || r->branches) {
        diag_error(r->ev.diags, span, ERR_NOT_HERE,
                   "gradients are taken outside of maps, loops and branches of a function");
        return false;
    }
    uint32_t from = places(real(loss))[0];
    double *due = mem_alloc((size_t)t->n * sizeof *due);
    memset(due, 0, (size_t)t->n * sizeof *due);
    arena_on_free(r->ev.arena, close_due, due);
    due[from] = 1;
    struct walk w = {.due = due, .n = n, .wrt = wrt};
    t->paused = true;
    bool ok = walk_back(r, t, from, &w);
    t->paused = false;
    if (ok && w.stepped) {
        diag_error(r->ev.diags, span, ERR_NOT_HERE,
                   "this has no derivative here: the value depends on what it is taken over as it "
                   "was before it was overwritten");
        return false;
    }
    if (ok && w.twice) {
        diag_error(r->ev.diags, span, ERR_BACKEND,
                   "the reference evaluator has no gradients of gradients: use the back-end cpu");
        return false;
    }
    for (uint32_t k = 0; k < n && ok; k++) {
        depends[k] = true; /* LATER: the tape knows it of these data, not of all */
        if (!(out[k] = adjoint(r, wrt[k])))
            return false;
        const uint32_t *at = places(real(wrt[k]));
        uint32_t *to = places(real(out[k]));
        for (int64_t o = 0; o < real(out[k])->count; o++) {
            scalar_store(out[k]->dtype, element(out[k], o),
                         scalar_from_f64(out[k]->dtype, at[o] ? due[at[o]] : 0));
            to[o] = push(t, (struct entry){{(uint32_t)TAPE_GRADIENT, 0}, {0}});
        }
        out[k]->container = false;
    }
    return ok;
}
