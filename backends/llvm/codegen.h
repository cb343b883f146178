/* What the files of this folder share: the state of one compilation, the state of one LLVM
   function, and who lowers what. See README.md for the tour.

   Two ideas carry the rest:
   - Substitution. Unrolled indices become constants and a vector index becomes `base + step*lane`
     by replacing atoms in symbolic integers, so one memlet code serves scalars and vectors.
   - Uniform or varying. A value in a vector body has 1 lane (the same for all) or fn->lanes. */
#ifndef DCL_BACKENDS_LLVM_CODEGEN_H
#define DCL_BACKENDS_LLVM_CODEGEN_H

#include "backends/llvm/llvm.h"
#include "backends/rt/rt.h"
#include "lang/base/map.h"
#include <llvm-c/Core.h>

/* A value in registers; bool is i1, f16 and bf16 are f32. */
struct val {
    LLVMValueRef v;
    enum dtype t;
    uint32_t lanes; /* 1: uniform */
};

/* A value and the depth of the innermost loop that it changes in. */
struct deep {
    struct val v;
    uint32_t depth;
};

/* How a container lies. */
enum layout {
    LAYOUT_NONE,
    LAYOUT_MEMORY, /* row-major at `base`; if expanded, each element is `expanded` lanes */
    LAYOUT_SLOTS   /* one promotable alloca per vector of `lanes` along the last dimension */
};

struct place {
    enum layout layout;
    LLVMValueRef base;
    LLVMValueRef *slots;
    uint32_t nslots;
    uint32_t lanes;    /* SLOTS: elements of the last dimension per slot */
    uint32_t row;      /* SLOTS: slots per row */
    bool same_tail;    /* SLOTS: lanes that a tail masks out are masked out in all accesses, so that
                          nobody can tell what is written there */
    uint32_t expanded; /* 1, or the lanes that each element has: it was declared in a vector body */
};

/* What is proved of a memlet's subscripts: a bit per dimension (the first 32). */
struct proof {
    bool done;
    uint32_t lower, upper;
};

/* A partial result of a resolution that a loop keeps in registers; see reduce.c. */
struct accumulator {
    const struct node *write;
    struct proof proof;  /* of its subscripts, after the loop */
    uint32_t n;          /* how many in turn */
    LLVMValueRef at[16]; /* allocas of vectors */
};

/* Memory of computed values with scopes: what a block computed is known in what it dominates. */
struct memo_entry {
    uint64_t key;
    struct deep value;
    uint32_t next; /* 1 + index in the chain */
};
struct memo {
    VEC(struct memo_entry) entries;
    uint32_t *heads;
    uint32_t nheads; /* a power of two */
};

/* Where control goes when a check fails: frees what is allocated and returns the status. */
struct bail {
    LLVMBasicBlockRef block; /* made when first needed */
    LLVMValueRef memory;     /* NULL for the bottom */
    size_t release;          /* of struct rt_api: what frees it */
};

/* One LLVM function under construction. */
struct fn {
    LLVMValueRef f, api, status;
    LLVMBasicBlockRef entry; /* holds the allocas */
    LLVMBuilderRef allocas;
    struct memo memo;
    struct map names; /* name.i -> index into bound */
    VEC(struct deep) bound;
    struct map placed; /* container id -> index into places; few containers belong to a function */
    VEC(struct place) places;
    struct map allocated; /* node id of a DECL -> its alloca, so copies of a body share it */
    uint64_t stack;       /* bytes of allocas so far */
    VEC(struct bail) bails;
    VEC(struct name) from; /* substitutions that hold here, parallel to `to` */
    VEC(struct sym) to;
    VEC(struct accumulator) accumulators;
    uint32_t copy;           /* which of the accumulators the present copy of a body uses */
    uint32_t depth;          /* of loops */
    uint32_t lanes;          /* 1 outside vector bodies */
    LLVMValueRef mask;       /* active lanes, NULL: all */
    LLVMValueRef tail;       /* the part of it that is the end of the range */
    LLVMValueRef first, few; /* a mask of the first lanes only, and their number, or less than 0 */
    LLVMValueRef edge;       /* memory for a vector, see Note [narrow edges] */
    bool parallel;           /* inside a parallel body: no further parallelism */
    const struct node *inside;  /* the map that this function is made for, if one */
    LLVMValueRef frame;         /* see pieces.c; NULL: nothing here goes to it */
    bool divides;               /* dcl_body of a long program */
    bool in_map;                /* whose regions are no pieces */
    const struct region *piece; /* the region that this function is a piece of, up to PIECE_END */
    uint32_t piece_end;
    struct place handed; /* what place_of found in the frame last */
};

