/* Text to syntax tree. */
#ifndef DCL_LANG_PARSE_PARSE_H
#define DCL_LANG_PARSE_PARSE_H

#include "lang/ast/ast.h"
#include "lang/base/diag.h"

/* Parses source number SOURCE of D->sources into arena A. Always returns a FILE node; statements
   that do not parse are reported in D (all of them: parsing goes on at the next statement) and left
   out. Deterministic, linear in the text, bounded in depth (ERR_NESTING). */
struct ast *parse_source(struct arena *a, struct names *names, struct diags *d, uint32_t source);

/* For a line-by-line reader: whether TEXT (N bytes) ends inside an open bracket or block, or after
   an operator, so that more lines belong to it. False where no further line could mend it: a string
   without its quote, brackets that do not match. */
bool parse_wants_more(const char *text, size_t n);

#endif
