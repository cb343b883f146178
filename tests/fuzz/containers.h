/* Statements on containers: declarations, blocks that are read and written; and the choice of the
   next statement. */
#ifndef DCL_TESTS_FUZZ_CONTAINERS_H
#define DCL_TESTS_FUZZ_CONTAINERS_H

#include "tests/fuzz/statements.h"

/* --- containers ------------------------------------------------------------------------------ */

static const char *fill_text(struct gen *g, enum dtype t) {
    if (dtype_is_float(t) && rng_chance(&g->rng, 30))
        return rng_chance(&g->rng, 70) ? "-inf" : "inf";
    struct buf b = buf_new(g->arena);
    literal(g, t, &b);
    return b.at;
}

static void dims_text(const struct view *v, struct buf *b) {
    for (int d = 0; d < v->rank; d++)
        buf_printf(b, "%s%s", d ? ", " : "[", v->slot[d].dim.text);
    buf_text(b, v->rank ? "]" : "");
}

/* ` layout(..)` of a container of RANK dimensions: blocks of some of them, in any order. */
static void layout_text(struct gen *g, int rank, struct buf *b) {
    static const int blocks[] = {1, 2, 3, 4, 8, 16};
    const char *parts[3 * 4];
    int n = 0;
    buf_text(b, " layout(");
    for (int d = 0; d < rank; d++) {
        int block = rng_of(&g->rng, blocks), more = rng_of(&g->rng, blocks);
        buf_printf(b, "%s%c", d ? ", " : "", 'a' + d);
        if (rng_chance(&g->rng, 30)) {
            parts[n++] = arena_printf(g->arena, "%c", 'a' + d);
            continue;
        }
        parts[n++] = arena_printf(g->arena, "%c%%%d", 'a' + d, block);
        if (block > 1 && more > 1 && rng_chance(&g->rng, 20)) {
            parts[n++] = arena_printf(g->arena, "%c//%d%%%d", 'a' + d, block, more);
            block *= more;
        }
        parts[n++] = arena_printf(g->arena, "%c//%d", 'a' + d, block);
    }
    for (; n > 0; n--) {
        int k = rng_below(&g->rng, n);
        buf_printf(b, "%s%s",
                   b->at[b->n - 1] == '(' ? ""
                   : strstr(b->at, "=>")  ? ", "
                                          : " => ",
                   parts[k]);
        parts[k] = parts[n - 1];
    }
    buf_text(b, ")");
}

static bool container_statement(struct gen *g, struct scope *s) {
    if (s->nviews >= SCOPE_VIEWS - 2)
        return false;
    struct view v = {.dtype = random_type(g), .mode = MODE_OWN, .container = true, .init = true};
    v.rank = rng_below(&g->rng, 3);
    bool numbers = true;
    int most = s->level ? 9 : 65;
    for (int d = 0; d < v.rank; d++) {
        v.slot[d].dim = rng_chance(&g->rng, 60) ? known_dim(g, s, most) : random_dim(g, most);
        if (strlen(v.slot[d].dim.text) > 20)
            v.slot[d].dim = dim_number(3);
        numbers = numbers && v.slot[d].dim.text[0] >= '0' && v.slot[d].dim.text[0] <= '9';
    }
    if (!pay(g, s, elements(&v)))
        return false;
    fresh(g, "c", v.name);
    struct buf type = buf_new(g->arena);
    buf_printf(&type, "%s: %s", v.name, type_name(g, v.dtype));
    dims_text(&v, &type);
    if (v.rank && rng_chance(&g->rng, 20))
        layout_text(g, v.rank, &type);
    int k = rng_below(&g->rng, 100);
    if (k < 15 && numbers && elements(&v) <= 64)
        buf_text(&type, " in register");
    else if (k < 30 && numbers)
        buf_text(&type, " in stack");
    else if (k < 40)
        buf_text(&type, " in heap");
    s->size++;
    switch (rng_below(&g->rng, 6)) {
    case 0:
    case 1: line(g, s, "%s = %s", type.at, fill_text(g, v.dtype)); break;
    case 2:
        v.only = random_resolution(g, v.dtype);
        line(g, s, "%s", type.at);
        break;
    case 3: line(g, s, "%s = %s", type.at, expression_text(g, s, v.dtype, 2)); break;
    default: v.init = false; line(g, s, "%s", type.at);
    }
    struct view *added = add_view(s, v);
    if (v.init && v.only == RES_NONE)
        return true;
    if (v.rank == 0) /* a write has to tell the identity, too */
        own_write(g, s, added);
    else
        fill_rest(g, s, s->nviews - 1);
    return true;
}

