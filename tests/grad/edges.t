#!/usr/bin/env python3
"""Gradients where a formula is not finite, but the function has one: sides of `select` that are not
taken, large and small arguments, ties, roots at 0. By both back-ends."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

F = np.array([-1000, -100, -89, -37, -1, 0, 1, 30, 37, 89, 1000], np.float64)


def logistic(x):
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


def mish(x):
    s = np.logaddexp(x, 0)
    return np.tanh(s) + x * logistic(x) * (1 - np.tanh(s) ** 2)


def gelu(x):
    import math
    return np.array([0.5 * (1 + math.erf(v / 2 ** 0.5)) +
                     v * math.exp(-v * v / 2) / (2 * math.pi) ** 0.5 for v in x])


# A loss of x, where, and its gradient.
CASES = [
    ("sum(sigmoid(x))", F, logistic(F) * logistic(-F)),
    ("sum(silu(x))", F, logistic(F) * (1 + F * logistic(-F))),
    ("sum(softplus(x))", F, logistic(F)),
    ("sum(log_sigmoid(x))", F, logistic(-F)),
    ("sum(mish(x))", F, mish(F)),
    ("sum(gelu(x))", F * 100, gelu(F * 100)),
    ("sum(elu(x))", F * 100, np.exp(np.minimum(F * 100, 0))),
    ("sum(erf(x))", np.array([-1e4, -5e3, 5e3, 1e30]), np.zeros(4)),
    ("bce_with_logits(x, x * 0 + 1, reduction = \"sum\")", F, -logistic(-F)),
    ("bce_with_logits(x, [0, 1, 0.5] + x * 0, reduction = \"sum\")", np.zeros(3), [0.5, -0.5, 0]),
    ("bce(x, x * 0 + 1, reduction = \"sum\")", np.array([1, 0.5, 0.25]), [-1, -2, -4]),
    ("sum(log1p(x))", np.array([0, 1e-20, 1e-30, 0.5]), [1, 1, 1, 2 / 3]),
    ("sum(asinh(x))", np.array([0, 1e-20, 1e-30, 0.75]), [1, 1, 1, 0.8]),
    ("sum(atanh(x))", np.array([0, 1e-20, 1e-30, 0.5]), [1, 1, 1, 4 / 3]),
    ("sum(x ** 1.5)", np.array([0, 1, 4]), [0, 1.5, 3]),
    ("sum(pow(x, x * 0 + 2))", np.array([0, 1, 4]), [0, 2, 8]),
    ("sum(pow(x * 0 + 2, x))", np.array([0, 1, 2]), np.log(2) * np.array([1, 2, 4])),
    ("sum(select(x > 0, sqrt(x), 0))", np.array([-1, 0, 4]), [0, 0, 0.25]),
    ("sum(select(x == 0, 1, 1 / x))", np.array([0, 2, -1]), [0, -0.25, -1]),
    ("sum(select(x > 700, x, exp(x * x)))", np.array([1e4, 1, 0]), [1, 2 * np.e, 0]),
    ("sum(select(x > 1, x, log(1 - x) * sqrt(1 - x) / (1 - x)))", np.array([1.5, 7]), [1, 1]),
    ("sum(select(x > 0, tanh(log(x)), 0))", np.array([-1, 2]), [0, 0.32]),
    ("sum(min(exp(x), 5))", np.array([1000, 0, 1]), [0, 1, np.e]),
    ("sum(min(1 / x, 5))", np.array([1000, 0, -1]), [-1e-6, 0, -1]),
    ("summed(x)", np.array([1000, 0, 1]), [0, 1, np.e]),
    ("chosen(x)", np.array([-1, 0, 4]), [0, 0, 0.25]),
    ("sum(sqrt(abs(x)))", np.array([0, -4, 4]), [0, -0.25, 0.25]),
    ("norm(x)", np.zeros(3), np.zeros(3)),
    ("norm(x)", np.array([3, 4]), [0.6, 0.8]),
    ("std(x)", np.full(3, 2), np.zeros(3)),
    ("prod(x)", np.array([0, 2, 3]), [6, 0, 0]),
    ("prod(x)", np.array([0, 2, 0]), [0, 0, 0]),
    ("prod(x)", np.array([4, 2, 0.5]), [1, 2, 8]),
    ("sum(log_add(x, 0 * x))", np.zeros(2), [0.5, 0.5]),
    ("sum(log_add(0 * x, x))", np.zeros(2), [0.5, 0.5]),
]
SETUP = """
fn summed(x: T[*S]) -> y: T where T: float {
  t: T[*S]
  map *i in S { t[*i] += exp(x[*i]) }
  map *i in S { if x[*i] < 50 { y += t[*i] } }
}
fn chosen(x: T[*S]) -> y: T where T: float {
  t: T[*S]
  map *i in S { t[*i] = sqrt(x[*i]) }
  map *i in S { if x[*i] > 0 { y += t[*i] } }
}
"""
for text, at, want in CASES:
    for t, options in ("f32", "verify=1"), ("f32", "check=1"), ("f64", "verify=1"):
        x, numbers = np.asarray(at, t.replace("f", "float")), len(at)
        with dclpy.Session(options) as s:
            s.run(SETUP + "fn slope(x: %s[%d]) -> %s[%d] {\n  v, g = gradient %s over x\n  g\n}" %
                  (t, numbers, t, numbers, text))
            tap.is_close(s.call("slope", x), np.asarray(want, x.dtype),
                         "%s at %s in %s, %s" % (text, at, t, options), rtol=2e-5, atol=1e-12)

# What is appended has a gradient by the reference; compiled code refuses, and neither says zero.
GROWN = """fn slope(x: f32[N]) -> f32[N] {
  v, g = gradient sum(masked(x, x > 0) ** 2) over x
  g
}"""
x = np.array([0, 2, -2, -1, 0.5] * 50, np.float32)
with dclpy.Session("check=1") as s:
    s.run(GROWN)
    tap.is_close(s.call("slope", x), np.maximum(2 * x, 0), "of elements that are appended")
with dclpy.Session("verify=1") as s:
    s.run(GROWN)
    try:
        s.call("slope", x)
        tap.fail("compiled code refuses")
    except dclpy.Error as e:
        tap.ok("a row that is appended" in str(e), "compiled code refuses", e)
tap.done_testing()
