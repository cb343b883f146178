#!/usr/bin/env python3
"""reduce.t: sums, extremes, means, norms over any axes, against NumPy: odd, unit and empty
dimensions, negative axes, with and without keepdims; and over symbolic sizes."""

import itertools
import warnings

import tables
import tap

import dclpy

numpy = tables.numpy
warnings.simplefilter("ignore")


def spelled(axes, keep):
    text = "" if axes is None else ", axes = %s" % (axes if isinstance(axes, int) else list(axes))
    return text + (", keepdims = true" if keep else "")


def logsumexp(x, **how):
    m = numpy.max(x, keepdims=True, axis=how["axis"], initial=-numpy.inf)
    m = numpy.where(numpy.isinf(m), 0, m).astype(x.dtype)
    s = numpy.log(numpy.exp(x - m).sum(**how))
    return s + m.reshape(s.shape)


def reductions(x, axes, keep):
    """(expression, value) of everything that takes axes."""
    how = {"axis": axes, "keepdims": keep}
    out = [("sum", x.sum(dtype=x.dtype, **how)), ("prod", x.prod(dtype=x.dtype, **how))]
    if x.dtype.kind == "f":
        low, high = numpy.float32(-numpy.inf), numpy.float32(numpy.inf)
        out += [("mean", x.mean(**how)), ("var", x.var(**how)), ("std", x.std(**how)),
                ("logsumexp", logsumexp(x, **how)), ("norm", numpy.sqrt((x * x).sum(**how)))]
    else:
        low, high = numpy.iinfo(x.dtype).min, numpy.iinfo(x.dtype).max
    out += [("max", x.max(initial=low, **how)), ("min", x.min(initial=high, **how))]
    text = spelled(axes, keep)
    cases = [("%s(x%s)" % (name, text), numpy.asarray(v).astype(x.dtype)) for name, v in out]
    return cases + [("all(x > 0%s)" % text, (x > 0).all(**how)),
                    ("any(x > 0%s)" % text, (x > 0).any(**how))]


def choices(rank):
    """All sets of axes, every second one counted from the end."""
    yield None
    for n in range(rank + 1):
        for i, axes in enumerate(itertools.combinations(range(rank), n)):
            yield tuple(a - rank if i % 2 else a for a in axes)
    for a in range(-rank, rank):
        yield a


rng = numpy.random.default_rng(3)
SHAPES = [(), (1,), (7,), (0,), (3, 5), (1, 9), (4, 0), (2, 3, 5), (17, 1, 3), (3, 0, 2),
          (2, 3, 1, 4)]
for shape in SHAPES:
    for dtype in ("f4", "i4") if len(shape) < 4 else ("f4",):
        x = (3 * rng.standard_normal(shape)).astype(dtype)
        cases = []
        for i, axes in enumerate(choices(len(shape))):
            for keep in (False, True) if len(shape) < 3 else (i % 2 == 0,):
                cases += reductions(x, axes, keep)
        for axis in range(-len(shape), len(shape)):
            if x.shape[axis]:
                cases.append(("argmax(x, axis = %d)" % axis, x.argmax(axis)))
                cases.append(("argmin(x, axis = %d, keepdims = true)" % axis,
                              x.argmin(axis, keepdims=True)))
        tables.run({"x": x}, cases)

x = rng.standard_normal((4, 6)).astype("f4")
x[1, 2] = x[2, 0] = numpy.nan
x[0, 3], x[3, 3], x[3, 4] = numpy.inf, -numpy.inf, 0
y = rng.standard_normal((5, 8)).astype("f4")
y[2, 3] = 0
tables.run({"x": x, "y": y}, [
    ("max(x, axes = 1)", x.max(1)), ("min(x, axes = 0)", x.min(0)), ("argmax(x)", x.argmax(1)),
    ("argmin(x, axis = 0)", x.argmin(0)), ("sum(x, axes = 1)", x.sum(1)),
    ("logsumexp(x[3:, 3:], axes = 1)", logsumexp(x[3:, 3:], axis=1)),
    ("logsumexp(y * 100, axes = 0)", logsumexp(y * 100, axis=0)),
    ("var(y, axes = 0, correction = 1)", y.var(0, ddof=1)),
    ("std(y, correction = 1)", y.std(ddof=1)),
    ("norm(y, ord = 1, axes = 1)", numpy.linalg.norm(y, 1, 1)),
    ("norm(y, ord = inf, axes = 0)", numpy.linalg.norm(y, numpy.inf, 0)),
    ("norm(y, ord = -inf, axes = 0)", numpy.linalg.norm(y, -numpy.inf, 0)),
    ("norm(y, ord = 0, axes = 1)", numpy.linalg.norm(y, 0, 1)),
    ("norm(y, ord = 3, axes = 1, keepdims = true)", numpy.linalg.norm(y, 3, 1, True)),
    ("norm(y, ord = 2.5, axes = 1)", numpy.linalg.norm(y, 2.5, 1)),
    ("max(max(y, axes = 1), 0.5)", numpy.maximum(y.max(1), 0.5).astype("f4")),
])

SYMBOLIC = """
fn rows(x: f32[M, N]) -> (f32[M], f32[1, N], i64[M]) {
  (sum(x, axes = -1), mean(x, axes = 0, keepdims = true), argmax(x))
}
fn deviation(x: f32[*S]) -> f32[*S] { (x - mean(x, axes = -1, keepdims = true)) / std(x) }
"""
for backend in "ref", "cpu":
    with dclpy.Session("backend=" + backend) as s:
        s.run(SYMBOLIC)
        f = s.compile("rows(x: f32[M, N])")
        for shape in (3, 4), (1, 17), (33, 2):
            x = rng.standard_normal(shape).astype("f4")
            got = f.call(x)
            tap.ok(tables.close(got[0], x.sum(1)) and tables.close(got[1], x.mean(0, keepdims=True))
                   and (got[2] == x.argmax(1)).all(), "%s: symbols are %s" % (backend, shape))
            tap.is_close(s.call("deviation", x), (x - x.mean(-1, keepdims=True)) / x.std(),
                         "%s: in a formula %s" % (backend, shape), rtol=1e-3, atol=1e-3)

tables.refuse([
    ("sum(x, axes = 2)", "sum: there is no axis 2 in 2 dimensions"),
    ("mean(x, axes = [-3])", "mean: there is no axis -3 in 2 dimensions"),
    ("max(x, axes = [0, -2])", "max: axis -2 stands twice in [0, -2]"),
    ("argmax(x, axis = 5)", "argmax: there is no axis 5"),
    ("sum(x, 1)", "sum takes 1 argument, 2 given"),
    ("mean(k)", "mean: expected a float type, found i64"),
    ("all(x)", "all: x: expected bool, found f32"),
    ("sum(x, axes = 0.5)", "axis must be int"),
], "x: f32[2, 3] = 1\nk: i64[2] = 1\n")
tap.done_testing()
