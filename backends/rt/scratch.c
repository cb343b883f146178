/* Scratch memory: a stack of blocks per thread, for packed operands and tiles.
   Blocks are multiples of 64 bytes from chunks of malloc; freeing a block frees what was taken
   after it, too. Chunks stay until the runtime goes; when a call needed several of them, the next
   one finds a single chunk of their size. Only the stack's own thread touches it, so memory lies
   where its thread first wrote it. */
#include "backends/rt/state.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGN = 64, CHUNK_MIN = 64 << 10, HUGE_PAGE = 2 << 20 };
/* More than any machine has. */
#define REQUEST_MAX (INT64_C(1) << 39)

struct rt_chunk {
    _Alignas(ALIGN) struct rt_chunk *before;
    struct rt_chunk *after;
    size_t size, used; /* of the memory that follows */
};

_Static_assert(sizeof(struct rt_chunk) == ALIGN, "blocks follow the header aligned");

static char *memory(struct rt_chunk *c) {
    return (char *)(c + 1);
}

/* A chunk for BYTES, put behind the top and made the top; false if there is no memory. */
static bool add_chunk(struct rt_scratch *s, size_t bytes) {
    size_t want = bytes > s->total ? bytes : s->total; /* doubles */
    if (want < CHUNK_MIN)
        want = CHUNK_MIN;
    struct rt_chunk *c = NULL;
    size_t size = 0;
    for (;;) {
        size = want + sizeof *c;
        size_t align = size >= HUGE_PAGE ? HUGE_PAGE : ALIGN;
        size = (size + align - 1) / align * align;
        c = aligned_alloc(align, size);
        if (c || want == bytes)
            break;
        want = bytes; /* doubling was a wish */
    }
    if (!c)
        return false;
    if (size >= HUGE_PAGE)
        madvise(c, size, MADV_HUGEPAGE); /* a hint: fewer misses of the TLB */
    *c = (struct rt_chunk){.before = s->top, .size = size - sizeof *c};
    if (s->top)
        s->top->after = c;
    else
        s->first = c;
    s->top = c;
    s->total += c->size;
    return true;
}

/* Frees C and all after it, which are empty. */
static void drop_from(struct rt_scratch *s, struct rt_chunk *c) {
    if (!c)
        return;
    if (c->before)
        c->before->after = NULL;
    else
        s->first = NULL;
    while (c) {
        struct rt_chunk *after = c->after;
        s->total -= c->size;
        free(c);
        c = after;
    }
}

static void *take(struct rt_scratch *s, size_t bytes) {
    if (!s->top || s->top->size - s->top->used < bytes) {
        struct rt_chunk *next = s->top ? s->top->after : NULL;
        if (next && next->size >= bytes) {
            s->top = next;
        } else {
            drop_from(s, next);
            if (!add_chunk(s, bytes))
                return NULL;
        }
    }
    char *p = memory(s->top) + s->top->used;
    s->top->used += bytes;
    return p;
}

void *rt_scratch(struct rt_api *api, int64_t bytes) {
    if (bytes < 0 || bytes > REQUEST_MAX)
        return NULL;
    size_t size = bytes ? ((size_t)bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
    return take(&rt_here((struct rt *)api)->scratch, size);
}

void rt_scratch_free(struct rt_api *api, void *p) {
    struct rt_scratch *s = &rt_here((struct rt *)api)->scratch;
    uintptr_t at = (uintptr_t)p;
    struct rt_chunk *c = s->top;
    while (c && !(at >= (uintptr_t)memory(c) && at < (uintptr_t)memory(c) + c->used))
        c = c->before;
    if (!c)
        return; /* NULL, or freed already with one below */
    for (struct rt_chunk *above = s->top; above != c; above = above->before)
        above->used = 0;
    c->used = at - (uintptr_t)memory(c);
    s->top = c;
    if (c->used == 0 && c->before)
        s->top = c->before;
}

void rt_scratch_reset(struct rt_scratch *s) {
    if (!s->first)
        return;
    if (s->first->after) {
        /* Several: one of their size is better. Made now: the total is lost with them. */
        size_t total = s->total;
        rt_scratch_release(s);
        add_chunk(s, total);
        if (!s->first)
            return;
    }
    s->first->used = 0;
    s->top = s->first;
}

void rt_scratch_release(struct rt_scratch *s) {
    drop_from(s, s->first);
    *s = (struct rt_scratch){0};
}
