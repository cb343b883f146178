/* What a function is compiled to, as text; and what the program dcl asks about names. */
#include "session/ask.h"
#include "session/call.h"

#include "compiler/analysis/movement.h"
#include "compiler/print/print.h"
#include "lang/check/check.h"
#include "lang/print/print.h"

#include <stdio.h>
#include <string.h>

struct showing {
    struct dcl_function *f;
    const char *after, *what, *text;
};

/* The default pipeline up to AFTER, or none of it. */
static bool choose_passes(struct dcl_session *s, const char *after, struct pipeline *p) {
    *p = s->options.pipeline;
    if (!*after)
        return true;
    if (strcmp(after, "lower") == 0) {
        p->n = 0;
        return true;
    }
    enum pass_id id = pass_of(after);
    for (uint32_t i = p->n; i-- > 0;)
        if (p->at[i] == id) {
            p->n = i + 1;
            return true;
        }
    const char *names[PASS_COUNT + 1] = {"lower"};
    for (int i = 0; i < PASS_COUNT; i++)
        names[i + 1] = passes[i].name;
    const char *near = session_nearest(after, names, PASS_COUNT + 1);
    struct diag *d =
        diag_error(&s->diags, (struct span){0}, ERR_USAGE,
                   arena_printf(s->messages, "there is no pass %s in the pipeline", after));
    if (near)
        diag_help(&s->diags, d, "did you mean %s?", near);
    return false;
}

/* SM: PTX for that GPU, unless it is 0. */
static bool show_code(struct dcl_session *s, struct showing *x, const struct graph *g, bool ir,
                      unsigned sm) {
    const struct llvm_backend *llvm = backend_open(s);
    struct llvm_options o = {.target = s->options.target,
                             .sm = sm,
                             .strict = s->options.strict,
                             .keep_ir = ir,
                             .keep_asm = !ir};
    struct llvm_code code;
    if (!llvm || !llvm->compile(g, &o, s->messages, &s->diags, &code))
        return false;
    x->text = ir ? code.ir : code.assembly;
    return true;
}

enum form { FORM_DCL, FORM_LLVM, FORM_ASM, FORM_PTX, FORM_MOVEMENT, FORMS };

/* "ptx" is PTX for all GPUs from sm_75 on, "sm_80" for those from there on. */
static bool form_of(struct dcl_session *s, const char *what, enum form *form, unsigned *sm) {
    static const char *const forms[FORMS] = {"dcl", "llvm", "asm", "ptx", "movement"};
    char rest;
    for (*form = FORM_DCL; *form < FORMS && strcmp(forms[*form], what) != 0;)
        ++*form;
    *sm = *form == FORM_PTX ? 75 : 0;
    if (*form == FORMS && sscanf(what, "sm_%3u%c", sm, &rest) == 1)
        *form = FORM_PTX;
    if (*form < FORMS)
        return true;
    const char *near = session_nearest(what, forms, FORMS);
    struct diag *d = diag_error(
        &s->diags, (struct span){0}, ERR_USAGE,
        arena_printf(s->messages,
                     "a graph is shown as dcl, llvm, asm, ptx, sm_NUMBER or movement, %s%s",
                     *what ? "not " : "but nothing stands behind `as`", what));
    if (near)
        diag_help(&s->diags, d, "did you mean %s?", near);
    return false;
}

/* Bytes that each container's data moves, and all of them. */
static const char *movement_text(struct dcl_session *s, const struct graph *g) {
    struct arena *a = s->messages;
    struct movement *m = graph_movement(a, g), total = graph_movement_total(a, g);
    struct buf text = buf_new(a);
    for (uint32_t c = 1; c <= g->conts.n; c++) {
        bool last = c == g->conts.n;
        struct movement x = last ? total : m[c];
        int64_t read = -1, written = -1;
        sym_is_const(g->syms, x.read_bytes, &read);
        sym_is_const(g->syms, x.write_bytes, &written);
        if (!last && read == 0 && written == 0)
            continue;
        buf_printf(&text, "%s: reads ", last ? "in all" : name_text(s->names, g->conts.at[c].name));
        sym_print(g->syms, x.read_bytes, &text);
        buf_text(&text, ", writes ");
        sym_print(g->syms, x.write_bytes, &text);
        buf_text(&text, " bytes\n");
    }
    return text.at;
}

/* G as text, which it may be changed for. */
static bool show_graph(struct dcl_session *s, struct showing *x, struct graph *g) {
    struct pipeline p;
    enum form form;
    unsigned sm;
    if (!form_of(s, x->what, &form, &sm) || !choose_passes(s, x->after, &p) ||
        !compile_passes(s, g, &p))
        return false;
    if (form == FORM_MOVEMENT) {
        x->text = movement_text(s, g);
        return true;
    }
    if (form != FORM_DCL)
        return show_code(s, x, g, form == FORM_LLVM, sm);
    struct buf text = buf_new(s->messages);
    graph_print(g, &text);
    x->text = text.at;
    return true;
}

/* Whether there is anything to be shown. */
static bool compiles(struct dcl_session *s) {
    if (s->options.backend != BACKEND_REF)
        return true;
    diag_error(&s->diags, (struct span){0}, ERR_USAGE,
               "the reference evaluator compiles nothing that could be shown");
    return false;
}

