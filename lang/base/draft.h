/* Files that are written whole or not at all: a draft is what a file is going to be, and takes its
   name, perhaps in the place of a former file, when it is complete and on the disk. Until then
   nobody sees it, and whatever ends the program before, a signal or a crash, leaves nothing of it
   behind: see Note [without a name] in draft.c. */
#ifndef DCL_LANG_BASE_DRAFT_H
#define DCL_LANG_BASE_DRAFT_H

#include "lang/base/arena.h"
#include <stdbool.h>
#include <stddef.h>

struct draft {
    int error; /* errno of what failed first, or 0; once it is set, nothing more is written */
    int fd;    /* -1: it is not open */
    bool direct, named, exchanged, fresh;
    char *target, *temporary;
};

/* A draft that is not open; what is left of it goes with A at the latest. */
struct draft *draft_new(struct arena *a);
/* Begins what is to become PATH or, where that is a link, what it leads to, with the former file's
   mode. What is there and is no regular file (a pipe, a terminal) is written to as it is. False
   with D->error. */
bool draft_open(struct draft *d, const char *path);
void draft_put(struct draft *d, const void *bytes, size_t n);
/* Has the N drafts take their names: all of them or, false with the error of one, none. */
bool drafts_place(struct draft *const *d, size_t n);
/* Nothing is left of it. */
void draft_drop(struct draft *d);
/* PATH gets N bytes, all of this at once; false with errno. */
bool draft_write(struct arena *a, const char *path, const void *bytes, size_t n);

#endif
