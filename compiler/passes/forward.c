/* Forwards what was written to what reads it: a read of the element that the last write in view
   has written is the written value, also inside maps and branches that write the container no more;
   a resolution onto a known element is an operator and a plain write.
   Holds after: containers that only handed a value on are written and no longer read, so `dead`
   removes them. Sound because nothing in between writes the container, and subscripts are equal as
   symbolic integers over names that are still in scope. */
#include "compiler/passes/pass.h"
#include "compiler/passes/uses.h"

struct known { /* an element whose value is known */
    const struct memlet *at;
    struct region *region; /* where it is written: the value gets a name there if it has none */
    struct node *write;    /* the WRITE, or the DECL that fills it */
    struct name name;      /* of the value, once it is needed */
};

struct table {
    VEC(struct known) at;
};

struct insertion {
    struct node *write, *let;
};

struct forward {
    struct graph *g;
    struct arena *scratch;
    struct map lets; /* node id of a WRITE or DECL -> 1 + index into insertions */
    VEC(struct insertion) insertions;
    struct map gone; /* node id of a READ that is gone -> the name that takes its place */
    bool changed;
};

static struct cont cont_of(const struct known *k) {
    return k->write->kind == NODE_DECL ? k->write->decl.cont : k->at->cont;
}

static void forget(struct table *t, struct cont c) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->at.n; i++)
        if (cont_of(&t->at.at[i]).i != c.i)
            t->at.at[kept++] = t->at.at[i];
    t->at.n = kept;
}

static struct known *find(struct table *t, const struct memlet *m) {
    if (m->outside != OUTSIDE_ERROR)
        return NULL;
    for (uint32_t i = 0; i < t->at.n; i++) {
        struct known *k = &t->at.at[i];
        if (cont_of(k).i != m->cont.i)
            continue;
        bool same = k->write->kind == NODE_DECL || k->at->rank == m->rank;
        for (uint32_t d = 0; same && k->write->kind == NODE_WRITE && d < m->rank; d++)
            same = sym_eq(k->at->at[d], m->at[d]);
        if (same)
            return k;
    }
    return NULL;
}

/* The name of the value of K; a LET in front of the write makes one if need be. */
static struct name name_value(struct forward *f, struct known *k) {
    struct graph *g = f->g;
    const struct expr *v;
    if (k->write->kind == NODE_DECL) {
        struct container *c = graph_cont(g, k->write->decl.cont);
        v = expr_const(g, c->dtype, k->write->decl.fill);
    } else {
        v = k->write->write.value;
    }
    if (v->kind == EXPR_VALUE)
        return v->value;
    uint64_t at;
    if (map_get(&f->lets, k->write->id, &at))
        return f->insertions.at[at - 1].let->let.name;
    struct node *let = node_new(g, NODE_LET, k->write->span);
    let->let.name = graph_fresh(g, name_of_text(g->names, "e"));
    let->let.value = v;
    struct insertion in = {k->write, let};
    VEC_PUSH(f->scratch, f->insertions, in);
    map_put(&f->lets, k->write->id, f->insertions.n);
    if (k->write->kind == NODE_WRITE)
        k->write->write.value = expr_value(g, v->dtype, let->let.name);
    return let->let.name;
}

static void forget_written(void *data, struct cont c, bool write) {
    if (write)
        forget(data, c);
}

static void walk(struct forward *f, struct region *r, struct table *t);

/* A region below: it sees what is known, but for what it writes itself. */
static void walk_inner(struct forward *f, struct region *r, const struct table *outer) {
    struct table t = {0};
    for (uint32_t i = 0; i < outer->at.n; i++)
        VEC_PUSH(f->scratch, t.at, outer->at.at[i]);
    walk(f, r, &t);
}

