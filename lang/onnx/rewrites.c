/* Rules of `rewrite` applied to the lines of the program, so that what an exporter has spelt out
   is one call again. A rule is applied where its replacement gives a tensor of the same type and
   shape. Lines whose values nobody reads any more are left out. */
#include "lang/onnx/importer.h"

#include "lang/rewrite/rewrite.h"
#include "lang/scalar/print_number.h"

enum { APPLIED_MOST = 64 }; /* rules applied to one line: a rule may fit what it gives */

/* What a line gives, before rules and after. */
struct made {
    const struct ast *was, *is;
};

struct rewriter {
    struct importer *m;
    rewrite_rules rules;
    struct rewrite_text text;
    struct map made; /* stand-in -> struct made * of the line that makes it, and nothing else */
    uint32_t left;   /* rules that may still be applied to the line */
    uint32_t depth;  /* graphs of nodes around it */
    const struct rewrite_rule *rule;
    bool newest;
};

/* --- what a stand-in is ---------------------------------------------------------------------- */

/* The number that a weight without dimensions is, the tensor of one number that one of one element
   is; or NULL. */
static const struct ast *number_of(struct rewriter *r, struct name n) {
    uint64_t at = 0;
    struct value v;
    if (!map_get(&r->m->stand_ins, n.i, &at))
        return NULL;
    const struct operand *x = (const struct operand *)(uintptr_t)at;
    if (x->kind != OPERAND_WEIGHT || x->v.kind != VAL_TENSOR || x->v.tensor->rank > 1 ||
        (x->v.tensor->rank && x->v.tensor->dims[0].i != 1) || !operand_fixed(r->m, x, false, &v))
        return NULL;
    v = operand_shown(r->m, x->type, v);
    return x->v.tensor->rank ? operand_numbers(r->m, &v) : ast_of_value(r->m, &v);
}

static const struct ast *value_of(void *data, struct name n) {
    struct rewriter *r = data;
    uint64_t at = 0;
    if (!map_get(&r->made, n.i, &at))
        return number_of(r, n);
    const struct made *made = (const struct made *)(uintptr_t)at;
    return r->newest ? made->is : made->was;
}

/* Expressions of a model have no effects. */
static bool lasts(void *data, const struct ast *e) {
    (void)data;
    (void)e;
    return true;
}

static bool hidden(void *data, struct name n) {
    (void)data;
    (void)n;
    return false;
}

/* --- one expression -------------------------------------------------------------------------- */

static bool evaluate(struct rewriter *r, const struct ast *e, struct value *v) {
    bool ok = eval_expr(outline_eval(r->m->outline), r->m->env, e, v);
    diags_clear(&r->m->errors);
    return ok;
}

/* Numbers that are computed of numbers, as numbers. */
static void fold_numbers(struct rewriter *r, struct ast *e) {
    struct value v;
    for (uint32_t k = 0; k < e->nkids; k++) {
        struct ast *kid = e->kids[k];
        if (!kid)
            continue;
        bool op = kid->kind == AST_BINARY || kid->kind == AST_UNARY;
        if (op && evaluate(r, kid, &v) && (v.kind == VAL_INT || v.kind == VAL_FLOAT)) {
            if (v.kind == VAL_FLOAT)
                v.f = print_number_value((double)(float)v.f, DT_f32);
            e->kids[k] = ast_of_value(r->m, &v);
        } else {
            fold_numbers(r, kid);
        }
    }
}

/* E without arguments that are at their defaults. */
static void drop_defaults(struct rewriter *r, struct ast *e) {
    const struct ast *def = e->kind == AST_CALL && e->kids[0]->kind == AST_NAME
                                ? module_find(r->text.module, e->kids[0]->name, NULL)
                                : NULL;
    uint32_t n = 0;
    for (uint32_t k = 0; k < e->nkids; k++) {
        bool same = false;
        for (uint32_t i = 0; def && e->kids[k]->kind == AST_KEYWORD && i < def->kids[0]->nkids; i++)
            same = same || (name_eq(def->kids[0]->kids[i]->name, e->kids[k]->name) &&
                            def->kids[0]->kids[i]->kids[1] &&
                            ast_equal(def->kids[0]->kids[i]->kids[1], e->kids[k]->kids[0]));
        if (!same)
            e->kids[n++] = e->kids[k];
    }
    e->nkids = n;
    for (uint32_t k = 0; k < n; k++)
        drop_defaults(r, e->kids[k]);
}

/* Numbers in place of the weights that they are. */
static void show_numbers(struct rewriter *r, struct rewrite_match *x) {
    for (uint32_t i = 0; i < x->bound.n; i++) {
        const struct ast *e = x->bound.at[i].value;
        const struct ast *number = e->kind == AST_NAME ? number_of(r, e->name) : NULL;
        if (number && number->kind != AST_CALL)
            x->bound.at[i].value = number;
    }
}

