/* Source texts and places in them. A span is a source and two byte offsets; line and column are
   computed when a message is printed. */
#ifndef DCL_LANG_BASE_SOURCE_H
#define DCL_LANG_BASE_SOURCE_H

#include "lang/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    uint32_t source; /* index into struct sources; 0 is "no place" */
    uint32_t start, end;
};
static inline bool span_eq(struct span a, struct span b) {
    return a.source == b.source && a.start == b.start && a.end == b.end;
}

struct source {
    const char *path; /* as the user gave it; "<stdin>", "<repl:12>", ... */
    const char *text; /* NUL-terminated */
    uint32_t n;       /* bytes */
};

struct sources;

struct sources *sources_new(struct arena *a);
/* Adds a copy of TEXT (N bytes, below 2^31) under PATH; returns its index (1 and up). */
uint32_t sources_add(struct sources *s, const char *path, const char *text, size_t n);
const struct source *sources_get(const struct sources *s, uint32_t index);
/* Line and column (1-based, columns in bytes) of byte OFFSET. */
void source_position(const struct source *s, uint32_t offset, uint32_t *line, uint32_t *column);

/* Reads a whole file into arena A. NULL on failure with a reason in *WHY (static or arena text);
   folders, files over 1 GiB and unreadable files fail. */
char *source_read_file(struct arena *a, const char *path, size_t *n, const char **why);
/* The same of a program: what is no text is refused. */
char *source_read_text(struct arena *a, const char *path, size_t *n, const char **why);
/* Whether TEXT holds no zero bytes; if not, the reason in *WHY, which may be NULL. */
bool source_is_text(const char *text, size_t n, const char **why);

#endif
