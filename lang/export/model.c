/* Nodes and initializers. What is made of the same things is made once, so whoever asks for a node
   need not know whether it is there. At the end only what the results need is written. */
#include "lang/export/internal.h"

#include "lang/onnx/tensor.h"

#include <ctype.h>
#include <string.h>

static void refuse(struct export *x, struct span span, const char *text, const char *help) {
    /* What stands in the library is told where the program calls it. */
    for (const struct calling *c = x->ev.frame; c; c = c->outer)
        if (!c->module->prelude)
            span = c->span;
    for (uint32_t i = 0; i < x->problems.n; i++)
        if (span_eq(x->problems.at[i].span, span) && strcmp(x->problems.at[i].text, text) == 0)
            return;
    VEC_PUSH(x->arena, x->problems, ((struct problem){span, text, help}));
}

void export_refuse(struct export *x, struct span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(x->arena, format, args);
    va_end(args);
    refuse(x, span, text, NULL);
}

void export_broken(struct export *x, const char *text) {
    if (!x->ev.diags->errors)
        diag_error(x->ev.diags, x->ev.frame ? x->ev.frame->span : (struct span){0}, ERR_INTERNAL,
                   arena_printf(x->arena, "export of %s: %s", x->order.name, text));
}

struct open_size {
    struct export *x;
    struct name name; /* of the first that is found */
    bool found;
};

static void open_atom(void *data, struct name n) {
    struct open_size *o = data;
    const struct meaning *m = integer_meaning(o->x, n);
    if (!o->found && m && m->of && m->of->input && m->dim >= 0) {
        o->found = true;
        o->name = n;
    }
}

/* Option --shape for IN, with a number in the place of the size N. */
static void tell_shape(struct export *x, const struct taken *in, struct name n, struct buf *out) {
    enum { SOME_SIZE = 16 }; /* for an example */
    buf_printf(out, " --shape '%s=%s", in->val->name, dtypes[in->type].name);
    for (uint32_t d = 0; d < in->rank; d++) {
        struct name at;
        struct value size = in->dims[d];
        if (size.kind == VAL_SYM && sym_is_atom(x->ev.syms, size.sym, &at) && name_eq(at, n))
            size = value_int(SOME_SIZE);
        buf_text(out, d ? ", " : "[");
        value_print(&x->ev, &size, out);
    }
    buf_text(out, in->rank ? "]'" : "'");
}

void export_refuse_open(struct export *x, struct span span, struct sym s, const char *text) {
    struct open_size o = {.x = x};
    struct buf help = buf_new(x->arena);
    sym_atoms(x->ev.syms, s, open_atom, &o);
    if (o.found)
        buf_printf(&help, "it is known if %s is:", name_text(x->ev.names, o.name));
    for (uint32_t i = 0; o.found && i < x->inputs.n; i++)
        tell_shape(x, &x->inputs.at[i], o.name, &help);
    refuse(x, span, text, o.found ? help.at : NULL);
}

struct val *model_val(struct export *x) {
    struct val *v = ARENA_NEW(x->arena, struct val);
    v->id = x->vals.n;
    VEC_PUSH(x->arena, x->vals, v);
    return v;
}

/* The value that is KEY, or a place for it: then (*at)->val is NULL. */
static struct known *look_up(struct export *x, const struct buf *key) {
    uint64_t hash = hash_bytes(key->at, key->n, 0), first = 0;
    map_get(&x->by_hash, hash, &first);
    for (uint64_t i = first; i; i = x->known.at[i - 1].next) {
        struct known *k = &x->known.at[i - 1];
        if (k->n == key->n && memcmp(k->key, key->at, key->n) == 0)
            return k;
    }
    struct known k = {.hash = hash, .key = key->at, .n = key->n, .next = (uint32_t)first};
    VEC_PUSH(x->arena, x->known, k);
    map_put(&x->by_hash, hash, x->known.n);
    return &x->known.at[x->known.n - 1];
}

static struct val *output_of(struct export *x, struct made *node, uint32_t out) {
    while (node->out.n <= out) {
        struct val *v = model_val(x);
        v->by = node;
        VEC_PUSH(x->arena, node->out, v);
    }
    return node->out.at[out];
}

