/* Scopes, lookup, and the words of the language that are no definitions. See Note [scopes] in
   checker.h. An unknown name is reported once per function. */
#include "lang/check/checker.h"
#include "lang/scalar/scalar.h"

#include <string.h>

static const struct {
    const char *text;
    unsigned set;
} fixed_words[] = {
    {"int", WORD_STATIC | WORD_CLASS},
    {"float", WORD_STATIC | WORD_CLASS},
    {"bool", WORD_STATIC | WORD_CLASS},
    {"str", WORD_STATIC},
    {"dtype", WORD_STATIC},
    {"shape", WORD_STATIC},
    {"list", WORD_STATIC},
    {"fn", WORD_STATIC},
    {"number", WORD_CLASS},
    {"any", WORD_STATIC | WORD_CLASS},
    {"inf", WORD_BUILTIN},
    {"nan", WORD_BUILTIN},
    {"training", WORD_BUILTIN},
    {"derived", WORD_BUILTIN},
    {"none", WORD_BUILTIN},
};

static void add_word(struct checker *c, const char *text, unsigned set) {
    struct name n = name_of_text(c->module->names, text);
    map_put(&c->words, n.i, set | word_of(c, n));
}

void names_init(struct checker *c) {
    c->words = map_new(c->arena);
    c->scope = map_new(c->arena);
    c->ended = map_new(c->arena);
    c->reported = map_new(c->arena);
    c->later = map_new(c->arena);
    c->members = map_new(c->arena);
    c->underscore = name_of_text(c->module->names, "_");
    for (unsigned t = 0; t < DT_COUNT; t++)
        add_word(c, dtypes[t].name, WORD_DTYPE);
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (scalars[op].form == FORM_CALL)
            add_word(c, scalars[op].spelling, WORD_BUILTIN);
    for (unsigned i = 0; i < sizeof fixed_words / sizeof *fixed_words; i++)
        add_word(c, fixed_words[i].text, fixed_words[i].set);
}

unsigned word_of(const struct checker *c, struct name n) {
    uint64_t set = 0;
    map_get(&c->words, n.i, &set);
    return (unsigned)set;
}

const char *text_of(const struct checker *c, struct name n) {
    return name_text(c->module->names, n);
}

struct span span_of_name(const struct checker *c, const struct ast *node) {
    struct span s = node->span;
    uint32_t end = s.start + (uint32_t)strlen(text_of(c, node->name));
    if (!(node->flags & (AST_INOUT | AST_PACK)) && end < s.end)
        s.end = end;
    return s;
}

const char *thing_text(enum thing kind) {
    static const char *const texts[THING_COUNT] = {
#define THING(kind, text, doc) [THING_##kind] = text,
#include "lang/check/thing.def"
#undef THING
    };
    return texts[kind];
}

static struct binding *bound(const struct map *m, struct name n) {
    uint64_t value = 0;
    map_get(m, n.i, &value);
    return (struct binding *)(uintptr_t)value;
}

uint32_t scope_open(const struct checker *c) {
    return c->open.n;
}

void scope_close(struct checker *c, uint32_t mark) {
    for (uint32_t i = mark; i < c->open.n; i++) {
        struct binding *b = c->open.at[i];
        if (b->ranges)
            range_settle(c, b);
        fill_settle(c, b);
    }
    while (c->open.n > mark) {
        struct binding *b = c->open.at[--c->open.n];
        map_put(&c->scope, b->name.i, (uintptr_t)b->hides);
        map_put(&c->ended, b->name.i, (uintptr_t)b);
    }
}

struct binding *scope_find(const struct checker *c, struct name n) {
    struct binding *b = bound(&c->scope, n);
    return b && b->kind == THING_SCRIPT && c->place != PLACE_SCRIPT ? NULL : b;
}

static struct binding *new_binding(struct checker *c, enum thing kind, struct name n,
                                   struct span span) {
    struct binding *b = ARENA_NEW(c->arena, struct binding);
    b->kind = kind;
    b->name = n;
    b->span = span;
    b->unit = c->unit;
    b->order = c->order++;
    b->maps = c->maps;
    return b;
}

