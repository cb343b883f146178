/* load and save: tensors and the states of layers, from and to files.
   A path is relative to the current folder; if a file is not there, to the folder of the script. */
#include "session/builtins.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { NOTES = 20 }; /* problems that are told one by one */

static const char *find_file(struct dcl_session *s, const char *path) {
    if (path[0] == '/' || !s->folder || access(path, F_OK) == 0)
        return path;
    const char *beside = arena_printf(s->unit.arena, "%s%s", s->folder, path);
    return access(beside, F_OK) == 0 ? beside : path;
}

static struct data_file *open_file(struct dcl_session *s, struct name path, enum dtype t, bool raw,
                                   struct span span) {
    return data_file_open(s, find_file(s, name_text(s->names, path)), t, raw, span);
}

/* --- one tensor ----------------------------------------------------------------------------- */

/* The tensor called NAMED, or what the file as a whole is: what has no name, or the only one. */
static struct file_tensor *choose(struct dcl_session *s, const struct file_tensors *all,
                                  struct name named, const char *path, struct span span) {
    struct file_tensor *t = files_find(all, name_none(named) ? "" : name_text(s->names, named));
    if (!t && name_none(named) && all->n == 1)
        t = &all->at[0];
    if (t)
        return files_ready(t) ? t : NULL;
    struct diag *d =
        name_none(named)
            ? diag_error(&s->diags, span, ERR_VALUE,
                         arena_printf(s->messages, "%s holds %u tensors: load(path, name = ..)",
                                      path, all->n))
            : diag_error(&s->diags, span, ERR_VALUE,
                         arena_printf(s->messages, "%s has no tensor %s", path,
                                      name_text(s->names, named)));
    struct buf names = buf_new(s->messages);
    for (uint32_t i = 0; i < all->n && i < NOTES; i++)
        buf_printf(&names, "%s%s", i ? ", " : "",
                   *all->at[i].name ? all->at[i].name : "one without a name");
    if (all->n)
        diag_note(&s->diags, d, (struct span){0}, "it holds %s%s", names.at,
                  all->n > NOTES ? ", .." : "");
    return NULL;
}

static bool load_tensor(struct dcl_session *s, struct data_file *f, const char *text,
                        struct name named, struct span span, struct value *out) {
    struct file_tensor *t = choose(s, data_file_tensors(f), named, text, span);
    if (!t)
        return false;
    if (t->rank > EVAL_MAX_RANK) {
        diag_error(&s->diags, span, ERR_VALUE,
                   arena_printf(s->messages, "%s has %u dimensions: at most %d are possible", text,
                                t->rank, EVAL_MAX_RANK));
        return false;
    }
    struct data *d = data_from_file(s, f, t, span);
    if (d)
        *out = value_tensor(data_tensor(s, t->type, t->rank, t->dims, d, (struct name){0}, span));
    return d;
}

bool builtin_load_tensor(struct dcl_session *s, struct name path, const struct load_words *words,
                         struct span span, struct value *out) {
    const struct value *type = words->raw ? words->raw : words->dtype;
    struct data_file *f =
        open_file(s, path, type ? type->dtype : DT_NONE, words->raw != NULL, span);
    if (!f)
        return false;
    struct name named = words->name ? words->name->str : (struct name){0};
    bool good = load_tensor(s, f, name_text(s->names, path), named, span, out);
    data_file_close(f);
    return good;
}

/* --- states --------------------------------------------------------------------------------- */

static const char *shape_text(struct dcl_session *s, enum dtype t, uint32_t rank,
                              const int64_t *dims) {
    struct buf b = buf_new(s->messages);
    buf_printf(&b, "%s[", dtypes[t].name);
    for (uint32_t d = 0; d < rank; d++)
        buf_printf(&b, "%s%lld", d ? ", " : "", (long long)dims[d]);
    buf_text(&b, "]");
    return b.at;
}

struct problems {
    uint32_t n;
    VEC(const char *) text;
};

static void problem(struct dcl_session *s, struct problems *p, const char *text) {
    if (p->n++ < NOTES)
        VEC_PUSH(s->messages, p->text, text);
}

static bool same_shape(const struct state *st, const struct file_tensor *t) {
    if (t->type != st->dtype || t->rank != st->rank)
        return false;
    for (uint32_t d = 0; d < st->rank; d++)
        if (t->dims[d] != st->dims[d])
            return false;
    return true;
}

/* What RENAME has instead of the parts between dots that begin AT; *N is their length. Of an empty
   AT it is what stands before all names. NULL: nothing. */
