/* What the files of session/ share: the session, its store of values, the unit that is being
   compiled, programs that are ready to run. Not for others: they see include/dcl.h and session.h.

   Lifetimes. The session's arena holds names, modules and tables. Each text that was read has an
   arena for its tree, kept as long as a definition of it is in use. The store holds the values of
   script variables; it is copied from time to time, which leaves the garbage behind (store.c). A
   unit (one statement, one call) has an arena of its own that goes when the unit ends. */
#ifndef DCL_SESSION_STATE_H
#define DCL_SESSION_STATE_H

#include "session/session.h"

#include "backends/llvm/llvm.h"
#include "backends/ref/ref.h"
#include "backends/rt/rt.h"
#include "backends/rt/target.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/pass.h"
#include "lang/check/module.h"
#include "lang/files/files.h"

/* --- values of the script ------------------------------------------------------------------- */

/* Memory of a tensor or state. Never moves; freed when a collection finds it unused. */
struct data {
    struct data *next;
    void *bytes; /* 64-byte aligned; in a file, as its element type */
    size_t size;
    struct data_file *file; /* that BYTES lie in, or NULL */
    uint64_t line;          /* of the REPL in which it was made: see undo_write */
    bool live;
    const struct draws *draws; /* of a start that has not been drawn yet, see state_data; or NULL */
};

/* A layer's state as the session keeps it: its address is its identity. */
struct kept_state {
    struct state state;   /* state.data is a struct data */
    struct layout layout; /* of the state, if it has one */
    struct kept_state *next;
    bool live;
};

struct store {
    struct arena *arena;        /* lists, instances, heads of tensors */
    struct arena *next;         /* while a collection copies into it, else NULL */
    struct map owned;           /* instances that lie in ARENA */
    struct data *data;          /* all of them */
    struct kept_state *states;  /* all of them */
    size_t bytes, live_bytes;   /* of data now, and after the last collection */
    size_t live_arena;          /* bytes of ARENA after the last collection */
    uint32_t count, live_count; /* of data */
    uint32_t texts, live_texts; /* read since the last collection, and kept by it */
};

/* A loop of the script that is running. */
struct frame {
    struct frame *outer;
    struct env *env; /* of its indices */
    struct value list;
};

/* A text that was read. */
struct text {
    struct arena *arena; /* NULL: free for another text */
    struct ast *file;
    uint32_t source;
    bool live, running;
};

/* What a line did that an error in it takes back. */
enum undo_kind {
    UNDO_VARIABLE,
    UNDO_DATA,
    UNDO_STATE,
    UNDO_INSTANCE,
    UNDO_DEFINITION,
    UNDO_MODULE,
    UNDO_USE
};
struct undo {
    enum undo_kind kind;
    struct tensor *tensor;              /* DATA */
    struct state *state;                /* STATE */
    struct data *data;                  /* the former content */
    struct instance *instance, *former; /* INSTANCE, and what it was */
    struct module *module;              /* DEFINITION; USE: of the user */
    struct name name;                   /* DEFINITION; VARIABLE; MODULE: its path */
    struct ast *definition;
    struct value value; /* VARIABLE */
    struct span span;
};

/* --- compiled code -------------------------------------------------------------------------- */

struct kernel {
    struct kernel *next;
    struct rt_key key;
    struct rt_object *object;
    rt_kernel *run;
    uint32_t users; /* variants that hold it */
    uint64_t used;  /* when it was last asked for */
};

/* A graph that can be run. */
struct program {
    const struct graph *graph;
    struct kernel *kernel;
    const struct origin *origins; /* one per parameter of the graph */
    struct graph_symbol *symbols;
    uint32_t nsymbols;
    bool *found; /* per result: the run finds its size */
};

/* What a parameter of a graph is for one run. */
struct actual {
    void *bytes;
    const int64_t *dims;
    int64_t value; /* of a run-time integer */
};

/* --- units ---------------------------------------------------------------------------------- */

