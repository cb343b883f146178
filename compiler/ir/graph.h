/* The graph: a function as a tree of regions over containers. IR.md is its manual: grammar,
   meaning, numbered invariants. In a region the nodes stand in program order, which is the meaning;
   what may be reordered or run at once is computed from the memlets (compiler/analysis).

   Ownership: everything lives in the graph's arena. Nodes own their regions by pointer (a tree);
   containers are referred to by id; values, indices and symbols are interned names, unique in their
   scope, and are the atoms of symbolic integers. Expressions are immutable and may be shared. */
#ifndef DCL_COMPILER_IR_GRAPH_H
#define DCL_COMPILER_IR_GRAPH_H

#include "lang/base/arena.h"
#include "lang/base/buf.h"
#include "lang/base/diag.h"
#include "lang/base/name.h"
#include "lang/base/source.h"
#include "lang/base/vec.h"
#include "lang/scalar/placement.h"
#include "lang/scalar/scalar.h"
#include "lang/sym/subset.h"
#include "lang/sym/sym.h"

struct site;

struct cont {
    uint32_t i; /* index into graph.conts; 0 is "no container" */
};

enum cont_role {
    ROLE_PARAM,    /* an argument, read-only */
    ROLE_INOUT,    /* an argument, read and written */
    ROLE_RESULT,   /* allocated by the caller, starts unwritten */
    ROLE_TRANSIENT /* declared by a DECL node, lives until the end of that node's region */
};

struct container {
    struct name name; /* unique in the graph */
    enum dtype dtype;
    uint32_t rank;
    struct sym *dims; /* rank of them; row-major, dense */
    enum storage storage;
    enum cont_role role;
    bool lanes; /* its fill is for what lies beyond the shape of a layout: for the program it starts
                   unwritten. As spans, no part of the text */
    struct span span;
};

/* Scalar expressions: pure, over constants, named values and symbolic integers. */
enum expr_kind { EXPR_CONST, EXPR_VALUE, EXPR_SYM, EXPR_OP, EXPR_CAST };

struct expr {
    enum expr_kind kind;
    enum dtype dtype; /* of the result; EXPR_SYM is i64 */
    enum scalar_op op;
    union scalar constant;
    struct name value;          /* EXPR_VALUE: defined by a READ or LET in scope */
    struct sym sym;             /* EXPR_SYM: over indices and symbols in scope, no constant */
    const struct expr *args[3]; /* EXPR_OP: scalars[op].arity; EXPR_CAST: 1 */
};

/* What a memlet does where its subset leaves the container. */
enum outside {
    OUTSIDE_ERROR, /* must not happen: proved, or checked at run time */
    OUTSIDE_VALUE, /* a read gives `other` */
    OUTSIDE_DROP   /* a write does nothing */
};

/* One element of a container, moved into or out of a scalar. Blocks are maps over such. */
struct memlet {
    struct cont cont;
    uint32_t rank;
    struct sym *at; /* an index per dimension: over indices, symbols and integer values */
    enum outside outside;
    union scalar other;         /* OUTSIDE_VALUE; of the container's type */
    enum resolution resolution; /* writes only */
    uint32_t site;              /* index into graph.sites; 0: none */
};

enum node_kind {
    NODE_DECL,
    NODE_READ,
    NODE_LET,
    NODE_WRITE,
    NODE_MAP,
    NODE_LOOP,
    NODE_WHILE,
    NODE_BRANCH,
    NODE_COUNT
};

struct node;

struct region {
    VEC(struct node *) nodes;
};

/* An index of a map or loop: lo, lo + step, ... below hi. The bounds do not use indices of the same
   map (a nested map says that). Empty if hi <= lo. */
struct index {
    struct name name;
    struct sym lo, hi, step; /* step > 0 */
    enum schedule schedule;  /* loops: SCHED_NONE or SCHED_UNROLL */
    uint32_t factor;         /* argument of unroll and vector; 0: none given */
    struct span span;
};

