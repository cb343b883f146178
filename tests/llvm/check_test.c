/* What ends a call: subscripts outside, the user's wish, no memory. Checks stand before loops where
   they can, but never fail for what would not have run; scratch memory is given back. */
#include "tests/llvm/text.h"

static void outside(const char *what, const char *text, const int64_t *symbols,
                    const char *message) {
    struct kernel k = kernel_of(text);
    static char data[1 << 16];
    void *bufs[] = {data, data + 16384, data + 32768, data + 49152};
    int status = kernel_run(&k, bufs, symbols);
    if (message) {
        is_int(status, RT_CHECK_FAILED, "%s: the call fails", what);
        is_str(k.message, message, "%s: the message", what);
    } else {
        is_int(status, RT_OK, "%s: the call succeeds", what);
    }
    kernel_free(&k);
}

static void *(*true_scratch)(struct rt_api *, int64_t);
static void (*true_free)(struct rt_api *, void *);
static int allocated, live;

static void *counting_scratch(struct rt_api *api, int64_t bytes) {
    allocated++;
    live++;
    return true_scratch(api, bytes);
}

static void counting_free(struct rt_api *api, void *p) {
    live--;
    true_free(api, p);
}

/* Failing in the innermost of three allocations leaves none behind. */
static void scratch_is_freed(void) {
    struct kernel k =
        kernel_of("in x: f32[N] in n: i64 out y: f32[N] a: f32[N, 2000] in heap = 1 "
                  "map i in 0:N { z << a[i, 0]; z - 1 >> y[i] } map i in 0:N { b: f32[4000] in "
                  "heap = 0 map j in 0:N { "
                  "c: f32[5000] in heap = 2 v << x[j]; v >> c[j]; k << n; w << c[j + k]; w >> b[j] "
                  "q << b[j]; q >> y[j] (sum) } }");
    float x[8] = {0}, y[8] = {0};
    int64_t good = 4990, bad = 5000, size = 8;
    struct rt_api *api = rt_api(test_rt());
    true_scratch = api->scratch;
    true_free = api->scratch_free;
    api->scratch = counting_scratch;
    api->scratch_free = counting_free;
    is_int(kernel_run(&k, BUFS(x, &good, y), &size), RT_OK, "three allocations");
    is_int(allocated, 1 + 8 + 64, "their number");
    is_int(live, 0, "all are freed");
    is_int(kernel_run(&k, BUFS(x, &bad, y), &size), RT_CHECK_FAILED, "fails in the innermost");
    is_int(live, 0, "all are freed again");
    api->scratch = true_scratch;
    api->scratch_free = true_free;
    kernel_free(&k);
}

static void stops(const char *text) {
    struct kernel k = kernel_of(text);
    static float x[64], y[64];
    rt_api(test_rt())->stop = 1;
    /* The body is called directly: rt_call may clear the wish. */
    int64_t size = 64;
    int status = k.run ? k.run(rt_api(test_rt()), BUFS(x, y), &size) : -1;
    rt_clear_stop(test_rt());
    is_int(status, RT_INTERRUPTED, "stops: %.60s", text);
    kernel_free(&k);
}

