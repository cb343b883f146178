/* Consing and canonical arithmetic: contexts, monomials, polynomials, sum and product.
   Before: operands are expressions of the same context. After: the result is canonical in the sense
   of sym.h, or an opaque node with the same value where a limit of sym_node.h was met.
   See Note [order] and Note [limits] in sym_node.h. */
#include "lang/sym/sym.h"
#include "lang/sym/sym_node.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t saturating_add(uint32_t a, uint32_t b) {
    uint32_t s;
    return __builtin_add_overflow(a, b, &s) ? UINT32_MAX : s;
}

static uint32_t saturating_mul(uint32_t a, uint32_t b) {
    uint32_t s;
    return __builtin_mul_overflow(a, b, &s) ? UINT32_MAX : s;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

static uint64_t mix(uint64_t h, uint64_t v) {
    return hash_bytes(&v, sizeof v, h);
}

/* The first index under HASH, UINT32_MAX if none. Indices chain through `next`. */
static uint32_t chain_of(const struct map *m, uint64_t hash) {
    uint64_t v;
    return map_get(m, hash, &v) ? (uint32_t)v : UINT32_MAX;
}

struct sym_ctx *sym_ctx_new(struct arena *a, struct names *names) {
    struct sym_ctx *c = ARENA_NEW(a, struct sym_ctx);
    c->arena = a;
    c->names = names;
    c->poly_by_hash = map_new(a);
    c->mono_by_hash = map_new(a);
    c->factor_by_hash = map_new(a);
    struct poly *none = ARENA_NEW(a, struct poly); /* index 0 is "no expression" */
    VEC_PUSH(a, c->polys, none);
    struct mono *unit = ARENA_NEW(a, struct mono);
    unit->hash = 1;
    unit->next = UINT32_MAX;
    unit->size = 1;
    VEC_PUSH(a, c->monos, unit);
    return c;
}

struct names *sym_names(const struct sym_ctx *c) {
    return c->names;
}

uint64_t sym_steps(const struct sym_ctx *c) {
    return c->steps;
}

bool sym_overflowed(const struct sym_ctx *c) {
    return c->overflowed;
}

/* ---- Order ---- */

static int factor_compare(struct sym_ctx *c, uint32_t i, uint32_t j) {
    c->steps++;
    if (i == j)
        return 0;
    const struct factor *a = sym_factor(c, i), *b = sym_factor(c, j);
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == F_ATOM)
        return strcmp(name_text(c->names, a->name), name_text(c->names, b->name));
    int by_first = sym_compare(c, a->a, b->a);
    return by_first ? by_first : sym_compare(c, a->b, b->b);
}

int sym_mono_compare(struct sym_ctx *c, uint32_t i, uint32_t j) {
    if (i == j)
        return 0;
    const struct mono *a = sym_mono(c, i), *b = sym_mono(c, j);
    if (a->degree != b->degree)
        return a->degree > b->degree ? -1 : 1;
    for (uint32_t k = 0; k < a->n && k < b->n; k++) {
        int o = factor_compare(c, a->at[k].factor, b->at[k].factor);
        if (o)
            return o;
        if (a->at[k].power != b->at[k].power)
            return a->at[k].power > b->at[k].power ? -1 : 1;
    }
    return a->n < b->n ? -1 : 1; /* not reached: same degree and a common prefix is the same */
}

/* The first pair of terms that differs decides, so this walks one path down and ends. */
int sym_compare(struct sym_ctx *c, struct sym x, struct sym y) {
    if (sym_eq(x, y))
        return 0;
    const struct poly *a = sym_poly(c, x), *b = sym_poly(c, y);
    for (uint32_t k = 0; k < a->n && k < b->n; k++) {
        int o = sym_mono_compare(c, a->at[k].mono, b->at[k].mono);
        if (o)
            return o;
        if (a->at[k].coef != b->at[k].coef)
            return a->at[k].coef < b->at[k].coef ? -1 : 1;
    }
    return a->n < b->n ? -1 : 1;
}

/* ---- Consing ---- */

