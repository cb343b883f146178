/* The verbs of the evaluator as graph nodes. Before: definitions are checked. After: a graph in
   explicit form, every call inlined, every broadcast a subscript, every block a map.

   Names. Containers, parameters and symbols are unique in the graph; values and indices in their
   scope (siblings may reuse them, as in the source). Lowering the printed text of a graph gives the
   same names, since each is free when its turn comes: see Note [names]. */
#include "compiler/lower/lower.h"

#include "compiler/lower/internal.h"
#include "compiler/lower/wide_sums.h"
#include "lang/eval/site.h"

#include <string.h>

/* Note [names]
   A container takes the first of base, base_2, base_3 ... that nothing has had; a value the first
   that is not in scope and is no container's. In printed text every name is the outcome of this
   rule, and names are given in the same order, so the rule gives each name to itself. */
bool lower_has(const struct map *m, struct name n) {
    uint64_t v;
    return map_get(m, n.i, &v) && v > 0;
}

/* Whether N is no name for this graph: a word, or the name of something that others made. */
static bool barred(struct lower *l, struct name n) {
    return graph_word(l->ev.names, n) || (l->foreign && graph_named(l->g, n));
}

static struct name numbered(struct lower *l, struct name base, uint64_t k) {
    if (k < 2)
        return base;
    return name_of_text(l->ev.names,
                        arena_printf(l->arena, "%s_%u", name_text(l->ev.names, base), (unsigned)k));
}

static struct name take_global(struct lower *l, struct name base) {
    uint64_t k = 1;
    map_get(&l->next, base.i, &k);
    struct name n = numbered(l, base, k);
    while (lower_has(&l->used, n) || barred(l, n))
        n = numbered(l, base, ++k);
    map_put(&l->next, base.i, k + 1);
    map_put(&l->used, n.i, 1);
    map_put(&l->reserved, n.i, 1);
    return n;
}

static struct name take_local(struct lower *l, struct name base) {
    struct name n = base;
    for (uint64_t k = 2; lower_has(&l->active, n) || lower_has(&l->reserved, n) || barred(l, n);)
        n = numbered(l, base, k++);
    uint64_t count = 0;
    map_get(&l->active, n.i, &count);
    l->first_use = !lower_has(&l->used, n);
    map_put(&l->used, n.i, 1);
    map_put(&l->active, n.i, count + 1);
    VEC_PUSH(l->arena, l->scope, n);
    return n;
}

static void leave_scope(struct lower *l, uint32_t mark) {
    while (l->scope.n > mark) {
        struct name n = l->scope.at[--l->scope.n];
        uint64_t count = 0;
        map_get(&l->active, n.i, &count);
        map_put(&l->active, n.i, count - 1);
    }
    l->automatic_read = NULL;
}

static struct node *add(struct lower *l, enum node_kind kind, struct span span) {
    struct node *n = node_new(l->g, kind, span);
    region_add(l->g, l->at, n);
    l->automatic_read = NULL;
    return n;
}

static const struct expr *expr_of(const struct value *v) {
    return v->expr;
}

static struct value scalar_value(const struct expr *e) {
    return (struct value){.kind = VAL_SCALAR, .dtype = e->dtype, .expr = e};
}

static struct name word(struct lower *l, const char *text) {
    return name_of_text(l->ev.names, text);
}

struct filling {
    struct lower *l;
    const struct tensor *t;
    const struct value *fill;
};

static bool op_write(void *host, const struct tensor *t, const struct value *at, struct value v,
                     enum resolution r, bool drop, struct span span);
static bool op_map(void *host, uint32_t n, const struct eval_range *r, bool unique,
                   struct span span, eval_body *body, void *data);

static bool fill_element(void *filling, const struct value *index) {
    struct filling *f = filling;
    return op_write(f->l, f->t, index, *f->fill, RES_NONE, false, f->t->span);
}

/* Writes FILL to the elements of T's shape, and to no lane beyond it. */
static bool fill_shape(struct lower *l, const struct tensor *t, const struct value *fill) {
    struct filling f = {l, t, fill};
    struct eval_range r[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < t->rank; d++)
        r[d] = (struct eval_range){.name = word(l, arena_printf(l->arena, "i%u", d)),
                                   .lo = value_int(0),
                                   .hi = t->dims[d],
                                   .step = value_int(1),
                                   .span = t->span};
    return op_map(l, t->rank, r, false, t->span, fill_element, &f);
}

