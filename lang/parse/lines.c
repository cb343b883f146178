/* Where lines end and which brackets belong together.
   Before: the lexer's tokens. After: an EOL token wherever a line's end ends a statement, every
   bracket has its partner, missing '}' are put in (ERR_UNCLOSED), and brackets without a partner
   or nested too deep are BAD. Linear in the number of tokens.

   Note [unclosed brackets]
   A '}' closes the last open '{', and every '(' or '[' opened since then is unclosed; a ')' or ']'
   never reaches beyond an open '{'. An unclosed '(' or '[' does not join lines, so that the
   statements after it are read. When a '{' is open at the end of the text, the text is matched
   once more, and now an `fn` or `layer` that begins a line closes what cannot hold it: the
   message then points at the function that lacks its '}' and not at the whole file. */
#include "lang/parse/parser.h"

#include "lang/base/vec.h"
#include "lang/scalar/scalar.h"

#include <string.h>

struct missing {
    uint32_t before, opener; /* indices of the lexer's tokens */
};

struct brackets {
    struct scan *s;
    VEC(uint32_t) open;          /* of the openers that have no partner yet */
    VEC(uint32_t) unclosed;      /* to be told */
    VEC(uint32_t) stray;         /* closers without an opener, to be told */
    VEC(struct missing) missing; /* '}' to put in */
    uint32_t deep;               /* the first opener that is nested too deep, or 0 */
    bool layer;                  /* a `layer` waits for its '{' */
};

/* --- partners of brackets -------------------------------------------------------------------- */

static struct token *innermost(const struct brackets *b) {
    return b->open.n == 0 ? NULL : &b->s->tokens.at[b->open.at[b->open.n - 1]];
}

static void give_up_innermost(struct brackets *b, uint32_t before) {
    uint32_t opener = b->open.at[--b->open.n];
    VEC_PUSH(b->s->scratch, b->unclosed, opener);
    if (b->s->tokens.at[opener].kind == '{') {
        struct missing m = {before, opener};
        VEC_PUSH(b->s->scratch, b->missing, m);
    }
}

static void open_bracket(struct brackets *b, uint32_t i) {
    struct token *t = &b->s->tokens.at[i];
    t->members = t->kind == '{' && b->layer;
    if (t->kind == '{')
        b->layer = false;
    if (b->open.n >= PARSE_MAX_DEPTH && b->deep == 0)
        b->deep = i;
    VEC_PUSH(b->s->scratch, b->open, i);
}

static int opener_of(int closer) {
    return closer == '}' ? '{' : closer == ']' ? '[' : '(';
}

/* Whether the closer at I has an opener: any open '{' for a '}', else one above the last '{'. */
static bool has_opener(const struct brackets *b, int opener) {
    for (uint32_t k = b->open.n; k-- > 0;) {
        int kind = b->s->tokens.at[b->open.at[k]].kind;
        if (kind == opener)
            return true;
        if (kind == '{')
            return false;
    }
    return false;
}

static void close_bracket(struct brackets *b, uint32_t i) {
    struct token *tokens = b->s->tokens.at;
    int opener = opener_of(tokens[i].kind);
    if (!has_opener(b, opener)) {
        VEC_PUSH(b->s->scratch, b->stray, i);
        return;
    }
    while (innermost(b)->kind != opener)
        give_up_innermost(b, i);
    uint32_t partner = b->open.at[--b->open.n];
    tokens[i].match = partner;
    tokens[partner].match = i;
}

/* See Note [unclosed brackets]. */
static void close_before_item(struct brackets *b, uint32_t i) {
    bool fn = b->s->tokens.at[i].kind == TOK_FN;
    while (b->open.n > 0 && !(fn && innermost(b)->kind == '{' && innermost(b)->members))
        give_up_innermost(b, i);
}

static void match_brackets(struct brackets *b, bool guess) {
    struct tokens *tokens = &b->s->tokens;
    b->open.n = b->unclosed.n = b->stray.n = b->missing.n = b->deep = 0;
    b->layer = false;
    for (uint32_t i = 1; i < tokens->n; i++) {
        struct token *t = &tokens->at[i];
        t->match = 0;
        if (guess && t->first &&
            (t->kind == TOK_FN || t->kind == TOK_GRAD || t->kind == TOK_LAYER) &&
            tokens->at[i + 1].kind == TOK_NAME)
            close_before_item(b, i);
        if (t->kind == TOK_LAYER)
            b->layer = true;
        else if (t->kind == '(' || t->kind == '[' || t->kind == '{')
            open_bracket(b, i);
        else if (t->kind == ')' || t->kind == ']' || t->kind == '}')
            close_bracket(b, i);
    }
}

