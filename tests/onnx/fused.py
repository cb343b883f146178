#!/usr/bin/env python3
"""fused.py: operators of com.microsoft beside ONNX Runtime, which has defined them: random inputs
of odd shapes.

    fused.py [WORD..]"""

import os
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import dclpy  # noqa: E402
import tap  # noqa: E402
import onnxruntime  # noqa: E402

rng = numpy.random.default_rng(11)
CASES = []


def f4(*shape):
    return rng.standard_normal(shape).astype("f4")


def u1(*shape):
    return rng.integers(0, 256, shape).astype("u1")


def i1(*shape):
    return rng.integers(-128, 128, shape).astype("i1")


def scalar(x, kind="f4"):
    return numpy.array(x, kind)


def case(op, inputs, outputs=1, near=1e-4, version=17, domain="com.microsoft", **attributes):
    """INPUTS: arrays, None where one is left out. OUTPUTS: how many, or which are wanted."""
    wanted = range(outputs) if isinstance(outputs, int) else outputs
    CASES.append((op, inputs, list(wanted), near, version, domain, attributes))


def types(inputs):
    return ["" if a is None else "i%d" % k for k, a in enumerate(inputs)]


def model_of(op, inputs, wanted, opset, domain, attributes):
    names = ["o%d" % k if k in wanted else "" for k in range(max(wanted) + 1)]
    node = helper.make_node(op, types(inputs), names, domain=domain, **attributes)
    kind = helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("i%d" % k, kind(a.dtype), a.shape)
                      for k, a in enumerate(inputs) if a is not None],
        [onnx.ValueInfoProto(name=n) for n in names if n])
    sets = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=sets, ir_version=8)


def typed(model, session):
    """The model with the element types that ONNX Runtime finds."""
    words = {"tensor(float)": 1, "tensor(uint8)": 2, "tensor(int8)": 3, "tensor(int32)": 6,
             "tensor(int64)": 7}
    for o, s in zip(model.graph.output, session.get_outputs()):
        o.CopyFrom(helper.make_tensor_value_info(o.name, words[s.type], s.shape))
    return model


def differs(got, want, near):
    if got.shape != want.shape or got.dtype != want.dtype:
        return "%s%s, expected %s%s" % (got.dtype, got.shape, want.dtype, want.shape)
    d = abs(got.astype("f8") - want.astype("f8"))
    if got.dtype.kind in "iu":  # rounding may go either way where two floats meet
        ones = (d == 1).sum() if near >= 1 else 0
        wrong = (d > 0).sum() - min(ones, 1 + got.size // 20)
    else:
        wrong = (d > near * (1 + abs(want))).sum()
    return "%d of %d differ by %g at most" % (wrong, got.size, d.max()) if wrong else None


def run(number, op, inputs, wanted, near, opset, domain, attributes):
    model = model_of(op, inputs, wanted, opset, domain, attributes)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
    given = {"i%d" % k: a for k, a in enumerate(inputs) if a is not None}
    want = session.run(None, given)
    onnx.save(typed(model, session), "m.onnx")
    done = subprocess.run([tap.DCL, "import", "m.onnx", "--force"], capture_output=True, text=True,
                          check=False)
    if done.returncode:
        return done.stderr
    for backend in ("ref", "cpu"):
        with dclpy.Session("cache=off threads=1 backend=" + backend) as s:
            s.run_file("m.dcl")
            got = s.call("model", *given.values())
        for k, (g, w) in enumerate(zip(got if isinstance(got, tuple) else [got], want)):
            why = differs(numpy.asarray(g), w, near)
            if why:
                return "%s: output %d: %s" % (backend, wanted[k], why)
    return None


# --- floats --------------------------------------------------------------------------------------

for a, b in ((0, 0), (1, 0), (0, 1), (1, 1)):
    case("FusedMatMul", [f4(2, 5, 3).swapaxes(1, 2 if a else 1).copy(),
                         f4(2, 3, 4).swapaxes(1, 2 if b else 1).copy()], alpha=0.5, transA=a,
         transB=b)
case("FusedMatMul", [f4(3, 1, 5, 3), f4(2, 3, 7)], alpha=1.0)
case("Gelu", [3 * f4(2, 7)])
case("BiasGelu", [f4(2, 3, 7), f4(7)])
case("FastGelu", [3 * f4(2, 3, 7)])
case("FastGelu", [3 * f4(2, 3, 7), f4(7)])
case("QuickGelu", [f4(5)])
case("QuickGelu", [f4(5)], alpha=0.5)
case("LayerNormalization", [f4(2, 3, 5), f4(5), f4(5)], 3, version=11, domain="", axis=-1,
     epsilon=1e-3)
case("SimplifiedLayerNormalization", [f4(2, 3, 5), f4(5)], 1, domain="", axis=-1, epsilon=1e-3)
for name, more in (("SkipLayerNormalization", [f4(7)]), ("SkipSimplifiedLayerNormalization", [])):
    case(name, [f4(2, 3, 7), f4(2, 3, 7), f4(7)], epsilon=1e-3)
    case(name, [f4(2, 3, 7), f4(2, 3, 7), f4(7)] + more + [f4(7)], [0, 3], epsilon=1e-3)
    case(name, [f4(2, 3, 7), f4(1, 3, 7), f4(7)] + more)
    case(name, [f4(2, 3, 7), f4(3, 7), f4(7)] + more)
ids, kinds = (rng.integers(0, n, (2, 5)).astype("i4") for n in (11, 2))
tables = [f4(11, 6), f4(9, 6), f4(2, 6), f4(6), f4(6)]
ones = numpy.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]], "i4")
case("EmbedLayerNormalization", [ids, kinds] + tables + [ones], 2, epsilon=1e-4)
case("EmbedLayerNormalization", [ids, kinds] + tables, [0, 2])
case("EmbedLayerNormalization", [ids, None] + tables[:2] + [None] + tables[3:], 2)
case("EmbedLayerNormalization", [ids, kinds] + tables + [ones, ids % 9], 2)
x, w, b = f4(2, 5, 6), f4(6, 24), f4(24)
for mask in (None, numpy.array([3, 5], "i4"), ones, numpy.tril(numpy.ones((2, 5, 5), "i4"))):
    case("Attention", [x, w, b, mask], num_heads=2)
