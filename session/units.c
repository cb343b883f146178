/* Units: what is lowered, compiled and run as a whole (one statement of a script), or evaluated by
   the reference.

   Note [results on the way]
   A statement may need a value before it ends: the condition of an `if` expression, what `print`
   prints. The graph so far is then finished with these values as results, copied, compiled and run,
   and lowering goes on in the same graph, so that what was computed before can be used after. If
   the graph writes to containers of the script or to states, it must not run twice: then lowering
   goes on with an empty graph. */
#include "session/builtins.h"

#include <stdio.h>
#include <string.h>

/* --- what the evaluators ask of the script --------------------------------------------------- */

static bool keep_value(void *session, struct value *v, struct span span) {
    struct dcl_session *s = session;
    if (!s->unit.script || s->unit.mapped || s->unit.ev->depth > 0) {
        diag_error(&s->diags, span, ERR_STATIC_EXPECTED, "this");
        return false;
    }
    return store_keep(s, v, span);
}

static bool tensor_of_numbers(void *session, enum dtype t, uint32_t rank, const int64_t *dims,
                              int64_t n, const union scalar *at, struct span span,
                              struct value *out, bool *made) {
    struct dcl_session *s = session;
    *made = s->unit.script; /* else it would have to live as long as what is compiled */
    if (!*made)
        return true;
    size_t size = dtypes[t].bytes;
    struct data *d = data_room(s, (size_t)n * size, "a list", span);
    for (int64_t i = 0; d && i < n; i++)
        scalar_store(t, (char *)d->bytes + (size_t)i * size, at[i]);
    if (d)
        *out = value_tensor(data_tensor(s, t, rank, dims, d, (struct name){0}, span));
    return d;
}

static void *tensor_bytes(void *session, const struct tensor *t) {
    struct dcl_session *s = session;
    if (!t->data)
        return NULL;
    if (t->container && !undo_write(s, (struct tensor *)t))
        return NULL;
    return tensor_data(t)->bytes;
}

static void *state_bytes(void *session, const struct state *st) {
    if (st->buffer && !undo_write_state(session, (struct state *)st))
        return NULL;
    return state_data(st)->bytes;
}

struct lower_script unit_script(struct dcl_session *s) {
    return (struct lower_script){.data = s,
                                 .has_builtin = builtin_has,
                                 .builtin = builtin_call,
                                 .numbers = tensor_of_numbers,
                                 .concrete = keep_value,
                                 .new_state = states_new,
                                 .call = compiled_call};
}

static size_t print_frames(struct dcl_session *s, const struct frame *f, char *out, size_t size) {
    size_t n = f->outer ? print_frames(s, f->outer, out, size) : 0;
    for (uint32_t i = 0; i < f->env->bindings.n && n < size; i++) {
        const struct binding *b = &f->env->bindings.at[i];
        if (b->value.kind == VAL_INT)
            n += (size_t)snprintf(out + n, size - n, "%s%s = %lld", n ? ", " : "",
                                  name_text(s->names, b->name), (long long)b->value.i);
    }
    return n;
}

void loop_indices(struct dcl_session *s, char *out, size_t size) {
    out[0] = '\0';
    if (s->frames)
        print_frames(s, s->frames, out, size);
}

static void add_indices(void *session, struct buf *out) {
    char text[96];
    loop_indices(session, text, sizeof text);
    buf_text(out, text);
}

struct ref_script unit_ref_script(struct dcl_session *s) {
    return (struct ref_script){.data = s,
                               .has_builtin = builtin_has,
                               .builtin = builtin_call,
                               .concrete = keep_value,
                               .new_state = states_new,
                               .tensor_bytes = tensor_bytes,
                               .state_bytes = state_bytes,
                               .told = s->options.check ? &s->told : NULL,
                               .around = add_indices,
                               .stop = &s->stop};
}

/* --- life ----------------------------------------------------------------------------------- */

