/* Where the REPL's lines come from: libedit on a terminal, else standard input as it is.

   Note [pasting]
   A terminal that can (bracketed paste of xterm) puts marks around a text that is pasted. It is
   then taken as a whole: its lines wait here, and what reads them can tell that they are one text,
   which means what it means in a file. What stands behind its last end of a line goes into the line
   editor, to be gone on with. Of other terminals a pasted text is lines that come fast.
   An entry of the history that has several lines is taken in the same way. */
#include "repl/prompt.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static const char paste_begin[] = "\033[200~", paste_end[] = "\033[201~";

enum { INPUT = 1 << 16 };

struct line_reader {
    struct arena *arena;
    dcl_session *session;
    enum picture_form *pictures;
    EditLine *edit; /* NULL: not a terminal */
    char *input;    /* then: INPUT bytes, of which those from INPUT_AT to INPUT_N are to be read */
    size_t input_at, input_n;
    bool partial, skips; /* a line has been read in part; the rest of it is to be dropped */
    struct line_history *history;
    bool more; /* which prompt */
    bool marks;
    bool regular, again;
    struct arena *pasted; /* of PASTE */
    struct buf paste;     /* what waits, see Note [pasting] */
    size_t paste_at;
    bool shown; /* it is on the terminal */
    char *line;
    size_t cap, n;
};

static struct line_reader *reader_of(EditLine *e) {
    void *data;
    el_get(e, EL_CLIENTDATA, &data);
    return data;
}

static const char *prompt_text(const struct line_reader *r) {
    return r->more ? "... " : "dcl> ";
}

static const char *prompt(EditLine *e) {
    return prompt_text(reader_of(e));
}

/* --- keys ------------------------------------------------------------------------------------ */

enum { COLUMNS = 80, SHOWN_MOST = 200 };

static void show_completions(const struct completions *c) {
    struct winsize window = {0};
    size_t width = 0, columns = COLUMNS, shown = c->at.n < SHOWN_MOST ? c->at.n : SHOWN_MOST;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col)
        columns = window.ws_col;
    for (size_t i = 0; i < shown; i++)
        width = strlen(c->at.at[i]) + 2 > width ? strlen(c->at.at[i]) + 2 : width;
    size_t across = columns / width ? columns / width : 1, rows = (shown + across - 1) / across;
    printf("\n");
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = row; i < shown; i += rows)
            printf("%-*s", i + rows < shown ? (int)width : 0, c->at.at[i]);
        printf("\n");
    }
    if (c->at.n > shown)
        printf("and %u more\n", (unsigned)(c->at.n - shown));
    fflush(stdout);
}

/* How many bytes all begin with. */
static size_t common(const struct completions *c) {
    size_t n = strlen(c->at.at[0]);
    for (uint32_t i = 1; i < c->at.n; i++) {
        size_t k = 0;
        while (k < n && c->at.at[i][k] == c->at.at[0][k])
            k++;
        n = k;
    }
    return n;
}

static unsigned char on_tab(EditLine *e, int key) {
    (void)key;
    struct line_reader *r = reader_of(e);
    const LineInfo *info = el_line(e);
    size_t n = (size_t)(info->cursor - info->buffer);
    struct arena *a = arena_under(r->arena);
    char *line = arena_strndup(a, info->buffer, n);
    struct completions c = complete_line(a, r->session, line, n);
    unsigned char result = CC_ERROR;
    size_t known = n - c.from, all = c.at.n ? common(&c) : 0;
    bool differs = all && (all > known || strncmp(c.at.at[0], line + c.from, known) != 0);
    if (c.at.n && differs && (all >= known || c.at.n == 1)) {
        el_deletestr(e, (int)known);
        result = el_insertstr(e, arena_strndup(a, c.at.at[0], all)) == 0 ? CC_REFRESH : CC_ERROR;
    } else if (c.at.n > 1) {
        show_completions(&c);
        result = CC_REDISPLAY;
    }
    arena_free(a);
    return result;
}

