/* From a model to a program: a layer Model whose method `forward` has a line for each node.

   Names: inputs and outputs keep theirs as far as DCL allows; a value in between is called as the
   file calls it, in lower case and without what exporters add. One name stands for one thing in a
   method, so all are claimed in one scope (idents.h): inputs, outputs, dimensions, members, values.
   All that cannot be imported is collected (onnx_problem) and told at once. */
#include "lang/onnx/import.h"

#include "lang/onnx/generic.h"
#include "lang/onnx/importer.h"
#include "lang/onnx/members.h"
#include "lang/onnx/scopes.h"
#include "lang/parse/parse.h"
#include "lang/print/print.h"
#include "lang/rewrite/rewrite.h"

#include <stdlib.h>
#include <string.h>

static const struct span nowhere;

const char *const *onnx_modules(void) {
    static const char *const names[] = {
#define MODULE(name, doc) #name,
#define RULES(name, doc) #name,
#include "lang/onnx/onnx.def"
        NULL};
    return names;
}

/* --- inputs ---------------------------------------------------------------------------------- */

/* Whether K speaks of the input NAME, as the file or the program calls it. */
static bool is_input(struct importer *m, const struct onnx_known *k, struct wire_bytes name) {
    return !k->dimension && !k->likely &&
           (wire_is(name, k->name) || strcmp(ident_text(m->arena, name, "x"), k->name) == 0);
}

/* What the order says of the input NAME; NULL: nothing. */
static const struct onnx_known *known_of(struct importer *m, const struct onnx_order *o,
                                         struct wire_bytes name) {
    for (uint32_t i = 0; i < o->nknown; i++)
        if (is_input(m, &o->known[i], name))
            return &o->known[i];
    return NULL;
}

/* The static value that the order's text K is; false after a problem. */
static bool evaluate(struct importer *m, const struct onnx_known *k, struct value *out) {
    struct diags *d = &m->errors;
    struct ast *file = parse_source(m->arena, m->names, d,
                                    sources_add(d->sources, k->name, k->text, strlen(k->text)));
    bool ok = !d->errors && file->nkids == 1 &&
              eval_expr(outline_eval(m->outline), m->env, file->kids[0], out);
    diags_clear(d);
    if (!ok)
        onnx_problem(m->problems, "%s=%s: this is no number, truth value or list of such", k->name,
                     k->text);
    return ok;
}

/* Whether TEXT says which dimension is meant, as `?` does not. */
static bool is_name(struct wire_bytes text) {
    bool any = false;
    for (size_t i = 0; i < text.n; i++)
        any = any || (text.at[i] >= 'a' && text.at[i] <= 'z') ||
              (text.at[i] >= 'A' && text.at[i] <= 'Z');
    return any;
}

/* Whether K speaks of dimension AT of X, by its name or its place. */
static bool is_dim(struct importer *m, const struct onnx_known *k, const struct onnx_value *x,
                   uint32_t at) {
    const char *place = arena_printf(m->arena, "%s[%u]", wire_text(m->arena, x->name), at);
    if (k->likely)
        return false;
    struct wire_bytes name = x->dims[at].name;
    return k->dimension && x->dims[at].size < 0 &&
           ((name.n && wire_is(name, k->name)) || strcmp(place, k->name) == 0);
}

/* Whether K speaks of some input. */
static bool is_of_model(struct importer *m, const struct onnx_known *k) {
    bool is = k->likely;
    for (uint32_t i = 0; !is && i < m->model->inputs.n; i++) {
        const struct onnx_value *x = &m->model->inputs.at[i];
        is = is_input(m, k, x->name);
        for (uint32_t d = 0; !is && d < x->rank; d++)
            is = is_dim(m, k, x, d);
    }
    return is;
}

/* What K could have spoken of: the inputs, or the dimensions that are open. */
static const char *possible(struct importer *m, const struct onnx_known *k) {
    struct buf text = buf_new(m->arena);
    const char *separator = "";
    for (uint32_t i = 0; i < m->model->inputs.n; i++) {
        const struct onnx_value *x = &m->model->inputs.at[i];
        const char *name = wire_text(m->arena, x->name);
        if (!k->dimension)
            buf_printf(&text, "%s%s", separator, name);
        for (uint32_t d = 0; k->dimension && d < x->rank; d++) {
            if (x->dims[d].size >= 0)
                continue;
            buf_printf(&text, "%s%s[%u]", separator, name, d);
            if (is_name(x->dims[d].name))
                buf_printf(&text, " or %s", wire_text(m->arena, x->dims[d].name));
            separator = ", ";
        }
        separator = text.n ? ", " : "";
    }
    return text.n ? text.at : "none";
}

