/* The function that --entry names: its signature, its definition, memory for its calls. */
#include "repl/entry.h"

#include "lang/files/files.h"
#include "lang/scalar/scalar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool entry_signature(const struct command_line *c, struct buf *b) {
    const char *entry = option_value(c, OPTION_entry), *name, *value, *before = "(";
    buf_text(b, entry);
    for (int i = 0; i < c->values[OPTION_shape].n; i++, before = ", ") {
        if (!split_pair(c, "--shape", c->values[OPTION_shape].at[i], &name, &value))
            return false;
        if (!*value || strchr("0123456789[(-", *value)) {
            fprintf(stderr, "dcl: --shape wants NAME=TYPE, as in x=f32[64,N], not '%s=%s'\n", name,
                    value);
            return false;
        }
        buf_printf(b, "%s%s: %s", before, name, value);
    }
    for (int i = 0; i < c->values[OPTION_set].n; i++, before = ", ") {
        if (!split_pair(c, "--set", c->values[OPTION_set].at[i], &name, &value))
            return false;
        buf_printf(b, "%s%s = %s", before, name, value);
    }
    if (*before == ',')
        buf_text(b, ")");
    return true;
}

bool entry_wants(const struct command_line *c, struct session_wants *w) {
    static const enum option given[] = {OPTION_input, OPTION_set, OPTION_shape};
    const char *value;
    int all = c->values[OPTION_output].n, n = 0;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        all += c->values[given[i]].n;
    struct session_name *names = ARENA_ARRAY(c->arena, struct session_name, all + 1);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        for (int k = 0; k < c->values[given[i]].n; k++, n++) {
            names[n].option = arena_printf(c->arena, "%s", option_spelling(given[i]).text);
            if (!split_pair(c, names[n].option, c->values[given[i]].at[k], &names[n].name, &value))
                return false;
        }
    *w = (struct session_wants){
        .entry = option_value(c, OPTION_entry), .n = n, .given = names, .results = names + n};
    for (int k = 0; k < c->values[OPTION_output].n; k++, n++) {
        names[n].option = "--output";
        if (!split_pair(c, "--output", c->values[OPTION_output].at[k], &names[n].name, &value))
            return false;
        w->nresults++;
    }
    return true;
}

/* What the script prints is not what was asked for. */
static void write_aside(void *data, const char *text, size_t n) {
    (void)data;
    fwrite(text, 1, n, stderr);
}

int entry_run(const struct command_line *c, entry_body *body) {
    struct buf signature = buf_new(c->arena);
    if (!entry_signature(c, &signature))
        return EXIT_USAGE;
    dcl_session *s = open_session(c);
    if (!s)
        return EXIT_USAGE;
    interrupt_install(s, true);
    int status = body(c, s, signature.at);
    interrupt_install(NULL, false);
    dcl_close(s);
    return status;
}

bool entry_define(const struct command_line *c, dcl_session *s) {
    /* A function needs definitions only; anything else is made by the script. */
    struct session_wants w;
    if (!entry_wants(c, &w))
        return false;
    dcl_output(s, write_aside, NULL);
    session_want(s, &w);
    int failed = session_define(s, c->files.at[0]);
    session_want(s, NULL);
    if (!failed && !session_result_name(s, option_value(c, OPTION_entry), 0))
        failed = dcl_run_file(s, c->files.at[0]);
    return !failed;
}

dcl_function *entry_open(const struct command_line *c, dcl_session *s, const char *signature) {
    return entry_define(c, s) ? dcl_compile(s, signature) : NULL;
}

/* --- memory ---------------------------------------------------------------------------------- */

static int64_t elements(const dcl_tensor *t) {
    int64_t n = 1;
    for (int32_t d = 0; d < t->rank; d++)
        n *= t->shape[d];
    return n;
}

/* Zeros for T, called NAME in messages, aligned to a line of the cache; they go with A. False, and
   told, if there is no room. */
static bool make_room(struct arena *a, dcl_tensor *t, const char *name) {
    size_t bytes = dtypes[t->dtype].bytes;
    bool fits = true;
    for (int32_t d = 0; d < t->rank; d++)
        fits = fits && !__builtin_mul_overflow(bytes, (size_t)t->shape[d], &bytes);
    t->data = fits ? mem_aligned(bytes, 64) : NULL;
    if (!t->data) {
        fprintf(stderr, "dcl: not enough memory for %s\n", name);
        return false;
    }
    arena_on_free(a, mem_free, t->data);
    return true;
}

/* Numbers of both signs below 2, never 0. */
static void fill(dcl_tensor *t) {
    int64_t n = elements(t);
    for (int64_t i = 0; i < n; i++) {
        double v = (double)((i * 7919 + 77) % 400 - 200) / 100 + 0.005;
        if (t->dtype == DCL_F32)
            ((float *)t->data)[i] = (float)v;
        else if (t->dtype == DCL_F64)
            ((double *)t->data)[i] = v;
        else if (t->dtype == DCL_F16)
            ((uint16_t *)t->data)[i] = v < 0 ? 0xb800 : 0x3800; /* 0.5 */
        else if (t->dtype == DCL_BF16)
            ((uint16_t *)t->data)[i] = v < 0 ? 0xbf00 : 0x3f00;
    }
}

