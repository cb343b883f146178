/* Rows: functions of stdlib/modules/onnx_export, which say with static values what becomes of a
   call. A row is called as the function of the library that it has the name of, but takes tensors
   as they are; what it gives is a tree:

     ("Op", inputs, attributes)   a node; attributes are pairs (name, value)
     (k, node)                    its output number k
     (dtype, v)                   a constant: a number, or a list of them
     [2, N, 3]                    a vector of integers, which may be sizes
     a tensor or number           itself; a number is of the type of the first tensor beside it
     none                         as an input: left out; as a row: the function's body is exported

   A list of trees is several results. */
#include "lang/export/internal.h"

#include "lang/onnx/tensor.h"

#include <string.h>

static const char *const moves[MOVE_COUNT] = {
#define MOVE(name, ...) [MOVE_##name] = #name,
#include "lang/export/export.def"
};

const char *export_module(void) {
    static const char name[] = "onnx_export";
    return name;
}

/* Values of the model, as texts in DCL. */
static struct value handle(struct export *x, const struct val *v) {
    return value_str(name_of_text(x->ev.names, arena_printf(x->arena, "%%%u", v->id)));
}

/* The value that V is the text of; NULL if it is none. */
static struct val *handle_val(struct export *x, const struct value *v) {
    const char *text = v->kind == VAL_STR ? name_text(x->ev.names, v->str) : "";
    unsigned long id = 0;
    if (*text != '%')
        return NULL;
    for (const char *c = text + 1; *c >= '0' && *c <= '9'; c++)
        id = id * 10 + (unsigned long)(*c - '0');
    return id < x->vals.n ? x->vals.at[id] : NULL;
}

static struct wire_bytes bytes_of(struct export *x, const struct value *v) {
    const char *text = name_text(x->ev.names, v->str);
    return (struct wire_bytes){text, strlen(text)};
}

enum {
    TYPE_FLOAT = 1,
    TYPE_INT = 2,
    TYPE_TEXT = 3,
    TYPE_FLOATS = 6,
    TYPE_INTS = 7,
    TYPE_TEXTS = 8
};

/* In the place of what has been refused, so that more is told. */
static struct val *nothing(struct export *x) {
    return model_val(x);
}

static bool number_of(const struct value *v, double *f) {
    *f = v->kind == VAL_INT ? (double)v->i : v->kind == VAL_BOOL ? v->b : v->f;
    return v->kind == VAL_INT || v->kind == VAL_FLOAT || v->kind == VAL_BOOL;
}

static bool attribute_list(struct export *x, const struct value_list *l, struct wire_attribute *a) {
    bool floats = false;
    a->type = TYPE_INTS;
    for (uint32_t i = 0; i < l->n; i++)
        floats = floats || l->at[i].kind == VAL_FLOAT;
    for (uint32_t i = 0; i < l->n; i++) {
        double f;
        if (l->at[i].kind == VAL_STR) {
            a->type = TYPE_TEXTS;
            VEC_PUSH(x->arena, a->strings, bytes_of(x, &l->at[i]));
        } else if (!number_of(&l->at[i], &f)) {
            return false;
        } else if (floats) {
            a->type = TYPE_FLOATS;
            VEC_PUSH(x->arena, a->floats, (float)f);
        } else {
            VEC_PUSH(x->arena, a->ints, l->at[i].kind == VAL_BOOL ? l->at[i].b : l->at[i].i);
        }
    }
    return true;
}

