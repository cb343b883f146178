/* Files, definitions and statements.
   A block stands on its line when it holds at most one statement, which holds no block itself, and
   the line fits; what belongs to one if-chain is laid out alike. Blocks inside expressions always
   stand on one line. Where there is a text that the tree was parsed from, it says what stands on
   one line. */
#include "lang/print/printer.h"

#include "lang/scalar/scalar.h"

#include <stdio.h>
#include <string.h>

static void print_block(struct printer *p, const struct ast *block);

/* --- which blocks stand on one line ---------------------------------------------------------- */

/* The if that ends statement NODE, like the value of an assignment; or NULL. */
static const struct ast *if_of(const struct ast *node) {
    const struct ast *value = NULL;
    switch (node->kind) {
    case AST_IF: return node;
    case AST_ASSIGN:
    case AST_RETURN: value = node->kids[0]; break;
    case AST_UPDATE:
    case AST_DECL: value = node->kids[1]; break;
    default: break;
    }
    return value != NULL && value->kind == AST_IF ? value : NULL;
}

static bool holds_block(const struct ast *node) {
    switch (node->kind) {
    case AST_MAP:
    case AST_FOR:
    case AST_WHILE:
    case AST_FN:
    case AST_LAYER:
    case AST_REWRITE:
    case AST_BLOCK: return true;
    default: return if_of(node) != NULL;
    }
}

static bool is_small(const struct ast *block) {
    return block->nkids == 0 || (block->nkids == 1 && !holds_block(block->kids[0]));
}

static bool is_small_if(const struct ast *node) {
    for (; node != NULL && node->kind == AST_IF; node = node->kids[2])
        if (!is_small(node->kids[1]))
            return false;
    return node == NULL || is_small(node);
}

