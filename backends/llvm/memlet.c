/* Memlets: one element per iteration becomes a scalar access, or in a vector body one of: the same
   element for all lanes, consecutive elements, elements at a constant stride, any elements.
   Which one follows from the subscript being `factor*lane + rest` after substitution.

   Masks. A lane takes part if it is active (fn->mask: tails and branches) and its subscripts are
   inside (`else`). Where no lane takes part memory is not touched; a read gives `else`'s value. */
#include "backends/llvm/codegen.h"

#include "backends/ptx/ptx.h"

struct access {
    enum dtype t;
    bool slot;        /* in a promotable alloca `at` */
    bool same_tail;   /* see struct place */
    LLVMValueRef at;  /* the slot, the address (of lane 0), or the base that `index` counts from */
    uint32_t wide;    /* SLOT: lanes in it */
    uint32_t lane;    /* SLOT, uniform access: which of them */
    bool uniform;     /* one element for all lanes */
    int64_t stride;   /* elements from lane to lane; 0: see index */
    struct val index; /* stride 0, not uniform: elements from the base, per lane */
    bool distinct;    /* no two lanes have the same element */
    struct val guard; /* inside; v is NULL if surely so */
    uint32_t depth;   /* of the innermost loop that the guard changes in */
    bool linear;      /* `at` is still the container; elements to add: */
    struct sym rest;
};

/* --- subscripts --- */

static struct val and_guard(struct cg *c, struct val guard, struct val more) {
    if (!guard.v)
        return more;
    cg_match(c, &guard, &more);
    return cg_val(LLVMBuildAnd(c->b, guard.v, more.v, ""), DT_bool, guard.lanes);
}

/* What remains to be tested after substitution: an unrolled copy may be surely inside where its
   map as a whole is not. */
static bool inside_now(struct cg *c, struct sym s, struct sym size, bool upper) {
    uint64_t key = (uint64_t)1 << 62 | (uint64_t)s.i << 31 | (uint64_t)size.i << 1 | upper;
    struct deep d = {{NULL, DT_bool, 1}, 0};
    if (memo_get(c, key, &d))
        return d.depth;
    d.depth = upper ? sym_prove_lt(c->facts, s, size) : sym_prove_nonneg(c->facts, s);
    memo_put(c, key, d);
    return d.depth;
}

/* One comparison, of the number that was computed: what is proved of one side only is proved of
   numbers that do not wrap. */
static struct val outside_test(struct cg *c, struct val s, struct val size) {
    cg_match(c, &s, &size);
    return cg_val(LLVMBuildICmp(c->b, LLVMIntUGE, s.v, size.v, ""), DT_bool, s.lanes);
}

static bool is_false(struct val v) {
    return LLVMIsConstant(v.v) && LLVMIsNull(v.v);
}

static void test_subscripts(struct cg *c, const struct node *n, const struct memlet *m,
                            const struct sym *at, struct access *x) {
    const struct container *k = graph_cont(c->g, m->cont);
    const struct proof *proof = memlet_proof(c, n, m);
    for (uint32_t d = 0; d < m->rank; d++) {
        bool lower = !(d < 32 && proof->lower >> d & 1), upper = !(d < 32 && proof->upper >> d & 1);
        if (!lower && !upper)
            continue;
        struct sym size = subst(c, k->dims[d]);
        if (!sym_eq(at[d], m->at[d])) {
            lower = lower && !inside_now(c, at[d], size, false);
            upper = upper && !inside_now(c, at[d], size, true);
            if (!lower && !upper)
                continue;
        }
        struct deep index = cg_sym_deep(c, at[d]), bound = cg_sym_deep(c, size);
        struct val s = index.v, z = bound.v;
        struct val outside = outside_test(c, s, z);
        if (is_false(outside))
            continue;
        if (m->outside == OUTSIDE_ERROR) {
            check_index(c, m, d, s, z, outside.v, outside.lanes);
            continue;
        }
        x->guard = and_guard(c, x->guard,
                             cg_val(LLVMBuildNot(c->b, outside.v, ""), DT_bool, outside.lanes));
        uint32_t depth = index.depth > bound.depth ? index.depth : bound.depth;
        x->depth = depth > x->depth ? depth : x->depth;
    }
}

/* --- addresses --- */

