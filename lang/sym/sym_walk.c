/* Walks over expressions: evaluation, substitution, atoms, linear parts.
   Recursion is bounded by Note [limits] in sym_node.h; a substitution remembers a few results so
   that shared parts are not done again. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_node.h"
#include <string.h>

/* ---- Atoms ---- */

static bool mono_contains(const struct sym_ctx *c, uint32_t m, struct name n) {
    uint64_t bit = UINT64_C(1) << (n.i % 64);
    if (!(sym_mono(c, m)->atoms & bit))
        return false;
    for (uint32_t k = 0; k < sym_mono(c, m)->n; k++) {
        const struct factor *f = sym_factor(c, sym_mono(c, m)->at[k].factor);
        if (!(f->atoms & bit))
            continue;
        if (f->kind == F_ATOM ? name_eq(f->name, n)
                              : sym_contains(c, f->a, n) || sym_contains(c, f->b, n))
            return true;
    }
    return false;
}

bool sym_contains(const struct sym_ctx *c, struct sym a, struct name n) {
    const struct poly *p = sym_poly(c, a);
    for (uint32_t k = 0; k < p->n; k++)
        if (mono_contains(c, p->at[k].mono, n))
            return true;
    return false;
}

struct name_set {
    struct name *at;
    uint32_t n, cap;
};

