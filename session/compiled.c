/* `compile f(x: f32[B, 784])`: a function that is compiled for a signature, and the calls of it in
   statements of the script that use this variant.

   Note [compiled calls]
   A statement is one unit, in which calls are inlined. A call in it that stands in no other call,
   map, loop or branch, whose arguments fit a signature that was said, is run by itself instead: its
   arguments are made concrete, and what it gives is data of the script. That must change no
   meaning, so the call is inlined as others are
     - if what stands before it in the statement writes, or the call writes and is not all that the
       statement computes: what stands before it has not run yet, or would run again after it;
     - if a condition on its sizes does not hold: with numbers a 1 may broadcast, or the error says
       more;
     - if a gradient is taken, or a value inside is watched.
   What a later definition changes is compiled again by the first call that fits. Where that fails
   the statement has lost its meaning and is forgotten, which is told. */
#include "session/call.h"

#include "lang/print/print.h"

#include <string.h>

/* --- the statement -------------------------------------------------------------------------- */

/* Lowers F, so that the reference tells what the compiler would. */
static bool can_be_lowered(struct dcl_function *f) {
    struct dcl_session *s = f->session;
    struct variant_key none = {0};
    enum backend backend = s->options.backend;
    s->options.backend = BACKEND_CPU;
    struct graph *g = variant_lower(f, &none);
    bool ok = g && graph_verify(g, "lower", &s->diags);
    unit_end(s);
    s->options.backend = backend;
    return ok;
}

/* What has no place of its own stands at SPAN: a variant is lowered for nobody's call. */
static void give_place(struct dcl_session *s, struct span span) {
    for (struct diag *d = s->diags.first; d; d = d->next) {
        if (d->span.source == 0)
            d->span = span;
        for (struct diag_note *n = d->notes; n; n = n->next)
            if (n->span.source == 0)
                n->span = span;
    }
}

bool compiled_say(struct dcl_session *s, const struct ast *st) {
    struct buf text = buf_new(s->messages);
    print_ast(s->names, st, &text);
    struct dcl_function *f = function_handle(s, text.at, true);
    if (!f->callee) {
        f->callee = ast_clone(f->arena, st->kids[0]);
        f->entries = f->given = ast_clone(f->arena, st->kids[1]);
    }
    f->holds = false;
    f->generation = 0; /* its names may mean something else by now */
    bool compiles = s->options.backend == BACKEND_CPU && !s->options.foreign;
    f->holds =
        function_resolve(f) && (compiles ? variant_for(f, 0, NULL) != NULL : can_be_lowered(f));
    f->line = s->line;
    if (!f->holds)
        give_place(s, st->span);
    return f->holds;
}

void compiled_take_back(struct dcl_session *s) {
    for (struct dcl_function *f = s->functions; f; f = f->next)
        f->holds = f->holds && f->line != s->line;
}

/* --- whether a call fits -------------------------------------------------------------------- */

struct wanted {
    struct dcl_session *s;
    struct dcl_function *f;
    struct span span;
    struct value *args; /* by parameter of F */
    struct actual *actual;
};

static bool same_static(const struct value *x, const struct value *y) {
    if (x->kind != y->kind)
        return false;
    switch (x->kind) {
    case VAL_ABSENT: return true;
    case VAL_INT: return x->i == y->i;
    case VAL_FLOAT: return memcmp(&x->f, &y->f, sizeof x->f) == 0;
    case VAL_BOOL: return x->b == y->b;
    case VAL_STR:
    case VAL_BUILTIN: return name_eq(x->str, y->str);
    case VAL_DTYPE: return x->dtype == y->dtype;
    case VAL_FN: return x->fn->def == y->fn->def && x->fn->self == y->fn->self;
    case VAL_LAYER: return x->layer->def == y->layer->def;
    case VAL_INSTANCE: return x->instance == y->instance;
    case VAL_LIST:
    case VAL_PACK:
        if (x->list->n != y->list->n)
            return false;
        for (uint32_t i = 0; i < x->list->n; i++)
            if (!same_static(&x->list->at[i], &y->list->at[i]))
                return false;
        return true;
    default: return false;
    }
}

/* Which argument is for each parameter of FN, -1 for none; false if the call does not say. */
static bool assign_arguments(const struct ast *params, uint32_t nargs, const struct name *keywords,
                             int32_t *slots) {
    uint32_t positional = 0;
    for (uint32_t k = 0; k < params->nkids; k++)
        slots[k] = -1;
    for (uint32_t i = 0; i < nargs; i++) {
        uint32_t k = positional;
        if (keywords && !name_none(keywords[i]))
            for (k = 0; k < params->nkids && !name_eq(params->kids[k]->name, keywords[i]);)
                k++;
        else if (k < params->nkids && (params->kids[k]->flags & AST_STATIC))
            return false;
        else
            positional++;
        if (k >= params->nkids || slots[k] >= 0)
            return false;
        slots[k] = (int32_t)i;
    }
    return true;
}

