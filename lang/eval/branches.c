/* Branches: static ones are chosen, others stay, with a value if one is wanted (see Note [joining])
   and with what follows a side that returns (see Note [return]); `while`. */
#include "lang/eval/internal.h"

/* Note [joining]
   The value of a branch that is decided at run time is a container that starts before it; each side
   ends by writing its own. A host that runs the program evaluates one side only, so nothing here
   may hang on both having been there. Static numbers are no types: they take that of the other
   side (which such a host imagines), and what is the same static value on both stays one. */
struct join {
    bool known;
    struct value fixed;    /* the static value of the first side; NONE if it is not static */
    struct tensor *tensor; /* or where the value goes */
    struct join *parts;    /* or one per element of a list */
    uint32_t n;
    bool tuple;
};

static bool is_static_number(const struct value *v) {
    return v->kind == VAL_INT || v->kind == VAL_FLOAT || v->kind == VAL_BOOL;
}

static const char *describe(struct eval *ev, const struct value *v) {
    if (v->kind == VAL_TENSOR)
        return type_text(ev, v->tensor);
    return v->kind == VAL_SCALAR ? dtypes[v->dtype].name : value_kind_name(v);
}

static bool differ(struct eval *ev, const char *a, const char *b, struct span span) {
    struct diag *d = diag_error(ev->diags, span, ERR_IF_DIFFERS, a, b);
    diag_help(ev->diags, d, "both sides of an `if` on a run-time value give the same type");
    return false;
}

static bool join_container(struct eval *ev, struct join *j, enum dtype t, uint32_t rank,
                           const struct value *dims, const struct value *fill, struct span span) {
    struct tensor *x = tensor_of(ev, t, rank, dims, span);
    if (!ev->ops->before(ev->host, x, fill))
        return false;
    x->container = true;
    j->tensor = x;
    return true;
}

static bool join_write(struct eval *ev, const struct join *j, struct value v, struct span span) {
    struct block to = block_whole(ev, j->tensor, span);
    return block_write(ev, &to, v, RES_NONE);
}

static bool join_first(struct eval *ev, struct join *j, struct value v, struct span span) {
    j->known = true;
    if (!read_if_scalar(ev, &v, span))
        return false;
    if (v.kind == VAL_LIST) {
        j->n = v.list->n;
        j->tuple = v.tuple;
        j->parts = ARENA_ARRAY(ev->arena, struct join, j->n + 1);
        for (uint32_t i = 0; i < j->n; i++)
            if (!join_first(ev, &j->parts[i], v.list->at[i], span))
                return false;
        return true;
    }
    if (v.kind == VAL_TENSOR)
        return join_container(ev, j, v.dtype, v.tensor->rank, v.tensor->dims, NULL, span) &&
               join_write(ev, j, v, span);
    if (v.kind == VAL_SCALAR || v.kind == VAL_SYM)
        return join_container(ev, j, v.kind == VAL_SYM ? DT_i64 : v.dtype, 0, NULL, NULL, span) &&
               join_write(ev, j, v, span);
    j->fixed = v;
    return true;
}

/* The first side gave a static value, which V is not. */
static bool join_fixed(struct eval *ev, struct join *j, struct value v, struct span span) {
    struct value fill = j->fixed;
    enum dtype t;
    if (!is_static_number(&fill) || v.kind == VAL_TENSOR || !value_is_scalar(&v))
        return differ(ev, describe(ev, &fill), describe(ev, &v), span);
    bool bools = fill.kind == VAL_BOOL;
    if (v.kind == VAL_SCALAR)
        t = v.dtype;
    else if (bools != (v.kind == VAL_BOOL))
        return differ(ev, describe(ev, &fill), describe(ev, &v), span);
    else
        t = bools ? DT_bool : fill.kind == VAL_FLOAT || v.kind == VAL_FLOAT ? DT_f64 : DT_i64;
    j->fixed.weak = t == DT_f64 && v.kind != VAL_SCALAR;
    return to_scalar(ev, t, &fill, "if", span) && join_container(ev, j, t, 0, NULL, &fill, span) &&
           join_write(ev, j, v, span);
}

