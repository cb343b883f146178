/* Calls of functions with the caller's memory. */
#include "session/call.h"

#include <string.h>

_Static_assert((int)DCL_F32 == DT_f32 && (int)DCL_F64 == DT_f64 && (int)DCL_I32 == DT_i32 &&
                   (int)DCL_I64 == DT_i64 && (int)DCL_BOOL == DT_bool && (int)DCL_I8 == DT_i8 &&
                   (int)DCL_I16 == DT_i16 && (int)DCL_U8 == DT_u8 && (int)DCL_U16 == DT_u16 &&
                   (int)DCL_U32 == DT_u32 && (int)DCL_U64 == DT_u64 && (int)DCL_F16 == DT_f16 &&
                   (int)DCL_BF16 == DT_bf16 && DCL_BF16 + 1 == DT_COUNT,
               "the element types of dcl.h are those of dtype.def");

struct call {
    struct dcl_function *f;
    const dcl_tensor *args;
    int nargs;
    const dcl_tensor *results; /* a call: the caller's; NULL: shapes are asked for */
    int nresults;
    dcl_tensor *shapes; /* shapes that are asked for */
    int64_t (*dims)[16];
};

_Static_assert(EVAL_MAX_RANK <= 16, "dcl.h promises that 16 dimensions are enough");

static bool fail(struct call *c, const char *text) {
    struct dcl_session *s = c->f->session;
    diag_error(&s->diags, (struct span){0}, ERR_USAGE, text);
    return false;
}

static const char *printed(struct call *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *printed(struct call *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(c->f->session->messages, format, args);
    va_end(args);
    return text;
}

/* --- the caller's tensors ------------------------------------------------------------------- */

static int64_t element_count(const dcl_tensor *t) {
    int64_t n = 1;
    for (int32_t d = 0; d < t->rank; d++)
        n *= t->shape[d];
    return n;
}

static bool check_tensor(struct call *c, const dcl_tensor *t, const char *what, int i) {
    if (t->dtype < 0 || t->dtype >= DT_COUNT)
        return fail(c, printed(c, "%s %d has no element type of enum dcl_dtype", what, i));
    if (t->rank < 0 || t->rank > EVAL_MAX_RANK)
        return fail(c, printed(c, "%s %d has %d dimensions", what, i, t->rank));
    int64_t n = dtypes[t->dtype].bytes;
    for (int32_t d = 0; d < t->rank; d++)
        if (t->shape[d] < 0 || __builtin_mul_overflow(n, t->shape[d], &n))
            return fail(c, printed(c, "%s %d has an impossible shape", what, i));
    return true;
}

static bool is_dense(const dcl_tensor *t) {
    int64_t expected = 1;
    if ((uintptr_t)t->data % dtypes[t->dtype].bytes)
        return false; /* kernels want elements aligned */
    for (int32_t d = t->rank; t->strides && d-- > 0;) {
        if (t->shape[d] != 1 && t->strides[d] != expected)
            return false;
        expected *= t->shape[d];
    }
    return true;
}

/* Copies between a strided tensor and DENSE memory. */
static void move_elements(const dcl_tensor *t, char *dense, bool gather) {
    size_t size = dtypes[t->dtype].bytes;
    int64_t n = element_count(t), index[EVAL_MAX_RANK] = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        if (t->strides) {
            at = 0;
            for (int32_t d = 0; d < t->rank; d++)
                at += index[d] * t->strides[d];
        }
        char *here = (char *)t->data + at * (int64_t)size;
        if (gather)
            memcpy(dense, here, size);
        else
            memcpy(here, dense, size);
        dense += size;
        for (int32_t d = t->rank; d-- > 0;) {
            if (++index[d] < t->shape[d])
                break;
            index[d] = 0;
        }
    }
}

static bool has_memory(struct call *c, const dcl_tensor *t) {
    int64_t n = element_count(t);
    return t->data || n == 0 ||
           fail(c, printed(c, "a tensor of %lld elements has no memory", (long long)n));
}

/* Memory that kernels can use for T: its own, or a dense copy. */
static void *dense_memory(struct call *c, const dcl_tensor *t, bool gather) {
    static const int64_t nothing[1]; /* for an empty tensor, whose data may be NULL */
    int64_t n = element_count(t);
    if (n == 0)
        return t->data ? t->data : (void *)(uintptr_t)nothing;
    if (!has_memory(c, t))
        return NULL;
    if (is_dense(t))
        return t->data;
    size_t bytes = (size_t)n * dtypes[t->dtype].bytes;
    struct data *d = data_new(c->f->session, bytes, "a dense copy", (struct span){0});
    if (!d)
        return NULL;
    if (gather)
        move_elements(t, d->bytes, true);
    return d->bytes;
}

