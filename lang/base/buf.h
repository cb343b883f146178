/* A growing text, for printers. Its memory is an arena's; `at` is always NUL-terminated. */
#ifndef DCL_LANG_BASE_BUF_H
#define DCL_LANG_BASE_BUF_H

#include "lang/base/arena.h"
#include <stddef.h>

struct buf {
    struct arena *arena;
    char *at;
    size_t n, cap;
};

/* An empty text in arena A. */
struct buf buf_new(struct arena *a);
void buf_bytes(struct buf *b, const char *text, size_t n);
void buf_text(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* TEXT as a string of JSON (RFC 8259), in its quotes. */
void buf_json(struct buf *b, const char *text);

#endif