static bool join_second(struct eval *ev, struct join *j, struct value v, struct span span) {
    if (!read_if_scalar(ev, &v, span))
        return false;
    if (j->parts) {
        if (v.kind != VAL_LIST || v.list->n != j->n)
            return differ(ev, arena_printf(ev->arena, "%u values", j->n),
                          v.kind == VAL_LIST ? arena_printf(ev->arena, "%u", v.list->n)
                                             : describe(ev, &v),
                          span);
        for (uint32_t i = 0; i < j->n; i++)
            if (!join_second(ev, &j->parts[i], v.list->at[i], span))
                return false;
        return true;
    }
    if (!j->tensor)
        return value_equal(&j->fixed, &v) || join_fixed(ev, j, v, span);
    struct tensor *t = j->tensor;
    bool fits = v.kind == VAL_TENSOR   ? v.tensor->rank == t->rank && v.dtype == t->dtype
                : v.kind == VAL_SCALAR ? t->rank == 0 && v.dtype == t->dtype
                                       : t->rank == 0 && value_is_scalar(&v) &&
                                             (v.kind == VAL_BOOL) == (t->dtype == DT_bool);
    const char *own = t->rank ? type_text(ev, t) : dtypes[t->dtype].name;
    for (uint32_t d = 0; fits && v.kind == VAL_TENSOR && d < t->rank; d++) {
        enum equal eq =
            require_equal(ev, &t->dims[d], &v.tensor->dims[d],
                          arena_printf(ev->arena, "the sides of this `if` differ: %s and %s", own,
                                       type_text(ev, v.tensor)),
                          span);
        if (eq == EQUAL_FAILED)
            return false;
        fits = eq == EQUAL_YES;
    }
    if (!fits)
        return differ(ev, own, describe(ev, &v), span);
    return join_write(ev, j, v, span);
}

static bool join_side(struct eval *ev, struct join *j, struct value v, struct span span) {
    return j->known ? join_second(ev, j, v, span) : join_first(ev, j, v, span);
}

static bool join_has_number(const struct join *j) {
    bool found = !j->parts && !j->tensor && is_static_number(&j->fixed);
    for (uint32_t i = 0; j->parts && i < j->n && !found; i++)
        found = join_has_number(&j->parts[i]);
    return found;
}

static bool join_value(struct eval *ev, struct join *j, struct span span, struct value *out) {
    if (j->parts) {
        *out = value_list_new(ev->arena, VAL_LIST, j->n);
        out->tuple = j->tuple;
        for (uint32_t i = 0; i < j->n; i++)
            if (!join_value(ev, &j->parts[i], span, &out->list->at[i]))
                return false;
        return true;
    }
    *out = j->fixed;
    if (!j->tensor)
        return true;
    bool weak = j->fixed.kind != VAL_NONE && j->fixed.weak;
    j->tensor->container = false;
    *out = value_tensor(j->tensor);
    if (!read_if_scalar(ev, out, span))
        return false;
    if (out->kind == VAL_SCALAR)
        out->weak = weak;
    return true;
}

bool no_return(struct eval *ev, struct span span) {
    if (!ev->returned)
        return true;
    struct diag *d =
        diag_error(ev->diags, span, ERR_NOT_HERE,
                   "`return` stands in a map, or in a loop or branch that depends on the run");
    diag_help(ev->diags, d, "write the result in both cases, or choose it with select(c, a, b)");
    return false;
}

/* Note [return]
   In the function's own block a side that always returns ends the function, so what follows the
   branch belongs to the other side: `if c { return a }  b` is `if c { a } else { b }`, and so is
   the function's value. A side that returns in some cases only would need the rest twice. */
struct arms {
    struct eval *ev;
    struct env *env;
    const struct ast *s;
    struct carry *carry;
    const struct ast *rest; /* the BLOCK that follows, part of a side; NULL */
    bool wanted;            /* the value */
    struct join *join;
    eval_body *other; /* the side that has not been evaluated, if one has; NULL if both have */
    bool any;
};

static bool has_return(const struct ast *s) {
    if (!s || s->kind == AST_FN || s->kind == AST_LAYER)
        return false;
    bool found = s->kind == AST_RETURN;
    for (uint32_t i = 0; i < s->nkids && !found; i++)
        found = has_return(s->kids[i]);
    return found;
}

static bool always_returns(const struct ast *s) {
    if (!s)
        return false;
    switch (s->kind) {
    case AST_RETURN: return true;
    case AST_BLOCK: return s->nkids && always_returns(s->kids[s->nkids - 1]);
    case AST_IF: return always_returns(s->kids[1]) && always_returns(s->kids[2]);
    default: return false;
    }
}

