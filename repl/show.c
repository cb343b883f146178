/* dcl show: a function after passes, as DCL, LLVM IR, machine code or PTX. dcl movement: the bytes
   that it moves. */
#include "repl/repl.h"

#include "repl/entry.h"

#include <string.h>

static int show(const struct command_line *c, dcl_session *s, const char *signature) {
    dcl_function *f = entry_open(c, s, signature);
    const char *after = option_value(c, OPTION_after), *as = option_value(c, OPTION_as);
    const char *sm = option_value(c, OPTION_sm);
    if (c->command == COMMAND_movement)
        as = "movement";
    else if (sm)
        as = arena_printf(c->arena, "sm_%s", sm);
    const char *text = f ? dcl_show(f, after ? after : "", as ? as : "dcl") : NULL;
    if (text)
        fputs(text, stdout);
    return finish_call(s, !text);
}

int command_show(const struct command_line *c) {
    if (option_value(c, OPTION_sm) &&
        (!option_value(c, OPTION_as) || strcmp(option_value(c, OPTION_as), "ptx") != 0)) {
        fprintf(stderr, "dcl: --sm belongs to --as ptx\n");
        return EXIT_USAGE;
    }
    return entry_run(c, show);
}

int command_movement(const struct command_line *c) {
    return command_show(c);
}