/* The attribute that PAIR says; false if it is none that a file can hold. */
static bool attribute_of(struct export *x, const struct value *pair, struct wire_attribute **out) {
    if (pair->kind != VAL_LIST || pair->list->n != 2 || pair->list->at[0].kind != VAL_STR)
        return false;
    const struct value *v = &pair->list->at[1];
    struct wire_attribute *a = *out = ARENA_NEW(x->arena, struct wire_attribute);
    a->name = bytes_of(x, &pair->list->at[0]);
    a->type = TYPE_INT;
    a->seen = (uint64_t)1 << 3;
    switch (v->kind) {
    case VAL_INT: a->i = v->i; return true;
    case VAL_BOOL: a->i = v->b; return true;
    case VAL_DTYPE: a->i = onnx_element_number(v->dtype); return true;
    case VAL_FLOAT:
        a->f = (float)v->f;
        a->type = TYPE_FLOAT;
        a->seen = (uint64_t)1 << 2;
        return true;
    case VAL_STR:
        a->s = bytes_of(x, v);
        a->type = TYPE_TEXT;
        a->seen = (uint64_t)1 << 4;
        return true;
    case VAL_LIST:
    case VAL_PACK: a->seen = 0; return attribute_list(x, v->list, a);
    default: return false;
    }
}

static bool constant_of(struct export *x, enum dtype t, const struct value *v, struct val **out) {
    bool list = v->kind == VAL_LIST || v->kind == VAL_PACK;
    uint32_t n = list ? v->list->n : 1;
    const struct value *at = list ? v->list->at : v;
    size_t size = dtypes[t].bytes;
    char *bytes = arena_alloc(x->arena, n * size + 1);
    for (uint32_t i = 0; i < n; i++) {
        double f;
        if (!number_of(&at[i], &f))
            return false;
        scalar_store(t, bytes + i * size,
                     at[i].kind == VAL_INT ? scalar_from_i64(t, at[i].i) : scalar_from_f64(t, f));
    }
    int64_t dim = n;
    *out = model_weight(x, NULL, t, list, &dim, bytes);
    return true;
}

static bool tree_val(struct export *x, const struct value *v, enum dtype type, struct span span,
                     struct val **out);

static bool node_of(struct export *x, const struct value *v, uint32_t out, struct span span,
                    struct val **to) {
    const struct value *at = v->list->at;
    if (v->kind != VAL_LIST || v->list->n != 3 || at[0].kind != VAL_STR || at[1].kind != VAL_LIST ||
        at[2].kind != VAL_LIST)
        return false;
    const struct value_list *in = at[1].list, *attributes = at[2].list;
    enum dtype type = DT_NONE;
    for (uint32_t i = 0; i < in->n && type == DT_NONE; i++)
        if (in->at[i].kind == VAL_TENSOR || in->at[i].kind == VAL_SCALAR)
            type = in->at[i].dtype;
    struct val **vals = ARENA_ARRAY(x->arena, struct val *, in->n + 1);
    for (uint32_t i = 0; i < in->n; i++)
        if (!tree_val(x, &in->at[i], type, span, &vals[i]))
            return false;
    VEC(struct wire_attribute *) all = {0};
    for (uint32_t i = 0; i < attributes->n; i++) {
        struct wire_attribute *a;
        const struct value *pair = &attributes->at[i];
        if (pair->kind == VAL_LIST && pair->list->n == 2 && pair->list->at[1].kind == VAL_ABSENT)
            continue;
        if (!attribute_of(x, pair, &a)) {
            export_refuse(x, span, "an attribute of %s that is not known before it runs",
                          name_text(x->ev.names, at[0].str));
            *to = nothing(x);
            return true;
        }
        VEC_PUSH(x->arena, all, a);
    }
    *to = model_node(x, name_text(x->ev.names, at[0].str), "", in->n, vals, all.n, all.at, out);
    (*to)->by->said = at[2];
    return true;
}

