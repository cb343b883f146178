/* What the files of lang/eval share. */
#ifndef DCL_LANG_EVAL_INTERNAL_H
#define DCL_LANG_EVAL_INTERNAL_H

#include "lang/check/check.h"
#include "lang/eval/eval.h"

/* value.c */
bool value_equal(const struct value *a, const struct value *b);

/* What V is, in a message: the type of what the run computes, the text of a number, else its
   kind. */
const char *value_text(struct eval *ev, const struct value *v);

/* types.c: element type and dimensions of a TYPE in ENV. Dimensions are INT or SYM, NONE
   for `?`. */
bool eval_type(struct eval *ev, struct env *env, const struct ast *type, enum dtype *t,
               uint32_t *rank, struct value **dims);
/* An element type by name in ENV: a dtype or a bound type variable; DT_NONE if it is neither. */
enum dtype type_element(struct eval *ev, struct env *env, struct name n);
/* The element type that numbers alone, whose own is NATURAL, give to the type variable N in a
   function with the conditions WHERE: whole ones are floats where it must be one. */
enum dtype numbers_element(struct eval *ev, const struct ast *where, struct name n,
                           enum dtype natural);
/* Evaluates E to INT or SYM. */
bool eval_integer(struct eval *ev, struct env *env, const struct ast *e, struct value *out);
bool to_integer(struct eval *ev, struct value *v, struct span span);
/* Declares a container with the host. FILL may be NULL. */
struct tensor *declare(struct eval *ev, enum dtype t, uint32_t rank, const struct value *dims,
                       enum storage storage, const struct value *fill, struct name n,
                       struct span span);
/* The same in layout L, if it is not NULL. */
struct tensor *declare_laid(struct eval *ev, enum dtype t, uint32_t rank, const struct value *dims,
                            const struct layout *l, enum storage storage, const struct value *fill,
                            struct name n, struct span span);
/* layouts.c: that of a container of RANK dimensions which NODE declares; NULL for none. False after
   an error. */
bool eval_layout(struct eval *ev, struct env *env, const struct ast *node, uint32_t rank,
                 const struct layout **out);
/* V, what the parameter PARAM is bound to, in the layout that is declared for it. */
bool lay_out_argument(struct eval *ev, struct env *env, const struct ast *param, struct value *v,
                      struct span span);
/* Equal dimensions, or an error by REPORT; undecided ones become a requirement with TEXT. */
enum equal { EQUAL_YES, EQUAL_NO, EQUAL_FAILED };
enum equal require_equal(struct eval *ev, const struct value *a, const struct value *b,
                         const char *text, struct span span);
/* `[2, 3]`, for messages. */
const char *dims_text(struct eval *ev, uint32_t rank, const struct value *dims);
/* The broadcast of *RANK dimensions at *DIMS with more: only a literal 1 gives way. */
bool broadcast_dims(struct eval *ev, const char *what, uint32_t *rank, struct value **dims,
                    uint32_t rank2, const struct value *dims2, struct span span);
/* T seen with the RANK dimensions DIMS to which it broadcasts in its dimensions from POS on, COUNT
   of them (those before and after stay). */
struct tensor *tensor_broadcast(struct eval *ev, struct tensor *t, uint32_t pos, uint32_t count,
                                uint32_t rank, const struct value *dims);

/* scalars.c: operators on anything. */
bool apply_op(struct eval *ev, enum scalar_op op, uint32_t n, struct value *args, struct span span,
              struct value *out);
bool apply_cast(struct eval *ev, enum dtype t, struct value *v, struct span span,
                struct value *out);
/* V as a SCALAR of type T: numbers convert, rank-0 tensors are read, other types are an error that
   names WHAT. */
bool to_scalar(struct eval *ev, enum dtype t, struct value *v, const char *what, struct span span);
/* Reads tensors without dimensions; others and all other values stay. */
bool read_if_scalar(struct eval *ev, struct value *v, struct span span);
enum scalar_op binary_scalar(int aop);

/* subsets.c */
/* Runs BODY for each element of a tensor of these dimensions, in a map. */
bool map_elements(struct eval *ev, uint32_t rank, const struct value *dims, struct span span,
                  eval_body *body, void *data);