static const char *exchanged(struct dcl_session *s, const struct value *rename, const char *at,
                             size_t *n) {
    for (uint32_t i = 0; i < rename->list->n; i++) {
        const struct value *pair = rename->list->at[i].list->at;
        const char *from = name_text(s->names, pair[0].str);
        size_t length = strlen(from);
        if ((length == 0) == (*at == '\0') && strncmp(at, from, length) == 0 &&
            (at[length] == '.' || at[length] == '\0')) {
            *n = length;
            return name_text(s->names, pair[1].str);
        }
    }
    return NULL;
}

static void add_part(struct buf *b, const char *part, size_t n) {
    buf_text(b, b->n && n ? "." : "");
    buf_bytes(b, part, n);
}

/* The name of a state in the file: parts between dots, one or several, are exchanged as RENAME
   says. */
static const char *name_in_file(struct dcl_session *s, const char *name,
                                const struct value *rename) {
    if (!rename)
        return name;
    struct buf out = buf_new(s->unit.arena);
    size_t n = 0;
    const char *other = exchanged(s, rename, "", &n);
    if (other)
        add_part(&out, other, strlen(other));
    for (const char *p = name; *p; p += n + (p[n] == '.')) {
        n = strcspn(p, ".");
        other = exchanged(s, rename, p, &n);
        add_part(&out, other ? other : p, other ? strlen(other) : n);
    }
    return out.at;
}

/* Whether a part between dots of NAME is one of WORDS, a list of strings or NULL. */
static bool has_part(struct dcl_session *s, const char *name, const struct value *words) {
    for (const char *p = name, *end; words && *p; p = end + (*end == '.')) {
        end = p + strcspn(p, ".");
        for (uint32_t i = 0; i < words->list->n; i++) {
            const char *word = name_text(s->names, words->list->at[i].str);
            if (strlen(word) == (size_t)(end - p) && strncmp(p, word, (size_t)(end - p)) == 0)
                return true;
        }
    }
    return false;
}

/* What of ALL does not fit STATES; false if a file that holds some of it cannot be read. */
static bool compare(struct dcl_session *s, const struct named_states *states,
                    const struct file_tensors *all, const struct value *skip, struct problems *p) {
    struct map known = map_new(s->unit.arena);
    for (uint32_t i = 0; i < states->at.n; i++) {
        const struct named_state *x = &states->at.at[i];
        struct file_tensor *t = files_find(all, x->name);
        if (t && !files_ready(t))
            return false;
        map_put(&known, name_of_text(s->names, x->name).i, 1);
        if (!t)
            problem(s, p, arena_printf(s->messages, "%s is missing", x->name));
        else if (!same_shape(x->state, t))
            problem(s, p,
                    arena_printf(s->messages, "%s is %s, expected %s", x->name,
                                 shape_text(s, t->type, t->rank, t->dims),
                                 shape_text(s, x->state->dtype, x->state->rank, x->state->dims)));
    }
    for (uint32_t i = 0; i < all->n; i++)
        if ((all->at[i].bytes || all->at[i].shard) && !has_part(s, all->at[i].name, skip) &&
            !map_get(&known, name_of_text(s->names, all->at[i].name).i, NULL))
            problem(s, p, arena_printf(s->messages, "%s belongs to nothing here", all->at[i].name));
    return true;
}

bool states_load(struct dcl_session *s, struct data_file *f, const struct instance *x,
                 const char *path, const struct load_words *words, struct span span) {
    const struct file_tensors *all = data_file_tensors(f);
    struct named_states states;
    struct problems p = {0};
    states_list(s, s->unit.arena, x, &states);
    for (uint32_t i = 0; i < states.at.n; i++)
        states.at.at[i].name = name_in_file(s, states.at.at[i].name, words->rename);
    if (!compare(s, &states, all, words->skip, &p))
        return false;
    if (p.n) {
        struct diag *d = diag_error(&s->diags, span, ERR_VALUE,
                                    arena_printf(s->messages, "%s does not fit %s: %u difference%s",
                                                 path, name_text(s->names, x->layer->def->name),
                                                 p.n, p.n == 1 ? "" : "s"));
        for (uint32_t i = 0; i < p.text.n; i++)
            diag_note(&s->diags, d, (struct span){0}, "%s", p.text.at[i]);
        if (p.n > p.text.n)
            diag_note(&s->diags, d, (struct span){0}, "and %u more", p.n - p.text.n);
        return false;
    }
    for (uint32_t i = 0; i < states.at.n; i++) {
        struct state *st = states.at.at[i].state;
        struct data *d = data_from_file(s, f, files_find(all, states.at.at[i].name), span);
        if (!d || !(d = state_as_stored(s, st, d, span)))
            return false;
        undo_replace_state(s, st, d);
    }
    return true;
}

