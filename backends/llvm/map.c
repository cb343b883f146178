/* Indices of maps and loops: sequential loops and unrolled copies. Vector and parallel indices are
   vector.c's and parallel.c's. */
#include "backends/llvm/codegen.h"

#include "backends/ptx/ptx.h"
#include "compiler/analysis/depend.h"

enum { MOST_COPIES = 256, MOST_GUARDED = 64 };

static uint32_t index_count(const struct node *n) {
    return n->kind == NODE_MAP ? n->map.n : 1;
}

static const struct index *index_at(const struct node *n, uint32_t k) {
    return n->kind == NODE_MAP ? &n->map.index[k] : &n->loop.index;
}

static const struct region *body_of(const struct node *n) {
    return n->kind == NODE_MAP ? &n->map.body : &n->loop.body;
}

/* The number of iterations if it is constant, else -1. */
static int64_t trip_count(struct cg *c, const struct index *x) {
    struct sym size = sym_sub(c->syms, bound(c, x->hi), bound(c, x->lo));
    int64_t n, step;
    if (!sym_is_const(c->syms, size, &n) || !sym_is_const(c->syms, subst(c, x->step), &step))
        return -1;
    return n <= 0 ? 0 : (n + step - 1) / step;
}

bool unrolls(struct cg *c, const struct index *x, int64_t *count, bool *exact) {
    *exact = true;
    *count = trip_count(c, x);
    if (*count == 1 || *count == 0)
        return true;
    if (x->schedule != SCHED_UNROLL)
        return false;
    if (*count >= 0)
        return x->factor ? *count <= x->factor : *count <= MOST_COPIES;
    /* A bound on the number will do: each copy asks whether it runs. */
    int64_t n, step;
    *exact = false;
    if (x->factor || !sym_is_const(c->syms, subst(c, x->step), &step) ||
        !sym_upper_bound(c->facts, sym_sub(c->syms, x->hi, x->lo), &n))
        return false;
    *count = n <= 0 ? 0 : (n + step - 1) / step;
    return *count <= MOST_GUARDED;
}

void lower_copy(struct cg *c, const struct node *n, uint32_t k, struct sym value) {
    uint32_t scope = scope_push(c);
    subst_push(c, index_at(n, k)->name, value);
    lower_index(c, n, k + 1);
    subst_pop(c);
    scope_pop(c, scope);
}

static void lower_copies(struct cg *c, const struct node *n, uint32_t k, int64_t count,
                         bool exact) {
    const struct index *x = index_at(n, k);
    struct sym lo = bound(c, x->lo), hi = bound(c, x->hi), step = subst(c, x->step);
    for (int64_t i = 0; i < count && !c->failed; i++) {
        struct sym value = sym_add(c->syms, lo, sym_mul(c->syms, step, sym_const(c->syms, i)));
        LLVMBasicBlockRef after = NULL;
        if (!exact) {
            LLVMValueRef a = cg_sym_scalar(c, value), b = cg_sym_scalar(c, hi);
            LLVMBasicBlockRef copy = cg_block(c, "copy");
            after = cg_block(c, "after");
            LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, a, b, ""), copy, after);
            cg_at(c, copy);
        }
        lower_copy(c, n, k, value);
        if (after) {
            LLVMBuildBr(c->b, after);
            cg_at(c, after);
        }
    }
}

static bool polls(struct cg *c, const struct node *n, uint32_t k) {
    return c->fn->depth == 0 || index_loops(c, n, k + 1);
}

static void lower_sequential(struct cg *c, const struct node *n, uint32_t k, bool sure) {
    const struct index *x = index_at(n, k);
    LLVMValueRef lo = cg_sym_scalar(c, bound(c, x->lo)), hi = cg_sym_scalar(c, bound(c, x->hi));
    LLVMValueRef step = cg_sym_scalar(c, subst(c, x->step));
    struct loop l = {.may_be_long = may_be_long(c, bound(c, x->lo), bound(c, x->hi))};
    loop_begin(c, &l, lo, hi, step, sure, polls(c, n, k));
    bind_name(c, x->name, cg_val(l.index, DT_i64, 1));
    lower_index(c, n, k + 1);
    loop_end(c, &l);
}

