/* Writes of elements, as what they are for all indices of the maps around at once. A write that
   goes over the whole container makes what it holds anew; one to some places puts values into what
   it held. In a branch, and in a range that is not the same for all outer indices, a mask says
   where writes count. */
#include "lang/export/internal.h"

#include <string.h>

enum { WRITES_MOST = 1 << 22 }; /* that are counted one by one */

struct write {
    struct export *x;
    struct cont *c;
    const struct tensor *t;
    const struct value *at;
    const struct lazy *value;
    enum resolution r;
    struct span span;
    /* What C holds, by dimension: the axes of the maps around its declaration, then its own; and
       where along them the write is. After arrange: from FIRST on they are whole. */
    uint32_t n, first;
    const struct axis *dim[LAZY_RANK];
    struct place p[LAZY_RANK];
    bool outside; /* what falls outside is dropped, and that may be */
};

/* L where writes count, else OTHER. */
static const struct lazy *masked(const struct write *w, const struct lazy *l,
                                 const struct lazy *other) {
    struct export *x = w->x;
    const struct lazy *three[3] = {x->mask, l, other};
    return x->mask ? lazy_apply(x, OP_SELECT, three, w->span) : l;
}

static bool holds(uint32_t n, const struct axis *const *axes, const struct axis *a) {
    bool found = false;
    for (uint32_t i = 0; i < n; i++)
        found = found || axes[i] == a;
    return found;
}

/* The axes of maps that stand inside of C's declaration and are none of the N at USED. */
static uint32_t free_axes(const struct write *w, uint32_t n, const struct axis *const *used,
                          const struct axis **out) {
    uint32_t k = 0;
    for (uint32_t i = w->c->around; i < w->x->nest.n; i++)
        if (!holds(n, used, w->x->nest.at[i]))
            out[k++] = w->x->nest.at[i];
    return k;
}

static const struct lazy *before(const struct write *w) {
    const struct cont *c = w->c;
    return c->now ? c->now : lazy_number(w->x, c->type, scalar_from_i64(c->type, 0));
}

static union scalar identity_of(const struct write *w) {
    return w->r == RES_NONE ? (union scalar){0} : resolution_identity(w->r, w->c->type);
}

static bool in_order(const struct write *w) {
    export_refuse(w->x, w->span, "a write in which the order of a map's indices decides");
    return true;
}

/* Writes that go over all of C: what it holds is new. */
static bool write_all(const struct write *w) {
    struct export *x = w->x;
    struct cont *c = w->c;
    const struct axis *used[LAZY_RANK], *own[LAZY_RANK], *rest[LAZY_RANK];
    const struct lazy *l = w->value, *old = before(w);
    uint32_t n = 0, nused = 0;
    bool keep = false, joint = false;
    for (uint32_t d = c->around; d < w->n; d++) {
        keep = keep || w->p[d].kind == PLACE_UNIT;
        joint = joint || w->p[d].kind == PLACE_JOINT;
        if (w->p[d].kind != PLACE_WHOLE)
            continue;
        used[n] = w->p[d].axis;
        own[n++] = w->dim[d];
    }
    nused = n;
    for (uint32_t d = c->around; d < w->n; d++)
        for (uint32_t k = 0; k < w->p[d].njoint; k++)
            used[nused++] = w->p[d].joint[k];
    uint32_t nrest = free_axes(w, nused, used, rest);
    union scalar identity = identity_of(w);
    if (w->r == RES_NONE) {
        l = lazy_taken(x, l);
        for (uint32_t i = 0; i < nrest; i++)
            if (lazy_has(l, rest[i]) || (x->mask && lazy_has(x->mask, rest[i])))
                return in_order(w);
        l = masked(w, l, lazy_rename(x, old, n, own, used));
    } else {
        l = masked(w, l, lazy_number(x, c->type, identity));
        l = lazy_reduce(x, w->r, l, nrest, rest, keep && !joint, w->span);
    }
    l = joint ? joint_merge(x, l, w->n, w->dim, w->p) : lazy_rename(x, l, n, used, own);
    bool fresh = old->constant && scalar_same(c->type, old->number, identity);
    if (w->r != RES_NONE && !fresh) {
        const struct lazy *pair[2] = {old, l};
        l = lazy_apply(x, resolution_op(w->r), pair, w->span);
    }
    c->now = lazy_taken(x, l);
    return true;
}

