#!/usr/bin/env python3
"""rewrites.t: what exporters spell out is one call in the imported program, in every order of
operands, and computes the same; what only looks like it stays as it is."""

import math
import os
import random

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import model, node, tensor, value  # noqa: E402

F32, I64 = 1, 7
erf = numpy.vectorize(math.erf)
random.seed(7)


def softmax(x):
    e = numpy.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def clip(x, low, high):
    return numpy.clip(x, low, high)


NUMPY = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Div": numpy.divide,
         "Pow": numpy.power, "Sqrt": numpy.sqrt, "Erf": erf, "Tanh": numpy.tanh, "Exp": numpy.exp,
         "Neg": numpy.negative, "MatMul": numpy.matmul, "Softmax": softmax, "Clip": clip,
         "Sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
         "Softplus": lambda x: numpy.log1p(numpy.exp(x)),
         "HardSigmoid": lambda x, alpha: numpy.clip(alpha * x + 0.5, 0, 1),
         "ReduceMean": lambda x, axes: x.mean(tuple(axes), keepdims=True),
         "Transpose": lambda x, perm: x.transpose(perm),
         "Cast": lambda x, to: x.astype({1: "f8", I64: "i8"}[to]),
         "Reshape": lambda x, shape: x.reshape([x.shape[k] if n == 0 else n
                                                for k, n in enumerate(shape)])}


class Maker:
    """The nodes of an expression, and its value: a name, a number, or (operator, operands,
    attributes)."""

    def __init__(self, inputs, shuffled):
        self.inputs, self.shuffled = inputs, shuffled
        self.nodes, self.done = [], {}

    def make(self, e):
        if isinstance(e, str):
            return e, self.inputs[e]
        if isinstance(e, list):
            name = "k%d" % len(self.nodes)
            self.nodes.append(node("Constant", [], [name], value_ints=e))
            return name, e
        if isinstance(e, (int, float)):
            name = "k%d" % len(self.nodes)
            self.nodes.append(node("Constant", [], [name], value_float=float(e)))
            return name, float(numpy.float32(e))
        key = repr(e)
        if key in self.done:
            return self.done[key]
        op, operands = e[0], list(e[1:])
        attributes = operands.pop() if isinstance(operands[-1], dict) else {}
        if op in ("Add", "Mul") and self.shuffled and random.random() < 0.5:
            operands.reverse()
        made = [self.make(x) for x in operands]
        name = "t%d" % len(self.nodes)
        self.nodes.append(node(op, [m[0] for m in made], [name], **attributes))
        self.done[key] = name, NUMPY[op](*[m[1] for m in made], **attributes)
        return self.done[key]


def array(*shape):
    return numpy.random.default_rng(len(shape) + sum(shape)).standard_normal(shape).astype("f4")


X = {"x": array(2, 3, 4), "y": array(2, 3, 4)}
N = dict(X, g=array(4), b=array(4), g3=array(3, 1))
H = {"q": array(2, 3, 5, 4), "k": array(2, 3, 7, 4), "v": array(2, 3, 7, 4), "m": array(2, 3, 5, 7),
     "one": array(2, 1, 1, 7), "r": array(2, 7, 3, 4), "u": array(2, 5, 12)}


def check(name, e, has, inputs, absent=(), times=4):
    """The program of E holds the texts HAS, of its lines all but the last ones, and not ABSENT."""
    for shuffled in range(times):
        m = Maker(inputs, shuffled)
        result, want = m.make(e)
        m.nodes.append(node("Identity", [result], ["out"]))
        used = [k for k in inputs if any(k in repr(e2) for e2 in [repr(e)] if "'%s'" % k in e2)]
        kinds = {"f": F32, "i": I64}
        data = model(*m.nodes, opset=17,
                     inputs=[value(k, F32, list(inputs[k].shape)) for k in used],
                     outputs=[value("out", kinds[want.dtype.kind], list(want.shape))])
        with open("m.onnx", "wb") as file:
            file.write(data)
        status = tap.dcl("import", "m.onnx", "--force")
        if not tap.is_str(status, (0, "", ""), name):
            continue
        with open("m.dcl") as file:
            text = file.read()
        body = text[text.index("fn forward"):]
        good = all(t in body for t in has) and not any(t in body for t in absent)
        tap.ok(good, name + ": the text", body)
        backend = "cpu" if shuffled % 2 else "ref"
        with dclpy.Session("backend=" + backend) as s:
            s.run_file("m.dcl")
            got = s.call("model", *[inputs[k] for k in used])
        tap.is_close(got, want, "%s, on %s" % (name, backend), rtol=2e-5, atol=2e-6)


