/* Removes what no result needs: reads and values that nothing uses, containers that nothing reads
   with the writes into them, maps, loops and branches without nodes.
   Holds after: every READ and LET has a use, and every transient container, but for DECLs whose
   size the run must check (analysis/facts.h): these stay, without a fill, for the error. A read
   that would have failed its bounds check may go with it (semantics.md 17: a failing check only
   ends the call). */
#include "compiler/analysis/counts.h"
#include "compiler/analysis/facts.h"
#include "compiler/passes/pass.h"
#include "lang/base/map.h"
#include "lang/base/vec.h"

struct dead {
    struct graph *g;
    struct map live; /* names of values that a later node uses */
    uint32_t *reads; /* per container: reads that are left */
    struct sym_facts *facts;
    bool changed;
};

static void use_name(void *data, struct name n) {
    struct dead *d = data;
    map_put(&d->live, n.i, 1);
}

static void use_sym(struct dead *d, struct sym s) {
    sym_atoms(d->g->syms, s, use_name, d);
}

static void use_expr(struct dead *d, const struct expr *e) {
    if (e->kind == EXPR_VALUE)
        use_name(d, e->value);
    if (e->kind == EXPR_SYM)
        use_sym(d, e->sym);
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        use_expr(d, e->args[i]);
}

static void use_memlet(struct dead *d, const struct memlet *m) {
    for (uint32_t k = 0; k < m->rank; k++)
        use_sym(d, m->at[k]);
}

static bool is_live(struct dead *d, struct name n) {
    uint64_t v;
    return map_get(&d->live, n.i, &v) && v;
}

static void note_read(void *data, struct node *n) {
    struct dead *d = data;
    if (n->kind == NODE_READ)
        d->reads[n->read.from.cont.i]++;
    if (n->kind == NODE_WHILE)
        d->reads[n->repeat.condition.cont.i]++;
}

static bool is_read(struct dead *d, struct cont c) {
    return graph_cont(d->g, c)->role != ROLE_TRANSIENT || d->reads[c.i] > 0;
}

static void use_index(struct dead *d, const struct index *x) {
    use_sym(d, x->lo);
    use_sym(d, x->hi);
    use_sym(d, x->step);
}

static void clean(struct dead *d, struct region *r);

/* Whether DECL N stays: for what reads its container, or for its size. */
static bool keep_decl(struct dead *d, struct node *n) {
    struct container *c = graph_cont(d->g, n->decl.cont);
    bool read = is_read(d, n->decl.cont), checked = false;
    for (uint32_t k = 0; k < c->rank && !read && !checked; k++)
        checked = !facts_size(d->facts, d->g, c->dims[k]);
    if (!read && !checked)
        return false;
    for (uint32_t k = 0; k < c->rank; k++)
        use_sym(d, c->dims[k]);
    if (!read) {
        d->changed = d->changed || n->decl.has_fill || c->storage != STORE_NONE;
        n->decl.has_fill = false;
        c->storage = STORE_NONE;
    }
    return true;
}

