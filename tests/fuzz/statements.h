/* Statements: writes, maps, tiles, loops, branches. Each keeps what scope.h says of its
   views, so that a program that was generated is legal: no races, nothing outside, no element read
   before it was written. */
#ifndef DCL_TESTS_FUZZ_STATEMENTS_H
#define DCL_TESTS_FUZZ_STATEMENTS_H

#include "tests/fuzz/expressions.h"

static void block(struct gen *g, struct scope *s, int n);
static bool tensor_statement(struct gen *g, struct scope *s);
static bool form_statement(struct gen *g, struct scope *s);
static bool grow_statement(struct gen *g, struct scope *s);
static bool resolve_statement(struct gen *g, struct scope *s);

static struct view *random_view(struct gen *g, struct scope *s, enum mode mode) {
    for (int k = 0; k < 12 && s->nviews; k++) {
        struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        if (v->mode == mode)
            return v;
    }
    return NULL;
}

/* A block inside S. What may not be known to be written there is not touched. */
static struct scope enter(const struct scope *s, bool sequential) {
    struct scope in = *s;
    in.depth++;
    in.has_parallel = in.has_vector = false;
    in.size = 0;
    for (int i = 0; i < in.nviews && sequential; i++)
        if (in.view[i].mode == MODE_OWN && !in.view[i].init)
            in.view[i].mode = MODE_HIDDEN;
    return in;
}

static void leave(struct scope *s, const struct scope *in) {
    for (int i = 0; i < s->nindices; i++) {
        s->index[i].alone = in->index[i].alone;
        s->index[i].shared = in->index[i].shared;
        memcpy(s->index[i].apart, in->index[i].apart, sizeof s->index[i].apart);
    }
    s->has_parallel = s->has_parallel || in->has_parallel;
    s->has_vector = s->has_vector || in->has_vector;
    s->size += in->size;
}

/* --- scalars and elements -------------------------------------------------------------------- */

static void add_value(struct scope *s, const char *name, enum dtype t, int below) {
    if (s->nvalues == SCOPE_VALUES)
        return;
    struct value_of *v = &s->value[s->nvalues++];
    *v = (struct value_of){.dtype = t, .level = s->level, .below = below, .weak = below > 0};
    snprintf(v->name, sizeof v->name, "%s", name);
}

static bool let_statement(struct gen *g, struct scope *s) {
    char name[16];
    if (s->nvalues == SCOPE_VALUES)
        return false;
    struct buf e = buf_new(g->arena);
    for (int k = 0; k < 8 && rng_chance(&g->rng, 45); k++) { /* name << memlet */
        const struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        bool outside = v->below == 0 && free_slots(v) && rng_chance(&g->rng, 15);
        if (!readable(v) || (!outside && !accessible(s, v)))
            continue;
        struct view copy = *v;
        element(g, s, &copy, false, outside, &e);
        local_name(g, s, "uvwpq", name);
        line(g, s, "%s << %s", name, e.at);
        add_value(s, name, copy.dtype, copy.edges || outside ? 0 : copy.below);
        return true;
    }
    enum dtype t = random_type(g);
    const char *text = expression_text(g, s, t, 3);
    local_name(g, s, "abcdegh", name);
    line(g, s, "%s = %s", name, text);
    add_value(s, name, t, 0);
    return true;
}

/* An outer value gets a new value: carried by the loops and branches around. */
static bool rebind(struct gen *g, struct scope *s) {
    for (int k = 0; k < 6 && s->nvalues; k++) {
        struct value_of v = s->value[rng_below(&g->rng, s->nvalues)];
        if (v.level != s->level || v.weak)
            continue;
        const struct value_of *w = &s->value[rng_below(&g->rng, s->nvalues)];
        if (w->dtype == v.dtype && w->level == s->level && !w->weak &&
            strcmp(w->name, v.name) != 0 && rng_chance(&g->rng, 50)) {
            line(g, s, "%s, %s = (%s, %s)", v.name, w->name, w->name, v.name);
            return true;
        }
        if (v.dtype != DT_bool && rng_chance(&g->rng, 15)) {
            line(g, s, "%s += %s", v.name, expression_text(g, s, v.dtype, 2));
            return true;
        }
        line(g, s, "%s = %s", v.name, expression_text(g, s, v.dtype, 2));
        return true;
    }
    return false;
}

static enum resolution random_resolution(struct gen *g, enum dtype t) {
    static const enum resolution numbers[] = {RES_SUM, RES_SUM, RES_SUM,
                                              RES_MAX, RES_MIN, RES_PROD};
    static const enum resolution bools[] = {RES_AND, RES_OR};
    return t == DT_bool ? rng_of(&g->rng, bools) : rng_of(&g->rng, numbers);
}

