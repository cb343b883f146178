/* dcl import: an ONNX model as a program of DCL and a file of weights. */
#ifndef DCL_LANG_ONNX_IMPORT_H
#define DCL_LANG_ONNX_IMPORT_H

#include "lang/ast/ast.h"
#include "lang/base/diag.h"
#include "lang/check/module.h"
#include "lang/files/files.h"

struct onnx_program {
    struct ast *file; /* a layer Model, those it needs, `model`, which loads its weights */
    struct file_tensor *weights; /* called as the model's states; the data may lie unaligned */
    uint32_t nweights;
};

/* What is known of a model beside its file: the value of an input that sizes hang on, as an
   expression, or the size of a dimension. */
struct onnx_known {
    const char *name, *text;
    bool dimension;
};

/* A module, as `use` names it. */
struct onnx_use {
    const char *name;
    bool path; /* of a file */
    const struct module *module;
};

/* What an import asks for. */
struct onnx_order {
    const char *path; /* what the model is called in messages */
    const char *name; /* the program is to be NAME.dcl */
    const struct onnx_known *known;
    uint32_t nknown;
    bool force; /* what is there already is written over */
    /* What the program may use: the file of rewrites that the user names, if there is one, first;
       then the library's modules (onnx_modules). PROGRAM is a module that uses them. */
    const struct onnx_use *uses;
    uint32_t nuses;
    const struct module *program;
};

/* The modules of the library that an import needs, NULL behind them: that where the functions of
   operator.def are, and that of rewrites. */
const char *const *onnx_modules(void);
/* The model in the N bytes at BYTES, which have to stay. The weights of the program, if there are
   any, are to be NAME.safetensors beside it. NAMES are those of the library. False after ONE error
   whose notes are all the reasons. */
bool onnx_import(struct arena *a, struct names *names, struct diags *d, const void *bytes, size_t n,
                 const struct onnx_order *order, struct onnx_program *out);
/* Imports the file FROM into the file TO, which ends in .dcl, and its weights into the file beside
   it that ends in .safetensors instead. Both are made, or with ORDER's force replaced; on an error
   none is. ORDER's path and name are FROM's and TO's. */
bool onnx_import_file(struct arena *a, struct names *names, struct diags *d, const char *from,
                      const char *to, const struct onnx_order *order);

#endif
