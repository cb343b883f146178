/* Subscripts that stay inside, and scalar expressions over what a scope offers. */
#ifndef DCL_TESTS_FUZZ_EXPRESSIONS_H
#define DCL_TESTS_FUZZ_EXPRESSIONS_H

#include "tests/fuzz/scope.h"

static void expression(struct gen *g, struct scope *s, enum dtype t, int depth, struct buf *e);
static void element(struct gen *g, struct scope *s, const struct view *v, bool write, bool outside,
                    struct buf *e);

/* --- subscripts ------------------------------------------------------------------------------ */

static bool matches(const struct counter *x, const struct slot *sl) {
    return x->whole && strcmp(x->hi, sl->dim.text) == 0;
}

/* Whether some subscript of every free dimension is inside. */
FUZZ bool accessible(const struct scope *s, const struct view *v) {
    for (int d = 0; d < v->rank; d++) {
        const struct slot *sl = &v->slot[d];
        bool fits = sl->fixed || sl->dim.n > 0;
        for (int i = 0; i < s->nindices && !fits; i++)
            fits = matches(&s->index[i], sl);
        if (!fits)
            return false;
    }
    return true;
}

/* X alone as a subscript of V; a bare index gets its range there, so only where it is the same. */
static void alone(struct counter *x, const struct view *v, const struct slot *sl, char *out) {
    bool inner = v->level >= x->level;
    if (x->bare && !inner && (sl->base[0] || !matches(x, sl))) {
        snprintf(out, SUBSCRIPT_TEXT, "%s + 0", x->name);
        return;
    }
    snprintf(out, SUBSCRIPT_TEXT, "%s", x->name);
    x->alone = x->alone || (!inner && !sl->base[0]);
}

/* A subscript from one index that lies in 0 .. n-1; false if this index gives none. */
static bool from_index(struct gen *g, struct counter *x, const struct view *v,
                       const struct slot *sl, char *out) {
    int n = sl->dim.n, lo = x->lo, max = x->max;
    if (matches(x, sl) && rng_chance(&g->rng, 85)) {
        alone(x, v, sl, out);
        return true;
    }
    if (sl->dim.varying || n == 0 || max < lo)
        return false;
    switch (rng_below(&g->rng, 7)) {
    case 0: /* shifted */
        if (max - lo < n) {
            int c = rng_below(&g->rng, n - (max - lo)) - lo;
            snprintf(out, SUBSCRIPT_TEXT, "%s %c %d", x->name, c < 0 ? '-' : '+', c < 0 ? -c : c);
            return true;
        }
        return false;
    case 1: /* backwards */
        if (matches(x, sl))
            snprintf(out, SUBSCRIPT_TEXT, "%s - 1 - %s", sl->dim.text, x->name);
        else if (max - lo < n && lo >= 0)
            snprintf(out, SUBSCRIPT_TEXT, "%d - %s", max, x->name);
        else
            return false;
        return true;
    case 2:
        if (lo < 0)
            return false;
        snprintf(out, SUBSCRIPT_TEXT, "%s %% %d", x->name, 1 + rng_below(&g->rng, n));
        return true;
    case 3: {
        int k = 2 + rng_below(&g->rng, 3);
        if (lo < 0 || max / k >= n)
            return false;
        snprintf(out, SUBSCRIPT_TEXT, "%s // %d", x->name, k);
        return true;
    }
    case 4:
        if (lo < 0 || 2 * max >= n)
            return false;
        snprintf(out, SUBSCRIPT_TEXT, "2*%s%s", x->name, 2 * max + 1 < n ? " + 1" : "");
        return true;
    case 5:
        if (lo < 0)
            return false;
        snprintf(out, SUBSCRIPT_TEXT, "min(%s, %d)", x->name, n - 1);
        return true;
    default:
        if (lo < 0 || max >= n)
            return false;
        alone(x, v, sl, out);
        return true;
    }
}