static bool slot_of(struct cg *c, const struct memlet *m, const struct sym *at,
                    const struct place *p, struct access *x) {
    const struct container *k = graph_cont(c->g, m->cont);
    int64_t row = 0, last = 0;
    bool vector = false;
    for (uint32_t d = 0; d < m->rank; d++) {
        struct sym rest = at[d], factor;
        int64_t v = 0, size = 0;
        sym_is_const(c->syms, k->dims[d], &size);
        if (sym_uses_lane(c, rest)) {
            vector = true;
            if (!sym_linear(c->syms, rest, c->lane, &factor, &rest))
                return false;
        }
        if (!sym_is_const(c->syms, rest, &v))
            return false;
        if (d + 1 < m->rank)
            row = row * size + v;
        else
            last = v;
    }
    int64_t slot = row * p->row + last / p->lanes;
    x->slot = true;
    x->same_tail = p->same_tail;
    x->uniform = !vector && p->expanded == 1;
    x->wide = p->expanded > 1 ? p->expanded : p->lanes;
    x->lane = p->expanded > 1 ? 0 : (uint32_t)(last % p->lanes);
    /* Outside only in copies that never run, or behind a guard that is constant. */
    if (slot < 0 || slot >= p->nslots || last < 0)
        slot = 0;
    x->at = p->slots[slot];
    return !vector || (p->lanes == c->fn->lanes && last % p->lanes == 0);
}

static void place_access(struct cg *c, const struct memlet *m, const struct sym *at,
                         const struct place *p, struct access *x) {
    const struct container *k = graph_cont(c->g, m->cont);
    struct sym flat = sym_const(c->syms, 0), factor = flat;
    for (uint32_t d = 0; d < m->rank; d++)
        flat = sym_add(c->syms, sym_mul(c->syms, flat, subst(c, k->dims[d])), at[d]);
    if (p->expanded > 1) {
        flat = sym_mul(c->syms, flat, sym_const(c->syms, p->expanded));
        flat = sym_add(c->syms, flat, sym_atom(c->syms, c->lane));
        x->distinct = true;
    }
    struct sym rest = flat;
    int64_t stride = 0;
    bool linear = true;
    if (c->fn->lanes > 1 && sym_uses_lane(c, flat)) {
        linear = sym_linear(c->syms, flat, c->lane, &factor, &rest);
        if (!linear) {
            flat = sym_simplify(c->facts, flat);
            rest = flat;
            linear = sym_linear(c->syms, flat, c->lane, &factor, &rest);
        }
        linear = linear && sym_is_const(c->syms, factor, &stride);
    }
    if (linear && cg_sym(c, rest).lanes == 1) {
        x->at = p->base;
        x->linear = true;
        x->rest = rest;
        x->stride = stride;
        x->uniform = stride == 0;
        x->distinct = stride != 0;
        return;
    }
    x->at = p->base;
    x->index = cg_widen(c, cg_sym(c, flat), c->fn->lanes);
}

static struct access access_of(struct cg *c, const struct node *n, const struct memlet *m) {
    const struct container *k = graph_cont(c->g, m->cont);
    const struct place *p = place_of(c, m->cont);
    struct access x = {.t = k->dtype};
    struct sym *at = ARENA_ARRAY(c->a, struct sym, m->rank);
    for (uint32_t d = 0; d < m->rank; d++)
        at[d] = subst(c, m->at[d]);
    test_subscripts(c, n, m, at, &x);
    if (p->layout == LAYOUT_SLOTS) {
        if (!slot_of(c, m, at, p, &x))
            cg_bug(c, n, "a register container with a subscript that is not constant");
    } else if (p->layout == LAYOUT_MEMORY) {
        place_access(c, m, at, p, &x);
    } else {
        cg_bug(c, n, "a container that is not declared");
        x.uniform = true;
        x.at = LLVMGetPoison(c->ptr);
    }
    return x;
}

/* Turns the container and `rest` into the address of lane 0. */
static void settle(struct cg *c, struct access *x) {
    if (x->linear)
        x->at = cg_address(c, x->at, cg_mem_type(c, x->t, 1), x->rest);
    x->linear = false;
}

/* The lanes that take part, NULL for all. */
static LLVMValueRef taking_part(struct cg *c, const struct access *x) {
    LLVMValueRef mask = c->fn->mask;
    if (!x->guard.v)
        return mask;
    LLVMValueRef guard = cg_widen(c, x->guard, c->fn->lanes).v;
    return mask ? LLVMBuildAnd(c->b, mask, guard, "") : guard;
}