/* An integer of the script that a statement takes as a symbol. */
struct unit_symbol {
    struct name name; /* in the graph */
    int64_t value;
    bool size; /* of a tensor of the script */
};

/* The shape that a variable of a loop's statement had, and which dimensions have changed. */
struct seen_shape {
    struct name name;
    uint32_t rank, changed;
    int64_t dims[EVAL_MAX_RANK];
};

/* A statement of a loop, over its rounds. */
struct worn {
    uint64_t rounds;
    bool due;              /* its integers are symbols now */
    bool never;            /* it needs constants */
    VEC(uint64_t) kinds;   /* of the values that it kept in the last round with constants */
    struct recall *recall; /* its program, if it may simply run again; see recall.c */
    VEC(struct seen_shape) shapes;
};

/* A value on the way that is printed. */
struct watched {
    const char *label;
    struct value value;
};

/* A statement or call while it is evaluated. */
struct unit {
    bool open;
    bool script; /* a statement: builtins may act */
    bool asked;  /* by the prompt: they do not write */
    bool mapped; /* it has a map, in which nothing may be made concrete */
    bool calls;  /* calls may use what `compile` has made; see compiled.c */
    struct arena *arena;
    struct sym_ctx *syms;
    struct lower *lower; /* back-end cpu */
    struct ref *ref;     /* back-end ref */
    struct eval *ev;
    struct span span;
    struct span value; /* of the call that is all that the statement computes, if it is one */
    VEC(struct unit_symbol) symbols; /* by number of the argument */
    struct worn *worn;               /* the loop's statement that it is, or NULL */
    uint32_t kept;                   /* values, with symbols */
    bool acted;                      /* something has been written for good */
    struct recall *recall;           /* being recorded, or NULL */
    VEC(struct watched) watched;     /* what the next run computes for watch.c */
};

enum backend { BACKEND_CPU, BACKEND_REF };

/* When graphs are verified: a graph that is wrong is a mistake of ours. */
enum verify { VERIFY_NEVER, VERIFY_END, VERIFY_ALL };

struct options {
    enum backend backend;
    int threads;
    struct target target;
    bool foreign;      /* code for the target does not run here: it can be shown only */
    const char *cache; /* folder; NULL: none */
    bool strict, profile;
    bool check; /* see backends/ref/check.c */
    enum verify verify;
    struct pipeline pipeline;
};

/* See doing.c. */
struct doing {
    session_tell *tell; /* NULL: nobody asks */
    void *data;
    int depth;
    struct session_doing now;
};

struct dcl_session {
    struct arena *arena;
    struct names *names;
    struct sources *sources;
    struct options options;
    struct rt *rt;

    struct arena *scratch;  /* of a check that runs, or NULL */
    struct arena *messages; /* of diags and the text of errors; emptied by every call */
    struct diags diags;
    struct map told; /* of a checked run, since messages was emptied */
    const char *errors;
    bool failed, colour;
    enum picture_form picture;

    struct module *prelude, *module;
    bool prelude_read;
    const char *broken;  /* the library's errors: no call succeeds */
    struct map modules;  /* path's name -> struct module *, of `use` */
    uint64_t generation; /* counts definitions: what was compiled before may be stale */
    struct map pairs, mentions, unfit; /* see Note [dependents] */

    struct store store;
    struct env *script;   /* variables */
    bool in_line;         /* a line of the REPL, which an error takes back: see undo.c */
    uint32_t before;      /* variables that there were before it */
    struct frame *frames; /* innermost first */
    struct arena *loop;   /* of the outermost loop that runs, or NULL */
    struct map rounds;    /* statement of that loop -> struct worn * */
    VEC(struct text *) texts;
    VEC(struct undo) undo;
    VEC(struct watch *) watches; /* see watch.c */
    uint64_t line;
    uint64_t next_id, seed, before_id, before_seed;
    const char *folder;                /* of the file that runs, or NULL */
    const struct session_wants *wants; /* or NULL: see wanted.c */
    bool refused;                      /* the last call, for what is wanted */
    const struct session_known *known; /* of models that are run as files */
    int nknown;

