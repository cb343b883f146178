/* Functions as C programs see them: handles, their variants, calls. Shared by functions.c,
   variants.c, calls.c, compiled.c, show.c, work.c, profile.c and export.c. */
#ifndef DCL_SESSION_CALL_H
#define DCL_SESSION_CALL_H

#include "session/state.h"

#define VARIANTS_CONSTANT 2 /* variants of one kind with constant shapes, before symbols */
#define VARIANTS_MOST 16    /* of one kind, if symbols are not possible */

/* A run-time parameter of a function: an argument of dcl_call. */
struct parameter {
    struct name name;
    const struct ast *def;  /* PARAM of the function */
    const struct ast *type; /* TYPE of the signature that was given, or NULL */
    bool integer;           /* a run-time i64: an argument without dimensions */
    bool inout;
};

/* A dimension of an argument of a variant. */
struct variant_dim {
    struct name symbol; /* none: a constant */
    int64_t size;
};

struct variant_arg {
    enum dtype type;
    uint32_t rank;
    struct variant_dim dims[EVAL_MAX_RANK];
};

/* What a variant is compiled for. */
struct variant_key {
    uint32_t nargs;
    struct variant_arg *args;
};

struct variant {
    struct variant *next;
    struct arena *arena;
    struct variant_key key;
    bool constant; /* no dimension is a symbol */
    uint64_t used;
    struct program program;
    struct data **imports; /* per parameter of the graph: data of a script's tensor, or NULL */
};

struct dcl_function {
    struct dcl_session *session;
    struct dcl_function *next;
    struct arena *arena;
    const char *signature;     /* as given: one handle for each */
    const struct ast *callee;  /* expression */
    const struct ast *entries; /* PARAMS of the signature, or NULL */
    const struct ast *given;   /* the same if they give types, so that there is one variant */
    uint64_t generation;       /* of the definitions that what follows belongs to; 0: none */
    struct arena *resolved;    /* what follows lives here */
    struct value value;        /* function or instance */
    struct value statics;      /* list of the static arguments ... */
    struct name *static_names;
    const struct ast *def; /* FN */
    struct parameter *params;
    uint32_t nparams;
    struct variant *variants, *last; /* LAST: the one used last */
    bool stated;   /* by a `compile` of the script: the one variant is for its calls; compiled.c */
    bool holds;    /* ... and they are to use it */
    uint64_t line; /* ... since this line of the REPL */
};

/* functions.c: the handle of SIGNATURE, by a `compile` of the script or not; a new one is empty. */
struct dcl_function *function_handle(struct dcl_session *s, const char *signature, bool stated);
/* The same, resolved; NULL after errors. */
struct dcl_function *function_open(struct dcl_session *s, const char *signature);
/* What the name means now; drops variants of older definitions. What a `compile` was said of it
   keeps: its function in a newer definition, its instance, its static arguments. */
bool function_resolve(struct dcl_function *f);
/* The function that a call of V runs, and its module; NULL if there is none. */
const struct ast *function_called(struct dcl_session *s, const struct value *v,
                                  const struct module **m);
/* The arguments of a call as eval_call takes them: dynamic ones from AT. */
struct function_args {
    uint32_t n;
    struct value *at;
    struct name *keywords;
};
struct function_args function_arguments(struct dcl_function *f, struct arena *a, uint32_t nargs,
                                        const struct value *at);

/* variants.c */
struct shape_of { /* of an argument */
    enum dtype type;
    uint32_t rank;
    const int64_t *dims;
};
/* The variant for arguments of these shapes, compiled if need be. NULL after errors. */
struct variant *variant_for(struct dcl_function *f, uint32_t nargs, const struct shape_of *shapes);
/* The variant of the signature, or for a function without one: the one used last, else one with all
   dimensions as symbols (key only). */
bool variant_key_shown(struct dcl_function *f, struct arena *a, struct variant_key *key);
/* What makes the arguments that a function is evaluated with. */
struct maker {
    void *to;
    struct eval *ev;
    struct value (*dim)(void *to, struct name n);
    struct value (*symbol)(void *to, struct name n); /* an i64 without dimensions */
    bool (*tensor)(void *to, struct name n, enum dtype t, uint32_t rank, const struct value *dims,
                   bool inout, struct value *out);
};
/* The arguments of F for KEY or its signature: variant_argument_count of them. False after errors.
 */
static inline uint32_t variant_argument_count(const struct dcl_function *f,
                                              const struct variant_key *key) {
    return f->given ? f->nparams : key->nargs;
}
bool variant_arguments(struct dcl_function *f, const struct variant_key *key,
                       const struct maker *make, struct value *args);
/* Lowers F for KEY in the unit that is opened here; NULL after errors. */
struct graph *variant_lower(struct dcl_function *f, const struct variant_key *key);
void variants_free(struct dcl_function *f);

#endif
