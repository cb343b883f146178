/* Note [carried values]
   `x = f(x)` in a loop or branch rebinds a value that stands outside. When the iterations are
   executed by the host rather than unrolled here, the value lives in a container while the loop
   runs: it is copied in before, every iteration ends by copying the new value into it, and inside
   the name stands for the container. Passes remove the copies that are not needed. */
#include "lang/eval/internal.h"

static void collect_targets(const struct ast *s, struct map *names) {
    if (!s || s->kind == AST_MAP || s->kind == AST_FN || s->kind == AST_LAYER)
        return;
    if (s->kind == AST_READ)
        map_put(names, s->name.i, 1);
    if (s->kind == AST_ASSIGN)
        for (uint32_t i = 1; i < s->nkids; i++)
            if (s->kids[i]->kind == AST_NAME)
                map_put(names, s->kids[i]->name.i, 1);
    if (s->kind == AST_UPDATE && s->kids[0]->kind == AST_NAME)
        map_put(names, s->kids[0]->name.i, 1);
    for (uint32_t i = 0; i < s->nkids; i++) /* blocks stand in expressions too */
        collect_targets(s->kids[i], names);
}

static struct binding *function_binding(struct env *env, struct name n) {
    struct env *where;
    struct binding *b = env_find(env, n, &where);
    return b && where->kind != ENV_INSTANCE && where->kind != ENV_SCRIPT ? b : NULL;
}

void carry_note(struct eval *ev, struct env *env, const struct ast *body, struct carry *c) {
    struct map names = map_new(ev->arena);
    collect_targets(body, &names);
    c->n = 0;
    c->at = ARENA_ARRAY(ev->arena, struct carried, names.n);
    for (uint32_t i = 0; i < names.n; i++) {
        struct binding *b = function_binding(env, (struct name){(uint32_t)names.entries[i].key});
        if (b)
            c->at[c->n++] = (struct carried){.binding = b, .before = b->value};
    }
}

bool carry_in(struct eval *ev, struct env *env, const struct ast *body, struct span span,
              struct carry *c) {
    struct carry all;
    carry_note(ev, env, body, &all);
    *c = (struct carry){.at = all.at}; /* those that are carried stay, in the same order */
    for (uint32_t i = 0; i < all.n; i++) {
        struct binding *b = all.at[i].binding;
        struct value v = b->value;
        if (v.kind == VAL_TENSOR && v.tensor->container && !v.tensor->carried)
            continue; /* a declared container: `=` writes it */
        struct tensor *t;
        if (v.kind == VAL_TENSOR) {
            struct value copy;
            if (!tensor_copy(ev, v.tensor, b->name, span, &copy))
                return false;
            t = copy.tensor;
        } else if (value_is_scalar(&v)) {
            enum dtype type = v.kind == VAL_SCALAR  ? v.dtype
                              : v.kind == VAL_BOOL  ? DT_bool
                              : v.kind == VAL_FLOAT ? DT_f32
                                                    : DT_i64;
            t = declare(ev, type, 0, NULL, STORE_NONE, NULL, b->name, span);
            if (!t || !to_scalar(ev, type, &v, "loop", span) ||
                !ev->ops->write(ev->host, t, NULL, v, RES_NONE, false, span))
                return false;
        } else {
            diag_error(ev->diags, span, ERR_NOT_HERE,
                       arena_printf(ev->arena, "a loop cannot change %s, which is %s",
                                    text_of(ev, b->name), value_kind_name(&v)));
            return false;
        }
        t->container = t->carried = true;
        b->value = value_tensor(t);
        c->at[c->n++] = (struct carried){.binding = b, .container = t};
    }
    return true;
}

/* The end of an iteration or branch: new values go into the containers. None of them is another
   name for one of the containers: naming those copies. */
bool carry_round(struct eval *ev, struct carry *c, struct span span) {
    for (uint32_t i = 0; i < c->n; i++) {
        struct value v = c->at[i].binding->value;
        struct tensor *t = c->at[i].container;
        if (v.kind == VAL_TENSOR && v.tensor == t)
            continue;
        bool fits = v.kind != VAL_TENSOR ? t->rank == 0 : v.tensor->rank == t->rank;
        for (uint32_t d = 0; fits && v.kind == VAL_TENSOR && d < t->rank; d++)
            fits = int_equal(ev, &v.tensor->dims[d], &t->dims[d]) == 1;
        if (!fits) {
            diag_error(ev->diags, span, ERR_NOT_HERE,
                       arena_printf(ev->arena,
                                    "%s changes its shape in a loop or branch: it is %s before, "
                                    "then %s",
                                    text_of(ev, c->at[i].binding->name), type_text(ev, t),
                                    value_text(ev, &v)));
            return false;
        }
        struct block to = block_whole(ev, t, span);
        if (!block_write(ev, &to, v, RES_NONE))
            return false;
        c->at[i].binding->value = value_tensor(t);
    }
    return true;
}

void carry_out(struct carry *c) {
    for (uint32_t i = 0; i < c->n; i++)
        c->at[i].container->container = c->at[i].container->carried = false;
}

void carry_back(struct carry *c) {
    for (uint32_t i = 0; i < c->n; i++)
        c->at[i].binding->value = c->at[i].before;
}
