/* exp, log and tanh as polynomials, floor and round without a library: no libm symbol is ever
   called, and vectors stay vectors. Sources: S. Moshier, Cephes (expf, tanhf, tanh, 1984-2000);
   FreeBSD msun e_log.c and e_logf.c (Sun, 1993). Errors are measured by
   tests/llvm/math_test.c. */
#include "backends/llvm/codegen.h"

#include <math.h>

/* --- small words --- */

static struct val k(struct cg *c, struct val like, double v) {
    return cg_widen(c, cg_float(c, like.t, v), like.lanes);
}

static enum dtype twin(enum dtype t) {
    return t == DT_f32 ? DT_i32 : DT_i64;
}

static struct val ki(struct cg *c, struct val like, int64_t v) {
    LLVMTypeRef t = like.t == DT_f32 ? c->i32 : c->i64;
    LLVMValueRef s = LLVMConstInt(t, (uint64_t)v, true);
    return cg_val(cg_splat(c, s, like.lanes), twin(like.t), like.lanes);
}

static struct val add(struct cg *c, struct val a, struct val b) {
    return cg_val(LLVMBuildFAdd(c->b, a.v, b.v, ""), a.t, a.lanes);
}

static struct val sub(struct cg *c, struct val a, struct val b) {
    return cg_val(LLVMBuildFSub(c->b, a.v, b.v, ""), a.t, a.lanes);
}

static struct val mul(struct cg *c, struct val a, struct val b) {
    return cg_val(LLVMBuildFMul(c->b, a.v, b.v, ""), a.t, a.lanes);
}

static struct val quotient(struct cg *c, struct val a, struct val b) {
    return cg_val(LLVMBuildFDiv(c->b, a.v, b.v, ""), a.t, a.lanes);
}

/* a*b + z, in one rounding where the target can: llvm.fma would be a libm call elsewhere. */
static struct val fma_(struct cg *c, struct val a, struct val b, struct val z) {
    if (!c->o->target.fma)
        return add(c, mul(c, a, b), z);
    LLVMTypeRef t = LLVMTypeOf(a.v);
    LLVMValueRef args[] = {a.v, b.v, z.v};
    return cg_val(cg_intrinsic(c, "llvm.fma", &t, 1, args, 3), a.t, a.lanes);
}

static struct val bits_of(struct cg *c, struct val a) {
    enum dtype t = twin(a.t);
    return cg_val(LLVMBuildBitCast(c->b, a.v, cg_type(c, t, a.lanes), ""), t, a.lanes);
}

static struct val float_of(struct cg *c, struct val a) {
    enum dtype t = a.t == DT_i32 ? DT_f32 : DT_f64;
    return cg_val(LLVMBuildBitCast(c->b, a.v, cg_type(c, t, a.lanes), ""), t, a.lanes);
}

static struct val int_op(struct cg *c, LLVMOpcode op, struct val a, struct val b) {
    return cg_val(LLVMBuildBinOp(c->b, op, a.v, b.v, ""), a.t, a.lanes);
}

static struct val choose(struct cg *c, LLVMRealPredicate op, struct val x, struct val y,
                         struct val a, struct val b) {
    LLVMValueRef condition = LLVMBuildFCmp(c->b, op, x.v, y.v, "");
    return cg_val(LLVMBuildSelect(c->b, condition, a.v, b.v, ""), a.t, a.lanes);
}

static struct val absolute(struct cg *c, struct val x) {
    LLVMTypeRef t = LLVMTypeOf(x.v);
    return cg_val(cg_intrinsic(c, "llvm.fabs", &t, 1, &x.v, 1), x.t, x.lanes);
}

static struct val with_sign(struct cg *c, struct val magnitude, struct val sign) {
    LLVMTypeRef t = LLVMTypeOf(magnitude.v);
    LLVMValueRef args[] = {magnitude.v, sign.v};
    return cg_val(cg_intrinsic(c, "llvm.copysign", &t, 1, args, 2), magnitude.t, magnitude.lanes);
}

/* Horner: the first coefficient belongs to the highest power. */
static struct val polynomial(struct cg *c, struct val x, const double *coefficients, int n) {
    struct val p = k(c, x, coefficients[0]);
    for (int i = 1; i < n; i++)
        p = fma_(c, p, x, k(c, x, coefficients[i]));
    return p;
}

#define POLYNOMIAL(c, x, table)                                                                    \
    polynomial((c), (x), (table), (int)(sizeof(table) / sizeof *(table)))

