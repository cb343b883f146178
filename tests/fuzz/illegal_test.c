/* Programs that are wrong: with a subscript outside, a race, shapes that do not fit, a read of what
   was never written. Each must be refused or end with an error; where `ref` says that a program is
   well for these data, compiled code may, too. And texts with slips of the pen in them, which may
   mean anything: they never crash, and touch no memory but their own.

   usage: illegal_test [--from N] [--count N] [--show N] */
#include "tests/fuzz/children.h"
#include "tests/fuzz/generate.h"
#include "tests/harness/tap.h"

#include <ctype.h>

#define BATCH 40
#define CALL_SECONDS 5

/* --- programs with one wrong statement ------------------------------------------------------ */

enum judge { BY_REF, REFUSED, EITHER };

struct wrong {
    enum judge
        judge; /* BY_REF: an error if ref gives one; REFUSED: always an error; EITHER: no crash */
    const char *text; /* statements over victim: f32[V], twin: f32[V], at: i64[3], bad: f32[3] */
};

static const struct wrong wrongs[] = {
    /* subscripts */
    {BY_REF, "map i in 3 { bad[i] = victim[i + 5] }"},
    {BY_REF, "map i in 3 { bad[i] = victim[7 - 3*i] }"},
    {BY_REF, "map i in 3 { bad[i] = victim[V - i] }"},
    {BY_REF, "map i in 3 { bad[i] = 0 };  bad[0] = victim[7]"},
    {BY_REF, "map i in 3 { bad[i] = victim[at[i]] }"},
    {BY_REF, "map i in 3 { bad[i] = 0 };  map i in 3 { n << at[i];  1 >> bad[n] (sum) }"},
    {BY_REF, "map i in 3 { bad[i] = 0 };  map i in 4 { victim[i] >> bad[i] (max) }"},
    {BY_REF, "map i in 3 vector { bad[i] = victim[2*i + 3] }"},
    {BY_REF, "map i in 3 parallel { bad[i] = victim[i + 5] }"},
    {BY_REF, "map i in 3 { bad[i] = victim[i + pos] }"},
    {BY_REF, "map i in 3 { bad[i] = 0 };  for t in 0:V { bad[t] = victim[t] }"},
    {BY_REF, "c: f32[5] << victim[pos:pos + 5];  map i in 3 { bad[i] = c[i] }"},
    {BY_REF, "map i in 3 { bad[i] = 1 };  bad[1:4] = 2"},
    {BY_REF, "map o in 0:3:2 { map i in 2 { bad[o + i] = victim[i] } }"},
    {BY_REF, "map i in 3 { if victim[i] > -9 { bad[i] = victim[i + 6] } else { bad[i] = 0 } }"},
    /* races */
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in V { bad[0] = victim[i] }"},
    {EITHER, "map i in 3 { bad[i] = 0 };  map i in 4 { bad[i // 2] = victim[i] }"},
    {EITHER, "map i in 3 { bad[i] = 0 };  map i in 3 { bad[at[i] % 3] = bad[i] }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in 1:3 { bad[i] = bad[i - 1] + 1 }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in 3 { bad[i] = bad[2 - i] }"},
    {REFUSED, "map i in 3, j in V { bad[i] = victim[j] }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in 3 { bad[i] = 1;  2 >> bad[0] (sum) }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in 3 { 1 >> bad[0] (sum);  1 >> bad[0] (max) }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in V parallel { victim[i] >> bad[0] (sum) }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in 3 parallel { bad[at[i]] = 1 }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in 2 vector { bad[i + 1] = bad[i] }"},
    /* what was never written */
    {REFUSED, "c: f32[3];  map i in 3 { bad[i] = c[i] }"},
    {REFUSED, "c: f32[3];  map i in 3 { d << c[i];  bad[i] = d };  map i in 3 { c[i] = 1 }"},
    {REFUSED, "map i in 3 { bad[i] = bad[i] + victim[i] }"},
    /* sizes that the run finds */
    {REFUSED, "o: f32[?];  map i in 3 { 1.0 >> o[?];  bad[i] = o[0] }"},
    {REFUSED, "o: f32[?];  map i in 3 { bad[i] = o.shape[0];  1.0 >> o[?] }"},
    {REFUSED, "o: f32[?];  map i in V { victim[i] >> o[?] };  map i in 3 { bad[i] = o[i + V] }"},
    {REFUSED, "o: f32[?];  map i in 3 parallel { victim[i] >> o[?];  bad[i] = 0 }"},
    {REFUSED, "o: f32[?, 2];  map i in 3 { victim[0:i] >> o[?, :];  bad[i] = 0 }"},
    {BY_REF, "o: f32[?];  map i in V { if victim[i] > 0 { 1.0 >> o[?] } };  map i in 3 { bad[i] = "
             "o[at[i]] }"},
    {BY_REF, "o: f32[?];  map i in pos { 1.0 >> o[?] };  map i in 3 { bad[i] = o[i + 2] }"},
    /* shapes and types */
    {REFUSED, "c = victim + victim[0:5];  map i in 3 { bad[i] = c[i] }"},
    {REFUSED, "c = victim @ twin;  map i in 3 { bad[i] = 0 }"},
    {REFUSED, "map i in 3 { bad[i] = victim[i, 0] }"},
    {REFUSED, "map i in 3 { bad[i] = at[i] }"},
    {REFUSED, "map i in 3 { bad[i] = victim[twin[i]] }"},
    {REFUSED, "map i { bad[i] = victim[i] }"},
    {REFUSED, "c: f32[3] = 0;  c = victim;  map i in 3 { bad[i] = c[i] }"},
    {REFUSED, "c: f32[V] in register = 0;  map i in 3 { bad[i] = c[i];  victim[i] = 1 }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  map i in 3 { true >> bad[i] (and) }"},
    {REFUSED, "map i in 3 { bad[i] = 0 };  v = 1.0;  map i in 3 { v = bad[i] }"},
};

