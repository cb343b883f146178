/* Variants of a function: compiled for the shapes of its arguments as constants; a dimension that
   keeps changing becomes a symbol.

   Variants are of one kind if their arguments have the same element types and ranks and the same
   dimensions equal to 1 (which broadcast). Of each kind VARIANTS_CONSTANT are made with constant
   shapes; the next has symbols for the dimensions that have differed, so it serves all their sizes.
   Where a function cannot be lowered with symbols, constants go on and the oldest goes. A signature
   that was given fixes the one variant there is. */
#include "session/call.h"

#include <string.h>

static void variant_free(struct variant *v) {
    if (v->program.kernel)
        v->program.kernel->users--;
    arena_free(v->arena);
}

void variants_free(struct dcl_function *f) {
    while (f->variants) {
        struct variant *v = f->variants;
        f->variants = v->next;
        variant_free(v);
    }
    f->last = NULL;
}

/* --- which variant -------------------------------------------------------------------------- */

/* The value that an earlier dimension has given to SYMBOL. */
static const int64_t *bound_size(const struct variant_key *key, const struct shape_of *shapes,
                                 uint32_t arg, uint32_t dim, struct name symbol) {
    for (uint32_t i = 0; i <= arg; i++)
        for (uint32_t d = 0; d < key->args[i].rank; d++) {
            if (i == arg && d == dim)
                return NULL;
            if (name_eq(key->args[i].dims[d].symbol, symbol))
                return &shapes[i].dims[d];
        }
    return NULL;
}

static bool serves(const struct variant_key *key, uint32_t nargs, const struct shape_of *shapes) {
    if (key->nargs != nargs)
        return false;
    for (uint32_t i = 0; i < nargs; i++) {
        const struct variant_arg *a = &key->args[i];
        if (a->type != shapes[i].type || a->rank != shapes[i].rank)
            return false;
        for (uint32_t d = 0; d < a->rank; d++) {
            int64_t size = shapes[i].dims[d];
            if (name_none(a->dims[d].symbol) ? a->dims[d].size != size : size == 1)
                return false;
            if (name_none(a->dims[d].symbol))
                continue;
            const int64_t *same = bound_size(key, shapes, i, d, a->dims[d].symbol);
            if (same && *same != size)
                return false;
        }
    }
    return true;
}

static bool of_one_kind(const struct variant_key *key, uint32_t nargs,
                        const struct shape_of *shapes) {
    if (key->nargs != nargs)
        return false;
    for (uint32_t i = 0; i < nargs; i++) {
        const struct variant_arg *a = &key->args[i];
        if (a->type != shapes[i].type || a->rank != shapes[i].rank)
            return false;
        for (uint32_t d = 0; d < a->rank; d++) {
            bool one = name_none(a->dims[d].symbol) && a->dims[d].size == 1;
            if (one != (shapes[i].dims[d] == 1))
                return false;
        }
    }
    return true;
}

/* --- keys ----------------------------------------------------------------------------------- */

/* What to call dimension D of parameter P: as its type does, so that dimensions of one name are one
   symbol. */
static struct name dim_name(struct dcl_function *f, const struct parameter *p, uint32_t d) {
    const struct ast *type = p->def->kids[0];
    bool plain = true;
    for (uint32_t i = 0; type && i < type->nkids; i++)
        plain = plain && type->kids[i]->kind != AST_SPREAD;
    if (type && plain && d < type->nkids && type->kids[d]->kind == AST_NAME &&
        strcmp(name_text(f->session->names, type->kids[d]->name), "_") != 0)
        return type->kids[d]->name;
    return name_of_text(f->session->names, arena_printf(f->session->messages, "%s_%u",
                                                        name_text(f->session->names, p->name), d));
}

static struct variant_key constant_key(struct arena *a, uint32_t nargs,
                                       const struct shape_of *shapes) {
    struct variant_key key = {nargs, ARENA_ARRAY(a, struct variant_arg, nargs)};
    for (uint32_t i = 0; i < nargs; i++) {
        key.args[i].type = shapes[i].type;
        key.args[i].rank = shapes[i].rank;
        for (uint32_t d = 0; d < shapes[i].rank; d++)
            key.args[i].dims[d].size = shapes[i].dims[d];
    }
    return key;
}

/* Symbols for the dimensions that differ among the variants of this kind and SHAPES. False if two
   of one name have different sizes: no call may, and with numbers the error says them. */
