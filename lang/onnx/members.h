/* The weights of a model as members of layers. Weights are called by dotted names, as the states of
   layers are: `fc1.weight` is the state `weight` of the member `fc1`, `blocks.0.bias` one of the
   first element of the list `blocks`. So the layers that are made here keep the names. */
#ifndef DCL_LANG_ONNX_MEMBERS_H
#define DCL_LANG_ONNX_MEMBERS_H

#include "lang/ast/ast.h"
#include "lang/onnx/idents.h"
#include "lang/onnx/model.h"

/* A weight in the program. */
struct onnx_state {
    const char *key;    /* its dotted name: that of the file wherever DCL can say it */
    struct ast *access; /* the expression that reads it in the model's methods */
};

struct onnx_members {
    VEC(struct ast *) layers;  /* definitions that the members need, before their use */
    VEC(struct ast *) members; /* STATE and ASSIGN, for the model's layer */
    struct onnx_state *states; /* one for each weight of the model */
    VEC(const char *) renamed; /* "NAME is now KEY" */
};

/* Methods of the layers that are made. KEY is a layer's dotted name in the file, ACCESS what reads
   it in the model's methods. */
struct onnx_methods {
    void *data;
    /* The method `forward` of the layer at KEY, whose names are claimed in SCOPE, or NULL: it has
       none. Its weights, and the layers in it, have been told. */
    struct ast *(*method)(void *data, const char *key, const struct ast *access,
                          struct idents *scope);
    void (*list)(void *data, const char *key, int64_t length);
    void (*weight)(void *data, uint32_t index, struct ast *access);
    /* Names that mean something in that method, or NULL. */
    const struct map *(*taken)(void *data, const char *key);
    const struct map *symbols;  /* which all methods have */
    const struct name *library; /* layers of the library */
    uint32_t nlibrary;
};

/* How many parts a weight's dotted name has: 1 where it does not come apart at its dots. */
unsigned onnx_member_parts(struct wire_bytes name);
/* SCOPE is the model's; definitions are called as none of LAYERS, another scope. */
struct onnx_members onnx_members_new(struct arena *a, struct names *names,
                                     const struct onnx_model *m, const struct onnx_methods *methods,
                                     struct idents *scope, struct idents *layers);

#endif
