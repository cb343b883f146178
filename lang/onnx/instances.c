/* Layers of the library: a line that a rule has made the call of an instance, `Linear(4, 8)(x,
   weight = w, bias = b)`, becomes one of a member, `fc1(x)`, whose states are these weights.

   The member is called as the weights are (`fc1.weight` is a state of `fc1`), else as the scope of
   the node, else as the layer. Where weights that are called like that are another's, the line goes
   back to the function that it was; what is a buffer of the layer is one there, too.

   Note [one weight, several states]
   Exporters write equal weights once, as the scales and offsets of layers that are new. So of one
   whose elements are all equal each state is its own. Any other weight that two layers read is one
   that they share: it is a state of the first one, the second one calls its function. */
#include "lang/onnx/scopes.h"

#include <string.h>

enum { STATES_MOST = 8 };

/* A state of a call: the weight that it is, or whose transpose it is. */
struct role {
    const char *name;
    struct operand *of;
    bool transposed, buffer;
};

struct call {
    struct ast *e;           /* L(..)(x, w = $1, .., $plain = ..) */
    const struct ast *layer; /* L(..) */
    struct role role[STATES_MOST];
    struct operand *state[STATES_MOST]; /* what it is in the program */
    uint32_t n;
};

struct instances {
    struct scopes *s;
    struct importer *m;
    struct map at;     /* key -> struct call * that made it */
    struct map inner;  /* a scope that an instance is in, as a key -> 1 */
    struct map count;  /* key -> weights of the file that are called as something in it */
    struct map owned;  /* stand-in of a weight -> 1: it is a state */
    struct map fixed;  /* stand-in of a weight -> 1: it has to stay as it is */
    struct map turned; /* stand-in of a weight -> struct operand *, its transpose in its place */
    struct map last;   /* key without a number -> the number that was given last */
};

static uint64_t id_of(const struct instances *x, const char *key, size_t n) {
    return name_of(x->m->model->ids, key, n).i;
}

static uint64_t count_at(const struct map *in, uint64_t key) {
    uint64_t n = 0;
    map_get(in, key, &n);
    return n;
}

/* --- the call -------------------------------------------------------------------------------- */

static struct operand *weight_in(struct importer *m, const struct ast *e, bool *transposed) {
    *transposed = e->kind == AST_MEMBER && strcmp(name_text(m->names, e->name), "T") == 0;
    struct operand *x = stood_for(m, *transposed ? e->kids[0] : e);
    return x && x->kind == OPERAND_WEIGHT && x->v.kind == VAL_TENSOR ? x : NULL;
}

/* Whether X is what the state S has to be. */
static bool fits(const struct role *x, const struct state *s) {
    const struct tensor *t = x->of->v.tensor;
    bool good = t->dtype == s->dtype && t->rank == s->rank;
    for (uint32_t d = 0; good && d < s->rank; d++)
        good = t->dims[x->transposed ? s->rank - 1 - d : d].i == s->dims[d];
    return good;
}

static bool is_empty(const struct state *s) {
    bool empty = false;
    for (uint32_t d = 0; d < s->rank; d++)
        empty = empty || s->dims[d] == 0;
    return empty;
}

/* Takes E, a call of an instance, apart; false if its states are not weights that fit. */
static bool read_call(struct importer *m, struct ast *e, struct call *c) {
    struct value v;
    *c = (struct call){.e = e, .layer = e->kids[0]};
    bool good = eval_expr(outline_eval(m->outline), m->env, c->layer, &v) && v.kind == VAL_INSTANCE;
    diags_clear(&m->errors);
    for (uint32_t i = 0; good && i < v.instance->states.n; i++) {
        const struct state *s = v.instance->states.at[i];
        const struct ast *value = NULL;
        for (uint32_t k = 1; k < e->nkids; k++)
            if (e->kids[k]->kind == AST_KEYWORD && name_eq(e->kids[k]->name, s->def->name))
                value = e->kids[k]->kids[0];
        if (!value && is_empty(s))
            continue;
        struct role *r = &c->role[c->n];
        *r = (struct role){.name = name_text(m->names, s->def->name), .buffer = s->buffer};
        good = value && c->n < STATES_MOST && (r->of = weight_in(m, value, &r->transposed)) &&
               fits(r, s);
        c->n++;
    }
    return good && c->n;
}