/* unroll(f): f iterations per turn of a loop, then a loop over what is left. */
static void lower_unrolled_loop(struct cg *c, const struct node *n, uint32_t k) {
    const struct index *x = index_at(n, k);
    int64_t factor = x->factor;
    struct sym lo = bound(c, x->lo), hi = bound(c, x->hi), step = subst(c, x->step);
    struct sym by = sym_mul(c->syms, step, sym_const(c->syms, factor));
    struct sym turns =
        sym_floordiv(c->syms,
                     sym_floordiv(c->syms,
                                  sym_add(c->syms, sym_sub(c->syms, hi, lo),
                                          sym_sub(c->syms, step, sym_const(c->syms, 1))),
                                  step),
                     sym_const(c->syms, factor));
    struct sym middle = sym_add(c->syms, lo, sym_mul(c->syms, turns, by));
    struct name turn =
        name_of_text(c->g->names, arena_printf(c->a, "%s'u", name_text(c->g->names, x->name)));
    struct loop l = {.may_be_long = may_be_long(c, lo, hi)};
    LLVMValueRef first = cg_sym_scalar(c, lo), end = cg_sym_scalar(c, middle);
    loop_begin(c, &l, first, end, cg_sym_scalar(c, by), false, polls(c, n, k));
    bind_name(c, turn, cg_val(l.index, DT_i64, 1));
    uint32_t facts = sym_facts_mark(c->facts);
    sym_facts_bounds(c->facts, turn, lo, sym_sub(c->syms, middle, by));
    sym_facts_step(c->facts, turn, lo, by);
    for (int64_t i = 0; i < factor && !c->failed; i++)
        lower_copy(c, n, k,
                   sym_add(c->syms, sym_atom(c->syms, turn),
                           sym_mul(c->syms, step, sym_const(c->syms, i))));
    sym_facts_restore(c->facts, facts);
    loop_end(c, &l);
    int64_t left;
    if (sym_is_const(c->syms, sym_sub(c->syms, hi, middle), &left) && left <= 0)
        return;
    loop_begin(c, &l, end, cg_sym_scalar(c, hi), cg_sym_scalar(c, step), false, polls(c, n, k));
    bind_name(c, x->name, cg_val(l.index, DT_i64, 1));
    lower_index(c, n, k + 1);
    loop_end(c, &l);
}

void lower_index(struct cg *c, const struct node *n, uint32_t k) {
    if (c->failed)
        return;
    if (k == index_count(n)) {
        if (n->kind == NODE_MAP && c->fn->lanes == 1)
            lower_versions(c, n);
        else
            lower_region(c, body_of(n));
        return;
    }
    const struct index *x = index_at(n, k);
    /* Asked before the index's own facts, which say that there is an iteration. */
    bool sure = trip_count(c, x) > 0 || sym_prove_lt(c->facts, x->lo, x->hi);
    uint32_t facts = sym_facts_mark(c->facts);
    index_facts(c->facts, c->syms, x);
    struct vector_plan plan = {.form = VECTOR_NOT};
    if (x->schedule == SCHED_VECTOR && n->kind == NODE_MAP)
        plan = vector_plan(c, n, k);
    int64_t count;
    bool exact;
    if (plan.form != VECTOR_NOT)
        lower_vector(c, n, k, plan, sure);
    else if (c->gpu && ptx_index(c, n, k))
        ; /* done */
    else if (unrolls(c, x, &count, &exact))
        lower_copies(c, n, k, count, exact);
    else if (x->schedule == SCHED_UNROLL && x->factor > 1 && x->factor <= MOST_COPIES)
        lower_unrolled_loop(c, n, k);
    else
        lower_sequential(c, n, k, sure);
    sym_facts_restore(c->facts, facts);
}

void lower_map(struct cg *c, const struct node *n) {
    if (lower_outlined(c, n))
        return;
    struct fn *fn = c->fn;
    bool in_map = fn->in_map;
    fn->in_map = true;
    hoist_checks(c, n);
    if (!lower_parallel(c, n))
        lower_index(c, n, 0);
    fn->in_map = in_map;
}

/* A graph that verifies has no such index that may not; asked again, because a race is worse than
   a slow loop. */
bool runs_at_once(struct cg *c, const struct node *n, uint32_t k, bool threads) {
    if (!n->map.unique && index_race(c->g, n, k, c->facts, CONFLICT_ERROR, NULL) != RACE_FREE)
        return false;
    return !threads || index_race(c->g, n, k, c->facts, CONFLICT_RESOLVED, NULL) == RACE_FREE;
}

/* --- what emits loops --- */

bool index_loops(struct cg *c, const struct node *n, uint32_t k) {
    for (; k < index_count(n); k++) {
        const struct index *x = index_at(n, k);
        int64_t count = trip_count(c, x);
        if (count == 0 || count == 1)
            continue;
        if (x->schedule == SCHED_UNROLL && (!x->factor || (count > 0 && count <= x->factor)))
            continue;
        if (x->schedule == SCHED_VECTOR && count > 0 && count <= 64)
            continue;
        return true;
    }
    return region_loops(c, body_of(n));
}

bool region_loops(struct cg *c, const struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        if (n->kind == NODE_MAP || n->kind == NODE_LOOP) {
            if (index_loops(c, n, 0))
                return true;
        } else if (n->kind == NODE_WHILE) {
            return true;
        } else if (n->kind == NODE_BRANCH) {
            if (region_loops(c, &n->branch.then) || region_loops(c, &n->branch.otherwise))
                return true;
        }
    }
    return false;
}
