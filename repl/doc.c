/* dcl doc: the reference of files, or of the library, made of the ## comments of their functions
   and layers: name, signature, text, example. Markdown or HTML, on standard output or as a folder
   with a page for each file and an index. */
#include "repl/repl.h"

#include "lang/base/vec.h"
#include "lang/parse/parse.h"
#include "repl/example.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct page {
    const char *path, *name; /* of the file; the name is without folder and ending */
    struct buf text, names;
    uint32_t count; /* of what is documented */
};

struct doc {
    const struct command_line *c;
    struct arena *arena;
    bool html;
    VEC(const char *) paths;
    struct page *pages;
    int npages;
};

/* --- text ------------------------------------------------------------------------------------ */

/* N bytes of TEXT that mean themselves. */
static void put_plain(const struct doc *d, struct buf *b, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (d->html && (c == '&' || c == '<' || c == '>'))
            buf_text(b, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
        else if (!d->html && strchr("*_<>[]\\#|", c))
            buf_printf(b, "\\%c", c);
        else
            buf_bytes(b, text + i, 1);
    }
}

static void put_code(const struct doc *d, struct buf *b, const char *text, size_t n) {
    buf_text(b, d->html ? "<code>" : "`");
    if (d->html)
        put_plain(d, b, text, n);
    else
        buf_bytes(b, text, n);
    buf_text(b, d->html ? "</code>" : "`");
}

/* Text in which backticks enclose code. */
static void put_text(const struct doc *d, struct buf *b, const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        const char *tick = memchr(text + i, '`', n - i);
        const char *end = tick ? memchr(tick + 1, '`', n - (size_t)(tick + 1 - text)) : NULL;
        size_t plain = end ? (size_t)(tick - text) - i : n - i;
        put_plain(d, b, text + i, plain);
        i += plain;
        if (end) {
            put_code(d, b, tick + 1, (size_t)(end - tick - 1));
            i = (size_t)(end + 1 - text);
        }
    }
}

/* Paragraphs, which empty lines part. */
static void put_paragraphs(const struct doc *d, struct buf *b, const char *text, size_t n) {
    for (size_t i = 0; i < n;) {
        i += strspn(text + i, "\n");
        size_t end = i < n ? i : n;
        while (end < n && !(text[end] == '\n' && (end + 1 == n || text[end + 1] == '\n')))
            end++;
        if (end > i) {
            buf_text(b, d->html ? "<p>" : "");
            put_text(d, b, text + i, end - i);
            buf_text(b, d->html ? "</p>\n" : "\n\n");
        }
        i = end + 1;
    }
}

static void put_heading(const struct doc *d, struct buf *b, int level, const char *text) {
    if (d->html) {
        buf_printf(b, "<h%d id=\"%s\">", level, text);
        put_plain(d, b, text, strlen(text));
        buf_printf(b, "</h%d>\n", level);
    } else {
        buf_printf(b, "%.*s ", level, "####");
        put_plain(d, b, text, strlen(text));
        buf_text(b, "\n\n");
    }
}

static void put_program(const struct doc *d, struct buf *b, const char *text, size_t n) {
    buf_text(b, d->html ? "<pre><code>" : "```dcl\n");
    if (d->html)
        put_plain(d, b, text, n);
    else
        buf_bytes(b, text, n);
    buf_text(b, d->html ? "</code></pre>\n" : "\n```\n\n");
}

/* --- one definition -------------------------------------------------------------------------- */

static const struct ast *body_of(const struct ast *node) {
    return node->kids[node->kind == AST_FN ? 3 : 2];
}

/* From its first word to its opening brace. */
static void put_signature(const struct doc *d, struct buf *b, const char *text,
                          const struct ast *node) {
    struct buf signature = buf_new(d->arena);
    uint32_t end = body_of(node)->span.start, column = node->span.start;
    while (column > 0 && text[column - 1] != '\n')
        column--;
    for (uint32_t i = node->span.start; i < end; i++) {
        buf_bytes(&signature, text + i, 1);
        if (text[i] == '\n') /* no deeper than its first line */
            for (uint32_t k = column; k < node->span.start && text[i + 1] == ' '; k++)
                i++;
    }
    while (signature.n && strchr(" \n\r", signature.at[signature.n - 1]))
        signature.n--;
    put_program(d, b, signature.at, signature.n);
}