static uint32_t mono_of(struct sym_ctx *c, const struct power *p, uint32_t n) {
    if (n == 0)
        return SYM_UNIT;
    uint64_t h = 2;
    for (uint32_t k = 0; k < n; k++)
        h = mix(mix(h, sym_factor(c, p[k].factor)->hash), p[k].power);
    uint32_t first = chain_of(&c->mono_by_hash, h);
    for (uint32_t m = first; m != UINT32_MAX; m = sym_mono(c, m)->next) {
        c->steps++;
        const struct mono *old = sym_mono(c, m);
        if (old->n == n && memcmp(old->at, p, n * sizeof *p) == 0)
            return m;
    }
    struct mono *m = ARENA_NEW(c->arena, struct mono);
    m->at = arena_copy(c->arena, p, n * sizeof *p);
    m->n = n;
    m->hash = h;
    m->next = first;
    for (uint32_t k = 0; k < n; k++) {
        const struct factor *f = sym_factor(c, p[k].factor);
        m->degree += p[k].power;
        m->atoms |= f->atoms;
        m->size = saturating_add(m->size, saturating_mul(p[k].power, f->size));
        m->depth = larger(m->depth, f->depth);
    }
    uint32_t id = c->monos.n;
    VEC_PUSH(c->arena, c->monos, m);
    map_put(&c->mono_by_hash, h, id);
    return id;
}

static struct sym term_of(struct sym_ctx *c, int64_t coef, uint32_t mono) {
    struct term t = {coef, mono};
    return sym_poly_of(c, &t, 1);
}

/* The operands and the kind of P, whose terms are set. */
static void set_structure(struct sym_ctx *c, struct poly *p) {
    VEC(struct sym) v = {0};
    const struct mono *m = p->n == 1 ? sym_mono(c, p->at[0].mono) : NULL;
    if (p->n == 0 || (p->n == 1 && p->at[0].mono == SYM_UNIT)) {
        p->kind = SYM_CONST;
    } else if (p->n > 1) {
        p->kind = SYM_SUM;
        for (uint32_t k = 0; k < p->n; k++)
            VEC_PUSH(c->arena, v, term_of(c, p->at[k].coef, p->at[k].mono));
    } else if (p->at[0].coef == 1 && m->degree == 1) {
        static const enum sym_kind kinds[] = {
            [F_ATOM] = SYM_ATOM, [F_FLOORDIV] = SYM_FLOORDIV, [F_MOD] = SYM_MOD, [F_MIN] = SYM_MIN,
            [F_MAX] = SYM_MAX,   [F_MUL] = SYM_PRODUCT,       [F_ADD] = SYM_SUM,
        };
        const struct factor *f = sym_factor(c, m->at[0].factor);
        p->kind = kinds[f->kind];
        if (f->kind != F_ATOM) {
            VEC_PUSH(c->arena, v, f->a);
            VEC_PUSH(c->arena, v, f->b);
        }
    } else {
        p->kind = SYM_PRODUCT;
        if (p->at[0].coef != 1)
            VEC_PUSH(c->arena, v, sym_const(c, p->at[0].coef));
        for (uint32_t k = 0; k < m->n; k++)
            for (uint32_t q = 0; q < m->at[k].power; q++)
                VEC_PUSH(c->arena, v, sym_factor(c, m->at[k].factor)->self);
    }
    p->operands = v.at;
    p->noperands = v.n;
}

#define OPAQUE "opaque#" /* how the names of atoms begin that exceed the limits */

/* A fresh atom that stands for what hashes to H and exceeds the limits. */
static struct sym opaque_atom(struct sym_ctx *c, uint64_t h) {
    c->overflowed = true;
    for (unsigned k = 0;; k++) { /* k > 0 only where two hashes collide */
        char text[48];
        int n = snprintf(text, sizeof text, k ? OPAQUE "%016" PRIx64 ".%u" : OPAQUE "%016" PRIx64,
                         h, k);
        struct name name = name_of(c->names, text, (size_t)n);
        uint32_t before = c->factors.n;
        struct sym s = sym_atom(c, name);
        if (c->factors.n != before)
            return s;
    }
}

