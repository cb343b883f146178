/* Grid and block indices. The blocks of a launch share the values of the grid indices: a block
   takes its own and goes on in strides of as many as there are, so any number of blocks will do. A
   block index is the thread's number; threads beyond its end do nothing. */
#include "backends/ptx/ptx.h"

static LLVMValueRef special(struct cg *c, const char *what, uint32_t p) {
    const char *name = arena_printf(c->a, "llvm.nvvm.read.ptx.sreg.%s.%c", what, "xyz"[p]);
    return LLVMBuildZExt(c->b, cg_intrinsic(c, name, NULL, 0, NULL, 0), c->i64, "");
}

LLVMValueRef ptx_thread(struct cg *c, uint32_t p) {
    return c->gpu->threads[p] > 1 ? special(c, "tid", p) : cg_i64(c, 0);
}

LLVMValueRef ptx_flat_thread(struct cg *c) {
    LLVMValueRef flat = ptx_thread(c, 2);
    for (uint32_t p = 2; p-- > 0;) {
        flat = LLVMBuildMul(c->b, flat, cg_i64(c, c->gpu->threads[p]), "");
        flat = LLVMBuildAdd(c->b, flat, ptx_thread(c, p), "");
    }
    return flat;
}

static LLVMValueRef times(struct cg *c, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildNSWMul(c->b, a, b, "");
}

static void lower_grid(struct cg *c, const struct node *n, uint32_t k) {
    const struct index *x = &n->map.index[k];
    uint32_t p = c->gpu->grids - 1 - k;
    LLVMValueRef lo = cg_sym_scalar(c, bound(c, x->lo)), hi = cg_sym_scalar(c, bound(c, x->hi));
    LLVMValueRef step = cg_sym_scalar(c, subst(c, x->step));
    LLVMValueRef first = LLVMBuildNSWAdd(c->b, lo, times(c, special(c, "ctaid", p), step), "");
    struct loop l = {0};
    loop_begin(c, &l, first, hi, times(c, special(c, "nctaid", p), step), false, false);
    bind_name(c, x->name, cg_val(l.index, DT_i64, 1));
    lower_index(c, n, k + 1);
    loop_end(c, &l);
}

static LLVMValueRef both(struct cg *c, LLVMValueRef a, LLVMValueRef b) {
    return a ? LLVMBuildAnd(c->b, a, b, "") : b;
}

/* Whether the thread takes part in dimensions that map N does not have; NULL: it does. */
static LLVMValueRef in_other_dimensions(struct cg *c, uint32_t from) {
    LLVMValueRef yes = NULL;
    for (uint32_t p = from; p < 3; p++)
        if (c->gpu->threads[p] > 1)
            yes = both(c, yes, LLVMBuildICmp(c->b, LLVMIntEQ, ptx_thread(c, p), cg_i64(c, 0), ""));
    return yes;
}

/* As many values as threads. */
static bool takes_all(struct cg *c, const struct index *x, uint32_t p) {
    int64_t size, step;
    return sym_is_const(c->syms, sym_sub(c->syms, bound(c, x->hi), bound(c, x->lo)), &size) &&
           sym_is_const(c->syms, x->step, &step) && size > 0 &&
           (size + step - 1) / step == c->gpu->threads[p];
}

static void lower_block(struct cg *c, const struct node *n, uint32_t k) {
    const struct index *x = &n->map.index[k];
    uint32_t p = 0;
    bool outermost = !c->gpu->below_block;
    for (uint32_t i = k + 1; i < n->map.n; i++)
        p += ptx_is_block(n, i);
    LLVMValueRef step = cg_sym_scalar(c, subst(c, x->step));
    LLVMValueRef at = LLVMBuildNSWAdd(c->b, cg_sym_scalar(c, bound(c, x->lo)),
                                      times(c, ptx_thread(c, p), step), "");
    LLVMValueRef takes = outermost ? in_other_dimensions(c, p + 1) : NULL;
    if (!takes_all(c, x, p)) {
        LLVMValueRef hi = cg_sym_scalar(c, bound(c, x->hi));
        takes = both(c, takes, LLVMBuildICmp(c->b, LLVMIntSLT, at, hi, ""));
    }
    LLVMBasicBlockRef after = NULL;
    if (takes) {
        LLVMBasicBlockRef thread = cg_block(c, "thread");
        after = cg_block(c, "after");
        LLVMBuildCondBr(c->b, takes, thread, after);
        cg_at(c, thread);
    }
    uint32_t scope = scope_push(c);
    c->gpu->below_block = true;
    bind_name(c, x->name, cg_val(at, DT_i64, 1));
    lower_index(c, n, k + 1);
    c->gpu->below_block = !outermost;
    scope_pop(c, scope);
    if (after) {
        LLVMBuildBr(c->b, after);
        cg_at(c, after);
    }
}

bool ptx_index(struct cg *c, const struct node *n, uint32_t k) {
    if (n->kind != NODE_MAP)
        return false;
    if (n->map.index[k].schedule == SCHED_GRID)
        lower_grid(c, n, k);
    else if (ptx_is_block(n, k))
        lower_block(c, n, k);
    else
        return false;
    return true;
}
