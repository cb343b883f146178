#!/usr/bin/env python3
"""Sizes that the run finds, and resolutions by functions: sizes.dcl against NumPy, compiled with
symbols and constants, on 1 and 3 threads, and by the reference."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

PROGRAM = open(os.path.join(tap.SRC, "tests", "run", "sizes.dcl"), encoding="utf-8").read()
rng = np.random.default_rng(7)


def positive(x):
    return x[x > 0]


def pairs(x):
    found = [(i, j) for i in range(len(x)) for j in range(i) if x[i] > x[j]]
    return positive(x), 2 * x, np.array(found, "i8").reshape(-1, 2)


def collatz(n):
    out, a = [], int(n)
    while a > 1:
        a = a // 2 if a % 2 == 0 else 3 * a + 1
        out.append(a)
    return np.array(out, "i8")


def declared(n):
    y = np.ones((n[0], 2), "f4")
    y[0] = 5
    return y, np.full((n[0], n[0]), 2, "f4")


def rows(x, k):
    return np.concatenate([x[x[:, 0] > 0], x[k]])


def then_written(x):
    y = positive(x) + np.float32(1)
    return y, y.sum(dtype="f4")


def over(values, start):
    y = np.float32(start)
    for v in values:
        y = y * np.float32(0.5) + v
    return y


def at_over(x, k):
    return np.array([over(x[k == n], 0) for n in range(5)], "f4")


def last_seen(x):
    return np.array([max(np.flatnonzero(x == n), default=-1) for n in range(5)], "i8")


FUNCTIONS = [
    ("positive", positive, lambda n: (whole(n),)),
    ("nothing", lambda x: np.zeros((0, 3), "f4"), lambda n: (whole(n),)),
    ("pairs", pairs, lambda n: (whole(n % 50),)),
    ("collatz", collatz, lambda n: (np.int64(n),)),
    ("declared", declared, lambda n: (np.array([n % 40 + 1], "i8"),)),
    ("made", lambda n: np.full((n[0], n[0]), 2, "f4"), lambda n: (np.array([n % 40], "i8"),)),
    ("known", lambda x: (x, x + 1), lambda n: (whole(n),)),
    ("inside", lambda x: (np.where(x > 0, x, 0) * 2).sum(1, dtype="f4"), lambda n: (whole(n, 13),)),
    ("chain", lambda x: positive(positive(x) - 1) * 2, lambda n: (whole(n),)),
    ("rows", rows, lambda n: (whole(n + 1, 3), rng.integers(0, n + 1, n % 7))),
    ("then_written", then_written, lambda n: (whole(n),)),
    ("halves", lambda x: (positive(x), positive(x) > 1), lambda n: (whole(n).astype("f2"),)),
    ("returned", lambda x, c: positive(x) if c else np.append(positive(x), np.float32(0)),
     lambda n: (whole(n), np.bool_(n % 2))),
    ("row_largest", lambda x: x.max(1, initial=0), lambda n: (whole(n, 5),)),
    ("column_over", lambda x: np.array([over(c, 1) for c in x.T], "f4"),
     lambda n: (whole(n, 5),)),
    ("all_over", lambda x: over(x.ravel(), 1), lambda n: (whole(n, 5),)),
    ("at_over(x, k, n = 5)", at_over, lambda n: (whole(n), rng.integers(0, 5, n))),
    ("block_over", lambda x: np.array([over(c, 0) for c in x.T], "f4"), lambda n: (whole(n, 5),)),
    ("bits", lambda x: np.bitwise_xor.reduce(x, initial=0).astype("u1"),
     lambda n: (rng.integers(0, 256, n).astype("u1"),)),
    ("last_seen(x, n = 5)", last_seen, lambda n: (rng.integers(0, 5, n),)),
]


def whole(*shape):
    """Small multiples of 1/4: sums and halves of few of them are exact."""
    return rng.integers(-12, 12, shape).astype("f4") / 4


def signature(name, args):
    if "(" not in name:
        return name
    types = {"f": "f32", "i": "i64"}
    names, statics = name[name.index("(") + 1:-1].split(", "), []
    given = [f"{n}: {types[a.dtype.kind]}[_]" for n, a in zip(names, args)]
    statics = [n for n in names if "=" in n]
    return f"{name[:name.index('(')]}({', '.join(given + statics)})"


def same(got, want):
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    return len(got) == len(want) and all(
        g.shape == np.shape(w) and np.array_equal(g, w) for g, w in zip(got, want))


for options in ("threads=1", "threads=3", "passes=none", "strict=1", "backend=ref"):
    with dclpy.Session(options) as s:
        s.run(PROGRAM)
        for name, expected, make in FUNCTIONS:
            good = True
            for n in (0, 1, 2, 7, 8, 33, 200 if "ref" in options else 5000):
                args = make(n)
                try:
                    got = s.call(signature(name, args), *args)
                except dclpy.Error as error:
                    got = str(error)
                if isinstance(got, str) or not same(got, expected(*args)):
                    tap.diag(f"{name} {n}: {got!r}, expected {expected(*args)!r}"[:1000])
                    good = False
            tap.ok(good, f"{name} with {options}")

# Rows by the million: as many as there are, in order.
BIG = 3_000_000
with dclpy.Session("") as s:
    s.run(PROGRAM)
    x = np.arange(BIG, dtype="f4") % 1000 - 500
    tap.ok(np.array_equal(s.call("positive", x), positive(x)), "a million rows")

# The caller's memory must be of the size that was found; what is written for shapes alone is a
# copy; one result may be found and another not.
with dclpy.Session("") as s:
    s.run("""
