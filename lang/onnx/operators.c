/* The table of operators, looked up by name and version. */
#include "lang/onnx/operators.h"

static const struct onnx_operator operators[] = {
#define OPERATOR(id, op, from, ...) {.name = op, .since = from, __VA_ARGS__},
#include "lang/onnx/onnx.def"
};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

const struct onnx_operator *onnx_operator_at(uint32_t k) {
    return k < OPERATORS ? &operators[k] : NULL;
}

const struct onnx_operator *onnx_operator_find(struct wire_bytes name, int64_t version,
                                               int64_t *first) {
    const struct onnx_operator *best = NULL;
    *first = 0;
    for (uint32_t k = 0; k < OPERATORS; k++) {
        const struct onnx_operator *o = &operators[k];
        if (!wire_is(name, o->name))
            continue;
        if (*first == 0 || o->since < *first)
            *first = o->since;
        if (o->since <= version && (!best || o->since > best->since))
            best = o;
    }
    return best;
}
