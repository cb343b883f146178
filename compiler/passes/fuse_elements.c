/* Fuses a consumer into the place where its input is made. A map that reads each element of a
   container exactly once, at its own indices, runs instead at the write that makes the element,
   with the value at hand: chains of elementwise maps become one, and the bias and activation after
   a tiled kernel move into its store, inside its tiles and registers.

   Sound because (laws that every step keeps):
   1. The container is declared in the region of both maps, starts unwritten and is written by one
      memlet without resolution. Iterations
      that write one element twice would be an error, and so would the consumer's read of an element
      that was never written: every element of the consumer's range is written exactly once.
   2. What the consumer reads beside it is not written between the two, nor by the producer; what it
      writes is not touched there.
   3. Where the producer drops a write outside, the consumer's writes are outside too (each has the
      same index in a dimension of at most the same size) and are dropped; its reads there get 0.
   4. Iterations of the maps around the producer's write, and of the consumer, are proved to be
      independent (or the user says so): what is not proved runs in index order, and an element may
      be written twice.
   5. In a strict program the consumer's iterations share no float sum or product: they come to run
      in the producer's order.
   The container stays as long as something else reads it; `dead` removes it otherwise. */
#include "compiler/analysis/depend.h"
#include "compiler/passes/pass.h"
#include "compiler/passes/uses.h"

struct fuse {
    struct graph *g;
    struct arena *scratch;
    struct sym_facts *facts;
    struct use_count *counts;
    const struct region **home; /* per container: the region that declares it */
    struct map free;            /* ids of maps that are known to be free of conflicts */
    bool strict, changed;
};

/* The write of Y in the nest of maps N: its region and position. */
struct site {
    struct region *region;
    uint32_t at;
};

static bool find_site(struct region *r, struct cont y, struct site *s) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        if (n->kind == NODE_WRITE && n->write.to.cont.i == y.i) {
            *s = (struct site){r, i};
            return n->write.to.resolution == RES_NONE;
        }
        if (n->kind == NODE_MAP && find_site(&n->map.body, y, s))
            return true;
    }
    return false;
}

/* Which index of map C the subscript S is, alone; -1 if it is none. */
static int alone(const struct graph *g, const struct node *c, struct sym s) {
    struct name n;
    if (!sym_is_atom(g->syms, s, &n))
        return -1;
    for (uint32_t k = 0; k < c->map.n; k++)
        if (name_eq(c->map.index[k].name, n))
            return (int)k;
    return -1;
}

static bool flat(const struct node *c) {
    for (uint32_t i = 0; i < c->map.body.nodes.n; i++) {
        enum node_kind k = c->map.body.nodes.at[i]->kind;
        if (k != NODE_READ && k != NODE_LET && k != NODE_WRITE)
            return false;
    }
    return true;
}

static bool full_range(struct fuse *f, const struct index *x, struct sym size) {
    int64_t lo, step;
    return sym_is_const(f->g->syms, x->lo, &lo) && lo == 0 &&
           sym_is_const(f->g->syms, x->step, &step) && step == 1 &&
           (sym_eq(x->hi, size) || sym_prove_eq(f->facts, x->hi, size));
}

/* Whether every iteration of C reads exactly its own element of Y. DIM[k] gets the dimension of Y
   that index k of C is. */
