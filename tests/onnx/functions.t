#!/usr/bin/env python3
"""functions.t: operators that a file defines itself are what their nodes are."""

import os
import time

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import Graph, Named, function, model, node, tensor, value  # noqa: E402

F32, BOOL = 1, 9
INT = 2
X, Y = value("x", F32, ["n", 3]), value("y", F32, ["n", 3])
x = numpy.arange(6).reshape(2, 3).astype("f4") - 2


def own(operator, inputs, outputs, **attributes):
    return node(operator, inputs, outputs, domain="own", **attributes)


def convert(data):
    with open("m.onnx", "wb") as file:
        file.write(data)
    return tap.dcl("import", "m.onnx", "--force")


def computes(what, want, data, *more, lines=None):
    tap.is_str(convert(data), (0, "", ""), what)
    with open("m.dcl", encoding="utf-8") as file:
        text = file.read()
    for backend in ("ref", "cpu"):
        with dclpy.Session("cache=off threads=1 backend=" + backend) as s:
            s.run_file("m.dcl")
            tap.is_close(s.call("model", x, *more), want, what + ": computes on " + backend)
    if lines:
        body = text.split("fn forward(")[1].split("{\n", 1)[1].split("\n  }\n")[0]
        tap.is_str([line.strip() for line in body.splitlines()], lines, what + ": the text")
    return text


def refused(what, words, *nodes, functions, inputs=(X,)):
    started = time.monotonic()
    status, output, errors = convert(model(*nodes, inputs=inputs, outputs=[Y],
                                           functions=functions))
    tap.ok(status == 1 and output == "" and words in errors, what, errors[:2000])
    tap.ok(time.monotonic() - started < 60 and len(errors) < 200000, "without delay")


# --- what a node means ---------------------------------------------------------------------------

scale = function("Scale", ["x", "low"], ["y"], node("Constant", [], ["k"], value_float=Named("k")),
                 node("Mul", ["x", "k"], ["t"]), node("Clip", ["t", "low"], ["y"]), k=2.0)
low = tensor("low", numpy.float32(0))
calls = [own("Scale", ["x", "low"], ["a"]), own("Scale", ["a"], ["b"], k=-3.0),
         own("Scale", ["b"], ["y"], k=0.5)]
computes("attributes and what they are if a node has none", numpy.maximum(2 * x, 0) * -1.5,
         model(*calls, inputs=[X], outputs=[Y], weights=[low], functions=[scale]),
         lines=["t = x * 2.0", "a = onnx_clip_between(t, low)", "t_2 = a * -3.0",
                "b = onnx_clip_between(t_2)", "t_3 = b * 0.5", "y = onnx_clip_between(t_3)"])

pair = function("Pair", ["x"], ["p", "q"], node("Softmax", ["x"], ["p"], axis=Named("axis", INT)),
                own("Scale", ["p"], ["q"], k=4.0))
both = numpy.exp(x) / numpy.exp(x).sum(1, keepdims=True)
computes("a function that calls another", 5 * both,
         model(own("Pair", ["x"], ["a", "b"], axis=1), node("Add", ["a", "b"], ["y"]),
               inputs=[X], outputs=[Y], functions=[pair, scale]),
         lines=["a = softmax(x, axis = 1)", "t = a * 4.0", "b = onnx_clip_between(t)", "y = a + b"])
computes("an attribute that neither has", both,
         model(own("Pair", ["x"], ["y"]), inputs=[X], outputs=[Y], functions=[pair, scale]))

side = Graph(node("LeakyRelu", ["x"], ["t"], alpha=Named("slope")), outputs=[value("t", F32, [])])
chosen = function("Chosen", ["c", "x"], ["y"], node("If", ["c"], ["y"], then_branch=side,
                                                    else_branch=Graph(outputs=[value("x", F32,
                                                                                     [])])))
C = value("c", BOOL, [])
text = computes("a graph in a function", numpy.where(x < 0, x / 4, x),
                model(own("Chosen", ["c", "x"], ["y"], slope=0.25), inputs=[X, C], outputs=[Y],
                      functions=[chosen]), True)
tap.ok("leaky_relu(x, slope = 0.25)" in text, "has its attributes, too", text)

loop = Graph(own("Chosen", ["c", "s"], ["t"], slope=-1.0), node("Add", ["t", "one"], ["u"]),
             node("Identity", ["on"], ["goes"]),
             inputs=[value(n, F32, []) for n in ("i", "on", "s")],
             outputs=[value(n, F32, []) for n in ("goes", "u")])
three = tensor("three", numpy.array(3))
text = computes("a function in a graph", abs(abs(abs(x) + 1) + 1) + 1,
                model(node("Loop", ["three", "", "x"], ["y"], body=loop), inputs=[X, C],
                      outputs=[Y], functions=[chosen],
                      weights=[three, tensor("one", numpy.float32(1))]), True)

