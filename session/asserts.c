/* assert: where it fails, what was compared.
   `assert(a < b)` as a statement evaluates both sides by themselves, so that they can be told if it
   fails. Where nothing has been written they are then computed again by the same graph; else they
   are kept with the condition, since what ran once must not run twice. */
#include "session/builtins.h"

#include <string.h>

enum { LONGEST = 60 }; /* characters of a side's text, or of its value */

/* The text at SPAN if it is short enough to be repeated, else WHAT. */
static const char *text_at(struct dcl_session *s, struct span span, const char *what) {
    const struct source *source = sources_get(s->diags.sources, span.source);
    uint32_t n = span.end - span.start;
    if (!source || n > LONGEST || memchr(source->text + span.start, '\n', n))
        return what;
    return arena_strndup(s->messages, source->text + span.start, n);
}

static bool is_literal(const struct ast *e) {
    if (e->kind == AST_UNARY || e->kind == AST_LIST || e->kind == AST_TUPLE) {
        bool all = true;
        for (uint32_t i = 0; i < e->nkids; i++)
            all = all && is_literal(e->kids[i]);
        return all;
    }
    return e->kind == AST_INT || e->kind == AST_FLOAT || e->kind == AST_BOOL || e->kind == AST_STR;
}

/* --- elements -------------------------------------------------------------------------------- */

struct failing {
    int64_t count, all;
    int64_t at[EVAL_MAX_RANK]; /* of the first */
};

/* The elements of bools T that are false. */
static struct failing false_elements(const struct tensor *t) {
    struct failing f = {.all = tensor_elements(t)};
    const char *bytes = tensor_data(t)->bytes;
    int64_t first = 0;
    for (int64_t i = f.all; i-- > 0;)
        if (!scalar_load(DT_bool, bytes + i).b) {
            f.count++;
            first = i;
        }
    for (uint32_t d = t->rank; d-- > 0; first /= t->dims[d].i)
        if (f.count)
            f.at[d] = first % t->dims[d].i;
    return f;
}

/* V as it meets element AT of RANK dimensions: a tensor is seen through its broadcast. */
static struct value element_of(struct dcl_session *s, const struct value *v, uint32_t rank,
                               const int64_t *at) {
    if (v->kind != VAL_TENSOR || v->tensor->rank == 0)
        return *v;
    const struct tensor *t = v->tensor;
    size_t size = dtypes[t->dtype].bytes;
    int64_t o = 0;
    for (uint32_t d = 0; d < t->rank; d++) {
        int64_t n = t->dims[d].i;
        o = o * n + (n == 1 ? 0 : at[rank - t->rank + d]);
    }
    struct data *one = ARENA_NEW(s->messages, struct data);
    *one = *tensor_data(t);
    one->bytes = (char *)one->bytes + (size_t)o * size;
    return value_tensor(tensor_new(s->messages, t->dtype, 0, one));
}

/* --- telling --------------------------------------------------------------------------------- */

/* `x is 4.0` at the end of OUT, unless E is a literal. */
static void put_side(struct dcl_session *s, const struct ast *e, const char *what,
                     const struct value *v, struct buf *out) {
    struct buf text = buf_new(s->messages);
    if (is_literal(e))
        return;
    print_value(s, v, &text);
    if (text.n > LONGEST || memchr(text.at, '\n', text.n))
        return;
    buf_printf(out, "%s%s is %s", out->n ? ", " : "", text_at(s, e->span, what), text.at);
}

static void put_failing(const struct failing *f, uint32_t rank, const char *what, struct buf *out) {
    buf_printf(out, "%lld of %lld elements %s, the first at [", (long long)f->count,
               (long long)f->all, what);
    for (uint32_t d = 0; d < rank; d++)
        buf_printf(out, "%s%lld", d ? ", " : "", (long long)f->at[d]);
    buf_text(out, "]");
}

static bool holds(const struct value *v) {
    if (v->kind == VAL_BOOL)
        return v->b;
    return false_elements(v->tensor).count == 0;
}

bool assert_holds(struct dcl_session *s, const struct value *v, const char *text, struct span span,
                  struct diag **failed) {
    *failed = NULL;
    if (v->kind != VAL_BOOL && !(v->kind == VAL_TENSOR && v->dtype == DT_bool)) {
        diag_error(&s->diags, span, ERR_ARG_KIND, "assert", "the condition",
                   "a truth value, or a tensor of them",
                   v->kind == VAL_TENSOR ? type_text(s->unit.ev, v->tensor) : value_kind_name(v));
        return false;
    }
    if (holds(v))
        return true;
    const struct source *source = sources_get(s->diags.sources, span.source);
    if (!text)
        text = source ? arena_strndup(s->messages, source->text + span.start, span.end - span.start)
                      : "";
    *failed = diag_error(&s->diags, span, ERR_ASSERT, text);
    return false;
}

