/* Subsets: elements and strided boxes of tensors. A box is read into a new container, written from
   a scalar, a tensor or another box; each is a map of element memlets. */
#include "lang/eval/internal.h"
#include "lang/eval/site.h"

static bool subscript_count(struct eval *ev, const struct tensor *t, uint32_t given,
                            struct span span) {
    if (given == t->rank)
        return true;
    struct diag *e = diag_error(ev->diags, span, ERR_INDEX_COUNT,
                                name_none(tensor_called(t)) ? "the tensor" : text_of(ev, t->name),
                                t->rank, plural(t->rank), given, plural(given));
    if (name_none(tensor_called(t)))
        diag_detail(ev->diags, e, "%s", type_text(ev, t));
    else
        diag_detail(ev->diags, e, "%s: %s", text_of(ev, t->name), type_text(ev, t));
    help_subscripts(ev->diags, e, span, given, t->rank);
    return false;
}

/* Whether nothing but numbers stands in E. */
static bool is_number(const struct ast *e) {
    bool plain = e->kind != AST_NAME && e->kind != AST_CALL && e->kind != AST_ANY;
    for (uint32_t i = 0; plain && i < e->nkids; i++)
        plain = !e->kids[i] || is_number(e->kids[i]);
    return plain;
}

/* Whether subscript E, V in dimension D, is told to be negative before anything runs: so is `x[-1]`
   by whoever evaluates it, with what to write instead. */
static bool is_negative(struct eval *ev, const struct block *b, uint32_t d, const struct value *v,
                        const struct ast *e) {
    bool number = is_number(e);
    if (v->kind != VAL_INT || v->i >= 0 || b->has_other || b->drop ||
        (number ? ev->outside_told : ev->runs))
        return false;
    struct buf size = buf_new(ev->arena);
    value_print(ev, &b->tensor->dims[d], &size);
    if (number) {
        buf_printf(&size, " - %llu", 0 - (unsigned long long)v->i);
        diag_error(ev->diags, e->span, ERR_NEGATIVE_INDEX, size.at);
    } else {
        struct site x = site_here(ev, b->tensor, b->span);
        site_outside(ev->diags, ev->names, &x, v->i, d, size.at);
    }
    return true;
}

static bool one_subscript(struct eval *ev, struct value v, struct block *b, uint32_t d,
                          const struct ast *e) {
    if (is_negative(ev, b, d, &v, e))
        return false;
    b->lo[d] = v;
    b->step[d] = value_int(1);
    b->count[d] = value_none();
    return true;
}

static bool range_subscript(struct eval *ev, struct env *env, const struct ast *s, struct block *b,
                            uint32_t d) {
    struct value lo = value_int(0), hi = b->tensor->dims[d], step = value_int(1);
    if ((s->kids[0] && !eval_integer(ev, env, s->kids[0], &lo)) ||
        (s->kids[1] && !eval_integer(ev, env, s->kids[1], &hi)) ||
        (s->kids[2] && !eval_integer(ev, env, s->kids[2], &step)))
        return false;
    if (step.kind != VAL_INT || step.i <= 0) {
        diag_help(ev->diags,
                  diag_error(ev->diags, s->span, ERR_VALUE,
                             "the step of a range must be a positive number"),
                  "backwards is n - 1 - i for i in 0:n; flip(x) of a tensor");
        return false;
    }
    struct value n = int_op(ev, INT_SUB, &hi, &lo), round = value_int(step.i - 1);
    if (n.kind == VAL_INT && n.i < 0) {
        diag_error(ev->diags, s->span, ERR_NEGATIVE_SIZE, "this range",
                   arena_printf(ev->arena, "%lld", (long long)n.i));
        return false;
    }
    if (step.i != 1) {
        n = int_op(ev, INT_ADD, &n, &round);
        n = int_op(ev, INT_FLOORDIV, &n, &step);
    }
    b->lo[d] = lo;
    b->step[d] = step;
    b->count[d] = n;
    b->kept++;
    return true;
}

