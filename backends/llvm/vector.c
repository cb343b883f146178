/* Vector indices: W lanes run the body at once, each lane one iteration.
   The index becomes `lo + step*(W*t + lane)` with t a loop counter or a constant, so a memlet's
   address is linear in `lane` where it was in the index, also through `j // 16` and `j % 16`.

   Form. A constant number of iterations (or a constant bound on it) up to MOST_STRAIGHT vectors is
   straight code, the last vectors masked. Otherwise a loop of vector(n)'s n vectors, a loop of
   single vectors, and one masked vector for the tail. What cannot run in lanes is not vectorized:
   see `runs_in_lanes`. */
#include "backends/llvm/codegen.h"

#include "compiler/analysis/depend.h"

enum { MOST_STRAIGHT = 16, MOST_COPIES = 16, MOST_PRIVATE = 64 * 1024 };

/* --- whether --- */

struct lanes_check {
    struct cg *c;
    struct map varying; /* names */
    struct map private; /* containers declared inside */
    uint32_t widest;    /* bytes of the widest element, in registers */
    struct map summed;  /* containers in which floats are summed or multiplied up */
    uint32_t inner;     /* maps and loops around, inside */
    bool mixes;         /* lane after lane is not iteration after iteration in such a sum */
    bool ok;
};

static void widen_to(struct lanes_check *x, enum dtype t) {
    uint32_t bytes = dtypes[dtypes[t].arithmetic].bytes; /* in registers */
    if (bytes > x->widest)
        x->widest = bytes;
}

static void widen_by_expr(struct lanes_check *x, const struct expr *e) {
    if (e->kind == EXPR_SYM || e->kind == EXPR_CONST)
        return;
    if (dtype_is_float(e->dtype))
        widen_to(x, e->dtype);
    unsigned n = e->kind == EXPR_OP ? scalars[e->op].arity : e->kind == EXPR_CAST ? 1 : 0;
    for (unsigned i = 0; i < n; i++)
        widen_by_expr(x, e->args[i]);
}

static void check_region(struct lanes_check *x, const struct region *r);

static void check_bounds(struct lanes_check *x, const struct index *i) {
    x->ok = x->ok && !sym_uses_any(x->c, i->lo, &x->varying) &&
            !sym_uses_any(x->c, i->hi, &x->varying) && !sym_uses_any(x->c, i->step, &x->varying);
}

static void check_decl(struct lanes_check *x, const struct node *n) {
    const struct container *k = graph_cont(x->c->g, n->decl.cont);
    int64_t bytes = dtypes[k->dtype].bytes * x->c->o->target.vector_bytes, size;
    for (uint32_t d = 0; d < k->rank; d++) {
        if (!sym_is_const(x->c->syms, k->dims[d], &size) || size > MOST_PRIVATE) {
            x->ok = false;
            return;
        }
        bytes *= size;
        x->ok = x->ok && bytes <= MOST_PRIVATE;
    }
    map_put(&x->private, n->decl.cont.i, 1);
}

static void check_read(struct lanes_check *x, const struct node *n) {
    const struct memlet *m = &n->read.from;
    bool varies = map_get(&x->private, m->cont.i, NULL);
    for (uint32_t d = 0; d < m->rank; d++)
        varies = varies || sym_uses_any(x->c, m->at[d], &x->varying);
    if (varies)
        map_put(&x->varying, n->read.name.i, 1);
    widen_to(x, graph_cont(x->c->g, m->cont)->dtype);
}

/* In a strict program lanes are added one after the other, which is the order of the iterations
   only if each adds once. */
static void check_sum(struct lanes_check *x, const struct memlet *m) {
    if ((m->resolution != RES_SUM && m->resolution != RES_PROD) ||
        !dtype_is_float(graph_cont(x->c->g, m->cont)->dtype) ||
        map_get(&x->private, m->cont.i, NULL))
        return;
    x->mixes = x->mixes || x->inner || map_get(&x->summed, m->cont.i, NULL);
    map_put(&x->summed, m->cont.i, 1);
}