struct sym sym_poly_of(struct sym_ctx *c, const struct term *t, uint32_t n) {
    uint64_t h = 3;
    for (uint32_t k = 0; k < n; k++)
        h = mix(mix(h, sym_mono(c, t[k].mono)->hash), (uint64_t)t[k].coef);
    c->steps += 1 + n;
    uint32_t first = chain_of(&c->poly_by_hash, h);
    for (uint32_t i = first; i != UINT32_MAX; i = c->polys.at[i]->next) {
        const struct poly *old = c->polys.at[i];
        bool same = old->n == n;
        for (uint32_t k = 0; same && k < n; k++)
            same = old->at[k].coef == t[k].coef && old->at[k].mono == t[k].mono;
        if (same)
            return old->instead.i ? old->instead : (struct sym){i};
    }
    struct poly *p = ARENA_NEW(c->arena, struct poly);
    p->at = ARENA_ARRAY(c->arena, struct term, n);
    p->n = n;
    p->hash = h;
    p->next = first;
    p->size = 1;
    for (uint32_t k = 0; k < n; k++) {
        const struct mono *m = sym_mono(c, t[k].mono);
        p->at[k] = t[k];
        p->atoms |= m->atoms;
        p->size = saturating_add(p->size, saturating_add(m->size, 1));
        p->depth = larger(p->depth, m->depth);
    }
    uint32_t id = c->polys.n;
    VEC_PUSH(c->arena, c->polys, p);
    map_put(&c->poly_by_hash, h, id);
    if (p->size > SYM_MAX_SIZE) {
        p->instead = opaque_atom(c, h);
        return p->instead;
    }
    set_structure(c, p);
    return (struct sym){id};
}

static struct factor *factor_new(struct sym_ctx *c, enum factor_kind kind, uint64_t h) {
    struct factor *f = ARENA_NEW(c->arena, struct factor);
    f->kind = kind;
    f->hash = h;
    f->range = (struct interval){INT64_MIN, INT64_MAX};
    f->next = chain_of(&c->factor_by_hash, h);
    uint32_t id = c->factors.n;
    VEC_PUSH(c->arena, c->factors, f);
    map_put(&c->factor_by_hash, h, id);
    return f;
}

/* After the fields are set: the monomial and the polynomial of the factor that was made last but
   for those that its making made. */
static struct sym factor_finish(struct sym_ctx *c, struct factor *f, uint32_t id) {
    struct power p = {id, 1};
    f->mono = mono_of(c, &p, 1);
    f->self = term_of(c, 1, f->mono);
    return f->self;
}

struct sym sym_atom(struct sym_ctx *c, struct name n) {
    const char *text = name_text(c->names, n);
    uint64_t h = hash_bytes(text, strlen(text), 5);
    for (uint32_t i = chain_of(&c->factor_by_hash, h); i != UINT32_MAX; i = sym_factor(c, i)->next)
        if (sym_factor(c, i)->kind == F_ATOM && name_eq(sym_factor(c, i)->name, n))
            return sym_factor(c, i)->self;
    uint32_t id = c->factors.n;
    struct factor *f = factor_new(c, F_ATOM, h);
    f->name = n;
    f->size = 1;
    f->atoms = UINT64_C(1) << (n.i % 64);
    return factor_finish(c, f, id);
}

struct sym sym_factor_of(struct sym_ctx *c, enum factor_kind kind, struct sym a, struct sym b) {
    const struct poly *pa = sym_poly(c, a), *pb = sym_poly(c, b);
    uint64_t h = mix(mix(mix(7, kind), pa->hash), pb->hash);
    c->steps++;
    for (uint32_t i = chain_of(&c->factor_by_hash, h); i != UINT32_MAX;
         i = sym_factor(c, i)->next) {
        const struct factor *old = sym_factor(c, i);
        if (old->kind == kind && sym_eq(old->a, a) && sym_eq(old->b, b))
            return old->self;
    }
    uint32_t id = c->factors.n;
    struct factor *f = factor_new(c, kind, h);
    f->a = a;
    f->b = b;
    f->atoms = pa->atoms | pb->atoms;
    f->size = saturating_add(1, saturating_add(pa->size, pb->size));
    f->depth = 1 + larger(pa->depth, pb->depth);
    if (f->size > SYM_MAX_SIZE || f->depth > SYM_MAX_DEPTH) {
        f->self = opaque_atom(c, h);
        return f->self;
    }
    f->range = sym_kind_range(kind, sym_range(c, a), sym_range(c, b));
    return factor_finish(c, f, id);
}

/* An opaque sum or product: the value is kept, the form is not multiplied out. */
static struct sym opaque_pair(struct sym_ctx *c, enum factor_kind kind, struct sym a, struct sym b,
                              bool overflow) {
    c->overflowed |= overflow;
    return sym_compare(c, a, b) <= 0 ? sym_factor_of(c, kind, a, b) : sym_factor_of(c, kind, b, a);
}

/* ---- Arithmetic ---- */

struct sym sym_const(struct sym_ctx *c, int64_t v) {
    struct term t = {v, SYM_UNIT};
    return sym_poly_of(c, &t, v != 0);
}

