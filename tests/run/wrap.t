#!/usr/bin/env python3
"""wrap.t: arithmetic on run-time integers wraps, so what a condition says of a sum says nothing of
its terms. Programs with values near the ends of i64: compiled, with and without passes, as by the
reference, or an index outside in both."""

import sys

import outcomes
import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

MOST, LEAST = 2**63 - 1, -2**63
FAR = 2**40

# A name, the body after `v << k[0]`, whose result is y[0].
CASES = [
    ("a sum in a condition", "if v >= 0 and v + 1 <= i64(N) { t << x[v - %d, else -1.0]; y[0] = t }"
     % FAR),
    ("a sum, then the value", "if v >= -9 and v + 1 <= i64(N) { y[0] = x[v] }"),
    ("a difference in a condition", "if v < i64(N) and v - 1 >= 0 { y[0] = x[v] }"),
    ("a sum, two dimensions", "if v >= 0 and v + 1 <= i64(N) { y[0] = z[v, 0] }"),
    ("a product in a condition", "if v >= 0 and 2*v < i64(N) { y[0] = x[v] }"),
    ("a sign in a condition", "if v <= 0 and -v < i64(N) { y[0] = x[-v] }"),
    ("bounds on one side, a sum", "if v >= 0 { t << x[v + 3, else -1.0]; y[0] = t }"),
    ("bounds on one side, an error", "if v >= 0 { y[0] = x[v + 3] }"),
    ("bounds on the other side", "if v <= 5 { t << x[v - %d, else -1.0]; y[0] = t }" % FAR),
    ("bounds on both sides", "if v >= 1 and v < i64(N) { y[0] = x[v - 1] }"),
    ("not outside", "if not (v < 1 or v >= i64(N)) { y[0] = x[v - 1] }"),
    ("a branch that is not taken", "if v < 2 or v > 4 { y[0] = 9.0 } else { y[0] = x[v + 1] }"),
    ("a choice that looks decided", "y[0] = select(v + 1 > v, 1.0, 2.0)"),
    ("another", "y[0] = select(v - 1 < v, 1.0, 2.0)"),
    ("a product that looks decided", "y[0] = select(2*v >= v, 1.0, select(v >= 0, 2.0, 3.0))"),
    ("decided", "if v > 3 { y[0] = select(v >= 4, 1.0, 2.0) }"),
    ("a subscript", "t << x[v - 5, else -1.0]; y[0] = t"),
    ("a window", "map i in 0:3 { x[v + i] >> y[0] (max) }"),
    ("a block", "map i in 0:3 { x[max(v, 0) + i] >> y[0] (max) }"),
    ("a slice", "t = x[max(v, 0):max(v, 0) + 3]; map i in 0:3 { t[i] >> y[0] (max) }"),
    ("a stride", "map i in 0:5 { x[v*i] >> y[0] (max) }"),
    ("a bound", "for i in 0:v { y[0] += x[i + 2] }"),
    ("a multiple", "t << x[2*v, else -1.0]; y[0] = t"),
]
VALUES = [MOST, MOST - 1, LEAST, LEAST + 1, 2**62, 2**62 + 1, -2**62, FAR, 0, 1, 3, 5, 8, -1, -8]


def print_outcomes(options):
    """Prints a line for each case and value; runs in a process of its own, which may crash."""
    s = dclpy.Session(options)
    x = numpy.arange(1, 9, dtype="f4")
    for number, (what, body) in enumerate(CASES):
        s.run("fn case%d(x: f32[N], z: f32[N, M], k: i64[1]) -> y: f32[1] {\n"
              "  y[0] = 0.0\n  v << k[0]\n  %s\n}\n" % (number, body.replace("; ", "\n  ")))
        f = s.compile("case%d" % number)
        for v in VALUES:
            try:
                y = float(f.call(x, numpy.stack([x, x], 1), numpy.array([v], "i8"))[0])
            except dclpy.Error as e:
                text = str(e).splitlines()[0]
                words = "outside", "negative subscript", "size of a tensor is too large"
                y = "outside" if any(w in text for w in words) else text
            print("%s: %d: %s" % (what, v, y), flush=True)


if len(sys.argv) > 1:
    print_outcomes(sys.argv[1])
    sys.exit()


status, expected = outcomes.run(__file__, "backend=ref")
tap.ok(status == 0 and len(expected) == len(CASES) * len(VALUES), "the reference",
       "\n".join(expected[-3:]))
for options in "backend=cpu", "backend=cpu passes=none":
    outcomes.compare(__file__, options, [what for what, _ in CASES], ": ", expected)
tap.done_testing()
