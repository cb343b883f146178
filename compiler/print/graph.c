/* Graphs as syntax: signature, statements, memlets. One statement per node, nothing implicit:
   fills, casts and both ends of ranges are written. IR.md says what a node means in the text. */
#include "compiler/print/internal.h"

#include "lang/print/print.h"

/* A parameter `f: f32` would be a scalar that the call reads, and `f: i64` a run-time integer;
   `f: f32[]` is a container. */
static struct ast *type_to_ast(struct printer *p, const struct container *c) {
    struct ast *t = ast_new(p->arena, AST_TYPE, p->span, c->rank);
    t->name = name_of_text(p->g->names, dtypes[c->dtype].name);
    if (c->rank > 0 || c->role == ROLE_PARAM || c->role == ROLE_INOUT)
        t->flags = AST_BRACKETS;
    for (uint32_t d = 0; d < c->rank; d++)
        t->kids[d] = sym_to_ast(p, c->dims[d]);
    return t;
}

/* Whether the body declares C, a result whose size the run finds. */
static bool is_found(const struct graph *g, struct cont c) {
    for (uint32_t i = 0; i < g->body.nodes.n; i++) {
        const struct node *n = g->body.nodes.at[i];
        if (n->kind == NODE_DECL && n->decl.cont.i == c.i)
            return true;
    }
    return false;
}

/* The type of such a result: what is no constant is `?`, and something is. */
static struct ast *found_type(struct printer *p, const struct container *c) {
    struct ast *t = type_to_ast(p, c);
    bool open = false;
    for (uint32_t d = 0; d < c->rank; d++) {
        int64_t n;
        if (sym_is_const(p->g->syms, c->dims[d], &n) && (open || d + 1 < c->rank))
            continue;
        t->kids[d] = ast_leaf(p, AST_ANY);
        open = true;
    }
    return t;
}

static struct ast *memlet_to_ast(struct printer *p, const struct memlet *m) {
    const struct container *c = graph_cont(p->g, m->cont);
    struct ast *name = ast_name(p, c->name);
    if (m->rank == 0 && m->outside == OUTSIDE_ERROR)
        return name;
    struct ast *x = ast_new(p->arena, AST_INDEX, p->span, 1 + m->rank);
    x->kids[0] = name;
    for (uint32_t d = 0; d < m->rank; d++)
        x->kids[1 + d] = sym_to_ast(p, m->at[d]);
    if (m->outside != OUTSIDE_ERROR) {
        struct ast *other = ast_new(p->arena, AST_ELSE, p->span, 1);
        if (m->outside == OUTSIDE_VALUE)
            other->kids[0] = ast_literal(p, c->dtype, m->other);
        ast_push(p->arena, x, other);
    }
    return x;
}

static struct ast *index_to_ast(struct printer *p, const struct index *x) {
    struct ast *it = ast_new(p->arena, AST_ITER, x->span, 4);
    int64_t step;
    it->name = x->name;
    map_put(&p->narrow, x->name.i, 0);
    it->op = x->schedule;
    it->integer = x->factor;
    it->kids[0] = sym_to_ast(p, x->lo);
    it->kids[1] = sym_to_ast(p, x->hi);
    if (!sym_is_const(p->g->syms, x->step, &step) || step != 1)
        it->kids[2] = sym_to_ast(p, x->step);
    return it;
}

static struct ast *region_block(struct printer *p, const struct region *r);

static struct ast *decl_to_ast(struct printer *p, const struct node *n) {
    const struct container *c = graph_cont(p->g, n->decl.cont);
    struct ast *s = ast_new(p->arena, AST_DECL, p->span, 3);
    s->name = c->name;
    s->op = c->storage;
    s->kids[0] = type_to_ast(p, c);
    if (n->decl.has_fill)
        s->kids[1] = ast_literal(p, c->dtype, n->decl.fill);
    return s;
}

/* An integer that only a cast makes one of symbolic integers. */
static bool is_narrow(enum dtype t) {
    return dtype_is_int(t) && t != DT_i64;
}

static struct ast *read_to_ast(struct printer *p, const struct node *n) {
    struct ast *s = ast_new(p->arena, AST_READ, p->span, 1);
    s->name = n->read.name;
    s->kids[0] = memlet_to_ast(p, &n->read.from);
    map_put(&p->narrow, s->name.i, is_narrow(graph_cont(p->g, n->read.from.cont)->dtype));
    return s;
}

static struct ast *let_to_ast(struct printer *p, const struct node *n) {
    struct ast *s = ast_new(p->arena, AST_ASSIGN, p->span, 2);
    s->kids[0] = expr_to_ast(p, n->let.value, true);
    s->kids[1] = ast_name(p, n->let.name);
    map_put(&p->narrow, n->let.name.i, is_narrow(n->let.value->dtype));
    return s;
}

static struct ast *write_to_ast(struct printer *p, const struct node *n) {
    struct ast *s = ast_new(p->arena, AST_WRITE, p->span, 3);
    s->op = n->write.to.resolution;
    s->kids[0] = expr_to_ast(p, n->write.value, false);
    s->kids[1] = memlet_to_ast(p, &n->write.to);
    return s;
}

