/* Movement: memlets are propagated out of a kernel (subset_project over each index, innermost
   first), united per container, and their volume counted; loops around a kernel multiply it. */
#include "compiler/analysis/movement.h"

#include "compiler/analysis/access.h"

struct mover {
    struct arena *arena;
    const struct graph *g;
    struct sym_ctx *syms;
    struct sym_facts *facts;
    struct movement *all; /* by container */
};

/* What of one container is touched so far in one direction. */
struct touched {
    bool any;
    bool boxed; /* `box` holds all of it */
    struct subset box;
    struct sym count; /* the volumes of all memlets together */
};

static struct sym volume(struct mover *m, const struct container *c) {
    struct sym v = sym_const(m->syms, 1);
    for (uint32_t d = 0; d < c->rank; d++)
        v = sym_mul(m->syms, v, c->dims[d]);
    return v;
}

/* The number of values of X: 0 if it is empty. */
static struct sym trips(struct mover *m, const struct index *x) {
    struct sym_ctx *c = m->syms;
    struct sym length = sym_sub(c, x->hi, x->lo), one = sym_const(c, 1);
    struct sym n = sym_floordiv(c, sym_sub(c, sym_add(c, length, x->step), one), x->step);
    return sym_simplify(m->facts, sym_max(c, n, sym_const(c, 0)));
}

/* S summed over the values of X: exact if S is linear in X, else an upper bound for S that grows
   or falls with it (its value at one end), as far as that is proved. */
static struct sym summed(struct mover *m, struct sym s, const struct index *x) {
    struct sym_ctx *c = m->syms;
    struct sym n = trips(m, x), factor, rest;
    if (!sym_contains(c, s, x->name))
        return sym_mul(c, n, s);
    if (sym_linear(c, s, x->name, &factor, &rest)) { /* the series of lo + step * k */
        struct sym pairs = sym_mul(c, n, sym_sub(c, n, sym_const(c, 1)));
        struct sym half = sym_floordiv(c, pairs, sym_const(c, 2));
        struct sym at = sym_add(c, sym_mul(c, n, x->lo), sym_mul(c, x->step, half));
        return sym_add(c, sym_mul(c, n, rest), sym_mul(c, factor, at));
    }
    struct sym last = sym_sub(c, x->hi, sym_const(c, 1));
    struct sym low = sym_subst(c, s, 1, &x->name, &x->lo);
    struct sym high = sym_subst(c, s, 1, &x->name, &last);
    return sym_mul(c, n, sym_simplify(m->facts, sym_max(c, low, high)));
}

static bool counts(const struct container *c, bool inside_kernel) {
    if (c->storage == STORE_REGISTER || c->storage == STORE_STACK || c->storage == STORE_SHARED)
        return false;
    return !(inside_kernel && c->storage == STORE_NONE && c->rank == 0);
}

/* A if it is proved to be at most B, else B. */
static struct sym smaller(struct mover *m, struct sym a, struct sym b) {
    return sym_prove_le(m->facts, a, b) ? a : b;
}

/* The subset of one memlet. */
static struct subset element(struct mover *m, const struct access *x) {
    struct subset s = {x->memlet->rank, ARENA_ARRAY(m->arena, struct range, x->memlet->rank)};
    for (uint32_t d = 0; d < s.rank; d++)
        s.dims[d] = (struct range){x->at[d], sym_add(m->syms, x->at[d], sym_const(m->syms, 1)),
                                   sym_const(m->syms, 1)};
    return s;
}

/* S cut to container C, where that is simpler or needed: what lies outside is not moved. */
static void clip(struct mover *m, const struct container *c, struct subset *s) {
    for (uint32_t d = 0; d < s->rank; d++) {
        struct range *r = &s->dims[d];
        struct sym zero = sym_const(m->syms, 0);
        if (!sym_prove_nonneg(m->facts, r->begin)) {
            r->begin = sym_simplify(m->facts, sym_max(m->syms, r->begin, zero));
            r->step = sym_const(m->syms, 1);
        }
        if (!sym_prove_le(m->facts, r->end, c->dims[d]))
            r->end = sym_simplify(m->facts, sym_min(m->syms, r->end, c->dims[d]));
    }
}

/* Adds the facts of the indices around, outermost first. */
static void around_facts(struct mover *m, const struct around *x, const struct around *border) {
    if (x == border)
        return;
    around_facts(m, x->out, border);
    index_facts(m->facts, m->syms, &x->index);
}

static bool known(struct mover *m, const struct accesses *all, const struct subset *s) {
    for (uint32_t i = 0; i < all->names.n; i++)
        for (uint32_t d = 0; d < s->rank; d++)
            if (sym_contains(m->syms, s->dims[d].begin, all->names.at[i]) ||
                sym_contains(m->syms, s->dims[d].end, all->names.at[i]))
                return false;
    return true;
}

