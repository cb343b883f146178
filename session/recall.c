/* Statements of loops that come again as they were.

   Note [recall]
   A statement of a loop is evaluated, lowered and compiled once; from its second round on, while
   nothing that this hung on has changed, its program is bound to what the variables hold now, and
   run. What it hangs on: definitions; of each variable that it names, the shape, element type and
   whether it can be written, or the value if it is no tensor; which names mean one tensor. A
   statement is not recalled if it acts (print, load, ..), makes states, needs a value before its
   end, or has symbols of its own (rounds.c). */
#include "session/state.h"

#include <string.h>

struct seen {
    struct name name;
    struct value value; /* a tensor's is not looked into: it may be gone */
    enum dtype dtype;
    uint32_t rank;
    int64_t dims[EVAL_MAX_RANK];
    bool found, container, target; /* target: it is only assigned to */
    uint32_t same;                 /* the first that means the same tensor */
    const struct tensor *tensor;   /* while it is recorded */
};

struct recall {
    struct arena *arena; /* of the unit that made it */
    struct program program;
    uint64_t generation;
    VEC(struct seen) names;
    uint32_t *imports; /* per parameter: which name */
    bool *writes;      /* per parameter */
    uint32_t first;    /* result that is the first target's */
    uint32_t targets;
    struct name *target;
    struct span *spans;
    struct data **data;      /* per target, while it is recorded */
    struct tensor **tensors; /* per name, while it runs */
};

/* --- what a statement names ----------------------------------------------------------------- */

static void collect(struct arena *a, struct recall *r, const struct ast *e, bool target) {
    if (!e)
        return;
    if (e->kind == AST_NAME) {
        for (uint32_t i = 0; i < r->names.n; i++)
            if (name_eq(r->names.at[i].name, e->name)) {
                r->names.at[i].target = r->names.at[i].target && target;
                return;
            }
        struct seen x = {.name = e->name, .target = target};
        VEC_PUSH(a, r->names, x);
        return;
    }
    for (uint32_t i = 0; i < e->nkids; i++)
        collect(a, r, e->kids[i], e->kind == AST_ASSIGN && i > 0);
}

static bool keep_static(struct arena *a, const struct value *v, struct value *to) {
    *to = *v;
    switch (v->kind) {
    case VAL_NONE:
    case VAL_ABSENT:
    case VAL_INT:
    case VAL_FLOAT:
    case VAL_BOOL:
    case VAL_STR:
    case VAL_DTYPE:
    case VAL_BUILTIN: return true;
    case VAL_INSTANCE: to->i = (int64_t)v->instance->id; return true;
    case VAL_LIST:
    case VAL_PACK:
        *to = value_list_new(a, v->kind, v->list->n);
        to->tuple = v->tuple;
        for (uint32_t i = 0; i < v->list->n; i++)
            if (!keep_static(a, &v->list->at[i], &to->list->at[i]))
                return false;
        return true;
    default: return false;
    }
}

static bool same_static(const struct value *kept, const struct value *v) {
    if (kept->kind != v->kind || kept->tuple != v->tuple)
        return false;
    switch (v->kind) {
    case VAL_NONE:
    case VAL_ABSENT: return true;
    case VAL_INT: return kept->i == v->i;
    case VAL_FLOAT: return memcmp(&kept->f, &v->f, sizeof v->f) == 0;
    case VAL_BOOL: return kept->b == v->b;
    case VAL_STR:
    case VAL_BUILTIN: return name_eq(kept->str, v->str);
    case VAL_DTYPE: return kept->dtype == v->dtype;
    case VAL_INSTANCE: return kept->i == (int64_t)v->instance->id;
    case VAL_LIST:
    case VAL_PACK:
        if (kept->list->n != v->list->n)
            return false;
        for (uint32_t i = 0; i < v->list->n; i++)
            if (!same_static(&kept->list->at[i], &v->list->at[i]))
                return false;
        return true;
    default: return false;
    }
}

