/* Scalar operators, casts and expressions, on one lane or many. What each operator means is
   scalar_eval's (lang/scalar/scalar.c); no operation here is undefined for any operand. */
#include "backends/llvm/codegen.h"

#include <math.h>

struct val cg_select(struct cg *c, LLVMValueRef condition, uint32_t condition_lanes, struct val a,
                     struct val b) {
    cg_match(c, &a, &b);
    if (condition_lanes > a.lanes) {
        a = cg_widen(c, a, condition_lanes);
        b = cg_widen(c, b, condition_lanes);
    }
    return cg_val(LLVMBuildSelect(c->b, condition, a.v, b.v, ""), a.t, a.lanes);
}

static struct val map_lanes(struct cg *c, struct val a, struct val b,
                            struct val (*f)(struct cg *, struct val, struct val)) {
    struct val r = cg_val(LLVMGetPoison(cg_type(c, a.t, a.lanes)), a.t, a.lanes);
    for (uint32_t i = 0; i < a.lanes; i++) {
        struct val v = f(c, cg_extract(c, a, i), cg_extract(c, b, i));
        r.v = LLVMBuildInsertElement(c->b, r.v, v.v, cg_i32(c, (int32_t)i), "");
    }
    return r;
}

/* A divisor that neither traps nor is undefined: 1 in place of 0, and of -1 if it has a sign. */
static LLVMValueRef safe_divisor(struct cg *c, struct val b) {
    LLVMTypeRef t = LLVMTypeOf(b.v);
    LLVMValueRef bad = LLVMBuildICmp(c->b, LLVMIntEQ, b.v, LLVMConstNull(t), "");
    if (!dtype_is_unsigned(b.t))
        bad = LLVMBuildOr(c->b, bad, LLVMBuildICmp(c->b, LLVMIntEQ, b.v, LLVMConstAllOnes(t), ""),
                          "");
    return LLVMBuildSelect(c->b, bad, LLVMConstInt(t, 1, false), b.v, "");
}

static LLVMValueRef round_down(struct cg *c, LLVMValueRef r, LLVMValueRef b) {
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(r));
    LLVMValueRef inexact = LLVMBuildICmp(c->b, LLVMIntNE, r, zero, "");
    LLVMValueRef signs = LLVMBuildICmp(c->b, LLVMIntSLT, LLVMBuildXor(c->b, r, b, ""), zero, "");
    return LLVMBuildAnd(c->b, inexact, signs, "");
}

static struct val floor_divide(struct cg *c, struct val a, struct val b) {
    LLVMTypeRef t = LLVMTypeOf(a.v);
    LLVMValueRef by = safe_divisor(c, b);
    LLVMValueRef no = LLVMBuildICmp(c->b, LLVMIntEQ, b.v, LLVMConstNull(t), "");
    if (dtype_is_unsigned(a.t)) {
        LLVMValueRef u = LLVMBuildUDiv(c->b, a.v, by, "");
        return cg_val(LLVMBuildSelect(c->b, no, LLVMConstNull(t), u, ""), a.t, 1);
    }
    LLVMValueRef q = LLVMBuildSDiv(c->b, a.v, by, "");
    LLVMValueRef r = LLVMBuildSub(c->b, a.v, LLVMBuildMul(c->b, q, by, ""), "");
    LLVMValueRef down = LLVMBuildSExt(c->b, round_down(c, r, by), t, "");
    q = LLVMBuildAdd(c->b, q, down, "");
    LLVMValueRef minus = LLVMBuildICmp(c->b, LLVMIntEQ, b.v, LLVMConstAllOnes(t), "");
    q = LLVMBuildSelect(c->b, minus, LLVMBuildNeg(c->b, a.v, ""), q, "");
    return cg_val(LLVMBuildSelect(c->b, no, LLVMConstNull(t), q, ""), a.t, 1);
}

static struct val floor_modulo(struct cg *c, struct val a, struct val b) {
    LLVMTypeRef t = LLVMTypeOf(a.v);
    LLVMValueRef by = safe_divisor(c, b);
    if (dtype_is_unsigned(a.t)) /* x % 1 is 0 */
        return cg_val(LLVMBuildURem(c->b, a.v, by, ""), a.t, 1);
    LLVMValueRef r = LLVMBuildSRem(c->b, a.v, by, "");
    LLVMValueRef fix = LLVMBuildSelect(c->b, round_down(c, r, by), by, LLVMConstNull(t), "");
    return cg_val(LLVMBuildAdd(c->b, r, fix, ""), a.t, 1);
}

