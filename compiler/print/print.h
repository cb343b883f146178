/* Graphs as text. The text form is DCL in its explicit form; elaborated again it gives the same
   graph (graph_equal). IR.md, "The text form", is its grammar. */
#ifndef DCL_COMPILER_PRINT_PRINT_H
#define DCL_COMPILER_PRINT_PRINT_H

#include "compiler/ir/graph.h"
#include "lang/ast/ast.h"

/* The FN node of G, in arena A. G must verify. */
struct ast *graph_to_ast(struct arena *a, const struct graph *g);
/* The nodes of region R of G as a BLOCK: for messages and tests. */
struct ast *region_to_ast(struct arena *a, const struct graph *g, const struct region *r);
/* graph_to_ast as text, with a line's end. */
void graph_print(const struct graph *g, struct buf *out);

#endif
