/* Statements of loops whose integers change.

   Note [rounds]
   Integers of the script are static, which is what lists and layers want, but code that has them as
   constants is compiled again for every value; so is code that has the sizes of tensors as
   constants. So a statement of a loop that runs for the ROUNDS_STATIC-th time takes its integers,
   and sizes that have changed, as symbols; if it cannot, it goes on with constants.
   A symbol must not change what the statement means, so it stays with constants
     - if it acts (print, load, ..) or assigns in its middle: it must not do that twice;
     - if it, or a function that it may call, has a power whose exponent is not written as a number:
       with a static one that is a product, with a symbol exp(n log x);
     - if a float would be computed of such integers alone: with constants it is a static number;
     - if a value that it keeps would be of another kind or element type than in the round
       before. */
#include "session/builtins.h"

enum { ROUNDS_STATIC = 3 };

/* --- whether a statement is fit ------------------------------------------------------------- */

struct fitness {
    struct dcl_session *s;
    struct map seen; /* definitions and instances */
    bool in_map;     /* what is assigned there lives there */
    bool unfit;
};

static void look(struct fitness *f, const struct ast *e, const struct module *m, bool within);

static bool is_new(struct fitness *f, const void *p) {
    if (map_get(&f->seen, (uintptr_t)p, NULL))
        return false;
    map_put(&f->seen, (uintptr_t)p, 1);
    return true;
}

static void look_value(struct fitness *f, const struct value *v) {
    switch (v->kind) {
    case VAL_FN:
        if (is_new(f, v->fn->def))
            look(f, v->fn->def, v->fn->module, true);
        break;
    case VAL_LAYER:
        if (is_new(f, v->layer->def))
            look(f, v->layer->def, v->layer->module, true);
        break;
    case VAL_INSTANCE:
        if (!is_new(f, v->instance))
            break;
        if (is_new(f, v->instance->layer->def))
            look(f, v->instance->layer->def, v->instance->layer->module, true);
        for (uint32_t i = 0; i < v->instance->env->bindings.n; i++)
            look_value(f, &v->instance->env->bindings.at[i].value);
        break;
    case VAL_LIST:
    case VAL_PACK:
        for (uint32_t i = 0; i < v->list->n; i++)
            look_value(f, &v->list->at[i]);
        break;
    default: break;
    }
}

static void look_name(struct fitness *f, struct name n, const struct module *m, bool within) {
    struct dcl_session *s = f->s;
    const struct module *found;
    struct binding *b = within ? NULL : env_find(s->frames ? s->frames->env : s->script, n, NULL);
    struct ast *def = b ? NULL : module_find(m, n, &found);
    if (b)
        look_value(f, &b->value);
    else if (def && is_new(f, def))
        look(f, def, found, true);
    else if (!def && !within && builtin_has(s, n))
        f->unfit = true;
}

static bool is_written(const struct ast *exponent) {
    while (exponent->kind == AST_UNARY)
        exponent = exponent->kids[0];
    return exponent->kind == AST_INT || exponent->kind == AST_FLOAT;
}

static bool assigns(const struct ast *e) {
    return e->kind == AST_ASSIGN || e->kind == AST_UPDATE || e->kind == AST_DECL;
}

/* E of module M; WITHIN: in a definition, not in the statement itself. */
static void look(struct fitness *f, const struct ast *e, const struct module *m, bool within) {
    if (f->unfit)
        return;
    if (e->kind == AST_NAME)
        look_name(f, e->name, m, within);
    if (e->kind == AST_BINARY && e->op == AOP_POW && !is_written(e->kids[1]))
        f->unfit = true;
    bool in_map = f->in_map;
    f->in_map = in_map || e->kind == AST_MAP;
    for (uint32_t i = 0; i < e->nkids; i++) {
        if (!e->kids[i])
            continue;
        if (!within && !f->in_map && assigns(e->kids[i]))
            f->unfit = true;
        look(f, e->kids[i], m, within);
    }
    f->in_map = in_map;
}

/* --- counting ------------------------------------------------------------------------------- */

struct worn *round_begin(struct dcl_session *s, const struct ast *st) {
    uint64_t known;
    if (!s->loop || s->options.backend == BACKEND_REF)
        return NULL;
    if (!map_get(&s->rounds, (uintptr_t)st, &known)) {
        struct worn *w = ARENA_NEW(s->loop, struct worn);
        struct fitness f = {.s = s, .seen = map_new(s->loop)};
        look(&f, st, s->module, false);
        w->never = f.unfit;
        map_put(&s->rounds, (uintptr_t)st, (uintptr_t)w);
        known = (uintptr_t)w;
    }
    struct worn *w = (struct worn *)(uintptr_t)known;
    w->due = !w->never && w->rounds++ >= ROUNDS_STATIC;
    return w;
}

