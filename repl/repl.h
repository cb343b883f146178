/* What the files of the program `dcl` share: the command line as parsed, the commands, Ctrl-C. */
#ifndef DCL_REPL_REPL_H
#define DCL_REPL_REPL_H

#include "lang/base/arena.h"
#include "session/session.h"

#include <stdio.h>

enum command {
#define COMMAND(name, arguments, doc) COMMAND_##name,
#include "repl/options.def"
    COMMAND_COUNT
};

enum option {
#define OPTION(name, commands, value, doc) OPTION_##name,
#include "repl/options.def"
    OPTION_COUNT
};

enum exit_code { EXIT_FINE = 0, EXIT_ERROR = 1, EXIT_USAGE = 2, EXIT_BUG = 3, EXIT_SIGINT = 130 };

struct words {
    int n;
    const char **at;
};

struct command_line {
    struct arena *arena;
    enum command command;
    struct words files;
    struct words values[OPTION_COUNT]; /* as given, in order */
};

/* command_line.c */
/* True, or false after a message on stderr. */
bool command_line_read(struct command_line *c, int argc, char **argv);
/* The last value given, or NULL. */
const char *option_value(const struct command_line *c, enum option o);
/* A session as the options say; NULL after a message. */
dcl_session *open_session(const struct command_line *c);
/* Whether messages are in colour: on a terminal, unless NO_COLOR is set. */
bool wants_colour(void);
/* The two sides of NAME=VALUE; false after a message. */
bool split_pair(const struct command_line *c, const char *option, const char *pair,
                const char **name, const char **value);

/* help.c */
void help_program(FILE *to);
void help_command(FILE *to, enum command c);
/* A term, and its text beside it, wrapped. */
void help_entry(FILE *to, const char *term, const char *text);

/* The commands; each returns the exit code. */
int command_run(const struct command_line *c);
int command_check(const struct command_line *c);
int command_show(const struct command_line *c);
int command_movement(const struct command_line *c);
int command_import(const struct command_line *c);
int command_repl(const struct command_line *c);
int command_help(const struct command_line *c);

/* interrupt.c: Ctrl-C stops the running call of S (NULL: none). HARD: a second one ends the
   program. */
void interrupt_install(dcl_session *s, bool hard);
/* Whether there was one; forgets it. */
bool interrupted(void);

/* Messages of the last call on stderr, after what was printed. */
void print_messages(dcl_session *s);

#endif
