/* Instances whose layer has been defined anew.

   Note [renewing]
   Such an instance is made again in its place, from the new definition and the arguments that it
   was made with, so that all that refer to it see the new one. Its states that have name, element
   type and shape of former ones take their content; of the others it is told. A former one that no
   new one takes is set aside, and a later definition that it fits has it back: who mistypes a size
   and mends it loses nothing. One that cannot be made again stays what it was, and the reason is
   told. What stands outermost comes first: it makes its members anew itself. */
#include "session/state.h"

#include "lang/eval/eval.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD_INSTANCES = 3, TOLD_STATES = 8 };
enum { ASIDE_KEPT = 4 }; /* states of one name */

/* What one text renews. */
struct renewal {
    struct dcl_session *s;
    uint32_t source;
    uint32_t told, untold; /* instances of which something is to be told */
    struct diag *last;
};

/* An instance of the script, and an expression that leads to it. */
struct place {
    struct instance *instance;
    const char *path;
};

struct places {
    struct dcl_session *s;
    struct arena *arena;
    struct map seen;
    VEC(struct place) at;
};

/* --- finding --------------------------------------------------------------------------------- */

static void find_in(struct places *p, const struct value *v, const char *path);

static void find_instance(struct places *p, struct instance *x, const char *path) {
    if (!x || map_get(&p->seen, (uintptr_t)x, NULL))
        return;
    map_put(&p->seen, (uintptr_t)x, 1);
    VEC_PUSH(p->arena, p->at, ((struct place){x, path}));
    for (uint32_t i = 0; i < x->env->bindings.n; i++) {
        const struct binding *b = &x->env->bindings.at[i];
        find_in(p, &b->value,
                arena_printf(p->arena, "%s.%s", path, name_text(p->s->names, b->name)));
    }
}

static void find_in(struct places *p, const struct value *v, const char *path) {
    switch (v->kind) {
    case VAL_INSTANCE: find_instance(p, v->instance, path); break;
    case VAL_FN: find_instance(p, v->fn->self, path); break;
    case VAL_LIST:
        for (uint32_t i = 0; i < v->list->n; i++)
            find_in(p, &v->list->at[i], arena_printf(p->arena, "%s[%u]", path, i));
        break;
    default: break;
    }
}

/* The definition that the text gives the layer of X, if it is another one than X's; else NULL. */
static const struct ast *new_definition(const struct renewal *r, const struct instance *x) {
    const struct dcl_session *s = r->s;
    if (x->layer->module != s->module)
        return NULL;
    const struct ast *def = module_find(s->module, x->layer->def->name, NULL);
    bool is_new = def && def->kind == AST_LAYER && def->span.source == r->source;
    return is_new && def != x->layer->def ? def : NULL;
}

static struct places find_all(struct dcl_session *s, struct arena *a) {
    struct places p = {.s = s, .arena = a, .seen = map_new(a)};
    for (uint32_t i = 0; i < s->script->bindings.n; i++) {
        const struct binding *b = &s->script->bindings.at[i];
        find_in(&p, &b->value, name_text(s->names, b->name));
    }
    return p;
}

/* --- making again ---------------------------------------------------------------------------- */

/* A new instance of DEF with the arguments of X that it has parameters for, in the store. */
static struct instance *make(struct dcl_session *s, const struct ast *def,
                             const struct instance *x) {
    struct layer layer = {def, s->module};
    struct value callee = {.kind = VAL_LAYER, .dtype = DT_NONE, .layer = &layer}, out;
    const struct ast *params = def->kids[0], *former = x->layer->def->kids[0];
    uint32_t n = 0;
    unit_begin(s, def->name, def->span, true);
    s->unit.ev->called = NULL;
    struct value *args = ARENA_ARRAY(s->unit.arena, struct value, params->nkids);
    struct name *names = ARENA_ARRAY(s->unit.arena, struct name, params->nkids);
    for (uint32_t i = 0; i < params->nkids; i++)
        for (uint32_t k = 0; k < former->nkids; k++)
            if (name_eq(params->kids[i]->name, former->kids[k]->name)) {
                names[n] = params->kids[i]->name;
                args[n] = env_find(x->env, names[n], NULL)->value;
                n++;
            }
    bool ok = eval_call(s->unit.ev, &callee, n, args, names, def->span, &out) &&
              store_keep(s, &out, def->span);
    unit_end(s);
    return ok ? out.instance : NULL;
}

/* States below X get X's place in their names. */
static void put_below(struct dcl_session *s, struct instance *x, const char *place);

static void put_value_below(struct dcl_session *s, const struct value *v, const char *place) {
    if (v->kind == VAL_INSTANCE)
        put_below(s, v->instance, place);
    for (uint32_t i = 0; v->kind == VAL_LIST && i < v->list->n; i++)
        put_value_below(s, &v->list->at[i], place);
}

static struct name below(struct dcl_session *s, const char *place, struct name n) {
    return name_of_text(s->names,
                        arena_printf(s->messages, "%s.%s", place, name_text(s->names, n)));
}

