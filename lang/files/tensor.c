/* Tensors of files: sizes, names, and bytes that become a tensor's data. */
#include "lang/files/format.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* bytes, a multiple of any element's */

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

/* Any byte but 0 is true. Only pages with other bytes than 0 and 1 are written to. */
static void settle_bools(unsigned char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] > 1)
            p[i] = 1;
}

bool tensor_settle(const struct input *in, struct file_tensor *t, void *data, bool swap) {
    unsigned size = dtypes[t->type].bytes;
    const unsigned char *from = data;
    unsigned char *to = data;
    if ((uintptr_t)data % size != 0 && !(to = input_memory(in, t->bytes)))
        return false;
    t->mapped = to >= in->bytes && to < in->bytes + in->n;
    bool change = from != to || swap || t->type == DT_bool;
    for (size_t at = 0, n; change && at < t->bytes; at += n) {
        n = t->bytes - at < PIECE ? t->bytes - at : PIECE;
        if (!input_goes_on(in))
            return false;
        if (from != to)
            memcpy(to + at, from + at, n);
        if (swap)
            swap_bytes(to + at, n / size, size);
        if (t->type == DT_bool)
            settle_bools(to + at, n);
    }
    t->data = to;
    return true;
}

struct file_tensor *tensor_single(const struct input *in, struct file_tensors *out) {
    out->at = ARENA_NEW(in->arena, struct file_tensor);
    out->at->name = "";
    out->n = 1;
    return out->at;
}

void file_tensor_turn(const struct file_tensor *t, int64_t first, int64_t n, void *to) {
    enum { BLOCK = 32 };
    size_t size = dtypes[t->type].bytes;
    int64_t rows = t->dims[0], columns = t->dims[1];
    const char *from = t->data;
    for (int64_t i = 0; i < n; i += BLOCK)
        for (int64_t j = 0; j < columns; j += BLOCK)
            for (int64_t a = i; a < i + BLOCK && a < n; a++)
                for (int64_t b = j; b < j + BLOCK && b < columns; b++)
                    memcpy((char *)to + (size_t)(a * columns + b) * size,
                           from + (size_t)(b * rows + first + a) * size, size);
}
