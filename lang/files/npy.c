/* NumPy's .npy: a magic number, a Python dictionary as text, the data.
   Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1 to 3.
   The dictionary has exactly the keys descr, fortran_order and shape. Numbers in either byte order
   and either order of axes become row-major and little-endian. */
#include "lang/files/npy.h"

#include <stdio.h>
#include <string.h>

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

enum { VERSIONED = 8 };  /* bytes of magic and version */
enum { TURN = 1 << 16 }; /* elements between two looks at the flag */

struct header {
    enum dtype type;
    bool swap, fortran;
    uint32_t rank;
    int64_t dims[FILE_RANK_MAX];
};

/* The dictionary's text; IT as in npy_tensor. */
struct parser {
    const struct input *in;
    const char *it;
    const char *at, *end;
};

static bool fail(const struct parser *p, const char *why) {
    return input_fail(p->in, "%s%s", p->it, why);
}

static const char malformed[] = "malformed .npy header";

static void skip_space(struct parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r'))
        p->at++;
}

/* Whether the next sign is C; if so it is taken. */
static bool take(struct parser *p, char c) {
    skip_space(p);
    if (p->at == p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool take_word(struct parser *p, const char *word) {
    size_t n = strlen(word);
    skip_space(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* A string without escapes. */
static bool take_string(struct parser *p, const char **text, size_t *n) {
    skip_space(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
        return false;
    char quote = *p->at++;
    const char *start = p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\')
        p->at++;
    if (p->at == p->end || *p->at != quote)
        return false;
    *text = start;
    *n = (size_t)(p->at++ - start);
    return true;
}

/* NumPy's letter and size ("f2") in words. */
static const char *type_in_words(const char *code) {
    static const struct {
        const char *code, *words;
    } known[] = {{"f16", "long double"}, {"c8", "complex of f32"}, {"c16", "complex of f64"}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(known[k].code, code) == 0)
            return known[k].words;
    switch (code[0]) {
    case 'O': return "Python objects";
    case 'U':
    case 'S':
    case 'a': return "text";
    case 'M':
    case 'm': return "times";
    case 'V': return "raw bytes";
    default: return "unknown";
    }
}

/* "<f4": byte order, then what the table of element types has after its own. */
static bool read_descr(struct parser *p, struct header *h) {
    const char *text;
    size_t n;
    skip_space(p);
    if (p->at < p->end && *p->at == '[')
        return fail(p, "structured element types are not supported");
    if (!take_string(p, &text, &n) || n < 2 || n > 15)
        return fail(p, malformed);
    char descr[16] = {0}, order = text[0];
    memcpy(descr, text, n);
    if (strlen(descr) != n || !strchr("<>|=", order))
        return fail(p, malformed);
    for (enum dtype t = 0; t < DT_COUNT; t++)
        if (strcmp(dtypes[t].descr + 1, descr + 1) == 0) {
            if (order == '|' && dtypes[t].bytes > 1 && descr[1] != 'V')
                return fail(p, malformed);
            h->type = t;
            h->swap = order == '>' && dtypes[t].bytes > 1;
            return true;
        }
    return input_fail(p->in, "%selement type %s (%s) is not supported in this version", p->it,
                      input_show(p->in, descr), type_in_words(descr + 1));
}

static bool read_dim(struct parser *p, int64_t *dim) {
    skip_space(p);
    if (p->at < p->end && *p->at == '-')
        return fail(p, "a dimension is negative");
    const char *start = p->at;
    int64_t v = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p->at - '0', &v))
            return fail(p, "a dimension is too large");
    if (p->at == start)
        return fail(p, malformed);
    if (p->at < p->end && *p->at == 'L')
        p->at++; /* Python 2 */
    *dim = v;
    return true;
}

/* A tuple: "()", "(3,)", "(3, 4)", "(3, 4,)". */
static bool read_shape(struct parser *p, struct header *h) {
    if (!take(p, '('))
        return fail(p, malformed);
    for (h->rank = 0; !take(p, ')');) {
        if (h->rank == FILE_RANK_MAX)
            return fail(p, "more than 32 dimensions");
        if (!read_dim(p, &h->dims[h->rank++]))
            return false;
        if (take(p, ','))
            continue;
        if (h->rank == 1 || !take(p, ')')) /* "(3)" is a number */
            return fail(p, malformed);
        break;
    }
    return true;
}

static bool read_order(struct parser *p, struct header *h) {
    if (take_word(p, "True"))
        h->fortran = true;
    else if (!take_word(p, "False"))
        return fail(p, malformed);
    return true;
}

static bool read_header(struct parser *p, struct header *h) {
    static const struct {
        const char *name;
        bool (*read)(struct parser *p, struct header *h);
    } keys[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
    enum { KEYS = sizeof keys / sizeof keys[0] };
    unsigned seen = 0;
    if (!take(p, '{'))
        return fail(p, malformed);
    while (!take(p, '}')) {
        const char *key;
        size_t n;
        if (!take_string(p, &key, &n) || !take(p, ':'))
            return fail(p, malformed);
        unsigned k = 0;
        while (k < KEYS && (strlen(keys[k].name) != n || memcmp(keys[k].name, key, n) != 0))
            k++;
        if (k == KEYS || seen >> k & 1)
            return fail(p, malformed);
        seen |= 1u << k;
        if (!keys[k].read(p, h))
            return false;
        if (take(p, ','))
            continue;
        if (!take(p, '}'))
            return fail(p, malformed);
        break;
    }
    skip_space(p);
    if (p->at != p->end || seen != (1u << KEYS) - 1)
        return fail(p, malformed);
    return true;
}

/* Sets P to the dictionary's text; returns where the data begins, 0 after an error. */
static size_t find_header(struct parser *p, const unsigned char *bytes, size_t n) {
    if (n < VERSIONED + 2 || memcmp(bytes, magic, sizeof magic) != 0) {
        fail(p, "not in NumPy's format");
        return 0;
    }
    unsigned major = bytes[6], minor = bytes[7];
    if (major < 1 || major > 3 || minor != 0) {
        input_fail(p->in, "%s.npy version %u.%u is not supported", p->it, major, minor);
        return 0;
    }
    size_t at = VERSIONED + (major == 1 ? 2 : 4), length = 0;
    for (size_t i = at < n ? at : n; i > VERSIONED; i--)
        length = length << 8 | bytes[i - 1];
    if (at > n || length > n - at) {
        fail(p, "the .npy header is cut short");
        return 0;
    }
    p->at = (const char *)bytes + at;
    p->end = p->at + length;
    return at + length;
}

/* Copies Fortran's order (first axis contiguous) to rows. */
static bool to_rows(const struct input *in, struct file_tensor *t, const unsigned char *from) {
    unsigned char *to = input_memory(in, t->bytes);
    if (!to)
        return false;
    size_t size = dtypes[t->type].bytes, stride[FILE_RANK_MAX], step = size;
    int64_t index[FILE_RANK_MAX] = {0};
    for (uint32_t i = 0; i < t->rank; i++) {
        stride[i] = step;
        step *= (size_t)t->dims[i];
    }
    size_t at = 0; /* of the element with INDEX in FROM */
    for (size_t done = 0, turn = 0; done < t->bytes; done += size) {
        if (turn++ % TURN == 0 && !input_goes_on(in))
            return false;
        memcpy(to + done, from + at, size);
        uint32_t i = t->rank - 1;
        for (; i > 0 && index[i] + 1 == t->dims[i]; i--) {
            at -= (size_t)index[i] * stride[i];
            index[i] = 0;
        }
        index[i]++;
        at += stride[i];
    }
    t->data = to;
    t->mapped = false;
    return true;
}

bool npy_tensor(const struct input *in, const char *it, unsigned char *bytes, size_t n,
                struct file_tensor *t) {
    struct parser p = {.in = in, .it = it};
    struct header h = {0};
    size_t start = find_header(&p, bytes, n);
    if (start == 0 || !read_header(&p, &h))
        return false;
    t->type = h.type;
    t->rank = h.rank;
    t->dims = arena_copy(in->arena, h.dims, h.rank * sizeof h.dims[0]);
    if (!tensor_bytes(t->type, t->rank, t->dims, &t->bytes))
        return fail(&p, "the product of the dimensions is too large");
    if (t->bytes != n - start)
        return input_fail(in, "%sthe shape needs %zu bytes of data, there are %zu", it, t->bytes,
                          n - start);
    if (!tensor_settle(in, t, bytes + start, h.swap))
        return false;
    return !h.fortran || t->rank < 2 || t->bytes == 0 || to_rows(in, t, t->data);
}

bool npy_read(struct input *in, struct file_tensors *out) {
    return npy_tensor(in, "", in->bytes, in->n, tensor_single(in, out));
}

const char *npy_prefix(struct arena *a, const struct file_tensor *t, size_t *n) {
    struct buf b = buf_new(a);
    buf_bytes(&b, (const char *)magic, sizeof magic);
    buf_bytes(&b, "\1\0??", 4); /* the length is put in below */
    buf_printf(&b, "{'descr': '%s', 'fortran_order': False, 'shape': (", dtypes[t->type].descr);
    for (uint32_t i = 0; i < t->rank; i++)
        buf_printf(&b, "%s%lld", i ? ", " : "", (long long)t->dims[i]);
    buf_printf(&b, "%s), }", t->rank == 1 ? "," : "");
    while (b.n % 64 != 63)
        buf_bytes(&b, " ", 1);
    buf_bytes(&b, "\n", 1);
    size_t length = b.n - (VERSIONED + 2);
    b.at[VERSIONED] = (char)(length & 0xff);
    b.at[VERSIONED + 1] = (char)(length >> 8);
    *n = b.n;
    return b.at;
}

bool npy_write(struct output *out, const struct file_tensor *tensors, uint32_t n) {
    if (!output_is_single(out, n))
        return false;
    size_t prefix, bytes = 0;
    const char *text = npy_prefix(out->arena, tensors, &prefix);
    tensor_bytes(tensors->type, tensors->rank, tensors->dims, &bytes);
    if (!output_open(out))
        return false;
    output_put(out, text, prefix);
    output_put(out, tensors->data, bytes);
    return output_close(out);
}
