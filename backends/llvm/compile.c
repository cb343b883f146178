/* The face: one graph in, one object file out.
   The exported `dcl_kernel` unpacks its arguments and calls an internal function whose pointers are
   noalias parameters: distinct containers never overlap where one is written, which is what lets
   LLVM keep loads out of loops. */
#include "backends/llvm/llvm.h"

#include "backends/llvm/codegen.h"
#include "backends/ptx/ptx.h"

#include <string.h>

void cg_bug(struct cg *c, const struct node *n, const char *what) {
    if (!c->failed)
        diag_error(c->d, n ? n->span : c->g->span, ERR_INTERNAL,
                   arena_printf(c->a, "code generation: %s", what));
    c->failed = true;
}

void cg_too_large(struct cg *c, const struct node *n) {
    if (!c->failed)
        diag_error(c->d, n->span, ERR_BACKEND,
                   "the schedule unrolls this code to more than a million statements");
    c->failed = true;
}

static void types(struct cg *c) {
    c->i1 = LLVMInt1TypeInContext(c->llvm);
    c->i8 = LLVMInt8TypeInContext(c->llvm);
    c->i16 = LLVMInt16TypeInContext(c->llvm);
    c->i32 = LLVMInt32TypeInContext(c->llvm);
    c->i64 = LLVMInt64TypeInContext(c->llvm);
    c->f32 = LLVMFloatTypeInContext(c->llvm);
    c->f64 = LLVMDoubleTypeInContext(c->llvm);
    c->ptr = LLVMPointerTypeInContext(c->llvm, 0);
    c->nothing = LLVMVoidTypeInContext(c->llvm);
}

/* The containers that the caller passes, in order. */
static uint32_t argument_conts(struct cg *c, struct cont **out) {
    uint32_t n = 0;
    struct cont *conts = ARENA_ARRAY(c->a, struct cont, c->g->params.n + c->g->results.n);
    for (uint32_t i = 0; i < c->g->params.n; i++)
        if (!c->g->params.at[i].is_symbol)
            conts[n++] = c->g->params.at[i].cont;
    for (uint32_t i = 0; i < c->g->results.n; i++)
        conts[n++] = c->g->results.at[i];
    *out = conts;
    return n;
}

static void set_noalias(struct cg *c, LLVMValueRef f, uint32_t parameter) {
    unsigned kind = LLVMGetEnumAttributeKindForName("noalias", 7);
    LLVMAddAttributeAtIndex(f, parameter + 1, LLVMCreateEnumAttribute(c->llvm, kind, 0));
}

static LLVMValueRef lower_body(struct cg *c, const struct cont *conts, uint32_t nconts,
                               const struct graph_symbol *symbols, uint32_t nsymbols) {
    uint32_t n = 1 + nconts + nsymbols;
    LLVMTypeRef *params = ARENA_ARRAY(c->a, LLVMTypeRef, n);
    for (uint32_t i = 0; i < n; i++)
        params[i] = i <= nconts ? c->ptr : c->i64;
    struct fn *fn = fn_begin(c, "dcl_body", LLVMFunctionType(c->i32, params, n, false), true);
    for (uint32_t i = 0; i < nconts; i++) {
        set_noalias(c, fn->f, 1 + i);
        place_put(c, conts[i],
                  (struct place){
                      .layout = LAYOUT_MEMORY, .base = LLVMGetParam(fn->f, 1 + i), .expanded = 1});
    }
    for (uint32_t i = 0; i < nsymbols; i++)
        bind_name(c, symbols[i].name, cg_val(LLVMGetParam(fn->f, 1 + nconts + i), DT_i64, 1));
    frame_begin(c);
    lower_region(c, &c->g->body);
    frame_end(c);
    LLVMValueRef f = fn->f;
    fn_end(c);
    return f;
}

static void lower_entry(struct cg *c, LLVMValueRef body, uint32_t nconts, uint32_t nsymbols) {
    LLVMTypeRef params[] = {c->ptr, c->ptr, c->ptr};
    LLVMValueRef f =
        LLVMAddFunction(c->module, "dcl_kernel", LLVMFunctionType(c->i32, params, 3, false));
    unsigned kind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(c->llvm, kind, 0));
    cg_at(c, LLVMAppendBasicBlockInContext(c->llvm, f, "entry"));
    uint32_t n = 1 + nconts + nsymbols;
    LLVMValueRef *args = ARENA_ARRAY(c->a, LLVMValueRef, n);
    args[0] = LLVMGetParam(f, 0);
    for (uint32_t i = 0; i < nconts + nsymbols; i++) {
        LLVMTypeRef t = i < nconts ? c->ptr : c->i64;
        LLVMValueRef at = cg_i64(c, i < nconts ? i : i - nconts);
        LLVMValueRef p = LLVMGetParam(f, i < nconts ? 1 : 2);
        args[1 + i] = LLVMBuildLoad2(c->b, t, LLVMBuildGEP2(c->b, t, p, &at, 1, ""), "");
    }
    LLVMTypeRef type = LLVMGlobalGetValueType(body);
    LLVMBuildRet(c->b, LLVMBuildCall2(c->b, type, body, args, n, ""));
}

