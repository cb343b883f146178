/* Containers that grow, with what reads them when they are complete, and resolutions by functions.
   How many rows there are is known to the run only, so no view is made of such a container. */
#ifndef DCL_TESTS_FUZZ_GROWING_H
#define DCL_TESTS_FUZZ_GROWING_H

#include "tests/fuzz/containers.h"

/* What is written around S is only read below; what has no value yet is not touched. */
static struct scope enter_apart(const struct scope *s) {
    struct scope in = enter(s, true);
    for (int i = 0; i < in.nviews; i++)
        if (in.view[i].mode == MODE_OWN)
            in.view[i].mode = in.view[i].init ? MODE_READ : MODE_HIDDEN;
        else if (in.view[i].mode == MODE_ACC)
            in.view[i].mode = MODE_HIDDEN;
    return in;
}

/* A function of two scalars of the type T; the order shows in most. */
static const char *resolver(struct gen *g, enum dtype t) {
    static const char *const numbers[] = {"select(b > a, b, a)", "b",     "a - b",
                                          "max(a, b)",           "b - a", "a"};
    static const char *const floats[] = {"a * 0.5 + b", "b - a * 0.25",
                                         "if abs(b) > 1 { b } else { a }"};
    static const char *const bools[] = {"a != b", "b", "a and not b"};
    const char *name; /* functions of tensors count on their own */
    do
        name = arena_printf(g->arena, "by%d", g->counter++);
    while (g->helper_text.at && strstr(g->helper_text.at, arena_printf(g->arena, "fn %s(", name)));
    const char *body = t == DT_bool                                   ? rng_of(&g->rng, bools)
                       : dtype_is_float(t) && rng_chance(&g->rng, 60) ? rng_of(&g->rng, floats)
                                                                      : rng_of(&g->rng, numbers);
    const char *type = type_name(g, t); /* a type variable, in a program that has one for T */
    const char *where = strcmp(type, dtypes[t].name) == 0 ? ""
                        : dtype_is_float(t)               ? " where T: float"
                        : t == DT_bool                    ? " where T: bool"
                                                          : " where T: int";
    buf_printf(&g->helper_text, "fn %s(a: %s, b: %s) -> %s%s { %s }\n", name, type, type, type,
               where, body);
    return name;
}

static bool add_index(struct gen *g, struct scope *s, struct scope *in, const struct dim *d,
                      bool map) {
    if (in->nindices == SCOPE_INDICES)
        return false;
    struct counter x = index_over(d);
    local_name(g, in, map ? "ijkl" : "jkl", x.name);
    x.loop = !map;
    x.level = s->level + map;
    in->index[in->nindices++] = x;
    in->iterations *= d->n > 0 ? d->n : 1;
    return true;
}

/* One row of C. */
static void append(struct gen *g, struct scope *s, const struct view *c) {
    const char *rest = c->rank == 1 ? "" : c->rank == 2 ? ", :" : ", :, :";
    if (c->rank == 2 && rng_chance(&g->rng, 50)) { /* by way of a row */
        char row[16], k[16];
        struct scope in = enter_apart(s);
        fresh(g, "c", row);
        line(g, s, "%s: %s[%s]", row, type_name(g, c->dtype), c->slot[1].dim.text);
        in.level++;
        struct counter x = index_over(&c->slot[1].dim);
        local_name(g, s, "ijkl", k);
        memcpy(x.name, k, sizeof x.name);
        x.level = in.level;
        if (in.nindices < SCOPE_INDICES)
            in.index[in.nindices++] = x;
        in.iterations *= x.max + 1 > 0 ? x.max + 1 : 1;
        line(g, s, "map %s in %s { %s[%s] = %s }", k, x.hi, row, k,
             expression_text(g, &in, c->dtype, 2));
        leave(s, &in);
        if (rng_chance(&g->rng, 50))
            line(g, s, "%s >> %s[?, :]", row, c->name);
        else
            line(g, s, "%s[?, :] = %s", c->name, row);
        return;
    }
    line(g, s, "%s >> %s[?%s]", expression_text(g, s, c->dtype, 2), c->name, rest);
}

