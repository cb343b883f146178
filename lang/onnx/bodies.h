/* What bodies.c and loops.c share: graphs in nodes. */
#ifndef DCL_LANG_ONNX_BODIES_H
#define DCL_LANG_ONNX_BODIES_H

#include "lang/onnx/importer.h"

struct type {
    enum dtype element;
    uint32_t rank;
    const struct value *dims;
};

/* A graph in a node while its nodes are imported. */
struct inner {
    struct importer *m;
    const struct wire_graph *wire;
    struct onnx_subgraph g;
    struct operands names;
};

/* The type of X as a tensor; false if it has none, which has been told. */
bool type_of(struct importer *m, const struct operand *x, struct type *t);
/* Whether A and B may be the types of one thing; else "NAME is A, and B WHERE" is told. */
bool same_type(struct importer *m, const struct onnx_node *x, struct wire_bytes name,
               const struct type *a, const struct type *b, const char *where);
/* A tensor that is known when it runs. */
struct operand *typed_operand(struct importer *m, const struct type *t);

/* Whether X is known now and has one element, in *V. */
bool one_value(struct importer *m, const struct operand *x, struct value *v);
/* X as a tensor with its own element type: what is stored takes none from what it meets. */
struct ast *exact_tensor(struct importer *m, const struct operand *x);
/* The element of X, which has one. */
struct ast *only_element(struct importer *m, const struct operand *x);

/* Output K of X is TO, unless it is not wanted or NULL. */
void set_result(struct importer *m, const struct onnx_node *x, uint32_t k, struct operand *to);
bool is_wanted(const struct onnx_node *x, uint32_t k);

/* The graph in the attribute NAME begins: its weights are there. False after a problem. */
bool inner_enter(struct importer *m, const struct onnx_node *x, const char *name, struct inner *in);
/* Imports its nodes, as lines of TO; NULL: those around. */
void inner_nodes(struct inner *in, struct body *to);
/* Its output K, called NAME in messages; NULL after a problem. */
struct operand *inner_gives(struct inner *in, const struct onnx_node *x, uint32_t k,
                            struct wire_bytes name);

/* --- loops.c --------------------------------------------------------------------------------- */

void import_loop(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                 struct operand *const *at, uint32_t n);
void import_scan(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                 struct operand *const *at, uint32_t n);

#endif
