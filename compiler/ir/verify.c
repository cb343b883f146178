/* graph_verify: the walk over a graph, and the invariants of structure: 1, 2, 3, 7, 8 and 15 of
   IR.md. The walk keeps what is in scope, which containers live, what was written, and what is
   known of indices, in program order; the other verify files look at the
   details.
   The first broken invariant ends it. */
#include "compiler/ir/verify.h"

#include "compiler/analysis/facts.h"

#include <string.h>

#include <stdarg.h>

bool broken(struct verifier *v, int invariant, const char *format, ...) {
    /* Right after lowering these say something of the program; later, of a pass. */
    static const enum error_code of_program[] = {
        [14] = ERR_UNWRITTEN_RESULT, [16] = ERR_PLACEMENT, [18] = ERR_PLACEMENT,
        [19] = ERR_PLACEMENT,        [20] = ERR_PLACEMENT, [21] = ERR_CONFLICT};
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(v->arena, format, args);
    va_end(args);
    bool lowered = v->after && strcmp(v->after, "lower") == 0;
    if (lowered && (size_t)invariant < sizeof of_program / sizeof *of_program &&
        of_program[invariant])
        diag_error(v->d, v->span, of_program[invariant], text);
    else
        diag_error(v->d, v->span, ERR_VERIFY, v->after, invariant, text);
    return false;
}

const char *verify_name(const struct verifier *v, struct name n) {
    return name_text(v->g->names, n);
}

static bool check_region(struct verifier *v, const struct region *r);

/* The regions below a node: what is declared and named in them ends with them. */
static bool check_inner(struct verifier *v, const struct region *r) {
    uint32_t mark = v->scope.n;
    if (!check_region(v, r))
        return false;
    for (uint32_t i = 0; i < r->nodes.n; i++)
        if (r->nodes.at[i]->kind == NODE_DECL)
            v->conts[r->nodes.at[i]->decl.cont.i].alive = false;
    leave_scope(v, mark);
    return true;
}

static bool check_decl(struct verifier *v, const struct node *n) {
    struct cont c = n->decl.cont;
    if (c.i == 0 || c.i >= v->g->conts.n)
        return broken(v, 2, "a declaration of container %u", c.i);
    const struct container *k = graph_cont(v->g, c);
    struct cont_state *s = &v->conts[c.i];
    bool found = s->found;
    s->found = false;
    if (!found && (k->role != ROLE_TRANSIENT || s->uses++))
        return broken(v, 3, "%s is declared %s", verify_name(v, k->name),
                      k->role != ROLE_TRANSIENT ? "and an argument" : "twice");
    for (uint32_t d = 0; d < k->rank; d++)
        if (!check_sym(v, k->dims[d], false))
            return false;
    if (!check_storage(v, k))
        return false;
    if (n->decl.has_fill && k->storage == STORE_RESERVE)
        return broken(v, 16, "%s is in reserve and has a fill", verify_name(v, k->name));
    s->alive = true;
    s->written = n->decl.has_fill && !k->lanes;
    s->depth = v->loops.n;
    begin_owner(v, c);
    return true;
}

static bool check_index(struct verifier *v, const struct node *n, const struct index *x) {
    if (!check_sym(v, x->lo, false) || !check_sym(v, x->hi, false) ||
        !check_sym(v, x->step, false) || !check_index_words(v, n, x))
        return false;
    int64_t step;
    if (!sym_is_const(v->g->syms, x->step, &step) || step <= 0)
        return broken(v, 15, "the step of %s is no positive number", verify_name(v, x->name));
    if (!define_name(v, x->name, THING_INDEX, DT_i64))
        return false;
    index_facts(v->facts, v->g->syms, x);
    return true;
}

static bool check_map(struct verifier *v, const struct node *n) {
    uint32_t mark = v->scope.n, facts = sym_facts_mark(v->facts), around = v->indices.n;
    if (n->map.n == 0 || !n->map.index)
        return broken(v, 15, "a map without indices");
    struct span span = v->span;
    for (uint32_t k = 0; k < n->map.n; k++)
        if (!check_index(v, n, &n->map.index[k]))
            return false;
    if (!check_map_words(v, n))
        return false;
    for (uint32_t k = 0; k < n->map.n; k++)
        VEC_PUSH(v->arena, v->indices, &n->map.index[k]);
    if (!check_inner(v, &n->map.body))
        return false;
    v->indices.n = around;
    v->span = span;
    sym_facts_restore(v->facts, facts);
    leave_scope(v, mark);
    return check_races(v, n);
}

