/* CSV: numbers between commas, a row in each line (RFC 4180), as a tensor of two dimensions.
   The text is walked twice: first each field is looked at, which gives rows, columns and the
   element type, then the numbers are made, correctly rounded. What a number is, and what a header,
   says lang/LANGUAGE.md, section 13. No function whose result hangs on the locale is used on a text
   with a point. */
#include "lang/files/format.h"

#include "lang/scalar/print_number.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_MAX = 2000, DIGITS_EXACT = 19, EXPONENT_MAX = 100000 };

/* A field without the quotes and blanks around it. */
struct field {
    const char *text;
    size_t n;
    uint64_t line, column; /* both from 1 */
    bool last;             /* of its line */
};

struct table {
    const struct input *in;
    const char *at, *end;
    uint64_t line;
    enum dtype type;
    int64_t rows, columns;
};

static bool fail(const struct table *c, const struct field *f, const char *why) {
    const char *text = arena_strndup(c->in->arena, f->text, f->n < 200 ? f->n : 200);
    return input_fail(c->in, "line %" PRIu64 ", column %" PRIu64 ": '%s' %s", f->line, f->column,
                      input_show(c->in, text), why);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* A number in text: DIGITS times ten to the EXPONENT. */
struct number {
    bool negative, whole; /* whole: without point and exponent */
    char special;         /* 'i': infinite, 'n': NaN, 0: neither */
    uint64_t digits;      /* if there are not more than DIGITS_EXACT */
    uint32_t length;      /* of TEXT: significant digits */
    int32_t exponent;
    char text[FIELD_MAX + 20]; /* the digits, then "e" and the exponent */
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether the N letters at P are WORD, in capitals or not. */
static bool is_word(const char *p, size_t n, const char *word) {
    if (strlen(word) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((p[i] >= 'A' && p[i] <= 'Z' ? p[i] - 'A' + 'a' : p[i]) != word[i])
            return false;
    return true;
}

/* The digits from P to END with at most one point; returns where they end, NULL without digits. */
static const char *read_digits(const char *p, const char *end, struct number *x) {
    bool any = false, point = false;
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            x->whole = false;
            continue;
        }
        any = true;
        x->exponent -= point;
        if (x->length == 0 && *p == '0')
            continue;
        if (x->length < DIGITS_EXACT)
            x->digits = x->digits * 10 + (uint64_t)(*p - '0');
        x->text[x->length++] = *p;
    }
    return any ? p : NULL;
}

static const char *read_exponent(const char *p, const char *end, struct number *x) {
    bool negative = p < end && *p == '-';
    int32_t v = 0;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || !is_digit(*p))
        return NULL;
    for (; p < end && is_digit(*p); p++)
        v = v < EXPONENT_MAX ? v * 10 + (*p - '0') : v;
    x->exponent += negative ? -v : v;
    x->whole = false;
    return p;
}

/* Whether F is a number. */
static bool read_number(const struct field *f, struct number *x) {
    const char *p = f->text, *end = p + f->n;
    if (f->n == 0 || f->n > FIELD_MAX)
        return false;
    x->negative = *p == '-';
    x->whole = true;
    x->special = 0;
    x->digits = 0;
    x->length = 0;
    x->exponent = 0;
    if (*p == '-' || *p == '+')
        p++;
    size_t n = (size_t)(end - p);
    if (is_word(p, n, "nan") || is_word(p, n, "inf") || is_word(p, n, "infinity")) {
        x->special = *p == 'n' || *p == 'N' ? 'n' : 'i';
        x->whole = false;
        return true;
    }
    p = read_digits(p, end, x);
    if (p && p < end && (*p == 'e' || *p == 'E'))
        p = read_exponent(p + 1, end, x);
    return p == end;
}

/* Nearest to X's amount. The powers of ten up to here, and digits of so few bits, are exact, and
   one operation rounds once (Clinger, How to Read Floating Point Numbers Accurately, 1990). */
static double amount64(struct number *x) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (x->length <= DIGITS_EXACT && x->digits <= UINT64_C(1) << DBL_MANT_DIG) {
        if (x->exponent >= 0 && x->exponent <= 22)
            return (double)x->digits * tens[x->exponent];
        if (x->exponent < 0 && x->exponent >= -22)
            return (double)x->digits / tens[-x->exponent];
    }
    snprintf(x->text + x->length, 20, "%se%" PRId32, x->length ? "" : "0", x->exponent);
    return strtod(x->text, NULL);
}

