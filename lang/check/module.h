/* Modules: the definitions of one file or session. A function looks names up in its own module,
   then in the modules that it uses, then in the prelude (the standard library); so a user's `mean`
   never changes what the library does. */
#ifndef DCL_LANG_CHECK_MODULE_H
#define DCL_LANG_CHECK_MODULE_H

#include "lang/ast/ast.h"
#include "lang/base/map.h"
#include "lang/base/vec.h"

struct module {
    struct arena *arena;
    struct names *names;
    const char *path;             /* for messages */
    struct map defs;              /* name.i -> struct ast * of kind FN, LAYER, REWRITE */
    const struct module *prelude; /* NULL for the prelude itself */
    VEC(const struct module *) uses;
    bool rewrites; /* some REWRITE has been defined here */
};

struct module *module_new(struct arena *a, struct names *names, const char *path,
                          const struct module *prelude);
/* Adds or replaces the definition. */
void module_define(struct module *m, struct ast *def);
/* Where a text defines a name more than once, what stands between two definitions sees the first.
   FILE begins: the first of each name counts. */
void module_enter(struct module *m, struct ast *file);
/* FILE has come to the definition DEF. True if another one of its name counted so far. */
bool module_pass(struct module *m, struct ast *def);
/* Takes away the gradient function of F, if M defines one. */
void module_forget_gradient(struct module *m, struct name f);
/* The definition of N as seen from M and, in *WHERE (may be NULL), the module it stands in. */
struct ast *module_find(const struct module *m, struct name n, const struct module **where);
/* Calls F for every name that M sees and a program can spell, nearest first (for completion and
   "did you mean"). */
void module_each(const struct module *m, void (*f)(void *, struct name, struct ast *), void *data);

#endif
