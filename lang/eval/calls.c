/* Calls. A call binds its arguments (bind.c), checks conditions, makes containers for named results
   and runs the body. The same code serves functions, methods, the instantiation of layers
   (layers.c) and builtins (builtins.c). */
#include "lang/eval/internal.h"

#include "lang/rewrite/rewrite.h"

#include <string.h>

bool check_where(struct eval *ev, struct env *env, const char *what, const struct ast *where,
                 struct span span) {
    for (uint32_t i = 0; i < where->nkids; i++) {
        const struct ast *c = where->kids[i];
        if (c->kind == AST_CONSTRAINT) {
            struct binding *t = env_find(env, c->name, NULL);
            if (!t || t->value.kind != VAL_DTYPE)
                continue; /* a type variable that no argument binds */
            const char *class = text_of(ev, c->kids[0]->name);
            unsigned have = dtypes[t->value.dtype].class;
            bool fits = strcmp(class, "any") == 0 ||
                        (strcmp(class, "number") == 0 && have != DC_BOOL) ||
                        (strcmp(class, "bool") == 0 && have == DC_BOOL) ||
                        (strcmp(class, "float") == 0 && have == DC_FLOAT) ||
                        (strcmp(class, "int") == 0 && have == DC_INT);
            if (!fits) {
                struct diag *e = diag_error(
                    ev->diags, span, ERR_DTYPE_EXPECTED, what,
                    arena_printf(ev->arena, "%s %s type", *class == 'i' ? "an" : "a", class),
                    dtypes[t->value.dtype].name);
                if (strcmp(class, "float") == 0 && have == DC_INT)
                    diag_help(ev->diags, e, "f32(..) converts");
                else if (have == DC_BOOL)
                    diag_help(ev->diags, e, TRUTH_COUNTS);
                return false;
            }
            continue;
        }
        struct value v;
        if (!eval_expr(ev, env, c, &v) || !read_if_scalar(ev, &v, c->span))
            return false;
        struct buf text = buf_new(ev->arena);
        const struct source *s = sources_get(ev->diags->sources, c->span.source);
        if (s)
            buf_bytes(&text, s->text + c->span.start, c->span.end - c->span.start);
        else
            buf_text(&text, "of its `where`");
        if (v.kind == VAL_BOOL && !v.b) {
            struct diag *e = diag_error(ev->diags, span, ERR_CONDITION, what, text.at);
            diag_note(ev->diags, e, c->span, "the condition stands here");
            return false;
        }
        if (v.kind == VAL_SCALAR &&
            !ev->ops->require(
                ev->host, &v,
                arena_printf(ev->arena, "%s: the condition %s does not hold", what, text.at), span))
            return false;
    }
    return true;
}

uint32_t fn_result_count(const struct ast *fn) {
    return fn->kids[1]->nkids;
}

struct name fn_result_name(const struct ast *fn, uint32_t k) {
    return fn->kids[1]->kids[k]->name;
}

/* Compares a value with the type that the signature gives it. */
static bool check_result(struct call *b, const struct ast *type, struct value *v) {
    struct eval *ev = b->ev;
    enum dtype t = type_element(ev, b->env, type->name);
    uint32_t rank;
    struct value *dims;
    if (t == DT_NONE && is_static_type(ev, b->env->module, type)) {
        if (fits_static(ev, b->env, type, v))
            return true;
        diag_error(ev->diags, type->span, ERR_RESULT_SHAPE, b->what, value_text(ev, v),
                   text_of(ev, type->name));
        return false;
    }
    if (!eval_type(ev, b->env, type, &t, &rank, &dims))
        return false;
    struct tensor want = {.dtype = t, .rank = rank, .dims = dims};
    bool other = v->kind == VAL_SCALAR && v->dtype != t && !(v->weak && dtype_is_float(t));
    if (rank == 0 && v->kind != VAL_TENSOR && !other)
        return to_scalar(ev, t, v, "the result", b->span);
    bool fits = v->kind == VAL_TENSOR && v->dtype == t && v->tensor->rank == rank;
    for (uint32_t d = 0; fits && d < rank; d++) {
        if (dims[d].kind == VAL_NONE)
            continue;
        enum equal eq =
            require_equal(ev, &v->tensor->dims[d], &dims[d],
                          arena_printf(ev->arena, "%s: the result is %s, declared as %s", b->what,
                                       type_text(ev, v->tensor), type_text(ev, &want)),
                          b->span);
        if (eq == EQUAL_FAILED)
            return false;
        fits = eq == EQUAL_YES;
    }
    if (!fits) {
        struct diag *e = diag_error(
            ev->diags, type->span, ERR_RESULT_SHAPE, b->what, value_text(ev, v),
            rank || (type->flags & AST_BRACKETS) ? type_text(ev, &want) : dtypes[t].name);
        if (other || (v->kind == VAL_TENSOR && v->dtype != t && v->tensor->rank == rank))
            diag_help(ev->diags, e, "%s(..) converts", dtypes[t].name);
    }
    return fits;
}

