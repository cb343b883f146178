/* A schedule changes speed and the rounding of sums, nothing else: each text is compiled with its
   schedule words and without, and both run on the same random data. */
#include "tests/llvm/data.h"

/* The words that schedule, and storage, become blanks. */
static char *without_schedule(const char *text) {
    static const char *const words[] = {"seq",         "parallel", "unroll",  "vector",
                                        "in register", "in stack", "in heap", NULL};
    char *s = strdup(text);
    for (int i = 0; words[i]; i++) {
        size_t n = strlen(words[i]);
        for (char *p = s; (p = strstr(p, words[i]));) {
            memset(p, ' ', n);
            if (p[n] == '(')
                while (*(p += 1) != ')')
                    *p = ' ';
            char *q = p;
            if (*q == ')')
                *q = ' ';
            while (q > s && *q != '(' && *q == ' ')
                q--;
            if (*q == '(')
                *q = ' ';
        }
    }
    return s;
}

/* The text as it stands for CPU against the kernel without schedule words. */
static void same(size_t i, struct kernel *slow, const char *cpu, bool strict) {
    struct llvm_options o = test_options();
    o.strict = strict;
    if (!target_named(&o.target, cpu) || !target_runs_here(&o.target)) {
        skip("%s: no %s here", cases[i].what, cpu);
        return;
    }
    struct kernel fast = kernel_with(cases[i].text, &o);
    bool good = true;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && good; k++) {
        struct arena *a = arena_new();
        struct graph *g = rd_graph(a, cases[i].text);
        struct buffers x = buffers_for(g, &sizes[k], cases[i].limit);
        struct buffers y = buffers_for(g, &sizes[k], cases[i].limit);
        buffers_copy(&y, &x);
        int rx = kernel_run(&fast, x.at, &sizes[k]), ry = kernel_run(slow, y.at, &sizes[k]);
        good = rx == 0 && ry == 0 && buffers_same(&x, &y, strict ? 0 : 2e-5);
        if (!good)
            diag("size %lld: status %d and %d, %s", (long long)sizes[k], rx, ry,
                 fast.message ? fast.message : "");
        buffers_free(&x);
        buffers_free(&y);
        arena_free(a);
    }
    ok(good, "%s (%s%s)", cases[i].what, cpu, strict ? ", strict" : "");
    kernel_free(&fast);
}

int main(void) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *plain = without_schedule(cases[i].text);
        struct llvm_options o = test_options();
        struct kernel slow = kernel_with(plain, &o);
        same(i, &slow, "host", false);
        same(i, &slow, "x86-64", false);
        kernel_free(&slow);
        /* Strict: not even the rounding of sums may differ. */
        o.strict = true;
        slow = kernel_with(plain, &o);
        same(i, &slow, "host", true);
        kernel_free(&slow);
        free(plain);
    }
    return done_testing();
}