/* Keeps V sorted by text. */
static void insert_name(const struct sym_ctx *c, struct name_set *v, struct name n) {
    const char *text = name_text(c->names, n);
    uint32_t lo = 0, hi = v->n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        int o = strcmp(name_text(c->names, v->at[mid]), text);
        if (o == 0)
            return;
        if (o < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    VEC_PUSH(c->arena, *v, n);
    memmove(v->at + lo + 1, v->at + lo, (v->n - 1 - lo) * sizeof n);
    v->at[lo] = n;
}

static void gather(const struct sym_ctx *c, struct sym a, struct name_set *v) {
    const struct poly *p = sym_poly(c, a);
    for (uint32_t k = 0; k < p->n; k++) {
        const struct mono *m = sym_mono(c, p->at[k].mono);
        for (uint32_t i = 0; i < m->n; i++) {
            const struct factor *f = sym_factor(c, m->at[i].factor);
            if (f->kind == F_ATOM) {
                insert_name(c, v, f->name);
            } else {
                gather(c, f->a, v);
                gather(c, f->b, v);
            }
        }
    }
}

void sym_atoms(const struct sym_ctx *c, struct sym a, void (*f)(void *, struct name), void *data) {
    struct name_set v = {0};
    gather(c, a, &v);
    for (uint32_t k = 0; k < v.n; k++)
        f(data, v.at[k]);
}

bool sym_linear(struct sym_ctx *c, struct sym a, struct name n, struct sym *factor,
                struct sym *rest) {
    const struct poly *p = sym_poly(c, a);
    const struct factor *atom = sym_lone_factor(c, sym_atom(c, n));
    struct term f[SYM_MAX_TERMS], r[SYM_MAX_TERMS]; /* dividing by an atom keeps the order */
    uint32_t nf = 0, nr = 0, q;
    for (uint32_t k = 0; k < p->n; k++) {
        if (!mono_contains(c, p->at[k].mono, n)) {
            r[nr++] = p->at[k];
            continue;
        }
        if (!sym_mono_divide(c, p->at[k].mono, atom->mono, &q) || mono_contains(c, q, n))
            return false;
        f[nf++] = (struct term){p->at[k].coef, q};
    }
    *factor = sym_poly_of(c, f, nf);
    *rest = sym_poly_of(c, r, nr);
    return true;
}

/* ---- Substitution ---- */

struct sym sym_rebuild(struct sym_ctx *c, enum factor_kind kind, struct sym a, struct sym b) {
    switch (kind) {
    case F_FLOORDIV: return sym_floordiv(c, a, b);
    case F_MOD: return sym_mod(c, a, b);
    case F_MIN: return sym_min(c, a, b);
    case F_MAX: return sym_max(c, a, b);
    case F_MUL: return sym_mul(c, a, b);
    case F_ADD:
    case F_ATOM: /* has no operands */ break;
    }
    return sym_add(c, a, b);
}

#define SUBST_MEMO 64

/* Either N atoms, or the factor X (n is 1, FROM unused). */
struct subst {
    uint32_t n;
    const struct name *from;
    const struct sym *to;
    const struct factor *x;
    uint64_t atoms; /* bits of FROM or of X */
    struct {
        uint32_t from;
        struct sym to;
    } memo[SUBST_MEMO];
};

/* Whether something over ATOMS may contain what is replaced. */
static bool may_change(const struct subst *s, uint64_t atoms) {
    return s->x ? (atoms & s->atoms) == s->atoms : (atoms & s->atoms) != 0;
}

static struct sym subst(struct sym_ctx *c, struct subst *s, struct sym a);

static struct sym subst_factor(struct sym_ctx *c, struct subst *s, const struct factor *f) {
    if (!may_change(s, f->atoms))
        return f->self;
    if (f == s->x)
        return *s->to;
    if (f->kind == F_ATOM) {
        for (uint32_t k = 0; k < s->n && !s->x; k++)
            if (name_eq(s->from[k], f->name))
                return s->to[k];
        return f->self;
    }
    struct sym a = subst(c, s, f->a), b = subst(c, s, f->b);
    return sym_eq(a, f->a) && sym_eq(b, f->b) ? f->self : sym_rebuild(c, f->kind, a, b);
}

static struct sym subst(struct sym_ctx *c, struct subst *s, struct sym a) {
    const struct poly *p = sym_poly(c, a);
    if (!may_change(s, p->atoms))
        return a;
    if (s->memo[a.i % SUBST_MEMO].from == a.i)
        return s->memo[a.i % SUBST_MEMO].to;
    struct term kept[SYM_MAX_TERMS];
    uint32_t nkept = 0;
    struct sym sum = sym_const(c, 0);
    for (uint32_t k = 0; k < p->n; k++) {
        const struct mono *m = sym_mono(c, p->at[k].mono);
        c->steps++;
        if (!may_change(s, m->atoms)) {
            kept[nkept++] = p->at[k];
            continue;
        }
        struct sym t = sym_const(c, p->at[k].coef);
        for (uint32_t i = 0; i < m->n; i++) {
            struct sym f = subst_factor(c, s, sym_factor(c, m->at[i].factor));
            for (uint32_t q = 0; q < m->at[i].power; q++)
                t = sym_mul(c, t, f);
        }
        sum = sym_add(c, sum, t);
    }
    sum = sym_add(c, sum, sym_poly_of(c, kept, nkept));
    s->memo[a.i % SUBST_MEMO].from = a.i;
    s->memo[a.i % SUBST_MEMO].to = sum;
    return sum;
}

struct sym sym_subst(struct sym_ctx *c, struct sym a, uint32_t n, const struct name *from,
                     const struct sym *to) {
    struct subst s = {.n = n, .from = from, .to = to};
    for (uint32_t k = 0; k < n; k++)
        s.atoms |= UINT64_C(1) << (from[k].i % 64);
    return subst(c, &s, a);
}

struct sym sym_replace(struct sym_ctx *c, struct sym a, const struct factor *x, struct sym by) {
    struct subst s = {.n = 1, .to = &by, .x = x, .atoms = x->atoms};
    return subst(c, &s, a);
}

/* ---- Evaluation ---- */

struct eval {
    bool (*atom_value)(void *, struct name, int64_t *);
    void *data;
};

static bool eval(const struct sym_ctx *c, const struct eval *e, struct sym a, int64_t *v);

static bool eval_factor(const struct sym_ctx *c, const struct eval *e, const struct factor *f,
                        int64_t *v) {
    int64_t a, b;
    if (f->kind == F_ATOM)
        return e->atom_value(e->data, f->name, v);
    if (!eval(c, e, f->a, &a) || !eval(c, e, f->b, &b))
        return false;
    switch (f->kind) {
    case F_FLOORDIV: *v = 0; return b == 0 || sym_i64_floordiv(a, b, v);
    case F_MOD: *v = b == 0 ? 0 : sym_i64_mod(a, b); return true;
    case F_MIN: *v = a < b ? a : b; return true;
    case F_MAX: *v = a > b ? a : b; return true;
    case F_MUL: return !__builtin_mul_overflow(a, b, v);
    case F_ADD:
    case F_ATOM: /* done above */ break;
    }
    return !__builtin_add_overflow(a, b, v);
}

static bool eval(const struct sym_ctx *c, const struct eval *e, struct sym a, int64_t *v) {
    const struct poly *p = sym_poly(c, a);
    int64_t sum = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        const struct mono *m = sym_mono(c, p->at[k].mono);
        int64_t t = p->at[k].coef, x;
        for (uint32_t i = 0; i < m->n; i++) {
            if (!eval_factor(c, e, sym_factor(c, m->at[i].factor), &x))
                return false;
            for (uint32_t q = 0; q < m->at[i].power; q++)
                if (__builtin_mul_overflow(t, x, &t))
                    return false;
        }
        if (__builtin_add_overflow(sum, t, &sum))
            return false;
    }
    *v = sum;
    return true;
}

bool sym_eval(const struct sym_ctx *c, struct sym a,
              bool (*atom_value)(void *, struct name, int64_t *), void *data, int64_t *v) {
    struct eval e = {atom_value, data};
    return eval(c, &e, a, v);
}
