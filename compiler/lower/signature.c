/* Lowering a function for its own signature: each dimension is the symbol that its parameter's type
   names. lower_printed reads the text of a graph back this way; lower_check_definition finds the
   shape errors of a definition before any data exists. */
#include "compiler/lower/lower.h"

#include <string.h>

#define CHECK_PACK_RANK 2 /* dimensions of a pack when a definition is checked */

struct signature {
    struct lower *l;
    struct eval *ev;
    struct env *env; /* dimensions, packs, type variables */
    const struct module *module;
    const struct ast *fn;
    bool open; /* a static parameter is a symbol: `if` on it is not decided */
};

static struct value symbol_for(struct signature *s, const struct ast *dim) {
    struct binding *b = env_find(s->env, dim->name, NULL);
    bool any = strcmp(name_text(s->ev->names, dim->name), "_") == 0;
    if (any) /* any size: each has a symbol of its own */
        return lower_dim(s->l, dim->name);
    if (b)
        return b->value;
    struct value v = lower_dim(s->l, dim->name);
    env_bind(s->env, dim->name, v, dim->span);
    return v;
}

static bool is_parameter(const struct signature *s, struct name n) {
    const struct ast *params = s->fn->kids[0];
    for (uint32_t i = 0; i < params->nkids; i++)
        if (name_eq(params->kids[i]->name, n))
            return true;
    return false;
}

/* The pack that the spread D names, whose dimensions are symbols. */
static const struct value *pack_for(struct signature *s, const struct ast *d) {
    bool any = strcmp(name_text(s->ev->names, d->name), "_") == 0;
    struct binding *b = any ? NULL : env_find(s->env, d->name, NULL);
    if (b)
        return &b->value;
    struct value pack = value_list_new(s->ev->arena, VAL_PACK, CHECK_PACK_RANK);
    const char *name = name_text(s->ev->names, d->name);
    for (uint32_t k = 0; k < CHECK_PACK_RANK; k++)
        pack.list->at[k] = lower_dim(
            s->l, name_of_text(s->ev->names, arena_printf(s->ev->arena, "%s%u", name, k)));
    env_bind(s->env, d->name, pack, d->span);
    return &env_find(s->env, d->name, NULL)->value;
}

static enum dtype element_of(struct signature *s, struct name n);

/* All that stands alone in types of parameters, for a dimension that is computed from it: it may
   stand further to the right. */
static void bind_all(struct signature *s) {
    const struct ast *params = s->fn->kids[0];
    for (uint32_t i = 0; i < params->nkids; i++) {
        const struct ast *type = params->kids[i]->kids[0];
        if (!type || (params->kids[i]->flags & AST_STATIC) || (type->flags & AST_LIST_OF) ||
            element_of(s, type->name) == DT_NONE)
            continue;
        for (uint32_t k = 0; k < type->nkids; k++) {
            const struct ast *d = type->kids[k];
            bool spread = d->kind == AST_SPREAD;
            if ((!spread && d->kind != AST_NAME) || d->nkids || is_parameter(s, d->name) ||
                strcmp(name_text(s->ev->names, d->name), "_") == 0)
                continue;
            if (spread)
                pack_for(s, d);
            else
                symbol_for(s, d);
        }
    }
}

static bool dims_of(struct signature *s, const struct ast *type, uint32_t *rank,
                    struct value *dims) {
    *rank = 0;
    for (uint32_t i = 0; i < type->nkids; i++) {
        const struct ast *d = type->kids[i];
        if (*rank + CHECK_PACK_RANK >= EVAL_MAX_RANK)
            return false;
        if (d->kind == AST_SPREAD && (d->nkids || is_parameter(s, d->name))) {
            struct ast name = {.kind = AST_NAME, .name = d->name, .span = d->span};
            struct value list;
            bind_all(s);
            if (!eval_expr(s->ev, s->env, d->nkids ? d->kids[0] : &name, &list) ||
                (list.kind != VAL_LIST && list.kind != VAL_PACK) ||
                *rank + list.list->n > EVAL_MAX_RANK)
                return false;
            for (uint32_t k = 0; k < list.list->n; k++)
                dims[(*rank)++] = list.list->at[k];
        } else if (d->kind == AST_SPREAD) {
            const struct value *pack = pack_for(s, d);
            if (pack->kind != VAL_PACK)
                return false;
            for (uint32_t k = 0; k < pack->list->n; k++)
                dims[(*rank)++] = pack->list->at[k];
        } else if (d->kind == AST_NAME && !is_parameter(s, d->name)) {
            dims[(*rank)++] = symbol_for(s, d);
        } else {
            struct value v;
            bind_all(s);
            if (!eval_expr(s->ev, s->env, d, &v) || !value_is_integer(&v))
                return false;
            dims[(*rank)++] = v;
        }
    }
    return true;
}