static bool constant_float(struct val v, double *d) {
    LLVMValueRef s = v.v;
    if (!LLVMIsConstant(s))
        return false;
    if (v.lanes > 1) {
        s = LLVMGetAggregateElement(s, 0);
        for (uint32_t i = 1; s && i < v.lanes; i++)
            if (LLVMGetAggregateElement(v.v, i) != s)
                return false;
    }
    if (!s || !LLVMIsAConstantFP(s))
        return false;
    LLVMBool lossy;
    *d = LLVMConstRealGetDouble(s, &lossy);
    return true;
}

static LLVMTypeRef int_twin(struct cg *c, struct val v) {
    return cg_type(c, v.t == DT_f32 ? DT_i32 : DT_i64, v.lanes);
}

/* The processor's minimum and maximum: `a op b ? a : b`, so b where either is NaN or both are 0. */
static LLVMValueRef pick(struct cg *c, LLVMRealPredicate op, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(c->b, LLVMBuildFCmp(c->b, op, a, b, ""), a, b, "");
}

/* IEEE 754-2019 maximum and minimum: NaN wins and -0 is below 0. Both orders of the processor's
   instruction differ only there; for two zeros AND (OR) of them is right, NaN is put in after. */
static struct val float_extreme(struct cg *c, enum scalar_op op, struct val a, struct val b) {
    LLVMRealPredicate less = op == OP_MAX ? LLVMRealOGT : LLVMRealOLT;
    double k;
    if (constant_float(a, &k)) {
        struct val t = a;
        a = b;
        b = t;
    }
    if (constant_float(b, &k) && !isnan(k)) {
        /* A constant in first place gives way to NaN. Only a zero can meet the other zero. */
        LLVMValueRef r = pick(c, less, b.v, a.v);
        if (k == 0 && op == OP_MAX && !signbit(k))
            return cg_val(LLVMBuildFAdd(c->b, r, LLVMConstNull(LLVMTypeOf(r)), ""), a.t, a.lanes);
        if (k != 0 || signbit(k) == (op == OP_MAX))
            return cg_val(r, a.t, a.lanes);
    }
    LLVMTypeRef t = LLVMTypeOf(a.v), bits = int_twin(c, a);
    LLVMValueRef x = LLVMBuildBitCast(c->b, pick(c, less, a.v, b.v), bits, "");
    LLVMValueRef y = LLVMBuildBitCast(c->b, pick(c, less, b.v, a.v), bits, "");
    LLVMValueRef r;
    if (op == OP_MIN) {
        r = LLVMBuildOr(c->b, x, y, ""); /* a NaN stays one under OR */
    } else {
        LLVMValueRef nan = LLVMBuildFCmp(c->b, LLVMRealUNO, a.v, b.v, "");
        r = LLVMBuildAnd(c->b, x, y, "");
        r = LLVMBuildOr(c->b, r, LLVMBuildSExt(c->b, nan, bits, ""), "");
    }
    return cg_val(LLVMBuildBitCast(c->b, r, t, ""), a.t, a.lanes);
}

static struct val int_extreme(struct cg *c, enum scalar_op op, struct val a, struct val b) {
    static const char *const names[2][2] = {{"llvm.smin", "llvm.umin"}, {"llvm.smax", "llvm.umax"}};
    LLVMTypeRef t = LLVMTypeOf(a.v);
    LLVMValueRef args[] = {a.v, b.v};
    const char *name = names[op == OP_MAX][dtype_is_unsigned(a.t)];
    return cg_val(cg_intrinsic(c, name, &t, 1, args, 2), a.t, a.lanes);
}

