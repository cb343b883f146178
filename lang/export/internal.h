/* What the files of lang/export share. */
#ifndef DCL_LANG_EXPORT_INTERNAL_H
#define DCL_LANG_EXPORT_INTERNAL_H

#include "lang/base/buf.h"
#include "lang/base/map.h"
#include "lang/base/vec.h"
#include "lang/export/export.h"

/* A value of the model: an input, an initializer, or what a node gives. */
struct val {
    const char *name;                 /* NULL until it is written */
    struct name hint;                 /* what the program calls it, or none */
    uint32_t id;                      /* its position in struct export's vals */
    struct made *by;                  /* NULL: no node makes it */
    const struct wire_tensor *weight; /* an initializer; its name is the value's */
    bool input, used;
    bool shaped; /* what follows is known: */
    enum dtype type;
    uint32_t rank;
    const struct value *dims;
};

/* A node. */
struct made {
    const char *op, *domain;
    const char *scope; /* of the instance that it belongs to: /blocks.0/conv */
    uint32_t n;
    struct val **in; /* NULL: left out */
    VEC(struct wire_attribute *) attributes;
    struct value said; /* the attributes as the row said them */
    VEC(struct val *) out;
    bool used;
};

/* A direction of the tensors that a computation goes over: an index of a map, or a dimension of a
   container. Of two, the one with the smaller id is the outer one. */
struct axis {
    uint32_t id;
    struct name atom; /* of the index, which counts from 0 in steps of 1 */
    struct value count;
};

enum { LAZY_RANK = 2 * EVAL_MAX_RANK };

/* A scalar for each place on some axes: a number, a value of the model whose dimensions are these
   axes, or a product of two of them that has not been taken yet, since a sum over it may be one
   node with it. Where an axis is missing it is the same all along it. */
struct lazy {
    enum dtype type;
    bool constant;
    union scalar number;
    struct val *val;
    uint32_t rank;
    const struct axis *axis[LAZY_RANK]; /* of VAL's dimensions; NULL: one of size 1 */
    const struct lazy *left, *right;
    struct name size; /* of an input, which this number is, or with EQUALS is EQUAL; or none */
    bool equals;
    int64_t equal;
};

/* A container: what it holds now, over the axes of the maps around its declaration and its own. */
struct cont {
    enum dtype type;
    uint32_t around, rank; /* maps' axes around, own ones */
    const struct axis *own[EVAL_MAX_RANK];
    const struct lazy *now; /* NULL: unwritten */
    bool fixed;             /* an input, a weight */
    struct span span;
};

/* What a name in a symbolic integer is. */
struct meaning {
    const struct axis *axis;  /* an index */
    const struct lazy *found; /* an integer that the run finds */
    struct val *of;           /* a size: dimension DIM of this input; DIM < 0: the input itself */
    int32_t dim;
};

/* A node or initializer that exists, by what makes it. */
struct known {
    uint64_t hash;
    const char *key;
    size_t n;
    struct val *val;
    uint32_t next; /* 1 + the next of this hash */
};

struct taken {
    struct val *val;
    enum dtype type;
    uint32_t rank;
    const struct value *dims;
    struct tensor *written; /* NULL: it is not inout */
};

/* A size that is one number wherever the function does not fail. */
struct fixed_size {
    struct name name;
    int64_t size;
};

struct problem {
    struct span span;
    const char *text, *help; /* NULL: none */
};

struct export {
    struct arena *arena;
    struct eval ev;
    struct export_order order;
    VEC(struct val *) vals;
    VEC(struct taken) inputs;
    VEC(struct made *) nodes;
    VEC(struct cont *) conts;
    VEC(const struct axis *) nest; /* of the maps around what is evaluated now */
    VEC(struct meaning) meanings;
    struct map meaning_of; /* name.i -> 1 + index into meanings */
    VEC(struct known) known;
    struct map by_hash;
    struct map states, imports;   /* pointer -> struct tensor * */
    struct map names, node_names; /* that are taken: hash -> 1 */
    VEC(struct problem) problems;
    VEC(struct fixed_size) fixed;
    const struct lazy *mask; /* where writes count; NULL: everywhere */
    uint32_t branches;       /* around, which MASK is of; */
    VEC(struct sym) limits;  /* ... and of ranges that hang on outer indices: these are >= 0 */
    uint32_t symbols;
    uint32_t axes;
    uint32_t muted; /* evaluations for shapes only around */
};

