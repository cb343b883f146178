/* Proofs: what tiles, halos and blocked layouts need is proved, what is proved is true for all
   values in small ranges that satisfy the facts, and no question takes more than its steps. */
#include "lang/sym/sym.h"
#include "tests/harness/tap.h"
#include <ctype.h>
#include <inttypes.h>

static struct arena *arena;
static struct names *names;
static struct sym_ctx *ctx;

static void begin(void) {
    arena = arena_new();
    names = names_new(arena);
    ctx = sym_ctx_new(arena, names);
}

static void end(void) {
    arena_free(arena);
}

/* ---- Expressions and facts from text ---- */

static const char *at; /* where the reader stands */

static bool accept(const char *token) {
    while (*at == ' ')
        at++;
    size_t n = strlen(token);
    if (strncmp(at, token, n) != 0)
        return false;
    if (isalpha((unsigned char)token[n - 1]) && isalnum((unsigned char)at[n]))
        return false; /* a longer word */
    at += n;
    return true;
}

static struct sym read_sum(void);

static struct sym read_unary(void) {
    if (accept("-"))
        return sym_neg(ctx, read_unary());
    bool is_min = accept("min(");
    if (is_min || accept("max(")) {
        struct sym a = read_sum();
        accept(",");
        struct sym b = read_sum();
        accept(")");
        return is_min ? sym_min(ctx, a, b) : sym_max(ctx, a, b);
    }
    if (accept("(")) {
        struct sym a = read_sum();
        accept(")");
        return a;
    }
    const char *from = at;
    if (isdigit((unsigned char)*at)) {
        char *stop;
        int64_t v = strtoll(at, &stop, 10);
        at = stop;
        return sym_const(ctx, v);
    }
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    if (at == from) {
        fail("cannot read '%s'", at);
        exit(1);
    }
    return sym_atom(ctx, name_of(names, from, (size_t)(at - from)));
}

static struct sym read_term(void) {
    struct sym a = read_unary();
    for (;;) {
        if (accept("*"))
            a = sym_mul(ctx, a, read_unary());
        else if (accept("//"))
            a = sym_floordiv(ctx, a, read_unary());
        else if (accept("%"))
            a = sym_mod(ctx, a, read_unary());
        else
            return a;
    }
}

static struct sym read_sum(void) {
    struct sym a = read_term();
    for (;;) {
        if (accept("+"))
            a = sym_add(ctx, a, read_term());
        else if (accept("-"))
            a = sym_sub(ctx, a, read_term());
        else
            return a;
    }
}

static struct sym expr(const char *text) {
    at = text;
    return read_sum();
}

static const char *show(struct sym a) {
    struct buf b = buf_new(arena);
    sym_print(ctx, a, &b);
    return b.at;
}

/* `i in LO:HI:STEP` (half-open; the step may be missing), `LO <= i <= HI`, `i <= HI`, `LO <= i`,
   `A <= B`; separated by semicolons. */
static struct sym_facts *facts(const char *text) {
    struct sym_facts *f = sym_facts_new(arena, ctx);
    struct sym none = {0}, one = sym_const(ctx, 1);
    struct name n;
    at = text;
    while (*at) {
        struct sym a = read_sum();
        if (accept("in")) {
            struct sym lo = read_sum();
            accept(":");
            struct sym hi = read_sum();
            sym_is_atom(ctx, a, &n);
            sym_facts_bounds(f, n, lo, sym_sub(ctx, hi, one));
            if (accept(":"))
                sym_facts_step(f, n, lo, read_sum());
        } else {
            accept("<=");
            struct sym b = read_sum();
            if (accept("<=")) {
                sym_is_atom(ctx, b, &n);
                sym_facts_bounds(f, n, a, read_sum());
            } else if (sym_is_atom(ctx, b, &n)) {
                sym_facts_bounds(f, n, a, none);
            } else if (sym_is_atom(ctx, a, &n)) {
                sym_facts_bounds(f, n, none, b);
            } else {
                sym_facts_nonneg(f, sym_sub(ctx, b, a));
            }
        }
        accept(";");
        accept(" ");
    }
    return f;
}

/* ---- What must be proved ---- */

static bool ask(struct sym_facts *f, const char *question) {
    struct sym a = expr(question);
    if (accept("<="))
        return sym_prove_le(f, a, read_sum());
    if (accept("<"))
        return sym_prove_lt(f, a, read_sum());
    if (accept("=="))
        return sym_prove_eq(f, a, read_sum());
    fail("no question: %s", question);
    return false;
}

