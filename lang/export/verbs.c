/* The verbs of the evaluator, as nodes of a model. A map is evaluated once, with an axis for each
   index; a loop as often as it turns; of a branch both sides, whose writes count where the
   condition says so. While shapes alone are asked for (muted) nothing is made. */
#include "lang/export/internal.h"

enum { TURNS_MOST = 4096 }; /* of a loop, written out */

struct cont *verb_cont(struct export *x, const struct tensor *t) {
    return x->conts.at[t->id];
}

struct cont *verb_cont_new(struct export *x, struct tensor *t) {
    struct cont *c = ARENA_NEW(x->arena, struct cont);
    *c = (struct cont){.type = t->dtype, .around = x->nest.n, .rank = t->rank, .span = t->span};
    for (uint32_t d = 0; d < t->rank; d++)
        c->own[d] = lazy_axis(x, &t->dims[d]);
    t->id = x->conts.n;
    t->impl = x;
    VEC_PUSH(x->arena, x->conts, c);
    return c;
}

static const struct lazy *lazy(const struct value *v) {
    return v->expr;
}

static struct value unknown(struct export *x, enum dtype t) {
    return value_lazy(lazy_of(x, NULL, t, 0, NULL));
}

static bool verb_container(void *host, struct tensor *t, enum storage storage,
                           const struct value *fill) {
    struct export *x = host;
    struct cont *c = verb_cont_new(x, t);
    c->now = fill ? lazy(fill) : NULL;
    if (storage == STORE_RESERVE && !x->muted)
        export_refuse(x, t->span, "a container that grows");
    return true;
}

static bool verb_before(void *host, struct tensor *t, const struct value *fill) {
    return verb_container(host, t, STORE_NONE, fill);
}

static bool verb_scalar(void *host, enum scalar_op op, const struct value *args, struct span span,
                        struct value *out) {
    struct export *x = host;
    const struct lazy *l[3] = {NULL, NULL, NULL};
    bool constant = true;
    for (unsigned i = 0; i < scalars[op].arity; i++) {
        l[i] = lazy(&args[i]);
        constant = constant && l[i]->constant;
    }
    if (x->muted && !constant)
        *out = unknown(x, scalars[op].result == RESULT_BOOL ? DT_bool : l[op == OP_SELECT]->type);
    else
        *out = value_lazy(lazy_apply(x, op, l, span));
    if (op == OP_EQ && !constant && (l[0]->constant || l[1]->constant)) {
        const struct lazy *size = l[l[0]->constant], *number = l[!l[0]->constant];
        struct lazy *fixes = arena_copy(x->arena, lazy(out), sizeof *fixes);
        fixes->size = size->equals ? (struct name){0} : size->size;
        fixes->equals = true;
        fixes->equal = scalar_cast(number->type, DT_i64, number->number).i64;
        *out = value_lazy(fixes);
    }
    return true;
}

static bool verb_cast(void *host, enum dtype to, const struct value *v, struct span span,
                      struct value *out) {
    struct export *x = host;
    (void)span;
    *out = x->muted && !lazy(v)->constant ? unknown(x, to) : value_lazy(lazy_cast(x, to, lazy(v)));
    return true;
}

/* L, which is S: noted, where S is a size of an input. */
static const struct lazy *size_noted(struct export *x, struct sym s, const struct lazy *l) {
    struct name n;
    const struct meaning *m = sym_is_atom(x->ev.syms, s, &n) ? integer_meaning(x, n) : NULL;
    if (!m || !m->of || !m->of->input || m->dim < 0)
        return l;
    struct lazy *noted = arena_copy(x->arena, l, sizeof *noted);
    noted->size = n;
    return noted;
}

static bool verb_constant(void *host, enum dtype t, const struct value *v, struct span span,
                          struct value *out) {
    struct export *x = host;
    if (v->kind != VAL_SYM)
        *out = value_lazy(lazy_number(x, t, value_as(t, v)));
    else if (x->muted)
        *out = unknown(x, t);
    else
        *out = value_lazy(size_noted(x, v->sym, lazy_cast(x, t, integer_lazy(x, v->sym, span))));
    return true;
}