static bool run_arm(struct arms *a, const struct ast *arm) {
    struct eval *ev = a->ev;
    struct value v = value_none();
    struct env *inner = env_new(ev->arena, ENV_BLOCK, a->env, a->env->module);
    bool follows = a->rest && a->rest->nkids && !always_returns(arm);
    struct flow f = {.wanted = a->wanted && !follows, .tail = a->rest && !follows};
    if (arm && !(arm->kind == AST_BLOCK ? eval_block_of(ev, inner, arm, f, &v)
                                        : eval_if(ev, inner, arm, f, &v)))
        return false;
    if (follows && !ev->returned) {
        struct flow tail = {.wanted = a->wanted, .tail = true};
        if (!eval_block_of(ev, inner, a->rest, tail, &v))
            return false;
    }
    if (ev->returned && a->rest) {
        v = ev->result;
        ev->returned = false;
    }
    if (!no_return(ev, a->s->span))
        return false;
    if (a->wanted && v.kind == VAL_NONE) {
        struct diag *d = diag_error(ev->diags, arm ? arm->span : a->s->span, ERR_NOT_HERE,
                                    arm ? "this side of the `if` has no value"
                                        : "an `if` without `else` has no value");
        diag_help(ev->diags, d, "the last expression of a block is its value");
        return false;
    }
    if (a->wanted && !join_side(ev, a->join, v, a->s->span))
        return false;
    if (!a->rest)
        return carry_round(ev, a->carry, a->s->span);
    carry_back(a->carry); /* the function ends here */
    return true;
}

static bool run_else(void *data, const struct value *index);

static bool run_then(void *data, const struct value *index) {
    (void)index;
    struct arms *a = data;
    a->other = a->any ? NULL : run_else;
    a->any = true;
    return run_arm(a, a->s->kids[1]);
}

static bool run_else(void *data, const struct value *index) {
    (void)index;
    struct arms *a = data;
    a->other = a->any ? NULL : run_then;
    a->any = true;
    return run_arm(a, a->s->kids[2]);
}

static void imagine_other(struct arms *a) {
    struct eval *ev = a->ev;
    ev->ops->imagine(ev->host, a->other, a);
    ev->returned = false;
    if (a->rest) /* it may have ended anywhere */
        carry_back(a->carry);
    for (uint32_t i = 0; !a->rest && i < a->carry->n; i++)
        a->carry->at[i].binding->value = value_tensor(a->carry->at[i].container);
}

/* An `if` whose condition C is decided at run time. REST: what follows it, and returns with it. */
static bool run_both(struct eval *ev, struct env *env, const struct ast *s, struct value c,
                     const struct ast *rest, bool wanted, struct value *out) {
    struct carry carry;
    struct join join = {0};
    const struct ast *all[3] = {s->kids[1], s->kids[2], rest};
    struct ast changes = {.kind = AST_BLOCK, .nkids = 3, .kids = (struct ast **)all};
    struct arms a = {.ev = ev,
                     .env = env,
                     .s = s,
                     .carry = &carry,
                     .rest = rest,
                     .wanted = wanted,
                     .join = &join};
    if (rest)
        carry_note(ev, env, &changes, &carry);
    else if (!carry_in(ev, env, &changes, s->span, &carry))
        return false;
    bool ok = ev->ops->branch(ev->host, &c, s->span, run_then, run_else, &a);
    if (ok && wanted && a.other && join_has_number(&join))
        imagine_other(&a);
    if (!rest)
        carry_out(&carry);
    return ok && (!wanted || join_value(ev, &join, s->span, out));
}

static bool eval_condition(struct eval *ev, struct env *env, const struct ast *s, struct value *c) {
    if (!eval_expr(ev, env, s->kids[0], c) || !read_if_scalar(ev, c, s->span))
        return false;
    if (c->kind == VAL_SCALAR && in_script(env) && !host_concrete(ev, c, s->kids[0]->span))
        return false;
    if (c->kind == VAL_BOOL || (c->kind == VAL_SCALAR && c->dtype == DT_bool))
        return true;
    struct diag *d =
        diag_error(ev->diags, s->kids[0]->span, ERR_ARG_KIND, s->kind == AST_IF ? "if" : "while",
                   "the condition", "a truth value", value_kind_name(c));
    advise_truth(ev->diags, d, c);
    return false;
}

static bool choose(struct eval *ev, struct env *env, const struct ast *s, bool c, struct flow f,
                   struct value *out) {
    const struct ast *arm = c ? s->kids[1] : s->kids[2];
    if (!arm)
        return true;
    if (arm->kind != AST_BLOCK)
        return eval_if(ev, env, arm, f, out);
    return eval_block_of(ev, block_env(ev, env), arm, f, out);
}

