/* The evaluator's verbs, executed: each tensor is a dense array with one mark per element that was
   written, each scalar a number. Iterations run in index order; memory that an iteration made is
   freed when it ends (see Note [iteration memory]).

   Note [wide elements]
   Sums and products of f16 and bf16 below a map go on in f32 until the outermost map ends that the
   tensor is declared outside of. So an element may have a wide value beside its own, which is this
   one rounded: reads need not ask, a plain write drops it, the end of the map drops all. */
#include "backends/ref/ref.h"

#include <string.h>

#define REF_MAX_NEST 256
#define REF_MAX_BYTES (INT64_C(1) << 36)

struct ref_memo {
    const void *key;
    struct value value;
};

struct ref_tensor;

/* The memory of a container in reserve: as much as has been written to. */
struct room {
    void *bytes;
    int64_t elements;
};

struct ref {
    struct eval ev;
    struct arena *arena;
    struct ref_script script;
    struct arena *levels[REF_MAX_NEST]; /* one per nesting of maps and loops */
    uint32_t level;
    uint32_t imagined; /* sides of branches around that do not run: see op_imagine */
    VEC(struct ref_memo) memos;
    uint32_t maps;                 /* around, now */
    VEC(struct ref_tensor *) wide; /* have wide elements */
};

/* The real sizes: those of the tensor as it was made. */
struct ref_tensor {
    struct ref_data data;
    uint32_t maps;     /* around its declaration */
    float *wide;       /* see Note [wide elements] */
    uint8_t *is_wide;  /* by element */
    bool listed;       /* some may be wide */
    struct room *room; /* in reserve: what memory there is so far; else NULL */
    int64_t count;
    uint32_t rank;
    int64_t dims[EVAL_MAX_RANK];
};

static struct ref_tensor *real(const struct tensor *t) {
    return t->impl;
}

static const char *tensor_name(struct ref *r, const struct tensor *t) {
    const char *text = name_text(r->ev.names, t->name);
    return text[0] ? text : "the tensor";
}

static struct value scalar_value(enum dtype t, union scalar s) {
    return (struct value){.kind = VAL_SCALAR, .dtype = t, .scalar = s};
}

static void close_bytes(void *p) {
    mem_free(p);
}

static void close_room(void *p) {
    mem_free(((struct room *)p)->bytes);
}

/* Memory for element O of T, which is in reserve. */
static bool make_room(struct ref *r, const struct tensor *t, int64_t o) {
    struct ref_tensor *x = real(t);
    int64_t had = x->room->elements, n = had * 2 > o + 1 ? had * 2 : o + 64;
    size_t size = dtypes[t->dtype].bytes;
    char *bytes = n <= REF_MAX_BYTES ? mem_aligned((size_t)n * (size + 1), 64) : NULL;
    if (!bytes) {
        diag_error(r->ev.diags, t->span, ERR_NO_MEMORY, tensor_name(r, t));
        return false;
    }
    if (had) {
        memcpy(bytes, x->data.bytes, (size_t)had * size);
        memcpy(bytes + (size_t)n * size, x->data.written, (size_t)had);
    }
    mem_free(x->room->bytes);
    x->room->bytes = x->data.bytes = bytes;
    x->data.written = (uint8_t *)bytes + (size_t)n * size;
    memset(x->data.written + had, 0, (size_t)(n - had));
    x->room->elements = n;
    return true;
}

