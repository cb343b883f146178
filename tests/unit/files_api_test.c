/* Tensor files from C: that mappings are private, what writing refuses and leaves behind, and that
   running out of memory at any allocation leaves nothing open. What the formats hold is compared
   with NumPy in tests/files. */
#include "lang/files/files.h"
#include "tests/harness/tap.h"

#include <dirent.h>
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

static const char *const names[] = {"t.npy", "t.npz", "t.safetensors"};

static uint32_t count_for(const char *name) {
    size_t n = strlen(name);
    return n >= 4 && strcmp(name + n - 4, ".npy") == 0 ? 1 : 2;
}

static bool write_two(const char *path) {
    return files_write(arena, &diags, nowhere, path, two_tensors, count_for(path));
}

/* How many files lie in the working directory. */
static int files_here(void) {
    int n = 0;
    DIR *d = opendir(".");
    while (d && readdir(d))
        n++;
    closedir(d);
    return n - 2;
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

static void test_private(void) {
    int before = files_here();
    for (size_t k = 0; k < 3; k++) {
        struct file_tensors t;
        start();
        ok(write_two(names[k]), "%s is written", names[k]);
        ok(files_read(arena, &diags, nowhere, names[k], &t), "and read");
        is_int(t.n, count_for(names[k]), "number of tensors");
        ok(t.at[0].bytes == sizeof values && memcmp(t.at[0].data, values, sizeof values) == 0,
           "with the values");
        memset(t.at[0].data, 0, t.at[0].bytes);
        struct file_tensors again;
        ok(files_read(arena, &diags, nowhere, names[k], &again), "read again");
        ok(memcmp(again.at[0].data, values, sizeof values) == 0, "writing changes memory only");
        ok(write_two(names[k]), "replaced while mapped");
        is_int(mappings(), 2, "two mappings");
        arena_free(arena);
        is_int(mappings(), 0, "gone with the arena");
    }
    is_int(files_here(), before + 3, "three files, none temporary");
}

/* A tensor without elements needs no data. */
static void test_empty(void) {
    static const int64_t none[] = {3, 0};
    const struct file_tensor t = {.name = "a", .type = DT_f64, .rank = 2, .dims = none};
    for (size_t k = 0; k < 3; k++) {
        struct file_tensors back;
        start();
        ok(files_write(arena, &diags, nowhere, names[k], &t, 1), "%s: no elements", names[k]);
        ok(files_read(arena, &diags, nowhere, names[k], &back), "are read");
        ok(back.at[0].rank == 2 && back.at[0].dims[0] == 3 && back.at[0].bytes == 0, "as such");
        arena_free(arena);
    }
}

static void test_find(void) {
    struct file_tensors t = {(struct file_tensor *)two_tensors, 2};
    ok(files_find(&t, "b") == &two_tensors[1], "a tensor is found by name");
    ok(!files_find(&t, "c") && !files_find(&t, ""), "others are not");
    is_str(files_suffix(0), ".npy", "formats are listed");
    is_str(files_suffix(2), ".safetensors", "to the last");
    is_str(files_suffix(3), NULL, "and no further");
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
    said(files_read(arena, &diags, nowhere, path, &t), want, path);
    is_int(t.n, 0, "and there are no tensors");
}

static void unwritable(const char *path, struct file_tensor t, const char *want) {
    const struct file_tensor both[] = {t, two_tensors[1]};
    said(files_write(arena, &diags, nowhere, path, both, count_for(path)), want, path);
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
    unreadable("t", "none of .npy, .npz, .safetensors");
    unreadable(".npy", "none of");
    unreadable("t.npy.gz", "none of");
    unreadable("", "none of");

    int before = files_here();
    struct file_tensor t = two_tensors[0];
    unwritable("missing/t.npy", t, "cannot write missing/t.npy: No such file");
    unwritable("folder.npy", t, "it is a folder");
    unwritable("pipe.npz", t, "not a regular file");
    unwritable("t", t, "none of");
    said(files_write(arena, &diags, nowhere, "u.npy", two_tensors, 2), "one tensor, not 2", "npy");
    said(files_write(arena, &diags, nowhere, "u.npy", two_tensors, 0), "one tensor, not 0", "npy");
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

static bool holds_old(const char *path) {
    char text[10] = "";
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return n == 3 && memcmp(text, "old", 3) == 0;
}

static void make_old(const char *path) {
    FILE *f = fopen(path, "w");
    if (f) {
        fputs("old", f);
        fclose(f);
    }
}

/* As a full disk: the system refuses to write on, at every length. */
static void test_full_disk(void) {
    static float large[20000];
    static const int64_t many[] = {20000};
    struct file_tensor t[] = {two_tensors[0], two_tensors[1]};
    t[0].rank = 1;
    t[0].dims = many;
    t[0].data = large;
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_IGN);
    for (size_t k = 0; k < 3; k++) {
        make_old(names[k]);
        int before = files_here();
        bool kept = true;
        start();
        for (rlim_t limit = 0; limit < 80000; limit += 1777) {
            small = (struct rlimit){limit, old.rlim_max};
            setrlimit(RLIMIT_FSIZE, &small);
            kept &= !files_write(arena, &diags, nowhere, names[k], t, count_for(names[k]));
            setrlimit(RLIMIT_FSIZE, &old);
            kept &= holds_old(names[k]) && files_here() == before;
        }
        ok(kept, "%s: a full disk leaves the old file and no other", names[k]);
        ok(diags.first && strstr(diags.first->text, "File too large"), "and is reported");
        ok(files_write(arena, &diags, nowhere, names[k], t, count_for(names[k])), "room again");
        arena_free(arena);
    }
}

static void test_modes(void) {
    struct stat st;
    start();
    mode_t mask = umask(027);
    unlink("t.npy");
    write_two("t.npy");
    is_int(stat("t.npy", &st) ? 0 : st.st_mode & 0777, 0640, "a new file's mode is the usual one");
    chmod("t.npy", 0604);
    write_two("t.npy");
    is_int(stat("t.npy", &st) ? 0 : st.st_mode & 0777, 0604, "a replaced file keeps its own");
    umask(mask);
    mkdir("d", 0700);
    rename("t.npy", "d/real.npy");
    ok(symlink("d/real.npy", "t.npy") == 0 && write_two("t.npy"), "through a link");
    ok(lstat("t.npy", &st) == 0 && S_ISLNK(st.st_mode), "it stays a link");
    struct file_tensors t;
    ok(files_read(arena, &diags, nowhere, "d/real.npy", &t), "and the file behind it is written");
    unlink("t.npy");
    unlink("d/real.npy");
    rmdir("d");
    arena_free(arena);
}

/* --- out of memory -------------------------------------------------------------------------- */

/* The N-th allocation fails; true when there are fewer. */
static bool run_out(const char *path, long n, bool write) {
    jmp_buf here;
    struct file_tensors t;
    volatile bool done = false;
    start();
    jmp_buf *former = arena_on_oom(&here);
    if (!setjmp(here)) {
        arena_fail_after(n);
        if (write)
            write_two(path);
        else
            files_read(arena, &diags, nowhere, path, &t);
        done = true;
    }
    arena_fail_after(-1);
    arena_on_oom(former);
    arena_free(arena);
    return done;
}

static void test_memory(void) {
    for (size_t k = 0; k < 3; k++) {
        start();
        write_two(names[k]);
        arena_free(arena);
        int descriptors = open_descriptors(), files = files_here();
        long n = 1;
        while (!run_out(names[k], n, false))
            n++;
        ok(n > 3, "%s: read with %ld allocations failing", names[k], n - 1);
        for (n = 1; !run_out(names[k], n, true);)
            n++;
        ok(n > 1, "%s: written with %ld allocations failing", names[k], n - 1);
        is_int(open_descriptors(), descriptors, "nothing is left open");
        is_int(files_here(), files, "nothing is left behind");
        is_int(mappings(), 0, "nothing is left mapped");
    }
}

int main(void) {
    test_private();
    test_empty();
    test_find();
    test_refused();
    test_full_disk();
    test_modes();
    test_memory();
    return done_testing();
}
