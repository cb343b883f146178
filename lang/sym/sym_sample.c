/* Values of atoms that satisfy the facts. A goal that one of them makes negative cannot be proved,
   so the search leaves it at once; and the least value seen is where bounds are looked for.
   Atoms are given values in the order in which they were declared, each within its bounds, which
   are evaluated from the values before; then every fact that concerns them is checked. The choice
   comes from a fixed sequence, so the same question has the same answer. Nothing here proves: a
   sample that violates a fact would at worst lose a proof. */
#include "lang/sym/sym_proof.h"

/* Samples in the making. */
struct sample {
    struct sym_facts *facts;
    struct samples *into;
    int64_t value[SYM_SAMPLE_ATOMS]; /* of the atoms of INTO that are `set` */
    bool set[SYM_SAMPLE_ATOMS];
    uint32_t rank[SYM_SAMPLE_ATOMS];
    bool full;
    uint64_t random;
};

static void add_atom(void *data, struct name n) {
    struct sample *s = data;
    struct samples *v = s->into;
    for (uint32_t k = 0; k < v->natoms; k++)
        if (name_eq(v->atom[k], n))
            return;
    if (v->natoms == SYM_SAMPLE_ATOMS) {
        s->full = true;
        return;
    }
    const struct fact *e = sym_fact_of(s->facts, n);
    uint32_t rank = e ? e->rank + 1 : 0, k = v->natoms++;
    for (; k > 0 && s->rank[k - 1] > rank; k--) {
        v->atom[k] = v->atom[k - 1];
        s->rank[k] = s->rank[k - 1];
    }
    v->atom[k] = n;
    s->rank[k] = rank;
}

static bool concerns(const struct sample *s, struct sym a) {
    for (uint32_t k = 0; k < s->into->natoms; k++)
        if (sym_contains(s->facts->ctx, a, s->into->atom[k]))
            return true;
    return false;
}

static void add_atoms(struct sample *s, struct sym a) {
    if (!sym_none(a))
        sym_atoms(s->facts->ctx, a, add_atom, s);
}

/* The atoms of A and all that the facts tie them to; ALL: those of all facts. */
static bool gather(struct sample *s, struct sym a, bool all) {
    uint32_t before;
    s->into->natoms = 0;
    s->full = false;
    add_atoms(s, a);
    do {
        before = s->into->natoms;
        for (uint32_t k = 0; k < s->facts->at.n && !s->full; k++) {
            const struct fact *e = &s->facts->at.at[k];
            s->facts->ctx->steps++;
            bool known = all || (e->kind == FACT_NONNEG && concerns(s, e->nonneg[0]));
            for (uint32_t i = 0; i < before && e->kind != FACT_NONNEG; i++)
                known |= name_eq(s->into->atom[i], e->atom);
            if (!known)
                continue;
            if (e->kind != FACT_NONNEG)
                add_atom(s, e->atom);
            if (e->kind == FACT_NONNEG)
                add_atoms(s, e->nonneg[0]);
            add_atoms(s, e->lo);
            add_atoms(s, e->hi);
            add_atoms(s, e->step);
        }
    } while (s->into->natoms != before && !s->full && !all);
    return !s->full;
}

static bool value_of(void *data, struct name n, int64_t *v) {
    const struct sample *s = data;
    for (uint32_t k = 0; k < s->into->natoms; k++) {
        if (name_eq(s->into->atom[k], n)) {
            *v = s->value[k];
            return s->set[k];
        }
    }
    return false;
}

static bool value(struct sample *s, struct sym a, int64_t *v) {
    s->facts->ctx->steps += sym_none(a) ? 0 : sym_poly(s->facts->ctx, a)->size;
    return !sym_none(a) && sym_eval(s->facts->ctx, a, value_of, s, v);
}

