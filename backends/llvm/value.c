/* Types, constants and vectors: the small vocabulary of the other files.
   bool is i1 in registers and i8 (0 or 1) in memory; f16 and bf16 are f32 in registers and i16 in
   memory. */
#include "backends/llvm/codegen.h"

#include <stdio.h>
#include <string.h>

static LLVMTypeRef vector_of(LLVMTypeRef element, uint32_t lanes) {
    return lanes > 1 ? LLVMVectorType(element, lanes) : element;
}

LLVMTypeRef cg_type(struct cg *c, enum dtype t, uint32_t lanes) {
    switch (t) {
    case DT_f16:
    case DT_bf16:
    case DT_f32: return vector_of(c->f32, lanes);
    case DT_f64: return vector_of(c->f64, lanes);
    case DT_i8:
    case DT_u8: return vector_of(c->i8, lanes);
    case DT_i16:
    case DT_u16: return vector_of(c->i16, lanes);
    case DT_i32:
    case DT_u32: return vector_of(c->i32, lanes);
    case DT_i64:
    case DT_u64: return vector_of(c->i64, lanes);
    case DT_bool: return vector_of(c->i1, lanes);
    case DT_COUNT: break;
    }
    return NULL;
}

LLVMTypeRef cg_mem_type(struct cg *c, enum dtype t, uint32_t lanes) {
    if (dtype_is_half(t))
        return vector_of(c->i16, lanes);
    return t == DT_bool ? vector_of(c->i8, lanes) : cg_type(c, t, lanes);
}

LLVMValueRef cg_i64(struct cg *c, int64_t v) {
    return LLVMConstInt(c->i64, (uint64_t)v, true);
}

LLVMValueRef cg_i32(struct cg *c, int32_t v) {
    return LLVMConstInt(c->i32, (uint64_t)(int64_t)v, true);
}

struct val cg_val(LLVMValueRef v, enum dtype t, uint32_t lanes) {
    return (struct val){v, t, lanes};
}

struct val cg_int(struct cg *c, int64_t v) {
    return cg_val(cg_i64(c, v), DT_i64, 1);
}

/* A float constant by its bits: LLVMConstReal goes through double, which loses NaN payloads. */
static LLVMValueRef f32_bits(struct cg *c, float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return LLVMConstBitCast(LLVMConstInt(c->i32, bits, false), c->f32);
}

static LLVMValueRef f64_bits(struct cg *c, double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return LLVMConstBitCast(LLVMConstInt(c->i64, bits, false), c->f64);
}

struct val cg_const(struct cg *c, enum dtype t, union scalar s) {
    if (t == DT_f32)
        return cg_val(f32_bits(c, s.f32), t, 1);
    if (dtype_is_half(t))
        return cg_val(f32_bits(c, (float)scalar_to_f64(t, s)), t, 1);
    if (t == DT_f64)
        return cg_val(f64_bits(c, s.f64), t, 1);
    uint64_t bits = (uint64_t)scalar_to_i64(t, s);
    return cg_val(LLVMConstInt(cg_type(c, t, 1), bits, true), t, 1);
}

struct val cg_float(struct cg *c, enum dtype t, double v) {
    return cg_val(t == DT_f64 ? f64_bits(c, v) : f32_bits(c, (float)v), t, 1);
}

LLVMValueRef cg_splat(struct cg *c, LLVMValueRef scalar, uint32_t lanes) {
    if (lanes == 1)
        return scalar;
    if (LLVMIsConstant(scalar)) {
        LLVMValueRef *all = ARENA_ARRAY(c->a, LLVMValueRef, lanes);
        for (uint32_t i = 0; i < lanes; i++)
            all[i] = scalar;
        return LLVMConstVector(all, lanes);
    }
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), lanes);
    LLVMValueRef one = LLVMBuildInsertElement(c->b, LLVMGetPoison(type), scalar, cg_i32(c, 0), "");
    return LLVMBuildShuffleVector(c->b, one, LLVMGetPoison(type),
                                  LLVMConstNull(LLVMVectorType(c->i32, lanes)), "");
}

