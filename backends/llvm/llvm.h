/* The compiler's back end, the only part that links LLVM: libdcl_llvm.so, opened when first needed
   (session/backend.c). This header has no LLVM types; the functions are reached through the table
   that dcl_llvm_backend() returns. */
#ifndef DCL_BACKENDS_LLVM_LLVM_H
#define DCL_BACKENDS_LLVM_LLVM_H

#include "backends/rt/target.h"
#include "compiler/ir/graph.h"

#define LLVM_BACKEND_VERSION 5 /* bump when generated code changes: part of the cache key */

struct llvm_options {
    struct target target;
    unsigned sm;   /* 0: code for `target`; else PTX for sm_SM, which is what `assembly` gets */
    bool strict;   /* no contraction of multiply and add */
    bool profile;  /* each node of the top region stamps its end, see rt.h */
    bool keep_ir;  /* fill `ir` */
    bool keep_asm; /* fill `assembly` */
};

struct llvm_code {
    const void *object; /* a relocatable ELF object with one global function: "dcl_kernel"; none of
                           a GPU */
    size_t n;
    const char *ir, *assembly;
};

struct llvm_backend {
    /* Compiles G, which verifies and is scheduled (what says no schedule runs in order), to code in
       arena A. False with an error in D. Deterministic. */
    bool (*compile)(const struct graph *g, const struct llvm_options *o, struct arena *a,
                    struct diags *d, struct llvm_code *out);
};

const struct llvm_backend *dcl_llvm_backend(void);

#endif
