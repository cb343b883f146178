/* The lexer's actions: words, numbers and strings become tokens with values.
   A literal that is wrong is told once and gives a literal of its kind, so that nothing else is
   said about it; a character that begins no token gives BAD. */
#include "lang/parse/literal.h"

#include "lang/base/vec.h"
#include "lang/scalar/scalar.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct span here(const struct scan *s) {
    return (struct span){s->source, s->at, s->offset};
}

struct token *scan_token(struct scan *s, int kind) {
    struct token t = {
        .kind = (uint16_t)kind, .first = s->line_start, .start = s->at, .end = s->offset};
    if (s->line_start)
        s->doc_end = 0; /* whatever it was about, it is not about what comes later */
    s->line_start = false;
    VEC_PUSH(s->scratch, s->tokens, t);
    return &s->tokens.at[s->tokens.n - 1];
}

/* --- lines, comments, words ------------------------------------------------------------------ */

void scan_line(struct scan *s) {
    if (s->line_start && !s->line_comment)
        s->doc_end = 0; /* a blank line parts documentation from what follows */
    s->line_start = true;
    s->line_comment = false;
}

void scan_comment(struct scan *s, bool doc) {
    bool alone = s->line_start;
    struct comment c = {s->at, s->offset};
    s->line_comment = true;
    VEC_PUSH(s->scratch, s->comments, c);
    if (!alone || !doc)
        return;
    if (s->doc_end == 0)
        s->doc_start = s->at;
    s->doc_end = s->offset;
}

/* The ## lines from START to END without their marks and the blanks at their ends; plain # lines
   among them are left out. */
static const char *doc_text(struct scan *s, uint32_t start, uint32_t end) {
    char *text = arena_alloc(s->arena, end - start + 1);
    uint32_t n = 0;
    bool any = false;
    for (uint32_t i = start; i < end;) {
        uint32_t stop = i;
        while (stop < end && s->text[stop] != '\n')
            stop++;
        uint32_t next = stop + 1;
        if (stop > i && s->text[stop - 1] == '\r')
            stop--;
        while (i < stop && (s->text[i] == ' ' || s->text[i] == '\t'))
            i++;
        if (stop - i >= 2 && s->text[i] == '#' && s->text[i + 1] == '#') {
            i += 2;
            if (i < stop && s->text[i] == ' ')
                i++;
            while (stop > i && (s->text[stop - 1] == ' ' || s->text[stop - 1] == '\t'))
                stop--;
            if (any)
                text[n++] = '\n';
            any = true;
            memcpy(text + n, s->text + i, stop - i);
            n += stop - i;
        }
        i = next;
    }
    return text;
}

static const struct keyword {
    const char *text;
    int kind;
} keywords[] = {
#define KEYWORD(text, token) {text, TOK_##token},
#include "lang/parse/keyword.def"
#undef KEYWORD
};

static int keyword_kind(const char *text, uint32_t n) {
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (keywords[i].text[0] == text[0] && strlen(keywords[i].text) == n &&
            memcmp(keywords[i].text, text, n) == 0)
            return keywords[i].kind;
    return TOK_NAME;
}

void scan_word(struct scan *s, const char *text, uint32_t n) {
    int kind = keyword_kind(text, n);
    const char *doc = NULL;
    bool defines = kind == TOK_FN || kind == TOK_GRAD || kind == TOK_LAYER || kind == TOK_REWRITE;
    if (defines && s->line_start && s->doc_end != 0)
        doc = doc_text(s, s->doc_start, s->doc_end);
    struct token *t = scan_token(s, kind);
    if (kind == TOK_FLOAT) {
        t->number = text[0] == 'i' ? (double)INFINITY : (double)NAN;
    } else if (defines) {
        t->doc = doc;
    } else if (kind == TOK_NAME && s->names != NULL) {
        t->name = name_of(s->names, text, n);
    }
}

/* --- numbers --------------------------------------------------------------------------------- */

static void malformed(struct scan *s, const char *text, uint32_t n, const char *help) {
    if (s->diags == NULL)
        return;
    char *shown = arena_strndup(s->scratch, text, n > 40 ? 40 : n);
    struct diag *d = diag_error(s->diags, here(s), ERR_LEX_NUMBER, shown);
    if (help != NULL)
        diag_help(s->diags, d, "%s", help);
}

void scan_integer(struct scan *s, const char *text, uint32_t n, int base) {
    const uint64_t half = (uint64_t)1 << 63;
    uint64_t value = 0;
    bool fits = true;
    for (uint32_t i = base == 16 ? 2 : 0; i < n; i++) {
        char c = text[i];
        unsigned digit = (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
        if (value > (UINT64_MAX - digit) / (unsigned)base)
            fits = false;
        value = value * (unsigned)base + digit;
    }
    if (fits && value == half) {
        scan_token(s, TOK_INT_MIN);
        return;
    }
    if (!fits || value > half) {
        malformed(s, text, n, "Whole numbers go up to 9223372036854775807.");
        value = 0;
    }
    scan_token(s, TOK_INT)->integer = (int64_t)value;
}

/* The point is taken out first: strtod's own point depends on the locale. */
static double decimal(struct scan *s, const char *text, uint32_t n) {
    char *plain = arena_alloc(s->scratch, (size_t)n + 32);
    uint32_t digits = 0, after = 0;
    long exponent = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (text[i] == '.') {
            for (i++; i < n && text[i] >= '0' && text[i] <= '9'; i++, after++)
                plain[digits++] = text[i];
            i--;
        } else if ((text[i] | 32) == 'e') {
            exponent = strtol(text + i + 1, NULL, 10);
            break;
        } else {
            plain[digits++] = text[i];
        }
    }
    if (exponent > 1000000000)
        exponent = 1000000000;
    if (exponent < -1000000000)
        exponent = -1000000000;
    plain[digits] = 'e';
    exponent -= (long)after;
    /* no snprintf: 20 digits at most */
    char *end = plain + digits + 1;
    if (exponent < 0)
        *end++ = '-';
    unsigned long rest = exponent < 0 ? 0UL - (unsigned long)exponent : (unsigned long)exponent;
    char reversed[24];
    int m = 0;
    do
        reversed[m++] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    while (m > 0)
        *end++ = reversed[--m];
    *end = '\0';
    return strtod(plain, NULL);
}