static void check_known(struct importer *m, const struct onnx_order *o) {
    for (uint32_t i = 0; i < o->nknown; i++) {
        const struct onnx_known *k = &o->known[i];
        for (uint32_t j = 0; j < i; j++)
            if (!k->likely && o->known[j].dimension == k->dimension &&
                o->known[j].likely == k->likely && strcmp(o->known[j].name, k->name) == 0)
                onnx_problem(m->problems, "%s=%s: it is given twice", k->name, k->text);
        if (!is_of_model(m, k))
            onnx_problem(m->problems, "%s=%s: the model has no such %s: it has %s", k->name,
                         k->text, k->dimension ? "dimension whose size is open" : "input",
                         possible(m, k));
    }
}

/* The size that dimension AT of the parameter NAME is likely to have, -1 if none is. */
static int64_t likely_dim(struct importer *m, const struct onnx_order *o, struct name name,
                          uint32_t at) {
    const char *place = arena_printf(m->arena, "%s[%u]", name_text(m->names, name), at);
    for (uint32_t i = 0; i < o->nknown; i++)
        if (o->known[i].likely && strcmp(o->known[i].name, place) == 0)
            return strtoll(o->known[i].text, NULL, 10);
    return -1;
}

/* Dimension AT of input X, the parameter PARAM: a size, or a symbol for each name, or one of its
   own. */
static struct value input_dim(struct importer *m, const struct onnx_order *o,
                              const struct onnx_value *x, struct name param, uint32_t at) {
    const struct onnx_dim *d = &x->dims[at];
    struct value v;
    if (d->size >= 0)
        return value_int(d->size);
    for (uint32_t i = 0; i < o->nknown; i++) {
        if (!is_dim(m, &o->known[i], x, at) || !evaluate(m, &o->known[i], &v))
            continue;
        if (v.kind == VAL_INT && v.i >= 0)
            return v;
        onnx_problem(m->problems, "%s=%s: this is no size", o->known[i].name, o->known[i].text);
    }
    int64_t likely = likely_dim(m, o, param, at);
    if (likely >= 0)
        return value_int(likely);
    uint64_t symbol = 0;
    bool named = is_name(d->name);
    struct name id = named ? name_of(m->model->ids, d->name.at, d->name.n) : (struct name){0};
    if (!named || !map_get(&m->symbols, id.i, &symbol)) {
        symbol = idents_claim(&m->scope, ident_text(m->arena, d->name, "n")).i;
        if (named)
            map_put(&m->symbols, id.i, symbol);
    }
    struct name name = {(uint32_t)symbol};
    map_put(&m->dims, name.i, 1);
    map_put(&m->taken, name.i, 1);
    v = outline_dim(m->outline, name);
    env_bind(m->env, name, v, nowhere); /* numbers that are known may hang on it */
    return v;
}

/* Makes *V, of dimensions from D on, elements of X; false if it is something else. One number may
   stand for a tensor of one element. */
static bool as_input(struct importer *m, const struct onnx_value *x, uint32_t d, struct value *v) {
    bool list = v->kind == VAL_LIST || v->kind == VAL_PACK;
    if (d == x->rank)
        return !list && operand_round(x->type, v);
    int64_t size = x->dims[d].size;
    if (!list) {
        struct value one = value_list_new(m->arena, VAL_LIST, 1);
        one.list->at[0] = *v;
        *v = one;
        return size <= 1 && size != 0 && as_input(m, x, d + 1, &v->list->at[0]);
    }
    bool good = (size < 0 || size == v->list->n) && (v->list->n || d + 1 == x->rank);
    for (uint32_t i = 0; good && i < v->list->n; i++)
        good = as_input(m, x, d + 1, &v->list->at[i]);
    return good;
}