static bool is_small_statement(const struct ast *node) {
    switch (node->kind) {
    case AST_MAP:
    case AST_FOR: return is_small(node->kids[0]);
    case AST_WHILE: return is_small(node->kids[1]);
    default: return is_small_if(if_of(node));
    }
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void print_inline_rest(struct printer *p, const struct ast *block) {
    p->depth++;
    for (uint32_t i = 0; i < block->nkids; i++) {
        put_comma(p, i > 0 ? ";  " : " ");
        print_statement(p, block->kids[i]);
    }
    p->depth--;
    put_text(p, block->nkids > 0 ? " }" : "}");
}

/* NODE on the line of the statement BEFORE, if it stood there and fits. */
static bool print_beside(struct printer *p, const struct ast *before, const struct ast *node) {
    if (!was_beside(p, before, node) || ast_is_definition(before) || ast_is_definition(node))
        return false;
    if ((holds_block(node) && !was_one_line(p, node)) || has_comments(p, node->span.end))
        return false;
    size_t n = p->out->n;
    end_line(p);
    if (p->out->n != n) /* it takes several lines */
        return false;
    buf_text(p->out, ";  ");
    if (put_if_fits(p, print_statement, node))
        return true;
    p->out->n = n;
    p->out->at[n] = '\0';
    return false;
}

/* The statements of LIST, a file or what stands between the braces of a block; END is where it
   ended in the text. */
static void print_lines(struct printer *p, const struct ast *list, uint32_t end) {
    bool closed = false; /* by a comment */
    for (uint32_t i = 0; i < list->nkids; i++) {
        const struct ast *node = list->kids[i], *before = i > 0 ? list->kids[i - 1] : NULL;
        bool member = list->kind == AST_BLOCK;
        bool apart = before && (ast_is_definition(before) || ast_is_definition(node));
        if (before && !closed && print_beside(p, before, node)) {
            closed = comments_behind(p, node->span.end);
            continue;
        }
        if (p->written) {
            comments_before(p, node, i == 0, apart && !member);
        } else if (i > 0 || member) {
            if (apart) {
                end_line(p);
                buf_text(p->out, "\n");
                p->line = p->out->n;
            }
            put_line(p);
        }
        print_statement(p, node);
        closed = comments_behind(p, node->span.end);
    }
    comments_left(p, end, list->nkids == 0);
}

/* What follows the opening brace. */
static void print_rest(struct printer *p, const struct ast *block) {
    if (p->flat || (block->nkids == 0 && !has_comments(p, block->span.end))) {
        print_inline_rest(p, block);
        return;
    }
    end_line(p);
    int depth = p->depth;
    p->depth = 0;
    p->indent += PRINT_INDENT;
    comments_behind(p, block->span.start + 1);
    print_lines(p, block, block->span.end);
    end_line(p);
    p->indent -= PRINT_INDENT;
    p->depth = depth;
    put_line(p);
    put_text(p, "}");
}

static void print_block(struct printer *p, const struct ast *block) {
    put_text(p, "{");
    print_rest(p, block);
}

static void print_if(struct printer *p, const struct ast *node) {
    put_text(p, "if ");
    print_expression(p, node->kids[0]);
    put_text(p, " ");
    print_block(p, node->kids[1]);
    const struct ast *rest = node->kids[2];
    if (rest == NULL)
        return;
    put_text(p, " else ");
    if (rest->kind == AST_IF)
        print_if(p, rest);
    else
        print_block(p, rest);
}

/* An if or block within an expression. One that stood on a line stays whole, if a line can hold it;
   without a text it stands on one line, which may be broken. */
static void print_inner(struct printer *p, const struct ast *node,
                        void (*print)(struct printer *p, const struct ast *node)) {
    struct printer before = *p;
    size_t n = p->out->n;
    if (!p->flat && p->written && !was_one_line(p, node)) {
        print(p, node);
        return;
    }
    p->flat = true;
    p->solid = p->written != NULL;
    print(p, node);
    p->flat = before.flat;
    p->solid = before.solid;
    if (before.flat || !p->written || p->out->n - n <= print_room(p))
        return;
    p->out->n = n;
    p->out->at[n] = '\0';
    *p = before;
    print(p, node);
}

void print_inner_if(struct printer *p, const struct ast *node) {
    print_inner(p, node, print_if);
}

void print_inner_block(struct printer *p, const struct ast *block) {
    print_inner(p, block, print_block);
}

/* The value of a statement: an if may take several lines. */
static void print_value(struct printer *p, const struct ast *value) {
    if (value->kind == AST_IF)
        print_if(p, value);
    else
        print_last_expression(p, value);
}

/* --- simple statements ----------------------------------------------------------------------- */

static void print_assign(struct printer *p, const struct ast *node) {
    print_list(p, node, 1);
    put_text(p, " = ");
    put_place(p, PLACE_VALUE);
    print_value(p, node->kids[0]);
}

static void print_update(struct printer *p, const struct ast *node) {
    print_expression(p, node->kids[0]);
    put_text(p, " ");
    put_text(p, node->op == RES_SUM ? "+" : resolution_names[node->op]);
    put_text(p, "= ");
    put_place(p, PLACE_VALUE);
    print_value(p, node->kids[1]);
}

static void print_decl(struct printer *p, const struct ast *node) {
    put_name(p, node->name);
    put_text(p, ": ");
    print_type(p, node->kids[0]);
    print_layout(p, node);
    if (node->op != STORE_NONE) {
        put_text(p, " in ");
        put_text(p, storage_names[node->op]);
    }
    if (node->kids[1] != NULL) {
        put_text(p, " = ");
        put_place(p, PLACE_VALUE);
        print_value(p, node->kids[1]);
    } else if (node->kids[2] != NULL) {
        put_text(p, " << ");
        put_place(p, PLACE_VALUE);
        print_expression(p, node->kids[2]);
    }
}

static void print_write(struct printer *p, const struct ast *node) {
    print_expression(p, node->kids[0]);
    put_text(p, " >> ");
    put_place(p, PLACE_VALUE);
    print_expression(p, node->kids[1]);
    if (node->op != RES_NONE) {
        put_text(p, " (");
        put_text(p, resolution_names[node->op]);
        put_text(p, ")");
    } else if (node->kids[2] != NULL) {
        put_text(p, " (");
        put_name(p, node->kids[2]->name);
        put_text(p, ")");
    }
}

static void print_state(struct printer *p, const struct ast *node) {
    put_text(p, (node->flags & AST_BUFFER) != 0 ? "buffer " : "param ");
    put_name(p, node->name);
    put_text(p, ": ");
    print_type(p, node->kids[0]);
    print_layout(p, node);
    if (node->kids[1] != NULL) {
        put_text(p, (node->flags & AST_TILDE) != 0 ? " ~ " : " = ");
        print_expression(p, node->kids[1]);
    }
}

static void print_use(struct printer *p, const struct ast *node) {
    put_text(p, "use ");
    if ((node->flags & AST_PATH) != 0)
        print_string(p, name_text(p->names, node->name));
    else
        put_name(p, node->name);
}

static void print_compile(struct printer *p, const struct ast *node) {
    put_text(p, "compile ");
    print_expression(p, node->kids[0]);
    put_open(p, "(");
    print_expression(p, node->kids[1]);
    put_close(p, ")");
}

/* --- loops ----------------------------------------------------------------------------------- */

static void print_index(struct printer *p, const struct ast *node) {
    if ((node->flags & AST_PACK) != 0)
        put_text(p, "*");
    put_name(p, node->name);
    if (node->kids[1] != NULL) {
        put_text(p, " in ");
        if (node->kids[0] != NULL)
            print_range(p, node->kids[0], node->kids[1], node->kids[2]);
        else
            print_expression(p, node->kids[1]);
    }
    if (node->op != SCHED_NONE) {
        put_text(p, " ");
        put_text(p, schedule_names[node->op]);
        if (node->integer != 0) {
            char text[32];
            snprintf(text, sizeof text, "(%lld)", (long long)node->integer);
            put_text(p, text);
        }
    }
}

static void print_loop(struct printer *p, const struct ast *node) {
    put_text(p, node->kind == AST_MAP ? "map " : "for ");
    for (uint32_t i = 1; i < node->nkids; i++) {
        if (i > 1)
            put_comma(p, ", ");
        comments_within(p, node->kids[i], false);
        print_index(p, node->kids[i]);
    }
    if ((node->flags & AST_UNIQUE) != 0)
        put_text(p, " unique");
    put_text(p, " ");
    print_block(p, node->kids[0]);
}

static void print_while(struct printer *p, const struct ast *node) {
    put_text(p, "while ");
    print_expression(p, node->kids[0]);
    put_text(p, " ");
    print_block(p, node->kids[1]);
}

/* --- definitions ----------------------------------------------------------------------------- */

static void print_doc(struct printer *p, const char *doc) {
    if (doc == NULL || p->written)
        return;
    for (const char *at = doc;;) {
        size_t n = strcspn(at, "\n");
        buf_text(p->out, n == 0 ? "##" : "## ");
        buf_bytes(p->out, at, n);
        put_line(p);
        if (at[n] == '\0')
            return;
        at += n + 1;
    }
}

void print_signature(struct printer *p, const struct ast *node) {
    bool fn = node->kind == AST_FN;
    const struct ast *params = node->kids[0], *where = node->kids[fn ? 2 : 1];
    if (!fn || !ast_grad_of(p->names, node->name)) /* whose name says it */
        put_text(p, fn ? "fn " : "layer ");
    put_name(p, node->name);
    if (fn || params->nkids > 0) {
        put_open(p, "(");
        print_expression(p, params);
        put_close(p, ")");
    }
    if (fn && node->kids[1]->nkids > 0) {
        const struct ast *results = node->kids[1];
        put_text(p, " ");
        put_place(p, PLACE_PART);
        put_text(p, "-> ");
        if (results->nkids > 1)
            put_open(p, "(");
        print_list(p, results, 0);
        if (results->nkids > 1)
            put_close(p, ")");
    }
    if (where->nkids > 0) {
        put_text(p, " ");
        put_place(p, PLACE_PART);
        put_text(p, "where ");
        print_list(p, where, 0);
    }
}

static void print_definition(struct printer *p, const struct ast *node) {
    const struct ast *body = node->kids[node->kind == AST_FN ? 3 : 2];
    print_doc(p, node->doc);
    print_signature(p, node);
    put_text(p, " {");
    end_line(p);
    if (!was_one_line(p, body) || has_comments(p, body->span.end) ||
        !put_if_fits(p, print_inline_rest, body))
        print_rest(p, body);
}

static void print_rewrite(struct printer *p, const struct ast *node) {
    print_doc(p, node->doc);
    put_name(p, node->name);
    put_text(p, " ");
    print_block(p, node->kids[0]);
}

static void print_rule(struct printer *p, const struct ast *node) {
    print_expression(p, node->kids[0]);
    put_text(p, " => ");
    put_place(p, PLACE_VALUE);
    print_expression(p, node->kids[1]);
    for (uint32_t i = 3; i < node->nkids; i++) {
        put_text(p, i == 3 ? " " : ", ");
        if (i == 3) {
            put_place(p, PLACE_PART);
            put_text(p, "where ");
        }
        print_expression(p, node->kids[i]);
    }
    if (node->kids[2] == NULL)
        return;
    put_text(p, " ");
    put_place(p, PLACE_PART);
    put_text(p, "when ");
    print_expression(p, node->kids[2]);
}

static void print_file(struct printer *p, const struct ast *file) {
    print_lines(p, file, file->span.end);
    end_line(p);
    if (p->out->n > p->line)
        buf_text(p->out, "\n");
}

/* --- all of them ----------------------------------------------------------------------------- */

static void print_as_is(struct printer *p, const struct ast *node) {
    switch (node->kind) {
    case AST_FILE: print_file(p, node); break;
    case AST_FN:
    case AST_LAYER: print_definition(p, node); break;
    case AST_REWRITE: print_rewrite(p, node); break;
    case AST_RULE: print_rule(p, node); break;
    case AST_STATE: print_state(p, node); break;
    case AST_USE: print_use(p, node); break;
    case AST_BLOCK: print_block(p, node); break;
    case AST_DECL: print_decl(p, node); break;
    case AST_ASSIGN: print_assign(p, node); break;
    case AST_UPDATE: print_update(p, node); break;
    case AST_READ:
        put_name(p, node->name);
        put_text(p, " << ");
        put_place(p, PLACE_VALUE);
        print_expression(p, node->kids[0]);
        break;
    case AST_WRITE: print_write(p, node); break;
    case AST_MAP:
    case AST_FOR: print_loop(p, node); break;
    case AST_WHILE: print_while(p, node); break;
    case AST_IF: print_if(p, node); break;
    case AST_STEP:
        put_text(p, "update ");
        print_expression(p, node->kids[0]);
        put_text(p, " by ");
        print_expression(p, node->kids[1]);
        put_text(p, " with ");
        print_expression(p, node->kids[2]);
        break;
    case AST_COMPILE: print_compile(p, node); break;
    case AST_RETURN:
        put_text(p, node->kids[0] != NULL ? "return " : "return");
        if (node->kids[0] != NULL)
            print_value(p, node->kids[0]);
        break;
    case AST_ITER: print_index(p, node); break;
    case AST_ERROR: put_text(p, "<error>"); break;
    default: print_last_expression(p, node);
    }
}

/* Whether a statement with blocks stands on one line, if it fits. */
static bool wants_one_line(const struct printer *p, const struct ast *node) {
    if (p->written)
        return was_one_line(p, node) && !has_comments(p, node->span.end);
    return is_small_statement(node) && !ast_is_definition(node);
}

void print_statement(struct printer *p, const struct ast *node) {
    if (p->over)
        return;
    if (!p->flat && holds_block(node) && wants_one_line(p, node) &&
        put_if_fits(p, print_as_is, node))
        return;
    print_as_is(p, node);
}
