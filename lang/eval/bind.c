/* Binding arguments to parameters: which argument is for which parameter, static ones, and the
   dimensions and element types that tensors give to the names in the parameters' types. A pack
   becomes the broadcast of all that carry it. After: every parameter, dimension, pack and type
   variable that an argument binds stands in the call's scope. */
#include "lang/eval/internal.h"

#include <string.h>

bool match_arguments(struct eval *ev, const char *what, const struct ast *params, uint32_t nargs,
                     const struct name *keywords, struct span span, int32_t *slots) {
    uint32_t np = params->nkids, positional = 0;
    for (uint32_t p = 0; p < np; p++)
        slots[p] = -1;
    for (uint32_t a = 0; a < nargs; a++) {
        uint32_t p = np;
        if (keywords && !name_none(keywords[a])) {
            for (p = 0; p < np && !name_eq(params->kids[p]->name, keywords[a]);)
                p++;
            if (p == np) {
                struct name *names = ARENA_ARRAY(ev->arena, struct name, np);
                for (p = 0; p < np; p++)
                    names[p] = params->kids[p]->name;
                struct diag *e =
                    diag_error(ev->diags, span, ERR_ARG_NAME, what, text_of(ev, keywords[a]));
                help_nearest(ev->diags, e, ev->names, keywords[a], names, np, "it takes");
                return false;
            }
            if (slots[p] >= 0) {
                diag_error(ev->diags, span, ERR_ARG_TWICE, what, text_of(ev, keywords[a]));
                return false;
            }
        } else {
            p = positional++;
            if (p >= np || (params->kids[p]->flags & AST_STATIC)) {
                uint32_t most = 0, least = 0;
                for (uint32_t k = 0; k < np && !(params->kids[k]->flags & AST_STATIC); k++) {
                    most++;
                    least += !ast_may_miss(params->kids[k]);
                }
                struct diag *e = diag_error(
                    ev->diags, span, ERR_ARG_COUNT, what,
                    least == most
                        ? arena_printf(ev->arena, "%u argument%s", most, most == 1 ? "" : "s")
                        : arena_printf(ev->arena, "%u to %u arguments", least, most),
                    nargs);
                if (p < np)
                    diag_help(ev->diags, e, "%s is given by name: %s = ...",
                              text_of(ev, params->kids[p]->name),
                              text_of(ev, params->kids[p]->name));
                return false;
            }
        }
        slots[p] = (int32_t)a;
    }
    for (uint32_t p = 0; p < np; p++)
        if (slots[p] < 0 && !ast_may_miss(params->kids[p])) {
            struct diag *e = diag_error(ev->diags, span, ERR_ARG_MISSING, what,
                                        text_of(ev, params->kids[p]->name));
            diag_note(ev->diags, e, params->kids[p]->span, "%s is declared here",
                      text_of(ev, params->kids[p]->name));
            return false;
        }
    return true;
}

bool fits_static(struct eval *ev, struct env *env, const struct ast *type, struct value *v) {
    const char *t = text_of(ev, type->name);
    bool fits = true;
    if (strcmp(t, "any") == 0)
        return v->kind != VAL_NONE;
    if (v->kind == VAL_ABSENT)
        return type->flags & AST_OPTIONAL;
    if (strcmp(t, "int") == 0) {
        if (v->kind == VAL_FLOAT && v->f == (double)(int64_t)v->f && v->f > -1e15 && v->f < 1e15)
            *v = value_int((int64_t)v->f);
        fits = value_is_integer(v);
    } else if (strcmp(t, "float") == 0) {
        if (v->kind == VAL_INT)
            *v = value_float((double)v->i);
        fits = v->kind == VAL_FLOAT;
    } else if (strcmp(t, "bool") == 0) {
        fits = v->kind == VAL_BOOL;
    } else if (strcmp(t, "str") == 0) {
        fits = v->kind == VAL_STR;
    } else if (strcmp(t, "dtype") == 0) {
        fits = v->kind == VAL_DTYPE;
    } else if (strcmp(t, "shape") == 0 || strcmp(t, "list") == 0) {
        fits = v->kind == VAL_LIST || v->kind == VAL_PACK;
    } else if (strcmp(t, "fn") == 0) {
        fits = v->kind == VAL_FN || v->kind == VAL_BUILTIN || v->kind == VAL_INSTANCE;
    } else if (strcmp(t, "layer") == 0) {
        fits = v->kind == VAL_LAYER || v->kind == VAL_INSTANCE;
    } else {
        struct ast *def = module_find(env->module, type->name, NULL);
        fits = v->kind == VAL_INSTANCE && def && v->instance->layer->def == def;
    }
    return fits;
}