static bool is_open(uint32_t rank, const struct value *dims) {
    bool open = false;
    for (uint32_t d = 0; d < rank; d++)
        open = open || dims[d].kind == VAL_NONE;
    return open;
}

/* R, a named result with `?` in its type: BODY declares it with its size, or it grows. */
static bool open_result(struct call *b, const struct ast *body, const struct ast *r, enum dtype t,
                        uint32_t rank, const struct value *dims) {
    struct eval *ev = b->ev;
    for (uint32_t i = 0; i < body->nkids; i++)
        if (body->kids[i]->kind == AST_DECL && name_eq(body->kids[i]->name, r->name)) {
            env_bind(b->env, r->name, value_none(), r->span);
            return true;
        }
    if (dims[0].kind == VAL_NONE && !is_open(rank - 1, dims + 1))
        return grow_declare(ev, b->env, t, rank, dims, r->name, r->span);
    struct diag *d =
        diag_error(ev->diags, r->span, ERR_NOT_HERE, "only the first dimension of a result grows");
    diag_help(ev->diags, d, "declare %s in the body, with its size", text_of(ev, r->name));
    return false;
}

static bool declare_results(struct call *b, const struct ast *results, const struct ast *body) {
    struct eval *ev = b->ev;
    for (uint32_t i = 0; i < results->nkids; i++) {
        const struct ast *r = results->kids[i];
        if (name_none(r->name))
            continue;
        enum dtype t;
        uint32_t rank;
        struct value *dims, fill, *with = NULL;
        if (!eval_type(ev, b->env, r->kids[0], &t, &rank, &dims))
            return false;
        if (is_open(rank, dims)) {
            if (!open_result(b, body, r, t, rank, dims))
                return false;
            continue;
        }
        const struct layout *layout;
        if (!eval_layout(ev, b->env, r, rank, &layout))
            return false;
        if (r->integer2 != RES_NONE) {
            struct value id;
            union scalar s = resolution_identity((enum resolution)r->integer2, t);
            if (dtypes[t].class == DC_BOOL)
                id = value_bool(s.b);
            else if (dtype_is_float(t))
                id = value_float(scalar_cast(t, DT_f64, s).f64);
            else
                id = value_int(scalar_cast(t, DT_i64, s).i64);
            if (!ev->ops->constant(ev->host, t, &id, r->span, &fill))
                return false;
            with = &fill;
        }
        struct tensor *x =
            declare_laid(ev, t, rank, dims, layout, STORE_NONE, with, r->name, r->span);
        if (!x)
            return false;
        x->container = true;
        env_bind(b->env, r->name, value_tensor(x), r->span);
    }
    return true;
}

/* A result that leaves its function is a value, and no other name for what can still change. */
static bool leave(struct eval *ev, struct value *v, struct span span) {
    if (v->kind == VAL_LIST) {
        struct value all = value_list_new(ev->arena, VAL_LIST, v->list->n);
        all.tuple = v->tuple;
        for (uint32_t i = 0; i < v->list->n; i++) {
            all.list->at[i] = v->list->at[i];
            if (!leave(ev, &all.list->at[i], span))
                return false;
        }
        *v = all;
        return true;
    }
    if (v->kind != VAL_TENSOR)
        return true;
    if (v->tensor->live)
        return tensor_copy(ev, v->tensor, (struct name){0}, span, v);
    struct tensor *x = ARENA_NEW(ev->arena, struct tensor);
    *x = *v->tensor;
    x->container = false;
    x->inner = true;
    v->tensor = x;
    return true;
}

