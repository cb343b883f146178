/* Fresh names: the table of all names that a graph uses.
   Names enter the table late: nodes are queued when they are made, containers and parameters are
   counted, and graph_fresh looks at what has come since its last call. So whoever builds a graph
   just sets names; each thing is looked at once, but for nodes that have no name yet, which stay
   in the queue. A name that a node is given after it was looked at must come from graph_fresh.
   The value under a name is the last suffix that was tried with it, so a sequence of fresh names
   of one base costs one probe each. */
#include "compiler/ir/names.h"

#include "lang/base/map.h"

#include <stdio.h>

struct graph_names {
    struct map used; /* name id -> last suffix */
    VEC(struct node *) queue;
    uint32_t conts, params; /* how many are in the table */
};

struct graph_names *graph_names_new(struct arena *a) {
    struct graph_names *t = ARENA_NEW(a, struct graph_names);
    t->used = map_new(a);
    return t;
}

void graph_names_node(struct graph *g, struct node *n) {
    VEC_PUSH(g->arena, g->taken->queue, n);
}

static void take(void *data, struct name n) {
    struct graph *g = data;
    if (!name_none(n) && !map_get(&g->taken->used, n.i, NULL))
        map_put(&g->taken->used, n.i, 1);
}

static void take_atoms(struct graph *g, struct sym s) {
    if (!sym_none(s))
        sym_atoms(g->syms, s, take, g);
}

/* Takes the names that N defines; false if they are not set yet. */
static bool take_node(struct graph *g, const struct node *n) {
    struct name name = {0};
    switch (n->kind) {
    case NODE_READ: name = n->read.name; break;
    case NODE_LET: name = n->let.name; break;
    case NODE_LOOP: name = n->loop.index.name; break;
    case NODE_MAP:
        for (uint32_t k = 0; k < n->map.n; k++) {
            if (name_none(n->map.index[k].name))
                return false;
            take(g, n->map.index[k].name);
        }
        return n->map.n > 0;
    default: return true;
    }
    take(g, name);
    return !name_none(name);
}

static void catch_up(struct graph *g) {
    struct graph_names *t = g->taken;
    take(g, g->name);
    for (; t->conts < g->conts.n; t->conts++) {
        const struct container *c = &g->conts.at[t->conts];
        take(g, c->name);
        for (uint32_t d = 0; d < c->rank; d++)
            take_atoms(g, c->dims[d]);
    }
    for (; t->params < g->params.n; t->params++)
        take(g, g->params.at[t->params].name);
    uint32_t left = 0;
    for (uint32_t i = 0; i < t->queue.n; i++)
        if (!take_node(g, t->queue.at[i]))
            t->queue.at[left++] = t->queue.at[i];
    t->queue.n = left;
}

struct name graph_fresh(struct graph *g, struct name base) {
    catch_up(g);
    struct map *used = &g->taken->used;
    uint64_t suffix;
    if (!map_get(used, base.i, &suffix) && !graph_word(g->names, base)) {
        map_put(used, base.i, 1);
        return base;
    }
    if (!map_get(used, base.i, &suffix))
        suffix = 1;
    const char *text = name_text(g->names, base);
    for (;;) {
        char digits[24];
        snprintf(digits, sizeof digits, "_%llu", (unsigned long long)++suffix);
        struct buf b = buf_new(g->arena);
        buf_text(&b, text);
        buf_text(&b, digits);
        struct name n = name_of(g->names, b.at, b.n);
        if (map_get(used, n.i, NULL))
            continue;
        map_put(used, n.i, 1);
        map_put(used, base.i, suffix);
        return n;
    }
}

bool graph_named(struct graph *g, struct name n) {
    catch_up(g);
    return map_get(&g->taken->used, n.i, NULL);
}
