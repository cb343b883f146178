/* Files, definitions and statements.
   A block stands on its line when it holds at most one statement, which holds no block itself, and
   the line fits; what belongs to one if-chain is laid out alike. Blocks inside expressions always
   stand on one line. */
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

static void print_flat_block(struct printer *p, const struct ast *block) {
    if (block->nkids == 0) {
        put_text(p, "{}");
        return;
    }
    put_text(p, "{ ");
    for (uint32_t i = 0; i < block->nkids; i++) {
        if (i > 0)
            put_text(p, "; ");
        print_statement(p, block->kids[i]);
    }
    put_text(p, " }");
}

static void print_block(struct printer *p, const struct ast *block) {
    if (p->flat || block->nkids == 0) {
        print_flat_block(p, block);
        return;
    }
    put_text(p, "{");
    p->indent += PRINT_INDENT;
    for (uint32_t i = 0; i < block->nkids; i++) {
        if (i > 0 && (block->kids[i - 1]->kind == AST_FN || block->kids[i]->kind == AST_FN))
            buf_text(p->out, "\n");
        put_line(p, 0);
        print_statement(p, block->kids[i]);
    }
    p->indent -= PRINT_INDENT;
    put_line(p, 0);
    put_text(p, "}");
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

void print_flat_if(struct printer *p, const struct ast *node) {
    bool flat = p->flat;
    p->flat = true;
    print_if(p, node);
    p->flat = flat;
}

void print_inner_block(struct printer *p, const struct ast *block) {
    print_flat_block(p, block);
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
    print_value(p, node->kids[0]);
}

static void print_update(struct printer *p, const struct ast *node) {
    print_expression(p, node->kids[0]);
    put_text(p, " ");
    put_text(p, node->op == RES_SUM ? "+" : resolution_names[node->op]);
    put_text(p, "= ");
    print_value(p, node->kids[1]);
}

static void print_decl(struct printer *p, const struct ast *node) {
    put_name(p, node->name);
    put_text(p, ": ");
    print_type(p, node->kids[0]);
    if (node->op != STORE_NONE) {
        put_text(p, " in ");
        put_text(p, storage_names[node->op]);
    }
    if (node->kids[1] != NULL) {
        put_text(p, " = ");
        print_value(p, node->kids[1]);
    } else if (node->kids[2] != NULL) {
        put_text(p, " << ");
        print_expression(p, node->kids[2]);
    }
}

static void print_write(struct printer *p, const struct ast *node) {
    print_expression(p, node->kids[0]);
    put_text(p, " >> ");
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
            put_comma(p);
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
    if (doc == NULL)
        return;
    for (const char *at = doc;;) {
        size_t n = strcspn(at, "\n");
        buf_text(p->out, n == 0 ? "##" : "## ");
        buf_bytes(p->out, at, n);
        put_line(p, 0);
        if (at[n] == '\0')
            return;
        at += n + 1;
    }
}

/* `fn NAME(..) -> .. where ..`; the parts of a long one begin lines. */
static void print_signature(struct printer *p, const struct ast *node) {
    bool fn = node->kind == AST_FN;
    const struct ast *params = node->kids[0], *where = node->kids[fn ? 2 : 1];
    if (!fn || !ast_grad_of(p->names, node->name)) /* whose name says it */
        put_text(p, fn ? "fn " : "layer ");
    put_name(p, node->name);
    if (fn || params->nkids > 0) {
        put_text(p, "(");
        print_expression(p, params);
        put_text(p, ")");
    }
    if (fn && node->kids[1]->nkids > 0) {
        const struct ast *results = node->kids[1];
        if (p->measuring)
            put_text(p, " ");
        else
            put_line(p, 2 * PRINT_INDENT);
        put_text(p, results->nkids > 1 ? "-> (" : "-> ");
        print_list(p, results, 0);
        put_text(p, results->nkids > 1 ? ")" : "");
    }
    if (where->nkids > 0) {
        if (p->measuring)
            put_text(p, " ");
        else
            put_line(p, 2 * PRINT_INDENT);
        put_text(p, "where ");
        print_list(p, where, 0);
    }
    put_text(p, " ");
    if (p->measuring)
        put_text(p, "{}"); /* taken back by print_short_signature */
}

void print_short_signature(struct printer *p, const struct ast *node) {
    if (!put_if_fits(p, print_signature, node)) {
        print_signature(p, node);
    } else {
        p->out->n -= 2;
        p->out->at[p->out->n] = '\0';
    }
}

static void print_definition(struct printer *p, const struct ast *node) {
    print_doc(p, node->doc);
    print_short_signature(p, node);
    print_block(p, node->kids[node->kind == AST_FN ? 3 : 2]);
}

static bool is_definition(const struct ast *node) {
    return node->kind == AST_FN || node->kind == AST_LAYER;
}

static void print_file(struct printer *p, const struct ast *file) {
    for (uint32_t i = 0; i < file->nkids; i++) {
        if (i > 0 && (is_definition(file->kids[i]) || is_definition(file->kids[i - 1])))
            put_line(p, 0);
        print_statement(p, file->kids[i]);
        put_line(p, 0);
    }
}

/* --- all of them ----------------------------------------------------------------------------- */

static void print_as_is(struct printer *p, const struct ast *node) {
    switch (node->kind) {
    case AST_FILE: print_file(p, node); break;
    case AST_FN:
    case AST_LAYER: print_definition(p, node); break;
    case AST_STATE: print_state(p, node); break;
    case AST_USE: print_use(p, node); break;
    case AST_BLOCK: print_block(p, node); break;
    case AST_DECL: print_decl(p, node); break;
    case AST_ASSIGN: print_assign(p, node); break;
    case AST_UPDATE: print_update(p, node); break;
    case AST_READ:
        put_name(p, node->name);
        put_text(p, " << ");
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

void print_statement(struct printer *p, const struct ast *node) {
    if (p->over)
        return;
    if (!p->flat && holds_block(node) && is_small_statement(node) && !is_definition(node) &&
        put_if_fits(p, print_as_is, node))
        return;
    print_as_is(p, node);
}