static bool fits_static(const struct dcl_function *f, struct name param, const struct value *arg) {
    for (uint32_t i = 0; i < f->statics.list->n; i++)
        if (name_eq(f->static_names[i], param))
            return arg && same_static(&f->statics.list->at[i], arg);
    return !arg;
}

static bool is_number_for(enum dtype t, const struct value *v) {
    if (dtypes[t].class == DC_BOOL)
        return v->kind == VAL_BOOL;
    if (v->kind == VAL_INT &&
        !dtype_is_float(t)) /* what it cannot hold is told by the call itself */
        return scalar_cast(t, DT_i64, scalar_from_i64(t, v->i)).i64 == v->i;
    return v->kind == VAL_INT || (v->kind == VAL_FLOAT && dtype_is_float(t));
}

/* Whether V is of the element type and the rank of P. */
static bool fits_type(struct wanted *w, const struct parameter *p, struct value *v) {
    enum dtype t = dtype_of(name_text(w->s->names, p->type->name));
    uint32_t rank = p->type->nkids;
    int64_t i;
    if (v->kind == VAL_SYM && unit_integer(w->s, v->sym, &i))
        *v = value_int(i);
    if (v->kind == VAL_TENSOR)
        return v->dtype == t && v->tensor->rank == rank && !v->tensor->count;
    return rank == 0 && !p->inout &&
           (v->kind == VAL_SCALAR ? !v->weak && v->dtype == t : is_number_for(t, v));
}

static bool fits(struct wanted *w, const struct function *fn, uint32_t nargs,
                 const struct value *args, const struct name *keywords) {
    const struct dcl_function *f = w->f;
    const struct ast *params = fn->def->kids[0];
    int32_t *slots = ARENA_ARRAY(w->s->unit.arena, int32_t, params->nkids);
    if (!assign_arguments(params, nargs, keywords, slots))
        return false;
    for (uint32_t k = 0; k < params->nkids; k++) {
        const struct value *arg = slots[k] < 0 ? NULL : &args[slots[k]];
        uint32_t i = 0;
        while (i < f->nparams && f->params[i].def != params->kids[k])
            i++;
        if (i == f->nparams) {
            if (!fits_static(f, params->kids[k]->name, arg))
                return false;
            continue;
        }
        if (!arg)
            return false;
        w->args[i] = *arg;
        if (!fits_type(w, &f->params[i], &w->args[i]))
            return false;
    }
    return true;
}

/* The sizes of the arguments; false if some are not known yet. */
static bool find_sizes(struct wanted *w) {
    struct arena *a = w->s->unit.arena;
    for (uint32_t i = 0; i < w->f->nparams; i++) {
        const struct value *v = &w->args[i];
        uint32_t rank = v->kind == VAL_TENSOR ? v->tensor->rank : 0;
        int64_t *dims = ARENA_ARRAY(a, int64_t, rank + 1);
        for (uint32_t d = 0; d < rank; d++) {
            const struct value *n = &v->tensor->dims[d];
            if (n->kind == VAL_INT)
                dims[d] = n->i;
            else if (n->kind != VAL_SYM || !unit_integer(w->s, n->sym, &dims[d]))
                return false;
        }
        w->actual[i].dims = dims;
    }
    return true;
}

/* --- the variant ---------------------------------------------------------------------------- */

/* Why an entry of F's signature is plainly no argument of its parameter, NULL if none is. The rest
   is seen when it is compiled. */
static const char *misfit(const struct dcl_function *f) {
    struct dcl_session *s = f->session;
    for (uint32_t i = 0; i < f->nparams; i++) {
        const struct ast *given = f->params[i].type, *wants = f->params[i].def->kids[0];
        const char *name = name_text(s->names, f->params[i].name);
        bool packs = false;
        for (uint32_t d = 0; wants && d < wants->nkids; d++)
            packs = packs || wants->kids[d]->kind == AST_SPREAD;
        if (!given || !wants)
            continue;
        enum dtype t = dtype_of(name_text(s->names, wants->name));
        if ((wants->flags & AST_BRACKETS) && !packs && given->nkids != wants->nkids)
            return arena_printf(s->messages, "%s has %u dimension%s, %u expected", name,
                                given->nkids, plural(given->nkids), wants->nkids);
        if (t != DT_NONE && !name_eq(given->name, wants->name))
            return arena_printf(s->messages, "%s: expected %s, found %s", name, dtypes[t].name,
                                name_text(s->names, given->name));
    }
    return NULL;
}

