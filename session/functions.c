/* Handles of functions: what a signature text means.
   "f" or "net.head" names a function or instance; "f(x: f32[M, 784], k = 3)" also gives element
   types and sizes of arguments, and static arguments (a bare name is the variable of that name);
   "f(k = 3)" gives static ones alone, and the others are for calls of any shapes.
   A handle outlives redefinitions: it is resolved again when definitions have changed. */
#include "session/builtins.h"
#include "session/call.h"

#include "lang/check/check.h"
#include "lang/parse/parse.h"
#include "lang/print/print.h"

#include <string.h>

static struct ast *parse_text(struct dcl_session *s, struct arena *a, const char *text) {
    uint32_t source = sources_add(s->sources, "<signature>", text, strlen(text));
    struct ast *file = parse_source(a, s->names, &s->diags, source);
    return s->diags.errors ? NULL : file;
}

static bool malformed(struct dcl_session *s, const char *signature) {
    diag_error(
        &s->diags, (struct span){0}, ERR_USAGE,
        arena_printf(s->messages, "not a signature such as f(x: f32[N, 3], k = 2): %s", signature));
    return false;
}

static bool parse_signature(struct dcl_function *f) {
    struct dcl_session *s = f->session;
    const char *text = f->signature, *open = strchr(text, '(');
    size_t n = open ? (size_t)(open - text) : strlen(text);
    struct ast *file = parse_text(s, f->arena, arena_strndup(f->arena, text, n));
    if (!file)
        return false;
    if (file->nkids != 1 || (file->kids[0]->kind != AST_NAME && file->kids[0]->kind != AST_MEMBER &&
                             file->kids[0]->kind != AST_INDEX))
        return malformed(s, text);
    f->callee = file->kids[0];
    if (!open)
        return true;
    file = parse_text(s, f->arena, arena_printf(f->arena, "fn signature%s {}", open));
    if (!file)
        return false;
    if (file->nkids != 1 || file->kids[0]->kind != AST_FN)
        return malformed(s, text);
    f->entries = file->kids[0]->kids[0];
    bool sizes = f->entries->nkids == 0;
    for (uint32_t i = 0; i < f->entries->nkids; i++)
        sizes = sizes || f->entries->kids[i]->kids[0];
    f->given = sizes ? f->entries : NULL;
    return true;
}

static bool is_known(struct dcl_session *s, struct name n) {
    return module_find(s->module, n, NULL) || env_find(s->script, n, NULL) || builtin_has(s, n) ||
           eval_is_builtin(s->names, n) || dtype_of(name_text(s->names, n)) != DT_NONE;
}

/* The first name of E, which nothing has checked, that stands for nothing; NULL: there is none. */
static const struct ast *unknown_in(struct dcl_session *s, const struct ast *e) {
    const struct ast *found = NULL;
    if (e->kind == AST_NAME)
        return is_known(s, e->name) ? NULL : e;
    for (uint32_t i = 0; i < e->nkids && !found && e->kind != AST_COMPREHENSION; i++)
        found = e->kids[i] ? unknown_in(s, e->kids[i]) : NULL;
    return found;
}

/* An expression of the script, as a value of the store. */
static bool evaluate(struct dcl_session *s, const struct ast *e, struct value *out) {
    const struct ast *unknown = unknown_in(s, e);
    if (unknown) {
        struct name near = script_nearest(s, unknown->name);
        struct diag *d = diag_error(&s->diags, unknown->span, ERR_UNKNOWN_NAME,
                                    name_text(s->names, unknown->name));
        if (!name_none(near))
            diag_help(&s->diags, d, "did you mean %s?", name_text(s->names, near));
        return false;
    }
    unit_begin(s, name_of_text(s->names, "argument"), e->span, true);
    bool ok = eval_expr(s->unit.ev, script_scope(s), e, out) && store_keep(s, out, e->span);
    unit_end(s);
    return ok;
}

const struct ast *function_called(struct dcl_session *s, const struct value *v,
                                  const struct module **m) {
    const struct value *fn = v;
    if (v->kind == VAL_INSTANCE) {
        struct binding *b = env_find(v->instance->env, name_of_text(s->names, "forward"), NULL);
        fn = b ? &b->value : NULL;
    }
    if (!fn || fn->kind != VAL_FN)
        return NULL;
    *m = fn->fn->module;
    return fn->fn->def;
}