bool instance_fits(struct importer *m, struct ast *e) {
    struct call c;
    return read_call(m, e, &c);
}

struct ast *instance_bare(struct importer *m, const struct ast *e) {
    struct ast *bare = new_node(m, AST_CALL, 0);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k]->kind != AST_KEYWORD)
            ast_push(m->arena, bare, e->kids[k]);
    return bare;
}

static const char plain[] = "$plain";

void instance_was(struct importer *m, struct ast *e, struct ast *was) {
    struct ast *keyword = new_node(m, AST_KEYWORD, 1);
    keyword->name = name_of_text(m->names, plain);
    keyword->kids[0] = was;
    ast_push(m->arena, e, keyword);
}

struct ast *instance_role(struct importer *m, struct name state) {
    return new_text_name(m, arena_printf(m->arena, "@%s", name_text(m->names, state)));
}

const struct ast *instance_read(struct importer *m, const struct ast *e) {
    bool is = e->kind == AST_CALL && e->kids[0]->kind == AST_CALL && e->nkids > 2 &&
              e->kids[e->nkids - 1]->kind == AST_KEYWORD;
    const struct operand *x = is ? stood_for(m, e->kids[e->nkids - 1]->kids[0]) : NULL;
    return !x || !x->read ? NULL : x->read->kind == AST_MEMBER ? x->read->kids[0] : x->read;
}

/* --- weights --------------------------------------------------------------------------------- */

static const struct onnx_weight *weight_of(const struct instances *x, const struct operand *o) {
    return &x->m->model->weights.at[o->weight];
}

/* Whether all elements of W are the same bytes. */
static bool is_uniform(const struct onnx_weight *w) {
    size_t size = dtypes[w->type].bytes;
    const char *at = w->data;
    bool same = true;
    for (size_t i = size; same && i < w->bytes; i += size)
        same = memcmp(at + i, at, size) == 0;
    return same;
}

/* A weight of its own with the elements of X, or their transpose. */
static struct operand *copy_weight(struct instances *x, const struct operand *o, bool transposed) {
    struct importer *m = x->m;
    struct onnx_weight w = *weight_of(x, o);
    int64_t *dims = ARENA_ARRAY(m->arena, int64_t, w.rank + 1);
    struct value sizes[ONNX_RANK_MAX];
    w.turned = transposed;
    if (!transposed) { /* it is one that a program writes into */
        void *data = arena_alloc(m->arena, w.bytes + 1);
        memcpy(data, w.data, w.bytes);
        w.data = data;
    }
    for (uint32_t d = 0; d < w.rank; d++) {
        dims[d] = w.dims[transposed ? w.rank - 1 - d : d];
        sizes[d] = value_int(dims[d]);
    }
    w.dims = dims;
    struct name name = name_of_text(m->names, wire_text(m->arena, w.name));
    struct operand *copy = operand_make(m, OPERAND_WEIGHT, w.type,
                                        outline_tensor(m->outline, name, w.type, w.rank, sizes));
    copy->weight = m->model->weights.n;
    VEC_PUSH(m->arena, m->model->weights, w);
    VEC_PUSH(m->arena, m->weights, copy);
    return copy;
}

/* Whether R may be a state of something that is not made yet. */
static bool is_free(const struct instances *x, const struct role *r) {
    bool owned = count_at(&x->owned, r->of->stand_in.i);
    bool turns = !r->transposed || !count_at(&x->fixed, r->of->stand_in.i);
    return (!owned && turns) || is_uniform(weight_of(x, r->of));
}