fn count(inout n: i64[1], x: f32[_]) -> y: f32[?] {
  n[0] += 1
  map i { if x[i] > 0 { x[i] >> y[?] } }
}
layer Seen(k: int) {
  buffer calls: i64 = 0
  fn forward(x: f32[_]) -> y: f32[?] {
    calls = calls + 1
    map i { if x[i] > 0 { x[i] >> y[?] } }
  }
}
seen = Seen(1)
""")
    f = s.compile("count")
    n, x = np.zeros(1, "i8"), whole(20)
    tap.ok(f.shapes(n, x) == [(np.dtype("f4"), positive(x).shape)], "the shape is found")
    tap.is_int(n[0], 0, "asking for it writes nothing")
    tap.ok(np.array_equal(f.call(n, x), positive(x)), "then the call")
    tap.is_int(n[0], 1, "which writes once")
    try:
        f.call(n, x, out=[np.empty(19, "f4")])
        tap.ok(False, "another size is refused")
    except dclpy.Error as error:
        tap.ok("the memory of result 0 does not fit" in str(error), "another size is refused")
    odd = np.empty(2 * positive(x).size, "f4")[::2]
    f.call(n, x, out=[odd])
    tap.ok(np.array_equal(odd, positive(x)), "results with strides")
    tap.ok(np.array_equal(s.call("seen", x), positive(x)), "a method")
    tap.is_str(s.line("seen.calls").strip(), "1", "whose buffer is written once")

# In a script: statements, loops, names of sizes.
for options in ("", "backend=ref"):
    with dclpy.Session(options) as s:
        s.run(PROGRAM)
        s.run("""
x: f32[8] = 0
map i { x[i] = f32(i) - 3 }
y = positive(x)
n = y.shape[0]
z = positive(y - 1.5)
print(n, y.shape, z, len(positive(x)))
for t in 0:6 { y = positive(x - t);  print(y.shape[0]) }
total = 0
while len(y) < 3 { x = x + 1;  y = positive(x);  total += len(y) }
print(total, y)
a, b, c = pairs(x)
print(c[0:2, :], a)
""")
        tap.is_str(s.output.split("\n")[0], "4 [4] [0.5 1.5 2.5]  f32[3] 4",
                   f"a script's values {options}")
        tap.is_str(" ".join(s.output.split("\n")[1:7]), "4 3 2 1 0 0", f"in a loop {options}")
        tap.ok("i64[2, 2]" in s.output, f"parts {options}")

tap.done_testing()
