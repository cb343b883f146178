/* Which lines are a layer's, what goes in and comes out, and their methods.

   A scope is a layer's if its lines stand together, there are some, it has weights, and the sizes
   that it names are those of what it takes; the lines of others belong to the scope around. What it
   takes is in the order of its first reads, so that scopes that do the same have the same text, and
   members.c defines their layer once. */
#include "lang/onnx/scopes.h"

#include <string.h>

enum {
    DEPTH_MOST = 14 /* parts of a scope's name: a weight's has one more, and no more than 16 */
};

/* --- the tree ------------------------------------------------------------------------------- */

bool scope_is_number(struct wire_bytes t) {
    bool digits = t.n > 0 && t.n < 7;
    for (size_t i = 0; digits && i < t.n; i++)
        digits = t.at[i] >= '0' && t.at[i] <= '9';
    return digits;
}

static struct scope *scope_new(struct scopes *s, struct scope *outer, struct wire_bytes element) {
    struct scope *x = ARENA_NEW(s->m->arena, struct scope);
    const char *text = wire_text(s->m->arena, element);
    *x = (struct scope){.element = element, .outer = outer, .find = map_new(s->m->arena)};
    x->known = map_new(s->m->arena);
    x->depth = outer ? outer->depth + 1 : 0;
    x->complete = true;
    x->key = !outer          ? ""
             : outer->key[0] ? arena_printf(s->m->arena, "%s.%s", outer->key, text)
                             : text;
    map_put(&s->by_key, name_of_text(s->m->model->ids, x->key).i, (uintptr_t)x);
    VEC_PUSH(s->m->arena, s->all, x);
    return x;
}

static struct scope *scope_in(struct scopes *s, struct scope *outer, struct wire_bytes element) {
    uint64_t at = 0, key = name_of(s->m->model->ids, element.at, element.n).i;
    if (map_get(&outer->find, key, &at))
        return (struct scope *)(uintptr_t)at;
    struct scope *x = scope_new(s, outer, element);
    map_put(&outer->find, key, (uintptr_t)x);
    return x;
}

/* Whether component X is Y and a dot and more: `layer1`, `layer1.0`. */
static bool goes_on(struct wire_bytes x, struct wire_bytes y) {
    return x.n > y.n && memcmp(x.at, y.at, y.n) == 0 && x.at[y.n] == '.';
}

/* The scope that a node's NAME says: its components but the last, taken apart at dots. */
static struct scope *scope_of(struct scopes *s, struct wire_bytes name) {
    struct scope *x = s->root;
    struct wire_bytes before = {"", 0};
    for (size_t i = 0; i < name.n;) {
        const char *slash = memchr(name.at + i, '/', name.n - i);
        size_t n = slash ? (size_t)(slash - name.at) - i : 0;
        struct wire_bytes part = {name.at + i, n};
        i += n + 1;
        if (!slash)
            break;
        if (n == 0 || x->depth >= DEPTH_MOST)
            continue;
        struct wire_bytes rest = part;
        if (before.n && goes_on(part, before))
            rest = (struct wire_bytes){part.at + before.n + 1, part.n - before.n - 1};
        before = part;
        const char *dot;
        while (x->depth < DEPTH_MOST && (dot = memchr(rest.at, '.', rest.n)) && dot > rest.at) {
            struct wire_bytes head = {rest.at, (size_t)(dot - rest.at)};
            rest = (struct wire_bytes){dot + 1, rest.n - head.n - 1};
            x = scope_in(s, x, head);
        }
        if (rest.n && x->depth < DEPTH_MOST && !memchr(rest.at, '.', rest.n))
            x = scope_in(s, x, rest);
        x->prefix = (struct wire_bytes){name.at, (size_t)(part.at - name.at) + n};
    }
    return x;
}

static void count_line(struct scope *x, uint32_t i, bool complete) {
    for (; x; x = x->outer) {
        x->first = x->count ? x->first : i;
        x->last = i;
        x->count++;
        x->complete = x->complete && complete;
    }
}

/* --- weights ---------------------------------------------------------------------------------- */

static struct scope *common(struct scope *x, struct scope *y) {
    while (x && y && x != y) {
        struct scope **deeper = x->depth >= y->depth ? &x : &y;
        *deeper = (*deeper)->outer;
    }
    return x && y ? x : NULL;
}

