/* Images as tensors. */
#include "lang/files/pixels.h"

bool pixels_new(const struct input *in, struct file_tensors *out, enum dtype type,
                struct pixels *p) {
    struct file_tensor *t = tensor_single(in, out);
    int64_t *dims = ARENA_ARRAY(in->arena, int64_t, 3);
    dims[0] = p->height;
    dims[1] = p->width;
    dims[2] = p->colours;
    t->type = type;
    t->rank = p->colours == 1 ? 2 : 3;
    t->dims = dims;
    p->row = (size_t)p->width * p->colours * dtypes[type].bytes;
    if (!tensor_bytes(type, 3, dims, &t->bytes))
        return input_fail(in, "the product of the dimensions is too large");
    if (!input_bounded(in, t->bytes))
        return false;
    t->data = p->rows = input_memory(in, t->bytes);
    return p->rows != NULL;
}

bool pixels_of(const struct output *out, const struct file_tensor *tensors, uint32_t n, bool deep,
               struct pixels *p) {
    const struct file_tensor *t = &tensors[0];
    if (!output_is_single(out, n))
        return false;
    if (t->type != DT_u8 && !(deep && t->type == DT_u16))
        return output_fail(out, "an image is of u8%s, not %s: for x from 0 to 1 u8(255 * x)",
                           deep ? " or u16" : "", dtypes[t->type].name);
    if (t->rank < 2 || t->rank > 3)
        return output_fail(out, "an image is [H, W] or [H, W, colours]");
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] < 1 || t->dims[i] > INT32_MAX)
            return output_fail(out, "an image without pixels, or too large");
    int64_t colours = t->rank == 3 ? t->dims[2] : 1;
    if (colours > 4)
        return output_fail(out, "an image of %lld colours", (long long)colours);
    *p = (struct pixels){.height = (uint32_t)t->dims[0],
                         .width = (uint32_t)t->dims[1],
                         .colours = (uint32_t)colours,
                         .rows = t->data};
    p->row = (size_t)p->width * p->colours * dtypes[t->type].bytes;
    return true;
}
