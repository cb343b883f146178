/* Where containers lie, decided where they are declared.
   Slots: a small container whose every access has subscripts that become constants when the maps
   over it are unrolled (or, along the last dimension, vectors that start at multiples of their
   length) is a set of allocas, one per vector, that LLVM turns into registers.
   Otherwise: an array on the stack, or scratch memory of the runtime that is freed at the end of
   the region. A container declared in a vector body has one element per lane. */
#include "backends/llvm/codegen.h"

#include "backends/ptx/ptx.h"

#include <stddef.h>

enum {
    MOST_SLOTS = 64,
    SMALL_BYTES = 4096,      /* a container without a word goes on the stack up to here */
    STACK_BYTES = 256 * 1024 /* of one function */
};

/* --- looking for slots --- */

enum index_kind { INDEX_CONSTANT, INDEX_VECTOR, INDEX_OTHER };

struct seen_index {
    struct name name;
    enum index_kind kind;
    struct sym lo, hi;
    uint32_t lanes;
};

struct scan {
    struct cg *c;
    struct cont cont;
    VEC(struct seen_index) indices;
    bool outlined; /* in the body of a map that is a function, which only gets addresses */
    bool slots;    /* no access stands against it so far */
    uint32_t lanes;
    bool same_tail;    /* see struct place; so far */
    struct sym lo, hi; /* of the vector indices seen */
};

struct atoms {
    struct scan *s;
    bool constant, vector;
    const struct seen_index *by;
};

static void classify(void *data, struct name n) {
    struct atoms *x = data;
    for (uint32_t i = x->s->indices.n; i-- > 0;) {
        const struct seen_index *k = &x->s->indices.at[i];
        if (!name_eq(k->name, n))
            continue;
        if (k->kind == INDEX_VECTOR && !x->vector) {
            x->vector = true;
            x->by = k;
        } else if (k->kind != INDEX_CONSTANT) {
            x->constant = false;
        }
        return;
    }
    x->constant = false;
}

/* All accesses go over the same part of the last dimension, element J with index J. */
static void check_tail(struct scan *s, struct sym at, const struct seen_index *v) {
    struct name n;
    if (!v || !sym_is_atom(s->c->syms, at, &n) ||
        (!sym_none(s->lo) && !(sym_eq(s->lo, v->lo) && sym_eq(s->hi, v->hi)))) {
        s->same_tail = false;
        return;
    }
    s->lo = v->lo;
    s->hi = v->hi;
}

/* REST + the vector's first index is a multiple of its length, in every copy. */
static bool aligned(struct cg *c, struct sym rest, const struct seen_index *v) {
    struct sym start = sym_add(c->syms, rest, v->lo);
    int64_t k;
    if (sym_is_const(c->syms, start, &k))
        return k % v->lanes == 0;
    return sym_prove_multiple(c->facts, start, v->lanes);
}

static void scan_memlet(struct scan *s, const struct memlet *m) {
    struct cg *c = s->c;
    if (m->cont.i != s->cont.i || !s->slots)
        return;
    s->slots = !s->outlined;
    for (uint32_t d = 0; d < m->rank && s->slots; d++) {
        struct sym at = subst(c, m->at[d]), factor, rest;
        struct atoms x = {s, true, false, NULL};
        int64_t one;
        sym_atoms(c->syms, at, classify, &x);
        if (d + 1 == m->rank)
            check_tail(s, at, x.by);
        s->slots = x.constant;
        if (!x.vector || !x.constant)
            continue;
        s->slots = d + 1 == m->rank && (s->lanes == 1 || s->lanes == x.by->lanes) &&
                   sym_linear(c->syms, at, x.by->name, &factor, &rest) &&
                   sym_is_const(c->syms, factor, &one) && one == 1 && aligned(c, rest, x.by);
        s->lanes = x.by->lanes;
    }
}

static void scan_region(struct scan *s, const struct region *r, uint32_t from);