/* --- moving vectors --- */

static LLVMValueRef pointers(struct cg *c, const struct access *x) {
    LLVMValueRef index = x->index.v;
    if (x->stride) {
        LLVMValueRef lanes = cg_lane_numbers(c, c->i64, c->fn->lanes);
        LLVMValueRef by = cg_splat(c, cg_i64(c, x->stride), c->fn->lanes);
        index = LLVMBuildMul(c->b, lanes, by, "");
    }
    return LLVMBuildGEP2(c->b, cg_mem_type(c, x->t, 1), x->at, &index, 1, "");
}

static LLVMValueRef lane_pointer(struct cg *c, const struct access *x, uint32_t lane) {
    LLVMValueRef index =
        x->stride ? cg_i64(c, x->stride * (int64_t)lane) : cg_extract(c, x->index, lane).v;
    return LLVMBuildGEP2(c->b, cg_mem_type(c, x->t, 1), x->at, &index, 1, "");
}

/* Note [narrow edges]
   Before AVX-512 no instruction moves some of a vector's bytes or words: LLVM asks for each lane.
   The end of a range is the first lanes of a vector, whose bytes are copied by their number, by way
   of memory that has room for all. */
static bool narrow_edge(struct cg *c, const struct access *x, LLVMValueRef mask) {
    return mask && mask == c->fn->first && x->stride == 1 && dtypes[x->t].bytes < 4 && !c->gpu &&
           c->o->target.vector_registers <= 16;
}

static LLVMValueRef edge_memory(struct cg *c) {
    if (!c->fn->edge)
        c->fn->edge = cg_alloca(c, LLVMArrayType2(c->i8, 64), 64);
    return c->fn->edge;
}

static LLVMValueRef edge_bytes(struct cg *c, const struct access *x) {
    LLVMValueRef args[] = {c->fn->few, cg_i64(c, 0)};
    LLVMValueRef few = cg_intrinsic(c, "llvm.smax", &c->i64, 1, args, 2);
    return LLVMBuildMul(c->b, few, cg_i64(c, dtypes[x->t].bytes), "");
}

static LLVMValueRef load_edge(struct cg *c, const struct access *x, LLVMValueRef mask,
                              LLVMValueRef other) {
    LLVMValueRef room = edge_memory(c);
    unsigned align = dtypes[x->t].bytes;
    LLVMBuildMemCpy(c->b, room, 64, x->at, align, edge_bytes(c, x));
    LLVMValueRef v = LLVMBuildLoad2(c->b, cg_mem_type(c, x->t, c->fn->lanes), room, "");
    return LLVMBuildSelect(c->b, mask, v, other, "");
}

static void store_edge(struct cg *c, const struct access *x, struct val v) {
    LLVMValueRef room = edge_memory(c);
    unsigned align = dtypes[x->t].bytes;
    LLVMBuildStore(c->b, cg_to_mem(c, v), room);
    LLVMBuildMemCpy(c->b, x->at, align, room, 64, edge_bytes(c, x));
}

static struct val load_lanes(struct cg *c, const struct access *x, LLVMValueRef mask,
                             struct val other) {
    uint32_t lanes = c->fn->lanes;
    LLVMTypeRef type = cg_mem_type(c, x->t, lanes);
    LLVMValueRef align = cg_i32(c, (int32_t)dtypes[x->t].bytes);
    if (mask) {
        LLVMValueRef rest = cg_to_mem(c, cg_widen(c, other, lanes));
        if (narrow_edge(c, x, mask))
            return cg_from_mem(c, load_edge(c, x, mask, rest), x->t, lanes);
        if (x->stride == 1) {
            LLVMTypeRef overloads[] = {type, c->ptr};
            LLVMValueRef args[] = {x->at, align, mask, rest};
            return cg_from_mem(c, cg_intrinsic(c, "llvm.masked.load", overloads, 2, args, 4), x->t,
                               lanes);
        }
        LLVMTypeRef overloads[] = {type, LLVMVectorType(c->ptr, lanes)};
        LLVMValueRef args[] = {pointers(c, x), align, mask, rest};
        return cg_from_mem(c, cg_intrinsic(c, "llvm.masked.gather", overloads, 2, args, 4), x->t,
                           lanes);
    }
    if (x->stride == 1)
        return cg_load(c, x->at, x->t, lanes);
    LLVMValueRef v = LLVMGetPoison(type);
    for (uint32_t i = 0; i < lanes; i++) {
        LLVMValueRef one = cg_to_mem(c, cg_load(c, lane_pointer(c, x, i), x->t, 1));
        v = LLVMBuildInsertElement(c->b, v, one, cg_i32(c, (int32_t)i), "");
    }
    return cg_from_mem(c, v, x->t, lanes);
}

