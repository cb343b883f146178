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

/* --- symbols ------------------------------------------------------------------------------- */

/* A size that a run finds is a symbol of the outline, which no program can spell: it is read from
   an operand that has such a dimension. */
struct found_size {
    const struct operand *of;
    uint32_t dim;
    const struct operands *in; /* the graph that OF is of */
};

static bool is_here(const struct importer *m, const struct operands *in) {
    const struct operands *at = m->operands;
    while (at && at != in)
        at = at->before;
    return at;
}

static const struct found_size *found_size(const struct importer *m, struct name symbol) {
    uint64_t at = 0;
    map_get(&m->sizes, symbol.i, &at);
    const struct found_size *x = (const struct found_size *)(uintptr_t)at;
    return x && is_here(m, x->in) ? x : NULL;
}

void note_sizes(struct importer *m, const struct operand *x) {
    if (x->v.kind != VAL_TENSOR)
        return;
    const struct sym_ctx *syms = outline_eval(m->outline)->syms;
    for (uint32_t d = 0; d < x->v.tensor->rank; d++) {
        const struct value *size = &x->v.tensor->dims[d];
        struct name symbol;
        if (!is_found(m, size) || !sym_is_atom(syms, size->sym, &symbol) || found_size(m, symbol))
            continue;
        struct found_size *s = ARENA_NEW(m->arena, struct found_size);
        *s = (struct found_size){x, d, m->operands};
        map_put(&m->sizes, symbol.i, (uintptr_t)s);
    }
}

/* TEXT, a symbol's expression, with PREFIX and K, .shape[D] for the symbol #K. */
static const char *spelt(struct importer *m, const char *text, const char *prefix) {
    struct buf b = buf_new(m->arena);
    while (*text) {
        size_t n = *text == '#' ? 1 + strspn(text + 1, "0123456789") : strcspn(text, "#");
        if (*text == '#') {
            struct name symbol = name_of_text(m->names, arena_strndup(m->arena, text, n));
            const struct found_size *x = found_size(m, symbol);
            if (!x)
                onnx_problem(m->problems, "a size that only a run finds would have to be known");
            buf_printf(&b, "%s%.*s.shape[%u]", prefix, (int)n - 1, text + 1, x ? x->dim : 0);
        } else {
            buf_bytes(&b, text, n);
        }
        text += n;
    }
    return b.at;
}

/* Puts the operands in the place of these names. */
static void put_operands(struct importer *m, struct ast *e, const char *prefix) {
    const char *text = e->kind == AST_NAME ? name_text(m->names, e->name) : "";
    size_t n = strlen(prefix);
    if (strncmp(text, prefix, n) == 0) {
        struct name symbol = name_of_text(m->names, arena_printf(m->arena, "#%s", text + n));
        const struct found_size *x = found_size(m, symbol);
        if (x)
            e->name = x->of->stand_in;
    }
    for (uint32_t i = 0; i < e->nkids; i++)
        if (e->kids[i])
            put_operands(m, e->kids[i], prefix);
}

/* An expression of symbols, as the symbolic integers write it. */
static struct ast *ast_of_sym(struct importer *m, const struct value *v) {
    struct buf text = buf_new(m->arena);
    struct diags *d = &m->errors;
    const char *prefix = "found_";
    value_print(outline_eval(m->outline), v, &text);
    while (strstr(text.at, prefix)) /* a dimension of the model may be called so */
        prefix = arena_printf(m->arena, "%s_", prefix);
    const char *at = spelt(m, text.at, prefix);
    struct ast *file =
        parse_source(m->arena, m->names, d, sources_add(d->sources, "<size>", at, strlen(at)));
    if (file->nkids != 1) {
        onnx_problem(m->problems, "the size %s cannot be written", text.at);
        return new_int(m, 0);
    }
    put_operands(m, file->kids[0], prefix);
    return file->kids[0];
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
