/* Texts: reading, checking, defining. A text whose definitions are in use is kept; the arenas of
   the others are freed by the next collection (store.c). */
#include "session/builtins.h"

#include "lang/check/check.h"
#include "lang/parse/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct text *new_text(struct dcl_session *s) {
    struct text *t = NULL;
    for (uint32_t i = 0; i < s->texts.n && !t; i++)
        if (!s->texts.at[i]->arena)
            t = s->texts.at[i];
    if (!t) {
        t = ARENA_NEW(s->arena, struct text);
        VEC_PUSH(s->arena, s->texts, t);
    }
    *t = (struct text){.running = true};
    s->store.texts++;
    t->arena = arena_new();
    return t;
}

void text_release(struct dcl_session *s, struct text *t) {
    (void)s;
    t->running = false;
}

struct text *text_of_source(struct dcl_session *s, uint32_t source) {
    for (uint32_t i = 0; i < s->texts.n; i++)
        if (s->texts.at[i]->arena && s->texts.at[i]->source == source)
            return s->texts.at[i];
    return NULL;
}

static bool is_builtin(void *data, struct name n) {
    struct dcl_session *s = data;
    return eval_is_builtin(s->names, n) || builtin_has(s, n);
}

static bool is_variable(void *data, struct name n) {
    struct dcl_session *s = data;
    return env_find(s->script, n, NULL) != NULL;
}

static void each_variable(void *data, void (*f)(void *to, struct name n), void *to) {
    const struct dcl_session *s = data;
    for (uint32_t i = 0; i < s->script->bindings.n; i++)
        f(to, s->script->bindings.at[i].name);
}

/* Names of builtins on their way to F. */
struct named {
    struct dcl_session *s;
    void (*f)(void *to, struct name n);
    void *to;
};

static void tell_name(void *data, const char *name) {
    struct named *x = data;
    x->f(x->to, name_of_text(x->s->names, name));
}

static void each_builtin(void *data, void (*f)(void *to, struct name n), void *to) {
    struct named x = {data, f, to};
    builtin_each(tell_name, &x);
    states_each_initializer(tell_name, &x);
    eval_each_builtin(tell_name, &x);
}

struct name script_nearest(struct dcl_session *s, struct name n) {
    uint32_t count = s->script->bindings.n;
    struct name *all = ARENA_ARRAY(s->messages, struct name, count);
    for (uint32_t i = 0; i < count; i++)
        all[i] = s->script->bindings.at[i].name;
    return check_nearest(s->module, n, all, count);
}

/* --- use ------------------------------------------------------------------------------------ */

/* FILE in a folder of DCL_PATH, which are parted by colons. */
static bool find_on_path(struct dcl_session *s, const char *file, char path[PATH_MAX]) {
    const char *folders = getenv("DCL_PATH");
    while (folders && *folders) {
        size_t n = strcspn(folders, ":");
        if (n && realpath(arena_printf(s->messages, "%.*s/%s", (int)n, folders, file), path))
            return true;
        folders += n + (folders[n] == ':');
    }
    return false;
}

/* The file that USE in the file FROM (NULL: of the library) means: beside FROM, or from the current
   folder, or from one of DCL_PATH; else a folder of the LIBRARY. */
static bool find_used(struct dcl_session *s, const struct ast *use, const char *from,
                      char path[PATH_MAX], bool *library) {
    *library = false;
    const char *name = name_text(s->names, use->name);
    const char *file = use->flags & AST_PATH ? name : arena_printf(s->messages, "%s.dcl", name);
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (slash && file[0] != '/') {
        const char *beside =
            arena_printf(s->messages, "%.*s%s", (int)(slash - from + 1), from, file);
        if (realpath(beside, path))
            return true;
    }
    if (from && (realpath(file, path) || (file[0] != '/' && find_on_path(s, file, path))))
        return true;
    const char *folder = use->flags & AST_PATH ? NULL : library_module_folder(s->messages, name);
    *library = folder != NULL;
    if (folder && realpath(folder, path))
        return true;
    struct diag *d = diag_error(&s->diags, use->span, ERR_FILE_READ, file, "there is no such file");
    const char *folders = getenv("DCL_PATH");
    if (file[0] != '/')
        diag_help(&s->diags, d, "it stands neither beside this file nor in the current folder%s%s",
                  folders && *folders ? " nor in DCL_PATH: " : "; DCL_PATH names more folders",
                  folders ? folders : "");
    return false;
}

/* A file that others use: its definitions as M. */
static bool read_module(struct dcl_session *s, struct module *m, const char *path,
                        const struct ast *use) {
    const char *why;
    size_t n;
    bool model = model_is_path(path);
    char *text = model ? NULL : source_read_text(s->messages, path, &n, &why);
    if (!text) {
        struct diag *d = diag_error(&s->diags, use->span, ERR_FILE_READ, path,
                                    model ? "it is an ONNX model" : why);
        if (model)
            diag_help(&s->diags, d, "model = load(\"%s\") makes an instance of it", path);
        return false;
    }
    struct text *t = text_read(s, m, path, text, n);
    if (!t)
        return false;
    for (uint32_t i = 0; i < t->file->nkids; i++)
        if (!ast_is_definition(t->file->kids[i]) && t->file->kids[i]->kind != AST_USE)
            diag_error(&s->diags, t->file->kids[i]->span, ERR_NOT_HERE,
                       "a file that others use holds definitions only");
    text_release(s, t);
    return s->diags.errors == 0;
}

