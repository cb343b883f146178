/* The standard library: in the folder DCL_STDLIB, or found beside the program; read and checked
   once per session. Its files are taken in the order of their paths, folders included; they hold
   definitions only. Those of a folder in `modules` are a module, which is read when it is used. */
#include "session/builtins.h"

#include "lang/check/check.h"
#include "lang/parse/parse.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A library that was opened by a relative path has that as its name; the loader keeps the folder
   that it was in then, and the current folder may be another one by now. */
const char *library_path(struct arena *a) {
    Dl_info info;
    struct link_map *map = NULL;
    char folder[2 * PATH_MAX], path[PATH_MAX];
    /* A data pointer of this library, since C has no conversion from functions. */
    static const char here = 0;
    if (!dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname)
        return NULL;
    const char *name = info.dli_fname, *slash = strrchr(name, '/');
    if (*name != '/' && slash && map && dlinfo(map, RTLD_DI_ORIGIN, folder) == 0)
        name = arena_printf(a, "%s%s", folder, slash);
    return realpath(name, path) ? arena_strndup(a, path, strlen(path)) : NULL;
}

const char *library_folder(struct arena *a) {
    const char *path = library_path(a), *slash = path ? strrchr(path, '/') : NULL;
    return slash ? arena_strndup(a, path, (size_t)(slash - path)) : "";
}

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* The folder of the standard library, NULL if there is none. */
static const char *find_folder(struct arena *a) {
    const char *given = getenv("DCL_STDLIB"), *lib = library_folder(a);
    if (given && *given)
        return given;
    if (*lib) {
        const char *beside = arena_printf(a, "%s/stdlib", lib);
        if (is_folder(beside))
            return beside;
        beside = arena_printf(a, "%s/../share/dcl/stdlib", lib);
        if (is_folder(beside))
            return beside;
    }
    return is_folder(DCL_STDLIB_DIR) ? DCL_STDLIB_DIR : NULL;
}

struct paths {
    VEC(const char *) at;
};

static void close_folder(void *dir) {
    if (*(DIR **)dir)
        closedir(*(DIR **)dir);
}

static bool list_files(struct dcl_session *s, struct arena *a, const char *folder, int depth,
                       struct paths *out) {
    if (depth == 8)
        return true;
    DIR **dir = ARENA_NEW(a, DIR *);
    arena_on_free(a, close_folder, dir);
    *dir = opendir(folder);
    if (!*dir) {
        diag_error(&s->diags, (struct span){0}, ERR_FILE_READ, folder, strerrordesc_np(errno));
        return false;
    }
    for (struct dirent *e; (e = readdir(*dir));) {
        if (e->d_name[0] == '.')
            continue;
        const char *path = arena_printf(a, "%s/%s", folder, e->d_name);
        size_t n = strlen(e->d_name);
        if (is_folder(path)) {
            bool modules = depth == 0 && strcmp(e->d_name, "modules") == 0;
            if (!modules && !list_files(s, a, path, depth + 1, out))
                return false;
        } else if (n > 4 && strcmp(e->d_name + n - 4, ".dcl") == 0)
            VEC_PUSH(a, out->at, path);
    }
    return true;
}