/* Two indices in one subscript. */
static bool from_two(struct gen *g, struct scope *s, const struct slot *sl, char *out) {
    if (s->nindices < 2 || sl->dim.varying)
        return false;
    const struct counter *x = &s->index[rng_below(&g->rng, s->nindices)];
    const struct counter *y = &s->index[rng_below(&g->rng, s->nindices)];
    if (x == y)
        return false;
    if (y->tile_n > 0 && strcmp(y->tile, x->name) == 0 && y->tile_n <= sl->dim.n) {
        snprintf(out, SUBSCRIPT_TEXT, "%s + %s", x->name, y->name);
        return true;
    }
    if (x->lo < 0 || y->lo < 0 || x->max < x->lo || y->max < y->lo)
        return false;
    if (x->max + y->max < sl->dim.n)
        snprintf(out, SUBSCRIPT_TEXT, "%s + %s", x->name, y->name);
    else if (x->lo >= y->max && x->max - y->lo < sl->dim.n)
        snprintf(out, SUBSCRIPT_TEXT, "%s - %s", x->name, y->name);
    else
        return false;
    return true;
}

/* An integer from data: a value, or an element of a tensor of indices. */
static bool from_data(struct gen *g, struct scope *s, const struct slot *sl, char *out) {
    if (sl->dim.varying || sl->dim.n == 0)
        return false;
    for (int k = 0; k < 4 && s->nvalues; k++) {
        const struct value_of *v = &s->value[rng_below(&g->rng, s->nvalues)];
        if (v->below > 0 && v->below <= sl->dim.n) {
            snprintf(out, SUBSCRIPT_TEXT, "%s", v->name);
            return true;
        }
    }
    for (int k = 0; k < 4 && s->nviews; k++) {
        const struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        if (v->below > 0 && v->below <= sl->dim.n && readable(v) && accessible(s, v) && !v->edges) {
            struct buf b = buf_new(g->arena);
            struct view flat = *v;
            flat.below = 0;
            int saved = g->short_form;
            g->short_form = false; /* no data in the subscripts of this one */
            element(g, s, &flat, false, false, &b);
            g->short_form = saved;
            if (b.n > 70) {
                snprintf(out, SUBSCRIPT_TEXT, "0");
                return true;
            }
            snprintf(out, SUBSCRIPT_TEXT, "%s", b.at);
            return true;
        }
    }
    return false;
}

static void inside(struct gen *g, struct scope *s, const struct view *v, const struct slot *sl,
                   char *out) {
    for (int k = 0; k < 8 && s->nindices; k++) {
        if (rng_chance(&g->rng, 10) && from_two(g, s, sl, out))
            return;
        if (g->short_form && rng_chance(&g->rng, 12) && from_data(g, s, sl, out))
            return;
        if (from_index(g, &s->index[rng_below(&g->rng, s->nindices)], v, sl, out))
            return;
    }
    if (g->short_form && rng_chance(&g->rng, 20) && from_data(g, s, sl, out))
        return;
    if (!sl->dim.varying && sl->dim.n > 0) {
        snprintf(out, SUBSCRIPT_TEXT, "%d", rng_below(&g->rng, sl->dim.n));
        return;
    }
    for (int i = 0; i < s->nindices; i++)
        if (matches(&s->index[i], sl)) {
            alone(&s->index[i], v, sl, out);
            return;
        }
    snprintf(out, SUBSCRIPT_TEXT, "0");
}

/* Any subscript: `else` says what lies outside. */
static void anywhere(struct gen *g, struct scope *s, const struct view *v, const struct slot *sl,
                     char *out) {
    if (s->nindices == 0 || rng_chance(&g->rng, 30)) {
        if (sl->dim.n > 0)
            inside(g, s, v, sl, out);
        else
            snprintf(out, SUBSCRIPT_TEXT, "%d", rng_below(&g->rng, 3));
        return;
    }
    const struct counter *x = &s->index[rng_below(&g->rng, s->nindices)];
    const struct counter *y = &s->index[rng_below(&g->rng, s->nindices)];
    switch (rng_below(&g->rng, 5)) {
    case 3: snprintf(out, SUBSCRIPT_TEXT, "%s + %s", x->name, y->name); return;
    case 0: snprintf(out, SUBSCRIPT_TEXT, "%s - %d", x->name, 1 + rng_below(&g->rng, 4)); return;
    case 1: snprintf(out, SUBSCRIPT_TEXT, "%s + %d", x->name, 1 + rng_below(&g->rng, 4)); return;
    case 2:
        snprintf(out, SUBSCRIPT_TEXT, "2*%s + %s - %d", x->name, y->name, rng_below(&g->rng, 3));
        return;
    default: snprintf(out, SUBSCRIPT_TEXT, "%s - %s", x->name, y->name); return;
    }
}