struct block block_whole(struct eval *ev, struct tensor *t, struct span span) {
    struct block b = {.tensor = t, .span = span, .kept = t->rank};
    b.lo = ARENA_ARRAY(ev->arena, struct value, t->rank);
    b.step = ARENA_ARRAY(ev->arena, struct value, t->rank);
    b.count = ARENA_ARRAY(ev->arena, struct value, t->rank);
    for (uint32_t d = 0; d < t->rank; d++) {
        b.lo[d] = value_int(0);
        b.step[d] = value_int(1);
        b.count[d] = t->dims[d];
    }
    return b;
}

static bool subset_of(struct eval *ev, struct env *env, const struct ast *e, struct value object,
                      struct value row, struct block *b);

bool eval_block(struct eval *ev, struct env *env, const struct ast *e, struct block *b) {
    struct value object, row;
    if (e->kind != AST_INDEX) {
        if (!eval_expr(ev, env, e, &object))
            return false;
        if (object.kind != VAL_TENSOR) {
            diag_error(ev->diags, e->span, ERR_ARG_KIND, "subset", "what it is of", "a tensor",
                       value_text(ev, &object));
            return false;
        }
        *b = block_whole(ev, object.tensor, e->span);
        return true;
    }
    if (!is_append(e))
        return eval_expr(ev, env, e->kids[0], &object) && eval_subset(ev, env, e, object, b);
    struct binding *y = env_find(env, e->kids[0]->name, NULL);
    if (!y || y->value.kind != VAL_TENSOR || !y->value.tensor->count) {
        diag_error(ev->diags, e->span, ERR_NOT_HERE, "this does not grow");
        return false;
    }
    return grow_row(ev, y->value.tensor, e->span, &row) && subset_of(ev, env, e, y->value, row, b);
}

bool eval_subset(struct eval *ev, struct env *env, const struct ast *e, struct value object,
                 struct block *b) {
    return subset_of(ev, env, e, object, value_none(), b);
}

/* ROW stands for `?`. */
static bool subset_of(struct eval *ev, struct env *env, const struct ast *e, struct value object,
                      struct value row, struct block *b) {
    if (object.kind != VAL_TENSOR) {
        bool list = object.kind == VAL_LIST || object.kind == VAL_PACK;
        struct diag *d =
            list ? diag_error(ev->diags, e->span, ERR_READ_ONLY, "a list")
                 : diag_error(ev->diags, e->span, ERR_ARG_KIND, "subscript", "what is subscripted",
                              "a tensor or list", value_text(ev, &object));
        if (list)
            diag_help(ev->diags, d, "make another one: l[:i] + [v] + l[i + 1:]");
        return false;
    }
    struct tensor *t = object.tensor;
    *b = block_whole(ev, t, e->span);
    b->kept = 0;
    uint32_t nsubs = e->nkids - 1, total = 0;
    const struct ast *last = nsubs ? e->kids[e->nkids - 1] : NULL;
    if (last && last->kind == AST_ELSE) {
        nsubs--;
        if (!last->kids[0]) {
            b->drop = true;
        } else {
            b->has_other = true;
            if (!eval_expr(ev, env, last->kids[0], &b->other) ||
                !to_scalar(ev, t->dtype, &b->other, "else", last->span))
                return false;
        }
    }
    struct value *lists = ARENA_ARRAY(ev->arena, struct value, nsubs); /* of `*LIST` */
    for (uint32_t k = 0; k < nsubs; k++) {
        bool spread = e->kids[k + 1]->kind == AST_SPREAD;
        if (spread && !eval_spread(ev, env, e->kids[k + 1], &lists[k]))
            return false;
        total += spread ? lists[k].list->n : 1;
    }
    if (!subscript_count(ev, t, total, e->span))
        return false;
    uint32_t d = 0;
    for (uint32_t k = 0; k < nsubs; k++) {
        const struct ast *s = e->kids[k + 1];
        if (s->kind == AST_RANGE) {
            if (!range_subscript(ev, env, s, b, d++))
                return false;
        } else if (s->kind == AST_ANY) {
            if (!one_subscript(ev, row, b, d++, s))
                return false;
        } else if (s->kind == AST_SPREAD) {
            for (uint32_t i = 0; i < lists[k].list->n; i++) {
                struct value v = lists[k].list->at[i];
                if (!to_integer(ev, &v, s->span) || !one_subscript(ev, v, b, d++, s))
                    return false;
            }
        } else {
            struct value v;
            uint32_t errors = ev->diags->errors;
            if (!eval_integer(ev, env, s, &v)) {
                advise_subscript(ev, errors, s, &v);
                return false;
            }
            if (!one_subscript(ev, v, b, d++, s))
                return false;
        }
    }
    return true;
}

