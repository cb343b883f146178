/* dcl bench: the time of a call, its operations and bytes a second, beside what this machine
   reaches: multiply-adds in registers, and a copy or a sum of as many bytes as the call moves, all
   written in DCL and compiled as the function is.
   A sample is so many calls that the clock can tell them; memory is that of the call before, so
   what fits in the caches is in them. */
#include "repl/entry.h"

#include "lang/base/buf.h"
#include "lang/base/clock.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 1000, LEAST_SAMPLES = 11 };
#define SAMPLE_SECONDS 1e-3 /* of one sample at least */
#define ALL_SECONDS 1.0     /* of all of them, about */

struct sampling {
    int n, calls;
    double median, least, spread; /* seconds of a call; between the quartiles, of the median */
};

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of one of CALLS calls; negative after an error. */
static double sample(struct operands *o, int calls) {
    double from = clock_seconds();
    for (int i = 0; i < calls; i++)
        if (!operands_call(o))
            return -1;
    return (clock_seconds() - from) / calls;
}

static bool take_samples(struct operands *o, double seconds, struct sampling *out) {
    double at[MOST_SAMPLES], t = sample(o, 1), began = clock_seconds();
    int n = 0, calls = 1;
    for (t = t < 0 ? t : sample(o, 1); t >= 0 && t * calls < SAMPLE_SECONDS && calls < 1000000;) {
        calls *= 2;
        t = sample(o, calls);
    }
    while (t >= 0 && n < MOST_SAMPLES && (n < LEAST_SAMPLES || clock_seconds() - began < seconds)) {
        t = sample(o, calls);
        at[n++] = t;
    }
    if (t < 0)
        return false;
    qsort(at, (size_t)n, sizeof *at, by_value);
    *out = (struct sampling){n, calls, at[n / 2], at[0], (at[3 * n / 4] - at[n / 4]) / at[n / 2]};
    return true;
}

/* --- the machine ----------------------------------------------------------------------------- */

/* Twelve chains of vectors hide the latency of a multiply-add. */
static const char machine_text[] =
    "fn peak(x: f32[P, 2], n: i64; v: int = lanes(f32)) -> y: f32[P, 12, v] {\n"
    "  map p in P parallel {\n"
    "    a << x[p, 0]\n"
    "    b << x[p, 1]\n"
    "    s: f32[12, v] in register = 0\n"
    "    for k in 0:n { map i in 12 unroll, j in v vector { s[i, j] = s[i, j] * a + b } }\n"
    "    map i in 12 unroll, j in v vector { y[p, i, j] = s[i, j] }\n"
    "  }\n"
    "}\n"
    "fn copy(x: f32[N]) -> y: f32[N] { map i in N { y[i] = x[i] } }\n"
    "fn reading(x: f32[P, M]; v: int = lanes(f32)) -> y: f32[P, 8, v] {\n"
    "  map p in P parallel {\n"
    "    s: f32[8, v] in register = 0\n"
    "    for k in 0:M // (8 * v) {\n"
    "      map i in 8 unroll, j in v vector { s[i, j] = s[i, j] + x[p, 8 * v * k + v * i + j] }\n"
    "    }\n"
    "    map i in 8 unroll, j in v vector { y[p, i, j] = s[i, j] }\n"
    "  }\n"
    "}\n";
/* A row of `reading` is a multiple of ROW elements, whatever the lanes. */
enum { PEAK_TURNS = 1000, PEAK_TASKS = 64, ROW = 128 };
#define MEMORY_BYTES 134217728.0 /* more than caches hold */

/* What the machine reaches in a second: arithmetic; bytes that a copy or a sum of as much data as
   the call has moves, and of much more. Data that fits a cache is faster than main memory. */
struct machine {
    double operations, bytes, memory;
};

static bool measure(const struct command_line *c, dcl_session *s, const char *signature, double n,
                    double *work) {
    struct operands *o = ARENA_NEW(c->arena, struct operands);
    struct sampling got;
    dcl_function *f = dcl_compile(s, signature);
    if (!f || !operands_make(c, f, o))
        return false;
    for (int i = 0; i < o->nargs; i++)
        if (o->args[i].rank == 0)
            o->numbers[i] = PEAK_TURNS;
    if (!take_samples(o, 0.3, &got))
        return false;
    double operations = (double)o->result_shapes[0][0] * (double)o->result_shapes[0][1] *
                        (double)o->result_shapes[0][2] * PEAK_TURNS * 2;
    *work = (n > 0 ? n : operations) / got.least;
    return true;
}

/* The most bytes a second over FOOTPRINT bytes: what is copied, or what is only read. */
static bool measure_bytes(const struct command_line *c, dcl_session *s, double footprint,
                          double *most) {
    int64_t n = footprint > 8 * ROW ? (int64_t)(footprint / 8) : ROW;
    int64_t tasks = n >= PEAK_TASKS * ROW ? PEAK_TASKS : 1;
    int64_t row = 2 * n / tasks / ROW * ROW;
    double copied, read;
    bool ok = measure(c, s, arena_printf(c->arena, "copy(x: f32[%lld])", (long long)n),
                      8.0 * (double)n, &copied) &&
              measure(c, s,
                      arena_printf(c->arena, "reading(x: f32[%lld, %lld])", (long long)tasks,
                                   (long long)row),
                      4.0 * (double)(tasks * row), &read);
    if (ok)
        *most = read > copied ? read : copied;
    return ok;
}

