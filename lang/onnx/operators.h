/* The table of operators (onnx.def) and what of it fits a node. */
#ifndef DCL_LANG_ONNX_OPERATORS_H
#define DCL_LANG_ONNX_OPERATORS_H

#include "lang/ast/ast.h"
#include "lang/onnx/wire.h"

enum { ONNX_ATTRIBUTES_MAX = 8 };

/* The newest version of ONNX's own set of operators that onnx.def was held against. */
enum { ONNX_OPSET_NEWEST = 28 };

enum onnx_attribute_kind {
    ATTRIBUTE_NONE,
    ATTRIBUTE_FLOAT,
    ATTRIBUTE_INT,
    ATTRIBUTE_FLAG /* an integer: 0, or else 1 */
};

struct onnx_attribute {
    const char *name; /* NULL behind the last one */
    enum onnx_attribute_kind kind;
    double absent;
};

struct onnx_operator {
    const char *name;
    int64_t since;
    enum onnx_written { WRITTEN_CALL, WRITTEN_INFIX, WRITTEN_SAME } form;
    const char *call;
    enum ast_op infix;
    uint32_t inputs[2];
    struct onnx_attribute attributes[ONNX_ATTRIBUTES_MAX];
    const char *doc;
};

/* The K-th row, NULL past the last. */
const struct onnx_operator *onnx_operator_at(uint32_t k);
/* The row for NAME in VERSION of ONNX's own set; NULL if there is none, and then *FIRST is the
   earliest version that has one, 0 if none has. */
const struct onnx_operator *onnx_operator_find(struct wire_bytes name, int64_t version,
                                               int64_t *first);

#endif
