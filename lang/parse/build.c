/* Building nodes: what the grammar's actions do.
   Every node knows how deep it is while it is built; one that would be deeper than PARSE_MAX_DEPTH
   is told (ERR_NESTING, once a statement) and replaced by an ERROR leaf, and its statement is left
   out. So every tree that leaves the parser may be walked recursively. */
#include "lang/parse/parser.h"

#include "lang/scalar/scalar.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static struct sub leaf(struct parser *p, enum ast_kind kind, struct span span) {
    return (struct sub){ast_new(p->arena, kind, span, 0), 1};
}

/* Whether a node over kids of DEPTH fits; tells if not. */
static bool fits(struct parser *p, struct span span, uint32_t depth) {
    if (depth < PARSE_MAX_DEPTH)
        return true;
    if (!p->too_deep)
        message_too_deep(p, span);
    p->too_deep = p->spoiled = true;
    return false;
}

static uint32_t deeper(uint32_t depth, struct sub kid) {
    return kid.depth > depth ? kid.depth : depth;
}

struct sub build(struct parser *p, enum ast_kind kind, struct span span, int n, ...) {
    struct ast *node = ast_new(p->arena, kind, span, (uint32_t)n);
    uint32_t depth = 0;
    va_list kids;
    va_start(kids, n);
    for (int i = 0; i < n; i++) {
        struct sub kid = va_arg(kids, struct sub);
        node->kids[i] = kid.node;
        depth = deeper(depth, kid);
    }
    va_end(kids);
    if (!fits(p, span, depth))
        return leaf(p, AST_ERROR, span);
    return (struct sub){node, depth + 1};
}

struct sub build_list(struct parser *p, struct span span) {
    return leaf(p, AST_ERROR, span);
}

struct sub build_append(struct parser *p, struct sub list, struct sub kid) {
    if (kid.node == NULL)
        return list;
    if (!fits(p, kid.node->span, kid.depth))
        kid = leaf(p, AST_ERROR, kid.node->span);
    ast_push(p->arena, list.node, kid.node);
    list.depth = deeper(list.depth, (struct sub){kid.node, kid.depth + 1});
    return list;
}

struct sub build_of_list(struct sub list, enum ast_kind kind, struct span span) {
    list.node->kind = kind;
    list.node->span = span;
    return list;
}

struct sub build_with_list(struct parser *p, enum ast_kind kind, struct span span, struct sub list,
                           int n, ...) {
    struct ast *node = ast_new(p->arena, kind, span, (uint32_t)n + list.node->nkids);
    uint32_t depth = list.depth - 1;
    va_list kids;
    va_start(kids, n);
    for (int i = 0; i < n; i++) {
        struct sub kid = va_arg(kids, struct sub);
        node->kids[i] = kid.node;
        depth = deeper(depth, kid);
    }
    va_end(kids);
    for (uint32_t i = 0; i < list.node->nkids; i++)
        node->kids[(uint32_t)n + i] = list.node->kids[i];
    if (!fits(p, span, depth))
        return leaf(p, AST_ERROR, span);
    return (struct sub){node, depth + 1};
}

struct sub build_named(struct sub s, struct name name) {
    s.node->name = name;
    return s;
}

static struct span token_span(const struct parser *p, uint32_t token) {
    return (struct span){p->source, p->tokens.at[token].start, p->tokens.at[token].end};
}

static const char *token_text(const struct parser *p, uint32_t token) {
    struct span at = token_span(p, token);
    return arena_strndup(p->scratch, p->text + at.start, at.end - at.start);
}

struct sub build_name(struct parser *p, uint32_t token) {
    return build_named(leaf(p, AST_NAME, token_span(p, token)), p->tokens.at[token].name);
}