/* The next character of the terminal, as libedit asks for it: 1, or 0 at its end, or -1. */
static int next_character(EditLine *e, wchar_t *c) {
    (void)e;
    mbstate_t state;
    memset(&state, 0, sizeof state);
    for (;;) {
        char byte;
        if (!interrupt_or_input(STDIN_FILENO)) {
            errno = EINTR;
            return -1;
        }
        ssize_t n = read(STDIN_FILENO, &byte, 1);
        if (n < 0 && errno == EAGAIN)
            continue;
        if (n <= 0)
            return (int)n;
        size_t took = mbrtowc(c, &byte, 1, &state);
        if (took == (size_t)-1) /* no character: what was read of it is dropped */
            memset(&state, 0, sizeof state);
        else if (took != (size_t)-2)
            return 1;
    }
}

/* Reads up to the mark behind a pasted text; ends of lines become '\n'. */
static void read_pasted(EditLine *e, struct buf *text) {
    const size_t mark = sizeof paste_end - 1;
    mbstate_t state;
    wchar_t wide;
    memset(&state, 0, sizeof state);
    while (el_wgetc(e, &wide) == 1) {
        char bytes[32];
        size_t n = wcrtomb(bytes, wide, &state);
        if (n == (size_t)-1)
            continue;
        buf_bytes(text, bytes, n);
        if (text->n >= mark && memcmp(text->at + text->n - mark, paste_end, mark) == 0) {
            text->n -= mark;
            break;
        }
    }
    size_t to = 0;
    for (size_t i = 0; i < text->n; i++) {
        char c = text->at[i];
        if (c == '\r' && i + 1 < text->n && text->at[i + 1] == '\n')
            continue;
        c = c == '\r' ? '\n' : c;
        if (c == '\n' || c == '\t' || (unsigned char)c >= ' ')
            text->at[to++] = c;
    }
    text->at[text->n = to] = '\0';
}

static unsigned char on_paste(EditLine *e, int key) {
    (void)key;
    struct line_reader *r = reader_of(e);
    struct arena *a = arena_under(r->arena);
    const LineInfo *info = el_line(e);
    size_t before = (size_t)(info->cursor - info->buffer);
    size_t all = (size_t)(info->lastchar - info->buffer);
    const char *line = arena_strndup(a, info->buffer, all);
    struct buf text = buf_new(a);
    read_pasted(e, &text);
    unsigned char result = CC_REFRESH;
    char *end = strchr(text.at, '\n');
    if (!end) {
        el_insertstr(e, text.at);
    } else { /* all but the first line waits */
        arena_reset(r->pasted);
        r->paste = buf_new(r->pasted);
        buf_text(&r->paste, end + 1);
        buf_text(&r->paste, line + before);
        r->paste_at = 0;
        r->shown = false;
        *end = '\0';
        el_cursor(e, (int)(all - before));
        el_deletestr(e, (int)(all - before));
        el_insertstr(e, text.at);
        el_insertstr(e, "\n");
        result = CC_NEWLINE;
    }
    arena_free(a);
    return result;
}

/* The terminal answers after all what pictures.c has asked: the rest of ESC [ ? NUMBER ; .. c. */
static unsigned char on_answer(EditLine *e, int key) {
    (void)key;
    const struct line_reader *r = reader_of(e);
    char answer[100] = ";";
    size_t n = 1;
    wchar_t c = 0;
    while (n < sizeof answer - 1 && el_wgetc(e, &c) == 1) {
        answer[n++] = c < 0x80 ? (char)c : ' ';
        if (c != L';' && (c < L'0' || c > L'9'))
            break;
    }
    bool asked = *r->pictures == PICTURE_SHADES || *r->pictures == PICTURE_BLOCKS;
    if (c == L'c' && asked && answer_has_sixel(answer)) {
        *r->pictures = PICTURE_SIXEL;
        session_pictures(r->session, *r->pictures);
    }
    return CC_NORM;
}

/* What a terminal with kitty's protocol may say of an image: the rest of ESC _ G .. ESC \ */
static unsigned char on_report(EditLine *e, int key) {
    (void)key;
    wchar_t c = 0, former = 0;
    for (int n = 0; n < 1000 && el_wgetc(e, &c) == 1; n++, former = c)
        if (c == L'\a' || (c == L'\\' && former == L'\033'))
            break;
    return CC_NORM;
}

/* --- opening and closing --------------------------------------------------------------------- */

