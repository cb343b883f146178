/* The lexer's actions: one token each, with the value of its text. */
#ifndef DCL_LANG_PARSE_LITERAL_H
#define DCL_LANG_PARSE_LITERAL_H

#include "lang/parse/token.h"

/* Appends a token of KIND over the bytes from S->at to S->offset. */
struct token *scan_token(struct scan *s, int kind);
/* A line has ended. */
void scan_line(struct scan *s);
void scan_comment(struct scan *s, bool doc);
void scan_word(struct scan *s, const char *text, uint32_t n);
void scan_integer(struct scan *s, const char *text, uint32_t n, int base);
void scan_float(struct scan *s, const char *text, uint32_t n);
void scan_update(struct scan *s, int resolution);
void scan_string(struct scan *s, const char *text, uint32_t n);
void scan_bad_number(struct scan *s, const char *text, uint32_t n);
void scan_open_string(struct scan *s);
void scan_bad_character(struct scan *s, const char *text, uint32_t n);

#endif