static uint64_t next(struct sample *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

static int64_t choose(struct sample *s, int round, int64_t lo, int64_t hi, bool open) {
    static const int64_t sizes[] = {1, 5, 2, 16, 0, 17, 6, 3, 64, 7, 100, 33};
    uint64_t r = next(s);
    if (open)
        hi = lo + (round == 0 ? 0 : sizes[r % (sizeof sizes / sizeof *sizes)]);
    if (open || round == 1 || lo >= hi)
        return hi;
    if (round == 0)
        return lo;
    int64_t span = hi - lo;
    switch ((r >> 8) % 6) {
    case 0:
    case 1: return lo;
    case 2:
    case 3: return hi;
    case 4: return lo + 1;
    default: return lo + (int64_t)((r >> 16) % (uint64_t)(span < 1000 ? span + 1 : 1000));
    }
}

static int64_t clamp(int64_t v) {
    const int64_t far = INT64_C(1) << 40;
    return v > far ? far : v < -far ? -far : v;
}

/* A value for atom K from its bounds and steps. */
static void assign(struct sample *s, uint32_t k, int round) {
    int64_t lo = 0, hi = 0, v, step;
    bool has_lo = false, has_hi = false;
    const struct fact *first = sym_fact_of(s->facts, s->into->atom[k]);
    for (const struct fact *e = first; e; e = sym_fact_former(s->facts, e)) {
        if (e->kind != FACT_BOUNDS)
            continue;
        if (value(s, e->lo, &v) && (!has_lo || v > lo)) {
            lo = clamp(v);
            has_lo = true;
        }
        if (value(s, e->hi, &v) && (!has_hi || v < hi)) {
            hi = clamp(v);
            has_hi = true;
        }
    }
    if (!has_lo)
        lo = has_hi && hi < 0 ? hi - 8 : 0;
    s->value[k] = choose(s, round, lo, hi, !has_hi);
    for (const struct fact *e = first; e; e = sym_fact_former(s->facts, e))
        if (e->kind == FACT_STEP && value(s, e->lo, &v) && value(s, e->step, &step) && step > 0)
            s->value[k] -= sym_i64_mod(clamp(s->value[k]) - clamp(v), step);
    s->set[k] = true;
}

static bool holds(struct sample *s, const struct fact *e) {
    int64_t v, w, x;
    if (e->kind == FACT_NONNEG)
        return !concerns(s, e->nonneg[0]) || (value(s, e->nonneg[0], &v) && v >= 0);
    if (!value_of(s, e->atom, &x))
        return true;
    if (e->kind == FACT_STEP)
        return value(s, e->lo, &v) && value(s, e->step, &w) && w > 0 &&
               sym_i64_mod(clamp(x) - clamp(v), w) == 0;
    return (sym_none(e->lo) || (value(s, e->lo, &v) && x >= v)) &&
           (sym_none(e->hi) || (value(s, e->hi, &v) && x <= v));
}

static const struct samples *build(struct sym_facts *f, struct sym a) {
    struct samples v = {.stamp = sym_facts_stamp(f)};
    struct sample s = {.facts = f, .into = &v, .random = UINT64_C(0x9e3779b97f4a7c15)};
    int64_t found[SYM_SAMPLES * SYM_SAMPLE_ATOMS];
    uint32_t n = 0;
    if (!gather(&s, a, true) && !gather(&s, a, false))
        v.natoms = 0; /* too many: no samples */
    for (int round = 0; round < SYM_SAMPLES && v.natoms; round++) {
        bool good = true;
        for (uint32_t k = 0; k < v.natoms; k++)
            s.set[k] = false;
        for (uint32_t k = 0; k < v.natoms; k++)
            assign(&s, k, round);
        for (uint32_t k = 0; k < f->at.n && good; k++)
            good = holds(&s, &f->at.at[k]);
        for (uint32_t k = 0; k < v.natoms && good; k++)
            found[n++] = s.value[k];
        v.n += good;
    }
    v.value = arena_copy(f->arena, found, n * sizeof *found);
    return arena_copy(f->arena, &v, sizeof v);
}

/* Whether V has values for all atoms of A. */
struct covering {
    const struct samples *v;
    bool all;
};

static void is_covered(void *data, struct name n) {
    struct covering *s = data;
    bool found = false;
    for (uint32_t k = 0; k < s->v->natoms; k++)
        found |= name_eq(s->v->atom[k], n);
    s->all &= found;
}

const struct samples *sym_samples(struct sym_facts *f, struct sym a) {
    struct covering s = {f->samples, true};
    if (s.v && s.v->stamp == sym_facts_stamp(f)) {
        sym_atoms(f->ctx, a, is_covered, &s);
        if (s.all)
            return s.v;
    }
    f->samples = build(f, a);
    return f->samples;
}

struct reading {
    const struct samples *v;
    uint32_t k;
};

static bool read_atom(void *data, struct name n, int64_t *value) {
    const struct reading *r = data;
    for (uint32_t i = 0; i < r->v->natoms; i++) {
        if (name_eq(r->v->atom[i], n)) {
            *value = r->v->value[r->k * r->v->natoms + i];
            return true;
        }
    }
    return false;
}

bool sym_sample_value(struct sym_ctx *c, const struct samples *v, uint32_t k, struct sym a,
                      int64_t *value) {
    struct reading r = {v, k};
    c->steps += 1 + sym_poly(c, a)->size / 4;
    return sym_eval(c, a, read_atom, &r, value);
}

bool sym_sample_least(struct sym_facts *f, struct sym a, int64_t *least) {
    const struct samples *s = sym_samples(f, a);
    bool found = false;
    int64_t v;
    for (uint32_t k = 0; k < s->n; k++) {
        if (!sym_sample_value(f->ctx, s, k, a, &v))
            continue;
        *least = !found || v < *least ? v : *least;
        found = true;
    }
    return found;
}
