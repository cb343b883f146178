/* Programs from numbers: program_generate(seed). Legal by construction, see scope.h; any size that
   sets no index outside and divides what is divided keeps it so, and the minimizer asks `ref`. */
#ifndef DCL_TESTS_FUZZ_GENERATE_H
#define DCL_TESTS_FUZZ_GENERATE_H

#include "tests/fuzz/forms.h"

static enum content random_content(struct gen *g) {
    static const int weight[] = {[CONTENT_PLAIN] = 82, [CONTENT_SPECIAL] = 8, [CONTENT_WIDE] = 10};
    return (enum content)rng_weighted(&g->rng, 3, weight);
}

/* --- signatures ------------------------------------------------------------------------------ */

static void some_params(struct gen *g, struct scope *s, int n) {
    struct dim dims[PROGRAM_RANK];
    for (int i = 0; i < g->p->nsizes; i++) { /* every size is bound */
        struct dim d = {.n = g->p->sizes[i].n};
        snprintf(d.text, sizeof d.text, "%s", g->p->sizes[i].name);
        dims[0] = d;
        int rank = 1;
        if (rng_chance(&g->rng, 50) && d.n <= 65) {
            dims[1] = random_dim(g, d.n ? 2600 / d.n : 65);
            rank = 2;
            if (rng_chance(&g->rng, 50)) {
                dims[0] = dims[1];
                dims[1] = d;
            }
        }
        new_param(g, s, random_type(g), rank, dims, random_content(g), rng_chance(&g->rng, 10));
    }
    for (int k = 0; k < n; k++) {
        int rank = rng_below(&g->rng, 4), most = 4000;
        for (int d = 0; d < rank; d++) {
            dims[d] = random_dim(g, most < 65 ? most : 65);
            most /= dims[d].n ? dims[d].n : 1;
        }
        enum dtype t = random_type(g);
        if (rank == 0 && t == DT_i64)
            t = DT_i32;
        const struct view *v =
            new_param(g, s, t, rank, dims, random_content(g), rank && rng_chance(&g->rng, 10));
        if (v && rank == 0) { /* a scalar: no container */
            s->nviews--;
            add_value(s, v->name, t, 0);
            s->value[s->nvalues - 1].weak = true;
        }
    }
    if (rng_chance(&g->rng, 30)) { /* a tensor of indices */
        static const enum dtype ints[] = {DT_i64, DT_i32, DT_i64, DT_i32, DT_i8, DT_u8, DT_u64};
        struct dim into = random_dim(g, 65);
        dims[0] = random_dim(g, 33);
        struct view *v =
            into.n ? new_param(g, s, rng_of(&g->rng, ints), 1, dims, CONTENT_INDEX, false) : NULL;
        if (v)
            v->below = g->p->args[g->p->nargs - 1].below = into.n;
    }
    if (rng_chance(&g->rng, 20) && g->p->nargs < PROGRAM_ARGS) { /* a run-time integer */
        struct argument *a = &g->p->args[g->p->nargs++];
        *a = (struct argument){.dtype = DT_i64, .integer = true, .value = rng_below(&g->rng, 9)};
        fresh(g, "pos", a->name);
        add_value(s, a->name, DT_i64, (int)a->value + 1);
        struct dim *d = &g->integer[g->nintegers++];
        d->n = (int)a->value;
        snprintf(d->text, sizeof d->text, "%s", a->name);
    }
}

static void some_results(struct gen *g, struct scope *s, int n, struct buf *text) {
    for (int k = 0; k < n; k++) {
        struct view v = {.dtype = random_type(g), .mode = MODE_OWN, .container = true};
        int most = 3000;
        v.rank = rng_chance(&g->rng, 12) ? 0 : 1 + rng_below(&g->rng, 3);
        for (int d = 0; d < v.rank; d++) {
            v.slot[d].dim = random_dim(g, most < 65 ? most : 65);
            most /= v.slot[d].dim.n ? v.slot[d].dim.n : 1;
        }
        if (rng_chance(&g->rng, 35)) {
            v.only = random_resolution(g, v.dtype);
            v.init = true;
        }
        fresh(g, "y", v.name);
        buf_printf(text, "%s%s: %s", k ? ", " : "", v.name, type_name(g, v.dtype));
        dims_text(&v, text);
        add_view(s, v);
    }
}

/* What a result lacks: values, or the write that tells its resolution. */
static void finish_results(struct gen *g, struct scope *s, int first, int n) {
    for (int k = first; k < first + n; k++) {
        if (s->view[k].init && s->view[k].only == RES_NONE)
            continue;
        if (s->view[k].rank == 0)
            own_write(g, s, &s->view[k]);
        else
            fill_rest(g, s, k);
    }
}

