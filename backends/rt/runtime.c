/* The runtime's life, calls of kernels, and how their failures become messages.
   Failed checks are kept per thread; the message is that of the lowest piece, which is the first
   one by position whatever the number of threads. */
#include "backends/rt/state.h"

#include <emmintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPIN_NS = 200 * 1000 };

static void fail(struct rt_api *api, const char *message, int64_t a, int64_t b, int64_t site,
                 int64_t dim) {
    struct rt_failure *f = &rt_here((struct rt *)api)->failure;
    if (!f->message)
        *f = (struct rt_failure){message, a, b, site, dim};
}

static void stamp(struct rt_api *api, int64_t node) {
    struct rt *rt = (struct rt *)api;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (rt->stamps && rt->stamp_count < rt->stamp_room)
        rt->stamps[rt->stamp_count] =
            (struct rt_stamp){node, (int64_t)t.tv_sec * 1000000000 + t.tv_nsec};
    rt->stamp_count++;
}

size_t rt_stamps(struct rt *rt, struct rt_stamp *at, size_t n) {
    size_t count = rt->stamp_count;
    rt->stamps = at;
    rt->stamp_room = n;
    rt->stamp_count = 0;
    return count;
}

static int threads_wanted(void) {
    const char *text = getenv("DCL_THREADS");
    if (text && *text) {
        char *end = NULL;
        long n = strtol(text, &end, 10);
        if (!*end && n >= 1)
            return n > RT_MAX_THREADS ? RT_MAX_THREADS : (int)n;
    }
    return rt_processors();
}

struct rt *rt_new(int threads) {
    if (threads <= 0)
        threads = threads_wanted();
    if (threads > RT_MAX_THREADS)
        threads = RT_MAX_THREADS;
    struct rt *rt = aligned_alloc(_Alignof(struct rt), sizeof *rt);
    struct rt_thread *t = aligned_alloc(_Alignof(struct rt_thread), sizeof *t * (size_t)threads);
    if (!rt || !t) {
        free(rt);
        free(t);
        return NULL;
    }
    memset(rt, 0, sizeof *rt);
    memset(t, 0, sizeof *t * (size_t)threads);
    for (int k = 0; k < threads; k++)
        t[k].rt = rt;
    rt->threads = t;
    rt->api = (struct rt_api){.threads = threads,
                              .parallel = rt_parallel,
                              .scratch = rt_scratch,
                              .scratch_free = rt_scratch_free,
                              .fail = fail,
                              .reserve = rt_reserve,
                              .reserve_free = rt_reserve_free,
                              .result = rt_find,
                              .stamp = stamp};
    /* With more threads than processors, who spins takes the time of who works. */
    rt->spin_ns = threads > rt_processors() ? 0 : SPIN_NS;
    return rt;
}

void rt_free(struct rt *rt) {
    if (!rt)
        return;
    rt_pool_stop(rt);
    for (int32_t k = 0; k < rt->api.threads; k++)
        rt_scratch_release(&rt->threads[k].scratch);
    rt_results_free(rt);
    free(rt->threads);
    free(rt);
}

struct rt_api *rt_api(struct rt *rt) {
    return &rt->api;
}

void rt_stop(struct rt *rt) {
    rt->api.stop = 1;
}

void rt_clear_stop(struct rt *rt) {
    rt->api.stop = 0;
}

/* MESSAGE with A and B in place of its first two "%lld". Not printf: the text may be the user's
   and hold any other percent sign. */
static void fill_in(char *out, size_t size, const struct rt_failure *f) {
    const int64_t numbers[2] = {f->a, f->b};
    int used = 0;
    size_t n = 0;
    for (const char *p = f->message; *p && n + 24 < size;) {
        if (used < 2 && strncmp(p, "%lld", 4) == 0) {
            n += (size_t)snprintf(out + n, size - n, "%lld", (long long)numbers[used++]);
            p += 4;
        } else {
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
}

const struct rt_failure *rt_failed(const struct rt *rt) {
    for (int32_t k = 0; k < rt->api.threads; k++)
        if (rt->threads[k].failure.message)
            return &rt->threads[k].failure;
    return NULL;
}

static const char *explain(struct rt *rt, int32_t status) {
    switch (status) {
    case RT_OK: return NULL;
    case RT_INTERRUPTED: return "interrupted";
    case RT_NO_MEMORY: return "not enough memory for temporary data";
    case RT_CHECK_FAILED:
        if (!rt_failed(rt))
            return "a check failed";
        fill_in(rt->message, sizeof rt->message, rt_failed(rt));
        return rt->message;
    default:
        snprintf(rt->message, sizeof rt->message, "the kernel ended with status %d", (int)status);
        return rt->message;
    }
}

enum rt_status rt_call(struct rt *rt, rt_kernel *k, void *const *bufs, const int64_t *symbols,
                       const char **message) {
    for (int32_t i = 0; i < rt->api.threads; i++)
        if (rt->threads[i].failure.message)
            rt->threads[i].failure.message = NULL;
    rt_results_free(rt);
    /* Rounding and denormals as in the workers, whatever the program around us has set. */
    unsigned mxcsr = _mm_getcsr();
    _mm_setcsr(RT_MXCSR);
    int32_t status = k(&rt->api, bufs, symbols);
    _mm_setcsr(mxcsr);
    /* What a kernel that failed has not freed. */
    for (int32_t i = 0; i < rt->api.threads; i++)
        rt_scratch_reset(&rt->threads[i].scratch);
    const char *text = explain(rt, status);
    if (message)
        *message = text;
    bool known = status >= RT_OK && status <= RT_NO_MEMORY;
    return known ? (enum rt_status)status : RT_CHECK_FAILED;
}
