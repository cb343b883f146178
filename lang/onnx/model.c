/* From messages to a model: names, types, versions of operator sets, and the order of nodes.
   Elements of weights are decoded in tensor.c. */
#include "lang/onnx/model.h"

#include "lang/base/map.h"
#include "lang/onnx/operators.h"
#include "lang/onnx/tensor.h"

#include <stdarg.h>
#include <string.h>

void onnx_problem(struct onnx_problems *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *line = arena_vprintf(p->arena, format, args);
    va_end(args);
    VEC_PUSH(p->arena, p->lines, line);
}

/* What is known while a model is built. */
struct builder {
    struct onnx_model *m;
    const struct wire_model *wire;
    const struct onnx_call *call; /* whose nodes these are, or NULL */
    struct onnx_problems *problems;
    struct map made;    /* id of a value -> 1 + the node that makes it; 0: an input or a weight */
    struct map weights; /* ids */
};

static struct name id_of(struct builder *b, struct wire_bytes name) {
    return name_of(b->m->ids, name.n ? name.at : "", name.n);
}

static const char *show(struct builder *b, struct wire_bytes text) {
    return wire_text(b->m->arena, text);
}

static bool is_own(struct wire_bytes domain) {
    return domain.n == 0 || wire_is(domain, "ai.onnx");
}

/* --- versions ------------------------------------------------------------------------------- */

static bool same_bytes(struct wire_bytes x, struct wire_bytes y) {
    return x.n == y.n && (x.n == 0 || memcmp(x.at, y.at, x.n) == 0);
}

enum { SETS_MAX = 100 }; /* of operators; each node looks for its own among them */

static int64_t version_of(const struct wire_list *sets, struct wire_bytes domain) {
    for (uint32_t i = 0; i < sets->n && i < SETS_MAX; i++) {
        const struct wire_opset *s = sets->at[i];
        if (is_own(domain) ? is_own(s->domain) : same_bytes(s->domain, domain))
            return s->version;
    }
    return 0;
}

static void read_versions(struct builder *b) {
    if (b->wire->opset_import.n > SETS_MAX)
        onnx_problem(b->problems, "%u sets of operators, at most %d are possible",
                     b->wire->opset_import.n, SETS_MAX);
    b->m->opset = version_of(&b->wire->opset_import, (struct wire_bytes){0});
    if (b->m->opset > ONNX_OPSET_NEWEST)
        onnx_problem(b->problems, "version %lld of the operators is newer than %d, the last known",
                     (long long)b->m->opset, ONNX_OPSET_NEWEST);
}

/* --- weights, inputs, outputs ----------------------------------------------------------------- */

/* Notes that NODE (0: none) makes the value; false if something else does. */
static bool define(struct builder *b, struct name id, struct wire_bytes name, uint32_t node) {
    if (map_get(&b->made, id.i, NULL)) {
        onnx_problem(b->problems, "two things are called %s", show(b, name));
        return false;
    }
    map_put(&b->made, id.i, node);
    return true;
}

uint32_t onnx_weight_add(struct onnx_model *m, const struct onnx_weight *w, const void *from) {
    VEC_PUSH(m->arena, m->weights, *w);
    map_put(&m->read, (uintptr_t)from, m->weights.n);
    return m->weights.n - 1;
}

bool onnx_weight_of(const struct onnx_model *m, const void *from, uint32_t *index) {
    uint64_t at = 0;
    map_get(&m->read, (uintptr_t)from, &at);
    *index = at ? (uint32_t)at - 1 : 0;
    return at != 0;
}

/* The weights in G, noted in OUT unless they are the model's. */
static void read_weights(struct builder *b, const struct wire_graph *g, struct onnx_subgraph *out) {
    for (uint32_t i = 0; i < g->initializer.n; i++) {
        const struct wire_tensor *t = g->initializer.at[i];
        struct onnx_weight x = {.id = id_of(b, t->name), .name = t->name};
        uint32_t index;
        if (!define(b, x.id, t->name, 0))
            continue;
        map_put(&b->weights, x.id.i, 1);
        const char *why = NULL;
        if (!onnx_weight_of(b->m, t, &index)) {
            why = onnx_tensor_read(b->m->arena, t, &b->m->files, &x);
            index = why ? 0 : onnx_weight_add(b->m, &x, t);
        }
        if (why)
            onnx_problem(b->problems, "weight %s: %s", show(b, t->name), why);
        else if (out)
            VEC_PUSH(b->m->arena, out->weights, index);
    }
    for (uint32_t i = 0; i < g->sparse_initializer.n; i++) {
        const struct wire_sparse *s = g->sparse_initializer.at[i];
        struct wire_bytes name = s->values ? s->values->name : (struct wire_bytes){0};
        define(b, id_of(b, name), name, 0);
        onnx_problem(b->problems, "weight %s: sparse tensors are not read", show(b, name));
    }
}

enum { DIM_VALUE = 1 }; /* the field's number */

