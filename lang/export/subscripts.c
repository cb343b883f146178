/* Reads of elements, as what they are for all indices of the maps around at once. A subscript that
   goes over a whole dimension only renames it; one place, or places in steps, are a slice; all
   others are positions along the dimension, numbers in the file where they can be. */
#include "lang/export/internal.h"

#include <string.h>

static struct value size_at(struct export *x, const struct tensor *t, uint32_t d) {
    return verb_cont(x, t)->own[d]->count;
}

static bool within(struct export *x, struct sym s, const struct value *size) {
    struct sym_ctx *c = x->ev.syms;
    return sym_prove_nonneg(x->ev.facts, s) &&
           sym_prove_lt(x->ev.facts, s, size->kind == VAL_INT ? sym_const(c, size->i) : size->sym);
}

struct hunt {
    struct export *x;
    const struct axis *axis;
    uint32_t n; /* atoms that change from place to place */
    bool found;
};

static void hunt_atom(void *data, struct name n) {
    struct hunt *h = data;
    const struct meaning *m = integer_meaning(h->x, n);
    if (!m || m->of)
        return;
    h->n++;
    h->axis = m->axis;
    h->found = h->found || m->found;
}

bool place_uses(const struct place *p, const struct axis *a) {
    bool found = (p->kind == PLACE_WHOLE || p->kind == PLACE_SLICE) && p->axis == a;
    for (uint32_t k = 0; p->kind == PLACE_JOINT && k < p->njoint; k++)
        found = found || p->joint[k] == a;
    return found;
}

struct place subscript_place(struct export *x, const struct value *at, const struct value *size) {
    struct sym_ctx *c = x->ev.syms;
    struct sym s = value_sym(&x->ev, at), factor;
    struct hunt h = {.x = x};
    struct place p = {.kind = PLACE_ANY, .at = s};
    sym_atoms(c, s, hunt_atom, &h);
    p.found = h.found;
    p.inside = !h.found && within(x, s, size);
    if (h.n == 0) {
        p.kind = size->kind == VAL_INT && size->i == 1 && p.inside ? PLACE_UNIT : PLACE_ONE;
        return p;
    }
    if (h.n > 1 && !h.found && joint_find(x, &p, size)) {
        p.kind = PLACE_JOINT;
        p.inside = true;
        return p;
    }
    p.njoint = 0;
    if (h.n != 1 || h.found || !p.inside || !sym_linear(c, s, h.axis->atom, &factor, &p.first) ||
        !sym_is_const(c, factor, &p.step) || p.step < 1)
        return p;
    int64_t zero;
    struct value n = h.axis->count;
    p.axis = h.axis;
    bool whole = p.step == 1 && sym_is_const(c, p.first, &zero) && zero == 0 &&
                 int_equal(&x->ev, &n, size) == 1;
    p.kind = whole ? PLACE_WHOLE : PLACE_SLICE;
    return p;
}

/* --- positions -------------------------------------------------------------------------------- */

const struct lazy *subscript_position(struct export *x, const struct place *p,
                                      const struct value *size, bool hold,
                                      const struct lazy **inside, struct span span) {
    const struct lazy *l = integer_lazy(x, p->at, span), *least = lazy_int(x, 0);
    if (p->inside || (!hold && !inside))
        return l;
    struct value one = value_int(1), most = int_op(&x->ev, INT_SUB, size, &one);
    const struct lazy *high = integer_lazy(x, value_sym(&x->ev, &most), span);
    if (inside) {
        const struct lazy *low[2] = {l, least}, *up[2] = {l, high};
        const struct lazy *both[2] = {lazy_apply(x, OP_GE, low, span),
                                      lazy_apply(x, OP_LE, up, span)};
        const struct lazy *in = lazy_apply(x, OP_AND, both, span);
        const struct lazy *pair[2] = {*inside, in};
        *inside = *inside ? lazy_apply(x, OP_AND, pair, span) : in;
    }
    const struct lazy *above[2] = {l, least}, *below[2];
    below[0] = lazy_apply(x, OP_MAX, above, span);
    below[1] = high;
    return lazy_apply(x, OP_MIN, below, span);
}

