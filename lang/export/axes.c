/* Lazy tensors: scalars for each place on axes. Two of them meet by NumPy's broadcast, so their
   dimensions have to come in the order of the axes, with a dimension of size 1 for an axis that is
   missing between others; whatever is there already as it is needed costs no node. */
#include "lang/export/internal.h"

#include <string.h>

const struct axis *lazy_axis(struct export *x, const struct value *count) {
    struct axis *a = ARENA_NEW(x->arena, struct axis);
    *a = (struct axis){.id = ++x->axes, .atom = integer_atom(x), .count = *count};
    integer_mean(x, a->atom, (struct meaning){.axis = a});
    return a;
}

const struct lazy *lazy_number(struct export *x, enum dtype t, union scalar v) {
    struct lazy *l = ARENA_NEW(x->arena, struct lazy);
    l->type = t;
    l->constant = true;
    l->number = v;
    return l;
}

const struct lazy *lazy_int(struct export *x, int64_t v) {
    return lazy_number(x, DT_i64, scalar_from_i64(DT_i64, v));
}

/* V has the type and the dimensions that L says. */
static void shape_val(struct export *x, struct val *v, const struct lazy *l) {
    if (!v->shaped) {
        struct value *dims = ARENA_ARRAY(x->arena, struct value, l->rank + 1);
        for (uint32_t d = 0; d < l->rank; d++)
            dims[d] = l->axis[d] ? l->axis[d]->count : value_int(1);
        v->shaped = true;
        v->type = l->type;
        v->rank = l->rank;
        v->dims = dims;
    }
    bool fits = v->type == l->type && v->rank == l->rank;
    for (uint32_t d = 0; d < l->rank && fits; d++) {
        int64_t n = !l->axis[d] ? 1 : l->axis[d]->count.kind == VAL_INT ? l->axis[d]->count.i : -1;
        fits = n < 0 || v->dims[d].kind != VAL_INT || v->dims[d].i == n;
        for (uint32_t k = 0; k < d; k++)
            fits = fits && (!l->axis[d] || l->axis[k] != l->axis[d]);
    }
    if (!fits)
        export_broken(x, "a value with other dimensions than it has");
}

const struct lazy *lazy_of(struct export *x, struct val *v, enum dtype t, uint32_t rank,
                           const struct axis *const *axes) {
    struct lazy *l = ARENA_NEW(x->arena, struct lazy);
    l->type = t;
    l->val = v;
    l->rank = rank;
    for (uint32_t d = 0; d < rank; d++)
        l->axis[d] = axes[d];
    if (v)
        shape_val(x, v, l);
    return l;
}

const struct lazy *lazy_taken(struct export *x, const struct lazy *l) {
    if (!l->left)
        return l;
    const struct lazy *both[2] = {l->left, l->right};
    const struct axis *axes[LAZY_RANK];
    struct val *vals[2];
    uint32_t n = 0;
    lazy_axes(l, &n, axes);
    for (int k = 0; k < 2; k++)
        vals[k] = lazy_fit(x, both[k], n, axes);
    struct val *v =
        row_call(x, "scalar", scalars[OP_MUL].id, 2, vals, 0, NULL, l->type, (struct span){0});
    return lazy_of(x, v, l->type, n, axes);
}

bool lazy_has(const struct lazy *l, const struct axis *a) {
    if (l->left)
        return lazy_has(l->left, a) || lazy_has(l->right, a);
    for (uint32_t d = 0; d < l->rank; d++)
        if (l->axis[d] == a)
            return true;
    return false;
}

static void add_axis(const struct axis *a, uint32_t *n, const struct axis **axes) {
    uint32_t at = 0;
    while (at < *n && axes[at]->id < a->id)
        at++;
    if (at < *n && axes[at] == a)
        return;
    memmove(axes + at + 1, axes + at, (*n - at) * sizeof *axes);
    axes[at] = a;
    ++*n;
}

