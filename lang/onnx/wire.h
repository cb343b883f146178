/* ONNX files are Protocol Buffers (https://protobuf.dev/programming-guides/encoding). This reads
   their messages into structs, one per message of proto.def, whose members are that list's fields.
   Fields that are absent are 0, empty or NULL. Texts and blocks of bytes point into the input. */
#ifndef DCL_LANG_ONNX_WIRE_H
#define DCL_LANG_ONNX_WIRE_H

#include "lang/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not NUL-terminated. */
struct wire_bytes {
    const char *at; /* NULL: not there */
    size_t n;
};

/* Bytes that stand in the input (CAP is 0) or, put together of several places, in the arena. */
struct wire_raw {
    const char *at;
    size_t n, cap;
};

/* What has several elements; filled as lang/base/vec.h fills. */
#define WIRE_MANY(name, type)                                                                      \
    struct wire_##name {                                                                           \
        type *at;                                                                                  \
        uint32_t n, cap;                                                                           \
    };
WIRE_MANY(ints, int64_t)
WIRE_MANY(floats, float)
WIRE_MANY(texts, struct wire_bytes)

/* Messages: pointers to structs of the kind that proto.def says. */
WIRE_MANY(list, void *)

/* What the kinds of proto.def are in a struct. */
#define WIRE_TYPE_INT int64_t
#define WIRE_TYPE_FLOAT float
#define WIRE_TYPE_BYTES struct wire_bytes
#define WIRE_TYPE_INTS struct wire_ints
#define WIRE_TYPE_FLOATS struct wire_floats
#define WIRE_TYPE_RAW32 struct wire_raw
#define WIRE_TYPE_RAW64 struct wire_raw
#define WIRE_TYPE_TEXTS struct wire_texts
#define WIRE_TYPE_ONE(message) struct wire_##message *
#define WIRE_TYPE_MANY(message) struct wire_list

#define MESSAGE(message, doc) struct wire_##message;
#define FIELD(...)
#define END
#include "lang/onnx/proto.def"

/* The structs; SEEN has bit K if field number K was there. */
#define MESSAGE(message, doc)                                                                      \
    struct wire_##message {                                                                        \
        uint64_t seen;
#define FIELD(message, field, number, kind, doc) WIRE_TYPE_##kind field;
#define END                                                                                        \
    }                                                                                              \
    ;
#include "lang/onnx/proto.def"

/* Whether a message had the field with this number. */
#define WIRE_HAS(message, number) (((message)->seen >> (number)&1) != 0)

enum { WIRE_DEPTH_MAX = 32 }; /* messages in messages */

/* Reads the N bytes at BYTES as a model into arena A; memory is linear in N. NULL, and the reason
   with its place in *WHY (in the arena), for what is no model. */
struct wire_model *wire_read(struct arena *a, const void *bytes, size_t n, const char **why);

/* The bytes of a model, and how many there are: what wire_read reads as M. */
void wire_write(const struct wire_model *m, void (*to)(void *data, const void *bytes, size_t n),
                void *data);
uint64_t wire_size(const struct wire_model *m);

/* A NUL-terminated copy for messages and names: what is not printable ASCII becomes `?`, and what
   is longer than 200 bytes ends in "...". */
const char *wire_text(struct arena *a, struct wire_bytes b);
bool wire_is(struct wire_bytes b, const char *text);

#endif
