/* Help, made of options.def. */
#include "repl/repl.h"

#include <string.h>

static const struct {
    const char *name, *arguments, *doc;
} commands[COMMAND_COUNT] = {
#define COMMAND(name, arguments, doc) [COMMAND_##name] = {#name, arguments, doc},
#include "repl/options.def"
};

#define ON(command) (1u << COMMAND_##command)
static const struct {
    const char *name;
    unsigned commands;
    const char *value, *doc;
} options[OPTION_COUNT] = {
#define OPTION(name, commands, value, doc) [OPTION_##name] = {#name, commands, value, doc},
#include "repl/options.def"
};

enum { TERM = 28, WIDTH = 96 };

void help_entry(FILE *to, const char *term, const char *text) {
    int column = fprintf(to, "  %s", term);
    if (column >= TERM) {
        fputc('\n', to);
        column = 0;
    }
    fprintf(to, "%*s", TERM - column, "");
    column = TERM;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column + (int)n > WIDTH) {
            fprintf(to, "\n%*s", TERM, "");
            column = TERM;
        }
        fprintf(to, "%.*s", (int)n, text);
        column += (int)n;
        text += n;
        if (*text == ' ') {
            text++;
            if (column + 1 + (int)strcspn(text, " ") <= WIDTH) {
                fputc(' ', to);
                column++;
            }
        }
    }
    fputc('\n', to);
}

static void option_entry(FILE *to, int o) {
    char term[100];
    snprintf(term, sizeof term, "%s%s %s", options[o].name[1] ? "--" : "-", options[o].name,
             options[o].value);
    for (char *p = term; *p && *p != ' '; p++)
        if (*p == '_')
            *p = '-';
    help_entry(to, term, options[o].doc);
}

static bool has_options(enum command c) {
    for (int o = 0; o < OPTION_COUNT; o++)
        if (options[o].commands & 1u << c)
            return true;
    return false;
}

void help_command(FILE *to, enum command c) {
    fprintf(to, "usage: dcl %s%s%s%s\n\n%s.\n", commands[c].name, *commands[c].arguments ? " " : "",
            commands[c].arguments, has_options(c) ? " [option..]" : "", commands[c].doc);
    if (!has_options(c))
        return;
    fputs("\n", to);
    for (int o = 0; o < OPTION_COUNT; o++)
        if (options[o].commands & 1u << c)
            option_entry(to, o);
    if (c != COMMAND_show && c != COMMAND_movement)
        return;
    fputs("\npasses, in order:\n", to);
    const char *doc, *name;
    for (int k = 0; (name = session_pass(k, &doc)); k++)
        help_entry(to, name, doc);
}

void help_program(FILE *to) {
    fputs("usage: dcl [command] [argument..]\n\n", to);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        char term[100];
        snprintf(term, sizeof term, "%s %s", commands[i].name, commands[i].arguments);
        help_entry(to, term, commands[i].doc);
    }
    help_entry(to, "--version", "prints the version");
    fputs("\nWithout a command, dcl reads lines from standard input and runs them.\n"
          "dcl help COMMAND lists the options of a command.\n",
          to);
}

int command_help(const struct command_line *c) {
    if (c->files.n == 0) {
        help_program(stdout);
        return EXIT_FINE;
    }
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(names[i], c->files.at[0]) == 0) {
            help_command(stdout, (enum command)i);
            return EXIT_FINE;
        }
    }
    const char *near = session_nearest(c->files.at[0], names, COMMAND_COUNT);
    fprintf(stderr, "dcl: there is no command %s%s%s%s\n", c->files.at[0],
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return EXIT_USAGE;
}
