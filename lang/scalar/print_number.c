/* The shortest decimal text of a number.
   A double whose shortest text has up to 15 digits is what %.15 gives without its zeros (6 for
   f32, 3 for f16); else 16 and 17 (7 to 9; 4 and 5) are tried. Below the normal range all lengths
   are tried. Only the
   digits are taken from printf and given to strtod, so the locale's point plays no role. */
#include "lang/scalar/print_number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct decimal {
    char digits[20]; /* d1 d2 .. dn, no point */
    int n;
    int exponent; /* of d1 */
};

/* As the language reads a literal of type T. */
static double value_of(const struct decimal *d, enum dtype t) {
    char text[48];
    snprintf(text, sizeof text, "%se%d", d->digits, d->exponent - d->n + 1);
    return t == DT_f32 ? (double)strtof(text, NULL)
                       : scalar_to_f64(t, scalar_from_f64(t, strtod(text, NULL)));
}

/* V (finite, positive) rounded to N digits. */
static struct decimal rounded(double v, int n) {
    char text[64];
    struct decimal d = {.n = 0};
    snprintf(text, sizeof text, "%.*e", n - 1, v);
    const char *at = text;
    for (; *at != 'e'; at++)
        if (*at >= '0' && *at <= '9')
            d.digits[d.n++] = *at;
    d.exponent = atoi(at + 1);
    return d;
}

/* The next larger number with as many digits. */
static struct decimal next_up(struct decimal d) {
    int i = d.n - 1;
    while (i >= 0 && d.digits[i] == '9')
        d.digits[i--] = '0';
    if (i >= 0) {
        d.digits[i]++;
    } else {
        d.digits[0] = '1';
        d.exponent++;
    }
    return d;
}

/* Above a power of two the numbers lie twice as far apart as below: there the larger neighbour may
   read back where the nearest text does not. */
static bool reads_back(struct decimal *d, double v, enum dtype t) {
    if (value_of(d, t) == v)
        return true;
    struct decimal up = next_up(*d);
    if (value_of(&up, t) != v)
        return false;
    *d = up;
    return true;
}

static struct decimal shortest(double v, enum dtype t) {
    /* Decimal digits that every number keeps, and that tell all numbers apart. */
    int sure = (int)((dtypes[t].digits - 1) * 0.30103),
        most = (int)(dtypes[t].digits * 0.30103) + 2;
    bool normal = v >= (t == DT_f64 ? DBL_MIN : t == DT_f16 ? 0x1p-14 : (double)FLT_MIN);
    int n = normal ? sure : 1;
    struct decimal d = rounded(v, n);
    while (n < most && !reads_back(&d, v, t))
        d = rounded(v, ++n);
    while (d.n > 1 && d.digits[d.n - 1] == '0')
        d.n--;
    d.digits[d.n] = '\0';
    return d;
}

static void print_positional(const struct decimal *d, struct buf *out) {
    if (d->exponent < 0) {
        buf_text(out, "0.");
        for (int i = -1; i > d->exponent; i--)
            buf_text(out, "0");
        buf_bytes(out, d->digits, (size_t)d->n);
        return;
    }
    int whole = d->exponent + 1;
    for (int i = 0; i < whole; i++)
        buf_bytes(out, i < d->n ? &d->digits[i] : "0", 1);
    buf_text(out, ".");
    if (d->n > whole)
        buf_bytes(out, d->digits + whole, (size_t)(d->n - whole));
    else
        buf_text(out, "0");
}

void print_number(double v, enum dtype t, struct buf *out) {
    v = scalar_to_f64(t, scalar_from_f64(t, v));
    if (isnan(v)) {
        buf_text(out, "nan");
        return;
    }
    if (signbit(v)) {
        buf_text(out, "-");
        v = -v;
    }
    if (isinf(v)) {
        buf_text(out, "inf");
    } else if (v == 0) {
        buf_text(out, "0.0");
    } else {
        struct decimal d = shortest(v, t);
        if (d.exponent >= -4 && d.exponent < 16) {
            print_positional(&d, out);
            return;
        }
        buf_bytes(out, d.digits, 1);
        if (d.n > 1) {
            buf_text(out, ".");
            buf_bytes(out, d.digits + 1, (size_t)d.n - 1);
        }
        buf_printf(out, "e%d", d.exponent);
    }
}

double print_number_value(double v, enum dtype t) {
    v = scalar_to_f64(t, scalar_from_f64(t, v));
    if (!isfinite(v) || v == 0)
        return v;
    struct decimal d = shortest(fabs(v), t);
    return copysign(value_of(&d, DT_f64), v);
}