static void check_node(struct lanes_check *x, const struct node *n) {
    switch (n->kind) {
    case NODE_DECL: check_decl(x, n); break;
    case NODE_READ: check_read(x, n); break;
    case NODE_LET:
        widen_by_expr(x, n->let.value);
        if (expr_uses_any(x->c, n->let.value, &x->varying))
            map_put(&x->varying, n->let.name.i, 1);
        break;
    case NODE_WRITE:
        widen_by_expr(x, n->write.value);
        widen_to(x, graph_cont(x->c->g, n->write.to.cont)->dtype);
        check_sum(x, &n->write.to);
        break;
    case NODE_MAP:
        for (uint32_t i = 0; i < n->map.n; i++)
            check_bounds(x, &n->map.index[i]);
        x->inner++;
        check_region(x, &n->map.body);
        x->inner--;
        break;
    case NODE_LOOP:
        check_bounds(x, &n->loop.index);
        x->inner++;
        check_region(x, &n->loop.body);
        x->inner--;
        break;
    case NODE_WHILE: x->ok = false; break; /* lanes would end at different turns */
    case NODE_BRANCH:
        check_region(x, &n->branch.then);
        check_region(x, &n->branch.otherwise);
        break;
    case NODE_COUNT: break;
    }
}

static void check_region(struct lanes_check *x, const struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n && x->ok; i++)
        check_node(x, r->nodes.at[i]);
}

/* The number of lanes that map N from index K inwards runs in, 1 if it cannot. */
static uint32_t runs_in_lanes(struct cg *c, const struct node *n, uint32_t k) {
    int64_t step;
    if (!sym_is_const(c->syms, n->map.index[k].step, &step))
        return 1;
    struct lanes_check x = {.c = c,
                            .varying = map_new(c->a),
                            .private = map_new(c->a),
                            .summed = map_new(c->a),
                            .inner = n->map.n - k - 1,
                            .widest = 1,
                            .ok = true};
    map_put(&x.varying, n->map.index[k].name.i, 1);
    for (uint32_t i = k + 1; i < n->map.n; i++)
        check_bounds(&x, &n->map.index[i]);
    check_region(&x, &n->map.body);
    if (!x.ok || !runs_at_once(c, n, k, false))
        return 1;
    if (c->o->strict && x.mixes &&
        index_race(c->g, n, k, c->facts, CONFLICT_RESOLVED, NULL) != RACE_FREE)
        return 1;
    return c->o->target.vector_bytes / x.widest;
}

struct vector_plan vector_plan(struct cg *c, const struct node *n, uint32_t k) {
    struct vector_plan p = {.form = VECTOR_NOT, .lanes = 1};
    const struct index *x = &n->map.index[k];
    struct decision *d = &c->decisions[n->id];
    if (c->fn->lanes > 1)
        return p;
    if (!d->vector_known) {
        d->vector_known = true;
        d->vector = k;
        d->lanes = runs_in_lanes(c, n, k);
    }
    if (d->vector != k || d->lanes < 2)
        return p;
    p.form = VECTOR_LOOP;
    p.lanes = d->lanes;
    struct sym size = sym_sub(c->syms, bound(c, x->hi), bound(c, x->lo));
    int64_t bound, step;
    sym_is_const(c->syms, x->step, &step);
    p.exact = sym_is_const(c->syms, size, &bound);
    if (!p.exact && !sym_upper_bound(c->facts, sym_sub(c->syms, x->hi, x->lo), &bound))
        return p;
    p.count = bound <= 0 ? 0 : (bound + step - 1) / step;
    if (p.count <= (int64_t)MOST_STRAIGHT * p.lanes)
        p.form = VECTOR_STRAIGHT;
    return p;
}

/* --- how --- */

struct vector {
    struct cg *c;
    const struct node *n;
    uint32_t k;
    uint32_t lanes;
    int64_t step;
    struct sym lo;     /* substituted */
    LLVMValueRef trip; /* number of iterations */
};

/* lo + step*(lanes*vector + lane) */
static struct sym index_of(const struct vector *v, struct sym vector) {
    struct sym_ctx *s = v->c->syms;
    struct sym lane =
        sym_add(s, sym_mul(s, vector, sym_const(s, v->lanes)), sym_atom(s, v->c->lane));
    return sym_add(s, v->lo, sym_mul(s, lane, sym_const(s, v->step)));
}

/* Lanes below LEFT. */
static LLVMValueRef lanes_below(struct cg *c, LLVMValueRef left, uint32_t lanes) {
    LLVMValueRef args[] = {left, cg_i64(c, lanes)};
    c->fn->few = cg_intrinsic(c, "llvm.smin", &c->i64, 1, args, 2);
    LLVMValueRef few = LLVMBuildTrunc(c->b, c->fn->few, c->i32, "");
    c->fn->first = LLVMBuildICmp(c->b, LLVMIntSLT, cg_lane_numbers(c, c->i32, lanes),
                                 cg_splat(c, few, lanes), "");
    return c->fn->first;
}

