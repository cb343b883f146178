/* Layers: instances with their states, members and methods. An instance's scope holds its
   parameters, its states (found by the host when they are used), its members and its methods.
   State paths are dotted names from the outermost instance, as weight files have them. */
#include "lang/eval/internal.h"

#include <string.h>

static struct name path_join(struct eval *ev, struct name path, const char *member) {
    const char *p = text_of(ev, path);
    return name_lit(ev, p[0] ? arena_printf(ev->arena, "%s.%s", p, member) : member);
}

/* Gives V, bound to a member called NAME, and the instances in it their paths. */
static void set_path(struct eval *ev, struct value *v, struct name path) {
    if (v->kind == VAL_LIST) {
        for (uint32_t i = 0; i < v->list->n; i++)
            set_path(ev, &v->list->at[i], path_join(ev, path, arena_printf(ev->arena, "%u", i)));
        return;
    }
    if (v->kind != VAL_INSTANCE)
        return;
    struct instance *x = v->instance;
    x->path = path;
    for (uint32_t i = 0; i < x->states.n; i++)
        x->states.at[i]->path = path_join(ev, path, text_of(ev, x->states.at[i]->def->name));
    for (uint32_t i = 0; i < x->env->bindings.n; i++) {
        struct binding *b = &x->env->bindings.at[i];
        if (b->value.kind == VAL_INSTANCE || b->value.kind == VAL_LIST)
            set_path(ev, &b->value, path_join(ev, path, text_of(ev, b->name)));
    }
}

static bool lay_out_state(struct eval *ev, struct env *env, const struct ast *m, struct state *s) {
    struct value *dims = ARENA_ARRAY(ev->arena, struct value, s->rank);
    if (!eval_layout(ev, env, m, s->rank, &s->layout))
        return false;
    s->nstored = s->rank;
    s->stored = s->dims;
    if (!s->layout)
        return true;
    for (uint32_t d = 0; d < s->rank; d++)
        dims[d] = value_int(s->dims[d]);
    s->nstored = s->layout->n;
    s->stored = ARENA_ARRAY(ev->arena, int64_t, s->nstored);
    for (uint32_t k = 0; k < s->nstored; k++)
        s->stored[k] = layout_size(ev, s->layout, k, dims).i;
    return true;
}

static bool new_state(struct eval *ev, struct instance *self, const struct ast *m) {
    enum dtype t;
    uint32_t rank;
    struct value *dims, init = value_none();
    if (!eval_type(ev, self->env, m->kids[0], &t, &rank, &dims))
        return false;
    struct state *s = ARENA_NEW(ev->arena, struct state);
    *s = (struct state){.path = m->name,
                        .dtype = t,
                        .rank = rank,
                        .def = m,
                        .owner = self,
                        .buffer = m->flags & AST_BUFFER};
    s->id = ++ev->next_id;
    s->dims = ARENA_ARRAY(ev->arena, int64_t, rank);
    for (uint32_t d = 0; d < rank; d++) {
        if (dims[d].kind != VAL_INT) {
            diag_error(ev->diags, m->span, ERR_STATIC_EXPECTED,
                       arena_printf(ev->arena, "the shape of %s", text_of(ev, m->name)));
            return false;
        }
        s->dims[d] = dims[d].i;
    }
    if (!lay_out_state(ev, self->env, m, s))
        return false;
    bool starts = m->kids[1] && !ev->ops->stateless;
    if (starts && !eval_expr(ev, self->env, m->kids[1], &init))
        return false;
    if (!ev->ops->stateless && !host_new_state(ev, s, starts ? &init : NULL, m->span))
        return false;
    VEC_PUSH(ev->arena, self->states, s);
    env_bind(self->env, m->name, (struct value){.kind = VAL_STATE, .dtype = t, .state = s},
             m->span);
    return true;
}

bool instantiate(struct eval *ev, struct layer *l, uint32_t nargs, const struct value *args,
                 const struct name *keywords, struct span span, struct value *out) {
    const char *what = text_of(ev, l->def->name);
    if (ev->depth >= EVAL_MAX_DEPTH) {
        diag_error(ev->diags, span, ERR_RECURSION, EVAL_MAX_DEPTH);
        return false;
    }
    struct instance *x = ARENA_NEW(ev->arena, struct instance);
    x->layer = ARENA_NEW(ev->arena, struct layer);
    *x->layer = *l;
    x->id = ++ev->next_id;
    x->env = env_new(ev->arena, ENV_INSTANCE, NULL, l->module);
    ev->depth++;
    uint32_t errors = ev->diags->errors;
    bool ok = bind_static(ev, x->env, what, l->def->kids[0], nargs, args, keywords, span) &&
              check_where(ev, x->env, what, l->def->kids[1], span);
    const struct ast *body = l->def->kids[2];
    for (uint32_t i = 0; ok && i < body->nkids; i++) {
        const struct ast *m = body->kids[i];
        struct value v;
        switch (m->kind) {
        case AST_STATE: ok = new_state(ev, x, m); break;
        case AST_FN: {
            struct function *fn = ARENA_NEW(ev->arena, struct function);
            *fn = (struct function){m, l->module, x};
            env_bind(x->env, m->name, (struct value){.kind = VAL_FN, .fn = fn}, m->span);
            break;
        }
        case AST_ASSIGN:
            ok = eval_expr(ev, x->env, m->kids[0], &v);
            if (ok && m->nkids == 2 && m->kids[1]->kind == AST_NAME) {
                set_path(ev, &v, m->kids[1]->name);
                env_bind(x->env, m->kids[1]->name, v, m->span);
            } else if (ok) {
                diag_error(ev->diags, m->span, ERR_NOT_HERE, "a member is NAME = value");
                ok = false;
            }
            break;
        default:
            diag_error(ev->diags, m->span, ERR_NOT_HERE,
                       "a layer holds params, members and functions");
            ok = false;
        }
    }
    ev->depth--;
    if (!ok)
        note_call(ev, errors,
                  &(struct calling){.outer = ev->frame,
                                    .module = l->module,
                                    .name = l->def->name,
                                    .span = span,
                                    .def = l->def->span},
                  "is made here");
    *out = (struct value){.kind = VAL_INSTANCE, .dtype = DT_NONE, .instance = x};
    return ok;
}

