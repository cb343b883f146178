#!/usr/bin/env python3
"""states.t: layers: starts of their states, instances as values, weight files."""

import math
import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

SOURCE = """
layer Dense(n: int, m: int, k: float = 0.5) {
  param W: f32[m, n] ~ kaiming_uniform
  param b: f32[m] ~ zeros
  param u: f64[1000] ~ uniform(2)
  param g: f32[1000] ~ normal
  param c: i32[2] = 3
  param o: f32[2] ~ ones
  fn forward(x: f32[*B, n]) -> f32[*B, m] { x @ W.T + b }
}
layer Pair(n: int) {
  first = Dense(n, n)
  rest = [Dense(n, n) for i in 0:2]
  fn forward(x: f32[*B, n]) -> f32[*B, n] { x |> first |> rest[0] |> rest[1] }
}
"""


def refused(s, text, words, name):
    try:
        s.run(text)
        tap.fail(name, "no error")
    except dclpy.Error as e:
        tap.ok(all(w in str(e) for w in words), name, str(e))


for backend in "ref", "cpu":
    s = dclpy.Session("backend=" + backend)
    s.run(SOURCE + 'net = Dense(30, 50)\nsave(net, "net.npz")\nother = Dense(30, 50)')
    a = dict(numpy.load("net.npz"))
    tap.is_str(sorted(a), ["W", "b", "c", "g", "o", "u"], backend + ": names of states")
    bound = math.sqrt(6 / 30)
    tap.ok(a["W"].std() > 0.5 * bound and abs(a["W"]).max() <= bound,
           backend + ": kaiming_uniform")
    tap.ok(not a["b"].any() and (a["o"] == 1).all() and (a["c"] == 3).all(),
           backend + ": zeros, ones, a number")
    tap.ok(1.9 < a["u"].max() <= 2 and -2 <= a["u"].min() < -1.9 and abs(a["u"].mean()) < 0.2,
           backend + ": uniform")
    tap.ok(abs(a["g"].mean()) < 0.15 and abs(a["g"].std() - 1) < 0.1, backend + ": normal")
    s.run('save(other, "other.npz")')
    tap.ok((dict(numpy.load("other.npz"))["W"] != a["W"]).any(),
           backend + ": another instance starts differently")
    with dclpy.Session("backend=" + backend) as t:
        t.run(SOURCE + 'net = Dense(30, 50)\nsave(net, "again.npz")\n'
              'seed(7)\nn = Dense(30, 50)\nsave(n, "seven.npz")')
    tap.ok(all((v == a[k]).all() for k, v in numpy.load("again.npz").items()),
           backend + ": the same start in another session")
    tap.ok((numpy.load("seven.npz")["W"] != a["W"]).any(), backend + ": another seed")

    x = numpy.random.default_rng(0).standard_normal((4, 30)).astype("f4")
    tap.is_close(s.call("net", x), x @ a["W"].T + a["b"], backend + ": a call of an instance",
                 rtol=1e-4, atol=1e-5)
    numpy.save("x.npy", x)
    s.run('x = load("x.npy")\ny = net(x)\nsave("y.npy", y)\nalias = net')
    tap.is_close(numpy.load("y.npy"), x @ a["W"].T + a["b"], backend + ": in a statement",
                 rtol=1e-4, atol=1e-5)

    # Weights from files: by dotted names, all or nothing.
    s.run('pair = Pair(3)\nsave(pair, "pair.safetensors")\nsave("pair0.npy", pair.first.W)')
    s.run('save("w.npy", pair.rest[1].W)\nsave(pair, "pair.npz")')
    b = dict(numpy.load("pair.npz"))
    tap.ok("rest.1.W" in b and (b["rest.1.W"] == numpy.load("w.npy")).all(),
           backend + ": dotted names")
    handle = s.compile("pair")
    one = numpy.ones((1, 3), "f4")
    before = handle.call(one)
    doubled = {k: v * 2 for k, v in b.items()}
    numpy.savez("doubled.npz", **doubled)
    s.run('load(pair, "doubled.npz")')
    w = [doubled[k + ".W"].T for k in ("first", "rest.0", "rest.1")]
    tap.is_close(handle.call(one), one @ w[0] @ w[1] @ w[2], backend + ": a handle sees the load",
                 rtol=1e-4, atol=1e-5)
    s.run('load(pair, "pair.safetensors")')
    tap.is_close(handle.call(one), before, backend + ": and the next one")
    broken = {k: v for k, v in b.items() if k != "first.b"}
    broken["rest.0.W"] = numpy.zeros((3, 4), "f4")
    broken["rest.1.b"] = numpy.zeros(3, "f8")
    broken["extra"] = numpy.zeros(1)
    numpy.savez("broken.npz", **broken)
    refused(s, 'load(pair, "broken.npz")',
            ["4 differences", "first.b is missing", "rest.0.W is f32[3, 4], expected f32[3, 3]",
             "rest.1.b is f64[3], expected f32[3]", "extra belongs to nothing"],
            backend + ": all differences at once")
    numpy.savez("more.npz", **b, **{"first.count": numpy.ones(1), "extra.W": numpy.ones(1)})
    refused(s, 'load(pair, "more.npz", skip = ["count"])',
            ["1 difference", "extra.W belongs to nothing"],
            backend + ": what is skipped, and what is not")
    s.run('load(pair, "more.npz", skip = ["count", "extra"])')
    tap.is_close(handle.call(one), before, backend + ": nothing was loaded then")

    # Other names: of one part, of several, before all, of none; the first pair that fits.
    renames = (([("first", "a"), ("first", "b")], lambda k: k.replace("first", "a")),
               ([("W", "first"), ("first", "W")],
                lambda k: k.replace("W", "~").replace("first", "W").replace("~", "first")),
               ([("rest.0", "x.y"), ("rest", "z"), ("st", "no"), ("rest.0.", "no")],
                lambda k: k.replace("rest.0", "x.y").replace("rest", "z")),
               ([("", "net.part"), ("rest.1.W", "W")],
                lambda k: "net.part." + k.replace("rest.1.W", "W")),
               ([("first", ""), ("rest", "")], lambda k: k.split(".", 1)[1]))
    for pairs, other in renames:
        numpy.savez("other.npz", **{other(k): v * 3 for k, v in b.items()})
        s.run('load(pair, "pair.npz")')
        text = ", ".join('("%s", "%s")' % pair for pair in pairs)
        s.run('load(pair, "other.npz", rename = [%s])' % text)
        w = [3 * b[k + ".W"].T for k in ("first", "rest.0", "rest.1")]
        tap.is_close(handle.call(one), one @ w[0] @ w[1] @ w[2], backend + ": " + text,
                     rtol=1e-4, atol=1e-4)
    refused(s, 'load(pair, "pair.npz", rename = [("first.W", ""), ("rest.0.W", "")])',
            ["first.W belongs to nothing", "rest.0.W belongs to nothing"],
            backend + ": a state without a name")
    s.close()

