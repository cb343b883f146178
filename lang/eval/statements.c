/* Statements. Program order is the meaning: each is evaluated where it stands.
   See Note [carried values] (carried.c) for how a loop rebinds what stands outside it. */
#include "lang/eval/internal.h"

#include <string.h>

bool in_script(const struct env *env) {
    for (; env; env = env->parent) {
        if (env->kind == ENV_SCRIPT)
            return true;
        if (env->kind == ENV_FUNCTION || env->kind == ENV_MAP)
            return false;
    }
    return false;
}

/* Whether WHERE, in which ENV finds a name, lies outside of the function that ENV is in. */
static bool beyond_function(const struct env *env, const struct env *where) {
    bool passed = false;
    for (; env && env != where; env = env->parent)
        passed = passed || env->kind == ENV_FUNCTION;
    return passed && env && where->kind != ENV_INSTANCE;
}

/* The scope of a block in ENV: one of its own, but for scripts, where names that a loop or branch
   binds stay. */
struct env *block_env(struct eval *ev, struct env *env) {
    return in_script(env) ? env : env_new(ev->arena, ENV_BLOCK, env, env->module);
}

/* The scope of script variables around ENV, which is in a script. */
static struct env *script_of(struct env *env) {
    while (env->kind != ENV_SCRIPT)
        env = env->parent;
    return env;
}

bool eval_block_of(struct eval *ev, struct env *env, const struct ast *block, struct flow f,
                   struct value *out) {
    *out = value_none();
    bool ok = true;
    for (uint32_t i = 0; i < block->nkids && !ev->returned; i++) {
        const struct ast *s = block->kids[i];
        bool last = i + 1 == block->nkids, done = false;
        bool fine = s->kind != AST_IF || eval_if_return(ev, env, block, i, f, out, &done);
        if (fine && !done)
            fine = s->kind == AST_IF && last ? eval_if(ev, env, s, f, out)
                                             : eval_statement(ev, env, s, out);
        if (fine && !ev->returned && env->growing)
            fine = grow_settle(ev, env, block, i + 1);
        if (fine)
            continue;
        ok = false;
        if (!in_script(env))
            return false; /* what follows would only repeat the error */
    }
    return ok;
}

static bool eval_decl(struct eval *ev, struct env *env, const struct ast *s) {
    enum dtype t;
    uint32_t rank;
    struct value *dims, fill, with = value_none();
    const struct value *at_start = NULL;
    if (!eval_type(ev, env, s->kids[0], &t, &rank, &dims))
        return false;
    if (rank && dims[0].kind == VAL_NONE)
        return grow_declare(ev, env, t, rank, dims, s->name, s->span);
    const struct layout *layout;
    if (!eval_layout(ev, env, s, rank, &layout))
        return false;
    const struct ast *filled = s->kids[1], *from = s->kids[2];
    if (from && from->kind != AST_INDEX) { /* the name of a number, as in read_subset */
        if (!eval_expr(ev, env, from, &with))
            return false;
        if (value_is_scalar(&with)) {
            filled = from;
            from = NULL;
        }
        with = value_none();
    }
    if (filled) {
        if (!eval_expr(ev, env, filled, &with) || !read_if_scalar(ev, &with, filled->span))
            return false;
        if (with.kind == VAL_INT || with.kind == VAL_FLOAT || with.kind == VAL_BOOL) {
            fill = with;
            if (!to_scalar(ev, t, &fill, text_of(ev, s->name), filled->span))
                return false;
            at_start = &fill;
            with = value_none();
        }
    } else if (in_script(env) && !from && s->integer2 == RES_NONE) {
        struct value zero = dtypes[t].class == DC_BOOL ? value_bool(false) : value_int(0);
        if (!ev->ops->constant(ev->host, t, &zero, s->span, &fill))
            return false;
        at_start = &fill; /* the script's memory is never unwritten */
    } else if (s->integer2 != RES_NONE) {
        union scalar id = resolution_identity((enum resolution)s->integer2, t);
        struct value v = dtypes[t].class == DC_BOOL ? value_bool(id.b)
                         : dtype_is_float(t)        ? value_float(scalar_cast(t, DT_f64, id).f64)
                                                    : value_int(scalar_cast(t, DT_i64, id).i64);
        if (!ev->ops->constant(ev->host, t, &v, s->span, &fill))
            return false;
        at_start = &fill;
    }
    struct tensor *x =
        declare_laid(ev, t, rank, dims, layout, (enum storage)s->op, at_start, s->name, s->span);
    if (!x)
        return false;
    x->container = true;
    struct block to = block_whole(ev, x, s->span);
    to.declared = true;
    if (with.kind != VAL_NONE && !block_write(ev, &to, with, RES_NONE))
        return false;
    if (from) {
        struct block b;
        if (!eval_block(ev, env, from, &b) || !block_copy(ev, &to, &b, RES_NONE))
            return false;
    }
    struct value v = value_tensor(x);
    if (in_script(env)) {
        if (!host_concrete(ev, &v, s->span))
            return false;
        v.tensor->container = true;
        env = script_of(env);
    }
    env_bind(env, s->name, v, s->span);
    return true;
}