struct sym sym_scale(struct sym_ctx *c, int64_t k, struct sym a) {
    if (k == 1)
        return a;
    if (k == 0)
        return sym_const(c, 0);
    const struct poly *p = sym_poly(c, a);
    struct term t[SYM_MAX_TERMS];
    for (uint32_t i = 0; i < p->n; i++) {
        t[i].mono = p->at[i].mono;
        if (__builtin_mul_overflow(k, p->at[i].coef, &t[i].coef))
            return opaque_pair(c, F_MUL, sym_const(c, k), a, true);
    }
    return sym_poly_of(c, t, p->n);
}

struct sym sym_combine(struct sym_ctx *c, int64_t ka, struct sym a, int64_t kb, struct sym b) {
    const struct poly *p = sym_poly(c, a), *q = sym_poly(c, b);
    struct term t[SYM_MAX_TERMS];
    uint32_t n = 0, i = 0, j = 0;
    bool overflow = false;
    while (i < p->n || j < q->n) {
        c->steps++;
        int o = i == p->n ? 1 : j == q->n ? -1 : sym_mono_compare(c, p->at[i].mono, q->at[j].mono);
        struct term r = {0, o <= 0 ? p->at[i].mono : q->at[j].mono};
        int64_t x = 0, y = 0;
        if (o <= 0)
            overflow |= __builtin_mul_overflow(ka, p->at[i++].coef, &x);
        if (o >= 0 && kb == -1) { /* not by -1 first: x - INT64_MIN may fit */
            overflow |= __builtin_sub_overflow(x, q->at[j++].coef, &r.coef);
        } else {
            if (o >= 0)
                overflow |= __builtin_mul_overflow(kb, q->at[j++].coef, &y);
            overflow |= __builtin_add_overflow(x, y, &r.coef);
        }
        if (overflow || (r.coef != 0 && n == SYM_MAX_TERMS))
            return opaque_pair(c, F_ADD, sym_scale(c, ka, a), sym_scale(c, kb, b), overflow);
        if (r.coef != 0)
            t[n++] = r;
    }
    return sym_poly_of(c, t, n);
}

struct sym sym_add(struct sym_ctx *c, struct sym a, struct sym b) {
    return sym_combine(c, 1, a, 1, b);
}

struct sym sym_sub(struct sym_ctx *c, struct sym a, struct sym b) {
    return sym_combine(c, 1, a, -1, b);
}

struct sym sym_neg(struct sym_ctx *c, struct sym a) {
    return sym_scale(c, -1, a);
}

bool sym_mono_multiply(struct sym_ctx *c, uint32_t x, uint32_t y, uint32_t *product) {
    const struct mono *a = sym_mono(c, x), *b = sym_mono(c, y);
    struct power p[SYM_MAX_DEGREE];
    uint32_t n = 0, i = 0, j = 0;
    if (a->degree + b->degree > SYM_MAX_DEGREE)
        return false;
    while (i < a->n || j < b->n) {
        int o = i == a->n   ? 1
                : j == b->n ? -1
                            : factor_compare(c, a->at[i].factor, b->at[j].factor);
        p[n] = o <= 0 ? a->at[i++] : b->at[j];
        if (o == 0)
            p[n].power += b->at[j].power;
        if (o >= 0)
            j++;
        n++;
    }
    *product = mono_of(c, p, n);
    return true;
}

bool sym_mono_divide(struct sym_ctx *c, uint32_t x, uint32_t y, uint32_t *quotient) {
    const struct mono *a = sym_mono(c, x), *b = sym_mono(c, y);
    struct power p[SYM_MAX_DEGREE];
    uint32_t n = 0, j = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        c->steps++;
        p[n] = a->at[i];
        if (j < b->n && b->at[j].factor == a->at[i].factor) {
            if (b->at[j].power > p[n].power)
                return false;
            p[n].power -= b->at[j++].power;
        }
        n += p[n].power != 0;
    }
    if (j < b->n) /* both are sorted, so a factor of b that a lacks is never passed */
        return false;
    *quotient = mono_of(c, p, n);
    return true;
}

/* Merge sort by monomial: stable, and n log n whatever the input. */
static void sort_terms(struct sym_ctx *c, struct term *t, struct term *room, uint32_t n) {
    for (uint32_t width = 1; width < n; width *= 2) {
        for (uint32_t at = 0; at < n; at += 2 * width) {
            uint32_t mid = at + width < n ? at + width : n;
            uint32_t end = at + 2 * width < n ? at + 2 * width : n;
            uint32_t i = at, j = mid;
            for (uint32_t k = at; k < end; k++) {
                bool left = j == end || (i < mid && sym_mono_compare(c, t[i].mono, t[j].mono) <= 0);
                room[k] = left ? t[i++] : t[j++];
            }
        }
        memcpy(t, room, n * sizeof *t);
    }
}