struct reading {
    struct scopes *s;
    struct scope *here;
    struct scope **of_weight; /* the scope that all its readers are in */
};

static void note_weight(void *data, struct operand *x) {
    struct reading *r = data;
    if (x->kind == OPERAND_WEIGHT) {
        struct scope **of = &r->of_weight[x->weight];
        *of = *of ? common(*of, r->here) : r->here;
    }
}

/* Whether dotted NAME begins with the KEY of a scope. */
static bool is_under(const char *name, const char *key) {
    size_t n = strlen(key);
    return n == 0 || (strncmp(name, key, n) == 0 && name[n] == '.');
}

/* The end of a weight's name, where that says something: `onnx::MatMul_358` does not. */
static const char *role_of(struct scopes *s, const struct onnx_weight *w) {
    struct wire_bytes name = w->name;
    size_t n = name.n;
    while (n && !strchr("./:", name.at[n - 1]))
        n--;
    struct wire_bytes end = {name.at + n, name.n - n};
    bool numbered = end.n && end.at[end.n - 1] >= '0' && end.at[end.n - 1] <= '9';
    bool says = n > 0 && end.n > 0 && !numbered;
    return says ? wire_text(s->m->arena, end) : w->rank == 1 ? "bias" : "weight";
}

/* A name for a weight that scope X alone reads. */
static const char *name_in(struct scopes *s, const struct scope *x, const struct onnx_weight *w,
                           struct map *taken) {
    const char *wanted = arena_printf(s->m->arena, "%s.%s", x->key, role_of(s, w)), *text = wanted;
    uint64_t k = 1;
    struct name n = name_of_text(s->m->model->ids, wanted);
    if (!map_get(taken, n.i, &k))
        return text;
    do
        text = arena_printf(s->m->arena, "%s_%llu", wanted, (unsigned long long)++k);
    while (map_get(taken, name_of_text(s->m->model->ids, text).i, NULL));
    map_put(taken, n.i, k);
    return text;
}

static void name_weights(struct scopes *s) {
    struct importer *m = s->m;
    struct reading r = {.s = s};
    r.of_weight = ARENA_ARRAY(m->arena, struct scope *, m->model->weights.n + 1);
    struct visitor v = {m, note_weight, &r};
    struct map taken = map_new(m->arena);
    s->weight = ARENA_ARRAY(m->arena, const char *, m->model->weights.n + 1);
    for (uint32_t i = 0; i < m->body->lines.n; i++) {
        r.here = s->of_line[i];
        visit_line(&v, &m->body->lines.at[i]);
    }
    for (uint32_t i = 0; i < m->model->weights.n; i++) {
        struct onnx_weight *w = &m->model->weights.at[i];
        const char *name = wire_text(m->arena, w->name);
        bool apart = onnx_member_parts(w->name) > 1 || !strchr(name, '.');
        if (w->made) /* it has its name */
            map_put(&taken, name_of(m->model->ids, w->local.at, w->local.n).i, 1);
        else if (r.of_weight[i] && r.of_weight[i]->outer &&
                 !(apart && is_under(name, r.of_weight[i]->key)))
            w->local.n = 1; /* below */
        else
            map_put(&taken, name_of_text(m->model->ids, name).i, 1);
    }
    for (uint32_t i = 0; i < m->model->weights.n; i++) {
        struct onnx_weight *w = &m->model->weights.at[i];
        const char *name = wire_text(m->arena, w->name);
        if (w->made) {
            name = w->local.at;
        } else if (w->local.n) {
            name = name_in(s, r.of_weight[i], w, &taken);
            w->local = (struct wire_bytes){name, strlen(name)};
            map_put(&taken, name_of_text(m->model->ids, name).i, 1);
        }
        bool apart = w->local.n || onnx_member_parts(w->name) > 1 || !strchr(name, '.');
        s->weight[i] = apart ? name : "";
        for (const char *dot = strchr(s->weight[i], '.'); dot; dot = strchr(dot + 1, '.')) {
            struct name key = name_of(m->model->ids, name, (size_t)(dot - name));
            uint64_t at = 0;
            if (map_get(&s->by_key, key.i, &at))
                ((struct scope *)(uintptr_t)at)->weights = true;
        }
    }
}

