/* ONNX models in the place of programs. `dcl COMMAND MODEL.onnx` imports the model in memory, and
   from there on goes as if the program that it is had been given: its instance is called `model`,
   and is the entry. --set and --dim say what is known of the model, as for an import; so do numbers
   that --input gives, and where the model leaves sizes open, they are those of its files. */
#include "repl/repl.h"

#include "lang/files/files.h"
#include "lang/parse/parse.h"

#include <string.h>

static void add(struct command_line *c, struct session_known known) {
    c->known[c->nknown++] = known;
}

static const char *const of_session[] = {
#define BUILTIN(name, writes, usage, doc) #name,
#include "session/builtin.def"
#undef BUILTIN
};

/* Whether E calls a function of the session, as load, so that only a run can evaluate it. */
static bool asks_session(const struct names *names, const struct ast *e) {
    const char *callee = e->kind == AST_CALL && e->kids[0]->kind == AST_NAME
                             ? name_text(names, e->kids[0]->name)
                             : "";
    bool asks = false;
    for (size_t i = 0; i < sizeof of_session / sizeof *of_session; i++)
        asks = asks || strcmp(callee, of_session[i]) == 0;
    for (uint32_t i = 0; i < e->nkids && !asks; i++)
        asks = e->kids[i] && asks_session(names, e->kids[i]);
    return asks;
}

static bool text_asks_session(const char *text) {
    struct arena *a = arena_new();
    struct sources *sources = sources_new(a);
    struct names *names = names_new(a);
    struct diags d;
    diags_init(&d, a, sources);
    bool asks = asks_session(
        names, parse_source(a, names, &d, sources_add(sources, "", text, strlen(text))));
    arena_free(a);
    return asks;
}

/* The values of option O are known; what asks the session is not, and stays an argument. False
   after a message. */
static bool add_given(struct command_line *c, enum option o, const char *option) {
    struct words *given = &c->values[o];
    int n = given->n;
    given->n = 0;
    for (int i = 0; i < n; i++) {
        struct session_known k = {.dimension = o == OPTION_dim};
        if (!split_pair(c, option, given->at[i], &k.name, &k.value))
            return false;
        if (c->command == COMMAND_run && o == OPTION_set && text_asks_session(k.value))
            given->at[given->n++] = given->at[i];
        else
            add(c, k);
    }
    return true;
}

/* The sizes of the tensor in FILE, which is to be the argument NAME; what is wrong with the file is
   told by whoever loads it. */
static void add_sizes(struct command_line *c, const char *name, const char *file) {
    struct arena *a = arena_under(c->arena);
    struct file_tensors all;
    struct diags d;
    diags_init(&d, a, sources_new(a));
    bool read = files_read(a, &d, (struct span){0}, file, DT_NONE, NULL, &all);
    const struct file_tensor *x = read ? files_find(&all, "") : NULL;
    if (read && !x && all.n == 1 && !all.at[0].shard)
        x = &all.at[0];
    for (uint32_t k = 0; x && k < x->rank; k++)
        add(c,
            (struct session_known){.name = arena_printf(c->arena, "%s[%u]", name, k),
                                   .value = arena_printf(c->arena, "%lld", (long long)x->dims[k]),
                                   .likely = true});
    arena_free(a);
}

/* A number is known, and no argument any more. */
static bool add_inputs(struct command_line *c) {
    struct words *inputs = &c->values[OPTION_input];
    int n = inputs->n;
    inputs->n = 0;
    for (int i = 0; i < n; i++) {
        const char *name, *value;
        if (!split_pair(c, "--input", inputs->at[i], &name, &value))
            return false;
        if (value_is_number(value)) {
            add(c, (struct session_known){.name = name, .value = value});
        } else {
            add_sizes(c, name, value);
            inputs->at[inputs->n++] = inputs->at[i];
        }
    }
    return true;
}

/* Whether the command takes models; else a message. */
static bool takes_models(const struct command_line *c) {
    const char *path = NULL;
    for (int i = 0; i < c->files.n && !path; i++)
        path = session_is_model(c->files.at[i]) ? c->files.at[i] : NULL;
    if (!path ||
        (c->command != COMMAND_fmt && c->command != COMMAND_doc && c->command != COMMAND_test))
        return true;
    fprintf(stderr, "dcl: %s wants a program; of the model %s, dcl import makes one\n",
            command_table[c->command].name, path);
    return false;
}

bool model_read(struct command_line *c) {
    static const char *const entry[] = {"model"};
    bool model = c->command == COMMAND_import || (c->files.n && session_is_model(c->files.at[0]));
    if (!model && c->values[OPTION_dim].n) {
        fprintf(stderr, "dcl: --dim belongs to a model, whose name ends in .onnx\n");
        return false;
    }
    if (!takes_models(c))
        return false;
    if (!model)
        return true;
    size_t most = (size_t)(c->values[OPTION_set].n + c->values[OPTION_dim].n) +
                  (size_t)c->values[OPTION_input].n * FILE_RANK_MAX;
    c->known = ARENA_ARRAY(c->arena, struct session_known, most + 1);
    if (!add_given(c, OPTION_set, "--set") || !add_given(c, OPTION_dim, "--dim") || !add_inputs(c))
        return false;
    if (option_is_of(OPTION_entry, c->command) && !c->values[OPTION_entry].n)
        c->values[OPTION_entry] = (struct words){1, (const char **)(uintptr_t)entry};
    return true;
}
