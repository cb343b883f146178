/* Several indices as one subscript, as in x[h*D + d]: where their ranges make up the dimension, the
   dimension is a joint of theirs, and only another shape of the same elements is wanted. */
#include "lang/export/internal.h"

struct factors {
    struct export *x;
    struct sym rest; /* what is left when the axes are taken out */
    uint32_t n;
    const struct axis *axis[JOINT_MOST];
    struct sym factor[JOINT_MOST];
    bool ok;
};

static void take_out(void *data, struct name n) {
    struct factors *f = data;
    const struct meaning *m = integer_meaning(f->x, n);
    struct sym factor, rest;
    if (!m || m->of || !f->ok)
        return;
    f->ok = m->axis && f->n < JOINT_MOST && sym_linear(f->x->ev.syms, f->rest, n, &factor, &rest);
    if (!f->ok)
        return;
    f->axis[f->n] = m->axis;
    f->factor[f->n++] = factor;
    f->rest = rest;
}

bool joint_find(struct export *x, struct place *p, const struct value *size) {
    struct sym_ctx *c = x->ev.syms;
    struct factors f = {.x = x, .rest = p->at, .ok = true};
    struct sym stride = sym_const(c, 1);
    int64_t zero;
    sym_atoms(c, p->at, take_out, &f);
    if (!f.ok || f.n < 2 || !sym_is_const(c, f.rest, &zero) || zero != 0)
        return false;
    for (uint32_t k = 0; k < f.n; k++) { /* from the innermost outwards */
        uint32_t i = k;
        while (i < f.n && !sym_eq(f.factor[i], stride))
            i++;
        if (i == f.n)
            return false;
        const struct axis *a = f.axis[i];
        f.axis[i] = f.axis[k];
        f.factor[i] = f.factor[k];
        p->joint[f.n - 1 - k] = a;
        stride = sym_mul(c, stride, value_sym(&x->ev, &a->count));
    }
    struct value end = value_from_sym(&x->ev, stride);
    p->njoint = f.n;
    return int_equal(&x->ev, &end, size) == 1;
}

static struct val *reshaped(struct export *x, struct val *v, uint32_t n, struct value *sizes,
                            enum dtype type) {
    uint32_t open = 0, at = 0;
    bool empty = false;
    for (uint32_t i = 0; i < n; i++) {
        empty = empty || (sizes[i].kind == VAL_INT && sizes[i].i == 0);
        if (sizes[i].kind != VAL_INT)
            open++, at = i;
    }
    if (open == 1 && !empty) /* what is left */
        sizes[at] = value_int(-1);
    struct val *both[2] = {v, integer_vector(x, n, sizes, (struct span){0})};
    return row_move(x, MOVE_reshape, 2, both, 0, NULL, type);
}

const struct lazy *joint_split(struct export *x, const struct lazy *l, const struct axis *own,
                               const struct place *p) {
    struct value sizes[LAZY_RANK + JOINT_MOST];
    const struct axis *axes[LAZY_RANK + JOINT_MOST];
    uint32_t n = 0;
    for (uint32_t d = 0; d < l->rank; d++) {
        bool here = l->axis[d] == own;
        for (uint32_t k = 0; k < (here ? p->njoint : 1); k++) {
            axes[n] = here ? p->joint[k] : l->axis[d];
            sizes[n] = axes[n] ? axes[n]->count : value_int(1);
            n++;
        }
    }
    return lazy_of(x, reshaped(x, l->val, n, sizes, l->type), l->type, n, axes);
}

const struct lazy *joint_merge(struct export *x, const struct lazy *l, uint32_t n,
                               const struct axis *const *dim, const struct place *p) {
    struct value sizes[LAZY_RANK];
    const struct axis *axes[LAZY_RANK], *whole[LAZY_RANK];
    uint32_t rank = 0, nwhole = 0;
    for (uint32_t d = 0; d < n; d++) {
        if (p[d].kind == PLACE_UNIT)
            continue;
        for (uint32_t k = 0; k < p[d].njoint; k++)
            axes[rank++] = p[d].joint[k];
        if (p[d].kind == PLACE_WHOLE)
            axes[rank++] = p[d].axis;
        sizes[nwhole] = dim[d]->count;
        whole[nwhole++] = dim[d];
    }
    return lazy_of(x, reshaped(x, lazy_full(x, l, rank, axes), nwhole, sizes, l->type), l->type,
                   nwhole, whole);
}
