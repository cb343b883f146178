/* From a model to a program: a layer Model whose method `forward` has a line for each node.

   Names: inputs and outputs keep theirs as far as DCL allows; a value in between is called as the
   file calls it, in lower case and without what exporters add. One name stands for one thing in a
   method, so all are claimed in one scope (idents.h): members, inputs, outputs, dimensions, values.
   All that cannot be imported is collected (onnx_problem) and told at once. */
#include "lang/onnx/import.h"

#include "lang/onnx/members.h"
#include "lang/onnx/operators.h"
#include "lang/print/print.h"

#include <math.h>
#include <string.h>

struct importer {
    struct arena *arena;
    struct names *names; /* of the program */
    const struct onnx_model *model;
    struct onnx_problems *problems;
    struct idents scope;
    struct map values;  /* id of a value -> the expression (struct ast *) that reads it */
    struct map results; /* id of an output -> name */
    struct map symbols; /* name of a dimension, as an id of the model -> name */
    struct ast *body;   /* of forward */
};

static const struct span nowhere;

static struct ast *new_node(struct importer *m, enum ast_kind kind, uint32_t nkids) {
    return ast_new(m->arena, kind, nowhere, nkids);
}

static struct ast *new_name(struct importer *m, struct name n) {
    struct ast *x = new_node(m, AST_NAME, 0);
    x->name = n;
    return x;
}

static struct ast *new_text_name(struct importer *m, const char *text) {
    return new_name(m, name_of_text(m->names, text));
}

static struct ast *new_int(struct importer *m, int64_t v) {
    struct ast *x = new_node(m, AST_INT, 0);
    x->integer = v;
    return x;
}

static void set_value(struct importer *m, struct name id, struct ast *read) {
    map_put(&m->values, id.i, (uintptr_t)read);
}

/* The expression that reads a value, a tree of its own. For one that is not known, which has been
   told then, it is of no use. */
static struct ast *value_of(struct importer *m, struct name id) {
    uint64_t read = 0;
    if (!map_get(&m->values, id.i, &read))
        return new_text_name(m, "_");
    return ast_clone(m->arena, (const struct ast *)(uintptr_t)read);
}

static void assign(struct importer *m, struct name name, struct ast *value) {
    struct ast *x = new_node(m, AST_ASSIGN, 2);
    x->kids[0] = value;
    x->kids[1] = new_name(m, name);
    ast_push(m->arena, m->body, x);
}

/* --- the signature -------------------------------------------------------------------------- */

static struct name symbol_id(struct importer *m, struct wire_bytes name) {
    return name_of(m->model->ids, name.at, name.n);
}

/* How often inputs and outputs name a dimension: one that is named once says nothing. */
static void count_symbols(struct importer *m, const struct onnx_value *v, uint32_t n,
                          struct map *counts) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t d = 0; d < v[i].rank; d++) {
            uint64_t count = 0;
            if (v[i].dims[d].size >= 0 || v[i].dims[d].name.n == 0)
                continue;
            struct name id = symbol_id(m, v[i].dims[d].name);
            map_get(counts, id.i, &count);
            map_put(counts, id.i, count + 1);
        }
}

/* Names for the dimensions of inputs, after the names of inputs and outputs. */
static void claim_symbols(struct importer *m) {
    struct map counts = map_new(m->arena);
    count_symbols(m, m->model->inputs.at, m->model->inputs.n, &counts);
    count_symbols(m, m->model->outputs.at, m->model->outputs.n, &counts);
    for (uint32_t i = 0; i < m->model->inputs.n; i++)
        for (uint32_t d = 0; d < m->model->inputs.at[i].rank; d++) {
            const struct onnx_dim *x = &m->model->inputs.at[i].dims[d];
            uint64_t count = 0;
            if (x->size >= 0 || x->name.n == 0)
                continue;
            struct name id = symbol_id(m, x->name);
            map_get(&counts, id.i, &count);
            if (count > 1 && !map_get(&m->symbols, id.i, NULL))
                map_put(&m->symbols, id.i,
                        idents_claim(&m->scope, ident_text(m->arena, x->name, "n")).i);
        }
}

