/* For tests of the parser and the printer: parsing and printing in one call, checks that a tree is
   laid out as ast.def says, and random trees of every kind. */
#ifndef TESTS_PARSE_TREES_H
#define TESTS_PARSE_TREES_H

#include "lang/parse/parse.h"
#include "lang/print/print.h"
#include "lang/scalar/print_number.h"
#include "lang/scalar/scalar.h"
#include "tests/harness/tap.h"

#include <inttypes.h>

/* --- one unit of work ------------------------------------------------------------------------ */

struct unit {
    struct arena *arena;
    struct names *names;
    struct sources *sources;
    struct diags diags;
};

__attribute__((unused)) static struct unit unit_new(void) {
    struct unit u = {.arena = arena_new()};
    u.names = names_new(u.arena);
    u.sources = sources_new(u.arena);
    diags_init(&u.diags, u.arena, u.sources);
    return u;
}

__attribute__((unused)) static void unit_free(struct unit *u) {
    arena_free(u->arena);
}

static struct ast *parse_bytes(struct unit *u, const char *text, size_t n) {
    diags_clear(&u->diags);
    return parse_source(u->arena, u->names, &u->diags, sources_add(u->sources, "t.dcl", text, n));
}

__attribute__((unused)) static struct ast *parse_text(struct unit *u, const char *text) {
    return parse_bytes(u, text, strlen(text));
}

__attribute__((unused)) static const char *printed(struct unit *u, const struct ast *node) {
    struct buf out = buf_new(u->arena);
    print_ast(u->names, node, &out);
    return out.at;
}

__attribute__((unused)) static const char *messages(struct unit *u) {
    struct buf out = buf_new(u->arena);
    diags_print(&u->diags, &out, false);
    return out.at;
}

/* Whether TEXT, read line by line, wants more after its last line. */
__attribute__((unused)) static bool wants_more(const char *text, size_t n) {
    struct arena *a = arena_new();
    struct buf open = buf_new(a);
    bool more = n > 0;
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t line = end ? (size_t)(end - text) + 1 - at : n - at;
        more = parse_wants_more(&open, text + at, line);
        at += line;
    }
    arena_free(a);
    return more;
}

/* A file of tests/parse. */
__attribute__((unused)) static const char *program(struct unit *u, const char *name) {
    const char *root = getenv("DCL_SRC"), *why = NULL;
    size_t n;
    char *path = arena_printf(u->arena, "%s/tests/parse/%s", root == NULL ? "." : root, name);
    char *text = source_read_file(u->arena, path, &n, &why);
    if (text == NULL)
        diag("%s: %s", path, why);
    return text == NULL ? "" : text;
}

/* --- the shape of a tree --------------------------------------------------------------------- */

static const char *const kids_of[AST_COUNT] = {
#define AST(kind, kids, doc) [AST_##kind] = kids,
#include "lang/ast/ast.def"
#undef AST
};

/* NULL, or why the kids of NODE (and below) are not as ast.def says. */
__attribute__((unused)) static const char *shape_error(const struct ast *node, uint32_t size,
                                                       uint32_t depth) {
    if (depth > 1000)
        return "deeper than the bound";
    if (node->kind >= AST_COUNT || node->kind == AST_ERROR)
        return "an ERROR node";
    if (node->span.start > node->span.end || node->span.end > size)
        return "a span outside the text";
    uint32_t i = 0;
    bool list = false;
    for (const char *at = kids_of[node->kind]; *at != '\0'; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        list = at[n - 1] == '*';
        if (list)
            break;
        if (i >= node->nkids)
            return ast_kind_name(node->kind);
        if (node->kids[i] == NULL && at[n - 1] != '?')
            return ast_kind_name(node->kind);
        i++;
        at += n;
    }
    if (!list && i != node->nkids)
        return ast_kind_name(node->kind);
    for (uint32_t k = 0; k < node->nkids; k++) {
        if (node->kids[k] == NULL) {
            if (k >= i)
                return ast_kind_name(node->kind);
            continue;
        }
        const char *error = shape_error(node->kids[k], size, depth + 1);
        if (error != NULL)
            return error;
    }
    return NULL;
}

