/* Expressions. Static parts are computed, tensor parts are handed to the host by way of scalars.c,
   subsets.c and calls.c. */
#include "lang/eval/internal.h"

#include <math.h>
#include <string.h>

bool bring(struct eval *ev, struct value *v) {
    if (v->kind == VAL_STATE)
        return bring_state(ev, v->state, v);
    if (v->kind != VAL_TENSOR || !v->tensor->data)
        return true;
    struct value inside;
    if (!ev->ops->import(ev->host, v, &inside))
        return false;
    if (inside.kind == VAL_TENSOR)
        inside.tensor->from = v->tensor->from ? v->tensor->from : v->tensor;
    *v = inside;
    return true;
}

bool bring_state(struct eval *ev, struct state *s, struct value *out) {
    if (!ev->ops->state(ev->host, s, out))
        return false;
    if (out->kind == VAL_TENSOR)
        out->tensor->state = s;
    return true;
}

static bool holds_call(const struct ast *e) {
    bool found = e && (e->kind == AST_CALL || e->kind == AST_PIPE || e->kind == AST_COMPREHENSION ||
                       e->kind == AST_BLOCK);
    for (uint32_t i = 0; e && i < e->nkids && !found; i++)
        found = holds_call(e->kids[i]);
    return found;
}

static bool is_buffer(const struct tensor *t) {
    return t->state && t->state->buffer;
}

struct tensor *written_buffer(struct eval *ev, struct tensor *t) {
    if (!is_buffer(t))
        return t;
    struct tensor *x = ARENA_NEW(ev->arena, struct tensor);
    *x = *t;
    x->container = true;
    x->read_only = false;
    return x;
}

bool copy_buffer(struct eval *ev, struct value *v, struct span span) {
    if (v->kind != VAL_TENSOR || !is_buffer(v->tensor))
        return true;
    if (v->tensor->rank == 0)
        return read_if_scalar(ev, v, span);
    return tensor_copy(ev, v->tensor, (struct name){0}, span, v);
}

/* What is read of a buffer is what it holds now, whatever AFTER, evaluated next, writes into it. */
bool hold_buffer(struct eval *ev, struct value *v, const struct ast *after) {
    bool number = v->kind == VAL_INT || v->kind == VAL_SYM || v->kind == VAL_SCALAR;
    return number || !holds_call(after) || copy_buffer(ev, v, after->span);
}

static bool eval_name(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    struct binding *b = env_find(env, e->name, NULL);
    if (b) {
        *out = b->value;
        if (still_grows(ev, out, e->name, e->span))
            return false;
        if (out->kind == VAL_STATE)
            return bring_state(ev, b->value.state, out);
        return bring(ev, out);
    }
    const struct module *m = env->module, *found;
    struct ast *def = module_find(m, e->name, &found);
    if (def && def->kind == AST_FN) {
        out->kind = VAL_FN;
        out->fn = ARENA_NEW(ev->arena, struct function);
        *out->fn = (struct function){def, found, NULL};
        return true;
    }
    if (def && def->kind == AST_LAYER) {
        out->kind = VAL_LAYER;
        out->layer = ARENA_NEW(ev->arena, struct layer);
        *out->layer = (struct layer){def, found};
        return true;
    }
    const char *text = text_of(ev, e->name);
    enum dtype t = dtype_of(text);
    if (t != DT_NONE)
        *out = value_dtype(t);
    else if (strcmp(text, "inf") == 0)
        *out = value_float(INFINITY);
    else if (strcmp(text, "nan") == 0)
        *out = value_float(NAN);
    else if (strcmp(text, "none") == 0)
        *out = (struct value){.kind = VAL_ABSENT, .dtype = DT_NONE};
    else if (strcmp(text, "training") == 0)
        *out = value_bool(ev->training);
    else if (strcmp(text, "derived") == 0)
        *out = value_bool(gradient_is_derived(ev));
    else if (eval_is_builtin(ev->names, e->name) || host_has_builtin(ev, e->name))
        *out = (struct value){.kind = VAL_BUILTIN, .dtype = DT_NONE, .str = e->name};
    else {
        struct diag *d = diag_error(ev->diags, e->span, ERR_UNKNOWN_NAME, text);
        diag_help(ev->diags, d, "no argument of this call binds it: what would is absent");
        return false;
    }
    return true;
}