/* Whether N stays; uses of what stays become live. */
static bool keep(struct dead *d, struct node *n) {
    uint32_t mark = sym_facts_mark(d->facts);
    switch (n->kind) {
    case NODE_DECL: return keep_decl(d, n);
    case NODE_READ:
        if (!is_live(d, n->read.name)) {
            d->reads[n->read.from.cont.i]--;
            return false;
        }
        map_put(&d->live, n->read.name.i, 0);
        use_memlet(d, &n->read.from);
        return true;
    case NODE_LET:
        if (!is_live(d, n->let.name))
            return false;
        map_put(&d->live, n->let.name.i, 0);
        use_expr(d, n->let.value);
        return true;
    case NODE_WRITE:
        if (!is_read(d, n->write.to.cont))
            return false;
        use_expr(d, n->write.value);
        use_memlet(d, &n->write.to);
        return true;
    case NODE_MAP:
        for (uint32_t k = 0; k < n->map.n; k++)
            index_facts(d->facts, d->g->syms, &n->map.index[k]);
        clean(d, &n->map.body);
        sym_facts_restore(d->facts, mark);
        if (n->map.body.nodes.n == 0)
            return false;
        for (uint32_t k = 0; k < n->map.n; k++) {
            map_put(&d->live, n->map.index[k].name.i, 0);
            use_index(d, &n->map.index[k]);
        }
        return true;
    case NODE_LOOP:
        index_facts(d->facts, d->g->syms, &n->loop.index);
        clean(d, &n->loop.body);
        sym_facts_restore(d->facts, mark);
        if (n->loop.body.nodes.n == 0)
            return false;
        map_put(&d->live, n->loop.index.name.i, 0);
        use_index(d, &n->loop.index);
        return true;
    case NODE_WHILE: /* stays: who knows whether it ends */
        use_memlet(d, &n->repeat.condition);
        clean(d, &n->repeat.body);
        return true;
    default:
        facts_add(d->facts, d->g, n->branch.condition, true);
        clean(d, &n->branch.then);
        sym_facts_restore(d->facts, mark);
        facts_add(d->facts, d->g, n->branch.condition, false);
        clean(d, &n->branch.otherwise);
        sym_facts_restore(d->facts, mark);
        if (n->branch.then.nodes.n == 0 && n->branch.otherwise.nodes.n == 0)
            return false;
        use_expr(d, n->branch.condition);
        return true;
    }
}

static void clean(struct dead *d, struct region *r) {
    uint32_t kept = r->nodes.n;
    for (uint32_t i = r->nodes.n; i-- > 0;)
        if (keep(d, r->nodes.at[i]))
            r->nodes.at[--kept] = r->nodes.at[i];
    if (kept) {
        d->changed = true;
        for (uint32_t i = kept; i < r->nodes.n; i++)
            r->nodes.at[i - kept] = r->nodes.at[i];
        r->nodes.n -= kept;
    }
}

/* The sizes that DECLs have checked so far, in this region or around it. */
struct seen_sizes {
    struct dead *d;
    struct arena *scratch;
    VEC(struct sym) at;
};

/* Whether N is there for sizes only that have all been checked before. */
static bool seen_before(const struct seen_sizes *s, const struct node *n) {
    const struct container *c = graph_cont(s->d->g, n->decl.cont);
    bool all = !is_read(s->d, n->decl.cont);
    for (uint32_t k = 0; k < c->rank && all; k++) {
        bool found = facts_size(s->d->facts, s->d->g, c->dims[k]);
        for (uint32_t i = 0; i < s->at.n && !found; i++)
            found = sym_eq(s->at.at[i], c->dims[k]);
        all = found;
    }
    return all;
}

static void drop_repeated(struct seen_sizes *s, struct region *r) {
    uint32_t mark = s->at.n, kept = 0;
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        if (n->kind == NODE_DECL && seen_before(s, n)) {
            s->d->changed = true;
            continue;
        }
        if (n->kind == NODE_DECL) {
            const struct container *c = graph_cont(s->d->g, n->decl.cont);
            for (uint32_t k = 0; k < c->rank; k++)
                VEC_PUSH(s->scratch, s->at, c->dims[k]);
        }
        struct region *inner[2];
        uint32_t count = node_regions(n, inner);
        for (uint32_t k = 0; k < count; k++)
            drop_repeated(s, inner[k]);
        r->nodes.at[kept++] = n;
    }
    r->nodes.n = kept;
    s->at.n = mark;
}

bool pass_dead(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    (void)t;
    bool changed = false;
    for (int round = 0; round < 4; round++) { /* more than one only where a loop reads itself */
        struct dead d = {.g = g, .live = map_new(scratch), .facts = graph_facts(scratch, g)};
        d.reads = ARENA_ARRAY(scratch, uint32_t, g->conts.n);
        count_facts(d.facts, scratch, g);
        region_walk(&g->body, note_read, &d);
        clean(&d, &g->body);
        struct seen_sizes seen = {.d = &d, .scratch = scratch};
        drop_repeated(&seen, &g->body);
        if (!d.changed)
            break;
        changed = true;
    }
    return changed;
}
