#!/usr/bin/env python3
"""Gradients where containers are written several times: each is what finite differences in f64 say,
or is refused with place and reason; never silently another."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy
from differences import slope

SUMSQ = "fn sumsq(c: f64[N]) -> s: f64 { map i in N { v << c[i];  v * v >> s (sum) } }\n"
OVERWRITTEN = "no derivative here: what was read before is overwritten"
AGAIN = "no derivative here: a largest or smallest value that is written again"
BEFORE = "no derivative here: a largest or smallest value of what was written before"
STALE = "no derivative here: the value depends on what it is taken over as it was before"
ORDER = "no derivative here: a map whose iterations are not known to be independent"

count = 0


def session(body, over, params):
    """Functions `value` and `slope` of x and y with BODY, which gives `l`."""
    s = dclpy.Session("verify=1")
    head = "x: f64[N], y: f64[N]" + params
    s.run(SUMSQ + f"fn value({head}) -> f64 {{\n{body}\n l }}\n"
          f"fn slope({head}) -> d: f64[N] {{\n  q, g = gradient value(x, y"
          f"{''.join(', ' + p.split(':')[0] for p in params.split(', ') if p)}) over {over}\n"
          "  d = g }\n")
    return s


def agrees(body, name, over="x", params="", extra=()):
    s = session(body, over, params)
    rng = np.random.default_rng(3)
    args = [rng.uniform(0.5, 2, 6), rng.uniform(0.5, 2, 6), *extra]
    at = "xy".index(over)
    got = s.call("slope", *args)
    want = slope(lambda *moved: s.call("value", *moved), args, at)
    error = np.abs(got - want).max() / max(1, np.abs(want).max())
    tap.ok(error < 1e-6, f"{name}, by {over}", got, want)


def refused(body, reason, name, over="x", params="", extra=()):
    try:
        s = session(body, over, params)
        args = [np.arange(1.0, 7), np.arange(2.0, 8), *extra]
        tap.fail(name, s.call("slope", *args))
    except dclpy.Error as error:
        tap.ok(reason in str(error) and "\n" in str(error), name, error)


# What a repeated node has read is written afterwards.
refused("""c: f64[N] = x
a: f64[N]
map i in N { v << c[i];  v * v >> a[i] }
map i in N { v << x[i];  v >> c[i] (sum) }
l = sumsq(a) + sumsq(c)""", OVERWRITTEN, "a copy that is summed into after it was read")
refused("""c: f64[N] = 1.0
a: f64[N]
map i in N { v << c[i];  u << x[i];  v * u >> a[i] }
map i in N { v << x[i];  v * v >> c[i] }
l = sumsq(a) + sumsq(c)""", OVERWRITTEN, "a fill that is read, then overwritten")
refused("""w: f64[N] = 2.0
a: f64[N]
b: f64[N]
map i in N { v << w[i];  u << x[i];  v * u >> a[i] }
map i in N { 3.0 >> w[i] }
map i in N { v << w[i];  u << x[i];  v * u >> b[i] }
l = sumsq(a) + sumsq(b)""", OVERWRITTEN, "factors that are overwritten")
refused("""k: i64[N] = p
a: f64[N]
b: f64[N]
map i in N { j << k[i];  v << x[j];  v * v >> a[i] }
map i in N { 0 >> k[i] }
map i in N { j << k[i];  v << x[j];  v >> b[i] }
l = sumsq(a) + sumsq(b)""", OVERWRITTEN, "subscripts that are overwritten", params=", p: i64[N]",
        extra=(np.arange(6)[::-1].copy(),))
refused("""a: f64[N]
map i in N {
  t: f64[2] = 2.0
  map j in 2 { v << t[j];  u << x[i];  v * u >> t[j] }
  v << t[1]
  v >> a[i]
}
l = sumsq(a)""", OVERWRITTEN, "a local container that an inner map reads and writes")
refused("""c: f64[N] = y
map i in N { j << p[i];  v << x[i];  v >> c[j] }
l = sumsq(c)""", ORDER, "writes whose order counts", params=", p: i64[N]",
        extra=(np.zeros(6, "i8"),))
agrees("""c: f64[N] = y
map i in N unique { j << p[i];  v << x[i];  v * v >> c[j] }
l = sumsq(c)""", "a permutation", params=", p: i64[N]", extra=(np.arange(6)[::-1].copy(),))
for over in "xy":
    agrees("""c: f64[N] = x
