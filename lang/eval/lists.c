/* Lists where a tensor is wanted: their elements along a new first dimension.

   Note [lists as tensors]: a list of numbers, of lists, or of tensors of one shape stands for a
   tensor wherever something else than a list cannot be meant: as what is written to a container, as
   the argument of a tensor parameter, as the operand beside a tensor with dimensions, and as the
   only operand. It becomes a fresh container, so what is written may read what it is written to. A
   tuple, the results of a call, is none. */
#include "lang/eval/internal.h"

#include <string.h>

static bool is_list(const struct value *v) {
    return (v->kind == VAL_LIST && !v->tuple) || v->kind == VAL_PACK;
}

/* Lists may share their parts, so a short text may make a huge tree of them: the walks here end
   after so many elements, and a list of more is told. */
enum { LIST_MOST = 1 << 20 };

static bool may_stand(const struct value *v, uint32_t *seen) {
    bool found = is_list(v);
    for (uint32_t k = 0; found && k < v->list->n && (*seen)++ < LIST_MOST; k++) {
        const struct value *x = &v->list->at[k];
        found = value_is_number(x) || x->kind == VAL_BOOL || x->kind == VAL_SCALAR ||
                x->kind == VAL_TENSOR || x->kind == VAL_STATE || may_stand(x, seen);
    }
    return found;
}

bool stands_for_tensor(const struct value *v) {
    uint32_t seen = 0;
    return may_stand(v, &seen);
}

/* What the numbers in a list say of its element type. */
struct numbers {
    enum dtype given; /* of the first element that has one */
    bool fraction, whole;
    uint32_t seen;
};

static void look_at(const struct value *v, struct numbers *n) {
    for (uint32_t k = 0; k < v->list->n && n->seen++ < LIST_MOST; k++) {
        const struct value *x = &v->list->at[k];
        enum dtype own = x->kind == VAL_TENSOR               ? x->tensor->dtype
                         : x->kind == VAL_STATE              ? x->state->dtype
                         : x->kind == VAL_SCALAR && !x->weak ? x->dtype
                                                             : DT_NONE;
        if (is_list(x))
            look_at(x, n);
        else if (n->given == DT_NONE && own != DT_NONE)
            n->given = own;
        n->fraction = n->fraction || x->kind == VAL_FLOAT || (x->kind == VAL_SCALAR && x->weak);
        n->whole = n->whole || x->kind == VAL_INT || x->kind == VAL_SYM;
    }
}

enum dtype list_element(const struct value *v, enum dtype numbers) {
    struct numbers n = {.given = DT_NONE};
    look_at(v, &n);
    return n.given != DT_NONE       ? n.given
           : numbers != DT_NONE     ? numbers
           : n.fraction             ? DT_f32
           : n.whole || !v->list->n ? DT_i64
                                    : DT_bool;
}

/* The list with its tensors as they are used inside. */
static bool bring_all(struct eval *ev, struct span span, struct value *v, uint32_t *seen) {
    struct value to = value_list_new(ev->arena, v->kind, v->list->n);
    for (uint32_t k = 0; k < v->list->n; k++) {
        struct value *x = &to.list->at[k];
        *x = v->list->at[k];
        if ((*seen)++ == LIST_MOST) {
            diag_error(
                ev->diags, span, ERR_VALUE,
                arena_printf(ev->arena, "a list of more than %d elements is no tensor", LIST_MOST));
            return false;
        }
        if (!(is_list(x) ? bring_all(ev, span, x, seen) : bring(ev, x)))
            return false;
    }
    *v = to;
    return true;
}

struct dims {
    uint32_t n;
    struct value at[EVAL_MAX_RANK];
};

static bool shape_of(struct eval *ev, const struct value *v, struct span span, struct dims *out);

static bool same_shape(struct eval *ev, const struct dims *a, const struct dims *b, uint32_t k,
                       struct span span) {
    const char *first = dims_text(ev, a->n, a->at), *own = dims_text(ev, b->n, b->at);
    const char *text = arena_printf(ev->arena, "element %u of the list has the shape %s", k, own);
    bool same = a->n == b->n;
    for (uint32_t d = 0; same && d < a->n; d++) {
        enum equal eq = require_equal(ev, &a->at[d], &b->at[d], text, span);
        if (eq == EQUAL_FAILED)
            return false;
        same = eq == EQUAL_YES;
    }
    if (!same)
        diag_error(ev->diags, span, ERR_LIST_SHAPE, (int)k, own, first);
    return same;
}

static bool list_shape(struct eval *ev, const struct value *v, struct span span, struct dims *out) {
    struct dims first = {0};
    for (uint32_t k = 0; k < v->list->n; k++) {
        struct dims own = {0};
        if (!shape_of(ev, &v->list->at[k], span, &own) ||
            (k && !same_shape(ev, &first, &own, k, span)))
            return false;
        if (k == 0)
            first = own;
    }
    if (first.n == EVAL_MAX_RANK) {
        diag_error(ev->diags, span, ERR_VALUE,
                   arena_printf(ev->arena, "%u dimensions: at most %d are possible", first.n + 1,
                                EVAL_MAX_RANK));
        return false;
    }
    out->n = first.n + 1;
    out->at[0] = value_int(v->list->n);
    if (first.n)
        memcpy(out->at + 1, first.at, first.n * sizeof *first.at);
    return true;
}

