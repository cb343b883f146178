/* Nodes as lines of the program: see Note [two turns] in importer.h. */
#include "lang/onnx/bodies.h"
#include "lang/onnx/tensor.h"

#include <string.h>

/* The row for a node; NULL after a problem. */
static const struct onnx_operator *find_operator(struct importer *m, const struct onnx_node *x) {
    int64_t first = 0;
    const struct onnx_operator *o =
        onnx_operator_find(x->wire->domain, x->wire->op_type, x->version, &first);
    if (!o && first && x->version)
        onnx_problem(m->problems, "%s: the operator is known from version %lld on", x->text,
                     (long long)first);
    else if (!o && first)
        onnx_problem(m->problems, "%s: the file does not say which version is meant", x->text);
    else if (!o)
        onnx_problem(m->problems, "%s: the operator is not known", x->text);
    return o;
}

/* --- inputs ---------------------------------------------------------------------------------- */

/* A node while its line is made. */
struct work {
    struct importer *m;
    const struct onnx_node *x;
    const struct onnx_operator *o;
    uint32_t nin, n; /* of the row; of the node, without those left out at the end */
    struct onnx_input in[ONNX_INPUTS_MAX];
    bool fixed; /* all that it reads is known now */
    bool meets; /* an operator, and some operand is a tensor: numbers take its type */
    bool typed; /* some operand of floats says which type it has, so numbers need not */
};

static bool check_counts(struct work *w) {
    const struct onnx_node *x = w->x;
    const struct onnx_operator *o = w->o;
    uint32_t least = 0, outputs = 0, most = o->outputs ? o->outputs : 1;
    w->nin = onnx_operator_inputs(o, w->in);
    w->n = x->ninputs;
    while (w->n && name_none(x->inputs[w->n - 1]))
        w->n--;
    bool rest = w->nin && w->in[w->nin - 1].takes == TAKES_REST;
    for (uint32_t k = 0; k < w->nin; k++)
        least += !w->in[k].optional;
    bool all = w->n >= least && (rest || w->n <= w->nin);
    for (uint32_t k = 0; k < w->n; k++)
        all = all && !(name_none(x->inputs[k]) && (k >= w->nin || !w->in[k].optional));
    if (!all)
        onnx_problem(w->m->problems,
                     "%s: %u inputs, some perhaps left out, where it has %u to %s%u", x->text, w->n,
                     least, rest ? "any number, not " : "", w->nin);
    for (uint32_t k = 0; k < x->noutputs; k++)
        if (!name_none(x->outputs[k]))
            outputs = k + 1;
    if (outputs == 0 || outputs > most)
        onnx_problem(w->m->problems, "%s: %u outputs, where it has %s%u", x->text, outputs,
                     most > 1 ? "at most " : "", most);
    return all && outputs && outputs <= most;
}

static bool is_list(const struct value *v) {
    return v->kind == VAL_LIST || v->kind == VAL_PACK;
}

/* Takes the numbers that V holds off *LEFT, until there are none left. */
static void count_numbers(const struct value *v, int64_t *left) {
    --*left;
    for (uint32_t i = 0; is_list(v) && i<v->list->n && * left> 0; i++)
        count_numbers(&v->list->at[i], left);
}

/* The operands, all known; false if there was a problem with one. */
static bool find_operands(struct work *w, struct operand **at) {
    enum { NUMBERS_MOST = 1 << 16 }; /* of all operands: more are tensors */
    struct value v;
    int64_t left = NUMBERS_MOST;
    w->fixed = w->n > 0;
    for (uint32_t k = 0; k < w->n; k++) {
        if (name_none(w->x->inputs[k]))
            continue;
        if (!operand_input(w->m, w->x, k, &at[k]))
            return false;
        enum onnx_takes takes = w->in[k < w->nin ? k : w->nin - 1].takes;
        bool numbers = takes == TAKES_LIST || takes == TAKES_NUMBER;
        w->fixed = w->fixed && operand_fixed(w->m, at[k], !numbers, &v);
        if (w->fixed)
            count_numbers(&v, &left);
        w->fixed = w->fixed && left > 0;
    }
    return true;
}