static void import_input(struct importer *m, const struct onnx_order *o,
                         const struct onnx_value *x) {
    struct value dims[ONNX_RANK_MAX], v;
    const struct onnx_known *k = known_of(m, o, x->name);
    if (k) {
        bool good = evaluate(m, k, &v);
        if (good && !(good = as_input(m, x, 0, &v)))
            onnx_problem(m->problems, "%s=%s: this is no value of the input's type and shape",
                         k->name, k->text);
        operand_new(m, x->id, good ? OPERAND_FIXED : OPERAND_UNKNOWN, x->type,
                    good ? v : value_none());
        return;
    }
    struct name name = idents_claim(&m->scope, ident_text(m->arena, x->name, "x"));
    for (uint32_t d = 0; d < x->rank; d++)
        dims[d] = input_dim(m, o, x, name, d);
    v = outline_tensor(m->outline, name, x->type, x->rank, dims);
    operand_new(m, x->id, OPERAND_TENSOR, x->type, v)->read = new_name(m, name);
}

/* --- sizes that only a run finds ------------------------------------------------------------- */

static void ask_name(void *data, struct name n) {
    struct importer *m = data;
    m->found = m->found || name_text(m->names, n)[0] == '#'; /* a symbol of the outline's own */
}

bool is_found(struct importer *m, const struct value *dim) {
    m->found = false;
    if (dim->kind == VAL_SYM)
        sym_atoms(outline_eval(m->outline)->syms, dim->sym, ask_name, m);
    return m->found;
}

/* --- the signature --------------------------------------------------------------------------- */

struct ast *make_type(struct importer *m, enum dtype t, uint32_t rank, const struct value *dims) {
    struct ast *type = new_node(m, AST_TYPE, rank);
    type->name = name_of_text(m->names, dtypes[t].name);
    type->flags = rank ? AST_BRACKETS : 0;
    for (uint32_t d = 0; d < rank; d++)
        type->kids[d] = is_found(m, &dims[d]) ? new_node(m, AST_ANY, 0) : ast_of_value(m, &dims[d]);
    return type;
}

static struct ast *make_params(struct importer *m) {
    struct ast *params = new_node(m, AST_PARAMS, 0);
    for (uint32_t i = 0; i < m->model->inputs.n; i++) {
        const struct operand *x = operand_of(m, m->model->inputs.at[i].id);
        if (x->kind != OPERAND_TENSOR)
            continue;
        struct ast *param = new_node(m, AST_PARAM, 2);
        param->name = x->read->name;
        param->kids[0] = make_type(m, x->type, x->v.tensor->rank, x->v.tensor->dims);
        ast_push(m->arena, params, param);
    }
    return params;
}

/* The type of an output is that of what was computed. */
static struct ast *make_result(struct importer *m, const struct onnx_value *o) {
    const struct operand *x = operand_of(m, o->id);
    struct ast *result = new_node(m, AST_RESULT, 1);
    uint64_t name = 0;
    struct value v = value_none();
    map_get(&m->results, o->id.i, &name);
    result->name = (struct name){(uint32_t)name};
    bool known = x && x->kind != OPERAND_UNKNOWN;
    if (known && !eval_expr(outline_eval(m->outline), m->env, operand_tensor(m, x, false), &v)) {
        onnx_problem(m->problems, "output %s: it is no tensor", wire_text(m->arena, o->name));
        diags_clear(&m->errors);
    }
    bool tensor = v.kind == VAL_TENSOR;
    result->kids[0] = make_type(m,
                                tensor  ? v.dtype
                                : known ? x->type
                                        : o->type,
                                tensor ? v.tensor->rank : 0, tensor ? v.tensor->dims : NULL);
    return result;
}

static struct ast *make_results(struct importer *m) {
    struct ast *results = new_node(m, AST_RESULTS, m->model->outputs.n);
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        const struct ast *type =
            (results->kids[i] = make_result(m, &m->model->outputs.at[i]))->kids[0];
        for (uint32_t d = 0; d < type->nkids; d++)
            m->open = m->open || type->kids[d]->kind == AST_ANY;
    }
    return results;
}

