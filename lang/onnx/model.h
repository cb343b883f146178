/* An ONNX model in memory, checked: names resolved, weights decoded, nodes in an order in which
   each comes after what it reads. What is wrong with it, or cannot be imported, is collected. */
#ifndef DCL_LANG_ONNX_MODEL_H
#define DCL_LANG_ONNX_MODEL_H

#include "lang/base/map.h"
#include "lang/base/name.h"
#include "lang/base/vec.h"
#include "lang/onnx/wire.h"
#include "lang/scalar/scalar.h"

struct ast;

enum { ONNX_RANK_MAX = 16 };

/* Reasons why a model cannot be imported, each a line. */
struct onnx_problems {
    struct arena *arena;
    VEC(const char *) lines;
};
void onnx_problem(struct onnx_problems *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Values are known by their names, interned as they stand in the file. */
struct onnx_weight {
    struct name id;
    struct wire_bytes name;
    enum dtype type;
    uint32_t rank;
    const int64_t *dims;
    const void *data; /* row-major, little-endian, perhaps not aligned; in the input or the arena */
    size_t bytes;
    bool constant;           /* it stands in a node, not among the weights */
    bool used;               /* some expression reads it as a tensor */
    struct wire_bytes local; /* the dotted name that it is to have; empty: its own */
    const struct ast *made;  /* the call that makes the layer of the library whose state it is */
    bool turned;             /* DATA is that of the transpose */
    bool buffer;             /* what is not trained */
};

/* A size, or a name for one, or neither. */
struct onnx_dim {
    int64_t size; /* -1: not given */
    struct wire_bytes name;
};

/* An input or output. */
struct onnx_value {
    struct name id;
    struct wire_bytes name;
    enum dtype type;
    bool has_shape;
    uint32_t rank;
    const struct onnx_dim *dims;
};

struct onnx_node {
    const struct wire_node *wire;
    const char *text; /* for messages: "node NAME (OPERATOR, version V, domain D)" */
    bool own;         /* the operator belongs to ONNX's own set */
    int64_t version;  /* of the set, 0: the file does not say */
    const struct name *inputs, *outputs; /* none: left out */
    uint32_t ninputs, noutputs;
};

/* A graph in an attribute: its nodes, in order, the names of what it takes and of what it gives. */
struct onnx_subgraph {
    VEC(struct name) inputs;
    VEC(struct onnx_node) nodes;
    VEC(uint32_t) weights; /* of the model, those that stand in the graph */
    VEC(struct name) outputs;
};

/* A node that means a function of the file, while the function's nodes are read. */
struct onnx_call {
    const struct onnx_call *outer; /* the one that this stands in, or NULL */
    struct onnx_model *model;
    const struct wire_function *function;
    const char *text;      /* for messages */
    struct map attributes; /* name -> struct wire_attribute *, of the node or the function */
    struct map absent;     /* inputs that the node leaves out */
};

/* Files beside the model that hold elements of weights. */
struct onnx_file {
    const char *name;
    const void *bytes;
    size_t n;
};
struct onnx_files {
    struct arena *arena; /* they are mapped as long as it lives */
    const char *folder;  /* where they lie, and nowhere else; NULL: there are none */
    VEC(struct onnx_file) at;
};

struct onnx_model {
    struct arena *arena;
    struct names *ids;
    const char *producer; /* "pytorch 2.1", "" */
    int64_t opset;        /* of ONNX's own set */
    const struct wire_model *wire;
    struct onnx_files files;
    struct map functions; /* name, domain and overload as one id -> struct wire_function * */
    struct map read;      /* tensors and attributes that are weights already -> 1 + index */
    VEC(struct onnx_weight) weights;
    VEC(struct onnx_value) inputs;
    VEC(struct onnx_value) outputs;
    VEC(struct onnx_node) nodes;
};

/* Adds a weight that FROM (a tensor, an attribute) is in the file; its index. */
uint32_t onnx_weight_add(struct onnx_model *m, const struct onnx_weight *w, const void *from);
/* Whether FROM is a weight already, as in a function that is called again. */
bool onnx_weight_of(const struct onnx_model *m, const void *from, uint32_t *index);
/* The graph G of a node of M, that stands in CALL's function or (NULL) in none. */
void onnx_subgraph_read(struct onnx_model *m, const struct wire_graph *g,
                        const struct onnx_call *call, struct onnx_problems *p,
                        struct onnx_subgraph *out);

/* --- functions.c ----------------------------------------------------------------------------- */

/* Notes the functions of the file. */
void onnx_functions_read(struct onnx_model *m, struct onnx_problems *p);
/* The function of the file that a node means, or NULL. */
const struct wire_function *onnx_function_of(const struct onnx_model *m, const struct wire_node *x);
/* The call of F that X is, which stands in OUTER. */
struct onnx_call onnx_call_new(struct onnx_model *m, const struct wire_function *f,
                               const struct onnx_node *x, const struct onnx_call *outer);
/* W with the attributes that CALL gives it in place of those that name one of the function's. */
const struct wire_node *onnx_call_node(const struct onnx_call *call, const struct wire_node *w);
/* The nodes of CALL's function, and what it takes and gives. */
void onnx_call_read(struct onnx_model *m, const struct onnx_call *call, struct onnx_problems *p,
                    struct onnx_subgraph *out);
/* The model in W, whose other files lie in FOLDER and are mapped as long as FILES lives. With
   problems added it is of use only for finding more of them. */
struct onnx_model *onnx_model_new(struct arena *a, const struct wire_model *w, const char *folder,
                                  struct arena *files, struct onnx_problems *p);

#endif
