/* How far compiled results may be from the reference evaluator's: the same walk (lang/eval) with a
   host of its own, which carries with every scalar what `ref` computes and a bound of what another
   evaluation may differ from it. Zero means: the same bits.

   Note [freedoms]. LANGUAGE.md, "Numbers", leaves three: a product may contract with the sum that
   it feeds (u |product|), a reduction may be split (2 n u sum |terms| for sums of n terms,
   2 n u |result| for products), and exp, log and tanh are within 2, 2 and 4 ulp (libm's within 1).
   All else is exact as long as the operands are, also rounding to f16 and bf16 after each of their
   operators, and sums of them in f32, which round where the outermost map ends (wide cells). u is
   half an ulp at 1. Where a difference of
   operands can change a comparison, a cast to integers or what is finite, the result is `unsure`
   and is not compared; a branch or subscript that hangs on one ends the walk (`gave_up`).
   STRICT takes the first two freedoms away; of terms that differ each addition may round to the
   other side all the same. */
#ifndef DCL_TESTS_FUZZ_BOUNDS_H
#define DCL_TESTS_FUZZ_BOUNDS_H

#include "lang/eval/eval.h"
#include "tests/fuzz/program.h"

#include <float.h>
#include <math.h>

struct shade {
    union scalar r; /* what ref computes */
    double e;       /* bound of the difference, floats only */
    bool unsure;
    bool product; /* is, or may be, a product that nothing has rounded away from its sum */
    bool zero;    /* if it is 0, the sign is free */
};

struct cell {
    struct shade s; /* e: without what the order of terms adds */
    enum resolution resolution;
    uint32_t n;      /* terms */
    double sum, low; /* sum |terms|; products: of the factors above and below 1 */
    bool plus, minus, nan, written;
    bool wide; /* of f16 and bf16: R is an f32 */
};

struct cells {
    struct arena *arena;
    struct cell *at;
    enum dtype t;
    int64_t n;
    uint32_t maps; /* around the declaration */
    bool listed;   /* some may be wide */
    uint32_t rank;
    int64_t dims[EVAL_MAX_RANK];
};

struct bounds {
    struct eval ev;
    struct arena *arena;
    struct arena *levels[256];
    uint32_t level;
    uint32_t imagined; /* sides of branches around that do not run */
    bool strict, gave_up;
    uint32_t maps;
    VEC(struct cells *) wide;
};

static double half_ulp(enum dtype t) {
    return ldexp(1.0001, -(int)dtypes[t].digits);
}

static double largest(enum dtype t) {
    return t == DT_f16 ? 65504 * 0.999 : t == DT_f64 ? DBL_MAX * 0.999 : FLT_MAX * 0.99;
}

static double smallest(enum dtype t) {
    static const double least[DT_COUNT] = {
        [DT_f32] = 1.5e-45, [DT_f64] = 5e-324, [DT_f16] = 6e-8, [DT_bf16] = 9.3e-41};
    return least[t];
}

static double real_of(enum dtype t, union scalar s) {
    return scalar_to_f64(t, s);
}

static struct value shade_value(struct bounds *b, enum dtype t, struct shade s) {
    struct value v = {.kind = VAL_SCALAR, .dtype = t};
    v.expr = arena_copy(b->ev.arena, &s, sizeof s);
    return v;
}

static struct shade shade_of(const struct value *v) {
    return *(const struct shade *)v->expr;
}

/* --- operators ------------------------------------------------------------------------------- */

static double shade_mag(enum dtype t, const struct shade *a) {
    return fabs(real_of(t, a->r));
}

/* A result that is not finite is certain only for certain reasons. */
static void settle(enum scalar_op op, enum dtype t, const struct shade *a, unsigned n,
                   struct shade *s) {
    double r = real_of(t, s->r);
    bool exact = true, nan = false, infinite = false;
    for (unsigned i = 0; i < n; i++) {
        double x = real_of(t, a[i].r);
        exact = exact && a[i].e == 0;
        nan = nan || isnan(x);
        infinite = infinite || isinf(x);
    }
    if (isfinite(r)) {
        if (!isfinite(s->e) || fabs(r) + s->e > largest(t))
            s->unsure = true;
        return;
    }
    s->e = 0;
    if (exact || nan)
        return;
    if ((op == OP_ADD || op == OP_SUB || op == OP_MAX || op == OP_MIN || op == OP_ABS ||
         op == OP_NEG || op == OP_SQRT) &&
        infinite)
        return;
    if (op == OP_MUL && infinite && shade_mag(t, &a[0]) > a[0].e && shade_mag(t, &a[1]) > a[1].e)
        return;
    s->unsure = true;
}