static bool op_container(void *host, struct tensor *t, enum storage storage,
                         const struct value *fill) {
    struct lower *l = host;
    struct sym dims[EVAL_MAX_RANK];
    if (t->rank > EVAL_MAX_RANK) {
        diag_error(l->ev.diags, t->span, ERR_VALUE, "too many dimensions");
        return false;
    }
    uint32_t rank = lower_sizes(l, t, dims);
    struct name n = take_global(l, name_none(t->name) ? word(l, "t") : t->name);
    struct cont c =
        graph_container(l->g, n, t->dtype, rank, dims, storage, ROLE_TRANSIENT, t->span);
    t->id = c.i;
    t->impl = l->g;
    struct node *decl = add(l, NODE_DECL, t->span);
    decl->decl.cont = c;
    union scalar zero = scalar_from_i64(t->dtype, 0);
    bool lanes = lower_has_lanes(l, t);
    if (fill || lanes) {
        decl->decl.has_fill = true;
        decl->decl.fill = lanes ? zero : expr_of(fill)->constant;
        graph_cont(l->g, c)->lanes = !fill;
    }
    return !fill || !lanes || scalar_same(t->dtype, zero, expr_of(fill)->constant) ||
           fill_shape(l, t, fill);
}

struct seen {
    struct lower *l;
    bool ok;
};

static void ask_around(void *data, struct name n) {
    struct seen *s = data;
    for (uint32_t i = s->l->around_scope; i < s->l->scope.n; i++)
        s->ok = s->ok && !name_eq(s->l->scope.at[i], n);
}

static bool op_before(void *host, struct tensor *t, const struct value *fill) {
    struct lower *l = host;
    struct seen seen = {l, true};
    for (uint32_t d = 0; d < t->rank; d++)
        sym_atoms(l->g->syms, value_sym(&l->ev, &t->dims[d]), ask_around, &seen);
    if (!seen.ok) {
        diag_error(l->ev.diags, t->span, ERR_STATIC_EXPECTED,
                   "the size of what an `if` gives, before it,");
        return false;
    }
    struct region *inside = l->at;
    l->at = l->around;
    bool ok = op_container(host, t, STORE_NONE, fill);
    struct node **last = &l->around->nodes.at[l->around->nodes.n - 1], *decl = *last;
    last[0] = last[-1]; /* the branch */
    last[-1] = decl;
    l->at = inside;
    return ok;
}

/* Whether T belongs to the graph that is written now: see lower_again. */
static bool is_current(struct lower *l, const struct tensor *t, struct span span) {
    if (t->impl == l->g)
        return true;
    struct diag *d = diag_error(l->ev.diags, span, ERR_NOT_HERE,
                                "this value stands before a part of the statement that had to run "
                                "by itself");
    diag_help(l->ev.diags, d, "give it a name in a statement of its own");
    return false;
}

static bool make_memlet(struct lower *l, const struct tensor *t, const struct value *at,
                        struct span span, struct memlet *m) {
    if (!is_current(l, t, span))
        return false;
    struct sym subs[EVAL_MAX_RANK];
    lower_subscripts(l, t, at, subs);
    *m = memlet_new(l->g, (struct cont){t->id}, subs);
    struct site where = site_here(&l->ev, t, span);
    m->site = graph_add_site(l->g, arena_copy(l->arena, &where, sizeof where));
    lower_laid_site(l, t, at, m->site);
    return true;
}

static bool op_read(void *host, const struct tensor *t, const struct value *at,
                    const struct value *other, struct span span, struct value *out) {
    struct lower *l = host;
    struct memlet m;
    if (!make_memlet(l, t, at, span, &m))
        return false;
    if (other) {
        const struct expr *e = expr_of(other);
        if (e->kind != EXPR_CONST) {
            diag_error(l->ev.diags, span, ERR_STATIC_EXPECTED, "the value of `else`");
            return false;
        }
        m.outside = OUTSIDE_VALUE;
        m.other = e->constant;
    }
    struct name base = graph_cont(l->g, m.cont)->name;
    struct name n =
        take_local(l, word(l, arena_printf(l->arena, "%s_v", name_text(l->ev.names, base))));
    struct node *r = add(l, NODE_READ, span);
    map_put(&l->types, n.i, dtype_is_int(t->dtype) ? 1 + (uint64_t)t->dtype : 0);
    r->read.name = n;
    r->read.from = m;
    l->automatic = n;
    l->automatic_first = l->first_use;
    l->automatic_read = r;
    *out = scalar_value(expr_value(l->g, t->dtype, n));
    return true;
}

