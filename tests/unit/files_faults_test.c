/* Every call of the system that reading and writing files make fails in turn: opening, mapping,
   writing, syncing, naming, memory, of ours and of zlib, libpng and libjpeg. Each time there is an
   error, or the file is whole; nothing stays open or behind. This program's own functions stand
   before the C library's; under a sanitizer, which has its own, those for memory do not. */
#include "lang/base/draft.h"
#include "lang/files/files.h"
#include "tests/harness/tap.h"
#include "tests/unit/files_around.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long countdown = -1; /* calls until one fails; negative: none does */
static int cause;           /* errno of it */
static bool memory_too;     /* malloc and its like count as well */
static int synced;          /* calls of fsync */
static bool all_named;      /* the file system has no files without names */

static bool fails(void) {
    if (countdown < 0 || --countdown > 0)
        return false;
    countdown = -1;
    errno = cause;
    return true;
}

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

#define STAND_IN(result, name, failed, params, args)                                               \
    result name params;                                                                            \
    result name params {                                                                           \
        static result(*next) params;                                                               \
        if (!next)                                                                                 \
            *(void **)&next = real(#name);                                                         \
        return fails() ? (failed) : next args;                                                     \
    }

STAND_IN(int, fstat, -1, (int fd, struct stat *st), (fd, st))
STAND_IN(void *, mmap, MAP_FAILED, (void *at, size_t n, int how, int flags, int fd, off_t from),
         (at, n, how, flags, fd, from))
STAND_IN(ssize_t, write, -1, (int fd, const void *p, size_t n), (fd, p, n))
STAND_IN(int, fsync, -1, (int fd), ((synced++, fd)))
STAND_IN(int, linkat, -1, (int a, const char *from, int b, const char *to, int flags),
         (a, from, b, to, flags))
STAND_IN(int, rename, -1, (const char *from, const char *to), (from, to))
STAND_IN(int, renameat2, -1, (int a, const char *from, int b, const char *to, unsigned flags),
         (a, from, b, to, flags))

int open(const char *path, int flags, ...) {
    static int (*next)(const char *, int, ...);
    va_list args;
    va_start(args, flags);
    int mode = va_arg(args, int);
    va_end(args);
    if (!next)
        *(void **)&next = real("open");
    if (all_named && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fails() ? -1 : next(path, flags, mode);
}

/* It is closed all the same, as Linux does it. */
int close(int fd) {
    static int (*next)(int);
    if (!next)
        *(void **)&next = real("close");
    int status = next(fd);
    return fails() ? -1 : status;
}

#if defined __SANITIZE_ADDRESS__
#define OWN_MEMORY 0
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define OWN_MEMORY 0
#endif
#endif
#ifndef OWN_MEMORY
#define OWN_MEMORY 1
#endif

#if OWN_MEMORY
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_memalign(size_t align, size_t n);

void *malloc(size_t n) {
    return memory_too && fails() ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    return memory_too && fails() ? NULL : __libc_calloc(n, size);
}
int posix_memalign(void **p, size_t align, size_t n) {
    if (memory_too && fails())
        return ENOMEM;
    *p = __libc_memalign(align, n);
    return *p ? 0 : ENOMEM;
}
#endif

static struct arena *arena;
static struct diags diags;
static const struct span nowhere;

static float values[600];
static unsigned char bytes[600];
static const int64_t dims[] = {20, 30};
static const struct file_tensor numbers = {
    .name = "a", .type = DT_f32, .rank = 2, .dims = dims, .data = values};
static const struct file_tensor pixels = {
    .name = "a", .type = DT_u8, .rank = 2, .dims = dims, .data = bytes};

static const char *const names[] = {"t.npy", "t.npz", "t.safetensors", "t.csv",       "t.png",
                                    "t.jpg", "t.wav", "t.idx",         "t.csv.gz",    "t.png.gz",
                                    "l.npy", "l.png", "l.csv.gz",      "t.index.json"};
enum { NAMES = sizeof names / sizeof names[0] };

/* Larger files (l.) are not in one piece with what is small. */
static struct file_tensor tensor_of(const char *name) {
    static unsigned char large[200000];
    static const int64_t sides[] = {400, 500};
    struct file_tensor t = strstr(name, ".png") || strstr(name, ".jpg") ? pixels : numbers;
    if (name[0] == 'l') {
        t.type = DT_u8;
        t.dims = sides;
        t.data = large;
        for (size_t i = 0; i < sizeof large; i++)
            large[i] = (unsigned char)(i * i / 7);
    }
    return t;
}

struct outcome {
    bool good, jumped, unsaid;
    bool reached; /* the call that was to fail */
};

static const char *named; /* the file that read_named and write_named are about */

static bool read_named(void) {
    struct file_tensors t = {0};
    bool good = files_read(arena, &diags, nowhere, named, DT_NONE, NULL, &t);
    for (uint32_t i = 0; good && i < t.n; i++)
        good = files_ready(&t.at[i]);
    return good;
}

static bool write_named(void) {
    struct file_tensor x = tensor_of(named);
    return files_write(arena, &diags, nowhere, named, &x, 1, NULL);
}

/* ACT while the N-th call fails. */
static struct outcome attempt(bool (*act)(void), long n) {
    static jmp_buf here;
    static struct outcome o;
    arena = arena_new();
    diags_init(&diags, arena, sources_new(arena));
    o = (struct outcome){.good = true};
    jmp_buf *former = arena_on_oom(&here);
    if (setjmp(here)) {
        o.good = false;
        o.jumped = true;
    } else {
        countdown = n;
        o.good = act();
        o.unsaid = !o.good && diags.errors != 1;
    }
    arena_on_oom(former);
    o.reached = countdown < 0;
    countdown = -1;
    arena_free(arena);
    return o;
}

static void test_all(bool write) {
    for (size_t k = 0; k < NAMES; k++) {
        const char *name = named = names[k];
        if (write && strstr(name, ".index"))
            continue; /* is not written */
        long n = 0;
        int unsaid = 0, lost = 0, errors = 0, jumps = 0;
        int files = entries("."), open_files = entries("/proc/self/fd");
        for (bool more = true; more && n < 100000;) {
            if (write)
                make_text(name, "old");
            struct outcome o = attempt(write ? write_named : read_named, ++n);
            more = o.reached;
            errors += !o.good;
            jumps += o.jumped;
            unsaid += o.unsaid;
            lost += write && !o.good && !holds_old(name);
        }
        ok(errors > 2 && n < 100000, "%s is %s, %ld calls failing%s, %d errors", name,
           write ? "written" : "read", n - 1, memory_too ? ", memory too" : "", errors);
        ok(memory_too || !write || errors == n - 1, "none is passed over in writing");
        is_int(unsaid, 0, "each is told once");
        is_int(lost, 0, "and leaves the former file");
        ok(memory_too || !jumps, "only running out of memory jumps");
        is_int(entries("."), files, "nothing is left behind");
        is_int(entries("/proc/self/fd"), open_files, "or open");
    }
}

/* --- what other rooms write ------------------------------------------------------------------- */

/* A text: what dcl fmt, doc and profile and the prompt write. */
static bool write_one(void) {
    return draft_write(arena, "one", "new", 3);
}

/* Files that belong together, as an import and an export write them; one of them is a new one. */
static bool write_two(void) {
    struct file_tensor x = tensor_of("l.safetensors");
    struct output *two[] = {
        files_begin_tensors(arena, &diags, "two.safetensors", &x, 1, NULL),
        files_begin(arena, &diags, "two.dcl", NULL),
    };
    if (!two[0] || !two[1])
        return false;
    files_put(two[1], "new", 3);
    return files_place(two, 2);
}

static bool is_there(const char *name) {
    return access(name, F_OK) == 0;
}

/* FRESH: the first of the two is not there before. */
static void test_others(bool fresh) {
    int lost = 0, errors = 0;
    long n = 0;
    make_text("one", "old");
    for (bool more = true; more && n < 1000;) {
        synced = 0;
        struct outcome o = attempt(write_one, ++n);
        more = o.reached;
        errors += !o.good;
        lost += !o.good && !holds_old("one");
    }
    ok(n > 5 && !holds_old("one"), "a text is written, %ld calls failing", n - 1);
    ok(memory_too || errors == n - 1, "each is an error");
    is_int(synced, 1, "it is on the disk before it has its name");
    is_int(lost, 0, "and leaves the former one");
    unlink("one");
    make_text("two.dcl", "old");
    int files = entries(".") + 1, open_files = entries("/proc/self/fd"), behind = 0, halves = 0;
    n = 0;
    for (bool more = true; more && n < 1000;) {
        unlink("two.safetensors");
        if (!fresh)
            make_text("two.safetensors", "old");
        struct outcome o = attempt(write_two, ++n);
        more = o.reached;
        bool former = fresh ? !is_there("two.safetensors") : holds_old("two.safetensors");
        halves += holds_old("two.dcl") != former || (o.good && former);
        behind += entries(".") - files + (fresh && former) + entries("/proc/self/fd") - open_files;
        make_text("two.dcl", "old");
    }
    ok(n > 10 && n < 1000, "two files are written, %ld calls failing", n - 1);
    is_int(halves, 0, "both or none");
    is_int(behind, 0, "and nothing else");
    unlink("two.dcl");
    unlink("two.safetensors");
}

int main(void) {
    for (int i = 0; i < 600; i++) {
        values[i] = (float)i / 7;
        bytes[i] = (unsigned char)(i * 7);
    }
    for (size_t k = 0; k < NAMES; k++) {
        named = names[k];
        make_text(named, "old");
        if (!strstr(named, ".index"))
            ok(attempt(write_named, -1).good, "%s is made", named);
    }
    make_text("t.index.json", "{\"weight_map\":{\"a\":\"t.safetensors\"}}");
    cause = EIO;
    test_all(false);
    test_all(true);
    for (int k = 0; k < 4; k++) {
        all_named = k & 1;
        test_others(k & 2);
    }
    test_all(true);
    all_named = false;
#if OWN_MEMORY
    cause = ENOMEM;
    memory_too = true;
    test_all(false);
    test_all(true);
    test_others(false);
#endif
    return done_testing();
}