static bool verb_integer(void *host, const struct value *scalar, struct span span,
                         struct value *out) {
    struct export *x = host;
    const struct lazy *l = lazy(scalar);
    (void)span;
    if (l->constant) {
        *out = value_int(scalar_cast(l->type, DT_i64, l->number).i64);
        return true;
    }
    struct name n = integer_atom(x);
    integer_mean(x, n, (struct meaning){.found = l});
    *out = value_from_sym(&x->ev, sym_atom(x->ev.syms, n));
    return true;
}

static bool verb_let(void *host, struct name n, struct value *v, struct span span) {
    (void)host;
    (void)n;
    (void)v;
    (void)span;
    return true;
}

/* A name of the program, none of the library's own. */
static void verb_hint(void *host, struct tensor *t, struct name n) {
    struct export *x = host;
    const struct cont *c = verb_cont(x, t);
    bool own = !x->ev.frame || x->ev.frame->module->prelude;
    if (!x->muted && own && c->now && c->now->val && name_none(c->now->val->hint))
        c->now->val->hint = n;
}

/* The index R as an axis; *INDEX is its value. */
static void enter(struct export *x, const struct eval_range *r, struct value *index) {
    struct sym_ctx *c = x->ev.syms;
    struct value one = value_int(1), n = int_op(&x->ev, INT_SUB, &r->hi, &r->lo);
    if (r->step.kind != VAL_INT || r->step.i != 1) {
        struct value up = int_op(&x->ev, INT_SUB, &r->step, &one);
        n = int_op(&x->ev, INT_ADD, &n, &up);
        n = int_op(&x->ev, INT_FLOORDIV, &n, &r->step);
    }
    if (n.kind == VAL_INT && n.i < 0)
        n = value_int(0);
    const struct axis *a = lazy_axis(x, &n);
    VEC_PUSH(x->arena, x->nest, a);
    sym_facts_bounds(x->ev.facts, a->atom, sym_const(c, 0),
                     sym_sub(c, value_sym(&x->ev, &n), sym_const(c, 1)));
    struct sym at = sym_mul(c, sym_atom(c, a->atom), value_sym(&x->ev, &r->step));
    *index = value_from_sym(&x->ev, sym_add(c, value_sym(&x->ev, &r->lo), at));
}

struct over {
    struct export *x;
    bool found;
};

static void note_index(void *data, struct name n) {
    struct over *o = data;
    const struct meaning *m = integer_meaning(o->x, n);
    const struct axis *axes[LAZY_RANK];
    uint32_t count = 0;
    if (m && m->found)
        lazy_axes(m->found, &count, axes);
    o->found = o->found || (m && (m->axis || count));
}

/* How many turns R has at most, where it hangs on outer indices that are counted; 0 if it is not
   known. */
static int64_t most_turns(struct export *x, const struct eval_range *r) {
    struct value n = int_op(&x->ev, INT_SUB, &r->hi, &r->lo);
    struct sym s = value_sym(&x->ev, &n);
    int64_t v;
    if (!integer_counted(x, s) || r->step.kind != VAL_INT || r->step.i != 1 ||
        !sym_upper_bound(x->ev.facts, s, &v))
        return 0;
    return v;
}

/* An index from LO to HI, which hang on outer indices: there are as many as there are at most, and
   what is from HI on does not count. */
static bool enter_some(struct export *x, const struct eval_range *r, struct value *index) {
    int64_t most = most_turns(x, r);
    if (most < 1)
        return false;
    struct value n = value_int(most), one = value_int(1);
    struct eval_range some = *r;
    some.hi = int_op(&x->ev, INT_ADD, &r->lo, &n);
    enter(x, &some, index);
    struct value left = int_op(&x->ev, INT_SUB, &r->hi, index);
    left = int_op(&x->ev, INT_SUB, &left, &one);
    VEC_PUSH(x->arena, x->limits, value_sym(&x->ev, &left));
    const struct lazy *both[2] = {integer_lazy(x, value_sym(&x->ev, &left), r->span),
                                  lazy_int(x, 0)};
    const struct lazy *in = lazy_apply(x, OP_GE, both, r->span);
    const struct lazy *pair[2] = {x->mask, in};
    x->mask = x->mask ? lazy_apply(x, OP_AND, pair, r->span) : in;
    return true;
}

