/* Element types: the table of dtype.def, loads, stores and casts.
   Casts define the language's meaning of a conversion: float to int truncates and saturates, NaN
   gives 0; int to float rounds to nearest; i64 to i32 wraps; to bool is != 0 (NaN is true).
   Memory is read and written bytewise, so it need not be aligned. */
#include "lang/scalar/scalar.h"

#include <float.h>
#include <string.h>

_Static_assert(sizeof(bool) == 1, "bool tensors have one byte per element");
_Static_assert(FLT_RADIX == 2 && FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53, "IEEE 754 formats");
_Static_assert(FLT_EVAL_METHOD == 0, "f32 arithmetic is done in f32");

const struct dtype_info dtypes[DT_COUNT] = {
#define DTYPE(type, size, kind, numpy, st, text)                                                   \
    [DT_##type] = {.name = #type,                                                                  \
                   .descr = numpy,                                                                 \
                   .safetensors = st,                                                              \
                   .doc = text,                                                                    \
                   .bytes = size,                                                                  \
                   .class = DC_##kind},
#include "lang/scalar/dtype.def"
#undef DTYPE
};

enum dtype dtype_of(const char *text) {
    for (unsigned t = 0; t < DT_COUNT; t++)
        if (strcmp(dtypes[t].name, text) == 0)
            return t;
    return DT_NONE;
}

union scalar scalar_load(enum dtype t, const void *at) {
    union scalar v = {.i64 = 0};
    if (t == DT_bool)
        v.b = *(const unsigned char *)at != 0;
    else
        memcpy(&v, at, dtypes[t].bytes);
    return v;
}

void scalar_store(enum dtype t, void *at, union scalar v) {
    if (t == DT_bool)
        *(unsigned char *)at = v.b;
    else
        memcpy(at, &v, dtypes[t].bytes);
}

/* The low 32 bits as a signed number: what gcc and clang define, and every target does. */
static int32_t wrap_i32(int64_t v) {
    return (int32_t)(uint32_t)v;
}

static int32_t saturate_i32(double v) {
    if (v != v)
        return 0;
    if (v >= 0x1p31)
        return INT32_MAX;
    return v <= -0x1p31 ? INT32_MIN : (int32_t)v;
}

static int64_t saturate_i64(double v) {
    if (v != v)
        return 0;
    if (v >= 0x1p63)
        return INT64_MAX;
    return v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}

union scalar scalar_from_i64(enum dtype t, int64_t v) {
    union scalar r = {.i64 = 0};
    switch (t) {
    case DT_f32: r.f32 = (float)v; break; /* one rounding: not by way of double */
    case DT_f64: r.f64 = (double)v; break;
    case DT_i32: r.i32 = wrap_i32(v); break;
    case DT_i64: r.i64 = v; break;
    case DT_bool: r.b = v != 0; break;
    case DT_COUNT: break;
    }
    return r;
}

union scalar scalar_from_f64(enum dtype t, double v) {
    union scalar r = {.i64 = 0};
    switch (t) {
    case DT_f32: r.f32 = (float)v; break;
    case DT_f64: r.f64 = v; break;
    case DT_i32: r.i32 = saturate_i32(v); break;
    case DT_i64: r.i64 = saturate_i64(v); break;
    case DT_bool: r.b = v != 0; break;
    case DT_COUNT: break;
    }
    return r;
}

/* i64 and f64 hold every value of the narrower types, so they are the way between all types. */
union scalar scalar_cast(enum dtype from, enum dtype to, union scalar v) {
    if (from == to)
        return v;
    switch (from) {
    case DT_f32: return scalar_from_f64(to, v.f32);
    case DT_f64: return scalar_from_f64(to, v.f64);
    case DT_i32: return scalar_from_i64(to, v.i32);
    case DT_i64: return scalar_from_i64(to, v.i64);
    case DT_bool: return scalar_from_i64(to, v.b);
    case DT_COUNT: break;
    }
    return (union scalar){.i64 = 0};
}
