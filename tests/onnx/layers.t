#!/usr/bin/env python3
"""layers.t: what is computed with states as a layer of the library does it is a call of that layer,
with the attributes as its arguments; what no layer does stays a call of a function. Either computes
the same, and trains."""

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import block, model, node, tensor, value  # noqa: E402
from programs import imported, is_computed  # noqa: E402

F32, I64, I32 = 1, 7, 6
random = numpy.random.default_rng(11)


def f4(*shape):
    return random.standard_normal(shape).astype("f4")


def scoped(made, *names):
    """A node with the scopes that PyTorch notes beside it."""
    return made + block(9, block(1, "pkg.torch.onnx.name_scopes") + block(2, str(list(names))))


def check(what, nodes, weights, x, want, has, absent=(), kind=F32):
    """The model of NODES from x to y computes WANT, and its text HAS all of these."""
    data = model(*nodes, opset=18, inputs=[value("x", kind, list(x.shape))],
                 outputs=[value("y", F32, list(want.shape))],
                 weights=[tensor(n, w) for n, w in weights.items()])
    text = imported(data, what)
    wrong = [t for t in has if t not in text] + ["not " + t for t in absent if t in text]
    tap.ok(not wrong, what + ": the text", wrong, text)
    is_computed([x], [want], what)
    tap.is_str(tap.dcl("fmt", "--check", "m.dcl"), (0, "", ""), what + ": is laid out")
    return text


# --- products -----------------------------------------------------------------------------------

x, w, b = f4(2, 3), f4(4, 3), f4(4)
LINEAR = {"fc.weight": w, "fc.bias": b}
check("Gemm, transposed", [node("Gemm", ["x", "fc.weight", "fc.bias"], ["y"], transB=1)], LINEAR, x,
      x @ w.T + b, ["fc = Linear(3, 4)", "y = fc(x)"], ["use", "weight"])
check("Gemm", [node("Gemm", ["x", "fc.weight", "fc.bias"], ["y"])],
      {"fc.weight": w.T.copy(), "fc.bias": b}, x, x @ w.T + b, ["fc = Linear(3, 4)", "y = fc(x)"])
check("Gemm with a factor", [node("Gemm", ["x", "fc.weight", "fc.bias"], ["y"], transB=1,
                                  alpha=0.5)], LINEAR, x, 0.5 * (x @ w.T) + b,
      ["gemm(x, fc.weight, fc.bias, alpha = 0.5"], ["Linear("])
check("Gemm and a column", [node("Gemm", ["x", "fc.weight", "c"], ["y"], transB=1)],
      {"fc.weight": w, "c": f4(2, 1) * 0 + 2}, x, x @ w.T + 2, ["gemm(x, "], ["Linear("])
x = f4(2, 5, 3)
for k, ins in enumerate((["p", "q.bias"], ["q.bias", "p"])):
    check("MatMul and Add, %d" % k, [node("MatMul", ["x", "anything"], ["p"], name="/q/MatMul"),
                                     node("Add", ins, ["y"], name="/q/Add")],
          {"anything": w.T.copy(), "q.bias": b}, x, x @ w.T + b, ["q = Linear(3, 4)", "y = q(x)"],
          ["@", "+"])
check("MatMul", [node("MatMul", ["x", "q.weight"], ["y"])], {"q.weight": w.T.copy()}, x, x @ w.T,
      ["q = Linear(3, 4, with_bias = false)", "y = q(x)"])
check("MatMul of a Transpose", [node("Transpose", ["q.weight"], ["t"], perm=[1, 0]),
                                node("MatMul", ["x", "t"], ["y"])], {"q.weight": w}, x, x @ w.T,
      ["q = Linear(3, 4, with_bias = false)", "y = q(x)"], ["transpose"])
x, w = f4(2, 4), f4(4, 4)
check("a layer that is called twice",
      [node("Gemm", ["x", "fc.weight", "fc.bias"], ["p"], transB=1),
       node("Gemm", ["p", "fc.weight", "fc.bias"], ["y"], transB=1)],
      {"fc.weight": w, "fc.bias": b}, x, (x @ w.T + b) @ w.T + b,
      ["fc_out = fc(x)", "y = fc(fc_out)"])
