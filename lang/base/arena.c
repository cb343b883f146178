/* Arenas over malloc, and the only malloc and free of lang/.
   An arena is a list of blocks; the newest ordinary block is bumped. Blocks start at 4 KiB and
   double up to 1 MiB; a request that would take more than half of the next block gets a block of
   its own, behind the current one, so the rest of the current one stays in use.
   Blocks are zeroed once (calloc) and never reused, so an allocation is a bump and nothing more.
   Holds always: every pointer given out is aligned to 16; blocks and callbacks hang on the arena
   before control returns, so a jump out of memory leaves an arena that can be used and freed.

   Note [out of memory]
   Nothing returns NULL for want of memory (but mem_aligned): callers need no check, and no path is
   left untested for lack of one. The session that wants to survive sets a jmp_buf for its thread
   with arena_on_oom; the failing allocation jumps there with value 1. The handler stays set, frames
   between are lost, arenas are intact and the session frees those that the lost frames owned. What
   is not arena memory (mem_alloc, files) leaks on the way unless it is registered with
   arena_on_free. Without a handler the process ends by abort with a line on stderr. */
#include "lang/base/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#elif defined __SANITIZE_ADDRESS__
#define ARENA_ASAN 1
#endif

/* Under the address sanitizer the unused part of a block is poisoned and neighbours are kept apart
   by a gap, so an access beyond an object is found as it would be with malloc. */
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define ARENA_GAP 16
#define REQUEST_MAX ((size_t)1 << 34) /* what it refuses ends the process: stay below */
#else
#define ASAN_POISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(at, n) ((void)(at), (void)(n))
#define ARENA_GAP 0
#define REQUEST_MAX (SIZE_MAX / 4) /* so that rounding up does not overflow */
#endif

enum { ALIGN = 16, BLOCK_FIRST = 4 << 10, BLOCK_MAX = 1 << 20 };
struct block {
    struct block *next; /* older */
    size_t size;        /* bytes after this header */
};

struct closer {
    struct closer *next; /* registered before this one */
    void (*close)(void *data);
    void *data;
};

struct arena {
    struct block *blocks; /* the first is the one that AT points into, when there is one */
    char *at, *end;
    size_t next_size; /* of the next ordinary block, header included */
    size_t bytes;
    struct closer *closers;
    struct arena **holder; /* where the parent keeps it, or NULL */
};

_Static_assert(sizeof(struct block) % ALIGN == 0, "block contents start aligned");

static _Thread_local jmp_buf *oom_handler;
static _Thread_local long fail_countdown = -1;

jmp_buf *arena_on_oom(jmp_buf *where) {
    jmp_buf *former = oom_handler;
    oom_handler = where;
    return former;
}

void arena_fail_after(long n) {
    fail_countdown = n;
}

/* Counts one allocation of SIZE bytes; true if it is impossible or a test wants it to fail. */
static bool must_fail(size_t size) {
    if (size > REQUEST_MAX)
        return true;
    if (fail_countdown < 0)
        return false;
    if (--fail_countdown > 0)
        return false;
    fail_countdown = -1;
    return true;
}

static _Noreturn void out_of_memory(void) {
    if (oom_handler)
        longjmp(*oom_handler, 1);
    fputs("out of memory\n", stderr);
    abort();
}

struct arena *arena_new(void) {
    struct arena *a = must_fail(sizeof *a) ? NULL : calloc(1, sizeof *a);
    if (!a)
        out_of_memory();
    a->next_size = BLOCK_FIRST;
    return a;
}

void arena_reset(struct arena *a) {
    /* A callback may still use the arena, and even register another one. */
    while (a->closers) {
        struct closer *c = a->closers;
        a->closers = c->next;
        c->close(c->data);
    }
    for (struct block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        ASAN_UNPOISON_MEMORY_REGION(b + 1, b->size);
        free(b);
    }
    *a = (struct arena){.next_size = BLOCK_FIRST, .holder = a->holder};
}

