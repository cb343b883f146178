/* Dependences between the iterations of a map or loop.

   Two iterations conflict if one writes an element that the other reads or writes. What they touch
   follows from the memlets alone; containers that are declared in the body are each iteration's
   own. An answer is proved or it is RACE_UNKNOWN:
   FREE: no two iterations conflict, for any sizes and data.
   CERTAIN: two iterations conflict whenever the node runs and its ranges are long enough, and
   nothing that is known keeps them shorter. For ranges of constant length: whenever it runs. */
#ifndef DCL_COMPILER_ANALYSIS_DEPEND_H
#define DCL_COMPILER_ANALYSIS_DEPEND_H

#include "compiler/ir/graph.h"

enum race { RACE_FREE, RACE_CERTAIN, RACE_UNKNOWN };

/* Which pairs count: two writes that resolve in the same way are no error, but iterations that run
   at the same time may not do it either. */
enum conflict {
    CONFLICT_ERROR,    /* all but two writes with the same resolution */
    CONFLICT_RESOLVED, /* two writes with the same resolution only */
    CONFLICT_ORDERED,  /* of these, those whose order shows: float sums and products */
    CONFLICT_ANY
};

/* The pair that an answer other than FREE is about. */
struct race_pair {
    struct cont cont;
    const struct node *first, *second;
    uint32_t index; /* the one that tells the two iterations apart */
};

/* Iterations of NODE (a MAP or LOOP) that agree in the indices left of K and differ in K: what
   index K carries. F holds what is known around the node and is left as it was. PAIR may be NULL.
   A map's `unique` is not looked at. */
enum race index_race(const struct graph *g, const struct node *node, uint32_t k,
                     struct sym_facts *f, enum conflict what, struct race_pair *pair);
/* Any two iterations of NODE. */
enum race node_race(const struct graph *g, const struct node *node, struct sym_facts *f,
                    enum conflict what, struct race_pair *pair);

#endif
