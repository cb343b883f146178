/* What names of the model stand for, and how it is read. */
#include "lang/onnx/importer.h"

#include "lang/scalar/print_number.h"

#include <string.h>

/* How numbers that are known become a tensor (onnx.def). */
#define LITERAL(function, doc) static const char literal[] = #function;
#define BLANK(function, doc) static const char blank[] = #function;
#include "lang/onnx/onnx.def"

/* Weights of more elements are never taken for numbers of the program. */
enum { FIXED_MOST = 4096 };
/* A constant of more elements is a weight of the program, not numbers in it. */
enum { SHOWN_MOST = 4 };

struct operand *operand_make(struct importer *m, enum operand_kind kind, enum dtype type,
                             struct value v) {
    struct operand *x = ARENA_NEW(m->arena, struct operand);
    *x = (struct operand){.kind = kind, .type = type, .v = v};
    if (kind == OPERAND_FIXED || kind == OPERAND_UNKNOWN)
        return x;
    x->stand_in = name_of_text(m->names, arena_printf(m->arena, "$%u", ++m->stands));
    map_put(&m->stand_ins, x->stand_in.i, (uintptr_t)x);
    env_bind(m->env, x->stand_in, v, (struct span){0});
    note_sizes(m, x);
    return x;
}

struct operand *operand_new(struct importer *m, struct name id, enum operand_kind kind,
                            enum dtype type, struct value v) {
    struct operand *x = operand_make(m, kind, type, v);
    operand_same(m, id, x);
    return x;
}

static struct operand *find(const struct operands *in, struct name id) {
    uint64_t x = 0;
    map_get(&in->at, id.i, &x);
    return (struct operand *)(uintptr_t)x;
}

struct operand *operand_here(struct importer *m, struct name id) {
    return find(m->operands, id);
}

struct operand *operand_of(struct importer *m, struct name id) {
    struct operand *x = NULL;
    for (const struct operands *in = m->operands; in && !x; in = in->outer)
        x = find(in, id);
    return x;
}

void operand_same(struct importer *m, struct name id, struct operand *x) {
    map_put(&m->operands->at, id.i, (uintptr_t)x);
}

bool operand_input(struct importer *m, const struct onnx_node *x, uint32_t k, struct operand **at) {
    *at = operand_of(m, x->inputs[k]);
    if (!*at && !m->operands->ordered) /* else it has been told */
        onnx_problem(m->problems, "%s: nothing makes its input %s", x->text,
                     wire_text(m->arena, x->wire->input.at[k]));
    return *at && (*at)->kind != OPERAND_UNKNOWN;
}

void operands_enter(struct importer *m, struct operands *inner, bool closed) {
    *inner = (struct operands){.at = map_new(m->arena),
                               .outer = closed ? NULL : m->operands,
                               .before = m->operands,
                               .ordered = !m->operands};
    m->operands = inner;
}

void operands_leave(struct importer *m) {
    m->operands = m->operands->before;
}

void import_weight(struct importer *m, uint32_t index) {
    const struct onnx_weight *w = &m->model->weights.at[index];
    struct value dims[ONNX_RANK_MAX];
    if (index < m->weights.n) { /* in a function that is called again */
        operand_same(m, w->id, m->weights.at[index]);
        return;
    }
    for (uint32_t d = 0; d < w->rank; d++)
        dims[d] = value_int(w->dims[d]);
    struct name name = name_of_text(m->names, wire_text(m->arena, w->name));
    struct value v = outline_tensor(m->outline, name, w->type, w->rank, dims);
    struct operand *x = operand_new(m, w->id, OPERAND_WEIGHT, w->type, v);
    x->weight = index;
    VEC_PUSH(m->arena, m->weights, x);
}

/* --- weights as numbers ---------------------------------------------------------------------- */

static struct value element(enum dtype t, const char *data, int64_t i) {
    union scalar s = scalar_load(t, data + i * dtypes[t].bytes);
    if (t == DT_bool)
        return value_bool(s.b);
    if (dtype_is_float(t))
        return value_float(scalar_cast(t, DT_f64, s).f64);
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
    for (uint32_t d = 0; d < w->rank; d++) {
        n *= w->dims[d] ? w->dims[d] : 1; /* lists of empty lists count, too */
        if (n > FIXED_MOST || w->dims[d] > FIXED_MOST || (w->dims[d] == 0 && d + 1 < w->rank))
            return false; /* a list without lists in it does not say how long they are */
    }
    if ((integers && dtype_is_float(w->type) && !w->constant))
        return false;
    *v = nested(m, w, 0, &at);
    return true;
}

