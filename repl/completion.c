/* Completion of the command line, made of options.def: functions that bash and zsh load. A value
   that is written `a|b` offers its words in lower case; any other value, and every argument, is a
   file, but for those of `help`. */
#include "repl/repl.h"

#include <ctype.h>
#include <string.h>

/* The words that TEXT, like "DIR|off", lists, blanks between them. */
static void put_choices(FILE *to, const char *text) {
    for (const char *blank = ""; *text; text += *text == '|') {
        size_t n = strcspn(text, "|");
        if (islower((unsigned char)*text) || isdigit((unsigned char)*text)) {
            fprintf(to, "%s%.*s", blank, (int)n, text);
            blank = " ";
        }
        text += n;
    }
}

static void put_commands(FILE *to) {
    for (int c = 0; c < COMMAND_COUNT; c++)
        fprintf(to, "%s%s", c ? " " : "", command_table[c].name);
}

static void put_options(FILE *to, enum command c) {
    for (int o = 0; o < OPTION_COUNT; o++)
        if (option_is_of((enum option)o, c))
            fprintf(to, "%s ", option_spelling((enum option)o).text);
    fputs("--help", to);
}

/* Both shells: `flags` of the command, `choices` of the option before. */
static void put_tables(FILE *to) {
    fputs("  case $command in\n", to);
    for (int c = 0; c < COMMAND_COUNT; c++) {
        fprintf(to, "    %s) flags='", command_table[c].name);
        put_options(to, (enum command)c);
        fputs("' ;;\n", to);
    }
    fputs("  esac\n  case $before in\n", to);
    for (int o = 0; o < OPTION_COUNT; o++) {
        const struct option_entry *e = &option_table[o];
        if (!*e->value)
            continue;
        fprintf(to, "    %s) takes=1 choices='", option_spelling((enum option)o).text);
        put_choices(to, e->value);
        fputs("' ;;\n", to);
    }
    fputs("  esac\n", to);
}

void completion_bash(FILE *to) {
    fputs("# Completion of dcl for bash.\n_dcl() {\n"
          "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "  local command=${COMP_WORDS[1]} flags='' choices='' takes='' names='",
          to);
    put_commands(to);
    fputs("'\n", to);
    put_tables(to);
    fputs("  COMPREPLY=()\n"
          "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "    COMPREPLY=($(compgen -W \"$names --help --version\" -- \"$word\"))\n"
          "  elif [ \"$takes\" ]; then\n"
          "    COMPREPLY=($(compgen -W \"$choices\" -- \"$word\"))\n"
          "  elif [ \"$command\" = help ] && [[ $word != -* ]]; then\n"
          "    COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
          "  elif [[ $word == -* ]]; then\n"
          "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
          "  fi\n}\n"
          "complete -o default -F _dcl dcl\n", /* without an answer: files */
          to);
}

void completion_zsh(FILE *to) {
    fputs("#compdef dcl\n"
          "local word=${words[CURRENT]} before=${words[CURRENT-1]} command=${words[2]}\n"
          "local flags='' choices='' takes='' names='",
          to);
    put_commands(to);
    fputs("'\n", to);
    put_tables(to);
    fputs("if (( CURRENT == 2 )); then\n"
          "  compadd -- ${=names} --help --version\n"
          "elif [[ -n $takes ]]; then\n"
          "  if [[ -n $choices ]]; then compadd -- ${=choices}; else _files; fi\n"
          "elif [[ $command == help && $word != -* ]]; then\n"
          "  compadd -- ${=names}\n"
          "elif [[ $word == -* ]]; then\n"
          "  compadd -- ${=flags}\n"
          "else\n  _files\nfi\n",
          to);
}
