/* Nodes that mean functions of the file: the nodes of the function stand in their place. Names of
   the function are its own. The lines that make what it gives are called as the node's outputs. */
#include "lang/onnx/importer.h"

enum {
    CALLS_DEEP = 64,     /* functions in functions */
    CALLS_MOST = 1 << 17 /* nodes, inputs, outputs and attributes of all that are called */
};

/* Whether F may be called here; else it has been told. */
static bool may_call(struct importer *m, const struct onnx_node *x, const struct wire_function *f) {
    uint32_t deep = 0;
    const struct onnx_call *c = m->call;
    while (c && c->function != f && deep < CALLS_DEEP) {
        deep++;
        c = c->outer;
    }
    if (m->called > CALLS_MOST) /* that has been told */
        return false;
    m->called += 1 + (uint64_t)f->node.n + f->input.n + f->output.n + f->attribute_proto.n;
    if (c)
        onnx_problem(m->problems, "%s: %s", x->text,
                     c->function == f ? "the function calls itself"
                                      : "functions call functions too deep");
    else if (m->called > CALLS_MOST)
        onnx_problem(m->problems, "%s: with it functions are more than %d nodes", x->text,
                     CALLS_MOST);
    else if (x->ninputs > f->input.n || x->noutputs > f->output.n)
        onnx_problem(m->problems, "%s: %u inputs and %u outputs, the function has %u and %u",
                     x->text, x->ninputs, x->noutputs, f->input.n, f->output.n);
    else
        return true;
    return false;
}

void import_call(struct importer *m, const struct onnx_node *x, const struct wire_function *f) {
    const struct onnx_call *outer = m->call;
    struct operand **at = ARENA_ARRAY(m->arena, struct operand *, x->ninputs + x->noutputs + 1);
    struct onnx_subgraph g;
    struct operands inner;
    if (!may_call(m, x, f))
        return;
    for (uint32_t k = 0; k < x->ninputs; k++)
        if (!name_none(x->inputs[k]) && !operand_input(m, x, k, &at[k]))
            return;
    struct onnx_call call = onnx_call_new(m->model, f, x, outer);
    m->call = &call;
    operands_enter(m, &inner, true);
    onnx_call_read(m->model, &call, m->problems, &g);
    for (uint32_t k = 0; k < x->ninputs; k++)
        if (at[k])
            operand_same(m, g.inputs.at[k], at[k]);
    for (uint32_t i = 0; i < g.nodes.n; i++)
        import_node(m, &g.nodes.at[i]);
    struct operand **given = at + x->ninputs;
    for (uint32_t k = 0; k < x->noutputs; k++)
        given[k] = operand_of(m, g.outputs.at[k]);
    operands_leave(m);
    m->call = outer;
    for (uint32_t k = 0; k < x->noutputs; k++) {
        if (name_none(x->outputs[k]) || operand_here(m, x->outputs[k]))
            continue;
        if (!given[k]) {
            onnx_problem(m->problems, "%s: the function makes no output %s", x->text,
                         wire_text(m->arena, f->output.at[k]));
            continue;
        }
        given[k]->label = x->wire->output.at[k];
        operand_same(m, x->outputs[k], given[k]);
    }
}
