/* Which subscript of a compiled program was outside, in the user's terms. The kernel names the
   memlet and one index; but it may have tested it ahead of a whole map, at the far end of a range.
   What the user is told is the first iteration, in the order of the indices, in which the memlet,
   or another one of the same body, is outside: as where the program runs one step after the other.
   It is found by going through the indices that matter, as long as these are not too many. */
#include "session/state.h"

#include "lang/eval/site.h"

enum { STEPS_MOST = 1 << 20 };

struct search {
    const struct program *program;
    const int64_t *symbols;
    const struct graph_site *site;
    const struct site_level *levels[EVAL_MAX_RANK * 4]; /* those that matter, the outermost first */
    int64_t index[EVAL_MAX_RANK * 4];
    uint32_t n;
    uint32_t left;           /* steps that the search may take */
    bool unknown;            /* something hangs on what the run has computed */
    struct rt_failure found; /* SITE not 0: it has been found */
};

static bool value_of(void *data, struct name n, int64_t *v) {
    const struct search *k = data;
    for (uint32_t i = k->n; i-- > 0;)
        if (name_eq(k->levels[i]->index.name, n)) {
            *v = k->index[i];
            return true;
        }
    return program_symbol(k->program, k->symbols, n, v);
}

static bool eval(struct search *k, struct sym x, int64_t *v) {
    bool known = sym_eval(k->program->graph->syms, x, value_of, k, v);
    k->unknown = k->unknown || !known;
    return known;
}

static bool uses(const struct search *k, struct name n) {
    struct sym_ctx *c = k->program->graph->syms;
    for (uint32_t d = 0; d < k->site->rank; d++)
        if (sym_contains(c, k->site->at[d], n) || sym_contains(c, k->site->dims[d], n))
            return true;
    for (uint32_t i = 0; i < k->n; i++)
        if (sym_contains(c, k->levels[i]->index.lo, n) ||
            sym_contains(c, k->levels[i]->index.hi, n) ||
            sym_contains(c, k->levels[i]->index.step, n))
            return true;
    return false;
}

/* Whether a subscript is outside in the present iteration. */
static bool is_outside(struct search *k) {
    for (uint32_t d = 0; d < k->site->rank; d++) {
        int64_t at, size;
        if (!eval(k, k->site->at[d], &at) || !eval(k, k->site->dims[d], &size))
            return false;
        if (at < 0 || at >= size) {
            k->found = (struct rt_failure){.a = at, .b = size, .dim = d, .site = 1};
            return true;
        }
    }
    return false;
}

/* At the innermost index X, from LO: to the first iteration below HI that is outside, or to HI.
   What is not linear in X keeps LO. */
static int64_t jump(struct search *k, const struct index *x, int64_t lo, int64_t hi, int64_t step) {
    struct sym_ctx *c = k->program->graph->syms;
    int64_t first = (hi - lo + step - 1) / step; /* iterations to pass over */
    for (uint32_t d = 0; d < k->site->rank; d++) {
        struct sym factor, rest;
        int64_t by, at, size, n = first;
        if (!sym_contains(c, k->site->at[d], x->name))
            continue;
        if (sym_contains(c, k->site->dims[d], x->name) ||
            !sym_linear(c, k->site->at[d], x->name, &factor, &rest) || !eval(k, factor, &by) ||
            !eval(k, k->site->at[d], &at) || !eval(k, k->site->dims[d], &size) ||
            __builtin_mul_overflow(by, step, &by) || by == INT64_MIN)
            return lo;
        if (by > 0)
            n = size <= at ? 0 : (size - 1 - at) / by + 1;
        else if (by < 0)
            n = at / -by + 1;
        first = n < first ? n : first;
    }
    int64_t to;
    return __builtin_mul_overflow(first, step, &to) || __builtin_add_overflow(lo, to, &to) ? lo
                                                                                           : to;
}

