/* Errors of syntax in a user's terms: "expected X, found Y", and help where a habit from another
   language shows. */
#include "lang/parse/parser.h"

#include "lang/scalar/scalar.h"

#include <string.h>

/* Where a text ends that ends too early: with the line that its last token stands in. */
static struct span end_of_text(const struct parser *p, uint32_t last) {
    uint32_t at = p->tokens.at[last].end, end = p->tokens.at[p->end].end;
    while (at < end && p->text[at] != '\n' && p->text[at] != '\r')
        at++;
    return (struct span){p->source, at, at};
}

static struct span span_of(const struct parser *p, uint32_t token) {
    if (p->tokens.at[token].kind == 0 && token > 1)
        return end_of_text(p, token - 1);
    return (struct span){p->source, p->tokens.at[token].start, p->tokens.at[token].end};
}

void message_at(struct parser *p, struct span at, enum error_code code, const char *text,
                const char *help) {
    struct diag *d = diag_error(p->diags, at, code, text);
    if (help != NULL)
        diag_help(p->diags, d, "%s", help);
    p->spoiled = true;
}

void message_too_deep(struct parser *p, struct span at) {
    struct diag *d = diag_error(p->diags, at, ERR_NESTING, PARSE_MAX_DEPTH);
    diag_help(p->diags, d, "Name a part of it in a statement of its own.");
    p->spoiled = true;
}

/* --- what was expected ----------------------------------------------------------------------- */

static const char *const spellings[] = {
#define TOKEN(id, spelling) [TOK_##id - TOK_FIRST] = spelling,
#include "lang/parse/token.def"
#undef TOKEN
};

struct expected {
    bool kind[TOK_END];
};

static bool any_operator(const struct expected *e) {
    return e->kind['+'] && e->kind['/'];
}

static bool any_expression(const struct expected *e) {
    return e->kind[TOK_INT] && e->kind[TOK_STR];
}

static bool any_statement(const struct expected *e) {
    return e->kind[TOK_MAP];
}

static void drop(struct expected *e, const char *characters, const int *kinds) {
    for (; *characters != '\0'; characters++)
        e->kind[(unsigned char)*characters] = false;
    for (; *kinds != 0; kinds++)
        e->kind[*kinds] = false;
}

static void add(struct buf *out, const char *text, int *count) {
    if (*count > 0)
        buf_text(out, "\1"); /* a separator, filled in when the number is known */
    buf_text(out, text);
    ++*count;
}

/* "a, b or c" of E, with groups in words. */
static const char *expected_text(struct parser *p, struct expected *e) {
    static const int operators[] = {TOK_PIPE,     TOK_LE,   TOK_GE,  TOK_EQ, TOK_NE,
                                    TOK_FLOORDIV, TOK_POW,  TOK_AND, TOK_OR, TOK_WRITE,
                                    TOK_UPDATE,   TOK_READ, TOK_IN,  0};
    static const int starters[] = {TOK_NAME,  TOK_INT,      TOK_INT_MIN,  TOK_FLOAT,
                                   TOK_STR,   TOK_IF,       TOK_NOT,      TOK_TRUE,
                                   TOK_FALSE, TOK_GRADIENT, TOK_MINIMIZE, 0};
    static const int statements[] = {TOK_MAP,     TOK_FOR,   TOK_WHILE,  TOK_RETURN, TOK_STEP,
                                     TOK_COMPILE, TOK_FN,    TOK_GRAD,   TOK_LAYER,  TOK_REWRITE,
                                     TOK_USE,     TOK_PARAM, TOK_BUFFER, 0};
    struct buf out = buf_new(p->scratch);
    int count = 0;
    if (any_statement(e)) {
        add(&out, e->kind[TOK_PARAM] ? "a member" : "a statement", &count);
        drop(e, "([-", starters);
        drop(e, ";", statements);
        e->kind[TOK_EOL] = e->kind['}'] = e->kind[0] = false;
    } else if (any_expression(e)) {
        add(&out, "an expression", &count);
        drop(e, "([-*", starters);
    } else if (any_operator(e)) {
        add(&out, "an operator", &count);
        drop(e, "+-*/%@<>([.=", operators);
        if (e->kind[TOK_EOL])
            drop(e, ":,", operators);
    }
    if (e->kind[TOK_EOL])
        e->kind['}'] = e->kind[';'] = e->kind[0] = false;
    e->kind[TOK_INT_MIN] = false;
    for (int kind = 0; kind < TOK_END; kind++) {
        if (!e->kind[kind])
            continue;
        if (kind == 0)
            add(&out, "the end", &count);
        else if (kind < TOK_FIRST)
            add(&out, arena_printf(p->scratch, "'%c'", kind), &count);
        else
            add(&out, spellings[kind - TOK_FIRST], &count);
    }
    struct buf text = buf_new(p->scratch);
    for (const char *at = out.at; count > 0 && *at != '\0'; at++) {
        if (*at == '\1')
            buf_text(&text, --count == 1 ? " or " : ", ");
        else
            buf_bytes(&text, at, 1);
    }
    return text.n == 0 ? "something else" : text.at;
}

