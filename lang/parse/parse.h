/* Text to syntax tree. */
#ifndef DCL_LANG_PARSE_PARSE_H
#define DCL_LANG_PARSE_PARSE_H

#include "lang/ast/ast.h"
#include "lang/base/buf.h"
#include "lang/base/diag.h"

/* Parses source number SOURCE of D->sources into arena A. Always returns a FILE node; statements
   that do not parse are reported in D (all of them: parsing goes on at the next statement) and left
   out. Deterministic, linear in the text, bounded in depth (ERR_NESTING). */
struct ast *parse_source(struct arena *a, struct names *names, struct diags *d, uint32_t source);

/* The same, and WRITTEN tells what the tree leaves out of the text; it lies in A. */
struct ast *parse_written(struct arena *a, struct names *names, struct diags *d, uint32_t source,
                          struct ast_text *written);

/* For a reader of lines: whether more of them belong to the text that LINES (one or several, N
   bytes) go on with, since it ends inside an open bracket or block, or after an operator. False
   where no further line could mend it: a string without its quote, brackets that do not match.
   OPEN is empty before the first lines of a text; it keeps what is open, as text, so that each line
   is looked at once. */
bool parse_wants_more(struct buf *open, const char *lines, size_t n);

#endif