/* A variable of the script, whatever block the statement stands in: what it names is computed now.
   B is its binding, if it has one. */
static bool assign_variable(struct eval *ev, struct env *env, const struct ast *target,
                            struct binding *b, struct value v) {
    if (v.kind == VAL_TENSOR && !v.tensor->data && name_none(v.tensor->name)) {
        ev->ops->hint(ev->host, v.tensor, target->name);
        v.tensor->name = target->name;
    }
    if (!host_concrete(ev, &v, target->span))
        return false;
    if (v.kind == VAL_TENSOR) {
        v.tensor->name = target->name;
        v.tensor->inner = false;
    }
    if (b)
        b->value = v;
    else
        env_bind(script_of(env), target->name, v, target->span);
    return true;
}

/* Whether E is a name, or members of one: the instance that it names can be asked for. */
static bool is_path(const struct ast *e) {
    while (e->kind == AST_MEMBER || (e->kind == AST_INDEX && e->nkids == 2))
        e = e->kids[0];
    return e->kind == AST_NAME;
}

/* A write to a param of an instance: `net.W = v`. */
static bool is_param(struct eval *ev, struct env *env, const struct ast *e) {
    struct value object;
    if (e->kind == AST_INDEX)
        e = e->kids[0];
    if (e->kind != AST_MEMBER || !is_path(e->kids[0]) || !eval_expr(ev, env, e->kids[0], &object) ||
        object.kind != VAL_INSTANCE)
        return false;
    const struct binding *b = env_find(object.instance->env, e->name, NULL);
    if (!b || b->value.kind != VAL_STATE || b->value.state->buffer)
        return false;
    struct diag *d = diag_error(ev->diags, e->span, ERR_READ_ONLY, text_of(ev, e->name));
    diag_note(ev->diags, d, b->value.state->def->span, "%s is a param", text_of(ev, e->name));
    diag_help(ev->diags, d,
              "params are written by minimize, update and load; a buffer can be assigned to");
    return true;
}

/* The block that a write reaches; of a buffer, also from outside of its layer. */
static bool eval_written(struct eval *ev, struct env *env, const struct ast *e, struct block *b) {
    if (is_param(ev, env, e))
        return false;
    if (!eval_block(ev, env, e, b))
        return false;
    b->tensor = written_buffer(ev, b->tensor);
    return true;
}

bool eval_set_variable(struct eval *ev, struct env *env, struct name n, struct value v,
                       struct span span) {
    struct ast target = {.kind = AST_NAME, .name = n, .span = span};
    return assign_variable(ev, env, &target, env_find(env, n, NULL), v);
}

