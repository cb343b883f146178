/* What the prompt is asked about expressions and names: types, shapes, sources, help. */
#include "session/ask.h"
#include "session/builtins.h"

#include "lang/check/check.h"
#include "lang/print/print.h"

#include <string.h>

/* --- expressions ----------------------------------------------------------------------------- */

static bool is_question(const struct ast *file) {
    return file->nkids == 1 && !ast_is_definition(file->kids[0]) &&
           file->kids[0]->kind != AST_USE && file->kids[0]->kind != AST_COMPILE;
}

void question_begin(struct dcl_session *s, const struct ast *e) {
    unit_begin(s, name_of_text(s->names, "expression"), e->span, true);
    s->unit.ev->called = NULL; /* nothing is watched */
    s->unit.asked = true;
}

bool question_ask(struct dcl_session *s, struct question *q) {
    undo_begin(s);
    struct text *t = text_read(s, s->module, "<question>", q->text, strlen(q->text));
    bool ok = t != NULL;
    if (t && !is_question(t->file)) {
        diag_error(&s->diags, (struct span){0}, ERR_USAGE, "this wants one expression");
        ok = false;
    }
    if (ok) {
        undo_variables(s, t->file);
        question_begin(s, t->file->kids[0]);
        ok = q->answer(s, q, t->file->kids[0]);
        unit_end(s);
    }
    if (t)
        text_release(s, t);
    undo_end(s, true);
    return ok;
}

void pending_of(struct dcl_session *s, const struct value *v, struct pending *out) {
    switch (v->kind) {
    case VAL_LIST:
        for (uint32_t i = 0; i < v->list->n; i++)
            pending_of(s, &v->list->at[i], out);
        break;
    case VAL_TENSOR:
        if (!v->tensor->data)
            VEC_PUSH(s->unit.arena, out->at, *v);
        break;
    case VAL_SCALAR: VEC_PUSH(s->unit.arena, out->at, *v); break;
    default: break;
    }
}

const struct ast *value_definition(const struct value *v) {
    switch (v->kind) {
    case VAL_FN: return v->fn->def;
    case VAL_LAYER: return v->layer->def;
    case VAL_INSTANCE: return v->instance->layer->def;
    default: return NULL;
    }
}

static bool evaluate(struct dcl_session *s, const struct ast *e, struct value *v) {
    return eval_statement(s->unit.ev, s->script, e, v);
}

static bool reply(struct dcl_session *s, struct question *q, struct buf *text) {
    buf_text(text, "\n");
    q->reply = arena_strndup(s->messages, text->at, text->n);
    return true;
}

/* --- types ----------------------------------------------------------------------------------- */

enum { ELEMENTS = 4 }; /* of a list that are told one by one */

static void type_of(struct dcl_session *s, const struct value *v, struct buf *out);

/* A size that only the run finds is `?`. */
static void put_dims(const struct tensor *t, struct buf *out) {
    buf_text(out, "[");
    for (uint32_t d = 0; d < t->rank; d++) {
        buf_text(out, d ? ", " : "");
        if (t->dims[d].kind == VAL_INT)
            buf_printf(out, "%lld", (long long)t->dims[d].i);
        else
            buf_text(out, "?");
    }
    buf_text(out, "]");
}

static void type_of_list(struct dcl_session *s, const struct value *v, struct buf *out) {
    uint32_t n = v->list->n, shown = n > 2 * ELEMENTS ? ELEMENTS : n;
    buf_text(out, v->tuple ? "(" : "[");
    for (uint32_t i = 0; i < shown; i++) {
        buf_text(out, i ? ", " : "");
        type_of(s, &v->list->at[i], out);
    }
    buf_text(out, shown < n ? ", .." : "");
    buf_text(out, v->tuple ? ")" : "]");
    if (shown < n)
        buf_printf(out, " of %u", n);
}

/* `Linear, fn forward(x: ..)`: an instance by its layer and how it is called. */
static void type_of_instance(struct dcl_session *s, const struct instance *x, struct buf *out) {
    struct binding *b = env_find(x->env, name_of_text(s->names, "forward"), NULL);
    buf_text(out, name_text(s->names, x->layer->def->name));
    if (b && b->value.kind == VAL_FN) {
        buf_text(out, ", ");
        print_heading(s->names, b->value.fn->def, out);
    }
}