/* The bytes from *LO to *HI that T may touch. */
static void extent(const dcl_tensor *t, uintptr_t *lo, uintptr_t *hi) {
    int64_t size = dtypes[t->dtype].bytes, least = 0, most = 0, dense = 1;
    *lo = *hi = (uintptr_t)t->data;
    if (element_count(t) == 0)
        return;
    for (int32_t d = t->rank; d-- > 0;) {
        int64_t reach = (t->strides ? t->strides[d] : dense) * (t->shape[d] - 1);
        dense *= t->shape[d];
        if (reach < 0)
            least += reach;
        else
            most += reach;
    }
    *lo += (uintptr_t)(least * size);
    *hi += (uintptr_t)((most + 1) * size);
}

static bool overlap(const dcl_tensor *x, const dcl_tensor *y) {
    uintptr_t xlo, xhi, ylo, yhi;
    extent(x, &xlo, &xhi);
    extent(y, &ylo, &yhi);
    return xlo < yhi && ylo < xhi;
}

/* What is written overlaps nothing else. */
static bool check_overlap(struct call *c) {
    struct dcl_function *f = c->f;
    for (int i = 0; i < c->nargs; i++)
        for (int k = 0; k < c->nargs; k++)
            if (i != k && f->params[i].inout && overlap(&c->args[i], &c->args[k]))
                return fail(c, printed(c, "%s: %s is inout and overlaps %s",
                                       name_text(f->session->names, f->def->name),
                                       name_text(f->session->names, f->params[i].name),
                                       name_text(f->session->names, f->params[k].name)));
    for (int r = 0; r < c->nresults; r++) {
        for (int k = 0; k < c->nargs; k++)
            if (overlap(&c->results[r], &c->args[k]))
                return fail(c, printed(c, "%s: result %d overlaps the argument %s",
                                       name_text(f->session->names, f->def->name), r,
                                       name_text(f->session->names, f->params[k].name)));
        for (int k = 0; k < r; k++)
            if (overlap(&c->results[r], &c->results[k]))
                return fail(c, printed(c, "result %d overlaps result %d", r, k));
    }
    return true;
}

/* The first static parameter of F that has no value yet, NULL if there is none. */
static const char *next_static(const struct dcl_function *f) {
    const struct ast *params = f->def->kids[0];
    for (uint32_t i = 0; i < params->nkids; i++) {
        bool known = false;
        for (uint32_t k = 0; k < f->nparams; k++)
            known = known || name_eq(f->params[k].name, params->kids[i]->name);
        for (uint32_t k = 0; k < f->statics.list->n; k++)
            known = known || name_eq(f->static_names[k], params->kids[i]->name);
        if (!known)
            return name_text(f->session->names, params->kids[i]->name);
    }
    return NULL;
}

static bool check_call(struct call *c) {
    struct dcl_function *f = c->f;
    if (!function_resolve(f))
        return false;
    const char *name = name_text(f->session->names, f->def->name);
    if (c->nargs < 0 || (uint32_t)c->nargs > f->nparams ||
        (f->given && (uint32_t)c->nargs != f->nparams)) {
        struct diag *d = diag_error(
            &f->session->diags, (struct span){0}, ERR_ARG_COUNT, name,
            printed(c, "%u argument%s", f->nparams, f->nparams == 1 ? "" : "s"), c->nargs);
        const char *given = c->nargs > 0 && (uint32_t)c->nargs > f->nparams ? next_static(f) : NULL;
        if (given)
            diag_help(&f->session->diags, d, "%s is static: it is given by name, as in %s(%s = 2)",
                      given, name, given);
        return false;
    }
    for (int i = 0; i < c->nargs; i++) {
        if (!check_tensor(c, &c->args[i], "argument", i))
            return false;
        const struct parameter *p = &f->params[i];
        if (p->integer && (c->args[i].dtype != DT_i64 || c->args[i].rank))
            return fail(c, printed(c, "%s: %s is an i64 without dimensions", name,
                                   name_text(f->session->names, p->name)));
    }
    if (!c->results)
        return true;
    if (c->nresults != dcl_result_count(f))
        return fail(c, printed(c, "%s has %d results, memory for %d given", name,
                               dcl_result_count(f), c->nresults));
    for (int i = 0; i < c->nresults; i++)
        if (!check_tensor(c, &c->results[i], "result", i) || !has_memory(c, &c->results[i]))
            return false;
    for (int i = 0; i < c->nargs; i++)
        if (!has_memory(c, &c->args[i]))
            return false;
    return check_overlap(c);
}

