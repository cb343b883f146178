/* Data movement: how many bytes a graph moves between its containers and its kernels, symbolically
   in the sizes.

   A kernel is a node of the top region or of a loop or branch in it that is no loop or branch
   itself: what is later one nest of loops. What it moves of a container is the union of all that
   its memlets touch, once: the model is a cache that holds what a kernel reuses, and nothing
   between kernels. So fusing two kernels saves the container between them, and tiling changes
   nothing. A write with a resolution also reads. A fill writes its whole container. A container
   that is declared inside a kernel counts if it may lie in memory (heap, or not decided and no
   scalar); then each iteration around its declaration moves anew. A `while` counts as one turn.

   Exact for subscripts that are linear in the indices with constant bounds; else bounded from
   above: by the box around what is touched, the number of accesses, and the container's size. */
#ifndef DCL_COMPILER_ANALYSIS_MOVEMENT_H
#define DCL_COMPILER_ANALYSIS_MOVEMENT_H

#include "compiler/ir/graph.h"

struct movement {
    struct sym read_bytes, write_bytes;
};

/* Per container id, in arena A: graph.conts.n entries, zero where nothing moves. */
struct movement *graph_movement(struct arena *a, const struct graph *g);
/* The sum over all containers. */
struct movement graph_movement_total(struct arena *a, const struct graph *g);
/* What NODE moves, alone, given what holds around it. */
struct movement *node_movement(struct arena *a, const struct graph *g, const struct node *node,
                               struct sym_facts *f);

#endif