/* A dimension that has a size or a name; else NULL. */
static struct ast *known_dim(struct importer *m, const struct onnx_dim *d) {
    uint64_t name = 0;
    if (d->size >= 0)
        return new_int(m, d->size);
    if (d->name.n && map_get(&m->symbols, symbol_id(m, d->name).i, &name))
        return new_name(m, (struct name){(uint32_t)name});
    return NULL;
}

/* The type of an input (any size where a dimension has no name) or output (all must be known). */
static struct ast *make_type(struct importer *m, const struct onnx_value *v, bool output) {
    struct ast *type = new_node(m, AST_TYPE, v->rank);
    type->name = name_of_text(m->names, dtypes[v->type].name);
    type->flags = v->rank ? AST_BRACKETS : 0;
    for (uint32_t d = 0; d < v->rank; d++) {
        type->kids[d] = known_dim(m, &v->dims[d]);
        if (type->kids[d])
            continue;
        type->kids[d] = new_text_name(m, "_");
        if (output)
            onnx_problem(m->problems,
                         "output %s: the size of dimension %u (%s) follows from no "
                         "input",
                         wire_text(m->arena, v->name), d,
                         v->dims[d].name.n ? wire_text(m->arena, v->dims[d].name) : "no name");
    }
    return type;
}

static struct ast *make_params(struct importer *m) {
    const struct onnx_value *inputs = m->model->inputs.at;
    struct ast *params = new_node(m, AST_PARAMS, m->model->inputs.n);
    for (uint32_t i = 0; i < m->model->inputs.n; i++) {
        struct ast *param = new_node(m, AST_PARAM, 2);
        param->name = value_of(m, inputs[i].id)->name;
        param->kids[0] = make_type(m, &inputs[i], false);
        params->kids[i] = param;
    }
    return params;
}

static struct name result_name(struct importer *m, struct name id) {
    uint64_t name = 0;
    map_get(&m->results, id.i, &name);
    return (struct name){(uint32_t)name};
}

