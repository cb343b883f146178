/* Makes a failing program smaller as long as it fails in the same way: lines and blocks go, sizes
   shrink, words and brackets go. */
#ifndef DCL_TESTS_FUZZ_MINIMIZE_H
#define DCL_TESTS_FUZZ_MINIMIZE_H

#include "tests/fuzz/program.h"

#include <ctype.h>
#include <time.h>

#define MINIMIZE_SECONDS 90
#define MINIMIZE_LINES 400

struct minimizer {
    struct arena *arena;
    struct program *best;
    const char *kind;
    const char *(*fails)(struct program *p, void *data);
    void *data;
    time_t until;
};

/* Keeps P if it still fails so. */
static bool still(struct minimizer *m, struct program *p) {
    if (time(NULL) > m->until || strcmp(m->fails(p, m->data), m->kind) != 0)
        return false;
    m->best = p;
    return true;
}

static struct program *minimizer_copy(struct minimizer *m) {
    return arena_copy(m->arena, m->best, sizeof *m->best);
}

struct text_lines {
    const char *at[MINIMIZE_LINES];
    int n;
};

static void split(struct arena *a, const char *text, struct text_lines *l) {
    l->n = 0;
    while (*text && l->n < MINIMIZE_LINES) {
        size_t n = strcspn(text, "\n");
        l->at[l->n++] = arena_strndup(a, text, n);
        text += n + (text[n] == '\n');
    }
}

static const char *joined(struct arena *a, const struct text_lines *l, int skip, int skip_end,
                          int also) {
    struct buf b = buf_new(a);
    for (int i = 0; i < l->n; i++)
        if (!(i >= skip && i < skip_end) && i != also)
            buf_printf(&b, "%s\n", l->at[i]);
    return b.at ? b.at : "";
}

static bool opens(const char *line) {
    size_t n = strlen(line);
    return n && line[n - 1] == '{';
}

/* The line that closes the block which line I opens. */
static int closing(const struct text_lines *l, int i) {
    int depth = 0;
    for (; i < l->n; i++) {
        const char *t = l->at[i] + strspn(l->at[i], " ");
        if (t[0] == '}')
            depth--;
        if (depth == 0 && t[0] == '}' && !opens(t))
            return i;
        if (opens(t))
            depth++;
    }
    return -1;
}

static bool drop_lines(struct minimizer *m, bool helpers) {
    bool any = false;
    struct text_lines l;
    split(m->arena, helpers ? m->best->helpers : m->best->body, &l);
    for (int i = l.n - 1; i >= 0; i--) {
        const char *t = l.at[i] + strspn(l.at[i], " ");
        if (t[0] == '}')
            continue;
        int end = opens(t) ? closing(&l, i) + 1 : i + 1;
        for (int way = 0; way < 2 && end > i; way++) {
            struct program *p = minimizer_copy(m);
            if (way == 1 && !opens(t))
                break;
            /* All of the block, or its first and last line only. */
            const char *text = way == 0 ? joined(m->arena, &l, i, end, -1)
                                        : joined(m->arena, &l, i, i + 1, end - 1);
            if (helpers)
                p->helpers = text;
            else
                p->body = text;
            if (still(m, p)) {
                any = true;
                split(m->arena, text, &l);
                break;
            }
        }
    }
    return any;
}

static bool drop_arguments(struct minimizer *m) {
    bool any = false;
    for (int i = m->best->nargs - 1; i >= 0; i--) {
        struct program *p = minimizer_copy(m);
        memmove(&p->args[i], &p->args[i + 1], (size_t)(p->nargs - 1 - i) * sizeof p->args[0]);
        p->nargs--;
        any |= still(m, p);
    }
    return any;
}

static bool shrink_sizes(struct minimizer *m) {
    static const int to[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33};
    bool any = false;
    for (int i = 0; i < m->best->nsizes; i++)
        for (size_t k = 0; k < sizeof to / sizeof *to && to[k] < m->best->sizes[i].n; k++) {
            struct program *p = minimizer_copy(m);
            p->sizes[i].n = to[k];
            if (still(m, p)) {
                any = true;
                break;
            }
        }
    return any;
}

/* Takes N bytes at OFFSET out of the body and puts INSTEAD there. */
static bool replace(struct minimizer *m, size_t offset, size_t n, const char *instead) {
    struct program *p = minimizer_copy(m);
    p->body =
        arena_printf(m->arena, "%.*s%s%s", (int)offset, p->body, instead, p->body + offset + n);
    return still(m, p);
}

static bool drop_words(struct minimizer *m) {
    static const char *const words[] = {" parallel", " vector",   " unroll",  " seq",
                                        " unique",   " in stack", " in heap", " in register"};
    bool any = false;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        for (size_t at = 0; at < strlen(m->best->body); at++) {
            const char *found = strstr(m->best->body + at, words[k]);
            if (!found)
                break;
            at = (size_t)(found - m->best->body);
            size_t n = strlen(words[k]);
            if (found[n] == '(')
                n += strcspn(found + n, ")") + 1;
            any |= replace(m, at, n, "");
        }
    return any;
}

/* A bracket, with the name before it, becomes one of the operands in it, or a number. */
static bool drop_brackets(struct minimizer *m) {
    bool any = false;
    for (size_t at = 0; m->best->body[at]; at++) {
        if (m->best->body[at] != '(')
            continue;
        const char *b = m->best->body;
        size_t from = at, end = at + 1;
        int depth = 1;
        while (from > 0 && (isalnum((unsigned char)b[from - 1]) || b[from - 1] == '_'))
            from--;
        while (b[end] && depth)
            depth += (b[end] == '(') - (b[end] == ')'), end++;
        /* The places in it where an operand may begin and end. */
        size_t cut[16][2];
        int n = 0;
        size_t start = at + 1;
        depth = 0;
        for (size_t i = at + 1; i < end && n < 16; i++) {
            bool last = i == end - 1;
            depth += (b[i] == '(' || b[i] == '[') - ((b[i] == ')' && !last) || b[i] == ']');
            bool gap = depth == 0 && (last || b[i] == ',' || (b[i] == ' ' && i > start));
            if (!gap)
                continue;
            cut[n][0] = start;
            cut[n++][1] = i;
            start = i + 1;
        }
        for (int k = 0; k < n && cut[k][1] > cut[k][0]; k++) {
            size_t length = cut[k][1] - cut[k][0];
            const char *operand = arena_strndup(m->arena, b + cut[k][0], length);
            if (length + 1 < end - from && replace(m, from, end - from, operand)) {
                any = true;
                break;
            }
        }
    }
    return any;
}

/* P, made smaller: it fails with KIND. */
__attribute__((unused)) static struct program *
program_minimize(struct arena *a, struct program *p, const char *kind,
                 const char *(*fails)(struct program *p, void *data), void *data) {
    struct minimizer m = {a, p, kind, fails, data, time(NULL) + MINIMIZE_SECONDS};
    if (strcmp(fails(p, data), kind) != 0)
        return p; /* only after others: a matter of the session */
    for (bool more = true; more && time(NULL) < m.until;) {
        more = drop_lines(&m, false);
        more |= drop_lines(&m, true);
        more |= drop_arguments(&m);
        more |= shrink_sizes(&m);
        more |= drop_words(&m);
        more |= drop_brackets(&m);
    }
    return m.best;
}

#endif
