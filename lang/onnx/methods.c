/* The methods of scopes: what a layer takes are parameters, what comes out of it is the result,
   scopes within are called. Elements of a list that each take what the last one gives are a
   loop. */
#include "lang/onnx/scopes.h"

#include <stdlib.h>
#include <string.h>

/* ACCESS, an expression in the model, as one in the layer that BASE reads; NULL: it is BASE. */
static struct ast *relative(struct importer *m, const struct ast *access, const struct ast *base) {
    if (base && ast_equal(access, base))
        return NULL;
    if (!base || access->kind == AST_NAME)
        return ast_clone(m->arena, access);
    struct ast *object = relative(m, access->kids[0], base);
    if (!object) {
        struct ast *name = new_name(m, access->name);
        return name;
    }
    struct ast *x = new_node(m, access->kind, 0);
    x->name = access->name;
    ast_push(m->arena, x, object);
    for (uint32_t k = 1; k < access->nkids; k++)
        ast_push(m->arena, x, ast_clone(m->arena, access->kids[k]));
    return x;
}

/* What reads X in the layer AT. */
static struct ast *read_in(const struct scopes *s, const struct operand *x,
                           const struct scope *at) {
    if (x->kind == OPERAND_WEIGHT && scope_owns(s, x, at) && x->access)
        return relative(s->m, x->access, at->access);
    return x->read ? ast_clone(s->m->arena, x->read) : new_text_name(s->m, "_");
}

static struct name claim_output(struct scopes *s, const struct scope *from, struct operand *x) {
    struct importer *m = s->m;
    if (!m->inside && !name_none(x->result))
        return x->result;
    const char *text = wire_text(m->arena, from->element);
    if (scope_is_number(from->element))
        text = arena_printf(m->arena, "%s_%s", wire_text(m->arena, from->outer->element), text);
    const char *wanted = arena_printf(m->arena, "%s_out", text);
    return idents_claim(&m->scope,
                        ident_text(m->arena, (struct wire_bytes){wanted, strlen(wanted)}, "x"));
}

/* The call of scope X in the layer AT, without its targets. */
static struct ast *call_of(struct scopes *s, const struct scope *x, const struct scope *at) {
    struct ast *call = new_node(s->m, AST_CALL, 0);
    if (!x->access) {
        onnx_problem(s->m->problems, "scope %s: it has no layer", x->key);
        ast_push(s->m->arena, call, new_text_name(s->m, "_"));
        return call;
    }
    ast_push(s->m->arena, call, relative(s->m, x->access, at->access));
    for (uint32_t i = 0; i < x->takes.n; i++)
        ast_push(s->m->arena, call, read_in(s, x->takes.at[i], at));
    return call;
}

static void finish_call(struct scopes *s, const struct scope *x, const struct scope *at,
                        struct ast *block) {
    struct ast *set = new_node(s->m, AST_ASSIGN, 0);
    ast_push(s->m->arena, set, call_of(s, x, at));
    for (uint32_t i = 0; i < x->gives.n; i++) {
        struct name name = claim_output(s, x, x->gives.at[i]);
        x->gives.at[i]->read = new_name(s->m, name);
        ast_push(s->m->arena, set, new_name(s->m, name));
    }
    ast_push(s->m->arena, block, set);
}

/* --- lists ------------------------------------------------------------------------------------ */

struct counting {
    const struct operand *x;
    uint32_t n;
};

static void count_read(void *data, struct operand *x) {
    struct counting *c = data;
    c->n += x == c->x;
}

/* How often X is read in layer AT, or given by it. */
static uint32_t count_reads(struct scopes *s, const struct scope *at, const struct operand *x) {
    struct counting c = {x, 0};
    struct visitor v = {s->m, count_read, &c};
    for (uint32_t i = 0; i < at->items.n; i++) {
        const struct item *it = &at->items.at[i];
        if (!it->inner)
            visit_line(&v, &s->m->body->lines.at[it->line]);
        for (uint32_t k = 0; it->inner && k < it->inner->takes.n; k++)
            c.n += it->inner->takes.at[k] == x;
    }
    for (uint32_t k = 0; k < at->gives.n; k++)
        c.n += at->gives.at[k] == x;
    for (uint32_t k = 0; at == s->root && k < s->m->model->outputs.n; k++)
        c.n += operand_of(s->m, s->m->model->outputs.at[k].id) == x;
    return c.n;
}

/* Whether layer Y takes what X gives where X takes *PLACE (UINT32_MAX: not known yet), and the
   rest as X does. */
static bool follows(struct scopes *s, const struct scope *x, const struct scope *y,
                    const struct scope *at, uint32_t *place) {
    bool good =
        x->outer == y->outer && x->gives.n == 1 && y->gives.n == 1 && x->takes.n == y->takes.n &&
        scope_is_number(x->element) && scope_is_number(y->element) &&
        atoi(wire_text(s->m->arena, y->element)) == atoi(wire_text(s->m->arena, x->element)) + 1;
    for (uint32_t k = 0; good && k < x->takes.n; k++) {
        const struct operand *a = x->takes.at[k], *b = y->takes.at[k];
        if (b == x->gives.at[0] && (*place == k || *place == UINT32_MAX))
            *place = k;
        else
            good = a == b || (a->kind == OPERAND_WEIGHT && b->kind == OPERAND_WEIGHT &&
                              ast_equal(read_in(s, a, at), read_in(s, b, at)));
    }
    return good && *place != UINT32_MAX && count_reads(s, at, x->gives.at[0]) == 1 &&
           (s->m->inside || name_none(x->gives.at[0]->result));
}

