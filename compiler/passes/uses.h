/* Who touches what in one region: for each container the nodes of the region that read or write
   it, by position. What passes ask before they move a node. */
#ifndef DCL_COMPILER_PASSES_USES_H
#define DCL_COMPILER_PASSES_USES_H

#include "compiler/ir/graph.h"
#include "lang/base/map.h"

struct use {
    uint32_t at; /* position in the region */
    bool read, write;
};

struct cont_uses {
    struct cont cont;
    VEC(struct use) of; /* ascending positions */
    uint32_t decl;      /* position of its DECL in the region, UINT32_MAX if it is elsewhere */
};

struct uses {
    struct graph *g;
    struct arena *arena;
    struct map index; /* container id -> position in `conts` */
    VEC(struct cont_uses) conts;
};

typedef void use_visit(void *data, struct cont c, bool write);

/* Calls F for every container that N touches, once per memlet. A DECL with a fill writes. */
void node_uses(struct node *n, use_visit *f, void *data);
/* The nodes at positions from..to-1 of R (to may be beyond its end). */
void uses_of(struct uses *u, struct arena *a, struct graph *g, const struct region *r,
             uint32_t from, uint32_t to);
/* NULL if none of them touches C. */
const struct cont_uses *uses_find(const struct uses *u, struct cont c);
/* UINT32_MAX if C is not declared among them. */
uint32_t uses_decl(const struct uses *u, struct cont c);
/* Whether a node at a position in from..to-1 (other than EXCEPT) reads or writes C; only writes
   count if WRITES_ONLY. */
bool uses_between(const struct uses *u, struct cont c, uint32_t from, uint32_t to, uint32_t except,
                  bool writes_only);
/* How many nodes of the whole graph read or write each container. */
struct use_count {
    uint32_t reads, writes;
};
struct use_count *use_counts(struct arena *a, struct graph *g);

#endif