struct block { /* a strided box of a tensor */
    struct tensor *tensor;
    struct value *lo, *step; /* per virtual dimension */
    struct value *count;     /* NONE where the subscript is an index: the dimension is dropped */
    uint32_t kept;           /* dimensions that are not dropped */
    bool has_other, drop;
    struct value other;
    struct span span;
    bool declared; /* what is written is what its declaration says */
};
/* OBJECT[..] of an INDEX, or a whole tensor of a NAME. */
bool eval_block(struct eval *ev, struct env *env, const struct ast *e, struct block *b);
/* The same for E, an INDEX, of OBJECT. */
bool eval_subset(struct eval *ev, struct env *env, const struct ast *e, struct value object,
                 struct block *b);
bool block_is_element(const struct block *b);
bool block_read(struct eval *ev, const struct block *b, struct value *out);
/* Writes V (a scalar for all elements, or a tensor of the block's kept dimensions, or another
   block) into B. */
bool block_write(struct eval *ev, const struct block *b, struct value v, enum resolution r);
bool block_copy(struct eval *ev, const struct block *to, const struct block *from,
                enum resolution r);
/* Naming it copies. */
static inline bool can_change(const struct tensor *t) {
    return t->container || t->live;
}
/* Two names for one container. */
bool same_storage(const struct tensor *s, const struct tensor *t);
struct block block_whole(struct eval *ev, struct tensor *t, struct span span);
/* A fresh container with the content of V. */
bool tensor_copy(struct eval *ev, struct tensor *t, struct name n, struct span span,
                 struct value *out);

/* Writes to each element of B what BY, a function, makes of the element and V. */
bool block_resolve(struct eval *ev, const struct block *b, struct value v, const struct value *by);

/* optional.c: verbs that a host may leave out (eval.h). */
bool host_concrete(struct eval *ev, struct value *v, struct span span);
bool host_new_state(struct eval *ev, struct state *s, const struct value *init, struct span span);
bool host_keep_begin(struct eval *ev);
bool host_writable(struct eval *ev, struct tensor *t, struct span span);
bool host_has_builtin(struct eval *ev, struct name n);

/* lists.c: */
/* V is a list that can be a tensor: Note [lists as tensors] there. */
bool stands_for_tensor(const struct value *v);
/* The element type of such a list: that of its elements; of numbers alone NUMBERS, if it is NONE
   f32, or i64 if all are whole. */
enum dtype list_element(const struct value *v, enum dtype numbers);
/* Makes tensors of the lists among the N operands of OP, if one is a tensor with dimensions. */
bool lists_beside(struct eval *ev, enum scalar_op op, uint32_t n, struct value *args,
                  struct span span);
/* V, such a list, as a fresh tensor N of the element type T. */
bool list_tensor(struct eval *ev, enum dtype t, struct name n, struct span span, struct value *v);

/* parts.c: */
/* E, an argument of an inout parameter: a part of a container is it without a copy. */
bool eval_part(struct eval *ev, struct env *env, const struct ast *e, struct value *out);
/* Whether S and T, of the same container, are parts that are proved to have nothing in common. */
bool parts_apart(struct eval *ev, const struct tensor *s, const struct tensor *t);

/* grows.c: see Note [growing containers] there. */
/* N in ENV is a container of the type T whose first dimension grows; DIMS[0] is not looked at. */
bool grow_declare(struct eval *ev, struct env *env, enum dtype t, uint32_t rank,
                  const struct value *dims, struct name n, struct span span);
/* Appends a row, of which nothing is written yet, to Y. */
bool grow_row(struct eval *ev, struct tensor *y, struct span span, struct value *row);
/* Completes the containers of ENV to which no statement of BLOCK (NULL: none) from FROM on appends.
 */
bool grow_settle(struct eval *ev, struct env *env, const struct ast *block, uint32_t from);
/* E is an INDEX whose first subscript is `?`. */
bool is_append(const struct ast *e);
/* Whether V, called N, still grows: an error then. */
bool still_grows(struct eval *ev, const struct value *v, struct name n, struct span span);

