/* The thread pool and calls of kernels: pieces, statuses, nesting, stopping, messages, and a stress
   run through spinning and sleeping workers. test: timed */
#include "backends/rt/rt.h"
#include "tests/harness/tap.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { N_MAX = 1000 };

struct seen {
    int count[N_MAX]; /* how often each iteration ran */
    int64_t pieces;
    int64_t fail_from; /* iterations from here on fail with their number */
};

static int32_t mark(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    struct seen *s = env;
    (void)api;
    __atomic_fetch_add(&s->pieces, 1, __ATOMIC_SEQ_CST);
    for (int64_t i = begin; i < end; i++)
        s->count[i]++;
    for (int64_t i = begin; i < end; i++)
        if (i >= s->fail_from)
            return (int32_t)i + 1;
    return RT_OK;
}

static void test_pieces(void) {
    static const int threads[] = {1, 2, 3, 4, 7, 16};
    static const int64_t ns[] = {-5, 0, 1, 2, 3, 5, 7, 16, 17, 100, 999};
    bool once = true, few = true, status = true, order = true;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct rt *rt = rt_new(threads[t]);
        struct rt_api *api = rt_api(rt);
        for (size_t k = 0; k < sizeof ns / sizeof ns[0]; k++) {
            struct seen s = {.fail_from = N_MAX};
            status &= api->parallel(api, mark, &s, ns[k]) == RT_OK;
            for (int64_t i = 0; i < N_MAX; i++)
                once &= s.count[i] == (i < ns[k]);
            few &= s.pieces <= threads[t] && s.pieces <= (ns[k] > 0 ? ns[k] : 0);
            for (int64_t from = 0; from < ns[k]; from += 1 + ns[k] / 9) {
                struct seen f = {.fail_from = from};
                order &= api->parallel(api, mark, &f, ns[k]) == from + 1;
            }
        }
        rt_free(rt);
    }
    ok(once, "every iteration runs once");
    ok(few, "at most one piece per thread, none empty");
    ok(status, "all well gives RT_OK");
    ok(order, "the status is that of the first failure by position");
}

struct outer {
    struct seen inner[8];
    pthread_t who[8], who_inner[8];
    int32_t status;
};

static int32_t nested_inner(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    struct seen *s = env;
    s->fail_from = N_MAX;
    return mark(api, env, begin, end);
}

static int32_t nested(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    struct outer *o = env;
    for (int64_t i = begin; i < end; i++) {
        o->who[i] = pthread_self();
        if (api->parallel(api, nested_inner, &o->inner[i], 100) != RT_OK)
            return RT_CHECK_FAILED;
        o->who_inner[i] = pthread_self();
    }
    return RT_OK;
}

static void test_nested(void) {
    struct rt *rt = rt_new(4);
    struct rt_api *api = rt_api(rt);
    static struct outer o;
    is_int(api->parallel(api, nested, &o, 8), RT_OK, "nested calls end");
    bool inline_all = true, once = true;
    for (int i = 0; i < 8; i++) {
        inline_all &= o.inner[i].pieces == 1 && pthread_equal(o.who[i], o.who_inner[i]);
        for (int k = 0; k < 100; k++)
            once &= o.inner[i].count[k] == 1;
    }
    ok(inline_all, "a nested call is one piece on its own thread");
    ok(once, "and runs every iteration once");
    rt_free(rt);
}

/* --- kernels -------------------------------------------------------------------------------- */

static int32_t poll_stop(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    (void)env;
    (void)begin;
    (void)end;
    while (!api->stop)
        ;
    return RT_INTERRUPTED;
}

static int32_t endless(struct rt_api *api, void *const *bufs, const int64_t *symbols) {
    (void)bufs;
    (void)symbols;
    return api->parallel(api, poll_stop, NULL, 100);
}

static struct rt *to_stop;

static void on_alarm(int number) {
    (void)number;
    rt_stop(to_stop);
}

static void test_stop(void) {
    struct rt *rt = to_stop = rt_new(3);
    const char *message = NULL;
    signal(SIGALRM, on_alarm);
    struct itimerval soon = {.it_value.tv_usec = 20000};
    setitimer(ITIMER_REAL, &soon, NULL);
    is_int(rt_call(rt, endless, NULL, NULL, &message), RT_INTERRUPTED, "a signal handler stops");
    is_str(message, "interrupted", "the message says so");
    is_int(rt_call(rt, endless, NULL, NULL, &message), RT_INTERRUPTED, "it stays stopped");
    rt_clear_stop(rt);
    is_int(rt_api(rt)->stop, 0, "until it is cleared");
    signal(SIGALRM, SIG_DFL);
    rt_free(rt);
}