/* Operand X as input K: a tensor, or what is known of it. NULL after a problem. */
static struct ast *make_argument(struct work *w, uint32_t k, const struct operand *x,
                                 bool as_fixed) {
    struct importer *m = w->m;
    enum onnx_takes takes = w->in[k < w->nin ? k : w->nin - 1].takes;
    struct value v;
    if (takes != TAKES_LIST && takes != TAKES_NUMBER && !as_fixed) {
        struct ast *e = operand_tensor(m, x, w->meets);
        return e->kind == AST_FLOAT && !w->typed ? operand_cast(m, x->type, e) : e;
    }
    if (!operand_fixed(m, x, false, &v)) {
        onnx_problem(m->problems, "%s: its input %s must be known when the model is imported",
                     w->x->text, wire_text(m->arena, w->x->wire->input.at[k]));
        return NULL;
    }
    if (!as_fixed)
        v = operand_shown(m, x->type, v);
    if (takes == TAKES_NUMBER && is_list(&v) && v.list->n == 1)
        v = v.list->at[0];
    if (takes == TAKES_LIST && !is_list(&v)) {
        struct value list = value_list_new(m->arena, VAL_LIST, 1);
        list.list->at[0] = v;
        v = list;
    }
    return ast_of_value(m, &v);
}

/* --- expressions ----------------------------------------------------------------------------- */

static struct ast *join(struct work *w, struct ast *a, struct ast *b) {
    struct importer *m = w->m;
    struct ast *e;
    if (w->o->form != WRITTEN_FOLD) {
        e = new_node(m, AST_BINARY, 2);
        e->op = w->o->form == WRITTEN_INFIX ? w->o->infix : w->o->floats;
        e->kids[0] = a;
        e->kids[1] = b;
        return e;
    }
    e = new_call(m, w->o->call);
    ast_push(m->arena, e, a);
    ast_push(m->arena, e, b);
    return e;
}

/* ARGS, N of them, from the left; very many by halves, since expressions may not be deep. */
static struct ast *join_all(struct work *w, struct ast **args, uint32_t n) {
    enum { IN_A_ROW = 64 };
    if (n > IN_A_ROW)
        return join(w, join_all(w, args, n / 2), join_all(w, args + n / 2, n - n / 2));
    struct ast *e = args[0];
    for (uint32_t k = 1; k < n; k++)
        e = join(w, e, args[k]);
    return e;
}

static uint32_t wanted_outputs(const struct work *w) {
    uint32_t n = w->x->noutputs;
    while (n && name_none(w->x->outputs[n - 1]))
        n--;
    return n;
}

static void add_number(struct importer *m, struct ast *call, const char *name, int64_t value) {
    struct ast *keyword = new_node(m, AST_KEYWORD, 1);
    keyword->name = name_of_text(m->names, name);
    keyword->kids[0] = new_int(m, value);
    ast_push(m->arena, call, keyword);
}

static struct ast *make_call(struct work *w, const char *function, struct ast **args) {
    struct importer *m = w->m;
    struct ast *call = new_call(m, function), *rest = NULL;
    for (uint32_t k = 0; k < w->n; k++) {
        if (k + 1 >= w->nin && w->in[w->nin - 1].takes == TAKES_REST) {
            if (!rest)
                ast_push(m->arena, call, rest = new_node(m, AST_LIST, 0));
            ast_push(m->arena, rest, args[k]);
            continue;
        }
        ast_push(m->arena, call, args[k] ? args[k] : new_text_name(m, "none"));
    }
    uint32_t before = call->nkids;
    if (!add_attributes(m, w->x, w->o, call))
        return NULL;
    if (w->o->counted)
        add_number(m, call, "outputs", wanted_outputs(w));
    if (w->o->drawn)
        add_number(m, call, "key", ++m->drawn);
    if (w->o->plain && function == w->o->call && call->nkids == before && wanted_outputs(w) == 1)
        call->kids[0] = new_text_name(m, w->o->plain);
    return call;
}

static bool has_low_rank(const struct work *w, struct operand *const *at) {
    bool low = false;
    for (uint32_t k = 0; k < w->n; k++) {
        bool tensor = at[k] && at[k]->v.kind == VAL_TENSOR;
        low = low || (tensor ? at[k]->v.tensor->rank : 0) < w->o->least_rank;
    }
    return low;
}

/* The expression for the node, AS_FIXED: by the function for numbers. NULL after a problem. */
static struct ast *make_expression(struct work *w, struct operand **at, bool as_fixed) {
    struct importer *m = w->m;
    struct ast **args = ARENA_ARRAY(m->arena, struct ast *, w->n + 1);
    const struct onnx_operator *o = w->o;
    w->meets = w->typed = false;
    for (uint32_t k = 0; k < w->n; k++) {
        w->meets = w->meets || (at[k] && at[k]->kind == OPERAND_TENSOR && o->form != WRITTEN_CALL);
        w->typed =
            w->typed || (at[k] && at[k]->kind != OPERAND_FIXED && at[k]->v.kind == VAL_TENSOR &&
                         dtype_is_float(at[k]->type) && at[k]->v.tensor->rank);
    }
    for (uint32_t k = 0; k < w->n; k++)
        if (at[k] && !(args[k] = make_argument(w, k, at[k], as_fixed)))
            return NULL;
    if (as_fixed)
        return make_call(w, o->fixed, args);
    if (o->least_rank && has_low_rank(w, at))
        return make_call(w, o->call, args);
    if (o->form == WRITTEN_CALL && !(o->floats && dtype_is_float(at[0]->type)))
        return make_call(w, o->more && wanted_outputs(w) > 1 ? o->more : o->call, args);
    return add_attributes(m, w->x, o, NULL) ? join_all(w, args, w->n) : NULL;
}