static void dispose(void *data) {
    struct cg *c = data;
    if (c->b)
        LLVMDisposeBuilder(c->b);
    if (c->module)
        LLVMDisposeModule(c->module);
    if (c->llvm)
        LLVMContextDispose(c->llvm);
    arena_free(c->a);
    c->a = NULL;
    c->b = NULL;
    c->module = NULL;
    c->llvm = NULL;
}

/* A GPU's graph is the threads', and so is the processor that code generation asks about. */
static bool prepare_gpu(struct cg *c, unsigned sm) {
    struct llvm_options *o = ARENA_NEW(c->a, struct llvm_options);
    *o = *c->o;
    o->target = ptx_target();
    c->o = o;
    c->gpu = ARENA_NEW(c->a, struct gpu);
    c->gpu->sm = sm;
    c->gpu->heads = buf_new(c->a);
    c->gpu->barrier = ARENA_ARRAY(c->a, bool, c->g->nodes + 1);
    c->gpu->own = ARENA_ARRAY(c->a, bool, c->g->conts.n);
    return (c->g = ptx_per_thread(c)) != NULL;
}

struct touched {
    bool *conts;
};

static void note_touched(void *data, struct node *n) {
    struct touched *t = data;
    if (n->kind == NODE_READ)
        t->conts[n->read.from.cont.i] = true;
    if (n->kind == NODE_WRITE)
        t->conts[n->write.to.cont.i] = true;
    if (n->kind == NODE_WHILE)
        t->conts[n->repeat.condition.cont.i] = true;
}

static const bool *touched_conts(struct cg *c) {
    struct touched t = {ARENA_ARRAY(c->a, bool, c->g->conts.n)};
    region_walk(&c->g->body, note_touched, &t);
    return t.conts;
}

static bool lower_graph(struct cg *c, struct emitter *e) {
    c->llvm = LLVMContextCreate();
    c->module = LLVMModuleCreateWithNameInContext("dcl", c->llvm);
    c->b = LLVMCreateBuilderInContext(c->llvm);
    types(c);
    emitter_prepare(e, c->module);
    c->rounds = emitter_rounds(e);
    c->halves = emitter_halves(e);
    c->facts = graph_facts(c->a, c->g);
    for (uint32_t i = 0; i < c->g->conditions.n; i++)
        facts_assume(c, c->g->conditions.at[i].condition, true);
    c->proofs = ARENA_ARRAY(c->a, struct proof, c->g->nodes + 1);
    c->decisions = ARENA_ARRAY(c->a, struct decision, c->g->nodes + 1);
    c->lane = name_of_text(c->g->names, "'lane");
    if (c->o->sm && !prepare_gpu(c, c->o->sm))
        return false;
    c->touched = touched_conts(c);
    struct cont *conts;
    struct graph_symbol *symbols;
    uint32_t nconts = argument_conts(c, &conts);
    uint32_t nsymbols = graph_symbols(c->g, c->a, &symbols);
    if (c->gpu) {
        ptx_kernels(c, conts, nconts, symbols, nsymbols);
        return !c->failed;
    }
    if (region_is_long(&c->g->body)) {
        c->outlined = ARENA_ARRAY(c->a, bool, c->g->nodes + 1);
        for (uint32_t i = 0; i < c->g->body.nodes.n; i++)
            c->outlined[c->g->body.nodes.at[i]->id] = c->g->body.nodes.at[i]->kind == NODE_MAP;
    }
    LLVMValueRef body = lower_body(c, conts, nconts, symbols, nsymbols);
    lower_entry(c, body, nconts, nsymbols);
    return !c->failed;
}

static bool compile(const struct graph *g, const struct llvm_options *o, struct arena *a,
                    struct diags *d, struct llvm_code *out) {
    *out = (struct llvm_code){0};
    if (o->sm && !ptx_known(o->sm)) {
        diag_error(d, g->span, ERR_BACKEND, arena_printf(a, "no PTX is made for sm_%u", o->sm));
        return false;
    }
    struct emitter *e = emitter_new(a, &o->target, o->sm, d);
    if (!e)
        return false;
    struct cg *c = ARENA_NEW(a, struct cg);
    *c = (struct cg){.g = g, .o = o, .d = d, .syms = g->syms};
    /* Should memory run out on the way, the arena's owner frees what is held. */
    arena_on_free(a, dispose, c);
    c->a = arena_new();
    bool ok = lower_graph(c, e) && emitter_run(e, a, c->module, o, d, out);
    if (ok && c->gpu && o->keep_asm)
        out->assembly = arena_printf(a, "%s%s", c->gpu->heads.at, out->assembly);
    dispose(c);
    emitter_close(e);
    return ok;
}

const struct llvm_backend *dcl_llvm_backend(void) {
    static const struct llvm_backend backend = {compile};
    return &backend;
}
