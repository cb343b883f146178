/* dcl import: an ONNX model as a program and a file of weights. */
#include "repl/repl.h"

#include "session/session.h"

#include <string.h>

/* MODEL.dcl in the current folder. */
static const char *default_target(struct arena *a, const char *from) {
    static const char suffix[] = ".onnx";
    const char *slash = strrchr(from, '/'), *name = slash ? slash + 1 : from;
    size_t n = strlen(name), end = sizeof suffix - 1;
    if (n > end && strcmp(name + n - end, suffix) == 0)
        n -= end;
    return arena_printf(a, "%.*s.dcl", (int)n, name);
}

int command_import(const struct command_line *c) {
    const char *from = c->files.at[0], *to = option_value(c, OPTION_o);
    if (!to)
        to = default_target(c->arena, from);
    dcl_session *s = open_session(c);
    if (!s)
        return EXIT_USAGE;
    interrupt_install(s, true);
    int status = finish_call(s, session_import(s, from, to, c->known, c->nknown,
                                               option_value(c, OPTION_rules),
                                               option_value(c, OPTION_force) != NULL) != 0);
    interrupt_install(NULL, false);
    dcl_close(s);
    return status;
}
