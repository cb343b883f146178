/* What the files of this folder share: the state of one reverse. */
#ifndef DCL_COMPILER_AD_INTERNAL_H
#define DCL_COMPILER_AD_INTERNAL_H

#include "compiler/ad/ad.h"

#include "lang/base/map.h"
#include "lang/base/vec.h"

struct value_adjoint {
    struct name value;
    const struct expr *sum; /* contributions of its own region, or NULL */
    struct cont inner;      /* contributions of nested regions, or none */
    enum dtype dtype;
};

struct level { /* a region that is being reversed */
    struct level *out;
    struct region *to;
    struct region *top; /* declarations go here */
    VEC(struct value_adjoint) values;
    VEC(struct index) around; /* indices of the map at this level */
};

/* What a container held where the iterations of a loop began, a row each: Note [loops]. */
struct kept {
    const struct node *loop;
    struct cont cont, saved;
};

struct reverse {
    struct graph *g;
    struct arena *scratch;
    struct diags *d;
    uint32_t nadjoint;
    struct cont *adjoint; /* per container id that existed before */
    uint32_t *since;      /* node of the body at which it depends on what is differentiated by */
    uint32_t *until;      /* one more than the last node of the body that takes it to the loss */
    uint32_t *writers;    /* nodes that write it, fills aside */
    bool *guarded;        /* per such container: see Note [sides not taken] in derivative.c */
    struct map guards;    /* the same of values, by name */
    uint32_t now;         /* the node of the body that is looked at */
    struct region *top;   /* declarations of adjoints of what stands at the top */
    const struct ad_calls *calls;
    uint32_t ncalls;
    struct ad_call *call;           /* copies of CALLS, whose nodes may have moved */
    struct map carries;             /* ids of loops and branches that the loss depends on */
    VEC(struct kept) kept;          /* what they keep of each iteration's start */
    struct map starts;              /* ids of the reads that keep it: the reverse reads the row */
    const struct ad_call **call_of; /* by node of the body: the call it belongs to, or NULL */
    struct map symbols;             /* of the graph */
    struct map names;               /* how often the graph defines each */
    bool failed;
};

/* max and min hand all to the first iteration that has the extreme value: FIRST holds its position,
   found by the forward node N repeated with one write (see before_map). */
struct extreme {
    const struct node *write;
    struct cont first;
};

struct extremes {
    VEC(struct extreme) at;
};

/* adjoint.c */
/* Reports once what has no derivative, and why; N: the node (or NULL), whose calls are told. */
void ad_fail(struct reverse *r, struct span at, const struct node *n, const char *what);
struct name ad_fresh(struct reverse *r, const char *prefix, struct name base);
/* A transient container with its declaration at the end of AT. */
struct cont ad_declare(struct reverse *r, struct region *at, struct name n, enum dtype t,
                       uint32_t rank, const struct sym *dims, union scalar fill, struct span span);
/* Whether the loss depends, at node r->now, on what is differentiated by through C. */
bool ad_matters(struct reverse *r, struct cont c);
/* The adjoint of C, declared in TOP when it is first asked for. */
struct cont ad_adjoint(struct reverse *r, struct region *top, struct cont c);
/* The memlet that it writes by. */
struct memlet *ad_write(struct reverse *r, struct region *to, const struct expr *v, struct cont c,
                        const struct sym *at, enum resolution res, enum outside outside,
                        struct span span);
/* Reads C where M reads or writes; what lies outside is 0. */
const struct expr *ad_read(struct reverse *r, struct region *to, const char *prefix, struct cont c,
                           const struct memlet *m, struct span span);

/* copy.c */
struct node *ad_copy_node(struct reverse *r, const struct node *n);
/* Copies the forward nodes of a map's body, but for writes to what stands outside the copy. */
void ad_repeat(struct reverse *r, struct region *to, const struct region *from, bool *local);
/* FROM with names of its own for what it defines more than once in the graph; LOCAL marks the
   containers that it declares, of N. */
struct region ad_own_names(struct reverse *r, const struct region *from, const bool *local,
                           uint32_t n);
void ad_count_names(void *reverse, struct node *n);

/* extreme.c */
/* A number of the iteration among all of the maps around, different for each and smaller for
   earlier ones. */
const struct expr *ad_position(struct reverse *r, struct level *all, struct span at);
/* Finds what node N takes the largest or smallest value of, and adds to TO what finds the first. */
void ad_find_extremes(struct reverse *r, struct region *to, struct node *n, struct extremes *out);

/* loops.c */
/* Finds the loops and branches that the loss depends on. */
void ad_note_loops(struct reverse *r);
/* Makes them keep what their reverse needs; whether there are any. */
bool ad_keep_loops(struct reverse *r);
/* Counts writes once more that a loop repeats, to what is declared outside of it. */
void ad_count_repeated(struct reverse *r);
/* FORWARD, a copy of loop N's body, starts from what N has kept of the iteration. */
void ad_start_from_rows(struct reverse *r, const struct node *n, const struct region *forward);
/* A loop over N's iterations from the last one to the first. */
struct node *ad_backwards(struct reverse *r, const struct node *n, const struct region *body);

/* flow.c */
void ad_find_flow(struct reverse *r, struct cont loss, uint32_t n, const struct cont *wrt);
/* Whether N writes anything that matters at r->now. */
bool ad_writes(struct reverse *r, struct node *n);
/* Whether the loss depends on what is differentiated by through a result of C. */
bool ad_call_matters(struct reverse *r, const struct ad_call *c);

/* order.c */
/* Fails where something cannot be reversed. */
void ad_check_order(struct reverse *r);

#endif
