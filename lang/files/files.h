/* Tensor files: arrays, weights, tables, images, sound, read and written; format.def lists them.
   Reading maps the file where its format allows; the mapping is private, so writing to a tensor's
   data changes memory and never the file. While a file is mapped, other programs may replace it
   (rename), but must not cut it short. */
#ifndef DCL_LANG_FILES_FILES_H
#define DCL_LANG_FILES_FILES_H

#include "lang/base/arena.h"
#include "lang/base/diag.h"
#include "lang/scalar/scalar.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILE_RANK_MAX = 32 };
enum { FILES_TOGETHER = 2 }; /* files that files_place takes */

struct output;

/* A tensor of a file: row-major, little-endian, aligned to its element size. */
struct file_tensor {
    const char *name; /* NUL-terminated UTF-8; "" of what the file as a whole is */
    enum dtype type;
    uint32_t rank; /* up to FILE_RANK_MAX */
    const int64_t *dims;
    void *data;
    size_t bytes;             /* product of dims times element size */
    bool mapped;              /* the data lies in the mapped file: read from it when it is used */
    bool turned;              /* of a matrix: the data is that of the transpose */
    struct file_shard *shard; /* the file that it lies in, if that is another one; else NULL */
};

/* Copies N rows of T, which is turned, from row FIRST on, to TO. */
void file_tensor_turn(const struct file_tensor *t, int64_t first, int64_t n, void *to);

struct file_tensors {
    struct file_tensor *at;
    uint32_t n;
};

/* Wherever STOP is given (NULL: nobody wants to), and is not 0, what goes on ends in the error
   "interrupted" soon. It has to be there as long as A. */

/* Reads all tensors of PATH, in the file's order; what they point at lives as long as A. The
   content says what the format is, and the name where it does not. Numbers in text get the element
   type TYPE, or one that fits (DT_NONE). False after an error at AT: a file that is missing or
   malformed, named like another format, or holds an element type that DCL does not have; then *OUT
   is empty. */
bool files_read(struct arena *a, struct diags *d, struct span at, const char *path, enum dtype type,
                const volatile int *stop, struct file_tensors *out);
/* The same for a file of any kind: one tensor, its bytes as elements of TYPE, of one dimension. */
bool files_read_raw(struct arena *a, struct diags *d, struct span at, const char *path,
                    enum dtype type, const volatile int *stop, struct file_tensors *out);
/* Has T, one of files_read's, ready to be looked at: one that lies in another file has only its
   name before. False after an error in that file, told as files_read would have. */
bool files_ready(struct file_tensor *t);
/* Writes N tensors to PATH, whose suffix says the format, and which is made or replaced at once: on
   an error (full disk, no right, two tensors of one name, not exactly one where a file holds one) a
   former file stays as it was. Of each tensor bytes is not looked at: it follows from dims. A is
   for scratch. */
bool files_write(struct arena *a, struct diags *d, struct span at, const char *path,
                 const struct file_tensor *tensors, uint32_t n, const volatile int *stop);
/* Writes N bytes in the same way. */
bool files_write_bytes(struct arena *a, struct diags *d, struct span at, const char *path,
                       const void *bytes, size_t n);
/* The bytes of the file PATH, mapped as long as A lives. */
bool files_map(struct arena *a, struct diags *d, struct span at, const char *path,
               unsigned char **bytes, size_t *n);

/* A file that is to be PATH, put in pieces and seen by nobody before files_place has it there; what
   is left of it goes with A. NULL after an error; later ones are told by files_place. */
struct output *files_begin(struct arena *a, struct diags *d, const char *path,
                           const volatile int *stop);
void files_put(struct output *out, const void *bytes, size_t n);
/* N zero bytes. */
void files_zeros(struct output *out, size_t n);
/* The same with all that files_write writes already put. */
struct output *files_begin_tensors(struct arena *a, struct diags *d, const char *path,
                                   const struct file_tensor *tensors, uint32_t n,
                                   const volatile int *stop);
/* Has the N files, up to FILES_TOGETHER, take their names: all of them or, after an error, none. */
bool files_place(struct output *const *files, uint32_t n);

/* The tensor called NAME, NULL if there is none. */
struct file_tensor *files_find(const struct file_tensors *t, const char *name);
/* Suffixes of the K-th format (".jpg .jpeg"), NULL past the end. */
const char *files_suffixes(uint32_t k);

#endif