static int32_t check_odd(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    const int64_t *bad = env;
    for (int64_t i = begin; i < end; i++)
        if (i >= *bad && i % 2) {
            (api->fail)(api, "100 % sure: x % 2 == 0 fails at %lld, from %lld (%d %s %lld)", i,
                        *bad, 0, 0);
            (api->fail)(api, "the second", 0, 0, 0, 0);
            return RT_CHECK_FAILED;
        }
    return RT_OK;
}

static int32_t checking(struct rt_api *api, void *const *bufs, const int64_t *symbols) {
    (void)bufs;
    return api->parallel(api, check_odd, (void *)symbols, 1000);
}

static int32_t returns(struct rt_api *api, void *const *bufs, const int64_t *symbols) {
    (void)api;
    (void)bufs;
    return (int32_t)*symbols;
}

static int32_t long_message(struct rt_api *api, void *const *bufs, const int64_t *symbols) {
    (void)symbols;
    (api->fail)(api, bufs[0], INT64_MIN, INT64_MIN, 0, 0);
    return RT_CHECK_FAILED;
}

static void test_messages(void) {
    static const char want[] = "100 % sure: x % 2 == 0 fails at 401, from 400 (%d %s %lld)";
    const char *message = NULL;
    int64_t bad = 400;
    for (int threads = 1; threads <= 5; threads += 2) {
        struct rt *rt = rt_new(threads);
        is_int(rt_call(rt, checking, NULL, &bad, &message), RT_CHECK_FAILED, "a check fails");
        is_str(message, want, "the first by position with %d threads", threads);
        /* Also when the caller runs the pieces that no worker has begun. */
        int same = 0;
        for (int k = 0; k < 2000; k++) {
            rt_call(rt, checking, NULL, &bad, &message);
            same += !strcmp(message, want);
        }
        is_int(same, 2000, "2,000 times");
        rt_free(rt);
    }
    struct rt *rt = rt_new(2);
    bad = 2000;
    is_int(rt_call(rt, checking, NULL, &bad, &message), RT_OK, "no check fails");
    is_str(message, NULL, "and there is no message");
    int64_t status = RT_CHECK_FAILED;
    rt_call(rt, returns, NULL, &status, &message);
    is_str(message, "a check failed", "a failure without message, after one with");
    status = RT_NO_MEMORY;
    is_int(rt_call(rt, returns, NULL, &status, &message), RT_NO_MEMORY, "no memory");
    ok(message && strstr(message, "memory"), "is said");
    status = -77;
    is_int(rt_call(rt, returns, NULL, &status, &message), RT_CHECK_FAILED, "a foreign status");
    is_str(message, "the kernel ended with status -77", "is named");
    is_int(rt_call(rt, returns, NULL, &status, NULL), RT_CHECK_FAILED, "nobody wants the message");

    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    memcpy(text + 1000, "%lld", 4);
    void *bufs[] = {text};
    rt_call(rt, long_message, bufs, NULL, &message);
    size_t n = strlen(message);
    ok(n > 900 && n < 1024, "a long message is cut");
    rt_free(rt);
}

/* --- state of the threads ------------------------------------------------------------------- */

