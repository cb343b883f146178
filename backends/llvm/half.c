/* f16 and bf16. In registers they are f32, and always values that the type holds: every operator is
   followed by cg_half_round. In memory they are two bytes. F16C has instructions for f16 (and a GPU
   of its own); otherwise, and for bf16, all is done on the bits of f32, in lanes as alone. Nothing
   here becomes a call of a library.
   The bits are those of lang/scalar/dtype.c; that a conversion rounds once is Note [odd] there. */
#include "backends/llvm/codegen.h"

static LLVMTypeRef ints(struct cg *c, uint32_t lanes) {
    return cg_type(c, DT_i32, lanes);
}

static LLVMValueRef num(struct cg *c, uint32_t v, uint32_t lanes) {
    return cg_splat(c, LLVMConstInt(c->i32, v, false), lanes);
}

static LLVMValueRef op(struct cg *c, LLVMOpcode o, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildBinOp(c->b, o, a, b, "");
}

static LLVMValueRef bits_of(struct cg *c, LLVMValueRef v, uint32_t lanes) {
    return LLVMBuildBitCast(c->b, v, ints(c, lanes), "");
}

static LLVMValueRef float_of(struct cg *c, LLVMValueRef bits, uint32_t lanes) {
    return LLVMBuildBitCast(c->b, bits, cg_type(c, DT_f32, lanes), "");
}

static LLVMTypeRef native(struct cg *c, uint32_t lanes) {
    LLVMTypeRef t = LLVMHalfTypeInContext(c->llvm);
    return lanes > 1 ? LLVMVectorType(t, lanes) : t;
}

/* H, of LLVM's type half, as f32. The fence keeps LLVM from comparing or choosing halves instead,
   which it does one lane after the other. */
static struct val widen_native(struct cg *c, LLVMValueRef h, enum dtype t, uint32_t lanes) {
    LLVMTypeRef type = cg_type(c, DT_f32, lanes);
    LLVMValueRef v = LLVMBuildFPExt(c->b, h, type, "");
    if (!c->gpu)
        v = cg_intrinsic(c, "llvm.arithmetic.fence", &type, 1, &v, 1);
    return cg_val(v, t, lanes);
}

/* The half that V was widened from, or NULL. */
static LLVMValueRef widened(LLVMValueRef v) {
    unsigned fence = LLVMLookupIntrinsicID("llvm.arithmetic.fence", 21);
    if (LLVMIsACallInst(v) && LLVMGetIntrinsicID(LLVMGetCalledValue(v)) == fence)
        v = LLVMGetOperand(v, 0);
    return LLVMIsAFPExtInst(v) ? LLVMGetOperand(v, 0) : NULL;
}

/* Constants are folded by the way of the bits. */
static bool by_instruction(struct cg *c, enum dtype t, LLVMValueRef v) {
    return t == DT_f16 && c->halves && !LLVMIsConstant(v);
}

/* BITS without the lowest N, rounded to nearest, ties to even: a carry goes into the exponent. */
static LLVMValueRef drop_bits(struct cg *c, LLVMValueRef bits, uint32_t n, uint32_t lanes) {
    LLVMValueRef last = op(c, LLVMAnd, op(c, LLVMLShr, bits, num(c, n, lanes)), num(c, 1, lanes));
    LLVMValueRef half = op(c, LLVMAdd, last, num(c, (1u << (n - 1)) - 1, lanes));
    return op(c, LLVMAnd, op(c, LLVMAdd, bits, half), num(c, ~((1u << n) - 1), lanes));
}

/* Below 2^-14 the last place of f16 is 2^-24, that of f32 at 1/2; from 65520 on all is infinite. */
static LLVMValueRef round_f16(struct cg *c, LLVMValueRef magnitude, uint32_t lanes) {
    LLVMValueRef half = float_of(c, num(c, 0x3f000000, lanes), lanes);
    LLVMValueRef small = LLVMBuildFAdd(c->b, float_of(c, magnitude, lanes), half, "");
    small = bits_of(c, LLVMBuildFSub(c->b, small, half, ""), lanes);
    LLVMValueRef normal = drop_bits(c, magnitude, 13, lanes);
    LLVMValueRef tiny = LLVMBuildICmp(c->b, LLVMIntULT, magnitude, num(c, 0x38800000, lanes), "");
    LLVMValueRef large = LLVMBuildICmp(c->b, LLVMIntUGE, magnitude, num(c, 0x477ff000, lanes), "");
    LLVMValueRef r = LLVMBuildSelect(c->b, large, num(c, 0x7f800000, lanes), normal, "");
    return LLVMBuildSelect(c->b, tiny, small, r, "");
}

