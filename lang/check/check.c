/* The checker: files, functions and layers; check.h says what holds before and after.
   One walk over the tree, in the order of the text but for signatures (check_types.c) and layers
   (a method sees all members). Linear in the text: names are found by one probe of a table. */
#include "lang/check/check.h"
#include "lang/check/checker.h"

/* The last statement of BODY, or a `return` in it, if it is a value that does nothing by itself. */
static const struct ast *dropped_value(const struct ast *body) {
    const struct ast *last = body->nkids ? body->kids[body->nkids - 1] : NULL;
    for (uint32_t i = 0; i < body->nkids; i++)
        if (body->kids[i]->kind == AST_RETURN && body->kids[i]->kids[0])
            return body->kids[i];
    bool value =
        last && (last->kind == AST_NAME || last->kind == AST_INDEX || last->kind == AST_BINARY ||
                 last->kind == AST_UNARY || last->kind == AST_INT || last->kind == AST_FLOAT);
    return value ? last : NULL;
}

/* The first result of FN, if all have names and nothing has written this one. */
static const struct binding *unwritten_result(const struct checker *c, const struct ast *fn) {
    const struct ast *results = fn->kids[1];
    for (uint32_t i = 0; i < results->nkids; i++) {
        if (name_none(results->kids[i]->name))
            return NULL;
        const struct binding *b = scope_find(c, results->kids[i]->name);
        if (b && b->kind == THING_RESULT && !b->written)
            return b;
    }
    return NULL;
}

static void warn_dropped(struct checker *c, const struct ast *fn) {
    const struct binding *result = unwritten_result(c, fn);
    const struct ast *value = fn->kids[1]->nkids && !result ? NULL : dropped_value(fn->kids[3]);
    if (!value)
        return;
    const char *name = text_of(c, fn->name);
    struct diag *m = diag_warning(c->diags, value->span, ERR_DROPPED, name,
                                  result ? text_of(c, result->name) : "nothing");
    if (result)
        diag_help(c->diags, m, "write %s = .., or leave its name away: -> f32[N]",
                  text_of(c, result->name));
    else
        diag_help(c->diags, m, "its type stands before the body: fn %s(..) -> f32[N] { .. }", name);
}

static void check_fn(struct checker *c, struct ast *fn) {
    enum place outer = c->place;
    uint32_t unit = c->unit, mark = scope_open(c);
    c->place = PLACE_FUNCTION;
    c->unit = ++c->units;
    c->dims.n = 0;
    check_signature(c, fn->kids[0], fn->kids[1], fn->kids[2]);
    check_block(c, fn->kids[3]);
    warn_unused_dims(c);
    warn_dropped(c, fn);
    scope_close(c, mark);
    c->unit = unit;
    c->place = outer;
}

static void check_state(struct checker *c, struct ast *state) {
    check_type(c, state->kids[0], ROLE_STATE);
    check_layout(c, state, ROLE_STATE);
    struct ast *init = state->kids[1];
    if (init && (state->flags & AST_TILDE))
        check_initializer(c, init);
    else if (init)
        check_expr(c, init);
    enum thing kind = state->flags & AST_BUFFER ? THING_BUFFER : THING_STATE;
    struct binding *b = scope_bind(c, kind, state->name, state->span);
    b->type = state->kids[0];
}

static void check_member(struct checker *c, struct ast *s) {
    bool member = s->kind == AST_ASSIGN && s->nkids == 2 && s->kids[1]->kind == AST_NAME;
    if (!member) {
        diag_error(
            c->diags, s->span, ERR_NOT_HERE,
            "a layer holds param, buffer, members (NAME = value) and functions, nothing else");
        return;
    }
    struct ast *name = s->kids[1];
    check_expr(c, s->kids[0]);
    scope_bind(c, THING_MEMBER, name->name, name->span);
}

/* First the members in their order, each of which sees those above it; then the methods, which see
   all of them. */
static void check_layer(struct checker *c, struct ast *layer) {
    enum place outer = c->place;
    uint32_t unit = c->unit, mark = scope_open(c);
    c->place = PLACE_LAYER;
    c->unit = ++c->units;
    check_signature(c, layer->kids[0], NULL, layer->kids[1]);
    c->dims.n = 0;
    struct ast *body = layer->kids[2];
    collect_members(c, body);
    for (uint32_t i = 0; i < body->nkids; i++) {
        struct ast *s = body->kids[i];
        if (s->kind == AST_STATE)
            check_state(c, s);
        else if (s->kind == AST_FN)
            scope_bind(c, THING_METHOD, s->name, s->span)->node = s;
        else
            check_member(c, s);
    }
    for (uint32_t i = 0; i < body->nkids; i++)
        if (body->kids[i]->kind == AST_FN)
            check_fn(c, body->kids[i]);
    scope_close(c, mark);
    c->unit = unit;
    c->place = outer;
}

/* Element types keep their names; other builtins may be defined anew. */
static void check_definition(struct checker *c, struct ast *def) {
    if (word_of(c, def->name) & WORD_DTYPE)
        diag_error(c->diags, def->span, ERR_NAME_TAKEN, text_of(c, def->name), "an element type");
    if (def->kind == AST_FN)
        check_fn(c, def);
    if (ast_grad_of(c->module->names, def->name))
        check_gradient(c, def);
    if (def->kind == AST_LAYER)
        check_layer(c, def);
    if (def->kind == AST_REWRITE)
        check_rewrite(c, def);
}

bool check_file(struct arena *a, struct module *m, const struct check_builtins *builtins,
                bool (*is_variable)(void *data, struct name n), void *data, struct diags *d,
                struct ast *file) {
    uint32_t errors = d->errors;
    struct checker c = {.arena = a,
                        .module = m,
                        .builtins = builtins,
                        .is_variable = is_variable,
                        .data = data,
                        .diags = d,
                        .place = PLACE_SCRIPT,
                        .file = file};
    names_init(&c);
    for (uint32_t i = 0; i < file->nkids; i++)
        collect_variables(&c, file->kids[i]);
    module_enter(m, file);
    for (uint32_t i = 0; i < file->nkids; i++) {
        struct ast *item = file->kids[i];
        switch (item->kind) {
        case AST_FN:
        case AST_LAYER:
        case AST_REWRITE:
            module_pass(m, item);
            check_definition(&c, item);
            break;
        case AST_USE: break;
        default: check_statement(&c, item); break;
        }
    }
    return d->errors == errors;
}