/* A number that type T holds; with ANY one that it need not hold, for a cast. */
static void number(struct gen *g, enum dtype t, bool any, struct buf *e) {
    static const char *const floats[] = {"0.5", "1.5", "0.75", "2",  "0.1",  "1e-3",
                                         "3",   "1",   "0.25", "-1", "-0.5", "0"};
    static const char *const ints[] = {"0", "1", "2", "3", "-1", "-2", "7", "100", "1000003", "5"};
    if (t == DT_bool) {
        buf_text(e, rng_chance(&g->rng, 50) ? "true" : "false");
        return;
    }
    const char *text = dtype_is_float(t) ? rng_of(&g->rng, floats) : rng_of(&g->rng, ints);
    long long v = atoll(text);
    if (!any && dtype_is_int(t) && scalar_to_i64(t, scalar_from_i64(t, v)) != v)
        text = "5";
    if (!any && dtype_is_unsigned(t) && v < 0)
        text = "3";
    buf_text(e, text);
}

FUZZ void literal(struct gen *g, enum dtype t, struct buf *e) {
    number(g, t, false, e);
}

/* An element of V, which must be accessible; OUTSIDE: with subscripts that may leave it. */
static void element(struct gen *g, struct scope *s, const struct view *v, bool write, bool outside,
                    struct buf *e) {
    buf_text(e, v->name);
    for (int d = 0; d < v->rank; d++) {
        const struct slot *sl = &v->slot[d];
        char at[SUBSCRIPT_TEXT];
        if (sl->fixed) {
            snprintf(at, sizeof at, "%s", sl->at);
            for (int i = 0; i < s->nindices; i++)
                if (strcmp(s->index[i].name, at) == 0 && v->level < s->index[i].level)
                    s->index[i].alone = true;
        } else if (outside && !sl->base[0] && rng_chance(&g->rng, 60)) {
            anywhere(g, s, v, sl, at);
        } else {
            inside(g, s, v, sl, at);
        }
        buf_text(e, d ? ", " : "[");
        if (!sl->fixed && sl->base[0])
            buf_printf(e, "%s + ", sl->base);
        buf_text(e, at);
    }
    if (v->rank && (outside || v->edges)) {
        buf_text(e, ", else ");
        if (write)
            buf_text(e, "_");
        else
            literal(g, v->dtype, e);
    }
    if (v->rank)
        buf_text(e, "]");
}

/* --- scalars --------------------------------------------------------------------------------- */

static bool read_something(struct gen *g, struct scope *s, enum dtype t, struct buf *e) {
    for (int k = 0; k < 10 && s->nviews; k++) {
        const struct view *v = &s->view[rng_below(&g->rng, s->nviews)];
        if (v->dtype != t || !readable(v))
            continue;
        bool outside = v->rank && free_slots(v) && rng_chance(&g->rng, 15);
        if (!outside && !accessible(s, v))
            continue;
        element(g, s, v, false, outside, e);
        return true;
    }
    return false;
}

static bool name_value(struct gen *g, struct scope *s, enum dtype t, struct buf *e) {
    for (int k = 0; k < 6 && s->nvalues; k++) {
        const struct value_of *v = &s->value[rng_below(&g->rng, s->nvalues)];
        if (v->dtype == t) {
            buf_text(e, v->name);
            return true;
        }
    }
    return false;
}