/* Appends to C, once or in a map, a loop, a branch. */
static bool appends(struct gen *g, struct scope *s, const struct view *c) {
    int row = 1, kind = rng_below(&g->rng, 10);
    for (int d = 1; d < c->rank; d++)
        row *= c->slot[d].dim.n > 0 ? c->slot[d].dim.n : 1;
    bool map = kind < 5, loop = kind >= 5 && kind < 8;
    struct scope in = enter_apart(s);
    if (s->depth > 4)
        return false;
    if (!map && !loop) {
        if (!pay(g, s, row))
            return false;
        append(g, s, c);
        return true;
    }
    struct buf head = buf_new(g->arena);
    int indices = map ? 1 + rng_below(&g->rng, 2) : 1;
    for (int k = 0; k < indices; k++) {
        struct dim d = known_dim(g, s, k ? 5 : 17);
        if (!add_index(g, s, &in, &d, map))
            return false;
        const struct counter *x = &in.index[in.nindices - 1];
        const char *word = rng_chance(&g->rng, 15)          ? " unroll(2)"
                           : map && rng_chance(&g->rng, 15) ? " seq"
                                                            : "";
        buf_printf(&head, "%s%s in %s%s%s", k ? ", " : "", x->name, map ? "" : "0:", x->hi, word);
    }
    int64_t times = in.iterations / (s->iterations > 0 ? s->iterations : 1);
    if (in.iterations > 6000 || !pay(g, s, (int)times * row))
        return false;
    in.level += map;
    in.in_loop = in.in_loop || loop;
    line(g, s, "%s %s {", map ? "map" : "for", head.at);
    if (rng_chance(&g->rng, 40))
        let_statement(g, &in);
    if (rng_chance(&g->rng, 60)) {
        line(g, &in, "if %s {", condition(g, &in));
        struct scope inner = enter_apart(&in);
        append(g, &inner, c);
        leave(&in, &inner);
        line(g, &in, "}");
    } else {
        append(g, &in, c);
    }
    line(g, s, "}");
    leave(s, &in);
    s->size += 6;
    return true;
}

/* The subscripts of C for the names of indices AT. */
static const char *subscripts(struct gen *g, const struct view *c, char at[][16]) {
    struct buf b = buf_new(g->arena);
    for (int d = 0; d < c->rank; d++)
        buf_printf(&b, "%s%s", d ? ", " : "[", at[d]);
    buf_text(&b, "]");
    return b.at;
}

/* Changes and sums up C, which is complete. */
static void consume(struct gen *g, struct scope *s, const struct view *c) {
    char at[PROGRAM_RANK][16], name[16];
    struct buf head = buf_new(g->arena);
    for (int d = 0; d < c->rank; d++) {
        snprintf(at[d], sizeof at[d], "at%d", g->counter++);
        if (d == 0 && rng_chance(&g->rng, 50))
            buf_printf(&head, "%s in %s.shape[0]", at[d], c->name);
        else if (d == 0)
            buf_printf(&head, "%s", at[d]);
        else
            buf_printf(&head, ", %s in %s", at[d], c->slot[d].dim.text);
    }
    const char *element = arena_printf(g->arena, "%s%s", c->name, subscripts(g, c, at));
    if (rng_chance(&g->rng, 30)) {
        const char *f = resolver(g, c->dtype);
        line(g, s, "map %s { %s = %s(%s, %s) }", head.at, element, f, element, element);
    }
    if (rng_chance(&g->rng, 40) && s->nvalues < SCOPE_VALUES) {
        fresh(g, "n", name);
        line(g, s, "%s = i64(%s.shape[0])", name, c->name);
        add_value(s, name, DT_i64, 0);
        s->value[s->nvalues - 1].weak = true;
    }
    if (s->nviews >= SCOPE_VIEWS - 2 || rng_chance(&g->rng, 25))
        return;
    struct view v = {.dtype = c->dtype, .mode = MODE_OWN, .container = true, .init = true};
    bool rows = c->rank > 1 && rng_chance(&g->rng, 50);
    fresh(g, "c", v.name);
    if (rows) {
        v.rank = 1;
        v.slot[0].dim = c->slot[1].dim;
        line(g, s, "%s: %s[%s] = %s", v.name, type_name(g, v.dtype), v.slot[0].dim.text,
             fill_text(g, v.dtype));
    } else {
        line(g, s, "%s: %s = %s", v.name, type_name(g, v.dtype), fill_text(g, v.dtype));
    }
    const char *to = rows ? arena_printf(g->arena, "%s[%s]", v.name, at[1]) : v.name;
    const char *by = rng_chance(&g->rng, 40) ? resolver(g, v.dtype)
                                             : resolution_names[random_resolution(g, v.dtype)];
    line(g, s, "map %s { %s >> %s (%s) }", head.at, element, to, by);
    add_view(s, v);
    s->size += 4;
}