case("Attention", [x, w, b], num_heads=4, unidirectional=1)
case("Attention", [x, w, b, None, f4(2, 2, 2, 3, 4)], 2, num_heads=2, unidirectional=1)
case("Attention", [x, w, b, None, None, f4(2, 2, 5, 5)], num_heads=2, scale=0.3)
case("Attention", [x, f4(6, 20), f4(20)], num_heads=2, qkv_hidden_sizes=[8, 8, 4])
q, k, v = f4(2, 5, 8), f4(2, 7, 8), f4(2, 7, 8)
case("MultiHeadAttention", [q, k, v], num_heads=2)
case("MultiHeadAttention", [q, k, v, f4(24)], num_heads=4, scale=0.7)
case("MultiHeadAttention", [q, k, f4(2, 7, 6), f4(22)], num_heads=2)
case("MultiHeadAttention", [q, k, v, None, numpy.array([[1] * 6 + [0], [1] * 4 + [0] * 3], "i4")],
     num_heads=2)
case("MultiHeadAttention", [q, k, v, None, None, f4(1, 2, 5, 7)], num_heads=2)
case("MultiHeadAttention", [q, f4(2, 2, 7, 4), f4(2, 2, 7, 4)], num_heads=2)
case("MultiHeadAttention", [q, q[::-1].copy(), 2 * q, f4(24), None, None, f4(2, 2, 3, 4),
                            f4(2, 2, 3, 4)], 3, num_heads=2)
case("MultiHeadAttention", [q, q[::-1].copy(), 2 * q], num_heads=2, unidirectional=1)
image, kernel = f4(2, 4, 7, 6), f4(6, 2, 3, 3)
case("FusedConv", [image, kernel, f4(6)], group=2, activation="Relu", pads=[1, 1, 1, 1])
case("FusedConv", [image, kernel, f4(6), f4(2, 6, 4, 3)], group=2, activation="LeakyRelu",
     activation_params=[0.3], pads=[1, 1, 1, 1], strides=[2, 2])
case("FusedConv", [image, kernel], group=2, activation="Clip", activation_params=[-0.5, 0.5])
case("FusedConv", [image, kernel], group=2, activation="HardSigmoid",
     activation_params=[0.2, 0.4])
case("FusedGemm", [f4(3, 5), f4(4, 5), f4(4)], transB=1, alpha=0.5, activation="Tanh")
case("FusedGemm", [f4(3, 5), f4(5, 4)], activation="LeakyRelu", activation_alpha=0.2)

# --- quantized ------------------------------------------------------------------------------------

