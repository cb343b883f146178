/* options.def as data: what the command line, help, the manual and completion are made of. */
#include "repl/repl.h"

#include <string.h>

const struct command_entry command_table[COMMAND_COUNT] = {
#define COMMAND(name, arguments, doc) [COMMAND_##name] = {#name, arguments, doc},
#include "repl/options.def"
};

#define ON(command) (1u << COMMAND_##command)
const struct option_entry option_table[OPTION_COUNT] = {
#define OPTION(name, commands, value, doc) [OPTION_##name] = {#name, commands, value, doc},
#include "repl/options.def"
};

const struct exit_entry exit_table[] = {
#define EXIT(name, code, doc) {code, doc},
#include "repl/options.def"
};
const int exit_count = sizeof exit_table / sizeof *exit_table;

struct spelling option_spelling(enum option o) {
    struct spelling s;
    const char *name = option_table[o].name;
    snprintf(s.text, sizeof s.text, "%s%s", name[1] ? "--" : "-", name);
    for (char *p = s.text + 2; *p; p++)
        if (*p == '_')
            *p = '-';
    return s;
}
