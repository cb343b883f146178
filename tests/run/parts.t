#!/usr/bin/env python3
"""Parts of containers as arguments of inout parameters: the same as in NumPy's views, by both
back-ends, and nothing is copied; what lies outside of the part is not seen."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

PROGRAM = """
fn twice(inout a: f32[_, _]) { map i, j { a[i, j] = 2 * a[i, j] } }
fn line(inout a: f32[N]) {
  b: f32[N]
  map i { b[i] = a[i - 1, else 100] + a[i + 1, else 1000] }
  map i in N + 4 { 7 >> a[2 * i - 2, else _] }
  a = a + b
}
fn one(inout s: f32) { s = s * 3 + 1 }
fn set(inout a: f32[_], k: i64[_]) { map i { a[k[i]] = 5 } }
fn row_sums(inout s: f32[N], x: f32[N, _]) { map i, j { s[i] += x[i, j] } }
fn whole(inout a: f32[N, M], x: f32[M]) { a = a.T.T + x;  a += -0.5 }
fn two(inout a: f32[_], inout b: f32[_]) { one(a[0]);  one(b[0]) }
fn sorted_in(inout a: f32[N]) {
  for t in 0:N { for i in 0:N - 1 {
    if a[i] > a[i + 1] { p, q = (a[i + 1], a[i]);  a[i] = p;  a[i + 1] = q }
  } }
}
fn deep(inout a: f32[N, M]) {
  one(a[N - 1, 0])
  if M > 1 { deep_in(a[:, 1:M]) }
}
fn deep_in(inout a: f32[_, M]) { line(a[0, :M - 1]);  map i in 1 { line(a[i + 1, ::2]) } }

fn f_twice(inout x: f32[A, B], i: i64, j: i64) { twice(x[i:i + 2, j:B:3]) }
fn f_line(inout x: f32[_, _], i: i64, j: i64) { line(x[i, j:j + 4]) }
fn f_column(inout x: f32[_, _], j: i64) { line(a = x[:, j]) }
fn f_one(inout x: f32[_, _], i: i64, j: i64) { one(x[i, j]) }
fn f_sums(inout x: f32[A, B]) { row_sums(x[1:A, 0], x[1:A, 1:B]) }
fn f_whole(inout x: f32[_, B], y: f32[3]) { whole(x[1:3, B - 3:B], y) }
fn f_deep(inout x: f32[A, _]) { deep(x[A - 3:A, :]) }
fn f_rows(inout x: f32[A, B]) { map i in A { line(x[i, 1:B - 1]) } }
fn f_steps(inout x: f32[A, _]) { for t in 0:A - 1 { twice(x[t:t + 2, :]) } }
fn f_sorted(inout x: f32[A, _]) { map i in A { sorted_in(x[i, ::2]) } }
fn f_two(inout x: f32[_, _], i: i64) { two(x[i, 0:3], x[i, 3:]) }
fn f_set(inout x: f32[_, B], k: i64[_]) { set(x[1, 1:B - 1], k) }
fn f_set_steps(inout x: f32[_, B], k: i64[_]) { set(x[1, 1:B - 1:2], k) }
"""


def line(a):
    n = len(a)
    b = np.array([(a[i - 1] if i else 100) + (a[i + 1] if i + 1 < n else 1000) for i in range(n)])
    for i in range(n + 4):
        if 0 <= 2 * i - 2 < n:
            a[2 * i - 2] = 7
    a += b


def one(a):
    a[...] = a * 3 + 1


def f_twice(x, i, j):
    x[i:i + 2, j::3] *= 2


def f_line(x, i, j):
    line(x[i, j:j + 4])


def f_column(x, j):
    line(x[:, j])


def f_one(x, i, j):
    one(x[i:i + 1, j])


def f_sums(x):
    x[1:, 0] += x[1:, 1:].sum(1)


def f_whole(x, y):
    x[1:3, -3:] += y - 0.5


def f_deep(x):
    a = x[-3:]
    one(a[2:, 0])
    line(a[0, 1:-1])
    line(a[1, 1::2])


def f_rows(x):
    for row in x:
        line(row[1:-1])


def f_steps(x):
    for t in range(len(x) - 1):
        x[t:t + 2] *= 2


def f_sorted(x):
    x[:, ::2].sort(1)


def f_two(x, i):
    one(x[i, :1])
    one(x[i, 3:4])


def f_set(x, k):
    x[1, 1:-1][k] = 5


rng = random.Random(int.from_bytes(os.urandom(3), "big"))
for backend in "ref", "cpu":
    with dclpy.Session("backend=" + backend) as s:
        s.run(PROGRAM)
        for _ in range(3):
            a, b = rng.randint(4, 9), rng.randint(6, 20)
            i, j = rng.randint(0, a - 3), rng.randint(0, b - 5)
            y = np.array([1, 2, 3], "f4")
            k = np.array([rng.randrange(b - 2) for _ in range(3)])
            for f, more in ((f_twice, (i, j)), (f_line, (i, j)), (f_column, (j,)), (f_one, (i, j)),
                            (f_sums, ()), (f_whole, (y,)), (f_deep, ()), (f_rows, ()),
                            (f_steps, ()), (f_sorted, ()), (f_two, (i,)), (f_set, (k,))):
                x = np.random.default_rng(a * b).standard_normal((a, b)).astype("f4")
                want = x.copy()
                f(want, *more)
                s.call(f.__name__, x, *more)
                tap.is_close(x, want, f"{backend}: {f.__name__} of {a} x {b}, {i}, {j}")
        for f, k in [*((f, k) for f in ("f_set", "f_set_steps") for k in (
                -1, 4, 5, 1 << 40, -1 << 40, (1 << 63) - 1, -1 << 63, (1 << 61) + 1)),
                ("f_set_steps", 2)]:
            x = np.zeros((2, 6), "f4")
            try:
                s.call(f, x, np.array([k]))
                tap.fail(f"{backend}: {k} is outside of the part of {f}")
            except dclpy.Error as e:
                tap.ok("outside" in str(e) or "index" in str(e) or "negative subscript" in str(e),
                       f"{backend}: {k} is outside of the part of {f}", e)
            tap.ok(not x.any(), "and nothing was written")

        # Scripts, buffers.
        s.run("""
