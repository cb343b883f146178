/* Programs made at random: what the compiler makes of them equals what `ref` does, and every graph on
   the way reads back from its text. See README.md.

   usage: programs_test [--from N] [--count N] [--variants N] [--show N] [--minimize N]
   Without --count: DCL_FUZZ_COUNT programs. Each runs in a process of its own kind: a crash or an
   endless loop is a failure like another one. */
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
    pid_t child = child_begin();
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

int main(int argc, char **argv) {
    const char *count = getenv("DCL_FUZZ_COUNT"), *source = getenv("DCL_SRC");
    uint64_t from = 1, n = count ? strtoull(count, NULL, 10) * 3 : 300, failures = 0;
    int smaller = 3;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t x = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--from") == 0)
            from = x;
        else if (strcmp(argv[i], "--count") == 0)
            n = x;
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
    children_begin();
    for (uint64_t at = from, end = from + n; at < end;) {
        uint64_t to = at + BATCH < end ? at + BATCH : end;
        pid_t child = child_begin();
        if (child == 0) {
            work(at, to);
            _exit(0);
        }
        if (child_end(child)[0]) {
            uint64_t seed = shared->progress.seed;
            if (seed < at) { /* before the first program */
                diag("%s: %s", shared->kind, shared->why);
                return 2;
            }
            failures++;
            report(seed, failures <= (uint64_t)smaller);
            at = seed + 1;
        } else {
            at = to;
        }
    }
    const struct progress *p = &shared->progress;
    diag("%llu programs, %llu graphs, %llu round trips, %llu kernels, %llu elements",
         (unsigned long long)p->programs, (unsigned long long)p->graphs,
         (unsigned long long)p->trips, (unsigned long long)p->kernels,
         (unsigned long long)p->elements);
    diag("not compared: %llu elements; %llu programs whose data decide too finely",
         (unsigned long long)p->unsure, (unsigned long long)p->gave_up);
    ok(failures == 0, "%llu programs: ref, compiled code and printed graphs agree",
       (unsigned long long)n);
    ok(p->unsure * 10 <= p->elements && p->gave_up * 10 <= p->programs + 50,
       "nearly all of it was compared");
    return done_testing();
}
