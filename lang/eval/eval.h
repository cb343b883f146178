/* The evaluator: one walk of the syntax tree for script statements and for elaboration.
   It knows names, static values, calls and their shapes, broadcasts, layers, and says everything
   that concerns tensors with five verbs: declare a container, read an element, write an element,
   apply a scalar operator, run a body for each index (struct eval_ops). Whoever supplies the verbs
   decides what that means: backends/ref does it, compiler/lower writes it down as a graph. It knows
   nothing of graphs.

   Tensor form is defined by the explicit form: `a + b` on tensors is a map that reads both, adds,
   and writes a new container. */
#ifndef DCL_LANG_EVAL_EVAL_H
#define DCL_LANG_EVAL_EVAL_H

#include "lang/base/diag.h"
#include "lang/eval/value.h"

struct eval;

/* The call of a function with a gradient of its own, see own_gradients.c. */
struct grad_call {
    const struct function *grad;
    struct span span;
    uint32_t nin, nout;
    struct name *in_name, *out_name;
    struct value *in;    /* arguments; float tensors among them are containers */
    struct tensor **out; /* results */
};

/* An index of a map or loop as evaluated. */
struct eval_range {
    struct name name;
    struct value lo, hi, step; /* INT or SYM */
    enum schedule schedule;
    uint32_t factor;
    struct span span;
};

/* Runs once per iteration (or once in all, with symbolic INDEX values, of n integers). */
typedef bool eval_body(void *data, const struct value *index);

/* All verbs return false when the evaluation cannot go on; they have then added an error to the
   evaluator's diags (or the host knows the reason, as with an interrupt). */
