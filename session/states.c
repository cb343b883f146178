/* The memory of a layer's states: made when an instance is made, started by an initialiser of
   initializer.def, by a value, or by a function of the language that takes a shape and an element
   type. Random starts are a function of the seed, the order of instances, and the element. */
#include "session/state.h"

#include <math.h>
#include <string.h>

enum initializer {
#define INITIALIZER(name, arguments, doc) INIT_##name,
#include "session/initializer.def"
#undef INITIALIZER
    INIT_COUNT
};

static const struct {
    const char *name;
    uint32_t arguments;
} initializers[INIT_COUNT] = {
#define INITIALIZER(name, arguments, doc) [INIT_##name] = {#name, arguments},
#include "session/initializer.def"
#undef INITIALIZER
};

static enum initializer find(const struct dcl_session *s, struct name n) {
    const char *text = name_text(s->names, n);
    int i = 0;
    while (i < INIT_COUNT && strcmp(initializers[i].name, text) != 0)
        i++;
    return (enum initializer)i;
}

bool states_is_initializer(const struct dcl_session *s, struct name n) {
    return find(s, n) != INIT_COUNT;
}

void states_each_initializer(void (*f)(void *data, const char *name), void *data) {
    for (int i = 0; i < INIT_COUNT; i++)
        f(data, initializers[i].name);
}

/* `~ uniform(0.1)`: the call gives a pair, the initialiser and its argument. */
bool states_initializer(struct dcl_session *s, struct name n, uint32_t nargs,
                        const struct value *args, struct span span, struct value *out) {
    enum initializer i = find(s, n);
    bool count = nargs == initializers[i].arguments;
    if (!count || (nargs && args[0].kind != VAL_FLOAT && args[0].kind != VAL_INT)) {
        struct diag *d =
            count
                ? diag_error(&s->diags, span, ERR_ARG_KIND, initializers[i].name, "the argument",
                             "a number", value_kind_name(&args[0]))
                : diag_error(&s->diags, span, ERR_ARG_COUNT, initializers[i].name,
                             initializers[i].arguments ? "one number" : "no arguments", (int)nargs);
        diag_help(
            &s->diags, d,
            "it starts the params of layers; a tensor of numbers is declared: x: f32[2, 3] = 0");
        return false;
    }
    *out = value_list_new(s->unit.arena, VAL_LIST, 1 + nargs);
    out->tuple = true;
    out->list->at[0] = (struct value){.kind = VAL_BUILTIN, .dtype = DT_NONE, .str = n};
    if (nargs)
        out->list->at[1] = args[0];
    return true;
}

static int64_t elements(const struct state *st) {
    int64_t n = 1;
    for (uint32_t d = 0; d < st->rank; d++)
        n *= st->dims[d];
    return n;
}

/* Where element I of ST lies in the memory AT. */
static char *place(const struct state *st, void *at, int64_t i) {
    int64_t index[EVAL_MAX_RANK], o = 0;
    if (!st->layout)
        return (char *)at + (size_t)i * dtypes[st->dtype].bytes;
    for (uint32_t d = st->rank; d-- > 0; i /= st->dims[d])
        index[d] = i % st->dims[d];
    for (uint32_t k = 0; k < st->layout->n; k++) {
        const struct layout_part *p = &st->layout->part[k];
        int64_t part = index[p->dim] / p->divisor;
        o = o * st->stored[k] + (p->modulus ? part % p->modulus : part);
    }
    return (char *)at + (size_t)o * dtypes[st->dtype].bytes;
}

struct data *state_as_shape(struct dcl_session *s, const struct state *st, struct span span) {
    struct data *from = state_data(st);
    size_t size = dtypes[st->dtype].bytes;
    if (!st->layout)
        return from;
    struct data *to = data_new(s, (size_t)elements(st) * size, name_text(s->names, st->path), span);
    for (int64_t i = 0, n = elements(st); to && i < n; i++)
        memcpy((char *)to->bytes + (size_t)i * size, place(st, from->bytes, i), size);
    return to;
}

struct data *state_as_stored(struct dcl_session *s, const struct state *st, struct data *from,
                             struct span span) {
    size_t size = dtypes[st->dtype].bytes, bytes = size;
    if (!st->layout)
        return from;
    for (uint32_t k = 0; k < st->nstored; k++)
        bytes *= (size_t)st->stored[k];
    struct data *to = data_new(s, bytes, name_text(s->names, st->path), span);
    for (int64_t i = 0, n = elements(st); to && i < n; i++)
        memcpy(place(st, to->bytes, i), (char *)from->bytes + (size_t)i * size, size);
    return to;
}