static double error_of_call(enum scalar_op op, enum dtype t, double x, double e, double r,
                            bool *unsure) {
    double u = half_ulp(t);
    switch (op) {
    case OP_EXP: return fabs(r) * (expm1(e) + 8 * u) + 4 * smallest(t);
    case OP_TANH: return e + 12 * u * fabs(r) + (e > 0 ? smallest(t) : 0);
    case OP_LOG:
        if (e > 0 && x - e <= 0 && x + e >= 0)
            *unsure = true;
        return (e > 0 && x > e ? -log1p(-e / x) : 0) + 8 * u * fabs(r) + smallest(t);
    case OP_SQRT:
        if (e > 0 && x - e < 0 && x + e >= 0)
            *unsure = true;
        return e > 0 && x > e ? (sqrt(x) - sqrt(x - e)) * 1.01 + 2 * u * fabs(r) : 0;
    case OP_FLOOR: return floor(x + e) - floor(x - e);
    case OP_ROUND: return nearbyint(x + e) - nearbyint(x - e);
    default: return e;
    }
}

static struct shade shade_float(struct bounds *b, enum scalar_op op, enum dtype t,
                                const struct shade *a, struct shade s) {
    double u = half_ulp(t), x = real_of(t, a[0].r), ex = a[0].e, r = real_of(t, s.r);
    double y = scalars[op].arity > 1 ? real_of(t, a[1].r) : 0;
    double ey = scalars[op].arity > 1 ? a[1].e : 0;
    double rounding = 2 * u * fabs(r) + 2 * smallest(t);
    for (unsigned i = 0; i < scalars[op].arity; i++)
        s.zero = s.zero || a[i].zero || a[i].e > 0;
    switch (op) {
    case OP_ADD:
    case OP_SUB:
        s.e = ex + ey;
        for (int i = 0; i < 2 && !b->strict; i++)
            if (a[i].product)
                s.e += u * shade_mag(t, &a[i]) + smallest(t);
        s.zero = s.zero || s.e > 0;
        s.e += s.e > 0 ? rounding : 0;
        break;
    case OP_MUL:
        s.e = (ex > 0 ? fabs(y) * ex : 0) + (ey > 0 ? fabs(x) * ey : 0) + ex * ey;
        s.e += ex > 0 || ey > 0 ? rounding : 0;
        s.product = !dtype_is_half(t); /* rounded before anything sees it */
        break;
    case OP_DIV:
        if (fabs(y) <= ey && (ey > 0 || a[1].zero))
            s.unsure = true;
        if (ex > 0 || ey > 0)
            s.e = (ex + fabs(r) * ey) / (fabs(y) - ey) + rounding;
        break;
    case OP_MAX:
    case OP_MIN: s.e = fmax(ex, ey); break;
    case OP_NEG:
    case OP_ABS:
        s.product = a[0].product; /* |a*b| is |a| * |b| */
        s.e = ex;
        break;
    default: s.e = error_of_call(op, t, x, ex, r, &s.unsure);
    }
    if (scalars[op].result != RESULT_BOOL)
        settle(op, t, a, scalars[op].arity, &s);
    return s;
}

static struct shade shade_compare(enum scalar_op op, enum dtype t, const struct shade *a,
                                  struct shade s) {
    double x = real_of(t, a[0].r), y = real_of(t, a[1].r), e = a[0].e + a[1].e;
    (void)op;
    s.e = 0;
    if (e > 0 && !isnan(x) && !isnan(y) && !(isinf(x) && isinf(y)) && fabs(x - y) <= e)
        s.unsure = true;
    return s;
}

