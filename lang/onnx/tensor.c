/* Element types, and the elements of weights: raw bytes, or a list of numbers. */
#include "lang/onnx/tensor.h"

#include "lang/files/files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int64_t number;
    enum dtype type;
    const char *doc;
} elements[] = {
#define ELEMENT(number, dtype, ...) {number, DT_##dtype, __VA_ARGS__},
#include "lang/onnx/onnx.def"
};

static const struct {
    int64_t number;
    const char *name, *doc;
} foreign[] = {
#define FOREIGN(number, name, ...) {number, name, __VA_ARGS__},
#include "lang/onnx/onnx.def"
};

enum dtype onnx_element(int64_t number) {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (elements[i].number == number)
            return elements[i].type;
    return DT_NONE;
}

int64_t onnx_element_number(enum dtype t) {
    size_t i = 0;
    while (elements[i].type != t)
        i++;
    return elements[i].number;
}

const char *onnx_element_reason(struct arena *a, int64_t number) {
    if (number == 0)
        return "its element type is not given";
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (foreign[i].number == number)
            return arena_printf(a, "DCL has no element type %s", foreign[i].name);
    return arena_printf(a, "the element type %lld is unknown", (long long)number);
}

/* The list that the elements of TYPE stand in, integers; on the wire they have 64 bits. */
static const struct wire_ints *int_list(const struct wire_tensor *t, enum dtype type) {
    switch (type) {
    case DT_i64: return &t->int64_data;
    case DT_u32:
    case DT_u64: return &t->uint64_data;
    default: return &t->int32_data;
    }
}

/* The elements of a tensor that are a list of numbers; *N of them. */
static const void *from_list(struct arena *a, const struct wire_tensor *t, enum dtype type,
                             size_t *n) {
    if (type == DT_f32 || type == DT_f64) {
        const struct wire_raw *from = type == DT_f32 ? &t->float_data : &t->double_data;
        *n = from->n / dtypes[type].bytes;
        return from->at;
    }
    const struct wire_ints *from = int_list(t, type);
    size_t size = dtypes[type].bytes;
    char *data = arena_alloc(a, from->n * size);
    enum dtype bits = dtype_is_half(type) ? DT_u16 : type; /* halves are their bits */
    for (uint32_t i = 0; i < from->n; i++)
        scalar_store(type, data + i * size, scalar_from_i64(bits, from->at[i]));
    *n = from->n;
    return data;
}

/* Bools of a file may be any byte. */
static const void *raw(struct arena *a, struct wire_bytes bytes, enum dtype type) {
    if (type != DT_bool)
        return bytes.at;
    unsigned char *data = arena_copy(a, bytes.at, bytes.n);
    for (size_t i = 0; i < bytes.n; i++)
        data[i] = data[i] != 0;
    return data;
}

/* --- other files ------------------------------------------------------------------------------ */

/* Whether NAME, as it stands in a model, leads nowhere but into FOLDER. */
static bool stays_inside(struct arena *a, const char *folder, const char *name) {
    char home[PATH_MAX], path[PATH_MAX];
    if (!realpath(folder, home) || !realpath(arena_printf(a, "%s%s", folder, name), path))
        return true; /* opening it says why */
    size_t n = strlen(home);
    return strncmp(path, home, n) == 0 && (path[n] == '/' || home[n - 1] == '/');
}

/* The file that LOCATION means, mapped; NULL with the reason in *WHY. */
static const struct onnx_file *file_of(struct arena *a, struct onnx_files *files,
                                       struct wire_bytes location, const char **why) {
    const char *name = arena_strndup(a, location.n ? location.at : "", location.n);
    for (uint32_t i = 0; i < files->at.n; i++)
        if (strcmp(files->at.at[i].name, name) == 0)
            return &files->at.at[i];
    const char *shown = wire_text(a, location);
    if (!files->folder || !*name || *name == '/' || strlen(name) != location.n ||
        !stays_inside(a, files->folder, name)) {
        *why = arena_printf(a, "its elements are in %s, which is not beside the model", shown);
        return NULL;
    }
    struct diags d;
    diags_init(&d, a, sources_new(a));
    unsigned char *bytes;
    size_t n;
    if (!files_map(files->arena, &d, (struct span){0}, arena_printf(a, "%s%s", files->folder, name),
                   &bytes, &n)) {
        *why = arena_printf(a, "its elements are in another file: %s", d.first->text);
        return NULL;
    }
    struct onnx_file file = {name, bytes, n};
    VEC_PUSH(a, files->at, file);
    return &files->at.at[files->at.n - 1];
}

/* A whole number; false if TEXT is none. */
static bool number_of(struct wire_bytes text, uint64_t *out) {
    *out = 0;
    for (size_t i = 0; i < text.n; i++)
        if (text.at[i] < '0' || text.at[i] > '9' || *out > UINT64_MAX / 100)
            return false;
        else
            *out = *out * 10 + (uint64_t)(text.at[i] - '0');
    return text.n > 0;
}

/* The BYTES elements of T in another file. */
static const char *read_external(struct arena *a, const struct wire_tensor *t,
                                 struct onnx_files *files, size_t bytes, const void **data) {
    struct wire_bytes location = {0};
    uint64_t offset = 0, length = bytes;
    const char *why = NULL;
    for (uint32_t i = 0; i < t->external_data.n; i++) {
        const struct wire_entry *e = t->external_data.at[i];
        bool good = true;
        if (wire_is(e->key, "location"))
            location = e->text;
        else if (wire_is(e->key, "offset"))
            good = number_of(e->text, &offset);
        else if (wire_is(e->key, "length"))
            good = number_of(e->text, &length);
        if (!good)
            return arena_printf(a, "its %s in another file is no number", wire_text(a, e->key));
    }
    const struct onnx_file *file = file_of(a, files, location, &why);
    if (!file)
        return why;
    if (length != bytes)
        return arena_printf(a, "%llu bytes in another file, its shape asks for %zu",
                            (unsigned long long)length, bytes);
    if (offset > file->n || bytes > file->n - offset)
        return arena_printf(a, "its elements lie beyond the end of %s", file->name);
    *data = (const char *)file->bytes + offset;
    return NULL;
}

const char *onnx_tensor_read(struct arena *a, const struct wire_tensor *t, struct onnx_files *files,
                             struct onnx_weight *out) {
    out->type = onnx_element(t->data_type);
    out->rank = t->dims.n;
    out->dims = t->dims.at;
    if (out->type == DT_NONE)
        return onnx_element_reason(a, t->data_type);
    if (out->rank > ONNX_RANK_MAX)
        return arena_printf(a, "%u dimensions, at most %d are possible", out->rank, ONNX_RANK_MAX);
    int64_t bytes = dtypes[out->type].bytes;
    for (uint32_t d = 0; d < out->rank; d++)
        if (out->dims[d] < 0 || __builtin_mul_overflow(bytes, out->dims[d], &bytes))
            return "its shape is impossible";
    out->bytes = (size_t)bytes;
    if (t->data_location != 0 || t->external_data.n)
        return read_external(a, t, files, out->bytes, &out->data);
    size_t n = 0;
    if (t->raw_data.n) {
        n = t->raw_data.n;
        out->data = raw(a, t->raw_data, out->type);
    } else {
        out->data = from_list(a, t, out->type, &n);
        n *= dtypes[out->type].bytes;
    }
    if (n != out->bytes)
        return arena_printf(a, "%zu bytes of elements, its shape asks for %zu", n, out->bytes);
    return NULL;
}
