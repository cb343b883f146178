/* Zip archives, as far as .npz needs them: members stored or deflated, sizes above 4 GiB. */
#ifndef DCL_LANG_FILES_ZIP_H
#define DCL_LANG_FILES_ZIP_H

#include "lang/files/format.h"

struct zip_member {
    const char *name; /* NUL-terminated, in the arena */
    bool deflated;
    uint32_t crc;
    uint64_t packed, size; /* bytes in the file, and of contents */
    uint64_t at;           /* of its contents in the file */
};

/* Lists the members in the order of the archive's directory; false after an error. They lie in the
   file, do not overlap, and their sizes are such as deflate can reach. */
bool zip_read(const struct input *in, struct zip_member **members, uint32_t *n);
/* The member's contents: in the file's mapping if stored, else inflated. Checked against the
   directory's checksum. NULL after an error. */
unsigned char *zip_contents(const struct input *in, const struct zip_member *m);

/* A member to be written: its contents are two pieces. */
struct zip_part {
    const char *name;
    const void *pieces[2];
    size_t sizes[2];
};

/* Writes a whole archive of stored members, each member's contents aligned to 64 bytes in the file;
   false after an error. */
bool zip_write(struct output *out, const struct zip_part *parts, uint32_t n);

#endif
