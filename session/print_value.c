/* Values as text. Tensors look as NumPy's do (numpy.array2string with its defaults: 8 digits,
   aligned columns, the middle of more than 1000 elements left out), with element type and shape
   behind them. */
#include "session/state.h"

#include "lang/scalar/print_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 1000, EDGE = 3, WIDTH = 75, DIGITS = 8 };

/* How the elements of a tensor are written, so that they align. */
struct style {
    enum dtype type;
    bool exponent;
    int left, right; /* before the point with sign, behind it */
    int others;      /* length of the longest of nan, inf, -inf */
    bool shortened;
};

struct shown {
    const struct tensor *t;
    const char *bytes;
    struct style style;
    struct buf *out;
    size_t line; /* where the current line begins in OUT */
};

static union scalar element(const struct shown *v, int64_t at) {
    return scalar_load(v->t->dtype, v->bytes + (size_t)at * dtypes[v->t->dtype].bytes);
}

static double as_double(enum dtype t, union scalar x) {
    return scalar_to_f64(t, x);
}

static int integer_text(enum dtype t, union scalar x, int width, char *text, size_t size) {
    int64_t v = scalar_to_i64(t, x);
    return dtype_is_unsigned(t) ? snprintf(text, size, "%*llu", width, (unsigned long long)v)
                                : snprintf(text, size, "%*lld", width, (long long)v);
}

/* A point for what the locale of the embedding program puts there, which may be several bytes. */
static void plain_point(char *text) {
    char *at = text + (*text == '-');
    at += strspn(at, "0123456789");
    size_t n = strcspn(at, "0123456789e");
    if (n == 0)
        return;
    *at = '.';
    memmove(at + 1, at + n, strlen(at + n) + 1);
}

/* The shortest decimal number that reads back as X, rounded to DIGITS behind the point. */
static void number_text(const struct shown *v, union scalar x, char *text, size_t size) {
    double d = print_number_value(as_double(v->style.type, x), v->style.type);
    snprintf(text, size, v->style.exponent ? "%.*e" : "%.*f", DIGITS, d);
    plain_point(text);
}

/* Splits TEXT into what stands before the point, the digits behind it that count, the exponent. */
static void split(const char *text, int *left, int *right, const char **exponent) {
    const char *point = strchr(text, '.'), *e = strchr(text, 'e');
    *exponent = e ? e : text + strlen(text);
    *left = (int)((point ? point : *exponent) - text);
    const char *last = *exponent;
    while (point && last > point + 1 && last[-1] == '0')
        last--;
    *right = point ? (int)(last - point - 1) : 0;
}

static void float_range(double d, double *most, double *least) {
    double a = fabs(d);
    if (a > *most)
        *most = a;
    if (a > 0 && a < *least)
        *least = a;
}

/* Calls F for each element that is shown. */
static void each(struct shown *v, uint32_t d, int64_t at, void (*f)(struct shown *, int64_t)) {
    if (d == v->t->rank) {
        f(v, at);
        return;
    }
    int64_t n = v->t->dims[d].i;
    for (int64_t i = 0; i < n; i++) {
        if (v->style.shortened && n > 2 * EDGE && i == EDGE)
            i = n - EDGE;
        each(v, d + 1, at * n + i, f);
    }
}

struct spread {
    struct shown shown; /* first: each() is given it */
    double most, least;
};

static void measure_range(struct shown *v, int64_t at) {
    struct spread *r = (struct spread *)v;
    double d = as_double(v->style.type, element(v, at));
    if (isfinite(d))
        float_range(d, &r->most, &r->least);
}

