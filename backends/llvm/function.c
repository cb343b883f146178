/* Functions under construction: blocks, loops, scopes, and the way out when a check fails.
   Stack slots are allocas in the entry block, so that LLVM can make values of them. */
#include "backends/llvm/codegen.h"

#include "backends/ptx/ptx.h"

#include <stddef.h>

struct fn *fn_begin(struct cg *c, const char *name, LLVMTypeRef type, bool internal) {
    struct fn *fn = ARENA_NEW(c->a, struct fn);
    fn->f = LLVMAddFunction(c->module, name, type);
    if (internal) {
        LLVMSetLinkage(fn->f, LLVMInternalLinkage);
        LLVMSetUnnamedAddress(fn->f, LLVMGlobalUnnamedAddr);
    }
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(fn->f, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(c->llvm, nounwind, 0));
    fn->api = c->gpu ? NULL : LLVMGetParam(fn->f, 0);
    fn->lanes = 1;
    fn->names = map_new(c->a);
    fn->allocated = map_new(c->a);
    fn->placed = map_new(c->a);
    fn->memo.nheads = 256;
    fn->memo.heads = ARENA_ARRAY(c->a, uint32_t, fn->memo.nheads);
    fn->entry = LLVMAppendBasicBlockInContext(c->llvm, fn->f, "entry");
    fn->allocas = LLVMCreateBuilderInContext(c->llvm);
    LLVMPositionBuilderAtEnd(fn->allocas, fn->entry);
    c->fn = fn;
    if (!c->gpu)
        fn->status = cg_alloca(c, c->i32, 4);
    cg_at(c, cg_block(c, "start"));
    bail_push(c, NULL, 0);
    return fn;
}

void fn_end(struct cg *c) {
    struct fn *fn = c->fn;
    if (c->gpu)
        LLVMBuildRetVoid(c->b);
    else
        LLVMBuildRet(c->b, cg_i32(c, RT_OK));
    LLVMBuildBr(fn->allocas, LLVMGetNextBasicBlock(fn->entry));
    LLVMDisposeBuilder(fn->allocas);
}

LLVMBasicBlockRef cg_block(struct cg *c, const char *name) {
    return LLVMAppendBasicBlockInContext(c->llvm, c->fn->f, name);
}

void cg_at(struct cg *c, LLVMBasicBlockRef block) {
    LLVMPositionBuilderAtEnd(c->b, block);
}

LLVMValueRef cg_alloca(struct cg *c, LLVMTypeRef type, uint32_t align) {
    LLVMValueRef p = LLVMBuildAlloca(c->fn->allocas, type, "");
    LLVMSetAlignment(p, align);
    return p;
}

/* Note [scopes]
   What is computed in a block is available in the blocks that it dominates: the body of a loop, a
   side of a branch. Entering one takes a mark; leaving one forgets what came after the mark. Copies
   of an unrolled body are scopes too, since names are bound anew in each. */

static uint32_t head_of(const struct memo *m, uint64_t key) {
    return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (m->nheads - 1);
}

uint32_t scope_push(struct cg *c) {
    return c->fn->memo.entries.n;
}

void scope_pop(struct cg *c, uint32_t mark) {
    struct memo *m = &c->fn->memo;
    while (m->entries.n > mark) {
        const struct memo_entry *e = &m->entries.at[--m->entries.n];
        m->heads[head_of(m, e->key)] = e->next;
    }
}

bool memo_get(struct cg *c, uint64_t key, struct deep *v) {
    const struct memo *m = &c->fn->memo;
    for (uint32_t i = m->heads[head_of(m, key)]; i; i = m->entries.at[i - 1].next)
        if (m->entries.at[i - 1].key == key) {
            *v = m->entries.at[i - 1].value;
            return true;
        }
    return false;
}

static void memo_grow(struct cg *c) {
    struct memo *m = &c->fn->memo;
    m->nheads *= 2;
    m->heads = ARENA_ARRAY(c->a, uint32_t, m->nheads);
    for (uint32_t i = 0; i < m->entries.n; i++) {
        uint32_t *head = &m->heads[head_of(m, m->entries.at[i].key)];
        m->entries.at[i].next = *head;
        *head = i + 1;
    }
}

void memo_put(struct cg *c, uint64_t key, struct deep v) {
    struct memo *m = &c->fn->memo;
    if (m->entries.n == m->nheads)
        memo_grow(c);
    uint32_t *head = &m->heads[head_of(m, key)];
    struct memo_entry e = {key, v, *head};
    VEC_PUSH(c->a, m->entries, e);
    *head = m->entries.n;
}

