/* Tensors of the reference evaluator: dense arrays with one mark per element that was written.

   Note [wide elements]
   Sums and products of f16 and bf16 below a map go on in f32 until the outermost map ends that the
   tensor is declared outside of. So an element may have a wide value beside its own, which is this
   one rounded: reads need not ask, a plain write drops it, the end of the map drops all. */
#include "backends/ref/internal.h"

#include "lang/eval/site.h"

#include <string.h>

const char *tensor_name(struct ref *r, const struct tensor *t) {
    const char *text = name_text(r->ev.names, t->name);
    return text[0] ? text : "the tensor";
}

static void close_bytes(void *p) {
    mem_free(p);
}

static void close_room(void *p) {
    struct room *room = p;
    mem_free(room->bytes);
    mem_free(room->places);
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

bool ref_container(void *host, struct tensor *t, enum storage storage, const struct value *fill) {
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
    x->home = r->ev.arena;
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

bool ref_before(void *host, struct tensor *t, const struct value *fill) {
    return ref_container(host, t, STORE_NONE, fill);
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

struct diag *ref_outside(struct ref *r, const struct tensor *t, const struct value *at,
                         uint32_t bad, struct span span) {
    struct site x = site_here(&r->ev, t, span);
    return site_outside(r->ev.diags, r->ev.names, &x, at[bad].i, bad,
                        arena_printf(r->ev.arena, "%lld", (long long)real(t)->dims[bad]));
}

/* Whether the run goes on. */
static bool outside(struct ref *r, const struct tensor *t, const struct value *at, uint32_t bad,
                    struct span span) {
    if (r->checks)
        checked_outside(r, t, at, bad, span);
    else
        ref_outside(r, t, at, bad, span);
    return r->checks != NULL;
}

/* The same of element O of T, which is read and was never written. */
static bool unwritten(struct ref *r, const struct tensor *t, int64_t o, struct span span) {
    if (r->checks)
        checked_unwritten(r, t, o, span);
    else
        diag_error(r->ev.diags, span, ERR_UNWRITTEN, tensor_name(r, t));
    return r->checks != NULL;
}

bool ref_read(void *host, const struct tensor *t, const struct value *at, const struct value *other,
              struct span span, struct value *out) {
    struct ref *r = host;
    int64_t o;
    uint32_t bad;
    *out = scalar_value(t->dtype, scalar_from_i64(t->dtype, 0));
    if (r->imagined)
        return true;
    if (!offset(t, at, &o, &bad)) {
        if (!other)
            return outside(r, t, at, bad, span);
        *out = *other;
        return true;
    }
    const struct ref_data *x = &real(t)->data;
    const struct room *room = real(t)->room;
    if (r->checks)
        checked_read(r, t, o, span);
    if ((room && o >= room->elements) || (x->written && !x->written[o]))
        return unwritten(r, t, o, span);
    out->scalar = scalar_load(t->dtype, (char *)x->bytes + (size_t)o * dtypes[t->dtype].bytes);
    if (r->ev.takes)
        taped_read(r, t, o, out);
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

bool ref_write(void *host, const struct tensor *t, const struct value *at, struct value v,
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
    union scalar before = {0}, after = v.scalar;
    if (r->checks)
        checked_write(r, t, o, res, span);
    if (res != RES_NONE) {
        if (!(scalars[resolution_op(res)].operands & dtypes[t->dtype].class)) {
            diag_error(r->ev.diags, span, ERR_DTYPE_EXPECTED, resolution_names[res],
                       res == RES_AND || res == RES_OR ? "bool" : "a number type",
                       dtypes[t->dtype].name);
            return false;
        }
        if (x->written && !x->written[o]) {
            if (!unwritten(r, t, o, span))
                return false;
            scalar_store(t->dtype, p, resolution_identity(res, t->dtype));
        }
        before = scalar_load(t->dtype, p);
        after = resolve(r, real(t), t->dtype, o, res, v.scalar);
        if (r->checks)
            checked_resolved(r, t, o, res, before, v.scalar, after, span);
    } else if (real(t)->listed) {
        real(t)->is_wide[o] = 0;
    }
    if (r->ev.takes || real(t)->places)
        taped_write(r, t, o, res, before, &v, after);
    scalar_store(t->dtype, p, after);
    if (x->written)
        x->written[o] = 1;
    return true;
}

struct tensor *ref_over(struct ref *r, struct name name, enum dtype t, uint32_t rank,
                        const int64_t *dims, void *bytes) {
    struct value sizes[EVAL_MAX_RANK];
    struct ref_tensor *x = ARENA_NEW(r->arena, struct ref_tensor);
    x->rank = rank;
    x->home = r->arena;
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
        real_indices(&r->ev, x, index, at);
        uint32_t bad;
        if (!offset(x, at, &o, &bad))
            return NULL;
        if (y->data.written && !y->data.written[o]) {
            if (!unwritten(r, x, o, x->span))
                return NULL;
            memset(copy + (size_t)i * size, 0, size);
            continue;
        }
        memcpy(copy + (size_t)i * size, (char *)y->data.bytes + (size_t)o * size, size);
    }
    return copy;
}