/* What leaves 64 bits wraps, as products do when they run. */
static bool integer_power(struct eval *ev, struct value base, int64_t n, struct value *out) {
    struct value r = value_int(1);
    while (n) {
        if (n & 1)
            r = int_op(ev, INT_MUL, &r, &base);
        n >>= 1;
        if (n)
            base = int_op(ev, INT_MUL, &base, &base);
    }
    *out = r;
    return true;
}

static bool prelude_call(struct eval *ev, const char *name, uint32_t n, const struct value *args,
                         struct span span, struct value *out) {
    const struct module *found;
    struct ast *def = ev->prelude ? module_find(ev->prelude, name_lit(ev, name), &found) : NULL;
    if (!def || def->kind != AST_FN) {
        diag_error(ev->diags, span, ERR_UNKNOWN_NAME, name);
        return false;
    }
    struct function fn = {def, found, NULL};
    struct value callee = {.kind = VAL_FN, .fn = &fn};
    return eval_call(ev, &callee, n, args, NULL, span, out);
}

/* x ** n: products for static small whole n, the library's pow else. */
static bool power(struct eval *ev, struct value *a, struct span span, struct value *out) {
    enum { SYMBOLIC = 16 }; /* the highest power of a symbol */
    if (value_is_integer(&a[0]) && a[1].kind == VAL_INT && a[1].i >= 0 &&
        (a[0].kind == VAL_INT || a[1].i <= SYMBOLIC))
        return integer_power(ev, a[0], a[1].i, out);
    if (a[0].kind != VAL_TENSOR && a[0].kind != VAL_SCALAR && a[0].kind != VAL_SYM &&
        value_is_number(&a[0]) && value_is_number(&a[1]) && a[1].kind != VAL_SYM) {
        double x = a[0].kind == VAL_INT ? (double)a[0].i : a[0].f;
        double y = a[1].kind == VAL_INT ? (double)a[1].i : a[1].f;
        *out = value_float(pow(x, y));
        return true;
    }
    double whole = a[1].kind == VAL_INT ? (double)a[1].i : a[1].kind == VAL_FLOAT ? a[1].f : 0.5;
    if (whole >= 1 && whole <= 16 && whole == floor(whole)) {
        struct value r = a[0];
        for (int k = 1; k < (int)whole; k++) {
            struct value args[2] = {r, a[0]};
            if (!apply_op(ev, OP_MUL, 2, args, span, &r))
                return false;
        }
        *out = r;
        return true;
    }
    if ((a[0].kind == VAL_TENSOR || a[0].kind == VAL_SCALAR) && dtype_is_int(a[0].dtype)) {
        struct diag *d = diag_error(ev->diags, span, ERR_DTYPE_EXPECTED, "**", "a float type",
                                    value_text(ev, &a[0]));
        diag_help(ev->diags, d, "of integers there are the powers 1 to 16, written as numbers");
        return false;
    }
    return prelude_call(ev, "pow", 2, a, span, out);
}

static bool is_list(const struct value *v) {
    return v->kind == VAL_LIST || v->kind == VAL_PACK;
}

static bool list_plus(struct eval *ev, const struct value *a, struct span span, struct value *out) {
    uint32_t n = a[0].list->n, m = a[1].list->n;
    if ((uint64_t)n + m > EVAL_MAX_LIST) {
        diag_error(ev->diags, span, ERR_VALUE, "a list of more than a million elements");
        return false;
    }
    *out = value_list_new(ev->arena, VAL_LIST, n + m);
    for (uint32_t i = 0; i < n + m; i++)
        out->list->at[i] = i < n ? a[0].list->at[i] : a[1].list->at[i - n];
    return true;
}

/* Whether X and Y are numbers, or truth values, that may be equal when they run. */
static bool may_equal(const struct value *x, const struct value *y) {
    bool open =
        x->kind == VAL_SYM || x->kind == VAL_SCALAR || y->kind == VAL_SYM || y->kind == VAL_SCALAR;
    bool truth[2] = {x->kind == VAL_BOOL || (x->kind == VAL_SCALAR && x->dtype == DT_bool),
                     y->kind == VAL_BOOL || (y->kind == VAL_SCALAR && y->dtype == DT_bool)};
    return open && value_is_scalar(x) && value_is_scalar(y) && truth[0] == truth[1];
}

/* Whether X and Y are equal, lists element by element: a run-time truth value where symbols leave
   it open, so that constants and symbols mean the same. */