/* The reason why the type cannot be had, or NULL. */
static const char *read_type(struct arena *a, const struct wire_type *type, struct onnx_value *v) {
    const struct wire_tensor_type *t = type ? type->tensor_type : NULL;
    if (!t)
        return "it is no tensor";
    v->type = onnx_element(t->elem_type);
    if (v->type == DT_NONE)
        return onnx_element_reason(a, t->elem_type);
    v->has_shape = t->shape != NULL;
    v->rank = t->shape ? t->shape->dim.n : 0;
    if (v->rank > ONNX_RANK_MAX)
        return arena_printf(a, "%u dimensions, at most %d are possible", v->rank, ONNX_RANK_MAX);
    struct onnx_dim *dims = ARENA_ARRAY(a, struct onnx_dim, v->rank);
    for (uint32_t d = 0; d < v->rank; d++) {
        const struct wire_dim *x = t->shape->dim.at[d];
        bool sized = WIRE_HAS(x, DIM_VALUE) && x->dim_value >= 0 && x->dim_param.n == 0;
        dims[d] = (struct onnx_dim){sized ? x->dim_value : -1, x->dim_param};
    }
    v->dims = dims;
    return NULL;
}

static void read_inputs(struct builder *b, const struct wire_graph *g) {
    for (uint32_t i = 0; i < g->input.n; i++) {
        const struct wire_value *w = g->input.at[i];
        struct onnx_value v = {.id = id_of(b, w->name), .name = w->name};
        if (map_get(&b->weights, v.id.i, NULL)) /* old files list them among the inputs */
            continue;
        if (!define(b, v.id, w->name, 0))
            continue;
        const char *why = read_type(b->m->arena, w->type, &v);
        if (!why && !v.has_shape)
            why = "its shape is not given";
        if (why)
            onnx_problem(b->problems, "input %s: %s", show(b, w->name), why);
        else
            VEC_PUSH(b->m->arena, b->m->inputs, v);
    }
}

static void read_outputs(struct builder *b, const struct wire_graph *g) {
    struct map known = map_new(b->m->arena);
    for (uint32_t i = 0; i < g->output.n; i++) {
        const struct wire_value *w = g->output.at[i];
        struct onnx_value v = {.id = id_of(b, w->name), .name = w->name};
        const char *why = NULL;
        if (map_get(&known, v.id.i, NULL))
            why = "it is listed twice";
        else if (!map_get(&b->made, v.id.i, NULL))
            why = "nothing makes it";
        else
            why = read_type(b->m->arena, w->type, &v);
        map_put(&known, v.id.i, 1);
        if (why)
            onnx_problem(b->problems, "output %s: %s", show(b, w->name), why);
        else
            VEC_PUSH(b->m->arena, b->m->outputs, v);
    }
    if (g->output.n == 0)
        onnx_problem(b->problems, "the model has no outputs");
}

/* --- nodes ---------------------------------------------------------------------------------- */

static const struct name *ids_of(struct builder *b, const struct wire_texts *t) {
    struct name *ids = ARENA_ARRAY(b->m->arena, struct name, t->n);
    for (uint32_t i = 0; i < t->n; i++) {
        ids[i] = id_of(b, t->at[i]);
        if (b->call && map_get(&b->call->absent, ids[i].i, NULL))
            ids[i] = (struct name){0};
    }
    return ids;
}

static const char *node_text(struct builder *b, const struct wire_node *w, int64_t version) {
    struct arena *a = b->m->arena;
    const char *name = show(b, w->name);
    if (w->name.n == 0) /* many files have no names of nodes */
        name = arena_printf(a, "of %s", w->output.n ? show(b, w->output.at[0]) : "nothing");
    const char *domain = is_own(w->domain) ? "ai.onnx" : show(b, w->domain);
    const char *in = b->call ? " in " : "", *where = b->call ? b->call->text : "";
    if (version == 0)
        return arena_printf(a, "node %s (%s, no version, domain %s)%s%s", name, show(b, w->op_type),
                            domain, in, where);
    return arena_printf(a, "node %s (%s, version %lld, domain %s)%s%s", name, show(b, w->op_type),
                        (long long)version, domain, in, where);
}

static void read_nodes(struct builder *b, const struct wire_list *of, struct onnx_node *nodes) {
    for (uint32_t i = 0; i < of->n; i++) {
        const struct wire_node *w = of->at[i];
        int64_t version = b->call ? version_of(&b->call->function->opset_import, w->domain) : 0;
        if (version == 0)
            version = version_of(&b->wire->opset_import, w->domain);
        if (b->call)
            w = onnx_call_node(b->call, w);
        nodes[i] = (struct onnx_node){.wire = w,
                                      .text = node_text(b, w, version),
                                      .own = is_own(w->domain),
                                      .version = version,
                                      .inputs = ids_of(b, &w->input),
                                      .outputs = ids_of(b, &w->output),
                                      .ninputs = w->input.n,
                                      .noutputs = w->output.n};
        for (uint32_t k = 0; k < w->output.n; k++)
            if (!name_none(nodes[i].outputs[k]))
                define(b, nodes[i].outputs[k], w->output.at[k], i + 1);
    }
}

/* --- order ---------------------------------------------------------------------------------- */

