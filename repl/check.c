/* dcl check: errors of files, nothing else. */
#include "repl/repl.h"

int command_check(const struct command_line *c) {
    if (c->files.n == 0) {
        fprintf(stderr, "dcl: check wants at least one file\n");
        return EXIT_USAGE;
    }
    dcl_session *s = open_session(c);
    if (!s)
        return EXIT_USAGE;
    int status = EXIT_FINE;
    for (int i = 0; i < c->files.n; i++) {
        if (session_check(s, c->files.at[i]))
            status = EXIT_ERROR;
        print_messages(s);
    }
    dcl_close(s);
    return status;
}