uint32_t round_shape(struct dcl_session *s, struct worn *w, struct name name,
                     const struct tensor *t) {
    struct seen_shape *x = NULL;
    for (uint32_t i = 0; i < w->shapes.n && !x; i++)
        if (name_eq(w->shapes.at[i].name, name))
            x = &w->shapes.at[i];
    bool known = x && x->rank == t->rank;
    if (!x) {
        VEC_PUSH(s->loop, w->shapes, (struct seen_shape){.name = name});
        x = &w->shapes.at[w->shapes.n - 1];
    }
    if (!known)
        x->changed = 0;
    x->rank = t->rank;
    for (uint32_t d = 0; d < t->rank; d++) {
        if (known && x->dims[d] != t->dims[d].i)
            x->changed |= 1u << d;
        x->dims[d] = t->dims[d].i;
    }
    return x->changed;
}

/* --- what it keeps -------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t x) {
    uint64_t both[2] = {h, x};
    return hash_bytes(both, sizeof both, 3);
}

/* The kind and element type that V has once it is kept. A list's neighbours of one kind count as
   one, so that it may grow. */
static uint64_t kind_of(struct dcl_session *s, const struct value *v) {
    enum dtype t = v->dtype;
    bool small = v->kind == VAL_SCALAR ||
                 (v->kind == VAL_TENSOR && v->tensor->rank == 0 && !v->tensor->container);
    if (v->kind == VAL_SYM || (small && t == DT_i64))
        return mix(VAL_INT, 0);
    if (small && t == DT_bool)
        return mix(VAL_BOOL, 0);
    uint64_t h = mix(v->kind, 0), last = 0;
    switch (v->kind) {
    case VAL_INT:
    case VAL_BOOL: return h;
    case VAL_SCALAR: return mix(mix(VAL_TENSOR, 0), mix((uint64_t)t, 0));
    case VAL_TENSOR: return mix(h, mix((uint64_t)t, v->tensor->rank));
    case VAL_LIST:
    case VAL_PACK:
        for (uint32_t i = 0; i < v->list->n; i++) {
            uint64_t k = kind_of(s, &v->list->at[i]);
            if (i == 0 || k != last)
                h = mix(h, k);
            last = k;
        }
        return h;
    case VAL_FN: return mix(h, (uintptr_t)v->fn->def);
    case VAL_INSTANCE:
        h = mix(h, (uintptr_t)v->instance->layer->def);
        if (map_get(&s->store.owned, (uintptr_t)v->instance, NULL))
            return h;
        for (uint32_t i = 0; i < v->instance->env->bindings.n; i++)
            h = mix(h, kind_of(s, &v->instance->env->bindings.at[i].value));
        return h;
    default: return h;
    }
}

static bool refuse(struct dcl_session *s, struct span span) {
    diag_error(&s->diags, span, ERR_STATIC_EXPECTED, "this integer");
    return false;
}

bool round_keeps(struct dcl_session *s, const struct value *v, struct span span) {
    struct unit *u = &s->unit;
    if (!u->worn)
        return true;
    uint64_t kind = kind_of(s, v);
    if (!u->symbols.n) {
        VEC_PUSH(s->loop, u->worn->kinds, kind);
        return true;
    }
    uint32_t k = u->kept++;
    return (k < u->worn->kinds.n && u->worn->kinds.at[k] == kind) || refuse(s, span);
}

/* --- what it computes ----------------------------------------------------------------------- */

enum { OF_SYMBOLS = 1, OF_OTHERS = 2 };

struct floats {
    struct dcl_session *s;
    struct map let; /* value -> what it is made of */
    bool found;
};

struct atoms {
    const struct unit *unit;
    unsigned of;
};

static void note_atom(void *atoms, struct name n) {
    struct atoms *a = atoms;
    unsigned of = OF_OTHERS;
    for (uint32_t i = 0; i < a->unit->symbols.n; i++)
        if (name_eq(a->unit->symbols.at[i].name, n) && !a->unit->symbols.at[i].size)
            of = OF_SYMBOLS;
    a->of |= of;
}

/* What E is made of. */
static unsigned made_of(struct floats *f, const struct expr *e) {
    uint64_t known = OF_OTHERS;
    struct atoms a = {&f->s->unit, 0};
    unsigned of = 0;
    switch (e->kind) {
    case EXPR_CONST: return 0;
    case EXPR_VALUE: map_get(&f->let, e->value.i, &known); return (unsigned)known;
    case EXPR_SYM: sym_atoms(f->s->unit.syms, e->sym, note_atom, &a); return a.of;
    case EXPR_OP:
    case EXPR_CAST: break;
    }
    for (uint32_t i = 0; i < expr_nargs(e); i++)
        of |= made_of(f, e->args[i]);
    if (e->kind == EXPR_OP && dtype_is_float(e->dtype) && of == OF_SYMBOLS)
        f->found = true;
    return of;
}

static void look_node(void *floats, struct node *n) {
    struct floats *f = floats;
    if (n->kind == NODE_LET)
        map_put(&f->let, n->let.name.i, made_of(f, n->let.value));
    if (n->kind == NODE_WRITE)
        made_of(f, n->write.value);
    if (n->kind == NODE_BRANCH)
        made_of(f, n->branch.condition);
}

bool round_computes(struct dcl_session *s, const struct graph *g) {
    struct floats f = {.s = s};
    if (!s->unit.worn || !s->unit.symbols.n)
        return true;
    f.let = map_new(s->unit.arena);
    region_walk(&g->body, look_node, &f);
    return !f.found || refuse(s, s->unit.span);
}
