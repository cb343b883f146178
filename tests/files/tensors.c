/* The program that the tests of this folder drive: reads tensor files through lang/files.
     tensors dump FILE...       for each: its tensors in JSON, their bytes in hex (small ones), or
                                its error; one line per file
     tensors as TYPE FILE...    the same with numbers in text as TYPE
     tensors copy FROM TO...    reads FROM, writes its tensors to each TO
     tensors pairs FROM TO...   copies each FROM to the TO that follows it
     tensors damage FILE N SEED reads N damaged copies of FILE and touches all that came out
     tensors cut FILE           reads all beginnings of FILE, each once
     tensors many N TO          writes N small tensors */
#include "lang/files/files.h"
#include "tests/files/mend.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { HEX_MAX = 1 << 16 };

static struct arena *arena;
static struct diags diags;

static void start(void) {
    arena = arena_new();
    diags_init(&diags, arena, sources_new(arena));
}

static const char *message(void) {
    return diags.first ? diags.first->text : "(no message)";
}

static enum dtype wanted = DT_NONE; /* for numbers in text */

/* All tensors of a file, those of others that it names, too. */
static bool read_ready(const char *path, struct file_tensors *out) {
    if (!files_read(arena, &diags, (struct span){0}, path, wanted, NULL, out))
        return false;
    for (uint32_t i = 0; i < out->n; i++)
        if (!files_ready(&out->at[i])) {
            out->n = 0;
            return false;
        }
    return true;
}

/* A JSON string; bytes above 7F are UTF-8 already. */
static void put_string(const char *text) {
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)(unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

static void put_tensor(const struct file_tensor *t) {
    printf("{\"name\": ");
    put_string(t->name);
    printf(", \"type\": \"%s\", \"shape\": [", dtypes[t->type].name);
    for (uint32_t i = 0; i < t->rank; i++)
        printf("%s%" PRId64, i ? ", " : "", t->dims[i]);
    bool aligned = (uintptr_t)t->data % dtypes[t->type].bytes == 0;
    printf("], \"bytes\": %zu, \"aligned\": %s, \"hex\": \"", t->bytes, aligned ? "true" : "false");
    for (size_t i = 0; i < t->bytes && t->bytes <= HEX_MAX; i++)
        printf("%02x", ((unsigned char *)t->data)[i]);
    printf("\"}");
}

static void dump(const char *path) {
    struct file_tensors t;
    start();
    if (read_ready(path, &t)) {
        printf("{\"tensors\": [");
        for (uint32_t i = 0; i < t.n; i++) {
            printf("%s", i ? ", " : "");
            put_tensor(&t.at[i]);
        }
        printf("]}\n");
    } else {
        printf("{\"error\": ");
        put_string(message());
        printf(", \"errors\": %u}\n", diags.errors);
    }
    arena_free(arena);
}

static int copy(const char *from, char **to, int n) {
    struct file_tensors t;
    int failed = 0;
    start();
    bool good = read_ready(from, &t);
    for (int i = 0; good && i < n; i++)
        failed += !files_write(arena, &diags, (struct span){0}, to[i], t.at, t.n, NULL);
    if (!good || failed)
        puts(message());
    arena_free(arena);
    return !good || failed;
}

static uint64_t state;

static uint64_t next_random(void) {
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return state >> 33;
}

/* Changes a few bytes, mostly to values that mean something, mostly near the ends, where formats
   have their headers; or cuts or lengthens. Returns the new length. */
static size_t damage(unsigned char *p, size_t n) {
    static const unsigned char telling[] = "\0\1\x7f\x80\xff 0123456789-+.,:()[]{}'\"\\PKOTF";
    if (next_random() % 8 == 0)
        return next_random() % (n + 1);
    if (next_random() % 16 == 0) {
        size_t more = next_random() % 100;
        memset(p + n, (int)next_random(), more);
        return n + more;
    }
    for (uint64_t k = next_random() % 6 + 1; k--;) {
        size_t near = n < 300 ? n : 300, at = next_random() % near;
        uint64_t where = next_random() % 3;
        at = where == 0 ? at : where == 1 ? n - 1 - at : next_random() % n;
        switch (next_random() % 3) {
        case 0: p[at] ^= (unsigned char)(1 << next_random() % 8); break;
        case 1: p[at] = telling[next_random() % (sizeof telling - 1)]; break;
        default: /* copies a piece elsewhere */
            for (size_t i = next_random() % 20; i--;)
                p[next_random() % n] = p[(at + i) % n];
        }
    }
    return n;
}

static volatile unsigned sum;

/* What reading many files showed. */
struct outcome {
    int read, refused, silent;
    size_t memory;
    double slowest;
};

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads the N bytes at P as a file called NAME, and touches all that came out. */
static bool try_bytes(const char *name, const unsigned char *p, size_t n, struct outcome *o) {
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(p, 1, n, f) != n)
        return false;
    fclose(f);
    struct file_tensors t;
    double from = seconds();
    start();
    if (read_ready(name, &t)) {
        o->read++;
        for (uint32_t i = 0; i < t.n; i++)
            for (size_t b = 0; b < t.at[i].bytes; b++)
                sum += ((unsigned char *)t.at[i].data)[b]++;
    } else {
        o->refused++;
        o->silent += diags.errors != 1 || t.n != 0;
    }
    if (arena_bytes(arena) > o->memory)
        o->memory = arena_bytes(arena);
    arena_free(arena);
    if (seconds() - from > o->slowest)
        o->slowest = seconds() - from;
    return true;
}

