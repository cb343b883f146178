/* `grad f`: its signature beside that of f. Its parameters are among f's parameters, f's results
   and their adjoints, which have a `d` before the result's name; its results are the adjoints of
   f's parameters, one for each that may hold floats. */
#include "lang/check/checker.h"

#include "lang/scalar/scalar.h"

static struct name adjoint_of(const struct checker *c, struct name n) {
    struct names *names = c->module->names;
    return name_of_text(names, arena_printf(c->arena, "d%s", text_of(c, n)));
}

/* The name of a parameter or result; a result without one is called y. */
static struct name name_of_kid(const struct checker *c, const struct ast *kid) {
    return name_none(kid->name) ? name_of_text(c->module->names, "y") : kid->name;
}

/* The one of LIST that is called N, or whose adjoint is. */
static const struct ast *find(const struct checker *c, const struct ast *list, struct name n,
                              bool adjoint) {
    for (uint32_t i = 0; i < list->nkids; i++) {
        struct name own = name_of_kid(c, list->kids[i]);
        if (name_eq(adjoint ? adjoint_of(c, own) : own, n))
            return list->kids[i];
    }
    return NULL;
}

/* Whether an argument for PARAM of FN may be a tensor of floats. */
static bool may_hold_floats(const struct checker *c, const struct ast *fn,
                            const struct ast *param) {
    const struct ast *type = param->kids[0], *where = fn->kids[2];
    if (!type || (param->flags & AST_STATIC))
        return false;
    enum dtype t = dtype_of(text_of(c, type->name));
    if (t != DT_NONE)
        return dtype_is_float(t);
    for (uint32_t i = 0; i < where->nkids; i++) {
        const struct ast *x = where->kids[i];
        if (x->kind != AST_CONSTRAINT || !name_eq(x->name, type->name))
            continue;
        const char *class = text_of(c, x->kids[0]->name);
        return *class != 'i' && *class != 'b';
    }
    return false;
}

/* Whether each result has a name; one result has y. */
static bool all_named(const struct ast *results) {
    bool all = true;
    for (uint32_t i = 0; i < results->nkids && results->nkids > 1; i++)
        all = all && !name_none(results->kids[i]->name);
    return all;
}

static void refuse(struct checker *c, const struct ast *grad, const struct ast *at,
                   const struct ast *fn, const char *why) {
    struct diag *d = diag_error(c->diags, at->span, ERR_GRAD, text_of(c, grad->name), why);
    if (fn)
        diag_note(c->diags, d, fn->span, "%s stands here", text_of(c, fn->name));
}

/* The definition of N that GRAD belongs to: the nearest above it in its text, else the first below
   it, else the one that its module has from before. */
static const struct ast *function_of(const struct checker *c, const struct ast *grad,
                                     struct name n) {
    const struct ast *nearest = NULL;
    bool below = false;
    for (uint32_t i = 0; i < c->file->nkids && !(below && nearest); i++) {
        const struct ast *item = c->file->kids[i];
        below = below || item == grad;
        if ((item->kind == AST_FN || item->kind == AST_LAYER) && name_eq(item->name, n))
            nearest = item;
    }
    const struct module *where = NULL;
    const struct ast *any = module_find(c->module, n, &where);
    return nearest ? nearest : where == c->module ? any : NULL;
}

void check_gradient(struct checker *c, const struct ast *grad) {
    const char *of = ast_grad_of(c->module->names, grad->name);
    const struct ast *fn = function_of(c, grad, name_of_text(c->module->names, of));
    if (!fn || fn->kind != AST_FN) {
        refuse(c, grad, grad, NULL, arena_printf(c->arena, "there is no function %s here", of));
        return;
    }
    const struct ast *params = fn->kids[0], *results = fn->kids[1];
    if (!all_named(results))
        refuse(c, grad, grad, fn, arena_printf(c->arena, "a result of %s has no name", of));
    for (uint32_t i = 0; i < params->nkids; i++) {
        const struct ast *p = params->kids[i], *type = p->kids[0];
        if (p->flags & AST_INOUT || (type && type->flags & AST_LIST_OF))
            refuse(c, grad, grad, fn,
                   arena_printf(c->arena, "%s of %s is inout or a list of tensors",
                                text_of(c, p->name), of));
        else if (may_hold_floats(c, fn, p) &&
                 !find(c, grad->kids[1], adjoint_of(c, p->name), false))
            refuse(c, grad, grad, fn,
                   arena_printf(c->arena, "there is no result %s",
                                text_of(c, adjoint_of(c, p->name))));
    }
    for (uint32_t i = 0; i < grad->kids[0]->nkids; i++) {
        const struct ast *p = grad->kids[0]->kids[i];
        if (!find(c, params, p->name, false) && !find(c, results, p->name, false) &&
            !find(c, results, p->name, true))
            refuse(c, grad, p, fn,
                   arena_printf(c->arena,
                                "%s is no parameter and no result of %s, and no result's name "
                                "behind a `d`",
                                text_of(c, p->name), of));
    }
    for (uint32_t i = 0; i < grad->kids[1]->nkids; i++) {
        const struct ast *r = grad->kids[1]->kids[i];
        const struct ast *p = find(c, params, r->name, true);
        if (name_none(r->name) || !p || p->flags & AST_STATIC)
            refuse(c, grad, r, fn,
                   arena_printf(c->arena,
                                "a result is not named like a parameter of %s behind a `d`", of));
    }
}
