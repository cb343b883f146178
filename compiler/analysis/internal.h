/* What the files of the dependence test share. */
#ifndef DCL_COMPILER_ANALYSIS_INTERNAL_H
#define DCL_COMPILER_ANALYSIS_INTERNAL_H

#include "compiler/analysis/access.h"
#include "compiler/analysis/depend.h"

/* An index of one of the two iterations, with bounds in the names of that iteration. */
struct var {
    struct name name;
    struct sym lo, hi, step; /* values are lo, lo + step, ... below hi */
    struct sym least;        /* a lower bound that may be better than lo */
};

struct test {
    struct arena *arena; /* scratch, for this question only */
    const struct graph *g;
    struct sym_ctx *syms;
    struct sym_facts *facts;
    uint32_t n; /* indices of the node */
    const struct index *index;
    uint32_t k; /* the index in question */
    struct accesses accesses;
    /* of the pair in question: */
    VEC(struct var) vars; /* outermost first; bounds are over earlier ones */
    uint32_t budget;      /* of proof steps */
};

/* equations.c: whether DELTA[0] = ... = DELTA[n-1] = 0 is proved impossible, for the variables and
   facts of T. */
bool equations_impossible(struct test *t, uint32_t n, const struct sym *delta);
/* S > 0 for all values of the variables: proved. */
bool proved_positive(struct test *t, struct sym s);
/* x // m * m + x % m taken together wherever it stands in S. */
struct sym recombine(struct sym_ctx *c, struct sym s);

/* witness.c: whether there are two iterations, agreeing left of k and differing in k, for which A
   and B touch the same element. */
bool conflict_exists(struct test *t, const struct access *a, const struct access *b);

#endif
