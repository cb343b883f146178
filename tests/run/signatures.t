#!/usr/bin/env python3
"""signatures.t: packs as lists of dimensions and of indices, functions of scalars called with
tensors: against NumPy, compiled and by the reference."""

import itertools

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

SOURCE = """
fn drop(x: T[*S]; axis: int) -> y: T[*S[:axis], *S[axis + 1:]] where T: number {
  map *b in S { x[*b] >> y[*b[:axis], *b[axis + 1:]] (sum) }
}
fn gather(x: T[*S]; axis: int) -> y: T[*(S[:axis] + S[axis + 1:])] where T: number {
  map *b in *S[:axis] + S[axis + 1:], j in S[axis] { x[*b[:axis], j, *b[axis:]] >> y[*b] (sum) }
}
fn permuted(x: T[*S]; perm: list) -> y: T[*[S[p] for p in perm]] where T: any {
  map *b in S { y[*[b[p] for p in perm]] = x[*b] }
}
fn outer(a: T[*P], b: T[*Q]) -> y: T[*P, *Q] where T: number {
  map *p in P, *q in Q { y[*p, *q] = a[*p] * b[*q] }
}
fn bias(x: T[*S], b: T[*S[:1], _, *S[2:]]) -> y: T[*S] where T: number {
  map *i in S { y[*i] = x[*i] + b[i[0], 0, *i[2:]] }
}
fn shaped(x: T[*S]; S: shape) -> T[*S] where T: any { x }
fn square(x: T) -> T where T: number { x * x }
fn clip(x: T, low: T, high: T = 0.5; scale: float = 1) -> y: T where T: float {
  y = scale * min(max(x, low), high)
}
fn divide(a: i64, b: i64) -> (q: i64, r: i64) {
  q = a // b
  r = a % b
}
fn divided(a: i64[*S], b: i64[*S]) -> (i64[*S], i64[*S]) { divide(a, b) }
fn rows(x: f32[N]) -> y: f32[N] { map i { y[i] = square(x[i]) + clip(x[i], -1.0) } }
"""

SHAPES = [(2, 3, 4), (1, 5, 1), (3, 0, 2), (7, 1, 9)]


def check(backend):
    s = dclpy.Session("backend=" + backend)
    s.run(SOURCE)
    rng = numpy.random.default_rng(5)

    def name(*texts):
        return backend + ": " + " ".join(str(t) for t in texts)

    for shape in SHAPES:
        x = rng.standard_normal(shape).astype("f4")
        for axis in range(3):
            for f in "drop", "gather":
                tap.is_close(s.call("%s(x: f32[%d, %d, %d], axis = %d)" % (f, *shape, axis), x),
                             x.sum(axis), name(f, shape, axis), rtol=1e-4, atol=1e-5)
        for perm in itertools.permutations(range(3)):
            call = "permuted(x: f32[%d, %d, %d], perm = %s)" % (*shape, list(perm))
            tap.is_close(s.call(call, x), x.transpose(perm), name("permuted", shape, perm))
        b = rng.standard_normal((shape[0], 2, shape[2])).astype("f4")
        tap.is_close(s.call("bias", x, b), x + b[:, :1], name("bias", shape))
        tap.is_close(s.call("outer", x, b[0]), numpy.multiply.outer(x, b[0]), name("outer", shape))
        tap.is_close(s.call("square", x), x * x, name("square", shape))
        tap.is_close(s.call("clip", x, b[:, :1], numpy.full(1, 0.5, "f4")),
                     numpy.minimum(numpy.maximum(x, b[:, :1]), 0.5), name("clip", shape))
    x = rng.standard_normal(17).astype("f4")
    tap.is_close(s.call("rows", x), x * x + numpy.clip(x, -1, 0.5), name("in a map"), rtol=1e-5)
    tap.is_close(s.call("square", numpy.array(3.0, "f4")), 9.0, name("a scalar stays one"))
    a = rng.integers(-50, 50, (3, 4))
    q, r = s.call("divided", a, numpy.array([3, -7, 2, 5]))
    tap.ok((q == a // [3, -7, 2, 5]).all() and (r == a % [3, -7, 2, 5]).all(),
           name("two results of run-time integers"))
    for what, text, want in (
            ("a list that differs", "b: f32[3, 1, 4] = 0\nbias(x, b)", "2 from the signature"),
            ("a list of another length", "b: f32[2, 1] = 0\nbias(x, b)", "b has 2 dimensions"),
            ("no list", "fn f(x: f32[*S]) -> f32[*3] { x }\nf(x)", "`*` takes a list"),
            ("a negative dimension", "fn f(x: f32[N]) -> y: f32[*[N - 3]] { map i { y[i] = 0 } }\n"
             "f(x[:, 0, 0])", "is negative"),
            ("a list of something else", "y = permuted(x, perm = [0.5, 1, 2])", "an integer"),
            ("element types of a scalar function", "k: i64[3] = 1\nclip(x, k[0])", "f32"),
            ("shapes that a scalar function cannot join", "y: f32[3] = 1\nclip(x, y)", "broadcast"),
            ("a class that a scalar function refuses", "square(x > 0)", "a number type")):
        try:
            s.run("x: f32[2, 3, 4] = 1\n" + text)
            tap.ok(False, name(what), "it ran")
        except dclpy.Error as error:
            tap.ok(want in str(error), name(what), str(error))
    s.close()


for BACKEND in "ref", "cpu":
    check(BACKEND)
tap.done_testing()