/* Arguments of a call from C are tensors and numbers: a list stands in the signature. */
static bool is_static(struct dcl_session *s, const struct module *m, const struct ast *param) {
    struct eval ev = {.names = s->names};
    return eval_param_is_static(&ev, m, param) || (param->kids[0]->flags & AST_LIST_OF);
}

/* The entry of the signature for PARAM, NULL if there is none. */
static const struct ast *given_for(const struct dcl_function *f, const struct ast *param) {
    for (uint32_t i = 0; f->entries && i < f->entries->nkids; i++)
        if (name_eq(f->entries->kids[i]->name, param->name))
            return f->entries->kids[i];
    return NULL;
}

static bool check_given(struct dcl_function *f) {
    struct dcl_session *s = f->session;
    const struct ast *params = f->def->kids[0];
    for (uint32_t i = 0; f->entries && i < f->entries->nkids; i++) {
        const struct ast *g = f->entries->kids[i];
        bool found = false;
        for (uint32_t k = 0; k < params->nkids; k++)
            found = found || name_eq(params->kids[k]->name, g->name);
        if (!found) {
            struct name *have = ARENA_ARRAY(s->messages, struct name, params->nkids);
            for (uint32_t k = 0; k < params->nkids; k++)
                have[k] = params->kids[k]->name;
            struct diag *d =
                diag_error(&s->diags, g->span, ERR_ARG_NAME, name_text(s->names, f->def->name),
                           name_text(s->names, g->name));
            help_nearest(&s->diags, d, s->names, g->name, have, params->nkids, "it takes");
            return false;
        }
    }
    return true;
}

static bool is_integer(struct dcl_session *s, const struct ast *param) {
    const struct ast *type = param->kids[0];
    return type && type->nkids == 0 && !(type->flags & AST_BRACKETS) &&
           strcmp(name_text(s->names, type->name), "i64") == 0;
}

/* Static arguments as they were. */
struct former {
    uint32_t n;
    const struct name *names;
    const struct value *values;
};

/* The value of a static argument of the signature. */
static bool static_value(struct dcl_function *f, const struct ast *g, const struct former *former,
                         struct value *out) {
    struct ast name = {.kind = AST_NAME, .name = g->name, .span = g->span};
    for (uint32_t i = 0; i < former->n; i++)
        if (name_eq(former->names[i], g->name)) {
            *out = former->values[i];
            return true;
        }
    return evaluate(f->session, g->kids[1] ? g->kids[1] : &name, out);
}

/* Splits the parameters into those of a call and static ones. A signature's order is the order of
   the arguments. */
static bool list_parameters(struct dcl_function *f, const struct module *m,
                            const struct former *former) {
    struct dcl_session *s = f->session;
    const struct ast *params = f->def->kids[0], *order = f->given ? f->given : params;
    VEC(struct value) values = {0};
    VEC(struct name) names = {0};
    VEC(struct parameter) dynamic = {0};
    for (uint32_t i = 0; i < order->nkids; i++) {
        const struct ast *def = NULL;
        const struct ast *g = f->given ? order->kids[i] : given_for(f, order->kids[i]);
        for (uint32_t k = 0; k < params->nkids && !def; k++)
            if (name_eq(params->kids[k]->name, order->kids[i]->name))
                def = params->kids[k];
        bool fixed = is_static(s, m, def);
        if (fixed || (g && !g->kids[0])) { /* a number may be fixed, too */
            struct value v;
            if (!g)
                continue; /* its default, or an error when it is called */
            if (!static_value(f, g, former, &v))
                return false;
            VEC_PUSH(f->resolved, values, v);
            VEC_PUSH(f->resolved, names, def->name);
            continue;
        }
        struct parameter p = {.name = def->name,
                              .def = def,
                              .type = g ? g->kids[0] : NULL,
                              .integer = is_integer(s, def),
                              .inout = def->flags & AST_INOUT};
        VEC_PUSH(f->resolved, dynamic, p);
    }
    f->statics = value_list_new(s->store.arena, VAL_LIST, values.n);
    for (uint32_t i = 0; i < values.n; i++)
        f->statics.list->at[i] = values.at[i];
    f->static_names = names.at;
    f->params = dynamic.at;
    f->nparams = dynamic.n;
    return true;
}

