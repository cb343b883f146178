/* Types and shapes: element types by name, dimensions, equality, NumPy broadcast.
   A requirement that symbols do not decide goes to the host, which checks it at the call. */
#include "lang/eval/internal.h"

#include <string.h>

enum dtype type_element(struct eval *ev, struct env *env, struct name n) {
    enum dtype t = dtype_of(text_of(ev, n));
    if (t != DT_NONE)
        return t;
    struct binding *b = env_find(env, n, NULL);
    return b && b->value.kind == VAL_DTYPE ? b->value.dtype : DT_NONE;
}

enum dtype numbers_element(struct eval *ev, const struct ast *where, struct name n,
                           enum dtype natural) {
    for (uint32_t i = 0; natural == DT_i64 && i < where->nkids; i++) {
        const struct ast *c = where->kids[i];
        if (c->kind == AST_CONSTRAINT && name_eq(c->name, n) &&
            strcmp(text_of(ev, c->kids[0]->name), "float") == 0)
            return DT_f32;
    }
    return natural;
}

bool to_integer(struct eval *ev, struct value *v, struct span span) {
    if (!read_if_scalar(ev, v, span))
        return false;
    if (v->kind == VAL_SYM && sym_exceeds(ev->syms, v->sym)) {
        struct diag *d =
            diag_error(ev->diags, span, ERR_VALUE, "this integer is too long an expression");
        diag_help(ev->diags, d, "it has thousands of terms over what is known when it runs");
        return false;
    }
    if (value_is_integer(v))
        return true;
    if (v->kind == VAL_SCALAR && dtype_is_int(v->dtype)) {
        struct value out;
        if (!ev->ops->integer(ev->host, v, span, &out))
            return false;
        *v = out;
        return true;
    }
    struct diag *d =
        diag_error(ev->diags, span, ERR_VALUE,
                   arena_printf(ev->arena, "subscripts, ranges and sizes are integers, not %s",
                                value_text(ev, v)));
    if (v->kind == VAL_FLOAT || (v->kind == VAL_SCALAR && dtype_is_float(v->dtype)))
        diag_help(ev->diags, d, "i64(..) drops the fraction; `//` divides integers");
    return false;
}

bool eval_integer(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    return eval_expr(ev, env, e, out) && to_integer(ev, out, e->span);
}

static bool is_size(struct eval *ev, const struct value *dim, struct span span) {
    if (dim->wrapped) {
        diag_error(ev->diags, span, ERR_SIZE_RANGE, "this dimension");
        return false;
    }
    if (dim->kind != VAL_INT || dim->i >= 0)
        return true;
    diag_error(ev->diags, span, ERR_NEGATIVE_SIZE, "this dimension",
               arena_printf(ev->arena, "%lld", (long long)dim->i));
    return false;
}

bool eval_type(struct eval *ev, struct env *env, const struct ast *type, enum dtype *t,
               uint32_t *rank, struct value **dims) {
    *t = type_element(ev, env, type->name);
    if (*t == DT_NONE) {
        diag_error(ev->diags, type->span, ERR_UNKNOWN_TYPE, text_of(ev, type->name));
        return false;
    }
    VEC(struct value) v = {0};
    for (uint32_t i = 0; i < type->nkids; i++) {
        const struct ast *d = type->kids[i];
        struct value x, list;
        if (d->kind == AST_ANY) {
            VEC_PUSH(ev->arena, v, value_none());
            continue;
        }
        if (d->kind == AST_SPREAD) {
            if (!eval_spread(ev, env, d, &list))
                return false;
            for (uint32_t k = 0; k < list.list->n; k++) {
                x = list.list->at[k];
                if (!to_integer(ev, &x, d->span) || !is_size(ev, &x, d->span))
                    return false;
                VEC_PUSH(ev->arena, v, x);
            }
            continue;
        }
        if (!eval_integer(ev, env, d, &x) || !is_size(ev, &x, d->span))
            return false;
        VEC_PUSH(ev->arena, v, x);
    }
    if (v.n > EVAL_MAX_RANK) {
        diag_error(
            ev->diags, type->span, ERR_VALUE,
            arena_printf(ev->arena, "%u dimensions: at most %d are possible", v.n, EVAL_MAX_RANK));
        return false;
    }
    *rank = v.n;
    *dims = v.at;
    return true;
}

struct tensor *tensor_of(struct eval *ev, enum dtype t, uint32_t rank, const struct value *dims,
                         struct span span) {
    struct tensor *x = ARENA_NEW(ev->arena, struct tensor);
    x->dtype = t;
    x->rank = x->real_rank = rank;
    x->dims = rank ? arena_copy(ev->arena, dims, rank * sizeof *dims) : NULL;
    x->span = span;
    return x;
}

struct tensor *declare(struct eval *ev, enum dtype t, uint32_t rank, const struct value *dims,
                       enum storage storage, const struct value *fill, struct name n,
                       struct span span) {
    return declare_laid(ev, t, rank, dims, NULL, storage, fill, n, span);
}