static struct ast *make_results(struct importer *m) {
    const struct onnx_value *outputs = m->model->outputs.at;
    struct ast *results = new_node(m, AST_RESULTS, m->model->outputs.n);
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        struct ast *result = new_node(m, AST_RESULT, 1);
        result->name = result_name(m, outputs[i].id);
        result->kids[0] = make_type(m, &outputs[i], true);
        results->kids[i] = result;
    }
    return results;
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* What a value in between is called: `/fc1/Gemm_output_0` is fc1_gemm. */
static struct name claim_value(struct importer *m, struct wire_bytes name) {
    static const char ending[] = "_output_0";
    size_t n = sizeof ending - 1;
    if (name.n > n && memcmp(name.at + name.n - n, ending, n) == 0)
        name.n -= n;
    const char *text = ident_text(m->arena, name, "v");
    char *lower = arena_strndup(m->arena, text, strlen(text));
    for (char *c = lower; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return idents_claim(&m->scope, lower);
}

/* The row for a node; NULL after a problem. */
static const struct onnx_operator *find_operator(struct importer *m, const struct onnx_node *x) {
    int64_t first = 0;
    const struct onnx_operator *o =
        x->own ? onnx_operator_find(x->wire->op_type, x->version, &first) : NULL;
    if (!o && first && x->version)
        onnx_problem(m->problems, "%s: the operator is known from version %lld on", x->text,
                     (long long)first);
    else if (!o && first)
        onnx_problem(m->problems, "%s: the file does not say which version is meant", x->text);
    else if (!o)
        onnx_problem(m->problems, "%s: the operator is not known", x->text);
    return o;
}

/* Appends `NAME = value` to the call, unless the value is the one that an absent one means. */
static bool add_attribute(struct importer *m, const struct onnx_node *x,
                          const struct onnx_attribute *row, const struct wire_attribute *w,
                          struct ast *call) {
    enum { TYPE_FLOAT = 1, TYPE_INT = 2, NUMBER_F = 2, NUMBER_I = 3 };
    bool real = row->kind == ATTRIBUTE_FLOAT;
    bool fits = w->type ? w->type == (real ? TYPE_FLOAT : TYPE_INT)
                        : WIRE_HAS(w, real ? NUMBER_F : NUMBER_I);
    if (!fits || w->ref_attr_name.n) {
        onnx_problem(m->problems, "%s: the attribute %s is no %s", x->text, row->name,
                     real ? "number" : "whole number");
        return false;
    }
    int64_t integer = row->kind == ATTRIBUTE_FLAG ? w->i != 0 : w->i;
    if (real ? w->f == row->absent : (double)integer == row->absent)
        return true;
    struct ast *keyword = new_node(m, AST_KEYWORD, 1);
    keyword->name = name_of_text(m->names, row->name);
    keyword->kids[0] = new_int(m, integer);
    if (real) {
        keyword->kids[0]->kind = AST_FLOAT;
        keyword->kids[0]->integer = 0;
        keyword->kids[0]->number = print_number_value((double)w->f, DT_f32);
    }
    ast_push(m->arena, call, keyword);
    return true;
}

/* The attributes in the order of the row. */
static bool add_attributes(struct importer *m, const struct onnx_node *x,
                           const struct onnx_operator *o, struct ast *call) {
    bool good = true, *used = ARENA_ARRAY(m->arena, bool, x->wire->attribute.n);
    for (uint32_t k = 0; k < ONNX_ATTRIBUTES_MAX && o->attributes[k].name; k++)
        for (uint32_t i = 0; i < x->wire->attribute.n; i++) {
            const struct wire_attribute *w = x->wire->attribute.at[i];
            if (used[i] || !wire_is(w->name, o->attributes[k].name))
                continue;
            used[i] = true;
            good = call && add_attribute(m, x, &o->attributes[k], w, call) && good;
            break;
        }
    for (uint32_t i = 0; i < x->wire->attribute.n; i++) {
        const struct wire_attribute *w = x->wire->attribute.at[i];
        if (used[i])
            continue;
        onnx_problem(m->problems, "%s: the attribute %s is not known", x->text,
                     wire_text(m->arena, w->name));
        good = false;
    }
    return good;
}

/* Whether the node has as many inputs and outputs as the operator takes; *N: the inputs without
   those that are left out at the end. */
static bool check_counts(struct importer *m, const struct onnx_node *x,
                         const struct onnx_operator *o, uint32_t *n) {
    bool one = x->noutputs > 0 && !name_none(x->outputs[0]);
    for (uint32_t k = 1; k < x->noutputs; k++)
        one = one && name_none(x->outputs[k]);
    *n = x->ninputs;
    while (*n && name_none(x->inputs[*n - 1]))
        --*n;
    bool all = *n >= o->inputs[0] && *n <= o->inputs[1];
    for (uint32_t k = 0; k < *n; k++)
        all = all && !name_none(x->inputs[k]);
    if (!all)
        onnx_problem(m->problems, "%s: %u inputs, some perhaps left out, where it has %u to %u",
                     x->text, *n, o->inputs[0], o->inputs[1]);
    if (!one)
        onnx_problem(m->problems, "%s: one output is possible", x->text);
    return all && one;
}

/* The expression for a node; NULL after a problem. */
static struct ast *make_expression(struct importer *m, const struct onnx_node *x,
                                   const struct onnx_operator *o) {
    uint32_t n;
    struct ast *e = NULL;
    if (!check_counts(m, x, o, &n))
        return NULL;
    switch (o->form) {
    case WRITTEN_CALL:
        e = new_node(m, AST_CALL, 1 + n);
        e->kids[0] = new_text_name(m, o->call);
        break;
    case WRITTEN_INFIX:
        e = new_node(m, AST_BINARY, 2);
        e->op = o->infix;
        break;
    case WRITTEN_SAME: break;
    }
    for (uint32_t k = 0; k < n; k++) {
        struct ast *value = value_of(m, x->inputs[k]);
        if (o->form == WRITTEN_SAME)
            e = value;
        else
            e->kids[k + (o->form == WRITTEN_CALL)] = value;
    }
    return add_attributes(m, x, o, o->form == WRITTEN_CALL ? e : NULL) ? e : NULL;
}

/* A line for the node; what it makes is known then, if only by name after a problem. */
static void add_node(struct importer *m, const struct onnx_node *x) {
    const struct onnx_operator *o = find_operator(m, x);
    struct ast *e = o ? make_expression(m, x, o) : NULL;
    for (uint32_t k = 0; k < x->noutputs; k++) {
        struct name id = x->outputs[k], name = result_name(m, id);
        if (name_none(id))
            continue;
        if (e && o->form == WRITTEN_SAME && name_none(name)) {
            set_value(m, id, e);
            continue;
        }
        if (name_none(name))
            name = claim_value(m, x->wire->output.at[k]);
        if (e && k == 0)
            assign(m, name, e);
        set_value(m, id, new_name(m, name));
    }
}

/* Outputs that are inputs or weights. */
static void add_copies(struct importer *m) {
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        struct name id = m->model->outputs.at[i].id, name = result_name(m, id);
        struct ast *value = value_of(m, id);
        if (value->kind != AST_NAME || !name_eq(value->name, name))
            assign(m, name, value);
    }
}

