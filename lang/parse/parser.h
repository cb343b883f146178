/* What the pieces of the parser share; parse.h is its face. */
#ifndef DCL_LANG_PARSE_PARSER_H
#define DCL_LANG_PARSE_PARSER_H

#include "lang/ast/ast.h"
#include "lang/base/vec.h"
#include "lang/parse/token.h"

/* Trees are at most this deep, so that recursive walks stay within 8 MB of stack, also with the
   larger frames of AddressSanitizer. Brackets have the same bound. */
#define PARSE_MAX_DEPTH 1000

/* A piece of the tree and how deep it is. */
struct sub {
    struct ast *node;
    uint32_t depth;
};

struct parser {
    struct arena *arena, *scratch;
    struct names *names;
    struct diags *diags;
    uint32_t source;
    const char *text;
    struct tokens tokens;
    uint32_t pos, end; /* next token; the text ends before `end` */
    uint32_t last;     /* the token told last */
    bool reserved;     /* recovering from a reserved word: what it holds is no DCL yet */
    int start;         /* TOK_START_...: told first, then 0 */
    bool recovering;   /* after an error, until the next statement */
    bool spoiled;      /* an error was told: the statement is left out */
    bool too_deep;     /* ERR_NESTING was told for this statement */
    uint32_t error;    /* the token at which the last error was */
    struct ast *file;
    VEC(uint32_t) skipped; /* '{' of blocks that recovery passed over: parsed later for errors */
};

/* Parses from P->pos to P->end as P->start says. 0, or 2 when bison's stack was exhausted. */
int grammar_parse(struct parser *p);

/* --- build.c: nodes -------------------------------------------------------------------------- */

/* A node with N kids (struct sub each). */
struct sub build(struct parser *p, enum ast_kind kind, struct span span, int n, ...);
/* A list in the making: a node whose kind is set later. */
struct sub build_list(struct parser *p, struct span span);
struct sub build_append(struct parser *p, struct sub list, struct sub kid);
/* LIST becomes a node of KIND. */
struct sub build_of_list(struct sub list, enum ast_kind kind, struct span span);
/* A node with N kids, then those of LIST. */
struct sub build_with_list(struct parser *p, enum ast_kind kind, struct span span, struct sub list,
                           int n, ...);
struct sub build_named(struct sub s, struct name name);
/* A type called by the dotted name that token FIRST begins and that NAME spans. */
struct sub build_type(struct parser *p, struct span span, struct sub dims, uint32_t first,
                      struct span name);
/* TYPE with FLAG, now as long as SPAN. */
struct sub build_type_flag(struct sub type, enum ast_flag flag, struct span span);
struct sub build_name(struct parser *p, uint32_t token);
struct sub build_binary(struct parser *p, struct span span, enum ast_op op, struct sub left,
                        struct sub right);
struct sub build_negation(struct parser *p, struct span span, struct sub operand);
struct sub build_targets(struct parser *p, struct sub targets);
struct sub build_update(struct parser *p, struct span span, struct sub target, uint32_t update,
                        struct sub value);
/* NAME in RANGE; a RANGE node is taken apart. */
struct sub build_index(struct parser *p, struct span span, uint32_t name, struct sub range);
struct sub build_pack(struct sub index);
/* A word after an index: a schedule with an argument (a token, 0: none), or `unique`. */
struct sub build_index_word(struct parser *p, struct span span, struct sub index, uint32_t word,
                            uint32_t argument);
struct sub build_loop(struct parser *p, enum ast_kind kind, struct span span, struct sub indices,
                      struct sub body);
struct sub build_decl(struct parser *p, struct span span, uint32_t name, struct sub type,
                      int storage, struct sub fill, struct sub from);
/* layout(NAMES => PARTS); a node that is declared with the LAYOUT, which may be none. */
struct sub build_layout(struct parser *p, struct span span, struct sub names, struct sub parts);
struct sub build_laid(struct parser *p, struct sub declared, struct sub layout);
struct sub build_step(struct parser *p, struct span span, struct sub over, uint32_t by,
                      struct sub gradients, struct sub with);
struct sub build_state(struct parser *p, struct span span, int flags, uint32_t name,
                       struct sub type, struct sub init);
struct sub build_write(struct parser *p, struct span span, struct sub value, struct sub subset,
                       uint32_t resolution);
struct sub build_else(struct parser *p, struct span span, struct sub value);
/* [ELEMENT for NAMES in RANGE if CONDITION]; there may be none. */
struct sub build_comprehension(struct parser *p, struct span span, struct sub element,
                               struct sub names, struct sub range, struct sub condition);
/* *NAME, or * and another LIST. */
struct sub build_spread(struct parser *p, struct span span, struct sub list);
/* The storage that the word TOKEN names; an error and STORE_NONE if it names none. */
int build_storage(struct parser *p, uint32_t token);
/* The list of a block's statements, empty so far; and the block of it. In between, errors spoil
   the statements of the block and not the one around it. */
struct sub build_body(struct parser *p, struct span span);
struct sub build_block(struct parser *p, struct sub body, struct span span);
/* A whole statement: none if there was an error in it. */
struct sub build_statement(struct parser *p, struct sub statement);
/* A statement in a layer: only assignments may stand there. */
struct sub build_member(struct parser *p, struct sub statement);
/* An error right behind the last statement of LIST: it is left out. */
void build_drop_last(struct parser *p, struct ast *list);
static inline struct sub build_none(void) {
    return (struct sub){NULL, 0};
}

/* --- parse.c --------------------------------------------------------------------------------- */

/* The next token and its index. While recovering, what stands in brackets is passed over. */
const struct token *parse_next(struct parser *p, uint32_t *index);
/* The offending token opened a bracket: go on behind its partner. */
void parse_pass_over(struct parser *p, uint32_t opener);

/* --- message.c: errors ----------------------------------------------------------------------- */

/* The token at P->pos - 1 fits nowhere; EXPECTED lists the kinds that would. */
void message_unexpected(struct parser *p, const int *expected, int n);
/* False once there are so many errors that further ones are only counted. */
bool message_is_kept(const struct parser *p);
void message_too_deep(struct parser *p, struct span at);
/* An error of CODE (whose format takes TEXT) and, if it is not NULL, HELP. The statement is left
   out. */
void message_at(struct parser *p, struct span at, enum error_code code, const char *text,
                const char *help);

#endif