static void fill(const struct state *st, struct data *to, union scalar v) {
    for (int64_t i = 0, n = elements(st); i < n; i++)
        scalar_store(st->dtype, place(st, to->bytes, i), v);
}

/* A start is drawn when somebody looks: most states get theirs from a file. */
struct draws {
    struct random random;
    bool normal;
    double scale;
};
static const struct draws all_zeros;

static void fill_random(struct dcl_session *s, const struct state *st, struct data *to, bool normal,
                        double k) {
    struct draws *d = ARENA_NEW(s->arena, struct draws);
    *d = (struct draws){random_new(s->seed, st->id), normal, k};
    to->draws = d;
}

struct data *state_data(const struct state *st) {
    struct data *to = st->data;
    const struct draws *d = to->draws;
    if (!d)
        return to;
    if (d == &all_zeros) {
        memset(to->bytes, 0, to->size);
        to->draws = NULL;
        return to;
    }
    for (int64_t i = 0, n = elements(st); i < n; i++) {
        double x = d->normal ? d->scale * random_normal(&d->random, (uint64_t)i)
                             : d->scale * (2 * random_uniform(&d->random, (uint64_t)i) - 1);
        scalar_store(st->dtype, place(st, to->bytes, i), scalar_from_f64(st->dtype, x));
    }
    to->draws = NULL;
    return to;
}

/* Fan in: how many numbers one output sums; fan out: the reverse. */
static void fans(const struct state *st, double *in, double *out) {
    double field = 1;
    for (uint32_t d = 2; d < st->rank; d++)
        field *= (double)st->dims[d];
    double first = st->rank ? (double)st->dims[0] : 1;
    double second = st->rank > 1 ? (double)st->dims[1] : first;
    *in = fmax(1, field * second);
    *out = fmax(1, field * first);
}

static void initialize(struct dcl_session *s, const struct state *st, struct data *to,
                       enum initializer i, double k) {
    double in, out;
    fans(st, &in, &out);
    switch (i) {
    case INIT_zeros: break; /* memory is zeroed */
    case INIT_ones: fill(st, to, scalar_from_i64(st->dtype, 1)); break;
    case INIT_uniform: fill_random(s, st, to, false, k); break;
    case INIT_normal: fill_random(s, st, to, true, k); break;
    case INIT_kaiming_uniform: fill_random(s, st, to, false, sqrt(6 / in)); break;
    case INIT_kaiming_normal: fill_random(s, st, to, true, sqrt(2 / in)); break;
    case INIT_xavier_uniform: fill_random(s, st, to, false, sqrt(6 / (in + out))); break;
    case INIT_COUNT: break;
    }
}

/* A tensor of the state's shape and type is its start. */
static bool copy_tensor(struct dcl_session *s, const struct state *st, struct data *to,
                        struct value v, struct span span) {
    if (!store_keep(s, &v, span))
        return false;
    bool fits = v.kind == VAL_TENSOR && v.dtype == st->dtype && v.tensor->rank == st->rank;
    for (uint32_t d = 0; fits && d < st->rank; d++)
        fits = v.tensor->dims[d].i == st->dims[d];
    if (!fits) {
        diag_error(&s->diags, span, ERR_ARG_KIND, name_text(s->names, st->path), "its start",
                   "a number, an initialiser or a tensor of its shape and type",
                   v.kind == VAL_TENSOR ? type_text(s->unit.ev, v.tensor) : value_kind_name(&v));
        return false;
    }
    const struct data *stored = state_as_stored(s, st, tensor_data(v.tensor), span);
    if (stored)
        memcpy(to->bytes, stored->bytes, to->size);
    return stored;
}

/* A function that is given shape and element type. */
static bool call_function(struct dcl_session *s, const struct state *st, struct data *to,
                          const struct value *f, struct span span) {
    struct value args[2] = {value_list_new(s->unit.arena, VAL_LIST, st->rank),
                            value_dtype(st->dtype)};
    struct value v;
    for (uint32_t d = 0; d < st->rank; d++)
        args[0].list->at[d] = value_int(st->dims[d]);
    return eval_call(s->unit.ev, f, 2, args, NULL, span, &v) && copy_tensor(s, st, to, v, span);
}

