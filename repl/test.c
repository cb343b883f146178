/* dcl test: the asserts of scripts and the examples of documentation, a line for each.
   A script runs statement by statement; an assert that fails is counted and the script goes on,
   anything else that fails ends it. Examples run compiled and by the reference evaluator, unless
   one of them is asked for, and both have to agree. */
#include "repl/repl.h"

#include "lang/parse/parse.h"
#include "repl/example.h"

#include <string.h>

struct tests {
    const struct command_line *c;
    struct arena *arena; /* of one file */
    const char *path;
    bool tap;
    bool wrong; /* the file's definitions are */
    int count, failures;
    int status;
    dcl_session *open[2];
    int nopen;
};

/* --- reports --------------------------------------------------------------------------------- */

/* One line of TEXT, its blanks drawn together, and no # in TAP, where it begins a directive. */
static const char *one_line(struct arena *a, const char *text, size_t n, bool tap) {
    struct buf b = buf_new(a);
    for (size_t i = 0; i < n; i++) {
        bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t';
        if (blank && b.n && b.at[b.n - 1] != ' ')
            buf_text(&b, " ");
        if (!blank && text[i] == '#' && tap)
            buf_text(&b, "\\");
        if (!blank)
            buf_bytes(&b, text + i, 1);
    }
    return b.n ? b.at : "";
}

