/* Ctrl-C. The handler knows the session by the one pointer that a handler can know it by. */
#include "repl/repl.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static dcl_session *volatile running;
static volatile sig_atomic_t count, ends;

static void handle(int signal) {
    (void)signal;
    count = count + 1;
    if (ends && count > 1) /* it does not stop: perhaps it is compiling */
        _exit(EXIT_SIGINT);
    if (running)
        dcl_stop(running);
}

void interrupt_install(dcl_session *s, bool hard) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle; /* without SA_RESTART, so that waiting for a line ends */
    sigemptyset(&action.sa_mask);
    running = s;
    ends = hard;
    count = 0;
    if (s)
        sigaction(SIGINT, &action, NULL);
}

bool interrupted(void) {
    bool was = count > 0;
    count = 0;
    return was;
}

/* A signal that comes before poll() sleeps is not lost: it is let through only while that waits. */
bool interrupt_or_input(int file) {
    struct pollfd wait = {.fd = file, .events = POLLIN};
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    sigprocmask(SIG_BLOCK, &block, &before);
    bool stopped = count > 0 || ppoll(&wait, 1, NULL, &before) < 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !stopped;
}