a: f64[N]
b: f64[N] = y
map i in N { v << c[i];  v >> a[i] }
map i in 1:N { v << c[i - 1];  v >> b[i] (sum) }
map i in 0:4 { v << y[i];  v * v >> c[i] }
map i in N { v << c[i];  v >> a[N - 1 - i] (sum) }
map i in N { v << x[i];  v >> c[i] (sum) }
l = sumsq(a) + sumsq(c) + sumsq(b)""", "what was only moved is overwritten", over)
    agrees("""c: f64[N] = x
map i in 2:4 { v << y[i];  v * v * v >> c[i] }
l = sumsq(c)""", "two plain writers, the second of a part", over)
    agrees("""c: f64[N] = x
map i in N { v << y[i];  v * v >> c[i] (sum) }
map i in N { 3.0 >> c[N - 1 - i] }
map i in 1:N { v << y[i];  u << x[i - 1];  v * u >> c[i] (sum) }
l = sumsq(c)""", "written, summed, filled, summed", over)
    agrees("""s: f64 = 0
c: f64[N]
map i in N { v << x[i];  v * v >> s (sum) }
t << s
map i in N { v << y[i];  v * t >> s (sum) }
map i in N { u << s;  v << x[i];  u * v * t >> c[i] }
l = sumsq(c)""", "a sum that goes on after its value was named", over)
    agrees("""a: f64[N]
