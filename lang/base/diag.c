/* Diagnostics: collecting messages, and printing them with the source line and a caret.
   A message over the limit is counted and forgotten: it is a record of its own, on no list, whose
   text is NULL, and notes, help and details for it are dropped.
   Printing needs no terminal and reads nothing but the collected messages and their sources.
   Columns in "path:line:column" are bytes (as editors and other tools expect), the caret's place is
   counted in characters. */
#include "lang/base/diag.h"

#include <string.h>

static const struct {
    const char *name, *format, *doc;
} entries[ERR_COUNT] = {
#define ERROR(code, format, doc) [ERR_##code] = {#code, format, doc},
#include "lang/base/error.def"
#undef ERROR
};

const char *error_name(enum error_code code) {
    return (unsigned)code < ERR_COUNT ? entries[code].name : "";
}

const char *error_doc(enum error_code code) {
    return (unsigned)code < ERR_COUNT ? entries[code].doc : "";
}

void diags_init(struct diags *d, struct arena *a, struct sources *s) {
    *d = (struct diags){.arena = a, .sources = s};
    d->last = &d->first;
}

struct diag *diags_last(const struct diags *d) {
    struct diag *last = d->first;
    while (last && last->next)
        last = last->next;
    return last;
}

void diags_clear(struct diags *d) {
    d->first = NULL;
    d->last = &d->first;
    d->errors = d->warnings = 0;
}

static uint32_t limit_of(const struct diags *d) {
    return d->limit ? d->limit : 100;
}

/* COUNT is the number of this severity's messages so far. */
static struct diag *add(struct diags *d, enum severity severity, uint32_t *count, struct span at,
                        enum error_code code, va_list args) {
    struct diag *m = ARENA_NEW(d->arena, struct diag);
    *m = (struct diag){.code = code, .severity = severity, .span = at};
    if (*count < limit_of(d)) {
        m->text = arena_vprintf(d->arena, entries[code].format, args);
        *d->last = m;
        d->last = &m->next;
    }
    ++*count;
    return m;
}

struct diag *diag_error(struct diags *d, struct span at, enum error_code code, ...) {
    va_list args;
    va_start(args, code);
    struct diag *m = add(d, SEV_ERROR, &d->errors, at, code, args);
    va_end(args);
    return m;
}

struct diag *diag_warning(struct diags *d, struct span at, enum error_code code, ...) {
    va_list args;
    va_start(args, code);
    struct diag *m = add(d, SEV_WARNING, &d->warnings, at, code, args);
    va_end(args);
    return m;
}

void diag_note(struct diags *d, struct diag *to, struct span at, const char *format, ...) {
    if (!to->text)
        return;
    struct diag_note *note = ARENA_NEW(d->arena, struct diag_note);
    va_list args;
    va_start(args, format);
    *note = (struct diag_note){.span = at, .text = arena_vprintf(d->arena, format, args)};
    va_end(args);
    struct diag_note **last = &to->notes;
    while (*last)
        last = &(*last)->next;
    *last = note;
}

void diag_help(struct diags *d, struct diag *to, const char *format, ...) {
    if (!to->text)
        return;
    va_list args;
    va_start(args, format);
    to->help = arena_vprintf(d->arena, format, args);
    va_end(args);
}

void diag_detail(struct diags *d, struct diag *to, const char *format, ...) {
    if (!to->text)
        return;
    va_list args;
    va_start(args, format);
    to->detail = arena_vprintf(d->arena, format, args);
    va_end(args);
}

/* Where the printer writes, and whether in colour. */
struct printer {
    const struct diags *d;
    struct buf *out;
    bool colour;
};

#define BOLD "\033[1m"
#define RED "\033[1;31m"
#define MAGENTA "\033[1;35m"
#define CYAN "\033[1;36m"
#define GREEN "\033[1;32m"

static void painted(const struct printer *p, const char *colour, const char *text) {
    if (p->colour)
        buf_text(p->out, colour);
    buf_text(p->out, text);
    if (p->colour)
        buf_text(p->out, "\033[0m");
}

/* The span's text as a range within its first line, all in characters. */
struct shown {
    const char *line; /* first byte of the line */
    uint32_t bytes;   /* without the line's end */
    uint32_t chars;
    uint32_t from, width; /* of the marked part */
};

/* Bytes that begin a character: all but UTF-8's continuation bytes. */
static uint32_t count_chars(const char *text, uint32_t n) {
    uint32_t chars = 0;
    for (uint32_t i = 0; i < n; i++)
        chars += ((unsigned char)text[i] & 0xc0) != 0x80;
    return chars;
}