    struct unit unit;
    struct dcl_function *functions;
    struct kernel *kernels;
    struct kernel *spare; /* memory for the next */
    const char *key_suffix;
    uint64_t clock;
    const struct llvm_backend *llvm; /* once opened */
    void *llvm_library;

    void (*write)(void *data, const char *text, size_t n);
    void *write_data;
    struct doing doing;
    volatile int stop;
};

/* session.c */
/* Runs BODY with this thread's out-of-memory handler set, messages emptied before and made into
   text after. 0 if BODY gave true. */
int session_guard(struct dcl_session *s, bool (*body)(struct dcl_session *s, void *data),
                  void *data);
void session_write(struct dcl_session *s, const char *text, size_t n);
/* An error "interrupted" if the user wants to stop; true then. */
bool session_stopped(struct dcl_session *s);

/* doing.c */
void doing_output(struct dcl_session *s);
void doing_closed(struct dcl_session *s);
void doing_compile(struct dcl_session *s, bool on);
/* Statement AT of ALL of the text that runs. */
void doing_item(struct dcl_session *s, uint32_t at, uint32_t all);
void doing_statement(struct dcl_session *s, const struct ast *st);

/* options.c: NULL, or what is wrong. */
const char *options_read(struct arena *a, const char *text, struct options *o);

/* prelude.c */
bool prelude_read(struct dcl_session *s);
/* The folder of the library's module NAME, NULL if there is none. */
const char *library_module_folder(struct arena *a, const char *name);
/* Its definitions as M. */
bool library_module_read(struct dcl_session *s, const char *folder, struct module *m);
/* The file of libdcl, NULL if it is not known. */
const char *library_path(struct arena *a);
/* The folder of libdcl, without a slash at its end; "" if it is not known. */
const char *library_folder(struct arena *a);

/* text.c */
/* USER sees from now on what USE means: in the file FROM, or NULL for a module of the library,
   found nowhere else. False after errors. */
bool text_use(struct dcl_session *s, struct module *user, const struct ast *use, const char *from);
/* Parses and checks TEXT and adds its definitions to MODULE; undo takes them back. NULL after
   errors. The result is pinned until text_release. */
struct text *text_read(struct dcl_session *s, struct module *m, const char *path, const char *text,
                       size_t n);
/* The variable or definition that N was perhaps meant to be; no name if none is near. */
struct name script_nearest(struct dcl_session *s, struct name n);
void text_release(struct dcl_session *s, struct text *t);
struct text *text_of_source(struct dcl_session *s, uint32_t source);
/* check_file for a text of the session. */
bool text_check(struct dcl_session *s, struct arena *a, struct module *m, struct diags *d,
                struct ast *file);

/* dependents.c: see Note [dependents] there */
/* DEF has been added to the session's definitions. */
void dependents_note(struct dcl_session *s, const struct ast *def);
/* What the text SOURCE has defined since the undo list had MARK entries: tells of definitions
   outside of it that no longer fit. */
void dependents_check(struct dcl_session *s, struct module *m, uint32_t source, uint32_t mark);
/* Definitions have been taken back. */
void dependents_undone(struct dcl_session *s);

/* script.c */
/* Where the names of the statement that runs are looked up first. */
struct env *script_scope(const struct dcl_session *s);
bool script_run(struct dcl_session *s, struct text *t, bool show);

/* renew.c: see Note [renewing] there. Instances in variables whose layer is defined anew by
   the text SOURCE; false if the user wants to stop. */
bool renew_instances(struct dcl_session *s, uint32_t source);

/* wanted.c: whether FILE, whose definitions have been read, has what is wanted; else errors. */
bool wanted_check(struct dcl_session *s, const struct ast *file);
/* Adds to the errors of FILE how a variable is given that is not known. */
void wanted_help(struct dcl_session *s, const struct ast *file);
/* As wanted_check, for a file that makes nothing but the instance X, under the name `model`. */
bool wanted_check_instance(struct dcl_session *s, const struct instance *x);