static void measure_width(struct shown *v, int64_t at) {
    union scalar x = element(v, at);
    char text[400];
    int left, right = 0;
    const char *exponent;
    if (dtype_is_int(v->style.type)) {
        left = integer_text(v->style.type, x, 0, text, sizeof text);
    } else if (v->style.type == DT_bool) {
        left = x.b ? 4 : 5;
    } else {
        double d = as_double(v->style.type, x);
        int other = isfinite(d) ? 0 : isinf(d) && d < 0 ? 4 : 3;
        if (other > v->style.others)
            v->style.others = other;
        if (other)
            return;
        number_text(v, x, text, sizeof text);
        split(text, &left, &right, &exponent);
    }
    if (left > v->style.left)
        v->style.left = left;
    if (right > v->style.right)
        v->style.right = right;
}

static void choose_style(struct shown *v) {
    v->style.type = v->t->dtype;
    v->style.shortened = tensor_elements(v->t) > MANY;
    if (dtype_is_float(v->style.type)) {
        struct spread r = {*v, 0, INFINITY};
        each(&r.shown, 0, 0, measure_range);
        v->style.exponent =
            r.most > 0 && (r.most >= 1e8 || r.least < 1e-4 || r.most / r.least > 1000);
    }
    each(v, 0, 0, measure_width);
    int behind = 1 + v->style.right + (v->style.exponent ? 4 : 0);
    if (v->style.left < v->style.others - behind)
        v->style.left = v->style.others - behind;
}