# What trains: statements that change states run once, whatever they print, and can be taken back.
TRAIN = """
layer Scale() { param w: f32[2] ~ ones;  fn forward(x: f32[2]) -> f32[2] { x * w } }
layer Descent(rate: float) {
  fn step(inout w: f32[*S], g: f32[*S]) { map *i in S { w[*i] = w[*i] - rate * g[*i] } }
}
fn error(x: f32[2]) -> e: f32 { e = x[0] * x[0] + x[1] * x[1] }
fn train(net: Scale, opt: Descent, x: f32[2]) -> e: f32 {
  e = minimize error(net(x)) over net with opt
}
net = Scale()
opt = Descent(0.125)
x: f32[2] = 1
"""


def after(text):
    with dclpy.Session("backend=cpu") as one:
        one.run(TRAIN + text)
        return one.output


for text, times in (("a = train(net, opt, x)", 1), ("train(net, opt, x)", 1),
                    ("print(train(net, opt, x))", 1), ("a = [train(net, opt, x), 1]", 1),
                    ("for i in 0:8 { a = train(net, opt, x) }", 8),
                    ("for i in 0:4 { a = train(net, opt, x * (1 + 0 * i)) }", 4),
                    ("y = if train(net, opt, x) > 1 { 3 } else { 4 }", 1)):
    try:
        got = after(text + "\nv = net.w\nprint(v[0])").splitlines()[-1]
        tap.ok(abs(float(got) - 0.75 ** times) < 1e-6, "%s steps %d" % (text, times), got)
    except dclpy.Error as e:
        tap.fail(text, str(e))
