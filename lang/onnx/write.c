/* dcl import as a whole: the file is mapped, and what it becomes is written. Both new files are
   complete before either takes its place. */
#include "lang/onnx/import.h"
#include "lang/print/print.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct span nowhere;

static bool refuse(struct diags *d, const char *path, const char *why) {
    diag_error(d, nowhere, ERR_FILE_WRITE, path, why);
    return false;
}

static const char weights_suffix[] = ".safetensors";

static bool write_program(struct arena *a, struct diags *d, const struct names *names,
                          const struct onnx_program *p, const char *to, const char *weights,
                          const volatile int *stop) {
    struct output *files[FILES_TOGETHER], *text;
    struct buf b = buf_new(a);
    uint32_t n = 0;
    print_ast(names, p->file, &b);
    if (p->nweights &&
        !(files[n++] = files_begin_tensors(a, d, weights, p->weights, p->nweights, stop)))
        return false;
    text = files[n++] = files_begin(a, d, to, stop);
    if (!text)
        return false;
    files_put(text, b.at, b.n);
    return files_place(files, n);
}

/* Whether files can be made beside PATH. */
static bool has_folder(struct arena *a, struct diags *d, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".";
    return access(folder, W_OK | X_OK) == 0 || refuse(d, path, strerrordesc_np(errno));
}

/* What is there may have been edited. */
bool onnx_target_free(struct diags *d, const char *path) {
    struct stat st;
    if (lstat(path, &st))
        return true;
    struct diag *e = diag_error(d, nowhere, ERR_FILE_WRITE, path, "it is there already");
    diag_help(d, e, "--force writes over it, -o PATH writes elsewhere");
    return false;
}

bool onnx_import_mapped(struct arena *a, struct names *names, struct diags *d,
                        const struct onnx_order *order, struct onnx_program *out) {
    unsigned char *bytes;
    size_t n;
    return files_map(order->files ? order->files : a, d, order->at, order->path, &bytes, &n) &&
           onnx_import(a, names, d, bytes, n, order, out);
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
    return has_folder(a, d, to) && (order->force || onnx_target_free(d, to)) &&
           onnx_import_mapped(a, names, d, &all, &program) &&
           (order->force || !program.nweights || onnx_target_free(d, weights)) &&
           write_program(a, d, names, &program, to, weights, order->stop);
}
