/* ONNX models as programs: the importer asks the standard library for shapes. */
#include "session/session.h"
#include "session/state.h"

#include "lang/onnx/import.h"

struct import {
    const char *from, *to, *rules;
    const struct session_known *known;
    int n;
    bool force;
};

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

static bool import(struct dcl_session *s, void *data) {
    struct import *x = data;
    if (!prelude_read(s))
        return false;
    struct arena *a = arena_under(s->messages);
    struct module *program = module_new(a, s->names, x->to, s->prelude);
    const char *const *library = onnx_modules();
    uint32_t n = 0;
    while (library[n])
        n++;
    struct onnx_use *uses = ARENA_ARRAY(a, struct onnx_use, n + 1);
    n = 0;
    if (x->rules && !add_use(s, program, x->rules, true, &uses[n++]))
        return false;
    for (; *library; library++)
        if (!add_use(s, program, *library, false, &uses[n++]))
            return false;
    struct onnx_known *known = ARENA_ARRAY(a, struct onnx_known, (size_t)x->n + 1);
    for (int i = 0; i < x->n; i++)
        known[i] = (struct onnx_known){x->known[i].name, x->known[i].value, x->known[i].dimension};
    struct onnx_order order = {.known = known,
                               .nknown = (uint32_t)x->n,
                               .uses = uses,
                               .nuses = n,
                               .program = program,
                               .force = x->force};
    return onnx_import_file(a, s->names, &s->diags, x->from, x->to, &order);
}

int session_import(dcl_session *s, const char *from, const char *to,
                   const struct session_known *known, int n, const char *rules, bool force) {
    struct import x = {from, to, rules, known, n, force};
    return session_guard(s, import, &x);
}