void lazy_axes(const struct lazy *l, uint32_t *n, const struct axis **axes) {
    if (l->left) {
        lazy_axes(l->left, n, axes);
        lazy_axes(l->right, n, axes);
    }
    for (uint32_t d = 0; d < l->rank; d++)
        if (l->axis[d])
            add_axis(l->axis[d], n, axes);
}

/* --- dimensions as they are needed ------------------------------------------------------------ */

static struct val *on_axes(struct export *x, enum move m, const struct lazy *l, const char *name,
                           uint32_t n, const int64_t *at) {
    struct row_static s = {name, row_list(x, n, at)};
    struct val *v = l->val;
    return row_move(x, m, 1, &v, 1, &s, l->type);
}

/* L without dimensions of size 1 that belong to no axis. */
static const struct lazy *squeezed(struct export *x, const struct lazy *l) {
    const struct axis *axes[LAZY_RANK];
    int64_t units[LAZY_RANK];
    uint32_t n = 0, nunits = 0;
    for (uint32_t d = 0; d < l->rank; d++)
        if (l->axis[d])
            axes[n++] = l->axis[d];
        else
            units[nunits++] = d;
    return nunits ? lazy_of(x, on_axes(x, MOVE_squeeze, l, "axes", nunits, units), l->type, n, axes)
                  : l;
}

static uint32_t position(const struct axis *a, uint32_t n, const struct axis *const *axes) {
    uint32_t k = 0;
    while (k < n && axes[k] != a)
        k++;
    return k;
}

static bool meets(const struct lazy *l, uint32_t n, const struct axis *const *axes) {
    bool ok = l->rank <= n;
    for (uint32_t k = 0; ok && k < l->rank; k++) {
        const struct axis *own = l->axis[l->rank - 1 - k];
        ok = !own || own == axes[n - 1 - k];
    }
    return ok;
}

/* L, squeezed, with its dimensions in the order of AXES. */
static const struct lazy *sorted(struct export *x, const struct lazy *l, uint32_t n,
                                 const struct axis *const *axes) {
    const struct axis *order[LAZY_RANK];
    int64_t perm[LAZY_RANK];
    uint32_t k = 0;
    bool same = true;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = position(axes[i], l->rank, l->axis);
        if (d == l->rank)
            continue;
        same = same && d == k;
        order[k] = axes[i];
        perm[k++] = d;
    }
    if (k != l->rank)
        export_broken(x, "dimensions in an order that lacks one, or has one twice");
    return same ? l : lazy_of(x, on_axes(x, MOVE_transpose, l, "perm", k, perm), l->type, k, order);
}

/* L, sorted, with dimensions of size 1 in the place of axes that are missing: those behind its
   first one, or ALL. */
static const struct lazy *spread(struct export *x, const struct lazy *l, uint32_t n,
                                 const struct axis *const *axes, bool all) {
    const struct axis *got[LAZY_RANK];
    int64_t units[LAZY_RANK];
    uint32_t rank = 0, nunits = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool own = position(axes[i], l->rank, l->axis) < l->rank;
        if (!own && !rank && !all)
            continue;
        if (!own)
            units[nunits++] = rank;
        got[rank++] = own ? axes[i] : NULL;
    }
    if (!nunits || !l->rank)
        return l;
    return lazy_of(x, on_axes(x, MOVE_unsqueeze, l, "axes", nunits, units), l->type, rank, got);
}

static const struct lazy *fitted(struct export *x, const struct lazy *l, uint32_t n,
                                 const struct axis *const *axes) {
    l = lazy_taken(x, l);
    if (l->constant) {
        char *bytes = arena_alloc(x->arena, 8);
        scalar_store(l->type, bytes, l->number);
        return lazy_of(x, model_weight(x, NULL, l->type, 0, NULL, bytes), l->type, 0, NULL);
    }
    if (!meets(l, n, axes))
        l = spread(x, sorted(x, squeezed(x, l), n, axes), n, axes, false);
    return l;
}

