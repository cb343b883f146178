/* That reading and writing end when the user wants to stop: in each format, in the loops that take
   the time, with the one error "interrupted", nothing left behind. Processor time is compared with
   that of the whole, so that a busy machine does not matter. */
#include "lang/files/files.h"
#include "tests/harness/tap.h"
#include "tests/unit/files_around.h"

#include <time.h>

static const struct span nowhere;
static volatile int stop;

enum { SIDE = 2000, ELEMENTS = SIDE * SIDE };
static unsigned char noise[ELEMENTS];
static float values[ELEMENTS];
static const int64_t dims[] = {SIDE, SIDE};
static const int64_t few[] = {SIDE / 10, SIDE}; /* numbers as text take longer */

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct file_tensor tensor_for(const char *name) {
    bool image = strstr(name, ".png") || strstr(name, ".jpg");
    return (struct file_tensor){.name = "a",
                                .type = image ? DT_u8 : DT_f32,
                                .rank = 2,
                                .dims = strstr(name, ".csv") ? few : dims,
                                .data = image ? (void *)noise : values};
}

/* Reads or writes NAME; the processor time that it took. */
static double attempt(const char *name, bool write, bool *good, struct diags *d, struct arena *a) {
    struct file_tensor t = tensor_for(name);
    struct file_tensors back;
    diags_init(d, a, sources_new(a));
    double begin = processor_seconds();
    *good = write ? files_write(a, d, nowhere, name, &t, 1, &stop)
                  : files_read(a, d, nowhere, name, DT_NONE, &stop, &back);
    return processor_seconds() - begin;
}

/* A stop from the beginning: what is not looked at in the loop would cost the time of all. */
static void test_stopped(const char *name, bool write) {
    struct arena *a = arena_new();
    struct diags d;
    bool good;
    const char *verb = write ? "written" : "read";
    stop = 0;
    double all = attempt(name, write, &good, &d, a);
    ok(good, "%s is %s", name, verb);
    if (write)
        make_text(name, "old");
    int files = entries(".");
    stop = 1;
    double some = attempt(name, write, &good, &d, a);
    ok(!good && d.errors == 1 && d.first->code == ERR_INTERRUPTED, "%s: %s no more", name, verb);
    ok(some < all / 4 + 0.0005, "at once: %.2f of %.2f ms", some * 1e3, all * 1e3);
    ok(!write || holds_old(name), "the former file stays");
    is_int(entries("."), files, "and no other");
    arena_free(a);
    stop = 0;
}

/* Content that is packed or turned around, as others write it. */
static void make(const char *name, const char *head, size_t n, const void *data, size_t bytes) {
    FILE *f = fopen(name, "w");
    if (f) {
        fwrite(head, 1, n, f);
        fwrite(data, 1, bytes, f);
        fclose(f);
    }
}

static void make_npy(const char *name, const char *descr, const char *fortran) {
    char head[129];
    memcpy(head, "\223NUMPY\1\0\166\0", 10);
    int n = snprintf(head + 10, sizeof head - 10,
                     "{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }", descr, fortran,
                     SIDE, strstr(descr, "1") ? 4 * SIDE : SIDE);
    memset(head + 10 + n, ' ', sizeof head - 10 - (size_t)n);
    make(name, head, 128, values, sizeof values);
}

static void make_wav(const char *name) {
    static const char head[] = "RIFF\x20\x24\xf4\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\0\0\0\0"
                               "\3\0\x18\0data\xfc\x23\xf4\0";
    make(name, head, sizeof head - 1, values, 0xf423fc); /* samples of 24 bits */
}

static void test_read(const char *name) {
    test_stopped(name, false);
}

int main(void) {
    static const char *const written[] = {"t.npy", "t.npz", "t.safetensors", "t.csv",   "t.png",
                                          "t.jpg", "t.wav", "t.idx",         "t.npy.gz"};
    static const char *const read[] = {"t.npz", "t.csv", "t.png", "t.jpg", "t.idx", "t.npy.gz"};
    uint32_t state = 1;
    for (int i = 0; i < ELEMENTS; i++) {
        state = state * 1664525 + 1013904223;
        noise[i] = (unsigned char)(state >> 24);
        values[i] = (float)(state >> 8) / 1000;
    }
    for (size_t k = 0; k < sizeof written / sizeof *written; k++) {
        test_stopped(written[k], true);
        struct arena *a = arena_new();
        struct diags d;
        bool good;
        attempt(written[k], true, &good, &d, a);
        arena_free(a);
    }
    for (size_t k = 0; k < sizeof read / sizeof *read; k++)
        test_read(read[k]);
    make_npy("swapped.npy", ">f4", "False");
    test_read("swapped.npy");
    make_npy("columns.npy", "<f4", "True");
    test_read("columns.npy");
    make_npy("bools.npy", "|b1", "False");
    test_read("bools.npy");
    make_wav("packed.wav");
    test_read("packed.wav");
    return done_testing();
}