with dclpy.Session("backend=cpu") as s:
    s.line(TRAIN)
    s.line("a = train(net, opt, x)")
    try:
        s.line("a = train(net, opt, x); load(\"none.npy\")")
        tap.fail("an error on the line")
    except dclpy.Error:
        tap.is_str(s.line("v = net.w; v[1]"), "0.75\n", "an error takes a step back")
    s.line("train(net, opt, x)")
    tap.is_str(s.line("v = net.w; v[1]"), "0.5625\n", "and the next one counts")

# Weights stay in their file until they are used: the file never changes, and may be replaced.
MAPPED = """
layer Big() {
  buffer w: f32[100000] = 0.0
  param v: i8[300] ~ ones
  fn forward(x: f32) -> s: f32 { map i { s += w[i] * x } }
  fn grow(by: f32) -> y: f32 { w = w * by; y = w[1] }
}
net = Big()
"""
with dclpy.Session("backend=cpu") as s:
    s.line(MAPPED)
    w = numpy.arange(100000, dtype="f4") % 7
    names = {"w": w, "v": numpy.ones(300, "i1")}
    numpy.savez("big.npz", **names)
    s.line('load(net, "big.npz"); save(net, "big.safetensors")')
    old = open("big.safetensors", "rb").read()
    s.line('load(net, "big.safetensors")')
    tap.is_int(open("/proc/self/maps").read().count("big.safetensors"), 1, "the file is mapped")
    tap.is_str(s.line("net.grow(2.0)"), "2.0\n", "a method writes")
    try:
        s.line('net.grow(8.0); load("none.npy")')
        tap.fail("an error on the line")
    except dclpy.Error:
        tap.is_str(s.line("net.grow(2.0)"), "4.0\n", "an error takes the write back")
    try:
        s.line('load(net, "big.npz"); load("none.npy")')
        tap.fail("an error on the line")
    except dclpy.Error:
        tap.is_str(s.line("net.grow(2.0)"), "8.0\n", "and a load")
    s.run('load(net, "big.safetensors"); y = net.grow(2.0); print(y)')
    tap.is_str(s.output.splitlines()[-1], "2.0", "in a file that runs, states are written in place")
    tap.ok(open("big.safetensors", "rb").read() == old, "no write reaches the file")
    s.line('load(net, "big.safetensors"); save(net, "big.safetensors")')
    tap.ok(open("big.safetensors", "rb").read() == old, "saved onto the file that is mapped")
    numpy.save("other.npy", 100 + w)
    os.replace("other.npy", "big.safetensors")
    tap.is_close(float(s.line("net(1.0)")), w.sum(), "the file that was loaded is still there")
    numpy.save("w.npy", w)
    s.line('y = load("w.npy")')
    for k in range(300):  # the collector comes by
        s.line('x = load("w.npy")')
    tap.is_str(s.line("x[6]; y[6]"), "6.0\n6.0\n", "files stay open as long as they are used")
    maps = open("/proc/self/maps").read().count("w.npy")
    tap.ok(maps < 100, "not longer", "%d mappings" % maps)
tap.done_testing()