static const struct {
    const char *facts, *questions[8];
} must_prove[] = {
    /* the cases of sym.h */
    {"0 <= i <= 5; 0 <= io <= M - 6", {"io + i < M", "0 <= io + i"}},
    {"0 <= i <= 5; io in 0:M - 5:6", {"io + i < M"}},
    {"0 <= io <= 6*(M//6) - 6; 0 <= i <= 5", {"io + i < M"}},
    {"0 <= M; io in 0:M:6; 0 <= i <= min(6, M - io) - 1", {"io + i < M", "i < 6", "0 <= io + i"}},
    {"0 <= x; 1 <= n", {"x % n < n", "0 <= x % n", "x % n <= x", "x // n <= x", "0 <= x // n"}},
    {"0 <= x <= N - 1", {"x//16 < (N + 15)//16", "(x//16)*16 + x%16 == x", "x//16 <= N//16"}},
    {"", {"(x//16)*16 + x%16 == x", "(x//n)*n <= (x//n)*n", "x%16 < 16", "0 <= x%16"}},
    {"1 <= n", {"(x//n)*n + x%n == x", "(x//n)*n <= x", "x - n < (x//n)*n"}},
    /* 6x16 register tiles of a matrix product, whole and with edges */
    {"0 <= M; 0 <= N; io in 0:6*(M//6):6; jo in 0:16*(N//16):16; i in 0:6; j in 0:16",
     {"io + i < M", "jo + j < N", "(io + i)*N + jo + j < M*N", "0 <= (io + i)*N + jo + j"}},
    {"0 <= M; 0 <= N; io in 0:M:6; jo in 0:N:16; i in 0:min(6, M - io); j in 0:min(16, N - jo)",
     {"io + i < M", "jo + j < N", "(io + i)*N + jo + j < M*N", "1 <= min(6, M - io)",
      "io + min(6, M - io) <= M", "min(6, M - io) <= 6"}},
    {"0 <= M; io in 0:M//6; i in 0:6", {"6*io + i < M", "io < (M + 5)//6"}},
    {"0 <= M; io in 0:(M + 5)//6; i in 0:min(6, M - 6*io)",
     {"6*io + i < M", "1 <= min(6, M - 6*io)", "6*io < M"}},
    {"0 <= M; i in 6*(M//6):M", {"i - 6*(M//6) < 6", "0 <= i - 6*(M//6)", "i < M"}},
    {"1 <= T; 0 <= M; io in 0:T*(M//T):T; i in 0:T", {"io + i < M", "0 <= io + i"}},
    {"1 <= T; 0 <= M; io in 0:M:T; i in 0:min(T, M - io)", {"io + i < M", "i < T"}},
    {"1 <= T; 0 <= M; io in 0:M//T; i in 0:T", {"T*io + i < M", "0 <= T*io + i"}},
    /* M a multiple of the tile */
    {"0 <= M; 0 <= q; M <= 6*q; 6*q <= M; io in 0:M:6; i in 0:6", {"io + i < 6*q"}},
    {"0 <= q; io in 0:6*q:6; i in 0:6", {"io + i < 6*q", "io <= 6*q - 6"}},
    /* tiles of tiles */
    {"0 <= M; io in 0:M:96; im in 0:min(96, M - io):6; i in 0:min(6, M - io - im)",
     {"io + im + i < M", "0 <= io + im + i", "io + im < M"}},
    {"0 <= M; io in 0:M:96; im in 0:min(96, M - io):6; i in 0:min(6, min(96, M - io) - im)",
     {"io + im + i < M", "im + i < 96", "1 <= min(6, min(96, M - io) - im)"}},
    {"io in 0:96*(M//96):96; im in 0:96:6; i in 0:6; 0 <= M", {"io + im + i < M", "im + i < 96"}},
    /* convolution: inside, padded, with stride */
    {"0 <= H; i in 0:H; r in max(0, 1 - i):min(3, H + 1 - i)",
     {"0 <= i + r - 1", "i + r - 1 < H", "r < 3", "0 <= r"}},
    {"1 <= H; i in 0:H", {"max(0, 1 - i) < min(3, H + 1 - i)", "max(0, 1 - i) <= 1"}},
    {"1 <= R; R <= H; i in 0:H - R + 1; r in 0:R", {"i + r < H", "0 <= i + r"}},
    {"1 <= R; R <= H; 1 <= s; i in 0:(H - R)//s + 1; r in 0:R", {"i*s + r < H", "0 <= i*s + r"}},
    {"3 <= H; i in 0:(H - 3)//2 + 1; r in 0:3", {"2*i + r < H", "0 <= 2*i + r"}},
    {"1 <= H; i in 0:(H - 1)//2 + 1; r in max(0, 1 - 2*i):min(3, H + 1 - 2*i)",
     {"2*i + r - 1 < H", "0 <= 2*i + r - 1"}},
    {"0 <= pad; 1 <= R; R <= H + 2*pad; i in 0:H + 2*pad - R + 1; "
     "r in max(0, pad - i):min(R, H + pad - i)",
     {"0 <= i + r - pad", "i + r - pad < H", "r < R"}},
    /* blocked layouts */
    {"0 <= C; c in 0:C", {"c//16 < (C + 15)//16", "c % 16 < 16", "0 <= c//16", "0 <= c % 16"}},
    {"0 <= C; c in 0:16*C", {"c//16 < C", "16*(c//16) + c % 16 < 16*C"}},
    {"0 <= C; 1 <= H; c in 0:C; h in 0:H",
     {"((c//16)*H + h)*16 + c % 16 < ((C + 15)//16)*H*16", "0 <= ((c//16)*H + h)*16 + c % 16"}},
    {"co in 0:C; ci in 0:16", {"(16*co + ci)//16 == co", "(16*co + ci) % 16 == ci"}},
    {"1 <= n; co in 0:C; ci in 0:n", {"(n*co + ci)//n == co", "(n*co + ci) % n == ci"}},
    {"",
     {"(c//64)*4 + (c % 64)//16 == c//16", "(c//16) % 4 == (c % 64)//16",
      "((c//64)*4 + (c % 64)//16)*16 + c % 16 == c"}},
    {"",
     {"(7*N + a)//8 == N + (a - N)//8", "(c//4 + y)//2 == (c + 4*y)//8",
      "(3*x) % 4 == 3*x - 4*((3*x)//4)", "(17*i + j) % 16 == (i + j) % 16",
      "-((-N)//16) == (N + 15)//16"}},
    /* flattened and split ranges */
    {"0 <= H; 0 <= W; k in 0:H*W; 1 <= W", {"k//W < H", "k % W < W", "W*(k//W) + k % W == k"}},
    {"0 <= A; 0 <= B; 0 <= C; a in 0:A; b in 0:B; c in 0:C",
     {"(a*B + b)*C + c < A*B*C", "0 <= (a*B + b)*C + c"}},
    {"0 <= N; k in 0:N//2", {"2*k + 1 < N", "2*k < N"}},
    {"0 <= N; a in 0:N//2; b in N//2:N", {"a < b", "b < N", "a <= N//2"}},
    {"0 <= N; t in 0:8; i in (t*N)//8:((t + 1)*N)//8", {"0 <= i", "i < N"}},
    {"0 <= N; 0 <= i <= N - 1; N <= K", {"i < K", "i//16 <= K//16"}},
    {"0 <= N; 0 <= i; i + 2 <= N; 2*N <= K", {"2*i + 3 < K"}},
    /* packed and padded buffers */
    {"0 <= M; io in 0:M:6; i in 0:6",
     {"6*(io//6) + i < 6*((M + 5)//6)", "io + i < 6*((M + 5)//6)", "io//6 < (M + 5)//6"}},
    {"0 <= M; 0 <= K; io in 0:M:6; k in 0:K; i in 0:6",
     {"(io//6)*K*6 + k*6 + i < 6*K*((M + 5)//6)", "0 <= (io//6)*K*6 + k*6 + i"}},
    /* im2col, pooling, upsampling, concatenation, reversal, triangles */
    {"0 <= C; k in 0:9*C", {"k//9 < C", "(k//3) % 3 < 3", "k % 3 < 3", "9*(k//9) + k % 9 == k"}},
    {"0 <= C; 1 <= R; 1 <= S; k in 0:C*R*S",
     {"k//(R*S) < C", "(k//S) % R < R", "k % S < S", "k//S < C*R"}},
    {"0 <= H; 1 <= s; h in 0:H*s", {"h//s < H", "0 <= h//s"}},
    {"0 <= A; 0 <= B; i in A:A + B", {"i - A < B", "0 <= i - A", "i < A + B"}},
    {"0 <= N; i in 0:N", {"N - 1 - i < N", "0 <= N - 1 - i"}},
    {"0 <= N; i in 0:N; j in 0:i + 1", {"j < N", "i*N + j < N*N"}},
    {"0 <= N; io in 0:N:32; i in 0:min(32, N - io); jo in 0:io + 1:32; j in 0:min(32, N - jo)",
     {"io + i < N", "jo + j < N", "jo <= io"}},
    /* tile footprints with halos */
    {"0 <= H; io in 0:H:8; i in 0:min(8, H - io); r in max(0, 1 - io - i):min(3, H + 1 - io - i)",
     {"max(0, io - 1) <= io + i + r - 1", "io + i + r - 1 < min(H, io + 9)",
      "io + i + r - 1 - max(0, io - 1) < 10"}},
    /* main loop and rest; threads */
    {"0 <= N; i in 0:4*(N//4):4", {"i + 3 < N"}},
    {"0 <= N; i in 0:4*(N//4):4; k in 4*(N//4):N", {"i + 3 < k", "k < N"}},
    {"0 <= N; 1 <= T; t in 0:T; i in t*((N + T - 1)//T):min(N, (t + 1)*((N + T - 1)//T))",
     {"0 <= i", "i < N", "i - t*((N + T - 1)//T) < (N + T - 1)//T"}},
    {"0 <= N; 1 <= T", {"N <= T*((N + T - 1)//T)", "T*(N//T) <= N", "N//T <= (N + T - 1)//T"}},
    {"0 <= N; 1 <= T; t in 0:T; i in (t*N)//T:((t + 1)*N)//T", {"0 <= i", "i < N"}},
    {"0 <= N; 1 <= n; b in 0:(N + n - 1)//n; i in 0:n",
     {"b*n + i < n*((N + n - 1)//n)", "b*n < N"}},
    {"",
     {"min(a, b) <= a", "min(a, b) <= max(a, b)", "min(a, b) + max(a, b) == a + b",
      "min(a + c, b + c) == min(a, b) + c", "max(a, 0) - max(-a, 0) == a"}},
    {"0 <= a; 0 <= b", {"max(a, b) <= a + b", "0 <= a*b", "min(a, b) <= a + b", "0 <= a*a*b"}},
    {"a in 4:8", {"2*a <= 14", "a//4 == 1", "a % 4 == a - 4"}},
    {"0 <= M; io in 0:M:8; ii in io:min(io + 8, M)", {"ii < M", "ii - io < 8", "0 <= ii"}},
    {"0 <= M; io in 0:M:8; ii in io:min(io + 8, M):2", {"ii < M", "ii - io <= 6"}},
};