map i in N {
  t: f64 = 1
  v << x[i]
  v * 2 >> t
  u << t
  w << y[i]
  u * w >> t
  q << t
  q * u >> a[i]
}
l = sumsq(a)""", "a local container that is overwritten", over)
agrees("""w: f64[N] = 2.0
a: f64[N]
map i in N {
  k: f64 = 1
  for j in 0:3 { v << k;  u << y[j];  v * u >> k }
  v << k
  u << x[i]
  v * u * u >> a[i]
}
l = sumsq(a)""", "a loop that x has no part in")

# Largest values.
refused("""c: f64[N] = x
map i in N { v << y[i];  v >> c[i] (max) }
l = sumsq(c)""", BEFORE, "max onto a copy")
refused("""c: f64[N] = -inf
map i in N { v << x[i];  v >> c[i] (max) }
map i in N { v << y[i];  v >> c[i] (max) }
l = sumsq(c)""", AGAIN, "two nodes with max")
refused("""c: f64[N] = -inf
map i in N { v << x[i];  v >> c[i] (max) }
map i in 2:4 { 1.0 >> c[i] }
l = sumsq(c)""", AGAIN, "max that is overwritten")
agrees("""c: f64[N] = 1.25
map i in N { v << x[i];  v >> c[i] (max) }
l = sumsq(c)""", "max with a fill that may be larger")
agrees("""c: f64[N]
map i in N { 1.25 >> c[i] }
map i in N { v << x[i];  v >> c[i] (min) }
l = sumsq(c)""", "min onto constants")


def ties(text, want, name):
    s = dclpy.Session("verify=1")
    s.run("fn big(x: f64[N]) -> l: f64 {\n m: f64 = -inf\n" + text + "\n v << m\n v * v >> l }\n"
          "fn slope(x: f64[N]) -> d: f64[N] { l, g = gradient big(x) over x\n d = g }")
    tap.is_close(s.call("slope", np.array([1.0, 2, 1, 2, 2])), want, name)


FIRST = [0, 4, 0, 0, 0]
ties("map i in N { v << x[i];  v >> m (max) }", FIRST, "equal values: the first")
ties("map o in 0:N:3 { map i in 0:min(3, N - o) { v << x[o + i];  v >> m (max) } }", FIRST,
     "equal values in tiles with a rest")
ties("map o in 0:N:2 { map i in o:min(N, o + 2) { v << x[i];  v >> m (max) } }", FIRST,
     "equal values in ranges with both ends moving")
ties("map i in N { map j in i:N { v << x[j];  v >> m (max) } }", FIRST,
     "equal values in a triangle")
ties("map i in N { map j in 0:N - i { v << x[N - 1 - j];  v >> m (max) } }", [0, 0, 0, 0, 4],
     "equal values in a triangle from the end")

# By what is overwritten itself.
AT = dclpy.Session("verify=1")


def by_itself(text, want, name, reason=""):
    global count
    count += 1
    x, y = np.arange(1.0, 5), np.arange(2.0, 6)
    try:
        AT.run(SUMSQ if count == 1 else "")
        AT.run(f"fn at{count}(x: f64[N], y: f64[N]) -> d: f64[N] {{\n{text}\n d = g }}")
        got = AT.call(f"at{count}", x, y)
        tap.ok(not reason and np.allclose(got, want), name, got)
    except dclpy.Error as error:
        tap.ok(reason and reason in str(error), name, error)


X, Y = np.arange(1.0, 5), np.arange(2.0, 6)
by_itself("c: f64[N] = x\nmap i in N { c[i] = y[i] }\nl, g = gradient sumsq(c) over c", 2 * Y,
          "by a container with two writers")
by_itself("c: f64[N] = x\nmap i in N { c[i] = c[i] * y[i] }\nl, g = gradient sumsq(c) over c",
          2 * X * Y, "by a container that was updated")
by_itself("c: f64[N] = x\nmap i in N { v << y[i];  v >> c[i] (sum) }\n"
          "l, g = gradient sumsq(c) over c", 2 * (X + Y), "by a sum onto a copy")
by_itself("c: f64[N] = x\nd0 = c * c\nmap i in N { c[i] = y[i] }\n"
          "l, g = gradient sumsq(c) + sumsq(d0) over c", 0, "by a value that is gone", STALE)
by_itself("c: f64[N] = x\ns: f64 = 0\nmap i in N { y[i] >> c[i];  c[i] * c[i] >> s (sum) }\n"
          "l, g = gradient sumsq(c) + s over c", 0, "by what one map writes and reads", STALE)
by_itself("c: f64[N] = x\nl, gs = gradient sumsq(c) over [c, x]\ng = gs[0]", 0,
          "by a container and what it was made of",
          "depends on something else it is taken over")
by_itself("c: f64[N] = x\nl, g1 = gradient sumsq(c) over c\n"
          "map i in N { c[i] = c[i] - 0.25*g1[i] }\n"
          "k, g = gradient sumsq(c * y) over c", X * Y * Y, "by a container after a step")

# Two steps in one unit.
s = dclpy.Session("verify=1")
s.run("""
layer W(n: int) {
  param w: f32[n] ~ ones
  fn forward(x: f32[n]) -> f32[n] { w * x }
}
fn energy(x: f32[N]) -> e: f32 { map i in N { e += x[i] * x[i] } }
fn two(net: W, opt: SGD, x: f32[_]) -> (a: f32, b: f32) {
  a = minimize energy(net(x)) over net with opt
  b = minimize energy(net(x)) over net with opt
}
net = W(2)
opt = SGD(0.0625)
x: f32[2] = 2
a, b = two(net, opt, x)
print(a)
print(b)
print(net.w)
""")
tap.is_str(s.output, "8.0\n2.0\n[0.25 0.25]  f32[2]\n", "two steps in one unit")
tap.done_testing()
