/* Element types, and the elements of weights: raw bytes, or a list of numbers. */
#include "lang/onnx/tensor.h"

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
        *n = type == DT_f32 ? t->float_data.n : t->double_data.n;
        return type == DT_f32 ? (const void *)t->float_data.at : (const void *)t->double_data.at;
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

const char *onnx_tensor_read(struct arena *a, const struct wire_tensor *t,
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
    if (t->data_location != 0 || t->external_data.n)
        return "its elements are in another file, which is not read";
    size_t n = 0;
    if (t->raw_data.n) {
        n = t->raw_data.n;
        out->data = raw(a, t->raw_data, out->type);
    } else {
        out->data = from_list(a, t, out->type, &n);
        n *= dtypes[out->type].bytes;
    }
    out->bytes = (size_t)bytes;
    if (n != out->bytes)
        return arena_printf(a, "%zu bytes of elements, its shape asks for %zu", n, out->bytes);
    return NULL;
}
