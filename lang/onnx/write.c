/* dcl import as a whole: the file is mapped, and what it becomes is written. Both new files are
   complete under other names before either takes its place. */
#include "lang/files/format.h"
#include "lang/onnx/import.h"
#include "lang/print/print.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct span nowhere;

/* Removed with the arena, whatever happens; "" if it has its place. */
struct temporary {
    char path[PATH_MAX];
};

static void remove_temporary(void *data) {
    struct temporary *t = data;
    if (t->path[0])
        unlink(t->path);
}

static bool refuse(struct diags *d, const char *path, const char *why) {
    diag_error(d, nowhere, ERR_FILE_WRITE, path, why);
    return false;
}

/* A path in TARGET's folder that ends in SUFFIX, for a file that is to become TARGET. */
static struct temporary *temporary_new(struct arena *a, struct diags *d, const char *target,
                                       const char *suffix) {
    struct temporary *t = ARENA_NEW(a, struct temporary);
    const char *slash = strrchr(target, '/');
    struct stat st;
    if (stat(target, &st) == 0 && !S_ISREG(st.st_mode)) {
        refuse(d, target, "not a regular file");
        return NULL;
    }
    int folder = slash ? (int)(slash - target) + 1 : 0;
    int n = snprintf(t->path, sizeof t->path, "%.*s.dcl-import-%ld%s", folder, target,
                     (long)getpid(), suffix);
    if (n < 0 || (size_t)n >= sizeof t->path) {
        t->path[0] = '\0';
        refuse(d, target, strerrordesc_np(ENAMETOOLONG));
        return NULL;
    }
    arena_on_free(a, remove_temporary, t);
    return t;
}

static bool place(struct diags *d, struct temporary *t, const char *target) {
    if (rename(t->path, target))
        return refuse(d, target, strerrordesc_np(errno));
    t->path[0] = '\0';
    return true;
}

static bool write_text(struct arena *a, struct diags *d, const struct temporary *t, const char *to,
                       const struct buf *text) {
    struct output *out = ARENA_NEW(a, struct output);
    *out = (struct output){.arena = a, .diags = d, .path = t->path, .shown = to, .fd = -1};
    if (!output_open(out))
        return false;
    output_put(out, text->at, text->n);
    return output_close(out);
}

static const char weights_suffix[] = ".safetensors";

static bool write_program(struct arena *a, struct diags *d, const struct names *names,
                          const struct onnx_program *p, const char *to, const char *weights) {
    struct temporary *text = temporary_new(a, d, to, ".dcl"), *data = NULL;
    struct buf b = buf_new(a);
    if (!text)
        return false;
    print_ast(names, p->file, &b);
    if (!write_text(a, d, text, to, &b))
        return false;
    if (p->nweights) {
        data = temporary_new(a, d, weights, weights_suffix);
        if (!data || !files_write(a, d, nowhere, data->path, p->weights, p->nweights) ||
            !place(d, data, weights))
            return false;
    }
    return place(d, text, to);
}

/* Whether files can be made beside PATH. */
static bool has_folder(struct arena *a, struct diags *d, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".";
    return access(folder, W_OK | X_OK) == 0 || refuse(d, path, strerrordesc_np(errno));
}

/* What is there may have been edited. */
static bool is_free(struct diags *d, const char *path) {
    struct stat st;
    if (lstat(path, &st))
        return true;
    struct diag *e = diag_error(d, nowhere, ERR_FILE_WRITE, path, "it is there already");
    diag_help(d, e, "--force writes over it, -o PATH writes elsewhere");
    return false;
}

bool onnx_import_mapped(struct arena *a, struct names *names, struct diags *d,
                        const struct onnx_order *order, struct onnx_program *out) {
    struct input in = {
        .arena = order->files ? order->files : a, .diags = d, .at = order->at, .path = order->path};
    return input_open(&in) && onnx_import(a, names, d, in.bytes, in.n, order, out);
}

bool onnx_import_file(struct arena *a, struct names *names, struct diags *d, const char *from,
                      const char *to, const struct onnx_order *order) {
    struct onnx_order all = *order;
    struct onnx_program program;
    size_t n = strlen(to);
    if (n < 5 || strcmp(to + n - 4, ".dcl") != 0 || to[n - 5] == '/')
        return refuse(d, to, "the name does not end in .dcl");
    const char *name = arena_strndup(a, to, n - 4), *slash = strrchr(name, '/');
    const char *weights = arena_printf(a, "%s%s", name, weights_suffix);
    all.path = from;
    all.name = slash ? slash + 1 : name;
    all.files = a;
    return has_folder(a, d, to) && (order->force || is_free(d, to)) &&
           onnx_import_mapped(a, names, d, &all, &program) &&
           (order->force || !program.nweights || is_free(d, weights)) &&
           write_program(a, d, names, &program, to, weights);
}