static bool op_write(void *host, const struct tensor *t, const struct value *at, struct value v,
                     enum resolution r, bool drop, struct span span) {
    struct lower *l = host;
    struct memlet m;
    if (!make_memlet(l, t, at, span, &m))
        return false;
    const struct container *c = graph_cont(l->g, m.cont);
    if (c->role == ROLE_PARAM && t->state && t->state->buffer)
        graph_cont(l->g, m.cont)->role = ROLE_INOUT;
    if (c->role == ROLE_PARAM) {
        diag_error(l->ev.diags, span, ERR_READ_ONLY, name_text(l->ev.names, c->name));
        return false;
    }
    if (r != RES_NONE && !(scalars[resolution_op(r)].operands & dtypes[t->dtype].class)) {
        diag_error(l->ev.diags, span, ERR_DTYPE_EXPECTED, resolution_names[r],
                   r == RES_AND || r == RES_OR ? "bool" : "a number type", dtypes[t->dtype].name);
        return false;
    }
    m.resolution = r;
    m.outside = drop ? OUTSIDE_DROP : OUTSIDE_ERROR;
    struct node *w = add(l, NODE_WRITE, span);
    w->write.value = expr_of(&v);
    w->write.to = m;
    return true;
}

static bool op_scalar(void *host, enum scalar_op op, const struct value *args, struct span span,
                      struct value *out) {
    struct lower *l = host;
    (void)span;
    const struct expr *e[3] = {NULL, NULL, NULL};
    bool constant = true;
    union scalar s[3];
    for (unsigned i = 0; i < scalars[op].arity; i++) {
        e[i] = expr_of(&args[i]);
        constant = constant && e[i]->kind == EXPR_CONST;
        s[i] = e[i]->constant;
    }
    const struct expr *r = expr_op(l->g, op, e[0], e[1], e[2]);
    if (constant) /* a constant prints as one literal, so it is one */
        r = expr_const(l->g, r->dtype, scalar_eval(op, e[op == OP_SELECT ? 1 : 0]->dtype, s));
    *out = scalar_value(r);
    return true;
}

static bool op_cast(void *host, enum dtype to, const struct value *v, struct span span,
                    struct value *out) {
    struct lower *l = host;
    (void)span;
    const struct expr *e = expr_of(v);
    *out = scalar_value(e->kind == EXPR_CONST
                            ? expr_const(l->g, to, scalar_cast(e->dtype, to, e->constant))
                            : expr_cast(l->g, to, e));
    return true;
}

struct value_search {
    struct lower *l;
    bool found;
};

static void note_value(void *data, struct name n) {
    struct value_search *s = data;
    uint64_t t;
    s->found = s->found || (map_get(&s->l->types, n.i, &t) && t > 0);
}

/* S as an i64 expression: values in it are operands of their own (invariant 11 of IR.md). */
static const struct expr *expr_of_sym(struct lower *l, struct sym s) {
    static const enum scalar_op ops[] = {
        [SYM_SUM] = OP_ADD, [SYM_PRODUCT] = OP_MUL, [SYM_FLOORDIV] = OP_FLOORDIV,
        [SYM_MOD] = OP_MOD, [SYM_MIN] = OP_MIN,     [SYM_MAX] = OP_MAX};
    struct sym_ctx *c = l->g->syms;
    struct value_search search = {l, false};
    struct name n;
    sym_atoms(c, s, note_value, &search);
    if (!search.found)
        return expr_sym(l->g, s);
    if (sym_is_atom(c, s, &n)) {
        uint64_t t;
        map_get(&l->types, n.i, &t);
        return expr_cast(l->g, DT_i64, expr_value(l->g, (enum dtype)(t - 1), n));
    }
    const struct expr *e = expr_of_sym(l, sym_operand(c, s, 0));
    for (uint32_t k = 1; k < sym_count(c, s); k++)
        e = expr_op(l->g, ops[sym_kind(c, s)], e, expr_of_sym(l, sym_operand(c, s, k)), NULL);
    return e;
}

static bool op_constant(void *host, enum dtype t, const struct value *v, struct span span,
                        struct value *out) {
    struct lower *l = host;
    (void)span;
    if (v->kind == VAL_SYM) {
        const struct expr *e = expr_of_sym(l, v->sym);
        *out = scalar_value(t == DT_i64 ? e : expr_cast(l->g, t, e));
    } else {
        *out = scalar_value(expr_const(l->g, t, value_as(t, v)));
    }
    return true;
}

