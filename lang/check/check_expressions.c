/* Expressions, in the order of the text: every name in them is known, subscripts fit the declared
   number of dimensions, and bare indices learn their ranges. */
#include "lang/check/checker.h"
#include "lang/print/print.h"

static void check_kids(struct checker *c, struct ast *e) {
    for (uint32_t i = 0; i < e->nkids; i++)
        if (e->kids[i])
            check_expr(c, e->kids[i]);
}

/* --- subscripts --- */

static bool is_tensor(const struct binding *b) {
    return b && (b->kind == THING_PARAM || b->kind == THING_INOUT || b->kind == THING_RESULT ||
                 b->kind == THING_CONTAINER || b->kind == THING_STATE || b->kind == THING_BUFFER);
}

/* What selects several elements in other languages: a list of indices, or a condition. */
static const char *check_selection(const struct ast *s) {
    bool condition = s->kind == AST_BINARY && s->op >= AOP_LT && s->op <= AOP_NE;
    return s->kind == AST_LIST ? SELECT_ROWS : condition ? SELECT_WHERE : NULL;
}

static void report_count(struct checker *c, const struct ast *index, const struct binding *base,
                         int rank, int given) {
    const char *name = text_of(c, base->name);
    struct diag *m = diag_error(c->diags, index->span, ERR_INDEX_COUNT, name, rank, plural(rank),
                                given, plural(given));
    if (!worth_helping(c))
        return;
    struct buf type = buf_new(c->arena);
    print_ast(c->module->names, base->type, &type);
    diag_detail(c->diags, m, "%s: %s", name, type.at);
    const struct ast *one = index->nkids == 2 ? index->kids[1] : NULL;
    const char *selects = one ? check_selection(one) : NULL;
    if (selects) {
        diag_help(c->diags, m, "%s", selects);
        return;
    }
    if (given >= rank || index->kids[index->nkids - 1]->kind == AST_ELSE)
        return;
    struct buf whole = buf_new(c->arena);
    print_ast(c->module->names, index, &whole);
    struct buf text = buf_new(c->arena);
    buf_bytes(&text, whole.at, whole.n - 1);
    for (int k = given; k < rank; k++)
        buf_text(&text, ", :");
    diag_help(c->diags, m, "`:` is all of a dimension: %s]", text.at);
}

/* As many subscripts as dimensions; a pack of indices stands for any number. */
static void check_count(struct checker *c, const struct ast *index, const struct binding *base,
                        bool spread, int given) {
    int rank = is_tensor(base) ? type_rank(c, base->type) : -1;
    if (rank >= 0 && (spread ? given > rank : given != rank))
        report_count(c, index, base, rank, given);
}

/* Resolves a subscript that is a name; one that is a bare index takes its range from here. */
static void check_lone(struct checker *c, const struct ast *s, const struct binding *base,
                       const struct ast *index, uint32_t position) {
    struct binding *b = use_name(c, s->name, s->span, NULL);
    if (b && b->ranges && index->kids[0]->kind == AST_NAME)
        range_offer(c, b, base, index, position);
}

/* `?` as subscript POSITION of INDEX: a whole row is appended to BASE. check_write marks the INDEX
   that is written. */
