/* Layouts: `layout(n, c => n, c//16, c%16)`. What stands left of `=>` names the dimensions, for
   this one place: the names are no bindings and hide nothing. Here is told what the text alone
   shows; whether the parts of a dimension give each element one place hangs on numbers, which eval
   knows (lang/eval/layouts.c). */
#include "lang/check/checker.h"

static bool is_named(const struct ast *layout, struct name n, uint32_t before) {
    for (uint32_t i = 0; i < before; i++)
        if (name_eq(layout->kids[i]->name, n))
            return true;
    return false;
}

static void check_names(struct checker *c, const struct ast *layout, const struct ast *type) {
    uint32_t n = (uint32_t)layout->integer;
    int rank = type_rank(c, type);
    for (uint32_t i = 0; i < n; i++)
        if (is_named(layout, layout->kids[i]->name, i))
            diag_error(c->diags, layout->kids[i]->span, ERR_LAYOUT,
                       arena_printf(c->arena, "%s names two dimensions",
                                    text_of(c, layout->kids[i]->name)));
    if (rank >= 0 && (uint32_t)rank != n)
        diag_error(
            c->diags, layout->span, ERR_LAYOUT,
            arena_printf(c->arena, "it names %u dimension%s of %d", n, n == 1 ? "" : "s", rank));
}

/* n, n//a, n%b or n//a%b. */
static void check_part(struct checker *c, const struct ast *layout, struct ast *part) {
    struct ast *e = part, *divisors[2];
    uint32_t n = 0;
    if (e->kind == AST_BINARY && e->op == AOP_MOD) {
        divisors[n++] = e->kids[1];
        e = e->kids[0];
    }
    if (e->kind == AST_BINARY && e->op == AOP_FLOORDIV) {
        divisors[n++] = e->kids[1];
        e = e->kids[0];
    }
    if (e->kind != AST_NAME || !is_named(layout, e->name, (uint32_t)layout->integer)) {
        struct diag *m = diag_error(c->diags, part->span, ERR_LAYOUT,
                                    "this is no part of a dimension that it names");
        diag_help(c->diags, m, "parts of a dimension n are n, n//16, n%%16, n//16%%4");
        return;
    }
    while (n-- > 0)
        check_expr(c, divisors[n]);
}

static bool grows(const struct ast *type) {
    bool any = false;
    for (uint32_t i = 0; i < type->nkids; i++)
        any = any || type->kids[i]->kind == AST_ANY;
    return any;
}

void check_layout(struct checker *c, struct ast *node, enum role role) {
    struct ast *layout = ast_layout(node);
    const struct ast *type = node->kids[0];
    const char *text = NULL;
    if (!layout)
        return;
    if (node->flags & AST_INOUT)
        text = "an inout parameter has the layout of its argument";
    else if (type->flags & AST_LIST_OF)
        text = "a list of tensors has no layout";
    else if (!(type->flags & AST_BRACKETS))
        text = "a layout is of a tensor with dimensions";
    else if (grows(type))
        text = "a container whose size is found has no layout";
    else if (role == ROLE_CONTAINER && c->place == PLACE_SCRIPT && c->maps == 0)
        text = "a variable of the script has no layout: a container in a function, a state or a "
               "parameter has";
    else if (role == ROLE_RESULT && name_none(node->name))
        text = "only a result with a name is a container that has a layout";
    if (text) {
        diag_error(c->diags, layout->span, ERR_NOT_HERE, text);
        return;
    }
    check_names(c, layout, type);
    for (uint32_t i = (uint32_t)layout->integer; i < layout->nkids; i++)
        check_part(c, layout, layout->kids[i]);
}
