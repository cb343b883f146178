/* Resolutions: the operation on one element, across the lanes of a vector, and accumulators.

   A write such as `v >> s[b] (sum)` in a vector loop over an index that `s[b]` does not depend on
   adds to vectors of partial results, one per copy that runs at a time; after the loop they are
   combined and the element is updated once. Partial float sums start at -0, the value that adding
   never changes anything. --strict forbids splitting float sums and products: there lanes are added
   to the element one after the other. */
#include "backends/llvm/codegen.h"

struct val reduce_op(struct cg *c, enum resolution r, struct val old, struct val v) {
    return cg_op(c, resolution_op(r), old, v, v);
}

static struct val identity(struct cg *c, enum resolution r, enum dtype t) {
    if (r == RES_SUM && dtype_is_float(t))
        return cg_float(c, t, -0.0);
    return cg_const(c, t, resolution_identity(r, t));
}

static bool in_order(struct cg *c, enum resolution r, enum dtype t) {
    return c->o->strict && dtype_is_float(t) && (r == RES_SUM || r == RES_PROD);
}

static struct val half(struct cg *c, struct val v, bool upper) {
    uint32_t n = v.lanes / 2;
    LLVMValueRef *lanes = ARENA_ARRAY(c->a, LLVMValueRef, n);
    for (uint32_t i = 0; i < n; i++)
        lanes[i] = cg_i32(c, (int32_t)(i + (upper ? n : 0)));
    if (n == 1)
        return cg_extract(c, v, upper);
    LLVMValueRef s = LLVMBuildShuffleVector(c->b, v.v, LLVMGetPoison(LLVMTypeOf(v.v)),
                                            LLVMConstVector(lanes, n), "");
    return cg_val(s, v.t, n);
}

/* Of the active lanes. */
static struct val reduce_lanes(struct cg *c, enum resolution r, struct val v) {
    struct fn *fn = c->fn;
    v = cg_widen(c, v, fn->lanes);
    if (fn->mask)
        v = cg_select(c, fn->mask, fn->lanes, v, identity(c, r, v.t));
    while (v.lanes > 1)
        v = reduce_op(c, r, half(c, v, false), half(c, v, true));
    return v;
}

struct val reduce_into(struct cg *c, enum resolution r, struct val old, struct val v) {
    struct fn *fn = c->fn;
    if (fn->lanes == 1)
        return reduce_op(c, r, old, v);
    if (!in_order(c, r, v.t))
        return reduce_op(c, r, old, reduce_lanes(c, r, v));
    for (uint32_t i = 0; i < fn->lanes; i++) {
        struct val sum = reduce_op(c, r, old, cg_extract(c, v, i));
        if (fn->mask) {
            LLVMValueRef bit = LLVMBuildExtractElement(c->b, fn->mask, cg_i32(c, (int32_t)i), "");
            sum = cg_select(c, bit, 1, sum, old);
        }
        old = sum;
    }
    return old;
}

/* --- accumulators --- */

struct search {
    struct cg *c;
    uint32_t copies;
    struct uses uses;
};

static bool invariant(struct search *s, const struct memlet *m) {
    for (uint32_t d = 0; d < m->rank; d++)
        if (sym_uses_any(s->c, m->at[d], &s->uses.defined))
            return false;
    return !map_get(&s->uses.declared, m->cont.i, NULL);
}

/* The element is updated after the loop, whether the write was reached or not. So a check that must
   fail only if it is reached stands against it, and for a write that is nested in maps or branches,
   only what is known outside of them is. */