static bool op_let(void *host, struct name n, struct value *v, struct span span) {
    struct lower *l = host;
    const struct expr *e = expr_of(v);
    const struct node *last = l->automatic_read;
    if (last && e->kind == EXPR_VALUE && name_eq(e->value, l->automatic) &&
        span_eq(last->span, span)) {
        struct node *read = l->automatic_read; /* v << x[i]: the read has a name after all */
        leave_scope(l, l->scope.n - 1);
        if (l->automatic_first) /* the name that it had for a moment is free again */
            map_put(&l->used, l->automatic.i, 0);
        n = take_local(l, n);
        map_put(&l->types, n.i, dtype_is_int(e->dtype) ? 1 + (uint64_t)e->dtype : 0);
        read->read.name = n;
        *v = scalar_value(expr_value(l->g, e->dtype, n));
        return true;
    }
    n = take_local(l, n);
    struct node *let = add(l, NODE_LET, span);
    map_put(&l->types, n.i, dtype_is_int(e->dtype) ? 1 + (uint64_t)e->dtype : 0);
    let->let.name = n;
    let->let.value = e;
    bool weak = v->weak;
    *v = scalar_value(expr_value(l->g, e->dtype, n));
    v->weak = weak;
    return true;
}

static bool op_share(void *host, struct name n, struct value *v, struct span span) {
    const struct expr *e = expr_of(v);
    (void)span;
    if (e->kind == EXPR_VALUE || e->kind == EXPR_CONST || e->kind == EXPR_SYM)
        return true;
    return op_let(host, n, v, (struct span){0});
}

static bool op_integer(void *host, const struct value *scalar, struct span span,
                       struct value *out) {
    struct lower *l = host;
    const struct expr *e = expr_of(scalar);
    struct sym s;
    if (e->kind == EXPR_CONST) {
        *out = value_int(scalar_cast(e->dtype, DT_i64, e->constant).i64);
        return true;
    }
    if (!expr_to_sym(l->g, e, &s)) {
        struct value named = *scalar;
        if (e->kind != EXPR_VALUE && !op_let(l, word(l, "n"), &named, span))
            return false;
        s = sym_atom(l->g->syms, expr_of(&named)->value);
    }
    *out = value_from_sym(&l->ev, s);
    return true;
}

static void op_hint(void *host, struct tensor *t, struct name n) {
    struct lower *l = host;
    struct container *c = graph_cont(l->g, (struct cont){t->id});
    if (c->role == ROLE_TRANSIENT)
        c->name = take_global(l, n);
}

static struct index make_index(struct lower *l, const struct eval_range *r) {
    struct index x = {.lo = value_sym(&l->ev, &r->lo),
                      .hi = value_sym(&l->ev, &r->hi),
                      .step = value_sym(&l->ev, &r->step),
                      .schedule = r->schedule,
                      .factor = r->factor,
                      .span = r->span};
    x.name = take_local(l, r->name);
    map_put(&l->types, x.name.i, 0);
    return x;
}

static bool op_map(void *host, uint32_t n, const struct eval_range *r, bool unique,
                   struct span span, eval_body *body, void *data) {
    struct lower *l = host;
    if (n == 0)
        return body(data, NULL);
    struct node *map = add(l, NODE_MAP, span);
    uint32_t mark = l->scope.n, facts = sym_facts_mark(l->ev.facts);
    struct value *index = ARENA_ARRAY(l->arena, struct value, n);
    map->map.n = n;
    map->map.unique = unique;
    map->map.index = ARENA_ARRAY(l->arena, struct index, n);
    for (uint32_t i = 0; i < n; i++) {
        map->map.index[i] = make_index(l, &r[i]);
        index_facts(l->ev.facts, l->g->syms, &map->map.index[i]);
        index[i] = value_from_sym(&l->ev, sym_atom(l->g->syms, map->map.index[i].name));
    }
    struct region *outer = l->at;
    l->at = &map->map.body;
    bool ok = body(data, index);
    l->at = outer;
    leave_scope(l, mark);
    sym_facts_restore(l->ev.facts, facts);
    return ok;
}

static bool op_loop(void *host, const struct eval_range *r, struct span span, eval_body *body,
                    void *data) {
    struct lower *l = host;
    struct node *loop = add(l, NODE_LOOP, span);
    uint32_t mark = l->scope.n, facts = sym_facts_mark(l->ev.facts);
    loop->loop.index = make_index(l, r);
    index_facts(l->ev.facts, l->g->syms, &loop->loop.index);
    struct value index = value_from_sym(&l->ev, sym_atom(l->g->syms, loop->loop.index.name));
    struct region *outer = l->at;
    l->at = &loop->loop.body;
    bool ok = body(data, &index);
    l->at = outer;
    leave_scope(l, mark);
    sym_facts_restore(l->ev.facts, facts);
    return ok;
}

static bool op_repeat(void *host, const struct tensor *condition, struct span span, eval_body *body,
                      void *data) {
    struct lower *l = host;
    if (!is_current(l, condition, span))
        return false;
    struct node *repeat = add(l, NODE_WHILE, span);
    uint32_t mark = l->scope.n;
    repeat->repeat.condition = memlet_new(l->g, (struct cont){condition->id}, NULL);
    struct region *outer = l->at;
    l->at = &repeat->repeat.body;
    bool ok = body(data, NULL);
    l->at = outer;
    leave_scope(l, mark);
    return ok;
}

