/* Kernels: each outermost map of a graph, its first indices `grid`, is one function
       dcl_NAME(containers in the order of parameters and results, then the symbols)
   with pointers to global memory and 64-bit integers. What stands before it (reads of parameters,
   scalar values) is computed in each kernel again. */
#include "backends/ptx/ptx.h"

#include <stdarg.h>
#include <string.h>

enum { GLOBAL_SPACE = 1, KERNEL_CONVENTION = 71 };

static const unsigned known[] = {70, 72, 75, 80, 86, 87, 89, 90};

bool ptx_known(unsigned sm) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == sm)
            return true;
    return false;
}

/* No vectors: lanes are threads. */
struct target ptx_target(void) {
    return (struct target){.cpu = "ptx", .vector_bytes = 1, .vector_registers = 255, .fma = true};
}

bool ptx_refuse(struct cg *c, const struct node *n, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (!c->failed)
        diag_error(c->d, n ? n->span : c->g->span, ERR_BACKEND,
                   arena_printf(c->a, "no PTX: %s", arena_vprintf(c->a, format, args)));
    va_end(args);
    c->failed = true;
    return false;
}

/* --- what surrounds kernels --- */

struct written {
    struct cont cont;
    bool found;
};

static void look_for_write(void *data, struct node *n) {
    struct written *w = data;
    w->found = w->found || (n->kind == NODE_WRITE && n->write.to.cont.i == w->cont.i);
}

static bool check_outermost(struct cg *c, const struct node *n) {
    struct written w = {.cont = n->kind == NODE_READ ? n->read.from.cont : (struct cont){0}};
    switch (n->kind) {
    case NODE_MAP:
    case NODE_LET: return true;
    case NODE_READ:
        region_walk(&c->g->body, look_for_write, &w);
        return !w.found || ptx_refuse(c, n, "a read outside of a kernel of what is written");
    case NODE_DECL:
        if (!c->touched[n->decl.cont.i])
            return true; /* there for its size */
        return ptx_refuse(c, n, "%s is declared outside of a kernel",
                          name_text(c->g->names, graph_cont(c->g, n->decl.cont)->name));
    default: return ptx_refuse(c, n, "a statement outside of a kernel");
    }
}

/* --- one kernel --- */

static void annotate(struct cg *c, LLVMValueRef f, const char *what, uint32_t value) {
    LLVMMetadataRef parts[] = {LLVMValueAsMetadata(f),
                               LLVMMDStringInContext2(c->llvm, what, strlen(what)),
                               LLVMValueAsMetadata(LLVMConstInt(c->i32, value, false))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(c->llvm, parts, 3);
    LLVMAddNamedMetadataOperand(c->module, "nvvm.annotations", LLVMMetadataAsValue(c->llvm, node));
}

static void set_attribute(struct cg *c, LLVMValueRef f, uint32_t parameter, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, parameter + 1, LLVMCreateEnumAttribute(c->llvm, kind, 0));
}

/* Only what no thread writes is said to be alone: the others may see each other's writes after a
   barrier. */
static void begin_function(struct cg *c, const struct cont *conts, uint32_t nconts,
                           const struct graph_symbol *symbols, uint32_t nsymbols) {
    uint32_t n = nconts + nsymbols;
    LLVMTypeRef *params = ARENA_ARRAY(c->a, LLVMTypeRef, n + 1);
    for (uint32_t i = 0; i < n; i++)
        params[i] = i < nconts ? LLVMPointerTypeInContext(c->llvm, GLOBAL_SPACE) : c->i64;
    struct fn *fn =
        fn_begin(c, c->gpu->name, LLVMFunctionType(c->nothing, params, n, false), false);
    fn->parallel = true; /* no threads but those of the grid */
    LLVMSetFunctionCallConv(fn->f, KERNEL_CONVENTION);
    const uint32_t *threads = c->gpu->threads;
    for (int p = 0; p < 3; p++)
        annotate(c, fn->f, p == 0 ? "reqntidx" : p == 1 ? "reqntidy" : "reqntidz", threads[p]);
    annotate(c, fn->f, "minctasm", 1); /* no spills for the sake of more blocks at a time */
    for (uint32_t i = 0; i < nconts; i++) {
        struct written w = {conts[i], false};
        region_walk(&c->gpu->map->map.body, look_for_write, &w);
        if (!w.found) {
            set_attribute(c, fn->f, i, "noalias");
            set_attribute(c, fn->f, i, "readonly");
        }
        place_put(
            c, conts[i],
            (struct place){.layout = LAYOUT_MEMORY, .base = LLVMGetParam(fn->f, i), .expanded = 1});
    }
    for (uint32_t i = 0; i < nsymbols; i++)
        bind_name(c, symbols[i].name, cg_val(LLVMGetParam(fn->f, nconts + i), DT_i64, 1));
}

/* The number of values of an index. */
static struct sym trips(struct cg *c, const struct index *x) {
    struct sym size = sym_sub(c->syms, x->hi, x->lo);
    size = sym_add(c->syms, size, sym_sub(c->syms, x->step, sym_const(c->syms, 1)));
    return sym_floordiv(c->syms, size, x->step);
}

static void head(struct cg *c, const struct cont *conts, uint32_t nconts,
                 const struct graph_symbol *symbols, uint32_t nsymbols) {
    struct gpu *g = c->gpu;
    struct buf *b = &g->heads;
    buf_printf(b, "// %s: grid (", g->name);
    for (uint32_t p = 0; p < g->grids; p++) {
        buf_text(b, p ? ", " : "");
        sym_print(c->syms, trips(c, &g->map->map.index[g->grids - 1 - p]), b);
    }
    buf_printf(b, "), block (%u, %u, %u), shared %llu bytes\n// arguments:", g->threads[0],
               g->threads[1], g->threads[2], (unsigned long long)g->shared);
    for (uint32_t i = 0; i < nconts + nsymbols; i++) {
        struct name n = i < nconts ? graph_cont(c->g, conts[i])->name : symbols[i - nconts].name;
        buf_printf(b, "%s %s", i ? "," : "", name_text(c->g->names, n));
    }
    buf_text(b, "\n");
}

static void lower_kernel(struct cg *c, struct region *body, const struct cont *conts,
                         uint32_t nconts, const struct graph_symbol *symbols, uint32_t nsymbols) {
    if (!ptx_plan(c))
        return;
    ptx_barriers(c);
    begin_function(c, conts, nconts, symbols, nsymbols);
    lower_region(c, body);
    fn_end(c);
    head(c, conts, nconts, symbols, nsymbols);
}

void ptx_kernels(struct cg *c, const struct cont *conts, uint32_t nconts,
                 const struct graph_symbol *symbols, uint32_t nsymbols) {
    struct region before = {0};
    uint32_t kernels = 0;
    for (uint32_t i = 0; i < c->g->body.nodes.n && !c->failed; i++) {
        struct node *n = c->g->body.nodes.at[i];
        if (!check_outermost(c, n))
            return;
        region_add((struct graph *)c->g, &before, n);
        if (n->kind != NODE_MAP)
            continue;
        const char *name = name_text(c->g->names, c->g->name);
        c->gpu->map = n;
        c->gpu->shared = 0;
        c->gpu->name = kernels++ ? arena_printf(c->a, "dcl_%s_%u", name, kernels)
                                 : arena_printf(c->a, "dcl_%s", name);
        lower_kernel(c, &before, conts, nconts, symbols, nsymbols);
        before.nodes.n--;
    }
    if (!kernels)
        ptx_refuse(c, NULL, "%s has no map", name_text(c->g->names, c->g->name));
}