static bool first_from(struct search *k, uint32_t i) {
    int64_t lo, hi, step;
    k->unknown = k->unknown || !k->left;
    if (k->unknown)
        return false;
    k->left--;
    if (i == k->n)
        return is_outside(k);
    const struct index *x = &k->levels[i]->index;
    if (!eval(k, x->lo, &lo) || !eval(k, x->hi, &hi) || !eval(k, x->step, &step) || step <= 0)
        return false;
    bool inside = false; /* the first iteration is */
    for (k->index[i] = lo; k->index[i] < hi;) {
        if (first_from(k, i + 1))
            return true;
        if (k->unknown || __builtin_add_overflow(k->index[i], step, &k->index[i]))
            return false;
        if (!inside && i + 1 == k->n && k->index[i] < hi && hi - k->index[i] > 0)
            k->index[i] = jump(k, x, k->index[i], hi, step);
        inside = true;
    }
    return false;
}

/* The first iteration in which the site at X is outside. */
static bool first_outside(struct search *k, const struct graph_site *x) {
    const struct site_level *all[sizeof k->levels / sizeof *k->levels];
    uint32_t n = 0;
    k->site = x;
    k->n = 0;
    k->unknown = false;
    for (const struct site_level *l = x->level; l; l = l->outer) {
        if (n == sizeof all / sizeof *all)
            return false;
        all[n++] = l;
    }
    for (uint32_t i = 0; i < n; i++) /* from the innermost: bounds hang on those outside */
        if (uses(k, all[i]->index.name))
            k->levels[k->n++] = all[i];
    for (uint32_t i = 0; i < k->n / 2; i++) {
        const struct site_level *l = k->levels[i];
        k->levels[i] = k->levels[k->n - 1 - i];
        k->levels[k->n - 1 - i] = l;
    }
    return first_from(k, 0) && !k->unknown;
}

/* The index of L in the iteration that K has found: the first, if it does not matter. */
static bool index_of(struct search *k, const struct site_level *l, int64_t *v) {
    for (uint32_t i = 0; i < k->n; i++)
        if (k->levels[i] == l) {
            *v = k->index[i];
            return true;
        }
    return eval(k, l->index.lo, v);
}

/* Whether the iteration that K has found comes before that of FIRST, from level L inwards; 0: they
   are one. */
static int order(struct search *k, struct search *first, const struct site_level *l) {
    int64_t a, b;
    int outer = l ? order(k, first, l->outer) : 0;
    if (!l || outer)
        return outer;
    if (!index_of(k, l, &a) || !index_of(first, l, &b))
        return 0;
    return (a < b) - (a > b);
}

/* FIRST, or the memlet of the same body that was outside before it. */
static struct search earliest(struct search first) {
    const struct graph *g = first.program->graph;
    uint32_t left = STEPS_MOST;
    for (uint32_t i = 1; i < g->sites.n; i++) {
        const struct graph_site *x = &g->sites.at[i];
        struct search k = {.program = first.program, .symbols = first.symbols, .left = left};
        if (!x->always || x->level != first.site->level || x == first.site)
            continue;
        bool found = first_outside(&k, x);
        left = k.left;
        int before = found ? order(&k, &first, x->level) : -1;
        if (before > 0 || (before == 0 && x < first.site))
            first = k;
    }
    return first;
}

bool outside_tell(struct dcl_session *s, const struct program *p, const int64_t *symbols) {
    const struct graph *g = p->graph;
    const struct rt_failure *f = rt_failed(s->rt);
    if (!f || f->site <= 0 || f->site >= g->sites.n)
        return false;
    struct rt_failure told = *f;
    const struct graph_site *x = &g->sites.at[f->site];
    struct search first = {.program = p, .symbols = symbols, .left = STEPS_MOST};
    if (x->always && first_outside(&first, x)) {
        first = earliest(first);
        told = first.found;
        x = first.site;
    }
    struct site where = {.span = x->span, .tensor = x->name};
    if (x->where)
        where = *x->where;
    struct diag *d = site_outside(&s->diags, s->names, &where, told.a, (uint32_t)told.dim,
                                  arena_printf(s->messages, "%lld", (long long)told.b));
    note_calls(&s->diags, s->names, d, where.calls);
    return true;
}
