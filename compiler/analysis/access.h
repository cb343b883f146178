/* What a region touches: its memlets, each with the indices around it, and the names it defines.
   A value that is a symbolic integer (e = i64(2*i)) is put into the subscripts and bounds that use
   it, so what is left are indices, symbols and values from data. */
#ifndef DCL_COMPILER_ANALYSIS_ACCESS_H
#define DCL_COMPILER_ANALYSIS_ACCESS_H

#include "compiler/ir/graph.h"

/* The indices around a memlet, from the innermost out to the region's border. */
struct around {
    const struct around *out; /* NULL at the border */
    struct index index;
};

struct access {
    const struct node *node;
    const struct memlet *memlet;
    struct sym *at; /* its subscripts */
    bool write;
    bool conditional; /* below a branch of the region */
    const struct around *around;
};

struct accesses {
    VEC(struct access) at;  /* in program order */
    VEC(struct name) names; /* indices and values that the region defines */
    bool *local;            /* by container id: declared in the region */
};

/* Collects in arena A. */
void accesses_of(struct arena *a, const struct graph *g, const struct region *r,
                 struct accesses *out);

#endif
