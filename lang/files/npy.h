/* The format of .npy, for npy.c and for the members of .npz. */
#ifndef DCL_LANG_FILES_NPY_H
#define DCL_LANG_FILES_NPY_H

#include "lang/files/format.h"

/* Makes the N bytes at BYTES, which may be written, the tensor *T, whose name is given. IT is what
   messages call it: "" or "member 'x': ". False after an error. */
bool npy_tensor(const struct input *in, const char *it, unsigned char *bytes, size_t n,
                struct file_tensor *t);
/* What stands before the data of T: magic and header, a multiple of 64 bytes. In the arena. */
const char *npy_prefix(struct arena *a, const struct file_tensor *t, size_t *n);

#endif
