/* Functions of the file: operators that it defines by nodes. A node that means one is what these
   are with the node's attributes. */
#include "lang/base/buf.h"
#include "lang/onnx/model.h"

/* Name, domain and overload as one id. */
static struct name key_of(const struct onnx_model *m, struct wire_bytes domain,
                          struct wire_bytes name, struct wire_bytes overload) {
    struct buf b = buf_new(m->arena);
    bool own = domain.n == 0 || wire_is(domain, "ai.onnx");
    buf_printf(&b, "%d %zu %zu ", own, own ? 0 : domain.n, name.n);
    if (!own)
        buf_bytes(&b, domain.at, domain.n);
    buf_bytes(&b, name.n ? name.at : "", name.n);
    buf_bytes(&b, overload.n ? overload.at : "", overload.n);
    return name_of(m->ids, b.at, b.n);
}

void onnx_functions_read(struct onnx_model *m, struct onnx_problems *p) {
    for (uint32_t i = 0; i < m->wire->functions.n; i++) {
        const struct wire_function *f = m->wire->functions.at[i];
        struct name key = key_of(m, f->domain, f->name, f->overload);
        if (map_get(&m->functions, key.i, NULL))
            onnx_problem(p, "function %s: there are two of them", wire_text(m->arena, f->name));
        map_put(&m->functions, key.i, (uintptr_t)f);
    }
}

const struct wire_function *onnx_function_of(const struct onnx_model *m,
                                             const struct wire_node *x) {
    uint64_t f = 0;
    if (m->functions.n)
        map_get(&m->functions, key_of(m, x->domain, x->op_type, x->overload).i, &f);
    return (const struct wire_function *)(uintptr_t)f;
}

static uint64_t key(struct onnx_model *m, struct wire_bytes name) {
    return name_of(m->ids, name.n ? name.at : "", name.n).i;
}

static void note_attributes(struct onnx_model *m, struct map *to, const struct wire_list *of) {
    for (uint32_t i = 0; i < of->n; i++) {
        const struct wire_attribute *a = of->at[i];
        map_put(to, key(m, a->name), (uintptr_t)a);
    }
}

struct onnx_call onnx_call_new(struct onnx_model *m, const struct wire_function *f,
                               const struct onnx_node *x, const struct onnx_call *outer) {
    struct onnx_call c = {.outer = outer,
                          .model = m,
                          .function = f,
                          .text = wire_text(m->arena, f->name),
                          .attributes = map_new(m->arena),
                          .absent = map_new(m->arena)};
    note_attributes(m, &c.attributes, &f->attribute_proto);
    note_attributes(m, &c.attributes, &x->wire->attribute);
    for (uint32_t i = 0; i < f->input.n; i++)
        if (i >= x->ninputs || name_none(x->inputs[i]))
            map_put(&c.absent, key(m, f->input.at[i]), 1);
    return c;
}

const struct wire_node *onnx_call_node(const struct onnx_call *call, const struct wire_node *w) {
    struct arena *a = call->model->arena;
    bool refers = false;
    for (uint32_t i = 0; i < w->attribute.n; i++)
        refers = refers || ((struct wire_attribute *)w->attribute.at[i])->ref_attr_name.n;
    if (!refers)
        return w;
    struct wire_node *copy = ARENA_NEW(a, struct wire_node);
    *copy = *w;
    copy->attribute = (struct wire_list){0};
    for (uint32_t i = 0; i < w->attribute.n; i++) {
        struct wire_attribute *x = w->attribute.at[i];
        uint64_t given = 0;
        if (x->ref_attr_name.n) {
            if (!map_get(&call->attributes, key(call->model, x->ref_attr_name), &given))
                continue; /* the node has it not */
            struct wire_attribute *named = ARENA_NEW(a, struct wire_attribute);
            *named = *(struct wire_attribute *)(uintptr_t)given;
            named->name = x->name;
            x = named;
        }
        VEC_PUSH(a, copy->attribute, x);
    }
    return copy;
}