static void emit_write(struct gen *g, struct scope *s, const char *value, const char *to,
                       enum resolution r) {
    if (r == RES_NONE && rng_chance(&g->rng, 60))
        line(g, s, "%s = %s", to, value);
    else if (r == RES_NONE)
        line(g, s, "%s >> %s", value, to);
    else if (r == RES_SUM && rng_chance(&g->rng, 60))
        line(g, s, "%s += %s", to, value);
    else if (rng_chance(&g->rng, 30))
        line(g, s, "%s %s= %s", to, resolution_names[r], value);
    else
        line(g, s, "%s >> %s (%s)", value, to, resolution_names[r]);
    s->size++;
}

/* The value of a write; factors of products stay near 1. */
static const char *written_value(struct gen *g, struct scope *s, enum dtype t, enum resolution r,
                                 int depth) {
    const char *e = expression_text(g, s, t, depth);
    if (r == RES_PROD && dtype_is_float(t))
        return arena_printf(g->arena, "(1 + 0.125*tanh(%s))", e);
    return e;
}

/* Indices that do not stand alone in the subset TO, or elsewhere than in another one of the same
   container V: their iterations may meet in one element. */
static void mark_shared(struct scope *s, const struct view *v, const char *to) {
    for (int i = 0; i < s->nindices; i++) {
        struct counter *x = &s->index[i];
        size_t n = strlen(x->name);
        int found = 0, at = 0, depth = 0;
        for (const char *p = to; (p = strpbrk(p, "[],()")) != NULL && !found;) {
            depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
            bool subscript = depth == 1 && (*p == '[' || *p == ',');
            p += 1 + strspn(p + 1, " ");
            at += subscript;
            if (subscript && strncmp(p, x->name, n) == 0 && strchr(",]", p[n]))
                found = at;
        }
        if (v->level >= x->level) /* each iteration has its own */
            continue;
        char *apart = &x->apart[v - s->view];
        x->shared = x->shared || !found || (*apart && *apart != found);
        *apart = (char)found;
    }
}

static bool accumulate(struct gen *g, struct scope *s) {
    struct view *v = random_view(g, s, MODE_ACC);
    if (!v)
        return false;
    bool outside = v->rank && free_slots(v) && rng_chance(&g->rng, 12);
    if (!outside && !accessible(s, v))
        return false;
    const char *value = written_value(g, s, v->dtype, v->resolution, 2);
    struct buf to = buf_new(g->arena);
    element(g, s, v, true, outside, &to);
    mark_shared(s, v, to.at);
    emit_write(g, s, value, to.at, v->resolution);
    return true;
}

/* Of the elements that are this iteration's own. */
static bool own_write(struct gen *g, struct scope *s, struct view *v) {
    bool all = free_slots(v) == 0;
    if ((!all && !v->init) || !accessible(s, v))
        return false;
    enum resolution r = v->only;
    if (r == RES_NONE && v->init && rng_chance(&g->rng, 15))
        r = random_resolution(g, v->dtype);
    const char *value = written_value(g, s, v->dtype, r, 3);
    struct buf to = buf_new(g->arena);
    bool outside = !all && rng_chance(&g->rng, 10);
    element(g, s, v, true, outside, &to);
    if (v->rank == 0 && s->level == 0 && r == RES_NONE)
        line(g, s, "%s = %s", to.at, value);
    else
        emit_write(g, s, value, to.at, r);
    v->init = v->init || all;
    return true;
}

static bool any_own_write(struct gen *g, struct scope *s) {
    struct view *v = random_view(g, s, MODE_OWN);
    return v && pay(g, s, 1) && own_write(g, s, v);
}

/* --- maps ------------------------------------------------------------------------------------ */

struct nest {
    int n;
    struct counter index[NEST_INDICES];
    int64_t trips;
};

static int trips_of(const struct counter *x) {
    return x->max < x->lo ? 0 : (x->max - x->lo) / x->step + 1;
}

static void nest_add(struct gen *g, const struct scope *s, struct nest *m, struct counter x) {
    struct scope with = *s; /* names of this nest are taken, too */
    for (int i = 0; i < m->n; i++)
        with.index[with.nindices++] = m->index[i];
    local_name(g, &with, "ijkl", x.name);
    x.level = s->level + 1;
    m->index[m->n++] = x;
    m->trips *= trips_of(&x);
}