static struct val compare(struct cg *c, enum scalar_op op, struct val a, struct val b) {
    static const LLVMRealPredicate real[] = {
        [OP_LT] = LLVMRealOLT, [OP_LE] = LLVMRealOLE, [OP_GT] = LLVMRealOGT,
        [OP_GE] = LLVMRealOGE, [OP_EQ] = LLVMRealOEQ, [OP_NE] = LLVMRealUNE};
    static const LLVMIntPredicate whole[][2] = {
        [OP_LT] = {LLVMIntSLT, LLVMIntULT}, [OP_LE] = {LLVMIntSLE, LLVMIntULE},
        [OP_GT] = {LLVMIntSGT, LLVMIntUGT}, [OP_GE] = {LLVMIntSGE, LLVMIntUGE},
        [OP_EQ] = {LLVMIntEQ, LLVMIntEQ},   [OP_NE] = {LLVMIntNE, LLVMIntNE}};
    bool sign = !dtype_is_unsigned(a.t) && a.t != DT_bool;
    LLVMValueRef r = dtype_is_float(a.t) ? LLVMBuildFCmp(c->b, real[op], a.v, b.v, "")
                                         : LLVMBuildICmp(c->b, whole[op][!sign], a.v, b.v, "");
    return cg_val(r, DT_bool, a.lanes);
}

/* Sums and products carry the right to contract: language, "Numbers". */
static struct val float_arithmetic(struct cg *c, LLVMOpcode op, struct val a, struct val b) {
    LLVMValueRef r = LLVMBuildBinOp(c->b, op, a.v, b.v, "");
    if (c->o->target.fma && !c->o->strict && LLVMIsAInstruction(r) && op != LLVMFDiv)
        LLVMSetFastMathFlags(r, LLVMFastMathAllowContract);
    return cg_val(r, a.t, a.lanes);
}

static struct val arithmetic(struct cg *c, LLVMOpcode real, LLVMOpcode whole, struct val a,
                             struct val b) {
    if (dtype_is_float(a.t))
        return float_arithmetic(c, real, a, b);
    return cg_val(LLVMBuildBinOp(c->b, whole, a.v, b.v, ""), a.t, a.lanes);
}

static struct val unary_intrinsic(struct cg *c, const char *name, struct val a) {
    LLVMTypeRef t = LLVMTypeOf(a.v);
    return cg_val(cg_intrinsic(c, name, &t, 1, &a.v, 1), a.t, a.lanes);
}

static struct val negate(struct cg *c, struct val a) {
    LLVMValueRef r =
        dtype_is_float(a.t) ? LLVMBuildFNeg(c->b, a.v, "") : LLVMBuildNeg(c->b, a.v, "");
    return cg_val(r, a.t, a.lanes);
}

static struct val absolute(struct cg *c, struct val a) {
    if (dtype_is_float(a.t))
        return unary_intrinsic(c, "llvm.fabs", a);
    if (dtype_is_unsigned(a.t))
        return a;
    LLVMValueRef negative =
        LLVMBuildICmp(c->b, LLVMIntSLT, a.v, LLVMConstNull(LLVMTypeOf(a.v)), "");
    return cg_val(LLVMBuildSelect(c->b, negative, LLVMBuildNeg(c->b, a.v, ""), a.v, ""), a.t,
                  a.lanes);
}

static struct val bits(struct cg *c, LLVMOpcode op, struct val a, struct val b) {
    return cg_val(LLVMBuildBinOp(c->b, op, a.v, b.v, ""), a.t, a.lanes);
}

/* A count that is no number of a bit is undefined to LLVM: 0 takes its place, or where the result
   is all sign the number of the last bit. */
static struct val shift(struct cg *c, enum scalar_op op, struct val a, struct val b) {
    LLVMTypeRef t = LLVMTypeOf(a.v);
    bool sign = op == OP_SHR && !dtype_is_unsigned(a.t);
    uint64_t most = 8 * dtypes[a.t].bytes - 1;
    struct val last =
        cg_widen(c, cg_val(LLVMConstInt(cg_type(c, a.t, 1), most, false), a.t, 1), a.lanes);
    LLVMValueRef far = LLVMBuildICmp(c->b, LLVMIntUGT, b.v, last.v, "");
    b.v = LLVMBuildSelect(c->b, far, sign ? last.v : LLVMConstNull(t), b.v, "");
    struct val r = bits(c, op == OP_SHL ? LLVMShl : sign ? LLVMAShr : LLVMLShr, a, b);
    if (!sign)
        r.v = LLVMBuildSelect(c->b, far, LLVMConstNull(t), r.v, "");
    return r;
}

