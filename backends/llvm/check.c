/* Bounds: what is proved of a memlet's subscripts, and the test at run time of what is not; sizes
   that may be negative or too large.
   Proofs are made once per memlet, in the names of the graph (before substitution), under the facts
   that hold where it is first lowered: those of its enclosing indices and branches, which are the
   same each time it is lowered. */
#include "backends/llvm/codegen.h"

#include "backends/ptx/ptx.h"
#include "compiler/analysis/facts.h"

#include <stddef.h>
#include <string.h>

struct proof proof_here(struct cg *c, const struct memlet *m) {
    struct proof p = {.done = true};
    const struct container *k = graph_cont(c->g, m->cont);
    for (uint32_t d = 0; d < m->rank && d < 32; d++) {
        if (sym_prove_nonneg(c->facts, m->at[d]))
            p.lower |= 1u << d;
        if (sym_prove_lt(c->facts, m->at[d], k->dims[d]))
            p.upper |= 1u << d;
    }
    return p;
}

const struct proof *memlet_proof(struct cg *c, const struct node *n, const struct memlet *m) {
    struct proof *p = &c->proofs[n->id];
    if (!p->done)
        *p = proof_here(c, m);
    return p;
}

/* The value in the first lane where MASK is set. */
static LLVMValueRef first_lane(struct cg *c, struct val v, LLVMValueRef mask, uint32_t lanes) {
    if (v.lanes == 1)
        return v.v;
    LLVMTypeRef bits = LLVMIntTypeInContext(c->llvm, lanes);
    LLVMValueRef args[] = {LLVMBuildBitCast(c->b, mask, bits, ""), LLVMConstInt(c->i1, 1, false)};
    LLVMValueRef first = cg_intrinsic(c, "llvm.cttz", &bits, 1, args, 2);
    return LLVMBuildExtractElement(c->b, v.v, first, "");
}

/* Ends the call with TEXT where BAD holds, A and B in place of its first two %lld. SITE and DIM are
   for the runtime's `fail`. */
static void fail_if(struct cg *c, LLVMValueRef bad, const char *text, LLVMValueRef a,
                    LLVMValueRef b, uint32_t site, uint32_t dim) {
    LLVMBasicBlockRef fails = cg_block(c, "fails"), on = cg_block(c, "on");
    LLVMBuildCondBr(c->b, bad, fails, on);
    cg_at(c, fails);
    LLVMValueRef message = cg_bytes(c, text, strlen(text) + 1, 1);
    LLVMTypeRef params[] = {c->ptr, c->ptr, c->i64, c->i64, c->i64, c->i64};
    LLVMValueRef args[] = {c->fn->api, message, a, b, cg_i64(c, site), cg_i64(c, dim)};
    LLVMValueRef f = api_field(c, offsetof(struct rt_api, fail), c->ptr);
    LLVMBuildCall2(c->b, LLVMFunctionType(c->nothing, params, 6, false), f, args, 6, "");
    bail_with(c, cg_i32(c, RT_CHECK_FAILED));
    cg_at(c, on);
}

void check_index(struct cg *c, const struct memlet *m, uint32_t dim, struct val index,
                 struct val size, LLVMValueRef outside, uint32_t lanes) {
    if (lanes > 1 && c->fn->mask)
        outside = LLVMBuildAnd(c->b, outside, c->fn->mask, "");
    LLVMValueRef any = cg_any(c, outside, lanes);
    if (c->gpu) {
        ptx_trap_if(c, any);
        return;
    }
    const char *text =
        arena_printf(c->a, "index %%lld of dimension %u is outside %s, where its size is %%lld",
                     dim, name_text(c->g->names, graph_cont(c->g, m->cont)->name));
    fail_if(c, any, text, first_lane(c, index, outside, lanes), first_lane(c, size, outside, lanes),
            m->site, dim);
}

void check_sizes(struct cg *c, const struct container *k) {
    const char *name = name_text(c->g->names, k->name);
    for (uint32_t d = 0; d < k->rank && !c->gpu; d++) {
        if (facts_size(c->facts, c->g, k->dims[d]))
            continue;
        LLVMValueRef none = cg_i64(c, 0), large = LLVMConstNull(c->i1);
        LLVMValueRef size = cg_sym_exact(c, subst(c, k->dims[d]), &large);
        fail_if(c, large, arena_printf(c->a, "the size of %s is too large", name), none, none, 0,
                0);
        fail_if(c, LLVMBuildICmp(c->b, LLVMIntSLT, size, none, ""),
                arena_printf(c->a, "the size of %s is negative: %%lld", name), size, none, 0, 0);
    }
}
