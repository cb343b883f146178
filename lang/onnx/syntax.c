/* Trees of the program, without places. */
#include "lang/onnx/importer.h"

#include "lang/parse/parse.h"
#include "lang/print/print.h"

#include <math.h>
#include <string.h>

static const struct span nowhere;

struct ast *new_node(struct importer *m, enum ast_kind kind, uint32_t nkids) {
    return ast_new(m->arena, kind, nowhere, nkids);
}

struct ast *new_name(struct importer *m, struct name n) {
    struct ast *x = new_node(m, AST_NAME, 0);
    x->name = n;
    return x;
}

struct ast *new_text_name(struct importer *m, const char *text) {
    return new_name(m, name_of_text(m->names, text));
}

struct ast *new_int(struct importer *m, int64_t v) {
    struct ast *x = new_node(m, AST_INT, 0);
    x->integer = v;
    return x;
}

static struct ast *new_float(struct importer *m, double v) {
    if (isnan(v))
        return new_text_name(m, "nan");
    struct ast *x = new_node(m, AST_FLOAT, 0);
    x->number = v;
    return x;
}

struct ast *new_call(struct importer *m, const char *callee) {
    struct ast *x = new_node(m, AST_CALL, 1);
    x->kids[0] = new_text_name(m, callee);
    return x;
}

void add_assignment(struct importer *m, struct ast *block, struct ast *to, struct ast *value) {
    struct ast *x = new_node(m, AST_ASSIGN, 2);
    x->kids[0] = value;
    x->kids[1] = to;
    ast_push(m->arena, block, x);
}

struct ast *new_part(struct importer *m, struct ast *of, uint32_t rank, uint32_t axis,
                     struct ast *at) {
    struct ast *x = new_node(m, AST_INDEX, rank + 1);
    x->kids[0] = of;
    for (uint32_t d = 0; d < rank; d++)
        x->kids[1 + d] = d == axis ? at : new_node(m, AST_RANGE, 3);
    return x;
}

/* An expression of symbols, as the symbolic integers write it. */
static struct ast *ast_of_sym(struct importer *m, const struct value *v) {
    struct buf text = buf_new(m->arena);
    struct diags *d = &m->errors;
    value_print(outline_eval(m->outline), v, &text);
    struct ast *file =
        parse_source(m->arena, m->names, d, sources_add(d->sources, "<size>", text.at, text.n));
    return file->nkids == 1 ? file->kids[0] : new_int(m, 0);
}

struct ast *ast_of_value(struct importer *m, const struct value *v) {
    struct ast *x;
    switch (v->kind) {
    case VAL_INT: return new_int(m, v->i);
    case VAL_SYM: return ast_of_sym(m, v);
    case VAL_FLOAT: return new_float(m, v->f);
    case VAL_BOOL:
        x = new_node(m, AST_BOOL, 0);
        x->integer = v->b;
        return x;
    case VAL_STR:
        x = new_node(m, AST_STR, 0);
        x->name = v->str;
        return x;
    case VAL_DTYPE: return new_text_name(m, dtypes[v->dtype].name);
    case VAL_LIST:
    case VAL_PACK:
        x = new_node(m, AST_LIST, v->list->n);
        for (uint32_t i = 0; i < v->list->n; i++)
            x->kids[i] = ast_of_value(m, &v->list->at[i]);
        return x;
    default: return new_text_name(m, "none");
    }
}