struct val cg_widen(struct cg *c, struct val v, uint32_t lanes) {
    if (v.lanes == lanes || lanes == 1)
        return v;
    return cg_val(cg_splat(c, v.v, lanes), v.t, lanes);
}

void cg_match(struct cg *c, struct val *a, struct val *b) {
    uint32_t lanes = a->lanes > b->lanes ? a->lanes : b->lanes;
    *a = cg_widen(c, *a, lanes);
    *b = cg_widen(c, *b, lanes);
}

struct val cg_extract(struct cg *c, struct val v, uint32_t lane) {
    if (v.lanes == 1)
        return v;
    return cg_val(LLVMBuildExtractElement(c->b, v.v, cg_i32(c, (int32_t)lane), ""), v.t, 1);
}

LLVMValueRef cg_lane_numbers(struct cg *c, LLVMTypeRef element, uint32_t lanes) {
    LLVMValueRef *all = ARENA_ARRAY(c->a, LLVMValueRef, lanes);
    for (uint32_t i = 0; i < lanes; i++)
        all[i] = LLVMConstInt(element, i, false);
    return LLVMConstVector(all, lanes);
}

LLVMValueRef cg_to_mem(struct cg *c, struct val v) {
    if (dtype_is_half(v.t))
        return cg_half_to_mem(c, v);
    if (v.t != DT_bool)
        return v.v;
    return LLVMBuildZExt(c->b, v.v, cg_mem_type(c, v.t, v.lanes), "");
}

struct val cg_from_mem(struct cg *c, LLVMValueRef v, enum dtype t, uint32_t lanes) {
    if (dtype_is_half(t))
        return cg_half_from_mem(c, v, t, lanes);
    if (t == DT_bool)
        v = LLVMBuildICmp(c->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
    return cg_val(v, t, lanes);
}

struct val cg_load(struct cg *c, LLVMValueRef p, enum dtype t, uint32_t lanes) {
    LLVMValueRef v = LLVMBuildLoad2(c->b, cg_mem_type(c, t, lanes), p, "");
    LLVMSetAlignment(v, dtypes[t].bytes);
    return cg_from_mem(c, v, t, lanes);
}

void cg_store(struct cg *c, LLVMValueRef p, struct val v) {
    LLVMValueRef s = LLVMBuildStore(c->b, cg_to_mem(c, v), p);
    LLVMSetAlignment(s, dtypes[v.t].bytes);
}

LLVMValueRef cg_intrinsic(struct cg *c, const char *name, LLVMTypeRef *overloads,
                          uint32_t noverloads, LLVMValueRef *args, uint32_t nargs) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(c->module, id, overloads, noverloads);
    LLVMTypeRef type = LLVMIntrinsicGetType(c->llvm, id, overloads, noverloads);
    return LLVMBuildCall2(c->b, type, f, args, nargs, "");
}

LLVMValueRef cg_any(struct cg *c, LLVMValueRef mask, uint32_t lanes) {
    if (lanes == 1)
        return mask;
    LLVMTypeRef bits = LLVMIntTypeInContext(c->llvm, lanes);
    LLVMValueRef all = LLVMBuildBitCast(c->b, mask, bits, "");
    return LLVMBuildICmp(c->b, LLVMIntNE, all, LLVMConstNull(bits), "");
}

LLVMValueRef cg_bytes(struct cg *c, const void *bytes, size_t n, uint32_t align) {
    LLVMValueRef text = LLVMConstStringInContext2(c->llvm, bytes, n, true);
    char name[32];
    snprintf(name, sizeof name, "dcl_data_%u", c->strings++);
    LLVMValueRef global = LLVMAddGlobal(c->module, LLVMTypeOf(text), name);
    LLVMSetInitializer(global, text);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(global, align);
    return global;
}
