/* The evaluator's verbs, executed: each tensor is a dense array with one mark per element that was
   written, each scalar a number. Iterations run in index order; memory that an iteration made is
   freed when it ends (see Note [iteration memory]). */
#include "backends/ref/ref.h"

#include "backends/ref/internal.h"

#include <string.h>

/* Whether a part of OP of integers leaves 64 bits: what is computed from it is no size, as it is
   none where a compiled function computes with the exact values. */
static bool wraps(enum scalar_op op, const struct value *args) {
    int64_t r, a = args[0].scalar.i64, b = args[1].scalar.i64;
    bool marked = false;
    for (unsigned i = 0; i < scalars[op].arity; i++)
        marked = marked || args[i].wrapped;
    switch (op) {
    case OP_ADD: return __builtin_add_overflow(a, b, &r) || marked;
    case OP_SUB: return __builtin_sub_overflow(a, b, &r) || marked;
    case OP_MUL: return __builtin_mul_overflow(a, b, &r) || marked;
    case OP_FLOORDIV:
    case OP_MOD:
    case OP_MIN:
    case OP_MAX: return marked;
    default: return false;
    }
}

static bool op_scalar(void *host, enum scalar_op op, const struct value *args, struct span span,
                      struct value *out) {
    struct ref *r = host;
    union scalar a[3] = {{0}};
    for (unsigned i = 0; i < scalars[op].arity; i++)
        a[i] = args[i].scalar;
    enum dtype t = args[op == OP_SELECT ? 1 : 0].dtype;
    struct value result =
        scalar_value(scalars[op].result == RESULT_BOOL ? DT_bool : t, scalar_eval(op, t, a));
    if (t == DT_i64 && scalars[op].arity == 2)
        result.wrapped = wraps(op, args);
    if (r->ev.takes)
        taped_scalar(r, op, args, &result);
    if (r->checks)
        checked_scalar(r, op, t, a, result.scalar, span);
    *out = result;
    return true;
}

static bool op_cast(void *host, enum dtype to, const struct value *v, struct span span,
                    struct value *out) {
    struct ref *r = host;
    const struct value from = *v;
    *out = scalar_value(to, scalar_cast(from.dtype, to, from.scalar));
    if (dtype_is_float(to) && dtype_is_float(from.dtype))
        out->place = from.place;
    if (r->checks)
        checked_cast(r, to, &from, out->scalar, span);
    return true;
}

static bool op_constant(void *host, enum dtype t, const struct value *v, struct span span,
                        struct value *out) {
    (void)host;
    (void)span;
    *out = scalar_value(t, value_as(t, v));
    out->wrapped = v->wrapped;
    return true;
}

static bool op_integer(void *host, const struct value *scalar, struct span span,
                       struct value *out) {
    (void)host;
    (void)span;
    *out = value_int(scalar_cast(scalar->dtype, DT_i64, scalar->scalar).i64);
    out->wrapped = scalar->wrapped;
    return true;
}

/* What is named is what the program has computed, whatever it was computed of. */
static bool op_let(void *host, struct name n, struct value *v, struct span span) {
    (void)host;
    (void)n;
    (void)span;
    v->wrapped = false;
    return true;
}

static void op_hint(void *host, struct tensor *t, struct name n) {
    (void)host;
    (void)t;
    (void)n;
}

/* Note [iteration memory]
   What an iteration makes (containers, lists, scopes) dies with it: only writes to containers that
   stood before remain. So the evaluator's arena is exchanged for one of this level, which is
   emptied after every iteration. */