bool check_static(struct eval *ev, struct env *env, const char *what, const struct ast *param,
                  struct value *v, struct span span) {
    const struct ast *type = param->kids[0];
    if (!type)
        return true;
    if (!read_if_scalar(ev, v, span))
        return false;
    if (fits_static(ev, env, type, v))
        return true;
    struct diag *e = diag_error(
        ev->diags, span, ERR_ARG_KIND, what, text_of(ev, param->name), text_of(ev, type->name),
        v->kind == VAL_SCALAR ? arena_printf(ev->arena, "a run-time %s", value_text(ev, v))
                              : value_text(ev, v));
    const char *word = text_of(ev, type->name);
    if (v->kind == VAL_SCALAR)
        diag_help(ev->diags, e, "it must be known before running");
    else if (v->kind == VAL_INT && (strcmp(word, "shape") == 0 || strcmp(word, "list") == 0))
        diag_help(ev->diags, e, "a list stands in brackets: [%lld]", (long long)v->i);
    else if (v->kind == VAL_LAYER)
        advise_operand(ev, e, v);
    return false;
}

/* What stands for an argument that is not given. */
static bool eval_default(struct eval *ev, struct env *env, const struct ast *param,
                         struct value *out) {
    *out = (struct value){.kind = VAL_ABSENT, .dtype = DT_NONE};
    return !param->kids[1] || eval_expr(ev, env, param->kids[1], out);
}

bool bind_static(struct eval *ev, struct env *env, const char *what, const struct ast *params,
                 uint32_t nargs, const struct value *args, const struct name *keywords,
                 struct span span) {
    int32_t *slots = ARENA_ARRAY(ev->arena, int32_t, params->nkids);
    if (!match_arguments(ev, what, params, nargs, keywords, span, slots))
        return false;
    for (uint32_t p = 0; p < params->nkids; p++) {
        const struct ast *param = params->kids[p];
        struct value v;
        if (slots[p] >= 0)
            v = args[slots[p]];
        else if (!eval_default(ev, env, param, &v))
            return false;
        if (!check_static(ev, env, what, param, &v, span))
            return false;
        env_bind(env, param->name, v, param->span);
    }
    return true;
}

bool is_static_type(struct eval *ev, const struct module *m, const struct ast *type) {
    static const char *const words[] = {"int",  "float", "str",   "dtype", "shape",
                                        "list", "fn",    "layer", "any"};
    const char *t = text_of(ev, type->name);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(t, words[i]) == 0)
            return true;
    struct ast *def = module_find(m, type->name, NULL);
    return def && def->kind == AST_LAYER;
}

bool eval_param_is_static(struct eval *ev, const struct module *m, const struct ast *param) {
    return (param->flags & AST_STATIC) || !param->kids[0] || is_static_type(ev, m, param->kids[0]);
}

struct dim_origin {
    struct name name;
    const char *from; /* the parameter that bound it */
};

struct pack_dims { /* what a pack is bound to so far */
    struct name pack;
    uint32_t rank;
    struct value *dims;
};

struct place_of { /* a parameter, and which element of it if it is a list */
    uint32_t param, element;
};

struct packed_param { /* dimensions pos .. pos + count - 1 of a parameter belong to a pack */
    struct place_of at;
    uint32_t pos, count;
    struct name pack;
};

struct deferred_dim { /* a compound dimension, compared when all names are bound */
    const struct ast *dim;
    struct value value;
    const char *from;
};

struct later_param { /* its type has `*LIST`: bound after all others */
    struct place_of at;
    struct tensor *tensor;
    const char *from;
};

struct seen_tensor { /* what is bound to a parameter, for messages */
    const char *from;
    const struct tensor *tensor;
};

