/* Expressions, with no more parentheses than the grammar asks for, and what stands among them:
   subscripts, arguments, types, parameters, conditions. */
#include "lang/print/printer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How tightly an expression binds; the order is that of grammar.y. */
enum level {
    LEVEL_STATEMENT, /* no comma may follow */
    LEVEL_ANY,       /* stands alone */
    LEVEL_PIPE,
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_NEGATION,
    LEVEL_POWER,
    LEVEL_POSTFIX,
    LEVEL_PRIMARY /* above all: in parentheses */
};

static const struct {
    const char *spelling;
    enum level level;
} operators[AOP_COUNT] = {
    [AOP_ADD] = {" + ", LEVEL_SUM},           [AOP_SUB] = {" - ", LEVEL_SUM},
    [AOP_MUL] = {" * ", LEVEL_PRODUCT},       [AOP_DIV] = {" / ", LEVEL_PRODUCT},
    [AOP_FLOORDIV] = {" // ", LEVEL_PRODUCT}, [AOP_MOD] = {" % ", LEVEL_PRODUCT},
    [AOP_POW] = {" ** ", LEVEL_POWER},        [AOP_MATMUL] = {" @ ", LEVEL_PRODUCT},
    [AOP_LT] = {" < ", LEVEL_COMPARE},        [AOP_LE] = {" <= ", LEVEL_COMPARE},
    [AOP_GT] = {" > ", LEVEL_COMPARE},        [AOP_GE] = {" >= ", LEVEL_COMPARE},
    [AOP_EQ] = {" == ", LEVEL_COMPARE},       [AOP_NE] = {" != ", LEVEL_COMPARE},
    [AOP_AND] = {" and ", LEVEL_AND},         [AOP_OR] = {" or ", LEVEL_OR},
    [AOP_NOT] = {"not ", LEVEL_NOT},          [AOP_NEG] = {"-", LEVEL_NEGATION},
    [AOP_IN] = {" in ", LEVEL_COMPARE},
};

static void print_at(struct printer *p, const struct ast *node, enum level least);

/* A literal that is written with a minus. */
static bool is_negative(const struct ast *node) {
    if (node->kind == AST_INT)
        return node->integer < 0;
    return node->kind == AST_FLOAT && signbit(node->number) && !isnan(node->number);
}

static enum level level_of(const struct ast *node) {
    switch (node->kind) {
    case AST_IF:
    case AST_GRADIENT: return LEVEL_ANY;
    case AST_MINIMIZE: return LEVEL_STATEMENT;
    case AST_PIPE: return LEVEL_PIPE;
    case AST_UNARY:
    case AST_BINARY: return operators[node->op].level;
    case AST_INT:
    case AST_FLOAT: return is_negative(node) ? LEVEL_NEGATION : LEVEL_POSTFIX;
    default: return LEVEL_POSTFIX;
    }
}

