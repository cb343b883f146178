/* Syntax tree to text: the one layout. parse(print(t)) equals t (ast_equal). */
#ifndef DCL_LANG_PRINT_PRINT_H
#define DCL_LANG_PRINT_PRINT_H

#include "lang/ast/ast.h"
#include "lang/base/buf.h"

/* Appends NODE (a FILE, item, statement or expression) as DCL text. Only the parentheses that the
   grammar needs; two spaces of indentation; lines wrapped at 100 columns, see Note [long lines] in
   layout.c. */
void print_ast(const struct names *names, const struct ast *node, struct buf *out);
/* What stands before the body of DEF, a FN or LAYER, without its documentation. */
void print_heading(const struct names *names, const struct ast *def, struct buf *out);
/* Appends a FILE that was parsed from a text, in the layout of `dcl fmt`: with its comments and
   blank lines, one at most, and with what the author chose among what the layout leaves open, see
   Note [as written] in written.c. */
void print_written(const struct names *names, const struct ast *file, const struct ast_text *w,
                   struct buf *out);

#endif