bool block_is_element(const struct block *b) {
    return b->kept == 0;
}

/* The virtual indices of B for the kept indices KEPT. */
static void block_at(struct eval *ev, const struct block *b, const struct value *kept,
                     struct value *at) {
    uint32_t k = 0;
    for (uint32_t d = 0; d < b->tensor->rank; d++) {
        if (b->count[d].kind == VAL_NONE) {
            at[d] = b->lo[d];
            continue;
        }
        struct value x = int_op(ev, INT_MUL, &kept[k++], &b->step[d]);
        at[d] = int_op(ev, INT_ADD, &b->lo[d], &x);
    }
}

struct transfer {
    struct eval *ev;
    const struct block *to, *from; /* FROM NULL: the scalar */
    struct value scalar;
    enum resolution resolution;
    const struct value *by; /* a function that resolves, or NULL */
    uint32_t offset;        /* dimensions of TO that FROM lacks on the left */
};

static bool transfer_body(void *data, const struct value *index) {
    struct transfer *t = data;
    struct eval *ev = t->ev;
    struct value v = t->scalar, at[EVAL_MAX_RANK], real[EVAL_MAX_RANK];
    if (t->from) {
        struct value stretched[EVAL_MAX_RANK]; /* unit dimensions of FROM stay at 0 */
        uint32_t k = 0;
        for (uint32_t d = 0; d < t->from->tensor->rank; d++) {
            if (t->from->count[d].kind == VAL_NONE)
                continue;
            bool unit = t->from->count[d].kind == VAL_INT && t->from->count[d].i == 1;
            stretched[k] = unit ? value_int(0) : index[t->offset + k];
            k++;
        }
        block_at(ev, t->from, stretched, at);
        real_indices(ev, t->from->tensor, at, real);
        if (!ev->ops->read(ev->host, t->from->tensor, real,
                           t->from->has_other ? &t->from->other : NULL, t->from->span, &v))
            return false;
    }
    block_at(ev, t->to, index, at);
    real_indices(ev, t->to->tensor, at, real);
    if (t->by) {
        struct value pair[2] = {value_none(), v};
        if (!ev->ops->read(ev->host, t->to->tensor, real, NULL, t->to->span, &pair[0]) ||
            !eval_call(ev, t->by, 2, pair, NULL, t->to->span, &v) ||
            !to_scalar(ev, t->to->tensor->dtype, &v, "the resolution", t->to->span))
            return false;
    }
    return ev->ops->write(ev->host, t->to->tensor, real, v, t->resolution, t->to->drop,
                          t->to->span);
}

bool map_elements(struct eval *ev, uint32_t rank, const struct value *dims, struct span span,
                  eval_body *body, void *data) {
    struct eval_range r[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++)
        r[d] = (struct eval_range){.name = name_lit(ev, arena_printf(ev->arena, "i%u", d)),
                                   .lo = value_int(0),
                                   .hi = dims[d],
                                   .step = value_int(1),
                                   .span = span};
    return ev->ops->map(ev->host, rank, r, false, span, body, data);
}

/* A range whose length is not known to be positive or 0 is checked when it runs, as that of a
   container is: by a container of this size that nothing uses. */