/* The condition of the match X, in which `f32(2.0)` is the number 2.0. */
static struct ast *condition_of(struct rewriter *r, const struct rewrite_match *x) {
    struct rewrite_match numbers = {.rule = x->rule};
    for (uint32_t i = 0; i < x->bound.n; i++) {
        struct rewrite_bound b = x->bound.at[i];
        const struct ast *e = b.value;
        bool cast = !b.attributes && e->kind == AST_CALL && e->nkids == 2 &&
                    e->kids[0]->kind == AST_NAME &&
                    dtype_of(name_text(r->m->names, e->kids[0]->name)) != DT_NONE;
        if (cast && (e->kids[1]->kind == AST_INT || e->kids[1]->kind == AST_FLOAT))
            b.value = e->kids[1];
        VEC_PUSH(r->m->arena, numbers.bound, b);
    }
    return rewrite_filled(r->m->arena, &numbers, x->rule->kids[2]);
}

/* What the layer that E, the replacement of the match X, calls is made with becomes numbers, and E
   keeps what it was; false if its states are none of the layer. */
static bool make_instance(struct rewriter *r, const struct rewrite_match *x, struct ast *e) {
    struct ast *layer = e->kids[0];
    const struct ast *to = x->rule->kids[1];
    struct rewrite_match roles = {.rule = x->rule};
    struct value v;
    if (r->depth) /* in graphs of nodes there are none */
        return false;
    for (uint32_t k = 1; k < layer->nkids; k++) {
        bool keyword = layer->kids[k]->kind == AST_KEYWORD;
        struct ast **arg = keyword ? &layer->kids[k]->kids[0] : &layer->kids[k];
        if (!evaluate(r, *arg, &v))
            return false;
        if (v.kind == VAL_FLOAT)
            v.f = print_number_value((double)(float)v.f, DT_f32);
        *arg = ast_of_value(r->m, &v);
    }
    if (!instance_fits(r->m, e))
        return false;
    for (uint32_t i = 0; i < x->bound.n; i++)
        VEC_PUSH(r->m->arena, roles.bound, x->bound.at[i]);
    for (uint32_t k = 1; k < to->nkids; k++)
        for (uint32_t i = 0; to->kids[k]->kind == AST_KEYWORD && i < roles.bound.n; i++)
            if (to->kids[k]->kids[0]->kind == AST_NAME &&
                name_eq(roles.bound.at[i].name, to->kids[k]->kids[0]->name))
                roles.bound.at[i].value = instance_role(r->m, to->kids[k]->name);
    instance_was(r->m, e, rewrite_filled(r->m->arena, &roles, x->rule->kids[0]));
    return true;
}

/* The replacement of the match X, or NULL if its condition does not hold. */
static struct ast *replacement(struct rewriter *r, struct rewrite_match *x) {
    struct arena *a = r->m->arena;
    const struct ast *rule = x->rule;
    struct value v;
    show_numbers(r, x);
    for (uint32_t i = 3; i < rule->nkids; i++) {
        const struct ast *let = rewrite_filled(a, x, rule->kids[i]->kids[0]);
        VEC_PUSH(a, x->bound, ((struct rewrite_bound){rule->kids[i]->name, let, false}));
    }
    if (rule->kids[2] && (!evaluate(r, condition_of(r, x), &v) || v.kind != VAL_BOOL || !v.b))
        return NULL;
    struct ast *e = rewrite_filled(a, x, rule->kids[1]);
    if (rewrite_instance(r->rule->module, rule->kids[1]) && !make_instance(r, x, e))
        return NULL;
    fold_numbers(r, e);
    drop_defaults(r, e);
    return e;
}

static bool same_shape(struct rewriter *r, const struct value *x, const struct value *y) {
    struct eval *ev = outline_eval(r->m->outline);
    bool tensors = x->kind == VAL_TENSOR && y->kind == VAL_TENSOR;
    bool same = tensors && x->dtype == y->dtype && x->tensor->rank == y->tensor->rank;
    for (uint32_t d = 0; same && d < x->tensor->rank; d++)
        same = int_equal(ev, &x->tensor->dims[d], &y->tensor->dims[d]) == 1;
    return same;
}

