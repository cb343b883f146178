/* Files that are written: drafts (lang/base/draft.h), packed where the name says so. A target that
   is a link stays one: the file it leads to is replaced. A target that is no regular file (a
   device, a folder) is refused. */
#include "lang/files/format.h"

#include "lang/base/draft.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

enum { PIECE = 1 << 22 }; /* bytes that are written without a look at the flag */

static bool is_stopped(const struct output *out) {
    return out->stop && *out->stop;
}

bool output_fail(const struct output *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(out->arena, format, args);
    va_end(args);
    if (is_stopped(out))
        diag_error(out->diags, out->at, ERR_INTERRUPTED);
    else
        diag_error(out->diags, out->at, ERR_FILE_WRITE, out->path, why);
    return false;
}

/* Ends it, for the reason that the system gives. */
static bool fail_for(struct output *out, int error) {
    gzip_end(out);
    draft_drop(out->draft);
    return output_fail(out, "%s", strerrordesc_np(error));
}

bool output_open(struct output *out) {
    struct stat st;
    if (stat(out->path, &st) == 0 && !S_ISREG(st.st_mode))
        return output_fail(out, S_ISDIR(st.st_mode) ? "it is a folder" : "not a regular file");
    if (gzip_is_name(out->path, strlen(out->path)) && !gzip_begin(out))
        return false;
    out->draft = draft_new(out->arena);
    return draft_open(out->draft, out->path) || fail_for(out, out->draft->error);
}

bool output_failed(struct output *out) {
    if (!out->draft->error && is_stopped(out))
        out->draft->error = EINTR;
    return out->draft->error != 0;
}

void output_raw(struct output *out, const void *bytes, size_t n) {
    const char *p = bytes;
    for (size_t k; n && !output_failed(out); p += k, n -= k)
        draft_put(out->draft, p, k = n < PIECE ? n : PIECE);
}

static void pass_on(struct output *out, const void *bytes, size_t n) {
    if (out->packer)
        gzip_put(out, bytes, n, false);
    else
        output_raw(out, bytes, n);
}

static void flush(struct output *out) {
    pass_on(out, out->buffer, out->used);
    out->used = 0;
}

void output_put(struct output *out, const void *bytes, size_t n) {
    out->written += n;
    if (n > sizeof out->buffer - out->used)
        flush(out);
    if (n > sizeof out->buffer) {
        pass_on(out, bytes, n);
    } else if (n) {
        memcpy(out->buffer + out->used, bytes, n);
        out->used += n;
    }
}

void output_zeros(struct output *out, size_t n) {
    static const char zeros[64];
    for (; n; n -= n < sizeof zeros ? n : sizeof zeros)
        output_put(out, zeros, n < sizeof zeros ? n : sizeof zeros);
}

/* All that is to be in it is. */
static bool finish(struct output *out) {
    flush(out);
    if (out->packer)
        gzip_put(out, "", 0, true);
    gzip_end(out);
    return !output_failed(out) || fail_for(out, out->draft->error);
}

bool output_close(struct output *out) {
    return finish(out) &&
           (out->held || drafts_place(&out->draft, 1) || fail_for(out, out->draft->error));
}

bool output_abandon(struct output *out, const char *why) {
    gzip_end(out);
    draft_drop(out->draft);
    return output_fail(out, "%s", out->draft->error ? strerrordesc_np(out->draft->error) : why);
}

/* --- the face ------------------------------------------------------------------------------- */

void files_put(struct output *out, const void *bytes, size_t n) {
    output_put(out, bytes, n);
}

void files_zeros(struct output *out, size_t n) {
    output_zeros(out, n);
}

bool files_place(struct output *const *files, uint32_t n) {
    struct draft *drafts[FILES_TOGETHER];
    for (uint32_t i = 0; i < n; i++) {
        if (!finish(files[i]))
            return false;
        drafts[i] = files[i]->draft;
    }
    if (drafts_place(drafts, n))
        return true;
    uint32_t i = 0;
    while (!drafts[i]->error)
        i++;
    return fail_for(files[i], drafts[i]->error);
}
