/* Lines: indentation, and breaking of those that grow too long.

   Note [long lines]
   A statement is printed as one line, with marks where it may be broken: behind commas, operators
   and opening brackets, before |> and -> and where. When the line ends and has more than 100
   columns it is broken from its beginning on. The best of several marks are those within the fewest
   brackets, of these the loosest operators, of these the last. The best one behind the first third
   of the line is taken if all the rest then fits on a line, else the best one of the second half,
   else the best one. The parts of a signature, before -> and where, are
   kept whole if they can be. Lines that go on stand four columns right of the statement, those that
   continue a part of a signature eight. A comment ends the line at its mark. */
#include "lang/print/printer.h"

#include <string.h>

static void put_blanks(struct printer *p, int n) {
    for (int i = 0; i < n; i++)
        buf_text(p->out, " ");
}

/* --- breaking -------------------------------------------------------------------------------- */

/* A line that is being broken: the rest of TEXT is printed with ROOM columns for its next line. */
struct breaking {
    const struct printer *p;
    const char *text;
    size_t base, start, end, room, next_room;
};

/* Columns of what stands before MARK on the line. */
static size_t width_to(const struct breaking *b, const struct mark *m) {
    size_t at = m->at - b->base;
    while (at > b->start && b->text[at - 1] == ' ')
        at--;
    return at - b->start;
}

/* The part of a signature, begun on this line, that does not end on it; or NULL. */
static const struct mark *long_part(const struct breaking *b, const struct mark *from,
                                    const struct mark *to) {
    const struct mark *part = NULL;
    for (const struct mark *m = from; m < to; m++) {
        if (m->level != PLACE_PART)
            continue;
        if (width_to(b, m) > b->room)
            return part;
        part = m;
    }
    return part && b->end - b->start > b->room ? part : NULL;
}

static const struct mark *best(const struct breaking *b, const struct mark *from,
                               const struct mark *to, size_t least) {
    const struct mark *found = NULL;
    for (const struct mark *m = from; m < to && width_to(b, m) <= b->room; m++)
        if (width_to(b, m) > least && (!found || m->level <= found->level))
            found = m;
    return found;
}

/* Where the line is broken next; NULL if it fits, or cannot be broken. */
static const struct mark *next_break(const struct breaking *b) {
    const struct mark *from = b->p->marks.at, *to = from + b->p->marks.n, *forced = from;
    while (from < to && from->at - b->base <= b->start)
        from++;
    for (forced = from; forced < to && forced->from == forced->to;)
        forced++;
    if (forced < to && width_to(b, forced) <= b->room)
        return forced;
    if (forced == to && b->end - b->start <= b->room)
        return NULL;
    to = forced < to ? forced + 1 : to;
    const struct mark *m = long_part(b, from, to);
    if (!m) {
        m = best(b, from, to, b->room / 3);
        m = m && b->end - (m->at - b->base) <= b->next_room ? m : NULL;
    }
    m = m ? m : best(b, from, to, b->room / 2);
    m = m ? m : best(b, from, to, 0);
    return m ? m : from < to ? from : NULL;
}

static void new_line(struct printer *p, int indent) {
    buf_text(p->out, "\n");
    p->line = p->out->n;
    put_blanks(p, indent);
}

/* Columns of a line that stands EXTRA columns right of the statement. */
static size_t room_behind(const struct printer *p, int extra) {
    int room = PRINT_WIDTH - p->indent - extra;
    return (size_t)(room > 20 ? room : 20);
}

size_t print_room(const struct printer *p) {
    return room_behind(p, 2 * PRINT_INDENT);
}

void end_line(struct printer *p) {
    if (p->flat || p->measuring)
        return;
    bool forced = false;
    for (uint32_t i = 0; i < p->marks.n; i++)
        forced = forced || p->marks.at[i].from < p->marks.at[i].to;
    if (p->out->n - p->line > PRINT_WIDTH || forced) {
        size_t n = p->out->n - p->line;
        char *text = arena_strndup(p->out->arena, p->out->at + p->line, n);
        int within = 2 * PRINT_INDENT;
        struct breaking b = {p, text, p->line, 0, n, PRINT_WIDTH, print_room(p)};
        const struct mark *m;
        p->out->n = p->line;
        while ((m = next_break(&b))) {
            buf_bytes(p->out, text + b.start, width_to(&b, m));
            int indent = p->indent + (m->level == PLACE_PART ? 2 * PRINT_INDENT : within);
            for (uint32_t c = m->from; c < m->to; c++) {
                if (c > m->from)
                    new_line(p, indent);
                put_comment(p, c, c == m->from);
            }
            if (m->level == PLACE_PART)
                within = 4 * PRINT_INDENT;
            new_line(p, indent);
            b.start = m->at - b.base;
            b.room = room_behind(p, indent - p->indent);
            b.next_room = room_behind(p, within);
        }
        buf_bytes(p->out, text + b.start, b.end - b.start);
    }
    p->marks.n = 0;
}

/* --- text ------------------------------------------------------------------------------------ */

void put_line(struct printer *p) {
    end_line(p);
    new_line(p, p->indent);
}

void put_text(struct printer *p, const char *text) {
    if (p->over)
        return;
    buf_text(p->out, text);
    p->over = p->measuring && p->out->n - p->line > PRINT_WIDTH;
}

void put_place(struct printer *p, int place) {
    struct mark m = {.at = p->out->n, .level = p->depth * PLACE_COUNT + place};
    if (!p->measuring && !p->solid)
        VEC_PUSH(p->out->arena, p->marks, m);
}

void put_comma(struct printer *p, const char *text) {
    put_text(p, text);
    put_place(p, *text == ';' ? PLACE_VALUE : PLACE_COMMA);
}

void put_open(struct printer *p, const char *bracket) {
    put_text(p, bracket);
    p->depth++;
    put_place(p, PLACE_OPEN);
}

void put_close(struct printer *p, const char *bracket) {
    p->depth--;
    put_text(p, bracket);
}

void put_name(struct printer *p, struct name name) {
    put_text(p, name_text(p->names, name));
}

bool put_if_fits(struct printer *p, void (*print)(struct printer *p, const struct ast *node),
                 const struct ast *node) {
    if (p->measuring) {
        print(p, node);
        return true;
    }
    struct printer before = *p;
    size_t n = p->out->n;
    p->flat = p->measuring = true;
    print(p, node);
    bool fits = !p->over;
    if (!fits) {
        p->out->n = n;
        p->out->at[n] = '\0';
        *p = before;
    }
    p->flat = before.flat;
    p->measuring = false;
    p->over = false;
    return fits;
}