static void close_child(void *arena) {
    arena_free(*(struct arena **)arena);
}

struct arena *arena_under(struct arena *a) {
    struct arena **child = ARENA_NEW(a, struct arena *);
    arena_on_free(a, close_child, child); /* first: nothing is lost if there is no memory */
    *child = arena_new();
    (*child)->holder = child;
    return *child;
}

void arena_free(struct arena *a) {
    if (!a)
        return;
    if (a->holder)
        *a->holder = NULL; /* its parent need not free it any more */
    arena_reset(a);
    free(a);
}

/* A new block with SIZE usable bytes, not yet in the list; jumps when there is no memory. */
static struct block *block_new(struct arena *a, size_t size) {
    struct block *b = calloc(1, sizeof *b + size);
    if (!b)
        out_of_memory();
    b->size = size;
    a->bytes += sizeof *b + size;
    if (a->next_size < BLOCK_MAX)
        a->next_size *= 2;
    ASAN_POISON_MEMORY_REGION(b + 1, size);
    return b;
}

/* Room for SIZE bytes (rounded up by the caller) in a block of its own. */
static char *alloc_big(struct arena *a, size_t size) {
    struct block *b = block_new(a, size);
    if (a->blocks) {
        b->next = a->blocks->next;
        a->blocks->next = b;
    } else {
        a->blocks = b;
    }
    return (char *)(b + 1);
}

void *arena_alloc(struct arena *a, size_t size) {
    if (must_fail(size))
        out_of_memory();
    size_t room = ((size ? size : 1) + ALIGN - 1) / ALIGN * ALIGN + ARENA_GAP;
    char *at;
    if (room <= (size_t)(a->end - a->at)) {
        at = a->at;
        a->at += room;
    } else if (room > a->next_size / 2) {
        at = alloc_big(a, room);
    } else {
        struct block *b = block_new(a, a->next_size - sizeof(struct block));
        b->next = a->blocks;
        a->blocks = b;
        at = (char *)(b + 1);
        a->at = at + room;
        a->end = at + b->size;
    }
    ASAN_UNPOISON_MEMORY_REGION(at, size);
    return at;
}

void *arena_copy(struct arena *a, const void *data, size_t size) {
    void *copy = arena_alloc(a, size);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *arena_strndup(struct arena *a, const char *text, size_t n) {
    char *copy = arena_alloc(a, n < SIZE_MAX ? n + 1 : n);
    if (n)
        memcpy(copy, text, n);
    return copy;
}

char *arena_vprintf(struct arena *a, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    size_t size = n < 0 ? 1 : (size_t)n + 1; /* a text that cannot be formatted is empty */
    char *text = arena_alloc(a, size);
    if (n > 0)
        vsnprintf(text, size, format, again);
    va_end(again);
    return text;
}

char *arena_printf(struct arena *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

void arena_on_free(struct arena *a, void (*close)(void *data), void *data) {
    struct closer *c = ARENA_NEW(a, struct closer);
    *c = (struct closer){.next = a->closers, .close = close, .data = data};
    a->closers = c;
}

size_t arena_bytes(const struct arena *a) {
    return a->bytes;
}

void *mem_alloc(size_t size) {
    void *p = must_fail(size) ? NULL : malloc(size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

void *mem_realloc(void *p, size_t size) {
    void *grown = must_fail(size) ? NULL : realloc(p, size ? size : 1);
    if (!grown)
        out_of_memory();
    return grown;
}

void *mem_room(size_t size, size_t align) {
    void *p;
    if (align < sizeof(void *))
        align = sizeof(void *);
    return must_fail(size) || posix_memalign(&p, align, size ? size : 1) ? NULL : p;
}

void *mem_aligned(size_t size, size_t align) {
    void *p = mem_room(size, align);
    return p ? memset(p, 0, size) : NULL;
}

void mem_free(void *p) {
    free(p);
}
