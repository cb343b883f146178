/* The memory of tensors and states: of its own, or that of a file which is mapped. The mapping is
   private: what is written changes pages of this process and never the file. A file stays mapped as
   long as one of its tensors is in use. */
#include "session/state.h"

#include <string.h>

enum { COPIED = 1 << 24 }; /* bytes between two looks at whether the user wants to stop */

/* A file that was read. */
struct data_file {
    struct arena *arena; /* holds this, the tensors' heads and the mapping */
    struct file_tensors tensors;
    uint32_t users; /* data in it, and who reads it */
};

static struct data *add(struct dcl_session *s, void *bytes, size_t size, struct data_file *file) {
    struct data *d = mem_alloc(sizeof *d);
    *d = (struct data){
        .next = s->store.data, .bytes = bytes, .size = size, .line = s->line, .file = file};
    s->store.data = d;
    s->store.bytes += size;
    s->store.count++;
    return d;
}

/* How much SIZE bytes are, for a message. */
static const char *size_text(struct arena *a, size_t size) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    double n = (double)size;
    uint32_t k = 0;
    for (; n >= 1000 && k + 1 < sizeof units / sizeof *units; k++)
        n /= 1000;
    return arena_printf(a, k ? "%.1f %s" : "%.0f %s", n, units[k]);
}

struct data *data_room(struct dcl_session *s, size_t size, const char *what, struct span span) {
    void *bytes = mem_room(size, 64);
    if (!bytes) {
        struct diag *d = diag_error(&s->diags, span, ERR_NO_MEMORY, *what ? what : "a tensor");
        diag_note(&s->diags, d, (struct span){0}, "it takes %s", size_text(s->messages, size));
    }
    return bytes ? add(s, bytes, size, NULL) : NULL;
}

struct data *data_new(struct dcl_session *s, size_t size, const char *what, struct span span) {
    struct data *d = data_room(s, size, what, span);
    if (d)
        memset(d->bytes, 0, size);
    return d;
}

void data_free(struct dcl_session *s, struct data *d) {
    s->store.bytes -= d->size;
    s->store.count--;
    if (d->file)
        data_file_close(d->file);
    else
        mem_free(d->bytes);
    mem_free(d);
}

int64_t tensor_elements(const struct tensor *t) {
    int64_t n = 1;
    for (uint32_t d = 0; d < t->rank; d++)
        n *= t->dims[d].i;
    return n;
}

struct tensor *data_tensor(struct dcl_session *s, enum dtype t, uint32_t rank, const int64_t *dims,
                           struct data *d, struct name name, struct span span) {
    struct tensor *x = tensor_new(s->store.arena, t, rank, d);
    for (uint32_t k = 0; k < rank; k++)
        x->dims[k] = value_int(dims[k]);
    x->name = name;
    x->span = span;
    return x;
}

struct tensor *tensor_new(struct arena *a, enum dtype t, uint32_t rank, struct data *d) {
    struct tensor *x = ARENA_NEW(a, struct tensor);
    x->dtype = t;
    x->rank = x->real_rank = rank;
    x->dims = ARENA_ARRAY(a, struct value, rank);
    x->impl = d;
    x->data = true;
    return x;
}

/* --- files ---------------------------------------------------------------------------------- */

struct data_file *data_file_open(struct dcl_session *s, const char *path, enum dtype t, bool raw,
                                 struct span span) {
    struct arena *a = arena_under(s->arena);
    struct data_file *f = ARENA_NEW(a, struct data_file);
    *f = (struct data_file){.arena = a, .users = 1};
    if ((raw ? files_read_raw : files_read)(a, &s->diags, span, path, t, &s->stop, &f->tensors))
        return f;
    arena_free(a);
    return NULL;
}

struct data_file *data_file_of(struct arena *a, struct file_tensors tensors) {
    struct data_file *f = ARENA_NEW(a, struct data_file);
    *f = (struct data_file){a, tensors, 1};
    return f;
}

const struct file_tensors *data_file_tensors(const struct data_file *f) {
    return &f->tensors;
}

void data_file_close(struct data_file *f) {
    if (--f->users == 0)
        arena_free(f->arena);
}

struct data *data_from_file(struct dcl_session *s, struct data_file *f, const struct file_tensor *t,
                            struct span span) {
    if (t->mapped) {
        f->users++;
        return add(s, t->data, t->bytes, f);
    }
    struct data *d = data_room(s, t->bytes, t->name, span);
    if (d && t->bytes && t->turned) {
        file_tensor_turn(t, 0, t->dims[0], d->bytes);
        return d;
    }
    for (size_t at = 0, n; d && at < t->bytes; at += n) {
        n = t->bytes - at < COPIED ? t->bytes - at : COPIED;
        if (session_stopped(s))
            return NULL;
        memcpy((char *)d->bytes + at, (const char *)t->data + at, n);
    }
    return d;
}

/* --- from outside ---------------------------------------------------------------------------- */

struct given_tensor {
    const char *name, *type;
    int rank;
    const int64_t *shape;
    const double *values;
};

static bool bind_tensor(struct dcl_session *s, void *data) {
    const struct given_tensor *o = data;
    enum dtype t = dtype_of(o->type);
    if (t == DT_COUNT) {
        diag_error(&s->diags, (struct span){0}, ERR_UNKNOWN_TYPE, o->type);
        return false;
    }
    int64_t n = 1, bytes;
    bool fits = true;
    for (int d = 0; d < o->rank; d++)
        fits = fits && !__builtin_mul_overflow(n, o->shape[d], &n);
    if (!fits || __builtin_mul_overflow(n, (int64_t)dtypes[t].bytes, &bytes)) {
        diag_error(&s->diags, (struct span){0}, ERR_NO_MEMORY, o->name);
        return false;
    }
    struct data *d = data_new(s, (size_t)bytes, o->name, (struct span){0});
    for (int64_t i = 0; d && i < n; i++)
        scalar_store(t, (char *)d->bytes + (size_t)i * dtypes[t].bytes,
                     scalar_cast(DT_f64, t, (union scalar){.f64 = o->values[i]}));
    if (d)
        env_bind(s->script, name_of_text(s->names, o->name),
                 value_tensor(data_tensor(s, t, (uint32_t)o->rank, o->shape, d, (struct name){0},
                                          (struct span){0})),
                 (struct span){0});
    return d != NULL;
}

int session_tensor(dcl_session *s, const char *name, const char *type, int rank,
                   const int64_t *shape, const double *values) {
    struct given_tensor o = {name, type, rank, shape, values};
    return session_guard(s, bind_tensor, &o);
}
