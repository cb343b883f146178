/* dcl profile: where the time of a call goes, by the lines of the program, and with --trace as a
   timeline in Chrome's format. The parts that are told apart are the nodes at the top of the
   compiled graph: what fusion made one is one, and stands at the line where it begins. */
#include "repl/entry.h"

#include "lang/base/buf.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS = 20 };

struct line {
    const struct session_part *first;
    double seconds, bytes;
};

struct profile {
    const struct command_line *c;
    const char *signature;
    struct operands operands;
    struct session_part *parts;
    int n;
    int64_t *times[CALLS]; /* n + 1 of each */
    int best;              /* the call that took least */
};

static double call_seconds(const struct profile *p, int call) {
    return (double)(p->times[call][p->n] - p->times[call][0]) * 1e-9;
}

static bool measure(struct profile *p, dcl_function *f) {
    struct operands *o = &p->operands;
    struct session_part *parts;
    if (!operands_call(o) || session_parts(f, &p->n, &parts))
        return false;
    p->parts = ARENA_ARRAY(p->c->arena, struct session_part, p->n);
    for (int i = 0; i < p->n; i++) {
        p->parts[i] = parts[i];
        p->parts[i].path = arena_strndup(p->c->arena, parts[i].path, strlen(parts[i].path));
        p->parts[i].text = arena_strndup(p->c->arena, parts[i].text, strlen(parts[i].text));
    }
    for (int k = 0; k < CALLS; k++) {
        p->times[k] = ARENA_ARRAY(p->c->arena, int64_t, p->n + 1);
        if (session_profile(f, o->args, o->nargs, o->results, o->nresults, p->n, p->times[k]))
            return false;
        if (call_seconds(p, k) < call_seconds(p, p->best))
            p->best = k;
    }
    return true;
}

/* --- by line --------------------------------------------------------------------------------- */

static int by_time(const void *x, const void *y) {
    const struct line *a = x, *b = y;
    return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

static int collect_lines(const struct profile *p, struct line *lines) {
    int n = 0;
    for (int i = 0; i < p->n; i++) {
        const struct session_part *part = &p->parts[i];
        int k = 0;
        while (k < n && (lines[k].first->line != part->line ||
                         strcmp(lines[k].first->path, part->path) != 0))
            k++;
        if (k == n)
            lines[n++] = (struct line){.first = part};
        lines[k].seconds += (double)(p->times[p->best][i + 1] - p->times[p->best][i]) * 1e-9;
        lines[k].bytes += part->bytes;
    }
    qsort(lines, (size_t)n, sizeof *lines, by_time);
    return n;
}

static void report(const struct profile *p) {
    struct line *lines = ARENA_ARRAY(p->c->arena, struct line, p->n + 1);
    double all = call_seconds(p, p->best);
    int n = collect_lines(p, lines);
    printf("%s\n  %.1f us, the least of %d calls\n", p->signature, all * 1e6, CALLS);
    printf("%12s %7s %12s %8s  line\n", "us", "share", "bytes", "GB/s");
    for (int i = 0; i < n; i++) {
        const struct line *l = &lines[i];
        double rate = l->seconds > 0 ? l->bytes / l->seconds * 1e-9 : 0;
        if (l->bytes == 0 && l->seconds < all / 1000)
            continue; /* declarations and the like */
        printf("%12.1f %6.1f%% %12.0f %8.2f  ", l->seconds * 1e6,
               all > 0 ? 100 * l->seconds / all : 0, l->bytes, rate);
        if (*l->first->path)
            printf("%s:%u: %s\n", l->first->path, l->first->line, l->first->text);
        else
            printf("no line\n");
    }
}

/* --- the timeline ---------------------------------------------------------------------------- */

/* Part I of call K as an event. */
static void put_event(const struct profile *p, struct buf *b, int k, int i) {
    const struct session_part *part = &p->parts[i];
    const int64_t *t = p->times[k];
    buf_printf(b, "{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": %.3f, \"dur\": %.3f, \"name\": ",
               (double)(t[i] - p->times[0][0]) / 1000, (double)(t[i + 1] - t[i]) / 1000);
    buf_json(b, arena_printf(p->c->arena, "%s:%u", part->path, part->line));
    buf_printf(b, ", \"args\": {\"call\": %d, \"bytes\": %.0f, \"line\": ", k, part->bytes);
    buf_json(b, part->text);
    buf_text(b, "}}");
}

static bool write_trace(const struct profile *p, const char *path) {
    struct buf b = buf_new(p->c->arena);
    buf_text(&b, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
    for (int k = 0; k < CALLS; k++)
        for (int i = 0; i < p->n; i++) {
            buf_text(&b, k || i ? ",\n" : "");
            put_event(p, &b, k, i);
        }
    buf_text(&b, "\n]}\n");
    return replace_or_tell(p->c->arena, path, &b);
}

static int profile(const struct command_line *c, dcl_session *s, const char *signature) {
    struct profile *p = ARENA_NEW(c->arena, struct profile);
    const char *trace = option_value(c, OPTION_trace);
    p->c = c;
    p->signature = signature;
    dcl_function *f = entry_open(c, s, signature);
    bool ok = f && operands_make(c, f, &p->operands) && measure(p, f);
    int status = finish_call(s, !ok);
    if (status != EXIT_FINE)
        return status;
    report(p);
    return trace && !write_trace(p, trace) ? EXIT_ERROR : EXIT_FINE;
}

int command_profile(const struct command_line *c) {
    return entry_run(c, profile);
}
