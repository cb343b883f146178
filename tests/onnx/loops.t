#!/usr/bin/env python3
"""loops.t: If by data, Loop and Scan become `if` values and loops. Results are compared with
NumPy, also of random graphs, one in the other."""

import random

import tap

numpy = tap.need_numpy()

from models import Graph, model, node, tensor, value  # noqa: E402
from programs import imported, is_computed  # noqa: E402

F32, I64, BOOL = 1, 7, 9


def v(name, element=F32, dims=()):
    return value(name, element, dims)


def body_of(text):
    body = text.split("fn forward(")[1].split("{\n", 1)[1].split("\n  }\n")[0]
    return [line.strip() for line in body.splitlines()]


def refused(what, words, *nodes, inputs, outputs, weights=()):
    with open("m.onnx", "wb") as file:
        file.write(model(*nodes, inputs=inputs, outputs=outputs, weights=weights))
    status, output, errors = tap.dcl("import", "m.onnx", "-o", "no.dcl", "--force")
    tap.ok(status == 1 and output == "" and words in errors, what, errors)


def number(name, of):
    return tensor(name, numpy.array(of))


x = numpy.arange(6, dtype="f4").reshape(2, 3)
X = v("x", F32, ["n", 3])
KEPT = node("Identity", ["c"], ["on"])

# --- If ------------------------------------------------------------------------------------------

then = Graph(node("Relu", ["x"], ["t"]), node("Add", ["t", "w"], ["u"]),
             outputs=[v("u"), v("t"), v("k"), v("one")],
             weights=[tensor("w", numpy.float32([2])), number("k", [5, 7]), number("one", 1)])
other = Graph(node("Neg", ["x"], ["t"]), node("Mul", ["t", "w"], ["u"]),
              outputs=[v("u"), v("t"), v("k"), v("one")],
              weights=[tensor("w", numpy.float32([3])), number("k", [6, 7]), number("one", 1)])
data = model(node("If", ["c"], ["a", "b", "k", "one"], then_branch=then, else_branch=other),
             node("Add", ["a", "b"], ["y"]), node("Gather", ["x", "one"], ["row"], axis=1),
             inputs=[X, v("c", BOOL, [1])],
             outputs=[v("y", F32, ["n", 3]), v("k", I64, [2]), v("row", F32, ["n"])])
text = imported(data, "a condition by data")
tap.is_str(body_of(text),
           ["a, b, k_3 = if c[0] {", "t = relu(x)", "u = t + w", "(u, t, k)", "} else {",
            "t = onnx_neg(x)", "u = t * w_2", "(u, t, k_2)", "}", "y = a + b",
            "row = onnx_gather(x, one, axis = 1)"], "is an `if`; what both give is none of it")
is_computed([x, numpy.array([True])], [2 * x + 2, numpy.array([5, 7]), x[:, 1]], "the first side")
is_computed([-x, numpy.array([False])], [4 * x, numpy.array([6, 7]), -x[:, 1]], "the other side")

nothing = Graph(outputs=[v("x")])
text = imported(model(node("If", ["c"], ["y"], then_branch=nothing, else_branch=Graph(
    node("If", ["d"], ["t"], then_branch=Graph(node("Neg", ["x"], ["t"]), outputs=[v("t")]),
         else_branch=Graph(node("Exp", ["x"], ["t"]), outputs=[v("t")])),
    outputs=[v("t")])), inputs=[X, v("c", BOOL), v("d", BOOL)],
    outputs=[v("y", F32, ["n", 3])]), "an `if` in an `if`")
tap.is_str(body_of(text), ["y = if c {", "x", "} else {", "if d { onnx_neg(x) } else { exp(x) }",
                           "}"], "its value is that of the block")
is_computed([x, False, True], [-x], "an `if` in an `if`")

