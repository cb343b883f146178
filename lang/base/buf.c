/* The growing text of buf.h. Capacity doubles; old copies stay in the arena, so a text that is
   appended to itself is valid while it is read. `cap` counts the closing NUL: n < cap always. */
#include "lang/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct buf buf_new(struct arena *a) {
    size_t cap = 64;
    return (struct buf){.arena = a, .at = arena_alloc(a, cap), .n = 0, .cap = cap};
}

/* Makes room for N more bytes and the NUL. */
static void reserve(struct buf *b, size_t n) {
    if (n < b->cap - b->n)
        return;
    size_t cap = b->cap;
    while (n >= cap - b->n)
        cap = cap <= SIZE_MAX / 2 ? cap * 2 : SIZE_MAX;
    char *at = arena_alloc(b->arena, cap);
    memcpy(at, b->at, b->n + 1);
    b->at = at;
    b->cap = cap;
}

void buf_bytes(struct buf *b, const char *text, size_t n) {
    if (n >= SIZE_MAX / 2 - b->n)
        arena_alloc(b->arena, SIZE_MAX); /* does not return: see Note [out of memory] */
    reserve(b, n);
    if (n)
        memcpy(b->at + b->n, text, n);
    b->n += n;
    b->at[b->n] = '\0';
}

void buf_text(struct buf *b, const char *text) {
    buf_bytes(b, text, strlen(text));
}

/* Prints in place when it fits; an argument may therefore not be the buffer's own text. */
void buf_printf(struct buf *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(b->at + b->n, b->cap - b->n, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n >= b->cap - b->n) {
        b->at[b->n] = '\0';
        reserve(b, (size_t)n);
        va_start(args, format);
        n = vsnprintf(b->at + b->n, b->cap - b->n, format, args);
        va_end(args);
    }
    if (n > 0)
        b->n += (size_t)n;
    b->at[b->n] = '\0';
}

void buf_json(struct buf *b, const char *text) {
    buf_text(b, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_printf(b, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            buf_printf(b, "\\u%04x", (unsigned)*text);
        else
            buf_bytes(b, text, 1);
    }
    buf_text(b, "\"");
}