struct val cg_half_round(struct cg *c, enum dtype t, struct val v) {
    uint32_t lanes = v.lanes;
    if (by_instruction(c, t, v.v)) {
        LLVMValueRef h = LLVMBuildFPTrunc(c->b, v.v, native(c, lanes), "");
        return widen_native(c, h, t, lanes);
    }
    LLVMValueRef bits = bits_of(c, v.v, lanes);
    LLVMValueRef magnitude = op(c, LLVMAnd, bits, num(c, 0x7fffffff, lanes));
    LLVMValueRef sign = op(c, LLVMXor, bits, magnitude);
    LLVMValueRef r =
        t == DT_f16 ? round_f16(c, magnitude, lanes) : drop_bits(c, magnitude, 16, lanes);
    LLVMValueRef nan = LLVMBuildFCmp(c->b, LLVMRealUNO, v.v, v.v, "");
    r = LLVMBuildSelect(c->b, nan, num(c, 0x7fc00000, lanes), r, "");
    return cg_val(float_of(c, op(c, LLVMOr, r, sign), lanes), t, lanes);
}

/* Between the places of the exponents lie 112 binary orders; a product with a power of two brings
   what is below the normal range of f16 into that of f32. */
static LLVMValueRef widen_f16(struct cg *c, LLVMValueRef bits, uint32_t lanes) {
    LLVMValueRef sign =
        op(c, LLVMShl, op(c, LLVMAnd, bits, num(c, 0x8000, lanes)), num(c, 16, lanes));
    LLVMValueRef rest =
        op(c, LLVMShl, op(c, LLVMAnd, bits, num(c, 0x7fff, lanes)), num(c, 13, lanes));
    LLVMValueRef scale = float_of(c, num(c, 0x77800000, lanes), lanes);
    LLVMValueRef finite =
        bits_of(c, LLVMBuildFMul(c->b, float_of(c, rest, lanes), scale, ""), lanes);
    LLVMValueRef large = LLVMBuildICmp(c->b, LLVMIntUGE, rest, num(c, 0x7c00 << 13, lanes), "");
    LLVMValueRef other = op(c, LLVMOr, rest, num(c, 0x7f800000, lanes));
    return op(c, LLVMOr, LLVMBuildSelect(c->b, large, other, finite, ""), sign);
}

static LLVMValueRef narrow_f16(struct cg *c, LLVMValueRef bits, uint32_t lanes) {
    LLVMValueRef rest = op(c, LLVMAnd, bits, num(c, 0x7fffffff, lanes));
    LLVMValueRef sign = op(c, LLVMLShr, op(c, LLVMXor, bits, rest), num(c, 16, lanes));
    LLVMValueRef half = float_of(c, num(c, 0x3f000000, lanes), lanes);
    LLVMValueRef small = bits_of(c, LLVMBuildFAdd(c->b, float_of(c, rest, lanes), half, ""), lanes);
    small = op(c, LLVMSub, small, num(c, 0x3f000000, lanes));
    LLVMValueRef normal =
        op(c, LLVMLShr, op(c, LLVMSub, rest, num(c, 112u << 23, lanes)), num(c, 13, lanes));
    LLVMValueRef tiny = LLVMBuildICmp(c->b, LLVMIntULT, rest, num(c, 0x38800000, lanes), "");
    LLVMValueRef large = LLVMBuildICmp(c->b, LLVMIntUGE, rest, num(c, 0x7f800000, lanes), "");
    LLVMValueRef nan = LLVMBuildICmp(c->b, LLVMIntUGT, rest, num(c, 0x7f800000, lanes), "");
    LLVMValueRef other =
        LLVMBuildSelect(c->b, nan, num(c, 0x7e00, lanes), num(c, 0x7c00, lanes), "");
    LLVMValueRef r = LLVMBuildSelect(c->b, large, other, normal, "");
    return op(c, LLVMOr, LLVMBuildSelect(c->b, tiny, small, r, ""), sign);
}

