/* The format of safetensors: 8 bytes with the length of a JSON header, the header, the data.
   Format: https://huggingface.co/docs/safetensors. As there, the tensors' bytes fill the data
   without gaps and without overlap, and "__metadata__" is no tensor; it is passed over. */
#include "lang/files/format.h"
#include "lang/files/json.h"

#include "lang/base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH_SIZE = 8, ALIGN = 64 };
#define HEADER_MAX ((uint64_t)100000000)

static const char metadata[] = "__metadata__";

/* A tensor of the header and the range of its bytes in the data. */
struct entry {
    struct file_tensor t;
    int64_t begin, end;
    uint32_t place; /* in the header */
};

typedef VEC(struct entry) entries;

struct header {
    const struct input *in;
    struct json j;
    entries found;
};

static bool fail(const struct header *h, const char *name, const char *why) {
    return input_fail(h->in, "'%s': %s", input_show(h->in, name), why);
}

static bool read_type(struct header *h, struct entry *e) {
    static const char *const others[] = {"F8_E4M3", "F8_E5M2", "F8_E8M0", "F4",
                                         "F6_E2M3", "F6_E3M2", "C64"};
    const char *text;
    if (!json_string(&h->j, &text))
        return false;
    for (enum dtype t = 0; t < DT_COUNT; t++)
        if (strcmp(dtypes[t].safetensors, text) == 0) {
            e->t.type = t;
            return true;
        }
    const char *why = "is unknown";
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (strcmp(others[k], text) == 0)
            why = "is not supported in this version";
    return input_fail(h->in, "'%s': element type %s %s", input_show(h->in, e->t.name),
                      input_show(h->in, text), why);
}

static bool read_shape(struct header *h, struct entry *e) {
    int64_t dims[FILE_RANK_MAX];
    if (!json_expect(&h->j, '['))
        return false;
    while (!json_take(&h->j, ']')) {
        if (e->t.rank && !json_expect(&h->j, ','))
            return false;
        if (e->t.rank == FILE_RANK_MAX)
            return fail(h, e->t.name, "more than 32 dimensions");
        if (!json_natural(&h->j, &dims[e->t.rank++]))
            return false;
    }
    e->t.dims = arena_copy(h->in->arena, dims, e->t.rank * sizeof dims[0]);
    return true;
}

static bool read_offsets(struct header *h, struct entry *e) {
    return json_expect(&h->j, '[') && json_natural(&h->j, &e->begin) && json_expect(&h->j, ',') &&
           json_natural(&h->j, &e->end) && json_expect(&h->j, ']');
}

/* The object of tensor E, which has its name. */
static bool read_entry(struct header *h, struct entry *e) {
    static const struct {
        const char *name;
        bool (*read)(struct header *h, struct entry *e);
    } keys[] = {{"dtype", read_type}, {"shape", read_shape}, {"data_offsets", read_offsets}};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    unsigned seen = 0;
    bool first = true;
    if (!json_expect(&h->j, '{'))
        return false;
    for (; !json_take(&h->j, '}'); first = false) {
        const char *key;
        if ((!first && !json_expect(&h->j, ',')) || !json_string(&h->j, &key) ||
            !json_expect(&h->j, ':'))
            return false;
        unsigned k = 0;
        while (k < KEYS && strcmp(keys[k].name, key) != 0)
            k++;
        if (k == KEYS || seen >> k & 1)
            return fail(h, e->t.name, k == KEYS ? "unknown key" : "a key is given twice");
        seen |= 1u << k;
        if (!keys[k].read(h, e))
            return false;
    }
    return seen == (1u << KEYS) - 1 ||
           fail(h, e->t.name, "dtype, shape or data_offsets is missing");
}

static bool read_header(struct header *h) {
    if (!json_expect(&h->j, '{'))
        return false;
    for (bool first = true; !json_take(&h->j, '}'); first = false) {
        if (!input_goes_on(h->in))
            return false;
        struct entry e = {.place = h->found.n};
        if ((!first && !json_expect(&h->j, ',')) || !json_string(&h->j, &e.t.name) ||
            !json_expect(&h->j, ':'))
            return false;
        if (strcmp(e.t.name, metadata) == 0) {
            if (!json_skip(&h->j))
                return false;
        } else if (!read_entry(h, &e)) {
            return false;
        } else {
            VEC_PUSH(h->in->arena, h->found, e);
        }
    }
    return json_end(&h->j);
}

