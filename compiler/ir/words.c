/* The words that no name of a graph may be, so that the text form reads back: the keywords, and
   what an expression of the text form would find instead of the name. */
#include "compiler/ir/graph.h"

#include <string.h>

static const char *const keywords[] = {
#define KEYWORD(text, token) text,
#include "lang/parse/keyword.def"
#undef KEYWORD
};

bool graph_word(const struct names *names, struct name n) {
    const char *text = name_text(names, n);
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
        if (strcmp(text, keywords[k]) == 0)
            return true;
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (scalars[op].form == FORM_CALL && strcmp(text, scalars[op].spelling) == 0)
            return true;
    return dtype_of(text) != DT_NONE;
}