/* In a unit of its own, while one is open: what the newest definitions mean. False if the signature
   fits no more. */
static bool renewed(struct dcl_function *f, bool compiled) {
    struct dcl_session *s = f->session;
    struct unit outer = s->unit;
    struct diags before = s->diags;
    if (f->generation == s->generation + 1 && (!compiled || f->variants))
        return true;
    s->next_id = outer.ev->next_id;
    s->unit = (struct unit){0};
    bool ok = function_resolve(f);
    const char *differs = ok ? misfit(f) : NULL;
    ok = ok && !differs && (!compiled || variant_for(f, 0, NULL));
    unit_end(s);
    outer.ev->next_id = s->next_id;
    s->unit = outer;
    if (ok)
        return true;
    const struct diag *first = *before.last;
    const char *why = differs                ? differs
                      : first && first->text ? first->text
                                             : "it has another meaning now";
    s->diags = before;
    *s->diags.last = NULL;
    f->holds = s->stop != 0; /* who interrupts says nothing of it */
    if (!f->holds)
        diag_warning(&s->diags, (struct span){0}, ERR_FORGOTTEN, f->signature, why);
    return false;
}

/* The memory of each parameter of P; false where it is not known. */
static bool bind_parameters(struct wanted *w, const struct variant *v, struct actual *at) {
    const struct graph *g = v->program.graph;
    for (uint32_t i = 0; i < g->params.n; i++) {
        const struct origin *from = &v->program.origins[i];
        if (from->kind == ORIGIN_ARGUMENT) {
            at[i] = w->actual[from->argument];
        } else if (from->kind == ORIGIN_STATE) {
            at[i].bytes = state_data(from->state)->bytes;
            at[i].dims = from->state->stored;
        } else {
            return false; /* data that the signature does not name */
        }
    }
    return true;
}

/* --- memory --------------------------------------------------------------------------------- */

/* The data of the script that V is as a whole, or NULL. */
static struct tensor *own_data(const struct value *v) {
    const struct tensor *t = v->kind == VAL_TENSOR ? v->tensor : NULL;
    return t && t->from && !t->map && !t->part ? t->from : NULL;
}

/* Whether what the call writes is its own: whole containers of the script, each given once. */
static bool may_write(const struct wanted *w) {
    for (uint32_t i = 0; i < w->f->nparams; i++) {
        const struct tensor *t = own_data(&w->args[i]);
        if (!w->f->params[i].inout)
            continue;
        if (!t || !w->args[i].tensor->container)
            return false;
        for (uint32_t k = 0; k < w->f->nparams; k++)
            if (k != i && own_data(&w->args[k]) == t)
                return false;
    }
    return true;
}

static bool number_memory(struct wanted *w, enum dtype t, const struct value *v, void **bytes) {
    *bytes = arena_alloc(w->s->unit.arena, 64);
    scalar_store(t, *bytes, value_as(t, v));
    return true;
}

static bool needs_run(const struct value *v) {
    return v->kind == VAL_SCALAR || (v->kind == VAL_TENSOR && !own_data(v));
}

/* Runs what the arguments need, at once. */
static bool run_arguments(struct wanted *w) {
    uint32_t n = w->f->nparams, k = 0;
    struct value list = value_list_new(w->s->unit.arena, VAL_LIST, n);
    for (uint32_t i = 0; i < n; i++)
        if (needs_run(&w->args[i]))
            list.list->at[k++] = w->args[i];
    list.list->n = k;
    if (k && !store_keep(w->s, &list, w->span))
        return false;
    k = 0;
    for (uint32_t i = 0; i < n; i++)
        if (needs_run(&w->args[i]))
            w->args[i] = list.list->at[k++];
    return true;
}

static bool argument_memory(struct wanted *w, uint32_t i) {
    struct dcl_session *s = w->s;
    const struct parameter *p = &w->f->params[i];
    const struct value *v = &w->args[i];
    enum dtype t = dtype_of(name_text(s->names, p->type->name));
    struct tensor *own = own_data(v);
    if (own && p->inout && !undo_write(s, own))
        return false;
    if (v->kind == VAL_TENSOR)
        w->actual[i].bytes = tensor_data(own ? own : v->tensor)->bytes;
    else if (!number_memory(w, t, v, &w->actual[i].bytes))
        return false;
    if (p->integer)
        memcpy(&w->actual[i].value, w->actual[i].bytes, sizeof w->actual[i].value);
    return true;
}

