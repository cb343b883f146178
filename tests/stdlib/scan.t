#!/usr/bin/env python3
"""scan.t: running sums, sorting, searching against NumPy."""
import tables
import tap

np = tables.numpy
rng = np.random.default_rng(9)
for shape in (7,), (1,), (3, 5), (2, 3, 4), (2, 17), (3, 0):
    x = np.round(rng.standard_normal(shape) * 3).astype("f4")
    k = rng.integers(-5, 5, shape).astype("i4")
    cases = []
    for a in range(len(shape)):
        cases += [("cumsum(x, axis = %d)" % a, np.cumsum(x, a)),
                  ("cumsum(k, axis = %d)" % a, np.cumsum(k, a, dtype="i4")),
                  ("cumsum(x, axis = %d, reverse = true)" % a,
                   np.flip(np.cumsum(np.flip(x, a), a), a)),
                  ("cumprod(x, axis = %d)" % a, np.cumprod(x, a)),
                  ("cummax(x, axis = %d)" % a, np.maximum.accumulate(x, a)),
                  ("argsort(k, axis = %d)" % a, np.argsort(k, a, kind="stable")),
                  ("sort(x, axis = %d)" % a,
                   [np.sort(x, a), np.argsort(x, a, kind="stable")]),
                  ("sort(x, axis = %d, descending = true)" % a,
                   [-np.sort(-x, a), np.argsort(-x, a, kind="stable")])]
        if shape[a] > 1:
            cases.append(("topk(x, 2, axis = %d)" % a,
                          [np.take(-np.sort(-x, a), [0, 1], a),
                           np.take(np.argsort(-x, a, kind="stable"), [0, 1], a)]))
    tables.run({"x": x, "k": k}, cases)
x = np.array([2, np.nan, -1, np.inf, np.nan, -np.inf, 0], "f4")
b = np.sort(rng.standard_normal(33)).astype("f4")
v = np.concatenate([rng.standard_normal(20).astype("f4"), b[:9], [np.inf, -np.inf]]).astype("f4")
tables.run({"x": x, "b": b, "v": v}, [
    ("sort(x)", [np.sort(x), np.argsort(x, kind="stable")]),
    ("searchsorted(b, v)", np.searchsorted(b, v)),
    ("searchsorted(b, v, right = true)", np.searchsorted(b, v, "right"))])
tables.refuse([("x: f32[3] = 1\ny, i = topk(x, 4)", "there are 3 elements, wanted are 4")])
tap.done_testing()