/* An integer over indices and sizes, as i64 or cast. */
static void symbolic(struct gen *g, struct scope *s, enum dtype t, struct buf *e) {
    char a[SUBSCRIPT_TEXT] = "3", b[SUBSCRIPT_TEXT] = "2";
    if (s->nindices)
        snprintf(a, sizeof a, "%s", s->index[rng_below(&g->rng, s->nindices)].name);
    else if (g->p->nsizes)
        snprintf(a, sizeof a, "%s", g->p->sizes[rng_below(&g->rng, g->p->nsizes)].name);
    if (s->nindices && rng_chance(&g->rng, 60))
        snprintf(b, sizeof b, "%s", s->index[rng_below(&g->rng, s->nindices)].name);
    const char *n = type_name(g, t);
    char text[400];
    switch (rng_below(&g->rng, 9)) {
    case 0: snprintf(text, sizeof text, "%s(%s)", n, a); break;
    case 1: snprintf(text, sizeof text, "%s(%s + %s)", n, a, b); break;
    case 2: snprintf(text, sizeof text, "%s(%s*%s)", n, a, b); break;
    case 3: snprintf(text, sizeof text, "%s(%s - 2*%s)", n, a, b); break;
    case 4: snprintf(text, sizeof text, "%s(%s // 2)", n, a); break;
    case 5: snprintf(text, sizeof text, "%s(%s %% 3)", n, a); break;
    case 6: snprintf(text, sizeof text, "%s(min(%s, %s))", n, a, b); break;
    case 7: snprintf(text, sizeof text, "%s((%s + %s)*(%s - 1))", n, a, b, a); break;
    default: snprintf(text, sizeof text, "%s(max(%s, %s))", n, a, b); break;
    }
    buf_text(e, text);
}

/* An index, a size or a number, or one beside it. */
static void near_integer(struct gen *g, struct scope *s, struct buf *e) {
    int k = rng_below(&g->rng, 100);
    if (k < 45 && s->nindices)
        buf_text(e, s->index[rng_below(&g->rng, s->nindices)].name);
    else if (k < 80 && g->p->nsizes)
        buf_text(e, g->p->sizes[rng_below(&g->rng, g->p->nsizes)].name);
    else
        buf_printf(e, "%d", rng_below(&g->rng, 10));
    if (rng_chance(&g->rng, 35))
        buf_text(e, rng_chance(&g->rng, 50) ? " + 1" : " - 1");
}

/* A comparison of such: what is known of indices decides some, at their ends above all. */
FUZZ void symbolic_comparison(struct gen *g, struct scope *s, struct buf *e) {
    static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
    static const char *const ends[] = {
        "%s < %s",      "%s <= %s", "%s < %s - 1",  "%s <= %s - 1", "%s + 1 < %s",
        "%s == %s - 1", "%s != %s", "%s >= %s - 1", "%s + 1 >= %s", "%s + 2 > %s"};
    const struct counter *x = s->nindices ? &s->index[rng_below(&g->rng, s->nindices)] : NULL;
    if (x && x->hi[0] && rng_chance(&g->rng, 50)) {
        const char *format = rng_of(&g->rng, ends);
        size_t first = (size_t)(strstr(format, "%s") - format) + 2;
        size_t second = (size_t)(strstr(format + first, "%s") - format);
        buf_printf(e, "(%s%.*s%s%s)", x->name, (int)(second - first), format + first, x->hi,
                   format + second + 2);
        return;
    }
    buf_text(e, "(");
    near_integer(g, s, e);
    buf_printf(e, " %s ", rng_of(&g->rng, compare));
    near_integer(g, s, e);
    buf_text(e, ")");
}

static void leaf(struct gen *g, struct scope *s, enum dtype t, struct buf *e) {
    int k = rng_below(&g->rng, 100);
    if (k < 60 && read_something(g, s, t, e))
        return;
    if (k < 85 && name_value(g, s, t, e))
        return;
    if (k < 70 && read_something(g, s, t, e))
        return;
    if (t != DT_bool && k < 93) {
        symbolic(g, s, t, e);
        return;
    }
    if (t == DT_bool) {
        if (rng_chance(&g->rng, 80))
            symbolic_comparison(g, s, e);
        else
            literal(g, t, e);
        return;
    }
    buf_printf(e, "%s(", type_name(g, t)); /* typed, so that it can stand anywhere */
    number(g, t, true, e);
    buf_text(e, ")");
}

/* Types that differ in little else come together. */
FUZZ enum dtype random_type(struct gen *g) {
    static const int weight[DT_COUNT] = {
        [DT_f32] = 40, [DT_f64] = 12, [DT_i32] = 14, [DT_i64] = 12, [DT_bool] = 8,
        [DT_i8] = 4,   [DT_i16] = 3,  [DT_u8] = 5,   [DT_u16] = 3,  [DT_u32] = 4,
        [DT_u64] = 4,  [DT_f16] = 8,  [DT_bf16] = 6};
    return (enum dtype)rng_weighted(&g->rng, DT_COUNT, weight);
}

