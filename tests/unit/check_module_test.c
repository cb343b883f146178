/* Modules: whose definition a name means; and which name was meant. */
#include "tests/harness/tap.h"
#include "tests/unit/check_program.h"

static struct ast *define(struct module *m, const char *name) {
    struct ast *fn = ast_new(m->arena, AST_FN, (struct span){0}, 4);
    fn->name = name_of_text(m->names, name);
    module_define(m, fn);
    return fn;
}

struct seen {
    struct names *names;
    struct buf text;
};

static void list(void *data, struct name n, struct ast *def) {
    struct seen *s = data;
    buf_printf(&s->text, "%s%s ", name_text(s->names, n), name_eq(def->name, n) ? "" : "?");
}

static void test_lookup(struct arena *a) {
    struct names *t = names_new(a);
    struct module *prelude = module_new(a, t, "prelude", NULL);
    struct module *used = module_new(a, t, "used", prelude);
    struct module *m = module_new(a, t, "m", prelude);
    VEC_PUSH(a, m->uses, used);
    struct ast *far = define(prelude, "mean"), *mean = define(m, "mean");
    struct ast *relu = define(prelude, "relu"), *mine = define(used, "relu");
    struct ast *only = define(prelude, "only");
    const struct module *where = NULL;
    ok(module_find(m, mean->name, &where) == mean && where == m, "its own definition first");
    ok(module_find(m, relu->name, &where) == mine && where == used, "then that of a used module");
    ok(module_find(m, only->name, &where) == only && where == prelude, "then the prelude's");
    ok(module_find(prelude, mean->name, NULL) == far && module_find(used, mean->name, NULL) == far,
       "a user's mean does not change the library's");
    where = m;
    ok(!module_find(m, name_of_text(t, "none"), &where) && where == m, "unknown");
    struct seen s = {t, buf_new(a)};
    module_each(m, list, &s);
    is_str(s.text.at, "mean relu only ", "each name once, nearest first");
    struct ast *again = define(m, "mean");
    ok(module_find(m, mean->name, NULL) == again, "a new definition replaces the old one");
}

static void test_nearest(struct arena *a) {
    struct names *t = names_new(a);
    struct module *prelude = module_new(a, t, "prelude", NULL);
    struct module *m = module_new(a, t, "m", prelude);
    define(prelude, "softmax");
    define(prelude, "log_softmax");
    define(m, "relu");
    define(m, "gelu");
    define(m, "ab");
    define(m, "SGD");
    define(prelude, "std");
    static const struct {
        const char *slip, *meant;
    } cases[] = {
        {"sofmax", "softmax"},
        {"softmaxx", "softmax"},
        {"sotfmax", "softmax"},
        {"softmin", "softmax"},
        {"sftmin", ""},
        {"rleu", "relu"},
        {"rel", "relu"},
        {"relv", "relu"},
        {"rrlu", "relu"},
        {"qelu", "relu"},
        {"ac", ""},
        {"a", ""},
        {"logsofmax", "log_softmax"},
        {"", ""},
        {"height", ""},
        {"sgd", "SGD"},
        {"Std", "std"},
        {"AB", "ab"},
        {"SoftMax", "softmax"},
        {"LOGsofmax", "log_softmax"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(name_text(t, check_nearest(m, name_of_text(t, cases[i].slip), NULL, 0)),
               cases[i].meant, "'%s'", cases[i].slip);
    struct name extra[] = {name_of_text(t, "height"), name_of_text(t, "rely")};
    is_str(name_text(t, check_nearest(m, name_of_text(t, "heigth"), extra, 2)), "height",
           "of further names");
    is_str(name_text(t, check_nearest(m, name_of_text(t, "relx"), extra, 2)), "rely",
           "which stand before definitions at the same distance");
    char lengthy[200];
    memset(lengthy, 'x', sizeof lengthy);
    define(m, arena_strndup(a, lengthy, 199));
    ok(name_none(check_nearest(m, name_of(t, lengthy, 198), NULL, 0)), "very long names");
}

int main(void) {
    struct arena *a = arena_new();
    test_lookup(a);
    test_nearest(a);
    arena_free(a);
    return done_testing();
}