static bool show(struct dcl_session *s, void *data) {
    struct showing *x = data;
    struct variant_key key = {0};
    if (!function_resolve(x->f) || !variant_key_shown(x->f, s->messages, &key) || !compiles(s))
        return false;
    struct graph *g = variant_lower(x->f, &key);
    return g && show_graph(s, x, g);
}

const char *dcl_show(dcl_function *f, const char *after, const char *what) {
    struct showing x = {f, after ? after : "", what ? what : "dcl", NULL};
    return session_guard(f->session, show, &x) == 0 ? x.text : NULL;
}

/* --- expressions ----------------------------------------------------------------------------- */

/* A function or instance gives no text here: what is shown is a call. */
static bool answer_show(struct dcl_session *s, struct question *q, const struct ast *e) {
    struct showing x = {NULL, "", q->what, NULL};
    struct value v;
    struct pending pending = {0};
    if (!eval_statement(s->unit.ev, s->script, e, &v))
        return false;
    if (v.kind == VAL_FN || v.kind == VAL_INSTANCE)
        return true;
    pending_of(s, &v, &pending);
    if (!compiles(s))
        return false;
    if (!pending.at.n && !unit_writes(s)) {
        struct diag *d =
            diag_error(&s->diags, e->span, ERR_VALUE, "nothing is computed here when it runs");
        diag_help(&s->diags, d, "what is compiled are tensors: x + 1 of a tensor x, or a function");
        return false;
    }
    struct graph *g = lower_finish(s->unit.lower, pending.at.n, pending.at.at, NULL, NULL);
    if (!g || !show_graph(s, &x, g))
        return false;
    q->reply = x.text;
    return true;
}

/* Whether TEXT is a signature such as f(x: f32[N]) rather than an expression. */
static bool is_signature(const char *text) {
    const char *open = strchr(text, '(');
    if (!open)
        return false;
    open += 1 + strspn(open + 1, " \t\n");
    size_t n = 0;
    while (open[n] == '_' || (open[n] >= '0' && open[n] <= '9') ||
           ((open[n] | 32) >= 'a' && (open[n] | 32) <= 'z'))
        n++;
    return n && open[n + strspn(open + n, " \t")] == ':';
}

static bool show_expression(struct dcl_session *s, void *data) {
    struct question *q = data;
    enum form form;
    unsigned sm;
    if (!form_of(s, q->what, &form, &sm) || (!is_signature(q->text) && !question_ask(s, q)))
        return false;
    if (q->reply)
        return true;
    struct showing x = {function_open(s, q->text), "", q->what, NULL};
    if (!x.f || !show(s, &x))
        return false;
    q->reply = x.text;
    return true;
}

const char *session_show(dcl_session *s, const char *expression, const char *what) {
    struct question q = {.text = expression, .what = what, .answer = answer_show};
    return session_guard(s, show_expression, &q) == 0 ? q.reply : NULL;
}

/* --- names ---------------------------------------------------------------------------------- */

struct asking {
    const char *name, *text;
    int k;
};

static struct ast *definition(struct dcl_session *s, const char *name) {
    return module_find(s->module, name_of_text(s->names, name), NULL);
}

/* The function that a call of NAME runs: of a definition, a variable, or as `nets[0].encode`. NULL
   if there is none. A variable hides a definition. */
static const struct ast *called_by_name(struct dcl_session *s, const char *name) {
    const struct module *m;
    name = arena_strndup(s->messages, name, strcspn(name, "("));
    struct binding *b = env_find(s->script, name_of_text(s->names, name), NULL);
    struct ast *def = definition(s, name);
    if (b || def)
        return b ? function_called(s, &b->value, &m) : def;
    struct dcl_function *f = function_open(s, name);
    if (!f)
        diags_clear(&s->diags); /* whoever calls it will say so */
    return f ? f->def : NULL;
}

static bool result_name(struct dcl_session *s, void *data) {
    struct asking *a = data;
    const struct ast *def = called_by_name(s, a->name);
    if (def && def->kind == AST_FN && a->k >= 0 && (uint32_t)a->k < fn_result_count(def))
        a->text = name_text(s->names, fn_result_name(def, (uint32_t)a->k));
    return true;
}

const char *session_result_name(dcl_session *s, const char *name, int k) {
    struct asking a = {.name = name, .k = k};
    return session_guard(s, result_name, &a) == 0 ? a.text : NULL;
}

const char *session_pass(int k, const char **doc) {
    if (k < 0 || k >= PASS_COUNT)
        return NULL;
    *doc = passes[k].doc;
    return passes[k].name;
}

const char *session_nearest(const char *text, const char *const *words, int n) {
    struct arena *a = arena_new();
    struct names *names = names_new(a);
    struct module *none = module_new(a, names, "", NULL);
    struct name *all = ARENA_ARRAY(a, struct name, n);
    for (int i = 0; i < n; i++)
        all[i] = name_of_text(names, words[i]);
    struct name near = check_nearest(none, name_of_text(names, text), all, (uint32_t)n);
    const char *found = NULL;
    for (int i = 0; i < n; i++)
        if (!name_none(near) && name_eq(all[i], near))
            found = words[i];
    arena_free(a);
    return found;
}
