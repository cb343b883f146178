/* The thread pool: fork and join of contiguous pieces.
   The caller runs piece 0, worker K runs piece K; which iterations a piece has follows from n and
   the number of pieces only. Each worker has one cache line through which it gets its piece and
   gives back its status, so a fork and join costs a few line transfers while the workers spin.
   Who waits too long sleeps on a futex. A piece that its worker has not begun when the caller is
   ready is taken back and run by the caller: where other programs use the processors, nobody waits
   for a thread that does not run. A call from inside a body runs inline.
   After fork(2) the child has no workers: a runtime belongs to the process that made it.

   Note [states of a worker]
   One word per worker, changed by exchange and compare-exchange:
       IDLE --caller--> RUN --worker--> BUSY --worker--> IDLE     the worker spins between
       IDLE --worker--> ASLEEP --caller--> RUN       the caller saw ASLEEP: it wakes the futex
       RUN --caller--> IDLE                          the caller runs the piece itself
       BUSY --caller--> AWAITED --worker--> IDLE     the worker saw AWAITED: it wakes the futex
       IDLE, ASLEEP --caller--> QUIT                 the worker ends
   The piece is written before RUN is released, and read after BUSY is set; the status is written
   before IDLE is released. */
#include "backends/rt/state.h"

#include <emmintrin.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { IDLE, RUN, BUSY, ASLEEP, AWAITED, QUIT };

enum { WORKER_STACK = 8 << 20 };

_Static_assert(sizeof(_Atomic uint32_t) == 4, "a futex is a 32-bit word");

/* The worker that this thread is, or stands in for; NULL in threads that are not of a pool. */
static _Thread_local struct rt_thread *here;

struct rt_thread *rt_here(struct rt *rt) {
    return here && here->rt == rt ? here : &rt->threads[0];
}

/* Both return early now and then (signals, a changed word): the callers look again. */
static void futex_wait(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Spins until the state differs from VALUE, for SPIN_NS at most; returns the state. */
static uint32_t spin_while(_Atomic uint32_t *state, uint32_t value, int64_t spin_ns) {
    int64_t until = 0;
    for (;;) {
        for (int k = 0; k < 64; k++) {
            uint32_t s = atomic_load_explicit(state, memory_order_acquire);
            if (s != value)
                return s;
            _mm_pause();
        }
        int64_t now = now_ns();
        if (until == 0)
            until = now + spin_ns;
        if (now >= until)
            return value;
    }
}

/* The worker's wait for RUN or QUIT; IDLE if a piece was taken back while it slept. */
static uint32_t next_order(struct rt_thread *t) {
    uint32_t s = spin_while(&t->state, IDLE, t->rt->spin_ns);
    if (s != IDLE)
        return s;
    s = IDLE;
    if (!atomic_compare_exchange_strong(&t->state, &s, ASLEEP))
        return s;
    while ((s = atomic_load_explicit(&t->state, memory_order_acquire)) == ASLEEP)
        futex_wait(&t->state, ASLEEP);
    return s;
}

static void *work(void *arg) {
    struct rt_thread *t = arg;
    here = t;
    _mm_setcsr(RT_MXCSR);
    uint32_t order;
    while ((order = next_order(t)) != QUIT) {
        if (order != RUN || !atomic_compare_exchange_strong(&t->state, &order, BUSY))
            continue; /* taken back */
        t->status = t->body(&t->rt->api, t->env, t->begin, t->end);
        if (atomic_exchange(&t->state, IDLE) == AWAITED)
            futex_wake(&t->state);
    }
    return NULL;
}

static void start(struct rt *rt) {
    rt->started = true;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr))
        return;
    pthread_attr_setstacksize(&attr, WORKER_STACK);
    /* Signals are for the program's own threads: Ctrl-C must not land here. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (rt->workers + 1 < rt->api.threads) {
        struct rt_thread *t = &rt->threads[rt->workers + 1];
        atomic_store(&t->state, IDLE);
        if (pthread_create(&t->id, &attr, work, t))
            break; /* go on with fewer */
        rt->workers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
}

void rt_pool_stop(struct rt *rt) {
    for (int32_t k = 1; k <= rt->workers; k++) {
        atomic_exchange(&rt->threads[k].state, QUIT);
        futex_wake(&rt->threads[k].state);
    }
    for (int32_t k = 1; k <= rt->workers; k++)
        pthread_join(rt->threads[k].id, NULL);
    rt->workers = 0;
}

/* The status of worker T's piece, which is run here if it has not begun. */
static int32_t join(struct rt_thread *t, int64_t spin_ns) {
    uint32_t s = RUN;
    if (atomic_compare_exchange_strong(&t->state, &s, IDLE)) {
        /* As the worker: which of several failed checks is told goes by T's number. */
        struct rt_thread *before = here;
        here = t;
        int32_t status = t->body(&t->rt->api, t->env, t->begin, t->end);
        here = before;
        return status;
    }
    if (spin_while(&t->state, BUSY, spin_ns) == BUSY) {
        s = BUSY;
        if (atomic_compare_exchange_strong(&t->state, &s, AWAITED))
            while (atomic_load_explicit(&t->state, memory_order_acquire) == AWAITED)
                futex_wait(&t->state, AWAITED);
    }
    return t->status;
}

int32_t rt_parallel(struct rt_api *api, rt_body *body, void *env, int64_t n) {
    struct rt *rt = (struct rt *)api;
    if (n <= 0)
        return RT_OK;
    /* FORKED is the caller's: a worker does not look at it. */
    if (n == 1 || api->threads == 1 || (here && here->rt == rt) || rt->forked)
        return body(api, env, 0, n);
    if (!rt->started)
        start(rt);
    int64_t pieces = rt->workers + 1;
    if (pieces > n)
        pieces = n;
    /* The first n % pieces pieces have one iteration more. */
    int64_t size = n / pieces, longer = n % pieces;
    int64_t first = size + (longer > 0), begin = first;
    for (int64_t k = 1; k < pieces; k++) {
        struct rt_thread *t = &rt->threads[k];
        t->body = body;
        t->env = env;
        t->begin = begin;
        t->end = begin += size + (k < longer);
        if (atomic_exchange(&t->state, RUN) == ASLEEP)
            futex_wake(&t->state);
    }
    rt->forked = true;
    int32_t status = body(api, env, 0, first);
    for (int64_t k = 1; k < pieces; k++) {
        int32_t s = join(&rt->threads[k], rt->spin_ns);
        if (status == RT_OK)
            status = s;
    }
    rt->forked = false;
    return status;
}

/* A container's share of processor time ("200000 100000": two processors), rounded up; 0 if there
   is no limit. */
static long control_group_limit(void) {
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (!f)
        return 0;
    long quota = 0, period = 0;
    int got = fscanf(f, "%ld %ld", &quota, &period);
    fclose(f);
    return got == 2 && quota > 0 && period > 0 ? (quota - 1) / period + 1 : 0;
}

int32_t rt_processors(void) {
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : sysconf(_SC_NPROCESSORS_ONLN);
    long limit = control_group_limit();
    if (limit && limit < n)
        n = limit;
    return n < 1 ? 1 : n > RT_MAX_THREADS ? RT_MAX_THREADS : (int32_t)n;
}
