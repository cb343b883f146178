/* Writing zip archives: stored members, zip64 where sizes, places or numbers need it.
   All sizes are known before, so no data descriptors. A local header has an extra field of padding
   so that contents begin at a multiple of 64, and a reader may use them in its mapping. Dates are
   the format's first (1980), so equal tensors give equal bytes. */
#include "lang/files/zip.h"

#include <string.h>
#include <zlib.h>

enum {
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    ALIGN = 64,
    EXTRA_HEADER = 4,
    EXTRA_ZIP64 = 1,
    EXTRA_PADDING = 0xd935, /* as Android's zipalign writes it */
    VERSION = 20,
    VERSION_ZIP64 = 45,
    UTF8_NAME = 1 << 11,
    FIRST_DATE = 1 << 5 | 1, /* 1980-01-01 */
    STEP = 1 << 20           /* bytes between two looks at the flag */
};

/* What the directory repeats of a member. */
struct written {
    uint64_t at, size;
    uint32_t crc;
};

static unsigned char *put_signature(unsigned char *p, char a, char b) {
    return put_little(p, 'P' | 'K' << 8 | (uint64_t)a << 16 | (uint64_t)b << 24, 4);
}

static uint32_t narrow(uint64_t v) {
    return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* Version, flags, method, date, checksum, sizes and length of name: the same in both headers. */
static unsigned char *put_common(unsigned char *p, const struct written *w, size_t name,
                                 bool large) {
    p = put_little(p, large ? VERSION_ZIP64 : VERSION, 2);
    p = put_little(p, UTF8_NAME, 2);
    p = put_little(p, 0, 2); /* stored */
    p = put_little(p, 0, 2);
    p = put_little(p, FIRST_DATE, 2);
    p = put_little(p, w->crc, 4);
    p = put_little(p, narrow(w->size), 4);
    p = put_little(p, narrow(w->size), 4);
    return put_little(p, name, 2);
}

/* That of what CRC is of and N more bytes; anything once the file has failed. */
static uint32_t checksum(struct output *out, uint32_t crc, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (size_t k; n && !output_failed(out); p += k, n -= k) {
        k = n < STEP ? n : STEP;
        crc = (uint32_t)crc32_z(crc, p, k);
    }
    return crc;
}

static void write_member(struct output *out, const struct zip_part *part, struct written *w) {
    unsigned char head[LOCAL_SIZE], extra[EXTRA_HEADER + 16];
    size_t name = strlen(part->name);
    w->at = out->written;
    w->size = (uint64_t)part->sizes[0] + part->sizes[1];
    w->crc = checksum(out, checksum(out, 0, part->pieces[0], part->sizes[0]), part->pieces[1],
                      part->sizes[1]);
    bool large = w->size >= UINT32_MAX;
    size_t wide = large ? EXTRA_HEADER + 16 : 0;
    size_t used = (w->at + LOCAL_SIZE + name + wide + EXTRA_HEADER) % ALIGN;
    size_t padding = used ? ALIGN - used : 0;

    unsigned char *p = put_common(put_signature(head, 3, 4), w, name, large);
    put_little(p, wide + EXTRA_HEADER + padding, 2);
    output_put(out, head, sizeof head);
    output_put(out, part->name, name);
    if (large) {
        p = put_little(put_little(extra, EXTRA_ZIP64, 2), 16, 2);
        put_little(put_little(p, w->size, 8), w->size, 8);
        output_put(out, extra, wide);
    }
    put_little(put_little(extra, EXTRA_PADDING, 2), padding, 2);
    output_put(out, extra, EXTRA_HEADER);
    output_zeros(out, padding);
    for (int k = 0; k < 2; k++)
        output_put(out, part->pieces[k], part->sizes[k]);
}

static void write_entry(struct output *out, const char *text, const struct written *w) {
    unsigned char head[ENTRY_SIZE], extra[EXTRA_HEADER + 24], *e = extra + EXTRA_HEADER;
    if (w->size >= UINT32_MAX)
        e = put_little(put_little(e, w->size, 8), w->size, 8);
    if (w->at >= UINT32_MAX)
        e = put_little(e, w->at, 8);
    size_t wide = (size_t)(e - extra) - EXTRA_HEADER, name = strlen(text);
    put_little(put_little(extra, EXTRA_ZIP64, 2), wide, 2);
    size_t length = wide ? EXTRA_HEADER + wide : 0;

    unsigned char *p = put_little(put_signature(head, 1, 2), VERSION_ZIP64, 2);
    p = put_common(p, w, name, wide != 0);
    p = put_little(p, length, 2);
    p = put_little(p, 0, 2); /* comment */
    p = put_little(p, 0, 2); /* part */
    p = put_little(p, 0, 2);
    p = put_little(p, 0, 4); /* attributes */
    put_little(p, narrow(w->at), 4);
    output_put(out, head, sizeof head);
    output_put(out, text, name);
    output_put(out, extra, length);
}

static void write_end(struct output *out, uint64_t at, uint64_t n) {
    unsigned char end64[END64_SIZE + LOCATOR_SIZE], end[END_SIZE];
    uint64_t size = out->written - at;
    bool large = n >= UINT16_MAX || size >= UINT32_MAX || at >= UINT32_MAX;
    if (large) {
        unsigned char *p = put_little(put_signature(end64, 6, 6), END64_SIZE - 12, 8);
        p = put_little(put_little(p, VERSION_ZIP64, 2), VERSION_ZIP64, 2);
        p = put_little(put_little(p, 0, 4), 0, 4); /* this part, the directory's part */
        p = put_little(put_little(p, n, 8), n, 8);
        p = put_little(put_little(p, size, 8), at, 8);
        p = put_little(put_signature(p, 6, 7), 0, 4);
        put_little(put_little(p, out->written, 8), 1, 4);
        output_put(out, end64, sizeof end64);
    }
    unsigned char *p = put_little(put_little(put_signature(end, 5, 6), 0, 2), 0, 2);
    uint64_t count = n < UINT16_MAX ? n : UINT16_MAX;
    p = put_little(put_little(p, count, 2), count, 2);
    p = put_little(put_little(p, narrow(size), 4), narrow(at), 4);
    put_little(p, 0, 2); /* comment */
    output_put(out, end, sizeof end);
}

bool zip_write(struct output *out, const struct zip_part *parts, uint32_t n) {
    struct written *w = ARENA_ARRAY(out->arena, struct written, n);
    for (uint32_t i = 0; i < n; i++)
        if (strlen(parts[i].name) > UINT16_MAX)
            return output_fail(out, "the name of a tensor is too long");
    if (!output_open(out))
        return false;
    for (uint32_t i = 0; i < n; i++)
        write_member(out, &parts[i], &w[i]);
    uint64_t directory = out->written;
    for (uint32_t i = 0; i < n; i++)
        write_entry(out, parts[i].name, &w[i]);
    write_end(out, directory, n);
    return output_close(out);
}