/* import.c: files whose names end in .onnx. */
bool model_is_path(const char *path);
/* *OUT is an instance of the layer that the model PATH is, its weights loaded, in the unit that is
   open. Of the model, KNOWN is known. */
bool model_load(struct dcl_session *s, const char *path, const struct session_known *known, int n,
                struct span span, struct value *out);
/* The model becomes the variable `model` of the script. */
bool model_run(struct dcl_session *s, const char *path);
/* Whether it can be imported; else errors. */
bool model_check(struct dcl_session *s, const char *path);

/* rounds.c */
/* Counts a round of ST; NULL if it needs constants for good. */
struct worn *round_begin(struct dcl_session *s, const struct ast *st);
/* Notes the shape of T, the variable NAME of W's statement; the dimensions that change, as bits. */
uint32_t round_shape(struct dcl_session *s, struct worn *w, struct name name,
                     const struct tensor *t);
/* Whether V, which is about to be kept, is what the statement keeps without symbols. */
bool round_keeps(struct dcl_session *s, const struct value *v, struct span span);
/* Whether G computes no float of symbols alone. */
bool round_computes(struct dcl_session *s, const struct graph *g);

/* units.c */
void unit_begin(struct dcl_session *s, struct name name, struct span span, bool script);
void unit_end(struct dcl_session *s);
/* Whether what has been lowered writes to containers of the script or states. */
bool unit_writes(struct dcl_session *s);
/* Runs what has been lowered and gives data for the N tensors and scalars at V, in place: tensors
   of the store, or static integers and truth values. */
bool unit_results(struct dcl_session *s, uint32_t n, struct value *v);
/* What has been lowered as a program P, whose last N results are V, and the memory of its
   parameters; NULL after an error. */
struct actual *unit_program(struct dcl_session *s, uint32_t n, const struct value *v,
                            struct program *p);
/* Runs P, which may write for good if WRITES; DATA and DIMS are those of all results. */
bool unit_run(struct dcl_session *s, const struct program *p, const struct actual *at, bool writes,
              struct data **data, int64_t (*dims)[EVAL_MAX_RANK], struct span span);
/* Which of the caller's containers G writes. */
struct written {
    const struct graph *g;
    bool *conts; /* by id */
    bool any;
};
struct written written_by(struct arena *a, const struct graph *g);
/* INT V, known as NAME, as a symbol of the unit's graph: the code does not depend on its value. */
struct value unit_symbol(struct dcl_session *s, struct name name, int64_t v);
/* The same for the size N of tensor NAME in dimension D: equal sizes are one symbol. */
struct value unit_size(struct dcl_session *s, struct name name, uint32_t d, int64_t n);

/* recall.c: see Note [recall] there */
/* Starts to record the statement ST of a loop in the unit that was begun for it. */
void recall_begin(struct dcl_session *s, const struct ast *st, struct worn *w);
/* The unit has run P, whose last N results are DATA. */
void recall_note(struct dcl_session *s, const struct program *p, uint32_t n,
                 struct data *const *data);
/* The statement has ended well: W keeps its program and its arena, if it may. */
void recall_keep(struct dcl_session *s, const struct ast *st, struct worn *w);
/* Runs what was kept; false if it does not hold any more. *OK: whether the run went well. */
bool recall_run(struct dcl_session *s, const struct ast *st, const struct worn *w, bool *ok);
/* The value of an integer over such symbols. */
bool unit_integer(struct dcl_session *s, struct sym x, int64_t *v);
/* At the end of a statement: runs it for what it writes. */
bool unit_effects(struct dcl_session *s);
struct lower_script unit_script(struct dcl_session *s);
struct ref_script unit_ref_script(struct dcl_session *s);
/* The indices of the script's loops, as `i = 3, j = 7`, as much as SIZE bytes hold. */
void loop_indices(struct dcl_session *s, char *out, size_t size);

