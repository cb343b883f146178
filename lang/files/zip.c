/* Reading zip archives.
   Format: PKWARE, APPNOTE.TXT 6.3, sections 4.3 and 4.5.3 (zip64). The directory at the end of the
   file is what counts; of a member's local header only the lengths are used, to find its data.
   Archives in several parts, encryption and other methods than store and deflate are refused. */
#include "lang/files/zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    END_SIZE = 22,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    COMMENT_MAX = 0xffff,
    EXTRA_ZIP64 = 1,
    DEFLATE_RATIO = 1032, /* no stream of deflate is denser */
    STEP = 1 << 20        /* bytes between two looks at the flag */
};

static bool within(uint64_t at, uint64_t size, uint64_t n) {
    return at <= n && size <= n - at;
}

static bool is_signature(const unsigned char *p, char a, char b) {
    return p[0] == 'P' && p[1] == 'K' && p[2] == (unsigned char)a && p[3] == (unsigned char)b;
}

/* The directory: N entries in SIZE bytes from AT. */
struct directory {
    uint64_t at, size, n;
};

/* The record at the end, which is followed by a comment of the length that it says. */
static bool find_end(const struct input *in, uint64_t *at) {
    if (in->n < END_SIZE)
        return false;
    for (uint64_t back = END_SIZE; back <= END_SIZE + COMMENT_MAX && back <= in->n; back++) {
        const unsigned char *p = in->bytes + (in->n - back);
        if (is_signature(p, 5, 6) && get_little(p + 20, 2) == back - END_SIZE) {
            *at = in->n - back;
            return true;
        }
    }
    return false;
}

/* Zip64: a locator stands before the record at END and says where the larger record is. */
static bool find_directory64(const struct input *in, uint64_t end, struct directory *d) {
    if (end < LOCATOR_SIZE || !is_signature(in->bytes + end - LOCATOR_SIZE, 6, 7))
        return true;
    const unsigned char *locator = in->bytes + end - LOCATOR_SIZE;
    uint64_t at = get_little(locator + 8, 8);
    if (!within(at, END64_SIZE, end - LOCATOR_SIZE) || !is_signature(in->bytes + at, 6, 6))
        return input_fail(in, "malformed zip64 directory");
    const unsigned char *p = in->bytes + at;
    *d = (struct directory){
        .n = get_little(p + 32, 8), .size = get_little(p + 40, 8), .at = get_little(p + 48, 8)};
    return true;
}

static bool find_directory(const struct input *in, struct directory *d) {
    uint64_t end = 0;
    if (!find_end(in, &end))
        return input_fail(in, "not a zip archive, or cut short");
    const unsigned char *p = in->bytes + end;
    if (get_little(p + 4, 2) || get_little(p + 6, 2))
        return input_fail(in, "zip archives in several parts are not supported");
    *d = (struct directory){
        .n = get_little(p + 10, 2), .size = get_little(p + 12, 4), .at = get_little(p + 16, 4)};
    if (!find_directory64(in, end, d))
        return false;
    if (!within(d->at, d->size, end) || d->n > d->size / ENTRY_SIZE || d->n > UINT32_MAX / 2)
        return input_fail(in, "the zip directory leaves the file");
    return true;
}

/* Numbers that do not fit into 32 bits stand in an extra field, in this order; those that fit are
   left out there. */
static bool read_extra64(const unsigned char *p, uint64_t n, struct zip_member *m) {
    uint64_t *const wide[] = {&m->size, &m->packed, &m->at};
    while (n >= 4) {
        uint64_t id = get_little(p, 2), length = get_little(p + 2, 2);
        if (length > n - 4)
            return false;
        if (id == EXTRA_ZIP64) {
            const unsigned char *field = p + 4;
            for (int k = 0; k < 3; k++) {
                if (*wide[k] != UINT32_MAX)
                    continue;
                if (length < 8)
                    return false;
                *wide[k] = get_little(field, 8);
                field += 8;
                length -= 8;
            }
            return true;
        }
        p += 4 + length;
        n -= 4 + length;
    }
    return true;
}

static bool read_entry(const struct input *in, const unsigned char *p, struct zip_member *m) {
    size_t name = get_little(p + 28, 2), extra = get_little(p + 30, 2);
    const char *text = (const char *)p + ENTRY_SIZE;
    if (!text_is_utf8(text, name))
        return input_fail(in, "a member's name is not UTF-8");
    m->name = arena_strndup(in->arena, text, name);
    m->crc = (uint32_t)get_little(p + 16, 4);
    m->packed = get_little(p + 20, 4);
    m->size = get_little(p + 24, 4);
    m->at = get_little(p + 42, 4);
    unsigned flags = (unsigned)get_little(p + 8, 2), method = (unsigned)get_little(p + 10, 2);
    if (!read_extra64(p + ENTRY_SIZE + name, extra, m))
        return input_fail(in, "malformed zip64 sizes");
    if (flags & 1)
        return input_fail(in, "member '%s' is encrypted", input_show(in, m->name));
    if (method != 0 && method != 8)
        return input_fail(in, "member '%s': compression method %u is not supported",
                          input_show(in, m->name), method);
    m->deflated = method == 8;
    bool possible = m->deflated ? m->size / DEFLATE_RATIO <= m->packed : m->size == m->packed;
    return possible || input_fail(in, "member '%s': impossible size", input_show(in, m->name));
}