for what, words, wrong in (("sizes that differ", "y is f32[n, 3], and f32[n] on the other side",
                            Graph(node("ReduceSum", ["x", "one"], ["t"], keepdims=0),
                                  outputs=[v("t")], weights=[number("one", [1])])),
                           ("element types that differ", "and bool[n, 3] on the other side",
                            Graph(node("Less", ["x", "x"], ["t"]), outputs=[v("t")])),
                           ("sizes that a run finds", "on the other side",
                            Graph(node("NonZero", ["x"], ["i"]),
                                  node("Cast", ["i"], ["t"], to=F32), outputs=[v("t")])),
                           ("an output that is missing", "its graph makes no output y", Graph())):
    refused(what, words, node("If", ["c"], ["y"], then_branch=nothing, else_branch=wrong),
            inputs=[X, v("c", BOOL)], outputs=[v("y", F32, ["n", 3])])
refused("a condition that is a number", "its condition is no truth value",
        node("If", ["c"], ["y"], then_branch=nothing, else_branch=nothing),
        inputs=[X, v("c", I64)], outputs=[v("y", F32, ["n", 3])])

# --- Loop ----------------------------------------------------------------------------------------

turn = [v("i", I64), v("c", BOOL), v("s"), v("kept")]
sums = Graph(KEPT, node("Gather", ["x", "i"], ["row"], axis=1), node("Add", ["s", "row"], ["next"]),
             node("Mul", ["next", "kept"], ["part"]), inputs=turn,
             outputs=[v("on", BOOL), v("next"), v("kept"), v("part"), v("i")])
zeros = tensor("zero", numpy.zeros(2, "f4"))
two = tensor("two", numpy.float32(2))
running = numpy.cumsum(x, 1)
text = imported(model(node("Loop", ["three", "", "zero", "two"], ["sum", "k", "parts", "at"],
                           body=sums), inputs=[v("x", F32, [2, 3])],
                      outputs=[v("sum", F32, [2]), v("parts", F32, [3, 2]), v("at", I64, [3]),
                               v("k", F32)],
                      weights=[number("three", 3), zeros, two]), "turns that are known")
tap.is_str(body_of(text), ["s = zero", "for i in 0:3 {", "row = onnx_gather(x, i, axis = 1)",
                           "s = s + row", "part = s * two", "parts[i, :] = part", "at[i] = i", "}",
                           "sum = s", "k = two"], "are a `for`")
is_computed([x], [running[:, 2], 2 * running.T, numpy.arange(3), numpy.float32(2)],
            "turns that are known")
data = model(node("Loop", ["m", "", "zero", "two"], ["sum", "k", "parts", "at"], body=sums),
             inputs=[v("x", F32, [2, 3]), v("m", I64, [1])],
             outputs=[v("sum", F32, [2]), v("parts", F32, ["?", 2]), v("at", I64, ["?"])],
             weights=[zeros, two])
text = imported(data, "turns by data")
tap.ok("for i in 0:m[0] {" in text and "part >> parts[?, :]" in text and
       "-> (f32[2], f32[?, 2], i64[?])" in text, "append what they stack", text)
for n in (2, 0):
    is_computed([x, numpy.array([n])], [running[:, n - 1] if n else numpy.zeros(2, "f4"),
                                        2 * running.T[:n], numpy.arange(n)], "%d turns" % n)
text = imported(data, "turns that are given", "--set", "m=[3]")
tap.ok("for i in 0:3 {" in text and "parts: f32[3, 2]" in text, "are known", text)

grow = Graph(node("Add", ["a", "a"], ["b"]), node("ReduceMax", ["b"], ["top"], keepdims=0),
             node("Less", ["top", "two"], ["on"]),
             inputs=[v("i", I64), v("c", BOOL), v("a")],
             outputs=[v("on"), v("b"), v("top"), v("i")])