void scan_float(struct scan *s, const char *text, uint32_t n) {
    double value = decimal(s, text, n);
    if (isinf(value)) {
        malformed(s, text, n, "It is larger than any f64; infinity is written inf.");
        value = 0;
    }
    scan_token(s, TOK_FLOAT)->number = value;
}

void scan_bad_number(struct scan *s, const char *text, uint32_t n) {
    char *help = NULL;
    if (text[n - 1] == '.' && s->at + n < s->n && s->text[s->at + n] == '.')
        help =
            arena_printf(s->scratch, "A range is written with a colon: %.*s:3", (int)n - 1, text);
    else if (memchr(text, '_', n))
        help = arena_printf(s->scratch, "Digits stand together: 1000");
    else if (text[n - 1] == '.')
        help = arena_printf(s->scratch, "Write a digit after the point: %.*s0", (int)n, text);
    bool member = s->at > 0 && s->text[s->at - 1] == '.'; /* l.0.x: the parser tells of it */
    if (!member)
        malformed(s, text, n, help);
    scan_token(s, TOK_INT)->integer = 0;
}

void scan_update(struct scan *s, int resolution) {
    scan_token(s, TOK_UPDATE)->integer = resolution;
}

/* --- strings --------------------------------------------------------------------------------- */

static int hex(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void bad_escape(struct scan *s, uint32_t at, uint32_t n, const char *shown) {
    if (s->diags == NULL)
        return;
    struct span place = {s->source, s->at + at, s->at + at + n};
    struct diag *d = diag_error(s->diags, place, ERR_LEX_ESCAPE, shown);
    diag_help(s->diags, d, "%s", "The escapes are \\n \\t \\\" \\\\ and \\xNN (not \\x00).");
}

void scan_string(struct scan *s, const char *text, uint32_t n) {
    char *value = arena_alloc(s->scratch, n);
    uint32_t out = 0;
    for (uint32_t i = 1; i + 1 < n; i++) {
        if (text[i] != '\\') {
            value[out++] = text[i];
            continue;
        }
        uint32_t start = i;
        char c = text[++i];
        int high, low;
        if (c == 'n') {
            value[out++] = '\n';
        } else if (c == 't') {
            value[out++] = '\t';
        } else if (c == '"' || c == '\\') {
            value[out++] = c;
        } else if (c == 'x' && (high = hex(text[i + 1])) >= 0 && (low = hex(text[i + 2])) >= 0 &&
                   high + low > 0) {
            value[out++] = (char)(high * 16 + low);
            i += 2;
        } else {
            uint32_t shown = 2;
            while (start + shown + 1 < n && ((unsigned char)text[start + shown] & 0xc0) == 0x80)
                shown++; /* the rest of a UTF-8 character */
            bad_escape(s, start, shown, arena_strndup(s->scratch, text + start, shown));
        }
    }
    struct token *t = scan_token(s, TOK_STR);
    if (s->names != NULL)
        t->name = name_of(s->names, value, out);
}

void scan_open_string(struct scan *s) {
    s->open_string = true;
    if (s->diags != NULL)
        diag_error(s->diags, here(s), ERR_LEX_STRING);
    struct token *t = scan_token(s, TOK_STR);
    if (s->names != NULL)
        t->name = name_of(s->names, "", 0);
}

/* --- characters that begin no token ---------------------------------------------------------- */

void scan_bad_character(struct scan *s, const char *text, uint32_t n) {
    const struct token *last = s->tokens.n == 0 ? NULL : &s->tokens.at[s->tokens.n - 1];
    /* one message for a run of them */
    bool run = last != NULL && last->kind == TOK_BAD && last->end == s->at;
    if (s->diags != NULL && !run) {
        unsigned char c = (unsigned char)text[0];
        const char *shown;
        struct span place = here(s);
        if (c < 0x20 || c == 0x7f || (c >= 0x80 && n == 1)) {
            shown = arena_printf(s->scratch, "\\x%02x", c);
        } else {
            uint32_t one = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
            shown = arena_printf(s->scratch, "'%.*s'", (int)one, text);
            place.end = place.start + one;
        }
        struct diag *d = diag_error(s->diags, place, ERR_LEX_CHAR, shown);
        if (c == '\'')
            diag_help(s->diags, d, "A string stands in double quotes: \"...\".");
        else if (c == '^')
            diag_help(s->diags, d, "A power is written x ** 2; bits are those of bit_xor(x, y).");
        else if (c == '&' || c == '|')
            diag_help(s->diags, d, "Logic is written with the words and, or, not.");
        else if (c >= 0x80 && n > 1)
            diag_help(s->diags, d, "Names are made of ASCII letters, digits and _.");
    }
    scan_token(s, TOK_BAD);
}
