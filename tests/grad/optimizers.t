#!/usr/bin/env python3
"""Optimizers and batch normalization: against PyTorch's formulas written in NumPy; gradients with
the names of what they are by, arithmetic on them, `update`, blocks and several optimizers."""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

PROGRAM = """
layer Quad(n: int) {
  param w: f32[n] = 1
  param v: f32[2, n] ~ ones
  fn forward(a: f32[n]) -> f32 { total((w - a) * (w - a)) + total(v * v * v) / 3 }
}
layer Other(n: int) {
  param v: f32[n]
  param w: f32[n] ~ ones
  fn forward(a: f32[n]) -> f32 { total(v * w * a) }
}
fn total(x: f32[*S]) -> s: f32 { map *i in S { s += x[*i] } }
fn train(net, opt, a: f32[_]) -> f32 { minimize net(a) over net with opt }
fn twice(net, opt, a: f32[_]) -> (f32, f32) {
  x = minimize net(a) over net with opt
  y = minimize net(a) over net with opt
  (x, y)
}
layer Two(n: int) {
  body = Quad(n)
  heads = [Quad(n) for i in 0:2]
  fn forward(a: f32[n]) -> f32 { body(a) + heads[0](a) * 2 + heads[1](a) * 3 }
}
fn parts(net: Two, x, y, a: f32[_]) -> f32 {
  minimize {
    l = net(a)
    l * 0.5
  } over net.body with x, net.heads with y
}
fn named(net: Two, a: f32[N]) -> (f32[N], f32[2, N], f32[N], f32[N]) {
  l, g = gradient net(a) over net
  h = g * 0.5 - g / 4 + g * l / l
  part = g.heads
  (g.body.w, part[1].v, h.heads[0].w, g[0])
}
fn clipped(net, opt, a: f32[_], most: f32) -> f32 {
  l, g = gradient net(a) over net
  s: f32 = 0
  for d in g { s += total(d * d) }
  scale = if s > most * most { most / sqrt(s) } else { 1 }
  update net by g * scale with opt
  l
}
"""

a = np.array([0.5, -1, 2], "f4")


def gradients(w, v):
    return 2 * (w - a), v * v


class Adam:
    def __init__(self, decay=0.0):
        self.m, self.v, self.t, self.lr, self.decay = [0, 0], [0, 0], 0, 0.01, decay

    def __call__(self, w, g):
        self.t += 1
        out = []
        for k in range(2):
            p = w[k] * (1 - self.lr * self.decay)
            self.m[k] = 0.9 * self.m[k] + 0.1 * g[k]
            self.v[k] = 0.999 * self.v[k] + 0.001 * g[k] ** 2
            m = self.m[k] / (1 - 0.9 ** self.t)
            root = np.sqrt(self.v[k]) / np.sqrt(1 - 0.999 ** self.t)
            out.append(p - self.lr * m / (root + 1e-8))
        return out


class Momentum:
    def __init__(self):
        self.v, self.lr = [0, 0], 0.01

    def __call__(self, w, g):
        self.v = [0.9 * self.v[k] + g[k] for k in range(2)]
        return [w[k] - self.lr * self.v[k] for k in range(2)]


def close(got, want, what):
    tap.ok(np.allclose(got, want, rtol=2e-5, atol=1e-6), what, str(got), str(want))


def state(s, instance):
    s.run('save(%s, "state.npz")' % instance)
    return dict(np.load("state.npz"))


np.save("a.npy", a)
for options in ("verify=1", "verify=1 passes=none", "verify=1 threads=2"):
    s = dclpy.Session(options)
    s.run(PROGRAM + 'a = load("a.npy")')
    for name, model in (("Adam(net, rate = 0.01)", Adam()), ("AdamW(net, rate = 0.01)", Adam(0.01)),
                        ("Momentum(net, rate = 0.01)", Momentum())):
        s.run("net = Quad(3)\nopt = " + name)
        w = [np.ones(3), np.ones((2, 3))]
        inner = "opt.adam.lr" if "AdamW" in name else "opt.lr"
        for k in range(8):
            if k == 5:
                s.run(inner + " = 0.05")
                model.lr = 0.05
            s.run("train(net, opt, a)" if k != 3 else "twice(net, opt, a)")
            w = model(w, gradients(*w))
            if k == 3:
                w = model(w, gradients(*w))
        got = state(s, "net")
        close(got["w"], w[0], f"{name}: nine steps, two of them in one call ({options})")
        close(got["v"], w[1], "... of each param")
    s.run("print(opt.kept[1].v[0, 0])")
    close(float(s.output), model.v[1][0, 0], "what an optimizer keeps has names")
    s.run('save(opt, "opt.npz")\nbefore = net\nnet = Quad(3)\nopt = Momentum(net, rate = 0.01)\n'
          'load(opt, "opt.npz")\ntrain(net, opt, a)')
    m = Momentum()
    m.v, m.lr = model.v, 0.05
    want = m(w, gradients(*w))
    close(state(s, "net")["w"], want[0], "... and is saved and loaded, with the params it is for")

    s.run("net = Two(3)\nx = SGD(0.25)\ny = Momentum(net.heads, rate = 0.125)\n"
          "l = parts(net, x, y, a)")
    got, one = state(s, "net"), np.ones(3)
    g = gradients(one, np.ones((2, 3)))
    close(got["body.w"], one - 0.25 * 0.5 * g[0], f"the first of two optimizers ({options})")
    close(got["heads.1.w"], one - 0.125 * 1.5 * g[0], "the second of two optimizers")
    s.run("net = Two(3)")
    s.run("p, q, r, t = named(net, a)\nsave(\"p.npy\", p)\nsave(\"q.npy\", q)\nsave(\"r.npy\", r)\n"
          "save(\"t.npy\", t)")
    close(np.load("p.npy"), g[0], "g.body.w")
    close(np.load("q.npy"), 3 * g[1], "a part of g, then an element and a member of it")
    close(np.load("r.npy"), 1.25 * 2 * g[0], "arithmetic on g")
    close(np.load("t.npy"), g[0], "g as a list")
    s.run("net = Quad(3)\nsgd = SGD(1)\nclipped(net, sgd, a, f32(0.5))")
    norm = np.sqrt((g[0] ** 2).sum() + (g[1] ** 2).sum())
    close(state(s, "net")["w"], one - 0.5 / norm * g[0], "gradients clipped by their norm")
    s.run("net = Quad(3)\nclipped(net, sgd, a, f32(100))")
    close(state(s, "net")["w"], one - g[0], "... which are not long")
    s.run("net = Quad(3)\nfor i in 0:3 { l, g = gradient net(a) over net\n"
          "  sgd = SGD(0.125)\n  update net by g with sgd }")
    w = np.ones(3)
    for k in range(3):
        w = w - 0.125 * 2 * (w - a)
    close(state(s, "net")["w"], w, "gradients kept in a script's variable")

