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

/* The values of option O. */
static bool add_known(const struct command_line *c, enum option o, const char *option,
                      struct session_known *known, int *n) {
    for (int i = 0; i < c->values[o].n; i++, ++*n) {
        if (!split_pair(c, option, c->values[o].at[i], &known[*n].name, &known[*n].value))
            return false;
        known[*n].dimension = o == OPTION_dim;
    }
    return true;
}

int command_import(const struct command_line *c) {
    const char *from = c->files.at[0], *to = option_value(c, OPTION_o);
    int n = c->values[OPTION_set].n + c->values[OPTION_dim].n, count = 0;
    struct session_known *known = ARENA_ARRAY(c->arena, struct session_known, (size_t)n + 1);
    if (!add_known(c, OPTION_set, "--set", known, &count) ||
        !add_known(c, OPTION_dim, "--dim", known, &count))
        return EXIT_USAGE;
    if (!to)
        to = default_target(c->arena, from);
    dcl_session *s = open_session(c);
    if (!s)
        return EXIT_USAGE;
    int status =
        finish_call(s, session_import(s, from, to, known, count, option_value(c, OPTION_rules),
                                      option_value(c, OPTION_force) != NULL) != 0);
    dcl_close(s);
    return status;
}
