/* Tensor form: expressions on whole tensors, the standard library, helper functions. */
#ifndef DCL_TESTS_FUZZ_TENSORS_H
#define DCL_TESTS_FUZZ_TENSORS_H

#include "tests/fuzz/growing.h"

static bool usable(const struct view *v) {
    return readable(v) && is_whole(v) && !v->edges;
}

static struct view *random_tensor(struct gen *g, struct scope *s, int least_rank, int most) {
    for (int k = 0; k < 12 && s->nviews; k++) {
        struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        if (usable(v) && v->rank >= least_rank && elements(v) <= most)
            return v;
    }
    return NULL;
}

static bool same_dims(const struct view *a, const struct view *b) {
    bool same = a->rank == b->rank;
    for (int d = 0; same && d < a->rank; d++)
        same = same_dim(&a->slot[d].dim, &b->slot[d].dim);
    return same;
}

/* Whether A's dimensions stretch to B's. */
static bool stretches(const struct view *a, const struct view *b) {
    bool fits = a->rank <= b->rank;
    for (int d = 0; fits && d < a->rank; d++) {
        const struct dim *x = &a->slot[d].dim, *y = &b->slot[d + b->rank - a->rank].dim;
        fits = same_dim(x, y) || strcmp(x->text, "1") == 0;
    }
    return fits;
}

static bool tensor_leaf(struct gen *g, struct scope *s, const struct view *like, enum dtype t,
                        bool whole, struct buf *e) {
    for (int k = 0; k < 12; k++) {
        const struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        if (v->dtype == t && usable(v) && (whole ? same_dims(v, like) : stretches(v, like))) {
            buf_text(e, v->name);
            return true;
        }
    }
    if (whole)
        return false;
    buf_printf(e, "%s(", type_name(g, t));
    literal(g, t, e);
    buf_text(e, ")");
    return true;
}

/* A tensor expression of element type T with the dimensions of LIKE if WHOLE, else of some that
   stretch to them. LIKE itself serves where nothing else does. */
static void tensor_expression(struct gen *g, struct scope *s, const struct view *like, enum dtype t,
                              bool whole, int depth, struct buf *e) {
    static const char *const infixes[] = {"+", "-", "*", "+", "*"};
    static const char *const flips[] = {"tanh(", "abs(", "exp(0.25*", "sqrt(0.5 + abs(", "floor("};
    if (depth <= 0 || rng_chance(&g->rng, 20)) {
        if (tensor_leaf(g, s, like, t, whole, e))
            return;
        if (like->dtype == t)
            buf_text(e, like->name);
        else if (t == DT_bool)
            buf_printf(e, like->dtype == DT_bool ? "(not %s)" : "(%s > 0)", like->name);
        else
            buf_printf(e, "%s(%s)", type_name(g, t), like->name);
        return;
    }
    depth--;
    if (t == DT_bool) {
        enum dtype of = like->dtype == DT_bool ? DT_bool : like->dtype;
        buf_text(e, "(");
        tensor_expression(g, s, like, of, whole, depth, e);
        buf_text(e, of == DT_bool ? " or " : rng_chance(&g->rng, 50) ? " < " : " != ");
        tensor_expression(g, s, like, of, false, depth, e);
        buf_text(e, ")");
        return;
    }
    switch (rng_below(&g->rng, 10)) {
    case 0: {
        buf_text(e, "select(");
        tensor_expression(g, s, like, DT_bool, false, depth, e);
        buf_text(e, ", ");
        tensor_expression(g, s, like, t, whole, depth, e);
        buf_text(e, ", ");
        tensor_expression(g, s, like, t, false, depth, e);
        buf_text(e, ")");
        return;
    }
    case 1:
        buf_text(e, rng_chance(&g->rng, 50) ? "max(" : "min(");
        tensor_expression(g, s, like, t, false, depth, e);
        buf_text(e, ", ");
        tensor_expression(g, s, like, t, whole, depth, e);
        buf_text(e, ")");
        return;
    case 2:
        if (dtype_is_float(t)) {
            int k = rng_below(&g->rng, 5);
            buf_text(e, flips[k]);
            tensor_expression(g, s, like, t, whole, depth, e);
            buf_text(e, k == 3 ? "))" : ")");
            return;
        }
        buf_text(e, "abs(");
        tensor_expression(g, s, like, t, whole, depth, e);
        buf_text(e, ")");
        return;
    case 3:
        buf_text(e, rng_chance(&g->rng, 50) ? "relu(" : "(-");
        tensor_expression(g, s, like, t, whole, depth, e);
        buf_text(e, ")");
        return;
    case 4:
        buf_printf(e, "%s(", type_name(g, t));
        tensor_expression(g, s, like, like->dtype, whole, depth, e);
        buf_text(e, ")");
        return;
    default: break;
    }
    buf_text(e, "(");
    tensor_expression(g, s, like, t, whole, depth, e);
    buf_printf(e, " %s ", rng_of(&g->rng, infixes));
    tensor_expression(g, s, like, t, false, depth, e);
    buf_text(e, ")");
}

