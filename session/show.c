/* What a function is compiled to, as text; and what the program dcl asks about names. */
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
    diag_error(&s->diags, (struct span){0}, ERR_USAGE,
               arena_printf(
                   s->messages,
                   "a graph is shown as dcl, llvm, asm, ptx, sm_NUMBER or movement, not %s", what));
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

static bool show(struct dcl_session *s, void *data) {
    struct showing *x = data;
    struct variant_key key = {0};
    struct pipeline p;
    enum form form;
    unsigned sm;
    if (!form_of(s, x->what, &form, &sm))
        return false;
    if (!choose_passes(s, x->after, &p) || !function_resolve(x->f) ||
        !variant_key_shown(x->f, s->messages, &key))
        return false;
    if (s->options.backend == BACKEND_REF) {
        diag_error(&s->diags, (struct span){0}, ERR_USAGE,
                   "the reference evaluator compiles nothing that could be shown");
        return false;
    }
    struct graph *g = variant_lower(x->f, &key);
    if (!g || !compile_passes(s, g, &p))
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

const char *dcl_show(dcl_function *f, const char *after, const char *what) {
    struct showing x = {f, after ? after : "", what ? what : "dcl", NULL};
    return session_guard(f->session, show, &x) == 0 ? x.text : NULL;
}

/* --- names ---------------------------------------------------------------------------------- */

struct asking {
    const char *name, *text;
    int k;
    const char *prefix;
    void (*f)(void *data, const char *name);
    void *data;
    struct dcl_session *s;
};

static struct ast *definition(struct dcl_session *s, const char *name) {
    return module_find(s->module, name_of_text(s->names, name), NULL);
}

static bool describe(struct dcl_session *s, void *data) {
    struct asking *a = data;
    struct buf text = buf_new(s->messages);
    struct binding *b = env_find(s->script, name_of_text(s->names, a->name), NULL);
    struct ast *def = definition(s, a->name);
    if (b) {
        unit_begin(s, (struct name){0}, (struct span){0}, false);
        print_value(s, &b->value, &text);
        buf_text(&text, "\n");
    } else if (def) {
        for (const char *d = def->doc; d && *d;) {
            size_t n = strcspn(d, "\n");
            buf_printf(&text, "## %.*s\n", (int)n, d);
            d += n + (d[n] == '\n');
        }
        print_ast(s->names, def, &text);
        if (text.n && text.at[text.n - 1] != '\n')
            buf_text(&text, "\n");
    } else {
        struct name near = check_nearest(s->module, name_of_text(s->names, a->name), NULL, 0);
        struct diag *d = diag_error(&s->diags, (struct span){0}, ERR_UNKNOWN_NAME, a->name);
        if (!name_none(near))
            diag_help(&s->diags, d, "did you mean %s?", name_text(s->names, near));
        return false;
    }
    a->text = text.at;
    return true;
}

const char *session_describe(dcl_session *s, const char *name) {
    struct asking a = {.name = name};
    return session_guard(s, describe, &a) == 0 ? a.text : NULL;
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

static void tell(void *data, struct name n, struct ast *def) {
    struct asking *a = data;
    (void)def;
    const char *text = name_text(a->s->names, n);
    if (strncmp(text, a->prefix, strlen(a->prefix)) == 0)
        a->f(a->data, text);
}

static bool tell_names(struct dcl_session *s, void *data) {
    struct asking *a = data;
    a->s = s;
    for (uint32_t i = 0; i < s->script->bindings.n; i++)
        tell(a, s->script->bindings.at[i].name, NULL);
    module_each(s->module, tell, a);
    return true;
}

void session_names(dcl_session *s, const char *prefix, void (*f)(void *data, const char *name),
                   void *data) {
    struct asking a = {.prefix = prefix, .f = f, .data = data};
    session_guard(s, tell_names, &a);
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
