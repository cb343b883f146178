#!/usr/bin/env python3
"""types.t: every element type through programs, compiled and by the reference, against NumPy: odd
sizes at guard pages, operators, sums, casts, subscripts, files, print. f16 and bf16 are rounded
after each operator, which for f16 is what NumPy does."""

import ctypes
import mmap

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

INTS = {"i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4",
        "u64": "u8"}
HALVES = {"f16": "f2", "bf16": "V2"}
SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 257)

SOURCE = """
fn mix(x: T[N], y: T[N]) -> z: T[N] where T: number { map i { z[i] = x[i] * y[i] + x[i] - 3 } }
fn odd(x: T[N], y: T[N]) -> z: T[N] where T: number {
  map i { if x[i] > y[i] { z[i] = x[i] } else { z[i] = y[i] + 1 } }
}
fn every(x: T[N], k: i64) -> z: T[2 * N] where T: number {
  z = 1
  map i { z[2 * i] = x[i] }
  map i in 0:k { z[i] = 2 }
}
fn floor_divide(x: T[N], y: T[N]) -> z: T[N] where T: int { map i { z[i] = x[i] // y[i] } }
fn remainder(x: T[N], y: T[N]) -> z: T[N] where T: int { map i { z[i] = x[i] % y[i] } }
fn less(x: T[N], y: T[N]) -> z: bool[N] where T: number { map i { z[i] = x[i] < y[i] } }
fn at_most(x: T[N], y: T[N]) -> z: bool[N] where T: number { map i { z[i] = x[i] <= y[i] } }
fn larger(x: T[N], y: T[N]) -> z: T[N] where T: number { map i { z[i] = max(x[i], y[i]) } }
fn smaller(x: T[N], y: T[N]) -> z: T[N] where T: number { map i { z[i] = min(x[i], y[i]) } }
fn both_bits(x: T[N], y: T[N]) -> z: T[N] where T: int {
  map i { z[i] = bit_xor(bit_and(x[i], y[i]), bit_or(x[i], bit_not(y[i]))) }
}
fn up(x: T[N], y: T[N]) -> z: T[N] where T: int { map i { z[i] = shl(x[i], y[i]) } }
fn down(x: T[N], y: T[N]) -> z: T[N] where T: int { map i { z[i] = shr(x[i], y[i]) } }
fn quotient(x: T[N], y: T[N]) -> z: T[N] where T: float { map i { z[i] = x[i] / y[i] } }
fn root(x: T[N]) -> y: T[N] where T: float { map i { y[i] = sqrt(abs(x[i])) } }
fn twice(x: T[N], inout s: T[2]) where T: number {
  map i { s[0] += x[i];  s[1] += x[i] }
  map i { s[0] += x[i] }
}
fn running(x: T[N]) -> y: T where T: float {
  y = 0
  for i in 0:N { y += x[i] }
}
fn inner(x: T[M, N]) -> (s: T[M], least: T[M]) where T: float {
  map i {
    s[i] = 1
    map j in N { s[i] += x[i, j] }
    least[i] = s[i] - 1
    s[i] = 2
    map j in N { s[i] += x[i, j] }
  }
}
fn nested(x: T[M, N]) -> s: T where T: float { map i in M { map j in N { s += x[i, j] } } }
fn rows(x: T[M, N]) -> s: T[M] where T: number { map i, j { s[i] += x[i, j] } }
fn columns(x: T[M, N]) -> s: T[N] where T: number { map i, j { s[j] += x[i, j] } }
fn product(x: T[_]) -> p: T where T: number { map i { p prod= x[i] } }
fn ends(x: T[_]) -> (low: T, high: T) where T: number { map i { low min= x[i];  high max= x[i] } }
fn pick(x: f32[N], k: T[M]) -> y: f32[M] where T: int { map i { y[i] = x[k[i]] } }
fn outer(x: T[M], y: T[N]) -> z: T[M, N] where T: number { map i, j { z[i, j] = x[i] * y[j] } }
fn matrix(x: T[M, K], y: T[K, N]) -> T[M, N] where T: number { x @ y }
"""
CASTS = "".join("fn to_%s(x: T[N]) -> y: %s[N] where T: any { map i { y[i] = %s(x[i]) } }\n" %
                (t, t, t) for t in list(INTS) + list(HALVES) + ["f32", "f64", "bool"])