static bool op_container(void *host, struct tensor *t, enum storage storage,
                         const struct value *fill) {
    struct ref *r = host;
    struct ref_tensor *x = ARENA_NEW(r->ev.arena, struct ref_tensor);
    int64_t n = 1;
    x->rank = t->rank;
    for (uint32_t d = 0; d < t->rank; d++) {
        x->dims[d] = t->dims[d].i;
        if (t->dims[d].i < 0) {
            diag_error(r->ev.diags, t->span, ERR_NEGATIVE_SIZE, tensor_name(r, t),
                       arena_printf(r->ev.arena, "%lld", (long long)t->dims[d].i));
            return false;
        }
        if (__builtin_mul_overflow(n, t->dims[d].i, &n) || n > REF_MAX_BYTES) {
            diag_error(r->ev.diags, t->span, ERR_NO_MEMORY, tensor_name(r, t));
            return false;
        }
    }
    size_t size = dtypes[t->dtype].bytes;
    x->maps = r->maps;
    x->count = n;
    t->impl = x;
    if (storage == STORE_RESERVE && !fill) {
        x->room = ARENA_NEW(r->ev.arena, struct room);
        arena_on_free(r->ev.arena, close_room, x->room);
        return true;
    }
    size_t more = dtype_is_half(t->dtype) ? sizeof *x->wide + 1 : 0;
    x->data.bytes = mem_aligned((size_t)n * (size + 1 + more) + 64, 64);
    if (!x->data.bytes) {
        diag_error(r->ev.diags, t->span, ERR_NO_MEMORY, tensor_name(r, t));
        return false;
    }
    arena_on_free(r->ev.arena, close_bytes, x->data.bytes);
    if (more) {
        x->wide = x->data.bytes;
        x->data.bytes = x->wide + n;
        x->is_wide = (uint8_t *)x->data.bytes + (size_t)n * (size + 1);
    }
    if (fill)
        for (int64_t i = 0; i < n; i++)
            scalar_store(t->dtype, (char *)x->data.bytes + (size_t)i * size, fill->scalar);
    else
        x->data.written = (uint8_t *)x->data.bytes + (size_t)n * size;
    return true;
}

static bool op_before(void *host, struct tensor *t, const struct value *fill) {
    return op_container(host, t, STORE_NONE, fill);
}

/* The offset of t[at] in elements; false if it is outside, in dimension *BAD. */
static bool offset(const struct tensor *t, const struct value *at, int64_t *out, uint32_t *bad) {
    const struct ref_tensor *x = real(t);
    int64_t o = 0;
    for (uint32_t d = 0; d < x->rank; d++) {
        if (at[d].i < 0 || at[d].i >= x->dims[d]) {
            *bad = d;
            return false;
        }
        o = o * x->dims[d] + at[d].i;
    }
    *out = o;
    return true;
}

static bool outside(struct ref *r, const struct tensor *t, const struct value *at, uint32_t bad,
                    struct span span) {
    diag_error(r->ev.diags, span, ERR_OUT_OF_BOUNDS, "this subset", tensor_name(r, t),
               arena_printf(r->ev.arena, "%lld", (long long)at[bad].i), (int)bad + 1,
               arena_printf(r->ev.arena, "%lld", (long long)real(t)->dims[bad]));
    return false;
}

static bool op_read(void *host, const struct tensor *t, const struct value *at,
                    const struct value *other, struct span span, struct value *out) {
    struct ref *r = host;
    int64_t o;
    uint32_t bad;
    if (r->imagined) {
        *out = scalar_value(t->dtype, scalar_from_i64(t->dtype, 0));
        return true;
    }
    if (!offset(t, at, &o, &bad)) {
        if (!other)
            return outside(r, t, at, bad, span);
        *out = *other;
        return true;
    }
    const struct ref_data *x = &real(t)->data;
    const struct room *room = real(t)->room;
    if ((room && o >= room->elements) || (x->written && !x->written[o])) {
        diag_error(r->ev.diags, span, ERR_UNWRITTEN, tensor_name(r, t));
        return false;
    }
    *out = scalar_value(
        t->dtype, scalar_load(t->dtype, (char *)x->bytes + (size_t)o * dtypes[t->dtype].bytes));
    return true;
}

/* Element O of X, of type T, with V by resolution RES: in f32 where the sum or product is wide. */
static union scalar resolve(struct ref *r, struct ref_tensor *x, enum dtype t, int64_t o,
                            enum resolution res, union scalar v) {
    enum dtype in = dtypes[t].arithmetic;
    char *p = (char *)x->data.bytes + (size_t)o * dtypes[t].bytes;
    union scalar args[2] = {scalar_load(t, p), v};
    bool starts = dtype_is_half(t) && r->maps > x->maps && (res == RES_SUM || res == RES_PROD);
    if (starts && !x->wide) { /* the caller's memory */
        x->wide = ARENA_ARRAY(r->arena, float, x->count);
        x->is_wide = ARENA_ARRAY(r->arena, uint8_t, x->count);
    }
    if (starts && !x->listed) {
        memset(x->is_wide, 0, (size_t)x->count);
        VEC_PUSH(r->arena, r->wide, x);
        x->listed = true;
    }
    if (!starts && !(x->listed && x->is_wide[o]))
        return scalar_eval(resolution_op(res), t, args);
    args[0] = scalar_cast(t, in, args[0]);
    args[1] = scalar_cast(t, in, v);
    if (x->is_wide[o])
        args[0].f32 = x->wide[o];
    union scalar sum = scalar_eval(resolution_op(res), in, args);
    x->is_wide[o] = 1;
    x->wide[o] = sum.f32;
    return scalar_cast(in, t, sum);
}

