/* Functions with a gradient of their own, `grad f(..) -> ..` beside `fn f`. While a gradient is
   taken, a call of f is evaluated as ever, and the host keeps what it writes down apart: in place
   of its reverse stands the call of `grad f` (eval_grad), with f's arguments and results and the
   adjoints of the results.

   Before: the checker has compared the two signatures. A function is found by its own name in its
   module, its gradient by that of ast_grad_name. */
#include "lang/eval/internal.h"

#include <string.h>

const struct ast *own_gradient(struct eval *ev, const struct function *fn) {
    const struct module *where;
    struct name n = ast_grad_name(ev->arena, ev->names, fn->def->name);
    const struct ast *def = fn->self ? NULL : module_find(fn->module, n, &where);
    return def && where == fn->module ? def : NULL;
}

bool gradient_is_derived(struct eval *ev) {
    return ev->defining || (ev->reversed && !host_keep_begin(ev));
}

/* V as a tensor of which a container holds the content: what a gradient can be handed to. */
static bool to_container(struct eval *ev, struct value *v, struct span span) {
    if (v->kind == VAL_SCALAR && dtype_is_float(v->dtype) && !v->weak) {
        struct tensor *x = declare(ev, v->dtype, 0, NULL, STORE_NONE, NULL, (struct name){0}, span);
        if (!x || !ev->ops->write(ev->host, x, NULL, *v, RES_NONE, false, span))
            return false;
        *v = value_tensor(x);
        return true;
    }
    if (!bring(ev, v))
        return false;
    return v->kind != VAL_TENSOR || !v->tensor->map || !dtype_is_float(v->dtype) ||
           tensor_copy(ev, v->tensor, (struct name){0}, span, v);
}

/* A result without a name is called y. It may be an argument as it came in: then a copy. */
static bool note_results(struct eval *ev, struct grad_call *c, const struct ast *fn,
                         struct value *results) {
    c->nout = fn_result_count(fn);
    c->out_name = ARENA_ARRAY(ev->arena, struct name, c->nout);
    c->out = ARENA_ARRAY(ev->arena, struct tensor *, c->nout);
    for (uint32_t k = 0; k < c->nout; k++) {
        struct value *v = c->nout == 1 ? results : &results->list->at[k];
        c->out_name[k] = fn_result_name(fn, k);
        if (name_none(c->out_name[k])) {
            c->out_name[k] = name_lit(ev, "y");
            if (!to_container(ev, v, c->span))
                return false;
            for (uint32_t i = 0; i < c->nin && v->kind == VAL_TENSOR; i++)
                if (c->in[i].kind == VAL_TENSOR && same_storage(c->in[i].tensor, v->tensor) &&
                    !tensor_copy(ev, v->tensor, (struct name){0}, c->span, v))
                    return false;
        }
        if (v->kind != VAL_TENSOR) {
            diag_error(ev->diags, c->span, ERR_RESULT_SHAPE, text_of(ev, fn->name),
                       value_text(ev, v), "a tensor, for its gradient");
            return false;
        }
        c->out[k] = v->tensor;
    }
    return true;
}

/* Whether V, of a static parameter, has tensors that may be differentiated by: in a list, or as the
   params of an instance. A gradient function gives none for them. */
static bool holds_floats(struct eval *ev, const struct value *v) {
    for (uint32_t i = 0; v->kind == VAL_LIST && i < v->list->n; i++)
        if (holds_floats(ev, &v->list->at[i]))
            return true;
    if (v->kind == VAL_FN && v->fn->self) {
        struct value self = {.kind = VAL_INSTANCE, .dtype = DT_NONE, .instance = v->fn->self};
        return holds_floats(ev, &self);
    }
    return trained_states(ev, v).list->n > 0;
}

bool call_with_gradient(struct eval *ev, const struct function *fn, const struct ast *grad,
                        uint32_t nargs, const struct value *args, const struct name *keywords,
                        struct span span, struct value *out) {
    const struct ast *params = fn->def->kids[0];
    const char *what = text_of(ev, fn->def->name);
    int32_t *slots = ARENA_ARRAY(ev->arena, int32_t, params->nkids);
    if (!match_arguments(ev, what, params, nargs, keywords, span, slots))
        return false;
    struct grad_call *c = ARENA_NEW(ev->arena, struct grad_call);
    struct function *own = ARENA_NEW(ev->arena, struct function);
    *own = (struct function){.def = grad, .module = fn->module};
    *c = (struct grad_call){.grad = own, .span = span};
    c->in_name = ARENA_ARRAY(ev->arena, struct name, nargs);
    c->in = ARENA_ARRAY(ev->arena, struct value, nargs);
    struct value *given = arena_copy(ev->arena, args, nargs * sizeof *args);
    for (uint32_t p = 0; p < params->nkids; p++) {
        if (slots[p] < 0)
            continue;
        struct value *v = &given[slots[p]];
        if (!eval_param_is_static(ev, fn->module, params->kids[p])) {
            if (!to_container(ev, v, span))
                return false;
        } else if (holds_floats(ev, v)) {
            struct diag *d =
                diag_error(ev->diags, span, ERR_GRAD, text_of(ev, grad->name),
                           arena_printf(ev->arena, "%s of %s holds float tensors, which get none",
                                        text_of(ev, params->kids[p]->name), what));
            diag_help(ev->diags, d, "a parameter with an element type gets a gradient");
            return false;
        }
        c->in_name[c->nin] = params->kids[p]->name;
        c->in[c->nin++] = *v;
    }
    if (!host_keep_begin(ev)) {
        struct diag *d = diag_error(ev->diags, span, ERR_NOT_HERE,
                                    arena_printf(ev->arena,
                                                 "%s has a gradient of its own and is called "
                                                 "inside a map, loop or branch",
                                                 what));
        diag_help(ev->diags, d, "where a gradient is taken, call it with whole tensors");
        return false;
    }
    ev->reversed = false;
    bool ok = call_function(ev, fn, nargs, given, keywords, span, out);
    ev->reversed = true;
    ok = ok && note_results(ev, c, fn->def, out);
    ev->ops->keep_end(ev->host, ok ? c : NULL);
    return ok;
}