static void open_terminal(struct line_reader *r) {
    const char *term = getenv("TERM");
    if (!setlocale(LC_CTYPE, "")) /* libedit reads characters, not bytes */
        setlocale(LC_CTYPE, "C.UTF-8");
    r->edit = el_init("dcl", stdin, stdout, stderr);
    if (!r->edit) /* no terminal that libedit knows */
        return;
    r->marks = term && *term && strcmp(term, "dumb") != 0;
    el_set(r->edit, EL_CLIENTDATA, r);
    el_set(r->edit, EL_PROMPT, prompt);
    el_set(r->edit, EL_EDITOR, "emacs");
    el_set(r->edit, EL_SIGNAL, 0);
    el_set(r->edit, EL_GETCFN, next_character);
    el_set(r->edit, EL_ADDFN, "dcl-complete", "completes what stands before", on_tab);
    el_set(r->edit, EL_BIND, "^I", "dcl-complete", NULL);
    el_set(r->edit, EL_ADDFN, "dcl-paste", "takes a text that is pasted", on_paste);
    el_set(r->edit, EL_BIND, paste_begin, "dcl-paste", NULL);
    el_set(r->edit, EL_ADDFN, "dcl-answer", "takes the terminal's attributes", on_answer);
    el_set(r->edit, EL_BIND, "\033[?", "dcl-answer", NULL);
    el_set(r->edit, EL_ADDFN, "dcl-report", "takes the terminal's report of an image", on_report);
    el_set(r->edit, EL_BIND, "\033_G", "dcl-report", NULL);
    el_source(r->edit, NULL);
}

struct line_reader *line_reader_new(struct arena *a, dcl_session *s, enum picture_form *pictures) {
    struct line_reader *r = ARENA_NEW(a, struct line_reader);
    struct stat st;
    r->arena = a;
    r->session = s;
    r->pictures = pictures;
    r->regular = fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    r->pasted = arena_new();
    r->paste = buf_new(r->pasted);
    if (isatty(STDIN_FILENO))
        open_terminal(r);
    if (!r->edit)
        r->input = arena_alloc(a, INPUT);
    r->history = history_open(a, r->edit != NULL);
    if (r->edit && history_of_libedit(r->history))
        el_set(r->edit, EL_HIST, history, history_of_libedit(r->history));
    return r;
}

void line_reader_close(struct line_reader *r) {
    history_close(r->history);
    if (r->edit)
        el_end(r->edit);
    arena_free(r->pasted);
    mem_free(r->line);
}

void line_reader_session(struct line_reader *r, dcl_session *s) {
    r->session = s;
}

void line_typed(struct line_reader *r, const char *keys) {
    if (r->edit && *keys)
        el_push(r->edit, keys);
}

/* --- reading --------------------------------------------------------------------------------- */

/* The next line of what was pasted, with its end; false if only a part of one is left. */
static bool take_pasted(struct line_reader *r) {
    const char *from = r->paste.at + r->paste_at, *end = strchr(from, '\n');
    if (!end)
        return false;
    r->line = mem_realloc(r->line, (size_t)(end - from) + 1);
    r->cap = (size_t)(end - from) + 1;
    r->n = (size_t)(end - from);
    memcpy(r->line, from, r->n);
    r->line[r->n] = '\0';
    r->paste_at += r->n + 1;
    return true;
}

static void show_pasted(const struct line_reader *r) {
    if (!r->shown)
        printf("%s%s\n", prompt_text(r), r->line);
}

/* The marks of pasted texts, asked for or not. */
static void ask_for_marks(const struct line_reader *r, bool on) {
    if (!r->marks)
        return;
    fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
    fflush(stdout);
}

/* N bytes at TEXT are the further lines of an entry of the history, which wait as if they had been
   pasted, and before what has been. */
static void put_rest(struct line_reader *r, const char *text, size_t n) {
    struct arena *former = r->pasted;
    struct buf rest = buf_new(r->pasted = arena_new());
    buf_bytes(&rest, text, n);
    buf_text(&rest, "\n");
    if (r->paste_at < r->paste.n)
        buf_text(&rest, r->paste.at + r->paste_at);
    arena_free(former);
    r->paste = rest;
    r->paste_at = 0;
    r->shown = true;
}

