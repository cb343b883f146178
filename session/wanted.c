/* What a command line wants of a file, by name: a function with arguments and results, or
   variables that the script reads. Looked at when the file has been read and before it runs, so
   that a slip costs nothing. What only the script makes, an instance and its methods, is told of
   later. */
#include "session/builtins.h"

#include "lang/check/check.h"

#include <string.h>

enum use { USE_NONE, USE_READS, USE_SETS };

static enum use first_use(const struct ast *e, struct name n);

/* Whether the name of E, beside those of assignments, gets a value there. */
static bool sets_name(const struct ast *e) {
    return e->kind == AST_DECL || e->kind == AST_READ || e->kind == AST_ITER;
}

static enum use first_of(struct ast *const *kids, uint32_t from, uint32_t to, struct name n) {
    enum use found = USE_NONE;
    for (uint32_t i = from; i < to && found == USE_NONE; i++)
        found = kids[i] ? first_use(kids[i], n) : USE_NONE;
    return found;
}

/* What E does first with the variable N. */
static enum use first_use(const struct ast *e, struct name n) {
    enum use found = USE_NONE;
    bool named = name_eq(e->name, n);
    switch (e->kind) {
    case AST_FN:
    case AST_LAYER:
    case AST_REWRITE:
    case AST_USE:
    case AST_STR: return USE_NONE; /* a string is a name, too */
    case AST_NAME: return named ? USE_READS : USE_NONE;
    case AST_MEMBER:
    case AST_KEYWORD: return first_of(e->kids, 0, e->nkids, n);
    case AST_ASSIGN:
        found = first_use(e->kids[0], n);
        for (uint32_t i = 1; i < e->nkids && found == USE_NONE; i++) {
            bool whole = e->kids[i]->kind == AST_NAME;
            found = first_use(e->kids[i], n);
            found = whole && found == USE_READS ? USE_SETS : found;
        }
        return found;
    case AST_MAP:
    case AST_FOR: /* the body stands first */
        found = first_of(e->kids, 1, e->nkids, n);
        return found == USE_NONE ? first_use(e->kids[0], n) : found;
    case AST_COMPREHENSION:
        found = first_use(e->kids[1], n);
        return found == USE_NONE && !named ? first_use(e->kids[0], n) : found;
    default:
        found = first_of(e->kids, 0, e->nkids, n);
        if (found != USE_NONE || !named)
            return found;
        return sets_name(e) ? USE_SETS : USE_READS;
    }
}

/* What FILE does first with N; *AT is the statement. */
static enum use file_use(const struct ast *file, struct name n, struct span *at) {
    enum use found = USE_NONE;
    for (uint32_t i = 0; i < file->nkids && found == USE_NONE; i++) {
        found = first_use(file->kids[i], n);
        *at = file->kids[i]->span;
    }
    return found;
}

struct names_of {
    VEC(struct name) at;
};

/* The names that E gives values to, at the places where first_use sees that. */
static void collect_set(struct dcl_session *s, const struct ast *e, struct names_of *out) {
    if (ast_is_definition(e) || e->kind == AST_USE)
        return;
    for (uint32_t i = 1; e->kind == AST_ASSIGN && i < e->nkids; i++)
        if (e->kids[i]->kind == AST_NAME)
            VEC_PUSH(s->messages, out->at, e->kids[i]->name);
    if (sets_name(e))
        VEC_PUSH(s->messages, out->at, e->name);
    for (uint32_t i = 0; i < e->nkids; i++)
        if (e->kids[i])
            collect_set(s, e->kids[i], out);
}

static struct diag *refuse(struct dcl_session *s, const struct session_name *x, const char *why) {
    s->refused = true;
    return diag_error(&s->diags, (struct span){0}, ERR_USAGE,
                      arena_printf(s->messages, "%s %s: %s", x->option, x->name, why));
}

/* The names that E reads and that may be variables. */
static void collect_read(struct dcl_session *s, const struct ast *e, struct names_of *out) {
    if (ast_is_definition(e) || e->kind == AST_USE)
        return;
    if (e->kind == AST_NAME)
        VEC_PUSH(s->messages, out->at, e->name);
    for (uint32_t i = 0; i < e->nkids; i++)
        if (e->kids[i])
            collect_read(s, e->kids[i], out);
}

/* The variables that FILE leaves open, once each: it reads them before it sets them, and nothing
   else is called so. */
static struct names_of open_variables(struct dcl_session *s, const struct ast *file) {
    struct names_of read = {0}, open = {0};
    struct map seen = map_new(s->messages);
    struct span at;
    collect_read(s, file, &read);
    for (uint32_t i = 0; i < read.at.n; i++) {
        struct name n = read.at.at[i];
        bool known = map_get(&seen, n.i, NULL) || module_find(s->module, n, NULL) ||
                     builtin_has(s, n) || eval_is_builtin(s->names, n) ||
                     dtype_of(name_text(s->names, n)) != DT_NONE;
        map_put(&seen, n.i, 1);
        if (!known && file_use(file, n, &at) == USE_READS)
            VEC_PUSH(s->messages, open.at, n);
    }
    return open;
}

/* Help for D, which tells of N, that FILE has not: a near name of those that it leaves open, else
   of those that it sets; else all that it leaves open. */
static void help_variable(struct dcl_session *s, struct diag *d, const struct ast *file,
                          struct name n) {
    struct names_of set = {0}, open = open_variables(s, file);
    collect_set(s, file, &set);
    struct name near = nearest_name(s->names, n, set.at.at, set.at.n);
    help_nearest(&s->diags, d, s->names, n, open.at.at, open.at.n, NULL);
    if (!d->help && !name_none(near))
        diag_help(&s->diags, d, "did you mean %s?", name_text(s->names, near));
    else if (!d->help && open.at.n)
        help_nearest(&s->diags, d, s->names, n, open.at.at, open.at.n, "it leaves open");
    else if (!d->help)
        diag_help(&s->diags, d, "it leaves none open: all that it reads it sets before");
}

