/* The store: values of script variables, and which of them and of their memory is still alive.

   Note [collecting]
   Values that a statement makes lie in its unit and die with it; what a variable keeps is copied
   into the store's arena (store_keep). What variables do not hold any more stays there until
   store_collect copies what is alive into a new arena and frees the old one. Instances have an
   identity, so each is copied once, and values that lie in the store already keep theirs.
   Alive is what hangs on variables, running loops, compiled functions and the undo list. The memory
   of tensors and states does not move; it is marked while the copy is made and freed if it was not.
   A collection may run only between statements, when no C code holds a value. */
#include "session/state.h"

#include <string.h>

enum {
    COLLECT_DATA = 16 << 20,
    COLLECT_ARENA = 1 << 20,
    COLLECT_COUNT = 4096,
    COLLECT_TEXTS = 256
};

/* --- copying values ------------------------------------------------------------------------- */

struct copier {
    struct dcl_session *s;
    struct arena *to;
    bool all;        /* a collection: what lies in the store is copied too */
    struct map seen; /* instance, or head of a tensor: its copy */
    struct map made; /* keeping: index into VALUES of a tensor (by its head), of a scalar (by its
                        place) */
    const struct value *values;
    struct map owned; /* instances in TO */
};

static struct value copy_value(struct copier *c, const struct value *v);

static bool lies_in_store(const struct copier *c, const struct instance *x) {
    return !c->all && map_get(&c->s->store.owned, (uintptr_t)x, NULL);
}

static void mark_text(struct copier *c, const struct ast *def) {
    struct text *t = c->all ? text_of_source(c->s, def->span.source) : NULL;
    if (t)
        t->live = true;
}

/* A state in the store stays where it is; one of a new instance gets its place here. */
static struct state *copy_state(struct copier *c, struct state *st) {
    uint64_t known;
    if (c->all) {
        ((struct kept_state *)st)->live = true;
        ((struct data *)st->data)->live = true;
        return st;
    }
    if (map_get(&c->seen, (uintptr_t)st, &known))
        return (struct state *)(uintptr_t)known;
    struct kept_state *k = mem_alloc(sizeof *k + (st->rank + st->nstored) * sizeof *st->dims);
    *k = (struct kept_state){.state = *st, .next = c->s->store.states};
    k->state.dims = (int64_t *)(k + 1);
    k->state.stored = k->state.dims + st->rank;
    for (uint32_t d = 0; d < st->rank; d++)
        k->state.dims[d] = st->dims[d];
    for (uint32_t d = 0; d < st->nstored; d++)
        k->state.stored[d] = st->stored[d];
    if (st->layout) {
        k->layout = *st->layout;
        k->state.layout = &k->layout;
    }
    c->s->store.states = k;
    map_put(&c->seen, (uintptr_t)st, (uintptr_t)&k->state);
    return &k->state;
}

static struct env *copy_env(struct copier *c, const struct env *e, struct env *parent) {
    struct env *x = env_new(c->to, e->kind, parent, e->module);
    for (uint32_t i = 0; i < e->bindings.n; i++) {
        const struct binding *b = &e->bindings.at[i];
        env_bind(x, b->name, copy_value(c, &b->value), b->span);
    }
    return x;
}

static struct layer *copy_layer(struct copier *c, const struct layer *l) {
    struct layer *x = ARENA_NEW(c->to, struct layer);
    *x = *l;
    mark_text(c, l->def);
    return x;
}