/* What pieces of a long program hand on, see pieces.c. */
struct frame_name {
    uint32_t field;
    enum dtype t;
    bool handed; /* by a piece, not by dcl_body */
};
struct frame {
    uint32_t fields;   /* of 8 bytes */
    struct map handed; /* containers that a piece declares for others */
    struct map conts;  /* container id -> field that holds its address */
    struct map arrays; /* node id of a DECL -> first field of its elements */
    struct map names;  /* name.i -> index into all */
    VEC(struct frame_name) all;
};

/* What is decided of a map once, whatever its unrolled copy. */
struct hoisted;
struct decision {
    bool parallel_known, vector_known, hoisted_known;
    struct hoisted *hoisted; /* checks that stand before the map, see hoist.c */
    uint32_t nhoisted;
    uint32_t parallel;      /* leading indices that run in parallel */
    uint32_t vector, lanes; /* the index that is vectorized, 1 lane: none */
};

/* A constant array full of one value, see Note [reading elsewhere] in memlet.c. */
struct elsewhere {
    enum dtype t;
    uint64_t raw;
    LLVMValueRef middle;
};

struct gpu;

struct cg {
    const struct graph *g;
    struct gpu *gpu; /* NULL: a CPU; else backends/ptx/ptx.h says what is different */
    const struct llvm_options *o;
    struct arena *a; /* until the end of the compilation */
    struct diags *d;
    struct sym_ctx *syms;
    struct sym_facts *facts;
    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, nothing;
    struct fn *fn;
    struct name lane;           /* the atom for the number of a lane */
    struct proof *proofs;       /* by node id */
    struct decision *decisions; /* by node id */
    bool *outlined;             /* by node id: a map that is a function of its own; or NULL */
    uint32_t *weights;          /* by node id: nodes that it is, outlined maps are one */
    struct frame frame;
    const bool *touched; /* by container id: some memlet does */
    bool rounds;         /* the target rounds in one instruction */
    bool halves;         /* and converts f16 */
    bool failed;
    VEC(struct elsewhere) elsewhere;
    uint32_t strings, functions;
    uint32_t statements; /* lowered so far, copies counted */
};

/* --- compile.c: both end a compilation with ERR_BACKEND; the first is our own mistake --- */
void cg_bug(struct cg *c, const struct node *n, const char *what);
void cg_too_large(struct cg *c, const struct node *n);

/* --- emit.c: target machine, passes, machine code --- */
struct emitter;
/* NULL with an error in D if LLVM does not know the target. SM: a GPU instead of T. */
struct emitter *emitter_new(struct arena *a, const struct target *t, unsigned sm, struct diags *d);
void emitter_prepare(struct emitter *e, LLVMModuleRef m);
bool emitter_rounds(const struct emitter *e);
bool emitter_halves(const struct emitter *e);
bool emitter_run(struct emitter *e, struct arena *a, LLVMModuleRef m, const struct llvm_options *o,
                 struct diags *d, struct llvm_code *out);
void emitter_close(struct emitter *e);

/* --- value.c: types, constants, vectors --- */
LLVMTypeRef cg_type(struct cg *c, enum dtype t, uint32_t lanes);     /* in registers */
LLVMTypeRef cg_mem_type(struct cg *c, enum dtype t, uint32_t lanes); /* in memory, see value.c */
LLVMValueRef cg_i64(struct cg *c, int64_t v);
LLVMValueRef cg_i32(struct cg *c, int32_t v);
struct val cg_val(LLVMValueRef v, enum dtype t, uint32_t lanes);
struct val cg_const(struct cg *c, enum dtype t, union scalar s);
struct val cg_int(struct cg *c, int64_t v);
struct val cg_float(struct cg *c, enum dtype t, double v);
/* V in LANES lanes. */
struct val cg_widen(struct cg *c, struct val v, uint32_t lanes);
/* Makes both as wide as the wider. */
void cg_match(struct cg *c, struct val *a, struct val *b);
struct val cg_extract(struct cg *c, struct val v, uint32_t lane);
LLVMValueRef cg_splat(struct cg *c, LLVMValueRef scalar, uint32_t lanes);
LLVMValueRef cg_lane_numbers(struct cg *c, LLVMTypeRef element, uint32_t lanes);
struct val cg_load(struct cg *c, LLVMValueRef p, enum dtype t, uint32_t lanes);
void cg_store(struct cg *c, LLVMValueRef p, struct val v);
/* Memory form and register form of a value (they differ for bool, f16 and bf16). */
LLVMValueRef cg_to_mem(struct cg *c, struct val v);
struct val cg_from_mem(struct cg *c, LLVMValueRef v, enum dtype t, uint32_t lanes);
/* Calls an LLVM intrinsic NAME overloaded on TYPES. */
LLVMValueRef cg_intrinsic(struct cg *c, const char *name, LLVMTypeRef *types, uint32_t ntypes,
                          LLVMValueRef *args, uint32_t nargs);
