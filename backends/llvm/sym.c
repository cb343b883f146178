/* Symbolic integers as code. A sum is added from what changes in outer loops to what changes in
   inner ones, so that its invariant part is one value that LLVM moves out; constants come last,
   where addressing modes take them. Values are remembered per scope under the id of the sym. */
#include "backends/llvm/codegen.h"

#include "compiler/analysis/facts.h"

static LLVMValueRef int_binary(struct cg *c, LLVMOpcode op, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildBinOp(c->b, op, a, b, "");
}

static struct deep join(struct cg *c, LLVMOpcode op, struct deep a, struct deep b) {
    cg_match(c, &a.v, &b.v);
    LLVMValueRef v = int_binary(c, op, a.v.v, b.v.v);
    return (struct deep){cg_val(v, DT_i64, a.v.lanes), a.depth > b.depth ? a.depth : b.depth};
}

static struct deep atom_value(struct cg *c, struct name n) {
    struct fn *fn = c->fn;
    struct deep d;
    if (name_eq(n, c->lane)) {
        LLVMValueRef v = cg_lane_numbers(c, c->i64, fn->lanes);
        return (struct deep){cg_val(v, DT_i64, fn->lanes), 0};
    }
    for (uint32_t i = fn->from.n; i-- > 0;)
        if (name_eq(fn->from.at[i], n))
            return cg_sym_deep(c, fn->to.at[i]);
    if (!bound_name(c, n, &d)) {
        cg_bug(c, NULL, arena_printf(c->a, "nothing binds %s", name_text(c->g->names, n)));
        return (struct deep){cg_int(c, 0), 0};
    }
    if (d.v.t != DT_i64)
        d.v = cg_cast(c, DT_i64, d.v);
    return d;
}

/* Evaluates the operands and sorts them: uniform before varying, outer before inner. Stable. */
static uint32_t operands(struct cg *c, struct sym s, struct deep **out) {
    uint32_t n = sym_count(c->syms, s);
    struct deep *all = ARENA_ARRAY(c->a, struct deep, n);
    for (uint32_t i = 0; i < n; i++) {
        struct deep d = cg_sym_deep(c, sym_operand(c->syms, s, i));
        uint64_t key =
            (uint64_t)(d.v.lanes > 1) << 33 | (uint64_t) !!LLVMIsConstant(d.v.v) << 32 | d.depth;
        uint32_t at = i;
        for (; at > 0; at--) {
            const struct deep *p = &all[at - 1];
            uint64_t k = (uint64_t)(p->v.lanes > 1) << 33 |
                         (uint64_t) !!LLVMIsConstant(p->v.v) << 32 | p->depth;
            if (k <= key)
                break;
            all[at] = all[at - 1];
        }
        all[at] = d;
    }
    *out = all;
    return n;
}

static struct deep divide(struct cg *c, struct sym s) {
    struct sym x = sym_operand(c->syms, s, 0), y = sym_operand(c->syms, s, 1);
    bool mod = sym_kind(c->syms, s) == SYM_MOD;
    struct deep a = cg_sym_deep(c, x), b = cg_sym_deep(c, y);
    int64_t by;
    if (sym_is_const(c->syms, y, &by) && by > 0) {
        b.v = cg_widen(c, b.v, a.v.lanes);
        if ((by & (by - 1)) == 0) {
            struct deep k = b;
            k.v = cg_widen(c, cg_int(c, mod ? by - 1 : __builtin_ctzll((uint64_t)by)), a.v.lanes);
            return join(c, mod ? LLVMAnd : LLVMAShr, a, k);
        }
        if (a.v.lanes == 1 && sym_prove_nonneg(c->facts, x))
            return join(c, mod ? LLVMURem : LLVMUDiv, a, b);
    }
    struct val v = cg_op(c, mod ? OP_MOD : OP_FLOORDIV, a.v, b.v, a.v);
    return (struct deep){v, a.depth > b.depth ? a.depth : b.depth};
}

static struct deep compute(struct cg *c, struct sym s) {
    int64_t k;
    struct name n;
    struct deep *all;
    enum sym_kind kind = sym_kind(c->syms, s);
    switch (kind) {
    case SYM_CONST: sym_is_const(c->syms, s, &k); return (struct deep){cg_int(c, k), 0};
    case SYM_ATOM: sym_is_atom(c->syms, s, &n); return atom_value(c, n);
    case SYM_SUM:
    case SYM_PRODUCT: {
        uint32_t count = operands(c, s, &all);
        struct deep r = all[0];
        for (uint32_t i = 1; i < count; i++)
            r = join(c, kind == SYM_SUM ? LLVMAdd : LLVMMul, r, all[i]);
        return r;
    }
    case SYM_FLOORDIV:
    case SYM_MOD: return divide(c, s);
    case SYM_MIN:
    case SYM_MAX: {
        struct deep a = cg_sym_deep(c, sym_operand(c->syms, s, 0));
        struct deep b = cg_sym_deep(c, sym_operand(c->syms, s, 1));
        struct val v = cg_op(c, kind == SYM_MIN ? OP_MIN : OP_MAX, a.v, b.v, a.v);
        return (struct deep){v, a.depth > b.depth ? a.depth : b.depth};
    }
    }
    return (struct deep){cg_int(c, 0), 0};
}

