#!/usr/bin/env python3
"""script.t: statements: values and containers, loops, builtins, files."""

import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402


def printed(backend, text):
    with dclpy.Session("backend=" + backend) as s:
        s.run(text)
        return s.output


CASES = [
    ("numbers", "a = 1 + 2\nb = a * 2.5\nprint(a, b, 7 // 2, true, \"x\")", "3 7.5 3 true x\n"),
    ("lists", "a = [1, 2, 3]\nprint(a, a[1:], len(a), [x * x for x in a])",
     "[1, 2, 3] [2, 3] 3 [1, 4, 9]\n"),
    ("a container is written, values of it stay", """
c: f32[3] = 1
d = c
c[1] = 5
e = c + d
print(c, d, e)
""", "[1. 5. 1.]  f32[3] [1. 1. 1.]  f32[3] [2. 6. 2.]  f32[3]\n"),
    ("a whole container is assigned", "c: f32[2] = 0\nd = c + 1\nc = d * 2\nprint(c, d)",
     "[2. 2.]  f32[2] [1. 1.]  f32[2]\n"),
    ("updates", "c: i64[2] = 3\nc += 1\nc[0] = c[0] * 10\nx = 2\nx += 3\nprint(c, x)",
     "[40  4]  i64[2] 5\n"),
    ("maps and reductions", """
x: f32[4] = 0
map i { x[i] = i }
s: f32
map i { x[i] >> s (sum) }
print(x, s)
""", "[0. 1. 2. 3.]  f32[4] 6.0\n"),
    ("a number that a tensor gave decides", """
x: f32[3] = 2
if x[0] > 1 { print("big") } else { print("small") }
n = 0
while x[0] < 10 { x = x * 2;  n += 1 }
print(n, x[0])
y = if x[1] > 10 { 1 } else { 2 }
print(y)
""", "big\n3 16.0\n1\n"),
    ("loops over ranges and lists", """
for i in 0:3 { last = i }
for i in 4:10:3 { print(i) }
for a, b in [(1, "x"), (2, "y")] { print(a, b) }
print(last)
""", "4\n7\n1 x\n2 y\n2\n"),
    ("many rounds with integers that change", """
x: f32[3] = 0
t = 0
for i in 0:40 { x = x + i * t;  x[i % 3] += 1;  t += 2;  y = x * i }
print(x, t, y)
""", None),
    ("a power in many rounds", "for i in 0:6 { n = 2 ** i; print(n) }", "1\n2\n4\n8\n16\n32\n"),
    ("numbers stay numbers in many rounds", """
x: f32[2] = 4
for i in 0:6 { r = i / 2;  y = x * r;  z = x * (i / 4) }
print(r, y, z)
for i in 0:6 { b = i < 5;  w = if i > 4 { 0.5 } else { 1 };  y = x * i }
print(b, w, y)
""", "2.5 [10. 10.]  f32[2] [5. 5.]  f32[2]\nfalse 0.5 [20. 20.]  f32[2]\n"),
    ("powers by functions in many rounds", """
x: f32[2] = -2
fn p(x: f32[N], n: int) -> f32[N] { x ** n }
fn q(x: f32[N], n: int) -> f32[N] { p(x, n) }
layer L() { fn forward(x: f32[N], n: int) -> f32[N] { q(x, n) } }
l = L()
for i in 1:7 { y = x ** i;  z = q(x, i);  w = l(x, i) }
print(y, z, w)
""", "[64. 64.]  f32[2] [64. 64.]  f32[2] [64. 64.]  f32[2]\n"),
    ("what a block assigns is assigned once", """
n = 0
for i in 0:6 { r = if i >= 0 { n += 1;  n / 2 } else { 0 } }
print(n, r)
""", "6 3.0\n"),
    ("values swap", "a: f32[2] = 1\nx = a + 0\ny = a + 1\nx, y = (y, x)\nprint(x, y)",
     "[2. 2.]  f32[2] [1. 1.]  f32[2]\n"),
    ("lists of tensors", """
a: f32[2] = 1
xs = [a, a + 1, a * 3]
s: f32[2] = 0
for x in xs { s += x }
fn total(xs: list) -> f32[2] { t: f32[2] = 0;  for x in xs { t += x };  t }
print(s, total(xs), xs[1])
""", "[6. 6.]  f32[2] [6. 6.]  f32[2] [2. 2.]  f32[2]\n"),
    ("definitions where they stand", """
fn f() -> i64 { 1 }
print(f())
fn f() -> i64 { 2 }
print(f())
""", "1\n2\n"),
    ("a function without results", """
fn fill(inout x: f32[N], v: f32) { map i { x[i] = v } }
c: f32[2] = 0
fill(c, 4)
print(c)
""", "[4. 4.]  f32[2]\n"),
    ("assert holds", "x: f32[2] = 1\nassert(x[0] == 1, \"one\")\nprint(\"on\")", "on\n"),
    ("tensors look as NumPy's do", """
x: f32[2, 3] = 0
map i, j { x[i, j] = i - j / 4.0 }
print(x)
print(x * 1e6)
z: f64[0] = 0
print(z, x > 0)
""", "[[ 0.   -0.25 -0.5 ]\n [ 1.    0.75  0.5 ]]  f32[2, 3]\n"
     "[[      0. -250000. -500000.]\n [1000000.  750000.  500000.]]  f32[2, 3]\n"
     "[]  f64[0] [[false false false]\n [ true  true  true]]  bool[2, 3]\n"),
]

