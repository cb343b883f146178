/* Memory on a GPU. Arguments are in global memory, `shared` containers are the block's, others are
   the thread's own: registers, or local memory where subscripts are not constant. There is no
   scratch memory: sizes are constant. */
#include "backends/ptx/ptx.h"

enum { SHARED_SPACE = 3, SMALL_BYTES = 4096, OWN_BYTES = 64 * 1024 };

static bool constant_bytes(struct cg *c, const struct container *k, int64_t *bytes) {
    *bytes = dtypes[k->dtype].bytes;
    for (uint32_t d = 0; d < k->rank; d++) {
        int64_t size;
        if (!sym_is_const(c->syms, k->dims[d], &size) || size < 0 ||
            __builtin_mul_overflow(*bytes, size, bytes))
            return false;
    }
    return true;
}

/* Each thread fills every so many elements. */
static void fill_shared(struct cg *c, LLVMValueRef base, enum dtype t, int64_t count,
                        union scalar v) {
    const uint32_t *threads = c->gpu->threads;
    LLVMValueRef by = cg_i64(c, (int64_t)threads[0] * threads[1] * threads[2]);
    struct loop l = {0};
    loop_begin(c, &l, ptx_flat_thread(c), cg_i64(c, count), by, false, false);
    cg_store(c, LLVMBuildGEP2(c->b, cg_mem_type(c, t, 1), base, &l.index, 1, ""),
             cg_const(c, t, v));
    loop_end(c, &l);
}

/* Copies of an unrolled body share one array: there are barriers between. */
static LLVMValueRef shared_array(struct cg *c, const struct node *n, const struct container *k,
                                 int64_t bytes) {
    struct gpu *g = c->gpu;
    uint64_t at;
    if (map_get(&c->fn->allocated, n->id, &at))
        return (LLVMValueRef)(uintptr_t)at;
    g->shared = (g->shared + 15) / 16 * 16 + (uint64_t)bytes;
    if (g->shared > PTX_SHARED)
        ptx_refuse(c, n, "the shared containers of a block take more than %d bytes", PTX_SHARED);
    LLVMTypeRef type = LLVMArrayType2(c->i8, bytes ? (uint64_t)bytes : 1);
    const char *name = arena_printf(c->a, "%s_%s", g->name, name_text(c->g->names, k->name));
    LLVMValueRef base = LLVMAddGlobalInAddressSpace(c->module, type, name, SHARED_SPACE);
    LLVMSetLinkage(base, LLVMInternalLinkage);
    LLVMSetInitializer(base, LLVMGetUndef(type));
    LLVMSetAlignment(base, 16);
    map_put(&c->fn->allocated, n->id, (uint64_t)(uintptr_t)base);
    return base;
}

static void declare_shared(struct cg *c, const struct node *n, const struct container *k,
                           int64_t bytes) {
    LLVMValueRef base = shared_array(c, n, k, bytes);
    place_put(c, n->decl.cont,
              (struct place){.layout = LAYOUT_MEMORY, .base = base, .expanded = 1});
    if (n->decl.has_fill)
        fill_shared(c, base, k->dtype, bytes / (int64_t)dtypes[k->dtype].bytes, n->decl.fill);
}

bool ptx_decl(struct cg *c, const struct node *n) {
    const struct container *k = graph_cont(c->g, n->decl.cont);
    const char *name = name_text(c->g->names, k->name);
    int64_t bytes;
    if (k->role == ROLE_RESULT) {
        ptx_refuse(c, n, "the size of the result %s is found when it runs", name);
        return true;
    }
    if (!constant_bytes(c, k, &bytes)) {
        ptx_refuse(c, n, "%s is declared in a kernel and its size is not constant", name);
        return true;
    }
    if (k->storage == STORE_HEAP || k->storage == STORE_RESERVE || k->storage == STORE_GLOBAL) {
        ptx_refuse(c, n, "%s is in %s, which a kernel cannot make", name,
                   storage_names[k->storage]);
        return true;
    }
    if (k->storage == STORE_SHARED && !c->gpu->below_block) {
        declare_shared(c, n, k, bytes);
        return true;
    }
    if (bytes > (k->storage == STORE_NONE ? SMALL_BYTES : OWN_BYTES)) {
        ptx_refuse(c, n, "%s is too large for a thread of its own", name);
        return true;
    }
    return false;
}

/* Where all threads of a block run the same, each has its own copy of a container that is not
   shared, and one of them writes to what is. */
void ptx_write(struct cg *c, const struct node *n, struct val v) {
    const struct container *k = graph_cont(c->g, n->write.to.cont);
    const uint32_t *t = c->gpu->threads;
    bool own = k->role == ROLE_TRANSIENT && k->storage != STORE_SHARED;
    if (own || c->gpu->below_block || t[0] * t[1] * t[2] == 1) {
        memlet_write(c, n, &n->write.to, v);
        return;
    }
    LLVMBasicBlockRef one = cg_block(c, "one"), after = cg_block(c, "after");
    LLVMValueRef first = LLVMBuildICmp(c->b, LLVMIntEQ, ptx_flat_thread(c), cg_i64(c, 0), "");
    LLVMBuildCondBr(c->b, first, one, after);
    cg_at(c, one);
    uint32_t scope = scope_push(c);
    memlet_write(c, n, &n->write.to, v);
    scope_pop(c, scope);
    LLVMBuildBr(c->b, after);
    cg_at(c, after);
}

struct val ptx_guarded_load(struct cg *c, LLVMValueRef guard, LLVMValueRef p, struct val other) {
    LLVMBasicBlockRef inside = cg_block(c, "inside"), after = cg_block(c, "after");
    LLVMBasicBlockRef from[] = {LLVMGetInsertBlock(c->b), inside};
    LLVMBuildCondBr(c->b, guard, inside, after);
    cg_at(c, inside);
    struct val v = cg_load(c, p, other.t, 1);
    LLVMBuildBr(c->b, after);
    cg_at(c, after);
    LLVMValueRef values[] = {other.v, v.v};
    LLVMValueRef phi = LLVMBuildPhi(c->b, cg_type(c, other.t, 1), "");
    LLVMAddIncoming(phi, values, from, 2);
    return cg_val(phi, other.t, 1);
}

void ptx_trap_if(struct cg *c, LLVMValueRef outside) {
    LLVMBasicBlockRef fails = cg_block(c, "fails"), on = cg_block(c, "on");
    LLVMBuildCondBr(c->b, outside, fails, on);
    cg_at(c, fails);
    cg_intrinsic(c, "llvm.trap", NULL, 0, NULL, 0);
    LLVMBuildUnreachable(c->b);
    cg_at(c, on);
}