static bool op_write(void *host, const struct tensor *t, const struct value *at, struct value v,
                     enum resolution res, bool drop, struct span span) {
    struct ref *r = host;
    int64_t o;
    uint32_t bad;
    if (r->imagined)
        return true;
    if (!offset(t, at, &o, &bad))
        return drop || outside(r, t, at, bad, span);
    const struct room *room = real(t)->room;
    if (room && o >= room->elements && !make_room(r, t, o))
        return false;
    const struct ref_data *x = &real(t)->data;
    char *p = (char *)x->bytes + (size_t)o * dtypes[t->dtype].bytes;
    if (res != RES_NONE) {
        if (!(scalars[resolution_op(res)].operands & dtypes[t->dtype].class)) {
            diag_error(r->ev.diags, span, ERR_DTYPE_EXPECTED, resolution_names[res],
                       res == RES_AND || res == RES_OR ? "bool" : "a number type",
                       dtypes[t->dtype].name);
            return false;
        }
        if (x->written && !x->written[o]) {
            diag_error(r->ev.diags, span, ERR_UNWRITTEN, tensor_name(r, t));
            return false;
        }
        v.scalar = resolve(r, real(t), t->dtype, o, res, v.scalar);
    } else if (real(t)->listed) {
        real(t)->is_wide[o] = 0;
    }
    scalar_store(t->dtype, p, v.scalar);
    if (x->written)
        x->written[o] = 1;
    return true;
}

static bool op_scalar(void *host, enum scalar_op op, const struct value *args, struct span span,
                      struct value *out) {
    (void)host;
    (void)span;
    union scalar a[3];
    for (unsigned i = 0; i < scalars[op].arity; i++)
        a[i] = args[i].scalar;
    enum dtype t = args[op == OP_SELECT ? 1 : 0].dtype;
    *out = scalar_value(scalars[op].result == RESULT_BOOL ? DT_bool : t, scalar_eval(op, t, a));
    return true;
}

static bool op_cast(void *host, enum dtype to, const struct value *v, struct span span,
                    struct value *out) {
    (void)host;
    (void)span;
    *out = scalar_value(to, scalar_cast(v->dtype, to, v->scalar));
    return true;
}

static bool op_constant(void *host, enum dtype t, const struct value *v, struct span span,
                        struct value *out) {
    (void)host;
    (void)span;
    union scalar s;
    if (v->kind == VAL_BOOL)
        s.b = v->b;
    else
        s = v->kind == VAL_INT ? scalar_from_i64(t, v->i) : scalar_from_f64(t, v->f);
    *out = scalar_value(t, s);
    return true;
}

static bool op_integer(void *host, const struct value *scalar, struct span span,
                       struct value *out) {
    (void)host;
    (void)span;
    *out = value_int(scalar_cast(scalar->dtype, DT_i64, scalar->scalar).i64);
    return true;
}

