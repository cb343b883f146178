/* What conditions say of integers. Symbolic integers are exact and computed ones wrap, so only
   comparisons of operands that surely do not wrap say anything: see Note [exact] in facts.c. */
#ifndef DCL_COMPILER_ANALYSIS_FACTS_H
#define DCL_COMPILER_ANALYSIS_FACTS_H

#include "compiler/ir/graph.h"

/* Whether S, computed with arithmetic that wraps, has its exact value under the facts. */
bool facts_exact(struct sym_facts *f, const struct graph *g, struct sym s);
/* Whether S, a dimension, needs no check when it runs: it is proved not negative under the facts,
   and no part of it leaves 64 bits. */
bool facts_size(struct sym_facts *f, const struct graph *g, struct sym s);
/* Whether E compares integers that have their exact values, A and B. */
bool facts_compare(struct sym_facts *f, const struct graph *g, const struct expr *e, struct sym *a,
                   struct sym *b);
/* Adds the conjunction of facts that E == HOLDS gives. */
void facts_add(struct sym_facts *f, const struct graph *g, const struct expr *e, bool holds);

#endif