for draw, kind, zeros in ((u1, "u1", (100, 130, 120)), (i1, "i1", (-3, 5, 0))):
    z = [scalar(n, kind) for n in zeros]
    s = [scalar(n) for n in (0.0213, 0.0507, 0.0391)]  # few ties
    for op in ("QLinearAdd", "QLinearMul"):
        case(op, [draw(2, 3, 5), s[0], z[0], draw(2, 3, 5), s[1], z[1], s[2], z[2]], near=1)
        case(op, [draw(2, 3, 5), s[0], z[0], draw(5), s[1], z[1], s[2], z[2]], near=1)
        case(op, [draw(2, 1, 5), s[0], z[0], draw(3, 1), s[1], z[1], s[2], z[2]], near=1)
    case("QLinearSigmoid", [draw(4, 9), s[0], z[0], scalar(1 / 256), scalar(0 if kind == "u1" else
                                                                         -128, kind)], near=1)
    case("QLinearLeakyRelu", [draw(4, 9), s[0], z[0], s[1], z[1]], near=1, alpha=0.2)
    case("QLinearSoftmax", [draw(4, 9), s[1], z[0], scalar(1 / 256), scalar(
        0 if kind == "u1" else -128, kind)], near=1, axis=-1, opset=13)
    case("QLinearGlobalAveragePool", [draw(2, 3, 5, 7), s[0], z[0], s[1], z[1]], near=1)
    case("QLinearGlobalAveragePool", [draw(2, 5, 7, 3), s[0], z[0], s[1], z[1]], near=1,
         channels_last=1)
    case("QLinearConcat", [s[2], z[2], draw(2, 3, 4), s[0], z[0], draw(2, 5, 4), s[1], z[1]],
         near=1, axis=1)
    case("QGemm", [draw(3, 5), s[0], z[0], draw(5, 4), s[1], z[1], rng.integers(-99, 99, 4).astype(
        "i4"), scalar(0.9), z[2]], near=1)
    case("QGemm", [draw(3, 5), s[0], z[0], draw(4, 5), s[1], z[1]], transB=1, alpha=0.5)
case("QLinearAveragePool", [u1(2, 3, 5, 7), scalar(0.02), scalar(100, "u1"), scalar(0.03),
                            scalar(90, "u1")], near=1, kernel_shape=[3, 2], pads=[1, 0, 1, 1],
     strides=[2, 2])
case("QLinearAveragePool", [u1(2, 5, 7, 3), scalar(0.02), scalar(100, "u1"), scalar(0.03),
                            scalar(90, "u1")], near=1, kernel_shape=[2, 2], channels_last=1,
     count_include_pad=1, pads=[1, 1, 0, 0])


def small(*shape):
    """ONNX Runtime adds two products of u8 and i8 in 16 bits, which may not hold them."""
    return rng.integers(-60, 60, shape).astype("i1")


for draw, kind in ((u1, "u1"), (small, "i1")):
    case("QAttention", [u1(2, 5, 6), draw(6, 24), f4(24), scalar([0.01]), scalar([0.02]), None,
                        scalar([120], "u1"), scalar([7], kind)], num_heads=2)
    case("QAttention", [u1(2, 5, 6), draw(6, 24), f4(24), scalar([0.01]), scalar([0.02]), ones,
                        scalar([120], "u1"), scalar([7], kind)], num_heads=4)
    case("MatMulInteger", [u1(3, 5), draw(5, 4), scalar(9, "u1"), draw(4)], domain="")
    case("DynamicQuantizeMatMul", [f4(2, 3, 5), draw(5, 4), scalar([0.01])], near=1e-3)
    case("DynamicQuantizeMatMul", [f4(3, 5), draw(5, 4), f4(4) ** 2 / 99, draw(4), f4(4)],
         near=1e-3)
    case("MatMulIntegerToFloat", [u1(2, 3, 5), draw(5, 4), scalar([0.02]), scalar([0.01])])
    case("MatMulIntegerToFloat", [u1(3, 5), draw(5, 4), scalar(0.02), f4(4) ** 2 / 99,
                                  scalar(120, "u1"), draw(4), f4(4)], near=1e-3)
case("QuantizeLinear", [f4(3, 5), scalar(0.03), scalar(120, "u1")])
case("DequantizeLinear", [u1(3, 5), f4(5), u1(5)], axis=1)


def main():
    words, bad = sys.argv[1:], 0
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for number, (op, inputs, *more) in enumerate(CASES):
            if words and not any(w in op for w in words):
                continue
            try:
                why = run(number, op, inputs, *more)
            except Exception as e:  # one is never the end of all
                why = "%s: %s" % (type(e).__name__, e)
            if why:
                bad += 1
                print("case %d, %s%s %s: %s" % (number, op, [None if a is None else a.shape
                                                              for a in inputs], more[-1], why))
    print("%d of %d cases are wrong" % (bad, len(CASES)))
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