static bool op_let(void *host, struct name n, struct value *v, struct span span) {
    (void)host;
    (void)n;
    (void)v;
    (void)span;
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
static bool iterate(struct ref *r, uint32_t n, const struct eval_range *range, struct span span,
                    eval_body *body, void *data) {
    struct value index[EVAL_MAX_RANK * 2];
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
    for (bool more = true; ok && more;) {
        if (r->script.stop && *r->script.stop) {
            diag_error(r->ev.diags, span, ERR_INTERRUPTED);
            ok = false;
            break;
        }
        r->ev.arena = mine;
        ok = body(data, index);
        r->ev.arena = outer;
        arena_reset(mine);
        more = false;
        for (uint32_t k = n; k-- > 0 && !more;) {
            more = !__builtin_add_overflow(index[k].i, range[k].step.i, &index[k].i) &&
                   index[k].i < range[k].hi.i;
            if (!more)
                index[k] = range[k].lo;
        }
    }
    r->level--;
    return ok;
}

static bool op_map(void *host, uint32_t n, const struct eval_range *range, bool unique,
                   struct span span, eval_body *body, void *data) {
    struct ref *r = host;
    (void)unique;
    r->maps++;
    bool ok = iterate(r, n, range, span, body, data);
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
    return iterate(host, 1, range, span, body, data);
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
    while (ok && (ok = op_read(host, condition, NULL, NULL, span, &go)) && go.scalar.b) {
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
    (void)host;
    (void)span;
    return condition->scalar.b ? then(data, NULL) : otherwise(data, NULL);
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

static struct tensor *over(struct ref *r, struct name name, enum dtype t, uint32_t rank,
                           const int64_t *dims, void *bytes) {
    struct value sizes[EVAL_MAX_RANK];
    struct ref_tensor *x = ARENA_NEW(r->arena, struct ref_tensor);
    x->rank = rank;
    x->data.bytes = bytes;
    x->count = 1;
    for (uint32_t d = 0; d < rank; d++) {
        x->dims[d] = dims[d];
        x->count *= dims[d];
        sizes[d] = value_int(dims[d]);
    }
    struct arena *now = r->ev.arena;
    r->ev.arena = r->arena; /* it stays for the whole run */
    struct tensor *out = tensor_of(&r->ev, t, rank, sizes, (struct span){0});
    r->ev.arena = now;
    out->impl = x;
    out->name = name;
    return out;
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
    struct tensor *t = over(r, s->path, s->dtype, s->rank, s->dims, bytes);
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
    struct tensor *x = over(r, t->name, t->dtype, t->rank, dims, bytes);
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

static bool op_keep_begin(void *host) {
    (void)host;
    return true;
}

static void op_keep_end(void *host, struct grad_call *call) {
    (void)host;
    (void)call;
}

static bool op_gradient(void *host, const struct tensor *loss, uint32_t n,
                        struct tensor *const *wrt, struct tensor **out, struct span span) {
    struct ref *r = host;
    (void)loss;
    (void)n;
    (void)wrt;
    (void)out;
    diag_error(r->ev.diags, span, ERR_BACKEND,
               "the reference evaluator has no gradients: use the back-end cpu");
    return false;
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
    .container = op_container,
    .before = op_before,
    .read = op_read,
    .write = op_write,
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
    .gradient = op_gradient,
    .keep_begin = op_keep_begin,
    .keep_end = op_keep_end,
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
                          .vector_registers = vector_registers};
    arena_on_free(a, close_levels, r);
    return r;
}

struct eval *ref_eval(struct ref *r) {
    return &r->ev;
}

struct value ref_tensor(struct ref *r, struct name name, enum dtype t, uint32_t rank,
                        const int64_t *dims, void *bytes, bool inout) {
    struct tensor *x = over(r, name, t, rank, dims, bytes);
    x->container = inout;
    x->read_only = !inout;
    return value_tensor(x);
}

const void *ref_bytes(struct ref *r, const struct value *v, enum dtype *t, uint32_t *rank,
                      int64_t *dims) {
    *t = v->dtype;
    *rank = 0;
    if (v->kind == VAL_SCALAR) {
        char *p = arena_alloc(r->arena, 8);
        scalar_store(v->dtype, p, v->scalar);
        return p;
    }
    const struct tensor *x = v->tensor;
    size_t size = dtypes[x->dtype].bytes;
    int64_t n = 1;
    *rank = x->rank;
    for (uint32_t d = 0; d < x->rank; d++)
        n *= dims[d] = x->dims[d].i;
    const struct ref_tensor *y = real(x);
    char *copy = arena_alloc(r->arena, (size_t)n * size);
    struct value index[EVAL_MAX_RANK], at[EVAL_MAX_RANK];
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, o = 0;
        for (uint32_t d = x->rank; d-- > 0; rest /= dims[d])
            index[d] = value_int(rest % dims[d]);
        real_indices(x, index, at);
        uint32_t bad;
        if (!offset(x, at, &o, &bad))
            return NULL;
        if (y->data.written && !y->data.written[o]) {
            diag_error(r->ev.diags, x->span, ERR_UNWRITTEN, tensor_name(r, x));
            return NULL;
        }
        memcpy(copy + (size_t)i * size, (char *)y->data.bytes + (size_t)o * size, size);
    }
    return copy;
}