/* order.c: see Note [maps in order] there. */
/* By number of the index of MAP, whether it runs in order. */
bool *map_order(struct eval *ev, struct env *env, const struct ast *map);
/* The verb map over N ranges, of which those that are IN_ORDER are loops. */
bool map_ordered(struct eval *ev, uint32_t n, const struct eval_range *r, const bool *in_order,
                 bool unique, struct span span, eval_body *body, void *data);

/* expressions.c: a tensor of the script, as it is used inside. */
bool bring(struct eval *ev, struct value *v);
/* The LIST or PACK of a SPREAD. */
bool eval_spread(struct eval *ev, struct env *env, const struct ast *e, struct value *list);
/* The tensor of a layer's state. */
bool bring_state(struct eval *ev, struct state *s, struct value *out);

/* T as it may be written, if it is a buffer. */
struct tensor *written_buffer(struct eval *ev, struct tensor *t);
/* What V holds now, if it is a buffer: a value. */
bool copy_buffer(struct eval *ev, struct value *v, struct span span);
/* The same before AFTER is evaluated, which may write it. */
bool hold_buffer(struct eval *ev, struct value *v, const struct ast *after);

/* statements.c */
struct flow {    /* what a block or branch is for */
    bool wanted; /* its value is used */
    bool tail;   /* its end is the end of the function: see Note [return] */
};
bool eval_block_of(struct eval *ev, struct env *env, const struct ast *block, struct flow f,
                   struct value *out);
bool in_script(const struct env *env);
/* The scope of a block in ENV. */
struct env *block_env(struct eval *ev, struct env *env);

/* carried.c: see Note [carried values]. */
struct carried {
    struct binding *binding;
    struct tensor *container;
    struct value before;
};
struct carry {
    uint32_t n;
    struct carried *at;
};
/* Before a loop or branch that holds BODY: what it rebinds lives in containers. */
bool carry_in(struct eval *ev, struct env *env, const struct ast *body, struct span span,
              struct carry *c);
/* The end of an iteration or side. */
bool carry_round(struct eval *ev, struct carry *c, struct span span);
/* After: they are values again. */
void carry_out(struct carry *c);
/* Notes what BODY rebinds, of which nothing is used after it; carry_back: as before BODY. */
void carry_note(struct eval *ev, struct env *env, const struct ast *body, struct carry *c);
void carry_back(struct carry *c);

/* branches.c */
bool eval_if(struct eval *ev, struct env *env, const struct ast *s, struct flow f,
             struct value *out);
/* The IF at position AT of BLOCK if it is one that returns (else not *DONE), with all that follows
   it. */
bool eval_if_return(struct eval *ev, struct env *env, const struct ast *block, uint32_t at,
                    struct flow f, struct value *out, bool *done);
bool eval_while(struct eval *ev, struct env *env, const struct ast *s);
/* A run-time loop, map or branch cannot end its function. */
bool no_return(struct eval *ev, struct span span);

/* bind.c */
struct call { /* of a function called WHAT, which runs in ENV */
    struct eval *ev;
    struct env *env;
    const struct ast *where; /* its conditions */
    const char *what;
    struct span span;
};
bool bind_parameters(const struct call *c, const struct ast *params, const int32_t *slots,
                     const struct value *args);
/* A type of static values: a word such as int, or a layer's name. */
bool is_static_type(struct eval *ev, const struct module *m, const struct ast *type);
/* Whether V is of the static type TYPE, which it takes where it can. */
bool fits_static(struct eval *ev, struct env *env, const struct ast *type, struct value *v);
/* Binds the parameters PARAMS of something called WHAT in ENV, all static. */
bool bind_static(struct eval *ev, struct env *env, const char *what, const struct ast *params,
                 uint32_t nargs, const struct value *args, const struct name *keywords,
                 struct span span);
bool check_static(struct eval *ev, struct env *env, const char *what, const struct ast *param,
                  struct value *v, struct span span);
/* Assigns arguments to parameters: SLOTS[i] is the index of the argument or -1. */
bool match_arguments(struct eval *ev, const char *what, const struct ast *params, uint32_t nargs,
                     const struct name *keywords, struct span span, int32_t *slots);