void assert_note_elements(struct dcl_session *s, struct diag *d, const struct value *v) {
    if (v->kind != VAL_TENSOR || v->tensor->rank == 0)
        return;
    struct failing f = false_elements(v->tensor);
    struct buf text = buf_new(s->messages);
    put_failing(&f, v->tensor->rank, f.count == 1 ? "is false" : "are false", &text);
    diag_note(&s->diags, d, (struct span){0}, "%s", text.at);
}

/* What the sides V[0] and V[1] of comparison E are, where CONDITION is false. */
static void note_sides(struct dcl_session *s, struct diag *d, const struct ast *e,
                       const struct value *condition, const struct value *v) {
    static const char *const sides[] = {"the left side", "the right side"};
    struct buf text = buf_new(s->messages);
    struct value side[2] = {v[0], v[1]};
    if (condition->kind == VAL_TENSOR && condition->tensor->rank) {
        struct failing f = false_elements(condition->tensor);
        uint32_t rank = condition->tensor->rank;
        static const char *const one[] = {[AOP_EQ] = "differs", [AOP_NE] = "is equal"};
        static const char *const many[] = {[AOP_EQ] = "differ", [AOP_NE] = "are equal"};
        bool order = e->op != AOP_EQ && e->op != AOP_NE;
        const char *what =
            f.count == 1 ? (order ? "is wrong" : one[e->op]) : (order ? "are wrong" : many[e->op]);
        put_failing(&f, rank, what, &text);
        buf_text(&text, ": ");
        size_t n = text.n;
        struct buf both = buf_new(s->messages);
        for (int k = 0; k < 2; k++) {
            side[k] = element_of(s, &v[k], rank, f.at);
            put_side(s, e->kids[k], sides[k], &side[k], &both);
        }
        if (both.n)
            buf_text(&text, both.at);
        else
            text.at[text.n = n - 2] = '\0';
    } else {
        for (int k = 0; k < 2; k++)
            put_side(s, e->kids[k], sides[k], &side[k], &text);
    }
    if (text.n)
        diag_note(&s->diags, d, (struct span){0}, "%s", text.at);
}

/* --- as a statement -------------------------------------------------------------------------- */

static bool is_comparison(const struct ast *e) {
    return e->kind == AST_BINARY && e->op >= AOP_LT && e->op <= AOP_NE;
}

bool assert_compares(struct dcl_session *s, const struct ast *st) {
    if (st->kind != AST_CALL || st->kids[0]->kind != AST_NAME || st->nkids < 2 || st->nkids > 3 ||
        !is_comparison(st->kids[1]) || (st->nkids == 3 && st->kids[2]->kind != AST_STR))
        return false;
    struct name n = st->kids[0]->name;
    return strcmp(name_text(s->names, n), "assert") == 0 && !module_find(s->module, n, NULL) &&
           !env_find(script_scope(s), n, NULL);
}

/* E of the values V of its sides. */
static bool compare(struct dcl_session *s, const struct ast *e, const struct value *v,
                    struct value *out) {
    struct arena *a = s->unit.arena;
    struct env *scope = env_new(a, ENV_BLOCK, script_scope(s), s->module);
    struct ast *compared = ast_clone(a, e);
    for (int k = 0; k < 2; k++) {
        /* Names that no program can spell. */
        struct ast *side = ast_new(a, AST_NAME, e->kids[k]->span, 0);
        side->name = name_of_text(s->names, k ? "the right side" : "the left side");
        compared->kids[k] = side;
        env_bind(scope, side->name, v[k], side->span);
    }
    return eval_expr(s->unit.ev, scope, compared, out);
}

bool assert_run(struct dcl_session *s, const struct ast *st) {
    const struct ast *e = st->kids[1];
    struct value all = value_list_new(s->unit.arena, VAL_LIST, 3), *v = all.list->at;
    const char *text = st->nkids == 3 ? name_text(s->names, st->kids[2]->name) : NULL;
    struct diag *failed;
    s->unit.recall = NULL;
    if (!eval_expr(s->unit.ev, script_scope(s), e->kids[0], &v[1]) ||
        !eval_expr(s->unit.ev, script_scope(s), e->kids[1], &v[2]) || !compare(s, e, &v[1], &v[0]))
        return false;
    bool once = unit_writes(s);
    if (!store_keep(s, once ? &all : &v[0], st->span))
        return false;
    v = all.list->at;
    if (assert_holds(s, &v[0], text, st->span, &failed))
        return true;
    if (!failed)
        return false;
    struct value sides = value_list_new(s->unit.arena, VAL_LIST, 2);
    sides.list->at[0] = v[1];
    sides.list->at[1] = v[2];
    struct value condition = v[0];
    if (once || store_keep(s, &sides, st->span))
        note_sides(s, failed, e, &condition, sides.list->at);
    return false;
}