/* Operators whose result f16 and bf16 hold if they hold the operands. */
static bool is_exact(enum scalar_op op) {
    return op == OP_NEG || op == OP_ABS || op == OP_MAX || op == OP_MIN || op == OP_FLOOR ||
           op == OP_ROUND;
}

/* f16 and bf16 compute in f32. */
static struct val half_op(struct cg *c, enum scalar_op op, struct val a, struct val b) {
    enum dtype t = a.t;
    a.t = b.t = DT_f32;
    struct val r = cg_op(c, op, a, b, a);
    if (r.t != DT_f32)
        return r;
    if (!is_exact(op))
        return cg_half_round(c, t, r);
    r.t = t;
    return r;
}

struct val cg_op(struct cg *c, enum scalar_op op, struct val a, struct val b, struct val z) {
    if (op == OP_SELECT)
        return cg_select(c, a.v, a.lanes, b, z);
    if (dtype_is_half(a.t))
        return half_op(c, op, a, b);
    if (scalars[op].arity == 2)
        cg_match(c, &a, &b);
    switch (op) {
    case OP_ADD: return arithmetic(c, LLVMFAdd, LLVMAdd, a, b);
    case OP_SUB: return arithmetic(c, LLVMFSub, LLVMSub, a, b);
    case OP_MUL: return arithmetic(c, LLVMFMul, LLVMMul, a, b);
    case OP_DIV: return float_arithmetic(c, LLVMFDiv, a, b);
    case OP_FLOORDIV: return a.lanes > 1 ? map_lanes(c, a, b, floor_divide) : floor_divide(c, a, b);
    case OP_MOD: return a.lanes > 1 ? map_lanes(c, a, b, floor_modulo) : floor_modulo(c, a, b);
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_EQ:
    case OP_NE: return compare(c, op, a, b);
    case OP_AND: return cg_val(LLVMBuildAnd(c->b, a.v, b.v, ""), DT_bool, a.lanes);
    case OP_OR: return cg_val(LLVMBuildOr(c->b, a.v, b.v, ""), DT_bool, a.lanes);
    case OP_NOT: return cg_val(LLVMBuildNot(c->b, a.v, ""), DT_bool, a.lanes);
    case OP_NEG: return negate(c, a);
    case OP_MAX:
    case OP_MIN: return dtype_is_float(a.t) ? float_extreme(c, op, a, b) : int_extreme(c, op, a, b);
    case OP_ABS: return absolute(c, a);
    case OP_SQRT: return unary_intrinsic(c, "llvm.sqrt", a);
    case OP_EXP: return cg_exp(c, a);
    case OP_LOG: return cg_log(c, a);
    case OP_TANH: return cg_tanh(c, a);
    case OP_FLOOR: return cg_floor(c, a);
    case OP_ROUND: return cg_round(c, a);
    case OP_BIT_AND: return bits(c, LLVMAnd, a, b);
    case OP_BIT_OR: return bits(c, LLVMOr, a, b);
    case OP_BIT_XOR: return bits(c, LLVMXor, a, b);
    case OP_BIT_NOT: return cg_val(LLVMBuildNot(c->b, a.v, ""), a.t, a.lanes);
    case OP_SHL:
    case OP_SHR: return shift(c, op, a, b);
    case OP_SELECT:
    case OP_COUNT: break;
    }
    cg_bug(c, NULL, "an operator without code");
    return a;
}

/* Saturates, NaN gives 0. The conversion sees only what it is defined for: llvm.fptosi.sat says
   the same but is slow on vectors. */