static void key_attribute(struct buf *key, const struct wire_attribute *a) {
    buf_bytes(key, a->name.at, a->name.n);
    buf_printf(key, "=%lld %.9g ", (long long)a->i, (double)a->f);
    buf_bytes(key, a->s.at, a->s.n);
    for (uint32_t i = 0; i < a->ints.n; i++)
        buf_printf(key, ",%lld", (long long)a->ints.at[i]);
    for (uint32_t i = 0; i < a->floats.n; i++)
        buf_printf(key, ",%.9g", (double)a->floats.at[i]);
    for (uint32_t i = 0; i < a->strings.n; i++) {
        buf_text(key, ",");
        buf_bytes(key, a->strings.at[i].at, a->strings.at[i].n);
    }
    buf_text(key, ";");
}

/* The instance whose method is being evaluated, as PyTorch's exports have it: of blocks.0.conv
   /blocks.0/conv. */
static const char *scope_here(const struct export *x) {
    for (const struct calling *c = x->ev.frame; c; c = c->outer) {
        if (!c->self)
            continue;
        char *path = arena_printf(x->arena, "/%s", name_text(x->ev.names, c->self->path));
        for (char *at = path; *at; at++)
            if (*at == '.' && !isdigit((unsigned char)at[1]))
                *at = '/';
        return path[1] ? path : "";
    }
    return "";
}

struct val *model_node(struct export *x, const char *op, const char *domain, uint32_t n,
                       struct val *const *in, uint32_t nattributes,
                       struct wire_attribute *const *attributes, uint32_t out) {
    struct buf key = buf_new(x->arena);
    buf_printf(&key, "node %s %s", op, domain);
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&key, " %ld", in[i] ? (long)in[i]->id : -1L);
    buf_text(&key, ":");
    for (uint32_t i = 0; i < nattributes; i++)
        key_attribute(&key, attributes[i]);
    struct known *k = look_up(x, &key);
    if (k->val)
        return output_of(x, k->val->by, out);
    struct made *node = ARENA_NEW(x->arena, struct made);
    *node = (struct made){.op = op, .domain = domain, .scope = scope_here(x), .n = n};
    node->in = arena_copy(x->arena, in, n * sizeof *in);
    for (uint32_t i = 0; i < nattributes; i++)
        VEC_PUSH(x->arena, node->attributes, attributes[i]);
    VEC_PUSH(x->arena, x->nodes, node);
    k->val = output_of(x, node, 0);
    return output_of(x, node, out);
}

struct val *model_weight(struct export *x, const char *name, enum dtype t, uint32_t rank,
                         const int64_t *dims, const void *bytes) {
    enum { COMPARED = 1 << 16 }; /* bytes: larger ones are not held against each other */
    size_t size = dtypes[t].bytes;
    for (uint32_t d = 0; d < rank; d++)
        size *= (size_t)dims[d];
    struct known *k = NULL;
    if (!name && size <= COMPARED) {
        struct buf key = buf_new(x->arena);
        buf_printf(&key, "weight %s", dtypes[t].name);
        for (uint32_t d = 0; d < rank; d++)
            buf_printf(&key, ",%lld", (long long)dims[d]);
        buf_text(&key, ":");
        buf_bytes(&key, bytes, size);
        k = look_up(x, &key);
        if (k->val)
            return k->val;
    }
    struct wire_tensor *w = ARENA_NEW(x->arena, struct wire_tensor);
    w->data_type = onnx_element_number(t);
    w->raw_data = (struct wire_bytes){size ? bytes : "", size};
    for (uint32_t d = 0; d < rank; d++)
        VEC_PUSH(x->arena, w->dims, dims[d]);
    struct val *v = model_val(x);
    v->weight = w;
    v->name = name;
    if (k)
        x->known.at[x->known.n - 1].val = v;
    return v;
}

/* --- the whole ------------------------------------------------------------------------------- */

static struct wire_bytes text_bytes(const char *text) {
    return (struct wire_bytes){text, strlen(text)};
}

/* What output K of M, which is called NODE, is called if nothing else gives it a name: as people's
   exports have it, so that an import finds the same names in layers that are alike. */
static const char *usual_name(struct export *x, const struct made *m, const char *node,
                              uint32_t k) {
    const struct val *v = m->out.at[k];
    if (name_none(v->hint))
        return arena_printf(x->arena, "%s_output_%u", node, k);
    const char *hint = name_text(x->ev.names, v->hint);
    return *m->scope ? arena_printf(x->arena, "%s/%s", m->scope, hint) : hint;
}

