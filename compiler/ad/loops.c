/* Loops in order, and branches, that give values on.

   Note [loops]
   The reverse of a loop is a loop that goes backwards. It needs what each iteration started from,
   so every container that is declared outside of the loop, and that the body both reads and writes,
   is kept: the forward loop copies it, where an iteration begins, to a row of a container with the
   number of iterations as its first dimension.

       for t in 0:N { body of h }

   becomes

       saved: f32[N, ...]
       for t in 0:N {
         in: f32[...]
         map s { v << h[s];  v >> in[s];  v >> saved[t, s] }
         body that reads `in` where it read h
       }

   The reverse repeats an iteration from its row, without the writes to what stands outside, and
   then goes through it backwards (reverse.c). If the body reads h after it has written it, all of
   the body works on the copy, which is written back to h at the end.
   A branch that reads and writes a container reads a copy of it, too. */
#include "compiler/ad/internal.h"

/* --- which loops, which containers ----------------------------------------------------------- */

static void note_node(void *data, struct node *n) {
    struct reverse *r = data;
    if ((n->kind == NODE_LOOP || n->kind == NODE_BRANCH) && !r->call_of[r->now] && ad_writes(r, n))
        map_put(&r->carries, n->id, 1);
}

void ad_note_loops(struct reverse *r) {
    r->carries = map_new(r->scratch);
    r->starts = map_new(r->scratch);
    for (r->now = 0; r->now < r->g->body.nodes.n; r->now++) {
        struct region one = {{&r->g->body.nodes.at[r->now], 1, 1}};
        region_walk(&one, note_node, r);
    }
}

struct touched {
    bool *declared, *read, *written;
};

static void note_touched(void *data, struct node *n) {
    struct touched *t = data;
    if (n->kind == NODE_DECL)
        t->declared[n->decl.cont.i] = true;
    if (n->kind == NODE_READ)
        t->read[n->read.from.cont.i] = true;
    if (n->kind == NODE_WHILE)
        t->read[n->repeat.condition.cont.i] = true;
    if (n->kind == NODE_WRITE)
        t->written[n->write.to.cont.i] = true;
}

static struct touched touched_by(struct reverse *r, const struct region *body) {
    uint32_t n = r->g->conts.n;
    struct touched t = {ARENA_ARRAY(r->scratch, bool, n), ARENA_ARRAY(r->scratch, bool, n),
                        ARENA_ARRAY(r->scratch, bool, n)};
    region_walk(body, note_touched, &t);
    return t;
}

/* Whether something below R reads C after it was written; WRITTEN: it was written before R. */
static bool reads_late(struct reverse *r, const struct region *body, struct cont c, bool *written) {
    bool late = false;
    for (uint32_t i = 0; i < body->nodes.n && !late; i++) {
        const struct node *n = body->nodes.at[i];
        bool then = *written, otherwise = *written;
        switch (n->kind) {
        case NODE_READ: late = *written && n->read.from.cont.i == c.i; break;
        case NODE_WRITE: *written = *written || n->write.to.cont.i == c.i; break;
        case NODE_MAP: late = reads_late(r, &n->map.body, c, written); break;
        case NODE_LOOP:
        case NODE_WHILE: { /* its later iterations read what earlier ones wrote */
            const struct region *inner = n->kind == NODE_LOOP ? &n->loop.body : &n->repeat.body;
            struct touched t = touched_by(r, inner);
            bool reads =
                t.read[c.i] || (n->kind == NODE_WHILE && n->repeat.condition.cont.i == c.i);
            late = reads && (*written || t.written[c.i]);
            *written = *written || t.written[c.i];
            break;
        }
        case NODE_BRANCH:
            late = reads_late(r, &n->branch.then, c, &then) ||
                   reads_late(r, &n->branch.otherwise, c, &otherwise);
            *written = then || otherwise;
            break;
        default: break;
        }
    }
    return late;
}

/* --- what the forward loop keeps ------------------------------------------------------------- */

struct redirect {
    struct cont from, to;
    bool writes;
};

static void redirect_node(void *data, struct node *n) {
    struct redirect *d = data;
    if (n->kind == NODE_READ && n->read.from.cont.i == d->from.i)
        n->read.from.cont = d->to;
    if (n->kind == NODE_WHILE && n->repeat.condition.cont.i == d->from.i)
        n->repeat.condition.cont = d->to;
    if (n->kind == NODE_WRITE && n->write.to.cont.i == d->from.i && d->writes)
        n->write.to.cont = d->to;
}

/* Adds to TO a copy of all of FROM to what TARGETS are; those with a ROW have it as their first
   subscript. The read. */