struct eval_ops {
    /* A new container in the current scope; T->impl and id are for the host to set. FILL is NULL
       (unwritten) or a scalar of the container's type; what T->layout has beyond the shape is 0.
       RESULT: it is a result of the call that is being evaluated. STORAGE as written. */
    bool (*container)(void *host, struct tensor *t, enum storage storage, const struct value *fill);
    /* A container that starts before the branch that is written now, for its value. */
    bool (*before)(void *host, struct tensor *t, const struct value *fill);
    /* *OUT = t[at]; AT has t->real_rank integers. OTHER (may be NULL): the value outside. */
    bool (*read)(void *host, const struct tensor *t, const struct value *at,
                 const struct value *other, struct span span, struct value *out);
    /* v >> t[at] (r); DROP: outside is ignored. V is a SCALAR of the tensor's type. */
    bool (*write)(void *host, const struct tensor *t, const struct value *at, struct value v,
                  enum resolution r, bool drop, struct span span);
    /* T, the result of a call that is declared at SPAN, gets no more. May be NULL. */
    void (*complete)(void *host, const struct tensor *t, struct span span);
    /* *OUT = op(args), all SCALARs of one type (select: the first is bool). */
    bool (*scalar)(void *host, enum scalar_op op, const struct value *args, struct span span,
                   struct value *out);
    bool (*cast)(void *host, enum dtype to, const struct value *v, struct span span,
                 struct value *out);
    /* A SCALAR of type T from a static number, bool or symbolic integer. */
    bool (*constant)(void *host, enum dtype t, const struct value *v, struct span span,
                     struct value *out);
    /* An INT or SYM from an integer SCALAR, for subscripts and ranges. */
    bool (*integer)(void *host, const struct value *scalar, struct span span, struct value *out);
    /* Names a scalar: the host may give it a node of its own. FROM is the expression, so that the
       host knows a read that was made for this name alone. */
    bool (*let)(void *host, struct name n, struct value *v, struct span from);
    /* A scalar becomes the parameter N: it may be used many times, and is computed once. */
    bool (*share)(void *host, struct name n, struct value *v, struct span span);
    /* Names a tensor that was just made (a hint). */
    void (*hint)(void *host, struct tensor *t, struct name n);
    /* Maps: iterations in any order. Loops: in order. */
    bool (*map)(void *host, uint32_t n, const struct eval_range *r, bool unique, struct span span,
                eval_body *body, void *data);
    bool (*loop)(void *host, const struct eval_range *r, struct span span, eval_body *body,
                 void *data);
    /* BODY as long as CONDITION, a bool without dimensions, is true before a turn. */
    bool (*repeat)(void *host, const struct tensor *condition, struct span span, eval_body *body,
                   void *data);
    /* CONDITION is a bool SCALAR. OTHERWISE may do nothing. */
    bool (*branch)(void *host, const struct value *condition, struct span span, eval_body *then,
                   eval_body *otherwise, void *data);
    /* For hosts that run one side of a branch: evaluates the other SIDE for the types in it.
       Nothing that it does has an effect, and what goes wrong is no error. */
    void (*imagine)(void *host, eval_body *side, void *data);
    /* What must hold when the function is called, and is not decided by symbols alone. */
    bool (*require)(void *host, const struct value *condition, const char *text, struct span span);
    /* The tensor of a layer's state. */
    bool (*state)(void *host, struct state *s, struct value *out);
    /* OUT[i] = the gradient of LOSS (a float tensor of one element) by WRT[i], and whether LOSS
       DEPENDS[i] on it at all. */
    bool (*gradient)(void *host, const struct tensor *loss, uint32_t n, struct tensor *const *wrt,
                     struct tensor **out, bool *depends, struct span span);
    /* What is written down between the two is kept apart, and its reverse is eval_grad(CALL); NULL:
       the evaluation has failed. False, without an error, in the body of a map, loop or branch;
       without the verb, always. */
    bool (*keep_begin)(void *host);
    void (*keep_end)(void *host, struct grad_call *call);
    /* From now on T, the tensor of a state, may be written. NULL: nothing is to be done. */
    bool (*writable)(void *host, struct tensor *t, struct span span);
    /* A state has been declared by a new instance: make and initialise it. Script only; NULL: an
       error. */
    bool (*new_state)(void *host, struct state *s, const struct value *init, struct span span);
    /* States have types only: how they start is not evaluated, and new_state not asked for. */
    bool stateless;
    /* A tensor of the script that is used inside: gives the tensor to use. */
    bool (*import)(void *host, const struct value *v, struct value *out);
    /* A tensor of the script for the N numbers AT, row-major, of type T and static DIMS. *MADE:
       false where there is none, as in a function that is compiled alone. NULL: never. */
    bool (*numbers)(void *host, enum dtype t, uint32_t rank, const int64_t *dims, int64_t n,
                    const union scalar *at, struct span span, struct value *out, bool *made);
    /* Makes V (tensors in it) concrete: runs what has been written down. Script only; NULL: an
       error. */
    bool (*concrete)(void *host, struct value *v, struct span span);
    /* A call of FN by a statement of the script, not by another call. *DONE: the host has run it,
       and *OUT is what it gives, as the script's data. May be NULL. */
    bool (*call)(void *host, const struct function *fn, uint32_t nargs, const struct value *args,
                 const struct name *keywords, struct span span, struct value *out, bool *done);
    /* A call of the function FN, no method, wherever it stands; tensors among ARGS are the host's.
       *DONE: the host knows what it gives without evaluating its body, and *OUT is that. May be
       NULL. */
    bool (*replace)(void *host, const struct function *fn, uint32_t nargs, const struct value *args,
                    const struct name *keywords, struct span span, struct value *out, bool *done);
    /* Calls a builtin of the host; NULL if it has none. */
    bool (*builtin)(void *host, struct name n, uint32_t nargs, const struct value *args,
                    const struct name *keywords, struct span span, struct value *out);
    /* Whether the host has a builtin N; NULL: none. */
    bool (*has_builtin)(void *host, struct name n);
};

/* A call that is being evaluated, and those around it. */
struct calling {
    const struct calling *outer;
    const struct module *module; /* of what is called */
    struct name name;
    struct span span;                /* of the call */
    struct span def;                 /* of the definition that is called */
    const struct rewrite_use *rules; /* that have been applied to its body, the last first */
    const struct instance *self;     /* of a method */
};

struct eval {
    struct arena *arena; /* of the unit */
    struct names *names;
    struct sym_ctx *syms;
    struct sym_facts *facts; /* what is known of symbols; may be NULL */
    struct diags *diags;
    const struct eval_ops *ops;
    void *host;
    const struct module *prelude;
    uint32_t vector_bytes, vector_registers; /* of the target: lanes(dtype), registers() */
    uint64_t next_id;                        /* of instances and states */
    uint32_t depth;                          /* nested calls now */
    const struct calling *frame;             /* the innermost of them; NULL outside */
    struct name fn_name;                     /* for messages: the function being called */
    bool returned;                           /* a `return` has run in the current call */
    struct value result;
    bool training; /* inside what is minimized */
    bool plain;    /* the host gives containers no layouts, which no meaning hangs on */
    bool runs;     /* the host runs what is evaluated, and tells of subscripts that are outside */
    bool outside_told; /* also of x[-1] */
    uint32_t takes;    /* calls and expressions around whose text takes a gradient */
    bool reversed;     /* the host takes a gradient of what is evaluated now */
    bool defining; /* the host wants definitions as such, not fast versions: `derived` is true */
    /* Not 0: the user wants to stop; NULL: nobody asks. */
    const volatile int *stop;
    /* Told of each call of a function that has ended well: its scope, what it gave. NULL: nobody
       listens. */
    void (*called)(void *listener, const struct function *fn, struct env *env,
                   const struct value *results);
    void *listener;
    uint64_t steps; /* expressions evaluated so far */
    uint64_t most;  /* of them; 0: any number, for a host whose programs run while evaluated */
};