static bool symbolic_key(struct dcl_function *f, struct arena *a, uint32_t nargs,
                         const struct shape_of *shapes, struct variant_key *out) {
    struct variant_key key = constant_key(a, nargs, shapes);
    for (const struct variant *v = f->variants; v; v = v->next) {
        if (!of_one_kind(&v->key, nargs, shapes))
            continue;
        for (uint32_t i = 0; i < nargs; i++)
            for (uint32_t d = 0; d < shapes[i].rank; d++) {
                const struct variant_dim *x = &v->key.args[i].dims[d];
                if (!name_none(x->symbol) || x->size != shapes[i].dims[d])
                    key.args[i].dims[d].symbol = dim_name(f, &f->params[i], d);
            }
    }
    for (uint32_t i = 0; i < nargs; i++)
        for (uint32_t d = 0; d < key.args[i].rank; d++) {
            struct name n = key.args[i].dims[d].symbol;
            const int64_t *same = name_none(n) ? NULL : bound_size(&key, shapes, i, d, n);
            if (same && *same != shapes[i].dims[d])
                return false;
        }
    *out = key;
    return true;
}

/* --- making one ----------------------------------------------------------------------------- */

struct symbols {              /* names that are symbols already */
    const struct maker *make; /* what makes them */
    struct map value;         /* name -> index into values */
    VEC(struct value) values;
};

static struct value symbol(struct dcl_session *s, struct symbols *x, struct name n) {
    uint64_t at;
    if (strcmp(name_text(s->names, n), "_") == 0) /* any size, each time another one */
        return x->make->dim(x->make->to, n);
    if (map_get(&x->value, n.i, &at))
        return x->values.at[at];
    struct value v = x->make->dim(x->make->to, n);
    map_put(&x->value, n.i, x->values.n);
    VEC_PUSH(x->value.arena, x->values, v);
    return v;
}

/* The integer N of the instance that F is, or whose method it is; NULL if there is none. */
static const struct value *layer_integer(const struct dcl_function *f, struct name n) {
    const struct instance *self = f->value.kind == VAL_INSTANCE ? f->value.instance
                                  : f->value.kind == VAL_FN     ? f->value.fn->self
                                                                : NULL;
    const struct binding *b = self ? env_find(self->env, n, NULL) : NULL;
    return b && b->value.kind == VAL_INT ? &b->value : NULL;
}

/* A dimension of the signature: a number, a name, or an expression of such. */
static bool given_dim(struct dcl_function *f, struct symbols *x, struct env *env,
                      const struct ast *e, struct value *out) {
    struct dcl_session *s = f->session;
    if (e->kind == AST_NAME && strcmp(name_text(s->names, e->name), "_") == 0) {
        *out = symbol(s, x, e->name);
        return true;
    }
    const struct value *known = e->kind == AST_NAME ? layer_integer(f, e->name) : NULL;
    if (e->kind == AST_NAME && !env_find(env, e->name, NULL))
        env_bind(env, e->name, known ? *known : symbol(s, x, e->name), e->span);
    for (uint32_t i = 0; i < e->nkids; i++)
        if (e->kids[i] && !given_dim(f, x, env, e->kids[i], out))
            return false;
    if (e->kind == AST_SPREAD || !eval_expr(x->make->ev, env, e, out) || !value_is_integer(out)) {
        if (!s->diags.errors)
            diag_error(&s->diags, e->span, ERR_ARG_KIND, "signature", "a dimension", "an integer",
                       "something else");
        return false;
    }
    return true;
}

static bool given_argument(struct dcl_function *f, struct symbols *x, struct env *env,
                           const struct parameter *p, struct value *out) {
    struct dcl_session *s = f->session;
    enum dtype t = dtype_of(name_text(s->names, p->type->name));
    struct value dims[EVAL_MAX_RANK];
    if (t == DT_NONE) {
        diag_error(&s->diags, p->type->span, ERR_UNKNOWN_TYPE, name_text(s->names, p->type->name));
        return false;
    }
    if (p->type->nkids > EVAL_MAX_RANK) {
        diag_error(&s->diags, p->type->span, ERR_VALUE, "too many dimensions");
        return false;
    }
    for (uint32_t d = 0; d < p->type->nkids; d++)
        if (!given_dim(f, x, env, p->type->kids[d], &dims[d]))
            return false;
    if (p->integer && t == DT_i64 && p->type->nkids == 0) {
        *out = x->make->symbol(x->make->to, p->name);
        return true;
    }
    return x->make->tensor(x->make->to, p->name, t, p->type->nkids, dims, p->inout, out);
}