static void test_must_prove(void) {
    for (size_t k = 0; k < sizeof must_prove / sizeof *must_prove; k++) {
        begin();
        struct sym_facts *f = facts(must_prove[k].facts);
        for (size_t q = 0; q < 8 && must_prove[k].questions[q]; q++) {
            const char *question = must_prove[k].questions[q];
            uint64_t before = sym_steps(ctx);
            ok(ask(f, question), "%s  |-  %s", must_prove[k].facts, question);
            ok(sym_steps(ctx) - before < SYM_PROOF_STEPS, "in %" PRIu64 " steps",
               sym_steps(ctx) - before);
        }
        end();
    }
}

/* What looks like it follows, and does not. */
static const struct {
    const char *facts, *questions[6];
} must_not_prove[] = {
    {"0 <= N; -N <= x; 0 <= x", {"N*N <= x*x", "N <= x", "1 <= x"}},
    {"0 <= x; x <= N; -2 <= y; y <= 3", {"x*y <= N*y", "x*y <= 3*x - 1"}},
    {"", {"x % n < n", "0 <= x % n", "(x//n)*n <= x", "x//n <= x", "x - 16*(x//16) <= 14"}},
    {"0 <= x; 0 <= n", {"x % n < n", "(x//n)*n + x % n == x", "n//n == 1", "1 <= x//n"}},
    {"0 <= i <= 5; 0 <= io <= M - 5", {"io + i < M"}},
    {"0 <= M; io in 0:M:6; i in 0:6", {"io + i < M", "io <= M - 6"}},
    {"0 <= M; io in 0:M:6; 0 <= i <= min(6, M - io)", {"io + i < M", "i < 6"}},
    {"0 <= H; i in 0:H; r in max(0, 1 - i):min(3, H + 2 - i)", {"i + r - 1 < H"}},
    {"1 <= T; 0 <= M; io in 0:M:T; i in 0:T", {"io + i < M"}},
    {"0 <= N", {"N <= 16*(N//16)", "(N + 15)//16 <= N//16", "(N + 14)//16*16 <= N + 13"}},
    {"", {"min(a, b) + max(a, c) <= a + b", "a <= min(a, b)", "max(a, b) <= a", "a*b <= a*a"}},
};