/* --- what it gives --------------------------------------------------------------------------- */

static bool is_static(const struct value *v) {
    bool all = true;
    if (!is_list(v))
        return value_is_number(v) || v->kind == VAL_BOOL;
    for (uint32_t i = 0; all && i < v->list->n; i++)
        all = is_static(&v->list->at[i]);
    return all;
}

/* The element type that the node names, DT_NONE if it names none. */
static enum dtype named_type(const struct work *w) {
    for (uint32_t k = 0; k < ONNX_ATTRIBUTES_MAX && w->o->attributes[k].name; k++)
        for (uint32_t i = 0; i < w->x->wire->attribute.n; i++) {
            const struct wire_attribute *a = w->x->wire->attribute.at[i];
            if (!wire_is(a->name, w->o->attributes[k].name))
                continue;
            if (w->o->attributes[k].kind == ATTRIBUTE_ELEMENT)
                return onnx_element(a->i);
            if (w->o->attributes[k].kind == ATTRIBUTE_FILL && a->t)
                return onnx_element(a->t->data_type);
        }
    return DT_NONE;
}

static struct ast *make_expression(struct work *w, struct operand **at, bool as_fixed);

/* The element type of an empty list, which has nothing to show it: that of the tensor that the
   operator would give. */
static enum dtype empty_type(struct work *w, struct operand **at) {
    struct importer *m = w->m;
    struct value v = value_none();
    if (w->nin && w->in[0].takes == TAKES_NUMBER) /* there is none */
        return at[0]->type;
    struct ast *e = w->fixed && w->o->fixed ? make_expression(w, at, false) : NULL;
    if (e && eval_expr(outline_eval(m->outline), m->env, e, &v) && is_list(&v) && v.list->n)
        v = v.list->at[0];
    diags_clear(&m->errors);
    return v.kind == VAL_TENSOR ? v.dtype : DT_i64;
}

static enum dtype static_type(struct work *w, struct operand **at, const struct value *v) {
    enum dtype named = named_type(w);
    if (named != DT_NONE)
        return named;
    enum dtype t = v->kind == VAL_BOOL ? DT_bool : v->kind == VAL_FLOAT ? DT_f32 : DT_i64;
    if (is_list(v))
        return v->list->n ? static_type(w, at, &v->list->at[0]) : empty_type(w, at);
    for (uint32_t k = 0; k < w->n; k++) /* of the first input of this class */
        if (at[k] && at[k]->type != DT_NONE && dtypes[at[k]->type].class == dtypes[t].class)
            return at[k]->type;
    return t;
}

/* The evaluator's first error, as a problem of the node. */
static void tell(struct work *w) {
    const struct diag *d = w->m->errors.first;
    while (d && d->severity != SEV_ERROR)
        d = d->next;
    onnx_problem(w->m->problems, "%s: %s%s%s", w->x->text, d ? d->text : "it cannot be had",
                 d && d->help ? "; " : "", d && d->help ? d->help : "");
    diags_clear(&w->m->errors);
}

/* V as elements of T: what was computed exactly is rounded, or wraps, as a tensor's is. */
static struct value rounded(struct importer *m, enum dtype t, struct value v) {
    if (!is_list(&v)) {
        operand_round(t, &v);
        return v;
    }
    struct value list = value_list_new(m->arena, VAL_LIST, v.list->n);
    for (uint32_t i = 0; i < v.list->n; i++)
        list.list->at[i] = rounded(m, t, v.list->at[i]);
    return list;
}

