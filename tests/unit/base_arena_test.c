/* Arenas and growing arrays: alignment, zeroing, growth of blocks, callbacks, and every way of
   running out of memory. Contents are written to their ends, so the sanitizers see overlaps. */
#include "lang/base/arena.h"
#include "lang/base/vec.h"
#include "tests/harness/tap.h"

static bool all_zero(const char *at, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

/* Sizes around every boundary; each object keeps its own byte until the end. */
static void test_alloc(void) {
    enum { N = 4000 };
    static char *at[N];
    static size_t size[N];
    struct arena *a = arena_new();
    ok(arena_bytes(a) == 0, "a new arena holds nothing");
    bool aligned = true, zeroed = true, kept = true;
    size_t sum = 0;
    for (size_t i = 0; i < N; i++) {
        size[i] = i % 97 == 0 ? 1000 + i * 50 : i * 7 % 301;
        sum += size[i];
        at[i] = arena_alloc(a, size[i]);
        aligned &= (uintptr_t)at[i] % 16 == 0;
        zeroed &= all_zero(at[i], size[i]);
        memset(at[i], (int)(i % 255 + 1), size[i]);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < size[i]; k++)
            kept &= (unsigned char)at[i][k] == i % 255 + 1;
    ok(aligned, "everything is aligned to 16");
    ok(zeroed, "everything is zeroed");
    ok(kept, "no two objects overlap");
    ok(arena_bytes(a) >= sum && arena_bytes(a) < 2 * sum + (2 << 20), "blocks fit the contents");
    ok(arena_alloc(a, 0) != NULL, "size 0 gives a pointer");
    ok(arena_alloc(a, 0) != arena_alloc(a, 0), "and each its own");
    arena_reset(a);
    ok(arena_bytes(a) == 0, "reset frees the blocks");
    ok(all_zero(arena_alloc(a, 5000), 5000), "and the arena works again");
    arena_free(a);
    arena_free(NULL);
    ok(true, "free of NULL is allowed");
}

static void test_blocks(void) {
    struct arena *a = arena_new();
    arena_alloc(a, 1);
    is_int((long long)arena_bytes(a), 4096, "the first block has 4 KiB");
    arena_alloc(a, 1 << 20);
    size_t big = arena_bytes(a);
    arena_alloc(a, 1000);
    is_int((long long)arena_bytes(a), (long long)big, "a big request leaves the current block");
    for (int i = 0; i < 100000; i++)
        arena_alloc(a, 100);
    size_t before = arena_bytes(a), step = 0;
    while (!step) {
        arena_alloc(a, 100);
        step = arena_bytes(a) - before;
    }
    is_int((long long)step, 1 << 20, "blocks grow to 1 MiB");
    arena_free(a);
}

static void test_texts(void) {
    struct arena *a = arena_new();
    int numbers[] = {1, 2, 3};
    int *copy = arena_copy(a, numbers, sizeof numbers);
    ok(copy != numbers && memcmp(copy, numbers, sizeof numbers) == 0, "a copy");
    ok(arena_copy(a, NULL, 0) != NULL, "a copy of nothing");
    is_str(arena_strndup(a, "abcdef", 3), "abc", "a part of a text");
    is_str(arena_strndup(a, NULL, 0), "", "an empty text");
    is_str(arena_printf(a, "%s-%d", "x", 42), "x-42", "printf");
    is_str(arena_printf(a, "%s", ""), "", "printf of nothing");
    char *wide = arena_printf(a, "%*s|", 99999, "");
    ok(strlen(wide) == 100000 && wide[99999] == '|', "a long printf");
    arena_free(a);
}

static char order[16];
static struct arena *reused;

static void note(void *data) {
    strncat(order, data, sizeof order - strlen(order) - 1);
}
static void note_again(void *data) {
    note(data);
    arena_on_free(reused, note, arena_strndup(reused, "z", 1));
}

static void test_callbacks(void) {
    struct arena *a = reused = arena_new();
    arena_on_free(a, note, arena_strndup(a, "a", 1));
    arena_on_free(a, note_again, arena_strndup(a, "b", 1));
    arena_on_free(a, note, arena_strndup(a, "c", 1));
    arena_reset(a);
    is_str(order, "cbza", "callbacks run in reverse order, new ones too, before memory goes");
    arena_free(a);
    is_str(order, "cbza", "and only once");
}

/* Whether WORK, in a new arena (the first allocation), gets through when the N-th allocation fails.
   Either way the arena must be fit for use and free afterwards. */
static bool survives(void (*work)(struct arena *), long n) {
    jmp_buf here;
    struct arena *volatile a = NULL;
    jmp_buf *former = arena_on_oom(&here);
    bool done = false;
    if (setjmp(here) == 0) {
        arena_fail_after(n);
        a = arena_new();
        work(a);
        done = true;
    }
    arena_fail_after(-1);
    arena_on_oom(former);
    if (a)
        arena_alloc(a, 10); /* still usable */
    arena_free(a);
    return done;
}

static void close_nothing(void *data) {
    (void)data;
}

static void some_work(struct arena *a) {
    VEC(int) v = {0};
    for (int i = 0; i < 100; i++)
        VEC_PUSH(a, v, i);
    arena_printf(a, "%d", 3);
    arena_alloc(a, 1 << 21);
    arena_on_free(a, close_nothing, NULL);
}

static void ask_too_much(struct arena *a) {
    arena_alloc(a, SIZE_MAX);
}
static void ask_what_malloc_refuses(struct arena *a) {
    arena_alloc(a, SIZE_MAX / 5);
}
static void use_malloc(struct arena *a) {
    (void)a;
    char *volatile p = mem_alloc(0); /* the second */
    p = mem_realloc(p, 100);         /* the third */
    p[99] = 1;
    mem_free(p);
}

static void test_out_of_memory(void) {
    ok(survives(some_work, -1), "the work gets through with memory");
    long n = 1;
    while (n < 1000 && !survives(some_work, n))
        n++;
    /* arena_new, 6 growths, printf, big, callback. */
    is_int(n, 1 + 6 + 1 + 1 + 1 + 1, "each of its allocations can fail");
    ok(!survives(ask_too_much, -1), "SIZE_MAX is out of memory");
    ok(!survives(ask_what_malloc_refuses, -1), "so is what malloc refuses");
    ok(survives(use_malloc, -1) && survives(use_malloc, 4), "mem_ functions");
    ok(!survives(use_malloc, 2), "mem_alloc fails when told to");
    jmp_buf here;
    arena_on_oom(&here);
    ok(arena_on_oom(NULL) == &here, "the former handler is returned");
    ok(arena_on_oom(NULL) == NULL, "and NULL was the default");

    char *volatile p = mem_alloc(8);
    arena_on_oom(&here);
    if (setjmp(here) == 0) {
        arena_fail_after(1);
        p = mem_realloc(p, 16);
        fail("mem_realloc fails when told to");
    } else {
        ok(true, "mem_realloc fails when told to");
    }
    p[7] = 1; /* the old memory is still there */
    mem_free(p);
    arena_on_oom(NULL);
}

static void test_aligned(void) {
    bool good = true;
    for (size_t align = 1; align <= 4096; align *= 2) {
        char *p = mem_aligned(1000, align);
        good &= (uintptr_t)p % align == 0 && all_zero(p, 1000);
        mem_free(p);
    }
    ok(good, "mem_aligned aligns and zeroes");
    void *p = mem_aligned(0, 64);
    ok(p != NULL, "mem_aligned of nothing");
    mem_free(p);
    mem_free(NULL);
    ok(mem_aligned(SIZE_MAX - 5, 64) == NULL, "mem_aligned returns NULL for want of memory");
    arena_fail_after(1);
    ok(mem_aligned(1, 64) == NULL, "and when told to");
    arena_fail_after(-1);
}

static void test_vec(void) {
    struct arena *a = arena_new();
    VEC(uint64_t) v = {0};
    VEC_PUSH(a, v, 0);
    is_int(v.cap, 4, "an array starts with room for 4");
    for (uint64_t i = 1; i < 100000; i++)
        VEC_PUSH(a, v, i * i);
    bool good = v.n == 100000;
    for (uint64_t i = 0; i < v.n; i++)
        good &= v.at[i] == i * i;
    ok(good, "100000 pushes");
    arena_free(a);

    jmp_buf here;
    struct arena *volatile b = arena_new();
    uint32_t cap = UINT32_MAX;
    arena_on_oom(&here);
    if (setjmp(here) == 0) {
        vec_grow(b, NULL, UINT32_MAX, &cap, 1);
        fail("an array past 32 bits is out of memory");
    } else {
        ok(true, "an array past 32 bits is out of memory");
    }
    arena_on_oom(NULL);
    arena_free(b);
}

int main(void) {
    test_alloc();
    test_blocks();
    test_texts();
    test_callbacks();
    test_out_of_memory();
    test_aligned();
    test_vec();
    return done_testing();
}
