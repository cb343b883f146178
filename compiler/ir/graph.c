/* Graphs, containers, nodes and memlets: making them, and walking a region.
   A node has its id from birth; region_add puts it into the one region that owns it. Nothing here
   checks what it is given: graph_verify does. */
#include "compiler/ir/graph.h"

#include "compiler/ir/names.h"

struct graph *graph_new(struct arena *a, struct names *names, struct sym_ctx *syms,
                        struct name name) {
    struct graph *g = ARENA_NEW(a, struct graph);
    g->arena = a;
    g->names = names;
    g->syms = syms;
    g->name = name;
    g->taken = graph_names_new(a);
    VEC_PUSH(a, g->conts, (struct container){0});
    return g;
}

struct cont graph_container(struct graph *g, struct name name, enum dtype t, uint32_t rank,
                            const struct sym *dims, enum storage storage, enum cont_role role,
                            struct span span) {
    struct container c = {.name = name,
                          .dtype = t,
                          .rank = rank,
                          .dims = arena_copy(g->arena, dims, rank * sizeof *dims),
                          .storage = storage,
                          .role = role,
                          .span = span};
    VEC_PUSH(g->arena, g->conts, c);
    return (struct cont){g->conts.n - 1};
}

struct node *node_new(struct graph *g, enum node_kind kind, struct span span) {
    struct node *n = ARENA_NEW(g->arena, struct node);
    n->kind = kind;
    n->id = g->nodes++;
    n->span = span;
    graph_names_node(g, n);
    return n;
}

void region_add(struct graph *g, struct region *r, struct node *n) {
    VEC_PUSH(g->arena, r->nodes, n);
}

struct memlet memlet_new(struct graph *g, struct cont c, const struct sym *at) {
    uint32_t rank = graph_cont(g, c)->rank;
    return (struct memlet){
        .cont = c, .rank = rank, .at = arena_copy(g->arena, at, rank * sizeof *at)};
}

uint32_t node_regions(struct node *n, struct region *inner[2]) {
    switch (n->kind) {
    case NODE_MAP: inner[0] = &n->map.body; return 1;
    case NODE_LOOP: inner[0] = &n->loop.body; return 1;
    case NODE_WHILE: inner[0] = &n->repeat.body; return 1;
    case NODE_BRANCH:
        inner[0] = &n->branch.then;
        inner[1] = &n->branch.otherwise;
        return 2;
    default: return 0;
    }
}

void region_walk(const struct region *r, void (*f)(void *, struct node *), void *data) {
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        struct region *inner[2];
        f(data, r->nodes.at[i]);
        uint32_t n = node_regions(r->nodes.at[i], inner);
        for (uint32_t k = 0; k < n; k++)
            region_walk(inner[k], f, data);
    }
}
