/* Collecting the memlets of a region in one walk. A name that is defined again, in a scope beside
   the first, means the later thing from there on: no name shadows another. */
#include "compiler/analysis/access.h"

struct collector {
    struct arena *arena;
    const struct graph *g;
    struct accesses *out;
    const struct around *around;
    bool conditional;
    /* values that are symbolic integers, over none of themselves */
    uint32_t lets, cap;
    struct name *let;
    struct sym *value;
};

static void collect(struct collector *c, const struct region *r);

static struct sym resolve(struct collector *c, struct sym s) {
    return c->lets ? sym_subst(c->g->syms, s, c->lets, c->let, c->value) : s;
}

/* NAME means something new from here on: VALUE, or no symbolic integer (none). */
static void define(struct collector *c, struct name name, struct sym value) {
    VEC_PUSH(c->arena, c->out->names, name);
    uint32_t i = 0;
    while (i < c->lets && !name_eq(c->let[i], name))
        i++;
    if (i < c->lets) {
        c->lets--;
        c->let[i] = c->let[c->lets];
        c->value[i] = c->value[c->lets];
    }
    if (sym_none(value))
        return;
    if (c->lets == c->cap) {
        uint32_t cap = c->cap;
        c->let = vec_grow(c->arena, c->let, c->lets, &cap, sizeof *c->let);
        c->value = vec_grow(c->arena, c->value, c->lets, &c->cap, sizeof *c->value);
    }
    c->let[c->lets] = name;
    c->value[c->lets++] = value;
}

static void touch(struct collector *c, const struct node *n, const struct memlet *m, bool write) {
    struct access x = {.node = n,
                       .memlet = m,
                       .at = ARENA_ARRAY(c->arena, struct sym, m->rank),
                       .write = write,
                       .conditional = c->conditional,
                       .around = c->around};
    for (uint32_t d = 0; d < m->rank; d++)
        x.at[d] = resolve(c, m->at[d]);
    VEC_PUSH(c->arena, c->out->at, x);
}

static void inside(struct collector *c, uint32_t n, const struct index *index,
                   const struct region *body) {
    const struct around *outer = c->around;
    for (uint32_t k = 0; k < n; k++) {
        struct around *x = ARENA_NEW(c->arena, struct around);
        *x = (struct around){c->around, index[k]};
        x->index.lo = resolve(c, index[k].lo);
        x->index.hi = resolve(c, index[k].hi);
        x->index.step = resolve(c, index[k].step);
        c->around = x;
        define(c, index[k].name, (struct sym){0});
    }
    collect(c, body);
    c->around = outer;
}

static void branch(struct collector *c, const struct node *n) {
    bool outer = c->conditional;
    c->conditional = true;
    collect(c, &n->branch.then);
    collect(c, &n->branch.otherwise);
    c->conditional = outer;
}

static void collect(struct collector *c, const struct region *r) {
    static const struct sym none = {0};
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const struct node *n = r->nodes.at[i];
        switch (n->kind) {
        case NODE_DECL: c->out->local[n->decl.cont.i] = true; break;
        case NODE_READ:
            touch(c, n, &n->read.from, false);
            define(c, n->read.name, none);
            break;
        case NODE_LET: {
            bool integer = n->let.value->kind == EXPR_SYM;
            define(c, n->let.name, integer ? resolve(c, n->let.value->sym) : none);
            break;
        }
        case NODE_WRITE: touch(c, n, &n->write.to, true); break;
        case NODE_MAP: inside(c, n->map.n, n->map.index, &n->map.body); break;
        case NODE_LOOP: inside(c, 1, &n->loop.index, &n->loop.body); break;
        case NODE_WHILE: {
            bool outer = c->conditional;
            touch(c, n, &n->repeat.condition, false);
            c->conditional = true;
            collect(c, &n->repeat.body);
            c->conditional = outer;
            break;
        }
        case NODE_BRANCH: branch(c, n); break;
        case NODE_COUNT: break;
        }
    }
}

void accesses_of(struct arena *a, const struct graph *g, const struct region *r,
                 struct accesses *out) {
    *out = (struct accesses){0};
    out->local = ARENA_ARRAY(a, bool, g->conts.n);
    collect(&(struct collector){.arena = a, .g = g, .out = out}, r);
}