/* Results whose size a run finds have no names: the last expression gives them. */
static void open_results(struct importer *m, struct ast *results, struct ast *body) {
    struct ast *all = new_node(m, AST_TUPLE, 0);
    for (uint32_t i = 0; i < results->nkids; i++) {
        ast_push(m->arena, all, new_name(m, results->kids[i]->name));
        results->kids[i]->name = (struct name){0};
    }
    ast_push(m->arena, body, results->nkids == 1 ? all->kids[0] : all);
}

/* Outputs that no line makes. */
static void add_copies(struct importer *m, struct ast *body) {
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        struct name id = m->model->outputs.at[i].id;
        uint64_t name = 0;
        const struct operand *x = operand_of(m, id);
        map_get(&m->results, id.i, &name);
        if (!x || x->kind == OPERAND_UNKNOWN)
            continue;
        struct ast *value = finished(m, operand_tensor(m, x, false));
        if (value->kind != AST_NAME || value->name.i != name)
            add_assignment(m, body, new_name(m, (struct name){(uint32_t)name}), value);
    }
}

/* --- symbols that say nothing ---------------------------------------------------------------- */

static void count_names(const struct ast *e, struct map *counts) {
    uint64_t n = 0;
    if (e->kind == AST_NAME) {
        map_get(counts, e->name.i, &n);
        map_put(counts, e->name.i, n + 1);
    }
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            count_names(e->kids[k], counts);
}

void drop_symbols(struct importer *m, struct ast *fn) {
    struct map counts = map_new(m->arena);
    struct ast *params = fn->kids[0];
    count_names(fn, &counts);
    for (uint32_t i = 0; i < params->nkids; i++) {
        struct ast *type = params->kids[i]->kids[0];
        for (uint32_t d = 0; d < type->nkids; d++) {
            uint64_t n = 0;
            if (type->kids[d]->kind == AST_NAME && map_get(&counts, type->kids[d]->name.i, &n) &&
                n == 1)
                type->kids[d] = new_text_name(m, "_");
        }
    }
}

/* --- the file -------------------------------------------------------------------------------- */

/* The first turn: all nodes. */
static void import_nodes(struct importer *m, const struct onnx_order *o) {
    check_known(m, o);
    for (uint32_t i = 0; i < m->model->inputs.n; i++)
        import_input(m, o, &m->model->inputs.at[i]);
    for (uint32_t i = 0; i < m->model->weights.n; i++)
        import_weight(m, i);
    for (uint32_t i = 0; i < m->model->nodes.n; i++)
        import_node(m, &m->model->nodes.at[i]);
    rewrite_lines(m, o->program);
    drop_weights(m);
}

/* Names for the outputs, and which lines make them. */
static void claim_results(struct importer *m) {
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        const struct onnx_value *v = &m->model->outputs.at[i];
        struct name name = idents_claim(&m->scope, ident_text(m->arena, v->name, "y"));
        struct operand *x = operand_of(m, v->id);
        map_put(&m->results, v->id.i, name.i);
        bool line_makes = x && x->kind == OPERAND_TENSOR && !x->read && !x->carried;
        if (line_makes && name_none(x->result))
            x->result = name;
    }
}

