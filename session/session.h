/* More of the session for the program `dcl`: what dcl.h has not, since it is not for programs that
   embed DCL. */
#ifndef DCL_SESSION_SESSION_H
#define DCL_SESSION_SESSION_H

#include "dcl.h"

#include <stdbool.h>
#include <stdint.h>

/* Messages of the last call, warnings too, also where it did not fail. */
const char *session_messages(dcl_session *s);
/* Whether the last call failed by a mistake of our own. */
bool session_bug(dcl_session *s);
/* What a session is doing. */
struct session_doing {
    const char *what;       /* as session_begin was told; NULL: a call of the session's face */
    const char *path;       /* of the statement that runs; NULL: none */
    uint32_t line, at, all; /* its line; statement AT of ALL in the text, from 1; 0: not known */
    char indices[96];       /* of the script's loops around it, as "epoch = 3" */
    bool compiles;
};
/* BEGIN and END of what is waited for; STEP: it goes on, as told; OUTPUT: something is going to be
   written; CLOSE: the session ends. */
enum session_moment { MOMENT_BEGIN, MOMENT_STEP, MOMENT_OUTPUT, MOMENT_END, MOMENT_CLOSE };
typedef void session_tell(void *data, enum session_moment m, const struct session_doing *d);
/* From here on TELL is called at each of these, by the thread that uses the session. */
void session_progress(dcl_session *s, session_tell *tell, void *data);
/* WHAT begins, as "measuring f", and ends: calls between are parts of it. */
void session_begin(dcl_session *s, const char *what);
void session_end(dcl_session *s);
/* Whether messages have terminal colours. */
void session_colour(dcl_session *s, bool on);
/* How images are printed: what the terminal understands. */
enum picture_form { PICTURE_SHADES, PICTURE_BLOCKS, PICTURE_KITTY, PICTURE_SIXEL };
void session_pictures(dcl_session *s, enum picture_form form);
/* As dcl_run for a line that was typed: an error takes back all that the line did; the value of an
   expression is printed. */
int session_line(dcl_session *s, const char *text, const char *path);
/* Checks a file and all its definitions; runs nothing. */
int session_check(dcl_session *s, const char *path);
/* The same, and its definitions stay. */
int session_define(dcl_session *s, const char *path);
/* Reads and runs a file as one line: an error takes back all that it did. *TEXT: what has run,
   valid until the next call; NULL after an error, and of a model. */
int session_load(dcl_session *s, const char *path, const char **text);

/* A name that an option of the command line gave. */
struct session_name {
    const char *option, *name; /* "--set", "k" */
};
/* What is wanted of a file: a call of ENTRY, as dcl_compile has it, with these arguments and these
   results, each a name or a number; without an ENTRY, variables that its script reads. */
struct session_wants {
    const char *entry;
    int n, nresults;
    const struct session_name *given, *results;
};
/* From here on a file that is read has to have what W wants, as far as that is known before it
   runs, or it is an error and nothing runs; NULL: nothing is wanted. W stays with the caller. */
void session_want(dcl_session *s, const struct session_wants *w);
/* Whether the last call failed for this. */
bool session_refused(dcl_session *s);

/* What is known of an ONNX model beside its file: the value of an input, as an expression, or the
   size of a dimension. */
struct session_known {
    const char *name, *value;
    bool dimension;
    bool likely; /* the size that dimension "x[0]" of the program's parameter x is going to have */
};
/* Whether PATH is a model's. */
bool session_is_model(const char *path);
/* From here on a model that is given as the file of a program is the variable `model`, and KNOWN is
   known of it. They stay with the caller. */
void session_know(dcl_session *s, const struct session_known *known, int n);
/* The ONNX model FROM becomes the program TO, which ends in .dcl, and its weights the file beside
   it that ends in .safetensors instead. On an error nothing is written; it is one that a file is
   there already, but with FORCE. RULES, or NULL, is a
   file whose rewrites are applied to the program. */
int session_import(dcl_session *s, const char *from, const char *to,
                   const struct session_known *known, int n, const char *rules, bool force);

/* The function that SIGNATURE means, as dcl_compile has it, as the ONNX model PATH, which ends in
   .onnx: with the operators of version OPSET, 0 for the usual one. APART: the weights' elements go
   to PATH.data. On an error nothing is written; it is one that a file is there already, but with
   FORCE. */