/* What P writes of states can be taken back from here on. */
static bool states_for_writing(struct dcl_session *s, const struct program *p,
                               const struct written *w) {
    for (uint32_t i = 0; i < p->graph->params.n; i++)
        if (p->origins[i].kind == ORIGIN_STATE && w->conts[p->graph->params.at[i].cont.i] &&
            !undo_write_state(s, p->origins[i].state))
            return false;
    return true;
}

/* --- the call ------------------------------------------------------------------------------- */

static struct value result_of(struct dcl_session *s, const struct program *p, uint32_t k,
                              struct data *data, const int64_t *dims, struct span span) {
    const struct container *c = graph_cont(p->graph, p->graph->results.at[k]);
    return value_tensor(data_tensor(s, c->dtype, c->rank, dims, data, (struct name){0}, span));
}

static bool run(struct wanted *w, const struct variant *v, struct value *out) {
    struct dcl_session *s = w->s;
    struct arena *a = s->unit.arena;
    const struct program *p = &v->program;
    struct written writes = written_by(a, p->graph);
    uint32_t n = p->graph->results.n;
    struct actual *at = ARENA_ARRAY(a, struct actual, p->graph->params.n);
    struct data **data = ARENA_ARRAY(a, struct data *, n);
    int64_t(*dims)[EVAL_MAX_RANK] = arena_alloc(a, (n + 1) * sizeof *dims);
    if (!run_arguments(w))
        return false;
    for (uint32_t i = 0; i < w->f->nparams; i++)
        if (!argument_memory(w, i))
            return false;
    if (!states_for_writing(s, p, &writes) || !bind_parameters(w, v, at) ||
        !unit_run(s, p, at, writes.any, data, dims, s->unit.span)) {
        give_place(s, w->span);
        return false;
    }
    *out = value_none();
    if (n == 1)
        *out = result_of(s, p, 0, data[0], dims[0], w->span);
    if (n < 2)
        return true;
    *out = value_list_new(s->unit.ev->arena, VAL_LIST, n);
    out->tuple = true;
    for (uint32_t k = 0; k < n; k++)
        out->list->at[k] = result_of(s, p, k, data[k], dims[k], w->span);
    return true;
}

/* Whether V serves: its conditions hold, and nothing would run in another order. */
static bool serves(struct wanted *w, const struct variant *v) {
    struct dcl_session *s = w->s;
    const struct program *p = &v->program;
    struct arena *a = s->unit.arena;
    bool alone = lower_is_empty(s->unit.lower) || span_eq(w->span, s->unit.value);
    if (written_by(a, p->graph).any && (!alone || !may_write(w)))
        return false;
    struct diags before = s->diags;
    struct actual *at = ARENA_ARRAY(a, struct actual, p->graph->params.n);
    int64_t *symbols = ARENA_ARRAY(a, int64_t, p->nsymbols);
    for (uint32_t i = 0; i < w->f->nparams; i++) {
        const struct value *arg = &w->args[i];
        if (!w->f->params[i].integer)
            continue;
        if (arg->kind != VAL_INT)
            return false; /* sizes may hang on it */
        w->actual[i].value = arg->i;
    }
    if (bind_parameters(w, v, at) && program_bind(s, p, at, symbols, w->span))
        return true;
    s->diags = before;
    *s->diags.last = NULL;
    return false;
}

static bool is_meant(const struct dcl_function *f, const struct function *fn) {
    const struct value *v = &f->value;
    if (v->kind == VAL_INSTANCE)
        return fn->self == v->instance && fn->def == f->def;
    return v->kind == VAL_FN && v->fn->def == fn->def && v->fn->self == fn->self;
}

bool compiled_call(void *session, const struct function *fn, uint32_t nargs,
                   const struct value *args, const struct name *keywords, struct span span,
                   struct value *out, bool *done) {
    struct dcl_session *s = session;
    *done = false;
    if (!s->unit.calls || s->unit.mapped || s->watches.n)
        return true;
    for (struct dcl_function *f = s->functions; f; f = f->next) {
        if (!f->holds || !renewed(f, false) || !is_meant(f, fn))
            continue;
        struct wanted w = {.s = s, .f = f, .span = span};
        w.args = ARENA_ARRAY(s->unit.arena, struct value, f->nparams);
        w.actual = ARENA_ARRAY(s->unit.arena, struct actual, f->nparams);
        if (!fits(&w, fn, nargs, args, keywords) || !find_sizes(&w) || unit_writes(s) ||
            !renewed(f, true) || !serves(&w, f->variants))
            continue;
        f->variants->used = ++s->clock;
        s->unit.recall = NULL; /* its program is not all that runs */
        *done = true;
        return run(&w, f->variants, out);
    }
    return true;
}