struct tensor *declare_laid(struct eval *ev, enum dtype t, uint32_t rank, const struct value *dims,
                            const struct layout *l, enum storage storage, const struct value *fill,
                            struct name n, struct span span) {
    struct tensor *x = tensor_of(ev, t, rank, dims, span);
    x->name = n;
    x->layout = l;
    x->laid = x->dims;
    for (uint32_t d = 0; d < rank; d++)
        if (dims[d].wrapped) {
            diag_error(ev->diags, span, ERR_SIZE_RANGE, name_none(n) ? "a tensor" : text_of(ev, n));
            return NULL;
        }
    if (!ev->ops->container(ev->host, x, storage, fill))
        return NULL;
    return x;
}

enum equal require_equal(struct eval *ev, const struct value *a, const struct value *b,
                         const char *text, struct span span) {
    int eq = int_equal(ev, a, b);
    if (eq >= 0)
        return eq ? EQUAL_YES : EQUAL_NO;
    struct value args[2], cond;
    if (!ev->ops->constant(ev->host, DT_i64, a, span, &args[0]) ||
        !ev->ops->constant(ev->host, DT_i64, b, span, &args[1]) ||
        !ev->ops->scalar(ev->host, OP_EQ, args, span, &cond) ||
        !ev->ops->require(ev->host, &cond, text, span))
        return EQUAL_FAILED;
    return EQUAL_YES;
}

static bool is_one(const struct value *v) {
    return v->kind == VAL_INT && v->i == 1;
}

const char *dims_text(struct eval *ev, uint32_t rank, const struct value *dims) {
    struct value_list list = {rank, (struct value *)dims, NULL};
    struct value v = {.kind = VAL_LIST, .list = &list};
    struct buf b = buf_new(ev->arena);
    value_print(ev, &v, &b);
    return b.at;
}

bool broadcast_dims(struct eval *ev, const char *what, uint32_t *rank, struct value **dims,
                    uint32_t rank2, const struct value *dims2, struct span span) {
    uint32_t n = *rank > rank2 ? *rank : rank2;
    struct value *out = ARENA_ARRAY(ev->arena, struct value, n);
    for (uint32_t k = 0; k < n; k++) { /* from the right */
        uint32_t at = n - 1 - k;
        const struct value *a = k < *rank ? &(*dims)[*rank - 1 - k] : NULL;
        const struct value *b = k < rank2 ? &dims2[rank2 - 1 - k] : NULL;
        if (!a || !b || is_one(a) || is_one(b)) {
            out[at] = a && (!b || !is_one(a)) ? *a : *b;
            continue;
        }
        enum equal eq =
            require_equal(ev, a, b,
                          arena_printf(ev->arena, "%s: shapes do not broadcast: %s and %s", what,
                                       dims_text(ev, *rank, *dims), dims_text(ev, rank2, dims2)),
                          span);
        if (eq == EQUAL_FAILED)
            return false;
        if (eq == EQUAL_NO) {
            struct diag *e = diag_error(ev->diags, span, ERR_BROADCAST, what,
                                        dims_text(ev, *rank, *dims), dims_text(ev, rank2, dims2));
            diag_help(ev->diags, e, "dimensions align from the right; only a 1 stretches");
            return false;
        }
        out[at] = a->kind == VAL_INT ? *a : *b;
    }
    *rank = n;
    *dims = out;
    return true;
}

struct tensor *tensor_broadcast(struct eval *ev, struct tensor *t, uint32_t pos, uint32_t count,
                                uint32_t rank, const struct value *dims) {
    bool same = count == rank;
    for (uint32_t k = 0; same && k < rank; k++)
        same = is_one(&dims[k]) || !is_one(&t->dims[pos + k]);
    if (same)
        return t;
    struct tensor *x = ARENA_NEW(ev->arena, struct tensor);
    *x = *t;
    x->rank = t->rank - count + rank;
    x->dims = ARENA_ARRAY(ev->arena, struct value, x->rank);
    x->map = ARENA_ARRAY(ev->arena, int32_t, x->rank);
    x->unit = ARENA_ARRAY(ev->arena, bool, x->rank);
    for (uint32_t d = 0; d < x->rank; d++) {
        int32_t from; /* the dimension of T, or -1 */
        if (d < pos)
            from = (int32_t)d;
        else if (d < pos + rank)
            from = (int32_t)(d - pos) - (int32_t)(rank - count) < 0
                       ? -1
                       : (int32_t)(pos + (d - pos) - (rank - count));
        else
            from = (int32_t)(d - rank + count);
        bool inside = d >= pos && d < pos + rank;
        x->dims[d] = inside ? dims[d - pos] : t->dims[from];
        x->unit[d] = from >= 0 && ((inside && is_one(&t->dims[from]) && !is_one(&dims[d - pos])) ||
                                   (t->unit && t->unit[from]));
        x->map[d] = from < 0 ? -1 : t->map ? t->map[from] : from;
    }
    return x;
}
