/* Owners of the elements of distributed register containers. Two accesses whose owners are equal
   touch an element in the same thread: the thread's numbers are the element's subscripts. */
#include "compiler/analysis/owner.h"

static bool from_zero_by_one(const struct graph *g, const struct index *x) {
    int64_t lo, step;
    return sym_is_const(g->syms, x->lo, &lo) && lo == 0 && sym_is_const(g->syms, x->step, &step) &&
           step == 1;
}

static bool stands_alone(const struct graph *g, const struct memlet *m, struct name index,
                         uint32_t *dim) {
    struct name n;
    for (uint32_t d = 0; d < m->rank; d++)
        if (sym_is_atom(g->syms, m->at[d], &n) && name_eq(n, index)) {
            *dim = d;
            return true;
        }
    return false;
}

bool memlet_owner(const struct graph *g, const struct memlet *m, const struct index *const *around,
                  uint32_t n, struct owner *out) {
    bool fits = true;
    *out = (struct owner){0};
    for (uint32_t i = 0; i < n; i++) {
        const struct index *x = around[i];
        uint32_t dim = 0;
        if (x->schedule != SCHED_BLOCK && x->schedule != SCHED_WARP)
            continue;
        fits = fits && out->n < OWNER_MOST && from_zero_by_one(g, x) &&
               stands_alone(g, m, x->name, &dim);
        if (fits)
            out->dim[out->n] = dim;
        out->n++;
    }
    return fits;
}

bool owner_equal(const struct owner *a, const struct owner *b) {
    if (a->n != b->n || a->n > OWNER_MOST)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->dim[i] != b->dim[i])
            return false;
    return true;
}
