/* Functions and instances as ONNX models: the evaluator's verbs become nodes (lang/export). */
#include "session/call.h"
#include "session/session.h"

#include "lang/export/export.h"
#include "lang/onnx/import.h"

#include <string.h>

struct exporting {
    const char *signature, *path;
    long opset;
    bool apart, force;
    struct dcl_session *session;
    struct export *to;
    uint32_t sizes;
    struct map fixed; /* name of a size -> what it is, where the function takes no other */
};

/* `_`, any size, gets a name, since a model's sizes have some. */
static struct value make_dim(void *to, struct name n) {
    struct exporting *x = to;
    struct dcl_session *s = x->session;
    if (strcmp(name_text(s->names, n), "_") == 0)
        n = name_of_text(s->names, arena_printf(s->messages, "size_%u", ++x->sizes));
    uint64_t size;
    return map_get(&x->fixed, n.i, &size) ? value_int((int64_t)size) : export_size(x->to, n);
}

static struct value make_symbol(void *to, struct name n) {
    struct exporting *x = to;
    return export_symbol(x->to, n);
}

static bool make_tensor(void *to, struct name n, enum dtype t, uint32_t rank,
                        const struct value *dims, bool inout, struct value *out) {
    struct exporting *x = to;
    *out = export_input(x->to, n, t, rank, dims, inout);
    return true;
}

static const void *state_bytes(void *session, const struct state *s, struct span span) {
    const struct data *d = state_as_shape(session, s, span);
    return d ? d->bytes : NULL;
}

static const void *tensor_bytes(void *session, const struct tensor *t, struct span span) {
    (void)session;
    (void)span;
    return tensor_data(t)->bytes;
}

/* The module of rows, with those of the library that it uses. */
static const struct module *rows(struct dcl_session *s) {
    struct module *user = module_new(s->messages, s->names, "", s->prelude);
    struct ast use = {.kind = AST_USE, .name = name_of_text(s->names, export_module())};
    return text_use(s, user, &use, NULL) ? user->uses.at[user->uses.n - 1] : NULL;
}

static bool valid_opset(struct dcl_session *s, long opset) {
    if (opset >= EXPORT_OPSET_LEAST && opset <= EXPORT_OPSET_MOST)
        return true;
    diag_error(&s->diags, (struct span){0}, ERR_USAGE,
               arena_printf(s->messages, "--opset is a version from %d to %d, not %ld",
                            EXPORT_OPSET_LEAST, EXPORT_OPSET_MOST, opset));
    return false;
}

/* Whether a model may become PATH, and its weights the file beside it. */
static bool valid_path(struct dcl_session *s, const char *path, bool force) {
    size_t n = strlen(path);
    if (n < 6 || strcmp(path + n - 5, ".onnx") != 0 || path[n - 6] == '/') {
        struct diag *e = diag_error(&s->diags, (struct span){0}, ERR_FILE_WRITE, path,
                                    "the name does not end in .onnx");
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        const char *dot = strrchr(name, '.'), *end = dot ? dot : name + strlen(name);
        diag_help(&s->diags, e, "a model is written: -o %.*s%s.onnx", (int)(end - path), path,
                  end == name ? "model" : "");
        return false;
    }
    return force || (onnx_target_free(&s->diags, path) &&
                     onnx_target_free(&s->diags, arena_printf(s->messages, "%s.data", path)));
}

/* The option that says of parameter I what KEY does, but one dimension for a pack; whether it has
   one. */
static bool put_shape(struct dcl_session *s, const struct dcl_function *f,
                      const struct variant_key *key, uint32_t i, struct buf *out) {
    const struct ast *type = f->params[i].def->kids[0];
    const struct variant_arg *arg = &key->args[i];
    bool pack = false;
    buf_printf(out, " --shape '%s=%s", name_text(s->names, f->params[i].name),
               dtypes[arg->type].name);
    for (uint32_t k = 0, d = 0; type && k < type->nkids; k++, d++) {
        buf_text(out, k ? ", " : "[");
        if (name_none(arg->dims[d].symbol))
            buf_printf(out, "%lld", (long long)arg->dims[d].size);
        else
            buf_text(out, name_text(s->names, arg->dims[d].symbol));
        if (type->kids[k]->kind != AST_SPREAD)
            continue;
        pack = true;
        d += arg->rank - type->nkids;
    }
    buf_text(out, type && type->nkids ? "]'" : "'");
    return pack;
}