/* True if any lane of the mask is set. */
LLVMValueRef cg_any(struct cg *c, LLVMValueRef mask, uint32_t lanes);
/* A private constant of N bytes; its address. */
LLVMValueRef cg_bytes(struct cg *c, const void *bytes, size_t n, uint32_t align);

/* --- function.c: functions, blocks, loops, scopes --- */
struct fn *fn_begin(struct cg *c, const char *name, LLVMTypeRef type, bool internal);
/* Returns RT_OK from the present position and closes the function. */
void fn_end(struct cg *c);
LLVMBasicBlockRef cg_block(struct cg *c, const char *name);
void cg_at(struct cg *c, LLVMBasicBlockRef block);
LLVMValueRef cg_alloca(struct cg *c, LLVMTypeRef type, uint32_t align);
uint32_t scope_push(struct cg *c);
void scope_pop(struct cg *c, uint32_t mark);
bool memo_get(struct cg *c, uint64_t key, struct deep *v);
void memo_put(struct cg *c, uint64_t key, struct deep v);
void bind_name(struct cg *c, struct name n, struct val v);
bool bound_name(struct cg *c, struct name n, struct deep *v);
/* Its type, without a value. */
bool bound_type(struct cg *c, struct name n, enum dtype *t);
void subst_push(struct cg *c, struct name n, struct sym to);
void subst_pop(struct cg *c);
struct sym subst(struct cg *c, struct sym s);
/* A bound of an index: what the facts decide of it (min, max) first, then substituted. */
struct sym bound(struct cg *c, struct sym s);
/* Leaves with STATUS where CONDITION (i1) holds; goes on where not. */
void bail_if(struct cg *c, LLVMValueRef condition, int32_t status);
void bail_with(struct cg *c, LLVMValueRef status);
void bail_unless_ok(struct cg *c, LLVMValueRef status);
void bail_push(struct cg *c, LLVMValueRef memory, size_t release);
/* Frees the memory of B. */
void bail_release(struct cg *c, struct bail b);
LLVMValueRef api_field(struct cg *c, size_t offset, LLVMTypeRef type);
void cg_poll(struct cg *c);
bool may_be_long(struct cg *c, struct sym lo, struct sym hi);

struct loop {
    LLVMBasicBlockRef body, exit;
    bool may_be_long;              /* set before loop_begin: its length is not bounded by memory */
    LLVMBasicBlockRef piece;       /* where a piece of a long loop starts, or NULL */
    LLVMValueRef piece_start, end; /* of the piece; without pieces END is HI */
    LLVMValueRef index, hi;
    int64_t step;
    LLVMValueRef step_value;
    uint32_t scope;
};
/* for (index = lo; index < hi; index += step); SURE: it runs at least once. */
void loop_begin(struct cg *c, struct loop *l, LLVMValueRef lo, LLVMValueRef hi, LLVMValueRef step,
                bool sure, bool poll);
void loop_end(struct cg *c, struct loop *l);

/* --- sym.c: symbolic integers --- */
struct deep cg_sym_deep(struct cg *c, struct sym s);
struct val cg_sym(struct cg *c, struct sym s);
LLVMValueRef cg_sym_scalar(struct cg *c, struct sym s); /* must be uniform */
/* The same; sets *BAD, an i1, where a part of it leaves 64 bits. */
LLVMValueRef cg_sym_exact(struct cg *c, struct sym s, LLVMValueRef *bad);
/* BASE plus REST elements; what changes in outer loops only is added first, constants last. */
LLVMValueRef cg_address(struct cg *c, LLVMValueRef base, LLVMTypeRef element, struct sym rest);
bool sym_uses_lane(struct cg *c, struct sym s);
/* The conjunction of facts that CONDITION == TRUTH gives. */
void facts_assume(struct cg *c, const struct expr *condition, bool truth);

