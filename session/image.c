/* Tensors as images. */
#include "session/image.h"

#include <math.h>
#include <string.h>

struct image image_new(struct arena *a, uint32_t width, uint32_t height) {
    struct image x = {width, height, NULL};
    x.rgb = arena_alloc(a, (size_t)3 * width * height);
    return x;
}

enum { SIDE_MOST = 1 << 14 };

/* Where the element of a row, column and colour lies in a tensor. */
struct axes {
    int64_t height, width, colours;
    int64_t row, column, colour; /* steps, in elements */
};

static bool is_colours(int64_t n) {
    return n == 1 || n == 3;
}

static bool find_axes(const struct tensor *t, struct axes *a) {
    int64_t d[3] = {0, 0, 1};
    for (uint32_t i = 0; i < t->rank && i < 3; i++)
        d[i] = t->dims[i].i;
    if (t->rank == 2 || (t->rank == 3 && is_colours(d[2])))
        *a = (struct axes){d[0], d[1], d[2], d[1] * d[2], d[2], 1};
    else if (t->rank == 3 && is_colours(d[0]))
        *a = (struct axes){d[1], d[2], d[0], d[2], 1, d[1] * d[2]};
    else
        return false;
    return a->height > 0 && a->width > 0 && a->height <= SIDE_MOST && a->width <= SIDE_MOST;
}

static double element(const struct tensor *t, int64_t at) {
    const char *bytes = tensor_data(t)->bytes;
    return scalar_to_f64(t->dtype,
                         scalar_load(t->dtype, bytes + (size_t)at * dtypes[t->dtype].bytes));
}

/* What is black and what white. */
static void find_range(const struct tensor *t, double *least, double *most) {
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0, n = tensor_elements(t); i < n; i++) {
        double v = element(t, i);
        if (isfinite(v)) {
            lo = fmin(lo, v);
            hi = fmax(hi, v);
        }
    }
    bool is_float = dtype_is_float(t->dtype), unit = lo >= 0 && hi <= 1;
    if (t->dtype == DT_u8 || t->dtype == DT_bool || (is_float && unit)) {
        lo = 0;
        hi = t->dtype == DT_u8 ? 255 : 1;
    }
    *least = lo;
    *most = hi > lo ? hi : lo + 1;
}

bool image_of_tensor(struct dcl_session *s, const struct tensor *t, struct span span,
                     struct image *out) {
    struct axes a;
    double least, most;
    if (!find_axes(t, &a)) {
        struct diag *d = diag_error(&s->diags, span, ERR_ARG_KIND, "show_image", "the image",
                                    "[H, W], [H, W, C] or [C, H, W] with 1 or 3 colours",
                                    type_text(s->unit.ev, t));
        if (t->rank == 4)
            diag_help(&s->diags, d, "x[0] is the first of several images");
        return false;
    }
    find_range(t, &least, &most);
    *out = image_new(s->unit.arena, (uint32_t)a.width, (uint32_t)a.height);
    unsigned char *to = out->rgb;
    for (int64_t y = 0; y < a.height; y++)
        for (int64_t x = 0; x < a.width; x++)
            for (int64_t c = 0; c < 3; c++) {
                int64_t colour = a.colours == 3 ? c : 0;
                double v = element(t, y * a.row + x * a.column + colour * a.colour);
                double k = 255 * (v - least) / (most - least);
                *to++ = (unsigned char)(k > 0 ? fmin(k + 0.5, 255) : 0); /* NaN is black */
            }
    return true;
}

struct image image_resized(struct arena *a, const struct image *x, uint32_t width,
                           uint32_t height) {
    struct image y = image_new(a, width, height);
    for (uint32_t row = 0; row < height; row++)
        for (uint32_t column = 0; column < width; column++) {
            uint32_t top = (uint32_t)((uint64_t)row * x->height / height);
            uint32_t left = (uint32_t)((uint64_t)column * x->width / width);
            uint32_t bottom = (uint32_t)((uint64_t)(row + 1) * x->height / height);
            uint32_t right = (uint32_t)((uint64_t)(column + 1) * x->width / width);
            bottom = bottom > top ? bottom : top + 1;
            right = right > left ? right : left + 1;
            for (uint32_t c = 0; c < 3; c++) {
                uint64_t sum = 0;
                for (uint32_t i = top; i < bottom; i++)
                    for (uint32_t k = left; k < right; k++)
                        sum += x->rgb[3 * ((size_t)i * x->width + k) + c];
                uint64_t n = (uint64_t)(bottom - top) * (right - left);
                y.rgb[3 * ((size_t)row * width + column) + c] = (unsigned char)((sum + n / 2) / n);
            }
        }
    return y;
}

bool image_write(struct dcl_session *s, const struct image *x, const char *path, struct span span) {
    const int64_t dims[] = {x->height, x->width, 3};
    struct file_tensor t = {.name = "", .type = DT_u8, .rank = 3, .dims = dims, .data = x->rgb};
    return files_write(arena_under(s->unit.arena), &s->diags, span, path, &t, 1, &s->stop);
}

bool path_ends(const char *path, const char *end) {
    size_t n = strlen(path), k = strlen(end);
    return n > k && strcmp(path + n - k, end) == 0;
}
