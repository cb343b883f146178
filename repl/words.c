/* The commands of the prompt: finding them, and those about the session itself. */
#include "repl/prompt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct word words[WORD_COUNT] = {
#define WORD(name, arguments, completes, doc)                                                      \
    [WORD_##name] = {#name, arguments, doc, WORD_##completes, word_##name},
#include "repl/word.def"
#undef WORD
};

bool word_usage(enum word_id w) {
    fflush(stdout);
    fprintf(stderr, "it is called so: :%s%s%s\n", words[w].name, *words[w].arguments ? " " : "",
            words[w].arguments);
    return false;
}

/* The command called NAME; WORD_COUNT if there is none. */
static enum word_id find(const char *name) {
    int w = 0;
    while (w < WORD_COUNT && strcmp(words[w].name, name) != 0)
        w++;
    return (enum word_id)w;
}

/* A message about NAME, which is no command. */
static bool unknown(const char *name) {
    const char *names[WORD_COUNT];
    for (int w = 0; w < WORD_COUNT; w++)
        names[w] = words[w].name;
    const char *near = session_nearest(name, names, WORD_COUNT);
    int begun = 0;
    for (int w = 0; w < WORD_COUNT; w++)
        if (strncmp(names[w], name, strlen(name)) == 0 && begun++ == 0)
            near = names[w];
    if (begun > 1)
        near = NULL;
    if (strcmp(name, "exit") == 0)
        near = words[WORD_quit].name;
    fflush(stdout);
    fprintf(stderr, "there is no command :%s; %s%s%s\n", name,
            near ? "did you mean :" : "see :help", near ? near : "", near ? "?" : "");
    return false;
}

bool word_begins(const char *text) {
    struct arena *a = arena_new();
    bool known = find(arena_strndup(a, text, strcspn(text, " \t\r\n"))) != WORD_COUNT;
    arena_free(a);
    return known;
}

bool word_run(struct prompt *p, const char *text) {
    size_t n = strcspn(text, " \t"), end = strlen(text);
    const char *name = arena_strndup(p->arena, text, n);
    enum word_id w = find(name);
    if (w == WORD_COUNT)
        return unknown(name);
    n += strspn(text + n, " \t");
    while (end > n && strchr(" \t\r", text[end - 1]))
        end--;
    const char *arguments = arena_strndup(p->arena, text + n, end - n);
    if (*arguments && !*words[w].arguments)
        return word_usage(w);
    return words[w].run(p, arguments);
}

/* --- help ------------------------------------------------------------------------------------ */

static void help_word(enum word_id w) {
    const char *blank = *words[w].arguments ? " " : "";
    char term[100];
    snprintf(term, sizeof term, ":%s%s%s", words[w].name, blank, words[w].arguments);
    help_entry(stdout, term, words[w].doc);
}

bool word_help(struct prompt *p, const char *name) {
    const char *plain = *name == ':' ? name + 1 : name;
    enum word_id w = find(plain);
    if (!*name) {
        for (int k = 0; k < WORD_COUNT; k++)
            help_word((enum word_id)k);
        fputs("Everything else is DCL: definitions, statements, and expressions, whose value is "
              "printed.\nTab completes, Ctrl-C stops what runs and drops what is half typed, which "
              "a command "
              "does, too.\n",
              stdout);
        return true;
    }
    if (*name == ':' && w == WORD_COUNT)
        return unknown(plain);
    if (*name == ':') {
        help_word(w);
        return true;
    }
    const char *text = session_help(p->session, name);
    if (text)
        fputs(text, stdout);
    else if (w == WORD_COUNT)
        print_messages(p->session);
    if (w != WORD_COUNT) /* a name may be both: `time` is a function, too */
        help_word(w);
    return text || w != WORD_COUNT;
}

/* --- the session ----------------------------------------------------------------------------- */

bool word_quit(struct prompt *p, const char *arguments) {
    (void)arguments;
    p->quit = true;
    return true;
}

bool word_reset(struct prompt *p, const char *arguments) {
    (void)arguments;
    dcl_session *fresh = open_session(p->options);
    if (!fresh)
        return false;
    interrupt_install(fresh, false);
    session_pictures(fresh, p->pictures);
    line_reader_session(p->reader, fresh);
    dcl_close(p->session);
    p->session = fresh;
    p->saved.n = 0;
    return true;
}

static void print_entry(void *data, int number, const char *entry) {
    (void)data;
    printf("%5d  ", number);
    for (const char *end; (end = strchr(entry, '\n')); entry = end + 1)
        printf("%.*s\n       ", (int)(end - entry), entry);
    printf("%s\n", entry);
}

bool word_history(struct prompt *p, const char *arguments) {
    char *end;
    long most = *arguments ? strtol(arguments, &end, 10) : 25;
    if (*arguments && (*end || most <= 0))
        return word_usage(WORD_history);
    line_history(p->reader, most > 1000000 ? 1000000 : (int)most, print_entry, NULL);
    return true;
}

/* --- files ----------------------------------------------------------------------------------- */

/* FILE, or "FILE" as a string is written. */
static const char *file_name(struct prompt *p, const char *text) {
    size_t n = strlen(text);
    bool quoted = n > 1 && text[0] == '"' && text[n - 1] == '"';
    return quoted ? arena_strndup(p->arena, text + 1, n - 2) : text;
}

bool word_load(struct prompt *p, const char *arguments) {
    const char *path = file_name(p, arguments), *text;
    if (!*path)
        return word_usage(WORD_load);
    bool ok = session_load(p->session, path, &text) == 0;
    print_messages(p->session);
    if (ok && text) {
        saved_add(p, text, path);
    } else if (ok) { /* a model: the statement that does the same */
        struct buf model = buf_new(p->arena);
        buf_text(&model, "model = load(");
        quote_text(&model, path);
        buf_text(&model, ")");
        saved_add(p, model.at, NULL);
    }
    return ok;
}

bool word_save(struct prompt *p, const char *arguments) {
    const char *path = file_name(p, arguments);
    if (!*path)
        return word_usage(WORD_save);
    bool ok = saved_write(p, path);
    if (!ok) {
        fflush(stdout);
        fprintf(stderr, "%s cannot be written: %s\n", path, strerror(errno));
    }
    return ok;
}