static struct counter index_over(const struct dim *d) {
    struct counter x = {.lo = 0, .max = d->n - 1, .step = 1, .whole = true};
    memcpy(x.hi, d->text, sizeof x.hi);
    return x;
}

/* 0 : N, where N hangs on another index of S or of M, or is a run-time integer. */
static bool narrow_by(struct gen *g, struct counter *x, const struct scope *s,
                      const struct nest *m) {
    int n = x->max + 1, others = s->nindices + (m ? m->n : 0);
    if (g->nintegers && rng_chance(&g->rng, 60)) {
        const struct dim *d = &g->integer[rng_below(&g->rng, g->nintegers)];
        if (d->n > n)
            return false;
        x->max = d->n - 1;
        snprintf(x->hi, sizeof x->hi, "%s", d->text);
        return true;
    }
    if (others == 0)
        return false;
    int k = rng_below(&g->rng, others), more = rng_below(&g->rng, 2);
    const struct counter *y = k < s->nindices ? &s->index[k] : &m->index[k - s->nindices];
    if (y->lo < 0 || y->max + more > n)
        return false;
    x->max = y->max + more - 1;
    snprintf(x->hi, sizeof x->hi, more ? "%s + 1" : "%s", y->name);
    return true;
}

/* Part of 0 : n, for what has values already. M: the indices to the left, or NULL. */
static void narrow(struct gen *g, struct counter *x, const struct scope *s, const struct nest *m) {
    int n = x->max + 1;
    if (n < 2 || !rng_chance(&g->rng, 25))
        return;
    if (rng_chance(&g->rng, 40) && narrow_by(g, x, s, m)) {
        x->whole = false;
        return;
    }
    int lo = rng_below(&g->rng, n), hi = lo + 1 + rng_below(&g->rng, n - lo);
    x->step = rng_chance(&g->rng, 40) ? 1 + rng_below(&g->rng, 4) : 1;
    if (lo == 0 && hi == n && x->step == 1)
        return;
    x->whole = false;
    x->lo = lo;
    x->max = lo + (hi - 1 - lo) / x->step * x->step;
    if (hi != n || rng_chance(&g->rng, 50))
        snprintf(x->hi, sizeof x->hi, "%d", hi);
}

/* The dimension of something that is there. */
static struct dim known_dim(struct gen *g, struct scope *s, int most) {
    for (int k = 0; k < 10 && s->nviews; k++) {
        const struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        if (v->rank == 0)
            continue;
        const struct slot *sl = &v->slot[rng_below(&g->rng, v->rank)];
        if (!sl->fixed && !sl->dim.varying && sl->dim.n <= most && !sl->base[0])
            return sl->dim;
    }
    return random_dim(g, most);
}

/* X runs over all of SL and further: what lies outside is dropped. */
static bool covers(const struct counter *x, const struct slot *sl) {
    return x->whole && !x->masked && !x->tile[0] && !sl->dim.varying && !sl->base[0] &&
           x->max >= sl->dim.n;
}

/* The slot of V for index X, other than those TAKEN; -1 if there is none. */
static int slot_for(const struct view *v, const struct counter *x, const bool *taken, bool wide) {
    for (int d = 0; d < v->rank; d++) {
        const struct slot *sl = &v->slot[d];
        if (sl->fixed || taken[d])
            continue;
        if (x->masked  ? strcmp(sl->base, x->tile) == 0
            : x->whole ? strcmp(sl->dim.text, x->hi) == 0 && strcmp(sl->base, x->tile) == 0
                       : v->init && !sl->dim.varying && !sl->base[0] && x->max < sl->dim.n)
            return d;
        if (wide && covers(x, sl))
            return d;
    }
    return -1;
}

static bool fix(struct gen *g, struct view *v, struct nest *m, bool reverse) {
    bool taken[PROGRAM_RANK] = {false}, wide = rng_chance(&g->rng, 25);
    int at[4];
    for (int i = 0; i < m->n; i++) {
        at[i] = slot_for(v, &m->index[i], taken, wide);
        if (at[i] < 0)
            return false;
        taken[at[i]] = true;
    }
    for (int i = 0; i < m->n; i++) {
        struct slot *sl = &v->slot[at[i]];
        const struct counter *x = &m->index[i];
        sl->fixed = true;
        v->edges = v->edges || x->masked || (x->whole && strcmp(sl->dim.text, x->hi) != 0);
        struct slot was = *sl;
        if (sl->base[0])
            snprintf(sl->at, sizeof sl->at, "%.40s + %.15s", was.base, x->name);
        else if (reverse && x->whole && rng_chance(&g->rng, 60))
            snprintf(sl->at, sizeof sl->at, "%.55s - 1 - %.15s", was.dim.text, x->name);
        else if (x->bare && strcmp(was.dim.text, x->hi) != 0) /* its range is another one */
            snprintf(sl->at, sizeof sl->at, "%.15s + 0", x->name);
        else
            snprintf(sl->at, sizeof sl->at, "%s", x->name);
    }
    return true;
}