x: f32[3, 6] = 1
twice(x[1:, ::2])
one(x[0, 5])
layer Sums(n: int) {
  buffer kept: f32[n, 2] ~ ones
  fn forward() { twice(kept[1:, :]) }
}
net = Sums(3)
net()
twice(net.kept[2:, 1:])
y: f32[3, 2] = net.kept
""")
        for text, want in (("x", [[1, 1, 1, 1, 1, 4], [2, 1] * 3, [2, 1] * 3]),
                           ("y", [[1, 1], [2, 2], [2, 4]])):
            s.output = ""
            s.run(f"save(\"t.npy\", {text})")
            tap.is_close(np.load("t.npy"), np.array(want, "f4"), f"{backend}: {text} of a script")

        # What overlaps, and what is no container.
        for text, words in (
                ("fn g(inout x: f32[_]) { two(x[0:4], x[3:7]) }", "overlap"),
                ("fn g(inout x: f32[_]) { two(x[0:4], x) }", "overlap"),
                ("fn g(inout x: f32[8], i: i64) { two(x[0:i], x[3:7]) }", "overlap"),
                ("fn g(x: f32[_]) { line(x[0:4]) }", "read-only"),
                ("fn g(inout x: f32[_]) { line((x + 1)[0:4]) }", "a container"),
                ("fn g(inout x: f32[_]) { line(x[0:9, else 0]) }", "a container"),
                ("fn g(inout x: f32[4]) { line(x[0:2, 0:2]) }", "subscript")):
            try:
                s.run(text)
                s.call("g", *(np.ones(8, "f4"), 4)[:1 + text.count("i64")])
                tap.fail(f"{backend}: {text}", "no error")
            except dclpy.Error as e:
                tap.ok(words in str(e), f"{backend}: {text}", e)

# Gradients go through; by a part there is none.
with dclpy.Session("backend=cpu") as s:
    s.run("""
fn weigh(inout a: f32[N], w: f32[N]) { map i { a[i] += w[i] * w[i] } }
fn energy(x: f32[6], w: f32[3]) -> e: f32 {
  y: f32[6] = x
  weigh(y[1:6:2], w)
  map i { e += y[i] * y[i] }
}
fn slope(x: f32[6], w: f32[3]) -> g: f32[3] {
  l, d = gradient energy(x, w) over w
  g = d
}
fn by_part(inout a: f32[N]) -> g: f32[N] {
  l, d = gradient sum(a * a) over a
  g = d
}
fn wrong(inout x: f32[6]) -> g: f32[3] { g = by_part(x[::2]) }
""")
    x, w = np.arange(1, 7, dtype="f4"), np.array([1, 2, 3], "f4")
    tap.is_close(s.call("slope", x, w), 4 * w * (x[1::2] + w * w), "a gradient goes through")
    try:
        s.call("wrong", x)
        tap.fail("no gradient by a part")
    except dclpy.Error as e:
        tap.ok("a part of one" in str(e), "no gradient by a part", e)

# Bytes: those of the part, read once and written once; of GPT-2's caches the rows that are needed.
with open("moves.dcl", "w") as out:
    out.write("fn twice(inout a: f32[_, _]) { map i, j { a[i, j] = 2 * a[i, j] } }\n"
              "fn f(inout x: f32[1000, 64]) { twice(x[10:20, 3:]) }\n")
status, text, errors = tap.dcl("movement", "moves.dcl", "--entry", "f")
tap.ok("x: reads 2440, writes 2440 bytes" in text, "nothing but the part is moved", text, errors)
tap.ok("in all: reads 2440, writes 2440 bytes" in text, "in all", text)
status, text, errors = tap.run(tap.DCL, input="""
use "%s/examples/models/gpt2.dcl"
net = GPT2(50, 256, 2, 64, 4)
keys: f32[2, 1, 4, 256, 16] = 0
values: f32[2, 1, 4, 256, 16] = 0
ids: i64[1, 1] = 3
:movement net.next(ids, 5, keys, values)
""" % tap.SRC)
tap.ok(all(name + ": reads 3072, writes 512 bytes" in text for name in ("keys", "values")),
       "of a cache six of 256 places are read, one is written", text, errors)
tap.done_testing()