static void put_below(struct dcl_session *s, struct instance *x, const char *place) {
    if (*name_text(s->names, x->path))
        x->path = below(s, place, x->path);
    for (uint32_t i = 0; i < x->states.n; i++)
        x->states.at[i]->path = below(s, place, x->states.at[i]->path);
    for (uint32_t i = 0; i < x->env->bindings.n; i++)
        put_value_below(s, &x->env->bindings.at[i].value, place);
}

/* X becomes what Y is. */
static void take_over(struct instance *x, const struct instance *y) {
    x->layer = y->layer;
    x->env = y->env;
    x->states = y->states;
    for (uint32_t i = 0; i < x->states.n; i++)
        x->states.at[i]->owner = x;
    for (uint32_t i = 0; i < x->env->bindings.n; i++) {
        struct value *v = &x->env->bindings.at[i].value;
        if (v->kind == VAL_FN && v->fn->self == y)
            v->fn->self = x;
    }
}

/* --- states ---------------------------------------------------------------------------------- */

static const struct named_state *find_state(const struct named_states *all, const char *name) {
    for (uint32_t i = 0; i < all->at.n; i++)
        if (strcmp(all->at.at[i].name, name) == 0)
            return &all->at.at[i];
    return NULL;
}

static const char *state_type(struct dcl_session *s, const struct state *st) {
    struct buf text = buf_new(s->messages);
    buf_printf(&text, "%s[", dtypes[st->dtype].name);
    for (uint32_t d = 0; d < st->rank; d++)
        buf_printf(&text, "%s%lld", d ? ", " : "", (long long)st->dims[d]);
    buf_text(&text, "]");
    return text.at;
}

static bool same_type(const struct state *x, const struct state *y) {
    bool same = x->dtype == y->dtype && x->rank == y->rank;
    for (uint32_t d = 0; same && d < x->rank; d++)
        same = x->dims[d] == y->dims[d];
    return same;
}

/* What OLD holds, in the layout of ST, of the same type. False after an error. */
static bool take_content(struct dcl_session *s, struct state *st, const struct state *old) {
    bool same = layout_equal(st->layout, old->layout);
    struct data *d = same ? old->data : state_as_shape(s, old, st->def->span);
    if (d && !same)
        d = state_as_stored(s, st, d, st->def->span);
    if (d)
        st->data = d;
    return d;
}

/* A warning about an instance; NULL after the first ones. */
static struct diag *tell(struct renewal *r, const struct ast *def, enum error_code code,
                         const char *path, const char *why) {
    if (r->told == TOLD_INSTANCES) {
        r->untold++;
        return NULL;
    }
    r->told++;
    r->last = code == ERR_NOT_RENEWED ? diag_warning(&r->s->diags, def->span, code, path, why)
                                      : diag_warning(&r->s->diags, def->span, code, path);
    return r->last;
}

/* The last state aside of the name and type of ST; NULL if there is none. */
static struct named_state *find_aside(struct named_states *aside, const char *name,
                                      const struct state *st) {
    for (uint32_t i = aside->at.n; i > 0; i--) {
        struct named_state *at = &aside->at.at[i - 1];
        if (at->state && strcmp(at->name, name) == 0 && same_type(at->state, st))
            return at;
    }
    return NULL;
}

/* Puts aside what stood there and was not taken, and AT; of one name the last few. */
static void put_aside(struct dcl_session *s, struct named_states *aside,
                      const struct named_state *at) {
    struct named_state *first = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < aside->at.n; i++)
        if (aside->at.at[i].state && strcmp(aside->at.at[i].name, at->name) == 0 && n++ == 0)
            first = &aside->at.at[i];
    if (n == ASIDE_KEPT)
        first->state = NULL;
    VEC_PUSH(s->messages, aside->at, *at);
}

/* What V is or has in it under NAME; NULL if that is no instance. *REST: what follows of NAME. */
static struct instance *below_value(const struct value *v, const char *name, const char **rest) {
    if (v->kind == VAL_INSTANCE) {
        *rest = name;
        return v->instance;
    }
    char *end;
    unsigned long i = v->kind == VAL_LIST ? strtoul(name, &end, 10) : 0;
    bool goes_on = v->kind == VAL_LIST && i < v->list->n && end > name && *end == '.';
    return goes_on ? below_value(&v->list->at[i], end + 1, rest) : NULL;
}

/* Puts ST aside in that of X and its members which NAME leads to: either may be defined anew. */
static void give_aside(struct dcl_session *s, struct instance *x, const char *name,
                       struct state *st) {
    struct instance *member = NULL;
    const char *rest = NULL;
    for (uint32_t i = 0; i < x->env->bindings.n && !member; i++) {
        const struct binding *b = &x->env->bindings.at[i];
        const char *text = name_text(s->names, b->name);
        size_t n = strlen(text);
        if (strncmp(name, text, n) == 0 && name[n] == '.')
            member = below_value(&b->value, name + n + 1, &rest);
    }
    if (member) {
        give_aside(s, member, rest, st);
        return;
    }
    struct aside put = {name_of_text(s->names, name), st};
    VEC_PUSH(s->store.arena, x->aside, put);
}