static struct ast *make_forward(struct importer *m, struct scopes *scopes) {
    struct ast *fn = new_node(m, AST_FN, 4), *body = new_node(m, AST_BLOCK, 0);
    fn->name = name_of_text(m->names, "forward");
    claim_results(m);
    fn->kids[0] = make_params(m);
    fn->kids[1] = make_results(m);
    fn->kids[2] = new_node(m, AST_WHERE, 0);
    fn->kids[3] = body;
    scopes_finish(scopes, body);
    add_copies(m, body);
    if (m->open)
        open_results(m, fn->kids[1], body);
    drop_symbols(m, fn);
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
static const char *make_doc(struct importer *m, const struct onnx_order *o,
                            const struct onnx_members *members) {
    const struct onnx_model *x = m->model;
    struct buf b = buf_new(m->arena);
    const char *from = show_file(m, base_name(o->path));
    buf_printf(&b, "Imported from %s", from);
    if (x->opset)
        buf_printf(&b, ", opset %lld", (long long)x->opset);
    if (*x->producer)
        buf_printf(&b, ", made by %s", x->producer);
    if (o->name)
        buf_printf(&b, ".\nTo run it: dcl run %s.dcl --entry model", show_file(m, o->name));
    else
        buf_printf(&b, ".\nTo run it: dcl run %s", from);
    for (uint32_t i = 0; i < x->inputs.n; i++) {
        const struct operand *in = operand_of(m, x->inputs.at[i].id);
        const char *input = in->read ? name_text(m->names, in->read->name) : NULL;
        if (input)
            buf_printf(&b, " --input %s=%s.npy", input, input);
    }
    enum { RENAMED_SHOWN = 4 };
    for (uint32_t i = 0; i < members->renamed.n && i < RENAMED_SHOWN; i++)
        buf_printf(&b, "\nThe weight %s.", members->renamed.at[i]);
    if (members->renamed.n > RENAMED_SHOWN)
        buf_printf(&b, "\n%u more weights have other names, made in the same way.",
                   members->renamed.n - RENAMED_SHOWN);
    return b.at;
}

/* `model = Model()`, and `load(model, "NAME.safetensors")` if there are weights. */
static void add_instance(struct importer *m, struct ast *file, const char *name) {
    struct ast *make = new_node(m, AST_CALL, 1), *set = new_node(m, AST_ASSIGN, 2);
    make->kids[0] = new_text_name(m, ONNX_LAYER);
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

/* Whether E calls a function of module M. */
static bool calls_into(const struct onnx_order *o, const struct module *m, const struct ast *e) {
    const struct module *where = NULL;
    bool calls = e->kind == AST_CALL && e->kids[0]->kind == AST_NAME &&
                 module_find(o->program, e->kids[0]->name, &where) && where == m;
    for (uint32_t k = 0; !calls && k < e->nkids; k++)
        calls = e->kids[k] && calls_into(o, m, e->kids[k]);
    return calls;
}

/* `use M` for each module that FORWARD or a layer calls into. */
static void add_uses(struct importer *m, const struct onnx_order *o,
                     const struct onnx_members *members, const struct ast *forward,
                     struct ast *file) {
    for (uint32_t i = 0; i < o->nuses; i++) {
        bool uses = calls_into(o, o->uses[i].module, forward);
        for (uint32_t k = 0; !uses && k < members->layers.n; k++)
            uses = calls_into(o, o->uses[i].module, members->layers.at[k]);
        if (!uses)
            continue;
        struct ast *use = new_node(m, AST_USE, 0);
        use->name = name_of_text(m->names, o->uses[i].name);
        use->flags = o->uses[i].path ? AST_PATH : 0;
        ast_push(m->arena, file, use);
    }
}

void take_called(struct map *taken, const struct ast *e) {
    if (e->kind == AST_CALL && e->kids[0]->kind == AST_NAME)
        map_put(taken, e->kids[0]->name.i, 1);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            take_called(taken, e->kids[k]);
}

/* Functions that rules bring in are no names of values. */
static void take_functions(struct importer *m, const struct onnx_order *o) {
    rewrite_rules rules = {0};
    rewrite_rules_of(m->arena, o->program, &rules);
    for (uint32_t i = 0; i < rules.n; i++) {
        const struct ast *made = rewrite_instance(rules.at[i].module, rules.at[i].rule->kids[1]);
        bool known = !made;
        take_called(&m->taken, rules.at[i].rule);
        for (uint32_t k = 0; !known && k < m->library.n; k++)
            known = name_eq(m->library.at[k], made->kids[0]->name);
        if (!known)
            VEC_PUSH(m->arena, m->library, made->kids[0]->name);
    }
}

static struct ast *make_file(struct importer *m, const struct onnx_order *o,
                             struct onnx_members *members) {
    struct idents layers = idents_new(m->arena, m->names);
    struct ast *file = new_node(m, AST_FILE, 0), *model = new_node(m, AST_LAYER, 3);
    model->name = idents_claim(&layers, ONNX_LAYER);
    m->scope = idents_new(m->arena, m->names);
    m->scope.more = &m->taken;
    take_functions(m, o);
    import_nodes(m, o);
    struct scopes *scopes = scopes_new(m);
    struct onnx_methods methods = scopes_methods(scopes);
    *members = onnx_members_new(m->arena, m->names, m->model, &methods, &m->scope, &layers);
    struct ast *forward = make_forward(m, scopes);
    onnx_merge_layers(m->arena, m->names, members);
    add_uses(m, o, members, forward, file);
    for (uint32_t i = 0; i < members->layers.n; i++)
        ast_push(m->arena, file, members->layers.at[i]);
    struct ast *body = new_node(m, AST_BLOCK, 0);
    for (uint32_t i = 0; i < members->members.n; i++)
        ast_push(m->arena, body, members->members.at[i]);
    ast_push(m->arena, body, forward);
    model->kids[0] = new_node(m, AST_PARAMS, 0);
    model->kids[1] = new_node(m, AST_WHERE, 0);
    model->kids[2] = body;
    model->doc = make_doc(m, o, members);
    ast_push(m->arena, file, model);
    if (o->name)
        add_instance(m, file, o->name);
    return file;
}

/* Whether W can be used where it lies in a file: in the N bytes at BYTES, or another one. */
static bool is_mapped(const struct onnx_model *m, const void *bytes, size_t n,
                      const struct onnx_weight *w) {
    uintptr_t at = (uintptr_t)w->data;
    bool inside = at - (uintptr_t)bytes < n;
    for (uint32_t i = 0; i < m->files.at.n; i++)
        inside = inside || at - (uintptr_t)m->files.at.at[i].bytes < m->files.at.at[i].n;
    return inside && at % dtypes[w->type].bytes == 0;
}

static void set_weights(struct importer *m, const struct onnx_members *members, const void *bytes,
                        size_t n, struct onnx_program *out) {
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
                                               .bytes = w->bytes,
                                               .turned = w->turned,
                                               .mapped = !w->turned && is_mapped(x, bytes, n, w)};
    }
}