struct sub build_type(struct parser *p, struct span span, struct sub dims, uint32_t first,
                      struct span name) {
    const struct token *t = &p->tokens.at[first];
    struct sub type = build_of_list(dims, AST_TYPE, span);
    if (t->end == name.end)
        return build_named(type, t->name);
    struct buf text = buf_new(p->scratch);
    for (; t->kind != 0 && t->end <= name.end; t++)
        buf_bytes(&text, p->text + t->start, t->end - t->start);
    return build_named(type, name_of(p->names, text.at, text.n));
}

struct sub build_type_flag(struct sub type, enum ast_flag flag, struct span span) {
    type.node->flags |= (uint32_t)flag;
    type.node->span = span;
    return type;
}

struct sub build_body(struct parser *p, struct span span) {
    struct sub body = build_list(p, span);
    body.node->integer = p->spoiled;
    p->spoiled = false;
    return body;
}

struct sub build_block(struct parser *p, struct sub body, struct span span) {
    p->spoiled = body.node->integer != 0;
    body.node->integer = 0;
    return build_of_list(body, AST_BLOCK, span);
}

struct sub build_statement(struct parser *p, struct sub statement) {
    if (p->spoiled)
        statement = build_none();
    p->spoiled = p->too_deep = false;
    return statement;
}

struct sub build_member(struct parser *p, struct sub statement) {
    if (statement.node->kind != AST_ASSIGN && statement.node->kind != AST_ERROR)
        message_at(p, statement.node->span, ERR_NOT_HERE, "this statement cannot stand in a layer",
                   statement.node->kind == AST_DECL
                       ? "A tensor of a layer is a param or a buffer: param w: f32[n]"
                       : "A layer holds params, named values and functions.");
    return statement;
}

void build_drop_last(struct parser *p, struct ast *list) {
    uint32_t end = p->tokens.at[p->error - 1].end;
    if (list->nkids > 0 && list->kids[list->nkids - 1]->span.end == end)
        list->nkids--;
    build_statement(p, build_none());
}

/* --- expressions ----------------------------------------------------------------------------- */

struct sub build_binary(struct parser *p, struct span span, enum ast_op op, struct sub left,
                        struct sub right) {
    struct sub s = build(p, AST_BINARY, span, 2, left, right);
    s.node->op = op;
    return s;
}

/* A minus before a literal makes a negative literal; -(1) is the negation of 1. */
struct sub build_negation(struct parser *p, struct span span, struct sub operand) {
    struct ast *node = operand.node;
    bool plain = (node->flags & AST_PAREN) == 0;
    if (plain && node->kind == AST_INT && node->integer >= 0) {
        node->integer = -node->integer;
        node->span = span;
        return operand;
    }
    if (plain && node->kind == AST_FLOAT && !signbit(node->number)) {
        node->number = -node->number;
        node->span = span;
        return operand;
    }
    struct sub s = build(p, AST_UNARY, span, 1, operand);
    s.node->op = AOP_NEG;
    return s;
}

struct sub build_else(struct parser *p, struct span span, struct sub value) {
    const struct ast *node = value.node;
    bool drop = node->kind == AST_NAME && (node->flags & AST_PAREN) == 0 &&
                strcmp(name_text(p->names, node->name), "_") == 0;
    return build(p, AST_ELSE, span, 1, drop ? build_none() : value);
}

struct sub build_comprehension(struct parser *p, struct span span, struct sub element,
                               struct sub names, struct sub range, struct sub condition) {
    struct sub s = build(p, AST_COMPREHENSION, span, 3, element, range, condition);
    if (s.node->kind == AST_ERROR)
        return s;
    for (uint32_t i = 1; i < names.node->nkids; i++)
        ast_push(p->arena, s.node, names.node->kids[i]);
    return build_named(s, names.node->kids[0]->name);
}

struct sub build_spread(struct parser *p, struct span span, struct sub list) {
    if (list.node->kind == AST_NAME)
        return build_named(leaf(p, AST_SPREAD, span), list.node->name);
    return build(p, AST_SPREAD, span, 1, list);
}

/* --- statements ------------------------------------------------------------------------------ */

static bool is_target(const struct ast *node) {
    return node->kind == AST_NAME || node->kind == AST_INDEX || node->kind == AST_MEMBER ||
           node->kind == AST_ERROR;
}