/* C holds what it held with the value V at the places I. */
static bool put(const struct write *w, struct val *i, struct val *v) {
    struct export *x = w->x;
    struct cont *c = w->c;
    const char *name = w->r == RES_NONE ? "none" : resolution_names[w->r];
    struct row_static how = {"how", value_str(name_of_text(x->ev.names, name))};
    struct val *three[3] = {lazy_full(x, before(w), w->n, w->dim), i, v};
    struct val *out = row_move(x, MOVE_put, 3, three, 1, &how, c->type);
    c->now = lazy_of(x, out, c->type, w->n, w->dim);
    return true;
}

/* Whether dimension D is whole and its index stands nowhere else, nor in what data say there. */
static bool stays_whole(const struct write *w, uint32_t d) {
    const struct axis *a = w->p[d].axis;
    bool ok = w->p[d].kind == PLACE_WHOLE;
    for (uint32_t k = 0; ok && k < w->n; k++)
        ok = k == d || !integer_over(w->x, w->p[k].at, a);
    for (uint32_t k = 0; ok && k < w->x->limits.n; k++)
        ok = !integer_over(w->x, w->x->limits.at[k], a);
    return ok;
}

/* Whole dimensions stand last: they need no positions. */
static void arrange(struct write *w) {
    const struct axis *dim[LAZY_RANK];
    struct place p[LAZY_RANK];
    uint32_t n = 0;
    for (int whole = 0; whole < 2; whole++) {
        for (uint32_t d = 0; d < w->n; d++) {
            if (stays_whole(w, d) != (whole == 1))
                continue;
            dim[n] = w->dim[d];
            p[n++] = w->p[d];
        }
        if (!whole)
            w->first = n;
    }
    memcpy(w->dim, dim, n * sizeof *dim);
    memcpy(w->p, p, n * sizeof *p);
}

/* --- places that the run finds ---------------------------------------------------------------- */

/* Whether two iterations write to two places, whatever data say: each index of the maps around is a
   subscript by itself. */
static bool apart(const struct write *w) {
    bool ok = true;
    for (uint32_t i = w->c->around; ok && i < w->x->nest.n; i++) {
        ok = false;
        for (uint32_t d = 0; d < w->n; d++)
            ok = ok || w->p[d].axis == w->x->nest.at[i];
    }
    return ok;
}

static bool any_found(const struct write *w) {
    bool found = false;
    for (uint32_t d = 0; d < w->n; d++)
        found = found || w->p[d].found;
    return found;
}

/* What is written: where writes do not count, what is there; or the identity. */
static bool value_put(const struct write *w, const struct lazy *inside, const struct lazy **l) {
    struct export *x = w->x;
    struct value old;
    bool all_inside = true;
    const struct lazy *three[3] = {inside, w->value, NULL};
    *l = w->value;
    for (uint32_t d = 0; d < w->n; d++)
        all_inside = all_inside && w->p[d].inside;
    if (w->r != RES_NONE) {
        three[2] = lazy_number(x, w->c->type, identity_of(w));
        if (inside)
            *l = lazy_apply(x, OP_SELECT, three, w->span);
        *l = masked(w, *l, three[2]);
        return true;
    }
    if (inside || (x->mask && !all_inside))
        return false;
    if (!x->mask)
        return true;
    if (!verb_read(x, w->t, w->at, NULL, w->span, &old))
        return false;
    *l = masked(w, *l, old.expr);
    return true;
}

