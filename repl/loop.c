/* dcl repl: reads, runs, prints. Lines that belong together are collected first; an error leaves
   the session as it was. Commands of the prompt itself begin with a colon. */
#include "repl/prompt.h"

#include "lang/base/source.h"
#include "lang/parse/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- what belongs together ----------------------------------------------------------------- */

/* An input while its lines come in. */
struct input {
    struct buf text;
    struct buf open; /* see parse_wants_more */
    bool more;       /* a bracket or an operator waits for the next line */
    bool doc;        /* all lines so far are documentation */
    uint32_t empty;  /* lines without anything at its end */
};

static const char *without_blanks(const char *line) {
    return line + strspn(line, " \t\r");
}

static bool begins_with(const char *line, const char *word) {
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && (line[n] == ' ' || line[n] == '\t');
}

static void add_line(struct input *in, const char *line, size_t n) {
    const char *start = without_blanks(line);
    bool first = in->text.n == 0;
    in->empty = *start ? 0 : in->empty + 1;
    in->doc = (first || in->doc) && strncmp(start, "##", 2) == 0;
    size_t from = in->text.n;
    buf_bytes(&in->text, line, n);
    buf_text(&in->text, "\n");
    in->more = parse_wants_more(&in->open, in->text.at + from, in->text.n - from);
}

/* Whether a line that begins so goes on with the one before (LANGUAGE.md, "Texts"). */
static bool goes_on(const char *line) {
    static const char *const starts[] = {"->", "|>", "where", "else"};
    line = without_blanks(line);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t k = strlen(starts[i]);
        if (strncmp(line, starts[i], k) != 0)
            continue;
        bool letter = starts[i][0] >= 'a';
        if (!letter || line[k] == '\0' || strchr(" \t{(", line[k]))
            return true;
    }
    return false;
}

/* What the parser says of an input so far: nothing, that it ends too early, or that it is wrong
   whatever follows. */
enum so_far { SO_FAR_WHOLE, SO_FAR_EARLY, SO_FAR_WRONG };

/* The messages about the syntax of IN, by place. */
static struct diags read_so_far(struct prompt *p, const struct input *in) {
    struct sources *sources = sources_new(p->arena);
    struct diags d;
    diags_init(&d, p->arena, sources);
    uint32_t source = sources_add(sources, "", in->text.at, in->text.n);
    parse_source(p->arena, names_new(p->arena), &d, source);
    return d;
}

static enum so_far so_far(struct prompt *p, const struct input *in) {
    struct diags d = read_so_far(p, in);
    size_t end = in->text.n;
    while (end > 0 && strchr(" \t\r\n", in->text.at[end - 1]))
        end--;
    if (!d.errors)
        return SO_FAR_WHOLE;
    return d.first->span.start >= end ? SO_FAR_EARLY : SO_FAR_WRONG;
}

