/* Programs made at random: what the compiler makes of them equals what `ref` does, and every graph
   on the way reads back from its text. See README.md.

   usage: programs_test [--from N] [--count N] [--jobs N] [--variants N] [--show N] [--minimize N]
   Without --count: three times DCL_FUZZ_COUNT up to 300 (with sanitizers once), else as many as
   that, by one process per processor. They run in processes of their own: a crash or an endless
   loop is a failure like another one. */
#include "tests/fuzz/children.h"
#include "tests/fuzz/generate.h"
#include "tests/fuzz/minimize.h"
#include "tests/harness/tap.h"

#define BATCH 40

static void work(uint64_t from, uint64_t to) {
    struct runner r;
    struct arena *all = arena_new();
    child_runner(&r, all);
    for (uint64_t seed = from; seed < to; seed++) {
        struct arena *a = arena_new();
        child_case(&r, a, program_generate(a, seed), CASE_SECONDS);
        arena_free(a);
    }
    alarm(0);
    runner_close(&r);
    arena_free(all);
}

/* For the minimizer: how P fails, "" if it does not. */
static const char *fails_how(struct program *p, void *data) {
    (void)data;
    pid_t child = child_begin(); /* in the block of the worker that failed */
    if (child == 0) {
        struct runner r;
        struct arena *all = arena_new();
        child_runner(&r, all);
        child_case(&r, all, p, 20);
        _exit(0);
    }
    return child_end(child);
}

static void show(const struct program *p) {
    struct arena *a = arena_new();
    struct buf b = buf_new(a);
    for (int i = 0; i < p->nsizes; i++)
        buf_printf(&b, "%s%s = %d", i ? ", " : "", p->sizes[i].name, p->sizes[i].n);
    for (int i = 0; i < p->nargs; i++)
        if (p->args[i].integer)
            buf_printf(&b, ", %s = %lld", p->args[i].name, (long long)p->args[i].value);
    fprintf(stderr, "# sizes: %s\n", b.at);
    for (int i = 0; i < p->nargs; i++)
        if (p->args[i].below)
            fprintf(stderr, "# below: %s = %d\n", p->args[i].name, p->args[i].below);
    fprintf(stderr, "# %s\n%s", program_signature(p, a), program_text(p, a));
    arena_free(a);
}

static void report(uint64_t seed, bool smaller) {
    struct arena *a = arena_new();
    struct program *p = program_generate(a, seed);
    char kind[64];
    snprintf(kind, sizeof kind, "%s", shared->kind);
    diag("seed %llu fails: %s: %.3000s", (unsigned long long)seed, kind, shared->why);
    if (smaller)
        p = program_minimize(a, p, kind, fails_how, NULL);
    show(p);
    if (smaller) {
        fails_how(p, NULL);
        diag("then: %s: %.3000s", shared->kind, shared->why);
    }
    arena_free(a);
}

/* A process that works at a batch of programs. */
struct worker {
    pid_t pid; /* 0: none */
    uint64_t from, to;
    struct shared *shared;
};

static void start(struct worker *w, uint64_t from, uint64_t to) {
    w->from = from;
    w->to = to;
    shared = w->shared;
    w->pid = child_begin();
    if (w->pid == 0) {
        work(from, to);
        _exit(0);
    }
}

static uint64_t failures;
static int smaller = 3; /* failures that are minimized */

/* After W's end: what is left of its batch goes on in a new process. */
static void follow(struct worker *w, int status) {
    shared = w->shared;
    w->pid = 0;
    if (!child_status(status)[0])
        return;
    uint64_t seed = shared->progress.seed;
    if (seed < w->from) { /* before the first program */
        diag("%s: %s", shared->kind, shared->why);
        exit(2);
    }
    failures++;
    report(seed, failures <= (uint64_t)smaller);
    if (seed + 1 < w->to)
        start(w, seed + 1, w->to);
}

static void run_all(uint64_t from, uint64_t n, int jobs) {
    struct worker workers[64] = {{0}};
    uint64_t at = from, end = from + n;
    int busy;
    struct progress all = {0};
    do {
        busy = 0;
        for (int i = 0; i < jobs; i++) {
            if (!workers[i].shared)
                workers[i].shared = shared_new();
            if (!workers[i].pid && at < end) {
                uint64_t to = at + BATCH < end ? at + BATCH : end;
                start(&workers[i], at, to);
                at = to;
            }
            busy += workers[i].pid != 0;
        }
        int status;
        pid_t pid = busy ? waitpid(-1, &status, 0) : 0;
        for (int i = 0; i < jobs && pid > 0; i++)
            if (workers[i].pid == pid)
                follow(&workers[i], status);
    } while (busy);
    for (int i = 0; i < jobs; i++) {
        const struct progress *p = &workers[i].shared->progress;
        all.programs += p->programs;
        all.graphs += p->graphs;
        all.trips += p->trips;
        all.kernels += p->kernels;
        all.elements += p->elements;
        all.unsure += p->unsure;
        all.gave_up += p->gave_up;
    }
    diag("%llu graphs, %llu round trips, %llu compiled forms, %llu elements",
         (unsigned long long)all.graphs, (unsigned long long)all.trips,
         (unsigned long long)all.kernels, (unsigned long long)all.elements);
    diag("not compared: %llu elements; %llu programs whose data decide too finely",
         (unsigned long long)all.unsure, (unsigned long long)all.gave_up);
    ok(failures == 0, "%llu programs: ref, compiled code and printed graphs agree",
       (unsigned long long)n);
    ok(all.unsure * 10 <= all.elements && all.gave_up * 10 <= all.programs + 50,
       "nearly all of it was compared");
}

int main(int argc, char **argv) {
    const char *count = getenv("DCL_FUZZ_COUNT"), *source = getenv("DCL_SRC");
    uint64_t from = 1, n = count ? strtoull(count, NULL, 10) : 100;
    int jobs = n < 5000 ? 1 : (int)sysconf(_SC_NPROCESSORS_ONLN);
    const char *slow = getenv("DCL_ASAN"); /* a build with sanitizers */
    n = n > 100 || (slow && *slow) ? n : 3 * n;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t x = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--from") == 0)
            from = x;
        else if (strcmp(argv[i], "--count") == 0)
            n = x;
        else if (strcmp(argv[i], "--jobs") == 0)
            jobs = (int)x;
        else if (strcmp(argv[i], "--variants") == 0)
            variants = (int)x;
        else if (strcmp(argv[i], "--minimize") == 0)
            smaller = (int)x;
        else if (strcmp(argv[i], "--show") == 0) {
            show(program_generate(arena_new(), x));
            return 0;
        }
    }
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/stdlib", source ? source : ".");
    stdlib_folder = folder;
    run_all(from, n, jobs < 1 ? 1 : jobs > 64 ? 64 : jobs);
    return done_testing();
}
