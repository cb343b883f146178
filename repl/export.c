/* dcl export: a function or network as an ONNX model. */
#include "repl/entry.h"
#include "repl/repl.h"

#include <stdlib.h>

/* The number that --opset gives; 0 without, -1 for what is none. */
static long opset_given(const struct command_line *c) {
    const char *text = option_value(c, OPTION_opset);
    char *end;
    if (!text)
        return 0;
    long n = strtol(text, &end, 10);
    return end == text || *end || n < 1 ? -1 : n;
}

int command_export(const struct command_line *c) {
    struct buf signature = buf_new(c->arena);
    const char *to = option_value(c, OPTION_o);
    long opset = opset_given(c);
    if (c->files.n != 1 || !option_value(c, OPTION_entry) || !to) {
        fprintf(stderr, "dcl: export wants one file, --entry NAME and -o MODEL.onnx\n");
        return EXIT_USAGE;
    }
    if (opset < 0) {
        fprintf(stderr, "dcl: --opset wants a number, not '%s'\n", option_value(c, OPTION_opset));
        return EXIT_USAGE;
    }
    if (!entry_signature(c, &signature))
        return EXIT_USAGE;
    dcl_session *s = open_session(c);
    if (!s)
        return EXIT_USAGE;
    interrupt_install(s, true);
    bool apart = option_value(c, OPTION_external_data) != NULL;
    int failed = !entry_define(c, s) || session_export(s, signature.at, to, opset, apart) != 0;
    int status = finish_call(s, failed);
    interrupt_install(NULL, false);
    dcl_close(s);
    return status;
}