static struct node *copy_whole(struct reverse *r, struct region *to, struct cont from, uint32_t n,
                               const struct cont *targets, const struct sym *row,
                               struct span span) {
    struct graph *g = r->g;
    struct container x = *graph_cont(g, from);
    struct region body = {0}, *at = to;
    struct sym s[1 + 64];
    struct node *map = NULL;
    if (x.rank) {
        map = node_new(g, NODE_MAP, span);
        map->map.n = x.rank;
        map->map.index = ARENA_ARRAY(g->arena, struct index, x.rank);
        at = &body;
    }
    for (uint32_t d = 0; d < x.rank; d++) {
        struct name i = graph_fresh(g, name_of_text(g->names, "s"));
        map->map.index[d] = (struct index){.name = i,
                                           .lo = sym_const(g->syms, 0),
                                           .hi = x.dims[d],
                                           .step = sym_const(g->syms, 1),
                                           .span = span};
        s[1 + d] = sym_atom(g->syms, i);
    }
    struct node *read = node_new(g, NODE_READ, span);
    read->read.name = ad_fresh(r, "", x.name);
    read->read.from = memlet_new(g, from, s + 1);
    region_add(g, at, read);
    for (uint32_t k = 0; k < n; k++) {
        s[0] = row[k];
        ad_write(r, at, expr_value(g, x.dtype, read->read.name), targets[k],
                 sym_none(row[k]) ? s + 1 : s, RES_NONE, OUTSIDE_ERROR, span);
    }
    if (map) {
        map->map.body = body;
        region_add(g, to, map);
    }
    return read;
}

static struct cont declare_plain(struct reverse *r, struct region *at, const char *prefix,
                                 const struct container *like, struct sym rows, struct span span) {
    struct sym dims[1 + 64];
    bool row = !sym_none(rows);
    dims[0] = rows;
    for (uint32_t d = 0; d < like->rank; d++)
        dims[d + row] = like->dims[d];
    struct node *decl = node_new(r->g, NODE_DECL, span);
    decl->decl.cont = graph_container(r->g, ad_fresh(r, prefix, like->name), like->dtype,
                                      like->rank + row, dims, STORE_NONE, ROLE_TRANSIENT, span);
    region_add(r->g, at, decl);
    return decl->decl.cont;
}

/* How often loop N runs. */
static struct sym trips_of(struct reverse *r, const struct node *n) {
    struct sym_ctx *c = r->g->syms;
    const struct index *x = &n->loop.index;
    struct sym span = sym_add(c, sym_sub(c, x->hi, x->lo), sym_sub(c, x->step, sym_const(c, 1)));
    struct sym trips = sym_max(c, sym_const(c, 0), sym_floordiv(c, span, x->step));
    return sym_simplify(graph_facts(r->scratch, r->g), trips);
}

/* At which of its iterations it is. */
static struct sym row_of(struct reverse *r, const struct node *n) {
    struct sym_ctx *c = r->g->syms;
    const struct index *x = &n->loop.index;
    return sym_floordiv(c, sym_sub(c, sym_atom(c, x->name), x->lo), x->step);
}

/* Adds to BEFORE what loop N is to keep, and changes N. */
static void keep(struct reverse *r, struct region *before, struct node *n, struct cont c) {
    struct graph *g = r->g;
    struct container x = *graph_cont(g, c);
    if (x.rank > 62) {
        ad_fail(r, n->span, n, "a loop over a value of so many dimensions");
        return;
    }
    struct kept k = {.loop = n, .cont = c};
    k.saved = declare_plain(r, before, "saved_", &x, trips_of(r, n), n->span);
    struct region start = {0}, body = n->loop.body, end = {0};
    struct cont in = declare_plain(r, &start, "in_", &x, (struct sym){0}, n->span);
    bool written = false, late = reads_late(r, &body, c, &written);
    struct redirect d = {c, in, late};
    region_walk(&body, redirect_node, &d);
    struct cont to[] = {in, k.saved};
    struct sym rows[] = {{0}, row_of(r, n)};
    map_put(&r->starts, copy_whole(r, &start, c, 2, to, rows, n->span)->id, 1);
    if (late)
        copy_whole(r, &end, in, 1, &c, rows, n->span);
    for (uint32_t i = 0; i < body.nodes.n; i++)
        region_add(g, &start, body.nodes.at[i]);
    for (uint32_t i = 0; i < end.nodes.n; i++)
        region_add(g, &start, end.nodes.at[i]);
    n->loop.body = start;
    VEC_PUSH(r->scratch, r->kept, k);
}

/* A branch that reads C and writes it reads a copy that was made before it. */
static void keep_branch(struct reverse *r, struct region *before, struct node *n, struct cont c) {
    bool then = false, otherwise = false;
    if (reads_late(r, &n->branch.then, c, &then) ||
        reads_late(r, &n->branch.otherwise, c, &otherwise))
        return; /* order.c says what it thinks of that */
    struct container x = *graph_cont(r->g, c);
    struct redirect d = {c, declare_plain(r, before, "in_", &x, (struct sym){0}, n->span), false};
    struct sym no_row = {0};
    copy_whole(r, before, c, 1, &d.to, &no_row, n->span);
    region_walk(&n->branch.then, redirect_node, &d);
    region_walk(&n->branch.otherwise, redirect_node, &d);
}

