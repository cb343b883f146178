/* dcl check: errors of files, nothing else. */
#include "repl/repl.h"

int command_check(const struct command_line *c) {
    dcl_session *s = open_session(c);
    if (!s)
        return EXIT_USAGE;
    int status = EXIT_FINE;
    for (int i = 0; i < c->files.n; i++) {
        int one = finish_call(s, session_check(s, c->files.at[i]) != 0);
        status = one > status ? one : status;
    }
    dcl_close(s);
    return status;
}