/* --- the file ------------------------------------------------------------------------------- */

static struct ast *make_forward(struct importer *m) {
    struct ast *fn = new_node(m, AST_FN, 4);
    for (uint32_t i = 0; i < m->model->inputs.n; i++) {
        const struct onnx_value *v = &m->model->inputs.at[i];
        struct name name = idents_claim(&m->scope, ident_text(m->arena, v->name, "x"));
        set_value(m, v->id, new_name(m, name));
    }
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        const struct onnx_value *v = &m->model->outputs.at[i];
        struct name name = idents_claim(&m->scope, ident_text(m->arena, v->name, "y"));
        map_put(&m->results, v->id.i, name.i);
    }
    claim_symbols(m);
    m->body = new_node(m, AST_BLOCK, 0);
    fn->name = name_of_text(m->names, "forward");
    fn->kids[0] = make_params(m);
    fn->kids[1] = make_results(m);
    fn->kids[2] = new_node(m, AST_WHERE, 0);
    fn->kids[3] = m->body;
    for (uint32_t i = 0; i < m->model->nodes.n; i++)
        add_node(m, &m->model->nodes.at[i]);
    add_copies(m);
    return fn;
}

/* PATH without its folders. */
static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A file's name for comments. */
static const char *show_file(struct importer *m, const char *name) {
    return wire_text(m->arena, (struct wire_bytes){name, strlen(name)});
}

/* Where the model comes from, how it is run, and which weights have other names now. */
static const char *make_doc(struct importer *m, const char *path, const char *name,
                            const struct onnx_members *members) {
    const struct onnx_model *x = m->model;
    struct buf b = buf_new(m->arena);
    buf_printf(&b, "Imported from %s", show_file(m, base_name(path)));
    if (x->opset)
        buf_printf(&b, ", opset %lld", (long long)x->opset);
    if (*x->producer)
        buf_printf(&b, ", made by %s", x->producer);
    buf_printf(&b, ".\nTo run it: dcl run %s.dcl --entry model", show_file(m, name));
    for (uint32_t i = 0; i < x->inputs.n; i++) {
        const char *input = name_text(m->names, value_of(m, x->inputs.at[i].id)->name);
        buf_printf(&b, " --input %s=%s.npy", input, input);
    }
    for (uint32_t i = 0; i < members->renamed.n; i++)
        buf_printf(&b, "\nThe weight %s.", members->renamed.at[i]);
    return b.at;
}

