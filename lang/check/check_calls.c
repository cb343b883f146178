/* Calls of functions, layers and methods that are known by name: the number and names of
   arguments. What a value holds (net(x), f(x) of a parameter) is called under eval's eyes. */
#include "lang/check/checker.h"
#include "lang/print/print.h"
#include "lang/scalar/scalar.h"

#include <string.h>

/* A call on the way: which parameters have an argument. Missing ones are told only if nothing else
   was: they may follow from it (a slip in a keyword). */
struct match {
    const struct ast *def, *params;
    const struct ast **given; /* one for each parameter */
    uint32_t positional;      /* arguments without a name */
    bool spread;              /* `*list` stands among them: their number is not known */
    bool rest;                /* `attrs = m` stands for others */
    bool wrong;               /* something was reported */
};

static uint32_t count_positional(const struct ast *params) {
    uint32_t n = 0;
    while (n < params->nkids && !(params->kids[n]->flags & AST_STATIC))
        n++;
    return n;
}

static void note_declared(struct checker *c, struct diag *m, const struct ast *def) {
    diag_note(c->diags, m, def->span, "%s is declared here", text_of(c, def->name));
}

/* Where the last positional parameter is a list: CALL with its last arguments in brackets. False:
   it is none. */
static bool help_list(struct checker *c, const struct match *k, struct diag *m,
                      const struct ast *call, bool piped) {
    uint32_t most = count_positional(k->params);
    const struct ast *type = most ? k->params->kids[most - 1]->kids[0] : NULL;
    const char *word = type ? text_of(c, type->name) : "";
    bool list = type && (type->flags & AST_LIST_OF || strcmp(word, "list") == 0 ||
                         strcmp(word, "shape") == 0);
    if (!list || piped || call->kind != AST_CALL)
        return false;
    struct buf text = buf_new(c->arena);
    buf_printf(&text, "%s(", text_of(c, k->def->name));
    uint32_t at = 0;
    for (uint32_t i = 1; i < call->nkids; i++) {
        bool named = call->kids[i]->kind == AST_KEYWORD;
        bool last = i + 1 == call->nkids || call->kids[i + 1]->kind == AST_KEYWORD;
        at += !named;
        buf_printf(&text, "%s%s", i > 1 ? ", " : "", at == most && !named ? "[" : "");
        print_ast(c->module->names, call->kids[i], &text);
        if (!named && last)
            buf_text(&text, "]");
    }
    diag_help(c->diags, m, "%s is a list: %s)", text_of(c, k->params->kids[most - 1]->name),
              text.at);
    return true;
}

static void report_arg_count(struct checker *c, const struct match *k, const struct ast *call,
                             bool piped, const struct ast *extra, uint32_t given) {
    uint32_t most = count_positional(k->params), least = 0;
    while (least < most && !ast_may_miss(k->params->kids[least]))
        least++;
    const char *takes = most == 0 ? "no arguments"
                        : least < most
                            ? arena_printf(c->arena, "%u to %u arguments", least, most)
                            : arena_printf(c->arena, "%u argument%s", most, most == 1 ? "" : "s");
    struct diag *m = diag_error(c->diags, extra->span, ERR_ARG_COUNT, text_of(c, k->def->name),
                                takes, (int)given);
    note_declared(c, m, k->def);
    const char *name = text_of(c, k->def->name);
    if (worth_helping(c) && given > 2 && scalar_find(FORM_CALL, name, 2) != OP_COUNT) {
        diag_help(c->diags, m, "it also takes two: %s(%s(a, b), c)", name, name);
        return;
    }
    if (!worth_helping(c) || help_list(c, k, m, call, piped) || most == k->params->nkids)
        return;
    struct buf text = buf_new(c->arena);
    print_ast(c->module->names, extra, &text);
    diag_help(c->diags, m, "%s is given by name: %s = %s", text_of(c, k->params->kids[most]->name),
              text_of(c, k->params->kids[most]->name), text.at);
}

/* An argument of an inout parameter is a container that may be written. */
static void check_inout(struct checker *c, const struct match *k, const struct ast *param,
                        const struct ast *arg) {
    const struct ast *root = arg;
    while (root->kind == AST_INDEX)
        root = root->kids[0];
    if (root->kind == AST_MEMBER)
        return;
    if (root->kind != AST_NAME) {
        struct diag *m = diag_error(c->diags, arg->span, ERR_ARG_KIND, text_of(c, k->def->name),
                                    text_of(c, param->name), "a container", "a value");
        diag_note(c->diags, m, param->span, "%s is inout", text_of(c, param->name));
        return;
    }
    struct binding *b = scope_find(c, root->name);
    if (b && is_writable(b))
        fill_write(b, RES_NONE);
    else if (b)
        report_read_only(c, b, root->span);
}

