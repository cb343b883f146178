/* Rewrites: what a pattern may be, its variables, and the names in the rest of a rule. */
#include "lang/check/checker.h"

static bool is_constant(const struct ast *e) {
    return e->kind == AST_INT || e->kind == AST_FLOAT || e->kind == AST_BOOL || e->kind == AST_STR;
}

static void bind_matched(struct checker *c, enum thing kind, const struct ast *e, struct name n) {
    const struct binding *b = scope_find(c, n);
    if (!b)
        scope_bind(c, kind, n, e->span);
    else if (b->kind != kind)
        report_taken(c, b, e->span);
    else if (kind == THING_ATTRIBUTES)
        diag_error(c->diags, e->span, ERR_NOT_HERE,
                   "the arguments of another call have this name already");
}

/* Binds the variables of pattern E; false if something in it can be in no pattern. */
static bool check_pattern(struct checker *c, const struct ast *e) {
    bool good = true;
    switch (e->kind) {
    case AST_NAME:
        if (!(word_of(c, e->name) & (WORD_DTYPE | WORD_BUILTIN)) &&
            !name_eq(e->name, c->underscore))
            bind_matched(c, THING_MATCHED, e, e->name);
        return true;
    case AST_KEYWORD:
        if (!is_attributes(c, e))
            return check_pattern(c, e->kids[0]);
        bind_matched(c, THING_ATTRIBUTES, e, e->kids[0]->name);
        return true;
    case AST_CALL:
    case AST_PIPE:
        for (uint32_t k = e->kind == AST_CALL; k < e->nkids; k++)
            if (e->kind == AST_CALL || k == 0 || e->kids[k]->kind == AST_CALL)
                good = check_pattern(c, e->kids[k]) && good;
        return good;
    case AST_UNARY:
    case AST_BINARY:
    case AST_LIST:
        for (uint32_t k = 0; k < e->nkids; k++)
            good = check_pattern(c, e->kids[k]) && good;
        return good;
    default:
        if (is_constant(e))
            return true;
        diag_help(
            c->diags, diag_error(c->diags, e->span, ERR_NOT_HERE, "this cannot stand in a pattern"),
            "a pattern is of calls of functions, operators, lists, constants and names, which "
            "are variables");
        return false;
    }
}

/* What holds arguments stands as `attrs = m` only. */
static void check_attributes(struct checker *c, const struct ast *e) {
    const struct binding *b = e->kind == AST_NAME ? scope_find(c, e->name) : NULL;
    if (b && b->kind == THING_ATTRIBUTES) {
        struct diag *d = diag_error(c->diags, e->span, ERR_NOT_HERE,
                                    arena_printf(c->arena, "%s is no value", text_of(c, e->name)));
        diag_help(c->diags, d, "it holds arguments of a call: %s = %s", REWRITE_ATTRIBUTES,
                  text_of(c, e->name));
    }
    if (e->kind == AST_COMPREHENSION || e->kind == AST_GRADIENT || e->kind == AST_MINIMIZE ||
        e->kind == AST_ASSIGN)
        diag_help(c->diags,
                  diag_error(c->diags, e->span, ERR_NOT_HERE, "this cannot stand in a rule"),
                  "a function may hold it, which the rule calls");
    for (uint32_t k = 0; k < e->nkids && !is_attributes(c, e); k++)
        if (e->kids[k])
            check_attributes(c, e->kids[k]);
}

static void check_part(struct checker *c, struct ast *e) {
    check_expr(c, e);
    check_attributes(c, e);
}

/* What RULE's pattern calls, and what stands behind `=>`. */
static void check_rest(struct checker *c, struct ast *rule) {
    check_expr(c, rule->kids[0]);
    for (uint32_t i = 3; i < rule->nkids; i++) {
        check_part(c, rule->kids[i]->kids[0]);
        scope_bind(c, THING_VALUE, rule->kids[i]->name, rule->kids[i]->span);
    }
    if (rule->kids[2])
        check_part(c, rule->kids[2]);
    check_part(c, rule->kids[1]);
}

static void check_rule(struct checker *c, struct ast *rule) {
    uint32_t mark = scope_open(c);
    struct ast *pattern = rule->kids[0];
    c->unit = ++c->units;
    if (pattern->kind != AST_CALL && pattern->kind != AST_BINARY && pattern->kind != AST_UNARY &&
        pattern->kind != AST_PIPE)
        diag_error(c->diags, pattern->span, ERR_NOT_HERE,
                   "a pattern begins with a call or an operator: this fits everything or nothing");
    else if (check_pattern(c, pattern))
        check_rest(c, rule);
    scope_close(c, mark);
}

void check_rewrite(struct checker *c, struct ast *rewrite) {
    enum place outer = c->place;
    uint32_t unit = c->unit;
    c->place = PLACE_FUNCTION;
    c->rewriting = true;
    for (uint32_t i = 0; i < rewrite->kids[0]->nkids; i++)
        check_rule(c, rewrite->kids[0]->kids[i]);
    c->rewriting = false;
    c->unit = unit;
    c->place = outer;
}
