/* What libFuzzer calls with each text: it is parsed, checked beside the standard library and its
   definitions are elaborated, as `dcl check` does, and its statements evaluated; what was accepted
   prints and reads back. Built and run by `front_end`. DCL_SRC is where stdlib lies. */
#include "compiler/lower/lower.h"
#include "lang/check/check.h"
#include "lang/parse/parse.h"
#include "lang/print/print.h"
#include "tests/fuzz/front.h"

#include <stdlib.h>

#define INPUTS 3000 /* texts until names and sources are given back */

static struct front *front;
static int inputs;

static void open_front(void) {
    const char *source = getenv("DCL_SRC");
    struct arena *a = arena_new();
    front = front_new(a, arena_printf(a, "%s/stdlib", source ? source : "."));
    if (front->diags.errors)
        abort();
    inputs = 0;
}

/* What is printed of a text without errors has none either. */
static void print_again(struct arena *a, const struct ast *file) {
    struct buf text = buf_new(a);
    struct diags d;
    diags_init(&d, a, front->sources);
    print_ast(front->names, file, &text);
    parse_source(a, front->names, &d, sources_add(front->sources, "again", text.at, text.n));
    if (d.errors)
        abort();
}

/* The statements between the definitions, until one is wrong. */
static void evaluate(struct arena *a, const struct ast *file, const struct module *m,
                     struct diags *d) {
    struct sym_ctx *syms = sym_ctx_new(a, front->names);
    struct lower *l = lower_begin(a, front->names, syms, d, front->prelude,
                                  name_of_text(front->names, "script"), 32, 16, NULL);
    struct env *env = env_new(a, ENV_SCRIPT, NULL, m);
    struct value v;
    for (uint32_t i = 0; i < file->nkids; i++) {
        const struct ast *item = file->kids[i];
        if (ast_is_definition(item) || item->kind == AST_USE)
            continue;
        if (!eval_statement(lower_eval(l), env, item, &v))
            break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (front && inputs++ == INPUTS) {
        arena_free(front->arena);
        front = NULL;
    }
    if (!front)
        open_front();
    struct arena *a = arena_new();
    struct module *m = module_new(a, front->names, "fuzzed", front->prelude);
    struct check_builtins builtins = {front_is_builtin, front->names, NULL, NULL};
    struct diags d;
    struct buf messages = buf_new(a);
    diags_init(&d, a, front->sources);
    const char *text = arena_strndup(a, (const char *)data, n);
    uint32_t source = sources_add(front->sources, "fuzzed.dcl", text, n);
    struct ast *file = parse_source(a, front->names, &d, source);
    if (!d.errors)
        print_again(a, file);
    for (uint32_t i = 0; i < file->nkids && !d.errors; i++)
        if (ast_is_definition(file->kids[i]))
            module_define(m, file->kids[i]);
    if (!d.errors && check_file(a, m, &builtins, front_no_variable, NULL, &d, file))
        for (uint32_t i = 0; i < file->nkids; i++)
            lower_check_definition(a, front->names, &d, m, file->kids[i], NULL);
    if (!d.errors)
        evaluate(a, file, m, &d);
    diags_print(&d, &messages, false);
    arena_free(a);
    return 0;
}