static struct instance *copy_instance(struct copier *c, struct instance *x) {
    uint64_t known;
    if (!x || lies_in_store(c, x))
        return x;
    if (map_get(&c->seen, (uintptr_t)x, &known))
        return (struct instance *)(uintptr_t)known;
    struct instance *y = ARENA_NEW(c->to, struct instance);
    map_put(&c->seen, (uintptr_t)x, (uintptr_t)y);
    map_put(&c->owned, (uintptr_t)y, 1);
    y->layer = copy_layer(c, x->layer);
    y->path = x->path;
    y->id = x->id;
    for (uint32_t i = 0; i < x->states.n; i++) {
        struct state *st = copy_state(c, x->states.at[i]);
        st->owner = y;
        VEC_PUSH(c->to, y->states, st);
    }
    for (uint32_t i = 0; i < x->aside.n; i++) {
        struct aside at = x->aside.at[i];
        at.state = copy_state(c, at.state);
        at.state->owner = y;
        mark_text(c, at.state->def);
        VEC_PUSH(c->to, y->aside, at);
    }
    y->env = copy_env(c, x->env, NULL);
    return y;
}

static struct tensor *copy_tensor(struct copier *c, struct tensor *t) {
    uint64_t known;
    if (map_get(&c->seen, (uintptr_t)t, &known))
        return (struct tensor *)(uintptr_t)known;
    struct tensor *x = tensor_new(c->to, t->dtype, t->rank, tensor_data(t));
    for (uint32_t d = 0; d < t->rank; d++)
        x->dims[d] = t->dims[d];
    x->name = t->name;
    x->span = t->span;
    x->container = t->container;
    map_put(&c->seen, (uintptr_t)t, (uintptr_t)x);
    if (c->all)
        tensor_data(t)->live = true;
    return x;
}

static struct value copy_function(struct copier *c, const struct value *v) {
    struct value x = *v;
    x.fn = ARENA_NEW(c->to, struct function);
    *x.fn = *v->fn;
    x.fn->self = copy_instance(c, v->fn->self);
    mark_text(c, v->fn->def);
    return x;
}

static struct value copy_value(struct copier *c, const struct value *v) {
    struct value x = *v;
    uint64_t at;
    switch (v->kind) {
    case VAL_LIST:
    case VAL_PACK:
        x.list = ARENA_NEW(c->to, struct value_list);
        x.list->n = v->list->n;
        x.list->at = ARENA_ARRAY(c->to, struct value, v->list->n);
        for (uint32_t i = 0; i < v->list->n; i++)
            x.list->at[i] = copy_value(c, &v->list->at[i]);
        if (v->list->path)
            x.list->path = arena_copy(c->to, v->list->path, v->list->n * sizeof *v->list->path);
        break;
    case VAL_FN: return copy_function(c, v);
    case VAL_LAYER: x.layer = copy_layer(c, v->layer); break;
    case VAL_INSTANCE: x.instance = copy_instance(c, v->instance); break;
    case VAL_STATE: x.state = copy_state(c, v->state); break;
    case VAL_TENSOR:
        if (v->tensor->data)
            x.tensor = copy_tensor(c, v->tensor);
        else if (map_get(&c->made, (uintptr_t)v->tensor, &at))
            x = c->values[at];
        break;
    case VAL_SCALAR:
        if (map_get(&c->made, (uintptr_t)v, &at))
            x = c->values[at];
        break;
    default: break;
    }
    return x;
}

/* --- keeping -------------------------------------------------------------------------------- */

struct wanted { /* tensors and scalars without data, each once */
    struct dcl_session *s;
    struct arena *arena;
    struct map index, seen;
    VEC(struct value) at;
    bool failed;
};

static void want(struct wanted *w, struct value *v);

/* V is a state as a value: what it holds now. */
static bool copy_of_state(struct dcl_session *s, struct value *v) {
    const struct state *st = v->tensor->state;
    const struct data *d = state_data(st);
    const char *name = name_text(s->names, st->path);
    struct data *copy =
        st->layout ? state_as_shape(s, st, s->unit.span) : data_new(s, d->size, name, s->unit.span);
    if (!copy)
        return false;
    if (!st->layout)
        memcpy(copy->bytes, d->bytes, d->size);
    *v = value_tensor(
        data_tensor(s, st->dtype, st->rank, st->dims, copy, (struct name){0}, s->unit.span));
    return true;
}