static bool reads_elementwise(struct fuse *f, const struct node *c, struct cont y, int *dim) {
    const struct container *shape = graph_cont(f->g, y);
    const struct memlet *seen = NULL;
    for (uint32_t i = 0; i < c->map.body.nodes.n; i++) {
        const struct node *n = c->map.body.nodes.at[i];
        if (n->kind == NODE_WRITE && n->write.to.cont.i == y.i)
            return false;
        if (n->kind != NODE_READ || n->read.from.cont.i != y.i)
            continue;
        const struct memlet *m = &n->read.from;
        if (seen)
            for (uint32_t d = 0; d < m->rank; d++)
                if (!sym_eq(seen->at[d], m->at[d]))
                    return false;
        seen = m;
    }
    if (!seen)
        return false;
    for (uint32_t k = 0; k < c->map.n; k++)
        dim[k] = -1;
    for (uint32_t d = 0; d < seen->rank; d++) {
        int k = alone(f->g, c, seen->at[d]);
        int64_t zero, one;
        if (k < 0) { /* a dimension of size 1 has one subscript */
            if (!sym_is_const(f->g->syms, seen->at[d], &zero) || zero != 0 ||
                !sym_is_const(f->g->syms, shape->dims[d], &one) || one != 1)
                return false;
            continue;
        }
        if (dim[k] >= 0 || !full_range(f, &c->map.index[k], shape->dims[d]))
            return false;
        dim[k] = (int)d;
    }
    for (uint32_t k = 0; k < c->map.n; k++)
        if (dim[k] < 0)
            return false;
    return true;
}

/* Law 3. */
static bool drops_too(struct fuse *f, const struct node *c, const struct memlet *made,
                      const int *dim) {
    const struct container *shape = graph_cont(f->g, made->cont);
    for (uint32_t d = 0; d < shape->rank; d++) { /* of size 1, without an index: never outside */
        int64_t zero;
        bool indexed = false;
        for (uint32_t k = 0; k < c->map.n; k++)
            indexed = indexed || dim[k] == (int)d;
        if (!indexed && (!sym_is_const(f->g->syms, made->at[d], &zero) || zero != 0))
            return false;
    }
    for (uint32_t i = 0; i < c->map.body.nodes.n; i++) {
        const struct node *n = c->map.body.nodes.at[i];
        if (n->kind != NODE_WRITE)
            continue;
        const struct memlet *m = &n->write.to;
        for (uint32_t k = 0; k < c->map.n; k++) {
            bool bound = false;
            for (uint32_t d = 0; d < m->rank && !bound; d++)
                bound =
                    alone(f->g, c, m->at[d]) == (int)k &&
                    sym_prove_le(f->facts, graph_cont(f->g, m->cont)->dims[d], shape->dims[dim[k]]);
            if (!bound)
                return false;
        }
    }
    return true;
}

/* What the words of the maps around site S, from N inwards, ask of what stands there. */
struct words {
    bool at_once, vector;
};

static bool words_around(const struct node *n, const struct region *site, struct words *w) {
    bool found = &n->map.body == site;
    for (uint32_t i = 0; i < n->map.body.nodes.n && !found; i++) {
        const struct node *x = n->map.body.nodes.at[i];
        found = x->kind == NODE_MAP && words_around(x, site, w);
    }
    for (uint32_t k = 0; k < n->map.n && found; k++) {
        enum schedule s = n->map.index[k].schedule;
        w->vector = w->vector || s == SCHED_VECTOR;
        w->at_once = w->at_once || s == SCHED_PARALLEL || s == SCHED_GRID || s == SCHED_BLOCK ||
                     s == SCHED_WARP;
    }
    return found;
}

/* Whether C may run under the words around S: its iterations write elements of their own, as those
   of the producer do, or meet in a resolution that its vectors may share. */
static bool words_allow(struct fuse *f, struct node *p, const struct site *s,
                        const struct node *c) {
    struct words w = {false, false};
    words_around(p, s->region, &w);
    for (uint32_t i = 0; i < c->map.body.nodes.n && (w.at_once || w.vector); i++) {
        const struct node *n = c->map.body.nodes.at[i];
        if (n->kind != NODE_WRITE || (n->write.to.resolution != RES_NONE && !w.at_once))
            continue;
        for (uint32_t k = 0; k < c->map.n; k++) {
            bool found = false;
            for (uint32_t d = 0; d < n->write.to.rank && !found; d++)
                found = alone(f->g, c, n->write.to.at[d]) == (int)k;
            if (!found)
                return false;
        }
    }
    return true;
}