static struct argument *add_argument(struct program *p, const char *name, enum dtype t, int rank) {
    struct argument *a = &p->args[p->nargs++];
    *a = (struct argument){.dtype = t, .rank = rank};
    snprintf(a->name, sizeof a->name, "%s", name);
    return a;
}

/* A generated program with statement K in it. TWIN: only the shape of an argument is wrong. */
static struct program *wrong_program(struct arena *a, uint64_t seed, int k, bool twin) {
    struct program *p = program_generate(a, seed);
    struct rng r = {seed * 31 + 7};
    rng_next(&r);
    if (p->nargs > PROGRAM_ARGS - 4 || p->nsizes == PROGRAM_SIZES ||
        strstr(p->results, "[") == NULL || strstr(p->results, ":") == NULL)
        return NULL;
    snprintf(p->sizes[p->nsizes].name, sizeof p->sizes[0].name, "VV");
    p->sizes[p->nsizes].n = 7;
    struct arg_dim v = {p->nsizes++, 1, 0}, three = {-1, 0, 3};
    add_argument(p, "victim", DT_f32, 1)->dims[0] = v;
    struct argument *other = add_argument(p, "twin", DT_f32, 1);
    other->dims[0] = v;
    other->skew = twin ? 1 + rng_below(&r, 2) * (rng_below(&r, 2) ? 1 : -3) : 0;
    struct argument *at = add_argument(p, "at_", DT_i64, 1);
    at->dims[0] = three;
    at->content = CONTENT_INDEX;
    at->below = 4 + rng_below(&r, 9);
    struct argument *pos = add_argument(p, "pos_", DT_i64, 0);
    pos->integer = true;
    pos->value = rng_below(&r, 9);
    const char *results = p->results[0] == '('
                              ? arena_printf(a, "%.*s", (int)strlen(p->results) - 2, p->results + 1)
                              : p->results;
    p->results = arena_printf(a, "(%s, bad: f32[3])", results);
    const char *text = twin ? "map i in 3 { bad[i] = victim[i] + twin[i] }" : wrongs[k].text;
    struct buf b = buf_new(a);
    buf_text(&b, rng_chance(&r, 50) ? p->body : "");
    size_t before = b.n;
    for (const char *c = text; *c; c++) { /* names that the program does not have */
        bool word = c == text || !(isalnum((unsigned char)c[-1]) || c[-1] == '_');
        if (word && strncmp(c, "at[", 3) == 0)
            buf_text(&b, "at_"), c++;
        else if (word && strncmp(c, "pos", 3) == 0)
            buf_text(&b, "pos_"), c += 2;
        else if (word && *c == 'V' && !isalnum((unsigned char)c[1]))
            buf_text(&b, "VV");
        else if (word && (*c == 'c' || *c == 'd' || *c == 'v' || *c == 'n' || *c == 'o') &&
                 !isalnum((unsigned char)c[1]))
            buf_printf(&b, "%c_bad", *c);
        else
            buf_bytes(&b, c, 1);
    }
    buf_text(&b, "\n");
    if (before == 0 || rng_chance(&r, 30)) /* elsewhere: before all other statements */
        p->body = arena_printf(a, "%s%s", b.at + before, p->body);
    else
        p->body = b.at;
    return p;
}

