/* `show_image` and `plot`: their arguments, and where what they make goes. */
#include "session/builtins.h"
#include "session/image.h"

/* --- images ---------------------------------------------------------------------------------- */

bool builtin_show_image(struct dcl_session *s, const struct value *x, struct name path,
                        struct span span) {
    struct image image;
    if (x->kind != VAL_TENSOR) {
        diag_error(&s->diags, span, ERR_ARG_KIND, "show_image", "the image", "a tensor",
                   value_kind_name(x));
        return false;
    }
    if (!image_of_tensor(s, x->tensor, span, &image))
        return false;
    const char *file = name_text(s->names, path);
    if (!name_none(path) && !path_ends(file, ".png") && !path_ends(file, ".jpg")) {
        diag_error(&s->diags, span, ERR_VALUE, "the name of an image's file ends in .png or .jpg");
        return false;
    }
    if (!name_none(path))
        return image_write(s, &image, file, span);
    struct buf text = buf_new(s->unit.arena);
    image_print(s->unit.arena, &image, s->picture, &text);
    session_write(s, text.at, text.n);
    return true;
}

/* --- plots ----------------------------------------------------------------------------------- */

static bool number(const struct value *v, double *out) {
    switch (v->kind) {
    case VAL_INT: *out = (double)v->i; return true;
    case VAL_FLOAT: *out = v->f; return true;
    case VAL_TENSOR:
        if (v->tensor->rank)
            return false;
        *out = scalar_to_f64(v->dtype, scalar_load(v->dtype, tensor_data(v->tensor)->bytes));
        return true;
    default: return false;
    }
}

static bool refuse(struct dcl_session *s, const struct value *v, const char *what,
                   struct span span) {
    const char *text = v->kind == VAL_TENSOR ? type_text(s->unit.ev, v->tensor)
                       : v->kind == VAL_LIST ? "a list of other things"
                                             : value_kind_name(v);
    diag_error(&s->diags, span, ERR_ARG_KIND, "plot", what,
               "a list of numbers, or a tensor of one dimension", text);
    return false;
}

/* The numbers of V, which are WHAT of a plot. */
static bool numbers(struct dcl_session *s, const struct value *v, const char *what,
                    struct span span, uint32_t *n, double **out) {
    bool fits = v->kind == VAL_LIST || (v->kind == VAL_TENSOR && v->tensor->rank == 1);
    int64_t size = !fits ? 0 : v->kind == VAL_LIST ? v->list->n : v->tensor->dims[0].i;
    if (!fits)
        return refuse(s, v, what, span);
    if (size == 0 || size > EVAL_MAX_LIST) {
        diag_error(
            &s->diags, span, ERR_VALUE,
            size ? arena_printf(s->messages, "plot: the %s are more than %d", what, EVAL_MAX_LIST)
                 : arena_printf(s->messages, "plot: there are no %s", what));
        return false;
    }
    *n = (uint32_t)size;
    *out = ARENA_ARRAY(s->unit.arena, double, size);
    for (uint32_t i = 0; i < *n; i++) {
        if (v->kind == VAL_LIST && !number(&v->list->at[i], &(*out)[i]))
            return refuse(s, v, what, span);
        if (v->kind == VAL_TENSOR) {
            const char *bytes = tensor_data(v->tensor)->bytes;
            (*out)[i] =
                scalar_to_f64(v->dtype, scalar_load(v->dtype, bytes + i * dtypes[v->dtype].bytes));
        }
    }
    return true;
}

bool builtin_plot(struct dcl_session *s, uint32_t n, const struct value *v, struct name path,
                  struct span span) {
    struct curve c = {0};
    uint32_t nx = 0;
    if ((n == 2 && !numbers(s, &v[0], "xs", span, &nx, &c.x)) ||
        !numbers(s, &v[n - 1], "ys", span, &c.n, &c.y))
        return false;
    if (n == 2 && nx != c.n) {
        diag_error(&s->diags, span, ERR_VALUE,
                   arena_printf(s->messages, "plot: there are %u xs and %u ys", nx, c.n));
        return false;
    }
    if (n == 1)
        c.x = ARENA_ARRAY(s->unit.arena, double, c.n);
    for (uint32_t i = 0; n == 1 && i < c.n; i++)
        c.x[i] = i;
    if (!name_none(path))
        return plot_write(s, &c, name_text(s->names, path), span);
    struct buf text = buf_new(s->unit.arena);
    plot_print(s->unit.arena, &c, s->picture != PICTURE_SHADES, &text);
    session_write(s, text.at, text.n);
    return true;
}