/* Law 4 for one map; what a fusion leaves is free if both parts were. */
static bool is_free(struct fuse *f, const struct node *n) {
    if (n->map.unique || map_get(&f->free, n->id, NULL))
        return true;
    if (node_race(f->g, n, f->facts, CONFLICT_ERROR, NULL) != RACE_FREE)
        return false;
    map_put(&f->free, n->id, 1);
    return true;
}

/* All maps from N down to the write of Y. */
static bool path_is_free(struct fuse *f, const struct node *n, struct cont y) {
    struct site s;
    if (!is_free(f, n))
        return false;
    uint32_t mark = sym_facts_mark(f->facts);
    for (uint32_t k = 0; k < n->map.n; k++)
        index_facts(f->facts, f->g->syms, &n->map.index[k]);
    bool ok = true;
    for (uint32_t i = 0; ok && i < n->map.body.nodes.n; i++) {
        struct node *x = n->map.body.nodes.at[i];
        if (x->kind == NODE_MAP && find_site(&x->map.body, y, &s)) {
            ok = path_is_free(f, x, y);
            break;
        }
    }
    sym_facts_restore(f->facts, mark);
    return ok;
}

struct law2 {
    const struct uses *u;
    struct cont y;
    uint32_t p, c;
    bool ok;
};

static void check_law2(void *data, struct cont x, bool write) {
    struct law2 *l = data;
    if (x.i == l->y.i)
        return;
    uint32_t decl = uses_decl(l->u, x);
    bool between = decl != UINT32_MAX && decl > l->p && decl < l->c;
    if (between ? !write && !uses_between(l->u, x, l->p, UINT32_MAX, UINT32_MAX, true)
                : uses_between(l->u, x, l->p, l->c, UINT32_MAX, !write))
        l->ok = false;
    if (between && uses_between(l->u, x, decl + 1, l->c, UINT32_MAX, false))
        l->ok = false; /* something happens to it after its declaration */
}

/* DECLs between the two of containers that C uses must move up, and C itself does: neither may
   depend on a value that is defined between the two. */
struct defined {
    const struct region *r;
    uint32_t from, to;
    bool ok;
};

static void check_defined(void *data, struct name n) {
    struct defined *d = data;
    for (uint32_t i = d->from; i < d->to; i++) {
        const struct node *x = d->r->nodes.at[i];
        if (((x->kind == NODE_READ && name_eq(x->read.name, n)) ||
             (x->kind == NODE_LET && name_eq(x->let.name, n))))
            d->ok = false;
    }
}

static bool decl_moves(struct fuse *f, const struct region *r, uint32_t from, uint32_t to,
                       struct cont c) {
    struct defined d = {r, from, to, true};
    const struct container *x = graph_cont(f->g, c);
    for (uint32_t k = 0; k < x->rank; k++)
        sym_atoms(f->g->syms, x->dims[k], check_defined, &d);
    return d.ok;
}

static void expr_names(const struct graph *g, const struct expr *e,
                       void (*visit)(void *, struct name), void *data) {
    if (e->kind == EXPR_VALUE)
        visit(data, e->value);
    if (e->kind == EXPR_SYM)
        sym_atoms(g->syms, e->sym, visit, data);
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        expr_names(g, e->args[i], visit, data);
}

static bool independent_of_values(struct fuse *f, const struct region *r, uint32_t from,
                                  uint32_t to, const struct node *c) {
    struct defined d = {r, from, to, true};
    for (uint32_t i = 0; i < c->map.body.nodes.n && d.ok; i++) {
        const struct node *n = c->map.body.nodes.at[i];
        if (n->kind == NODE_LET)
            expr_names(f->g, n->let.value, check_defined, &d);
        if (n->kind == NODE_WRITE)
            expr_names(f->g, n->write.value, check_defined, &d);
        const struct memlet *m = n->kind == NODE_READ    ? &n->read.from
                                 : n->kind == NODE_WRITE ? &n->write.to
                                                         : NULL;
        for (uint32_t k = 0; m && k < m->rank; k++)
            sym_atoms(f->g->syms, m->at[k], check_defined, &d);
    }
    return d.ok;
}