static int by_place(const void *a, const void *b) {
    uint64_t x = (*(const struct zip_member *const *)a)->at;
    uint64_t y = (*(const struct zip_member *const *)b)->at;
    return (x > y) - (x < y);
}

/* Makes M's place that of its contents, which must end before END; *PAST is where they end. */
static bool find_contents(const struct input *in, struct zip_member *m, uint64_t end,
                          uint64_t *past) {
    const unsigned char *local = in->bytes + m->at;
    if (!within(m->at, LOCAL_SIZE, end) || !is_signature(local, 3, 4))
        return input_fail(in, "member '%s' has no header", input_show(in, m->name));
    m->at += LOCAL_SIZE + get_little(local + 26, 2) + get_little(local + 28, 2);
    *past = m->at + m->packed;
    return within(m->at, m->packed, end) ||
           input_fail(in, "member '%s' leaves the file", input_show(in, m->name));
}

/* Finds the contents of all members. Some that share bytes would give much memory from a small
   file, and tensors that alias. */
static bool find_all_contents(const struct input *in, struct zip_member *m, uint32_t n,
                              uint64_t end) {
    struct zip_member **order = ARENA_ARRAY(in->arena, struct zip_member *, n);
    for (uint32_t i = 0; i < n; i++)
        order[i] = &m[i];
    qsort(order, n, sizeof *order, by_place);
    uint64_t past = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (order[i]->at < past)
            return input_fail(in, "members overlap");
        if (!find_contents(in, order[i], end, &past))
            return false;
    }
    return true;
}

bool zip_read(const struct input *in, struct zip_member **members, uint32_t *n) {
    struct directory d = {0};
    if (!find_directory(in, &d))
        return false;
    struct zip_member *m = ARENA_ARRAY(in->arena, struct zip_member, d.n);
    const unsigned char *p = in->bytes + d.at;
    uint64_t left = d.size;
    for (uint64_t i = 0; i < d.n; i++) {
        if (left < ENTRY_SIZE || !is_signature(p, 1, 2))
            return input_fail(in, "malformed zip directory");
        uint64_t length =
            ENTRY_SIZE + get_little(p + 28, 2) + get_little(p + 30, 2) + get_little(p + 32, 2);
        if (length > left)
            return input_fail(in, "malformed zip directory");
        if (!read_entry(in, p, &m[i]))
            return false;
        p += length;
        left -= length;
    }
    if (!find_all_contents(in, m, (uint32_t)d.n, d.at))
        return false;
    *members = m;
    *n = (uint32_t)d.n;
    return true;
}

/* Inflates M's bytes at FROM to TO, which has room for one byte more than its size. NULL, or what
   is wrong: the stream must have exactly the sizes that M says. It goes in steps, for
   zlib counts in 32 bits, and the user may want to stop. */
static const char *inflate_to(const struct input *in, const unsigned char *from,
                              const struct zip_member *m, unsigned char *to) {
    uint64_t in_left = m->packed, out_left = m->size + 1;
    z_stream z = {.next_in = (unsigned char *)from, .next_out = to};
    gzip_memory(&z);
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
        return "not enough memory to unpack it";
    int status = Z_OK;
    while (status == Z_OK &&
           !input_stopped(in)) { /* Z_BUF_ERROR when nothing is left on one side */
        if (z.avail_in == 0)
            in_left -= z.avail_in = (uInt)(in_left < STEP ? in_left : STEP);
        if (z.avail_out == 0)
            out_left -= z.avail_out = (uInt)(out_left < STEP ? out_left : STEP);
        status = inflate(&z, Z_NO_FLUSH);
    }
    bool whole = status == Z_STREAM_END && z.total_in == m->packed && z.total_out == m->size;
    inflateEnd(&z);
    return whole ? NULL : status == Z_MEM_ERROR ? "not enough memory to unpack it" : "damaged data";
}

static bool has_checksum(const struct input *in, const unsigned char *bytes,
                         const struct zip_member *m) {
    uint32_t crc = 0;
    for (uint64_t at = 0, n; at < m->size; at += n) {
        n = m->size - at < STEP ? m->size - at : STEP;
        if (!input_goes_on(in))
            return false;
        crc = (uint32_t)crc32_z(crc, bytes + at, n);
    }
    return crc == m->crc ||
           input_fail(in, "member '%s': the checksum does not fit", input_show(in, m->name));
}

unsigned char *zip_contents(const struct input *in, const struct zip_member *m) {
    unsigned char *bytes = in->bytes + m->at;
    if (m->deflated) {
        unsigned char *to = input_memory(in, m->size + 1);
        if (!to)
            return NULL;
        const char *why = inflate_to(in, bytes, m, to);
        if (why) {
            input_fail(in, "member '%s': %s", input_show(in, m->name), why);
            return NULL;
        }
        bytes = to;
    }
    return has_checksum(in, bytes, m) ? bytes : NULL;
}
