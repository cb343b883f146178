/* libdcl: compile and run DCL from C. No globals, no exit: every state hangs on a session.
   A session is used by one thread at a time; several sessions may be used at once.

   Functions that can fail return 0, or non-zero with the reasons in dcl_errors(), in the form that
   the program `dcl` prints. */
#ifndef DCL_H
#define DCL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dcl_session dcl_session;
typedef struct dcl_function dcl_function;

enum dcl_dtype {
    DCL_F32,
    DCL_F64,
    DCL_I32,
    DCL_I64,
    DCL_BOOL,
    DCL_I8,
    DCL_I16,
    DCL_U8,
    DCL_U16,
    DCL_U32,
    DCL_U64,
    DCL_F16, /* IEEE half precision */
    DCL_BF16 /* the upper half of an f32 */
};

/* A dense, row-major tensor; `data` belongs to the caller. `strides` (in elements) may be NULL. */
typedef struct dcl_tensor {
    void *data;
    int32_t dtype; /* enum dcl_dtype */
    int32_t rank;
    const int64_t *shape;
    const int64_t *strides;
} dcl_tensor;

/* A new session, NULL if there is no memory. OPTIONS is NULL or text of `name=value` separated by
   spaces: backend=cpu|ref, check=0|1 (1: slow, and tells what no compiler proves, see LANGUAGE.md),
   threads=N, target-cpu=NAME, cache=DIR|off, strict=0|1, verify=0|end|1,
   passes=default|none|NAME,NAME,... , without=NAME,... */
dcl_session *dcl_open(const char *options);
void dcl_close(dcl_session *s);
/* The messages of the last call that failed, "" if none; valid until the next call. */
const char *dcl_errors(dcl_session *s);

/* Reads definitions and runs statements, from text or a file. A file whose name ends in .onnx is a
   model: it becomes the instance `model`, as by the statement model = load("PATH"), which also
   takes sizes and inputs that are known; see LANGUAGE.md. */
int dcl_run(dcl_session *s, const char *text, const char *path);
int dcl_run_file(dcl_session *s, const char *path);
/* What `print` writes goes to WRITE; NULL restores standard output. */
void dcl_output(dcl_session *s, void (*write)(void *data, const char *text, size_t n), void *data);

/* The function or layer instance NAME, ready for calls of any shapes, as `f`, or with its element
   types and sizes given as a signature: "f(x: f32[M, 784], k = 3)". Dimensions that are names stay
   symbols of one compiled variant. "f(k = 3)" gives static arguments alone. NULL on errors. The
   session owns it: one handle for each text. */
dcl_function *dcl_compile(dcl_session *s, const char *signature);
/* The name of argument I of a call, NULL behind the last; *INOUT, unless NULL: is it written? */
const char *dcl_argument(const dcl_function *f, int i, int *inout);
/* How many results a call gives. */
int dcl_result_count(const dcl_function *f);
/* The shapes and types of the results for these arguments: fills RESULTS[i].dtype and rank, and
   SHAPES[i] (room for 16). Where a size is only found by running F, this runs it; what it would
   write to its arguments and states goes to copies. */
int dcl_result_shapes(dcl_function *f, const dcl_tensor *args, int nargs, dcl_tensor *results,
                      int64_t (*shapes)[16]);
/* Calls F. Results are written to the caller's memory, whose shapes must be those of
   dcl_result_shapes. Elements that F does not write keep what the memory held. */
int dcl_call(dcl_function *f, const dcl_tensor *args, int nargs, const dcl_tensor *results,
             int nresults);
/* The compiled form as text. WHAT is "dcl", "llvm", "asm"; "ptx" or "sm_80" and the like for a GPU;
   "movement" for the bytes that move. AFTER is a pass's name, "" for all passes, "lower" for none.
   Valid until the next call. NULL on errors. */
const char *dcl_show(dcl_function *f, const char *after, const char *what);
/* May be called from a signal handler or another thread: ends the running call with an error. If
   that is through already, or none runs, it ends the next one, as it begins: so no stop is lost,
   and what came too late can be taken back by dcl_go_on. A call that fails, whatever the reason,
   has met the stops before its end. */
void dcl_stop(dcl_session *s);
/* Takes back a dcl_stop that no call has met. */
void dcl_go_on(dcl_session *s);
const char *dcl_version(void);

#ifdef __cplusplus
}
#endif
#endif