/* The weight that R is from now on. */
static struct operand *own(struct instances *x, const struct role *r) {
    bool copied = r->transposed || count_at(&x->owned, r->of->stand_in.i);
    struct operand *o = copied ? copy_weight(x, r->of, r->transposed) : r->of;
    map_put(&x->owned, r->of->stand_in.i, 1);
    if (r->transposed && !is_uniform(weight_of(x, r->of)))
        map_put(&x->turned, r->of->stand_in.i, (uintptr_t)o);
    map_put(&x->owned, o->stand_in.i, 1);
    return o;
}

/* --- what an instance is called --------------------------------------------------------------- */

/* The scope that the name of W says if it ends in ROLE, or NULL. */
static const char *key_of(const struct instances *x, const struct onnx_weight *w,
                          const char *role) {
    const char *name = wire_text(x->m->arena, w->name), *dot = strrchr(name, '.');
    bool says = onnx_member_parts(w->name) > 1 && dot && strcmp(dot + 1, role) == 0;
    return says ? arena_strndup(x->m->arena, name, (size_t)(dot - name)) : NULL;
}

/* The one that C's weights say, or NULL; *SURE: one that no other layer has (Note [one weight,
   several states]) says it. */
static const char *named_key(const struct instances *x, const struct call *c, bool *sure) {
    const char *key = NULL, *likely = NULL;
    for (uint32_t i = 0; i < c->n && !key; i++) {
        const struct onnx_weight *w = weight_of(x, c->role[i].of);
        const char *says = key_of(x, w, c->role[i].name);
        likely = likely ? likely : says;
        key = says && !is_uniform(w) ? says : NULL;
    }
    *sure = key;
    return key ? key : likely;
}

static bool is_in(const char *key, const char *scope) {
    size_t n = strlen(scope);
    return n == 0 || (strncmp(key, scope, n) == 0 && (key[n] == 0 || key[n] == '.'));
}

/* Whether C is a call of the instance at KEY; *MADE: there is one. */
static bool is_same(struct instances *x, const char *key, struct call *c, bool *made) {
    uint64_t at = 0;
    map_get(&x->at, id_of(x, key, strlen(key)), &at);
    const struct call *is = (const struct call *)(uintptr_t)at;
    *made = is;
    bool same = is && is->n == c->n && ast_equal(is->layer, c->layer);
    for (uint32_t i = 0; same && i < c->n; i++) {
        same = is->role[i].of == c->role[i].of && is->role[i].transposed == c->role[i].transposed;
        c->state[i] = is->state[i];
    }
    return same;
}

/* Whether nothing but C's weights is called as something at KEY or in it. */
static bool is_clear(struct instances *x, const char *key, const struct call *c) {
    uint64_t own = 0;
    for (const char *dot = strchr(key, '.'); dot; dot = strchr(dot + 1, '.'))
        if (map_get(&x->at, id_of(x, key, (size_t)(dot - key)), NULL))
            return false;
    for (uint32_t i = 0; i < c->n; i++) {
        const char *name = wire_text(x->m->arena, weight_of(x, c->role[i].of)->name);
        bool before = false;
        for (uint32_t k = 0; k < i; k++)
            before = before || c->role[k].of == c->role[i].of;
        own += !before && strcmp(name, key) != 0 && is_in(name, key);
    }
    uint64_t id = id_of(x, key, strlen(key));
    return count_at(&x->count, id) == own && !map_get(&x->inner, id, NULL) &&
           !map_get(&x->at, id, NULL);
}

