/* Interned names: equal text is equal id, so names compare as integers. Id 0 is "no name". */
#ifndef DCL_LANG_BASE_NAME_H
#define DCL_LANG_BASE_NAME_H

#include "lang/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name {
    uint32_t i;
};

struct names;

/* A table in arena A; lives as long as A. */
struct names *names_new(struct arena *a);
/* The id of the N bytes at TEXT. */
struct name name_of(struct names *t, const char *text, size_t n);
/* The id of a NUL-terminated text. */
struct name name_of_text(struct names *t, const char *text);
/* The text, NUL-terminated, valid as long as the table; "" for no name. */
const char *name_text(const struct names *t, struct name n);

static inline bool name_eq(struct name a, struct name b) {
    return a.i == b.i;
}
static inline bool name_none(struct name a) {
    return a.i == 0;
}

#endif
