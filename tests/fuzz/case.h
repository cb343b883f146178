/* One program through everything: read, run by `ref`, walked for its bounds, printed and read back
   after every pass, the printed form run by `ref`, and compiled by sessions of several options. */
#ifndef DCL_TESTS_FUZZ_CASE_H
#define DCL_TESTS_FUZZ_CASE_H

#include "compiler/passes/pass.h"
#include "include/dcl.h"
#include "tests/fuzz/front.h"
#include "tests/fuzz/guard.h"
#include "tests/fuzz/trip.h"

#define CASE_SESSIONS 6

/* Shared with the process that watches: where we are, what was done. */
struct progress {
    uint64_t seed;
    char stage[64];
    uint64_t programs, graphs, trips, kernels, elements, unsure, gave_up, skipped;
};

struct open_session {
    char options[256];
    dcl_session *session;
    uint64_t used;
};

struct runner {
    struct front *front;
    struct progress *progress;
    struct open_session sessions[CASE_SESSIONS];
    uint64_t clock;
    int variants; /* compiled forms of each program; 0: none */
    /* Of the case that runs: */
    struct rng rng;
    struct unit unit;
    struct result *want; /* ref's results, then the arguments after the call */
    uint32_t nresults;
    void **after;
    struct bound bound[2][PROGRAM_ARGS], bound_args[2][PROGRAM_ARGS]; /* by `strict` */
    bool known;                                                       /* bounds are */
    char kind[64];                                                    /* "" or how it failed */
    const char *why;
};

__attribute__((format(printf, 3, 4))) static bool failed(struct runner *r, const char *kind,
                                                         const char *format, ...) {
    va_list args;
    va_start(args, format);
    snprintf(r->kind, sizeof r->kind, "%s", kind);
    r->why = arena_vprintf(r->unit.arena, format, args);
    va_end(args);
    return false;
}

static void stage(struct runner *r, const char *text) {
    if (r->progress)
        snprintf(r->progress->stage, sizeof r->progress->stage, "%s", text);
}

static const char *scalar_text(struct arena *a, enum dtype t, union scalar s) {
    if (dtype_is_float(t))
        return arena_printf(a, "%.17g", real_of(t, s));
    if (t == DT_bool)
        return s.b ? "true" : "false";
    return arena_printf(a, "%lld", (long long)scalar_to_i64(t, s));
}

/* Compares N elements at GOT; WHAT names them. */
static bool compare(struct runner *r, const char *kind, const char *what, enum dtype t, int64_t n,
                    const void *got, const struct bound *b) {
    size_t size = dtypes[t].bytes;
    for (int64_t i = 0; i < n && b->at; i++) {
        const char *p = (const char *)got + (size_t)i * size;
        union scalar x = {.i64 = 0};
        memcpy(&x, p, size);
        bool proper = t != DT_bool || *(const unsigned char *)p <= 1;
        r->progress->elements++;
        r->progress->unsure += b->at[i].unsure;
        if (proper && bounds_allow(t, &b->at[i], x))
            continue;
        struct arena *a = r->unit.arena;
        return failed(r, kind, "%s, element %lld: %s, by ref %s within %g", what, (long long)i,
                      proper ? scalar_text(a, t, x) : "no bool", scalar_text(a, t, b->at[i].r),
                      b->at[i].e);
    }
    return true;
}

/* --- ref ------------------------------------------------------------------------------------- */

static bool run_ref(struct runner *r) {
    struct unit *u = &r->unit;
    stage(r, "ref");
    r->after = unit_memory(u);
    r->want = unit_run_ref(u, u->fn, u->module, r->after, NULL, &r->nresults);
    if (!r->want)
        return failed(r, "ref", "%s", front_messages(u));
    return true;
}

/* NULL, or what a checked run has found that is wrong. */
static const char *findings(struct runner *r, const struct diags *found) {
    struct buf b = buf_new(r->unit.arena);
    diags_print(found, &b, false);
    return found->errors ? b.at : NULL;
}

/* A checked run finds nothing wrong in a legal program, and computes the same. */
static bool run_checked(struct runner *r) {
    struct unit *u = &r->unit;
    struct diags found;
    uint32_t n;
    stage(r, "checked");
    void **memory = unit_memory(u);
    diags_init(&found, u->arena, u->front->sources);
    const struct result *got = unit_run_ref(u, u->fn, u->module, memory, &found, &n);
    const char *wrong = findings(r, &found);
    if (!got || wrong)
        return failed(r, "checked", "%s", wrong ? wrong : "it fails");
    for (uint32_t k = 0; k < n && r->want; k++)
        if (memcmp(got[k].bytes, r->want[k].bytes, (size_t)got[k].n * dtypes[got[k].dtype].bytes) !=
            0)
            return failed(r, "checked", "result %u differs", k);
    for (int i = 0; i < u->program->nargs; i++) {
        const struct argument *a = &u->program->args[i];
        size_t size = (size_t)argument_elements(u->program, a) * dtypes[a->dtype].bytes;
        if (memcmp(memory[i], r->after[i], size) != 0)
            return failed(r, "checked", "the argument %s differs", a->name);
    }
    return true;
}

