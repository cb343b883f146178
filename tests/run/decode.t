#!/usr/bin/env python3
"""Decoding: a position that grows in every step and a cache that grows with it compile a handful of
variants and no more, called from outside and in a script's loop; and all of them are right."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

PROGRAM = """
fn scores(q: f32[D], k: f32[L, D]) -> s: f32[L] { map i, d { s[i] += q[d] * k[i, d] } }
fn mix(p: f32[L], v: f32[L, D]) -> y: f32[D] { map i, d { y[d] += p[i] * v[i, d] } }
fn attend(q: f32[D], k: f32[L, D], v: f32[L, D]) -> f32[D] { mix(softmax(scores(q, k)), v) }
fn extended(c: f32[L, D], row: f32[D]) -> y: f32[L + 1, D] {
  map i in L, d in D { y[i, d] = c[i, d] }
  map d in D { y[L, d] = row[d] }
}
fn step(q: f32[D], k: f32[L, D], v: f32[L, D], pos: i64) -> (y: f32[D], k2, v2: f32[L + 1, D]) {
  row = q * (1 + f32(pos) / 16)
  a = extended(k, row)
  b = extended(v, row + 1)
  y = attend(q, a, b)
  k2 = a
  v2 = b
}
fn step_in(q: f32[D], inout k: f32[M, D], inout v: f32[M, D], pos: i64) -> y: f32[D] {
  map d in D {
    k[pos, d] = q[d] * (1 + f32(pos) / 16)
    v[pos, d] = q[d] * (1 + f32(pos) / 16) + 1
  }
  y = attend(q, k[0:pos + 1, :], v[0:pos + 1, :])
}
"""
PROGRAM = PROGRAM.replace("(y: f32[D], k2, v2: f32[L + 1, D])",
                          "(y: f32[D], k2: f32[L + 1, D], v2: f32[L + 1, D])")
D, STEPS, MOST = 8, 40, 4


def attend(q, k, v):
    s = k @ q
    p = np.exp(s - s.max())
    return p / p.sum() @ v


def expected(queries):
    k, v, out = np.zeros((0, D)), np.zeros((0, D)), []
    for t, q in enumerate(queries.astype("f8")):
        row = q * (1 + t / 16)
        k, v = np.vstack([k, row]), np.vstack([v, row + 1])
        out.append(attend(q, k, v))
    return np.array(out)


def kernels(folder):
    return len(os.listdir(folder)) if os.path.isdir(folder) else 0


queries = np.random.default_rng(3).normal(size=(STEPS, D)).astype("f4") / 2
want = expected(queries)
np.save("queries.npy", queries)
np.save("factors.npy", (1 + np.arange(STEPS) / 16).astype("f4"))
np.save("empty.npy", np.zeros((0, D), "f4"))

s = dclpy.Session("cache=growing")
s.run(PROGRAM)
step = s.compile("step")
k, v, got = np.zeros((0, D), "f4"), np.zeros((0, D), "f4"), []
for t in range(STEPS):
    y, k, v = step.call(queries[t], k, v, np.int64(t))
    got.append(y)
tap.ok(np.allclose(got, want, rtol=1e-4, atol=1e-5), "a cache that grows: right at all lengths")
tap.ok(0 < kernels("growing") <= MOST, "... with at most four variants", str(kernels("growing")))

s = dclpy.Session("cache=fixed")
s.run(PROGRAM)
step = s.compile("step_in")
k, v = np.zeros((STEPS, D), "f4"), np.zeros((STEPS, D), "f4")
got = [step.call(queries[t], k, v, np.int64(t)) for t in range(STEPS)]
tap.ok(np.allclose(got, want, rtol=1e-4, atol=1e-5), "a position in a cache of fixed size")
tap.is_int(kernels("fixed"), 1, "... with one variant")

s = dclpy.Session("cache=script")
s.run(PROGRAM + """
queries = load("queries.npy")
factors = load("factors.npy")
k = load("empty.npy")
v = k + 0.0
out: f32[%d, %d]
""" % (STEPS, D))
before = kernels("script")
s.run("""
for t in 0:%d {
  row = queries[t, :] * factors[t]
  k = extended(k, row)
  v = extended(v, row + 1)
  out[t, :] = attend(queries[t, :], k, v)
}
""" % STEPS)
after = kernels("script")
s.run('save("out.npy", out)')
tap.ok(np.allclose(np.load("out.npy"), want, rtol=1e-4, atol=1e-5), "in a script's loop")
tap.ok(after - before <= 4 * MOST, "... with at most four variants of each of four statements",
       str(after - before))
# Statements of loops whose tensors change their sizes: with symbols as with numbers.
LOOPS = (
    ("l = []\nfor t in 0:9 {\n  n = len(x)\n  x = extended(x, x[n - 1, :] + 1)\n  l = l + [n]\n}",
     "x, l", "a length that is read"),
    ("for t in 0:9 { x = x[1:, :] }\nfor t in 0:9 { y = y[0:len(y) - 1, :] * 2 }", "x.shape, y",
     "sizes that shrink"),
    ("for t in 0:9 {\n  x = extended(x, x[0, :])\n  y = extended(extended(y, x[1, :]), x[2, :])\n"
     "  z = (sum(x), sum(y), x @ y.T)\n}", "z", "two that grow at two speeds, and meet"),
    ("for t in 0:9 {\n  x = extended(x, x[t, :] * 2)\n  z = mean(x) + mean(x * x)\n}", "z",
     "a float that is made of a size"),
    ("z = 0\nfor t in 0:9 {\n  r = x[0:9 - t, :]\n  z = r + x[0:1, :]\n  w = r * r[0:1, :]\n}",
     "z, w", "down to 1, which broadcasts"),
    ("for t in 0:9 {\n  c: f32[t + 2] = 2\n  c[t] = 5\n  d = c * 2\n  c[0] += d[t]\n  z = c\n}",
     "z, d", "containers declared anew"),
    ("for t in 0:9 {\n  c: f32[t + 2, t + 1] = t\n"
     "  map i, j { c[i, j] += f32(i - j) }\n  z = c\n}", "z",
     "maps over them"),
    ("l = [x]\nfor t in 0:6 { l = l + [extended(l[t], y[t, :])] }\nz = l[6]", "z",
     "tensors in lists"),
)
for loop, shown, what in LOOPS:
    said = []
    for options in ("backend=ref", "verify=1", "verify=1 passes=none"):
        s = dclpy.Session(options)
        s.run(PROGRAM + "a: f32[9, 4] = 0\nb: f32[10, 4] = 0\nmap i, j { a[i, j] = f32(i - j) }\n"
              "map i, j { b[i, j] = f32(i * j) / 4 }\nx = a + 0.5\ny = b + 0.25\n")
        s.output = ""
        try:
            s.run(loop + "\nprint(%s)" % shown)
            said.append(s.output)
        except dclpy.Error as error:
            said.append(str(error))
    tap.ok("error" not in said[0] and said[1:] == said[:1] * 2, what, *said)
s = dclpy.Session("cache=speeds")
s.run(PROGRAM + "x: f32[2, 4] = 1\ny: f32[1, 4] = 1\nx = x + 1\ny = y + 1\n")
before = kernels("speeds")
s.run("a = x * 1\nb = y * 1\nfor t in 0:20 {\n  a = extended(a, x[0, :])\n"
      "  b = extended(extended(b, x[0, :]), x[1, :])\n  z = a @ b.T\n}")
tap.ok(kernels("speeds") - before <= 2 + 3 * MOST + 3, "two speeds compile a handful, too",
       str(kernels("speeds") - before))
tap.done_testing()