/* NAME = v: a whole container, an outer value, or a new value. */
static bool assign_name(struct eval *ev, struct env *env, const struct ast *target, struct value v,
                        struct span from) {
    if (strcmp(text_of(ev, target->name), "_") == 0)
        return true;
    struct env *where = NULL;
    struct binding *b = env_find(env, target->name, &where);
    if (b && still_grows(ev, &b->value, target->name, target->span))
        return false;
    if (b && b->value.kind == VAL_TENSOR && b->value.tensor->container &&
        !b->value.tensor->carried) {
        struct value c = b->value;
        if (!bring(ev, &c) || !bring(ev, &v))
            return false;
        struct block to = block_whole(ev, c.tensor, target->span);
        return block_write(ev, &to, v, RES_NONE);
    }
    if (b && b->value.kind == VAL_STATE && b->value.state->buffer) {
        struct block to;
        return bring(ev, &v) && eval_written(ev, env, target, &to) &&
               block_write(ev, &to, v, RES_NONE);
    }
    if (b && where->kind == ENV_INSTANCE) {
        diag_error(ev->diags, target->span, ERR_READ_ONLY, text_of(ev, target->name));
        return false;
    }
    if (b && where != env)
        for (struct env *e = env; e != where; e = e->parent)
            if (e->kind == ENV_MAP) {
                diag_error(ev->diags, target->span, ERR_REBIND_IN_MAP, text_of(ev, target->name));
                return false;
            }
    if (in_script(env))
        return assign_variable(ev, env, target, b, v);
    if (b && beyond_function(env, where)) { /* of the script, in a gradient's block */
        if (env->kind != ENV_FUNCTION) {
            diag_error(
                ev->diags, target->span, ERR_NOT_HERE,
                arena_printf(ev->arena,
                             "%s is a variable of the script: a new value of it wants a name "
                             "of its own in this block",
                             text_of(ev, target->name)));
            return false;
        }
        b = NULL;
    }
    if (v.kind == VAL_TENSOR && can_change(v.tensor)) {
        if (!tensor_copy(ev, v.tensor, target->name, target->span, &v))
            return false;
    } else if (v.kind == VAL_TENSOR && v.tensor->inner) {
        struct tensor *x = ARENA_NEW(ev->arena, struct tensor);
        *x = *v.tensor;
        x->name = target->name;
        x->inner = false;
        v.tensor = x;
    } else if (v.kind == VAL_TENSOR && name_none(v.tensor->name)) {
        ev->ops->hint(ev->host, v.tensor, target->name);
        v.tensor->name = target->name;
    } else if (v.kind == VAL_SCALAR && !ev->ops->let(ev->host, target->name, &v, from)) {
        return false;
    }
    if (b)
        b->value = v;
    else
        env_bind(env, target->name, v, target->span);
    return true;
}

static bool assign_to(struct eval *ev, struct env *env, const struct ast *target, struct value v,
                      struct span from) {
    if (target->kind == AST_NAME)
        return assign_name(ev, env, target, v, from);
    if (target->kind == AST_INDEX || target->kind == AST_MEMBER) {
        struct block to;
        return bring(ev, &v) && eval_written(ev, env, target, &to) &&
               block_write(ev, &to, v, RES_NONE);
    }
    diag_error(ev->diags, target->span, ERR_NOT_HERE, "this cannot be assigned to");
    return false;
}

static bool eval_assign(struct eval *ev, struct env *env, const struct ast *s) {
    struct value v;
    if (!eval_expr(ev, env, s->kids[0], &v))
        return false;
    if (v.kind == VAL_NONE) {
        diag_error(ev->diags, s->kids[0]->span, ERR_NOT_HERE, "this has no value");
        return false;
    }
    uint32_t n = s->nkids - 1;
    if (n == 1)
        return assign_to(ev, env, s->kids[1], v, s->kids[0]->span);
    if (in_script(env) && !host_concrete(ev, &v, s->span))
        return false; /* all at once: one run gives them all */
    if (v.kind != VAL_LIST || v.list->n < n || (!v.tuple && v.list->n != n)) {
        diag_error(ev->diags, s->span, ERR_VALUE,
                   arena_printf(ev->arena, "%u targets for %s", n,
                                v.kind == VAL_LIST ? arena_printf(ev->arena, "%u values", v.list->n)
                                                   : "one value"));
        return false;
    }
    for (uint32_t i = 0; i < n; i++) { /* snapshots first: `a, b = b, a` */
        struct value *x = &v.list->at[i];
        if (x->kind == VAL_TENSOR && can_change(x->tensor) &&
            !tensor_copy(ev, x->tensor, (struct name){0}, s->span, x))
            return false;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!assign_to(ev, env, s->kids[i + 1], v.list->at[i], s->span))
            return false;
    return true;
}

