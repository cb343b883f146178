#!/usr/bin/env python3
"""Control flow that is decided at run time: `if` as a value, `return` in branches, `while` in
functions; on both back-ends, with passes and without, against numbers worked out in Python."""
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

PROGRAM = """
fn either(x: f32[N], c: bool) -> f32[N] { y = if c { x * 2 } else { x + 1 }
  y * 10 }
fn weak(x: f64[N]) -> y: f64[N] { map i { y[i] = if x[i] > 0 { x[i] } else { 0 } } }
fn weak_first(x: f64[N]) -> y: f64[N] { map i { y[i] = if x[i] > 0 { 0.1 } else { x[i] } } }
fn weak_both(x: f64[_]) -> f64 { y = if x[0] > 0 { 0.1 } else { 1 }
  y * x[0] }
fn weak_carried(x: f64[_], c: bool) -> f64 { y = if c { 0.1 } else { x[0] }
  for t in 0:3 { y = y + x[0] }
  y }
fn pairs(x: f32[N]) -> (f32, f32[N]) { a, b = if x[0] > 1 { (x[0], x) } else { (2.5, x * 3) }
  (a, b) }
fn chain(k: i64) -> i64 { if k > 3 { 30 } else if k > 2 { 20 } else { k } }
fn snapshot(x: f32[N]) -> f32[N] { c: f32[N] = x
  y = if x[0] > 1 { c } else { c + 1 }
  c[:] = 0
  y }
fn rebinds(x: f32[_]) -> (f32, f32) { a = x[0]
  b = if a > 1 { a = a + 1
    a * 2 } else { a }
  (a, b) }
fn only_one(inout n: i64[2], x: f32[_]) -> f32 {
  fn_of = 0
  if x[0] > 1 { n[0] += 1
    1.0 } else { n[1] += 1
    2.0 } }
fn early(x: f32[_]) -> f32 {
  if x[0] > 2 { return 5 }
  if x[0] > 1 { return x[0] }
  x = x * 3
  x[0] + 1 }
fn early_else(x: f32[_]) -> f32 {
  y = x[0]
  if y < 2 { y = y + 10 } else { return y }
  y * 2 }
fn early_last(x: f32[_], c: bool) -> f32 {
  if x[0] > 1 { if c { return 7 }
    x[0] } else { 9 } }
fn early_named(x: f32[N]) -> y: f32[N] {
  y = 1
  if x[0] > 2 { return }
  y[0] = 7 }
fn halve(x: f32) -> (f32, i64) { n = 0
  while x > 1 { x = x / 2;  n += 1 }
  (x, n) }
fn none(x: f32[N]) -> f32[N] { while x[0] > 100 { x = x / 2 }
  x }
fn collatz(k: i64[N]) -> n: i64[N] { map i { a = k[i];  c = 0
   while a > 1 { a = if a % 2 == 0 { a // 2 } else { 3 * a + 1 };  c += 1 }
   n[i] = c } }
fn tensors(x: f32[N]) -> f32[N] { while sum(x) > 1 { y: f32[N] = x
    y[0] = y[0] / 4
    x = y / 2 }
  x }
fn named(n: i64) -> i64 { go: bool = true
  k = 0
  while go { k = k + 3
    go = k < n }
  k }
fn gives_up(x: f32[_], most: i64) -> i64 { k = 0
  while k < most and x[k] > 0 { k += 1 }
  k }
fn asked(x: f32[N]) -> (k: i64, last: bool) {
  go: bool = false
  y: f32[N]
  map i in N { x[i] + 1 >> y[i] }
  n = 0
  while go { n = n + 1 }
  map i in N { v << y[i];  v > 0 >> go (or) }
  k = n
  last = go }
fn nested(n: i64) -> i64 { a = 0
  s = 0
  while a < n { b = 0
    while b < a { s += b;  b += 1 }
    a += 1 }
  s }
"""

x = np.array([1.5, 2, 3], "f4")
d = np.array([0.5, -2, 3])