static void tell_brackets(struct brackets *b) {
    struct scan *s = b->s;
    for (uint32_t i = 0; i < b->unclosed.n; i++) {
        const struct token *t = &s->tokens.at[b->unclosed.at[i]];
        char text[2] = {(char)t->kind, '\0'};
        diag_error(s->diags, (struct span){s->source, t->start, t->end}, ERR_UNCLOSED, text);
    }
    for (uint32_t i = 0; i < b->stray.n; i++) {
        struct token *t = &s->tokens.at[b->stray.at[i]];
        char *text =
            arena_printf(s->scratch, "'%c' has no '%c' before it", t->kind, opener_of(t->kind));
        diag_error(s->diags, (struct span){s->source, t->start, t->end}, ERR_SYNTAX, text);
    }
    if (b->deep != 0) {
        const struct token *t = &s->tokens.at[b->deep];
        diag_error(s->diags, (struct span){s->source, t->start, t->end}, ERR_NESTING,
                   PARSE_MAX_DEPTH);
    }
}

/* --- words that depend on their neighbours --------------------------------------------------- */

static struct name text_name(struct scan *s, const struct token *t) {
    return s->names == NULL ? (struct name){0}
                            : name_of(s->names, s->text + t->start, t->end - t->start);
}

/* RES_NONE unless T and the '=' right behind it are an update like `n[i] max= v`. */
static int update_word(const struct scan *s, const struct token *before, const struct token *t,
                       const struct token *after) {
    if (t->kind != TOK_NAME && t->kind != TOK_AND && t->kind != TOK_OR)
        return RES_NONE;
    if (after->kind != '=' || after->start != t->end || t->first)
        return RES_NONE;
    if (before->kind != TOK_NAME && before->kind != ']')
        return RES_NONE;
    uint32_t n = t->end - t->start;
    for (int r = RES_NONE + 1; r < RES_COUNT; r++)
        if (strlen(resolution_names[r]) == n &&
            memcmp(resolution_names[r], s->text + t->start, n) == 0)
            return r;
    return RES_NONE;
}

static bool is_word(int kind) {
    return kind == TOK_RESERVED || kind == TOK_FLOAT || (kind >= TOK_FN && kind <= TOK_WHEN);
}

/* Keywords after a dot are names; a word with a '=' behind it may be an update. */
static void resolve_words(struct scan *s) {
    struct token *at = s->tokens.at;
    uint32_t n = 1;
    for (uint32_t i = 1; i < s->tokens.n; i++) {
        struct token t = at[i];
        bool letters = s->text[t.start] >= 'A'; /* inf, but not 1.5 */
        int update = t.kind == 0 ? RES_NONE : update_word(s, &at[n - 1], &t, &at[i + 1]);
        if (at[n - 1].kind == '.' && is_word(t.kind) && letters) {
            t.kind = TOK_NAME;
            t.name = text_name(s, &t);
        } else if (update != RES_NONE) {
            t.kind = TOK_UPDATE;
            t.integer = update;
            t.end = at[++i].end;
        }
        at[n++] = t;
    }
    s->tokens.n = n;
}

/* --- ends of lines --------------------------------------------------------------------------- */

/* After such a token a line goes on. */
static bool wants_more(int kind) {
    switch (kind) {
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '@':
    case '=':
    case '<':
    case '>':
    case '~':
    case ':':
    case ',':
    case '.':
    case TOK_ARROW:
    case TOK_PIPE:
    case TOK_LE:
    case TOK_GE:
    case TOK_GIVES:
    case TOK_EQ:
    case TOK_NE:
    case TOK_READ:
    case TOK_WRITE:
    case TOK_UPDATE:
    case TOK_FLOORDIV:
    case TOK_POW:
    case TOK_AND:
    case TOK_OR:
    case TOK_NOT:
    case TOK_IN: return true;
    default: return false;
    }
}

static bool ends_line(const struct token *last, const struct token *next) {
    if (last->kind == 0 || last->kind == TOK_EOL || last->kind == ';' || last->kind == '{')
        return false; /* nothing to end */
    if (wants_more(last->kind))
        return false;
    switch (next->kind) {
    case 0:
    case TOK_ARROW:
    case TOK_PIPE:
    case TOK_WHERE:
    case TOK_WHEN:
    case TOK_ELSE: return false;
    default: return true;
    }
}