static enum index_kind kind_of(struct cg *c, const struct node *n, uint32_t k,
                               const struct index *x, uint32_t *lanes) {
    int64_t lo, step, count;
    bool exact;
    if (!sym_is_const(c->syms, bound(c, x->lo), &lo) ||
        !sym_is_const(c->syms, subst(c, x->step), &step))
        return INDEX_OTHER;
    if (x->schedule == SCHED_VECTOR && n->kind == NODE_MAP) {
        struct vector_plan p = vector_plan(c, n, k);
        *lanes = p.lanes;
        if (p.form == VECTOR_STRAIGHT)
            return step == 1 ? INDEX_VECTOR : INDEX_OTHER;
        if (p.form == VECTOR_LOOP)
            return INDEX_OTHER;
    }
    return unrolls(c, x, &count, &exact) ? INDEX_CONSTANT : INDEX_OTHER;
}

static void scan_index(struct scan *s, const struct node *n, uint32_t k, const struct index *x) {
    struct seen_index i = {.name = x->name, .lo = bound(s->c, x->lo), .lanes = 1};
    i.hi = bound(s->c, x->hi);
    index_facts(s->c->facts, s->c->syms, x);
    i.kind = kind_of(s->c, n, k, x, &i.lanes);
    VEC_PUSH(s->c->a, s->indices, i);
}

static void scan_node(struct scan *s, const struct node *n) {
    struct cg *c = s->c;
    uint32_t facts = sym_facts_mark(c->facts), indices = s->indices.n;
    bool outlined = s->outlined;
    switch (n->kind) {
    case NODE_READ: scan_memlet(s, &n->read.from); break;
    case NODE_WRITE: scan_memlet(s, &n->write.to); break;
    case NODE_MAP:
        s->outlined = outlined || is_outlined(c, n) || parallel_indices(c, n) > 0;
        for (uint32_t k = 0; k < n->map.n; k++)
            scan_index(s, n, k, &n->map.index[k]);
        scan_region(s, &n->map.body, 0);
        break;
    case NODE_LOOP:
        scan_index(s, n, 0, &n->loop.index);
        scan_region(s, &n->loop.body, 0);
        break;
    case NODE_WHILE:
        scan_memlet(s, &n->repeat.condition);
        scan_region(s, &n->repeat.body, 0);
        break;
    case NODE_BRANCH:
        facts_assume(c, n->branch.condition, true);
        scan_region(s, &n->branch.then, 0);
        sym_facts_restore(c->facts, facts);
        facts_assume(c, n->branch.condition, false);
        scan_region(s, &n->branch.otherwise, 0);
        break;
    default: break;
    }
    sym_facts_restore(c->facts, facts);
    s->indices.n = indices;
    s->outlined = outlined;
}

/* What is used behind the end of a piece is in memory anyway. */
static void scan_region(struct scan *s, const struct region *r, uint32_t from) {
    uint32_t end = r == s->c->fn->piece ? s->c->fn->piece_end : r->nodes.n;
    for (uint32_t i = from; i < end && s->slots; i++)
        scan_node(s, r->nodes.at[i]);
}

/* --- placing --- */

const struct place *place_of(struct cg *c, struct cont k) {
    static const struct place none = {.layout = LAYOUT_NONE};
    uint64_t at;
    if (!c->fn->divides || !is_handed_on(c, k))
        return map_get(&c->fn->placed, k.i, &at) ? &c->fn->places.at[at] : &none;
    c->fn->handed =
        (struct place){.layout = LAYOUT_MEMORY, .base = frame_pointer(c, k), .expanded = 1};
    return &c->fn->handed;
}

void place_put(struct cg *c, struct cont k, struct place p) {
    struct fn *fn = c->fn;
    uint64_t at;
    if (map_get(&fn->placed, k.i, &at)) {
        fn->places.at[at] = p;
        return;
    }
    map_put(&fn->placed, k.i, fn->places.n);
    VEC_PUSH(c->a, fn->places, p);
}

