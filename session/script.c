/* Statements of a script. Control flow at the top is run here, statement by statement, so that each
   is a unit of its own and its memory goes when it ends; what stands in functions and maps is the
   evaluator's. Names that are assigned in blocks are variables of the script; the indices of a loop
   live in its frame. */
#include "session/builtins.h"

#include "lang/check/check.h"

/* A debug build collects after every statement, so that a value that is not held is found. */
#ifdef DCL_DEBUG
enum { COLLECT_ALWAYS = true };
#else
enum { COLLECT_ALWAYS = false };
#endif

static bool run_statement(struct dcl_session *s, const struct ast *st, bool show);

struct env *script_scope(const struct dcl_session *s) {
    return s->frames ? s->frames->env : s->script;
}

/* The expression that ST computes, and then only names or shows. */
static const struct ast *computed(const struct ast *st) {
    const struct ast *e = st->kind == AST_ASSIGN ? st->kids[0] : st;
    return e->kind == AST_PIPE && e->kids[1]->kind == AST_CALL ? e->kids[1] : e;
}

static void begin(struct dcl_session *s, const struct ast *st) {
    unit_begin(s, name_of_text(s->names, "statement"), st->span, true);
    s->unit.mapped = st->kind == AST_MAP;
    s->unit.calls = true;
    s->unit.value = computed(st)->span;
}

/* An expression by itself, concrete. */
static bool evaluate(struct dcl_session *s, const struct ast *e, struct value *out) {
    begin(s, e);
    bool ok = eval_expr(s->unit.ev, script_scope(s), e, out) && store_keep(s, out, e->span);
    unit_end(s);
    return ok;
}

static bool evaluate_integer(struct dcl_session *s, const struct ast *e, int64_t *out) {
    struct value v;
    if (!evaluate(s, e, &v))
        return false;
    if (v.kind == VAL_INT) {
        *out = v.i;
        return true;
    }
    if (v.kind == VAL_TENSOR && v.tensor->rank == 0 && dtype_is_int(v.dtype)) {
        union scalar x = scalar_load(v.dtype, tensor_data(v.tensor)->bytes);
        *out = scalar_cast(v.dtype, DT_i64, x).i64;
        return true;
    }
    struct diag *d = diag_error(&s->diags, e->span, ERR_ARG_KIND, "for", "the range", "an integer",
                                value_kind_name(&v));
    if (v.kind == VAL_TENSOR && v.tensor->rank)
        diag_help(&s->diags, d, "an index goes through its rows: for i in 0:len(x) { row = x%s }",
                  v.tensor->rank == 1   ? "[i]"
                  : v.tensor->rank == 2 ? "[i, :]"
                                        : "[i, :, :]");
    return false;
}

static bool evaluate_truth(struct dcl_session *s, const struct ast *e, const char *what,
                           bool *out) {
    struct value v;
    if (!evaluate(s, e, &v))
        return false;
    if (v.kind == VAL_BOOL) {
        *out = v.b;
        return true;
    }
    if (v.kind == VAL_TENSOR && v.tensor->rank == 0 && v.dtype == DT_bool) {
        *out = scalar_load(DT_bool, tensor_data(v.tensor)->bytes).b;
        return true;
    }
    struct diag *d = diag_error(&s->diags, e->span, ERR_ARG_KIND, what, "the condition",
                                "a truth value", value_kind_name(&v));
    advise_truth(&s->diags, d, &v);
    return false;
}

static bool run_block(struct dcl_session *s, const struct ast *block, bool show) {
    for (uint32_t i = 0; i < block->nkids; i++)
        if (!run_statement(s, block->kids[i], show && i + 1 == block->nkids))
            return false;
    return true;
}

/* --- loops ----------------------------------------------------------------------------------- */

static void push_frame(struct dcl_session *s, struct frame *f, struct value list) {
    *f = (struct frame){.outer = s->frames, .list = list};
    f->env = env_new(s->store.arena, ENV_BLOCK, script_scope(s), s->module);
    if (!s->frames) {
        s->loop = arena_new();
        s->rounds = map_new(s->loop);
    }
    s->frames = f;
}

