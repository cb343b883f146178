/* What a compiled function takes and how much work a call of it is, for `dcl bench` and
   `dcl profile`.

   Note [operations]
   Counted are the operators on floats, as the function is written: one for each scalar operator and
   for each write that resolves, whatever they take. Iterations are counted by the bounds of maps
   and loops; where those depend on an index around them, its middle value stands for all. Of the
   two sides of a branch the larger one counts, of a `while` one turn. */
#include "session/call.h"

#include <string.h>

/* --- arguments ------------------------------------------------------------------------------- */

struct asked {
    struct dcl_function *f;
    int k;
    const char *name;
    dcl_tensor *to;
    int64_t *shape;
};

static bool unknown(struct dcl_session *s, const char *what, const char *argument) {
    struct diag *d =
        diag_error(&s->diags, (struct span){0}, ERR_USAGE,
                   arena_printf(s->messages, "the %s of %s is not known", what, argument));
    diag_help(&s->diags, d, "give it: --shape %s=TYPE[SIZES]", argument);
    return false;
}

/* Of a function without a signature: what its definition says. */
static bool defined_argument(struct dcl_session *s, struct asked *x) {
    struct variant_key key = {0};
    if (!variant_key_shown(x->f, s->messages, &key))
        return false;
    const struct variant_arg *a = &key.args[x->k];
    *x->to = (dcl_tensor){.dtype = (int32_t)a->type, .rank = (int32_t)a->rank, .shape = x->shape};
    for (uint32_t d = 0; d < a->rank; d++) {
        if (!name_none(a->dims[d].symbol))
            return unknown(s, "shape", x->name);
        x->shape[d] = a->dims[d].size;
    }
    return true;
}

static bool known_size(struct dcl_session *s, const struct graph *g, const struct container *c,
                       uint32_t d, int64_t *out) {
    if (sym_is_const(g->syms, c->dims[d], out))
        return true;
    struct buf size = buf_new(s->messages);
    buf_text(&size, "size ");
    sym_print(g->syms, c->dims[d], &size);
    return unknown(s, size.at, name_text(s->names, c->name));
}

static bool argument(struct dcl_session *s, void *data) {
    struct asked *x = data;
    const struct variant *v = x->f->variants;
    if (x->k >= (int)x->f->nparams)
        return true;
    x->name = name_text(s->names, x->f->params[x->k].name);
    if (!x->f->given)
        return defined_argument(s, x);
    for (uint32_t i = 0; v && i < v->program.graph->params.n; i++) {
        const struct graph *g = v->program.graph;
        const struct origin *o = &v->program.origins[i];
        if (o->kind != ORIGIN_ARGUMENT || o->argument != (uint32_t)x->k)
            continue;
        *x->to = (dcl_tensor){.dtype = DCL_I64, .shape = x->shape};
        if (g->params.at[i].is_symbol)
            return true;
        const struct container *c = graph_cont(g, g->params.at[i].cont);
        x->to->dtype = (int32_t)c->dtype;
        x->to->rank = (int32_t)c->rank;
        for (uint32_t d = 0; d < c->rank; d++)
            if (!known_size(s, g, c, d, &x->shape[d]))
                return false;
        return true;
    }
    return unknown(s, "type", x->name);
}

int session_argument(dcl_function *f, int k, const char **name, dcl_tensor *t, int64_t *shape) {
    struct asked x = {f, k, NULL, t, shape};
    int failed = session_guard(f->session, argument, &x);
    *name = x.name;
    return failed;
}

/* --- work ------------------------------------------------------------------------------------ */

/* Indices and their middle values, innermost first. */
struct middle {
    const struct middle *outer;
    struct name name;
    int64_t value;
};

static bool middle_value(void *data, struct name n, int64_t *v) {
    for (const struct middle *m = data; m; m = m->outer)
        if (name_eq(m->name, n)) {
            *v = m->value;
            return true;
        }
    return false;
}

static int64_t evaluate(const struct graph *g, struct sym s, const struct middle *m) {
    int64_t v;
    return sym_eval(g->syms, s, middle_value, (void *)(uintptr_t)m, &v) ? v : 0;
}

static double expression_work(const struct expr *e) {
    double n = e->kind == EXPR_OP && dtype_is_float(e->dtype) && e->op != OP_SELECT;
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        n += expression_work(e->args[i]);
    return n;
}

static double region_work(const struct graph *g, const struct region *r, const struct middle *m);

/* The body's work times the iterations of INDEX and those behind it. */
static double indices_work(const struct graph *g, const struct index *index, uint32_t n,
                           const struct region *body, const struct middle *m) {
    if (n == 0)
        return region_work(g, body, m);
    int64_t lo = evaluate(g, index->lo, m), hi = evaluate(g, index->hi, m);
    int64_t step = evaluate(g, index->step, m);
    if (hi <= lo || step < 1)
        return 0;
    int64_t count = (hi - lo + step - 1) / step;
    struct middle here = {m, index->name, lo + (count - 1) / 2 * step};
    return (double)count * indices_work(g, index + 1, n - 1, body, &here);
}

static double node_work(const struct graph *g, const struct node *n, const struct middle *m) {
    switch (n->kind) {
    case NODE_LET: return expression_work(n->let.value);
    case NODE_WRITE:
        return expression_work(n->write.value) +
               (n->write.to.resolution != RES_NONE && dtype_is_float(n->write.value->dtype));
    case NODE_MAP: return indices_work(g, n->map.index, n->map.n, &n->map.body, m);
    case NODE_LOOP: return indices_work(g, &n->loop.index, 1, &n->loop.body, m);
    case NODE_WHILE: return region_work(g, &n->repeat.body, m);
    case NODE_BRANCH: {
        double x = region_work(g, &n->branch.then, m), y = region_work(g, &n->branch.otherwise, m);
        return x > y ? x : y;
    }
    default: return 0;
    }
}

static double region_work(const struct graph *g, const struct region *r, const struct middle *m) {
    double sum = 0;
    for (uint32_t i = 0; i < r->nodes.n; i++)
        sum += node_work(g, r->nodes.at[i], m);
    return sum;
}

static double container_bytes(const struct graph *g, struct cont at) {
    const struct container *c = graph_cont(g, at);
    double n = dtypes[c->dtype].bytes;
    for (uint32_t d = 0; d < c->rank; d++)
        n *= (double)evaluate(g, c->dims[d], NULL);
    return n;
}

struct working {
    struct dcl_function *f;
    struct session_work *out;
};

static bool work(struct dcl_session *s, void *data) {
    struct working *x = data;
    struct variant_key key = {0};
    if (!function_resolve(x->f) || !variant_key_shown(x->f, s->messages, &key))
        return false;
    const struct graph *g = variant_lower(x->f, &key);
    if (!g)
        return false;
    *x->out = (struct session_work){.operations = region_work(g, &g->body, NULL)};
    for (uint32_t i = 0; i < g->params.n; i++)
        if (!g->params.at[i].is_symbol) {
            bool inout = graph_cont(g, g->params.at[i].cont)->role == ROLE_INOUT;
            x->out->bytes += (inout ? 2 : 1) * container_bytes(g, g->params.at[i].cont);
        }
    for (uint32_t i = 0; i < g->results.n; i++)
        x->out->bytes += container_bytes(g, g->results.at[i]);
    return true;
}

int session_work(dcl_function *f, struct session_work *out) {
    struct working x = {f, out};
    return session_guard(f->session, work, &x);
}