static void put_example(const struct doc *d, struct buf *b, const struct example *e,
                        const char *text) {
    static const char with[] = " with ";
    const char *inputs = strstr(text + strlen(e->expression), with);
    put_program(d, b, e->expression, strlen(e->expression));
    if (e->ninputs == 0 && !e->result)
        return;
    buf_text(b, d->html ? "<p>" : "");
    if (e->ninputs && inputs) {
        inputs += sizeof with - 1;
        const char *is = strstr(inputs, " is `");
        put_plain(d, b, "with ", 5);
        put_code(d, b, inputs, is ? (size_t)(is - inputs) : strlen(inputs));
        put_plain(d, b, " ", e->result != NULL);
    }
    if (e->result) {
        put_plain(d, b, "is ", 3);
        put_code(d, b, e->result, strlen(e->result));
    }
    buf_text(b, d->html ? "</p>\n" : "\n\n");
}

/* TEXT with blanks for the ends of its lines. */
static const char *joined(struct arena *a, const char *text) {
    char *copy = arena_strndup(a, text, strlen(text));
    for (char *p = copy; *p; p++)
        if (*p == '\n')
            *p = ' ';
    return copy;
}

static void put_definition(const struct doc *d, struct buf *b, const struct names *names,
                           const char *text, const struct ast *node, int level) {
    struct example e;
    size_t n = strlen(node->doc);
    bool example = example_read(d->arena, node->doc, &e) > 0;
    put_heading(d, b, level, name_text(names, node->name));
    put_signature(d, b, text, node);
    if (example)
        n = e.at;
    put_paragraphs(d, b, node->doc, n);
    if (example)
        put_example(d, b, &e, joined(d->arena, node->doc + n));
    for (uint32_t i = 0; node->kind == AST_LAYER && i < body_of(node)->nkids; i++) {
        const struct ast *member = body_of(node)->kids[i];
        if (member->kind == AST_FN && member->doc)
            put_definition(d, b, names, text, member, level + 1);
        else if (member->kind == AST_FN)
            put_signature(d, b, text, member);
    }
}

/* --- files ----------------------------------------------------------------------------------- */

static const char *name_of_path(struct arena *a, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    return arena_strndup(a, name, n > 4 && strcmp(name + n - 4, ".dcl") == 0 ? n - 4 : n);
}

static int read_page(struct doc *d, const char *path) {
    struct page *page = &d->pages[d->npages];
    struct diags diags;
    size_t n;
    const char *why, *text = source_read_text(d->arena, path, &n, &why);
    if (!text) {
        fprintf(stderr, "dcl: %s: %s\n", path, why);
        return EXIT_ERROR;
    }
    struct names *names = names_new(d->arena);
    diags_init(&diags, d->arena, sources_new(d->arena));
    const struct ast *file =
        parse_source(d->arena, names, &diags, sources_add(diags.sources, path, text, n));
    if (diags.errors) {
        struct buf messages = buf_new(d->arena);
        diags_print(&diags, &messages, wants_colour());
        fputs(messages.at, stderr);
        return EXIT_ERROR;
    }
    *page =
        (struct page){path, name_of_path(d->arena, path), buf_new(d->arena), buf_new(d->arena), 0};
    put_heading(d, &page->text, 1, page->name);
    for (uint32_t i = 0; i < file->nkids; i++) {
        const struct ast *item = file->kids[i];
        if ((item->kind != AST_FN && item->kind != AST_LAYER) || !item->doc)
            continue;
        const char *name = name_text(names, item->name);
        put_definition(d, &page->text, names, text, item, 2);
        if (page->count++)
            buf_text(&page->names, " ");
        put_code(d, &page->names, name, strlen(name));
    }
    d->npages += page->count > 0;
    return EXIT_FINE;
}