static bool check_ranges(struct eval *ev, const struct block *b) {
    for (uint32_t d = 0; d < b->tensor->rank; d++) {
        const struct value *n = &b->count[d], *whole = &b->tensor->dims[d];
        if (n->kind != VAL_SYM || (whole->kind == VAL_SYM && sym_eq(n->sym, whole->sym)) ||
            (ev->facts && sym_prove_nonneg(ev->facts, n->sym)))
            continue;
        if (!declare(ev, DT_bool, 1, n, STORE_NONE, NULL, (struct name){0}, b->span))
            return false;
    }
    return true;
}

static bool transfer(struct eval *ev, struct transfer *t) {
    const struct block *b = t->to;
    if (!check_ranges(ev, b))
        return false;
    struct value dims[EVAL_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t d = 0; d < b->tensor->rank; d++)
        if (b->count[d].kind != VAL_NONE)
            dims[n++] = b->count[d];
    return n == 0 ? transfer_body(t, NULL) : map_elements(ev, n, dims, b->span, transfer_body, t);
}

bool block_read(struct eval *ev, const struct block *b, struct value *out) {
    if (b->drop) {
        diag_error(ev->diags, b->span, ERR_NOT_HERE, "`else _` drops writes; a read needs a value");
        return false;
    }
    if (block_is_element(b)) {
        struct value real[EVAL_MAX_RANK];
        real_indices(ev, b->tensor, b->lo, real);
        return ev->ops->read(ev->host, b->tensor, real, b->has_other ? &b->other : NULL, b->span,
                             out);
    }
    struct value dims[EVAL_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t d = 0; d < b->tensor->rank; d++)
        if (b->count[d].kind != VAL_NONE)
            dims[n++] = b->count[d];
    struct tensor *t =
        declare(ev, b->tensor->dtype, n, dims, STORE_NONE, NULL, (struct name){0}, b->span);
    if (!t)
        return false;
    struct block to = block_whole(ev, t, b->span);
    struct transfer move = {.ev = ev, .to = &to, .from = b};
    *out = value_tensor(t);
    return transfer(ev, &move);
}

static bool writable(struct eval *ev, const struct block *b) {
    if (!b->tensor->container || b->tensor->read_only) {
        struct diag *e = diag_error(
            ev->diags, b->span, ERR_READ_ONLY,
            name_none(tensor_called(b->tensor)) ? "a value" : text_of(ev, b->tensor->name));
        diag_help(ev->diags, e, "declare a container (`name: type`) or an `inout` parameter");
        return false;
    }
    if (b->has_other) {
        diag_error(ev->diags, b->span, ERR_NOT_HERE,
                   "a write outside has no value: `else _` drops it");
        return false;
    }
    return true;
}

/* What is assigned to TO, which the last error tells of, has another shape: a container keeps its
   own. */
static void advise_shape(struct eval *ev, const struct block *to) {
    struct diag *d = diags_last(ev->diags);
    bool whole = !to->declared && !name_none(to->tensor->name) && to->tensor->container;
    for (uint32_t k = 0; whole && k < to->tensor->rank; k++)
        whole = to->count[k].kind != VAL_NONE && value_equal(&to->count[k], &to->tensor->dims[k]);
    if (d && whole)
        diag_help(
            ev->diags, d,
            "%s keeps the shape that it was declared with; declare it anew, or use another name",
            text_of(ev, to->tensor->name));
}

