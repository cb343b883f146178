/* Counts: integers that are read from a container which starts at a number that is not negative and
   to which such numbers are added, as that of the rows that a container has grown to. */
#ifndef DCL_COMPILER_ANALYSIS_COUNTS_H
#define DCL_COMPILER_ANALYSIS_COUNTS_H

#include "compiler/ir/graph.h"

/* Adds to F that counts are not negative, by the names they are read into. */
void count_facts(struct sym_facts *f, struct arena *scratch, const struct graph *g);

#endif
