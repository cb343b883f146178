/* The tree of dotted names, and the layers that it makes.

   A part of a name that is no name of DCL (a word of the language, a sign, a number that is no
   index of a list) is changed, and with it the key in the weight file. Numbers are indices where
   all parts beside them are numbers and few are left out; `none` stands for those. */
#include "lang/onnx/members.h"

#include "lang/print/print.h"

#include <string.h>

enum { DEPTH_MAX = 16 }; /* parts of a name; longer ones stay in one piece */

/* A part of a name: a weight, or a scope that holds more. */
struct part {
    struct wire_bytes text;
    const struct onnx_weight *weight; /* NULL: a scope */
    uint32_t index;                   /* of the weight in the model */
    struct map find;                  /* text and kind -> 1 + index in kids */
    VEC(struct part *) kids;
    int64_t number; /* the text as a number, -1 if it is none */
};

struct maker {
    struct arena *arena;
    struct names *names; /* of the program */
    const struct onnx_model *model;
    const struct onnx_methods *methods;
    struct idents *layer_names;
    struct onnx_members out;
    struct map known; /* text of a layer's body -> its name */
};

/* --- the tree ------------------------------------------------------------------------------- */

/* A plain number below a million. */
static int64_t number_of(struct wire_bytes text) {
    int64_t v = 0;
    if (text.n == 0 || text.n > 6 || (text.n > 1 && text.at[0] == '0'))
        return -1;
    for (size_t i = 0; i < text.n; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return -1;
        v = 10 * v + (text.at[i] - '0');
    }
    return v;
}

static struct part *new_part(struct maker *k, struct wire_bytes text) {
    struct part *p = ARENA_NEW(k->arena, struct part);
    *p = (struct part){.text = text, .find = map_new(k->arena), .number = number_of(text)};
    return p;
}

static struct part *kid_of(struct maker *k, struct part *p, struct wire_bytes text, bool weight) {
    uint64_t at = 0, key = 2 * (uint64_t)name_of(k->model->ids, text.at, text.n).i + weight;
    if (map_get(&p->find, key, &at))
        return p->kids.at[at];
    struct part *kid = new_part(k, text);
    map_put(&p->find, key, p->kids.n);
    VEC_PUSH(k->arena, p->kids, kid);
    return kid;
}

unsigned onnx_member_parts(struct wire_bytes name) {
    unsigned n = 1;
    for (size_t i = 0; i < name.n; i++) {
        if (name.at[i] != '.')
            continue;
        if (i == 0 || i + 1 == name.n || name.at[i - 1] == '.' || ++n > DEPTH_MAX)
            return 1;
    }
    return n;
}

static void insert(struct maker *k, struct part *root, uint32_t index) {
    const struct onnx_weight *w = &k->model->weights.at[index];
    struct wire_bytes rest = w->local.n ? w->local : w->name;
    if (!rest.at)
        rest.at = "";
    for (unsigned n = onnx_member_parts(rest); n > 1; n--) {
        size_t dot = (size_t)((const char *)memchr(rest.at, '.', rest.n) - rest.at);
        root = kid_of(k, root, (struct wire_bytes){rest.at, dot}, false);
        rest = (struct wire_bytes){rest.at + dot + 1, rest.n - dot - 1};
    }
    struct part *leaf = kid_of(k, root, rest, true);
    if (leaf->weight) { /* graphs in nodes may have weights of the same name */
        leaf = new_part(k, rest);
        VEC_PUSH(k->arena, root->kids, leaf);
    }
    leaf->weight = w;
    leaf->index = index;
}

/* The length of the list that P is, 0 if it is none. */
static int64_t list_length(const struct part *p) {
    int64_t most = -1;
    for (uint32_t i = 0; i < p->kids.n; i++) {
        if (p->kids.at[i]->weight || p->kids.at[i]->number < 0)
            return 0;
        if (p->kids.at[i]->number > most)
            most = p->kids.at[i]->number;
    }
    return most < 4 * (int64_t)p->kids.n + 4 ? most + 1 : 0;
}

/* --- syntax --------------------------------------------------------------------------------- */

static const struct span nowhere;

static struct ast *new_node(struct maker *k, enum ast_kind kind, uint32_t nkids) {
    return ast_new(k->arena, kind, nowhere, nkids);
}

static struct ast *new_name(struct maker *k, struct name n) {
    struct ast *x = new_node(k, AST_NAME, 0);
    x->name = n;
    return x;
}

static struct ast *new_int(struct maker *k, int64_t v) {
    struct ast *x = new_node(k, AST_INT, 0);
    x->integer = v;
    return x;
}

/* A call of a layer without arguments. */
static struct ast *make_call(struct maker *k, struct name layer) {
    struct ast *call = new_node(k, AST_CALL, 1);
    call->kids[0] = new_name(k, layer);
    return call;
}