/* In SCOPE, called as its layer. */
static const char *made_key(struct instances *x, const char *scope, const struct call *c) {
    const char *layer = name_text(x->m->names, c->layer->kids[0]->name);
    struct buf text = buf_new(x->m->arena);
    buf_printf(&text, "%s%s", scope, *scope ? "." : "");
    for (const char *at = layer; *at; at++)
        buf_printf(&text, "%c", *at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    const char *key = text.at;
    uint64_t base = id_of(x, key, text.n), k = count_at(&x->last, base);
    if (k || !is_clear(x, key, c)) {
        k = k ? k : 1;
        do
            key = arena_printf(x->m->arena, "%s_%llu", text.at, (unsigned long long)++k);
        while (!is_clear(x, key, c));
        map_put(&x->last, base, k);
    }
    return key;
}

/* --- instances -------------------------------------------------------------------------------- */

static void make(struct instances *x, const char *key, const struct call *call) {
    struct importer *m = x->m;
    struct call *c = ARENA_NEW(m->arena, struct call);
    *c = *call;
    for (uint32_t i = 0; i < c->n; i++) {
        c->state[i] = own(x, &c->role[i]);
        struct onnx_weight *w = &m->model->weights.at[c->state[i]->weight];
        const char *local = arena_printf(m->arena, "%s.%s", key, c->role[i].name);
        w->local = (struct wire_bytes){local, strlen(local)};
        w->made = c->layer;
        w->buffer = c->role[i].buffer;
    }
    map_put(&x->at, id_of(x, key, strlen(key)), (uintptr_t)c);
    for (const char *dot = strchr(key, '.'); dot; dot = strchr(dot + 1, '.'))
        map_put(&x->inner, id_of(x, key, (size_t)(dot - key)), 1);
    VEC_PUSH(m->arena, x->s->instances, key);
}

/* The scope of AT or around it whose lines may be a layer's. */
static const struct scope *layer_scope(const struct scope *at) {
    while (at->outer && at->count < LINES_LEAST)
        at = at->outer;
    return at;
}

/* The key of the instance that C, in a line of the scope AT, calls, which is made if it is not
   there yet; NULL: there is none. */
static const char *instance_of(struct instances *x, const struct scope *at, struct call *c) {
    bool sure, made = false, free = true;
    const char *named = named_key(x, c, &sure), *scope = layer_scope(at)->key;
    if (named && (!is_in(named, scope) || (!sure && *at->key && !is_in(named, at->key))))
        named = NULL;
    if (named && is_same(x, named, c, &made))
        return named;
    if (named && !made && !is_clear(x, named, c))
        return NULL; /* what is called so holds more */
    if (*at->key && is_same(x, at->key, c, &made))
        return at->key;
    for (uint32_t i = 0; i < c->n; i++)
        free = free && is_free(x, &c->role[i]);
    if (!free)
        return NULL;
    bool alone = *at->key && at->count < LINES_LEAST && is_clear(x, at->key, c);
    const char *key = named && is_clear(x, named, c) ? named
                      : alone                        ? at->key
                                                     : made_key(x, at->key, c);
    make(x, key, c);
    is_same(x, key, c, &made);
    return key;
}

/* What C's roles are where there is no instance. */
static void keep_plain(struct instances *x, struct call *c) {
    for (int buffers = 0; buffers < 2; buffers++)
        for (uint32_t i = 0; i < c->n; i++) {
            struct role *r = &c->role[i];
            if (r->buffer != buffers)
                continue;
            c->state[i] = r->of;
            for (uint32_t k = 0; buffers && k < c->n; k++)
                if (!c->role[k].buffer && c->role[k].of == r->of)
                    c->state[i] = copy_weight(x, r->of, false);
            struct onnx_weight *w = &x->m->model->weights.at[c->state[i]->weight];
            w->buffer = w->buffer || buffers;
        }
}

/* E with the weights of C for its roles. */
static struct ast *with_roles(struct importer *m, struct ast *e, const struct call *c) {
    const char *text = e->kind == AST_NAME ? name_text(m->names, e->name) : "";
    for (uint32_t i = 0; text[0] == '@' && i < c->n; i++)
        if (strcmp(text + 1, c->role[i].name) == 0)
            return new_name(m, c->state[i]->stand_in);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            e->kids[k] = with_roles(m, e->kids[k], c);
    return e;
}

/* The call C of an instance, with its states as they are in the program. */
static struct ast *call_member(struct importer *m, const struct call *c) {
    struct ast *call = new_node(m, AST_CALL, 0);
    for (uint32_t k = 0; k < c->e->nkids; k++)
        if (c->e->kids[k]->kind != AST_KEYWORD)
            ast_push(m->arena, call, c->e->kids[k]);
    for (uint32_t i = 0; i < c->n; i++) {
        struct ast *state = new_node(m, AST_KEYWORD, 1);
        state->name = name_of_text(m->names, c->role[i].name);
        state->kids[0] = new_name(m, c->state[i]->stand_in);
        ast_push(m->arena, call, state);
    }
    return call;
}

/* E, in a line of the scope AT, with members in place of instances. */
static struct ast *resolve(struct instances *x, const struct scope *at, struct ast *e) {
    const struct ast *last = e->nkids ? e->kids[e->nkids - 1] : NULL;
    struct call c;
    bool is = e->kind == AST_CALL && last && last->kind == AST_KEYWORD &&
              strcmp(name_text(x->m->names, last->name), plain) == 0;
    if (is && read_call(x->m, e, &c)) {
        const char *key = instance_of(x, at, &c);
        if (!key)
            keep_plain(x, &c);
        e = key ? call_member(x->m, &c) : with_roles(x->m, last->kids[0], &c);
    }
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            e->kids[k] = resolve(x, at, e->kids[k]);
    return e;
}

/* Notes the scopes that names of weights are in. */
static void count_weights(struct instances *x) {
    for (uint32_t i = 0; i < x->m->model->weights.n; i++) {
        const char *name = wire_text(x->m->arena, x->m->model->weights.at[i].name);
        bool apart = onnx_member_parts(x->m->model->weights.at[i].name) > 1;
        for (const char *dot = apart ? strchr(name, '.') : NULL; dot; dot = strchr(dot + 1, '.')) {
            uint64_t id = id_of(x, name, (size_t)(dot - name));
            map_put(&x->count, id, count_at(&x->count, id) + 1);
        }
        if (!strchr(name, '.'))
            map_put(&x->count, id_of(x, name, strlen(name)), UINT32_MAX);
    }
}

static void note_fixed(void *data, struct operand *x) {
    map_put(data, x->stand_in.i, 1);
}

/* Notes what graphs in nodes read, and results. */
static void find_fixed(struct instances *x) {
    struct importer *m = x->m;
    struct visitor v = {m, note_fixed, &x->fixed};
    for (uint32_t i = 0; i < m->body->lines.n; i++)
        if (m->body->lines.at[i].choice || m->body->lines.at[i].loop)
            visit_line(&v, &m->body->lines.at[i]);
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        const struct operand *o = operand_of(m, m->model->outputs.at[i].id);
        if (o && o->kind == OPERAND_WEIGHT)
            note_fixed(&x->fixed, (struct operand *)(uintptr_t)o);
    }
}