int session_export(dcl_session *s, const char *signature, const char *path, long opset, bool apart,
                   bool force);

/* --- questions: evaluating for them leaves nothing behind. Texts are valid until the next call,
   NULL after an error. */

/* The type of an expression, as "f32[2, 3]"; of a function how it is called. */
const char *session_type(dcl_session *s, const char *expression);
/* Its shape, as "[2, 3]"; of a list or instance one per line. */
const char *session_shape(dcl_session *s, const char *expression);
/* The text of a function, of a layer, of an instance's layer, and where it stands. */
const char *session_source(dcl_session *s, const char *name);
/* How NAME is called and its documentation. */
const char *session_help(dcl_session *s, const char *name);
/* What an expression is compiled to, as dcl_show; of a function or instance, of a call of it. */
const char *session_show(dcl_session *s, const char *expression, const char *what);
struct timing {
    int runs;
    double median, least; /* seconds of a run */
    double compile;       /* of all before the first */
    bool compiled;        /* else a run evaluates the statement anew */
};
/* Runs an expression or statement again and again. */
int session_time(dcl_session *s, const char *statement, struct timing *out);

/* From here on NAME is printed when it is computed, or no more if it was: a name in a function or
   method of the session (also as "FN.h", "LAYER.h", "net.h"), or an instance as "net.blocks[0]", of
   which it is what calls of it give. *ON: which of both. */
int session_watch(dcl_session *s, const char *name, bool *on);
/* The K-th of what is watched; NULL past the last. */
const char *session_watched(dcl_session *s, int k);

/* --- names */

/* The names of the results of NAME, which is a function, an instance, a method such as `a.b`, or a
   signature: the K-th, "" for one without, NULL past the last. */
const char *session_result_name(dcl_session *s, const char *name, int k);
/* Calls F for the names that begin with PREFIX of variables, definitions, functions and types. */
void session_names(dcl_session *s, const char *prefix, void (*f)(void *data, const char *name),
                   void *data);
/* The same for members of what PATH, as "net.blocks[0]", names; of a list: "[0]", .. */
void session_members(dcl_session *s, const char *path, const char *prefix,
                     void (*f)(void *data, const char *name), void *data);
/* Calls F for the files of the standard library whose functions are called by name, in order. */
int session_library(dcl_session *s, void (*f)(void *data, const char *path), void *data);
/* The K-th argument of F, which was compiled by a signature whose sizes are numbers: its name, its
   type and rank in T, its sizes in SHAPE (room for 16), where T points. NAME is NULL past the last
   one. */
int session_argument(dcl_function *f, int k, const char **name, dcl_tensor *t, int64_t *shape);
/* What a call of F has to do at least: operators on floats, see Note [operations] in work.c; bytes
   of arguments, states and results, each moved once. */
struct session_work {
    double operations, bytes;
};
int session_work(dcl_function *f, struct session_work *out);
/* A part of a compiled function, a node of its graph: where it comes from, its bytes, see
   compiler/analysis/movement.h. PATH "": nowhere. */
struct session_part {
    const char *path, *text; /* TEXT is the line */
    uint32_t line;
    double bytes;
};
/* The parts of what F called last, in a session with the option profile=1, in order. Valid until
   the next call. */
int session_parts(dcl_function *f, int *n, struct session_part **parts);
/* One call as dcl_call makes it; when it began and when each of its N parts ended, in nanoseconds
   since some moment, into the N + 1 TIMES. */
int session_profile(dcl_function *f, const dcl_tensor *args, int nargs, const dcl_tensor *results,
                    int nresults, int n, int64_t *times);
/* A variable NAME of the script: a tensor of element type TYPE, as "f32", whose elements are
   VALUES. */
int session_tensor(dcl_session *s, const char *name, const char *type, int rank,
                   const int64_t *shape, const double *values);
/* A pass by position, for help; NULL past the last. */
const char *session_pass(int k, const char **doc);
/* The one of N words that TEXT, which is none of them, was perhaps meant to be; NULL if none is
   near. */
const char *session_nearest(const char *text, const char *const *words, int n);

#endif