/* Whether NODE, printed and parsed, is the same tree, and prints the same again; says why not. */
__attribute__((unused)) static bool round_trips(struct unit *u, const struct ast *node) {
    const char *text = printed(u, node);
    struct ast *again = parse_text(u, text);
    if (u->diags.errors > 0) {
        diag("printed text does not parse:\n%s\n%s", messages(u), text);
        return false;
    }
    const char *twice = printed(u, again);
    if (!ast_equal(node, again)) {
        diag("not equal after printing and parsing:\n%s\nagain:\n%s", text, twice);
        return false;
    }
    if (strcmp(text, twice) != 0)
        diag("prints differently:\n%s\nagain:\n%s", text, twice);
    return strcmp(text, twice) == 0;
}

/* --- random trees ---------------------------------------------------------------------------- */

struct grower {
    struct unit *u;
    uint64_t state;
    int budget; /* nodes that may still be made */
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t grower_next(struct grower *g) {
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(struct grower *g, uint32_t n) {
    return (uint32_t)(grower_next(g) % n);
}

static bool once_in(struct grower *g, uint32_t n) {
    return below(g, n) == 0;
}

static struct ast *grow_expression(struct grower *g);
static struct ast *grow_block(struct grower *g);
static struct ast *grow_params(struct grower *g);

static struct ast *sprout(struct grower *g, enum ast_kind kind, uint32_t n) {
    g->budget--;
    return ast_new(g->u->arena, kind, (struct span){0}, n);
}

/* Words of places are names elsewhere. */
static struct name grow_name(struct grower *g) {
    static const char *const names[] = {
        "a",   "b",   "i",   "n",     "x",     "y",
        "W",   "_",   "_x1", "seq",   "block", "unique",
        "max", "min", "sum", "prod",  "f32",   "stack",
        "e5",  "x_y", "T",   "float", "outer", "a_rather_long_name_for_an_index"};
    return name_of_text(g->u->names, names[below(g, sizeof names / sizeof *names)]);
}

static struct ast *sprout_named(struct grower *g, enum ast_kind kind, uint32_t n) {
    struct ast *node = sprout(g, kind, n);
    node->name = grow_name(g);
    return node;
}

static struct ast *push(struct grower *g, struct ast *node, struct ast *kid) {
    ast_push(g->u->arena, node, kid);
    return node;
}

static struct ast *maybe_expression(struct grower *g) {
    return once_in(g, 2) ? grow_expression(g) : NULL;
}

static struct name grow_string(struct grower *g) {
    char text[24];
    uint32_t n = below(g, sizeof text - 3);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t how = below(g, 8);
        text[i] = how == 0   ? (char)(1 + below(g, 255))
                  : how == 1 ? "\"\\\n\t#{("[below(g, 7)]
                             : (char)(32 + below(g, 95));
    }
    if (once_in(g, 4)) {
        memcpy(text + n, "\xc3\xa9\xe2", 3);
        n += 2 + below(g, 2);
    }
    return name_of(g->u->names, text, n);
}

/* *NAME or *LIST. */
static struct ast *grow_spread(struct grower *g) {
    struct ast *list = once_in(g, 3) ? grow_expression(g) : NULL;
    if (list == NULL || list->kind == AST_NAME)
        return sprout_named(g, AST_SPREAD, 0);
    return push(g, sprout(g, AST_SPREAD, 0), list);
}

static struct ast *grow_literal(struct grower *g) {
    struct ast *node;
    switch (below(g, 5)) {
    case 0:
        node = sprout(g, AST_FLOAT, 0);
        if (once_in(g, 2)) {
            uint64_t bits = grower_next(g);
            memcpy(&node->number, &bits, sizeof bits);
        } else {
            static const double values[] = {0, 1, 0.5, 1e-7, 3e22, (double)INFINITY, (double)NAN};
            node->number = values[below(g, 7)] * (once_in(g, 2) ? -1 : 1);
        }
        return node;
    case 1:
        node = sprout(g, AST_STR, 0);
        node->name = grow_string(g);
        return node;
    case 2:
        node = sprout(g, AST_BOOL, 0);
        node->integer = below(g, 2);
        return node;
    default:
        node = sprout(g, AST_INT, 0);
        node->integer = once_in(g, 8)   ? (int64_t)grower_next(g)
                        : once_in(g, 8) ? INT64_MIN
                        : once_in(g, 8) ? INT64_MAX
                                        : (int64_t)below(g, 20) - 5;
        return node;
    }
}

static struct ast *grow_range(struct grower *g, bool complete) {
    struct ast *node = sprout(g, AST_RANGE, 3);
    node->kids[0] = complete ? grow_expression(g) : maybe_expression(g);
    node->kids[1] = complete ? grow_expression(g) : maybe_expression(g);
    node->kids[2] = once_in(g, 3) ? grow_expression(g) : NULL;
    return node;
}

static void grow_subscripts(struct grower *g, struct ast *node) {
    for (uint32_t n = below(g, 4); n > 0; n--) {
        uint32_t how = below(g, 4);
        push(g, node,
             how == 0   ? grow_spread(g)
             : how == 1 ? grow_range(g, false)
                        : grow_expression(g));
    }
    if (once_in(g, 4)) {
        struct ast *outside = sprout(g, AST_ELSE, 1);
        outside->kids[0] = maybe_expression(g);
        push(g, node, outside);
    }
}

static struct ast *grow_index(struct grower *g, struct ast *object) {
    struct ast *node = push(g, sprout(g, AST_INDEX, 0), object);
    grow_subscripts(g, node);
    return node;
}

/* Keywords are members like any other name. */
static struct ast *grow_member(struct grower *g, struct ast *object) {
    struct ast *node = sprout_named(g, AST_MEMBER, 1);
    node->kids[0] = object;
    if (once_in(g, 4))
        node->name = name_of_text(g->u->names, once_in(g, 2) ? "with" : "layout");
    return node;
}

static struct ast *grow_call(struct grower *g) {
    struct ast *node = push(g, sprout(g, AST_CALL, 0), grow_expression(g));
    for (uint32_t n = below(g, 4); n > 0; n--) {
        struct ast *argument;
        if (once_in(g, 4)) {
            argument = sprout_named(g, AST_KEYWORD, 1);
            argument->kids[0] = grow_expression(g);
        } else {
            argument = once_in(g, 6) ? grow_spread(g) : grow_expression(g);
        }
        push(g, node, argument);
    }
    return node;
}

static struct ast *grow_if(struct grower *g) {
    struct ast *node = sprout(g, AST_IF, 3);
    node->kids[0] = grow_expression(g);
    node->kids[1] = grow_block(g);
    switch (below(g, 3)) {
    case 0: node->kids[2] = grow_block(g); break;
    case 1: node->kids[2] = grow_if(g); break;
    default: break;
    }
    return node;
}

static struct ast *grow_operation(struct grower *g) {
    int op = (int)below(g, AOP_COUNT);
    bool unary = op == AOP_NOT || op == AOP_NEG;
    struct ast *node = sprout(g, unary ? AST_UNARY : AST_BINARY, unary ? 1 : 2);
    node->op = op;
    node->kids[0] = grow_expression(g);
    if (!unary)
        node->kids[1] = grow_expression(g);
    return node;
}

static struct ast *grow_sequence(struct grower *g, enum ast_kind kind) {
    struct ast *node = sprout(g, kind, 0);
    for (uint32_t n = below(g, 4); n > 0; n--)
        push(g, node, kind == AST_LIST && once_in(g, 6) ? grow_spread(g) : grow_expression(g));
    return node;
}

static struct ast *grow_training(struct grower *g) {
    bool minimize = once_in(g, 2);
    struct ast *node =
        sprout(g, minimize ? AST_MINIMIZE : AST_GRADIENT, minimize ? 3 + 2 * below(g, 2) : 2);
    for (uint32_t i = 0; i < node->nkids; i++)
        node->kids[i] = i == 0 && once_in(g, 3) ? grow_block(g) : grow_expression(g);
    return node;
}

static struct ast *grow_expression(struct grower *g) {
    struct ast *node;
    if (g->budget <= 0)
        return once_in(g, 2) ? sprout_named(g, AST_NAME, 0) : grow_literal(g);
    switch (below(g, 17)) {
    case 0:
    case 1: return grow_literal(g);
    case 16: return grow_training(g);
    case 2:
    case 3: return sprout_named(g, AST_NAME, 0);
    case 4:
    case 5: return grow_index(g, grow_expression(g));
    case 6: return grow_member(g, grow_expression(g));
    case 7: return grow_call(g);
    case 8: return grow_sequence(g, AST_LIST);
    case 9: return grow_sequence(g, AST_TUPLE);
    case 10:
        node = sprout_named(g, AST_COMPREHENSION, 3);
        node->kids[0] = grow_expression(g);
        node->kids[1] = once_in(g, 2) ? grow_range(g, true) : grow_expression(g);
        node->kids[2] = once_in(g, 3) ? grow_expression(g) : NULL;
        while (once_in(g, 4))
            push(g, node, sprout_named(g, AST_NAME, 0));
        return node;
    case 11: return grow_if(g);
    case 12:
        node = sprout(g, AST_PIPE, 2);
        node->kids[0] = grow_expression(g);
        node->kids[1] = grow_expression(g);
        return node;
    default: return grow_operation(g);
    }
}

static struct ast *grow_type(struct grower *g) {
    struct ast *node = sprout_named(g, AST_TYPE, 0);
    if (once_in(g, 6))
        node->name = name_of_text(g->u->names, "nn.layers.Linear");
    node->flags = once_in(g, 8) ? AST_OPTIONAL : 0;
    if (once_in(g, 3))
        return node;
    node->flags |= AST_BRACKETS | (once_in(g, 8) ? (uint32_t)AST_LIST_OF : 0);
    for (uint32_t n = below(g, 4); n > 0; n--)
        push(g, node,
             once_in(g, 4)   ? grow_spread(g)
             : once_in(g, 6) ? sprout(g, AST_ANY, 0)
                             : grow_expression(g));
    return node;
}

/* NAME, a.b or one of them with subscripts: what << and >> take. */
static struct ast *grow_subset(struct grower *g) {
    struct ast *path = sprout_named(g, AST_NAME, 0);
    while (once_in(g, 5))
        path = grow_member(g, path);
    return once_in(g, 4) ? path : grow_index(g, path);
}

static struct ast *grow_target(struct grower *g) {
    switch (below(g, 4)) {
    case 0: return grow_member(g, grow_expression(g));
    case 1: return grow_index(g, grow_expression(g));
    default: return sprout_named(g, AST_NAME, 0);
    }
}

static struct ast *grow_iter(struct grower *g, bool map, bool ranged) {
    struct ast *node = sprout_named(g, AST_ITER, 4);
    if (ranged) {
        uint32_t how = below(g, 4);
        if (how > 1)
            node->kids[0] = grow_expression(g);
        node->kids[1] = how == 0 ? grow_spread(g) : grow_expression(g);
        node->kids[2] = how > 2 ? grow_expression(g) : NULL;
    }
    if (!map) {
        node->op = once_in(g, 4) ? SCHED_UNROLL : SCHED_NONE;
        node->integer = node->op != SCHED_NONE && once_in(g, 2) ? 1 + below(g, 99) : 0;
        return node;
    }
    node->flags = once_in(g, 4) ? AST_PACK : 0;
    node->op = once_in(g, 2) ? (int)below(g, SCHED_COUNT) : SCHED_NONE;
    node->integer = node->op != SCHED_NONE && once_in(g, 2) ? 1 + below(g, 99) : 0;
    return node;
}

static struct ast *grow_loop(struct grower *g, bool map) {
    struct ast *node = push(g, sprout(g, map ? AST_MAP : AST_FOR, 0), grow_block(g));
    for (uint32_t n = below(g, 3); n > 0; n--)
        push(g, node, grow_iter(g, map, map && once_in(g, 2)));
    push(g, node, grow_iter(g, map, !map || once_in(g, 2)));
    node->flags = map && once_in(g, 6) ? AST_UNIQUE : 0;
    return node;
}

static struct ast *grow_assign(struct grower *g) {
    struct ast *node = push(g, sprout(g, AST_ASSIGN, 0), grow_expression(g));
    do
        push(g, node, grow_target(g));
    while (once_in(g, 4));
    return node;
}

/* Gives what NODE declares a layout, sometimes. */
static void grow_layout(struct grower *g, struct ast *node) {
    if (!once_in(g, 4))
        return;
    struct ast *layout = sprout(g, AST_LAYOUT, 0);
    layout->integer = 1 + below(g, 3);
    for (int64_t i = 0; i < layout->integer; i++)
        push(g, layout, sprout_named(g, AST_NAME, 0));
    for (uint32_t n = 1 + below(g, 3); n > 0; n--)
        push(g, layout, grow_expression(g));
    push(g, node, layout);
}

static struct ast *grow_decl(struct grower *g) {
    struct ast *node = sprout_named(g, AST_DECL, 3);
    node->kids[0] = grow_type(g);
    node->op = (int)below(g, STORE_COUNT);
    uint32_t how = below(g, 3);
    node->kids[1] = how == 1 ? grow_expression(g) : NULL;
    node->kids[2] = how == 2 ? grow_subset(g) : NULL;
    grow_layout(g, node);
    return node;
}

static struct ast *grow_any_statement(struct grower *g) {
    struct ast *node;
    switch (below(g, 12)) {
    case 0:
    case 1: return grow_assign(g);
    case 2:
        node = sprout(g, AST_UPDATE, 2);
        node->op = (int)(1 + below(g, RES_COUNT - 1));
        node->kids[0] = grow_target(g);
        node->kids[1] = grow_expression(g);
        return node;
    case 3:
    case 4: return grow_decl(g);
    case 5:
        node = sprout_named(g, AST_READ, 1);
        node->kids[0] = grow_subset(g);
        return node;
    case 6:
        node = sprout(g, AST_WRITE, 3);
        node->op = (int)below(g, RES_COUNT);
        node->kids[0] = grow_expression(g);
        node->kids[1] = grow_subset(g);
        if (!node->op && once_in(g, 2)) { /* a function that resolves: no word */
            node->kids[2] = sprout_named(g, AST_NAME, 0);
            node->kids[2]->name = name_of_text(g->u->names, "resolver");
        }
        return node;
    case 7: return grow_loop(g, true);
    case 8: return grow_loop(g, false);
    case 9:
        node = sprout(g, AST_WHILE, 2);
        node->kids[0] = grow_expression(g);
        node->kids[1] = grow_block(g);
        return node;
    case 10:
        if (once_in(g, 3)) {
            node = sprout(g, AST_STEP, 3);
            for (uint32_t i = 0; i < 3; i++)
                node->kids[i] = grow_expression(g);
            return node;
        }
        if (once_in(g, 3)) {
            node = sprout(g, AST_COMPILE, 2);
            node->kids[0] = sprout_named(g, AST_NAME, 0);
            node->kids[1] = grow_params(g);
            return node;
        }
        node = sprout(g, AST_RETURN, 1);
        node->kids[0] = maybe_expression(g);
        return node;
    default: return grow_expression(g);
    }
}

static struct ast *grow_block(struct grower *g) {
    struct ast *node = sprout(g, AST_BLOCK, 0);
    for (uint32_t n = g->budget <= 0 ? below(g, 2) : below(g, 4); n > 0; n--)
        push(g, node, g->budget <= 0 ? grow_expression(g) : grow_any_statement(g));
    return node;
}

static struct ast *grow_params(struct grower *g) {
    struct ast *node = sprout(g, AST_PARAMS, 0);
    uint32_t flags = 0;
    for (uint32_t n = below(g, 5); n > 0; n--) {
        struct ast *param = sprout_named(g, AST_PARAM, 2);
        if (once_in(g, 4))
            flags = AST_STATIC;
        param->flags = flags | (once_in(g, 4) ? (uint32_t)AST_INOUT : 0);
        param->kids[0] = once_in(g, 4) ? NULL : grow_type(g);
        param->kids[1] = once_in(g, 4) ? grow_expression(g) : NULL;
        if (param->kids[0])
            grow_layout(g, param);
        push(g, node, param);
    }
    return node;
}

static struct ast *grow_results(struct grower *g) {
    struct ast *node = sprout(g, AST_RESULTS, 0);
    for (uint32_t n = below(g, 4); n > 0; n--) {
        struct ast *result = sprout(g, AST_RESULT, 1);
        if (once_in(g, 2))
            result->name = grow_name(g);
        result->kids[0] = grow_type(g);
        grow_layout(g, result);
        push(g, node, result);
    }
    return node;
}

static struct ast *grow_where(struct grower *g) {
    struct ast *node = sprout(g, AST_WHERE, 0);
    for (uint32_t n = below(g, 3); n > 0; n--) {
        if (once_in(g, 2)) {
            push(g, node, grow_expression(g));
            continue;
        }
        struct ast *constraint = sprout_named(g, AST_CONSTRAINT, 1);
        constraint->kids[0] = sprout_named(g, AST_NAME, 0);
        push(g, node, constraint);
    }
    return node;
}

static const char *grow_doc(struct grower *g) {
    static const char *const docs[] = {NULL,
                                       NULL,
                                       "",
                                       "One line.",
                                       "Two\n  lines, one set in.",
                                       "An empty\n\none.",
                                       "# with marks ##",
                                       " with blanks"};
    return docs[below(g, sizeof docs / sizeof *docs)];
}

static struct ast *grow_fn(struct grower *g) {
    struct ast *node = sprout_named(g, AST_FN, 4);
    node->kids[0] = grow_params(g);
    node->kids[1] = grow_results(g);
    node->kids[2] = grow_where(g);
    node->kids[3] = grow_block(g);
    node->doc = grow_doc(g);
    return node;
}

static struct ast *grow_layer(struct grower *g) {
    struct ast *node = sprout_named(g, AST_LAYER, 3), *body = sprout(g, AST_BLOCK, 0);
    node->kids[0] = grow_params(g);
    node->kids[1] = grow_where(g);
    node->kids[2] = body;
    node->doc = grow_doc(g);
    for (uint32_t n = below(g, 5); n > 0; n--) {
        if (once_in(g, 3)) {
            push(g, body, grow_fn(g));
        } else if (once_in(g, 2)) {
            push(g, body, grow_assign(g));
        } else {
            struct ast *state = sprout_named(g, AST_STATE, 2);
            state->kids[0] = grow_type(g);
            state->kids[1] = maybe_expression(g);
            state->flags = state->kids[1] != NULL && once_in(g, 2) ? AST_TILDE : 0;
            state->flags |= once_in(g, 3) ? AST_BUFFER : 0;
            grow_layout(g, state);
            push(g, body, state);
        }
    }
    return node;
}

static struct ast *grow_rewrite(struct grower *g) {
    struct ast *node = sprout(g, AST_REWRITE, 1);
    node->name = ast_rewrite_name(g->u->arena, g->u->names, grow_name(g));
    node->doc = grow_doc(g);
    node->kids[0] = sprout(g, AST_BLOCK, 0);
    for (uint32_t n = below(g, 4); n > 0; n--) {
        struct ast *rule =
            push(g, node->kids[0], sprout(g, AST_RULE, 3))->kids[node->kids[0]->nkids - 1];
        rule->kids[0] = grow_expression(g);
        rule->kids[1] = grow_expression(g);
        rule->kids[2] = maybe_expression(g);
        while (once_in(g, 3)) {
            struct ast *let = sprout_named(g, AST_KEYWORD, 1);
            let->kids[0] = grow_expression(g);
            push(g, rule, let);
        }
    }
    return node;
}

/* A file of about BUDGET nodes. */
__attribute__((unused)) static struct ast *grow_file(struct unit *u, uint64_t seed, int budget) {
    struct grower g = {.u = u, .state = seed};
    struct ast *file = sprout(&g, AST_FILE, 0);
    for (int used = 0; used < budget;) {
        g.budget = 5 + (int)below(&g, 60);
        int before = g.budget;
        uint32_t how = below(&g, 8);
        if (how == 0) {
            struct ast *use = sprout_named(&g, AST_USE, 0);
            use->flags = once_in(&g, 2) ? AST_PATH : 0;
            push(&g, file, use);
        } else {
            push(&g, file,
                 how == 1   ? grow_fn(&g)
                 : how == 2 ? grow_layer(&g)
                 : how == 3 ? grow_rewrite(&g)
                            : grow_any_statement(&g));
        }
        used += before - g.budget;
    }
    return file;
}

#endif