/* --- scalar.c: operators and expressions --- */
struct val cg_op(struct cg *c, enum scalar_op op, struct val x, struct val y, struct val z);
struct val cg_cast(struct cg *c, enum dtype to, struct val v);
struct val cg_expr(struct cg *c, const struct expr *e);
struct val cg_select(struct cg *c, LLVMValueRef condition, uint32_t condition_lanes, struct val a,
                     struct val b);

/* --- half.c: f16 and bf16 --- */
/* An f32 rounded to T. */
struct val cg_half_round(struct cg *c, enum dtype t, struct val v);
LLVMValueRef cg_half_to_mem(struct cg *c, struct val v);
struct val cg_half_from_mem(struct cg *c, LLVMValueRef v, enum dtype t, uint32_t lanes);
/* A number of any other type, rounded once. */
struct val cg_to_half(struct cg *c, enum dtype to, struct val v);

/* --- math.c --- */
struct val cg_exp(struct cg *c, struct val x);
struct val cg_log(struct cg *c, struct val x);
struct val cg_tanh(struct cg *c, struct val x);
struct val cg_round(struct cg *c, struct val x);
struct val cg_floor(struct cg *c, struct val x);

/* --- memlet.c: reads and writes --- */
struct val memlet_read(struct cg *c, const struct node *n, const struct memlet *m);
void memlet_write(struct cg *c, const struct node *n, const struct memlet *m, struct val v);

/* --- reduce.c: resolutions --- */
struct val reduce_op(struct cg *c, enum resolution r, struct val old, struct val v);
/* One element OLD with V of all active lanes; outside vector bodies with V. */
struct val reduce_into(struct cg *c, enum resolution r, struct val old, struct val v);
/* Accumulators for the writes below map N, from index K inwards, that the vector index K does not
   move; COPIES in turn. The result goes to accumulators_end, after the loop. */
uint32_t accumulators_begin(struct cg *c, const struct node *n, uint32_t k, uint32_t copies);
void accumulators_end(struct cg *c, uint32_t mark);
bool accumulates(struct cg *c, const struct node *write); /* whether it has accumulators */
bool accumulate(struct cg *c, const struct node *write, struct val v);

/* --- version.c: edge tiles --- */
/* Lowers the body of map N: once if its tiles are whole, and once in general, where that helps. */
void lower_versions(struct cg *c, const struct node *n);

/* --- work.c --- */
/* The work in one iteration of map N's indices left of K, in rough units of an addition, as far as
   it can be said before the map. */
struct sym map_work(struct cg *c, const struct node *n, uint32_t k);

/* --- check.c: subscripts inside their container, and its size --- */
const struct proof *memlet_proof(struct cg *c, const struct node *n, const struct memlet *m);
/* By the facts that hold now, which may be fewer than where the memlet stands. */
struct proof proof_here(struct cg *c, const struct memlet *m);
/* Fails the call where OUTSIDE (i1 or a mask) holds. */
void check_index(struct cg *c, const struct memlet *m, uint32_t dim, struct val index,
                 struct val size, LLVMValueRef outside, uint32_t lanes);
/* Fails the call where a dimension of K is negative or leaves 64 bits. */
void check_sizes(struct cg *c, const struct container *k);

/* --- hoist.c: checks before a map --- */
void hoist_checks(struct cg *c, const struct node *n);

/* --- container.c: where containers lie --- */
/* LAYOUT_NONE if C is not declared here. Valid until the next place_put. */
const struct place *place_of(struct cg *c, struct cont k);
void place_put(struct cg *c, struct cont k, struct place p);
void decl_begin(struct cg *c, const struct node *n, const struct region *r, uint32_t position);
/* What is taken of scratch memory after this and not given back is given back with it. */
void scratch_mark(struct cg *c);

/* --- outline.c: maps as functions of their own --- */
/* What a map uses from outside: containers first, then names. */
struct capture {
    VEC(struct cont) conts;
    VEC(struct name) names;
    struct map taken;
};
struct uses;
void capture(struct cg *c, const struct node *n, struct capture *x);
/* Their values here; NULL, and the compilation has failed, if one is in registers. */
LLVMValueRef *captured_values(struct cg *c, const struct node *n, const struct capture *x);
/* The same of what U uses. */
void capture_uses(struct cg *c, const struct uses *u, struct capture *x);
/* A function (api, MORE values of TYPE, what X captures) becomes c->fn, with what X captures
   bound. */
