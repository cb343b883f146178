/* Programs that once failed, made small: found/NAME.dcl, each with the sizes of its call, run like
   those of programs_test.c with several contents and orders of passes. */
#include "tests/fuzz/children.h"
#include "tests/fuzz/found.h"
#include "tests/harness/tap.h"

#define SEEDS 12

int main(void) {
    const char *source = getenv("DCL_SRC");
    struct arena *a = arena_new();
    source = source ? source : ".";
    stdlib_folder = arena_printf(a, "%s/stdlib", source);
    const char *folder = arena_printf(a, "%s/tests/fuzz/found", source);
    struct dirent **files;
    int n = scandir(folder, &files, NULL, alphasort);
    children_begin();
    for (int i = 0; i < n; i++) {
        const char *name = files[i]->d_name;
        size_t length = strlen(name);
        if (length < 5 || strcmp(name + length - 4, ".dcl") != 0) {
            free(files[i]);
            continue;
        }
        pid_t child = child_begin();
        if (child == 0) {
            struct runner r;
            child_runner(&r, a);
            struct program *p = found_load(r.front, arena_printf(a, "%s/%s", folder, name));
            for (p->seed = 1; p->seed <= SEEDS; p->seed++)
                child_case(&r, a, p, CASE_SECONDS);
            _exit(0);
        }
        if (!ok(!child_end(child)[0], "%s", name))
            diag("seed %llu: %s: %s", (unsigned long long)shared->progress.seed, shared->kind,
                 shared->why);
        free(files[i]);
    }
    free(files);
    arena_free(a);
    return done_testing();
}
