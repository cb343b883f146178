/* What the files of this folder share: the state of one run of check_file, and the bindings of
   names. Private to lang/check.

   Note [scopes]. There is one table from names to their innermost binding. Opening a scope marks a
   place in the list of bindings, closing it takes the bindings after that mark back, each of which
   remembers what it hid. So a lookup costs one probe, whatever the nesting. A binding never hides
   another one of the same function (one name, one thing); it may hide definitions and builtins,
   which are no bindings, and script variables, which functions do not see. */
#ifndef DCL_LANG_CHECK_CHECKER_H
#define DCL_LANG_CHECK_CHECKER_H

#include "lang/check/check.h"

/* What a name stands for. */
enum thing {
#define THING(kind, text, doc) THING_##kind,
#include "lang/check/thing.def"
#undef THING
    THING_COUNT
};

struct binding {
    enum thing kind;
    struct name name;
    struct span span;
    struct binding *hides;  /* what the name stood for before, or NULL */
    const struct ast *type; /* TYPE of a tensor; NULL if its dimensions are not known */
    struct ast *node;       /* DECL or RESULT, ITER of an index, FN of a method, else NULL */
    uint32_t unit;          /* the function it belongs to */
    uint32_t order;         /* bindings count up through the file */
    uint32_t maps;          /* how many maps stand around it */
    uint32_t uses;          /* of a dimension or type variable: where it stands */
    /* Of a container, see check_fills.c. */
    bool written, mixed;
    bool plain, by_function; /* written without a resolution; by one that is a function */
    int resolution;
    /* Of a bare index, see check_ranges.c: subscripts that gave a range, by name and position. */
    struct map *ranges;
    uint32_t before;             /* the first binding inside its map */
    uint32_t errors;             /* how many there were when the map began */
    bool unknown;                /* it stood alone in a subscript of an unknown name */
    const struct binding *inner; /* ... of this container, which the map itself declares */
};

/* Words with a meaning of their own; a set of these. */
enum word {
    WORD_DTYPE = 1 << 0,   /* an element type */
    WORD_STATIC = 1 << 1,  /* the type of a static value */
    WORD_CLASS = 1 << 2,   /* a class of element types, in where */
    WORD_BUILTIN = 1 << 3, /* a scalar operator or constant */
};

enum place { PLACE_SCRIPT, PLACE_LAYER, PLACE_FUNCTION };

struct checker {
    struct arena *arena;
    struct module *module;
    const struct check_builtins *builtins;
    bool (*is_variable)(void *data, struct name n);
    void *data;
    struct diags *diags;

    enum place place;
    uint32_t unit;         /* the function or layer being checked, counting up; 0 is the script */
    uint32_t units;        /* given out so far */
    uint32_t maps, blocks; /* how many stand around this place */
    uint32_t order;
    const struct ast *file;     /* the text that is checked */
    const struct ast *appended; /* the INDEX that a plain write reaches, which may append a row */
    struct name underscore;
    struct map words;    /* name.i -> set of enum word */
    struct map scope;    /* name.i -> struct binding *, NULL when out of scope */
    struct map ended;    /* name.i -> the last binding that went out of scope */
    struct map reported; /* name.i -> 1 + unit in which it was reported as unknown */
    bool rewriting;      /* a rewrite is checked: calls may have `attrs = m` */
    struct map later;    /* name.i -> 1: script variables of this file, from its first line on */
    struct map members;  /* name.i -> unit: all that layers bind, from their first line on */
    VEC(struct binding *) open;
    VEC(struct binding *) dims; /* of the function, for the warning */
};

/* check_names.c: scopes and lookup */
void names_init(struct checker *c);
unsigned word_of(const struct checker *c, struct name n);
uint32_t scope_open(const struct checker *c);
void scope_close(struct checker *c, uint32_t mark);
/* The binding of N that the code being checked sees, or NULL. */
struct binding *scope_find(const struct checker *c, struct name n);
/* Binds a name in the innermost scope. If N is taken, says so and gives a binding all the same,
   which nothing finds. `_` is never taken and never found. */
