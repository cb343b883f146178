/* Graphs in nodes. What is chosen by a condition that is known stands among the lines around it;
   else a node becomes an `if`, whose value is what its sides give, or a loop, in which values go
   from one turn to the next. Names of the graphs around mean the same in them. Loops are in
   loops.c. */
#include "lang/onnx/bodies.h"

#include <string.h>

/* --- types ----------------------------------------------------------------------------------- */

bool type_of(struct importer *m, const struct operand *x, struct type *t) {
    struct value v;
    bool ok = x && x->kind != OPERAND_UNKNOWN &&
              eval_expr(outline_eval(m->outline), m->env, operand_tensor(m, x, false), &v);
    diags_clear(&m->errors);
    if (!ok)
        return false;
    *t = (struct type){.element = x->type};
    if (v.kind == VAL_TENSOR)
        *t = (struct type){v.dtype, v.tensor->rank, v.tensor->dims};
    return true;
}

static const char *type_words(struct importer *m, const struct type *t) {
    struct value v = outline_tensor(m->outline, (struct name){0}, t->element, t->rank, t->dims);
    return type_text(outline_eval(m->outline), v.tensor);
}

bool same_type(struct importer *m, const struct onnx_node *x, struct wire_bytes name,
               const struct type *a, const struct type *b, const char *where) {
    bool same = a->element == b->element && a->rank == b->rank;
    for (uint32_t d = 0; same && d < a->rank; d++) {
        int equal = int_equal(outline_eval(m->outline), &a->dims[d], &b->dims[d]);
        bool found = is_found(m, &a->dims[d]) || is_found(m, &b->dims[d]);
        same = equal == 1 || (equal < 0 && !found);
    }
    if (!same)
        onnx_problem(m->problems, "%s: %s is %s, and %s %s", x->text, wire_text(m->arena, name),
                     type_words(m, a), type_words(m, b), where);
    return same;
}

struct operand *typed_operand(struct importer *m, const struct type *t) {
    struct name none = {0};
    struct value v = outline_tensor(m->outline, none, t->element, t->rank, t->dims);
    return operand_make(m, OPERAND_TENSOR, t->element, v);
}

/* --- operands -------------------------------------------------------------------------------- */

bool one_value(struct importer *m, const struct operand *x, struct value *v) {
    if (!operand_fixed(m, x, true, v))
        return false;
    while ((v->kind == VAL_LIST || v->kind == VAL_PACK) && v->list->n == 1)
        *v = v->list->at[0];
    return v->kind != VAL_LIST && v->kind != VAL_PACK;
}

struct ast *exact_tensor(struct importer *m, const struct operand *x) {
    struct value v;
    struct ast *e = operand_tensor(m, x, false);
    bool is_it = e->kind == AST_NAME && e->name.i == x->stand_in.i;
    bool weak = !is_it && e->kind != AST_CALL && operand_fixed(m, x, false, &v) &&
                (v.kind == VAL_FLOAT || v.kind == VAL_SYM);
    if (!weak)
        return e;
    struct ast *cast = new_call(m, dtypes[x->type].name);
    ast_push(m->arena, cast, e);
    return cast;
}

struct ast *only_element(struct importer *m, const struct operand *x) {
    struct value v;
    struct type t;
    if (one_value(m, x, &v))
        return ast_of_value(m, &v);
    struct ast *e = operand_tensor(m, x, false);
    if (!type_of(m, x, &t) || t.rank == 0)
        return e;
    struct ast *part = new_node(m, AST_INDEX, t.rank + 1);
    part->kids[0] = e;
    for (uint32_t d = 0; d < t.rank; d++)
        part->kids[1 + d] = new_int(m, 0);
    return part;
}

void set_result(struct importer *m, const struct onnx_node *x, uint32_t k, struct operand *to) {
    if (is_wanted(x, k) && to && !operand_here(m, x->outputs[k]))
        operand_same(m, x->outputs[k], to);
}

bool is_wanted(const struct onnx_node *x, uint32_t k) {
    return k < x->noutputs && !name_none(x->outputs[k]);
}

/* --- graphs ---------------------------------------------------------------------------------- */

bool inner_enter(struct importer *m, const struct onnx_node *x, const char *name,
                 struct inner *in) {
    *in = (struct inner){.m = m};
    for (uint32_t i = 0; i < x->wire->attribute.n; i++) {
        const struct wire_attribute *w = x->wire->attribute.at[i];
        if (wire_is(w->name, name) && w->g)
            in->wire = w->g;
    }
    if (!in->wire) {
        onnx_problem(m->problems, "%s: it has no graph %s", x->text, name);
        return false;
    }
    operands_enter(m, &in->names, false);
    onnx_subgraph_read(m->model, in->wire, m->call, m->problems, &in->g);
    for (uint32_t i = 0; i < in->g.weights.n; i++)
        import_weight(m, in->g.weights.at[i]);
    return true;
}

void inner_nodes(struct inner *in, struct body *to) {
    struct body *outer = in->m->body;
    if (to)
        in->m->body = to;
    for (uint32_t i = 0; i < in->g.nodes.n; i++)
        import_node(in->m, &in->g.nodes.at[i]);
    in->m->body = outer;
}

