/* What the tests of lang/check share: a program as text, parsed and checked against a small
   prelude, and the messages as the user sees them. */
#ifndef TESTS_UNIT_CHECK_PROGRAM_H
#define TESTS_UNIT_CHECK_PROGRAM_H

#include "lang/check/check.h"
#include "lang/parse/parse.h"

#include <string.h>

struct program {
    struct arena *arena;
    struct names *names;
    struct sources *sources;
    struct diags diags;
    struct module *prelude, *module;
    struct ast *file;
    bool good;
};

static const char program_prelude[] =
    "fn relu(x: T[*S]) -> y: T[*S] where T: number { map *i { y[*i] = max(x[*i], 0) } }\n"
    "fn ones(x: T[*S]) -> y: T[*S] where T: number { y[:] = 1 }\n";

static inline bool program_builtin(void *data, struct name n) {
    const char *text = name_text(data, n);
    return strcmp(text, "print") == 0 || strcmp(text, "len") == 0;
}

/* The session of these programs has one variable. */
static inline bool program_variable(void *data, struct name n) {
    return strcmp(name_text(data, n), "session_variable") == 0;
}

static inline struct ast *program_parse(struct program *p, struct module *m, const char *path,
                                        const char *text, size_t n) {
    struct ast *file =
        parse_source(p->arena, p->names, &p->diags, sources_add(p->sources, path, text, n));
    for (uint32_t i = 0; i < file->nkids; i++)
        if (file->kids[i]->kind == AST_FN || file->kids[i]->kind == AST_LAYER)
            module_define(m, file->kids[i]);
    return file;
}

static inline void program_check(struct program *p) {
    struct check_builtins builtins = {program_builtin, p->names, NULL, NULL};
    p->good =
        check_file(p->arena, p->module, &builtins, program_variable, p->names, &p->diags, p->file);
}

/* Parses and checks N bytes at TEXT. The arena is the caller's. */
static inline void program_run(struct program *p, struct arena *a, const char *path,
                               const char *text, size_t n) {
    *p = (struct program){.arena = a, .names = names_new(a), .sources = sources_new(a)};
    diags_init(&p->diags, a, p->sources);
    p->diags.limit = 1000;
    p->prelude = module_new(a, p->names, "prelude.dcl", NULL);
    p->module = module_new(a, p->names, path, p->prelude);
    program_parse(p, p->prelude, "prelude.dcl", program_prelude, sizeof program_prelude - 1);
    p->file = program_parse(p, p->module, path, text, n);
    program_check(p);
}

static inline const char *program_messages(const struct program *p) {
    struct buf out = buf_new(p->arena);
    diags_print(&p->diags, &out, false);
    return out.at;
}

#endif
