/* Files that are written: under a temporary name beside the target, then renamed.
   A target that is a link stays one: the file it points at is replaced. A target that is no regular
   file (a device, a folder) is refused. The new file has the former one's mode. */
#include "lang/files/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_fail(const struct output *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(out->arena, format, args);
    va_end(args);
    diag_error(out->diags, out->at, ERR_FILE_WRITE, out->shown ? out->shown : out->path, why);
    return false;
}

/* Fills in the target's path, links resolved; *MODE is its mode, 0 if there is none yet. */
static bool find_target(struct output *out, mode_t *mode) {
    struct stat st;
    *mode = 0;
    if (stat(out->path, &st) == 0) {
        if (!S_ISREG(st.st_mode))
            return output_fail(out, S_ISDIR(st.st_mode) ? "it is a folder" : "not a regular file");
        *mode = st.st_mode & 07777;
        char *resolved = realpath(out->path, out->target);
        return resolved || output_fail(out, "%s", strerrordesc_np(errno));
    }
    if (errno != ENOENT)
        return output_fail(out, "%s", strerrordesc_np(errno));
    if (strlen(out->path) >= sizeof out->target)
        return output_fail(out, "%s", strerrordesc_np(ENAMETOOLONG));
    strcpy(out->target, out->path);
    return true;
}

/* "DIR/.dcl-PID-K", short whatever the target's name. */
static bool open_temporary(struct output *out) {
    const char *slash = strrchr(out->target, '/');
    int folder = slash ? (int)(slash - out->target) + 1 : 0;
    for (int k = 0; k < 1000; k++) {
        int n = snprintf(out->temporary, sizeof out->temporary, "%.*s.dcl-%ld-%d", folder,
                         out->target, (long)getpid(), k);
        if (n < 0 || (size_t)n >= sizeof out->temporary) {
            errno = ENAMETOOLONG;
            return false;
        }
        out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0 || errno != EEXIST)
            break;
    }
    return out->fd >= 0;
}

bool output_open(struct output *out) {
    mode_t mode;
    if (!find_target(out, &mode))
        return false;
    if (gzip_is_name(out->path, strlen(out->path)) && !gzip_begin(out))
        return false;
    if (!open_temporary(out))
        return output_fail(out, "%s", strerrordesc_np(errno));
    if (mode)
        fchmod(out->fd, mode); /* or keep the ordinary one */
    return true;
}

void output_raw(struct output *out, const void *bytes, size_t n) {
    const char *p = bytes;
    while (n && !out->error) {
        ssize_t put = write(out->fd, p, n < (size_t)1 << 30 ? n : (size_t)1 << 30);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            out->error = put < 0 ? errno : ENOSPC;
            return;
        }
        p += put;
        n -= (size_t)put;
    }
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

/* Nothing is left of it. */
static void drop(struct output *out) {
    gzip_end(out);
    if (out->fd >= 0)
        close(out->fd);
    out->fd = -1;
    unlink(out->temporary);
}

bool output_close(struct output *out) {
    flush(out);
    if (out->packer)
        gzip_put(out, "", 0, true);
    gzip_end(out);
    if (close(out->fd) && !out->error)
        out->error = errno;
    out->fd = -1;
    if (!out->error && rename(out->temporary, out->target))
        out->error = errno;
    if (!out->error)
        return true;
    drop(out);
    return output_fail(out, "%s", strerrordesc_np(out->error));
}

bool output_abandon(struct output *out, const char *why) {
    drop(out);
    return output_fail(out, "%s", out->error ? strerrordesc_np(out->error) : why);
}
