/* A model as a file. Weights stand in it, or, where a message would be larger than its readers
   take, in a file beside it. */
#include "lang/export/internal.h"

#include "lang/files/format.h"

#include <string.h>

/* Readers refuse messages of 2 GiB; the rest is for what is no weight. */
static const uint64_t message_most = (uint64_t)2 << 30;
enum { APART_LEAST = 1024 }; /* bytes of a weight that is worth another file */
enum { APART_ALIGN = 4096 }; /* so that it can be mapped */

static void put(void *data, const void *bytes, size_t n) {
    output_put(data, bytes, n);
}

static struct output *open_file(struct arena *a, struct diags *d, const char *path) {
    struct output *out = ARENA_NEW(a, struct output);
    *out = (struct output){.arena = a, .diags = d, .path = path, .fd = -1};
    return output_open(out) ? out : NULL;
}

static void *entry(struct arena *a, const char *key, const char *text) {
    struct wire_entry *e = ARENA_NEW(a, struct wire_entry);
    e->key = (struct wire_bytes){key, strlen(key)};
    e->text = (struct wire_bytes){text, strlen(text)};
    return e;
}

/* Moves the elements of M's weights to the file PATH, which is still to be closed; NULL after an
   error. */
static struct output *write_apart(struct arena *a, struct diags *d, struct wire_model *m,
                                  const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const struct wire_list *all = &m->graph->initializer;
    struct wire_bytes *data = ARENA_ARRAY(a, struct wire_bytes, all->n + 1);
    uint64_t at = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        struct wire_tensor *w = all->at[i];
        if (w->raw_data.n < APART_LEAST)
            continue;
        data[i] = w->raw_data;
        at = (at + APART_ALIGN - 1) / APART_ALIGN * APART_ALIGN;
        VEC_PUSH(a, w->external_data, entry(a, "location", name));
        VEC_PUSH(a, w->external_data,
                 entry(a, "offset", arena_printf(a, "%llu", (unsigned long long)at)));
        VEC_PUSH(a, w->external_data, entry(a, "length", arena_printf(a, "%zu", data[i].n)));
        w->data_location = 1;
        w->raw_data = (struct wire_bytes){0};
        at += data[i].n;
    }
    struct output *out = open_file(a, d, path);
    if (!out)
        return NULL;
    uint64_t written = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        if (!data[i].n)
            continue;
        uint64_t gap = (APART_ALIGN - written % APART_ALIGN) % APART_ALIGN;
        output_zeros(out, gap);
        output_put(out, data[i].at, data[i].n);
        written += gap + data[i].n;
    }
    return out;
}

/* Both files are written under other names before one of them takes its own. */
bool export_write(struct arena *a, struct diags *d, struct wire_model *m, const char *path,
                  bool apart) {
    const char *beside = arena_printf(a, "%s.data", path);
    apart = apart || wire_size(m) >= message_most;
    struct output *out = open_file(a, d, path), *weights = NULL;
    if (out && apart && !(weights = write_apart(a, d, m, beside)))
        return output_abandon(out, "its weights cannot be written");
    if (!out)
        return false;
    wire_write(m, put, out);
    if (weights && !output_close(weights))
        return output_abandon(out, "its weights cannot be written");
    return output_close(out);
}
