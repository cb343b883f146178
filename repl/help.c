/* Help, made of options.def. */
#include "repl/repl.h"

#include <string.h>

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
        bool first = column == TERM;
        if (!first && column + 1 + (int)n > WIDTH) {
            fprintf(to, "\n%*s", TERM, "");
            column = TERM;
        } else if (!first) {
            fputc(' ', to);
            column++;
        }
        fprintf(to, "%.*s", (int)n, text);
        column += (int)n;
        text += n + (text[n] == ' ');
    }
    fputc('\n', to);
}

static void option_help(FILE *to, enum option o) {
    char term[100];
    snprintf(term, sizeof term, "%s %s", option_spelling(o).text, option_table[o].value);
    help_entry(to, term, option_table[o].doc);
}

static bool has_options(enum command c) {
    for (int o = 0; o < OPTION_COUNT; o++)
        if (option_is_of((enum option)o, c))
            return true;
    return false;
}

void help_command(FILE *to, enum command c) {
    fprintf(to, "usage: dcl %s%s%s%s\n\n%s.\n", command_table[c].name,
            *command_table[c].arguments ? " " : "", command_table[c].arguments,
            has_options(c) ? " [option..]" : "", command_table[c].doc);
    if (!has_options(c))
        return;
    fputs("\n", to);
    for (int o = 0; o < OPTION_COUNT; o++)
        if (option_is_of((enum option)o, c))
            option_help(to, (enum option)o);
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
        snprintf(term, sizeof term, "%s %s", command_table[i].name, command_table[i].arguments);
        help_entry(to, term, command_table[i].doc);
    }
    help_entry(to, "--version", "prints the version");
    fputs("\nWithout a command, dcl reads lines from standard input and runs them.\n"
          "dcl help COMMAND lists the options of a command.\n\nexit codes:\n",
          to);
    for (int i = 0; i < exit_count; i++) {
        char term[20];
        snprintf(term, sizeof term, "%d", exit_table[i].code);
        help_entry(to, term, exit_table[i].doc);
    }
}

int command_help(const struct command_line *c) {
    static const struct {
        const char *name;
        void (*print)(FILE *to);
    } formats[] = {{"man", manual_page},
                   {"bash", completion_bash},
                   {"zsh", completion_zsh},
                   {"vim", syntax_vim},
                   {"textmate", syntax_textmate},
                   {"vscode", syntax_vscode},
                   {"vscode-editing", syntax_vscode_editing}};
    const char *format = option_value(c, OPTION_format);
    enum command command;
    if (format && strcmp(format, "text") != 0) {
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            if (strcmp(formats[i].name, format) == 0) {
                formats[i].print(stdout);
                return EXIT_FINE;
            }
        fprintf(stderr, "dcl: --format is text");
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            fprintf(stderr, ", %s", formats[i].name);
        fprintf(stderr, "; not '%s'\n", format);
        return EXIT_USAGE;
    }
    if (c->files.n == 0) {
        help_program(stdout);
        return EXIT_FINE;
    }
    if (!command_named(c->files.at[0], &command))
        return EXIT_USAGE;
    help_command(stdout, command);
    return EXIT_FINE;
}
