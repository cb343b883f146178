/* Symbolic integers: sums of products over atoms, with floor division, remainder, min and max.
   One type for checker, graph, passes and code generation. Expressions are hash-consed in a
   context, so equal canonical forms are the same id and compare in O(1).

   Canonical form. A sum holds its terms sorted; a term is a non-zero constant coefficient times a
   sorted product of factors (atoms and opaque nodes: floor division, remainder, min, max), each
   with a power. Constants fold. Sorting is by *name* of atoms and by structure, never by id or
   address, so the form and its text do not depend on the order in which things were made.
   Simplification is bounded: each context counts its steps (sym_steps). A sum or product whose
   canonical form would exceed SYM_MAX_TERMS terms, or whose coefficients overflow int64, is kept as
   an opaque SUM or PRODUCT of two operands: its value is the same. Overflow also sets the context's
   flag. An expression that is too large or too deep to walk (see sym_node.h) becomes an atom of
   its own, named `opaque#...`, and sets the flag; such an atom has no value.

   Division and remainder are floor division and its remainder (sign of the divisor); division by
   the constant 0 gives 0, as in scalar.def. */
#ifndef DCL_LANG_SYM_SYM_H
#define DCL_LANG_SYM_SYM_H

#include "lang/base/arena.h"
#include "lang/base/buf.h"
#include "lang/base/name.h"
#include <stdbool.h>
#include <stdint.h>

#define SYM_MAX_TERMS 256
/* Steps (as sym_steps counts them) after which one question to the facts is given up. */
#define SYM_PROOF_STEPS 12000

struct sym {
    uint32_t i; /* 0 is "no expression" */
};

struct sym_ctx;

enum sym_kind {
    SYM_CONST,
    SYM_ATOM,
    SYM_SUM,
    SYM_PRODUCT,
    SYM_FLOORDIV,
    SYM_MOD,
    SYM_MIN,
    SYM_MAX
};

/* A context in arena A whose atoms are names of NAMES. */
struct sym_ctx *sym_ctx_new(struct arena *a, struct names *names);
struct names *sym_names(const struct sym_ctx *c);

struct sym sym_const(struct sym_ctx *c, int64_t v);
struct sym sym_atom(struct sym_ctx *c, struct name n);
struct sym sym_add(struct sym_ctx *c, struct sym a, struct sym b);
struct sym sym_sub(struct sym_ctx *c, struct sym a, struct sym b);
struct sym sym_mul(struct sym_ctx *c, struct sym a, struct sym b);
struct sym sym_neg(struct sym_ctx *c, struct sym a);
/* Exact parts are taken out: (6*a + b) // 3 is 2*a + b // 3, and (x % 6) // 6 is 0. */
struct sym sym_floordiv(struct sym_ctx *c, struct sym a, struct sym b);
struct sym sym_mod(struct sym_ctx *c, struct sym a, struct sym b);
struct sym sym_min(struct sym_ctx *c, struct sym a, struct sym b);
struct sym sym_max(struct sym_ctx *c, struct sym a, struct sym b);

static inline bool sym_eq(struct sym a, struct sym b) {
    return a.i == b.i;
}
static inline bool sym_none(struct sym a) {
    return a.i == 0;
}
bool sym_is_const(const struct sym_ctx *c, struct sym a, int64_t *v);
bool sym_is_atom(const struct sym_ctx *c, struct sym a, struct name *n);

/* Structure, for printers and code generators. A SUM has N operands (the last may be a constant),
   a PRODUCT N operands (a constant coefficient first, if it is not 1; a factor with power p stands
   p times), FLOORDIV MOD MIN MAX two. CONST and ATOM have none. */
enum sym_kind sym_kind(const struct sym_ctx *c, struct sym a);
uint32_t sym_count(const struct sym_ctx *c, struct sym a);
struct sym sym_operand(const struct sym_ctx *c, struct sym a, uint32_t k);

/* a = factor * N + rest where N does not occur in either and the form is linear in N outside
   opaque nodes; false if N occurs otherwise (in a power, a floor division, ...). */
