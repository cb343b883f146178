/* Layers that are the same but for whole numbers become one, with these as its parameters.
   From the inside out: what a layer holds has its parameters before the layer is compared with
   others. Numbers that change together are one parameter. In the types of a method's parameters a
   number that changes is `_`; of its results it makes the whole type `any`. */
#include "lang/onnx/generic.h"

#include "lang/base/vec.h"
#include "lang/print/print.h"
#include "lang/scalar/scalar.h"

#include <string.h>

enum { PARAMETERS_MOST = 6 }; /* of more, the layers are not alike */

/* A whole number in a layer. */
struct place {
    struct ast *number;
    const char *role; /* what a parameter for it is called */
    bool loose;       /* in the signature of a method */
    bool within;      /* ... in an expression */
};
typedef VEC(struct place) places;

struct def {
    struct ast *layer;
    uint32_t level; /* above all layers that it holds */
    bool dropped;   /* another one stands for it */
    struct def *is; /* the one that stands for it, or NULL */
    uint32_t nargs;
    int64_t *args;
    places at;
};

struct merger {
    struct arena *arena;
    struct names *names;
    struct def *defs;
    uint32_t n;
    struct map by_name; /* of a layer -> struct def * */
};

/* --- numbers ---------------------------------------------------------------------------------- */

static const char *role_of_dim(const struct ast *type, uint32_t d) {
    if (type->nkids < 2)
        return "size";
    if (type->nkids == 2)
        return d ? "outputs" : "inputs";
    return d == 0 ? "outputs" : d == 1 ? "inputs" : "k";
}

/* `strides` of a call is a stride. */
static const char *role_of_keyword(struct merger *g, struct name n) {
    const char *text = name_text(g->names, n);
    size_t length = strlen(text);
    bool many = length > 2 && text[length - 1] == 's' && !strchr("aisu", text[length - 2]);
    return many ? arena_strndup(g->arena, text, length - 1) : text;
}

static struct def *def_of(const struct merger *g, const struct ast *callee) {
    uint64_t at = 0;
    if (callee->kind == AST_NAME)
        map_get(&g->by_name, callee->name.i, &at);
    return (struct def *)(uintptr_t)at;
}

static void collect(struct merger *g, struct ast *e, const char *role, bool loose, bool within,
                    places *out) {
    const struct def *made = e->kind == AST_CALL ? def_of(g, e->kids[0]) : NULL;
    if (e->kind == AST_INT) {
        VEC_PUSH(g->arena, *out, ((struct place){e, role, loose, within}));
        return;
    }
    for (uint32_t k = 0; k < e->nkids; k++) {
        const char *its = role;
        if (!e->kids[k] || (e->kind == AST_INDEX && k > 0))
            continue;
        if (e->kind == AST_TYPE)
            its = role_of_dim(e, k);
        else if (e->kind == AST_KEYWORD)
            its = role_of_keyword(g, e->name);
        else if (made && k > 0 && k <= made->layer->kids[0]->nkids)
            its = name_text(g->names, made->layer->kids[0]->kids[k - 1]->name);
        bool signature = e->kind == AST_PARAM || e->kind == AST_RESULT;
        collect(g, e->kids[k], its, loose || signature, loose && e->kind != AST_TYPE, out);
    }
}

/* --- comparing -------------------------------------------------------------------------------- */

/* The text of D's body without its numbers. */
static struct name key_of(struct merger *g, const struct def *d) {
    struct ast *body = ast_clone(g->arena, d->layer->kids[2]);
    places at = {0};
    struct buf text = buf_new(g->arena);
    collect(g, body, "n", false, false, &at);
    for (uint32_t i = 0; i < at.n; i++)
        at.at[i].number->integer = 0;
    print_ast(g->names, body, &text);
    return name_of(g->names, text.at, text.n);
}

static bool differs(struct def *const *all, uint32_t n, uint32_t place) {
    bool same = true;
    for (uint32_t i = 1; same && i < n; i++)
        same = all[i]->at.at[place].number->integer == all[0]->at.at[place].number->integer;
    return !same;
}

