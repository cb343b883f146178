/* A library that stands before libdcl (LD_PRELOAD): every graph that verifies, in whatever test, is
   also printed, read back and compared. What differs is reported as a graph that does not verify,
   and in the file that DCL_TRIP_LOG names; so is, when a process ends, how many graphs it had.
   gates/1 builds it; it is no test by itself. */
#include "tests/fuzz/trip.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

typedef bool verify_function(const struct graph *g, const char *after, struct diags *d);

static _Thread_local bool inside;
static unsigned long graphs;

static void note(const char *text) {
    const char *path = getenv("DCL_TRIP_LOG");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
}

__attribute__((destructor)) static void count(void) {
    char text[64];
    if (!graphs)
        return;
    snprintf(text, sizeof text, "graphs %lu\n", graphs);
    note(text);
}

bool graph_verify(const struct graph *g, const char *after, struct diags *d) {
    verify_function *next;
    *(void **)&next = dlsym(RTLD_NEXT, "graph_verify");
    if (!next(g, after, d))
        return false;
    if (inside)
        return true;
    inside = true;
    __atomic_add_fetch(&graphs, 1, __ATOMIC_RELAXED);
    struct arena *a = arena_new();
    const char *why = trip_graph(a, g->names, g, NULL, NULL);
    inside = false;
    if (why) {
        note(arena_printf(a, "differs after %s (process %d): %s\n", after, (int)getpid(), why));
        diag_error(d, g->span, ERR_VERIFY, after, 0, "its text does not read back");
    }
    arena_free(a);
    return !why;
}