struct fn *outline_begin(struct cg *c, const char *name, const struct capture *x, uint32_t more,
                         LLVMTypeRef type);
/* Whether the maps of R, the graph's own region, are to be functions: c->outlined names them. */
bool region_is_long(const struct region *r);
bool is_outlined(const struct cg *c, const struct node *n);
/* False if N is to be lowered where it stands. */
bool lower_outlined(struct cg *c, const struct node *n);

/* --- pieces.c: long programs --- */
/* c->fn is dcl_body, which is in pieces if the graph is long. */
void frame_begin(struct cg *c);
void frame_end(struct cg *c);
/* Whether the nodes of a region that is lowered now become pieces. */
bool region_divides(const struct cg *c);
void lower_pieces(struct cg *c, const struct region *r);
/* Stores what node N of a piece declares or binds, if other pieces use it. */
void hand_on(struct cg *c, const struct node *n);
bool is_handed_on(const struct cg *c, struct cont k);
LLVMValueRef frame_pointer(struct cg *c, struct cont k);
/* Memory for the container of DECL N in the frame; NULL if that would be larger than MOST. */
LLVMValueRef frame_array(struct cg *c, const struct node *n, uint64_t bytes, uint64_t most);
/* In dcl_body: N as a piece before this handed it on, or NULL; and its value. */
const struct frame_name *frame_name(const struct cg *c, struct name n);
struct val frame_value(struct cg *c, const struct frame_name *n);
/* N stands for something else now. */
void frame_forget(struct cg *c, struct name n);

/* --- region.c, map.c, vector.c, parallel.c: control flow --- */
void lower_region(struct cg *c, const struct region *r);
/* Nodes FROM to TO of R; what they allocate stays. */
void lower_nodes(struct cg *c, const struct region *r, uint32_t from, uint32_t to);
void lower_map(struct cg *c, const struct node *n);
/* Index K of a map and those to its right (a loop has one), then the body. */
void lower_index(struct cg *c, const struct node *n, uint32_t k);
/* One copy of what is inside index K, where that index is VALUE. */
void lower_copy(struct cg *c, const struct node *n, uint32_t k, struct sym value);
/* Whether the index is unrolled to COUNT guarded or unguarded copies. */
bool unrolls(struct cg *c, const struct index *x, int64_t *count, bool *exact);
/* Proved that iterations of map N that agree left of index K and differ in it may run at the same
   time; in lanes they may meet in writes with one resolution, in threads they may not. */
bool runs_at_once(struct cg *c, const struct node *n, uint32_t k, bool threads);
/* Whether what is below emits a loop (for polling). */
bool region_loops(struct cg *c, const struct region *r);
bool index_loops(struct cg *c, const struct node *n, uint32_t k);

enum vector_form { VECTOR_NOT, VECTOR_STRAIGHT, VECTOR_LOOP };
struct vector_plan {
    enum vector_form form;
    uint32_t lanes;
    int64_t count; /* STRAIGHT: iterations, or their bound */
    bool exact;    /* count is their number */
};
struct vector_plan vector_plan(struct cg *c, const struct node *n, uint32_t k);
/* SURE: there is an iteration. */
void lower_vector(struct cg *c, const struct node *n, uint32_t k, struct vector_plan p, bool sure);
bool lower_parallel(struct cg *c, const struct node *n);
/* How many leading indices of N would run in parallel here. */
uint32_t parallel_indices(struct cg *c, const struct node *n);

/* --- uses.c: names and containers; the maps are sets of name.i or container ids --- */
struct uses {
    struct cg *c;
    struct map names, conts;      /* used */
    struct map defined, declared; /* inside: indices and values, containers */
};
/* Of nodes FROM to TO of R. */
void nodes_uses(struct cg *c, const struct region *r, uint32_t from, uint32_t to, struct uses *u);
/* Of map N from index K inwards, or of loop N. */
void map_uses(struct cg *c, const struct node *n, uint32_t k, struct uses *u);
void expr_uses(struct cg *c, const struct expr *e, struct map *names);
bool sym_uses_any(struct cg *c, struct sym s, const struct map *names);
bool expr_uses_any(struct cg *c, const struct expr *e, const struct map *names);

#endif