bool operand_round(enum dtype t, struct value *v) {
    union scalar s;
    if (v->kind == VAL_BOOL || t == DT_bool)
        return v->kind == VAL_BOOL && t == DT_bool;
    if (dtype_is_float(t) && value_is_number(v) && v->kind != VAL_SYM) {
        s = scalar_cast(DT_f64, t,
                        scalar_from_f64(DT_f64, v->kind == VAL_INT ? (double)v->i : v->f));
        *v = value_float(scalar_cast(t, DT_f64, s).f64);
        return true;
    }
    if (v->kind == VAL_INT && !dtype_is_float(t))
        *v = value_int(scalar_cast(t, DT_i64, scalar_from_i64(t, v->i)).i64);
    return (v->kind == VAL_INT || v->kind == VAL_SYM) && !dtype_is_float(t);
}

struct value operand_shown(struct importer *m, enum dtype t, struct value v) {
    if (v.kind == VAL_FLOAT && dtype_is_float(t))
        return value_float(print_number_value(v.f, t));
    if (v.kind != VAL_LIST && v.kind != VAL_PACK)
        return v;
    struct value list = value_list_new(m->arena, VAL_LIST, v.list->n);
    for (uint32_t i = 0; i < v.list->n; i++)
        list.list->at[i] = operand_shown(m, t, v.list->at[i]);
    return list;
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

struct ast *operand_cast(struct importer *m, enum dtype t, struct ast *e) {
    struct ast *cast = new_call(m, dtypes[t].name);
    ast_push(m->arena, cast, e);
    return cast;
}

/* A tensor of T without elements, if the list V has none; else NULL. */
static struct ast *blank_tensor(struct importer *m, enum dtype t, const struct value *v) {
    struct ast *call = new_call(m, blank), *dims = new_node(m, AST_LIST, 0);
    for (;; v = &v->list->at[0]) {
        if (v->kind != VAL_LIST && v->kind != VAL_PACK)
            return NULL;
        ast_push(m->arena, dims, new_int(m, v->list->n));
        if (v->list->n == 0)
            break;
    }
    struct ast *type = new_node(m, AST_KEYWORD, 1);
    type->name = name_of_text(m->names, "t");
    type->kids[0] = new_text_name(m, dtypes[t].name);
    ast_push(m->arena, call, dims);
    ast_push(m->arena, call, type);
    return call;
}

struct ast *operand_numbers(struct importer *m, const struct value *v) {
    if (v->kind != VAL_LIST && v->kind != VAL_PACK)
        return ast_of_value(m, v);
    struct ast *call = new_call(m, literal), *list = new_node(m, AST_LIST, v->list->n);
    for (uint32_t i = 0; i < v->list->n; i++)
        list->kids[i] = operand_numbers(m, &v->list->at[i]);
    ast_push(m->arena, call, list);
    return call;
}

static int64_t count_elements(const struct onnx_weight *w) {
    int64_t n = 1;
    for (uint32_t d = 0; d < w->rank && n <= SHOWN_MOST; d++)
        n *= w->dims[d] ? w->dims[d] : 1 + SHOWN_MOST;
    return n;
}

struct ast *operand_tensor(struct importer *m, const struct operand *x, bool weak) {
    struct value v;
    if (x->kind == OPERAND_WEIGHT) {
        const struct onnx_weight *w = &m->model->weights.at[x->weight];
        if (!w->constant || count_elements(w) > SHOWN_MOST)
            return new_name(m, x->stand_in);
    }
    if (!operand_fixed(m, x, false, &v))
        return new_name(m, x->stand_in);
    struct ast *none = blank_tensor(m, x->type, &v);
    if (none)
        return none;
    v = operand_shown(m, x->type, v);
    struct ast *e = operand_numbers(m, &v);
    enum dtype own = own_type(&v);
    bool list = v.kind == VAL_LIST || v.kind == VAL_PACK;
    return own == x->type || own == DT_NONE || (weak && !list) ? e : operand_cast(m, x->type, e);
}
