/* ONNX models: as programs in files, and in memory as instances of the layer that they are, whose
   program is a text that nobody else sees. The importer asks the standard library for shapes. */
#include "session/builtins.h"
#include "session/session.h"

#include "lang/onnx/import.h"
#include "lang/print/print.h"

#include <string.h>

bool model_is_path(const char *path) {
    static const char ending[] = ".onnx";
    size_t n = strlen(path), end = sizeof ending - 1;
    return n > end && strcmp(path + n - end, ending) == 0;
}

bool session_is_model(const char *path) {
    return model_is_path(path);
}

/* --- what an import asks for ---------------------------------------------------------------- */

/* PROGRAM sees the module that `use` names; FILE: in a file of this path. */
static bool add_use(struct dcl_session *s, struct module *program, const char *name, bool file,
                    struct onnx_use *out) {
    struct ast use = {
        .kind = AST_USE, .flags = file ? AST_PATH : 0, .name = name_of_text(s->names, name)};
    uint32_t before = program->uses.n;
    if (!text_use(s, program, &use, file ? "" : NULL))
        return false;
    *out = (struct onnx_use){name, file, program->uses.at[before]};
    return true;
}

/* The order for a program at PATH with the rewrites in the file RULES (NULL: none). */
static bool make_order(struct dcl_session *s, struct arena *a, const char *path, const char *rules,
                       const struct session_known *known, int n, struct onnx_order *out) {
    /* the undo list may speak of it until the call ends */
    struct module *program = module_new(s->messages, s->names, path, s->prelude);
    const char *const *library = onnx_modules();
    uint32_t nuses = 0;
    while (library[nuses])
        nuses++;
    struct onnx_use *uses = ARENA_ARRAY(a, struct onnx_use, nuses + 1);
    nuses = 0;
    if (rules && !add_use(s, program, rules, true, &uses[nuses++]))
        return false;
    for (; *library; library++)
        if (!add_use(s, program, *library, false, &uses[nuses++]))
            return false;
    struct onnx_known *all = ARENA_ARRAY(a, struct onnx_known, (size_t)n + 1);
    for (int i = 0; i < n; i++)
        all[i] =
            (struct onnx_known){known[i].name, known[i].value, known[i].dimension, known[i].likely};
    *out = (struct onnx_order){.known = all,
                               .nknown = (uint32_t)n,
                               .uses = uses,
                               .nuses = nuses,
                               .program = program,
                               .stop = &s->stop};
    return true;
}

/* --- files ---------------------------------------------------------------------------------- */

struct import {
    const char *from, *to, *rules;
    const struct session_known *known;
    int n;
    bool force;
};

static bool import(struct dcl_session *s, void *data) {
    struct import *x = data;
    struct arena *a = arena_under(s->messages);
    struct onnx_order order;
    if (!make_order(s, a, x->to, x->rules, x->known, x->n, &order))
        return false;
    order.force = x->force;
    return onnx_import_file(a, s->names, &s->diags, x->from, x->to, &order);
}

int session_import(dcl_session *s, const char *from, const char *to,
                   const struct session_known *known, int n, const char *rules, bool force) {
    struct import x = {from, to, rules, known, n, force};
    return session_guard(s, import, &x);
}

/* --- in memory ------------------------------------------------------------------------------ */

/* The program of the model PATH as a text of the new module *M, and its weights, which A holds and
   FILES; NULL after errors. The text is to be released. */
static struct text *read_model(struct dcl_session *s, struct arena *a, struct arena *files,
                               const char *path, const struct session_known *known, int n,
                               struct span at, struct module **m, struct file_tensors *weights) {
    struct onnx_order order;
    struct onnx_program program;
    struct buf text = buf_new(a);
    if (!make_order(s, a, path, NULL, known, n, &order))
        return NULL;
    order.path = path;
    order.at = at;
    order.files = files;
    if (!onnx_import_mapped(a, s->names, &s->diags, &order, &program))
        return NULL;
    print_ast(s->names, program.file, &text);
    *weights = (struct file_tensors){program.weights, program.nweights};
    *m = module_new(s->arena, s->names, arena_strndup(s->arena, path, strlen(path)), s->prelude);
    return text_read(s, *m, path, text.at, text.n);
}

/* An instance of the layer that M defines for the model. */
static bool make_instance(struct dcl_session *s, const struct module *m, struct span span,
                          struct value *out) {
    struct value layer = {.kind = VAL_LAYER, .dtype = DT_NONE};
    layer.layer = ARENA_NEW(s->unit.arena, struct layer);
    *layer.layer = (struct layer){module_find(m, name_of_text(s->names, ONNX_LAYER), NULL), m};
    return eval_call(s->unit.ev, &layer, 0, NULL, NULL, span, out);
}

bool model_load(struct dcl_session *s, const char *path, const struct session_known *known, int n,
                struct span span, struct value *out) {
    struct arena *a = arena_under(s->messages), *files = arena_under(s->arena);
    struct module *m;
    struct file_tensors weights;
    struct text *t = read_model(s, a, files, path, known, n, span, &m, &weights);
    struct data_file *f = data_file_of(files, t ? weights : (struct file_tensors){0});
    bool ok = t && make_instance(s, m, span, out) &&
              states_load(s, f, out->instance, path, &(struct load_words){0}, span);
    if (t)
        text_release(s, t);
    data_file_close(f);
    arena_free(a);
    return ok;
}

bool model_run(struct dcl_session *s, const char *path) {
    static const struct span nowhere;
    struct name name = name_of_text(s->names, "model");
    struct value v;
    unit_begin(s, name, nowhere, true);
    bool ok = model_load(s, path, s->known, s->nknown, nowhere, &v) &&
              wanted_check_instance(s, v.instance) && store_keep(s, &v, nowhere);
    if (ok)
        env_bind(s->script, name, v, nowhere);
    unit_end(s);
    return ok;
}

bool model_check(struct dcl_session *s, const char *path) {
    struct arena *a = arena_under(s->messages);
    struct module *m;
    struct file_tensors weights;
    struct text *t = read_model(s, a, a, path, s->known, s->nknown, (struct span){0}, &m, &weights);
    if (t)
        text_release(s, t);
    return t;
}

void session_know(dcl_session *s, const struct session_known *known, int n) {
    s->known = known;
    s->nknown = n;
}
