/* From checked syntax to a graph: the evaluator (lang/eval) walks, and its verbs write nodes.
   Calls are inlined; what remains is containers, maps, loops and branches over element memlets.

   Use: lower_begin, then lower_tensor / lower_symbol for each argument, then eval_call or
   eval_expr with &l->ev, then lower_finish with the values that are to be results. On failure of
   any step the errors are in the diags. */
#ifndef DCL_COMPILER_LOWER_LOWER_H
#define DCL_COMPILER_LOWER_LOWER_H

#include "compiler/ir/graph.h"
#include "lang/eval/eval.h"

/* Where the data of a graph's parameter comes from. */
enum origin_kind { ORIGIN_ARGUMENT, ORIGIN_STATE, ORIGIN_IMPORT };

struct origin {
    enum origin_kind kind;
    uint32_t argument;           /* ARGUMENT: in order of lower_tensor and lower_symbol */
    struct state *state;         /* STATE */
    const struct tensor *import; /* IMPORT: the script's tensor */
};

/* What the script around the graph supplies; all may be NULL. */
struct lower_script {
    void *data;
    bool (*has_builtin)(void *data, struct name n);
    bool (*builtin)(void *data, struct name n, uint32_t nargs, const struct value *args,
                    const struct name *keywords, struct span span, struct value *out);
    /* As in struct eval_ops. */
    bool (*numbers)(void *data, enum dtype t, uint32_t rank, const int64_t *dims, int64_t n,
                    const union scalar *at, struct span span, struct value *out, bool *made);
    /* Runs what has been lowered so far and replaces the tensors and scalars in V by data. */
    bool (*concrete)(void *data, struct value *v, struct span span);
    bool (*new_state)(void *data, struct state *s, const struct value *init, struct span span);
    /* As in struct eval_ops: of calls that stand in no map, loop or branch. */
    bool (*call)(void *data, const struct function *fn, uint32_t nargs, const struct value *args,
                 const struct name *keywords, struct span span, struct value *out, bool *done);
};

struct lower; /* the state of one lowering */

/* A lowering into a new graph called NAME, in arena A. TARGET_* as in struct eval. */
struct lower *lower_begin(struct arena *a, struct names *names, struct sym_ctx *syms,
                          struct diags *d, const struct module *prelude, struct name name,
                          uint32_t vector_bytes, uint32_t vector_registers,
                          const struct lower_script *script);
/* The evaluator to call. */
struct eval *lower_eval(struct lower *l);
/* A parameter that is a tensor; DIMS are INT or SYM (lower_dim). INOUT: may be written. */
bool lower_tensor(struct lower *l, struct name name, enum dtype t, uint32_t rank,
                  const struct value *dims, bool inout, struct value *out);
/* A dimension known only by name: a symbol called NAME, or NAME_2, ... if that is taken. */
struct value lower_dim(struct lower *l, struct name name);
/* A parameter that is a run-time i64. */
struct value lower_symbol(struct lower *l, struct name name);
/* Ends: RESULTS (TENSOR or SCALAR each) become the results of the graph, NAMES[i] their names where
   they have none. FOUND[i]: the run finds the size, whatever is known of it (FOUND may be NULL; so
   it is of any size that does not hang on symbols alone). NULL if something failed. The graph has
   not been verified. */
struct graph *lower_finish(struct lower *l, uint32_t n, const struct value *results,
                           const struct name *names, const bool *found);
/* For each result of FN, whether its type has a `?`. */
bool *lower_found(struct arena *a, const struct ast *fn);
/* Goes on with an empty graph, after the one so far has been finished and run. Arguments have to be
   given again; what uses a tensor of the graph before is an error. */
void lower_again(struct lower *l);
/* Whether what is lowered now stands in no map, loop or branch. */
bool lower_runs_once(const struct lower *l);
/* Whether nothing has been lowered yet. */
bool lower_is_empty(const struct lower *l);
/* One origin per parameter of the graph. */
const struct origin *lower_origins(const struct lower *l);

/* The explicit form back: lowers FN (of a printed graph, checked, in MODULE) with its own names as
   symbols, as graph_to_ast wrote them. NULL with errors in D. */
struct graph *lower_printed(struct arena *a, struct names *names, struct sym_ctx *syms,
                            struct diags *d, const struct module *module, const struct ast *fn);

/* Elaborates a definition with every dimension a symbol, packs of rank 2, type variables as their
   first type, to find its shape errors. False if there are any. STOP is as in struct eval. */
bool lower_check_definition(struct arena *a, struct names *names, struct diags *d,
                            const struct module *module, const struct ast *def,
                            const volatile int *stop);

#endif
