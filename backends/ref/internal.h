/* What the files of backends/ref share: the state of one run, and tensors in memory. */
#ifndef DCL_BACKENDS_REF_INTERNAL_H
#define DCL_BACKENDS_REF_INTERNAL_H

#include "backends/ref/ref.h"

#define REF_MAX_NEST 256
#define REF_MAX_BYTES (INT64_C(1) << 36)

struct ref_memo {
    const void *key;
    struct value value;
};

/* The memory of a container in reserve: as much as has been written to. */
struct room {
    void *bytes;
    uint32_t *places; /* as those of struct ref_tensor, of NPLACES elements */
    int64_t elements, nplaces;
};

struct checks;
struct shadow;
struct tape;

struct ref {
    struct eval ev;
    struct arena *arena;
    struct ref_script script;
    struct arena *levels[REF_MAX_NEST]; /* one per nesting of maps and loops */
    uint32_t level;
    uint32_t imagined; /* sides of branches around that do not run: see op_imagine */
    VEC(struct ref_memo) memos;
    uint32_t maps;                 /* around, now */
    VEC(struct ref_tensor *) wide; /* have wide elements */
    struct checks *checks;         /* NULL: a run that is not checked */
    struct tape *tape;             /* see gradient.c; NULL as long as no gradient is taken */
    uint32_t branches;             /* around, now */
};

/* The real sizes: those of the tensor as it was made. */
struct ref_tensor {
    struct ref_data data;
    uint32_t maps;      /* around its declaration */
    float *wide;        /* see Note [wide elements] */
    uint8_t *is_wide;   /* by element */
    bool listed;        /* some may be wide */
    struct room *room;  /* in reserve: what memory there is so far; else NULL */
    struct arena *home; /* dies with the tensor */
    struct shadow
        *shadow;      /* by element: see Note [crossing] in check.c; NULL as long as not used */
    uint32_t *places; /* by element: see gradient.c; NULL as long as all are 0 */
    int64_t count;
    uint32_t rank;
    int64_t dims[EVAL_MAX_RANK];
};

static inline struct ref_tensor *real(const struct tensor *t) {
    return t->impl;
}

static inline struct value scalar_value(enum dtype t, union scalar s) {
    return (struct value){.kind = VAL_SCALAR, .dtype = t, .scalar = s};
}

/* tensor.c */
const char *tensor_name(struct ref *r, const struct tensor *t);
bool ref_container(void *host, struct tensor *t, enum storage storage, const struct value *fill);
bool ref_before(void *host, struct tensor *t, const struct value *fill);
bool ref_read(void *host, const struct tensor *t, const struct value *at, const struct value *other,
              struct span span, struct value *out);
bool ref_write(void *host, const struct tensor *t, const struct value *at, struct value v,
               enum resolution res, bool drop, struct span span);
/* Tells that index BAD of AT is outside of T. */
struct diag *ref_outside(struct ref *r, const struct tensor *t, const struct value *at,
                         uint32_t bad, struct span span);
/* A tensor over BYTES, which stays for the whole run. */
struct tensor *ref_over(struct ref *r, struct name name, enum dtype t, uint32_t rank,
                        const int64_t *dims, void *bytes);

/* check.c: nothing of it is called where R->checks is NULL. */

struct times;

/* A map or loop that runs. */
struct turns {
    struct turns *outer;
    uint32_t n;
    const struct eval_range *range;
    const struct value *index; /* of the iteration that runs */
    bool map, unique, library;
    struct span span;
    uint64_t began, turn; /* when it began, and its iteration */
    struct times *times;  /* of a map: when each iteration began */
};

void checks_begin(struct ref *r);
void checked_loop_begin(struct ref *r, struct turns *t, bool map, bool unique, struct span span);
void checked_turn(struct ref *r);
void checked_loop_end(struct ref *r);
/* A failed evaluation, where it stands. */
void checked_failure(struct ref *r);
/* What is wrong is told at the first time at a place. */
void checked_outside(struct ref *r, const struct tensor *t, const struct value *at, uint32_t bad,
                     struct span span);
void checked_unwritten(struct ref *r, const struct tensor *t, int64_t o, struct span span);
void checked_result(void *host, const struct tensor *t, struct span span);
void checked_read(struct ref *r, const struct tensor *t, int64_t o, struct span span);
void checked_write(struct ref *r, const struct tensor *t, int64_t o, enum resolution res,
                   struct span span);
void checked_scalar(struct ref *r, enum scalar_op op, enum dtype t, const union scalar *args,
                    union scalar result, struct span span);
void checked_cast(struct ref *r, enum dtype to, const struct value *v, union scalar result,
                  struct span span);
/* Element O of T was BEFORE, and is AFTER by resolution RES with V. */
void checked_resolved(struct ref *r, const struct tensor *t, int64_t o, enum resolution res,
                      union scalar before, union scalar v, union scalar after, struct span span);

/* gradient.c: notes what is done to floats. */
void taped_scalar(struct ref *r, enum scalar_op op, const struct value *args, struct value *out);
void taped_read(struct ref *r, const struct tensor *t, int64_t o, struct value *out);
/* Element O of T was BEFORE, and V makes it AFTER. */
void taped_write(struct ref *r, const struct tensor *t, int64_t o, enum resolution res,
                 union scalar before, const struct value *v, union scalar after);
bool taped_keep_begin(void *host);
void taped_keep_end(void *host, struct grad_call *call);
bool taped_gradient(void *host, const struct tensor *loss, uint32_t n, struct tensor *const *wrt,
                    struct tensor **out, bool *depends, struct span span);

#endif