static const char *found_text(struct parser *p, uint32_t index) {
    const struct token *t = &p->tokens.at[index];
    int n = (int)(t->end - t->start);
    const char *text = p->text + t->start;
    switch (t->kind) {
    case 0: return "the end of the text";
    case TOK_EOL: return "end of line";
    case TOK_NAME: return arena_printf(p->scratch, "name '%.*s'", n > 60 ? 60 : n, text);
    case TOK_INT:
    case TOK_FLOAT:
    case TOK_INT_MIN: return arena_printf(p->scratch, "number %.*s", n > 60 ? 60 : n, text);
    case TOK_STR: return "a string";
    default:
        if (t->virtual)
            return "the end of the block";
        return arena_printf(p->scratch, "'%.*s'", n, text);
    }
}

/* --- help ------------------------------------------------------------------------------------ */

static bool token_is(const struct parser *p, uint32_t index, const char *text) {
    const struct token *t = &p->tokens.at[index];
    return strlen(text) == t->end - t->start && memcmp(p->text + t->start, text, strlen(text)) == 0;
}

/* The first token of the statement that holds token INDEX. */
static uint32_t statement_first(const struct parser *p, uint32_t index) {
    uint32_t i = index;
    while (i > 1) {
        const struct token *t = &p->tokens.at[i - 1];
        if (t->kind == TOK_EOL || t->kind == ';' || t->kind == '{')
            break;
        i = t->match != 0 && t->match < i - 1 ? t->match : i - 1;
    }
    return i;
}

static int statement_start(const struct parser *p, uint32_t index) {
    return p->tokens.at[statement_first(p, index)].kind;
}

/* Words and operators of other languages. Statements there that are calls here have NULL. */
static const struct {
    const char *text, *help;
} habits[] = {
    {"&&", "Write `and`."},
    {"||", "Write `or`."},
    {"!", "Write `not`."},
    {"++", "Write x = x + 1."},
    {"--", "Write x = x - 1."},
    {"<-", "`name << subset` reads; a comparison with a negative number is written a < -b."},
    {"print", NULL},
    {"assert", NULL},
    {"elif", "Write `else if`."},
    {"def", "A function is defined with `fn`."},
    {"func", "A function is defined with `fn`."},
    {"function", "A function is defined with `fn`."},
    {"lambda",
     "A function is defined with `fn`, and has a name: fn twice(x: f32) -> f32 { x * 2 }"},
    {"class", "A layer is defined with `layer`."},
    {"struct", "A layer is defined with `layer`."},
    {"import", "Definitions of a file are read by `use`; those of the library are there without."},
    {"from", "Definitions of a file are read by `use`; those of the library are there without."},
    {"let", "A value is named without a word before it: x = 1"},
    {"var", "A value is named without a word before it: x = 1"},
    {"const", "A value is named without a word before it: x = 1"},
    {"is", "Write ==, or !=: x == none"},
    {"del", "Names are not taken back: what nothing names any more goes by itself."},
    {"global", "A function does not see variables of the script: pass them as parameters."},
    {"raise", "`error(\"text\")` ends the program."},
    {"yield", "A function gives its last expression, or what `return` says."},
    {"then", "The block stands in braces: if c { .. }"},
    {"do", "The block stands in braces: while c { .. }"},
};

