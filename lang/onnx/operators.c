/* The table of operators, looked up by name and version. */
#include "lang/onnx/operators.h"

#include <string.h>

static const struct onnx_operator operators[] = {
#define OPERATOR(id, op, from, ...) {.name = op, .since = from, __VA_ARGS__},
#include "lang/onnx/operator.def"
};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

const struct onnx_operator *onnx_operator_at(uint32_t k) {
    return k < OPERATORS ? &operators[k] : NULL;
}

static bool is_own(struct wire_bytes domain) {
    return domain.n == 0 || wire_is(domain, "ai.onnx");
}

const struct onnx_operator *onnx_operator_find(struct wire_bytes domain, struct wire_bytes name,
                                               int64_t version, int64_t *first) {
    const struct onnx_operator *best = NULL;
    *first = 0;
    for (uint32_t k = 0; k < OPERATORS; k++) {
        const struct onnx_operator *o = &operators[k];
        if (!wire_is(name, o->name) || (o->domain ? !wire_is(domain, o->domain) : !is_own(domain)))
            continue;
        if (*first == 0 || o->since < *first)
            *first = o->since;
        if (o->since <= version && (!best || o->since > best->since))
            best = o;
    }
    return best;
}

static bool ends(const char *word, size_t n, const char *ending) {
    size_t k = strlen(ending);
    return n >= k && memcmp(word + n - k, ending, k) == 0;
}

uint32_t onnx_operator_inputs(const struct onnx_operator *o, struct onnx_input *in) {
    uint32_t count = 0;
    for (const char *at = o->takes ? o->takes : ""; *at && count < ONNX_INPUTS_MAX;) {
        size_t n = strcspn(at, " ");
        size_t word = n && at[n - 1] == '?' ? n - 1 : n;
        in[count++] = (struct onnx_input){.takes = ends(at, word, ":list")     ? TAKES_LIST
                                                   : ends(at, word, ":number") ? TAKES_NUMBER
                                                   : ends(at, word, "..")      ? TAKES_REST
                                                                               : TAKES_TENSOR,
                                          .optional = word < n};
        at += n + strspn(at + n, " ");
    }
    return count;
}
