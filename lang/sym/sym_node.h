/* What the files of lang/sym share: how expressions are held. No other folder includes this.

   A polynomial (struct poly; a `struct sym` is its index) is a sorted array of terms; a term is a
   coefficient and a monomial; a monomial is a sorted array of factors with powers; a factor is an
   atom or an opaque node over polynomials. Each of the three is hash-consed, so indices compare.
   Note [order]: monomials of higher degree come first, then lexicographic by factors; factors are
   ordered by kind, then by the text of an atom or by operands. The unit monomial (the constant)
   is last. Nothing orders by index, so text does not depend on what was made first.
   Note [limits]: a tree (as printed, with sharing undone) has at most SYM_MAX_SIZE nodes and
   SYM_MAX_DEPTH levels; what would be larger becomes an atom of its own, `opaque#<hash>`, and sets
   the overflow flag. So every recursion in this folder is bounded by construction. */
#ifndef DCL_LANG_SYM_SYM_NODE_H
#define DCL_LANG_SYM_SYM_NODE_H

#include "lang/base/map.h"
#include "lang/base/vec.h"
#include "lang/sym/sym.h"

#define SYM_MAX_DEPTH 64
#define SYM_MAX_SIZE 8192
#define SYM_MAX_DEGREE 32     /* of a monomial; beyond it a product is opaque */
#define SYM_MAX_PRODUCTS 1024 /* terms of one multiplication before they are collected */
#define SYM_MAX_CHAIN 12      /* operands of one flattened min or max */

struct term {
    int64_t coef;
    uint32_t mono;
};

struct power {
    uint32_t factor, power;
};

enum factor_kind { F_ATOM, F_FLOORDIV, F_MOD, F_MIN, F_MAX, F_MUL, F_ADD };

/* Inclusive; INT64_MIN and INT64_MAX stand for no bound. */
struct interval {
    int64_t lo, hi;
};

struct factor {
    enum factor_kind kind;
    uint32_t mono; /* the monomial that is this factor alone */
    struct sym self;
    struct name name;      /* F_ATOM */
    struct sym a, b;       /* the others */
    struct interval range; /* holds whatever the atoms are */
    uint64_t atoms;        /* a bit per atom, by name % 64: cheap "does not contain" */
    uint64_t hash;         /* of text and structure, as all hashes here */
    uint32_t next;         /* with the same hash */
    uint32_t size, depth;
};

struct mono {
    struct power *at;
    uint32_t n, degree;
    uint64_t atoms, hash;
    uint32_t next, size, depth;
};

struct poly {
    struct term *at;
    uint32_t n, noperands;
    struct sym *operands; /* as sym_operand gives them */
    enum sym_kind kind;
    uint64_t atoms, hash;
    uint32_t next, size, depth;
    struct sym instead; /* of a polynomial that is too large: its opaque atom */
};

struct sym_ctx {
    struct arena *arena;
    struct names *names;
    VEC(struct poly *) polys;
    VEC(struct mono *) monos;
    VEC(struct factor *) factors;
    struct map poly_by_hash, mono_by_hash, factor_by_hash;
    uint64_t steps;
    bool overflowed;
};

static inline const struct poly *sym_poly(const struct sym_ctx *c, struct sym a) {
    return c->polys.at[a.i];
}
static inline const struct mono *sym_mono(const struct sym_ctx *c, uint32_t m) {
    return c->monos.at[m];
}
static inline const struct factor *sym_factor(const struct sym_ctx *c, uint32_t f) {
    return c->factors.at[f];
}
#define SYM_UNIT 0u /* the monomial of constants */

/* The polynomial with these N terms, which are sorted, with distinct monomials and coefficients
   other than 0. */
struct sym sym_poly_of(struct sym_ctx *c, const struct term *t, uint32_t n);
/* The factor KIND over A and B, as an expression; no simplification. */
struct sym sym_factor_of(struct sym_ctx *c, enum factor_kind kind, struct sym a, struct sym b);
/* ka*a + kb*b. */
struct sym sym_combine(struct sym_ctx *c, int64_t ka, struct sym a, int64_t kb, struct sym b);
struct sym sym_scale(struct sym_ctx *c, int64_t k, struct sym a);
/* The order of Note [order]: negative, 0 (the same) or positive. */
int sym_mono_compare(struct sym_ctx *c, uint32_t a, uint32_t b);
int sym_compare(struct sym_ctx *c, struct sym a, struct sym b);
/* a / b where b divides a (monomials); false if it does not. */
bool sym_mono_divide(struct sym_ctx *c, uint32_t a, uint32_t b, uint32_t *quotient);
bool sym_mono_multiply(struct sym_ctx *c, uint32_t a, uint32_t b, uint32_t *product);
/* If A is one term with coefficient 1 and one factor with power 1: that factor. */
const struct factor *sym_lone_factor(const struct sym_ctx *c, struct sym a);
/* If monomial M is one factor with power 1: that factor. */
const struct factor *sym_mono_factor(const struct sym_ctx *c, uint32_t m);
/* The constant term. */
int64_t sym_constant_part(const struct sym_ctx *c, struct sym a);
/* The greatest common divisor of G and the coefficients of A (with the constant if ALL). */
int64_t sym_content(const struct sym_ctx *c, struct sym a, int64_t g, bool all);
/* a / g, where g > 0 divides all coefficients but the constant, which is divided downwards. */
struct sym sym_divide_coefficients(struct sym_ctx *c, struct sym a, int64_t g);

/* Intervals that hold for all values of the atoms. */
struct interval sym_range(const struct sym_ctx *c, struct sym a);
struct interval sym_range_difference(struct sym_ctx *c, struct sym a, struct sym b);
/* The same where ATOM gives the range of each atom. */
struct interval sym_range_of(struct sym_ctx *c, struct sym a,
                             struct interval (*atom)(void *, struct name), void *data);
/* The range of an opaque node from those of its operands. */
struct interval sym_kind_range(enum factor_kind kind, struct interval a, struct interval b);
struct interval sym_interval_meet(struct interval x, struct interval y);

/* A with factor X replaced by BY wherever it stands, also inside opaque nodes. */
struct sym sym_replace(struct sym_ctx *c, struct sym a, const struct factor *x, struct sym by);
/* The opaque node or operation KIND over A and B, simplified as the public functions do. */
struct sym sym_rebuild(struct sym_ctx *c, enum factor_kind kind, struct sym a, struct sym b);

/* Floor division and remainder of int64, the divisor not 0; false on overflow. */
bool sym_i64_floordiv(int64_t a, int64_t b, int64_t *q);
int64_t sym_i64_mod(int64_t a, int64_t b);
int64_t sym_i64_gcd(int64_t a, int64_t b); /* of absolute values; INT64_MIN counts as 1 */

#endif