/* What the map does with the views around; TARGET is what it is for. False if with it nothing can
   be done. */
static bool split_views(struct gen *g, struct scope *s, struct scope *in, struct nest *m,
                        int target, bool reduce) {
    for (int i = 0; i < s->nviews; i++) {
        struct view *v = &in->view[i];
        if (v->mode != MODE_OWN)
            continue;
        bool wanted = i == target;
        if (!(wanted && reduce) && (wanted || rng_chance(&g->rng, 45)) &&
            fix(g, v, m, rng_chance(&g->rng, 10)))
            continue;
        if (wanted && !reduce)
            return false;
        if (v->init && (wanted || rng_chance(&g->rng, 20))) {
            v->mode = MODE_ACC;
            v->resolution = v->only != RES_NONE ? v->only : random_resolution(g, v->dtype);
        } else if (v->init && rng_chance(&g->rng, 80)) {
            v->mode = MODE_READ;
        } else {
            v->mode = MODE_HIDDEN;
        }
    }
    return true;
}

static const char *index_words(struct gen *g, struct scope *s, const struct scope *in,
                               const struct nest *m, int k, int *unrolled, bool *parallel,
                               bool *vector) {
    const struct counter *x = &in->index[s->nindices + k];
    int trips = trips_of(x), c = rng_below(&g->rng, 100), tile = 0;
    bool last = k == m->n - 1;
    /* With sizes as symbols the largest number of copies is that of a tile, or unknown. */
    if (sscanf(x->hi, "min(%d,", &tile) == 1)
        trips = tile;
    else if (!x->whole && (x->hi[0] < '0' || x->hi[0] > '9'))
        trips = 1000;
    if (c < 12 && !x->shared && !in->has_parallel && !in->has_vector) {
        *parallel = true;
        return " parallel";
    }
    if (c < 12 && !x->shared && !in->has_parallel && !last) {
        *parallel = true;
        return " parallel";
    }
    if (c < 30 && last && !in->has_vector && !in->has_parallel) {
        *vector = true;
        return rng_chance(&g->rng, 70)
                   ? " vector"
                   : arena_printf(g->arena, " vector(%d)", 1 + rng_below(&g->rng, 4));
    }
    if (c < 38 && trips * *unrolled * (in->size + 1) <= 150) {
        *unrolled *= trips > 0 ? trips : 1;
        return " unroll";
    }
    if (c < 46 && *unrolled * 4 * (in->size + 1) <= 150) {
        int f = 1 + rng_below(&g->rng, 4);
        *unrolled *= f;
        return arena_printf(g->arena, " unroll(%d)", f);
    }
    return c < 54 ? " seq" : "";
}

/* The header: known only when the body is, since ranges and words depend on it. */
static void map_header(struct gen *g, struct scope *s, struct scope *in, const struct nest *m) {
    struct buf h = buf_new(g->arena);
    int unrolled = 1;
    bool parallel = false, vector = false, words = rng_chance(&g->rng, 55);
    for (int k = 0; k < m->n; k++) {
        const struct counter *x = &in->index[s->nindices + k];
        buf_printf(&h, "%s %s", k ? "," : "", x->name);
        if (x->step != 1)
            buf_printf(&h, " in %d:%s:%d", x->lo, x->hi, x->step);
        else if (!x->whole)
            buf_printf(&h, " in %d:%s", x->lo, x->hi);
        else if (!x->bare || !x->alone)
            buf_printf(&h, rng_chance(&g->rng, 70) ? " in %s" : " in 0:%s", x->hi);
        if (words)
            buf_text(&h, index_words(g, s, in, m, k, &unrolled, &parallel, &vector));
    }
    in->has_parallel = in->has_parallel || parallel;
    in->has_vector = in->has_vector || vector;
    in->size = (in->size + 1) * unrolled;
    line(g, s, "map%s {", h.at);
}

/* Gives every view that the map was to fill its values. */
static void fill_rest(struct gen *g, struct scope *s, int first);

