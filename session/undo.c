/* What a line of the REPL did and an error in it takes back: variables, definitions, files that it
   uses, and the content of containers and states, of which the first write in a line makes a copy.
   A line gives new values only to variables whose names stand in it: these are noted before it
   runs, and those that it adds are the last ones. So a line costs what it says, however many
   variables there are. */
#include "session/state.h"

#include <string.h>

static void push(struct dcl_session *s, struct undo u) {
    VEC_PUSH(s->arena, s->undo, u);
}

void undo_begin(struct dcl_session *s) {
    s->line++;
    s->undo.n = 0;
    s->before_id = s->next_id;
    s->before_seed = s->seed;
    s->before = s->script->bindings.n;
    s->in_line = true;
}

static void note_names(struct dcl_session *s, const struct ast *e) {
    struct binding *b = name_none(e->name) ? NULL : env_find(s->script, e->name, NULL);
    if (b)
        push(s, (struct undo){
                    .kind = UNDO_VARIABLE, .name = b->name, .value = b->value, .span = b->span});
    for (uint32_t i = 0; i < e->nkids; i++)
        if (e->kids[i])
            note_names(s, e->kids[i]);
}

void undo_variables(struct dcl_session *s, const struct ast *file) {
    for (uint32_t i = 0; s->in_line && i < file->nkids; i++)
        if (!ast_is_definition(file->kids[i]))
            note_names(s, file->kids[i]);
}

static void take_back(struct dcl_session *s, const struct undo *u) {
    switch (u->kind) {
    case UNDO_VARIABLE: env_bind(s->script, u->name, u->value, u->span); break;
    case UNDO_DATA: u->tensor->impl = u->data; break;
    case UNDO_STATE: u->state->data = u->data; break;
    case UNDO_INSTANCE:
        *u->instance = *u->former;
        for (uint32_t i = 0; i < u->instance->states.n; i++)
            u->instance->states.at[i]->owner = u->instance;
        break;
    case UNDO_DEFINITION:
        map_put(&u->module->defs, u->name.i, (uintptr_t)u->definition);
        dependents_undone(s);
        s->generation++;
        break;
    case UNDO_MODULE: map_put(&s->modules, u->name.i, 0); break;
    case UNDO_USE:
        u->module->uses.n--;
        s->generation++;
        break;
    }
}

void undo_end(struct dcl_session *s, bool back) {
    while (back && s->undo.n)
        take_back(s, &s->undo.at[--s->undo.n]);
    if (back) {
        compiled_take_back(s);
        env_cut(s->script, s->before);
        s->next_id = s->before_id;
        s->seed = s->before_seed;
    }
    s->undo.n = 0;
    s->in_line = false;
}

void undo_definitions(struct dcl_session *s, uint32_t mark, bool back) {
    while (back && s->undo.n > mark)
        take_back(s, &s->undo.at[--s->undo.n]);
    s->undo.n = mark;
}

static void put_definition(struct dcl_session *s, struct module *m, struct name n,
                           struct ast *def) {
    uint64_t former = 0;
    map_get(&m->defs, n.i, &former);
    push(s, (struct undo){.kind = UNDO_DEFINITION,
                          .module = m,
                          .name = n,
                          .definition = (struct ast *)(uintptr_t)former});
    m->rewrites = m->rewrites || (def && def->kind == AST_REWRITE);
    map_put(&m->defs, n.i, (uintptr_t)def);
    s->generation++;
}

void define(struct dcl_session *s, struct module *m, struct ast *def) {
    put_definition(s, m, def->name, def);
}

void forget_gradient(struct dcl_session *s, struct module *m, struct name f) {
    struct name n = ast_grad_name(s->messages, s->names, f);
    if (map_get(&m->defs, n.i, &(uint64_t){0}))
        put_definition(s, m, n, NULL);
}

void define_module(struct dcl_session *s, struct name path, struct module *m) {
    if (m)
        push(s, (struct undo){.kind = UNDO_MODULE, .name = path});
    map_put(&s->modules, path.i, (uintptr_t)m);
}

void define_use(struct dcl_session *s, struct module *user, const struct module *m) {
    push(s, (struct undo){.kind = UNDO_USE, .module = user});
    VEC_PUSH(user->arena, user->uses, m);
}

/* Whether what D holds may be wanted back. */
static bool may_return(const struct dcl_session *s, const struct data *d) {
    return s->in_line && d->line != s->line;
}

/* A copy of D, if what it holds may be wanted back. */
static struct data *copy_of(struct dcl_session *s, struct data *d, const char *what,
                            struct span span) {
    if (!may_return(s, d))
        return d;
    struct data *copy = data_room(s, d->size, what, span);
    if (copy && d->draws)
        copy->draws = d->draws; /* drawn from, it is the same */
    else if (copy)
        memcpy(copy->bytes, d->bytes, d->size);
    return copy;
}

bool undo_write(struct dcl_session *s, struct tensor *t) {
    struct data *d = tensor_data(t);
    struct data *copy = copy_of(s, d, name_text(s->names, t->name), t->span);
    if (copy && copy != d) {
        push(s, (struct undo){.kind = UNDO_DATA, .tensor = t, .data = d});
        t->impl = copy;
    }
    return copy != NULL;
}

bool undo_write_state(struct dcl_session *s, struct state *st) {
    struct data *d = st->data;
    struct data *copy = copy_of(s, d, name_text(s->names, st->path), st->def->span);
    if (copy && copy != d) {
        push(s, (struct undo){.kind = UNDO_STATE, .state = st, .data = d});
        st->data = copy;
    }
    return copy != NULL;
}

void undo_replace_state(struct dcl_session *s, struct state *st, struct data *content) {
    if (may_return(s, st->data))
        push(s, (struct undo){.kind = UNDO_STATE, .state = st, .data = st->data});
    st->data = content;
}

void undo_instance(struct dcl_session *s, struct instance *x) {
    if (!s->in_line)
        return;
    struct instance *former = arena_copy(s->store.arena, x, sizeof *x);
    push(s, (struct undo){.kind = UNDO_INSTANCE, .instance = x, .former = former});
}