/* --- exp --- */

/* Note [exp]
   x = n*ln2 + r with |r| <= ln2/2, e^x = 2^n * e^r. Adding 1.5 * 2^(mantissa bits) rounds to an
   integer and leaves it in the low bits, with no conversion that a NaN would make undefined.
   2^n is multiplied in two halves, so that results that are denormal or overflow round once. Twice
   the exponent's bias is in the number that is added: half of the low bits is a biased exponent,
   and so is the rest; what stands above them is shifted out. */

static struct val times_power(struct cg *c, struct val p, struct val low) {
    struct val shift = ki(c, p, p.t == DT_f32 ? 23 : 52);
    struct val half = int_op(c, LLVMLShr, low, ki(c, p, 1));
    struct val one = int_op(c, LLVMShl, half, shift);
    struct val two = int_op(c, LLVMShl, int_op(c, LLVMSub, low, half), shift);
    return mul(c, mul(c, p, float_of(c, one)), float_of(c, two));
}

struct val cg_exp(struct cg *c, struct val x) {
    /* Minimax for the relative error on |r| <= ln2/2, with 1 + r fixed: 0.05 ulp. */
    static const double p32[] = {
        1.3814539988e-3, 8.3687451163e-3, 4.1668390787e-2, 1.6666520399e-1, 4.9999993432e-1, 1, 1};
    /* 1/k!: the remainder after the 13th power is below 2^-57. */
    static const double p64[] = {1.6059043836821613e-10,
                                 2.0876756987868099e-09,
                                 2.5052108385441719e-08,
                                 2.7557319223985893e-07,
                                 2.7557319223985888e-06,
                                 2.4801587301587302e-05,
                                 1.9841269841269841e-04,
                                 1.3888888888888889e-03,
                                 8.3333333333333332e-03,
                                 4.1666666666666664e-02,
                                 1.6666666666666666e-01,
                                 0.5,
                                 1,
                                 1};
    bool single = x.t == DT_f32;
    /* Beyond these the result is infinite or zero anyway; NaN passes both. */
    struct val high = k(c, x, single ? 89 : 710), low = k(c, x, single ? -104 : -746);
    x = choose(c, LLVMRealOLT, high, x, high, x);
    x = choose(c, LLVMRealOGT, low, x, low, x);
    struct val magic = k(c, x, single ? 0x1.8p23 + 2 * 127 : 0x1.8p52 + 2 * 1023);
    struct val shifted = fma_(c, x, k(c, x, 1.4426950408889634), magic);
    struct val n = sub(c, shifted, magic);
    /* The high part of ln2 has few bits, so its product with n is exact without an FMA too. */
    struct val r = fma_(c, n, k(c, x, single ? -0.693359375 : -6.93145751953125e-1), x);
    r = fma_(c, n, k(c, x, single ? 2.12194440e-4 : -1.42860682030941723212e-6), r);
    struct val p = single ? POLYNOMIAL(c, r, p32) : POLYNOMIAL(c, r, p64);
    return times_power(c, p, bits_of(c, shifted));
}

/* --- log --- */

/* x = 2^n * m with m in [sqrt(1/2), sqrt(2)), f = m - 1, s = f/(2 + f);
   log(1 + f) = f - f*f/2 + s*(f*f/2 + R(s*s)). */