static void store_lanes(struct cg *c, const struct access *x, LLVMValueRef mask, struct val v) {
    uint32_t lanes = c->fn->lanes;
    LLVMTypeRef type = cg_mem_type(c, x->t, lanes);
    LLVMValueRef align = cg_i32(c, (int32_t)dtypes[x->t].bytes);
    if (x->stride == 1 && !mask) {
        cg_store(c, x->at, v);
    } else if (narrow_edge(c, x, mask)) {
        store_edge(c, x, v);
    } else if (x->stride == 1) {
        LLVMTypeRef overloads[] = {type, c->ptr};
        LLVMValueRef args[] = {cg_to_mem(c, v), x->at, align, mask};
        cg_intrinsic(c, "llvm.masked.store", overloads, 2, args, 4);
    } else if (mask) {
        LLVMTypeRef overloads[] = {type, LLVMVectorType(c->ptr, lanes)};
        LLVMValueRef args[] = {cg_to_mem(c, v), pointers(c, x), align, mask};
        cg_intrinsic(c, "llvm.masked.scatter", overloads, 2, args, 4);
    } else {
        for (uint32_t i = 0; i < lanes; i++)
            cg_store(c, lane_pointer(c, x, i), cg_extract(c, v, i));
    }
}

/* Masked stores are slow where masks are no registers (some take tens of cycles), so a guard that
   mostly holds for all lanes asks for that first. */
static void store_mostly_whole(struct cg *c, const struct access *x, LLVMValueRef mask,
                               struct val v) {
    LLVMBasicBlockRef whole = cg_block(c, "whole"), part = cg_block(c, "part");
    LLVMBasicBlockRef after = cg_block(c, "after");
    LLVMValueRef missing = LLVMBuildNot(c->b, mask, "");
    LLVMBuildCondBr(c->b, cg_any(c, missing, c->fn->lanes), part, whole);
    cg_at(c, part);
    store_lanes(c, x, mask, v);
    LLVMBuildBr(c->b, after);
    cg_at(c, whole);
    store_lanes(c, x, NULL, v);
    LLVMBuildBr(c->b, after);
    cg_at(c, after);
}

/* --- reading --- */

/* Note [reading elsewhere]
   A read with `else` whose guard is the same for all lanes reads either from the container or from
   a constant array that is full of `else`'s value: a choice between two addresses, no branch, and
   nothing is read outside. The choice is made among addresses without the terms that change in
   loops inside those that the guard changes in, so it moves out of these loops; the array is wide
   enough for the terms, on both sides of its middle. Of a constant only whole chunks take part in
   the choice, so that the copies of an unrolled index share one. */
enum { ELSEWHERE = 512, CHUNK = 256 };

static LLVMValueRef elsewhere(struct cg *c, enum dtype t, union scalar other) {
    size_t bytes = dtypes[t].bytes;
    uint64_t raw = 0;
    scalar_store(t, &raw, other);
    for (uint32_t i = 0; i < c->elsewhere.n; i++)
        if (c->elsewhere.at[i].t == t && c->elsewhere.at[i].raw == raw)
            return c->elsewhere.at[i].middle;
    char *all = ARENA_ARRAY(c->a, char, bytes * 2 * ELSEWHERE);
    for (size_t i = 0; i < 2 * ELSEWHERE; i++)
        scalar_store(t, all + i * bytes, other);
    LLVMValueRef array = cg_bytes(c, all, bytes * 2 * ELSEWHERE, 64);
    LLVMValueRef at = cg_i64(c, (int64_t)bytes * ELSEWHERE);
    struct elsewhere e = {t, raw, LLVMConstInBoundsGEP2(c->i8, array, &at, 1)};
    VEC_PUSH(c->a, c->elsewhere, e);
    return e.middle;
}

