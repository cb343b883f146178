/* Whether iterations of a map touch what others write.
   A container declared outside is safe if some dimension keys it by the index p: all its accesses
   have there `f*p + rest` with one constant f, and the rests, over all that runs inside, spread
   less than f times p's step. Then different p are different elements. Rests are bounded by
   replacing inner indices by their ends, innermost first. A container that is only written, by one
   resolution, is safe for vectors too: their lanes are combined. */
#include "backends/llvm/codegen.h"

struct frame {
    const struct frame *outer;
    const struct index *index;
};

struct touch {
    const struct memlet *m;
    bool write;
    const struct frame *inside;
};

struct collect {
    struct cg *c;
    VEC(struct touch) touches;
};

static void collect_region(struct collect *x, const struct region *r, const struct frame *inside);

static const struct frame *enter(struct cg *c, const struct frame *outer, const struct index *i) {
    struct frame *f = ARENA_NEW(c->a, struct frame);
    *f = (struct frame){outer, i};
    index_facts(c->facts, c->syms, i);
    return f;
}

static void collect_node(struct collect *x, const struct node *n, const struct frame *inside) {
    struct touch t = {NULL, n->kind == NODE_WRITE, inside};
    switch (n->kind) {
    case NODE_READ:
    case NODE_WRITE:
        t.m = t.write ? &n->write.to : &n->read.from;
        VEC_PUSH(x->c->a, x->touches, t);
        break;
    case NODE_MAP:
        for (uint32_t i = 0; i < n->map.n; i++)
            inside = enter(x->c, inside, &n->map.index[i]);
        collect_region(x, &n->map.body, inside);
        break;
    case NODE_LOOP: collect_region(x, &n->loop.body, enter(x->c, inside, &n->loop.index)); break;
    case NODE_BRANCH:
        collect_region(x, &n->branch.then, inside);
        collect_region(x, &n->branch.otherwise, inside);
        break;
    default: break;
    }
}

static void collect_region(struct collect *x, const struct region *r, const struct frame *inside) {
    for (uint32_t i = 0; i < r->nodes.n; i++)
        collect_node(x, r->nodes.at[i], inside);
}

/* The largest (smallest) value of S over the indices of the frames; false if not known. */
static bool extreme(struct cg *c, struct sym s, const struct frame *f, bool largest,
                    struct sym *out) {
    for (; f; f = f->outer) {
        struct sym factor, rest;
        if (!sym_contains(c->syms, s, f->index->name))
            continue;
        if (!sym_linear(c->syms, s, f->index->name, &factor, &rest))
            return false;
        bool up = sym_prove_nonneg(c->facts, factor);
        if (!up && !sym_prove_nonneg(c->facts, sym_neg(c->syms, factor)))
            return false;
        struct sym end = sym_sub(c->syms, f->index->hi, sym_const(c->syms, 1));
        s = sym_add(c->syms, rest,
                    sym_mul(c->syms, factor, up == largest ? end : f->index->lo));
    }
    *out = s;
    return true;
}

struct key {
    struct sym low, high;
};

static bool keyed(struct cg *c, const struct uses *u, const struct touch *t, uint32_t n,
                  uint32_t dim, const struct index *p) {
    int64_t f = 0, step;
    struct key *keys = ARENA_ARRAY(c->a, struct key, n);
    if (!sym_is_const(c->syms, p->step, &step))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        struct sym factor, rest;
        int64_t k;
        if (!sym_linear(c->syms, t[i].m->at[dim], p->name, &factor, &rest) ||
            !sym_is_const(c->syms, factor, &k) || k == 0 || (i && k != f))
            return false;
        f = k;
        if (!extreme(c, rest, t[i].inside, true, &keys[i].high) ||
            !extreme(c, rest, t[i].inside, false, &keys[i].low) ||
            sym_uses_any(c, keys[i].high, &u->defined) || sym_uses_any(c, keys[i].low, &u->defined))
            return false;
    }
    struct sym spread = sym_const(c->syms, (f < 0 ? -f : f) * step);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            /* One p belongs to i, another to j: only one of them can be reasoned about. */
            if (sym_contains(c->syms, keys[i].high, p->name) &&
                sym_contains(c->syms, keys[j].low, p->name))
                return false;
            if (!sym_prove_lt(c->facts, sym_sub(c->syms, keys[i].high, keys[j].low), spread))
                return false;
        }
    return true;
}

static bool container_safe(struct cg *c, const struct node *n, uint32_t k, const struct uses *u,
                           const struct touch *t, uint32_t count, enum independence what) {
    bool writes = false, resolved = true, plain = true;
    for (uint32_t i = 0; i < count; i++) {
        enum resolution r = t[i].write ? t[i].m->resolution : RES_NONE;
        writes = writes || t[i].write;
        plain = plain && r == RES_NONE;
        resolved = resolved && r != RES_NONE && r == t[0].m->resolution;
    }
    if (!writes || (resolved && what == INDEPENDENT_VECTOR) || (plain && n->map.unique))
        return true;
    for (uint32_t d = 0; d < t[0].m->rank; d++)
        if (keyed(c, u, t, count, d, &n->map.index[k]))
            return true;
    return false;
}

bool map_independent(struct cg *c, const struct node *n, uint32_t k, enum independence what) {
    uint32_t facts = sym_facts_mark(c->facts);
    struct uses u;
    map_uses(c, n, k + 1, &u);
    struct collect x = {.c = c};
    const struct frame *inside = NULL;
    for (uint32_t i = 0; i < n->map.n; i++) {
        if (i <= k)
            index_facts(c->facts, c->syms, &n->map.index[i]);
        else
            inside = enter(c, inside, &n->map.index[i]);
    }
    collect_region(&x, &n->map.body, inside);
    bool ok = true;
    struct touch *same = ARENA_ARRAY(c->a, struct touch, x.touches.n);
    for (uint32_t i = 0; i < u.conts.n && ok; i++) {
        uint32_t count = 0;
        if (map_get(&u.declared, u.conts.entries[i].key, NULL))
            continue;
        for (uint32_t j = 0; j < x.touches.n; j++)
            if (x.touches.at[j].m->cont.i == u.conts.entries[i].key)
                same[count++] = x.touches.at[j];
        ok = container_safe(c, n, k, &u, same, count, what);
    }
    sym_facts_restore(c->facts, facts);
    return ok;
}
