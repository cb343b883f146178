/* Statements: what they bind, what they may rebind, what they write.
   `=` on a container writes all of it. On any other name it names a value; a value of an outer
   scope is carried through loops and branches, which a map cannot do, since its iterations run in
   any order. Script statements outside maps bind variables of the script, whatever block they
   stand in. */
#include "lang/check/checker.h"
#include "lang/scalar/scalar.h"

static void not_here(struct checker *c, const struct ast *s, const char *text) {
    diag_error(c->diags, s->span, ERR_NOT_HERE, text);
}

/* Whether names that are bound now are variables of the script. */
static bool binds_variables(const struct checker *c) {
    return c->place == PLACE_SCRIPT && c->maps == 0;
}

/* --- naming values --- */

static void report_rebind(struct checker *c, const struct binding *b, struct span span) {
    const char *text = text_of(c, b->name);
    struct diag *m = diag_error(c->diags, span, ERR_REBIND_IN_MAP, text);
    diag_note(c->diags, m, b->span, "%s stands here", text);
    diag_help(c->diags, m,
              "declare %s as a container and write to it with a resolution, as in `v >> %s (sum)`, "
              "or use `for`",
              text, text);
}

/* `=` on a name that is in scope. */
static void rebind(struct checker *c, struct binding *b, struct span span) {
    switch (b->kind) {
    case THING_CONTAINER:
    case THING_RESULT:
    case THING_INOUT:
    case THING_BUFFER: fill_write(b, RES_NONE); break;
    case THING_VALUE:
    case THING_PARAM:
        if (b->maps < c->maps)
            report_rebind(c, b, span);
        b->type = NULL; /* the new value may have other dimensions */
        break;
    case THING_SCRIPT:
        if (b->maps < c->maps && !b->node)
            report_rebind(c, b, span);
        break;
    case THING_STATE: report_read_only(c, b, span); break;
    default: report_taken(c, b, span); break;
    }
}

static void bind_value(struct checker *c, struct name n, struct span span) {
    if (name_eq(n, c->underscore))
        return;
    struct binding *b = scope_find(c, n);
    if (b)
        rebind(c, b, span);
    else if (binds_variables(c))
        script_bind(c, n, span);
    else
        scope_bind(c, THING_VALUE, n, span);
}

static void check_assign(struct checker *c, struct ast *s) {
    for (uint32_t i = 1; i < s->nkids; i++)
        if (s->kids[i]->kind != AST_NAME)
            check_write(c, s->kids[i], RES_NONE);
    check_expr(c, s->kids[0]);
    for (uint32_t i = 1; i < s->nkids; i++)
        if (s->kids[i]->kind == AST_NAME)
            bind_value(c, s->kids[i]->name, s->kids[i]->span);
}

/* `x += v` writes into a container; on the name of a value it is `x = x + v`. */
static void check_update(struct checker *c, struct ast *s) {
    struct ast *target = s->kids[0];
    struct binding *b = target->kind == AST_NAME ? scope_find(c, target->name) : NULL;
    bool value = b && (b->kind == THING_VALUE || b->kind == THING_PARAM ||
                       (b->kind == THING_SCRIPT && !b->node));
    if (!value)
        check_write(c, target, s->op);
    check_expr(c, s->kids[1]);
    if (value) {
        b->uses++;
        rebind(c, b, target->span);
    }
}

static void check_read(struct checker *c, struct ast *s) {
    check_expr(c, s->kids[0]);
    bind_value(c, s->name, span_of_name(c, s));
}

/* The result that S, in the function's own block, declares: its type has a `?`. */
static struct binding *declared_result(const struct checker *c, const struct ast *s) {
    struct binding *b =
        c->place == PLACE_FUNCTION && c->blocks == 0 ? scope_find(c, s->name) : NULL;
    bool open = false;
    if (!b || b->kind != THING_RESULT || b->node->kind != AST_RESULT || type_grows(s->kids[0]))
        return NULL;
    for (uint32_t d = 0; d < b->type->nkids; d++)
        open = open || b->type->kids[d]->kind == AST_ANY;
    return open ? b : NULL;
}

static void check_decl(struct checker *c, struct ast *s) {
    s->integer2 = RES_NONE;
    check_type(c, s->kids[0], ROLE_CONTAINER);
    check_layout(c, s, ROLE_CONTAINER);
    for (uint32_t i = 1; i < 3; i++)
        if (s->kids[i])
            check_expr(c, s->kids[i]);
    if (type_grows(s->kids[0]) && (s->op || s->kids[1] || s->kids[2]))
        not_here(c, s, "a container that grows starts empty and has no storage word");
    struct span name = span_of_name(c, s);
    struct binding *b = declared_result(c, s);
    /* Writes to a variable of the script may be on later lines: it has no identity to start at. */
    if (!b && c->place == PLACE_SCRIPT && c->blocks == 0)
        b = script_bind(c, s->name, name);
    else if (!b)
        b = scope_bind(c, THING_CONTAINER, s->name, name);
    b->node = s;
    b->type = s->kids[0];
}

/* `(f)`: a function of the element and the value. The element must have a value, as with mixed
   resolutions, and no row is appended. */
