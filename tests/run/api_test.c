/* libdcl as a C program sees it, through dcl.h alone; and its memory: the n-th allocation fails. */
#include "dcl.h"

#include "lang/base/arena.h"
#include "tests/harness/tap.h"

#include <pthread.h>
#include <time.h>

static const char source[] = "fn f(x: f32[N], y: f32[N]) -> f32[N] { x * y + 1 }\n"
                             "layer Pair() { param w: f32[2] ~ ones\n"
                             "  fn forward(x: f32[2]) -> f32[2] { x + w } }\n"
                             "pair = Pair()\n";

static int call(dcl_function *f, float *out) {
    static float x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    int64_t shape[1] = {3};
    dcl_tensor args[2] = {{x, DCL_F32, 1, shape, NULL}, {y, DCL_F32, 1, shape, NULL}};
    dcl_tensor result = {out, DCL_F32, 1, shape, NULL};
    return dcl_call(f, args, 2, &result, 1);
}

static void check_calls(const char *options) {
    dcl_session *s = dcl_open(options);
    ok(s != NULL, "%s: open", options);
    is_int(dcl_run(s, source, "api.dcl"), 0, "run");
    is_str(dcl_errors(s), "", "no errors");
    dcl_function *f = dcl_compile(s, "f");
    ok(f != NULL, "compile");
    ok(dcl_compile(s, "f") == f, "the same handle for the same signature");
    is_int(dcl_result_count(f), 1, "one result");
    int inout = -1;
    is_str(dcl_argument(f, 1, &inout), "y", "the name of an argument");
    is_int(inout, 0, "which is not written");
    ok(dcl_argument(f, 2, NULL) == NULL && dcl_argument(f, -1, NULL) == NULL, "no other");
    float out[3];
    is_int(call(f, out), 0, "call");
    ok(out[0] == 5 && out[1] == 11 && out[2] == 19, "values");

    int64_t two[1] = {2}, shapes[1][16];
    dcl_tensor bad[2] = {{out, DCL_F32, 1, two, NULL}, {out, DCL_F64, 1, two, NULL}}, shape;
    ok(dcl_result_shapes(f, bad, 2, &shape, shapes) != 0, "a wrong type is refused");
    ok(strstr(dcl_errors(s), "f64") != NULL, "and told");
    dcl_tensor nothing = {NULL, DCL_F32, 1, two, NULL}, two_of[2] = {nothing, nothing};
    ok(dcl_call(f, two_of, 2, &nothing, 1) != 0, "arguments without memory are refused");
    ok(strstr(dcl_errors(s), "no memory") != NULL, "and told");
    dcl_tensor given[2] = {{out, DCL_F32, 1, two, NULL}, {out, DCL_F32, 1, two, NULL}};
    ok(dcl_call(f, given, 2, &nothing, 1) != 0, "a result without memory is refused");
    dcl_tensor strange = {out, 77, 1, two, NULL};
    ok(dcl_result_shapes(f, &strange, 1, &shape, shapes) != 0, "no such element type");

    ok(dcl_run(s, "print(x", "api.dcl") != 0, "a syntax error");
    ok(strncmp(dcl_errors(s), "api.dcl:1:6: error:", 19) == 0, "has its place");
    ok(dcl_compile(s, "g") == NULL && *dcl_errors(s), "an unknown function");
    ok(dcl_run_file(s, "none.dcl") != 0 && strstr(dcl_errors(s), "none.dcl"), "no such file");
    is_int(call(f, out), 0, "the session goes on");
    dcl_close(s);
}

static void check_two(void) {
    dcl_session *a = dcl_open(NULL), *b = dcl_open(NULL);
    dcl_run(a, "x = 1", NULL);
    ok(dcl_run(b, "print(x)", NULL) != 0, "sessions know nothing of each other");
    dcl_close(a);
    dcl_close(b);
    dcl_close(NULL);
    a = dcl_open("backend=none");
    ok(a && *dcl_errors(a) && dcl_run(a, "", NULL) != 0, "a wrong option");
    dcl_close(a);
}

/* Code for another processor is shown; it is called only where it runs. */
static void check_foreign(void) {
    static const char *const cpus[] = {"sapphirerapids", "znver5"};
    for (int i = 0; i < 2; i++) {
        dcl_session *s = dcl_open(i ? "target-cpu=znver5" : "target-cpu=sapphirerapids");
        is_int(dcl_run(s, "fn f(x: f32[N], y: f32[N]) -> f32[N] { x * y + 1 }", NULL), 0,
               "%s: definitions", cpus[i]);
        dcl_function *f = dcl_compile(s, "f(x: f32[N], y: f32[N])");
        ok(f != NULL, "%s: compiled: %s", cpus[i], dcl_errors(s));
        const char *text = f ? dcl_show(f, "", "asm") : NULL;
        ok(text && strstr(text, "mm"), "%s: shown", cpus[i]);
        float out[3] = {0};
        int status = f ? call(f, out) : 1;
        ok(status ? strstr(dcl_errors(s), "does not run on this machine") != NULL : out[1] == 11,
           "%s: called or refused: %s", cpus[i], dcl_errors(s));
        dcl_close(s);
    }
}

