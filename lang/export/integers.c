/* Symbolic integers as values of the model. An index is 0, 1, .. along its axis; a size is asked of
   the input whose dimension it is. What is known when the model is written is a number in it. */
#include "lang/export/internal.h"

enum { TABLE_MOST = 1 << 24 }; /* numbers that a file may get for subscripts */

void integer_mean(struct export *x, struct name n, struct meaning m) {
    VEC_PUSH(x->arena, x->meanings, m);
    map_put(&x->meaning_of, n.i, x->meanings.n);
}

const struct meaning *integer_meaning(const struct export *x, struct name n) {
    uint64_t at;
    return map_get(&x->meaning_of, n.i, &at) ? &x->meanings.at[at - 1] : NULL;
}

struct name integer_atom(struct export *x) {
    return name_of_text(x->ev.names, arena_printf(x->arena, "#%u", ++x->symbols));
}

struct asked {
    struct export *x;
    uint32_t n;
    const struct axis *axes[LAZY_RANK];
    int64_t at[LAZY_RANK];
    bool known;
};

static void ask_axis(void *data, struct name n) {
    struct asked *q = data;
    const struct meaning *m = integer_meaning(q->x, n);
    if (!m || !m->axis || m->axis->count.kind != VAL_INT || q->n == LAZY_RANK) {
        q->known = false;
        return;
    }
    uint32_t at = q->n++;
    for (; at > 0 && q->axes[at - 1]->id > m->axis->id; at--)
        q->axes[at] = q->axes[at - 1];
    q->axes[at] = m->axis;
}

static bool axis_value(void *data, struct name n, int64_t *v) {
    const struct asked *q = data;
    for (uint32_t i = 0; i < q->n; i++)
        if (name_eq(q->axes[i]->atom, n)) {
            *v = q->at[i];
            return true;
        }
    return false;
}

bool subscript_table(struct export *x, struct sym s, uint32_t n, const struct axis *const *axes,
                     int64_t *out) {
    struct asked q = {.x = x, .n = n};
    uint64_t total = 1;
    for (uint32_t i = 0; i < n; i++) {
        q.axes[i] = axes[i];
        total *= (uint64_t)axes[i]->count.i;
    }
    for (uint64_t k = 0; k < total; k++) {
        uint64_t rest = k;
        for (uint32_t i = n; i-- > 0; rest /= (uint64_t)axes[i]->count.i)
            q.at[i] = (int64_t)(rest % (uint64_t)axes[i]->count.i);
        if (!sym_eval(x->ev.syms, s, axis_value, &q, &out[k]))
            return false;
    }
    return true;
}

bool integer_counted(struct export *x, struct sym s) {
    struct asked q = {.x = x, .known = true};
    sym_atoms(x->ev.syms, s, ask_axis, &q);
    return q.known;
}

struct over {
    struct export *x;
    const struct axis *axis;
    bool found;
};

static void over_atom(void *data, struct name n) {
    struct over *o = data;
    const struct meaning *m = integer_meaning(o->x, n);
    o->found = o->found || (m && (m->axis == o->axis || (m->found && lazy_has(m->found, o->axis))));
}

bool integer_over(struct export *x, struct sym s, const struct axis *a) {
    struct over o = {x, a, false};
    sym_atoms(x->ev.syms, s, over_atom, &o);
    return o.found;
}

/* S as numbers in the file, if it hangs on indices alone that are counted. */
static const struct lazy *table(struct export *x, struct sym s) {
    struct asked q = {.x = x, .known = true};
    int64_t dims[LAZY_RANK];
    uint64_t total = 1;
    sym_atoms(x->ev.syms, s, ask_axis, &q);
    for (uint32_t i = 0; q.known && i < q.n; i++) {
        dims[i] = q.axes[i]->count.i;
        q.known = !__builtin_mul_overflow(total, (uint64_t)dims[i], &total) && total <= TABLE_MOST;
    }
    if (!q.known)
        return NULL;
    int64_t *at = ARENA_ARRAY(x->arena, int64_t, total + 1);
    if (!subscript_table(x, s, q.n, q.axes, at))
        return NULL;
    return lazy_of(x, model_weight(x, NULL, DT_i64, q.n, dims, at), DT_i64, q.n, q.axes);
}