/* L without the dimension that belongs to A: its element at P. */
static const struct lazy *take_one(struct export *x, const struct lazy *l, const struct axis *a,
                                   const struct lazy *p) {
    const struct axis *axes[LAZY_RANK];
    uint32_t d = 0, n = 0;
    while (l->axis[d] != a)
        d++;
    const struct axis *at[LAZY_RANK];
    uint32_t nat = 0;
    lazy_axes(p, &nat, at);
    struct val *both[2] = {l->val, lazy_full(x, p, nat, at)};
    struct row_static s = {"axis", value_int(d)};
    for (uint32_t k = 0; k < l->rank; k++) {
        if (k != d) {
            axes[n++] = l->axis[k];
            continue;
        }
        for (uint32_t i = 0; i < nat; i++)
            axes[n++] = at[i];
    }
    return lazy_of(x, row_move(x, MOVE_take, 2, both, 1, &s, l->type), l->type, n, axes);
}

/* The slices among the N places of L's dimensions OWN, in one node. */
static const struct lazy *take_slices(struct export *x, const struct lazy *l, uint32_t n,
                                      const struct axis *const *own, const struct place *p,
                                      struct span span) {
    struct value from[LAZY_RANK], to[LAZY_RANK], axes[LAZY_RANK], steps[LAZY_RANK];
    struct lazy *r = arena_copy(x->arena, l, sizeof *r);
    uint32_t k = 0;
    for (uint32_t d = 0; d < n; d++) {
        if (p[d].kind != PLACE_SLICE || !lazy_has(l, own[d]))
            continue;
        struct value step = value_int(p[d].step), last;
        uint32_t at = 0;
        while (l->axis[at] != own[d])
            at++;
        from[k] = value_from_sym(&x->ev, p[d].first);
        last = int_op(&x->ev, INT_MUL, &p[d].axis->count, &step);
        to[k] = int_op(&x->ev, INT_ADD, &from[k], &last);
        axes[k] = value_int(at);
        steps[k++] = step;
        r->axis[at] = p[d].axis;
    }
    if (!k)
        return l;
    struct val *all[5] = {l->val, integer_vector(x, k, from, span), integer_vector(x, k, to, span),
                          integer_vector(x, k, axes, span), integer_vector(x, k, steps, span)};
    r->val = row_move(x, MOVE_slice, 5, all, 0, NULL, l->type);
    return r;
}

/* Several dimensions of L at positions that hang together: they, and the axes that the positions
   and L share, become one dimension, and the positions are along it. */
static const struct lazy *take_together(struct export *x, const struct lazy *l, uint32_t n,
                                        const struct axis *const *own, const struct lazy *const *at,
                                        struct span span) {
    const struct axis *order[LAZY_RANK], *over[LAZY_RANK], *rest[LAZY_RANK];
    const struct lazy *where[LAZY_RANK];
    struct value dims[LAZY_RANK], size = value_int(1);
    uint32_t nover = 0, count = 0, nrest = 0;
    for (uint32_t k = 0; k < n; k++)
        lazy_axes(at[k], &nover, over);
    for (uint32_t k = 0; k < n; k++) {
        order[count] = own[k];
        where[count++] = at[k];
    }
    for (uint32_t d = 0; d < l->rank; d++) {
        bool shared = false, mine = false;
        for (uint32_t k = 0; k < nover; k++)
            shared = shared || l->axis[d] == over[k];
        for (uint32_t k = 0; k < n; k++)
            mine = mine || l->axis[d] == own[k];
        if (mine || !l->axis[d])
            continue;
        if (!shared) {
            rest[nrest++] = l->axis[d];
            continue;
        }
        order[count] = l->axis[d];
        where[count++] = integer_lazy(x, sym_atom(x->ev.syms, l->axis[d]->atom), span);
    }
    const struct lazy *flat = lazy_int(x, 0);
    for (uint32_t k = count; k-- > 0;) {
        const struct lazy *pair[2] = {where[k], integer_lazy(x, value_sym(&x->ev, &size), span)};
        const struct lazy *sum[2] = {flat, lazy_apply(x, OP_MUL, pair, span)};
        flat = lazy_apply(x, OP_ADD, sum, span);
        size = int_op(&x->ev, INT_MUL, &size, &order[k]->count);
    }
    memcpy(order + count, rest, nrest * sizeof *rest);
    struct val *v = lazy_full(x, l, count + nrest, order);
    dims[0] = size;
    for (uint32_t k = 0; k < nrest; k++)
        dims[1 + k] = rest[k]->count;
    struct val *both[2] = {v, integer_vector(x, nrest + 1, dims, span)};
    v = row_move(x, MOVE_reshape, 2, both, 0, NULL, l->type);
    const struct axis *joint = lazy_axis(x, &size);
    memmove(rest + 1, rest, nrest * sizeof *rest);
    rest[0] = joint;
    return take_one(x, lazy_of(x, v, l->type, nrest + 1, rest), joint, flat);
}

