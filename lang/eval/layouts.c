/* Layouts of containers: evaluated where they are declared, kept with the tensor, and the same for
   whoever reads or writes: subscripts stay those of the dimensions. A host that stores by layouts
   asks for sizes and indices of the parts (layout_size, layout_index). */
#include "lang/eval/internal.h"

_Static_assert(EVAL_MAX_RANK == sizeof((struct layout){0}.part) / sizeof(struct layout_part),
               "a layout has room for the dimensions of a tensor");

static bool divisor(struct eval *ev, struct env *env, const struct ast *e, int64_t *out) {
    struct value v;
    if (!eval_expr(ev, env, e, &v))
        return false;
    if (v.kind == VAL_SYM || v.kind == VAL_SCALAR) {
        diag_error(ev->diags, e->span, ERR_STATIC_EXPECTED, "a number in a layout");
        return false;
    }
    *out = v.kind == VAL_INT ? v.i : 0;
    if (*out <= 0)
        diag_error(ev->diags, e->span, ERR_LAYOUT,
                   arena_printf(ev->arena, "a number in it is whole and positive, not %s",
                                value_text(ev, &v)));
    return *out > 0;
}

static bool one_part(struct eval *ev, struct env *env, const struct ast *layout,
                     const struct ast *e, struct layout_part *out) {
    *out = (struct layout_part){.divisor = 1};
    if (e->kind == AST_BINARY && e->op == AOP_MOD) {
        if (!divisor(ev, env, e->kids[1], &out->modulus))
            return false;
        e = e->kids[0];
    }
    if (e->kind == AST_BINARY) {
        if (!divisor(ev, env, e->kids[1], &out->divisor))
            return false;
        e = e->kids[0];
    }
    while (!name_eq(layout->kids[out->dim]->name, e->name))
        out->dim++;
    return true;
}

/* A part modulo 1 says nothing: n%1 is 0. */
static bool counts(const struct layout_part *p, uint32_t dim) {
    return p->dim == dim && p->modulus != 1;
}

/* The part of dimension DIM whose divisor is the smallest from LEAST on; NULL if there is none. */
static const struct layout_part *part_from(const struct layout *l, uint32_t dim, int64_t least) {
    const struct layout_part *found = NULL;
    for (uint32_t k = 0; k < l->n; k++) {
        const struct layout_part *p = &l->part[k];
        if (counts(p, dim) && p->divisor >= least && (!found || p->divisor < found->divisor))
            found = p;
    }
    return found;
}

/* Whether the parts of DIM are a mixed radix: each index is one combination of them, and each
   element has one place. */
static bool is_complete(const struct layout *l, uint32_t dim) {
    uint32_t parts = 0, seen = 0;
    int64_t next = 1;
    for (uint32_t k = 0; k < l->n; k++)
        parts += counts(&l->part[k], dim);
    for (;;) {
        const struct layout_part *p = part_from(l, dim, next);
        if (!p || p->divisor != next)
            return false;
        seen++;
        if (p->modulus == 0)
            return seen == parts;
        if (__builtin_mul_overflow(p->divisor, p->modulus, &next))
            return false;
    }
}

static const char *parts_text(struct eval *ev, const struct layout *l, uint32_t dim,
                              const char *name) {
    struct buf b = buf_new(ev->arena);
    for (uint32_t k = 0; k < l->n; k++) {
        const struct layout_part *p = &l->part[k];
        if (p->dim != dim)
            continue;
        buf_printf(&b, "%s%s", b.n ? ", " : "", name);
        if (p->divisor != 1)
            buf_printf(&b, "//%lld", (long long)p->divisor);
        if (p->modulus)
            buf_printf(&b, "%%%lld", (long long)p->modulus);
    }
    return b.n ? b.at : "";
}

static bool is_row_major(const struct layout *l, uint32_t rank) {
    bool plain = l->n == rank;
    for (uint32_t k = 0; plain && k < l->n; k++)
        plain = l->part[k].dim == k && l->part[k].modulus == 0;
    return plain;
}