struct param_dim { /* what stands for a dimension of a parameter */
    const struct ast *dim;
    struct value value; /* an element of a `*LIST`, else NONE */
};

/* A call while its parameters are bound. */
struct binder {
    struct eval *ev;
    struct env *env; /* of the function */
    const struct ast *params, *where;
    const char *what;
    struct span span;
    VEC(struct dim_origin) origins;
    VEC(struct pack_dims) packs;
    VEC(struct packed_param) packed;
    VEC(struct deferred_dim) deferred;
    VEC(struct later_param) later;
    VEC(struct seen_tensor) seen;
    bool all_bound; /* packs and static parameters too */
};

static const char *origin(struct binder *b, struct name n) {
    for (uint32_t i = 0; i < b->origins.n; i++)
        if (name_eq(b->origins.at[i].name, n))
            return b->origins.at[i].from;
    struct env *where;
    if (env_find(b->env, n, &where) && where->kind == ENV_INSTANCE)
        return "the layer";
    return "the call";
}

/* The type of an argument, with its name outside and the parameter FROM that it is. */
static const char *seen_text(struct eval *ev, const char *from, const struct tensor *t) {
    const char *name = text_of(ev, t->name);
    bool named = !name_none(tensor_called(t)) && strcmp(name, from) != 0;
    return arena_printf(ev->arena, "%s%s%s: %s", from, named ? " is " : "", named ? name : "",
                        type_text(ev, t));
}

/* The types of the tensors that two dimensions come from, beside the caret. */
static void tell_types(struct binder *b, struct diag *e, const char *fromx, const char *fromy) {
    struct buf text = buf_new(b->ev->arena);
    for (uint32_t i = 0; i < b->seen.n; i++) {
        const struct seen_tensor *x = &b->seen.at[i];
        if (strcmp(x->from, fromx) == 0 || strcmp(x->from, fromy) == 0)
            buf_printf(&text, "%s%s", text.n ? "   " : "", seen_text(b->ev, x->from, x->tensor));
    }
    if (text.n)
        diag_detail(b->ev->diags, e, "%s", text.at);
}

static const char *number_text(struct eval *ev, const struct value *v) {
    struct buf t = buf_new(ev->arena);
    value_print(ev, v, &t);
    return t.at;
}

static bool dims_agree(struct binder *b, const char *dim, const struct value *x, const char *fromx,
                       const struct value *y, const char *fromy) {
    struct eval *ev = b->ev;
    enum equal eq = require_equal(
        ev, x, y,
        arena_printf(ev->arena, "%s: dimensions differ: %s is %s from %s and %s from %s", b->what,
                     dim, number_text(ev, x), fromx, number_text(ev, y), fromy),
        b->span);
    if (eq == EQUAL_NO)
        tell_types(b,
                   diag_error(ev->diags, b->span, ERR_SHAPE_MISMATCH, b->what, "dimensions", dim,
                              number_text(ev, x), fromx, number_text(ev, y), fromy),
                   fromx, fromy);
    return eq == EQUAL_YES;
}

static bool is_parameter(const struct binder *b, struct name n) {
    for (uint32_t i = 0; i < b->params->nkids; i++)
        if (name_eq(b->params->kids[i]->name, n))
            return true;
    return false;
}

static bool bind_dim(struct binder *b, const struct ast *dim, const struct value *v,
                     const char *from) {
    struct eval *ev = b->ev;
    if (dim->kind == AST_NAME && !is_parameter(b, dim->name)) {
        if (strcmp(text_of(ev, dim->name), "_") == 0)
            return true;
        struct env *where;
        struct binding *old = env_find(b->env, dim->name, &where);
        if (!old || where->kind == ENV_SCRIPT) {
            env_bind(b->env, dim->name, *v, dim->span);
            VEC_PUSH(ev->arena, b->origins, ((struct dim_origin){dim->name, from}));
            return true;
        }
        if (value_is_integer(&old->value))
            return dims_agree(b, text_of(ev, dim->name), &old->value, origin(b, dim->name), v,
                              from);
    }
    VEC_PUSH(ev->arena, b->deferred, ((struct deferred_dim){dim, *v, from}));
    return true;
}

