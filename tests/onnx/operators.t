#!/usr/bin/env python3
"""operators.t: operators beside NumPy, with odd shapes; random ones by what can be said of them."""

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import Graph, model, node, tensor, value  # noqa: E402

F32, I32, I64, BOOL, F64 = 1, 6, 7, 9, 11
rng = numpy.random.default_rng(5)
OPSET = 20


def f4(*shape):
    return rng.standard_normal(shape).astype("f4")


def given(what, arrays, *nodes, outputs, weights=(), backends=("ref", "cpu"), opset=OPSET,
          domains=()):
    """What the nodes make of the arrays x0, x1, ..; OUTPUTS are element types of y0, y1, .."""
    kinds = {"f4": F32, "i4": I32, "i8": I64, "b1": BOOL, "f8": F64}
    data = model(*nodes, inputs=[value("x%d" % k, kinds[a.dtype.str[1:]], a.shape)
                                 for k, a in enumerate(arrays)],
                 outputs=[value("y%d" % k, t, ["?"]) for k, t in enumerate(outputs)],
                 weights=weights, opset=opset, domains=domains)
    with open("m.onnx", "wb") as file:
        file.write(data)
    tap.is_str(tap.dcl("import", "m.onnx", "--force"), (0, "", ""), what)
    all_of = []
    for backend in backends:
        with dclpy.Session("cache=off threads=1 backend=" + backend) as s:
            s.run_file("m.dcl")
            got = s.call("model", *arrays)
            all_of.append(got if isinstance(got, tuple) else (got,))
    return all_of


def check(what, arrays, want, *nodes, **more):
    more.setdefault("outputs", [F32] * len(want))
    for got in given(what, arrays, *nodes, **more):
        for g, w in zip(got, want):
            tap.ok(g.shape == w.shape and g.dtype == w.dtype and
                   numpy.allclose(g, w, rtol=1e-4, atol=1e-4), what + ": computes", g, w)


def number(name, of):
    return tensor(name, numpy.array(of))


# --- Fourier -------------------------------------------------------------------------------------


def pairs(z):
    return numpy.stack([z.real, z.imag], -1).astype("f4")


for n in (7, 4, 10):
    x = f4(2, 7, 3, 2)
    z = x[..., 0] + 1j * x[..., 1]
    length, axis = number("n", n), number("axis", 1)
    for inverse, fft in ((0, numpy.fft.fft), (1, numpy.fft.ifft)):
        check("DFT of 7 as %d, inverse %d" % (n, inverse), [x], [pairs(fft(z, n, 1))],
              node("DFT", ["x0", "n", "axis"], ["y0"], inverse=inverse), weights=[length, axis])
    check("real DFT of 7 as %d" % n, [x[..., :1]], [pairs(numpy.fft.rfft(x[..., 0], n, 1))],
          node("DFT", ["x0", "n", "axis"], ["y0"], onesided=1), weights=[length, axis])
    check("real numbers, %d" % n, [x], [numpy.fft.irfft(z, n, 1)[..., None].astype("f4")],
          node("DFT", ["x0", "n", "axis"], ["y0"], onesided=1, inverse=1), weights=[length, axis])
x, w = f4(2, 11, 1), f4(5)
frames = numpy.stack([x[:, 3 * f:3 * f + 5, 0] * w for f in range(3)], 1)
check("STFT", [x, w], [pairs(numpy.fft.rfft(frames))],
      node("STFT", ["x0", "step", "x1"], ["y0"]), weights=[number("step", 3)])

# --- Unique --------------------------------------------------------------------------------------

x = rng.integers(0, 3, (5, 2, 3)).astype("i8")
flat, at, which, counts = numpy.unique(x, True, True, True)
check("Unique", [x], [flat, at, which.reshape(-1), counts],
      node("Unique", ["x0"], ["y0", "y1", "y2", "y3"]), outputs=[I64] * 4)
order = numpy.argsort(at)
check("Unique, as they come", [x], [flat[order], at[order],
                                    numpy.argsort(order)[which.reshape(-1)], counts[order]],
      node("Unique", ["x0"], ["y0", "y1", "y2", "y3"], sorted=0), outputs=[I64] * 4)
for axis in (0, 1, -1):
    all_of = numpy.unique(x % 2, True, True, True, axis=axis)
    check("Unique along %d" % axis, [x % 2], [a.reshape(-1) if k == 2 else a
                                              for k, a in enumerate(all_of)],
          node("Unique", ["x0"], ["y0", "y1", "y2", "y3"], axis=axis), outputs=[I64] * 4)