for most in (None, 3):
    text = imported(model(node("Loop", ["most" if most else "", "go", "x"], ["y", "tops", "at"],
                               body=grow), inputs=[v("x", F32, [2]), v("go", BOOL)],
                          outputs=[v("y", F32, [2]), v("tops", F32, ["?"]), v("at", I64, ["?"])],
                          weights=[tensor("two", numpy.float32(20))] +
                          ([number("most", most)] if most else [])), "a condition in a loop")
    tap.ok(("while i < 3 and on {" if most else "while on {") in text, "is a `while`", text)
    tap.ok("a = a + a" in text and "on = top < two" in text and "i += 1" in text, "and carried",
           text)
    n = most or 5
    is_computed([numpy.float32([1, -1]), True], [numpy.float32([2**n, -2**n]),
                                                 2.0 ** numpy.arange(1, n + 1).astype("f4"),
                                                 numpy.arange(n)], "at most %s turns" % most)
    is_computed([numpy.float32([1, -1]), False], [numpy.float32([1, -1]), numpy.zeros(0, "f4"),
                                                  numpy.zeros(0, "i8")], "no turn")

swap = Graph(KEPT, node("Add", ["a", "b"], ["d"]), inputs=[v("i"), v("c"), v("a"), v("b")],
             outputs=[v("on"), v("b"), v("d")])
text = imported(model(node("Loop", ["n", "", "zero", "one"], ["p", "q"], body=swap),
                      inputs=[v("x", F32, [1])], outputs=[v("p", I64), v("q", I64)],
                      weights=[number("n", 10), number("zero", 0), number("one", 1)]), "Fibonacci")
tap.ok("d = a + b\n      a = b\n      b = d" in text, "values change one after the other", text)
is_computed([numpy.float32([0])], [numpy.int64(55), numpy.int64(89)], "Fibonacci")
swap = Graph(KEPT, inputs=[v("i"), v("c"), v("a"), v("b")], outputs=[v("on"), v("b"), v("a")])
text = imported(model(node("Loop", ["n", "", "x", "z"], ["p", "q"], body=swap),
                      inputs=[v("x", F32, [2]), v("z", F32, [2])],
                      outputs=[v("p", F32, [2]), v("q", F32, [2])], weights=[number("n", 3)]),
                "an exchange")
tap.ok("a, b = (b, a)" in text, "or at once", text)
is_computed([x[0, 1:], x[1, 1:]], [x[1, 1:], x[0, 1:]], "an exchange")

LOOP = {"inputs": [v("x", F32, [2]), v("c0", BOOL), v("n", I64)], "outputs": [v("y", F32, [2])]}
ENDS = [number("n3", 3)]


def turn_of(*nodes, gives, inputs=(v("i", I64), v("c", BOOL), v("a")), weights=()):
    return Graph(*nodes, inputs=inputs, outputs=[v(g) for g in gives], weights=weights)


for what, words, loop in (
        ("a shape that grows", "a is f32[2], and f32[4] after a turn; what a loop carries keeps",
         node("Loop", ["n", "", "x"], ["y"], body=turn_of(
             KEPT, node("Concat", ["a", "a"], ["b"], axis=0), gives=["on", "b"]))),
        ("a type that changes", "and bool[2] after a turn",
         node("Loop", ["n", "", "x"], ["y"], body=turn_of(
             KEPT, node("Less", ["a", "a"], ["b"]), gives=["on", "b"]))),
        ("a loop without an end", "nothing ends it",
         node("Loop", ["", "c0", "x"], ["y"], body=turn_of(
             KEPT, node("Add", ["a", "a"], ["b"]), gives=["on", "b"]))),
        ("a part that grows", "the shape of t is another one in each turn",
         node("Loop", ["n", "", "x"], ["y", "z"], body=turn_of(
             KEPT, node("Add", ["a", "a"], ["b"]), node("Unsqueeze", ["i", "zero"], ["j"]),
             node("Expand", ["one", "j"], ["t"]), gives=["on", "b", "t"],
             weights=[number("zero", [0]), number("one", [1])]))),
        ("too many outputs", "has 3 inputs and 2 outputs, where it needs 3 and at least 3",
         node("Loop", ["n", "", "x"], ["y", "z"], body=turn_of(KEPT, gives=["on", "a"]))),
        ("too few inputs", "has 2 inputs and 2 outputs, where it needs 3 and at least 2",
         node("Loop", ["n", "", "x"], ["y"], body=turn_of(
             KEPT, gives=["on", "x"], inputs=[v("i"), v("c")]))),
        ("no graph", "it has no graph body", node("Loop", ["n", "", "x"], ["y"])),
        ("an output that nothing makes", "its graph makes no output none",
         node("Loop", ["n", "", "x"], ["y"], body=turn_of(KEPT, gives=["on", "none"]))),
        ("names of a turn outside", "nothing makes its input b",
         node("Loop", ["n", "", "x"], ["y"], body=turn_of(
             KEPT, node("Loop", ["n", "", "a"], ["z"], body=turn_of(
                 KEPT, node("Add", ["a", "a"], ["b"]), gives=["on", "b"])),
             node("Add", ["z", "b"], ["d"]), gives=["on", "d"])))):
    refused(what, words, loop, **LOOP)