/* Tells of parameters that take any number of dimensions how many a model has, without --shape. */
static void tell_ranks(struct dcl_session *s, struct dcl_function *f,
                       const struct variant_key *key) {
    struct buf all = buf_new(s->messages);
    struct diag *told = NULL;
    for (uint32_t i = 0; i < key->nargs; i++)
        if (put_shape(s, f, key, i, &all))
            told = diag_warning(&s->diags, f->params[i].def->span, ERR_EXPORT_RANK,
                                name_text(s->names, f->params[i].name), (int)key->args[i].rank);
    if (told)
        diag_help(&s->diags, told, "another number is said by%s", all.at);
}

/* Evaluates F. *AGAIN: sizes are fixed now that were open, so it has to be done again. */
static bool evaluate(struct exporting *x, struct dcl_function *f, const struct variant_key *key,
                     const struct export_order *order, struct value *result, bool *again) {
    struct dcl_session *s = x->session;
    struct arena *a = arena_under(s->messages);
    x->to = export_begin(a, s->names, sym_ctx_new(a, s->names), &s->diags, s->prelude, order);
    x->sizes = 0;
    struct eval *ev = export_eval(x->to);
    struct maker make = {x, ev, make_dim, make_symbol, make_tensor};
    uint32_t n = variant_argument_count(f, key);
    struct value *args = ARENA_ARRAY(a, struct value, n);
    struct name size;
    int64_t number;
    ev->next_id = s->next_id;
    ev->stop = &s->stop;
    if (!variant_arguments(f, key, &make, args))
        return false;
    struct function_args all = function_arguments(f, a, n, args);
    if (!eval_call(ev, &f->value, all.n, all.at, all.keywords, (struct span){0}, result))
        return false;
    *again = false;
    for (uint32_t k = 0; export_fixes(x->to, k, &size, &number); k++) {
        *again = *again || !map_get(&x->fixed, size.i, NULL);
        map_put(&x->fixed, size.i, (uint64_t)number);
    }
    return true;
}

static bool export(struct dcl_session *s, void *data) {
    struct exporting *x = data;
    struct variant_key key = {0};
    long opset = x->opset ? x->opset : EXPORT_OPSET;
    if (!valid_opset(s, opset) || !valid_path(s, x->path, x->force) || !prelude_read(s))
        return false;
    struct dcl_function *f = function_open(s, x->signature);
    const struct module *table = f ? rows(s) : NULL;
    if (!table || !variant_key_shown(f, s->messages, &key))
        return false;
    if (!f->given && !f->last)
        tell_ranks(s, f, &key);
    struct arena *a = s->messages;
    struct export_order order = {.name = arena_strndup(a, x->signature, strcspn(x->signature, "(")),
                                 .rows = table,
                                 .opset = opset,
                                 .vector_bytes = s->options.target.vector_bytes,
                                 .vector_registers = s->options.target.vector_registers,
                                 .data = s,
                                 .state = state_bytes,
                                 .tensor = tensor_bytes};
    struct value result;
    bool again = true;
    x->session = s;
    x->fixed = map_new(a);
    while (again)
        if (!evaluate(x, f, &key, &order, &result, &again))
            return false;
    uint32_t results = fn_result_count(f->def);
    struct name *names = ARENA_ARRAY(a, struct name, results);
    for (uint32_t k = 0; k < results; k++)
        names[k] = fn_result_name(f->def, k);
    struct wire_model *m = export_finish(x->to, results,
                                         results == 1 ? &result
                                         : results    ? result.list->at
                                                      : NULL,
                                         names);
    return m && export_write(a, &s->diags, m, x->path, x->apart, &s->stop);
}

int session_export(dcl_session *s, const char *signature, const char *path, long opset, bool apart,
                   bool force) {
    struct exporting x = {
        .signature = signature, .path = path, .opset = opset, .apart = apart, .force = force};
    return session_guard(s, export, &x);
}
