/* Arenas: memory with one named lifetime (session, unit, graph, pass scratch).
   Everything that is allocated from an arena goes when the arena is freed; what needs closing
   (files, mappings, device buffers) registers a callback, run in reverse order of registration.
   arena_alloc never returns NULL: when the system has no memory left it jumps to the handler that
   arena_on_oom set for this thread (see Note [out of memory] in arena.c), else it aborts. */
#ifndef DCL_LANG_BASE_ARENA_H
#define DCL_LANG_BASE_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* A new arena; its blocks come from malloc. The caller frees it with arena_free. */
struct arena *arena_new(void);
/* A new arena that is freed with A at the latest: what a step needs for itself survives no
   out-of-memory jump over the step. */
struct arena *arena_under(struct arena *a);
/* Runs the callbacks, frees all blocks and the arena itself. NULL is allowed. */
void arena_free(struct arena *a);
/* Runs the callbacks and frees the contents, keeps the arena for new use. */
void arena_reset(struct arena *a);
/* SIZE zeroed bytes, aligned for any type (16). SIZE 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size);
/* A copy of SIZE bytes at DATA. */
void *arena_copy(struct arena *a, const void *data, size_t size);
/* A NUL-terminated copy of N bytes at TEXT. */
char *arena_strndup(struct arena *a, const char *text, size_t n);
/* printf into the arena. */
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* CLOSE(data) runs when the arena is freed or reset. */
void arena_on_free(struct arena *a, void (*close)(void *data), void *data);
/* Bytes held by the arena's blocks. */
size_t arena_bytes(const struct arena *a);

/* Where this thread continues (longjmp with 1) when memory runs out; returns the former one.
   NULL restores the default, which is to abort. */
jmp_buf *arena_on_oom(jmp_buf *where);

/* For tests: on this thread the N-th allocation from now on (1 is the next; arena_new, arena_alloc
   and the mem_ functions count) fails once, as if there were no memory. Negative turns it off. */
void arena_fail_after(long n);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

/* malloc, realloc and free for the few buffers that are not arena memory (large tensors, file
   contents); same rule for running out of memory. Freed with mem_free. */
void *mem_alloc(size_t size);
void *mem_realloc(void *p, size_t size);
/* As mem_alloc, aligned to ALIGN (a power of two); zeroed. NULL when there is no memory: the one
   allocation a caller may survive, since a user can ask for any size of tensor. */
void *mem_aligned(size_t size, size_t align);
/* The same with any content: large memory that is not touched costs no time. */
void *mem_room(size_t size, size_t align);
void mem_free(void *p);

#endif
