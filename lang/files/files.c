/* Tensor files: the choice of the format, and what all of them check. */
#include "lang/files/files.h"

#include "lang/files/format.h"

#include <stdlib.h>
#include <string.h>

static const struct format {
    const char *suffix;
    bool (*read)(struct input *in, struct file_tensors *out);
    bool (*write)(struct output *out, const struct file_tensor *tensors, uint32_t n);
} formats[] = {
#define FORMAT(id, end, doc) {.suffix = end, .read = id##_read, .write = id##_write},
#include "lang/files/format.def"
#undef FORMAT
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const char *files_suffix(uint32_t k) {
    return k < FORMATS ? formats[k].suffix : NULL;
}

/* The format of PATH, NULL if its suffix is none of ours. */
static const struct format *format_of(const char *path) {
    size_t n = strlen(path);
    for (size_t k = 0; k < FORMATS; k++) {
        size_t end = strlen(formats[k].suffix);
        if (n > end && strcmp(path + n - end, formats[k].suffix) == 0)
            return &formats[k];
    }
    return NULL;
}

static const char unknown_suffix[] = "the name ends in none of .npy, .npz, .safetensors";

bool files_read(struct arena *a, struct diags *d, struct span at, const char *path,
                struct file_tensors *out) {
    struct input in = {.arena = a, .diags = d, .at = at, .path = path};
    *out = (struct file_tensors){0};
    const struct format *f = format_of(path);
    if (!f)
        return input_fail(&in, "%s", unknown_suffix);
    struct file_tensors read = {0};
    if (!input_open(&in) || !f->read(&in, &read))
        return false;
    const char *twin = find_twin(a, read.at, read.n);
    if (twin)
        return input_fail(&in, "two tensors are called '%s'", input_show(&in, twin));
    *out = read;
    return true;
}

static bool is_writable(const struct output *out, const struct file_tensor *t) {
    size_t bytes;
    if (t->type >= DT_COUNT || t->rank > FILE_RANK_MAX)
        return output_fail(out, "a tensor of %u dimensions", t->rank);
    if (!tensor_bytes(t->type, t->rank, t->dims, &bytes))
        return output_fail(out, "a tensor with impossible dimensions");
    if (!text_is_utf8(t->name, strlen(t->name)))
        return output_fail(out, "the name of a tensor is not UTF-8");
    return true;
}

bool files_write(struct arena *a, struct diags *d, struct span at, const char *path,
                 const struct file_tensor *tensors, uint32_t n) {
    struct output *out = ARENA_NEW(a, struct output);
    *out = (struct output){.arena = a, .diags = d, .at = at, .path = path, .fd = -1};
    const struct format *f = format_of(path);
    if (!f)
        return output_fail(out, "%s", unknown_suffix);
    for (uint32_t i = 0; i < n; i++)
        if (!is_writable(out, &tensors[i]))
            return false;
    const char *twin = find_twin(a, tensors, n);
    if (twin && f->write != npy_write)
        return output_fail(out, "two tensors are called '%s'", twin);
    return f->write(out, tensors, n);
}

const struct file_tensor *files_find(const struct file_tensors *t, const char *name) {
    for (uint32_t i = 0; i < t->n; i++)
        if (strcmp(t->at[i].name, name) == 0)
            return &t->at[i];
    return NULL;
}

/* --- tensors -------------------------------------------------------------------------------- */

bool tensor_bytes(enum dtype t, uint32_t rank, const int64_t *dims, size_t *bytes) {
    int64_t total = dtypes[t].bytes;
    bool empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return false;
        if (dims[i] == 0)
            empty = true;
        else if (__builtin_mul_overflow(total, dims[i], &total))
            return false;
    }
    *bytes = empty ? 0 : (size_t)total;
    return true;
}

/* The length of the UTF-8 character at P (N bytes are there), 0 if it is none: overlong forms,
   surrogates and values above 10FFFF are none. */
static size_t utf8_length(const unsigned char *p, size_t n) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (p[0] < 0x80)
        return p[0] != 0;
    size_t length = p[0] >= 0xf8 ? 0 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 0;
    if (length == 0 || length > n)
        return 0;
    uint32_t c = p[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    bool valid = c >= least[length] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
    return valid ? length : 0;
}

bool text_is_utf8(const char *text, size_t n) {
    while (n) {
        size_t step = utf8_length((const unsigned char *)text, n);
        if (step == 0)
            return false;
        text += step;
        n -= step;
    }
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *find_twin(struct arena *a, const struct file_tensor *t, uint32_t n) {
    const char **names = ARENA_ARRAY(a, const char *, n);
    for (uint32_t i = 0; i < n; i++)
        names[i] = t[i].name;
    qsort(names, n, sizeof *names, by_name);
    for (uint32_t i = 1; i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return names[i];
    return NULL;
}

static void swap_bytes(unsigned char *p, size_t bytes, size_t size) {
    for (size_t at = 0; at < bytes; at += size)
        for (size_t i = 0; i < size / 2; i++) {
            unsigned char c = p[at + i];
            p[at + i] = p[at + size - 1 - i];
            p[at + size - 1 - i] = c;
        }
}

/* Any byte but 0 is true. Only pages with other bytes than 0 and 1 are written to. */
static void settle_bools(unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] > 1)
            p[i] = 1;
}

bool tensor_settle(const struct input *in, struct file_tensor *t, void *data, bool swap) {
    unsigned size = dtypes[t->type].bytes;
    if ((uintptr_t)data % size != 0) {
        void *moved = input_memory(in, t->bytes);
        if (!moved)
            return false;
        data = memcpy(moved, data, t->bytes);
    }
    t->mapped = (unsigned char *)data >= in->bytes && (unsigned char *)data < in->bytes + in->n;
    if (swap)
        swap_bytes(data, t->bytes, size);
    if (t->type == DT_bool)
        settle_bools(data, t->bytes);
    t->data = data;
    return true;
}