/* --- literals -------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at S, 0 if it is none. */
static int utf8_length(const unsigned char *s) {
    int n = s[0] < 0x80   ? 1
            : s[0] < 0xc2 ? 0
            : s[0] < 0xe0 ? 2
            : s[0] < 0xf0 ? 3
            : s[0] < 0xf5 ? 4
                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

void print_string(struct printer *p, const char *text) {
    struct buf quoted = buf_new(p->out->arena);
    buf_text(&quoted, "\"");
    for (const unsigned char *s = (const unsigned char *)text; *s != 0;) {
        int n = utf8_length(s);
        if (*s == '\n')
            buf_text(&quoted, "\\n");
        else if (*s == '\t')
            buf_text(&quoted, "\\t");
        else if (*s == '"' || *s == '\\')
            buf_printf(&quoted, "\\%c", *s);
        else if (n == 0 || *s < 0x20 || *s == 0x7f)
            buf_printf(&quoted, "\\x%02x", *s);
        else
            buf_bytes(&quoted, (const char *)s, (size_t)n);
        s += n == 0 ? 1 : n;
    }
    buf_text(&quoted, "\"");
    put_text(p, quoted.at);
}

static void print_int(struct printer *p, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    put_text(p, text);
}

static void print_float(struct printer *p, double value) {
    struct buf text = buf_new(p->out->arena);
    print_number(value, DT_f64, &text);
    put_text(p, text.at);
}

/* --- operators ------------------------------------------------------------------------------- */

static void print_unary(struct printer *p, const struct ast *node) {
    const struct ast *operand = node->kids[0];
    put_text(p, operators[node->op].spelling);
    /* -(1) is a negation, -1 a literal */
    bool literal = operand->kind == AST_INT || operand->kind == AST_FLOAT;
    enum level least = operators[node->op].level;
    if (node->op == AOP_NEG && literal && !is_negative(operand))
        least = LEVEL_PRIMARY;
    print_at(p, operand, least);
}

/* With blanks, and a place to break the line, unless it was written without. */
static void print_operator(struct printer *p, const struct ast *node) {
    const char *spelling = operators[node->op].spelling;
    enum level level = operators[node->op].level;
    bool product = (level == LEVEL_PRODUCT && node->op != AOP_MATMUL) || level == LEVEL_POWER;
    if (product && was_tight(p, node->kids[0], node->kids[1])) {
        put_text(p, arena_strndup(p->out->arena, spelling + 1, strlen(spelling) - 2));
        return;
    }
    put_text(p, spelling);
    put_place(p, PLACE_OPERATOR + (int)level);
}

static void print_binary(struct printer *p, const struct ast *node) {
    enum level level = operators[node->op].level;
    enum level left = level, right = level + 1;
    if (level == LEVEL_COMPARE)
        left = level + 1;
    if (level == LEVEL_POWER) {
        left = level + 1;
        right = LEVEL_NEGATION; /* a ** -b */
    }
    print_at(p, node->kids[0], left);
    print_operator(p, node);
    print_at(p, node->kids[1], right);
}

/* --- lists ----------------------------------------------------------------------------------- */

void print_list(struct printer *p, const struct ast *node, uint32_t first) {
    for (uint32_t i = first; i < node->nkids; i++) {
        if (i > first)
            put_comma(p, ", ");
        print_expression(p, node->kids[i]);
    }
}

static void print_tuple(struct printer *p, const struct ast *node) {
    put_open(p, "(");
    print_list(p, node, 0);
    put_close(p, node->nkids == 1 ? ",)" : ")");
}

void print_range(struct printer *p, const struct ast *lo, const struct ast *hi,
                 const struct ast *step) {
    if (lo != NULL)
        print_expression(p, lo);
    put_text(p, ":");
    if (hi != NULL)
        print_expression(p, hi);
    if (step != NULL) {
        put_text(p, ":");
        print_expression(p, step);
    }
}

static void print_else(struct printer *p, const struct ast *node) {
    const struct ast *value = node->kids[0];
    bool underscore = value != NULL && value->kind == AST_NAME &&
                      strcmp(name_text(p->names, value->name), "_") == 0;
    put_text(p, "else ");
    if (value == NULL) {
        put_text(p, "_");
    } else if (underscore) {
        put_text(p, "(_)");
    } else {
        print_expression(p, value);
    }
}

static void print_comprehension(struct printer *p, const struct ast *node) {
    put_open(p, "[");
    print_expression(p, node->kids[0]);
    put_comma(p, " ");
    put_text(p, "for ");
    put_name(p, node->name);
    for (uint32_t i = 3; i < node->nkids; i++) {
        put_text(p, ", ");
        put_name(p, node->kids[i]->name);
    }
    put_text(p, " in ");
    print_expression(p, node->kids[1]);
    if (node->kids[2] != NULL) {
        put_comma(p, " ");
        put_text(p, "if ");
        print_expression(p, node->kids[2]);
    }
    put_close(p, "]");
}

/* --- types and parameters -------------------------------------------------------------------- */

void print_type(struct printer *p, const struct ast *type) {
    put_name(p, type->name);
    if (type->nkids > 0 || (type->flags & AST_BRACKETS) != 0) {
        put_open(p, "[");
        print_list(p, type, 0);
        put_close(p, "]");
    }
    if ((type->flags & AST_LIST_OF) != 0)
        put_text(p, "[]");
    if ((type->flags & AST_OPTIONAL) != 0)
        put_text(p, "?");
}

void print_layout(struct printer *p, const struct ast *declared) {
    const struct ast *node = ast_layout(declared);
    if (node == NULL)
        return;
    put_text(p, " layout");
    put_open(p, "(");
    for (uint32_t i = 0; i < node->nkids; i++) {
        if (i == node->integer)
            put_comma(p, " => ");
        else if (i > 0)
            put_comma(p, ", ");
        print_expression(p, node->kids[i]);
    }
    put_close(p, ")");
}

static void print_param(struct printer *p, const struct ast *node) {
    comments_within(p, node, false);
    if ((node->flags & AST_INOUT) != 0)
        put_text(p, "inout ");
    put_name(p, node->name);
    if (node->kids[0] != NULL) {
        put_text(p, ": ");
        print_type(p, node->kids[0]);
    }
    print_layout(p, node);
    if (node->kids[1] != NULL) {
        put_text(p, " = ");
        print_expression(p, node->kids[1]);
    }
}

static void print_params(struct printer *p, const struct ast *node) {
    bool fixed = false; /* past the `;` */
    for (uint32_t i = 0; i < node->nkids; i++) {
        if (!fixed && (node->kids[i]->flags & AST_STATIC) != 0) {
            put_comma(p, i > 0 ? "; " : ";");
            fixed = true;
        } else if (i > 0) {
            put_comma(p, ", ");
        }
        print_param(p, node->kids[i]);
    }
}

static void print_result(struct printer *p, const struct ast *node) {
    if (!name_none(node->name)) {
        put_name(p, node->name);
        put_text(p, ": ");
    }
    print_type(p, node->kids[0]);
    print_layout(p, node);
}

/* --- all of them ----------------------------------------------------------------------------- */

static void print_named(struct printer *p, const char *before, struct name name,
                        const char *after) {
    put_text(p, before);
    put_name(p, name);
    put_text(p, after);
}

static void print_postfix(struct printer *p, const struct ast *node) {
    const struct ast *object = node->kids[0];
    bool number = object->kind == AST_INT || object->kind == AST_FLOAT; /* 1.x is no member */
    print_at(p, object, number ? LEVEL_PRIMARY : LEVEL_POSTFIX);
    if (node->kind == AST_MEMBER) {
        print_named(p, ".", node->name, "");
        return;
    }
    put_open(p, node->kind == AST_INDEX ? "[" : "(");
    print_list(p, node, 1);
    put_close(p, node->kind == AST_INDEX ? "]" : ")");
}

static void print_literal(struct printer *p, const struct ast *node) {
    if (put_literal(p, node))
        return;
    if (node->kind == AST_INT)
        print_int(p, node->integer);
    else if (node->kind == AST_FLOAT)
        print_float(p, node->number);
    else
        print_string(p, name_text(p->names, node->name));
}

static void print_here(struct printer *p, const struct ast *node) {
    switch (node->kind) {
    case AST_INT:
    case AST_FLOAT:
    case AST_STR: print_literal(p, node); break;
    case AST_BOOL: put_text(p, node->integer != 0 ? "true" : "false"); break;
    case AST_NAME: put_name(p, node->name); break;
    case AST_MEMBER:
    case AST_INDEX:
    case AST_CALL: print_postfix(p, node); break;
    case AST_KEYWORD:
        print_named(p, "", node->name, " = ");
        print_expression(p, node->kids[0]);
        break;
    case AST_CONSTRAINT:
        print_named(p, "", node->name, ": ");
        print_expression(p, node->kids[0]);
        break;
    case AST_SPREAD:
        put_text(p, "*");
        if (node->nkids == 0)
            put_name(p, node->name);
        else
            print_expression(p, node->kids[0]);
        break;
    case AST_RANGE: print_range(p, node->kids[0], node->kids[1], node->kids[2]); break;
    case AST_ANY: put_text(p, "?"); break;
    case AST_ELSE: print_else(p, node); break;
    case AST_UNARY: print_unary(p, node); break;
    case AST_BINARY: print_binary(p, node); break;
    case AST_PIPE:
        print_at(p, node->kids[0], LEVEL_PIPE);
        put_text(p, " ");
        put_place(p, PLACE_PIPE);
        put_text(p, "|> ");
        print_at(p, node->kids[1], LEVEL_OR);
        break;
    case AST_GRADIENT:
    case AST_MINIMIZE:
        put_text(p, node->kind == AST_GRADIENT ? "gradient " : "minimize ");
        if (node->kids[0]->kind == AST_BLOCK)
            print_inner_block(p, node->kids[0]);
        else
            print_at(p, node->kids[0], LEVEL_PIPE);
        for (uint32_t k = 1; k < node->nkids; k++) {
            put_text(p, k == 1 ? " over " : k % 2 ? ", " : " with ");
            print_at(p, node->kids[k], LEVEL_PIPE);
        }
        break;
    case AST_LIST:
        put_open(p, "[");
        print_list(p, node, 0);
        put_close(p, "]");
        break;
    case AST_TUPLE: print_tuple(p, node); break;
    case AST_COMPREHENSION: print_comprehension(p, node); break;
    case AST_IF: print_inner_if(p, node); break;
    case AST_TYPE: print_type(p, node); break;
    case AST_PARAM: print_param(p, node); break;
    case AST_PARAMS: print_params(p, node); break;
    case AST_RESULT: print_result(p, node); break;
    case AST_RESULTS:
    case AST_WHERE: print_list(p, node, 0); break;
    default: print_statement(p, node);
    }
}

static void print_at(struct printer *p, const struct ast *node, enum level least) {
    if (p->over)
        return;
    /* an if needs none; where the author gave it none, it has none */
    enum level level = p->written && node->kind == AST_IF ? LEVEL_POWER : level_of(node);
    bool parentheses = level < least || (p->written && (node->flags & AST_PAREN) != 0);
    comments_within(p, node, (node->flags & AST_PAREN) != 0);
    if (parentheses)
        put_open(p, "(");
    comments_within(p, node, false);
    print_here(p, node);
    if (parentheses)
        put_close(p, ")");
}

void print_expression(struct printer *p, const struct ast *node) {
    print_at(p, node, LEVEL_ANY);
}

void print_last_expression(struct printer *p, const struct ast *node) {
    print_at(p, node, LEVEL_STATEMENT);
}