/* Puts the body of C behind the write at S. */
static void inline_at(struct fuse *f, struct site s, const struct node *c, struct cont y,
                      const int *dim) {
    struct graph *g = f->g;
    struct node *w = s.region->nodes.at[s.at];
    bool drop = w->write.to.outside == OUTSIDE_DROP;
    struct region out = {0};
    for (uint32_t i = 0; i < s.at; i++)
        region_add(g, &out, s.region->nodes.at[i]);
    struct name value;
    if (w->write.value->kind == EXPR_VALUE) {
        value = w->write.value->value;
    } else {
        struct node *let = node_new(g, NODE_LET, w->span);
        value = let->let.name = graph_fresh(g, name_of_text(g->names, "e"));
        let->let.value = w->write.value;
        region_add(g, &out, let);
        w->write.value = expr_value(g, w->write.value->dtype, value);
    }
    region_add(g, &out, w);
    uint32_t body = c->map.body.nodes.n, n = 0;
    struct name *from = ARENA_ARRAY(f->scratch, struct name, c->map.n + body);
    struct sym *to = ARENA_ARRAY(f->scratch, struct sym, c->map.n + body);
    for (uint32_t k = 0; k < c->map.n; k++) {
        from[n] = c->map.index[k].name;
        to[n++] = w->write.to.at[dim[k]];
    }
    struct region rest = {0};
    for (uint32_t i = 0; i < body; i++) {
        struct node *x = c->map.body.nodes.at[i];
        bool own = x->kind == NODE_READ && x->read.from.cont.i == y.i;
        if (x->kind == NODE_READ || x->kind == NODE_LET) {
            from[n] = x->kind == NODE_READ ? x->read.name : x->let.name;
            to[n] = sym_atom(g->syms, own ? value : graph_fresh(g, from[n]));
            n++;
        }
        if (!own)
            region_add(g, &rest, x);
    }
    struct subst sub = {.n = n, .from = from, .to = to};
    struct region copy = region_clone(g, &rest, &sub);
    for (uint32_t i = 0; i < copy.nodes.n; i++) {
        struct node *x = copy.nodes.at[i];
        if (drop && x->kind == NODE_WRITE)
            x->write.to.outside = OUTSIDE_DROP;
        if (drop && x->kind == NODE_READ && x->read.from.rank > 0 &&
            x->read.from.outside == OUTSIDE_ERROR) {
            x->read.from.outside = OUTSIDE_VALUE;
            x->read.from.other = scalar_from_i64(graph_cont(g, x->read.from.cont)->dtype, 0);
        }
        region_add(g, &out, x);
    }
    for (uint32_t i = s.at + 1; i < s.region->nodes.n; i++)
        region_add(g, &out, s.region->nodes.at[i]);
    *s.region = out;
}

struct moves { /* containers that C uses and that are declared between the two */
    const struct uses *u;
    uint32_t p, c;
    VEC(uint32_t) decls;
    struct arena *arena;
};

static void collect_moves(void *data, struct cont x, bool write) {
    struct moves *m = data;
    uint32_t d = uses_decl(m->u, x);
    (void)write;
    if (d == UINT32_MAX || d <= m->p || d >= m->c)
        return;
    for (uint32_t i = 0; i < m->decls.n; i++)
        if (m->decls.at[i] == d)
            return;
    VEC_PUSH(m->arena, m->decls, d);
}