/* --- results -------------------------------------------------------------------------------- */

static void tell_shape(struct call *c, uint32_t k, enum dtype t, uint32_t rank,
                       const int64_t *dims) {
    for (uint32_t d = 0; d < rank; d++)
        c->dims[k][d] = dims[d];
    c->shapes[k] = (dcl_tensor){.dtype = (int32_t)t, .rank = (int32_t)rank, .shape = c->dims[k]};
}

static void put_type(struct buf *out, enum dtype t, uint32_t rank, const int64_t *dims) {
    buf_printf(out, "%s[", dtypes[t].name);
    for (uint32_t d = 0; d < rank; d++)
        buf_printf(out, "%s%lld", d ? ", " : "", (long long)dims[d]);
    buf_text(out, "]");
}

static bool check_result(struct call *c, uint32_t k, enum dtype t, uint32_t rank,
                         const int64_t *dims) {
    const dcl_tensor *r = &c->results[k];
    bool fits = r->dtype == (int32_t)t && r->rank == (int32_t)rank;
    for (uint32_t d = 0; fits && d < rank; d++)
        fits = r->shape[d] == dims[d];
    if (fits)
        return true;
    struct buf text = buf_new(c->f->session->messages);
    put_type(&text, t, rank, dims);
    buf_text(&text, ", not ");
    put_type(&text, (enum dtype)r->dtype, (uint32_t)r->rank, r->shape);
    return fail(c, printed(c, "the memory of result %u does not fit: it is %s", k, text.at));
}

/* --- compiled ------------------------------------------------------------------------------- */

static struct actual *bind_actuals(struct call *c, const struct variant *v, void *const *memory) {
    struct arena *a = c->f->session->messages;
    const struct graph *g = v->program.graph;
    struct actual *at = ARENA_ARRAY(a, struct actual, g->params.n);
    for (uint32_t i = 0; i < g->params.n; i++) {
        const struct origin *from = &v->program.origins[i];
        switch (from->kind) {
        case ORIGIN_ARGUMENT:
            at[i].bytes = memory[from->argument];
            at[i].dims = c->args[from->argument].shape;
            if (g->params.at[i].is_symbol)
                memcpy(&at[i].value, at[i].bytes, sizeof at[i].value);
            break;
        case ORIGIN_STATE:
            at[i].bytes = state_data(from->state)->bytes;
            at[i].dims = from->state->stored;
            break;
        case ORIGIN_IMPORT: {
            const struct container *x = graph_cont(g, g->params.at[i].cont);
            int64_t *dims = ARENA_ARRAY(a, int64_t, x->rank);
            for (uint32_t d = 0; d < x->rank; d++)
                sym_is_const(g->syms, x->dims[d], &dims[d]);
            at[i].bytes = v->imports[i]->bytes;
            at[i].dims = dims;
            break;
        }
        }
    }
    return at;
}

/* What a run writes for its shapes alone is a copy. */
static void copy_written(struct call *c, const struct graph *g, struct actual *at) {
    for (uint32_t i = 0; i < g->params.n; i++) {
        const struct container *x = graph_cont(g, g->params.at[i].cont);
        size_t bytes = dtypes[x->dtype].bytes;
        if (g->params.at[i].is_symbol || x->role != ROLE_INOUT)
            continue;
        for (uint32_t d = 0; d < x->rank; d++)
            bytes *= (size_t)at[i].dims[d];
        char *copy = arena_alloc(c->f->session->messages, bytes + 64);
        copy += -(uintptr_t)copy % 64;
        memcpy(copy, at[i].bytes, bytes);
        at[i].bytes = copy;
    }
}

