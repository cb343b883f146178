/* Where a read or write stands in the user's text, and what is told if it is outside of its tensor
   while the program runs. Whoever runs the program says the same: the reference as it goes, a
   compiled program from the sites that were noted when it was lowered. */
#ifndef DCL_LANG_EVAL_SITE_H
#define DCL_LANG_EVAL_SITE_H

#include "lang/eval/eval.h"

struct site {
    const struct calling *calls; /* around, the innermost; NULL outside of functions */
    struct span span;
    struct name tensor; /* what it is called, or what it is a part of; may be none */
    struct span made;   /* where it was made */
    bool part;          /* of a container: an inout argument */
};

/* Of the access to T at SPAN that EV evaluates now. */
struct site site_here(const struct eval *ev, const struct tensor *t, struct span span);
/* That its subscript of dimension DIM (from 0), INDEX, is not below SIZE, or below 0; as if told
   within all calls. */
struct diag *site_outside(struct diags *d, const struct names *names, const struct site *x,
                          int64_t index, uint32_t dim, const char *size);
/* To D, that fewer subscripts were given at SPAN than the RANK dimensions: how all of one are said.
 */
void help_subscripts(struct diags *diags, struct diag *d, struct span span, uint32_t given,
                     uint32_t rank);
/* Where D, told within the calls FROM and those around, stands for who reads the message: at the
   user's call of the library, with notes of calls. */
void note_calls(struct diags *diags, const struct names *names, struct diag *d,
                const struct calling *from);

#endif