static bool eval_update(struct eval *ev, struct env *env, const struct ast *s) {
    struct block to;
    struct value v;
    const struct ast *target = s->kids[0];
    if (!eval_expr(ev, env, s->kids[1], &v))
        return false;
    if (target->kind == AST_NAME) { /* a value: x += y is x = x + y */
        struct value old, args[2];
        if (!eval_expr(ev, env, target, &old))
            return false;
        if (!(old.kind == VAL_TENSOR && old.tensor->container && !old.tensor->carried)) {
            args[0] = old;
            args[1] = v;
            return apply_op(ev, resolution_op((enum resolution)s->op), 2, args, s->span, &v) &&
                   assign_name(ev, env, target, v, s->span);
        }
    }
    return eval_written(ev, env, target, &to) && block_write(ev, &to, v, (enum resolution)s->op);
}

/* The value of a subset. The name of a number stands for a tensor without dimensions. */
static bool read_subset(struct eval *ev, struct env *env, const struct ast *e, struct value *v) {
    struct block from;
    if (e->kind != AST_INDEX) {
        if (!eval_expr(ev, env, e, v))
            return false;
        if (value_is_scalar(v))
            return true;
    }
    return eval_block(ev, env, e, &from) && block_read(ev, &from, v);
}

static bool eval_read(struct eval *ev, struct env *env, const struct ast *s) {
    struct value v;
    if (!read_subset(ev, env, s->kids[0], &v))
        return false;
    struct ast target = {.kind = AST_NAME, .name = s->name, .span = s->span};
    return assign_name(ev, env, &target, v, s->kids[0]->span);
}

static bool eval_write(struct eval *ev, struct env *env, const struct ast *s) {
    struct block to, from;
    struct value v, by;
    const struct ast *e = s->kids[0];
    enum resolution r = (enum resolution)s->op;
    if (s->kids[2])
        return eval_expr(ev, env, s->kids[2], &by) && eval_expr(ev, env, e, &v) &&
               eval_written(ev, env, s->kids[1], &to) && block_resolve(ev, &to, v, &by);
    if (e->kind == AST_INDEX) { /* a block moves without a detour */
        struct value object;
        if (!eval_expr(ev, env, e->kids[0], &object))
            return false;
        if (object.kind == VAL_TENSOR) {
            if (!eval_block(ev, env, e, &from) || !eval_written(ev, env, s->kids[1], &to))
                return false;
            if (!block_is_element(&from) && !same_storage(from.tensor, to.tensor))
                return block_copy(ev, &to, &from, r);
            return block_read(ev, &from, &v) && block_write(ev, &to, v, r);
        }
    }
    return eval_expr(ev, env, e, &v) && eval_written(ev, env, s->kids[1], &to) &&
           block_write(ev, &to, v, r);
}

/* The dimensions of X that subscript POSITION of the INDEX node WHOLE stands for. */
static bool whole_dims(struct eval *ev, struct env *env, const struct ast *whole, uint32_t position,
                       uint32_t *n, const struct value **dims) {
    struct value object;
    if (!eval_expr(ev, env, whole->kids[0], &object))
        return false;
    if (object.kind != VAL_TENSOR) {
        diag_error(ev->diags, whole->span, ERR_ARG_KIND, "subscript", "what is subscripted",
                   "a tensor", value_kind_name(&object));
        return false;
    }
    struct tensor *t = object.tensor;
    uint32_t nsubs = whole->nkids - 1;
    if (nsubs && whole->kids[nsubs]->kind == AST_ELSE)
        nsubs--;
    uint32_t pack = nsubs;
    for (uint32_t k = 0; k < nsubs; k++)
        if (whole->kids[k + 1]->kind == AST_SPREAD)
            pack = k;
    if (pack == nsubs ? t->rank != nsubs : t->rank + 1 < nsubs) {
        diag_error(ev->diags, whole->span, ERR_INDEX_COUNT,
                   name_none(tensor_called(t)) ? "the tensor" : text_of(ev, t->name), t->rank,
                   plural(t->rank), nsubs, plural(nsubs));
        return false;
    }
    *n = position == pack ? t->rank - (nsubs - 1) : 1;
    uint32_t at = position <= pack ? position : t->rank - (nsubs - position);
    *dims = t->dims + at;
    return true;
}

