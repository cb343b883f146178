#!/usr/bin/env python3
"""Gradients through loops in order: what finite differences in f64 say, or refused with place and
reason. Recurrences of the library and scans among them."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy
from differences import slope

HEAD = "x: f64[N], y: f64[N], k: i64"
SUMSQ = ("fn sumsq(c: f64[*S]) -> s: f64 { map *i in S { v << c[*i];  v * v >> s (sum) } }\n"
         "fn further(a: f64, b: f64) -> f64 { a * b + 0.5*a + b }\n")
LATE = "no derivative here: what was read before is overwritten"


def session(body, over, options="verify=1"):
    s = dclpy.Session(options)
    s.run(SUMSQ + f"fn value({HEAD}) -> f64 {{\n{body}\n l }}\n"
          f"fn slope({HEAD}) -> d: f64[N] {{\n  q, g = gradient value(x, y, k) over {over}\n"
          "  d = g }\n")
    return s


def agrees(body, name, over="x", n=6, k=4):
    rng = np.random.default_rng(3)
    args = [rng.uniform(0.5, 1.5, n), rng.uniform(0.5, 1.5, n), k]
    at, slopes = "xy".index(over), []
    for options in "verify=1", "verify=1 passes=none":
        s = session(body, over, options)
        slopes.append(s.call("slope", *args))
        again = dclpy.Session(options)
        again.run(s.compile("slope").show())
        tap.ok(np.array_equal(again.call("slope", *args), slopes[-1]),
               f"{name}, by {over}: as printed and read again")
    s = session(body, over)
    want = slope(lambda *moved: s.call("value", *moved), args, at)
    for got, how in zip(slopes, ("", ", without passes")):
        error = np.abs(got - want).max() / max(1, np.abs(want).max()) if n else 0
        tap.ok(error < 1e-6, f"{name}, by {over}{how}", got, want)


def refused(body, reason, name):
    try:
        tap.fail(name, session(body, "x").call("slope", np.ones(6), np.ones(6), 4))
    except dclpy.Error as error:
        tap.ok(reason in str(error) and "\n" in str(error), name, error)


# Values that a loop carries.
STEP = "  a = f64(0.5)\n  for t in 0:N { a = tanh(a * x[t] + y[t]) }\n  l = a"
agrees(STEP, "a scalar")
agrees(STEP, "a scalar", over="y")
agrees(STEP, "no iterations", n=0)
agrees(STEP, "one iteration", n=1)
agrees("  a = x\n  for t in 0:4 { a = a * y + 0.5*tanh(a) }\n  l = sumsq(a)", "a tensor")
agrees("  a = x\n  for t in 0:4 { a = a * y }\n  l = sumsq(a)", "a tensor", over="y")
agrees("  a = x\n  for t in 0:k { a = a * y }\n  l = sumsq(a)", "a number of steps that is given")
agrees("  a = x\n  for t in 2:k + 4:3 { a = a * y + f64(t)*0.1 }\n  l = sumsq(a)",
       "steps of three")
agrees("  a = x\n  for t in 4:k { a = a * y }\n  l = sumsq(a)", "an empty range", k=2)
agrees("  a, b = (x, y)\n  for t in 0:5 { a, b = (b, a * b) }\n  l = sumsq(a) + sumsq(b)",
       "two values")
agrees("  a, b = (x, y)\n  for t in 0:5 { a, b = (b, a * b) }\n  l = sumsq(a)", "two values",
       over="y")
agrees("  a = x\n  n = 0\n  for t in 0:5 { n += t\n    a = a * y + f64(n) }\n  l = sumsq(a)",
       "an integer beside it")
agrees("  a = x\n  for t in 0:3 { for s in 0:t + 1 { a = a * y + 0.1*f64(s) } }\n  l = sumsq(a)",
       "a loop in a loop")
agrees("  a = x\n  for t in 0:3 { b = a\n    for s in 0:t + 1 { b = b * y }\n    a = a + b }\n"
       "  l = sumsq(a)", "a loop in a loop with a value of its own")
agrees("  a = x\n  for t in 0:3 { a = a * y }\n  for t in 0:2 { a = a * a }\n  l = sumsq(a)",
       "two loops")
agrees("  a = x\n  b = y * y\n  for t in 0:3 { a = a * b }\n  l = sumsq(a) + sumsq(b)",
       "what is made before", over="y")
agrees("  a = f64(0.5)\n  for t in 0:N { if x[t] > 1 { a = a * x[t] + y[t] } }\n  l = a",
       "a branch that gives the value another one")
agrees("  a = x\n  for t in 0:N { c: f64[t + 1] = 0\n    map i in t + 1 { c[i] = a[i] * y[t] }\n"
       "    a = a + sumsq(c) }\n  l = sumsq(a)", "containers whose size hangs on the step")
agrees("  a = f64(0.5)\n  for t in 0:N { a = if x[t] > 1 { a * x[t] } else { a + x[t] } }\n  l = a",
       "a branch")

# Containers that a loop writes.
agrees("  c: f64[N]\n  a = f64(0)\n  for t in 0:N { a = a * y[t] + x[t]\n    c[t] = a }\n"
       "  l = sumsq(c)", "a row of each step")
agrees("  c: f64[N] = 0\n  for t in 0:4 { map i in N { c[i] += x[i] * y[i] * f64(t + 1) } }\n"
       "  l = sumsq(c)", "sums")
agrees("  c: f64[N] = 0\n  for t in 0:4 { c[t] = x[t] * y[t] }\n  l = sumsq(c)", "parts")
agrees("  c: f64[N]\n  for t in 0:4 { map i in N { c[i] = x[i] * f64(t + 1) } }\n"
       "  l = sumsq(c)", "all of it again")
agrees("  c: f64[N] = 1\n  for t in 1:N { c[t] = c[t - 1] * x[t] }\n  l = sumsq(c)",
       "elements from those before")
agrees("  c: f64[N] = 1\n  for t in 1:N { c[t] = c[t - 1] * x[t]\n    c[t] += y[t] }\n"
       "  l = sumsq(c)", "and a sum afterwards")
agrees("  c = x * 1\n  d: f64[N] = c\n  for t in 1:N { d[t] = d[t - 1] * d[t];  d[t] = d[t]*y[t]\n"
       "    d[t] = d[t]*d[t] + 1 }\n  l = sumsq(d)", "read and written in turn")
agrees("  c: f64[N]\n  map i in N { c[i] = x[i] }\n  for t in 0:3 {\n"
       "    map i in N { c[i] = c[i] * y[i] } }\n  l = sumsq(c)", "in its place")
agrees("  c: f64[N] = 1\n  for t in 0:3 { c = c * x }\n  l = sumsq(c)",
       "a container as a whole")
agrees("  l = f64(0)\n  a = x\n  for t in 0:4 { a = tanh(a * y)\n    l += sumsq(a) }",
       "a loss of each step")
agrees("  c: f64[N]\n  map i in N {\n    a = x[i]\n    for t in 0:i + 1 { a = a * y[t] }\n"
       "    c[i] = a }\n  l = sumsq(c)", "in a map", over="y")

agrees("  c: f64 = 0.1\n  map i in N { x[i] * y[i] >> c (further) }\n  l = c * c",
       "a resolution by a function")

# The library.
agrees("  l = sumsq(cumsum(x) * y)", "cumsum")
agrees("  l = sumsq(cumsum(x, reverse = true) * y)", "cumsum backwards")
agrees("  l = sumsq(cumprod(x) * y)", "cumprod")
agrees("  l = sumsq(cummax(x * y))", "cummax")

SHAPES = "x: f64[5, 2, 4], w: f64[G, 4], u: f64[G, 3], b: f64[G]"
NETWORKS = [
    ("rnn", 3, "rnn(x, w, u, b, h)"),
    ("rnn with lengths", 3, "rnn(x, w, u, b, h, lengths)"),
    ("lstm", 12, "lstm(x, w, u, b, h, h)"),
    ("lstm backwards", 12, "lstm(x, w, u, b, h, h, reverse = true)"),
    ("lstm with lengths", 12, "lstm(x, w, u, b, h, h, lengths)"),
    ("gru", 9, "gru(x, w, u, b, b, h)"),
]
for name, gates, call in NETWORKS:
    s = dclpy.Session("verify=1")
    s.run(SUMSQ + "fn value(%s, h: f64[2, 3], lengths: i64[2]) -> f64 {\n  r = %s\n"
          "  sumsq(r[0]) + sumsq(r[1] + 1)\n}\n" % (SHAPES, call))
    rng = np.random.default_rng(5)
    args = [rng.uniform(-1, 1, shape) for shape in
            [(5, 2, 4), (gates, 4), (gates, 3), (gates,), (2, 3)]] + [np.array([3, 5], "i8")]
    for at, over in enumerate("xwubh"):
        s.run("fn by_%s(%s, h: f64[2, 3], lengths: i64[2]) -> f64[*shape(%s)] {\n"
              "  l, g = gradient value(x, w, u, b, h, lengths) over %s\n  g\n}\n"
              % (over, SHAPES, over, over))
        got = s.call("by_" + over, *args)
        want = slope(lambda *moved: s.call("value", *moved), args, at)
        tap.ok(np.abs(got - want).max() < 1e-6 * max(1, np.abs(want).max()),
               f"{name}, by {over}", got, want)

# An LSTM learns.
s = dclpy.Session("verify=1")
s.run("""
layer Tagger(n: int) {
  cells = LSTM(2, n)
  out = Linear(n, 1)
  fn forward(x: f32[L, B, 2]) -> f32[L, B, 1] { out(cells(x)) }
}
fn step(net: Tagger, opt: Adam, x: f32[L, B, 2], y: f32[L, B, 1]) -> f32 {
  minimize mean((net(x) - y) ** 2) over net with opt
}
seed(1)
net = Tagger(8)
opt = Adam(net, rate = 0.02)
x: f32[6, 4, 2] = 0
map t, b, i { x[t, b, i] = f32((t*5 + b*3 + i*7) % 4) - 1.5 }
y: f32[6, 4, 1] = 0
c = cumsum(x, axis = 0)
map t, b { y[t, b, 0] = tanh(c[t, b, 0]) }
first = step(net, opt, x, y)
for k in 0:150 { last = step(net, opt, x, y) }
assert(last < first * 0.1)
""")
tap.ok(True, "an LSTM learns")

refused("  c: f64[N] = 1\n  for t in 0:3 { a = c * x\n    c = a * y\n    c = c * a }\n"
        "  l = sumsq(c)", LATE, "read, written, read and written again")
refused("  a = x\n  n = 3\n  while n > 0 { n = n - 1\n    a = a * y }\n  l = sumsq(a)",
        "no derivative here", "a while")
refused("  c: f64[N] = 0\n  for t in 0:3 { map i in N { x[i]*y[t] >> c[i] (max) } }\n"
        "  l = sumsq(c)",
        "no derivative here: a largest value", "a largest value of the steps")
tap.done_testing()