enum { TOLD = 1000 }; /* a file that is not damaged has fewer */

/* One error with all reasons. */
static bool tell(struct diags *d, const struct onnx_order *o, const struct onnx_problems *p) {
    if (p->lines.n == 0)
        return true;
    struct diag *e =
        diag_error(d, o->at, ERR_ONNX_IMPORT, o->path, (int)p->lines.n, p->lines.n == 1 ? "" : "s");
    for (uint32_t i = 0; i < p->lines.n && i < TOLD; i++)
        diag_note(d, e, nowhere, "%s", p->lines.at[i]);
    if (p->lines.n > TOLD)
        diag_note(d, e, nowhere, "and %u more", p->lines.n - TOLD);
    return false;
}

bool onnx_import(struct arena *a, struct names *names, struct diags *d, const void *bytes, size_t n,
                 const struct onnx_order *order, struct onnx_program *out) {
    const char *why = NULL;
    struct onnx_members members;
    struct onnx_problems problems = {.arena = a};
    const struct wire_model *wire = wire_read(a, bytes, n, &why);
    *out = (struct onnx_program){0};
    if (!wire) {
        diag_error(d, order->at, ERR_FILE_READ, order->path,
                   arena_printf(a, "it is no ONNX model, or a damaged one: %s", why));
        return false;
    }
    struct importer m = {.arena = a, .names = names, .problems = &problems};
    const char *slash = strrchr(order->path, '/');
    const char *folder =
        slash ? arena_strndup(a, order->path, (size_t)(slash - order->path) + 1) : "./";
    m.model = onnx_model_new(a, wire, folder, order->files ? order->files : a, &problems);
    m.body = ARENA_NEW(a, struct body);
    operands_enter(&m, ARENA_NEW(a, struct operands), true);
    m.stand_ins = map_new(a);
    m.sizes = map_new(a);
    m.results = map_new(a);
    m.symbols = map_new(a);
    m.dims = map_new(a);
    m.taken = map_new(a);
    diags_init(&m.errors, a, d->sources);
    m.outline = outline_new(a, names, sym_ctx_new(a, names), &m.errors, order->program);
    outline_eval(m.outline)->stop = order->stop;
    m.env = env_new(a, ENV_FUNCTION, NULL, order->program);
    out->file = make_file(&m, order, &members);
    if (order->stop && *order->stop) { /* what was not evaluated is no problem of the model */
        diag_error(d, order->at, ERR_INTERRUPTED);
        return false;
    }
    set_weights(&m, &members, bytes, n, out);
    return tell(d, order, &problems);
}
