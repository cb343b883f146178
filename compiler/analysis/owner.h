/* Which thread of a GPU block owns an element of a register container that is declared outside of
   the block's indices: IR.md, invariant 19. */
#ifndef DCL_COMPILER_ANALYSIS_OWNER_H
#define DCL_COMPILER_ANALYSIS_OWNER_H

#include "compiler/ir/graph.h"

enum { OWNER_MOST = 8 };

/* The dimensions of a container whose subscripts are the numbers of the thread. */
struct owner {
    uint32_t n; /* block and warp indices, outermost first */
    uint32_t dim[OWNER_MOST];
};

/* The owner by memlet M, around which stand N indices inside the container's region, outermost
   first. True if each of the block and warp indices among them, which runs from 0 in steps of 1,
   stands alone as a subscript; so too if there is none (OUT->n is 0). */
bool memlet_owner(const struct graph *g, const struct memlet *m, const struct index *const *around,
                  uint32_t n, struct owner *out);
bool owner_equal(const struct owner *a, const struct owner *b);

#endif
