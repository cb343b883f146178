/* Tensor files: the choice of the format, and what all of them check. */
#include "lang/files/files.h"

#include "lang/base/buf.h"
#include "lang/files/format.h"

#include <string.h>

static const struct format {
    const char *suffixes, *magic;
    size_t magic_size;
    const char *words;
    bool (*read)(struct input *in, struct file_tensors *out);
    bool (*write)(struct output *out, const struct file_tensor *tensors, uint32_t n);
} formats[] = {
#define FORMAT(id, ends, begin, named, doc)                                                        \
    {.suffixes = ends,                                                                             \
     .magic = begin,                                                                               \
     .magic_size = sizeof begin - 1,                                                               \
     .words = named,                                                                               \
     .read = id##_read,                                                                            \
     .write = id##_write},
#include "lang/files/format.def"
#undef FORMAT
};
enum { FORMATS = sizeof formats / sizeof formats[0], STRONG = 3 };

const char *files_suffixes(uint32_t k) {
    return k < FORMATS ? formats[k].suffixes : NULL;
}

static char small_letter(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether the N letters at PATH end in the LENGTH ones at SUFFIX, with something before. */
static bool ends_in(const char *path, size_t n, const char *suffix, size_t length) {
    if (n <= length)
        return false;
    for (size_t i = 0; i < length; i++)
        if (small_letter(path[n - length + i]) != suffix[i])
            return false;
    return true;
}

bool gzip_is_name(const char *path, size_t n) {
    return ends_in(path, n, ".gz", 3);
}

/* The letters of PATH without .gz. */
static size_t plain_length(const char *path) {
    size_t n = strlen(path);
    return gzip_is_name(path, n) ? n - 3 : n;
}

/* The format of the N letters at PATH, NULL if their end is none of ours. */
static const struct format *format_of_name(const char *path, size_t n) {
    for (size_t k = 0; k < FORMATS; k++)
        for (const char *p = formats[k].suffixes; *p;) {
            size_t length = strcspn(p, " ");
            if (ends_in(path, n, p, length))
                return &formats[k];
            p += length + (p[length] == ' ');
        }
    return NULL;
}

static bool has_magic(const struct format *f, const struct input *in) {
    if (!f->magic_size || in->n < f->magic_size)
        return false;
    for (size_t i = 0; i < f->magic_size; i++)
        if (f->magic[i] != '.' && (unsigned char)f->magic[i] != in->bytes[i])
            return false;
    return true;
}

static const struct format *format_of_content(const struct input *in) {
    for (size_t k = 0; k < FORMATS; k++)
        if (has_magic(&formats[k], in))
            return &formats[k];
    return NULL;
}

static const char *all_suffixes(struct arena *a) {
    struct buf b = buf_new(a);
    for (size_t k = 0; k < FORMATS; k++)
        buf_printf(&b, "%s%s", k ? " " : "", formats[k].suffixes);
    return b.at;
}

/* By the content, or else by the name; NULL after an error. */
static const struct format *choose(const struct input *in) {
    const struct format *named = format_of_name(in->path, plain_length(in->path));
    if (named && has_magic(named, in))
        return named;
    const struct format *found = format_of_content(in);
    if (!named && !found)
        input_fail(in, "the name ends in none of %s, and the content is none of these",
                   all_suffixes(in->arena));
    if (!named || !found || found->magic_size < STRONG)
        return named ? named : found;
    input_fail(in, "by its name it is %s, by its content %s, whose names end in %s", named->words,
               found->words, found->suffixes);
    return NULL;
}

bool files_read(struct arena *a, struct diags *d, struct span at, const char *path, enum dtype type,
                const volatile int *stop, struct file_tensors *out) {
    struct input in = {
        .arena = a, .diags = d, .at = at, .path = path, .wanted = type, .stop = stop};
    *out = (struct file_tensors){0};
    struct file_tensors read = {0};
    if (!input_open(&in))
        return false;
    if (gzip_is_content(&in)) {
        if (!gzip_unpack(&in))
            return false;
    } else if (gzip_is_name(path, strlen(path))) {
        return input_fail(&in, "the name ends in .gz, but the content is not that of gzip");
    }
    const struct format *f = choose(&in);
    if (!f)
        return false;
    if (type != DT_NONE && f->read != csv_read)
        return input_fail(&in, "the file says the element type: it is no CSV");
    if (!f->read(&in, &read))
        return false;
    const char *twin = find_twin(a, read.at, read.n);
    if (twin)
        return input_fail(&in, "two tensors are called '%s'", input_show(&in, twin));
    *out = read;
    return true;
}

bool files_read_raw(struct arena *a, struct diags *d, struct span at, const char *path,
                    enum dtype type, const volatile int *stop, struct file_tensors *out) {
    struct input in = {.arena = a, .diags = d, .at = at, .path = path, .stop = stop};
    size_t size = dtypes[type].bytes;
    *out = (struct file_tensors){0};
    if (!input_open(&in))
        return false;
    if (in.n % size)
        return input_fail(&in, "%zu bytes are no whole number of elements of %s", in.n,
                          dtypes[type].name);
    int64_t *dims = ARENA_NEW(a, int64_t);
    *dims = (int64_t)(in.n / size);
    struct file_tensor *t = ARENA_NEW(a, struct file_tensor);
    *t = (struct file_tensor){.name = "",
                              .type = type,
                              .rank = 1,
                              .dims = dims,
                              .data = in.bytes,
                              .bytes = in.n,
                              .mapped = true};
    *out = (struct file_tensors){t, 1};
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

static struct output *output_new(struct arena *a, struct diags *d, struct span at, const char *path,
                                 const volatile int *stop) {
    struct output *out = ARENA_NEW(a, struct output);
    *out = (struct output){.arena = a, .diags = d, .at = at, .path = path, .stop = stop};
    return out;
}

bool output_is_single(const struct output *out, uint32_t n) {
    return n == 1 ||
           output_fail(
               out, "such a file holds one tensor, not %u: .npz and .safetensors hold several", n);
}

static bool write_tensors(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    const struct format *f = format_of_name(out->path, plain_length(out->path));
    if (!f)
        return output_fail(out, "the name ends in none of %s", all_suffixes(out->arena));
    for (uint32_t i = 0; i < n; i++)
        if (!is_writable(out, &tensors[i]))
            return false;
    const char *twin = find_twin(out->arena, tensors, n);
    if (twin)
        return output_fail(out, "two tensors are called '%s'", twin);
    return f->write(out, tensors, n);
}

bool files_write(struct arena *a, struct diags *d, struct span at, const char *path,
                 const struct file_tensor *tensors, uint32_t n, const volatile int *stop) {
    return write_tensors(output_new(a, d, at, path, stop), tensors, n);
}

struct output *files_begin_tensors(struct arena *a, struct diags *d, const char *path,
                                   const struct file_tensor *tensors, uint32_t n,
                                   const volatile int *stop) {
    struct output *out = output_new(a, d, (struct span){0}, path, stop);
    out->held = true;
    return write_tensors(out, tensors, n) ? out : NULL;
}

struct output *files_begin(struct arena *a, struct diags *d, const char *path,
                           const volatile int *stop) {
    struct output *out = output_new(a, d, (struct span){0}, path, stop);
    out->held = true;
    return output_open(out) ? out : NULL;
}

bool files_write_bytes(struct arena *a, struct diags *d, struct span at, const char *path,
                       const void *bytes, size_t n) {
    struct output *out = output_new(a, d, at, path, NULL);
    if (!output_open(out))
        return false;
    output_put(out, bytes, n);
    return output_close(out);
}

struct file_tensor *files_find(const struct file_tensors *t, const char *name) {
    for (uint32_t i = 0; i < t->n; i++)
        if (strcmp(t->at[i].name, name) == 0)
            return &t->at[i];
    return NULL;
}
