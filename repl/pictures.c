/* How images can be shown on this terminal: by what the environment says of it and, where somebody
   may be asked, by what it answers to a query. An answer that comes too late is found among the
   keys: see on_answer in line.c. */
#include "repl/prompt.h"

#include "lang/base/clock.h"

#include <poll.h>
#include <signal.h>
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

bool answer_has_sixel(const char *answer) {
    return strstr(answer, ";4;") || strstr(answer, ";4c");
}

/* Asks for the attributes and reads the first N bytes that come within PATIENCE, or as many as hold
   the answer: how many. */
static size_t ask(char *bytes, size_t n) {
    size_t have = 0, from, to;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (write(STDOUT_FILENO, "\033[c", 3) != 3)
        return 0;
    for (double end = clock_seconds() + 1e-3 * PATIENCE; have < n;) {
        double left = 1e3 * (end - clock_seconds());
        if (left < 1 || poll(&in, 1, (int)left) != 1)
            break;
        ssize_t got = read(STDIN_FILENO, bytes + have, n - have);
        if (got < 0 || (in.revents & POLLHUP))
            break;
        have += (size_t)got;
        bytes[have] = '\0';
        if (find_answer(bytes, &from, &to))
            break;
    }
    return have;
}

/* The same in a mode in which the terminal hands over and shows nothing by itself. Signals that
   would end the program, or stop it, in this mode wait until the former one is back. */
static size_t ask_in_mode(char *bytes, size_t n) {
    static const int ends[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGPIPE};
    struct termios former, raw;
    sigset_t block, before;
    if (tcgetattr(STDIN_FILENO, &former) != 0)
        return 0;
    sigemptyset(&block);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(&block, ends[i]);
    sigprocmask(SIG_BLOCK, &block, &before);
    raw = former;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = raw.c_cc[VTIME] = 0; /* Ctrl-C drops what was there to be read */
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    size_t got = ask(bytes, n);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &former);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return got;
}

/* Whether the terminal has sixel, attribute 4 (DEC VT340, "primary device attributes"). What was
   typed meanwhile goes to TYPED. */
static bool answers_sixel(struct buf *typed) {
    char bytes[1024] = "";
    size_t n = ask_in_mode(bytes, sizeof bytes - 1), from, to;
    if (!find_answer(bytes, &from, &to)) {
        buf_bytes(typed, bytes, n);
        return false;
    }
    buf_bytes(typed, bytes, from);
    buf_bytes(typed, bytes + to, n - to);
    return answer_has_sixel(arena_strndup(typed->arena, bytes + from, to - from));
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