# --- Scan ----------------------------------------------------------------------------------------

step = Graph(node("Add", ["s", "e"], ["s2"]), node("Mul", ["s2", "f"], ["o"]),
             inputs=[v("s"), v("e"), v("f")], outputs=[v("s2"), v("o"), v("s2")])
both = [v("x", F32, [2, "len"]), v("z", F32, ["len", 2])]
text = imported(model(node("Scan", ["zero", "x", "z"], ["last", "o", "p"], body=step,
                           num_scan_inputs=2, scan_input_axes=[1, 0],
                           scan_input_directions=[0, 1], scan_output_axes=[1, 0],
                           scan_output_directions=[1, 0]), inputs=both,
                      outputs=[v("last", F32, [2]), v("o", F32, [2, "len"]),
                               v("p", F32, ["len", 2])], weights=[zeros]), "Scan")
tap.is_str(body_of(text), ["s = zero", "for i in 0:len {", "e = x[:, i]", "f = z[len - 1 - i, :]",
                           "s = s + e", "o_2 = s * f", "o[:, len - 1 - i] = o_2", "p[i, :] = s",
                           "}", "last = s"], "along axes, in both directions")
z = x.T + 1
is_computed([x, z], [running[:, 2], (running * z.T[:, ::-1])[:, ::-1], running.T], "Scan")
for what, words, scan in (
        ("more scanned than there is", "3 of its 2 inputs are scanned", {"num_scan_inputs": 3}),
        ("an axis that there is not", "e has no dimension 2",
         {"num_scan_inputs": 2, "scan_input_axes": [2, 0]})):
    given = ["zero", "x"] + ["z"] * (scan["num_scan_inputs"] == 2)
    refused(what, words, node("Scan", given, ["y"], body=step, **scan),
            inputs=both, outputs=[v("y", F32, [2])], weights=[zeros])
refused("parts of different numbers", "is shorter or longer than another input",
        node("Scan", ["zero", "x", "z"], ["y"], body=step, num_scan_inputs=2),
        inputs=[v("x", F32, [3, 2]), v("z", F32, [4, 2])], outputs=[v("y", F32, [2])],
        weights=[zeros])

# --- random graphs in graphs ---------------------------------------------------------------------
# A body is a list of (operator, outputs, inputs, more); `run` computes it, `nodes_of` writes it.


