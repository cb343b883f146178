/* Element types: the table, loads and stores, casts between all types. */
#include "lang/scalar/scalar.h"
#include "tests/harness/tap.h"

#include <float.h>

static void test_table(void) {
    for (unsigned t = 0; t < DT_COUNT; t++) {
        const struct dtype_info *i = &dtypes[t];
        bool good = dtype_of(i->name) == t && strlen(i->doc) > 8 && strlen(i->descr) == 3 &&
                    (unsigned)(i->descr[2] - '0') == i->bytes && i->bytes <= sizeof(union scalar);
        int bits =
            8 * (int)i->bytes; /* a third of floats' are exponent at the most, but for bf16 */
        good &= i->class != DC_INT || (int)i->digits == bits - (i->name[0] == 'i');
        good &= i->class != DC_FLOAT || ((int)i->digits > bits / 3 && (int)i->digits < bits);
        for (unsigned k = 0; k < t; k++)
            good &= strcmp(i->safetensors, dtypes[k].safetensors) != 0;
        ok(good, "the type %s", i->name);
        is_int(dtype_is_float(t) + 2 * dtype_is_int(t),
               i->class == DC_FLOAT ? 1
               : i->class == DC_INT ? 2
                                    : 0,
               "its class");
    }
    ok(dtype_of("f3") == DT_NONE && dtype_of("") == DT_NONE, "no such type");
    ok(!dtype_is_float(DT_NONE) && !dtype_is_int(DT_NONE), "no type has no class");
    is_str(dtypes[DT_bool].name, "bool", "bool is no macro here");
}

static void test_memory(void) {
    unsigned char at[9];
    for (unsigned t = 0; t < DT_COUNT; t++) {
        memset(at, 0xee, sizeof at);
        union scalar v = scalar_from_i64(t, t == DT_bool ? 1 : -77);
        scalar_store(t, at + 1, v); /* not aligned */
        bool good = at[0] == 0xee;
        for (unsigned i = dtypes[t].bytes + 1; i < sizeof at; i++)
            good &= at[i] == 0xee;
        union scalar back = scalar_load(t, at + 1);
        ok(good && memcmp(&back, &v, dtypes[t].bytes) == 0, "store and load %s", dtypes[t].name);
    }
    unsigned char byte = 7;
    union scalar b = scalar_load(DT_bool, &byte);
    scalar_store(DT_bool, &byte, b);
    is_int(byte, 1, "a bool in memory is 0 or 1");
}

static int32_t to_i32(double v) {
    return scalar_cast(DT_f64, DT_i32, (union scalar){.f64 = v}).i32;
}
static int64_t to_i64(double v) {
    return scalar_cast(DT_f64, DT_i64, (union scalar){.f64 = v}).i64;
}

static void test_float_to_int(void) {
    is_int(to_i32(1.9), 1, "truncates");
    is_int(to_i32(-1.9), -1, "towards zero");
    is_int(to_i32(-0.0), 0, "from -0");
    is_int(to_i32(NAN), 0, "NaN gives 0");
    is_int(to_i32(2147483647.5), INT32_MAX, "the largest i32");
    is_int(to_i32(2147483648.0), INT32_MAX, "saturates above");
    is_int(to_i32(-2147483648.0), INT32_MIN, "the least i32");
    is_int(to_i32(-2147483648.9), INT32_MIN, "truncates to the least");
    is_int(to_i32(-2147483649.0), INT32_MIN, "saturates below");
    is_int(to_i32(INFINITY), INT32_MAX, "infinity");
    is_int(to_i32(-INFINITY), INT32_MIN, "minus infinity");
    is_int(to_i64(NAN), 0, "NaN gives 0 (i64)");
    is_int(to_i64(0x1p63), INT64_MAX, "saturates above (i64)");
    is_int(to_i64(0x1.fffffffffffffp62), INT64_MAX - 1023, "the largest that fits (i64)");
    is_int(to_i64(-0x1p63), INT64_MIN, "the least (i64)");
    is_int(to_i64(-INFINITY), INT64_MIN, "minus infinity (i64)");
    union scalar f = {.f32 = 0x1p31f};
    is_int(scalar_cast(DT_f32, DT_i32, f).i32, INT32_MAX, "f32 saturates i32");
    is_int(scalar_cast(DT_f32, DT_i64, f).i64, INT64_C(1) << 31, "f32 to i64");
    f.f32 = -NAN;
    is_int(scalar_cast(DT_f32, DT_i32, f).i32, 0, "NaN of f32");
}

