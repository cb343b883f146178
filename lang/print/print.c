/* The printer's face; see layout.c, expression.c, statement.c, written.c. */
#include "lang/print/print.h"

#include "lang/print/printer.h"

void print_ast(const struct names *names, const struct ast *node, struct buf *out) {
    struct printer p = {.names = names, .out = out, .line = out->n};
    while (p.line > 0 && out->at[p.line - 1] != '\n')
        p.line--;
    print_statement(&p, node);
    end_line(&p);
}

void print_written(const struct names *names, const struct ast *file, const struct ast_text *w,
                   struct buf *out) {
    struct printer p = {.names = names, .out = out, .line = out->n, .written = w};
    print_statement(&p, file);
}

void print_heading(const struct names *names, const struct ast *def, struct buf *out) {
    struct printer p = {.names = names, .out = out, .line = out->n};
    print_signature(&p, def);
    end_line(&p);
}