/* `*LIST` in a parameter's type: dimensions that are compared. `*S` is a pack that they bind. */
static bool is_given(const struct binder *b, const struct ast *dim) {
    return dim->kind == AST_SPREAD && (dim->nkids || is_parameter(b, dim->name));
}

static bool has_given(const struct binder *b, const struct ast *type) {
    for (uint32_t i = 0; i < type->nkids; i++)
        if (is_given(b, type->kids[i]))
            return true;
    return false;
}

/* What stands for the dimensions of a parameter: the dims of its type, or elements of a `*LIST`. */
struct param_dims {
    VEC(struct param_dim) at;
};

static bool spell_out(struct binder *b, const struct ast *type, struct param_dims *out) {
    struct eval *ev = b->ev;
    for (uint32_t i = 0; i < type->nkids; i++) {
        struct ast *dim = type->kids[i];
        struct value list;
        if (!is_given(b, dim)) {
            VEC_PUSH(ev->arena, out->at, ((struct param_dim){dim, value_none()}));
            continue;
        }
        if (!eval_spread(ev, b->env, dim, &list))
            return false;
        for (uint32_t k = 0; k < list.list->n; k++) {
            struct value v = list.list->at[k];
            if (!to_integer(ev, &v, dim->span))
                return false;
            VEC_PUSH(ev->arena, out->at, ((struct param_dim){dim, v}));
        }
    }
    return true;
}

static bool bind_tensor_dims(struct binder *b, struct place_of at, const struct ast *type,
                             struct tensor *t, const char *from) {
    struct eval *ev = b->ev;
    uint32_t pack = UINT32_MAX, fixed = 0;
    struct param_dims dims = {0};
    VEC_PUSH(ev->arena, b->seen, ((struct seen_tensor){from, t}));
    if (!b->all_bound && has_given(b, type)) {
        VEC_PUSH(ev->arena, b->later, ((struct later_param){at, t, from}));
        return true;
    }
    if (!spell_out(b, type, &dims))
        return false;
    for (uint32_t i = 0; i < dims.at.n; i++) {
        const struct ast *dim = dims.at.at[i].dim;
        if (dim->kind != AST_SPREAD || dims.at.at[i].value.kind != VAL_NONE) {
            fixed++;
            continue;
        }
        if (pack != UINT32_MAX) {
            diag_error(ev->diags, dim->span, ERR_NOT_HERE,
                       "a parameter's type has one pack at most");
            return false;
        }
        pack = i;
    }
    if (pack == UINT32_MAX ? t->rank != fixed : t->rank < fixed) {
        struct diag *e = diag_error(ev->diags, b->span, ERR_RANK_MISMATCH, b->what, from, t->rank,
                                    plural(t->rank), fixed);
        diag_detail(ev->diags, e, "%s", seen_text(ev, from, t));
        return false;
    }
    uint32_t own = t->rank - fixed;
    for (uint32_t i = 0; i < dims.at.n; i++) {
        if (i == pack)
            continue;
        const struct value *v = &t->dims[i < pack ? i : i - 1 + own];
        const struct param_dim *d = &dims.at.at[i];
        if (!(d->value.kind == VAL_NONE
                  ? bind_dim(b, d->dim, v, from)
                  : dims_agree(b, "a dimension", &d->value, "the signature", v, from)))
            return false;
    }
    if (pack == UINT32_MAX)
        return true;
    struct name n = dims.at.at[pack].dim->name;
    struct value *packed = own ? t->dims + pack : NULL; /* of no dimensions there may be no list */
    if (strcmp(text_of(ev, n), "_") == 0)
        return true;
    VEC_PUSH(ev->arena, b->packed, ((struct packed_param){at, pack, own, n}));
    for (uint32_t i = 0; i < b->packs.n; i++)
        if (name_eq(b->packs.at[i].pack, n))
            return broadcast_dims(ev, b->what, &b->packs.at[i].rank, &b->packs.at[i].dims, own,
                                  packed, b->span);
    VEC_PUSH(ev->arena, b->packs, ((struct pack_dims){n, own, packed}));
    return true;
}

