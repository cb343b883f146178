/* f16 and bf16, all of them: against a definition that is slow and obvious. The 65,536 values come
   from their bits by doubling and halving; a number is rounded by looking for its neighbours
   among them. Tried are all values, all ties, and what lies next to a tie in f64, f32 and the
   integers. */
#include "lang/scalar/scalar.h"
#include "tests/harness/tap.h"

#include <float.h>

enum { SIGN = 0x8000 };

static const struct form {
    enum dtype t;
    int fraction, bias; /* bits; what is taken off the exponent */
} forms[] = {{DT_f16, 10, 15}, {DT_bf16, 7, 127}};

static double value[SIGN]; /* of the form that is tested, by bits, without sign */
static unsigned infinity;  /* its bits */

static void define(const struct form *f) {
    infinity = SIGN - (1u << f->fraction);
    for (unsigned bits = 0; bits < infinity; bits++) {
        int exponent = (int)(bits >> f->fraction) - f->bias;
        double x = bits & ((1u << f->fraction) - 1);
        if (bits >> f->fraction) /* the leading 1 is not written */
            x += 1u << f->fraction;
        else
            exponent++;
        for (int i = 0; i < f->fraction; i++)
            x /= 2;
        for (; exponent > 0; exponent--)
            x *= 2;
        for (; exponent < 0; exponent++)
            x /= 2;
        value[bits] = x;
    }
    value[infinity] = 2 * value[infinity - (1u << f->fraction)]; /* what comes after the largest */
}

/* The bits of the number next to X; of two that are as near, the even one. Quotients are not
   needed: differences of neighbours are exact in long double. */
static unsigned nearest(long double x) {
    unsigned low = 0, high = infinity, sign = signbit(x) ? SIGN : 0;
    x = fabsl(x);
    if (x >= value[infinity])
        return sign | infinity;
    while (high - low > 1) { /* value[low] <= x < value[high] */
        unsigned middle = (low + high) / 2;
        *(x < value[middle] ? &high : &low) = middle;
    }
    long double below = x - value[low], above = value[high] - x;
    return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}

static bool rounds(const struct form *f, double x) {
    unsigned got = scalar_from_f64(f->t, x).f16, want = nearest(x);
    if (got != want)
        diag("%a to %s: got %04x, want %04x", x, dtypes[f->t].name, got, want);
    return got == want;
}

static void test_values(const struct form *f) {
    bool good = true, round = true;
    for (unsigned bits = 0; bits < 2 * SIGN; bits++) {
        union scalar s = {.i64 = 0};
        s.f16 = (uint16_t)bits;
        double x = scalar_to_f64(f->t, s), want = value[bits % SIGN];
        if (bits % SIGN > infinity) {
            good &= isnan(x) && isnan(scalar_to_f64(f->t, scalar_from_f64(f->t, x)));
            continue;
        }
        want = bits % SIGN == infinity ? INFINITY : want;
        good &= x == (bits & SIGN ? -want : want) && !signbit(x) == !(bits & SIGN);
        round &= scalar_from_f64(f->t, x).f16 == bits;
        union scalar single = {.f32 = (float)x};
        round &= scalar_cast(DT_f32, f->t, single).f16 == bits &&
                 scalar_cast(f->t, DT_f32, s).f32 == (float)x;
    }
    ok(good, "all values of %s", dtypes[f->t].name);
    ok(round, "and back, by f64 and f32");
}

static void test_ties(const struct form *f) {
    bool wide = true, single = true, integers = true;
    for (unsigned bits = 0; bits < infinity && wide && single && integers; bits++) {
        double tie = (value[bits] + value[bits + 1]) / 2; /* exact: one digit more */
        double third = value[bits] + (value[bits + 1] - value[bits]) / 3;
        for (int sign = -1; sign <= 1; sign += 2) {
            wide &= rounds(f, sign * tie) && rounds(f, sign * nextafter(tie, 0)) &&
                    rounds(f, sign * nextafter(tie, INFINITY)) && rounds(f, sign * third);
            for (int to = -1; to <= 1; to++) {
                float x = (float)(sign * tie); /* exact but below the range of f32 */
                x = to ? nextafterf(x, (float)to * INFINITY) : x;
                union scalar s = {.f32 = x};
                single &= scalar_cast(DT_f32, f->t, s).f16 == nearest(x);
            }
            if (tie < 0x1p24 || tie > 0x1p64)
                continue;
            for (int k = -1; k <= 1; k++) { /* by way of f64 these would round twice */
                if (sign > 0) {
                    union scalar u = {.u64 = (uint64_t)tie + (uint64_t)(int64_t)k};
                    integers &= scalar_cast(DT_u64, f->t, u).f16 == nearest(u.u64);
                }
                if (tie < 0x1p63) {
                    union scalar i = {.i64 = sign * (int64_t)tie + k};
                    integers &= scalar_cast(DT_i64, f->t, i).f16 == nearest(i.i64);
                }
                if (tie < 0x1p31) {
                    union scalar i = {.i32 = sign * (int32_t)tie + k};
                    integers &= scalar_cast(DT_i32, f->t, i).f16 == nearest(i.i32);
                }
            }
        }
    }
    ok(wide, "ties of %s, and what lies beside them, from f64", dtypes[f->t].name);
    ok(single, "from f32");
    ok(integers, "from integers");
    ok(rounds(f, DBL_MAX) && rounds(f, DBL_TRUE_MIN) && rounds(f, -DBL_TRUE_MIN) &&
           rounds(f, FLT_MAX) && rounds(f, -0.0) && rounds(f, 1e-300),
       "far beyond both ends");
}

/* Sums, products, quotients and roots of some values with all others: rounded once. The exact sums
   and products fit long double; quotients and roots do not, but are no ties. */
static void test_operators(const struct form *f) {
    bool good = true;
    for (unsigned a = 1; a < infinity; a += 977)
        for (unsigned b = 1; b < infinity; b += 61) {
            union scalar args[2] = {{.i64 = 0}, {.i64 = 0}};
            args[0].f16 = (uint16_t)a;
            args[1].f16 = (uint16_t)b;
            long double x = value[a], y = value[b];
            struct {
                enum scalar_op op;
                long double want;
            } cases[] = {{OP_ADD, x + y}, {OP_SUB, x - y}, {OP_MUL, x * y}, {OP_DIV, x / y}};
            for (int k = 0; k < 4; k++) {
                long double w = cases[k].want, ratio = x > y ? x / y : y / x;
                if (k < 2 && ratio > 0x1p40L)
                    continue; /* long double may not hold it */
                if (k > 1 && w < 0x1p-126L)
                    continue; /* f32 has fewer digits there */
                unsigned got = scalar_eval(cases[k].op, f->t, args).f16;
                if (got != nearest(w) && good)
                    diag("%s of %04x and %04x: got %04x", scalars[cases[k].op].id, a, b, got);
                good &= got == nearest(w);
            }
        }
    ok(good, "+ - * / of %s are rounded once", dtypes[f->t].name);
    good = true;
    for (unsigned a = 0; a < infinity; a++) {
        union scalar s = {.i64 = 0};
        s.f16 = (uint16_t)a;
        good &= scalar_eval(OP_SQRT, f->t, &s).f16 == nearest(sqrtl(value[a]));
    }
    ok(good, "and sqrt");
}

int main(void) {
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        define(&forms[k]);
        test_values(&forms[k]);
        test_ties(&forms[k]);
        test_operators(&forms[k]);
    }
    return done_testing();
}
