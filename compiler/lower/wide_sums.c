/* Sums of f16 and bf16: language, "Numbers". A (sum) or (prod) below a map adds in f32, and rounds
   when the outermost map around it ends, of those that the container is declared outside of.
   Before: a graph as the evaluator's verbs and the reverse mode wrote it. After: it says so itself.
   Before such a map stands an f32 container of the same shape, which starts with the container's
   content; all that touches the container in the map touches the f32 one instead, with casts; after
   the map it is copied back. So no pass and no back-end knows of this, and every byte that it moves
   shows. What has been changed is not changed again. */
#include "compiler/lower/wide_sums.h"

#include "lang/base/map.h"

struct wide {
    struct graph *g;
    struct map depth;   /* container id -> 1 + the maps around its declaration */
    struct map written; /* containers that have been written, as far as the text tells */
    uint32_t maps;      /* around, now */
    bool vector;        /* one of their indices is */
};

/* --- what a node touches --- */

struct search {
    struct wide *w;
    struct cont cont; /* 0: any */
    bool touched;
    VEC(struct cont) summed;
};

static bool is_summed(enum resolution r) {
    return r == RES_SUM || r == RES_PROD;
}

static void note_touched(void *data, struct node *n) {
    struct search *s = data;
    s->touched = s->touched || (n->kind == NODE_READ && n->read.from.cont.i == s->cont.i) ||
                 (n->kind == NODE_WRITE && n->write.to.cont.i == s->cont.i);
}

static void note_summed(void *data, struct node *n) {
    struct search *s = data;
    uint64_t depth;
    if (n->kind != NODE_WRITE || !is_summed(n->write.to.resolution))
        return;
    struct cont c = n->write.to.cont;
    if (!dtype_is_half(graph_cont(s->w->g, c)->dtype) || !map_get(&s->w->depth, c.i, &depth) ||
        depth != 1 + s->w->maps)
        return;
    for (uint32_t i = 0; i < s->summed.n; i++)
        if (s->summed.at[i].i == c.i)
            return;
    VEC_PUSH(s->w->g->arena, s->summed, c);
}

static void note_written(void *data, struct node *n) {
    struct wide *w = data;
    if (n->kind == NODE_WRITE && n->write.to.resolution == RES_NONE)
        map_put(&w->written, n->write.to.cont.i, 1);
    else if (n->kind == NODE_DECL)
        map_put(&w->written, n->decl.cont.i, n->decl.has_fill);
}

static bool is_written(const struct wide *w, struct cont c) {
    uint64_t yes;
    return map_get(&w->written, c.i, &yes) && yes;
}

/* The DECL of C at the end of R, if nothing after it touches C. */
static struct node *untouched_decl(const struct region *r, struct cont c) {
    for (uint32_t i = r->nodes.n; i-- > 0;) {
        struct node *n = r->nodes.at[i];
        if (n->kind == NODE_DECL && n->decl.cont.i == c.i)
            return n;
        struct region one = {.nodes = {.at = &r->nodes.at[i], .n = 1}};
        struct search s = {.cont = c};
        region_walk(&one, note_touched, &s);
        if (s.touched)
            return NULL;
    }
    return NULL;
}

/* --- the f32 container --- */

/* A map (nothing, without dimensions) that copies FROM to TO, in subscripts that stay constant
   where the container is to be in registers. */
static void copy(struct wide *w, struct region *out, struct cont from, struct cont to,
                 struct span span) {
    struct graph *g = w->g;
    uint32_t rank = graph_cont(g, to)->rank;
    bool registers = graph_cont(g, to)->storage == STORE_REGISTER ||
                     graph_cont(g, from)->storage == STORE_REGISTER;
    struct sym *at = ARENA_ARRAY(g->arena, struct sym, rank);
    if (rank) {
        struct node *map = node_new(g, NODE_MAP, span);
        map->map.n = rank;
        map->map.index = ARENA_ARRAY(g->arena, struct index, rank);
        for (uint32_t d = 0; d < rank; d++) {
            struct name n =
                graph_fresh(g, name_of_text(g->names, arena_printf(g->arena, "i%u", d)));
            map->map.index[d] = (struct index){.name = n,
                                               .lo = sym_const(g->syms, 0),
                                               .hi = graph_cont(g, to)->dims[d],
                                               .step = sym_const(g->syms, 1),
                                               .span = span};
            if (registers)
                map->map.index[d].schedule =
                    d + 1 == rank && !w->vector ? SCHED_VECTOR : SCHED_UNROLL;
            at[d] = sym_atom(g->syms, n);
        }
        region_add(g, out, map);
        out = &map->map.body;
    }
    const char *text = name_text(g->names, graph_cont(g, from)->name);
    struct node *read = node_new(g, NODE_READ, span), *write = node_new(g, NODE_WRITE, span);
    read->read.name = graph_fresh(g, name_of_text(g->names, arena_printf(g->arena, "%s_v", text)));
    read->read.from = memlet_new(g, from, at);
    region_add(g, out, read);
    const struct expr *v = expr_value(g, graph_cont(g, from)->dtype, read->read.name);
    write->write.value = expr_cast(g, graph_cont(g, to)->dtype, v);
    write->write.to = memlet_new(g, to, at);
    region_add(g, out, write);
}