static void call(struct gen *g, struct scope *s, enum dtype t, int depth, const char *before,
                 const char *after, struct buf *e) {
    buf_text(e, before);
    expression(g, s, t, depth, e);
    buf_text(e, after);
}

static void infix(struct gen *g, struct scope *s, enum dtype t, int depth, const char *op,
                  struct buf *e) {
    bool number = rng_chance(&g->rng, 15); /* a literal that takes the type it meets */
    buf_text(e, "(");
    expression(g, s, t, depth, e);
    buf_printf(e, " %s ", op);
    if (number) {
        struct buf l = buf_new(g->arena);
        literal(g, t, &l);
        buf_printf(e, l.at[0] == '-' ? "(%s)" : "%s", l.at);
    } else {
        expression(g, s, t, depth, e);
    }
    buf_text(e, ")");
}

static void two(struct gen *g, struct scope *s, enum dtype t, int depth, const char *name,
                struct buf *e) {
    buf_printf(e, "%s(", name);
    expression(g, s, t, depth, e);
    buf_text(e, ", ");
    expression(g, s, t, depth, e);
    buf_text(e, ")");
}

static void choose(struct gen *g, struct scope *s, enum dtype t, int depth, struct buf *e) {
    buf_text(e, "select(");
    expression(g, s, DT_bool, depth, e);
    buf_text(e, ", ");
    expression(g, s, t, depth, e);
    buf_text(e, ", ");
    expression(g, s, t, depth, e);
    buf_text(e, ")");
}

static void convert(struct gen *g, struct scope *s, enum dtype t, int depth, struct buf *e) {
    buf_printf(e, "%s(", type_name(g, t));
    expression(g, s, random_type(g), depth, e);
    buf_text(e, ")");
}

/* A call of a helper of scalars of type T. */
static bool scalar_call(struct gen *g, struct scope *s, enum dtype t, int depth, struct buf *e) {
    for (int i = 0; i < g->nscalars; i++)
        if (g->scalar[i].dtype == t) {
            buf_printf(e, "h%d(", g->scalar[i].id);
            for (int k = 0; k < g->scalar[i].nargs; k++) {
                buf_text(e, k ? ", " : "");
                expression(g, s, t, depth, e);
            }
            buf_text(e, ")");
            return true;
        }
    return false;
}

/* The largest, or the sum, of a list. */
static void of_list(struct gen *g, struct scope *s, enum dtype t, int depth, struct buf *e) {
    static const char *const names[] = {"sum", "max", "min", "prod"};
    buf_printf(e, "%s([", rng_of(&g->rng, names));
    for (int k = 1 + rng_below(&g->rng, 3); k >= 0; k--) {
        expression(g, s, t, depth - 1, e);
        buf_text(e, k ? ", " : "])");
    }
}

static void float_expression(struct gen *g, struct scope *s, enum dtype t, int depth,
                             struct buf *e) {
    static const char *const powers[] = {" ** 2)", " ** 3)", " ** 1)", " ** 4)"};
    switch (rng_below(&g->rng, 25)) {
    case 22: call(g, s, t, depth, "(", rng_of(&g->rng, powers), e); return;
    case 23: of_list(g, s, t, depth, e); return;
    case 24: call(g, s, t, depth, "((abs(", ") + 0.5) ** -0.5)", e); return;
    case 0:
    case 1:
    case 2: infix(g, s, t, depth, "+", e); return;
    case 3:
    case 4: infix(g, s, t, depth, "-", e); return;
    case 5:
    case 6:
    case 7:
    case 8: infix(g, s, t, depth, "*", e); return;
    case 9: infix(g, s, t, depth, "/", e); return;
    case 10: two(g, s, t, depth, "max", e); return;
    case 11: two(g, s, t, depth, "min", e); return;
    case 12: call(g, s, t, depth, "exp(min(", ", 2))", e); return;
    case 13: call(g, s, t, depth, "sqrt(abs(", "))", e); return;
    case 14: call(g, s, t, depth, "log(abs(", ") + 0.5)", e); return;
    case 15: call(g, s, t, depth, "tanh(", ")", e); return;
    case 16: choose(g, s, t, depth, e); return;
    case 17: convert(g, s, t, depth, e); return;
    case 18: call(g, s, t, depth, "(-", ")", e); return;
    case 19: call(g, s, t, depth, rng_chance(&g->rng, 50) ? "floor(" : "round(", ")", e); return;
    case 20: call(g, s, t, depth, rng_chance(&g->rng, 50) ? "sqrt(" : "log(", ")", e); return;
    default: call(g, s, t, depth, "abs(", ")", e); return;
    }
}