/* How many items of AT from I on are elements of a list, each of which takes what the last one
   gives. */
static uint32_t chain_from(struct scopes *s, const struct scope *at, uint32_t i, uint32_t *place) {
    uint32_t n = 1;
    const struct scope *x = at->items.at[i].inner;
    *place = UINT32_MAX;
    if (!x || !x->access || x->access->kind != AST_INDEX ||
        strcmp(wire_text(s->m->arena, x->element), "0") != 0)
        return 1;
    while (i + n < at->items.n && at->items.at[i + n].inner &&
           follows(s, at->items.at[i + n - 1].inner, at->items.at[i + n].inner, at, place))
        n++;
    return n > 1 && x->outer->length == n ? n : 1;
}

/* x = ..; for b in list { x = b(x) } */
static void finish_chain(struct scopes *s, const struct scope *at, uint32_t i, uint32_t n,
                         uint32_t place, struct ast *block) {
    struct importer *m = s->m;
    const struct scope *x = at->items.at[i].inner, *last = at->items.at[i + n - 1].inner;
    struct operand *in = x->takes.at[place], *out = last->gives.at[0];
    bool goes_on = !in->aliased && in->kind == OPERAND_TENSOR && in->read &&
                   in->read->kind == AST_NAME && count_reads(s, at, in) == 1;
    struct name h = goes_on ? in->read->name : idents_claim(&m->scope, "x");
    if (!goes_on)
        add_assignment(m, block, new_name(m, h), read_in(s, in, at));
    struct ast *call = call_of(s, x, at), *turn = new_node(m, AST_BLOCK, 0);
    uint32_t mark = idents_mark(&m->scope);
    struct name b = idents_claim(&m->scope, "block");
    idents_release(&m->scope, mark);
    struct ast *list = call->kids[0]->kids[0];
    call->kids[0] = new_name(m, b);
    call->kids[1 + place] = new_name(m, h);
    add_assignment(m, turn, new_name(m, h), call);
    struct ast *loop = new_node(m, AST_FOR, 2), *index = new_node(m, AST_ITER, 4);
    index->name = b;
    index->kids[1] = list;
    loop->kids[0] = turn;
    loop->kids[1] = index;
    ast_push(m->arena, block, loop);
    out->read = new_name(m, h);
}

static void finish_items(struct scopes *s, const struct scope *at, struct ast *block) {
    for (uint32_t i = 0; i < at->items.n;) {
        const struct item *it = &at->items.at[i];
        uint32_t place, n = it->inner ? chain_from(s, at, i, &place) : 1;
        if (!it->inner)
            finish_line(s->m, &s->m->body->lines.at[it->line], block);
        else if (n > 1)
            finish_chain(s, at, i, n, place, block);
        else
            finish_call(s, it->inner, at, block);
        i += n;
    }
}

/* The last value as that of BLOCK. */
static void give_results(struct scopes *s, const struct scope *x, struct ast *block) {
    struct importer *m = s->m;
    struct ast *all = new_node(m, AST_TUPLE, 0);
    for (uint32_t i = 0; i < x->gives.n; i++)
        ast_push(m->arena, all, ast_clone(m->arena, x->gives.at[i]->read));
    struct ast *last = block->nkids ? block->kids[block->nkids - 1] : NULL;
    bool made = last && x->gives.n == 1 && last->kind == AST_ASSIGN && last->nkids == 2 &&
                ast_equal(last->kids[1], all->kids[0]);
    if (made)
        block->kids[block->nkids - 1] = last->kids[0];
    else
        ast_push(m->arena, block, x->gives.n == 1 ? all->kids[0] : all);
}

static struct ast *type_of_operand(struct importer *m, const struct operand *x) {
    bool tensor = x->v.kind == VAL_TENSOR;
    return make_type(m, x->v.dtype, tensor ? x->v.tensor->rank : 0,
                     tensor ? x->v.tensor->dims : NULL);
}

/* They are called alike in all layers that do the same. */
static void add_params(struct scopes *s, const struct scope *x, struct ast *params) {
    static const char *const letters[SCOPE_TAKES_MOST] = {"x", "y", "z", "u", "v", "w", "p", "q"};
    struct importer *m = s->m;
    for (uint32_t i = 0; i < x->takes.n; i++) {
        struct operand *o = x->takes.at[i];
        struct ast *param = new_node(m, AST_PARAM, 2);
        param->name = idents_claim(&m->scope, letters[i]);
        param->kids[0] = type_of_operand(m, o);
        o->read = new_name(m, param->name);
        ast_push(m->arena, params, param);
    }
}