static const char *tensor_text(struct gen *g, struct scope *s, const struct view *like) {
    struct buf e = buf_new(g->arena);
    tensor_expression(g, s, like, like->dtype, true, 2, &e);
    return e.at;
}

/* A named value that this function made: `NAME = TEXT`. */
static bool name_tensor(struct gen *g, struct scope *s, struct view v, const char *text) {
    if (s->nviews >= SCOPE_VIEWS - 2)
        return false;
    v.mode = MODE_READ;
    v.init = v.value = true;
    v.container = false;
    v.only = RES_NONE;
    v.below = 0;
    fresh(g, "v", v.name);
    line(g, s, "%s = %s", v.name, text);
    add_view(s, v);
    s->size += 2;
    return true;
}

/* A dimension that an argument's type can say. */
static bool plain_dim(const struct gen *g, const struct dim *d) {
    if (d->text[0] >= '0' && d->text[0] <= '9' && d->text[strspn(d->text, "0123456789")] == 0)
        return true;
    return arg_dim_of(g, d).size >= 0;
}

static bool product(struct gen *g, struct scope *s, const struct view *a) {
    struct dim dims[2];
    if (a->rank < 1 || !dtype_is_float(a->dtype) || !plain_dim(g, &a->slot[a->rank - 1].dim))
        return false;
    struct view v = *a;
    dims[0] = a->slot[a->rank - 1].dim;
    dims[1] = random_dim(g, 17);
    if (!pay(g, s, elements(a) * dims[1].n + 1))
        return false;
    v.slot[v.rank - 1].dim = dims[1];
    bool linear = rng_chance(&g->rng, 40);
    if (linear) {
        struct dim t = dims[0];
        dims[0] = dims[1];
        dims[1] = t;
    } else if (a->rank < 2) {
        return false;
    }
    const struct view *w = new_param(g, s, a->dtype, 2, dims, CONTENT_PLAIN, false);
    if (!w)
        return false;
    char name[16];
    memcpy(name, w->name, sizeof name);
    if (!linear)
        return name_tensor(g, s, v, arena_printf(g->arena, "%s @ %s", a->name, name));
    const struct view *b = new_param(g, s, a->dtype, 1, dims, CONTENT_PLAIN, false);
    return b && name_tensor(g, s, v,
                            arena_printf(g->arena, "linear(%s, %s, %s)", a->name, name, b->name));
}

static bool convolution(struct gen *g, struct scope *s) {
    struct dim x[4], w[4];
    int stride = 1 + rng_below(&g->rng, 2), pad = rng_below(&g->rng, 2);
    struct view out = {.dtype = rng_chance(&g->rng, 70) ? DT_f32 : DT_i32, .rank = 4};
    if (s->nviews >= SCOPE_VIEWS - 3)
        return false;
    x[0] = random_dim(g, 2);
    x[1] = random_dim(g, 3);
    x[2] = random_dim(g, 9);
    x[3] = random_dim(g, 9);
    bool pool = rng_chance(&g->rng, 30);
    if (pool) /* of floats only */
        out.dtype = rng_chance(&g->rng, 70) ? DT_f32 : DT_f16;
    int k = 1 + rng_below(&g->rng, 3);
    w[0] = pool ? x[1] : random_dim(g, 3);
    w[1] = x[1];
    w[2] = w[3] = dim_number(k);
    if (x[2].n < k || x[3].n < k)
        return false;
    out.slot[0].dim = x[0];
    out.slot[1].dim = w[0];
    for (int d = 2; d < 4; d++) {
        struct dim *o = &out.slot[d].dim;
        o->n = (x[d].n + (pool ? 0 : 2 * pad) - k) / stride + 1;
        snprintf(o->text, sizeof o->text, "(%.20s + %d)//%d + 1", x[d].text,
                 (pool ? 0 : 2 * pad) - k, stride);
        if (x[d].text[0] <= '9')
            *o = dim_number(o->n);
    }
    if (!pay(g, s, elements(&out) * k * k * (pool ? 1 : x[1].n)))
        return false;
    const struct view *a = new_param(g, s, out.dtype, 4, x, CONTENT_PLAIN, false);
    if (!a)
        return false;
    if (pool)
        return name_tensor(
            g, s, out, arena_printf(g->arena, "max_pool(%s, %d, stride = %d)", a->name, k, stride));
    char name[16];
    memcpy(name, a->name, sizeof name);
    const struct view *b = new_param(g, s, out.dtype, 4, w, CONTENT_PLAIN, false);
    return b && name_tensor(g, s, out,
                            arena_printf(g->arena, "conv2d(%s, %s, stride = %d, pad = %d)", name,
                                         b->name, stride, pad));
}