static bool same_value(struct eval *ev, const struct value *x, const struct value *y,
                       struct span span, struct value *out) {
    struct value pair[2] = {*x, *y}, both[2];
    if (!is_list(x) || !is_list(y)) {
        bool ints = value_is_integer(x) && value_is_integer(y);
        int eq = ints ? int_equal(ev, x, y) : may_equal(x, y) ? -1 : value_equal(x, y);
        *out = value_bool(eq == 1);
        return eq >= 0 || apply_op(ev, OP_EQ, 2, pair, span, out);
    }
    *out = value_bool(x->list->n == y->list->n);
    for (uint32_t i = 0; i < x->list->n && !(out->kind == VAL_BOOL && !out->b); i++) {
        if (!same_value(ev, &x->list->at[i], &y->list->at[i], span, &both[1]))
            return false;
        both[0] = *out;
        if (both[0].kind == VAL_BOOL || (both[1].kind == VAL_BOOL && !both[1].b))
            *out = both[1];
        else if (both[1].kind != VAL_BOOL && !apply_op(ev, OP_AND, 2, both, span, out))
            return false;
    }
    return true;
}

static bool is_in(struct eval *ev, const struct ast *e, const struct value *x,
                  const struct value *list, struct value *out) {
    *out = value_bool(false);
    if (!is_list(list)) {
        diag_error(ev->diags, e->span, ERR_ARG_KIND, "in", "the right side", "a list",
                   value_kind_name(list));
        return false;
    }
    for (uint32_t i = 0; i < list->list->n && !(out->kind == VAL_BOOL && out->b); i++) {
        struct value both[2] = {*out};
        if (!same_value(ev, x, &list->list->at[i], e->span, &both[1]))
            return false;
        if (both[0].kind == VAL_BOOL || (both[1].kind == VAL_BOOL && both[1].b))
            *out = both[1];
        else if (both[1].kind != VAL_BOOL && !apply_op(ev, OP_OR, 2, both, e->span, out))
            return false;
    }
    return true;
}

/* The commonest of all, subscripts: whole numbers that do not wrap. */
static bool plain_integer(enum ast_op op, const struct value *a, struct value *out) {
    int64_t r;
    bool wraps = true;
    if (a[0].kind != VAL_INT || a[1].kind != VAL_INT || a[0].wrapped || a[1].wrapped)
        return false;
    if (op == AOP_ADD)
        wraps = __builtin_add_overflow(a[0].i, a[1].i, &r);
    else if (op == AOP_SUB)
        wraps = __builtin_sub_overflow(a[0].i, a[1].i, &r);
    else if (op == AOP_MUL)
        wraps = __builtin_mul_overflow(a[0].i, a[1].i, &r);
    if (!wraps)
        *out = value_int(r);
    return !wraps;
}

/* After an error in the operator E: a name in it that a loop carries keeps the type from before;
   a product of matrices is none of vectors. */
static void advise_operator(struct eval *ev, struct env *env, const struct ast *e) {
    struct diag *d = diags_last(ev->diags);
    if (d && d->code == ERR_RANK_MISMATCH && e->op == AOP_MATMUL && span_eq(d->span, e->span))
        diag_help(ev->diags, d,
                  "sum(a * b) multiplies vectors; reshape(v, [len(v), 1]) is a matrix of a column");
    for (uint32_t i = 0; d && d->code == ERR_DTYPE_MISMATCH && i < e->nkids; i++) {
        const struct binding *b =
            e->kids[i]->kind == AST_NAME ? env_find(env, e->kids[i]->name, NULL) : NULL;
        const struct tensor *t = b && b->value.kind == VAL_TENSOR ? b->value.tensor : NULL;
        if (t && t->carried && t->rank == 0 && span_eq(d->span, e->span))
            diag_help(ev->diags, d,
                      "%s keeps the type that it has before the loop, %s: it may begin as f32(0)",
                      text_of(ev, b->name), dtypes[t->dtype].name);
    }
}