static int measure_machine(const struct command_line *c, double footprint, struct machine *m) {
    struct command_line plain = *c;
    plain.values[OPTION_input].n = 0;
    plain.values[OPTION_strict].n = 0;
    dcl_session *s = open_session(&plain);
    if (!s)
        return EXIT_USAGE;
    interrupt_install(s, true);
    const char *peak = arena_printf(c->arena, "peak(x: f32[%d, 2], n: i64)", PEAK_TASKS);
    session_begin(s, "measuring this machine");
    bool ok = dcl_run(s, machine_text, "<machine>") == 0 &&
              measure(&plain, s, peak, 0, &m->operations) &&
              measure_bytes(&plain, s, MEMORY_BYTES, &m->memory);
    m->bytes = m->memory;
    if (ok && footprint < MEMORY_BYTES)
        ok = measure_bytes(&plain, s, footprint, &m->bytes);
    session_end(s);
    int status = finish_call(s, !ok);
    interrupt_install(NULL, false);
    dcl_close(s);
    return status;
}

/* --- the report ------------------------------------------------------------------------------ */

static void print_time(const char *what, double t) {
    double unit = t < 1e-6 ? 1e-9 : t < 1e-3 ? 1e-6 : t < 1 ? 1e-3 : 1;
    printf("%s %.4g %s", what, t / unit, t < 1e-6 ? "ns" : t < 1e-3 ? "us" : t < 1 ? "ms" : "s");
}

static void print_rate(double work, double seconds, double most, const char *unit) {
    printf("  %.4g G%s, %.4g G%s/s: %.1f %% of %.4g\n", work / 1e9, unit, work / seconds / 1e9,
           unit, 100 * work / seconds / most, most / 1e9);
}

/* Whether the data was in a cache, as far as its speed says. */
static bool in_cache(const struct machine *m) {
    return m->bytes > 1.5 * m->memory;
}

static void report(const char *signature, const struct sampling *t, const struct session_work *w,
                   const struct machine *m) {
    printf("%s\n", signature);
    print_time("  median", t->median);
    print_time(", least", t->least);
    printf(", spread %.1f %% of %d samples of %d call%s\n", 100 * t->spread, t->n, t->calls,
           t->calls == 1 ? "" : "s");
    if (w->operations > 0)
        print_rate(w->operations, t->median, m->operations, "FLOP");
    print_rate(w->bytes, t->median, m->bytes, "B");
    if (in_cache(m))
        printf(
            "  as much data as this is copied or read at %.4g GB/s, main memory at %.4g: it fits "
            "a cache\n",
            m->bytes / 1e9, m->memory / 1e9);
    else if (m->bytes < m->memory)
        printf(
            "  as little data as this is copied or read at %.4g GB/s, main memory at %.4g: it is "
            "the call that takes the time\n",
            m->bytes / 1e9, m->memory / 1e9);
}

static void report_json(struct arena *a, const char *signature, const struct sampling *t,
                        const struct session_work *w, const struct machine *m) {
    struct buf name = buf_new(a);
    buf_json(&name, signature);
    printf("{\"entry\": %s, \"median\": %.9g, \"least\": %.9g, \"spread\": %.4g, \"samples\": %d, "
           "\"calls\": %d, "
           "\"operations\": %.17g, \"bytes\": %.17g, \"peak_operations\": %.6g, \"peak_bytes\": "
           "%.6g, \"memory_bytes\": %.6g, \"in_cache\": %s}\n",
           name.at, t->median, t->least, t->spread, t->n, t->calls, w->operations, w->bytes,
           m->operations, m->bytes, m->memory, in_cache(m) ? "true" : "false");
}

static int bench(const struct command_line *c, dcl_session *s, const char *signature) {
    struct operands *o = ARENA_NEW(c->arena, struct operands);
    struct sampling t;
    struct session_work w;
    struct machine m = {0};
    session_begin(s, arena_printf(c->arena, "measuring %s", signature));
    dcl_function *f = entry_open(c, s, signature);
    bool ok =
        f && operands_make(c, f, o) && session_work(f, &w) == 0 && take_samples(o, ALL_SECONDS, &t);
    session_end(s);
    int status = finish_call(s, !ok);
    interrupt_install(NULL, false);
    if (status == EXIT_FINE)
        status = measure_machine(c, w.bytes, &m);
    if (status != EXIT_FINE)
        return status;
    if (option_value(c, OPTION_json))
        report_json(c->arena, signature, &t, &w, &m);
    else
        report(signature, &t, &w, &m);
    return EXIT_FINE;
}

int command_bench(const struct command_line *c) {
    return entry_run(c, bench);
}