static int damage_many(const char *path, int count, uint64_t seed, bool cut) {
    static unsigned char whole[1 << 22], copied[(1 << 22) + 100];
    struct outcome o = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(whole, 1, sizeof whole, f) : 0;
    if (f)
        fclose(f);
    char name[200];
    snprintf(name, sizeof name, "damaged-%ld-%s", (long)getpid(), path);
    state = seed;
    for (int k = 0; k < (cut ? (int)n : count); k++) {
        memcpy(copied, whole, n);
        size_t length = cut ? (size_t)k : damage(copied, n);
        if (!cut && is_png(whole, n) && k % 4)
            mend_png(copied, length);
        if (!try_bytes(name, copied, length, &o))
            return 2;
    }
    unlink(name);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    printf("{\"read\": %d, \"refused\": %d, \"silent\": %d, \"arena\": %zu, \"slowest\": %.3f, "
           "\"resident\": %ld}\n",
           o.read, o.refused, o.silent, o.memory, o.slowest, used.ru_maxrss);
    return 0;
}

static int many(uint32_t n, const char *to) {
    start();
    struct file_tensor *t = ARENA_ARRAY(arena, struct file_tensor, n);
    int64_t dims[] = {1};
    for (uint32_t i = 0; i < n; i++) {
        int32_t *v = ARENA_NEW(arena, int32_t);
        *v = (int32_t)i;
        t[i] = (struct file_tensor){.name = arena_printf(arena, "t%u", i),
                                    .type = DT_i32,
                                    .rank = 1,
                                    .dims = dims,
                                    .data = v};
    }
    bool good = files_write(arena, &diags, (struct span){0}, to, t, n, NULL);
    struct file_tensors back = {0};
    good = good && read_ready(to, &back) && back.n == n;
    for (uint32_t i = 0; good && i < n; i++)
        good = *(int32_t *)back.at[i].data == (int32_t)i;
    if (!good)
        puts(message());
    arena_free(arena);
    return !good;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int first = 2;
    setlocale(LC_ALL, ""); /* which must not matter */
    if (strcmp(what, "as") == 0 && argc > 3) {
        wanted = dtype_of(argv[first++]);
        what = "dump";
    }
    if (strcmp(what, "dump") == 0) {
        for (int i = first; i < argc; i++)
            dump(argv[i]);
        return 0;
    }
    if (strcmp(what, "copy") == 0 && argc > 3)
        return copy(argv[2], argv + 3, argc - 3);
    if (strcmp(what, "pairs") == 0) {
        int failed = 0;
        for (int i = 2; i + 1 < argc; i += 2)
            failed += copy(argv[i], argv + i + 1, 1);
        return failed != 0;
    }
    if (strcmp(what, "damage") == 0 && argc == 5)
        return damage_many(argv[2], atoi(argv[3]), (uint64_t)atoll(argv[4]), false);
    if (strcmp(what, "cut") == 0 && argc == 3)
        return damage_many(argv[2], 0, 0, true);
    if (strcmp(what, "many") == 0 && argc == 4)
        return many((uint32_t)atoi(argv[2]), argv[3]);
    fputs("usage: tensors dump|as|copy|pairs|damage|cut|many ...\n", stderr);
    return 2;
}