/* data.c */
/* Zeroed; NULL after an error. WHAT is for the message. */
struct data *data_new(struct dcl_session *s, size_t size, const char *what, struct span span);
/* The same with any content. */
struct data *data_room(struct dcl_session *s, size_t size, const char *what, struct span span);
void data_free(struct dcl_session *s, struct data *d);
/* The tensors of a file, numbers in text as T, or RAW: its bytes as elements of T; NULL after an
   error. Closed, it lives on in the data taken from it. */
struct data_file;
struct data_file *data_file_open(struct dcl_session *s, const char *path, enum dtype t, bool raw,
                                 struct span span);
/* A file of TENSORS, which A holds, as those that are mapped; A goes with it. */
struct data_file *data_file_of(struct arena *a, struct file_tensors tensors);
const struct file_tensors *data_file_tensors(const struct data_file *f);
void data_file_close(struct data_file *f);
/* The content of tensor T of F; NULL after an error. */
struct data *data_from_file(struct dcl_session *s, struct data_file *f, const struct file_tensor *t,
                            struct span span);
/* The head of a tensor over D; its dims are to be set. */
struct tensor *tensor_new(struct arena *a, enum dtype t, uint32_t rank, struct data *d);
/* A tensor of the script over D. */
struct tensor *data_tensor(struct dcl_session *s, enum dtype t, uint32_t rank, const int64_t *dims,
                           struct data *d, struct name name, struct span span);
static inline struct data *tensor_data(const struct tensor *t) {
    return t->impl;
}
int64_t tensor_elements(const struct tensor *t);

/* watch.c: see Note [watching] there */
/* The evaluator's `called`. */
void watch_call(void *session, const struct function *fn, struct env *env,
                const struct value *results);
/* At the end of a statement: what is still to be printed. */
bool watch_settle(struct dcl_session *s);
bool watch_needs_run(const struct watched *w);
/* V: the values of those that need a run. */
void watch_print(struct dcl_session *s, uint32_t n, const struct watched *at,
                 const struct value *v);

/* store.c */
/* Makes V a value of the store: runs what has been lowered, copies the rest. */
bool store_keep(struct dcl_session *s, struct value *v, struct span span);
/* If enough garbage may lie around: between statements only. */
void store_collect(struct dcl_session *s, bool always);
void store_free(struct dcl_session *s);

/* undo.c */
void undo_begin(struct dcl_session *s); /* a line of the REPL */
/* The statements of FILE are going to run: notes what they may give other values. */
void undo_variables(struct dcl_session *s, const struct ast *file);
void undo_end(struct dcl_session *s, bool take_back);
/* Called before the data of a container or state is written in place. False after an error. */
bool undo_write(struct dcl_session *s, struct tensor *t);
bool undo_write_state(struct dcl_session *s, struct state *st);
/* Gives ST other content; the former is kept if it may be wanted back. */
void undo_replace_state(struct dcl_session *s, struct state *st, struct data *content);
/* The file PATH has been read as M (NULL: it has not, after all). */
void define_module(struct dcl_session *s, struct name path, struct module *m);
/* USER sees what M defines. */
void define_use(struct dcl_session *s, struct module *user, const struct module *m);
/* Called before X becomes another instance. */
void undo_instance(struct dcl_session *s, struct instance *x);
/* Adds a definition, and to the undo list the one that it hides. */
void define(struct dcl_session *s, struct module *m, struct ast *def);
/* Takes away the gradient function of F in M, if there is one. */
void forget_gradient(struct dcl_session *s, struct module *m, struct name f);
/* Forgets (or takes back) the definitions since the undo list had MARK entries. */
void undo_definitions(struct dcl_session *s, uint32_t mark, bool back);

/* compile.c */
/* The kernel of G from one of the caches, or passes (which change G) and the compiler. */
struct kernel *compile_graph(struct dcl_session *s, struct graph *g);
bool compile_passes(struct dcl_session *s, struct graph *g, const struct pipeline *p);
enum { KERNELS_KEPT = 256 };
void kernels_trim(struct dcl_session *s, uint32_t most);
void kernels_free(struct dcl_session *s);

