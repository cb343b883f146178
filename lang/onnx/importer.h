/* What the files that make a program of a model share.

   Note [two turns]
   First each node becomes an expression over stand-ins, names that no program can spell, and this
   is evaluated with verbs that do nothing (lang/eval/outline.h): so shapes are known, what is known
   to be a number is one, what does not fit is told, and which weights are read as tensors. Then
   names are given, and stand-ins become what reads the values. */
#ifndef DCL_LANG_ONNX_IMPORTER_H
#define DCL_LANG_ONNX_IMPORTER_H

#include "lang/eval/outline.h"
#include "lang/onnx/idents.h"
#include "lang/onnx/import.h"
#include "lang/onnx/model.h"
#include "lang/onnx/operators.h"

/* What a name of the model stands for. */
struct operand {
    enum operand_kind {
        OPERAND_UNKNOWN, /* there was a problem */
        OPERAND_TENSOR,  /* known when it runs */
        OPERAND_FIXED,   /* numbers, or lists of them, known now */
        OPERAND_WEIGHT   /* a weight of the model */
    } kind;
    enum dtype type;
    struct value v;          /* TENSOR, WEIGHT: a tensor or scalar of the outline; FIXED: static */
    struct name stand_in;    /* stands for it in expressions; not of FIXED */
    uint32_t weight;         /* WEIGHT: its place in the model */
    struct ast *read;        /* what the stand-in becomes, NULL until that is known */
    struct ast *access;      /* WEIGHT: what reads it in the model's method */
    struct name result;      /* the output that it is, or none */
    bool carried;            /* a loop changes it: it is none */
    bool aliased;            /* another operand has the same name */
    struct wire_bytes label; /* what it is called, where it has another name, too */
};

/* A line of the program: TARGETS = VALUE; or TARGETS = if VALUE ..; or a loop. */
struct line {
    struct ast *value; /* of a loop how many turns it has, NULL: it has a condition */
    uint32_t ntargets;
    struct operand **targets;       /* NULL: not wanted */
    const struct wire_bytes *names; /* of the targets in the file */
    struct wire_bytes node;         /* the name of the node; empty: it has none */
    struct choice *choice;
    struct loop *loop;
    bool rewritten; /* by a rule: it stands for several nodes */
};

/* The lines of a graph. */
struct body {
    VEC(struct line) lines;
};

/* An `if` whose condition the run decides. */
struct choice {
    struct body sides[2];
    struct ast **results[2]; /* what each gives, for each target */
};

struct loop {
    struct name index;     /* counts the turns of a `for` */
    struct ast *condition; /* of a `while`, before each turn */
    bool bounded;          /* the condition reads the number of the turn */
    struct body body;
    /* A value that goes from one turn to the next, and out of the loop. */
    struct carried {
        struct operand *to;
        struct ast *start, *next;      /* NEXT NULL: the number of the turn, the last one of them */
        struct wire_bytes name, later; /* in the graph; behind the loop, empty: it is not wanted */
    } * carried;
    /* A tensor that gets a part in each turn. */
    struct stacked {
        struct operand *to;
        struct ast *element, *place; /* PLACE: the part, by TO's stand-in */
        bool appended;
        struct wire_bytes name;
    } * stacked;
    uint32_t ncarried, nstacked;
};

/* What the names of a graph stand for. Those of a graph in a node are its own: others may have the
   same ones. */
struct operands {
    struct map at;          /* id of a value -> struct operand * */
    struct operands *outer; /* whose names mean the same here, NULL: there are none */
    struct operands *before;
    bool ordered; /* model.c has told what nothing makes */
};

struct importer {
    struct arena *arena;
    struct names *names; /* of the program */
    struct onnx_model *model;
    struct onnx_problems *problems;
    struct outline *outline;
    struct env *env;     /* of the stand-ins */
    struct diags errors; /* of the evaluator */
    struct idents scope;
    struct operands *operands;     /* of the graph that is imported */
    VEC(struct operand *) weights; /* beside those of the model */
    struct map stand_ins;          /* stand-in -> struct operand * */
    struct map sizes;              /* symbol of a size that a run finds -> struct found_size * */
    struct map results;            /* id of an output -> name */
    struct map symbols;            /* name of a dimension, as an id of the model -> name */
    struct map dims;               /* names that are symbols of the outline -> 1 */
    struct map taken;              /* names that mean something in all methods: functions, dims */
    VEC(struct name) library;      /* layers that rules make */
    struct wire_bytes prefix;      /* of names in the layer whose method is written */
    bool inside;                   /* it is not the model's */
    const struct onnx_call *call;  /* in whose function that stands, or NULL */
    uint64_t called;               /* what functions that were called are together */
    struct body *body;             /* of the graph that is imported */
    uint32_t drawn;                /* nodes of random numbers so far */
    uint32_t stands;               /* stand-ins so far */
    bool found, open;              /* for import.c: a size that a run finds; some result has one */
};

/* --- syntax.c: trees ------------------------------------------------------------------------- */

struct ast *new_node(struct importer *m, enum ast_kind kind, uint32_t nkids);
struct ast *new_name(struct importer *m, struct name n);
struct ast *new_text_name(struct importer *m, const char *text);
struct ast *new_int(struct importer *m, int64_t v);
struct ast *new_call(struct importer *m, const char *callee);
/* TO = VALUE, behind the statements of BLOCK. */
void add_assignment(struct importer *m, struct ast *block, struct ast *to, struct ast *value);
/* OF[:, AT, :]: of RANK dimensions that at AXIS. */
struct ast *new_part(struct importer *m, struct ast *of, uint32_t rank, uint32_t axis,
                     struct ast *at);