struct node {
    enum node_kind kind;
    uint32_t id; /* unique in the graph; side tables use it */
    struct span span;
    union {
        struct { /* the container starts here, filled or unwritten, each time this is reached */
            struct cont cont;
            bool has_fill;
            union scalar fill;
        } decl;
        struct { /* name << memlet */
            struct name name;
            struct memlet from;
        } read;
        struct { /* name = value */
            struct name name;
            const struct expr *value;
        } let;
        struct { /* value >> memlet (resolution) */
            const struct expr *value;
            struct memlet to;
        } write;
        struct { /* iterations are independent, in any order */
            uint32_t n;
            struct index *index; /* n of them, outermost first */
            bool unique;         /* the user vouches for independence */
            struct region body;
        } map;
        struct { /* iterations in order */
            struct index index;
            struct region body;
        } loop;
        struct { /* as long as the condition, which the body writes, is true before a turn */
            struct memlet condition; /* a read: of a bool without dimensions */
            struct region body;
        } repeat;
        struct {
            const struct expr *condition;
            struct region then, otherwise;
        } branch;
    };
};

struct graph_param {
    bool is_symbol; /* a run-time i64: binds the symbol `name` */
    struct name name;
    struct cont cont; /* if not is_symbol */
};

/* Checked when the function is called, in order, after the symbols are bound. */
struct graph_condition {
    const struct expr *condition; /* bool, over symbols */
    const char *text;             /* the message, in the user's terms */
    struct span span;
};

/* A map or loop around a memlet. */
struct site_level {
    const struct site_level *outer;
    struct index index;
};

/* Where a memlet of the program stands, for what is told if it is outside of its container in a
   run. As spans, sites are no part of the graph's text, and passes hand them on. */
struct graph_site {
    const struct site *where; /* in the user's text (lang/eval/site.h); NULL: only SPAN is known */
    bool laid; /* the container has a layout: AT and DIMS are those of the user, from the start */
    /* What graph_number_sites notes of the graph, which passes will change. */
    struct span span;
    struct name name; /* of the container */
    bool always;      /* reached in each iteration of LEVEL, and nothing may be outside of it */
    uint32_t rank;
    const struct sym *at, *dims;
    const struct site_level *level; /* the innermost; NULL: there is none */
};

struct graph {
    struct arena *arena;
    struct names *names;
    struct sym_ctx *syms;
    struct name name;
    struct span span;
    VEC(struct container) conts; /* [0] is unused */
    VEC(struct graph_param) params;
    VEC(struct cont) results;
    VEC(struct graph_condition) conditions;
    VEC(struct graph_site) sites; /* [0] is unused */
    struct region body;
    uint32_t nodes;            /* ids given so far */
    struct graph_names *taken; /* what graph_fresh keeps: names.c */
};

struct graph *graph_new(struct arena *a, struct names *names, struct sym_ctx *syms,
                        struct name name);
/* A copy in arena A with the same ids. */
struct graph *graph_clone(struct arena *a, const struct graph *g);
/* Equal in everything but spans and ids of nodes and containers (containers match by name). WHY,
   if not NULL, gets the first difference as text. */
bool graph_equal(const struct graph *x, const struct graph *y, struct buf *why);

struct cont graph_container(struct graph *g, struct name name, enum dtype t, uint32_t rank,
                            const struct sym *dims, enum storage storage, enum cont_role role,
                            struct span span);
static inline struct container *graph_cont(const struct graph *g, struct cont c) {
    return &g->conts.at[c.i];
}
/* BASE if the graph does not use it yet as a name of anything, else BASE_2, BASE_3, ...; the name
   counts as used from now on. Never a word of the text form (graph_word). Linear in nothing: a
   table is kept. */
struct name graph_fresh(struct graph *g, struct name base);
/* Whether anything in the graph is called N. */
bool graph_named(struct graph *g, struct name n);
/* Whether N means something of its own in the text form, so that no thing of a graph may be called
   so: keywords, element types, scalar functions, inf, nan. */
