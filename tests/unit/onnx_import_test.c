/* Importing from C: the program that comes out parses back to itself; damaged files are refused or
   imported, never more; memory that runs out is told. */
#include "lang/onnx/import.h"
#include "lang/onnx/operators.h"
#include "tests/harness/program.h"
#include "tests/parse/trees.h"

static struct program *library; /* its names are those of the programs */
static char *original;
static size_t size;

static bool read_original(struct arena *a) {
    const char *root = getenv("DCL_SRC"), *why = "";
    char *path = arena_printf(a, "%s/tests/onnx/mlp.onnx", root ? root : ".");
    original = source_read_file(a, path, &size, &why);
    return ok(original != NULL, "mlp.onnx is there %s", why);
}

/* Whether the text of PROGRAM parses to PROGRAM, and its text again is the same. */
static bool comes_back(struct unit *u, const struct ast *program) {
    const char *text = printed(u, program);
    struct ast *again = parse_text(u, text);
    if (u->diags.errors == 0 && ast_equal(again, program) && strcmp(printed(u, again), text) == 0)
        return true;
    diag("%s\n%s", messages(u), text);
    return false;
}

enum outcome { IMPORTED, REFUSED, WRONG };

static long mapped; /* weights that stay in the file */

/* N bytes in a block of their own. */
static enum outcome import_bytes(const char *bytes, size_t n) {
    struct unit u = unit_new();
    struct onnx_order order = {.path = "m.onnx", .name = "m", .program = library->prelude};
    struct onnx_program p;
    u.names = library->names;
    char *copy = mem_alloc(n ? n : 1);
    memcpy(copy, bytes, n);
    diags_clear(&u.diags);
    bool done = onnx_import(u.arena, u.names, &u.diags, copy, n, &order, &p);
    enum outcome o = done ? IMPORTED : REFUSED;
    if (done != (u.diags.errors == 0))
        o = WRONG;
    else if (!done && !*messages(&u))
        o = WRONG;
    else if (done && !comes_back(&u, p.file))
        o = WRONG;
    for (uint32_t i = 0; done && i < p.nweights; i++) { /* all of the elements can be read */
        unsigned sum = 0;
        for (size_t k = 0; k < p.weights[i].bytes; k++)
            sum += ((unsigned char *)p.weights[i].data)[k];
        if (sum == 1 && p.weights[i].bytes == 0)
            o = WRONG;
        uintptr_t at = (uintptr_t)p.weights[i].data;
        bool inside = at - (uintptr_t)copy < n; /* kernels want elements aligned */
        if (p.weights[i].mapped && (!inside || at % dtypes[p.weights[i].type].bytes))
            o = WRONG;
        mapped += p.weights[i].mapped;
    }
    unit_free(&u);
    mem_free(copy);
    return o;
}

static void test_truncated(void) {
    long counts[3] = {0};
    for (size_t n = 0; n < size; n++)
        counts[import_bytes(original, n)]++;
    is_int(counts[WRONG], 0, "cut off at any byte");
    is_int(counts[IMPORTED], 0, "no part of the file is a model");
}

/* The weights at each distance from what their element type wants. */
static void test_aligned(void) {
    char *copy = mem_alloc(size + 5);
    mapped = 0;
    for (char k = 0; k < 4; k++) {
        size_t n = 2 + (size_t)k;
        memcpy(copy, (char[]){0x12, k, 'm', 'e', '!'}, n); /* who made it */
        memcpy(copy + n, original, size);
        is_int(import_bytes(copy, n + size), IMPORTED, "moved by a few bytes");
    }
    mem_free(copy);
    ok(mapped > 0, "%ld weights of 24 can stay where they are", mapped);
}

