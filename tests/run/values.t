#!/usr/bin/env python3
"""Values never change and never alias: names, results, lists, carried values and copies within one
container, on both back-ends, with passes and without. The expected numbers are worked out by hand:
the evaluator is common to both back-ends, so they cannot check each other here."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

PROGRAM = """
fn id(x: f32[N]) -> f32[N] { x }
fn h(inout c: f32[N]) -> f32[N] { c }
fn t(x: f32[N, M]) -> f32[M, N] { x.T }
fn a1(x: f32[N]) -> f32[N] { c: f32[N] = x
  y = id(c)
  c[:] = 0.0
  y }
fn a2(x: f32[N]) -> f32[N] { c: f32[N] = x
  l = [c, c]
  c[:] = 0.0
  l[0] }
fn a6() -> (f32[], f32[]) { a = f32(3.0)
  b = f32(7.0)
  for t in 0:1 { a, b = (b, a) }
  (a, b) }
fn a7(x: f32[N]) -> f32[N] { c: f32[N] = x
  y = h(c)
  c[:] = 0.0
  y }
fn a9(x: f32[N]) -> f32 { v << x[0]
  for t in 0:3 { v << x[t] }
  v }
fn a10(x: f32[N]) -> f32[N] { a = x + 0.0
  for t in 0:3 { z = if true { a = a + 1.0
 a } else { a } }
  a }
fn a16(x: f32[N, N]) -> f32[N, N] { c: f32[N, N] = x
  c[:, :] = t(c)
  c }
fn a17(x: f32[N]) -> f32[N] { c: f32[N] = x
  c[0:3] >> c[1:4]
  c }
fn p3(x: f32[N], idx: i64[N]) -> z: f32[N] { z = x
  y: f32[N]
  map i in N { v << x[i];  v + 1.0 >> y[N - 1 - i] }
  map i in N { v << y[i];  n << idx[i];  v >> z[n] } }
fn p5(x: f32[N], idx: i64[N]) -> f32 { y: f32[4]
  s: f32 = 0
  map i in N { k << idx[i];  v << x[i];  v >> y[k] }
  map i in 4 { v << y[i];  v >> s (sum) }
  s }
"""

x = np.arange(1, 5, dtype="f4")
m = np.arange(4, dtype="f4").reshape(2, 2)
CASES = (
    ("a1", [x], x, "a function that returns its parameter gives a value"),
    ("a2", [x], x, "a list holds values"),
    ("a6", [], (7, 3), "a swap in a loop"),
    ("a7", [x], x, "an inout parameter that is returned is a value"),
    ("a9", [x], 3, "a read in a loop rebinds"),
    ("a10", [x], x + 3, "a block in an expression rebinds"),
    ("a16", [m], m.T, "a transpose written over what it is of"),
    ("a17", [x], [1, 1, 2, 3], "a part copied over another part"),
    ("p3", [x, np.full(4, 2)], [1, 2, 2, 4], "writes that may meet keep their order"),
    ("p5", [x, np.arange(4)], 10, "a scatter, then a sum"),
)
for options in ("backend=ref", "verify=1", "verify=1 passes=none", "verify=1 threads=2"):
    s = dclpy.Session(options)
    s.run(PROGRAM)
    for name, args, want, what in CASES:
        got = s.call(name, *args)
        tap.ok(np.array_equal(got, want), f"{what} ({options})", str(got), str(want))
    s.run("""
c: f32[3] = 1.0
y = id(c)
c[0] = 9.0
q = (c, c)
c[1] = 5.0
print(y)
print(q[0])
""")
    tap.is_str(s.output, "[1. 1. 1.]  f32[3]\n[9. 1. 1.]  f32[3]\n", f"in a script ({options})")

# What went wrong is told in the program's terms.
for text, want in (
        ("fn f(x: f32[N]) -> y: f32[N] { map i in N { y[0] = x[i] } }",
         "iterations of the map over i conflict on y"),
        ("fn f(x: f32[N]) -> y: f32[N] { z = x }", "the result y is never written"),
        ("fn g(inout a: f32[N], b: f32[N]) { map i in N { a[i] = b[i] } }\n"
         "fn f(inout a: f32[_]) { g(a, a) }", "g: a and b overlap, and a is inout"),
        ("fn f(x: f32[_]) -> f32 { for i in 0:2 { return 1.0 }\n 2.0 }\nx: f32[2] = 2\nf(x)",
         "`return` stands in a map"),
        ("layer A(n: int) where n > 0 { fn forward(x: f32[_]) -> f32 { 1.0 } }\na = A(0)",
         "A: the condition n > 0 does not hold")):
    try:
        dclpy.Session("").run(text)
        tap.ok(False, "refused: " + want)
    except dclpy.Error as error:
        tap.ok(want in str(error) and "internal" not in str(error), "refused: " + want, str(error))
tap.done_testing()