/* UPDATE: it is written with a resolution, as by `+=`. */
static void check_target(struct parser *p, const struct ast *node, bool update) {
    if (!is_target(node))
        message_at(p, node->span, ERR_SYNTAX, "cannot assign to this expression",
                   node->kind == AST_TUPLE ? "Several names stand without parentheses: a, b = f(x)"
                   : !update && node->kind == AST_CALL && node->kids[0]->kind == AST_NAME
                       ? "A function is defined so: fn f(x: f32) -> f32 { x + 1 }"
                       : "A name, name[subscripts] or a member stands on the left.");
}

struct sub build_targets(struct parser *p, struct sub targets) {
    for (uint32_t i = 0; i < targets.node->nkids; i++)
        check_target(p, targets.node->kids[i], false);
    return targets;
}

struct sub build_update(struct parser *p, struct span span, struct sub target, uint32_t update,
                        struct sub value) {
    check_target(p, target.node, true);
    struct sub s = build(p, AST_UPDATE, span, 2, target, value);
    s.node->op = (int)p->tokens.at[update].integer;
    return s;
}

struct sub build_decl(struct parser *p, struct span span, uint32_t name, struct sub type,
                      int storage, struct sub fill, struct sub from) {
    struct sub s = build(p, AST_DECL, span, 3, type, fill, from);
    s.node->op = storage;
    return build_named(s, p->tokens.at[name].name);
}

struct sub build_layout(struct parser *p, struct span span, struct sub names, struct sub parts) {
    uint32_t n = names.node->nkids;
    for (uint32_t i = 0; i < parts.node->nkids; i++)
        ast_push(p->arena, names.node, parts.node->kids[i]);
    names.depth = names.depth > parts.depth ? names.depth : parts.depth;
    struct sub s = build_of_list(names, AST_LAYOUT, span);
    s.node->integer = n;
    return s;
}

struct sub build_laid(struct parser *p, struct sub declared, struct sub layout) {
    if (layout.node == NULL || declared.node->kind == AST_ERROR)
        return declared;
    return build_append(p, declared, layout);
}

struct sub build_step(struct parser *p, struct span span, struct sub over, uint32_t by,
                      struct sub gradients, struct sub with) {
    const struct token *t = &p->tokens.at[by];
    if (strcmp(name_text(p->names, t->name), "by") != 0)
        message_at(p, (struct span){p->source, t->start, t->end}, ERR_SYNTAX, "expected `by`",
                   "It is update P by GRADIENTS with OPTIMIZER.");
    return build(p, AST_STEP, span, 3, over, gradients, with);
}

struct sub build_state(struct parser *p, struct span span, int flags, uint32_t name,
                       struct sub type, struct sub init) {
    struct sub s = build(p, AST_STATE, span, 2, type, init);
    s.node->flags |= (uint32_t)flags;
    return build_named(s, p->tokens.at[name].name);
}

/* The index of the word TOKEN in NAMES, 0 (no word) if it is none. */
static int word_of(const struct parser *p, const char *const *names, int n, uint32_t token) {
    const struct token *t = &p->tokens.at[token];
    for (int i = 1; i < n; i++)
        if (strlen(names[i]) == t->end - t->start &&
            memcmp(names[i], p->text + t->start, t->end - t->start) == 0)
            return i;
    return 0;
}

int build_storage(struct parser *p, uint32_t token) {
    int storage = word_of(p, storage_names, STORE_COUNT, token);
    if (storage == 0)
        message_at(
            p, token_span(p, token), ERR_SYNTAX,
            arena_printf(p->scratch, "expected a storage, found name '%s'", token_text(p, token)),
            "The storages are register, stack, heap, reserve, shared, global.");
    return storage;
}