/* The module in the file PATH, or of the LIBRARY in that folder, read if it is not yet. */
static struct module *module_at(struct dcl_session *s, const char *path, const struct ast *use,
                                bool library) {
    uint64_t known = 0;
    struct name key = name_of_text(s->names, path);
    map_get(&s->modules, key.i, &known);
    struct module *m = (struct module *)(uintptr_t)known;
    if (m)
        return m;
    m = module_new(s->arena, s->names, name_text(s->names, key), s->prelude);
    define_module(s, key, m); /* so that a cycle ends */
    if (library ? library_module_read(s, path, m) : read_module(s, m, path, use))
        return m;
    define_module(s, key, NULL);
    return NULL;
}

bool text_use(struct dcl_session *s, struct module *user, const struct ast *use, const char *from) {
    char path[PATH_MAX];
    bool library;
    if (!find_used(s, use, from, path, &library))
        return false;
    struct module *m = module_at(s, path, use, library);
    if (!m)
        return false;
    for (uint32_t i = 0; i < user->uses.n; i++)
        if (user->uses.at[i] == m)
            return true;
    define_use(s, user, m);
    return true;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Whether a message lies in AT. */
static bool has_error(const struct diags *d, struct span at) {
    for (const struct diag *e = d->first; e; e = e->next)
        if (e->severity == SEV_ERROR && e->span.source == at.source && e->span.start >= at.start &&
            e->span.end <= at.end)
            return true;
    return false;
}

/* Shape errors of functions, before any data exists. Of one that is wrong already, no more is said.
 */
static void check_shapes(struct dcl_session *s, struct module *m, struct ast *file) {
    module_enter(m, file);
    for (uint32_t i = 0; i < file->nkids; i++) {
        if (ast_is_definition(file->kids[i]))
            module_pass(m, file->kids[i]);
        if (file->kids[i]->kind != AST_FN || has_error(&s->diags, file->kids[i]->span) || s->stop)
            continue;
        s->scratch = arena_new();
        lower_check_definition(s->scratch, s->names, &s->diags, m, file->kids[i], &s->stop);
        arena_free(s->scratch);
        s->scratch = NULL;
    }
}

bool text_check(struct dcl_session *s, struct arena *a, struct module *m, struct diags *d,
                struct ast *file) {
    struct check_builtins builtins = {is_builtin, s, each_variable, each_builtin};
    return check_file(a, m, &builtins, is_variable, s, d, file);
}

/* A function that is defined anew has the gradient function that stands in the same text, not above
   a definition of the function that this one replaces, or none. */
static bool read_items(struct dcl_session *s, struct module *m, const char *path, struct text *t) {
    bool found = true;
    for (uint32_t i = 0; i < t->file->nkids; i++)
        if (t->file->kids[i]->kind == AST_USE && !text_use(s, m, t->file->kids[i], path))
            found = false;
    if (!found)
        return false;
    for (uint32_t i = 0; i < t->file->nkids; i++)
        if (ast_is_definition(t->file->kids[i]))
            forget_gradient(s, m, t->file->kids[i]->name);
    for (uint32_t i = 0; i < t->file->nkids; i++) {
        struct ast *item = t->file->kids[i];
        if (!ast_is_definition(item))
            continue;
        const struct ast *former = module_find(m, item->name, NULL);
        if (former && former->span.source == item->span.source)
            forget_gradient(s, m, item->name);
        define(s, m, item);
    }
    text_check(s, t->arena, m, &s->diags, t->file);
    check_shapes(s, m, t->file);
    if (s->diags.errors && s->wants && !s->wants->entry) {
        wanted_check(s, t->file); /* a slip in a variable that is given may be the reason */
        wanted_help(s, t->file);
    }
    return s->diags.errors == 0;
}

struct text *text_read(struct dcl_session *s, struct module *m, const char *path, const char *text,
                       size_t n) {
    uint32_t mark = s->undo.n;
    bool own = !s->in_line; /* definitions are taken back here if no line does that */
    struct text *t = new_text(s);
    t->source = sources_add(s->sources, path, text, n);
    t->file = parse_source(t->arena, s->names, &s->diags, t->source);
    bool ok = s->diags.errors == 0 && read_items(s, m, path, t);
    if (ok && m == s->module) {
        dependents_check(s, m, t->source, mark);
        for (uint32_t i = 0; i < t->file->nkids; i++)
            if (ast_is_definition(t->file->kids[i]))
                dependents_note(s, t->file->kids[i]);
    }
    if (own)
        undo_definitions(s, mark, !ok);
    if (ok)
        return t;
    text_release(s, t);
    return NULL;
}