/* All arguments that have neither an entry nor a default. */
static bool check_missing(struct dcl_function *f) {
    struct dcl_session *s = f->session;
    const struct ast *params = f->def->kids[0];
    for (uint32_t i = 0; f->given && i < params->nkids; i++)
        if (!ast_may_miss(params->kids[i]) && !given_for(f, params->kids[i])) {
            diag_error(&s->diags, f->given->span, ERR_ARG_MISSING,
                       name_text(s->names, f->def->name),
                       name_text(s->names, params->kids[i]->name));
            return false;
        }
    return true;
}

/* The newest definition of the function or method V. */
static bool newest(struct value *v) {
    const struct module *found;
    struct ast *def;
    if (v->kind != VAL_FN)
        return true;
    if (v->fn->self) {
        const struct binding *b = env_find(v->fn->self->env, v->fn->def->name, NULL);
        if (b && b->value.kind == VAL_FN)
            *v = b->value;
        return b && b->value.kind == VAL_FN;
    }
    def = module_find(v->fn->module, v->fn->def->name, &found);
    if (!def || def->kind != AST_FN)
        return false;
    v->fn->def = def;
    v->fn->module = found;
    return true;
}

/* The functions of the program and the instances of its script, which can be called. */
struct callables {
    struct dcl_session *s;
    VEC(struct name) at;
};

static void collect_callables(struct callables *c) {
    const struct module *m = c->s->module;
    for (uint32_t i = 0; i < m->defs.n; i++) {
        struct name n = {(uint32_t)m->defs.entries[i].key};
        const struct ast *def = module_find(m, n, NULL);
        if (def && def->kind == AST_FN && !ast_grad_of(c->s->names, n))
            VEC_PUSH(c->s->messages, c->at, n);
    }
    for (uint32_t i = 0; i < c->s->script->bindings.n; i++)
        if (c->s->script->bindings.at[i].value.kind == VAL_INSTANCE)
            VEC_PUSH(c->s->messages, c->at, c->s->script->bindings.at[i].name);
}

/* What a program of libdcl can call, as a note for D. */
static void note_callables(struct dcl_session *s, struct diag *d, const struct callables *c) {
    enum { MOST = 12 };
    struct buf text = buf_new(s->messages);
    for (uint32_t i = 0; i < c->at.n && i < MOST; i++)
        buf_printf(&text, "%s%s", i ? ", " : "", name_text(s->names, c->at.at[i]));
    if (c->at.n)
        diag_note(&s->diags, d, (struct span){0}, "this program has %s%s", text.at,
                  c->at.n > MOST ? ", .." : "");
    else
        diag_note(&s->diags, d, (struct span){0}, "this program has no functions of its own");
}

/* Whether the name that the callee of F begins with stands for anything; else tells what does. */
static bool check_callee(struct dcl_function *f) {
    struct dcl_session *s = f->session;
    const struct ast *root = f->callee;
    while (root->kind != AST_NAME)
        root = root->kids[0];
    if (is_known(s, root->name))
        return true;
    struct diag *d =
        diag_error(&s->diags, root->span, ERR_UNKNOWN_NAME, name_text(s->names, root->name));
    struct callables have = {.s = s};
    collect_callables(&have);
    note_callables(s, d, &have);
    struct name near = check_nearest(s->module, root->name, have.at.at, have.at.n);
    if (!name_none(near))
        diag_help(&s->diags, d, "did you mean %s?", name_text(s->names, near));
    return false;
}

/* The value V that the callee of F names cannot be called: says why. */
static bool tell_not_callable(struct dcl_function *f, const struct value *v) {
    struct dcl_session *s = f->session;
    struct buf text = buf_new(s->messages);
    print_ast(s->names, f->callee, &text);
    if (v->kind == VAL_LAYER) {
        struct diag *d =
            diag_error(&s->diags, f->callee->span, ERR_USAGE,
                       arena_printf(s->messages, "%s is a layer, not an instance of one", text.at));
        diag_help(&s->diags, d, "the script makes one: net = %s(..)", text.at);
        return false;
    }
    struct diag *d = diag_error(&s->diags, f->callee->span, ERR_NOT_CALLABLE, text.at);
    struct callables have = {.s = s};
    collect_callables(&have);
    if (v->kind == VAL_INSTANCE)
        diag_help(&s->diags, d, "its layer has no method forward");
    else
        note_callables(s, d, &have);
    return false;
}