/* Variables that are given before the script starts. */
static bool check_variables(struct dcl_session *s, const struct ast *file) {
    const struct session_wants *w = s->wants;
    for (int i = 0; i < w->n; i++) {
        struct name n = name_of_text(s->names, w->given[i].name);
        struct span at;
        enum use use = file_use(file, n, &at);
        if (use == USE_READS)
            continue;
        struct diag *d = refuse(s, &w->given[i],
                                use == USE_SETS ? "the script gives it a value itself"
                                                : "the script has no such variable");
        if (use == USE_SETS) {
            diag_note(&s->diags, d, at, "%s gets its value here", w->given[i].name);
            diag_help(&s->diags, d,
                      "what a script takes it reads without setting it: leave this "
                      "statement out");
        } else {
            help_variable(s, d, file, n);
        }
    }
    return !s->refused;
}

/* Whether NAME stands at SPAN, and is not called there. */
static bool stands_at(struct dcl_session *s, struct span span, const char *name) {
    const struct source *source = sources_get(s->sources, span.source);
    size_t n = strlen(name);
    bool called = span.end < source->n && source->text[span.end] == '(';
    return !called && span.end - span.start == n && memcmp(source->text + span.start, name, n) == 0;
}

void wanted_help(struct dcl_session *s, const struct ast *file) {
    struct names_of open = open_variables(s, file);
    for (struct diag *d = s->diags.first; d; d = d->next)
        for (uint32_t i = 0; i < open.at.n && d->code == ERR_UNKNOWN_NAME && !d->help; i++) {
            const char *name = name_text(s->names, open.at.at[i]);
            if (d->span.source && stands_at(s, d->span, name))
                diag_help(&s->diags, d, "it can be given: --set %s=VALUE, or --input %s=FILE", name,
                          name);
        }
}

static void note_definition(struct dcl_session *s, struct diag *d, const struct ast *def) {
    diag_note(&s->diags, d, def->span, "%s is declared here", name_text(s->names, def->name));
}

/* Whether DEF has what is GIVEN: a parameter, or a RESULT, by its name or number; else says so. */
static void check_name(struct dcl_session *s, const struct ast *def,
                       const struct session_name *given, const struct names_of *have, bool result) {
    struct name n = name_of_text(s->names, given->name);
    for (uint32_t k = 0; k < have->at.n; k++)
        if (name_eq(have->at.at[k], n) ||
            (result && strcmp(arena_printf(s->messages, "%u", k), given->name) == 0))
            return;
    const char *what =
        arena_printf(s->messages, "%s has no such %s", name_text(s->names, def->name),
                     result ? "result" : "parameter");
    struct diag *d = refuse(s, given, what);
    note_definition(s, d, def);
    help_nearest(&s->diags, d, s->names, n, have->at.at, have->at.n,
                 result ? "it gives" : "it takes");
}

/* Arguments and results of the function DEF. */
static bool check_function(struct dcl_session *s, const struct ast *def) {
    const struct session_wants *w = s->wants;
    const struct ast *params = def->kids[0];
    struct names_of have = {0};
    for (uint32_t i = 0; i < params->nkids; i++)
        VEC_PUSH(s->messages, have.at, params->kids[i]->name);
    for (int i = 0; i < w->n; i++)
        check_name(s, def, &w->given[i], &have, false);
    have.at.n = 0;
    for (uint32_t k = 0; k < fn_result_count(def); k++)
        VEC_PUSH(s->messages, have.at, fn_result_name(def, k));
    for (int i = 0; i < w->nresults; i++)
        check_name(s, def, &w->results[i], &have, true);
    return !s->refused;
}

bool wanted_check_instance(struct dcl_session *s, const struct instance *x) {
    const struct session_wants *w = s->wants;
    const struct binding *b = env_find(x->env, name_of_text(s->names, "forward"), NULL);
    if (!w || !w->entry || !b || b->value.kind != VAL_FN)
        return true;
    size_t n = strcspn(w->entry, " .[(");
    if (strncmp(w->entry, "model", n) != 0 || n != strlen("model")) {
        refuse(s, &(struct session_name){"--entry", w->entry}, "a model is called model");
        return false;
    }
    return (w->entry[n] && w->entry[n] != '(') || check_function(s, b->value.fn->def);
}

bool wanted_check(struct dcl_session *s, const struct ast *file) {
    const struct session_wants *w = s->wants;
    if (!w)
        return true;
    if (!w->entry)
        return check_variables(s, file);
    size_t n = strcspn(w->entry, " .[(");
    struct name root = name_of(s->names, w->entry, n);
    const struct ast *def = module_find(s->module, root, NULL);
    struct names_of set = {0};
    collect_set(s, file, &set);
    for (uint32_t i = 0; i < set.at.n; i++)
        if (name_eq(set.at.at[i], root))
            return true;
    if (def)
        return def->kind != AST_FN || (w->entry[n] && w->entry[n] != '(') || check_function(s, def);
    if (env_find(s->script, root, NULL) || n == 0)
        return true;
    struct session_name entry = {"--entry", name_text(s->names, root)};
    struct diag *d = refuse(s, &entry, "neither a function nor a variable is called so");
    struct name near = check_nearest(s->module, root, set.at.at, set.at.n);
    if (!name_none(near))
        diag_help(&s->diags, d, "did you mean %s?", name_text(s->names, near));
    return false;
}