static void type_of(struct dcl_session *s, const struct value *v, struct buf *out) {
    switch (v->kind) {
    case VAL_INT:
    case VAL_SYM: buf_text(out, "int"); break;
    case VAL_FLOAT: buf_text(out, "float"); break;
    case VAL_BOOL: buf_text(out, "bool"); break;
    case VAL_STR: buf_text(out, "str"); break;
    case VAL_DTYPE: buf_text(out, "dtype"); break;
    case VAL_LIST:
    case VAL_PACK: type_of_list(s, v, out); break;
    case VAL_FN: print_heading(s->names, v->fn->def, out); break;
    case VAL_LAYER: print_heading(s->names, v->layer->def, out); break;
    case VAL_INSTANCE: type_of_instance(s, v->instance, out); break;
    case VAL_TENSOR:
        buf_text(out, dtypes[v->dtype].name);
        if (v->tensor->rank)
            put_dims(v->tensor, out);
        break;
    default: value_print(s->unit.ev, v, out); break;
    }
}

/* The value of E, which must have one: WHAT is asked of it. */
static bool value_of(struct dcl_session *s, const struct ast *e, const char *what,
                     struct value *v) {
    if (!evaluate(s, e, v))
        return false;
    if (v->kind != VAL_NONE)
        return true;
    struct diag *d = diag_error(&s->diags, e->span, ERR_VALUE,
                                arena_printf(s->messages, "this has no %s", what));
    diag_help(&s->diags, d,
              "an expression has one, a statement or a call that gives nothing has not");
    return false;
}

static bool answer_type(struct dcl_session *s, struct question *q, const struct ast *e) {
    struct value v;
    struct buf text = buf_new(s->messages);
    if (!value_of(s, e, "type", &v))
        return false;
    type_of(s, &v, &text);
    return reply(s, q, &text);
}

static void shape_of(struct dcl_session *s, const struct value *v, struct buf *out);

static void shape_of_instance(struct dcl_session *s, const struct instance *x, struct buf *out) {
    struct named_states states;
    states_list(s, s->unit.arena, x, &states);
    for (uint32_t i = 0; i < states.at.n; i++) {
        const struct state *st = states.at.at[i].state;
        buf_printf(out, "%s%s: [", i ? "\n" : "", states.at.at[i].name);
        for (uint32_t d = 0; d < st->rank; d++)
            buf_printf(out, "%s%lld", d ? ", " : "", (long long)st->dims[d]);
        buf_text(out, "]");
    }
    if (!states.at.n)
        buf_text(out, "no states");
}

/* Of what has none, as functions: "none". */
static void shape_of(struct dcl_session *s, const struct value *v, struct buf *out) {
    if (v->kind == VAL_INSTANCE) {
        shape_of_instance(s, v->instance, out);
    } else if (v->kind == VAL_TENSOR) {
        put_dims(v->tensor, out);
    } else if (v->kind == VAL_LIST) {
        for (uint32_t i = 0; i < v->list->n; i++) {
            buf_text(out, i ? "\n" : "");
            shape_of(s, &v->list->at[i], out);
        }
    } else {
        buf_text(out, value_is_scalar(v) ? "[]" : "none");
    }
}

static bool answer_shape(struct dcl_session *s, struct question *q, const struct ast *e) {
    struct value v;
    struct buf text = buf_new(s->messages);
    if (!value_of(s, e, "dimensions", &v))
        return false;
    shape_of(s, &v, &text);
    return reply(s, q, &text);
}

/* --- definitions ----------------------------------------------------------------------------- */

static void print_lines(struct buf *out, const char *text, const char *before) {
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        buf_printf(out, "%.*s%.*s\n", (int)(n ? strlen(before) : strcspn(before, " ")), before,
                   (int)n, text);
        text += n + (text[n] == '\n');
    }
}

static void print_place(struct dcl_session *s, const struct ast *def, struct buf *out) {
    const struct source *source = sources_get(s->sources, def->span.source);
    uint32_t line, column;
    if (!source)
        return;
    source_position(source, def->span.start, &line, &column);
    buf_printf(out, "%s:%u", source->path, line);
}

static bool answer_source(struct dcl_session *s, struct question *q, const struct ast *e) {
    struct value v;
    struct buf text = buf_new(s->messages);
    if (!evaluate(s, e, &v))
        return false;
    const struct ast *def = value_definition(&v);
    const struct source *source = def ? sources_get(s->sources, def->span.source) : NULL;
    if (!source) {
        struct diag *d = diag_error(&s->diags, e->span, ERR_VALUE, "this has no source");
        if (v.kind == VAL_BUILTIN)
            diag_help(&s->diags, d, "it is built in; :help %s tells what it does",
                      name_text(s->names, v.str));
        else
            diag_help(&s->diags, d, "functions, layers and instances of layers have one");
        return false;
    }
    buf_text(&text, "# ");
    print_place(s, def, &text);
    buf_text(&text, "\n");
    print_lines(&text, def->doc, "## ");
    buf_bytes(&text, source->text + def->span.start, def->span.end - def->span.start);
    return reply(s, q, &text);
}