static struct ast *make_state(struct maker *k, struct name name, const struct onnx_weight *w) {
    struct ast *type = new_node(k, AST_TYPE, w->rank), *state = new_node(k, AST_STATE, 2);
    type->name = name_of_text(k->names, dtypes[w->type].name);
    type->flags = w->rank ? AST_BRACKETS : 0;
    for (uint32_t d = 0; d < w->rank; d++)
        type->kids[d] = new_int(k, w->dims[d]);
    state->flags = w->buffer ? AST_BUFFER : 0;
    state->name = name;
    state->kids[0] = type;
    return state;
}

static struct ast *define_layer(struct maker *k, struct name name, struct ast *body) {
    struct ast *layer = new_node(k, AST_LAYER, 3);
    layer->name = name;
    layer->kids[0] = new_node(k, AST_PARAMS, 0);
    layer->kids[1] = new_node(k, AST_WHERE, 0);
    layer->kids[2] = body;
    VEC_PUSH(k->arena, k->out.layers, layer);
    return layer;
}

/* --- layers of the library -------------------------------------------------------------------- */

/* The call that makes the layer of the library whose states P's are, NULL if there is none. */
static struct ast *library_layer(struct maker *k, const struct part *p) {
    const struct ast *made =
        p->kids.n && p->kids.at[0]->weight ? p->kids.at[0]->weight->made : NULL;
    for (uint32_t i = 0; made && i < p->kids.n; i++)
        if (!p->kids.at[i]->weight || p->kids.at[i]->weight->made != made)
            made = NULL;
    return made ? ast_clone(k->arena, made) : NULL;
}

/* --- members -------------------------------------------------------------------------------- */

/* Where a part stands. */
struct place {
    const char *key;          /* dotted; "" for the model */
    const char *file;         /* the same as the file has it */
    const struct ast *access; /* NULL for the model */
    const char *layer;        /* names of its layer in CamelCase, the shortest first, with blanks */
};

static const char *dotted(struct maker *k, const char *before, const char *text) {
    return before[0] ? arena_printf(k->arena, "%s.%s", before, text) : text;
}

static const char *camel(struct maker *k, const char *text) {
    struct buf b = buf_new(k->arena);
    bool upper = true;
    for (; *text; text++) {
        char c = upper && *text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text;
        if (c != '_')
            buf_bytes(&b, &c, 1);
        upper = c == '_';
    }
    return b.at;
}

/* Names for the layer TEXT in one with the names OUTER: TEXT, and behind each of OUTER. */
static const char *names_of_layer(struct maker *k, const char *outer, const char *text) {
    struct buf b = buf_new(k->arena);
    const char *own = camel(k, text);
    buf_text(&b, own);
    for (const char *at = outer; *at;) {
        size_t n = strcspn(at, " ");
        buf_printf(&b, " %.*s%s", (int)n, at, own);
        at += n + (at[n] == ' ');
    }
    return b.at;
}

/* Layers of the library are no names of members. */
static void take_library(const struct maker *k, struct idents *scope) {
    for (uint32_t i = 0; i < k->methods->nlibrary; i++)
        idents_claim(scope, name_text(k->names, k->methods->library[i]));
}

/* Nor is what a weight's name has in it a name of a layer. */
static void take_parts(struct maker *k, const struct part *p) {
    for (uint32_t i = 0; i < p->kids.n; i++) {
        const char *text = ident_text(k->arena, p->kids.at[i]->text, "_");
        map_put(&k->layer_names->taken, name_of_text(k->names, text).i, 1);
        take_parts(k, p->kids.at[i]);
    }
}

static struct ast *make_scope(struct maker *k, const struct part *p, const struct place *at);

/* An element of a list. */
static struct ast *make_element(struct maker *k, const struct part *p, const struct place *list,
                                int64_t i) {
    struct ast *access = new_node(k, AST_INDEX, 2);
    access->kids[0] = ast_clone(k->arena, list->access);
    access->kids[1] = new_int(k, i);
    struct place at = {arena_printf(k->arena, "%s.%lld", list->key, (long long)i),
                       arena_printf(k->arena, "%s.%lld", list->file, (long long)i), access,
                       list->layer};
    return make_scope(k, p, &at);
}

static struct ast *make_list(struct maker *k, const struct part *p, const struct place *at,
                             int64_t length) {
    struct ast *list = new_node(k, AST_LIST, (uint32_t)length);
    const struct part **elements = ARENA_ARRAY(k->arena, const struct part *, length);
    for (uint32_t i = 0; i < p->kids.n; i++)
        elements[p->kids.at[i]->number] = p->kids.at[i];
    for (int64_t i = 0; i < length; i++)
        list->kids[i] = elements[i] ? make_element(k, elements[i], at, i)
                                    : new_name(k, name_of_text(k->names, "none"));
    return list;
}

