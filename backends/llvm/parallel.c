/* Parallel maps: the leading `parallel` indices become one range of the runtime's threads. The body
   is a function of its own (outline.c); what it uses from outside goes through an array of 8-byte
   fields.
   The pieces that threads get depend on their number, so a map whose iterations may meet, even
   through a resolution, runs in order. */
#include "backends/llvm/codegen.h"

#include <stddef.h>
#include <stdio.h>

uint32_t parallel_indices(struct cg *c, const struct node *n) {
    struct decision *d = &c->decisions[n->id];
    if (c->fn->parallel || c->fn->lanes > 1)
        return 0;
    if (d->parallel_known)
        return d->parallel;
    d->parallel_known = true;
    struct map names = map_new(c->a);
    uint32_t k = 0;
    for (; k < n->map.n && n->map.index[k].schedule == SCHED_PARALLEL; k++) {
        const struct index *x = &n->map.index[k];
        if (sym_uses_any(c, x->lo, &names) || sym_uses_any(c, x->hi, &names) ||
            sym_uses_any(c, x->step, &names) || !runs_at_once(c, n, k, true))
            break;
        map_put(&names, x->name.i, 1);
    }
    d->parallel = k;
    return k;
}

static LLVMValueRef field(struct cg *c, LLVMValueRef env, uint32_t i) {
    LLVMValueRef at = cg_i64(c, i);
    return LLVMBuildGEP2(c->b, c->i64, env, &at, 1, "");
}

/* --- the body --- */

/* The indices from the flat number of the iteration, the last one fastest. */
static void bind_indices(struct cg *c, const struct node *n, uint32_t count, LLVMValueRef flat) {
    for (uint32_t i = count; i-- > 0;) {
        const struct index *x = &n->map.index[i];
        LLVMValueRef at = flat;
        if (i > 0) {
            int64_t step = 1;
            struct sym size = sym_sub(c->syms, bound(c, x->hi), bound(c, x->lo));
            struct sym by = subst(c, x->step);
            sym_is_const(c->syms, by, &step);
            size = sym_add(c->syms, size, sym_sub(c->syms, by, sym_const(c->syms, 1)));
            LLVMValueRef trip = cg_sym_scalar(c, sym_floordiv(c->syms, size, by));
            at = LLVMBuildURem(c->b, flat, trip, "");
            flat = LLVMBuildUDiv(c->b, flat, trip, "");
        }
        LLVMValueRef step = cg_sym_scalar(c, subst(c, x->step));
        LLVMValueRef lo = cg_sym_scalar(c, bound(c, x->lo));
        at = LLVMBuildAdd(c->b, LLVMBuildMul(c->b, at, step, ""), lo, "");
        bind_name(c, x->name, cg_val(at, DT_i64, 1));
    }
}

static LLVMValueRef lower_body(struct cg *c, const struct node *n, uint32_t count,
                               const struct capture *x) {
    struct fn *outer = c->fn;
    char name[32];
    snprintf(name, sizeof name, "dcl_part_%u", c->functions);
    struct fn *fn = outline_begin(c, name, x, 2, c->i64);
    fn->parallel = true;
    uint32_t facts = sym_facts_mark(c->facts);
    for (uint32_t i = 0; i < count; i++)
        index_facts(c->facts, c->syms, &n->map.index[i]);
    struct loop l = {0};
    loop_begin(c, &l, LLVMGetParam(fn->f, 1), LLVMGetParam(fn->f, 2), cg_i64(c, 1), false, true);
    bind_indices(c, n, count, l.index);
    lower_index(c, n, count);
    loop_end(c, &l);
    sym_facts_restore(c->facts, facts);
    fn_end(c);
    c->fn = outer;
    return fn->f;
}

