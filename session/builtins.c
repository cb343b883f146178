/* The functions of scripts: builtin.def. They act where a statement stands at the top of a script,
   and make their arguments concrete first; in functions, whose body is compiled, only those have a
   meaning that need no data. */
#include "session/builtins.h"

#include "lang/base/clock.h"

#include <string.h>

struct call {
    uint32_t nargs;
    const struct value *args;
    const struct name *keywords;
    struct span span;
};

typedef bool builtin(struct dcl_session *s, const struct call *c, struct value *out);

static builtin call_print, call_load, call_save, call_len, call_assert, call_seed, call_time,
    call_show_image, call_plot, call_text;

static const struct {
    const char *name, *usage, *doc;
    bool writes;
    builtin *call;
} builtins[] = {
#define BUILTIN(name, writes, usage, doc) {#name, usage, doc, writes, call_##name},
#include "session/builtin.def"
#undef BUILTIN
};
enum { BUILTINS = sizeof builtins / sizeof builtins[0] };

static int find(const struct dcl_session *s, struct name n) {
    const char *text = name_text(s->names, n);
    for (int i = 0; i < BUILTINS; i++)
        if (strcmp(builtins[i].name, text) == 0)
            return i;
    return -1;
}

bool builtin_has(void *session, struct name n) {
    struct dcl_session *s = session;
    return find(s, n) >= 0 || states_is_initializer(s, n);
}

bool builtin_call(void *session, struct name n, uint32_t nargs, const struct value *args,
                  const struct name *keywords, struct span span, struct value *out) {
    struct dcl_session *s = session;
    struct call c = {nargs, args, keywords, span};
    int i = find(s, n);
    s->unit.recall = NULL; /* it acts */
    *out = value_none();
    if (i < 0)
        return states_initializer(s, n, nargs, args, span, out);
    if (builtins[i].writes && s->unit.asked) {
        struct diag *d = diag_error(
            &s->diags, span, ERR_NOT_HERE,
            arena_printf(s->messages, "%s writes, which is not done to answer a question",
                         builtins[i].name));
        diag_help(&s->diags, d, "ask about what it is given");
        return false;
    }
    return builtins[i].call(s, &c, out);
}

bool builtin_doc(const char *name, const char **usage, const char **doc) {
    for (int i = 0; i < BUILTINS; i++)
        if (strcmp(builtins[i].name, name) == 0) {
            *usage = builtins[i].usage;
            *doc = builtins[i].doc;
            return true;
        }
    return false;
}

void builtin_each(void (*f)(void *data, const char *name), void *data) {
    for (int i = 0; i < BUILTINS; i++)
        f(data, builtins[i].name);
}

/* --- arguments ------------------------------------------------------------------------------ */

static bool usage(struct dcl_session *s, const struct call *c, const char *name) {
    const char *how = "", *doc;
    builtin_doc(name, &how, &doc);
    struct diag *d = diag_error(&s->diags, c->span, ERR_VALUE,
                                arena_printf(s->messages, "%s takes other arguments", name));
    diag_help(&s->diags, d, "it is called so: %s", how);
    return false;
}

/* Whether a statement calls: what acts, or looks at data, cannot stand in a function. */
static bool in_script(struct dcl_session *s, const struct call *c, const char *name) {
    if (s->unit.script && !s->unit.mapped && s->unit.ev->depth == 0)
        return true;
    diag_error(&s->diags, c->span, ERR_NOT_HERE,
               arena_printf(s->messages, "%s belongs to scripts: it cannot stand in a %s", name,
                            s->unit.ev->depth ? "function" : "map"));
    return false;
}

/* The arguments made concrete, as one list. */
static bool concrete(struct dcl_session *s, const struct call *c, struct value *list) {
    *list = value_list_new(s->unit.arena, VAL_LIST, c->nargs);
    for (uint32_t i = 0; i < c->nargs; i++)
        list->list->at[i] = c->args[i];
    return store_keep(s, list, c->span);
}

static bool has_keywords(const struct call *c) {
    for (uint32_t i = 0; i < c->nargs; i++)
        if (c->keywords && !name_none(c->keywords[i]))
            return true;
    return false;
}

/* --- the functions -------------------------------------------------------------------------- */

static bool call_print(struct dcl_session *s, const struct call *c, struct value *out) {
    (void)out;
    struct value list;
    if (has_keywords(c))
        return usage(s, c, "print");
    if (!in_script(s, c, "print") || !concrete(s, c, &list))
        return false;
    struct buf text = buf_new(s->unit.arena);
    for (uint32_t i = 0; i < c->nargs; i++) {
        if (i)
            buf_text(&text, " ");
        print_value(s, &list.list->at[i], &text);
    }
    buf_text(&text, "\n");
    session_write(s, text.at, text.n);
    return true;
}