static bool iterate(struct ref *r, uint32_t n, const struct eval_range *range, bool map,
                    bool unique, struct span span, eval_body *body, void *data) {
    struct value index[EVAL_MAX_RANK * 2];
    struct turns turns = {.n = n, .range = range, .index = index};
    if (n > EVAL_MAX_RANK * 2 || r->level >= REF_MAX_NEST) {
        diag_error(r->ev.diags, span, ERR_NESTING, REF_MAX_NEST);
        return false;
    }
    if (r->imagined)
        return true;
    for (uint32_t k = 0; k < n; k++) {
        index[k] = range[k].lo;
        if (range[k].hi.i <= range[k].lo.i)
            return true;
    }
    struct arena *outer = r->ev.arena;
    if (!r->levels[r->level])
        r->levels[r->level] = arena_new();
    struct arena *mine = r->levels[r->level++];
    bool ok = true;
    if (r->checks)
        checked_loop_begin(r, &turns, map, unique, span);
    for (bool more = true; ok && more;) {
        if (r->checks)
            checked_turn(r);
        if (r->script.stop && *r->script.stop) {
            diag_error(r->ev.diags, span, ERR_INTERRUPTED);
            ok = false;
            break;
        }
        r->ev.arena = mine;
        ok = body(data, index);
        r->ev.arena = outer;
        if (r->checks && !ok)
            checked_failure(r);
        arena_reset(mine);
        more = false;
        for (uint32_t k = n; k-- > 0 && !more;) {
            more = !__builtin_add_overflow(index[k].i, range[k].step.i, &index[k].i) &&
                   index[k].i < range[k].hi.i;
            if (!more)
                index[k] = range[k].lo;
        }
    }
    if (r->checks)
        checked_loop_end(r);
    r->level--;
    return ok;
}

static bool op_map(void *host, uint32_t n, const struct eval_range *range, bool unique,
                   struct span span, eval_body *body, void *data) {
    struct ref *r = host;
    r->maps++;
    bool ok = iterate(r, n, range, true, unique, span, body, data);
    r->maps--;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->wide.n; i++) {
        if (r->wide.at[i]->maps < r->maps)
            r->wide.at[kept++] = r->wide.at[i];
        else
            r->wide.at[i]->listed = false;
    }
    r->wide.n = kept;
    return ok;
}

static bool op_loop(void *host, const struct eval_range *range, struct span span, eval_body *body,
                    void *data) {
    return iterate(host, 1, range, false, false, span, body, data);
}

static bool op_repeat(void *host, const struct tensor *condition, struct span span, eval_body *body,
                      void *data) {
    struct ref *r = host;
    struct value go;
    if (r->level >= REF_MAX_NEST) {
        diag_error(r->ev.diags, span, ERR_NESTING, REF_MAX_NEST);
        return false;
    }
    struct arena *outer = r->ev.arena;
    if (!r->levels[r->level])
        r->levels[r->level] = arena_new();
    struct arena *mine = r->levels[r->level++];
    bool ok = true;
    while (ok && (ok = ref_read(host, condition, NULL, NULL, span, &go)) && go.scalar.b) {
        if (r->script.stop && *r->script.stop) {
            diag_error(r->ev.diags, span, ERR_INTERRUPTED);
            ok = false;
            break;
        }
        r->ev.arena = mine;
        ok = body(data, NULL);
        r->ev.arena = outer;
        arena_reset(mine);
    }
    r->level--;
    return ok;
}

static bool op_branch(void *host, const struct value *condition, struct span span, eval_body *then,
                      eval_body *otherwise, void *data) {
    struct ref *r = host;
    (void)span;
    r->branches++;
    bool ok = condition->scalar.b ? then(data, NULL) : otherwise(data, NULL);
    r->branches--;
    return ok;
}

static void op_imagine(void *host, eval_body *side, void *data) {
    struct ref *r = host;
    struct diags *told = r->ev.diags, nothing;
    diags_init(&nothing, r->ev.arena, told->sources);
    r->ev.diags = &nothing;
    r->imagined++;
    side(data, NULL);
    r->imagined--;
    r->ev.diags = told;
}

static bool op_require(void *host, const struct value *condition, const char *text,
                       struct span span) {
    struct ref *r = host;
    if (r->imagined)
        return true;
    if (!condition->scalar.b)
        diag_error(r->ev.diags, span, ERR_CHECK_FAILED, text);
    return condition->scalar.b;
}

static bool remembered(struct ref *r, const void *key, struct value *out) {
    for (uint32_t i = 0; i < r->memos.n; i++)
        if (r->memos.at[i].key == key) {
            *out = r->memos.at[i].value;
            return true;
        }
    return false;
}

static void remember(struct ref *r, const void *key, struct value v) {
    struct ref_memo m = {key, v};
    VEC_PUSH(r->arena, r->memos, m);
}

static bool op_state(void *host, struct state *s, struct value *out) {
    struct ref *r = host;
    if (remembered(r, s, out))
        return true;
    void *bytes = r->script.state_bytes ? r->script.state_bytes(r->script.data, s) : NULL;
    if (!bytes) {
        diag_error(r->ev.diags, s->def->span, ERR_UNWRITTEN, name_text(r->ev.names, s->path));
        return false;
    }
    struct tensor *t = ref_over(r, s->path, s->dtype, s->rank, s->dims, bytes);
    t->read_only = true;
    t->live = true; /* minimize writes it */
    *out = value_tensor(t);
    remember(r, s, *out);
    return true;
}