static bool library_call(struct gen *g, struct scope *s) {
    struct view *a = random_tensor(g, s, 1, 2500);
    int k = rng_below(&g->rng, 16);
    if (k < 4)
        return (a && product(g, s, a)) || (k == 3 && convolution(g, s));
    if (k == 4)
        return convolution(g, s);
    if (!a || a->dtype == DT_bool || !pay(g, s, 3 * elements(a)))
        return false;
    struct view v = *a;
    bool real = dtype_is_float(a->dtype);
    const char *text = NULL;
    struct dim one = dim_number(1);
    switch (k) {
    case 5: text = real ? "softmax(%s)" : "relu(%s)"; break;
    case 6: text = real ? "log_softmax(%s)" : "relu(%s)"; break;
    case 7: text = real ? "sigmoid(%s)" : "%s |> relu"; break;
    case 8:
    case 9:
        text =
            k == 8 ? "sum(%s, axes = -1, keepdims = true)" : "max(%s, axes = -1, keepdims = true)";
        v.slot[v.rank - 1].dim = one;
        break;
    case 10:
        text =
            real ? "mean(%s, axes = -1, keepdims = true)" : "sum(%s, axes = -1, keepdims = true)";
        v.slot[v.rank - 1].dim = one;
        break;
    case 11:
        text = "argmax(%s)";
        v.rank--;
        v.dtype = DT_i64;
        break;
    case 12:
        if (v.rank < 2)
            return false;
        text = v.rank == 2 && rng_chance(&g->rng, 80) ? "%s.T" : "transpose(%s)";
        v.slot[v.rank - 1].dim = a->slot[v.rank - 2].dim;
        v.slot[v.rank - 2].dim = a->slot[v.rank - 1].dim;
        break;
    case 13: {
        struct dim last = a->slot[a->rank - 1].dim;
        if (!real || !plain_dim(g, &last) || s->nviews >= SCOPE_VIEWS - 3)
            return false;
        const char *scale[2];
        for (int i = 0; i < 2; i++) {
            const struct view *w = new_param(g, s, a->dtype, 1, &last, CONTENT_PLAIN, false);
            if (!w)
                return false;
            scale[i] = arena_printf(g->arena, "%s", w->name);
        }
        return name_tensor(
            g, s, v, arena_printf(g->arena, "layer_norm(%s, %s, %s)", a->name, scale[0], scale[1]));
    }
    default: {
        struct buf e = buf_new(g->arena);
        static const char *const names[] = {"add", "sub", "mul"};
        buf_printf(&e, "%s(%s, ", rng_of(&g->rng, names), a->name);
        tensor_expression(g, s, a, a->dtype, false, 1, &e);
        buf_text(&e, ")");
        return name_tensor(g, s, v, e.at);
    }
    }
    char out[64];
    size_t at = strcspn(text, "%");
    snprintf(out, sizeof out, "%.*s%s%s", (int)at, text, a->name, text + at + 2);
    return name_tensor(g, s, v, out);
}

/* --- helpers --------------------------------------------------------------------------------- */