static const char *token_text(struct parser *p, uint32_t index) {
    const struct token *t = &p->tokens.at[index];
    return arena_strndup(p->scratch, p->text + t->start, t->end - t->start);
}

/* The word INDEX is called with what stands between it and the end of its statement. */
static const char *call_help(struct parser *p, uint32_t index) {
    enum { MOST = 60 };
    uint32_t i = index + 1;
    if (statement_first(p, index) != index || p->tokens.at[i].kind == '(')
        return NULL;
    while (p->tokens.at[i].kind != 0 && p->tokens.at[i].kind != TOK_EOL &&
           p->tokens.at[i].kind != ';' && p->tokens.at[i].kind != '}')
        i = p->tokens.at[i].match > i ? p->tokens.at[i].match + 1 : i + 1;
    uint32_t from = p->tokens.at[index + 1].start, to = p->tokens.at[i - 1].end;
    bool fits = to > from && to - from <= MOST && !memchr(p->text + from, '\n', to - from);
    return arena_printf(p->scratch, "A call has parentheses: %s(%.*s)", token_text(p, index),
                        fits ? (int)(to - from) : 2, fits ? p->text + from : "..");
}

static const char *habit_help(struct parser *p, uint32_t index) {
    for (size_t k = 0; k < sizeof habits / sizeof *habits; k++)
        if (token_is(p, index, habits[k].text))
            return habits[k].help ? habits[k].help : call_help(p, index);
    return NULL;
}

/* Two names side by side, or a name and another value. */
static const char *name_help(struct parser *p, uint32_t i, const struct expected *e) {
    const char *help = p->tokens.at[i].kind == TOK_NAME ? habit_help(p, i) : NULL;
    if (help == NULL)
        help = habit_help(p, i - 1);
    const char *text = token_text(p, i);
    const struct token *t = &p->tokens.at[i];
    if (help == NULL && t->kind == TOK_STR && t->start == t[-1].end && p->text[t->end - 1] == '"')
        return "A string has no letter before it; str(x) is x as text: \"x is \" + str(x)";
    if (help == NULL && t[-1].kind == '}')
        return "A statement begins on a line of its own, or behind `;`";
    bool type = p->tokens.at[i + 1].kind == '[' || dtype_of(text) != DT_NONE;
    if (help == NULL && e->kind[':'] && type && t->kind == TOK_NAME)
        help = arena_printf(p->scratch, "A container is declared with a colon: %s: %s",
                            token_text(p, i - 1), text);
    return help;
}

/* Whether KIND begins a value that cannot stand behind another one. */
static bool begins_value(int kind) {
    return kind == TOK_NAME || kind == TOK_INT || kind == TOK_FLOAT || kind == TOK_STR ||
           kind == TOK_NOT || kind == TOK_TRUE || kind == TOK_FALSE || kind == TOK_IF;
}

static bool is_comparison(int kind) {
    return kind == '<' || kind == '>' || kind == TOK_LE || kind == TOK_GE || kind == TOK_EQ ||
           kind == TOK_NE;
}

static bool in_condition(const struct parser *p, uint32_t index) {
    for (uint32_t i = index; i > 1; i--) {
        const struct token *t = &p->tokens.at[i - 1];
        if (t->kind == TOK_IF || t->kind == TOK_WHILE)
            return true;
        if (t->kind == TOK_EOL || t->kind == ';' || t->kind == '{' || t->kind == '}')
            return false;
        if (t->match != 0 && t->match < i - 1)
            i = t->match + 1;
    }
    return false;
}

/* Whether the statement that holds token INDEX has one of KIND before it. */
static bool statement_holds(const struct parser *p, uint32_t index, int kind) {
    bool found = false;
    for (uint32_t i = statement_first(p, index); i < index && !found; i++)
        found = p->tokens.at[i].kind == kind;
    return found;
}

