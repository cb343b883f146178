/* Names of DCL from names of a file. */
#include "lang/onnx/idents.h"

#include "lang/onnx/operators.h"
#include "lang/scalar/scalar.h"

#include <string.h>

static const char *const keywords[] = {
#define KEYWORD(text, token) text,
#include "lang/parse/keyword.def"
#undef KEYWORD
};

static void reserve(struct idents *s, const char *text) {
    map_put(s->words, name_of_text(s->names, text).i, 1);
}

struct idents idents_new(struct arena *a, struct names *names) {
    struct idents s = {.arena = a, .names = names, .taken = map_new(a)};
    s.words = ARENA_NEW(a, struct map);
    *s.words = map_new(a);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        reserve(&s, keywords[i]);
    for (unsigned t = 0; t < DT_COUNT; t++)
        reserve(&s, dtypes[t].name);
    const struct onnx_operator *o;
    for (uint32_t k = 0; (o = onnx_operator_at(k)); k++)
        for (int i = 0; i < 2; i++)
            if (i ? o->plain : o->call)
                reserve(&s, i ? o->plain : o->call);
#define LITERAL(function, doc) reserve(&s, #function);
#include "lang/onnx/onnx.def"
    reserve(&s, "none");
    reserve(&s, "inf");
    reserve(&s, "nan");
    reserve(&s, "forward");
    reserve(&s, "training");
    reserve(&s, "derived");
    reserve(&s, "_");
    return s;
}

struct idents idents_beside(const struct idents *s) {
    return (struct idents){
        .arena = s->arena, .names = s->names, .taken = map_new(s->arena), .words = s->words};
}

bool idents_taken(const struct idents *s, struct name n) {
    uint64_t asked = 0;
    return (map_get(&s->taken, n.i, &asked) && asked) || map_get(s->words, n.i, NULL) ||
           (s->more && map_get(s->more, n.i, NULL)) ||
           (s->symbols && map_get(s->symbols, n.i, NULL));
}

static struct name take(struct idents *s, struct name n) {
    map_put(&s->taken, n.i, 1);
    VEC_PUSH(s->arena, s->order, n);
    return n;
}

struct name idents_claim(struct idents *s, const char *wanted) {
    struct name n = name_of_text(s->names, wanted);
    uint64_t asked = 0;
    if (!idents_taken(s, n))
        return take(s, n);
    asked = 1;
    map_get(&s->taken, n.i, &asked);
    const char *underscore = wanted[strlen(wanted) - 1] == '_' ? "" : "_";
    struct name other;
    do {
        asked++;
        other = name_of_text(s->names, arena_printf(s->arena, "%s%s%llu", wanted, underscore,
                                                    (unsigned long long)asked));
    } while (idents_taken(s, other));
    map_put(&s->taken, n.i, asked);
    return take(s, other);
}

uint32_t idents_mark(const struct idents *s) {
    return s->order.n;
}

void idents_release(struct idents *s, uint32_t mark) {
    for (uint32_t i = mark; i < s->order.n; i++)
        map_put(&s->taken, s->order.at[i].i, 0);
    s->order.n = mark;
}

const char *ident_text(struct arena *a, struct wire_bytes wanted, const char *prefix) {
    enum { LONGEST = 64 };
    char text[LONGEST + 1];
    size_t n = 0;
    for (size_t i = 0; i < wanted.n && n < LONGEST; i++) {
        char c = wanted.at[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (good)
            text[n++] = c;
        else if (n && (text[n - 1] != '_' || c == '_'))
            text[n++] = '_';
        else if (c == '_')
            text[n++] = '_';
    }
    while (n && text[n - 1] == '_')
        n--;
    text[n] = '\0';
    bool plain = n && (text[0] < '0' || text[0] > '9');
    return arena_printf(a, "%s%s", plain ? "" : prefix, text);
}