static int by_range(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* The ranges, in order, must fill the N bytes of data. */
static bool check_ranges(const struct header *h, uint64_t n) {
    int64_t before = 0;
    for (uint32_t i = 0; i < h->found.n; i++) {
        struct entry *e = &h->found.at[i];
        if (!tensor_bytes(e->t.type, e->t.rank, e->t.dims, &e->t.bytes))
            return fail(h, e->t.name, "the product of the dimensions is too large");
        if (e->begin != before)
            return fail(h, e->t.name,
                        e->begin < before ? "the data overlaps another tensor's"
                                          : "a gap in the data");
        if (e->end < e->begin || (uint64_t)e->end > n)
            return fail(h, e->t.name, "the data leaves the file");
        if ((uint64_t)(e->end - e->begin) != e->t.bytes)
            return fail(h, e->t.name, "shape and data_offsets disagree");
        before = e->end;
    }
    return (uint64_t)before == n || input_fail(h->in, "%llu bytes follow the last tensor",
                                               (unsigned long long)(n - (uint64_t)before));
}

bool safetensors_read(struct input *in, struct file_tensors *out) {
    uint64_t length = in->n < LENGTH_SIZE ? 0 : get_little(in->bytes, LENGTH_SIZE);
    if (in->n < LENGTH_SIZE || length > in->n - LENGTH_SIZE)
        return input_fail(in, "not in the format of safetensors, or cut short");
    if (length > HEADER_MAX)
        return input_fail(in, "a header of more than 100 MB");
    const char *text = (const char *)in->bytes + LENGTH_SIZE;
    struct header h = {.in = in, .j = {.arena = in->arena, .at = text, .end = text + length}};
    if (!read_header(&h)) /* reported already, unless it was in the text */
        return h.j.why &&
               input_fail(in, "%s at byte %zu of the header", h.j.why, (size_t)(h.j.at - text));
    uint32_t n = h.found.n;
    if (n)
        qsort(h.found.at, n, sizeof h.found.at[0], by_range);
    unsigned char *data = in->bytes + LENGTH_SIZE + length;
    if (!check_ranges(&h, in->n - LENGTH_SIZE - length))
        return false;
    out->at = ARENA_ARRAY(in->arena, struct file_tensor, n);
    out->n = n;
    for (uint32_t i = 0; i < n; i++) {
        struct entry *e = &h.found.at[i];
        if (!tensor_settle(in, &e->t, data + e->begin, false))
            return false;
        out->at[e->place] = e->t;
    }
    return true;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Data goes by element size, the largest first: so each tensor is aligned to its own. */
static uint64_t assign_offsets(const struct file_tensor *t, uint32_t n, uint64_t *begin) {
    uint64_t at = 0;
    for (unsigned size = 8; size; size /= 2)
        for (uint32_t i = 0; i < n; i++) {
            size_t bytes = 0;
            if (dtypes[t[i].type].bytes != size)
                continue;
            tensor_bytes(t[i].type, t[i].rank, t[i].dims, &bytes);
            begin[i] = at;
            at += bytes;
        }
    return at;
}

static void put_entry(struct buf *b, const struct file_tensor *t, uint64_t begin) {
    size_t bytes = 0;
    tensor_bytes(t->type, t->rank, t->dims, &bytes);
    buf_json(b, t->name);
    buf_printf(b, ":{\"dtype\":\"%s\",\"shape\":[", dtypes[t->type].safetensors);
    for (uint32_t i = 0; i < t->rank; i++)
        buf_printf(b, "%s%lld", i ? "," : "", (long long)t->dims[i]);
    buf_printf(b, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin,
               (unsigned long long)(begin + bytes));
}

/* A turned one goes in parts, so that little of it is in memory twice. */
static void put_data(struct output *out, const struct file_tensor *t, size_t bytes) {
    enum { PART = 1 << 20 };
    if (!t->turned || bytes == 0) {
        output_put(out, t->data, bytes);
        return;
    }
    size_t row = bytes / (size_t)t->dims[0];
    int64_t most = row < PART ? (int64_t)(PART / row) : 1;
    struct arena *a = arena_under(out->arena);
    char *part = ARENA_ARRAY(a, char, row *(size_t)most);
    for (int64_t i = 0; i < t->dims[0]; i += most) {
        int64_t n = t->dims[0] - i < most ? t->dims[0] - i : most;
        file_tensor_turn(t, i, n, part);
        output_put(out, part, row * (size_t)n);
    }
    arena_free(a);
}

bool safetensors_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    uint64_t *begin = ARENA_ARRAY(out->arena, uint64_t, n);
    assign_offsets(tensors, n, begin);
    struct buf b = buf_new(out->arena);
    buf_text(&b, "{");
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(tensors[i].name, metadata) == 0)
            return output_fail(out, "a tensor cannot be called %s", metadata);
        buf_text(&b, i ? "," : "");
        put_entry(&b, &tensors[i], begin[i]);
    }
    buf_text(&b, "}");
    while ((b.n + LENGTH_SIZE) % ALIGN)
        buf_text(&b, " ");
    if (b.n > HEADER_MAX)
        return output_fail(out, "too many tensors");
    unsigned char length[LENGTH_SIZE];
    put_little(length, b.n, LENGTH_SIZE);
    if (!output_open(out))
        return false;
    output_put(out, length, sizeof length);
    output_put(out, b.at, b.n);
    for (unsigned size = 8; size; size /= 2)
        for (uint32_t i = 0; i < n; i++) {
            size_t bytes = 0;
            if (dtypes[tensors[i].type].bytes != size)
                continue;
            tensor_bytes(tensors[i].type, tensors[i].rank, tensors[i].dims, &bytes);
            put_data(out, &tensors[i], bytes);
        }
    return output_close(out);
}