static bool together(struct def *const *all, uint32_t n, uint32_t a, uint32_t b) {
    bool same = true;
    for (uint32_t i = 0; same && i < n; i++)
        same = all[i]->at.at[a].number->integer == all[i]->at.at[b].number->integer;
    return same;
}

static void note_names(struct map *names, const struct ast *e) {
    map_put(names, e->name.i, 1);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            note_names(names, e->kids[k]);
}

static struct name free_name(struct merger *g, struct map *taken, const char *wanted) {
    struct name n = name_of_text(g->names, wanted);
    for (int k = 2; map_get(taken, n.i, NULL) || map_get(&g->by_name, n.i, NULL) ||
                    dtype_of(name_text(g->names, n)) != DT_NONE;
         k++)
        n = name_of_text(g->names, arena_printf(g->arena, "%s_%d", wanted, k));
    map_put(taken, n.i, 1);
    return n;
}

/* The types of methods without numbers that change: PLACES[i] does if CHANGES[i]. */
static void loosen(struct merger *g, struct ast *e, const places *at, const bool *changes) {
    bool changed = false;
    for (uint32_t k = 0; k < e->nkids; k++) {
        if (!e->kids[k])
            continue;
        for (uint32_t i = 0; i < at->n; i++)
            changed = changed || (at->at[i].number == e->kids[k] && changes[i]);
        loosen(g, e->kids[k], at, changes);
    }
    for (uint32_t k = 0; e->kind == AST_RESULT && k < e->kids[0]->nkids; k++)
        for (uint32_t i = 0; i < at->n; i++)
            if (at->at[i].number == e->kids[0]->kids[k] && changes[i]) {
                struct ast *any = ast_new(g->arena, AST_TYPE, e->span, 0);
                any->name = name_of_text(g->names, "any");
                e->kids[0] = any;
                return;
            }
    for (uint32_t i = 0; i < at->n; i++)
        if (at->at[i].loose && changes[i] && at->at[i].number->kind == AST_INT) {
            at->at[i].number->kind = AST_NAME;
            at->at[i].number->name = name_of_text(g->names, "_");
            at->at[i].number->integer = 0;
        }
}

/* Makes one layer of the N of ALL, which differ in numbers only; they stay as they are if these are
   too many. */
