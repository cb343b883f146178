#!/usr/bin/env python3
"""norm.t: softmax, normalizations, losses, activations against NumPy."""
import math

import tables
import tap

np = tables.numpy
rng = np.random.default_rng(8)


def f4(*shape):
    return rng.standard_normal(shape).astype("f4")


def soft(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def standard(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def channels(v, x):
    return v.reshape((1, -1) + (1,) * (x.ndim - 2))


for shape in (2, 6, 5), (1, 4, 3, 7), (3, 6), (2, 2, 1, 1):
    x, c = f4(*shape), shape[1]
    g, b, w = f4(c), f4(c), f4(shape[-1])
    grouped = x.reshape(shape[0], 2, c // 2, *shape[2:])
    rest = tuple(range(2, grouped.ndim))
    group = standard(grouped, rest).reshape(shape) * channels(g, x) + channels(b, x)
    inner = tuple(range(2, len(shape)))
    instance = standard(x, inner) if inner else 0 * x
    cases = [("softmax(x, axis = %d)" % a, soft(x, a)) for a in range(-len(shape), len(shape))]
    cases += [("log_softmax(x, axis = %d)" % a, np.log(soft(x, a))) for a in (-1, 0)]
    cases += [
        ("layer_norm(x, w, w)", standard(x, (-1,)) * w + w),
        ("rms_norm(x, w)", x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w),
        ("group_norm(x, g, b, groups = 2)", group),
        ("instance_norm(x, g, b)", instance * channels(g, x) + channels(b, x)),
        ("normalize(x)", x / np.sqrt((x * x).sum(-1, keepdims=True))),
        ("normalize(x, axis = 0, ord = 1)", x / abs(x).sum(0, keepdims=True)),
    ]
    tables.run({"x": x, "g": g, "b": b, "w": w}, cases)

x, y = f4(5, 7), f4(5, 7)
p, q = soft(x), soft(y)
d = x - y
huber = np.where(abs(d) < 0.5, d * d / 2, 0.5 * (abs(d) - 0.25))
sig = 1 / (1 + np.exp(-x))
bits = (y > 0).astype("f4")
bce = -(bits * np.log(sig) + (1 - bits) * np.log(1 - sig))
classes = np.array([3, 0, -100, 6, 3])
kept = classes >= 0
logs = np.log(p)
chosen = -logs[np.arange(5)[kept], classes[kept]]
smooth = 0.9 * chosen - 0.1 * logs[kept].mean(1)
tables.run({"x": x, "y": y, "p": p, "q": q, "bits": bits, "k": classes}, [
    ("mse(x, y)", (d * d).mean()), ("mse(x, y, reduction = \"sum\")", (d * d).sum()),
    ("mse(x, y, reduction = \"none\")", d * d), ("l1(x, y)", abs(d).mean()),
    ("huber(x, y, delta = 0.5)", huber.mean()),
    ("smooth_l1(x, y, beta = 0.5)", (huber / 0.5).mean(dtype="f4")),
    ("bce(sigmoid(x), bits)", bce.mean()), ("bce_with_logits(x, bits)", bce.mean()),
    ("bce_with_logits(x, bits, reduction = \"none\")", bce),
    ("kl_div(log_softmax(x), q)", (q * (np.log(q) - logs)).mean()),
    ("cross_entropy(x, k)", chosen.mean()), ("nll(log_softmax(x), k)", chosen.mean()),
    ("cross_entropy(x, k, smoothing = 0.1)", smooth.mean())])

erf = np.vectorize(math.erf)
x = np.concatenate([np.linspace(-8, 8, 65), [0, -0.0, 30, -30, 100, -100]]).astype("f4")
X = x.astype("f8")
soft_plus = np.maximum(X, 0) + np.log1p(np.exp(-abs(X)))
sig = 1 / (1 + np.exp(-X))
elu = np.where(X > 0, X, np.expm1(np.minimum(X, 0)))
hard = np.clip(X + 3, 0, 6) / 6
tanh = np.sqrt(2 / np.pi) * (X + 0.044715 * X ** 3)
slopes = f4(3)
images = f4(2, 3, 4)
tables.run({"x": x, "s": slopes, "m": images}, [(name, want.astype("f4")) for name, want in [
    ("relu(x)", np.maximum(X, 0)), ("relu6(x)", np.clip(X, 0, 6)),
    ("leaky_relu(x, slope = 0.1)", np.where(X > 0, X, 0.1 * X)), ("sigmoid(x)", sig),
    ("log_sigmoid(x)", -(soft_plus - X)), ("silu(x)", X * sig),
    ("gelu(x)", X / 2 * (1 + erf(X / np.sqrt(2)))), ("gelu_tanh(x)", X / 2 * (1 + np.tanh(tanh))),
    ("elu(x, alpha = 0.5)", np.where(X > 0, X, 0.5 * elu)),
    ("selu(x)", 1.0507009873554805 * np.where(X > 0, X, 1.6732632423543772 * elu)),
    ("celu(x, alpha = 2)", np.where(X > 0, X, 2 * np.expm1(np.minimum(X, 0) / 2))),
    ("softplus(x)", soft_plus), ("mish(x)", X * np.tanh(soft_plus)),
    ("softsign(x)", X / (1 + abs(X))), ("hardsigmoid(x)", hard), ("hardswish(x)", X * hard),
    ("hardtanh(x, high = 2)", np.clip(X, -1, 2)), ("tanhshrink(x)", X - np.tanh(X)),
    ("threshold(x, level = 1, other = -5)", np.where(X > 1, X, -5)),
    ("softshrink(x)", np.sign(X) * np.maximum(abs(X) - 0.5, 0)),
    ("hardshrink(x)", np.where(abs(X) > 0.5, X, 0)),
    ("prelu(m, s)", np.where(images > 0, images, slopes[:, None] * images))]])
tables.refuse([("x: f32[2] = 1\nprint(mse(x, x, reduction = \"middle\"))",
                "reduction is mean, sum or none, not middle"),
               ("x: f32[2] = 1\nprint(softmax(x, axis = 1))",
                "there is no axis 1 in 1 dimensions")])
tap.done_testing()
