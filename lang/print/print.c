/* The printer's face; see layout.c, expression.c, statement.c. */
#include "lang/print/print.h"

#include "lang/print/printer.h"

void print_ast(const struct names *names, const struct ast *node, struct buf *out) {
    struct printer p = {.names = names, .out = out, .line = out->n};
    while (p.line > 0 && out->at[p.line - 1] != '\n')
        p.line--;
    print_statement(&p, node);
}
