/* The object cache: one file per key, a header and the object.
   A file counts only if it belongs to this user (or root), cannot be written by others, and header,
   length and checksum agree; anything else is a miss, so a cut, mixed up or foreign file is
   compiled anew and replaced. Writers make a temporary file and rename it: readers see all or
   nothing, and who comes last wins with the same content. */
#include "backends/rt/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x313043424f4c4344) /* "DCLOBC01" */
#define OBJECT_MAX ((uint64_t)1 << 30)

struct header {
    uint64_t magic, hi, lo, length, sum;
};

/* Finds damage, not malice. */
static uint64_t checksum(const unsigned char *p, size_t n) {
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ n;
    while (n) {
        uint64_t word = 0;
        size_t step = n < sizeof word ? n : sizeof word;
        memcpy(&word, p, step);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
        p += step;
        n -= step;
    }
    return h;
}

static bool file_name(char out[PATH_MAX], const char *dir, struct rt_key key) {
    int n = snprintf(out, PATH_MAX, "%s/%016llx%016llx.o", dir, (unsigned long long)key.hi,
                     (unsigned long long)key.lo);
    return n > 0 && n < PATH_MAX;
}

static bool read_fully(int fd, void *to, size_t n) {
    char *p = to;
    while (n) {
        ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_fully(int fd, const void *from, size_t n) {
    const char *p = from;
    while (n) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

/* Code from a file that somebody else could have written is not run. */
static bool is_ours(const struct stat *st) {
    return S_ISREG(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0) &&
           !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static void *read_object(int fd, struct rt_key key, size_t *n) {
    struct stat st;
    struct header h;
    if (fstat(fd, &st) || !is_ours(&st) || !read_fully(fd, &h, sizeof h))
        return NULL;
    if (h.magic != MAGIC || h.hi != key.hi || h.lo != key.lo || h.length > OBJECT_MAX ||
        (uint64_t)st.st_size != sizeof h + h.length)
        return NULL;
    void *p = malloc(h.length + 1);
    if (!p)
        return NULL;
    if (!read_fully(fd, p, h.length) || checksum(p, h.length) != h.sum) {
        free(p);
        return NULL;
    }
    *n = h.length;
    return p;
}

bool rt_cache_read(const char *dir, struct rt_key key, void **bytes, size_t *n) {
    char path[PATH_MAX];
    *bytes = NULL;
    if (!file_name(path, dir, key))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    *bytes = read_object(fd, key, n);
    close(fd);
    return *bytes != NULL;
}

void rt_cache_release(void *bytes) {
    free(bytes);
}

/* DIR and the folders above it. */
static bool make_folders(const char *dir) {
    char path[PATH_MAX];
    size_t n = strlen(dir);
    if (n == 0 || n >= sizeof path)
        return false;
    memcpy(path, dir, n + 1);
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        char c = path[i];
        path[i] = '\0';
        if (mkdir(path, 0700) && errno != EEXIST && i == n)
            return false; /* further up it may exist and be closed to us */
        path[i] = c;
    }
    return true;
}

bool rt_cache_write(const char *dir, struct rt_key key, const void *bytes, size_t n) {
    char path[PATH_MAX], temporary[PATH_MAX];
    if (n > OBJECT_MAX || !file_name(path, dir, key))
        return false;
    int len = snprintf(temporary, sizeof temporary, "%s/new.XXXXXX", dir);
    if (len < 0 || len >= (int)sizeof temporary || !make_folders(dir))
        return false;
    int fd = mkostemp(temporary, O_CLOEXEC); /* mode 0600 */
    if (fd < 0)
        return false;
    struct header h = {MAGIC, key.hi, key.lo, n, checksum(bytes, n)};
    bool good = write_fully(fd, &h, sizeof h) && write_fully(fd, bytes, n);
    good = close(fd) == 0 && good;
    good = good && rename(temporary, path) == 0;
    if (!good)
        unlink(temporary);
    return good;
}
