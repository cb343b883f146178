/* What the verbs of lower.c and gradient.c share: the state of one lowering. */
#ifndef DCL_COMPILER_LOWER_INTERNAL_H
#define DCL_COMPILER_LOWER_INTERNAL_H

#include "compiler/lower/lower.h"

#include "compiler/ad/ad.h"

struct memo { /* what has become a parameter already */
    const void *key;
    struct value value;
};

struct lower {
    struct eval ev;
    struct arena *arena;
    struct graph *g;
    struct region *at;     /* nodes are added here */
    struct region *around; /* where the branch stands whose sides are written */
    uint32_t around_scope; /* what was in scope there */
    struct lower_script script;
    struct map used;     /* names that anything has had */
    struct map next;     /* base of a container -> the number to try first: those below are used */
    struct map reserved; /* names of containers, parameters, symbols */
    struct map active;   /* values and indices in scope: name -> how many */
    struct map types;    /* values that are integers: name -> 1 + dtype; 0 for indices */
    VEC(struct name) scope;
    VEC(struct origin) origins;
    VEC(struct memo) memos;
    VEC(struct ad_call) calls; /* with gradients of their own */
    uint32_t kept_from;        /* the first node of the one that is being written */
    bool foreign;              /* names of the graph that others gave may be in no table here */
    bool first_use;            /* nothing had had the local name that was taken last */
    bool automatic_first;      /* the same of `automatic` */
    struct name automatic;     /* the READ that was made last, if it may still be renamed */
    struct node *automatic_read;
    uint32_t arguments;
};

/* lower.c: whether N stands in M with a number above 0. */
bool lower_has(const struct map *m, struct name n);

/* layouts.c: how T lies in memory: its sizes; whether it may have more elements than its shape; and
   the subscripts of its element AT, outside where AT is. */
uint32_t lower_sizes(struct lower *l, const struct tensor *t, struct sym *sizes);
bool lower_has_lanes(struct lower *l, const struct tensor *t);
void lower_subscripts(struct lower *l, const struct tensor *t, const struct value *at,
                      struct sym *subs);
/* Notes of the memlet at SITE, element AT of T, what its subscripts are in the user's text. */
void lower_laid_site(struct lower *l, const struct tensor *t, const struct value *at,
                     uint32_t site);

/* gradient.c: the verbs of these names in struct eval_ops. */
bool lower_gradient(void *host, const struct tensor *loss, uint32_t n, struct tensor *const *wrt,
                    struct tensor **out, bool *depends, struct span span);
bool lower_keep_begin(void *host);
void lower_keep_end(void *host, struct grad_call *call);

#endif