/* Output K is V. */
static void set_output(struct work *w, struct operand **at, uint32_t k, struct value v) {
    struct importer *m = w->m;
    struct name id = w->x->outputs[k];
    if (name_none(id) || operand_here(m, id)) /* two things of one name have been told */
        return;
    if (is_static(&v)) {
        enum dtype t = static_type(w, at, &v);
        operand_new(m, id, OPERAND_FIXED, t, rounded(m, t, v));
    } else if (v.kind == VAL_TENSOR || v.kind == VAL_SCALAR)
        operand_new(m, id, OPERAND_TENSOR, v.dtype, v);
    else {
        onnx_problem(m->problems, "%s: output %s is %s", w->x->text,
                     wire_text(m->arena, w->x->wire->output.at[k]), value_kind_name(&v));
        operand_new(m, id, OPERAND_UNKNOWN, DT_NONE, v);
    }
}

static void set_unknown(struct importer *m, const struct onnx_node *x) {
    for (uint32_t k = 0; k < x->noutputs; k++)
        if (!name_none(x->outputs[k]) && !operand_here(m, x->outputs[k]))
            operand_new(m, x->outputs[k], OPERAND_UNKNOWN, DT_NONE, value_none());
}

/* The scopes that a node is in and its name, with slashes: as it is called, or from what stands
   beside it, "['', 'encoder', 'encoder.fc1', 'linear']". */
static struct wire_bytes name_of_node(struct importer *m, const struct wire_node *x) {
    static const char key[] =
#define SCOPES(key, doc) key
#include "lang/onnx/onnx.def"
        ;
    if (memchr(x->name.at ? x->name.at : "", '/', x->name.n))
        return x->name;
    for (uint32_t i = 0; i < x->metadata.n; i++) {
        const struct wire_entry *e = x->metadata.at[i];
        if (!wire_is(e->key, key))
            continue;
        const char *text = wire_text(m->arena, e->text), *scope = NULL;
        size_t n = 0;
        uint32_t quotes = 0;
        const char *last = text;
        for (const char *at = text; (at = strchr(at, '\'')); at++, quotes++) {
            if (quotes % 2 == 0)
                last = at + 1;
            else if (strchr(at + 1, '\'')) { /* the last one is the node's */
                scope = last;
                n = (size_t)(at - last);
            }
        }
        if (n) {
            const char *name =
                arena_printf(m->arena, "/%.*s/%s", (int)n, scope, wire_text(m->arena, x->name));
            return (struct wire_bytes){name, strlen(name)};
        }
    }
    return x->name;
}

/* Sets the outputs to V, which is what E gives, and adds the line unless all are known now. */
static bool add_line(struct work *w, struct operand **at, struct ast *e, struct value v) {
    struct importer *m = w->m;
    uint32_t n = wanted_outputs(w);
    bool several = w->o->several || n > 1;
    if (several && (!is_list(&v) || v.list->n < n)) {
        onnx_problem(m->problems, "%s: %u outputs, it gives fewer", w->x->text, n);
        return false;
    }
    bool known = true;
    uint32_t room = several ? v.list->n + n : 1;
    struct line line = {.value = e,
                        .names = w->x->wire->output.at,
                        .node = name_of_node(m, w->x->wire),
                        .targets = ARENA_ARRAY(m->arena, struct operand *, room)};
    for (uint32_t k = 0; k < n; k++) {
        set_output(w, at, k, several ? v.list->at[k] : v);
        struct operand *x = name_none(w->x->outputs[k]) ? NULL : operand_of(m, w->x->outputs[k]);
        bool line_makes = x && x->kind == OPERAND_TENSOR;
        known = known && (!x || x->kind == OPERAND_FIXED);
        line.targets[line.ntargets++] = line_makes ? x : NULL;
    }
    if (several && !v.tuple) /* a list is taken apart as a whole, of several results the first */
        n = v.list->n;
    else if (several && n == 1 && v.list->n > 1)
        n = 2;
    while (line.ntargets < n)
        line.targets[line.ntargets++] = NULL;
    if (!known)
        VEC_PUSH(m->arena, m->body->lines, line);
    return true;
}

/* --- calls in stages --- */

/* E as a line of its own, called WORD; NULL after a problem. */
static struct operand *add_stage(struct work *w, struct ast *e, const char *word) {
    struct importer *m = w->m;
    struct value v;
    struct wire_bytes *name = ARENA_NEW(m->arena, struct wire_bytes);
    *name = (struct wire_bytes){word, strlen(word)};
    bool ok = e && eval_expr(outline_eval(m->outline), m->env, e, &v) && v.kind == VAL_TENSOR;
    if (e && !ok)
        tell(w);
    if (!ok)
        return NULL;
    struct line line = {.value = e, .names = name, .ntargets = 1};
    line.targets = ARENA_ARRAY(m->arena, struct operand *, 1);
    line.targets[0] = operand_make(m, OPERAND_TENSOR, v.dtype, v);
    VEC_PUSH(m->arena, m->body->lines, line);
    return line.targets[0];
}