/* Writes at some places of C: the positions are a tensor, whose last dimension is the position. */
static bool write_some(const struct write *w) {
    struct export *x = w->x;
    const struct axis *over[LAZY_RANK], *rest[LAZY_RANK], *all[LAZY_RANK], *order[LAZY_RANK];
    const struct lazy *where[LAZY_RANK], *inside = NULL, *l;
    uint32_t nover = 0, nall = 0, first = w->first;
    if (w->r == RES_NONE && any_found(w) && !apart(w)) {
        export_refuse(x, w->span, "a write at a place that data choose, without a resolution");
        return true;
    }
    for (uint32_t d = 0; d < first; d++) {
        bool hold = x->mask || w->outside;
        where[d] = subscript_position(x, &w->p[d], &w->dim[d]->count, hold,
                                      w->outside ? &inside : NULL, w->span);
        lazy_axes(where[d], &nover, over);
    }
    memcpy(all, over, nover * sizeof *over);
    nall = nover;
    for (uint32_t d = first; d < w->n; d++)
        all[nall++] = w->p[d].axis;
    if (!value_put(w, inside, &l)) {
        export_refuse(x, w->span, "a write that counts at some places only, which the run finds");
        return true;
    }
    uint32_t nrest = free_axes(w, nall, all, rest);
    if (w->r != RES_NONE)
        l = lazy_reduce(x, w->r, l, nrest, rest, false, w->span);
    l = lazy_taken(x, l);
    for (uint32_t i = 0; i < nrest; i++)
        if (lazy_has(l, rest[i]))
            return in_order(w);
    struct value last = value_int(1);
    memcpy(order, over, nover * sizeof *over);
    order[nover] = lazy_axis(x, &last);
    struct val **at = ARENA_ARRAY(x->arena, struct val *, first + 1);
    for (uint32_t d = 0; d < first; d++)
        at[d] = lazy_full(x, where[d], nover + 1, order);
    return put(w, first == 1 ? at[0] : row_join(x, first, at, nover, DT_i64),
               lazy_full(x, l, nall, all));
}

/* --- places that are counted here ------------------------------------------------------------- */

static void note_axes(const struct write *w, struct sym s, uint32_t *n, const struct axis **axes,
                      bool *known) {
    const struct lazy *l = integer_lazy(w->x, s, w->span);
    lazy_axes(l, n, axes);
    *known = *known && integer_counted(w->x, s);
}

/* Writes of which some do not count, where they are all known: those that count, one by one. *DONE:
   they are known. */