static bool op_branch(void *host, const struct value *condition, struct span span, eval_body *then,
                      eval_body *otherwise, void *data) {
    struct lower *l = host;
    struct node *branch = add(l, NODE_BRANCH, span);
    branch->branch.condition = expr_of(condition);
    struct region *outer = l->at, *around = l->around;
    uint32_t mark = l->scope.n, around_scope = l->around_scope;
    l->around = outer;
    l->around_scope = mark;
    l->at = &branch->branch.then;
    bool ok = then(data, NULL);
    leave_scope(l, mark);
    l->at = &branch->branch.otherwise;
    ok = ok && otherwise(data, NULL);
    leave_scope(l, mark);
    l->at = outer;
    l->around = around;
    l->around_scope = around_scope;
    return ok;
}

struct symbols_only {
    struct lower *l;
    bool ok;
};

static void check_symbol(void *data, struct name n) {
    struct symbols_only *s = data;
    s->ok = s->ok && !lower_has(&s->l->active, n);
}

static bool over_symbols(struct lower *l, const struct expr *e) {
    struct symbols_only s = {l, true};
    if (e->kind == EXPR_VALUE)
        return false;
    if (e->kind == EXPR_SYM)
        sym_atoms(l->g->syms, e->sym, check_symbol, &s);
    unsigned n = e->kind == EXPR_OP ? scalars[e->op].arity : e->kind == EXPR_CAST;
    for (unsigned i = 0; s.ok && i < n; i++)
        s.ok = over_symbols(l, e->args[i]);
    return s.ok;
}

static bool op_require(void *host, const struct value *condition, const char *text,
                       struct span span) {
    struct lower *l = host;
    const struct expr *e = expr_of(condition);
    if (e->kind == EXPR_CONST) {
        if (!e->constant.b)
            diag_error(l->ev.diags, span, ERR_CHECK_FAILED, text);
        return e->constant.b;
    }
    if (!over_symbols(l, e)) {
        struct diag *d = diag_error(l->ev.diags, span, ERR_CHECK_FAILED, text);
        diag_help(l->ev.diags, d, "this depends on an index or a value, so no call could check it");
        return false;
    }
    for (uint32_t i = 0; i < l->g->conditions.n; i++)
        if (expr_equal(l->g->conditions.at[i].condition, e))
            return true;
    struct graph_condition c = {e, text, span};
    VEC_PUSH(l->arena, l->g->conditions, c);
    return true;
}

/* A parameter of the graph. */
static struct cont param(struct lower *l, struct name base, enum dtype t, uint32_t rank,
                         const struct sym *dims, enum cont_role role, struct span span,
                         struct origin from) {
    struct name n = take_global(l, base);
    struct cont c = graph_container(l->g, n, t, rank, dims, STORE_NONE, role, span);
    struct graph_param p = {.name = n, .cont = c};
    VEC_PUSH(l->arena, l->g->params, p);
    VEC_PUSH(l->arena, l->origins, from);
    return c;
}

static bool known(struct lower *l, const void *key, struct value *out) {
    for (uint32_t i = 0; i < l->memos.n; i++)
        if (l->memos.at[i].key == key) {
            *out = l->memos.at[i].value;
            return true;
        }
    return false;
}

static struct value remember(struct lower *l, const void *key, struct tensor *t) {
    struct memo m = {key, value_tensor(t)};
    VEC_PUSH(l->arena, l->memos, m);
    return m.value;
}

static bool op_state(void *host, struct state *s, struct value *out) {
    struct lower *l = host;
    if (known(l, s, out))
        return true;
    struct value dims[EVAL_MAX_RANK];
    struct sym sizes[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < s->rank; d++)
        dims[d] = value_int(s->dims[d]);
    for (uint32_t d = 0; d < s->nstored; d++)
        sizes[d] = sym_const(l->g->syms, s->stored[d]);
    char *text = arena_printf(l->arena, "%s", name_text(l->ev.names, s->path));
    for (char *c = text; *c; c++)
        if (*c == '.')
            *c = '_';
    struct tensor *t = tensor_of(&l->ev, s->dtype, s->rank, dims, s->def->span);
    struct origin from = {.kind = ORIGIN_STATE, .state = s};
    t->name = s->path;
    t->read_only = true;
    t->live = true; /* minimize writes it */
    t->layout = s->layout;
    t->laid = t->dims;
    t->impl = l->g;
    t->id = param(l, word(l, text), s->dtype, s->nstored, sizes, ROLE_PARAM, s->def->span, from).i;
    *out = remember(l, s, t);
    return true;
}

