/* Who touches what in one region: for each container the nodes of the region that read or write
   it, by position. What passes ask before they move a node. */
#ifndef DCL_COMPILER_PASSES_USES_H
#define DCL_COMPILER_PASSES_USES_H

#include "compiler/ir/graph.h"

struct use {
    uint32_t at; /* position in the region */
    bool read, write;
};

struct uses {
    struct graph *g;
    struct arena *arena;
    uint32_t nconts;
    VEC(struct use) * of; /* per container id, ascending positions */
    uint32_t *decl;       /* position of its DECL in the region, UINT32_MAX if it is elsewhere */
};

typedef void use_visit(void *data, struct cont c, bool write);

/* Calls F for every container that N touches, once per memlet. A DECL with a fill writes. */
void node_uses(struct node *n, use_visit *f, void *data);
void uses_of(struct uses *u, struct arena *a, struct graph *g, const struct region *r);
/* Whether a node at a position in from..to-1 (other than EXCEPT) reads or writes C; only writes
   count if WRITES_ONLY. */
bool uses_between(const struct uses *u, struct cont c, uint32_t from, uint32_t to,
                  uint32_t except, bool writes_only);
/* How many nodes of the whole graph read or write each container. */
struct use_count {
    uint32_t reads, writes;
};
struct use_count *use_counts(struct arena *a, struct graph *g);

#endif