/* Propagates X out to BORDER (an index around it, or NULL) and adds it to T. */
static void touch(struct mover *m, const struct accesses *all, const struct access *x,
                  const struct around *border, struct touched *t) {
    const struct container *c = graph_cont(m->g, x->memlet->cont);
    struct subset box = element(m, x);
    struct sym count = sym_const(m->syms, 1);
    bool boxed = true;
    uint32_t mark = sym_facts_mark(m->facts);
    around_facts(m, x->around, border);
    for (const struct around *i = x->around; i != border; i = i->out) {
        struct range over = {i->index.lo, i->index.hi, i->index.step};
        struct subset wider;
        boxed = boxed && subset_project(m->arena, m->facts, &box, i->index.name, over, &wider);
        if (boxed)
            box = wider;
        count = summed(m, count, &i->index);
    }
    sym_facts_restore(m->facts, mark);
    boxed = boxed && (border || known(m, all, &box));
    if (boxed)
        clip(m, c, &box);
    count = boxed ? smaller(m, count, subset_volume(m->syms, &box))
                  : sym_simplify(m->facts, sym_min(m->syms, count, volume(m, c)));
    struct subset both;
    if (!t->any) {
        *t = (struct touched){true, boxed, box, count};
        return;
    }
    t->boxed = t->boxed && boxed && subset_union(m->arena, m->facts, &t->box, &box, &both);
    if (t->boxed)
        t->box = both;
    t->count = sym_add(m->syms, t->count, count);
}

static struct sym touched_bytes(struct mover *m, const struct container *c,
                                const struct touched *t) {
    struct sym zero = sym_const(m->syms, 0);
    if (!t->any)
        return zero;
    struct sym n = t->boxed ? smaller(m, t->count, subset_volume(m->syms, &t->box))
                            : sym_min(m->syms, t->count, volume(m, c));
    n = sym_simplify(m->facts, sym_max(m->syms, n, zero));
    return sym_mul(m->syms, n, sym_const(m->syms, dtypes[c->dtype].bytes));
}

static void add(struct mover *m, uint32_t cont, struct sym read, struct sym write) {
    struct movement *x = &m->all[cont];
    x->read_bytes = sym_add(m->syms, x->read_bytes, read);
    x->write_bytes = sym_add(m->syms, x->write_bytes, write);
}

/* ---- Containers declared inside a kernel ---- */

/* The indices around the declaration of each container in a region. */
struct declared {
    struct mover *m;
    const struct around **around; /* by container id */
    bool *filled;
};

static void find_declared(struct declared *x, const struct region *r, const struct around *around) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        const struct around *inner = around;
        if (n->kind == NODE_DECL) {
            x->around[n->decl.cont.i] = around;
            x->filled[n->decl.cont.i] = n->decl.has_fill;
        }
        uint32_t count = n->kind == NODE_MAP ? n->map.n : n->kind == NODE_LOOP ? 1 : 0;
        for (uint32_t k = 0; k < count; k++) {
            struct around *in = ARENA_NEW(x->m->arena, struct around);
            *in = (struct around){inner, n->kind == NODE_MAP ? n->map.index[k] : n->loop.index};
            inner = in;
        }
        if (n->kind == NODE_MAP)
            find_declared(x, &n->map.body, inner);
        if (n->kind == NODE_LOOP)
            find_declared(x, &n->loop.body, inner);
        if (n->kind == NODE_WHILE)
            find_declared(x, &n->repeat.body, inner);
        if (n->kind == NODE_BRANCH) {
            find_declared(x, &n->branch.then, around);
            find_declared(x, &n->branch.otherwise, around);
        }
    }
}

static uint32_t depth(const struct around *x) {
    uint32_t n = 0;
    for (; x; x = x->out)
        n++;
    return n;
}

/* The index around X that also stands around the declaration whose depth is N. */
static const struct around *border_at(const struct around *x, uint32_t n) {
    while (depth(x) > n)
        x = x->out;
    return x;
}

/* ---- Kernels and what stands around them ---- */