static bool op_import(void *host, const struct value *v, struct value *out) {
    struct lower *l = host;
    const struct tensor *t = v->tensor;
    if (known(l, t, out))
        return true;
    struct sym sizes[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < t->rank; d++)
        sizes[d] = value_sym(&l->ev, &t->dims[d]);
    struct tensor *x = tensor_of(&l->ev, t->dtype, t->rank, t->dims, t->span);
    struct origin from = {.kind = ORIGIN_IMPORT, .import = t->from ? t->from : t};
    x->name = t->name;
    x->container = t->container;
    x->read_only = !t->container;
    x->impl = l->g;
    x->id = param(l, name_none(t->name) ? word(l, "x") : t->name, t->dtype, t->rank, sizes,
                  t->container ? ROLE_INOUT : ROLE_PARAM, t->span, from)
                .i;
    *out = remember(l, t, x);
    return true;
}

static bool op_numbers(void *host, enum dtype t, uint32_t rank, const int64_t *dims, int64_t n,
                       const union scalar *at, struct span span, struct value *out, bool *made) {
    struct lower *l = host;
    *made = false;
    return !l->script.numbers ||
           l->script.numbers(l->script.data, t, rank, dims, n, at, span, out, made);
}

static bool op_concrete(void *host, struct value *v, struct span span) {
    struct lower *l = host;
    if (l->script.concrete)
        return l->script.concrete(l->script.data, v, span);
    diag_error(l->ev.diags, span, ERR_STATIC_EXPECTED, "this");
    return false;
}

static bool op_new_state(void *host, struct state *s, const struct value *init, struct span span) {
    struct lower *l = host;
    return !l->script.new_state || l->script.new_state(l->script.data, s, init, span);
}

static bool op_writable(void *host, struct tensor *t, struct span span) {
    struct lower *l = host;
    (void)span;
    struct container *c = graph_cont(l->g, (struct cont){t->id});
    if (c->role == ROLE_PARAM)
        c->role = ROLE_INOUT;
    return true;
}

static bool op_has_builtin(void *host, struct name n) {
    struct lower *l = host;
    return l->script.has_builtin && l->script.has_builtin(l->script.data, n);
}

static bool op_builtin(void *host, struct name n, uint32_t nargs, const struct value *args,
                       const struct name *keywords, struct span span, struct value *out) {
    struct lower *l = host;
    return l->script.builtin(l->script.data, n, nargs, args, keywords, span, out);
}

static bool op_call(void *host, const struct function *fn, uint32_t nargs, const struct value *args,
                    const struct name *keywords, struct span span, struct value *out, bool *done) {
    struct lower *l = host;
    return !l->script.call || !lower_runs_once(l) ||
           l->script.call(l->script.data, fn, nargs, args, keywords, span, out, done);
}

static const struct eval_ops verbs = {
    .container = op_container,
    .before = op_before,
    .read = op_read,
    .write = op_write,
    .scalar = op_scalar,
    .cast = op_cast,
    .constant = op_constant,
    .integer = op_integer,
    .let = op_let,
    .share = op_share,
    .hint = op_hint,
    .map = op_map,
    .loop = op_loop,
    .repeat = op_repeat,
    .branch = op_branch,
    .require = op_require,
    .state = op_state,
    .new_state = op_new_state,
    .gradient = lower_gradient,
    .keep_begin = lower_keep_begin,
    .keep_end = lower_keep_end,
    .writable = op_writable,
    .import = op_import,
    .numbers = op_numbers,
    .concrete = op_concrete,
    .builtin = op_builtin,
    .has_builtin = op_has_builtin,
    .call = op_call,
};

struct lower *lower_begin(struct arena *a, struct names *names, struct sym_ctx *syms,
                          struct diags *d, const struct module *prelude, struct name name,
                          uint32_t vector_bytes, uint32_t vector_registers,
                          const struct lower_script *script) {
    struct lower *l = ARENA_NEW(a, struct lower);
    l->arena = a;
    const char *of = ast_grad_of(names, name);
    if (of) /* its graph is a function like any other */
        name = name_of_text(names, arena_printf(a, "grad_%s", of));
    l->g = graph_new(a, names, syms, name);
    l->at = &l->g->body;
    l->used = map_new(a);
    l->next = map_new(a);
    l->reserved = map_new(a);
    l->active = map_new(a);
    l->types = map_new(a);
    if (script)
        l->script = *script;
    l->ev = (struct eval){.arena = a,
                          .names = names,
                          .syms = syms,
                          .facts = sym_facts_new(a, syms),
                          .diags = d,
                          .ops = &verbs,
                          .host = l,
                          .prelude = prelude,
                          .vector_bytes = vector_bytes,
                          .vector_registers = vector_registers,
                          .most = EVAL_MAX_STEPS};
    return l;
}

