/* Subsets: per dimension a half-open strided range begin:end:step (an index i is i:i+1:1).
   What memlets touch; unions, covers and disjointness for dependence tests. */
#ifndef DCL_LANG_SYM_SUBSET_H
#define DCL_LANG_SYM_SUBSET_H

#include "lang/sym/sym.h"

struct range {
    struct sym begin, end, step; /* step > 0 */
};

struct subset {
    uint32_t rank;
    struct range *dims; /* rank of them, arena memory */
};

/* The number of elements, symbolically; 0 where a range is empty whatever the atoms are. Where a
   range may be empty for some atoms, its begin is taken to be at most its end. */
struct sym subset_volume(struct sym_ctx *c, const struct subset *s);
/* A box that holds S for all values of atom N in the range OVER; false if the bounds are not known
   to be monotone in N (linear with a factor of known sign; also through //, %, min and max). The
   smallest box if the bounds of a range of S are attained for the same N. Holds if OVER is empty
   too. OUT is fresh memory of A. */
bool subset_project(struct arena *a, struct sym_facts *f, const struct subset *s, struct name n,
                    struct range over, struct subset *out);
/* Proved: no element in common / A holds all of B / the same elements. */
bool subset_disjoint(struct sym_facts *f, const struct subset *a, const struct subset *b);
bool subset_covers(struct sym_facts *f, const struct subset *a, const struct subset *b);
bool subset_equal(struct sym_facts *f, const struct subset *a, const struct subset *b);
/* The smallest box over both, where it is known which bound is lower; false if not. */
bool subset_union(struct arena *a, struct sym_facts *f, const struct subset *x,
                  const struct subset *y, struct subset *out);

#endif