struct val cg_log(struct cg *c, struct val x) {
    static const double r32[] = {0xf89e26.0p-26, 0x91e9ee.0p-25, 0xccce13.0p-25, 0xaaaaaa.0p-24};
    static const double r64[] = {1.479819860511658591e-01, 1.531383769920937332e-01,
                                 1.818357216161805012e-01, 2.222219843214978396e-01,
                                 2.857142874366239149e-01, 3.999999999940941908e-01,
                                 6.666666666666735130e-01};
    bool single = x.t == DT_f32;
    int shift = single ? 23 : 52;
    /* Denormals are lifted into the normal range first. */
    struct val tiny = k(c, x, single ? 0x1p-126 : 0x1p-1022);
    struct val lifted = mul(c, x, k(c, x, single ? 0x1p23 : 0x1p52));
    struct val y = choose(c, LLVMRealOLT, x, tiny, lifted, x);
    struct val drop = choose(c, LLVMRealOLT, x, tiny, k(c, x, shift), k(c, x, 0));
    /* Taking sqrt(1/2) off as an integer makes the exponent's rounding come out right. */
    int64_t root = single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
    struct val ix = int_op(c, LLVMSub, bits_of(c, y), ki(c, x, root));
    struct val n = int_op(c, LLVMAShr, ix, ki(c, x, shift));
    int64_t mask = ((int64_t)1 << shift) - 1;
    struct val m =
        float_of(c, int_op(c, LLVMAdd, int_op(c, LLVMAnd, ix, ki(c, x, mask)), ki(c, x, root)));
    /* The exponent as float without a conversion from i64, which AVX2 lacks: it fits 12 bits. */
    double magic = single ? 0x1.8p23 : 0x1.8p52;
    struct val dk =
        sub(c, float_of(c, int_op(c, LLVMAdd, n, bits_of(c, k(c, x, magic)))), k(c, x, magic));
    dk = sub(c, dk, drop);
    struct val f = sub(c, m, k(c, x, 1));
    struct val s = quotient(c, f, add(c, f, k(c, x, 2)));
    struct val z = mul(c, s, s);
    struct val R = mul(c, z, single ? POLYNOMIAL(c, z, r32) : POLYNOMIAL(c, z, r64));
    struct val half = mul(c, mul(c, f, f), k(c, x, 0.5));
    struct val low = k(c, x, single ? 9.0580006145e-06 : 1.90821492927058770002e-10);
    struct val high = k(c, x, single ? 6.9313812256e-01 : 6.93147180369123816490e-01);
    struct val t = fma_(c, s, add(c, half, R), mul(c, dk, low));
    struct val r = fma_(c, dk, high, add(c, sub(c, t, half), f));
    /* Zero, negative numbers, infinity and NaN, in the order that overrides. */
    r = choose(c, LLVMRealOEQ, x, k(c, x, INFINITY), x, r);
    r = choose(c, LLVMRealOEQ, x, k(c, x, 0), k(c, x, -INFINITY), r);
    r = choose(c, LLVMRealOLT, x, k(c, x, 0), k(c, x, NAN), r);
    return choose(c, LLVMRealUNO, x, x, x, r);
}

/* --- tanh --- */

/* Near 0 a polynomial in x*x, elsewhere 1 - 2/(e^2x + 1); both are computed and one is taken. */
struct val cg_tanh(struct cg *c, struct val x) {
    static const double p32[] = {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                 1.33314422036e-1, -3.33332819422e-1};
    static const double p64[] = {-9.64399179425052238628e-1, -9.92877231001918586564e1,
                                 -1.61468768441708447952e3};
    static const double q64[] = {1, 1.12811678491632931402e2, 2.23548839060100448583e3,
                                 4.84406305325125486048e3};
    struct val a = absolute(c, x);
    struct val z = mul(c, a, a);
    struct val p = x.t == DT_f32 ? POLYNOMIAL(c, z, p32)
                                 : quotient(c, POLYNOMIAL(c, z, p64), POLYNOMIAL(c, z, q64));
    struct val near = fma_(c, mul(c, p, z), a, a);
    /* e^2x may overflow: 2/inf is 0. */
    struct val e = cg_exp(c, add(c, a, a));
    struct val one = k(c, x, 1);
    struct val far = sub(c, one, quotient(c, k(c, x, 2), add(c, e, one)));
    return with_sign(c, choose(c, LLVMRealOLT, a, k(c, x, 0.625), near, far), x);
}

/* --- rounding --- */

/* |x| below 2^(mantissa bits) is rounded by adding and subtracting that; above it is whole. */
struct val cg_round(struct cg *c, struct val x) {
    LLVMTypeRef t = LLVMTypeOf(x.v);
    if (c->rounds)
        return cg_val(cg_intrinsic(c, "llvm.roundeven", &t, 1, &x.v, 1), x.t, x.lanes);
    struct val big = k(c, x, x.t == DT_f32 ? 0x1p23 : 0x1p52);
    struct val a = absolute(c, x);
    struct val r = sub(c, add(c, a, big), big);
    return choose(c, LLVMRealOLT, a, big, with_sign(c, r, x), x);
}

struct val cg_floor(struct cg *c, struct val x) {
    LLVMTypeRef t = LLVMTypeOf(x.v);
    if (c->rounds)
        return cg_val(cg_intrinsic(c, "llvm.floor", &t, 1, &x.v, 1), x.t, x.lanes);
    struct val r = cg_round(c, x);
    struct val down = sub(c, r, k(c, x, 1));
    return with_sign(c, choose(c, LLVMRealOGT, r, x, down, r), x);
}