static void test_must_not_prove(void) {
    for (size_t k = 0; k < sizeof must_not_prove / sizeof *must_not_prove; k++) {
        begin();
        struct sym_facts *f = facts(must_not_prove[k].facts);
        for (size_t q = 0; q < 6 && must_not_prove[k].questions[q]; q++)
            ok(!ask(f, must_not_prove[k].questions[q]), "%s  not |-  %s", must_not_prove[k].facts,
               must_not_prove[k].questions[q]);
        end();
    }
}

/* ---- Bounds, simplification, multiples ---- */

static void test_bounds(void) {
    static const struct {
        const char *facts, *expr;
        int64_t lower, upper; /* INT64_MIN, INT64_MAX: must not be found */
    } cases[] = {
        {"a in 3:10", "2*a - 1", 5, 17},
        {"a in 0:20:6", "a", 0, 18},
        {"a in 0:10; b in 0:a + 1", "a - b", 0, 9},
        {"a in 0:10; b in 0:a + 1", "a*b", 0, 81},
        {"0 <= N", "N % 16 + min(N, 3)", 0, 18},
        {"0 <= N", "N - 16*(N//16)", 0, 15},
        {"", "a - min(a, b)", 0, INT64_MAX},
        {"", "a", INT64_MIN, INT64_MAX},
        {"0 <= N; i in 0:N", "N - i", 1, INT64_MAX},
        {"io in 0:40:8; i in 0:8", "io + i", 0, 39},
        {"", "4 - 3", 1, 1},
        {"1000000000 <= N", "N*N", INT64_C(1000000000000000000), INT64_MAX},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        struct sym_facts *f = facts(cases[k].facts);
        struct sym a = expr(cases[k].expr);
        int64_t lo = INT64_MIN, hi = INT64_MAX;
        ok(sym_lower_bound(f, a, &lo) == (cases[k].lower != INT64_MIN), "lower bound of %s",
           cases[k].expr);
        is_int(lo, cases[k].lower, "which is the greatest");
        ok(sym_upper_bound(f, a, &hi) == (cases[k].upper != INT64_MAX), "upper bound of %s",
           cases[k].expr);
        is_int(hi, cases[k].upper, "which is the least");
        end();
    }
}