static bool bind_element(struct binder *b, const struct ast *type, enum dtype t, const char *from) {
    struct eval *ev = b->ev;
    enum dtype want = type_element(ev, b->env, type->name);
    if (want == DT_NONE) {
        env_bind(b->env, type->name, value_dtype(t), type->span);
        return true;
    }
    if (want == t)
        return true;
    struct diag *e = diag_error(ev->diags, b->span, ERR_DTYPE_EXPECTED,
                                arena_printf(ev->arena, "%s: %s", b->what, from), dtypes[want].name,
                                dtypes[t].name);
    diag_help(ev->diags, e, "%s(..) converts", dtypes[want].name);
    return false;
}

/* When a parameter is bound: static arguments first, since types may use them; then tensors, then
   numbers, which take the element types of tensors, those with a fraction before whole ones; then
   defaults, which may use all others. */
enum turn { TURN_STATIC, TURN_TENSOR, TURN_FRACTION, TURN_NUMBER, TURN_DEFAULT, TURN_COUNT };

/* That of the run-time argument V; of a list that of its first element. */
static enum turn turn_of(const struct value *v) {
    if (v->kind == VAL_LIST || v->kind == VAL_PACK) {
        enum turn first = TURN_NUMBER;
        for (uint32_t k = 0; k < v->list->n; k++) {
            enum turn own = turn_of(&v->list->at[k]);
            first = own < first ? own : first;
        }
        return first;
    }
    return v->kind == VAL_FLOAT || (v->kind == VAL_SCALAR && v->weak) ? TURN_FRACTION
           : value_is_number(v) || v->kind == VAL_BOOL                ? TURN_NUMBER
                                                                      : TURN_TENSOR;
}

/* Whether V, for PARAM, is an integer: its value, or a symbol that stands for it. */
static bool bind_integer(struct binder *b, const struct ast *param, const char *from,
                         struct value *v) {
    struct eval *ev = b->ev;
    if (value_is_integer(v) || (v->kind == VAL_SCALAR && dtype_is_int(v->dtype)))
        return to_integer(ev, v, b->span);
    struct diag *d = diag_error(ev->diags, b->span, ERR_ARG_KIND, b->what, from, "an integer",
                                value_text(ev, v));
    diag_note(ev->diags, d, param->span, "%s is declared here", from);
    for (uint32_t p = 0; p < b->params->nkids; p++) {
        const struct ast *by_name = b->params->kids[p];
        if (by_name->flags & AST_STATIC) {
            diag_help(ev->diags, d, "%s is given by name: %s = ...", text_of(ev, by_name->name),
                      text_of(ev, by_name->name));
            return false;
        }
    }
    if (v->kind == VAL_FLOAT || (v->kind == VAL_SCALAR && dtype_is_float(v->dtype)))
        diag_help(ev->diags, d, "i64(..) drops the fraction; `//` divides integers");
    return false;
}

/* Binds what stands in the type of PARAM to V: to its tensor or number, or to the element AT of its
   list. V becomes what the parameter is inside. */