def mul(*factors):
    e = factors[0]
    for f in factors[1:]:
        e = ("Mul", e, f)
    return e


def each_order(x, half, rest):
    yield mul(x, rest, half)
    yield mul(x, half, rest)
    yield mul(x, mul(half, rest))


# --- activations ---------------------------------------------------------------------------------

ERF = [("Add", 1, ("Erf", ("Div", "x", 1.4142135381698608))),
       ("Add", 1, ("Erf", ("Mul", "x", 0.7071067690849304)))]
for rest in ERF:
    for e in each_order("x", 0.5, rest):
        check("gelu", e, ["gelu(x)"], X, ["erf(", "+"])
        check("gelu of another", e[:2] + (("Mul", e[2], 1.0),), [], X, times=1)
SUM = ("Add", "x", "y")
check("gelu of a sum", mul(SUM, 0.5, ("Add", 1, ("Erf", ("Div", SUM, 1.4142135)))), ["gelu("], X,
      ["erf("])
check("no gelu: another divisor", mul("x", 0.5, ("Add", 1, ("Erf", ("Div", "x", 1.4152135)))),
      ["erf("], X, ["gelu("])
check("no gelu: another tensor", mul("y", 0.5, ("Add", 1, ("Erf", ("Div", "x", 1.4142135)))),
      ["erf("], X, ["gelu("])
for cube in ("Pow", "x", 3), mul("x", mul("x", "x")):
    inner = ("Add", 1, ("Tanh", ("Mul", 0.7978845608, ("Add", "x", ("Mul", 0.044715, cube)))))
    for e in each_order("x", 0.5, inner):
        check("gelu by tanh", e, ["gelu_tanh(x)"], X, [" * "])
check("sigmoid", ("Div", 1, ("Add", 1, ("Exp", ("Neg", "x")))), ["sigmoid(x)"], X, ["exp("])
check("silu", ("Mul", "x", ("Sigmoid", "x")), ["silu(x)"], X, ["sigmoid("])
check("silu, spelt out", ("Mul", "x", ("Div", 1, ("Add", 1, ("Exp", ("Neg", "x"))))), ["silu(x)"],
      X, ["exp("])
check("no silu", ("Mul", "y", ("Sigmoid", "x")), ["sigmoid("], X, ["silu("])
check("mish", ("Mul", "x", ("Tanh", ("Softplus", "x"))), ["mish(x)"], X, ["tanh("])
check("hardswish", ("Mul", "x", ("HardSigmoid", "x", {"alpha": 1 / 6})), ["hardswish(x)"], X,
      [" * "])
check("no hardswish", ("Mul", "x", ("HardSigmoid", "x", {"alpha": 0.2})), [" * "], X,
      ["hardswish("])
CLIPPED = ("Clip", ("Add", "x", 3), 0, 6)
for e in ("Div", mul("x", CLIPPED), 6), mul("x", ("Div", CLIPPED, 6)):
    check("hardswish by clip", e, ["hardswish(x)"], X, ["clip"])
    check("no hardswish by clip", mul("y", e), ["hardswish(x)"], X, ["clip"], times=2)
check("what is read elsewhere stays", ("Add", ("Mul", "x", ("Sigmoid", "x")), ("Sigmoid", "x")),
      ["silu(x)", "= sigmoid(x)"], X)
check("a square", ("Pow", "x", 2), ["x * x"], X, ["pow"])

# --- normalization -------------------------------------------------------------------------------


def mean(x, axis=-1):
    return ("ReduceMean", x, {"axes": [axis]})


def centred(axis=-1):
    return ("Sub", "x", mean("x", axis))


for square in ("Pow", centred(), 2), mul(centred(), centred()):
    e = ("Add", mul(("Div", centred(), ("Sqrt", ("Add", mean(square), 1e-12))), "g"), "b")
    check("layer norm", e, ["layer_norm(x, g, b, eps = 1e-12)"], N, ["mean", "sqrt"])


def norm(axis, weight):
    root = ("Sqrt", ("Add", mean(("Pow", centred(axis), 2), axis), 1e-5))
    return ("Add", mul(("Div", centred(axis), root), weight), "b")


check("its axis from the left, its eps as always", norm(2, "g"), ["layer_norm(x, g, b)"], N,
      ["mean"])
