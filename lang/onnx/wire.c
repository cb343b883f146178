/* Reading messages, by the table that proto.def makes. The input may be anything: each length is
   held against what is left of the message that it stands in, and messages nest to a bound. A field
   that comes twice where one is meant: the last number or text stands, messages are merged. */
#include "lang/onnx/wire.h"

#include "lang/onnx/wire_table.h"

#include "lang/base/vec.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they stand");

const struct wire_shape_of wire_messages[MSG_COUNT] = {
#define MESSAGE(message, doc) [MSG_##message] = {#message, sizeof(struct wire_##message)},
#define FIELD(...)
#define END
#include "lang/onnx/proto.def"
};

#define KIND_OF_INT KIND_INT, MSG_COUNT
#define KIND_OF_FLOAT KIND_FLOAT, MSG_COUNT
#define KIND_OF_BYTES KIND_BYTES, MSG_COUNT
#define KIND_OF_INTS KIND_INTS, MSG_COUNT
#define KIND_OF_FLOATS KIND_FLOATS, MSG_COUNT
#define KIND_OF_RAW32 KIND_RAW32, MSG_COUNT
#define KIND_OF_RAW64 KIND_RAW64, MSG_COUNT
#define KIND_OF_TEXTS KIND_TEXTS, MSG_COUNT
#define KIND_OF_ONE(message) KIND_ONE, MSG_##message
#define KIND_OF_MANY(message) KIND_MANY, MSG_##message

#define MESSAGE(message, doc)
#define FIELD(message, field, number, kind, doc)                                                   \
    _Static_assert(number < 64, "a bit of `seen`: " #message "." #field);
#define END
#include "lang/onnx/proto.def"

const struct wire_field wire_fields[] = {
#define MESSAGE(message, doc)
#define FIELD(message, field, number, kind, doc)                                                   \
    {MSG_##message, number, offsetof(struct wire_##message, field), #field, KIND_OF_##kind},
#define END
#include "lang/onnx/proto.def"
};
enum { FIELDS = sizeof wire_fields / sizeof wire_fields[0] };
const size_t wire_field_count = FIELDS;

static const struct wire_field *field_of(enum wire_message m, uint64_t number) {
    for (size_t i = 0; i < FIELDS; i++)
        if (wire_fields[i].in == m && wire_fields[i].number == number)
            return &wire_fields[i];
    return NULL;
}

/* --- the wire ------------------------------------------------------------------------------- */

/* The part of the input from AT to END. */
struct part {
    const unsigned char *at, *end;
};

struct reader {
    struct arena *arena;
    const unsigned char *start;
    const char *why;
};

static bool bad(struct reader *r, const unsigned char *at, const char *what) {
    if (!r->why)
        r->why = arena_printf(r->arena, "%s, at byte %zu", what, (size_t)(at - r->start));
    return false;
}

static bool read_varint(struct reader *r, struct part *p, uint64_t *v) {
    const unsigned char *from = p->at;
    *v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (p->at == p->end)
            return bad(r, from, "a number is cut off");
        unsigned char c = *p->at++;
        if (shift == 63 && c > 1)
            break;
        *v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80)
            return true;
    }
    return bad(r, from, "a number of more than 64 bits");
}

/* The next N bytes. */
static bool take(struct reader *r, struct part *p, uint64_t n, struct part *out) {
    if (n > (size_t)(p->end - p->at))
        return bad(r, p->at, "a field is longer than what it stands in");
    *out = (struct part){p->at, p->at + n};
    p->at += n;
    return true;
}

/* What stands behind a tag of TYPE: a number in *V, or bytes in *OUT. */
static bool read_payload(struct reader *r, struct part *p, unsigned type, uint64_t *v,
                         struct part *out) {
    switch (type) {
    case WIRE_VARINT: return read_varint(r, p, v);
    case WIRE_64: return take(r, p, 8, out);
    case WIRE_32: return take(r, p, 4, out);
    case WIRE_LENGTH: return read_varint(r, p, v) && take(r, p, *v, out);
    default: return bad(r, p->at, "an unknown type of field");
    }
}

/* --- fields --------------------------------------------------------------------------------- */

static bool read_message(struct reader *r, enum wire_message m, struct part p, void *out,
                         unsigned depth);

static bool put_ints(struct reader *r, struct wire_ints *to, struct part p) {
    uint32_t n = 0; /* no message has more bytes than that */
    for (const unsigned char *at = p.at; at < p.end; at++)
        n += *at < 0x80;
    if (to->n == 0) {
        to->at = ARENA_ARRAY(r->arena, int64_t, n);
        to->cap = n;
    }
    for (uint64_t v; p.at < p.end;) {
        if (!read_varint(r, &p, &v))
            return false;
        VEC_PUSH(r->arena, *to, (int64_t)v);
    }
    return true;
}

static bool put_floats(struct reader *r, struct wire_floats *to, struct part p) {
    if ((p.end - p.at) % 4 != 0)
        return bad(r, p.at, "half a number");
    for (float v; p.at < p.end; p.at += 4) {
        memcpy(&v, p.at, 4);
        VEC_PUSH(r->arena, *to, v);
    }
    return true;
}

/* One block of all values, which is usual, stays where it is. */
static bool put_raw(struct reader *r, struct wire_raw *to, struct part p, size_t size) {
    size_t n = (size_t)(p.end - p.at);
    if (n % size != 0)
        return bad(r, p.at, "half a number");
    if (to->n == 0) {
        *to = (struct wire_raw){(const char *)p.at, n, 0};
        return true;
    }
    if (to->cap < to->n + n) {
        to->cap = 2 * (to->n + n);
        to->at = memcpy(arena_alloc(r->arena, to->cap), to->at, to->n);
    }
    if (n)
        memcpy((char *)(uintptr_t)to->at + to->n, p.at, n);
    to->n += n;
    return true;
}