bool graph_word(const struct names *names, struct name n);

struct node *node_new(struct graph *g, enum node_kind kind, struct span span);
void region_add(struct graph *g, struct region *r, struct node *n);
struct memlet memlet_new(struct graph *g, struct cont c, const struct sym *at);
bool memlet_equal(const struct memlet *a, const struct memlet *b);

/* The site of a memlet that is made where the text stands WHERE. */
uint32_t graph_add_site(struct graph *g, const struct site *where);
/* Gives each memlet a site of its own, numbered in the order of the program, so that equal graphs
   have equal numbers: code may name a memlet by them, wherever it was compiled. */
void graph_number_sites(struct graph *g);

/* The builders keep expressions in their one form: operators and casts of constants are folded, a
   cast to the same type is its operand, and a symbolic integer that is a number is a constant. */
const struct expr *expr_const(struct graph *g, enum dtype t, union scalar v);
const struct expr *expr_value(struct graph *g, enum dtype t, struct name n);
const struct expr *expr_sym(struct graph *g, struct sym s);
const struct expr *expr_op(struct graph *g, enum scalar_op op, const struct expr *a,
                           const struct expr *b, const struct expr *c);
const struct expr *expr_cast(struct graph *g, enum dtype t, const struct expr *a);
bool expr_equal(const struct expr *a, const struct expr *b);
uint32_t expr_nargs(const struct expr *e);
/* i64 arithmetic as a symbolic integer (i64 values, and i64(v) of values of other integer types,
   become atoms); false for what sym cannot say. */
bool expr_to_sym(const struct graph *g, const struct expr *e, struct sym *s);

/* Renames values and indices, and replaces atoms by syms, in everything below. A name that maps to
   a sym that is no atom may not be defined inside R. A value that maps to an atom is a value again:
   to put an index or symbol in its place in expressions, use `expr`. Containers map by id through
   CONTS (may be NULL; entry 0 keeps). */
struct subst {
    uint32_t n;
    const struct name *from;
    const struct sym *to;
    const struct cont *conts; /* indexed by container id, nconts of them */
    uint32_t nconts;
    /* values replaced by expressions, in expressions only */
    uint32_t nexprs;
    const struct name *value;
    const struct expr *const *expr;
};
struct region region_clone(struct graph *g, const struct region *r, const struct subst *s);
struct memlet memlet_subst(struct graph *g, const struct memlet *m, const struct subst *s);
const struct expr *expr_subst(struct graph *g, const struct expr *e, const struct subst *s);

/* The regions that stand in N, in order, into INNER; their number. */
uint32_t node_regions(struct node *n, struct region *inner[2]);
/* Calls F for every node below R in program order, maps before their bodies. */
void region_walk(const struct region *r, void (*f)(void *, struct node *), void *data);

/* The symbols of the graph in order of binding: atoms that stand alone as a dimension of a
   parameter (the first such place binds) and run-time integers, each once: a dimension that is a
   run-time integer by name is not bound by it. */
struct graph_symbol {
    struct name name;
    uint32_t param; /* index into params */
    int dim;        /* -1: the parameter itself */
};
uint32_t graph_symbols(const struct graph *g, struct arena *a, struct graph_symbol **out);

/* Facts that hold at the top of the graph: symbols that are dimensions are >= 0. */
struct sym_facts *graph_facts(struct arena *a, const struct graph *g);
/* Adds the facts of an index: its bounds and step. */
void index_facts(struct sym_facts *f, struct sym_ctx *c, const struct index *x);
/* Those of all indices of N, a map or loop; of other nodes there are none. */
void node_facts(struct sym_facts *f, struct sym_ctx *c, const struct node *n);

/* Checks all invariants of IR.md; the first that is broken is reported in D as ERR_VERIFY, with
   AFTER (the pass that ran last) in the text. */
bool graph_verify(const struct graph *g, const char *after, struct diags *d);

#endif
