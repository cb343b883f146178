/* Images as files: PNG (ISO/IEC 15948), 8 bits of each colour, rows without a filter. */
#include "session/image.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

bool write_whole_file(struct dcl_session *s, const char *path, const void *bytes, size_t n,
                      struct span span) {
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    int error = errno;
    if (f && fclose(f) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (!ok) {
        const char *why = strerrordesc_np(error);
        diag_error(&s->diags, span, ERR_FILE_WRITE, path, why ? why : "unknown error");
    }
    return ok;
}

static void put_number(unsigned char *to, uint32_t v) {
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(v >> (24 - 8 * k));
}

static void put_chunk(struct buf *out, const char *name, const void *bytes, size_t n) {
    unsigned char number[4];
    put_number(number, (uint32_t)n);
    buf_bytes(out, (const char *)number, 4);
    size_t from = out->n;
    buf_bytes(out, name, 4);
    buf_bytes(out, bytes, n);
    put_number(number, (uint32_t)crc32(0, (const Bytef *)out->at + from, (uInt)(n + 4)));
    buf_bytes(out, (const char *)number, 4);
}

bool image_write_png(struct dcl_session *s, const struct image *x, const char *path,
                     struct span span) {
    struct arena *a = s->unit.arena;
    size_t row = (size_t)3 * x->width, n = (row + 1) * x->height;
    unsigned char *rows = arena_alloc(a, n);
    for (uint32_t i = 0; i < x->height; i++) /* before each row its filter: 0, none */
        memcpy(rows + i * (row + 1) + 1, x->rgb + i * row, row);
    uLongf size = compressBound((uLong)n);
    unsigned char *packed = arena_alloc(a, size), head[13] = {0};
    if (compress(packed, &size, rows, (uLong)n) != Z_OK) {
        diag_error(&s->diags, span, ERR_NO_MEMORY, path);
        return false;
    }
    put_number(head, x->width);
    put_number(head + 4, x->height);
    head[8] = 8; /* bits */
    head[9] = 2; /* colours: red, green, blue */
    struct buf out = buf_new(a);
    buf_bytes(&out, "\211PNG\r\n\032\n", 8);
    put_chunk(&out, "IHDR", head, sizeof head);
    put_chunk(&out, "IDAT", packed, size);
    put_chunk(&out, "IEND", "", 0);
    return write_whole_file(s, path, out.at, out.n, span);
}
