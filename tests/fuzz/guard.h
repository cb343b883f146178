/* Memory that ends at a page that cannot be touched, or begins after one: generated code is
   invisible to sanitizers, but not to the processor. */
#ifndef DCL_TESTS_FUZZ_GUARD_H
#define DCL_TESTS_FUZZ_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded {
    void *at; /* SIZE bytes */
    char *map;
    size_t mapped;
};

/* AT_END: the last byte is the last of its page; else the first is the first of its page. The rest
   of the pages holds a pattern that guard_intact looks for. */
__attribute__((unused)) static struct guarded guard_new(size_t size, bool at_end) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = (size + page - 1) / page * page;
    struct guarded g = {.mapped = inner + 2 * page};
    g.map = mmap(NULL, g.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g.map == MAP_FAILED || (inner && mprotect(g.map + page, inner, PROT_READ | PROT_WRITE))) {
        perror("mmap");
        abort();
    }
    memset(g.map + page, 0xa5, inner);
    g.at = g.map + page + (at_end ? inner - size : 0);
    return g;
}

/* Whether the bytes around the SIZE bytes still are what they were. */
__attribute__((unused)) static bool guard_intact(const struct guarded *g, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned char *p = (unsigned char *)g->map + page;
    const unsigned char *end = (unsigned char *)g->map + g->mapped - page;
    for (; p < end; p++)
        if ((p < (unsigned char *)g->at || p >= (unsigned char *)g->at + size) && *p != 0xa5)
            return false;
    return true;
}

__attribute__((unused)) static void guard_free(struct guarded *g) {
    munmap(g->map, g->mapped);
}

#endif
