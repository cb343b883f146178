/* Writing messages, by the table that reads them. A field is written if it is not 0 or empty, or if
   its bit of `seen` is set. What a message is as bytes follows from its content alone. */
#include "lang/onnx/wire.h"

#include "lang/onnx/wire_table.h"

#include <string.h>

struct sink {
    void (*put)(void *to, const void *bytes, size_t n); /* NULL: they are counted only */
    void *to;
    uint64_t n;
};

static void put(struct sink *s, const void *bytes, size_t n) {
    s->n += n;
    if (s->put && n)
        s->put(s->to, bytes, n);
}

static void put_varint(struct sink *s, uint64_t v) {
    unsigned char bytes[10];
    size_t n = 0;
    for (; v > 0x7f; v >>= 7)
        bytes[n++] = (unsigned char)(v | 0x80);
    bytes[n++] = (unsigned char)v;
    put(s, bytes, n);
}

static void put_tag(struct sink *s, const struct wire_field *f, unsigned type) {
    put_varint(s, (uint64_t)f->number << 3 | type);
}

static void put_block(struct sink *s, const struct wire_field *f, const void *bytes, size_t n) {
    put_tag(s, f, WIRE_LENGTH);
    put_varint(s, n);
    put(s, bytes, n);
}

static void put_message(struct sink *s, enum wire_message m, const void *message);

static void put_inner(struct sink *s, const struct wire_field *f, const void *message) {
    struct sink count = {0};
    put_message(&count, f->of, message);
    put_tag(s, f, WIRE_LENGTH);
    put_varint(s, count.n);
    put_message(s, f->of, message);
}

static void put_ints(struct sink *s, const struct wire_field *f, const struct wire_ints *v) {
    for (uint32_t i = 0; i < v->n; i++) { /* as onnx.proto has them: not packed */
        put_tag(s, f, WIRE_VARINT);
        put_varint(s, (uint64_t)v->at[i]);
    }
}

static void put_field(struct sink *s, const struct wire_field *f, bool seen, const void *member) {
    int64_t v;
    const void *message;
    const struct wire_bytes *bytes = member;
    const struct wire_list *list = member;
    const struct wire_floats *floats = member;
    const struct wire_raw *raw = member;
    const struct wire_texts *texts = member;
    static const char zero[4];
    switch (f->kind) {
    case KIND_INT:
        memcpy(&v, member, sizeof v);
        if (v || seen) {
            put_tag(s, f, WIRE_VARINT);
            put_varint(s, (uint64_t)v);
        }
        return;
    case KIND_FLOAT:
        if (memcmp(member, zero, sizeof zero) != 0 || seen) {
            put_tag(s, f, WIRE_32);
            put(s, member, 4);
        }
        return;
    case KIND_BYTES:
        if (bytes->n || seen)
            put_block(s, f, bytes->at, bytes->n);
        return;
    case KIND_INTS: put_ints(s, f, member); return;
    case KIND_FLOATS:
        for (uint32_t i = 0; i < floats->n; i++) {
            put_tag(s, f, WIRE_32);
            put(s, &floats->at[i], 4);
        }
        return;
    case KIND_RAW32:
    case KIND_RAW64:
        if (raw->n)
            put_block(s, f, raw->at, raw->n);
        return;
    case KIND_TEXTS:
        for (uint32_t i = 0; i < texts->n; i++)
            put_block(s, f, texts->at[i].at, texts->at[i].n);
        return;
    case KIND_ONE:
        memcpy(&message, member, sizeof message);
        if (message)
            put_inner(s, f, message);
        return;
    case KIND_MANY:
        for (uint32_t i = 0; i < list->n; i++)
            put_inner(s, f, list->at[i]);
        return;
    }
}

static void put_message(struct sink *s, enum wire_message m, const void *message) {
    uint64_t seen;
    memcpy(&seen, message, sizeof seen); /* the first member of every message */
    for (size_t i = 0; i < wire_field_count; i++) {
        const struct wire_field *f = &wire_fields[i];
        if (f->in == m)
            put_field(s, f, seen >> f->number & 1, (const char *)message + f->offset);
    }
}

uint64_t wire_size(const struct wire_model *m) {
    struct sink count = {0};
    put_message(&count, MSG_model, m);
    return count.n;
}

void wire_write(const struct wire_model *m, void (*to)(void *data, const void *bytes, size_t n),
                void *data) {
    struct sink s = {to, data, 0};
    put_message(&s, MSG_model, m);
}