/* What --input gives for NAME; NULL if nothing, and WRONG after a message. */
static const char *given_value(const struct command_line *c, const char *name, bool *wrong) {
    for (int i = 0; i < c->values[OPTION_input].n; i++) {
        const char *word, *value;
        if (!split_pair(c, "--input", c->values[OPTION_input].at[i], &word, &value)) {
            *wrong = true;
            return NULL;
        }
        if (strcmp(word, name) == 0)
            return value;
    }
    return NULL;
}

static bool refuse_input(const char *name, const char *why) {
    fprintf(stderr, "dcl: --input %s: %s\n", name, why);
    return false;
}

static bool has_form(const dcl_tensor *t, const struct file_tensor *x) {
    bool same = (enum dtype)t->dtype == x->type && (uint32_t)t->rank == x->rank;
    for (int32_t d = 0; same && d < t->rank; d++)
        same = t->shape[d] == x->dims[d];
    return same;
}

/* The tensor of the file PATH as T's content, if it is of T's type and shape. */
static bool put_file(const struct command_line *c, dcl_tensor *t, const char *name,
                     const char *path) {
    struct arena *a = arena_under(c->arena);
    struct file_tensors all;
    struct diags d;
    diags_init(&d, a, sources_new(a));
    if (!files_read(a, &d, (struct span){0}, path, DT_NONE, NULL, &all))
        return refuse_input(name, d.first->text);
    const struct file_tensor *x = files_find(&all, "");
    if (!x && all.n == 1 && !all.at[0].shard)
        x = &all.at[0];
    if (!x)
        return refuse_input(name, "the file holds not just one tensor");
    if (!has_form(t, x))
        return refuse_input(name, "the tensor of the file has another type or shape");
    if (x->bytes)
        memcpy(t->data, x->data, x->bytes);
    arena_free(a);
    return true;
}

/* V in T, if its type holds it; enum dcl_dtype is enum dtype (session/calls.c). */
static bool put_number(dcl_tensor *t, const char *name, double v) {
    enum dtype type = (enum dtype)t->dtype;
    union scalar x = scalar_from_f64(type, v);
    if (dtype_is_int(type) && scalar_to_f64(type, x) != v) {
        fprintf(stderr, "dcl: --input %s: %s does not hold %.15g\n", name, dtypes[type].name, v);
        return false;
    }
    scalar_store(type, t->data, x);
    return true;
}

/* VALUE, a number or the name of a file, as T's content. */
static bool put_value(const struct command_line *c, dcl_tensor *t, const char *name,
                      const char *value) {
    char *end;
    double v = strtod(value, &end);
    bool number = end != value && !*end;
    if (t->rank == 0 && number)
        return put_number(t, name, v);
    if (t->rank == 0 && access(value, F_OK) != 0) {
        fprintf(stderr, "dcl: --input %s: a number is wanted, not '%s'\n", name, value);
        return false;
    }
    return put_file(c, t, name, value);
}

/* Whether PAIR of --input is for one of the arguments, which have been counted. */
static bool is_operand(const struct command_line *c, const struct operands *o, const char *pair) {
    const char *word, *value, *name, *have[OPERANDS];
    if (!split_pair(c, "--input", pair, &word, &value))
        return false;
    for (int k = 0; k < o->nargs; k++) {
        have[k] = dcl_argument(o->f, k, NULL);
        if (strcmp(have[k], word) == 0)
            return true;
    }
    name = session_nearest(word, have, o->nargs);
    fprintf(stderr, "dcl: --input %s: there is no such argument%s%s%s\n", word,
            name ? ": did you mean " : "", name ? name : "", name ? "?" : "");
    return false;
}

bool operands_make(const struct command_line *c, dcl_function *f, struct operands *o) {
    const char *name;
    bool wrong = false;
    *o = (struct operands){.f = f};
    for (; o->nargs < OPERANDS; o->nargs++) {
        dcl_tensor *t = &o->args[o->nargs];
        if (session_argument(f, o->nargs, &name, t, o->arg_shapes[o->nargs]))
            return false;
        if (!name)
            break;
        t->data = &o->numbers[o->nargs];
        if (t->rank && !make_room(c->arena, t, name))
            return false;
        fill(t);
        name = arena_strndup(c->arena, name, strlen(name));
        const char *value = given_value(c, name, &wrong);
        if (wrong || (value && !put_value(c, t, name, value)))
            return false;
    }
    for (int i = 0; i < c->values[OPTION_input].n; i++)
        if (!is_operand(c, o, c->values[OPTION_input].at[i]))
            return false;
    o->nresults = dcl_result_count(f);
    if (o->nresults > OPERANDS ||
        dcl_result_shapes(f, o->args, o->nargs, o->results, o->result_shapes))
        return false;
    for (int i = 0; i < o->nresults; i++) {
        o->results[i].shape = o->result_shapes[i];
        if (!make_room(c->arena, &o->results[i], "a result"))
            return false;
    }
    return true;
}

bool operands_call(struct operands *o) {
    return dcl_call(o->f, o->args, o->nargs, o->results, o->nresults) == 0;
}