/* i:i + n, of length TO; inside of SL, or anywhere. */
static bool moving_range(struct gen *g, struct scope *s, const struct slot *sl, bool outside,
                         struct dim *to, struct buf *at) {
    for (int k = 0; k < 4 && s->nindices; k++) {
        const struct counter *x = &s->index[rng_below(&g->rng, s->nindices)];
        int n = 1 + rng_below(&g->rng, 4);
        if (outside) {
            int shift = rng_below(&g->rng, 3);
            buf_printf(at, "%s - %d:%s + %d", x->name, shift, x->name, n);
            *to = dim_number(n + shift);
            return true;
        }
        if (x->lo < 0 || x->max < x->lo || x->max + n > sl->dim.n)
            continue;
        buf_printf(at, "%s:%s + %d", x->name, x->name, n);
        *to = dim_number(n);
        return true;
    }
    return false;
}

/* Writes the block AT of V: a number, or a tensor of the shape of LIKE; perhaps by a resolution. */
static void block_write(struct gen *g, struct scope *s, const struct view *v, const char *at,
                        const struct view *like) {
    const char *value = expression_text(g, s, v->dtype, 2);
    for (int k = 0; k < 8; k++) {
        const struct view *w = &s->view[rng_below(&g->rng, s->nviews)];
        if (w != v && w->dtype == v->dtype && readable(w) && is_whole(w) && !w->edges &&
            w->rank == like->rank && rng_chance(&g->rng, 70)) {
            bool same = true;
            for (int d = 0; d < w->rank; d++)
                same = same && same_dim(&w->slot[d].dim, &like->slot[d].dim);
            value = same ? w->name : value;
        }
    }
    enum resolution r = rng_chance(&g->rng, 30) ? random_resolution(g, v->dtype) : RES_NONE;
    if (r == RES_PROD && dtype_is_float(v->dtype))
        r = RES_MAX;
    emit_write(g, s, value, arena_printf(g->arena, "%s%s", v->name, at), r);
}