static bool key_argument(struct dcl_function *f, struct symbols *x, const struct parameter *p,
                         const struct variant_arg *a, struct value *out) {
    struct dcl_session *s = f->session;
    struct value dims[EVAL_MAX_RANK];
    if (p->integer && a->type == DT_i64 && a->rank == 0) {
        *out = x->make->symbol(x->make->to, p->name);
        return true;
    }
    for (uint32_t d = 0; d < a->rank; d++)
        dims[d] = name_none(a->dims[d].symbol) ? value_int(a->dims[d].size)
                                               : symbol(s, x, a->dims[d].symbol);
    return x->make->tensor(x->make->to, p->name, a->type, a->rank, dims, p->inout, out);
}

bool variant_arguments(struct dcl_function *f, const struct variant_key *key,
                       const struct maker *make, struct value *args) {
    struct arena *a = make->ev->arena;
    struct symbols x = {.make = make, .value = map_new(a)};
    struct env *env = env_new(a, ENV_FUNCTION, NULL, f->session->module);
    uint32_t n = variant_argument_count(f, key);
    for (uint32_t i = 0; i < n; i++) {
        const struct parameter *p = &f->params[i];
        if (p->type ? !given_argument(f, &x, env, p, &args[i])
                    : !key_argument(f, &x, p, &key->args[i], &args[i]))
            return false;
    }
    return true;
}

static struct value make_dim(void *lower, struct name n) {
    return lower_dim(lower, n);
}

static struct value make_symbol(void *lower, struct name n) {
    return lower_symbol(lower, n);
}

static bool make_tensor(void *lower, struct name n, enum dtype t, uint32_t rank,
                        const struct value *dims, bool inout, struct value *out) {
    return lower_tensor(lower, n, t, rank, dims, inout, out);
}

struct graph *variant_lower(struct dcl_function *f, const struct variant_key *key) {
    struct dcl_session *s = f->session;
    unit_begin(s, f->def->name, (struct span){0}, false);
    struct arena *a = s->unit.arena;
    struct maker make = {s->unit.lower, s->unit.ev, make_dim, make_symbol, make_tensor};
    uint32_t n = variant_argument_count(f, key), results = fn_result_count(f->def);
    struct value *args = ARENA_ARRAY(a, struct value, n), result;
    if (!variant_arguments(f, key, &make, args))
        return NULL;
    struct function_args all = function_arguments(f, a, n, args);
    if (!eval_call(s->unit.ev, &f->value, all.n, all.at, all.keywords, (struct span){0}, &result))
        return NULL;
    struct name *names = ARENA_ARRAY(a, struct name, results);
    for (uint32_t k = 0; k < results; k++)
        names[k] = fn_result_name(f->def, k);
    return lower_finish(s->unit.lower, results,
                        results == 1 ? &result
                        : results    ? result.list->at
                                     : NULL,
                        names, lower_found(a, f->def));
}

static struct variant_key copy_key(struct arena *a, const struct variant_key *key) {
    struct variant_key x = {key->nargs, NULL};
    x.args = arena_copy(a, key->args, key->nargs * sizeof *key->args);
    return x;
}

static struct variant *make(struct dcl_function *f, const struct variant_key *key) {
    struct dcl_session *s = f->session;
    struct graph *g = variant_lower(f, key);
    struct kernel *k = g ? compile_graph(s, g) : NULL;
    if (!k) {
        unit_end(s);
        return NULL;
    }
    struct arena *a = s->unit.arena;
    struct variant *v = ARENA_NEW(a, struct variant);
    *v = (struct variant){.arena = a, .next = f->variants, .constant = true};
    v->key = copy_key(a, key);
    for (uint32_t i = 0; i < key->nargs; i++)
        for (uint32_t d = 0; d < key->args[i].rank; d++)
            v->constant = v->constant && name_none(key->args[i].dims[d].symbol);
    const struct origin *origins = lower_origins(s->unit.lower);
    program_init(&v->program, a, g, k, origins);
    v->imports = ARENA_ARRAY(a, struct data *, g->params.n);
    for (uint32_t i = 0; i < g->params.n; i++)
        if (origins[i].kind == ORIGIN_IMPORT)
            v->imports[i] = tensor_data(origins[i].import);
    k->users++;
    f->variants = v;
    s->next_id = s->unit.ev->next_id;
    s->unit = (struct unit){0}; /* its arena is the variant's now */
    return v;
}