static bool collect_results(struct call *b, const struct ast *fn, struct value body,
                            struct value *out) {
    struct eval *ev = b->ev;
    const struct ast *results = fn->kids[1];
    if (results->nkids == 0) {
        *out = value_none();
        return true;
    }
    struct value all = value_list_new(ev->arena, VAL_LIST, results->nkids);
    all.tuple = true;
    uint32_t unnamed = 0;
    for (uint32_t i = 0; i < results->nkids; i++)
        unnamed += name_none(results->kids[i]->name);
    if (unnamed > 1 && (body.kind != VAL_LIST || body.list->n != unnamed)) {
        diag_error(ev->diags, results->span, ERR_RESULT_SHAPE, b->what, value_text(ev, &body),
                   arena_printf(ev->arena, "%u values", unnamed));
        return false;
    }
    for (uint32_t i = 0, k = 0; i < results->nkids; i++) {
        const struct ast *r = results->kids[i];
        struct value v;
        if (name_none(r->name)) {
            v = unnamed > 1 ? body.list->at[k++] : body;
            if (v.kind == VAL_NONE) {
                struct diag *e = diag_error(ev->diags, fn->kids[3]->span, ERR_RESULT_SHAPE, b->what,
                                            "nothing", "a value");
                diag_help(ev->diags, e, "the last expression of the body is the result");
                return false;
            }
            if (!check_result(b, r->kids[0], &v))
                return false;
        } else {
            v = env_find(b->env, r->name, NULL)->value;
            bool open = false;
            for (uint32_t d = 0; d < r->kids[0]->nkids; d++)
                open = open || r->kids[0]->kids[d]->kind == AST_ANY;
            if (open && !check_result(b, r->kids[0], &v))
                return false;
            if (ev->ops->complete && v.kind == VAL_TENSOR)
                ev->ops->complete(ev->host, v.tensor, r->span);
        }
        if (!leave(ev, &v, b->span))
            return false;
        all.list->at[i] = v;
    }
    *out = results->nkids == 1 ? all.list->at[0] : all;
    return true;
}

/* What a call that the host has run gives, as what one gives that is evaluated: numbers are of the
   run, not static. */
static bool bring_results(struct eval *ev, struct span span, struct value *v) {
    if (v->kind == VAL_LIST) {
        for (uint32_t i = 0; i < v->list->n; i++)
            if (!bring_results(ev, span, &v->list->at[i]))
                return false;
        return true;
    }
    bool number = v->dtype == DT_i64 || v->dtype == DT_bool; /* static, were it kept */
    return bring(ev, v) && (!number || read_if_scalar(ev, v, span));
}

static struct flow body_flow(const struct ast *fn) {
    const struct ast *results = fn->kids[1];
    struct flow f = {.tail = true};
    for (uint32_t i = 0; i < results->nkids; i++)
        f.wanted = f.wanted || name_none(results->kids[i]->name);
    return f;
}

/* V, and what it lists, as tensors of the host. */
static bool bring_all(struct eval *ev, struct value *v) {
    if (v->kind != VAL_LIST || v->list->path)
        return bring(ev, v);
    struct value all = value_list_new(ev->arena, VAL_LIST, v->list->n);
    all.tuple = v->tuple;
    for (uint32_t i = 0; i < v->list->n; i++) {
        all.list->at[i] = v->list->at[i];
        if (!bring_all(ev, &all.list->at[i]))
            return false;
    }
    *v = all;
    return true;
}

static bool replaced(struct eval *ev, const struct function *fn, uint32_t nargs,
                     const struct value *args, const struct name *keywords, struct span span,
                     struct value *out, bool *done) {
    *done = false;
    if (!ev->ops->replace || fn->self)
        return true;
    struct value *brought = arena_copy(ev->arena, args, nargs * sizeof *args);
    for (uint32_t i = 0; i < nargs; i++)
        if (!bring_all(ev, &brought[i]))
            return false;
    return ev->ops->replace(ev->host, fn, nargs, brought, keywords, span, out, done);
}

