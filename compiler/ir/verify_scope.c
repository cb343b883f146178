/* Verification of names: 4, 5, 6 and 7 of IR.md. */
#include "compiler/ir/verify.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_identifier(const char *text) {
    if (!is_letter(*text))
        return false;
    while (is_letter(*text) || (*text >= '0' && *text <= '9'))
        text++;
    return *text == '\0';
}

static bool check_name(struct verifier *v, struct name n, const char *what) {
    const char *text = verify_name(v, n);
    if (!is_identifier(text) || graph_word(v->g->names, n))
        return broken(v, 4, "%s is called '%s'", what, text);
    return true;
}

const struct binding *look_up(const struct verifier *v, struct name n) {
    uint64_t at;
    return map_get(&v->scoped, n.i, &at) && at ? &v->scope.at[at - 1] : NULL;
}

bool name_is_global(struct verifier *v, struct name n, const char *what) {
    if (!check_name(v, n, what))
        return false;
    if (map_get(&v->global, n.i, NULL))
        return broken(v, 5, "%s %s has the name of something else", what, verify_name(v, n));
    map_put(&v->global, n.i, 1);
    return true;
}

bool define_name(struct verifier *v, struct name n, enum thing thing, enum dtype t) {
    bool local = thing == THING_INDEX || thing == THING_VALUE;
    const char *what = thing == THING_INDEX ? "index" : "value";
    if (local && !check_name(v, n, what))
        return false;
    if (local && (map_get(&v->global, n.i, NULL) || look_up(v, n)))
        return broken(v, 5, "%s %s hides something of that name", what, verify_name(v, n));
    struct binding b = {n, thing, t};
    VEC_PUSH(v->arena, v->scope, b);
    map_put(&v->scoped, n.i, v->scope.n);
    return true;
}

void leave_scope(struct verifier *v, uint32_t mark) {
    while (v->scope.n > mark)
        map_put(&v->scoped, v->scope.at[--v->scope.n].name.i, 0);
}

struct atoms {
    struct verifier *v;
    bool only_symbols, ok;
};

static void check_atom(void *data, struct name n) {
    struct atoms *a = data;
    if (!a->ok)
        return;
    const struct binding *b = look_up(a->v, n);
    const char *text = verify_name(a->v, n);
    if (!b)
        a->ok = broken(a->v, 6, "%s is not in scope", text);
    else if (b->thing == THING_CONTAINER || (b->thing == THING_VALUE && !dtype_is_int(b->dtype)))
        a->ok = broken(a->v, 6, "%s is no integer", text);
    else if (a->only_symbols && b->thing != THING_SYMBOL)
        a->ok = broken(a->v, 7, "%s is no symbol", text);
}

bool check_sym(struct verifier *v, struct sym s, bool only_symbols) {
    if (sym_none(s))
        return broken(v, 1, "a symbolic integer is missing");
    struct atoms a = {v, only_symbols, true};
    sym_atoms(v->g->syms, s, check_atom, &a);
    return a.ok;
}