static struct shade shade_select(enum dtype t, const struct shade *a, struct shade s) {
    const struct shade *taken = a[0].r.b ? &a[1] : &a[2];
    s = *taken;
    s.product = a[1].product || a[2].product;
    s.zero = s.zero || a[1].zero || a[2].zero;
    if (!a[0].unsure)
        return s;
    if (dtype_is_float(t)) {
        double x = real_of(t, a[1].r), y = real_of(t, a[2].r);
        s.e = fmax(a[1].e, a[2].e) + fabs(x - y);
        s.unsure = a[1].unsure || a[2].unsure || !(fabs(s.e) < largest(t));
        s.zero = true;
        if (x == y || (isnan(x) && isnan(y)))
            s.unsure = a[1].unsure || a[2].unsure;
        if (!isfinite(s.e))
            s.e = 0;
    } else {
        s.unsure = a[1].unsure || a[2].unsure || memcmp(&a[1].r, &a[2].r, dtypes[t].bytes) != 0;
    }
    return s;
}

static bool bounds_scalar(void *host, enum scalar_op op, const struct value *args, struct span span,
                          struct value *out) {
    struct bounds *b = host;
    (void)span;
    struct shade a[3] = {{.e = 0}}, s = {.e = 0};
    union scalar r[3];
    unsigned n = scalars[op].arity;
    enum dtype t = args[op == OP_SELECT ? 1 : 0].dtype;
    enum dtype to = scalars[op].result == RESULT_BOOL ? DT_bool : t;
    for (unsigned i = 0; i < n; i++) {
        a[i] = shade_of(&args[i]);
        r[i] = a[i].r;
        s.unsure = s.unsure || a[i].unsure;
    }
    s.r = scalar_eval(op, t, r);
    if (op == OP_SELECT) {
        s = shade_select(t, a, s);
    } else if (dtype_is_float(t)) {
        if (s.unsure)
            s.e = 0;
        else
            s = to == DT_bool ? shade_compare(op, t, a, s) : shade_float(b, op, t, a, s);
    }
    if (to == DT_bool && (op == OP_AND || op == OP_OR)) { /* one side may decide */
        bool decides = op == OP_OR;
        for (int i = 0; i < 2; i++)
            if (!a[i].unsure && a[i].r.b == decides)
                s.unsure = false;
    }
    *out = shade_value(b, to, s);
    return true;
}

static bool bounds_cast(void *host, enum dtype to, const struct value *v, struct span span,
                        struct value *out) {
    struct bounds *b = host;
    (void)span;
    enum dtype from = v->dtype;
    struct shade a = shade_of(v), s = a;
    s.r = scalar_cast(from, to, a.r);
    s.product = false;
    if (!dtype_is_float(from) || !dtype_is_float(to))
        s.zero = false;
    if (dtype_is_float(from) && a.e > 0 && !a.unsure) {
        double x = real_of(from, a.r);
        if (dtype_is_float(to)) {
            if (dtypes[to].digits < dtypes[from].digits || dtype_is_half(to))
                s.e += 2 * half_ulp(to) * fabs(x) + smallest(to);
            s.unsure = fabs(x) + s.e > largest(to);
        } else if (to == DT_bool) {
            s.unsure = fabs(x) <= a.e;
            s.e = 0;
        } else {
            union scalar lo = scalar_cast(DT_f64, to, (union scalar){.f64 = x - a.e});
            union scalar hi = scalar_cast(DT_f64, to, (union scalar){.f64 = x + a.e});
            s.unsure = !scalar_same(to, lo, hi);
            s.e = 0;
        }
    }
    *out = shade_value(b, to, s);
    return true;
}

static bool bounds_constant(void *host, enum dtype t, const struct value *v, struct span span,
                            struct value *out) {
    struct bounds *b = host;
    (void)span;
    struct shade s = {.e = 0};
    if (v->kind == VAL_BOOL)
        s.r.b = v->b;
    else
        s.r = v->kind == VAL_INT ? scalar_from_i64(t, v->i) : scalar_from_f64(t, v->f);
    *out = shade_value(b, t, s);
    return true;
}

static bool bounds_integer(void *host, const struct value *scalar, struct span span,
                           struct value *out) {
    struct bounds *b = host;
    struct shade s = shade_of(scalar);
    (void)span;
    b->gave_up = b->gave_up || s.unsure;
    *out = value_int(scalar_cast(scalar->dtype, DT_i64, s.r).i64);
    return !s.unsure;
}