bool sym_linear(struct sym_ctx *c, struct sym a, struct name n, struct sym *factor,
                struct sym *rest);
bool sym_contains(const struct sym_ctx *c, struct sym a, struct name n);
/* Calls F for each distinct atom, in order of text. */
void sym_atoms(const struct sym_ctx *c, struct sym a, void (*f)(void *, struct name), void *data);

/* Replaces atoms at once: each pair (FROM[k], TO[k]). */
struct sym sym_subst(struct sym_ctx *c, struct sym a, uint32_t n, const struct name *from,
                     const struct sym *to);
/* The value where ATOM_VALUE gives each atom's value; false if it gave false or on overflow. */
bool sym_eval(const struct sym_ctx *c, struct sym a,
              bool (*atom_value)(void *, struct name, int64_t *), void *data, int64_t *v);

/* DCL text that parses back to the same form: `2*N + jo - 1`, `(H + 2*pad - R)//stride + 1`,
   `min(64, S - i)`. Constants come last in a sum; a leading negative term is avoided if possible,
   as in `5 - i`. */
void sym_print(const struct sym_ctx *c, struct sym a, struct buf *out);

/* What is known of atoms: inclusive bounds, each a sym or none; and facts "expression >= 0".
   A stack: scopes push and pop. What is said of one atom adds up and does not replace what was said
   before, so names must be unique among open scopes. Say what is outer first. */
struct sym_facts;
struct sym_facts *sym_facts_new(struct arena *a, struct sym_ctx *c);
uint32_t sym_facts_mark(const struct sym_facts *f);
void sym_facts_restore(struct sym_facts *f, uint32_t mark);
/* lo <= n <= hi (either may be none). A range `i in lo:hi:step` is bounds lo and hi-1, plus
   sym_facts_step(i, lo, step): i - lo is a multiple of step. */
void sym_facts_bounds(struct sym_facts *f, struct name n, struct sym lo, struct sym hi);
void sym_facts_step(struct sym_facts *f, struct name n, struct sym lo, struct sym step);
/* a >= 0 holds. */
void sym_facts_nonneg(struct sym_facts *f, struct sym a);

/* What can be shown from the facts: true means proved, false means not proved (not: refuted).
   Sound for all integer values that satisfy the facts; bounded work. They must prove what tiles
   need, for example with 0 <= i <= 5, 0 <= io <= M - 6 (step 6): io + i < M; with
   0 <= io <= 6*(M//6) - 6: io + i < M; with 0 <= i <= min(6, M - io) - 1: io + i < M and i < 6;
   with 0 <= x: x % n < n for n > 0; x//16 < (N + 15)//16 for x < N; (x//16)*16 + x%16 == x. */
bool sym_prove_nonneg(struct sym_facts *f, struct sym a);           /* a >= 0 */
bool sym_prove_le(struct sym_facts *f, struct sym a, struct sym b); /* a <= b */
bool sym_prove_lt(struct sym_facts *f, struct sym a, struct sym b); /* a < b */
bool sym_prove_eq(struct sym_facts *f, struct sym a, struct sym b); /* a == b */
/* Constant bounds if they follow. */
bool sym_lower_bound(struct sym_facts *f, struct sym a, int64_t *v);
bool sym_upper_bound(struct sym_facts *f, struct sym a, int64_t *v);
/* The sym with what the facts decide folded: min, max, //, % whose outcome is proved. */
struct sym sym_simplify(struct sym_facts *f, struct sym a);
/* a is a multiple of the constant M under the facts (step facts included). */
bool sym_prove_multiple(struct sym_facts *f, struct sym a, int64_t m);

/* Steps of canonicalization and proof since the context was made; whether any overflowed. */
uint64_t sym_steps(const struct sym_ctx *c);
bool sym_overflowed(const struct sym_ctx *c);
/* Whether A has a part that exceeded the limits of sym_node.h: it has no value that can be
   computed. */
bool sym_exceeds(struct sym_ctx *c, struct sym a);

#endif
