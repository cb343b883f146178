/* For tests in C: programs as text to graphs. One program_new per test; free it at the end.
   Errors are printed as TAP diagnostics. */
#ifndef DCL_TESTS_HARNESS_PROGRAM_H
#define DCL_TESTS_HARNESS_PROGRAM_H

#include "compiler/lower/lower.h"
#include "compiler/passes/pass.h"
#include "compiler/print/print.h"
#include "lang/check/check.h"
#include "lang/parse/parse.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    struct arena *arena;
    struct names *names;
    struct sources *sources;
    struct diags diags;
    struct sym_ctx *syms;
    struct module *prelude, *user;
    VEC(struct ast *) files; /* of the library, defined and not yet checked */
};

static inline bool program_is_builtin(void *data, struct name n) {
    return eval_is_builtin(data, n) || strncmp(name_text(data, n), "kaiming", 7) == 0 ||
           strcmp(name_text(data, n), "uniform") == 0 || strcmp(name_text(data, n), "zeros") == 0 ||
           strcmp(name_text(data, n), "ones") == 0;
}

static inline bool program_is_variable(void *data, struct name n) {
    (void)data;
    (void)n;
    return false;
}

static inline void program_errors(struct program *p) {
    struct buf b = buf_new(p->arena);
    diags_print(&p->diags, &b, false);
    for (char *line = b.at, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        printf("# %.*s\n", (int)(end - line), line);
    }
    diags_clear(&p->diags);
}

static inline struct ast *program_define(struct program *p, struct module *m, const char *path,
                                         const char *text) {
    struct ast *f = parse_source(p->arena, p->names, &p->diags,
                                 sources_add(p->sources, path, text, strlen(text)));
    for (uint32_t k = 0; k < f->nkids; k++)
        if (f->kids[k]->kind == AST_FN || f->kids[k]->kind == AST_LAYER)
            module_define(m, f->kids[k]);
    return f;
}

static inline bool program_check(struct program *p, struct module *m, struct ast *f) {
    struct check_builtins builtins = {program_is_builtin, p->names, NULL, NULL};
    check_file(p->arena, m, &builtins, program_is_variable, NULL, &p->diags, f);
    if (p->diags.errors == 0)
        return true;
    program_errors(p);
    return false;
}

/* Adds definitions to M; false on errors. */
static inline bool program_add(struct program *p, struct module *m, const char *path,
                               const char *text) {
    return program_check(p, m, program_define(p, m, path, text));
}

static inline int program_dcl_file(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 4 && strcmp(e->d_name + n - 4, ".dcl") == 0;
}

/* Calls F with the path and text of every file of the standard library, in order. */
static inline void program_stdlib(struct program *p,
                                  void (*f)(struct program *, const char *, char *)) {
    static const char *const folders[] = {"stdlib", "stdlib/kernels", "stdlib/modules/onnx"};
    const char *src = getenv("DCL_SRC");
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
        const char *dir = arena_printf(p->arena, "%s/%s", src ? src : ".", folders[k]), *why;
        struct dirent **files;
        int n = scandir(dir, &files, program_dcl_file, alphasort);
        for (int i = 0; i < n; i++) {
            size_t size;
            const char *path = arena_printf(p->arena, "%s/%s", dir, files[i]->d_name);
            char *text = source_read_file(p->arena, path, &size, &why);
            if (text)
                f(p, path, text);
            free(files[i]);
        }
        if (n >= 0)
            free(files);
    }
    for (uint32_t i = 0; i < p->files.n; i++)
        program_check(p, p->prelude, p->files.at[i]);
}

static inline void program_add_library(struct program *p, const char *path, char *text) {
    struct ast *f = program_define(p, p->prelude, path, text);
    VEC_PUSH(p->arena, p->files, f);
}

/* An empty program; LIBRARY adds the standard library. */
static inline struct program *program_new(bool library) {
    struct arena *a = arena_new();
    struct program *p = ARENA_NEW(a, struct program);
    p->arena = a;
    p->names = names_new(a);
    p->sources = sources_new(a);
    diags_init(&p->diags, a, p->sources);
    p->syms = sym_ctx_new(a, p->names);
    p->prelude = module_new(a, p->names, "prelude", NULL);
    p->user = module_new(a, p->names, "user", p->prelude);
    if (library)
        program_stdlib(p, program_add_library);
    return p;
}

static inline void program_free(struct program *p) {
    arena_free(p->arena);
}

/* The graph of function NAME with its dimensions as symbols; NULL on errors. */
static inline struct graph *program_lower(struct program *p, const struct module *m,
                                          const char *name) {
    struct ast *fn = module_find(m, name_of_text(p->names, name), NULL);
    struct graph *g = fn ? lower_printed(p->arena, p->names, p->syms, &p->diags, m, fn) : NULL;
    if (!g || !graph_verify(g, "lower", &p->diags)) {
        program_errors(p);
        return NULL;
    }
    return g;
}

static inline bool program_passes(struct program *p, struct graph *g) {
    struct pipeline all;
    struct pass_target target = {32, 16, false};
    pipeline_default(&all);
    if (pipeline_run(g, &all, &target, true, NULL, NULL, &p->diags))
        return true;
    program_errors(p);
    return false;
}

static inline const char *program_text(struct program *p, const struct graph *g) {
    struct buf b = buf_new(p->arena);
    graph_print(g, &b);
    return b.at;
}

/* Whether G's text, read back, is the same graph and prints the same. */
static inline bool program_round_trip(struct program *p, const struct graph *g) {
    const char *text = program_text(p, g);
    struct module *m = module_new(p->arena, p->names, "printed", NULL);
    if (!program_add(p, m, "printed", text))
        return false;
    struct graph *h = program_lower(p, m, name_text(p->names, g->name));
    struct buf why = buf_new(p->arena);
    if (h && graph_equal(g, h, &why) && strcmp(text, program_text(p, h)) == 0)
        return true;
    printf("# read back it differs: %s\n", why.n ? why.at : "its text");
    return false;
}

#endif
