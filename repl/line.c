/* Where the REPL's lines come from: libedit on a terminal (history, completion of names), else
   standard input as it is. */
#include "repl/repl.h"

#include "lang/base/buf.h"

#include <errno.h>
#include <histedit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HISTORY = 1000 };

struct line_reader {
    struct arena *arena;
    dcl_session *session;
    EditLine *edit; /* NULL: not a terminal */
    History *history;
    const char *history_file;
    bool more; /* which prompt */
    bool regular, again;
    char *line; /* of getline */
    size_t cap, n;
};

static const char *prompt(EditLine *e) {
    void *data;
    el_get(e, EL_CLIENTDATA, &data);
    return ((struct line_reader *)data)->more ? "... " : "dcl> ";
}

/* --- completion ----------------------------------------------------------------------------- */

struct candidates {
    struct arena *arena;
    char common[256]; /* what all of them begin with */
    struct buf list;
    int n;
};

static void add_candidate(void *data, const char *name) {
    struct candidates *c = data;
    if (c->n++ == 0) {
        snprintf(c->common, sizeof c->common, "%s", name);
    } else {
        size_t k = 0;
        while (c->common[k] && c->common[k] == name[k])
            k++;
        c->common[k] = '\0';
    }
    buf_printf(&c->list, "%s ", name);
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static unsigned char complete(EditLine *e, int key) {
    (void)key;
    void *data;
    el_get(e, EL_CLIENTDATA, &data);
    struct line_reader *r = data;
    const LineInfo *info = el_line(e);
    const char *from = info->cursor;
    while (from > info->buffer && is_word(from[-1]))
        from--;
    size_t n = (size_t)(info->cursor - from);
    struct candidates c = {.arena = arena_new()};
    c.list = buf_new(c.arena);
    session_names(r->session, arena_strndup(c.arena, from, n), add_candidate, &c);
    unsigned char result = CC_ERROR;
    if (c.n && strlen(c.common) > n && el_insertstr(e, c.common + n) == 0) {
        result = CC_REFRESH;
    } else if (c.n > 1 && c.list.n < 2000) {
        printf("\n%s\n", c.list.at);
        fflush(stdout);
        result = CC_REDISPLAY;
    }
    arena_free(c.arena);
    return result;
}

/* --- opening and closing -------------------------------------------------------------------- */

static void open_terminal(struct line_reader *r) {
    HistEvent event;
    const char *home = getenv("HOME");
    r->edit = el_init("dcl", stdin, stdout, stderr);
    r->history = history_init();
    if (!r->edit || !r->history) { /* no terminal that libedit knows */
        if (r->edit)
            el_end(r->edit);
        r->edit = NULL;
        return;
    }
    history(r->history, &event, H_SETSIZE, HISTORY);
    history(r->history, &event, H_SETUNIQUE, 1);
    if (home && *home) {
        r->history_file = arena_printf(r->arena, "%s/.dcl_history", home);
        history(r->history, &event, H_LOAD, r->history_file);
    }
    el_set(r->edit, EL_CLIENTDATA, r);
    el_set(r->edit, EL_PROMPT, prompt);
    el_set(r->edit, EL_EDITOR, "emacs");
    el_set(r->edit, EL_HIST, history, r->history);
    el_set(r->edit, EL_SIGNAL, 0);
    el_set(r->edit, EL_ADDFN, "dcl-complete", "completes a name", complete);
    el_set(r->edit, EL_BIND, "^I", "dcl-complete", NULL);
    el_source(r->edit, NULL);
}

struct line_reader *line_reader_new(struct arena *a, dcl_session *s) {
    struct line_reader *r = ARENA_NEW(a, struct line_reader);
    struct stat st;
    r->arena = a;
    r->session = s;
    r->regular = fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    if (isatty(STDIN_FILENO))
        open_terminal(r);
    return r;
}

void line_reader_close(struct line_reader *r) {
    HistEvent event;
    if (r->history && r->history_file)
        history(r->history, &event, H_SAVE, r->history_file);
    if (r->history)
        history_end(r->history);
    if (r->edit)
        el_end(r->edit);
    mem_free(r->line);
}

/* --- reading -------------------------------------------------------------------------------- */

/* For the history; a line that is read later is edited as it was typed. */
static void remember(struct line_reader *r, const char *line, size_t n) {
    HistEvent event;
    struct arena *scratch = arena_new();
    if (n > strspn(line, " \t"))
        history(r->history, &event, H_ENTER, arena_strndup(scratch, line, n));
    arena_free(scratch);
}

static enum line_status read_terminal(struct line_reader *r, const char **line, size_t *n) {
    int count = 0;
    errno = 0;
    const char *text = el_gets(r->edit, &count);
    if (!text || count <= 0) {
        if (errno == EINTR || interrupted()) {
            el_reset(r->edit);
            fputc('\n', stdout);
            return LINE_INTERRUPTED;
        }
        fputc('\n', stdout);
        return LINE_END;
    }
    *line = text;
    *n = (size_t)count - (text[count - 1] == '\n');
    remember(r, text, *n);
    return LINE_READ;
}

enum line_status line_read(struct line_reader *r, bool more, const char **line, size_t *n) {
    r->more = more;
    if (r->edit)
        return read_terminal(r, line, n);
    if (!r->again) {
        errno = 0;
        ssize_t got = getline(&r->line, &r->cap, stdin);
        if (got < 0) {
            bool stopped = errno == EINTR;
            clearerr(stdin);
            return stopped ? LINE_INTERRUPTED : LINE_END;
        }
        r->n = (size_t)got - (got > 0 && r->line[got - 1] == '\n');
    }
    r->again = false;
    *line = r->line;
    *n = r->n;
    return LINE_READ;
}

void line_unread(struct line_reader *r) {
    r->again = true;
}

bool line_is_terminal(const struct line_reader *r) {
    return r->edit != NULL;
}

bool line_can_look(const struct line_reader *r) {
    return r->regular;
}