/* --- cells ----------------------------------------------------------------------------------- */

static void cell_start(enum dtype t, struct cell *c, struct shade s) {
    *c = (struct cell){.s = s, .n = 1, .low = 1, .sum = 1, .written = true};
    if (dtype_is_float(t)) {
        double x = real_of(t, s.r);
        c->n = x != 0;
        c->nan = isnan(x);
        c->plus = x == INFINITY;
        c->minus = x == -INFINITY;
    }
}

/* An f32 rounded to a half, and its bound. */
static struct shade narrowed(enum dtype t, struct shade s) {
    double x = (double)s.r.f32;
    s.r = scalar_cast(DT_f32, t, s.r);
    if (s.e > 0)
        s.e += 2 * half_ulp(t) * fabs(x) + smallest(t);
    s.unsure = s.unsure || (s.e > 0 && fabs(x) + s.e > largest(t));
    return s;
}

/* What a read of C gives. */
static struct shade cell_read(const struct bounds *b, enum dtype t, const struct cell *c) {
    if (c->wide) {
        struct cell wide = *c;
        wide.wide = false;
        return narrowed(t, cell_read(b, DT_f32, &wide));
    }
    struct shade s = c->s;
    if (!dtype_is_float(t) || c->resolution == RES_NONE || s.unsure)
        return s;
    double u = half_ulp(t), r = real_of(t, s.r);
    double terms = c->n + (s.e > 0); /* one that is 0 here may be another number */
    bool several = !dtype_is_half(t) && (c->n > 2 || (c->n > 1 && s.e > 0));
    bool special = c->plus || c->minus || c->nan;
    if (c->resolution == RES_SUM) {
        s.zero = true;
        s.e += (several && !b->strict) || s.e > 0 ? 2 * terms * u * c->sum : 0;
        s.unsure = several && !(c->sum + s.e < largest(t));
    } else if (c->resolution == RES_PROD) {
        s.e += (several && !b->strict) || s.e > 0 ? 2 * terms * u * fabs(r) : 0;
        s.unsure = several &&
                   (c->sum > largest(t) / 4 || c->low < smallest(t) * 1e9 || (special && !c->nan));
    }
    if (!isfinite(r) || !isfinite(s.e))
        s.e = 0;
    return s;
}

static bool cell_resolve(struct bounds *b, enum dtype t, struct cell *c, enum resolution r,
                         struct shade v) {
    if (c->resolution != r && c->resolution != RES_NONE) {
        struct shade now = cell_read(b, t, c);
        cell_start(t, c, now);
    }
    union scalar args[2] = {c->s.r, v.r};
    bool floats = dtype_is_float(t);
    double x = floats ? real_of(t, v.r) : 0, old = floats ? real_of(t, c->s.r) : 0;
    if (floats && c->resolution == RES_NONE) /* the value so far is a term, too */
        c->sum = r == RES_SUM ? (isfinite(old) ? fabs(old) : 0) : fmax(1, fabs(old)),
        c->low = r == RES_PROD && old != 0 ? fmin(1, fabs(old)) : 1;
    if (floats && r == RES_PROD && c->resolution == RES_NONE)
        c->n = old != 1;
    c->resolution = r;
    c->s.r = scalar_eval(resolution_op(r), t, args);
    c->s.unsure = c->s.unsure || v.unsure;
    if (floats && r == RES_SUM && c->s.product && !b->strict) /* y = a*b; c >> y (sum) */
        c->s.e += half_ulp(t) * fabs(old);
    c->s.product = false;
    if (!floats)
        return true;
    c->n += r == RES_PROD ? x != 1 : x != 0;
    c->nan = c->nan || isnan(x);
    c->plus = c->plus || x == INFINITY;
    c->minus = c->minus || x == -INFINITY;
    if (r == RES_SUM) {
        c->s.e += v.e + (v.product && !b->strict ? half_ulp(t) * fabs(x) : 0);
        c->sum += isfinite(x) ? fabs(x) : 0;
    } else if (r == RES_PROD) {
        c->s.e =
            (v.e > 0 ? fabs(old) * v.e : 0) + (c->s.e > 0 ? fabs(x) * c->s.e : 0) + c->s.e * v.e;
        c->sum *= fmax(1, fabs(x));
        c->low *= x != 0 ? fmin(1, fabs(x)) : 1;
    } else {
        c->s.e = fmax(c->s.e, v.e);
        c->s.zero = c->s.zero || v.zero;
    }
    if (!isfinite(c->s.e))
        c->s.e = 0;
    return true;
}

