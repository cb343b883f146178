/* Every function in the .dcl files of the tree (library, examples, tests) as a graph of its own
   signature, through the passes in their order and in others: it reads back from its text after
   each of them. */
#include "compiler/passes/pass.h"
#include "tests/fuzz/front.h"
#include "tests/fuzz/trip.h"
#include "tests/harness/tap.h"

#define ORDERS 3

struct counts {
    int functions, graphs, failures;
};

static bool look(struct front *f, struct arena *a, struct graph *g, const char *path,
                 const char *after, struct counts *n) {
    struct diags d;
    diags_init(&d, a, f->sources);
    n->graphs++;
    const char *why = NULL;
    if (!graph_verify(g, after, &d)) {
        struct buf b = buf_new(a);
        diags_print(&d, &b, false);
        why = b.at;
    } else {
        why = trip_graph(a, f->names, g, NULL, NULL);
    }
    if (why && n->failures++ < 5)
        diag("%s: %s after %s: %.3000s", path, name_text(f->names, g->name), after, why);
    return !why;
}

static void through_passes(struct front *f, struct arena *a, struct module *m, const struct ast *fn,
                           const char *path, int order, struct counts *n) {
    struct diags d;
    struct pass_target target = {32, 16, false};
    struct pipeline p;
    struct rng r = {(uint64_t)order * 1000 + (uint64_t)n->functions};
    diags_init(&d, a, f->sources);
    struct graph *g = lower_printed(a, f->names, sym_ctx_new(a, f->names), &d, m, fn);
    if (!g || d.errors || !graph_verify(g, "lower", &d))
        return; /* its shapes or its static arguments say too little */
    n->functions += order == 0;
    pipeline_default(&p);
    for (uint32_t i = p.n; i > 1 && order; i--) {
        uint32_t k = (uint32_t)rng_below(&r, (int)i);
        enum pass_id x = p.at[i - 1];
        p.at[i - 1] = p.at[k];
        p.at[k] = x;
    }
    const char *after = "lower";
    for (uint32_t i = 0; look(f, a, g, path, after, n) && i < p.n; i++) {
        struct arena *scratch = arena_new();
        passes[p.at[i]].run(g, scratch, &target);
        arena_free(scratch);
        after = arena_printf(a, "%s, %s", after, passes[p.at[i]].name);
    }
}

static void look_at_file(struct front *f, struct module *outer, const char *path,
                         struct counts *n) {
    struct arena *a = arena_new();
    struct diags d;
    size_t size;
    const char *why, *text = source_read_file(a, path, &size, &why);
    if (text) {
        diags_init(&d, a, f->sources);
        struct module *m = module_new(a, f->names, path, outer);
        struct ast *file = parse_source(a, f->names, &d, sources_add(f->sources, path, text, size));
        for (uint32_t k = 0; k < file->nkids; k++)
            if (ast_is_definition(file->kids[k]))
                module_define(m, file->kids[k]);
        struct check_builtins builtins = {front_is_builtin, f->names, NULL, NULL};
        bool well = d.errors == 0 && check_file(a, m, &builtins, front_no_variable, NULL, &d, file);
        for (uint32_t k = 0; well && k < file->nkids; k++)
            for (int order = 0; file->kids[k]->kind == AST_FN && order < ORDERS; order++)
                through_passes(f, a, m, file->kids[k], path, order, n);
    }
    arena_free(a);
}

/* In the files of FOLDER, which see what OUTER has; a folder in one of MODULES is a module. */
static void look_in(struct front *f, struct module *outer, const char *folder, bool modules,
                    struct counts *n) {
    struct dirent **found;
    int count = scandir(folder, &found, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = found[i]->d_name;
        size_t length = strlen(name);
        const char *path = arena_printf(f->arena, "%s/%s", folder, name);
        if (name[0] != '.' && length > 4 && strcmp(name + length - 4, ".dcl") == 0)
            look_at_file(f, outer, path, n);
        else if (name[0] != '.' && found[i]->d_type == DT_DIR)
            look_in(f, modules ? front_module(f, path) : outer, path, strcmp(name, "modules") == 0,
                    n);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

int main(void) {
    static const char *const rooms[] = {"stdlib", "examples", "tests"};
    const char *source = getenv("DCL_SRC");
    struct arena *a = arena_new();
    source = source ? source : ".";
    struct front *f = front_new(a, arena_printf(a, "%s/stdlib", source));
    struct counts n = {0, 0, 0};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        look_in(f, f->prelude, arena_printf(a, "%s/%s", source, rooms[i]), false, &n);
    ok(n.functions > 20, "%d functions become graphs", n.functions);
    is_int(n.failures, 0, "%d graphs read back from their text", n.graphs);
    arena_free(a);
    return done_testing();
}