/* The bounds' walk computes what ref does; that both agree is checked, too. */
static bool run_bounds(struct runner *r, bool strict) {
    struct unit *u = &r->unit;
    stage(r, "bounds");
    void **memory = unit_memory(u);
    struct bound *results = r->bound[strict], *args = r->bound_args[strict];
    if (!unit_bounds(u, memory, strict, results, args)) {
        r->progress->gave_up++;
        return false;
    }
    for (uint32_t k = 0; k < r->nresults; k++) {
        const struct result *x = &r->want[k];
        for (int64_t i = 0; i < x->n; i++) {
            struct shade exact = {.r = results[k].at[i].r};
            size_t size = dtypes[x->dtype].bytes;
            if (!bounds_allow(x->dtype, &exact,
                              scalar_load(x->dtype, (const char *)x->bytes + (size_t)i * size)))
                return failed(r, "bounds", "result %u, element %lld: the two walks differ", k,
                              (long long)i);
        }
    }
    return true;
}

static bool compare_all(struct runner *r, const char *kind, bool strict, void *const *results,
                        void *const *memory) {
    const struct program *p = r->unit.program;
    for (uint32_t k = 0; k < r->nresults && r->known; k++)
        if (!compare(r, kind, arena_printf(r->unit.arena, "result %u", k), r->want[k].dtype,
                     r->want[k].n, results[k], &r->bound[strict][k]))
            return false;
    for (int i = 0; i < p->nargs; i++) {
        const struct argument *a = &p->args[i];
        int64_t n = argument_elements(p, a);
        if (a->inout && r->known &&
            !compare(r, kind, a->name, a->dtype, n, memory[i], &r->bound_args[strict][i]))
            return false;
        if (!a->inout && memcmp(memory[i], r->after[i], (size_t)n * dtypes[a->dtype].bytes) != 0)
            return failed(r, kind, "the argument %s has changed", a->name);
    }
    return true;
}

/* --- graphs ---------------------------------------------------------------------------------- */

static bool trip(struct runner *r, const struct graph *g, const char *after, struct module **m,
                 struct ast **fn) {
    struct unit *u = &r->unit;
    stage(r, arena_printf(u->arena, "trip after %s", after));
    r->progress->trips++;
    const char *why = trip_graph(u->arena, u->front->names, g, m, fn);
    return why ? failed(r, "trip", "after %s: %s", after, why) : true;
}

/* Runs the printed form of G by `ref`, checked: what passes have made parallel is free of
   conflicts, and nothing is read outside or before it is written. */
static bool run_printed(struct runner *r, const struct graph *g, const char *after,
                        struct module *m, struct ast *fn) {
    struct unit *u = &r->unit;
    stage(r, arena_printf(u->arena, "ref after %s", after));
    void **memory = unit_memory(u);
    uint32_t n;
    struct diags found;
    diags_init(&found, u->arena, u->front->sources);
    struct result *got = unit_run_ref(u, fn, m, memory, &found, &n);
    const char *wrong = findings(r, &found);
    if (!got || n != r->nresults || wrong) {
        struct buf text = buf_new(u->arena);
        graph_print(g, &text);
        return failed(r, "printed", "after %s: %s%s", after, wrong ? wrong : "", text.at);
    }
    void **results = ARENA_ARRAY(u->arena, void *, n);
    for (uint32_t k = 0; k < n; k++)
        results[k] = (void *)(uintptr_t)got[k].bytes;
    if (compare_all(r, "printed", false, results, memory))
        return true;
    struct buf text = buf_new(u->arena);
    graph_print(g, &text);
    return failed(r, "printed", "after %s: %s\n%s", after, r->why, text.at);
}

static void random_pipeline(struct rng *rng, struct pipeline *p) {
    pipeline_default(p);
    if (rng_chance(rng, 30))
        return;
    for (uint32_t i = p->n; i > 1; i--) {
        uint32_t k = (uint32_t)rng_below(rng, (int)i);
        enum pass_id x = p->at[i - 1];
        p->at[i - 1] = p->at[k];
        p->at[k] = x;
    }
    for (int k = rng_below(rng, 4); k > 0; k--) /* some twice */
        p->at[p->n++] = (enum pass_id)rng_below(rng, PASS_COUNT);
}