static void walk(struct forward *f, struct region *r, struct table *t) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        struct known *k, fresh = {.region = r, .write = n};
        switch (n->kind) {
        case NODE_DECL:
            if (n->decl.has_fill && graph_cont(f->g, n->decl.cont)->rank == 0)
                VEC_PUSH(f->scratch, t->at, fresh);
            break;
        case NODE_READ:
            k = find(t, &n->read.from);
            if (k) {
                map_put(&f->gone, n->id, name_value(f, k).i);
                f->changed = true;
            }
            break;
        case NODE_WRITE:
            k = n->write.to.resolution != RES_NONE ? find(t, &n->write.to) : NULL;
            if (k && k->region == r) {
                enum scalar_op op = resolution_op(n->write.to.resolution);
                const struct expr *v = n->write.value;
                v = expr_op(f->g, op, expr_value(f->g, v->dtype, name_value(f, k)), v, NULL);
                n->write.value = v;
                n->write.to.resolution = RES_NONE;
                f->changed = true;
            }
            forget(t, n->write.to.cont);
            if (n->write.to.resolution == RES_NONE && n->write.to.outside == OUTSIDE_ERROR) {
                fresh.at = &n->write.to;
                VEC_PUSH(f->scratch, t->at, fresh);
            }
            break;
        case NODE_MAP:
            node_uses(n, forget_written, t);
            walk_inner(f, &n->map.body, t);
            break;
        case NODE_LOOP:
            node_uses(n, forget_written, t);
            walk_inner(f, &n->loop.body, t);
            break;
        case NODE_WHILE:
            node_uses(n, forget_written, t);
            walk_inner(f, &n->repeat.body, t);
            break;
        default:
            node_uses(n, forget_written, t);
            walk_inner(f, &n->branch.then, t);
            walk_inner(f, &n->branch.otherwise, t);
            break;
        }
    }
}

struct renaming { /* reads of a region that are gone, with what stands for them */
    VEC(struct name) from;
    VEC(struct sym) to;
};

static void add_renamed(struct forward *f, struct region *to, struct node *n,
                        const struct renaming *x) {
    struct subst sub = {.n = x->from.n, .from = x->from.at, .to = x->to.at};
    struct region one = {{&n, 1, 1}};
    if (sub.n)
        one = region_clone(f->g, &one, &sub);
    region_add(f->g, to, one.nodes.at[0]);
}

static void edit(struct forward *f, struct region *r);

static void edit_inner(struct forward *f, struct node *n) {
    struct region *inner[2];
    uint32_t count = node_regions(n, inner);
    for (uint32_t k = 0; k < count; k++)
        edit(f, inner[k]);
}

/* Takes out the reads, puts in the names, and renames below: names are unique in their scope only,
   so each region renames what went from itself, after the regions within, and in what follows. */
static void edit(struct forward *f, struct region *r) {
    struct region out = {0};
    struct renaming x = {0};
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        uint64_t at;
        if (n->kind == NODE_READ && map_get(&f->gone, n->id, &at)) {
            struct sym target = sym_atom(f->g->syms, (struct name){(uint32_t)at});
            for (uint32_t k = 0; k < x.from.n; k++) /* itself a read that went */
                if (x.from.at[k].i == at)
                    target = x.to.at[k];
            VEC_PUSH(f->scratch, x.from, n->read.name);
            VEC_PUSH(f->scratch, x.to, target);
            continue;
        }
        bool named = map_get(&f->lets, n->id, &at);
        struct node *let = named ? f->insertions.at[at - 1].let : NULL;
        enum node_kind kind = n->kind;
        if (let && kind == NODE_WRITE)
            add_renamed(f, &out, let, &x);
        edit_inner(f, n);
        add_renamed(f, &out, n, &x);
        if (let && kind == NODE_DECL)
            add_renamed(f, &out, let, &x);
    }
    *r = out;
}

bool pass_forward(struct graph *g, struct arena *scratch, const struct pass_target *t) {
    (void)t;
    struct forward f = {.g = g, .scratch = scratch};
    struct table empty = {0};
    f.lets = map_new(scratch);
    f.gone = map_new(scratch);
    walk(&f, &g->body, &empty);
    if (f.changed)
        edit(&f, &g->body);
    return f.changed;
}
