/* The hash map of map.h: entries in order of insertion, and an open-addressed table of their
   indices with linear probing, at most half full. The table holds indices only, so neither order
   nor anything printed depends on a hash. */
#include "lang/base/map.h"

#include "lang/base/vec.h"

/* The finalizer of MurmurHash3 (A. Appleby, 2011): every input bit reaches every output bit. */
static uint64_t mix(uint64_t h) {
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    h ^= h >> 33;
    return h;
}

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 64 bits, then mixed. */
uint64_t hash_bytes(const void *data, size_t n, uint64_t seed) {
    const unsigned char *at = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ mix(seed);
    for (size_t i = 0; i < n; i++)
        h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return mix(h);
}

struct map map_new(struct arena *a) {
    return (struct map){.arena = a};
}

/* The slot that holds KEY, or the free one where it belongs. Needs nslots > n. */
static uint32_t slot_of(const struct map *m, uint64_t key) {
    uint32_t mask = m->nslots - 1;
    uint32_t s = (uint32_t)mix(key) & mask;
    while (m->slots[s] && m->entries[m->slots[s] - 1].key != key)
        s = (s + 1) & mask;
    return s;
}

bool map_get(const struct map *m, uint64_t key, uint64_t *value) {
    if (!m->n)
        return false;
    uint32_t at = m->slots[slot_of(m, key)];
    if (!at)
        return false;
    if (value)
        *value = m->entries[at - 1].value;
    return true;
}

/* Doubles the table. The fields change only when all memory is there. */
static void rehash(struct map *m) {
    uint32_t nslots = m->nslots ? m->nslots * 2 : 8;
    m->slots = ARENA_ARRAY(m->arena, uint32_t, nslots);
    m->nslots = nslots;
    for (uint32_t i = 0; i < m->n; i++)
        m->slots[slot_of(m, m->entries[i].key)] = i + 1;
}

void map_put(struct map *m, uint64_t key, uint64_t value) {
    if (m->n >= m->nslots / 2)
        rehash(m);
    uint32_t s = slot_of(m, key);
    if (m->slots[s]) {
        m->entries[m->slots[s] - 1].value = value;
        return;
    }
    if (m->n == m->cap)
        m->entries = vec_grow(m->arena, m->entries, m->n, &m->cap, sizeof *m->entries);
    m->entries[m->n++] = (struct map_entry){.key = key, .value = value};
    m->slots[s] = m->n;
}