static void give(struct checker *c, struct match *k, uint32_t at, const struct ast *arg,
                 const struct ast *value) {
    const struct ast *param = k->params->kids[at];
    if (k->given[at]) {
        k->wrong = true;
        struct diag *m = diag_error(c->diags, arg->span, ERR_ARG_TWICE, text_of(c, k->def->name),
                                    text_of(c, param->name));
        diag_note(c->diags, m, k->given[at]->span, "the first one");
        return;
    }
    k->given[at] = arg;
    if (param->flags & AST_INOUT)
        check_inout(c, k, param, value);
}

bool is_attributes(const struct checker *c, const struct ast *arg) {
    return c->rewriting && arg->kind == AST_KEYWORD && arg->kids[0]->kind == AST_NAME &&
           strcmp(text_of(c, arg->name), REWRITE_ATTRIBUTES) == 0;
}

static void give_named(struct checker *c, struct match *k, const struct ast *arg) {
    for (uint32_t i = 0; i < k->params->nkids; i++)
        if (name_eq(k->params->kids[i]->name, arg->name)) {
            give(c, k, i, arg, arg->kids[0]);
            return;
        }
    k->rest = k->rest || is_attributes(c, arg);
    if (k->rest)
        return;
    k->wrong = true;
    const char *def = text_of(c, k->def->name);
    struct diag *m = diag_error(c->diags, arg->span, ERR_ARG_NAME, def, text_of(c, arg->name));
    note_declared(c, m, k->def);
    if (!worth_helping(c))
        return;
    struct name *names = ARENA_ARRAY(c->arena, struct name, k->params->nkids);
    for (uint32_t i = 0; i < k->params->nkids; i++)
        names[i] = k->params->kids[i]->name;
    help_nearest(c->diags, m, c->module->names, arg->name, names, k->params->nkids, "it takes");
}

static void give_next(struct checker *c, struct match *k, const struct ast *arg) {
    uint32_t at = k->positional++;
    if (at < count_positional(k->params))
        give(c, k, at, arg, arg);
}

static void check_missing(struct checker *c, const struct match *k, const struct ast *call) {
    for (uint32_t i = 0; i < k->params->nkids; i++) {
        const struct ast *param = k->params->kids[i];
        if (k->given[i] || k->rest || ast_may_miss(param) ||
            (k->spread && !(param->flags & AST_STATIC)))
            continue;
        struct diag *m = diag_error(c->diags, call->span, ERR_ARG_MISSING, text_of(c, k->def->name),
                                    text_of(c, param->name));
        diag_note(c->diags, m, param->span, "%s is declared here", text_of(c, param->name));
    }
}

/* A function that is called as a scalar operator stands beside it: `max(a, b)`, and `max(x)` of the
   library. */
static bool is_scalar_call(const struct checker *c, const struct ast *def, const struct match *k) {
    for (uint32_t i = 0; i < k->params->nkids; i++)
        if (k->given[i] && k->given[i]->kind == AST_KEYWORD)
            return false;
    return !k->spread && scalar_find(FORM_CALL, text_of(c, def->name), k->positional) != OP_COUNT;
}

/* CALL is a CALL, or a NAME at the right of a pipe; PIPED is the value at its left or NULL. */
static void match_arguments(struct checker *c, const struct ast *def, const struct ast *call,
                            const struct ast *piped) {
    struct match k = {.def = def, .params = def->kids[0]};
    k.given = ARENA_ARRAY(c->arena, const struct ast *, k.params->nkids);
    uint32_t most = count_positional(k.params);
    const struct ast *extra = NULL;
    if (piped)
        give_next(c, &k, piped);
    if (k.positional > most)
        extra = piped;
    for (uint32_t i = 1; call->kind == AST_CALL && i < call->nkids; i++) {
        const struct ast *arg = call->kids[i];
        if (arg->kind == AST_KEYWORD)
            give_named(c, &k, arg);
        else if (arg->kind == AST_SPREAD)
            k.spread = true;
        else if (!k.spread) {
            give_next(c, &k, arg);
            if (k.positional > most && !extra)
                extra = arg;
        }
    }
    if (extra && is_scalar_call(c, def, &k))
        return;
    if (extra)
        report_arg_count(c, &k, call, piped != NULL, extra, k.positional);
    else if (!k.wrong)
        check_missing(c, &k, call);
}

/* What NAME calls, if it is known here and has parameters; reports what cannot be called. */
static const struct ast *callee_of(struct checker *c, const struct ast *name) {
    struct binding *b = use_name(c, name->name, name->span, NULL);
    if (!b && c->place == PLACE_SCRIPT && c->is_variable && c->is_variable(c->data, name->name))
        return NULL; /* it hides a definition of that name */
    if (!b)
        return word_of(c, name->name) & WORD_DTYPE ? NULL
                                                   : module_find(c->module, name->name, NULL);
    switch (b->kind) {
    case THING_METHOD: return b->node;
    case THING_DIM:
    case THING_DIM_PACK:
    case THING_INDEX:
    case THING_INDEX_PACK:
    case THING_INOUT:
    case THING_RESULT:
    case THING_CONTAINER:
    case THING_STATE:
    case THING_BUFFER: break;
    case THING_PARAM:
    case THING_LAYER_PARAM:
        if (type_callable(c, b->type))
            return NULL;
        break;
    default: return NULL; /* a value may hold anything, a type variable casts */
    }
    struct diag *m = diag_error(c->diags, name->span, ERR_NOT_CALLABLE, text_of(c, name->name));
    diag_note(c->diags, m, b->span, "%s is %s", text_of(c, name->name), thing_text(b->kind));
    return NULL;
}

