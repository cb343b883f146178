/* How images can be shown on this terminal: by what the environment says of it and, where somebody
   may be asked, by what it answers to a query. */
#include "repl/prompt.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { PATIENCE = 100 }; /* milliseconds for an answer */

static bool says(const char *variable, const char *part) {
    const char *value = getenv(variable);
    return value && strstr(value, part);
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value;
}

/* Whether TEXT has a whole answer to a request for attributes, ESC [ ? NUMBER ; .. c, and where. */
static bool find_answer(const char *text, size_t *from, size_t *to) {
    const char *start = strstr(text, "\033[?");
    size_t n = start ? 3 + strspn(start + 3, "0123456789;") : 0;
    if (!start || start[n] != 'c')
        return false;
    *from = (size_t)(start - text);
    *to = *from + n + 1;
    return true;
}

/* Asks for the attributes, of which 4 is sixel (DEC VT340, "primary device attributes"). What was
   typed meanwhile goes to TYPED. */
static bool answers_sixel(struct buf *typed) {
    struct termios former, raw;
    size_t from, to;
    if (tcgetattr(STDIN_FILENO, &former) != 0)
        return false;
    raw = former;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    bool asked = write(STDOUT_FILENO, "\033[c", 3) == 3, answered = false;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    while (asked && !answered && poll(&in, 1, PATIENCE) == 1) {
        char bytes[256];
        ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n <= 0)
            break;
        buf_bytes(typed, bytes, (size_t)n);
        answered = find_answer(typed->at, &from, &to);
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &former);
    if (!answered)
        return false;
    const char *answer = arena_strndup(typed->arena, typed->at + from, to - from);
    memmove(typed->at + from, typed->at + to, typed->n - to + 1);
    typed->n -= to - from;
    return strstr(answer, ";4;") || strstr(answer, ";4c");
}

enum picture_form terminal_pictures(struct buf *typed) {
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO) || !term || !*term || strcmp(term, "dumb") == 0)
        return PICTURE_SHADES;
    if (is_set("KITTY_WINDOW_ID") || strstr(term, "kitty") || strstr(term, "ghostty"))
        return PICTURE_KITTY;
    if (typed && isatty(STDIN_FILENO) && answers_sixel(typed))
        return PICTURE_SIXEL;
    bool colours = says("COLORTERM", "truecolor") || says("COLORTERM", "24bit");
    return colours ? PICTURE_BLOCKS : PICTURE_SHADES;
}