static enum dtype element_of(struct signature *s, struct name n) {
    const char *text = name_text(s->ev->names, n);
    enum dtype t = dtype_of(text);
    const struct ast *where = s->fn->kids[2];
    const char *class = NULL;
    for (uint32_t i = 0; t == DT_NONE && !class && i < where->nkids; i++)
        if (where->kids[i]->kind == AST_CONSTRAINT && name_eq(where->kids[i]->name, n))
            class = name_text(s->ev->names, where->kids[i]->kids[0]->name);
    return !class                       ? t
           : strcmp(class, "int") == 0  ? DT_i32
           : strcmp(class, "bool") == 0 ? DT_bool
                                        : DT_f32;
}

/* A value for PARAM: what the signature says of it. False: there is no stand-in. */
static bool stand_in(struct signature *s, const struct ast *param, struct value *out) {
    const struct ast *type = param->kids[0];
    const char *t = type ? name_text(s->ev->names, type->name) : "";
    bool is_static = param->flags & AST_STATIC;
    if (type && (type->flags & AST_LIST_OF))
        return false;
    if (!param->kids[1] && (is_static || !type || element_of(s, type->name) == DT_NONE) &&
        ast_may_miss(param)) {
        *out = (struct value){.kind = VAL_ABSENT, .dtype = DT_NONE};
        env_bind(s->env, param->name, *out, param->span);
        return true;
    }
    if (param->kids[1]) {
        if (!eval_expr(s->ev, s->env, param->kids[1], out))
            return false;
        env_bind(s->env, param->name, *out, param->span);
        if (is_static || !type || element_of(s, type->name) == DT_NONE)
            return true;
    }
    if (strcmp(t, "int") == 0) {
        *out = lower_dim(s->l, param->name);
        env_bind(s->env, param->name, *out, param->span);
        s->open = true;
        return true;
    }
    if (is_static || !type || element_of(s, type->name) == DT_NONE)
        return false;
    enum dtype e = element_of(s, type->name);
    if (e == DT_i64 && !(type->flags & AST_BRACKETS)) {
        *out = lower_symbol(s->l, param->name);
        env_bind(s->env, param->name, *out, param->span);
        return true;
    }
    struct value dims[EVAL_MAX_RANK];
    uint32_t rank;
    return dims_of(s, type, &rank, dims) &&
           lower_tensor(s->l, param->name, e, rank, dims, param->flags & AST_INOUT, out);
}

bool *lower_found(struct arena *a, const struct ast *fn) {
    const struct ast *results = fn->kids[1];
    bool *found = ARENA_ARRAY(a, bool, results->nkids);
    for (uint32_t i = 0; i < results->nkids; i++) {
        const struct ast *type = results->kids[i]->kids[0];
        for (uint32_t d = 0; d < type->nkids; d++)
            found[i] = found[i] || type->kids[d]->kind == AST_ANY;
    }
    return found;
}