static void consider(struct search *s, const struct node *n, bool nested) {
    struct cg *c = s->c;
    const struct memlet *m = &n->write.to;
    if (m->resolution == RES_NONE)
        return;
    enum dtype t = graph_cont(c->g, m->cont)->dtype;
    if (!invariant(s, m) || in_order(c, m->resolution, t))
        return;
    struct proof p = nested ? proof_here(c, m) : *memlet_proof(c, n, m);
    uint32_t all = m->rank >= 32 ? ~0u : (1u << m->rank) - 1;
    if (m->outside == OUTSIDE_ERROR && (m->rank > 32 || p.lower != all || p.upper != all))
        return;
    struct accumulator acc = {.write = n, .proof = p, .n = s->copies};
    struct val start = cg_widen(c, identity(c, m->resolution, t), c->fn->lanes);
    for (uint32_t i = 0; i < acc.n; i++) {
        acc.at[i] = cg_alloca(c, cg_mem_type(c, t, c->fn->lanes), 64);
        cg_store(c, acc.at[i], start);
    }
    VEC_PUSH(c->a, c->fn->accumulators, acc);
}

static void consider_region(struct search *s, const struct region *r, bool nested) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        switch (n->kind) {
        case NODE_WRITE: consider(s, n, nested); break;
        case NODE_MAP: consider_region(s, &n->map.body, true); break;
        case NODE_LOOP: consider_region(s, &n->loop.body, true); break;
        case NODE_BRANCH:
            consider_region(s, &n->branch.then, true);
            consider_region(s, &n->branch.otherwise, true);
            break;
        default: break;
        }
    }
}

uint32_t accumulators_begin(struct cg *c, const struct node *n, uint32_t k, uint32_t copies) {
    uint32_t mark = c->fn->accumulators.n;
    struct search s = {.c = c, .copies = copies > 16 ? 16 : copies};
    map_uses(c, n, k, &s.uses);
    consider_region(&s, &n->map.body, k + 1 < n->map.n);
    return mark;
}

bool accumulates(struct cg *c, const struct node *write) {
    for (uint32_t i = 0; i < c->fn->accumulators.n; i++)
        if (c->fn->accumulators.at[i].write == write)
            return true;
    return false;
}

bool accumulate(struct cg *c, const struct node *write, struct val v) {
    struct fn *fn = c->fn;
    for (uint32_t i = fn->accumulators.n; i-- > 0;) {
        const struct accumulator *acc = &fn->accumulators.at[i];
        if (acc->write != write)
            continue;
        LLVMValueRef at = acc->at[fn->copy % acc->n];
        struct val old = cg_load(c, at, v.t, fn->lanes);
        struct val sum = reduce_op(c, write->write.to.resolution, old, cg_widen(c, v, fn->lanes));
        if (fn->mask)
            sum = cg_select(c, fn->mask, fn->lanes, sum, old);
        cg_store(c, at, sum);
        return true;
    }
    return false;
}

void accumulators_end(struct cg *c, uint32_t mark) {
    struct fn *fn = c->fn;
    uint32_t n = fn->accumulators.n, lanes = fn->lanes;
    /* The writes below are ordinary ones: out of the vector body, past the accumulators. */
    fn->accumulators.n = mark;
    for (uint32_t i = mark; i < n; i++) {
        struct accumulator acc = fn->accumulators.at[i];
        const struct memlet *m = &acc.write->write.to;
        enum dtype t = graph_cont(c->g, m->cont)->dtype;
        struct val all[16];
        for (uint32_t j = 0; j < acc.n; j++)
            all[j] = cg_load(c, acc.at[j], t, lanes);
        for (uint32_t step = 1; step < acc.n; step *= 2)
            for (uint32_t j = 0; j + step < acc.n; j += 2 * step)
                all[j] = reduce_op(c, m->resolution, all[j], all[j + step]);
        LLVMValueRef mask = fn->mask;
        fn->mask = NULL;
        struct val one = reduce_lanes(c, m->resolution, all[0]);
        struct proof *known = &c->proofs[acc.write->id], inside = *known;
        *known = acc.proof;
        fn->lanes = 1;
        memlet_write(c, acc.write, m, one);
        fn->lanes = lanes;
        *known = inside;
        fn->mask = mask;
    }
}
