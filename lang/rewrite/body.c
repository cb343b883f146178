/* Rules applied to the body of a function.

   Note [what a name stands for]. A name that is given a value once, outright, stands for that value
   below, as long as what the value is made of cannot change: other such names, parameters that are
   not inout, indices, params, and calls of functions that take neither inout nor what may be an
   instance. Containers and buffers change, and names that are given a value twice; calls of
   members and methods may do anything. */
#include "lang/rewrite/rewrite.h"

#include <string.h>

/* Nodes that rules may add to a body, for each of its own: a rule may fit what it gives, and what
   is computed twice may double at each step. */
enum { ADDED_MOST = 8 };

/* What is known of a name of the body. */
struct known {
    bool changes;             /* what it stands for is not the same everywhere */
    const struct ast *value;  /* as written, from there on, or NULL */
    const struct ast *newest; /* with rules applied */
};

struct body {
    struct arena *arena;
    struct names *names;
    rewrite_rules rules;
    const struct ast *of; /* the layer */
    struct map known;     /* name.i -> struct known * */
    struct rewrite_text text;
    bool trains; /* it takes gradients or changes params: names stand for themselves */
    bool newest; /* names stand for what has been rewritten already */
    bool met;
    const struct rewrite_use *uses;
    uint64_t left;    /* nodes that may still be added */
    struct map taken; /* name.i -> 1: all names of the definition */
};

/* --- names ----------------------------------------------------------------------------------- */

static struct known *find(const struct body *b, struct name n) {
    uint64_t k = 0;
    map_get(&b->known, n.i, &k);
    return (struct known *)(uintptr_t)k;
}

/* N is given a value by the body; OUTRIGHT: by `n = ..`. */
static void note(struct body *b, struct name n, bool outright) {
    struct known *k = find(b, n);
    bool again = k != NULL;
    if (!k) {
        k = ARENA_NEW(b->arena, struct known);
        map_put(&b->known, n.i, (uintptr_t)k);
    }
    k->changes = k->changes || again || !outright;
}

static const struct ast *root_of(const struct ast *e) {
    while (e->kind == AST_INDEX || e->kind == AST_MEMBER)
        e = e->kids[0];
    return e;
}

static void note_names(struct body *b, const struct ast *s) {
    switch (s->kind) {
    case AST_ASSIGN:
        for (uint32_t k = 1; k < s->nkids; k++)
            note(b, root_of(s->kids[k])->name, s->kids[k]->kind == AST_NAME);
        break;
    case AST_UPDATE: note(b, root_of(s->kids[0])->name, false); break;
    case AST_WRITE: note(b, root_of(s->kids[1])->name, false); break;
    case AST_DECL: note(b, s->name, false); break;
    case AST_READ:
    case AST_ITER: note(b, s->name, true); break;
    default: break;
    }
    for (uint32_t k = 0; k < s->nkids; k++)
        if (s->kids[k])
            note_names(b, s->kids[k]);
}

static bool is_buffer(const struct body *b, struct name n) {
    const struct ast *members = b->of ? b->of->kids[2] : NULL;
    for (uint32_t i = 0; members && i < members->nkids; i++) {
        const struct ast *s = members->kids[i];
        if (s->kind == AST_STATE && (s->flags & AST_BUFFER) && name_eq(s->name, n))
            return true;
    }
    return false;
}

static bool is_hidden(void *data, struct name n) {
    const struct body *b = data;
    const struct ast *members = b->of ? b->of->kids[2] : NULL,
                     *params = b->of ? b->of->kids[0] : NULL;
    bool hidden = find(b, n) != NULL;
    for (uint32_t i = 0; params && !hidden && i < params->nkids; i++)
        hidden = name_eq(params->kids[i]->name, n);
    for (uint32_t i = 0; members && !hidden && i < members->nkids; i++) {
        const struct ast *s = members->kids[i];
        hidden = name_eq(s->kind == AST_ASSIGN ? s->kids[1]->name : s->name, n);
    }
    return hidden;
}

