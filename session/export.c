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
};

/* `_`, any size, gets a name, since a model's sizes have some. */
static struct value make_dim(void *to, struct name n) {
    struct exporting *x = to;
    struct dcl_session *s = x->session;
    if (strcmp(name_text(s->names, n), "_") == 0)
        n = name_of_text(s->names, arena_printf(s->messages, "size_%u", ++x->sizes));
    return export_size(x->to, n);
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
    struct arena *a = arena_under(s->messages);
    struct export_order order = {.name = name_text(s->names, f->def->name),
                                 .rows = table,
                                 .opset = opset,
                                 .vector_bytes = s->options.target.vector_bytes,
                                 .vector_registers = s->options.target.vector_registers,
                                 .data = s,
                                 .state = state_bytes,
                                 .tensor = tensor_bytes};
    order.name = arena_strndup(a, x->signature, strcspn(x->signature, "("));
    x->session = s;
    x->to = export_begin(a, s->names, sym_ctx_new(a, s->names), &s->diags, s->prelude, &order);
    struct eval *ev = export_eval(x->to);
    struct maker make = {x, ev, make_dim, make_symbol, make_tensor};
    uint32_t n = variant_argument_count(f, &key), results = fn_result_count(f->def);
    struct value *args = ARENA_ARRAY(a, struct value, n), result;
    ev->next_id = s->next_id;
    ev->stop = &s->stop;
    if (!variant_arguments(f, &key, &make, args))
        return false;
    struct function_args all = function_arguments(f, a, n, args);
    if (!eval_call(ev, &f->value, all.n, all.at, all.keywords, (struct span){0}, &result))
        return false;
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