check("a weight of two layers",
      [node("Gemm", ["x", "fc.weight", "fc.bias"], ["p"], transB=1),
       node("Gemm", ["p", "fc.weight"], ["y"])], {"fc.weight": w, "fc.bias": b}, x,
      (x @ w.T + b) @ w, ["fc = Linear(4, 4)", "y = gemm(fc_out, fc.weight)"])
check("one that is transposed",
      [node("MatMul", ["x", "fc.weight"], ["p"]), node("Mul", ["p", "fc.weight"], ["q"]),
       node("MatMul", ["q", "fc.weight"], ["y"])], {"fc.weight": w}, f4(4, 4) * 0 + 1,
      ((numpy.ones((4, 4), "f4") @ w) * w) @ w, ["fc_out * fc.weight.T", "y = fc("])

# --- convolutions -------------------------------------------------------------------------------


def convolved(x, w, b, stride, pads, dilation, groups):
    """The convolution as its definition; a number of each for all dimensions."""
    n = w.ndim - 2
    x = numpy.pad(x, [(0, 0), (0, 0)] + [(pads[i], pads[n + i]) for i in range(n)])
    size = [(x.shape[2 + i] - dilation * (w.shape[2 + i] - 1) - 1) // stride + 1 for i in range(n)]
    y = numpy.zeros([x.shape[0], w.shape[0]] + size, "f8")
    for at in numpy.ndindex(*size):
        part = x[(slice(None), slice(None)) + tuple(
            slice(at[i] * stride, at[i] * stride + dilation * (w.shape[2 + i] - 1) + 1, dilation)
            for i in range(n))]
        for o in range(w.shape[0]):
            g = o // (w.shape[0] // groups) * w.shape[1]
            y[(slice(None), o) + at] = (part[:, g:g + w.shape[1]] * w[o]).sum(
                tuple(range(1, n + 2)))
    return (y if b is None else y + b.reshape([1, -1] + [1] * n)).astype("f4")


def conv(what, kernel, has, absent=(), stride=1, pads=None, dilation=1, groups=1, bias=True,
         size=7, **more):
    n = len(kernel)
    x, w, b = f4(2, 4, *[size] * n), f4(6, 4 // groups, *kernel), f4(6)
    pads = pads or [0] * (2 * n)
    weights = {"c.weight": w, **({"c.bias": b} if bias else {})}
    said = more or {"pads": pads}
    check(what, [node("Conv", ["x", *weights], ["y"], strides=[stride] * n,
                      dilations=[dilation] * n, group=groups, **said)], weights, x,
          convolved(x, w, b if bias else None, stride, pads, dilation, groups), has, absent)


conv("Conv", [3, 3], ["c = Conv2d(4, 6, 3)", "y = c(x)"], ["use", "weight"])
conv("of all attributes", [3, 3],
     ["c = Conv2d(4, 6, 3, stride = 2, pad = 2, dilation = 2, groups = 2, with_bias = false)"],
     stride=2, pads=[2] * 4, dilation=2, groups=2, bias=False)
conv("SAME_UPPER", [3, 3], ["c = Conv2d(4, 6, 3, pad = 1)"], pads=[1] * 4, auto_pad="SAME_UPPER")
conv("of one dimension", [3], ["c = Conv1d(4, 6, 3, stride = 3, pad = 1)"], stride=3, pads=[1, 1])
conv("of three", [2, 2, 2], ["c = Conv3d(4, 6, 2, groups = 2)"], groups=2, size=4)
conv("of uneven windows", [3, 1], ["onnx_conv(x, c.weight, c.bias"], ["Conv2d("])
conv("of uneven padding", [3, 3], ["onnx_conv(x, c.weight, c.bias, pads = [0, 0, 1, 1])"],
     ["Conv2d("], pads=[0, 0, 1, 1])



def spread(x, w, b, stride, pad, extra):
    """What a convolution maps from, turned round."""
    size = [(n - 1) * stride + k + extra for n, k in zip(x.shape[2:], w.shape[2:])]
    y = numpy.zeros([x.shape[0], w.shape[1]] + size, "f8")
    for i, j in numpy.ndindex(*x.shape[2:]):
        y[:, :, i * stride:i * stride + w.shape[2], j * stride:j * stride + w.shape[3]] += \
            numpy.einsum("nc,cokl->nokl", x[:, :, i, j], w)
    y = y[:, :, pad:size[0] - pad, pad:size[1] - pad]
    return (y + b.reshape(-1, 1, 1)).astype("f4")


x, w, b = f4(1, 3, 4, 4), f4(3, 2, 3, 3), f4(2)
up = {"up.weight": w, "up.bias": b}
check("ConvTranspose", [node("ConvTranspose", ["x", *up], ["y"], strides=[2, 2],
                             pads=[1] * 4, output_padding=[1, 1])], up, x,
      spread(x, w, b, 2, 1, 1),
      ["up = ConvTranspose2d(3, 2, 3, stride = 2, pad = 1, extra = 1)", "y = up(x)"])
check("one of uneven padding", [node("ConvTranspose", ["x", *up], ["y"], pads=[0, 0, 1, 1])], up,
      x, spread(x, w, b, 1, 0, 0)[:, :, :-1, :-1], ["onnx_conv_transpose(x, up.weight, up.bias"],
      ["ConvTranspose2d("])

# --- normalization ------------------------------------------------------------------------------

x, g, b, m, v = f4(5, 4, 3), f4(4), f4(4), f4(4), f4(4) ** 2


def normed(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / numpy.sqrt(x.var(axes, keepdims=True) + eps)


def batch(x, g, b, m, v, eps=1e-5):
    g, b, m, v = [a.reshape(1, -1, 1) for a in (g, b, m, v)]
    return (x - m) / numpy.sqrt(v + eps) * g + b


STATES = ["n.weight", "n.bias", "n.running_mean", "n.running_var"]
check("BatchNormalization", [node("BatchNormalization", ["x", *STATES], ["y"], epsilon=0.001,
                                  momentum=0.75)], dict(zip(STATES, (g, b, m, v))), x,
      batch(x, g, b, m, v, 1e-3), ["n = BatchNorm(4, eps = 0.001, momentum = 0.25)", "y = n(x)"])
check("with a weight beside it", [node("BatchNormalization", ["x", *STATES], ["p"]),
                                  node("Mul", ["p", "n.scale"], ["y"])],
      {**dict(zip(STATES, (g, b, m, v))), "n.scale": f4(3) * 0 + 2}, x,
      2 * batch(x, g, b, m, v), ["buffer running_mean: f32[4]", "buffer running_var: f32[4]",
                                 "param weight: f32[4]", "param scale"], ["BatchNorm("])
one, zero = numpy.ones(4, "f4"), numpy.zeros(4, "f4")
check("whose equal states are written once",
      [node("BatchNormalization", ["x", "n.weight", "n.bias", "n.bias", "n.weight"], ["p"],
            name="/n/BatchNormalization"),
       node("BatchNormalization", ["p", "n.weight", "n.bias", "n.bias", "n.weight"], ["y"],
            name="/m/BatchNormalization")], {"n.weight": one, "n.bias": zero}, x, x / (1 + 1e-5),
      ["n = BatchNorm(4)", "m = BatchNorm(4)", "n_out = n(x)", "y = m(n_out)"])
with dclpy.Session("cache=off threads=1") as s:
    s.run_file("m.dcl")
    s.run("""
fn step(net: Model, opt: SGD, x: f32[_, _, _], t: f32[_, _, _]) -> f32 {
  minimize mse(net(x), t) over net with opt
}
opt = SGD(0.1)
x: f32[5, 4, 3]
map i, j, k { x[i, j, k] = f32((7*i + 3*j + 5*k) % 11) }
first = step(model, opt, x, tanh(x))
for i in 0:30 { last = step(model, opt, x, tanh(x)) }
assert(last < first, "it learns")
assert(len(params(model)) == 4, "statistics are not trained")
assert(model.n.running_mean[0] > 1, "they follow the batches")
assert(model.n.weight[0] != model.m.weight[0] and model.n.bias[0] != model.m.bias[0],
    "each layer has its own states")
""")
    tap.ok(True, "normalization trains")

x, g, b = f4(2, 3, 4), f4(4), f4(4)
check("LayerNormalization", [node("LayerNormalization", ["x", "n.weight", "n.bias"], ["y"],
                                  axis=2, epsilon=0.01)], {"n.weight": g, "n.bias": b}, x,
      normed(x, -1, 0.01) * g + b, ["n = LayerNorm(4, eps = 0.01)", "y = n(x)"])
check("of two dimensions", [node("LayerNormalization", ["x", "n.weight", "n.bias"], ["y"],
                                 axis=1)], {"n.weight": f4(3, 4) * 0 + 2, "n.bias": f4(3, 4) * 0},
      x, normed(x, (1, 2)) * 2, ["onnx_layer_norm(x, n.weight, n.bias, axis = 1)"])
check("two of them, by the scopes beside nodes",
      [scoped(node("LayerNormalization", ["x", "n.weight", "n.bias"], ["p"]), "", "n", "norm"),
       scoped(node("LayerNormalization", ["p", "n.weight", "n.bias"], ["y"]), "", "k", "norm_1")],
      {"n.weight": one, "n.bias": zero}, x, normed(normed(x, -1), -1),
      ["n = LayerNorm(4)", "k = LayerNorm(4)", "y = k(n_out)"])
x, g, b = f4(2, 4, 3, 3), f4(4), f4(4)
check("InstanceNormalization", [node("InstanceNormalization", ["x", "n.weight", "n.bias"], ["y"])],
      {"n.weight": g, "n.bias": b}, x,
      normed(x, (2, 3)) * g.reshape(4, 1, 1) + b.reshape(4, 1, 1), ["n = GroupNorm(4, 4)"])

# --- tables -------------------------------------------------------------------------------------

table = f4(5, 3)
for kind, name, has in ((I64, "i8", ["w = Embedding(5, 3)", "y = w(x)"]),
                        (I32, "i4", ["y = onnx_gather(w.weight, x)"])):
    x = numpy.array([[4, 0], [1, 1]], name)
    check("Gather by " + name, [node("Gather", ["w.weight", "x"], ["y"])], {"w.weight": table}, x,
          table[x], has, kind=kind)
x = numpy.array([[4, 0], [1, 1]], "i8")
check("a table that is a product's weight, too",
      [node("Gather", ["w.weight", "x"], ["p"]),
       node("Transpose", ["w.weight"], ["t"], perm=[1, 0]), node("MatMul", ["p", "t"], ["y"])],
      {"w.weight": table}, x, table[x] @ table.T,
      ["w = Embedding(5, 3)", "w_out = w(x)", "w.weight"], ["Linear("], kind=I64)

# --- lists --------------------------------------------------------------------------------------

x, w, b = f4(2, 3), f4(3, 3), f4(3)
check("a list with something between", [node("Gemm", ["x", "n.0.weight", "n.0.bias"], ["p"]),
                                        node("Relu", ["p"], ["q"]),
                                        node("Gemm", ["q", "n.2.weight", "n.2.bias"], ["y"])],
      {"n.0.weight": w, "n.0.bias": b, "n.2.weight": w + 1, "n.2.bias": b + 1}, x,
      numpy.maximum(x @ w + b, 0) @ (w + 1) + b + 1,
      ["n = [Linear(3, 3), none, Linear(3, 3)]", "n_0_out = n[0](x)", "y = n[2]("])

# --- names --------------------------------------------------------------------------------------

x, w, b = f4(2, 3), f4(3, 3), f4(3)
check("weights without names", [node("Gemm", ["x", "w", "b"], ["p"]),
                                node("Gemm", ["p", "w2", "b"], ["y"])],
      {"w": w, "b": b, "w2": w + 1}, x, (x @ w + b) @ (w + 1) + b,
      ["linear = Linear(3, 3)", "linear_out = linear(x)", "gemm(linear_out, w2, linear.bias)"])
check("a layer in a layer's place", [node("Gemm", ["x", "a.weight", "a.bias"], ["p"]),
                                     node("Gemm", ["p", "a.b.weight", "a.b.bias"], ["y"])],
      {"a.weight": w, "a.bias": b, "a.b.weight": w + 1, "a.b.bias": b + 1}, x,
      (x @ w + b) @ (w + 1) + b + 1, ["b = Linear(3, 3)", "gemm(x, a.weight, a.bias)", "a.b("])
tap.done_testing()
