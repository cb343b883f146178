/* Matching, and filling in what was met. */
#include "lang/rewrite/rewrite.h"

#include "lang/scalar/scalar.h"

#include <string.h>

enum {
    COMMUTATIVE_MOST = 10, /* operators of a pattern that are tried in both orders */
    CHAIN_MOST = 64        /* names that stand for names */
};

struct matcher {
    struct arena *arena;
    const struct rewrite_text *text;
    const struct module *module; /* of the rule */
    struct rewrite_match *out;
    uint32_t orders, seen; /* commutative operators: one bit each, the first one the highest; how
                              many have been met */
    uint32_t swapped;      /* those that are tried swapped */
};

static bool match(struct matcher *m, const struct ast *p, const struct ast *e);

/* --- what an expression is ------------------------------------------------------------------- */

/* E, or what the name that it is stands for. */
static const struct ast *resolved(const struct matcher *m, const struct ast *e) {
    for (int i = 0; i < CHAIN_MOST && e->kind == AST_NAME; i++) {
        const struct ast *v = m->text->value(m->text->data, e->name);
        if (!v)
            break;
        e = v;
    }
    return e;
}

/* `x |> f(y)` as f(x, y). */
static const struct ast *as_call(struct matcher *m, const struct ast *e) {
    if (e->kind != AST_PIPE)
        return e;
    const struct ast *to = e->kids[1];
    struct ast *call = ast_new(m->arena, AST_CALL, e->span, 0);
    ast_push(m->arena, call, to->kind == AST_CALL ? to->kids[0] : (struct ast *)(uintptr_t)to);
    ast_push(m->arena, call, e->kids[0]);
    for (uint32_t k = 1; to->kind == AST_CALL && k < to->nkids; k++)
        ast_push(m->arena, call, to->kids[k]);
    return call;
}

static bool is_none(const struct names *names, const struct ast *e) {
    return e->kind == AST_NAME && strcmp(name_text(names, e->name), "none") == 0;
}

/* Whether E is a number, also negated or cast; its value in *V. */
static bool is_number(const struct matcher *m, const struct ast *e, double *v) {
    const struct names *names = m->module->names;
    e = resolved(m, e);
    if (e->kind == AST_CALL && e->nkids == 2 && e->kids[0]->kind == AST_NAME &&
        dtype_of(name_text(names, e->kids[0]->name)) != DT_NONE)
        return is_number(m, e->kids[1], v);
    if (e->kind == AST_UNARY && e->op == AOP_NEG && is_number(m, e->kids[0], v)) {
        *v = -*v;
        return true;
    }
    *v = e->kind == AST_INT ? (double)e->integer : e->number;
    return e->kind == AST_INT || e->kind == AST_FLOAT;
}

