/* What the generated code looks like where speed hangs on it: how many multiply-adds the innermost
   loop of a register tile has, that nothing in it goes through the stack, and that nothing outside
   is called. For a processor with AVX2 and one with AVX-512, whatever this machine is. Then: every
   target compiles everything. */
#include "tests/llvm/text.h"

static const char gemm[] =
    "in A: f32[M, K] in B: f32[K, N] out C: f32[M, N] "
    "map io in 0:M:%d parallel, jo in 0:N:%d { acc: f32[%d, %d] in register = 0 "
    "map k in 0:K seq, i in 0:min(%d, M - io) unroll, j in 0:min(%d, N - jo) vector "
    "{ a << A[io + i, k]; b << B[k, jo + j]; a * b >> acc[i, j] (sum) } "
    "map i in 0:min(%d, M - io) unroll, j in 0:min(%d, N - jo) vector "
    "{ v << acc[i, j]; v >> C[io + i, jo + j] } }";

static const char conv[] =
    "in x: f32[4, 54, 54, 16] in w: f32[4, 4, 3, 3, 16, 16] out y: f32[4, 54, 54, 16] "
    "map ob in 0:4 parallel, h in 0:54 parallel, wo in 0:54:%d { acc: f32[%d, 16] in register = 0 "
    "map cb in 0:4 seq, r in 0:3 seq, s in 0:3 seq, ci in 0:16 unroll(4), p in 0:%d unroll, "
    "o in 0:16 vector { a << x[cb, h + r - 1, wo + p + s - 1, ci else 0]; "
    "b << w[ob, cb, r, s, ci, o]; a * b >> acc[p, o] (sum) } "
    "map p in 0:%d unroll, o in 0:16 vector { v << acc[p, o]; v >> y[ob, h, wo + p, o] } }";

static const char softmax[] =
    "in x: f32[M, N] out y: f32[M, N] map i in 0:M parallel { m: f32 in register = -inf "
    "s: f32 in register = 0 map j in 0:N vector(4) { v << x[i, j]; v >> m (max) } "
    "map j in 0:N vector(2) { v << x[i, j]; t << m; e = exp(v - t); e >> y[i, j]; e >> s (sum) } "
    "map j in 0:N vector(4) { e << y[i, j]; t << s; e / t >> y[i, j] } }";

/* Everything that f16 and bf16 are converted from and to. */
static const char halves[] =
    "in x: %s[N] in d: f64[N] in k: i64[N] in u: u64[N] in n: i32[N] out y: %s[N] out b: u8[N] "
    "map i in 0:N %s { v << x[i]; a << d[i]; l << k[i]; w << u[i]; s << n[i]; "
    "e = %s(a) * exp(v) + %s(l) / sqrt(v) - %s(w) * tanh(%s(s)) + log(floor(v)); "
    "select(v > e, round(e), -v) >> y[i]; u8(e) >> b[i] }";

static const char blend[] =
    "in x: f16[N] in z: f16[N] out y: f16[N] map i in 0:N vector { v << x[i]; w << z[i]; "
    "select(v > w, v * w + v, w) >> y[i] }";

static bool next_line(const char **at, char *line, size_t size) {
    if (!**at)
        return false;
    size_t n = strcspn(*at, "\n");
    snprintf(line, size, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == '\n');
    return true;
}

/* Of the loop (label to jump back) with the most lines that hold WORD. */
static void densest_loop(const char *assembly, const char *word, int *words, int *stack) {
    char label[64] = "", line[256];
    int w = 0, s = 0;
    *words = *stack = 0;
    for (const char *at = assembly; next_line(&at, line, sizeof line);) {
        if (line[0] == '.' && line[1] == 'L' && strchr(line, ':')) {
            snprintf(label, sizeof label, "%.*s", (int)strcspn(line, ":"), line);
            w = s = 0;
            continue;
        }
        w += strstr(line, word) != NULL;
        s += strstr(line, "(%rsp)") != NULL;
        if (*label && line[0] == '\t' && line[1] == 'j' && strstr(line, label) && w > *words) {
            *words = w;
            *stack = s;
        }
    }
}

