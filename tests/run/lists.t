#!/usr/bin/env python3
"""Lists that stand for tensors: written, given, beside tensors, of numbers, tensors and run-time
scalars: what NumPy's arrays of them are, by both back-ends, also in gradients."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

# fn f(x: f32[3], k: i64, s: f32) -> f32[..]: the body, and what it is in Python.
CASES = [
    ("y: f32[2, 3] = [x, [1, 2, 3]]", lambda x, k, s: [x, [1, 2, 3]]),
    ("y: f32[3] = [s, k, 2]", lambda x, k, s: [s, k, 2]),
    ("y: f32[3, 3] = [x[0], x[1], k]", lambda x, k, s: [[x[0], x[1], k]] * 3),
    ("y: f32[2, 2, 1] = [[[1], [s]], [[k], [4]]]", lambda x, k, s: [[[1], [s]], [[k], [4]]]),
    ("y: f32[3] = 1\n  y = [y[2] + 1, y[0] + s, y[1] * k]", lambda x, k, s: [2, 1 + s, k]),
    ("z: f32[3] = x\n  z[:2] = [z[1], z[0]]\n  y = z + 0",
     lambda x, k, s: [x[1], x[0], x[2]]),
    ("y = x * [1, 10, 100]", lambda x, k, s: x * [1, 10, 100]),
    ("y = [[1], [s]] - x", lambda x, k, s: [[1], [s]] - x),
    ("y = select([true, false, true], x, [7, 8, 9])",
     lambda x, k, s: np.where([True, False, True], x, [7, 8, 9])),
    ("y = select(x > [0, 5, k], x, 0)", lambda x, k, s: np.where(x > [0, 5, k], x, 0)),
    ("y = select(x > 0, [1, 2, 3], [4, 5.5, 6])",
     lambda x, k, s: np.where(x > 0, [1, 2, 3], [4, 5.5, 6])),
    ("y = twice([s, 1, 2])", lambda x, k, s: [2 * s, 2, 4]),
    ("y = softmax([1, 2, 4])", lambda x, k, s: np.exp([1, 2, 4]) / np.exp([1, 2, 4]).sum()),
    ("y = exp([1, k, s])", lambda x, k, s: np.exp([1, k, s])),
    ("y = -[[x[0], 2], [3, s]]", lambda x, k, s: -np.array([[x[0], 2], [3, s]])),
    ("y = f32([1, 2.5, 4])", lambda x, k, s: [1, 2.5, 4]),
    ("y = f32(f64([0.1, 0.2]) * 10)", lambda x, k, s: [1, 2]),
    ("y = f32(sum([[1, 2], [3, 4]])) * x", lambda x, k, s: 10 * x),
    ("y = max([[s, 2], [k, 4]]) * x", lambda x, k, s: max(s, 2, k, 4) * x),
    ("y = relu([-1, s, 2.5])", lambda x, k, s: np.maximum([-1, s, 2.5], 0)),
    ("y = relu([x, -x])", lambda x, k, s: np.maximum([x, -x], 0)),
    ("y = max(x, [0, 1, k])", lambda x, k, s: np.maximum(x, [0, 1, k])),
    ("y = matmul([[1, 2, 3], [0, s, 0]], reshape(x, [3, 1]))",
     lambda x, k, s: np.array([[1, 2, 3], [0, s, 0]]) @ x.reshape(3, 1)),
    ("y = concat([[1, 2], x])", lambda x, k, s: [1, 2, *x]),
    ("y = stack([[1, 2], [s, 4.5]])", lambda x, k, s: [[1, 2], [s, 4.5]]),
    ("y = stack([-1, 0.5])", lambda x, k, s: [-1, 0.5]),
    ("y = f32(sum([[1, 2], [3, 4]], axes = 0))", lambda x, k, s: [4, 6]),
    ("y: f32[2] = [x[i] * i for i in [1, 2]]",
     lambda x, k, s: [x[1], x[2] * 2]),
    ("y: f32[k, 2] = [k, s]", lambda x, k, s: [[k, s]] * k),
    ("y = x\n  for t in 0:k { y = y * [1, 2, s] + [t, 0, 0] }",
     lambda x, k, s: loop(x, k, s)),
    ("y: f32[3, 2] = 0\n  map i in 3 { y[i, :] = [x[i], i] }",
     lambda x, k, s: [[x[i], i] for i in range(3)]),
    ("y: f32[0] = []", lambda x, k, s: []),
    ("y = gelu([1, 1, 1]) * x", lambda x, k, s: 0.8413447 * x),
]


def loop(x, k, s):
    for t in range(k):
        x = x * [1, 2, s] + [t, 0, 0]
    return x


HELPERS = "fn twice(x: T[*S]) -> T[*S] where T: number { x + x }\n"
x, k, s = np.array([1.5, -2, 3], np.float32), 3, np.float32(0.75)
for body, meaning in CASES:
    want = np.asarray(meaning(x.astype(np.float64), k, float(s)), np.float32)
    sizes = ", ".join(str(n) for n in want.shape)
    for options in "verify=1", "check=1":
        with dclpy.Session(options) as session:
            session.run(f"{HELPERS}fn f(x: f32[3], k: i64, s: f32) -> f32[{sizes}] {{\n  {body}\n"
                        "  y\n}")
            got = session.call("f", x, k, s)
            tap.is_close(got, want, f"{body!r}, {options}", rtol=1e-6, atol=1e-6)

# In a script, of its own variables.
SCRIPT = HELPERS + """
x: f32[3] = [1.5, -2, 3]
m: i32[2, 2] = [[1, 2], [3, 4]]
l = [1, 2, 3]
print(x, m, stack([x, [7, 8, 9]]))
print(x + l, l + [4], twice(l), twice([1, 2.5, 3]))
"""
with dclpy.Session("verify=1") as session:
    session.run(SCRIPT)
    tap.is_str(session.output, """[ 1.5 -2.   3. ]  f32[3] [[1 2]
 [3 4]]  i32[2, 2] [[ 1.5 -2.   3. ]
 [ 7.   8.   9. ]]  f32[2, 3]
