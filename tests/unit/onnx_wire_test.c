/* The reader of ONNX's messages: what it makes of fields, and that it refuses what is no message,
   with a reason and a place. The writer: that what was read is written as it was. */
#include "lang/onnx/wire.h"
#include "tests/harness/tap.h"

static struct arena *arena;
static const char *why;

static struct wire_model *read_bytes(const void *bytes, size_t n) {
    /* A block of its own, so that reading past the end is noticed. */
    void *copy = mem_alloc(n ? n : 1);
    arena_on_free(arena, mem_free, copy);
    memcpy(copy, bytes, n);
    why = NULL;
    return wire_read(arena, copy, n, &why);
}

#define READ(text) read_bytes(text, sizeof(text) - 1)

static void test_fields(void) {
    struct wire_model *m = READ("");
    ok(m && m->seen == 0 && !m->graph && m->opset_import.n == 0, "nothing is a model");
    m = READ("\x08\x08");
    ok(m && m->ir_version == 8 && WIRE_HAS(m, 1) && !WIRE_HAS(m, 2), "a number");
    m = READ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    ok(m && m->ir_version == -1, "a negative number");
    m = READ("\x08\x01\x08\x02");
    ok(m && m->ir_version == 2, "the last of two stands");
    m = READ("\x42\x02\x10\x11\x42\x05\x0a\x01z\x10\x03");
    const struct wire_opset *second = m && m->opset_import.n == 2 ? m->opset_import.at[1] : NULL;
    ok(second && second->version == 3 && second->domain.n == 1, "messages, in order");
    m = READ("\x3a\x05\x2a\x03\x0a\x01\x02\x3a\x06\x2a\x04\x08\x05\x08\x06");
    ok(m && m->graph && m->graph->initializer.n == 2, "a message that comes twice is merged");
    const struct wire_tensor *packed = m->graph->initializer.at[0];
    const struct wire_tensor *plain = m->graph->initializer.at[1];
    ok(packed->dims.n == 1 && packed->dims.at[0] == 2, "packed numbers");
    ok(plain->dims.n == 2 && plain->dims.at[0] == 5 && plain->dims.at[1] == 6, "and others");
    m = READ("\x3a\x0c\x2a\x0a\x22\x08\0\0\x80\x3f\0\0\0\xc0");
    const struct wire_tensor *t = m && m->graph ? m->graph->initializer.at[0] : NULL;
    float got[4] = {0};
    bool is = t && t->float_data.n == 8 && t->float_data.cap == 0;
    if (is)
        memcpy(got, t->float_data.at, 8);
    ok(is && got[0] == 1 && got[1] == -2, "packed floats, where they are");
    m = READ("\x3a\x16\x2a\x14\x25\0\0\x80\x3f\x22\x08\0\0\0\xc0\0\0\x80\x3f\x25\0\0\0\xc0");
    t = m && m->graph ? m->graph->initializer.at[0] : NULL;
    is = t && t->float_data.n == 16;
    if (is)
        memcpy(got, t->float_data.at, 16);
    ok(is && got[0] == 1 && got[1] == -2 && got[2] == 1 && got[3] == -2, "and others between");
    m = READ("\x98\x06\x05\x9a\x06\x03"
             "abc\x9d\x06....\x99\x06........\x08\x07");
    ok(m && m->ir_version == 7, "unknown fields of each type are skipped");
}

#define REFUSED(text, reason, what)                                                                \
    do {                                                                                           \
        ok(!READ(text), "refused: %s", what);                                                      \
        is_str(why, reason, "the reason");                                                         \
    } while (0)

