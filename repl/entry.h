/* The function that --entry, --shape and --set name, and memory for a call of it. */
#ifndef DCL_REPL_ENTRY_H
#define DCL_REPL_ENTRY_H

#include "lang/base/buf.h"
#include "repl/repl.h"

enum { OPERANDS = 64 };

/* What a call of a function takes. */
struct operands {
    dcl_function *f;
    int nargs, nresults;
    dcl_tensor args[OPERANDS], results[OPERANDS];
    int64_t arg_shapes[OPERANDS][16], result_shapes[OPERANDS][16];
    int64_t numbers[OPERANDS]; /* memory of arguments without dimensions */
};

/* What the command line wants of its file, by --entry, --input, --set, --shape and --output. False
   after a message. */
bool entry_wants(const struct command_line *c, struct session_wants *w);
/* NAME, or with --shape or --set NAME(x: TYPE, k = VALUE). False after a message. */
bool entry_signature(const struct command_line *c, struct buf *b);
/* Runs BODY, which gives the exit status, with a session and the signature of what the command line
   names; Ctrl-C stops what it runs. The exit status. */
typedef int entry_body(const struct command_line *c, dcl_session *s, const char *signature);
int entry_run(const struct command_line *c, entry_body *body);
/* Reads the first file, which is run only if the entry is no function. False: messages are the
   session's. */
bool entry_define(const struct command_line *c, dcl_session *s);
/* The function of that signature in it. NULL: messages are the session's. */
dcl_function *entry_open(const struct command_line *c, dcl_session *s, const char *signature);
/* Memory for a call of F: numbers from --input, all else small numbers, integers 0. False: messages
   are the session's, or have been told. */
bool operands_make(const struct command_line *c, dcl_function *f, struct operands *o);
bool operands_call(struct operands *o);

#endif