static void run_wrong(struct runner *r, struct arena *a, uint64_t seed) {
    struct rng rng = {seed};
    rng_next(&rng);
    int k = rng_below(&rng, (int)(sizeof wrongs / sizeof *wrongs));
    bool twin = rng_chance(&rng, 8), refused = twin || wrongs[k].judge == REFUSED;
    struct program *p = wrong_program(a, seed, k, twin);
    if (!p) {
        shared->progress.skipped++;
        return;
    }
    r->kind[0] = '\0';
    shared->progress.programs++;
    stage(r, "wrong program");
    bool known = unit_read(r->front, a, p, &r->unit);
    if (wrongs[k].judge == EITHER && !twin)
        known = false;
    if (known && !refused) {
        known = run_ref(r);
        refused = !known;
        if (refused && run_checked(r))
            child_fail("unchecked", arena_printf(a, "%s: %s", wrongs[k].text, r->why));
    }
    r->kind[0] = '\0';
    for (int way = 0; way < 2; way++) {
        struct variant v;
        random_variant(&rng, way, &v);
        v.symbolic = way == 1;
        dcl_session *s = session_for(r, v.options);
        dcl_function *f = NULL;
        const char *stopped = NULL;
        stage(r, "wrong program: compile");
        if (dcl_run(s, program_text(p, a), "case.dcl") ||
            !(f = dcl_compile(s, v.symbolic ? program_signature(p, a) : "f")))
            stopped = arena_printf(a, "%s", dcl_errors(s));
        struct guarded args[PROGRAM_ARGS], results[PROGRAM_ARGS];
        dcl_tensor in[PROGRAM_ARGS], out[PROGRAM_ARGS];
        int64_t in_dims[PROGRAM_ARGS][PROGRAM_RANK], out_dims[PROGRAM_ARGS][16];
        for (int i = 0; i < p->nargs; i++) {
            const struct argument *x = &p->args[i];
            argument_shape(p, x, in_dims[i]);
            args[i] = guard_new((size_t)argument_elements(p, x) * dtypes[x->dtype].bytes, way == 0);
            argument_fill(p, i, args[i].at);
            in[i] = (dcl_tensor){args[i].at, (int32_t)x->dtype, x->rank, in_dims[i], NULL};
        }
        int n = f ? dcl_result_count(f) : 0, made = 0;
        if (f && dcl_result_shapes(f, in, p->nargs, out, out_dims))
            stopped = arena_printf(a, "%s", dcl_errors(s));
        for (; !stopped && made < n; made++) {
            size_t size = dtypes[out[made].dtype].bytes;
            for (int d = 0; d < out[made].rank; d++)
                size *= (size_t)out_dims[made][d];
            results[made] = guard_new(size, way == 0);
            out[made].data = results[made].at;
        }
        stage(r, "wrong program: call");
        shared->progress.kernels += !stopped;
        if (!stopped && dcl_call(f, in, p->nargs, out, n))
            stopped = arena_printf(a, "%s", dcl_errors(s));
        for (int i = 0; i < made; i++)
            guard_free(&results[i]);
        for (int i = 0; i < p->nargs; i++)
            guard_free(&args[i]);
        if (refused && !stopped)
            child_fail("accepted", arena_printf(a, "%s: %s", v.options,
                                                twin ? "the shape of twin" : wrongs[k].text));
        if (!refused && known && stopped)
            child_fail("refused",
                       arena_printf(a, "%s: %s: %s", v.options, wrongs[k].text, stopped));
        if (stopped && strstr(stopped, "internal:") && !strstr(stopped, "invariant 14 ") &&
            !strstr(stopped, "invariant 20 ") && !strstr(stopped, "invariant 21 "))
            child_fail("internal", arena_printf(a, "%s: %s", wrongs[k].text, stopped));
    }
}