/* Tries to fuse node C of R into node P of R through Y. */
static bool try_fuse(struct fuse *f, struct region *r, struct uses *u, uint32_t p, uint32_t c,
                     struct cont y) {
    struct node *cons = r->nodes.at[c];
    struct site s;
    if (cons->kind != NODE_MAP || cons->map.n > 32 || !flat(cons) ||
        !find_site(&r->nodes.at[p]->map.body, y, &s) || !words_allow(f, r->nodes.at[p], &s, cons))
        return false;
    int dim[32];
    if (!reads_elementwise(f, cons, y, dim) || !independent_of_values(f, r, p, c, cons))
        return false;
    const struct memlet *made = &s.region->nodes.at[s.at]->write.to;
    if (made->outside == OUTSIDE_DROP && !drops_too(f, cons, made, dim))
        return false;
    struct law2 law = {u, y, p, c, true};
    node_uses(cons, check_law2, &law);
    if (!law.ok)
        return false;
    struct moves m = {.u = u, .p = p, .c = c, .arena = f->scratch};
    node_uses(cons, collect_moves, &m);
    for (uint32_t i = 0; i < m.decls.n; i++)
        if (!decl_moves(f, r, p, c, r->nodes.at[m.decls.at[i]]->decl.cont))
            return false;
    if (f->strict && node_race(f->g, cons, f->facts, CONFLICT_ORDERED, NULL) != RACE_FREE)
        return false;
    if (!is_free(f, cons) || !path_is_free(f, r->nodes.at[p], y))
        return false;
    inline_at(f, s, cons, y, dim);
    /* In place: the declarations go in front of P, C goes. */
    uint32_t at = p;
    for (uint32_t i = p; i <= c; i++) {
        struct node *n = r->nodes.at[i];
        bool moves = false;
        for (uint32_t k = 0; k < m.decls.n; k++)
            moves = moves || m.decls.at[k] == i;
        if (!moves)
            continue;
        for (uint32_t j = i; j > at; j--)
            r->nodes.at[j] = r->nodes.at[j - 1];
        r->nodes.at[at++] = n;
    }
    for (uint32_t i = c + 1; i < r->nodes.n; i++)
        r->nodes.at[i - 1] = r->nodes.at[i];
    r->nodes.n--;
    f->changed = true;
    return true;
}

/* One fusion into the map at P; false if there is none. Only the nodes that follow within WINDOW
   are looked at, so that a long program takes time in proportion to its length. */
#define WINDOW 64

static bool fuse_into(struct fuse *f, struct region *r, uint32_t p) {
    struct arena *a = arena_under(f->scratch);
    struct uses u;
    uses_of(&u, a, f->g, r, p, p + WINDOW);
    bool done = false;
    for (uint32_t i = 0; i < u.conts.n && !done; i++) {
        const struct cont_uses *y = &u.conts.at[i];
        if (y->of.n < 2 || f->counts[y->cont.i].writes != 1 || y->of.at[0].at != p ||
            !y->of.at[0].write)
            continue;
        if (f->home[y->cont.i] != r)
            continue; /* declared outside: earlier iterations may have written the rest of it */
        for (uint32_t k = 1; k < y->of.n && !done; k++)
            if (y->of.at[k].read && !y->of.at[k].write)
                done = try_fuse(f, r, &u, p, y->of.at[k].at, y->cont);
    }
    arena_free(a);
    return done;
}

static void fuse_region(struct fuse *f, struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++)
        if (r->nodes.at[i]->kind == NODE_DECL)
            f->home[r->nodes.at[i]->decl.cont.i] = r;
    for (uint32_t p = 0; p < r->nodes.n; p++) {
        struct node *n = r->nodes.at[p];
        uint32_t mark = sym_facts_mark(f->facts);
        while (n->kind == NODE_MAP && fuse_into(f, r, p)) /* DECLs may have moved in front of it */
            while (r->nodes.at[p] != n)
                p++;
        struct region *inner[2];
        uint32_t count = node_regions(n, inner);
        node_facts(f->facts, f->g->syms, n);
        for (uint32_t k = 0; k < count; k++)
            fuse_region(f, inner[k]);
        sym_facts_restore(f->facts, mark);
    }
}

bool pass_fuse_elements(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    struct fuse f = {
        .g = g, .scratch = scratch, .facts = graph_facts(scratch, g), .strict = t->strict};
    f.counts = use_counts(scratch, g);
    f.free = map_new(scratch);
    f.home = arena_alloc(scratch, sizeof *f.home * g->conts.n);
    for (uint32_t i = 0; i < g->results.n; i++)
        f.home[g->results.at[i].i] = &g->body;
    fuse_region(&f, &g->body);
    return f.changed;
}