/* What E becomes by the first rule that it meets and that gives what E does, or NULL. */
static struct ast *apply_one(struct rewriter *r, const struct ast *e) {
    struct rewrite_match x;
    struct value was, is;
    bool known = false;
    if (e->kind != AST_CALL && e->kind != AST_BINARY && e->kind != AST_UNARY)
        return NULL;
    for (uint32_t i = 0; i < r->rules.n; i++)
        for (int newest = 1; newest >= 0; newest--) {
            r->newest = newest;
            r->rule = &r->rules.at[i];
            if (!rewrite_matches(r->m->arena, &r->text, &r->rules.at[i], e, &x))
                continue;
            struct ast *to = replacement(r, &x);
            known = known || (to && evaluate(r, e, &was));
            bool instance = to && rewrite_instance(r->text.module, to);
            if (to && known && evaluate(r, instance ? instance_bare(r->m, to) : to, &is) &&
                same_shape(r, &was, &is))
                return to;
        }
    return NULL;
}

static struct ast *apply(struct rewriter *r, struct ast *e) {
    for (struct ast *next = e; next;) {
        e = next;
        next = r->left ? apply_one(r, e) : NULL;
        r->left -= next != NULL;
    }
    bool instance = rewrite_instance(r->text.module, e); /* of which only arguments are computed */
    for (uint32_t k = instance; k < e->nkids; k++)
        if (e->kids[k] && !(instance && e->kids[k]->kind == AST_KEYWORD))
            e->kids[k] = apply(r, e->kids[k]);
    return e;
}

static void rewrite_body(struct rewriter *r, struct body *b);

static void rewrite_line(struct rewriter *r, struct line *line) {
    struct made *made = ARENA_NEW(r->m->arena, struct made);
    struct ast *was = line->value;
    r->left = APPLIED_MOST;
    if (line->value) {
        made->was = ast_clone(r->m->arena, line->value);
        made->is = line->value = apply(r, line->value);
    }
    line->rewritten = line->value != was;
    r->depth++;
    if (line->choice)
        for (int s = 0; s < 2; s++)
            rewrite_body(r, &line->choice->sides[s]);
    else if (line->loop)
        rewrite_body(r, &line->loop->body);
    else if (line->ntargets == 1 && line->targets[0])
        map_put(&r->made, line->targets[0]->stand_in.i, (uintptr_t)made);
    r->depth--;
}

static void rewrite_body(struct rewriter *r, struct body *b) {
    for (uint32_t i = 0; i < b->lines.n; i++)
        rewrite_line(r, &b->lines.at[i]);
}

/* --- lines that nobody reads ----------------------------------------------------------------- */

static void note_read(void *data, struct operand *x) {
    map_put(data, x->stand_in.i, 1);
}

static void note_results(const struct visitor *v) {
    for (uint32_t i = 0; i < v->m->model->outputs.n; i++) {
        const struct operand *x = operand_of(v->m, v->m->model->outputs.at[i].id);
        if (x && x->kind != OPERAND_UNKNOWN)
            visit_expression(v, operand_tensor(v->m, x, false));
    }
}

static bool is_read(const struct line *line, const struct map *reads) {
    bool read = line->loop != NULL; /* it gives more than its targets */
    for (uint32_t k = 0; !read && k < line->ntargets; k++)
        read = line->targets[k] && map_get(reads, line->targets[k]->stand_in.i, NULL);
    return read;
}

/* Leaves out the lines of B whose values nobody reads; V notes what the others read, from the last
   one on. */
static void drop_lines(const struct visitor *v, struct body *b) {
    const struct map *now = v->data;
    bool *keep = ARENA_ARRAY(v->m->arena, bool, b->lines.n + 1);
    for (uint32_t i = b->lines.n; i-- > 0;) {
        struct line *line = &b->lines.at[i];
        keep[i] = is_read(line, now);
        if (!keep[i])
            continue;
        for (int s = 0; line->choice && s < 2; s++) {
            for (uint32_t k = 0; k < line->ntargets; k++)
                visit_expression(v, line->choice->results[s][k]);
            drop_lines(v, &line->choice->sides[s]);
        }
        if (line->loop) {
            if (line->loop->condition)
                visit_expression(v, line->loop->condition);
            visit_turn(v, line->loop);
            drop_lines(v, &line->loop->body);
        }
        visit_line(v, line);
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->lines.n; i++)
        if (keep[i])
            b->lines.at[n++] = b->lines.at[i];
    b->lines.n = n;
}

void rewrite_lines(struct importer *m, const struct module *program) {
    struct rewriter r = {.m = m, .made = map_new(m->arena)};
    struct map now = map_new(m->arena);
    struct visitor v = {m, note_read, &now};
    r.text = (struct rewrite_text){&r, value_of, hidden, lasts, program};
    rewrite_rules_of(m->arena, program, &r.rules);
    rewrite_body(&r, m->body);
    note_results(&v);
    drop_lines(&v, m->body);
}
