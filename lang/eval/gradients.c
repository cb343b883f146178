/* gradient, minimize and update. The first two evaluate an expression, ask the host for its
   gradients by tensors (the states of instances, or one tensor); minimize and update then call the
   optimizer's `step` for each state. What is differentiated is evaluated as training. */
#include "lang/eval/internal.h"

#include <string.h>

struct targets {
    struct eval *ev;
    VEC(struct value) states; /* STATE or TENSOR each */
    VEC(struct name) path;
    VEC(struct tensor *) at;
};

static const char *join(struct eval *ev, const char *path, const char *member) {
    return *path ? arena_printf(ev->arena, "%s.%s", path, member) : member;
}

static void add(struct targets *t, const struct value *v, const char *path) {
    VEC_PUSH(t->ev->arena, t->states, *v);
    VEC_PUSH(t->ev->arena, t->path, name_lit(t->ev, path));
}

static void add_states(struct targets *t, const struct value *v, const char *path) {
    struct eval *ev = t->ev;
    if (v->kind == VAL_LIST)
        for (uint32_t i = 0; i < v->list->n; i++)
            add_states(t, &v->list->at[i], join(ev, path, arena_printf(ev->arena, "%u", i)));
    if (v->kind == VAL_INSTANCE)
        for (uint32_t i = 0; i < v->instance->env->bindings.n; i++) {
            const struct binding *b = &v->instance->env->bindings.at[i];
            add_states(t, &b->value, join(ev, path, text_of(ev, b->name)));
        }
    if (v->kind == VAL_STATE && !v->state->buffer && dtype_is_float(v->state->dtype))
        add(t, v, path);
    if (v->kind == VAL_TENSOR && dtype_is_float(v->dtype))
        add(t, v, path);
}

struct value trained_states(struct eval *ev, const struct value *v) {
    struct targets t = {.ev = ev};
    add_states(&t, v, "");
    struct value list = value_list_new(ev->arena, VAL_LIST, t.states.n);
    for (uint32_t i = 0; i < t.states.n; i++)
        list.list->at[i] = t.states.at[i];
    return list;
}

/* Adds what OVER stands for to T, as tensors. */
static bool find_targets(struct targets *t, const struct value *over, struct span span) {
    struct eval *ev = t->ev;
    uint32_t before = t->states.n;
    add_states(t, over, "");
    for (uint32_t i = before; i < t->states.n; i++) {
        struct value x = t->states.at[i];
        if (x.kind == VAL_STATE && !bring_state(ev, x.state, &x))
            return false;
        if (x.tensor->part) {
            diag_error(ev->diags, span, ERR_ARG_KIND, "over", "what is differentiated by",
                       "a whole tensor", "a part of one");
            return false;
        }
        VEC_PUSH(ev->arena, t->at, x.tensor);
    }
    if (t->states.n > before)
        return true;
    diag_error(ev->diags, span, ERR_ARG_KIND, "over", "what is differentiated by",
               "an instance with float params or a float tensor",
               over->kind == VAL_INSTANCE ? "an instance without any" : value_text(ev, over));
    return false;
}

/* --- lists of gradients ----------------------------------------------------------------------- */

bool gradient_part(struct eval *ev, const struct value_list *list, const char *member,
                   struct value *out) {
    size_t n = strlen(member);
    struct value part = value_list_new(ev->arena, VAL_LIST, list->n);
    part.list->path = ARENA_ARRAY(ev->arena, struct name, list->n);
    part.list->n = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *path = text_of(ev, list->path[i]);
        if (strcmp(path, member) == 0) {
            *out = list->at[i];
            return bring(ev, out);
        }
        if (strncmp(path, member, n) != 0 || path[n] != '.')
            continue;
        part.list->path[part.list->n] = name_lit(ev, path + n + 1);
        part.list->at[part.list->n++] = list->at[i];
    }
    *out = part;
    return part.list->n > 0;
}

static bool same_paths(const struct value_list *a, const struct value_list *b) {
    bool same = a->n == b->n && a->path && b->path;
    for (uint32_t i = 0; same && i < a->n; i++)
        same = name_eq(a->path[i], b->path[i]);
    return same;
}

bool gradient_op(struct eval *ev, enum scalar_op op, uint32_t n, const struct value *args,
                 struct span span, struct value *out) {
    const struct value_list *first = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].kind != VAL_LIST)
            continue;
        if (first && !same_paths(first, args[i].list)) {
            diag_error(ev->diags, span, ERR_ARG_KIND, scalars[op].spelling, "an operand",
                       "gradients by the same params", "others");
            return false;
        }
        first = first ? first : args[i].list;
    }
    *out = value_list_new(ev->arena, VAL_LIST, first->n);
    out->list->path = first->path;
    for (uint32_t k = 0; k < first->n; k++) {
        struct value one[3];
        for (uint32_t i = 0; i < n; i++) {
            one[i] = args[i].kind == VAL_LIST ? args[i].list->at[k] : args[i];
            if (!bring(ev, &one[i]))
                return false;
        }
        if (!apply_op(ev, op, n, one, span, &out->list->at[k]))
            return false;
    }
    return true;
}