/* body(api, env, begin, end): unpacks. */
static LLVMValueRef lower_unpack(struct cg *c, LLVMValueRef body, uint32_t captured) {
    LLVMTypeRef params[] = {c->ptr, c->ptr, c->i64, c->i64};
    char name[32];
    snprintf(name, sizeof name, "dcl_parallel_%u", c->functions++);
    LLVMValueRef f = LLVMAddFunction(c->module, name, LLVMFunctionType(c->i32, params, 4, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMSetUnnamedAddress(f, LLVMGlobalUnnamedAddr);
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(c->llvm, nounwind, 0));
    cg_at(c, LLVMAppendBasicBlockInContext(c->llvm, f, "entry"));
    LLVMTypeRef type = LLVMGlobalGetValueType(body);
    LLVMTypeRef *types = ARENA_ARRAY(c->a, LLVMTypeRef, captured + 3);
    LLVMValueRef *args = ARENA_ARRAY(c->a, LLVMValueRef, captured + 3);
    LLVMGetParamTypes(type, types);
    args[0] = LLVMGetParam(f, 0);
    args[1] = LLVMGetParam(f, 2);
    args[2] = LLVMGetParam(f, 3);
    for (uint32_t i = 0; i < captured; i++)
        args[3 + i] = LLVMBuildLoad2(c->b, types[3 + i], field(c, LLVMGetParam(f, 1), i), "");
    LLVMBuildRet(c->b, LLVMBuildCall2(c->b, type, body, args, captured + 3, ""));
    return f;
}

/* --- the call --- */

static LLVMValueRef iterations(struct cg *c, const struct node *n, uint32_t count) {
    LLVMValueRef all = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct index *x = &n->map.index[i];
        struct sym by = subst(c, x->step);
        struct sym size = sym_sub(c->syms, bound(c, x->hi), bound(c, x->lo));
        size = sym_add(c->syms, size, sym_sub(c->syms, by, sym_const(c->syms, 1)));
        struct val trip = cg_sym(c, sym_floordiv(c->syms, size, by));
        trip = cg_op(c, OP_MAX, trip, cg_int(c, 0), trip);
        all = all ? LLVMBuildMul(c->b, all, trip.v, "") : trip.v;
    }
    return all;
}

/* About the time in which sleeping threads wake. */
enum { LEAST_WORK = 30000 };

/* All at once in this thread where the work is little, else in the runtime's threads. */
static LLVMValueRef call_parts(struct cg *c, const struct node *n, uint32_t count,
                               LLVMValueRef unpack, LLVMValueRef env, LLVMValueRef total) {
    LLVMValueRef work = cg_sym_scalar(c, subst(c, map_work(c, n, count)));
    work = LLVMBuildMul(c->b, work, total, "");
    LLVMBasicBlockRef here = cg_block(c, "here"), there = cg_block(c, "there");
    LLVMBasicBlockRef end = cg_block(c, "end"), from[] = {here, there};
    LLVMValueRef little = LLVMBuildICmp(c->b, LLVMIntSLT, work, cg_i64(c, LEAST_WORK), "");
    LLVMBuildCondBr(c->b, little, here, there);
    cg_at(c, here);
    LLVMValueRef own[] = {c->fn->api, env, cg_i64(c, 0), total};
    LLVMTypeRef part = LLVMGlobalGetValueType(unpack);
    LLVMValueRef status[] = {LLVMBuildCall2(c->b, part, unpack, own, 4, ""), NULL};
    LLVMBuildBr(c->b, end);
    cg_at(c, there);
    LLVMTypeRef params[] = {c->ptr, c->ptr, c->ptr, c->i64};
    LLVMValueRef args[] = {c->fn->api, unpack, env, total};
    LLVMValueRef f = api_field(c, offsetof(struct rt_api, parallel), c->ptr);
    LLVMTypeRef type = LLVMFunctionType(c->i32, params, 4, false);
    status[1] = LLVMBuildCall2(c->b, type, f, args, 4, "");
    LLVMBuildBr(c->b, end);
    cg_at(c, end);
    LLVMValueRef phi = LLVMBuildPhi(c->b, c->i32, "");
    LLVMAddIncoming(phi, status, from, 2);
    return phi;
}

bool lower_parallel(struct cg *c, const struct node *n) {
    uint32_t count = parallel_indices(c, n);
    if (!count)
        return false;
    struct capture x;
    capture(c, n, &x);
    LLVMValueRef total = iterations(c, n, count);
    LLVMValueRef *values = captured_values(c, n, &x);
    if (!values)
        return true;
    uint32_t captured = x.conts.n + x.names.n;
    LLVMValueRef env = cg_alloca(c, LLVMArrayType2(c->i64, captured ? captured : 1), 8);
    for (uint32_t i = 0; i < captured; i++)
        LLVMBuildStore(c->b, values[i], field(c, env, i));
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    LLVMValueRef body = lower_body(c, n, count, &x);
    LLVMValueRef unpack = lower_unpack(c, body, captured);
    cg_at(c, here);
    LLVMValueRef status = call_parts(c, n, count, unpack, env, total);
    bail_unless_ok(c, status);
    return true;
}