/* Notes that X, of the graph that is imported, has its sizes. */
void note_sizes(struct importer *m, const struct operand *x);
/* A static value as an expression: a number, symbol, text, truth value, type, or list of such. A
   size that a run finds is the size of an operand that has it; a problem if there is none. */
struct ast *ast_of_value(struct importer *m, const struct value *v);

/* --- operands.c ------------------------------------------------------------------------------ */

/* One without a name. */
struct operand *operand_make(struct importer *m, enum operand_kind kind, enum dtype type,
                             struct value v);
struct operand *operand_new(struct importer *m, struct name id, enum operand_kind kind,
                            enum dtype type, struct value v);
/* The operand that weight INDEX of the model is; each is imported once, in their order. */
void import_weight(struct importer *m, uint32_t index);
/* A graph in a node begins, and ends. CLOSED: it does not see the names around it. */
void operands_enter(struct importer *m, struct operands *inner, bool closed);
void operands_leave(struct importer *m);
/* NULL if nothing is known of it. */
struct operand *operand_of(struct importer *m, struct name id);
/* Input K of X, in *AT; false if there was a problem with it. */
bool operand_input(struct importer *m, const struct onnx_node *x, uint32_t k, struct operand **at);
/* The same of names of this graph, not those around it. */
struct operand *operand_here(struct importer *m, struct name id);
/* ID is another name for X. */
void operand_same(struct importer *m, struct name id, struct operand *x);
/* Whether X is known now, its value in *V. INTEGERS: a weight counts only if a program would not
   train it. */
bool operand_fixed(struct importer *m, const struct operand *x, bool integers, struct value *v);
/* Makes the number or truth value *V one of T, as a cast does; false if it is of another kind. */
bool operand_round(enum dtype t, struct value *v);
/* V, which holds exact elements of T, as a program writes them: 0.1 for the f32 nearest to it. */
struct value operand_shown(struct importer *m, enum dtype t, struct value v);
/* Numbers, or lists of them, as a tensor. */
struct ast *operand_numbers(struct importer *m, const struct value *v);
/* E as elements of T. */
struct ast *operand_cast(struct importer *m, enum dtype t, struct ast *e);
/* An expression that reads X as a tensor. WEAK: a number may take the element type it meets. */
struct ast *operand_tensor(struct importer *m, const struct operand *x, bool weak);

/* --- attributes.c ---------------------------------------------------------------------------- */

/* Appends the keywords of a node to CALL (NULL: it takes none); false after problems. */
bool add_attributes(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                    struct ast *call);
/* The weight that a node is which holds a tensor in an attribute; false after a problem. */
bool constant_weight(struct importer *m, const struct onnx_node *x, struct onnx_weight *out);

/* --- nodes.c --------------------------------------------------------------------------------- */

/* The first turn, for one node. */
void import_node(struct importer *m, const struct onnx_node *x);

/* --- rewrites.c ------------------------------------------------------------------------------ */

/* Applies the rules that PROGRAM sees to all lines. */
void rewrite_lines(struct importer *m, const struct module *program);

/* --- instances.c ----------------------------------------------------------------------------- */

/* E is a call of an instance whose states are given, as a rule made it. Whether they are weights
   that the layer can have. */
bool instance_fits(struct importer *m, struct ast *e);
/* E without its states. */
struct ast *instance_bare(struct importer *m, const struct ast *e);
/* Notes what E was: an expression in which instance_role stands for a state. */
void instance_was(struct importer *m, struct ast *e, struct ast *was);
struct ast *instance_role(struct importer *m, struct name state);
/* What reads the instance that E, resolved, calls; NULL: E is no such call. */
const struct ast *instance_read(struct importer *m, const struct ast *e);

/* --- calls.c --------------------------------------------------------------------------------- */

/* The nodes of F, which X means, as if they stood there. Its outputs are set unless there is a
   problem. */
void import_call(struct importer *m, const struct onnx_node *x, const struct wire_function *f);

/* --- bodies.c -------------------------------------------------------------------------------- */

/* A node that holds graphs, with its N operands AT; its outputs are set unless there is a
   problem. */
void import_control(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                    struct operand *const *at, uint32_t n);

/* --- lines.c --------------------------------------------------------------------------------- */

/* The operand that the stand-in E is of; NULL: it is none. */
struct operand *stood_for(struct importer *m, const struct ast *e);
/* Calls EACH for every stand-in that is read. */
struct visitor {
    struct importer *m;
    void (*each)(void *data, struct operand *x);
    void *data;
};
void visit_expression(const struct visitor *v, const struct ast *e);
void visit_line(const struct visitor *v, const struct line *line);
void visit_body(const struct visitor *v, const struct body *b);
/* What LOOP reads behind a turn. */
void visit_turn(const struct visitor *v, const struct loop *loop);
/* Keeps the weights that are read. */
void drop_weights(struct importer *m);
/* What a value in between is called: `/fc1/Gemm_output_0` is fc1_gemm. */
struct name claim_value(struct importer *m, struct wire_bytes name);
/* E with what reads the values in place of stand-ins. */
struct ast *finished(struct importer *m, struct ast *e);
/* One line as statements of BLOCK. */
void finish_line(struct importer *m, const struct line *line, struct ast *block);
/* The second turn: the lines of B as statements of BLOCK. */
void finish_body(struct importer *m, const struct body *b, struct ast *block);

/* --- import.c -------------------------------------------------------------------------------- */

/* Whether a size hangs on what only a run finds. */
bool is_found(struct importer *m, const struct value *dim);
struct ast *make_type(struct importer *m, enum dtype t, uint32_t rank, const struct value *dims);
/* Notes the names of functions that E calls. */
void take_called(struct map *taken, const struct ast *e);
/* A dimension of FN that is named once may be any. */
void drop_symbols(struct importer *m, struct ast *fn);

#endif