/* --- optimizers ------------------------------------------------------------------------------- */

static const struct value *method(struct eval *ev, const struct value *x, const char *name) {
    struct binding *b =
        x->kind == VAL_INSTANCE ? env_find(x->instance->env, name_lit(ev, name), NULL) : NULL;
    return b && b->value.kind == VAL_FN ? &b->value : NULL;
}

/* `begin(over)` of the OPTIMIZER, if it has one, then `step(w, g)`, or `step(w, g, k)` with the
   number of the param, for the targets from FIRST to LAST. */
static bool update_some(struct eval *ev, const struct value *optimizer, const struct value *over,
                        const struct targets *t, uint32_t first, uint32_t last,
                        struct tensor *const *gradients, struct span span) {
    struct value done;
    const struct value *step = method(ev, optimizer, "step");
    const struct value *begin = method(ev, optimizer, "begin");
    bool writes = step && step->fn->def->kids[0]->nkids > 1 &&
                  (step->fn->def->kids[0]->kids[0]->flags & AST_INOUT);
    if (!writes) {
        struct diag *d = diag_error(ev->diags, span, ERR_ARG_KIND, "minimize", "the optimizer",
                                    "an instance of a layer with `step`",
                                    step ? "one whose `step` has no inout parameter"
                                         : value_text(ev, optimizer));
        diag_help(ev->diags, d, "an optimizer has fn step(inout w: f32[*S], g: f32[*S])");
        return false;
    }
    if (begin && !eval_call(ev, begin, 1, over, NULL, span, &done))
        return false;
    for (uint32_t i = first; i < last; i++) {
        struct tensor *w = ARENA_NEW(ev->arena, struct tensor);
        *w = *t->at.at[i];
        w->container = true;
        w->read_only = false;
        struct value args[3] = {value_tensor(w), value_tensor(gradients[i]), value_int(i - first)};
        uint32_t n = step->fn->def->kids[0]->nkids > 2 ? 3 : 2;
        if (!host_writable(ev, w, span) || !eval_call(ev, step, n, args, NULL, span, &done))
            return false;
    }
    return true;
}

bool eval_step(struct eval *ev, struct env *env, const struct ast *e) {
    struct value over, g, optimizer;
    struct targets t = {.ev = ev};
    if (!eval_expr(ev, env, e->kids[0], &over) || !eval_expr(ev, env, e->kids[1], &g) ||
        !eval_expr(ev, env, e->kids[2], &optimizer) || !find_targets(&t, &over, e->kids[0]->span))
        return false;
    struct value one = value_list_new(ev->arena, VAL_LIST, 1);
    one.list->at[0] = g;
    const struct value_list *list = g.kind == VAL_LIST ? g.list : one.list;
    struct tensor **gradients = ARENA_ARRAY(ev->arena, struct tensor *, t.at.n);
    bool fits = list->n == t.at.n;
    for (uint32_t i = 0; fits && i < t.at.n; i++) {
        struct value x = list->at[i];
        if (!bring(ev, &x))
            return false;
        fits = x.kind == VAL_TENSOR && x.dtype == t.at.at[i]->dtype &&
               x.tensor->rank == t.at.at[i]->rank &&
               (!list->path || name_eq(list->path[i], t.path.at[i]));
        for (uint32_t d = 0; fits && d < x.tensor->rank; d++)
            fits = int_equal(ev, &x.tensor->dims[d], &t.at.at[i]->dims[d]) == 1;
        gradients[i] = fits ? x.tensor : NULL;
    }
    if (!fits) {
        diag_error(ev->diags, e->kids[1]->span, ERR_ARG_KIND, "update", "what stands after `by`",
                   "gradients of what is updated", value_kind_name(&g));
        return false;
    }
    return update_some(ev, &optimizer, &over, &t, 0, t.at.n, gradients, e->kids[2]->span);
}

/* --- gradient and minimize -------------------------------------------------------------------- */

/* What is differentiated: an expression or a block, whose names are its own: a variable of the
   script would be computed before the gradient is taken, and be a constant in it. */
static bool eval_objective(struct eval *ev, struct env *env, const struct ast *e,
                           struct value *out) {
    bool training = ev->training, reversed = ev->reversed;
    ev->training = ev->reversed = true;
    struct env *own = e->kind != AST_BLOCK ? env
                      : in_script(env)     ? env_new(ev->arena, ENV_FUNCTION, env, env->module)
                                           : block_env(ev, env);
    bool ok = e->kind == AST_BLOCK ? eval_block_of(ev, own, e, (struct flow){.wanted = true}, out)
                                   : eval_expr(ev, own, e, out);
    ev->training = training;
    ev->reversed = reversed;
    return ok && (e->kind != AST_BLOCK || no_return(ev, e->span));
}