struct output {
    struct arena *scratch;
    struct tokens tokens;
    VEC(uint32_t) open; /* indices of open brackets in the output */
};

static void put(struct output *o, struct token t) {
    t.match = 0;
    VEC_PUSH(o->scratch, o->tokens, t);
}

static void put_bracket(struct output *o, struct token t) {
    uint32_t index = o->tokens.n;
    put(o, t);
    if (t.kind == '(' || t.kind == '[' || t.kind == '{') {
        VEC_PUSH(o->scratch, o->open, index);
        return;
    }
    uint32_t partner = o->open.at[--o->open.n];
    o->tokens.at[partner].match = index;
    o->tokens.at[index].match = partner;
}

static void put_missing(struct output *o) {
    uint32_t at = o->tokens.at[o->tokens.n - 1].end;
    put_bracket(o, (struct token){.kind = '}', .virtual = true, .start = at, .end = at});
}

static bool is_bracket(int kind) {
    return kind == '(' || kind == ')' || kind == '[' || kind == ']' || kind == '{' || kind == '}';
}

/* In lines means: innermost in no bracket or in '{'. */
static bool in_lines(const struct output *o) {
    return o->open.n == 0 || o->tokens.at[o->open.at[o->open.n - 1]].kind == '{';
}

static void tell_brace(struct scan *s, const struct token *t) {
    struct diag *d = diag_error(s->diags, (struct span){s->source, t->start, t->end}, ERR_SYNTAX,
                                "expected a statement, found '{'");
    diag_help(s->diags, d, "The opening brace stands at the end of the line before.");
}

static struct tokens put_lines(struct brackets *b) {
    const struct tokens *in = &b->s->tokens;
    struct output o = {.scratch = b->s->scratch};
    uint32_t missing = 0;
    put(&o, in->at[0]);
    for (uint32_t i = 1; i < in->n; i++) {
        struct token t = in->at[i];
        while (missing < b->missing.n && b->missing.at[missing].before == i) {
            put_missing(&o);
            missing++;
        }
        struct token last = o.tokens.at[o.tokens.n - 1];
        bool ends = t.first && in_lines(&o) && ends_line(&last, &t);
        if (ends && t.kind == '{')
            tell_brace(b->s, &t); /* no statement begins so: the line goes on */
        else if (ends)
            put(&o, (struct token){.kind = TOK_EOL, .start = last.end, .end = last.end});
        bool lost = is_bracket(t.kind) && t.match == 0 && t.kind != '{';
        if (lost) {
            t.kind = TOK_BAD;
            put(&o, t);
        } else if (is_bracket(t.kind)) {
            put_bracket(&o, t);
        } else {
            put(&o, t);
        }
    }
    return o.tokens;
}

/* An opener that is nested too deep becomes BAD: what stands up to its partner is skipped. */
static void cut_deep(struct tokens *tokens) {
    uint32_t depth = 0;
    for (uint32_t i = 1; i < tokens->n; i++) {
        struct token *t = &tokens->at[i];
        if (t->match > i && ++depth > PARSE_MAX_DEPTH)
            t->kind = TOK_BAD;
        else if (t->match != 0 && t->match < i)
            depth--;
    }
}

struct tokens lines_resolve(struct scan *s) {
    struct brackets b = {.s = s};
    resolve_words(s);
    match_brackets(&b, false);
    if (b.open.n > 0) {
        match_brackets(&b, true);
        while (b.open.n > 0)
            give_up_innermost(&b, s->tokens.n - 1);
    }
    tell_brackets(&b);
    struct tokens out = put_lines(&b);
    if (b.deep != 0)
        cut_deep(&out);
    return out;
}

bool lines_want_more(struct scan *s, struct buf *open) {
    struct brackets b = {.s = s};
    resolve_words(s);
    match_brackets(&b, false);
    open->n = 0;
    if (b.unclosed.n > 0 || b.stray.n > 0 || b.deep != 0 || s->open_string)
        return false; /* wrong already: tell it now */
    const struct token *last = &s->tokens.at[s->tokens.n - 2];
    for (uint32_t i = 0; i < b.open.n; i++)
        buf_bytes(open, s->text + s->tokens.at[b.open.at[i]].start, 1);
    if (!wants_more(last->kind))
        return b.open.n > 0;
    buf_text(open, " "); /* an `in` is no part of a name before it */
    buf_bytes(open, s->text + last->start, last->end - last->start);
    buf_text(open, "\n");
    return true;
}