static void grow(struct gen *g, struct scope *s, const struct view *c) {
    bool some = false;
    for (int k = 1 + rng_below(&g->rng, 3); k > 0; k--)
        some = appends(g, s, c) || some;
    if (rng_chance(&g->rng, 70))
        consume(g, s, c);
}

static struct view growing_view(struct gen *g, struct scope *s, const char *base) {
    struct view c = {.dtype = random_type(g), .rank = 1 + rng_below(&g->rng, 2)};
    for (int d = 1; d < c.rank; d++) {
        c.slot[d].dim = known_dim(g, s, 9);
        if (strlen(c.slot[d].dim.text) > 20)
            c.slot[d].dim = dim_number(3);
    }
    c.slot[0].dim = (struct dim){.text = "?"};
    fresh(g, base, c.name);
    return c;
}

static bool grow_statement(struct gen *g, struct scope *s) {
    if (s->depth > 3 || s->has_vector || s->iterations > 200)
        return false;
    struct view c = growing_view(g, s, "g");
    struct buf type = buf_new(g->arena);
    dims_text(&c, &type);
    line(g, s, "%s: %s%s", c.name, type_name(g, c.dtype), type.at);
    grow(g, s, &c);
    return true;
}

/* The indices of the maps around that V is outside of stand alone in its subscripts. */
static bool stands_alone(const struct scope *s, const struct view *v) {
    for (int i = 0; i < s->nindices; i++) {
        const struct counter *x = &s->index[i];
        bool found = x->loop || v->level >= x->level;
        for (int d = 0; d < v->rank; d++)
            found = found || (v->slot[d].fixed && strcmp(v->slot[d].at, x->name) == 0);
        if (!found)
            return false;
    }
    return true;
}

/* A map that writes to what has a value, by a function. */
static bool resolve_statement(struct gen *g, struct scope *s) {
    struct view *v = random_view(g, s, MODE_OWN);
    if (!v || !v->init || v->only != RES_NONE || v->edges || s->depth > 4 || !stands_alone(s, v))
        return false;
    struct scope in = enter_apart(s);
    in.view[v - s->view].mode = MODE_HIDDEN;
    struct buf head = buf_new(g->arena), to = buf_new(g->arena);
    buf_text(&to, v->name);
    int first = in.nindices;
    for (int d = 0; d < v->rank; d++) {
        const struct slot *sl = &v->slot[d];
        buf_text(&to, d ? ", " : "[");
        if (sl->base[0] || sl->dim.varying || (!sl->fixed && sl->dim.n == 0))
            return false;
        if (sl->fixed) {
            buf_text(&to, sl->at);
        } else if (rng_chance(&g->rng, 60)) {
            if (!add_index(g, s, &in, &sl->dim, true))
                return false;
            buf_text(&to, in.index[in.nindices - 1].name);
        } else {
            buf_printf(&to, "%d", rng_below(&g->rng, sl->dim.n));
        }
    }
    buf_text(&to, v->rank ? "]" : "");
    struct dim more = known_dim(g, s, 9);
    if (!add_index(g, s, &in, &more, true) || in.iterations > 6000 ||
        !pay(g, s, in.iterations / (s->iterations > 0 ? s->iterations : 1)))
        return false;
    int n = in.nindices - first, turn = rng_below(&g->rng, n);
    for (int k = 0; k < n; k++) {
        const struct counter *x = &in.index[first + (k + turn) % n];
        buf_printf(&head, "%s%s in %s", k ? ", " : "", x->name, x->hi);
    }
    in.level++;
    line(g, s, "map %s {", head.at);
    if (rng_chance(&g->rng, 30))
        let_statement(g, &in);
    line(g, &in, "%s >> %s (%s)", expression_text(g, &in, v->dtype, 2), to.at,
         resolver(g, v->dtype));
    line(g, s, "}");
    leave(s, &in);
    s->size += 4;
    return true;
}

#endif
