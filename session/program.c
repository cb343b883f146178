/* Programs: a graph with its kernel, bound to memory and run.
   Before a kernel starts, everything is settled that only the caller's shapes decide: the values of
   symbols, that all shapes agree, the graph's conditions. */
#include "session/state.h"

#include <string.h>

void program_init(struct program *p, struct arena *a, const struct graph *g, struct kernel *k,
                  const struct origin *origins) {
    *p = (struct program){.graph = g, .kernel = k, .origins = origins};
    p->nsymbols = graph_symbols(g, a, &p->symbols);
    p->found = ARENA_ARRAY(a, bool, g->results.n);
    for (uint32_t i = 0; i < g->body.nodes.n; i++)
        for (uint32_t k = 0; k < g->results.n; k++)
            if (g->body.nodes.at[i]->kind == NODE_DECL &&
                g->body.nodes.at[i]->decl.cont.i == g->results.at[k].i)
                p->found[k] = true;
}

struct values {
    const struct program *program;
    const int64_t *symbols;
};

bool program_symbol(const struct program *p, const int64_t *symbols, struct name n, int64_t *v) {
    for (uint32_t i = 0; i < p->nsymbols; i++)
        if (name_eq(p->symbols[i].name, n)) {
            *v = symbols[i];
            return true;
        }
    return false;
}

static bool value_of(void *data, struct name n, int64_t *v) {
    const struct values *at = data;
    return program_symbol(at->program, at->symbols, n, v);
}

/* A condition's expression: over symbols only. */
static bool evaluate(const struct program *p, const struct expr *e, struct values *at,
                     union scalar *out) {
    union scalar args[3];
    uint32_t n = expr_nargs(e);
    for (uint32_t i = 0; i < n; i++)
        if (!evaluate(p, e->args[i], at, &args[i]))
            return false;
    switch (e->kind) {
    case EXPR_CONST: *out = e->constant; return true;
    case EXPR_SYM: return sym_eval(p->graph->syms, e->sym, value_of, at, &out->i64);
    case EXPR_OP:
        *out = scalar_eval(e->op, e->args[e->op == OP_SELECT ? 1 : 0]->dtype, args);
        return true;
    case EXPR_CAST: *out = scalar_cast(e->args[0]->dtype, e->dtype, args[0]); return true;
    case EXPR_VALUE: break;
    }
    return false;
}

static bool check_shape(struct dcl_session *s, const struct program *p, uint32_t param,
                        const struct actual *at, struct values *symbols, struct span span) {
    const struct container *c = graph_cont(p->graph, p->graph->params.at[param].cont);
    for (uint32_t d = 0; d < c->rank; d++) {
        int64_t want;
        if (!sym_eval(p->graph->syms, c->dims[d], value_of, symbols, &want))
            continue; /* too large for 64 bits: so is no real size */
        if (want == at->dims[d])
            continue;
        const char *name = name_text(s->names, c->name);
        diag_error(&s->diags, span, ERR_SHAPE_MISMATCH, name_text(s->names, p->graph->name),
                   "sizes", arena_printf(s->messages, "dimension %u of %s", d, name),
                   arena_printf(s->messages, "%lld", (long long)at->dims[d]), "the argument",
                   arena_printf(s->messages, "%lld", (long long)want), "the signature");
        return false;
    }
    return true;
}

bool program_bind(struct dcl_session *s, const struct program *p, const struct actual *at,
                  int64_t *symbols, struct span span) {
    const struct graph *g = p->graph;
    struct values values = {p, symbols};
    for (uint32_t i = 0; i < p->nsymbols; i++) {
        const struct graph_symbol *x = &p->symbols[i];
        symbols[i] = x->dim < 0 ? at[x->param].value : at[x->param].dims[x->dim];
    }
    for (uint32_t i = 0; i < g->params.n; i++)
        if (!g->params.at[i].is_symbol && !check_shape(s, p, i, &at[i], &values, span))
            return false;
    for (uint32_t i = 0; i < g->conditions.n; i++) {
        union scalar holds = {0};
        const struct graph_condition *c = &g->conditions.at[i];
        if (evaluate(p, c->condition, &values, &holds) && holds.b)
            continue;
        diag_error(&s->diags, c->span, ERR_CHECK_FAILED, c->text);
        return false;
    }
    return true;
}

bool program_result(struct dcl_session *s, const struct program *p, uint32_t k,
                    const int64_t *symbols, int64_t *dims, size_t *bytes) {
    const struct graph *g = p->graph;
    const struct container *c = graph_cont(g, g->results.at[k]);
    struct values values = {p, symbols};
    int64_t n = dtypes[c->dtype].bytes;
    for (uint32_t d = 0; d < c->rank; d++) {
        const char *name = name_text(s->names, c->name);
        bool known = sym_eval(g->syms, c->dims[d], value_of, &values, &dims[d]);
        if (known && dims[d] < 0) {
            diag_error(&s->diags, c->span, ERR_NEGATIVE_SIZE, name,
                       arena_printf(s->messages, "%lld", (long long)dims[d]));
            return false;
        }
        if (!known || __builtin_mul_overflow(n, dims[d], &n) || n > INT64_MAX / 4) {
            diag_error(&s->diags, c->span, ERR_NO_MEMORY, name);
            return false;
        }
    }
    *bytes = (size_t)n;
    return true;
}

const void *program_found(struct dcl_session *s, const struct program *p, uint32_t k, int64_t *dims,
                          size_t *bytes) {
    const struct container *c = graph_cont(p->graph, p->graph->results.at[k]);
    const int64_t *sizes;
    const void *memory = rt_result(s->rt, k, &sizes);
    *bytes = dtypes[c->dtype].bytes;
    for (uint32_t d = 0; d < c->rank; d++) {
        dims[d] = sizes[d];
        *bytes *= (size_t)sizes[d];
    }
    return memory;
}

bool program_run(struct dcl_session *s, const struct program *p, const struct actual *at,
                 const int64_t *symbols, void *const *results, struct span span) {
    const struct graph *g = p->graph;
    void *few[32], **bufs = few;
    if (g->params.n + g->results.n > sizeof few / sizeof *few)
        bufs = ARENA_ARRAY(s->messages, void *, g->params.n + g->results.n);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->params.n; i++)
        if (!g->params.at[i].is_symbol)
            bufs[n++] = at[i].bytes;
    for (uint32_t k = 0; k < g->results.n; k++)
        bufs[n++] = results[k];
    const char *message = NULL;
    enum rt_status status = rt_call(s->rt, p->kernel->run, bufs, symbols, &message);
    switch (status) {
    case RT_OK: return true;
    case RT_INTERRUPTED: diag_error(&s->diags, (struct span){0}, ERR_INTERRUPTED); break;
    case RT_NO_MEMORY: diag_error(&s->diags, span, ERR_NO_MEMORY, "temporary data"); break;
    case RT_CHECK_FAILED:
        if (!outside_tell(s, p, symbols))
            diag_error(&s->diags, span, ERR_CHECK_FAILED, message);
        break;
    }
    return false;
}
