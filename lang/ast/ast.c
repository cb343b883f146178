/* Making, copying and comparing syntax nodes.
   After: every node's `kids` has room for the next power of two of its `nkids`; ast_push relies on
   that, so a node whose list is set by hand must not be pushed to.
   The walks here are recursive: a parsed tree is at most PARSE_MAX_DEPTH deep (parser.h). */
#include "lang/ast/ast.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *doc;
} kinds[AST_COUNT] = {
#define AST(kind, kids, doc) [AST_##kind] = {#kind, doc},
#include "lang/ast/ast.def"
#undef AST
};

const char *ast_kind_name(enum ast_kind kind) {
    return kinds[kind].name;
}

const char *ast_kind_doc(enum ast_kind kind) {
    return kinds[kind].doc;
}

/* Room for N kids: the next power of two, so that appending N kids copies O(N) pointers. */
static uint32_t room_for(uint32_t n) {
    uint32_t room = 1;
    while (room < n)
        room *= 2;
    return n == 0 ? 0 : room;
}

struct ast *ast_new(struct arena *a, enum ast_kind kind, struct span span, uint32_t nkids) {
    struct ast *node = ARENA_NEW(a, struct ast);
    node->kind = kind;
    node->span = span;
    node->nkids = nkids;
    node->kids = nkids == 0 ? NULL : ARENA_ARRAY(a, struct ast *, room_for(nkids));
    return node;
}

void ast_push(struct arena *a, struct ast *node, struct ast *kid) {
    uint32_t room = room_for(node->nkids);
    if (node->nkids == room) {
        struct ast **kids = ARENA_ARRAY(a, struct ast *, room_for(node->nkids + 1));
        if (node->nkids != 0)
            memcpy(kids, node->kids, sizeof *kids * node->nkids);
        node->kids = kids;
    }
    node->kids[node->nkids++] = kid;
}

struct ast *ast_clone(struct arena *a, const struct ast *node) {
    if (node == NULL)
        return NULL;
    struct ast *copy = ast_new(a, node->kind, node->span, node->nkids);
    struct ast **kids = copy->kids;
    *copy = *node;
    copy->kids = kids;
    if (node->doc != NULL)
        copy->doc = arena_strndup(a, node->doc, strlen(node->doc));
    for (uint32_t i = 0; i < node->nkids; i++)
        copy->kids[i] = ast_clone(a, node->kids[i]);
    return copy;
}

bool ast_holds(const struct ast *node, enum ast_kind kind) {
    bool holds = node && node->kind == kind;
    for (uint32_t i = 0; node && !holds && i < node->nkids; i++)
        holds = ast_holds(node->kids[i], kind);
    return holds;
}

bool ast_may_miss(const struct ast *param) {
    return param->kids[1] || (param->kids[0] && (param->kids[0]->flags & AST_OPTIONAL));
}

bool ast_is_definition(const struct ast *item) {
    return item->kind == AST_FN || item->kind == AST_LAYER || item->kind == AST_REWRITE;
}

struct ast *ast_layout(const struct ast *node) {
    uint32_t k = node->kind == AST_DECL ? 3 : node->kind == AST_RESULT ? 1 : 2;
    return node->nkids > k ? node->kids[k] : NULL;
}

static const char grad_prefix[] = "grad ";

struct name ast_grad_name(struct arena *a, struct names *names, struct name f) {
    return name_of_text(names, arena_printf(a, "%s%s", grad_prefix, name_text(names, f)));
}

const char *ast_grad_of(const struct names *names, struct name definition) {
    const char *text = name_text(names, definition);
    size_t n = strlen(grad_prefix);
    return strncmp(text, grad_prefix, n) == 0 ? text + n : NULL;
}

struct name ast_rewrite_name(struct arena *a, struct names *names, struct name r) {
    return name_of_text(names, arena_printf(a, "rewrite %s", name_text(names, r)));
}

bool ast_is_spelled(const struct names *names, struct name definition) {
    return strchr(name_text(names, definition), ' ') == NULL;
}

/* Equal as literals: -0 differs from 0, a NaN equals every NaN. */
static bool same_number(double x, double y) {
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    return x == y && signbit(x) == signbit(y);
}

static bool same_text(const char *x, const char *y) {
    return x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
}

bool ast_equal(const struct ast *x, const struct ast *y) {
    if (x == NULL || y == NULL)
        return x == y;
    if (x->kind != y->kind || ((x->flags ^ y->flags) & ~(uint32_t)AST_PAREN) != 0)
        return false;
    if (!name_eq(x->name, y->name) || x->op != y->op || x->nkids != y->nkids)
        return false;
    if (x->integer != y->integer || x->integer2 != y->integer2)
        return false;
    if (!same_number(x->number, y->number) || !same_text(x->doc, y->doc))
        return false;
    for (uint32_t i = 0; i < x->nkids; i++)
        if (!ast_equal(x->kids[i], y->kids[i]))
            return false;
    return true;
}
