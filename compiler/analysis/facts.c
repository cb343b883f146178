/* Facts from conditions.

   Note [exact]
   A value that is read at run time may be any i64, and so may be what is bounded by such values
   only. Arithmetic on it wraps: `v + 1 <= n` says nothing of v. So a condition becomes a fact only
   where both sides have their exact values, and these are
   - an atom or a constant by itself;
   - arithmetic over small atoms: the sizes of parameters, which memory bounds, and what facts bound
     on both sides, as they do most indices.
   A fact about atoms that are not small on both sides afterwards is dropped: subscripts over such
   an atom would be proved on one side, which says nothing of a sum that wraps to the other. */
#include "compiler/analysis/facts.h"

/* No size is larger; no atom that is called small, and no number times such, by far. */
#define LARGEST_SIZE (INT64_C(1) << 47)
#define LARGEST_SMALL (INT64_C(1) << 48)
#define LARGEST_FACTOR (INT64_C(1) << 31)

struct question {
    struct sym_facts *f;
    const struct graph *g;
    bool ok;
};

static bool is_size(const struct graph *g, struct name n) {
    bool found = false;
    for (uint32_t p = 0; p < g->params.n; p++) {
        const struct graph_param *param = &g->params.at[p];
        if (param->is_symbol) {
            if (name_eq(param->name, n))
                return false;
            continue;
        }
        const struct container *c = graph_cont(g, param->cont);
        struct name dim;
        for (uint32_t d = 0; d < c->rank; d++)
            found = found || (sym_is_atom(g->syms, c->dims[d], &dim) && name_eq(dim, n));
    }
    return found;
}

/* To be undone by the caller. */
static void bound_sizes(struct sym_facts *f, const struct graph *g) {
    struct sym none = {0}, most = sym_const(g->syms, LARGEST_SIZE);
    for (uint32_t p = 0; p < g->params.n; p++) {
        if (g->params.at[p].is_symbol)
            continue;
        const struct container *c = graph_cont(g, g->params.at[p].cont);
        struct name n;
        for (uint32_t d = 0; d < c->rank; d++)
            if (sym_is_atom(g->syms, c->dims[d], &n) && is_size(g, n))
                sym_facts_bounds(f, n, none, most);
    }
}

static bool between(struct sym_facts *f, struct sym s, int64_t most) {
    int64_t lo, hi;
    return sym_lower_bound(f, s, &lo) && sym_upper_bound(f, s, &hi) && lo >= -most && hi <= most;
}

static void ask_atom(void *data, struct name n) {
    struct question *q = data;
    q->ok = q->ok && (is_size(q->g, n) || between(q->f, sym_atom(q->g->syms, n), LARGEST_SMALL));
}

/* All atoms of S are small; sizes are bounded already. */
static bool small_atoms(struct sym_facts *f, const struct graph *g, struct sym s) {
    struct question q = {f, g, true};
    sym_atoms(g->syms, s, ask_atom, &q);
    return q.ok;
}

/* Whether numbers in S, whose atoms are small, are too small to make a part of it wrap. */
static bool small_numbers(struct sym_facts *f, const struct graph *g, struct sym s) {
    enum sym_kind kind = sym_kind(g->syms, s);
    if (kind == SYM_CONST || kind == SYM_ATOM)
        return true;
    bool small = true;
    for (uint32_t i = 0; i < sym_count(g->syms, s); i++) {
        struct sym x = sym_operand(g->syms, s, i);
        int64_t v;
        if (sym_is_const(g->syms, x, &v))
            small = small && v >= -LARGEST_FACTOR && v <= LARGEST_FACTOR;
        else if (!small_numbers(f, g, x))
            return false;
    }
    return (kind != SYM_SUM && kind != SYM_PRODUCT) || small || between(f, s, INT64_MAX - 1);
}

static bool exact(struct sym_facts *f, const struct graph *g, struct sym s) {
    enum sym_kind kind = sym_kind(g->syms, s);
    return kind == SYM_CONST || kind == SYM_ATOM ||
           (small_atoms(f, g, s) && small_numbers(f, g, s));
}

bool facts_exact(struct sym_facts *f, const struct graph *g, struct sym s) {
    uint32_t mark = sym_facts_mark(f);
    bound_sizes(f, g);
    bool ok = exact(f, g, s);
    sym_facts_restore(f, mark);
    return ok;
}

/* S is a product of some of the dimensions of one parameter: memory bounds it as it does them. */
static bool part_of_size(const struct graph *g, struct sym s) {
    for (uint32_t p = 0; p < g->params.n; p++) {
        if (g->params.at[p].is_symbol)
            continue;
        const struct container *c = graph_cont(g, g->params.at[p].cont);
        uint32_t found = 0, n = sym_kind(g->syms, s) == SYM_PRODUCT ? sym_count(g->syms, s) : 1;
        uint64_t taken = 0;
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t d = 0; d < c->rank && d < 64; d++)
                if (!(taken >> d & 1) &&
                    sym_eq(n > 1 ? sym_operand(g->syms, s, k) : s, c->dims[d])) {
                    taken |= UINT64_C(1) << d;
                    found++;
                    break;
                }
        if (found == n)
            return true;
    }
    return false;
}

/* No part of S leaves 64 bits; sizes are bounded already. */
static bool fits(struct sym_facts *f, const struct graph *g, struct sym s) {
    enum sym_kind kind = sym_kind(g->syms, s);
    if (kind == SYM_CONST || kind == SYM_ATOM || part_of_size(g, s))
        return true;
    for (uint32_t i = 0; i < sym_count(g->syms, s); i++)
        if (!fits(f, g, sym_operand(g->syms, s, i)))
            return false;
    return (kind != SYM_SUM && kind != SYM_PRODUCT) || between(f, s, INT64_MAX);
}

