/* What the pieces of the printer share; print.h is its face. */
#ifndef DCL_LANG_PRINT_PRINTER_H
#define DCL_LANG_PRINT_PRINTER_H

#include "lang/base/vec.h"
#include "lang/print/print.h"
#include "lang/scalar/print_number.h"

#define PRINT_WIDTH 100
#define PRINT_INDENT 2

/* Where a line may be broken, from where it is broken first to where last; those of outer brackets
   come before all of inner ones. */
enum place {
    PLACE_PART,  /* before -> and where */
    PLACE_VALUE, /* behind = and >> and ; */
    PLACE_COMMA,
    PLACE_PIPE,      /* before |> */
    PLACE_OPERATOR,  /* and the LEVEL of expression.c */
    PLACE_OPEN = 15, /* behind an opening bracket */
    PLACE_COUNT
};

struct mark {
    size_t at; /* in out */
    int level;
    uint32_t from, to; /* comments that end the line here; none if equal */
};

struct printer {
    const struct names *names;
    struct buf *out;
    const struct ast_text *written; /* the text that the tree was parsed from, or NULL */
    uint32_t comment;               /* the next of its comments */
    uint32_t seen;                  /* where in the text the last statement or comment ended */
    int indent;                     /* columns before a statement of the current block */
    int depth;                      /* brackets around what is printed */
    size_t line;                    /* where the current line starts in out */
    VEC(struct mark) marks;         /* of the current line */
    bool parted;                    /* what comes next is not what the ## before it are about */
    bool solid;                     /* no line ends here */
    bool flat;                      /* blocks stand on one line */
    bool measuring;                 /* nothing is wrapped; `over` tells that the line is too long */
    bool over;
};

/* --- layout.c -------------------------------------------------------------------------------- */

void put_text(struct printer *p, const char *text);
/* Here the line may be broken. */
void put_place(struct printer *p, int place);
/* ", " or the like, and a place behind it. */
void put_comma(struct printer *p, const char *text);
void put_open(struct printer *p, const char *bracket);
void put_close(struct printer *p, const char *bracket);
/* Breaks the line if it is too long; nothing but a comment may follow on it. */
void end_line(struct printer *p);
/* Columns of a line that continues another. */
size_t print_room(const struct printer *p);
/* A new line. */
void put_line(struct printer *p);
void put_name(struct printer *p, struct name name);
/* Tries to print NODE flat by PRINT on the rest of the line; takes it back if it does not fit. */
bool put_if_fits(struct printer *p, void (*print)(struct printer *p, const struct ast *node),
                 const struct ast *node);

/* --- written.c: what the tree leaves out ----------------------------------------------------- */

/* Whether NODE stood on one line. */
bool was_one_line(const struct printer *p, const struct ast *node);
/* Whether the operator between LEFT and RIGHT stood without blanks. */
bool was_tight(const struct printer *p, const struct ast *left, const struct ast *right);
/* Whether NEXT stood on the line where NODE ended. */
bool was_beside(const struct printer *p, const struct ast *node, const struct ast *next);
/* A literal as it was written; false if it was not. */
bool put_literal(struct printer *p, const struct ast *node);
/* Comments before NODE, which comes next in an expression: they end the line behind the last place,
   if that is here. PARENTHESIS: only those before the one that NODE stands in. */
void comments_within(struct printer *p, const struct ast *node, bool parenthesis);
/* Comments and blank lines before NODE, a statement; then its line begins. FIRST: nothing stands
   before it in its block. APART: a blank line at least. */
void comments_before(struct printer *p, const struct ast *node, bool first, bool apart);
/* Comments behind the statement or opening brace that ended at END; whether there are any. */
bool comments_behind(struct printer *p, uint32_t end);
/* Comment INDEX, two blanks before it if it stands BEHIND something. */
void put_comment(struct printer *p, uint32_t index, bool behind);
/* Comments that are left before END, where a block or the file ends, each on a line. FIRST as
   above. */
void comments_left(struct printer *p, uint32_t end, bool first);
bool has_comments(const struct printer *p, uint32_t end);

/* --- expression.c ---------------------------------------------------------------------------- */

/* Any expression, subscript, argument, type, parameter or condition. */
void print_expression(struct printer *p, const struct ast *node);
/* The kids of NODE from the FIRST on, with commas. */
void print_list(struct printer *p, const struct ast *node, uint32_t first);
void print_string(struct printer *p, const char *text);
void print_type(struct printer *p, const struct ast *type);
/* ` layout(..)` of what is declared, if it has one. */
void print_layout(struct printer *p, const struct ast *declared);
void print_range(struct printer *p, const struct ast *lo, const struct ast *hi,
                 const struct ast *step);

/* --- statement.c ----------------------------------------------------------------------------- */

void print_statement(struct printer *p, const struct ast *node);
/* `fn NAME(..) -> .. where ..`, without its body. */
void print_signature(struct printer *p, const struct ast *node);
/* An if, as expressions have it. */
void print_inner_if(struct printer *p, const struct ast *node);
/* An expression at the end of a statement. */
void print_last_expression(struct printer *p, const struct ast *node);
/* A block within an expression. */
void print_inner_block(struct printer *p, const struct ast *block);

#endif
