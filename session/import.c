/* ONNX models as programs: the importer asks the standard library for shapes. */
#include "session/session.h"
#include "session/state.h"

#include "lang/onnx/import.h"

struct import {
    const char *from, *to;
    const struct session_known *known;
    int n;
    bool force;
};

static bool import(struct dcl_session *s, void *data) {
    struct import *x = data;
    if (!prelude_read(s))
        return false;
    struct arena *a = arena_under(s->messages);
    const char *folder = library_module_folder(a, onnx_module());
    struct module *library = folder ? text_library_module(s, folder) : NULL;
    if (!library) {
        if (!s->diags.errors)
            diag_error(&s->diags, (struct span){0}, ERR_FILE_READ, onnx_module(),
                       "the library has no such module");
        return false;
    }
    struct onnx_known *known = ARENA_ARRAY(a, struct onnx_known, (size_t)x->n + 1);
    for (int i = 0; i < x->n; i++)
        known[i] = (struct onnx_known){x->known[i].name, x->known[i].value, x->known[i].dimension};
    struct onnx_order order = {
        .known = known, .nknown = (uint32_t)x->n, .functions = library, .force = x->force};
    return onnx_import_file(a, s->names, &s->diags, x->from, x->to, &order);
}

int session_import(dcl_session *s, const char *from, const char *to,
                   const struct session_known *known, int n, bool force) {
    struct import x = {from, to, known, n, force};
    return session_guard(s, import, &x);
}