class Programs:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.count = 0

    def new(self, word):
        self.count += 1
        return "%s%d" % (word, self.count)

    def body(self, names, depth):
        """Statements that read NAMES (of f32[2, 3]) and add to them."""
        names, out = list(names), []
        for _ in range(self.draw.randint(1, 4)):
            kind = self.draw.choice(["Add", "Sub", "Max", "Sin"] +
                                    ["If", "Loop", "While"] * (depth > 0))
            if kind in ("If", "Loop", "While"):
                out.append(getattr(self, kind.lower())(names, depth - 1))
            elif kind == "Sin":
                out.append(("Sin", [self.new("s")], [self.draw.choice(names)], None))
            else:
                out.append((kind, [self.new("t")], self.draw.choices(names, k=2), None))
            names += out[-1][1]
        return out, names

    def names(self, of, n):
        return [self.draw.choice(of) for _ in range(n)]

    def __getattr__(self, kind):
        def make(names, depth):
            if kind == "if":
                n = self.draw.randint(1, 2)
                sides = [self.body(names, depth) for _ in range(2)]
                return ("If", [self.new("y") for _ in range(n)], [self.draw.choice(names)],
                        [(body, self.names(all_of, n)) for body, all_of in sides])
            n = self.draw.randint(1, 3)
            carried = [self.new("c") for _ in range(n)]
            body, all_of = self.body(names + carried, depth)
            nexts = self.names(all_of, n)
            return (kind.title(), [self.new("z") for _ in range(n)], self.names(names, n),
                    (carried, body, nexts, self.draw.choice(all_of)))
        return make


def positive(array):
    return array.sum(dtype="f4") > 0


def run(body, at):
    at = dict(at)
    for kind, outputs, inputs, more in body:
        ins = [at[i] for i in inputs]
        if kind == "If":
            side, gives = more[0 if positive(ins[0]) else 1]
            inner = run(side, at)
            outs = [inner[g] for g in gives]
        elif kind in ("Loop", "While"):
            carried, inner, nexts, tested = more
            outs, turns = ins, 0
            while turns < 3:
                after = run(inner, {**at, **dict(zip(carried, outs))})
                outs, turns = [after[k] for k in nexts], turns + 1
                if kind == "While" and not positive(after[tested]):
                    break
        else:
            outs = [{"Add": numpy.add, "Sub": numpy.subtract, "Max": numpy.maximum,
                     "Sin": numpy.sin}[kind](*ins)]
        at.update(zip(outputs, outs))
    return at


def test_of(name, into):
    return [node("ReduceSum", [name], [into + "_sum"], keepdims=0),
            node("Greater", [into + "_sum", "nought"], [into])]


def nodes_of(body):
    nodes = []
    for kind, outputs, inputs, more in body:
        if kind == "If":
            nodes += test_of(inputs[0], outputs[0] + "_if")
            sides = [Graph(*nodes_of(side), outputs=[v(g) for g in gives])
                     for side, gives in more]
            nodes.append(node("If", [outputs[0] + "_if"], outputs, then_branch=sides[0],
                              else_branch=sides[1]))
        elif kind in ("Loop", "While"):
            carried, inner, nexts, tested = more
            on, c, i = (outputs[0] + "_" + k for k in ("on", "c", "i"))
            end = test_of(tested, on) if kind == "While" else [node("Identity", [c], [on])]
            nodes.append(node("Loop", ["three", ""] + inputs, outputs, body=Graph(
                *nodes_of(inner), *end, inputs=[v(i, I64), v(c, BOOL)] + [v(k) for k in carried],
                outputs=[v(on)] + [v(k) for k in nexts])))
        else:
            nodes.append(node(kind, inputs, outputs))
    return nodes


F64 = numpy.float64
for seed in range(24):
    programs = Programs(seed)
    body, names = programs.body(["x", "w"], 3)
    outputs = names[2:]
    imported(model(*nodes_of(body), inputs=[v("x", F32, [2, 3]), v("w", F32, [2, 3])],
                   outputs=[v(n, F32, [2, 3]) for n in outputs],
                   weights=[number("three", 3), tensor("nought", numpy.float32(0))]),
             "random graphs %d" % seed)
    given = [numpy.random.default_rng(seed + k).integers(-8, 8, (2, 3)).astype("f4") / 4
             for k in range(2)]
    at = run(body, {"x": given[0], "w": given[1]})
    is_computed(given, [at[n] for n in outputs], "random graphs %d" % seed,
                ("ref", "cpu") if seed < 8 else ("ref",))
tap.done_testing()
