/* Print-parse identity: the text of a graph, read back, is the same graph and prints as the same
   text. */
#ifndef DCL_TESTS_FUZZ_TRIP_H
#define DCL_TESTS_FUZZ_TRIP_H

#include "compiler/lower/lower.h"
#include "compiler/print/print.h"
#include "lang/check/check.h"
#include "lang/eval/eval.h"
#include "lang/parse/parse.h"

#include <stdlib.h>
#include <string.h>

static bool trip_is_builtin(void *names, struct name n) {
    return eval_is_builtin(names, n);
}

static bool trip_no_variable(void *data, struct name n) {
    (void)data;
    (void)n;
    return false;
}

static const char *trip_messages(struct arena *a, const struct diags *d, const char *text) {
    struct buf b = buf_new(a);
    diags_print(d, &b, false);
    return arena_printf(a, "%sof the text\n%s", b.at ? b.at : "", text);
}

/* NULL, or why the round trip of G is not the identity; text in arena A. MODULE and FN (may be
   NULL) get what was read back. */
__attribute__((unused)) static const char *trip_graph(struct arena *a, struct names *names,
                                                      const struct graph *g, struct module **module,
                                                      struct ast **fn) {
    struct sources *sources = sources_new(a);
    struct diags d;
    struct buf text = buf_new(a), again = buf_new(a), why = buf_new(a);
    diags_init(&d, a, sources);
    graph_print(g, &text);
    struct module *m = module_new(a, names, "printed", NULL);
    struct ast *file = parse_source(a, names, &d, sources_add(sources, "printed", text.at, text.n));
    if (d.errors || file->nkids != 1 || file->kids[0]->kind != AST_FN)
        return trip_messages(a, &d, text.at);
    module_define(m, file->kids[0]);
    struct check_builtins builtins = {trip_is_builtin, names, NULL, NULL};
    if (!check_file(a, m, &builtins, trip_no_variable, NULL, &d, file) || d.errors)
        return trip_messages(a, &d, text.at);
    struct graph *h = lower_printed(a, names, g->syms, &d, m, file->kids[0]);
    if (!h || d.errors)
        return trip_messages(a, &d, text.at);
    graph_print(h, &again);
    if (!graph_equal(g, h, &why))
        return arena_printf(a, "not the same graph: %s\n%s-- read back:\n%s", why.at, text.at,
                            again.at);
    if (strcmp(text.at, again.at) != 0)
        return arena_printf(a, "not the same text:\n%s-- read back:\n%s", text.at, again.at);
    if (!graph_verify(h, "reading back", &d))
        return trip_messages(a, &d, text.at);
    if (module)
        *module = m;
    if (fn)
        *fn = file->kids[0];
    return NULL;
}

#endif
