/* Diagnostics: collected, never printed where they arise, never fatal.
   Every message is an entry of error.def; the arguments follow the entry's format. */
#ifndef DCL_LANG_BASE_DIAG_H
#define DCL_LANG_BASE_DIAG_H

#include "lang/base/buf.h"
#include "lang/base/source.h"
#include <stdarg.h>
#include <stdbool.h>

enum error_code {
#define ERROR(code, format, doc) ERR_##code,
#include "lang/base/error.def"
#undef ERROR
    ERR_COUNT
};

enum severity { SEV_ERROR, SEV_WARNING };

struct diag_note {
    struct diag_note *next;
    struct span span; /* source 0: a note without a place */
    const char *text;
};

struct diag {
    struct diag *next;
    enum error_code code;
    enum severity severity;
    struct span span;
    const char *text;   /* first line, short and factual */
    const char *detail; /* beside the caret: types and shapes of the parts; or NULL */
    const char *help;   /* a sentence, or NULL */
    struct diag_note *notes;
};

struct diags {
    struct arena *arena;
    struct sources *sources;
    struct diag *first, **last;
    uint32_t errors, warnings;
    uint32_t limit; /* further errors are counted, not kept; 0 is 100 */
};

void diags_init(struct diags *d, struct arena *a, struct sources *s);
/* The last one that was kept; NULL if there is none. */
struct diag *diags_last(const struct diags *d);
/* Forgets what was collected. */
void diags_clear(struct diags *d);
/* The plural's ending for N things. */
static inline const char *plural(int64_t n) {
    return n == 1 ? "" : "s";
}
/* Adds an error; the result takes notes and help and is never NULL. */
struct diag *diag_error(struct diags *d, struct span at, enum error_code code, ...);
struct diag *diag_warning(struct diags *d, struct span at, enum error_code code, ...);
void diag_note(struct diags *d, struct diag *to, struct span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_help(struct diags *d, struct diag *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_detail(struct diags *d, struct diag *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* All messages as text, in source order of arrival, in the form of LANGUAGE.md "Errors":
     net.dcl:14:13: error: TEXT
        14 |     h = x @ W
           |         ^~~~~  DETAIL
        note: W is declared here: net.dcl:9:3
        help: ...
   COLOUR adds terminal colours. */
void diags_print(const struct diags *d, struct buf *out, bool colour);
/* The entry's name ("SHAPE_MISMATCH") and documentation. */
const char *error_name(enum error_code code);
const char *error_doc(enum error_code code);

#endif
