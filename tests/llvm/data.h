/* data.h: the programs of the schedule tests, random arguments for them, and comparison. */
#ifndef TESTS_LLVM_DATA_H
#define TESTS_LLVM_DATA_H

#include "tests/llvm/text.h"

#define CASE_BUFFERS 12

/* Each has one symbol, N. Integers are below `limit`, so that they can be subscripts. */
static const struct {
    const char *what;
    int64_t limit;
    const char *text;
} cases[] = {
    {"elementwise", 8,
     "in x: f32[N] out y: f32[N] map i in 0:N vector(4) { v << x[i]; v * 2 + 1 >> y[i] }"},
    {"f64 and f32", 8,
     "in x: f32[N] out y: f64[N] map i in 0:N vector(2) { v << x[i]; f64(v) * 2 + 1 >> "
     "y[i] }"},
    {"i64 to f32", 1000,
     "in x: i64[N] out y: f32[N] map i in 0:N vector { v << x[i]; f32(v) * 2 + f32(i) >> "
     "y[i] }"},
    {"bool", 8,
     "in x: bool[N] in z: f32[N] out y: bool[N] map i in 0:N vector { v << x[i]; w << "
     "z[i]; v and w < 0.5 >> y[i] }"},
    {"sum", 8, "in x: f32[N] out y: f32 0 >> y map i in 0:N vector(4) { v << x[i]; v >> y (sum) }"},
    {"max", 8,
     "in x: f32[N] out y: f32 -inf >> y map i in 0:N vector(2) { v << x[i]; v >> y (max) }"},
    {"and or", 8,
     "in x: bool[N] out y: bool out z: bool true >> y false >> z map i in 0:N vector { v "
     "<< x[i]; v >> y (and); v >> z (or) }"},
    {"i64 sum and i32 product", 8,
     "in x: i64[N] in w: i32[N] out y: i64 out z: i32 0 >> y 1 >> z map i in 0:N vector(2) "
     "{ v << x[i]; v >> y (sum); u << w[i]; u + 3 >> z (prod) }"},
    {"strided", 8,
     "in x: f32[N, 3] out y: f32[N, 2] map i in 0:N vector { v << x[i, 1]; v >> y[i, 0]; w "
     "<< x[i, 2]; w * v >> y[i, 1] }"},
    {"stepped", 8,
     "in x: f32[N] out y: f32[N] map i in 0:N { 0 >> y[i] } map i in 0:N:3 vector { v << "
     "x[i]; v >> y[i] }"},
    {"reversed", 8,
     "in x: f32[N] out y: f32[N] map i in 0:N vector { v << x[N - 1 - i]; v >> y[i] }"},
    {"padded", 8,
     "in x: f32[N] out y: f32[N] map i in 0:N vector { 0 >> y[i] map k in 0:3 { v << x[i + "
     "k - 1 else 0.5]; v >> y[i] (sum) } }"},
    {"dropped", 8,
     "in x: f32[N] out y: f32[N] map i in 0:N { 7 >> y[i] } map i in 0:N vector { v << "
     "x[i]; v >> y[i + 2 else _] }"},
    {"gather", 8,
     "in x: f32[8] in k: i64[N] out y: f32[N] map i in 0:N vector { n << k[i]; v << x[n]; "
     "v >> y[i] }"},
    {"gather or else", 8,
     "in x: f32[5] in k: i64[N] out y: f32[N] map i in 0:N vector { n << k[i]; v << x[n "
     "else 3]; v >> y[i] }"},
    {"histogram", 8,
     "in k: i64[N] out y: i64[8] map i in 0:8 { 0 >> y[i] } map i in 0:N vector { n << "
     "k[i]; n + 1 >> y[n] (sum) }"},
    {"branch in lanes", 8,
     "in x: f32[N] out y: f32[N] map i in 0:N vector { v << x[i]; if v > 0 { v * 2 >> y[i] "
     "} else { w << x[N - 1 - i]; w >> y[i] } }"},
    {"loop in lanes", 8,
     "in x: f32[N, 5] out y: f32[N] map i in 0:N vector { s: f32 in register = 0 for k in "
     "0:5 { v << x[i, k]; t << s; t * 0.5 + v >> s } t << s; t >> y[i] }"},
    {"private array", 8,
     "in x: f32[N, 5] out y: f32[N] map i in 0:N vector { s: f32[5] = 0 for k in 0:5 { v "
     "<< x[i, k]; v >> s[4 - k] } map k in 0:5 { t << s[k]; m << x[i, k]; t * m >> s[k] } "
     "0 >> y[i] map k in 0:5 { t << s[k]; t >> y[i] (sum) } }"},
    {"unroll by four", 8,
     "in x: f32[N] out y: f32[N] map i in 0:N unroll(4) { v << x[i]; v * 3 >> y[i] }"},
    {"unrolled sum", 8,
     "in x: f32[N] out y: f32 0 >> y for i in 0:N unroll(3) { v << x[i]; v >> y (sum) }"},
    {"parallel rows", 8,
     "in x: f32[N, 40] out y: f32[N] map i in 0:N parallel { 0 >> y[i] map j in 0:40 "
     "vector(2) { v << x[i, j]; v >> y[i] (sum) } }"},
    {"softmax", 8,
     "in x: f32[N, N] out y: f32[N, N] map i in 0:N parallel { m: f32 in register = -inf "
     "s: f32 in register = 0 map j in 0:N vector(4) { v << x[i, j]; v >> m (max) } map j "
     "in 0:N vector(2) { v << x[i, j]; t << m; e = exp(v - t); e >> y[i, j]; e >> s (sum) "
     "} map j in 0:N vector { e << y[i, j]; t << s; e / t >> y[i, j] } }"},
    {"gemm with edges", 8,
     "in A: f32[N, 20] in B: f32[20, N] out C: f32[N, N] map io in 0:N:6 parallel, jo in "
     "0:N:16 parallel { acc: f32[6, 16] in register = 0 map k in 0:20 seq, i in 0:min(6, N "
     "- io) unroll, j in 0:min(16, N - jo) vector { a << A[io + i, k]; b << B[k, jo + j]; "
     "a * b >> acc[i, j] (sum) } map i in 0:min(6, N - io) unroll, j in 0:min(16, N - jo) "
     "vector { v << acc[i, j]; v >> C[io + i, jo + j] } }"},
    {"heap transient", 8,
     "in x: f32[N, N] out y: f32[N, N] t: f32[N, N] in heap = 1.5 map i in 0:N parallel, j "
     "in 0:N vector { v << x[i, j]; v >> t[j, i] (sum) } map i in 0:N, j in 0:N vector { v "
     "<< t[i, j]; v >> y[i, j] }"},
    {"blocked layout", 8,
     "in x: f32[N, 32] out y: f32[2, N, 16] map n in 0:N, c in 0:32 vector { v << x[n, c]; "
     "v >> y[c // 16, n, c % 16] }"},
    {"uniform branch", 8,
     "in x: f32[N] in k: i64 out y: f32[N] map i in 0:N vector { n << k; v << x[i]; if n < "
     "4 { v >> y[i] } else { v + 1 >> y[i] } }"},
    {"casts", 8,
     "in x: f32[N] out y: i32[N] out z: i64[N] out b: bool[N] map i in 0:N vector { v << "
     "x[i]; i32(v * 1e9) >> y[i]; i64(v * 1e18) >> z[i]; bool(floor(v)) >> b[i] }"},
    {"convolution", 8,
     "in x: f32[2, N, 9] in w: f32[5, 2, 3, 3] out y: f32[5, N, 9] map o in 0:5 parallel, h in 0:N "
     "{ acc: f32[9] in register = 0 map c in 0:2, r in 0:3, s in 0:3 unroll, j in 0:9 vector "
     "{ a << x[c, h + r - 1, j + s - 1 else 0]; b << w[o, c, r, s]; a * b >> acc[j] (sum) } "
     "map j in 0:9 vector { v << acc[j]; max(v, 0) >> y[o, h, j] } }"},
    {"pooling", 8,
     "in x: f32[N, 21] out y: f32[N, 10] map n in 0:N parallel, j in 0:10 vector { "
     "m: f32 in register = -inf map r in 0:3 { v << x[n, 2 * j + r - 1 else -inf]; v >> m (max) } "
     "v << m; v >> y[n, j] }"},
    {"attention in tiles", 8,
     "in q: f32[N, 8] in k: f32[N, 8] in v: f32[N, 8] out o: f32[N, 8] "
     "map ib in 0:N:4 parallel { m: f32[4] in register = -inf z: f32[4] in register = 0 "
     "acc: f32[4, 8] in stack = 0 for jb in 0:N:16 { s: f32[4, 16] in stack = 0 "
     "map i in 0:min(4, N - ib), d in 0:8 seq, j in 0:min(16, N - jb) vector { "
     "a << q[ib + i, d]; b << k[jb + j, d]; a * b >> s[i, j] (sum) } "
     "n: f32[4] in register = -inf map i in 0:4 unroll { t << m[i]; t >> n[i] } "
     "map i in 0:min(4, N - ib) unroll, j in 0:min(16, N - jb) vector { t << s[i, j]; t >> n[i] "
     "(max) } "
     "map i in 0:min(4, N - ib) unroll { a << m[i]; b << n[i]; f = exp(a - b); "
     "y << z[i]; y * f >> z[i]; b >> m[i] map d in 0:8 vector { w << acc[i, d]; w * f >> acc[i, d] "
     "} } "
     "map i in 0:min(4, N - ib) unroll, j in 0:min(16, N - jb) vector { t << s[i, j]; b << m[i]; "
     "e = exp(t - b); e >> s[i, j]; e >> z[i] (sum) } "
     "map i in 0:min(4, N - ib), j in 0:min(16, N - jb) seq, d in 0:8 vector { t << s[i, j]; "
     "w << v[jb + j, d]; t * w >> acc[i, d] (sum) } } "
     "map i in 0:min(4, N - ib), d in 0:8 vector { w << acc[i, d]; y << z[i]; w / y >> o[ib + i, "
     "d] } }"},
    {"running sum", 8,
     "in x: f64[N] out y: f64[N] s: f64 = 0 for t in 0:N unroll(2) { v << x[t]; v >> s (sum) "
     "w << s; w >> y[t] }"},
    {"sums of columns", 8,
     "in x: f32[N, 13] out y: f32[13] map j in 0:13 { 0 >> y[j] } map i in 0:N seq, j in 0:13 "
     "vector "
     "{ v << x[i, j]; v >> y[j] (sum) }"},
    {"sizes from data", 8,
     "in x: f32[N, 7] in n: i64[N] out y: f32[N] map i in 0:N parallel { k << n[i]; 0 >> y[i] "
     "map j in 0:min(k, 7) vector { v << x[i, j]; v >> y[i] (sum) } }"},
    {"transposed tiles", 8,
     "in x: f32[N, N] out y: f32[N, N] map io in 0:N:8 parallel, jo in 0:N:8 { t: f32[8, 8] in "
     "stack "
     "map i in 0:min(8, N - io), j in 0:min(8, N - jo) vector { v << x[io + i, jo + j]; v >> t[j, "
     "i] } "
     "map j in 0:min(8, N - jo), i in 0:min(8, N - io) vector { v << t[j, i]; "
     "v >> y[jo + j, io + i] } }"},
    {"product of matrices of i32", 7,
     "in A: i32[N, 5] in B: i32[5, N] out C: i32[N, N] map i in 0:N, j in 0:N vector { "
     "s: i32 in register = 1 map k in 0:5 unroll { a << A[i, k]; b << B[k, j]; a * b >> s (sum) } "
     "v << s; v // 3 - v % 4 >> C[i, j] }"},
    {"select, compare, min of f64", 8,
     "in x: f64[N] in z: f64[N] out y: f64[N] out b: bool[N] map i in 0:N vector(2) { v << x[i]; "
     "w << z[i]; select(v < w, min(v, w) * 2, sqrt(abs(v))) >> y[i]; not (v == w) or v > 1 >> b[i] "
     "}"},
};

