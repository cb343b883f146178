/* Ctrl-C. The handler knows the session by the one pointer that a handler can know it by.

   Note [no Ctrl-C is lost]
   One that comes while a call runs ends it, and one that comes between two calls the next one, as
   dcl_stop does. It is counted until somebody asks by interrupted(), so that a session that is
   installed later is stopped, too, and that a command which ends before it has called anything more
   still ends with EXIT_SIGINT. */
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

/* Keeps Ctrl-C back until the signals BEFORE are let through again. */
static void hold(sigset_t *before) {
    sigset_t block;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    sigprocmask(SIG_BLOCK, &block, before);
}

void interrupt_install(dcl_session *s, bool hard) {
    struct sigaction action;
    sigset_t before;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle; /* without SA_RESTART, so that waiting for a line ends */
    sigemptyset(&action.sa_mask);
    hold(&before);
    running = s;
    if (s) {
        ends = hard;
        sigaction(SIGINT, &action, NULL);
        if (count)
            dcl_stop(s);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

bool interrupted(void) {
    sigset_t before;
    hold(&before);
    bool was = count > 0;
    count = 0;
    if (running)
        dcl_go_on(running);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return was;
}

/* A signal that comes before poll() sleeps is not lost: it is let through only while that waits. */
bool interrupt_or_input(int file) {
    struct pollfd wait = {.fd = file, .events = POLLIN};
    sigset_t before;
    hold(&before);
    bool stopped = count > 0 || ppoll(&wait, 1, NULL, &before) < 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return !stopped;
}