/* A name that is not TAKEN yet: BASE, or with a number from FIRST on. */
static const char *name_free(struct export *x, struct map *taken, const char *base,
                             unsigned first) {
    const char *name = base;
    for (unsigned k = first; map_get(taken, hash_bytes(name, strlen(name), 0), NULL); k++)
        name = arena_printf(x->arena, "%s_%u", base, k);
    map_put(taken, hash_bytes(name, strlen(name), 0), 1);
    return name;
}

/* A name that no other value has, from BASE. */
static const char *name_make(struct export *x, const char *base) {
    return name_free(x, &x->names, base, 2);
}

static void need(struct export *x, struct val *v) {
    VEC(struct val *) open = {0};
    VEC_PUSH(x->arena, open, v);
    while (open.n) {
        struct val *at = open.at[--open.n];
        if (at->used)
            continue;
        at->used = true;
        if (!at->by || at->by->used)
            continue;
        at->by->used = true;
        for (uint32_t i = 0; i < at->by->n; i++)
            if (at->by->in[i])
                VEC_PUSH(x->arena, open, at->by->in[i]);
    }
}

/* Marks what the N RESULTS need, and nothing else. */
static void need_all(struct export *x, uint32_t n, struct val *const *results) {
    for (uint32_t i = 0; i < x->vals.n; i++)
        x->vals.at[i]->used = false;
    for (uint32_t i = 0; i < x->nodes.n; i++)
        x->nodes.at[i]->used = false;
    for (uint32_t i = 0; i < n; i++)
        need(x, results[i]);
}

static struct wire_value *value_message(struct export *x, const char *name, enum dtype t,
                                        uint32_t rank, const struct value *dims) {
    struct arena *a = x->arena;
    struct wire_value *v = ARENA_NEW(a, struct wire_value);
    v->name = text_bytes(name);
    v->type = ARENA_NEW(a, struct wire_type);
    v->type->tensor_type = ARENA_NEW(a, struct wire_tensor_type);
    v->type->tensor_type->elem_type = onnx_element_number(t);
    v->type->tensor_type->shape = ARENA_NEW(a, struct wire_shape);
    for (uint32_t d = 0; d < rank; d++) {
        struct wire_dim *dim = ARENA_NEW(a, struct wire_dim);
        struct name atom;
        if (dims[d].kind == VAL_INT) {
            dim->dim_value = dims[d].i;
            dim->seen = (uint64_t)1 << 1;
        } else if (dims[d].kind == VAL_SYM) {
            struct buf text = buf_new(a);
            bool named = sym_is_atom(x->ev.syms, dims[d].sym, &atom);
            value_print(&x->ev, &dims[d], &text);
            if (!named || *text.at != '#')
                dim->dim_param = text_bytes(text.at);
        }
        VEC_PUSH(a, v->type->tensor_type->shape->dim, dim);
    }
    return v;
}

/* What people call node M: its scope, as dcl import finds layers by, and the operator. */
static const char *node_name(struct export *x, const struct made *m) {
    return name_free(x, &x->node_names, arena_printf(x->arena, "%s/%s", m->scope, m->op), 1);
}

static void add_nodes(struct export *x, struct wire_graph *g) {
    for (uint32_t i = 0; i < x->nodes.n; i++) {
        struct made *m = x->nodes.at[i];
        if (!m->used)
            continue;
        struct wire_node *n = ARENA_NEW(x->arena, struct wire_node);
        const char *node = node_name(x, m);
        n->name = text_bytes(node);
        n->op_type = text_bytes(m->op);
        n->domain = text_bytes(m->domain);
        for (uint32_t k = 0; k < m->n; k++) {
            struct wire_bytes name = text_bytes(m->in[k] ? m->in[k]->name : "");
            VEC_PUSH(x->arena, n->input, name);
        }
        for (uint32_t k = 0; k < m->out.n; k++) {
            struct val *v = m->out.at[k];
            if (!v->name) /* also what nobody reads, which the operator may have to give */
                v->name = name_make(x, usual_name(x, m, node, k));
            struct wire_bytes name = text_bytes(v->name);
            VEC_PUSH(x->arena, n->output, name);
        }
        while (n->input.n && n->input.at[n->input.n - 1].n == 0)
            n->input.n--;
        for (uint32_t k = 0; k < m->attributes.n; k++)
            VEC_PUSH(x->arena, n->attribute, (void *)m->attributes.at[k]);
        VEC_PUSH(x->arena, g->node, (void *)n);
    }
}

