/* dcl import: an ONNX model as a program of DCL and a file of weights. */
#ifndef DCL_LANG_ONNX_IMPORT_H
#define DCL_LANG_ONNX_IMPORT_H

#include "lang/ast/ast.h"
#include "lang/base/diag.h"
#include "lang/files/files.h"

struct onnx_program {
    struct ast *file; /* a layer Model, those it needs, `model`, which loads its weights */
    struct file_tensor *weights; /* called as the model's states; the data may lie unaligned */
    uint32_t nweights;
};

/* The model in the N bytes at BYTES, which have to stay. PATH is what it is called in messages;
   the program is to be NAME.dcl, its weights, if there are any, NAME.safetensors beside it. False
   after ONE error whose notes are all the reasons. */
bool onnx_import(struct arena *a, struct names *names, struct diags *d, const char *path,
                 const void *bytes, size_t n, const char *name, struct onnx_program *out);
/* Imports the file FROM into the file TO, which ends in .dcl, and its weights into the file beside
   it that ends in .safetensors instead. Both are made or replaced; on an error none is. */
bool onnx_import_file(struct arena *a, struct diags *d, const char *from, const char *to);

#endif
