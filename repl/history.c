/* Lines kept over sessions: in the file that DCL_HISTORY names (none if it is empty), else in
   dcl/history in the user's folder for state (XDG Base Directory Specification 0.8:
   XDG_STATE_HOME, ~/.local/state). What belongs together, as a definition over several lines, is
   one entry, and comes back as one. The file is the lines as they were typed, those that go on with
   an entry behind dots as the prompt shows them. An entry is written when it is whole, behind those
   of other sessions, so that a terminal that is closed loses nothing; a file that has become long
   is replaced by a shorter one when it is opened, while other sessions wait. */
#include "repl/prompt.h"

#include "lang/base/draft.h"

#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { HISTORY_MOST = 1000, FILE_MOST = 5 * HISTORY_MOST };
enum { ENTRY_LINES = 60 }; /* of a longer text each line is an entry */

static const char goes_on[] = "... ";

struct line_history {
    struct arena *arena;
    History *lines;
    const char *file; /* NULL: none */
};

static bool is_set(const char *text) {
    return text && *text;
}

static const char *file_name(struct arena *a) {
    const char *file = getenv("DCL_HISTORY"), *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    if (file)
        return *file ? file : NULL;
    if (is_set(state) && *state == '/') /* a relative one is to be ignored, says the page */
        return arena_printf(a, "%s/dcl/history", state);
    return is_set(home) ? arena_printf(a, "%s/.local/state/dcl/history", home) : NULL;
}

/* The folders above FILE; that one cannot be made shows when the file is opened. */
static void make_folders(struct arena *a, const char *file) {
    char *path = arena_strndup(a, file, strlen(file));
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void enter(struct line_history *h, const char *entry) {
    HistEvent event;
    history(h->lines, &event, H_ENTER, entry);
}

/* As the file has it. */
static void put_entry(void *to, int number, const char *entry) {
    struct buf *b = to;
    (void)number;
    for (const char *end; (end = strchr(entry, '\n')); entry = end + 1)
        buf_printf(b, "%.*s\n%s", (int)(end - entry), entry, goes_on);
    buf_printf(b, "%s\n", entry);
}

/* Opens the file; other sessions wait until it is closed, where the system has such locks. While
   this one waited it may have been replaced. NULL: it cannot be opened. */
static FILE *open_file(const struct line_history *h, const char *how) {
    enum { TRIES = 10 };
    struct stat opened, there;
    for (int k = 0; k < TRIES; k++) {
        FILE *f = fopen(h->file, how);
        if (!f)
            return NULL;
        flock(fileno(f), LOCK_EX);
        if (fstat(fileno(f), &opened) == 0 && stat(h->file, &there) == 0 &&
            opened.st_ino == there.st_ino)
            return f;
        fclose(f);
    }
    return NULL;
}

static void read_file(struct line_history *h) {
    FILE *f = open_file(h, "r");
    struct arena *scratch = arena_new();
    struct buf entry = buf_new(scratch);
    const size_t dots = strlen(goes_on);
    char *line = NULL;
    size_t cap = 0, n = 0;
    while (f && getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        bool more = n && strncmp(line, goes_on, dots) == 0;
        if (n && !more)
            enter(h, entry.at);
        n += !more;
        entry.n = more ? entry.n : 0;
        buf_printf(&entry, "%s%s", more ? "\n" : "", more ? line + dots : line);
    }
    if (n)
        enter(h, entry.at);
    mem_free(line);
    if (n > FILE_MOST) {
        entry.n = 0;
        history_each(h, HISTORY_MOST, put_entry, &entry);
        draft_write(scratch, h->file, entry.at, entry.n);
    }
    arena_free(scratch);
    if (f)
        fclose(f);
}

struct line_history *history_open(struct arena *a, bool kept) {
    struct line_history *h = ARENA_NEW(a, struct line_history);
    HistEvent event;
    h->arena = a;
    h->lines = history_init();
    if (!h->lines)
        return h;
    history(h->lines, &event, H_SETSIZE, HISTORY_MOST);
    history(h->lines, &event, H_SETUNIQUE, 1);
    h->file = kept ? file_name(a) : NULL;
    if (!h->file)
        return h;
    make_folders(a, h->file);
    read_file(h);
    return h;
}

void history_close(struct line_history *h) {
    if (h->lines)
        history_end(h->lines);
}

static void add_entry(struct line_history *h, const char *text, size_t n) {
    if (n == strspn(text, " \t"))
        return;
    struct arena *scratch = arena_new();
    const char *entry = arena_strndup(scratch, text, n);
    struct buf line = buf_new(scratch);
    enter(h, entry);
    put_entry(&line, 0, entry);
    FILE *f = h->file ? open_file(h, "a") : NULL;
    if (f) { /* else it cannot be written: this session has its lines all the same */
        fwrite(line.at, 1, line.n, f);
        fclose(f);
    }
    arena_free(scratch);
}

void history_add(struct line_history *h, const char *text, size_t n) {
    uint32_t lines = 1;
    while (n && strchr(" \t\n", text[n - 1]))
        n--;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    for (size_t from = 0, k; h->lines && from < n; from += k + 1) {
        k = lines > ENTRY_LINES ? strcspn(text + from, "\n") : n - from;
        add_entry(h, text + from, k);
    }
}

void history_each(struct line_history *h, int most, void (*f)(void *data, int number, const char *),
                  void *data) {
    HistEvent event;
    int n = 0, i = 0;
    if (!h->lines)
        return;
    for (int more = history(h->lines, &event, H_LAST); more != -1;
         more = history(h->lines, &event, H_PREV))
        n++;
    for (int more = history(h->lines, &event, H_LAST); more != -1;
         more = history(h->lines, &event, H_PREV))
        if (++i > n - most)
            f(data, event.num, event.str);
}

void *history_of_libedit(const struct line_history *h) {
    return h->lines;
}