/* [(from, to), ..] of strings. */
static bool is_pairs(const struct value *v) {
    bool fits = v->kind == VAL_LIST;
    for (uint32_t i = 0; fits && i < v->list->n; i++) {
        const struct value *x = &v->list->at[i];
        fits = x->kind == VAL_LIST && x->list->n == 2 && x->list->at[0].kind == VAL_STR &&
               x->list->at[1].kind == VAL_STR;
    }
    return fits;
}

/* Whether V is known: a whole number, or with ANY also another one, a truth value, a list of all
   these. */
static bool is_known(const struct value *v, bool any) {
    bool fits = v->kind == VAL_INT || (any && (v->kind == VAL_FLOAT || v->kind == VAL_BOOL));
    bool list = any && (v->kind == VAL_LIST || v->kind == VAL_PACK);
    for (uint32_t i = 0; list && i < v->list->n; i++)
        list = is_known(&v->list->at[i], true);
    return fits || list;
}

static bool is_settings(const struct value *v, bool any) {
    bool fits = v->kind == VAL_LIST;
    for (uint32_t i = 0; fits && i < v->list->n; i++) {
        const struct value *x = &v->list->at[i];
        fits = x->kind == VAL_LIST && x->list->n == 2 && x->list->at[0].kind == VAL_STR &&
               is_known(&x->list->at[1], any);
    }
    return fits;
}

static bool is_strings(const struct value *v) {
    bool fits = v->kind == VAL_LIST;
    for (uint32_t i = 0; fits && i < v->list->n; i++)
        fits = v->list->at[i].kind == VAL_STR;
    return fits;
}

static bool call_load(struct dcl_session *s, const struct call *c, struct value *out) {
    struct load_words words = {0};
    const struct value *dims = NULL, *set = NULL;
    uint32_t positional = 0;
    bool fits = true;
    for (uint32_t i = 0; i < c->nargs; i++) {
        const struct value *v = &c->args[i];
        if (!c->keywords || name_none(c->keywords[i])) {
            positional++;
            continue;
        }
        const char *word = name_text(s->names, c->keywords[i]);
        fits = fits && i >= positional;
        if (strcmp(word, "name") == 0 && v->kind == VAL_STR)
            words.name = v;
        else if (strcmp(word, "rename") == 0 && is_pairs(v))
            words.rename = v;
        else if (strcmp(word, "skip") == 0 && is_strings(v))
            words.skip = v;
        else if (strcmp(word, "dtype") == 0 && v->kind == VAL_DTYPE)
            words.dtype = v;
        else if (strcmp(word, "raw") == 0 && v->kind == VAL_DTYPE && v->dtype != DT_bool)
            words.raw = v;
        else if (strcmp(word, "dims") == 0 && is_settings(v, false))
            dims = v;
        else if (strcmp(word, "set") == 0 && is_settings(v, true))
            set = v;
        else
            fits = false;
    }
    bool model = c->nargs && c->args[0].kind == VAL_STR && positional == 1 &&
                 model_is_path(name_text(s->names, c->args[0].str));
    fits = fits && (model || (!dims && !set));
    if (fits && model && !words.name && !words.rename && !words.skip && !words.dtype && !words.raw)
        return in_script(s, c, "load") &&
               builtin_load_model(s, c->args[0].str, dims, set, c->span, out);
    fits = fits && (!model || words.raw) && !(words.raw && (words.name || words.dtype));
    if (fits && positional == 1 && c->args[0].kind == VAL_STR && !words.rename && !words.skip)
        return in_script(s, c, "load") &&
               builtin_load_tensor(s, c->args[0].str, &words, c->span, out);
    if (fits && positional == 2 && c->args[0].kind == VAL_INSTANCE && c->args[1].kind == VAL_STR &&
        !words.name && !words.dtype && !words.raw)
        return in_script(s, c, "load") &&
               builtin_load_states(s, c->args[0].instance, c->args[1].str, &words, c->span);
    return usage(s, c, "load");
}

/* The whole number that V is, perhaps as a tensor without dimensions. */
static bool whole_number(const struct value *v, int64_t *out) {
    bool tensor = v->kind == VAL_TENSOR && v->tensor->rank == 0 && dtype_is_int(v->dtype);
    if (v->kind == VAL_INT)
        *out = v->i;
    else if (tensor)
        *out = scalar_to_i64(v->dtype, scalar_load(v->dtype, tensor_data(v->tensor)->bytes));
    return v->kind == VAL_INT || tensor;
}

