/* dcl repl: reads, runs, prints. Lines that belong together are collected first; an error leaves
   the session as it was. Commands of the REPL itself begin with a colon. */
#include "repl/repl.h"

#include "lang/base/buf.h"
#include "lang/parse/parse.h"

#include <stdlib.h>
#include <string.h>

struct loop {
    struct arena *arena; /* of one input */
    dcl_session *session;
    struct line_reader *reader;
    unsigned inputs;
    bool failed, quit;
};

/* --- commands ------------------------------------------------------------------------------- */

static void word_help(struct loop *l, const char *arguments) {
    (void)l;
    (void)arguments;
    help_words(stdout);
}

static void word_quit(struct loop *l, const char *arguments) {
    (void)arguments;
    l->quit = true;
}

static void word_show(struct loop *l, const char *arguments) {
    size_t n = strcspn(arguments, " \t");
    const char *name = arena_strndup(l->arena, arguments, n), *as = arguments + n, *text = NULL;
    as += strspn(as, " \t");
    if (n == 0) {
        fprintf(stderr, ":show wants a name\n");
        return;
    }
    if (!*as) {
        text = session_describe(l->session, name);
    } else {
        dcl_function *f = dcl_compile(l->session, name);
        text = f ? dcl_show(f, "", as) : NULL;
    }
    if (text)
        fputs(text, stdout);
    else
        l->failed = true;
    print_messages(l->session);
}

static const struct {
    const char *name;
    void (*run)(struct loop *l, const char *arguments);
} words[] = {
#define WORD(name, arguments, doc) {#name, word_##name},
#include "repl/options.def"
};
enum { WORDS = sizeof words / sizeof words[0] };

static void run_word(struct loop *l, const char *text) {
    size_t n = strcspn(text, " \t");
    const char *name = arena_strndup(l->arena, text, n), *names[WORDS];
    text += n;
    text += strspn(text, " \t");
    for (int i = 0; i < WORDS; i++) {
        names[i] = words[i].name;
        if (strcmp(names[i], name) == 0) {
            words[i].run(l, text);
            return;
        }
    }
    const char *near = session_nearest(name, names, WORDS);
    fflush(stdout);
    fprintf(stderr, "there is no command :%s; %s%s%s\n", name,
            near ? "did you mean :" : "see :help", near ? near : "", near ? "?" : "");
    l->failed = true;
}

/* --- reading -------------------------------------------------------------------------------- */

/* Whether a line that begins so goes on with the one before (LANGUAGE.md, "Statements"). */
static bool goes_on(const char *line, size_t n) {
    static const char *const starts[] = {"->", "|>", "where", "else"};
    while (n && (*line == ' ' || *line == '\t')) {
        line++;
        n--;
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t k = strlen(starts[i]);
        if (n < k || strncmp(line, starts[i], k) != 0)
            continue;
        char next = n > k ? line[k] : ' ';
        bool letter = starts[i][0] >= 'a';
        if (!letter || next == ' ' || next == '\t' || next == '{' || next == '(')
            return true;
    }
    return false;
}

/* Whether INPUT, up to its last line at LAST, begins a definition whose body is still to come. An
   empty line ends it. */
static bool wants_body(const char *input, const char *last, size_t n) {
    static const char *const words[] = {"fn", "layer"};
    input += strspn(input, " \t\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t k = strlen(words[i]);
        if (strncmp(input, words[i], k) == 0 && input[k] == ' ')
            return !strchr(input, '{') && n > strspn(last, " \t");
    }
    return false;
}

static bool wants_more(const struct buf *input, const char *last, size_t n) {
    return parse_wants_more(input->at, input->n) || wants_body(input->at, last, n);
}

/* One input: a line, or several that belong together. */
static enum line_status read_input(struct loop *l, struct buf *input) {
    const char *line;
    size_t n;
    enum line_status status = line_read(l->reader, false, &line, &n);
    if (status != LINE_READ)
        return status;
    buf_bytes(input, line, n);
    buf_text(input, "\n");
    size_t start = strspn(input->at, " \t");
    if (input->at[start] == ':')
        return LINE_READ;
    while (wants_more(input, line, n)) {
        status = line_read(l->reader, true, &line, &n);
        if (status == LINE_END)
            break; /* the parser tells what is not closed */
        if (status == LINE_INTERRUPTED)
            return status;
        buf_bytes(input, line, n);
        buf_text(input, "\n");
    }
    while (line_can_look(l->reader) && line_read(l->reader, true, &line, &n) == LINE_READ) {
        if (!goes_on(line, n)) {
            line_unread(l->reader);
            break;
        }
        do {
            buf_bytes(input, line, n);
            buf_text(input, "\n");
        } while (wants_more(input, line, n) && line_read(l->reader, true, &line, &n) == LINE_READ);
    }
    return LINE_READ;
}

static void run_input(struct loop *l, struct buf *input) {
    size_t start = strspn(input->at, " \t");
    if (input->at[start] == ':') {
        input->at[strcspn(input->at, "\n")] = '\0';
        run_word(l, input->at + start + 1);
        return;
    }
    const char *path = arena_printf(l->arena, "<input %u>", ++l->inputs);
    if (session_line(l->session, input->at, path))
        l->failed = true;
    print_messages(l->session);
}

static int read_and_run(struct loop *l) {
    while (!l->quit) {
        struct buf input = buf_new(l->arena);
        enum line_status status = read_input(l, &input);
        if (status == LINE_END)
            break;
        if (status == LINE_INTERRUPTED) {
            if (!line_is_terminal(l->reader))
                return EXIT_SIGINT;
        } else if (input.n > strspn(input.at, " \t\n")) {
            run_input(l, &input);
        }
        interrupted();
        fflush(stdout);
        arena_reset(l->arena);
    }
    return l->failed && !line_is_terminal(l->reader) ? EXIT_ERROR : EXIT_FINE;
}

int command_repl(const struct command_line *c) {
    if (c->files.n) {
        fprintf(stderr, "dcl: to run a file: dcl run %s\n", c->files.at[0]);
        return EXIT_USAGE;
    }
    struct loop l = {.session = open_session(c)};
    if (!l.session)
        return EXIT_USAGE;
    l.arena = arena_new();
    l.reader = line_reader_new(c->arena, l.session);
    interrupt_install(l.session, false);
    if (line_is_terminal(l.reader))
        printf("DCL %s. :help tells more, Ctrl-D leaves.\n", dcl_version());
    int status = read_and_run(&l);
    interrupt_install(NULL, false);
    line_reader_close(l.reader);
    arena_free(l.arena);
    dcl_close(l.session);
    return status;
}