static void merge(struct merger *g, struct def **all, uint32_t n) {
    struct def *first = all[0];
    uint32_t count = first->at.n, made = 0;
    bool *changes = ARENA_ARRAY(g->arena, bool, count + 1);
    uint32_t *of = ARENA_ARRAY(g->arena, uint32_t, count + 1); /* the parameter of a place */
    uint32_t *place = ARENA_ARRAY(g->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        changes[i] = differs(all, n, i);
        of[i] = UINT32_MAX;
        if (changes[i] && first->at.at[i].within)
            return;
        if (!changes[i] || first->at.at[i].loose)
            continue;
        for (uint32_t k = 0; of[i] == UINT32_MAX && k < made; k++)
            if (together(all, n, place[k], i))
                of[i] = k;
        if (of[i] == UINT32_MAX) {
            of[i] = made;
            place[made++] = i;
        }
    }
    if (made > PARAMETERS_MOST)
        return;
    struct map taken = map_new(g->arena);
    note_names(&taken, first->layer->kids[2]);
    for (uint32_t i = 0; i < n; i++) {
        all[i]->is = first;
        all[i]->dropped = i > 0;
        all[i]->nargs = made;
        all[i]->args = ARENA_ARRAY(g->arena, int64_t, made + 1);
        for (uint32_t k = 0; k < made; k++)
            all[i]->args[k] = all[i]->at.at[place[k]].number->integer;
    }
    struct name *names = ARENA_ARRAY(g->arena, struct name, made + 1);
    for (uint32_t k = 0; k < made; k++) {
        struct ast *param = ast_new(g->arena, AST_PARAM, first->layer->span, 2);
        names[k] = free_name(g, &taken, first->at.at[place[k]].role);
        param->name = names[k];
        param->kids[0] = ast_new(g->arena, AST_TYPE, param->span, 0);
        param->kids[0]->name = name_of_text(g->names, "int");
        ast_push(g->arena, first->layer->kids[0], param);
    }
    for (uint32_t i = 0; i < count; i++)
        if (of[i] != UINT32_MAX) {
            first->at.at[i].number->kind = AST_NAME;
            first->at.at[i].number->name = names[of[i]];
            first->at.at[i].number->integer = 0;
        }
    loosen(g, first->layer->kids[2], &first->at, changes);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Calls in E of layers that others stand for are calls of these. */
static void rename_calls(struct merger *g, struct ast *e) {
    const struct def *d = e->kind == AST_CALL ? def_of(g, e->kids[0]) : NULL;
    if (d && d->is && e->nkids == 1) {
        e->kids[0]->name = d->is->layer->name;
        for (uint32_t i = 0; i < d->nargs; i++) {
            struct ast *number = ast_new(g->arena, AST_INT, e->span, 0);
            number->integer = d->args[i];
            ast_push(g->arena, e, number);
        }
        return;
    }
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            rename_calls(g, e->kids[k]);
}

/* 1 + the highest level of a layer that E makes. */
static uint32_t level_of(const struct merger *g, const struct ast *e) {
    const struct def *d = e->kind == AST_CALL ? def_of(g, e->kids[0]) : NULL;
    uint32_t level = d ? d->level + 1 : 0;
    for (uint32_t k = 0; k < e->nkids; k++) {
        uint32_t other = e->kids[k] ? level_of(g, e->kids[k]) : 0;
        level = other > level ? other : level;
    }
    return level;
}

static void merge_level(struct merger *g, uint32_t level) {
    struct map first = map_new(g->arena); /* key -> 1 + index of a group */
    typedef VEC(struct def *) group;
    VEC(group) groups = {0};
    for (uint32_t i = 0; i < g->n; i++) {
        struct def *d = &g->defs[i];
        uint64_t at = 0;
        if (d->level != level)
            continue;
        rename_calls(g, d->layer->kids[2]);
        collect(g, d->layer->kids[2], "n", false, false, &d->at);
        struct name key = key_of(g, d);
        if (!map_get(&first, key.i, &at)) {
            group none = {0};
            VEC_PUSH(g->arena, groups, none);
            map_put(&first, key.i, at = groups.n);
        }
        VEC_PUSH(g->arena, groups.at[at - 1], d);
    }
    for (uint32_t i = 0; i < groups.n; i++)
        if (groups.at[i].n > 1)
            merge(g, groups.at[i].at, groups.at[i].n);
}

void onnx_merge_layers(struct arena *a, struct names *names, struct onnx_members *m) {
    struct merger g = {.arena = a, .names = names, .n = m->layers.n, .by_name = map_new(a)};
    uint32_t most = 0, kept = 0;
    g.defs = ARENA_ARRAY(a, struct def, g.n + 1);
    for (uint32_t i = 0; i < g.n; i++) { /* what a layer holds stands before it */
        g.defs[i] = (struct def){.layer = m->layers.at[i]};
        g.defs[i].level = level_of(&g, m->layers.at[i]->kids[2]);
        most = g.defs[i].level > most ? g.defs[i].level : most;
        map_put(&g.by_name, m->layers.at[i]->name.i, (uintptr_t)&g.defs[i]);
    }
    for (uint32_t level = 0; level <= most; level++)
        merge_level(&g, level);
    for (uint32_t i = 0; i < m->members.n; i++)
        rename_calls(&g, m->members.at[i]);
    for (uint32_t i = 0; i < g.n; i++)
        if (!g.defs[i].dropped)
            m->layers.at[kept++] = m->layers.at[i];
    m->layers.n = kept;
}