/* What differs between an instance and what it was, told as notes on one warning. */
struct differences {
    struct renewal *r;
    const struct ast *def;
    const char *path;
    struct diag *told;
    uint32_t n;
};

/* Whether one more is to be told. */
static bool differs(struct differences *d) {
    if (d->n++ == 0)
        d->told = tell(d->r, d->def, ERR_STATES_RENEWED, d->path, NULL);
    return d->told && d->n <= TOLD_STATES;
}

/* Gives the states of Y, which X is to become, the content of those of X that fit, or of those
   aside; a note for each that does not go on as it was. What is then aside: *ASIDE. */
static void keep_states(struct renewal *r, const struct place *p, const struct instance *y,
                        struct named_states *aside) {
    struct dcl_session *s = r->s;
    struct named_states old, new;
    struct differences d = {.r = r, .def = y->layer->def, .path = p->path};
    bool kept = false;
    states_list(s, s->messages, p->instance, &old);
    states_list(s, s->messages, y, &new);
    states_aside(s, s->messages, p->instance, aside);
    for (uint32_t i = 0; i < new.at.n; i++) {
        const struct named_state *at = &new.at.at[i], *other = find_state(&old, at->name);
        bool fits = other && same_type(at->state, other->state);
        struct named_state *back = fits ? NULL : find_aside(aside, at->name, at->state);
        const struct state *from = fits ? other->state : back ? back->state : NULL;
        if (from && !take_content(s, at->state, from))
            return;
        if (back)
            back->state = NULL;
        if (fits || !differs(&d))
            continue;
        if (back)
            diag_note(&s->diags, d.told, (struct span){0}, "%s is again what it was as %s",
                      at->name, state_type(s, at->state));
        else if (other)
            diag_note(&s->diags, d.told, (struct span){0}, "%s was %s and starts anew as %s",
                      at->name, state_type(s, other->state), state_type(s, at->state));
        else
            diag_note(&s->diags, d.told, (struct span){0}, "%s is new: %s", at->name,
                      state_type(s, at->state));
    }
    for (uint32_t i = 0; i < old.at.n; i++) {
        const struct named_state *at = &old.at.at[i], *other = find_state(&new, at->name);
        if (other && same_type(at->state, other->state))
            continue;
        const struct data *content = at->state->data;
        if (!content->draws) { /* else nobody has seen it yet */
            put_aside(s, aside, at);
            kept = true;
        }
        if (!other && differs(&d))
            diag_note(&s->diags, d.told, (struct span){0}, "%s is gone: %s", at->name,
                      state_type(s, at->state));
    }
    if (d.told && d.n > TOLD_STATES)
        diag_note(&s->diags, d.told, (struct span){0}, "and %u more", d.n - TOLD_STATES);
    if (d.told && kept)
        diag_help(&s->diags, d.told,
                  "what no longer fits is set aside, and is back with a definition that it fits");
}

/* --- all of them ----------------------------------------------------------------------------- */

/* Makes the instance at P anew from DEF. A reason why it cannot be is a warning. */
static bool renew(struct renewal *r, const struct place *p, const struct ast *def) {
    struct dcl_session *s = r->s;
    struct diags before = s->diags;
    struct instance *x = p->instance, *y = make(s, def, x);
    if (!y) {
        const char *why = *before.last ? (*before.last)->text : "";
        s->diags = before;
        *s->diags.last = NULL;
        tell(r, def, ERR_NOT_RENEWED, p->path, why);
        return false;
    }
    struct named_states aside;
    keep_states(r, p, y, &aside);
    const char *place = name_text(s->names, x->path);
    undo_instance(s, x);
    take_over(x, y);
    memset(&x->aside, 0, sizeof x->aside);
    for (uint32_t i = 0; i < aside.at.n; i++)
        if (aside.at.at[i].state)
            give_aside(s, x, aside.at.at[i].name, aside.at.at[i].state);
    if (*place) {
        struct name path = x->path;
        x->path = name_of_text(s->names, "");
        put_below(s, x, place);
        x->path = path;
    }
    return true;
}

bool renew_instances(struct dcl_session *s, uint32_t source) {
    struct renewal r = {.s = s, .source = source};
    struct arena *a = arena_under(s->messages);
    struct map refused = map_new(a);
    for (bool again = true; again;) {
        struct places all = find_all(s, a);
        again = false;
        for (uint32_t i = 0; i < all.at.n && !again; i++) {
            const struct place *p = &all.at.at[i];
            const struct ast *def = new_definition(&r, p->instance);
            if (!def || map_get(&refused, (uintptr_t)p->instance, NULL))
                continue;
            if (session_stopped(s))
                return false;
            if (!renew(&r, p, def))
                map_put(&refused, (uintptr_t)p->instance, 1);
            again = true; /* its members are others now */
        }
    }
    if (r.untold)
        diag_note(&s->diags, r.last, (struct span){0}, "the same is true of %u more", r.untold);
    arena_free(a);
    return true;
}