struct deep cg_sym_deep(struct cg *c, struct sym s) {
    struct deep d;
    if (memo_get(c, s.i, &d))
        return d;
    d = compute(c, s);
    memo_put(c, s.i, d);
    return d;
}

/* A OP B, and into *BAD whether that leaves 64 bits. */
static LLVMValueRef exact_binary(struct cg *c, enum sym_kind kind, LLVMValueRef a, LLVMValueRef b,
                                 LLVMValueRef *bad) {
    LLVMValueRef args[] = {a, b};
    const char *name = kind == SYM_SUM ? "llvm.sadd.with.overflow" : "llvm.smul.with.overflow";
    LLVMValueRef pair = cg_intrinsic(c, name, &c->i64, 1, args, 2);
    *bad = LLVMBuildOr(c->b, *bad, LLVMBuildExtractValue(c->b, pair, 1, ""), "");
    return LLVMBuildExtractValue(c->b, pair, 0, "");
}

LLVMValueRef cg_sym_exact(struct cg *c, struct sym s, LLVMValueRef *bad) {
    static const enum scalar_op ops[] = {
        [SYM_FLOORDIV] = OP_FLOORDIV, [SYM_MOD] = OP_MOD, [SYM_MIN] = OP_MIN, [SYM_MAX] = OP_MAX};
    enum sym_kind kind = sym_kind(c->syms, s);
    if (kind == SYM_CONST || kind == SYM_ATOM)
        return cg_sym_scalar(c, s);
    LLVMValueRef r = cg_sym_exact(c, sym_operand(c->syms, s, 0), bad);
    for (uint32_t i = 1; i < sym_count(c->syms, s); i++) {
        LLVMValueRef x = cg_sym_exact(c, sym_operand(c->syms, s, i), bad);
        if (kind == SYM_SUM || kind == SYM_PRODUCT) {
            r = exact_binary(c, kind, r, x, bad);
            continue;
        }
        struct val a = cg_val(r, DT_i64, 1);
        r = cg_op(c, ops[kind], a, cg_val(x, DT_i64, 1), a).v;
    }
    return r;
}

struct val cg_sym(struct cg *c, struct sym s) {
    return cg_sym_deep(c, s).v;
}

LLVMValueRef cg_sym_scalar(struct cg *c, struct sym s) {
    struct val v = cg_sym(c, s);
    if (v.lanes > 1)
        cg_bug(c, NULL, "a number that must be the same in all lanes is not");
    return cg_extract(c, v, 0).v;
}

LLVMValueRef cg_address(struct cg *c, LLVMValueRef base, LLVMTypeRef element, struct sym rest) {
    bool sum = sym_kind(c->syms, rest) == SYM_SUM;
    uint32_t n = sum ? sym_count(c->syms, rest) : 1;
    struct sym part[3]; /* outer, inner, constant */
    for (int i = 0; i < 3; i++)
        part[i] = sym_const(c->syms, 0);
    for (uint32_t i = 0; i < n; i++) {
        struct sym s = sum ? sym_operand(c->syms, rest, i) : rest;
        int64_t k;
        int at = sym_is_const(c->syms, s, &k) ? 2 : cg_sym_deep(c, s).depth >= c->fn->depth;
        part[at] = sym_add(c->syms, part[at], s);
    }
    for (int i = 0; i < 3; i++) {
        int64_t k;
        if (sym_is_const(c->syms, part[i], &k) && k == 0)
            continue;
        LLVMValueRef at = cg_sym_scalar(c, part[i]);
        base = LLVMBuildGEP2(c->b, element, base, &at, 1, "");
    }
    return base;
}

static bool has_extremes(struct cg *c, struct sym s) {
    enum sym_kind k = sym_kind(c->syms, s);
    if (k == SYM_MIN || k == SYM_MAX)
        return true;
    if (k == SYM_CONST || k == SYM_ATOM)
        return false;
    for (uint32_t i = 0; i < sym_count(c->syms, s); i++)
        if (has_extremes(c, sym_operand(c->syms, s, i)))
            return true;
    return false;
}

struct sym bound(struct cg *c, struct sym s) {
    return subst(c, has_extremes(c, s) ? sym_simplify(c->facts, s) : s);
}

bool sym_uses_lane(struct cg *c, struct sym s) {
    return sym_contains(c->syms, s, c->lane);
}

void facts_assume(struct cg *c, const struct expr *condition, bool truth) {
    facts_add(c->facts, c->g, condition, truth);
}