static bool constant_size(struct cg *c, const struct container *k, int64_t *count, int64_t *last) {
    *count = 1;
    *last = 1;
    for (uint32_t d = 0; d < k->rank; d++)
        if (!sym_is_const(c->syms, subst(c, k->dims[d]), last) || *last < 0 ||
            __builtin_mul_overflow(*count, *last, count) || *count > (int64_t)1 << 40)
            return false;
    return true;
}

static bool place_slots(struct cg *c, const struct node *n, const struct region *r,
                        uint32_t position, int64_t count, int64_t last) {
    struct fn *fn = c->fn;
    const struct container *k = graph_cont(c->g, n->decl.cont);
    if (count == 0 || count > MOST_SLOTS * 64)
        return false;
    struct scan s = {.c = c, .cont = n->decl.cont, .slots = true, .lanes = 1, .same_tail = true};
    scan_region(&s, r, position + 1);
    if (!s.slots)
        return false;
    struct place p = {.layout = LAYOUT_SLOTS, .lanes = s.lanes, .expanded = fn->lanes};
    p.same_tail = s.same_tail && fn->lanes == 1;
    p.row = (uint32_t)((last + s.lanes - 1) / s.lanes);
    p.nslots = (uint32_t)(count / last) * p.row;
    if (p.nslots > MOST_SLOTS)
        return false;
    p.slots = ARENA_ARRAY(c->a, LLVMValueRef, p.nslots);
    uint32_t wide = p.expanded > 1 ? p.expanded : p.lanes;
    for (uint32_t i = 0; i < p.nslots; i++)
        p.slots[i] = cg_alloca(c, cg_mem_type(c, k->dtype, wide), 64);
    place_put(c, n->decl.cont, p);
    return true;
}

/* The most elements there can be, by the facts; false if that is not known. */
static bool bounded_size(struct cg *c, const struct container *k, int64_t *count) {
    *count = 1;
    for (uint32_t d = 0; d < k->rank; d++) {
        int64_t size;
        if (!sym_upper_bound(c->facts, k->dims[d], &size) || size < 0 ||
            __builtin_mul_overflow(*count, size, count) || *count > STACK_BYTES)
            return false;
    }
    return true;
}

/* Copies of an unrolled body share one array: they run one after the other. */
static LLVMValueRef stack_array(struct cg *c, const struct node *n, enum dtype t, int64_t count) {
    struct fn *fn = c->fn;
    uint64_t key = (uint64_t)fn->lanes << 32 | n->id, at;
    if (map_get(&fn->allocated, key, &at))
        return (LLVMValueRef)(uintptr_t)at;
    LLVMTypeRef type = LLVMArrayType2(cg_mem_type(c, t, 1), (uint64_t)count);
    LLVMValueRef p = cg_alloca(c, type, 64);
    map_put(&fn->allocated, key, (uint64_t)(uintptr_t)p);
    fn->stack += (uint64_t)count * dtypes[t].bytes;
    return p;
}

static LLVMValueRef element_count(struct cg *c, const struct container *k) {
    LLVMValueRef n = cg_i64(c, 1);
    LLVMValueRef bad = LLVMConstNull(c->i1);
    for (uint32_t d = 0; d < k->rank; d++) {
        LLVMValueRef args[] = {n, cg_sym_scalar(c, subst(c, k->dims[d]))};
        LLVMValueRef pair = cg_intrinsic(c, "llvm.smul.with.overflow", &c->i64, 1, args, 2);
        n = LLVMBuildExtractValue(c->b, pair, 0, "");
        bad = LLVMBuildOr(c->b, bad, LLVMBuildExtractValue(c->b, pair, 1, ""), "");
    }
    LLVMValueRef limit = cg_i64(c, (int64_t)1 << 56);
    bad = LLVMBuildOr(c->b, bad, LLVMBuildICmp(c->b, LLVMIntSGT, n, limit, ""), "");
    return LLVMBuildSelect(c->b, bad, limit, n, "");
}

