/* An export as a whole: it is begun, given its inputs, evaluated, and finished (model.c). */
#include "lang/export/export.h"

#include "lang/export/internal.h"

struct export *export_begin(struct arena *a, struct names *names, struct sym_ctx *syms,
                            struct diags *d, const struct module *prelude,
                            const struct export_order *order) {
    struct export *x = ARENA_NEW(a, struct export);
    x->arena = a;
    x->order = *order;
    x->meaning_of = map_new(a);
    x->by_hash = map_new(a);
    x->states = map_new(a);
    x->imports = map_new(a);
    x->names = map_new(a);
    x->node_names = map_new(a);
    x->ev = (struct eval){.arena = a,
                          .names = names,
                          .syms = syms,
                          .facts = sym_facts_new(a, syms),
                          .diags = d,
                          .ops = &export_verbs,
                          .host = x,
                          .prelude = prelude,
                          .plain = true,
                          .defining = true,
                          .vector_bytes = order->vector_bytes,
                          .vector_registers = order->vector_registers,
                          .most = 10 * (uint64_t)EVAL_MAX_STEPS}; /* loops are written out */
    return x;
}

struct eval *export_eval(struct export *x) {
    return &x->ev;
}

struct value export_size(struct export *x, struct name n) {
    sym_facts_bounds(x->ev.facts, n, sym_const(x->ev.syms, 0), (struct sym){0});
    return value_from_sym(&x->ev, sym_atom(x->ev.syms, n));
}

static struct val *input_new(struct export *x, struct name n, enum dtype t, uint32_t rank,
                             const struct value *dims) {
    struct val *v = model_val(x);
    struct taken in = {v, t, rank, dims, NULL};
    v->name = name_text(x->ev.names, n);
    v->input = true;
    VEC_PUSH(x->arena, x->inputs, in);
    return v;
}

struct value export_symbol(struct export *x, struct name n) {
    struct val *v = input_new(x, n, DT_i64, 0, NULL);
    integer_mean(x, n, (struct meaning){.of = v, .dim = -1});
    return value_from_sym(&x->ev, sym_atom(x->ev.syms, n));
}

struct value export_input(struct export *x, struct name n, enum dtype t, uint32_t rank,
                          const struct value *dims, bool inout) {
    struct tensor *at = tensor_of(&x->ev, t, rank, dims, (struct span){0});
    struct val *v = input_new(x, n, t, rank, at->dims);
    for (uint32_t d = 0; d < rank; d++) {
        struct name size;
        if (dims[d].kind == VAL_SYM && sym_is_atom(x->ev.syms, dims[d].sym, &size) &&
            !integer_meaning(x, size))
            integer_mean(x, size, (struct meaning){.of = v, .dim = (int32_t)d});
    }
    struct cont *c = verb_cont_new(x, at);
    c->now = lazy_of(x, v, t, rank, c->own);
    c->fixed = !inout;
    at->name = n;
    at->container = inout;
    at->read_only = !inout;
    if (inout)
        x->inputs.at[x->inputs.n - 1].written = at;
    return value_tensor(at);
}

bool export_fixes(const struct export *x, uint32_t k, struct name *size, int64_t *number) {
    if (k >= x->fixed.n)
        return false;
    *size = x->fixed.at[k].name;
    *number = x->fixed.at[k].size;
    return true;
}

/* T seen with its dimensions: read along new axes. */
struct val *verb_tensor(struct export *x, struct tensor *t, struct span span) {
    const struct axis *axes[EVAL_MAX_RANK];
    struct value at[EVAL_MAX_RANK], real[EVAL_MAX_RANK], v;
    uint32_t facts = sym_facts_mark(x->ev.facts);
    struct sym_ctx *c = x->ev.syms;
    for (uint32_t d = 0; d < t->rank; d++) {
        axes[d] = lazy_axis(x, &t->dims[d]);
        at[d] = value_from_sym(&x->ev, sym_atom(c, axes[d]->atom));
        sym_facts_bounds(x->ev.facts, axes[d]->atom, sym_const(c, 0),
                         sym_sub(c, value_sym(&x->ev, &t->dims[d]), sym_const(c, 1)));
    }
    uint32_t muted = x->muted;
    x->muted = 0;
    real_indices(&x->ev, t, at, real);
    verb_read(x, t, real, NULL, span, &v);
    struct val *out = lazy_full(x, v.expr, t->rank, axes);
    x->muted = muted;
    sym_facts_restore(x->ev.facts, facts);
    return out;
}