static void check_arguments(struct checker *c, struct ast *call) {
    for (uint32_t i = 1; i < call->nkids; i++)
        check_expr(c, call->kids[i]->kind == AST_KEYWORD ? call->kids[i]->kids[0] : call->kids[i]);
}

static void check_callee(struct checker *c, struct ast *call, const struct ast *piped) {
    struct ast *callee = call->kind == AST_CALL ? call->kids[0] : call;
    const struct ast *def = NULL;
    if (callee->kind == AST_NAME)
        def = callee_of(c, callee);
    else
        check_expr(c, callee);
    if (call->kind == AST_CALL)
        check_arguments(c, call);
    if (def)
        match_arguments(c, def, call, piped);
}

void check_call(struct checker *c, struct ast *call) {
    check_callee(c, call, NULL);
}

void check_pipe(struct checker *c, struct ast *pipe) {
    check_expr(c, pipe->kids[0]);
    check_callee(c, pipe->kids[1], pipe->kids[0]);
}

void check_initializer(struct checker *c, struct ast *init) {
    if (init->kind == AST_CALL) {
        check_expr(c, init->kids[0]);
        check_arguments(c, init);
    } else {
        check_expr(c, init);
    }
}

/* --- signatures that are compiled ------------------------------------------------------------ */

/* Whether D is a number or a symbol, or computed of such. */
static bool is_size(const struct ast *d) {
    bool size =
        d->kind == AST_INT || d->kind == AST_NAME || d->kind == AST_BINARY || d->kind == AST_UNARY;
    for (uint32_t i = 0; size && i < d->nkids; i++)
        size = is_size(d->kids[i]);
    return size;
}

/* NAME: TYPE, where TYPE is no element type. */
static void report_entry_type(struct checker *c, struct name name, const struct ast *type) {
    const char *entry = text_of(c, name), *text = text_of(c, type->name);
    if (word_of(c, type->name) & WORD_STATIC) {
        struct diag *m = diag_error(
            c->diags, type->span, ERR_NOT_HERE,
            arena_printf(c->arena, "an argument of the type %s is given by its value", text));
        diag_help(c->diags, m, "write %s = VALUE, or %s alone for the variable of that name", entry,
                  entry);
        return;
    }
    struct diag *m = diag_error(c->diags, type->span, ERR_UNKNOWN_TYPE, text);
    const char *elsewhere = foreign_help(c, type->name);
    struct name near = nearest_type(c, type->name, WORD_DTYPE, false);
    if (!name_none(near))
        diag_help(c->diags, m, "did you mean %s?", text_of(c, near));
    else
        diag_help(c->diags, m, "%s",
                  elsewhere ? elsewhere
                            : "what is compiled has element types that are known, as f32; "
                              "sizes may be names: x: f32[B, 4]");
}

static void check_entry_type(struct checker *c, struct name name, const struct ast *type) {
    if (!(word_of(c, type->name) & WORD_DTYPE))
        report_entry_type(c, name, type);
    if (type->flags & (AST_OPTIONAL | AST_LIST_OF))
        diag_error(c->diags, type->span, ERR_NOT_HERE,
                   "this is the type of one argument: it has neither `?` nor `[]` behind it");
    for (uint32_t i = 0; i < type->nkids; i++)
        if (!is_size(type->kids[i]))
            diag_error(c->diags, type->kids[i]->span, ERR_NOT_HERE,
                       "a size here is a number, a name for any, or computed of such");
}

void check_compile(struct checker *c, struct ast *s) {
    const struct ast *entries = s->kids[1];
    if (c->place != PLACE_SCRIPT || c->maps)
        diag_error(c->diags, s->span, ERR_NOT_HERE,
                   "`compile` is a statement of scripts, outside of functions and maps");
    check_expr(c, s->kids[0]);
    for (uint32_t i = 0; i < entries->nkids; i++) {
        struct ast *e = entries->kids[i];
        if (e->flags & AST_INOUT)
            diag_error(c->diags, e->span, ERR_NOT_HERE, "the definition says what is `inout`");
        if (ast_layout(e))
            diag_error(c->diags, ast_layout(e)->span, ERR_NOT_HERE, "the definition says layouts");
        if (e->kids[0] && e->kids[1])
            diag_error(c->diags, e->span, ERR_NOT_HERE, "this has a type or a value");
        if (e->kids[0])
            check_entry_type(c, e->name, e->kids[0]);
        else if (e->kids[1])
            check_expr(c, e->kids[1]);
        else
            use_name(c, e->name, e->span, NULL);
    }
}