static void check_loop(const char *what, const char *text, const char *cpu, int multiplies) {
    struct llvm_options o = test_options();
    int words, stack;
    if (!ok(target_named(&o.target, cpu), "the target %s", cpu))
        return;
    struct kernel k = kernel_with(text, &o);
    densest_loop(k.code.assembly ? k.code.assembly : "", "vfmadd", &words, &stack);
    is_int(words, multiplies, "%s, %s: multiply-adds in the innermost loop", what, cpu);
    is_int(stack, 0, "%s, %s: nothing of it on the stack", what, cpu);
    kernel_free(&k);
}

static void compiles_for_all(const char *what, const char *text) {
    for (uint32_t i = 0; target_name(i); i++) {
        struct llvm_options o = test_options();
        target_named(&o.target, target_name(i));
        o.keep_asm = o.keep_ir = false;
        struct kernel k = kernel_with(text, &o);
        ok(k.run != NULL, "%s for %s", what, target_name(i));
        kernel_free(&k);
    }
}

/* The end of a range of bytes is no question for each lane. */
static void narrow_edges(const char *cpu) {
    struct llvm_options o = test_options();
    target_named(&o.target, cpu);
    struct kernel k = kernel_with("in x: u8[N] in z: i16[N] out y: u8[N] out b: bool[N] "
                                  "map i in 0:N vector { v << x[i]; w << z[i]; "
                                  "max(v, u8(w)) >> y[i]; v > 7 >> b[i] }",
                                  &o);
    const char *text = k.code.assembly ? k.code.assembly : "";
    int lanes = 0;
    for (const char *at = text; (at = strstr(at, "\tvpextr")); at++)
        lanes++;
    for (const char *at = text; (at = strstr(at, "\tvpinsr")); at++)
        lanes++;
    ok(*text && lanes == 0, "edges of bytes for %s: %d moves of one lane", cpu, lanes);
    kernel_free(&k);
}

/* Halves are converted in lanes, and nothing is done one lane after the other. */
static void halves_in_lanes(void) {
    struct llvm_options o = test_options();
    int words, stack;
    target_named(&o.target, "haswell");
    struct kernel k = kernel_with(blend, &o);
    densest_loop(k.code.assembly ? k.code.assembly : "", "vcvtph2ps", &words, &stack);
    ok(words >= 2 && words <= 4, "f16 is converted in lanes: %d", words);
    ok(k.code.assembly && !strstr(k.code.assembly, "ucomiss"), "and compared in lanes");
    kernel_free(&k);
}

static void deterministic(const char *text) {
    struct kernel a = kernel_of(text), b = kernel_of(text);
    ok(a.code.n == b.code.n && a.code.n && memcmp(a.code.object, b.code.object, a.code.n) == 0,
       "the same text gives the same bytes");
    kernel_free(&a);
    kernel_free(&b);
}

int main(void) {
    char text[2048];
    snprintf(text, sizeof text, gemm, 6, 16, 6, 16, 6, 16, 6, 16);
    check_loop("GEMM 6x16", text, "haswell", 12);
    check_loop("GEMM 6x16", text, "znver3", 12);
    compiles_for_all("GEMM", text);
    deterministic(text);
    snprintf(text, sizeof text, gemm, 12, 32, 12, 32, 12, 32, 12, 32);
    check_loop("GEMM 12x32", text, "skylake-avx512", 24);
    check_loop("GEMM 12x32", text, "znver5", 24);
    snprintf(text, sizeof text, conv, 6, 6, 6, 6);
    check_loop("convolution 6x16", text, "haswell", 48);
    check_loop("convolution 6x16", text, "znver3", 48);
    compiles_for_all("convolution", text);
    snprintf(text, sizeof text, conv, 18, 18, 18, 18);
    check_loop("convolution 18x16", text, "skylake-avx512", 72);
    compiles_for_all("softmax", softmax);
    for (int i = 0; i < 4; i++) {
        const char *t = i / 2 ? "bf16" : "f16";
        snprintf(text, sizeof text, halves, t, t, i % 2 ? "vector" : "", t, t, t, t);
        compiles_for_all(t, text); /* a call of a library is refused */
    }
    halves_in_lanes();
    narrow_edges("haswell");
    narrow_edges("skylake-avx512");
    deterministic(softmax);
    return done_testing();
}
