/* Element types, scalar operators and conflict resolutions: the tables that the checker, the
   evaluators and the code generators share. */
#ifndef DCL_LANG_SCALAR_SCALAR_H
#define DCL_LANG_SCALAR_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype {
#define DTYPE(name, ...) DT_##name,
#include "lang/scalar/dtype.def"
#undef DTYPE
    DT_COUNT,
    DT_NONE = DT_COUNT /* no type yet: a number literal that takes the type it meets */
};

enum dtype_class { DC_FLOAT = 1, DC_INT = 2, DC_BOOL = 4 };

struct dtype_info {
    const char *name, *descr, *safetensors, *doc;
    unsigned bytes, digits;
    enum dtype_class class;
    enum dtype arithmetic;
};
extern const struct dtype_info dtypes[DT_COUNT];
/* The type called TEXT, DT_NONE if there is none. */
enum dtype dtype_of(const char *text);
static inline bool dtype_is_float(enum dtype t) {
    return t < DT_COUNT && dtypes[t].class == DC_FLOAT;
}
static inline bool dtype_is_int(enum dtype t) {
    return t < DT_COUNT && dtypes[t].class == DC_INT;
}
static inline bool dtype_is_unsigned(enum dtype t) {
    return dtype_is_int(t) && dtypes[t].digits == 8 * dtypes[t].bytes;
}

enum scalar_op {
#define SCALAR(id, spelling, arity, form, operands, result, doc) OP_##id,
#include "lang/scalar/scalar.def"
#undef SCALAR
    OP_COUNT
};

enum scalar_form { FORM_INFIX, FORM_PREFIX, FORM_CALL };
enum scalar_operands {
    OPERANDS_FLT = DC_FLOAT,
    OPERANDS_INT = DC_INT,
    OPERANDS_BOOL = DC_BOOL,
    OPERANDS_NUM = DC_FLOAT | DC_INT,
    OPERANDS_ANY = DC_FLOAT | DC_INT | DC_BOOL
};
enum scalar_result { RESULT_SAME, RESULT_BOOL };

struct scalar_info {
    const char *id, *spelling, *doc;
    unsigned arity;
    enum scalar_form form;
    unsigned operands; /* set of enum dtype_class */
    enum scalar_result result;
};
extern const struct scalar_info scalars[OP_COUNT];
/* The operator with FORM, SPELLING and ARITY; OP_COUNT if there is none. */
enum scalar_op scalar_find(enum scalar_form form, const char *spelling, unsigned arity);

/* f16 and bf16: held and computed in another type, rounded after each operator. */
static inline bool dtype_is_half(enum dtype t) {
    return t < DT_COUNT && dtypes[t].arithmetic != t;
}

/* One scalar of type T in memory form; of f16 and bf16 the bits. */
union scalar {
    float f32;
    double f64;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    uint16_t f16, bf16;
    bool b;
};
/* The value of OP on operands of type T (select: ARGS[0] is bool). The reference for every
   back-end: plain libm in the type's own precision. */
union scalar scalar_eval(enum scalar_op op, enum dtype t, const union scalar *args);
/* Cast: float to int saturates and NaN gives 0; int to int wraps; int to float rounds to nearest;
   to bool is != 0. */
union scalar scalar_cast(enum dtype from, enum dtype to, union scalar v);
/* Equal bits, or both NaN. */
bool scalar_same(enum dtype t, union scalar a, union scalar b);
/* The least and the largest value; infinities of floats. */
union scalar scalar_lowest(enum dtype t);
union scalar scalar_highest(enum dtype t);
union scalar scalar_load(enum dtype t, const void *at);
void scalar_store(enum dtype t, void *at, union scalar v);
union scalar scalar_from_i64(enum dtype t, int64_t v);
union scalar scalar_from_f64(enum dtype t, double v);
/* An integer or bool in 64 bits: those of u64, which may look negative. */
int64_t scalar_to_i64(enum dtype t, union scalar v);
/* Any number, the nearest where f64 does not hold it. */
double scalar_to_f64(enum dtype t, union scalar v);

/* How writes that meet resolve. RES_NONE: they may not meet. */
enum resolution { RES_NONE, RES_SUM, RES_PROD, RES_MAX, RES_MIN, RES_AND, RES_OR, RES_COUNT };
extern const char *const resolution_names[RES_COUNT]; /* "", "sum", ... */
enum resolution resolution_of(const char *text);      /* RES_COUNT if there is none */
enum scalar_op resolution_op(enum resolution r);      /* ADD for sum, ... */
union scalar resolution_identity(enum resolution r, enum dtype t);

#endif