static bool put_message(struct reader *r, struct wire_list *to, enum wire_message m, struct part p,
                        unsigned depth) {
    void *x = arena_alloc(r->arena, wire_messages[m].size);
    VEC_PUSH(r->arena, *to, x);
    return read_message(r, m, p, x, depth);
}

static bool merge_message(struct reader *r, void *member, enum wire_message m, struct part p,
                          unsigned depth) {
    void *x = NULL;
    memcpy(&x, member, sizeof x);
    if (!x) {
        x = arena_alloc(r->arena, wire_messages[m].size);
        memcpy(member, &x, sizeof x);
    }
    return read_message(r, m, p, x, depth);
}

/* The wire types that a kind may come in, as bits. */
static unsigned types_of(enum wire_kind k) {
    switch (k) {
    case KIND_INT: return 1u << WIRE_VARINT;
    case KIND_FLOAT: return 1u << WIRE_32;
    case KIND_INTS: return 1u << WIRE_VARINT | 1u << WIRE_LENGTH;
    case KIND_FLOATS:
    case KIND_RAW32: return 1u << WIRE_32 | 1u << WIRE_LENGTH;
    case KIND_RAW64: return 1u << WIRE_64 | 1u << WIRE_LENGTH;
    case KIND_BYTES:
    case KIND_TEXTS:
    case KIND_ONE:
    case KIND_MANY: return 1u << WIRE_LENGTH;
    }
    return 0;
}

/* Sets or extends field F of message OUT; V or P hold what was on the wire. */
static bool put_field(struct reader *r, const struct wire_field *f, unsigned type, uint64_t v,
                      struct part p, void *out, unsigned depth) {
    void *member = (char *)out + f->offset;
    struct wire_bytes bytes = {(const char *)p.at, (size_t)(p.end - p.at)};
    switch (f->kind) {
    case KIND_INT: memcpy(member, &v, sizeof v); return true;
    case KIND_FLOAT: memcpy(member, p.at, 4); return true;
    case KIND_BYTES: memcpy(member, &bytes, sizeof bytes); return true;
    case KIND_INTS:
        if (type == WIRE_LENGTH)
            return put_ints(r, member, p);
        VEC_PUSH(r->arena, *(struct wire_ints *)member, (int64_t)v);
        return true;
    case KIND_FLOATS: return put_floats(r, member, p);
    case KIND_RAW32: return put_raw(r, member, p, 4);
    case KIND_RAW64: return put_raw(r, member, p, 8);
    case KIND_TEXTS: VEC_PUSH(r->arena, *(struct wire_texts *)member, bytes); return true;
    case KIND_ONE: return merge_message(r, member, f->of, p, depth + 1);
    case KIND_MANY: return put_message(r, member, f->of, p, depth + 1);
    }
    return false;
}

static bool read_message(struct reader *r, enum wire_message m, struct part p, void *out,
                         unsigned depth) {
    if (depth > WIRE_DEPTH_MAX)
        return bad(r, p.at, "messages are nested too deep");
    while (p.at < p.end) {
        const unsigned char *from = p.at;
        uint64_t tag, v = 0;
        struct part inside = {p.at, p.at};
        if (!read_varint(r, &p, &tag))
            return false;
        if (tag >> 3 == 0 || tag >> 32 != 0)
            return bad(r, from, "an impossible number of a field");
        if (!read_payload(r, &p, tag & 7, &v, &inside))
            return false;
        const struct wire_field *f = field_of(m, tag >> 3);
        if (!f)
            continue;
        if (!(types_of(f->kind) & 1u << (tag & 7)))
            return bad(
                r, from,
                arena_printf(r->arena, "%s.%s is of another type", wire_messages[m].name, f->name));
        uint64_t seen;
        memcpy(&seen, out, sizeof seen); /* the first member of every message */
        seen |= (uint64_t)1 << f->number;
        memcpy(out, &seen, sizeof seen);
        if (!put_field(r, f, tag & 7, v, inside, out, depth))
            return false;
    }
    return true;
}

/* --- the face ------------------------------------------------------------------------------- */

struct wire_model *wire_read(struct arena *a, const void *bytes, size_t n, const char **why) {
    struct reader r = {.arena = a, .start = bytes};
    struct part all = {bytes, (const unsigned char *)bytes + n};
    struct wire_model *m = ARENA_NEW(a, struct wire_model);
    if (n > INT32_MAX)
        bad(&r, r.start, "no message is larger than 2 GiB");
    else if (read_message(&r, MSG_model, all, m, 0))
        return m;
    *why = r.why;
    return NULL;
}

const char *wire_text(struct arena *a, struct wire_bytes b) {
    enum { SHOWN = 200 };
    size_t n = b.n > SHOWN ? SHOWN : b.n;
    char *text = arena_alloc(a, n + sizeof "...");
    for (size_t i = 0; i < n; i++)
        text[i] = b.at[i] < 0x20 || b.at[i] > 0x7e ? '?' : b.at[i];
    strcpy(text + n, b.n > SHOWN ? "..." : "");
    return text;
}

bool wire_is(struct wire_bytes b, const char *text) {
    return b.n == strlen(text) && (b.n == 0 || memcmp(b.at, text, b.n) == 0);
}