check("no layer norm over another axis", norm(1, "g"), ["mean"], N, ["layer_norm("])
check("no layer norm with other weights", norm(-1, "g3"), ["mean"], N, ["layer_norm("])
for root in (("Div", "x", ("Sqrt", ("Add", mean(("Pow", "x", 2)), 1e-6))),
             mul("x", ("Div", 1, ("Sqrt", ("Add", mean(mul("x", "x")), 1e-6))))):
    check("rms norm", mul(root, "g"), ["rms_norm(x, g)"], N, ["mean"])

# --- attention -----------------------------------------------------------------------------------

TURNED = ("Transpose", "k", {"perm": [0, 1, 3, 2]})
RAW = ("Transpose", "r", {"perm": [0, 2, 3, 1]})


def attend(scores):
    return ("MatMul", ("Softmax", scores), "v")


SCORES = ("MatMul", "q", TURNED)
check("attention", attend(mul(SCORES, 0.5)), ["attention(q, k, v)"], H, ["softmax"])
check("divided", attend(("Div", SCORES, 2)), ["attention(q, k, v)"], H, ["softmax"])
check("with another scale", attend(mul(SCORES, 0.25)),
      ["attention(q, k, v, scale = 0.25)"], H, ["softmax"])
check("with none", attend(SCORES), ["attention(q, k, v, scale = 1.0)"], H)
check("with a bias", attend(("Add", ("Div", SCORES, 2), "m")),
      ["attention(q, k, v, bias = m)"], H, ["softmax"])
check("with a bias that stretches", attend(("Add", ("Div", SCORES, 2), "one")), [], H)
root = 0.7071067811865476
check("the scale in both factors", attend(("MatMul", mul("q", root), mul(TURNED, root))),
      ["attention(q, k, v)"], H, ["softmax"])
check("different ones", attend(("MatMul", mul("q", 0.5), mul(TURNED, 0.25))), ["softmax"], H,
      ["attention("])
check("keys with the heads inside", attend(mul(("MatMul", "q", RAW), 0.5)),
      ["transpose(r, perm = [0, 2, 1, 3])", "attention(q, "], H, ["softmax"])
check("a product with a transposed factor", SCORES, ["product_transposed(q, k)"], H,
      ["perm"])
heads = ("Transpose", ("Reshape", "u", [0, 0, 3, 4]), {"perm": [0, 2, 1, 3]})
check("heads apart", heads, ["split_heads(u, heads = 3)"], H, ["perm", "reshape"])
heads = ("Transpose", ("Reshape", "u", [2, 5, -1, 4]), {"perm": [0, 2, 1, 3]})
check("however many", heads, ["split_heads(u, heads = 3)"], H, ["perm", "reshape"])
check("heads together", ("Reshape", ("Transpose", "r", {"perm": [0, 2, 1, 3]}), [2, 3, 28]),
      ["join_heads(r)"], H, ["perm", "reshape"])
check("other groups", ("Reshape", ("Transpose", "r", {"perm": [0, 2, 1, 3]}), [2, 7, 12]),
      ["perm", "reshape"], H, ["join_heads"])
check("a cast to what it is", mul(("Cast", "x", {"to": 1}), "y"), [" * "], X, ["cast"])

# --- a mask of what comes later -------------------------------------------------------------------


def causal(low, keys, upper=0):
    draw = numpy.random.default_rng(3)
    q, k, v = [draw.standard_normal((2, n, 4)).astype("f4") for n in (5, keys, keys)]
    nodes = [node("Constant", [], ["one"], value_float=1.0),
             node("Constant", [], ["low"], value_float=low),
             node("Constant", [], ["zero"], value_float=0.0),
             node("Constant", [], ["size"], value_ints=[5, keys]),
             node("Constant", [], ["c"], value_float=0.5),
             node("Expand", ["one", "size"], ["ones"]), node("Trilu", ["ones"], ["t"], upper=upper),
             node("Equal", ["t", "zero"], ["e"]), node("Where", ["e", "low", "zero"], ["mask"]),
             node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]), node("MatMul", ["q", "kt"], ["s"]),
             node("Mul", ["s", "c"], ["sc"]), node("Add", ["sc", "mask"], ["m"]),
             node("Softmax", ["m"], ["p"], axis=-1), node("MatMul", ["p", "v"], ["y"])]
    data = model(*nodes, opset=17, outputs=[value("y", F32, [2, 5, 4])],
                 inputs=[value(n, F32, list(a.shape)) for n, a in (("q", q), ("k", k), ("v", v))])
    with open("m.onnx", "wb") as file:
        file.write(data)
    ones = numpy.ones((5, keys), "f4")
    mask = numpy.where((numpy.triu(ones) if upper else numpy.tril(ones)) == 0, low, 0)
    tap.is_str(tap.dcl("import", "m.onnx", "--force"), (0, "", ""), "a mask")
    with dclpy.Session("backend=cpu") as s:
        s.run_file("m.dcl")
        got = s.call("model", q, k, v)
    tap.is_close(got, softmax(q @ k.swapaxes(1, 2) * 0.5 + mask) @ v, "computes", rtol=1e-4)
    with open("m.dcl") as file:
        return file.read()


