/* Attributes of nodes as static arguments. */
#include "lang/onnx/importer.h"

#include "lang/onnx/tensor.h"
#include "lang/scalar/print_number.h"

#include <stdlib.h>
#include <string.h>

/* AttributeProto.AttributeType of onnx.proto. */
enum {
    TYPE_FLOAT = 1,
    TYPE_INT,
    TYPE_STRING,
    TYPE_TENSOR,
    TYPE_GRAPH,
    TYPE_FLOATS,
    TYPE_INTS,
    TYPE_STRINGS
};

/* Old files do not say which type is meant; a field's number does. */
static bool is_type(const struct wire_attribute *w, int64_t type) {
    static const unsigned fields[] = {
        [TYPE_FLOAT] = 2, [TYPE_INT] = 3,    [TYPE_STRING] = 4, [TYPE_TENSOR] = 5,
        [TYPE_GRAPH] = 6, [TYPE_FLOATS] = 7, [TYPE_INTS] = 8,   [TYPE_STRINGS] = 9};
    return w->type ? w->type == type : WIRE_HAS(w, fields[type]);
}

static struct value number(double v) {
    return value_float(print_number_value(v, DT_f32));
}

static struct value text(struct importer *m, struct wire_bytes b) {
    return value_str(name_of(m->names, b.n ? b.at : "", b.n));
}

/* An attribute that is a list, of N values. */
#define LIST_OF(m, n, each)                                                                        \
    struct value list = value_list_new((m)->arena, VAL_LIST, n);                                   \
    for (uint32_t i = 0; i < (n); i++)                                                             \
        list.list->at[i] = each;                                                                   \
    *out = list

/* The value of W as ROW wants it; what it should be, where it is something else, or NULL. */
static const char *read_value(struct importer *m, const struct onnx_attribute *row,
                              const struct wire_attribute *w, struct value *out) {
    switch (row->kind) {
    case ATTRIBUTE_FLOAT: *out = number(w->f); return is_type(w, TYPE_FLOAT) ? NULL : "number";
    case ATTRIBUTE_FLAG:
    case ATTRIBUTE_INT:
        *out = value_int(row->kind == ATTRIBUTE_FLAG ? w->i != 0 : w->i);
        return is_type(w, TYPE_INT) ? NULL : "whole number";
    case ATTRIBUTE_FLOATS: {
        LIST_OF(m, w->floats.n, number(w->floats.at[i]));
        return is_type(w, TYPE_FLOATS) ? NULL : "list of numbers";
    }
    case ATTRIBUTE_INTS: {
        LIST_OF(m, w->ints.n, value_int(w->ints.at[i]));
        return is_type(w, TYPE_INTS) ? NULL : "list of whole numbers";
    }
    case ATTRIBUTE_STRING: *out = text(m, w->s); return is_type(w, TYPE_STRING) ? NULL : "text";
    case ATTRIBUTE_STRINGS: {
        LIST_OF(m, w->strings.n, text(m, w->strings.at[i]));
        return is_type(w, TYPE_STRINGS) ? NULL : "list of texts";
    }
    case ATTRIBUTE_ELEMENT:
        if (w->i == 0) /* the same as no attribute */
            return NULL;
        *out = value_dtype(onnx_element(w->i));
        return out->dtype == DT_NONE ? "element type that DCL has" : NULL;
    default: return "attribute that is read";
    }
}

static void add_keyword(struct importer *m, struct ast *call, const char *name,
                        const struct value *v) {
    struct ast *keyword = new_node(m, AST_KEYWORD, 1);
    keyword->name = name_of_text(m->names, name);
    keyword->kids[0] = ast_of_value(m, v);
    ast_push(m->arena, call, keyword);
}

static bool is_absent(struct importer *m, const struct onnx_attribute *row, const struct value *v) {
    switch (v->kind) {
    case VAL_FLOAT: return v->f == print_number_value(row->absent, DT_f32);
    case VAL_INT: return (double)v->i == row->absent;
    case VAL_STR: return strcmp(row->text ? row->text : "", name_text(m->names, v->str)) == 0;
    case VAL_LIST:
        for (uint32_t i = 0; row->text && i < v->list->n; i++)
            if (v->list->at[i].kind != VAL_INT || v->list->at[i].i != atoi(row->text))
                return false;
        return row->text != NULL;
    default: return false;
    }
}

