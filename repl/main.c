/* The program `dcl`: dispatches to the commands of options.def. */
#include "repl/repl.h"

#include <stdlib.h>
#include <string.h>

/* Whether the options agree; false after a message. */
static bool options_agree(const struct command_line *c) {
    const char *backend = option_value(c, OPTION_backend);
    if (!backend || strcmp(backend, "cpu") != 0 || !option_value(c, OPTION_check))
        return true;
    fprintf(stderr, "dcl: --check is what the reference evaluator does, and --backend cpu runs "
                    "compiled code: one of both\n");
    return false;
}

static int dispatch(const struct command_line *c) {
    if (!words_fit(c) || !options_agree(c))
        return EXIT_USAGE;
    switch (c->command) {
    case COMMAND_run: return command_run(c);
    case COMMAND_check: return command_check(c);
    case COMMAND_fmt: return command_fmt(c);
    case COMMAND_test: return command_test(c);
    case COMMAND_doc: return command_doc(c);
    case COMMAND_bench: return command_bench(c);
    case COMMAND_profile: return command_profile(c);
    case COMMAND_show: return command_show(c);
    case COMMAND_movement: return command_movement(c);
    case COMMAND_import: return command_import(c);
    case COMMAND_export: return command_export(c);
    case COMMAND_repl: return command_repl(c);
    case COMMAND_help: return command_help(c);
    case COMMAND_COUNT: break;
    }
    return EXIT_BUG;
}

/* The same where memory runs out and the command has not said for what. */
static int dispatch_in_memory(const struct command_line *c) {
    jmp_buf no_memory, *former = arena_on_oom(&no_memory);
    volatile int status = EXIT_ERROR;
    if (setjmp(no_memory) == 0)
        status = dispatch(c);
    else
        fprintf(stderr, "dcl: not enough memory\n");
    arena_on_oom(former);
    return status;
}

int main(int argc, char **argv) {
    struct command_line c = {.arena = arena_new()};
    int status = EXIT_USAGE;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* a reader behind a pipe sees each line at once */
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("dcl %s\n", dcl_version());
        status = EXIT_FINE;
    } else if (command_line_read(&c, argc, argv)) {
        status = dispatch_in_memory(&c);
        if (interrupted()) /* between two calls, or behind the last one */
            status = EXIT_SIGINT;
    }
    arena_free(c.arena);
    if (fflush(stdout) != 0 || ferror(stdout)) { /* a full disk, a reader that went away */
        fprintf(stderr, "dcl: not all of the output could be written\n");
        if (status == EXIT_FINE)
            status = EXIT_ERROR;
    }
    return status;
}
