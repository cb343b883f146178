/* Memory that a kernel finds the size of: address space, and results. */
#include "backends/rt/rt.h"
#include "tests/harness/tap.h"

#include <string.h>

static void reserves(struct rt *rt) {
    struct rt_api *api = rt_api(rt);
    enum { MANY = 20 };
    char *at[MANY];
    bool all = true, zero = true;
    for (int i = 0; i < MANY; i++) { /* more than there is memory for */
        at[i] = api->reserve(api, INT64_C(1) << 36);
        all = all && at[i] && (uintptr_t)at[i] % 64 == 0;
        if (!at[i])
            continue;
        zero = zero && at[i][0] == 0 && at[i][(INT64_C(1) << 36) - 1] == 0;
        memset(at[i], i, 10000);
        at[i][INT64_C(1) << 35] = 1;
    }
    ok(all, "address space is there");
    ok(zero, "and zero");
    for (int i = 0; i < MANY; i++)
        api->reserve_free(api, at[i]);
    api->reserve_free(api, NULL);
    ok(!api->reserve(api, -1), "less than nothing is refused");
    ok(!api->reserve(api, INT64_MAX), "and more than there are addresses");
    char *none = api->reserve(api, 0);
    ok(none != NULL, "nothing is possible");
    api->reserve_free(api, none);
}

static int32_t two_results(struct rt_api *api, void *const *bufs, const int64_t *symbols) {
    int64_t first[1] = {symbols[0]}, second[2] = {symbols[0], 2};
    (void)bufs;
    char *a = api->result(api, 2, second, 2, 4), *b = api->result(api, 0, first, 1, 8);
    if (!a || !b)
        return RT_NO_MEMORY;
    if (symbols[0])
        a[0] = 7;
    return RT_OK;
}

static void results(struct rt *rt) {
    const int64_t *dims;
    int64_t n = 3;
    const char *message;
    ok(rt_call(rt, two_results, NULL, &n, &message) == RT_OK, "a kernel finds two results");
    const char *a = rt_result(rt, 2, &dims);
    ok(a && a[0] == 7 && a[1] == 0 && (uintptr_t)a % 64 == 0, "one has memory, zeroed");
    ok(dims[0] == 3 && dims[1] == 2, "and its dimensions");
    ok(rt_result(rt, 0, &dims) && dims[0] == 3, "so has the other");
    ok(!rt_result(rt, 1, &dims) && !rt_result(rt, 3, &dims), "no more were found");
    n = 0;
    ok(rt_call(rt, two_results, NULL, &n, &message) == RT_OK, "they may be empty");
    ok(rt_result(rt, 2, &dims) && dims[0] == 0, "and have an address then");
    n = -1;
    ok(rt_call(rt, two_results, NULL, &n, &message) == RT_NO_MEMORY, "less than nothing is not");
    n = INT64_MAX / 2;
    ok(rt_call(rt, two_results, NULL, &n, &message) == RT_NO_MEMORY, "nor what is too large");
    rt_results_free(rt);
    ok(!rt_result(rt, 2, &dims), "they go when the caller says so");
}

int main(void) {
    struct rt *rt = rt_new(1);
    reserves(rt);
    results(rt);
    rt_free(rt);
    return done_testing();
}
