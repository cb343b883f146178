/* Lays a program out anew: parse, print, and then the proof that nothing else changed: the new text
   is parsed again, and has to give the same tree and the same comments. */
#include "lang/format/format.h"

#include "lang/parse/parse.h"
#include "lang/print/print.h"

#include <string.h>

/* Bytes of comment I, without blanks at its end. */
static size_t comment_length(const struct ast_text *t, uint32_t i) {
    size_t n = t->comments[i].end - t->comments[i].start;
    while (n > 0 && strchr(" \t", t->text[t->comments[i].start + n - 1]))
        n--;
    return n;
}

static bool same_comments(const struct ast_text *x, const struct ast_text *y) {
    if (x->ncomments != y->ncomments)
        return false;
    for (uint32_t i = 0; i < x->ncomments; i++) {
        size_t n = comment_length(x, i);
        if (n != comment_length(y, i) ||
            memcmp(x->text + x->comments[i].start, y->text + y->comments[i].start, n) != 0)
            return false;
    }
    return true;
}

bool format_source(struct diags *d, uint32_t source, struct buf *out) {
    struct arena *a = arena_under(d->arena);
    struct names *names = names_new(a);
    struct ast_text before, after;
    uint32_t errors = d->errors;
    const struct ast *file = parse_written(a, names, d, source, &before);
    bool ok = d->errors == errors;
    if (ok) {
        struct diags again;
        struct buf text = buf_new(a);
        diags_init(&again, a, sources_new(a));
        print_written(names, file, &before, &text);
        uint32_t number = sources_add(again.sources, "<layout>", text.n ? text.at : "", text.n);
        const struct ast *copy = parse_written(a, names, &again, number, &after);
        ok = again.errors == 0 && ast_equal(file, copy) && same_comments(&before, &after);
        if (ok)
            buf_bytes(out, text.n ? text.at : "", text.n);
        else
            diag_error(d, file->span, ERR_INTERNAL, "the new layout is another program");
    }
    arena_free(a);
    return ok;
}