[2.5 0.  6. ]  f32[3] [1, 2, 3, 4] [2 4 6]  i64[3] [2. 5. 6.]  f32[3]
""", "a script's")

# Long ones are data: no kernel for their numbers, and in time. In functions and loops they mean
# the same.
import time

LONG = "x: f32[20000, 5] = [%s]\n" % ", ".join("[%d, %d.5, 1, 2, 3]" % (i, i) for i in range(20000))
MIXED = """
fn f(x: f32[N]) -> f32[N] { x * [i * 0.5 for i in 0:40] }
x: f32[40] = [2*i for i in 0:40]
x = x + [i for i in 0:40]
for k in 0:3 { y: i64[40] = [i + k for i in 0:40]; x[k] = f32(y[39]) }
v, g = gradient sum(f(x) * [i for i in 0:40]) over x
b: bool[33] = [i % 3 == 0 for i in 0:33]
print(x[:5], f(x)[36:], g[37:], sum(i64(b)), b[:4])
"""
for options in "verify=1", "check=1":
    with dclpy.Session(options) as session:
        began = time.process_time()
        session.run(LONG + "print(sum(f64(x)), x[19999, :])")
        took = time.process_time() - began
        tap.is_str(session.output, "400110000.0 [1.99990e+04 1.99995e+04 1.00000e+00 2.00000e+00 "
                   "3.00000e+00]  f32[5]\n", "100,000 numbers, " + options)
        tap.ok(took < 10, "in less than ten seconds", took)
    with dclpy.Session(options) as session:
        session.run(MIXED)
        tap.is_str(session.output, "[39. 40. 41.  9. 12.]  f32[5] [1944.  2053.5 2166.  2281.5]  "
                   "f32[4] [684.5 722.  760.5]  f32[3] 11 [ true false false  true]  bool[4]\n",
                   "in functions and loops, " + options)

# Gradients go through them.
for options in "verify=1", "check=1":
    with dclpy.Session(options) as session:
        session.run("fn value(x: f32[3]) -> f32 { sum(stack([x, x * [1, 2, 3]]) * [[1], [10]]) }\n"
                    "fn f(x: f32[3]) -> f32[3] {\n  v, g = gradient value(x) over x\n  g\n}\n"
                    "fn h(x: f32[3]) -> f32[3] {\n"
                    "  v, g = gradient sum(square(stack([x[2], x[0], 2]))) over x\n  g\n}")
        tap.is_close(session.call("f", x), [11, 21, 31], f"a gradient, {options}")
        tap.is_close(session.call("h", x), [3, 0, 6], f"one of elements, {options}")
tap.done_testing()
