/* An estimate of work, to decide whether a parallel map is worth the threads. */
#include "backends/llvm/codegen.h"

enum { FUNCTION = 12, DIVISION = 4 }; /* exp and the like, in units of an addition */
enum { TURNS = 16 };                  /* of a `while`, of which nothing is known */

static int64_t expr_work(const struct expr *e) {
    int64_t work = 0;
    if (e->kind == EXPR_CAST)
        return 1 + expr_work(e->args[0]);
    if (e->kind != EXPR_OP)
        return 0;
    for (unsigned i = 0; i < scalars[e->op].arity; i++)
        work += expr_work(e->args[i]);
    switch (e->op) {
    case OP_EXP:
    case OP_LOG:
    case OP_TANH: return work + FUNCTION;
    case OP_DIV:
    case OP_SQRT:
    case OP_FLOORDIV:
    case OP_MOD: return work + DIVISION;
    default: return work + 1;
    }
}

/* The number of iterations, at least 0; a bound or 1 where it hangs on what is not known yet. */
static struct sym iterations(struct cg *c, const struct index *x, const struct map *inner) {
    struct sym size = sym_sub(c->syms, x->hi, x->lo);
    int64_t most = 1;
    if (sym_uses_any(c, size, inner) || sym_uses_any(c, x->step, inner)) {
        sym_upper_bound(c->facts, size, &most);
        size = sym_const(c->syms, most);
        if (sym_uses_any(c, x->step, inner))
            return size;
    }
    size = sym_add(c->syms, size, sym_sub(c->syms, x->step, sym_const(c->syms, 1)));
    return sym_max(c->syms, sym_floordiv(c->syms, size, x->step), sym_const(c->syms, 0));
}

static struct sym work_of(struct cg *c, const struct region *r, const struct map *inner);

static struct sym index_work(struct cg *c, const struct index *x, struct sym body,
                             const struct map *inner) {
    struct sym n = iterations(c, x, inner);
    if (x->schedule == SCHED_VECTOR) {
        struct sym lanes = sym_const(c->syms, c->o->target.vector_bytes / 4);
        n = sym_floordiv(c->syms, sym_add(c->syms, n, sym_const(c->syms, 3)), lanes);
    }
    return sym_mul(c->syms, n, body);
}

static struct sym node_work(struct cg *c, const struct node *n, const struct map *inner) {
    struct sym w;
    switch (n->kind) {
    case NODE_READ: return sym_const(c->syms, 1);
    case NODE_LET: return sym_const(c->syms, expr_work(n->let.value));
    case NODE_WRITE: return sym_const(c->syms, 1 + expr_work(n->write.value));
    case NODE_MAP:
        w = work_of(c, &n->map.body, inner);
        for (uint32_t i = n->map.n; i-- > 0;)
            w = index_work(c, &n->map.index[i], w, inner);
        return w;
    case NODE_LOOP: return index_work(c, &n->loop.index, work_of(c, &n->loop.body, inner), inner);
    case NODE_WHILE:
        return sym_mul(c->syms, sym_const(c->syms, TURNS), work_of(c, &n->repeat.body, inner));
    case NODE_BRANCH:
        return sym_add(c->syms, work_of(c, &n->branch.then, inner),
                       work_of(c, &n->branch.otherwise, inner));
    default: return sym_const(c->syms, 0);
    }
}

static struct sym work_of(struct cg *c, const struct region *r, const struct map *inner) {
    struct sym w = sym_const(c->syms, 0);
    for (uint32_t i = 0; i < r->nodes.n; i++)
        w = sym_add(c->syms, w, node_work(c, r->nodes.at[i], inner));
    return w;
}

struct sym map_work(struct cg *c, const struct node *n, uint32_t k) {
    struct uses u;
    map_uses(c, n, 0, &u);
    struct sym w = work_of(c, &n->map.body, &u.defined);
    for (uint32_t i = n->map.n; i-- > k;)
        w = index_work(c, &n->map.index[i], w, &u.defined);
    return w;
}