static bool op_import(void *host, const struct value *v, struct value *out) {
    struct ref *r = host;
    if (remembered(r, v->tensor, out))
        return true;
    const struct tensor *t = v->tensor;
    void *bytes = r->script.tensor_bytes ? r->script.tensor_bytes(r->script.data, t) : NULL;
    int64_t dims[EVAL_MAX_RANK];
    for (uint32_t d = 0; d < t->rank; d++)
        dims[d] = t->dims[d].i;
    if (!bytes) { /* of this run, or there is no memory for it */
        *out = *v;
        return !t->data;
    }
    struct tensor *x = ref_over(r, t->name, t->dtype, t->rank, dims, bytes);
    x->container = t->container;
    x->read_only = !t->container;
    *out = value_tensor(x);
    remember(r, t, *out);
    return true;
}

static bool op_concrete(void *host, struct value *v, struct span span) {
    struct ref *r = host;
    if (r->script.concrete)
        return r->script.concrete(r->script.data, v, span);
    if (v->kind == VAL_SCALAR && v->dtype == DT_bool)
        *v = value_bool(v->scalar.b);
    return true;
}

static bool op_new_state(void *host, struct state *s, const struct value *init, struct span span) {
    struct ref *r = host;
    return !r->script.new_state || r->script.new_state(r->script.data, s, init, span);
}

static bool op_writable(void *host, struct tensor *t, struct span span) {
    (void)host;
    (void)t;
    (void)span;
    return true;
}

static bool op_has_builtin(void *host, struct name n) {
    struct ref *r = host;
    return r->script.has_builtin && r->script.has_builtin(r->script.data, n);
}

static bool op_builtin(void *host, struct name n, uint32_t nargs, const struct value *args,
                       const struct name *keywords, struct span span, struct value *out) {
    struct ref *r = host;
    return r->script.builtin(r->script.data, n, nargs, args, keywords, span, out);
}

static const struct eval_ops verbs = {
    .container = ref_container,
    .before = ref_before,
    .read = ref_read,
    .write = ref_write,
    .complete = checked_result,
    .scalar = op_scalar,
    .cast = op_cast,
    .constant = op_constant,
    .integer = op_integer,
    .let = op_let,
    .share = op_let,
    .hint = op_hint,
    .map = op_map,
    .loop = op_loop,
    .repeat = op_repeat,
    .branch = op_branch,
    .imagine = op_imagine,
    .require = op_require,
    .state = op_state,
    .new_state = op_new_state,
    .gradient = taped_gradient,
    .keep_begin = taped_keep_begin,
    .keep_end = taped_keep_end,
    .writable = op_writable,
    .import = op_import,
    .concrete = op_concrete,
    .builtin = op_builtin,
    .has_builtin = op_has_builtin,
};

static void close_levels(void *data) {
    struct ref *r = data;
    for (uint32_t i = 0; i < REF_MAX_NEST; i++)
        arena_free(r->levels[i]);
}

struct ref *ref_begin(struct arena *a, struct names *names, struct sym_ctx *syms, struct diags *d,
                      const struct module *prelude, uint32_t vector_bytes,
                      uint32_t vector_registers, const struct ref_script *script) {
    struct ref *r = ARENA_NEW(a, struct ref);
    r->arena = a;
    if (script)
        r->script = *script;
    r->ev = (struct eval){.arena = a,
                          .names = names,
                          .syms = syms,
                          .diags = d,
                          .ops = &verbs,
                          .host = r,
                          .prelude = prelude,
                          .vector_bytes = vector_bytes,
                          .vector_registers = vector_registers,
                          .runs = true,
                          .plain = true,
                          .outside_told = r->script.told != NULL};
    arena_on_free(a, close_levels, r);
    if (r->script.told)
        checks_begin(r);
    return r;
}

struct eval *ref_eval(struct ref *r) {
    return &r->ev;
}

struct value ref_tensor(struct ref *r, struct name name, enum dtype t, uint32_t rank,
                        const int64_t *dims, void *bytes, bool inout) {
    struct tensor *x = ref_over(r, name, t, rank, dims, bytes);
    x->container = inout;
    x->read_only = !inout;
    return value_tensor(x);
}