static float amount32(struct number *x) {
    static const float tens[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
    if (x->length <= DIGITS_EXACT && x->digits <= UINT64_C(1) << FLT_MANT_DIG) {
        if (x->exponent >= 0 && x->exponent <= 10)
            return (float)x->digits * tens[x->exponent];
        if (x->exponent < 0 && x->exponent >= -10)
            return (float)x->digits / tens[-x->exponent];
    }
    snprintf(x->text + x->length, 20, "%se%" PRId32, x->length ? "" : "0", x->exponent);
    return strtof(x->text, NULL);
}

/* Whether X, which is whole, lies in the integer type T. */
static bool fits(const struct number *x, enum dtype t) {
    if (x->length > DIGITS_EXACT + 1)
        return false;
    uint64_t v = x->digits;
    if (x->length > DIGITS_EXACT &&
        (__builtin_mul_overflow(v, 10, &v) ||
         __builtin_add_overflow(v, (uint64_t)(x->text[DIGITS_EXACT] - '0'), &v)))
        return false;
    uint64_t most = dtypes[t].digits == 64 ? UINT64_MAX : (UINT64_C(1) << dtypes[t].digits) - 1;
    return x->negative ? v <= (dtype_is_unsigned(t) ? 0 : most + 1) : v <= most;
}

static void store(enum dtype t, void *at, struct number *x) {
    union scalar v = {0};
    if (dtype_is_int(t)) {
        uint64_t whole = x->digits;
        if (x->length > DIGITS_EXACT)
            whole = whole * 10 + (uint64_t)(x->text[DIGITS_EXACT] - '0');
        v = scalar_from_i64(t, (int64_t)(x->negative ? 0 - whole : whole));
    } else if (t == DT_f32) {
        v.f32 = x->special == 'i' ? (float)INFINITY : x->special ? (float)NAN : amount32(x);
        v.f32 = x->negative ? -v.f32 : v.f32;
    } else {
        v.f64 = x->special == 'i' ? INFINITY : x->special ? NAN : amount64(x);
        v.f64 = x->negative ? -v.f64 : v.f64;
    }
    scalar_store(t, at, v);
}

/* --- fields --------------------------------------------------------------------------------- */

static void skip_blanks(struct table *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
        c->at++;
}

/* Takes the end of a line, "\n" or "\r\n", or of the text. */
static bool take_line_end(struct table *c) {
    if (c->at == c->end)
        return true;
    const char *p = c->at + (*c->at == '\r' && c->at + 1 < c->end);
    if (*p != '\n')
        return false;
    c->at = p + 1;
    c->line++;
    return true;
}

/* What is between quotes; two in a row are one and do not end it. */
static bool take_quoted(struct table *c, struct field *f) {
    f->text = ++c->at;
    for (; c->at < c->end; c->at++) {
        if (*c->at == '\n')
            c->line++;
        if (*c->at != '"')
            continue;
        if (c->at + 1 == c->end || c->at[1] != '"')
            break;
        c->at++;
    }
    f->n = (size_t)(c->at - f->text);
    if (c->at == c->end)
        return input_fail(c->in, "line %" PRIu64 ", column %" PRIu64 ": the quote is not closed",
                          f->line, f->column);
    c->at++;
    skip_blanks(c);
    return true;
}

static void take_plain(struct table *c, struct field *f) {
    f->text = c->at;
    while (c->at < c->end && *c->at != ',' && *c->at != '\n' &&
           !(*c->at == '\r' && c->at + 1 < c->end && c->at[1] == '\n'))
        c->at++;
    f->n = (size_t)(c->at - f->text);
    while (f->n && (f->text[f->n - 1] == ' ' || f->text[f->n - 1] == '\t'))
        f->n--;
}

/* The next field of a line, with what ends it. */
static bool take_field(struct table *c, struct field *f) {
    if (!input_goes_on(c->in))
        return false;
    f->line = c->line;
    skip_blanks(c);
    if (c->at < c->end && *c->at == '"') {
        if (!take_quoted(c, f))
            return false;
    } else {
        take_plain(c, f);
    }
    f->last = true;
    if (c->at < c->end && *c->at == ',') {
        c->at++;
        f->last = false;
        return true;
    }
    return take_line_end(c) || fail(c, f, "is followed by something else than a comma");
}

/* Whether nothing but empty lines follows. */
static bool is_end(const struct table *c) {
    const char *p = c->at;
    while (p < c->end && (*p == '\n' || *p == '\r'))
        p++;
    return p == c->end;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Passes over the first line if it is a header: it has a field that is none, but no number. */
static bool skip_header(struct table *c, struct number *x) {
    struct table ahead = *c;
    struct field f = {.column = 0};
    bool words = false;
    do {
        f.column++;
        if (!take_field(&ahead, &f))
            return false;
        if (read_number(&f, x))
            return true;
        words = words || f.n;
    } while (!f.last);
    if (!words)
        return true;
    if (!text_is_utf8(c->at, (size_t)(ahead.at - c->at)))
        return input_fail(c->in, "not a text in UTF-8");
    if (is_end(&ahead))
        return input_fail(c->in, "no numbers follow the header");
    *c = ahead;
    c->columns = (int64_t)f.column;
    return true;
}

/* F, which is X if that is not NULL, must be a number of the type; without one that is asked for,
   i64 becomes f32 at the first that does not fit. */
static bool check_number(struct table *c, const struct field *f, const struct number *x) {
    if (f->n == 0)
        return input_fail(c->in, "line %" PRIu64 ", column %" PRIu64 ": the field is empty",
                          f->line, f->column);
    if (!x)
        return fail(c, f, f->n > FIELD_MAX ? ".. is longer than 2000 letters" : "is not a number");
    if (!dtype_is_int(c->type) || (x->whole && fits(x, c->type)))
        return true;
    if (c->in->wanted == DT_NONE) {
        c->type = DT_f32;
        return true;
    }
    if (!x->whole)
        return fail(c, f, "is not a whole number");
    return fail(c, f,
                arena_printf(c->in->arena, "is not in the range of %s", dtypes[c->type].name));
}

static bool check_row(struct table *c, struct number *x) {
    struct field f = {.column = 0};
    uint64_t line = c->line;
    do {
        f.column++;
        if (!take_field(c, &f))
            return false;
        if (c->rows == 0 && c->columns == 0 && f.last)
            c->columns = (int64_t)f.column;
        if (f.column == 1 && f.last && f.n == 0)
            return input_fail(c->in, "line %" PRIu64 " is empty", line);
        if (!check_number(c, &f, read_number(&f, x) ? x : NULL))
            return false;
    } while (!f.last);
    if ((int64_t)f.column != c->columns)
        return input_fail(c->in, "line %" PRIu64 " has %" PRIu64 " columns, %" PRId64 " expected",
                          line, f.column, c->columns);
    c->rows++;
    return true;
}

bool csv_read(struct input *in, struct file_tensors *out) {
    struct number *x = ARENA_NEW(in->arena, struct number);
    struct table c = {.in = in,
                      .at = (const char *)in->bytes,
                      .end = (const char *)in->bytes + in->n,
                      .line = 1,
                      .type = in->wanted == DT_NONE ? DT_i64 : in->wanted};
    if (!dtype_is_int(c.type) && c.type != DT_f32 && c.type != DT_f64)
        return input_fail(in, "numbers become f32, f64 or integers, not %s", dtypes[c.type].name);
    if (in->n >= 3 && memcmp(in->bytes, "\xef\xbb\xbf", 3) == 0)
        c.at += 3; /* a mark that the text is UTF-8 */
    if (is_end(&c))
        return input_fail(in, "there are no numbers");
    if (!skip_header(&c, x))
        return false;
    struct table rows = c;
    while (!is_end(&rows))
        if (!check_row(&rows, x))
            return false;

    struct file_tensor *t = tensor_single(in, out);
    int64_t *dims = ARENA_ARRAY(in->arena, int64_t, 2);
    dims[0] = rows.rows;
    dims[1] = rows.columns;
    t->type = rows.type;
    t->rank = 2;
    t->dims = dims;
    t->bytes = (size_t)(rows.rows * rows.columns) * dtypes[t->type].bytes;
    char *to = t->data = input_memory(in, t->bytes);
    for (size_t at = 0; to && at < t->bytes; at += dtypes[t->type].bytes) {
        struct field f;
        if (!take_field(&c, &f) || !read_number(&f, x))
            return false; /* only if the user stops it: it was looked at before */
        store(t->type, to + at, x);
    }
    return to != NULL;
}

/* --- writing -------------------------------------------------------------------------------- */

/* V as the shortest text that reads back as itself. */
static void print_value(struct buf *b, enum dtype t, union scalar v) {
    if (dtype_is_float(t))
        print_number(scalar_to_f64(t, v), t, b);
    else if (dtype_is_unsigned(t))
        buf_printf(b, "%" PRIu64, (uint64_t)scalar_to_i64(t, v));
    else
        buf_printf(b, "%" PRId64, scalar_to_i64(t, v));
}

bool csv_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    size_t bytes = 0;
    if (!output_is_single(out, n))
        return false;
    const struct file_tensor *t = &tensors[0];
    if (t->rank > 2)
        return output_fail(out, "CSV has rows and columns, the tensor has %u dimensions", t->rank);
    int64_t columns = t->rank == 2 ? t->dims[1] : 1;
    tensor_bytes(t->type, t->rank, t->dims, &bytes);
    if (bytes == 0)
        return output_fail(out, "CSV cannot say a tensor without elements");
    struct buf b = buf_new(out->arena);
    if (!output_open(out))
        return false;
    int64_t column = 0;
    for (size_t at = 0; at < bytes && !output_failed(out); at += dtypes[t->type].bytes) {
        b.n = 0;
        print_value(&b, t->type, scalar_load(t->type, (const char *)t->data + at));
        column = column + 1 == columns ? 0 : column + 1;
        buf_text(&b, column ? "," : "\n");
        output_put(out, b.at, b.n);
    }
    return output_close(out);
}
