#!/usr/bin/env python3
"""library.t: gradients of the library's functions of shapes, reductions and sums by letters: what
finite differences in f64 say."""

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

SHAPE = (2, 3, 4)

# Functions of x: f64[2, 3, 4] (no two elements are equal), by name.
FUNCTIONS = """
transpose(x)
transpose(x, perm = [2, 0, 1])
reshape(x, [6, 4])
reshape(x, [2, 2, 3, 2])
reshape(x, [8, 3])
flatten(x)
squeeze(x[:, :1, :])
unsqueeze(x, [0, 2])
broadcast_to(x[:, :1, :], [3, 2, 3, 4])
concat([x, x * x], axis = 1)
stack([x, x * 2], axis = -1)
split(x, [1, 2], axis = 1)[1]
slice(x, start = -1, step = -2, axis = 2)
flip(x, axes = [0, 2])
roll(x, 3, axis = 1)
tile(x, [2, 1, 2])
repeat(x, 2, axis = 1)
pad(x, [(1, 2), (0, 1)])
pad(x, [(1, 2), (0, 1)], mode = "edge")
pad(x, [(2, 1)], mode = "reflect")
pad(x, [(2, 1)], mode = "symmetric")
pad(x, [(2, 1)], mode = "wrap")
tril(x)
triu(x, k = 1)
sum(x, axes = [0, -1])
prod(x)
prod(x, axes = [0, 2], keepdims = true)
max(x, axes = 0)
min(x, axes = [1, 2], keepdims = true)
mean(x, axes = -1)
var(x, axes = 0, correction = 1)
std(x, axes = [0, 1])
logsumexp(x, axes = 1)
norm(x, axes = 2)
norm(x, ord = 1)
norm(x, ord = 3, axes = [0, 1])
norm(x, ord = inf, axes = 1)
sort(x)[0]
sort(x, axis = 1, descending = true)[0]
topk(x, 2, axis = 1)[0]
einsum("bij,bkj->bik", [x, x])
einsum("bij->jb", [x])
take(x, i, axis = 1)
gather(x, g, axis = 2)
scatter_add(x, g, x[:, :, :2] * 3, axis = 2)
max_pool(x, 2)
max_pool(x, 3, stride = 1, pad = 1)
avg_pool(unsqueeze(x, 0), [2, 2], stride = 1)
leaky(x, x * x)
"""

SETUP = """
fn leaky(x: T, y: T) -> T where T: float { select(x > 0, x * y, y / 2) }
fn weighed(y: f64[*S]) -> f64 {
  w: f64[*S]
  map *b in S { w[*b] = sqrt(f64(1 + flat_index(b, S))) }
  sum(y * y * w)
}
"""


def differences(value, args):
    h, x = 1e-5, args[0]
    out = numpy.empty(x.shape)
    for at in numpy.ndindex(*x.shape):
        ends = []
        for step in (-h, h):
            moved = x.copy()
            moved[at] += step
            ends.append(float(value.call(moved, *args[1:])))
        out[at] = (ends[1] - ends[0]) / (2 * h)
    return out


rng = numpy.random.default_rng(8)
x = rng.permutation(numpy.linspace(-1.5, 1.6, 24)).reshape(SHAPE)
i, g = rng.integers(0, 3, (2, 2)), rng.integers(0, 4, (2, 3, 2))
for text in FUNCTIONS.strip().split("\n"):
    with dclpy.Session("verify=1") as s, dclpy.Session("check=1") as ref:
        for session in s, ref:
            session.run(SETUP + """
fn value(x: f64[2, 3, 4], i: i64[2, 2], g: i64[2, 3, 2]) -> f64 { weighed(%s) }
fn slope(x: f64[2, 3, 4], i: i64[2, 2], g: i64[2, 3, 2]) -> f64[2, 3, 4] {
  v, d = gradient value(x, i, g) over x
  d
}
""" % text)
        got, want = s.call("slope", x, i, g), differences(s.compile("value"), [x, i, g])
        tap.is_close(got, want, text, rtol=1e-4, atol=1e-4)
        tap.is_close(ref.call("slope", x, i, g), got, text + " by the reference, checked",
                     rtol=1e-9, atol=1e-9)
tap.done_testing()