static void want_instance(struct wanted *w, struct instance *x) {
    if (!x || map_get(&w->s->store.owned, (uintptr_t)x, NULL) ||
        map_get(&w->seen, (uintptr_t)x, NULL))
        return;
    map_put(&w->seen, (uintptr_t)x, 1);
    for (uint32_t i = 0; i < x->env->bindings.n; i++)
        want(w, &x->env->bindings.at[i].value);
}

static void want(struct wanted *w, struct value *v) {
    struct value found;
    int64_t i;
    if (v->kind == VAL_SYM && unit_integer(w->s, v->sym, &i)) {
        *v = value_int(i);
    } else if (v->kind == VAL_SYM) { /* over values: the run knows it */
        struct eval *ev = w->s->unit.ev;
        if (!ev->ops->constant(ev->host, DT_i64, v, w->s->unit.span, &found))
            w->failed = true;
        else
            *v = found;
    }
    uintptr_t key = v->kind == VAL_TENSOR ? (uintptr_t)v->tensor : (uintptr_t)v;
    switch (v->kind) {
    case VAL_LIST:
    case VAL_PACK:
        for (uint32_t i = 0; i < v->list->n; i++)
            want(w, &v->list->at[i]);
        break;
    case VAL_FN: want_instance(w, v->fn->self); break;
    case VAL_INSTANCE: want_instance(w, v->instance); break;
    case VAL_TENSOR:
        if (v->tensor->data)
            break;
        if (v->tensor->from && !v->tensor->map && !v->tensor->container) {
            *v = value_tensor(v->tensor->from); /* a variable as it is */
            break;
        }
        if (v->tensor->state && !v->tensor->map && !unit_writes(w->s)) {
            w->failed = w->failed || !copy_of_state(w->s, v);
            break;
        }
        /* fall through */
    case VAL_SCALAR:
        if (map_get(&w->index, key, NULL))
            break;
        map_put(&w->index, key, w->at.n);
        VEC_PUSH(w->arena, w->at, *v);
        break;
    default: break;
    }
}

bool store_keep(struct dcl_session *s, struct value *v, struct span span) {
    struct wanted w = {.s = s, .arena = s->unit.arena};
    if (!round_keeps(s, v, span))
        return false;
    w.index = map_new(s->unit.arena);
    w.seen = map_new(s->unit.arena);
    want(&w, v);
    if (w.failed || (w.at.n && !unit_results(s, w.at.n, w.at.at)))
        return false;
    struct copier c = {.s = s, .to = s->store.arena, .made = w.index, .values = w.at.at};
    c.seen = map_new(s->unit.arena);
    c.owned = s->store.owned;
    *v = copy_value(&c, v);
    s->store.owned = c.owned;
    return true;
}

/* --- collecting ----------------------------------------------------------------------------- */

static void unmark(struct dcl_session *s) {
    for (struct data *d = s->store.data; d; d = d->next)
        d->live = false;
    for (struct kept_state *k = s->store.states; k; k = k->next)
        k->live = false;
    for (uint32_t i = 0; i < s->texts.n; i++)
        s->texts.at[i]->live = s->texts.at[i]->running;
}

static void sweep(struct dcl_session *s) {
    struct store *store = &s->store;
    for (struct kept_state **at = &store->states; *at;) {
        struct kept_state *k = *at;
        if (k->live) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        mem_free(k);
    }
    for (struct data **at = &store->data; *at;) {
        struct data *d = *at;
        if (d->live) {
            at = &d->next;
            continue;
        }
        *at = d->next;
        data_free(s, d);
    }
    for (uint32_t i = 0; i < s->texts.n; i++)
        if (s->texts.at[i]->arena && !s->texts.at[i]->live) {
            arena_free(s->texts.at[i]->arena);
            s->texts.at[i]->arena = NULL;
        }
}

static void mark_module(struct copier *c, const struct module *m) {
    for (uint32_t i = 0; i < m->defs.n; i++)
        if (m->defs.entries[i].value)
            mark_text(c, (const struct ast *)(uintptr_t)m->defs.entries[i].value);
}

