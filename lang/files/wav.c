/* WAV: chunks in RIFF, of which "fmt " says what the samples are and "data" holds them.
   Format: Microsoft and IBM, Multimedia Programming Interface 1.0 (1991), with the extension of
   1999 (WAVE_FORMAT_EXTENSIBLE). The tensor without a name has a row for each moment and a column
   for each channel; "rate" is the number of moments in a second. PCM of 24 bits becomes the upper
   bits of an i32, so that each type's range is the full scale. */
#include "lang/files/format.h"

#include <string.h>

enum {
    PCM = 1,
    FLOATS = 3,
    EXTENSIBLE = 0xfffe,
    RIFF = 12,             /* before the first chunk */
    CHUNK = 8,             /* before its content */
    FMT = 16,              /* at least, of "fmt " */
    FMT_FLOATS = 18,       /* with the size of what follows: none */
    FMT_LONG = 40,         /* of WAVE_FORMAT_EXTENSIBLE */
    FACT = 4,              /* the number of moments, which other formats than PCM have to say */
    PADDING = 6,           /* so that floats begin at a multiple of 8 */
    RATE_ORDINARY = 44100, /* where nothing says it */
    TURN = 1 << 16         /* samples between two looks at the flag */
};

static const char rate_name[] = "rate";

struct sound {
    enum dtype type;
    bool packed; /* 24 bits */
    uint32_t channels, rate;
    unsigned char *data; /* NULL: not found */
    size_t bytes;
};

/* The element type of samples of BITS bits; DT_NONE if there is none. */
static enum dtype sample_type(unsigned format, unsigned bits) {
    if (format == FLOATS)
        return bits == 32 ? DT_f32 : bits == 64 ? DT_f64 : DT_NONE;
    return bits == 8 ? DT_u8 : bits == 16 ? DT_i16 : bits == 24 || bits == 32 ? DT_i32 : DT_NONE;
}

static bool read_fmt(const struct input *in, const unsigned char *p, size_t n, struct sound *s) {
    static const unsigned char guid[] = {0, 0, 0,    0, 0x10, 0,    0x80,
                                         0, 0, 0xaa, 0, 0x38, 0x9b, 0x71};
    if (n < FMT || s->channels)
        return input_fail(in, "malformed chunk 'fmt '");
    unsigned format = (unsigned)get_little(p, 2), bits = (unsigned)get_little(p + 14, 2);
    s->channels = (uint32_t)get_little(p + 2, 2);
    s->rate = (uint32_t)get_little(p + 4, 4);
    if (format == EXTENSIBLE && n >= FMT_LONG && memcmp(p + 26, guid, sizeof guid) == 0)
        format = (unsigned)get_little(p + 24, 2);
    if (format != PCM && format != FLOATS)
        return input_fail(in, "samples of format %04x are not supported: PCM and floats are",
                          format);
    s->type = sample_type(format, bits);
    if (s->type == DT_NONE)
        return input_fail(in, "samples of %u bits are not supported", bits);
    s->packed = bits == 24;
    if (s->channels == 0 || get_little(p + 12, 2) != s->channels * (bits / 8))
        return input_fail(in, "malformed chunk 'fmt '");
    return true;
}

static bool find_chunks(const struct input *in, struct sound *s) {
    if (in->n < RIFF || memcmp(in->bytes, "RIFF", 4) != 0 || memcmp(in->bytes + 8, "WAVE", 4) != 0)
        return input_fail(in, "not in the format WAV");
    size_t end = get_little(in->bytes + 4, 4) + CHUNK;
    if (end < RIFF || end > in->n)
        return input_fail(in, "the file is cut short");
    for (size_t at = RIFF; end - at >= CHUNK;) {
        unsigned char *p = in->bytes + at;
        size_t size = get_little(p + 4, 4);
        at += CHUNK;
        if (size > end - at)
            return input_fail(in, "a chunk leaves the file");
        if (memcmp(p, "fmt ", 4) == 0 && !read_fmt(in, in->bytes + at, size, s))
            return false;
        if (memcmp(p, "data", 4) == 0 && !s->data) {
            s->data = in->bytes + at;
            s->bytes = size;
        }
        at += size;
        at += at < end && size % 2; /* chunks begin at even places */
    }
    return s->channels && s->data ? true
                                  : input_fail(in, "no chunk '%s'", s->channels ? "data" : "fmt ");
}

/* 24 bits as the upper ones of an i32. */
static unsigned char *widened(const struct input *in, const struct sound *s, size_t samples) {
    unsigned char *to = input_memory(in, samples * 4);
    for (size_t i = 0; to && i < samples; i++) {
        if (i % TURN == 0 && !input_goes_on(in))
            return NULL;
        memcpy(to + 4 * i + 1, s->data + 3 * i, 3);
    }
    return to;
}

