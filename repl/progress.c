/* One line on standard error about what takes longer than a second, if that is a terminal: the
   statement that runs, which of how many, the indices of loops, the time so far. It is drawn by a
   thread, for the session may be busy with one long step; whatever else is written finds it erased.
   Its text is changed, and the terminal written to, under the lock. */
#include "repl/repl.h"

#include "lang/base/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { TURN = 200 };              /* milliseconds between two drawings */
static const double patience = 1; /* seconds before the first */

struct progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    const char *command;
    bool lines; /* of the prompt: the time of each line counts */
    bool busy, drawn, closed;
    double began;
    char text[256];
};

static void put(const char *text, size_t n) {
    while (n > 0) {
        ssize_t written = write(STDERR_FILENO, text, n);
        if (written <= 0)
            return;
        text += written;
        n -= (size_t)written;
    }
}

static void erase(struct progress *p) {
    if (p->drawn)
        put("\r\033[K", 4);
    p->drawn = false;
}

/* As much of the line as the terminal's is long, but for its last place, where some go on below. */
static void draw(struct progress *p) {
    char line[320];
    struct winsize size;
    int columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    int seconds = (int)(clock_seconds() - p->began);
    int n = seconds < 60 ? snprintf(line, sizeof line, "%d s  %s", seconds, p->text)
                         : snprintf(line, sizeof line, "%d min %d s  %s", seconds / 60,
                                    seconds % 60, p->text);
    size_t most = (size_t)(columns > 1 ? columns - 1 : 1);
    put("\r\033[K", 4);
    put(line, (size_t)n < most ? (size_t)n : most);
    p->drawn = true;
}

static void *watch(void *data) {
    struct progress *p = data;
    pthread_mutex_lock(&p->lock);
    while (!p->closed) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += TURN * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&p->wake, &p->lock, &until);
        if (p->busy && clock_seconds() - p->began >= patience)
            draw(p);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void set_text(struct progress *p, const struct session_doing *d) {
    char count[48] = "";
    const char *name = d->path ? strrchr(d->path, '/') : NULL;
    if (d->all > 1)
        snprintf(count, sizeof count, ", statement %u of %u", d->at, d->all);
    if (d->path)
        snprintf(p->text, sizeof p->text, "%s:%u%s%s%s%s", name ? name + 1 : d->path, d->line,
                 count, *d->indices ? ", " : "", d->indices, d->compiles ? ", compiling" : "");
    else
        snprintf(p->text, sizeof p->text, "%s%s", d->what ? d->what : p->command,
                 d->compiles ? ", compiling" : "");
}

static void told(void *data, enum session_moment m, const struct session_doing *d) {
    struct progress *p = data;
    pthread_mutex_lock(&p->lock);
    if (m == MOMENT_BEGIN) {
        p->busy = true;
        if (p->lines)
            p->began = clock_seconds();
    }
    if (m == MOMENT_BEGIN || m == MOMENT_STEP)
        set_text(p, d);
    else
        erase(p);
    if (m == MOMENT_END)
        p->busy = false;
    p->closed = m == MOMENT_CLOSE;
    if (p->closed)
        pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    if (m == MOMENT_CLOSE) {
        pthread_join(p->thread, NULL);
        pthread_cond_destroy(&p->wake);
        pthread_mutex_destroy(&p->lock);
    }
}

/* Signals are for the thread that runs the program. */
static bool start(struct progress *p) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&p->thread, NULL, watch, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

void progress_show(const struct command_line *c, dcl_session *s) {
    const char *term = getenv("TERM");
    if (!isatty(STDERR_FILENO) || !term || !*term || strcmp(term, "dumb") == 0)
        return;
    struct progress *p = ARENA_NEW(c->arena, struct progress);
    pthread_condattr_t by;
    pthread_condattr_init(&by);
    pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, &by);
    pthread_condattr_destroy(&by);
    p->command = command_table[c->command].name;
    p->lines = c->command == COMMAND_repl;
    p->began = clock_seconds();
    if (start(p))
        session_progress(s, told, p);
}