static void test_other_casts(void) {
    union scalar v = {.i64 = 0x1000000f00000001};
    is_int(scalar_cast(DT_i64, DT_i32, v).i32, 1, "i64 to i32 wraps");
    v.i64 = INT64_C(0x80000000);
    is_int(scalar_cast(DT_i64, DT_i32, v).i32, INT32_MIN, "to a negative");
    v.i32 = -5;
    is_int(scalar_cast(DT_i32, DT_i64, v).i64, -5, "i32 to i64 keeps the sign");
    v.i32 = 16777217;
    is_near(scalar_cast(DT_i32, DT_f32, v).f32, 16777216, 0, "i32 to f32 rounds to nearest even");
    v.i64 = INT64_C(0x4000004000000001); /* by way of f64 this would round twice */
    is_near(scalar_cast(DT_i64, DT_f32, v).f32, 0x1.000002p62, 0, "i64 to f32 rounds once");
    v.i64 = INT64_MAX;
    is_near(scalar_cast(DT_i64, DT_f64, v).f64, 0x1p63, 0, "i64 to f64 rounds");
    v.f64 = 1 + 0x1p-24;
    is_near(scalar_cast(DT_f64, DT_f32, v).f32, 1, 0, "f64 to f32 rounds to even");
    v.f64 = 1e300;
    is_near(scalar_cast(DT_f64, DT_f32, v).f32, INFINITY, 0, "f64 to f32 overflows to infinity");
    v.f32 = 0.1f;
    is_near(scalar_cast(DT_f32, DT_f64, v).f64, 0.1f, 0, "f32 to f64 is exact");
    v.f64 = NAN;
    ok(scalar_cast(DT_f64, DT_bool, v).b, "NaN is true");
    v.f64 = -0.0;
    ok(!scalar_cast(DT_f64, DT_bool, v).b, "-0 is false");
    v.f32 = FLT_TRUE_MIN;
    ok(scalar_cast(DT_f32, DT_bool, v).b, "the least positive is true");
    v.i64 = INT64_C(1) << 32;
    ok(scalar_cast(DT_i64, DT_bool, v).b, "2^32 is true");
    v.b = true;
    ok(scalar_cast(DT_bool, DT_f32, v).f32 == 1 && scalar_cast(DT_bool, DT_i64, v).i64 == 1,
       "true is 1");
    ok(scalar_from_f64(DT_bool, 0.5).b && scalar_from_i64(DT_bool, -1).b, "bool from numbers");
    is_int(scalar_from_f64(DT_i32, 1e10).i32, INT32_MAX, "from_f64 saturates");
    is_int(scalar_from_i64(DT_NONE, 1).i64, 0, "no type gives zero");
}