bool call_function(struct eval *ev, const struct function *fn, uint32_t nargs,
                   const struct value *args, const struct name *keywords, struct span span,
                   struct value *out) {
    const struct ast *def = fn->def;
    const char *what = text_of(ev, def->name);
    if (fn->self)
        what = arena_printf(ev->arena, "%s.%s", text_of(ev, fn->self->layer->def->name), what);
    uint32_t errors = ev->diags->errors;
    const struct ast *own = ev->reversed ? own_gradient(ev, fn) : NULL;
    if (own)
        return call_with_gradient(ev, fn, own, nargs, args, keywords, span, out);
    bool done = false;
    if (ev->depth == 0 && !ev->takes && ev->ops->call) {
        if (!ev->ops->call(ev->host, fn, nargs, args, keywords, span, out, &done))
            return false;
        if (done)
            return bring_results(ev, span, out);
    }
    if (!replaced(ev, fn, nargs, args, keywords, span, out, &done))
        return false;
    if (done)
        return true;
    if (lifts(ev, fn, nargs, args, keywords))
        return lift_call(ev, fn, nargs, args, keywords, span, out);
    if (ev->depth >= EVAL_MAX_DEPTH) {
        diag_error(ev->diags, span, ERR_RECURSION, EVAL_MAX_DEPTH);
        return false;
    }
    const struct ast *layer = fn->self ? fn->self->layer->def : NULL;
    const struct rewrite_use *rules;
    const struct ast *block =
        rewrite_definition(ev->arena, fn->module, def, layer, &rules)->kids[3];
    const struct ast *params = def->kids[0];
    int32_t *slots = ARENA_ARRAY(ev->arena, int32_t, params->nkids);
    if (!match_arguments(ev, what, params, nargs, keywords, span, slots))
        return false;
    struct call b = {.ev = ev, .where = def->kids[2], .what = what, .span = span};
    b.env = env_new(ev->arena, ENV_FUNCTION, fn->self ? fn->self->env : NULL, fn->module);
    struct name outer = ev->fn_name;
    struct calling *frame = ARENA_NEW(ev->arena, struct calling); /* sites keep it */
    *frame = (struct calling){ev->frame, fn->module, def->name, span, def->span, rules, fn->self};
    bool returned = ev->returned;
    struct value result = ev->result, body = value_none();
    ev->fn_name = def->name;
    ev->frame = frame;
    ev->returned = false;
    ev->depth++;
    bool takes = takes_gradient(def->kids[3]);
    ev->takes += takes;
    bool ok = bind_parameters(&b, params, slots, args) &&
              check_where(ev, b.env, what, def->kids[2], span) &&
              declare_results(&b, def->kids[1], def->kids[3]) &&
              eval_block_of(ev, b.env, block, body_flow(def), &body);
    if (ok && ev->returned)
        body = ev->result;
    struct value results = value_none();
    /* What a `return` in a branch has left out. */
    ok = ok && grow_settle(ev, b.env, NULL, 0);
    ok = ok && collect_results(&b, def, body, &results);
    if (ok && ev->called)
        ev->called(ev->listener, fn, b.env, &results);
    ev->depth--;
    ev->takes -= takes;
    ev->frame = frame->outer;
    ev->fn_name = outer;
    ev->returned = returned;
    ev->result = result;
    if (!ok)
        note_call(ev, errors, frame, "is called here");
    *out = results; /* now: it may be the result of a `return` around */
    return ok;
}

/* The instance X is called at SPAN, and has no method of the name that this calls. */
static void tell_no_forward(struct eval *ev, const struct instance *x, struct span span) {
    const struct ast *body = x->layer->def->kids[2];
    struct diag *e =
        diag_error(ev->diags, span, ERR_MEMBER, text_of(ev, x->layer->def->name), "forward");
    VEC(struct name) methods = {0};
    for (uint32_t i = 0; i < body->nkids; i++)
        if (body->kids[i]->kind == AST_FN)
            VEC_PUSH(ev->arena, methods, body->kids[i]->name);
    struct name forward = name_lit(ev, "forward");
    struct name near = nearest_name(ev->names, forward, methods.at, methods.n);
    if (!name_none(near))
        diag_help(ev->diags, e, "calling an instance calls its method forward; did you mean %s?",
                  text_of(ev, near));
    else if (methods.n)
        diag_help(ev->diags, e,
                  "calling an instance calls its method forward; %s is called as a "
                  "member, net.%s(..)",
                  text_of(ev, methods.at[0]), text_of(ev, methods.at[0]));
    else
        diag_help(ev->diags, e,
                  "calling an instance calls its method: fn forward(x: f32[B, N]) -> f32[B, M] {"
                  " .. }");
}

bool eval_call(struct eval *ev, const struct value *callee, uint32_t nargs,
               const struct value *args, const struct name *keywords, struct span span,
               struct value *out) {
    *out = value_none();
    switch (callee->kind) {
    case VAL_FN:
        if (means_builtin(ev, callee->fn, nargs, args, keywords))
            return call_builtin(ev, callee->fn->def->name, nargs, args, keywords, span, out);
        return call_function(ev, callee->fn, nargs, args, keywords, span, out);
    case VAL_LAYER: return instantiate(ev, callee->layer, nargs, args, keywords, span, out);
    case VAL_BUILTIN: return call_builtin(ev, callee->str, nargs, args, keywords, span, out);
    case VAL_INSTANCE: {
        struct binding *b = env_find(callee->instance->env, name_lit(ev, "forward"), NULL);
        if (b && b->value.kind == VAL_FN)
            return call_function(ev, b->value.fn, nargs, args, keywords, span, out);
        tell_no_forward(ev, callee->instance, span);
        return false;
    }
    case VAL_DTYPE: {
        if (nargs != 1) {
            diag_error(ev->diags, span, ERR_ARG_COUNT, dtypes[callee->dtype].name, "1 argument",
                       nargs);
            return false;
        }
        struct value v = args[0];
        return apply_cast(ev, callee->dtype, &v, span, out);
    }
    default:
        advise_call(ev, diag_error(ev->diags, span, ERR_NOT_CALLABLE, value_kind_name(callee)),
                    callee);
        return false;
    }
}

