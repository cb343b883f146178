#!/usr/bin/env python3
"""Gradients by reversing maps and memlets: an MLP's equal PyTorch's (golden.npz, by make_golden.py)
to 1e-5, training follows PyTorch's losses, and each scalar operator's derivative agrees with finite
differences in f64."""
import json
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy
from differences import slope

golden = np.load(os.path.join(os.environ["DCL_SRC"], "tests/grad/golden.npz"))


def save_safetensors(path, tensors):
    header, at = {}, 0
    for name, v in tensors.items():
        header[name] = {"dtype": "F32", "shape": v.shape, "data_offsets": [at, at + v.nbytes]}
        at += v.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for v in tensors.values():
            f.write(v.tobytes())


NET = """
layer Net(i: int, h: int, o: int) {
  l1 = Linear(i, h);  l2 = Linear(h, h);  l3 = Linear(h, o)
  fn forward(x: f32[B, i]) -> f32[B, o] { x |> l1 |> relu |> l2 |> tanh |> l3 }
}
fn gradients(net: Net, x: f32[B, _], y: i64[B])
    -> (l: f32[], g1: f32[24, 13], b1: f32[24], g2: f32[24, 24], b2: f32[24], g3: f32[5, 24],
        b3: f32[5]) {
  v, g = gradient cross_entropy(net(x), y) over net
  l = v
  g1 = g[0];  b1 = g[1];  g2 = g[2];  b2 = g[3];  g3 = g[4];  b3 = g[5]
}
fn train(net: Net, opt: SGD, x: f32[B, _], y: i64[B]) -> f32 {
  minimize cross_entropy(net(x), y) over net with opt
}
net = Net(13, 24, 5)
load(net, "net.safetensors")
x = load("x.npy")
y = load("y.npy")
l, g1, b1, g2, b2, g3, b3 = gradients(net, x, y)
save("g1.npy", g1);  save("b1.npy", b1);  save("g2.npy", g2);  save("b2.npy", b2)
save("g3.npy", g3);  save("b3.npy", b3);  save("l.npy", l)
opt = SGD(0.25)
for step in 0:20 { print(train(net, opt, x, y)) }
"""

save_safetensors("net.safetensors", {k[2:]: golden[k] for k in golden if k.startswith("w.")})
np.save("x.npy", golden["x"])
np.save("y.npy", golden["y"])
for options in ("verify=1", "verify=1 passes=none", "verify=1 threads=2"):
    s = dclpy.Session(options)
    s.run(NET)
    for name, key in (("g1", "l1.weight"), ("b1", "l1.bias"), ("g2", "l2.weight"),
                      ("b2", "l2.bias"), ("g3", "l3.weight"), ("b3", "l3.bias")):
        got, want = np.load(name + ".npy"), golden["g." + key]
        error = np.abs(got - want).max() / np.abs(want).max()
        tap.ok(got.shape == want.shape and error < 1e-5,
               f"the gradient by {key} is PyTorch's ({options})", f"{error}")
    losses = np.array([float(line) for line in s.output.split()])
    error = np.abs(losses - golden["losses"]).max()
    tap.ok(len(losses) == 20 and error < 1e-5, f"twenty losses are PyTorch's ({options})",
           str(error), s.output)
    tap.ok(bool((np.diff(losses) < 0).all()), f"the loss falls at every step ({options})")

