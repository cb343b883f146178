/* What libFuzzer calls with each tensor file: it is read and looked at, and now and then written in
   all formats and read again, which must give the same. The first byte chooses the name, which says
   the format where the content does not. Built and run by `files`. */
#include "lang/files/files.h"
#include "tests/files/mend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct span nowhere;

/* Names of one file, and the type of numbers in text. */
static const struct {
    const char *name;
    enum dtype type;
} names[] = {
    {"f", DT_NONE},     {"f.csv", DT_NONE}, {"f.csv", DT_f64},          {"f.index.json", DT_NONE},
    {"f.idx", DT_NONE}, {"f.csv", DT_i8},   {"f.safetensors", DT_NONE}, {"f.npz.gz", DT_NONE}};
enum { NAMES = sizeof names / sizeof names[0] };

/* Formats that give back what they were given, as far as they take it. */
static const char *const targets[] = {"o.npy", "o.npz", "o.safetensors", "o.png", "o.wav",
                                      "o.idx", "o.csv", "o.npy.gz",      "o.jpg"};
enum { TARGETS = sizeof targets / sizeof targets[0] };

static int file = -1;

/* The file is memory, which the names point at. */
static void open_file(void) {
    char path[40];
    file = memfd_create("fuzzed", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (size_t k = 0; k < NAMES; k++) {
        unlink(names[k].name);
        if (symlink(path, names[k].name))
            abort();
    }
}

static bool is_nan(enum dtype t, const void *p) {
    double v = scalar_to_f64(t, scalar_load(t, p));
    return v != v;
}

static bool is_equal(const struct file_tensor *a, const struct file_tensor *b) {
    size_t size = dtypes[a->type].bytes;
    if (a->type != b->type || a->bytes != b->bytes)
        return false;
    for (size_t i = 0; i < a->bytes; i += size) {
        const char *x = (const char *)a->data + i, *y = (const char *)b->data + i;
        bool nans = dtype_is_float(a->type) && is_nan(a->type, x) && is_nan(b->type, y);
        if (!nans && memcmp(x, y, size) != 0)
            return false;
    }
    return true;
}

/* T, written as FORMAT says, is read as it was; what a format does not take is refused. */
static void write_again(struct arena *a, struct diags *d, struct file_tensor t, const char *path) {
    struct file_tensors back;
    t.name = "x";
    if (!files_write(a, d, nowhere, path, &t, 1, NULL)) {
        if (d->errors != 1)
            abort();
        diags_clear(d);
        return;
    }
    if (strstr(path, ".jpg")) /* which is not exact */
        return;
    enum dtype type = strstr(path, ".csv") ? t.type : DT_NONE;
    if (type == DT_bool || type == DT_f16 || type == DT_bf16)
        return;
    if (!files_read(a, d, nowhere, path, type, NULL, &back) || !is_equal(&t, &back.at[0]))
        abort();
}

static volatile unsigned sum;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (file < 0)
        open_file();
    if (n < 2)
        return 0;
    if (ftruncate(file, 0) || pwrite(file, data + 1, n - 1, 0) != (ssize_t)(n - 1))
        abort();
    struct arena *a = arena_new();
    struct diags d;
    struct file_tensors t;
    diags_init(&d, a, sources_new(a));
    size_t which = data[0] % NAMES;
    bool good = files_read(a, &d, nowhere, names[which].name, names[which].type, NULL, &t);
    for (uint32_t i = 0; good && i < t.n; i++)
        good = files_ready(&t.at[i]);
    if (good == (d.errors != 0) || d.errors > 1)
        abort();
    for (uint32_t i = 0; good && i < t.n; i++)
        for (size_t k = 0; k < t.at[i].bytes; k++)
            sum += ((unsigned char *)t.at[i].data)[k]++;
    if (good && t.n && t.at[0].bytes < 4000 && data[0] / NAMES % 4 == 0)
        for (size_t k = 0; k < TARGETS; k++)
            write_again(a, &d, t.at[0], targets[k]);
    arena_free(a);
    return 0;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t most, unsigned seed) {
    n = LLVMFuzzerMutate(data, n, most);
    if (n > 1 && is_png(data + 1, n - 1) && seed % 8)
        mend_png(data + 1, n - 1);
    return n;
}
