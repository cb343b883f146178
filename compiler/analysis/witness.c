/* Showing that two iterations do conflict, by finding them near the beginning of the ranges.
   Each index is lo + step * a small number; indices inside are at their beginning. Subscripts must
   be linear in these numbers, with constant factors, and equal in everything else; then the search
   is in integers. A pair that is found counts if the ranges reach that far: proved, or because
   their lengths grow with sizes on which nothing is known (see `may_be_positive`). */
#include "compiler/analysis/internal.h"

#include <string.h>

enum { MAX_NUMBERS = 12, TRIES = 50000, FAR = 24 };

/* The numbers: of indices left of k (shared), then k and right of it for the first iteration, then
   for the second. */
struct search {
    struct test *t;
    uint32_t n, right; /* numbers in all; indices from k on */
    struct name atom[MAX_NUMBERS];
    int64_t value[MAX_NUMBERS];
    uint32_t rank;
    int64_t (*factor)[MAX_NUMBERS]; /* per dimension */
    int64_t *constant;
};

/* The number of index I in iteration SECOND. */
static uint32_t number_of(const struct search *s, uint32_t i, bool second) {
    return second && i >= s->t->k ? i + s->right : i;
}

/* Whether TERM, no constant, is a product of atoms with a positive factor. */
static bool rises(const struct test *t, struct sym term) {
    struct sym_ctx *c = t->syms;
    struct name n;
    int64_t v;
    if (sym_kind(c, term) != SYM_PRODUCT)
        return sym_is_atom(c, term, &n);
    for (uint32_t i = 0; i < sym_count(c, term); i++) {
        struct sym x = sym_operand(c, term, i);
        if (sym_is_const(c, x, &v) ? v <= 0 : !sym_is_atom(c, x, &n))
            return false;
    }
    return true;
}

/* Whether S is a sum of such terms and a constant. */
static bool all_rise(const struct test *t, struct sym s) {
    struct sym_ctx *c = t->syms;
    int64_t v;
    if (sym_kind(c, s) != SYM_SUM)
        return sym_is_const(c, s, &v) || rises(t, s);
    for (uint32_t i = 0; i < sym_count(c, s); i++)
        if (!sym_is_const(c, sym_operand(c, s, i), &v) && !rises(t, sym_operand(c, s, i)))
            return false;
    return true;
}

/* Whether N is a dimension of a parameter, and no shape with more in it bounds it from above. */
static bool free_dimension(const struct test *t, struct name n) {
    const struct graph *g = t->g;
    struct graph_symbol *symbols;
    uint32_t count = graph_symbols(g, t->arena, &symbols);
    bool dimension = false;
    for (uint32_t i = 0; i < count; i++)
        dimension |= name_eq(symbols[i].name, n) && symbols[i].dim >= 0;
    for (uint32_t i = 0; dimension && i < g->params.n; i++) {
        if (g->params.at[i].is_symbol)
            continue;
        const struct container *c = graph_cont(g, g->params.at[i].cont);
        for (uint32_t d = 0; d < c->rank; d++)
            if (sym_contains(g->syms, c->dims[d], n) && !all_rise(t, c->dims[d]))
                dimension = false;
    }
    return dimension;
}

static bool mentions(const struct test *t, const struct expr *e, struct name n) {
    if (e->kind == EXPR_SYM)
        return sym_contains(t->syms, e->sym, n);
    for (uint32_t k = 0; k < expr_nargs(e); k++)
        if (mentions(t, e->args[k], n))
            return true;
    return false;
}

/* Whether nothing bounds N from above: a dimension of a parameter, and no condition names it. */
static bool unbounded(const struct test *t, struct name n) {
    for (uint32_t i = 0; i < t->g->conditions.n; i++)
        if (mentions(t, t->g->conditions.at[i].condition, n))
            return false;
    return free_dimension(t, n);
}

struct bound_search {
    const struct test *t;
    bool all;
};

static void look_at(void *data, struct name n) {
    struct bound_search *b = data;
    b->all = b->all && unbounded(b->t, n);
}

