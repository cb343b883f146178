/* Nodes that are one: when all are made, a row `fold_OP` is called for each node OP, and says what
   it and those that it reads are together. It gets a value for each input: a node as

     (op, inputs, attributes, value, alone)

   with the value that it gives, and whether nothing else reads that; a list of integers, where the
   model holds it; any other value as a tensor, with its shape. The nodes of the tree that it gives
   take the node's place; `none`: it stays. */
#include "lang/export/internal.h"

#include "lang/onnx/tensor.h"

#include <ctype.h>
#include <string.h>

enum { FOLD_DEPTH = 2 };      /* of the nodes that a row sees */
enum { FOLD_LIST_MOST = 16 }; /* integers of a list */

struct fold {
    struct export *x;
    uint32_t *uses, nuses; /* by id of the value; those that are newer have none */
};

static void count_uses(struct fold *f, uint32_t nresults, struct val *const *results) {
    struct export *x = f->x;
    f->nuses = x->vals.n;
    f->uses = ARENA_ARRAY(x->arena, uint32_t, f->nuses + 1);
    for (uint32_t i = 0; i < nresults; i++)
        f->uses[results[i]->id]++;
    for (uint32_t i = 0; i < x->nodes.n; i++)
        for (uint32_t k = 0; x->nodes.at[i]->used && k < x->nodes.at[i]->n; k++)
            if (x->nodes.at[i]->in[k])
                f->uses[x->nodes.at[i]->in[k]->id]++;
}

/* The integers that the model holds as V, as a list; false if V is something else. */
static bool listed(struct export *x, const struct val *v, struct value *out) {
    const struct wire_tensor *w = v->weight;
    if (!w || v->name || onnx_element(w->data_type) != DT_i64 || w->dims.n != 1 ||
        w->dims.at[0] > FOLD_LIST_MOST)
        return false;
    *out = value_list_new(x->arena, VAL_LIST, (uint32_t)w->dims.at[0]);
    for (uint32_t i = 0; i < out->list->n; i++)
        out->list->at[i] = value_int(scalar_load(DT_i64, w->raw_data.at + 8 * i).i64);
    return true;
}

static struct value seen(const struct fold *f, struct val *v, int depth) {
    struct export *x = f->x;
    struct value out;
    if (!v)
        return (struct value){.kind = VAL_ABSENT, .dtype = DT_NONE};
    if (listed(x, v, &out))
        return out;
    const struct made *m = v->by;
    if (!m || !depth || m->out.n != 1 || v->id >= f->nuses)
        return row_value(x, v);
    out = value_list_new(x->arena, VAL_LIST, 5);
    out.tuple = true;
    struct value in = value_list_new(x->arena, VAL_LIST, m->n);
    for (uint32_t i = 0; i < m->n; i++)
        in.list->at[i] = seen(f, m->in[i], depth - 1);
    out.list->at[0] = value_str(name_of_text(x->ev.names, m->op));
    out.list->at[1] = in;
    out.list->at[2] = m->said;
    out.list->at[3] = row_value(x, v);
    out.list->at[4] = value_bool(f->uses[v->id] == 1);
    return out;
}

/* The nodes from FIRST on stand at AT instead. */
static void move_nodes(struct export *x, uint32_t first, uint32_t at) {
    uint32_t n = x->nodes.n - first;
    struct made **moved = arena_copy(x->arena, x->nodes.at + first, n * sizeof *moved);
    memmove(x->nodes.at + at + n, x->nodes.at + at, (first - at) * sizeof *moved);
    memcpy(x->nodes.at + at, moved, n * sizeof *moved);
}

/* NEW in the place of OLD, which node AT gives. */
static void replace(struct export *x, struct val *old, struct val *new, uint32_t nresults,
                    struct val **results) {
    new->hint = old->hint;
    new->name = old->name;
    old->name = NULL;
    for (uint32_t i = 0; i < x->nodes.n; i++)
        for (uint32_t k = 0; k < x->nodes.at[i]->n; k++)
            if (x->nodes.at[i]->in[k] == old)
                x->nodes.at[i]->in[k] = new;
    for (uint32_t i = 0; i < nresults; i++)
        if (results[i] == old)
            results[i] = new;
}

void fold_nodes(struct export *x, uint32_t nresults, struct val **results) {
    struct fold f = {.x = x};
    count_uses(&f, nresults, results);
    for (uint32_t i = 0; i < x->nodes.n; i++) {
        struct made *m = x->nodes.at[i];
        char *name = arena_printf(x->arena, "fold_%s", m->op);
        for (char *c = name; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        const struct ast *row = m->used && m->out.n == 1 ? row_named(x, name) : NULL;
        if (!row || row->kids[0]->nkids != m->n)
            continue;
        struct value *in = ARENA_ARRAY(x->arena, struct value, m->n);
        for (uint32_t k = 0; k < m->n; k++)
            in[k] = seen(&f, m->in[k], FOLD_DEPTH);
        uint32_t first = x->nodes.n, nvals = x->vals.n;
        struct val *new = row_fold(x, row, m->n, in);
        if (!new || new->id < nvals) /* one that is there may stand behind what reads it */
            continue;
        for (uint32_t k = first; k < x->nodes.n; k++) {
            x->nodes.at[k]->scope = m->scope;
            x->nodes.at[k]->used = true;
        }
        i += x->nodes.n - first;
        move_nodes(x, first, i - (x->nodes.n - first));
        m->used = false;
        replace(x, m->out.at[0], new, nresults, results);
    }
}