bool builtin_load_states(struct dcl_session *s, const struct instance *x, struct name path,
                         const struct load_words *words, struct span span) {
    struct data_file *f = open_file(s, path, DT_NONE, false, span);
    if (!f)
        return false;
    bool good = states_load(s, f, x, name_text(s->names, path), words, span);
    data_file_close(f);
    return good;
}

/* --- models --------------------------------------------------------------------------------- */

/* [(name, value), ..] as what is known of a model. */
static void add_known(struct dcl_session *s, const struct value *pairs, bool dimension,
                      struct session_known *known, int *n) {
    for (uint32_t i = 0; pairs && i < pairs->list->n; i++) {
        const struct value *pair = pairs->list->at[i].list->at;
        struct buf value = buf_new(s->unit.arena);
        print_value(s, &pair[1], &value);
        known[(*n)++] = (struct session_known){
            .name = name_text(s->names, pair[0].str), .value = value.at, .dimension = dimension};
    }
}

bool builtin_load_model(struct dcl_session *s, struct name path, const struct value *dims,
                        const struct value *set, struct span span, struct value *out) {
    uint32_t most = (dims ? dims->list->n : 0) + (set ? set->list->n : 0);
    struct session_known *known = ARENA_ARRAY(s->unit.arena, struct session_known, most + 1);
    int n = 0;
    add_known(s, dims, true, known, &n);
    add_known(s, set, false, known, &n);
    return model_load(s, find_file(s, name_text(s->names, path)), known, n, span, out);
}

/* --- saving --------------------------------------------------------------------------------- */

static struct file_tensor describe(const char *name, enum dtype t, uint32_t rank,
                                   const int64_t *dims, const struct data *d) {
    return (struct file_tensor){
        .name = name, .type = t, .rank = rank, .dims = dims, .data = d->bytes, .bytes = d->size};
}

/* ARGS: the path, what is saved; RATE, which belongs to sound, or NULL. */
bool builtin_save(struct dcl_session *s, const struct value *args, const int64_t *rate,
                  struct span span) {
    const char *path = name_text(s->names, args[0].str);
    const struct value *v = &args[1];
    struct arena *a = s->unit.arena;
    if (v->kind == VAL_TENSOR) {
        const struct tensor *x = v->tensor;
        const char *name = name_none(x->name) ? "x" : name_text(s->names, x->name);
        int64_t dims[EVAL_MAX_RANK];
        for (uint32_t d = 0; d < x->rank; d++)
            dims[d] = x->dims[d].i;
        struct file_tensor t[] = {
            describe(name, x->dtype, x->rank, dims, tensor_data(x)),
            {.name = "rate", .type = DT_i64, .data = (void *)rate, .bytes = sizeof *rate},
        };
        return files_write(arena_under(a), &s->diags, span, path, t, rate ? 2 : 1, &s->stop);
    }
    if (v->kind == VAL_INT || v->kind == VAL_BOOL) { /* what argmax gives, and comparisons */
        bool whole = v->kind == VAL_INT;
        struct file_tensor t = {.name = "x",
                                .type = whole ? DT_i64 : DT_bool,
                                .data = whole ? (void *)&v->i : (void *)&v->b,
                                .bytes = whole ? sizeof v->i : sizeof v->b};
        return files_write(arena_under(a), &s->diags, span, path, &t, 1, &s->stop);
    }
    if (v->kind != VAL_INSTANCE) {
        diag_error(&s->diags, span, ERR_ARG_KIND, "save", "what is saved",
                   "a tensor or an instance of a layer", value_kind_name(v));
        return false;
    }
    struct named_states states;
    states_list(s, a, v->instance, &states);
    struct file_tensor *all = ARENA_ARRAY(a, struct file_tensor, states.at.n);
    for (uint32_t i = 0; i < states.at.n; i++) {
        const struct state *st = states.at.at[i].state;
        const struct data *d = state_as_shape(s, st, span);
        if (!d)
            return false;
        all[i] = describe(states.at.at[i].name, st->dtype, st->rank, st->dims, d);
    }
    return files_write(arena_under(a), &s->diags, span, path, all, states.at.n, &s->stop);
}