static uint64_t seed = 88172645463325252u;

static uint64_t random_bits(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double random_unit(void) {
    return (double)(random_bits() >> 11) * 0x1p-53;
}

struct symbols_of {
    const struct graph *g;
    struct graph_symbol *symbols;
    uint32_t n;
    const int64_t *values;
};

static bool symbol_value(void *data, struct name n, int64_t *v) {
    const struct symbols_of *s = data;
    for (uint32_t i = 0; i < s->n; i++)
        if (name_eq(s->symbols[i].name, n)) {
            *v = s->values[i];
            return true;
        }
    return false;
}

struct buffers {
    uint32_t n;
    void *at[CASE_BUFFERS];
    int64_t count[CASE_BUFFERS];
    enum dtype type[CASE_BUFFERS];
    const char *name[CASE_BUFFERS];
    bool output[CASE_BUFFERS];
};

/* Integers count up to LIMIT, so that they can be subscripts. */
static void fill(struct buffers *b, uint32_t i, int64_t limit) {
    for (int64_t k = 0; k < b->count[i]; k++) {
        enum dtype t = b->type[i];
        union scalar s = {.i64 = 0};
        if (dtype_is_float(t))
            s = scalar_from_f64(t, random_unit() * 4 - 2);
        else if (t == DT_bool)
            s.b = random_bits() & 1;
        else
            s = scalar_from_i64(t, (int64_t)(random_bits() % (uint64_t)limit));
        scalar_store(t, (char *)b->at[i] + k * dtypes[t].bytes, s);
    }
}

static void buffers_add(struct buffers *b, struct symbols_of *s, struct cont c, bool output,
                        int64_t limit) {
    const struct container *k = graph_cont(s->g, c);
    uint32_t i = b->n++;
    b->type[i] = k->dtype;
    b->name[i] = name_text(s->g->names, k->name);
    b->count[i] = 1;
    b->output[i] = output;
    for (uint32_t d = 0; d < k->rank; d++) {
        int64_t v = 0;
        sym_eval(s->g->syms, k->dims[d], symbol_value, s, &v);
        b->count[i] *= v;
    }
    /* Guard bytes behind, which must survive. */
    size_t bytes = (size_t)b->count[i] * dtypes[k->dtype].bytes;
    b->at[i] = malloc(bytes + 64);
    memset(b->at[i], 0xa5, bytes + 64);
    fill(b, i, limit);
}

static struct buffers buffers_for(struct graph *g, const int64_t *symbols, int64_t limit) {
    struct buffers b = {0};
    struct symbols_of s = {.g = g, .values = symbols};
    s.n = graph_symbols(g, g->arena, &s.symbols);
    for (uint32_t i = 0; i < g->params.n; i++)
        if (!g->params.at[i].is_symbol)
            buffers_add(&b, &s, g->params.at[i].cont,
                        graph_cont(g, g->params.at[i].cont)->role == ROLE_INOUT, limit);
    for (uint32_t i = 0; i < g->results.n; i++)
        buffers_add(&b, &s, g->results.at[i], true, limit);
    return b;
}

static void buffers_copy(struct buffers *to, const struct buffers *from) {
    for (uint32_t i = 0; i < from->n; i++)
        memcpy(to->at[i], from->at[i], (size_t)from->count[i] * dtypes[from->type[i]].bytes + 64);
}

static bool same_value(enum dtype t, union scalar a, union scalar b, double tolerance) {
    if (dtype_is_float(t)) {
        double x = t == DT_f32 ? a.f32 : a.f64, y = t == DT_f32 ? b.f32 : b.f64;
        return (isnan(x) && isnan(y)) || x == y ||
               fabs(x - y) <= tolerance * (1 + fabs(x) + fabs(y));
    }
    return t == DT_i32 ? a.i32 == b.i32 : t == DT_i64 ? a.i64 == b.i64 : a.b == b.b;
}

static bool buffers_same(const struct buffers *a, const struct buffers *b, double tolerance) {
    for (uint32_t i = 0; i < a->n; i++) {
        size_t size = dtypes[a->type[i]].bytes;
        const char *x = a->at[i], *y = b->at[i];
        for (int64_t k = 0; k < a->count[i]; k++)
            if (!same_value(a->type[i], scalar_load(a->type[i], x + (size_t)k * size),
                            scalar_load(a->type[i], y + (size_t)k * size), tolerance)) {
                diag("%s differs at %lld", a->name[i], (long long)k);
                return false;
            }
        for (int k = 0; k < 64; k++)
            if ((unsigned char)x[(size_t)a->count[i] * size + (size_t)k] != 0xa5) {
                diag("%s is written behind its end", a->name[i]);
                return false;
            }
    }
    return true;
}

static void buffers_free(struct buffers *b) {
    for (uint32_t i = 0; i < b->n; i++)
        free(b->at[i]);
}

static const int64_t sizes[] = {0, 1, 2, 7, 8, 9, 16, 17, 31, 33, 64, 65, 100, 133};

#endif