# --- random numbers ------------------------------------------------------------------------------

like = numpy.zeros((40, 50), "f4")
for what, nodes, low, high, mean, deviation in (
        ("RandomUniform", lambda y, **a: node("RandomUniform", [], [y], shape=[40, 50], low=-1.0,
                                              high=3.0, **a), -1, 3, 1, 4 / 12**0.5),
        ("RandomUniformLike", lambda y, **a: node("RandomUniformLike", ["x0"], [y], **a), 0, 1, 0.5,
         1 / 12**0.5),
        ("RandomNormal", lambda y, **a: node("RandomNormal", [], [y], shape=[40, 50], mean=2.0,
                                             scale=0.5, **a), -9, 9, 2, 0.5),
        ("RandomNormalLike", lambda y, **a: node("RandomNormalLike", ["x0"], [y], **a), -9, 9, 0,
         1)):
    some = given(what, [like], nodes("y0"), nodes("y1"), nodes("y2", seed=3.0),
                 nodes("y3", seed=3.0), node("Identity", ["x0"], ["y4"]), outputs=[F32] * 5)
    tap.ok(all((a == b).all() for a, b in zip(*some)), what + ": both back-ends draw the same")
    a, b, c, d, _ = some[0]
    tap.ok(a.shape == like.shape and (a >= low).all() and (a < high).all() and
           abs(a.mean() - mean) < 0.1 * deviation and abs(a.std() / deviation - 1) < 0.1,
           what + ": shape, range, mean, deviation", a.mean(), a.std())
    tap.ok((a != b).any() and (c == d).all() and (a != c).any(), what + ": seeds")
p = numpy.tile(numpy.array([0, 0.25, 1], "f4"), (400, 1))
got = given("Bernoulli", [p], node("Bernoulli", ["x0"], ["y0"], dtype=I64), outputs=[I64])[0][0]
tap.ok(got.dtype == "i8" and set(got[:, 1]) == {0, 1} and abs(got.mean(0)[1] - 0.25) < 0.08 and
       not got[:, 0].any() and got[:, 2].all(), "Bernoulli: its share", got.mean(0))
weights = numpy.log(numpy.array([[0.5, 0.25, 0.25, 1e-30]], "f4"))
got = given("Multinomial", [weights], node("Multinomial", ["x0"], ["y0"], sample_size=400),
            outputs=[I32], opset=17)[0][0]
share = numpy.bincount(got[0], minlength=4) / 400
tap.ok(got.shape == (1, 400) and got.dtype == "i4" and
       (abs(share - [0.5, 0.25, 0.25, 0]) < 0.08).all(), "Multinomial: its shares", share)

# --- others --------------------------------------------------------------------------------------

a, b = f4(2, 1, 3, 4), f4(2, 1, 4, 5)
check("Einsum with dots", [a, b], [numpy.einsum("...ij,...jk", a, b)],
      node("Einsum", ["x0", "x1"], ["y0"], equation="...ij,...jk"))
check("Einsum of a diagonal with dots", [a[..., :3]], [numpy.einsum("...ii->...i", a[..., :3])],
      node("Einsum", ["x0"], ["y0"], equation="...ii->...i"))
x, g, c = f4(2, 6, 3), f4(2), f4(2)
groups = x.reshape(2, 2, -1)
normal = groups - groups.mean(-1, keepdims=True)
normal = normal / numpy.sqrt(groups.var(-1, keepdims=True) + 1e-5)
check("GroupNormalization 18", [x, g, c], [(normal * g[None, :, None] + c[None, :, None])
                                           .reshape(x.shape)],
      node("GroupNormalization", ["x0", "x1", "x2"], ["y0"], num_groups=2))
x = f4(3, 4)
ML = [("ai.onnx.ml", 3)]
check("Scaler", [x], [(x - numpy.float32([1, 2, 3, 4])) * 2],
      node("Scaler", ["x0"], ["y0"], domain="ai.onnx.ml", offset=[1.0, 2.0, 3.0, 4.0], scale=[2.0]),
      domains=ML)
for norm, by in (("MAX", x.max(1)), ("L1", abs(x).sum(1)), ("L2", numpy.sqrt((x * x).sum(1)))):
    check("Normalizer " + norm, [x], [x / by[:, None]],
          node("Normalizer", ["x0"], ["y0"], domain="ai.onnx.ml", norm=norm), domains=ML)