/* problems */
/* ONNX has no way to say what stands at SPAN; told when all is done. */
void export_refuse(struct export *x, struct span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, of what would be known were the sizes that S hangs on. */
void export_refuse_open(struct export *x, struct span span, struct sym s, const char *text);

/* A mistake of the export's own: the model would be none. */
void export_broken(struct export *x, const char *text);

/* model.c: nodes and initializers; equal ones are one. */
struct val *model_val(struct export *x);
/* Output OUT of the node OP; IN[i] may be NULL. */
struct val *model_node(struct export *x, const char *op, const char *domain, uint32_t n,
                       struct val *const *in, uint32_t nattributes,
                       struct wire_attribute *const *attributes, uint32_t out);
/* A tensor of numbers that is in the model; the bytes stay. NAME: of a weight, else NULL. */
struct val *model_weight(struct export *x, const char *name, enum dtype t, uint32_t rank,
                         const int64_t *dims, const void *bytes);

/* rows.c: what stands in DCL. */
/* The value that the row PREFIX_NAME says for VALS, static arguments by name. NULL, told, if there
   is none. */
struct row_static {
    const char *name;
    struct value value;
};
struct val *row_call(struct export *x, const char *prefix, const char *name, uint32_t n,
                     struct val *const *vals, uint32_t nstatics, const struct row_static *statics,
                     enum dtype type, struct span span);
/* The verb `replace`: a function of the library that has a row. */
bool row_replace(void *host, const struct function *fn, uint32_t nargs, const struct value *args,
                 const struct name *keywords, struct span span, struct value *out, bool *done);

/* The row NAME, or NULL. */
const struct ast *row_named(struct export *x, const char *name);
/* What ROW makes of the N values at IN; NULL if it makes nothing of them. */
struct val *row_fold(struct export *x, const struct ast *row, uint32_t n, const struct value *in);
/* V for a row: a tensor, if its shape is known. */
struct value row_value(struct export *x, struct val *v);

/* What is done to whole tensors, each a row in DCL. */
enum move {
#define MOVE(name, ...) MOVE_##name,
#include "lang/export/export.def"
    MOVE_COUNT
};
struct val *row_move(struct export *x, enum move m, uint32_t n, struct val *const *vals,
                     uint32_t nstatics, const struct row_static *statics, enum dtype type);
/* N values one after the other along AXIS. */
struct val *row_join(struct export *x, uint32_t n, struct val *const *vals, int64_t axis,
                     enum dtype type);
/* A list of integers as a static value. */
struct value row_list(struct export *x, uint32_t n, const int64_t *at);

/* fold.c: nodes that are one with others become that, once all are made, and those that the
   results need are marked. RESULTS are kept what they are. */
void fold_nodes(struct export *x, uint32_t nresults, struct val **results);

/* axes.c: lazy tensors. */
const struct axis *lazy_axis(struct export *x, const struct value *count);
const struct lazy *lazy_number(struct export *x, enum dtype t, union scalar v);
const struct lazy *lazy_int(struct export *x, int64_t v);
const struct lazy *lazy_of(struct export *x, struct val *v, enum dtype t, uint32_t rank,
                           const struct axis *const *axes);
/* With a value; a number stays one. */
const struct lazy *lazy_taken(struct export *x, const struct lazy *l);
bool lazy_has(const struct lazy *l, const struct axis *a);
/* Adds L's axes to the N at AXES (room for LAZY_RANK), in order. */
void lazy_axes(const struct lazy *l, uint32_t *n, const struct axis **axes);
/* L as a value whose dimensions meet those of a tensor with these AXES by NumPy's broadcast. */
struct val *lazy_fit(struct export *x, const struct lazy *l, uint32_t n,
                     const struct axis *const *axes);
/* L as a value with exactly these dimensions. */
struct val *lazy_full(struct export *x, const struct lazy *l, uint32_t n,
                      const struct axis *const *axes);
/* L with B in the place of A. */
const struct lazy *lazy_rename(struct export *x, const struct lazy *l, uint32_t n,
                               const struct axis *const *a, const struct axis *const *b);
const struct lazy *lazy_apply(struct export *x, enum scalar_op op, const struct lazy *const *args,
                              struct span span);
/* OP is FLOORDIV or MOD, of a size or subscript by a number that is not negative. */
const struct lazy *lazy_divide(struct export *x, enum scalar_op op, const struct lazy *const *args,
                               struct span span);
const struct lazy *lazy_cast(struct export *x, enum dtype to, const struct lazy *l);
/* L resolved by R over the N axes at OVER; KEEP: dimensions of size 1 stay. */
const struct lazy *lazy_reduce(struct export *x, enum resolution r, const struct lazy *l,
                               uint32_t n, const struct axis *const *over, bool keep,
                               struct span span);

/* integers.c: symbolic integers as values. */
void integer_mean(struct export *x, struct name n, struct meaning m);
const struct meaning *integer_meaning(const struct export *x, struct name n);
struct name integer_atom(struct export *x);
const struct lazy *integer_lazy(struct export *x, struct sym s, struct span span);
/* Whether S changes along A: as its index, or as what data say there. */
bool integer_over(struct export *x, struct sym s, const struct axis *a);
/* Whether S hangs on nothing but indices that are counted. */
bool integer_counted(struct export *x, struct sym s);
/* The list of integers as a vector of the model. */
struct val *integer_vector(struct export *x, uint32_t n, const struct value *at, struct span span);

/* verbs.c */
extern const struct eval_ops export_verbs;
struct cont *verb_cont(struct export *x, const struct tensor *t);
struct cont *verb_cont_new(struct export *x, struct tensor *t);
bool verb_read(void *host, const struct tensor *t, const struct value *at,
               const struct value *other, struct span span, struct value *out);
bool verb_write(void *host, const struct tensor *t, const struct value *at, struct value v,
                enum resolution r, bool drop, struct span span);
/* T with its dimensions as it is seen. */
struct val *verb_tensor(struct export *x, struct tensor *t, struct span span);
static inline struct value value_lazy(const struct lazy *l) {
    return (struct value){.kind = VAL_SCALAR, .dtype = l->type, .expr = l};
}

/* subscripts.c: what a subscript is. */
enum place_kind {
    PLACE_WHOLE, /* an index that goes over the whole dimension */
    PLACE_UNIT,  /* the one place of a dimension of size 1 */
    PLACE_ONE,   /* one place */
    PLACE_JOINT, /* several indices that make up the dimension */
    PLACE_SLICE, /* an index in steps */
    PLACE_ANY
};
enum { JOINT_MOST = 6 };
struct place {
    enum place_kind kind;
    uint32_t njoint; /* JOINT: the axes, the outermost first */
    const struct axis *joint[JOINT_MOST];
    const struct axis *axis; /* WHOLE, SLICE */
    struct sym at;           /* as it is */
    struct sym first;        /* SLICE */
    int64_t step;
    bool inside; /* proved to be in the dimension */
    bool found;  /* data are in it */
};
/* Whether P goes over A. */
bool place_uses(const struct place *p, const struct axis *a);
struct place subscript_place(struct export *x, const struct value *at, const struct value *size);
/* P for each place, held between 0 and the size if it may leave it and HOLD. *INSIDE, if it is
   wanted, gets where it does not, too. */
const struct lazy *subscript_position(struct export *x, const struct place *p,
                                      const struct value *size, bool hold,
                                      const struct lazy **inside, struct span span);
/* Numbers for each place on the axes of S, which are counted; false if S has others in it. */
bool subscript_table(struct export *x, struct sym s, uint32_t n, const struct axis *const *axes,
                     int64_t *out);

/* joints.c */
/* Whether the subscript P of a dimension of SIZE is a joint of indices; fills P's. */
bool joint_find(struct export *x, struct place *p, const struct value *size);
/* L with the axes of P in the place of the dimension OWN. */
const struct lazy *joint_split(struct export *x, const struct lazy *l, const struct axis *own,
                               const struct place *p);
/* L over N dimensions DIM of a container, of which it has the indices at P; all are UNIT, WHOLE or
   JOINT. */
const struct lazy *joint_merge(struct export *x, const struct lazy *l, uint32_t n,
                               const struct axis *const *dim, const struct place *p);

#endif