/* Whether X and Y, expressions of the text, are the same value. */
static bool same(const struct matcher *m, const struct ast *x, const struct ast *y) {
    double v, w;
    if (ast_equal(x, y) || ast_equal(resolved(m, x), resolved(m, y)))
        return x->nkids == 0 || m->text->lasts(m->text->data, x);
    return is_number(m, x, &v) && is_number(m, y, &w) && (float)v == (float)w;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* The definition that NAME means in module M, or NULL. */
static const struct ast *function_of(const struct module *m, struct name n) {
    return module_find(m, n, NULL);
}

/* Whether a NAME that is called means in the rule what it means in the text. */
static bool same_function(const struct matcher *m, const struct ast *p, const struct ast *e) {
    return p->kind == AST_NAME && e->kind == AST_NAME && name_eq(p->name, e->name) &&
           !m->text->hidden(m->text->data, e->name) &&
           function_of(m->module, p->name) == function_of(m->text->module, e->name);
}

/* The arguments of CALL by parameter of DEF; false if they cannot be told. AT has a place for each
   parameter. ATTRS: where a pattern's `attrs = m` goes. */
static bool by_parameter(const struct matcher *m, const struct ast *def, const struct ast *call,
                         const struct ast **at, const struct ast **attrs) {
    const struct ast *params = def->kids[0];
    const struct names *names = m->module->names;
    uint32_t next = 0;
    for (uint32_t k = 1; k < call->nkids; k++) {
        const struct ast *arg = call->kids[k];
        uint32_t i = 0;
        if (arg->kind == AST_SPREAD)
            return false;
        if (arg->kind != AST_KEYWORD) {
            if (next >= params->nkids || (params->kids[next]->flags & AST_STATIC))
                return false;
            at[next++] = arg;
            continue;
        }
        while (i < params->nkids && !name_eq(params->kids[i]->name, arg->name))
            i++;
        if (i < params->nkids)
            at[i] = arg->kids[0];
        else if (attrs && strcmp(name_text(names, arg->name), REWRITE_ATTRIBUTES) == 0)
            *attrs = arg->kids[0];
        else
            return false;
    }
    for (uint32_t i = 0; !attrs && i < params->nkids; i++)
        if (at[i] && is_none(names, at[i]))
            at[i] = NULL; /* an argument that is not given */
    return true;
}

static void bind(struct matcher *m, struct name n, const struct ast *value, bool attributes) {
    VEC_PUSH(m->arena, m->out->bound, ((struct rewrite_bound){n, value, attributes}));
}

static bool names_param(const struct ast *params, const struct ast *e) {
    bool names = false;
    for (uint32_t i = 0; e->kind == AST_NAME && i < params->nkids; i++)
        names = names || name_eq(params->kids[i]->name, e->name);
    for (uint32_t k = 0; !names && k < e->nkids; k++)
        names = e->kids[k] && names_param(params, e->kids[k]);
    return names;
}

/* The default of parameter I, NULL: it has none that means the same outside. */
static const struct ast *default_of(const struct ast *params, uint32_t i) {
    const struct ast *e = params->kids[i]->kids[1];
    return e && names_param(params, e) ? NULL : e;
}

static bool match_arguments(struct matcher *m, const struct ast *def, const struct ast *p,
                            const struct ast *e) {
    const struct ast *params = def->kids[0], *attrs = NULL;
    const struct ast **want = ARENA_ARRAY(m->arena, const struct ast *, params->nkids + 1);
    const struct ast **have = ARENA_ARRAY(m->arena, const struct ast *, params->nkids + 1);
    if (!by_parameter(m, def, p, want, &attrs) || !by_parameter(m, def, e, have, NULL))
        return false;
    struct ast *rest = ast_new(m->arena, AST_CALL, e->span, 0);
    for (uint32_t i = 0; i < params->nkids; i++) {
        const struct ast *param = params->kids[i], *otherwise = default_of(params, i);
        if (!want[i] && !have[i])
            continue;
        if (want[i] && (have[i] || otherwise)) {
            if (!match(m, want[i], have[i] ? have[i] : otherwise))
                return false;
            continue;
        }
        if (want[i])
            return false;
        if (otherwise && same(m, have[i], otherwise))
            continue;
        if (!attrs || !(param->flags & AST_STATIC))
            return false;
        struct ast *keyword = ast_new(m->arena, AST_KEYWORD, e->span, 1);
        keyword->name = param->name;
        keyword->kids[0] = ast_clone(m->arena, have[i]);
        ast_push(m->arena, rest, keyword);
    }
    if (attrs)
        bind(m, attrs->name, rest, true);
    return true;
}

/* Whether DEF has a parameter for each argument of CALL without a name: else an operator is meant
   that is called like it, as max(a, b). */
static bool takes(const struct ast *def, const struct ast *call) {
    uint32_t given = 0, most = 0;
    for (uint32_t k = 1; k < call->nkids; k++)
        given += call->kids[k]->kind != AST_KEYWORD;
    for (uint32_t i = 0; i < def->kids[0]->nkids; i++)
        most += !(def->kids[0]->kids[i]->flags & AST_STATIC);
    return given <= most;
}

static bool match_call(struct matcher *m, const struct ast *p, const struct ast *e) {
    if (!same_function(m, p->kids[0], e->kids[0]))
        return false;
    const struct ast *def = function_of(m->module, p->kids[0]->name);
    if (def && def->kind == AST_FN && takes(def, p) && takes(def, e))
        return match_arguments(m, def, p, e);
    bool good = p->nkids == e->nkids; /* an operator, a cast, a builtin */
    for (uint32_t k = 1; good && k < p->nkids; k++)
        good = p->kids[k]->kind != AST_KEYWORD && match(m, p->kids[k], e->kids[k]);
    return good;
}

/* --- all of it ------------------------------------------------------------------------------- */

static bool is_variable(const struct matcher *m, const struct ast *p) {
    const char *text = name_text(m->module->names, p->name);
    return dtype_of(text) == DT_NONE && strcmp(text, "none") != 0 && strcmp(text, "training") != 0;
}

static bool match_variable(struct matcher *m, const struct ast *p, const struct ast *e) {
    for (uint32_t i = 0; i < m->out->bound.n; i++)
        if (name_eq(m->out->bound.at[i].name, p->name))
            return same(m, m->out->bound.at[i].value, e);
    if (is_none(m->module->names, e) || e->kind == AST_SPREAD || e->kind == AST_KEYWORD)
        return false;
    bind(m, p->name, e, false);
    return true;
}

static bool match_binary(struct matcher *m, const struct ast *p, const struct ast *e) {
    bool either = (p->op == AOP_ADD || p->op == AOP_MUL) && m->seen < m->orders;
    if (p->op != e->op)
        return false;
    m->seen += either;
    bool swap = either && (m->swapped >> (m->orders - m->seen) & 1);
    return match(m, p->kids[0], e->kids[swap]) && match(m, p->kids[1], e->kids[!swap]);
}

static bool match(struct matcher *m, const struct ast *p, const struct ast *e) {
    double v, w;
    if (p->kind == AST_NAME && is_variable(m, p))
        return match_variable(m, p, e);
    if (is_number(m, p, &v))
        return is_number(m, e, &w) && (float)v == (float)w;
    p = as_call(m, p);
    e = as_call(m, resolved(m, e));
    if (p->kind != e->kind)
        return false;
    switch (p->kind) {
    case AST_CALL: return match_call(m, p, e);
    case AST_BINARY: return match_binary(m, p, e);
    case AST_UNARY: return p->op == e->op && match(m, p->kids[0], e->kids[0]);
    case AST_LIST:
        for (uint32_t k = 0; k < p->nkids; k++)
            if (p->nkids != e->nkids || !match(m, p->kids[k], e->kids[k]))
                return false;
        return p->nkids == e->nkids;
    default: return ast_equal(p, e);
    }
}

static uint32_t count_commutative(const struct ast *p) {
    uint32_t n = p->kind == AST_BINARY && (p->op == AOP_ADD || p->op == AOP_MUL);
    for (uint32_t k = 0; k < p->nkids; k++)
        n += count_commutative(p->kids[k]);
    return n;
}

/* Whether the rule gives N a meaning of its own. */
static bool is_own(const struct matcher *m, const struct ast *rule, struct name n) {
    bool own = false;
    for (uint32_t i = 0; !own && i < m->out->bound.n; i++)
        own = name_eq(m->out->bound.at[i].name, n);
    for (uint32_t i = 3; !own && i < rule->nkids; i++)
        own = name_eq(rule->kids[i]->name, n);
    return own;
}

/* Whether the names in E, of RULE, that are none of its own mean the same in the text. */
static bool reaches(const struct matcher *m, const struct ast *rule, const struct ast *e) {
    bool good = e->kind != AST_NAME || is_own(m, rule, e->name) || same_function(m, e, e);
    for (uint32_t k = 0; good && k < e->nkids; k++)
        good = !e->kids[k] || reaches(m, rule, e->kids[k]);
    return good;
}

bool rewrite_matches(struct arena *a, const struct rewrite_text *t, const struct rewrite_rule *r,
                     const struct ast *e, struct rewrite_match *out) {
    struct matcher m = {.arena = a, .text = t, .module = r->module, .out = out};
    const struct ast *pattern = r->rule->kids[0];
    m.orders = count_commutative(pattern);
    if (m.orders > COMMUTATIVE_MOST)
        m.orders = COMMUTATIVE_MOST;
    *out = (struct rewrite_match){.rule = r->rule};
    while (m.swapped < 1u << m.orders) {
        m.seen = 0;
        out->bound.n = 0;
        if (match(&m, pattern, e))
            return reaches(&m, r->rule, r->rule);
        uint32_t unseen = m.orders - m.seen; /* their order makes no difference */
        m.swapped = ((m.swapped >> unseen) + 1) << unseen;
    }
    return false;
}

struct ast *rewrite_filled(struct arena *a, const struct rewrite_match *m, const struct ast *e) {
    const struct rewrite_bound *b = NULL;
    for (uint32_t i = 0; !b && e->kind == AST_NAME && i < m->bound.n; i++)
        if (name_eq(m->bound.at[i].name, e->name) && !m->bound.at[i].attributes)
            b = &m->bound.at[i];
    if (b)
        return ast_clone(a, b->value);
    struct ast *out = ast_new(a, e->kind, e->span, 0), **kids = out->kids;
    *out = *e;
    out->kids = kids;
    out->nkids = 0;
    for (uint32_t k = 0; k < e->nkids; k++) {
        const struct ast *kid = e->kids[k], *attributes = NULL;
        for (uint32_t i = 0; kid && kid->kind == AST_KEYWORD && i < m->bound.n; i++)
            if (m->bound.at[i].attributes && kid->kids[0]->kind == AST_NAME &&
                name_eq(kid->kids[0]->name, m->bound.at[i].name))
                attributes = m->bound.at[i].value;
        for (uint32_t i = 0; attributes && i < attributes->nkids; i++)
            ast_push(a, out, ast_clone(a, attributes->kids[i]));
        if (!attributes)
            ast_push(a, out, kid ? rewrite_filled(a, m, kid) : NULL);
    }
    return out;
}

const struct ast *rewrite_instance(const struct module *m, const struct ast *to) {
    const struct ast *made =
        to->kind == AST_CALL && to->kids[0]->kind == AST_CALL ? to->kids[0] : NULL;
    const struct ast *def =
        made && made->kids[0]->kind == AST_NAME ? module_find(m, made->kids[0]->name, NULL) : NULL;
    bool states = false;
    for (uint32_t k = 1; made && k < to->nkids; k++)
        states = states || to->kids[k]->kind == AST_KEYWORD;
    return def && def->kind == AST_LAYER && states ? made : NULL;
}

void rewrite_rules_of(struct arena *a, const struct module *m, rewrite_rules *out) {
    for (uint32_t u = 0; u < m->uses.n + 1; u++) {
        const struct module *of = u ? m->uses.at[u - 1] : m;
        for (uint32_t i = 0; of->rewrites && i < of->defs.n; i++) {
            const struct ast *def = (const struct ast *)(uintptr_t)of->defs.entries[i].value;
            for (uint32_t k = 0; def && def->kind == AST_REWRITE && k < def->kids[0]->nkids; k++)
                VEC_PUSH(a, *out, ((struct rewrite_rule){def->kids[0]->kids[k], of, def->name}));
        }
    }
}
