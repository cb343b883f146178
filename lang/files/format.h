/* What the formats share: the file being read, the file being written, and checks of tensors.
   Not for others: they see files.h. */
#ifndef DCL_LANG_FILES_FORMAT_H
#define DCL_LANG_FILES_FORMAT_H

#include "lang/files/files.h"

struct draft;
struct z_stream_s;

/* --- reading -------------------------------------------------------------------------------- */

/* A file that is being read: N bytes, mapped so that writing changes memory only, or unpacked. */
struct input {
    struct arena *arena;
    struct diags *diags;
    struct span at;
    const char *path;
    enum dtype wanted;        /* for numbers in text; DT_NONE: one that fits */
    const volatile int *stop; /* as files_read has it */
    unsigned char *bytes;
    size_t n, packed; /* in memory, and in the file */
};

/* Reports the error "cannot read PATH: ...", or "interrupted" if that is why. Always false. */
bool input_fail(const struct input *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* False after the error "interrupted" if the user wants to stop. To be asked in each loop whose
   time grows with the file. */
bool input_goes_on(const struct input *in);
/* Whether he does. */
bool input_stopped(const struct input *in);
/* Maps in->path; false after an error. */
bool input_open(struct input *in);
/* SIZE bytes of memory, cleared, that live as long as the arena; pages that are not used cost
   nothing. NULL after an error. */
void *input_memory(const struct input *in, size_t size);
/* What a packed file may become: memory in proportion to its size, see Note [bombs] in gzip.c.
   False after an error for more. */
bool input_bounded(const struct input *in, uint64_t size);
uint64_t input_bound(const struct input *in);
/* A name for messages: control characters replaced, long ones cut. In the arena. */
const char *input_show(const struct input *in, const char *name);

/* --- writing -------------------------------------------------------------------------------- */

/* A file that is being written: nobody sees it until it is complete. What is left of it goes with
   the arena, if memory that runs out jumps over its end. */
struct output {
    struct arena *arena;
    struct diags *diags;
    struct span at;
    const char *path;
    const volatile int *stop; /* as files_write has it */
    bool held;                /* it waits for files_place when it is complete */
    struct draft *draft;
    struct z_stream_s *packer; /* of a name that ends in .gz, else NULL */
    uint64_t written;          /* before packing */
    size_t used;               /* of buffer */
    char buffer[1 << 15];
};

/* Reports the error "cannot write PATH: ...", or "interrupted" if that is why. Always false. */
bool output_fail(const struct output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool output_open(struct output *out);
void output_put(struct output *out, const void *bytes, size_t n);
/* N zero bytes. */
void output_zeros(struct output *out, size_t n);
/* Whether what is put is put in vain: something failed, or the user wants to stop. To be asked in
   each loop whose time grows with the file. */
bool output_failed(struct output *out);
/* Puts the file in its place, unless it is held; false after an error, and then nothing is left. */
bool output_close(struct output *out);
/* Ends writing without a file, for the reason WHY. Always false. */
bool output_abandon(struct output *out, const char *why);
/* Writes to the file; what output_put and the packer call. */
void output_raw(struct output *out, const void *bytes, size_t n);
/* False after an error unless there is exactly one tensor. */
bool output_is_single(const struct output *out, uint32_t n);

/* --- gzip ----------------------------------------------------------------------------------- */

/* Whether the N letters of PATH end in .gz. */
bool gzip_is_name(const char *path, size_t n);
bool gzip_is_content(const struct input *in);
/* Makes the content what is packed in it; false after an error. */
bool gzip_unpack(struct input *in);
/* Makes out->packer; false after an error. It goes with the arena at the latest. */
bool gzip_begin(struct output *out);
/* Packs N bytes; LAST: and ends the stream. */
void gzip_put(struct output *out, const void *bytes, size_t n, bool last);
void gzip_end(struct output *out);
/* Lets zlib take its memory from lang/base. */
void gzip_memory(struct z_stream_s *z);

/* --- numbers (bytes.c) ---------------------------------------------------------------------- */

/* The number of so many BYTES at P, the lowest first; and the reverse, which gives what follows. */
uint64_t get_little(const unsigned char *p, unsigned bytes);
unsigned char *put_little(unsigned char *p, uint64_t v, unsigned bytes);
/* Turns the N elements of SIZE bytes at P around. */
void swap_bytes(unsigned char *p, size_t n, size_t size);

/* --- tensors -------------------------------------------------------------------------------- */

/* The size of a tensor in bytes; false for a negative dimension, and where the product of the
   dimensions that are not zero leaves 63 bits. */
bool tensor_bytes(enum dtype t, uint32_t rank, const int64_t *dims, size_t *bytes);
/* Whether TEXT is UTF-8 without NUL. */
bool text_is_utf8(const char *text, size_t n);
/* The first of the N names that another one equals, NULL if all differ. */
const char *find_twin(struct arena *a, const struct file_tensor *t, uint32_t n);
/* Makes DATA (in memory that may be written) a tensor's: swapped if SWAP, bools 0 or 1, moved if
   not aligned to the element size. T has type, rank, dims, bytes. False after an error. */
bool tensor_settle(const struct input *in, struct file_tensor *t, void *data, bool swap);
/* Makes *OUT one tensor without a name. */
struct file_tensor *tensor_single(const struct input *in, struct file_tensors *out);

#define FORMAT(id, suffixes, magic, words, doc)                                                    \
    bool id##_read(struct input *in, struct file_tensors *out);                                    \
    bool id##_write(struct output *out, const struct file_tensor *tensors, uint32_t n);
#include "lang/files/format.def"
#undef FORMAT

#endif
