/* Places in the user's text: of a failed call, and of an access that is outside while the program
   runs. An error in a library function is told where the user's text calls the library. */
#include "lang/eval/site.h"

#include "lang/check/check.h"
#include "lang/eval/internal.h"
#include "lang/rewrite/rewrite.h"

#include <string.h>

enum { CALLS_TOLD = 3 };
enum { LONGEST_SUBSET = 48 }; /* that a message repeats */

static bool is_library(const struct module *m) {
    return m && !m->prelude;
}

static bool lies_in(struct span inner, struct span outer) {
    return inner.source == outer.source && inner.start >= outer.start && inner.end <= outer.end;
}

static const char replaced_this[] = "has replaced this";

/* The place to which the notes of E, of calls (CALLED) and of rules, have led so far; *TOLD: the
   calls among them. */
static struct span place_so_far(const struct diag *e, const char *called, int *told) {
    struct span at = e->span;
    *told = 0;
    for (const struct diag_note *n = e->notes; n; n = n->next) {
        bool call = strstr(n->text, called) != NULL;
        *told += call;
        if (call || strstr(n->text, replaced_this))
            at = n->span;
    }
    return at;
}

/* Of E, told inside of what C calls, at AT: whether a rule that has been applied there has given
   what is wrong. AT stands in the rule, or around what it replaced; or the result of the whole is
   another than the declared one. Notes which rule that is, and what it has replaced. */
static void note_rules(struct diags *diags, const struct names *names, struct diag *e,
                       const struct calling *c, struct span at) {
    bool result = e->code == ERR_RESULT_SHAPE && !e->notes && lies_in(at, c->def);
    for (const struct rewrite_use *u = c->rules; u; u = u->next) {
        bool within = lies_in(at, u->rule);
        if (!within && !lies_in(u->at, result ? c->def : at))
            continue;
        diag_note(diags, e, u->at, "%s %s", name_text(names, u->of), replaced_this);
        if (!within)
            diag_note(diags, e, u->rule, "its rule stands here");
        return;
    }
}

/* Of E, told inside of what C calls, CALLED ("is called here"), within the text of module CALLER
   (NULL: of the script): notes the call, or moves E there. */
static void note_one(struct diags *diags, const struct names *names, struct diag *e,
                     const struct calling *c, const char *called, const struct module *caller) {
    const char *name = name_text(names, c->name);
    int told;
    if (!is_library(c->module))
        note_rules(diags, names, e, c, place_so_far(e, called, &told));
    if (lies_in(c->span, c->def))
        return;
    if (is_library(c->module)) { /* its user did not write the place */
        if (e->span.source != c->span.source && !is_library(caller)) {
            diag_note(diags, e, e->span, "in %s of the library", name);
            e->span = c->span;
        }
        return;
    }
    struct span at = place_so_far(e, called, &told);
    if (told < CALLS_TOLD && lies_in(at, c->def))
        diag_note(diags, e, c->span, "%s %s", name, called);
}

void note_call(struct eval *ev, uint32_t errors_before, const struct calling *c,
               const char *called) {
    if (ev->diags->errors == errors_before || !ev->diags->first)
        return;
    note_one(ev->diags, ev->names, diags_last(ev->diags), c, called,
             c->outer ? c->outer->module : NULL);
}

void note_calls(struct diags *diags, const struct names *names, struct diag *d,
                const struct calling *from) {
    for (const struct calling *c = from; c; c = c->outer)
        note_one(diags, names, d, c, "is called here", c->outer ? c->outer->module : NULL);
}

struct site site_here(const struct eval *ev, const struct tensor *t, struct span span) {
    const struct tensor *of = t->part ? t->part->of : t;
    return (struct site){.calls = ev->frame,
                         .span = span,
                         .tensor = tensor_called(of),
                         .made = of->span,
                         .part = t->part != NULL};
}

/* The function of the library that the user's text calls, NULL if the access stands in that text.
 */
static const struct calling *library_call(const struct site *x) {
    const struct calling *c = x->calls;
    if (!c || !is_library(c->module))
        return NULL;
    while (c->outer && is_library(c->outer->module))
        c = c->outer;
    return c;
}

/* The subset at SPAN as it is written, and of it what stands before its brackets; empty where that
   says nothing. */
static void written(const struct diags *d, struct span span, const char **subset,
                    const char **object) {
    const struct source *s = span.source ? sources_get(d->sources, span.source) : NULL;
    *subset = *object = "";
    if (!s || span.end > s->n || span.end <= span.start || s->text[span.end - 1] != ']')
        return;
    const char *from = s->text + span.start;
    uint32_t n = span.end - span.start, depth = 0, k = n;
    while (k-- > 0) {
        depth += from[k] == ']';
        if (from[k] == '[' && --depth == 0)
            break;
    }
    if (k == 0 || k >= n || memchr(from, '\n', n))
        return;
    if (n <= LONGEST_SUBSET)
        *subset = arena_printf(d->arena, "%.*s", (int)n, from);
    if (k <= LONGEST_SUBSET)
        *object = arena_printf(d->arena, "%.*s", (int)k, from);
}

void help_subscripts(struct diags *diags, struct diag *d, struct span span, uint32_t given,
                     uint32_t rank) {
    const char *subset, *object;
    written(diags, span, &subset, &object);
    if (!*subset || !given || given >= rank || strstr(subset, " else "))
        return;
    const char *inner = subset + strlen(object);
    if (given == 1 && (strncmp(inner, "[[", 2) == 0 || strpbrk(inner, "<>") ||
                       strstr(inner, "==") || strstr(inner, "!="))) {
        diag_help(diags, d, "%s", inner[1] == '[' ? SELECT_ROWS : SELECT_WHERE);
        return;
    }
    struct buf text = buf_new(diags->arena);
    buf_bytes(&text, subset, strlen(subset) - 1);
    for (uint32_t k = given; k < rank; k++)
        buf_text(&text, ", :");
    diag_help(diags, d, "`:` is all of a dimension: %s]", text.at);
}

struct diag *site_outside(struct diags *d, const struct names *names, const struct site *x,
                          int64_t index, uint32_t dim, const char *size) {
    const struct calling *library = library_call(x);
    const char *subset, *object, *name = name_none(x->tensor) ? "" : name_text(names, x->tensor);
    written(d, x->span, &subset, &object);
    if (library) {
        subset = arena_printf(d->arena, "a subset in %s", name_text(names, library->name));
        if (!*name || x->made.source == x->span.source) /* of the library's own names */
            object = *object || *name ? arena_printf(d->arena, "its %s", *object ? object : name)
                                      : "a tensor in it";
        else
            object = name;
    } else {
        subset = *subset ? subset : "this subset";
        object = *object ? object : *name ? name : "the tensor";
    }
    if (x->part)
        return diag_error(d, x->span, ERR_OUTSIDE_PART, subset, *name ? name : "a tensor", object);
    return diag_error(d, x->span, ERR_OUT_OF_BOUNDS, subset, object,
                      arena_printf(d->arena, "%lld", (long long)index), (int)dim, size);
}
