/* Regions and their simple nodes, in program order. */
#include "backends/llvm/codegen.h"

#include "backends/ptx/ptx.h"

#include <stddef.h>

static void lower_branch_uniform(struct cg *c, const struct node *n, struct val condition) {
    if (LLVMIsConstant(condition.v) && !LLVMIsUndef(condition.v)) {
        lower_region(c, LLVMIsNull(condition.v) ? &n->branch.otherwise : &n->branch.then);
        return;
    }
    LLVMBasicBlockRef then = cg_block(c, "then"), otherwise = cg_block(c, "else");
    LLVMBasicBlockRef end = cg_block(c, "end");
    LLVMBuildCondBr(c->b, condition.v, then, otherwise);
    uint32_t facts = sym_facts_mark(c->facts);
    for (int side = 0; side < 2; side++) {
        cg_at(c, side ? otherwise : then);
        facts_assume(c, n->branch.condition, !side);
        lower_region(c, side ? &n->branch.otherwise : &n->branch.then);
        sym_facts_restore(c->facts, facts);
        LLVMBuildBr(c->b, end);
    }
    cg_at(c, end);
}

/* Each side runs for the lanes that take it, and not at all where there is none. */
static void lower_branch_varying(struct cg *c, const struct node *n, struct val condition) {
    struct fn *fn = c->fn;
    LLVMValueRef mask = fn->mask;
    uint32_t facts = sym_facts_mark(c->facts);
    for (int side = 0; side < 2; side++) {
        const struct region *r = side ? &n->branch.otherwise : &n->branch.then;
        if (!r->nodes.n)
            continue;
        LLVMValueRef take = side ? LLVMBuildNot(c->b, condition.v, "") : condition.v;
        fn->mask = mask ? LLVMBuildAnd(c->b, mask, take, "") : take;
        LLVMBasicBlockRef some = cg_block(c, "some"), end = cg_block(c, "end");
        LLVMBuildCondBr(c->b, cg_any(c, fn->mask, fn->lanes), some, end);
        cg_at(c, some);
        facts_assume(c, n->branch.condition, !side);
        lower_region(c, r);
        sym_facts_restore(c->facts, facts);
        LLVMBuildBr(c->b, end);
        cg_at(c, end);
    }
    fn->mask = mask;
}

/* The condition is asked before each turn; nothing is assumed of their number. */
static void lower_while(struct cg *c, const struct node *n) {
    LLVMBasicBlockRef ask = cg_block(c, "ask"), turn = cg_block(c, "turn");
    LLVMBasicBlockRef end = cg_block(c, "end");
    LLVMBuildBr(c->b, ask);
    cg_at(c, ask);
    uint32_t scope = scope_push(c);
    c->fn->depth++;
    struct val go = memlet_read(c, n, &n->repeat.condition);
    LLVMBuildCondBr(c->b, go.v, turn, end);
    cg_at(c, turn);
    cg_poll(c);
    lower_region(c, &n->repeat.body);
    LLVMBuildBr(c->b, ask);
    cg_at(c, end);
    c->fn->depth--;
    scope_pop(c, scope);
}

enum { MOST_STATEMENTS = 1000000 };

static void lower_node(struct cg *c, const struct region *r, uint32_t i) {
    const struct node *n = r->nodes.at[i];
    struct val v;
    if (++c->statements > MOST_STATEMENTS) {
        cg_too_large(c, n);
        return;
    }
    if (c->gpu)
        ptx_before(c, n);
    switch (n->kind) {
    case NODE_DECL: decl_begin(c, n, r, i); break;
    case NODE_READ: bind_name(c, n->read.name, memlet_read(c, n, &n->read.from)); break;
    case NODE_LET: bind_name(c, n->let.name, cg_expr(c, n->let.value)); break;
    case NODE_WRITE:
        v = cg_expr(c, n->write.value);
        if (c->gpu)
            ptx_write(c, n, v);
        else if (!accumulate(c, n, v))
            memlet_write(c, n, &n->write.to, v);
        break;
    case NODE_MAP: lower_map(c, n); break;
    case NODE_LOOP:
        hoist_checks(c, n);
        lower_index(c, n, 0);
        break;
    case NODE_WHILE: lower_while(c, n); break;
    case NODE_BRANCH:
        v = cg_expr(c, n->branch.condition);
        if (v.lanes == 1)
            lower_branch_uniform(c, n, v);
        else
            lower_branch_varying(c, n, v);
        break;
    case NODE_COUNT: break;
    }
}

static void free_scratch(struct cg *c, uint32_t mark) {
    struct fn *fn = c->fn;
    while (fn->bails.n > mark)
        bail_release(c, fn->bails.at[--fn->bails.n]);
}

/* The runtime notes that NODE has ended, or with -1 that the kernel began. */
static void lower_stamp(struct cg *c, int64_t node) {
    LLVMTypeRef params[] = {c->ptr, c->i64};
    LLVMValueRef args[] = {c->fn->api, cg_i64(c, node)};
    LLVMValueRef f = api_field(c, offsetof(struct rt_api, stamp), c->ptr);
    LLVMBuildCall2(c->b, LLVMFunctionType(c->nothing, params, 2, false), f, args, 2, "");
}

static bool has_stamps(const struct cg *c, const struct region *r) {
    return c->o->profile && r == &c->g->body;
}

void lower_nodes(struct cg *c, const struct region *r, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to && !c->failed; i++) {
        lower_node(c, r, i);
        if (c->fn->piece == r)
            hand_on(c, r->nodes.at[i]);
        if (has_stamps(c, r) && !c->failed)
            lower_stamp(c, r->nodes.at[i]->id);
    }
}

void lower_region(struct cg *c, const struct region *r) {
    if (has_stamps(c, r))
        lower_stamp(c, -1);
    uint32_t scope = scope_push(c), bails = c->fn->bails.n;
    if (region_divides(c))
        lower_pieces(c, r);
    else
        lower_nodes(c, r, 0, r->nodes.n);
    free_scratch(c, bails);
    scope_pop(c, scope);
}