static bool bind_one(struct binder *b, struct place_of at, const struct ast *param,
                     const char *from, struct value *v) {
    struct eval *ev = b->ev;
    const struct ast *type = param->kids[0];
    if ((type->flags & AST_BRACKETS) && !(param->flags & AST_INOUT) && stands_for_tensor(v)) {
        enum dtype t = type_element(ev, b->env, type->name);
        if (t == DT_NONE)
            t = numbers_element(ev, b->where, type->name, list_element(v, DT_NONE));
        if (!list_tensor(ev, t, param->name, b->span, v))
            return false;
    }
    if (v->kind == VAL_TENSOR && (type->nkids || v->tensor->rank || (param->flags & AST_INOUT) ||
                                  (type->flags & AST_BRACKETS))) {
        struct tensor *t = v->tensor;
        if (!bind_element(b, type, t->dtype, from) || !bind_tensor_dims(b, at, type, t, from))
            return false;
        if (param->flags & AST_INOUT) {
            if (!t->container || t->read_only) {
                diag_error(ev->diags, b->span, ERR_ARG_KIND, b->what, from,
                           "a container (it is inout)", "a value");
                return false;
            }
        }
        if (t->container) { /* inside, another name for the caller's container */
            struct tensor *x = ARENA_NEW(ev->arena, struct tensor);
            *x = *t;
            x->live = true;
            x->carried = false;
            x->container = param->flags & AST_INOUT;
            x->read_only = !x->container;
            *v = value_tensor(x);
        }
        return true;
    }
    if (type->nkids && !(type->nkids == 1 && type->kids[0]->kind == AST_SPREAD)) {
        struct diag *d = diag_error(ev->diags, b->span, ERR_ARG_KIND, b->what, from, "a tensor",
                                    value_text(ev, v));
        advise_operand(ev, d, v);
        return false;
    }
    if (!value_is_scalar(v) && !(v->kind == VAL_TENSOR && v->tensor->rank == 0)) {
        struct diag *d = diag_error(ev->diags, b->span, ERR_ARG_KIND, b->what, from,
                                    "a tensor or number", value_text(ev, v));
        advise_operand(ev, d, v);
        return false;
    }
    enum dtype t = type_element(ev, b->env, type->name);
    if (!read_if_scalar(ev, v, b->span))
        return false;
    if (t == DT_i64 && !(type->flags & AST_BRACKETS)) /* a run-time integer: a symbol */
        return bind_integer(b, param, from, v);
    if (t == DT_NONE) {
        t = v->kind == VAL_SCALAR  ? v->dtype
            : v->kind == VAL_BOOL  ? DT_bool
            : v->kind == VAL_FLOAT ? DT_f32
                                   : numbers_element(ev, b->where, type->name, DT_i64);
        env_bind(b->env, type->name, value_dtype(t), type->span);
    }
    if (!to_scalar(ev, t, v, arena_printf(ev->arena, "%s: %s", b->what, from), b->span))
        return false;
    if (type->flags & AST_BRACKETS) { /* a tensor is wanted: one without dimensions */
        struct tensor *x = declare(ev, t, 0, NULL, STORE_NONE, NULL, param->name, b->span);
        if (!x || !ev->ops->write(ev->host, x, NULL, *v, RES_NONE, false, b->span))
            return false;
        *v = value_tensor(x);
        if (!bind_tensor_dims(b, at, type, x, from))
            return false;
    } else if (!ev->ops->share(ev->host, param->name, v, b->span)) {
        return false;
    }
    return true;
}

/* Binds the run-time parameter PARAM to V. */
static bool bind_dynamic(struct binder *b, uint32_t p, const struct ast *param, struct value *v) {
    struct eval *ev = b->ev;
    const char *from = text_of(ev, param->name);
    if (param->flags & AST_INOUT) {
        if (v->kind == VAL_TENSOR)
            v->tensor = written_buffer(ev, v->tensor);
    } else if (!copy_buffer(ev, v, b->span)) { /* the function may write it */
        return false;
    }
    if (!(param->kids[0]->flags & AST_LIST_OF))
        return bind_one(b, (struct place_of){p, 0}, param, from, v);
    bool is_list = v->kind == VAL_LIST || v->kind == VAL_PACK;
    if (!is_list || v->list->n == 0 || (param->flags & AST_INOUT)) {
        diag_error(ev->diags, b->span, ERR_ARG_KIND, b->what, from, "a list of tensors",
                   param->flags & AST_INOUT ? "inout"
                   : is_list                ? "an empty one"
                                            : value_text(ev, v));
        return false;
    }
    struct value list = value_list_new(ev->arena, VAL_LIST, v->list->n);
    for (enum turn turn = TURN_TENSOR; turn <= TURN_NUMBER; turn++)
        for (uint32_t k = 0; k < list.list->n; k++) {
            struct value x = v->list->at[k];
            if (turn_of(&x) != turn)
                continue;
            if (!bring(ev, &x) || !bind_one(b, (struct place_of){p, k}, param,
                                            arena_printf(ev->arena, "%s[%u]", from, k), &x))
                return false;
            list.list->at[k] = x;
        }
    *v = list;
    return true;
}