struct floats {
    volatile float denormal[64];
    sigset_t masks[64];
    _Atomic int begun; /* pieces */
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int32_t halve(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    struct floats *f = env;
    (void)api;
    f->begun++;
    double until = now() + 5; /* the caller would take back what no worker has begun */
    while (begin == 0 && f->begun < 4 && now() < until)
        ;
    for (int64_t i = begin; i < end; i++) {
        f->denormal[i] = f->denormal[i] * 0.5f;
        pthread_sigmask(SIG_SETMASK, NULL, &f->masks[i]);
    }
    return RT_OK;
}

static int32_t halving(struct rt_api *api, void *const *bufs, const int64_t *symbols) {
    (void)symbols;
    return api->parallel(api, halve, bufs[0], 64);
}

/* Denormals are kept in every thread, even if the program around has turned them off. */
static void test_threads(void) {
    static struct floats f;
    for (int i = 0; i < 64; i++)
        f.denormal[i] = 0x1p-126f;
    void *bufs[] = {&f};
    struct rt *rt = rt_new(4);
    unsigned mxcsr = _mm_getcsr();
    _mm_setcsr(mxcsr | 0x8040);
    struct seen s = {.fail_from = N_MAX};
    rt_api(rt)->parallel(rt_api(rt), mark, &s, 4); /* starts the workers now */
    rt_call(rt, halving, bufs, NULL, NULL);
    unsigned after = _mm_getcsr();
    _mm_setcsr(mxcsr);
    is_int(after & 0x8040, 0x8040, "the caller's floating-point mode comes back");
    bool kept = true;
    for (int i = 0; i < 64; i++)
        kept &= f.denormal[i] == 0x1p-127f;
    ok(kept, "denormals are kept in all threads");
    ok(!sigismember(&f.masks[0], SIGINT), "the caller takes signals");
    ok(sigismember(&f.masks[63], SIGINT), "the workers do not");
    rt_free(rt);
}

static void test_number(void) {
    struct rt *rt = rt_new(5);
    is_int(rt_api(rt)->threads, 5, "as many threads as asked for");
    rt_free(rt);
    setenv("DCL_THREADS", "3", 1);
    rt = rt_new(0);
    is_int(rt_api(rt)->threads, 3, "DCL_THREADS");
    rt_free(rt);
    static const char *const wrong[] = {"", "0", "-1", "x", "2x"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv("DCL_THREADS", wrong[i], 1);
        rt = rt_new(0);
        ok(rt_api(rt)->threads >= 1, "DCL_THREADS='%s' is ignored", wrong[i]);
        rt_free(rt);
    }
    setenv("DCL_THREADS", "99999999", 1);
    rt = rt_new(0);
    ok(rt_api(rt)->threads <= 1024, "there is a limit");
    rt_free(rt);
    unsetenv("DCL_THREADS");
    rt_free(NULL);
}

/* --- stress --------------------------------------------------------------------------------- */

struct stress {
    int threads, rounds;
    uint64_t random;
    int sleep_every;
    bool good;
};

static int32_t add(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    (void)api;
    int64_t sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += i;
    __atomic_fetch_add((int64_t *)env, sum, __ATOMIC_RELAXED);
    return end % 64 == 0 ? (int32_t)(100 + begin % 50) : RT_OK;
}

static void *stress(void *arg) {
    struct stress *s = arg;
    struct rt *rt = rt_new(s->threads);
    struct rt_api *api = rt_api(rt);
    s->good = true;
    for (int k = 0; k < s->rounds; k++) {
        s->random = s->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        int64_t n = (int64_t)(s->random >> 33) % 300, sum = 0;
        api->parallel(api, add, &sum, n);
        s->good &= sum == n * (n - 1) / 2 || n == 0;
        if (s->sleep_every && k % s->sleep_every == 0)
            usleep((useconds_t)(s->random >> 40) % 600); /* around the time that workers spin */
    }
    rt_free(rt);
    return NULL;
}

static void test_stress(void) {
    struct stress hot = {.threads = 2, .rounds = 10000, .random = 1};
    stress(&hot);
    ok(hot.good, "10,000 calls on hot workers");
    struct stress cold = {.threads = 2, .rounds = 700, .random = 2, .sleep_every = 1};
    stress(&cold);
    ok(cold.good, "700 calls on workers that fall asleep");
    struct stress many = {.threads = 9, .rounds = 700, .random = 3, .sleep_every = 7};
    stress(&many);
    ok(many.good, "more threads than processors");
    struct stress two[2] = {{.threads = 3, .rounds = 1000, .random = 4, .sleep_every = 11},
                            {.threads = 2, .rounds = 1000, .random = 5, .sleep_every = 3}};
    pthread_t other;
    pthread_create(&other, NULL, stress, &two[0]);
    stress(&two[1]);
    pthread_join(other, NULL);
    ok(two[0].good && two[1].good, "two runtimes at once");
    bool made = true;
    for (int k = 0; k < 100; k++) {
        struct stress brief = {.threads = 2, .rounds = k % 3, .random = (uint64_t)k};
        stress(&brief);
        made &= brief.good;
    }
    ok(made, "100 runtimes made and freed");
}

static int32_t nothing(struct rt_api *api, void *env, int64_t begin, int64_t end) {
    (void)api;
    (void)env;
    return begin > end;
}

/* Only told: the time depends on what else runs. */
static void tell_time(void) {
    struct rt *rt = rt_new(2);
    struct rt_api *api = rt_api(rt);
    double best = 1;
    for (int k = 0; k < 100; k++) {
        double start = now();
        for (int i = 0; i < 1000; i++)
            api->parallel(api, nothing, NULL, 2);
        double time = (now() - start) / 1000;
        best = time < best ? time : best;
    }
    diag("fork and join of 2 threads, nothing to do: %.2f us", best * 1e6);
    rt_free(rt);
}

int main(void) {
    test_pieces();
    test_nested();
    test_stop();
    test_messages();
    test_threads();
    test_number();
    test_stress();
    tell_time();
    return done_testing();
}