static bool eval_operator(struct eval *ev, struct env *env, const struct ast *e,
                          struct value *out) {
    struct value a[2];
    if (!eval_expr(ev, env, e->kids[0], &a[0]) || !read_if_scalar(ev, &a[0], e->span))
        return false;
    if (e->op == AOP_AND && a[0].kind == VAL_BOOL && !a[0].b) { /* static: the rest may not hold */
        *out = a[0];
        return true;
    }
    if (e->op == AOP_OR && a[0].kind == VAL_BOOL && a[0].b) {
        *out = a[0];
        return true;
    }
    if (!hold_buffer(ev, &a[0], e->kids[1]))
        return false;
    if (!eval_expr(ev, env, e->kids[1], &a[1]) || !read_if_scalar(ev, &a[1], e->span))
        return false;
    if (plain_integer(e->op, a, out))
        return true;
    if ((e->op == AOP_AND || e->op == AOP_OR) && a[0].kind == VAL_BOOL) {
        *out = a[1];
        return true;
    }
    if (e->op == AOP_DIV && value_is_integer(&a[0]) && value_is_integer(&a[1]) &&
        a[0].kind == VAL_INT && a[1].kind == VAL_INT) {
        *out = value_float((double)a[0].i / (double)a[1].i);
        return true;
    }
    if (e->op == AOP_ADD && is_list(&a[0]) && is_list(&a[1]) && !a[0].list->path)
        return list_plus(ev, a, e->span, out);
    if (e->op == AOP_ADD && a[0].kind == VAL_STR && a[1].kind == VAL_STR) {
        const char *text =
            arena_printf(ev->arena, "%s%s", text_of(ev, a[0].str), text_of(ev, a[1].str));
        if (strlen(text) > EVAL_MAX_LIST) {
            diag_error(ev->diags, e->span, ERR_VALUE, "a string of more than a million bytes");
            return false;
        }
        *out = value_str(name_lit(ev, text));
        return true;
    }
    if ((e->op == AOP_EQ || e->op == AOP_NE) && is_list(&a[0]) && is_list(&a[1])) {
        struct value same;
        if (!same_value(ev, &a[0], &a[1], e->span, &same))
            return false;
        *out = same;
        return e->op == AOP_EQ || apply_op(ev, OP_NOT, 1, &same, e->span, out);
    }
    if (e->op == AOP_IN)
        return is_in(ev, e, &a[0], &a[1], out);
    if (e->op == AOP_POW)
        return power(ev, a, e->span, out);
    if (e->op == AOP_MATMUL)
        return prelude_call(ev, "matmul", 2, a, e->span, out);
    return apply_op(ev, binary_scalar(e->op), 2, a, e->span, out);
}

static bool eval_binary(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    uint32_t errors = ev->diags->errors;
    bool ok = eval_operator(ev, env, e, out);
    if (!ok && ev->diags->errors > errors)
        advise_operator(ev, env, e);
    return ok;
}

bool eval_spread(struct eval *ev, struct env *env, const struct ast *e, struct value *list) {
    const struct binding *b = e->nkids == 0 ? env_find(env, e->name, NULL) : NULL;
    struct ast name = {.kind = AST_NAME, .name = e->name, .span = e->span};
    if (b)
        *list = b->value;
    else if (!eval_expr(ev, env, e->nkids ? e->kids[0] : &name, list))
        return false;
    if (is_list(list))
        return true;
    diag_error(ev->diags, e->span, ERR_VALUE,
               arena_printf(ev->arena, "`*` takes a list, not %s", value_kind_name(list)));
    return false;
}

static bool eval_list(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    VEC(struct value) v = {0};
    for (uint32_t i = 0; i < e->nkids; i++) {
        struct value x;
        if (e->kids[i]->kind == AST_SPREAD) {
            struct value list;
            if (!eval_spread(ev, env, e->kids[i], &list))
                return false;
            for (uint32_t k = 0; k < list.list->n; k++) {
                x = list.list->at[k];
                if (!bring(ev, &x))
                    return false;
                VEC_PUSH(ev->arena, v, x);
            }
            continue;
        }
        if (!eval_expr(ev, env, e->kids[i], &x))
            return false;
        if (x.kind == VAL_TENSOR && can_change(x.tensor) && !in_script(env) &&
            !tensor_copy(ev, x.tensor, (struct name){0}, e->kids[i]->span, &x))
            return false; /* a list holds values */
        VEC_PUSH(ev->arena, v, x);
    }
    *out = value_list_new(ev->arena, VAL_LIST, v.n);
    out->tuple = e->kind == AST_TUPLE;
    if (v.n)
        memcpy(out->list->at, v.at, v.n * sizeof *v.at);
    return true;
}

