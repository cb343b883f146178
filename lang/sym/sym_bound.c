/* Constant bounds of an expression: the least value that samples show is tried first, then values
   below it at growing distance, then what lies between is halved. So a bound that can be proved
   and is attained costs one proof. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_proof.h"

static bool at_least(struct proof *p, struct sym a, int64_t v) {
    return sym_search(p, sym_combine(p->ctx, 1, a, -1, sym_const(p->ctx, v)), SYM_PROOF_DEPTH);
}

bool sym_lower_bound(struct sym_facts *f, struct sym a, int64_t *v) {
    struct interval r = sym_facts_range(f, a);
    int64_t above, below = r.lo; /* below: proved unless INT64_MIN; above: not proved or not true */
    struct proof p;
    if (r.lo == r.hi && r.lo != INT64_MIN && r.lo != INT64_MAX) {
        *v = r.lo;
        return true;
    }
    bool sampled = sym_sample_least(f, a, &above);
    if (!sampled)
        above = below == INT64_MIN ? 0 : below;
    if (below == above && sampled) {
        *v = below;
        return true;
    }
    sym_proof_start(&p, f, SYM_PROOF_STEPS);
    if (at_least(&p, a, above)) {
        *v = above;
        return true;
    }
    for (int64_t distance = 1; below == INT64_MIN && distance < INT64_C(1) << 40; distance *= 4) {
        int64_t w;
        if (sym_exhausted(&p) || __builtin_sub_overflow(above, distance, &w))
            return false;
        if (at_least(&p, a, w))
            below = w;
    }
    if (below == INT64_MIN)
        return false;
    while (above > below && above - below > 1 && !sym_exhausted(&p)) {
        int64_t mid = below + (above - below) / 2;
        if (at_least(&p, a, mid))
            below = mid;
        else
            above = mid;
    }
    *v = below;
    return true;
}

bool sym_upper_bound(struct sym_facts *f, struct sym a, int64_t *v) {
    return sym_lower_bound(f, sym_neg(f->ctx, a), v) && !__builtin_sub_overflow(0, *v, v);
}