/* The element in OUT, padded. */
static int format_element(const struct shown *v, int64_t at, char *out, size_t size) {
    const struct style *s = &v->style;
    union scalar x = element(v, at);
    if (dtype_is_int(s->type))
        return integer_text(s->type, x, s->left, out, size);
    if (s->type == DT_bool)
        return snprintf(out, size, "%*s", s->left, x.b ? "true" : "false");
    double d = as_double(s->type, x);
    int whole = s->left + 1 + s->right + (s->exponent ? 4 : 0);
    if (!isfinite(d))
        return snprintf(out, size, "%*s", whole, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
    char text[400];
    if (s->exponent) { /* digits beyond the shortest are those of the number, not zeros */
        snprintf(text, sizeof text, "%#.*e", s->right, d);
        plain_point(text);
        return snprintf(out, size, "%*s", whole, text);
    }
    int left, right;
    const char *exponent;
    number_text(v, x, text, sizeof text);
    split(text, &left, &right, &exponent);
    return snprintf(out, size, "%*.*s.%.*s%*s", s->left, left, text, right, text + left + 1,
                    s->right - right, "");
}

static void new_line(struct shown *v, uint32_t indent) {
    buf_text(v->out, "\n");
    v->line = v->out->n;
    for (uint32_t i = 0; i < indent; i++)
        buf_text(v->out, " ");
}

static void print_row(struct shown *v, uint32_t d, int64_t at) {
    int64_t n = v->t->dims[d].i;
    buf_text(v->out, "[");
    for (int64_t i = 0; i < n; i++) {
        char text[500];
        bool cut = v->style.shortened && n > 2 * EDGE && i == EDGE;
        int width = cut ? 3 : format_element(v, at * n + i, text, sizeof text);
        if (i) {
            if (v->out->n - v->line + (size_t)width + 1 > WIDTH - v->t->rank)
                new_line(v, d + 1);
            else
                buf_text(v->out, " ");
        }
        buf_text(v->out, cut ? "..." : text);
        if (cut)
            i = n - EDGE - 1;
    }
    buf_text(v->out, "]");
}

static void print_level(struct shown *v, uint32_t d, int64_t at) {
    if (d + 1 == v->t->rank) {
        print_row(v, d, at);
        return;
    }
    int64_t n = v->t->dims[d].i;
    buf_text(v->out, "[");
    for (int64_t i = 0; i < n; i++) {
        if (i)
            for (uint32_t k = d + 1; k < v->t->rank; k++) { /* an empty line between blocks */
                if (k + 1 < v->t->rank)
                    buf_text(v->out, "\n");
                else
                    new_line(v, d + 1);
            }
        if (v->style.shortened && n > 2 * EDGE && i == EDGE) {
            buf_text(v->out, "...");
            i = n - EDGE - 1;
            continue;
        }
        print_level(v, d + 1, at * n + i);
    }
    buf_text(v->out, "]");
}

static void print_scalar(enum dtype t, union scalar x, struct buf *out) {
    if (t == DT_bool)
        buf_text(out, x.b ? "true" : "false");
    else if (dtype_is_int(t)) {
        char text[24];
        integer_text(t, x, 0, text, sizeof text);
        buf_text(out, text);
    } else
        print_number(as_double(t, x), t, out);
}

static void print_type(const struct tensor *t, struct buf *out) {
    buf_printf(out, "%s[", dtypes[t->dtype].name);
    for (uint32_t d = 0; d < t->rank; d++)
        buf_printf(out, "%s%lld", d ? ", " : "", (long long)t->dims[d].i);
    buf_text(out, "]");
}

static void print_tensor(const struct tensor *t, struct buf *out) {
    const char *bytes = tensor_data(t)->bytes;
    if (t->rank == 0) {
        print_scalar(t->dtype, scalar_load(t->dtype, bytes), out);
        return;
    }
    if (tensor_elements(t) == 0) {
        buf_text(out, "[]  ");
        print_type(t, out);
        return;
    }
    struct shown v = {.t = t, .bytes = bytes, .out = out, .line = out->n};
    choose_style(&v);
    print_level(&v, 0, 0);
    buf_text(out, "  ");
    print_type(t, out);
}

static void print_instance(struct dcl_session *s, const struct instance *x, struct buf *out) {
    struct named_states states;
    states_list(s, out->arena, x, &states);
    buf_text(out, name_text(s->names, x->layer->def->name));
    if (states.at.n > 6) {
        int64_t all = 0;
        for (uint32_t i = 0; i < states.at.n; i++) {
            const struct state *st = states.at.at[i].state;
            int64_t n = 1;
            for (uint32_t d = 0; d < st->rank; d++)
                n *= st->dims[d];
            all += n;
        }
        buf_printf(out, ": %u tensors with %lld numbers", states.at.n, (long long)all);
        return;
    }
    buf_text(out, "(");
    for (uint32_t i = 0; i < states.at.n; i++) {
        const struct state *st = states.at.at[i].state;
        buf_printf(out, "%s%s: %s[", i ? ", " : "", states.at.at[i].name, dtypes[st->dtype].name);
        for (uint32_t d = 0; d < st->rank; d++)
            buf_printf(out, "%s%lld", d ? ", " : "", (long long)st->dims[d]);
        buf_text(out, "]");
    }
    buf_text(out, ")");
}

static void print_list(struct dcl_session *s, const struct value *v, struct buf *out) {
    buf_text(out, v->tuple ? "(" : "[");
    for (uint32_t i = 0; i < v->list->n; i++) {
        const struct value *x = &v->list->at[i];
        if (i)
            buf_text(out, ", ");
        if (x->kind == VAL_STR)
            buf_printf(out, "\"%s\"", name_text(s->names, x->str));
        else
            print_value(s, x, out);
    }
    buf_text(out, v->tuple ? ")" : "]");
}

/* A state in a list, as `params` gives them. */
static void print_state(struct dcl_session *s, const struct state *st, struct buf *out) {
    struct span nowhere = {0};
    struct data *d = state_as_shape(s, st, nowhere);
    if (d)
        print_tensor(data_tensor(s, st->dtype, st->rank, st->dims, d, (struct name){0}, nowhere),
                     out);
}

void print_value(struct dcl_session *s, const struct value *v, struct buf *out) {
    switch (v->kind) {
    case VAL_TENSOR: print_tensor(v->tensor, out); break;
    case VAL_LIST:
    case VAL_PACK: print_list(s, v, out); break;
    case VAL_INSTANCE: print_instance(s, v->instance, out); break;
    case VAL_STATE: print_state(s, v->state, out); break;
    default: value_print(s->unit.ev, v, out); break;
    }
}