static void copy_handle(void *copier, struct value *v) {
    *v = copy_value(copier, v);
}

static void copy_undo(struct copier *c, struct undo *u) {
    switch (u->kind) {
    case UNDO_VARIABLE: u->value = copy_value(c, &u->value); break;
    case UNDO_DATA:
        u->tensor = copy_tensor(c, u->tensor);
        u->data->live = true;
        break;
    case UNDO_STATE:
        copy_state(c, u->state);
        u->data->live = true;
        break;
    case UNDO_INSTANCE: /* the methods of FORMER are those of INSTANCE */
        u->instance = copy_instance(c, u->instance);
        u->former = copy_instance(c, u->former);
        break;
    case UNDO_DEFINITION:
        if (u->definition)
            mark_text(c, u->definition);
        break;
    case UNDO_MODULE:
    case UNDO_USE: break;
    }
}

static bool is_due(const struct dcl_session *s) {
    const struct store *t = &s->store;
    size_t arena = arena_bytes(t->arena);
    return t->bytes - (t->bytes < t->live_bytes ? t->bytes : t->live_bytes) >
               COLLECT_DATA + t->live_bytes / 2 ||
           arena > COLLECT_ARENA + 2 * t->live_arena ||
           t->count > COLLECT_COUNT + 2 * t->live_count ||
           /* a collection goes through what lives: about 256 bytes are worth a text */
           t->texts > COLLECT_TEXTS + 2 * t->live_texts + t->live_arena / 256;
}

void store_collect(struct dcl_session *s, bool always) {
    if (!always && !is_due(s))
        return;
    unmark(s);
    struct store *store = &s->store;
    if (!store->next) /* else one is left that ran out of memory; some values may lie in it */
        store->next = arena_new();
    struct arena *scratch = arena_under(store->next);
    struct copier c = {.s = s, .to = store->next, .all = true};
    c.seen = map_new(scratch);
    c.owned = map_new(store->next);
    /* New places first, in locals: should memory run out, nothing has changed. */
    struct env *script = copy_env(&c, s->script, NULL);
    uint32_t depth = 0;
    for (struct frame *f = s->frames; f; f = f->outer)
        depth++;
    struct frame **frames = ARENA_ARRAY(scratch, struct frame *, depth);
    struct frame *moved = ARENA_ARRAY(scratch, struct frame, depth);
    uint32_t k = depth;
    for (struct frame *f = s->frames; f; f = f->outer)
        frames[--k] = f;
    struct env *parent = script;
    for (k = 0; k < depth; k++) {
        moved[k].env = parent = copy_env(&c, frames[k]->env, parent);
        moved[k].list = copy_value(&c, &frames[k]->list);
    }
    functions_each(s, copy_handle, &c);
    for (uint32_t i = 0; i < s->undo.n; i++)
        copy_undo(&c, &s->undo.at[i]);
    if (s->module)
        mark_module(&c, s->module);
    for (uint32_t i = 0; i < s->modules.n; i++)
        if (s->modules.entries[i].value)
            mark_module(&c, (const struct module *)(uintptr_t)s->modules.entries[i].value);
    s->script = script;
    for (k = 0; k < depth; k++) {
        frames[k]->env = moved[k].env;
        frames[k]->list = moved[k].list;
    }
    arena_free(store->arena);
    store->arena = store->next;
    store->next = NULL;
    store->owned = c.owned;
    sweep(s);
    store->live_arena = arena_bytes(store->arena);
    store->live_bytes = store->bytes;
    store->live_count = store->count;
    store->live_texts = store->texts = 0;
    for (uint32_t i = 0; i < s->texts.n; i++)
        store->live_texts += s->texts.at[i]->arena != NULL;
}

void store_free(struct dcl_session *s) {
    unmark(s);
    for (uint32_t i = 0; i < s->texts.n; i++)
        s->texts.at[i]->live = true; /* they are freed by the session */
    sweep(s);
    arena_free(s->store.arena);
    arena_free(s->store.next);
}