static bool run_nest(struct gen *g, struct scope *s, struct nest *m, int target, bool reduce) {
    int64_t iterations = (s->iterations ? s->iterations : 1) * m->trips;
    if (iterations > 9000 || s->nindices + m->n > SCOPE_INDICES || s->depth > 6 ||
        !pay(g, s, (int)(m->trips > 0 ? m->trips : 1)))
        return false;
    struct scope in = enter(s, false);
    if (!split_views(g, s, &in, m, target, reduce))
        return false;
    in.level++;
    in.iterations = (int)iterations;
    for (int i = 0; i < m->n; i++)
        in.index[in.nindices++] = m->index[i];
    struct buf outer = g->out;
    g->out = buf_new(g->arena);
    block(g, &in, 1 + rng_below(&g->rng, 3));
    if (reduce && in.view[target].mode == MODE_ACC) {
        struct view keep = in.view[target];
        struct scope only = in; /* the write that this map is for */
        for (int i = 0; i < only.nviews; i++)
            if (i != target && only.view[i].mode == MODE_ACC)
                only.view[i].mode = MODE_HIDDEN;
        if (accessible(&in, &keep))
            accumulate(g, &only);
        leave(&in, &only);
        in.size = only.size;
    } else {
        own_write(g, &in, &in.view[target]);
    }
    for (int i = 0; i < s->nviews; i++)
        if (in.view[i].mode == MODE_OWN && !in.view[i].init) {
            struct view *v = &in.view[i];
            if (free_slots(v))
                fill_rest(g, &in, i);
            else
                own_write(g, &in, v);
        }
    struct buf body = g->out;
    g->out = outer;
    map_header(g, s, &in, m);
    buf_text(&g->out, body.at ? body.at : "");
    line(g, s, "}");
    for (int i = 0; i < s->nviews; i++)
        if (s->view[i].mode == MODE_OWN && in.view[i].mode == MODE_OWN)
            s->view[i].init = true;
    leave(s, &in);
    return true;
}

static struct counter tile_index(const struct scope *s, const struct slot *sl, bool masked) {
    struct counter x = index_over(&sl->dim);
    if (!sl->base[0])
        return x;
    snprintf(x.tile, sizeof x.tile, "%.15s", sl->base);
    x.masked = masked;
    if (masked) /* as long as the tile everywhere: what lies outside is dropped */
        snprintf(x.hi, sizeof x.hi, "%d", sl->dim.n);
    for (int i = 0; i < s->nindices && !masked; i++)
        if (strcmp(s->index[i].name, sl->base) == 0)
            x.tile_n = s->index[i].tile_n;
    return x;
}

static bool map_statement(struct gen *g, struct scope *s) {
    int target = -1;
    for (int k = 0; k < 12 && target < 0 && s->nviews; k++) {
        int i = rng_below(&g->rng, s->nviews);
        if (s->view[i].mode == MODE_OWN || (s->view[i].mode == MODE_ACC && rng_chance(&g->rng, 50)))
            target = i;
    }
    if (target < 0)
        return false;
    struct view *v = &s->view[target];
    struct nest m = {.trips = 1};
    bool own = v->mode == MODE_OWN;
    bool reduce = !own || (v->init && rng_chance(&g->rng, 45)) || free_slots(v) == 0;
    if (reduce && own && !v->init)
        return false;
    int most = 65;
    if (own)
        for (int d = 0; d < v->rank; d++) {
            const struct slot *sl = &v->slot[d];
            if (sl->fixed || m.n == 3 || (m.n && rng_chance(&g->rng, 25)))
                continue;
            bool masked = sl->base[0] && !reduce && rng_chance(&g->rng, 40);
            struct counter x = tile_index(s, sl, masked);
            if ((reduce || v->init) && !sl->base[0])
                narrow(g, &x, s, NULL);
            x.bare = x.whole && !sl->base[0] && !sl->dim.varying && rng_chance(&g->rng, 40);
            nest_add(g, s, &m, x);
        }
    for (int k = 0; reduce && m.n < NEST_INDICES && (k == 0 || rng_chance(&g->rng, 30)); k++) {
        int64_t room = 6000 / (m.trips > 0 ? m.trips : 1) / (s->iterations ? s->iterations : 1);
        struct dim d = known_dim(g, s, room < most ? (int)room : most);
        struct counter x = index_over(&d);
        narrow(g, &x, s, &m);
        x.bare = x.whole && rng_chance(&g->rng, 40);
        nest_add(g, s, &m, x);
    }
    if (m.n == 0)
        return false;
    if (!reduce && m.n > 1 && rng_chance(&g->rng, 15)) { /* another order */
        struct counter x = m.index[0];
        m.index[0] = m.index[m.n - 1];
        m.index[m.n - 1] = x;
    }
    return run_nest(g, s, &m, target, reduce);
}