static bool copy_block(struct eval *ev, const struct block *to, const struct block *from,
                       enum resolution r, const struct value *by) {
    if (!writable(ev, to))
        return false;
    if (to->tensor->dtype != from->tensor->dtype) {
        struct diag *d =
            diag_error(ev->diags, to->span, ERR_DTYPE_MISMATCH, "assignment",
                       dtypes[to->tensor->dtype].name, dtypes[from->tensor->dtype].name);
        diag_help(ev->diags, d, "%s(..) of the value converts", dtypes[to->tensor->dtype].name);
        return false;
    }
    struct value a[EVAL_MAX_RANK], b[EVAL_MAX_RANK];
    uint32_t na = 0, nb = 0;
    for (uint32_t d = 0; d < to->tensor->rank; d++)
        if (to->count[d].kind != VAL_NONE)
            a[na++] = to->count[d];
    for (uint32_t d = 0; d < from->tensor->rank; d++)
        if (from->count[d].kind != VAL_NONE)
            b[nb++] = from->count[d];
    uint32_t n = na;
    struct value *dims = arena_copy(ev->arena, a, na * sizeof *a);
    const char *what = to->declared ? text_of(ev, to->tensor->name) : "assignment";
    if (!broadcast_dims(ev, what, &n, &dims, nb, b, to->span)) {
        advise_shape(ev, to);
        return false;
    }
    if (n != na) {
        diag_error(ev->diags, to->span, ERR_RANK_MISMATCH, what, "the value", nb, plural(nb), na);
        return false;
    }
    for (uint32_t k = 0; k < nb; k++) { /* the value may stretch, the target may not */
        const struct value *x = &a[na - nb + k];
        if (x->kind == VAL_INT && x->i == 1 && !(b[k].kind == VAL_INT && b[k].i == 1)) {
            diag_error(ev->diags, to->span, ERR_BROADCAST, "assignment", type_text(ev, to->tensor),
                       type_text(ev, from->tensor));
            return false;
        }
    }
    struct transfer move = {
        .ev = ev, .to = to, .from = from, .resolution = r, .by = by, .offset = na - nb};
    return transfer(ev, &move);
}

bool block_copy(struct eval *ev, const struct block *to, const struct block *from,
                enum resolution r) {
    return copy_block(ev, to, from, r, NULL);
}

bool same_storage(const struct tensor *s, const struct tensor *t) {
    return s->id == t->id && s->impl == t->impl;
}

static bool write_block(struct eval *ev, const struct block *b, struct value v, enum resolution r,
                        const struct value *by) {
    if (stands_for_tensor(&v) && !list_tensor(ev, b->tensor->dtype, (struct name){0}, b->span, &v))
        return false;
    if (v.kind == VAL_TENSOR && v.tensor->rank > 0) {
        if (same_storage(v.tensor, b->tensor) &&
            !tensor_copy(ev, v.tensor, (struct name){0}, b->span, &v))
            return false;
        struct block from = block_whole(ev, v.tensor, b->span);
        return copy_block(ev, b, &from, r, by);
    }
    if (v.kind == VAL_LIST) {
        diag_error(ev->diags, b->span, ERR_DTYPE_EXPECTED, "write", type_text(ev, b->tensor),
                   value_text(ev, &v));
        return false;
    }
    if (!writable(ev, b) || !to_scalar(ev, b->tensor->dtype, &v, "write", b->span))
        return false;
    struct transfer move = {.ev = ev, .to = b, .scalar = v, .resolution = r, .by = by};
    return transfer(ev, &move);
}

bool block_write(struct eval *ev, const struct block *b, struct value v, enum resolution r) {
    return write_block(ev, b, v, r, NULL);
}

bool block_resolve(struct eval *ev, const struct block *b, struct value v, const struct value *by) {
    if (b->drop) {
        diag_error(ev->diags, b->span, ERR_NOT_HERE,
                   "`else _` drops a write, but a resolution by a function reads the element");
        return false;
    }
    return write_block(ev, b, v, RES_NONE, by);
}

bool tensor_copy(struct eval *ev, struct tensor *t, struct name n, struct span span,
                 struct value *out) {
    struct tensor *c = declare(ev, t->dtype, t->rank, t->dims, STORE_NONE, NULL, n, span);
    if (!c)
        return false;
    c->container = true;
    struct block to = block_whole(ev, c, span), from = block_whole(ev, t, span);
    struct transfer move = {.ev = ev, .to = &to, .from = &from};
    bool ok = transfer(ev, &move);
    c->container = false;
    *out = value_tensor(c);
    return ok;
}
