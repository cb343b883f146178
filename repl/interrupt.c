/* Ctrl-C. The handler knows the session by the one pointer that a handler can know it by. */
#include "repl/repl.h"

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