/* Whether S grows without bound when all its atoms do, and nothing keeps them from it. */
static bool grows(const struct test *t, struct sym s) {
    struct bound_search b = {t, true};
    int64_t v;
    if (sym_is_const(t->syms, s, &v) || !all_rise(t, s))
        return false;
    sym_atoms(t->syms, s, look_at, &b);
    return b.all;
}

/* S > 0 is proved, or holds when all free symbols are large. */
static bool may_be_positive(struct test *t, struct sym s) {
    struct sym_ctx *c = t->syms;
    if (sym_prove_lt(t->facts, sym_const(c, 0), s))
        return true;
    return !sym_prove_le(t->facts, s, sym_const(c, 0)) && grows(t, s);
}

/* Indices and what they are replaced by, outermost first. */
struct places {
    uint32_t n, cap;
    struct name *from;
    struct sym *to;
};

static struct sym put(struct test *t, const struct places *p, struct sym s) {
    return sym_subst(t->syms, s, p->n, p->from, p->to);
}

/* Puts index X at lo + step * NUMBER; *REACH is what must be positive for it to exist there. */
static bool place(struct test *t, struct places *p, const struct index *x, struct sym number,
                  struct sym *reach) {
    struct sym_ctx *c = t->syms;
    int64_t step;
    if (!sym_is_const(c, x->step, &step) || step <= 0 || p->n == p->cap)
        return false;
    struct sym at = sym_add(c, put(t, p, x->lo), sym_mul(c, x->step, number));
    *reach = sym_sub(c, put(t, p, x->hi), at);
    p->from[p->n] = x->name;
    p->to[p->n++] = at;
    return true;
}

static uint32_t depth(const struct around *x) {
    uint32_t n = 0;
    for (; x; x = x->out)
        n++;
    return n;
}

/* The indices around, outermost first, at their beginning. */
static bool place_around(struct test *t, struct places *p, const struct around *x,
                         struct sym *reach, uint32_t *n) {
    if (!x)
        return true;
    return place_around(t, p, x->out, reach, n) &&
           place(t, p, &x->index, sym_const(t->syms, 0), &reach[(*n)++]);
}

/* The places of one iteration, with numbers as atoms or (VALUES) as found; all reaches in REACH.
   False if an index is out of what this search can say. */
static bool place_all(struct search *s, const struct access *x, bool second, bool values,
                      struct places *p, struct sym *reach, uint32_t *nreach) {
    struct test *t = s->t;
    p->cap = t->n + depth(x->around);
    p->n = 0;
    p->from = ARENA_ARRAY(t->arena, struct name, p->cap);
    p->to = ARENA_ARRAY(t->arena, struct sym, p->cap);
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t k = number_of(s, i, second);
        struct sym number =
            values ? sym_const(t->syms, s->value[k]) : sym_atom(t->syms, s->atom[k]);
        if (!place(t, p, &t->index[i], number, &reach[(*nreach)++]))
            return false;
    }
    return place_around(t, p, x->around, reach, nreach);
}

/* Splits S into constant factors of the numbers and a constant. */
static bool split(struct search *s, struct sym x, int64_t *factor, int64_t *constant) {
    struct sym_ctx *c = s->t->syms;
    for (uint32_t i = 0; i < s->n; i++) {
        struct sym f, rest;
        factor[i] = 0;
        if (!sym_contains(c, x, s->atom[i]))
            continue;
        if (!sym_linear(c, x, s->atom[i], &f, &rest) || !sym_is_const(c, f, &factor[i]))
            return false;
        x = rest;
    }
    /* factors beyond this can only overflow the search */
    for (uint32_t i = 0; i < s->n; i++)
        if (factor[i] > INT32_MAX || factor[i] < INT32_MIN)
            return false;
    return sym_is_const(c, x, constant) && *constant < INT64_MAX / 2 && *constant > INT64_MIN / 2;
}

/* Whether S, its indices placed, hangs on a value that the body computes: it may differ between the
   iterations. */