static const struct lazy *atom_value(struct export *x, struct name n, struct span span) {
    const struct meaning *m = integer_meaning(x, n);
    const struct axis *none = NULL;
    if (m && m->axis) {
        const struct lazy *count = integer_lazy(x, value_sym(&x->ev, &m->axis->count), span);
        struct val *v = lazy_full(x, count, 0, NULL);
        return lazy_of(x, row_move(x, MOVE_count, 1, &v, 0, NULL, DT_i64), DT_i64, 1, &m->axis);
    }
    if (m && m->found)
        return lazy_cast(x, DT_i64, m->found);
    if (m && m->of && m->dim < 0)
        return lazy_of(x, m->of, DT_i64, 0, NULL);
    if (m && m->of) {
        struct row_static s = {"axis", value_int(m->dim)};
        struct val *v = m->of;
        return lazy_of(x, row_move(x, MOVE_size, 1, &v, 1, &s, DT_i64), DT_i64, 1, &none);
    }
    export_refuse(x, span, "a size that no input has");
    return lazy_int(x, 1);
}

const struct lazy *integer_lazy(struct export *x, struct sym s, struct span span) {
    static const enum scalar_op ops[] = {
        [SYM_SUM] = OP_ADD, [SYM_PRODUCT] = OP_MUL, [SYM_FLOORDIV] = OP_FLOORDIV,
        [SYM_MOD] = OP_MOD, [SYM_MIN] = OP_MIN,     [SYM_MAX] = OP_MAX};
    struct sym_ctx *c = x->ev.syms;
    struct name n;
    int64_t v;
    if (sym_is_const(c, s, &v))
        return lazy_int(x, v);
    const struct lazy *l = table(x, s);
    if (l)
        return l;
    if (sym_is_atom(c, s, &n))
        return atom_value(x, n, span);
    l = integer_lazy(x, sym_operand(c, s, 0), span);
    bool division = sym_kind(c, s) == SYM_FLOORDIV || sym_kind(c, s) == SYM_MOD;
    for (uint32_t k = 1; k < sym_count(c, s); k++) {
        struct sym by = sym_operand(c, s, k);
        const struct lazy *pair[2] = {l, integer_lazy(x, by, span)};
        bool size = division && sym_prove_nonneg(x->ev.facts, by);
        l = (size ? lazy_divide : lazy_apply)(x, ops[sym_kind(c, s)], pair, span);
    }
    return l;
}

struct val *integer_vector(struct export *x, uint32_t n, const struct value *at, struct span span) {
    int64_t *numbers = ARENA_ARRAY(x->arena, int64_t, n + 1);
    struct val **parts = ARENA_ARRAY(x->arena, struct val *, n + 1);
    uint32_t nparts = 0, from = 0;
    for (uint32_t i = 0; i <= n; i++) {
        if (i < n && at[i].kind == VAL_INT) {
            numbers[i] = at[i].i;
            continue;
        }
        if (i < n && at[i].kind != VAL_SYM)
            return NULL;
        int64_t some = i - from;
        if (some || n == 0) /* numbers that stand side by side */
            parts[nparts++] = model_weight(x, NULL, DT_i64, 1, &some, numbers + from);
        from = i + 1;
        if (i == n)
            break;
        const struct lazy *l = lazy_taken(x, integer_lazy(x, at[i].sym, span));
        struct val *v = l->val;
        if (l->constant || l->rank == 0) {
            int64_t first = 0;
            struct row_static s = {"axes", row_list(x, 1, &first)};
            v = lazy_full(x, l, 0, NULL);
            v = row_move(x, MOVE_unsqueeze, 1, &v, 1, &s, DT_i64);
        }
        parts[nparts++] = v;
    }
    if (nparts == 1)
        return parts[0];
    return row_join(x, nparts, parts, 0, DT_i64);
}
