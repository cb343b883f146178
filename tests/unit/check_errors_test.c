/* The wrong programs of tests/errors through the checker alone, but for those that want more (their
   first line is `# check` or `# run`): the messages are those of the .expected files, and together
   they provoke everything that check can say. (errors.t runs all files through the program.) */
#include "tests/harness/tap.h"
#include "tests/unit/check_program.h"

#include <dirent.h>

static const enum error_code given_by_check[] = {
    ERR_UNKNOWN_NAME,  ERR_NAME_TAKEN,    ERR_UNUSED_DIM,   ERR_UNKNOWN_TYPE, ERR_TYPE_VAR_FREE,
    ERR_UNKNOWN_CLASS, ERR_RANGE_UNKNOWN, ERR_NOT_CALLABLE, ERR_ARG_COUNT,    ERR_ARG_NAME,
    ERR_ARG_TWICE,     ERR_ARG_MISSING,   ERR_ARG_KIND,     ERR_READ_ONLY,    ERR_REBIND_IN_MAP,
    ERR_INDEX_COUNT,   ERR_NOT_HERE,      ERR_NOT_YET,      ERR_RESOLUTION,   ERR_UNWRITTEN,
};

static bool provoked[ERR_COUNT];

static bool is_program(const char *file) {
    size_t n = strlen(file);
    return n > 4 && strcmp(file + n - 4, ".dcl") == 0;
}

/* Whether the checker alone finds all that is wrong in a program. */
static bool is_checkers(const char *text) {
    return strncmp(text, "# check\n", 8) != 0 && strncmp(text, "# run", 5) != 0;
}

static int compare(const char *folder, const char *file) {
    struct arena *a = arena_new();
    const char *why = "";
    size_t n, nwant;
    int checked = 1;
    char *text = source_read_file(a, arena_printf(a, "%s/%s", folder, file), &n, &why);
    char *want = source_read_file(
        a, arena_printf(a, "%s/%.*s.expected", folder, (int)strlen(file) - 4, file), &nwant, &why);
    if (text && !is_checkers(text)) {
        checked = 0;
    } else if (ok(text && want, "%s and its .expected can be read", file)) {
        struct program p;
        program_run(&p, a, file, text, n);
        is_str(program_messages(&p), want, "%s", file);
        for (const struct diag *d = p.diags.first; d; d = d->next)
            provoked[d->code] = true;
    } else {
        diag("%s", why);
    }
    arena_free(a);
    return checked;
}

int main(void) {
    const char *src = getenv("DCL_SRC");
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/tests/errors", src ? src : ".");
    struct dirent **files;
    int n = scandir(folder, &files, NULL, alphasort);
    if (!ok(n > 0, "tests/errors can be read"))
        return done_testing();
    int programs = 0;
    for (int i = 0; i < n; i++) {
        if (is_program(files[i]->d_name))
            programs += compare(folder, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    ok(programs > 10, "all programs are there");
    for (size_t i = 0; i < sizeof given_by_check / sizeof *given_by_check; i++)
        ok(provoked[given_by_check[i]], "%s is provoked", error_name(given_by_check[i]));
    return done_testing();
}