/* What touches FROM below R touches the wider TO. */
static void redirect(struct graph *g, struct region *r, struct cont from, struct cont to) {
    enum dtype t = graph_cont(g, from)->dtype, wide = graph_cont(g, to)->dtype;
    struct region out = {0};
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct node *n = r->nodes.at[i];
        region_add(g, &out, n);
        switch (n->kind) {
        case NODE_READ:
            if (n->read.from.cont.i == from.i) {
                struct node *let = node_new(g, NODE_LET, n->span);
                let->let.name = n->read.name;
                n->read.name = graph_fresh(g, n->read.name);
                n->read.from.cont = to;
                n->read.from.other = scalar_cast(t, wide, n->read.from.other);
                let->let.value = expr_cast(g, t, expr_value(g, wide, n->read.name));
                region_add(g, &out, let);
            }
            break;
        case NODE_WRITE:
            if (n->write.to.cont.i == from.i) {
                n->write.to.cont = to;
                n->write.value = expr_cast(g, wide, n->write.value);
            }
            break;
        default: break;
        }
        struct region *inner[2];
        uint32_t count = node_regions(n, inner);
        for (uint32_t k = 0; k < count; k++)
            redirect(g, inner[k], from, to);
    }
    *r = out;
}

/* The f32 container of C, declared and started before MAP. */
static struct cont widen(struct wide *w, struct region *out, struct node *map, struct cont c) {
    struct graph *g = w->g;
    struct container k = *graph_cont(g, c);
    enum dtype t = dtypes[k.dtype].arithmetic;
    struct name n = graph_fresh(
        g, name_of_text(g->names, arena_printf(g->arena, "%s_sum", name_text(g->names, k.name))));
    struct cont to = graph_container(g, n, t, k.rank, k.dims, k.storage, ROLE_TRANSIENT, map->span);
    struct node *start = untouched_decl(out, c), *decl = node_new(g, NODE_DECL, map->span);
    decl->decl.cont = to;
    region_add(g, out, decl);
    if (start) { /* the copy back writes all of it */
        decl->decl.has_fill = start->decl.has_fill;
        decl->decl.fill = scalar_cast(k.dtype, t, start->decl.fill);
        start->decl.has_fill = false;
    } else if (is_written(w, c)) {
        copy(w, out, c, to, map->span);
    }
    redirect(g, &map->map.body, c, to);
    return to;
}

/* --- the walk --- */

static void walk(struct wide *w, struct region *r);

static void walk_map(struct wide *w, struct region *out, struct node *n) {
    struct search s = {.w = w};
    struct region one = {.nodes = {.at = &n, .n = 1}};
    region_walk(&n->map.body, note_summed, &s);
    struct cont *wide = ARENA_ARRAY(w->g->arena, struct cont, s.summed.n);
    for (uint32_t i = 0; i < s.summed.n; i++)
        wide[i] = widen(w, out, n, s.summed.at[i]);
    region_add(w->g, out, n);
    for (uint32_t i = 0; i < s.summed.n; i++) {
        copy(w, out, wide[i], s.summed.at[i], n->span);
        map_put(&w->written, s.summed.at[i].i, 1);
    }
    bool vector = w->vector;
    w->vector = vector || n->map.index[n->map.n - 1].schedule == SCHED_VECTOR;
    w->maps++;
    walk(w, &n->map.body);
    w->maps--;
    w->vector = vector;
    region_walk(&one, note_written, w);
}

static void walk(struct wide *w, struct region *r) {
    struct region in = *r, out = {0};
    for (uint32_t i = 0; i < in.nodes.n; i++) {
        struct node *n = in.nodes.at[i];
        if (n->kind == NODE_MAP) {
            walk_map(w, &out, n);
            continue;
        }
        region_add(w->g, &out, n);
        switch (n->kind) {
        case NODE_DECL:
            map_put(&w->depth, n->decl.cont.i, 1 + w->maps);
            map_put(&w->written, n->decl.cont.i, n->decl.has_fill);
            break;
        case NODE_WRITE: note_written(w, n); break;
        case NODE_LOOP: /* what an earlier iteration wrote is there */
            region_walk(&n->loop.body, note_written, w);
            walk(w, &n->loop.body);
            break;
        case NODE_WHILE:
            region_walk(&n->repeat.body, note_written, w);
            walk(w, &n->repeat.body);
            break;
        case NODE_BRANCH:
            walk(w, &n->branch.then);
            walk(w, &n->branch.otherwise);
            break;
        default: break;
        }
    }
    *r = out;
}

void wide_sums(struct graph *g) {
    struct wide w = {.g = g, .depth = map_new(g->arena), .written = map_new(g->arena)};
    bool halves = false;
    for (uint32_t i = 1; i < g->conts.n; i++) {
        const struct container *c = &g->conts.at[i];
        halves = halves || dtype_is_half(c->dtype);
        if (c->role != ROLE_TRANSIENT)
            map_put(&w.depth, i, 1);
        if (c->role == ROLE_PARAM || c->role == ROLE_INOUT)
            map_put(&w.written, i, 1);
    }
    if (halves)
        walk(&w, &g->body);
}
