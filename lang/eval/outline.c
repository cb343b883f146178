/* Verbs without an effect. Indices and integers that a run would find are symbols with names that
   no program can spell. */
#include "lang/eval/outline.h"

#include "lang/base/vec.h"

struct outline {
    struct arena *arena;
    struct eval ev;
    uint32_t symbols;
};

static struct value scalar_of(enum dtype t) {
    return (struct value){.kind = VAL_SCALAR, .dtype = t};
}

static struct value new_symbol(struct outline *o) {
    const char *text = arena_printf(o->arena, "#%u", ++o->symbols);
    return value_from_sym(&o->ev, sym_atom(o->ev.syms, name_of_text(o->ev.names, text)));
}

static bool op_container(void *host, struct tensor *t, enum storage storage,
                         const struct value *fill) {
    (void)storage;
    (void)fill;
    t->impl = host;
    return true;
}

static bool op_before(void *host, struct tensor *t, const struct value *fill) {
    return op_container(host, t, STORE_NONE, fill);
}

static bool op_read(void *host, const struct tensor *t, const struct value *at,
                    const struct value *other, struct span span, struct value *out) {
    (void)host;
    (void)at;
    (void)other;
    (void)span;
    *out = scalar_of(t->dtype);
    return true;
}

static bool op_write(void *host, const struct tensor *t, const struct value *at, struct value v,
                     enum resolution r, bool drop, struct span span) {
    (void)host;
    (void)t;
    (void)at;
    (void)v;
    (void)r;
    (void)drop;
    (void)span;
    return true;
}

static bool op_scalar(void *host, enum scalar_op op, const struct value *args, struct span span,
                      struct value *out) {
    (void)host;
    (void)span;
    *out = scalar_of(scalars[op].result == RESULT_BOOL ? DT_bool
                                                       : args[op == OP_SELECT ? 1 : 0].dtype);
    return true;
}

static bool op_cast(void *host, enum dtype to, const struct value *v, struct span span,
                    struct value *out) {
    (void)host;
    (void)v;
    (void)span;
    *out = scalar_of(to);
    return true;
}

static bool op_constant(void *host, enum dtype t, const struct value *v, struct span span,
                        struct value *out) {
    return op_cast(host, t, v, span, out);
}

static bool op_integer(void *host, const struct value *scalar, struct span span,
                       struct value *out) {
    (void)scalar;
    (void)span;
    *out = new_symbol(host);
    return true;
}

static bool op_let(void *host, struct name n, struct value *v, struct span span) {
    (void)host;
    (void)n;
    (void)v;
    (void)span;
    return true;
}

static void op_hint(void *host, struct tensor *t, struct name n) {
    (void)host;
    (void)t;
    (void)n;
}

/* An index between its bounds. */
static struct value index_of(struct outline *o, const struct eval_range *r) {
    struct value i = new_symbol(o);
    struct sym lo = value_sym(&o->ev, &r->lo), hi = value_sym(&o->ev, &r->hi);
    struct name n;
    if (sym_is_atom(o->ev.syms, i.sym, &n))
        sym_facts_bounds(o->ev.facts, n, lo, sym_sub(o->ev.syms, hi, sym_const(o->ev.syms, 1)));
    return i;
}

static bool op_map(void *host, uint32_t n, const struct eval_range *r, bool unique,
                   struct span span, eval_body *body, void *data) {
    struct outline *o = host;
    (void)unique;
    (void)span;
    uint32_t facts = sym_facts_mark(o->ev.facts);
    struct value *index = ARENA_ARRAY(o->arena, struct value, n);
    for (uint32_t i = 0; i < n; i++)
        index[i] = index_of(o, &r[i]);
    bool ok = body(data, index);
    sym_facts_restore(o->ev.facts, facts);
    return ok;
}

static bool op_loop(void *host, const struct eval_range *r, struct span span, eval_body *body,
                    void *data) {
    return op_map(host, 1, r, false, span, body, data);
}

static bool op_repeat(void *host, const struct tensor *condition, struct span span, eval_body *body,
                      void *data) {
    (void)host;
    (void)condition;
    (void)span;
    return body(data, NULL);
}

static bool op_branch(void *host, const struct value *condition, struct span span, eval_body *then,
                      eval_body *otherwise, void *data) {
    (void)host;
    (void)condition;
    (void)span;
    return then(data, NULL) && otherwise(data, NULL);
}

static bool op_require(void *host, const struct value *condition, const char *text,
                       struct span span) {
    (void)host;
    (void)condition;
    (void)text;
    (void)span;
    return true;
}

static bool not_here(struct outline *o, struct span span) {
    diag_error(o->ev.diags, span, ERR_NOT_HERE, "only shapes are asked for");
    return false;
}

static bool op_state(void *host, struct state *s, struct value *out) {
    struct outline *o = host;
    struct value *dims = ARENA_ARRAY(o->arena, struct value, s->rank);
    for (uint32_t d = 0; d < s->rank; d++)
        dims[d] = value_int(s->dims[d]);
    *out = outline_tensor(o, s->path, s->dtype, s->rank, dims);
    return true;
}

static bool op_gradient(void *host, const struct tensor *loss, uint32_t n,
                        struct tensor *const *wrt, struct tensor **out, bool *depends,
                        struct span span) {
    (void)loss;
    (void)depends;
    (void)n;
    (void)wrt;
    (void)out;
    return not_here(host, span);
}

static bool op_import(void *host, const struct value *v, struct value *out) {
    (void)host;
    *out = *v;
    return true;
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
    .share = op_let,
    .hint = op_hint,
    .map = op_map,
    .loop = op_loop,
    .repeat = op_repeat,
    .branch = op_branch,
    .require = op_require,
    .state = op_state,
    .stateless = true,
    .gradient = op_gradient,
    .import = op_import,
};

struct outline *outline_new(struct arena *a, struct names *names, struct sym_ctx *syms,
                            struct diags *d, const struct module *prelude) {
    struct outline *o = ARENA_NEW(a, struct outline);
    o->arena = a;
    o->ev = (struct eval){.arena = a,
                          .plain = true,
                          .names = names,
                          .syms = syms,
                          .facts = sym_facts_new(a, syms),
                          .diags = d,
                          .ops = &verbs,
                          .host = o,
                          .prelude = prelude,
                          .vector_bytes = 32,
                          .vector_registers = 16};
    return o;
}

struct eval *outline_eval(struct outline *o) {
    return &o->ev;
}

struct value outline_tensor(struct outline *o, struct name name, enum dtype t, uint32_t rank,
                            const struct value *dims) {
    struct tensor *x = tensor_of(&o->ev, t, rank, dims, (struct span){0});
    x->name = name;
    x->read_only = true;
    x->impl = o;
    return value_tensor(x);
}

struct value outline_dim(struct outline *o, struct name n) {
    return outline_index(o, n, NULL);
}

struct value outline_index(struct outline *o, struct name n, const struct value *count) {
    struct sym last = {0};
    if (count)
        last = sym_sub(o->ev.syms, value_sym(&o->ev, count), sym_const(o->ev.syms, 1));
    sym_facts_bounds(o->ev.facts, n, sym_const(o->ev.syms, 0), last);
    return value_from_sym(&o->ev, sym_atom(o->ev.syms, n));
}

struct value outline_found(struct outline *o) {
    struct value v = new_symbol(o);
    struct name n;
    if (sym_is_atom(o->ev.syms, v.sym, &n))
        sym_facts_bounds(o->ev.facts, n, sym_const(o->ev.syms, 0), (struct sym){0});
    return v;
}