/* Where the block of a statement or definition is expected. */
static const char *brace_help(struct parser *p, uint32_t i) {
    const struct token *t = &p->tokens.at[i];
    if (t->kind == '=' && in_condition(p, i))
        return "`==` compares, `=` gives a name to a value.";
    if (is_comparison(t->kind))
        return "Comparisons do not chain: write a < b and b < c.";
    switch (statement_start(p, i)) {
    case TOK_FN:
    case TOK_GRAD:
        if (t->kind == ',')
            return "Several results stand in parentheses: -> (f32[N], f32[N])";
        return "The body of a function stands in braces: fn f(x: f32) -> f32 { x + 1 }";
    case TOK_LAYER:
        return "What a layer holds stands in braces: layer L(n: int) { param w: f32[n] }";
    case TOK_REWRITE: return "The rules of a rewrite stand in braces.";
    case TOK_FOR: return "The block of a `for` stands in braces: for i in 0:3 { .. }";
    case TOK_MAP: return "The body of a map stands in braces: map i in n { .. }";
    case TOK_WHILE: return "The block of a `while` stands in braces: while c { .. }";
    default:
        return in_condition(p, i) ? "The block of an `if` stands in braces: if c { .. }" : NULL;
    }
}

static const char *help_for(struct parser *p, uint32_t i, const struct expected *e) {
    const struct token *t = &p->tokens.at[i];
    const struct token *before = &p->tokens.at[i - 1];
    const char *help = NULL;
    if (t->kind == TOK_FOREIGN) {
        help = habit_help(p, i);
        if (help == NULL)
            help = arena_printf(p->scratch, "There is no `%s`: write x = x %.*s value.",
                                token_text(p, i), (int)(t->end - t->start - 1), p->text + t->start);
        return help;
    }
    if (t->kind == 0 && i > 2 && before->kind == '-' && before[-1].kind == '-')
        return "x-- does not exist: write x = x - 1.";
    if (t->kind == TOK_IF && any_operator(e) && !e->kind['{'])
        return "A choice is written if c { a } else { b }, or select(c, a, b).";
    if (t->kind == TOK_NOT && t[1].kind == TOK_IN && any_operator(e))
        return "Write not (x in list).";
    if (begins_value(t->kind) && any_operator(e) &&
        (t->kind == TOK_NAME || before->kind == TOK_NAME))
        help = name_help(p, i, e);
    if (help != NULL || e->kind['{'])
        return help != NULL ? help : brace_help(p, i);
    if (t->kind == '?' && any_operator(e) && statement_start(p, i) == TOK_NAME && !e->kind['?'])
        return "A choice is written if c { a } else { b }, or select(c, a, b).";
    if (t->kind == '.' && any_expression(e) && t[1].kind == TOK_INT && t[1].start == t->end)
        return "Write a digit before the point: 0.5";
    if ((t->kind == TOK_INT || t->kind == TOK_FLOAT) && before->kind == '.' && e->kind[TOK_NAME] &&
        before[-1].kind == TOK_NAME)
        return arena_printf(p->scratch, "An element of a list stands in brackets: %s[%.*s]",
                            token_text(p, i - 2), (int)strcspn(token_text(p, i), "."),
                            token_text(p, i));
    if (t->kind == '(' && before->kind == TOK_GRAD)
        return "A gradient is taken by a statement: l, g = gradient f(x) over x";
    if (t->kind == '.' && t[1].kind == '.')
        return "Each dimension has a subscript of its own, `:` for all of it: x[:, :, 0]";
    if (t->kind == '(' && before->kind == TOK_NAME && e->kind['['] && e->kind[TOK_LAYOUT])
        return "Dimensions stand in brackets: x: f32[3]";
    if (t->kind == '[' && before->kind == ':' && e->kind[TOK_NAME])
        return "The element type stands before the dimensions: x: f32[2, 3]";
    if (before->kind == '[' && before[-1].kind == ']' && e->kind[']'] && !any_expression(e))
        return "All dimensions stand in one pair of brackets: f32[2, 3]";
    if (t->kind == '?' && any_statement(e))
        return "A page of help is :help NAME at the prompt.";
    if (t->kind == '?')
        return "`?` stands behind the type of a parameter that may be absent, or alone in "
               "brackets: as the dimension of what grows, as the row that is appended.";
    if (is_comparison(t->kind) && any_operator(e))
        return "Comparisons do not chain: write a < b and b < c.";
    if ((t->kind == '}' || t->kind == TOK_EOL || t->kind == 0 || t->kind == ';') && e->kind['='] &&
        e->kind[','] && !e->kind[':'])
        return "Several values stand in parentheses: (a, b)";
    if (t->kind == TOK_FN && any_expression(e) && !any_statement(e))
        return "A function is defined with its name: fn f(x: f32) -> f32 { x + 1 }";
    if (t->kind == '=' && statement_start(p, i) == TOK_NAME && e->kind[TOK_EOL])
        return "Each name has a statement of its own: y = 3; x = y";
    if (any_statement(e) && (t->kind == '/' || t->kind == TOK_FLOORDIV))
        return "A comment begins with #";
    if (e->kind[TOK_OVER] && !any_expression(e))
        return "It is l, g = gradient E over P, or minimize E over P with OPTIMIZER.";
    if (e->kind[TOK_WITH] && statement_holds(p, i, TOK_MINIMIZE))
        return "It is minimize E over P with OPTIMIZER.";
    if (t->kind == '(' && (before->kind == TOK_FOR || before->kind == TOK_MAP))
        return "Its indices stand without parentheses: for i in 0:3 { .. }";
    if (t->kind == ':' && e->kind[TOK_FOR] && e->kind[']'])
        return "A range has no brackets: for i in 0:3 { .. }; a list of it is [i for i in 0:3]";
    if (t->kind == TOK_FN || t->kind == TOK_GRAD || t->kind == TOK_LAYER || t->kind == TOK_REWRITE)
        return "Functions stand at the top level or in a layer, layers and rewrites at the top "
               "level.";
    if (t->kind == TOK_ELSE || t->kind == TOK_WHERE || t->kind == TOK_ARROW || t->kind == TOK_PIPE)
        return before->kind == 0 ? "A line that begins like this continues the line before." : NULL;
    if (t->kind == TOK_USE)
        return "`use` stands outside of functions.";
    if (t->kind == ',' && statement_start(p, i) == TOK_RETURN)
        return "Several values are returned in parentheses: return (a, b)";
    return NULL;
}

