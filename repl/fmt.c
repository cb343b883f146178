/* dcl fmt: programs in the one layout. A file is replaced as a whole or not at all. */
#include "repl/repl.h"

#include "lang/base/draft.h"
#include "lang/format/format.h"

#include <errno.h>
#include <string.h>

struct job {
    const char *path; /* "-": standard input */
    bool check;
};

bool replace_or_tell(struct arena *a, const char *path, const struct buf *b) {
    bool ok = draft_write(a, path, b->at, b->n);
    if (!ok)
        fprintf(stderr, "dcl: %s cannot be written: %s\n", path, strerror(errno));
    return ok;
}

static char *read_input(struct arena *a, const char *path, size_t *n, const char **why) {
    if (strcmp(path, "-") != 0)
        return source_read_text(a, path, n, why);
    struct buf b = buf_new(a);
    char part[4096];
    size_t got;
    while ((got = fread(part, 1, sizeof part, stdin)) > 0)
        buf_bytes(&b, part, got);
    *n = b.n;
    *why = "it cannot be read";
    return ferror(stdin) ? NULL : arena_strndup(a, b.n ? b.at : "", b.n);
}

static bool is_internal(const struct diags *d) {
    for (const struct diag *m = d->first; m; m = m->next)
        if (m->code == ERR_INTERNAL)
            return true;
    return false;
}

/* One file, in an arena of its own. */
static int format_file(struct arena *a, const struct job *job) {
    bool input = strcmp(job->path, "-") == 0;
    const char *name = input ? "<stdin>" : job->path, *why;
    struct buf out = buf_new(a), messages = buf_new(a);
    struct diags d;
    size_t n;
    const char *text = read_input(a, job->path, &n, &why);
    if (!text) {
        fprintf(stderr, "dcl: %s: %s\n", name, why);
        return EXIT_ERROR;
    }
    diags_init(&d, a, sources_new(a));
    bool ok = format_source(&d, sources_add(d.sources, name, text, n), &out);
    diags_print(&d, &messages, wants_colour());
    fputs(messages.n ? messages.at : "", stderr);
    if (!ok)
        return is_internal(&d) ? EXIT_BUG : EXIT_ERROR;
    bool same = out.n == n && (n == 0 || memcmp(out.at, text, n) == 0);
    if (job->check) {
        if (!same)
            printf("%s\n", name);
        return same ? EXIT_FINE : EXIT_ERROR;
    }
    if (input) {
        fwrite(out.n ? out.at : "", 1, out.n, stdout);
        return EXIT_FINE;
    }
    return same || replace_or_tell(a, job->path, &out) ? EXIT_FINE : EXIT_ERROR;
}

static int format_one(struct arena *a, const struct job *job) {
    jmp_buf no_memory, *former = arena_on_oom(&no_memory);
    int status;
    if (setjmp(no_memory) == 0) {
        status = format_file(a, job);
    } else {
        fprintf(stderr, "dcl: not enough memory for %s\n", job->path);
        status = EXIT_ERROR;
    }
    arena_on_oom(former);
    return status;
}

int command_fmt(const struct command_line *c) {
    int status = EXIT_FINE;
    for (int i = 0; i < c->files.n || i == 0; i++) {
        struct job job = {c->files.n ? c->files.at[i] : "-", option_value(c, OPTION_check) != NULL};
        struct arena *a = arena_new();
        int one = format_one(a, &job);
        arena_free(a);
        status = one > status ? one : status;
    }
    return status;
}