/* The optimizers of a MINIMIZE, each for its part of the targets. */
static bool update_all(struct eval *ev, struct env *env, const struct ast *e,
                       const struct value *over, const uint32_t *ends, const struct targets *t,
                       struct tensor *const *gradients) {
    for (uint32_t k = 0; 2 * k + 2 < e->nkids; k++) {
        struct value optimizer;
        const struct ast *with = e->kids[2 * k + 2];
        if (!eval_expr(ev, env, with, &optimizer) ||
            !update_some(ev, &optimizer, &over[k], t, k ? ends[k - 1] : 0, ends[k], gradients,
                         with->span))
            return false;
    }
    return true;
}

bool takes_gradient(const struct ast *e) {
    return ast_holds(e, AST_GRADIENT) || ast_holds(e, AST_MINIMIZE);
}

/* Whether the value of E depends on something of each part that it is taken over: nobody wants
   gradients that are zero whatever the data. */
static bool all_matter(struct eval *ev, const struct ast *e, uint32_t parts, const uint32_t *ends,
                       const bool *depends) {
    for (uint32_t k = 0; k < parts; k++) {
        bool any = false;
        for (uint32_t i = k ? ends[k - 1] : 0; i < ends[k]; i++)
            any = any || depends[i];
        if (any)
            continue;
        const struct ast *over = e->kids[2 * k + 1];
        struct diag *d = diag_error(ev->diags, over->span, ERR_VALUE,
                                    "the value does not depend on what is differentiated by");
        diag_note(ev->diags, d, e->kids[0]->span, "this is the value");
        if (over->kind != AST_NAME && over->kind != AST_MEMBER)
            diag_help(ev->diags, d,
                      "an expression here is a tensor of its own: name it, and "
                      "compute the value from the name");
        else if (e->kids[0]->kind == AST_NAME && over->kind == AST_NAME)
            diag_help(ev->diags, d,
                      "%s has been computed already: write what computes it in its place, so that "
                      "it is derived",
                      text_of(ev, e->kids[0]->name));
        return false;
    }
    return true;
}

static bool evaluate(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    struct value loss;
    struct targets t = {.ev = ev};
    uint32_t parts = e->kind == AST_MINIMIZE ? (e->nkids - 1) / 2 : 1;
    struct value *over = ARENA_ARRAY(ev->arena, struct value, parts);
    uint32_t *ends = ARENA_ARRAY(ev->arena, uint32_t, parts);
    for (uint32_t k = 0; k < parts; k++) {
        const struct ast *x = e->kids[2 * k + 1];
        if (!eval_expr(ev, env, x, &over[k]) || !find_targets(&t, &over[k], x->span))
            return false;
        ends[k] = t.at.n;
    }
    if (!eval_objective(ev, env, e->kids[0], &loss))
        return false;
    if (loss.kind == VAL_SCALAR && dtype_is_float(loss.dtype)) {
        struct tensor *x =
            declare(ev, loss.dtype, 0, NULL, STORE_NONE, NULL, name_lit(ev, "loss"), e->span);
        if (!x || !ev->ops->write(ev->host, x, NULL, loss, RES_NONE, false, e->span))
            return false;
        loss = value_tensor(x);
    }
    if (loss.kind != VAL_TENSOR || !dtype_is_float(loss.dtype) || loss.tensor->rank != 0) {
        struct diag *d =
            diag_error(ev->diags, e->kids[0]->span, ERR_ARG_KIND, "gradient", "the value",
                       "one float without dimensions", value_text(ev, &loss));
        if (loss.kind == VAL_TENSOR && dtype_is_float(loss.dtype))
            diag_help(ev->diags, d, "reduce it, for instance by its sum or mean");
        return false;
    }
    struct tensor **g = ARENA_ARRAY(ev->arena, struct tensor *, t.at.n);
    bool *depends = ARENA_ARRAY(ev->arena, bool, t.at.n);
    if (!ev->ops->gradient(ev->host, loss.tensor, t.at.n, t.at.at, g, depends, e->span) ||
        !all_matter(ev, e, parts, ends, depends))
        return false;
    if (e->kind == AST_MINIMIZE) {
        *out = loss;
        return update_all(ev, env, e, over, ends, &t, g);
    }
    struct value gradients = value_list_new(ev->arena, VAL_LIST, t.at.n);
    for (uint32_t i = 0; i < t.at.n; i++)
        gradients.list->at[i] = value_tensor(g[i]);
    gradients.list->path = t.path.at;
    *out = value_list_new(ev->arena, VAL_LIST, 2);
    out->tuple = true;
    out->list->at[0] = loss;
    out->list->at[1] = over[0].kind == VAL_TENSOR ? gradients.list->at[0] : gradients;
    return true;
}

bool eval_gradient(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    ev->takes++;
    bool ok = evaluate(ev, env, e, out);
    ev->takes--;
    return ok;
}
