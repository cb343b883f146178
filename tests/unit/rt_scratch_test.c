/* Scratch memory: alignment, order of freeing, reuse, limits, one stack per thread. */
#include "backends/rt/rt.h"
#include "tests/harness/tap.h"

static bool holds(const unsigned char *p, size_t n, unsigned char c) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != c)
            return false;
    return true;
}

static void test_blocks(void) {
    struct rt *rt = rt_new(1);
    struct rt_api *api = rt_api(rt);
    enum { N = 200 };
    unsigned char *at[N];
    size_t size[N];
    bool aligned = true, kept = true;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            size[i] = (size_t)(i * i * 37 % 50000 + (i % 50 == 49 ? 3000000 : 0));
            at[i] = api->scratch(api, (int64_t)size[i]);
            aligned &= at[i] && (uintptr_t)at[i] % 64 == 0;
            memset(at[i], i, size[i]);
        }
        for (int i = N; i-- > 0;) {
            kept &= holds(at[i], size[i], (unsigned char)i);
            api->scratch_free(api, at[i]);
        }
    }
    ok(aligned, "blocks are aligned to 64");
    ok(kept, "blocks do not overlap");

    void *a = api->scratch(api, 100), *b = api->scratch(api, 0), *c = api->scratch(api, 1);
    ok(a && b && c && a != b && b != c, "each block has its own place, even of size 0");
    api->scratch_free(api, c);
    ok(api->scratch(api, 64) == c, "a freed block is reused");
    api->scratch_free(api, b);
    ok(api->scratch(api, 64) == b, "freeing one frees those after it");
    api->scratch_free(api, a);
    api->scratch_free(api, NULL);
    api->scratch_free(api, c);
    ok(api->scratch(api, 64) == a, "freeing twice or nothing does no harm");

    ok(!api->scratch(api, -1), "no negative size");
    ok(!api->scratch(api, INT64_MIN), "not the smallest either");
    ok(!api->scratch(api, INT64_MAX), "no impossible size");
    ok(!api->scratch(api, INT64_MAX / 8), "nor one that the system does not have");
    ok(api->scratch(api, 1000) != NULL, "and then it still works");
    rt_free(rt);
}

static size_t size_of_block(int i) {
    return i < 3000 ? 64 : (size_t)(64 + i % 3 * 64);
}

/* Blocks that fill chunks to the end, and one free for many of them. */
static void test_full_chunks(void) {
    struct rt *rt = rt_new(1);
    struct rt_api *api = rt_api(rt);
    bool kept = true;
    for (int round = 0; round < 3; round++) {
        enum { N = 6000 };
        static unsigned char *at[N];
        for (int i = 0; i < N; i++) {
            at[i] = api->scratch(api, (int64_t)size_of_block(i));
            memset(at[i], i, size_of_block(i));
        }
        for (int i = 0; i < N; i++)
            kept &= holds(at[i], size_of_block(i), (unsigned char)i);
        api->scratch_free(api, at[1]);
        kept &= api->scratch(api, 1) == at[1];
        api->scratch_free(api, at[0]);
    }
    ok(kept, "chunks are filled and freed as a whole");
    rt_free(rt);
}

struct stacks {
    void *first[4];
    bool good[4];
};

static int32_t use_stack(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    struct stacks *s = env;
    for (int64_t i = begin; i < end; i++) {
        s->good[i] = true;
        unsigned char *p[50];
        for (int k = 0; k < 50; k++) {
            p[k] = api->scratch(api, 5000);
            memset(p[k], (int)(k + i * 50), 5000);
        }
        for (int k = 50; k-- > 0;) {
            s->good[i] &= holds(p[k], 5000, (unsigned char)(k + i * 50));
            api->scratch_free(api, p[k]);
        }
        s->first[i] = p[0];
    }
    return RT_OK;
}

static void test_threads(void) {
    struct rt *rt = rt_new(4);
    struct rt_api *api = rt_api(rt);
    struct stacks s = {0};
    bool good = true;
    for (int round = 0; round < 50; round++) {
        api->parallel(api, use_stack, &s, 4);
        for (int i = 0; i < 4; i++)
            good &= s.good[i];
    }
    ok(good, "threads do not share blocks");
    bool differ = true;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            differ &= s.first[i] != s.first[k];
    ok(differ, "each has its own stack");
    rt_free(rt);
}

static void *seen[3];

/* Ends without freeing, as a kernel that failed. */
static int32_t leaves(struct rt_api *api, void *const *bufs, const int64_t *symbols) {
    (void)bufs;
    seen[*symbols] = api->scratch(api, 100000);
    for (int k = 0; k < 20; k++)
        memset(api->scratch(api, 300000), k, 300000);
    return RT_CHECK_FAILED;
}

static void test_reset(void) {
    struct rt *rt = rt_new(1);
    for (int64_t k = 0; k < 3; k++)
        rt_call(rt, leaves, NULL, &k, NULL);
    ok(seen[1] && seen[1] == seen[2], "after a call all blocks are free again, in one chunk");
    rt_free(rt);
}

int main(void) {
    test_blocks();
    test_full_chunks();
    test_threads();
    test_reset();
    return done_testing();
}