/* The names of a comprehension for the element X. */
static bool bind_names(struct eval *ev, struct env *inner, const struct ast *e,
                       const struct value *x) {
    uint32_t names = e->nkids - 2; /* the first one is that of the node */
    if (names == 1) {
        env_bind(inner, e->name, *x, e->span);
        return true;
    }
    if (!is_list(x) || x->list->n != names) {
        diag_error(ev->diags, e->span, ERR_VALUE,
                   arena_printf(ev->arena, "the elements are not lists of %u", names));
        return false;
    }
    for (uint32_t i = 0; i < names; i++)
        env_bind(inner, i ? e->kids[2 + i]->name : e->name, x->list->at[i], e->span);
    return true;
}

/* A condition that chooses while the program is elaborated. */
static bool is_decided(struct eval *ev, const struct value *c, struct span span) {
    if (c->kind == VAL_BOOL)
        return true;
    if (c->kind == VAL_SCALAR && c->dtype == DT_bool)
        diag_error(ev->diags, span, ERR_STATIC_EXPECTED, "the condition of a list");
    else
        diag_error(ev->diags, span, ERR_ARG_KIND, "if", "the condition", "a truth value",
                   value_kind_name(c));
    return false;
}

static bool eval_comprehension(struct eval *ev, struct env *env, const struct ast *e,
                               struct value *out) {
    struct value from = value_none(), lo = value_int(0), hi = value_int(0), step = value_int(1);
    const struct ast *it = e->kids[1];
    if (it->kind == AST_RANGE) {
        if ((it->kids[0] && !eval_integer(ev, env, it->kids[0], &lo)) ||
            (it->kids[1] && !eval_integer(ev, env, it->kids[1], &hi)) ||
            (it->kids[2] && !eval_integer(ev, env, it->kids[2], &step)))
            return false;
        if (lo.kind != VAL_INT || hi.kind != VAL_INT || step.kind != VAL_INT || step.i <= 0) {
            diag_error(ev->diags, it->span, ERR_STATIC_EXPECTED, "the range of a list");
            return false;
        }
    } else if (!eval_expr(ev, env, it, &from)) {
        return false;
    } else if (from.kind != VAL_LIST && from.kind != VAL_PACK) {
        struct diag *d = diag_error(ev->diags, it->span, ERR_ARG_KIND, "for", "the sequence",
                                    "a list or range", value_kind_name(&from));
        if (from.kind == VAL_TENSOR)
            diag_help(ev->diags, d, "an index goes through its rows: [x[i] for i in 0:len(x)]");
        else if (value_is_integer(&from))
            diag_help(ev->diags, d, "a range is written 0:n");
        return false;
    }
    uint64_t n = from.kind != VAL_NONE ? from.list->n
                 : hi.i <= lo.i        ? 0
                                : ((uint64_t)hi.i - (uint64_t)lo.i - 1) / (uint64_t)step.i + 1;
    if (n > EVAL_MAX_LIST) {
        diag_error(ev->diags, it->span, ERR_VALUE, "a list of more than a million elements");
        return false;
    }
    struct value list = value_list_new(ev->arena, VAL_LIST, (uint32_t)n);
    struct env *inner = env_new(ev->arena, ENV_BLOCK, env, env->module);
    list.list->n = 0;
    for (uint64_t k = 0; k < n; k++) {
        struct value x = from.kind != VAL_NONE ? from.list->at[k]
                                               : value_int(lo.i + (int64_t)k * step.i),
                     keep = value_bool(true);
        if (!bind_names(ev, inner, e, &x))
            return false;
        if (e->kids[2] &&
            (!eval_expr(ev, inner, e->kids[2], &keep) || !is_decided(ev, &keep, e->kids[2]->span)))
            return false;
        if (!keep.b)
            continue;
        if (!eval_expr(ev, inner, e->kids[0], &x))
            return false;
        list.list->at[list.list->n++] = x;
    }
    *out = list;
    return true;
}

