/* Largest and smallest values: which iteration was the first to have it. */
#include "compiler/ad/internal.h"

static const struct index *index_around(struct level *l, struct name n) {
    for (; l; l = l->out)
        for (uint32_t k = 0; k < l->around.n; k++)
            if (name_eq(l->around.at[k].name, n))
                return &l->around.at[k];
    return NULL;
}

/* The largest (UP) or smallest value of S over the iterations around, free of their indices; none
   where it is not simple. */
static struct sym bound(struct reverse *r, struct level *l, struct sym s, bool up) {
    struct sym_ctx *c = r->g->syms;
    struct sym none = {0}, out, a, b;
    const struct index *x;
    struct name n;
    int64_t by;
    enum sym_kind kind = sym_kind(c, s);
    switch (kind) {
    case SYM_CONST: return s;
    case SYM_ATOM:
        if (!sym_is_atom(c, s, &n) || !(x = index_around(l, n)))
            return s;
        a = up ? sym_sub(c, x->hi, sym_const(c, 1)) : x->lo;
        return bound(r, l, a, up);
    case SYM_SUM:
        out = sym_const(c, 0);
        for (uint32_t k = 0; k < sym_count(c, s); k++) {
            a = bound(r, l, sym_operand(c, s, k), up);
            if (sym_none(a))
                return none;
            out = sym_add(c, out, a);
        }
        return out;
    case SYM_MIN:
    case SYM_MAX:
        a = bound(r, l, sym_operand(c, s, 0), up);
        b = bound(r, l, sym_operand(c, s, 1), up);
        if (sym_none(a) || sym_none(b))
            return up != (kind == SYM_MIN) ? none : sym_none(a) ? b : a;
        return kind == SYM_MIN ? sym_min(c, a, b) : sym_max(c, a, b);
    case SYM_PRODUCT:
        if (sym_count(c, s) == 2 && sym_is_const(c, sym_operand(c, s, 0), &by)) {
            a = bound(r, l, sym_operand(c, s, 1), up == (by > 0));
            return sym_none(a) ? none : sym_mul(c, a, sym_const(c, by));
        }
        break;
    case SYM_FLOORDIV:
        if (sym_is_const(c, sym_operand(c, s, 1), &by) && by > 0) {
            a = bound(r, l, sym_operand(c, s, 0), up);
            return sym_none(a) ? none : sym_floordiv(c, a, sym_const(c, by));
        }
        break;
    case SYM_MOD: break;
    }
    for (; l; l = l->out)
        for (uint32_t k = 0; k < l->around.n; k++)
            if (sym_contains(c, s, l->around.at[k].name))
                return none;
    return s;
}

struct known {
    struct reverse *r;
    struct level *l;
    bool all; /* symbols and indices, no values */
};

static void check_known(void *data, struct name n) {
    struct known *k = data;
    k->all = k->all && (map_get(&k->r->symbols, n.i, NULL) || index_around(k->l, n));
}

/* A number of the iteration among all of the maps around, different for each and smaller for
   earlier ones; for ties of max. Its digits have radices free of the indices, so that inner ranges
   may depend on outer indices. */
const struct expr *ad_position(struct reverse *r, struct level *all, struct span at_span) {
    struct sym_ctx *c = r->g->syms;
    struct sym at = sym_const(c, 0), size = sym_const(c, 1);
    for (struct level *l = all; l; l = l->out)
        for (uint32_t k = l->around.n; k-- > 0;) {
            const struct index *x = &l->around.at[k];
            struct sym n = sym_sub(c, sym_atom(c, x->name), x->lo);
            struct sym span = bound(r, all, sym_sub(c, x->hi, x->lo), true);
            struct sym most = bound(r, all, x->step, true);
            if (sym_none(span) || sym_none(most) || !sym_eq(most, x->step)) {
                ad_fail(r, at_span, NULL,
                        "a largest value over a range whose largest length is not known");
                return expr_sym(r->g, sym_const(c, 0));
            }
            at = sym_add(c, at, sym_mul(c, size, sym_floordiv(c, n, x->step)));
            struct sym trips =
                sym_floordiv(c, sym_add(c, span, sym_sub(c, x->step, sym_const(c, 1))), x->step);
            size = sym_mul(c, size, trips);
        }
    struct known known = {r, all, true};
    sym_atoms(c, at, check_known, &known);
    if (!known.all) {
        ad_fail(r, at_span, NULL, "a largest value over a range that hangs on data");
        return expr_sym(r->g, sym_const(c, 0));
    }
    return expr_sym(r->g, at);
}