bool function_resolve(struct dcl_function *f) {
    struct dcl_session *s = f->session;
    const struct module *m = NULL;
    struct former former = {0};
    if (f->generation == s->generation + 1)
        return true;
    if (f->holds && f->statics.kind == VAL_LIST) {
        former.n = f->statics.list->n;
        former.values = f->statics.list->at;
        former.names = arena_copy(s->messages, f->static_names, former.n * sizeof *former.names);
    }
    variants_free(f);
    f->generation = 0;
    arena_reset(f->resolved);
    f->statics = value_none();
    if (!f->holds && !check_callee(f))
        return false;
    if (f->holds ? !newest(&f->value) : !evaluate(s, f->callee, &f->value))
        return false;
    f->def = function_called(s, &f->value, &m);
    if (!f->def)
        return tell_not_callable(f, &f->value);
    if (!check_given(f) || !check_missing(f) || !list_parameters(f, m, &former))
        return false;
    f->generation = s->generation + 1;
    return true;
}

struct function_args function_arguments(struct dcl_function *f, struct arena *a, uint32_t nargs,
                                        const struct value *at) {
    uint32_t statics = f->statics.list->n;
    struct function_args x = {.n = nargs + statics};
    x.at = ARENA_ARRAY(a, struct value, x.n);
    x.keywords = ARENA_ARRAY(a, struct name, x.n);
    for (uint32_t i = 0; i < nargs; i++) {
        x.at[i] = at[i];
        x.keywords[i] = f->params[i].name;
    }
    for (uint32_t i = 0; i < statics; i++) {
        x.at[nargs + i] = f->statics.list->at[i];
        x.keywords[nargs + i] = f->static_names[i];
    }
    return x;
}

/* --- handles -------------------------------------------------------------------------------- */

struct opening {
    const char *signature;
    struct dcl_function *f;
};

struct dcl_function *function_handle(struct dcl_session *s, const char *signature, bool stated) {
    struct dcl_function *f = s->functions;
    while (f && (f->stated != stated || strcmp(f->signature, signature) != 0))
        f = f->next;
    if (!f) {
        f = ARENA_NEW(s->arena, struct dcl_function);
        *f = (struct dcl_function){
            .session = s, .signature = "", .next = s->functions, .stated = stated};
        f->value = f->statics = value_none();
        s->functions = f; /* now it is freed whatever happens */
        f->arena = arena_new();
        f->resolved = arena_new();
        f->signature = arena_strndup(f->arena, signature, strlen(signature));
    }
    return f;
}

struct dcl_function *function_open(struct dcl_session *s, const char *signature) {
    struct dcl_function *f = function_handle(s, signature, false);
    return (f->callee || parse_signature(f)) && function_resolve(f) ? f : NULL;
}

static bool open_function(struct dcl_session *s, void *data) {
    struct opening *o = data;
    struct dcl_function *f = function_open(s, o->signature);
    bool compiles = s->options.backend == BACKEND_CPU && !s->options.foreign;
    if (!f || (f->given && !f->variants && compiles && !variant_for(f, 0, NULL)))
        return false;
    o->f = f;
    return true;
}

dcl_function *dcl_compile(dcl_session *s, const char *signature) {
    struct opening o = {signature, NULL};
    session_guard(s, open_function, &o);
    return s->failed ? NULL : o.f;
}

int dcl_result_count(const dcl_function *f) {
    return (int)fn_result_count(f->def);
}

const char *dcl_argument(const dcl_function *f, int i, int *inout) {
    if (i < 0 || (uint32_t)i >= f->nparams)
        return NULL;
    if (inout)
        *inout = f->params[i].inout;
    return name_text(f->session->names, f->params[i].name);
}

void functions_each(struct dcl_session *s, void (*f)(void *data, struct value *v), void *data) {
    for (struct dcl_function *x = s->functions; x; x = x->next) {
        f(data, &x->value);
        f(data, &x->statics);
    }
}

void functions_free(struct dcl_session *s) {
    while (s->functions) {
        struct dcl_function *f = s->functions;
        s->functions = f->next;
        variants_free(f);
        arena_free(f->resolved);
        arena_free(f->arena);
    }
}
