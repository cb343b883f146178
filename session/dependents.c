/* Definitions that use what a text defines anew: they are checked again, and what no longer fits is
   told as a warning at once; the new definition stands.

   Note [dependents]
   Who mentions a name is kept as pairs of names, noted when a definition is added and never taken
   back: a pair that does not hold any more costs a check that finds nothing. So a text costs what
   mentions its names. A dependent is read again from its text into a module of its own above the
   session's, since its tree is in use and has been completed already. It was right when it was
   defined: what is wrong now comes from what has been defined since, and is told again only when it
   has become another mistake. */
#include "session/state.h"

#include "lang/parse/parse.h"

#include <string.h>

enum { TOLD_DEPENDENTS = 3 };

/* What one text defines anew. */
struct change {
    struct dcl_session *s;
    struct module *module;
    uint32_t source;
    struct map checked; /* names of definitions -> 1 */
    uint32_t told, untold;
    struct diag *last;
};

/* --- who mentions whom ----------------------------------------------------------------------- */

struct mentions {
    VEC(struct name) by;
};

static void note(struct dcl_session *s, const struct ast *def, const struct ast *e) {
    uint64_t known = 0, pair = (uint64_t)e->name.i << 32 | def->name.i;
    if (!name_none(e->name) && !name_eq(e->name, def->name) && !map_get(&s->pairs, pair, NULL)) {
        map_put(&s->pairs, pair, 1);
        map_get(&s->mentions, e->name.i, &known);
        struct mentions *m = (struct mentions *)(uintptr_t)known;
        if (!m)
            m = ARENA_NEW(s->arena, struct mentions);
        map_put(&s->mentions, e->name.i, (uintptr_t)m);
        VEC_PUSH(s->arena, m->by, def->name);
    }
    for (uint32_t i = 0; i < e->nkids; i++)
        if (e->kids[i])
            note(s, def, e->kids[i]);
}

static bool mentions(const struct ast *e, struct name n) {
    bool found = name_eq(e->name, n);
    for (uint32_t i = 0; i < e->nkids && !found; i++)
        found = e->kids[i] && mentions(e->kids[i], n);
    return found;
}

void dependents_note(struct dcl_session *s, const struct ast *def) {
    map_put(&s->unfit, def->name.i, 0);
    note(s, def, def);
}

void dependents_undone(struct dcl_session *s) {
    for (uint32_t i = 0; i < s->unfit.n; i++)
        s->unfit.entries[i].value = 0;
}

/* --- checking again -------------------------------------------------------------------------- */

/* DEF as its text says it, not completed; NULL if that is not found. */
static struct ast *read_again(struct dcl_session *s, struct diags *d, const struct ast *def) {
    struct ast *file = parse_source(s->scratch, s->names, d, def->span.source);
    for (uint32_t i = 0; i < file->nkids; i++)
        if (ast_is_definition(file->kids[i]) && file->kids[i]->span.start == def->span.start) {
            file->kids[0] = file->kids[i];
            file->nkids = 1;
            return file;
        }
    return NULL;
}

/* The first error of DEF as things stand, in the arena of messages; NULL if there is none. */
static struct diag *first_error(const struct change *c, const struct ast *def) {
    struct dcl_session *s = c->s;
    struct diags d;
    diags_init(&d, s->messages, s->sources);
    s->scratch = arena_new();
    struct module *above = module_new(s->scratch, s->names, c->module->path, c->module);
    struct ast *file = read_again(s, &d, def);
    if (file && text_check(s, s->scratch, above, &d, file))
        lower_check_definition(s->scratch, s->names, &d, above, file->kids[0], &s->stop);
    arena_free(s->scratch);
    s->scratch = NULL;
    struct diag *e = d.first;
    while (e && e->severity != SEV_ERROR)
        e = e->next;
    return s->stop ? NULL : e;
}

static bool is_in(struct span at, struct span all) {
    return at.source == all.source && at.start >= all.start && at.end <= all.end;
}

/* E, found in DEF after NEW has been defined anew, as a warning. */
static void tell(struct change *c, const struct ast *def, const struct ast *new,
                 const struct diag *e) {
    struct dcl_session *s = c->s;
    const char *name = name_text(s->names, def->name);
    bool here = is_in(e->span, def->span), noted = false;
    struct diag *w = diag_warning(&s->diags, here ? e->span : def->span, ERR_NO_LONGER_FITS, name,
                                  name_text(s->names, new->name), e->text);
    w->detail = here ? e->detail : NULL;
    w->help = e->help;
    w->notes = e->notes;
    for (const struct diag_note *n = e->notes; n; n = n->next)
        noted = noted || is_in(n->span, new->span);
    if (!here)
        diag_note(&s->diags, w, e->span, "it is found here");
    if (!noted)
        diag_note(&s->diags, w, new->span, "%s is defined anew here",
                  name_text(s->names, new->name));
    c->last = w;
}

static void check(struct change *c, struct name dependent, const struct ast *new) {
    struct dcl_session *s = c->s;
    const struct ast *def = module_find(c->module, dependent, NULL);
    uint64_t former = 0;
    if (!def || def->span.source == c->source || map_get(&c->checked, dependent.i, NULL) ||
        !mentions(def, new->name))
        return;
    map_put(&c->checked, dependent.i, 1);
    const struct diag *e = first_error(c, def);
    if (s->stop)
        return;
    uint64_t now = e ? hash_bytes(e->text, strlen(e->text), e->span.start) | 1 : 0;
    map_get(&s->unfit, dependent.i, &former);
    map_put(&s->unfit, dependent.i, now);
    if (!e || now == former)
        return;
    if (c->told++ < TOLD_DEPENDENTS)
        tell(c, def, new, e);
    else
        c->untold++;
}

/* What N meant before the text; NULL: nothing. */
static const struct ast *former_of(const struct module *m, const struct undo *u) {
    const struct ast *def = u->definition;
    for (uint32_t i = 0; !def && i < m->uses.n; i++)
        def = module_find(m->uses.at[i], u->name, NULL);
    return def ? def : module_find(m->prelude, u->name, NULL);
}

void dependents_check(struct dcl_session *s, struct module *m, uint32_t source, uint32_t mark) {
    struct change c = {.s = s, .module = m, .source = source, .checked = map_new(s->messages)};
    for (uint32_t i = mark; i < s->undo.n && !s->stop; i++) {
        const struct undo *u = &s->undo.at[i];
        uint64_t known = 0;
        if (u->kind != UNDO_DEFINITION || u->module != m)
            continue;
        map_get(&s->mentions, u->name.i, &known);
        const struct mentions *users = (const struct mentions *)(uintptr_t)known;
        const struct ast *former = former_of(m, u), *new = module_find(m, u->name, NULL);
        if (!users || !former || !new || former->span.source == source || ast_equal(former, new))
            continue;
        for (uint32_t k = 0; k < users->by.n && !s->stop; k++)
            check(&c, users->by.at[k], new);
    }
    if (c.untold)
        diag_note(&s->diags, c.last, (struct span){0}, "%u more no longer fit", c.untold);
}
