/* More of the session for the program `dcl`: what dcl.h has not, since it is not for programs that
   embed DCL. */
#ifndef DCL_SESSION_SESSION_H
#define DCL_SESSION_SESSION_H

#include "dcl.h"

#include <stdbool.h>

/* Messages of the last call, warnings too, also where it did not fail. */
const char *session_messages(dcl_session *s);
/* Whether messages have terminal colours. */
void session_colour(dcl_session *s, bool on);
/* As dcl_run for a line that was typed: an error takes back all that the line did; the value of an
   expression is printed. */
int session_line(dcl_session *s, const char *text, const char *path);
/* Checks a file and all its definitions; runs nothing. */
int session_check(dcl_session *s, const char *path);
/* The same, and its definitions stay. */
int session_define(dcl_session *s, const char *path);
/* The source text of the definition NAME, or what a variable is; NULL if there is none. Valid until
   the next call. */
const char *session_describe(dcl_session *s, const char *name);
/* The names of the results of NAME, which is a function, an instance, a method such as `a.b`, or a
   signature: the K-th, "" for one without, NULL past the last. */
const char *session_result_name(dcl_session *s, const char *name, int k);
/* Calls F for the names of variables and definitions that begin with PREFIX (for completion). */
void session_names(dcl_session *s, const char *prefix, void (*f)(void *data, const char *name),
                   void *data);
/* A pass by position, for help; NULL past the last. */
const char *session_pass(int k, const char **doc);
/* The one of N words that TEXT, which is none of them, was perhaps meant to be; NULL if none is
   near. */
const char *session_nearest(const char *text, const char *const *words, int n);

#endif