table = tensor("", numpy.arange(9, dtype="f4").reshape(3, 3))
adds = function("Adds", ["x"], ["y"], node("Constant", [], ["table"], value=table),
                node("MatMul", ["x", "table"], ["y"]))
square = numpy.arange(9).reshape(3, 3)
text = computes("what holds a tensor, called again", x @ square @ square,
                model(own("Adds", ["x"], ["a"]), own("Adds", ["a"], ["y"]), inputs=[X],
                      outputs=[Y], functions=[adds]))
tap.is_int(text.count("Linear("), 1, "keeps it once")

one, two = (function("F", ["x"], ["y"], node(op, ["x"], ["y"]), overload=o)
            for op, o in (("Neg", ""), ("Abs", "second")))
computes("functions of one name", abs(x),
         model(own("F", ["x"], ["a"]), own("F", ["a"], ["y"], overload="second"), inputs=[X],
               outputs=[Y], functions=[one, two]), lines=["a = onnx_neg(x)", "y = abs(a)"])
old = function("Old", ["x"], ["y"], node("Softmax", ["x"], ["y"]), sets=[("", 11)])
computes("the version that a function means", both,
         model(own("Old", ["x"], ["y"]), inputs=[X], outputs=[Y], functions=[old]),
         lines=["y = onnx_softmax_flat(x)"])
computes("a function with the name of an operator", abs(x),
         model(node("Relu", ["x"], ["y"]), inputs=[X], outputs=[Y],
               functions=[function("Relu", ["x"], ["y"], node("Abs", ["x"], ["y"]), domain="")]))
computes("a function that gives what it takes", x,
         model(own("Same", ["x"], ["y"]), inputs=[X], outputs=[Y],
               functions=[function("Same", ["x"], ["x"])]), lines=["y = x"])

# --- what cannot be ------------------------------------------------------------------------------

for old in "m.dcl", "m.safetensors":
    os.remove(old)
once = own("F", ["x"], ["y"])
refused("two functions of one name", "function F: there are two of them", once,
        functions=[one, one])
refused("more inputs than it has", "2 inputs and 1 outputs, the function has 1 and 1",
        own("F", ["x", "x"], ["y"]), functions=[one])
refused("more outputs than it has", "1 inputs and 2 outputs, the function has 1 and 1",
        own("F", ["x"], ["y", "z"]), functions=[one])
refused("an output that nothing makes", "the function makes no output z", once,
        functions=[function("F", ["x"], ["z"], node("Neg", ["x"], ["y"]))])
refused("a node that cannot be", "node of y (Foo, version 17, domain ai.onnx) in F: the operator",
        once, functions=[function("F", ["x"], ["y"], node("Foo", ["x"], ["y"]))])
refused("names around a function", "nothing makes its input w", once,
        functions=[function("F", ["x"], ["y"], node("Add", ["x", "w"], ["y"]))],
        inputs=(X, value("w", F32, [3])))
refused("a function that calls itself", "the function calls itself", once,
        functions=[function("F", ["x"], ["y"], own("F", ["x"], ["a"]), own("F", ["a"], ["y"]))])
refused("functions that call each other", "the function calls itself", once,
        functions=[function("F", ["x"], ["y"], own("G", ["x"], ["y"])),
                   function("G", ["x"], ["y"], own("F", ["x"], ["y"]))])
inside = Graph(own("F", ["x"], ["t"]), outputs=[value("t", F32, [])])
refused("a function that calls itself in a graph", "the function calls itself",
        own("F", ["x", "c"], ["y"]), inputs=(X, C),
        functions=[function("F", ["x", "c"], ["y"], node("If", ["c"], ["y"], then_branch=inside,
                                                         else_branch=inside))])


def chain(n, calls):
    """F0 calls F1 CALLS times, that F2, .."""
    yield function("F%d" % n, ["x"], ["y"], node("Neg", ["x"], ["y"]))
    for k in range(n):
        names = ["x"] + ["a%d" % c for c in range(calls - 1)] + ["y"]
        yield function("F%d" % k, ["x"], ["y"], *[own("F%d" % (k + 1), [a], [b])
                                                  for a, b in zip(names, names[1:])])


tap.is_str(convert(model(own("F0", ["x"], ["y"]), inputs=[X], outputs=[Y],
                         functions=list(chain(50, 1)))), (0, "", ""), "fifty in a row")
for old in "m.dcl", "m.safetensors":
    if os.path.exists(old):
        os.remove(old)
refused("a thousand in a row", "functions call functions too deep", own("F0", ["x"], ["y"]),
        functions=list(chain(1000, 1)))
refused("functions that double", "with it functions are more than", own("F0", ["x"], ["y"]),
        functions=list(chain(60, 2)))
tap.ok(not os.path.exists("m.dcl"), "nothing is written")
tap.done_testing()
