#!/usr/bin/env python3
"""branches.t: graphs in nodes have names and weights of their own."""

import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import Graph, model, node, tensor, value  # noqa: E402

F32, BOOL = 1, 9
X, Y = value("x", F32, [2, 3]), value("y", F32, [2, 3])
CONDITIONS = [value("c", BOOL, []), value("d", BOOL, [])]
KNOWN = ("--set", "c=true", "--set", "d=false")
x = numpy.arange(6).reshape(2, 3).astype("f4")


def weight(number):
    return tensor("w", numpy.array([number], "f4"))


def branch(number):
    """x times a weight of its own; all names are those of the other branches."""
    return Graph(node("Mul", ["x", "w"], ["t"]), outputs=[value("t", F32, [])],
                 weights=[weight(number)])


def constant(number):
    return Graph(node("Constant", [], ["w"], value_float=number), node("Mul", ["x", "w"], ["t"]),
                 outputs=[value("t", F32, [])])


def convert(data):
    with open("m.onnx", "wb") as file:
        file.write(data)
    return tap.dcl("import", "m.onnx", "--force", *KNOWN)


def gives(what, want, *nodes, outputs=(Y,), weights=()):
    data = model(*nodes, inputs=[X] + CONDITIONS, outputs=outputs, weights=weights)
    tap.is_str(convert(data), (0, "", ""), what)
    with dclpy.Session("backend=ref") as s:
        s.run_file("m.dcl")
        got = s.call("model", x)
    for g, w in zip(got if isinstance(got, tuple) else [got], want):
        tap.is_close(g, w, what + ": computes")


def choose(condition, output, then, otherwise):
    return node("If", [condition], [output], then_branch=then, else_branch=otherwise)


both = (choose("c", "p", branch(3), branch(4)), choose("d", "q", branch(5), branch(6)),
        node("Add", ["p", "q"], ["y"]))
gives("two graphs with the same names", [9 * x], *both)
gives("a weight outside is called like those inside", [9 * x, 100 * x], *both,
      node("Mul", ["x", "w"], ["z"]), outputs=[Y, value("z", F32, [2, 3])], weights=[weight(100)])
gives("numbers that are known", [9 * x],
      choose("c", "p", constant(3.0), constant(4.0)),
      choose("d", "q", constant(5.0), constant(6.0)), node("Add", ["p", "q"], ["y"]))
gives("a graph in a graph", [3 * x + 6 * x],
      choose("c", "y", Graph(*both, outputs=[Y]), branch(1)))
inner = Graph(node("Relu", ["x"], ["x"]), outputs=[X])
gives("a name outside means something else inside", [x + 3 * x],
      choose("c", "p", inner, inner), choose("c", "q", branch(3), inner),
      node("Add", ["p", "q"], ["y"]))


def refused(what, words, *nodes):
    status, output, errors = convert(model(*nodes, inputs=[X] + CONDITIONS, outputs=[Y]))
    tap.ok(status == 1 and output == "" and words in errors, what, errors)


for old in "m.dcl", "m.safetensors":
    os.remove(old)
refused("an output that no graph makes", "its graph makes no output q",
        node("If", ["c"], ["p", "q"], then_branch=branch(3), else_branch=branch(4)),
        node("Add", ["p", "q"], ["y"]))
refused("an output that nothing makes", "its graph makes no output y",
        choose("c", "y", Graph(outputs=[value("none", F32, [])]), branch(4)))
refused("a graph that reads what it gives", "nothing makes its input y",
        choose("c", "y", Graph(node("Relu", ["y"], ["t"]), outputs=[value("t", F32, [])]),
               branch(4)))
refused("names inside are unknown outside", "nothing makes its input t",
        choose("c", "p", branch(3), branch(4)), node("Add", ["p", "t"], ["y"]))
deep = branch(1)
for _ in range(1000):
    deep = Graph(choose("c", "t", deep, Graph()), outputs=[value("t", F32, [])])
refused("a thousand graphs, one in the other", "nested too deep", choose("c", "y", deep, deep))
tap.ok(not os.path.exists("m.dcl"), "nothing is written")
tap.done_testing()