struct search {
    struct reverse *r;
    struct node *found[64];
    uint32_t n;
};

static void note_extreme(void *data, struct node *n) {
    struct search *s = data;
    if (n->kind == NODE_WRITE && ad_matters(s->r, n->write.to.cont) &&
        (n->write.to.resolution == RES_MAX || n->write.to.resolution == RES_MIN) && s->n < 64)
        s->found[s->n++] = n;
}

/* Replaces, in a copy of the nest, the write W by one of the position to FIRST. */
static bool keep_first(struct reverse *r, struct region *to, const struct region *from,
                       const struct node *w, struct cont first, struct level *l) {
    bool found = false;
    for (uint32_t i = 0; i < from->nodes.n; i++) {
        struct node *n = from->nodes.at[i];
        if (n == w) {
            const struct expr *y = ad_read(r, to, "", n->write.to.cont, &n->write.to, n->span);
            union scalar last = {.i64 = INT64_MAX};
            const struct expr *at =
                expr_op(r->g, OP_SELECT, expr_op(r->g, OP_EQ, n->write.value, y, NULL),
                        ad_position(r, l, n->span), expr_const(r->g, DT_i64, last));
            ad_write(r, to, at, first, n->write.to.at, RES_MIN, n->write.to.outside, n->span);
            found = true;
        } else if (n->kind == NODE_MAP) {
            struct node *m = ad_copy_node(r, n);
            m->map.body = (struct region){0};
            m->map.index = arena_copy(r->g->arena, n->map.index, n->map.n * sizeof(struct index));
            struct level inner = {.out = l};
            for (uint32_t k = 0; k < n->map.n; k++) {
                m->map.index[k].schedule = SCHED_NONE;
                m->map.index[k].factor = 0;
                VEC_PUSH(r->scratch, inner.around, n->map.index[k]);
            }
            if (keep_first(r, &m->map.body, &n->map.body, w, first, &inner)) {
                region_add(r->g, to, m);
                found = true;
            }
        } else if (l->out && (n->kind == NODE_READ || n->kind == NODE_LET)) {
            region_add(r->g, to, ad_copy_node(r, n));
        } else if (l->out && n->kind == NODE_DECL) {
            ad_fail(r, n->span, n, "a largest value that needs a container of each iteration");
        }
    }
    return found;
}

void ad_find_extremes(struct reverse *r, struct region *to, struct node *n, struct extremes *out) {
    struct search s = {.r = r};
    struct region one = {{&n, 1, 1}};
    region_walk(&one, note_extreme, &s);
    for (uint32_t i = 0; i < s.n; i++) {
        struct container x = *graph_cont(r->g, s.found[i]->write.to.cont);
        union scalar last = {.i64 = INT64_MAX};
        struct extreme e = {s.found[i], ad_declare(r, to, ad_fresh(r, "first_", x.name), DT_i64,
                                                   x.rank, x.dims, last, n->span)};
        struct level root = {0};
        struct region copy = {0};
        if (!keep_first(r, &copy, &one, s.found[i], e.first, &root))
            ad_fail(r, s.found[i]->span, s.found[i],
                    "a largest value under a condition or in a loop");
        bool *local = ARENA_ARRAY(r->scratch, bool, r->g->conts.n);
        copy = ad_own_names(r, &copy, local, r->g->conts.n);
        for (uint32_t k = 0; k < copy.nodes.n; k++)
            region_add(r->g, to, copy.nodes.at[k]);
        VEC_PUSH(r->scratch, out->at, e);
    }
}