/* part: T[..] << x[lo:hi, j, :], and parts of containers written at once. */
static bool block_statement(struct gen *g, struct scope *s) {
    struct view *v = &s->view[rng_below(&g->rng, s->nviews ? s->nviews : 1)];
    bool write = v->mode == MODE_OWN && v->init && v->only == RES_NONE && rng_chance(&g->rng, 50);
    if (s->nviews >= SCOPE_VIEWS - 2 || !readable(v) || v->edges || v->rank == 0 ||
        !accessible(s, v))
        return false;
    bool outside = !write && rng_chance(&g->rng, 20);
    struct view out = {.dtype = v->dtype, .mode = MODE_OWN, .init = true, .container = true};
    struct buf at = buf_new(g->arena);
    struct counter before[SCOPE_INDICES + NEST_INDICES]; /* for when nothing comes of it */
    memcpy(before, s->index, sizeof before);
    for (int d = 0; d < v->rank; d++) {
        struct slot *sl = &v->slot[d];
        int n = sl->dim.n;
        buf_text(&at, d ? ", " : "[");
        if (sl->fixed || sl->base[0] || sl->dim.varying || n == 0 || rng_chance(&g->rng, 25)) {
            struct view one = *v; /* one element of this dimension */
            char text[SUBSCRIPT_TEXT];
            if (sl->fixed) {
                snprintf(text, sizeof text, "%s", sl->at);
                for (int i = 0; i < s->nindices; i++)
                    if (strcmp(s->index[i].name, text) == 0 && v->level < s->index[i].level)
                        s->index[i].alone = true;
            } else {
                inside(g, s, &one, sl, text);
            }
            buf_printf(&at, "%s%s%s", !sl->fixed && sl->base[0] ? sl->base : "",
                       !sl->fixed && sl->base[0] ? " + " : "", text);
            continue;
        }
        struct dim *to = &out.slot[out.rank].dim;
        int lo = rng_below(&g->rng, n), hi = lo + 1 + rng_below(&g->rng, n - lo);
        out.rank++;
        if (rng_chance(&g->rng, 40) && moving_range(g, s, sl, outside, to, &at))
            continue;
        switch (rng_below(&g->rng, 3)) {
        case 0:
            *to = sl->dim;
            buf_text(&at, ":");
            break;
        case 1:
            *to = dim_number(hi - lo);
            buf_printf(&at, "%d:%d", lo, hi);
            break;
        default: {
            int step = 1 + rng_below(&g->rng, 3);
            *to = dim_number((hi - lo + step - 1) / step);
            buf_printf(&at, "%d:%d:%d", lo, hi, step);
        }
        }
    }
    if (outside) {
        buf_text(&at, ", else ");
        literal(g, v->dtype, &at);
    }
    buf_text(&at, "]");
    if (out.rank == 0 || !pay(g, s, elements(&out))) {
        memcpy(s->index, before, sizeof before);
        return false;
    }
    s->size += 2;
    if (write) {
        block_write(g, s, v, at.at, &out);
        return true;
    }
    fresh(g, "b", out.name);
    struct buf type = buf_new(g->arena);
    dims_text(&out, &type);
    if (rng_chance(&g->rng, 60)) {
        line(g, s, "%s: %s%s << %s%s", out.name, type_name(g, out.dtype), type.at, v->name, at.at);
    } else {
        out.mode = MODE_READ;
        out.container = false;
        out.value = true;
        line(g, s, "%s = %s%s", out.name, v->name, at.at);
    }
    out.below = 0;
    add_view(s, out);
    return true;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static void statement(struct gen *g, struct scope *s) {
    enum {
        LET,
        REBIND,
        OWN,
        ACC,
        MAP,
        TILE,
        UNIQUE,
        FOR,
        IF,
        CONTAINER,
        BLOCK,
        TENSOR,
        WHILE,
        CHOICE,
        FORM,
        GROW,
        RESOLVE,
        KINDS
    };
    static const int top[KINDS] = {
        [LET] = 6,   [REBIND] = 4, [OWN] = 4,   [MAP] = 40,      [TILE] = 9,   [UNIQUE] = 2,
        [FOR] = 9,   [IF] = 5,     [ACC] = 0,   [CONTAINER] = 7, [BLOCK] = 5,  [TENSOR] = 16,
        [WHILE] = 5, [CHOICE] = 4, [FORM] = 10, [GROW] = 6,      [RESOLVE] = 5};
    static const int inner[KINDS] = {
        [LET] = 26,  [REBIND] = 5, [OWN] = 22, [MAP] = 16,      [TILE] = 2,   [UNIQUE] = 0,
        [FOR] = 6,   [IF] = 8,     [ACC] = 20, [CONTAINER] = 7, [BLOCK] = 2,  [TENSOR] = 0,
        [WHILE] = 4, [CHOICE] = 6, [FORM] = 5, [GROW] = 2,      [RESOLVE] = 4};
    for (int k = 0; k < 5; k++) {
        bool done = false;
        switch (rng_weighted(&g->rng, KINDS, s->level ? inner : top)) {
        case LET: done = pay(g, s, 1) && let_statement(g, s); break;
        case REBIND: done = pay(g, s, 1) && rebind(g, s); break;
        case OWN: done = any_own_write(g, s); break;
        case ACC: done = pay(g, s, 1) && accumulate(g, s); break;
        case MAP: done = map_statement(g, s); break;
        case TILE: done = tile_statement(g, s); break;
        case UNIQUE: done = unique_statement(g, s); break;
        case FOR: done = for_statement(g, s); break;
        case IF: done = pay(g, s, 1) && if_statement(g, s); break;
        case CONTAINER: done = container_statement(g, s); break;
        case BLOCK: done = block_statement(g, s); break;
        case TENSOR: done = tensor_statement(g, s); break;
        case WHILE: done = while_statement(g, s); break;
        case FORM: done = form_statement(g, s); break;
        case CHOICE: done = pay(g, s, 2) && choice_statement(g, s); break;
        case GROW: done = pay(g, s, 2) && grow_statement(g, s); break;
        case RESOLVE: done = resolve_statement(g, s); break;
        }
        if (done)
            return;
    }
}

static void block(struct gen *g, struct scope *s, int n) {
    for (int k = 0; k < n; k++)
        statement(g, s);
}

#endif