static bool check_given(struct call *c) {
    struct dcl_function *f = c->f;
    for (int i = 0; f->given && i < c->nargs; i++) {
        const struct ast *type = f->params[i].type;
        const char *want = name_text(f->session->names, type->name);
        if (c->args[i].rank != (int32_t)type->nkids || c->args[i].dtype != (int32_t)dtype_of(want))
            return fail(c, printed(c, "%s: %s is %s with %u dimensions, not %s with %d",
                                   name_text(f->session->names, f->def->name),
                                   name_text(f->session->names, f->params[i].name), want,
                                   type->nkids, dtypes[c->args[i].dtype].name, c->args[i].rank));
    }
    return true;
}

static bool finds_sizes(const struct program *p) {
    bool any = false;
    for (uint32_t k = 0; k < p->graph->results.n; k++)
        any = any || p->found[k];
    return any;
}

/* The dense memory of the arguments, of those that are needed. */
static bool argument_memory(struct call *c, bool all, void **memory) {
    for (int i = 0; i < c->nargs; i++) {
        bool wanted = all || c->f->params[i].integer;
        if (wanted && !has_memory(c, &c->args[i]))
            return false;
        memory[i] = wanted ? dense_memory(c, &c->args[i], true) : NULL;
        if (wanted && !memory[i])
            return false;
    }
    return true;
}

/* Shapes and memory of the results whose sizes are known before the run. ROOM: they need memory
   though only shapes are asked for. */
static bool prepare_results(struct call *c, const struct program *p, const int64_t *symbols,
                            bool room, void **results) {
    struct dcl_session *s = c->f->session;
    for (uint32_t k = 0; k < p->graph->results.n; k++) {
        const struct container *x = graph_cont(p->graph, p->graph->results.at[k]);
        int64_t dims[EVAL_MAX_RANK];
        size_t bytes;
        if (p->found[k])
            continue;
        if (!program_result(s, p, k, symbols, dims, &bytes))
            return false;
        if (!c->shapes) {
            if (!check_result(c, k, x->dtype, x->rank, dims) ||
                !(results[k] = dense_memory(c, &c->results[k], false)))
                return false;
            continue;
        }
        tell_shape(c, k, x->dtype, x->rank, dims);
        if (!room)
            continue;
        struct data *d = data_new(s, bytes, "a result", (struct span){0});
        if (!d)
            return false;
        results[k] = d->bytes;
    }
    return true;
}

/* Shapes, and the content, of the results whose sizes the run has found. */
static bool take_found(struct call *c, const struct program *p) {
    struct dcl_session *s = c->f->session;
    for (uint32_t k = 0; k < p->graph->results.n; k++) {
        const struct container *x = graph_cont(p->graph, p->graph->results.at[k]);
        int64_t dims[EVAL_MAX_RANK];
        size_t bytes;
        if (!p->found[k])
            continue;
        const void *memory = program_found(s, p, k, dims, &bytes);
        if (c->shapes)
            tell_shape(c, k, x->dtype, x->rank, dims);
        else if (!check_result(c, k, x->dtype, x->rank, dims))
            return false;
        else if (bytes)
            move_elements(&c->results[k], (char *)(uintptr_t)memory, false);
    }
    rt_results_free(s->rt);
    return true;
}

static bool run_compiled(struct call *c) {
    struct dcl_session *s = c->f->session;
    struct shape_of *shapes = ARENA_ARRAY(s->messages, struct shape_of, c->nargs);
    void **memory = ARENA_ARRAY(s->messages, void *, c->nargs + 1);
    for (int i = 0; i < c->nargs; i++) {
        const dcl_tensor *t = &c->args[i];
        shapes[i] = (struct shape_of){(enum dtype)t->dtype, (uint32_t)t->rank, t->shape};
    }
    struct variant *v = check_given(c) ? variant_for(c->f, (uint32_t)c->nargs, shapes) : NULL;
    if (!v)
        return false;
    const struct program *p = &v->program;
    bool finds = finds_sizes(p), runs = !c->shapes || finds;
    if (!argument_memory(c, runs, memory))
        return false;
    struct actual *at = bind_actuals(c, v, memory);
    int64_t *symbols = ARENA_ARRAY(s->messages, int64_t, p->nsymbols);
    uint32_t n = p->graph->results.n;
    void **results = ARENA_ARRAY(s->messages, void *, n);
    if (!program_bind(s, p, at, symbols, (struct span){0}) ||
        !prepare_results(c, p, symbols, runs, results))
        return false;
    if (!runs)
        return true;
    if (c->shapes)
        copy_written(c, p->graph, at);
    if (!program_run(s, p, at, symbols, results, (struct span){0}) || !take_found(c, p))
        return false;
    if (c->shapes)
        return true;
    for (int i = 0; i < c->nargs; i++)
        if (c->f->params[i].inout && memory[i] != c->args[i].data && element_count(&c->args[i]))
            move_elements(&c->args[i], memory[i], false);
    for (uint32_t k = 0; k < n; k++)
        if (!p->found[k] && results[k] != c->results[k].data && element_count(&c->results[k]))
            move_elements(&c->results[k], results[k], false);
    return true;
}

