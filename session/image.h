/* Pictures: what image.c, image_text.c, plot.c and builtins_pictures.c share. */
#ifndef DCL_SESSION_IMAGE_H
#define DCL_SESSION_IMAGE_H

#include "session/state.h"

struct image {
    uint32_t width, height;
    unsigned char *rgb; /* rows from the top, three bytes each */
};

/* image.c */
struct image image_new(struct arena *a, uint32_t width, uint32_t height);
/* T as [H, W], [H, W, C] or [C, H, W] with 1 or 3 colours. Bytes and floats from 0 to 1 are what
   they are; others are stretched from the least to the largest. */
bool image_of_tensor(struct dcl_session *s, const struct tensor *t, struct span span,
                     struct image *out);
/* X in another size: means of what falls together, or pixels that are repeated. */
struct image image_resized(struct arena *a, const struct image *x, uint32_t width, uint32_t height);
/* X as a file in the format of PATH's ending. */
bool image_write(struct dcl_session *s, const struct image *x, const char *path, struct span span);
/* Whether PATH is a name that ends in END. */
bool path_ends(const char *path, const char *end);

/* image_text.c: X as characters for a terminal that understands FORM. */
void image_print(struct arena *a, const struct image *x, enum picture_form form, struct buf *out);

/* plot.c */
struct curve {
    uint32_t n;
    double *x, *y;
};
/* C as characters; braille dots on a terminal, else stars. */
void plot_print(struct arena *a, const struct curve *c, bool dots, struct buf *out);
/* To a file, by its ending: .svg or .png. */
bool plot_write(struct dcl_session *s, const struct curve *c, const char *path, struct span span);

#endif