/* What NAME means now, as far as code hangs on it; false if that cannot be said. */
static bool look_up(struct dcl_session *s, struct arena *a, struct recall *r, uint32_t at) {
    struct seen *x = &r->names.at[at];
    const struct binding *b = env_find(script_scope(s), x->name, NULL);
    x->same = at;
    x->found = b != NULL;
    if (!b)
        return true;
    const struct tensor *t = b->value.kind == VAL_TENSOR ? b->value.tensor : NULL;
    x->value.kind = b->value.kind;
    if (!t)
        return x->target || keep_static(a, &b->value, &x->value);
    if (!t->data || t->rank > EVAL_MAX_RANK)
        return false;
    x->tensor = t;
    x->dtype = t->dtype;
    x->rank = t->rank;
    x->container = t->container;
    for (uint32_t d = 0; d < t->rank; d++)
        x->dims[d] = t->dims[d].i;
    for (uint32_t i = at; i-- > 0;)
        if (r->names.at[i].tensor == t)
            x->same = i;
    return true;
}

static bool still_means(struct dcl_session *s, const struct recall *r, uint32_t at,
                        struct tensor **tensors) {
    const struct seen *x = &r->names.at[at];
    const struct binding *b = env_find(script_scope(s), x->name, NULL);
    if (x->found != (b != NULL)) /* a value that is assigned to need not have been there */
        return x->target && !x->found &&
               !(b->value.kind == VAL_TENSOR && b->value.tensor->container);
    if (!b)
        return true;
    struct tensor *t = b->value.kind == VAL_TENSOR ? b->value.tensor : NULL;
    tensors[at] = t;
    if (x->target && !x->container)
        return !t || !t->container;
    if (!t || x->value.kind != VAL_TENSOR)
        return !t && x->value.kind != VAL_TENSOR && same_static(&x->value, &b->value);
    if (!t->data || t->dtype != x->dtype || t->rank != x->rank || t->container != x->container)
        return false;
    for (uint32_t d = 0; d < t->rank; d++)
        if (t->dims[d].i != x->dims[d])
            return false;
    uint32_t same = at;
    for (uint32_t i = at; i-- > 0;)
        if (tensors[i] == t)
            same = i;
    return same == x->same;
}

/* --- recording ------------------------------------------------------------------------------ */

static void forget(void *data) {
    struct recall *r = data;
    r->program.kernel->users--;
    arena_free(r->arena);
}

/* Which name each parameter is of; false if one is of none. */
static bool name_parameters(struct arena *a, struct recall *r) {
    const struct graph *g = r->program.graph;
    struct written w = written_by(a, g);
    r->imports = ARENA_ARRAY(a, uint32_t, g->params.n);
    r->writes = ARENA_ARRAY(a, bool, g->params.n);
    for (uint32_t p = 0; p < g->params.n; p++) {
        const struct origin *from = &r->program.origins[p];
        bool found = from->kind == ORIGIN_STATE;
        if (from->kind == ORIGIN_ARGUMENT)
            return false;
        r->writes[p] = w.conts[g->params.at[p].cont.i];
        for (uint32_t i = 0; i < r->names.n && !found; i++)
            if (r->names.at[i].tensor == from->import) {
                r->imports[p] = i;
                found = true;
            }
        if (!found)
            return false;
    }
    return true;
}

void recall_begin(struct dcl_session *s, const struct ast *st, struct worn *w) {
    bool kind = st->kind == AST_ASSIGN || st->kind == AST_UPDATE || st->kind == AST_WRITE ||
                st->kind == AST_MAP || st->kind == AST_CALL;
    if (!kind || w->recall || s->unit.ref)
        return;
    struct recall *r = ARENA_NEW(s->unit.arena, struct recall);
    collect(s->unit.arena, r, st, false);
    bool ok = true;
    for (uint32_t i = 0; i < r->names.n && ok; i++)
        ok = look_up(s, s->unit.arena, r, i);
    r->generation = s->generation;
    s->unit.recall = ok ? r : NULL;
}

void recall_note(struct dcl_session *s, const struct program *p, uint32_t n,
                 struct data *const *data) {
    struct recall *r = s->unit.recall;
    if (!r)
        return;
    if (r->program.graph) { /* a second run */
        s->unit.recall = NULL;
        return;
    }
    r->program = *p;
    r->targets = n;
    r->first = p->graph->results.n - n;
    r->data = arena_copy(s->unit.arena, data, n * sizeof *data);
}

