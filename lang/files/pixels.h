/* Images as tensors, for png.c and jpeg.c: [height, width] of one colour, else [height, width, n].
 */
#ifndef DCL_LANG_FILES_PIXELS_H
#define DCL_LANG_FILES_PIXELS_H

#include "lang/files/format.h"

struct pixels {
    uint32_t height, width, colours; /* alpha counts as a colour */
    unsigned char *rows;             /* one after the other, without gaps */
    size_t row;                      /* bytes of one */
};

/* The only tensor of *OUT, for an image of P's sizes, cleared; its memory is P's rows. False after
   an error, for one too large for its file. */
bool pixels_new(const struct input *in, struct file_tensors *out, enum dtype type,
                struct pixels *p);
/* What is to be written: one tensor, of u8 or, if DEEP, of u16, not empty. */
bool pixels_of(const struct output *out, const struct file_tensor *tensors, uint32_t n, bool deep,
               struct pixels *p);

#endif