static bool is_callable(const struct value *v) {
    return v->kind == VAL_FN || v->kind == VAL_LAYER || v->kind == VAL_BUILTIN ||
           v->kind == VAL_INSTANCE || v->kind == VAL_DTYPE;
}

static bool has_inout(const struct ast *fn) {
    for (uint32_t i = 0; i < fn->kids[0]->nkids; i++)
        if (fn->kids[0]->kids[i]->flags & AST_INOUT)
            return true;
    return false;
}

/* Whether the argument of CALLEE at position AT, or called KEYWORD, is written. */
static bool is_written(struct eval *ev, const struct value *callee, uint32_t at,
                       struct name keyword) {
    const struct ast *def = callee->kind == VAL_FN ? callee->fn->def : NULL;
    if (callee->kind == VAL_INSTANCE) {
        struct binding *b = env_find(callee->instance->env, name_lit(ev, "forward"), NULL);
        def = b && b->value.kind == VAL_FN ? b->value.fn->def : NULL;
    }
    for (uint32_t i = 0; def && i < def->kids[0]->nkids; i++) {
        const struct ast *param = def->kids[0]->kids[i];
        if ((param->flags & AST_INOUT) &&
            (name_none(keyword) ? i == at : name_eq(param->name, keyword)))
            return true;
    }
    return false;
}

bool eval_call_ast(struct eval *ev, struct env *env, const struct ast *call,
                   const struct value *first, struct value *out) {
    struct value callee;
    if (!eval_expr(ev, env, call->kids[0], &callee))
        return false;
    VEC(struct value) args = {0};
    VEC(struct name) keywords = {0};
    bool writes = callee.kind == VAL_FN && has_inout(callee.fn->def);
    if (first) {
        struct value v = *first;
        for (uint32_t k = 1; k < call->nkids && !writes; k++)
            if (!hold_buffer(ev, &v, call->kids[k]))
                return false;
        VEC_PUSH(ev->arena, args, v);
        VEC_PUSH(ev->arena, keywords, (struct name){0});
    }
    for (uint32_t i = 1; i < call->nkids; i++) {
        const struct ast *a = call->kids[i];
        struct value v;
        if (a->kind == AST_SPREAD) {
            struct value list;
            if (!eval_spread(ev, env, a, &list))
                return false;
            for (uint32_t k = 0; k < list.list->n; k++) {
                v = list.list->at[k];
                if (!bring(ev, &v))
                    return false;
                VEC_PUSH(ev->arena, args, v);
                VEC_PUSH(ev->arena, keywords, (struct name){0});
            }
            continue;
        }
        bool keyword = a->kind == AST_KEYWORD;
        const struct ast *e = keyword ? a->kids[0] : a;
        bool written = is_written(ev, &callee, args.n, keyword ? a->name : (struct name){0});
        if (!(written ? eval_part(ev, env, e, &v) : eval_expr(ev, env, e, &v)))
            return false;
        for (uint32_t k = i + 1; k < call->nkids && !writes; k++)
            if (!hold_buffer(ev, &v, call->kids[k]))
                return false;
        VEC_PUSH(ev->arena, args, v);
        VEC_PUSH(ev->arena, keywords, keyword ? a->name : (struct name){0});
    }
    if (!is_callable(&callee)) {
        struct diag *e =
            diag_error(ev->diags, call->kids[0]->span, ERR_NOT_CALLABLE,
                       call->kids[0]->kind == AST_NAME ? text_of(ev, call->kids[0]->name)
                                                       : value_text(ev, &callee));
        if (call->kids[0]->kind == AST_NAME)
            diag_detail(ev->diags, e, "%s: %s", text_of(ev, call->kids[0]->name),
                        value_text(ev, &callee));
        advise_call(ev, e, &callee);
        return false;
    }
    return eval_call(ev, &callee, args.n, args.at, keywords.at, call->span, out);
}