/* Whether PARAM may be an instance, whose state can change. */
static bool may_be_instance(const struct body *b, const struct ast *param) {
    static const char *const holders[] = {"any", "list", "fn"};
    const struct ast *type = param->kids[0];
    const struct ast *def = type ? module_find(b->text.module, type->name, NULL) : NULL;
    bool may = !type || (def && def->kind == AST_LAYER);
    for (size_t i = 0; !may && i < sizeof holders / sizeof *holders; i++)
        may = strcmp(name_text(b->names, type->name), holders[i]) == 0;
    return may;
}

/* Whether a call of CALLEE reads its arguments only, and writes nothing. */
static bool is_pure(const struct body *b, const struct ast *callee) {
    if (callee->kind != AST_NAME || is_hidden((void *)(uintptr_t)b, callee->name))
        return false;
    const struct ast *def = module_find(b->text.module, callee->name, NULL);
    bool pure = !def || def->kind == AST_FN;
    for (uint32_t i = 0; pure && def && i < def->kids[0]->nkids; i++)
        pure = !(def->kids[0]->kids[i]->flags & AST_INOUT) &&
               !may_be_instance(b, def->kids[0]->kids[i]);
    return pure;
}

/* Whether E gives below what it gives here. */
static bool is_lasting(const struct body *b, const struct ast *e) {
    const struct known *k = e->kind == AST_NAME ? find(b, e->name) : NULL;
    bool good = !(k && k->changes) && !(e->kind == AST_NAME && is_buffer(b, e->name)) &&
                e->kind != AST_BLOCK && e->kind != AST_COMPREHENSION && e->kind != AST_MEMBER &&
                e->kind != AST_GRADIENT && e->kind != AST_MINIMIZE;
    if (e->kind == AST_CALL)
        good = good && is_pure(b, e->kids[0]);
    if (e->kind == AST_PIPE && e->kids[1]->kind == AST_NAME)
        good = good && is_pure(b, e->kids[1]);
    for (uint32_t i = 0; good && i < e->nkids; i++)
        good = !e->kids[i] || is_lasting(b, e->kids[i]);
    return good;
}

static bool lasts(void *data, const struct ast *e) {
    return is_lasting(data, e);
}

static const struct ast *value_of(void *data, struct name n) {
    const struct body *b = data;
    const struct known *k = find(b, n);
    return !k ? NULL : b->newest ? k->newest : k->value;
}

/* --- one expression -------------------------------------------------------------------------- */

static struct ast *new_node(struct body *b, enum ast_kind kind, struct span span, uint32_t n) {
    return ast_new(b->arena, kind, span, n);
}

static uint32_t count_uses(const struct ast *e, struct name n) {
    uint32_t uses = e->kind == AST_NAME && name_eq(e->name, n);
    for (uint32_t k = 0; k < e->nkids; k++)
        uses += e->kids[k] ? count_uses(e->kids[k], n) : 0;
    return uses;
}

/* A name that nothing has here, for what N is in a rule. */
static struct name fresh_name(struct body *b, struct name n) {
    struct name fresh;
    uint32_t k = 0;
    do
        fresh =
            name_of_text(b->names, arena_printf(b->arena, "%s_%u", name_text(b->names, n), ++k));
    while (map_get(&b->taken, fresh.i, NULL) || module_find(b->text.module, fresh, NULL));
    map_put(&b->taken, fresh.i, 1);
    return fresh;
}

/* Notes the names in E, and how much may be applied to it. */
static void take_names(struct body *b, const struct ast *e) {
    b->left += ADDED_MOST;
    map_put(&b->taken, e->name.i, 1);
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            take_names(b, e->kids[k]);
}

/* In BLOCK, `NAME = value`. */
static void add_let(struct body *b, struct ast *block, struct name n, struct ast *value) {
    struct ast *set = new_node(b, AST_ASSIGN, value->span, 2);
    set->kids[0] = value;
    set->kids[1] = new_node(b, AST_NAME, value->span, 0);
    set->kids[1]->name = n;
    ast_push(b->arena, block, set);
}