/* A tensor of one element: its number, and its type as `t`. */
static const char *add_fill(struct importer *m, const struct onnx_attribute *row,
                            const struct wire_attribute *w, struct ast *call) {
    struct onnx_weight x = {0};
    if (!w->t)
        return "tensor";
    const char *why = onnx_tensor_read(m->arena, w->t, &m->model->files, &x);
    if (why || x.bytes != dtypes[x.type].bytes)
        return "tensor of one element";
    union scalar s = scalar_load(x.type, x.data);
    struct value v = value_dtype(x.type);
    add_keyword(m, call, "t", &v);
    v = x.type == DT_bool        ? value_bool(s.b)
        : dtype_is_float(x.type) ? value_float(scalar_cast(x.type, DT_f64, s).f64)
                                 : value_int(scalar_cast(x.type, DT_i64, s).i64);
    add_keyword(m, call, row->as ? row->as : row->name, &v);
    return NULL;
}

/* Appends `NAME = value` to the call, unless the value is the one that an absent one means. */
static bool add_attribute(struct importer *m, const struct onnx_node *x,
                          const struct onnx_attribute *row, const struct wire_attribute *w,
                          struct ast *call) {
    struct value v = value_none();
    if (row->kind == ATTRIBUTE_IGNORED)
        return true;
    const char *what = w->ref_attr_name.n            ? "value"
                       : row->kind == ATTRIBUTE_FILL ? add_fill(m, row, w, call)
                                                     : read_value(m, row, w, &v);
    if (what) {
        onnx_problem(m->problems, "%s: the attribute %s is no %s", x->text, row->name, what);
        return false;
    }
    if (v.kind != VAL_NONE && !is_absent(m, row, &v))
        add_keyword(m, call, row->as ? row->as : row->name, &v);
    return true;
}

bool add_attributes(struct importer *m, const struct onnx_node *x, const struct onnx_operator *o,
                    struct ast *call) {
    bool good = true, *used = ARENA_ARRAY(m->arena, bool, x->wire->attribute.n);
    for (uint32_t k = 0; k < ONNX_ATTRIBUTES_MAX && o->attributes[k].name; k++)
        for (uint32_t i = 0; i < x->wire->attribute.n; i++) {
            const struct wire_attribute *w = x->wire->attribute.at[i];
            if (used[i] || !wire_is(w->name, o->attributes[k].name))
                continue;
            used[i] = true;
            good = (!call && o->attributes[k].kind == ATTRIBUTE_IGNORED) ||
                   (call && add_attribute(m, x, &o->attributes[k], w, call) && good);
            break;
        }
    for (uint32_t i = 0; i < x->wire->attribute.n; i++) {
        const struct wire_attribute *w = x->wire->attribute.at[i];
        if (used[i])
            continue;
        onnx_problem(m->problems, "%s: the attribute %s is not known", x->text,
                     wire_text(m->arena, w->name));
        good = false;
    }
    return good;
}

/* --- constants ------------------------------------------------------------------------------- */

static const char *list_weight(struct importer *m, enum dtype t, uint32_t rank, uint32_t n,
                               const void *data, struct onnx_weight *out) {
    int64_t *dims = ARENA_ARRAY(m->arena, int64_t, 1);
    dims[0] = n;
    out->type = t;
    out->rank = rank;
    out->dims = dims;
    out->data = data;
    out->bytes = n * dtypes[t].bytes;
    return NULL;
}

bool constant_weight(struct importer *m, const struct onnx_node *x, struct onnx_weight *out) {
    const struct wire_attribute *w = x->wire->attribute.n == 1 ? x->wire->attribute.at[0] : NULL;
    const char *why = "it has no value that can be read";
    if (w && is_type(w, TYPE_TENSOR) && w->t)
        why = onnx_tensor_read(m->arena, w->t, &m->model->files, out);
    else if (w && is_type(w, TYPE_FLOAT))
        why = list_weight(m, DT_f32, 0, 1, &w->f, out);
    else if (w && is_type(w, TYPE_INT))
        why = list_weight(m, DT_i64, 0, 1, &w->i, out);
    else if (w && is_type(w, TYPE_FLOATS))
        why = list_weight(m, DT_f32, 1, w->floats.n, w->floats.at, out);
    else if (w && is_type(w, TYPE_INTS))
        why = list_weight(m, DT_i64, 1, w->ints.n, w->ints.at, out);
    if (why)
        onnx_problem(m->problems, "%s: %s", x->text, why);
    return !why;
}