void bind_name(struct cg *c, struct name n, struct val v) {
    struct fn *fn = c->fn;
    struct deep d = {v, fn->depth};
    uint64_t at;
    frame_forget(c, n);
    if (map_get(&fn->names, n.i, &at)) {
        fn->bound.at[at] = d;
        return;
    }
    map_put(&fn->names, n.i, fn->bound.n);
    VEC_PUSH(c->a, fn->bound, d);
}

bool bound_name(struct cg *c, struct name n, struct deep *v) {
    uint64_t at;
    const struct frame_name *handed = frame_name(c, n);
    if (handed) {
        *v = (struct deep){frame_value(c, handed), c->fn->depth};
        return true;
    }
    if (!map_get(&c->fn->names, n.i, &at))
        return false;
    *v = c->fn->bound.at[at];
    return true;
}

bool bound_type(struct cg *c, struct name n, enum dtype *t) {
    uint64_t at;
    const struct frame_name *handed = frame_name(c, n);
    bool found = !handed && map_get(&c->fn->names, n.i, &at);
    if (handed || found)
        *t = handed ? handed->t : c->fn->bound.at[at].v.t;
    return handed || found;
}

void subst_push(struct cg *c, struct name n, struct sym to) {
    VEC_PUSH(c->a, c->fn->from, n);
    VEC_PUSH(c->a, c->fn->to, to);
}

void subst_pop(struct cg *c) {
    c->fn->from.n--;
    c->fn->to.n--;
}

struct sym subst(struct cg *c, struct sym s) {
    struct fn *fn = c->fn;
    return fn->from.n ? sym_subst(c->syms, s, fn->from.n, fn->from.at, fn->to.at) : s;
}

/* --- the way out --- */

void bail_push(struct cg *c, LLVMValueRef memory, size_t release) {
    struct bail b = {NULL, memory, release};
    VEC_PUSH(c->a, c->fn->bails, b);
}

void bail_release(struct cg *c, struct bail b) {
    LLVMTypeRef params[] = {c->ptr, c->ptr};
    LLVMValueRef args[] = {c->fn->api, b.memory};
    LLVMValueRef f = api_field(c, b.release, c->ptr);
    LLVMBuildCall2(c->b, LLVMFunctionType(c->nothing, params, 2, false), f, args, 2, "");
}

LLVMValueRef api_field(struct cg *c, size_t offset, LLVMTypeRef type) {
    LLVMValueRef at = cg_i64(c, (int64_t)offset);
    LLVMValueRef p = LLVMBuildGEP2(c->b, c->i8, c->fn->api, &at, 1, "");
    return LLVMBuildLoad2(c->b, type, p, "");
}

static LLVMBasicBlockRef bail_block(struct cg *c, uint32_t level) {
    struct fn *fn = c->fn;
    if (fn->bails.at[level].block)
        return fn->bails.at[level].block;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b), next = NULL;
    if (level)
        next = bail_block(c, level - 1);
    LLVMBasicBlockRef block = cg_block(c, "bail");
    fn->bails.at[level].block = block;
    cg_at(c, block);
    if (level) {
        bail_release(c, fn->bails.at[level]);
        LLVMBuildBr(c->b, next);
    } else {
        LLVMBuildRet(c->b, LLVMBuildLoad2(c->b, c->i32, fn->status, ""));
    }
    cg_at(c, here);
    return block;
}

void bail_with(struct cg *c, LLVMValueRef status) {
    LLVMBuildStore(c->b, status, c->fn->status);
    LLVMBuildBr(c->b, bail_block(c, c->fn->bails.n - 1));
}

void bail_if(struct cg *c, LLVMValueRef condition, int32_t status) {
    LLVMBasicBlockRef out = cg_block(c, "out"), on = cg_block(c, "on");
    LLVMBuildCondBr(c->b, condition, out, on);
    cg_at(c, out);
    bail_with(c, cg_i32(c, status));
    cg_at(c, on);
}

void bail_unless_ok(struct cg *c, LLVMValueRef status) {
    LLVMBasicBlockRef out = cg_block(c, "out"), on = cg_block(c, "on");
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntNE, status, cg_i32(c, RT_OK), ""), out, on);
    cg_at(c, out);
    bail_with(c, status);
    cg_at(c, on);
}