static bool check_loop(struct verifier *v, const struct node *n) {
    uint32_t mark = v->scope.n, facts = sym_facts_mark(v->facts);
    if (!check_index(v, n, &n->loop.index))
        return false;
    VEC_PUSH(v->arena, v->loops, &n->loop.body);
    if (!check_inner(v, &n->loop.body))
        return false;
    v->loops.n--;
    sym_facts_restore(v->facts, facts);
    leave_scope(v, mark);
    return true;
}

static bool check_while(struct verifier *v, const struct node *n) {
    const struct memlet *m = &n->repeat.condition;
    if (!check_memlet(v, m, false))
        return false;
    const struct container *c = graph_cont(v->g, m->cont);
    if (c->dtype != DT_bool || c->rank)
        return broken(v, 10, "the condition of a while is %s", verify_name(v, c->name));
    if (!check_written(v, m, false) || !check_owner(v, m, false))
        return false;
    VEC_PUSH(v->arena, v->loops, &n->repeat.body);
    if (!check_inner(v, &n->repeat.body))
        return false;
    v->loops.n--;
    return true;
}

static bool check_branch(struct verifier *v, const struct node *n) {
    if (!verify_expr(v, n->branch.condition, false))
        return false;
    if (n->branch.condition->dtype != DT_bool)
        return broken(v, 10, "the condition of a branch is %s",
                      dtypes[n->branch.condition->dtype].name);
    for (int arm = 0; arm < 2; arm++) { /* each knows what the condition says */
        uint32_t mark = sym_facts_mark(v->facts);
        facts_add(v->facts, v->g, n->branch.condition, arm == 0);
        bool sound = check_inner(v, arm == 0 ? &n->branch.then : &n->branch.otherwise);
        sym_facts_restore(v->facts, mark);
        if (!sound)
            return false;
    }
    return true;
}

static bool check_write(struct verifier *v, const struct node *n) {
    const struct expr *e = n->write.value;
    if (!verify_expr(v, e, false) || !check_memlet(v, &n->write.to, true))
        return false;
    const struct container *c = graph_cont(v->g, n->write.to.cont);
    if (e->dtype != c->dtype)
        return broken(v, 10, "%s is written to %s, which is %s", dtypes[e->dtype].name,
                      verify_name(v, c->name), dtypes[c->dtype].name);
    return check_written(v, &n->write.to, true) && check_owner(v, &n->write.to, true);
}

static bool check_node(struct verifier *v, const struct node *n) {
    switch (n->kind) {
    case NODE_DECL: return check_decl(v, n);
    case NODE_READ:
        return check_memlet(v, &n->read.from, false) && check_written(v, &n->read.from, false) &&
               check_owner(v, &n->read.from, false) &&
               define_name(v, n->read.name, THING_VALUE,
                           graph_cont(v->g, n->read.from.cont)->dtype);
    case NODE_LET:
        return verify_expr(v, n->let.value, false) &&
               define_name(v, n->let.name, THING_VALUE, n->let.value->dtype);
    case NODE_WRITE: return check_write(v, n);
    case NODE_MAP: return check_map(v, n);
    case NODE_LOOP: return check_loop(v, n);
    case NODE_WHILE: return check_while(v, n);
    case NODE_BRANCH: return check_branch(v, n);
    case NODE_COUNT: break;
    }
    return broken(v, 1, "a node of no kind");
}

static bool check_region(struct verifier *v, const struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        if (!n)
            return broken(v, 1, "a node is missing");
        v->span = n->span;
        if (n->id >= v->g->nodes || map_get(&v->node_ids, n->id, NULL))
            return broken(v, 1, "node %u of %u stands twice or is too many", n->id, v->g->nodes);
        map_put(&v->node_ids, n->id, 1);
        if (!check_node(v, n))
            return false;
    }
    return true;
}

/* An argument: it lives from the start. */
static bool use_argument(struct verifier *v, struct cont c, bool result) {
    if (c.i == 0 || c.i >= v->g->conts.n)
        return broken(v, 2, "an argument is container %u", c.i);
    const struct container *k = graph_cont(v->g, c);
    bool role = result ? k->role == ROLE_RESULT : k->role == ROLE_PARAM || k->role == ROLE_INOUT;
    if (!role || v->conts[c.i].uses++)
        return broken(v, 3, "%s is %s %s", verify_name(v, k->name), role ? "twice" : "not",
                      result ? "a result" : "a parameter");
    v->conts[c.i].alive = !v->conts[c.i].found;
    v->conts[c.i].written = k->role != ROLE_RESULT;
    v->span = k->span;
    return check_storage(v, k);
}

static bool check_shape(struct verifier *v, const struct container *c) {
    v->span = c->span;
    for (uint32_t d = 0; d < c->rank; d++)
        if (!check_sym(v, c->dims[d], true))
            return false;
    return true;
}

