/* Inside compiler/ir: what the files of graph_verify share. Each check cites its invariant of
   IR.md by number; a function that returns false has reported one. */
#ifndef DCL_COMPILER_IR_VERIFY_H
#define DCL_COMPILER_IR_VERIFY_H

#include "compiler/analysis/owner.h"
#include "compiler/ir/graph.h"
#include "lang/base/map.h"

/* What a name in scope stands for. */
enum thing { THING_NONE, THING_SYMBOL, THING_INDEX, THING_VALUE, THING_CONTAINER };

struct binding {
    struct name name;
    enum thing thing;
    enum dtype dtype; /* of a value */
};

/* What is known of a container while the walk stands somewhere. */
struct cont_state {
    bool alive;     /* declared in a region around, or an argument */
    bool written;   /* by its fill, its caller, or a plain write before */
    uint32_t depth; /* loops around its declaration */
    uint32_t uses;  /* as parameter, result or declaration */
    bool found;     /* a result that the graph's own region is still to declare */
    /* In registers of several threads, perhaps: declared in a grid outside of block indices. */
    bool in_threads;
    uint32_t around; /* indices around its declaration */
    bool owned;      /* an access below block indices says whose the elements are: */
    struct owner owner;
    bool whole;         /* an access needs all elements in each thread */
    bool written_below; /* below block indices */
};

struct verifier {
    const struct graph *g;
    const char *after;
    struct diags *d;
    struct arena *arena; /* scratch */
    struct sym_facts *facts;
    VEC(struct binding) scope;
    struct map scoped;   /* name -> 1 + index into scope, 0 when it has left */
    struct map global;   /* names of containers and symbols */
    struct map node_ids; /* seen */
    struct cont_state *conts;
    VEC(const struct region *) loops;  /* bodies around */
    VEC(const struct index *) indices; /* of maps around, outermost first */
    struct span span;                  /* of the node that is looked at */
};

bool broken(struct verifier *v, int invariant, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *verify_name(const struct verifier *v, struct name n);

/* verify_scope.c */
bool define_name(struct verifier *v, struct name n, enum thing thing, enum dtype t);
void leave_scope(struct verifier *v, uint32_t mark);
const struct binding *look_up(const struct verifier *v, struct name n);
bool name_is_global(struct verifier *v, struct name n, const char *what);
/* All atoms of S are in scope and integers; ONLY_SYMBOLS: symbols of the graph. */
bool check_sym(struct verifier *v, struct sym s, bool only_symbols);

/* verify_types.c */
bool verify_expr(struct verifier *v, const struct expr *e, bool only_symbols);
bool check_memlet(struct verifier *v, const struct memlet *m, bool write);
/* C has a constant dimension of 0. */
bool has_no_elements(const struct graph *g, const struct container *c);
bool check_written(struct verifier *v, const struct memlet *m, bool write);

/* verify_schedule.c */
bool check_index_words(struct verifier *v, const struct node *n, const struct index *x);
bool check_map_words(struct verifier *v, const struct node *n);
bool check_storage(struct verifier *v, const struct container *c);
/* Where container C is declared, and at each access to it. */
void begin_owner(struct verifier *v, struct cont c);
bool check_owner(struct verifier *v, const struct memlet *m, bool write);
bool check_races(struct verifier *v, const struct node *n);

#endif