static bool iter_wholes(struct eval *ev, struct env *env, const struct ast *it, uint32_t *n,
                        const struct value **dims) {
    const struct ast *first = NULL;
    for (uint32_t k = 3; k < it->nkids; k++) {
        const struct ast *w = it->kids[k];
        const struct value *other;
        uint32_t m;
        if (!w)
            continue;
        if (!first) {
            first = w;
            if (!whole_dims(ev, env, w, (uint32_t)w->integer2, n, dims))
                return false;
            continue;
        }
        if (!whole_dims(ev, env, w, (uint32_t)w->integer2, &m, &other))
            return false;
        for (uint32_t i = 0; i < (m > *n ? m : *n); i++) {
            struct buf a = buf_new(ev->arena), b = buf_new(ev->arena);
            const char *x = text_of(ev, first->kids[0]->name), *y = text_of(ev, w->kids[0]->name);
            enum equal eq = EQUAL_NO;
            if (m == *n) {
                value_print(ev, &(*dims)[i], &a);
                value_print(ev, &other[i], &b);
                eq = require_equal(ev, &(*dims)[i], &other[i],
                                   arena_printf(ev->arena,
                                                "the range of %s is %s from %s and %s from %s",
                                                text_of(ev, it->name), a.at, x, b.at, y),
                                   it->span);
            }
            if (eq == EQUAL_NO)
                diag_error(ev->diags, it->span, ERR_RANGE_DIFFERS, text_of(ev, it->name), a.at, x,
                           b.at, y);
            if (eq != EQUAL_YES)
                return false;
        }
    }
    if (!first) {
        diag_error(ev->diags, it->span, ERR_RANGE_UNKNOWN, text_of(ev, it->name));
        return false;
    }
    return true;
}

struct ranges {
    VEC(struct eval_range) at;
    VEC(uint32_t) width; /* per ITER: how many indices; UINT32_MAX for a plain one */
};

static bool eval_iter(struct eval *ev, struct env *env, const struct ast *it, struct ranges *out) {
    struct eval_range r = {.name = it->name,
                           .lo = value_int(0),
                           .step = value_int(1),
                           .schedule = (enum schedule)it->op,
                           .factor = (uint32_t)it->integer,
                           .span = it->span};
    bool pack = it->flags & AST_PACK;
    uint32_t n = 1;
    const struct value *dims = NULL;
    if (!it->kids[1]) {
        if (!iter_wholes(ev, env, it, &n, &dims))
            return false;
    } else if (pack) {
        const struct ast *hi = it->kids[1];
        struct value v;
        if (!(hi->kind == AST_SPREAD ? eval_spread : eval_expr)(ev, env, hi, &v))
            return false;
        if (v.kind != VAL_PACK && v.kind != VAL_LIST) {
            diag_error(ev->diags, hi->span, ERR_ARG_KIND, "map", text_of(ev, it->name),
                       "a pack of dimensions", value_kind_name(&v));
            return false;
        }
        n = v.list->n;
        dims = v.list->at;
    }
    if (pack) {
        for (uint32_t k = 0; k < n; k++) {
            r.hi = dims[k];
            if (!to_integer(ev, &r.hi, it->span))
                return false;
            if (n > 1)
                r.name = name_lit(ev, arena_printf(ev->arena, "%s%u", text_of(ev, it->name), k));
            VEC_PUSH(ev->arena, out->at, r);
        }
        VEC_PUSH(ev->arena, out->width, n);
        return true;
    }
    if (dims)
        r.hi = dims[0];
    else if ((it->kids[0] && !eval_integer(ev, env, it->kids[0], &r.lo)) ||
             !eval_integer(ev, env, it->kids[1], &r.hi) ||
             (it->kids[2] && !eval_integer(ev, env, it->kids[2], &r.step)))
        return false;
    if (r.step.kind != VAL_INT || r.step.i <= 0) {
        diag_help(ev->diags,
                  diag_error(ev->diags, it->span, ERR_VALUE,
                             "the step of a range must be a positive number"),
                  "backwards is n - 1 - i for i in 0:n; flip(x) of a tensor");
        return false;
    }
    VEC_PUSH(ev->arena, out->at, r);
    VEC_PUSH(ev->arena, out->width, UINT32_MAX);
    return true;
}

struct body {
    struct eval *ev;
    struct env *outer;
    const struct ast *ast;  /* the MAP or FOR */
    const struct ast *next; /* indices from here on are evaluated inside (see map_level) */
    struct ranges *ranges;
    enum env_kind kind;
    struct carry *carry;
};

