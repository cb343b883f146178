/* Values on the way: what a function names, or an instance gives, printed when it is called.

   Note [watching]
   The evaluator tells of each call that ends, with its scope. What is watched in it joins the
   results of the statement's next run; then it is printed. So a compiled statement is compiled with
   these values as results, which is no more what it is without. A call in a map, or in a loop or
   branch on run-time values, is passed over: what it names is no one value. (The reference, which
   goes through each iteration, prints them all.) A container is printed as it is at that run, which
   is after the call. */
#include "session/ask.h"

#include "lang/check/check.h"

#include <string.h>

struct watch {
    const char *text;
    uint64_t instance; /* the id of the one, or 0: any */
    const char *name;  /* what stands behind the instance, or all; NULL: what its calls give */
};

/* --- names ----------------------------------------------------------------------------------- */

/* Whether TEXT is NAME, FN.NAME, LAYER.NAME or LAYER.FN.NAME. */
static bool names_value(const struct dcl_session *s, const char *text, const struct function *fn,
                        struct name n) {
    const char *name = name_text(s->names, n), *def = name_text(s->names, fn->def->name);
    const char *layer = fn->self ? name_text(s->names, fn->self->layer->def->name) : NULL;
    size_t all = strlen(text), last = strlen(name);
    if (all < last || strcmp(text + all - last, name) != 0)
        return false;
    if (all == last)
        return true;
    if (text[all - last - 1] != '.')
        return false;
    const char *scope = arena_strndup(s->messages, text, all - last - 1);
    return strcmp(scope, def) == 0 ||
           (layer && (strcmp(scope, layer) == 0 ||
                      strcmp(scope, arena_printf(s->messages, "%s.%s", layer, def)) == 0));
}

/* --- what is watched in a call ---------------------------------------------------------------- */

static void print_watched(struct dcl_session *s, const char *label, const struct value *v) {
    struct buf text = buf_new(s->messages);
    buf_printf(&text, "%s: ", label);
    print_value(s, v, &text);
    buf_text(&text, "\n");
    session_write(s, text.at, text.n);
}

static void note(struct dcl_session *s, const char *label, const struct value *v) {
    struct unit *u = &s->unit;
    struct watched w = {label, *v};
    u->recall = NULL; /* a statement that is not evaluated tells of no calls */
    if (u->lower && !lower_runs_once(u->lower))
        return;
    VEC_PUSH(u->arena, u->watched, w);
    if (u->ref) /* its memory may change */
        watch_settle(s);
}

void watch_call(void *session, const struct function *fn, struct env *env,
                const struct value *results) {
    struct dcl_session *s = session;
    bool library = fn->module->prelude == NULL;
    bool forward = fn->self && strcmp(name_text(s->names, fn->def->name), "forward") == 0;
    for (uint32_t i = 0; i < s->watches.n; i++) {
        const struct watch *w = s->watches.at[i];
        if (w->instance && (!fn->self || fn->self->id != w->instance))
            continue;
        if (!w->name && forward)
            note(s, w->text, results);
        for (uint32_t k = 0; w->name && !library && k < env->bindings.n; k++)
            if (names_value(s, w->name, fn, env->bindings.at[k].name))
                note(s, w->text, &env->bindings.at[k].value);
    }
}

bool watch_needs_run(const struct watched *w) {
    return w->value.kind == VAL_SCALAR || (w->value.kind == VAL_TENSOR && !w->value.tensor->data);
}

bool watch_settle(struct dcl_session *s) {
    return !s->unit.watched.n || unit_results(s, 0, NULL);
}

void watch_print(struct dcl_session *s, uint32_t n, const struct watched *at,
                 const struct value *v) {
    for (uint32_t i = 0; i < n; i++)
        print_watched(s, at[i].label, watch_needs_run(&at[i]) ? v++ : &at[i].value);
}

/* --- the face -------------------------------------------------------------------------------- */

struct watching {
    const char *text;
    bool on;
};

static bool holds_name(const struct ast *e, struct name n) {
    if (!e)
        return false;
    if ((e->kind == AST_NAME || e->kind == AST_PARAM || e->kind == AST_RESULT ||
         e->kind == AST_DECL || e->kind == AST_READ) &&
        name_eq(e->name, n))
        return true;
    for (uint32_t i = 0; i < e->nkids; i++)
        if (holds_name(e->kids[i], n))
            return true;
    return false;
}

static bool is_named(struct dcl_session *s, struct name n) {
    for (uint32_t i = 0; i < s->module->defs.n; i++)
        if (holds_name((const struct ast *)(uintptr_t)s->module->defs.entries[i].value, n))
            return true;
    return false;
}

/* The longest part of W's text that names an instance, and the name behind it. */
static void split_instance(struct dcl_session *s, struct watch *w) {
    w->name = w->text;
    for (size_t n = strlen(w->text); n; n--) {
        char next = w->text[n];
        const struct value *v =
            next && next != '.' ? NULL : value_at(s, arena_strndup(s->messages, w->text, n));
        if (v && v->kind == VAL_INSTANCE) {
            w->instance = v->instance->id;
            w->name = next ? w->text + n + 1 : NULL;
            return;
        }
    }
}

static bool toggle(struct dcl_session *s, void *data) {
    struct watching *x = data;
    for (uint32_t i = 0; i < s->watches.n; i++)
        if (strcmp(s->watches.at[i]->text, x->text) == 0) {
            for (uint32_t k = i + 1; k < s->watches.n; k++)
                s->watches.at[k - 1] = s->watches.at[k];
            s->watches.n--;
            return true;
        }
    struct watch *w = ARENA_NEW(s->arena, struct watch);
    w->text = arena_strndup(s->arena, x->text, strlen(x->text));
    const char *dot = strrchr(x->text, '.'), *last = dot ? dot + 1 : x->text;
    split_instance(s, w);
    if (w->name && !is_named(s, name_of_text(s->names, last))) {
        struct diag *d = diag_error(&s->diags, (struct span){0}, ERR_UNKNOWN_NAME, x->text);
        struct name near = script_nearest(s, name_of_text(s->names, x->text));
        if (!name_none(near))
            diag_help(&s->diags, d, "did you mean %s?", name_text(s->names, near));
        else
            diag_help(
                &s->diags, d,
                "what can be watched: a name in a function or method that was defined here, or a "
                "variable that is an instance, or a member of one");
        return false;
    }
    VEC_PUSH(s->arena, s->watches, w);
    x->on = true;
    return true;
}

int session_watch(dcl_session *s, const char *name, bool *on) {
    struct watching x = {name, false};
    int failed = session_guard(s, toggle, &x);
    *on = x.on;
    return failed;
}

const char *session_watched(dcl_session *s, int k) {
    return k >= 0 && (uint32_t)k < s->watches.n ? s->watches.at[k]->text : NULL;
}