static void some_sizes(struct gen *g) {
    static const char *const names[] = {"N", "M", "K", "L", "B", "D"};
    g->p->nsizes = 1 + rng_below(&g->rng, 4);
    int first = rng_below(&g->rng, 3);
    for (int i = 0; i < g->p->nsizes; i++) {
        snprintf(g->p->sizes[i].name, sizeof g->p->sizes[i].name, "%s",
                 names[first + i > 5 ? 0 : first + i]);
        g->p->sizes[i].n = random_size(g, 65);
        name_use(g, g->p->sizes[i].name);
    }
}

/* --- a helper like `f` ---------------------------------------------------------------------- */

/* A function of its own, made for the shapes of what it is called with here. */
static bool whole_function(struct gen *g, struct scope *s) {
    const struct view *args[3];
    int n = 1 + rng_below(&g->rng, 3), id = g->helpers, got = 0;
    if (g->generic != DT_NONE || g->budget < 2000 || g->helpers > 3 || s->nviews >= SCOPE_VIEWS - 4)
        return false;
    for (int k = 0; k < n; k++) {
        args[got] = random_tensor(g, s, 1, 1200);
        got += args[got] != NULL;
    }
    if (got == 0)
        return false;
    g->helpers++;
    struct program p = {.seed = g->p->seed, .arena = g->arena};
    struct gen h = *g;
    struct scope in = {.iterations = 1};
    static const char *const names[] = {"P", "Q", "R", "V", "W", "X", "Y", "Z"};
    const char *outer[PROGRAM_SIZES];
    h.p = &p;
    h.used = map_new(g->arena);
    h.local = map_new(g->arena);
    h.out = buf_new(g->arena);
    h.generic = DT_NONE;
    h.nintegers = 0;
    h.budget = g->budget / 3 / (s->iterations > 0 ? s->iterations : 1);
    for (int i = 0; i < got; i++) {
        struct dim dims[PROGRAM_RANK];
        for (int d = 0; d < args[i]->rank; d++) {
            const struct dim *x = &args[i]->slot[d].dim;
            int at = 0;
            while (at < p.nsizes && strcmp(outer[at], x->text) != 0)
                at++;
            if (at == PROGRAM_SIZES || (at == p.nsizes && x->text[0] <= '9' && x->text[0] >= '0' &&
                                        plain_dim(g, x) && rng_chance(&g->rng, 50))) {
                if (!plain_dim(g, x) || x->text[0] > '9')
                    return false;
                dims[d] = dim_number(x->n);
                continue;
            }
            if (at == p.nsizes) {
                outer[p.nsizes] = x->text;
                p.sizes[at].n = x->n;
                snprintf(p.sizes[at].name, sizeof p.sizes[at].name, "%s", names[at]);
                name_use(&h, names[at]);
                p.nsizes++;
            }
            dims[d].varying = false;
            dims[d].n = x->n;
            snprintf(dims[d].text, sizeof dims[d].text, "%s", p.sizes[at].name);
        }
        new_param(&h, &in, args[i]->dtype, args[i]->rank, dims, CONTENT_PLAIN, false);
    }
    struct buf results = buf_new(g->arena);
    int first = in.nviews, made = 1 + rng_below(&h.rng, 2);
    if (p.nsizes == 0)
        return false;
    some_results(&h, &in, made, &results);
    int nargs = p.nargs;
    p.nargs = PROGRAM_ARGS; /* no more parameters: the call is fixed */
    block(&h, &in, 1 + rng_below(&h.rng, 3));
    finish_results(&h, &in, first, made);
    p.nargs = nargs;
    g->rng = h.rng;
    g->helpers = h.helpers;
    g->helper_text = h.helper_text;
    g->budget -= g->budget / 3;
    struct buf *t = &g->helper_text, call = buf_new(g->arena);
    buf_printf(t, "fn h%d(", id);
    buf_printf(&call, "h%d(", id);
    for (int i = 0; i < got; i++) {
        buf_printf(t, i ? ", " : "");
        program_arg_text(&p, &p.args[i], false, t);
        buf_printf(&call, "%s%s", i ? ", " : "", args[i]->name);
    }
    buf_printf(t, ") -> (%s) {\n%s}\n", results.at, h.out.at);
    buf_text(&call, ")");
    struct buf targets = buf_new(g->arena);
    struct view out[2];
    for (int k = 0; k < made; k++) {
        out[k] = in.view[first + k];
        for (int d = 0; d < out[k].rank; d++) { /* in the caller's words */
            struct dim *x = &out[k].slot[d].dim;
            struct arg_dim from = arg_dim_of(&h, x);
            if (from.size >= 0 && from.mul == 1)
                snprintf(x->text, sizeof x->text, "%s", outer[from.size]);
            else if (from.size >= 0 && outer[from.size][0] <= '9')
                *x = dim_number(x->n);
            else if (from.size >= 0)
                snprintf(x->text, sizeof x->text, "(%.40s)*2 + 1", outer[from.size]);
        }
        out[k].mode = MODE_READ;
        out[k].value = out[k].init = true;
        out[k].only = RES_NONE;
        out[k].container = false;
        fresh(g, "v", out[k].name);
        buf_printf(&targets, "%s%s", k ? ", " : "", out[k].name);
    }
    line(g, s, "%s = %s", targets.at, call.at);
    for (int k = 0; k < made; k++)
        add_view(s, out[k]);
    s->size += 10;
    return true;
}