/* `model = Model()`, and `load(model, "NAME.safetensors")` if there are weights. */
static void add_instance(struct importer *m, struct ast *file, const char *name) {
    struct ast *make = new_node(m, AST_CALL, 1), *set = new_node(m, AST_ASSIGN, 2);
    make->kids[0] = new_text_name(m, "Model");
    set->kids[0] = make;
    set->kids[1] = new_text_name(m, "model");
    ast_push(m->arena, file, set);
    if (m->model->weights.n == 0)
        return;
    struct ast *load = new_node(m, AST_CALL, 3);
    load->kids[0] = new_text_name(m, "load");
    load->kids[1] = new_text_name(m, "model");
    load->kids[2] = new_node(m, AST_STR, 0);
    load->kids[2]->name = name_of_text(m->names, arena_printf(m->arena, "%s.safetensors", name));
    ast_push(m->arena, file, load);
}

static struct ast *make_file(struct importer *m, const char *path, const char *name,
                             struct onnx_members *members) {
    struct idents layers = idents_new(m->arena, m->names);
    struct ast *file = new_node(m, AST_FILE, 0), *model = new_node(m, AST_LAYER, 3);
    model->name = idents_claim(&layers, "Model");
    m->scope = idents_new(m->arena, m->names);
    *members = onnx_members_new(m->arena, m->names, m->model, &m->scope, &layers);
    for (uint32_t i = 0; i < members->layers.n; i++)
        ast_push(m->arena, file, members->layers.at[i]);
    struct ast *body = new_node(m, AST_BLOCK, 0);
    for (uint32_t i = 0; i < members->members.n; i++)
        ast_push(m->arena, body, members->members.at[i]);
    for (uint32_t i = 0; i < m->model->weights.n; i++)
        set_value(m, m->model->weights.at[i].id, members->states[i].access);
    ast_push(m->arena, body, make_forward(m));
    model->kids[0] = new_node(m, AST_PARAMS, 0);
    model->kids[1] = new_node(m, AST_WHERE, 0);
    model->kids[2] = body;
    model->doc = make_doc(m, path, name, members);
    ast_push(m->arena, file, model);
    add_instance(m, file, name);
    return file;
}

static void set_weights(struct importer *m, const struct onnx_members *members,
                        struct onnx_program *out) {
    const struct onnx_model *x = m->model;
    out->nweights = x->weights.n;
    out->weights = ARENA_ARRAY(m->arena, struct file_tensor, x->weights.n);
    for (uint32_t i = 0; i < x->weights.n; i++) {
        const struct onnx_weight *w = &x->weights.at[i];
        out->weights[i] = (struct file_tensor){.name = members->states[i].key,
                                               .type = w->type,
                                               .rank = w->rank,
                                               .dims = w->dims,
                                               .data = (void *)(uintptr_t)w->data,
                                               .bytes = w->bytes};
    }
}

enum { TOLD = 1000 }; /* a file that is not damaged has fewer */

/* One error with all reasons. */
static bool tell(struct diags *d, const char *path, const struct onnx_problems *p) {
    if (p->lines.n == 0)
        return true;
    struct diag *e =
        diag_error(d, nowhere, ERR_ONNX_IMPORT, path, (int)p->lines.n, p->lines.n == 1 ? "" : "s");
    for (uint32_t i = 0; i < p->lines.n && i < TOLD; i++)
        diag_note(d, e, nowhere, "%s", p->lines.at[i]);
    if (p->lines.n > TOLD)
        diag_note(d, e, nowhere, "and %u more", p->lines.n - TOLD);
    return false;
}

bool onnx_import(struct arena *a, struct names *names, struct diags *d, const char *path,
                 const void *bytes, size_t n, const char *name, struct onnx_program *out) {
    const char *why = NULL;
    struct onnx_members members;
    struct onnx_problems problems = {.arena = a};
    const struct wire_model *wire = wire_read(a, bytes, n, &why);
    *out = (struct onnx_program){0};
    if (!wire) {
        diag_error(d, nowhere, ERR_FILE_READ, path, why);
        return false;
    }
    struct importer m = {.arena = a, .names = names, .problems = &problems};
    m.model = onnx_model_new(a, wire, &problems);
    m.values = map_new(a);
    m.results = map_new(a);
    m.symbols = map_new(a);
    out->file = make_file(&m, path, name, &members);
    set_weights(&m, &members, out);
    return tell(d, path, &problems);
}