static void test_simplify(void) {
    static const struct {
        const char *facts, *from, *to;
    } cases[] = {
        {"i in 0:16", "i//16", "0"},
        {"i in 0:16", "(i + 5) % 32", "i + 5"},
        {"io in 0:N:6; i in 0:6", "(io + i)//6", "io//6"},
        {"io in 0:N:6; i in 0:6", "(io + i) % 6", "i"},
        {"io in 0:N:6; i in 0:6", "6*(io//6) + i", "i + io"},
        {"", "16*(c//16) + c % 16", "c"},
        {"", "H*(16*(c//16) + c % 16)", "H*c"},
        {"1 <= n", "n*(c//n) + c % n", "c"},
        {"", "n*(c//n) + c % n", "n*(c//n) + c % n"}, /* not so for n = 0 */
        {"1 <= N", "N//N", "1"},
        {"0 <= N", "N//N", "N//N"},
        {"0 <= j; j <= N - 1", "(i*N + j)//N", "i"},
        {"0 <= j; j <= N - 1", "(i*N + j) % N", "j"},
        {"0 <= H; 0 <= j; j <= H", "(i*(H + 1) + j)//(H + 1)", "i"},
        {"0 <= M; io in 0:6*(M//6):6", "min(6, M - io)", "6"},
        {"0 <= M; io in 0:M:6", "max(0, min(6, M - io))", "min(6, M - io)"},
        {"0 <= a; a <= b; b <= c", "min(c, min(b, a))", "a"},
        {"0 <= a; a <= b", "min(c, min(b, a))", "min(a, c)"},
        {"0 <= a; a <= b; b <= c", "max(c, max(b, a)) + min(0, a)", "c"},
        {"i in 0:H", "max(0, 1 - i)", "max(0, 1 - i)"},
        {"i in 1:H", "max(0, 1 - i)", "0"},
        {"M in 0:600:6", "6*(M//6)", "M"},
        {"M in 0:600:6", "(M + 5)//6*6", "M"},
        {"M in 0:600:6", "M % 6 + M % 3", "0"},
        {"0 <= C; c in 0:C", "min(C, c + 1)", "c + 1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin();
        struct sym_facts *f = facts(cases[k].facts);
        is_str(show(sym_simplify(f, expr(cases[k].from))), cases[k].to, "%s  |-  %s",
               cases[k].facts, cases[k].from);
        end();
    }
}

static void test_multiples(void) {
    begin();
    struct sym_facts *f = facts("io in 0:N:6; im in io:M:4; k in 3:K:10; z in T:N:8");
    ok(sym_prove_multiple(f, expr("io"), 6), "a range of step 6 from 0");
    ok(sym_prove_multiple(f, expr("io"), 3), "and of 3");
    ok(!sym_prove_multiple(f, expr("io"), 4), "not of 4");
    ok(sym_prove_multiple(f, expr("im"), 2), "steps 6 and 4 have 2 in common");
    ok(!sym_prove_multiple(f, expr("im"), 4), "but not 4");
    ok(sym_prove_multiple(f, expr("k - 3"), 10), "a range from 3");
    ok(sym_prove_multiple(f, expr("k + 2"), 5), "shifted");
    ok(sym_prove_multiple(f, expr("io*k + 12*N"), 6), "products and sums");
    ok(sym_prove_multiple(f, expr("2*(io//2)"), 6), "quotients");
    ok(sym_prove_multiple(f, expr("min(io, 12*N) % 36"), 6), "min and remainder");
    ok(!sym_prove_multiple(f, expr("z"), 8), "a range from an unknown number");
    ok(sym_prove_multiple(f, expr("0"), 7) && sym_prove_multiple(f, expr("0"), 0), "zero");
    ok(!sym_prove_multiple(f, expr("N"), 0), "nothing else is a multiple of 0");
    ok(sym_prove_multiple(f, expr("N"), 1) && sym_prove_multiple(f, expr("io"), -6), "1 and -6");
    end();
}

static void test_stack(void) {
    begin();
    struct sym_facts *f = facts("0 <= N");
    uint32_t outer = sym_facts_mark(f);
    struct sym i = expr("i"), none = {0};
    struct name n;
    sym_is_atom(ctx, i, &n);
    ok(!ask(f, "0 <= i"), "nothing is known of i");
    sym_facts_bounds(f, n, expr("0"), none);
    uint32_t inner = sym_facts_mark(f);
    ok(ask(f, "0 <= i"), "a bound");
    ok(!ask(f, "i < N"), "only one");
    sym_facts_nonneg(f, expr("N - 1 - i"));
    ok(ask(f, "i < N") && ask(f, "1 <= N"), "with a fact more");
    sym_facts_bounds(f, n, none, expr("3"));
    ok(ask(f, "i < N") && ask(f, "i < 4"), "bounds add up");
    sym_facts_restore(f, inner);
    ok(ask(f, "0 <= i") && !ask(f, "i < N") && !ask(f, "i < 4"), "restored to one bound");
    sym_facts_restore(f, outer);
    ok(!ask(f, "0 <= i"), "restored to nothing");
    sym_facts_bounds(f, n, expr("1"), expr("1"));
    ok(ask(f, "i == 1") && ask(f, "i*N == N"), "a bound that is both");
    end();
}

/* ---- Soundness ---- */

static uint64_t state;

static uint32_t below(uint32_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

enum { ATOMS = 4, LOW = -3, HIGH = 6, POINTS = 10000 };

static struct name atom[ATOMS];
static int64_t point[POINTS][ATOMS];
static uint32_t npoints;

static bool value_of(void *data, struct name n, int64_t *v) {
    const int64_t *values = data;
    for (int k = 0; k < ATOMS; k++)
        if (name_eq(n, atom[k]))
            return *v = values[k], true;
    return false;
}

static int64_t value(struct sym a, int64_t *values) {
    int64_t v = 0;
    if (!sym_eval(ctx, a, value_of, values, &v))
        fail("no value: %s", show(a));
    return v;
}

/* Over the first N atoms. */
static struct sym random_expr(int n, int depth) {
    if (depth == 0 || below(6) == 0)
        return n == 0 || below(3) == 0 ? sym_const(ctx, (int64_t)below(14) - 4)
                                       : sym_atom(ctx, atom[below((uint32_t)n)]);
    struct sym a = random_expr(n, depth - 1), b = random_expr(n, depth - 1);
    struct sym small = sym_const(ctx, 1 + (int64_t)below(6));
    switch (below(12)) {
    case 0:
    case 1:
    case 2: return sym_add(ctx, a, b);
    case 3:
    case 4: return sym_sub(ctx, a, b);
    case 5: return sym_mul(ctx, a, small);
    case 6: return sym_mul(ctx, a, b);
    case 7: return sym_floordiv(ctx, a, below(4) ? small : b);
    case 8: return sym_mod(ctx, a, below(4) ? small : b);
    case 9: return sym_max(ctx, a, b);
    default: return sym_min(ctx, a, b);
    }
}

/* Facts about the atoms, each over those before; POINT holds all values in LOW .. HIGH for which
   they hold (at most POINTS). */
static struct sym_facts *random_facts(void) {
    struct sym_facts *f = sym_facts_new(arena, ctx);
    struct sym none = {0}, lo[ATOMS] = {{0}}, hi[ATOMS] = {{0}}, step[ATOMS] = {{0}};
    struct sym nonneg[2] = {{0}};
    for (int k = 0; k < ATOMS; k++) {
        if (below(8))
            lo[k] = below(2) ? sym_const(ctx, (int64_t)below(4) - 1) : random_expr(k, 1);
        if (below(3))
            hi[k] = below(3) ? random_expr(k, 2) : sym_const(ctx, 2 + (int64_t)below(7));
        if (!sym_none(lo[k]) && below(3) == 0)
            step[k] = below(4) || k == 0 ? sym_const(ctx, 2 + (int64_t)below(3))
                                         : sym_atom(ctx, atom[below((uint32_t)k)]);
        sym_facts_bounds(f, atom[k], lo[k], hi[k]);
        if (!sym_none(step[k]))
            sym_facts_step(f, atom[k], lo[k], step[k]);
    }
    for (int k = 0; k < 2; k++)
        if (below(3) == 0)
            sym_facts_nonneg(f, nonneg[k] = random_expr(ATOMS, 2));
    npoints = 0;
    int64_t v[ATOMS];
    int span = HIGH - LOW + 1, all = span * span * span * span;
    for (int at_point = 0; at_point < all && npoints < POINTS; at_point++) {
        bool good = true;
        for (int k = 0, rest = at_point; k < ATOMS; k++, rest /= span)
            v[k] = LOW + rest % span;
        for (int k = 0; k < ATOMS && good; k++) {
            good = (sym_none(lo[k]) || v[k] >= value(lo[k], v)) &&
                   (sym_none(hi[k]) || v[k] <= value(hi[k], v));
            if (good && !sym_none(step[k])) {
                int64_t s = value(step[k], v), d = v[k] - value(lo[k], v);
                good = s > 0 ? d % s == 0 : false;
            }
        }
        for (int k = 0; k < 2 && good; k++)
            good = sym_none(nonneg[k]) || value(nonneg[k], v) >= 0;
        if (good)
            memcpy(point[npoints++], v, sizeof v);
    }
    (void)none;
    return f;
}

static int wrong, asked, attained, proved_attained;
static uint64_t most_steps;

static void check(bool good, const char *what, struct sym a) {
    asked++;
    if (!good && wrong++ < 10)
        diag("wrong: %s of %s", what, show(a));
}

static void count_steps(uint64_t *from) {
    uint64_t now = sym_steps(ctx);
    most_steps = now - *from > most_steps ? now - *from : most_steps;
    *from = now;
}

/* Asks about A whose least and greatest values are LO and HI: nothing beyond may be proved. */
static void question(struct sym_facts *f, struct sym a) {
    int64_t lo = INT64_MAX, hi = INT64_MIN, v;
    for (uint32_t k = 0; k < npoints; k++) {
        v = value(a, point[k]);
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    struct sym least = sym_const(ctx, lo), greatest = sym_const(ctx, hi);
    uint64_t steps = sym_steps(ctx);
    check(!sym_prove_lt(f, least, a), "a lower bound", a);
    count_steps(&steps);
    check(!sym_prove_lt(f, a, greatest), "an upper bound", a);
    count_steps(&steps);
    attained += 2;
    proved_attained += sym_prove_le(f, least, a);
    count_steps(&steps);
    proved_attained += sym_prove_le(f, a, greatest);
    count_steps(&steps);
    if (lo != hi)
        check(!sym_prove_eq(f, a, least), "an equation", a);
    steps = sym_steps(ctx);
    if (sym_lower_bound(f, a, &v))
        check(v <= lo, "the constant lower bound", a);
    count_steps(&steps);
    if (sym_upper_bound(f, a, &v))
        check(v >= hi, "the constant upper bound", a);
    count_steps(&steps);
    struct sym s = sym_simplify(f, a);
    count_steps(&steps);
    bool same = true, multiple[6] = {0, 1, 1, 1, 1, 1};
    for (uint32_t k = 0; k < npoints; k++) {
        v = value(a, point[k]);
        same &= value(s, point[k]) == v;
        for (int m = 1; m < 6; m++)
            multiple[m] &= v % m == 0;
    }
    check(same, "simplification", a);
    for (int m = 1; m < 6; m++)
        check(multiple[m] || !sym_prove_multiple(f, a, m), "a multiple", a);
}

/* A fact that is true but ties so many atoms together that the prover looks at no samples: then
   each move of the search has to be sound by itself. */
static void blind(struct sym_facts *f) {
    struct sym sum = sym_const(ctx, 1000);
    char text[16];
    for (int k = 0; k < ATOMS; k++)
        sum = sym_add(ctx, sum, sym_atom(ctx, atom[k]));
    for (int k = 0; k < 30; k++) {
        snprintf(text, sizeof text, "z%d", k);
        sum = sym_add(ctx, sum, expr(text));
    }
    sym_facts_nonneg(f, sum);
}

static void test_soundness(void) {
    int rounds = 0;
    state = UINT64_C(88172645463325252);
    for (int round = 0; round < 400; round++) {
        begin();
        for (int k = 0; k < ATOMS; k++)
            atom[k] = name_of(names, &"abcd"[k], 1);
        struct sym_facts *f = random_facts();
        if (round % 2)
            blind(f);
        rounds += npoints > 0;
        for (int q = 0; q < 12 && npoints > 0; q++)
            question(f, random_expr(ATOMS, 1 + (int)below(3)));
        end();
    }
    ok(rounds > 150, "%d sets of facts that can hold", rounds);
    is_int(wrong, 0, "no wrong answer among %d", asked);
    ok(proved_attained > attained / 2, "%d of %d attained bounds are proved", proved_attained,
       attained);
    ok(most_steps < 2 * SYM_PROOF_STEPS, "no question takes more than its steps: %" PRIu64,
       most_steps);
}

/* ---- Hostile questions ---- */

static void test_bounded_work(void) {
    begin();
    struct sym_facts *f = facts("0 <= a; 0 <= b; b <= a + c");
    struct sym deep = expr("a"), wide = expr("b"), dense = expr("a + b + c + 1");
    for (int k = 0; k < 60; k++) {
        struct sym n = sym_const(ctx, k + 2);
        deep = k % 2 ? sym_min(ctx, sym_add(ctx, deep, n), sym_mul(ctx, deep, expr("c")))
                     : sym_max(ctx, sym_floordiv(ctx, deep, n), sym_sub(ctx, expr("b"), deep));
        char text[64];
        snprintf(text, sizeof text, "min(x%d, y%d)//%d", k, k, k + 2);
        wide = sym_add(ctx, wide, expr(text));
    }
    for (int k = 0; k < 6; k++)
        dense = sym_mul(ctx, dense, dense);
    struct sym all[] = {deep, wide, dense, sym_mod(ctx, deep, wide), sym_sub(ctx, dense, wide)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        uint64_t from = sym_steps(ctx);
        int64_t v;
        sym_prove_nonneg(f, all[k]);
        sym_lower_bound(f, all[k], &v);
        sym_simplify(f, all[k]);
        ok(sym_steps(ctx) - from < 10 * SYM_PROOF_STEPS, "hostile question %zu: %" PRIu64 " steps",
           k, sym_steps(ctx) - from);
    }
    for (int k = 0; k < 200; k++) {
        char text[64];
        snprintf(text, sizeof text, "n%d - n%d", k, k + 1);
        sym_facts_nonneg(f, expr(text));
    }
    uint64_t from = sym_steps(ctx);
    sym_prove_nonneg(f, expr("n0 - n200"));
    ok(sym_steps(ctx) - from < 2 * SYM_PROOF_STEPS, "a chain of 200 facts: %" PRIu64 " steps",
       sym_steps(ctx) - from);
    end();
}

int main(void) {
    test_must_prove();
    test_must_not_prove();
    test_bounds();
    test_simplify();
    test_multiples();
    test_stack();
    test_soundness();
    test_bounded_work();
    return done_testing();
}