static void help_definition(struct dcl_session *s, const struct ast *def, struct buf *out) {
    print_heading(s->names, def, out);
    buf_text(out, "\n");
    print_lines(out, def->doc, "  ");
    const struct ast *body = def->kind == AST_LAYER ? def->kids[2] : NULL;
    for (uint32_t i = 0; body && i < body->nkids; i++)
        if (body->kids[i]->kind == AST_FN) {
            buf_text(out, "  ");
            print_heading(s->names, body->kids[i], out);
            buf_text(out, "\n");
        }
    buf_text(out, "  ");
    print_place(s, def, out);
}

static bool answer_help(struct dcl_session *s, struct question *q, const struct ast *e) {
    struct value v;
    struct buf text = buf_new(s->messages);
    if (!value_of(s, e, "help", &v))
        return false;
    const struct ast *def = value_definition(&v);
    if (!def || v.kind == VAL_INSTANCE) {
        buf_printf(&text, "%s: ", q->text);
        type_of(s, &v, &text);
    }
    if (def) {
        buf_text(&text, text.n ? "\n" : "");
        help_definition(s, def, &text);
    }
    return reply(s, q, &text);
}

/* Functions that are not written in the language have their help in tables. NULL: it is none. */
static const char *table_help(struct dcl_session *s, const char *name) {
    const char *usage, *doc;
    if (builtin_doc(name, &usage, &doc) || eval_builtin_doc(name, &usage, &doc))
        return arena_printf(s->messages, "%s\n  %s\n", usage, doc);
    for (unsigned op = 0; op < OP_COUNT; op++)
        if (scalars[op].form == FORM_CALL && strcmp(scalars[op].spelling, name) == 0) {
            static const char *const operands[] = {"", "x", "x, y", "condition, x, y"};
            return arena_printf(s->messages, "%s(%s)\n  %s\n", name, operands[scalars[op].arity],
                                scalars[op].doc);
        }
    return NULL;
}

/* --- words of the language -------------------------------------------------------------------- */

static const struct {
    const char *word, *form, *doc;
} topics[] = {
#define TOPIC(word, form, doc) {word, form, doc},
#include "session/language.def"
#undef TOPIC
};

enum { COLUMNS = 78 };

/* TEXT in lines that begin with two blanks. */
static void put_wrapped(struct buf *out, const char *text) {
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        bool first = column == 0, fits = column + 1 + n <= COLUMNS;
        buf_text(out, first ? "  " : fits ? " " : "\n  ");
        column = (first || !fits ? 2 : column + 1) + n;
        buf_bytes(out, text, n);
        text += n + (text[n] == ' ');
    }
    buf_text(out, "\n");
}

static const char *topic_help(struct dcl_session *s, const char *word) {
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (strcmp(topics[i].word, word) != 0)
            continue;
        struct buf text = buf_new(s->messages);
        buf_printf(&text, "%s\n", *topics[i].form ? topics[i].form : word);
        put_wrapped(&text, topics[i].doc);
        return text.at;
    }
    return NULL;
}

/* `grad F`. */
static bool gradient_help(struct dcl_session *s, struct question *q, const char *f) {
    struct name function = name_of_text(s->names, f);
    const struct ast *def =
        module_find(s->module, ast_grad_name(s->messages, s->names, function), NULL);
    struct buf out = buf_new(s->messages);
    if (def) {
        help_definition(s, def, &out);
    } else if (module_find(s->module, function, NULL)) {
        buf_printf(&out, "%s has no gradient of its own: it is derived", f);
    } else {
        diag_error(&s->diags, (struct span){0}, ERR_UNKNOWN_NAME, f);
        return false;
    }
    return reply(s, q, &out);
}

/* --- the face -------------------------------------------------------------------------------- */

static bool run_question(struct dcl_session *s, void *data) {
    return question_ask(s, data);
}

static const char *ask(struct dcl_session *s, struct question *q, const char *text) {
    q->text = text;
    return session_guard(s, run_question, q) == 0 ? q->reply : NULL;
}

const char *session_type(dcl_session *s, const char *expression) {
    struct question q = {.answer = answer_type};
    return ask(s, &q, expression);
}

const char *session_shape(dcl_session *s, const char *expression) {
    struct question q = {.answer = answer_shape};
    return ask(s, &q, expression);
}