static bool call_save(struct dcl_session *s, const struct call *c, struct value *out) {
    (void)out;
    struct value list;
    int64_t rate;
    bool rated = c->nargs == 3 && c->keywords && name_none(c->keywords[0]) &&
                 name_none(c->keywords[1]) && !name_none(c->keywords[2]) &&
                 strcmp(name_text(s->names, c->keywords[2]), "rate") == 0;
    if ((c->nargs != 2 && !rated) || (!rated && has_keywords(c)) ||
        (c->args[0].kind == VAL_STR) == (c->args[1].kind == VAL_STR))
        return usage(s, c, "save");
    if (!in_script(s, c, "save") || !concrete(s, c, &list))
        return false;
    const struct value *at = list.list->at;
    int first = at[0].kind == VAL_STR ? 0 : 1;
    if (rated && (!whole_number(&at[2], &rate) || at[1 - first].kind != VAL_TENSOR))
        return usage(s, c, "save");
    struct value ordered[2] = {at[first], at[1 - first]};
    return builtin_save(s, ordered, rated ? &rate : NULL, c->span);
}

static bool call_len(struct dcl_session *s, const struct call *c, struct value *out) {
    if (c->nargs != 1 || has_keywords(c))
        return usage(s, c, "len");
    const struct value *v = &c->args[0];
    switch (v->kind) {
    case VAL_LIST:
    case VAL_PACK: *out = value_int(v->list->n); return true;
    case VAL_STR: *out = value_int((int64_t)strlen(name_text(s->names, v->str))); return true;
    case VAL_TENSOR:
        if (v->tensor->rank) {
            *out = v->tensor->dims[0];
            return true;
        }
        break;
    default: break;
    }
    diag_error(&s->diags, c->span, ERR_ARG_KIND, "len", "the argument",
               "a list, string or tensor with dimensions", value_kind_name(v));
    return false;
}

static bool call_assert(struct dcl_session *s, const struct call *c, struct value *out) {
    (void)out;
    if (c->nargs < 1 || c->nargs > 2 || has_keywords(c) ||
        (c->nargs == 2 && c->args[1].kind != VAL_STR))
        return usage(s, c, "assert");
    struct value v = c->args[0];
    struct diag *failed;
    const char *text = c->nargs == 2 ? name_text(s->names, c->args[1].str) : NULL;
    if (v.kind != VAL_BOOL && (!in_script(s, c, "assert") || !store_keep(s, &v, c->span)))
        return false;
    if (assert_holds(s, &v, text, c->span, &failed))
        return true;
    if (failed)
        assert_note_elements(s, failed, &v);
    return false;
}

static bool call_seed(struct dcl_session *s, const struct call *c, struct value *out) {
    (void)out;
    if (c->nargs != 1 || has_keywords(c) || c->args[0].kind != VAL_INT)
        return usage(s, c, "seed");
    if (!in_script(s, c, "seed"))
        return false;
    s->seed = (uint64_t)c->args[0].i;
    return true;
}

static bool call_time(struct dcl_session *s, const struct call *c, struct value *out) {
    if (c->nargs)
        return usage(s, c, "time");
    if (!in_script(s, c, "time"))
        return false;
    *out = value_float(clock_seconds());
    return true;
}

static bool call_text(struct dcl_session *s, const struct call *c, struct value *out) {
    struct value list;
    if (c->nargs != 1 || has_keywords(c))
        return usage(s, c, "text");
    if (!in_script(s, c, "text") || !concrete(s, c, &list))
        return false;
    const struct value *x = &list.list->at[0];
    if (x->kind != VAL_TENSOR || x->dtype != DT_u8 || x->tensor->rank != 1) {
        diag_error(&s->diags, c->span, ERR_ARG_KIND, "text", "the argument", "a u8 tensor of bytes",
                   value_kind_name(x));
        return false;
    }
    const struct data *d = tensor_data(x->tensor);
    const char *end = memchr(d->bytes, 0, d->size);
    size_t n = end ? (size_t)(end - (const char *)d->bytes) : d->size;
    *out = value_str(name_of(s->names, d->bytes, n));
    return true;
}

/* Takes a file's name from the end of N arguments, if one stands there. */
static struct name take_path(struct value *v, uint32_t *n) {
    bool has = *n > 0 && v[*n - 1].kind == VAL_STR;
    return has ? v[--*n].str : (struct name){0};
}

static bool call_show_image(struct dcl_session *s, const struct call *c, struct value *out) {
    (void)out;
    struct value list;
    if (!c->nargs || has_keywords(c))
        return usage(s, c, "show_image");
    if (!in_script(s, c, "show_image") || !concrete(s, c, &list))
        return false;
    uint32_t n = c->nargs;
    struct name path = take_path(list.list->at, &n);
    return n == 1 ? builtin_show_image(s, list.list->at, path, c->span) : usage(s, c, "show_image");
}

static bool call_plot(struct dcl_session *s, const struct call *c, struct value *out) {
    (void)out;
    struct value list;
    if (!c->nargs || has_keywords(c))
        return usage(s, c, "plot");
    if (!in_script(s, c, "plot") || !concrete(s, c, &list))
        return false;
    uint32_t n = c->nargs;
    struct name path = take_path(list.list->at, &n);
    bool fits = n == 1 || n == 2;
    return fits ? builtin_plot(s, n, list.list->at, path, c->span) : usage(s, c, "plot");
}
