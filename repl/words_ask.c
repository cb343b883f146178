/* The commands of the prompt that ask about expressions. */
#include "repl/prompt.h"

#include <string.h>

/* Prints TEXT, which the session gave, or why it gave none. */
static bool tell(struct prompt *p, const char *text) {
    if (text)
        fputs(text, stdout);
    print_messages(p->session);
    return text != NULL;
}

bool word_type(struct prompt *p, const char *expression) {
    return *expression ? tell(p, session_type(p->session, expression)) : word_usage(WORD_type);
}

bool word_shape(struct prompt *p, const char *expression) {
    return *expression ? tell(p, session_shape(p->session, expression)) : word_usage(WORD_shape);
}

bool word_source(struct prompt *p, const char *name) {
    return *name ? tell(p, session_source(p->session, name)) : word_usage(WORD_source);
}

/* The form that stands behind a last `as`, which is cut off from TEXT, "" if none does; `dcl`
   without an `as`. */
static const char *form_of(struct prompt *p, const char **text) {
    const char *as = NULL;
    size_t n = strlen(*text);
    if (strncmp(*text, "as", 2) == 0 && (n == 2 || (*text)[2] == ' ')) {
        *text = "";
        return "";
    }
    if (n > 3 && strcmp(*text + n - 3, " as") == 0) {
        *text = arena_strndup(p->arena, *text, n - 3);
        return "";
    }
    for (const char *at = strstr(*text, " as "); at; at = strstr(at + 1, " as "))
        as = at;
    if (!as)
        return "dcl";
    *text = arena_strndup(p->arena, *text, (size_t)(as - *text));
    return as + 4 + strspn(as + 4, " ");
}

bool word_show(struct prompt *p, const char *expression) {
    const char *form = form_of(p, &expression);
    if (!*expression)
        return word_usage(WORD_show);
    return tell(p, session_show(p->session, expression, form));
}

bool word_movement(struct prompt *p, const char *expression) {
    if (!*expression)
        return word_usage(WORD_movement);
    return tell(p, session_show(p->session, expression, "movement"));
}

bool word_watch(struct prompt *p, const char *name) {
    bool on;
    if (!*name) {
        for (int k = 0; (name = session_watched(p->session, k)); k++)
            printf("%s\n", name);
        return true;
    }
    if (session_watch(p->session, name, &on))
        return tell(p, NULL);
    printf("%s is %s\n", name, on ? "watched" : "watched no more");
    return true;
}

static const char *duration(struct prompt *p, double seconds) {
    static const char *const units[] = {"s", "ms", "us", "ns"};
    int k = 0;
    while (k < 3 && seconds < 1) {
        seconds *= 1000;
        k++;
    }
    return arena_printf(p->arena, "%.*f %s",
                        seconds < 10    ? 2
                        : seconds < 100 ? 1
                                        : 0,
                        seconds, units[k]);
}

bool word_time(struct prompt *p, const char *statement) {
    struct timing t;
    if (!*statement)
        return word_usage(WORD_time);
    if (session_time(p->session, statement, &t))
        return tell(p, NULL);
    printf("median %s, least %s, of %d runs; %s %s\n", duration(p, t.median), duration(p, t.least),
           t.runs, t.compiled ? "compiled in" : "evaluated each time, first in",
           duration(p, t.compile));
    print_messages(p->session);
    return true;
}