/* Whether E is true and this is known now; what cannot be evaluated is not. */
static bool is_known_true(struct eval *ev, struct env *env, const struct ast *e) {
    struct diags before = *ev->diags;
    struct value c;
    bool ok = eval_expr(ev, env, e, &c);
    if (!ok) {
        *ev->diags = before;
        *ev->diags->last = NULL;
    }
    return ok && c.kind == VAL_BOOL && c.b;
}

bool eval_if(struct eval *ev, struct env *env, const struct ast *s, struct flow f,
             struct value *out) {
    struct value c;
    *out = value_none();
    if (s->flags & AST_CHOICE)
        return choose(ev, env, s, is_known_true(ev, env, s->kids[0]), f, out);
    if (!eval_condition(ev, env, s, &c))
        return false;
    if (c.kind == VAL_BOOL)
        return choose(ev, env, s, c.b, f, out);
    return run_both(ev, env, s, c, NULL, f.wanted, out);
}

bool eval_if_return(struct eval *ev, struct env *env, const struct ast *block, uint32_t at,
                    struct flow f, struct value *out, bool *done) {
    const struct ast *s = block->kids[at];
    struct value c;
    *done = false;
    *out = value_none();
    bool last = at + 1 == block->nkids;
    if (!f.tail || !has_return(s) ||
        (!last && !always_returns(s->kids[1]) && !always_returns(s->kids[2])))
        return true;
    *done = true;
    if (!eval_condition(ev, env, s, &c))
        return false;
    if (c.kind == VAL_BOOL)
        return choose(ev, env, s, c.b, (struct flow){f.wanted && last, last}, out);
    struct ast *rest = ARENA_NEW(ev->arena, struct ast);
    *rest = (struct ast){.kind = AST_BLOCK,
                         .span = block->span,
                         .nkids = block->nkids - at - 1,
                         .kids = block->kids + at + 1};
    if (!run_both(ev, env, s, c, rest, f.wanted, &ev->result))
        return false;
    ev->returned = true;
    return true;
}

struct turns { /* a `while` */
    struct eval *ev;
    struct env *env;
    const struct ast *s;
    struct carry *carry;
    struct tensor *go; /* what is asked before each turn */
    bool own;          /* and is written here */
};

static bool ask(const struct turns *t) {
    struct value c;
    struct block to = block_whole(t->ev, t->go, t->s->kids[0]->span);
    return !t->own ||
           (eval_condition(t->ev, t->env, t->s, &c) && block_write(t->ev, &to, c, RES_NONE));
}

static bool run_turn(void *data, const struct value *index) {
    (void)index;
    struct turns *t = data;
    struct eval *ev = t->ev;
    struct value v;
    struct env *inner = env_new(ev->arena, ENV_BLOCK, t->env, t->env->module);
    return eval_block_of(ev, inner, t->s->kids[1], (struct flow){0}, &v) &&
           no_return(ev, t->s->span) && carry_round(ev, t->carry, t->s->span) && ask(t);
}

/* The condition that is a container by name, as printed graphs have it: its content is asked. */
static struct tensor *named_condition(struct env *env, const struct ast *e) {
    struct env *where;
    struct binding *b = e->kind == AST_NAME ? env_find(env, e->name, &where) : NULL;
    if (!b || b->value.kind != VAL_TENSOR || where->kind == ENV_SCRIPT)
        return NULL;
    struct tensor *t = b->value.tensor;
    bool fits = t->container && !t->carried && !t->map && t->rank == 0 && t->dtype == DT_bool;
    return fits ? t : NULL;
}

static bool while_at_run(struct eval *ev, struct env *env, const struct ast *s) {
    struct carry carry;
    struct turns t = {ev, env, s, &carry, NULL, false};
    if (!carry_in(ev, env, s, s->span, &carry))
        return false;
    t.go = named_condition(env, s->kids[0]);
    if (!t.go) {
        t.own = true;
        t.go = declare(ev, DT_bool, 0, NULL, STORE_NONE, NULL, name_lit(ev, "go"), s->span);
        if (!t.go)
            return false;
        t.go->container = true;
    }
    bool ok = ask(&t) && ev->ops->repeat(ev->host, t.go, s->span, run_turn, &t);
    carry_out(&carry);
    return ok;
}

bool eval_while(struct eval *ev, struct env *env, const struct ast *s) {
    if (!in_script(env))
        return while_at_run(ev, env, s);
    for (;;) {
        struct value c, v;
        if (!eval_condition(ev, env, s, &c))
            return false;
        if (!c.b)
            return true;
        if (!eval_block_of(ev, block_env(ev, env), s->kids[1], (struct flow){0}, &v))
            return false;
    }
}