bool facts_size(struct sym_facts *f, const struct graph *g, struct sym s) {
    if (!sym_prove_nonneg(f, s))
        return false;
    uint32_t mark = sym_facts_mark(f);
    bound_sizes(f, g);
    bool ok = fits(f, g, s);
    sym_facts_restore(f, mark);
    return ok;
}

/* A value of a narrow integer type is small. */
static void bound_values(struct sym_facts *f, const struct graph *g, const struct expr *e) {
    const struct expr *x = e->args[0];
    if (e->kind == EXPR_CAST && x->kind == EXPR_VALUE && dtype_is_int(x->dtype) &&
        dtypes[x->dtype].digits <= 32)
        sym_facts_bounds(f, x->value,
                         sym_const(g->syms, scalar_to_i64(x->dtype, scalar_lowest(x->dtype))),
                         sym_const(g->syms, scalar_to_i64(x->dtype, scalar_highest(x->dtype))));
    for (uint32_t k = 0; k < expr_nargs(e); k++)
        bound_values(f, g, e->args[k]);
}

static bool compares(const struct graph *g, const struct expr *e, struct sym *a, struct sym *b) {
    return e->kind == EXPR_OP && scalars[e->op].arity == 2 &&
           scalars[e->op].result == RESULT_BOOL && e->args[0]->dtype == DT_i64 &&
           expr_to_sym(g, e->args[0], a) && expr_to_sym(g, e->args[1], b);
}

/* What E computes before it is brought in the form of a sym has its exact value too: v - v + 1 is
   the number 1, but v*2 // 2 is not v. */
static bool exact_expr(struct sym_facts *f, const struct graph *g, const struct expr *e) {
    struct sym s;
    if (!expr_to_sym(g, e, &s))
        return false;
    if (e->kind != EXPR_OP)
        return exact(f, g, s);
    for (uint32_t k = 0; k < expr_nargs(e); k++) {
        struct sym part;
        if (!exact_expr(f, g, e->args[k]) || !expr_to_sym(g, e->args[k], &part) ||
            !small_atoms(f, g, part))
            return false;
    }
    return exact(f, g, s);
}

bool facts_compare(struct sym_facts *f, const struct graph *g, const struct expr *e, struct sym *a,
                   struct sym *b) {
    if (!compares(g, e, a, b))
        return false;
    uint32_t mark = sym_facts_mark(f);
    bound_sizes(f, g);
    bound_values(f, g, e);
    bool ok = exact_expr(f, g, e->args[0]) && exact_expr(f, g, e->args[1]);
    sym_facts_restore(f, mark);
    return ok;
}

static void add_comparison(struct sym_facts *f, const struct graph *g, enum scalar_op op,
                           struct sym a, struct sym b, bool holds) {
    struct sym ab = sym_sub(g->syms, a, b), ba = sym_sub(g->syms, b, a);
    bool less = op == OP_LT || op == OP_LE, strict = op == OP_LT || op == OP_GT;
    if (op == OP_EQ ? holds : op == OP_NE && !holds) {
        sym_facts_nonneg(f, ab);
        sym_facts_nonneg(f, ba);
    } else if (less || op == OP_GT || op == OP_GE) {
        struct sym d = less == holds ? ba : ab; /* d >= 0, or > 0 */
        if (strict == holds)
            d = sym_sub(g->syms, d, sym_const(g->syms, 1));
        sym_facts_nonneg(f, d);
    }
}

enum { MOST_COMPARISONS = 64 };

struct comparison {
    const struct expr *e;
    bool holds, exact, small;
    struct sym a, b;
};

struct conjunction {
    uint32_t n;
    struct comparison at[MOST_COMPARISONS];
};

static void conjuncts(const struct expr *e, bool holds, struct conjunction *all) {
    if (e->kind != EXPR_OP)
        return;
    if (e->op == (holds ? OP_AND : OP_OR)) {
        conjuncts(e->args[0], holds, all);
        conjuncts(e->args[1], holds, all);
    } else if (e->op == OP_NOT) {
        conjuncts(e->args[0], !holds, all);
    } else if (all->n < MOST_COMPARISONS) {
        all->at[all->n++] = (struct comparison){.e = e, .holds = holds};
    }
}

static void add(struct sym_facts *f, const struct graph *g, const struct comparison *x) {
    bound_values(f, g, x->e);
    add_comparison(f, g, x->e->op, x->a, x->b, x->holds);
}

void facts_add(struct sym_facts *f, const struct graph *g, const struct expr *e, bool holds) {
    struct conjunction all = {0};
    conjuncts(e, holds, &all);
    uint32_t mark = sym_facts_mark(f);
    /* Twice: what is exact may follow from what stands to the right of it. */
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < all.n; i++) {
            struct comparison *x = &all.at[i];
            if (!x->exact && (x->exact = facts_compare(f, g, x->e, &x->a, &x->b)))
                add(f, g, x);
        }
    bound_sizes(f, g);
    for (uint32_t i = 0; i < all.n; i++) {
        struct comparison *x = &all.at[i];
        x->small = x->exact && small_atoms(f, g, x->a) && small_atoms(f, g, x->b);
    }
    sym_facts_restore(f, mark);
    for (uint32_t i = 0; i < all.n; i++)
        if (all.at[i].small)
            add(f, g, &all.at[i]);
}
