/* Growth of the arrays of vec.h: capacity doubles, so n pushes cost O(n) in time and, with the old
   copies that stay in the arena, in memory. A count that leaves 32 bits is out of memory. */
#include "lang/base/vec.h"

#include <string.h>

void *vec_grow(struct arena *a, const void *old, uint32_t n, uint32_t *cap, size_t size) {
    uint64_t grown = *cap < 4 ? 4 : (uint64_t)*cap * 2;
    if (grown > UINT32_MAX)
        grown = UINT32_MAX;
    /* The largest array is full: ask for what nobody has (see Note [out of memory]). */
    size_t bytes = n == UINT32_MAX || size > SIZE_MAX / grown ? SIZE_MAX : (size_t)grown * size;
    void *at = arena_alloc(a, bytes);
    if (n)
        memcpy(at, old, (size_t)n * size);
    *cap = (uint32_t)grown;
    return at;
}
