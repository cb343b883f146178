/* Source texts, positions in them, and reading files.
   Each text stands in an entry with its table of line starts, built when a position is first asked
   for. A `struct source` that source_position is given must come from sources_get: it is the first
   member of its entry. One session's sources are used by one thread at a time. */
#include "lang/base/source.h"

#include "lang/base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
    struct source source; /* first: see source_position */
    struct arena *arena;
    uint32_t *lines; /* offset of each line's first byte; NULL until first asked for */
    uint32_t nlines;
};

struct sources {
    struct arena *arena;
    VEC(struct entry *) entries; /* index 0 is NULL: "no place" */
};

struct sources *sources_new(struct arena *a) {
    struct sources *s = ARENA_NEW(a, struct sources);
    s->arena = a;
    VEC_PUSH(a, s->entries, NULL);
    return s;
}

uint32_t sources_add(struct sources *s, const char *path, const char *text, size_t n) {
    struct entry *e = ARENA_NEW(s->arena, struct entry);
    e->arena = s->arena;
    e->source.path = arena_strndup(s->arena, path, strlen(path));
    e->source.text = arena_strndup(s->arena, text, n);
    e->source.n = (uint32_t)n;
    VEC_PUSH(s->arena, s->entries, e);
    return s->entries.n - 1;
}

/* NULL for index 0 and for one that was never given out. */
const struct source *sources_get(const struct sources *s, uint32_t index) {
    return index && index < s->entries.n ? &s->entries.at[index]->source : NULL;
}

static void build_lines(struct entry *e) {
    const char *text = e->source.text;
    uint32_t n = e->source.n, count = 1;
    for (uint32_t i = 0; i < n; i++)
        count += text[i] == '\n';
    uint32_t *lines = ARENA_ARRAY(e->arena, uint32_t, count);
    uint32_t line = 1;
    for (uint32_t i = 0; i < n; i++)
        if (text[i] == '\n')
            lines[line++] = i + 1;
    e->lines = lines;
    e->nlines = count;
}

/* An offset beyond the text counts as its end, which lies on the line after a last newline. */
void source_position(const struct source *s, uint32_t offset, uint32_t *line, uint32_t *column) {
    struct entry *e = (struct entry *)s;
    if (!e->lines)
        build_lines(e);
    if (offset > s->n)
        offset = s->n;
    uint32_t low = 0, high = e->nlines; /* lines[low] <= offset < lines[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (e->lines[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    *line = low + 1;
    *column = offset - e->lines[low] + 1;
}

/* The descriptor hangs on the arena while memory is asked for: see Note [out of memory]. */
struct open_file {
    int fd;
};

static void close_file(void *data) {
    struct open_file *f = data;
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

static const char *reason(int error) {
    const char *text = strerrordesc_np(error); /* in English, whatever the locale */
    return text ? text : "unknown error";
}

/* Reads F to its end. SIZE is what the file system says and only a first guess: pipes say 0, and a
   file may change while it is read. */
static char *read_all(struct arena *a, struct open_file *f, size_t size, size_t *n,
                      const char **why) {
    const size_t limit = (size_t)1 << 30;
    size_t cap = size + 2, have = 0; /* the NUL, and a byte that finds the end without growing */
    char *text = arena_alloc(a, cap);
    for (;;) {
        ssize_t got = read(f->fd, text + have, cap - 1 - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            *why = reason(errno);
            return NULL;
        }
        if (got == 0)
            break;
        have += (size_t)got;
        if (have > limit) {
            *why = "larger than 1 GiB";
            return NULL;
        }
        if (have == cap - 1) {
            char *grown = arena_alloc(a, cap = cap < 2048 ? 4096 : cap * 2);
            text = memcpy(grown, text, have);
        }
    }
    text[have] = '\0';
    *n = have;
    return text;
}

char *source_read_file(struct arena *a, const char *path, size_t *n, const char **why) {
    struct open_file *f = ARENA_NEW(a, struct open_file);
    f->fd = -1;
    arena_on_free(a, close_file, f);
    f->fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (f->fd < 0 || fstat(f->fd, &st) < 0) {
        *why = reason(errno);
        close_file(f);
        return NULL;
    }
    char *text = NULL;
    if (S_ISDIR(st.st_mode))
        *why = reason(EISDIR);
    else if (st.st_size > (off_t)1 << 30)
        *why = "larger than 1 GiB";
    else
        text = read_all(a, f, S_ISREG(st.st_mode) ? (size_t)st.st_size : 0, n, why);
    close_file(f);
    return text;
}

bool source_is_text(const char *text, size_t n, const char **why) {
    bool zeros = n && memchr(text, '\0', n);
    if (zeros && why)
        *why = "it holds zero bytes, so it is no text";
    return !zeros;
}

char *source_read_text(struct arena *a, const char *path, size_t *n, const char **why) {
    char *text = source_read_file(a, path, n, why);
    return text && source_is_text(text, *n, why) ? text : NULL;
}
