/* The manual page dcl(1), made of options.def; `make` writes it as dcl.1. */
#include "repl/repl.h"

#include <string.h>

/* TEXT with what roff would take for its own escaped. */
static void put(FILE *to, const char *text) {
    for (const char *p = text; *p; p++) {
        if (*p == '-' || *p == '\\')
            fprintf(to, "%s", *p == '-' ? "\\-" : "\\e");
        else if (p == text && (*p == '.' || *p == '\''))
            fprintf(to, "\\&%c", *p);
        else
            fputc(*p, to);
    }
}

/* A term in bold, what follows it in italics, and its text. */
static void entry(FILE *to, const char *term, const char *rest, const char *doc) {
    fputs(".TP\n\\fB", to);
    put(to, term);
    fputs("\\fR", to);
    if (*rest) {
        fputs(" \\fI", to);
        put(to, rest);
        fputs("\\fR", to);
    }
    fputs("\n", to);
    put(to, doc);
    fputs("\n", to);
}

static void command_section(FILE *to, enum command c) {
    const struct command_entry *e = &command_table[c];
    fprintf(to, ".SS dcl %s ", e->name);
    put(to, e->arguments);
    fputs("\n", to);
    put(to, e->doc);
    fputs(".\n", to);
    for (int o = 0; o < OPTION_COUNT; o++)
        if (option_is_of((enum option)o, c))
            entry(to, option_spelling((enum option)o).text, option_table[o].value,
                  option_table[o].doc);
}

static void passes(FILE *to) {
    const char *doc, *name;
    fputs(".SH PASSES\nWhat \\-\\-passes, \\-\\-without and \\-\\-after name, in order:\n", to);
    for (int k = 0; (name = session_pass(k, &doc)); k++)
        entry(to, name, "", doc);
}

void manual_page(FILE *to) {
    fprintf(to, ".TH DCL 1 \"\" \"dcl %s\" \"User Commands\"\n", dcl_version());
    fputs(
        ".SH NAME\ndcl \\- runs, compiles and shows tensor programs\n"
        ".SH SYNOPSIS\n\\fBdcl\\fR [\\fIcommand\\fR] [\\fIargument\\fR...]\n"
        ".SH DESCRIPTION\nDCL is a language for tensor programs, and the compiler for it. Without "
        "a command,\n\\fBdcl\\fR reads lines from standard input and runs them.\n"
        ".SH COMMANDS\n",
        to);
    for (int c = 0; c < COMMAND_COUNT; c++)
        command_section(to, (enum command)c);
    passes(to);
    fputs(".SH EXIT STATUS\n", to);
    for (int i = 0; i < exit_count; i++) {
        char code[12];
        snprintf(code, sizeof code, "%d", exit_table[i].code);
        entry(to, code, "", exit_table[i].doc);
    }
    fputs(".SH ENVIRONMENT\n", to);
#define VARIABLE(name, doc) entry(to, #name, "", doc);
#include "repl/options.def"
}