/* Whether one of the AXES is a dimension of L. */
static bool shares(const struct lazy *l, uint32_t n, const struct axis *const *axes) {
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any = any || lazy_has(l, axes[i]);
    return any;
}

/* The dimensions of L at places of any kind. */
static const struct lazy *take_any(struct export *x, const struct lazy *l, uint32_t n,
                                   const struct axis *const *own, const struct lazy *const *at,
                                   struct span span) {
    const struct axis *over[LAZY_RANK];
    bool apart = true;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t nover = 0;
        lazy_axes(at[k], &nover, over);
        apart = apart && !shares(l, nover, over);
        for (uint32_t j = 0; j < n; j++)
            apart = apart && (j == k || !shares(at[j], nover, over));
    }
    if (!apart)
        return take_together(x, l, n, own, at, span);
    for (uint32_t k = 0; k < n; k++)
        l = take_one(x, l, own[k], at[k]);
    return l;
}

bool verb_read(void *host, const struct tensor *t, const struct value *at,
               const struct value *other, struct span span, struct value *out) {
    struct export *x = host;
    struct cont *c = verb_cont(x, t);
    if (x->muted) {
        *out = value_lazy(lazy_of(x, NULL, t->dtype, 0, NULL));
        return true;
    }
    const struct lazy *l = c->now, *inside = NULL, *where[EVAL_MAX_RANK];
    const struct axis *own[EVAL_MAX_RANK], *taken[LAZY_RANK], *given[EVAL_MAX_RANK];
    const struct axis *renamed[EVAL_MAX_RANK];
    struct place p[EVAL_MAX_RANK];
    uint32_t n = 0, ntaken = 0, nrenamed = 0;
    if (!l)
        l = lazy_number(x, t->dtype, scalar_from_i64(t->dtype, 0));
    l = lazy_taken(x, l);
    for (uint32_t d = 0; d < c->rank; d++) {
        struct value size = size_at(x, t, d);
        p[d] = subscript_place(x, &at[d], &size);
        if (other && !p[d].inside)
            p[d].kind = PLACE_ANY;
    }
    /* A dimension whose axis another one has already, or L itself, is taken by positions. */
    for (uint32_t d = 0; d < l->rank; d++) {
        bool mine = false;
        for (uint32_t k = 0; k < c->rank; k++)
            mine = mine || l->axis[d] == c->own[k];
        if (!mine && l->axis[d])
            taken[ntaken++] = l->axis[d];
    }
    for (uint32_t d = 0; d < c->rank; d++) {
        bool twice = false;
        for (uint32_t k = 0; k < ntaken; k++)
            twice = twice || place_uses(&p[d], taken[k]);
        if (twice)
            p[d].kind = PLACE_ANY;
        else if (p[d].kind == PLACE_WHOLE || p[d].kind == PLACE_SLICE)
            taken[ntaken++] = p[d].axis;
        for (uint32_t k = 0; !twice && k < p[d].njoint; k++)
            taken[ntaken++] = p[d].joint[k];
    }
    for (uint32_t d = 0; d < c->rank; d++)
        if (p[d].kind == PLACE_JOINT && lazy_has(l, c->own[d]))
            l = joint_split(x, l, c->own[d], &p[d]);
    for (uint32_t d = 0; d < c->rank; d++) {
        if (p[d].kind == PLACE_WHOLE) {
            renamed[nrenamed] = c->own[d];
            given[nrenamed++] = p[d].axis;
        } else if (p[d].kind == PLACE_UNIT) {
            renamed[nrenamed] = c->own[d];
            given[nrenamed++] = NULL;
        }
    }
    l = take_slices(x, l, c->rank, c->own, p, span);
    l = lazy_rename(x, l, nrenamed, renamed, given);
    for (uint32_t d = 0; d < c->rank; d++) {
        struct value size = size_at(x, t, d);
        bool any = p[d].kind == PLACE_ONE || p[d].kind == PLACE_ANY;
        if (!any || (!lazy_has(l, c->own[d]) && !(other && !p[d].inside)))
            continue;
        const struct lazy *q =
            subscript_position(x, &p[d], &size, other || x->mask, other ? &inside : NULL, span);
        if (!lazy_has(l, c->own[d]))
            continue;
        own[n] = c->own[d];
        where[n++] = q;
    }
    if (n)
        l = take_any(x, l, n, own, where, span);
    if (inside) {
        const struct lazy *three[3] = {inside, l, other->expr};
        l = lazy_apply(x, OP_SELECT, three, span);
    }
    *out = value_lazy(l);
    return true;
}
