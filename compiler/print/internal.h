/* What the files of compiler/print share. */
#ifndef DCL_COMPILER_PRINT_INTERNAL_H
#define DCL_COMPILER_PRINT_INTERNAL_H

#include "compiler/print/print.h"
#include "lang/base/map.h"

struct printer {
    struct arena *arena;
    const struct graph *g;
    struct map narrow; /* names of values: 1 if the last definition in text order is an integer, but
                          no i64; since no name hides another, that is the one in scope */
    struct span span;  /* of the node that is being printed: what new syntax gets */
};

/* leaf.c: the smallest pieces of syntax. */
struct ast *ast_leaf(struct printer *p, enum ast_kind kind);
struct ast *ast_name(struct printer *p, struct name n);
struct ast *ast_word(struct printer *p, const char *text);
struct ast *ast_unary(struct printer *p, enum ast_op op, struct ast *x);
struct ast *ast_binary(struct printer *p, enum ast_op op, struct ast *x, struct ast *y);
struct ast *ast_call(struct printer *p, const char *callee, uint32_t n, struct ast *const *args);
struct ast *ast_integer(struct printer *p, int64_t v);
/* A literal that takes its type from where it stands. */
struct ast *ast_literal(struct printer *p, enum dtype t, union scalar v);

/* sym.c: a value of another integer type among other terms is converted: i64(k) + 1. */
struct ast *sym_to_ast(struct printer *p, struct sym s);

/* expr.c */
/* TYPED: the text must give the type by itself; otherwise it meets E's type where it stands. */
struct ast *expr_to_ast(struct printer *p, const struct expr *e, bool typed);
/* A condition of the signature: over symbols, so comparisons need no mark. */
struct ast *condition_to_ast(struct printer *p, const struct expr *e);

#endif