void report_taken(struct checker *c, const struct binding *by, struct span span) {
    const char *text = text_of(c, by->name);
    struct diag *m = diag_error(c->diags, span, ERR_NAME_TAKEN, text, thing_text(by->kind));
    diag_note(c->diags, m, by->span, "%s stands here", text);
}

struct binding *scope_bind(struct checker *c, enum thing kind, struct name n, struct span span) {
    struct binding *b = new_binding(c, kind, n, span);
    if (name_eq(n, c->underscore))
        return b;
    struct binding *old = scope_find(c, n);
    if (old && old->kind != THING_SCRIPT) {
        report_taken(c, old, span);
        return b;
    }
    if (word_of(c, n) & WORD_DTYPE) {
        diag_error(c->diags, span, ERR_NAME_TAKEN, text_of(c, n), "an element type");
        return b;
    }
    b->hides = bound(&c->scope, n);
    map_put(&c->scope, n.i, (uintptr_t)b);
    VEC_PUSH(c->arena, c->open, b);
    return b;
}

struct binding *script_bind(struct checker *c, struct name n, struct span span) {
    struct binding *b = bound(&c->scope, n);
    if (b && b->kind == THING_SCRIPT)
        return b;
    b = new_binding(c, THING_SCRIPT, n, span);
    if (name_eq(n, c->underscore))
        return b;
    if (word_of(c, n) & WORD_DTYPE)
        diag_error(c->diags, span, ERR_NAME_TAKEN, text_of(c, n), "an element type");
    else
        map_put(&c->scope, n.i, (uintptr_t)b);
    return b;
}

/* --- what was meant --- */

enum { NEAREST_LENGTH = 64 }; /* longer names are not compared */

struct nearest {
    const struct names *names;
    const char *text;
    unsigned length, limit; /* distances beyond the limit do not count */
    struct name best;
    unsigned distance; /* 0: it differs in its capitals only */
    bool layers_only;
};

static unsigned least(unsigned x, unsigned y) {
    return x < y ? x : y;
}