static bool run_body(void *data, const struct value *index) {
    struct body *b = data;
    struct eval *ev = b->ev;
    struct env *env = env_new(ev->arena, b->kind, b->outer, b->outer->module);
    uint32_t k = 0;
    for (uint32_t i = 0; i < b->ranges->width.n; i++) {
        const struct ast *it = b->ast->kids[1 + i];
        if (b->ranges->width.at[i] == UINT32_MAX) {
            env_bind(env, it->name, index[k++], it->span);
            continue;
        }
        struct value pack = value_list_new(ev->arena, VAL_PACK, b->ranges->width.at[i]);
        for (uint32_t j = 0; j < pack.list->n; j++)
            pack.list->at[j] = index[k++];
        env_bind(env, it->name, pack, it->span);
    }
    struct value v;
    if (!eval_block_of(ev, env, b->ast->kids[0], (struct flow){0}, &v) ||
        !no_return(ev, b->ast->span))
        return false;
    return !b->carry || carry_round(ev, b->carry, b->ast->span);
}

/* Ranges may use the indices to their left (`j in 0:i`), which exist only inside the host's map.
   The
   indices are therefore evaluated with the earlier ones bound to the names that the host gives. */
struct map_state {
    struct body body;
    uint32_t first;       /* ITER at which this level starts */
    const bool *in_order; /* by number of the ITER */
};

static bool uses_index(const struct ast *e, const struct ast *map, uint32_t from, uint32_t to) {
    if (!e)
        return false;
    if (e->kind == AST_NAME || e->kind == AST_SPREAD)
        for (uint32_t i = from; i < to; i++)
            if (name_eq(e->name, map->kids[1 + i]->name))
                return true;
    for (uint32_t k = 0; k < e->nkids; k++)
        if (uses_index(e->kids[k], map, from, to))
            return true;
    return false;
}

static bool map_level(struct eval *ev, struct env *env, const struct ast *s, uint32_t first,
                      const bool *in_order);

static bool run_level(void *data, const struct value *index) {
    struct map_state *m = data;
    struct eval *ev = m->body.ev;
    struct env *env = env_new(ev->arena, ENV_MAP, m->body.outer, m->body.outer->module);
    uint32_t k = 0;
    for (uint32_t i = 0; i < m->body.ranges->width.n; i++) {
        const struct ast *it = m->body.ast->kids[1 + m->first + i];
        if (m->body.ranges->width.at[i] == UINT32_MAX) {
            env_bind(env, it->name, index[k++], it->span);
            continue;
        }
        struct value pack = value_list_new(ev->arena, VAL_PACK, m->body.ranges->width.at[i]);
        for (uint32_t j = 0; j < pack.list->n; j++)
            pack.list->at[j] = index[k++];
        env_bind(env, it->name, pack, it->span);
    }
    uint32_t next = m->first + m->body.ranges->width.n;
    if (next + 1 < m->body.ast->nkids)
        return map_level(ev, env, m->body.ast, next, m->in_order);
    struct value v;
    return eval_block_of(ev, env, m->body.ast->kids[0], (struct flow){0}, &v) &&
           no_return(ev, m->body.ast->span);
}

/* Evaluates the indices from ITER number FIRST on; one that uses an index of the same level starts
   a nested map. */
static bool map_level(struct eval *ev, struct env *env, const struct ast *s, uint32_t first,
                      const bool *in_order) {
    struct ranges r = {0};
    VEC(bool) loops = {0}; /* by number of the range */
    for (uint32_t i = first; i + 1 < s->nkids; i++) {
        const struct ast *it = s->kids[1 + i];
        bool inner = uses_index(it->kids[0], s, first, i) || uses_index(it->kids[1], s, first, i) ||
                     uses_index(it->kids[2], s, first, i);
        if (inner)
            break;
        if (!eval_iter(ev, env, it, &r))
            return false;
        while (loops.n < r.at.n)
            VEC_PUSH(ev->arena, loops, in_order[i]);
    }
    for (uint32_t i = 0; i < first; i++) /* a map in a parallel one is none */
        for (uint32_t k = 0; s->kids[1 + i]->op == SCHED_PARALLEL && k < r.at.n; k++)
            if (r.at.at[k].schedule == SCHED_PARALLEL)
                r.at.at[k].schedule = SCHED_NONE;
    struct map_state m = {{.ev = ev, .outer = env, .ast = s, .ranges = &r}, first, in_order};
    if (r.at.n == 0)
        return run_level(&m, NULL);
    return map_ordered(ev, r.at.n, r.at.at, loops.at, s->flags & AST_UNIQUE, s->span, run_level,
                       &m);
}

