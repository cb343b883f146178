/* Parts of containers as arguments of inout parameters: `f(x[2:4, :])`. Such a tensor is no memory
   of its own: its indices lead to those of the container that it is a part of, so that nothing is
   copied, whichever host supplies the verbs. Values are never parts: reading a subset makes a new
   container (subsets.c). */
#include "lang/eval/internal.h"

static bool proved_less(struct eval *ev, const struct value *a, const struct value *b) {
    if (a->kind == VAL_INT && b->kind == VAL_INT)
        return a->i < b->i;
    return ev->facts && sym_prove_lt(ev->facts, value_sym(ev, a), value_sym(ev, b));
}

/* Whether the end of the part in dimension D, or its begin, is that of what it is a part of. */
static bool ends_with(struct eval *ev, const struct part *p, uint32_t d) {
    struct value end = int_op(ev, INT_ADD, &p->lo[d], &p->count[d]), one = value_int(1);
    struct value last = int_op(ev, INT_SUB, &p->of->dims[d], &one);
    return int_equal(ev, &p->step[d], &one) == 1 && proved_less(ev, &last, &end);
}

static bool begins_with(struct eval *ev, const struct part *p, uint32_t d) {
    struct value zero = value_int(0), one = value_int(1);
    return int_equal(ev, &p->step[d], &one) == 1 && int_equal(ev, &p->lo[d], &zero) == 1;
}

/* The index in dimension D of what P is a part of, for its own index I. What lies outside of the
   part must lie outside of the container, too, so that checks and `else` see it: an I that is not
   proved to be inside is brought to -1 .. COUNT, and from there a whole container away. */
static struct value part_index(struct eval *ev, const struct part *p, uint32_t d, struct value i) {
    const struct value *n = &p->count[d];
    struct value zero = value_int(0), one = value_int(1), before = value_int(-1), away = zero, x;
    if (!p->fixed[d] && !proved_less(ev, &before, &i) && !begins_with(ev, p, d)) {
        i = int_op(ev, INT_MAX, &i, &before);
        away = int_op(ev, INT_MIN, &i, &zero);
    }
    if (!p->fixed[d] && !proved_less(ev, &i, n) && !ends_with(ev, p, d)) {
        i = int_op(ev, INT_MIN, &i, n);
        x = int_op(ev, INT_SUB, &i, n);
        x = int_op(ev, INT_ADD, &x, &one);
        x = int_op(ev, INT_MAX, &x, &zero);
        away = int_op(ev, INT_ADD, &away, &x);
    }
    away = int_op(ev, INT_MUL, &away, &p->of->dims[d]);
    i = int_op(ev, INT_MUL, &i, &p->step[d]);
    i = int_op(ev, INT_ADD, &i, &p->lo[d]);
    return int_op(ev, INT_ADD, &i, &away);
}

void real_indices(struct eval *ev, const struct tensor *t, const struct value *at,
                  struct value *real) {
    const struct part *p = t->part;
    struct value outer[EVAL_MAX_RANK], *to = p ? outer : real;
    uint32_t n = p ? p->of->rank : t->real_rank;
    for (uint32_t d = 0; d < n; d++)
        to[d] = value_int(0); /* a dimension that no virtual one maps to has size 1 */
    for (uint32_t d = 0; d < t->rank; d++) {
        if (!t->map)
            to[d] = at[d];
        else if (t->map[d] >= 0)
            to[t->map[d]] = t->unit[d] ? value_int(0) : at[d];
    }
    for (uint32_t d = 0; p && d < n; d++)
        outer[d] = part_index(ev, p, d, outer[d]);
    if (p)
        real_indices(ev, p->of, outer, real);
}

/* The tensor that B is of its container. */
static struct tensor *part_of(struct eval *ev, const struct block *b, struct tensor *t) {
    struct tensor *x = ARENA_NEW(ev->arena, struct tensor);
    struct part *p = ARENA_NEW(ev->arena, struct part);
    bool *fixed = ARENA_ARRAY(ev->arena, bool, t->rank);
    *p = (struct part){.of = t, .lo = b->lo, .step = b->step, .count = b->count, .fixed = fixed};
    *x = *t;
    x->span = b->span;
    x->part = p;
    x->rank = b->kept;
    x->dims = ARENA_ARRAY(ev->arena, struct value, b->kept);
    x->map = ARENA_ARRAY(ev->arena, int32_t, b->kept + 1); /* never NULL */
    x->unit = ARENA_ARRAY(ev->arena, bool, b->kept + 1);
    x->count = NULL;
    uint32_t k = 0;
    for (uint32_t d = 0; d < t->rank; d++) {
        fixed[d] = b->count[d].kind == VAL_NONE;
        if (!fixed[d]) {
            x->dims[k] = b->count[d];
            x->map[k++] = (int32_t)d;
        }
    }
    return x;
}

static bool is_plain(const struct ast *e) {
    while (e->kind == AST_INDEX || e->kind == AST_MEMBER)
        e = e->kids[0];
    return e->kind == AST_NAME;
}

bool eval_part(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    struct value object;
    struct block b;
    if (e->kind != AST_INDEX || is_append(e) || !is_plain(e->kids[0]))
        return eval_expr(ev, env, e, out);
    if (!eval_expr(ev, env, e->kids[0], &object))
        return false;
    struct tensor *t = object.kind == VAL_TENSOR ? written_buffer(ev, object.tensor) : NULL;
    if (!t || !t->container || t->read_only)
        return eval_expr(ev, env, e, out); /* which is no container */
    if (!eval_subset(ev, env, e, value_tensor(t), &b))
        return false;
    if (b.has_other || b.drop)
        return eval_expr(ev, env, e, out);
    *out = value_tensor(part_of(ev, &b, t));
    return true;
}

/* The last index that P has in dimension D. */
static struct value last_of(struct eval *ev, const struct part *p, uint32_t d) {
    struct value one = value_int(1), n = p->fixed[d] ? one : p->count[d];
    n = int_op(ev, INT_SUB, &n, &one);
    n = int_op(ev, INT_MUL, &n, &p->step[d]);
    return int_op(ev, INT_ADD, &n, &p->lo[d]);
}

bool parts_apart(struct eval *ev, const struct tensor *s, const struct tensor *t) {
    const struct part *p = s->part, *q = t->part;
    bool apart = false;
    bool plain = p && q && !p->of->map && !q->of->map;
    if (!plain && !(p && q && p->of == q->of))
        return false;
    for (uint32_t d = 0; d < p->of->rank && !apart; d++) {
        struct value m = last_of(ev, p, d), n = last_of(ev, q, d);
        apart = proved_less(ev, &m, &q->lo[d]) || proved_less(ev, &n, &p->lo[d]);
    }
    return apart;
}