void lower_again(struct lower *l) {
    struct graph *before = l->g;
    l->g = graph_new(l->arena, before->names, before->syms, before->name);
    l->at = &l->g->body;
    l->used = map_new(l->arena);
    l->next = map_new(l->arena);
    l->reserved = map_new(l->arena);
    l->active = map_new(l->arena);
    l->scope.n = 0;
    memset(&l->origins, 0, sizeof l->origins); /* those of before are in use */
    l->memos.n = 0;
    l->automatic_read = NULL;
    l->arguments = 0;
    l->ev.facts = sym_facts_new(l->arena, before->syms);
}

bool lower_runs_once(const struct lower *l) {
    return l->at == &l->g->body;
}

bool lower_is_empty(const struct lower *l) {
    return l->g->body.nodes.n == 0;
}

struct eval *lower_eval(struct lower *l) {
    return &l->ev;
}

bool lower_tensor(struct lower *l, struct name name, enum dtype t, uint32_t rank,
                  const struct value *dims, bool inout, struct value *out) {
    struct sym sizes[EVAL_MAX_RANK];
    struct tensor *x = tensor_of(&l->ev, t, rank, dims, l->g->span);
    struct origin from = {.kind = ORIGIN_ARGUMENT, .argument = l->arguments++};
    for (uint32_t d = 0; d < rank; d++)
        sizes[d] = value_sym(&l->ev, &dims[d]);
    struct cont c =
        param(l, name, t, rank, sizes, inout ? ROLE_INOUT : ROLE_PARAM, l->g->span, from);
    x->id = c.i;
    x->impl = l->g;
    x->name = name;
    x->container = inout;
    x->read_only = !inout;
    *out = value_tensor(x);
    return true;
}

/* `_`, any size, is no name in printed text. */
static struct name new_symbol(struct lower *l, struct name name) {
    bool any = strcmp(name_text(l->ev.names, name), "_") == 0;
    return take_global(l, any ? word(l, "size") : name);
}

struct value lower_dim(struct lower *l, struct name name) {
    struct name n = new_symbol(l, name);
    sym_facts_bounds(l->ev.facts, n, sym_const(l->g->syms, 0), (struct sym){0});
    return value_from_sym(&l->ev, sym_atom(l->g->syms, n));
}

struct value lower_symbol(struct lower *l, struct name name) {
    struct name n = new_symbol(l, name);
    struct graph_param p = {.is_symbol = true, .name = n};
    struct origin from = {.kind = ORIGIN_ARGUMENT, .argument = l->arguments++};
    VEC_PUSH(l->arena, l->g->params, p);
    VEC_PUSH(l->arena, l->origins, from);
    return value_from_sym(&l->ev, sym_atom(l->g->syms, n));
}

const struct origin *lower_origins(const struct lower *l) {
    return l->origins.at;
}

/* The DECL of C at the top of the graph; NULL if it is deeper (or C has none). */
static uint32_t find_decl(const struct graph *g, struct cont c) {
    for (uint32_t i = 0; i < g->body.nodes.n; i++)
        if (g->body.nodes.at[i]->kind == NODE_DECL && g->body.nodes.at[i]->decl.cont.i == c.i)
            return i;
    return UINT32_MAX;
}

/* A map (or nothing, without dimensions) that writes V to every element of C. */
static void write_all(struct lower *l, struct region *to, struct cont c, const struct expr *v,
                      struct tensor *from, struct span span) {
    struct region *outer = l->at;
    uint32_t mark = l->scope.n, facts = sym_facts_mark(l->ev.facts);
    l->at = to;
    const struct container *x = graph_cont(l->g, c);
    uint32_t rank = x->rank;
    struct sym at[EVAL_MAX_RANK];
    struct value index[EVAL_MAX_RANK], real[EVAL_MAX_RANK];
    if (rank) {
        struct node *map = add(l, NODE_MAP, span);
        map->map.n = rank;
        map->map.index = ARENA_ARRAY(l->arena, struct index, rank);
        for (uint32_t d = 0; d < rank; d++) {
            struct name n = take_local(l, word(l, arena_printf(l->arena, "i%u", d)));
            map->map.index[d] = (struct index){.name = n,
                                               .lo = sym_const(l->g->syms, 0),
                                               .hi = graph_cont(l->g, c)->dims[d],
                                               .step = sym_const(l->g->syms, 1),
                                               .span = span};
            index_facts(l->ev.facts, l->g->syms, &map->map.index[d]);
            at[d] = sym_atom(l->g->syms, n);
            index[d] = value_from_sym(&l->ev, at[d]);
        }
        l->at = &map->map.body;
    }
    if (from) {
        struct value r;
        real_indices(&l->ev, from, index, real);
        op_read(l, from, real, NULL, span, &r);
        v = expr_of(&r);
    }
    struct node *w = add(l, NODE_WRITE, span);
    w->write.value = v;
    w->write.to = memlet_new(l->g, c, at);
    l->at = outer;
    leave_scope(l, mark);
    sym_facts_restore(l->ev.facts, facts);
}