static bool eval_map(struct eval *ev, struct env *env, const struct ast *s) {
    return map_level(ev, env, s, 0, map_order(ev, env, s));
}

/* A list, or a range at the top of a script: iterations are separate statements. */
static bool unrolled_for(struct eval *ev, struct env *env, const struct ast *s,
                         const struct value *list, const struct eval_range *r) {
    const struct ast *it = s->kids[1];
    int64_t n = list ? list->list->n : 0;
    if (r) {
        if (r->lo.kind != VAL_INT || r->hi.kind != VAL_INT) {
            diag_error(ev->diags, it->span, ERR_STATIC_EXPECTED, "the range");
            return false;
        }
        n = r->hi.i <= r->lo.i ? 0 : (r->hi.i - r->lo.i - 1) / r->step.i + 1;
    }
    for (int64_t k = 0; k < n && !ev->returned; k++) {
        struct env *inner = block_env(ev, env);
        struct value x = list ? list->list->at[k] : value_int(r->lo.i + k * r->step.i), v;
        uint32_t names = s->nkids - 1;
        if (names > 1 && (x.kind != VAL_LIST || x.list->n != names)) {
            diag_error(ev->diags, it->span, ERR_VALUE, "the elements are not lists of that length");
            return false;
        }
        for (uint32_t i = 0; i < names; i++)
            env_bind(inner, s->kids[1 + i]->name, names > 1 ? x.list->at[i] : x, it->span);
        if (!eval_block_of(ev, inner, s->kids[0], (struct flow){0}, &v))
            return false;
    }
    return true;
}

static bool eval_for(struct eval *ev, struct env *env, const struct ast *s) {
    const struct ast *it = s->kids[s->nkids - 1]; /* of several, the last one has the list */
    if (!it->kids[0] && it->kids[1]) {
        struct value v;
        if (!eval_expr(ev, env, it->kids[1], &v))
            return false;
        if (v.kind == VAL_LIST || v.kind == VAL_PACK)
            return unrolled_for(ev, env, s, &v, NULL);
    }
    struct ranges r = {0};
    if (!eval_iter(ev, env, it, &r))
        return false;
    if (in_script(env))
        return unrolled_for(ev, env, s, NULL, &r.at.at[0]);
    struct carry c;
    if (!carry_in(ev, env, s->kids[0], s->span, &c))
        return false;
    struct body b = {
        .ev = ev, .outer = env, .ast = s, .ranges = &r, .kind = ENV_BLOCK, .carry = &c};
    bool ok = ev->ops->loop(ev->host, &r.at.at[0], s->span, run_body, &b);
    carry_out(&c);
    return ok;
}

bool eval_statement(struct eval *ev, struct env *env, const struct ast *s, struct value *out) {
    *out = value_none();
    switch (s->kind) {
    case AST_DECL: return eval_decl(ev, env, s);
    case AST_ASSIGN: return eval_assign(ev, env, s);
    case AST_UPDATE: return eval_update(ev, env, s);
    case AST_READ: return eval_read(ev, env, s);
    case AST_WRITE: return eval_write(ev, env, s);
    case AST_MAP: return eval_map(ev, env, s);
    case AST_FOR: return eval_for(ev, env, s);
    case AST_WHILE: return eval_while(ev, env, s);
    case AST_IF: return eval_if(ev, env, s, (struct flow){0}, out);
    case AST_BLOCK: return eval_block_of(ev, env, s, (struct flow){.wanted = true}, out);
    case AST_STEP: return eval_step(ev, env, s);
    case AST_RETURN:
        ev->result = value_none();
        if (s->nkids && s->kids[0] && !eval_expr(ev, env, s->kids[0], &ev->result))
            return false;
        ev->returned = true;
        return true;
    default: return eval_expr(ev, env, s, out);
    }
}
