/* The printer's face; see layout.c, expression.c, statement.c. */
#include "lang/print/print.h"

#include "lang/print/printer.h"

void print_ast(const struct names *names, const struct ast *node, struct buf *out) {
    struct printer p = {.names = names, .out = out};
    while (p.line < out->n) { /* the line that OUT ends with goes on */
        const char *end = NULL;
        for (size_t i = out->n; i > p.line && end == NULL; i--)
            if (out->at[i - 1] == '\n')
                end = out->at + i;
        if (end != NULL)
            p.line = (size_t)(end - out->at);
        break;
    }
    print_statement(&p, node);
}