/* Results that the graph's own region declares: the run finds their sizes. */
static void note_found(struct verifier *v) {
    const struct graph *g = v->g;
    for (uint32_t i = 0; i < g->body.nodes.n; i++) {
        const struct node *n = g->body.nodes.at[i];
        if (n && n->kind == NODE_DECL && n->decl.cont.i < g->conts.n &&
            graph_cont(g, n->decl.cont)->role == ROLE_RESULT)
            v->conts[n->decl.cont.i].found = true;
    }
}

static bool check_arguments(struct verifier *v) {
    const struct graph *g = v->g;
    note_found(v);
    struct graph_symbol *symbols;
    uint32_t n = graph_symbols(g, v->arena, &symbols);
    for (uint32_t i = 0; i < n; i++)
        if (!name_is_global(v, symbols[i].name, "symbol") ||
            !define_name(v, symbols[i].name, THING_SYMBOL, DT_i64))
            return false;
    for (uint32_t i = 0; i < g->params.n; i++)
        if (!g->params.at[i].is_symbol && !use_argument(v, g->params.at[i].cont, false))
            return false;
    for (uint32_t i = 0; i < g->results.n; i++)
        if (!use_argument(v, g->results.at[i], true))
            return false;
    for (uint32_t i = 0; i < g->params.n; i++)
        if (!g->params.at[i].is_symbol && !check_shape(v, graph_cont(g, g->params.at[i].cont)))
            return false;
    for (uint32_t i = 0; i < g->results.n; i++)
        if (!v->conts[g->results.at[i].i].found && !check_shape(v, graph_cont(g, g->results.at[i])))
            return false;
    return true;
}

static bool check_containers(struct verifier *v) {
    for (uint32_t i = 1; i < v->g->conts.n; i++) {
        const struct container *c = &v->g->conts.at[i];
        v->span = c->span;
        if (c->dtype >= DT_COUNT || c->storage >= STORE_COUNT || c->role > ROLE_TRANSIENT ||
            (c->rank && !c->dims))
            return broken(v, 1, "container %u is incomplete", i);
        for (uint32_t d = 0; d < c->rank; d++)
            if (sym_none(c->dims[d]))
                return broken(v, 1, "dimension %u of container %u is missing", d, i);
    }
    return true;
}

static bool check_container_names(struct verifier *v) {
    for (uint32_t i = 1; i < v->g->conts.n; i++) {
        const struct container *c = &v->g->conts.at[i];
        v->span = c->span;
        if (!name_is_global(v, c->name, "container"))
            return false;
        VEC_PUSH(v->arena, v->scope, ((struct binding){c->name, THING_CONTAINER, c->dtype}));
        map_put(&v->scoped, c->name.i, v->scope.n);
    }
    return true;
}

static bool check_conditions(struct verifier *v) {
    for (uint32_t i = 0; i < v->g->conditions.n; i++) {
        const struct graph_condition *c = &v->g->conditions.at[i];
        v->span = c->span;
        if (!verify_expr(v, c->condition, true))
            return false;
        if (c->condition->dtype != DT_bool)
            return broken(v, 10, "a condition is %s", dtypes[c->condition->dtype].name);
    }
    return true;
}

bool has_no_elements(const struct graph *g, const struct container *c) {
    int64_t n;
    for (uint32_t d = 0; d < c->rank; d++)
        if (sym_is_const(g->syms, c->dims[d], &n) && n == 0)
            return true;
    return false;
}

static bool check_uses(struct verifier *v) {
    for (uint32_t i = 1; i < v->g->conts.n; i++) {
        v->span = v->g->conts.at[i].span;
        const char *name = verify_name(v, v->g->conts.at[i].name);
        if (!v->conts[i].uses && v->g->conts.at[i].role == ROLE_TRANSIENT)
            continue; /* a pass has removed it with all that touched it */
        if (!v->conts[i].uses)
            return broken(v, 3, "%s is never declared", name);
        if (!v->conts[i].written && v->g->conts.at[i].role == ROLE_RESULT &&
            !has_no_elements(v->g, &v->g->conts.at[i]))
            return broken(v, 14, "the result %s is never written", name);
    }
    return true;
}

bool graph_verify(const struct graph *g, const char *after, struct diags *d) {
    struct arena *a = arena_under(g->arena);
    struct verifier v = {.g = g,
                         .after = after,
                         .d = d,
                         .arena = a,
                         .scoped = map_new(a),
                         .global = map_new(a),
                         .node_ids = map_new(a),
                         .conts = ARENA_ARRAY(a, struct cont_state, g->conts.n),
                         .span = g->span};
    bool whole = check_containers(&v) && check_arguments(&v) && check_container_names(&v);
    if (whole) {
        v.facts = graph_facts(a, g);
        whole = check_conditions(&v) && check_region(&v, &g->body) && check_uses(&v);
    }
    arena_free(a);
    return whole;
}