/* The details of a failure, on standard error behind its line. */
static void details(const struct tests *t, const char *text) {
    fflush(stdout);
    while (*text) {
        size_t n = strcspn(text, "\n");
        fprintf(stderr, "%s%.*s\n", t->tap ? "# " : "    ", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void report(struct tests *t, bool passed, uint32_t line, const char *text, size_t n) {
    t->count++;
    t->failures += !passed;
    if (!passed && t->status < EXIT_ERROR)
        t->status = EXIT_ERROR;
    const char *shown = one_line(t->arena, text, n, t->tap);
    if (t->tap)
        printf("%sok %d - %s:%u: %s\n", passed ? "" : "not ", t->count, t->path, line, shown);
    else
        printf("%-7s %s:%u: %s\n", passed ? "ok" : "FAILED", t->path, line, shown);
}

/* What the last call of S said; whether it was stopped or is our own mistake. */
static void explain(struct tests *t, dcl_session *s) {
    details(t, session_messages(s));
    if (session_bug(s))
        t->status = EXIT_BUG;
    if (interrupted())
        t->status = EXIT_SIGINT;
}

/* --- sessions -------------------------------------------------------------------------------- */

static void write_aside(void *data, const char *text, size_t n) {
    (void)data;
    fflush(stdout);
    fwrite(text, 1, n, stderr);
}

/* A session that knows the file's definitions, until close_sessions; NULL after a report. */
static dcl_session *session_for(struct tests *t, const char *backend) {
    struct command_line c = *t->c;
    struct words one = {1, &backend};
    if (backend)
        c.values[OPTION_backend] = one;
    dcl_session *s = open_session(&c);
    if (!s) {
        t->status = EXIT_USAGE;
        return NULL;
    }
    interrupt_install(s, true);
    dcl_output(s, write_aside, NULL);
    t->open[t->nopen++] = s;
    if (session_define(s, t->path) == 0)
        return s;
    t->wrong = true;
    report(t, false, 1, "definitions", 11);
    explain(t, s);
    return NULL;
}

static void close_sessions(struct tests *t) {
    interrupt_install(NULL, false);
    while (t->nopen)
        dcl_close(t->open[--t->nopen]);
}

/* --- scripts --------------------------------------------------------------------------------- */

static bool is_assert(const struct names *names, const struct ast *node) {
    return node->kind == AST_CALL && node->kids[0]->kind == AST_NAME &&
           strcmp(name_text(names, node->kids[0]->name), "assert") == 0;
}

static bool has_assert(const struct names *names, const struct ast *node) {
    if (!node || ast_is_definition(node))
        return false;
    if (is_assert(names, node))
        return true;
    for (uint32_t i = 0; i < node->nkids; i++)
        if (has_assert(names, node->kids[i]))
            return true;
    return false;
}

/* The text of a statement where it stands in its file, so that messages tell its place. */
static const char *in_place(struct arena *a, const struct source *file, const struct ast *st,
                            uint32_t *line) {
    uint32_t column;
    source_position(file, st->span.start, line, &column);
    struct buf b = buf_new(a);
    for (uint32_t i = 1; i < *line; i++)
        buf_text(&b, "\n");
    for (uint32_t i = 1; i < column; i++)
        buf_text(&b, " ");
    buf_bytes(&b, file->text + st->span.start, st->span.end - st->span.start);
    buf_text(&b, "\n");
    return b.at;
}

static void run_script(struct tests *t, const struct names *names, const struct source *file,
                       const struct ast *tree) {
    dcl_session *s = NULL;
    for (uint32_t i = 0; i < tree->nkids && t->status < EXIT_USAGE; i++) {
        const struct ast *st = tree->kids[i];
        uint32_t line;
        if (ast_is_definition(st) || st->kind == AST_USE)
            continue;
        if (!s && !(s = session_for(t, NULL)))
            break;
        struct arena *a = arena_under(t->arena);
        bool passed = dcl_run(s, in_place(a, file, st, &line), t->path) == 0;
        if (!passed || has_assert(names, st))
            report(t, passed, line, file->text + st->span.start, st->span.end - st->span.start);
        if (!passed)
            explain(t, s);
        arena_free(a);
        if (!passed && !is_assert(names, st))
            break;
    }
    close_sessions(t);
}

/* --- examples -------------------------------------------------------------------------------- */

static void run_example(struct tests *t, dcl_session *const *sessions, int n,
                        const struct example *e, const char *name, uint32_t line) {
    struct arena *a = arena_under(t->arena);
    struct buf out[2] = {buf_new(a), buf_new(a)};
    dcl_session *failed = NULL;
    if (strstr(e->expression, "minimize ") || strstr(e->expression, "gradient "))
        n = 1;
    for (int i = 0; i < n && !failed; i++) {
        interrupt_install(sessions[i], true);
        if (!example_run(sessions[i], a, e, &out[i]))
            failed = sessions[i];
    }
    const char *got = out[0].n ? out[0].at : "", *other = n > 1 && out[1].n ? out[1].at : "";
    bool agree = n < 2 || example_agrees(got, other);
    bool right = !e->result || example_agrees(got, e->result);
    const char *text = arena_printf(a, "%s: %s", name, e->expression);
    report(t, !failed && agree && right, line, text, strlen(text));
    if (failed)
        explain(t, failed);
    else if (!right)
        details(t, arena_printf(a, "it is   %s\nand not %s", got, e->result));
    else if (!agree)
        details(t, arena_printf(a, "compiled  %s\nreference %s", got, other));
    arena_free(a);
}

static void run_examples(struct tests *t, const struct names *names, const struct source *file,
                         const struct ast *tree) {
    static const char *const both[] = {"cpu", "ref"};
    dcl_session *sessions[2] = {NULL, NULL};
    int n = option_value(t->c, OPTION_backend) || option_value(t->c, OPTION_check) ? 1 : 2;
    for (uint32_t i = 0; i < tree->nkids && t->status < EXIT_USAGE; i++) {
        const struct ast *item = tree->kids[i];
        struct example e;
        uint32_t line, column;
        bool documented = (item->kind == AST_FN || item->kind == AST_LAYER) && item->doc;
        int found = documented ? example_read(t->arena, item->doc, &e) : 0;
        if (!found)
            continue;
        const char *name = name_text(names, item->name);
        source_position(file, item->span.start, &line, &column);
        if (found < 0) {
            const char *text = arena_printf(t->arena, "%s: its example", name);
            report(t, false, line, text, strlen(text));
            details(t, "it is no `EXPRESSION` with NAME: TYPE, .. is `RESULT`");
            continue;
        }
        for (int k = 0; k < n; k++)
            if (!sessions[k] && !(sessions[k] = session_for(t, n > 1 ? both[k] : NULL)))
                goto end;
        run_example(t, sessions, n, &e, name, line);
    }
end:
    close_sessions(t);
}

static void test_file(struct tests *t) {
    struct diags d;
    size_t n;
    const char *why, *text = source_read_text(t->arena, t->path, &n, &why);
    if (!text) {
        report(t, false, 1, why, strlen(why));
        return;
    }
    struct names *names = names_new(t->arena);
    diags_init(&d, t->arena, sources_new(t->arena));
    uint32_t source = sources_add(d.sources, t->path, text, n);
    const struct ast *tree = parse_source(t->arena, names, &d, source);
    if (d.errors) {
        struct buf messages = buf_new(t->arena);
        report(t, false, 1, "syntax", 6);
        diags_print(&d, &messages, false);
        details(t, messages.at);
        return;
    }
    run_examples(t, names, sources_get(d.sources, source), tree);
    if (!t->wrong)
        run_script(t, names, sources_get(d.sources, source), tree);
}

/* A file that memory does not suffice for has failed. */
static void test_file_in_memory(struct tests *t) {
    jmp_buf no_memory, *former = arena_on_oom(&no_memory);
    bool enough = setjmp(no_memory) == 0;
    if (enough)
        test_file(t);
    arena_on_oom(former);
    if (enough)
        return;
    close_sessions(t);
    arena_reset(t->arena);
    report(t, false, 1, "not enough memory", 17);
}

int command_test(const struct command_line *c) {
    struct tests t = {.c = c, .tap = option_value(c, OPTION_tap) != NULL};
    for (int i = 0; i < c->files.n && t.status < EXIT_USAGE; i++) {
        t.arena = arena_new();
        t.path = c->files.at[i];
        t.wrong = false;
        test_file_in_memory(&t);
        arena_free(t.arena);
    }
    if (t.tap)
        printf("1..%d\n", t.count);
    else
        printf("%d test%s, %d failed\n", t.count, t.count == 1 ? "" : "s", t.failures);
    return t.status;
}
