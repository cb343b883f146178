/* An ONNX model as a program of DCL and its weights: in memory, or as files (dcl import). */
#ifndef DCL_LANG_ONNX_IMPORT_H
#define DCL_LANG_ONNX_IMPORT_H

#include "lang/ast/ast.h"
#include "lang/base/diag.h"
#include "lang/check/module.h"
#include "lang/files/files.h"

#define ONNX_LAYER "Model" /* what a model's layer is called */

struct onnx_program {
    struct ast *file; /* a layer Model, those it needs, `model`, which loads its weights */
    /* Called as the model's states. The data is mapped if it lies in a file, aligned; else it may
       lie unaligned, and goes with the import's arena. */
    struct file_tensor *weights;
    uint32_t nweights;
};

/* What is known of a model beside its file: the value of an input that sizes hang on, as an
   expression, or the size of a dimension. A likely one, "x[0]" of the program's parameter x, is
   what a call is going to have: it counts where nothing else is known, and may speak of nothing. */
struct onnx_known {
    const char *name, *text;
    bool dimension, likely;
};

/* A module, as `use` names it. */
struct onnx_use {
    const char *name;
    bool path; /* of a file */
    const struct module *module;
};

/* What an import asks for. */
struct onnx_order {
    const char *path;    /* what the model is called in messages */
    const char *name;    /* the program is to be NAME.dcl; NULL: it stays in memory */
    struct span at;      /* of errors */
    struct arena *files; /* files are mapped as long as it lives; NULL: the import's own */
    const struct onnx_known *known;
    uint32_t nknown;
    bool force;               /* what is there already is written over */
    const volatile int *stop; /* not 0: it ends in the error "interrupted"; or NULL */
    /* What the program may use: the file of rewrites that the user names, if there is one, first;
       then the library's modules (onnx_modules). PROGRAM is a module that uses them. */
    const struct onnx_use *uses;
    uint32_t nuses;
    const struct module *program;
};

/* The modules of the library that an import needs, NULL behind them: that where the functions of
   operator.def are, and that of rewrites. */
const char *const *onnx_modules(void);
/* The model in the N bytes at BYTES, which have to stay. If the program has a NAME, it ends with an
   instance, whose weights, if there are any, it loads from NAME.safetensors beside it. NAMES are
   those of the library. False after ONE error whose notes are all the reasons. */
bool onnx_import(struct arena *a, struct names *names, struct diags *d, const void *bytes, size_t n,
                 const struct onnx_order *order, struct onnx_program *out);
/* The same for the file ORDER->path. */
bool onnx_import_mapped(struct arena *a, struct names *names, struct diags *d,
                        const struct onnx_order *order, struct onnx_program *out);
/* Imports the file FROM into the file TO, which ends in .dcl, and its weights into the file beside
   it that ends in .safetensors instead. Both are made, or with ORDER's force replaced; on an error
   none is. ORDER's path, name and files are FROM's, TO's and A. */
bool onnx_import_file(struct arena *a, struct names *names, struct diags *d, const char *from,
                      const char *to, const struct onnx_order *order);
/* Whether nothing is at PATH; else told, with the option that writes over it. */
bool onnx_target_free(struct diags *d, const char *path);

#endif