LLVMValueRef cg_half_to_mem(struct cg *c, struct val v) {
    LLVMTypeRef mem = cg_mem_type(c, v.t, v.lanes);
    if (by_instruction(c, v.t, v.v)) {
        LLVMValueRef h = widened(v.v);
        if (!h)
            h = LLVMBuildFPTrunc(c->b, v.v, native(c, v.lanes), "");
        return LLVMBuildBitCast(c->b, h, mem, "");
    }
    LLVMValueRef bits = bits_of(c, v.v, v.lanes);
    bits =
        v.t == DT_f16 ? narrow_f16(c, bits, v.lanes) : op(c, LLVMLShr, bits, num(c, 16, v.lanes));
    return LLVMBuildTrunc(c->b, bits, mem, "");
}

struct val cg_half_from_mem(struct cg *c, LLVMValueRef v, enum dtype t, uint32_t lanes) {
    if (by_instruction(c, t, v)) {
        LLVMValueRef h = LLVMBuildBitCast(c->b, v, native(c, lanes), "");
        return widen_native(c, h, t, lanes);
    }
    LLVMValueRef bits = LLVMBuildZExt(c->b, v, ints(c, lanes), "");
    bits = t == DT_f16 ? widen_f16(c, bits, lanes) : op(c, LLVMShl, bits, num(c, 16, lanes));
    return cg_val(float_of(c, bits, lanes), t, lanes);
}

/* --- conversions that f32 would round first: see Note [odd] in lang/scalar/dtype.c --- */

/* An f64 as the f32 that is next to it and odd, or the same. */
static struct val odd_f32(struct cg *c, struct val v) {
    uint32_t lanes = v.lanes;
    LLVMValueRef r = LLVMBuildFPTrunc(c->b, v.v, cg_type(c, DT_f32, lanes), "");
    LLVMValueRef back = LLVMBuildFPExt(c->b, r, LLVMTypeOf(v.v), "");
    LLVMTypeRef t = LLVMTypeOf(v.v);
    LLVMValueRef a = cg_intrinsic(c, "llvm.fabs", &t, 1, &v.v, 1);
    LLVMValueRef b = cg_intrinsic(c, "llvm.fabs", &t, 1, &back, 1);
    LLVMValueRef bits = bits_of(c, r, lanes);
    LLVMValueRef up = LLVMBuildFCmp(c->b, LLVMRealOGT, b, a, "");
    LLVMValueRef down = op(c, LLVMSub, bits, num(c, 1, lanes));
    LLVMValueRef exact = LLVMBuildFCmp(c->b, LLVMRealUEQ, b, a, "");
    LLVMValueRef odd = op(c, LLVMOr, LLVMBuildSelect(c->b, up, down, bits, ""), num(c, 1, lanes));
    bits = LLVMBuildSelect(c->b, exact, bits, odd, "");
    return cg_val(float_of(c, bits, lanes), DT_f32, lanes);
}

/* An i64 or u64 without the bits that f64 does not hold, odd where they were not 0. */
static struct val odd_int(struct cg *c, struct val v) {
    struct val all = cg_widen(c, cg_int(c, 0x7ff), v.lanes);
    struct val more = cg_widen(c, cg_int(c, INT64_C(1) << 53), v.lanes);
    struct val span = cg_widen(c, cg_int(c, INT64_C(1) << 54), v.lanes);
    LLVMValueRef low = op(c, LLVMAnd, v.v, all.v);
    LLVMValueRef lost = LLVMBuildICmp(c->b, LLVMIntNE, low, LLVMConstNull(LLVMTypeOf(low)), "");
    LLVMValueRef last = cg_widen(c, cg_int(c, 0x800), v.lanes).v;
    LLVMValueRef r = op(c, LLVMXor, v.v, low);
    r = op(c, LLVMOr, r, LLVMBuildSelect(c->b, lost, last, LLVMConstNull(LLVMTypeOf(low)), ""));
    LLVMValueRef held =
        dtype_is_unsigned(v.t)
            ? LLVMBuildICmp(c->b, LLVMIntULE, v.v, more.v, "")
            : LLVMBuildICmp(c->b, LLVMIntULE, op(c, LLVMAdd, v.v, more.v), span.v, "");
    return cg_val(LLVMBuildSelect(c->b, held, v.v, r, ""), v.t, v.lanes);
}

struct val cg_to_half(struct cg *c, enum dtype to, struct val v) {
    if (dtype_is_int(v.t) && dtypes[v.t].digits > 53)
        v = odd_int(c, v);
    if (dtype_is_int(v.t) && dtypes[v.t].digits > 24)
        v = cg_cast(c, DT_f64, v);
    if (v.t == DT_f64)
        v = odd_f32(c, v);
    return cg_half_round(c, to, cg_cast(c, DT_f32, v));
}