libc = ctypes.CDLL(None)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
pages = []


def guarded(array, at_end):
    """A copy whose last byte is the last before a page that cannot be touched, or whose first is
    the first after one."""
    page, size = mmap.PAGESIZE, array.nbytes
    inner = (size + page - 1) // page * page
    memory = mmap.mmap(-1, inner + 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for edge in (start, start + page + inner):
        libc.mprotect(edge, page, 0)
    pages.append(memory)  # never given back: the pages stay as they are
    offset = page + (inner - size if at_end else 0)
    copy = numpy.frombuffer(memory, array.dtype, array.size, offset).reshape(array.shape)
    copy[...] = array
    return copy


def sample(rng, dtype, shape):
    """Integers: all of the range, and many small ones."""
    info = numpy.iinfo(dtype)
    wide = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    small = rng.integers(-9 if info.min else 0, 10, shape).astype(dtype)
    return numpy.where(rng.random(shape) < 0.5, wide, small)


class Half:
    """The rounding of a half type, as NumPy arrays of it and of f32."""

    def __init__(self, code):
        self.dtype = numpy.dtype(code)

    def of(self, x):
        """f32 to halves."""
        x = numpy.asarray(x, "f4")
        return dclpy.to_bf16(x) if self.dtype.kind == "V" else x.astype("f2")

    def single(self, x):
        return dclpy.of_bf16(x) if self.dtype.kind == "V" else x.astype("f4")

    def round(self, x):
        return self.single(self.of(x))

    def sample(self, rng, shape):
        """Halves as f32: numbers of all sizes, also below the normal range, and special ones."""
        x = rng.standard_normal(shape) * 2.0 ** rng.integers(-16, 14, shape)
        x = numpy.where(rng.random(shape) < 0.05, rng.choice(
            [0, -0.0, 1, -1, numpy.inf, -numpy.inf, numpy.nan, 6e-8, 65504, 2.5], shape), x)
        return self.round(x)


class Checks:
    """Many comparisons that are one line of the test."""

    def __init__(self, session, name):
        self.name, self.bad = "%s: %s" % (session.backend, name), []

    def same(self, got, want, what):
        want = numpy.asarray(want)
        if got.dtype != want.dtype or got.shape != want.shape or (got != want).any():
            self.bad.append("%s: got %s, want %s" % (what, got, want))

    def close(self, got, want, half, what):
        """GOT, of HALF, is WANT, f32 that it holds; NaN is NaN and -0 is not 0."""
        if got.dtype != half.dtype:
            self.bad.append("%s: %s" % (what, got.dtype))
            return
        got, want = half.single(got), numpy.asarray(want, "f4")
        if got.shape != want.shape:
            self.bad.append("%s: %s, want %s" % (what, got.shape, want.shape))
            return
        same = (got == want) & (numpy.signbit(got) == numpy.signbit(want))
        if not (same | numpy.isnan(got) & numpy.isnan(want)).all():
            self.bad.append("%s: got %s, want %s" % (what, got, want))

    def done(self):
        tap.ok(not self.bad, self.name, *self.bad[:3])


def elements(s, name, dtype, rng):
    one = dtype.type(1)
    checks = Checks(s, "%s: odd sizes at guard pages" % name)
    for n in SIZES:
        x, y = sample(rng, dtype, n), sample(rng, dtype, n)
        for at_end in True, False:
            z = guarded(numpy.zeros(n, dtype), at_end)
            a, b = guarded(x, at_end), guarded(y, at_end)
            s.compile("mix").call(a, b, out=[z])
            checks.same(z, x * y + x - dtype.type(3), "mix of %d" % n)
            s.compile("odd").call(a, b, out=[z])
            checks.same(z, numpy.where(x > y, x, y + one), "odd of %d" % n)
            z = guarded(numpy.zeros(2 * n, dtype), at_end)
            s.compile("every").call(a, numpy.int64(n // 2), out=[z])
            want = numpy.ones(2 * n, dtype)
            want[::2] = x
            want[:n // 2] = 2
            checks.same(z, want, "every of %d" % n)
    checks.done()


def operators(s, name, dtype, rng):
    checks = Checks(s, "%s: operators" % name)
    x, y = sample(rng, dtype, 301), sample(rng, dtype, 301)
    for f, g in (("floor_divide", numpy.floor_divide), ("remainder", numpy.remainder),
                 ("less", numpy.less), ("at_most", numpy.less_equal), ("larger", numpy.maximum),
                 ("smaller", numpy.minimum)):
        checks.same(s.call(f, x, y), g(x, y), f)
    checks.same(s.call("both_bits", x, y), (x & y) ^ (x | ~y), "bits")
    count = rng.integers(0, 8 * dtype.itemsize, 301).astype(dtype)
    checks.same(s.call("up", x, count), x << count, "shl")
    checks.same(s.call("down", x, count), x >> count, "shr")
    far = numpy.full(301, 8 * dtype.itemsize, dtype)
    checks.same(s.call("up", x, far), 0 * x, "shl of all bits")
    checks.same(s.call("down", x, far), numpy.where(x < 0, dtype.type(0) - dtype.type(1), 0 * x),
                "shr of all bits")
    checks.done()


def resolutions(s, name, dtype, rng):
    checks = Checks(s, "%s: sums and other resolutions" % name)
    for m, n in (0, 3), (3, 0), (1, 1), (5, 7), (33, 65), (9, 300):
        x = sample(rng, dtype, (m, n))
        checks.same(s.call("rows", x), x.sum(1, dtype=dtype), "rows of %dx%d" % (m, n))
        checks.same(s.call("columns", x), x.sum(0, dtype=dtype), "columns of %dx%d" % (m, n))
    x = sample(rng, dtype, 77) | dtype.type(1)
    checks.same(s.call("product", x), x.prod(dtype=dtype), "a product")
    low, high = s.call("ends", x)
    checks.same(low, x.min(), "the least")
    checks.same(high, x.max(), "the largest")
    a, b = sample(rng, dtype, (13, 21)), sample(rng, dtype, (21, 35))
    checks.same(s.call("matrix", a, b), a @ b, "a product of matrices")
    checks.same(s.call("outer", a[0], b[0]), a[0][:, None] * b[0], "an outer product")
    checks.done()


def casts(s, name, dtype, rng):
    checks = Checks(s, "%s: casts and subscripts" % name)
    x = sample(rng, dtype, 203)
    for to, other in list(INTS.items()) + [("f32", "f4"), ("f64", "f8"), ("bool", "?")]:
        checks.same(s.call("to_" + to, x), x.astype(other), "to " + to)
    info = numpy.iinfo(dtype)
    for f in "f4", "f8":
        floats = (rng.standard_normal(203) * float(info.max)).astype(f)
        floats[:6] = numpy.nan, numpy.inf, -numpy.inf, 0.5, -0.5, -0.0
        want = [info.max if v >= info.max else info.min if v <= info.min else 0 if v != v
                else int(v) for v in floats.tolist()]
        checks.same(s.call("to_" + name, floats), numpy.array(want, dtype), "from " + f)
    table = rng.standard_normal(100).astype("f4")
    k = rng.integers(0, 100, 55).astype(dtype)
    checks.same(s.call("pick", table, k), table[k], "a table")
    checks.done()


def texts(s, name, dtype, rng):
    """What print and files make of it."""
    checks = Checks(s, "%s: files and print" % name)
    x = sample(rng, dtype, (5, 7))
    numpy.save("a.npy", x)
    s.output = ""
    s.run('x = load("a.npy")\nsave("b.npy", x)\nsave("c.safetensors", x)\n'
          'y = load("c.safetensors", name = "x")\nprint(x)\nprint(y)\nprint(x[2, 3])\n')
    checks.same(numpy.load("b.npy"), x, "save")
    text = "%s  %s[5, 7]\n" % (x, name)
    if s.output != text + text + "%s\n" % x[2, 3]:
        checks.bad.append("print: " + s.output)
    checks.done()


def half_elements(s, name, half, rng):
    checks = Checks(s, "%s: odd sizes at guard pages" % name)
    for n in SIZES:
        x, y = half.sample(rng, n), half.sample(rng, n)
        for at_end in True, False:
            z = guarded(half.of(numpy.zeros(n)), at_end)
            a, b = guarded(half.of(x), at_end), guarded(half.of(y), at_end)
            s.compile("mix").call(a, b, out=[z])
            want = half.round(half.round(half.round(x * y) + x) - numpy.float32(3))
            checks.close(z, want, half, "mix of %d" % n)
            s.compile("odd").call(a, b, out=[z])
            checks.close(z, numpy.where(x > y, x, half.round(y + 1)), half, "odd of %d" % n)
            z = guarded(half.of(numpy.zeros(2 * n)), at_end)
            s.compile("every").call(a, numpy.int64(n // 2), out=[z])
            want = numpy.ones(2 * n, "f4")
            want[::2] = x
            want[:n // 2] = 2
            checks.close(z, want, half, "every of %d" % n)
    checks.done()


def half_operators(s, name, half, rng):
    checks = Checks(s, "%s: operators" % name)
    x, y = half.sample(rng, 301), half.sample(rng, 301)
    a, b = half.of(x), half.of(y)
    checks.same(s.call("less", a, b), x < y, "less")
    checks.same(s.call("at_most", a, b), x <= y, "at_most")
    checks.close(s.call("quotient", a, b), half.round(x / y), half, "/")
    checks.close(s.call("root", a), half.round(numpy.sqrt(abs(x))), half, "sqrt")
    distinct = x != y  # of two zeros either may be first
    for f, g in ("larger", numpy.maximum), ("smaller", numpy.minimum):
        checks.close(s.call(f, a, b)[distinct], g(x, y)[distinct], half, f)
    checks.done()


def half_sums(s, name, half, rng):
    """Of whole numbers, so that f32 is exact in any order; the results are not halves."""
    checks = Checks(s, "%s: sums are of f32 and rounded once" % name)
    for m, n in (0, 3), (3, 0), (1, 1), (5, 7), (33, 65), (9, 3000):
        x = rng.integers(0, 10, (m, n)).astype("f4")
        for f, axis in ("rows", 1), ("columns", 0):
            checks.close(s.call(f, half.of(x)), half.round(x.sum(axis)), half,
                         "%s of %dx%d" % (f, m, n))
        total, least = s.call("inner", half.of(x))
        checks.close(total, half.round(2 + x.sum(1)), half, "a map in a map")
        checks.close(least, half.round(half.round(1 + x.sum(1)) - numpy.float32(1)), half,
                     "what is read there is rounded")
        a, b = half.of(x), half.of(x.T)
        checks.close(s.call("matrix", a, b), half.round(x @ x.T), half, "a product of matrices")
    ones = half.of(numpy.ones(5000))
    checks.close(s.call("nested", ones.reshape(2500, 2)), half.round(numpy.float32(5000)), half,
                 "the outermost map counts")
    start = half.of([7, 1])
    s.call("twice", ones, start)
    want = half.round(half.round(numpy.float32(5007)) + numpy.float32(5000))
    checks.close(start, [want, half.round(5001)], half, "each map rounds at its end")
    most = 2048 if name == "f16" else 256
    checks.close(s.call("running", ones), most, half, "a loop outside of maps rounds each sum")
    checks.close(s.call("product", half.of(1 + numpy.zeros(9) + 1 / 16)),
                 half.round(numpy.float32(1.0625) ** 9), half, "a product")
    x = half.sample(rng, 77)
    x = numpy.where(numpy.isnan(x), 0, x)
    low, high = s.call("ends", half.of(x))
    checks.close(low, x.min(), half, "the least")
    checks.close(high, x.max(), half, "the largest")
    checks.done()


def half_casts(s, name, half, rng):
    checks = Checks(s, "%s: casts" % name)
    x = half.sample(rng, 403)
    for to, code in INTS.items():
        info = numpy.iinfo(code)
        want = [info.max if v >= info.max else info.min if v <= info.min else 0 if v != v
                else int(v) for v in x.tolist()]
        checks.same(s.call("to_" + to, half.of(x)), numpy.array(want, code), "to " + to)
        k = sample(rng, numpy.dtype(code), 403)
        exact = k.astype("f8")
        held = abs(exact) < 2.0 ** 24  # others may be rounded twice here
        got = half.single(s.call("to_" + name, k))
        if (got != half.round(exact))[held].any():
            checks.bad.append("from " + to)
    for f in "f4", "f8":
        got = s.call("to_f" + str(8 * int(f[1])), half.of(x))
        if got.dtype != f or not numpy.array_equal(got, x, equal_nan=True):
            checks.bad.append("to " + f)
        wide = (rng.standard_normal(403) * 2.0 ** rng.integers(-30, 20, 403)).astype(f)
        checks.close(s.call("to_" + name, wide), half.round(wide), half, "from " + f)
    checks.same(s.call("to_bool", half.of(x)), x != 0, "to bool")
    for other, code in HALVES.items():
        to = Half(code)
        checks.close(s.call("to_" + other, half.of(x)), to.round(x), to, "to " + other)
    checks.done()


def literals(s):
    """A number in the text is rounded once: by way of f32 these would become ties."""
    checks = Checks(s, "literals are rounded once")
    s.output = ""
    s.run("""
c: bf16[1] = 1.0039062500001
d: f16[1] = 1
print(c == bf16(1.0078125), bf16(1.0039062500001) == bf16(1.0078125), d < 1.000488281251)
print(f16(1.00048828125) == 1, f32(d * 2049)[0])
""")
    if s.output != "[true]  bool[1] true [true]  bool[1]\ntrue 2048.0\n":
        checks.bad.append(s.output)
    checks.done()


def half_texts(s, name, half, rng):
    checks = Checks(s, "%s: files and print" % name)
    x = half.sample(rng, (5, 7))
    numpy.save("a.npy", half.of(x))
    s.output = ""
    s.run('x = load("a.npy")\nsave("b.npy", x)\nsave("c.safetensors", x)\n'
          'y = load("c.safetensors", name = "x")\nprint(x)\nprint(y)\nprint(x[2, 3])\n'
          'save("d.npz", x)\nz = load("d.npz", name = "x")\nassert(z.dtype == %s)\n' % name)
    checks.close(numpy.load("b.npy"), x, half, "save")
    text = s.output.splitlines()
    if s.output.count("%s[5, 7]" % name) != 2 or text[:len(text) // 2] != text[len(text) // 2:-1]:
        checks.bad.append("print: " + s.output)
    if name == "f16" and "%s  f16[5, 7]\n" % half.of(x) not in s.output:
        checks.bad.append("not as NumPy: %s%s" % (s.output, half.of(x)))
    numbers = numpy.array(s.output.split("  " + name)[0].translate(
        {ord(c): " " for c in "[]"}).split(), "f4")
    checks.close(half.of(numbers), x.ravel(), half, "what is printed reads back")
    checks.done()


numpy.seterr(all="ignore")
for backend in "cpu", "ref":
    session = dclpy.Session("backend=" + backend)
    session.backend = backend
    session.run(SOURCE + CASTS)
    for t, code in INTS.items():
        kind, random = numpy.dtype(code), numpy.random.default_rng(7)
        for part in elements, operators, resolutions, casts, texts:
            part(session, t, kind, random)
    literals(session)
    for t, code in HALVES.items():
        for part in half_elements, half_operators, half_sums, half_casts, half_texts:
            part(session, t, Half(code), numpy.random.default_rng(7))
tap.done_testing()
