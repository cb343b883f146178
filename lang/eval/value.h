/* Values of the evaluator: static ones (numbers, strings, lists, functions, layers), which are
   known while a function is elaborated, and dynamic ones (tensors, run-time scalars), whose content
   belongs to whoever runs or compiles them (struct eval_ops). Symbolic integers stand between: a
   dimension or an index that is known only as an expression. */
#ifndef DCL_LANG_EVAL_VALUE_H
#define DCL_LANG_EVAL_VALUE_H

#include "lang/ast/ast.h"
#include "lang/base/buf.h"
#include "lang/check/module.h"
#include "lang/scalar/scalar.h"
#include "lang/sym/sym.h"

enum value_kind {
    VAL_NONE,     /* no value: a statement */
    VAL_ABSENT,   /* `none`: an optional argument that is not given */
    VAL_INT,      /* static integer */
    VAL_SYM,      /* integer that is known as a symbolic expression */
    VAL_FLOAT,    /* static number; takes the element type that it meets */
    VAL_BOOL,     /* static truth value */
    VAL_STR,      /* text */
    VAL_DTYPE,    /* element type */
    VAL_LIST,     /* list or tuple of values */
    VAL_PACK,     /* *S: a list of dimensions; *b: a list of indices */
    VAL_FN,       /* function, with its module; method, with its instance */
    VAL_LAYER,    /* layer definition */
    VAL_INSTANCE, /* instance of a layer */
    VAL_BUILTIN,  /* a function of the evaluator's host, by name */
    VAL_SCALAR,   /* run-time scalar of type dtype */
    VAL_TENSOR,   /* tensor */
    VAL_STATE,    /* a layer's param: becomes a TENSOR where it is used */
    VAL_COUNT
};

struct value {
    enum value_kind kind;
    enum dtype dtype; /* DTYPE, SCALAR */
    bool weak;        /* SCALAR: made of static numbers; takes the element type that it meets */
    bool tuple;       /* LIST: written with parentheses or several results */
    uint32_t place;   /* SCALAR: of an evaluator that runs, see backends/ref/gradient.c */
    bool wrapped;     /* INT: a part of what it was computed of left 64 bits, so it is no size */
    union {
        int64_t i;
        double f;
        bool b;
        struct sym sym;
        struct name str; /* STR, BUILTIN */
        struct value_list *list;
        struct function *fn;
        struct layer *layer;
        struct instance *instance;
        struct tensor *tensor;
        struct state *state;
        union scalar scalar; /* SCALAR of an evaluator that runs */
        const void *expr;    /* SCALAR of one that compiles */
    };
};

struct value_list {
    uint32_t n;
    struct value *at;
    /* Gradients: the dotted name of each from what they were taken over, "blocks.0.W"; else NULL.
       Such a list has members, and arithmetic goes through it. */
    struct name *path;
};

struct function {
    const struct ast *def; /* AST_FN */
    const struct module *module;
    struct instance *self; /* method: its instance; else NULL */
};

struct layer {
    const struct ast *def; /* AST_LAYER */
    const struct module *module;
};

/* How a container lies in memory: row-major over PARTS, each a part of one of its dimensions, index
   // DIVISOR % MODULUS (0: none). All parts of a dimension together give each index one place. */
struct layout_part {
    uint32_t dim;
    int64_t divisor, modulus;
};
struct layout {
    uint32_t n;
    struct layout_part part[16]; /* EVAL_MAX_RANK */
};

/* A tensor that belongs to an instance: `param W: f32[..] ~ init`, or a buffer. */
struct state {
    bool buffer;      /* not trained; methods of its layer write it */
    struct name path; /* dotted, from the outermost instance: "blocks.0.conv1.W" */
    enum dtype dtype;
    uint32_t rank;
    int64_t *dims;
    const struct layout *layout; /* NULL: row-major */
    uint32_t nstored;
    int64_t *stored;       /* nstored sizes: as it lies in memory; DIMS without a layout */
    const struct ast *def; /* AST_STATE */
    struct instance *owner;
    void *data;  /* of the host: the tensor's memory */
    uint64_t id; /* unique in the session */
};

/* A state that an instance had by a former definition and that fitted no later one. */
struct aside {
    struct name name; /* dotted, from the instance on */
    struct state *state;
};

struct instance {
    struct layer *layer;
    struct name path;           /* "" for an instance at the top */
    struct env *env;            /* layer parameters, members */
    VEC(struct state *) states; /* own ones, in order; those of members are theirs */
    VEC(struct aside) aside;    /* oldest first */
    uint64_t id;
};

/* What a tensor is of container OF, per dimension of OF: from LO in steps of STEP, COUNT of them;
   or at LO alone, where FIXED. */
struct part {
    const struct tensor *of;
    const struct value *lo, *step, *count;
    const bool *fixed;
};

/* A tensor seen through a broadcast: `rank` virtual dimensions; map[d] is the real dimension or -1
   where the index is dropped, unit[d] that the real dimension is 1 and its index 0. */