static bool run_graphs(struct runner *r, bool symbolic) {
    struct unit *u = &r->unit;
    struct pass_target target = {32, 16, false};
    struct pipeline p;
    stage(r, symbolic ? "lower with symbols" : "lower");
    struct graph *g = unit_lower(u, symbolic);
    if (!g)
        return failed(r, symbolic ? "lower with symbols" : "lower", "%s", front_messages(u));
    random_pipeline(&r->rng, &p);
    struct buf names = buf_new(u->arena);
    buf_text(&names, symbolic ? "lower with symbols" : "lower");
    for (uint32_t i = 0; i <= p.n; i++) {
        struct module *m = NULL;
        struct ast *fn = NULL;
        if (i) {
            struct arena *scratch = arena_new();
            buf_printf(&names, ", %s", passes[p.at[i - 1]].name);
            stage(r, passes[p.at[i - 1]].name);
            passes[p.at[i - 1]].run(g, scratch, &target);
            arena_free(scratch);
        }
        r->progress->graphs++;
        if (!graph_verify(g, names.at, &u->diags)) {
            struct buf text = buf_new(u->arena);
            graph_print(g, &text);
            return failed(r, i ? "verify after a pass" : "verify", "%s%s", front_messages(u),
                          text.at);
        }
        if (!trip(r, g, names.at, &m, &fn))
            return false;
        if ((i == p.n || rng_chance(&r->rng, 10)) && !run_printed(r, g, names.at, m, fn))
            return false;
    }
    return true;
}

/* --- sessions -------------------------------------------------------------------------------- */

static dcl_session *session_for(struct runner *r, const char *options) {
    struct open_session *s = &r->sessions[0];
    for (int i = 0; i < CASE_SESSIONS; i++) {
        if (r->sessions[i].session && strcmp(r->sessions[i].options, options) == 0) {
            r->sessions[i].used = ++r->clock;
            return r->sessions[i].session;
        }
        if (r->sessions[i].used < s->used)
            s = &r->sessions[i];
    }
    dcl_close(s->session);
    s->session = dcl_open(options);
    s->used = ++r->clock;
    snprintf(s->options, sizeof s->options, "%s", options);
    return s->session;
}

FUZZ void runner_close(struct runner *r) {
    for (int i = 0; i < CASE_SESSIONS; i++)
        dcl_close(r->sessions[i].session);
}

struct variant {
    char options[256];
    bool symbolic, strict;
};

/* Number 0 is what users run; the others turn everything on, off and around. */
static void random_variant(struct rng *rng, int number, struct variant *v) {
    struct buf o;
    struct arena *a = arena_new();
    struct pipeline p;
    o = buf_new(a);
    int threads = rng_chance(rng, 35) ? 2 : 1;
    v->symbolic = number ? rng_chance(rng, 50) : false;
    v->strict = number && rng_chance(rng, 15);
    bool usual = number == 0 || (v->strict && rng_chance(rng, 50));
    switch (usual ? 6 : rng_below(rng, 6)) {
    case 0: buf_text(&o, "passes=none"); break;
    case 1: buf_printf(&o, "without=%s", passes[rng_below(rng, PASS_COUNT)].name); break;
    case 2: buf_printf(&o, "passes=%s", passes[rng_below(rng, PASS_COUNT)].name); break;
    case 3:
    case 4:
        random_pipeline(rng, &p);
        for (uint32_t i = 0; i < p.n; i++)
            buf_printf(&o, "%s%s", i ? "," : "passes=", passes[p.at[i]].name);
        break;
    default: buf_text(&o, "passes=default");
    }
    /* A strict program must not take what the cache has of the other. */
    bool cached = usual ? rng_chance(rng, 60) : rng_chance(rng, 30);
    buf_printf(&o, " threads=%d%s%s", threads, v->strict ? " strict=1" : "",
               cached ? "" : " cache=off");
    snprintf(v->options, sizeof v->options, "%s", o.at);
    arena_free(a);
}

