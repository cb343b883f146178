/* Tokens: what lexer.l makes of a text and lines.c of the lexer's tokens. */
#ifndef DCL_LANG_PARSE_TOKEN_H
#define DCL_LANG_PARSE_TOKEN_H

#include "lang/ast/ast.h"
#include "lang/base/buf.h"
#include "lang/base/diag.h"
#include "lang/base/name.h"
#include "lang/base/vec.h"

/* A kind is a character ('(', '+', ...), 0 for the end, or one of these. */
enum token_kind {
    TOK_FIRST = 257,
#define TOKEN(id, spelling) TOK_##id,
#include "lang/parse/token.def"
#undef TOKEN
    TOK_END
};

struct token {
    uint16_t kind;
    bool first;   /* first of its line */
    bool virtual; /* put in by lines.c where a bracket is missing */
    bool members; /* '{' of a layer */
    uint32_t start, end;
    uint32_t match; /* brackets: index of the partner, 0 if there is none */
    union {
        int64_t integer;  /* INT; UPDATE: the resolution */
        double number;    /* FLOAT */
        struct name name; /* NAME, STR and all words */
        const char *doc;  /* FN, LAYER: the ## lines above, or NULL */
    };
};

/* Token 0 is a placeholder, the last one has kind 0. */
struct tokens {
    struct token *at;
    uint32_t n, cap;
};

/* What scanning needs; also flex's yyextra. NAMES NULL: names are not interned; DIAGS NULL: errors
   are not told. */
struct scan {
    struct arena *scratch; /* tokens and the scanner's own memory */
    struct arena *arena;   /* what outlives parsing: documentation */
    struct names *names;
    struct diags *diags;
    uint32_t source;
    const char *text;
    uint32_t n;
    struct tokens tokens;
    uint32_t offset;             /* bytes of the text before flex's buffer */
    uint32_t at;                 /* where the next token starts */
    bool line_start;             /* no token on this line yet */
    bool line_comment;           /* but a comment */
    bool open_string;            /* some string has no closing quote */
    uint32_t doc_start, doc_end; /* ## lines that no blank line separates from here; or 0, 0 */
    VEC(struct comment) comments;
};

/* All tokens of S->text into S->tokens; errors are told (LEX_*). */
void scan_text(struct scan *s);

/* S->tokens with EOL tokens where a statement's line ends, partners of brackets found, missing '}'
   put in, BAD in the place of brackets without a partner and of those nested too deep. */
struct tokens lines_resolve(struct scan *s);

/* Whether the brackets of S->tokens are open at the end, or the last token asks for more. OPEN
   becomes a text of these brackets and this token alone. */
bool lines_want_more(struct scan *s, struct buf *open);

#endif
