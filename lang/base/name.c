/* The table of interned names: texts in the arena, in order of first use, and an open-addressed
   table of their ids, at most half full. The empty text is id 0, "no name". Bytes are compared, so
   a name may hold any byte (one with a NUL is distinct though its printed text ends early). */
#include "lang/base/name.h"

#include "lang/base/map.h"
#include "lang/base/vec.h"

#include <string.h>

struct text {
    const char *at;
    size_t n;
    uint64_t hash;
};

struct names {
    struct arena *arena;
    VEC(struct text) texts; /* by id; entry 0 is "" */
    uint32_t *slots;        /* id, 0 is free */
    uint32_t nslots;
};

struct names *names_new(struct arena *a) {
    struct names *t = ARENA_NEW(a, struct names);
    t->arena = a;
    t->nslots = 64;
    t->slots = ARENA_ARRAY(a, uint32_t, t->nslots);
    VEC_PUSH(a, t->texts, ((struct text){.at = ""}));
    return t;
}

static void rehash(struct names *t) {
    uint32_t nslots = t->nslots * 2;
    uint32_t *slots = ARENA_ARRAY(t->arena, uint32_t, nslots);
    for (uint32_t id = 1; id < t->texts.n; id++) {
        uint32_t s = (uint32_t)t->texts.at[id].hash & (nslots - 1);
        while (slots[s])
            s = (s + 1) & (nslots - 1);
        slots[s] = id;
    }
    t->slots = slots;
    t->nslots = nslots;
}

struct name name_of(struct names *t, const char *text, size_t n) {
    if (n == 0)
        return (struct name){0};
    if (t->texts.n >= t->nslots / 2)
        rehash(t);
    uint64_t hash = hash_bytes(text, n, 0);
    uint32_t s = (uint32_t)hash & (t->nslots - 1);
    for (; t->slots[s]; s = (s + 1) & (t->nslots - 1)) {
        const struct text *old = &t->texts.at[t->slots[s]];
        if (old->hash == hash && old->n == n && memcmp(old->at, text, n) == 0)
            return (struct name){t->slots[s]};
    }
    struct text fresh = {.at = arena_strndup(t->arena, text, n), .n = n, .hash = hash};
    VEC_PUSH(t->arena, t->texts, fresh);
    t->slots[s] = t->texts.n - 1;
    return (struct name){t->texts.n - 1};
}

struct name name_of_text(struct names *t, const char *text) {
    return name_of(t, text, strlen(text));
}

const char *name_text(const struct names *t, struct name n) {
    return n.i < t->texts.n ? t->texts.at[n.i].at : "";
}
