#!/usr/bin/env python3
"""select.t: elements by position, one-hot codes, Einstein's sums, pooling of one to three
dimensions, against NumPy."""

import tables
import tap

numpy = tables.numpy
rng = numpy.random.default_rng(6)


def f4(*shape):
    return rng.standard_normal(shape).astype("f4")


def pooled(x, k, stride, pad, dilation, reduce):
    """Windows of all dimensions but the first two."""
    n = x.ndim - 2
    wide = [dilation[i] * (k[i] - 1) + 1 for i in range(n)]
    fill = -numpy.inf if reduce == "max" else 0
    x = numpy.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in pad], constant_values=fill)
    x = numpy.lib.stride_tricks.sliding_window_view(x, wide, tuple(range(2, 2 + n)))
    at = [slice(None)] * 2 + [slice(None, None, s) for s in stride]
    x = x[(*at, *[slice(None, None, d) for d in dilation])]
    axes = tuple(range(x.ndim - n, x.ndim))
    return (x.max(axes) if reduce == "max" else x.mean(axes)).astype("f4")


for shape in (5,), (3, 4), (2, 3, 4), (1, 5, 2):
    x = f4(*shape)
    cases = []
    inputs = {"x": x}
    for a in range(-len(shape), len(shape)):
        name = "p%d" % (a + 9)
        inputs[name] = rng.integers(0, shape[a], (2, 3))
        cases.append(("take(x, %s, axis = %d)" % (name, a), numpy.take(x, inputs[name], a)))
        name = "g%d" % (a + 9)
        other = list(shape)
        other[a] = 3
        inputs[name] = rng.integers(0, shape[a], other)
        v = f4(*other)
        inputs["v%d" % (a + 9)] = v
        cases.append(("gather(x, %s, axis = %d)" % (name, a),
                      numpy.take_along_axis(x, inputs[name], a)))
        want = x.copy()
        at = list(numpy.indices(other))
        at[a] = inputs[name]
        numpy.add.at(want, tuple(at), v)
        cases.append(("scatter_add(x, %s, v%d, axis = %d)" % (name, a + 9, a), want))
    hot = (inputs["p9"][..., None] == numpy.arange(6)).astype("f4")
    cases.append(("one_hot(%s, 6)" % "p9", hot))
    tables.run(inputs, cases)

x, y, z, v = f4(2, 3, 4), f4(2, 4, 5), f4(4, 4), f4(3)
SUMS = [("bij,bjk->bik", "xy"), ("bij,bjk", "xy"), ("bij->ij", "x"), ("bij", "x"), ("bij->", "x"),
        ("ii", "z"), ("ii->i", "z"), ("ij->ji", "z"), ("ij,jk,kl->il", "zzz"), ("i,j->ij", "vv"),
        ("bij,bjk,i->k", "xyv"), ("i,i->", "vv"), ("bij, jj -> ib", "xz"), ("ab,ba", "zz")]
tables.run({"x": x, "y": y, "z": z, "v": v},
           [("einsum(\"%s\", [%s])" % (spec, ", ".join(names)),
             numpy.einsum(spec, *[{"x": x, "y": y, "z": z, "v": v}[n] for n in names]))
            for spec, names in SUMS])

for shape, k, stride, pad, dilation in (
        ((2, 3, 9), [3], [2], [1], [1]), ((1, 2, 7), [2], [1], [0], [3]),
        ((2, 1, 7, 6), [3, 2], [2, 1], [1, 0], [1, 2]),
        ((1, 3, 5, 5), [1, 5], [3, 2], [0, 2], [1, 1]),
        ((1, 2, 4, 5, 6), [2, 3, 2], [1, 2, 3], [0, 1, 1], [2, 1, 1])):
    x = f4(*shape)
    how = "%s, stride = %s, pad = %s, dilation = %s" % (k, stride, pad, dilation)
    cases = [("%s_pool(x, %s)" % (name, how), pooled(x, k, stride, pad, dilation, name))
             for name in ("max", "avg")]
    n = len(k)
    cases.append(("max_pool(x, 2)", pooled(x, [2] * n, [2] * n, [0] * n, [1] * n, "max")))
    cases.append(("avg_pool(x, 3, stride = 1, pad = 1)",
                  pooled(x, [3] * n, [1] * n, [1] * n, [1] * n, "avg")))
    tables.run({"x": x}, cases)

tables.refuse([
    ("einsum(\"ij,jk\", [x])", "einsum: \"ij,jk\" names 2 tensors, given are 1"),
    ("einsum(\"ijk\", [x])", "einsum: 3 letters for 2 dimensions in ijk"),
    ("einsum(\"ij->ik\", [x])", "einsum: no tensor has the dimension k of the result"),
    ("einsum(\"ij,jk\", [x, x])", "einsum: dimension j is 3 and 2"),
    ("einsum(\"ij-ij\", [x])", "einsum: no letters and commas with one ->"),
    ("take(x, i, axis = 2)", "take: there is no axis 2"),
    ("gather(x, i)", "gather: the condition len(S) == len(Q) does not hold"),
    ("take(x, i)", "index 2"),
    ("max_pool(y, [2, 2])", "max_pool: 2 sizes for 1 dimensions"),
], "x: f32[2, 3] = 1\ni: i64[1] = 2\ny: f32[1, 1, 5] = 1\n")
tap.done_testing()
