/* A reader for JSON texts, value by value: as much as headers of weight files need. */
#ifndef DCL_LANG_FILES_JSON_H
#define DCL_LANG_FILES_JSON_H

#include "lang/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text from AT to END. After a function returned false WHY tells the reason. */
struct json {
    struct arena *arena;
    const char *at, *end;
    const char *why;
};

/* The sign C, after white space. */
bool json_expect(struct json *j, char c);
/* Whether C is next; if so, it is taken. */
bool json_take(struct json *j, char c);
/* A string without NUL; *TEXT is UTF-8, NUL-terminated, in the arena. */
bool json_string(struct json *j, const char **text);
/* A whole number from 0 to 2^63 - 1. */
bool json_natural(struct json *j, int64_t *v);
/* Any value; nested up to JSON_DEPTH_MAX deep. */
enum { JSON_DEPTH_MAX = 64 };
bool json_skip(struct json *j);
/* Nothing but white space up to the end. */
bool json_end(struct json *j);

#endif
