/* Note [growing containers]
   `y: f32[?, D]` declares a container that grows: `v >> y[?, :]` appends a row. While it grows it
   is two containers: NAME_room, in storage `reserve`, with as many rows as ROOM_BYTES hold, and
   NAME_count, how many of them have been appended. After the last statement of its block that
   appends to it, it is complete: its size is read into a value, and the rows move to a container
   of that size, which the name means from there on. Where this is follows from the text alone, so
   it is the same for every host and every run. */
#include "lang/eval/internal.h"

#define ROOM_BYTES (INT64_C(1) << 36) /* address space, of which the rows that are written count */

static struct name part_name(struct eval *ev, struct name n, const char *part) {
    return name_lit(ev, arena_printf(ev->arena, "%s_%s", text_of(ev, n), part));
}

bool grow_declare(struct eval *ev, struct env *env, enum dtype t, uint32_t rank,
                  const struct value *dims, struct name n, struct span span) {
    struct value *room = arena_copy(ev->arena, dims, rank * sizeof *dims);
    struct value row = value_int(dtypes[t].bytes), one = value_int(1), zero = value_int(0), fill;
    struct value all = value_int(ROOM_BYTES);
    for (uint32_t d = 1; d < rank; d++)
        row = int_op(ev, INT_MUL, &row, &dims[d]);
    row = int_op(ev, INT_MAX, &row, &one);
    room[0] = int_op(ev, INT_FLOORDIV, &all, &row);
    struct tensor *x =
        declare(ev, t, rank, room, STORE_RESERVE, NULL, part_name(ev, n, "room"), span);
    if (!x || !ev->ops->constant(ev->host, DT_i64, &zero, span, &fill))
        return false;
    x->count = declare(ev, DT_i64, 0, NULL, STORE_NONE, &fill, part_name(ev, n, "count"), span);
    if (!x->count)
        return false;
    x->name = n;
    x->container = true;
    env_bind(env, n, value_tensor(x), span);
    env->growing++;
    return true;
}

bool grow_row(struct eval *ev, struct tensor *y, struct span span, struct value *row) {
    struct value v, sum[2], one = value_int(1);
    y->appended = true;
    if (!ev->ops->read(ev->host, y->count, NULL, NULL, span, &v) ||
        !ev->ops->constant(ev->host, DT_i64, &one, span, &sum[1]))
        return false;
    sum[0] = v;
    return ev->ops->integer(ev->host, &v, span, row) &&
           ev->ops->scalar(ev->host, OP_ADD, sum, span, &sum[0]) &&
           ev->ops->write(ev->host, y->count, NULL, sum[0], RES_NONE, false, span);
}

bool is_append(const struct ast *e) {
    return e->kind == AST_INDEX && e->nkids > 1 && e->kids[1]->kind == AST_ANY;
}

/* Whether E appends to the container N. */
static bool appends_to(const struct ast *e, struct name n) {
    if (!e)
        return false;
    bool found = is_append(e) && name_eq(e->kids[0]->name, n);
    for (uint32_t i = 0; i < e->nkids && !found; i++)
        found = appends_to(e->kids[i], n);
    return found;
}

static bool complete(struct eval *ev, struct binding *b) {
    struct tensor *room = b->value.tensor;
    struct span span = room->span;
    struct value n = value_int(0);
    if (room->appended && (!ev->ops->read(ev->host, room->count, NULL, NULL, span, &n) ||
                           !ev->ops->let(ev->host, part_name(ev, b->name, "found"), &n, span) ||
                           !ev->ops->integer(ev->host, &n, span, &n)))
        return false;
    struct value *dims = arena_copy(ev->arena, room->dims, room->rank * sizeof *dims);
    dims[0] = n;
    struct tensor *y = declare(ev, room->dtype, room->rank, dims, STORE_NONE, NULL, b->name, span);
    if (!y)
        return false;
    y->container = true;
    struct block to = block_whole(ev, y, span), from = block_whole(ev, room, span);
    from.count[0] = n;
    b->value = value_tensor(y);
    return !room->appended || block_copy(ev, &to, &from, RES_NONE);
}

bool grow_settle(struct eval *ev, struct env *env, const struct ast *block, uint32_t from) {
    for (uint32_t i = 0; i < env->bindings.n && env->growing; i++) {
        struct binding *b = &env->bindings.at[i];
        if (b->value.kind != VAL_TENSOR || !b->value.tensor->count)
            continue;
        bool later = false;
        for (uint32_t k = from; block && k < block->nkids && !later; k++)
            later = appends_to(block->kids[k], b->name);
        if (later)
            continue;
        env->growing--;
        if (!complete(ev, b))
            return false;
    }
    return true;
}

bool still_grows(struct eval *ev, const struct value *v, struct name n, struct span span) {
    if (v->kind != VAL_TENSOR || !v->tensor->count)
        return false;
    struct diag *d = diag_error(ev->diags, span, ERR_GROWING, text_of(ev, n));
    diag_note(ev->diags, d, v->tensor->span, "%s is declared here", text_of(ev, n));
    diag_help(ev->diags, d,
              "use it after the last statement of the block that declares it which appends to it: "
              "only then its size is known; what is appended later goes into a container of its "
              "own");
    return true;
}