/* backend.c: the compiler's library; NULL after an error. */
const char *backend_path(struct arena *a); /* its file, NULL if there is none */
const struct llvm_backend *backend_open(struct dcl_session *s);
void backend_close(struct dcl_session *s);

/* program.c */
void program_init(struct program *p, struct arena *a, const struct graph *g, struct kernel *k,
                  const struct origin *origins);
/* Computes the values of the symbols, compares all shapes and checks the conditions. */
bool program_bind(struct dcl_session *s, const struct program *p, const struct actual *at,
                  int64_t *symbols, struct span span);
/* The shape of result K, whose size the run does not find. */
bool program_result(struct dcl_session *s, const struct program *p, uint32_t k,
                    const int64_t *symbols, int64_t *dims, size_t *bytes);
/* The shape of result K that the last run has found, and its memory, which is the runtime's. */
const void *program_found(struct dcl_session *s, const struct program *p, uint32_t k, int64_t *dims,
                          size_t *bytes);
/* RESULTS: their memory, NULL where the run finds it. */
bool program_run(struct dcl_session *s, const struct program *p, const struct actual *at,
                 const int64_t *symbols, void *const *results, struct span span);

/* The value of the symbol N of P in a run with SYMBOLS; false if it is none. */
bool program_symbol(const struct program *p, const int64_t *symbols, struct name n, int64_t *v);

/* outside.c: P has been run with SYMBOLS, and a check ended it. Tells of the subscript that was
   outside; false if it was something else. */
bool outside_tell(struct dcl_session *s, const struct program *p, const int64_t *symbols);

/* states.c: the memory of a layer's states and how it starts. */
/* The memory of ST, as it is stored, drawn if need be. */
struct data *state_data(const struct state *st);
/* What ST holds, row-major over its shape; and what FROM, which is so, is as ST is stored. Without
   a layout both are the memory itself. NULL after an error. */
struct data *state_as_shape(struct dcl_session *s, const struct state *st, struct span span);
struct data *state_as_stored(struct dcl_session *s, const struct state *st, struct data *from,
                             struct span span);
bool states_new(void *session, struct state *st, const struct value *init, struct span span);
bool states_initializer(struct dcl_session *s, struct name n, uint32_t nargs,
                        const struct value *args, struct span span, struct value *out);
bool states_is_initializer(const struct dcl_session *s, struct name n);
void states_each_initializer(void (*f)(void *data, const char *name), void *data);
/* A state of an instance under its dotted name. */
struct named_state {
    const char *name;
    struct state *state;
};
struct named_states {
    VEC(struct named_state) at;
};
void states_list(struct dcl_session *s, struct arena *a, const struct instance *x,
                 struct named_states *out);
/* What X and its members have aside: see Note [renewing]. */
void states_aside(struct dcl_session *s, struct arena *a, const struct instance *x,
                  struct named_states *out);

/* random.c: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). */
struct random {
    uint32_t key[2];
};
struct random random_new(uint64_t seed, uint64_t stream);
/* The K-th draw of a stream: uniform in [0, 1), with 53 bits; standard normal. */
double random_uniform(const struct random *r, uint64_t k);
double random_normal(const struct random *r, uint64_t k);

/* print_value.c */
void print_value(struct dcl_session *s, const struct value *v, struct buf *out);

/* functions.c */
void functions_free(struct dcl_session *s);
/* Calls F for the value that each handle keeps alive. */
void functions_each(struct dcl_session *s, void (*f)(void *data, struct value *v), void *data);

/* compiled.c: see Note [compiled calls] there */
/* Runs the statement `compile ..`. */
bool compiled_say(struct dcl_session *s, const struct ast *st);
/* Forgets those of this line of the REPL. */
void compiled_take_back(struct dcl_session *s);
/* The `call` of struct eval_ops. */
bool compiled_call(void *session, const struct function *fn, uint32_t nargs,
                   const struct value *args, const struct name *keywords, struct span span,
                   struct value *out, bool *done);

/* calls.c: shared with the files about functions: see call.h */

#endif