static bool shape_of(struct eval *ev, const struct value *v, struct span span, struct dims *out) {
    if (is_list(v))
        return list_shape(ev, v, span, out);
    if (v->kind != VAL_TENSOR)
        return true;
    out->n = v->tensor->rank;
    if (out->n)
        memcpy(out->at, v->tensor->dims, out->n * sizeof *out->at);
    return true;
}

/* Writes V to what B has of its dimensions from DEPTH on. */
static bool write_elements(struct eval *ev, const struct block *b, uint32_t depth,
                           const struct value *v) {
    if (!is_list(v))
        return block_write(ev, b, *v, RES_NONE);
    for (uint32_t k = 0; k < v->list->n; k++) {
        struct block one = *b;
        one.lo = arena_copy(ev->arena, b->lo, b->tensor->rank * sizeof *b->lo);
        one.count = arena_copy(ev->arena, b->count, b->tensor->rank * sizeof *b->count);
        one.lo[depth] = value_int(k);
        one.count[depth] = value_none();
        one.kept--;
        if (!write_elements(ev, &one, depth + 1, &v->list->at[k]))
            return false;
    }
    return true;
}

bool lists_beside(struct eval *ev, enum scalar_op op, uint32_t n, struct value *args,
                  struct span span) {
    enum dtype t = DT_NONE;
    bool beside = false;
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind != VAL_TENSOR || args[i].tensor->rank == 0)
            continue;
        beside = true;
        t = op == OP_SELECT && i == 0 ? t : args[i].tensor->dtype;
    }
    for (uint32_t i = 1; beside && t == DT_NONE && i < n; i++) /* a select of lists alone */
        if (stands_for_tensor(&args[i]))
            t = list_element(&args[i], DT_f32);
    for (uint32_t i = 0; beside && i < n; i++) {
        enum dtype numbers = op == OP_SELECT && i == 0 ? DT_bool : t;
        if (stands_for_tensor(&args[i]) &&
            !list_tensor(ev, list_element(&args[i], numbers), (struct name){0}, span, &args[i]))
            return false;
    }
    return true;
}

/* --- lists of numbers ------------------------------------------------------------------------ */

/* From so many numbers on a list is data: as a program it would be a write for each. */
enum { LIST_DATA = 32 };

/* How many static numbers V is or lists; -1 if something else is in it. */
static int64_t count_numbers(const struct value *v) {
    int64_t n = 0;
    if (!is_list(v))
        return value_is_number(v) && v->kind != VAL_SYM && v->kind != VAL_SCALAR ? 1
               : v->kind == VAL_BOOL                                             ? 1
                                                                                 : -1;
    for (uint32_t k = 0; k < v->list->n; k++) {
        int64_t own = count_numbers(&v->list->at[k]);
        if (own < 0)
            return -1;
        n += own;
    }
    return n;
}

static bool fill(struct eval *ev, enum dtype t, const struct value *v, struct span span,
                 union scalar **to) {
    for (uint32_t k = 0; is_list(v) && k < v->list->n; k++)
        if (!fill(ev, t, &v->list->at[k], span, to))
            return false;
    if (is_list(v))
        return true;
    if (!number_fits(ev, t, v, "write", span))
        return false;
    *(*to)++ = value_as(t, v);
    return true;
}

/* The list V, of shape DIMS, as data of the script; *MADE: false if it is to be written instead. */
static bool list_data(struct eval *ev, enum dtype t, const struct dims *dims, struct span span,
                      struct value *v, bool *made) {
    int64_t sizes[EVAL_MAX_RANK], n = ev->ops->numbers ? count_numbers(v) : 0;
    *made = false;
    if (n < LIST_DATA)
        return true;
    for (uint32_t d = 0; d < dims->n; d++)
        sizes[d] = dims->at[d].i;
    union scalar *at = ARENA_ARRAY(ev->arena, union scalar, n), *to = at;
    if (!fill(ev, t, v, span, &to))
        return false;
    struct value x;
    if (!ev->ops->numbers(ev->host, t, dims->n, sizes, n, at, span, &x, made))
        return false;
    if (!*made)
        return true;
    *v = x;
    return bring(ev, v);
}

bool list_tensor(struct eval *ev, enum dtype t, struct name n, struct span span, struct value *v) {
    struct dims dims = {0};
    uint32_t seen = 0;
    bool made;
    if (!bring_all(ev, span, v, &seen) || !shape_of(ev, v, span, &dims) ||
        !list_data(ev, t, &dims, span, v, &made))
        return false;
    if (made)
        return true;
    struct tensor *x = declare(ev, t, dims.n, dims.at, STORE_NONE, NULL, n, span);
    if (!x)
        return false;
    x->container = true;
    struct block to = block_whole(ev, x, span);
    bool ok = write_elements(ev, &to, 0, v);
    x->container = false;
    *v = value_tensor(x);
    return ok;
}
