#!/usr/bin/env python3
"""signatures.t: packs as lists of dimensions and of indices, functions of scalars called with
tensors, optional parameters, lists of tensors, static functions: against NumPy, compiled and by
the reference."""

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
fn biased(x: T[N, O], b: T[O]?) -> T[N, O] where T: number { if b == none { x } else { x + b } }
fn shifted(x: f32[*S], k: f32?, by: i64?) -> f32[*S] {
  y = if k == none { x } else { x * k }
  if by == none { y } else { y + f32(by) }
}
fn has(x: f32[N]) -> y: f32[N] {
  map i in N { y[i] = select(N in [3, 5], 2 * x[i], x[i]) }
}
fn alike(x: f32[M, N]) -> y: f32[M, N] {
  map *b in [M, N] { y[*b] = select([M, N] == [2, 3] or [M, 1] != [N, 1], 2 * x[*b], x[*b]) }
}
fn plus(x: T, y: T) -> T where T: number { x + y }
fn last(x: f32[*S]; axis: int = len(S) - 1, t: dtype = f32) -> t[S[axis]] {
  y: t[S[axis]] = axis
  y
}
fn needs(x: f32[_], b: f32[O]?) -> f32[O] { x }
fn stack(xs: T[*S][]) -> y: T[len(xs), *S] where T: any {
  for i, x in [(i, xs[i]) for i in 0:len(xs)] { map *b in S { y[i, *b] = x[*b] } }
}
fn lengths(xs: T[*_][]) -> shape where T: any { [x.rank for x in xs] }
fn joined(xs: T[*_, N][]) -> T[N] where T: number { sum([first(x) for x in xs]) }
fn first(x: T[*P, N]) -> y: T[N] where T: any { map i in N { y[i] = x[*[0 for p in P], i] } }
fn halves(x: T[N]) -> list where T: any { [x[:N // 2], x[N // 2:]] }
fn zeros(S: shape; t: dtype = f32) -> y: t[*S] { map *i in S { y[*i] = 0 } }
fn half(n: int) -> int { if n % 2 != 0 { error("half of", n) };  n // 2 }
fn down(n: int) -> int { down(n + 1) }
fn wrong(n: int) -> str { n }
fn max(x: f32[N]; scale: float = 1) -> y: f32 { map i { y max= x[i] * f32(scale) } }
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
    x, b = rng.standard_normal((5, 3)).astype("f4"), rng.standard_normal(3).astype("f4")
    tap.is_close(s.call("biased", x, b), x + b, name("an optional argument"))
    tap.is_close(s.call("biased", x), x, name("an optional argument that is absent"))
    has = s.compile("has(x: f32[N])")
    for n in 2, 3, 4, 5:
        v = numpy.ones(n, "f4")
        tap.is_close(has.call(v), v * (2 if n in (3, 5) else 1), name("a symbol in a list", n))
        tap.is_close(s.call("has(x: f32[%d])" % n, v), has.call(v), name("a number in a list", n))
    alike = s.compile("alike(x: f32[M, N])")
    for m, n in (2, 3), (3, 3), (2, 2), (3, 2):
        v = numpy.ones((m, n), "f4")
        tap.is_close(alike.call(v), v * (1 + (m != n)), name("lists of symbols", m, n))
    tap.is_close(s.call("last", x), numpy.full(3, 1, "f4"), name("a default that uses a pack"))
    tap.is_close(s.call("shifted", x), x, name("two optional numbers"))
    tap.is_close(s.call("shifted", x, numpy.array(2, "f4"), numpy.array(3)), x * 2 + 3,
                 name("two optional numbers that are given"))
    s.run("x: f32[2, 3] = 1\nb: f32[3] = 2\ny = stack([x, b, 3])\nz = lengths([x, b, 1])\n"
          "j = joined([x, b])\np, q = halves(b)")
    s.run("print(y, z, j, p, q)\nprint(zeros([1, 2], t = i64), zeros(x.shape), zeros([]))")
    want = numpy.broadcast_arrays(numpy.ones((2, 3)), numpy.full(3, 2), 3)
    tap.is_str(s.output.split("[2, 1, 0]")[0].rstrip(),
               str(numpy.stack(want).astype("f4")) + "  f32[3, 2, 3]", name("a list of tensors"))
    tap.is_str(s.output.split("[2, 1, 0]")[1].lstrip(),
               "[3. 3. 3.]  f32[3] [2.]  f32[1] [2. 2.]  f32[2]\n"
               "[[0 0]]  i64[1, 2] [[0. 0. 0.]\n [0. 0. 0.]]  f32[2, 3] 0.0\n",
               name("lists of other shapes, list results, dtype arguments"))
    mark = len(s.output)
    s.run("print(max(1, 2), max([1, 5, 2]), max(b), max(b, scale = 2), max(x, 0.5)[0, :])\n"
          "print(half(4), 1 in [1], f32 in [f64], x.rank, x == none, \"a\" + \"b\" == \"ab\")\n"
          "print([1, [2]] == [1, [2]], [1] == [1, 2], [1] != [2], [1, 2] in [[1, 2]], [1] in [1])\n"
          "print(plus(1, 2.5), plus(2.5, 1), plus(1, 2))\n"
          "print([a for a, b in [(1, 2), (3, 4)] if b > 2], [k for k in 0:9:2 if k != 4])\n"
          "print(all([]), any([false, true]), sum([]), prod([2, 3]), min([2, 1.5]), str([1, f32]))")
    tap.is_str(s.output[mark:], "2 5 2.0 4.0 [1. 1. 1.]  f32[3]\n2 true false 2 false true\n"
               "true false true true false\n3.5 3.5 3\n"
               "[3] [0, 2, 6, 8]\ntrue true 0 6 1.5 [1, f32]\n", name("static values"))
    for what, text, want in (
            ("an absent argument that would bind", "needs(x[0, 0, :])", "absent"),
            ("no list of tensors", "stack(x)", "a list of tensors"),
            ("a list of different types", "k: i64[2] = 0\nstack([x, k])", "xs[1]: expected f32"),
            ("a list whose shapes do not join", "stack([x, x[:, :2, :]])", "broadcast"),
            ("a refusal", "half(3)", "half: half of 3"),
            ("no end", "down(0)", "deeper than"),
            ("a static result of another type", "wrong(1)", "the result is 1, declared as str"),
            ("in no list", "1 in 2", "the right side must be a list"),
            ("a list without a largest", "max([])", "max of an empty list"),
            ("a condition of a list", "l = [i for i in 0:3 if i]", "must be a truth value"),
            ("names for elements", "l = [a for a, b in [1, 2]]", "not lists of 2"),
            ("too many arguments for both", "max(x, 1, 2)", "max takes 1 argument, 3 given"),
            ("what is none", "biased(none)", "x must be"),
            ("what is none and static", "half(none)", "n must be int, not none"),
            ("a list that differs", "b: f32[3, 1, 4] = 0\nbias(x, b)", "2 from the signature"),
            ("a list of another length", "b: f32[2, 1] = 0\nbias(x, b)", "b has 2 dimensions"),
            ("no list", "fn f(x: f32[*S]) -> f32[*3] { x }\nf(x)", "`*` takes a list"),
            ("a negative dimension", "fn f(x: f32[N]) -> y: f32[*[N - 3]] { map i { y[i] = 0 } }\n"
             "f(x[:, 0, 0])", "is negative"),
            ("a list of something else", "y = permuted(x, perm = [0.5, 1, 2])", "not 0.5"),
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