static bool eval_transpose(struct eval *ev, const struct value *v, struct span span,
                           struct value *out);

/* The tensor T has no MEMBER: other languages have functions as members. */
static void tell_no_member(struct eval *ev, const struct tensor *t, const struct ast *member) {
    const char *name = text_of(ev, member->name);
    struct diag *e = diag_error(ev->diags, member->span, ERR_MEMBER, type_text(ev, t), name);
    const struct ast *def = module_find(ev->prelude, member->name, NULL);
    const char *elsewhere = check_foreign(name);
    bool more = def && def->kind == AST_FN && def->kids[0]->nkids > 1 &&
                !ast_may_miss(def->kids[0]->kids[1]);
    if (strcmp(name, "T") == 0)
        diag_help(ev->diags, e,
                  "T is of two dimensions; transpose(x, perm = [1, 0]) of any number");
    else if (def && def->kind == AST_FN)
        diag_help(ev->diags, e, "it is a function: %s(x%s), or x |> %s%s", name, more ? ", .." : "",
                  name, more ? "(..)" : "");
    else if (elsewhere)
        diag_help(ev->diags, e, "%s", elsewhere);
    else
        diag_help(ev->diags, e, "a tensor has shape, rank, dtype and, of two dimensions, T");
}

bool eval_member(struct eval *ev, const struct value *object, const struct ast *member,
                 struct value *out) {
    const char *name = text_of(ev, member->name);
    if (object->kind == VAL_INSTANCE) {
        struct instance *x = object->instance;
        struct binding *b = env_find(x->env, member->name, NULL);
        if (b && b->value.kind == VAL_STATE)
            return bring_state(ev, b->value.state, out);
        if (b) {
            *out = b->value;
            return true;
        }
        VEC(struct name) members = {0};
        for (uint32_t i = 0; i < x->env->bindings.n; i++)
            VEC_PUSH(ev->arena, members, x->env->bindings.at[i].name);
        struct diag *e =
            diag_error(ev->diags, member->span, ERR_MEMBER, text_of(ev, x->layer->def->name), name);
        const char *elsewhere = check_foreign(name);
        help_nearest(ev->diags, e, ev->names, member->name, members.at, members.n,
                     elsewhere ? NULL : "it has");
        if (!e->help && elsewhere)
            diag_help(ev->diags, e, "%s", elsewhere);
        return false;
    }
    if (object->kind == VAL_LIST && object->list->path) {
        if (gradient_part(ev, object->list, name, out))
            return true;
        diag_error(ev->diags, member->span, ERR_MEMBER, "the list of gradients", name);
        return false;
    }
    if (object->kind == VAL_TENSOR) {
        struct tensor *t = object->tensor;
        if (strcmp(name, "T") == 0 && t->rank == 2)
            return eval_transpose(ev, object, member->span, out);
        if (strcmp(name, "dtype") == 0) {
            *out = value_dtype(t->dtype);
            return true;
        }
        if (strcmp(name, "rank") == 0) {
            *out = value_int(t->rank);
            return true;
        }
        if (strcmp(name, "shape") == 0) {
            *out = value_list_new(ev->arena, VAL_LIST, t->rank);
            for (uint32_t d = 0; d < t->rank; d++)
                out->list->at[d] = t->dims[d];
            return true;
        }
        tell_no_member(ev, t, member);
        return false;
    }
    struct diag *e = diag_error(ev->diags, member->span, ERR_MEMBER, value_kind_name(object), name);
    if (object->kind == VAL_LIST)
        diag_help(ev->diags, e,
                  "lists do not change: l + [x] is a longer one, len(l) its length, stack(l) a "
                  "tensor");
    return false;
}

/* x.T is a view: the same memory with its two dimensions exchanged. */
static bool eval_transpose(struct eval *ev, const struct value *v, struct span span,
                           struct value *out) {
    struct tensor *t = v->tensor, *x = ARENA_NEW(ev->arena, struct tensor);
    *x = *t;
    x->span = span;
    x->dims = ARENA_ARRAY(ev->arena, struct value, 2);
    x->map = ARENA_ARRAY(ev->arena, int32_t, 2);
    x->unit = ARENA_ARRAY(ev->arena, bool, 2);
    for (int d = 0; d < 2; d++) {
        x->dims[d] = t->dims[1 - d];
        x->map[d] = t->map ? t->map[1 - d] : 1 - d;
        x->unit[d] = t->unit && t->unit[1 - d];
    }
    x->container = false;
    x->read_only = true;
    *out = value_tensor(x);
    /* A container may change later: its transpose is a value, so it is copied. */
    return t->container ? tensor_copy(ev, x, (struct name){0}, span, out) : true;
}