/* Memory from the function of struct rt_api at FIELD, whose arguments after the first are ARGS. */
static LLVMValueRef runtime_memory(struct cg *c, size_t field, uint32_t n, LLVMValueRef *args) {
    LLVMTypeRef params[8] = {c->ptr};
    LLVMValueRef all[8] = {c->fn->api};
    for (uint32_t i = 0; i < n; i++) {
        params[1 + i] = LLVMTypeOf(args[i]);
        all[1 + i] = args[i];
    }
    LLVMValueRef f = api_field(c, field, c->ptr);
    LLVMTypeRef type = LLVMFunctionType(c->ptr, params, n + 1, false);
    LLVMValueRef p = LLVMBuildCall2(c->b, type, f, all, n + 1, "");
    unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMAddCallSiteAttribute(p, LLVMAttributeReturnIndex,
                             LLVMCreateEnumAttribute(c->llvm, noalias, 0));
    LLVMValueRef none = LLVMBuildICmp(c->b, LLVMIntEQ, p, LLVMConstNull(c->ptr), "");
    bail_if(c, none, RT_NO_MEMORY);
    return p;
}

void scratch_mark(struct cg *c) {
    LLVMValueRef bytes = cg_i64(c, 1);
    LLVMValueRef p = runtime_memory(c, offsetof(struct rt_api, scratch), 1, &bytes);
    bail_push(c, p, offsetof(struct rt_api, scratch_free));
}

/* MARKED: the region has a scratch_mark that frees it. */
static LLVMValueRef scratch(struct cg *c, const struct container *k, LLVMValueRef count,
                            bool marked) {
    LLVMValueRef bytes = LLVMBuildMul(c->b, count, cg_i64(c, dtypes[k->dtype].bytes), "");
    bool reserve = k->storage == STORE_RESERVE;
    LLVMValueRef p = runtime_memory(
        c, reserve ? offsetof(struct rt_api, reserve) : offsetof(struct rt_api, scratch), 1,
        &bytes);
    if (reserve || !marked)
        bail_push(c, p,
                  reserve ? offsetof(struct rt_api, reserve_free)
                          : offsetof(struct rt_api, scratch_free));
    return p;
}

/* The memory of a result whose size is found here, by its number. */
static LLVMValueRef found_result(struct cg *c, struct cont r) {
    const struct container *k = graph_cont(c->g, r);
    LLVMTypeRef type = LLVMArrayType2(c->i64, k->rank);
    LLVMValueRef dims = cg_alloca(c, type, 8);
    int64_t number = 0;
    while (c->g->results.at[number].i != r.i)
        number++;
    for (uint32_t d = 0; d < k->rank; d++) {
        LLVMValueRef at = cg_i64(c, d);
        LLVMValueRef to = LLVMBuildGEP2(c->b, c->i64, dims, &at, 1, "");
        LLVMBuildStore(c->b, cg_sym_scalar(c, subst(c, k->dims[d])), to);
    }
    LLVMValueRef args[] = {cg_i64(c, number), dims, cg_i64(c, k->rank),
                           cg_i64(c, dtypes[k->dtype].bytes)};
    return runtime_memory(c, offsetof(struct rt_api, result), 4, args);
}

/* --- filling --- */

