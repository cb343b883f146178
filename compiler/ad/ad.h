/* Reverse-mode differentiation of graphs: every map is reversed by reversing its memlets (a read
   becomes a write with (sum), a write a read), every scalar operator by its derivative.
   Source: Griewank and Walther, Evaluating Derivatives, 2nd ed. 2008, chapter 3; for maps and
   memlets, Rausch et al., A Data-Centric Optimization Framework for Machine Learning, ICS 2022,
   section 4. */
#ifndef DCL_COMPILER_AD_AD_H
#define DCL_COMPILER_AD_AD_H

#include "compiler/ir/graph.h"

/* Nodes FIRST to LAST of G's top region that are reversed together, by whoever wrote them. */
struct ad_call {
    uint32_t first, last;
    uint32_t nin, nout;
    struct cont *in, *out; /* what they read and write; none for what is no tensor */
    void *call;            /* the writer's */
};

struct ad_calls {
    uint32_t n;
    const struct ad_call *at; /* by FIRST, apart from each other */
    /* Adds to TO what hands the adjoints DOUT of C's results on to those of its arguments, DIN,
       which get them added; none where there is nothing to hand on or nobody to take it. False
       after an error. */
    bool (*reverse)(void *host, const struct ad_call *c, struct region *to, const struct cont *dout,
                    const struct cont *din);
    void *host;
};

/* Appends to G's top region the reverse of all that stands there. LOSS is a float container of one
   element (no dimension other than 1). OUT[i] becomes a transient container of WRT[i]'s shape with
   d LOSS / d WRT[i]; zero where the loss does not depend on it, which DEPENDS[i] says. False with
   an error in D that says
   where and why, if something cannot be differentiated; G is then unusable. */
bool ad_reverse(struct graph *g, struct cont loss, uint32_t n, const struct cont *wrt,
                struct cont *out, bool *depends, const struct ad_calls *calls, struct diags *d);

/* The derivatives of operator node E (an EXPR_OP or EXPR_CAST) for each argument, times A:
   OUT[k] is NULL where it is zero everywhere it exists. GUARDED: 0 where A is 0, see Note [sides
   not taken]. */
void derivative(struct graph *g, const struct expr *e, const struct expr *a, bool guarded,
                const struct expr **out);
/* The derivative of E is infinite at 0: GUARDED or not, 0 where A is 0. */
bool derivative_is_steep(const struct expr *e);
/* E gives to one of its arguments what it takes from another: Note [sides not taken]. */
bool derivative_chooses(const struct expr *e);

#endif
