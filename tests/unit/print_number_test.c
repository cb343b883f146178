/* print_number: exact, shortest, and deaf to the locale. */
#include "tests/parse/trees.h"

#include <locale.h>
#include <math.h>

static struct arena *arena;

static const char *text_of(double v, bool single) {
    struct buf out = buf_new(arena);
    print_number(v, single ? DT_f32 : DT_f64, &out);
    return out.at;
}

static void test_known(void) {
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {100, "100.0"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e16"},
        {1.5e300, "1.5e300"},
        {0.0001, "0.0001"},
        {0.00001, "1e-5"},
        {123456.789, "123456.789"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e308"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {9007199254740993.0, "9007199254740992.0"},
        {1e23, "1e23"},
        {(double)INFINITY, "inf"},
        {-(double)INFINITY, "-inf"},
        {(double)NAN, "nan"},
        {-(double)NAN, "nan"},
        {9.5367431640625e-07, "9.5367431640625e-7"},
        {0x1p-44, "5.684341886080802e-14"}, /* above a power of two the gap is wider */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(text_of(cases[i].v, false), cases[i].text, "%s", cases[i].text);
    is_str(text_of(0.1, true), "0.1", "0.1 as f32");
    is_str(text_of((double)16777216.0f, true), "16777216.0", "2^24 as f32");
    is_str(text_of((double)3.4028235e38f, true), "3.4028235e38", "the largest f32");
    is_str(text_of((double)1e-45f, true), "1e-45", "the smallest f32");
    is_str(text_of(1.0 / 3, true), "0.33333334", "1/3 as f32");
}

static bool reads_back(const char *text, double v, bool single) {
    double got = single ? (double)strtof(text, NULL) : strtod(text, NULL);
    return got == v && signbit(got) == signbit(v);
}

static int digits_of(const char *text) {
    int n = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0'))
            continue;
        n++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return n - zeros;
}

/* No text of fewer digits reads back: neither the nearest one nor its neighbours. */
static bool is_shortest(const char *text, double v, bool single) {
    int n = digits_of(text);
    if (n <= 1)
        return true;
    char shorter[64];
    snprintf(shorter, sizeof shorter, "%.*e", n - 2, v);
    return !reads_back(shorter, v, single);
}

static void test_random(void) {
    struct unit u = {.arena = arena};
    struct grower g = {.u = &u, .state = 7};
    int wrong = 0, longer = 0;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = grower_next(&g);
        bool single = i % 2 == 0;
        double v;
        float f;
        memcpy(&v, &bits, sizeof v);
        memcpy(&f, &bits, sizeof f);
        if (i % 7 == 0) /* denormal, and powers of two */
            v = ldexp(1, (int)(bits % 2098) - 1074);
        if (single)
            v = (double)f;
        if (isnan(v) || isinf(v))
            continue;
        const char *text = text_of(v, single);
        wrong += !reads_back(text, v, single);
        longer += !is_shortest(text, v, single);
        if (i % 1000 == 0)
            arena_reset(arena);
    }
    is_int(wrong, 0, "random numbers read back");
    is_int(longer, 0, "and no shorter text does");
}

/* All halves: the text reads back, and no number of one digit less near it does. */
static void test_halves(enum dtype t) {
    int wrong = 0, longer = 0;
    for (unsigned bits = 1; bits < 0x8000; bits++) {
        union scalar s = {.i64 = 0};
        s.f16 = (uint16_t)bits;
        double v = scalar_to_f64(t, s), unit;
        if (isnan(v) || isinf(v))
            continue;
        struct buf out = buf_new(arena);
        print_number(v, t, &out);
        wrong += !scalar_same(t, scalar_from_f64(t, strtod(out.at, NULL)), s);
        int n = digits_of(out.at);
        char shorter[64];
        snprintf(shorter, sizeof shorter, "%.*e", n < 2 ? 0 : n - 2, v);
        unit = pow(10, atoi(strchr(shorter, 'e') + 1) - (n - 2));
        for (int k = -1; k <= 1 && n > 1; k++)
            longer += scalar_same(t, scalar_from_f64(t, strtod(shorter, NULL) + k * unit), s);
        if (bits % 1000 == 0)
            arena_reset(arena);
    }
    is_int(wrong, 0, "all numbers of %s read back", dtypes[t].name);
    is_int(longer, 0, "and no shorter text does");
    struct buf out = buf_new(arena);
    print_number(scalar_to_f64(t, scalar_from_f64(t, 0.1)), t, &out);
    is_str(out.at, "0.1", "0.1 as %s", dtypes[t].name);
}

static void test_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *got = NULL;
    for (int i = 0; i < 4 && got == NULL; i++)
        got = setlocale(LC_ALL, names[i]);
    if (got == NULL) {
        skip("no locale with a decimal comma is installed");
        return;
    }
    is_str(text_of(1.5, false), "1.5", "a point in %s", got);
    struct unit u = unit_new();
    struct ast *file = parse_text(&u, "x = 1.25e-1");
    ok(file->kids[0]->kids[0]->number == 0.125, "and numbers are read with it");
    unit_free(&u);
    setlocale(LC_ALL, "C");
}

int main(void) {
    arena = arena_new();
    test_known();
    test_random();
    test_halves(DT_f16);
    test_halves(DT_bf16);
    test_locale();
    arena_free(arena);
    return done_testing();
}
