/* Files that are written whole or not at all.

   Note [without a name]
   A draft is a file without a name (O_TMPFILE), in the folder where it is to be; the system forgets
   it with the program, however that ends. When it is whole it gets a temporary name, since a link
   cannot take the place of a file, and that is changed to its own at once: meanwhile signals wait.
   Where the file system has no files without names, or the program cannot name one (there is no
   /proc), the draft has the temporary name, .dcl-PID-NUMBER, from the beginning, and a signal may
   leave it there.

   Of several drafts that belong together each changes places with the former file of its name, so
   that, should one of them fail, the former files can change back. */
#include "lang/base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, TRIES = 1000 };

static void drop_data(void *draft) {
    draft_drop(draft);
}

struct draft *draft_new(struct arena *a) {
    struct draft *d = ARENA_NEW(a, struct draft);
    d->fd = -1;
    d->target = arena_alloc(a, PATH_MAX);
    d->temporary = arena_alloc(a, PATH_MAX);
    arena_on_free(a, drop_data, d);
    return d;
}

static bool fail(struct draft *d, int error) {
    if (!d->error)
        d->error = error;
    return false;
}

/* The length of the folder of PATH, with its slash. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Makes the target what the link that it is leads to; it need not be there. */
static bool follow(struct draft *d) {
    char to[PATH_MAX];
    for (int k = 0; k < LINKS_MAX; k++) {
        ssize_t n = readlink(d->target, to, sizeof to);
        if (n < 0)
            return errno == EINVAL || errno == ENOENT || fail(d, errno); /* no link, or nothing */
        size_t folder = to[0] == '/' ? 0 : (size_t)folder_length(d->target);
        if (folder + (size_t)n >= PATH_MAX)
            return fail(d, ENAMETOOLONG);
        memcpy(d->target + folder, to, (size_t)n);
        d->target[folder + (size_t)n] = '\0';
    }
    return fail(d, ELOOP);
}

/* Makes a temporary name; TRY of it gives -1 with errno where it cannot be taken. */
static bool take_name(struct draft *d, int (*try)(struct draft *d)) {
    int folder = folder_length(d->target);
    for (int k = 0; k < TRIES; k++) {
        int n = snprintf(d->temporary, PATH_MAX, "%.*s.dcl-%ld-%d", folder, d->target,
                         (long)getpid(), k);
        if (n < 0 || n >= PATH_MAX)
            return fail(d, ENAMETOOLONG);
        if (try(d) >= 0)
            return d->named = true;
        if (errno != EEXIST)
            break;
    }
    return fail(d, errno);
}

static int open_named(struct draft *d) {
    return d->fd = open(d->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* How the system calls the open file. */
struct descriptor_path {
    char text[40];
};

static struct descriptor_path path_of(const struct draft *d) {
    struct descriptor_path p;
    snprintf(p.text, sizeof p.text, "/proc/self/fd/%d", d->fd);
    return p;
}

static int link_name(struct draft *d) {
    return linkat(AT_FDCWD, path_of(d).text, AT_FDCWD, d->temporary, AT_SYMLINK_FOLLOW);
}

static bool open_nameless(struct draft *d) {
    int n = folder_length(d->target);
    snprintf(d->temporary, PATH_MAX, "%.*s", n ? n : 1, n ? d->target : ".");
    d->fd = open(d->temporary, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (d->fd >= 0 && access(path_of(d).text, F_OK) == 0)
        return true;
    if (d->fd >= 0)
        close(d->fd);
    else if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) /* of old systems, too */
        return fail(d, errno);
    return take_name(d, open_named);
}

bool draft_open(struct draft *d, const char *path) {
    struct stat st, found;
    bool there = stat(path, &st) == 0;
    if (!there && errno != ENOENT)
        return fail(d, errno);
    if (there && !S_ISREG(st.st_mode)) {
        d->direct = true;
        d->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        return d->fd >= 0 || fail(d, errno);
    }
    if (strlen(path) >= PATH_MAX)
        return fail(d, ENAMETOOLONG);
    strcpy(d->target, path);
    if (!follow(d))
        return false;
    /* A link of /proc may lead to a file that has lost its name. */
    if (there && (stat(d->target, &found) || found.st_ino != st.st_ino))
        return fail(d, ENOENT);
    if (!open_nameless(d))
        return false;
    if (there)
        fchmod(d->fd, st.st_mode & 07777); /* or keep the ordinary one */
    return true;
}

void draft_put(struct draft *d, const void *bytes, size_t n) {
    const char *p = bytes;
    while (n && !d->error) {
        ssize_t put = write(d->fd, p, n < (size_t)1 << 30 ? n : (size_t)1 << 30);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            fail(d, put < 0 ? errno : ENOSPC);
            return;
        }
        p += put;
        n -= (size_t)put;
    }
}

void draft_drop(struct draft *d) {
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
    if (d->named)
        unlink(d->temporary);
    d->named = false;
}

/* --- placing ---------------------------------------------------------------------------------- */

static bool sync_draft(struct draft *d) {
    while (!d->error && !d->direct && fsync(d->fd))
        if (errno != EINTR)
            return errno == EINVAL || fail(d, errno); /* EINVAL: there is nothing like it here */
    return !d->error;
}

/* Closes it under a temporary name. */
static bool name_draft(struct draft *d) {
    if (!d->direct && !d->named && !take_name(d, link_name))
        return false;
    int fd = d->fd;
    d->fd = -1;
    return close(fd) == 0 || fail(d, errno);
}

/* Gives it its own name; if UNDO, so that take_back can make that undone. */
static bool rename_draft(struct draft *d, bool undo) {
    if (d->direct)
        return true;
    if (undo && renameat2(AT_FDCWD, d->temporary, AT_FDCWD, d->target, RENAME_EXCHANGE) == 0)
        return d->exchanged = true;
    if (undo && errno != ENOENT && errno != EINVAL && errno != ENOSYS)
        return fail(d, errno);
    d->fresh = undo && errno == ENOENT;
    if (rename(d->temporary, d->target))
        return fail(d, errno);
    d->named = false;
    return true;
}

static void take_back(struct draft *d) {
    if (d->exchanged)
        renameat2(AT_FDCWD, d->temporary, AT_FDCWD, d->target, RENAME_EXCHANGE);
    else if (d->fresh)
        unlink(d->target);
}

static bool place(struct draft *const *d, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (!name_draft(d[k]))
            return false;
    for (size_t k = 0; k < n; k++)
        if (!rename_draft(d[k], k + 1 < n)) {
            while (k-- > 0)
                take_back(d[k]);
            return false;
        }
    return true;
}

bool drafts_place(struct draft *const *d, size_t n) {
    sigset_t all, before;
    bool ok = true;
    for (size_t k = 0; k < n && ok; k++)
        ok = sync_draft(d[k]);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ok = ok && place(d, n);
    for (size_t k = 0; k < n; k++) /* also the former file that one has changed places with */
        draft_drop(d[k]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

bool draft_write(struct arena *a, const char *path, const void *bytes, size_t n) {
    struct draft *d = draft_new(a);
    bool ok = draft_open(d, path);
    if (ok) {
        draft_put(d, bytes, n);
        ok = drafts_place(&d, 1);
    }
    draft_drop(d);
    errno = d->error;
    return ok;
}