static bool verb_map(void *host, uint32_t n, const struct eval_range *r, bool unique,
                     struct span span, eval_body *body, void *data) {
    struct export *x = host;
    uint32_t facts = sym_facts_mark(x->ev.facts), nest = x->nest.n;
    struct value *index = ARENA_ARRAY(x->arena, struct value, n + 1);
    const struct lazy *mask = x->mask;
    uint32_t limits = x->limits.n;
    bool ok = true;
    (void)unique;
    for (uint32_t i = 0; i < n; i++) {
        struct over o = {x, false};
        sym_atoms(x->ev.syms, value_sym(&x->ev, &r[i].lo), note_index, &o);
        sym_atoms(x->ev.syms, value_sym(&x->ev, &r[i].hi), note_index, &o);
        bool some = o.found && !x->muted;
        if (!some)
            enter(x, &r[i], &index[i]);
        ok = ok && (!some || enter_some(x, &r[i], &index[i]));
    }
    if (!ok)
        export_refuse(x, span, "a range that is not the same for all indices");
    ok = !ok || body(data, index);
    x->mask = mask;
    x->limits.n = limits;
    x->nest.n = nest;
    sym_facts_restore(x->ev.facts, facts);
    return ok;
}

static bool verb_loop(void *host, const struct eval_range *r, struct span span, eval_body *body,
                      void *data) {
    struct export *x = host;
    if (x->muted)
        return verb_map(host, 1, r, false, span, body, data);
    bool known = r->lo.kind == VAL_INT && r->hi.kind == VAL_INT && r->step.kind == VAL_INT;
    if (!known) {
        struct value n = int_op(&x->ev, INT_SUB, &r->hi, &r->lo);
        export_refuse_open(x, span, value_sym(&x->ev, &n),
                           "a loop whose number of turns is not known");
        return true;
    }
    if ((r->hi.i - r->lo.i) / r->step.i > TURNS_MOST) {
        export_refuse(x, span, "a loop of more than %d turns", TURNS_MOST);
        return true;
    }
    bool ok = true;
    for (int64_t i = r->lo.i; ok && i < r->hi.i; i += r->step.i) {
        struct value index = value_int(i);
        ok = body(data, &index);
    }
    return ok;
}

static bool verb_repeat(void *host, const struct tensor *condition, struct span span,
                        eval_body *body, void *data) {
    struct export *x = host;
    (void)condition;
    if (x->muted)
        return body(data, NULL);
    export_refuse(x, span, "a loop that goes on as long as a condition holds");
    return true;
}

static bool verb_branch(void *host, const struct value *condition, struct span span,
                        eval_body *then, eval_body *otherwise, void *data) {
    struct export *x = host;
    const struct lazy *c = lazy(condition), *outer = x->mask;
    if (x->muted)
        return then(data, NULL) && otherwise(data, NULL);
    if (c->constant)
        return (c->number.b ? then : otherwise)(data, NULL);
    const struct lazy *no = lazy_apply(x, OP_NOT, &c, span);
    const struct lazy *both[2] = {outer, c};
    x->mask = outer ? lazy_apply(x, OP_AND, both, span) : c;
    x->branches++;
    bool ok = then(data, NULL);
    both[1] = no;
    x->mask = outer ? lazy_apply(x, OP_AND, both, span) : no;
    ok = ok && otherwise(data, NULL);
    x->branches--;
    x->mask = outer;
    return ok;
}

/* The side of a branch that is known not to be taken. */
static void verb_imagine(void *host, eval_body *side, void *data) {
    struct export *x = host;
    struct diags *told = x->ev.diags, nothing;
    diags_init(&nothing, x->arena, told->sources);
    x->ev.diags = &nothing;
    x->muted++;
    side(data, NULL);
    x->muted--;
    x->ev.diags = told;
}