/* --- which are layers ----------------------------------------------------------------------- */

static struct scope *layer_around(struct scope *x) {
    while (x->outer && !x->layer)
        x = x->outer;
    return x;
}

bool scope_owns(const struct scopes *s, const struct operand *x, const struct scope *at) {
    return is_under(s->weight[x->weight], at->key);
}

static void add_operand(struct scopes *s, struct scope *at, struct operand *x, bool taken) {
    if (map_get(&at->known, x->stand_in.i, NULL))
        return;
    map_put(&at->known, x->stand_in.i, 1);
    if (taken)
        VEC_PUSH(s->m->arena, at->takes, x);
    else
        VEC_PUSH(s->m->arena, at->gives, x);
}

/* X is read in layer HERE, and made in layer FROM: it comes out of the layers around FROM, and goes
   into those around HERE. */
static void cross(struct scopes *s, struct operand *x, struct scope *from, struct scope *here) {
    const struct scope *meet = common(from, here);
    for (struct scope *at = from; at != meet; at = at->outer)
        if (at->layer)
            add_operand(s, at, x, false);
    for (struct scope *at = here; at != meet; at = at->outer)
        if (at->layer)
            add_operand(s, at, x, true);
}

static void note_crossing(void *data, struct operand *x) {
    struct reading *r = data;
    struct scopes *s = r->s;
    uint64_t line = 0;
    if (x->kind == OPERAND_WEIGHT) {
        for (struct scope *at = r->here; at && !scope_owns(s, x, at); at = at->outer)
            if (at->layer)
                add_operand(s, at, x, true);
        return;
    }
    map_get(&s->made, x->stand_in.i, &line);
    cross(s, x, line ? layer_around(s->of_line[line - 1]) : s->root, r->here);
}

static void find_crossings(struct scopes *s) {
    struct importer *m = s->m;
    struct reading r = {.s = s};
    struct visitor v = {m, note_crossing, &r};
    for (uint32_t i = 0; i < m->body->lines.n; i++) {
        r.here = layer_around(s->of_line[i]);
        visit_line(&v, &m->body->lines.at[i]);
    }
    r.here = s->root;
    for (uint32_t i = 0; i < m->model->outputs.n; i++) {
        const struct operand *x = operand_of(m, m->model->outputs.at[i].id);
        if (x && x->kind != OPERAND_UNKNOWN)
            visit_expression(&v, operand_tensor(m, x, false));
    }
}

/* --- sizes ------------------------------------------------------------------------------------ */

struct sizes {
    struct importer *m;
    struct map known; /* symbols that a parameter has alone as a dimension -> 1 */
    bool good;
};

static void need_size(void *data, struct name n) {
    struct sizes *z = data;
    z->good = z->good && map_get(&z->known, n.i, NULL);
}

static void need_sizes(struct sizes *z, const struct operand *x) {
    struct sym_ctx *syms = outline_eval(z->m->outline)->syms;
    for (uint32_t d = 0; x->v.kind == VAL_TENSOR && d < x->v.tensor->rank; d++)
        if (x->v.tensor->dims[d].kind == VAL_SYM)
            sym_atoms(syms, x->v.tensor->dims[d].sym, need_size, z);
}

/* Names in E that are sizes. */
static void need_named(struct sizes *z, const struct ast *e) {
    if (e->kind == AST_NAME && map_get(&z->m->dims, e->name.i, NULL))
        need_size(z, e->name);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            need_named(z, e->kids[k]);
}

/* Whether a method of X can name all its sizes. */
static bool sizes_fit(struct scopes *s, struct scope *x) {
    struct sizes z = {s->m, map_new(s->m->arena), true};
    struct sym_ctx *syms = outline_eval(s->m->outline)->syms;
    for (uint32_t i = 0; i < x->takes.n; i++) {
        const struct value *v = &x->takes.at[i]->v;
        struct name n;
        for (uint32_t d = 0; v->kind == VAL_TENSOR && d < v->tensor->rank; d++)
            if (v->tensor->dims[d].kind == VAL_SYM &&
                sym_is_atom(syms, v->tensor->dims[d].sym, &n) && map_get(&s->m->dims, n.i, NULL))
                map_put(&z.known, n.i, 1);
    }
    for (uint32_t i = 0; i < x->takes.n; i++)
        need_sizes(&z, x->takes.at[i]);
    for (uint32_t i = 0; i < x->gives.n; i++)
        need_sizes(&z, x->gives.at[i]);
    for (uint32_t i = x->first; z.good && i <= x->last; i++)
        need_named(&z, s->m->body->lines.at[i].value);
    return z.good;
}