static void check_append(struct checker *c, const struct ast *index, const struct binding *base,
                         uint32_t position) {
    const struct ast *type =
        base && (base->kind == THING_CONTAINER || base->kind == THING_RESULT) ? base->type : NULL;
    bool whole = position == 1, grows = type_grows(type);
    for (uint32_t d = 1; grows && d < type->nkids; d++)
        grows = type->kids[d]->kind != AST_ANY;
    for (uint32_t i = 2; i < index->nkids; i++) {
        const struct ast *s = index->kids[i];
        whole = whole && s->kind == AST_RANGE && !s->kids[0] && !s->kids[1] && !s->kids[2];
    }
    if (index != c->appended) {
        struct diag *m = diag_error(c->diags, index->kids[position]->span, ERR_NOT_HERE,
                                    "`?` as a subscript stands where a row is appended");
        diag_help(c->diags, m, "that is v >> y[?] or v >> y[?, :]");
    } else if (!grows) {
        struct diag *m =
            diag_error(c->diags, index->span, ERR_NOT_HERE,
                       "rows are appended to a container whose first dimension, and no "
                       "other, is `?`");
        if (base)
            diag_note(c->diags, m, base->span, "%s stands here", text_of(c, base->name));
    } else if (!whole) {
        diag_error(c->diags, index->span, ERR_NOT_HERE,
                   "a row is appended as a whole: `?` is the first subscript, all others are `:`");
    }
}

/* Beside `*LIST`, or two packs, it is not known to which dimension a subscript belongs: such give
   no ranges. */
void check_subscripts(struct checker *c, struct ast *index, struct binding *base) {
    bool spread = false, known = true, sure = true;
    int given = 0;
    for (uint32_t i = 1, spreads = 0; i < index->nkids; i++)
        if (index->kids[i]->kind == AST_SPREAD)
            sure = ++spreads == 1 && index->kids[i]->nkids == 0;
    for (uint32_t i = 1; i < index->nkids; i++) {
        struct ast *s = index->kids[i];
        if (s->kind == AST_ELSE) {
            check_kids(c, s);
            continue;
        }
        if (s->kind == AST_SPREAD)
            spread = true;
        else
            given++;
        if (s->kind == AST_ANY)
            check_append(c, index, base, i);
        else if (s->kind == AST_NAME && name_eq(s->name, c->underscore)) {
            diag_error(c->diags, s->span, ERR_NOT_YET, "`_` as a subscript");
            known = false;
        } else if (sure && (s->kind == AST_NAME || s->kind == AST_SPREAD))
            check_lone(c, s, base, index, i - 1);
        else if (s->kind == AST_RANGE)
            check_kids(c, s);
        else
            check_expr(c, s);
    }
    if (known)
        check_count(c, index, base, spread, given);
}

static void check_index(struct checker *c, struct ast *e) {
    struct ast *object = e->kids[0];
    struct binding *base = NULL;
    if (object->kind == AST_NAME)
        base = use_name(c, object->name, object->span, NULL);
    else
        check_expr(c, object);
    check_subscripts(c, e, base);
}

/* --- the rest --- */

static void check_comprehension(struct checker *c, struct ast *e) {
    struct ast *iter = e->kids[1];
    if (iter->kind == AST_RANGE)
        check_kids(c, iter);
    else
        check_expr(c, iter);
    uint32_t mark = scope_open(c);
    scope_bind(c, iter->kind == AST_RANGE ? THING_INDEX : THING_VALUE, e->name, e->span);
    for (uint32_t i = 3; i < e->nkids; i++)
        scope_bind(c, THING_VALUE, e->kids[i]->name, e->kids[i]->span);
    if (e->kids[2])
        check_expr(c, e->kids[2]);
    check_expr(c, e->kids[0]);
    scope_close(c, mark);
}

void check_expr(struct checker *c, struct ast *e) {
    switch (e->kind) {
    case AST_SPREAD:
        if (e->nkids)
            check_expr(c, e->kids[0]);
        else
            use_name(c, e->name, e->span, NULL);
        break;
    case AST_NAME: use_name(c, e->name, e->span, NULL); break;
    case AST_INDEX: check_index(c, e); break;
    case AST_CALL: check_call(c, e); break;
    case AST_PIPE: check_pipe(c, e); break;
    case AST_COMPREHENSION: check_comprehension(c, e); break;
    case AST_IF: check_if(c, e); break;
    case AST_BLOCK: check_scoped_block(c, e); break;
    default: check_kids(c, e); break; /* literals, MEMBER, operators, lists */
    }
}