k = rng.standard_normal(8).astype("f4")
check("LinearRegressor", [x], [x @ k.reshape(2, 4).T + numpy.float32([1, 2])],
      node("LinearRegressor", ["x0"], ["y0"], domain="ai.onnx.ml", targets=2,
           coefficients=[float(v) for v in k], intercepts=[1.0, 2.0]), domains=ML)
q, k, v = f4(1, 4, 3, 5), f4(1, 2, 6, 5), f4(1, 2, 6, 7)


def one(name):
    return value(name, F32, [])


s = numpy.einsum("bhsd,bhld->bhsl", q, numpy.repeat(k, 2, 1)) / 5**0.5
e = numpy.exp(2 * numpy.tanh(s))
p = (e / e.sum(-1, keepdims=True)) ** 2
check("FlexAttention", [q, k, v], [p @ numpy.repeat(v, 2, 1)],
      node("FlexAttention", ["x0", "x1", "x2"], ["y0"], domain="ai.onnx.preview",
           score_mod=Graph(node("Tanh", ["s"], ["t"]), node("Mul", ["t", "two"], ["u"]),
                           inputs=[one("s")], outputs=[one("u")]),
           prob_mod=Graph(node("Mul", ["p", "p"], ["r"]), inputs=[one("p")],
                          outputs=[one("r")])),
      weights=[tensor("two", numpy.float32(2))], domains=[("ai.onnx.preview", 1)])
x, b = f4(2, 3, 4), f4(3)
check("Add 6", [x, b], [x + b[:, None], x * b[1]],
      node("Add", ["x0", "x1"], ["y0"], broadcast=1, axis=1),
      node("Slice", ["x1"], ["one"], starts=[1], ends=[2]),
      node("Mul", ["x0", "one"], ["y1"], broadcast=1), opset=6)
# --- sizes that a run finds, as numbers ----------------------------------------------------------

x, keep = f4(5, 2), numpy.array([True, False, True, True, False])
compress, shape = node("Compress", ["x0", "x1"], ["y"], axis=0), node("Shape", ["y"], ["s"])
for what, want, nodes, kind in [
        ("a shape", [3, 2], [node("Identity", ["s"], ["y0"])], I64),
        ("a shape as floats", [3, 2], [node("Cast", ["s"], ["y0"], to=1)], F32),
        ("a shape in i32", [3, 2], [node("Cast", ["s"], ["y0"], to=6)], I32),
        ("arithmetic", [9, 4], [node("Mul", ["s", "s"], ["y0"])], I64),
        ("sizes beside numbers", [3, 2, 7], [node("Concat", ["s", "seven"], ["y0"], axis=0)], I64),
        ("a shape turned", [2, 3], [node("Slice", ["s", "last", "before", "zero", "last"],
                                         ["y0"])], I64),
        ("a size", 6, [node("Size", ["y"], ["y0"])], I64)]:
    want = numpy.array(want, {I64: "i8", F32: "f4", I32: "i4"}[kind])
    check("Compress, " + what, [x, keep], [want], compress, shape, *nodes, outputs=[kind],
          weights=[number("seven", [7]), number("last", [-1]), number("before", [-9]),
                   number("zero", [0])])
check("Compress, a tensor of the shape", [x, keep], [x[keep].T.reshape(2, 3)], compress, shape,
      node("Slice", ["s", "last", "before", "zero", "last"], ["t"]),
      node("Reshape", ["z", "t"], ["y0"]), node("Transpose", ["y"], ["z"]),
      weights=[number("last", [-1]), number("before", [-9]), number("zero", [0])])
where = numpy.array([[0, 1, 0], [2, 3, 0]], "f4")
check("NonZero, how many", [where], [numpy.array([2, 3]), numpy.array([3], "f4")],
      node("NonZero", ["x0"], ["y"]), node("Shape", ["y"], ["y0"]),
      node("Shape", ["y"], ["s"], start=1), node("Cast", ["s"], ["y1"], to=1), outputs=[I64, F32])
check("NonZero, all of them counted", [where], [numpy.arange(3)],
      node("NonZero", ["x0"], ["y"]), node("Shape", ["y"], ["s"], start=1),
      node("Squeeze", ["s"], ["n"]), node("Range", ["none", "n", "one"], ["y0"]), outputs=[I64],
      weights=[number("none", 0), number("one", 1)])
tap.done_testing()