static void *stop_soon(void *session) {
    struct timespec t = {0, 50 * 1000 * 1000};
    nanosleep(&t, NULL);
    dcl_stop(session);
    return NULL;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char running[] = "fn f(x: f32[N], n: i64) -> y: f32[N] {\n"
                              "  y = x\n"
                              "  for k in 0:n { for i in 0:N { y[i] = y[i] * 0.5 + 1 } } }\n"
                              "x: f32[100] = 1\n"
                              "y = f(x, 100000000000)\n";
static const char elaborating[] =
    "fn g(n: int) -> int { if n == 0 { 0 } else { g(n - 1) + g(n - 1) } }\nprint(g(60))\n";

static const char listing[] = "print(len([[i*j for i in 0:1000000] for j in 0:1000000]))\n";

static void check_stop(const char *options, const char *text) {
    dcl_session *s = dcl_open(options);
    pthread_t thread;
    pthread_create(&thread, NULL, stop_soon, s);
    double begin = now();
    int status = dcl_run(s, text, NULL);
    double took = now() - begin;
    pthread_join(thread, NULL);
    ok(status != 0 && strstr(dcl_errors(s), "interrupted"), "%s: stopped", options);
    ok(took < 5, "%s: at once (%.2f s)", options, took);
    is_int(dcl_run(s, "a = 1", NULL), 0, "%s: and goes on", options);
    dcl_close(s);
}

/* A stop before a call ends it, unless it is taken back; one call, not two. */
static void check_early_stop(const char *options) {
    dcl_session *s = dcl_open(options);
    dcl_stop(s); /* before the library has been read */
    ok(dcl_run(s, "a = 1", NULL) != 0 && strstr(dcl_errors(s), "interrupted"),
       "%s: a stop before the first call ends it", options);
    is_int(dcl_run(s, source, NULL), 0, "%s: and not the next", options);
    dcl_stop(s);
    ok(dcl_run(s, "print(1)", NULL) != 0 && strstr(dcl_errors(s), "interrupted"),
       "%s: a stop between two calls ends the second", options);
    float out[3] = {0};
    dcl_function *f = dcl_compile(s, "f");
    dcl_stop(s);
    ok(f && call(f, out) != 0 && strstr(dcl_errors(s), "interrupted"), "%s: of a function, too",
       options);
    is_int(call(f, out), 0, "%s: once", options);
    dcl_stop(s);
    dcl_go_on(s);
    is_int(call(f, out), 0, "%s: what is taken back stops nothing", options);
    dcl_stop(s);
    ok(dcl_run(s, "1 +", NULL) != 0, "%s: a call that fails", options);
    is_int(dcl_run(s, "a = 1", NULL), 0, "%s: has met what came before", options);
    dcl_close(s);
}

/* The n-th allocation fails: the call says so, nothing is lost, and the session goes on. */
static void check_memory(const char *options) {
    long n = 1;
    bool fine = true;
    int failures = 0;
    for (; fine && n < 100000; n += 1 + n / 40) {
        arena_fail_after(n);
        dcl_session *s = dcl_open(options);
        float out[3] = {0};
        dcl_function *f = NULL;
        int status = 1;
        if (s && dcl_run(s, source, "api.dcl") == 0 && (f = dcl_compile(s, "f")))
            status = call(f, out);
        arena_fail_after(-1);
        if (status == 0) {
            fine = out[1] == 11;
            dcl_close(s);
            if (failures)
                break;
            continue;
        }
        failures++;
        if (s) {
            fine = *dcl_errors(s) != '\0';
            status = dcl_run(s, source, "api.dcl");
            f = status ? NULL : dcl_compile(s, "f");
            fine = fine && f && call(f, out) == 0 && out[1] == 11;
            if (!fine)
                diag("allocation %ld: %s", n, dcl_errors(s));
        }
        dcl_close(s);
    }
    ok(fine && failures > 20, "%s: %d allocations failed", options, failures);
}

int main(void) {
    check_calls("backend=ref");
    check_calls("backend=cpu threads=2");
    check_two();
    check_foreign();
    check_early_stop("backend=cpu");
    check_early_stop("backend=ref");
    check_stop("backend=cpu", running);
    check_stop("backend=cpu", elaborating);
    check_stop("backend=cpu", listing);
    check_stop("backend=ref", running);
    check_stop("backend=ref", elaborating);
    check_stop("backend=ref", listing);
    check_memory("backend=ref");
    check_memory("backend=cpu");
    return done_testing();
}
