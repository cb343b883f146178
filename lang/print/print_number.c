/* The shortest decimal text of a number.
   A double whose shortest text has up to 15 digits is what %.15 gives without its zeros (6 for
   f32); else 16 and 17 (7 to 9) are tried. Below the normal range all lengths are tried. Only the
   digits are taken from printf and given to strtod, so the locale's point plays no role. */
#include "lang/print/print.h"

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

static double value_of(const struct decimal *d, bool single) {
    char text[48];
    snprintf(text, sizeof text, "%se%d", d->digits, d->exponent - d->n + 1);
    return single ? (double)strtof(text, NULL) : strtod(text, NULL);
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
static bool reads_back(struct decimal *d, double v, bool single) {
    if (value_of(d, single) == v)
        return true;
    struct decimal up = next_up(*d);
    if (value_of(&up, single) != v)
        return false;
    *d = up;
    return true;
}

static struct decimal shortest(double v, bool single) {
    bool normal = v >= (single ? (double)FLT_MIN : DBL_MIN);
    int n = !normal ? 1 : single ? FLT_DIG : DBL_DIG;
    int most = single ? 9 : 17;
    struct decimal d = rounded(v, n);
    while (n < most && !reads_back(&d, v, single))
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

void print_number(double v, bool single, struct buf *out) {
    if (single)
        v = (double)(float)v;
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
        struct decimal d = shortest(v, single);
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