for low in -math.inf, -3.4028235e38:
    text = causal(low, 5)
    tap.ok("attention(q, k, v, causal = true)" in text and "trilu" not in text,
           "what comes later is hidden", text)
for text in causal(-1.0, 5), causal(-math.inf, 7), causal(-3.4028235e38, 5, 1):
    tap.ok("causal" not in text and "trilu" in text, "other masks stay", text)

# --- numbers without a tensor beside them --------------------------------------------------------

c = numpy.array([[True, False], [False, True]])
data = model(node("Where", ["c", "a", "b"], ["y"]), inputs=[value("c", 9, [2, 2])],
             outputs=[value("y", F32, [2, 2])], opset=17,
             weights=[])
data = model(node("Constant", [], ["a"], value_float=0.0),
             node("Constant", [], ["b"], value_float=-3.4028235e38),
             node("Where", ["c", "a", "b"], ["w"]), node("Add", ["w", "x"], ["y"]),
             inputs=[value("c", 9, [2, 2]), value("x", F32, [2, 2])],
             outputs=[value("y", F32, [2, 2])], opset=17)
with open("m.onnx", "wb") as file:
    file.write(data)
if tap.is_str(tap.dcl("import", "m.onnx", "--force"), (0, "", ""), "a choice of two numbers"):
    with dclpy.Session("backend=cpu") as s:
        s.run_file("m.dcl")
        got = s.call("model", c, numpy.ones((2, 2), "f4"))
    tap.is_close(got, numpy.where(c, 1, -3.4028235e38), "is of their type")
# --- rules of one's own --------------------------------------------------------------------------

with open("mine.dcl", "w") as file:
    file.write("fn swish(x: f32[*S]; k: float = 2) -> f32[*S] { k * x }\n"
               "rewrite mine { x * sigmoid(x) => swish(x, k = 1 + 2) }\n")
data = model(node("Sigmoid", ["x"], ["s"]), node("Mul", ["x", "s"], ["p"]),
             node("Tanh", ["p"], ["y"]), inputs=[value("x", F32, [2, 3])],
             outputs=[value("y", F32, [2, 3])])
with open("m.onnx", "wb") as file:
    file.write(data)
tap.is_str(tap.dcl("import", "m.onnx", "--force", "--rules", "mine.dcl"), (0, "", ""), "--rules")
with open("m.dcl") as file:
    text = file.read()
tap.ok('use "mine.dcl"' in text and "swish(x, k = 3)" in text and "silu" not in text,
       "come first", text)
with dclpy.Session("backend=cpu") as s:
    s.run_file("m.dcl")
    got = s.call("model", numpy.ones((2, 3), "f4"))
tap.is_close(got, numpy.tanh(3 * numpy.ones((2, 3))), "and compute")
with open("shape.dcl", "w") as file:
    file.write("rewrite r { tanh(x) => x.T; sigmoid(x) => f64(x) }\n")
tap.is_str(tap.dcl("import", "m.onnx", "--force", "--rules", "shape.dcl"), (0, "", ""),
           "rules that give something else")
with open("m.dcl") as file:
    text = file.read()
tap.ok("= tanh(" in text and "silu(x)" in text, "are not applied", text)
status, _, err = tap.dcl("import", "m.onnx", "--force", "--rules", "none.dcl")
tap.ok(status == 1 and "cannot read none.dcl" in err, "a file that is not there", err)
with open("bad.dcl", "w") as file:
    file.write("rewrite r { x => y }\n")
status, _, err = tap.dcl("import", "m.onnx", "--force", "--rules", "bad.dcl")
tap.ok(status == 1 and "bad.dcl:1:13: error" in err, "a wrong one", err)
tap.done_testing()
