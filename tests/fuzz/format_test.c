/* `dcl fmt` on the .dcl files of the tree, on random programs and on random trees, each as it is
   and with comments at ends of lines, comments and blank lines between them, lines broken behind
   commas, and other blanks: the tree and the comments stay, and what was laid out does not
   change. */
#include "lang/format/format.h"
#include "tests/fuzz/generate.h"
#include "tests/parse/trees.h"

#include <dirent.h>

#define VARIANTS 6

struct counts {
    int texts, failures;
};

/* Inside a string, or behind a # ? */
enum where { CODE, STRING, COMMENT };

static enum where next_where(enum where now, const char *text, size_t i) {
    char c = text[i];
    if (c == '\n')
        return CODE;
    if (now == CODE)
        return c == '"' ? STRING : c == '#' ? COMMENT : CODE;
    if (now == STRING && c == '"') {
        size_t slashes = 0;
        while (i > slashes && text[i - 1 - slashes] == '\\')
            slashes++;
        return slashes % 2 ? STRING : CODE;
    }
    return now;
}

/* TEXT, written differently. */
static const char *disturbed(struct arena *a, const char *text, struct rng *r, int variant) {
    struct buf b = buf_new(a);
    enum where where = CODE;
    int n = 0;
    for (size_t i = 0; text[i]; i++) {
        enum where now = next_where(where, text, i);
        bool code = where == CODE && now == CODE;
        bool comments = variant % 2 == 1, blanks = variant >= 2, breaks = variant >= 4;
        if (comments && text[i] == '\n' && rng_chance(r, 25))
            buf_printf(&b, "%s#%s at the end %d", rng_chance(r, 50) ? " " : "",
                       rng_chance(r, 20) ? "#" : "", n++);
        buf_bytes(&b, text + i, 1);
        if (comments && text[i] == '\n' && rng_chance(r, 15))
            buf_printf(&b, "%*s#%s between %d  \n", rng_below(r, 6), "",
                       rng_chance(r, 20) ? "#" : "", n++);
        if (blanks && text[i] == '\n' && rng_chance(r, 10))
            buf_printf(&b, "%*s\n\n", rng_below(r, 3), "");
        if (blanks && code && strchr(" ,([", text[i]) && rng_chance(r, 10))
            buf_printf(&b, "%*s", rng_below(r, 3), "");
        if (breaks && code && text[i] == ',' && rng_chance(r, 30))
            buf_printf(&b, "%s\n", comments && rng_chance(r, 30) ? " # in a list" : "");
        where = now;
    }
    return b.n ? b.at : "";
}

/* TEXT in the one layout; NULL and *WHY if it does not parse or another program came out. */
static const char *formatted(struct arena *a, const char *text, const char **why) {
    struct diags d;
    struct buf out = buf_new(a), messages = buf_new(a);
    diags_init(&d, a, sources_new(a));
    if (format_source(&d, sources_add(d.sources, "t.dcl", text, strlen(text)), &out))
        return out.n ? out.at : "";
    diags_print(&d, &messages, false);
    *why = messages.at;
    return NULL;
}

/* The trees of both texts are equal. */
static bool same_tree(const char *x, const char *y) {
    struct unit u = unit_new();
    const struct ast *tree = parse_text(&u, x);
    bool same = u.diags.errors == 0 && ast_equal(tree, parse_text(&u, y)) && u.diags.errors == 0;
    unit_free(&u);
    return same;
}

static int lines_with(const char *text, const char *word) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        n++;
    return n;
}

/* Where the lines before the first one that differs end. */
static size_t first_difference(const char *x, const char *y) {
    size_t line = 0;
    for (size_t i = 0; x && y && x[i] && x[i] == y[i]; i++)
        if (x[i] == '\n')
            line = i + 1;
    return line;
}

static void look(const char *text, const char *name, int seed, struct counts *n) {
    struct unit u = unit_new();
    parse_text(&u, text);
    bool parses = u.diags.errors == 0;
    unit_free(&u);
    for (int variant = 0; parses && variant < VARIANTS; variant++) {
        struct arena *a = arena_new();
        struct rng r = {(uint64_t)seed * VARIANTS + (uint64_t)variant};
        const char *given = variant ? disturbed(a, text, &r, variant) : text, *why = "";
        const char *once = formatted(a, given, &why);
        const char *twice = once ? formatted(a, once, &why) : NULL;
        if (once && !same_tree(given, once))
            why = "another tree";
        else if (once && (lines_with(given, " at the end ") != lines_with(once, " at the end ") ||
                          lines_with(given, "# in a list") != lines_with(once, "# in a list")))
            why = "a comment is lost";
        else if (twice && strcmp(once, twice) != 0)
            why = "the second layout is another";
        else if (once && (strstr(once, "\n\n\n") || strstr(once, " \n")))
            why = "blank lines, or blanks at the end of a line";
        n->texts++;
        if (*why && n->failures++ < 3) {
            size_t same = first_difference(once, twice);
            diag("%s, seed %d, variant %d: %s", name, seed, variant, why);
            diag("--- first:\n%.400s\n--- then:\n%.400s", once ? once + same : given,
                 twice ? twice + same : "");
        }
        arena_free(a);
    }
}

static void look_in(struct arena *a, const char *folder, struct counts *n) {
    struct dirent **found;
    int count = scandir(folder, &found, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = found[i]->d_name, *why;
        size_t length = strlen(name), size;
        const char *path = arena_printf(a, "%s/%s", folder, name);
        bool program = name[0] != '.' && length > 4 && strcmp(name + length - 4, ".dcl") == 0;
        const char *text = program ? source_read_file(a, path, &size, &why) : NULL;
        if (text)
            look(text, path, i, n);
        else if (name[0] != '.' && found[i]->d_type == DT_DIR)
            look_in(a, path, n);
        free(found[i]);
    }
    if (count >= 0)
        free(found);
}

int main(void) {
    static const char *const rooms[] = {"stdlib", "examples", "tests"};
    const char *source = getenv("DCL_SRC"), *given = getenv("DCL_FUZZ_COUNT");
    int count = given ? 5 * atoi(given) : 500;
    struct arena *a = arena_new();
    struct counts n = {0, 0};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        look_in(a, arena_printf(a, "%s/%s", source ? source : ".", rooms[i]), &n);
    ok(n.texts > 60 * VARIANTS, "there are programs in the tree");
    is_int(n.failures, 0, "%d texts of the tree", n.texts);
    n = (struct counts){0, 0};
    for (int seed = 0; seed < count; seed++) {
        struct arena *one = arena_new();
        look(program_text(program_generate(one, (uint64_t)seed), one), "random program", seed, &n);
        arena_free(one);
    }
    is_int(n.texts, count * VARIANTS, "random programs parse");
    is_int(n.failures, 0, "%d texts of random programs", n.texts);
    n = (struct counts){0, 0};
    for (int seed = 0; seed < count; seed++) {
        struct unit u = unit_new();
        look(printed(&u, grow_file(&u, (uint64_t)seed, 10 + seed % 150)), "random tree", seed, &n);
        unit_free(&u);
    }
    is_int(n.failures, 0, "%d texts of random trees", n.texts);
    arena_free(a);
    return done_testing();
}