static bool write_counted(const struct write *w, bool *done) {
    struct export *x = w->x;
    const struct axis *axes[LAZY_RANK], *rest[LAZY_RANK];
    uint32_t n = 0, nlimits = x->limits.n, first = w->first, nwhole = w->n - first;
    uint64_t total = 1, places = 1;
    bool known = !x->branches;
    const struct axis *whole[LAZY_RANK], *some[LAZY_RANK];
    uint32_t nsome = 0;
    for (uint32_t d = 0; d < nwhole; d++)
        whole[d] = w->p[first + d].axis;
    for (uint32_t d = 0; known && d < first; d++) {
        known = w->dim[d]->count.kind == VAL_INT;
        places *= known ? (uint64_t)w->dim[d]->count.i : 0;
        note_axes(w, w->p[d].at, &n, axes, &known);
    }
    for (uint32_t k = 0; known && k < nlimits; k++)
        note_axes(w, x->limits.at[k], &n, axes, &known);
    lazy_axes(w->value, &nsome, some);
    for (uint32_t i = 0; i < nsome; i++)
        if (!holds(n, axes, some[i]) && !holds(nwhole, whole, some[i]))
            axes[n++] = some[i];
    for (uint32_t i = 0; known && i < n; i++) {
        known = axes[i]->count.kind == VAL_INT;
        total *= known ? (uint64_t)axes[i]->count.i : 0;
        known = known && total <= WRITES_MOST;
    }
    *done = known && places <= WRITES_MOST;
    if (!*done)
        return true;
    int64_t **at = ARENA_ARRAY(x->arena, int64_t *, first + nlimits + 1);
    for (uint32_t d = 0; d < first + nlimits; d++) {
        at[d] = ARENA_ARRAY(x->arena, int64_t, total + 1);
        if (!subscript_table(x, d < first ? w->p[d].at : x->limits.at[d - first], n, axes, at[d]))
            return true;
    }
    int64_t *index = ARENA_ARRAY(x->arena, int64_t, total * first + 1);
    int64_t *from = ARENA_ARRAY(x->arena, int64_t, total + 1);
    bool *taken = ARENA_ARRAY(x->arena, bool, places + 1);
    int64_t count = 0;
    for (uint64_t k = 0; k < total; k++) {
        bool in = true;
        uint64_t flat = 0;
        for (uint32_t i = 0; i < nlimits; i++)
            in = in && at[first + i][k] >= 0;
        for (uint32_t d = 0; in && d < first; d++) {
            in = at[d][k] >= 0 && at[d][k] < w->dim[d]->count.i;
            flat = flat * (uint64_t)w->dim[d]->count.i + (uint64_t)at[d][k];
        }
        if (!in)
            continue;
        if (w->r == RES_NONE && taken[flat])
            return in_order(w);
        taken[flat] = true;
        from[count] = (int64_t)k;
        for (uint32_t d = 0; d < first; d++)
            index[(uint64_t)count * first + d] = at[d][k];
        count++;
    }
    const struct lazy *l = w->value;
    memcpy(axes + n, whole, nwhole * sizeof *whole);
    uint32_t nrest = free_axes(w, n + nwhole, axes, rest);
    if (w->r != RES_NONE)
        l = lazy_reduce(x, w->r, l, nrest, rest, false, w->span);
    int64_t dims[2] = {count, first};
    struct value sizes[LAZY_RANK];
    sizes[0] = value_int((int64_t)total);
    for (uint32_t d = 0; d < nwhole; d++)
        sizes[1 + d] = whole[d]->count;
    struct val *both[2] = {lazy_full(x, l, n + nwhole, axes),
                           integer_vector(x, nwhole + 1, sizes, w->span)};
    struct row_static s = {"axis", value_int(0)};
    both[0] = row_move(x, MOVE_reshape, 2, both, 0, NULL, w->c->type);
    both[1] = model_weight(x, NULL, DT_i64, 1, dims, from);
    if ((uint64_t)count < total)
        both[0] = row_move(x, MOVE_take, 2, both, 1, &s, w->c->type);
    return put(w, model_weight(x, NULL, DT_i64, 2, dims, index), both[0]);
}

bool verb_write(void *host, const struct tensor *t, const struct value *at, struct value v,
                enum resolution r, bool drop, struct span span) {
    struct export *x = host;
    if (x->muted)
        return true;
    struct cont *c = verb_cont(x, t);
    struct write w = {
        .x = x, .c = c, .t = t, .at = at, .value = v.expr, .r = r, .span = span, .n = c->around};
    bool whole = true, done = false;
    if (c->fixed) {
        export_refuse(x, span, "a write to what the model is given");
        return true;
    }
    for (uint32_t k = 0; k < c->around; k++) {
        w.dim[k] = x->nest.at[k];
        w.p[k] = (struct place){.kind = PLACE_WHOLE,
                                .axis = x->nest.at[k],
                                .at = sym_atom(x->ev.syms, x->nest.at[k]->atom),
                                .inside = true};
    }
    for (uint32_t d = 0; d < c->rank; d++, w.n++) {
        struct place *p = &w.p[w.n];
        w.dim[w.n] = c->own[d];
        *p = subscript_place(x, &at[d], &c->own[d]->count);
        w.outside = w.outside || (drop && !p->inside);
        bool joint = p->kind == PLACE_JOINT && !x->mask;
        whole = whole && (p->kind == PLACE_UNIT || p->kind == PLACE_WHOLE || joint);
        for (uint32_t k = 0; whole && k < w.n; k++) {
            whole = p->kind != PLACE_WHOLE || !place_uses(&w.p[k], p->axis);
            for (uint32_t j = 0; whole && j < p->njoint; j++)
                whole = !place_uses(&w.p[k], p->joint[j]);
        }
    }
    if (whole)
        return write_all(&w);
    arrange(&w);
    if ((w.outside || x->limits.n) && !write_counted(&w, &done))
        return false;
    return done || write_some(&w);
}