struct val *lazy_fit(struct export *x, const struct lazy *l, uint32_t n,
                     const struct axis *const *axes) {
    return fitted(x, l, n, axes)->val;
}

static bool is_one(const struct axis *a) {
    return a->count.kind == VAL_INT && a->count.i == 1;
}

struct val *lazy_full(struct export *x, const struct lazy *l, uint32_t n,
                      const struct axis *const *axes) {
    l = fitted(x, l, n, axes);
    bool stretch = false, missing = l->rank < n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t behind = n - i;
        const struct axis *own = behind > l->rank ? NULL : l->axis[l->rank - behind];
        stretch = stretch || (!own && !is_one(axes[i]));
    }
    if (!stretch && missing && l->rank)
        return spread(x, sorted(x, squeezed(x, l), n, axes), n, axes, true)->val;
    if (!stretch && !missing)
        return l->val;
    struct value *dims = ARENA_ARRAY(x->arena, struct value, n + 1);
    for (uint32_t i = 0; i < n; i++)
        dims[i] = axes[i]->count;
    struct val *both[2] = {l->val, integer_vector(x, n, dims, (struct span){0})};
    return row_move(x, MOVE_expand, 2, both, 0, NULL, l->type);
}

const struct lazy *lazy_rename(struct export *x, const struct lazy *l, uint32_t n,
                               const struct axis *const *a, const struct axis *const *b) {
    struct lazy *r = arena_copy(x->arena, l, sizeof *r);
    if (l->left) {
        r->left = lazy_rename(x, l->left, n, a, b);
        r->right = lazy_rename(x, l->right, n, a, b);
    }
    for (uint32_t d = 0; d < r->rank; d++)
        for (uint32_t k = 0; k < n; k++)
            if (l->axis[d] && l->axis[d] == a[k])
                r->axis[d] = b[k];
    return r;
}

/* --- computing -------------------------------------------------------------------------------- */

static bool is_product(enum scalar_op op, const struct lazy *const *args) {
    return op == OP_MUL && dtype_is_float(args[0]->type) && !args[0]->constant &&
           !args[1]->constant;
}

/* OP as the rows PREFIX say it. */
static const struct lazy *apply(struct export *x, const char *prefix, enum scalar_op op,
                                const struct lazy *const *args, struct span span) {
    uint32_t arity = scalars[op].arity, n = 0;
    enum dtype type = args[op == OP_SELECT]->type;
    enum dtype result = scalars[op].result == RESULT_BOOL ? DT_bool : type;
    const struct axis *axes[LAZY_RANK];
    union scalar numbers[3];
    struct val *vals[3];
    bool constant = true;
    for (uint32_t i = 0; i < arity; i++) {
        constant = constant && args[i]->constant;
        numbers[i] = args[i]->number;
    }
    if (constant)
        return lazy_number(x, result, scalar_eval(op, type, numbers));
    if (is_product(op, args)) {
        struct lazy *l = ARENA_NEW(x->arena, struct lazy);
        *l = (struct lazy){.type = type};
        l->left = lazy_taken(x, args[0]);
        l->right = lazy_taken(x, args[1]);
        return l;
    }
    for (uint32_t i = 0; i < arity; i++)
        lazy_axes(args[i], &n, axes);
    for (uint32_t i = 0; i < arity; i++)
        vals[i] = lazy_fit(x, args[i], n, axes);
    struct val *v = row_call(x, prefix, scalars[op].id, arity, vals, 0, NULL, type, span);
    return lazy_of(x, v, result, n, axes);
}

const struct lazy *lazy_apply(struct export *x, enum scalar_op op, const struct lazy *const *args,
                              struct span span) {
    return apply(x, "scalar", op, args, span);
}

const struct lazy *lazy_divide(struct export *x, enum scalar_op op, const struct lazy *const *args,
                               struct span span) {
    return apply(x, "size", op, args, span);
}