static void drop_oldest(struct dcl_function *f, uint32_t nargs, const struct shape_of *shapes) {
    struct variant **oldest = NULL;
    uint32_t n = 0;
    for (struct variant **at = &f->variants; *at; at = &(*at)->next) {
        if (!of_one_kind(&(*at)->key, nargs, shapes))
            continue;
        n++;
        if (!oldest || (*at)->used < (*oldest)->used)
            oldest = at;
    }
    if (n < VARIANTS_MOST)
        return;
    struct variant *v = *oldest;
    *oldest = v->next;
    if (f->last == v)
        f->last = NULL;
    variant_free(v);
}

static struct variant *make_for(struct dcl_function *f, uint32_t nargs,
                                const struct shape_of *shapes) {
    struct dcl_session *s = f->session;
    uint32_t constants = 0;
    for (const struct variant *v = f->variants; v; v = v->next)
        constants += v->constant && of_one_kind(&v->key, nargs, shapes);
    struct variant_key key = constant_key(s->messages, nargs, shapes);
    if (constants >= VARIANTS_CONSTANT) {
        struct variant_key symbolic;
        bool one = symbolic_key(f, s->messages, nargs, shapes, &symbolic);
        struct variant *v = one ? make(f, &symbolic) : NULL;
        if (v)
            return v;
        diags_clear(&s->diags); /* it must know its shapes */
        drop_oldest(f, nargs, shapes);
    }
    return make(f, &key);
}

struct variant *variant_for(struct dcl_function *f, uint32_t nargs, const struct shape_of *shapes) {
    struct variant *v = f->variants;
    struct variant_key none = {0};
    if (f->given) {
        if (!v)
            v = make(f, &none);
    } else {
        while (v && !serves(&v->key, nargs, shapes))
            v = v->next;
        if (!v)
            v = make_for(f, nargs, shapes);
    }
    if (v) {
        v->used = ++f->session->clock;
        f->last = v;
    }
    return v;
}

/* --- showing -------------------------------------------------------------------------------- */

/* A type variable stands for f32, or i32 where it is an integer. */
static enum dtype shown_type(struct dcl_function *f, const struct ast *type) {
    struct dcl_session *s = f->session;
    enum dtype t = dtype_of(name_text(s->names, type->name));
    const struct ast *where = f->def->kids[2];
    for (uint32_t i = 0; t == DT_NONE && i < where->nkids; i++)
        if (where->kids[i]->kind == AST_CONSTRAINT && name_eq(where->kids[i]->name, type->name) &&
            strcmp(name_text(s->names, where->kids[i]->kids[0]->name), "int") == 0)
            t = DT_i32;
    return t == DT_NONE ? DT_f32 : t;
}

static struct variant_dim shown_dim(struct dcl_function *f, const struct ast *dim, uint32_t arg,
                                    uint32_t d) {
    if (dim->kind == AST_INT)
        return (struct variant_dim){.size = dim->integer};
    const struct value *known = dim->kind == AST_NAME ? layer_integer(f, dim->name) : NULL;
    if (known)
        return (struct variant_dim){.size = known->i};
    if (dim->kind == AST_NAME || dim->kind == AST_SPREAD)
        return (struct variant_dim){.symbol = dim->name};
    /* An expression of other dimensions: the condition that it is equal becomes the call's. */
    return (struct variant_dim){
        .symbol = name_of_text(f->session->names,
                               arena_printf(f->session->messages, "%s_%u",
                                            name_text(f->session->names, f->params[arg].name), d))};
}

bool variant_key_shown(struct dcl_function *f, struct arena *a, struct variant_key *key) {
    if (f->given || f->last) {
        *key = f->given ? (struct variant_key){0} : copy_key(a, &f->last->key);
        return true;
    }
    key->nargs = f->nparams;
    key->args = ARENA_ARRAY(a, struct variant_arg, f->nparams);
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct ast *type = f->params[i].def->kids[0];
        struct variant_arg *x = &key->args[i];
        const char *name = name_text(f->session->names, f->params[i].name);
        x->type = shown_type(f, type);
        for (uint32_t k = 0; k < type->nkids; k++) {
            const struct ast *dim = type->kids[k];
            uint32_t width = dim->kind == AST_SPREAD ? 2 : 1;
            if (dim->kind == AST_SPREAD && dim->nkids == 0)
                name = name_text(f->session->names, dim->name);
            for (uint32_t j = 0; j < width && x->rank < EVAL_MAX_RANK; j++, x->rank++) {
                x->dims[x->rank] = shown_dim(f, dim, i, x->rank);
                if (width > 1)
                    x->dims[x->rank].symbol = name_of_text(
                        f->session->names, arena_printf(f->session->messages, "%s%u", name, j));
            }
        }
    }
    return true;
}