static void pop_frame(struct dcl_session *s, struct frame *f) {
    s->frames = f->outer;
    if (!s->frames) {
        arena_free(s->loop);
        s->loop = NULL;
    }
}

static void bind_index(struct dcl_session *s, const struct ast *it, const struct value *v) {
    env_bind(s->frames->env, it->name, *v, it->span);
}

static bool bind_indices(struct dcl_session *s, const struct ast *st, const struct value *v) {
    uint32_t n = st->nkids - 1;
    if (n == 1) {
        bind_index(s, st->kids[1], v);
        return true;
    }
    if (v->kind != VAL_LIST || v->list->n != n) {
        diag_error(&s->diags, st->kids[1]->span, ERR_VALUE,
                   "the elements are not lists of that length");
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        bind_index(s, st->kids[1 + i], &v->list->at[i]);
    return true;
}

static bool run_list(struct dcl_session *s, const struct ast *st, struct value list) {
    struct frame f;
    bool ok = true;
    uint32_t n = list.list->n;
    push_frame(s, &f, list);
    for (uint32_t k = 0; ok && k < n; k++) /* a collection moves f.list */
        ok = !session_stopped(s) && bind_indices(s, st, &f.list.list->at[k]) &&
             run_block(s, st->kids[0], false);
    pop_frame(s, &f);
    return ok;
}

static bool run_range(struct dcl_session *s, const struct ast *st, int64_t lo, int64_t hi,
                      int64_t step) {
    struct frame f;
    bool ok = true;
    push_frame(s, &f, value_none());
    for (int64_t k = lo; ok && k < hi;) {
        struct value v = value_int(k);
        ok = !session_stopped(s) && bind_indices(s, st, &v) && run_block(s, st->kids[0], false);
        if (__builtin_add_overflow(k, step, &k))
            break;
    }
    pop_frame(s, &f);
    return ok;
}

/* The ITER of a `for` that has the expression: all names share it. */
static const struct ast *iterated(const struct ast *st) {
    for (uint32_t i = 1; i < st->nkids; i++)
        if (st->kids[i]->kids[1])
            return st->kids[i];
    return NULL;
}

static bool run_for(struct dcl_session *s, const struct ast *st) {
    const struct ast *it = iterated(st);
    int64_t lo = 0, hi, step = 1;
    if (!it) {
        diag_error(&s->diags, st->span, ERR_RANGE_UNKNOWN, name_text(s->names, st->kids[1]->name));
        return false;
    }
    if (!it->kids[0]) {
        struct value v;
        if (!evaluate(s, it->kids[1], &v))
            return false;
        if (v.kind == VAL_LIST || v.kind == VAL_PACK)
            return run_list(s, st, v);
        if (v.kind == VAL_INT)
            return run_range(s, st, 0, v.i, 1);
    }
    if ((it->kids[0] && !evaluate_integer(s, it->kids[0], &lo)) ||
        !evaluate_integer(s, it->kids[1], &hi) ||
        (it->kids[2] && !evaluate_integer(s, it->kids[2], &step)))
        return false;
    if (step <= 0) {
        diag_help(&s->diags,
                  diag_error(&s->diags, it->span, ERR_VALUE,
                             "the step of a range must be a positive number"),
                  "backwards is n - 1 - i for i in 0:n");
        return false;
    }
    return run_range(s, st, lo, hi, step);
}

static bool run_while(struct dcl_session *s, const struct ast *st) {
    struct frame f;
    bool ok = true, goes_on = true;
    push_frame(s, &f, value_none());
    while (ok) {
        ok = !session_stopped(s) && evaluate_truth(s, st->kids[0], "while", &goes_on);
        if (!ok || !goes_on)
            break;
        ok = run_block(s, st->kids[1], false);
    }
    pop_frame(s, &f);
    return ok;
}

static bool run_if(struct dcl_session *s, const struct ast *st, bool show) {
    bool holds;
    if (!evaluate_truth(s, st->kids[0], "if", &holds))
        return false;
    const struct ast *arm = holds ? st->kids[1] : st->kids[2];
    return !arm || run_statement(s, arm, show);
}

/* --- the others ------------------------------------------------------------------------------ */

static bool show_value(struct dcl_session *s, const struct value *v) {
    if (v->kind == VAL_NONE)
        return true;
    struct buf text = buf_new(s->unit.arena);
    print_value(s, v, &text);
    buf_text(&text, "\n");
    session_write(s, text.at, text.n);
    return true;
}

static bool evaluate_leaf(struct dcl_session *s, const struct ast *st, bool show) {
    struct value v;
    if (assert_compares(s, st))
        return assert_run(s, st) && unit_effects(s);
    bool ok = eval_statement(s->unit.ev, script_scope(s), st, &v);
    /* The value of an expression is computed even where nobody looks: its checks are part of it. */
    if (ok && v.kind != VAL_NONE) {
        s->unit.mapped = false;
        ok = store_keep(s, &v, st->span);
    }
    return ok && unit_effects(s) && (!show || show_value(s, &v));
}

/* --- integers that change: see Note [rounds] in rounds.c ------------------------------------- */

struct former { /* a variable that is a symbol in this statement, or a tensor with such sizes */
    struct env *env;
    struct name name;
    struct value value;
    const struct tensor *symbolic; /* what it is in the statement, if a tensor */
};

struct symbolic {
    VEC(struct former) at;
};

static bool is_stored(const struct value *v) {
    return v->kind == VAL_TENSOR && v->tensor->data;
}

/* Sizes that change, but for 1, which broadcasts, become symbols in the tensor of B. */
static void make_sizes(struct dcl_session *s, struct worn *w, struct env *where, struct binding *b,
                       struct symbolic *x) {
    struct tensor *t = b->value.tensor, *y = ARENA_NEW(s->unit.arena, struct tensor);
    uint32_t changed = round_shape(s, w, b->name, t);
    bool any = false;
    *y = *t;
    y->from = t;
    y->dims = arena_copy(s->unit.arena, t->dims, t->rank * sizeof *t->dims);
    for (uint32_t d = 0; d < t->rank; d++)
        if (changed >> d & 1 && t->dims[d].i != 1) {
            y->dims[d] = unit_size(s, b->name, d, t->dims[d].i);
            any = true;
        }
    if (!any)
        return;
    struct former f = {where, b->name, b->value, y};
    VEC_PUSH(s->unit.arena, x->at, f);
    b->value = value_tensor(y);
}

/* Notes the shapes of the tensors in E. */
static void note_shapes(struct dcl_session *s, const struct ast *e, struct worn *w) {
    if (!e)
        return;
    struct binding *b = e->kind == AST_NAME ? env_find(script_scope(s), e->name, NULL) : NULL;
    if (b && is_stored(&b->value))
        round_shape(s, w, b->name, b->value.tensor);
    for (uint32_t i = 0; i < e->nkids; i++)
        note_shapes(s, e->kids[i], w);
}

static void make_symbols(struct dcl_session *s, const struct ast *e, struct worn *w,
                         struct symbolic *x) {
    if (!e)
        return;
    struct env *where;
    struct binding *b = e->kind == AST_NAME ? env_find(script_scope(s), e->name, &where) : NULL;
    if (b && b->value.kind == VAL_INT) {
        struct former f = {where, e->name, b->value, NULL};
        VEC_PUSH(s->unit.arena, x->at, f);
        b->value = unit_symbol(s, e->name, b->value.i);
    }
    if (b && is_stored(&b->value) && !b->value.tensor->from)
        make_sizes(s, w, where, b, x);
    for (uint32_t i = 0; i < e->nkids; i++)
        make_symbols(s, e->kids[i], w, x);
}

/* Variables get back what they were, but for those that the statement has given something else. */
static void drop_symbols(struct symbolic *x) {
    for (uint32_t i = 0; i < x->at.n; i++) {
        struct binding *b = env_find(x->at.at[i].env, x->at.at[i].name, NULL);
        const struct former *f = &x->at.at[i];
        if (f->symbolic ? b->value.kind == VAL_TENSOR && b->value.tensor == f->symbolic
                        : b->value.kind == VAL_SYM)
            b->value = f->value;
    }
}

/* *DONE: it has run, or failed for good. */
static bool run_symbolic(struct dcl_session *s, const struct ast *st, struct worn *w, bool *done) {
    struct diags before = s->diags;
    struct symbolic x = {0};
    uint64_t next_id = s->next_id, seed = s->seed;
    begin(s, st);
    s->unit.worn = w;
    make_symbols(s, st, w, &x);
    bool ok = x.at.n && evaluate_leaf(s, st, false);
    bool again = !ok && !s->stop && !s->unit.acted;
    drop_symbols(&x);
    unit_end(s);
    if (again) {
        s->next_id = next_id;
        s->seed = seed;
        s->diags = before;
        *s->diags.last = NULL;
    }
    *done = !again;
    return ok;
}

/* A checked run refuses the maps that a compiled one does: those that are proved to break what a
   map promises. In functions that is found when they are read. */
static bool map_is_refused(struct dcl_session *s, const struct ast *st) {
    if (!s->options.check || st->kind != AST_MAP)
        return false;
    uint64_t next_id = s->next_id;
    s->options.backend = BACKEND_CPU;
    begin(s, st);
    struct value v;
    bool ok = eval_statement(s->unit.ev, script_scope(s), st, &v);
    struct graph *g = ok ? lower_finish(s->unit.lower, 0, NULL, NULL, NULL) : NULL;
    ok = g && graph_verify(g, "lower", &s->diags);
    unit_end(s);
    s->options.backend = BACKEND_REF;
    s->next_id = next_id;
    return !ok;
}

static bool run_leaf(struct dcl_session *s, const struct ast *st, bool show) {
    if (map_is_refused(s, st))
        return false;
    struct worn *w = round_begin(s, st);
    bool ok;
    if (w && !show && recall_run(s, st, w, &ok))
        return ok;
    if (w && w->due) {
        bool done;
        ok = run_symbolic(s, st, w, &done);
        if (done)
            return ok;
        w->never = true;
    }
    begin(s, st);
    s->unit.worn = w && !w->never ? w : NULL;
    if (w) {
        w->kinds.n = 0;
        note_shapes(s, st, w);
        recall_begin(s, st, w);
    }
    ok = evaluate_leaf(s, st, show);
    if (ok && w)
        recall_keep(s, st, w);
    unit_end(s);
    return ok;
}

static bool run_statement(struct dcl_session *s, const struct ast *st, bool show) {
    if (session_stopped(s))
        return false;
    bool ok;
    switch (st->kind) {
    case AST_BLOCK: return run_block(s, st, show);
    case AST_FOR: return run_for(s, st);
    case AST_WHILE: return run_while(s, st);
    case AST_IF: return run_if(s, st, show);
    case AST_COMPILE:
        doing_statement(s, st);
        ok = compiled_say(s, st);
        break;
    default:
        doing_statement(s, st);
        ok = run_leaf(s, st, show);
        break;
    }
    store_collect(s, COLLECT_ALWAYS);
    kernels_trim(s, KERNELS_KEPT);
    return ok;
}

static bool is_statement(const struct ast *item) {
    return !ast_is_definition(item) && item->kind != AST_USE;
}

bool script_run(struct dcl_session *s, struct text *t, bool show) {
    struct ast *file = t->file;
    bool layers = false;
    module_enter(s->module, file);
    for (uint32_t i = 0; i < file->nkids; i++)
        layers = layers || file->kids[i]->kind == AST_LAYER;
    if (layers && !renew_instances(s, t->source))
        return false;
    uint32_t statements = 0, at = 0;
    for (uint32_t i = 0; i < file->nkids; i++)
        statements += is_statement(file->kids[i]);
    for (uint32_t i = 0; i < file->nkids; i++) {
        struct ast *item = file->kids[i];
        if (is_statement(item))
            doing_item(s, ++at, statements);
        if (ast_is_definition(item)) {
            bool again = module_pass(s->module, item);
            if (again && item->kind == AST_LAYER && !renew_instances(s, t->source))
                return false;
        } else if (is_statement(item) && !run_statement(s, item, show))
            return false;
    }
    return true;
}