static void kernel(struct mover *m, const struct node *node) {
    const struct graph *g = m->g;
    struct node *one = (struct node *)node;
    struct region r = {.nodes = {&one, 1, 1}};
    struct accesses all;
    accesses_of(m->arena, g, &r, &all);
    struct declared decl = {m, ARENA_ARRAY(m->arena, const struct around *, g->conts.n),
                            ARENA_ARRAY(m->arena, bool, g->conts.n)};
    find_declared(&decl, &r, NULL);
    struct touched *reads = ARENA_ARRAY(m->arena, struct touched, g->conts.n);
    struct touched *writes = ARENA_ARRAY(m->arena, struct touched, g->conts.n);
    for (uint32_t i = 0; i < all.at.n; i++) {
        const struct access *x = &all.at.at[i];
        uint32_t c = x->memlet->cont.i;
        const struct around *border = border_at(x->around, depth(decl.around[c]));
        if (!x->write || x->memlet->resolution != RES_NONE)
            touch(m, &all, x, border, &reads[c]);
        if (x->write)
            touch(m, &all, x, border, &writes[c]);
    }
    for (uint32_t c = 1; c < g->conts.n; c++) {
        const struct container *k = &g->conts.at[c];
        if (!counts(k, all.local[c]))
            continue;
        struct sym read = touched_bytes(m, k, &reads[c]), write = touched_bytes(m, k, &writes[c]);
        if (all.local[c] && decl.filled[c])
            write =
                sym_add(m->syms, write,
                        sym_mul(m->syms, volume(m, k), sym_const(m->syms, dtypes[k->dtype].bytes)));
        for (const struct around *i = decl.around[c]; i; i = i->out) {
            read = summed(m, read, &i->index);
            write = summed(m, write, &i->index);
        }
        add(m, c, read, write);
    }
}

static void move_region(struct mover *m, const struct region *r);

static struct movement *swap(struct mover *m) {
    struct movement *outer = m->all, zero;
    zero.read_bytes = zero.write_bytes = sym_const(m->syms, 0);
    m->all = ARENA_ARRAY(m->arena, struct movement, m->g->conts.n);
    for (uint32_t c = 0; c < m->g->conts.n; c++)
        m->all[c] = zero;
    return outer;
}

static void move_loop(struct mover *m, const struct node *n) {
    struct movement *outer = swap(m);
    uint32_t mark = sym_facts_mark(m->facts);
    index_facts(m->facts, m->syms, &n->loop.index);
    move_region(m, &n->loop.body);
    sym_facts_restore(m->facts, mark);
    struct movement *body = m->all;
    m->all = outer;
    for (uint32_t c = 1; c < m->g->conts.n; c++)
        add(m, c, summed(m, body[c].read_bytes, &n->loop.index),
            summed(m, body[c].write_bytes, &n->loop.index));
}

/* The larger of both sides. */
static void move_branch(struct mover *m, const struct node *n) {
    struct movement *outer = swap(m);
    move_region(m, &n->branch.then);
    struct movement *then = m->all;
    swap(m);
    move_region(m, &n->branch.otherwise);
    struct movement *otherwise = m->all;
    m->all = outer;
    for (uint32_t c = 1; c < m->g->conts.n; c++)
        add(m, c,
            sym_simplify(m->facts, sym_max(m->syms, then[c].read_bytes, otherwise[c].read_bytes)),
            sym_simplify(m->facts,
                         sym_max(m->syms, then[c].write_bytes, otherwise[c].write_bytes)));
}

static void move_node(struct mover *m, const struct node *n) {
    switch (n->kind) {
    case NODE_LOOP: move_loop(m, n); break;
    case NODE_WHILE: move_region(m, &n->repeat.body); break; /* of one turn */
    case NODE_BRANCH: move_branch(m, n); break;
    case NODE_DECL: {
        const struct container *c = graph_cont(m->g, n->decl.cont);
        if (n->decl.has_fill && counts(c, false))
            add(m, n->decl.cont.i, sym_const(m->syms, 0),
                sym_mul(m->syms, volume(m, c), sym_const(m->syms, dtypes[c->dtype].bytes)));
        break;
    }
    default: kernel(m, n); break;
    }
}

static void move_region(struct mover *m, const struct region *r) {
    for (uint32_t i = 0; i < r->nodes.n; i++)
        move_node(m, r->nodes.at[i]);
}

struct movement *node_movement(struct arena *a, const struct graph *g, const struct node *node,
                               struct sym_facts *f) {
    struct mover m = {.arena = a, .g = g, .syms = g->syms, .facts = f};
    swap(&m);
    move_node(&m, node);
    return m.all;
}

struct movement *graph_movement(struct arena *a, const struct graph *g) {
    struct mover m = {.arena = a, .g = g, .syms = g->syms, .facts = graph_facts(a, g)};
    swap(&m);
    move_region(&m, &g->body);
    return m.all;
}

struct movement graph_movement_total(struct arena *a, const struct graph *g) {
    struct movement *all = graph_movement(a, g);
    struct movement total = all[0];
    for (uint32_t c = 1; c < g->conts.n; c++) {
        total.read_bytes = sym_add(g->syms, total.read_bytes, all[c].read_bytes);
        total.write_bytes = sym_add(g->syms, total.write_bytes, all[c].write_bytes);
    }
    return total;
}