static void lower_straight(struct vector *v, const struct vector_plan *p) {
    struct cg *c = v->c;
    for (int64_t at = 0; at * v->lanes < p->count && !c->failed; at++) {
        int64_t left = p->count - at * v->lanes;
        c->fn->copy = (uint32_t)at;
        c->fn->mask = NULL;
        if (!p->exact) {
            LLVMValueRef rest = LLVMBuildSub(c->b, v->trip, cg_i64(c, at * v->lanes), "");
            c->fn->mask = lanes_below(c, rest, v->lanes);
        } else if (left < v->lanes) {
            c->fn->mask = lanes_below(c, cg_i64(c, left), v->lanes);
        }
        c->fn->tail = c->fn->mask;
        lower_copy(c, v->n, v->k, index_of(v, sym_const(c->syms, at)));
    }
    c->fn->mask = c->fn->tail = NULL;
}

/* Note [copies in step]
   The copies of a turn are chains that do not depend on each other, each as long as the body is
   deep. One after the other they fill the processor's window before the next begins, so their
   instructions are put side by side: the first of each, then the second of each. Only in one block
   and where no copy writes what another reads: no resolution in memory, nothing declared. */

struct in_step {
    struct cg *c;
    bool ok;
};

static void keeps_step(void *data, struct node *n) {
    struct in_step *x = data;
    bool resolves = n->kind == NODE_WRITE && n->write.to.resolution != RES_NONE;
    if (n->kind == NODE_DECL || (resolves && !accumulates(x->c, n)))
        x->ok = false;
}

static void put_in_step(struct cg *c, LLVMValueRef *last, uint32_t copies) {
    LLVMBasicBlockRef block = LLVMGetInsertBlock(c->b);
    LLVMValueRef *next = ARENA_ARRAY(c->a, LLVMValueRef, copies);
    for (uint32_t i = 0; i < copies; i++)
        next[i] = last[i] == last[i + 1] ? NULL
                  : last[i]              ? LLVMGetNextInstruction(last[i])
                                         : LLVMGetFirstInstruction(block);
    VEC(LLVMValueRef) order = {0};
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < copies; i++) {
            if (!next[i])
                continue;
            more = true;
            VEC_PUSH(c->a, order, next[i]);
            next[i] = next[i] == last[i + 1] ? NULL : LLVMGetNextInstruction(next[i]);
        }
    }
    for (uint32_t i = 0; i < order.n; i++) {
        LLVMInstructionRemoveFromParent(order.at[i]);
        LLVMInsertIntoBuilder(c->b, order.at[i]);
    }
}

/* A loop over vectors FIRST..END-1, COPIES of them per turn. */
static void lower_turns(struct vector *v, LLVMValueRef first, LLVMValueRef end, uint32_t copies,
                        struct name turn) {
    struct cg *c = v->c;
    struct sym_ctx *s = c->syms;
    const struct index *x = &v->n->map.index[v->k];
    struct loop l = {.may_be_long = may_be_long(c, bound(c, x->lo), bound(c, x->hi))};
    bool poll = c->fn->depth == 0 || index_loops(c, v->n, v->k + 1);
    loop_begin(c, &l, first, end, cg_i64(c, 1), false, poll);
    bind_name(c, turn, cg_val(l.index, DT_i64, 1));
    uint32_t facts = sym_facts_mark(c->facts);
    struct sym t = sym_atom(s, turn);
    sym_facts_bounds(c->facts, turn, sym_const(s, 0), (struct sym){0});
    struct sym last =
        sym_mul(s, sym_add(s, t, sym_const(s, 1)), sym_const(s, v->step * v->lanes * copies));
    last = sym_add(s, last, sym_add(s, v->lo, sym_const(s, -v->step)));
    struct sym hi = bound(c, v->n->map.index[v->k].hi);
    sym_facts_nonneg(c->facts, sym_sub(s, sym_sub(s, hi, sym_const(s, 1)), last));
    LLVMBasicBlockRef block = LLVMGetInsertBlock(c->b);
    LLVMValueRef ends[MOST_COPIES + 1] = {LLVMGetLastInstruction(block)};
    for (uint32_t i = 0; i < copies && !c->failed; i++) {
        c->fn->copy = i;
        struct sym vector = sym_add(s, sym_mul(s, t, sym_const(s, copies)), sym_const(s, i));
        lower_copy(c, v->n, v->k, index_of(v, vector));
        ends[i + 1] = LLVMGetLastInstruction(LLVMGetInsertBlock(c->b));
    }
    struct in_step step = {c, true};
    region_walk(&v->n->map.body, keeps_step, &step);
    if (copies > 1 && step.ok && block == LLVMGetInsertBlock(c->b) && !c->failed)
        put_in_step(c, ends, copies);
    sym_facts_restore(c->facts, facts);
    loop_end(c, &l);
}

