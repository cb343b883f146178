#!/usr/bin/env python3
"""checked.t: sizes of containers and ranges that are negative or leave 64 bits are errors,
whether the container is left by the passes or not: compiled, with and without passes, as by the
reference. An integer argument is a symbol of the compiled function."""

import sys

import outcomes
import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

# A name, the body over n: i64, x: f32[M] and k: i64[1] that holds n, whose result is y.
CASES = [
    ("a product", "c: f32[n*n]; map i in min(n, 2) { c[i] = 1 }; y = 3"),
    ("filled", "c: f32[n*n] = 1; y = sum(c)"),
    ("fused", "c: f32[n*n] = 1; d = c + 1; y = sum(d)"),
    ("two dimensions", "c: f32[n*n, 3] = 1; y = sum(c + 1)"),
    ("with a name of its own", "m = n*n; c: f32[m] = 1; y = sum(c + 1)"),
    ("a power", "c: f32[n ** 3]; y = 3"),
    ("a sum of products", "c: f32[2*n*n + n] = 1; y = sum(c)"),
    ("a quotient of a product", "c: f32[n*n // 2] = 1; y = sum(c)"),
    ("the larger", "c: f32[max(n*n, 3)] = 1; y = sum(c)"),
    ("read from data", "v << k[0]; c: f32[v*v] = 1; y = sum(c + 1)"),
    ("less than nothing", "c: f32[n - 5] = 1; y = sum(c)"),
    ("less than nothing, fused", "c: f32[n - 5] = 1; d = c + x[0]; y = sum(d)"),
    ("less than nothing, not used", "c: f32[n - 5]; y = 3"),
    ("less than nothing, from data", "v << k[0]; c: f32[v - 5] = 1; y = sum(c + 1)"),
    ("in a map", "map i in M { c: f32[n - 5] = 1; d = c + x[i]; s = sum(d); s >> y (sum) }"),
    ("moved into a map", "c: f32[M, n - 5]; map i in M { map j in n - 5 { c[i, j] = 2*x[i] }; "
     "map j in n - 5 { c[i, j] >> y (sum) } }"),
    ("in a branch", "y = 0; if x[0] > 0 { c: f32[n - 5] = 1; y = sum(c + 1) }"),
    ("in a branch that is not taken", "y = 0; if x[0] < 0 { c: f32[n - 5] = 1; y = sum(c + 1) }"),
    ("in a map without iterations", "y = 0; map i in 0:0 { c: f32[n - 5] = 1; s = sum(c)\n"
     "  s >> y (sum) }"),
    ("in a loop", "y = 0; for i in 0:2 { c: f32[n - 5*i] = 1; y += sum(c + 1) }"),
]
CASES += [
    ("a range", "z = x[max(n, 2) - 2:]; y = f32(z.shape[0])"),
    ("a range that is written", "c: f32[2] = 0; c[max(n, 2) - 2:] = 3; y = sum(c)"),
    ("a range that gets a tensor", "c: f32[2] = 0; d: f32[4 - max(n, 2)] = 3; "
     "c[max(n, 2) - 2:] = d; y = sum(c)"),
    ("a range of found rows", "c: f32[?]; map i in M { if x[i] > 3 { x[i] >> c[?] } }; d = c[n:]; "
     "y = f32(d.shape[0])"),
]
VALUES = [0, 3, 4, 7, 2**32, 2**62]


def kind(text):
    for word in "negative", "too large", "not enough memory":
        if word in text:
            return "an error"
    return text


def print_outcomes(options):
    """Prints a line for each case and value."""
    s = dclpy.Session(options)
    x = numpy.ones(2, "f4")
    for number, (what, body) in enumerate(CASES):
        s.run("fn case%d(n: i64, x: f32[M], k: i64[1]) -> y: f32 {\n  %s\n}\n"
              % (number, body.replace("; ", "\n  ")))
        f = s.compile("case%d" % number)
        for n in VALUES:
            if n > 7 and ("- 5" in body or "x[max" in body or "c[n" in body):
                continue  # as many iterations
            try:
                y = "%g" % float(f.call(n, x, numpy.array([n], "i8")))
            except dclpy.Error as e:
                y = kind(str(e).splitlines()[0])
            print("%s, %d: %s" % (what, n, y), flush=True)


if len(sys.argv) > 1:
    print_outcomes(sys.argv[1])
    sys.exit()


status, expected = outcomes.run(__file__, "backend=ref")
errors = sum(line.endswith(": an error") for line in expected)
tap.ok(status == 0 and errors > 25, "the reference", "\n".join(expected))
for options in "backend=cpu", "backend=cpu passes=none", "backend=cpu without=dead":
    outcomes.compare(__file__, options, [what for what, _ in CASES], ", ", expected)

# An integer of more terms than symbolic integers have (lang/sym/sym_node.h, Note [limits]).
s = dclpy.Session("")
for number, use in enumerate(["c: f32[n] = 1; y = sum(c)", "y = 0; for i in 0:n { y += 1 }",
                              "y = x[n, else 0]"]):
    s.run("fn long%d(x: f32[N]) -> y: f32 {\n  n = N\n"
          "  for k in [i for i in 0:17] { n = n * (n + 1) }\n  %s\n}\n"
          % (number, use.replace("; ", "\n  ")))
    try:
        said = s.compile("long%d" % number).show()
    except dclpy.Error as e:
        said = str(e)
    tap.ok("this integer is too long an expression" in said, "an endless integer: " + use, said)
tap.done_testing()