struct sub build_write(struct parser *p, struct span span, struct sub value, struct sub subset,
                       uint32_t resolution) {
    int op = word_of(p, resolution_names, RES_COUNT, resolution);
    struct sub by = op == RES_NONE ? build_name(p, resolution) : build_none();
    struct sub s = build(p, AST_WRITE, span, 3, value, subset, by);
    s.node->op = op;
    return s;
}

/* --- indices of maps and loops --------------------------------------------------------------- */

struct sub build_index(struct parser *p, struct span span, uint32_t name, struct sub range) {
    struct sub lo = build_none(), hi = range, step = build_none();
    if (range.node != NULL && range.node->kind == AST_RANGE) {
        lo = (struct sub){range.node->kids[0], range.depth - 1};
        hi = (struct sub){range.node->kids[1], range.depth - 1};
        step = (struct sub){range.node->kids[2], range.depth - 1};
    }
    struct sub s = build(p, AST_ITER, span, 4, lo, hi, step, build_none());
    return build_named(s, p->tokens.at[name].name);
}

struct sub build_pack(struct sub index) {
    index.node->flags |= AST_PACK;
    return index;
}

struct sub build_index_word(struct parser *p, struct span span, struct sub index, uint32_t word,
                            uint32_t argument) {
    struct ast *node = index.node;
    int schedule = word_of(p, schedule_names, SCHED_COUNT, word);
    struct span at = token_span(p, word);
    bool unique = schedule == 0 && argument == 0 && strcmp(token_text(p, word), "unique") == 0;
    if (schedule == 0 && !unique) {
        message_at(p, at, ERR_SYNTAX,
                   arena_printf(p->scratch, "expected a schedule or '{', found name '%s'",
                                token_text(p, word)),
                   "The schedules are seq, parallel, unroll, vector, grid, block, warp; `unique` "
                   "may follow the last index of a map.");
    } else if ((node->flags & AST_UNIQUE) != 0 || (schedule != 0 && node->op != 0)) {
        message_at(p, at, ERR_SYNTAX,
                   arena_printf(p->scratch, "'%s' is one word too many", token_text(p, word)),
                   "An index has one schedule.");
    } else if (unique) {
        node->flags |= AST_UNIQUE;
    } else {
        node->op = schedule;
    }
    if (schedule != 0 && argument != 0) {
        node->integer = p->tokens.at[argument].integer;
        if (node->integer == 0)
            message_at(p, token_span(p, argument), ERR_SYNTAX,
                       "the argument of a schedule is at least 1", NULL);
    }
    node->span = span;
    return index;
}

/* What only a map's indices have. */
static void check_for_index(struct parser *p, const struct ast *index, bool last) {
    const char *text = NULL;
    if (index->kind != AST_ITER)
        return;
    if ((index->op != 0 && index->op != SCHED_UNROLL) || (index->flags & AST_UNIQUE) != 0)
        text = "a `for` runs in order: it takes no schedule but unroll";
    else if ((index->flags & AST_PACK) != 0)
        text = "a `for` has no pack of indices";
    else if (last && index->kids[1] == NULL)
        text = "a `for` needs a range: for i in 0:n, or for x in list";
    else if (!last && index->kids[1] != NULL)
        text = "the names of a `for` stand before one `in`";
    if (text != NULL)
        message_at(p, index->span, ERR_SYNTAX, text, NULL);
}

struct sub build_loop(struct parser *p, enum ast_kind kind, struct span span, struct sub indices,
                      struct sub body) {
    struct sub s = build_with_list(p, kind, span, indices, 1, body);
    uint32_t n = indices.node->nkids;
    for (uint32_t i = 0; i < n; i++) {
        struct ast *index = indices.node->kids[i];
        if (kind == AST_FOR) {
            check_for_index(p, index, i + 1 == n);
        } else if ((index->flags & AST_UNIQUE) != 0) {
            if (i + 1 < n)
                message_at(p, index->span, ERR_SYNTAX,
                           "`unique` stands after the last index of a map", NULL);
            s.node->flags |= AST_UNIQUE;
            index->flags &= ~(uint32_t)AST_UNIQUE;
        }
    }
    return s;
}