/* A function over packs, called on A. */
static bool pack_helper(struct gen *g, struct scope *s, const struct view *a) {
    static const char *const reductions[] = {"sum", "max", "min"};
    enum dtype t = a->dtype;
    if (t == DT_bool || !pay(g, s, 2 * elements(a)))
        return false;
    struct gen h = *g; /* the same names are free in another function */
    struct scope in = {.depth = 1, .iterations = 1};
    const char *class = dtype_is_float(t) ? "float" : "int";
    int k = rng_below(&g->rng, a->rank ? 4 : 1), id = g->helpers++;
    struct program none = {.seed = 0};
    h.p = &none;
    h.generic = t;
    h.used = map_new(g->arena);
    h.local = map_new(g->arena);
    h.out = buf_new(g->arena);
    add_value(&in, "u", t, 0);
    struct view v = *a;
    struct buf call = buf_new(g->arena);
    buf_printf(&call, "h%d(%s", id, a->name);
    switch (k) {
    case 0:
        add_value(&in, "w", t, 0);
        buf_printf(&h.out, "fn h%d(a: T[*S], b: T[*S]) -> c: T[*S] where T: %s {\n", id, class);
        buf_printf(&h.out, "  map *i in S {\n    u << a[*i]\n    w << b[*i]\n");
        line(&h, &in, "c[*i] = %s", expression_text(&h, &in, t, 3));
        buf_text(&call, ", ");
        tensor_expression(g, s, a, t, false, 1, &call);
        break;
    case 1:
        buf_printf(&h.out, "fn h%d(a: T[*S, N]) -> c: T[*S] where T: %s {\n", id, class);
        buf_printf(&h.out, "  map *b in S, i in N {\n    u << a[*b, i]\n");
        line(&h, &in, "%s >> c[*b] (%s)", expression_text(&h, &in, t, 2),
             rng_of(&g->rng, reductions));
        v.rank--;
        break;
    case 2:
        buf_printf(&h.out, "fn h%d(a: T[*S, N]; k: int = 1) -> c: T[*S, N] where T: %s {\n", id,
                   class);
        buf_printf(&h.out, "  map *b, i {\n    u << a[*b, i]\n");
        line(&h, &in, "c[*b, i] = %s + a[*b, i - k, else 0]", expression_text(&h, &in, t, 2));
        if (rng_chance(&g->rng, 60))
            buf_printf(&call, ", k = %d", rng_below(&g->rng, 4));
        break;
    default:
        buf_printf(&h.out, "fn h%d(a: T[N, *S]) -> c: T[*S] where T: %s {\n", id, class);
        buf_printf(&h.out, "  map n in N, *b in S {\n    u << a[n, *b]\n");
        line(&h, &in, "%s >> c[*b] (%s)", expression_text(&h, &in, t, 2),
             rng_of(&g->rng, reductions));
        v.rank--;
        memmove(v.slot, v.slot + 1, sizeof v.slot - sizeof *v.slot);
    }
    buf_text(&call, ")");
    g->rng = h.rng;
    buf_printf(&g->helper_text, "%s  }\n}\n", h.out.at);
    return name_tensor(g, s, v, call.at);
}

/* y += a*x, or so, through an inout parameter. */
static bool inout_helper(struct gen *g, struct scope *s) {
    struct view *y = NULL;
    for (int k = 0; k < 8 && !y; k++) {
        struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        if (v->mode == MODE_OWN && v->init && v->only == RES_NONE && is_whole(v) && v->rank)
            y = v;
    }
    if (!y || y->dtype == g->generic || !pay(g, s, elements(y)))
        return false;
    struct gen h = *g;
    struct scope in = {.depth = 1, .iterations = 1};
    int id = g->helpers++;
    struct program none = {.seed = 0};
    h.p = &none;
    h.used = map_new(g->arena);
    h.local = map_new(g->arena);
    h.generic = DT_NONE;
    h.out = buf_new(g->arena);
    const char *t = dtypes[y->dtype].name;
    buf_printf(&h.out, "fn h%d(inout y: %s[*S]) {\n  map *i in S {\n    u << y[*i]\n", id, t);
    add_value(&in, "u", y->dtype, 0);
    line(&h, &in, "y[*i] = %s", expression_text(&h, &in, y->dtype, 3));
    g->rng = h.rng;
    buf_printf(&g->helper_text, "%s  }\n}\n", h.out.at);
    line(g, s, "h%d(%s)", id, y->name);
    s->size += 2;
    return true;
}

static bool whole_function(struct gen *g, struct scope *s);

static bool tensor_statement(struct gen *g, struct scope *s) {
    int k = rng_below(&g->rng, 12);
    if (s->nviews == 0)
        return false;
    if (k < 3)
        return library_call(g, s);
    if (k == 3)
        return inout_helper(g, s);
    if (k == 4 && whole_function(g, s))
        return true;
    struct view *a = random_tensor(g, s, 0, 4300);
    if (!a || !pay(g, s, 4 * elements(a)))
        return false;
    if (k < 6)
        return pack_helper(g, s, a);
    if (k == 6 && a->mode == MODE_OWN && a->only == RES_NONE) {
        const char *text = tensor_text(g, s, a);
        line(g, s, a->rank && rng_chance(&g->rng, 30) ? "%s[%s] = %s" : "%s%.0s = %s", a->name,
             a->rank == 1   ? ":"
             : a->rank == 2 ? ":, :"
             : a->rank == 3 ? ":, :, :"
                            : ":, :, :, :",
             text);
        s->size += 2;
        return true;
    }
    if (k < 9 && a->value && a->rank) { /* rebound: carried by what is around */
        line(g, s, "%s = %s", a->name, tensor_text(g, s, a));
        s->size += 2;
        return true;
    }
    if (a->rank == 0)
        return false;
    struct view v = *a;
    return name_tensor(g, s, v, tensor_text(g, s, a));
}

#endif