/* Help where a number is wanted and a truth value stands. */
#define TRUTH_COUNTS                                                                               \
    "f32(..) and i64(..) make 1 of what is true, 0 of the rest: sum(i64(x > 0)) counts"

/* advice.c: help for D, where V stands and something else is wanted: an operand; what can be
   called. */
void advise_operand(struct eval *ev, struct diag *d, const struct value *v);
void advise_call(struct eval *ev, struct diag *d, const struct value *v);
/* After V as the subscript S may have been told to be no integer, by an error since ERRORS. */
void advise_subscript(struct eval *ev, uint32_t errors, const struct ast *s, const struct value *v);

/* site.c */
/* After what C calls has failed, if there are more errors than before: notes the call, CALLED ("is
   called here"), and rules that gave what is wrong; or, if it is the library's, tells the error at
   the call. */
void note_call(struct eval *ev, uint32_t errors_before, const struct calling *c,
               const char *called);

/* calls.c */
/* The `where` of what is called WHAT, whose parameters are bound in ENV. */
bool check_where(struct eval *ev, struct env *env, const char *what, const struct ast *where,
                 struct span span);
bool eval_call_ast(struct eval *ev, struct env *env, const struct ast *call,
                   const struct value *first, struct value *out);

bool call_function(struct eval *ev, const struct function *fn, uint32_t nargs,
                   const struct value *args, const struct name *keywords, struct span span,
                   struct value *out);

/* builtins.c */
/* Whether a call of FN, which is called like a builtin function, means that one: FN does not take
   so many arguments, or no list where one stands, and the builtin does. */
bool means_builtin(struct eval *ev, const struct function *fn, uint32_t nargs,
                   const struct value *args, const struct name *keywords);
bool call_builtin(struct eval *ev, struct name n, uint32_t nargs, const struct value *args,
                  const struct name *keywords, struct span span, struct value *out);

/* lift.c */
/* Whether a call of FN is one for each element of its tensors. */
bool lifts(struct eval *ev, const struct function *fn, uint32_t nargs, const struct value *args,
           const struct name *keywords);
bool lift_call(struct eval *ev, const struct function *fn, uint32_t nargs, const struct value *args,
               const struct name *keywords, struct span span, struct value *out);

/* layers.c */
bool instantiate(struct eval *ev, struct layer *l, uint32_t nargs, const struct value *args,
                 const struct name *keywords, struct span span, struct value *out);
/* A member of an instance, a tensor or a list. */
bool eval_member(struct eval *ev, const struct value *object, const struct ast *member,
                 struct value *out);

/* own_gradients.c */
/* Whether a gradient is taken of what is evaluated now, and none of its own can be used here: in
   the body of a map, loop or branch. Or the host wants definitions as such. */
bool gradient_is_derived(struct eval *ev);
/* The definition `grad f` of FN, or NULL. */
const struct ast *own_gradient(struct eval *ev, const struct function *fn);
/* Calls FN, which has the gradient GRAD, where a gradient is taken. */
bool call_with_gradient(struct eval *ev, const struct function *fn, const struct ast *grad,
                        uint32_t nargs, const struct value *args, const struct name *keywords,
                        struct span span, struct value *out);

/* gradients.c: GRADIENT, MINIMIZE and STEP. */
bool eval_gradient(struct eval *ev, struct env *env, const struct ast *e, struct value *out);
bool eval_step(struct eval *ev, struct env *env, const struct ast *e);
/* Whether a GRADIENT or MINIMIZE stands in E. */
bool takes_gradient(const struct ast *e);
/* The states that are trained, as STATE values. */
struct value trained_states(struct eval *ev, const struct value *v);
/* The gradients of LIST whose path begins with MEMBER: one, or a list; false if there are none. */
bool gradient_part(struct eval *ev, const struct value_list *list, const char *member,
                   struct value *out);
/* OP on each element of the lists of gradients among ARGS. */
bool gradient_op(struct eval *ev, enum scalar_op op, uint32_t n, const struct value *args,
                 struct span span, struct value *out);

static inline const char *text_of(const struct eval *ev, struct name n) {
    return name_text(ev->names, n);
}
struct name name_lit(struct eval *ev, const char *text);

#endif
