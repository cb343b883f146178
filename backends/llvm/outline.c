/* Maps as functions of their own, called with what they use from outside: the pointers are noalias
   parameters again, see compile.c.
   Parallel maps need that for the threads. In a long program all maps of the graph's own region are
   functions, because LLVM takes more than time in proportion for one function that long: it follows
   each container's pointer through all the loops in which it is not used. */
#include "backends/llvm/codegen.h"

#include <stdio.h>

enum { LONG_REGION = 4 /* maps */ };

static void capture_name(struct cg *c, struct capture *x, struct name n);

struct capturing {
    struct cg *c;
    struct capture *x;
};

static void capture_atom(void *data, struct name n) {
    struct capturing *k = data;
    capture_name(k->c, k->x, n);
}

static void capture_name(struct cg *c, struct capture *x, struct name n) {
    struct fn *fn = c->fn;
    enum dtype t;
    for (uint32_t i = 0; i < fn->from.n; i++)
        if (name_eq(fn->from.at[i], n)) {
            struct capturing k = {c, x};
            sym_atoms(c->syms, fn->to.at[i], capture_atom, &k);
            return;
        }
    if (map_get(&x->taken, n.i, NULL) || !bound_type(c, n, &t))
        return;
    map_put(&x->taken, n.i, 1);
    VEC_PUSH(c->a, x->names, n);
}

void capture_uses(struct cg *c, const struct uses *u, struct capture *x) {
    *x = (struct capture){.taken = map_new(c->a)};
    for (uint32_t i = 0; i < u->conts.n; i++) {
        struct cont k = {(uint32_t)u->conts.entries[i].key};
        if (!map_get(&u->declared, k.i, NULL))
            VEC_PUSH(c->a, x->conts, k);
    }
    for (uint32_t i = 0; i < u->names.n; i++)
        if (!map_get(&u->defined, u->names.entries[i].key, NULL))
            capture_name(c, x, (struct name){(uint32_t)u->names.entries[i].key});
}

void capture(struct cg *c, const struct node *n, struct capture *x) {
    struct uses u;
    map_uses(c, n, 0, &u);
    capture_uses(c, &u, x);
}

LLVMValueRef *captured_values(struct cg *c, const struct node *n, const struct capture *x) {
    LLVMValueRef *v = ARENA_ARRAY(c->a, LLVMValueRef, x->conts.n + x->names.n + 1);
    for (uint32_t i = 0; i < x->conts.n; i++) {
        const struct place *p = place_of(c, x->conts.at[i]);
        if (p->layout != LAYOUT_MEMORY) {
            cg_bug(c, n, "a register container crosses into a function of its own");
            return NULL;
        }
        v[i] = p->base;
    }
    for (uint32_t i = 0; i < x->names.n; i++) {
        struct deep d;
        bound_name(c, x->names.at[i], &d);
        v[x->conts.n + i] = d.v.v;
    }
    return v;
}

struct fn *outline_begin(struct cg *c, const char *name, const struct capture *x, uint32_t more,
                         LLVMTypeRef type) {
    struct fn *outer = c->fn;
    uint32_t first = 1 + more, n = first + x->conts.n + x->names.n;
    LLVMTypeRef *params = ARENA_ARRAY(c->a, LLVMTypeRef, n);
    enum dtype *types = ARENA_ARRAY(c->a, enum dtype, x->names.n + 1);
    for (uint32_t i = 0; i < n; i++)
        params[i] = i == 0 || i >= first ? c->ptr : type;
    for (uint32_t i = 0; i < x->names.n; i++) {
        bound_type(c, x->names.at[i], &types[i]);
        params[first + x->conts.n + i] = cg_type(c, types[i], 1);
    }
    struct fn *fn = fn_begin(c, name, LLVMFunctionType(c->i32, params, n, false), true);
    for (uint32_t i = 0; i < outer->from.n; i++)
        subst_push(c, outer->from.at[i], outer->to.at[i]);
    unsigned noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
    for (uint32_t i = 0; i < x->conts.n; i++) {
        LLVMValueRef base = LLVMGetParam(fn->f, first + i);
        LLVMAddAttributeAtIndex(fn->f, 1 + first + i, LLVMCreateEnumAttribute(c->llvm, noalias, 0));
        place_put(c, x->conts.at[i],
                  (struct place){.layout = LAYOUT_MEMORY, .base = base, .expanded = 1});
    }
    for (uint32_t i = 0; i < x->names.n; i++)
        bind_name(c, x->names.at[i],
                  cg_val(LLVMGetParam(fn->f, first + x->conts.n + i), types[i], 1));
    return fn;
}

/* --- long regions --- */

bool region_is_long(const struct region *r) {
    uint32_t maps = 0;
    for (uint32_t i = 0; i < r->nodes.n; i++)
        maps += r->nodes.at[i]->kind == NODE_MAP;
    return maps > LONG_REGION;
}

bool is_outlined(const struct cg *c, const struct node *n) {
    return c->outlined && n->kind == NODE_MAP && c->outlined[n->id];
}

bool lower_outlined(struct cg *c, const struct node *n) {
    if (!is_outlined(c, n) || c->fn->inside == n)
        return false;
    struct capture x;
    capture(c, n, &x);
    LLVMValueRef *values = captured_values(c, n, &x);
    if (!values)
        return true;
    struct fn *outer = c->fn;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(c->b);
    char name[32];
    snprintf(name, sizeof name, "dcl_map_%u", c->functions++);
    struct fn *fn = outline_begin(c, name, &x, 0, NULL);
    fn->inside = n;
    lower_map(c, n);
    fn_end(c);
    c->fn = outer;
    cg_at(c, here);
    uint32_t count = 1 + x.conts.n + x.names.n;
    LLVMValueRef *args = ARENA_ARRAY(c->a, LLVMValueRef, count);
    args[0] = outer->api;
    for (uint32_t i = 1; i < count; i++)
        args[i] = values[i - 1];
    bail_unless_ok(c, LLVMBuildCall2(c->b, LLVMGlobalGetValueType(fn->f), fn->f, args, count, ""));
    return true;
}