static void int_expression(struct gen *g, struct scope *s, enum dtype t, int depth, struct buf *e) {
    static const char *const bits[] = {"bit_and", "bit_or", "bit_xor", "shl", "shr"};
    static const char *const powers[] = {" ** 2)", " ** 3)", " ** 5)"};
    switch (rng_below(&g->rng, 19)) {
    case 17: call(g, s, t, depth, "(", rng_of(&g->rng, powers), e); return;
    case 18: of_list(g, s, t, depth, e); return;
    case 14: two(g, s, t, depth, rng_of(&g->rng, bits), e); return;
    case 15: call(g, s, t, depth, rng_chance(&g->rng, 50) ? "shl(" : "shr(", ", 3)", e); return;
    case 16: call(g, s, t, depth, "bit_not(", ")", e); return;
    case 0:
    case 1: infix(g, s, t, depth, "+", e); return;
    case 2: infix(g, s, t, depth, "-", e); return;
    case 3:
    case 4: infix(g, s, t, depth, "*", e); return;
    case 5: infix(g, s, t, depth, "//", e); return;
    case 6: infix(g, s, t, depth, "%", e); return;
    case 7: two(g, s, t, depth, "max", e); return;
    case 8: two(g, s, t, depth, "min", e); return;
    case 9: choose(g, s, t, depth, e); return;
    case 10: convert(g, s, t, depth, e); return;
    case 11: call(g, s, t, depth, "(-", ")", e); return;
    case 12: call(g, s, t, depth, "(", rng_chance(&g->rng, 50) ? " // 3)" : " % 4)", e); return;
    default: call(g, s, t, depth, "abs(", ")", e); return;
    }
}

static void bool_expression(struct gen *g, struct scope *s, int depth, struct buf *e) {
    static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
    static const enum dtype of[] = {DT_i32, DT_i64, DT_i32, DT_i64, DT_f32, DT_f64,
                                    DT_u8,  DT_i16, DT_u32, DT_u64, DT_f16, DT_bf16};
    switch (rng_below(&g->rng, 9)) {
    case 8:
        call(g, s, rng_chance(&g->rng, 50) ? DT_i32 : DT_i64, depth, "(", " in [0, 2, -1])", e);
        return;
    case 0: infix(g, s, DT_bool, depth, "and", e); return;
    case 1: infix(g, s, DT_bool, depth, "or", e); return;
    case 2: call(g, s, DT_bool, depth, "(not ", ")", e); return;
    case 3: infix(g, s, DT_bool, depth, rng_chance(&g->rng, 50) ? "==" : "!=", e); return;
    case 4:
        if (s->nindices) {
            symbolic_comparison(g, s, e);
            return;
        } /* fall through */
    default: infix(g, s, rng_of(&g->rng, of), depth, rng_of(&g->rng, compare), e); return;
    }
}

/* An expression of type T, in brackets where it needs them. */
static void expression(struct gen *g, struct scope *s, enum dtype t, int depth, struct buf *e) {
    if (depth <= 0 || rng_chance(&g->rng, 25)) {
        leaf(g, s, t, e);
        return;
    }
    if (rng_chance(&g->rng, 8) && scalar_call(g, s, t, depth - 1, e))
        return;
    if (t == DT_bool)
        bool_expression(g, s, depth - 1, e);
    else if (dtype_is_float(t))
        float_expression(g, s, t, depth - 1, e);
    else
        int_expression(g, s, t, depth - 1, e);
}

FUZZ const char *expression_text(struct gen *g, struct scope *s, enum dtype t, int depth) {
    struct buf e = buf_new(g->arena);
    expression(g, s, t, depth, &e);
    return e.at;
}

#endif
