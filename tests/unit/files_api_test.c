/* Tensor files from C: that mappings are private, what writing refuses and leaves behind, and that
   running out of memory at any allocation leaves nothing open. What the formats hold is compared
   with NumPy in tests/files. */
#include "lang/files/files.h"
#include "tests/harness/tap.h"
#include "tests/unit/files_around.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena *arena;
static struct diags diags;
static const struct span nowhere;

static void start(void) {
    arena = arena_new();
    diags_init(&diags, arena, sources_new(arena));
}

static float values[6] = {1, 2, 3, 4, 5, 6};
static const int64_t dims[] = {2, 3};
static const struct file_tensor two_tensors[] = {
    {.name = "a", .type = DT_f32, .rank = 2, .dims = dims, .data = values},
    {.name = "b", .type = DT_i64, .rank = 1, .dims = dims, .data = values},
};
static unsigned char bytes[6] = {0, 255, 3, 4, 5, 6};
static const struct file_tensor pixels = {
    .name = "a", .type = DT_u8, .rank = 2, .dims = dims, .data = bytes};

static const struct sample {
    const char *name;
    uint32_t count;
    bool image, exact; /* exact: what is read is what was written */
} samples[] = {
    {"t.npy", 1, false, true},    {"t.npz", 2, false, true},     {"t.safetensors", 2, false, true},
    {"t.idx", 1, false, true},    {"t.csv", 1, false, false}, /* whole numbers become i64 */
    {"t.wav", 1, false, true},    {"t.png", 1, true, true},      {"t.jpg", 1, true, false},
    {"t.npy.gz", 1, false, true}, {"t.csv.gz", 1, false, false},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static const struct file_tensor *tensors_of(const struct sample *x) {
    return x->image ? &pixels : two_tensors;
}

static bool write_sample(const struct sample *x) {
    return files_write(arena, &diags, nowhere, x->name, tensors_of(x), x->count, NULL);
}

static bool read_file(const char *path, struct file_tensors *out) {
    return files_read(arena, &diags, nowhere, path, DT_NONE, NULL, out);
}

/* How many files lie in the working directory. */
static int files_here(void) {
    return entries(".") - 2;
}

static int open_descriptors(void) {
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int mappings(void) {
    FILE *f = fopen("/proc/self/maps", "r");
    char line[1000];
    int n = 0;
    while (f && fgets(line, sizeof line, f))
        n += strstr(line, "/t.") != NULL;
    if (f)
        fclose(f);
    return n;
}

static bool is_same(const struct sample *x, const struct file_tensor *t) {
    const struct file_tensor *want = tensors_of(x);
    size_t size = x->image ? sizeof bytes : sizeof values;
    return !x->exact ||
           (t->type == want->type && t->bytes == size && memcmp(t->data, want->data, size) == 0);
}

static void test_private(void) {
    int before = files_here();
    for (size_t k = 0; k < SAMPLES; k++) {
        const struct sample *x = &samples[k];
        struct file_tensors t;
        start();
        ok(write_sample(x), "%s is written", x->name);
        ok(read_file(x->name, &t), "and read");
        ok(t.n == x->count || (t.n == 2 && strcmp(t.at[1].name, "rate") == 0), "its tensors");
        ok(is_same(x, &t.at[0]), "with the values");
        memset(t.at[0].data, 0, t.at[0].bytes);
        struct file_tensors again;
        ok(read_file(x->name, &again), "read again");
        ok(is_same(x, &again.at[0]), "writing changes memory only");
        ok(write_sample(x), "replaced while mapped");
        is_int(mappings(), 2, "two mappings");
        arena_free(arena);
        is_int(mappings(), 0, "gone with the arena");
    }
    is_int(files_here(), before + SAMPLES, "the files, none temporary");
}

/* A tensor without elements needs no data. */
static void test_empty(void) {
    static const int64_t none[] = {3, 0};
    const struct file_tensor t = {.name = "a", .type = DT_f64, .rank = 2, .dims = none};
    for (size_t k = 0; k < 4; k++) {
        struct file_tensors back;
        start();
        ok(files_write(arena, &diags, nowhere, samples[k].name, &t, 1, NULL), "%s: no elements",
           samples[k].name);
        ok(read_file(samples[k].name, &back), "are read");
        ok(back.at[0].rank == 2 && back.at[0].dims[0] == 3 && back.at[0].bytes == 0, "as such");
        arena_free(arena);
    }
}

static void test_find(void) {
    struct file_tensors t = {(struct file_tensor *)two_tensors, 2};
    uint32_t n = 0;
    ok(files_find(&t, "b") == &two_tensors[1], "a tensor is found by name");
    ok(!files_find(&t, "c") && !files_find(&t, ""), "others are not");
    is_str(files_suffixes(0), ".npy", "formats are listed");
    while (files_suffixes(n))
        n++;
    is_int(n, 9, "all of them");
    is_str(files_suffixes(n), NULL, "and no further");
}

/* Bytes that are no tensor are written in the same way. */
static void test_bytes(void) {
    char text[10] = "";
    start();
    ok(files_write_bytes(arena, &diags, nowhere, "t.svg", "<svg/>", 6), "bytes are written");
    FILE *f = fopen("t.svg", "r");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    ok(n == 6 && strcmp(text, "<svg/>") == 0, "as they are");
    unlink("t.svg");
    ok(!files_write_bytes(arena, &diags, nowhere, "missing/t.svg", "", 0), "nowhere: an error");
    arena_free(arena);
}

/* --- refusals ------------------------------------------------------------------------------- */

static void said(bool good, const char *want, const char *name) {
    const char *text = diags.first ? diags.first->text : "(nothing)";
    if (!ok(!good && diags.errors == 1 && strstr(text, want), "%s: %s", name, want))
        diag("%s", text);
    diags_clear(&diags);
}

static void unreadable(const char *path, const char *want) {
    struct file_tensors t = {.n = 5};
    said(read_file(path, &t), want, path);
    is_int(t.n, 0, "and there are no tensors");
}

static void unwritable(const char *path, struct file_tensor t, const char *want) {
    const struct file_tensor both[] = {t, two_tensors[1]};
    bool several = strstr(path, ".npz") || strstr(path, ".safetensors");
    said(files_write(arena, &diags, nowhere, path, both, several ? 2 : 1, NULL), want, path);
}

static void test_refused(void) {
    static const int64_t negative[] = {-1, 2}, huge[] = {INT64_MAX, 2};
    static char name[70000];
    start();
    mkdir("folder.npy", 0700);
    mkfifo("pipe.npz", 0600);
    unreadable("missing.npy", "cannot read missing.npy: No such file");
    unreadable("folder.npy", "not a regular file");
    unreadable("pipe.npz", "not a regular file");
    unreadable("/dev/null.npy", "No such file");
    unreadable("t.npy/t.npy", "Not a directory");
    unreadable("t", "No such file");
    unreadable("", "No such file");
    rename("t.csv", "t");
    unreadable("t", "none of .npy .npz .safetensors .index.json .csv .png .jpg .jpeg .wav .idx");
    rename("t", ".csv");
    unreadable(".csv", "none of");
    rename(".csv", "t.csv");

    int before = files_here();
    struct file_tensor t = two_tensors[0];
    unwritable("missing/t.npy", t, "cannot write missing/t.npy: No such file");
    unwritable("folder.npy", t, "it is a folder");
    unwritable("pipe.npz", t, "not a regular file");
    unwritable("t", t, "none of .npy .npz");
    unwritable(".npy", t, "none of");
    unwritable(".gz", t, "none of");
    unwritable("t.gz", t, "none of");
    unwritable("t.index.json", t, "read only");
    said(files_write(arena, &diags, nowhere, "u.npy", two_tensors, 2, NULL), "one tensor, not 2",
         "npy");
    said(files_write(arena, &diags, nowhere, "u.npy", two_tensors, 0, NULL), "one tensor, not 0",
         "npy");
    said(files_write(arena, &diags, nowhere, "u.wav", two_tensors, 2, NULL), "its rate", "wav");
    said(files_write(arena, &diags, nowhere, "u.wav", two_tensors, 0, NULL), "one tensor, not 0",
         "wav");
    t.dims = negative;
    unwritable("u.npz", t, "impossible dimensions");
    t.dims = huge;
    unwritable("u.npz", t, "impossible dimensions");
    t = two_tensors[0];
    t.rank = 33;
    unwritable("u.npz", t, "33 dimensions");
    t = two_tensors[0];
    t.name = "b";
    unwritable("u.npz", t, "two tensors are called 'b'");
    unwritable("u.safetensors", t, "two tensors are called 'b'");
    t.name = "a\xff";
    unwritable("u.npz", t, "not UTF-8");
    t.name = "";
    unwritable("u.npz", t, "needs a name");
    t.name = "__metadata__";
    unwritable("u.safetensors", t, "cannot be called");
    memset(name, 'x', sizeof name - 1);
    t.name = name;
    unwritable("u.npz", t, "too long");
    static char path[6000];
    memset(path, 'x', sizeof path - 5);
    strcpy(path + sizeof path - 5, ".npz");
    unwritable(path, two_tensors[0], "File name too long");
    memcpy(path + 300, ".npz", 5);
    unwritable(path, two_tensors[0], "File name too long");
    is_int(files_here(), before, "no file is left behind");
    rmdir("folder.npy");
    unlink("pipe.npz");
    arena_free(arena);
}

/* As a full disk: the system refuses to write on, at every length. */
static void test_full_disk(void) {
    static uint32_t noise[40000];
    static const int64_t many[] = {20000}, sides[] = {200, 500};
    uint32_t state = 1;
    for (int i = 0; i < 40000; i++) { /* finite as floats */
        state = state * 1664525 + 1013904223;
        noise[i] = state & 0xbfffffff;
    }
    struct file_tensor large[] = {two_tensors[0], two_tensors[1]};
    large[0].rank = 1;
    large[0].dims = many;
    large[0].data = noise;
    struct file_tensor picture = pixels;
    picture.dims = sides;
    picture.data = noise;
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t k = 0; k < SAMPLES; k++) {
        const struct file_tensor *t = samples[k].image ? &picture : large;
        const char *name = samples[k].name;
        uint32_t n = samples[k].count;
        make_text(name, "old");
        int before = files_here();
        bool kept = true;
        start();
        for (rlim_t limit = 0; limit < 60000; limit += 1777) {
            small = (struct rlimit){limit, old.rlim_max};
            setrlimit(RLIMIT_FSIZE, &small);
            kept &= !files_write(arena, &diags, nowhere, name, t, n, NULL);
            setrlimit(RLIMIT_FSIZE, &old);
            kept &= holds_old(name) && files_here() == before;
        }
        ok(kept, "%s: a full disk leaves the old file and no other", name);
        ok(diags.first && strstr(diags.first->text, "File too large"), "and is reported");
        ok(files_write(arena, &diags, nowhere, name, t, n, NULL), "room again");
        arena_free(arena);
    }
}

static void test_modes(void) {
    struct stat st;
    start();
    mode_t mask = umask(027);
    unlink("t.npy");
    write_sample(&samples[0]);
    is_int(stat("t.npy", &st) ? 0 : st.st_mode & 0777, 0640, "a new file's mode is the usual one");
    chmod("t.npy", 0604);
    write_sample(&samples[0]);
    is_int(stat("t.npy", &st) ? 0 : st.st_mode & 0777, 0604, "a replaced file keeps its own");
    umask(mask);
    mkdir("d", 0700);
    rename("t.npy", "d/real.npy");
    ok(symlink("d/real.npy", "t.npy") == 0 && write_sample(&samples[0]), "through a link");
    ok(lstat("t.npy", &st) == 0 && S_ISLNK(st.st_mode), "it stays a link");
    struct file_tensors t;
    ok(read_file("d/real.npy", &t), "and the file behind it is written");
    unlink("d/real.npy");
    ok(write_sample(&samples[0]), "through a link that leads nowhere yet");
    ok(lstat("t.npy", &st) == 0 && S_ISLNK(st.st_mode), "it stays a link, too");
    ok(read_file("d/real.npy", &t), "the file is where it leads");
    ok(symlink("../t.npy", "d/second.npy") == 0 && unlink("d/real.npy") == 0 &&
           files_write(arena, &diags, nowhere, "d/second.npy", two_tensors, 1, NULL),
       "through two links, from another folder");
    ok(read_file("d/real.npy", &t), "that is followed to its end");
    unlink("t.npy");
    ok(symlink("t.npy", "t.npy") == 0 && !write_sample(&samples[0]), "a link to itself: an error");
    unlink("t.npy");
    unlink("d/second.npy");
    unlink("d/real.npy");
    rmdir("d");
    arena_free(arena);
}

/* --- out of memory -------------------------------------------------------------------------- */

/* The N-th allocation fails; true when there are fewer. */
static bool run_out(const struct sample *x, long n, bool write) {
    jmp_buf here;
    struct file_tensors t;
    volatile bool done = false;
    start();
    jmp_buf *former = arena_on_oom(&here);
    if (!setjmp(here)) {
        arena_fail_after(n);
        done = write ? write_sample(x) : read_file(x->name, &t);
    }
    arena_fail_after(-1);
    arena_on_oom(former);
    arena_free(arena);
    return done;
}

static void test_memory(void) {
    for (size_t k = 0; k < SAMPLES; k++) {
        const struct sample *x = &samples[k];
        start();
        write_sample(x);
        arena_free(arena);
        int descriptors = open_descriptors(), files = files_here();
        long n = 1;
        while (!run_out(x, n, false))
            n++;
        ok(n > 3, "%s: read with %ld allocations failing", x->name, n - 1);
        for (n = 1; !run_out(x, n, true);)
            n++;
        ok(n > 1, "%s: written with %ld allocations failing", x->name, n - 1);
        is_int(open_descriptors(), descriptors, "nothing is left open");
        is_int(files_here(), files, "nothing is left behind");
        is_int(mappings(), 0, "nothing is left mapped");
    }
}

int main(void) {
    test_private();
    test_empty();
    test_find();
    test_bytes();
    test_refused();
    test_full_disk();
    test_modes();
    test_memory();
    return done_testing();
}
