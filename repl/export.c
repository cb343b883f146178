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

static int export(const struct command_line *c, dcl_session *s, const char *signature) {
    bool apart = option_value(c, OPTION_external_data) != NULL;
    bool force = option_value(c, OPTION_force) != NULL;
    int failed = !entry_define(c, s) || session_export(s, signature, option_value(c, OPTION_o),
                                                       opset_given(c), apart, force) != 0;
    return finish_call(s, failed);
}

int command_export(const struct command_line *c) {
    if (c->files.n != 1 || !option_value(c, OPTION_entry) || !option_value(c, OPTION_o)) {
        fprintf(stderr, "dcl: export wants one file, --entry NAME and -o MODEL.onnx\n");
        return EXIT_USAGE;
    }
    if (opset_given(c) < 0) {
        fprintf(stderr, "dcl: --opset wants a number, not '%s'\n", option_value(c, OPTION_opset));
        return EXIT_USAGE;
    }
    return entry_run(c, export);
}