/* What the graph in the attribute NAME makes of OF; OF if there is none, NULL after a problem. */
static struct operand *through_graph(struct work *w, const char *name, struct operand *of) {
    struct inner in;
    bool there = false;
    for (uint32_t i = 0; i < w->x->wire->attribute.n; i++)
        there =
            there || wire_is(((struct wire_attribute *)w->x->wire->attribute.at[i])->name, name);
    if (!of || !there)
        return of;
    if (!inner_enter(w->m, w->x, name, &in))
        return NULL;
    struct operand *given = NULL;
    if (in.g.inputs.n == 1) {
        operand_same(w->m, in.g.inputs.at[0], of);
        inner_nodes(&in, NULL);
        given = inner_gives(&in, w->x, 0, (struct wire_bytes){name, strlen(name)});
    } else
        onnx_problem(w->m->problems, "%s: the graph %s has %u inputs, where it needs 1", w->x->text,
                     name, in.g.inputs.n);
    operands_leave(w->m);
    return given && given->kind != OPERAND_UNKNOWN ? given : NULL;
}

/* The last stage, or NULL after a problem. */
static struct ast *make_stages(struct work *w, struct operand **at) {
    struct importer *m = w->m;
    const struct onnx_operator *o = w->o;
    struct operand *x = add_stage(w, make_expression(w, at, false), o->graphs[0]);
    struct ast *call = NULL;
    for (uint32_t s = 0; s < 2; s++) {
        if (!(x = through_graph(w, o->graphs[s], x)))
            return NULL;
        call = new_call(m, o->stages[s]);
        ast_push(m->arena, call, operand_tensor(m, x, false));
        if (s == 0 && !(x = add_stage(w, call, o->graphs[1])))
            return NULL;
    }
    for (uint32_t k = 0; k < w->n; k++)
        ast_push(m->arena, call, operand_tensor(m, at[k], false));
    return call;
}

void import_node(struct importer *m, const struct onnx_node *x) {
    const struct wire_function *f = onnx_function_of(m->model, x->wire);
    if (f) {
        import_call(m, x, f);
        set_unknown(m, x);
        return;
    }
    struct work w = {.m = m, .x = x, .o = find_operator(m, x)};
    struct operand **at = ARENA_ARRAY(m->arena, struct operand *, x->ninputs + 1);
    if (!w.o || (w.o->form == WRITTEN_CONSTANT ? x->noutputs != 1 : !check_counts(&w))) {
        set_unknown(m, x);
        return;
    }
    if (w.o->form == WRITTEN_CONSTANT) {
        struct onnx_weight c = {
            .id = x->outputs[0], .name = x->wire->output.at[0], .constant = true};
        const void *from = x->wire->attribute.n ? x->wire->attribute.at[0] : NULL;
        uint32_t index;
        if (operand_here(m, c.id)) /* two things of one name have been told */
            return;
        if (onnx_weight_of(m->model, from, &index))
            import_weight(m, index);
        else if (constant_weight(m, x, &c))
            import_weight(m, onnx_weight_add(m->model, &c, from));
        else
            set_unknown(m, x);
        return;
    }
    if (w.o->form == WRITTEN_BRANCH || w.o->form == WRITTEN_LOOP || w.o->form == WRITTEN_SCAN) {
        if (find_operands(&w, at))
            import_control(m, x, w.o, at, w.n);
        set_unknown(m, x);
        return;
    }
    bool takes = w.o->form == WRITTEN_CALL;
    bool fit = add_attributes(m, x, w.o, takes ? new_call(m, w.o->call) : NULL);
    if (!find_operands(&w, at) || !fit) {
        set_unknown(m, x);
        return;
    }
    if (w.o->form == WRITTEN_SAME) { /* another name for it */
        if (!operand_here(m, x->outputs[0]))
            operand_same(m, x->outputs[0], at[0]);
        set_unknown(m, x);
        return;
    }
    struct ast *e = NULL;
    struct value v;
    bool ok = false;
    if (w.fixed && w.o->fixed) {
        e = make_expression(&w, at, true);
        ok = e && eval_expr(outline_eval(m->outline), m->env, e, &v) && is_static(&v);
        diags_clear(&m->errors);
    }
    if (!ok) { /* a tensor, if all of it was not known, or could not be had as numbers */
        e = w.o->stages[0] ? make_stages(&w, at) : make_expression(&w, at, false);
        ok = e && eval_expr(outline_eval(m->outline), m->env, e, &v);
        if (e && !ok)
            tell(&w);
    }
    if (!ok || !add_line(&w, at, e, v))
        set_unknown(m, x);
}