/* --- slips of the pen ------------------------------------------------------------------------- */

/* The text with one to three small changes. */
static const char *with_slips(struct arena *a, struct rng *r, const char *text) {
    static const char *const pieces[] = {
        "+",        "-",      "*",      "//",     "%",  "0",    "1",    "2",      "7",
        "(",        ")",      "[",      "]",      ",",  ":",    "{",    "}",      "<<",
        ">>",       "=",      "+=",     " i",     "j",  "N",    "x0",   "else 0", "(sum)",
        "parallel", "vector", "unroll", "unique", "\n", "min(", "not ", "i32(",   "if "};
    for (int k = 1 + rng_below(r, 3); k > 0; k--) {
        int n = (int)strlen(text), at = rng_below(r, n), length = 1 + rng_below(r, 4);
        if (length > n - at)
            length = n - at;
        const char *piece = rng_of(r, pieces);
        switch (rng_below(r, 5)) {
        case 0: /* left out */
            text = arena_printf(a, "%.*s%s", at, text, text + at + length);
            break;
        case 1: /* put in */ text = arena_printf(a, "%.*s%s%s", at, text, piece, text + at); break;
        case 2: /* another number */
            while (text[at] && !isdigit((unsigned char)text[at]))
                at++;
            if (text[at])
                text = arena_printf(a, "%.*s%d%s", at, text, rng_below(r, 70), text + at + 1);
            break;
        case 3: { /* another index or name of one letter */
            while (text[at] &&
                   !(strchr("ijklNMK", text[at]) && !isalnum((unsigned char)text[at + 1])))
                at++;
            if (text[at])
                text = arena_printf(a, "%.*s%c%s", at, text, "ijklNMK"[rng_below(r, 7)],
                                    text + at + 1);
            break;
        }
        default: { /* a line twice, or gone */
            const char *end = strchr(text + at, '\n');
            while (at > 0 && text[at - 1] != '\n')
                at--;
            if (!end)
                break;
            length = (int)(end + 1 - text) - at;
            if (rng_chance(r, 50))
                text = arena_printf(a, "%.*s%s", at, text, text + at + length);
            else
                text = arena_printf(a, "%.*s%.*s%s", at, text, length, text + at, text + at);
        }
        }
    }
    return text;
}

/* A text with slips may go on for ever: its call is stopped. */
static dcl_session *calling;

static void stop_calling(int signal) {
    (void)signal;
    dcl_stop(calling);
}

static void call_stops(dcl_session *s) {
    struct itimerval most = {.it_value.tv_sec = s ? CALL_SECONDS : 0};
    calling = s ? s : calling;
    signal(SIGVTALRM, stop_calling);
    setitimer(ITIMER_VIRTUAL, &most, NULL);
}

