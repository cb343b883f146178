#!/usr/bin/env python3
"""calls.t: the caller's memory: strides, alignment, overlaps, shapes of results; variants."""

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402


def refused(call, text, name):
    try:
        call()
        tap.fail(name, "no error")
    except dclpy.Error as e:
        tap.ok(text in str(e), name, str(e))


for backend in "ref", "cpu":
    s = dclpy.Session("backend=" + backend)
    s.run("""
fn double(x: f32[*S]) -> f32[*S] { x + x }
fn add_to(inout y: f32[N], x: f32[N]) { map i { y[i] += x[i] } }
fn swap(x: f32[M, N]) -> y: f32[N, M] { map i, j { y[j, i] = x[i, j] } }
""")
    x = numpy.arange(24, dtype="f4").reshape(4, 6)
    double, add_to = s.compile("double"), s.compile("add_to")
    tap.is_close(double.call(x.T), 2 * x.T, backend + ": a transposed argument")
    tap.is_close(double.call(x[::-1, ::2]), 2 * x[::-1, ::2], backend + ": steps, also backwards")
    tap.is_close(double.call(numpy.broadcast_to(x[:1], (4, 6))), 2 * x[[0] * 4],
                 backend + ": a stride of 0")
    odd = numpy.frombuffer(b"\0" + x.tobytes(), "f4", 24, 1).reshape(4, 6)
    tap.is_close(double.call(odd), 2 * x, backend + ": elements that are not aligned")

    y = numpy.zeros((6, 2), "f4")
    add_to.call(y[:, 1], x[0])
    tap.ok((y[:, 1] == x[0]).all() and not y[:, 0].any(), backend + ": inout with strides")
    out = numpy.zeros((4, 12), "f4")
    double.call(x, out=[out[:, ::2]])
    tap.ok((out[:, ::2] == 2 * x).all() and not out[:, 1::2].any(),
           backend + ": a result with strides")

    z = numpy.ones(10, "f4")
    refused(lambda: add_to.call(z[:8], z[2:]), "overlaps", backend + ": inout overlaps an argument")
    refused(lambda: double.call(z[:8], out=[z[:8]]), "overlaps",
            backend + ": a result overlaps an argument")
    refused(lambda: double.call(z, out=[numpy.empty(9, "f4")]), "does not fit",
            backend + ": a result of another size")
    refused(lambda: double.call(z, out=[numpy.empty(10, "f8")]), "does not fit",
            backend + ": a result of another type")
    refused(lambda: double.call(z, out=[]), "1 results", backend + ": no memory for the result")
    add_to.call(z[:5], z[5:])
    tap.ok((z == [2] * 5 + [1] * 5).all(), backend + ": neighbours do not overlap")

    # Many shapes: constants first, then symbols; always right.
    for n in list(range(1, 12)) + [1, 1000]:
        for m in 1, 5, n:
            x = numpy.random.default_rng(n).standard_normal((m, n)).astype("f4")
            if (s.call("swap", x) != x.T).any():
                tap.fail(backend + ": swap of %d x %d" % (m, n))
    tap.ok(True, backend + ": many shapes")
    if backend == "cpu":
        text = s.compile("swap").show()
        tap.ok("0:M" in text or "0:N" in text, "sizes that change have become symbols", text)

        # A redefinition reaches the handles that there are.
        s.run("fn double(x: f32[*S]) -> f32[*S] { x * 3 }")
        tap.is_close(double.call(z), 3 * z, "a handle follows a new definition")
    s.close()
tap.done_testing()
