/* gradient and minimize. Both evaluate an expression, ask the host for its gradients by tensors
   (the
   states of an instance, or one tensor), and minimize then calls the optimizer's `step(w, g)` for
   each state. The expression is evaluated as training. */
#include "lang/eval/internal.h"

struct targets {
    struct eval *ev;
    VEC(struct tensor *) at;
    bool ok;
};

static void add_states(struct targets *t, const struct value *v, struct span span) {
    struct eval *ev = t->ev;
    if (v->kind == VAL_LIST)
        for (uint32_t i = 0; i < v->list->n; i++)
            add_states(t, &v->list->at[i], span);
    if (v->kind == VAL_INSTANCE)
        for (uint32_t i = 0; i < v->instance->env->bindings.n; i++)
            add_states(t, &v->instance->env->bindings.at[i].value, span);
    if (v->kind == VAL_STATE) {
        struct value x;
        t->ok = t->ok && ev->ops->state(ev->host, v->state, &x);
        if (t->ok && dtype_is_float(x.dtype))
            VEC_PUSH(ev->arena, t->at, x.tensor);
    }
    if (v->kind == VAL_TENSOR && dtype_is_float(v->dtype))
        VEC_PUSH(ev->arena, t->at, v->tensor);
}

static bool update_all(struct eval *ev, struct env *env, const struct ast *with,
                       const struct targets *t, struct tensor *const *gradients) {
    struct value optimizer, done;
    if (!eval_expr(ev, env, with, &optimizer))
        return false;
    struct binding *step = optimizer.kind == VAL_INSTANCE
                               ? env_find(optimizer.instance->env, name_lit(ev, "step"), NULL)
                               : NULL;
    if (!step || step->value.kind != VAL_FN) {
        struct diag *d =
            diag_error(ev->diags, with->span, ERR_ARG_KIND, "minimize", "the optimizer",
                       "an instance of a layer with `step`", value_kind_name(&optimizer));
        diag_help(ev->diags, d, "an optimizer has fn step(inout w: f32[*S], g: f32[*S])");
        return false;
    }
    for (uint32_t i = 0; i < t->at.n; i++) {
        struct tensor *w = ARENA_NEW(ev->arena, struct tensor);
        *w = *t->at.at[i];
        w->container = true;
        w->read_only = false;
        struct value args[2] = {value_tensor(w), value_tensor(gradients[i])};
        if (!ev->ops->writable(ev->host, w, with->span) ||
            !eval_call(ev, &step->value, 2, args, NULL, with->span, &done))
            return false;
    }
    return true;
}

bool eval_gradient(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    struct value over, loss;
    struct targets t = {.ev = ev, .ok = true};
    if (!eval_expr(ev, env, e->kids[1], &over))
        return false;
    add_states(&t, &over, e->kids[1]->span);
    if (!t.ok)
        return false;
    if (t.at.n == 0) {
        diag_error(ev->diags, e->kids[1]->span, ERR_ARG_KIND, "over", "what is differentiated by",
                   "an instance with float params or a float tensor", value_kind_name(&over));
        return false;
    }
    bool training = ev->training;
    ev->training = true;
    bool ok = eval_expr(ev, env, e->kids[0], &loss);
    ev->training = training;
    if (!ok)
        return false;
    if (loss.kind == VAL_SCALAR && dtype_is_float(loss.dtype)) {
        struct tensor *x =
            declare(ev, loss.dtype, 0, NULL, STORE_NONE, NULL, name_lit(ev, "loss"), e->span);
        if (!x || !ev->ops->write(ev->host, x, NULL, loss, RES_NONE, false, e->span))
            return false;
        loss = value_tensor(x);
    }
    if (loss.kind != VAL_TENSOR || !dtype_is_float(loss.dtype) || loss.tensor->rank != 0) {
        struct diag *d = diag_error(ev->diags, e->kids[0]->span, ERR_ARG_KIND, "gradient",
                                    "the value", "one float without dimensions",
                                    loss.kind == VAL_TENSOR ? type_text(ev, loss.tensor)
                                                            : value_kind_name(&loss));
        diag_help(ev->diags, d, "reduce it, for instance by its sum or mean");
        return false;
    }
    struct tensor **g = ARENA_ARRAY(ev->arena, struct tensor *, t.at.n);
    if (!ev->ops->gradient(ev->host, loss.tensor, t.at.n, t.at.at, g, e->span))
        return false;
    if (e->kind == AST_MINIMIZE) {
        *out = loss;
        return update_all(ev, env, e->kids[2], &t, g);
    }
    struct value gradients = value_list_new(ev->arena, VAL_LIST, t.at.n);
    for (uint32_t i = 0; i < t.at.n; i++)
        gradients.list->at[i] = value_tensor(g[i]);
    *out = value_list_new(ev->arena, VAL_LIST, 2);
    out->tuple = true;
    out->list->at[0] = loss;
    out->list->at[1] = over.kind == VAL_TENSOR ? gradients.list->at[0] : gradients;
    return true;
}
