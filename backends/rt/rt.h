/* The runtime under compiled kernels: what they may call, their threads and their scratch memory.
   Includes nothing of the compiler. One `struct rt` per session; calls of kernels on one rt are
   made one at a time. */
#ifndef DCL_BACKENDS_RT_RT_H
#define DCL_BACKENDS_RT_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a kernel sees: the order and types of these fields are its ABI (RT_ABI_VERSION is part of
   the cache key). Kernels get `struct rt_api *` as first argument and load what they need. */
#define RT_ABI_VERSION 4

struct rt_api {
    /* Non-zero when the user wants to stop; loops poll it and return RT_INTERRUPTED. */
    volatile int32_t stop;
    int32_t threads;
    /* Runs BODY(api, env, begin, end) over 0..n-1 in contiguous pieces, at most one per thread;
       returns when all have ended: 0, or the first non-zero status by position. The pieces depend
       on the number of threads, so a body may not resolve across iterations. */
    int32_t (*parallel)(struct rt_api *api,
                        int32_t (*body)(struct rt_api *api, void *env, int64_t begin, int64_t end),
                        void *env, int64_t n);
    /* BYTES of memory aligned to 64, not cleared, from this thread's stack of scratch; NULL when
       there is none or BYTES is negative. Freed in reverse order with scratch_free(api, p). Blocks
       are kept for reuse. */
    void *(*scratch)(struct rt_api *api, int64_t bytes);
    void (*scratch_free)(struct rt_api *api, void *p);
    /* Records the first failed check: MESSAGE (a constant of the kernel) with two numbers that a
       "%lld" in it may show. If SITE is not 0, subscript A of dimension DIM, of size B, of this
       memlet is outside. The kernel then returns RT_CHECK_FAILED. Thread-safe. */
    void (*fail)(struct rt_api *api, const char *message, int64_t a, int64_t b, int64_t site,
                 int64_t dim);
    /* BYTES of address space, zeroed, of which only pages that are touched take memory; NULL when
       there is none. Given back with reserve_free. Thread-safe. */
    void *(*reserve)(struct rt_api *api, int64_t bytes);
    void (*reserve_free)(struct rt_api *api, void *p);
    /* Memory, aligned to 64 and zeroed, for result K of the call, whose RANK dimensions DIMS the
       kernel has found; elements have SIZE bytes. NULL when there is none or it is too large. */
    void *(*result)(struct rt_api *api, int64_t k, const int64_t *dims, int64_t rank, int64_t size);
    /* Kernels that are profiled: they begin, or their part NODE (its id in the graph) has ended. */
    void (*stamp)(struct rt_api *api, int64_t node);
};

enum rt_status { RT_OK = 0, RT_CHECK_FAILED = 1, RT_INTERRUPTED = 2, RT_NO_MEMORY = 3 };

/* A compiled function: BUFS are the containers in order of parameters, then results; SYMBOLS the
   values of the graph's symbols in graph_symbols order. */
typedef int32_t rt_kernel(struct rt_api *api, void *const *bufs, const int64_t *symbols);

struct rt;

/* A runtime with THREADS threads (0: DCL_THREADS, else the number of processors this process may
   use). Threads start with the first parallel call. NULL if there is no memory. */
struct rt *rt_new(int threads);
void rt_free(struct rt *rt);
struct rt_api *rt_api(struct rt *rt);
/* May be called from a signal handler. */
void rt_stop(struct rt *rt);
void rt_clear_stop(struct rt *rt);
/* Runs K; on failure *MESSAGE is the text (rt's memory, until the next call). */
enum rt_status rt_call(struct rt *rt, rt_kernel *k, void *const *bufs, const int64_t *symbols,
                       const char **message);

/* The check that ended the last call, by position; NULL if none did. */
struct rt_failure {
    const char *message; /* of the kernel */
    int64_t a, b, site, dim;
};
const struct rt_failure *rt_failed(const struct rt *rt);

/* What the last call of a kernel has found for its result K: its memory and dimensions (room for
   16), which stay until rt_results_free or the next call. NULL if it found none. */
const void *rt_result(const struct rt *rt, int64_t k, const int64_t **dims);
void rt_results_free(struct rt *rt);
/* Stamps of profiled kernels: the id of the node that ended, -1 where the kernel began; when, in
   nanoseconds since some moment. */
struct rt_stamp {
    int64_t node, time;
};
/* From now on stamps go to AT, N at most; NULL: nowhere. Returns how many there were since the last
   call, those for which there was no room among them. */
size_t rt_stamps(struct rt *rt, struct rt_stamp *at, size_t n);

/* Machine code: a relocatable ELF x86-64 object, loaded into executable memory without a linker or
   LLVM (W^X: written, then made executable). Undefined symbols may be memcpy memmove memset and
   what SYMBOLS lists. NULL with a reason in *WHY for anything malformed: offsets, counts and
   relocations are checked, no byte of the file is trusted. */
struct rt_object;
struct rt_symbol {
    const char *name;
    void *address;
};
struct rt_object *rt_object_load(const void *bytes, size_t n, const struct rt_symbol *symbols,
                                 size_t nsymbols, const char **why);
void *rt_object_symbol(const struct rt_object *o, const char *name);
void rt_object_free(struct rt_object *o);

/* The object cache: files in DIR (made if missing), named by key, with a header that repeats key,
   length and a checksum; written to a temporary file and renamed. A damaged file is a miss. */
struct rt_key {
    uint64_t hi, lo;
};
/* *BYTES is malloc'ed by rt and freed with rt_cache_release. False: not there or damaged. */
bool rt_cache_read(const char *dir, struct rt_key key, void **bytes, size_t *n);
void rt_cache_release(void *bytes);
/* False if it could not be written (full disk, no right): the caller goes on without. */
bool rt_cache_write(const char *dir, struct rt_key key, const void *bytes, size_t n);

#endif