# Each operator against finite differences, in f64.
rng = np.random.default_rng(7)
s = dclpy.Session("verify=1")
CASES = {
    "x + 2*y": 0, "x - y*3": 0, "x * y": 0, "x / y": 0, "-x": 0, "max(x, y)": 0, "min(x, y)": 0,
    "abs(x)": 0, "sqrt(abs(x) + 1)": 0, "exp(x)": 0, "log(abs(y) + 1) + x": 0, "tanh(x)": 0,
    "select(x < y, x*x, y)": 0, "f64(f32(x)) * y": 1e-4, "floor(x) * y": 0, "round(y) + x": 0,
    "x ** 3": 0, "(x + 1) / (y*y + 1) * exp(-x)": 0,
}
for k, (text, slack) in enumerate(CASES.items()):
    inner = re.sub(r"\bx\b", "a", re.sub(r"\by\b", "b", text))
    s.run(f"""
fn value{k}(x: f64[N], y: f64[N]) -> s: f64[] {{ map i in N {{ a << x[i];  b << y[i]
  {inner} >> s (sum) }} }}
fn grads{k}(x: f64[N], y: f64[N]) -> (dx: f64[N], dy: f64[N]) {{
  l, dx0 = gradient value{k}(x, y) over x
  dx = dx0
  dy = x
}}
fn grady{k}(x: f64[N], y: f64[N]) -> dy: f64[N] {{ l, d = gradient value{k}(x, y) over y
  dy = d }}
""")
    x, y = rng.uniform(-2, 2, 9), rng.uniform(0.3, 2, 9)
    dx, _ = s.call(f"grads{k}", x, y)
    dy = s.call(f"grady{k}", x, y) if re.search(r"\by\b", text) else None
    for got, which in ((dx, 0), (dy, 1)):
        if got is None:
            continue
        want = slope(lambda *moved: s.call(f"value{k}", *moved), [x, y], which)
        if "f32" in text and which == 0:
            want = y
        error = np.abs(got - want).max()
        tap.ok(error < 1e-7 + slack, f"d {text} / d {'xy'[which]}", str(error), str(got), str(want))

# Sums, broadcasts, guards and largest values.
s.run("""
fn top(x: f64[M, N]) -> s: f64[] {
  m = max(x, axes = -1, keepdims = true)
  map i in M { v << m[i, 0];  v * v >> s (sum) }
}
fn dtop(x: f64[M, N]) -> d: f64[M, N] { l, g = gradient top(x) over x
  d = g }
fn blur(x: f64[N], w: f64[3]) -> s: f64[] {
  map i in N, k in 3 { v << x[i + k - 1, else 0];  u << w[k];  v * u * v >> s (sum) }
}
fn dblur(x: f64[N], w: f64[3]) -> d: f64[N] { l, g = gradient blur(x, w) over x
  d = g }
""")
x = np.array([[1.0, 3, 3, 2], [5, -1, 5, 5]])
tap.ok(np.array_equal(s.call("dtop", x), [[0, 6, 0, 0], [10, 0, 0, 0]]),
       "equal largest elements: the first has the gradient")
x, w = rng.standard_normal(7), rng.standard_normal(3)
padded = np.pad(x, 1)
want = 2 * x * (w[0] * (np.arange(7) < 6) + w[1] + w[2] * (np.arange(7) > 0))
tap.ok(np.allclose(s.call("dblur", x, w), want), "guarded reads have guarded adjoints")
s.run("""
fn looped(x: f64[N]) -> s: f64[] {
  c: f64[1] = 1
  for i in 0:N { v << c[0];  u << x[i];  v * u >> c[0] }
  v << c[0]
  v >> s
}
fn dlooped(x: f64[N]) -> d: f64[N] { l, g = gradient looped(x) over x
  d = g }
""")
tap.ok(np.allclose(s.call("dlooped", x), x.prod() / x), "a product as a loop")
for k, (inside, by, to) in enumerate((("if x[1] == x[1] ", "u", "t"), ("map j in 0:N ", "u", "t"),
                                      ("map j in 0:N ", "2", "x[j] * f64(k)"))):
    try:
        s.run("""
fn turned%d(x: f64[N]) -> s: f64[] {
  s = 0
  %s{
    u << x[0]
    t: f64 = 1
    k = 0
    while k < 3 { k += 1;  t = t * %s }
    u * %s >> s (sum)
  }
}
fn dturned%d(x: f64[N]) -> d: f64[N] { l, g = gradient turned%d(x) over x
  d = g }
""" % (k, inside, by, to, k, k))
        s.call("dturned%d" % k, x)
        tap.ok(False, "a while is refused")
    except dclpy.Error as error:
        tap.ok("no derivative here: a `while`" in str(error), "a while is refused, with reason",
               str(error))
s.run("""
fn beside(x: f64[N], n: i64) -> s: f64[] {
  k = 0
  while k * k < n { k += 1 }
  map i in N { s += x[i] * x[i] * f64(k) }
}
fn dbeside(x: f64[N]) -> d: f64[N] { l, g = gradient beside(x, 17) over x
  d = g }
""")
tap.ok(np.allclose(s.call("dbeside", x), 10 * x), "a while that no gradient passes is no obstacle")
tap.done_testing()