/* M's replacement for E, BY its rule. What is used more than once is computed once. */
static struct ast *replaced(struct body *b, struct rewrite_match *m, const struct rewrite_rule *by,
                            const struct ast *e) {
    const struct ast *rule = m->rule, *condition = rule->kids[2];
    struct rewrite_use *use = ARENA_NEW(b->arena, struct rewrite_use);
    *use = (struct rewrite_use){b->uses, by->of, rule->span, e->span};
    b->uses = use;
    struct ast *block = new_node(b, AST_BLOCK, e->span, 0);
    for (uint32_t i = 0; i < m->bound.n; i++) {
        struct rewrite_bound *x = &m->bound.at[i];
        if (x->attributes || x->value->nkids == 0)
            continue;
        if (count_uses(rule, x->name) - count_uses(rule->kids[0], x->name) < 2)
            continue;
        struct ast *name = new_node(b, AST_NAME, e->span, 0);
        name->name = fresh_name(b, x->name);
        if (!condition) { /* else it is computed on either side */
            add_let(b, block, name->name, ast_clone(b->arena, x->value));
            x->value = name;
        }
    }
    struct ast *when = condition ? rewrite_filled(b->arena, m, condition) : NULL;
    for (uint32_t i = 3; i < rule->nkids; i++) {
        struct ast *name = new_node(b, AST_NAME, e->span, 0);
        name->name = fresh_name(b, rule->kids[i]->name);
        add_let(b, block, name->name, rewrite_filled(b->arena, m, rule->kids[i]->kids[0]));
        VEC_PUSH(b->arena, m->bound, ((struct rewrite_bound){rule->kids[i]->name, name, false}));
    }
    struct ast *to = rewrite_filled(b->arena, m, rule->kids[1]);
    if (condition || block->nkids) {
        struct ast *choice = new_node(b, AST_IF, e->span, 3);
        choice->flags |= AST_CHOICE;
        ast_push(b->arena, block, to);
        choice->kids[1] = block;
        if (!when) {
            when = new_node(b, AST_BOOL, e->span, 0);
            when->integer = 1;
        }
        choice->kids[0] = when;
        choice->kids[2] = new_node(b, AST_BLOCK, e->span, 0);
        ast_push(b->arena, choice->kids[2], ast_clone(b->arena, e));
        to = choice;
    }
    b->met = true;
    return to;
}

/* E with the first rule applied that it meets; NULL: none. */
static struct ast *apply_one(struct body *b, const struct ast *e) {
    struct rewrite_match m;
    if (!b->left)
        return NULL;
    if (e->kind != AST_CALL && e->kind != AST_BINARY && e->kind != AST_UNARY && e->kind != AST_PIPE)
        return NULL;
    for (uint32_t i = 0; i < b->rules.n; i++)
        for (int newest = 0; newest < 2; newest++) {
            b->newest = newest;
            if (rewrite_matches(b->arena, &b->text, &b->rules.at[i], e, &m))
                return replaced(b, &m, &b->rules.at[i], e);
        }
    return NULL;
}

static struct ast *walk(struct body *b, struct ast *s);

static uint64_t count_nodes(const struct ast *e) {
    uint64_t n = 1;
    for (uint32_t k = 0; k < e->nkids; k++)
        n += e->kids[k] ? count_nodes(e->kids[k]) : 0;
    return n;
}

static struct ast *apply(struct body *b, struct ast *e) {
    for (struct ast *next = apply_one(b, e); next; next = apply_one(b, e)) {
        e = next;
        uint64_t added = count_nodes(e);
        b->left -= added < b->left ? added : b->left;
        if (e->kind == AST_IF) /* a choice is final */
            return e;
    }
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k])
            e->kids[k] = walk(b, e->kids[k]);
    return e;
}

/* --- the body -------------------------------------------------------------------------------- */

static struct ast *walk_block(struct body *b, struct ast *block) {
    for (uint32_t i = 0; i < block->nkids; i++)
        block->kids[i] = walk(b, block->kids[i]);
    return block;
}

