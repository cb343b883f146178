/* dcl export: a function or instance as an ONNX model.

   Export is a host of the evaluator (lang/eval/eval.h), as backends/ref and compiler/lower are: the
   function is evaluated once with symbols for what a call gives, and what concerns tensors is said
   with verbs, which become nodes here. A map is a computation on whole tensors whose dimensions are
   the map's indices. Which operator of ONNX a verb or a function of the library is stands in DCL,
   in stdlib/modules/onnx_export; C knows none. What ONNX cannot say is collected and told at
   once. */
#ifndef DCL_LANG_EXPORT_EXPORT_H
#define DCL_LANG_EXPORT_EXPORT_H

#include "lang/eval/eval.h"
#include "lang/onnx/wire.h"

struct export;

/* Versions of ONNX's operators that can be written. */
enum { EXPORT_OPSET_LEAST = 17, EXPORT_OPSET = 18, EXPORT_OPSET_MOST = 21 };

/* What is exported, and where things of the script are. */
struct export_order {
    const char *name;          /* of the model's graph */
    const struct module *rows; /* the module of stdlib/modules/onnx_export */
    int64_t opset;
    uint32_t vector_bytes, vector_registers; /* what lanes() and registers() say */
    void *data;
    /* The elements of a state or of a script's tensor, row-major; NULL after an error. */
    const void *(*state)(void *data, const struct state *s, struct span span);
    const void *(*tensor)(void *data, const struct tensor *t, struct span span);
};

/* The name of the library's module of rows. */
const char *export_module(void);
/* All of it lives in arena A. */
struct export *export_begin(struct arena *a, struct names *names, struct sym_ctx *syms,
                            struct diags *d, const struct module *prelude,
                            const struct export_order *order);
struct eval *export_eval(struct export *x);
/* A size that the model's caller chooses, called N. */
struct value export_size(struct export *x, struct name n);
/* An input: a tensor, or an i64 without dimensions that is a symbol. What is INOUT is a result of
   the model, too: as the function leaves it. */
struct value export_input(struct export *x, struct name n, enum dtype t, uint32_t rank,
                          const struct value *dims, bool inout);
struct value export_symbol(struct export *x, struct name n);
/* The K-th of the sizes that the function, once evaluated, is found to fix, as layers that it calls
   do: to be given as numbers from the start. False: there are no more. */
bool export_fixes(const struct export *x, uint32_t k, struct name *size, int64_t *number);
/* The model that gives the N values at RESULTS, called NAMES (or none), and what inputs were
   written. NULL after ONE error whose notes are all that ONNX cannot say. */
struct wire_model *export_finish(struct export *x, uint32_t n, const struct value *results,
                                 const struct name *names);
/* Writes M to PATH, at once or, after an error, not at all. With APART, or where a message would be
   too large, the elements of weights go to PATH.data beside it, and M says so. STOP as in
   lang/files/files.h. */
bool export_write(struct arena *a, struct diags *d, struct wire_model *m, const char *path,
                  bool apart, const volatile int *stop);

#endif
