/* Checks what can be told without shapes, and completes the tree for eval:
   - names: every name in a function is a definition that its module sees, a parameter, dimension,
     type variable, result, value, container or index in scope, or a builtin; one thing per name in
     a function; indices do not shadow; sibling scopes may reuse names of values and indices;
   - types: known element types, type variables constrained in `where`;
   - calls of known functions: number and names of arguments;
   - subscripts of declared containers: their number; writes only to containers and inout;
   - rebinding of outer values inside map bodies;
   - annotates: ITER without a range gets `whole` (kid 3), see below; DECL and RESULT get in
     `integer2` the resolution whose identity they start at (every write uses that one resolution
     and there is no fill), RES_NONE otherwise.
   Shapes are checked by eval, which runs over symbols (session: every definition is elaborated
   with its dimensions as symbols when it is entered).

   The range of a bare index `i` follows from the first subscript, in text order of the map's body,
   where `i` stands alone in a subscript position of a name X: kid `whole` becomes a clone of that
   INDEX node (object X and all subscripts) and its integer2 the position of `i` among the
   subscripts (0-based, counting a pack as one). Of a bare pack `*b`: the same with a SPREAD. X must
   be visible where the map stands. If several names give ranges, those after the first are kept as
   further kids (4, 5, ...) in the same form: eval requires equality. None: ERR_RANGE_UNKNOWN. */
#ifndef DCL_LANG_CHECK_CHECK_H
#define DCL_LANG_CHECK_CHECK_H

#include "lang/base/diag.h"
#include "lang/check/module.h"

/* Names that are neither definitions nor local: scalar operators, element types, and those the
   evaluator and the session add. */
struct check_builtins {
    bool (*is_builtin)(void *data, struct name n);
    void *data;
    /* Calls F for each script variable, for "did you mean"; may be NULL. */
    void (*each_variable)(void *data, void (*f)(void *to, struct name n), void *to);
    /* The same for names that are builtins. */
    void (*each_builtin)(void *data, void (*f)(void *to, struct name n), void *to);
};

/* Checks all items of FILE (a tree of parse_source). The definitions of FILE have been added to M
   before. SCRIPT says whether a name is a script variable (statements outside functions see them);
   assignments of the file's own statements add to it as they go. Returns false if errors were
   added. */
bool check_file(struct arena *a, struct module *m, const struct check_builtins *builtins,
                bool (*is_variable)(void *data, struct name n), void *data, struct diags *d,
                struct ast *file);
/* The name nearest to N of those that M sees and the N_EXTRA others: one that differs in its
   capitals only, else by edit distance, at most 2 and a third of its length; for one of two letters
   one with a letter more or less behind the same first. No name if none is near. */
struct name check_nearest(const struct module *m, struct name n, const struct name *extra,
                          uint32_t nextra);
/* The same of OTHERS only. */
struct name nearest_name(const struct names *names, struct name n, const struct name *others,
                         uint32_t nothers);
/* Help for D, which tells of N, that is none of OTHERS: the nearest, else all of them as WHAT ("it
   takes"; NULL: nothing). */
void help_nearest(struct diags *diags, struct diag *d, const struct names *names, struct name n,
                  const struct name *others, uint32_t nothers, const char *what);

/* Help where a subscript is a list of indices, or a condition on elements. */
#define SELECT_ROWS "a subscript is an index or a range; several rows are take(x, stack([0, 2]))"
#define SELECT_WHERE                                                                               \
    "a subscript is an index or a range; select(c, a, b) chooses by element, nonzero(c) gives "    \
    "the "                                                                                         \
    "places where c is true"
/* What NAME of another language is called here, a sentence; NULL if it is none that is known. */
const char *check_foreign(const char *name);

#endif