/* Whether the input is the head of a definition: its body is still to come. */
static bool wants_body(struct prompt *p, const struct input *in) {
    static const char *const heads[] = {"fn", "grad", "layer", "rewrite"};
    const char *text = in->text.at;
    bool head = false;
    for (text += strspn(text, " \t\r\n"); strncmp(text, "##", 2) == 0;) {
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        head = head || begins_with(text, heads[i]);
    return head && so_far(p, in) == SO_FAR_EARLY;
}

/* Whether brackets are open: what is wrong within them is told when they are closed, so that the
   lines up to there are no inputs of their own. */
static bool in_brackets(const struct input *in) {
    return in->open.n && in->open.at[0] != ' ';
}

/* What an input waits for: the next line, whatever it is, or one that goes on with a head. Two
   empty lines end what somebody types, so that the parser can tell what is missing; one ends
   documentation and heads. */
enum wants { WANTS_NOTHING, WANTS_LINE, WANTS_BODY };

static enum wants wants_of(struct prompt *p, const struct input *in) {
    bool wrong = in->more && !in_brackets(in) && so_far(p, in) == SO_FAR_WRONG;
    if (in->more && !wrong && (in->empty < 2 || !line_is_terminal(p->reader)))
        return WANTS_LINE;
    if (in->more)
        return !wrong && line_waits(p->reader) ? WANTS_LINE : WANTS_NOTHING;
    if (in->empty)
        return WANTS_NOTHING;
    return in->doc ? WANTS_LINE : wants_body(p, in) ? WANTS_BODY : WANTS_NOTHING;
}

/* Whether a line belongs to the head of a definition before it, or begins its body. */
static bool continues_head(const char *line) {
    return goes_on(line) || *without_blanks(line) == '{';
}

static bool is_command(const char *text) {
    return *without_blanks(text) == ':';
}

/* What reading the next line of an input has come to: its end is told once it is asked for again,
   and by the parser. */
static bool has_line(struct prompt *p, const char **line, size_t *n, enum line_status *status) {
    *status = line_read(p->reader, true, line, n);
    bool read = *status == LINE_READ;
    if (*status == LINE_END)
        *status = LINE_READ;
    return read;
}

/* Whether the next line, which can be looked at, belongs to the input: of what was pasted all that
   is no command, else what goes on with the last line. If not, the input ends here, as *STATUS
   says. */
static bool takes_next(struct prompt *p, const char **line, size_t *n, enum line_status *status) {
    const char *pasted = line_pasted(p->reader);
    *status = LINE_READ;
    if (pasted)
        return !is_command(pasted) && has_line(p, line, n, status);
    if (!line_can_look(p->reader) || !has_line(p, line, n, status))
        return false;
    if (goes_on(*line))
        return true;
    line_unread(p->reader);
    return false;
}

/* A line that begins with a command ends what is not finished: it was given up. Inside of brackets
   another one may begin with a colon, as `:n]`. */
static bool gives_up(const char *line) {
    line = without_blanks(line);
    return *line == ':' && word_begins(line + 1);
}

/* The last bracket of IN that is never closed, and its line in *LINE; 0 if there is none. */
static char open_bracket(struct prompt *p, const struct input *in, const char **line) {
    struct diags d = read_so_far(p, in);
    const struct diag *last = NULL;
    for (const struct diag *e = d.first; e; e = e->next)
        if (e->code == ERR_UNCLOSED && (!last || e->span.start > last->span.start))
            last = e;
    if (!last)
        return 0;
    const char *start = in->text.at + last->span.start;
    *line = start;
    while (*line > in->text.at && (*line)[-1] != '\n')
        --*line;
    *line = without_blanks(*line);
    return *start;
}

/* Says what was not finished of IN, which is dropped. */
static void tell_dropped(struct prompt *p, const struct input *in) {
    const char *line;
    char bracket = open_bracket(p, in, &line);
    fflush(stdout);
    fputs("dropped what is not finished: ", stderr);
    if (bracket)
        fprintf(stderr, "'%c' is never closed in '%.*s'\n", bracket, (int)strcspn(line, "\n"),
                line);
    else if (in->more)
        fprintf(stderr, "nothing follows '%s'\n",
                arena_strndup(p->arena, without_blanks(in->open.at),
                              strcspn(without_blanks(in->open.at), "\n")));
    else
        fprintf(stderr, "%s\n", in->doc ? "no definition follows" : "no '{' follows");
    p->failed = true;
}

/* Reads what IN waits for. False: it ends here, as *STATUS says. */
static bool read_wanted(struct prompt *p, struct input *in, enum line_status *status) {
    const char *line;
    size_t n;
    for (;;) {
        enum wants wants = wants_of(p, in);
        bool pasted = line_pasted(p->reader) != NULL;
        if (wants == WANTS_NOTHING)
            return true;
        if (!has_line(p, &line, &n, status))
            return false;
        if (gives_up(line)) {
            line_unread(p->reader);
            tell_dropped(p, in);
            line_remember(p->reader, in->text.at, in->text.n);
            in->text.n = 0;
            return false;
        }
        if (wants == WANTS_BODY && !pasted && !continues_head(line)) {
            line_unread(p->reader); /* the parser tells what is missing before */
            return false;
        }
        add_line(in, line, n);
    }
}

/* One input: a line, several that belong together, or what was pasted. */
static enum line_status collect_input(struct prompt *p, struct input *in) {
    const char *line;
    size_t n;
    enum line_status status = line_read(p->reader, false, &line, &n);
    if (status != LINE_READ)
        return status;
    add_line(in, line, n);
    if (is_command(line))
        return LINE_READ;
    for (;;) {
        if (!read_wanted(p, in, &status))
            return status;
        if (in->more && in->empty >= 2)
            return LINE_READ;
        if (!takes_next(p, &line, &n, &status))
            return status;
        add_line(in, line, n);
    }
}

static enum line_status read_input(struct prompt *p, struct input *in) {
    enum line_status status = collect_input(p, in);
    if (source_is_text(in->text.at, in->text.n, NULL))
        line_remember(p->reader, in->text.at, in->text.n);
    return status;
}

/* --- running ------------------------------------------------------------------------------- */

/* Where TEXT, which is wrong, begins as a command without its colon, says so. */
static void offer_command(struct prompt *p, const char *text) {
    text = without_blanks(text);
    size_t n = strcspn(text, " \t\r\n(");
    const char *rest = text + n + strcspn(text + n, "\n");
    const char *word = arena_strndup(p->arena, text, n);
    bool leaves = strcmp(word, "exit") == 0;
    if (without_blanks(rest + (*rest == '\n'))[0]) /* several lines */
        return;
    const char *first = without_blanks(text + n);
    bool called = strncmp(text + n, "()", 2) == 0, alone = *first == '\n' || called;
    if (!alone && (first == text + n || strchr("=+-*/<>.,)]}", *first)))
        return;
    if (leaves || word_begins(word))
        fprintf(stderr, "commands begin with a colon: :%s\n", leaves ? "quit" : word);
}

static void run_input(struct prompt *p, const struct input *in) {
    bool ok = false;
    const char *why;
    if (!source_is_text(in->text.at, in->text.n, &why)) { /* as a file is refused */
        fprintf(stderr, "error: cannot read <input %u>: %s\n", ++p->inputs, why);
    } else if (is_command(in->text.at)) {
        const char *text = without_blanks(in->text.at) + 1;
        ok = word_run(p, arena_strndup(p->arena, text, strcspn(text, "\n")));
    } else {
        const char *path = arena_printf(p->arena, "<input %u>", ++p->inputs);
        ok = session_line(p->session, in->text.at, path) == 0;
        print_messages(p->session);
        if (ok)
            saved_add(p, in->text.at, NULL);
        else
            offer_command(p, in->text.at);
    }
    p->failed = p->failed || !ok;
}

/* One round. LINE_INTERRUPTED also where Ctrl-C ended what ran: what was to follow is dropped. */
static enum line_status read_and_run_one(struct prompt *p) {
    struct input in = {.text = buf_new(p->arena), .open = buf_new(p->arena)};
    enum line_status status = read_input(p, &in);
    if (status == LINE_FAILED) {
        fprintf(stderr, "dcl: standard input cannot be read: %s\n", strerror(errno));
        p->failed = true;
    }
    if (status != LINE_READ)
        return status;
    if (in.text.n > strspn(in.text.at, " \t\r\n"))
        run_input(p, &in);
    if (!interrupted())
        return LINE_READ;
    line_drop(p->reader);
    return LINE_INTERRUPTED;
}

/* The same where memory runs out outside of the session, as for a line: it is dropped. */
static enum line_status read_and_run_in_memory(struct prompt *p) {
    jmp_buf no_memory, *former = arena_on_oom(&no_memory);
    volatile enum line_status status = LINE_READ;
    if (setjmp(no_memory) == 0) {
        status = read_and_run_one(p);
    } else {
        line_drop(p->reader);
        fflush(stdout);
        fputs("error: not enough memory\n", stderr);
        p->failed = true;
    }
    arena_on_oom(former);
    return status;
}

static int read_and_run(struct prompt *p) {
    while (!p->quit) {
        enum line_status status = read_and_run_in_memory(p);
        fflush(stdout);
        arena_reset(p->arena);
        if (status == LINE_END || status == LINE_FAILED)
            break;
        if (status == LINE_INTERRUPTED && !line_is_terminal(p->reader))
            return EXIT_SIGINT;
    }
    return p->failed && !line_is_terminal(p->reader) ? EXIT_ERROR : EXIT_FINE;
}

/* The prompt takes no words: they are a command behind its options, or a file. */
static void tell_words(const struct command_line *c) {
    int k = 0;
    while (k < COMMAND_COUNT && strcmp(command_table[k].name, c->files.at[0]) != 0)
        k++;
    if (k == COMMAND_COUNT) {
        fprintf(stderr, "dcl: to run a file: dcl run %s\n", c->files.at[0]);
        return;
    }
    fputs("dcl: the command stands first: dcl", stderr);
    for (int i = 0; i < c->files.n; i++)
        fprintf(stderr, " %s", c->files.at[i]);
    for (int o = 0; o < OPTION_COUNT; o++)
        for (int i = 0; i < c->values[o].n; i++)
            fprintf(stderr, " %s%s%s", option_spelling((enum option)o).text,
                    *option_table[o].value ? " " : "", c->values[o].at[i]);
    fputc('\n', stderr);
}

int command_repl(const struct command_line *c) {
    if (c->files.n) {
        tell_words(c);
        return EXIT_USAGE;
    }
    struct prompt p = {.options = c, .session = open_session(c)};
    if (!p.session)
        return EXIT_USAGE;
    p.arena = arena_new();
    p.kept = arena_new();
    struct buf typed = buf_new(p.arena);
    interrupt_install(p.session, false); /* before the terminal is in another mode */
    p.pictures = terminal_pictures(&typed);
    session_pictures(p.session, p.pictures);
    p.reader = line_reader_new(c->arena, p.session, &p.pictures);
    if (!line_is_terminal(p.reader) || !interrupted()) /* else it was dropped */
        line_typed(p.reader, typed.at);
    if (line_is_terminal(p.reader))
        printf("DCL %s. :help tells more, Ctrl-D leaves.\n", dcl_version());
    int status = read_and_run(&p);
    interrupt_install(NULL, false);
    if (line_is_terminal(p.reader)) /* one that came behind the end of a line ends nothing */
        interrupted();
    line_reader_close(p.reader);
    dcl_close(p.session);
    arena_free(p.kept);
    arena_free(p.arena);
    return status;
}
