/* Names of DCL from names of a file: letters, digits and underscores, no word of the language, and
   no two alike in one scope. */
#ifndef DCL_LANG_ONNX_IDENTS_H
#define DCL_LANG_ONNX_IDENTS_H

#include "lang/base/map.h"
#include "lang/base/name.h"
#include "lang/base/vec.h"
#include "lang/onnx/wire.h"

struct idents {
    struct arena *arena;
    struct names *names;
    struct map taken;                 /* name -> how often it was asked for; 0: it is free again */
    VEC(struct name) order;           /* names that were claimed */
    struct map *words;                /* that are taken in all scopes */
    const struct map *more, *symbols; /* names that are taken, too, or NULL */
};

/* A scope in which the words of the language, the element types and the functions of onnx.def are
   taken. */
struct idents idents_new(struct arena *a, struct names *names);
/* Another such scope, in which nothing is claimed. */
struct idents idents_beside(const struct idents *s);
/* A name like WANTED that was not taken; now it is. */
struct name idents_claim(struct idents *s, const char *wanted);
bool idents_taken(const struct idents *s, struct name n);
/* A block begins; ends: names that were claimed since MARK are free again. */
uint32_t idents_mark(const struct idents *s);
void idents_release(struct idents *s, uint32_t mark);

/* WANTED made of letters, digits and underscores: each run of others becomes one underscore, none
   at the ends; PREFIX goes before a digit or an empty name. Long ones are cut. */
const char *ident_text(struct arena *a, struct wire_bytes wanted, const char *prefix);

#endif