static struct val float_to_int(struct cg *c, enum dtype to, struct val v) {
    bool sign = !dtype_is_unsigned(to);
    double limit = ldexp(1, (int)dtypes[to].digits);
    struct val high = cg_widen(c, cg_float(c, v.t, limit), v.lanes);
    struct val low = cg_widen(c, cg_float(c, v.t, sign ? -limit : 0), v.lanes);
    struct val least = cg_widen(c, cg_const(c, to, scalar_lowest(to)), v.lanes);
    struct val most = cg_widen(c, cg_const(c, to, scalar_highest(to)), v.lanes);
    LLVMValueRef above = LLVMBuildFCmp(c->b, LLVMRealOGE, v.v, high.v, "");
    LLVMValueRef below = LLVMBuildFCmp(c->b, LLVMRealOLT, v.v, low.v, "");
    LLVMValueRef nan = LLVMBuildFCmp(c->b, LLVMRealUNO, v.v, v.v, "");
    LLVMValueRef bad = LLVMBuildOr(c->b, LLVMBuildOr(c->b, above, below, ""), nan, "");
    LLVMValueRef safe = LLVMBuildSelect(c->b, bad, LLVMConstNull(LLVMTypeOf(v.v)), v.v, "");
    LLVMTypeRef t = cg_type(c, to, v.lanes);
    LLVMValueRef r = sign ? LLVMBuildFPToSI(c->b, safe, t, "") : LLVMBuildFPToUI(c->b, safe, t, "");
    r = LLVMBuildSelect(c->b, above, most.v, r, "");
    r = LLVMBuildSelect(c->b, below, least.v, r, "");
    return cg_val(r, to, v.lanes);
}

struct val cg_cast(struct cg *c, enum dtype to, struct val v) {
    if (v.t == to)
        return v;
    if (dtype_is_half(v.t)) {
        v.t = DT_f32;
        return cg_cast(c, to, v);
    }
    if (dtype_is_half(to))
        return cg_to_half(c, to, v);
    LLVMTypeRef t = cg_type(c, to, v.lanes), from = LLVMTypeOf(v.v);
    if (to == DT_bool) {
        LLVMValueRef zero = LLVMConstNull(from);
        return cg_val(dtype_is_float(v.t) ? LLVMBuildFCmp(c->b, LLVMRealUNE, v.v, zero, "")
                                          : LLVMBuildICmp(c->b, LLVMIntNE, v.v, zero, ""),
                      to, v.lanes);
    }
    LLVMValueRef r;
    if (dtype_is_float(to)) {
        if (dtype_is_float(v.t))
            r = LLVMBuildFPCast(c->b, v.v, t, "");
        else if (v.t == DT_bool || dtype_is_unsigned(v.t))
            r = LLVMBuildUIToFP(c->b, v.v, t, "");
        else
            r = LLVMBuildSIToFP(c->b, v.v, t, "");
    } else {
        if (dtype_is_float(v.t))
            return float_to_int(c, to, v);
        r = LLVMBuildIntCast2(c->b, v.v, t, v.t != DT_bool && !dtype_is_unsigned(v.t), "");
    }
    return cg_val(r, to, v.lanes);
}

static struct val compute(struct cg *c, const struct expr *e) {
    struct deep d;
    switch (e->kind) {
    case EXPR_CONST: return cg_const(c, e->dtype, e->constant);
    case EXPR_SYM: return cg_sym(c, subst(c, e->sym));
    case EXPR_VALUE:
        if (bound_name(c, e->value, &d))
            return d.v;
        /* An index or symbol may stand as a value too. */
        return cg_sym(c, subst(c, sym_atom(c->syms, e->value)));
    case EXPR_CAST: return cg_cast(c, e->dtype, cg_expr(c, e->args[0]));
    case EXPR_OP: {
        struct val args[3];
        for (unsigned i = 0; i < scalars[e->op].arity; i++)
            args[i] = cg_expr(c, e->args[i]);
        for (unsigned i = scalars[e->op].arity; i < 3; i++)
            args[i] = args[0];
        return cg_op(c, e->op, args[0], args[1], args[2]);
    }
    }
    return cg_int(c, 0);
}

struct val cg_expr(struct cg *c, const struct expr *e) {
    if (e->kind == EXPR_CONST || e->kind == EXPR_VALUE)
        return compute(c, e);
    /* Expressions may be shared, so what is computed is remembered, under the address. */
    uint64_t key = (uint64_t)(uintptr_t)e | (uint64_t)1 << 63;
    struct deep d = {{NULL, DT_f32, 1}, 0};
    if (memo_get(c, key, &d))
        return d.v;
    d.v = compute(c, e);
    memo_put(c, key, d);
    return d.v;
}