/* Whether a resolution of X is one of f32 from here on: see compiler/lower/wide_sums.c. */
static bool is_wide(struct bounds *b, struct cells *x, enum dtype t, struct cell *c,
                    enum resolution r) {
    if (!dtype_is_half(t) || c->wide || b->maps <= x->maps || (r != RES_SUM && r != RES_PROD))
        return c->wide;
    struct shade s = cell_read(b, t, c);
    s.r = scalar_cast(t, DT_f32, s.r);
    cell_start(DT_f32, c, s);
    c->wide = true;
    if (!x->listed)
        VEC_PUSH(b->arena, b->wide, x);
    x->listed = true;
    return true;
}

/* The outermost map of the tensors declared here has ended. */
static void narrow_all(struct bounds *b) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->wide.n; i++) {
        struct cells *x = b->wide.at[i];
        if (x->maps < b->maps) {
            b->wide.at[kept++] = x;
            continue;
        }
        x->listed = false;
        for (int64_t k = 0; k < x->n; k++)
            if (x->at[k].wide)
                cell_start(x->t, &x->at[k], cell_read(b, x->t, &x->at[k]));
    }
    b->wide.n = kept;
}

static bool bounds_container(void *host, struct tensor *t, enum storage storage,
                             const struct value *fill) {
    struct bounds *b = host;
    struct cells *x = ARENA_NEW(b->ev.arena, struct cells);
    int64_t n = 1;
    x->rank = t->rank;
    for (uint32_t d = 0; d < t->rank; d++)
        n *= x->dims[d] = t->dims[d].i;
    x->t = t->dtype;
    x->maps = b->maps;
    x->arena = b->ev.arena;
    t->impl = x;
    if (storage == STORE_RESERVE) /* cells come as they are written */
        return true;
    if (n < 0 || n > 10000000)
        return false;
    x->n = n;
    x->at = ARENA_ARRAY(b->ev.arena, struct cell, n);
    for (int64_t i = 0; i < n && fill; i++)
        cell_start(t->dtype, &x->at[i], shade_of(fill));
    return true;
}

static bool bounds_before(void *host, struct tensor *t, const struct value *fill) {
    return bounds_container(host, t, STORE_NONE, fill);
}

static struct cell *cell_at(const struct tensor *t, const struct value *at, bool write) {
    struct cells *x = t->impl;
    int64_t o = 0;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (at[d].i < 0 || at[d].i >= x->dims[d])
            return NULL;
        o = o * x->dims[d] + at[d].i;
    }
    if (o >= x->n && !write)
        return NULL;
    if (o >= x->n) { /* in reserve */
        struct cell *more = ARENA_ARRAY(x->arena, struct cell, 2 * o + 16);
        if (x->n)
            memcpy(more, x->at, (size_t)x->n * sizeof *more);
        x->at = more;
        x->n = 2 * o + 16;
    }
    return &x->at[o];
}

static bool bounds_read(void *host, const struct tensor *t, const struct value *at,
                        const struct value *other, struct span span, struct value *out) {
    struct bounds *b = host;
    (void)span;
    if (b->imagined) {
        *out = shade_value(b, t->dtype, (struct shade){.r = scalar_from_i64(t->dtype, 0)});
        return true;
    }
    struct cell *c = cell_at(t, at, false);
    if (!c && !other)
        return false;
    *out = c ? shade_value(b, t->dtype, cell_read(b, t->dtype, c)) : *other;
    return true;
}

