/* The command line: words against options.def; what is misspelt gets the nearest name. */
#include "repl/repl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool unknown(const char *what, const char *word, const char *const *all, int n) {
    const char *near = session_nearest(word, all, n);
    fprintf(stderr, "dcl: there is no %s %s", what, word);
    if (near)
        fprintf(stderr, "; did you mean %s?\n", near);
    else
        fprintf(stderr, "; see dcl help\n");
    return false;
}

bool command_named(const char *word, enum command *out) {
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = command_table[i].name;
        if (strcmp(names[i], word) == 0) {
            *out = (enum command)i;
            return true;
        }
    }
    const char *end = strrchr(word, '.');
    if (access(word, F_OK) == 0 || (end && strcmp(end, ".dcl") == 0)) {
        fprintf(stderr, "dcl: there is no command %s; to run a file: dcl run %s\n", word, word);
        return false;
    }
    return unknown("command", word, names, COMMAND_COUNT);
}

/* The commands that have an option called NAME; NULL if none has. */
static const char *commands_with(struct arena *a, const char *name) {
    const char *text = NULL;
    for (int o = 0; o < OPTION_COUNT; o++)
        for (int k = 0; k < COMMAND_COUNT; k++)
            if (strcmp(option_spelling((enum option)o).text, name) == 0 &&
                option_is_of((enum option)o, (enum command)k))
                text = text ? arena_printf(a, "%s, %s", text, command_table[k].name)
                            : command_table[k].name;
    return text;
}

/* The option whose spelling is the N bytes at WORD. */
static bool find_option(struct command_line *c, const char *word, size_t n, enum option *out) {
    const char *all[OPTION_COUNT];
    int known = 0;
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (!option_is_of((enum option)i, c->command))
            continue;
        struct spelling s = option_spelling((enum option)i);
        const char *name = arena_strndup(c->arena, s.text, strlen(s.text));
        all[known++] = name;
        if (strlen(name) == n && strncmp(name, word, n) == 0) {
            *out = (enum option)i;
            return true;
        }
    }
    const char *name = arena_strndup(c->arena, word, n);
    const char *others = commands_with(c->arena, name);
    if (others) {
        fprintf(stderr, "dcl: there is no option of dcl %s called %s; it is one of %s\n",
                command_table[c->command].name, name, others);
        return false;
    }
    return unknown(
        arena_printf(c->arena, "option of dcl %s called", command_table[c->command].name), name,
        all, known);
}

static void push(struct words *w, const char *word) {
    w->at[w->n++] = word;
}

static bool read_words(struct command_line *c, int argc, char **argv, int at) {
    bool only_files = false;
    for (int i = at; i < argc; i++) {
        const char *word = argv[i];
        enum option o = OPTION_COUNT;
        if (only_files || word[0] != '-' || !word[1]) {
            push(&c->files, word);
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_files = true;
            continue;
        }
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            c->files.n = 0;
            push(&c->files, command_table[c->command].name);
            c->command = COMMAND_help;
            return true;
        }
        const char *equals = strchr(word, '=');
        if (!find_option(c, word, equals ? (size_t)(equals - word) : strlen(word), &o))
            return false;
        bool flag = !*option_table[o].value;
        if (flag && equals) {
            fprintf(stderr, "dcl: %.*s takes no value\n", (int)(equals - word), word);
            return false;
        }
        if (!flag && !equals && i + 1 == argc) {
            fprintf(stderr, "dcl: %s needs a value\n", word);
            return false;
        }
        push(&c->values[o], flag ? "" : equals ? equals + 1 : argv[++i]);
    }
    return true;
}

bool command_line_read(struct command_line *c, int argc, char **argv) {
    int at = 1;
    c->files.at = ARENA_ARRAY(c->arena, const char *, argc + 1);
    for (int i = 0; i < OPTION_COUNT; i++)
        c->values[i].at = ARENA_ARRAY(c->arena, const char *, argc + 1);
    c->command = COMMAND_repl;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        c->command = COMMAND_help;
        return true;
    }
    if (argc > 1 && argv[1][0] != '-') {
        if (!command_named(argv[1], &c->command))
            return false;
        at = 2;
    }
    return read_words(c, argc, argv, at) && model_read(c);
}

const char *option_value(const struct command_line *c, enum option o) {
    return c->values[o].n ? c->values[o].at[c->values[o].n - 1] : NULL;
}

bool wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDERR_FILENO) && !(no_colour && *no_colour);
}

dcl_session *open_session(const struct command_line *c) {
    static const enum option passed[] = {OPTION_backend, OPTION_threads, OPTION_target_cpu,
                                         OPTION_cache,   OPTION_passes,  OPTION_without,
                                         OPTION_strict,  OPTION_verify};
    const char *text = "";
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        const char *value = option_value(c, passed[i]);
        if (!value)
            continue;
        if (strpbrk(value, " \t\n")) {
            fprintf(stderr, "dcl: a value cannot have blanks: '%s'\n", value);
            return NULL;
        }
        text = arena_printf(c->arena, "%s %s=%s", text, option_spelling(passed[i]).text + 2, value);
    }
    if (option_value(c, OPTION_check))
        text = arena_printf(c->arena, "%s check=1", text);
    if (c->command == COMMAND_profile)
        text = arena_printf(c->arena, "%s profile=1", text);
    dcl_session *s = dcl_open(text);
    if (!s) {
        fprintf(stderr, "dcl: not enough memory\n");
        return NULL;
    }
    if (*dcl_errors(s)) {
        fputs(dcl_errors(s), stderr);
        dcl_close(s);
        return NULL;
    }
    session_colour(s, wants_colour());
    session_pictures(s, terminal_pictures(NULL));
    session_know(s, c->known, c->nknown);
    progress_show(c, s);
    return s;
}

bool split_pair(const struct command_line *c, const char *option, const char *pair,
                const char **name, const char **value) {
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair) {
        const char *form = "NAME=VALUE", *example = "";
        for (int o = 0; o < OPTION_COUNT; o++)
            if (strcmp(option_spelling((enum option)o).text, option) == 0)
                form = option_table[o].value;
        if (strcmp(form, "NAME=TYPE") == 0)
            example = ", as in x=f32[64,N]";
        fprintf(stderr, "dcl: %s wants %s%s, not '%s'\n", option, form, example, pair);
        return false;
    }
    *name = arena_strndup(c->arena, pair, (size_t)(equals - pair));
    *value = equals + 1;
    return true;
}

void print_messages(dcl_session *s) {
    fflush(stdout);
    fputs(session_messages(s), stderr);
}

int finish_call(dcl_session *s, bool failed) {
    print_messages(s);
    if (!failed)
        return EXIT_FINE;
    if (interrupted())
        return EXIT_SIGINT;
    if (session_refused(s))
        return EXIT_USAGE;
    return session_bug(s) ? EXIT_BUG : EXIT_ERROR;
}
