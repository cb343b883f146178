/* What the runtime's own files share: the inside of struct rt. Not for others: they see rt.h. */
#ifndef DCL_BACKENDS_RT_STATE_H
#define DCL_BACKENDS_RT_STATE_H

#include "backends/rt/rt.h"

#include <pthread.h>
#include <stdatomic.h>

typedef int32_t rt_body(struct rt_api *api, void *env, int64_t begin, int64_t end);

/* RT_MXCSR: rounding to nearest, denormals kept, nothing traps. */
enum { RT_LINE = 128, RT_MAX_THREADS = 1024, RT_MXCSR = 0x1f80 };

/* A stack of memory: a list of chunks; TOP is the one in use, those after it are empty. */
struct rt_chunk;
struct rt_scratch {
    struct rt_chunk *first, *top;
    size_t total; /* bytes in all chunks */
};

/* The first failed check of one thread in this call. */

/* One thread; number 0 is the caller. The first cache line travels between the caller and the
   worker at every fork and join and holds all they exchange; the rest stays with its thread. */
struct rt_thread {
    _Alignas(RT_LINE) _Atomic uint32_t state; /* enum in pool.c */
    int32_t status;
    rt_body *body;
    void *env;
    int64_t begin, end;
    struct rt *rt;

    _Alignas(RT_LINE) struct rt_scratch scratch;
    struct rt_failure failure; /* message NULL: none */
    pthread_t id;
};

struct rt {
    struct rt_api api;                           /* first: an api pointer is an rt pointer */
    _Alignas(RT_LINE) struct rt_thread *threads; /* api.threads of them */
    int32_t workers;                             /* that run; 0 before the first parallel call */
    bool started;                                /* starting was tried */
    bool forked;                                 /* the caller is inside rt_parallel */
    int64_t spin_ns;                             /* how long to wait before sleeping */
    struct rt_found *found;                      /* results of the last call, nfound of them */
    int64_t nfound;
    struct rt_stamp *stamps; /* room for stamp_room; NULL: nobody wants them */
    size_t stamp_room, stamp_count;
    char message[1024];
};

enum { RT_MAX_RANK = 16 };

/* A result whose size a kernel has found. */
struct rt_found {
    void *bytes; /* NULL: of another kind */
    int64_t dims[RT_MAX_RANK];
};

/* This thread's part of RT: that of the worker, else that of the caller. */
struct rt_thread *rt_here(struct rt *rt);

int32_t rt_parallel(struct rt_api *api, rt_body *body, void *env, int64_t n);
/* Ends the workers and waits for them. */
void rt_pool_stop(struct rt *rt);
/* Processors that this process may use, 1 at least. */
int32_t rt_processors(void);

void *rt_scratch(struct rt_api *api, int64_t bytes);
void rt_scratch_free(struct rt_api *api, void *p);
void *rt_reserve(struct rt_api *api, int64_t bytes);
void rt_reserve_free(struct rt_api *api, void *p);
void *rt_find(struct rt_api *api, int64_t k, const int64_t *dims, int64_t rank, int64_t size);
/* Takes back all blocks, keeps the memory: as one chunk from the next use on. */
void rt_scratch_reset(struct rt_scratch *s);
void rt_scratch_release(struct rt_scratch *s);

#endif