static bool bounds_write(void *host, const struct tensor *t, const struct value *at, struct value v,
                         enum resolution r, bool drop, struct span span) {
    struct bounds *b = host;
    (void)span;
    if (b->imagined)
        return true;
    struct cell *c = cell_at(t, at, true);
    if (!c)
        return drop;
    if (r != RES_NONE) {
        struct shade s = shade_of(&v);
        if (!is_wide(b, t->impl, t->dtype, c, r))
            return cell_resolve(b, t->dtype, c, r, s);
        s.r = scalar_cast(t->dtype, DT_f32, s.r);
        bool ok = cell_resolve(b, DT_f32, c, r, s);
        c->wide = true; /* also where it has started anew */
        return ok;
    }
    cell_start(t->dtype, c, shade_of(&v));
    return true;
}

/* --- the rest of the host -------------------------------------------------------------------- */

static bool bounds_iterate(struct bounds *b, uint32_t n, const struct eval_range *range,
                           eval_body *body, void *data) {
    struct value index[EVAL_MAX_RANK * 2];
    if (b->level >= 255 || n > EVAL_MAX_RANK * 2)
        return false;
    if (b->imagined)
        return true;
    for (uint32_t k = 0; k < n; k++) {
        index[k] = range[k].lo;
        if (range[k].hi.i <= range[k].lo.i)
            return true;
    }
    struct arena *outer = b->ev.arena;
    if (!b->levels[b->level])
        b->levels[b->level] = arena_new();
    struct arena *mine = b->levels[b->level++];
    bool ok = true;
    for (bool more = true; ok && more;) {
        b->ev.arena = mine;
        ok = body(data, index);
        b->ev.arena = outer;
        arena_reset(mine);
        more = false;
        for (uint32_t k = n; k-- > 0 && !more;) {
            index[k].i += range[k].step.i;
            more = index[k].i < range[k].hi.i;
            if (!more)
                index[k] = range[k].lo;
        }
    }
    b->level--;
    return ok;
}

static bool bounds_map(void *host, uint32_t n, const struct eval_range *range, bool unique,
                       struct span span, eval_body *body, void *data) {
    struct bounds *b = host;
    (void)unique;
    (void)span;
    b->maps++;
    bool ok = bounds_iterate(b, n, range, body, data);
    b->maps--;
    narrow_all(b);
    return ok;
}

static bool bounds_loop(void *host, const struct eval_range *range, struct span span,
                        eval_body *body, void *data) {
    (void)span;
    return bounds_iterate(host, 1, range, body, data);
}

static bool bounds_repeat(void *host, const struct tensor *condition, struct span span,
                          eval_body *body, void *data) {
    struct bounds *b = host;
    struct value go;
    if (b->level >= 255)
        return false;
    struct arena *outer = b->ev.arena;
    if (!b->levels[b->level])
        b->levels[b->level] = arena_new();
    struct arena *mine = b->levels[b->level++];
    bool ok = true;
    while (ok && (ok = bounds_read(host, condition, NULL, NULL, span, &go))) {
        struct shade s = shade_of(&go);
        b->gave_up = b->gave_up || s.unsure;
        ok = !s.unsure;
        if (!ok || !s.r.b)
            break;
        b->ev.arena = mine;
        ok = body(data, NULL);
        b->ev.arena = outer;
        arena_reset(mine);
    }
    b->level--;
    return ok;
}

static bool bounds_branch(void *host, const struct value *condition, struct span span,
                          eval_body *then, eval_body *otherwise, void *data) {
    struct bounds *b = host;
    struct shade s = shade_of(condition);
    (void)span;
    b->gave_up = b->gave_up || s.unsure;
    return !s.unsure && (s.r.b ? then(data, NULL) : otherwise(data, NULL));
}

static void bounds_imagine(void *host, eval_body *side, void *data) {
    struct bounds *b = host;
    struct diags *told = b->ev.diags, nothing;
    diags_init(&nothing, b->ev.arena, told->sources);
    b->ev.diags = &nothing;
    b->imagined++;
    side(data, NULL);
    b->imagined--;
    b->ev.diags = told;
}

static bool bounds_require(void *host, const struct value *condition, const char *text,
                           struct span span) {
    (void)host;
    (void)text;
    (void)span;
    return shade_of(condition).r.b;
}

static bool bounds_let(void *host, struct name n, struct value *v, struct span span) {
    (void)host;
    (void)n;
    (void)v;
    (void)span;
    return true;
}