static void test_flipped(void) {
    uint64_t state = 1;
    long counts[3] = {0};
    char *copy = mem_alloc(size);
    for (int i = 0; i < 2000; i++) {
        memcpy(copy, original, size);
        for (int k = 0; k <= i % 3; k++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            /* Half of them in the first kilobyte, where the structure is. */
            size_t bit = (size_t)(state >> 20) % (8 * (i % 2 ? size : 1000));
            copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
        }
        enum outcome o = import_bytes(copy, size);
        counts[o]++;
        if (o == WRONG && counts[WRONG] < 4)
            diag("damaged file %d", i);
    }
    mem_free(copy);
    is_int(counts[WRONG], 0, "2000 damaged files");
    ok(counts[REFUSED] > 100 && counts[IMPORTED] > 100, "%ld refused, %ld imported",
       counts[REFUSED], counts[IMPORTED]);
}

static void test_no_memory(void) {
    jmp_buf here;
    volatile int failures = 0;
    for (volatile long n = 1; n < 10000; n += n < 50 ? 1 : 17) {
        struct arena *volatile a = arena_new();
        jmp_buf *former = arena_on_oom(&here);
        volatile bool out = true;
        if (setjmp(here) == 0) {
            struct diags d;
            struct onnx_program p;
            struct onnx_order order = {.path = "m.onnx", .name = "m", .program = library->prelude};
            diags_init(&d, a, sources_new(a));
            arena_fail_after(n);
            out = onnx_import(a, library->names, &d, original, size, &order, &p);
            arena_fail_after(-1);
            if (out)
                n = 10000; /* it needs no more than that */
        } else {
            failures++;
        }
        arena_fail_after(-1);
        arena_on_oom(former);
        arena_free(a);
    }
    ok(failures > 10, "memory ran out in %d places", failures);
}

/* Each row can be found, and not before its time. */
static void test_table(void) {
    const struct onnx_operator *o;
    uint32_t k = 0;
    for (; (o = onnx_operator_at(k)); k++) {
        int64_t first = 0;
        struct wire_bytes name = {o->name, strlen(o->name)}, domain = {o->domain, 0};
        struct onnx_input in[ONNX_INPUTS_MAX];
        if (o->domain)
            domain.n = strlen(o->domain);
        ok(onnx_operator_find(domain, name, o->since, &first) == o, "%s from version %lld", o->name,
           (long long)o->since);
        ok(!onnx_operator_find(domain, name, o->since - 1, &first) || first < o->since,
           "and not before");
        uint32_t n = onnx_operator_inputs(o, in);
        bool rest = n && in[n - 1].takes == TAKES_REST, call = o->form == WRITTEN_CALL;
        ok((call || o->form == WRITTEN_FOLD || o->least_rank) == (o->call != NULL) &&
               (call || !o->attributes[0].name) &&
               ((o->form != WRITTEN_INFIX && o->form != WRITTEN_FOLD) || n == 2 || rest) &&
               (o->form != WRITTEN_SAME || n == 1),
           "its form, call, inputs and attributes fit");
        const char *functions[] = {o->call,  o->plain,     o->more,
                                   o->fixed, o->stages[0], o->stages[1]};
        for (int i = 0; i < 6; i++)
            if (functions[i])
                ok(module_find(library->prelude, name_of_text(library->names, functions[i]),
                               NULL) ||
                       eval_is_builtin(library->names, name_of_text(library->names, functions[i])),
                   "%s is a function of the library", functions[i]);
    }
    ok(k > 0, "there are rows");
    int64_t first = 7;
    ok(!onnx_operator_find((struct wire_bytes){NULL, 0}, (struct wire_bytes){"Nothing", 7}, 20,
                           &first) &&
           first == 0,
       "no such operator");
}

int main(void) {
    struct arena *a = arena_new();
    library = program_new(true);
    test_table();
    if (read_original(a)) {
        is_int(import_bytes(original, size), IMPORTED, "the file comes back");
        test_aligned();
        test_truncated();
        test_flipped();
        test_no_memory();
    }
    arena_free(a);
    program_free(library);
    return done_testing();
}
