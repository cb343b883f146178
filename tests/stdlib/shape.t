#!/usr/bin/env python3
"""shape.t: other dimensions for the same elements, parts, joints and edges, against NumPy: odd,
unit and empty dimensions, negative axes; and over symbolic sizes."""

import itertools

import tables
import tap

import dclpy

numpy = tables.numpy
rng = numpy.random.default_rng(4)


def axes_of(shape):
    return range(-len(shape), len(shape))


def same_elements(x):
    n, rank = x.size, x.ndim
    for perm in itertools.permutations(range(rank)):
        p = [a - rank if i % 2 else a for i, a in enumerate(perm)]
        yield "transpose(x, perm = %s)" % p, x.transpose(perm)
    if rank > 1:
        yield "transpose(x)", x.swapaxes(-1, -2)
        yield "swap_axes(x, 0, -1)", x.swapaxes(0, -1)
    shapes = [[n], [1, n], [n, 1, 1], list(x.shape[::-1]), [1, *x.shape, 1]]
    if n and n % 2 == 0:
        shapes += [[2, n // 2], [n // 2, 2], [2, 1, n // 2]]
    if n and n % 6 == 0:
        shapes += [[3, n // 6, 2], [n // 6, 6]]
    for shape in shapes:
        yield "reshape(x, %s)" % shape, x.reshape(shape)
        if n:
            shape[-1] = -1
            yield "reshape(x, %s)" % shape, x.reshape(shape)
    for start in range(rank):
        for end in range(start, rank):
            want = x.reshape(*x.shape[:start], int(numpy.prod(x.shape[start:end + 1])),
                             *x.shape[end + 1:])
            yield "flatten(x, start = %d, end = %d)" % (start, end - rank), want
    yield "squeeze(x)", x.squeeze()
    for a in axes_of(x.shape):
        yield "unsqueeze(x, %d)" % a, numpy.expand_dims(x, a)
        yield "flip(x, axes = %d)" % a, numpy.flip(x, a)
        if x.shape[a] == 1:
            yield "squeeze(x, axes = [%d])" % a, x.squeeze(a)
        for k in (1, -2, 7):
            yield "roll(x, %d, axis = %d)" % (k, a), numpy.roll(x, k, a)
    yield "unsqueeze(x, [0, -1, 2])", numpy.expand_dims(x, (0, -1, 2))
    yield "flip(x)", numpy.flip(x)


def more_and_less(x):
    rank = x.ndim
    ones = tuple(5 if n == 1 else n for n in x.shape)
    yield "broadcast_to(x, %s)" % [2, *ones], numpy.broadcast_to(x, (2, *ones))
    yield "broadcast_to(x, %s)" % ([3] + [-1] * rank), numpy.broadcast_to(x, (3, *x.shape))
    yield "tile(x, [2])", numpy.tile(x, 2)
    yield "tile(x, %s)" % [3, *[2] * rank], numpy.tile(x, (3, *[2] * rank))
    yield "tril(x)" if rank > 1 else "x", numpy.tril(x) if rank > 1 else x
    for k in (-2, -1, 0, 1, 3) if rank > 1 else ():
        yield "tril(x, k = %d)" % k, numpy.tril(x, k)
        yield "triu(x, k = %d)" % k, numpy.triu(x, k)
    for a in axes_of(x.shape):
        n = x.shape[a]
        yield "repeat(x, 3, axis = %d)" % a, numpy.repeat(x, 3, a)
        yield "concat([x, x + 1, x], axis = %d)" % a, numpy.concatenate([x, x + 1, x], a)
        yield "stack([x, x * 2], axis = %d)" % a, numpy.stack([x, x * 2], a)
        yield ("split(x, [%d, 0, %d], axis = %d)" % (n // 2, n - n // 2, a),
               numpy.split(x, [n // 2, n // 2], a))
        size = -(-n // 3)
        yield "chunk(x, 3, axis = %d)" % a, numpy.split(x, [size, min(2 * size, n)], a)
        for start, stop, step in ((1, None, 1), (None, -1, 1), (None, None, -1), (-2, None, 1),
                                  (0, 100, 2), (-1, -100, -2), (3, 1, 1), (5, None, -3)):
            text = "".join(", %s = %s" % (k, v) for k, v in
                           (("start", start), ("stop", stop), ("step", step)) if v is not None)
            at = [slice(None)] * rank
            at[a] = slice(start, stop, step)
            yield "slice(x, axis = %d%s)" % (a, text), x[tuple(at)]
    yield "stack([x, 0 * x], axis = %d)" % rank, numpy.stack([x, x * 0], rank)


def edges(x):
    rank = x.ndim
    one = [(1, 2)] + [(0, 0)] * (rank - 1)
    all_ = [(i % 3, 2 - i % 2) for i in range(rank)]
    for pads in one, all_:
        text = str([tuple(p) for p in pads])
        yield "pad(x, %s)" % text, numpy.pad(x, pads)
        yield ("pad(x, %s, value = 1.5)" % text, numpy.pad(x, pads, constant_values=1.5))
        for mode in ("edge", "reflect", "symmetric", "wrap") if x.size else ():
            yield "pad(x, %s, mode = \"%s\")" % (text, mode), numpy.pad(x, pads, mode)
    yield "pad(x, [(-1, 1)])", numpy.pad(x, [(0, 0)] * (rank - 1) + [(0, 1)])[..., 1:]


SHAPES = [(1,), (6,), (0,), (4, 3), (1, 7), (3, 0), (2, 3, 4), (3, 1, 5), (1, 2, 1), (2, 0, 3),
          (2, 1, 3, 2)]
for shape in SHAPES:
    x = rng.standard_normal(shape).astype("f4")
    cases = list(same_elements(x)) + list(more_and_less(x))
    if len(shape) < 4:
        cases += [c for c in edges(x) if shape[-1] or "-1" not in c[0]]
    tables.run({"x": x}, cases)

x = rng.standard_normal((3, 4)) > 0
k = rng.integers(-9, 9, (3, 4))
tables.run({"x": x, "k": k}, [
    ("pad(x, [(1, 2)], value = 1)", numpy.pad(x, ((0, 0), (1, 2)), constant_values=True)),
    ("pad(k, [(1, 2)], value = 3)", numpy.pad(k, ((0, 0), (1, 2)), constant_values=3)),
    ("concat([x, x])", numpy.concatenate([x, x])), ("transpose(x)", x.T),
    ("tril(k)", numpy.tril(k)),
    ("reshape(x, [2, 6])", x.reshape(2, 6)),
])

SYMBOLIC = """
fn turned(x: f32[M, N]) -> f32[N, M] { transpose(x) * 2 }
fn line(x: f32[A, B, C]) -> f32[A, B * C] { flatten(x + 1) }
fn back(x: f32[A, N]; h: int = 3) -> f32[A, h, N // h] where N % h == 0 {
  reshape(x, [A, h, N // h])
}
fn any_way(x: f32[M, N]) -> f32[N, M] { reshape(x, [N, M]) }
fn joined(x: f32[M, N], y: f32[K, N]) -> f32[M + K, N] { concat([x, y]) }
fn rim(x: f32[M, N]) -> f32[M + 2, N + 3] { pad(x, [(1, 1), (1, 2)], mode = "edge") }
fn rolled(x: f32[*S]) -> f32[*S] { roll(x, 1, axis = -1) - slice(flip(x, axes = 0), step = -1) }
"""
for backend in "ref", "cpu":
    with dclpy.Session("backend=" + backend) as s:
        s.run(SYMBOLIC)
        two = [s.compile(f + "(x: f32[M, N])") for f in ("turned", "any_way", "rim")]
        line, back = s.compile("line(x: f32[A, B, C])"), s.compile("back(x: f32[A, N], h = 3)")
        joined = s.compile("joined(x: f32[M, N], y: f32[K, N])")
        for shape in (2, 3), (5, 1), (4, 9):
            x = rng.standard_normal(shape).astype("f4")
            y = rng.standard_normal((*shape, 3)).astype("f4")
            z = rng.standard_normal((4, shape[1])).astype("f4")

            def check(got, want, what):
                tap.ok(tables.close(got, want.astype("f4")),
                       "%s: %s of %s" % (backend, what, shape))

            check(two[0].call(x), x.T * 2, "transpose")
            check(two[1].call(x), x.reshape(shape[::-1]), "reshape")
            check(two[2].call(x), numpy.pad(x, ((1, 1), (1, 2)), "edge"), "pad")
            check(line.call(y), (y + 1).reshape(shape[0], -1), "flatten")
            flat = y.reshape(shape[0], -1)
            check(back.call(flat), flat.reshape(shape[0], 3, -1), "reshape in three")
            check(joined.call(x, z), numpy.concatenate([x, z]), "concat")
            check(s.call("rolled", x), numpy.roll(x, 1, -1) - x[::-1][::-1], "roll and flip")

tables.refuse([
    ("transpose(x, perm = [0, 0])", "transpose: axis 0 stands twice in [0, 0]"),
    ("transpose(x, perm = [1])", "transpose: perm [1] is no order of 2 dimensions"),
    ("transpose(k)", "a transposed matrix of 1 dimensions: give perm"),
    ("reshape(x, [4])", "reshape: [2, 3] has 6 elements, [4] wants 4"),
    ("reshape(x, [4, -1])", "reshape: [2, 3] has 6 elements"),
    ("reshape(x, [-1, -1])", "reshape: only one dimension may be -1"),
    ("flatten(x, start = 2)", "flatten: there is no axis 2"),
    ("squeeze(x, axes = 0)", "squeeze: axis 0 of [2, 3] is not of size 1"),
    ("broadcast_to(x, [2, 4])", "broadcast_to: [2, 3] does not stretch to [2, 4]"),
    ("broadcast_to(x, [3])", "broadcast_to: [2, 3] has more dimensions than [3]"),
    ("concat([x, k])", "concat: [3] and [2, 3] differ in their number of dimensions"),
    ("concat([x, x[:, :2]])", "concat: [2, 2] and [2, 3] differ besides axis 0"),
    ("concat([])", "concat: xs must be a list of tensors, not an empty one"),
    ("stack([x, x[:, :2]])", "stack: element 1 of the list has the shape [2, 2]"),
    ("stack([x, x[:, :1]])", "stack: element 1 of the list has the shape [2, 1]"),
    ("stack([[1, 2], [3]])", "stack: element 1 of the list has the shape [1]"),
    ("stack([x, 0])", "stack: element 1 of the list has the shape []"),
    ("split(x, [1, 2])", "split: sizes [1, 2] of a dimension of 2"),
    ("pad(x, [(1, 1)], mode = \"mirror\")", "pad: there is no mode mirror"),
    ("pad(x, [1])", "pad: pads are pairs (before, after), not 1"),
    ("pad(x, [(1, 1), (0, 0), (0, 0)])", "pad: 3 pairs for 2 dimensions"),
    ("slice(x, step = 0)", "slice: the step is 0"),
], "x: f32[2, 3] = 1\nk: f32[3] = 1\n")
tap.done_testing()
