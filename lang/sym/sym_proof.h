/* What the provers share: how facts are held, and a proof under way. No other folder includes this.

   Facts are a stack of entries; entries about one atom are chained, newest first, and each carries
   the atom's constant interval as far as it followed when the entry was pushed. `stamp` names the
   set of facts that holds while the entry is on top, so that answers can be cached. */
#ifndef DCL_LANG_SYM_SYM_PROOF_H
#define DCL_LANG_SYM_SYM_PROOF_H

#include "lang/sym/sym_node.h"

/* Steps that a proof takes before it looks for values that refute goals. */
#define SYM_PROOF_EASY 400
#define SYM_PROOF_DEPTH 14

enum fact_kind { FACT_BOUNDS, FACT_STEP, FACT_NONNEG };

struct fact {
    enum fact_kind kind;
    struct name atom;  /* BOUNDS, STEP */
    struct sym lo, hi; /* BOUNDS; STEP: lo only */
    struct sym step;
    struct sym nonneg[2];  /* each >= 0: NONNEG one; BOUNDS up to two: atom - lo, hi - atom */
    uint32_t former;       /* 1 + index of the former entry about ATOM, 0: none */
    uint32_t rank;         /* index of the first entry about ATOM: later ones are further in */
    struct interval range; /* of ATOM, all entries up to this one together */
    uint32_t stamp;
};

/* Values of atoms for which all facts (of the set STAMP) hold. */
#define SYM_SAMPLES 32
#define SYM_SAMPLE_ATOMS 24
struct samples {
    uint32_t stamp, natoms, n;
    struct name atom[SYM_SAMPLE_ATOMS];
    const int64_t *value; /* natoms for each of n samples */
};

struct sym_facts {
    struct arena *arena;
    struct sym_ctx *ctx;
    VEC(struct fact) at;
    struct map newest;  /* atom: 1 + index of its newest entry */
    struct map answers; /* stamp and question: 1 + whether a >= 0 was proved */
    uint32_t stamps;
    const struct samples *samples; /* the latest that were made, or NULL */
};

static inline uint32_t sym_facts_stamp(const struct sym_facts *f) {
    return f->at.n ? f->at.at[f->at.n - 1].stamp : 0;
}

/* The newest entry about atom N, NULL if there is none; then each former one. */
const struct fact *sym_fact_of(const struct sym_facts *f, struct name n);
const struct fact *sym_fact_former(const struct sym_facts *f, const struct fact *e);

/* The constant interval of A under the facts: one pass, no search. */
struct interval sym_facts_range(struct sym_facts *f, struct sym a);

/* A is R modulo M; M = 0: A is the constant R; M = 1: nothing is known. 0 <= R < M. */
struct residue {
    int64_t m, r;
};
struct residue sym_residue(struct sym_facts *f, struct sym a);

/* How A changes when factor X grows, all else equal: a set of these. */
enum { SYM_GROWS = 1, SYM_FALLS = 2, SYM_EITHER = 3 };
int sym_direction(struct sym_facts *f, struct sym a, const struct factor *x);

/* A question under way: one for each call from outside, with its steps. */
#define SYM_PROOF_FAILED 256
struct proof {
    struct sym_facts *facts;
    struct sym_ctx *ctx;
    uint64_t end;                  /* sym_steps when it must stop */
    uint64_t easy;                 /* sym_steps from when on samples are worth their cost */
    const struct samples *samples; /* or NULL */
    uint32_t excluded;             /* bits of samples that the case under way does not admit */
    int cases;                     /* case splits that may still be nested */
    struct {                       /* what was not proved, with at least this depth left */
        uint32_t a;
        int depth;
    } failed[SYM_PROOF_FAILED];
};
void sym_proof_start(struct proof *p, struct sym_facts *f, uint64_t steps);
/* a >= 0, by a search no deeper than DEPTH. */
bool sym_search(struct proof *p, struct sym a, int depth);
/* The same with nothing shared but the steps: for questions inside questions. */
static inline bool sym_exhausted(const struct proof *p) {
    return p->ctx->steps >= p->end;
}

/* x // d and x % d where the facts decide them or part of them: x = d*q + r with 0 <= r < d.
   False: nothing was found. */
bool sym_fold_division(struct proof *p, struct sym x, struct sym d, int depth, struct sym *quotient,
                       struct sym *remainder);

/* A with remainders by constants expanded and their quotients in one form: 0 where A is 0 whatever
   the atoms are, as far as linear dividends go. */
struct sym sym_expand(struct sym_ctx *c, struct sym a);

/* Samples for all atoms of A; possibly none. Valid while the facts are. */
const struct samples *sym_samples(struct sym_facts *f, struct sym a);
/* The value of A in sample K; false on overflow or for an atom that has no value. */
bool sym_sample_value(struct sym_ctx *c, const struct samples *v, uint32_t k, struct sym a,
                      int64_t *value);
/* The least value of A in the samples; false if there are none. */
bool sym_sample_least(struct sym_facts *f, struct sym a, int64_t *least);

#endif