static void check_resolution(struct checker *c, struct ast *s) {
    struct ast *by = s->kids[2];
    check_write(c, s->kids[1], by ? RES_COUNT : s->op);
    if (by && !is_known(c, by->name)) {
        struct diag *m = diag_error(c->diags, by->span, ERR_RESOLUTION, text_of(c, by->name));
        diag_help(c->diags, m,
                  "the resolutions are sum, prod, max, min, and, or, or a function of the element "
                  "and the value");
    } else if (by) {
        use_name(c, by->name, by->span, NULL);
    }
}

/* --- loops and branches --- */

static void bind_index(struct checker *c, struct ast *iter, bool map, bool list, uint32_t before) {
    bool bare = !iter->kids[0] && !iter->kids[1];
    if (!map && binds_variables(c)) {
        script_bind(c, iter->name, span_of_name(c, iter));
        return;
    }
    enum thing kind = !map && (list || !iter->kids[0]) ? THING_VALUE
                      : iter->flags & AST_PACK         ? THING_INDEX_PACK
                                                       : THING_INDEX;
    struct binding *b = scope_bind(c, kind, iter->name, span_of_name(c, iter));
    b->maps = c->maps + map;
    if (bare && !list)
        range_begin(c, b, iter, before);
}

static void check_iter(struct checker *c, struct ast *iter) {
    for (uint32_t i = 0; i < iter->nkids && i < 3; i++)
        if (iter->kids[i])
            check_expr(c, iter->kids[i]);
}

static void check_map(struct checker *c, struct ast *s) {
    uint32_t mark = scope_open(c), before = c->order;
    for (uint32_t i = 1; i < s->nkids; i++) {
        check_iter(c, s->kids[i]);
        bind_index(c, s->kids[i], true, false, before);
    }
    c->maps++;
    check_scoped_block(c, s->kids[0]);
    c->maps--;
    scope_close(c, mark);
}

/* `for A, B in list`: one of the indices has the expression, for all. */
static void check_for(struct checker *c, struct ast *s) {
    uint32_t mark = scope_open(c), before = c->order;
    for (uint32_t i = 1; i < s->nkids; i++)
        check_iter(c, s->kids[i]);
    for (uint32_t i = 1; i < s->nkids; i++)
        bind_index(c, s->kids[i], false, s->nkids > 2, before);
    check_scoped_block(c, s->kids[0]);
    scope_close(c, mark);
}

void check_block(struct checker *c, struct ast *block) {
    for (uint32_t i = 0; i < block->nkids; i++)
        check_statement(c, block->kids[i]);
}

void check_scoped_block(struct checker *c, struct ast *block) {
    uint32_t mark = scope_open(c);
    c->blocks++;
    check_block(c, block);
    c->blocks--;
    scope_close(c, mark);
}

void check_if(struct checker *c, struct ast *node) {
    check_expr(c, node->kids[0]);
    check_scoped_block(c, node->kids[1]);
    struct ast *other = node->kids[2];
    if (other && other->kind == AST_IF)
        check_if(c, other);
    else if (other)
        check_scoped_block(c, other);
}

static void check_return(struct checker *c, struct ast *s) {
    if (c->place != PLACE_FUNCTION)
        not_here(c, s, "`return` stands outside of any function");
    else if (c->maps)
        not_here(c, s, "`return` cannot leave a map: its iterations run in any order");
    if (s->kids[0])
        check_expr(c, s->kids[0]);
}

void check_statement(struct checker *c, struct ast *s) {
    switch (s->kind) {
    case AST_DECL: check_decl(c, s); break;
    case AST_ASSIGN: check_assign(c, s); break;
    case AST_UPDATE: check_update(c, s); break;
    case AST_READ: check_read(c, s); break;
    case AST_WRITE:
        check_expr(c, s->kids[0]);
        check_resolution(c, s);
        break;
    case AST_MAP: check_map(c, s); break;
    case AST_FOR: check_for(c, s); break;
    case AST_WHILE:
        check_expr(c, s->kids[0]);
        check_scoped_block(c, s->kids[1]);
        break;
    case AST_COMPILE: check_compile(c, s); break;
    case AST_RETURN: check_return(c, s); break;
    case AST_FN:
    case AST_LAYER:
    case AST_REWRITE:
    case AST_STATE:
    case AST_USE: not_here(c, s, "definitions stand outside of blocks"); break;
    default: check_expr(c, s); break;
    }
}

void collect_variables(struct checker *c, const struct ast *s) {
    switch (s->kind) {
    case AST_ASSIGN:
        for (uint32_t i = 1; i < s->nkids; i++)
            if (s->kids[i]->kind == AST_NAME)
                map_put(&c->later, s->kids[i]->name.i, 1);
        break;
    case AST_DECL: map_put(&c->later, s->name.i, 1); break;
    case AST_FOR:
    case AST_WHILE:
    case AST_IF:
    case AST_BLOCK:
        for (uint32_t i = 0; i < s->nkids; i++)
            if (s->kids[i])
                collect_variables(c, s->kids[i]);
        break;
    default: break;
    }
}

void collect_members(struct checker *c, const struct ast *body) {
    for (uint32_t i = 0; i < body->nkids; i++) {
        const struct ast *s = body->kids[i];
        struct name n = s->kind == AST_ASSIGN ? s->kids[1]->name : s->name;
        if (s->kind == AST_STATE || s->kind == AST_FN || s->kind == AST_ASSIGN)
            map_put(&c->members, n.i, c->unit);
    }
}
