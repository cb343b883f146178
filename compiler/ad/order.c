/* What may be reversed: see the beginning of reverse.c. */
#include "compiler/ad/internal.h"

#include "compiler/analysis/depend.h"

struct order {
    struct reverse *r;
    struct sym_facts *facts;
    uint32_t *depth; /* by container: of the region that declares it; 0 is the graph's body */
    bool *read;      /* by a copy that reversing makes of an earlier node */
    const struct ad_call *call;  /* that the node of the body belongs to, or NULL */
    bool *written;               /* with other things than constants */
    const struct node **extreme; /* the max or min that was written */
    VEC(bool) reversed;          /* by depth: the node around, that a copy is made of */
};

static void order_region(struct order *o, const struct region *region, uint32_t depth);

static void order_write(struct order *o, const struct node *n) {
    struct cont c = n->write.to.cont;
    enum resolution res = n->write.to.resolution;
    if (o->read[c.i])
        ad_fail(o->r, n->span, n, "what was read before is overwritten");
    if (o->extreme[c.i] && o->extreme[c.i] != n)
        ad_fail(o->r, n->span, n, "a largest or smallest value that is written again");
    if (!o->call && (res == RES_MAX || res == RES_MIN) && ad_matters(o->r, c)) {
        if (o->written[c.i])
            ad_fail(o->r, n->span, n, "a largest or smallest value of what was written before");
        o->extreme[c.i] = n;
    } else if (res != RES_NONE || n->write.value->kind != EXPR_CONST) {
        o->written[c.i] = true;
    }
}

/* A body that may run in order is gone through twice: the second time as its later iterations. */
static void order_below(struct order *o, struct node *n, uint32_t depth) {
    struct reverse *r = o->r;
    uint32_t mark = sym_facts_mark(o->facts);
    if (o->reversed.n == depth)
        VEC_PUSH(r->scratch, o->reversed, false);
    o->reversed.at[depth] = !o->call && ad_writes(r, n);
    if (n->kind == NODE_MAP) {
        bool order = o->reversed.at[1] && !n->map.unique &&
                     node_race(r->g, n, o->facts, CONFLICT_ERROR, NULL) != RACE_FREE;
        if (order && o->reversed.at[depth])
            ad_fail(r, n->span, n,
                    "a map whose iterations are not known to be independent; say `unique` if they "
                    "are");
        for (uint32_t k = 0; k < n->map.n; k++)
            index_facts(o->facts, r->g->syms, &n->map.index[k]);
        for (int times = order ? 2 : 1; times-- > 0;)
            order_region(o, &n->map.body, depth);
    } else if (n->kind == NODE_LOOP) {
        index_facts(o->facts, r->g->syms, &n->loop.index);
        for (int times = 2; times-- > 0;)
            order_region(o, &n->loop.body, depth);
    } else if (n->kind == NODE_WHILE) {
        bool repeated = false; /* what is reversed runs its body once more, but for its writes */
        for (uint32_t d = 1; d <= depth; d++)
            repeated = repeated || o->reversed.at[d];
        if (repeated)
            ad_fail(r, n->span, n, "a `while`");
        for (int times = 2; times-- > 0;)
            order_region(o, &n->repeat.body, depth);
    } else {
        order_region(o, &n->branch.then, depth);
        order_region(o, &n->branch.otherwise, depth);
    }
    sym_facts_restore(o->facts, mark);
}

struct use {
    struct sym_ctx *syms;
    struct name name;
    bool found;
};

static void use_atom(void *data, struct name n) {
    struct use *u = data;
    u->found = u->found || name_eq(n, u->name);
}

static void use_memlet(struct use *u, const struct memlet *m) {
    for (uint32_t d = 0; d < m->rank; d++)
        sym_atoms(u->syms, m->at[d], use_atom, u);
}

static void use_expr(struct use *u, const struct expr *e) {
    u->found = u->found || (e->kind == EXPR_VALUE && name_eq(e->value, u->name));
    if (e->kind == EXPR_SYM)
        sym_atoms(u->syms, e->sym, use_atom, u);
    for (uint32_t k = 0; k < expr_nargs(e); k++)
        use_expr(u, e->args[k]);
}

/* The value that node I of R reads is only written, as it is or cast: no derivative needs it, so
   the copy of the read that reversing makes is dead. */
static bool only_moved(const struct reverse *r, const struct region *region, uint32_t i) {
    struct use u = {r->g->syms, region->nodes.at[i]->read.name, false};
    for (uint32_t k = i + 1; k < region->nodes.n && !u.found; k++) {
        const struct node *n = region->nodes.at[k];
        if (n->kind == NODE_READ) {
            use_memlet(&u, &n->read.from);
        } else if (n->kind == NODE_LET) {
            use_expr(&u, n->let.value);
        } else if (n->kind == NODE_WRITE) {
            enum resolution res = n->write.to.resolution;
            const struct expr *e = n->write.value;
            while (e->kind == EXPR_CAST && dtype_is_float(e->dtype))
                e = e->args[0];
            use_memlet(&u, &n->write.to);
            if (e->kind != EXPR_VALUE || (res != RES_NONE && res != RES_SUM))
                use_expr(&u, e);
        } else if (n->kind != NODE_DECL) {
            return false;
        }
    }
    return !u.found;
}

/* The reverse of a call reads its arguments and results as they are in the end. */
static void order_call(struct order *o, const struct ad_call *c) {
    for (uint32_t i = 0; i < c->nin; i++)
        o->read[c->in[i].i] = true;
    for (uint32_t k = 0; k < c->nout; k++)
        o->read[c->out[k].i] = true;
}

static void order_region(struct order *o, const struct region *region, uint32_t depth) {
    for (uint32_t i = 0; i < region->nodes.n && !o->r->failed; i++) {
        struct node *n = region->nodes.at[i];
        uint32_t c;
        if (depth == 0) {
            o->r->now = i;
            o->call = o->r->call_of[i];
        }
        switch (n->kind) {
        case NODE_DECL:
            c = n->decl.cont.i;
            o->depth[c] = depth;
            o->read[c] = o->written[c] = false;
            o->extreme[c] = NULL;
            break;
        case NODE_READ:
            c = n->read.from.cont.i;
            if (o->depth[c] < depth && o->reversed.at[o->depth[c] + 1] &&
                !map_get(&o->r->starts, n->id, NULL) && !only_moved(o->r, region, i))
                o->read[c] = true;
            break;
        case NODE_WRITE: order_write(o, n); break;
        case NODE_MAP:
        case NODE_LOOP:
        case NODE_WHILE:
        case NODE_BRANCH: order_below(o, n, depth + 1); break;
        default: break;
        }
        if (depth == 0 && o->call && o->call->last == i && ad_call_matters(o->r, o->call))
            order_call(o, o->call);
    }
}

void ad_check_order(struct reverse *r) {
    struct order o = {.r = r, .facts = graph_facts(r->scratch, r->g)};
    o.depth = ARENA_ARRAY(r->scratch, uint32_t, r->nadjoint);
    o.read = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
    o.written = ARENA_ARRAY(r->scratch, bool, r->nadjoint);
    o.extreme = ARENA_ARRAY(r->scratch, const struct node *, r->nadjoint);
    VEC_PUSH(r->scratch, o.reversed, false);
    order_region(&o, &r->g->body, 0);
}