/* Each target has got the result of its number. */
static bool name_targets(struct dcl_session *s, struct recall *r, const struct ast *st) {
    struct arena *a = s->unit.arena;
    if (r->targets == 0)
        return true;
    uint32_t n = st->kind == AST_ASSIGN ? st->nkids - 1 : 0;
    if (st->kind == AST_UPDATE && st->kids[0]->kind == AST_NAME)
        n = 1;
    if (st->kind == AST_CALL) {
        r->targets = 0; /* dropped */
        return true;
    }
    if (n != r->targets)
        return false;
    r->target = ARENA_ARRAY(a, struct name, n);
    r->spans = ARENA_ARRAY(a, struct span, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct ast *to = st->kind == AST_UPDATE ? st->kids[0] : st->kids[i + 1];
        if (to->kind != AST_NAME || strcmp(name_text(s->names, to->name), "_") == 0)
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (name_eq(r->target[k], to->name))
                return false;
        const struct binding *b = env_find(script_scope(s), to->name, NULL);
        if (!b || b->value.kind != VAL_TENSOR || b->value.tensor->container ||
            tensor_data(b->value.tensor) != r->data[i])
            return false;
        r->target[i] = to->name;
        r->spans[i] = to->span;
    }
    return true;
}

void recall_keep(struct dcl_session *s, const struct ast *st, struct worn *w) {
    struct recall *r = s->unit.recall;
    if (!r || !r->program.graph || s->unit.symbols.n || !name_targets(s, r, st) ||
        !name_parameters(s->unit.arena, r))
        return;
    r->arena = s->unit.arena;
    r->tensors = ARENA_ARRAY(r->arena, struct tensor *, r->names.n);
    r->program.kernel->users++;
    arena_on_free(s->loop, forget, r);
    w->recall = r;
    s->unit.arena = arena_new(); /* the rest of the unit's life needs one */
}

/* --- running -------------------------------------------------------------------------------- */

static bool bind(struct dcl_session *s, const struct recall *r, struct tensor **tensors,
                 struct actual *at) {
    for (uint32_t p = 0; p < r->program.graph->params.n; p++) {
        const struct origin *from = &r->program.origins[p];
        if (from->kind == ORIGIN_STATE) {
            if (r->writes[p] && !undo_write_state(s, from->state))
                return false;
            at[p].bytes = state_data(from->state)->bytes;
            at[p].dims = from->state->stored;
            continue;
        }
        struct tensor *t = tensors[r->imports[p]];
        if (r->writes[p] && !undo_write(s, t))
            return false;
        at[p].bytes = tensor_data(t)->bytes;
        at[p].dims = r->names.at[r->imports[p]].dims;
    }
    return true;
}

static bool run(struct dcl_session *s, const struct ast *st, const struct recall *r,
                struct tensor **tensors) {
    struct arena *a = s->unit.arena;
    const struct program *p = &r->program;
    uint32_t all = p->graph->results.n;
    struct actual *at = ARENA_ARRAY(a, struct actual, p->graph->params.n);
    struct data **data = ARENA_ARRAY(a, struct data *, all);
    int64_t(*dims)[EVAL_MAX_RANK] = arena_alloc(a, all * sizeof *dims);
    if (!bind(s, r, tensors, at) || !unit_run(s, p, at, true, data, dims, st->span))
        return false;
    for (uint32_t i = 0; i < r->targets; i++) {
        uint32_t k = r->first + i;
        const struct container *c = graph_cont(p->graph, p->graph->results.at[k]);
        struct value v = value_tensor(
            data_tensor(s, c->dtype, c->rank, dims[k], data[k], r->target[i], r->spans[i]));
        if (!eval_set_variable(s->unit.ev, script_scope(s), r->target[i], v, r->spans[i]))
            return false;
    }
    return true;
}

bool recall_run(struct dcl_session *s, const struct ast *st, const struct worn *w, bool *ok) {
    const struct recall *r = w->recall;
    if (!r || r->generation != s->generation)
        return false;
    for (uint32_t i = 0; i < r->names.n; i++)
        if (!still_means(s, r, i, r->tensors))
            return false;
    if (session_stopped(s)) {
        *ok = false;
        return true;
    }
    unit_begin(s, name_of_text(s->names, "statement"), st->span, true);
    *ok = run(s, st, r, r->tensors);
    unit_end(s);
    return true;
}