/* --- all ------------------------------------------------------------------------------------- */

/* Instead of named results: the last expression. False if nothing can be one. */
static bool last_expression(struct gen *g, struct scope *s, struct buf *results) {
    struct view *v = random_tensor(g, s, 1, 4300);
    for (int d = 0; v && d < v->rank; d++)
        if (!plain_dim(g, &v->slot[d].dim))
            v = NULL;
    if (!v)
        return false;
    buf_text(results, type_name(g, v->dtype));
    dims_text(v, results);
    line(g, s, "%s", tensor_text(g, s, v));
    return true;
}

FUZZ struct program *program_generate(struct arena *a, uint64_t seed) {
    struct program *p = ARENA_NEW(a, struct program);
    struct gen g = {.rng = {seed ^ 0x5eed5eed5eedu}, .arena = a, .p = p, .generic = DT_NONE};
    struct scope s = {.iterations = 1};
    rng_next(&g.rng);
    p->seed = seed;
    p->arena = a;
    g.out = buf_new(a);
    g.helper_text = buf_new(a);
    g.used = map_new(a);
    g.local = map_new(a);
    g.short_form = true;
    g.budget = rng_chance(&g.rng, 15) ? 30000 : 9000;
    if (rng_chance(&g.rng, 15)) {
        static const enum dtype of[] = {DT_f32, DT_f32, DT_f32, DT_f32, DT_f32,
                                        DT_f32, DT_f32, DT_i32, DT_f64, DT_u8,
                                        DT_i16, DT_u32, DT_f16, DT_f16, DT_bf16};
        g.generic = rng_of(&g.rng, of);
    }
    some_sizes(&g);
    some_params(&g, &s, rng_below(&g.rng, 4));
    struct buf results = buf_new(a), all = buf_new(a);
    bool unnamed = rng_chance(&g.rng, 15);
    int n = unnamed ? 0 : 1 + rng_below(&g.rng, 3), first = s.nviews;
    some_results(&g, &s, n, &results);
    block(&g, &s, 2 + rng_below(&g.rng, 5));
    if (unnamed && !last_expression(&g, &s, &results)) {
        n = 1;
        first = s.nviews;
        some_results(&g, &s, n, &results);
    }
    finish_results(&g, &s, first, n);
    if (n && rng_chance(&g.rng, 15)) { /* one more, of rows that are counted */
        struct view c = growing_view(&g, &s, "y");
        buf_printf(&results, ", %s: %s", c.name, type_name(&g, c.dtype));
        dims_text(&c, &results);
        grow(&g, &s, &c);
        n++;
    }
    buf_printf(&all, n > 1 ? "(%s)" : "%s", results.at);
    p->results = all.at;
    p->helpers = g.helper_text.at ? g.helper_text.at : "";
    p->body = g.out.at ? g.out.at : "";
    bool generic = false;
    for (int i = 0; i < p->nargs; i++)
        generic = generic || p->args[i].generic;
    p->where = g.generic == DT_NONE ? "" : dtype_is_float(g.generic) ? "T: float" : "T: int";
    if (g.generic != DT_NONE && !generic) { /* nothing binds T: give it something */
        if (p->nargs < PROGRAM_ARGS)
            p->args[p->nargs++] = (struct argument){.name = "bind",
                                                    .dtype = g.generic,
                                                    .generic = true,
                                                    .rank = 1,
                                                    .dims = {{-1, 0, 2}}};
    }
    return p;
}

#endif