def collatz(k):
    n = 0
    while k > 1:
        k, n = (k // 2 if k % 2 == 0 else 3 * k + 1), n + 1
    return n


def shrink(v):
    while v.sum() > 1:
        v = v.copy()
        v[0] /= 4
        v = v / 2
    return v


CASES = (
    ("either", [x, True], x * 20, "tensors, one side"),
    ("either", [x, False], (x + 1) * 10, "tensors, the other side"),
    ("weak", [d], np.maximum(d, 0), "a number takes the type of the other side"),
    ("weak_first", [d], np.where(d > 0, 0.1, d), "... also where it stands first"),
    ("weak_both", [d], 0.1 * 0.5, "two numbers keep their digits"),
    ("weak_carried", [d, True], 0.1 + 0.5 + 0.5 + 0.5, "... and has it afterwards"),
    ("pairs", [x], (x[0], x), "a tuple"),
    ("pairs", [x / 2], (2.5, x / 2 * 3), "a tuple of the other side"),
    ("chain", [4], 30, "else if"), ("chain", [3], 20, "else if"), ("chain", [1], 1, "else"),
    ("snapshot", [x], x, "the value of a branch is no other name for a container"),
    ("rebinds", [x], (2.5, 5), "a side that rebinds"),
    ("rebinds", [x / 2], (0.75, 0.75), "... and one that does not"),
    ("early", [x], 1.5, "return in a branch"), ("early", [x * 2], 5, "return in a branch"),
    ("early", [x / 2], 3.25, "no return in a branch"),
    ("early_else", [x], 23, "return in an else"), ("early_else", [x * 2], 3, "return in an else"),
    ("early_last", [x, True], 7, "return below a branch"),
    ("early_last", [x, False], 1.5, "no return below a branch"),
    ("early_last", [x / 2, True], 9, "... nor in its else"),
    ("early_named", [x], [7, 1, 1], "a named result after a return that was not taken"),
    ("early_named", [x * 2], [1, 1, 1], "a named result before a return"),
    ("halve", [np.float32(10)], (0.625, 4), "while"),
    ("halve", [np.float32(0.5)], (0.5, 0), "while, without a turn"),
    ("none", [x], x, "a while that carries a tensor and never runs"),
    ("collatz", [np.arange(1, 40)], [collatz(k) for k in range(1, 40)], "a while in a map"),
    ("tensors", [x], shrink(x), "tensors carried by a while, a condition that is a call"),
    ("named", [7], 9, "a while on a container"), ("named", [-1], 3, "... asked again each turn"),
    ("gives_up", [np.array([1, 1, 0, 1], "f4"), 2], 2, "a while that ends for one reason"),
    ("gives_up", [np.array([1, 1, 0, 1], "f4"), 3], 2, "... or the other"),
    ("asked", [x], (0, True), "a condition that is written later"),
    ("nested", [5], sum(b for a in range(5) for b in range(a)), "nested"),
)


def equal(got, want):
    if isinstance(want, tuple):
        return len(got) == len(want) and all(equal(a, b) for a, b in zip(got, want))
    return np.array_equal(got, np.asarray(want, np.asarray(got).dtype))


for options in ("backend=ref", "verify=1", "verify=1 passes=none", "verify=1 threads=2"):
    s = dclpy.Session(options)
    s.run(PROGRAM)
    for name, args, want, what in CASES:
        got = s.call(name, *args)
        tap.ok(equal(got, want), f"{what} ({options})", str(got), str(want))
    n = np.zeros(2, "i8")
    s.call("only_one", n, x)
    tap.ok(n.tolist() == [1, 0], f"only the chosen side runs ({options})", str(n))

DIFFER = "the sides of this `if` differ: "
for text, want in (
        ("y = if x[0] > 1 { x } else { x[1:] }", DIFFER + "f32[3] and f32[2]"),
        ("y = if x[0] > 1 { x[0] } else { 1 < 2 }", DIFFER + "f32 and a truth value"),
        ("y = if x[0] > 1 { 1 } else { x }", DIFFER + "an integer and f32[3]"),
        ("y = if x[0] > 1 { (x, x) } else { x }", DIFFER + "2 values and f32[3]"),
        ("y = if x[0] > 1 { x[0] } else { f64(1) }", DIFFER + "f32 and f64"),
        ("y = if x[0] > 1 { x[0] }", "an `if` without `else` has no value"),
        ("y = if x[0] > 1 { x[0] } else { z = 1 }", "this side of the `if` has no value"),
        ("if x[0] > 1 { if x[1] > 1 { return 1.0 }\n z = 2 }\n y = x[0]",
         "`return` stands in a map"),
        ("while x[0] > 1 { return 1.0 }\n y = x[0]", "`return` stands in a map"),
        ("while x[0] { y = 1 }\n y = x[0]", "while: the condition must be a truth value"),
        ("y = (if x[0] > 1 { n = i64(x[0])\n t: f32[n] = 0\n t } else { x })[0]",
         "the size of what an `if` gives, before it, must be known before running")):
    try:
        session = dclpy.Session("verify=1")
        session.run("fn f(x: f32[3]) -> f32 { %s\n  y * 1.0 }\nx: f32[3] = 2\nf(x)" % text)
        tap.ok(False, "refused: " + want)
    except dclpy.Error as error:
        tap.ok(want in str(error) and "internal" not in str(error), "refused: " + want, str(error))

s = dclpy.Session("verify=1")
s.run("""
fn known(x: f32[_]) -> f32 { n = i64(x[0])
  y = if x[0] > 1 { t: f32[n] = 3
    t } else { t: f32[n] = 1
    t }
  y[0] }
fn or_the_other(x: f32[N], y: f32[M], c: bool) -> f32[N] { if c { x } else { y } }
""")
tap.ok(s.call("known", x) == 3, "a size from data that is known before the branch")
tap.ok(equal(s.call("or_the_other", x, x + 1, False), x + 1), "sizes that the call decides")
try:
    s.call("or_the_other", x, x[1:], True)
    tap.ok(False, "... are compared")
except dclpy.Error as error:
    tap.ok(DIFFER in str(error), "... are compared", str(error))

with open("endless.dcl", "w", encoding="utf-8") as file:
    file.write("fn f(x: f32) -> f32 { n = 0\n  while x > 0 { n = n + 1 }\n  f32(n) }\n"
               "print(f(1.0))\n")
# What stands behind a while is not known to be reached: its subscripts are not checked before.
with open("behind.dcl", "w", encoding="utf-8") as file:
    file.write("fn f(x: f32[_], k: i64) -> f32 { s: f32 = 0\n  for i in 0:k {\n    n = 0\n"
               "    while x[0] > 0 { n = n + 1 }\n    s += x[i] }\n  s }\n"
               "x: f32[2] = 1\nprint(f(x, 5))\n")
for file, backend in (("endless", "cpu"), ("endless", "ref"), ("behind", "cpu")):
    run = subprocess.Popen([tap.DCL, "run", file + ".dcl", "--backend", backend],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    run.send_signal(signal.SIGINT)
    try:
        said = run.communicate(timeout=20)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        said = "it went on"
    tap.ok("interrupted" in said, f"Ctrl-C ends a while ({file}, {backend})", said)
tap.done_testing()