static void lower_tail(struct vector *v, LLVMValueRef vectors, struct name turn) {
    struct cg *c = v->c;
    LLVMValueRef done = LLVMBuildMul(c->b, vectors, cg_i64(c, v->lanes), "");
    LLVMValueRef left = LLVMBuildSub(c->b, v->trip, done, "");
    LLVMValueRef any = LLVMBuildICmp(c->b, LLVMIntSGT, left, cg_i64(c, 0), "");
    if (LLVMIsConstant(any) && LLVMIsNull(any))
        return;
    LLVMBasicBlockRef tail = cg_block(c, "tail"), after = cg_block(c, "after");
    LLVMBuildCondBr(c->b, any, tail, after);
    cg_at(c, tail);
    c->fn->copy = 0;
    c->fn->mask = lanes_below(c, left, v->lanes);
    uint32_t scope = scope_push(c);
    bind_name(c, turn, cg_val(vectors, DT_i64, 1));
    lower_copy(c, v->n, v->k, index_of(v, sym_atom(c->syms, turn)));
    scope_pop(c, scope);
    c->fn->mask = NULL;
    LLVMBuildBr(c->b, after);
    cg_at(c, after);
}

static void lower_vector_loop(struct vector *v, uint32_t copies) {
    struct cg *c = v->c;
    struct name turn =
        name_of_text(c->g->names, arena_printf(c->a, "%s'v",
                                               name_text(c->g->names, v->n->map.index[v->k].name)));
    LLVMValueRef zero = cg_i64(c, 0);
    LLVMValueRef vectors = LLVMBuildUDiv(c->b, v->trip, cg_i64(c, v->lanes), "");
    LLVMValueRef first = zero;
    if (copies > 1) {
        LLVMValueRef turns = LLVMBuildUDiv(c->b, vectors, cg_i64(c, copies), "");
        lower_turns(v, zero, turns, copies, turn);
        first = LLVMBuildMul(c->b, turns, cg_i64(c, copies), "");
    }
    lower_turns(v, first, vectors, 1, turn);
    lower_tail(v, vectors, turn);
}

static LLVMValueRef trip_of(struct cg *c, const struct index *x, int64_t step) {
    struct sym size = sym_sub(c->syms, bound(c, x->hi), bound(c, x->lo));
    size = sym_add(c->syms, size, sym_const(c->syms, step - 1));
    return cg_sym_scalar(c, sym_floordiv(c->syms, size, sym_const(c->syms, step)));
}

void lower_vector(struct cg *c, const struct node *n, uint32_t k, struct vector_plan p, bool sure) {
    const struct index *x = &n->map.index[k];
    struct vector v = {.c = c, .n = n, .k = k, .lanes = p.lanes, .lo = bound(c, x->lo)};
    sym_is_const(c->syms, x->step, &v.step);
    v.trip = trip_of(c, x, v.step);
    LLVMBasicBlockRef after = NULL;
    uint32_t scope = scope_push(c);
    if (!sure) {
        LLVMBasicBlockRef some = cg_block(c, "some");
        after = cg_block(c, "after");
        LLVMValueRef any = LLVMBuildICmp(c->b, LLVMIntSGT, v.trip, cg_i64(c, 0), "");
        LLVMBuildCondBr(c->b, any, some, after);
        cg_at(c, some);
    }
    uint32_t copies = !x->factor ? 1 : x->factor < MOST_COPIES ? x->factor : MOST_COPIES;
    uint32_t facts = sym_facts_mark(c->facts);
    sym_facts_bounds(c->facts, c->lane, sym_const(c->syms, 0), sym_const(c->syms, p.lanes - 1));
    c->fn->lanes = p.lanes;
    uint32_t mark = accumulators_begin(c, n, k, copies);
    if (p.form == VECTOR_STRAIGHT)
        lower_straight(&v, &p);
    else
        lower_vector_loop(&v, copies);
    accumulators_end(c, mark);
    c->fn->lanes = 1;
    c->fn->copy = 0;
    sym_facts_restore(c->facts, facts);
    scope_pop(c, scope);
    if (after) {
        LLVMBuildBr(c->b, after);
        cg_at(c, after);
    }
}