/* Replaces the DECL of a container that has become a result by its fill, at the start: there it
   stands between no two maps that would fuse. */
static void drop_decl(struct lower *l, uint32_t at) {
    struct graph *g = l->g;
    struct node *decl = g->body.nodes.at[at], **nodes = g->body.nodes.at;
    struct region fill = {0};
    if (decl->decl.has_fill)
        write_all(l, &fill, decl->decl.cont,
                  expr_const(g, graph_cont(g, decl->decl.cont)->dtype, decl->decl.fill), NULL,
                  decl->span);
    if (fill.nodes.n) { /* one write, or one map around it */
        memmove(nodes + 1, nodes, at * sizeof *nodes);
        nodes[0] = fill.nodes.at[0];
    } else {
        memmove(nodes + at, nodes + at + 1, (g->body.nodes.n - at - 1) * sizeof *nodes);
        g->body.nodes.n--;
    }
}

/* Whether the size of T hangs on symbols only, so that the caller can allocate it. */
static bool size_is_known(struct lower *l, const struct tensor *t) {
    for (uint32_t d = 0; d < t->rank; d++)
        if (!over_symbols(l, expr_sym(l->g, value_sym(&l->ev, &t->dims[d]))))
            return false;
    return true;
}

static bool finish_result(struct lower *l, const struct value *v, struct name name, bool found) {
    struct graph *g = l->g;
    found = v->kind == VAL_TENSOR && v->tensor->rank && (found || !size_is_known(l, v->tensor));
    if (v->kind == VAL_TENSOR && !is_current(l, v->tensor, v->tensor->span))
        return false;
    if (v->kind == VAL_TENSOR && !v->tensor->map && !v->tensor->layout) {
        struct cont c = {v->tensor->id};
        uint32_t decl = find_decl(g, c);
        if (graph_cont(g, c)->role == ROLE_TRANSIENT && decl != UINT32_MAX) {
            graph_cont(g, c)->role = ROLE_RESULT;
            graph_cont(g, c)->storage = STORE_NONE;
            VEC_PUSH(l->arena, g->results, c);
            if (!found)
                drop_decl(l, decl);
            return true;
        }
    }
    /* A parameter, a view, a scalar, or one value twice: a container of its own. */
    enum dtype t = v->dtype;
    uint32_t rank = v->kind == VAL_TENSOR ? v->tensor->rank : 0;
    struct sym dims[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++)
        dims[d] = value_sym(&l->ev, &v->tensor->dims[d]);
    struct name base = !name_none(name) ? name
                       : v->kind == VAL_TENSOR && !name_none(v->tensor->name)
                           ? graph_cont(g, (struct cont){v->tensor->id})->name
                           : word(l, "r");
    struct cont c = graph_container(g, take_global(l, base), t, rank, dims, STORE_NONE, ROLE_RESULT,
                                    l->g->span);
    VEC_PUSH(l->arena, g->results, c);
    if (found)
        add(l, NODE_DECL, g->span)->decl.cont = c;
    write_all(l, &g->body, c, v->kind == VAL_TENSOR ? NULL : expr_of(v),
              v->kind == VAL_TENSOR ? v->tensor : NULL, l->g->span);
    return true;
}

struct graph *lower_finish(struct lower *l, uint32_t n, const struct value *results,
                           const struct name *names, const bool *found) {
    wide_sums(l->g);
    l->foreign = true; /* it has named things */
    for (uint32_t i = 0; i < n; i++) {
        struct value v = results[i];
        if (v.kind != VAL_TENSOR && v.kind != VAL_SCALAR) {
            enum dtype t = v.kind == VAL_BOOL ? DT_bool : v.kind == VAL_FLOAT ? DT_f32 : DT_i64;
            if (!value_is_scalar(&v)) {
                diag_error(l->ev.diags, l->g->span, ERR_ARG_KIND, "the function", "its result",
                           "a tensor", value_kind_name(&v));
                return NULL;
            }
            if (!op_constant(l, t, &results[i], l->g->span, &v))
                return NULL;
        }
        if (!finish_result(l, &v, names ? names[i] : (struct name){0}, found && found[i]))
            return NULL;
    }
    return l->g;
}