/* Every cast to an integer type, at its ends, against wide numbers. */
static void test_ends(void) {
    for (unsigned t = 0; t < DT_COUNT; t++) {
        if (!dtype_is_int(t))
            continue;
        bool sign = dtypes[t].name[0] == 'i';
        int digits = 8 * (int)dtypes[t].bytes - sign;
        __int128_t most = ((__int128_t)1 << digits) - 1, least = sign ? -most - 1 : 0;
        union scalar low = scalar_lowest(t), high = scalar_highest(t);
        ok((sign ? (__int128_t)scalar_to_i64(t, low) : (uint64_t)scalar_to_i64(t, low)) == least &&
               (sign ? (__int128_t)scalar_to_i64(t, high) : (uint64_t)scalar_to_i64(t, high)) ==
                   most,
           "the ends of %s", dtypes[t].name);
        static const double near[] = {-2, -1.5, -1, -0.75, -0.25, 0, 0.25, 0.5, 0.99, 1, 1.5, 2};
        bool good = true;
        for (int end = 0; end < 2; end++)
            for (size_t k = 0; k < sizeof near / sizeof *near; k++) {
                double x = (double)(end ? most : least) + near[k];
                __int128_t want = (__int128_t)x; /* towards zero */
                want = want > most ? most : want < least ? least : want;
                union scalar r = scalar_from_f64(t, x);
                good &= r.u64 << (64 - 8 * dtypes[t].bytes) == (uint64_t)want
                                                                   << (64 - 8 * dtypes[t].bytes);
            }
        ok(good, "numbers near the ends of %s saturate, others lose their fraction",
           dtypes[t].name);
        union scalar v = {.f64 = NAN};
        ok(scalar_to_i64(t, scalar_cast(DT_f64, t, v)) == 0, "NaN to %s", dtypes[t].name);
        for (unsigned from = 0; from < DT_COUNT; from++) {
            static const int64_t numbers[] = {0,
                                              1,
                                              -1,
                                              100,
                                              127,
                                              128,
                                              200,
                                              255,
                                              256,
                                              -128,
                                              -129,
                                              32767,
                                              32768,
                                              65535,
                                              65536,
                                              INT32_MAX,
                                              INT64_C(0x80000000),
                                              UINT32_MAX,
                                              INT64_MAX,
                                              INT64_MIN};
            good = true;
            for (size_t k = 0; dtype_is_int(from) && k < sizeof numbers / sizeof *numbers; k++) {
                union scalar a = scalar_from_i64(from, numbers[k]);
                uint64_t got = (uint64_t)scalar_to_i64(t, scalar_cast(from, t, a));
                uint64_t want = (uint64_t)scalar_to_i64(from, a) << (64 - 8 * dtypes[t].bytes);
                good &= got << (64 - 8 * dtypes[t].bytes) == want;
            }
            if (dtype_is_int(from))
                ok(good, "%s to %s wraps", dtypes[from].name, dtypes[t].name);
        }
    }
    union scalar v = {.u64 = UINT64_MAX};
    is_near(scalar_cast(DT_u64, DT_f64, v).f64, 0x1p64, 0, "the largest u64 as f64");
    is_near(scalar_cast(DT_u64, DT_f32, v).f32, 0x1p64, 0, "and as f32");
    v.u64 = UINT64_C(0x8000008000000001); /* by way of f64 this would round twice */
    is_near(scalar_cast(DT_u64, DT_f32, v).f32, 0x1.000002p63, 0, "u64 to f32 rounds once");
    v.u32 = UINT32_MAX;
    is_near(scalar_cast(DT_u32, DT_f64, v).f64, 4294967295.0, 0, "u32 to f64");
    v.u64 = UINT64_C(1) << 63;
    ok(scalar_cast(DT_u64, DT_bool, v).b, "2^63 is true");
}

/* What both types hold goes through unchanged, there and back, for each pair. */
static void test_round_trips(void) {
    bool good = true;
    for (unsigned from = 0; from < DT_COUNT; from++)
        for (unsigned to = 0; to < DT_COUNT; to++)
            for (int x = -3; x <= 3; x++) {
                if (((from == DT_bool || to == DT_bool) && (x < 0 || x > 1)) ||
                    (x < 0 && (dtype_is_unsigned(from) || dtype_is_unsigned(to))))
                    continue;
                union scalar v = scalar_from_i64(from, x);
                union scalar back = scalar_cast(to, from, scalar_cast(from, to, v));
                good &= memcmp(&v, &back, dtypes[from].bytes) == 0;
            }
    ok(good, "small numbers pass through every pair of types");
    union scalar nan = {.f64 = -NAN};
    union scalar same = scalar_cast(DT_f64, DT_f64, nan);
    ok(memcmp(&nan, &same, 8) == 0, "a cast to the same type keeps every bit");
}

int main(void) {
    test_table();
    test_memory();
    test_float_to_int();
    test_other_casts();
    test_ends();
    test_round_trips();
    return done_testing();
}