/* --- the error ------------------------------------------------------------------------------- */

bool message_is_kept(const struct parser *p) {
    return p->diags->errors < (p->diags->limit == 0 ? 100 : p->diags->limit);
}

void message_unexpected(struct parser *p, const int *kinds, int n) {
    uint32_t i = p->last;
    const struct token *t = &p->tokens.at[i];
    struct expected e = {{false}};
    for (int k = 0; k < n; k++)
        e.kind[kinds[k]] = true;
    p->recovering = p->spoiled = true;
    p->error = i;
    p->reserved = t->kind == TOK_RESERVED;
    struct span at = span_of(p, i);
    if (!message_is_kept(p) && t->kind != TOK_BAD) {
        diag_error(p->diags, at, ERR_SYNTAX, ""); /* counted, not kept */
    } else if (t->kind == TOK_RESERVED) {
        diag_error(
            p->diags, at, ERR_NOT_YET,
            arena_printf(p->scratch, "'%.*s'", (int)(t->end - t->start), p->text + t->start));
    } else if (t->kind == TOK_INT_MIN) {
        struct diag *d =
            diag_error(p->diags, at, ERR_LEX_NUMBER,
                       arena_strndup(p->scratch, p->text + t->start, t->end - t->start));
        diag_help(p->diags, d, "Whole numbers go up to 9223372036854775807.");
    } else if (t->kind != TOK_BAD && !(t->kind == '{' && t->first)) { /* else told by lines.c */
        const char *help = help_for(p, i, &e);
        const char *text = arena_printf(p->scratch, "expected %s, found %s", expected_text(p, &e),
                                        found_text(p, i));
        struct diag *d = diag_error(p->diags, at, ERR_SYNTAX, text);
        if (help != NULL)
            diag_help(p->diags, d, "%s", help);
    }
    parse_pass_over(p, i);
}
