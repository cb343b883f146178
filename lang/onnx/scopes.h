/* Layers from the scopes in names of nodes. `/encoder/layer.0/attention/MatMul` is a node of the
   scope encoder.layer.0.attention: its lines become the method `forward` of the layer that holds
   the weights which are called like that. */
#ifndef DCL_LANG_ONNX_SCOPES_H
#define DCL_LANG_ONNX_SCOPES_H

#include "lang/onnx/importer.h"
#include "lang/onnx/members.h"

enum {
    SCOPE_TAKES_MOST = 8, /* what a method takes, and gives */
    LINES_LEAST = 2       /* of a layer's method */
};

struct scope {
    struct wire_bytes element; /* its part of the name: "attention", "0" */
    const char *key;           /* all of them, with dots; "" of the model */
    struct wire_bytes prefix;  /* as it stands in names of nodes: "/encoder/layer.0/attention" */
    struct scope *outer;
    uint32_t depth;
    struct map find; /* element -> struct scope * */
    uint32_t first, last, count;
    int64_t length;         /* of a list: its elements */
    bool weights;           /* some weight's name is in it */
    bool complete;          /* no loops, branches, or sizes that only a run finds */
    bool layer, entered;    /* ENTERED: it is an item of the one around it */
    VEC(struct item) items; /* of a layer, or the model */
    VEC(struct operand *) takes;
    VEC(struct operand *) gives;
    struct map known;         /* stand-ins of both -> 1 */
    const struct ast *access; /* what reads it in the model */
};

/* A line, or a scope within. */
struct item {
    uint32_t line;
    struct scope *inner; /* NULL: a line */
};

struct scopes {
    struct importer *m;
    struct scope *root;
    struct scope **of_line;      /* the innermost scope */
    struct map made;             /* stand-in -> 1 + the line that makes it */
    VEC(struct scope *) all;     /* each behind those around it */
    struct map by_key;           /* name of the key -> struct scope * */
    const char **weight;         /* the dotted names of weights */
    VEC(const char *) instances; /* keys of layers of the library */
};

/* The scopes of the program's lines. Weights whose names are in none of these are given names that
   are (onnx_weight.local). */
struct scopes *scopes_new(struct importer *m);
/* Whether T is an index of a list. */
bool scope_is_number(struct wire_bytes t);
/* Whether the weight X is called as something in AT. */
bool scope_owns(const struct scopes *s, const struct operand *x, const struct scope *at);

/* --- instances.c ----------------------------------------------------------------------------- */

/* Layers of the library in place of the calls that rules have made of lines. */
void instances_make(struct scopes *s);

/* --- methods.c ------------------------------------------------------------------------------- */

/* Which of them have a method, for onnx_members_new. */
struct onnx_methods scopes_methods(struct scopes *s);
/* The lines of the model and calls of its scopes, as statements of BLOCK; after the methods. */
void scopes_finish(struct scopes *s, struct ast *block);

#endif