/* Splits `rest` in OUT and IN; false if IN may leave the array. */
static bool split_rest(struct cg *c, const struct access *x, struct sym *out, struct sym *in) {
    bool sum = sym_kind(c->syms, x->rest) == SYM_SUM;
    uint32_t n = sum ? sym_count(c->syms, x->rest) : 1;
    *in = *out = sym_const(c->syms, 0);
    for (uint32_t i = 0; i < n; i++) {
        struct sym s = sum ? sym_operand(c->syms, x->rest, i) : x->rest;
        int64_t k;
        if (sym_is_const(c->syms, s, &k)) {
            int64_t rest = (k % CHUNK + CHUNK) % CHUNK;
            *in = sym_add(c->syms, *in, sym_const(c->syms, rest));
            *out = sym_add(c->syms, *out, sym_const(c->syms, k - rest));
        } else {
            struct sym *side = cg_sym_deep(c, s).depth > x->depth ? in : out;
            *side = sym_add(c->syms, *side, s);
        }
    }
    int64_t low, high;
    uint32_t lanes = x->uniform ? 1 : c->fn->lanes;
    return sym_lower_bound(c->facts, *in, &low) && sym_upper_bound(c->facts, *in, &high) &&
           low >= -ELSEWHERE && high + lanes <= ELSEWHERE;
}

/* See Note [reading elsewhere]. */
static void choose_address(struct cg *c, struct access *x, union scalar other) {
    LLVMTypeRef element = cg_mem_type(c, x->t, 1);
    LLVMValueRef array = elsewhere(c, x->t, other);
    struct sym out, in = sym_const(c->syms, 0);
    if (!x->linear || !split_rest(c, x, &out, &in)) {
        out = x->rest;
        in = sym_const(c->syms, 0);
    }
    LLVMValueRef at = x->linear ? cg_address(c, x->at, element, out) : x->at;
    at = LLVMBuildSelect(c->b, x->guard.v, at, array, "");
    x->at = cg_address(c, at, element, in);
    x->linear = false;
    x->guard.v = NULL;
}

static struct val read_slot(struct cg *c, const struct access *x, union scalar other) {
    uint32_t lanes = x->uniform ? 1 : x->wide;
    struct val v = cg_load(c, x->at, x->t, x->wide);
    if (x->uniform)
        v = cg_extract(c, v, x->lane);
    if (!x->guard.v)
        return v;
    struct val guard = cg_widen(c, x->guard, lanes);
    return cg_select(c, guard.v, guard.lanes, v, cg_const(c, x->t, other));
}

struct val memlet_read(struct cg *c, const struct node *n, const struct memlet *m) {
    struct access x = access_of(c, n, m);
    if (x.slot)
        return read_slot(c, &x, m->other);
    bool vector = !x.uniform;
    if (c->gpu && x.guard.v) {
        LLVMValueRef guard = x.guard.v;
        settle(c, &x);
        return ptx_guarded_load(c, guard, x.at, cg_const(c, x.t, m->other));
    }
    if (x.guard.v && x.guard.lanes == 1 && (x.uniform || (x.stride == 1 && !c->fn->mask)))
        choose_address(c, &x, m->other);
    settle(c, &x);
    /* Uniform but guarded per lane: some dimension of size 1 is read outside by some lanes. */
    if (x.uniform && x.guard.v) {
        x.index = cg_widen(c, cg_int(c, 0), c->fn->lanes);
        vector = true;
    }
    if (!vector)
        return cg_load(c, x.at, x.t, 1);
    return load_lanes(c, &x, taking_part(c, &x), cg_const(c, x.t, m->other));
}

/* --- writing --- */

struct guarded {
    LLVMBasicBlockRef after;
};

/* Code up to guard_end runs where the uniform guard of X holds, if there is one. */
static struct guarded guard_begin(struct cg *c, struct access *x) {
    struct guarded g = {NULL};
    if (!x->guard.v || x->guard.lanes > 1)
        return g;
    LLVMBasicBlockRef inside = cg_block(c, "inside");
    g.after = cg_block(c, "after");
    LLVMBuildCondBr(c->b, x->guard.v, inside, g.after);
    cg_at(c, inside);
    x->guard.v = NULL;
    return g;
}

static void guard_end(struct cg *c, struct guarded g) {
    if (!g.after)
        return;
    LLVMBuildBr(c->b, g.after);
    cg_at(c, g.after);
}