static enum line_status edit_line(struct line_reader *r) {
    int count = 0;
    if (r->paste_at < r->paste.n)
        el_push(r->edit, r->paste.at + r->paste_at);
    r->paste_at = r->paste.n;
    el_resize(r->edit); /* the window may have changed */
    errno = 0;
    ask_for_marks(r, true);
    const char *text = el_gets(r->edit, &count);
    int error = errno;
    ask_for_marks(r, false);
    if (!text || count <= 0) {
        bool stopped = interrupted() || error == EINTR;
        if (stopped)
            el_reset(r->edit);
        fputc('\n', stdout);
        return stopped ? LINE_INTERRUPTED : LINE_END;
    }
    r->n = (size_t)count - (text[count - 1] == '\n');
    const char *end = memchr(text, '\n', r->n);
    if (end) {
        size_t first = (size_t)(end - text);
        put_rest(r, end + 1, r->n - first - 1);
        r->n = first;
    }
    r->line = mem_realloc(r->line, r->n + 1);
    r->cap = r->n + 1;
    memcpy(r->line, text, r->n);
    r->line[r->n] = '\0';
    return LINE_READ;
}

/* More bytes of standard input. */
static enum line_status read_input(struct line_reader *r) {
    ssize_t got;
    do {
        while (!interrupt_or_input(STDIN_FILENO))
            if (interrupted())
                return LINE_INTERRUPTED;
        got = read(STDIN_FILENO, r->input, INPUT);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    r->input_at = 0;
    r->input_n = got > 0 ? (size_t)got : 0;
    return got > 0 ? LINE_READ : got < 0 ? LINE_FAILED : LINE_END;
}

/* N more bytes of the line. */
static void add_bytes(struct line_reader *r, const char *bytes, size_t n) {
    size_t least = r->n + n + 1;
    if (least > r->cap) {
        size_t cap = least < 2 * r->cap ? 2 * r->cap : least;
        r->line = mem_realloc(r->line, cap);
        r->cap = cap;
    }
    memcpy(r->line + r->n, bytes, n);
    r->n += n;
    r->line[r->n] = '\0';
}

static enum line_status read_plain(struct line_reader *r) {
    for (r->n = 0;;) {
        if (r->input_at == r->input_n) {
            enum line_status status = read_input(r);
            bool last = status == LINE_END && r->partial && !r->skips;
            if (status == LINE_END)
                r->partial = r->skips = false;
            if (last)
                return LINE_READ;
            if (status != LINE_READ)
                return status;
        }
        const char *from = r->input + r->input_at;
        const char *end = memchr(from, '\n', r->input_n - r->input_at);
        size_t n = end ? (size_t)(end - from) : r->input_n - r->input_at;
        r->input_at += n + (end != NULL);
        r->partial = !end;
        if (!r->skips)
            add_bytes(r, from, n);
        if (end && !r->skips)
            return LINE_READ;
        r->skips = r->skips && !end;
    }
}

enum line_status line_read(struct line_reader *r, bool more, const char **line, size_t *n) {
    enum line_status status = LINE_READ;
    r->more = more;
    if (interrupted()) { /* since the last line */
        line_drop(r);
        if (r->edit)
            fputc('\n', stdout);
        status = LINE_INTERRUPTED;
    } else if (!r->again) {
        if (!r->edit)
            status = read_plain(r);
        else if (take_pasted(r))
            show_pasted(r);
        else
            status = edit_line(r);
    }
    r->again = false;
    *line = r->line;
    *n = r->n;
    return status;
}

void line_remember(struct line_reader *r, const char *text, size_t n) {
    history_add(r->history, text, n);
}

void line_unread(struct line_reader *r) {
    r->again = true;
}

void line_drop(struct line_reader *r) {
    mem_free(r->line);
    r->line = NULL;
    r->cap = r->n = 0;
    r->again = false;
    r->skips = r->partial;
    r->paste_at = r->paste.n;
    if (r->edit)
        el_reset(r->edit);
}

bool line_is_terminal(const struct line_reader *r) {
    return r->edit != NULL;
}

const char *line_pasted(const struct line_reader *r) {
    const char *next = r->paste.at + r->paste_at;
    return strchr(next, '\n') ? next : NULL;
}

bool line_can_look(const struct line_reader *r) {
    return r->regular || r->again || line_pasted(r) != NULL;
}

bool line_waits(const struct line_reader *r) {
    int n = 0;
    return line_pasted(r) != NULL || (ioctl(STDIN_FILENO, FIONREAD, &n) == 0 && n > 0);
}

void line_history(struct line_reader *r, int most, void (*f)(void *data, int number, const char *),
                  void *data) {
    history_each(r->history, most, f, data);
}
