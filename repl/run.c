/* dcl run: a file, then perhaps one call of a function, which is said as a statement of the
   language: result_0 = ENTRY(NAME = load("FILE"), NAME = VALUE). */
#include "repl/repl.h"

#include "repl/entry.h"

#include "lang/base/buf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void quote_text(struct buf *b, const char *text) {
    buf_text(b, "\"");
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            buf_printf(b, "\\%c", *text);
        else if ((unsigned char)*text < 0x20 || *text == 0x7f)
            buf_printf(b, "\\x%02x", (unsigned char)*text);
        else
            buf_bytes(b, text, 1);
    }
    buf_text(b, "\"");
}

static bool is_name(const char *text) {
    for (const char *p = text; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        if (!letter && (p == text || *p < '0' || *p > '9'))
            return false;
    }
    return *text != '\0';
}

static bool check_name(const char *option, const char *name) {
    if (is_name(name))
        return true;
    fprintf(stderr, "dcl: %s: '%s' is no name\n", option, name);
    return false;
}

bool value_is_number(const char *value) {
    char *end;
    if (access(value, F_OK) == 0)
        return false;
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
        return true;
    strtod(value, &end);
    return end != value && !*end && !strpbrk(value, "xXpP");
}

/* NAME = value for each --input and --set, separated by BETWEEN. */
static bool bindings(const struct command_line *c, const char *between, struct buf *b) {
    const char *name, *value, *separator = "";
    for (int i = 0; i < c->values[OPTION_input].n; i++) {
        if (!split_pair(c, "--input", c->values[OPTION_input].at[i], &name, &value) ||
            !check_name("--input", name))
            return false;
        buf_printf(b, "%s%s = ", separator, name);
        if (value_is_number(value)) {
            buf_text(b, value);
        } else {
            buf_text(b, "load(");
            quote_text(b, value);
            buf_text(b, ")");
        }
        separator = between;
    }
    for (int i = 0; i < c->values[OPTION_set].n; i++) {
        if (!split_pair(c, "--set", c->values[OPTION_set].at[i], &name, &value) ||
            !check_name("--set", name))
            return false;
        buf_printf(b, "%s%s = %s", separator, name, value);
        separator = between;
    }
    return true;
}

/* The file for result K of the entry, called NAME. */
static const char *output_for(const struct command_line *c, int k, const char *name, bool *used) {
    char number[20];
    snprintf(number, sizeof number, "%d", k);
    for (int i = 0; i < c->values[OPTION_output].n; i++) {
        const char *to, *file;
        if (!split_pair(c, "--output", c->values[OPTION_output].at[i], &to, &file))
            return NULL;
        if (strcmp(to, number) == 0 || (*name && strcmp(to, name) == 0)) {
            used[i] = true;
            return file;
        }
    }
    return NULL;
}

/* Whether each --output has a file of its own; else a message. */
static bool check_outputs(const struct command_line *c) {
    const struct words *all = &c->values[OPTION_output];
    const char *name, *file, *former;
    for (int i = 0; i < all->n; i++) {
        if (!split_pair(c, "--output", all->at[i], &name, &file))
            return false;
        for (int k = 0; k < i; k++)
            if (split_pair(c, "--output", all->at[k], &name, &former) &&
                strcmp(file, former) == 0) {
                fprintf(stderr, "dcl: --output %s and %s: one file for two results\n", all->at[k],
                        all->at[i]);
                return false;
            }
    }
    return true;
}

/* The call and what becomes of its results; false after a message. */
static bool entry_text(const struct command_line *c, dcl_session *s, const char *entry,
                       struct buf *b) {
    struct words names = {0, ARENA_ARRAY(c->arena, const char *, 64)};
    const char *name, *file;
    while (names.n < 64 && (name = session_result_name(s, entry, names.n)))
        names.at[names.n++] = arena_strndup(c->arena, name, strlen(name));
    bool known = names.n > 0, *used = ARENA_ARRAY(c->arena, bool, c->values[OPTION_output].n + 1);
    if (!known) /* an instance, or something that is no function: one result, or an error */
        names.at[names.n++] = "";
    for (int k = 0; k < names.n; k++)
        buf_printf(b, "%sresult_%d", k ? ", " : "", k);
    buf_printf(b, " = %s(", entry);
    if (!bindings(c, ", ", b))
        return false;
    buf_text(b, ")\n");
    for (int k = 0; k < names.n; k++) {
        file = output_for(c, k, names.at[k], used);
        if (file) {
            buf_text(b, "save(");
            quote_text(b, file);
            buf_printf(b, ", result_%d)\n", k);
        } else {
            buf_printf(b, "print(result_%d)\n", k);
        }
    }
    for (int i = 0; i < c->values[OPTION_output].n; i++)
        if (!used[i]) {
            fprintf(stderr, "dcl: --output %s: %s has no such result; it gives",
                    c->values[OPTION_output].at[i], entry);
            for (int k = 0; k < names.n; k++)
                fprintf(stderr, "%s %s", k ? "," : "",
                        *names.at[k] ? names.at[k] : arena_printf(c->arena, "%d", k));
            fputc('\n', stderr);
            return false;
        }
    return true;
}

/* ENTRY, called without any arguments, was an error: says how they are given. */
static void tell_arguments(dcl_session *s, const char *entry) {
    dcl_function *f = dcl_compile(s, entry);
    const char *name = f ? dcl_argument(f, 0, NULL) : NULL;
    if (name)
        fprintf(stderr, "dcl: arguments of %s are given so: --input %s=FILE, or --set %s=VALUE\n",
                entry, name, name);
}

static int run(const struct command_line *c, dcl_session *s) {
    const char *entry = option_value(c, OPTION_entry);
    struct buf before = buf_new(c->arena), call = buf_new(c->arena);
    if (!entry && !bindings(c, "\n", &before))
        return EXIT_USAGE;
    if (before.n && dcl_run(s, before.at, "<command line>")) {
        int status = finish_call(s, true);
        if (c->values[OPTION_set].n)
            fprintf(stderr, "dcl: --set gives an expression; text has quotes of its own, as in "
                            "--set 'NAME=\"text\"'\n");
        return status;
    }
    struct session_wants w;
    if (!entry_wants(c, &w))
        return EXIT_USAGE;
    session_want(s, &w);
    int status = finish_call(s, dcl_run_file(s, c->files.at[0]) != 0);
    session_want(s, NULL);
    if (status != EXIT_FINE || !entry)
        return status;
    if (!entry_text(c, s, entry, &call))
        return EXIT_USAGE;
    status = finish_call(s, dcl_run(s, call.at, "<command line>") != 0);
    if (status == EXIT_ERROR && !c->values[OPTION_input].n && !c->values[OPTION_set].n)
        tell_arguments(s, entry);
    return status;
}

int command_run(const struct command_line *c) {
    if (!option_value(c, OPTION_entry) && c->values[OPTION_output].n) {
        fprintf(stderr,
                "dcl: --output belongs to an --entry; a script writes by save(\"y.npy\", y)\n");
        return EXIT_USAGE;
    }
    if (!check_outputs(c))
        return EXIT_USAGE;
    dcl_session *s = open_session(c);
    if (!s)
        return EXIT_USAGE;
    interrupt_install(s, true);
    int status = run(c, s);
    interrupt_install(NULL, false);
    dcl_close(s);
    return status;
}
