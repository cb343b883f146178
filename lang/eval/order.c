/* Note [maps in order]
   A map that appends to a container outside of it, or resolves by a function there, does so in the
   order of its indices, the last one fastest. Such indices become loops. An index stays one of a
   map if it stands alone as the same subscript of every write that resolves by a function: then no
   two of its iterations meet, and each element sees its writes in the same order as in loops. What
   is written by the functions that a map calls is not seen here: there such a map is refused as
   one whose iterations conflict, or runs in order since it is not proved that they do not. */
#include "lang/eval/internal.h"

#include <string.h>

struct stand { /* index ITER of the map stands alone as subscript AT of container CONT */
    struct name cont;
    uint32_t iter, at;
};

struct order {
    struct arena *arena;
    struct env *env; /* around the map */
    const struct ast *map;
    bool *in_order; /* by number of the index */
    VEC(struct stand) stands;
};

static void all_in_order(struct order *o) {
    for (uint32_t i = 0; i + 1 < o->map->nkids; i++)
        o->in_order[i] = true;
}

/* Where index number ITER stands alone in TARGET, 0 if nowhere. */
static uint32_t alone(const struct order *o, const struct ast *target, uint32_t iter) {
    const struct ast *it = o->map->kids[1 + iter];
    enum ast_kind kind = it->flags & AST_PACK ? AST_SPREAD : AST_NAME;
    for (uint32_t k = 1; target->kind == AST_INDEX && k < target->nkids; k++) {
        const struct ast *s = target->kids[k];
        if (s->kind == kind && s->nkids == 0 && name_eq(s->name, it->name))
            return k;
        if (s->kind == AST_SPREAD)
            return 0; /* what follows stands at no one dimension */
    }
    return 0;
}

static void resolve_in_order(struct order *o, const struct ast *target) {
    const struct ast *root = target->kind == AST_INDEX ? target->kids[0] : target;
    if (root->kind != AST_NAME) {
        all_in_order(o);
        return;
    }
    if (!env_find(o->env, root->name, NULL))
        return; /* of the map itself */
    for (uint32_t i = 0; i + 1 < o->map->nkids; i++) {
        struct stand x = {root->name, i, alone(o, target, i)};
        bool differs = x.at == 0;
        for (uint32_t k = 0; k < o->stands.n; k++)
            differs = differs || (name_eq(o->stands.at[k].cont, x.cont) &&
                                  o->stands.at[k].iter == i && o->stands.at[k].at != x.at);
        o->in_order[i] = o->in_order[i] || differs;
        VEC_PUSH(o->arena, o->stands, x);
    }
}

static void look(struct order *o, const struct ast *e) {
    if (!e)
        return;
    if (is_append(e) && env_find(o->env, e->kids[0]->name, NULL))
        all_in_order(o);
    if (e->kind == AST_WRITE && e->kids[2])
        resolve_in_order(o, e->kids[1]);
    for (uint32_t i = 0; i < e->nkids; i++)
        look(o, e->kids[i]);
}

bool *map_order(struct eval *ev, struct env *env, const struct ast *map) {
    struct order o = {.arena = ev->arena, .env = env, .map = map};
    o.in_order = ARENA_ARRAY(ev->arena, bool, map->nkids);
    look(&o, map->kids[0]);
    return o.in_order;
}

struct ordered { /* a map while it runs as one over some indices and loops over the others */
    struct eval *ev;
    const struct eval_range *range;
    uint32_t nmap, nloop;
    uint32_t *map, *loop; /* numbers of ranges */
    uint32_t level;       /* loops around */
    struct value *index;  /* of all */
    struct span span;
    eval_body *body;
    void *data;
};

static bool run_loops(struct ordered *o);

static bool run_turn(void *data, const struct value *index) {
    struct ordered *o = data;
    o->index[o->loop[o->level]] = *index;
    o->level++;
    bool ok = run_loops(o);
    o->level--;
    return ok;
}

static bool run_loops(struct ordered *o) {
    if (o->level == o->nloop)
        return o->body(o->data, o->index);
    struct eval_range r = o->range[o->loop[o->level]];
    if (r.schedule == SCHED_SEQ)
        r.schedule = SCHED_NONE;
    if (r.schedule != SCHED_NONE && r.schedule != SCHED_UNROLL) {
        diag_error(o->ev->diags, r.span, ERR_PLACEMENT,
                   arena_printf(o->ev->arena,
                                "%s is %s, but the map appends or resolves by a function over it, "
                                "which is done in order",
                                text_of(o->ev, r.name), schedule_names[r.schedule]));
        return false;
    }
    return o->ev->ops->loop(o->ev->host, &r, o->span, run_turn, o);
}

static bool run_mapped(void *data, const struct value *index) {
    struct ordered *o = data;
    for (uint32_t k = 0; k < o->nmap; k++)
        o->index[o->map[k]] = index[k];
    return run_loops(o);
}

bool map_ordered(struct eval *ev, uint32_t n, const struct eval_range *r, const bool *in_order,
                 bool unique, struct span span, eval_body *body, void *data) {
    struct ordered o = {.ev = ev, .range = r, .span = span, .body = body, .data = data};
    struct eval_range *mapped = ARENA_ARRAY(ev->arena, struct eval_range, n);
    o.map = ARENA_ARRAY(ev->arena, uint32_t, n);
    o.loop = ARENA_ARRAY(ev->arena, uint32_t, n);
    o.index = ARENA_ARRAY(ev->arena, struct value, n);
    for (uint32_t k = 0; k < n; k++) {
        if (in_order[k]) {
            o.loop[o.nloop++] = k;
        } else {
            mapped[o.nmap] = r[k];
            o.map[o.nmap++] = k;
        }
    }
    if (o.nloop == 0)
        return ev->ops->map(ev->host, n, r, unique, span, body, data);
    if (o.nmap == 0)
        return run_loops(&o);
    return ev->ops->map(ev->host, o.nmap, mapped, unique, span, run_mapped, &o);
}