static bool all_are(const struct scope *x, enum value_kind kind, enum value_kind other) {
    bool good = true;
    for (uint32_t i = 0; i < x->takes.n; i++)
        good = good && (x->takes.at[i]->v.kind == kind || x->takes.at[i]->v.kind == other);
    for (uint32_t i = 0; i < x->gives.n; i++)
        good = good && (x->gives.at[i]->v.kind == kind || x->gives.at[i]->v.kind == other);
    return good;
}

/* Whether what X takes and gives can be said. */
static bool has_method(struct scopes *s, struct scope *x) {
    return x->gives.n > 0 && x->gives.n <= SCOPE_TAKES_MOST && x->takes.n <= SCOPE_TAKES_MOST &&
           all_are(x, VAL_TENSOR, VAL_SCALAR) && sizes_fit(s, x);
}

/* X, a layer, is an item of the one around it. */
static void enter_layer(struct scopes *s, struct scope *x) {
    if (!x->outer || x->entered)
        return;
    struct scope *outer = layer_around(x->outer);
    struct item it = {x->first, x};
    enter_layer(s, outer);
    VEC_PUSH(s->m->arena, outer->items, it);
    x->entered = true;
}

static void choose_layers(struct scopes *s) {
    for (uint32_t k = 1; k < s->all.n; k++) {
        struct scope *x = s->all.at[k];
        struct wire_bytes key = {x->key, strlen(x->key)};
        x->layer = x->weights && x->complete && onnx_member_parts(key) == x->depth &&
                   x->count >= LINES_LEAST && x->last - x->first + 1 == x->count;
        bool lists = x->find.n > 0;
        for (uint32_t i = 0; i < x->find.n; i++)
            lists = lists &&
                    scope_is_number(((struct scope *)(uintptr_t)x->find.entries[i].value)->element);
        x->layer = x->layer && !lists;
    }
    for (uint32_t k = 0; k < s->instances.n; k++) {
        uint64_t at = 0;
        map_get(&s->by_key, name_of_text(s->m->model->ids, s->instances.at[k]).i, &at);
        if (at)
            ((struct scope *)(uintptr_t)at)->layer = false;
    }
    for (uint32_t k = 1; k < s->all.n; k++) { /* what only holds another layer is none */
        const struct scope *x = s->all.at[k];
        for (struct scope *at = x->outer; x->layer && at && at->count == x->count; at = at->outer)
            at->layer = false;
    }
    find_crossings(s);
    for (uint32_t k = 1; k < s->all.n; k++)
        s->all.at[k]->layer = s->all.at[k]->layer && has_method(s, s->all.at[k]);
    for (uint32_t i = 0; i < s->m->body->lines.n; i++) {
        struct scope *x = layer_around(s->of_line[i]);
        struct item it = {i, NULL};
        enter_layer(s, x);
        VEC_PUSH(s->m->arena, x->items, it);
    }
}

struct scopes *scopes_new(struct importer *m) {
    struct scopes *s = ARENA_NEW(m->arena, struct scopes);
    uint32_t n = m->body->lines.n;
    s->m = m;
    s->by_key = map_new(m->arena);
    s->made = map_new(m->arena);
    s->root = scope_new(s, NULL, (struct wire_bytes){"", 0});
    s->of_line = ARENA_ARRAY(m->arena, struct scope *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct line *line = &m->body->lines.at[i];
        s->of_line[i] = scope_of(s, line->node);
        count_line(s->of_line[i], i, !line->choice && !line->loop);
        for (uint32_t k = 0; k < line->ntargets; k++)
            if (line->targets[k])
                map_put(&s->made, line->targets[k]->stand_in.i, 1 + (uint64_t)i);
    }
    instances_make(s);
    drop_weights(m);
    name_weights(s);
    choose_layers(s);
    return s;
}
