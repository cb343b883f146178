/* Functions of scalars, called with tensors: one map over the broadcast of the tensors, in which
   the function is called with an element of each. Before: all run-time parameters and results have
   no dimensions, and an argument has some. After: each result is a tensor of the broadcast's
   dimensions. */
#include "lang/eval/internal.h"

#include <string.h>

/* An element type or a type variable, without brackets. */
static bool is_scalar_type(struct eval *ev, const struct function *fn, const struct ast *type) {
    if (!type || (type->flags & AST_BRACKETS))
        return false;
    if (dtype_of(text_of(ev, type->name)) != DT_NONE)
        return true;
    const struct ast *where = fn->def->kids[2];
    for (uint32_t i = 0; i < where->nkids; i++)
        if (where->kids[i]->kind == AST_CONSTRAINT && name_eq(where->kids[i]->name, type->name))
            return true;
    return false;
}

/* The parameter that argument A is for; NULL if there is none. */
static const struct ast *param_of(const struct function *fn, uint32_t a,
                                  const struct name *keywords) {
    const struct ast *params = fn->def->kids[0];
    bool named = keywords && !name_none(keywords[a]);
    uint32_t position = 0;
    for (uint32_t i = 0; i < a; i++)
        position += !keywords || name_none(keywords[i]);
    for (uint32_t p = 0; p < params->nkids; p++)
        if (named ? name_eq(params->kids[p]->name, keywords[a]) : p == position)
            return params->kids[p];
    return NULL;
}

bool lifts(struct eval *ev, const struct function *fn, uint32_t nargs, const struct value *args,
           const struct name *keywords) {
    bool tensors = false;
    for (uint32_t a = 0; a < nargs; a++) {
        if ((args[a].kind != VAL_TENSOR || args[a].tensor->rank == 0) &&
            !stands_for_tensor(&args[a]))
            continue;
        const struct ast *param = param_of(fn, a, keywords);
        if (!param || eval_param_is_static(ev, fn->module, param))
            return false;
        tensors = true;
    }
    const struct ast *params = fn->def->kids[0], *results = fn->def->kids[1];
    for (uint32_t p = 0; tensors && p < params->nkids; p++)
        if (!eval_param_is_static(ev, fn->module, params->kids[p]) &&
            (!is_scalar_type(ev, fn, params->kids[p]->kids[0]) ||
             (params->kids[p]->flags & AST_INOUT)))
            return false;
    for (uint32_t i = 0; tensors && i < results->nkids; i++)
        if (!is_scalar_type(ev, fn, results->kids[i]->kids[0]))
            return false;
    return tensors && results->nkids > 0;
}

struct lifted {
    struct eval *ev;
    const struct function *fn;
    uint32_t nargs;
    const struct value *args; /* tensors seen through their broadcast */
    const struct name *keywords;
    struct tensor **out; /* one per result */
    struct span span;
};

static bool lifted_body(void *data, const struct value *index) {
    struct lifted *l = data;
    struct eval *ev = l->ev;
    struct value *args = ARENA_ARRAY(ev->arena, struct value, l->nargs), at[EVAL_MAX_RANK], result;
    for (uint32_t a = 0; a < l->nargs; a++) {
        args[a] = l->args[a];
        if (args[a].kind != VAL_TENSOR || args[a].tensor->rank == 0)
            continue;
        real_indices(ev, args[a].tensor, index, at);
        if (!ev->ops->read(ev->host, args[a].tensor, at, NULL, l->span, &args[a]))
            return false;
    }
    if (!call_function(ev, l->fn, l->nargs, args, l->keywords, l->span, &result))
        return false;
    uint32_t n = fn_result_count(l->fn->def);
    for (uint32_t k = 0; k < n; k++) {
        struct value v = n == 1 ? result : result.list->at[k];
        if (!to_scalar(ev, l->out[k]->dtype, &v, text_of(ev, l->fn->def->name), l->span) ||
            !ev->ops->write(ev->host, l->out[k], index, v, RES_NONE, false, l->span))
            return false;
    }
    return true;
}

