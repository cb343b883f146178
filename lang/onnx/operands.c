/* What names of the model stand for, and how it is read. */
#include "lang/onnx/importer.h"

#include "lang/scalar/print_number.h"

#include <string.h>

/* How numbers that are known become a tensor (onnx.def). */
#define LITERAL(function, doc) static const char literal[] = #function;
#include "lang/onnx/onnx.def"

/* Weights of more elements are never taken for numbers of the program. */
enum { FIXED_MOST = 4096 };

struct operand *operand_new(struct importer *m, struct name id, enum operand_kind kind,
                            enum dtype type, struct value v) {
    struct operand *x = ARENA_NEW(m->arena, struct operand);
    *x = (struct operand){.kind = kind, .type = type, .v = v};
    map_put(&m->operands, id.i, (uintptr_t)x);
    if (kind == OPERAND_FIXED || kind == OPERAND_UNKNOWN)
        return x;
    x->stand_in = name_of_text(m->names, arena_printf(m->arena, "$%u", ++m->stands));
    map_put(&m->stand_ins, x->stand_in.i, (uintptr_t)x);
    env_bind(m->env, x->stand_in, v, (struct span){0});
    return x;
}

struct operand *operand_of(struct importer *m, struct name id) {
    uint64_t x = 0;
    map_get(&m->operands, id.i, &x);
    return (struct operand *)(uintptr_t)x;
}

void import_weight(struct importer *m, uint32_t index) {
    const struct onnx_weight *w = &m->model->weights.at[index];
    struct value dims[ONNX_RANK_MAX];
    for (uint32_t d = 0; d < w->rank; d++)
        dims[d] = value_int(w->dims[d]);
    struct name name = name_of_text(m->names, wire_text(m->arena, w->name));
    struct value v = outline_tensor(m->outline, name, w->type, w->rank, dims);
    operand_new(m, w->id, OPERAND_WEIGHT, w->type, v)->weight = index;
}

/* --- weights as numbers ---------------------------------------------------------------------- */

static struct value element(enum dtype t, const char *data, int64_t i) {
    union scalar s = scalar_load(t, data + i * dtypes[t].bytes);
    if (t == DT_bool)
        return value_bool(s.b);
    if (dtype_is_float(t))
        return value_float(print_number_value(scalar_cast(t, DT_f64, s).f64, t));
    return value_int(scalar_cast(t, DT_i64, s).i64);
}

/* The part of W that dimensions from D on make, whose first element is number *AT. */
static struct value nested(struct importer *m, const struct onnx_weight *w, uint32_t d,
                           int64_t *at) {
    if (d == w->rank)
        return element(w->type, w->data, (*at)++);
    struct value list = value_list_new(m->arena, VAL_LIST, (uint32_t)w->dims[d]);
    for (int64_t i = 0; i < w->dims[d]; i++)
        list.list->at[i] = nested(m, w, d + 1, at);
    return list;
}

bool operand_fixed(struct importer *m, const struct operand *x, bool integers, struct value *v) {
    if (x->kind == OPERAND_FIXED) {
        *v = x->v;
        return true;
    }
    if (x->kind != OPERAND_WEIGHT)
        return false;
    const struct onnx_weight *w = &m->model->weights.at[x->weight];
    int64_t n = 1, at = 0;
    for (uint32_t d = 0; d < w->rank; d++)
        n *= w->dims[d] ? w->dims[d] : 1; /* lists of empty lists count, too */
    if (n > FIXED_MOST || (integers && dtype_is_float(w->type) && !w->constant))
        return false;
    *v = nested(m, w, 0, &at);
    return true;
}

/* --- reading --------------------------------------------------------------------------------- */

/* The element type that numbers have by themselves. */
static enum dtype own_type(const struct value *v) {
    switch (v->kind) {
    case VAL_LIST:
    case VAL_PACK: return v->list->n ? own_type(&v->list->at[0]) : DT_NONE;
    case VAL_BOOL: return DT_bool;
    case VAL_FLOAT: return DT_f32;
    default: return DT_i64;
    }
}

static struct ast *cast_to(struct importer *m, enum dtype t, struct ast *e) {
    struct ast *cast = new_call(m, dtypes[t].name);
    ast_push(m->arena, cast, e);
    return cast;
}

static struct ast *tensor_of_numbers(struct importer *m, const struct value *v) {
    if (v->kind != VAL_LIST && v->kind != VAL_PACK)
        return ast_of_value(m, v);
    struct ast *call = new_call(m, literal), *list = new_node(m, AST_LIST, v->list->n);
    for (uint32_t i = 0; i < v->list->n; i++)
        list->kids[i] = tensor_of_numbers(m, &v->list->at[i]);
    ast_push(m->arena, call, list);
    return call;
}

struct ast *operand_tensor(struct importer *m, const struct operand *x, bool weak) {
    struct value v;
    if (x->kind == OPERAND_WEIGHT) {
        const struct onnx_weight *w = &m->model->weights.at[x->weight];
        if (!w->constant || w->rank > 0)
            return new_name(m, x->stand_in);
    }
    if (!operand_fixed(m, x, false, &v))
        return new_name(m, x->stand_in);
    struct ast *e = tensor_of_numbers(m, &v);
    enum dtype own = own_type(&v);
    bool list = v.kind == VAL_LIST || v.kind == VAL_PACK;
    return own == x->type || own == DT_NONE || (weak && !list) ? e : cast_to(m, x->type, e);
}