static bool of_data(const struct test *t, struct sym s) {
    for (uint32_t i = 0; i < t->accesses.names.n; i++)
        if (sym_contains(t->syms, s, t->accesses.names.at[i]))
            return true;
    return false;
}

static bool set_up(struct search *s, const struct access *a, const struct access *b) {
    struct test *t = s->t;
    s->right = t->n - t->k;
    s->n = t->n + s->right;
    s->rank = a->memlet->rank;
    if (s->n > MAX_NUMBERS || s->rank != b->memlet->rank)
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        char text[] = {'#', (char)('0' + i / 10), (char)('0' + i % 10), '\0'}; /* no DCL name */
        s->atom[i] = name_of_text(t->g->names, text);
    }
    struct places first, second;
    uint32_t unused = 0, most = 2 * t->n + depth(a->around) + depth(b->around);
    struct sym *reach = ARENA_ARRAY(t->arena, struct sym, most);
    if (!place_all(s, a, false, false, &first, reach, &unused) ||
        !place_all(s, b, true, false, &second, reach, &unused))
        return false;
    s->factor = arena_alloc(t->arena, sizeof *s->factor * s->rank);
    s->constant = ARENA_ARRAY(t->arena, int64_t, s->rank);
    for (uint32_t d = 0; d < s->rank; d++) {
        struct sym x = put(t, &first, a->at[d]), y = put(t, &second, b->at[d]);
        if (of_data(t, x) || of_data(t, y) ||
            !split(s, sym_sub(t->syms, y, x), s->factor[d], &s->constant[d]))
            return false;
    }
    return true;
}

static bool same_element(const struct search *s) {
    for (uint32_t d = 0; d < s->rank; d++) {
        int64_t v = s->constant[d];
        for (uint32_t i = 0; i < s->n; i++)
            v += s->factor[d][i] * s->value[i];
        if (v != 0)
            return false;
    }
    return true;
}

static bool reachable(struct search *s, const struct access *a, const struct access *b) {
    struct test *t = s->t;
    struct places p;
    uint32_t n = 0;
    struct sym *reach =
        ARENA_ARRAY(t->arena, struct sym, 2 * t->n + depth(a->around) + depth(b->around));
    if (!place_all(s, a, false, true, &p, reach, &n) || !place_all(s, b, true, true, &p, reach, &n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!may_be_positive(t, reach[i]))
            return false;
    return true;
}

/* All values below WINDOW for the numbers, the second's k above the first's. */
static bool search_box(struct search *s, const struct access *a, const struct access *b,
                       int64_t window) {
    uint32_t k = s->t->k, k2 = k + s->right, checks = 0;
    memset(s->value, 0, sizeof s->value);
    for (;;) {
        if (s->value[k2] > s->value[k] && same_element(s)) {
            if (reachable(s, a, b))
                return true;
            if (++checks == 20)
                return false;
        }
        uint32_t i = 0;
        while (i < s->n && ++s->value[i] == window)
            s->value[i++] = 0;
        if (i == s->n)
            return false;
    }
}

/* The numbers of both iterations equal but for k: reads and writes at a distance. */
static bool search_distance(struct search *s, const struct access *a, const struct access *b) {
    uint32_t k = s->t->k;
    memset(s->value, 0, sizeof s->value);
    for (int64_t distance = 1; distance <= FAR; distance++) {
        s->value[k + s->right] = distance;
        if (same_element(s) && reachable(s, a, b))
            return true;
    }
    return false;
}

bool conflict_exists(struct test *t, const struct access *a, const struct access *b) {
    struct search s = {.t = t};
    bool always = a->memlet->outside == OUTSIDE_ERROR && b->memlet->outside == OUTSIDE_ERROR;
    if (a->conditional || b->conditional || !always || !set_up(&s, a, b))
        return false;
    if (search_distance(&s, a, b))
        return true;
    int64_t window = 1, tries;
    do {
        window++;
        tries = 1;
        for (uint32_t i = 0; i < s.n && tries <= TRIES; i++)
            tries *= window + 1;
    } while (tries <= TRIES && window < FAR);
    return search_box(&s, a, b, window);
}