void cg_poll(struct cg *c) {
    if (c->gpu)
        return;
    LLVMValueRef stop = api_field(c, offsetof(struct rt_api, stop), c->i32);
    LLVMSetVolatile(stop, true);
    bail_if(c, LLVMBuildICmp(c->b, LLVMIntNE, stop, cg_i32(c, 0), ""), RT_INTERRUPTED);
}

/* --- loops --- */

/* The test is at the bottom, behind a guard: LLVM moves what does not change before the loop only
   where that is known to be reached. */
#define PIECE (1 << 18) /* iterations of an innermost loop between two looks at `stop` */

static bool is_size(const struct graph *g, struct name n) {
    for (uint32_t p = 0; p < g->params.n; p++) {
        const struct container *x = graph_cont(g, g->params.at[p].cont);
        for (uint32_t d = 0; !g->params.at[p].is_symbol && d < x->rank; d++) {
            struct name dim;
            if (sym_is_atom(g->syms, x->dims[d], &dim) && name_eq(dim, n))
                return true;
        }
    }
    return false;
}

struct sizes_only {
    const struct graph *g;
    bool yes;
};

static void check_size(void *data, struct name n) {
    struct sizes_only *s = data;
    s->yes = s->yes && is_size(s->g, n);
}

/* Whether a loop over lo..hi may take longer than one over the elements of an argument. */
bool may_be_long(struct cg *c, struct sym lo, struct sym hi) {
    struct sym trip = sym_sub(c->syms, hi, lo);
    int64_t n;
    struct sizes_only s = {c->g, true};
    if (sym_is_const(c->syms, trip, &n))
        return n >= PIECE;
    sym_atoms(c->syms, trip, check_size, &s);
    return !s.yes;
}

/* A loop that does not poll and may be long runs in pieces: the inner one is as fast as before, and
   each piece starts with a look at `stop`. */
static void begin_pieces(struct cg *c, struct loop *l, LLVMValueRef *lo, LLVMBasicBlockRef *from) {
    l->piece = cg_block(c, "piece");
    LLVMBuildBr(c->b, l->piece);
    cg_at(c, l->piece);
    l->piece_start = LLVMBuildPhi(c->b, c->i64, "");
    LLVMAddIncoming(l->piece_start, lo, from, 1);
    cg_poll(c);
    LLVMValueRef left = LLVMBuildSub(c->b, l->hi, l->piece_start, "");
    LLVMValueRef size = LLVMBuildMul(c->b, l->step_value, cg_i64(c, PIECE), "");
    LLVMValueRef more = LLVMBuildICmp(c->b, LLVMIntSGT, left, size, "");
    LLVMValueRef end = LLVMBuildAdd(c->b, l->piece_start, size, "");
    l->end = LLVMBuildSelect(c->b, more, end, l->hi, "");
    *lo = l->piece_start;
    *from = LLVMGetInsertBlock(c->b);
}

void loop_begin(struct cg *c, struct loop *l, LLVMValueRef lo, LLVMValueRef hi, LLVMValueRef step,
                bool sure, bool poll) {
    LLVMBasicBlockRef before = cg_block(c, "before");
    l->body = cg_block(c, "loop");
    l->exit = cg_block(c, "exit");
    l->hi = l->end = hi;
    l->piece = NULL;
    l->step_value = step;
    if (sure)
        LLVMBuildBr(c->b, before);
    else
        LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, lo, hi, ""), before, l->exit);
    cg_at(c, before);
    if (!poll && !c->gpu && l->may_be_long)
        begin_pieces(c, l, &lo, &before);
    LLVMBuildBr(c->b, l->body);
    cg_at(c, l->body);
    l->index = LLVMBuildPhi(c->b, c->i64, "");
    LLVMAddIncoming(l->index, &lo, &before, 1);
    l->scope = scope_push(c);
    c->fn->depth++;
    if (poll)
        cg_poll(c);
}

void loop_end(struct cg *c, struct loop *l) {
    LLVMValueRef next = LLVMBuildNSWAdd(c->b, l->index, l->step_value, "");
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMAddIncoming(l->index, &next, &here, 1);
    LLVMBasicBlockRef after = l->piece ? cg_block(c, "after_piece") : l->exit;
    LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, next, l->end, ""), l->body, after);
    if (l->piece) {
        cg_at(c, after);
        LLVMAddIncoming(l->piece_start, &next, &after, 1);
        LLVMBuildCondBr(c->b, LLVMBuildICmp(c->b, LLVMIntSLT, next, l->hi, ""), l->piece, l->exit);
    }
    cg_at(c, l->exit);
    c->fn->depth--;
    scope_pop(c, l->scope);
}
