/* What :save writes: the texts that have run, as they were but for their paths. A `use` and a
   load("..") mean a file relative to the text they stand in, or to the current folder; in the file
   that is written they mean the same one, wherever that file stands. A path that is computed stays
   what it is. */
#include "repl/prompt.h"

#include "lang/base/draft.h"
#include "lang/base/source.h"
#include "lang/parse/parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct edit {
    struct span span;
    const char *text;
};

struct rewriting {
    struct arena *arena;
    struct names *names;
    const char *from; /* the folder of the text, with a slash, or "" */
    const char *to;   /* that of the file, as realpath gives it */
    VEC(struct edit) edits;
};

void saved_add(struct prompt *p, const char *text, const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    struct saved_text t = {
        .text = arena_strndup(p->kept, text, strlen(text)),
        .folder = slash ? arena_strndup(p->kept, path, (size_t)(slash + 1 - path)) : "",
    };
    VEC_PUSH(p->kept, p->saved, t);
}

static const char *real(struct arena *a, const char *folder, const char *file) {
    char path[PATH_MAX];
    const char *whole = *file == '/' ? file : arena_printf(a, "%s%s", folder, file);
    return realpath(whole, path) ? arena_strndup(a, path, strlen(path)) : NULL;
}

/* How the file PATH is called from the folder FROM; both begin with a slash. */
static const char *relative(struct arena *a, const char *from, const char *path) {
    struct buf b = buf_new(a);
    size_t same = 0, n = strlen(from);
    for (size_t i = 0;; i++) {
        bool ends = i == n || from[i] == '/';
        if (ends && path[i] == '/')
            same = i;
        if (i == n || from[i] != path[i])
            break;
    }
    for (size_t i = same; i < n; i++)
        if (from[i] == '/' && from[i + 1])
            buf_text(&b, "../");
    buf_text(&b, path + same + 1);
    return b.at;
}

/* What means, in the file, what NAME means in the text; NULL: that is NAME itself, or no file. A
   `use` looks beside the text first, else the current folder comes first. */
static const char *new_name(const struct rewriting *r, const char *name, bool beside) {
    const char *at = real(r->arena, beside ? r->from : "", name);
    if (!at)
        at = real(r->arena, beside ? "" : r->from, name);
    const char *folder = arena_printf(r->arena, "%s/", r->to);
    const char *now = real(r->arena, folder, name);
    if (!at || *name == '/' || (now && strcmp(now, at) == 0))
        return NULL;
    const char *new = relative(r->arena, r->to, at);
    const char *other = beside ? NULL : real(r->arena, "", new);
    return other && strcmp(other, at) != 0 ? at : new; /* another one is called so from here */
}

static void replace(struct rewriting *r, struct span span, const char *word, const char *name) {
    struct buf b = buf_new(r->arena);
    buf_text(&b, word);
    quote_text(&b, name);
    struct edit e = {span, b.at};
    VEC_PUSH(r->arena, r->edits, e);
}

static void rewrite(struct rewriting *r, const struct ast *e) {
    const char *name = name_none(e->name) ? NULL : name_text(r->names, e->name), *new = NULL;
    if (e->kind == AST_USE) {
        const char *file = e->flags & AST_PATH ? name : arena_printf(r->arena, "%s.dcl", name);
        new = new_name(r, file, true);
        if (new)
            replace(r, e->span, "use ", new);
    }
    bool loads = e->kind == AST_CALL && e->kids[0]->kind == AST_NAME &&
                 strcmp(name_text(r->names, e->kids[0]->name), "load") == 0;
    for (uint32_t i = 0; i < e->nkids; i++) {
        const struct ast *kid = e->kids[i];
        if (loads && kid->kind == AST_STR)
            new = new_name(r, name_text(r->names, kid->name), false);
        if (loads && kid->kind == AST_STR && new)
            replace(r, kid->span, "", new);
        if (kid)
            rewrite(r, kid);
    }
}

static int compare_edits(const void *x, const void *y) {
    const struct edit *a = x, *b = y;
    return a->span.start < b->span.start ? -1 : a->span.start > b->span.start;
}

/* TEXT with its paths, behind OUT. */
static void write_text(struct prompt *p, const struct saved_text *t, const char *to,
                       struct buf *out) {
    struct rewriting r = {p->arena, names_new(p->arena), t->folder, to, {0}};
    struct diags d;
    size_t done = 0, n = strlen(t->text);
    diags_init(&d, p->arena, sources_new(p->arena));
    if (to)
        rewrite(&r, parse_source(p->arena, r.names, &d, sources_add(d.sources, "", t->text, n)));
    if (r.edits.n)
        qsort(r.edits.at, r.edits.n, sizeof *r.edits.at, compare_edits);
    for (uint32_t i = 0; i < r.edits.n; i++) {
        buf_bytes(out, t->text + done, r.edits.at[i].span.start - done);
        buf_text(out, r.edits.at[i].text);
        done = r.edits.at[i].span.end;
    }
    buf_bytes(out, t->text + done, n - done);
    if (n && t->text[n - 1] != '\n')
        buf_text(out, "\n");
}

bool saved_write(struct prompt *p, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *folder = slash ? arena_strndup(p->arena, path, (size_t)(slash + 1 - path)) : "./";
    const char *to = real(p->arena, "", folder);
    struct buf out = buf_new(p->arena);
    for (uint32_t i = 0; i < p->saved.n; i++)
        write_text(p, &p->saved.at[i], to, &out);
    return draft_write(p->arena, path, out.at, out.n);
}