bool wav_read(struct input *in, struct file_tensors *out) {
    struct sound s = {.type = DT_NONE};
    if (!find_chunks(in, &s))
        return false;
    size_t sample = s.packed ? 3 : dtypes[s.type].bytes;
    if (s.bytes % (sample * s.channels))
        return input_fail(in, "the last sample is cut short");
    size_t samples = s.bytes / sample;
    out->at = ARENA_ARRAY(in->arena, struct file_tensor, 2);
    int64_t *dims = ARENA_ARRAY(in->arena, int64_t, 2), *rate = ARENA_NEW(in->arena, int64_t);
    dims[0] = (int64_t)(samples / s.channels);
    dims[1] = s.channels;
    *rate = s.rate;
    struct file_tensor *t = &out->at[0];
    *t = (struct file_tensor){.name = "", .type = s.type, .rank = 2, .dims = dims};
    t->bytes = samples * dtypes[s.type].bytes;
    out->at[1] = (struct file_tensor){
        .name = rate_name, .type = DT_i64, .dims = dims, .data = rate, .bytes = sizeof *rate};
    out->n = 2;
    if (s.packed)
        s.data = widened(in, &s, samples);
    return s.data && tensor_settle(in, t, s.data, false);
}

/* --- writing -------------------------------------------------------------------------------- */

static unsigned char *put_chunk(unsigned char *p, const char *name, uint64_t size) {
    memcpy(p, name, 4);
    return put_little(p + 4, size, 4);
}

/* What stands before the samples of T, COLUMNS of them at a time; returns its size. */
static size_t make_head(unsigned char *head, const struct file_tensor *t, uint32_t columns,
                        uint32_t rate, uint64_t bytes) {
    bool floats = dtype_is_float(t->type);
    unsigned size = dtypes[t->type].bytes;
    unsigned char *p = put_chunk(head, "RIFF", 0); /* the size is put in below */
    memcpy(p, "WAVE", 4);
    p = put_chunk(p + 4, "fmt ", floats ? FMT_FLOATS : FMT);
    p = put_little(put_little(p, floats ? FLOATS : PCM, 2), columns, 2);
    p = put_little(put_little(p, rate, 4), (uint64_t)rate * columns * size, 4);
    p = put_little(put_little(p, (uint64_t)columns * size, 2), 8 * size, 2);
    if (floats) {
        p = put_chunk(put_little(p, 0, 2), "fact", FACT);
        p = put_chunk(put_little(p, bytes / size / columns, 4), "JUNK", PADDING);
        p = put_little(p, 0, PADDING);
    }
    p = put_chunk(p, "data", bytes);
    size_t n = (size_t)(p - head);
    put_little(head + 4, n - CHUNK + bytes + bytes % 2, 4);
    return n;
}

/* The rate that the tensors say: a second one called so, of one number. */
static bool find_rate(const struct output *out, const struct file_tensor *t, uint32_t n,
                      uint32_t *rate) {
    *rate = RATE_ORDINARY;
    if (n == 1)
        return true;
    bool said =
        n == 2 && strcmp(t[1].name, rate_name) == 0 && t[1].rank == 0 && t[1].type == DT_i64;
    if (!said)
        return output_fail(out, "a .wav file holds one tensor and its rate, not %u tensors", n);
    int64_t v = *(const int64_t *)t[1].data;
    if (v <= 0 || v > UINT32_MAX)
        return output_fail(out, "a rate of %lld", (long long)v);
    *rate = (uint32_t)v;
    return true;
}

bool wav_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    unsigned char head[128];
    const struct file_tensor *t = &tensors[0];
    uint32_t rate;
    size_t bytes = 0;
    if (n == 0)
        return output_is_single(out, n);
    if (!find_rate(out, tensors, n, &rate))
        return false;
    if (t->type != DT_u8 && t->type != DT_i16 && t->type != DT_i32 && t->type != DT_f32 &&
        t->type != DT_f64)
        return output_fail(out, "samples are u8, i16, i32, f32 or f64, not %s",
                           dtypes[t->type].name);
    int64_t columns = t->rank == 2 ? t->dims[1] : 1;
    if (t->rank < 1 || t->rank > 2 || columns < 1 || columns * dtypes[t->type].bytes > UINT16_MAX)
        return output_fail(out, "sound is [samples] or [samples, channels]");
    tensor_bytes(t->type, t->rank, t->dims, &bytes);
    if (bytes > UINT32_MAX - sizeof head)
        return output_fail(out, "a .wav file has at most 4 GiB");
    size_t size = make_head(head, t, (uint32_t)columns, rate, bytes);
    if (!output_open(out))
        return false;
    output_put(out, head, size);
    output_put(out, t->data, bytes);
    output_zeros(out, bytes % 2);
    return output_close(out);
}
