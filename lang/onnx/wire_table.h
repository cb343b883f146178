/* The table that proto.def makes, for what reads messages (wire.c) and what writes them
   (wire_write.c). */
#ifndef DCL_LANG_ONNX_WIRE_TABLE_H
#define DCL_LANG_ONNX_WIRE_TABLE_H

#include "lang/onnx/wire.h"

enum wire_message {
#define MESSAGE(message, doc) MSG_##message,
#define FIELD(...)
#define END
#include "lang/onnx/proto.def"
    MSG_COUNT
};

enum wire_kind {
    KIND_INT,
    KIND_FLOAT,
    KIND_BYTES,
    KIND_INTS,
    KIND_FLOATS,
    KIND_RAW32,
    KIND_RAW64,
    KIND_TEXTS,
    KIND_ONE,
    KIND_MANY
};

/* Types on the wire. */
enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_LENGTH = 2, WIRE_32 = 5 };

struct wire_shape_of {
    const char *name;
    size_t size; /* of its struct */
};
extern const struct wire_shape_of wire_messages[MSG_COUNT];

struct wire_field {
    enum wire_message in;
    uint32_t number;
    size_t offset;
    const char *name;
    enum wire_kind kind;
    enum wire_message of; /* what ONE and MANY hold */
};
extern const struct wire_field wire_fields[]; /* in the order of proto.def, wire_field_count */
extern const size_t wire_field_count;

#endif