/* An inout parameter shares its tensor with no other one. */
static bool check_overlap(const struct binder *b) {
    struct eval *ev = b->ev;
    for (uint32_t p = 0; p < b->params->nkids; p++) {
        if (!(b->params->kids[p]->flags & AST_INOUT))
            continue;
        const struct binding *x = env_find(b->env, b->params->kids[p]->name, NULL);
        for (uint32_t q = 0; q < b->params->nkids; q++) {
            const struct binding *y = env_find(b->env, b->params->kids[q]->name, NULL);
            if (p == q || x->value.kind != VAL_TENSOR || y->value.kind != VAL_TENSOR)
                continue;
            const struct tensor *s = x->value.tensor, *t = y->value.tensor;
            if (!same_storage(s, t) || parts_apart(ev, s, t))
                continue;
            diag_error(ev->diags, b->span, ERR_OVERLAP, b->what, text_of(ev, x->name),
                       text_of(ev, y->name), text_of(ev, x->name));
            return false;
        }
    }
    return true;
}

static bool bind_turn(struct binder *b, enum turn turn, const int32_t *slots,
                      const struct value *args) {
    struct eval *ev = b->ev;
    for (uint32_t p = 0; p < b->params->nkids; p++) {
        const struct ast *param = b->params->kids[p];
        bool is_static = eval_param_is_static(ev, b->env->module, param);
        struct value v = slots[p] >= 0 ? args[slots[p]] : value_none();
        enum turn own = slots[p] < 0 ? TURN_DEFAULT : is_static ? TURN_STATIC : turn_of(&v);
        if (own != turn)
            continue;
        if (slots[p] < 0 && !eval_default(ev, b->env, param, &v))
            return false;
        bool absent =
            v.kind == VAL_ABSENT && param->kids[0] && (param->kids[0]->flags & AST_OPTIONAL);
        if (!absent && !(is_static ? check_static(ev, b->env, b->what, param, &v, b->span)
                                   : bind_dynamic(b, p, param, &v)))
            return false;
        env_bind(b->env, param->name, v, param->span);
    }
    return true;
}

static void bind_packs(struct binder *b) {
    struct eval *ev = b->ev;
    for (uint32_t i = 0; i < b->packs.n; i++) {
        struct value pack = value_list_new(ev->arena, VAL_PACK, b->packs.at[i].rank);
        if (b->packs.at[i].rank)
            memcpy(pack.list->at, b->packs.at[i].dims, b->packs.at[i].rank * sizeof(struct value));
        env_bind(b->env, b->packs.at[i].pack, pack, b->span);
    }
}

bool bind_parameters(const struct call *c, const struct ast *params, const int32_t *slots,
                     const struct value *args) {
    struct eval *ev = c->ev;
    struct binder binder = {.ev = ev,
                            .env = c->env,
                            .params = params,
                            .where = c->where,
                            .what = c->what,
                            .span = c->span};
    struct binder *b = &binder;
    for (enum turn turn = 0; turn < TURN_COUNT; turn++) {
        if (!bind_turn(b, turn, slots, args))
            return false;
        bind_packs(b);
    }
    b->all_bound = true;
    for (uint32_t i = 0; i < b->later.n; i++) {
        const struct later_param *x = &b->later.at[i];
        if (!bind_tensor_dims(b, x->at, params->kids[x->at.param]->kids[0], x->tensor, x->from))
            return false;
        bind_packs(b);
    }
    for (uint32_t i = 0; i < b->packed.n; i++) { /* parameters seen through their broadcast */
        const struct packed_param *x = &b->packed.at[i];
        struct value_list *full = env_find(b->env, x->pack, NULL)->value.list;
        struct value *v = &env_find(b->env, params->kids[x->at.param]->name, NULL)->value;
        if (v->kind == VAL_LIST)
            v = &v->list->at[x->at.element];
        v->tensor = tensor_broadcast(ev, v->tensor, x->pos, x->count, full->n, full->at);
    }
    for (uint32_t i = 0; i < b->deferred.n; i++) {
        struct value want;
        const struct ast *dim = b->deferred.at[i].dim;
        if (!eval_integer(ev, b->env, dim, &want) ||
            !dims_agree(b, "a dimension", &want, "the signature", &b->deferred.at[i].value,
                        b->deferred.at[i].from))
            return false;
    }
    for (uint32_t p = 0; p < params->nkids; p++)
        if (ast_layout(params->kids[p]) &&
            !lay_out_argument(ev, b->env, params->kids[p],
                              &env_find(b->env, params->kids[p]->name, NULL)->value, b->span))
            return false;
    return check_overlap(b);
}