/* START is the span's byte offset and COLUMN its column, both clipped to the text. */
static struct shown first_line(const struct source *s, uint32_t start, uint32_t end,
                               uint32_t column) {
    uint32_t begin = start - (column - 1), stop = start;
    while (stop < s->n && s->text[stop] != '\n')
        stop++;
    if (end > stop)
        end = stop;
    if (end < start)
        end = start;
    while (stop > begin && s->text[stop - 1] == '\r')
        stop--;
    struct shown v = {.line = s->text + begin, .bytes = stop - begin};
    v.chars = count_chars(v.line, v.bytes);
    v.from = count_chars(v.line, start < stop ? start - begin : v.bytes);
    v.width = count_chars(v.line, end < stop ? end - begin : v.bytes) - v.from;
    if (v.width == 0)
        v.width = 1;
    return v;
}

/* A long line is cut to WINDOW characters around the mark, CUT at each end that lost text. */
enum { WINDOW = 100, LEAD = 40, CUT = 3 };

/* Prints characters FROM to TO of the line, "..." over the first or last of them where text is
   missing; a tab or another control character prints as one space. */
static void print_window(struct buf *out, const struct shown *v, uint32_t from, uint32_t to) {
    uint32_t low = from > 0 ? from + CUT : from;
    uint32_t high = to < v->chars ? to - CUT : to;
    uint32_t chars = 0; /* that began up to here; byte i belongs to character chars - 1 */
    if (low > from)
        buf_text(out, "...");
    for (uint32_t i = 0; i < v->bytes; i++) {
        unsigned char c = (unsigned char)v->line[i];
        chars += (c & 0xc0) != 0x80;
        if (chars > low && chars <= high)
            buf_bytes(out, c < 0x20 || c == 0x7f ? " " : &v->line[i], 1);
    }
    if (high < to)
        buf_text(out, "...");
}

static void print_excerpt(const struct printer *p, const struct shown *v, uint32_t line,
                          const char *colour, const char *detail) {
    uint32_t from = 0, to = v->chars;
    if (v->chars > WINDOW) {
        if (v->from + v->width > WINDOW - CUT && v->from > LEAD)
            from = v->from - LEAD;
        if (from + WINDOW > v->chars)
            from = v->chars - WINDOW;
        to = from + WINDOW;
    }
    size_t before = p->out->n;
    buf_printf(p->out, "   %u", line);
    int gutter = (int)(p->out->n - before);
    buf_text(p->out, v->bytes ? " | " : " |");
    print_window(p->out, v, from, to);
    buf_printf(p->out, "\n%*s | %*s", gutter, "", (int)(v->from - from), "");

    uint32_t width = v->width;
    if (v->from + width > to && to > v->from)
        width = to - v->from;
    if (p->colour)
        buf_text(p->out, colour);
    buf_text(p->out, "^");
    for (uint32_t i = 1; i < width; i++)
        buf_text(p->out, "~");
    if (p->colour)
        buf_text(p->out, "\033[0m");
    if (detail)
        buf_printf(p->out, "  %s", detail);
    buf_text(p->out, "\n");
}

static void print_note(const struct printer *p, const struct diag_note *note) {
    buf_text(p->out, "   ");
    painted(p, CYAN, "note:");
    buf_printf(p->out, " %s", note->text);
    const struct source *s = sources_get(p->d->sources, note->span.source);
    if (s) {
        uint32_t line, column;
        source_position(s, note->span.start, &line, &column);
        buf_printf(p->out, ": %s:%u:%u", s->path, line, column);
    }
    buf_text(p->out, "\n");
}

static void print_message(const struct printer *p, const struct diag *m) {
    const char *colour = m->severity == SEV_ERROR ? RED : MAGENTA;
    const struct source *s = sources_get(p->d->sources, m->span.source);
    uint32_t line = 0, column = 0;
    if (s) {
        source_position(s, m->span.start, &line, &column);
        painted(p, BOLD, arena_printf(p->out->arena, "%s:%u:%u:", s->path, line, column));
        buf_text(p->out, " ");
    }
    painted(p, colour, m->severity == SEV_ERROR ? "error:" : "warning:");
    buf_text(p->out, " ");
    painted(p, BOLD, m->text);
    buf_text(p->out, "\n");
    if (s) {
        uint32_t start = m->span.start < s->n ? m->span.start : s->n;
        struct shown v = first_line(s, start, m->span.end, column);
        print_excerpt(p, &v, line, colour, m->detail);
    } else if (m->detail) {
        print_note(p, &(struct diag_note){.text = m->detail});
    }
    for (const struct diag_note *note = m->notes; note; note = note->next)
        print_note(p, note);
    if (m->help) {
        buf_text(p->out, "   ");
        painted(p, GREEN, "help:");
        buf_printf(p->out, " %s\n", m->help);
    }
}

static void print_more(struct buf *out, uint32_t all, uint32_t limit, const char *what) {
    if (all > limit)
        buf_printf(out, "%u more %s%s\n", all - limit, what, all - limit == 1 ? "" : "s");
}

void diags_print(const struct diags *d, struct buf *out, bool colour) {
    struct printer p = {.d = d, .out = out, .colour = colour};
    for (const struct diag *m = d->first; m; m = m->next)
        print_message(&p, m);
    print_more(out, d->errors, limit_of(d), "error");
    print_more(out, d->warnings, limit_of(d), "warning");
}