static void bounds_hint(void *host, struct tensor *t, struct name n) {
    (void)host;
    (void)t;
    (void)n;
}

static const struct eval_ops bounds_verbs = {
    .container = bounds_container,
    .before = bounds_before,
    .read = bounds_read,
    .write = bounds_write,
    .scalar = bounds_scalar,
    .cast = bounds_cast,
    .constant = bounds_constant,
    .integer = bounds_integer,
    .let = bounds_let,
    .share = bounds_let,
    .hint = bounds_hint,
    .map = bounds_map,
    .loop = bounds_loop,
    .repeat = bounds_repeat,
    .branch = bounds_branch,
    .imagine = bounds_imagine,
    .require = bounds_require,
};

static void bounds_close(void *data) {
    struct bounds *b = data;
    for (int i = 0; i < 256; i++)
        arena_free(b->levels[i]);
}

FUZZ struct bounds *bounds_begin(struct arena *a, struct names *names, struct sym_ctx *syms,
                                 struct diags *d, const struct module *prelude, bool strict) {
    struct bounds *b = ARENA_NEW(a, struct bounds);
    b->arena = a;
    b->strict = strict;
    b->ev = (struct eval){.arena = a,
                          .names = names,
                          .syms = syms,
                          .diags = d,
                          .ops = &bounds_verbs,
                          .host = b,
                          .prelude = prelude,
                          .vector_bytes = 32,
                          .vector_registers = 16};
    arena_on_free(a, bounds_close, b);
    return b;
}

/* A tensor with the values at BYTES, exact. */
FUZZ struct value bounds_tensor(struct bounds *b, struct name name, enum dtype t, uint32_t rank,
                                const int64_t *dims, const void *bytes, bool inout) {
    struct value sizes[EVAL_MAX_RANK];
    struct cells *x = ARENA_NEW(b->arena, struct cells);
    int64_t n = 1;
    x->rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
        n *= x->dims[d] = dims[d];
        sizes[d] = value_int(dims[d]);
    }
    x->t = t;
    x->n = n;
    x->at = ARENA_ARRAY(b->arena, struct cell, n);
    for (int64_t i = 0; i < n; i++) {
        struct shade s = {.r = scalar_load(t, (const char *)bytes + (size_t)i * dtypes[t].bytes)};
        cell_start(t, &x->at[i], s);
    }
    struct tensor *out = tensor_of(&b->ev, t, rank, sizes, (struct span){0});
    out->impl = x;
    out->name = name;
    out->container = inout;
    out->read_only = !inout;
    return value_tensor(out);
}

/* The N shades of a TENSOR or SCALAR, in order. */
FUZZ struct shade *bounds_result(struct bounds *b, const struct value *v, int64_t *n) {
    *n = 1;
    if (v->kind == VAL_SCALAR)
        return (struct shade *)(uintptr_t)v->expr;
    const struct tensor *x = v->tensor;
    int64_t dims[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < x->rank; d++)
        *n *= dims[d] = x->dims[d].i;
    struct shade *s = ARENA_ARRAY(b->arena, struct shade, *n);
    struct value index[EVAL_MAX_RANK], at[EVAL_MAX_RANK];
    for (int64_t i = 0; i < *n; i++) {
        int64_t rest = i;
        for (uint32_t d = x->rank; d-- > 0; rest /= dims[d])
            index[d] = value_int(rest % dims[d]);
        real_indices(&b->ev, x, index, at);
        s[i] = cell_read(b, x->dtype, cell_at(x, at, false));
    }
    return s;
}

/* Whether GOT is a value that S allows. */
FUZZ bool bounds_allow(enum dtype t, const struct shade *s, union scalar got) {
    if (s->unsure)
        return true;
    if (!dtype_is_float(t))
        return t == DT_bool ? s->r.b == got.b : memcmp(&s->r, &got, dtypes[t].bytes) == 0;
    double r = real_of(t, s->r), x = real_of(t, got);
    if (isnan(r) || isnan(x))
        return isnan(r) && isnan(x);
    if (r == x)
        return x != 0 || s->zero || s->e > 0 || signbit(r) == signbit(x);
    return isfinite(r) && fabs(r - x) <= s->e * 1.0001;
}

#endif