void unit_begin(struct dcl_session *s, struct name name, struct span span, bool script) {
    struct unit *u = &s->unit;
    *u = (struct unit){.open = true, .script = script, .span = span};
    u->arena = arena_new();
    u->syms = sym_ctx_new(u->arena, s->names);
    const struct target *t = &s->options.target;
    if (s->options.backend == BACKEND_REF) {
        struct ref_script around = unit_ref_script(s);
        u->ref = ref_begin(u->arena, s->names, u->syms, &s->diags, s->prelude, t->vector_bytes,
                           t->vector_registers, &around);
        u->ev = ref_eval(u->ref);
    } else {
        struct lower_script around = unit_script(s);
        u->lower = lower_begin(u->arena, s->names, u->syms, &s->diags, s->prelude, name,
                               t->vector_bytes, t->vector_registers, &around);
        u->ev = lower_eval(u->lower);
    }
    u->ev->next_id = s->next_id;
    u->ev->stop = &s->stop;
    u->ev->listener = s;
    u->ev->called = script && s->watches.n ? watch_call : NULL;
}

void unit_end(struct dcl_session *s) {
    struct unit *u = &s->unit;
    if (!u->open)
        return;
    if (u->ev)
        s->next_id = u->ev->next_id;
    arena_free(u->arena);
    *u = (struct unit){0};
}

/* --- the reference -------------------------------------------------------------------------- */

static bool is_small(const struct value *v) {
    return v->kind == VAL_SCALAR || (v->tensor->rank == 0 && !v->tensor->container);
}

/* What a result is for the script: integers and truth values are static there. */
static struct value settle(struct dcl_session *s, const struct value *v, uint32_t rank,
                           const int64_t *dims, struct data *d) {
    if (rank == 0 && is_small(v) && (v->dtype == DT_i64 || v->dtype == DT_bool)) {
        union scalar x = scalar_load(v->dtype, d->bytes);
        return v->dtype == DT_bool ? value_bool(x.b) : value_int(x.i64);
    }
    bool tensor = v->kind == VAL_TENSOR;
    struct tensor *t =
        data_tensor(s, v->dtype, rank, dims, d, tensor ? v->tensor->name : (struct name){0},
                    tensor ? v->tensor->span : s->unit.span);
    return value_tensor(t);
}

static bool reference_results(struct dcl_session *s, uint32_t n, struct value *v) {
    for (uint32_t i = 0; i < n; i++) {
        enum dtype t;
        uint32_t rank;
        int64_t dims[EVAL_MAX_RANK];
        const void *bytes = ref_bytes(s->unit.ref, &v[i], &t, &rank, dims);
        if (!bytes)
            return false;
        size_t size = dtypes[t].bytes;
        for (uint32_t d = 0; d < rank; d++)
            size *= (size_t)dims[d];
        struct data *data = data_new(s, size, "a result", s->unit.span);
        if (!data)
            return false;
        memcpy(data->bytes, bytes, size);
        v[i] = settle(s, &v[i], rank, dims, data);
    }
    return true;
}

/* --- compiled ------------------------------------------------------------------------------- */

struct value unit_symbol(struct dcl_session *s, struct name name, int64_t v) {
    struct unit *u = &s->unit;
    struct value x = lower_symbol(u->lower, name);
    struct unit_symbol symbol = {.value = v};
    sym_is_atom(u->syms, x.sym, &symbol.name);
    VEC_PUSH(u->arena, u->symbols, symbol);
    return x;
}

struct value unit_size(struct dcl_session *s, struct name name, uint32_t d, int64_t n) {
    struct unit *u = &s->unit;
    for (uint32_t i = 0; i < u->symbols.n; i++)
        if (u->symbols.at[i].size && u->symbols.at[i].value == n)
            return value_from_sym(u->ev, sym_atom(u->syms, u->symbols.at[i].name));
    const char *text = arena_printf(u->arena, "%s_%u", name_text(s->names, name), d);
    struct value x = unit_symbol(s, name_of_text(s->names, text), n);
    struct unit_symbol *symbol = &u->symbols.at[u->symbols.n - 1];
    symbol->size = true;
    sym_facts_bounds(u->ev->facts, symbol->name, sym_const(u->syms, 0), (struct sym){0});
    return x;
}