static const char page_begin[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>%s</title>\n"
    "<style>body { max-width: 50em; margin: 2em auto; padding: 0 1em; font-family: sans-serif }\n"
    "pre { background: #f4f4f4; padding: 0.5em; overflow-x: auto }</style>\n";

static void put_index(const struct doc *d, struct buf *b) {
    put_heading(d, b, 1, "index");
    buf_text(b, d->html ? "<table>\n" : "| file | what it defines |\n|---|---|\n");
    for (int i = 0; i < d->npages; i++) {
        const struct page *p = &d->pages[i];
        buf_printf(b,
                   d->html ? "<tr><td><a href=\"%s.html\">%s</a></td><td>%s</td></tr>\n"
                           : "| [%s](%s.md) | %s |\n",
                   p->name, p->name, p->names.at);
    }
    buf_text(b, d->html ? "</table>\n" : "");
}

static bool write_page(const struct doc *d, const char *folder, const char *name,
                       const struct buf *text) {
    struct buf page = buf_new(d->arena);
    if (d->html)
        buf_printf(&page, page_begin, name);
    buf_bytes(&page, text->at, text->n);
    return replace_or_tell(
        d->arena, arena_printf(d->arena, "%s/%s.%s", folder, name, d->html ? "html" : "md"), &page);
}

static bool make_folder(struct arena *a, const char *path) {
    for (const char *at = path; (at = strchr(at + 1, '/'));)
        mkdir(arena_strndup(a, path, (size_t)(at - path)), 0777);
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static const char index_name[] = "index";

/* Whether each page has a name of its own; else a message. */
static bool names_differ(const struct doc *d) {
    for (int i = 0; i < d->npages; i++) {
        const struct page *p = &d->pages[i], *other = d->pages;
        while (other < p && strcmp(other->name, p->name) != 0)
            other++;
        if (other < p)
            fprintf(stderr, "dcl: %s and %s would both be the page %s\n", other->path, p->path,
                    p->name);
        else if (strcmp(p->name, index_name) == 0)
            fprintf(stderr, "dcl: %s would be the page %s, which lists the others\n", p->path,
                    p->name);
        else
            continue;
        return false;
    }
    return true;
}

static int write_pages(const struct doc *d, const char *folder) {
    struct buf index = buf_new(d->arena);
    if (!names_differ(d))
        return EXIT_ERROR;
    if (!make_folder(d->arena, folder)) {
        fprintf(stderr, "dcl: %s cannot be made: %s\n", folder, strerror(errno));
        return EXIT_ERROR;
    }
    put_index(d, &index);
    bool ok = write_page(d, folder, index_name, &index);
    for (int i = 0; i < d->npages && ok; i++)
        ok = write_page(d, folder, d->pages[i].name, &d->pages[i].text);
    return ok ? EXIT_FINE : EXIT_ERROR;
}

static int write_all(const struct doc *d) {
    const char *folder = option_value(d->c, OPTION_o);
    if (folder)
        return write_pages(d, folder);
    if (d->html)
        printf(page_begin, "DCL");
    for (int i = 0; i < d->npages; i++)
        fwrite(d->pages[i].text.at, 1, d->pages[i].text.n, stdout);
    return EXIT_FINE;
}

static void add_path(void *data, const char *path) {
    struct doc *d = data;
    VEC_PUSH(d->arena, d->paths, arena_strndup(d->arena, path, strlen(path)));
}

int command_doc(const struct command_line *c) {
    struct doc d = {.c = c, .arena = c->arena, .html = option_value(c, OPTION_html) != NULL};
    int status = EXIT_FINE;
    for (int i = 0; i < c->files.n; i++)
        add_path(&d, c->files.at[i]);
    if (c->files.n == 0) {
        dcl_session *s = open_session(c);
        if (!s)
            return EXIT_USAGE;
        status = finish_call(s, session_library(s, add_path, &d) != 0);
        dcl_close(s);
    }
    d.pages = ARENA_ARRAY(c->arena, struct page, (size_t)d.paths.n + 1);
    for (uint32_t i = 0; i < d.paths.n; i++)
        if (read_page(&d, d.paths.at[i]) != EXIT_FINE)
            status = EXIT_ERROR;
    if (status == EXIT_FINE)
        status = write_all(&d);
    return status;
}