/* Weights that a method reads by names of its own. */
struct places {
    const struct scopes *s;
    const struct scope *here;
    VEC(struct operand *) read;
};

static void read_here(void *data, struct operand *x) {
    struct places *p = data;
    if (x->kind != OPERAND_WEIGHT || !x->access || !scope_owns(p->s, x, p->here))
        return;
    x->read = relative(p->s->m, x->access, p->here->access);
    VEC_PUSH(p->s->m->arena, p->read, x);
}

/* The weights of X that its lines read, before these are finished. */
static struct places read_weights(struct scopes *s, const struct scope *x) {
    struct places p = {.s = s, .here = x};
    struct visitor v = {s->m, read_here, &p};
    for (uint32_t i = 0; i < x->items.n; i++)
        if (!x->items.at[i].inner)
            visit_line(&v, &s->m->body->lines.at[x->items.at[i].line]);
    return p;
}

/* What the lines of X make has names in its method only. */
static void forget_values(struct scopes *s, struct scope *x) {
    for (uint32_t i = 0; i < x->items.n; i++) {
        const struct item *it = &x->items.at[i];
        const struct line *line = &s->m->body->lines.at[it->line];
        for (uint32_t k = 0; it->inner && k < it->inner->gives.n; k++)
            it->inner->gives.at[k]->read = NULL;
        for (uint32_t k = 0; !it->inner && k < line->ntargets; k++)
            if (line->targets[k])
                line->targets[k]->read = NULL;
    }
}

/* The method of scope X, whose names are claimed in SCOPE. */
static struct ast *make_method(struct scopes *s, struct scope *x, struct idents *scope) {
    struct importer *m = s->m;
    struct ast *fn = new_node(m, AST_FN, 4), *block = new_node(m, AST_BLOCK, 0);
    struct ast **reads = ARENA_ARRAY(m->arena, struct ast *, x->takes.n + 1);
    struct idents outer = m->scope;
    struct wire_bytes prefix = m->prefix;
    fn->name = name_of_text(m->names, "forward");
    fn->kids[0] = new_node(m, AST_PARAMS, 0);
    fn->kids[1] = new_node(m, AST_RESULTS, 0);
    fn->kids[2] = new_node(m, AST_WHERE, 0);
    fn->kids[3] = block;
    m->scope = *scope;
    m->prefix = x->prefix;
    m->inside = true;
    for (uint32_t i = 0; i < x->takes.n; i++)
        reads[i] = x->takes.at[i]->read;
    struct places weights = read_weights(s, x);
    add_params(s, x, fn->kids[0]);
    finish_items(s, x, block);
    give_results(s, x, block);
    for (uint32_t i = 0; i < x->gives.n; i++) {
        struct ast *result = new_node(m, AST_RESULT, 1);
        result->kids[0] = type_of_operand(m, x->gives.at[i]);
        ast_push(m->arena, fn->kids[1], result);
    }
    drop_symbols(m, fn);
    for (uint32_t i = 0; i < x->takes.n; i++)
        x->takes.at[i]->read = reads[i];
    forget_values(s, x);
    for (uint32_t i = 0; i < weights.read.n; i++)
        weights.read.at[i]->read = weights.read.at[i]->access;
    *scope = m->scope;
    m->scope = outer;
    m->prefix = prefix;
    m->inside = false;
    return fn;
}

static struct scope *scope_at(const struct scopes *s, const char *key) {
    uint64_t at = 0;
    map_get(&s->by_key, name_of_text(s->m->model->ids, key).i, &at);
    return (struct scope *)(uintptr_t)at;
}

static struct ast *method_of(void *data, const char *key, const struct ast *access,
                             struct idents *scope) {
    struct scopes *s = data;
    struct scope *x = scope_at(s, key);
    if (!x || !x->layer)
        return NULL;
    x->access = access;
    return make_method(s, x, scope);
}

static void list_at(void *data, const char *key, int64_t length) {
    struct scope *x = scope_at(data, key);
    if (x)
        x->length = length;
}

static void weight_at(void *data, uint32_t index, struct ast *access) {
    const struct scopes *s = data;
    s->m->weights.at[index]->access = s->m->weights.at[index]->read = access;
}

/* Functions that lines of the layer at KEY call. */
static const struct map *taken_in(void *data, const char *key) {
    struct scopes *s = data;
    struct importer *m = s->m;
    const struct scope *x = scope_at(s, key);
    if (!x || !x->layer)
        return NULL;
    struct map *taken = ARENA_NEW(m->arena, struct map);
    *taken = map_new(m->arena);
    for (uint32_t i = 0; i < x->items.n; i++)
        if (!x->items.at[i].inner)
            take_called(taken, m->body->lines.at[x->items.at[i].line].value);
    return taken;
}

struct onnx_methods scopes_methods(struct scopes *s) {
    return (struct onnx_methods){s,        method_of,   list_at,          weight_at,
                                 taken_in, &s->m->dims, s->m->library.at, s->m->library.n};
}

void scopes_finish(struct scopes *s, struct ast *block) {
    finish_items(s, s->root, block);
}