const char *session_source(dcl_session *s, const char *name) {
    struct question q = {.answer = answer_source};
    return ask(s, &q, name);
}

static bool run_help(struct dcl_session *s, void *data) {
    struct question *q = data;
    struct name n = name_of_text(s->names, q->text);
    bool known = module_find(s->module, n, NULL) || env_find(s->script, n, NULL);
    const char *topic = topic_help(s, q->text);
    if (strncmp(q->text, "grad ", 5) == 0)
        return gradient_help(s, q, q->text + 5 + strspn(q->text + 5, " "));
    q->reply = known ? NULL : table_help(s, q->text);
    if (!known && !q->reply)
        q->reply = topic;
    if (q->reply)
        return true;
    if (!question_ask(s, q))
        return false;
    if (topic) /* a word in its place, and a name elsewhere */
        q->reply = arena_printf(s->messages, "%s%s", q->reply, topic);
    return true;
}

const char *session_help(dcl_session *s, const char *name) {
    struct question q = {.text = name, .answer = answer_help};
    return session_guard(s, run_help, &q) == 0 ? q.reply : NULL;
}

/* --- names, for completion ------------------------------------------------------------------- */

struct telling {
    struct dcl_session *s;
    const char *path, *prefix;
    void (*f)(void *data, const char *name);
    void *data;
};

static void tell(void *data, const char *name) {
    struct telling *t = data;
    if (strncmp(name, t->prefix, strlen(t->prefix)) == 0)
        t->f(t->data, name);
}

static void tell_definition(void *data, struct name n, struct ast *def) {
    struct telling *t = data;
    (void)def;
    tell(t, name_text(t->s->names, n));
}

static bool tell_names(struct dcl_session *s, void *data) {
    struct telling *t = data;
    for (uint32_t i = 0; i < s->script->bindings.n; i++)
        tell(t, name_text(s->names, s->script->bindings.at[i].name));
    module_each(s->module, tell_definition, t);
    builtin_each(tell, t);
    eval_each_builtin(tell, t);
    for (int k = 0; k < DT_COUNT; k++)
        tell(t, dtypes[k].name);
    return true;
}

void session_names(dcl_session *s, const char *prefix, void (*f)(void *data, const char *name),
                   void *data) {
    struct telling t = {.s = s, .prefix = prefix, .f = f, .data = data};
    session_guard(s, tell_names, &t);
}

const struct value *value_at(struct dcl_session *s, const char *path) {
    size_t n = strcspn(path, ".[");
    const char *first = arena_strndup(s->messages, path, n);
    struct binding *b = env_find(s->script, name_of_text(s->names, first), NULL);
    const struct value *v = b ? &b->value : NULL;
    for (path += n; v && *path; path += n) {
        if (*path == '[') {
            uint64_t k = 0;
            for (n = 1; path[n] >= '0' && path[n] <= '9' && k < EVAL_MAX_LIST; n++)
                k = 10 * k + (uint64_t)(path[n] - '0');
            bool fits = n > 1 && path[n] == ']' && v->kind == VAL_LIST && k < v->list->n;
            v = fits ? &v->list->at[k] : NULL;
            n++;
        } else {
            n = 1 + strcspn(path + 1, ".[");
            const char *name = arena_strndup(s->messages, path + 1, n - 1);
            b = v->kind == VAL_INSTANCE
                    ? env_find(v->instance->env, name_of_text(s->names, name), NULL)
                    : NULL;
            v = b ? &b->value : NULL;
        }
    }
    return v;
}

static bool tell_members(struct dcl_session *s, void *data) {
    static const char *const of_tensors[] = {"shape", "rank", "dtype", "T"};
    struct telling *t = data;
    const struct value *v = value_at(s, t->path);
    if (!v)
        return true;
    if (v->kind == VAL_INSTANCE)
        for (uint32_t i = 0; i < v->instance->env->bindings.n; i++)
            tell(t, name_text(s->names, v->instance->env->bindings.at[i].name));
    if (v->kind == VAL_LIST)
        for (uint32_t i = 0; i < v->list->n; i++)
            tell(t, arena_printf(s->messages, "[%u]", i));
    if (v->kind == VAL_TENSOR || v->kind == VAL_STATE)
        for (size_t i = 0; i < sizeof of_tensors / sizeof *of_tensors; i++)
            tell(t, of_tensors[i]);
    return true;
}

void session_members(dcl_session *s, const char *path, const char *prefix,
                     void (*f)(void *data, const char *name), void *data) {
    struct telling t = {.s = s, .path = path, .prefix = prefix, .f = f, .data = data};
    session_guard(s, tell_members, &t);
}