bool eval_layout(struct eval *ev, struct env *env, const struct ast *node, uint32_t rank,
                 const struct layout **out) {
    const struct ast *e = ast_layout(node);
    *out = NULL;
    if (!e)
        return true;
    uint32_t names = (uint32_t)e->integer, n = e->nkids - names;
    if (names != rank) { /* of a pack, which another call may give as many as are named */
        diag_error(ev->diags, e->span, ERR_VALUE,
                   arena_printf(ev->arena, "the layout names %u dimension%s of %u", names,
                                plural(names), rank));
        return false;
    }
    if (n > EVAL_MAX_RANK) {
        diag_error(ev->diags, e->span, ERR_LAYOUT,
                   arena_printf(ev->arena, "%u parts: at most %d are possible", n, EVAL_MAX_RANK));
        return false;
    }
    struct layout *l = ARENA_NEW(ev->arena, struct layout);
    for (l->n = 0; l->n < n; l->n++)
        if (!one_part(ev, env, e, e->kids[names + l->n], &l->part[l->n]))
            return false;
    for (uint32_t d = 0; d < rank; d++) {
        if (is_complete(l, d))
            continue;
        const char *name = text_of(ev, e->kids[d]->name), *parts = parts_text(ev, l, d, name);
        struct diag *m = diag_error(
            ev->diags, e->span, ERR_LAYOUT,
            *parts ? arena_printf(ev->arena, "%s do not give each %s one place", parts, name)
                   : arena_printf(ev->arena, "%s stands in no part", name));
        diag_help(ev->diags, m,
                  "all of a dimension is n, or n//16 and n%%16, or n//64, n//16%%4 "
                  "and n%%16");
        return false;
    }
    if (!ev->plain && !is_row_major(l, rank))
        *out = l;
    return true;
}

bool layout_equal(const struct layout *x, const struct layout *y) {
    if (!x || !y || x->n != y->n)
        return x == y;
    for (uint32_t k = 0; k < x->n; k++)
        if (x->part[k].dim != y->part[k].dim || x->part[k].divisor != y->part[k].divisor ||
            x->part[k].modulus != y->part[k].modulus)
            return false;
    return true;
}

struct value layout_size(struct eval *ev, const struct layout *l, uint32_t k,
                         const struct value *dims) {
    const struct layout_part *p = &l->part[k];
    if (p->modulus)
        return value_int(p->modulus);
    struct value by = value_int(p->divisor), round = value_int(p->divisor - 1);
    struct value n = int_op(ev, INT_ADD, &dims[p->dim], &round);
    return int_op(ev, INT_FLOORDIV, &n, &by);
}

struct value layout_index(struct eval *ev, const struct layout *l, uint32_t k,
                          const struct value *at) {
    const struct layout_part *p = &l->part[k];
    struct value by = value_int(p->divisor), of = value_int(p->modulus);
    struct value i = int_op(ev, INT_FLOORDIV, &at[p->dim], &by);
    return p->modulus ? int_op(ev, INT_MOD, &i, &of) : i;
}

bool lay_out_argument(struct eval *ev, struct env *env, const struct ast *param, struct value *v,
                      struct span span) {
    const struct layout *l;
    if (v->kind != VAL_TENSOR)
        return true;
    struct tensor *t = v->tensor;
    if (!eval_layout(ev, env, param, t->rank, &l))
        return false;
    if (ev->plain || (!t->map && layout_equal(l, t->layout)))
        return true;
    struct tensor *c =
        declare_laid(ev, t->dtype, t->rank, t->dims, l, STORE_NONE, NULL, param->name, span);
    if (!c)
        return false;
    c->container = true;
    struct block to = block_whole(ev, c, span), from = block_whole(ev, t, span);
    bool ok = block_copy(ev, &to, &from, RES_NONE);
    c->container = false;
    *v = value_tensor(c);
    return ok;
}
