/* Files that are read: mappings, memory, messages.
   Mappings hang on the arena before they are made, so nothing is left open when memory runs out on
   the way. */
#include "lang/files/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool input_fail(const struct input *in, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(in->arena, format, args);
    va_end(args);
    if (input_stopped(in))
        diag_error(in->diags, in->at, ERR_INTERRUPTED);
    else
        diag_error(in->diags, in->at, ERR_FILE_READ, in->path, why);
    return false;
}

bool input_stopped(const struct input *in) {
    return in->stop && *in->stop;
}

bool input_goes_on(const struct input *in) {
    return !input_stopped(in) || input_fail(in, "it is not read to its end");
}

enum { MAPPED_MIN = 1 << 17 };

struct mapping {
    void *at; /* NULL: none */
    size_t n;
    int fd;
};

static void close_mapping(void *data) {
    struct mapping *m = data;
    if (m->at)
        munmap(m->at, m->n);
    if (m->fd >= 0)
        close(m->fd);
    *m = (struct mapping){.fd = -1};
}

static struct mapping *new_mapping(struct arena *a) {
    struct mapping *m = ARENA_NEW(a, struct mapping);
    m->fd = -1;
    arena_on_free(a, close_mapping, m);
    return m;
}

bool input_open(struct input *in) {
    struct mapping *m = new_mapping(in->arena);
    struct stat st;
    /* Not blocking: opening a pipe would wait for its writer. */
    m->fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (m->fd < 0 || fstat(m->fd, &st) < 0)
        return input_fail(in, "%s", strerrordesc_np(errno));
    if (!S_ISREG(st.st_mode))
        return input_fail(in, "not a regular file");
    if (st.st_size == 0)
        return input_fail(in, "the file is empty");
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, m->fd, 0);
    int error = errno;
    close(m->fd);
    m->fd = -1;
    if (p == MAP_FAILED)
        return input_fail(in, "%s", strerrordesc_np(error));
    m->at = p;
    m->n = (size_t)st.st_size;
    in->bytes = p;
    in->n = in->packed = m->n;
    return true;
}

void *input_memory(const struct input *in, size_t size) {
    if (size < MAPPED_MIN) /* a process may have some ten thousand mappings */
        return arena_alloc(in->arena, size);
    struct mapping *m = new_mapping(in->arena);
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        input_fail(in, "not enough memory for %zu bytes", size);
        return NULL;
    }
    m->at = p;
    m->n = size;
    return p;
}

const char *input_show(const struct input *in, const char *name) {
    enum { SHOWN = 80 };
    size_t n = strnlen(name, SHOWN + 1);
    bool cut = n > SHOWN;
    if (cut)
        for (n = SHOWN; n && ((unsigned char)name[n] & 0xc0) == 0x80;)
            n--; /* not within a character */
    char *text = arena_printf(in->arena, "%.*s%s", (int)n, name, cut ? "..." : "");
    bool valid = text_is_utf8(text, strlen(text));
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f || (!valid && (unsigned char)*p > 0x7f))
            *p = '?';
    return text;
}

bool files_map(struct arena *a, struct diags *d, struct span at, const char *path,
               unsigned char **bytes, size_t *n) {
    struct input in = {.arena = a, .diags = d, .at = at, .path = path};
    if (!input_open(&in))
        return false;
    *bytes = in.bytes;
    *n = in.n;
    return true;
}
