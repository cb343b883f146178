/* The reference evaluator: runs a program as the evaluator walks it, one element at a time, in
   index order, with every bound checked and every read of an unwritten element found. Slow and
   obvious: the oracle of the compiler, with which it shares no lowering and no pass. */
#ifndef DCL_BACKENDS_REF_REF_H
#define DCL_BACKENDS_REF_REF_H

#include "lang/eval/eval.h"

/* Data of a tensor: dense, row-major. */
struct ref_data {
    void *bytes;
    uint8_t *written; /* one per element, or NULL: all are */
};

struct ref; /* the state of one run */

/* The script around, as in compiler/lower/lower.h; all may be NULL. */
struct ref_script {
    void *data;
    bool (*has_builtin)(void *data, struct name n);
    bool (*builtin)(void *data, struct name n, uint32_t nargs, const struct value *args,
                    const struct name *keywords, struct span span, struct value *out);
    /* Replaces the tensors and scalars in V by data of the script. */
    bool (*concrete)(void *data, struct value *v, struct span span);
    bool (*new_state)(void *data, struct state *s, const struct value *init, struct span span);
    /* The bytes of a script's tensor or state. */
    void *(*tensor_bytes)(void *data, const struct tensor *t);
    void *(*state_bytes)(void *data, const struct state *s);
    volatile const int *stop; /* non-zero: the user wants to stop */
    /* Not NULL: the run is checked, see check.c. What has been told in this run of a text. */
    struct map *told;
    /* The indices of the script's loops, as `i = 3, j = 7`. */
    void (*around)(void *data, struct buf *out);
};

struct ref *ref_begin(struct arena *a, struct names *names, struct sym_ctx *syms, struct diags *d,
                      const struct module *prelude, uint32_t vector_bytes,
                      uint32_t vector_registers, const struct ref_script *script);
struct eval *ref_eval(struct ref *r);
/* A tensor over BYTES (the caller's, dense). INOUT: may be written. */
struct value ref_tensor(struct ref *r, struct name name, enum dtype t, uint32_t rank,
                        const int64_t *dims, void *bytes, bool inout);
/* The dense bytes of a TENSOR or SCALAR that an evaluation gave (a broadcast is copied); memory of
   the run's arena. NULL and an error if some element was never written. */
const void *ref_bytes(struct ref *r, const struct value *v, enum dtype *t, uint32_t *rank,
                      int64_t *dims);

#endif