/* The value of the tree V; *OUT is NULL for an input that is left out. False: it is no tree. */
static bool tree_val(struct export *x, const struct value *v, enum dtype type, struct span span,
                     struct val **out) {
    *out = NULL;
    switch (v->kind) {
    case VAL_ABSENT: return true;
    case VAL_STR: *out = handle_val(x, v); return *out != NULL;
    case VAL_TENSOR: *out = verb_tensor(x, v->tensor, span); return true;
    case VAL_SCALAR: *out = lazy_full(x, v->expr, 0, NULL); return true;
    case VAL_INT:
    case VAL_FLOAT:
    case VAL_BOOL: return type != DT_NONE && constant_of(x, type, v, out);
    case VAL_SYM:
        *out = lazy_full(
            x, lazy_cast(x, type == DT_NONE ? DT_i64 : type, integer_lazy(x, v->sym, span)), 0,
            NULL);
        return true;
    case VAL_LIST:
    case VAL_PACK: {
        const struct value *at = v->list->at;
        uint32_t n = v->list->n;
        if (v->tuple && n == 2 && at[0].kind == VAL_DTYPE)
            return constant_of(x, at[0].dtype, &at[1], out);
        if (v->tuple && n == 2 && at[0].kind == VAL_INT && at[1].kind == VAL_LIST)
            return node_of(x, &at[1], (uint32_t)at[0].i, span, out);
        if (v->tuple && n == 3 && at[0].kind == VAL_STR)
            return node_of(x, v, 0, span, out);
        *out = integer_vector(x, n, at, span);
        return *out != NULL;
    }
    default: return false;
    }
}

/* --- calls ------------------------------------------------------------------------------------ */

static const struct ast *row_find(struct export *x, struct name n) {
    const struct module *where;
    const struct ast *def = module_find(x->order.rows, n, &where);
    return def && where == x->order.rows && def->kind == AST_FN ? def : NULL;
}

const struct ast *row_named(struct export *x, const char *name) {
    return row_find(x, name_of_text(x->ev.names, name));
}

/* Calls the row DEF, with the version of ONNX's operators if it asks for it. */
static bool row_eval(struct export *x, const struct ast *def, uint32_t nargs,
                     const struct value *args, const struct name *keywords, struct span span,
                     struct value *out) {
    struct function *fn = ARENA_NEW(x->arena, struct function);
    struct value callee = {.kind = VAL_FN, .dtype = DT_NONE, .fn = fn};
    struct name opset = name_of_text(x->ev.names, "opset");
    const struct ast *params = def->kids[0];
    *fn = (struct function){.def = def, .module = x->order.rows};
    struct value *all = ARENA_ARRAY(x->arena, struct value, nargs + 1);
    struct name *names = ARENA_ARRAY(x->arena, struct name, nargs + 1);
    for (uint32_t i = 0; i < nargs; i++) {
        all[i] = args[i];
        names[i] = keywords ? keywords[i] : (struct name){0};
    }
    for (uint32_t p = 0; p < params->nkids; p++)
        if (name_eq(params->kids[p]->name, opset)) {
            all[nargs] = value_int(x->order.opset);
            names[nargs++] = opset;
        }
    x->muted++; /* a row is not exported itself */
    bool ok = eval_call(&x->ev, &callee, nargs, all, names, span, out);
    x->muted--;
    return ok;
}

/* For each of the N values at GIVEN its number, if it is one that is written in the model, or
   none. */
static struct value numbers_of(struct export *x, uint32_t n, const struct value *given) {
    struct value all = value_list_new(x->arena, VAL_LIST, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct val *v = handle_val(x, &given[i]);
        const struct wire_tensor *w = v ? v->weight : NULL;
        enum dtype t = w ? onnx_element(w->data_type) : DT_NONE;
        all.list->at[i] = (struct value){.kind = VAL_ABSENT, .dtype = DT_NONE};
        if (!w || v->name || w->dims.n)
            continue;
        union scalar at = scalar_load(t, w->raw_data.at);
        if (dtype_is_float(t))
            all.list->at[i] = value_float(scalar_cast(t, DT_f64, at).f64);
        else
            all.list->at[i] = value_int(scalar_cast(t, DT_i64, at).i64);
    }
    return all;
}