/* --- the reference -------------------------------------------------------------------------- */

/* Static numbers and truth values as results. */
static struct value as_scalar(const struct value *v) {
    struct value x = {.kind = VAL_SCALAR, .dtype = v->dtype};
    switch (v->kind) {
    case VAL_INT:
        x.dtype = DT_i64;
        x.scalar.i64 = v->i;
        return x;
    case VAL_FLOAT:
        x.dtype = DT_f32;
        x.scalar.f32 = (float)v->f;
        return x;
    case VAL_BOOL:
        x.dtype = DT_bool;
        x.scalar.b = v->b;
        return x;
    default: return *v;
    }
}

/* Runs F on the reference. When only shapes are wanted, it writes to copies. */
static bool run_reference(struct call *c) {
    struct dcl_session *s = c->f->session;
    struct dcl_function *f = c->f;
    unit_begin(s, f->def->name, (struct span){0}, false);
    struct value *args = ARENA_ARRAY(s->unit.arena, struct value, c->nargs), result;
    void **memory = ARENA_ARRAY(s->unit.arena, void *, c->nargs);
    for (int i = 0; i < c->nargs; i++) {
        dcl_tensor t = c->args[i];
        const struct parameter *p = &f->params[i];
        if (!(memory[i] = dense_memory(c, &t, true)))
            return false;
        if (c->shapes && p->inout && memory[i] == t.data)
            memory[i] = arena_copy(s->unit.arena, t.data,
                                   (size_t)element_count(&t) * dtypes[t.dtype].bytes);
        args[i] = p->integer ? value_int(*(int64_t *)memory[i])
                             : ref_tensor(s->unit.ref, p->name, (enum dtype)t.dtype,
                                          (uint32_t)t.rank, t.shape, memory[i], p->inout);
    }
    struct function_args all = function_arguments(f, s->unit.arena, (uint32_t)c->nargs, args);
    if (!eval_call(s->unit.ev, &f->value, all.n, all.at, all.keywords, (struct span){0}, &result))
        return false;
    uint32_t n = fn_result_count(f->def);
    for (uint32_t k = 0; k < n; k++) {
        struct value v = as_scalar(n == 1 ? &result : &result.list->at[k]);
        enum dtype t;
        uint32_t rank;
        int64_t dims[EVAL_MAX_RANK];
        const void *bytes = ref_bytes(s->unit.ref, &v, &t, &rank, dims);
        if (!bytes)
            return false;
        if (c->shapes)
            tell_shape(c, k, t, rank, dims);
        else if (!check_result(c, k, t, rank, dims))
            return false;
        else if (element_count(&c->results[k]))
            move_elements(&c->results[k], (char *)(uintptr_t)bytes, false);
    }
    for (int i = 0; !c->shapes && i < c->nargs; i++)
        if (f->params[i].inout && memory[i] != c->args[i].data && element_count(&c->args[i]))
            move_elements(&c->args[i], memory[i], false);
    return true;
}

/* --- the face ------------------------------------------------------------------------------- */

static bool run(struct dcl_session *s, void *data) {
    struct call *c = data;
    bool ok =
        check_call(c) && (s->options.backend == BACKEND_REF ? run_reference(c) : run_compiled(c));
    unit_end(s);
    store_collect(s, false); /* dense copies */
    return ok;
}

int dcl_result_shapes(dcl_function *f, const dcl_tensor *args, int nargs, dcl_tensor *results,
                      int64_t (*shapes)[16]) {
    struct call c = {.f = f, .args = args, .nargs = nargs, .shapes = results, .dims = shapes};
    return session_guard(f->session, run, &c);
}

int dcl_call(dcl_function *f, const dcl_tensor *args, int nargs, const dcl_tensor *results,
             int nresults) {
    struct call c = {
        .f = f, .args = args, .nargs = nargs, .results = results, .nresults = nresults};
    return session_guard(f->session, run, &c);
}
