/* Values and scopes: construction, lookup, printing. Scopes keep their bindings in order of
   definition and find them through a hash map, so a function of many lines stays linear. */
#include "lang/eval/value.h"

#include "lang/eval/internal.h"
#include "lang/scalar/print_number.h"

#include <string.h>

static const char *const kind_names[VAL_COUNT] = {
    [VAL_NONE] = "nothing",
    [VAL_ABSENT] = "none",
    [VAL_INT] = "an integer",
    [VAL_SYM] = "an integer",
    [VAL_FLOAT] = "a number",
    [VAL_BOOL] = "a truth value",
    [VAL_STR] = "a string",
    [VAL_DTYPE] = "an element type",
    [VAL_LIST] = "a list",
    [VAL_PACK] = "a pack",
    [VAL_FN] = "a function",
    [VAL_LAYER] = "a layer",
    [VAL_INSTANCE] = "an instance of a layer",
    [VAL_BUILTIN] = "a function",
    [VAL_SCALAR] = "a run-time scalar",
    [VAL_TENSOR] = "a tensor",
    [VAL_STATE] = "a tensor",
};

const char *value_kind_name(const struct value *v) {
    return kind_names[v->kind];
}

const char *value_text(struct eval *ev, const struct value *v) {
    struct buf text = buf_new(ev->arena);
    switch (v->kind) {
    case VAL_TENSOR: return type_text(ev, v->tensor);
    case VAL_SCALAR: return dtypes[v->dtype].name;
    case VAL_INT:
    case VAL_SYM:
    case VAL_FLOAT: value_print(ev, v, &text); return text.at;
    case VAL_LIST: return v->list->n ? "a list" : "an empty list";
    default: return value_kind_name(v);
    }
}

struct value value_list_new(struct arena *a, enum value_kind kind, uint32_t n) {
    struct value v = {.kind = kind, .dtype = DT_NONE};
    v.list = ARENA_NEW(a, struct value_list);
    v.list->n = n;
    v.list->at = ARENA_ARRAY(a, struct value, n);
    return v;
}

bool value_equal(const struct value *a, const struct value *b) {
    if (a->kind == VAL_INT && b->kind == VAL_FLOAT)
        return (double)a->i == b->f;
    if (a->kind == VAL_FLOAT && b->kind == VAL_INT)
        return a->f == (double)b->i;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VAL_ABSENT: return true;
    case VAL_INT: return a->i == b->i;
    case VAL_SYM: return sym_eq(a->sym, b->sym);
    case VAL_FLOAT: return a->f == b->f;
    case VAL_BOOL: return a->b == b->b;
    case VAL_STR:
    case VAL_BUILTIN: return name_eq(a->str, b->str);
    case VAL_DTYPE: return a->dtype == b->dtype;
    case VAL_LIST:
    case VAL_PACK:
        if (a->list->n != b->list->n)
            return false;
        for (uint32_t i = 0; i < a->list->n; i++)
            if (!value_equal(&a->list->at[i], &b->list->at[i]))
                return false;
        return true;
    case VAL_FN: return a->fn->def == b->fn->def && a->fn->self == b->fn->self;
    case VAL_LAYER: return a->layer->def == b->layer->def;
    case VAL_INSTANCE: return a->instance == b->instance;
    case VAL_TENSOR: return a->tensor == b->tensor;
    default: return false;
    }
}

struct env *env_new(struct arena *a, enum env_kind kind, struct env *parent,
                    const struct module *module) {
    struct env *e = ARENA_NEW(a, struct env);
    e->kind = kind;
    e->parent = parent;
    e->module = module;
    e->arena = a;
    e->index = map_new(a);
    return e;
}

/* Scopes of few names, as those of iterations are, have no index. */
enum { NAMES_LOOKED_THROUGH = 8 };

static struct binding *own_binding(struct env *e, struct name n) {
    uint64_t at;
    if (e->bindings.n > NAMES_LOOKED_THROUGH) { /* the index also has what was cut off */
        bool known = map_get(&e->index, n.i, &at) && at < e->bindings.n;
        return known && name_eq(e->bindings.at[at].name, n) ? &e->bindings.at[at] : NULL;
    }
    for (uint32_t i = 0; i < e->bindings.n; i++)
        if (e->bindings.at[i].name.i == n.i)
            return &e->bindings.at[i];
    return NULL;
}

struct binding *env_find(struct env *e, struct name n, struct env **where) {
    for (; e; e = e->parent) {
        struct binding *b = own_binding(e, n);
        if (b) {
            if (where)
                *where = e;
            return b;
        }
    }
    return NULL;
}

void env_bind(struct env *e, struct name n, struct value v, struct span span) {
    struct binding b = {n, v, span}, *known = own_binding(e, n);
    if (known) {
        *known = b;
        return;
    }
    uint32_t before = e->bindings.n;
    if (before == NAMES_LOOKED_THROUGH)
        for (uint32_t i = 0; i < before; i++)
            map_put(&e->index, e->bindings.at[i].name.i, i);
    VEC_PUSH(e->arena, e->bindings, b); /* first: there may be no memory for the other */
    if (before >= NAMES_LOOKED_THROUGH)
        map_put(&e->index, n.i, before);
}

void env_cut(struct env *e, uint32_t n) {
    e->bindings.n = n;
}

void value_print(struct eval *ev, const struct value *v, struct buf *out) {
    switch (v->kind) {
    case VAL_INT: buf_printf(out, "%lld", (long long)v->i); break;
    case VAL_SYM: sym_print(ev->syms, v->sym, out); break;
    case VAL_FLOAT: print_number(v->f, DT_f64, out); break;
    case VAL_BOOL: buf_text(out, v->b ? "true" : "false"); break;
    case VAL_STR: buf_text(out, name_text(ev->names, v->str)); break;
    case VAL_DTYPE: buf_text(out, dtypes[v->dtype].name); break;
    case VAL_LIST:
    case VAL_PACK:
        buf_text(out, v->tuple ? "(" : "[");
        for (uint32_t i = 0; i < v->list->n; i++) {
            if (i)
                buf_text(out, ", ");
            value_print(ev, &v->list->at[i], out);
        }
        buf_text(out, v->tuple ? ")" : "]");
        break;
    case VAL_FN: buf_printf(out, "fn %s", name_text(ev->names, v->fn->def->name)); break;
    case VAL_LAYER: buf_printf(out, "layer %s", name_text(ev->names, v->layer->def->name)); break;
    case VAL_INSTANCE:
        buf_printf(out, "%s", name_text(ev->names, v->instance->layer->def->name));
        break;
    case VAL_BUILTIN: buf_printf(out, "fn %s", name_text(ev->names, v->str)); break;
    case VAL_SCALAR: buf_text(out, dtypes[v->dtype].name); break;
    case VAL_TENSOR: buf_text(out, type_text(ev, v->tensor)); break;
    case VAL_ABSENT: buf_text(out, "none"); break;
    default: buf_text(out, "nothing"); break;
    }
}

const char *type_text(struct eval *ev, const struct tensor *t) {
    struct buf b = buf_new(ev->arena);
    buf_text(&b, dtypes[t->dtype].name);
    buf_text(&b, "[");
    for (uint32_t d = 0; d < t->rank; d++) {
        if (d)
            buf_text(&b, ", ");
        if (t->dims[d].kind == VAL_NONE)
            buf_text(&b, "?");
        else
            value_print(ev, &t->dims[d], &b);
    }
    buf_text(&b, "]");
    return b.at;
}

struct name name_lit(struct eval *ev, const char *text) {
    return name_of_text(ev->names, text);
}