static void fill_memory(struct cg *c, LLVMValueRef p, enum dtype t, LLVMValueRef count,
                        union scalar v) {
    uint8_t raw[8];
    uint32_t size = dtypes[t].bytes;
    scalar_store(t, raw, v);
    bool same = true;
    for (uint32_t i = 1; i < size; i++)
        same = same && raw[i] == raw[0];
    if (same) {
        LLVMValueRef bytes = LLVMBuildMul(c->b, count, cg_i64(c, size), "");
        LLVMBuildMemSet(c->b, p, LLVMConstInt(c->i8, raw[0], false), bytes, size);
        return;
    }
    uint32_t lanes = c->gpu ? 1 : c->o->target.vector_bytes / size;
    struct val one = cg_const(c, t, v);
    LLVMTypeRef element = cg_mem_type(c, t, 1);
    LLVMValueRef whole = LLVMBuildAnd(c->b, count, cg_i64(c, -(int64_t)lanes), "");
    LLVMValueRef lo = cg_i64(c, 0);
    for (int vector = 1; vector >= 0; vector--) {
        struct loop l = {.may_be_long = true};
        loop_begin(c, &l, lo, vector ? whole : count, cg_i64(c, vector ? lanes : 1), false, false);
        cg_store(c, LLVMBuildGEP2(c->b, element, p, &l.index, 1, ""),
                 vector ? cg_widen(c, one, lanes) : one);
        loop_end(c, &l);
        lo = whole;
    }
}

static void fill(struct cg *c, const struct node *n, LLVMValueRef count) {
    const struct place *p = place_of(c, n->decl.cont);
    enum dtype t = graph_cont(c->g, n->decl.cont)->dtype;
    if (!n->decl.has_fill)
        return;
    if (p->layout == LAYOUT_MEMORY) {
        fill_memory(c, p->base, t, count, n->decl.fill);
        return;
    }
    uint32_t wide = p->expanded > 1 ? p->expanded : p->lanes;
    struct val v = cg_widen(c, cg_const(c, t, n->decl.fill), wide);
    for (uint32_t i = 0; i < p->nslots; i++)
        cg_store(c, p->slots[i], v);
}

void decl_begin(struct cg *c, const struct node *n, const struct region *r, uint32_t position) {
    struct fn *fn = c->fn;
    const struct container *k = graph_cont(c->g, n->decl.cont);
    int64_t count, last;
    bool used = c->touched[n->decl.cont.i] || k->role == ROLE_RESULT;
    if (used && c->gpu && ptx_decl(c, n))
        return;
    check_sizes(c, k);
    if (!used)
        return;
    if (k->role == ROLE_RESULT) {
        place_put(c, n->decl.cont,
                  (struct place){.layout = LAYOUT_MEMORY,
                                 .base = found_result(c, n->decl.cont),
                                 .expanded = 1});
        if (n->decl.has_fill)
            fill(c, n, element_count(c, k));
        return;
    }
    bool constant = constant_size(c, k, &count, &last);
    bool heap = k->storage == STORE_HEAP && fn->lanes == 1;
    bool handed = is_handed_on(c, n->decl.cont);
    if (constant && !heap && !handed && k->storage != STORE_RESERVE &&
        place_slots(c, n, r, position, count, last)) {
        fill(c, n, NULL);
        return;
    }
    LLVMValueRef n_elements = constant ? cg_i64(c, count * fn->lanes) : element_count(c, k);
    bool bounded = constant || bounded_size(c, k, &count);
    count = bounded ? count * fn->lanes : 0;
    uint64_t bytes = (uint64_t)count * dtypes[k->dtype].bytes;
    bool stack = bounded && !heap && k->storage != STORE_RESERVE &&
                 (handed || fn->stack + bytes <= STACK_BYTES) &&
                 (k->storage != STORE_NONE || bytes <= SMALL_BYTES || fn->lanes > 1);
    LLVMValueRef base = NULL;
    if (stack && handed)
        base = frame_array(c, n, bytes, STACK_BYTES);
    else if (stack)
        base = stack_array(c, n, k->dtype, count ? count : 1);
    if (!base)
        base = scratch(c, k, n_elements, r == fn->piece);
    place_put(c, n->decl.cont,
              (struct place){.layout = LAYOUT_MEMORY, .base = base, .expanded = fn->lanes});
    fill(c, n, n_elements);
}
