/* model.safetensors.index.json: which file beside it holds which tensor.
   Format: https://huggingface.co/docs/transformers/big_models. Only the key "weight_map" counts. A
   file is opened when the first of its tensors is asked for (files_ready), so what is not used is
   not even mapped. */
#include "lang/files/format.h"
#include "lang/files/json.h"

#include "lang/base/vec.h"

#include <stdlib.h>
#include <string.h>

/* A file that the index names. */
struct file_shard {
    struct input index; /* the index's own, for memory and messages */
    const char *name, *path;
    bool open, failed;
    struct file_tensors tensors; /* once it is open */
};

/* The file of E's shard called NAME, which follows the tensors in order of their names later. */
struct entry {
    const char *tensor, *file;
};

static bool fail(const struct input *in, const char *name, const char *why) {
    return input_fail(in, "'%s' %s", input_show(in, name), why);
}

static int by_file(const void *a, const void *b) {
    const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
    return strcmp(x->file, y->file);
}

/* Files lie beside the index: a name is no path. */
static bool check_file(const struct input *in, const char *name) {
    size_t n = strlen(name);
    static const char suffix[] = ".safetensors";
    bool ends = n >= sizeof suffix && strcmp(name + n - (sizeof suffix - 1), suffix) == 0;
    if (strchr(name, '/'))
        return fail(in, name, "does not lie beside the index");
    return ends || fail(in, name, "is no .safetensors file");
}

static struct file_shard *shard_new(const struct input *in, const char *name) {
    const char *slash = strrchr(in->path, '/');
    struct file_shard *s = ARENA_NEW(in->arena, struct file_shard);
    s->index = *in;
    s->name = name;
    s->path =
        arena_printf(in->arena, "%.*s%s", slash ? (int)(slash - in->path) + 1 : 0, in->path, name);
    return s;
}

/* The value of "weight_map": names of tensors and of files. */
static bool read_map(const struct input *in, struct json *j, struct file_tensors *out) {
    VEC(struct entry) found = {0};
    if (!json_expect(j, '{'))
        return false;
    for (bool first = true; !json_take(j, '}'); first = false) {
        struct entry e;
        if (!input_goes_on(in))
            return false;
        if ((!first && !json_expect(j, ',')) || !json_string(j, &e.tensor) ||
            !json_expect(j, ':') || !json_string(j, &e.file))
            return false;
        VEC_PUSH(in->arena, found, e);
    }
    const struct entry **order = ARENA_ARRAY(in->arena, const struct entry *, found.n);
    for (uint32_t i = 0; i < found.n; i++)
        order[i] = &found.at[i];
    qsort(order, found.n, sizeof order[0], by_file);
    out->at = ARENA_ARRAY(in->arena, struct file_tensor, found.n);
    out->n = found.n;
    struct file_shard *s = NULL;
    for (uint32_t i = 0; i < found.n; i++) {
        const struct entry *e = order[i];
        if (!s || strcmp(s->name, e->file) != 0) {
            if (!check_file(in, e->file))
                return false;
            s = shard_new(in, e->file);
        }
        out->at[e - found.at] = (struct file_tensor){.name = e->tensor, .shard = s};
    }
    return true;
}

static bool read_index(const struct input *in, struct json *j, struct file_tensors *out) {
    bool seen = false;
    if (!json_expect(j, '{'))
        return false;
    for (bool first = true; !json_take(j, '}'); first = false) {
        const char *key;
        if ((!first && !json_expect(j, ',')) || !json_string(j, &key) || !json_expect(j, ':'))
            return false;
        if (strcmp(key, "weight_map") != 0) {
            if (!json_skip(j))
                return false;
        } else if (seen) {
            return input_fail(in, "\"weight_map\" is given twice");
        } else {
            seen = true;
            if (!read_map(in, j, out))
                return false;
        }
    }
    return json_end(j) && (seen || input_fail(in, "\"weight_map\" is missing"));
}

bool shards_read(struct input *in, struct file_tensors *out) {
    const char *text = (const char *)in->bytes;
    struct json j = {.arena = in->arena, .at = text, .end = text + in->n};
    if (read_index(in, &j, out))
        return true;
    return j.why && input_fail(in, "%s at byte %zu", j.why, (size_t)(j.at - text));
}

static bool shard_open(struct file_shard *s) {
    if (!s->open) {
        const struct input *in = &s->index;
        s->failed =
            !files_read(in->arena, in->diags, in->at, s->path, DT_NONE, in->stop, &s->tensors);
        s->open = true;
    }
    return !s->failed;
}

bool files_ready(struct file_tensor *t) {
    struct file_shard *s = t->shard;
    if (!s)
        return true;
    if (!shard_open(s))
        return false;
    const struct file_tensor *found = files_find(&s->tensors, t->name);
    if (!found)
        return input_fail(&s->index, "'%s' should be in %s, but is not",
                          input_show(&s->index, t->name), input_show(&s->index, s->name));
    *t = *found;
    return true;
}

bool shards_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    (void)tensors;
    (void)n;
    return output_fail(out, "an index of shards is read only: save to a .safetensors file");
}
