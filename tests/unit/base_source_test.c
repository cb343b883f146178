/* Positions in texts against a plain count, and reading files of every kind. */
#include "lang/base/source.h"
#include "tests/harness/tap.h"

#include <sys/stat.h>
#include <unistd.h>

static void check_positions(struct sources *s, const char *text, size_t n, const char *what) {
    const struct source *source = sources_get(s, sources_add(s, "t", text, n));
    uint32_t line = 1, column = 1, l, c;
    bool good = source->n == n && memcmp(source->text, text, n) == 0 && !source->text[n];
    for (uint32_t i = 0; i <= n; i++) {
        source_position(source, i, &l, &c);
        good &= l == line && c == column;
        column++;
        if (i < n && text[i] == '\n')
            line++, column = 1;
    }
    uint32_t el, ec;
    source_position(source, (uint32_t)n + 100, &el, &ec);
    ok(good && el == l && ec == c, "positions: %s", what);
}

static void test_positions(struct arena *a) {
    struct sources *s = sources_new(a);
    ok(sources_get(s, 0) == NULL && sources_get(s, 1) == NULL, "no place is no source");
    char path[] = "a.dcl", text[] = "hello";
    uint32_t first = sources_add(s, path, text, 5);
    is_int(first, 1, "indices count from 1");
    const struct source *one = sources_get(s, first);
    path[0] = text[0] = '?';
    is_str(one->path, "a.dcl", "the path is a copy");
    is_str(one->text, "hello", "the text is a copy");
    check_positions(s, "", 0, "empty");
    check_positions(s, "\n", 1, "one newline");
    check_positions(s, "\n\n\n", 3, "empty lines");
    check_positions(s, "abc", 3, "no newline");
    check_positions(s, "abc\nde\n", 7, "ends in a newline");
    check_positions(s, "a\r\nb\r\n", 6, "carriage returns");
    check_positions(s, "a\0b\nc", 5, "a NUL");
    check_positions(s, "\xc3\xa4\n\xe2\x88\x91x", 7, "UTF-8 counts bytes");
    char many[3000];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i * i % 7 == 1 ? '\n' : 'x';
    check_positions(s, many, sizeof many, "many lines");
    for (int i = 0; i < 1000; i++)
        sources_add(s, "x", "y", 1);
    ok(sources_get(s, first) == one, "a source stays where it is");
}

static void write_file(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f))
        diag("cannot write %s", path);
}

static void test_files(struct arena *a) {
    const char *tmp = getenv("TMPDIR");
    char *folder = arena_printf(a, "%s/dcl_source_XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) {
        skip("no temporary folder");
        return;
    }
    char *path = arena_printf(a, "%s/f", folder);
    const char *why = NULL;
    size_t n = 99;
    ok(!source_read_file(a, path, &n, &why), "a missing file");
    is_str(why, "No such file or directory", "says so");
    why = NULL;
    ok(!source_read_file(a, folder, &n, &why), "a folder");
    is_str(why, "Is a directory", "says so");

    write_file(path, "", 0);
    is_str(source_read_file(a, path, &n, &why), "", "an empty file");
    is_int((long long)n, 0, "its size");
    write_file(path, "a\0b\n", 4);
    const char *text = source_read_file(a, path, &n, &why);
    ok(text && n == 4 && memcmp(text, "a\0b\n", 5) == 0, "a small file, with a NUL");
    size_t big = 3 << 20;
    char *data = arena_alloc(a, big);
    for (size_t i = 0; i < big; i++)
        data[i] = (char)(i * 31 % 251);
    write_file(path, data, big);
    text = source_read_file(a, path, &n, &why);
    ok(text && n == big && memcmp(text, data, big) == 0 && text[n] == 0, "a larger file");

    if (truncate(path, ((off_t)1 << 30) + 1) == 0) {
        ok(!source_read_file(a, path, &n, &why), "a file over 1 GiB");
        is_str(why, "larger than 1 GiB", "says so");
    } else {
        skip("the file system takes no large file");
    }
    if (chmod(path, 0) == 0 && geteuid() != 0) {
        ok(!source_read_file(a, path, &n, &why), "an unreadable file");
        is_str(why, "Permission denied", "says so");
    } else {
        skip("root reads everything");
    }
    unlink(path);
    rmdir(folder);
}

/* A pipe has no size to go by, and no fewer bytes for it. */
static void test_pipe(struct arena *a) {
    int ends[2];
    if (pipe(ends)) {
        skip("no pipe");
        return;
    }
    char data[30000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)('a' + i % 26);
    bool written = write(ends[1], data, sizeof data) == (ssize_t)sizeof data;
    close(ends[1]);
    size_t n = 0;
    const char *why = "";
    const char *text = source_read_file(a, arena_printf(a, "/dev/fd/%d", ends[0]), &n, &why);
    ok(written && text && n == sizeof data && memcmp(text, data, n) == 0, "a pipe %s", why);
    close(ends[0]);
}

/* No descriptor is left open, whichever allocation fails. */
static void test_descriptors(void) {
    int before = dup(0);
    close(before);
    int failures = 0;
    for (volatile long n = 1; n < 20; n++) {
        jmp_buf here;
        struct arena *volatile a = arena_new();
        arena_on_oom(&here);
        if (setjmp(here) == 0) {
            arena_fail_after(n);
            size_t size;
            const char *why;
            source_read_file(a, "/proc/self/status", &size, &why);
        } else {
            failures++;
        }
        arena_fail_after(-1);
        arena_on_oom(NULL);
        arena_free(a);
    }
    int after = dup(0);
    close(after);
    ok(failures >= 3 && after == before, "no descriptor leaks when memory runs out");
}

int main(void) {
    struct arena *a = arena_new();
    test_positions(a);
    test_files(a);
    test_pipe(a);
    test_descriptors();
    arena_free(a);
    return done_testing();
}