static struct graph *lower_signature(struct arena *a, struct names *names, struct sym_ctx *syms,
                                     struct diags *d, const struct module *module,
                                     const struct ast *fn, const volatile int *stop, bool *unknown,
                                     bool *open) {
    const struct module *prelude = module;
    while (prelude->prelude)
        prelude = prelude->prelude;
    struct signature s = {.module = module, .fn = fn};
    s.l = lower_begin(a, names, syms, d, prelude, fn->name, 32, 16, NULL);
    s.ev = lower_eval(s.l);
    s.ev->stop = stop;
    s.env = env_new(a, ENV_FUNCTION, NULL, module);
    const struct ast *params = fn->kids[0];
    struct value *args = ARENA_ARRAY(a, struct value, params->nkids);
    struct name *keywords = ARENA_ARRAY(a, struct name, params->nkids);
    for (int late = 0; late < 2; late++) /* static ones first: dimensions may use them */
        for (uint32_t i = 0; i < params->nkids; i++) {
            const struct ast *p = params->kids[i];
            bool is_static = ast_may_miss(p) && (!p->kids[0] || (p->flags & AST_STATIC) ||
                                                 element_of(&s, p->kids[0]->name) == DT_NONE);
            keywords[i] = p->name;
            if (is_static == (late == 1))
                continue;
            if (!stand_in(&s, p, &args[i])) {
                *unknown = d->errors == 0;
                return NULL;
            }
        }
    *open = s.open;
    struct function function = {fn, module, NULL};
    struct value callee = {.kind = VAL_FN, .fn = &function}, result;
    if (!eval_call(s.ev, &callee, params->nkids, args, keywords, fn->span, &result))
        return NULL;
    uint32_t n = fn_result_count(fn);
    struct name *result_names = ARENA_ARRAY(a, struct name, n);
    for (uint32_t k = 0; k < n; k++)
        result_names[k] = fn_result_name(fn, k);
    return lower_finish(s.l, n,
                        n == 1 ? &result
                        : n    ? result.list->at
                               : NULL,
                        result_names, lower_found(a, fn));
}

struct graph *lower_printed(struct arena *a, struct names *names, struct sym_ctx *syms,
                            struct diags *d, const struct module *module, const struct ast *fn) {
    bool unknown = false, open = false;
    struct graph *g = lower_signature(a, names, syms, d, module, fn, NULL, &unknown, &open);
    if (unknown)
        diag_error(d, fn->span, ERR_NOT_HERE, "this signature is not that of a printed graph");
    return g;
}

/* Errors that hold for every call. What stand-ins cannot decide (a static parameter that bounds a
   recursion, a condition on the rank of a pack, a builtin of the host) waits for the call. */
static bool decided(enum error_code code) {
    switch (code) {
    case ERR_DTYPE_MISMATCH:
    case ERR_DTYPE_EXPECTED:
    case ERR_RANK_MISMATCH:
    case ERR_SHAPE_MISMATCH:
    case ERR_BROADCAST:
    case ERR_RESULT_SHAPE:
    case ERR_NEGATIVE_SIZE:
    case ERR_SIZE_RANGE:
    case ERR_RANGE_UNKNOWN:
    case ERR_RANGE_DIFFERS:
    case ERR_READ_ONLY:
    case ERR_INDEX_COUNT:
    case ERR_NEGATIVE_INDEX:
    case ERR_CONFLICT:
    case ERR_UNWRITTEN_RESULT:
    case ERR_GROWING:
    case ERR_PLACEMENT:
    case ERR_IF_DIFFERS:
    case ERR_OVERLAP:
    case ERR_LAYOUT:
    case ERR_INTERRUPTED: return true;
    default: return false;
    }
}

/* A function that others call is elaborated for each: what is wrong in it is told once. */
static bool is_told(const struct diags *d, const struct diag *e) {
    for (const struct diag *x = d->first; x; x = x->next)
        if (x->severity == SEV_ERROR && x->span.source == e->span.source &&
            x->span.start == e->span.start && x->span.end == e->span.end)
            return true;
    return false;
}

bool lower_check_definition(struct arena *a, struct names *names, struct diags *d,
                            const struct module *module, const struct ast *def,
                            const volatile int *stop) {
    bool unknown = false, open = false;
    if (def->kind != AST_FN)
        return true;
    struct diags own;
    diags_init(&own, d->arena, d->sources);
    struct sym_ctx *syms = sym_ctx_new(a, names);
    struct graph *g = lower_signature(a, names, syms, &own, module, def, stop, &unknown, &open);
    if (g && !own.errors)
        graph_verify(g, "lower", &own);
    bool sound = true;
    for (struct diag *e = own.first, *next; e; e = next) {
        next = e->next;
        bool waits = open && (e->code == ERR_RESULT_SHAPE || e->code == ERR_IF_DIFFERS);
        if (!decided(e->code) || waits || is_told(d, e))
            continue;
        e->next = NULL;
        *d->last = e;
        d->last = &e->next;
        d->errors++;
        sound = false;
    }
    return sound;
}