static void keep_below(struct reverse *r, struct region *region, bool top);

static void keep_in_node(struct reverse *r, struct region *before, struct node *n) {
    if (map_get(&r->carries, n->id, NULL)) {
        struct region one = {{&n, 1, 1}};
        struct touched t = touched_by(r, &one);
        uint32_t conts = r->g->conts.n;
        for (uint32_t c = 1; c < conts && !r->failed; c++)
            if (t.read[c] && t.written[c] && !t.declared[c])
                (n->kind == NODE_LOOP ? keep : keep_branch)(r, before, n, (struct cont){c});
    }
    switch (n->kind) {
    case NODE_MAP: keep_below(r, &n->map.body, false); break;
    case NODE_LOOP: keep_below(r, &n->loop.body, false); break;
    case NODE_WHILE: keep_below(r, &n->repeat.body, false); break;
    case NODE_BRANCH:
        keep_below(r, &n->branch.then, false);
        keep_below(r, &n->branch.otherwise, false);
        break;
    default: break;
    }
}

/* At the top the calls that are reversed by who wrote them move with their nodes. */
static void keep_below(struct reverse *r, struct region *region, bool top) {
    struct region to = {0};
    uint32_t *at = top ? ARENA_ARRAY(r->scratch, uint32_t, region->nodes.n) : NULL;
    for (uint32_t i = 0; i < region->nodes.n; i++) {
        keep_in_node(r, &to, region->nodes.at[i]);
        if (top)
            at[i] = to.nodes.n;
        region_add(r->g, &to, region->nodes.at[i]);
    }
    for (uint32_t k = 0; top && k < r->ncalls; k++) {
        r->call[k].first = at[r->call[k].first];
        r->call[k].last = at[r->call[k].last];
    }
    *region = to;
}

bool ad_keep_loops(struct reverse *r) {
    if (r->carries.n)
        keep_below(r, &r->g->body, true);
    return r->carries.n > 0;
}

/* --- the reverse ----------------------------------------------------------------------------- */

struct rows {
    struct reverse *r;
    const struct node *loop;
};

static void read_row(void *data, struct node *n) {
    const struct rows *x = data;
    for (uint32_t i = 0; n->kind == NODE_READ && i < x->r->kept.n; i++) {
        const struct kept *k = &x->r->kept.at[i];
        if (k->loop != x->loop || k->cont.i != n->read.from.cont.i)
            continue;
        struct sym at[1 + 64];
        at[0] = row_of(x->r, x->loop);
        for (uint32_t d = 0; d < n->read.from.rank; d++)
            at[1 + d] = n->read.from.at[d];
        n->read.from = memlet_new(x->r->g, k->saved, at);
        return;
    }
}

void ad_start_from_rows(struct reverse *r, const struct node *n, const struct region *forward) {
    struct rows x = {r, n};
    region_walk(forward, read_row, &x);
}

struct node *ad_backwards(struct reverse *r, const struct node *n, const struct region *body) {
    struct graph *g = r->g;
    struct node *m = node_new(g, NODE_LOOP, n->span);
    struct name back = graph_fresh(g, n->loop.index.name);
    struct sym trips = trips_of(r, n), one = sym_const(g->syms, 1);
    struct sym k = sym_sub(g->syms, sym_sub(g->syms, trips, one), sym_atom(g->syms, back));
    struct sym at = sym_add(g->syms, n->loop.index.lo, sym_mul(g->syms, n->loop.index.step, k));
    m->loop.index = (struct index){.name = back,
                                   .lo = sym_const(g->syms, 0),
                                   .hi = trips,
                                   .step = one,
                                   .span = n->loop.index.span};
    struct subst s = {.n = 1, .from = &n->loop.index.name, .to = &at};
    m->loop.body = region_clone(g, body, &s);
    return m;
}

struct outer {
    struct reverse *r;
    const bool *declared;
};

static void count_again(void *data, struct node *n) {
    struct outer *o = data;
    if (n->kind == NODE_WRITE && !o->declared[n->write.to.cont.i])
        o->r->writers[n->write.to.cont.i]++;
}

static void count_loop(void *data, struct node *n) {
    struct reverse *r = data;
    if (n->kind != NODE_LOOP)
        return;
    struct outer o = {r, touched_by(r, &n->loop.body).declared};
    region_walk(&n->loop.body, count_again, &o);
}

void ad_count_repeated(struct reverse *r) {
    region_walk(&r->g->body, count_loop, r);
}
