/* Edge tiles. A body such as
       map i in 0:min(6, M - io) unroll, j in 0:min(16, N - jo) vector { ... }
   has constant bounds but at the edges, and constants are what makes it fast. So where the terms
   `min(constant, x)` in bounds below first become known, the body is lowered twice: for iterations
   in which every such x is at least its constant, which then is a fact, and for the others.
   The general version comes first: what is proved of a memlet is remembered, and must not rest on
   that fact. */
#include "backends/llvm/codegen.h"

enum { MOST_EDGES = 4 };

struct edges {
    struct cg *c;
    struct uses inner; /* of the body */
    struct map own;    /* the map's indices */
    uint32_t n;
    struct sym spare[MOST_EDGES]; /* x - constant */
    bool many;
};

static void edge(struct edges *e, int64_t constant, struct sym x) {
    struct cg *c = e->c;
    if (sym_uses_any(c, x, &e->inner.defined) || !sym_uses_any(c, x, &e->own))
        return;
    struct sym spare = sym_sub(c->syms, x, sym_const(c->syms, constant));
    int64_t known;
    if (sym_is_const(c->syms, subst(c, spare), &known) || sym_prove_nonneg(c->facts, spare))
        return;
    for (uint32_t i = 0; i < e->n; i++)
        if (sym_eq(e->spare[i], spare))
            return;
    if (e->n < MOST_EDGES)
        e->spare[e->n++] = spare;
    else
        e->many = true;
}

static void find_edges(struct edges *e, struct sym s) {
    struct cg *c = e->c;
    enum sym_kind k = sym_kind(c->syms, s);
    if (k == SYM_CONST || k == SYM_ATOM)
        return;
    uint32_t n = sym_count(c->syms, s);
    for (uint32_t i = 0; i < n; i++) {
        int64_t constant;
        struct sym operand = sym_operand(c->syms, s, i);
        if (k == SYM_MIN && sym_is_const(c->syms, operand, &constant))
            edge(e, constant, sym_operand(c->syms, s, !i));
        else
            find_edges(e, operand);
    }
}

static void edges_of_index(struct edges *e, const struct index *x) {
    /* Only these gain from a constant number of iterations. */
    if (x->schedule == SCHED_UNROLL || x->schedule == SCHED_VECTOR)
        find_edges(e, sym_sub(e->c->syms, x->hi, x->lo));
}

static void edges_of(void *data, struct node *n) {
    struct edges *e = data;
    if (n->kind == NODE_LOOP)
        edges_of_index(e, &n->loop.index);
    if (n->kind == NODE_MAP)
        for (uint32_t i = 0; i < n->map.n; i++)
            edges_of_index(e, &n->map.index[i]);
}

void lower_versions(struct cg *c, const struct node *n) {
    struct edges e = {.c = c, .own = map_new(c->a)};
    map_uses(c, n, n->map.n, &e.inner);
    for (uint32_t i = 0; i < n->map.n; i++)
        map_put(&e.own, n->map.index[i].name.i, 1);
    region_walk(&n->map.body, edges_of, &e);
    if (!e.n || e.many) {
        lower_region(c, &n->map.body);
        return;
    }
    LLVMValueRef whole = NULL;
    for (uint32_t i = 0; i < e.n; i++) {
        LLVMValueRef spare = cg_sym_scalar(c, subst(c, e.spare[i]));
        LLVMValueRef yes = LLVMBuildICmp(c->b, LLVMIntSGE, spare, cg_i64(c, 0), "");
        whole = whole ? LLVMBuildAnd(c->b, whole, yes, "") : yes;
    }
    LLVMBasicBlockRef tile = cg_block(c, "tile"), general = cg_block(c, "edge");
    LLVMBasicBlockRef after = cg_block(c, "after");
    LLVMBuildCondBr(c->b, whole, tile, general);
    cg_at(c, general);
    lower_region(c, &n->map.body);
    LLVMBuildBr(c->b, after);
    cg_at(c, tile);
    uint32_t facts = sym_facts_mark(c->facts);
    for (uint32_t i = 0; i < e.n; i++)
        sym_facts_nonneg(c->facts, e.spare[i]);
    lower_region(c, &n->map.body);
    sym_facts_restore(c->facts, facts);
    LLVMBuildBr(c->b, after);
    cg_at(c, after);
}