/* All of V, which has no values yet. */
static void fill_rest(struct gen *g, struct scope *s, int k) {
    struct view *v = &s->view[k];
    struct nest m = {.trips = 1};
    for (int d = 0; d < v->rank; d++)
        if (!v->slot[d].fixed)
            nest_add(g, s, &m, tile_index(s, &v->slot[d], false));
    struct scope in = enter(s, false);
    in.level++;
    in.iterations *= m.trips > 0 ? (int)m.trips : 1;
    for (int i = 0; i < in.nviews; i++)
        if (i != k && in.view[i].mode == MODE_OWN)
            in.view[i].mode = in.view[i].init ? MODE_READ : MODE_HIDDEN;
    fix(g, &in.view[k], &m, false);
    for (int i = 0; i < m.n; i++)
        in.index[in.nindices++] = m.index[i];
    struct buf outer = g->out;
    g->out = buf_new(g->arena);
    own_write(g, &in, &in.view[k]);
    struct buf body = g->out;
    g->out = outer;
    map_header(g, s, &in, &m);
    buf_text(&g->out, body.at);
    line(g, s, "}");
    leave(s, &in);
    v->init = true;
}

/* map io in 0:D:T { .. } around maps over the tile. */
static bool tile_statement(struct gen *g, struct scope *s) {
    static const int sizes[] = {2, 3, 4, 8, 8, 16, 16, 32};
    struct view *v = random_view(g, s, MODE_OWN);
    int t = rng_of(&g->rng, sizes), d;
    if (!v || v->rank == 0 || s->depth > 4 || s->nindices == SCOPE_INDICES)
        return false;
    d = rng_below(&g->rng, v->rank);
    struct slot *sl = &v->slot[d];
    if (sl->fixed || sl->base[0] || sl->dim.varying || strlen(sl->dim.text) > 24)
        return false;
    int n = sl->dim.n, tiles = n ? (n + t - 1) / t : 0;
    if (!pay(g, s, tiles * t))
        return false;
    struct nest m = {.trips = 1};
    struct counter x = index_over(&sl->dim);
    x.step = t;
    x.whole = false;
    x.max = n ? (n - 1) / t * t : -1;
    x.tile_n = n;
    nest_add(g, s, &m, x);
    struct scope in = enter(s, false);
    int target = (int)(v - s->view);
    for (int i = 0; i < s->nviews; i++) {
        struct view *w = &in.view[i];
        if (w->mode != MODE_OWN)
            continue;
        int at = -1;
        for (int k = 0; k < w->rank; k++)
            if (!w->slot[k].fixed && !w->slot[k].base[0] && same_dim(&w->slot[k].dim, &sl->dim))
                at = k;
        if (i == target)
            at = d;
        if (at >= 0 && (i == target || rng_chance(&g->rng, 40))) {
            struct slot *part = &w->slot[at];
            snprintf(part->base, sizeof part->base, "%s", m.index[0].name);
            snprintf(part->dim.text, sizeof part->dim.text, "min(%d, %.24s - %.15s)", t,
                     sl->dim.text, m.index[0].name);
            part->dim.n = t < n ? t : n;
            part->dim.varying = true;
        } else if (w->init && rng_chance(&g->rng, 20)) {
            w->mode = MODE_ACC;
            w->resolution = w->only != RES_NONE ? w->only : random_resolution(g, w->dtype);
        } else {
            w->mode = w->init ? MODE_READ : MODE_HIDDEN;
        }
    }
    in.level++;
    in.iterations = (s->iterations ? s->iterations : 1) * (tiles ? tiles : 1);
    in.index[in.nindices++] = m.index[0];
    struct buf outer = g->out;
    g->out = buf_new(g->arena);
    block(g, &in, 1 + rng_below(&g->rng, 3));
    for (int i = 0; i < s->nviews; i++)
        if (in.view[i].mode == MODE_OWN && !in.view[i].init)
            fill_rest(g, &in, i);
    struct buf body = g->out;
    g->out = outer;
    map_header(g, s, &in, &m);
    buf_text(&g->out, body.at ? body.at : "");
    line(g, s, "}");
    for (int i = 0; i < s->nviews; i++)
        if (s->view[i].mode == MODE_OWN && in.view[i].mode == MODE_OWN)
            s->view[i].init = true;
    leave(s, &in);
    return true;
}