/* The row PREFIX_NAME for the N values at GIVEN. */
static struct val *call_values(struct export *x, const char *prefix, const char *name, uint32_t n,
                               const struct value *given, uint32_t nstatics,
                               const struct row_static *statics, enum dtype type,
                               struct span span) {
    char *text = arena_printf(x->arena, "%s_%s", prefix, name);
    for (char *c = text; *c; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    const struct ast *def = row_find(x, name_of_text(x->ev.names, text));
    struct val *out = NULL;
    struct value args[10], tree;
    struct name names[10] = {{0}};
    uint32_t most = sizeof args / sizeof *args, ngiven = n;
    if (!def || n + nstatics + 2 > most) {
        export_refuse(x, span, "%s", text + strlen(prefix) + 1);
        return nothing(x);
    }
    for (uint32_t i = 0; i < n; i++)
        args[i] = given[i];
    for (uint32_t i = 0; i < nstatics; i++, n++) {
        args[n] = statics[i].value;
        names[n] = name_of_text(x->ev.names, statics[i].name);
    }
    for (uint32_t p = 0; p < def->kids[0]->nkids; p++) {
        struct name asked = def->kids[0]->kids[p]->name;
        bool wants_type = strcmp(name_text(x->ev.names, asked), "type") == 0;
        if (!wants_type && strcmp(name_text(x->ev.names, asked), "numbers") != 0)
            continue;
        args[n] = wants_type ? value_dtype(type) : numbers_of(x, ngiven, given);
        names[n++] = asked;
    }
    if (!row_eval(x, def, n, args, names, span, &tree) || !tree_val(x, &tree, type, span, &out) ||
        !out) {
        export_refuse(x, span, "%s of %s", text + strlen(prefix) + 1,
                      type == DT_NONE ? "this" : dtypes[type].name);
        return nothing(x);
    }
    return out;
}

struct val *row_call(struct export *x, const char *prefix, const char *name, uint32_t n,
                     struct val *const *vals, uint32_t nstatics, const struct row_static *statics,
                     enum dtype type, struct span span) {
    struct value *given = ARENA_ARRAY(x->arena, struct value, n + 1);
    for (uint32_t i = 0; i < n; i++)
        given[i] = handle(x, vals[i]);
    return call_values(x, prefix, name, n, given, nstatics, statics, type, span);
}

struct val *row_move(struct export *x, enum move m, uint32_t n, struct val *const *vals,
                     uint32_t nstatics, const struct row_static *statics, enum dtype type) {
    return row_call(x, "move", moves[m], n, vals, nstatics, statics, type, (struct span){0});
}

struct val *row_join(struct export *x, uint32_t n, struct val *const *vals, int64_t axis,
                     enum dtype type) {
    struct value list = value_list_new(x->arena, VAL_LIST, n);
    struct row_static s = {"axis", value_int(axis)};
    for (uint32_t k = 0; k < n; k++)
        list.list->at[k] = handle(x, vals[k]);
    return call_values(x, "move", moves[MOVE_join], 1, &list, 1, &s, type, (struct span){0});
}

struct value row_list(struct export *x, uint32_t n, const int64_t *at) {
    struct value v = value_list_new(x->arena, VAL_LIST, n);
    for (uint32_t i = 0; i < n; i++)
        v.list->at[i] = value_int(at[i]);
    return v;
}

struct val *row_fold(struct export *x, const struct ast *row, uint32_t n, const struct value *in) {
    struct value tree;
    struct val *out = NULL;
    struct span nowhere = {0};
    if (!row_eval(x, row, n, in, NULL, nowhere, &tree) || tree.kind == VAL_ABSENT)
        return NULL;
    return tree_val(x, &tree, DT_NONE, nowhere, &out) ? out : NULL;
}

struct value row_value(struct export *x, struct val *v) {
    if (!v->shaped)
        return handle(x, v);
    struct tensor *t = tensor_of(&x->ev, v->type, v->rank, v->dims, (struct span){0});
    struct cont *c = verb_cont_new(x, t);
    c->around = 0;
    c->now = lazy_of(x, v, v->type, v->rank, c->own);
    return value_tensor(t);
}

/* Makes V, what the function gives, hold the values of TREE. */
static bool bind_result(struct export *x, const struct value *tree, struct span span,
                        struct value *v) {
    struct val *val;
    if (v->kind == VAL_LIST) {
        if (tree->kind != VAL_LIST || tree->list->n != v->list->n)
            return false;
        for (uint32_t k = 0; k < v->list->n; k++)
            if (!bind_result(x, &tree->list->at[k], span, &v->list->at[k]))
                return false;
        return true;
    }
    if (!tree_val(x, tree, v->dtype, span, &val) || !val)
        return false;
    if (v->kind == VAL_SCALAR) {
        *v = value_lazy(lazy_of(x, val, v->dtype, 0, NULL));
        return true;
    }
    if (v->kind != VAL_TENSOR)
        return false;
    struct tensor *t = tensor_of(&x->ev, v->dtype, v->tensor->rank, v->tensor->dims, span);
    for (uint32_t d = 0; d < t->rank; d++) { /* a size that the run finds is that of the value */
        struct name n;
        if (t->dims[d].kind == VAL_SYM && sym_is_atom(x->ev.syms, t->dims[d].sym, &n)) {
            const struct meaning *m = integer_meaning(x, n);
            if (m && m->found && !m->found->val)
                integer_mean(x, n, (struct meaning){.of = val, .dim = (int32_t)d});
        }
    }
    struct cont *c = verb_cont_new(x, t);
    c->now = lazy_of(x, val, v->dtype, t->rank, c->own);
    *v = value_tensor(t);
    return true;
}

/* V with values in the place of containers, which a row would copy. */
static struct value values_only(struct export *x, const struct value *v) {
    struct value r = *v;
    if (v->kind == VAL_LIST) {
        r = value_list_new(x->arena, VAL_LIST, v->list->n);
        r.tuple = v->tuple;
        for (uint32_t i = 0; i < v->list->n; i++)
            r.list->at[i] = values_only(x, &v->list->at[i]);
    } else if (v->kind == VAL_TENSOR) {
        r.tensor = arena_copy(x->arena, v->tensor, sizeof *r.tensor);
        r.tensor->container = r.tensor->live = r.tensor->carried = false;
        r.tensor->state = NULL;
    }
    return r;
}

bool row_replace(void *host, const struct function *fn, uint32_t nargs, const struct value *args,
                 const struct name *keywords, struct span span, struct value *out, bool *done) {
    struct export *x = host;
    *done = false;
    bool library = fn->module == x->ev.prelude;
    for (uint32_t i = 0; i < x->order.rows->uses.n; i++)
        library = library || fn->module == x->order.rows->uses.at[i];
    if (x->muted || x->nest.n || x->mask || !library)
        return true;
    const struct ast *row = row_find(x, fn->def->name);
    struct value tree, callee = {.kind = VAL_FN, .dtype = DT_NONE, .fn = (struct function *)fn};
    if (!row)
        return true;
    struct value *given = ARENA_ARRAY(x->arena, struct value, nargs + 1);
    for (uint32_t i = 0; i < nargs; i++)
        given[i] = values_only(x, &args[i]);
    x->muted++; /* for the shapes of the results, and what is wrong with the arguments */
    bool ok = eval_call(&x->ev, &callee, nargs, args, keywords, span, out);
    x->muted--;
    if (!ok || !row_eval(x, row, nargs, given, keywords, span, &tree))
        return false;
    if (tree.kind == VAL_ABSENT)
        return true;
    *done = true;
    if (!bind_result(x, &tree, span, out))
        export_refuse(x, span, "%s with these arguments", name_text(x->ev.names, fn->def->name));
    return true;
}