static int compare_paths(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

struct listing {
    void (*f)(void *data, const char *path);
    void *data;
};

static bool list_library(struct dcl_session *s, void *data) {
    struct listing *l = data;
    const char *folder = find_folder(s->messages);
    struct paths paths = {0};
    if (folder && !list_files(s, s->messages, folder, 0, &paths))
        return false;
    if (paths.at.n)
        qsort(paths.at.at, paths.at.n, sizeof *paths.at.at, compare_paths);
    for (uint32_t i = 0; i < paths.at.n; i++)
        if (!strchr(paths.at.at[i] + strlen(folder) + 1, '/')) /* not in a folder of its own */
            l->f(l->data, paths.at.at[i]);
    return true;
}

int session_library(dcl_session *s, void (*f)(void *data, const char *path), void *data) {
    struct listing l = {f, data};
    return session_guard(s, list_library, &l);
}

static bool only_definitions(struct dcl_session *s, const struct module *m,
                             const struct ast *file) {
    for (uint32_t i = 0; i < file->nkids; i++) {
        const struct ast *item = file->kids[i];
        if (ast_is_definition(item) || (m->prelude && item->kind == AST_USE))
            continue;
        diag_error(&s->diags, item->span, ERR_NOT_HERE,
                   "the standard library holds definitions only");
        return false;
    }
    return true;
}

static bool is_builtin(void *data, struct name n) {
    struct dcl_session *s = data;
    return eval_is_builtin(s->names, n) || builtin_has(s, n);
}

/* The other modules of the library that FILE of module M uses. */
static bool read_uses(struct dcl_session *s, struct module *m, const struct ast *file) {
    bool good = true;
    for (uint32_t i = 0; i < file->nkids; i++)
        if (file->kids[i]->kind == AST_USE)
            good = text_use(s, m, file->kids[i], NULL) && good;
    return good;
}

/* Reads all files of FOLDER (NULL: none) into a fresh module. Trees stay in the session's arena. */
static bool read_all(struct dcl_session *s, struct arena *scratch, const char *folder,
                     struct module *m) {
    struct paths paths = {0};
    if (folder && !list_files(s, scratch, folder, 0, &paths))
        return false;
    if (paths.at.n)
        qsort(paths.at.at, paths.at.n, sizeof *paths.at.at, compare_paths);
    VEC(struct ast *) files = {0};
    for (uint32_t i = 0; i < paths.at.n; i++) {
        size_t n;
        const char *why, *text = source_read_text(scratch, paths.at.at[i], &n, &why);
        if (!text) {
            diag_error(&s->diags, (struct span){0}, ERR_FILE_READ, paths.at.at[i], why);
            return false;
        }
        uint32_t source = sources_add(s->sources, paths.at.at[i], text, n);
        struct ast *file = parse_source(s->arena, s->names, &s->diags, source);
        VEC_PUSH(scratch, files, file);
        for (uint32_t k = 0; k < file->nkids; k++)
            if (ast_is_definition(file->kids[k]))
                module_define(m, file->kids[k]);
    }
    struct check_builtins builtins = {is_builtin, s, NULL, NULL};
    for (uint32_t i = 0; i < files.n; i++)
        if (only_definitions(s, m, files.at[i]) && read_uses(s, m, files.at[i]))
            check_file(s->arena, m, &builtins, NULL, NULL, &s->diags, files.at[i]);
    return s->diags.errors == 0;
}

const char *library_module_folder(struct arena *a, const char *name) {
    const char *folder = find_folder(a);
    const char *path = folder ? arena_printf(a, "%s/modules/%s", folder, name) : NULL;
    return path && !strchr(name, '/') && is_folder(path) ? path : NULL;
}

bool library_module_read(struct dcl_session *s, const char *folder, struct module *m) {
    uint32_t warnings = s->diags.warnings;
    bool ok = read_all(s, arena_under(s->messages), folder, m);
    if (ok && !warnings)
        diags_clear(&s->diags); /* the library's warnings are not the user's */
    return ok;
}

bool prelude_read(struct dcl_session *s) {
    if (s->prelude_read)
        return true;
    struct arena *scratch = arena_under(s->messages);
    struct module *m = module_new(s->arena, s->names, "stdlib", NULL);
    if (!read_all(s, scratch, find_folder(scratch), m))
        return false;
    s->prelude = m;
    s->module = module_new(s->arena, s->names, "", m);
    s->script = env_new(s->store.arena, ENV_SCRIPT, NULL, s->module);
    s->prelude_read = true;
    diags_clear(&s->diags); /* the library's warnings are not the user's */
    return true;
}
