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

enum exit_code {
#define EXIT(name, code, doc) EXIT_##name = code,
#include "repl/options.def"
};

/* table.c: options.def as data. */
struct command_entry {
    const char *name, *arguments, *doc;
};
struct option_entry {
    const char *name;  /* as in the table */
    unsigned commands; /* bit 1 << COMMAND_X */
    const char *value; /* "" of a flag */
    const char *doc;
};
struct exit_entry {
    int code;
    const char *doc;
};
extern const struct command_entry command_table[COMMAND_COUNT];
extern const struct option_entry option_table[OPTION_COUNT];
extern const struct exit_entry exit_table[];
extern const int exit_count;
/* An option as it is written, like --target-cpu or -o. */
struct spelling {
    char text[32];
};
struct spelling option_spelling(enum option o);
static inline bool option_is_of(enum option o, enum command c) {
    return (option_table[o].commands >> c & 1) != 0;
}

struct words {
    int n;
    const char **at;
};

struct command_line {
    struct arena *arena;
    enum command command;
    struct words files;
    struct words values[OPTION_COUNT]; /* as given, in order */
    struct session_known *known;       /* of the model that is the file, see model.c */
    int nknown;
};

/* command_line.c */
/* True, or false after a message on stderr. */
bool command_line_read(struct command_line *c, int argc, char **argv);
/* model.c: what the words mean if the file is an ONNX model; false after a message. */
bool model_read(struct command_line *c);
/* The command WORD; false after a message. */
bool command_named(const char *word, enum command *out);
/* The last value given ("" of a flag), or NULL. */
const char *option_value(const struct command_line *c, enum option o);
/* A session as the options say; NULL after a message. */
dcl_session *open_session(const struct command_line *c);
/* Whether messages are in colour: on a terminal, unless NO_COLOR is set. */
bool wants_colour(void);
/* The two sides of NAME=VALUE; false after a message. */
bool split_pair(const struct command_line *c, const char *option, const char *pair,
                const char **name, const char **value);

/* missing.c: whether the words of C are as many as its command wants; false after a message. */
bool words_fit(const struct command_line *c);

/* run.c */
/* Whether VALUE of --input is a number (or truth value) and no file. */
bool value_is_number(const char *value);
/* TEXT as a string literal. */
struct buf;
void quote_text(struct buf *b, const char *text);

/* pictures.c: how images can be shown. The terminal is asked only if TYPED is not NULL; it gets
   keys that were typed meanwhile. */
enum picture_form terminal_pictures(struct buf *typed);

/* help.c */
void help_program(FILE *to);
void help_command(FILE *to, enum command c);
/* A term, and its text beside it, wrapped. */
void help_entry(FILE *to, const char *term, const char *text);
/* manual.c: the manual page, for man. */
void manual_page(FILE *to);
/* completion.c: what bash and zsh load to complete a line. */
void completion_bash(FILE *to);
void completion_zsh(FILE *to);
/* editors.c: highlighting for editors. */
void syntax_vim(FILE *to);
void syntax_textmate(FILE *to);
void syntax_vscode(FILE *to);
void syntax_vscode_editing(FILE *to);

/* The commands; each returns the exit code. */
int command_run(const struct command_line *c);
int command_check(const struct command_line *c);
int command_fmt(const struct command_line *c);
int command_test(const struct command_line *c);
int command_doc(const struct command_line *c);
int command_bench(const struct command_line *c);
int command_profile(const struct command_line *c);
int command_show(const struct command_line *c);
int command_movement(const struct command_line *c);
int command_import(const struct command_line *c);
int command_export(const struct command_line *c);
int command_repl(const struct command_line *c);
int command_help(const struct command_line *c);

/* interrupt.c: Ctrl-C stops the running call of S or, between two, the next one (NULL: it is only
   counted). HARD: a second one ends the program. One that came before and that nobody has asked for
   stops S. */
void interrupt_install(dcl_session *s, bool hard);
/* Whether there was one since this was asked last; the session goes on. */
bool interrupted(void);
/* Waits until FILE can be read; false if Ctrl-C (or another signal) came before or meanwhile. */
bool interrupt_or_input(int file);

/* progress.c: from here on what S does is shown, if it takes long and standard error is a terminal.
 */
void progress_show(const struct command_line *c, dcl_session *s);

/* Messages of the last call on stderr, after what was printed. */
void print_messages(dcl_session *s);
/* The same, and the exit code of a command whose last call FAILED or not. */
int finish_call(dcl_session *s, bool failed);
/* fmt.c: PATH, or what it links to, gets the text B and keeps its permissions, whole or not at all
   (lang/base/draft.h); false after a message. */
bool replace_or_tell(struct arena *a, const char *path, const struct buf *b);

#endif
