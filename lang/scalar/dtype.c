/* Element types: the table of dtype.def, loads, stores and casts.
   Casts define the language's meaning of a conversion: float to int truncates and saturates, NaN
   gives 0; int to float rounds to nearest; int to int wraps; to bool is != 0 (NaN is true).
   f16 and bf16: any float is rounded to them once; an integer that f64 does not hold is made odd
   first, see Note [odd].
   Memory is read and written bytewise, so it need not be aligned. */
#include "lang/scalar/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(sizeof(bool) == 1, "bool tensors have one byte per element");
_Static_assert(FLT_RADIX == 2 && FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53, "IEEE 754 formats");
_Static_assert(FLT_EVAL_METHOD == 0, "f32 arithmetic is done in f32");

const struct dtype_info dtypes[DT_COUNT] = {
#define DTYPE(type, size, kind, bits, via, numpy, st, text)                                        \
    [DT_##type] = {.name = #type,                                                                  \
                   .descr = numpy,                                                                 \
                   .safetensors = st,                                                              \
                   .doc = text,                                                                    \
                   .bytes = size,                                                                  \
                   .digits = bits,                                                                 \
                   .class = DC_##kind,                                                             \
                   .arithmetic = DT_##via},
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

int64_t scalar_to_i64(enum dtype t, union scalar v) {
    switch (t) {
    case DT_i8: return v.i8;
    case DT_i16: return v.i16;
    case DT_i32: return v.i32;
    case DT_i64: return v.i64;
    case DT_u8: return v.u8;
    case DT_u16: return v.u16;
    case DT_u32: return v.u32;
    case DT_u64: return (int64_t)v.u64;
    case DT_bool: return v.b;
    case DT_f32:
    case DT_f64:
    case DT_f16:
    case DT_bf16:
    case DT_COUNT: break;
    }
    return 0;
}

/* Bits of a half's significand without the first; its largest exponent, which is also the bias. */
struct half {
    int fraction, bias;
};

static struct half half_of(enum dtype t) {
    int fraction = (int)dtypes[t].digits - 1;
    return (struct half){fraction, (1 << (14 - fraction)) - 1};
}

static double half_to_f64(enum dtype t, uint16_t bits) {
    struct half h = half_of(t);
    int exponent = (bits & 0x7fff) >> h.fraction, fraction = bits & ((1 << h.fraction) - 1);
    double a;
    if (exponent == 2 * h.bias + 1)
        a = fraction ? NAN : INFINITY;
    else if (exponent)
        a = ldexp(fraction + (1 << h.fraction), exponent - h.bias - h.fraction);
    else
        a = ldexp(fraction, 1 - h.bias - h.fraction);
    return bits & 0x8000 ? -a : a;
}

/* To nearest, ties to even: the significand as an integer, of fewer bits below the normal range. A
   carry out of it goes into the exponent, where it belongs. */
static uint16_t half_from_f64(enum dtype t, double v) {
    struct half h = half_of(t);
    unsigned sign = signbit(v) ? 0x8000 : 0, infinity = (2 * (unsigned)h.bias + 1) << h.fraction;
    if (isnan(v))
        return (uint16_t)(sign | infinity | 1u << (h.fraction - 1));
    if (isinf(v))
        return (uint16_t)(sign | infinity);
    int exponent;
    frexp(v, &exponent); /* |v| is below 2^exponent */
    exponent = v == 0 || exponent - 1 < 1 - h.bias ? 1 - h.bias : exponent - 1;
    if (exponent > h.bias)
        return (uint16_t)(sign | infinity);
    unsigned significand = (unsigned)nearbyint(ldexp(fabs(v), h.fraction - exponent));
    unsigned bits = ((unsigned)(exponent + h.bias - 1) << h.fraction) + significand;
    return (uint16_t)(sign | (bits < infinity ? bits : infinity));
}

double scalar_to_f64(enum dtype t, union scalar v) {
    if (t == DT_f32)
        return v.f32;
    if (t == DT_f64)
        return v.f64;
    if (dtype_is_half(t))
        return half_to_f64(t, v.f16);
    return t == DT_u64 ? (double)v.u64 : (double)scalar_to_i64(t, v);
}

/* Note [odd]
   Rounding to f64 and then to fewer digits may round twice: the first may make a tie of what was
   none. A first step that keeps two more digits and sets the last one where anything was lost makes
   no tie and hides none (Boldo and Melquiond, "Emulation of FMA", 2008). */
static double odd(bool negative, uint64_t magnitude) {
    if (magnitude >> 53)
        magnitude = (magnitude >> 11 | ((magnitude & 0x7ff) != 0)) << 11;
    return negative ? -(double)magnitude : (double)magnitude;
}

/* The low bits as a number of T: what gcc and clang define, and every target does. */
union scalar scalar_from_i64(enum dtype t, int64_t v) {
    union scalar r = {.i64 = 0};
    switch (t) {
    case DT_f32: r.f32 = (float)v; break; /* one rounding: not by way of double */
    case DT_f64: r.f64 = (double)v; break;
    case DT_i8: r.i8 = (int8_t)v; break;
    case DT_i16: r.i16 = (int16_t)v; break;
    case DT_i32: r.i32 = (int32_t)v; break;
    case DT_i64: r.i64 = v; break;
    case DT_u8: r.u8 = (uint8_t)v; break;
    case DT_u16: r.u16 = (uint16_t)v; break;
    case DT_u32: r.u32 = (uint32_t)v; break;
    case DT_u64: r.u64 = (uint64_t)v; break;
    case DT_f16:
    case DT_bf16:
        r.f16 = half_from_f64(t, odd(v < 0, v < 0 ? 0 - (uint64_t)v : (uint64_t)v));
        break;
    case DT_bool: r.b = v != 0; break;
    case DT_COUNT: break;
    }
    return r;
}

static union scalar from_u64(enum dtype t, uint64_t v) {
    union scalar r = {.i64 = 0};
    switch (t) {
    case DT_f32: r.f32 = (float)v; return r;
    case DT_f64: r.f64 = (double)v; return r;
    case DT_f16:
    case DT_bf16: r.f16 = half_from_f64(t, odd(false, v)); return r;
    default: return scalar_from_i64(t, (int64_t)v);
    }
}

union scalar scalar_lowest(enum dtype t) {
    if (dtype_is_float(t))
        return scalar_from_f64(t, -INFINITY);
    return scalar_from_i64(t,
                           dtype_is_unsigned(t) ? 0 : -((int64_t)1 << (dtypes[t].digits - 1)) * 2);
}

union scalar scalar_highest(enum dtype t) {
    if (dtype_is_float(t))
        return scalar_from_f64(t, INFINITY);
    return scalar_from_i64(t, (int64_t)(UINT64_MAX >> (64 - dtypes[t].digits)));
}

static union scalar saturate(enum dtype t, double v) {
    double limit = ldexp(1, (int)dtypes[t].digits);
    if (v != v)
        return scalar_from_i64(t, 0);
    if (v >= limit)
        return scalar_highest(t);
    if (dtype_is_unsigned(t) ? v <= 0 : v <= -limit)
        return scalar_lowest(t);
    return scalar_from_i64(t, t == DT_u64 ? (int64_t)(uint64_t)v : (int64_t)v);
}

union scalar scalar_from_f64(enum dtype t, double v) {
    union scalar r = {.i64 = 0};
    if (t == DT_f32)
        r.f32 = (float)v;
    else if (t == DT_f64)
        r.f64 = v;
    else if (dtype_is_half(t))
        r.f16 = half_from_f64(t, v);
    else if (t == DT_bool)
        r.b = v != 0;
    else if (t < DT_COUNT)
        r = saturate(t, v);
    return r;
}

/* i64, u64 and f64 hold every value of the other types, so they are the way between all types. */
union scalar scalar_cast(enum dtype from, enum dtype to, union scalar v) {
    if (from == to)
        return v;
    if (dtype_is_float(from))
        return scalar_from_f64(to, scalar_to_f64(from, v));
    return from == DT_u64 ? from_u64(to, v.u64) : scalar_from_i64(to, scalar_to_i64(from, v));
}

bool scalar_same(enum dtype t, union scalar a, union scalar b) {
    if (t >= DT_COUNT)
        return false;
    if (dtype_is_float(t) && isnan(scalar_to_f64(t, a)) && isnan(scalar_to_f64(t, b)))
        return true;
    return memcmp(&a, &b, dtypes[t].bytes) == 0;
}
