#!/usr/bin/env python3
"""found.t: functions whose sizes the run finds, and parts of data, against NumPy."""
import tables
import tap

np = tables.numpy
rng = np.random.default_rng(3)
for shape in (7,), (0,), (1,), (3, 5), (2, 3, 4), (40, 50), (4, 0), (2, 2, 2, 2):
    x = rng.integers(-2, 3, shape).astype("f4")
    k = rng.integers(-3, 3, shape).astype("i4")
    keep = rng.integers(0, 2, shape).astype("?")
    inputs = {"x": x, "k": k, "keep": keep}
    cases = [("nonzero(x)", np.argwhere(x)), ("nonzero(k)", np.argwhere(k)),
             ("nonzero(keep)", np.argwhere(keep)), ("masked(x, keep)", x[keep]),
             ("masked(keep, keep)", keep[keep]),
             ("unique(x)", list(np.unique(x, return_counts=True))),
             ("unique(k)", list(np.unique(k, return_counts=True)))]
    for a in range(-len(shape), len(shape)):
        name = "c%d" % (a + 9)
        inputs[name] = rng.integers(0, 2, shape[a]).astype("?")
        cases.append(("compress(x, %s, axis = %d)" % (name, a), np.compress(inputs[name], x, a)))
    tables.run(inputs, cases)
x = np.array([2, np.nan, -1, np.inf, np.nan, -np.inf, 0, -0.0, np.inf], "f4")
y = rng.standard_normal(3000).round(1).astype("f8")
tables.run({"x": x, "y": y}, [
    ("nonzero(x)", np.argwhere(x)), ("unique(x)", list(np.unique(x, return_counts=True))),
    ("unique(y)", list(np.unique(y, return_counts=True))),
    ("unique(nonzero(y)[:, 0])", list(np.unique(np.argwhere(y)[:, 0], return_counts=True)))])
tables.refuse([("x: f32[3] = 1\nk: bool[2]\ny = compress(x, k)", "does not hold"),
               ("x: f32[3] = 1\ny: f32[4]\nl = batches(x, y)", "there are 3 and 4 rows"),
               ("x: f32[3] = 1\nl = batches(x, size = 0)", "parts of 0 rows")])

x = rng.standard_normal((23, 2, 3)).astype("f4")
y = np.arange(23)
names = ", ".join("a%d, b%d" % (k, k) for k in range(3))
parts = "[%s for p in [batches(%s)]][0]"
flat = "[%s]" % ", ".join("*p[%d]" % k for k in range(3))
tables.run({"x": x, "y": y}, [
    (parts % (flat, "x, y, size = 10"), [x[:10], y[:10], x[10:20], y[10:20], x[20:], y[20:]]),
    (parts % ("[*p[0], *p[1]]", "x, y, size = 10, rest = false"),
     [x[:10], y[:10], x[10:20], y[10:20]]),
    ("batches(y, size = 10)", [y[:10], y[10:20], y[20:]])])
setup = "y = load(\"y.npy\")\nl = batches(y, y * 2, size = 6, shuffle = true, seed = 5)\n"
np.save("y.npy", y)
seen = []
for options in ("threads=1", "threads=3", "backend=ref"):
    with tables.dclpy.Session(options) as s:
        s.run(setup + "a = [p[0] for p in l]\nb = [p[1] for p in l]\n"
              "for k, t in enumerate(a) { save(\"a\" + str(k) + \".npy\", t) }\n"
              "for k, t in enumerate(b) { save(\"b\" + str(k) + \".npy\", t) }\n"
              "save(\"p.npy\", random_permutation(23, 5))\n")
    a = np.concatenate([np.load("a%d.npy" % k) for k in range(4)])
    b = np.concatenate([np.load("b%d.npy" % k) for k in range(4)])
    tap.ok((b == 2 * a).all() and (np.sort(a) == y).all(), "shuffled beside each other " + options)
    tap.ok((a == np.load("p.npy")).all(), "by the library's permutation " + options)
    seen.append(a)
tap.ok(all((a == seen[0]).all() for a in seen), "the same for the same seed")
tap.done_testing()