static void add_weights(struct export *x, struct wire_graph *g) {
    for (uint32_t i = 0; i < x->vals.n; i++) {
        struct val *v = x->vals.at[i];
        if (!v->weight || !v->used)
            continue;
        v->name = name_make(x, v->name ? v->name : arena_printf(x->arena, "c%u", v->id));
        struct wire_tensor *w = (struct wire_tensor *)v->weight;
        w->name = text_bytes(v->name);
        VEC_PUSH(x->arena, g->initializer, (void *)w);
    }
}

/* A result as a value that is called NAME and is nothing else of the model's face. */
static struct val *result_val(struct export *x, const struct value *v, const char *name,
                              struct wire_graph *g) {
    struct val *out;
    uint32_t rank = 0;
    const struct value *dims = NULL;
    if (v->kind == VAL_TENSOR) {
        out = verb_tensor(x, v->tensor, v->tensor->span);
        rank = v->tensor->rank;
        dims = v->tensor->dims;
    } else if (v->kind == VAL_SCALAR) {
        out = lazy_full(x, v->expr, 0, NULL);
    } else {
        export_refuse(x, (struct span){0}, "a result that is %s", value_kind_name(v));
        return NULL;
    }
    if (!out->by || out->name)
        out = row_move(x, MOVE_same, 1, &out, 0, NULL, v->dtype);
    if (out->name) { /* the third result that is the same value */
        struct made *again = arena_copy(x->arena, out->by, sizeof *again);
        again->used = false;
        again->out.n = again->out.cap = 0;
        VEC_PUSH(x->arena, x->nodes, again);
        out = output_of(x, again, 0);
    }
    out->name = name_make(x, name);
    VEC_PUSH(x->arena, g->output, (void *)value_message(x, out->name, v->dtype, rank, dims));
    return out;
}

struct wire_model *export_finish(struct export *x, uint32_t n, const struct value *results,
                                 const struct name *names) {
    struct arena *a = x->arena;
    struct wire_model *m = ARENA_NEW(a, struct wire_model);
    struct wire_opset *set = ARENA_NEW(a, struct wire_opset);
    struct wire_graph *g = m->graph = ARENA_NEW(a, struct wire_graph);
    /* Of onnx.proto: the first version of the format that knows the operators of that version. */
    m->ir_version = x->order.opset < 19 ? 8 : x->order.opset < 21 ? 9 : 10;
    m->producer_name = text_bytes("dcl");
    m->producer_version = text_bytes(DCL_VERSION);
    set->version = x->order.opset;
    VEC_PUSH(a, m->opset_import, (void *)set);
    g->name = text_bytes(x->order.name);
    for (uint32_t i = 0; i < x->inputs.n; i++) {
        const struct taken *in = &x->inputs.at[i];
        in->val->name = name_make(x, in->val->name);
        VEC_PUSH(a, g->input,
                 (void *)value_message(x, in->val->name, in->type, in->rank, in->dims));
    }
    VEC(struct val *) given = {0};
    for (uint32_t k = 0; k < n; k++) {
        const char *name = name_none(names[k]) ? n == 1 ? "y" : arena_printf(a, "y%u", k)
                                               : name_text(x->ev.names, names[k]);
        struct val *v = result_val(x, &results[k], name, g);
        if (v)
            VEC_PUSH(a, given, v);
    }
    for (uint32_t i = 0; i < x->inputs.n; i++) {
        const struct taken *in = &x->inputs.at[i];
        if (!in->written)
            continue;
        struct value v = value_tensor(in->written);
        struct val *out = result_val(x, &v, arena_printf(a, "%s_out", in->val->name), g);
        if (out)
            VEC_PUSH(a, given, out);
    }
    if (x->ev.diags->errors)
        return NULL;
    if (x->problems.n) {
        struct diag *d =
            diag_error(x->ev.diags, x->problems.at[0].span, ERR_ONNX_EXPORT, x->order.name,
                       (int)x->problems.n, x->problems.n == 1 ? "" : "s");
        for (uint32_t i = 0; i < x->problems.n; i++) {
            diag_note(x->ev.diags, d, x->problems.at[i].span, "%s", x->problems.at[i].text);
            if (x->problems.at[i].help && !d->help)
                diag_help(x->ev.diags, d, "%s", x->problems.at[i].help);
        }
        return NULL;
    }
    need_all(x, given.n, given.at);
    fold_nodes(x, given.n, given.at);
    need_all(x, given.n, given.at);
    if (x->ev.diags->errors)
        return NULL;
    add_weights(x, g);
    add_nodes(x, g);
    return m;
}