struct tensor {
    enum dtype dtype;
    uint32_t rank;
    struct value *dims; /* rank of them: INT or SYM */
    struct name name;   /* what the user calls it, for messages; may be none */
    bool inner;         /* NAME is one of a function that it has left */
    struct span span;   /* where it was made */
    bool container;     /* can be written (declared, result, inout): naming it copies */
    bool read_only;     /* parameter */
    bool carried;       /* stands for a value that a loop or branch rebinds */
    bool live;          /* another name for what can still be written: a parameter that a caller
                           gave its container for, a state. To keep its content, copy it. */
    uint32_t real_rank;
    int32_t *map; /* NULL: virtual dimensions are the real ones */
    bool *unit;
    const struct layout *layout; /* of the real dimensions; NULL: row-major */
    const struct value *laid;    /* with a layout: the sizes of the real dimensions */
    const struct part *part; /* it is a part of another container, to whose virtual dimensions MAP
                                leads (parts.c); else NULL */
    bool data;            /* of the script: IMPL is its memory; used inside by way of ops->import */
    struct tensor *from;  /* what it was imported from, NULL if it was not; of the script's: the
                            variable's own, of which this one knows sizes as symbols */
    struct state *state;  /* the layer's state that it is, or NULL */
    struct tensor *count; /* it grows, and this is how many rows it has: Note [growing containers]
                             (grows.c); else NULL */
    bool appended;        /* some append to it has been evaluated */
    void *impl;           /* of the host */
    uint32_t id;          /* of the host */
};

/* What T is called where it is used, for messages; may be none. */
static inline struct name tensor_called(const struct tensor *t) {
    return t->inner ? (struct name){0} : t->name;
}
const char *value_kind_name(const struct value *v); /* "a tensor", "a number", ... */
static inline struct value value_none(void) {
    return (struct value){.kind = VAL_NONE, .dtype = DT_NONE};
}
/* The static number or truth value V as an element of type T. */
static inline union scalar value_as(enum dtype t, const struct value *v) {
    return v->kind == VAL_BOOL  ? (union scalar){.b = v->b}
           : v->kind == VAL_INT ? scalar_from_i64(t, v->i)
                                : scalar_from_f64(t, v->f);
}
static inline struct value value_int(int64_t i) {
    return (struct value){.kind = VAL_INT, .dtype = DT_NONE, .i = i};
}
static inline struct value value_float(double f) {
    return (struct value){.kind = VAL_FLOAT, .dtype = DT_NONE, .f = f};
}
static inline struct value value_bool(bool b) {
    return (struct value){.kind = VAL_BOOL, .dtype = DT_NONE, .b = b};
}
static inline struct value value_str(struct name s) {
    return (struct value){.kind = VAL_STR, .dtype = DT_NONE, .str = s};
}
static inline struct value value_dtype(enum dtype t) {
    return (struct value){.kind = VAL_DTYPE, .dtype = t};
}
static inline struct value value_tensor(struct tensor *t) {
    return (struct value){.kind = VAL_TENSOR, .dtype = t->dtype, .tensor = t};
}
static inline bool value_is_integer(const struct value *v) {
    return v->kind == VAL_INT || v->kind == VAL_SYM;
}
static inline bool value_is_number(const struct value *v) {
    return v->kind == VAL_INT || v->kind == VAL_SYM || v->kind == VAL_FLOAT;
}
static inline bool value_is_scalar(const struct value *v) {
    return value_is_number(v) || v->kind == VAL_BOOL || v->kind == VAL_SCALAR;
}

/* A list of N values in arena A (kind LIST or PACK). */
struct value value_list_new(struct arena *a, enum value_kind kind, uint32_t n);

/* Scopes. A chain from the innermost block to the function, the instance, the module. */
enum env_kind {
    ENV_BLOCK,
    ENV_MAP,      /* a map's body: names outside may not be rebound */
    ENV_FUNCTION, /* parameters, dimensions; the chain of names ends here, but for the instance's */
    ENV_INSTANCE, /* parameters and members of a layer's instance */
    ENV_SCRIPT    /* variables of a session */
};

struct binding {
    struct name name;
    struct value value;
    struct span span;
};

struct env {
    enum env_kind kind;
    struct env *parent;
    const struct module *module;
    struct map index; /* name.i -> position in bindings */
    VEC(struct binding) bindings;
    uint32_t growing; /* bindings that are growing containers */
    struct arena *arena;
};

struct env *env_new(struct arena *a, enum env_kind kind, struct env *parent,
                    const struct module *module);
/* The nearest binding of N, NULL if none; *WHERE (may be NULL) the scope it stands in. */
struct binding *env_find(struct env *e, struct name n, struct env **where);
/* Binds N in E itself (replacing a binding of E). */
void env_bind(struct env *e, struct name n, struct value v, struct span span);
/* Leaves of the bindings the first N. */
void env_cut(struct env *e, uint32_t n);

#endif