static struct ast *walk_assign(struct body *b, struct ast *s) {
    const struct ast *value = ast_clone(b->arena, s->kids[0]);
    struct known *k =
        s->nkids == 2 && s->kids[1]->kind == AST_NAME ? find(b, s->kids[1]->name) : NULL;
    s->kids[0] = walk(b, s->kids[0]);
    if (k && !k->changes && !b->trains && is_lasting(b, value)) {
        k->value = value;
        k->newest = ast_clone(b->arena, s->kids[0]);
    }
    return s;
}

/* S with rules applied in what it computes. */
static struct ast *walk(struct body *b, struct ast *s) {
    switch (s->kind) {
    case AST_BLOCK: return walk_block(b, s);
    case AST_ASSIGN: return walk_assign(b, s);
    case AST_UPDATE:
    case AST_DECL:
        if (s->kids[1])
            s->kids[1] = walk(b, s->kids[1]);
        return s;
    case AST_WRITE: s->kids[0] = walk(b, s->kids[0]); return s;
    case AST_READ:
    case AST_TYPE:
    case AST_INDEX:
    case AST_ITER: return s;
    default: return apply(b, s);
    }
}

/* --- which rules ----------------------------------------------------------------------------- */

/* Whether E names DEF, or what E names in module M does. SEEN holds what has been looked at. */
static bool leads_to(const struct module *m, const struct ast *e, const struct ast *def,
                     struct map *seen) {
    const struct module *where = NULL;
    if (e->kind == AST_NAME) {
        const struct ast *to = module_find(m, e->name, &where);
        if (to == def)
            return true;
        if (to && where == m && to->kind == AST_FN && !map_get(seen, to->name.i, NULL)) {
            map_put(seen, to->name.i, 1);
            if (leads_to(m, to->kids[3], def, seen))
                return true;
        }
    }
    for (uint32_t k = 0; k < e->nkids; k++)
        if (e->kids[k] && leads_to(m, e->kids[k], def, seen))
            return true;
    return false;
}

static bool sees_rules(const struct module *m) {
    bool any = m->rewrites;
    for (uint32_t i = 0; !any && i < m->uses.n; i++)
        any = m->uses.at[i]->rewrites;
    return any;
}

const struct ast *rewrite_definition(struct arena *a, const struct module *m, const struct ast *def,
                                     const struct ast *of, const struct rewrite_use **uses) {
    *uses = NULL;
    if (!sees_rules(m))
        return def;
    rewrite_rules all = {0};
    struct body b = {
        .arena = a, .names = m->names, .of = of, .known = map_new(a), .taken = map_new(a)};
    b.text = (struct rewrite_text){&b, value_of, is_hidden, lasts, m};
    b.trains = ast_holds(def->kids[3], AST_GRADIENT) || ast_holds(def->kids[3], AST_MINIMIZE) ||
               ast_holds(def->kids[3], AST_STEP);
    rewrite_rules_of(a, m, &all);
    for (uint32_t i = 0; i < all.n; i++) /* what replacements are made of stays as it is */
        for (uint32_t k = 1; k < all.at[i].rule->nkids; k++) {
            struct map seen = map_new(a);
            if (all.at[i].rule->kids[k] &&
                leads_to(all.at[i].module, all.at[i].rule->kids[k], def, &seen))
                return def;
        }
    for (uint32_t i = 0; i < all.n; i++) /* no body makes instances */
        if (!rewrite_instance(all.at[i].module, all.at[i].rule->kids[1]))
            VEC_PUSH(a, b.rules, all.at[i]);
    if (!b.rules.n)
        return def;
    struct ast *copy = ast_clone(a, def);
    for (uint32_t i = 0; i < def->kids[0]->nkids; i++)
        note(&b, def->kids[0]->kids[i]->name, !(def->kids[0]->kids[i]->flags & AST_INOUT));
    for (uint32_t i = 0; i < def->kids[1]->nkids; i++)
        note(&b, def->kids[1]->kids[i]->name, false);
    note_names(&b, def->kids[3]);
    take_names(&b, def);
    if (of)
        take_names(&b, of);
    copy->kids[3] = walk(&b, copy->kids[3]);
    *uses = b.uses;
    return b.met ? copy : def;
}
