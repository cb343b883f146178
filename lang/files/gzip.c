/* Files packed by gzip (RFC 1952), of one or several members.

   Note [bombs]
   Deflate makes a byte out of 1/1032 byte, so what a small file says of its size may be true and
   fill the memory all the same. A file that is unpacked here, and an image, become at most 200
   times as large as they are, or 64 MiB where that is more; then an error says so, and a packed
   file can still be unpacked by other means. A .npz, in which arrays of zeros are common, is held
   to deflate's own bound. */
#include "lang/files/format.h"

#include <string.h>
#include <zlib.h>

#define UNPACKED_RATIO ((uint64_t)200)
#define UNPACKED_MIN ((uint64_t)64 << 20)

enum {
    STEP = 1 << 18, /* bytes between two looks at the flag */
    GZIP = 16       /* added to the window's bits: gzip's frame */
};

static voidpf take(voidpf opaque, uInt n, uInt size) {
    (void)opaque;
    return mem_room((size_t)n * size, 16);
}

static void release(voidpf opaque, voidpf p) {
    (void)opaque;
    mem_free(p);
}

void gzip_memory(z_stream *z) {
    z->zalloc = take;
    z->zfree = release;
}

/* --- reading -------------------------------------------------------------------------------- */

uint64_t input_bound(const struct input *in) {
    uint64_t most;
    if (__builtin_mul_overflow((uint64_t)in->packed, UNPACKED_RATIO, &most))
        return UINT64_MAX;
    return most > UNPACKED_MIN ? most : UNPACKED_MIN;
}

bool input_bounded(const struct input *in, uint64_t size) {
    return size <= input_bound(in) ||
           input_fail(in, "%zu bytes become more than %llu times as many, and more than %llu MiB",
                      in->packed, (unsigned long long)UNPACKED_RATIO,
                      (unsigned long long)(UNPACKED_MIN >> 20));
}

bool gzip_is_content(const struct input *in) {
    static const unsigned char magic[] = {0x1f, 0x8b, 8};
    return in->n >= sizeof magic && memcmp(in->bytes, magic, sizeof magic) == 0;
}

static uInt step(size_t n) {
    return (uInt)(n < STEP ? n : STEP);
}

/* Unpacks to TO, which has room for MOST bytes, or only counts them, if TO is NULL: then it stops
   beyond MOST. *TOTAL is their number. Returns zlib's last word; Z_STREAM_END is good. */
static int unpack(const struct input *in, unsigned char *to, uint64_t most, uint64_t *total) {
    unsigned char scratch[1 << 15];
    z_stream z = {.next_in = in->bytes};
    gzip_memory(&z);
    int status = inflateInit2(&z, GZIP + MAX_WBITS);
    if (status != Z_OK)
        return status;
    size_t left = in->n;
    *total = 0;
    while (status == Z_OK && *total <= most && !input_stopped(in)) {
        if (z.avail_in == 0)
            left -= z.avail_in = step(left);
        uInt room = to ? step(most - *total) : sizeof scratch;
        z.next_out = to ? to + *total : scratch;
        z.avail_out = room;
        status = inflate(&z, Z_NO_FLUSH); /* Z_BUF_ERROR: nothing is left on one side */
        *total += room - z.avail_out;
        if (status == Z_STREAM_END && z.avail_in + left)
            status = inflateReset(&z); /* another member follows */
    }
    inflateEnd(&z);
    return status;
}

bool gzip_unpack(struct input *in) {
    uint64_t total = 0, again = 0;
    int status = unpack(in, NULL, input_bound(in), &total);
    if (!input_goes_on(in))
        return false;
    if (status == Z_MEM_ERROR)
        return input_fail(in, "not enough memory to unpack it");
    if (status == Z_OK || status == Z_STREAM_END)
        if (!input_bounded(in, total))
            return false;
    if (status != Z_STREAM_END)
        return input_fail(in, status == Z_BUF_ERROR ? "the packed data is cut short"
                                                    : "the packed data is damaged");
    if (total == 0)
        return input_fail(in, "the file is empty");
    unsigned char *to = input_memory(in, total + 1);
    if (!to)
        return false;
    if (unpack(in, to, total + 1, &again) != Z_STREAM_END || again != total)
        return input_fail(in, "not enough memory to unpack it");
    in->bytes = to;
    in->n = total;
    return true;
}

/* --- writing -------------------------------------------------------------------------------- */

static void end_packer(void *data) {
    gzip_end(data);
}

bool gzip_begin(struct output *out) {
    z_stream *z = ARENA_NEW(out->arena, z_stream);
    gzip_memory(z);
    arena_on_free(out->arena, end_packer, out);
    if (deflateInit2(z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP + MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return output_fail(out, "not enough memory to pack it");
    out->packer = z;
    return true;
}

void gzip_put(struct output *out, const void *bytes, size_t n, bool last) {
    char packed[1 << 14];
    z_stream *z = out->packer;
    z->next_in = (Bytef *)bytes; /* zlib does not write to it */
    do {
        n -= z->avail_in = step(n);
        do {
            z->next_out = (Bytef *)packed;
            z->avail_out = sizeof packed;
            deflate(z, last && n == 0 ? Z_FINISH : Z_NO_FLUSH);
            output_raw(out, packed, sizeof packed - z->avail_out);
        } while (z->avail_out == 0);
    } while (n && !output_failed(out));
}

void gzip_end(struct output *out) {
    if (out->packer)
        deflateEnd(out->packer);
    out->packer = NULL;
}