static bool start(struct dcl_session *s, struct state *st, struct data *to,
                  const struct value *init, struct span span) {
    union scalar x;
    bool number = init->kind == VAL_INT || init->kind == VAL_FLOAT || init->kind == VAL_BOOL;
    if (number && !number_fits(s->unit.ev, st->dtype, init, name_text(s->names, st->path), span))
        return false;
    switch (init->kind) {
    case VAL_INT: fill(st, to, scalar_from_i64(st->dtype, init->i)); return true;
    case VAL_FLOAT: fill(st, to, scalar_from_f64(st->dtype, init->f)); return true;
    case VAL_BOOL:
        x.b = init->b;
        fill(st, to, scalar_cast(DT_bool, st->dtype, x));
        return true;
    case VAL_BUILTIN:
        if (!states_is_initializer(s, init->str))
            break;
        initialize(s, st, to, find(s, init->str), 1);
        return true;
    case VAL_LIST:
        if (init->list->n != 2 || init->list->at[0].kind != VAL_BUILTIN)
            break;
        initialize(s, st, to, find(s, init->list->at[0].str),
                   init->list->at[1].kind == VAL_INT ? (double)init->list->at[1].i
                                                     : init->list->at[1].f);
        return true;
    case VAL_FN: return call_function(s, st, to, init, span);
    default: break;
    }
    return copy_tensor(s, st, to, *init, span);
}

/* Whether the numbers that INIT (NULL: zeros) makes are drawn when somebody looks. */
static bool draws_later(const struct dcl_session *s, const struct value *init) {
    const struct value *v =
        init && init->kind == VAL_LIST && init->list->n ? &init->list->at[0] : init;
    if (v && v->kind != VAL_BUILTIN)
        return false;
    enum initializer i = v ? find(s, v->str) : INIT_zeros;
    return i != INIT_COUNT && i != INIT_ones;
}

bool states_new(void *session, struct state *st, const struct value *init, struct span span) {
    struct dcl_session *s = session;
    s->unit.recall = NULL;
    if (!s->unit.script) {
        diag_error(&s->diags, span, ERR_NOT_HERE,
                   "a layer with states is made by the script, not by a function");
        return false;
    }
    int64_t n = dtypes[st->dtype].bytes;
    bool fits = true;
    for (uint32_t k = 0; k < st->nstored; k++)
        fits = fits && !__builtin_mul_overflow(n, st->stored[k], &n) && n >= 0;
    if (!fits) {
        diag_error(&s->diags, span, ERR_NO_MEMORY, name_text(s->names, st->path));
        return false;
    }
    /* memory that is drawn or loaded later is not touched here */
    bool later = draws_later(s, init) && !st->layout; /* whose lanes are 0 */
    struct data *d =
        (later ? data_room : data_new)(s, (size_t)n, name_text(s->names, st->path), span);
    st->data = d;
    if (d && later)
        d->draws = &all_zeros;
    return d && (!init || start(s, st, d, init, span));
}

/* --- lists of states ------------------------------------------------------------------------ */

struct listing {
    struct dcl_session *s;
    struct arena *a;
    struct named_states *out;
    bool aside; /* instead: what stands aside */
};

static void list_value(const struct listing *l, const struct value *v, const char *prefix);

static const char *join(struct arena *a, const char *prefix, const char *name) {
    return *prefix ? arena_printf(a, "%s.%s", prefix, name) : name;
}

static void list_instance(const struct listing *l, const struct instance *x, const char *prefix) {
    for (uint32_t i = 0; l->aside && i < x->aside.n; i++) {
        const char *name = name_text(l->s->names, x->aside.at[i].name);
        struct named_state at = {join(l->a, prefix, name), x->aside.at[i].state};
        VEC_PUSH(l->a, l->out->at, at);
    }
    for (uint32_t i = 0; i < x->env->bindings.n; i++) {
        const struct binding *b = &x->env->bindings.at[i];
        list_value(l, &b->value, join(l->a, prefix, name_text(l->s->names, b->name)));
    }
}

static void list_value(const struct listing *l, const struct value *v, const char *prefix) {
    switch (v->kind) {
    case VAL_STATE:
        if (!l->aside && elements(v->state)) /* one without is an option that is not taken */
            VEC_PUSH(l->a, l->out->at, ((struct named_state){prefix, v->state}));
        break;
    case VAL_INSTANCE: list_instance(l, v->instance, prefix); break;
    case VAL_LIST:
        for (uint32_t i = 0; i < v->list->n; i++)
            list_value(l, &v->list->at[i], arena_printf(l->a, "%s.%u", prefix, i));
        break;
    default: break;
    }
}

void states_list(struct dcl_session *s, struct arena *a, const struct instance *x,
                 struct named_states *out) {
    *out = (struct named_states){0};
    list_instance(&(struct listing){s, a, out, false}, x, "");
}

void states_aside(struct dcl_session *s, struct arena *a, const struct instance *x,
                  struct named_states *out) {
    *out = (struct named_states){0};
    list_instance(&(struct listing){s, a, out, true}, x, "");
}
