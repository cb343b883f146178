/* Rewrites, as semantics of the language: `rewrite R { pattern => replacement where .. when .. }`.
   A pattern is met by what an expression computes, not by how it is spelt: a name that has been
   given a value once stands for that value, so a pattern reaches over the lines of a body.

   - A name in the pattern is met by any expression, and again only by an equal one.
   - `+` and `*` are met in either order.
   - Static arguments that the pattern does not mention are at their defaults; `attrs = m` takes
     those that are not, and `attrs = m` in the replacement passes them on.
   - Numbers are met by numbers that are equal in f32, also through a cast.
   - A replacement `L(..)(x, w = v)` is a call of the instance of the layer L whose state w is v. It
     is for those who make instances: the rules for bodies leave it out. */
#ifndef DCL_LANG_REWRITE_REWRITE_H
#define DCL_LANG_REWRITE_REWRITE_H

#include "lang/ast/ast.h"
#include "lang/base/vec.h"
#include "lang/check/module.h"

/* The text in which a pattern is looked for, as its owner knows it. */
struct rewrite_text {
    void *data;
    /* The expression that NAME has been given, or NULL: it stands for itself. */
    const struct ast *(*value)(void *data, struct name n);
    /* Whether NAME, which is called, is hidden by something of the text itself. */
    bool (*hidden)(void *data, struct name n);
    /* Whether the expression E, evaluated twice, gives the same. */
    bool (*lasts)(void *data, const struct ast *e);
    const struct module *module; /* whose names the text uses */
};

/* A rule, and the module whose names it uses. */
struct rewrite_rule {
    const struct ast *rule; /* AST_RULE */
    const struct module *module;
    struct name of; /* of the REWRITE */
};

/* That a rule has been applied: for messages about what it gave. */
struct rewrite_use {
    const struct rewrite_use *next; /* applied before */
    struct name of;
    struct span rule, at; /* where the rule stands, and what it replaced */
};

struct rewrite_bound {
    struct name name;
    const struct ast *value; /* an expression of the text; of attrs: a CALL's KEYWORDs as kids */
    bool attributes;
};

struct rewrite_match {
    const struct ast *rule;
    VEC(struct rewrite_bound) bound;
};

typedef VEC(struct rewrite_rule) rewrite_rules;

/* Appends the rules that functions of M meet: its own and those of the modules that it uses, in
   the order of their definitions. */
void rewrite_rules_of(struct arena *a, const struct module *m, rewrite_rules *out);
/* Whether E meets RULE, and as what: in *OUT, of arena A. */
bool rewrite_matches(struct arena *a, const struct rewrite_text *t, const struct rewrite_rule *rule,
                     const struct ast *e, struct rewrite_match *out);
/* A copy of E, a part of the rule, with what was met in place of its variables. */
struct ast *rewrite_filled(struct arena *a, const struct rewrite_match *m, const struct ast *e);

/* The call `L(..)` if TO, a replacement, is `L(..)(x, w = v)`, of an instance whose states are
   given, L a layer of M; else NULL. */
const struct ast *rewrite_instance(const struct module *m, const struct ast *to);

/* body.c: the definition DEF of module M (of the layer OF, or NULL) with the rules that M sees
   applied to its body; DEF itself if none is met. A rule with a condition leaves both sides, as an
   `if` that is decided when the body is evaluated. *USES: what was applied, the last first. */
const struct ast *rewrite_definition(struct arena *a, const struct module *m, const struct ast *def,
                                     const struct ast *of, const struct rewrite_use **uses);

#endif