/* What one element holds after all lanes have written it in turn. */
static struct val last_write(struct cg *c, struct val before, struct val v) {
    struct fn *fn = c->fn;
    if (v.lanes == 1 || !fn->mask)
        return cg_extract(c, v, fn->lanes - 1);
    for (uint32_t i = 0; i < fn->lanes; i++) {
        LLVMValueRef bit = LLVMBuildExtractElement(c->b, fn->mask, cg_i32(c, (int32_t)i), "");
        before = cg_select(c, bit, 1, cg_extract(c, v, i), before);
    }
    return before;
}

static void write_slot(struct cg *c, struct access *x, enum resolution r, struct val v) {
    struct val old = cg_load(c, x->at, x->t, x->wide);
    struct val before = x->uniform ? cg_extract(c, old, x->lane) : old;
    uint32_t lanes = before.lanes;
    if (x->uniform)
        v = r != RES_NONE ? reduce_into(c, r, before, v) : last_write(c, before, v);
    else
        v = r != RES_NONE ? reduce_op(c, r, before, cg_widen(c, v, lanes)) : cg_widen(c, v, lanes);
    LLVMValueRef mask = x->uniform ? NULL : taking_part(c, x);
    if (x->same_tail && !x->guard.v && c->fn->mask == c->fn->tail)
        mask = NULL;
    if (x->uniform && x->guard.v)
        v = cg_select(c, x->guard.v, 1, v, before);
    if (mask)
        v = cg_select(c, mask, lanes, v, before);
    if (x->uniform && x->wide > 1)
        v = cg_val(LLVMBuildInsertElement(c->b, old.v, v.v, cg_i32(c, (int32_t)x->lane), ""), x->t,
                   x->wide);
    cg_store(c, x->at, v);
}

/* Lane after lane, so that lanes that meet resolve: each active lane loads, combines, stores. */
static void write_each_lane(struct cg *c, const struct access *x, enum resolution r, struct val v) {
    LLVMValueRef mask = taking_part(c, x);
    for (uint32_t i = 0; i < c->fn->lanes; i++) {
        LLVMBasicBlockRef after = NULL;
        if (mask) {
            LLVMBasicBlockRef on = cg_block(c, "lane");
            after = cg_block(c, "after");
            LLVMValueRef bit = LLVMBuildExtractElement(c->b, mask, cg_i32(c, (int32_t)i), "");
            LLVMBuildCondBr(c->b, bit, on, after);
            cg_at(c, on);
        }
        LLVMValueRef p = x->uniform ? x->at : lane_pointer(c, x, i);
        struct val one = cg_extract(c, v, i);
        if (r != RES_NONE)
            one = reduce_op(c, r, cg_load(c, p, x->t, 1), one);
        cg_store(c, p, one);
        if (mask) {
            LLVMBuildBr(c->b, after);
            cg_at(c, after);
        }
    }
}

static void write_uniform(struct cg *c, struct access *x, enum resolution r, struct val v) {
    struct fn *fn = c->fn;
    if (fn->lanes > 1 &&
        (r == RES_NONE ? v.lanes > 1 || x->guard.lanes > 1 : (x->guard.v && x->guard.lanes > 1))) {
        write_each_lane(c, x, r, cg_widen(c, v, fn->lanes));
        return;
    }
    struct guarded g = guard_begin(c, x);
    if (r != RES_NONE)
        v = reduce_into(c, r, cg_load(c, x->at, x->t, 1), v);
    cg_store(c, x->at, v);
    guard_end(c, g);
}

void memlet_write(struct cg *c, const struct node *n, const struct memlet *m, struct val v) {
    struct access x = access_of(c, n, m);
    enum resolution r = m->resolution;
    if (x.slot) {
        write_slot(c, &x, r, v);
        return;
    }
    settle(c, &x);
    if (x.uniform) {
        write_uniform(c, &x, r, v);
        return;
    }
    v = cg_widen(c, v, c->fn->lanes);
    if (r != RES_NONE && !x.distinct) {
        write_each_lane(c, &x, r, v);
        return;
    }
    struct guarded g = guard_begin(c, &x);
    LLVMValueRef mask = taking_part(c, &x);
    if (r != RES_NONE) {
        union scalar zero = {.i64 = 0};
        struct val old = load_lanes(c, &x, mask, cg_const(c, x.t, zero));
        v = reduce_op(c, r, old, v);
    }
    if (x.stride == 1 && x.guard.v && !c->fn->mask && c->o->target.vector_registers <= 16)
        store_mostly_whole(c, &x, mask, v);
    else
        store_lanes(c, &x, mask, v);
    guard_end(c, g);
}
