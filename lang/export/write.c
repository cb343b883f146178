/* A model as a file. Weights stand in it, or, where a message would be larger than its readers
   take, in a file beside it. */
#include "lang/export/internal.h"

#include "lang/files/files.h"

#include <string.h>

/* Readers refuse messages of 2 GiB; the rest is for what is no weight. */
static const uint64_t message_most = (uint64_t)2 << 30;
enum { APART_LEAST = 1024 }; /* bytes of a weight that is worth another file */
enum { APART_ALIGN = 4096 }; /* so that it can be mapped */

static void put(void *data, const void *bytes, size_t n) {
    files_put(data, bytes, n);
}

static void *entry(struct arena *a, const char *key, const char *text) {
    struct wire_entry *e = ARENA_NEW(a, struct wire_entry);
    e->key = (struct wire_bytes){key, strlen(key)};
    e->text = (struct wire_bytes){text, strlen(text)};
    return e;
}

/* Says that M's weights lie in the file PATH; DATA, one for each, is what has to be there. */
static void move_apart(struct arena *a, struct wire_model *m, const char *path,
                       struct wire_bytes *data) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const struct wire_list *all = &m->graph->initializer;
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
}

static void put_apart(struct output *out, const struct wire_bytes *data, uint32_t n) {
    uint64_t written = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!data[i].n)
            continue;
        uint64_t gap = (APART_ALIGN - written % APART_ALIGN) % APART_ALIGN;
        files_zeros(out, gap);
        files_put(out, data[i].at, data[i].n);
        written += gap + data[i].n;
    }
}

bool export_write(struct arena *a, struct diags *d, struct wire_model *m, const char *path,
                  bool apart, const volatile int *stop) {
    const char *beside = arena_printf(a, "%s.data", path);
    struct output *files[FILES_TOGETHER], *model;
    uint32_t n = 0, all = m->graph->initializer.n;
    struct wire_bytes *data = ARENA_ARRAY(a, struct wire_bytes, all + 1);
    apart = apart || wire_size(m) >= message_most;
    if (apart)
        move_apart(a, m, beside, data);
    if (apart && !(files[n++] = files_begin(a, d, beside, stop)))
        return false;
    model = files[n++] = files_begin(a, d, path, stop);
    if (!model)
        return false;
    if (apart)
        put_apart(files[0], data, all);
    wire_write(m, put, model);
    return files_place(files, n);
}
