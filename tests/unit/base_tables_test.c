/* The small tables of lang/base: growing text, hash map, interned names; the clock. */
#include "lang/base/buf.h"
#include "lang/base/clock.h"
#include "lang/base/map.h"
#include "lang/base/name.h"
#include "tests/harness/tap.h"

#include <unistd.h>

static void test_buf(struct arena *a) {
    struct buf b = buf_new(a);
    is_str(b.at, "", "a new text is empty");
    buf_text(&b, "ab");
    buf_bytes(&b, "cdef", 2);
    buf_printf(&b, "%d%s", 12, "x");
    is_str(b.at, "abcd12x", "bytes, text, printf");
    is_int((long long)b.n, 7, "its length");
    buf_bytes(&b, NULL, 0);
    is_str(b.at, "abcd12x", "nothing added");
    buf_bytes(&b, "\0y", 2);
    ok(b.n == 9 && b.at[7] == 0 && b.at[8] == 'y' && b.at[9] == 0, "a NUL inside");

    bool good = true;
    for (size_t n = 0; n < 200; n++) { /* all distances from the capacity, both ways of adding */
        struct buf c = buf_new(a), d = buf_new(a);
        for (int i = 0; i < 3; i++) {
            char text[200];
            memset(text, 'a' + i, n);
            buf_bytes(&c, text, n);
            buf_printf(&d, "%.*s", (int)n, text);
            good &= c.n == n * (size_t)(i + 1) && d.n == c.n && strcmp(c.at, d.at) == 0 &&
                    strlen(c.at) == c.n && c.n < c.cap && d.n < d.cap;
        }
    }
    ok(good, "growth at every distance from the capacity");

    struct buf e = buf_new(a);
    buf_text(&e, "0123456789");
    for (int i = 0; i < 10; i++)
        buf_bytes(&e, e.at, e.n);
    ok(e.n == 10240 && memcmp(e.at, e.at + 10230, 10) == 0, "a text appended to itself");
}

/* Keys that collide in their low or high bits, against a plain array. */
static void test_map(struct arena *a) {
    struct map m = map_new(a);
    uint64_t value = 77;
    ok(!map_get(&m, 0, &value) && value == 77, "an empty map has nothing");
    enum { N = 5000 };
    for (uint64_t i = 0; i < N; i++)
        map_put(&m, (i % 3 == 0 ? i << 40 : i * 8) + i % 2, i);
    bool good = m.n == N, order = true;
    for (uint64_t i = 0; i < N; i++) {
        uint64_t key = (i % 3 == 0 ? i << 40 : i * 8) + i % 2;
        good &= map_get(&m, key, &value) && value == i;
        order &= m.entries[i].key == key && m.entries[i].value == i;
        good &= !map_get(&m, key + 2, NULL);
    }
    ok(good, "all keys are found and no others");
    ok(order, "entries stand in order of insertion");
    map_put(&m, 8 * 7 + 1, 999);
    ok(m.n == N && map_get(&m, 8 * 7 + 1, &value) && value == 999, "put replaces");
    ok(m.entries[7].value == 999, "in place");
    map_put(&m, UINT64_MAX, 1);
    ok(map_get(&m, UINT64_MAX, NULL) && map_get(&m, 0, NULL), "the ends of the range are keys");
}

static void test_hash(void) {
    ok(hash_bytes("abc", 3, 0) == hash_bytes("abcd", 3, 0), "equal bytes, equal hash");
    ok(hash_bytes("abc", 3, 0) != hash_bytes("abd", 3, 0), "other bytes");
    ok(hash_bytes("abc", 3, 0) != hash_bytes("abc", 3, 1), "other seed");
    ok(hash_bytes("", 0, 0) != hash_bytes("\0", 1, 0), "the length counts");
    ok(hash_bytes(NULL, 0, 5) == hash_bytes("x", 0, 5), "no bytes");
    /* The cache on disk is keyed by it: a change would be an error here first. */
    ok(hash_bytes("dcl", 3, 0) == UINT64_C(0x6b33131a8fa0c30), "the value is fixed");
}

static void test_names(struct arena *a) {
    struct names *t = names_new(a);
    struct name x = name_of_text(t, "x"), y = name_of_text(t, "y");
    ok(!name_eq(x, y) && name_eq(x, name_of(t, "xyz", 1)), "equal text, equal id");
    ok(!name_none(x) && name_none(name_of_text(t, "")), "the empty text is no name");
    is_str(name_text(t, (struct name){0}), "", "its text");
    is_str(name_text(t, (struct name){12345}), "", "an id that was never given out");
    is_int(x.i, 1, "ids count from 1");
    is_int(y.i, 2, "in order of first use");
    const char *before = name_text(t, x);
    bool good = true;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            char text[32];
            snprintf(text, sizeof text, "name_%d", i);
            struct name n = name_of_text(t, text);
            good &= n.i == (uint32_t)i + 3 && strcmp(name_text(t, n), text) == 0;
        }
    ok(good, "20000 names, twice");
    ok(name_text(t, x) == before, "a text stays where it is");
    struct name nul = name_of(t, "x\0y", 3);
    ok(!name_eq(nul, x) && name_eq(nul, name_of(t, "x\0y", 3)), "a NUL is a byte as any other");
}

static void test_json(struct arena *a) {
    struct buf b = buf_new(a);
    buf_text(&b, "[");
    buf_json(&b, "\"a\\\n\x1f/\x7f\xc3\xa4");
    buf_json(&b, "");
    is_str(b.at, "[\"\\\"a\\\\\\u000a\\u001f/\x7f\xc3\xa4\"\"\"", "strings of JSON");
}

static void test_clock(void) {
    double before = clock_seconds();
    usleep(20000);
    double took = clock_seconds() - before;
    ok(took >= 0.02 && took < 60, "the clock counts seconds");
}

int main(void) {
    struct arena *a = arena_new();
    test_buf(a);
    test_map(a);
    test_hash();
    test_names(a);
    test_json(a);
    test_clock();
    arena_free(a);
    return done_testing();
}
