/* Cases in processes of their own: a crash, an endless loop or a lost assertion is a failure that
   the parent sees and outlives. */
#ifndef DCL_TESTS_FUZZ_CHILDREN_H
#define DCL_TESTS_FUZZ_CHILDREN_H

#include "tests/fuzz/case.h"

#include <sys/time.h>
#include <sys/wait.h>

#define CASE_SECONDS 60

struct shared { /* by parent and child */
    struct progress progress;
    char kind[64]; /* how the child failed, "" if it did not */
    char why[60000];
};

static struct shared *shared; /* of the child that runs, or was waited for last */
static const char *stdlib_folder;
static int variants = 3;

FUZZ struct shared *shared_new(void) {
    struct shared *s =
        mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return s;
}

FUZZ void children_begin(void) {
    shared = shared_new();
}

static pid_t child_begin(void) {
    fflush(stdout);
    fflush(stderr);
    shared->kind[0] = shared->why[0] = '\0';
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    return child;
}

/* In the child. */
_Noreturn static void child_fail(const char *kind, const char *why) {
    snprintf(shared->kind, sizeof shared->kind, "%s", kind);
    snprintf(shared->why, sizeof shared->why, "%s", why);
    _exit(1);
}

FUZZ void child_runner(struct runner *r, struct arena *a) {
    *r = (struct runner){.progress = &shared->progress, .variants = variants};
    r->front = front_new(a, stdlib_folder);
    if (r->front->diags.errors) {
        struct buf b = buf_new(a);
        diags_print(&r->front->diags, &b, false);
        child_fail("the standard library", b.at);
    }
}

FUZZ void child_case(struct runner *r, struct arena *a, struct program *p, unsigned seconds) {
    /* Of processor time, so that what else runs does not count; and a bound for who waits. */
    struct itimerval most = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &most, NULL);
    alarm(10 * seconds);
    if (!run_case(r, a, p))
        child_fail(r->kind, r->why);
}

/* The reference's errors differ by what they say, which is after the place. */
static void name_error(void) {
    const char *at = strstr(shared->why, "error: ");
    if (strcmp(shared->kind, "ref") == 0 && at)
        snprintf(shared->kind, sizeof shared->kind, "ref: %.*s",
                 (int)strcspn(at + 7, "\n0123456789"), at + 7);
}

/* How a child of this status failed, "" if it was well. */
FUZZ const char *child_status(int status) {
    if (WIFSIGNALED(status)) {
        bool slow = WTERMSIG(status) == SIGALRM || WTERMSIG(status) == SIGPROF;
        snprintf(shared->kind, sizeof shared->kind, "%s in %.40s", slow ? "too slow" : "crash",
                 shared->progress.stage);
        if (!shared->why[0])
            snprintf(shared->why, sizeof shared->why, "signal %d", WTERMSIG(status));
    } else if (WEXITSTATUS(status) && !shared->kind[0]) {
        snprintf(shared->kind, sizeof shared->kind, "exit in %.40s", shared->progress.stage);
        snprintf(shared->why, sizeof shared->why, "status %d", WEXITSTATUS(status));
    }
    name_error();
    return shared->kind;
}

/* In the parent: waits for the child. */
FUZZ const char *child_end(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        ;
    return child_status(status);
}

#endif
