/* A hash map from 64-bit keys to 64-bit values (ids or pointers), in an arena. Iteration order is
   the order of insertion, so nothing that is printed depends on hashes. */
#ifndef DCL_LANG_BASE_MAP_H
#define DCL_LANG_BASE_MAP_H

#include "lang/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct map_entry {
    uint64_t key, value;
};

struct map {
    struct arena *arena;
    struct map_entry *entries; /* in order of insertion; a removed entry is not kept */
    uint32_t n, cap;
    uint32_t *slots; /* 1 + index of entry, 0 is free */
    uint32_t nslots;
};

struct map map_new(struct arena *a);
/* The value under KEY into *VALUE (may be NULL); false if there is none. */
bool map_get(const struct map *m, uint64_t key, uint64_t *value);
/* Sets or replaces. */
void map_put(struct map *m, uint64_t key, uint64_t value);
/* A 64-bit hash of bytes (FNV-1a with a final mix), for keys and for the cache. */
uint64_t hash_bytes(const void *data, size_t n, uint64_t seed);

#endif
