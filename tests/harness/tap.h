/* tap.h: tests in C. The program prints one TAP line per check and ends with
   'return done_testing();'. A failed check prints where it stands and what came out, and the
   program goes on. There is no plan to keep: done_testing prints it. */

#ifndef TESTS_HARNESS_TAP_H
#define TESTS_HARNESS_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failures;

/* Every check is named by a printf format and its arguments; each returns whether it passed. */
#define ok(cond, ...) tap_ok((cond), __FILE__, __LINE__, #cond, __VA_ARGS__)
#define is_int(got, want, ...) tap_is_int((got), (want), __FILE__, __LINE__, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str((got), (want), __FILE__, __LINE__, __VA_ARGS__)
/* |got - want| <= tolerance, or both NaN, or equal infinities. */
#define is_near(got, want, tolerance, ...)                                                         \
    tap_is_near((got), (want), (tolerance), __FILE__, __LINE__, __VA_ARGS__)
#define fail(...) tap_ok(false, __FILE__, __LINE__, "fail", __VA_ARGS__)

/* A line that is not a check. */
__attribute__((format(printf, 1, 2), unused)) static void diag(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("# ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static inline void tap_line(bool passed, const char *format, va_list args) {
    printf("%s %d - ", passed ? "ok" : "not ok", ++tap_count);
    vprintf(format, args);
    putchar('\n');
    fflush(stdout);
    tap_failures += !passed;
}

__attribute__((format(printf, 5, 6), unused)) static bool
tap_ok(bool passed, const char *file, int line, const char *what, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tap_line(passed, format, args);
    va_end(args);
    if (!passed)
        diag("%s:%d: failed: %s", file, line, what);
    return passed;
}

__attribute__((format(printf, 5, 6), unused)) static bool
tap_is_int(long long got, long long want, const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    tap_line(got == want, format, args);
    va_end(args);
    if (got != want)
        diag("%s:%d: got %lld, want %lld", file, line, got, want);
    return got == want;
}

__attribute__((format(printf, 5, 6), unused)) static bool
tap_is_str(const char *got, const char *want, const char *file, int line, const char *format, ...) {
    bool passed = got && want ? strcmp(got, want) == 0 : got == want;
    va_list args;
    va_start(args, format);
    tap_line(passed, format, args);
    va_end(args);
    if (!passed) {
        diag("%s:%d:", file, line);
        diag("   got: %s", got ? got : "(null)");
        diag("  want: %s", want ? want : "(null)");
    }
    return passed;
}

__attribute__((format(printf, 6, 7), unused)) static bool tap_is_near(double got, double want,
                                                                      double tolerance,
                                                                      const char *file, int line,
                                                                      const char *format, ...) {
    bool passed = got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= tolerance;
    va_list args;
    va_start(args, format);
    tap_line(passed, format, args);
    va_end(args);
    if (!passed)
        diag("%s:%d: got %.17g, want %.17g within %g", file, line, got, want, tolerance);
    return passed;
}

/* Stands for one check that cannot be made here; the text is the reason. */
__attribute__((format(printf, 1, 2), unused)) static void skip(const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("ok %d # SKIP ", ++tap_count);
    vprintf(format, args);
    putchar('\n');
    fflush(stdout);
    va_end(args);
}

/* Ends a program none of whose checks can be made here. */
__attribute__((format(printf, 1, 2), noreturn, unused)) static void skip_all(const char *format,
                                                                             ...) {
    va_list args;
    va_start(args, format);
    printf("1..0 # SKIP ");
    vprintf(format, args);
    putchar('\n');
    va_end(args);
    exit(0);
}

/* Prints the plan; what main returns. */
__attribute__((unused)) static int done_testing(void) {
    printf("1..%d\n", tap_count);
    fflush(stdout);
    if (tap_failures)
        diag("%d of %d failed", tap_failures, tap_count);
    return tap_failures != 0 || tap_count == 0;
}

#endif