static bool symbol_value(void *unit, struct name n, int64_t *v) {
    const struct unit *u = unit;
    for (uint32_t i = 0; i < u->symbols.n; i++)
        if (name_eq(u->symbols.at[i].name, n)) {
            *v = u->symbols.at[i].value;
            return true;
        }
    return false;
}

bool unit_integer(struct dcl_session *s, struct sym x, int64_t *v) {
    return sym_eval(s->unit.syms, x, symbol_value, &s->unit, v);
}

static void note_write(void *data, struct node *n) {
    struct written *w = data;
    if (n->kind == NODE_WRITE && graph_cont(w->g, n->write.to.cont)->role == ROLE_INOUT)
        w->any = w->conts[n->write.to.cont.i] = true;
}

struct written written_by(struct arena *a, const struct graph *g) {
    struct written w = {.g = g, .conts = ARENA_ARRAY(a, bool, g->conts.n)};
    region_walk(&g->body, note_write, &w);
    return w;
}

/* The memory behind the parameters of P; what P writes can be taken back from here on. */
static struct actual *bind_actuals(struct dcl_session *s, struct arena *a,
                                   const struct program *p) {
    const struct graph *g = p->graph;
    struct written w = written_by(a, g);
    struct actual *at = ARENA_ARRAY(a, struct actual, g->params.n);
    for (uint32_t i = 0; i < g->params.n; i++) {
        const struct origin *from = &p->origins[i];
        if (from->kind == ORIGIN_ARGUMENT) {
            at[i].value = s->unit.symbols.at[from->argument].value;
            continue;
        }
        bool writes = w.conts[g->params.at[i].cont.i];
        if (from->kind == ORIGIN_STATE) {
            if (writes && !undo_write_state(s, from->state))
                return NULL;
            at[i].bytes = state_data(from->state)->bytes;
            at[i].dims = from->state->stored;
            continue;
        }
        struct tensor *t = (struct tensor *)from->import;
        int64_t *dims = ARENA_ARRAY(a, int64_t, t->rank);
        for (uint32_t d = 0; d < t->rank; d++)
            dims[d] = t->dims[d].i;
        if (writes && !undo_write(s, t))
            return NULL;
        at[i].dims = dims;
        at[i].bytes = tensor_data(t)->bytes;
    }
    return at;
}

/* Compiles the graph so far (a copy, since passes change it); its last N results are new. */
static bool make_program(struct dcl_session *s, uint32_t n, const struct value *v,
                         struct program *p) {
    struct unit *u = &s->unit;
    struct graph *g = lower_finish(u->lower, n, v, NULL, NULL);
    if (!g || !round_computes(s, g))
        return false;
    g = graph_clone(u->arena, g);
    struct kernel *k = compile_graph(s, g);
    if (!k)
        return false;
    program_init(p, u->arena, g, k, lower_origins(u->lower));
    return true;
}

/* After a run that wrote: an empty graph, with the same symbols. */
static void go_on(struct dcl_session *s) {
    struct unit *u = &s->unit;
    lower_again(u->lower);
    for (uint32_t i = 0; i < u->symbols.n; i++)
        lower_symbol(u->lower, u->symbols.at[i].name);
}

