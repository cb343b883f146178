/* Examples in documentation: the last lines of a ## comment may be

     `EXPRESSION` with NAME: TYPE, NAME: TYPE = VALUES is `RESULT`

   `with ..` declares tensors, of small numbers unless told which; of integers they are 0 and 1. The
   EXPRESSION may have statements and `;` before it; of `a, b = EXPRESSION` the result is a, b. */
#ifndef DCL_REPL_EXAMPLE_H
#define DCL_REPL_EXAMPLE_H

#include "lang/base/buf.h"
#include "session/session.h"

#include <stdbool.h>

enum { EXAMPLE_INPUTS = 16, EXAMPLE_RANK = 8 };

struct example_input {
    const char *name, *type;
    int rank;
    int64_t shape[EXAMPLE_RANK];
    double *values;
};

struct example {
    size_t at; /* where it begins in the documentation */
    const char *expression;
    const char *result; /* NULL if it is not told */
    int ninputs;
    struct example_input inputs[EXAMPLE_INPUTS];
};

/* The example at the end of DOC into E, in arena A. 0 if there is none; -1 if it cannot be
   understood. */
int example_read(struct arena *a, const char *doc, struct example *e);
/* Runs E; what it prints is appended to OUT. False if it failed: messages are the session's. */
bool example_run(dcl_session *s, struct arena *a, const struct example *e, struct buf *out);
/* Whether two printed results are the same, but for layout, and for the rounding of numbers that
   are not whole. */
bool example_agrees(const char *got, const char *want);

#endif