const struct lazy *lazy_cast(struct export *x, enum dtype to, const struct lazy *l) {
    if (l->type == to)
        return l;
    if (l->constant)
        return lazy_number(x, to, scalar_cast(l->type, to, l->number));
    l = lazy_taken(x, l);
    struct row_static s = {"to", value_dtype(to)};
    struct val *v = l->val;
    return lazy_of(x, row_move(x, MOVE_cast, 1, &v, 1, &s, l->type), to, l->rank, l->axis);
}

/* The sum over axes of the product L: one node. KEPT are the axes that stay. */
static const struct lazy *sum_of_product(struct export *x, const struct lazy *l, uint32_t nkept,
                                         const struct axis *const *kept) {
    const struct axis *axes[LAZY_RANK];
    uint32_t n = 0;
    struct buf text = buf_new(x->arena);
    const struct lazy *sides[2] = {squeezed(x, l->left), squeezed(x, l->right)};
    struct val *vals[2] = {sides[0]->val, sides[1]->val};
    lazy_axes(l, &n, axes);
    for (int k = 0; k < 2; k++) {
        for (uint32_t d = 0; d < sides[k]->rank; d++)
            buf_printf(&text, "%c", (char)('a' + position(sides[k]->axis[d], n, axes)));
        buf_text(&text, k ? "->" : ",");
    }
    for (uint32_t i = 0; i < nkept; i++)
        buf_printf(&text, "%c", (char)('a' + position(kept[i], n, axes)));
    struct row_static s = {"equation", value_str(name_of_text(x->ev.names, text.at))};
    return lazy_of(x, row_move(x, MOVE_product, 2, vals, 1, &s, l->type), l->type, nkept, kept);
}

const struct lazy *lazy_reduce(struct export *x, enum resolution r, const struct lazy *l,
                               uint32_t n, const struct axis *const *over, bool keep,
                               struct span span) {
    const struct axis *axes[LAZY_RANK], *kept[LAZY_RANK];
    uint32_t all = 0, nkept = 0;
    lazy_axes(l, &all, axes);
    for (uint32_t i = 0; i < all; i++)
        if (position(axes[i], n, over) == n)
            kept[nkept++] = axes[i];
    for (uint32_t i = 0; i < n; i++) { /* what is the same all along an axis */
        if (lazy_has(l, over[i]) || r == RES_MAX || r == RES_MIN || r == RES_AND || r == RES_OR)
            continue;
        if (r != RES_SUM) {
            export_refuse(x, span, "a product of equal numbers over an index");
            continue;
        }
        const struct lazy *count = integer_lazy(x, value_sym(&x->ev, &over[i]->count), span);
        const struct lazy *pair[2] = {l, lazy_cast(x, l->type, count)};
        l = lazy_apply(x, OP_MUL, pair, span);
    }
    if (nkept == all)
        return lazy_taken(x, l);
    if (r == RES_SUM && l->left && !keep)
        return sum_of_product(x, l, nkept, kept);
    l = lazy_taken(x, l);
    enum dtype type = l->type;
    bool wide = dtype_is_half(type) && (r == RES_SUM || r == RES_PROD);
    if (wide)
        l = lazy_cast(x, DT_f32, l);
    int64_t at[LAZY_RANK];
    uint32_t nat = 0, rank = 0;
    const struct axis *got[LAZY_RANK];
    for (uint32_t d = 0; d < l->rank; d++) {
        bool out = l->axis[d] && position(l->axis[d], n, over) < n;
        if (out)
            at[nat++] = d;
        if (!out || keep)
            got[rank++] = out ? NULL : l->axis[d];
    }
    struct row_static s[2] = {{"axes", row_list(x, nat, at)}, {"keep", value_bool(keep)}};
    struct val *v = l->val;
    v = row_call(x, "reduce", resolution_names[r], 1, &v, 2, s, l->type, span);
    return lazy_cast(x, type, lazy_of(x, v, l->type, rank, got));
}
