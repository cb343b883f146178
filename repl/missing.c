/* What a command line lacks, or has too much of: said with a line that would do. What a command
   wants stands in its arguments in options.def: FILE is one word, FILE.. at least one, brackets are
   around what may be absent, and --entry belongs to those that have it there. */
#include "repl/repl.h"

#include "lang/parse/parse.h"

#include <string.h>
#include <unistd.h>

/* The first function of the file PATH, NAME if there is none. */
static const char *some_function(struct arena *a, const char *path) {
    const char *why;
    size_t n;
    char *text = source_read_text(a, path, &n, &why);
    if (!text)
        return "NAME";
    struct sources *sources = sources_new(a);
    struct names *names = names_new(a);
    struct diags d;
    diags_init(&d, a, sources);
    struct ast *file = parse_source(a, names, &d, sources_add(sources, path, text, n));
    for (uint32_t i = 0; i < file->nkids; i++)
        if (file->kids[i]->kind == AST_FN && !ast_grad_of(names, file->kids[i]->name))
            return name_text(names, file->kids[i]->name);
    return "NAME";
}

/* Ends a message with a line for C's command that would do. */
static void tell_example(const struct command_line *c) {
    const char *arguments = command_table[c->command].arguments;
    bool given = c->files.n > 0;
    fprintf(stderr, ", as in: dcl %s ", command_table[c->command].name);
    if (given)
        fputs(c->files.at[0], stderr);
    else
        fprintf(stderr, "%.*s", (int)strcspn(arguments, " ."), arguments);
    if (strncmp(arguments, "MODEL", 5) == 0 && !given)
        fputs(strchr(arguments, '.'), stderr);
    if (strstr(arguments, "--entry"))
        fprintf(stderr, " --entry %s",
                given ? some_function(c->arena, c->files.at[0]) : strrchr(arguments, ' ') + 1);
    fputc('\n', stderr);
}

/* A word behind the file, which is perhaps an argument or a function without its option. */
static void tell_word(const struct command_line *c, const char *word) {
    if (strchr(word, '=') && option_is_of(OPTION_input, c->command))
        fprintf(stderr, "dcl: an argument is given by --input or --set: --input %s\n", word);
    else if (option_is_of(OPTION_entry, c->command) && !option_value(c, OPTION_entry) &&
             access(word, F_OK) != 0)
        fprintf(stderr, "dcl: a function is named by --entry: --entry %s\n", word);
}

bool words_fit(const struct command_line *c) {
    const struct command_entry *e = &command_table[c->command];
    bool optional = !*e->arguments || *e->arguments == '[';
    bool several = strstr(e->arguments, "..") != NULL, entry = strstr(e->arguments, "--entry");
    if (optional || (c->files.n == 1 && (!entry || option_value(c, OPTION_entry))) ||
        (several && c->files.n))
        return true;
    if (c->files.n > 1) {
        fprintf(stderr, "dcl: %s wants one file, %d given", e->name, c->files.n);
        tell_example(c);
        tell_word(c, c->files.at[1]);
    } else if (c->files.n) {
        fprintf(stderr, "dcl: %s wants --entry, the function that is meant", e->name);
        tell_example(c);
    } else {
        fprintf(stderr, "dcl: %s wants %s file, none given", e->name,
                several ? "at least one" : "one");
        tell_example(c);
    }
    return false;
}
