/* What a text has and its tree has not: comments, blank lines, the author's choices.

   Note [as written]
   The layout leaves some things to the author, who says by them what belongs together: blank lines,
   one at most; a block on one line or several; statements side by side; `a*b` or `a * b`;
   parentheses that are not needed; the digits of a number. All else is the same for every text.
   What fits on no line is broken up as if it had been written so. A comment stays behind the
   statement, or in the list, where it stood, if a line may end there; otherwise it goes to the next
   place where one may. The text's own comments hold the documentation, so that of the nodes is not
   printed. */
#include "lang/print/printer.h"

#include <string.h>

/* --- the author's choices -------------------------------------------------------------------- */

static bool has_any(const struct printer *p, uint32_t from, uint32_t to, const char *bytes) {
    for (uint32_t i = from; i < to; i++)
        if (strchr(bytes, p->written->text[i]))
            return true;
    return false;
}

bool was_one_line(const struct printer *p, const struct ast *node) {
    return p->written && !has_any(p, node->span.start, node->span.end, "\n");
}

bool was_tight(const struct printer *p, const struct ast *left, const struct ast *right) {
    return p->written && !has_any(p, left->span.end, right->span.start, " \t\r\n");
}

bool was_beside(const struct printer *p, const struct ast *node, const struct ast *next) {
    return p->written && !has_any(p, node->span.end, next->span.start, "\n");
}

bool put_literal(struct printer *p, const struct ast *node) {
    if (!p->written || node->span.end <= node->span.start)
        return false;
    if (node->kind != AST_STR && has_any(p, node->span.start, node->span.end, " \t\r\n"))
        return false; /* a minus and a number far from it */
    put_text(p, arena_strndup(p->out->arena, p->written->text + node->span.start,
                              node->span.end - node->span.start));
    return true;
}

/* --- comments -------------------------------------------------------------------------------- */

static const struct comment *next_comment(const struct printer *p) {
    bool left = p->written && p->comment < p->written->ncomments;
    return left ? &p->written->comments[p->comment] : NULL;
}

bool has_comments(const struct printer *p, uint32_t end) {
    const struct comment *c = next_comment(p);
    return c && c->start < end;
}

void put_comment(struct printer *p, uint32_t index, bool behind) {
    const struct comment *c = &p->written->comments[index];
    uint32_t end = c->end;
    while (end > c->start && strchr(" \t", p->written->text[end - 1]))
        end--;
    if (behind)
        buf_text(p->out, "  ");
    buf_bytes(p->out, p->written->text + c->start, end - c->start);
    p->seen = c->end > p->seen ? c->end : p->seen;
}

/* Where the parenthesis before NODE stands, which its span leaves out. */
static uint32_t parenthesis_of(const struct printer *p, const struct ast *node) {
    uint32_t at = node->span.start, c = p->comment;
    while (c < p->written->ncomments && p->written->comments[c].start < at)
        c++;
    while (at > 0 && p->written->text[at - 1] != '(') {
        bool comment = c > p->comment && p->written->comments[c - 1].end == at;
        at = comment ? p->written->comments[--c].start : at - 1;
    }
    return at > 0 ? at - 1 : 0;
}

void comments_within(struct printer *p, const struct ast *node, bool parenthesis) {
    if (p->measuring || p->marks.n == 0 || !has_comments(p, node->span.start))
        return;
    uint32_t end = parenthesis ? parenthesis_of(p, node) : node->span.start;
    struct mark *last = &p->marks.at[p->marks.n - 1];
    if (last->at != p->out->n)
        return;
    for (; has_comments(p, end); p->comment++) {
        if (last->from == last->to)
            last->from = p->comment;
        last->to = p->comment + 1;
    }
}

/* Whether blank lines stand before START. */
static bool blank_before(const struct printer *p, uint32_t start) {
    int lines = 0;
    for (uint32_t i = p->seen; i < start; i++)
        lines += p->written->text[i] == '\n';
    return lines > 1;
}

/* A line begins; in a file, the FIRST has begun. */
static void begin_line(struct printer *p, bool first, bool blank) {
    if (first && p->out->n == p->line && p->indent == 0)
        return;
    if (blank && !first) {
        end_line(p);
        buf_text(p->out, "\n");
        p->line = p->out->n;
    }
    put_line(p);
}

void comments_left(struct printer *p, uint32_t end, bool first) {
    p->parted = false;
    for (; has_comments(p, end); p->comment++) {
        begin_line(p, first, blank_before(p, next_comment(p)->start));
        put_comment(p, p->comment, false);
        first = false;
    }
}

void comments_before(struct printer *p, const struct ast *node, bool first, bool apart) {
    uint32_t start = node->span.start;
    bool parted = p->parted && ast_is_definition(node);
    first = first && !parted;
    apart = apart || parted;
    p->parted = false;
    /* those that no blank line parts from the statement belong to it */
    uint32_t own = p->comment, next = start, seen = p->seen;
    while (own < p->written->ncomments && p->written->comments[own].start < start)
        own++;
    for (; own > p->comment; own--) {
        const struct comment *c = &p->written->comments[own - 1];
        p->seen = c->end;
        if (blank_before(p, next))
            break;
        next = c->start;
    }
    p->seen = seen;
    if (own > p->comment) {
        comments_left(p, p->written->comments[own - 1].end, first);
        first = false;
    }
    bool blank = apart || blank_before(p, next);
    for (; has_comments(p, start); p->comment++) {
        begin_line(p, first, blank);
        put_comment(p, p->comment, false);
        first = blank = false;
    }
    begin_line(p, first, blank);
}

bool comments_behind(struct printer *p, uint32_t end) {
    if (!p->written || p->measuring)
        return false;
    uint32_t first = p->comment;
    p->seen = end > p->seen ? end : p->seen;
    const struct comment *c = next_comment(p);
    for (bool behind = true; c; c = next_comment(p), behind = false) {
        if (c->start > end && strspn(p->written->text + end, " \t;") < c->start - end)
            break;
        if (behind)
            end_line(p);
        else
            put_line(p);
        p->parted = p->parted || (!behind && p->written->text[c->start + 1] == '#');
        put_comment(p, p->comment++, behind);
    }
    return p->comment > first;
}
