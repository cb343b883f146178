/* Memory whose size is not known before: address space that a container grows into, and results
   whose sizes a kernel finds. Results belong to the runtime until the next call; whoever called
   copies what it wants to keep. */
#include "backends/rt/state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGN = 64 };
#define REQUEST_MAX (INT64_C(1) << 46)

/* The page before the memory says how much is mapped. */
void *rt_reserve(struct rt_api *api, int64_t bytes) {
    (void)api;
    if (bytes < 0 || bytes > REQUEST_MAX)
        return NULL;
    size_t size = (size_t)bytes + PAGE;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    memcpy(p, &size, sizeof size);
    return (char *)p + PAGE;
}

void rt_reserve_free(struct rt_api *api, void *p) {
    (void)api;
    if (!p)
        return;
    char *start = (char *)p - PAGE;
    size_t size;
    memcpy(&size, start, sizeof size);
    munmap(start, size);
}

static bool has_entry(struct rt *rt, int64_t k) {
    if (k < rt->nfound)
        return true;
    struct rt_found *all = realloc(rt->found, (size_t)(k + 1) * sizeof *all);
    if (!all)
        return false;
    memset(all + rt->nfound, 0, (size_t)(k + 1 - rt->nfound) * sizeof *all);
    rt->found = all;
    rt->nfound = k + 1;
    return true;
}

void *rt_find(struct rt_api *api, int64_t k, const int64_t *dims, int64_t rank, int64_t size) {
    struct rt *rt = (struct rt *)api;
    int64_t bytes = size;
    for (int64_t d = 0; d < rank; d++)
        if (dims[d] < 0 || __builtin_mul_overflow(bytes, dims[d], &bytes) || bytes > REQUEST_MAX)
            return NULL;
    if (rank > RT_MAX_RANK || !has_entry(rt, k))
        return NULL;
    size_t whole = ((size_t)bytes + ALIGN - 1) / ALIGN * ALIGN;
    struct rt_found *x = &rt->found[k];
    free(x->bytes);
    x->bytes = aligned_alloc(ALIGN, whole ? whole : ALIGN);
    if (!x->bytes)
        return NULL;
    memset(x->bytes, 0, whole);
    memcpy(x->dims, dims, (size_t)rank * sizeof *dims);
    return x->bytes;
}

const void *rt_result(const struct rt *rt, int64_t k, const int64_t **dims) {
    if (k >= rt->nfound)
        return NULL;
    *dims = rt->found[k].dims;
    return rt->found[k].bytes;
}

void rt_results_free(struct rt *rt) {
    for (int64_t k = 0; k < rt->nfound; k++)
        free(rt->found[k].bytes);
    free(rt->found);
    rt->found = NULL;
    rt->nfound = 0;
}
