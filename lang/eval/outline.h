/* A host of the evaluator (eval.h) that does nothing: what a program gives is known by element
   type and shape only, of static values by what they are. For tools that ask for shapes. */
#ifndef DCL_LANG_EVAL_OUTLINE_H
#define DCL_LANG_EVAL_OUTLINE_H

#include "lang/eval/eval.h"

struct outline;

/* In arena A; lives as long as that. Errors go to D. There are no gradients and builtins of
   a session here; states have their types. */
struct outline *outline_new(struct arena *a, struct names *names, struct sym_ctx *syms,
                            struct diags *d, const struct module *prelude);
struct eval *outline_eval(struct outline *o);
/* A tensor, as an argument is. DIMS are INT or SYM. */
struct value outline_tensor(struct outline *o, struct name name, enum dtype t, uint32_t rank,
                            const struct value *dims);
/* A size that is not known and at least 0, called N. */
struct value outline_dim(struct outline *o, struct name n);
/* The index N of a loop of COUNT turns; NULL: it is not known how many. */
struct value outline_index(struct outline *o, struct name n, const struct value *count);
/* A size that only a run finds. */
struct value outline_found(struct outline *o);

#endif