# Rates are buffers: another one compiles nothing.
s = dclpy.Session("cache=kernels")
s.run(PROGRAM + 'a = load("a.npy")\nnet = Quad(3)\nopt = Adam(net)\n'
      "for i in 0:3 { opt.lr = 0.1\n  train(net, opt, a) }")
before = len(os.listdir("kernels"))
s.run("for i in 0:5 { train(net, opt, a) }\nopt.lr = 0.25\ntrain(net, opt, a)\nopt.lr = 0.125\n"
      "train(net, opt, a)")
after = len(os.listdir("kernels"))
tap.ok(before > 0 and after - before <= 2, "steps and rates do not recompile", str((before, after)))

# Batch normalization.
x = np.random.default_rng(5).normal(1, 2, (6, 3, 4, 5)).astype("f4")
np.save("x.npy", x)
for options in ("verify=1", "verify=1 passes=none", "check=1"):
    s = dclpy.Session(options)
    s.run(PROGRAM + """
x = load("x.npy")
bn = BatchNorm(3)
fn learn(bn: BatchNorm, opt, x: f32[_, _, _, _]) -> f32 {
  minimize { y = bn(x)
    total(y * y * y) } over bn with opt }
opt = SGD(0)
learn(bn, opt, x)
learn(bn, opt, x)
""")
    mean, var, n = x.mean((0, 2, 3)), x.var((0, 2, 3)), 6 * 4 * 5
    want_mean = 0.9 * (0.1 * mean) + 0.1 * mean
    unbiased = var * n / (n - 1)
    want_var = 0.9 * (0.9 + 0.1 * unbiased) + 0.1 * unbiased
    got = state(s, "bn")
    close(got["running_mean"], want_mean, f"the running mean ({options})")
    close(got["running_var"], want_var, "the running variance, unbiased")
    s.run('y = bn(x)\nsave("y.npy", y)\nl, g = gradient { total(bn(x) * bn(x)) } over bn\n'
          'save("g.npy", g.weight)')
    col = (slice(None), None, None)
    want = (x - want_mean[col]) / np.sqrt(want_var[col] + 1e-5)
    close(np.load("y.npy"), want, "outside of training the running ones normalize")
    batch = (x - mean[col]) / np.sqrt(var[col] + 1e-5)
    close(np.load("g.npy"), 2 * (batch * batch).sum((0, 2, 3)), "in training the batch's do")
    for k in range(2):
        want_mean = 0.9 * want_mean + 0.1 * mean
    close(state(s, "bn")["running_mean"], want_mean, "both calls in one expression count")

for text, want in (
        ("layer A(n: int) { param w: f32[n]\n fn f() { w = 1 } }", "w is read-only"),
        ("layer A(n: int) { param w: f32[n] }\na = A(2)\na.w = 1", "is read-only"),
        ("layer A(n: int) { buffer w: f32[n] }\na = A(2)\na.w = [1, 2, 3]",
         "shapes do not broadcast: [2] and [3]"),
        ("net = Quad(3)\nl, g = gradient net(a) over net\ng.z",
         "the list of gradients has no member z"),
        ("net = Two(3)\nl, g = gradient net(a) over net\nh = g + g.body", "by the same params"),
        ("net = Quad(3)\nl, g = gradient net(a) over net\no = Other(3)\n"
         "l, h = gradient o(a) over o\nk = g + h", "by the same params"),
        ("net = Two(3)\nl, g = gradient net(a) over net\nupdate net.body by g with SGD(1)",
         "must be gradients of what is updated"),
        ("net = Two(3)\nl, g = gradient net(a) over net\nupdate net by g with net",
         "the optimizer must be an instance of a layer with `step`"),
        ("net = Two(3)\nopt = Adam(net)\nminimize net(a) over net.body with opt",
         "the optimizer was made for the params of another net")):
    try:
        session = dclpy.Session("")
        session.run(PROGRAM + 'a = load("a.npy")')
        session.run(text)
        tap.ok(False, "refused: " + want)
    except dclpy.Error as error:
        tap.ok(want in str(error) and "internal" not in str(error), "refused: " + want, str(error))
tap.done_testing()