static bool eval_list_index(struct eval *ev, struct env *env, const struct ast *e,
                            const struct value *list, struct value *out) {
    struct value i;
    if (e->nkids == 2 && e->kids[1]->kind == AST_RANGE) { /* a part of the list */
        struct value lo = value_int(0), hi = value_int(list->list->n);
        const struct ast *r = e->kids[1];
        if ((r->kids[0] && !eval_integer(ev, env, r->kids[0], &lo)) ||
            (r->kids[1] && !eval_integer(ev, env, r->kids[1], &hi)))
            return false;
        if (r->kids[2] || lo.kind != VAL_INT || hi.kind != VAL_INT || lo.i < 0 ||
            hi.i > list->list->n || lo.i > hi.i) {
            diag_error(ev->diags, r->span, ERR_VALUE, "this part of the list does not exist");
            return false;
        }
        *out = value_list_new(ev->arena, list->kind, (uint32_t)(hi.i - lo.i));
        for (int64_t k = lo.i; k < hi.i; k++)
            out->list->at[k - lo.i] = list->list->at[k];
        return true;
    }
    if (e->nkids != 2 || !eval_integer(ev, env, e->kids[1], &i)) {
        if (e->nkids != 2)
            diag_error(ev->diags, e->span, ERR_INDEX_COUNT, "a list", 1, "", e->nkids - 1,
                       plural(e->nkids - 1));
        return false;
    }
    if (i.kind != VAL_INT) {
        diag_error(ev->diags, e->kids[1]->span, ERR_STATIC_EXPECTED, "the index of a list");
        return false;
    }
    if (list->list->path && i.i >= 0 && i.i < UINT32_MAX &&
        gradient_part(ev, list->list, arena_printf(ev->arena, "%lld", (long long)i.i), out))
        return true;
    if (i.i < 0 || i.i >= list->list->n) {
        struct diag *d = diag_error(
            ev->diags, e->kids[1]->span, ERR_VALUE,
            arena_printf(ev->arena, "index %lld of a list of %u", (long long)i.i, list->list->n));
        if (i.i < 0)
            diag_help(ev->diags, d, "from the end it is l[len(l) - %llu]",
                      0 - (unsigned long long)i.i);
        else if (list->list->n)
            diag_help(ev->diags, d, "the last one is %u", list->list->n - 1);
        return false;
    }
    *out = list->list->at[i.i];
    return bring(ev, out);
}

static bool eval_index(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    struct value object;
    struct block b;
    if (!eval_expr(ev, env, e->kids[0], &object)) /* once: it may act */
        return false;
    if (object.kind == VAL_LIST || object.kind == VAL_PACK)
        return eval_list_index(ev, env, e, &object, out);
    return eval_subset(ev, env, e, object, &b) && block_read(ev, &b, out);
}

bool eval_expr(struct eval *ev, struct env *env, const struct ast *e, struct value *out) {
    if (ev->stop && *ev->stop) { /* elaboration may take long, too */
        diag_error(ev->diags, e->span, ERR_INTERRUPTED);
        return false;
    }
    if (ev->most && ev->steps++ >= ev->most) {
        if (ev->steps == ev->most + 1)
            diag_error(ev->diags, e->span, ERR_STEPS, EVAL_MAX_STEPS / 1000000);
        return false;
    }
    *out = value_none();
    switch (e->kind) {
    case AST_INT: *out = value_int(e->integer); return true;
    case AST_FLOAT: *out = value_float(e->number); return true;
    case AST_BOOL: *out = value_bool(e->integer != 0); return true;
    case AST_STR: *out = value_str(e->name); return true;
    case AST_NAME: return eval_name(ev, env, e, out);
    case AST_MEMBER: {
        struct value object;
        return eval_expr(ev, env, e->kids[0], &object) && eval_member(ev, &object, e, out);
    }
    case AST_INDEX: return eval_index(ev, env, e, out);
    case AST_CALL: return eval_call_ast(ev, env, e, NULL, out);
    case AST_PIPE: {
        struct value first;
        if (!eval_expr(ev, env, e->kids[0], &first))
            return false;
        if (e->kids[1]->kind == AST_CALL)
            return eval_call_ast(ev, env, e->kids[1], &first, out);
        struct value callee;
        return eval_expr(ev, env, e->kids[1], &callee) &&
               eval_call(ev, &callee, 1, &first, NULL, e->span, out);
    }
    case AST_UNARY: {
        struct value a;
        return eval_expr(ev, env, e->kids[0], &a) &&
               apply_op(ev, e->op == AOP_NOT ? OP_NOT : OP_NEG, 1, &a, e->span, out);
    }
    case AST_BINARY: return eval_binary(ev, env, e, out);
    case AST_LIST:
    case AST_TUPLE: return eval_list(ev, env, e, out);
    case AST_COMPREHENSION: return eval_comprehension(ev, env, e, out);
    case AST_IF: return eval_if(ev, env, e, (struct flow){.wanted = true}, out);
    case AST_GRADIENT:
    case AST_MINIMIZE: return eval_gradient(ev, env, e, out);
    default: diag_error(ev->diags, e->span, ERR_NOT_HERE, "this cannot stand here"); return false;
    }
}