/* Adds up equal monomials of the sorted T in place; the new count, UINT32_MAX on overflow. */
static uint32_t collect_terms(struct term *t, uint32_t n) {
    uint32_t m = 0;
    for (uint32_t i = 0; i < n;) {
        struct term r = t[i++];
        for (; i < n && t[i].mono == r.mono; i++)
            if (__builtin_add_overflow(r.coef, t[i].coef, &r.coef))
                return UINT32_MAX;
        if (r.coef != 0)
            t[m++] = r;
    }
    return m;
}

struct sym sym_mul(struct sym_ctx *c, struct sym a, struct sym b) {
    int64_t k;
    if (sym_is_const(c, a, &k))
        return sym_scale(c, k, b);
    if (sym_is_const(c, b, &k))
        return sym_scale(c, k, a);
    const struct poly *p = sym_poly(c, a), *q = sym_poly(c, b);
    struct term t[SYM_MAX_PRODUCTS], room[SYM_MAX_PRODUCTS];
    uint32_t n = 0;
    if (p->n * q->n > SYM_MAX_PRODUCTS)
        return opaque_pair(c, F_MUL, a, b, false);
    for (uint32_t i = 0; i < p->n; i++) {
        for (uint32_t j = 0; j < q->n; j++, n++) {
            c->steps++;
            if (__builtin_mul_overflow(p->at[i].coef, q->at[j].coef, &t[n].coef))
                return opaque_pair(c, F_MUL, a, b, true);
            if (!sym_mono_multiply(c, p->at[i].mono, q->at[j].mono, &t[n].mono))
                return opaque_pair(c, F_MUL, a, b, false);
        }
    }
    sort_terms(c, t, room, n);
    uint32_t m = collect_terms(t, n);
    if (m > SYM_MAX_TERMS)
        return opaque_pair(c, F_MUL, a, b, m == UINT32_MAX);
    return sym_poly_of(c, t, m);
}

/* ---- Structure ---- */

bool sym_is_const(const struct sym_ctx *c, struct sym a, int64_t *v) {
    const struct poly *p = sym_poly(c, a);
    if (a.i == 0 || p->kind != SYM_CONST)
        return false;
    if (v)
        *v = p->n ? p->at[0].coef : 0;
    return true;
}

bool sym_is_atom(const struct sym_ctx *c, struct sym a, struct name *n) {
    const struct factor *f = sym_lone_factor(c, a);
    if (!f || f->kind != F_ATOM)
        return false;
    if (n)
        *n = f->name;
    return true;
}

enum sym_kind sym_kind(const struct sym_ctx *c, struct sym a) {
    return sym_poly(c, a)->kind;
}

uint32_t sym_count(const struct sym_ctx *c, struct sym a) {
    return sym_poly(c, a)->noperands;
}

struct sym sym_operand(const struct sym_ctx *c, struct sym a, uint32_t k) {
    return sym_poly(c, a)->operands[k];
}

const struct factor *sym_mono_factor(const struct sym_ctx *c, uint32_t m) {
    return sym_mono(c, m)->degree == 1 ? sym_factor(c, sym_mono(c, m)->at[0].factor) : NULL;
}

const struct factor *sym_lone_factor(const struct sym_ctx *c, struct sym a) {
    const struct poly *p = sym_poly(c, a);
    return p->n == 1 && p->at[0].coef == 1 ? sym_mono_factor(c, p->at[0].mono) : NULL;
}

int64_t sym_constant_part(const struct sym_ctx *c, struct sym a) {
    const struct poly *p = sym_poly(c, a);
    return p->n && p->at[p->n - 1].mono == SYM_UNIT ? p->at[p->n - 1].coef : 0;
}

/* ---- Limits ---- */

struct exceeds {
    const struct sym_ctx *c;
    bool found;
};

static void ask_opaque(void *data, struct name n) {
    struct exceeds *x = data;
    x->found = x->found || strncmp(name_text(x->c->names, n), OPAQUE, strlen(OPAQUE)) == 0;
}

bool sym_exceeds(struct sym_ctx *c, struct sym a) {
    struct exceeds x = {c, false};
    if (c->overflowed)
        sym_atoms(c, a, ask_opaque, &x);
    return x.found;
}
