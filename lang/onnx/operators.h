/* The table of operators (onnx.def) and what of it fits a node. */
#ifndef DCL_LANG_ONNX_OPERATORS_H
#define DCL_LANG_ONNX_OPERATORS_H

#include "lang/ast/ast.h"
#include "lang/onnx/wire.h"

enum { ONNX_ATTRIBUTES_MAX = 16, ONNX_INPUTS_MAX = 18 };
/* As many outputs as there are. */
#define ONNX_OUTPUTS_ANY UINT32_MAX

/* The newest version of ONNX's own set of operators that onnx.def was held against. */
enum { ONNX_OPSET_NEWEST = 28 };

enum onnx_attribute_kind {
    ATTRIBUTE_NONE,
    ATTRIBUTE_FLOAT,
    ATTRIBUTE_INT,
    ATTRIBUTE_FLAG, /* an integer: 0, or else 1 */
    ATTRIBUTE_FLOATS,
    ATTRIBUTE_INTS,
    ATTRIBUTE_STRING,
    ATTRIBUTE_STRINGS,
    ATTRIBUTE_ELEMENT, /* the number of an element type: the type */
    ATTRIBUTE_FILL,    /* a tensor of one element: the number, and as `t` its type */
    ATTRIBUTE_IGNORED  /* changes no result */
};

struct onnx_attribute {
    const char *name; /* NULL behind the last one */
    enum onnx_attribute_kind kind;
    double absent;    /* FLOAT, INT, FLAG: what is as this is not written */
    const char *text; /* STRING: the same; INTS: the number that each of them is */
    const char *as;   /* the parameter's name, where it is another one */
};

/* How an input is given. */
enum onnx_takes {
    TAKES_TENSOR,
    TAKES_LIST,   /* a list of numbers that is known when the model is imported */
    TAKES_NUMBER, /* one such number */
    TAKES_REST    /* all further inputs, tensors, as one list */
};

struct onnx_input {
    enum onnx_takes takes;
    bool optional;
};

struct onnx_operator {
    const char *name;
    int64_t since;
    const char *domain; /* NULL: ONNX's own */
    enum onnx_written {
        WRITTEN_CALL,  /* call(inputs, attributes) */
        WRITTEN_INFIX, /* input OPERATOR input .. */
        WRITTEN_FOLD,  /* call(call(input, input), input) .. */
        WRITTEN_SAME,  /* the input */
        WRITTEN_CONSTANT,
        WRITTEN_BRANCH, /* what the first or second of the graphs gives */
        WRITTEN_LOOP,   /* the graph as long as it says */
        WRITTEN_SCAN    /* the graph for parts of tensors */
    } form;
    const char *call;
    const char *plain; /* instead of it where no attribute is written and one output is wanted */
    enum ast_op infix;
    enum ast_op floats;  /* of a CALL: the operator between floats, if not 0 */
    uint32_t least_rank; /* of an INFIX with a call: with inputs of fewer dimensions it is a call */
    const char *more;    /* instead of `call` where more than one output is wanted */
    const char *fixed;   /* the function of the same meaning for lists and numbers */
    const char *takes;   /* inputs, words: `x`, optional `x?`, all others `x..`, known when imported
                          `x:list` and `x:number` */
    uint32_t outputs;    /* the most; 0: one */
    bool several;        /* the call has several results, or is a list, even if one is wanted */
    bool drawn;          /* a parameter `key`: another number for each node */
    bool counted;        /* a parameter `outputs`: how many are wanted */
    struct onnx_attribute attributes[ONNX_ATTRIBUTES_MAX];
    const char *graphs[2]; /* attributes that are graphs */
    const char *stages[2]; /* of a CALL: its result goes through the first graph, if there is one,
                              into this function, by the other graph, with the inputs, into that */
    bool batched;          /* of a SCAN: first the lengths, and the first dimension is a batch */
    const char *doc;
};

/* The K-th row, NULL past the last. */
const struct onnx_operator *onnx_operator_at(uint32_t k);
/* The row for NAME of DOMAIN (empty: ONNX's own) in VERSION of the set; NULL if there is none, and
   then *FIRST is the earliest version that has one, 0 if none has. */
const struct onnx_operator *onnx_operator_find(struct wire_bytes domain, struct wire_bytes name,
                                               int64_t version, int64_t *first);
/* The inputs of O, from its text, into IN; their number. */
uint32_t onnx_operator_inputs(const struct onnx_operator *o, struct onnx_input *in);

#endif
