/* A generated program: function `f` with its arguments, in parts that the minimizer can take apart:
   helper functions, parameters, results and the lines of the body. */
#ifndef DCL_TESTS_FUZZ_PROGRAM_H
#define DCL_TESTS_FUZZ_PROGRAM_H

#include "lang/base/buf.h"
#include "lang/scalar/scalar.h"
#include "tests/fuzz/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM_ARGS 14
#define PROGRAM_SIZES 8
#define PROGRAM_RANK 4

enum content {
    CONTENT_PLAIN,   /* tame numbers */
    CONTENT_SPECIAL, /* with infinities, NaN, zeros of both signs; extreme integers */
    CONTENT_WIDE,    /* all bits of an integer, floats of many magnitudes */
    CONTENT_INDEX,   /* integers in 0 .. below-1 */
    CONTENT_ORDER,   /* a permutation of 0 .. n-1 */
};

/* A dimension of an argument: mul * size + add, or add alone. */
struct arg_dim {
    int size; /* index into sizes; -1: none */
    int mul, add;
};

struct argument {
    char name[16];
    enum dtype dtype;
    int rank;
    struct arg_dim dims[PROGRAM_RANK];
    bool inout;
    bool integer; /* a run-time i64 that stands in subscripts: its value is VALUE */
    int64_t value;
    enum content content;
    int below;
    bool generic; /* its element type is written T */
    int skew;     /* its first dimension is longer by so much than its type says */
};

struct program {
    uint64_t seed;
    struct arena *arena;
    const char *whole;   /* the text, if it was not generated */
    const char *helpers; /* complete functions */
    int nargs;
    struct argument args[PROGRAM_ARGS];
    const char *results; /* after `->`, "" if there are none */
    const char *where;   /* after `where`, or "" */
    const char *body;    /* one statement a line */
    int nsizes;
    struct {
        char name[16];
        int n;
    } sizes[PROGRAM_SIZES];
};

FUZZ int64_t program_dim(const struct program *p, const struct arg_dim *d) {
    return d->size < 0 ? d->add : (int64_t)p->sizes[d->size].n * d->mul + d->add;
}

FUZZ void program_dim_text(const struct program *p, const struct arg_dim *d, struct buf *out) {
    if (d->size < 0) {
        buf_printf(out, "%d", d->add);
        return;
    }
    buf_text(out, p->sizes[d->size].name);
    if (d->mul != 1)
        buf_printf(out, "*%d", d->mul);
    if (d->add)
        buf_printf(out, " %c %d", d->add < 0 ? '-' : '+', d->add < 0 ? -d->add : d->add);
}

/* NAME: TYPE of argument A; GENERIC: its element type as the function writes it. */
FUZZ void program_arg_text(const struct program *p, const struct argument *a, bool generic,
                           struct buf *out) {
    buf_printf(out, "%s: %s", a->name, generic && a->generic ? "T" : dtypes[a->dtype].name);
    for (int d = 0; d < a->rank; d++) {
        buf_text(out, d ? ", " : "[");
        program_dim_text(p, &a->dims[d], out);
    }
    if (a->rank)
        buf_text(out, "]");
}

/* The whole text: helpers and `f`. */
FUZZ const char *program_text(const struct program *p, struct arena *a) {
    struct buf b = buf_new(a);
    if (p->whole)
        return p->whole;
    buf_printf(&b, "%sfn f(", p->helpers);
    for (int i = 0; i < p->nargs; i++) {
        buf_text(&b, i ? ", " : "");
        if (p->args[i].inout)
            buf_text(&b, "inout ");
        program_arg_text(p, &p->args[i], true, &b);
    }
    buf_text(&b, ")");
    if (p->results[0])
        buf_printf(&b, " -> %s", p->results);
    if (p->where[0])
        buf_printf(&b, " where %s", p->where);
    buf_printf(&b, " {\n%s}\n", p->body);
    return b.at;
}

/* The signature of `f` with its dimensions as symbols. */
FUZZ const char *program_signature(const struct program *p, struct arena *a) {
    struct buf b = buf_new(a);
    buf_text(&b, "f(");
    for (int i = 0; i < p->nargs; i++) {
        buf_text(&b, i ? ", " : "");
        program_arg_text(p, &p->args[i], false, &b);
    }
    buf_text(&b, ")");
    return b.at;
}

FUZZ void argument_shape(const struct program *p, const struct argument *a, int64_t *dims) {
    for (int d = 0; d < a->rank; d++)
        dims[d] = program_dim(p, &a->dims[d]) + (d == 0 ? a->skew : 0);
}

FUZZ int64_t argument_elements(const struct program *p, const struct argument *a) {
    int64_t n = 1, dims[PROGRAM_RANK];
    argument_shape(p, a, dims);
    for (int d = 0; d < a->rank; d++)
        n *= dims[d];
    return n;
}

static double plain_number(struct rng *r) {
    double x = (double)(int64_t)(rng_next(r) >> 11) / 9007199254740992.0; /* 0 .. 1 */
    return rng_chance(r, 10) ? (double)(rng_below(r, 9) - 4) : 4 * x - 2;
}

static union scalar random_float(struct rng *r, enum dtype t, enum content c) {
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0, -1.0, 1e-40};
    double x = plain_number(r);
    if (c == CONTENT_SPECIAL && rng_chance(r, 30))
        x = rng_of(r, special);
    if (c == CONTENT_WIDE)
        x = ldexp(x, rng_below(r, 41) - 20);
    return scalar_from_f64(t, x);
}

static union scalar random_integer(struct rng *r, enum dtype t, enum content c) {
    int64_t small = rng_below(r, 19) - 9, all = (int64_t)rng_next(r);
    int64_t low = scalar_to_i64(t, scalar_lowest(t)), high = scalar_to_i64(t, scalar_highest(t));
    int64_t special[] = {0, -1, 1, low, high, low + 1, 2};
    if (c == CONTENT_SPECIAL && rng_chance(r, 40))
        small = rng_of(r, special);
    return scalar_from_i64(t, c == CONTENT_WIDE ? all : small); /* wraps */
}

/* Fills BYTES with argument K's content; the same every time. */
FUZZ void argument_fill(const struct program *p, int k, void *bytes) {
    const struct argument *a = &p->args[k];
    struct rng r = {p->seed * 1000003u + (uint64_t)k};
    rng_next(&r);
    int64_t n = argument_elements(p, a);
    for (int64_t i = 0; i < n; i++) {
        union scalar s;
        if (a->integer)
            s.i64 = a->value;
        else if (a->content == CONTENT_INDEX || a->content == CONTENT_ORDER)
            s = scalar_from_i64(a->dtype,
                                a->content == CONTENT_ORDER ? i : rng_below(&r, a->below));
        else if (a->dtype == DT_bool)
            s.b = rng_chance(&r, 50);
        else if (dtype_is_float(a->dtype))
            s = random_float(&r, a->dtype, a->content);
        else
            s = random_integer(&r, a->dtype, a->content);
        scalar_store(a->dtype, (char *)bytes + (size_t)i * dtypes[a->dtype].bytes, s);
    }
    for (int64_t i = n - 1; i > 0 && a->content == CONTENT_ORDER; i--) { /* Fisher and Yates */
        size_t size = dtypes[a->dtype].bytes;
        char *x = (char *)bytes + (size_t)i * size;
        char *y = (char *)bytes + (size_t)rng_below(&r, (int)i + 1) * size, swap[8];
        memcpy(swap, x, size);
        memcpy(x, y, size);
        memcpy(y, swap, size);
    }
}

#endif