enum { NEW, OPEN, DONE };

struct visit {
    uint32_t node, input;
};

/* Puts the nodes into the model, each after those that it reads, else as they stood: a walk in
   depth from each node, with a stack of its own, since a chain may be long. */
static void order_nodes(struct builder *b, const struct onnx_node *nodes, uint32_t n) {
    struct arena *a = b->m->arena;
    unsigned char *state = ARENA_ARRAY(a, unsigned char, n);
    struct visit *stack = ARENA_ARRAY(a, struct visit, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t depth = 0;
        if (state[i] == NEW) {
            stack[depth++] = (struct visit){i, 0};
            state[i] = OPEN;
        }
        while (depth) {
            struct visit *v = &stack[depth - 1];
            const struct onnx_node *x = &nodes[v->node];
            if (v->input == x->ninputs) {
                VEC_PUSH(a, b->m->nodes, *x);
                state[v->node] = DONE;
                depth--;
                continue;
            }
            uint64_t maker = 0;
            uint32_t k = v->input++;
            if (name_none(x->inputs[k]))
                continue;
            if (!map_get(&b->made, x->inputs[k].i, &maker))
                onnx_problem(b->problems, "%s: nothing makes its input %s", x->text,
                             show(b, x->wire->input.at[k]));
            else if (maker && state[maker - 1] == OPEN)
                onnx_problem(b->problems, "%s: it reads %s, which is made from what it makes",
                             x->text, show(b, x->wire->input.at[k]));
            else if (maker && state[maker - 1] == NEW) {
                stack[depth++] = (struct visit){(uint32_t)maker - 1, 0};
                state[maker - 1] = OPEN;
            }
        }
    }
}

/* --- the face ------------------------------------------------------------------------------- */

/* Nodes in the order of the file: they may read what is outside. */
static void read_ordered(struct builder *b, const struct wire_list *of, struct onnx_subgraph *out) {
    struct arena *a = b->m->arena;
    out->nodes.n = out->nodes.cap = of->n;
    out->nodes.at = ARENA_ARRAY(a, struct onnx_node, of->n);
    read_nodes(b, of, out->nodes.at);
}

static struct builder builder_new(struct onnx_model *m, const struct onnx_call *call,
                                  struct onnx_problems *p) {
    return (struct builder){.m = m,
                            .wire = m->wire,
                            .call = call,
                            .problems = p,
                            .made = map_new(m->arena),
                            .weights = map_new(m->arena)};
}

void onnx_subgraph_read(struct onnx_model *m, const struct wire_graph *g,
                        const struct onnx_call *call, struct onnx_problems *p,
                        struct onnx_subgraph *out) {
    struct arena *a = m->arena;
    struct builder b = builder_new(m, call, p);
    *out = (struct onnx_subgraph){0};
    read_weights(&b, g, out);
    read_ordered(&b, &g->node, out);
    for (uint32_t i = 0; i < g->input.n; i++)
        VEC_PUSH(a, out->inputs, id_of(&b, ((struct wire_value *)g->input.at[i])->name));
    for (uint32_t i = 0; i < g->output.n; i++)
        VEC_PUSH(a, out->outputs, id_of(&b, ((struct wire_value *)g->output.at[i])->name));
}

void onnx_call_read(struct onnx_model *m, const struct onnx_call *call, struct onnx_problems *p,
                    struct onnx_subgraph *out) {
    const struct wire_function *f = call->function;
    struct builder b = builder_new(m, call, p);
    *out = (struct onnx_subgraph){0};
    read_ordered(&b, &f->node, out);
    for (uint32_t i = 0; i < f->input.n; i++)
        VEC_PUSH(m->arena, out->inputs, id_of(&b, f->input.at[i]));
    for (uint32_t i = 0; i < f->output.n; i++)
        VEC_PUSH(m->arena, out->outputs, id_of(&b, f->output.at[i]));
}

struct onnx_model *onnx_model_new(struct arena *a, const struct wire_model *w, const char *folder,
                                  struct arena *files, struct onnx_problems *p) {
    struct onnx_model *m = ARENA_NEW(a, struct onnx_model);
    *m = (struct onnx_model){.arena = a, .ids = names_new(a), .producer = "", .wire = w};
    m->files.arena = files;
    m->files.folder = folder;
    m->functions = map_new(a);
    m->read = map_new(a);
    struct builder b = builder_new(m, NULL, p);
    const struct wire_graph *g = w->graph;
    if (!g) {
        onnx_problem(p, "there is no graph in it");
        return m;
    }
    if (w->producer_name.n)
        m->producer = arena_printf(a, "%s%s%s", show(&b, w->producer_name),
                                   w->producer_version.n ? " " : "", show(&b, w->producer_version));
    struct onnx_node *nodes = ARENA_ARRAY(a, struct onnx_node, g->node.n);
    read_versions(&b);
    onnx_functions_read(m, p);
    read_weights(&b, g, NULL);
    read_inputs(&b, g);
    read_nodes(&b, &g->node, nodes);
    read_outputs(&b, g);
    order_nodes(&b, nodes, g->node.n);
    return m;
}
