/* The object cache: round trips, every kind of damage, folders that cannot be written, and writers
   and readers at once. */
#include "backends/rt/rt.h"
#include "tests/harness/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct rt_key key = {0x0123456789abcdef, 0xfedcba9876543210};
static const char path[] = "a/b/c/0123456789abcdeffedcba9876543210.o";

/* The object is there and holds N bytes WANT. */
static bool reads(const char *dir, struct rt_key k, const void *want, size_t n) {
    void *bytes = NULL;
    size_t got = 0;
    if (!rt_cache_read(dir, k, &bytes, &got))
        return false;
    bool same = got == n && memcmp(bytes, want, n) == 0;
    rt_cache_release(bytes);
    return same;
}

static size_t load(unsigned char *to, size_t size) {
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(to, 1, size, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static void store(const unsigned char *from, size_t n) {
    FILE *f = fopen(path, "wb");
    if (f) {
        fwrite(from, 1, n, f);
        fclose(f);
    }
}

static int files_in(const char *dir) {
    char command[100], line[20] = "";
    snprintf(command, sizeof command, "ls -A %s | wc -l", dir);
    FILE *f = popen(command, "r");
    char *got = fgets(line, sizeof line, f);
    pclose(f);
    return got ? atoi(line) : -1;
}

static void test_round_trip(void) {
    static const char text[] = "some machine code";
    ok(!reads("a/b/c", key, text, sizeof text), "an empty cache is a miss");
    ok(rt_cache_write("a/b/c", key, text, sizeof text), "the folder is made");
    ok(reads("a/b/c", key, text, sizeof text), "what was written is read");
    ok(access(path, R_OK) == 0, "under the key's name");
    ok(!reads("a/b/c", (struct rt_key){key.hi, key.lo + 1}, text, sizeof text), "another low key");
    ok(!reads("a/b/c", (struct rt_key){key.hi + 1, key.lo}, text, sizeof text), "another high key");
    ok(rt_cache_write("a/b/c/", key, "", 0), "an empty object");
    ok(reads("a/b/c", key, "", 0), "is read");
    enum { LARGE = 3000001 };
    unsigned char *large = malloc(LARGE);
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (unsigned char)(i * i >> 3);
    ok(rt_cache_write("a/b/c", key, large, LARGE), "a large object");
    ok(reads("a/b/c", key, large, LARGE), "is read");
    free(large);
    is_int(files_in("a/b/c"), 1, "no temporary file is left");
    struct stat st;
    is_int(stat(path, &st) ? 0 : st.st_mode & 0777, 0600, "nobody else may write or read it");
}

static void test_damage(void) {
    unsigned char text[301], file[500];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * 7);
    rt_cache_write("a/b/c", key, text, sizeof text);
    size_t n = load(file, sizeof file);
    bool miss = n > sizeof text;
    for (size_t i = 0; i < n; i++)
        for (int bit = 0; bit < 8; bit++) {
            file[i] ^= (unsigned char)(1 << bit);
            store(file, n);
            void *bytes = NULL;
            size_t got = 0;
            miss &= !rt_cache_read("a/b/c", key, &bytes, &got);
            file[i] ^= (unsigned char)(1 << bit);
        }
    ok(miss, "each single wrong bit is a miss");
    miss = true;
    for (size_t i = 0; i < n; i++) {
        store(file, i);
        miss &= !reads("a/b/c", key, text, sizeof text);
    }
    ok(miss, "each file cut short is a miss");
    file[n] = 0;
    store(file, n + 1);
    ok(!reads("a/b/c", key, text, sizeof text), "so is one that is too long");
    store(file, n);
    ok(reads("a/b/c", key, text, sizeof text), "the whole file is read");
    char copy[] = "a/b/c/0123456789abcdeffedcba9876543211.o";
    ok(rename(path, copy) == 0 && !reads("a/b/c", (struct rt_key){key.hi, key.lo + 1}, text, 301),
       "a file under another key's name is a miss");
    rename(copy, path);
    chmod(path, 0620);
    ok(!reads("a/b/c", key, text, sizeof text), "a file that others may write is a miss");
    chmod(path, 0600);
    ok(rt_cache_write("a/b/c", key, text, sizeof text), "a damaged file is replaced");
    ok(reads("a/b/c", key, text, sizeof text), "and read");
}

static void test_unwritable(void) {
    unlink(path);
    ok(mkdir(path, 0700) == 0, "a folder in the file's place");
    ok(!reads("a/b/c", key, "x", 1), "is a miss");
    ok(!rt_cache_write("a/b/c", key, "x", 1), "and cannot be replaced");
    is_int(files_in("a/b/c"), 1, "nothing is left behind");
    rmdir(path);
    mkfifo(path, 0600);
    ok(!reads("a/b/c", key, "x", 1), "a pipe does not block");
    unlink(path);
    store((const unsigned char *)"", 0);
    ok(!rt_cache_write(path, key, "x", 1), "a file is no folder");
    ok(!rt_cache_write("", key, "x", 1), "nor is nothing");
    char name[6000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    ok(!rt_cache_write(name, key, "x", 1) && !reads(name, key, "x", 1), "a name that is too long");
    unlink(path);

    /* As a full disk: the system refuses to write on. */
    unsigned char large[5000] = {0};
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){1000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    ok(!rt_cache_write("a/b/c", key, large, sizeof large), "a full disk");
    setrlimit(RLIMIT_FSIZE, &old);
    is_int(files_in("a/b/c"), 0, "leaves nothing behind");
}

/* Two writers with different objects, and a reader that must see one of them, whole. */
static void test_at_once(void) {
    enum { N = 60000 };
    static unsigned char one[N], two[N];
    memset(one, 1, N);
    memset(two, 2, N);
    rt_cache_write("a/b/c", key, one, N);
    pid_t child[2];
    for (int k = 0; k < 2; k++) {
        fflush(stdout);
        child[k] = fork();
        if (child[k] == 0) {
            bool good = true;
            for (int i = 0; i < 300; i++)
                good &= rt_cache_write("a/b/c", key, k ? one : two, N);
            _exit(!good);
        }
    }
    bool whole = true;
    for (int i = 0; i < 600; i++) {
        void *bytes = NULL;
        size_t n = 0;
        whole &= rt_cache_read("a/b/c", key, &bytes, &n) && n == N &&
                 (memcmp(bytes, one, N) == 0 || memcmp(bytes, two, N) == 0);
        rt_cache_release(bytes);
    }
    bool good = true;
    for (int k = 0; k < 2; k++) {
        int status = 1;
        waitpid(child[k], &status, 0);
        good &= status == 0;
    }
    ok(good, "two writers at once");
    ok(whole, "a reader sees one object or the other");
    is_int(files_in("a/b/c"), 1, "one file is left");
}

int main(void) {
    test_round_trip();
    test_damage();
    test_unwritable();
    test_at_once();
    return done_testing();
}