/* The state or member that P is in a layer at AT. */
static struct ast *make_member(struct maker *k, const struct part *p, const struct place *layer,
                               struct idents *scope) {
    struct name name = idents_claim(scope, ident_text(k->arena, p->text, "_"));
    const char *text = name_text(k->names, name);
    struct ast *access = new_name(k, name);
    if (layer->access) {
        access = new_node(k, AST_MEMBER, 1);
        access->name = name;
        access->kids[0] = ast_clone(k->arena, layer->access);
    }
    struct place at = {dotted(k, layer->key, text),
                       dotted(k, layer->file, wire_text(k->arena, p->text)), access,
                       names_of_layer(k, layer->layer, text)};
    if (p->weight) {
        k->methods->weight(k->methods->data, p->index, access);
        k->out.states[p->index] = (struct onnx_state){at.key, access};
        return make_state(k, name, p->weight);
    }
    struct ast *member = new_node(k, AST_ASSIGN, 2);
    member->kids[0] = make_scope(k, p, &at);
    member->kids[1] = new_name(k, name);
    return member;
}

/* The first of NAMES that no layer has, or the last one. */
static const char *layer_name(struct maker *k, const char *names) {
    const char *wanted = "Layer";
    while (*names) {
        size_t n = strcspn(names, " ");
        bool digit = n == 0 || (names[0] >= '0' && names[0] <= '9');
        wanted = arena_printf(k->arena, "%s%.*s", digit ? "Layer" : "", (int)n, names);
        if (!idents_taken(k->layer_names, name_of_text(k->names, wanted)))
            break;
        names += n + (names[n] == ' ');
    }
    return wanted;
}

/* The same body is defined once. */
static struct name layer_of(struct maker *k, struct ast *body, const char *names) {
    const char *wanted = layer_name(k, names);
    struct buf text = buf_new(k->arena);
    uint64_t known = 0;
    print_ast(k->names, body, &text);
    struct name key = name_of(k->names, text.at, text.n);
    if (map_get(&k->known, key.i, &known))
        return (struct name){(uint32_t)known};
    struct name name = idents_claim(k->layer_names, wanted);
    map_put(&k->known, key.i, name.i);
    define_layer(k, name, body);
    return name;
}

/* The expression that makes what is at AT. Depth is bounded by DEPTH_MAX. */
static struct ast *make_scope(struct maker *k, const struct part *p, const struct place *at) {
    int64_t length = list_length(p);
    if (length) {
        k->methods->list(k->methods->data, at->file, length);
        return make_list(k, p, at, length);
    }
    struct idents scope = idents_beside(k->layer_names);
    take_library(k, &scope);
    scope.symbols = k->methods->symbols;
    scope.more = k->methods->taken(k->methods->data, at->file);
    struct ast *body = new_node(k, AST_BLOCK, 0);
    for (uint32_t i = 0; i < p->kids.n; i++)
        ast_push(k->arena, body, make_member(k, p->kids.at[i], at, &scope));
    struct ast *method = k->methods->method(k->methods->data, at->file, at->access, &scope);
    struct ast *call = method ? NULL : library_layer(k, p);
    if (method)
        ast_push(k->arena, body, method);
    if (!call)
        call = make_call(k, layer_of(k, body, at->layer));
    return call;
}

/* --- the face ------------------------------------------------------------------------------- */

struct onnx_members onnx_members_new(struct arena *a, struct names *names,
                                     const struct onnx_model *m, const struct onnx_methods *methods,
                                     struct idents *scope, struct idents *layers) {
    struct maker k = {.arena = a,
                      .names = names,
                      .model = m,
                      .methods = methods,
                      .layer_names = layers,
                      .known = map_new(a)};
    struct part *root = new_part(&k, (struct wire_bytes){"", 0});
    struct place top = {"", "", NULL, ""};
    k.out.states = ARENA_ARRAY(a, struct onnx_state, m->weights.n);
    take_library(&k, layers);
    for (uint32_t i = 0; i < m->weights.n; i++)
        insert(&k, root, i);
    take_parts(&k, root);
    take_library(&k, scope);
    for (uint32_t i = 0; i < root->kids.n; i++)
        VEC_PUSH(a, k.out.members, make_member(&k, root->kids.at[i], &top, scope));
    for (uint32_t i = 0; i < m->weights.n; i++)
        if (!wire_is(m->weights.at[i].name, k.out.states[i].key))
            VEC_PUSH(a, k.out.renamed,
                     arena_printf(a, "%s is now %s", wire_text(a, m->weights.at[i].name),
                                  k.out.states[i].key));
    return k.out;
}