static struct ast *map_to_ast(struct printer *p, const struct node *n) {
    struct ast *s = ast_new(p->arena, AST_MAP, p->span, 1 + n->map.n);
    s->flags = n->map.unique ? AST_UNIQUE : 0;
    for (uint32_t k = 0; k < n->map.n; k++)
        s->kids[1 + k] = index_to_ast(p, &n->map.index[k]);
    s->kids[0] = region_block(p, &n->map.body);
    return s;
}

static struct ast *loop_to_ast(struct printer *p, const struct node *n) {
    struct ast *s = ast_new(p->arena, AST_FOR, p->span, 2);
    s->kids[1] = index_to_ast(p, &n->loop.index);
    s->kids[0] = region_block(p, &n->loop.body);
    return s;
}

static struct ast *while_to_ast(struct printer *p, const struct node *n) {
    struct ast *s = ast_new(p->arena, AST_WHILE, p->span, 2);
    s->kids[0] = memlet_to_ast(p, &n->repeat.condition);
    s->kids[1] = region_block(p, &n->repeat.body);
    return s;
}

static struct ast *branch_to_ast(struct printer *p, const struct node *n) {
    struct ast *s = ast_new(p->arena, AST_IF, p->span, 3);
    s->kids[0] = expr_to_ast(p, n->branch.condition, true);
    s->kids[1] = region_block(p, &n->branch.then);
    if (n->branch.otherwise.nodes.n)
        s->kids[2] = region_block(p, &n->branch.otherwise);
    return s;
}

static struct ast *node_to_ast(struct printer *p, const struct node *n) {
    p->span = n->span;
    switch (n->kind) {
    case NODE_DECL: return decl_to_ast(p, n);
    case NODE_READ: return read_to_ast(p, n);
    case NODE_LET: return let_to_ast(p, n);
    case NODE_WRITE: return write_to_ast(p, n);
    case NODE_MAP: return map_to_ast(p, n);
    case NODE_LOOP: return loop_to_ast(p, n);
    case NODE_WHILE: return while_to_ast(p, n);
    case NODE_BRANCH: return branch_to_ast(p, n);
    case NODE_COUNT: break;
    }
    return ast_leaf(p, AST_ERROR);
}

static struct ast *region_block(struct printer *p, const struct region *r) {
    struct ast *block = ast_leaf(p, AST_BLOCK);
    for (uint32_t i = 0; i < r->nodes.n; i++)
        ast_push(p->arena, block, node_to_ast(p, r->nodes.at[i]));
    return block;
}

static struct ast *param_to_ast(struct printer *p, const struct graph_param *param) {
    struct ast *x = ast_new(p->arena, AST_PARAM, p->span, 2);
    x->name = param->name;
    if (param->is_symbol) {
        x->kids[0] = ast_leaf(p, AST_TYPE);
        x->kids[0]->name = name_of_text(p->g->names, dtypes[DT_i64].name);
        return x;
    }
    const struct container *c = graph_cont(p->g, param->cont);
    x->name = c->name;
    x->flags = c->role == ROLE_INOUT ? AST_INOUT : 0;
    x->kids[0] = type_to_ast(p, c);
    return x;
}

static struct printer printer_new(struct arena *a, const struct graph *g) {
    return (struct printer){.arena = a, .g = g, .narrow = map_new(a), .span = g->span};
}

struct ast *graph_to_ast(struct arena *a, const struct graph *g) {
    struct printer p = printer_new(a, g);
    struct ast *fn = ast_new(a, AST_FN, g->span, 4);
    fn->name = g->name;
    fn->kids[0] = ast_leaf(&p, AST_PARAMS);
    for (uint32_t i = 0; i < g->params.n; i++)
        ast_push(a, fn->kids[0], param_to_ast(&p, &g->params.at[i]));
    fn->kids[1] = ast_leaf(&p, AST_RESULTS);
    for (uint32_t i = 0; i < g->results.n; i++) {
        const struct container *c = graph_cont(g, g->results.at[i]);
        struct ast *x = ast_new(a, AST_RESULT, g->span, 1);
        x->name = c->name;
        x->kids[0] = is_found(g, g->results.at[i]) ? found_type(&p, c) : type_to_ast(&p, c);
        ast_push(a, fn->kids[1], x);
    }
    fn->kids[2] = ast_leaf(&p, AST_WHERE);
    for (uint32_t i = 0; i < g->conditions.n; i++)
        ast_push(a, fn->kids[2], condition_to_ast(&p, g->conditions.at[i].condition));
    fn->kids[3] = region_block(&p, &g->body);
    return fn;
}

struct ast *region_to_ast(struct arena *a, const struct graph *g, const struct region *r) {
    struct printer p = printer_new(a, g);
    return region_block(&p, r);
}

void graph_print(const struct graph *g, struct buf *out) {
    print_ast(g->names, graph_to_ast(out->arena, g), out);
    if (out->n && out->at[out->n - 1] != '\n')
        buf_text(out, "\n");
}