/* A scatter through a permutation, whose independence only the user knows. */
static bool unique_statement(struct gen *g, struct scope *s) {
    struct view *v = random_view(g, s, MODE_OWN);
    if (!v || v->rank != 1 || !is_whole(v) || v->only != RES_NONE || s->level > 0 ||
        v->slot[0].dim.varying || v->slot[0].dim.n == 0 || !pay(g, s, v->slot[0].dim.n))
        return false;
    static const enum dtype ints[] = {DT_i32, DT_i64, DT_u16, DT_u64};
    int n = v->slot[0].dim.n, target = (int)(v - s->view);
    struct view *order =
        new_param(g, s, rng_of(&g->rng, ints), 1, &v->slot[0].dim, CONTENT_ORDER, false);
    if (!order)
        return false;
    order->below = n;
    char i[16], to[16];
    struct scope in = enter(s, false);
    struct counter x = index_over(&v->slot[0].dim);
    local_name(g, s, "ijk", i);
    memcpy(x.name, i, sizeof x.name);
    x.level = ++in.level;
    in.index[in.nindices++] = x;
    in.iterations = n;
    for (int k = 0; k < in.nviews; k++)
        if (in.view[k].mode == MODE_OWN)
            in.view[k].mode = k != target && in.view[k].init ? MODE_READ : MODE_HIDDEN;
    local_name(g, &in, "uv", to);
    line(g, s, "map %s in %s%s {", i, x.hi, rng_chance(&g->rng, 70) ? " unique" : "");
    line(g, &in, "%s << %s[%s]", to, order->name, i);
    add_value(&in, to, order->dtype, n);
    line(g, &in, "%s >> %s[%s]", expression_text(g, &in, v->dtype, 2), v->name, to);
    line(g, s, "}");
    s->view[target].init = true;
    s->size += 2;
    return true;
}

/* --- loops and branches ---------------------------------------------------------------------- */

static bool for_statement(struct gen *g, struct scope *s) {
    if (s->depth > 4 || s->nindices == SCOPE_INDICES)
        return false;
    struct dim d =
        rng_chance(&g->rng, 50) ? known_dim(g, s, 17) : dim_number(rng_below(&g->rng, 6));
    struct counter x = index_over(&d);
    narrow(g, &x, s, NULL);
    x.loop = true;
    x.level = s->level;
    int trips = trips_of(&x);
    int64_t iterations = (int64_t)(s->iterations ? s->iterations : 1) * (trips ? trips : 1);
    if (iterations > 6000 || !pay(g, s, trips))
        return false;
    local_name(g, s, "jkl", x.name);
    struct scope in = enter(s, true);
    in.index[in.nindices++] = x;
    in.iterations = (int)iterations;
    in.in_loop = true;
    struct buf outer = g->out;
    g->out = buf_new(g->arena);
    block(g, &in, 1 + rng_below(&g->rng, 3));
    if (rng_chance(&g->rng, 60))
        rebind(g, &in);
    struct buf body = g->out;
    g->out = outer;
    const char *words = "";
    if (rng_chance(&g->rng, 20) && (in.size + 1) * trips < 100) {
        words = " unroll";
        in.size = (in.size + 1) * (trips ? trips : 1);
    } else if (rng_chance(&g->rng, 10)) {
        words = " unroll(2)";
        in.size *= 2;
    }
    if (x.step != 1)
        line(g, s, "for %s in %d:%s:%d%s {", x.name, x.lo, x.hi, x.step, words);
    else
        line(g, s, "for %s in %d:%s%s {", x.name, x.lo, x.hi, words);
    buf_text(&g->out, body.at ? body.at : "");
    line(g, s, "}");
    leave(s, &in);
    return true;
}

static const char *condition(struct gen *g, struct scope *s) {
    if (rng_chance(&g->rng, 40)) {
        struct buf e = buf_new(g->arena);
        symbolic_comparison(g, s, &e);
        return e.at;
    }
    if (rng_chance(&g->rng, 40) && s->nindices) {
        const char *x = s->index[rng_below(&g->rng, s->nindices)].name;
        const char *y = s->index[rng_below(&g->rng, s->nindices)].name;
        switch (rng_below(&g->rng, 4)) {
        case 0: return arena_printf(g->arena, "%s < %d", x, 1 + rng_below(&g->rng, 9));
        case 1: return arena_printf(g->arena, "%s %% 2 == 0", x);
        case 2: return arena_printf(g->arena, "%s >= %s", x, y);
        default: return arena_printf(g->arena, "%s == %s or %s > 3", x, y, x);
        }
    }
    if (rng_chance(&g->rng, 30) && g->p->nsizes)
        return arena_printf(g->arena, "%s > %d", g->p->sizes[rng_below(&g->rng, g->p->nsizes)].name,
                            rng_below(&g->rng, 9));
    return expression_text(g, s, DT_bool, 2);
}

