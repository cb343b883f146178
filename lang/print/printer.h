/* What the pieces of the printer share; print.h is its face. */
#ifndef DCL_LANG_PRINT_PRINTER_H
#define DCL_LANG_PRINT_PRINTER_H

#include "lang/print/print.h"

#define PRINT_WIDTH 100
#define PRINT_INDENT 2

struct printer {
    const struct names *names;
    struct buf *out;
    int indent;     /* columns before a statement of the current block */
    size_t line;    /* where the current line starts in out */
    size_t comma;   /* behind the last ", " of the line, where it may be broken; or 0 */
    bool flat;      /* blocks stand on one line */
    bool measuring; /* nothing is wrapped; `over` tells that the line is too long */
    bool over;
};

/* --- layout.c -------------------------------------------------------------------------------- */

void put_text(struct printer *p, const char *text);
/* ", ": a place where the line may be broken. */
void put_comma(struct printer *p);
/* A new line, EXTRA columns right of the current indentation. */
void put_line(struct printer *p, int extra);
void put_name(struct printer *p, struct name name);
/* Tries to print NODE flat by PRINT on the rest of the line; takes it back if it does not fit. */
bool put_if_fits(struct printer *p, void (*print)(struct printer *p, const struct ast *node),
                 const struct ast *node);

/* --- expression.c ---------------------------------------------------------------------------- */

/* Any expression, subscript, argument, type, parameter or condition. */
void print_expression(struct printer *p, const struct ast *node);
/* The kids of NODE from the FIRST on, with commas. */
void print_list(struct printer *p, const struct ast *node, uint32_t first);
void print_string(struct printer *p, const char *text);
void print_type(struct printer *p, const struct ast *type);
void print_range(struct printer *p, const struct ast *lo, const struct ast *hi,
                 const struct ast *step);

/* --- statement.c ----------------------------------------------------------------------------- */

void print_statement(struct printer *p, const struct ast *node);
/* `fn NAME(..) -> .. where ..` and a blank, for a body that begins on the line. */
void print_short_signature(struct printer *p, const struct ast *node);
/* An if with everything on one line, as expressions have it. */
void print_flat_if(struct printer *p, const struct ast *node);
/* An expression at the end of a statement. */
void print_last_expression(struct printer *p, const struct ast *node);
/* A block within an expression. */
void print_inner_block(struct printer *p, const struct ast *block);

#endif