/* E with `w.T` for weights in whose place their transpose is. */
static struct ast *with_turned(struct instances *x, struct ast *e) {
    uint64_t at = 0;
    if (e->kind == AST_NAME && map_get(&x->turned, e->name.i, &at)) {
        struct ast *turned = new_node(x->m, AST_MEMBER, 1);
        turned->name = name_of_text(x->m->names, "T");
        turned->kids[0] = new_name(x->m, ((const struct operand *)(uintptr_t)at)->stand_in);
        return turned;
    }
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            e->kids[k] = with_turned(x, e->kids[k]);
    return e;
}

void instances_make(struct scopes *s) {
    struct importer *m = s->m;
    struct arena *a = m->arena;
    struct instances x = {s,          m,          map_new(a), map_new(a), map_new(a),
                          map_new(a), map_new(a), map_new(a), map_new(a)};
    m->weights.n = m->model->weights.n;
    count_weights(&x);
    find_fixed(&x);
    for (uint32_t i = 0; i < m->body->lines.n; i++) {
        struct line *line = &m->body->lines.at[i];
        if (line->value && !line->choice && !line->loop)
            line->value = resolve(&x, s->of_line[i], line->value);
    }
    for (uint32_t i = 0; i < m->body->lines.n; i++)
        if (m->body->lines.at[i].value)
            m->body->lines.at[i].value = with_turned(&x, m->body->lines.at[i].value);
}