/* A turn may be the last one for other reasons too, so nothing is known to be written in it. */
static bool while_statement(struct gen *g, struct scope *s) {
    int most = rng_below(&g->rng, 7);
    int64_t iterations = (int64_t)(s->iterations ? s->iterations : 1) * (most ? most : 1);
    if (s->depth > 4 || s->nvalues >= SCOPE_VALUES - 1 || iterations > 6000 || !pay(g, s, most))
        return false;
    char name[16], go[16];
    bool named = s->nviews < SCOPE_VIEWS - 1 && rng_chance(&g->rng, 35);
    local_name(g, s, "nkq", name);
    line(g, s, "%s = 0", name);
    const char *test = arena_printf(g->arena, "%s < %d", name, most);
    if (rng_chance(&g->rng, 25)) {
        struct buf e = buf_new(g->arena);
        symbolic_comparison(g, s, &e);
        test = rng_chance(&g->rng, 50) ? arena_printf(g->arena, "(%s) and %s", e.at, test)
                                       : arena_printf(g->arena, "%s and (%s)", test, e.at);
    }
    if (named) {
        fresh(g, "go", go);
        line(g, s, "%s: bool = %s", go, rng_chance(&g->rng, 80) ? test : "false");
        line(g, s, "while %s {", go);
    } else {
        line(g, s, "while %s {", test);
    }
    struct scope in = enter(s, true);
    add_value(&in, name, DT_i64, most ? most : 1);
    in.iterations = (int)iterations;
    in.in_loop = true;
    block(g, &in, 1 + rng_below(&g->rng, 3));
    if (rng_chance(&g->rng, 60))
        rebind(g, &in);
    line(g, &in, rng_chance(&g->rng, 50) ? "%s += 1" : "%s = %s + 1", name, name);
    if (named)
        line(g, &in, "%s = %s", go, test);
    line(g, s, "}");
    leave(s, &in);
    add_value(s, name, DT_i64, most + 1);
    return true;
}

/* name = if c { .. a } else { .. b } */
static bool choice_statement(struct gen *g, struct scope *s) {
    char name[16];
    if (s->depth > 5 || s->nvalues == SCOPE_VALUES)
        return false;
    enum dtype t = random_type(g);
    const char *c = condition(g, s);
    int sure = rng_below(&g->rng, 2); /* the side with a type of its own */
    struct buf text = buf_new(g->arena), outer = g->out;
    for (int side = 0; side < 2; side++) {
        struct scope in = enter(s, true);
        g->out = buf_new(g->arena);
        if (rng_chance(&g->rng, 40))
            block(g, &in, 1);
        static const char *const floats[] = {"0.5", "-2.5", "0.1"};
        /* A number takes the other side's type, but not where sizes that are known decide. */
        if (sure != side && (t == DT_f32 || t == DT_i64) && strchr(c, '[') &&
            rng_chance(&g->rng, 40)) {
            line(g, &in, "%s", t == DT_f32 ? rng_of(&g->rng, floats) : "3");
        } else {
            line(g, &in, "%s", expression_text(g, &in, t, 2));
        }
        buf_printf(&text, "%s", g->out.at);
        if (side == 0) {
            for (int i = 0; i <= s->depth; i++)
                buf_text(&text, "  ");
            buf_text(&text, "} else {\n");
        }
        leave(s, &in);
    }
    g->out = outer;
    local_name(g, s, "abcdegh", name);
    line(g, s, "%s = if %s {", name, c);
    buf_text(&g->out, text.at);
    line(g, s, "}");
    add_value(s, name, t, 0);
    return true;
}

static bool if_statement(struct gen *g, struct scope *s) {
    if (s->depth > 5)
        return false;
    line(g, s, "if %s {", condition(g, s));
    int arms = rng_chance(&g->rng, 50) ? 2 : rng_chance(&g->rng, 15) ? 3 : 1;
    for (int k = 0; k < arms; k++) {
        struct scope in = enter(s, true);
        if (k > 0 && k + 1 < arms)
            line(g, s, "} else if %s {", condition(g, s));
        else if (k > 0)
            line(g, s, "} else {");
        block(g, &in, 1 + rng_below(&g->rng, 2));
        if (rng_chance(&g->rng, 40))
            rebind(g, &in);
        leave(s, &in);
    }
    line(g, s, "}");
    return true;
}

#endif
