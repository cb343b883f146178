/* Growing arrays in an arena.
     struct { struct ast **at; uint32_t n, cap; } v = {0};   or   VEC(struct ast *) v = {0};
     VEC_PUSH(arena, v, x);  for (uint32_t i = 0; i < v.n; i++) use(v.at[i]);
   A grown array leaves its old copy in the arena. */
#ifndef DCL_LANG_BASE_VEC_H
#define DCL_LANG_BASE_VEC_H

#include "lang/base/arena.h"
#include <stdint.h>

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *at;                                                                                  \
        uint32_t n, cap;                                                                           \
    }

#define VEC_PUSH(arena, v, x)                                                                      \
    do {                                                                                           \
        if ((v).n == (v).cap)                                                                      \
            (v).at = vec_grow((arena), (v).at, (v).n, &(v).cap, sizeof *(v).at);                   \
        (v).at[(v).n++] = (x);                                                                     \
    } while (0)

/* Doubles *CAP (4 at least) and returns a copy of the N elements of SIZE bytes at OLD. */
void *vec_grow(struct arena *a, const void *old, uint32_t n, uint32_t *cap, size_t size);

#endif