/* --- the reverse ------------------------------------------------------------------------------ */

static int32_t find_name(uint32_t n, const struct name *names, struct name name) {
    for (uint32_t i = 0; i < n; i++)
        if (name_eq(names[i], name))
            return (int32_t)i;
    return -1;
}

/* The name of `d` and N. */
static struct name adjoint_name(struct eval *ev, struct name n) {
    return name_lit(ev, arena_printf(ev->arena, "d%s", text_of(ev, n)));
}

struct sum {
    struct eval *ev;
    struct tensor *from, *to; /* TO has FROM's dimensions, or fewer, or 1 where those are more */
    struct span span;
};

static bool sum_body(void *data, const struct value *index) {
    const struct sum *s = data;
    struct eval *ev = s->ev;
    struct value v, from[EVAL_MAX_RANK], to[EVAL_MAX_RANK];
    real_indices(ev, s->from, index, from);
    real_indices(ev, s->to, index, to);
    return ev->ops->read(ev->host, s->from, from, NULL, s->span, &v) &&
           ev->ops->write(ev->host, s->to, to, v, RES_SUM, false, s->span);
}

/* *TO += FROM, the result WHAT of GRAD, summed over what TO was broadcast along. */
static bool add_up(struct eval *ev, struct tensor *from, struct tensor *to, const char *what,
                   const struct ast *grad) {
    const char *why = arena_printf(ev->arena, "%s is %s, expected %s", what, type_text(ev, from),
                                   type_text(ev, to));
    bool fits = from->dtype == to->dtype && from->rank >= to->rank;
    for (uint32_t d = 0; fits && d < to->rank; d++) {
        const struct value *own = &to->dims[d], one = value_int(1);
        if (int_equal(ev, own, &one) == 1)
            continue;
        enum equal eq = require_equal(
            ev, own, &from->dims[from->rank - to->rank + d],
            arena_printf(ev->arena, "%s: %s", text_of(ev, grad->name), why), grad->span);
        if (eq == EQUAL_FAILED)
            return false;
        fits = eq == EQUAL_YES;
    }
    if (!fits) {
        diag_error(ev->diags, grad->span, ERR_GRAD, text_of(ev, grad->name), why);
        return false;
    }
    to = tensor_broadcast(ev, to, 0, to->rank, from->rank, from->dims);
    struct sum s = {ev, from, to, grad->span};
    return map_elements(ev, from->rank, from->dims, grad->span, sum_body, &s);
}

bool eval_grad(struct eval *ev, const struct grad_call *c, struct tensor *const *dout,
               struct tensor *const *din) {
    const struct ast *def = c->grad->def, *params = def->kids[0];
    uint32_t n = 0;
    struct value *args = ARENA_ARRAY(ev->arena, struct value, params->nkids), result;
    struct name *names = ARENA_ARRAY(ev->arena, struct name, params->nkids);
    for (uint32_t p = 0; p < params->nkids; p++) {
        struct name name = params->kids[p]->name;
        int32_t in = find_name(c->nin, c->in_name, name);
        int32_t out = find_name(c->nout, c->out_name, name);
        for (uint32_t k = 0; k < c->nout && in < 0 && out < 0; k++)
            if (name_eq(adjoint_name(ev, c->out_name[k]), name) && dout[k])
                args[n] = value_tensor(dout[k]), names[n++] = name;
        if (in >= 0)
            args[n] = c->in[in], names[n++] = name;
        else if (out >= 0)
            args[n] = value_tensor(c->out[out]), names[n++] = name;
    }
    bool training = ev->training, reversed = ev->reversed;
    ev->training = ev->reversed = false;
    bool ok = call_function(ev, c->grad, n, args, names, c->span, &result);
    ev->training = training;
    ev->reversed = reversed;
    uint32_t results = fn_result_count(def);
    for (uint32_t i = 0; ok && i < c->nin; i++) {
        if (!din[i])
            continue;
        struct name name = adjoint_name(ev, c->in_name[i]);
        const char *what = text_of(ev, name);
        const struct value *v = NULL;
        for (uint32_t k = 0; k < results; k++)
            if (name_eq(fn_result_name(def, k), name))
                v = results == 1 ? &result : &result.list->at[k];
        if (v && v->kind != VAL_TENSOR)
            diag_error(
                ev->diags, def->span, ERR_GRAD, text_of(ev, def->name),
                arena_printf(ev->arena, "%s is %s, expected a tensor", what, value_text(ev, v)));
        ok = v && v->kind == VAL_TENSOR && add_up(ev, v->tensor, din[i], what, def);
    }
    return ok;
}