struct operand *inner_gives(struct inner *in, const struct onnx_node *x, uint32_t k,
                            struct wire_bytes name) {
    struct operand *given = k < in->g.outputs.n ? operand_of(in->m, in->g.outputs.at[k]) : NULL;
    if (!given)
        onnx_problem(in->m->problems, "%s: its graph makes no output %s", x->text,
                     wire_text(in->m->arena, name));
    return given;
}

/* --- branches -------------------------------------------------------------------------------- */

/* The nodes of the graph that is chosen, as if they stood here. */
static void import_known(struct importer *m, const struct onnx_node *x, const char *graph) {
    struct inner in;
    if (!inner_enter(m, x, graph, &in))
        return;
    inner_nodes(&in, NULL);
    struct operand **given = ARENA_ARRAY(m->arena, struct operand *, x->noutputs + 1);
    for (uint32_t k = 0; k < x->noutputs; k++)
        given[k] = is_wanted(x, k) ? inner_gives(&in, x, k, x->wire->output.at[k]) : NULL;
    operands_leave(m);
    for (uint32_t k = 0; k < x->noutputs; k++)
        set_result(m, x, k, given[k]);
}

static bool same_numbers(struct importer *m, const struct value *a, const struct value *b) {
    bool lists = a->kind == VAL_LIST && b->kind == VAL_LIST;
    if (!lists && a->kind == VAL_BOOL)
        return b->kind == VAL_BOOL && a->b == b->b;
    if (!lists)
        return (a->kind == VAL_INT || a->kind == VAL_SYM) &&
               (b->kind == VAL_INT || b->kind == VAL_SYM) &&
               int_equal(outline_eval(m->outline), a, b) == 1;
    bool same = a->list->n == b->list->n;
    for (uint32_t i = 0; same && i < a->list->n; i++)
        same = same_numbers(m, &a->list->at[i], &b->list->at[i]);
    return same;
}

/* Whether the sides give the same, so that nothing has to be chosen. */
static bool same_operand(struct importer *m, const struct operand *a, const struct operand *b) {
    struct value v, w;
    return a == b || (a->type == b->type && operand_fixed(m, a, true, &v) &&
                      operand_fixed(m, b, true, &w) && same_numbers(m, &v, &w));
}

static void import_choice(struct importer *m, const struct onnx_node *x,
                          const struct onnx_operator *o, struct ast *condition) {
    struct choice *c = ARENA_NEW(m->arena, struct choice);
    struct line line = {.value = condition, .choice = c};
    struct operand **given[2];
    *c = (struct choice){0};
    for (uint32_t s = 0; s < 2; s++) {
        struct inner in;
        if (!inner_enter(m, x, o->graphs[s], &in))
            return;
        inner_nodes(&in, &c->sides[s]);
        given[s] = ARENA_ARRAY(m->arena, struct operand *, x->noutputs + 1);
        for (uint32_t k = 0; k < x->noutputs; k++)
            given[s][k] = is_wanted(x, k) ? inner_gives(&in, x, k, x->wire->output.at[k]) : NULL;
        operands_leave(m);
        c->results[s] = ARENA_ARRAY(m->arena, struct ast *, x->noutputs + 1);
    }
    line.targets = ARENA_ARRAY(m->arena, struct operand *, x->noutputs + 1);
    struct wire_bytes *names = ARENA_ARRAY(m->arena, struct wire_bytes, x->noutputs + 1);
    for (uint32_t k = 0; k < x->noutputs; k++) {
        struct operand *a = given[0][k], *b = given[1][k];
        struct wire_bytes name = x->wire->output.at[k];
        struct type t, other;
        if (!is_wanted(x, k) || operand_here(m, x->outputs[k]))
            continue;
        if (a && b && same_operand(m, a, b)) {
            set_result(m, x, k, a);
            continue;
        }
        if (!type_of(m, a, &t) || !type_of(m, b, &other) ||
            !same_type(m, x, name, &t, &other, "on the other side"))
            continue;
        c->results[0][line.ntargets] = exact_tensor(m, a);
        c->results[1][line.ntargets] = exact_tensor(m, b);
        names[line.ntargets] = name;
        line.targets[line.ntargets] = typed_operand(m, &t);
        set_result(m, x, k, line.targets[line.ntargets++]);
    }
    line.names = names;
    if (line.ntargets)
        VEC_PUSH(m->arena, m->body->lines, line);
}

static void import_branch(struct importer *m, const struct onnx_node *x,
                          const struct onnx_operator *o, struct operand *condition) {
    struct value c;
    if (condition->type != DT_bool)
        onnx_problem(m->problems, "%s: its condition is no truth value", x->text);
    else if (one_value(m, condition, &c) && c.kind == VAL_BOOL)
        import_known(m, x, o->graphs[c.b ? 0 : 1]);
    else
        import_choice(m, x, o, only_element(m, condition));
}

void import_control(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                    struct operand *const *at, uint32_t n) {
    switch (o->form) {
    case WRITTEN_BRANCH: import_branch(m, x, o, at[0]); break;
    case WRITTEN_LOOP: import_loop(m, x, o, at, n); break;
    default: import_scan(m, x, o, at, n);
    }
}
