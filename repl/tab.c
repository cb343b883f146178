/* What Tab offers: commands behind a colon at the start of a line; files in a string and behind
   commands that take one; members behind a dot; else names. */
#include "repl/prompt.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct collector {
    struct arena *arena;
    struct completions *to;
    const char *before; /* stands before each */
};

static void collect(void *data, const char *text) {
    struct collector *c = data;
    VEC_PUSH(c->arena, c->to->at, arena_printf(c->arena, "%s%s", c->before, text));
}

static int by_text(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void sort(struct completions *c) {
    uint32_t n = 0;
    if (c->at.n)
        qsort(c->at.at, c->at.n, sizeof *c->at.at, by_text);
    for (uint32_t i = 0; i < c->at.n; i++)
        if (!n || strcmp(c->at.at[i], c->at.at[n - 1]) != 0)
            c->at.at[n++] = c->at.at[i];
    c->at.n = n;
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void words_with(struct collector *c, const char *prefix) {
    for (int w = 0; w < WORD_COUNT; w++)
        if (strncmp(words[w].name, prefix, strlen(prefix)) == 0)
            collect(c, words[w].name);
}

/* --- files ----------------------------------------------------------------------------------- */

/* Entries of the folder of PREFIX that begin with the rest of it; folders end in a slash. */
static void files_with(struct collector *c, const char *prefix) {
    const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
    const char *folder = arena_strndup(c->arena, prefix, (size_t)(name - prefix));
    DIR *d = opendir(*folder ? folder : ".");
    const struct dirent *e;
    while (d && (e = readdir(d))) {
        struct stat st;
        const char *path = arena_printf(c->arena, "%s%s", folder, e->d_name);
        bool hidden = e->d_name[0] == '.' && *name != '.';
        if (hidden || strncmp(e->d_name, name, strlen(name)) != 0)
            continue;
        bool deeper = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        collect(c, deeper ? arena_printf(c->arena, "%s/", path) : path);
    }
    if (d)
        closedir(d);
}

/* Where a string begins that is still open at the end of LINE; 0 if none is. */
static size_t open_string(const char *line, size_t n) {
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        if (line[i] == '"')
            from = from ? 0 : i + 1;
        else if (line[i] == '\\' && from)
            i++;
        else if (line[i] == '#' && !from)
            return 0; /* a comment */
    }
    return from;
}

/* --- names ----------------------------------------------------------------------------------- */

/* Where the path begins that ends at LINE + N, as `net.blocks[0]`. */
static size_t path_start(const char *line, size_t n) {
    for (;;) {
        size_t at = n;
        if (at && line[at - 1] == ']') {
            for (at--; at && line[at - 1] >= '0' && line[at - 1] <= '9';)
                at--;
            if (!at || line[at - 1] != '[')
                return n;
            n = at - 1;
            continue;
        }
        while (at && is_word(line[at - 1]))
            at--;
        if (at == n || !at || line[at - 1] != '.')
            return at;
        n = at - 1;
    }
}

static void names_with(struct collector *c, dcl_session *s, const char *line, size_t n) {
    size_t from = n;
    while (from && is_word(line[from - 1]))
        from--;
    const char *prefix = arena_strndup(c->arena, line + from, n - from);
    c->to->from = from;
    if (!from || line[from - 1] != '.') {
        session_names(s, prefix, collect, c);
        return;
    }
    size_t start = path_start(line, from - 1);
    const char *path = arena_strndup(c->arena, line + start, from - 1 - start);
    session_members(s, path, prefix, collect, c);
    if (c->to->at.n && *c->to->at.at[0] == '[') /* elements of a list have no names */
        c->to->from = from - 1;
}

/* --- the line -------------------------------------------------------------------------------- */

/* The command whose arguments stand before LINE + N, and where they begin; WORD_COUNT: none. */
static enum word_id command_of(const char *line, size_t n, size_t *arguments) {
    size_t from = strspn(line, " \t"), end = from + 1;
    if (from >= n || line[from] != ':')
        return WORD_COUNT;
    while (end < n && is_word(line[end]))
        end++;
    int w = 0;
    while (w < WORD_COUNT && (strlen(words[w].name) != end - from - 1 ||
                              strncmp(words[w].name, line + from + 1, end - from - 1) != 0))
        w++;
    *arguments = end + strspn(line + end, " \t");
    return end < n ? (enum word_id)w : WORD_COUNT;
}

struct completions complete_line(struct arena *a, dcl_session *s, const char *line, size_t n) {
    struct completions out = {.from = n};
    struct collector c = {a, &out, ""};
    size_t start = strspn(line, " \t"), arguments = 0, string = open_string(line, n);
    enum word_id w = command_of(line, n, &arguments);
    size_t typed = start + 1;
    while (typed < n && is_word(line[typed]))
        typed++;
    if (start < n && line[start] == ':' && typed == n) {
        out.from = start + 1;
        words_with(&c, line + start + 1);
    } else if (w != WORD_COUNT && words[w].completes == WORD_FILES) {
        out.from = string ? string : arguments;
        files_with(&c, line + out.from);
    } else if (string) {
        out.from = string;
        files_with(&c, line + string);
    } else {
        names_with(&c, s, line, n);
        if (w != WORD_COUNT && words[w].completes == WORD_HELP && out.from == arguments)
            words_with(&c, line + arguments);
    }
    sort(&out);
    return out;
}