/* A capital as the small letter. */
static char folded(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool same_letters(const char *x, const char *y) {
    while (*x && folded(*x) == folded(*y)) {
        x++;
        y++;
    }
    return *x == *y;
}

/* Insertions, deletions, changes and swaps of neighbours that make Y of X, capitals being small
   letters: the optimal string alignment distance (R. A. Wagner, M. J. Fischer, 1974, with F. J.
   Damerau's swap). */
static unsigned edit_distance(const char *x, unsigned nx, const char *y, unsigned ny) {
    unsigned rows[3][NEAREST_LENGTH + 1];
    unsigned *before = rows[0], *last = rows[1], *row = rows[2];
    for (unsigned j = 0; j <= ny; j++)
        last[j] = j;
    for (unsigned i = 1; i <= nx; i++) {
        row[0] = i;
        for (unsigned j = 1; j <= ny; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1,
                           last[j - 1] + (folded(x[i - 1]) != folded(y[j - 1])));
            if (i > 1 && j > 1 && folded(x[i - 1]) == folded(y[j - 2]) &&
                folded(x[i - 2]) == folded(y[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        unsigned *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[ny];
}

static struct nearest nearest_new(const struct names *names, struct name n) {
    const char *text = name_text(names, n);
    size_t length = strlen(text);
    struct nearest s = {.names = names, .text = text, .length = (unsigned)length};
    s.limit = length > NEAREST_LENGTH ? 0 : length == 2 ? 1 : least(2, s.length / 3);
    s.distance = s.limit + 1;
    return s;
}

static void nearest_try(struct nearest *s, struct name n) {
    const char *text = name_text(s->names, n);
    size_t length = strlen(text);
    if (s->distance && same_letters(text, s->text) && strcmp(text, s->text) != 0) {
        s->distance = 0;
        s->best = n;
    }
    if (s->distance <= 1 || length + s->limit < s->length || length > s->length + s->limit ||
        length > NEAREST_LENGTH || (s->length == 2 && (length == 2 || text[0] != s->text[0])))
        return;
    unsigned distance = edit_distance(s->text, s->length, text, (unsigned)length);
    if (distance > 0 && distance < s->distance) {
        s->distance = distance;
        s->best = n;
    }
}

static void nearest_def(void *data, struct name n, struct ast *def) {
    struct nearest *s = data;
    if (!s->layers_only || def->kind == AST_LAYER)
        nearest_try(s, n);
}

struct name nearest_name(const struct names *names, struct name n, const struct name *others,
                         uint32_t nothers) {
    struct nearest s = nearest_new(names, n);
    for (uint32_t i = 0; i < nothers; i++)
        nearest_try(&s, others[i]);
    return s.best;
}

enum { NAMES_TOLD = 8 };

void help_nearest(struct diags *diags, struct diag *d, const struct names *names, struct name n,
                  const struct name *others, uint32_t nothers, const char *what) {
    struct name near = nearest_name(names, n, others, nothers);
    struct buf all = buf_new(diags->arena);
    for (uint32_t i = 0; i < nothers && i < NAMES_TOLD; i++)
        if (!name_none(others[i]))
            buf_printf(&all, "%s%s", all.n ? ", " : "", name_text(names, others[i]));
    if (!name_none(near))
        diag_help(diags, d, "did you mean %s?", name_text(names, near));
    else if (what && all.n)
        diag_help(diags, d, "%s %s%s", what, all.at, nothers > NAMES_TOLD ? ", .." : "");
}

struct name check_nearest(const struct module *m, struct name n, const struct name *extra,
                          uint32_t nextra) {
    struct nearest s = nearest_new(m->names, n);
    for (uint32_t i = 0; i < nextra; i++)
        nearest_try(&s, extra[i]);
    module_each(m, nearest_def, &s);
    return s.best;
}

struct name nearest_type(const struct checker *c, struct name n, unsigned set, bool layers) {
    struct nearest s = nearest_new(c->module->names, n);
    for (uint32_t i = 0; i < c->words.n; i++)
        if (c->words.entries[i].value & set)
            nearest_try(&s, (struct name){(uint32_t)c->words.entries[i].key});
    s.layers_only = true;
    if (layers)
        module_each(c->module, nearest_def, &s);
    return s.best;
}

bool worth_helping(const struct checker *c) {
    return c->diags->errors < (c->diags->limit ? c->diags->limit : 100);
}

struct visible {
    struct arena *arena;
    VEC(struct name) at;
};

static void see(void *data, struct name n) {
    struct visible *v = data;
    VEC_PUSH(v->arena, v->at, n);
}

/* What the code being checked sees: bindings. */
static void see_bindings(const struct checker *c, struct visible *v) {
    if (c->place == PLACE_SCRIPT && c->builtins && c->builtins->each_variable)
        c->builtins->each_variable(c->builtins->data, see, v);
    for (uint32_t i = 0; i < c->scope.n; i++) {
        struct name key = {(uint32_t)c->scope.entries[i].key};
        if (scope_find(c, key))
            see(v, key);
    }
}

/* ... and words. */
static void see_words(const struct checker *c, struct visible *v) {
    for (uint32_t i = 0; i < c->words.n; i++)
        if (c->words.entries[i].value & (WORD_DTYPE | WORD_BUILTIN))
            see(v, (struct name){(uint32_t)c->words.entries[i].key});
    if (c->builtins && c->builtins->each_builtin)
        c->builtins->each_builtin(c->builtins->data, see, v);
}

static const struct {
    const char *name, *help;
} foreign[] = {
#define FOREIGN(name, help) {#name, help},
#include "lang/check/foreign.def"
#undef FOREIGN
};

const char *check_foreign(const char *name) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strcmp(foreign[i].name, name) == 0)
            return foreign[i].help;
    return NULL;
}

const char *foreign_help(const struct checker *c, struct name n) {
    return check_foreign(text_of(c, n));
}

/* Help for the name N, which nothing defines: what was perhaps meant, the nearest of bindings,
   definitions and words; a word of another language; else HELP, which may be NULL. */
static void help_unknown(struct checker *c, struct diag *m, struct name n, const char *help) {
    enum { SHORT = 4 }; /* names below it are near too much */
    const char *text = text_of(c, n), *elsewhere = foreign_help(c, n);
    struct visible v = {.arena = c->arena};
    see_bindings(c, &v);
    struct name bound = nearest_name(c->module->names, n, v.at.at, v.at.n);
    see_words(c, &v);
    struct name near = check_nearest(c->module, n, v.at.at, v.at.n);
    bool own = !name_none(bound) && strlen(text) >= SHORT;
    bool capitals = !name_none(near) && same_letters(text, text_of(c, near));
    if (!name_none(near) && (own || capitals || !elsewhere))
        diag_help(c->diags, m, "did you mean %s?", text_of(c, near));
    else if (elsewhere)
        diag_help(c->diags, m, "%s", elsewhere);
    else if (c->place == PLACE_SCRIPT && map_get(&c->later, n.i, NULL))
        diag_help(c->diags, m, "%s gets its value further below", text);
    else if (help)
        diag_help(c->diags, m, "%s", help);
}

static bool is_script_variable(const struct checker *c, struct name n) {
    struct binding *b = bound(&c->scope, n);
    return (b && b->kind == THING_SCRIPT) || map_get(&c->later, n.i, NULL) ||
           (c->is_variable && c->is_variable(c->data, n));
}

static void report_unknown(struct checker *c, struct name n, struct span span, const char *help) {
    uint64_t unit = 0;
    if (c->place != PLACE_SCRIPT) {
        if (map_get(&c->reported, n.i, &unit) && unit == 1 + (uint64_t)c->unit)
            return;
        map_put(&c->reported, n.i, 1 + (uint64_t)c->unit);
    }
    bool helping = worth_helping(c);
    const char *text = text_of(c, n);
    struct diag *m = diag_error(c->diags, span, ERR_UNKNOWN_NAME, text);
    if (!helping)
        return;
    struct binding *ended = bound(&c->ended, n);
    if (ended && ended->unit == c->unit && c->unit) {
        diag_note(c->diags, m, ended->span, "%s is %s of a block that has ended", text,
                  thing_text(ended->kind));
        if (ended->kind == THING_VALUE)
            diag_help(c->diags, m, "give %s a value before the block, which may then change it",
                      text);
        return;
    }
    if (c->place != PLACE_SCRIPT && is_script_variable(c, n)) {
        diag_help(c->diags, m,
                  "%s is a variable of the script, which functions do not see: pass it as a "
                  "parameter",
                  text);
        return;
    }
    if (c->place == PLACE_LAYER && map_get(&c->members, n.i, &unit) && unit == c->unit) {
        diag_help(c->diags, m, "%s stands further below: a member sees those above it", text);
        return;
    }
    help_unknown(c, m, n, help);
}

static bool is_defined(const struct checker *c, struct name n) {
    return module_find(c->module, n, NULL) || (word_of(c, n) & (WORD_DTYPE | WORD_BUILTIN)) ||
           (c->builtins && c->builtins->is_builtin(c->builtins->data, n)) ||
           (c->place == PLACE_SCRIPT && c->is_variable && c->is_variable(c->data, n));
}

bool is_known(const struct checker *c, struct name n) {
    return scope_find(c, n) || is_defined(c, n);
}

struct binding *use_name(struct checker *c, struct name n, struct span span, const char *help) {
    struct binding *b = scope_find(c, n);
    if (b) {
        b->uses++;
        return b;
    }
    if (name_eq(n, c->underscore)) {
        diag_error(c->diags, span, ERR_NOT_HERE, "`_` has no value: it takes what is not used");
        return NULL;
    }
    if (!is_defined(c, n))
        report_unknown(c, n, span, help);
    return NULL;
}