/* The element type of TYPE in a call: that of the arguments for a type variable. */
static enum dtype element_of(struct lifted *l, const struct ast *type) {
    enum dtype t = dtype_of(text_of(l->ev, type->name)), weak = DT_NONE;
    for (uint32_t a = 0; t == DT_NONE && a < l->nargs; a++) {
        const struct value *v = &l->args[a];
        const struct ast *own = param_of(l->fn, a, l->keywords)->kids[0];
        if (!own || !name_eq(own->name, type->name))
            continue;
        if (v->kind == VAL_TENSOR || (v->kind == VAL_SCALAR && !v->weak))
            t = v->dtype;
        else if (weak == DT_NONE && stands_for_tensor(v))
            weak = list_element(v, DT_NONE);
        else if (weak == DT_NONE && value_is_scalar(v))
            weak = v->kind == VAL_FLOAT || v->kind == VAL_SCALAR ? DT_f32
                   : v->kind == VAL_BOOL                         ? DT_bool
                                                                 : DT_i64;
    }
    return t == DT_NONE ? numbers_element(l->ev, l->fn->def->kids[2], type->name, weak) : t;
}

/* Makes tensors of the arguments that are lists. */
static bool make_tensors(struct lifted *l, struct value *args) {
    for (uint32_t a = 0; a < l->nargs; a++) {
        if (!stands_for_tensor(&args[a]))
            continue;
        const struct ast *param = param_of(l->fn, a, l->keywords);
        enum dtype t = element_of(l, param->kids[0]);
        if (!list_tensor(l->ev, t, param->name, l->span, &args[a]))
            return false;
    }
    return true;
}

bool lift_call(struct eval *ev, const struct function *fn, uint32_t nargs, const struct value *args,
               const struct name *keywords, struct span span, struct value *out) {
    const char *what = text_of(ev, fn->def->name);
    const struct ast *results = fn->def->kids[1];
    uint32_t rank = 0;
    struct value *dims = NULL, *seen = arena_copy(ev->arena, args, nargs * sizeof *args);
    struct lifted l = {.ev = ev,
                       .fn = fn,
                       .nargs = nargs,
                       .args = seen,
                       .keywords = keywords,
                       .out = ARENA_ARRAY(ev->arena, struct tensor *, results->nkids),
                       .span = span};
    if (!make_tensors(&l, seen))
        return false;
    for (uint32_t a = 0; a < nargs; a++)
        if (seen[a].kind == VAL_TENSOR &&
            !broadcast_dims(ev, what, &rank, &dims, seen[a].tensor->rank, seen[a].tensor->dims,
                            span))
            return false;
    for (uint32_t a = 0; a < nargs; a++)
        if (seen[a].kind == VAL_TENSOR && seen[a].tensor->rank > 0)
            seen[a].tensor =
                tensor_broadcast(ev, seen[a].tensor, 0, seen[a].tensor->rank, rank, dims);
    struct value all = value_list_new(ev->arena, VAL_LIST, results->nkids);
    all.tuple = true;
    for (uint32_t k = 0; k < results->nkids; k++) {
        enum dtype t = element_of(&l, results->kids[k]->kids[0]);
        if (t == DT_NONE) {
            diag_error(ev->diags, span, ERR_UNKNOWN_TYPE,
                       text_of(ev, results->kids[k]->kids[0]->name));
            return false;
        }
        l.out[k] = declare(ev, t, rank, dims, STORE_NONE, NULL, results->kids[k]->name, span);
        if (!l.out[k])
            return false;
        all.list->at[k] = value_tensor(l.out[k]);
    }
    if (!map_elements(ev, rank, dims, span, lifted_body, &l))
        return false;
    *out = results->nkids == 1 ? all.list->at[0] : all;
    return true;
}