static void test_refused(void) {
    REFUSED("\x08", "a number is cut off, at byte 1", "no number behind the tag");
    REFUSED("\x08\x80", "a number is cut off, at byte 1", "half a number");
    REFUSED("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
            "a number of more than 64 bits, at byte 1", "65 bits");
    REFUSED("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
            "a number of more than 64 bits, at byte 1", "eleven bytes");
    REFUSED("\x3a\x01", "a field is longer than what it stands in, at byte 2", "nothing behind");
    REFUSED("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            "a field is longer than what it stands in, at byte 11", "a length of 2^64 - 1");
    REFUSED("\x3a\x02\x0a\x05", "a field is longer than what it stands in, at byte 4",
            "a message that is longer than the one around it");
    REFUSED("\x0d....", "model.ir_version is of another type, at byte 0", "a number of 32 bits");
    REFUSED("\x38\x05", "model.graph is of another type, at byte 0", "a number for a message");
    REFUSED("\x0b", "an unknown type of field, at byte 1", "a group");
    REFUSED("\x0f", "an unknown type of field, at byte 1", "type 7");
    REFUSED("\x02\x01", "an impossible number of a field, at byte 0", "field 0");
    REFUSED("\xff\xff\xff\xff\xff\x01", "an impossible number of a field, at byte 0",
            "a large one");
    REFUSED("\x3a\x07\x2a\x05\x22\x03\x01\x02\x03", "half a number, at byte 6", "three quarters");
}

/* Graphs in attributes of nodes of graphs: DEPTH of them. */
static bool nested(unsigned depth) {
    unsigned char bytes[4000];
    size_t at = sizeof bytes;
    for (unsigned i = 0; i < depth; i++) {
        static const unsigned char tags[] = {0x32, 0x2a, 0x0a}; /* g, attribute, node */
        for (unsigned k = 0; k < 3; k++) {
            size_t n = sizeof bytes - at;
            at -= 2 + (n > 127);
            bytes[at] = tags[k];
            bytes[at + 1] = (unsigned char)(n > 127 ? (n & 127) | 128 : n);
            if (n > 127)
                bytes[at + 2] = (unsigned char)(n >> 7);
        }
    }
    size_t n = sizeof bytes - at;
    at -= 3;
    bytes[at] = 0x3a;
    bytes[at + 1] = (unsigned char)((n & 127) | 128);
    bytes[at + 2] = (unsigned char)(n >> 7);
    return read_bytes(bytes + at, sizeof bytes - at) != NULL;
}

static void test_depth(void) {
    ok(nested(10), "ten graphs in each other: %s", why ? why : "");
    ok(!nested(11), "eleven are too many");
    ok(why && strstr(why, "nested too deep"), "which is the reason: %s", why ? why : "");
    ok(!nested(200), "200, too");
}

static void test_text(void) {
    char text[300];
    memset(text, 'a', sizeof text);
    is_str(wire_text(arena, (struct wire_bytes){"a\n\033\xff", 4}), "a???",
           "no control characters");
    is_str(wire_text(arena, (struct wire_bytes){NULL, 0}), "", "no text");
    is_int((long long)strlen(wire_text(arena, (struct wire_bytes){text, 300})), 203, "cut");
    ok(wire_is((struct wire_bytes){"ab", 2}, "ab") && !wire_is((struct wire_bytes){"ab", 2}, "abc"),
       "comparing");
}

struct written {
    char bytes[256];
    size_t n;
};

static void put(void *to, const void *bytes, size_t n) {
    struct written *w = to;
    if (w->n + n <= sizeof w->bytes)
        memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}

/* What is read of the N bytes at BYTES is written as these bytes. */
static void is_kept(const char *bytes, size_t n, const char *what) {
    struct written w = {{0}, 0};
    const char *reason = NULL;
    struct wire_model *m = wire_read(arena, bytes, n, &reason);
    if (m)
        wire_write(m, put, &w);
    ok(m && w.n == n && memcmp(w.bytes, bytes, n) == 0, "kept: %s", what);
    is_int(m ? (long long)wire_size(m) : -1, (long long)n, "as many bytes as it says");
}

#define KEPT(text, what) is_kept(text, sizeof(text) - 1, what)

static void test_written(void) {
    KEPT("", "nothing");
    KEPT("\x08\x08\x12\x03"
         "dcl",
         "a number and a text");
    KEPT("\x08\x80\x01", "a number of two bytes");
    KEPT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a negative number");
    KEPT("\x08\x00", "a 0 that stands there");
    KEPT("\x42\x02\x10\x11\x42\x05\x0a\x01z\x10\x03", "messages, in order");
    KEPT("\x3a\x06\x2a\x04\x08\x05\x08\x06", "numbers in messages in messages");
    KEPT("\x3a\x0c\x2a\x0a\x22\x08\0\0\x80\x3f\0\0\0\xc0", "floats");
    KEPT("\x3a\x0c\x2a\x0a\x52\x08\0\0\0\0\0\0\xf0\x3f", "doubles");
    KEPT("\x3a\x07\x0a\x05\x0a\x01x\x0a\x00", "texts, empty ones too");
    KEPT("\x3a\x09\x0a\x07\x2a\x05\x15\0\0\0\0", "a float of 0 that stands there");
}

int main(void) {
    arena = arena_new();
    test_fields();
    test_written();
    test_refused();
    test_depth();
    test_text();
    arena_free(arena);
    return done_testing();
}