bool unit_run(struct dcl_session *s, const struct program *p, const struct actual *at, bool writes,
              struct data **data, int64_t (*dims)[EVAL_MAX_RANK], struct span span) {
    uint32_t n = p->graph->results.n;
    int64_t *symbols = ARENA_ARRAY(s->unit.arena, int64_t, p->nsymbols);
    void **results = ARENA_ARRAY(s->unit.arena, void *, n);
    if (!program_bind(s, p, at, symbols, span))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        size_t bytes;
        if (p->found[k])
            continue;
        if (!program_result(s, p, k, symbols, dims[k], &bytes) ||
            !(data[k] = data_new(s, bytes, "a result", span)))
            return false;
        results[k] = data[k]->bytes;
    }
    s->unit.acted = s->unit.acted || writes;
    if (!program_run(s, p, at, symbols, results, span))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        size_t bytes;
        if (!p->found[k])
            continue;
        const void *memory = program_found(s, p, k, dims[k], &bytes);
        if (!(data[k] = data_new(s, bytes, "a result", span)))
            return false;
        memcpy(data[k]->bytes, memory, bytes);
    }
    rt_results_free(s->rt);
    return true;
}

struct actual *unit_program(struct dcl_session *s, uint32_t n, const struct value *v,
                            struct program *p) {
    return make_program(s, n, v, p) ? bind_actuals(s, s->unit.arena, p) : NULL;
}

/* Runs the graph so far; the last N results are V. */
static bool run_unit(struct dcl_session *s, uint32_t n, const struct value *v, struct data **data,
                     int64_t (*dims)[EVAL_MAX_RANK]) {
    struct unit *u = &s->unit;
    struct program p;
    struct actual *at = session_stopped(s) ? NULL : unit_program(s, n, v, &p);
    if (!at)
        return false;
    uint32_t all = p.graph->results.n, before = all - n;
    struct data **every = ARENA_ARRAY(u->arena, struct data *, all);
    int64_t(*shapes)[EVAL_MAX_RANK] = arena_alloc(u->arena, all * sizeof *shapes);
    bool writes = written_by(u->arena, p.graph).any;
    if (!unit_run(s, &p, at, writes, every, shapes, u->span))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        data[k] = every[before + k];
        memcpy(dims[k], shapes[before + k], sizeof *shapes);
    }
    recall_note(s, &p, n, data);
    if (writes)
        go_on(s);
    return true;
}

/* N values V, which need a run. */
static bool results(struct dcl_session *s, uint32_t n, struct value *v) {
    if (s->unit.ref)
        return reference_results(s, n, v);
    struct data **data = ARENA_ARRAY(s->unit.arena, struct data *, n);
    int64_t(*dims)[EVAL_MAX_RANK] = arena_alloc(s->unit.arena, n * sizeof *dims);
    uint32_t *ranks = ARENA_ARRAY(s->unit.arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = v[i].kind == VAL_TENSOR ? v[i].tensor->rank : 0;
    if (!run_unit(s, n, v, data, dims))
        return false;
    for (uint32_t i = 0; i < n; i++)
        v[i] = settle(s, &v[i], ranks[i], dims[i], data[i]);
    return true;
}

bool unit_results(struct dcl_session *s, uint32_t n, struct value *v) {
    struct unit *u = &s->unit;
    uint32_t watched = u->watched.n, k = n;
    if (!watched)
        return results(s, n, v);
    const struct watched *at = u->watched.at;
    struct value *all = ARENA_ARRAY(u->arena, struct value, n + watched);
    for (uint32_t i = 0; i < n; i++)
        all[i] = v[i];
    for (uint32_t i = 0; i < watched; i++)
        if (watch_needs_run(&at[i]))
            all[k++] = at[i].value;
    memset(&u->watched, 0, sizeof u->watched);
    if (k && !results(s, k, all))
        return false;
    for (uint32_t i = 0; i < n; i++)
        v[i] = all[i];
    watch_print(s, watched, at, all + n);
    return true;
}

bool unit_writes(struct dcl_session *s) {
    if (!s->unit.lower)
        return false; /* the reference has written already */
    struct graph *g = lower_finish(s->unit.lower, 0, NULL, NULL, NULL);
    return g && written_by(s->unit.arena, g).any;
}

bool unit_effects(struct dcl_session *s) {
    return watch_settle(s) && (!unit_writes(s) || run_unit(s, 0, NULL, NULL, NULL));
}