#define EVAL_MAX_DEPTH 200     /* nested calls */
#define EVAL_MAX_RANK 16       /* dimensions of a tensor */
#define EVAL_MAX_LIST 1000000  /* elements of a list, bytes of a string */
#define EVAL_MAX_STEPS 5000000 /* expressions of one elaboration */

/* Names that eval uses itself, whether or not the host has more: operators, dtypes, inf, len,
   ... */
bool eval_is_builtin(struct names *names, struct name n);
/* How the function NAME of builtin.def is called and what it gives; false if it is none. */
bool eval_builtin_doc(const char *name, const char **usage, const char **doc);
/* Calls F for these and the scalar functions. */
void eval_each_builtin(void (*f)(void *data, const char *name), void *data);

/* advice.c: help for D, where V stands and a truth value is wanted. */
void advise_truth(struct diags *diags, struct diag *d, const struct value *v);

/* One expression. */
bool eval_expr(struct eval *ev, struct env *env, const struct ast *e, struct value *out);
/* One statement; *OUT its value if it is an expression. */
bool eval_statement(struct eval *ev, struct env *env, const struct ast *s, struct value *out);
/* N = V in the script's scope ENV. */
bool eval_set_variable(struct eval *ev, struct env *env, struct name n, struct value v,
                       struct span span);
/* Calls FN with values. KEYWORDS[i] is none for a positional argument. */
bool eval_call(struct eval *ev, const struct value *callee, uint32_t nargs,
               const struct value *args, const struct name *keywords, struct span span,
               struct value *out);

/* For a host that calls a function whose arguments are known by type only: binds the parameters of
   FN to ARGS (one per parameter, static ones evaluated) and runs it, as eval_call does. The results
   come as one value (a tuple if there are several); RESULT_NAMES[i] are their names or none. */
/* Whether an argument for PARAM, of a function of module M, is known while it is elaborated. */
bool eval_param_is_static(struct eval *ev, const struct module *m, const struct ast *param);
uint32_t fn_result_count(const struct ast *fn);
struct name fn_result_name(const struct ast *fn, uint32_t k);

/* Calls C's gradient function: DOUT[k] is the adjoint of result k (NULL: it has none); DIN[i], NULL
   where none is wanted, gets what is due to argument i added. */
bool eval_grad(struct eval *ev, const struct grad_call *c, struct tensor *const *dout,
               struct tensor *const *din);

/* Dimensions and integers: INT where both are, else SYM. */
struct sym value_sym(struct eval *ev, const struct value *v);
struct value value_from_sym(struct eval *ev, struct sym s);
enum int_op { INT_ADD, INT_SUB, INT_MUL, INT_FLOORDIV, INT_MOD, INT_MIN, INT_MAX };
struct value int_op(struct eval *ev, enum int_op op, const struct value *a, const struct value *b);
/* Whether a T may be given as the static number or truth value V; if not, told of WHAT. */
bool number_fits(struct eval *ev, enum dtype t, const struct value *v, const char *what,
                 struct span span);
/* 1 equal, 0 different, -1 not decided. */
int int_equal(struct eval *ev, const struct value *a, const struct value *b);

/* A tensor of RANK dimensions DIMS in the evaluator's arena; the host sets impl and id. */
struct tensor *tensor_of(struct eval *ev, enum dtype t, uint32_t rank, const struct value *dims,
                         struct span span);
/* The size of part K of a tensor whose sizes are DIMS in the layout L, and the part of the index
   AT. */
struct value layout_size(struct eval *ev, const struct layout *l, uint32_t k,
                         const struct value *dims);
struct value layout_index(struct eval *ev, const struct layout *l, uint32_t k,
                          const struct value *at);
bool layout_equal(const struct layout *x, const struct layout *y);
/* The real indices of virtual indices AT into REAL (room for EVAL_MAX_RANK). */
void real_indices(struct eval *ev, const struct tensor *t, const struct value *at,
                  struct value *real);

/* Printing for messages: `f32[B, 784]`, `[1, 2]`, ... */
void value_print(struct eval *ev, const struct value *v, struct buf *out);
const char *type_text(struct eval *ev, const struct tensor *t);

#endif
