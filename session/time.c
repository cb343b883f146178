/* How long a statement takes: it is compiled once and run again and again, for half a second or
   until it has run often enough. The reference evaluates it anew each time. What it writes is
   taken back. */
#include "session/ask.h"

#include "lang/base/clock.h"

#include <stdlib.h>

enum { RUNS_LEAST = 3, RUNS_MOST = 1000 };
static const double enough = 0.5; /* seconds */

/* A statement that has been compiled. */
struct timed {
    const struct ast *st;
    struct program program;
    struct actual *at;
    int64_t *symbols;
    void **results;
    bool compiled;
};

/* Evaluates and lowers; with the compiler, also makes the program and memory for its results. */
static bool prepare(struct dcl_session *s, struct timed *t) {
    struct value v;
    struct pending pending = {0};
    if (!eval_statement(s->unit.ev, s->script, t->st, &v))
        return false;
    pending_of(s, &v, &pending);
    if (s->unit.ref || (!pending.at.n && !unit_writes(s)))
        return !s->unit.ref || !pending.at.n || unit_results(s, pending.at.n, pending.at.at);
    t->at = unit_program(s, pending.at.n, pending.at.at, &t->program);
    if (!t->at)
        return false;
    const struct graph *g = t->program.graph;
    t->symbols = ARENA_ARRAY(s->unit.arena, int64_t, t->program.nsymbols);
    t->results = ARENA_ARRAY(s->unit.arena, void *, g->results.n);
    if (!program_bind(s, &t->program, t->at, t->symbols, s->unit.span))
        return false;
    for (uint32_t k = 0; k < g->results.n; k++) {
        int64_t dims[EVAL_MAX_RANK];
        size_t bytes;
        struct data *d;
        if (t->program.found[k])
            continue;
        if (!program_result(s, &t->program, k, t->symbols, dims, &bytes) ||
            !(d = data_new(s, bytes, "a result", s->unit.span)))
            return false;
        t->results[k] = d->bytes;
    }
    t->compiled = true;
    return true;
}

static bool run_once(struct dcl_session *s, struct timed *t) {
    if (t->compiled) {
        bool ok = program_run(s, &t->program, t->at, t->symbols, t->results, s->unit.span);
        rt_results_free(s->rt);
        return ok;
    }
    unit_end(s);
    question_begin(s, t->st);
    return prepare(s, t);
}

static int by_size(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static bool answer(struct dcl_session *s, struct question *q, const struct ast *st) {
    struct timed t = {.st = st};
    double *runs = ARENA_ARRAY(s->messages, double, RUNS_MOST), begin = clock_seconds();
    int n = 0;
    if (!prepare(s, &t))
        return false;
    q->timing->compile = clock_seconds() - begin;
    q->timing->compiled = t.compiled;
    for (double start = clock_seconds();
         n < RUNS_MOST && (n < RUNS_LEAST || clock_seconds() - start < enough); n++) {
        begin = clock_seconds();
        if (session_stopped(s) || !run_once(s, &t))
            return false;
        runs[n] = clock_seconds() - begin;
    }
    qsort(runs, (size_t)n, sizeof *runs, by_size);
    q->timing->runs = n;
    q->timing->least = runs[0];
    q->timing->median = n % 2 ? runs[n / 2] : (runs[n / 2 - 1] + runs[n / 2]) / 2;
    return true;
}

static bool run_question(struct dcl_session *s, void *data) {
    return question_ask(s, data);
}

int session_time(dcl_session *s, const char *statement, struct timing *out) {
    struct question q = {.text = statement, .answer = answer, .timing = out};
    *out = (struct timing){0};
    return session_guard(s, run_question, &q);
}
