/* Conflict resolutions: the operator that combines writes to one element, and its identity, from
   which an accumulator starts. op(identity, x) is x for every x (but -0 under sum, which gives 0);
   NaN propagates through max and min, so -inf and inf serve for all floats. */
#include "lang/scalar/scalar.h"

#include <string.h>

const char *const resolution_names[RES_COUNT] = {
    [RES_NONE] = "",   [RES_SUM] = "sum", [RES_PROD] = "prod", [RES_MAX] = "max",
    [RES_MIN] = "min", [RES_AND] = "and", [RES_OR] = "or",
};

static const enum scalar_op ops[RES_COUNT] = {
    [RES_NONE] = OP_COUNT, [RES_SUM] = OP_ADD, [RES_PROD] = OP_MUL, [RES_MAX] = OP_MAX,
    [RES_MIN] = OP_MIN,    [RES_AND] = OP_AND, [RES_OR] = OP_OR,
};

enum resolution resolution_of(const char *text) {
    for (unsigned r = 0; r < RES_COUNT; r++)
        if (strcmp(resolution_names[r], text) == 0)
            return r;
    return RES_COUNT;
}

enum scalar_op resolution_op(enum resolution r) {
    return (unsigned)r < RES_COUNT ? ops[r] : OP_COUNT;
}

/* Zero where R does not work on T (and, or: bool only; the others: numbers only) and for NONE. */
union scalar resolution_identity(enum resolution r, enum dtype t) {
    enum scalar_op op = resolution_op(r);
    if (op == OP_COUNT || t >= DT_COUNT || !(scalars[op].operands & dtypes[t].class))
        return (union scalar){.i64 = 0};
    switch (r) {
    case RES_PROD:
    case RES_AND: return scalar_from_i64(t, 1);
    case RES_MAX: return scalar_lowest(t);
    case RES_MIN: return scalar_highest(t);
    default: return scalar_from_i64(t, 0);
    }
}
