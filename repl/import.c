/* dcl import: an ONNX model as a program and a file of weights. */
#include "repl/repl.h"

#include "lang/onnx/import.h"

#include <string.h>
#include <unistd.h>

/* MODEL.dcl in the current folder. */
static const char *default_target(struct arena *a, const char *from) {
    static const char suffix[] = ".onnx";
    const char *slash = strrchr(from, '/'), *name = slash ? slash + 1 : from;
    size_t n = strlen(name), end = sizeof suffix - 1;
    if (n > end && strcmp(name + n - end, suffix) == 0)
        n -= end;
    return arena_printf(a, "%.*s.dcl", (int)n, name);
}

int command_import(const struct command_line *c) {
    struct diags d;
    jmp_buf no_memory;
    if (c->files.n != 1) {
        fprintf(stderr, "dcl: import wants one file, %d given\n", c->files.n);
        return EXIT_USAGE;
    }
    const char *from = c->files.at[0], *to = option_value(c, OPTION_o);
    if (!to)
        to = default_target(c->arena, from);
    if (setjmp(no_memory)) {
        arena_on_oom(NULL);
        fprintf(stderr, "dcl: not enough memory to import %s\n", c->files.at[0]);
        return EXIT_ERROR;
    }
    arena_on_oom(&no_memory);
    diags_init(&d, c->arena, sources_new(c->arena));
    bool done = onnx_import_file(c->arena, &d, from, to);
    struct buf text = buf_new(c->arena);
    diags_print(&d, &text, wants_colour());
    fputs(text.at, stderr);
    arena_on_oom(NULL);
    return done ? EXIT_FINE : EXIT_ERROR;
}