static void run_slips(struct runner *r, struct arena *a, uint64_t seed) {
    struct rng rng = {seed * 5 + 3};
    rng_next(&rng);
    struct program *p = program_generate(a, seed);
    const char *text = with_slips(a, &rng, program_text(p, a));
    struct variant v;
    random_variant(&rng, 1, &v);
    shared->progress.programs++;
    snprintf(shared->why, sizeof shared->why, "%s %s\n%s", v.options,
             v.symbolic ? program_signature(p, a) : "f", text);
    stage(r, "slips: compile");
    dcl_session *s = session_for(r, v.options);
    dcl_function *f = NULL;
    if (dcl_run(s, text, "case.dcl") ||
        !(f = dcl_compile(s, v.symbolic ? program_signature(p, a) : "f"))) {
        shared->why[0] = '\0';
        return;
    }
    struct guarded args[PROGRAM_ARGS], results[PROGRAM_ARGS];
    dcl_tensor in[PROGRAM_ARGS], out[PROGRAM_ARGS];
    int64_t in_dims[PROGRAM_ARGS][PROGRAM_RANK], out_dims[PROGRAM_ARGS][16];
    for (int i = 0; i < p->nargs; i++) {
        const struct argument *x = &p->args[i];
        argument_shape(p, x, in_dims[i]);
        args[i] =
            guard_new((size_t)argument_elements(p, x) * dtypes[x->dtype].bytes, seed % 2 == 0);
        argument_fill(p, i, args[i].at);
        in[i] = (dcl_tensor){args[i].at, (int32_t)x->dtype, x->rank, in_dims[i], NULL};
    }
    int n = dcl_result_count(f), made = 0;
    bool well = n <= PROGRAM_ARGS && !dcl_result_shapes(f, in, p->nargs, out, out_dims);
    for (; well && made < n; made++) {
        size_t size = dtypes[out[made].dtype].bytes;
        for (int d = 0; d < out[made].rank; d++)
            size *= (size_t)out_dims[made][d];
        results[made] = guard_new(size, seed % 2 == 0);
        out[made].data = results[made].at;
    }
    stage(r, "slips: call");
    shared->progress.kernels += well;
    if (well) {
        call_stops(s);
        dcl_call(f, in, p->nargs, out, n);
        call_stops(NULL);
    }
    for (int i = 0; i < made; i++)
        guard_free(&results[i]);
    for (int i = 0; i < p->nargs; i++)
        guard_free(&args[i]);
    shared->why[0] = '\0';
}

/* --- all ------------------------------------------------------------------------------------- */

static void work(uint64_t from, uint64_t to) {
    struct runner r;
    struct arena *all = arena_new();
    child_runner(&r, all);
    for (uint64_t seed = from; seed < to; seed++) {
        struct arena *a = arena_new();
        shared->progress.seed = seed;
        alarm(CASE_SECONDS);
        if (seed % 2)
            run_wrong(&r, a, seed);
        else
            run_slips(&r, a, seed);
        arena_free(a);
    }
    alarm(0);
    runner_close(&r);
    arena_free(all);
}

int main(int argc, char **argv) {
    const char *count = getenv("DCL_FUZZ_COUNT"), *source = getenv("DCL_SRC");
    uint64_t from = 1, n = count ? strtoull(count, NULL, 10) * 2 : 200, failures = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t x = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--from") == 0)
            from = x;
        else if (strcmp(argv[i], "--count") == 0)
            n = x;
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
        struct arena *a = arena_new();
        if (child_end(child)[0]) {
            uint64_t seed = shared->progress.seed;
            if (seed < at) {
                diag("%s: %s", shared->kind, shared->why);
                return 2;
            }
            failures++;
            diag("seed %llu: %s: %.20000s", (unsigned long long)seed, shared->kind, shared->why);
            at = seed + 1;
        } else {
            at = to;
        }
        arena_free(a);
    }
    const struct progress *p = &shared->progress;
    diag("%llu programs, %llu of them ran; %llu were no ground for it",
         (unsigned long long)p->programs, (unsigned long long)p->kernels,
         (unsigned long long)p->skipped);
    ok(failures == 0, "%llu wrong programs are refused or end with an error",
       (unsigned long long)n);
    return done_testing();
}
