/* Containers with a layout: the graph has them as they lie in memory, and each subscript says the
   parts of an index, so that no pass knows of layouts. Nothing reaches lanes beyond the shape: see
   Note [lanes].

   Note [lanes]
   Of 20 channels in blocks of 16, two blocks are stored, and 12 lanes are beyond the shape. They
   are 0 from the declaration on. An index from 20 to 31 is outside of the dimension and yet has a
   block and a lane; so where it is not proved to be below 20, the block's subscript gets
   max(c - 19, 0) added, which is 0 inside and leads beyond the last block outside. */
#include "compiler/lower/internal.h"

uint32_t lower_sizes(struct lower *l, const struct tensor *t, struct sym *sizes) {
    uint32_t n = t->layout ? t->layout->n : t->rank;
    for (uint32_t k = 0; k < n; k++) {
        struct value size = t->layout ? layout_size(&l->ev, t->layout, k, t->laid) : t->dims[k];
        sizes[k] = value_sym(&l->ev, &size);
        if (t->layout)
            sizes[k] = sym_simplify(l->ev.facts, sizes[k]);
    }
    return n;
}

/* Whether the part P, which has no modulus, may have lanes in its last block. */
static bool part_has_lanes(struct lower *l, const struct tensor *t, const struct layout_part *p) {
    return p->modulus == 0 && p->divisor > 1 &&
           !sym_prove_multiple(l->ev.facts, value_sym(&l->ev, &t->laid[p->dim]), p->divisor);
}

bool lower_has_lanes(struct lower *l, const struct tensor *t) {
    bool any = false;
    for (uint32_t k = 0; t->layout && k < t->layout->n; k++)
        any = any || part_has_lanes(l, t, &t->layout->part[k]);
    return any;
}

void lower_subscripts(struct lower *l, const struct tensor *t, const struct value *at,
                      struct sym *subs) {
    struct sym_ctx *c = l->g->syms;
    if (!t->layout) {
        for (uint32_t d = 0; d < t->real_rank; d++)
            subs[d] = value_sym(&l->ev, &at[d]);
        return;
    }
    for (uint32_t k = 0; k < t->layout->n; k++) {
        const struct layout_part *p = &t->layout->part[k];
        struct value part = layout_index(&l->ev, t->layout, k, at);
        struct sym i = value_sym(&l->ev, &at[p->dim]);
        subs[k] = sym_simplify(l->ev.facts, value_sym(&l->ev, &part));
        if (!part_has_lanes(l, t, p))
            continue;
        struct sym size = value_sym(&l->ev, &t->laid[p->dim]);
        if (sym_prove_lt(l->ev.facts, i, size))
            continue;
        struct sym beyond = sym_add(c, sym_sub(c, i, size), sym_const(c, 1));
        subs[k] = sym_add(c, subs[k], sym_max(c, beyond, sym_const(c, 0)));
    }
}

void lower_laid_site(struct lower *l, const struct tensor *t, const struct value *at,
                     uint32_t site) {
    struct graph_site *x = &l->g->sites.at[site];
    struct sym *subs = ARENA_ARRAY(l->arena, struct sym, t->real_rank);
    struct sym *dims = ARENA_ARRAY(l->arena, struct sym, t->real_rank);
    if (!t->layout)
        return;
    for (uint32_t d = 0; d < t->real_rank; d++) {
        subs[d] = value_sym(&l->ev, &at[d]);
        dims[d] = value_sym(&l->ev, &t->laid[d]);
    }
    x->laid = true;
    x->rank = t->real_rank;
    x->at = subs;
    x->dims = dims;
}
