/* Functions over static values that are no library: lists, texts, the target; and which function a
   call means where the library defines one of the same name. Names of the host's functions (print,
   load, ..) and of scalar operators are called from here too. */
#include "lang/eval/internal.h"

#include <string.h>

enum own {
    OWN_LANES,
    OWN_REGISTERS,
    OWN_SHAPE,
    OWN_LIST,
    OWN_STR,
    OWN_ERROR,
    OWN_PROVED,
    OWN_KIND,
    OWN_PARAMS,
    OWN_FOLD
};

static const struct {
    const char *name, *usage, *doc;
    enum own what;
    enum scalar_op fold;
    int least, empty;
} owns[] = {
#define BUILTIN(name, usage, what, fold, least, empty, doc)                                        \
    {#name, usage, doc, OWN_##what, fold, least, empty},
#include "lang/eval/builtin.def"
#undef BUILTIN
};
enum { OWNS = sizeof owns / sizeof *owns };

/* `kind(v)`: what an untyped parameter was given. */
static const char *const kinds[VAL_COUNT] = {
    [VAL_NONE] = "nothing",   [VAL_ABSENT] = "none",  [VAL_INT] = "int",
    [VAL_SYM] = "int",        [VAL_FLOAT] = "float",  [VAL_BOOL] = "bool",
    [VAL_STR] = "str",        [VAL_DTYPE] = "dtype",  [VAL_LIST] = "list",
    [VAL_PACK] = "list",      [VAL_FN] = "fn",        [VAL_LAYER] = "layer",
    [VAL_INSTANCE] = "layer", [VAL_BUILTIN] = "fn",   [VAL_SCALAR] = "scalar",
    [VAL_TENSOR] = "tensor",  [VAL_STATE] = "tensor",
};

static int find_own(const char *name) {
    int i = 0;
    while (i < OWNS && strcmp(owns[i].name, name) != 0)
        i++;
    return i;
}

bool eval_is_builtin(struct names *names, struct name n) {
    const char *t = name_text(names, n);
    if (find_own(t) < OWNS)
        return true;
    for (unsigned k = 1; k <= 3; k++)
        if (scalar_find(FORM_CALL, t, k) != OP_COUNT)
            return true;
    return strcmp(t, "inf") == 0 || strcmp(t, "nan") == 0 || strcmp(t, "training") == 0 ||
           strcmp(t, "derived") == 0 || strcmp(t, "none") == 0;
}

bool eval_builtin_doc(const char *name, const char **usage, const char **doc) {
    int i = find_own(name);
    if (i == OWNS)
        return false;
    *usage = owns[i].usage;
    *doc = owns[i].doc;
    return true;
}

void eval_each_builtin(void (*f)(void *data, const char *name), void *data) {
    for (int i = 0; i < OWNS; i++)
        f(data, owns[i].name);
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (scalars[op].form == FORM_CALL)
            f(data, scalars[op].spelling);
}

static bool is_list(const struct value *v) {
    return v->kind == VAL_LIST || v->kind == VAL_PACK;
}

/* --- which function a call means -------------------------------------------------------------- */

/* Whether a list is in it, which then stands for a tensor of several dimensions. */
static bool is_nested(const struct value *v) {
    bool found = false;
    for (uint32_t k = 0; k < v->list->n && !found; k++)
        found = is_list(&v->list->at[k]);
    return found && stands_for_tensor(v);
}

/* Whether the builtin NAME takes these arguments. */
static bool takes(const char *name, uint32_t nargs, const struct value *args) {
    int own = find_own(name);
    if (own < OWNS && owns[own].what == OWN_FOLD && nargs == 1 && is_list(&args[0]))
        return !is_nested(&args[0]);
    return scalar_find(FORM_CALL, name, nargs) != OP_COUNT;
}

bool means_builtin(struct eval *ev, const struct function *fn, uint32_t nargs,
                   const struct value *args, const struct name *keywords) {
    const struct ast *params = fn->def->kids[0];
    const char *name = text_of(ev, fn->def->name);
    bool fits = true;
    if (fn->self || !eval_is_builtin(ev->names, fn->def->name))
        return false;
    for (uint32_t a = 0; a < nargs; a++) {
        if (keywords && !name_none(keywords[a]))
            return false;
        const struct ast *param = a < params->nkids ? params->kids[a] : NULL;
        if (!param || (param->flags & AST_STATIC))
            fits = false; /* too many */
        else if (is_list(&args[a]) && !eval_param_is_static(ev, fn->module, param) &&
                 !(param->kids[0]->flags & AST_LIST_OF))
            fits = false;
    }
    return !fits && takes(name, nargs, args);
}

/* --- errors of a library ---------------------------------------------------------------------- */

/* `error(..)`: told where the text of the user calls the library, in the name of what it calls. */
static bool raise_error(struct eval *ev, uint32_t nargs, const struct value *args,
                        struct span span) {
    struct buf text = buf_new(ev->arena);
    const struct calling *at = ev->frame;
    for (uint32_t i = 0; i < nargs; i++) {
        buf_text(&text, i ? " " : "");
        value_print(ev, &args[i], &text);
    }
    while (at && at->outer && at->outer->module->prelude == NULL)
        at = at->outer;
    if (!at) { /* of the script itself */
        diag_error(ev->diags, span, ERR_VALUE, text.at);
        return false;
    }
    struct diag *d = diag_error(ev->diags, at->span, ERR_REFUSED, text_of(ev, at->name), text.at);
    if (at->module->prelude)
        diag_note(ev->diags, d, span, "it is told here");
    return false;
}

/* --- the functions ---------------------------------------------------------------------------- */

static bool fold(struct eval *ev, int own, const struct value_list *list, struct span span,
                 struct value *out) {
    if ((int)list->n < owns[own].least) {
        diag_error(ev->diags, span, ERR_VALUE,
                   arena_printf(ev->arena, "%s of an empty list", owns[own].name));
        return false;
    }
    bool truth = owns[own].fold == OP_AND || owns[own].fold == OP_OR;
    *out = truth ? value_bool(owns[own].empty) : value_int(owns[own].empty);
    for (uint32_t i = 0; i < list->n; i++) {
        struct value pair[2] = {*out, list->at[i]}, r;
        if (truth && value_is_number(&list->at[i])) {
            diag_error(ev->diags, span, ERR_ARG_KIND, owns[own].name, "an element", "a truth value",
                       value_text(ev, &list->at[i]));
            return false;
        }
        if (i == 0 && !truth) {
            *out = list->at[0];
            if (!bring(ev, out))
                return false;
            continue;
        }
        if (!bring(ev, &pair[1]) || !apply_op(ev, owns[own].fold, 2, pair, span, &r))
            return false;
        *out = r;
    }
    return true;
}

static bool own_builtin(struct eval *ev, const char *n, uint32_t nargs, const struct value *args,
                        struct span span, struct value *out) {
    int own = find_own(n);
    enum own what = own < OWNS ? owns[own].what : OWN_LIST;
    const struct value *a = nargs == 1 ? &args[0] : NULL;
    if (what == OWN_ERROR)
        return raise_error(ev, nargs, args, span);
    if (what == OWN_REGISTERS && nargs == 0) {
        *out = value_int(ev->vector_registers);
        return true;
    }
    if (a && what == OWN_LANES && a->kind == VAL_DTYPE) {
        *out = value_int((int64_t)(ev->vector_bytes / dtypes[dtypes[a->dtype].arithmetic].bytes));
        return true;
    }
    if (a && what == OWN_PROVED && (a->kind == VAL_BOOL || a->kind == VAL_SCALAR)) {
        *out = value_bool(a->kind == VAL_BOOL && a->b);
        return true;
    }
    if (a && what == OWN_SHAPE && a->kind == VAL_TENSOR) {
        *out = value_list_new(ev->arena, VAL_LIST, a->tensor->rank);
        for (uint32_t d = 0; d < a->tensor->rank; d++)
            out->list->at[d] = a->tensor->dims[d];
        return true;
    }
    if (a && what == OWN_PARAMS && (a->kind == VAL_INSTANCE || is_list(a))) {
        *out = trained_states(ev, a);
        return true;
    }
    if (a && what == OWN_STR) {
        struct buf text = buf_new(ev->arena);
        value_print(ev, a, &text);
        *out = value_str(name_of(ev->names, text.at, text.n));
        return true;
    }
    if (a && what == OWN_KIND) {
        *out = value_str(name_lit(ev, kinds[a->kind]));
        return true;
    }
    if (a && is_list(a) && what == OWN_FOLD)
        return fold(ev, own, a->list, span, out);
    if (a && a->kind == VAL_STR && strcmp(n, "list") == 0) { /* its characters */
        const char *text = text_of(ev, a->str);
        *out = value_list_new(ev->arena, VAL_LIST, (uint32_t)strlen(text));
        for (uint32_t i = 0; i < out->list->n; i++)
            out->list->at[i] = value_str(name_of(ev->names, text + i, 1));
        return true;
    }
    if (a && is_list(a) && what == OWN_LIST) {
        *out = *a;
        out->kind = VAL_LIST;
        if (strcmp(n, "len") == 0)
            *out = value_int(a->list->n);
        return true;
    }
    uint32_t wants = what != OWN_REGISTERS;
    if (nargs != wants) {
        diag_error(ev->diags, span, ERR_ARG_COUNT, n, wants ? "1 argument" : "no arguments", nargs);
        return false;
    }
    diag_error(ev->diags, span, ERR_ARG_KIND, n, "the argument",
               what == OWN_LANES        ? "an element type"
               : what == OWN_PROVED     ? "a condition"
               : what == OWN_SHAPE      ? "a tensor"
               : what == OWN_PARAMS     ? "an instance of a layer"
               : strcmp(n, "list") == 0 ? "a list or string"
                                        : "a list",
               value_text(ev, &args[0]));
    return false;
}

bool call_builtin(struct eval *ev, struct name n, uint32_t nargs, const struct value *args,
                  const struct name *keywords, struct span span, struct value *out) {
    const char *text = text_of(ev, n);
    if (host_has_builtin(ev, n))
        return ev->ops->builtin(ev->host, n, nargs, args, keywords, span, out) && bring(ev, out);
    enum scalar_op op = nargs >= 1 && nargs <= 3 ? scalar_find(FORM_CALL, text, nargs) : OP_COUNT;
    if (op != OP_COUNT) {
        struct value copy[3];
        memcpy(copy, args, nargs * sizeof *args);
        return apply_op(ev, op, nargs, copy, span, out);
    }
    for (unsigned k = 1; k <= 3; k++)
        if (scalar_find(FORM_CALL, text, k) != OP_COUNT && !takes(text, nargs, args)) {
            diag_error(ev->diags, span, ERR_ARG_COUNT, text,
                       arena_printf(ev->arena, "%u argument%s", k, k == 1 ? "" : "s"), nargs);
            return false;
        }
    return own_builtin(ev, text, nargs, args, span, out);
}
