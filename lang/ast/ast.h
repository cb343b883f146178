/* The syntax tree: one node type whose kids are laid out as ast.def says. Built by parse, read and
   completed by check (map ranges), walked by eval, written by print. Nodes live in the arena of
   their compilation unit. compiler/print builds them from graphs. */
#ifndef DCL_LANG_AST_AST_H
#define DCL_LANG_AST_AST_H

#include "lang/base/arena.h"
#include "lang/base/name.h"
#include "lang/base/source.h"
#include "lang/scalar/placement.h"
#include <stdbool.h>
#include <stdint.h>

enum ast_kind {
#define AST(kind, kids, doc) AST_##kind,
#include "lang/ast/ast.def"
#undef AST
    AST_COUNT
};

enum ast_flag {
    AST_INOUT = 1 << 0,    /* PARAM: inout */
    AST_STATIC = 1 << 1,   /* PARAM: after `;`, keyword-only, known while elaborating */
    AST_BRACKETS = 1 << 2, /* TYPE: written with brackets */
    AST_TILDE = 1 << 3,    /* STATE: initialised by a function `~ f` */
    AST_PACK = 1 << 4,     /* ITER: *NAME */
    AST_PATH = 1 << 5,     /* USE: a path, not a name */
    AST_UNIQUE = 1 << 6,   /* MAP: the user says that iterations do not conflict */
    AST_BUFFER = 1 << 10,  /* STATE: `buffer`, not trained, written by methods */
    AST_OPTIONAL = 1 << 8, /* TYPE: `?`, the argument may be absent */
    AST_LIST_OF = 1 << 9,  /* TYPE: `[]`, a list of tensors of this type */
    AST_CHOICE = 1 << 11,  /* IF: of a rewrite, false if the condition is not known */
    AST_PAREN = 1 << 7     /* an expression written in parentheses (for nothing but messages) */
};

enum ast_op {
    AOP_ADD,
    AOP_SUB,
    AOP_MUL,
    AOP_DIV,
    AOP_FLOORDIV,
    AOP_MOD,
    AOP_POW,
    AOP_MATMUL,
    AOP_LT,
    AOP_LE,
    AOP_GT,
    AOP_GE,
    AOP_EQ,
    AOP_NE,
    AOP_AND,
    AOP_OR,
    AOP_NOT,
    AOP_NEG,
    AOP_IN,
    AOP_COUNT
};

struct ast {
    enum ast_kind kind;
    uint32_t flags;
    struct span span;
    struct name name;
    int op; /* enum ast_op, resolution, storage or schedule, as ast.def says */
    uint32_t nkids;
    struct ast **kids; /* NULL entries only where ast.def has `?` */
    int64_t integer, integer2;
    double number;
    const char *doc; /* FN, LAYER: the text of the ## lines above, or NULL */
};

/* A comment, from its # to the end of its line. */
struct comment {
    uint32_t start, end;
};
/* What a text has and its tree has not: how it is written, and its comments, in order. */
struct ast_text {
    const char *text;
    const struct comment *comments;
    uint32_t ncomments;
};

/* A node with room for NKIDS kids, all NULL. */
struct ast *ast_new(struct arena *a, enum ast_kind kind, struct span span, uint32_t nkids);
/* Appends a kid (amortized by reallocating in the arena). */
void ast_push(struct arena *a, struct ast *node, struct ast *kid);
/* A deep copy. */
struct ast *ast_clone(struct arena *a, const struct ast *node);
/* Same kind, names, values and kids; spans and AST_PAREN aside. */
bool ast_equal(const struct ast *x, const struct ast *y);
/* Whether a node of KIND stands in NODE (which may be NULL), or is it. */
bool ast_holds(const struct ast *node, enum ast_kind kind);
/* Whether a call may leave out the argument of PARAM: a default, or an optional type. */
bool ast_may_miss(const struct ast *param);
/* Whether ITEM of a file is a function, layer or rewrite: what other items may name. */
bool ast_is_definition(const struct ast *item);
/* The LAYOUT of a DECL, PARAM, RESULT or STATE, or NULL. */
struct ast *ast_layout(const struct ast *node);
/* The name of `grad F` among definitions, "grad F", which no program can spell. */
struct name ast_grad_name(struct arena *a, struct names *names, struct name f);
/* The text of F if a definition of this name is a `grad F`, else NULL. */
const char *ast_grad_of(const struct names *names, struct name definition);
/* The keyword by which a pattern takes the static arguments that it does not mention. */
#define REWRITE_ATTRIBUTES "attrs"
/* The name of `rewrite R` among definitions, "rewrite R". */
struct name ast_rewrite_name(struct arena *a, struct names *names, struct name r);
/* Whether NAME is one that a program spells: neither of a `grad F` nor of a `rewrite R`. */
bool ast_is_spelled(const struct names *names, struct name definition);
const char *ast_kind_name(enum ast_kind kind);
const char *ast_kind_doc(enum ast_kind kind);

#endif