static bool call_guarded(struct runner *r, dcl_session *s, dcl_function *f, const char *kind,
                         bool strict, bool at_end) {
    const struct program *p = r->unit.program;
    struct arena *a = r->unit.arena;
    struct guarded args[PROGRAM_ARGS], results[PROGRAM_ARGS];
    dcl_tensor in[PROGRAM_ARGS], out[PROGRAM_ARGS];
    int64_t in_dims[PROGRAM_ARGS][PROGRAM_RANK], out_dims[PROGRAM_ARGS][16];
    size_t in_size[PROGRAM_ARGS], out_size[PROGRAM_ARGS];
    void *memory[PROGRAM_ARGS], *got[PROGRAM_ARGS];
    int n = dcl_result_count(f);
    for (int i = 0; i < p->nargs; i++) {
        const struct argument *x = &p->args[i];
        argument_shape(p, x, in_dims[i]);
        in_size[i] = (size_t)argument_elements(p, x) * dtypes[x->dtype].bytes;
        args[i] = guard_new(in_size[i], at_end);
        memory[i] = args[i].at;
        argument_fill(p, i, memory[i]);
        in[i] = (dcl_tensor){memory[i], (int32_t)x->dtype, x->rank, in_dims[i], NULL};
    }
    bool ok = true, skipped = false;
    if ((uint32_t)n != r->nresults)
        ok = failed(r, kind, "%d results, %u by ref", n, r->nresults);
    stage(r, arena_printf(a, "%s: compile", kind));
    if (ok && dcl_result_shapes(f, in, p->nargs, out, out_dims))
        ok = failed(r, arena_printf(a, "%s: compile", kind), "%s", dcl_errors(s));
    for (int k = 0; k < n && ok; k++) {
        const struct result *want = &r->want[k];
        ok = out[k].dtype == (int32_t)want->dtype && out[k].rank == (int32_t)want->rank;
        for (uint32_t d = 0; ok && d < want->rank; d++)
            ok = out_dims[k][d] == want->dims[d];
        if (!ok && r->known)
            failed(r, kind, "the shape of result %d", k);
        else if (!ok) /* the size hangs on what rounding may decide */
            skipped = true;
    }
    for (int k = 0; k < n && ok; k++) {
        out_size[k] = (size_t)r->want[k].n * dtypes[r->want[k].dtype].bytes;
        results[k] = guard_new(out_size[k], at_end);
        got[k] = out[k].data = results[k].at;
        out[k].strides = NULL;
    }
    if (ok) {
        stage(r, arena_printf(a, "%s: call", kind));
        r->progress->kernels++;
        if (dcl_call(f, in, p->nargs, out, n))
            ok = failed(r, arena_printf(a, "%s: call", kind), "%s", dcl_errors(s));
        ok = ok && compare_all(r, kind, strict, got, memory);
        for (int k = 0; k < n; k++) {
            if (ok && !guard_intact(&results[k], out_size[k]))
                ok = failed(r, kind, "bytes around result %d were written", k);
            guard_free(&results[k]);
        }
    }
    for (int i = 0; i < p->nargs; i++) {
        if (ok && !guard_intact(&args[i], in_size[i]))
            ok = failed(r, kind, "bytes around argument %d were written", i);
        guard_free(&args[i]);
    }
    return ok || skipped;
}

static bool run_session(struct runner *r, const struct variant *v, bool at_end) {
    struct arena *a = r->unit.arena;
    const char *kind = v->symbolic ? "cpu with symbols" : "cpu";
    stage(r, "session");
    dcl_session *s = session_for(r, v->options);
    if (!s)
        return failed(r, "session", "dcl_open(%s)", v->options);
    bool ok = true;
    if (dcl_run(s, program_text(r->unit.program, a), "case.dcl"))
        ok = failed(r, "session", "%s", dcl_errors(s));
    stage(r, arena_printf(a, "%s: compile", kind));
    dcl_function *f =
        ok ? dcl_compile(s, v->symbolic ? program_signature(r->unit.program, a) : "f") : NULL;
    if (ok && !f)
        ok = failed(r, arena_printf(a, "%s: compile", kind), "%s", dcl_errors(s));
    ok = ok && call_guarded(r, s, f, kind, v->strict, at_end);
    if (!ok)
        r->why =
            arena_printf(a, "options: %s%s%s\n%s", v->options, v->symbolic ? " (symbolic)" : "",
                         at_end ? " (at the end)" : "", r->why);
    return ok;
}

/* --- all ------------------------------------------------------------------------------------- */

/* Whether the program passes; else `kind` and `why` say how it fails. */
FUZZ bool run_case(struct runner *r, struct arena *a, struct program *p) {
    r->kind[0] = '\0';
    r->why = "";
    r->known = false;
    memset(r->bound_args, 0, sizeof r->bound_args);
    r->rng = (struct rng){p->seed * 77 + 5};
    r->progress->seed = p->seed;
    r->progress->programs++;
    stage(r, "read");
    if (!unit_read(r->front, a, p, &r->unit))
        return failed(r, "read", "%s", front_messages(&r->unit));
    if (!run_ref(r) || !run_checked(r))
        return false;
    r->known = run_bounds(r, false) && run_bounds(r, true);
    if (r->kind[0] || !run_graphs(r, false) || !run_graphs(r, true))
        return false;
    for (int k = 0; k < r->variants; k++) {
        struct variant v;
        random_variant(&r->rng, k, &v);
        if (!run_session(r, &v, (p->seed + (uint64_t)k) % 2 == 0))
            return false;
    }
    return true;
}

#endif
