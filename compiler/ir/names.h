/* Inside compiler/ir: the table of names that a graph uses, for graph_fresh. */
#ifndef DCL_COMPILER_IR_NAMES_H
#define DCL_COMPILER_IR_NAMES_H

#include "compiler/ir/graph.h"

struct graph_names *graph_names_new(struct arena *a);
/* N is a node of the graph whose names are not in the table yet (and may not be set yet). */
void graph_names_node(struct graph *g, struct node *n);

#endif