int main(void) {
    outside("write", "in x: f32[N] out y: f32[N] map i in 0:N { v << x[i]; v >> y[i + 1] }",
            SYMBOLS(5), "index 5 of dimension 0 is outside y, where its size is 5");
    outside("below", "in x: f32[N] out y: f32[N] map i in 0:N { v << x[i - 2]; v >> y[i] }",
            SYMBOLS(5), "index -2 of dimension 0 is outside x, where its size is 5");
    outside("no iteration", "in x: f32[N] out y: f32[N] map i in 5:N { v << x[i - 7]; v >> y[i] }",
            SYMBOLS(5), NULL);
    outside("inner loop without iterations",
            "in x: f32[N] symbol M out y: f32[N] map i in 0:N { 0 >> y[i] "
            "map j in 0:M { v << x[i + 1]; v >> y[i] (sum) } }",
            SYMBOLS(5, 0), NULL);
    outside("inner loop with iterations",
            "in x: f32[N] symbol M out y: f32[N] map i in 0:N { 0 >> y[i] "
            "map j in 0:M { v << x[i + 1]; v >> y[i] (sum) } }",
            SYMBOLS(5, 3), "index 5 of dimension 0 is outside x, where its size is 5");
    outside("steps end early",
            "in x: f32[N] out y: f32[N] map i in 0:N:4 { v << x[i + 1]; v >> y[i] }", SYMBOLS(6),
            NULL);
    outside("steps too far",
            "in x: f32[N] out y: f32[N] map i in 0:N:4 { v << x[i + 2]; v >> y[i] }", SYMBOLS(6),
            "index 6 of dimension 0 is outside x, where its size is 6");
    outside("in a branch",
            "in x: f32[N] out y: f32[N] map i in 0:N vector { 0 >> y[i] "
            "if i + 1 < N { v << x[i + 1]; v >> y[i] } }",
            SYMBOLS(21), NULL);
    outside("in lanes",
            "in x: f32[N] in k: i64[N] out y: f32[N] map i in 0:N vector { n << k[i]; "
            "v << x[n + i - 3]; v >> y[i] }",
            SYMBOLS(21), "index -3 of dimension 0 is outside x, where its size is 21");
    outside("in lanes of the tail",
            "in x: f32[M] in k: i64[N] out y: f32[N] map i in 0:N vector "
            "{ n << k[i]; v << x[n + i]; v >> y[i] }",
            SYMBOLS(19, 21), "index 19 of dimension 0 is outside x, where its size is 19");
    outside("masked lanes do not fail",
            "in x: f32[N] out y: f32[N] map i in 0:N vector { "
            "v << x[i]; if v > 1 { w << x[i + 100]; w >> y[i] } else { 3 >> y[i] } }",
            SYMBOLS(21), NULL);
    outside("tiles",
            "in x: f32[M, N] out y: f32[M, N] map io in 0:M:4 parallel, jo in 0:N:8 "
            "{ map i in 0:4 unroll, j in 0:8 vector { v << x[io + i, jo + j]; "
            "v >> y[io + i, jo + j] } }",
            SYMBOLS(8, 12), "index 15 of dimension 1 is outside x, where its size is 12");
    outside("tiles that fit",
            "in x: f32[M, N] out y: f32[M, N] map io in 0:M:4 parallel, jo in "
            "0:N:8 { map i in 0:4 unroll, j in 0:8 vector { v << x[io + i, jo + j]; "
            "v >> y[io + i, jo + j] } }",
            SYMBOLS(8, 16), NULL);
    scratch_is_freed();
    struct kernel k =
        kernel_of("in x: f32[N] out y: f32[N] t: f32[N, N, N, N] in heap "
                  "map i in 0:N { v << x[i]; v >> t[i, i, i, i]; w << t[i, 0, 0, 0]; w >> y[i] }");
    float x[1];
    is_int(kernel_run(&k, BUFS(x, x), SYMBOLS(1 << 20)), RT_NO_MEMORY, "no memory");
    kernel_free(&k);
    stops("in x: f32[N] out y: f32[N] map i in 0:N { v << x[i]; v >> y[i] }");
    stops("in x: f32[N] out y: f32[N] map i in 0:N vector { v << x[i]; v >> y[i] }");
    stops("in x: f32[N] out y: f32[N] for t in 0:1000000000000 { map i in 0:N { v << x[i]; "
          "v >> y[i] } }");
    stops("in x: f32[N] out y: f32[N] map i in 0:N parallel { 0 >> y[i] "
          "map j in 0:100000000000 { v << x[i]; v >> y[i] (sum) } }");
    return done_testing();
}