ERRORS = [
    ("assert with a message", "x: f32[1] = 1\nassert(x[0] > 1, \"too small\")", "too small"),
    ("assert without a message", "a = 3\nassert(a == 4)", "a == 4"),
    ("an index outside", "x: f32[3] = 0\ni = 5\nx[i] = 1", "outside"),
    ("print in a function", "fn f(x: f32[N]) -> f32[N] { print(x);  x }\nc: f32[2] = 1\nf(c)",
     "print"),
    ("print in a map", "x: f32[3] = 0\nmap i in 0:3 { print(x[i]) }", "map"),
    ("a file that is not there", "load(\"none.npy\")", "none.npy"),
    ("shapes that do not fit", "a: f32[2] = 0\nb: f32[3] = 0\nprint(a + b)", "broadcast"),
    ("a function of another file", "use nowhere", "nowhere"),
    ("what is not called so", "print(len(1, 2))", "len(x)"),
    ("a statement after an error does not run", "print(\"one\")\nassert(1 == 2)\nprint(\"two\")",
     "assert"),
]

for backend in "ref", "cpu":
    for name, text, want in CASES:
        try:
            got = printed(backend, text)
            if want is None:
                want = printed("ref", text)
            tap.is_str(got, want, "%s: %s" % (backend, name))
        except dclpy.Error as e:
            tap.fail("%s: %s" % (backend, name), str(e))
    for name, text, want in ERRORS:
        try:
            printed(backend, text)
            tap.fail("%s: %s" % (backend, name), "no error")
        except dclpy.Error as e:
            tap.ok(want in str(e), "%s: %s" % (backend, name), str(e))

    # Files.
    s = dclpy.Session("backend=" + backend)
    x = numpy.arange(6, dtype="f8").reshape(2, 3)
    numpy.save("x.npy", x)
    numpy.savez("xy.npz", x=x, y=x + 1)
    s.run('x = load("x.npy")\nsave("y.npy", x + 1)\ny = load("xy.npz", name = "y")\n'
          'save("z.safetensors", y)\nz = load("z.safetensors")\nsave("w.npz", z * 2)\n'
          'print(x.shape, z.dtype)')
    tap.is_close(numpy.load("y.npy"), x + 1, backend + ": a tensor through files")
    tap.is_close(list(numpy.load("w.npz").values())[0], 2 * x + 2, backend + ": other formats")
    tap.is_str(s.output, "[2, 3] f64\n", backend + ": shape and element type")
    try:
        s.run('load("xy.npz")')
        tap.fail("which one is meant")
    except dclpy.Error as e:
        tap.ok("x, y" in str(e), backend + ": a file with several tensors needs a name", str(e))
    os.makedirs("sub", exist_ok=True)
    numpy.save("sub/only.npy", x)
    with open("sub/lib.dcl", "w", encoding="ascii") as f:
        f.write("fn seven() -> i64 { 7 }\n")
    with open("sub/main.dcl", "w", encoding="ascii") as f:
        f.write('use lib\nx = load("only.npy")\nprint(x[1, 2], seven())\n')
    s.output = ""
    s.run_file("sub/main.dcl")
    tap.is_str(s.output, "5.0 7\n", backend + ": a file finds what lies beside it")
    s.close()

    # A result that is not written everywhere, in memory that was used before.
    if backend == "cpu":
        with dclpy.Session("backend=cpu") as s:
            s.run("""
fn part(x: f32[N]) -> y: f32[N] { y[0] = 1 }
fn one(x: f32[N]) -> y: f32[N] { if x[0] > 5 { y = x } }
x: f32[3] = 1
for i in 0:20 { z = x * (i + 7.5) }
for i in 0:20 { y, z = (part(x), one(x)) }
print(y, z)
""")
            tap.is_str(s.output, "[1. 0. 0.]  f32[3] [0. 0. 0.]  f32[3]\n",
                       "what is not written is zero")

# Integers that change are symbols where that means the same: few kernels for many rounds.
os.makedirs("kernels", exist_ok=True)
with dclpy.Session("cache=kernels") as s:
    s.run("x: f32[5] = 1\nfor i in 0:50 { x = x + i }\nprint(x[0])")
    tap.is_str(s.output, "1226.0\n", "a sum in many rounds")
kernels = sum(len(files) for _, _, files in os.walk("kernels"))
tap.ok(kernels < 12, "few kernels for many rounds", kernels)

# NumPy's own text.
with dclpy.Session("backend=ref") as s:
    rng = numpy.random.default_rng(3)
    for k, a in enumerate((rng.standard_normal((3, 4)).astype("f4"),
                           rng.standard_normal((2, 2, 3)), 1e5 * rng.standard_normal(7),
                           numpy.array([1e-10, 1, 1e10]), numpy.array([numpy.nan, 1, -numpy.inf]),
                           numpy.arange(1200), numpy.arange(-5, 40), rng.random((40, 50)),
                           numpy.array([[0.1, 0.25], [100, 2]], "f4"), numpy.zeros((2, 3)))):
        numpy.save("a.npy", a)
        s.output = ""
        s.run('print(load("a.npy"))')
        text = s.output.rsplit("  ", 1)[0]
        tap.is_str(text, str(a), "as NumPy prints array %d" % k)
tap.done_testing()
