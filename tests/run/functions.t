#!/usr/bin/env python3
"""functions.t: functions called through libdcl, compared with NumPy, compiled and by the
reference."""

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

SOURCE = """
fn double(x: f32[N]) -> f32[N] { x + x }
fn rows(x: T[M, N]) -> s: T[M] where T: number { map i, j { s[i] += x[i, j] } }
fn plus(a: T[*S], b: T[*S]) -> c: T[*S] where T: number { map *i in S { c[*i] = a[*i] + b[*i] } }
fn scaled(x: f64[N], k: f64) -> y: f64[N] { map i { y[i] = x[i] * k } }
fn window(x: f32[N], at: i64) -> y: f32[3] { map i in 0:3 { y[i] = x[at + i] } }
fn both(x: i32[N]) -> (low: i32, high: i32) {
  map i { x[i] >> low (min);  x[i] >> high (max) }
}
fn positive(x: f32[N]) -> y: bool[N] { map i { y[i] = x[i] > 0 } }
fn power(x: f32[N]; n: int = 2) -> f32[N] { x ** n }
fn shift(inout x: f32[N]) { map i { x[i] += 1 } }
fn even(x: f32[N]) -> y: f32[N // 2] where N % 2 == 0 { map i in 0:N // 2 { y[i] = x[2 * i] } }
fn sum_product(x: f32[M, K], w: f32[K, N]) -> f32[M, N] { x @ w + 1 }
fn nothing(x: f32[N]) -> f32[N] { x }
"""


def check(backend):
    s = dclpy.Session("backend=" + backend)
    s.run(SOURCE)
    rng = numpy.random.default_rng(1)

    def name(text):
        return "%s: %s" % (backend, text)

    x = rng.standard_normal(37).astype("f4")
    tap.is_close(s.call("double", x), x + x, name("one result"))
    tap.is_close(s.call("double(x: f32[N])", x), x + x, name("a signature with a symbol"))
    tap.is_close(s.call("double(x: f32[37])", x), x + x, name("a signature with a number"))
    for dtype in "f4", "f8", "i4", "i8":
        m = (10 * rng.standard_normal((5, 7))).astype(dtype)
        tap.is_close(s.call("rows", m), m.sum(1), name("rows of " + dtype), rtol=1e-4)
    a, b = rng.standard_normal((4, 1, 3)), rng.standard_normal((5, 1))
    tap.is_close(s.call("plus", a, b), a + b, name("broadcast"))
    tap.is_close(s.call("scaled", a[0, 0], 2.5), a[0, 0] * 2.5, name("a run-time number"))
    window = s.compile("window")
    tap.is_close(window.call(x, 4), x[4:7], name("a run-time integer"))
    tap.is_close(window.call(x, 34), x[34:37], name("another one"))
    low, high = s.call("both", numpy.array([3, -5, 8], "i4"))
    tap.ok(low == -5 and high == 8 and low.shape == (), name("two results without dimensions"))
    tap.ok((s.call("positive", x) == (x > 0)).all(), name("truth values"))
    tap.is_close(s.call("power", x), x ** 2, name("a static argument has its default"), rtol=1e-4)
    tap.is_close(s.call("power(x: f32[N], n = 3)", x), x ** 3, name("a static argument"), rtol=1e-4)
    at = numpy.array([0, 2, -2, -1, 0.5, numpy.inf], "f4")
    s.run("fn raised(x: f32[N], y: f32[N]) -> f32[N] { x ** y }")
    with numpy.errstate(all="ignore"):
        for n in 0, -1, -2, 17, 20, -17, 0.5:
            tap.is_close(s.call("raised", at, numpy.full(6, n, "f4")), at ** numpy.float32(n),
                         name("x ** %g at run time" % n))
            s.run("fn to(x: f32[N]) -> f32[N] { x ** %s }" % n)
            tap.is_close(s.call("to", at), at ** numpy.float32(n), name("x ** %g" % n))
    y = x.copy()
    tap.ok(s.call("shift", y) is None, name("no result"))
    tap.is_close(y, x + 1, name("inout"))
    tap.is_close(s.call("nothing", x), x, name("an argument is the result"))
    for shape in (2, 3, 4), (1, 1, 1), (65, 33, 17):
        m, k, n = shape
        p, q = rng.standard_normal((m, k)).astype("f4"), rng.standard_normal((k, n)).astype("f4")
        tap.is_close(s.call("sum_product", p, q), p @ q + 1, name("matmul %s" % (shape,)),
                     rtol=1e-4, atol=1e-4)
    tap.is_close(s.call("double", numpy.empty(0, "f4")), numpy.empty(0, "f4"), name("no elements"))

    tap.is_str(s.compile("rows").shapes(numpy.ones((2, 3), "f8")), [(numpy.dtype("f8"), (2,))],
               name("shapes of results"))
    even = s.compile("even(x: f32[N])")
    tap.is_close(even.call(x[:8]), x[:8:2], name("a size computed of a symbol"))
    for what, call, text in (
            ("a condition that a call breaks", lambda: even.call(x[:7]), "N % 2 == 0"),
            ("a condition broken by constants", lambda: s.call("even", x[:7]), "N % 2 == 0"),
            ("sizes that differ", lambda: s.call("sum_product", numpy.ones((2, 3), "f4"),
                                                 numpy.ones((4, 5), "f4")), "K is 3 from x"),
            ("a wrong element type", lambda: s.call("double", x.astype("f8")), "f64"),
            ("too many arguments", lambda: s.call("double", x, x), "1 argument"),
            ("a missing argument", lambda: s.call("sum_product", p), "w is missing"),
            ("an index outside", lambda: window.call(x, 35), "outside"),
            ("an unknown function", lambda: s.compile("triple"), "unknown name triple"),
            ("a signature of something else", lambda: s.compile("double(y: f32[N])"),
             "no parameter y"),
            ("a signature that lacks one", lambda: s.compile("scaled(x: f64[N])"), "k is missing"),
            ("a malformed signature", lambda: s.compile("double(x"), "closed"),
            ("no signature", lambda: s.compile("1 + 2"), "signature")):
        try:
            call()
            tap.fail(name(what), "no error")
        except dclpy.Error as e:
            tap.ok(text in str(e), name(what), str(e))
    tap.is_close(s.call("double", x), x + x, name("the session goes on"))
    s.close()


for backend in "ref", "cpu":
    check(backend)
tap.done_testing()