struct binding *scope_bind(struct checker *c, enum thing kind, struct name n, struct span span);
/* Binds a variable of the script (once: again is the same). */
struct binding *script_bind(struct checker *c, struct name n, struct span span);
/* Where the name of NODE stands, which begins with it; all of NODE where `inout` or
   `*` stands before it. */
struct span span_of_name(const struct checker *c, const struct ast *node);
void report_taken(struct checker *c, const struct binding *by, struct span span);
/* Resolves a name that is read: its binding, or NULL for what stands outside (definitions,
   builtins, variables of the session) and for what is unknown, which is reported with HELP unless
   there is a better one. */
struct binding *use_name(struct checker *c, struct name n, struct span span, const char *help);
/* Whether N stands for anything here. */
bool is_known(const struct checker *c, struct name n);
const char *thing_text(enum thing kind);
const char *text_of(const struct checker *c, struct name n);
/* Whether messages are still kept: else no work is done for helps. */
bool worth_helping(const struct checker *c);
/* The entry of SET's words, or of the layers that the module sees, nearest to N. */
struct name nearest_type(const struct checker *c, struct name n, unsigned set, bool layers);

/* What a name of another language is here; NULL if it is none. */
const char *foreign_help(const struct checker *c, struct name n);

/* check_types.c: types, signatures */
enum role { ROLE_PARAM, ROLE_RESULT, ROLE_CONTAINER, ROLE_STATE };
void check_type(struct checker *c, struct ast *type, enum role role);
/* Binds parameters, dimensions, type variables and results; checks defaults and conditions. */
void check_signature(struct checker *c, struct ast *params, struct ast *results, struct ast *where);
void warn_unused_dims(struct checker *c);
/* The number of dimensions of TYPE, -1 if it is not fixed (a pack, no tensor, NULL). */
int type_rank(const struct checker *c, const struct ast *type);
/* Whether the first dimension of TYPE is `?`; TYPE may be NULL. */
bool type_grows(const struct ast *type);
/* Whether a thing of this type can be called, as far as the type says. */
bool type_callable(const struct checker *c, const struct ast *type);

/* check_layouts.c: the layout, if there is one, of NODE (DECL, PARAM, RESULT, STATE), whose type
   has been checked. */
void check_layout(struct checker *c, struct ast *node, enum role role);

/* check_expressions.c */
void check_expr(struct checker *c, struct ast *e);
/* The subscripts of an INDEX whose object, if it is a NAME, is bound to BASE (or NULL). */
void check_subscripts(struct checker *c, struct ast *index, struct binding *base);

/* check_statements.c */
void check_block(struct checker *c, struct ast *block);
void check_scoped_block(struct checker *c, struct ast *block);
void check_if(struct checker *c, struct ast *node);
void check_statement(struct checker *c, struct ast *s);
/* Collects the names that the statements of a script assign. */
void collect_variables(struct checker *c, const struct ast *s);

/* Collects the names that a layer binds, for messages. */
void collect_members(struct checker *c, const struct ast *body);

/* check_gradients.c: GRAD, a definition `grad f`, beside f. */
void check_gradient(struct checker *c, const struct ast *grad);

/* check_calls.c */
/* Whether ARG of a call is `attrs = m` of a rewrite. */
bool is_attributes(const struct checker *c, const struct ast *arg);
void check_call(struct checker *c, struct ast *call);
void check_pipe(struct checker *c, struct ast *pipe);
/* `compile F(ENTRIES)`. */
void check_compile(struct checker *c, struct ast *s);
/* What follows `~`: a function or a call that eval completes with shape and element type. */
void check_initializer(struct checker *c, struct ast *init);

/* check_rewrites.c */
void check_rewrite(struct checker *c, struct ast *rewrite);

/* check_ranges.c */
void range_begin(struct checker *c, struct binding *index, struct ast *iter, uint32_t before);
void range_offer(struct checker *c, struct binding *index, const struct binding *base,
                 const struct ast *subset, uint32_t position);
void range_settle(struct checker *c, struct binding *index);

/* check_fills.c */
void check_write(struct checker *c, struct ast *target, int resolution);
bool is_writable(const struct binding *b);
void report_read_only(struct checker *c, const struct binding *b, struct span span);
void fill_write(struct binding *b, int resolution);
void fill_settle(struct checker *c, struct binding *b);

#endif
