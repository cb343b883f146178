/* Lines: indentation, and breaking of those that grow too long. */
#include "lang/print/printer.h"

#include <string.h>

void put_line(struct printer *p, int extra) {
    buf_text(p->out, "\n");
    p->line = p->out->n;
    p->comma = 0;
    for (int i = 0; i < p->indent + extra; i++)
        buf_text(p->out, " ");
}

/* Moves what stands behind the last comma to a line of its own. */
static void break_line(struct printer *p) {
    char *tail = arena_strndup(p->out->arena, p->out->at + p->comma, p->out->n - p->comma);
    p->out->n = p->comma - 1; /* and the blank is gone */
    p->out->at[p->out->n] = '\0';
    put_line(p, 2 * PRINT_INDENT);
    buf_text(p->out, tail);
}

void put_text(struct printer *p, const char *text) {
    if (p->over)
        return;
    buf_text(p->out, text);
    if (p->out->n - p->line <= PRINT_WIDTH)
        return;
    if (p->measuring)
        p->over = true;
    else if (p->comma != 0)
        break_line(p);
}

void put_comma(struct printer *p) {
    put_text(p, ",");
    if (p->over)
        return;
    buf_text(p->out, " ");
    p->comma = p->out->n;
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
