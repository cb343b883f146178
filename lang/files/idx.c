/* IDX, the format of the MNIST files: two zeros, a code of the element type, the number of
   dimensions, these as big-endian numbers of 32 bits, the elements, big-endian and row-major.
   Format: http://yann.lecun.com/exdb/mnist. */
#include "lang/files/format.h"

#include <string.h>

enum { HEAD = 4, DIM = 4 };

static const struct {
    unsigned char code;
    enum dtype type;
} codes[] = {{0x08, DT_u8},  {0x09, DT_i8},  {0x0b, DT_i16},
             {0x0c, DT_i32}, {0x0d, DT_f32}, {0x0e, DT_f64}};
enum { CODES = sizeof codes / sizeof codes[0] };

static uint32_t get32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool idx_read(struct input *in, struct file_tensors *out) {
    int64_t dims[FILE_RANK_MAX];
    if (in->n < HEAD || in->bytes[0] || in->bytes[1])
        return input_fail(in, "not in the format IDX");
    struct file_tensor *t = tensor_single(in, out);
    unsigned k = 0;
    while (k < CODES && codes[k].code != in->bytes[2])
        k++;
    if (k == CODES)
        return input_fail(in, "element type %02x is none of IDX", in->bytes[2]);
    t->type = codes[k].type;
    t->rank = in->bytes[3];
    if (t->rank > FILE_RANK_MAX)
        return input_fail(in, "more than 32 dimensions");
    size_t start = HEAD + (size_t)DIM * t->rank;
    if (start > in->n)
        return input_fail(in, "the header is cut short");
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = get32(in->bytes + HEAD + (size_t)DIM * i);
    t->dims = arena_copy(in->arena, dims, t->rank * sizeof dims[0]);
    if (!tensor_bytes(t->type, t->rank, t->dims, &t->bytes))
        return input_fail(in, "the product of the dimensions is too large");
    if (t->bytes != in->n - start)
        return input_fail(in, "the shape needs %zu bytes of data, there are %zu", t->bytes,
                          in->n - start);
    return tensor_settle(in, t, in->bytes + start, dtypes[t->type].bytes > 1);
}

static void put32(unsigned char *p, uint32_t v) {
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(v >> (24 - 8 * i));
}

/* BYTES bytes of elements of SIZE bytes, each turned around. */
static void put_swapped(struct output *out, const unsigned char *p, size_t bytes, size_t size) {
    unsigned char some[4096];
    for (size_t n; bytes && !output_failed(out); p += n, bytes -= n) {
        n = bytes < sizeof some ? bytes : sizeof some;
        memcpy(some, p, n);
        swap_bytes(some, n / size, size);
        output_put(out, some, n);
    }
}

bool idx_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    unsigned char head[HEAD + DIM * FILE_RANK_MAX] = {0};
    size_t bytes = 0;
    if (!output_is_single(out, n))
        return false;
    const struct file_tensor *t = &tensors[0];
    unsigned k = 0;
    while (k < CODES && codes[k].type != t->type)
        k++;
    if (k == CODES)
        return output_fail(out, "IDX has no element type %s, but u8, i8, i16, i32, f32 and f64",
                           dtypes[t->type].name);
    head[2] = codes[k].code;
    head[3] = (unsigned char)t->rank;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (t->dims[i] > UINT32_MAX)
            return output_fail(out, "a dimension of IDX has 32 bits");
        put32(head + HEAD + (size_t)DIM * i, (uint32_t)t->dims[i]);
    }
    tensor_bytes(t->type, t->rank, t->dims, &bytes);
    if (!output_open(out))
        return false;
    output_put(out, head, HEAD + (size_t)DIM * t->rank);
    put_swapped(out, t->data, bytes, dtypes[t->type].bytes);
    return output_close(out);
}