/* Sizes that do not fit are the caller's mistake, which a model cannot tell of; but a size that has
   to be a number is that number. */
static bool verb_require(void *host, const struct value *condition, const char *text,
                         struct span span) {
    struct export *x = host;
    const struct lazy *c = lazy(condition);
    if (c->constant && !c->number.b)
        diag_error(x->ev.diags, span, ERR_CHECK_FAILED, text);
    if (c->equals && !name_none(c->size) && !x->mask && !x->nest.n)
        VEC_PUSH(x->arena, x->fixed, ((struct fixed_size){c->size, c->equal}));
    return !c->constant || c->number.b;
}

/* A tensor with numbers: BYTES. */
static struct value fixed(struct export *x, const void *key, struct map *known, const char *name,
                          enum dtype t, uint32_t rank, const int64_t *dims, const void *bytes,
                          struct span span) {
    struct value sizes[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++)
        sizes[d] = value_int(dims[d]);
    struct tensor *v = tensor_of(&x->ev, t, rank, sizes, span);
    struct cont *c = verb_cont_new(x, v);
    c->around = 0;
    c->now = lazy_of(x, model_weight(x, name, t, rank, dims, bytes), t, rank, c->own);
    c->fixed = true;
    v->name = name_of_text(x->ev.names, name);
    v->read_only = true;
    map_put(known, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)v);
    return value_tensor(v);
}

static bool seen(const struct map *known, const void *key, struct value *out) {
    uint64_t at;
    if (!map_get(known, (uint64_t)(uintptr_t)key, &at))
        return false;
    *out = value_tensor((struct tensor *)(uintptr_t)at);
    return true;
}

static bool verb_state(void *host, struct state *s, struct value *out) {
    struct export *x = host;
    if (seen(&x->states, s, out))
        return true;
    const void *bytes = x->order.state(x->order.data, s, s->def->span);
    if (bytes)
        *out = fixed(x, s, &x->states, name_text(x->ev.names, s->path), s->dtype, s->rank, s->dims,
                     bytes, s->def->span);
    return bytes != NULL;
}

static bool verb_import(void *host, const struct value *v, struct value *out) {
    struct export *x = host;
    const struct tensor *t = v->tensor;
    int64_t dims[EVAL_MAX_RANK];
    if (seen(&x->imports, t, out))
        return true;
    for (uint32_t d = 0; d < t->rank; d++)
        dims[d] = t->dims[d].i;
    const void *bytes = x->order.tensor(x->order.data, t, t->span);
    if (bytes)
        *out = fixed(x, t, &x->imports, name_none(t->name) ? "x" : name_text(x->ev.names, t->name),
                     t->dtype, t->rank, dims, bytes, t->span);
    return bytes != NULL;
}

static bool verb_gradient(void *host, const struct tensor *loss, uint32_t n,
                          struct tensor *const *wrt, struct tensor **out, bool *depends,
                          struct span span) {
    struct export *x = host;
    (void)loss;
    export_refuse(x, span, "a gradient");
    for (uint32_t i = 0; i < n; i++) {
        out[i] = tensor_of(&x->ev, wrt[i]->dtype, wrt[i]->rank, wrt[i]->dims, span);
        verb_cont_new(x, out[i]);
        depends[i] = true;
    }
    return true;
}

const struct eval_ops export_verbs = {
    .container = verb_container,
    .before = verb_before,
    .read = verb_read,
    .write = verb_write,
    .scalar = verb_scalar,
    .cast = verb_cast,
    .constant = verb_constant,
    .integer = verb_integer,
    .let = verb_let,
    .share = verb_let,
    .hint = verb_hint,
    .map = verb_map,
    .loop = verb_loop,
    .repeat = verb_repeat,
    .branch = verb_branch,
    .imagine = verb_imagine,
    .require = verb_require,
    .state = verb_state,
    .gradient = verb_gradient,
    .import = verb_import,
    .replace = row_replace,
};
