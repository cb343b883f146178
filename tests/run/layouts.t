#!/usr/bin/env python3
"""layouts.t: containers with layouts hold what they would hold without: against NumPy and the
reference, for sizes that blocks divide and not; lanes beyond the shape are 0; states are saved and
loaded in their shape; a copy from one layout to another is seen as what it moves."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.environ["DCL_SRC"], "tests", "harness"))
import tap

np = tap.need_numpy()
import dclpy

LAYOUTS = ("n, c, h, w => n, c//16, h, w, c%16", "n, c, h, w => c%4, w, n, h, c//4",
           "n, c, h, w => w, h, c, n", "a, b, c, d => a, b//8, b//2%4, c//3, d, c%3, b%2",
           "n, c, h, w => n, c, h, w", "n, c, h, w => n//2, c//3, n%2, h//5, w//4, c%3, h%5, w%4")
SHAPES = ((2, 20, 5, 6), (1, 1, 1, 1), (3, 16, 4, 8), (1, 17, 5, 3), (0, 5, 2, 2), (2, 0, 3, 3))
PROGRAM = """
fn moved(x: f32[N, C, H, W]) -> y: f32[N, C, H, W] {
  a: f32[N, C, H, W] layout(LAYOUT)
  map n, c, h, w { a[n, c, h, w] = 2 * x[n, c, h, w] }
  y = a
}
fn taken(x: f32[N, C, H, W] layout(LAYOUT)) -> y: f32[N, C, H, W] layout(OTHER) {
  map n, c, h, w { y[n, c, h, w] = x[n, c, h, w] + x[n, c, h - 1, w + 1, else 3] }
}
fn twice(x: f32[N, C, H, W]) -> f32[N, C, H, W] { taken(taken(x)) }
fn filled(x: f32[N, C, H, W]) -> (y: f32[C], z: f32[N, C, H, W]) {
  m: f32[C, N] layout(c, n => c//4, n//2, c%4, n%2)
  map n, c, h, w { m[c, n] max= x[n, c, h, w] }
  y = -1
  map c, n { y[c] max= m[c, n] }
  a: f32[N, C, H, W] layout(LAYOUT) in heap = -1
  map n in N, c in -3:C + 5, h in 0:H + 9:2, w in W {
    x[0, 0, 0, 0] + f32(c) >> a[n, c, h, w, else _]
  }
  z = a
}
fn added(inout a: f32[_, _], v: f32) { map c, h { a[c, h] += v } }
fn parts(x: f32[N, C, H, W]) -> y: f32[N, C, H, W] {
  a: f32[N, C, H, W] layout(LAYOUT) = x
  for n in 0:N { added(a[n, :, :, 0], f32(n + 1)) }
  for n in 0:N { added(a[n, 0:C:2, 0:H, W - 1], 5) }
  y = a[:, :, :, :] + a
}
fn squares(x: f32[N, C, H, W]) -> s: f32 {
  a: f32[N, C, H, W] layout(LAYOUT) = x
  b: f32[N, C, H, W] layout(OTHER)
  map n, c, h, w { b[n, c, h, w] = a[n, c, h, w] * x[n, c, h, w] }
  map n, c, h, w { b[n, c, h, w] >> s (sum) }
}
"""


def moved(x):
    return 2 * x


def taken(x):
    y = np.full_like(x, 3)
    y[:, :, 1:, :-1] = x[:, :, :-1, 1:]
    return x + y


def filled(x):
    n, c, h, w = x.shape
    z = np.full_like(x, -1)
    if x.size:
        z[:, :, ::2, :] = x[0, 0, 0, 0] + np.arange(c, dtype="f4")[:, None, None]
    return (x.max(axis=(0, 2, 3), initial=-1), z)


def parts(x):
    y = x.copy()
    y[:, :, :, 0] += np.arange(1, len(x) + 1, dtype="f4")[:, None, None]
    y[:, ::2, :, -1] += 5
    return y + y


rng = np.random.default_rng(5)
for k, layout in enumerate(LAYOUTS):
    text = PROGRAM.replace("LAYOUT", layout).replace("OTHER", LAYOUTS[k - 1])
    for options in ("verify=1", "verify=1 passes=none", "backend=ref"):
        s = dclpy.Session(options)
        s.run(text)
        bad = []
        for shape in SHAPES:
            x = rng.integers(-8, 8, shape).astype("f4")
            for name, f in (("moved", moved), ("taken", taken), ("filled", filled),
                            ("twice", lambda x: taken(taken(x))), ("parts", parts)):
                if name in ("filled", "parts") and 0 in shape:
                    continue
                got, want = s.call(name, x), f(x)
                same = all(np.array_equal(a, b) for a, b in zip(got, want)) \
                    if isinstance(want, tuple) else np.array_equal(got, want)
                if not same:
                    bad.append((name, shape))
        tap.ok(not bad, "%s, %s" % (layout, options), str(bad))
    s = dclpy.Session("verify=1")
    s.run(text)
    said = []
    for shape in SHAPES:
        x = rng.integers(-4, 4, shape).astype("f4")
        s.run("fn grad_of(x: f32[N, C, H, W]) -> (f32, f32[N, C, H, W]) "
              "{ gradient squares(x) over x }")
        value, slope = s.call("grad_of", x)
        if not np.array_equal(slope, 2 * x) or value != (x * x).sum():
            said.append(shape)
    tap.ok(not said, "... gradients", str(said))

# Lanes: the graph has them; what all of a container holds is what its shape holds.
LANES = """
fn f(x: f32[3, 5]) -> z: f32[3, 5] {
  a: f32[3, 5] layout(n, c => n//2, c//4, n%2, c%4)
  map n, k { a[n, k] max= x[n, k] }
  b: f32[3, 5] layout(n, c => c//8, n, c%8) = 7
  map n in 8, k in 16 { 9 >> b[n, k, else _] }
  c: f32[3, 5] layout(n, c => c//8, n, c%8) = a
  map n in 3 { c[n, 4] = x[n, 2 * n, else 6] }
  d: f32[3, 5] layout(n, c => c//2, n, c%2)
  map n, k { d[n, k] += c[n, k] + b[n, k] + x[n, k + 3, else 1] }
  z = d
}
"""
with open("lanes.dcl", "w", encoding="ascii") as stream:
    stream.write(LANES)
status, graph, _ = tap.dcl("show", "lanes.dcl", "--entry", "f", "--passes", "none")
conts = dict(re.findall(r"^  ([abcd]): f32\[([\d, ]+)\]", graph, re.M))
tap.is_str(str(sorted(conts.items())), "[('a', '2, 2, 2, 4'), ('b', '1, 3, 8'), ('c', '1, 3, 8'), "
           "('d', '3, 3, 2')]", "the graph has blocks")
head, body = graph.split("{", 1)
for name, sizes in conts.items():
    dims = [int(d) for d in sizes.split(",")]
    index = ", ".join("k%d in 0:%d" % (d, n) for d, n in enumerate(dims))
    at = ", ".join("k%d" % d for d in range(len(dims)))
    with_lanes = head.replace("-> z:", "-> (z:").rstrip() + ", lanes: f32[%s]) {" % sizes + \
        body.rstrip()[:-1] + "  map %s {\n    lane << %s[%s]\n    lane >> lanes[%s]\n  }\n}\n" % (
            index, name, at, at)
    s = dclpy.Session("passes=none")
    s.run(with_lanes)
    x = (rng.integers(0, 8, (3, 5)) + 1).astype("f4")
    z, lanes = s.call("f", x)
    tap.is_int(int(np.count_nonzero(lanes)), 15, "lanes of %s are 0" % name)

# States: their shape is what files have, and what is printed.
STATES = """
layer Net(n: int, block: int = 4) {
  param w: f32[n, 3] layout(a, b => b, a//block, a%block) ~ uniform
  buffer seen: f32[n] layout(a => a%2, a//2) = 1
  fn forward(x: f32[B, n]) -> f32[B, 3] {
    seen = seen + x[0, :]
    x @ w
  }
}
fn energy(x: f32[*S]) -> e: f32 { map *i in S { e += x[*i] * x[*i] } }
fn step(net: Net, opt: Momentum, x: f32[_, _]) -> f32 { minimize energy(net(x)) over net with opt }
seed(3)
net = Net(6)
opt = Momentum(net, rate = 0.0625)
x: f32[2, 6] = 1
map i, j { x[i, j] = f32((i + 2 * j) % 3) }
"""
shown = []
for options in ("verify=1", "backend=ref"):
    s = dclpy.Session(options)
    s.run(STATES)
    s.run('save(net, "start.safetensors")\nprint(net.w, net.seen)')
    s.run("first = net.w\nprint(net(x).shape, net.seen)\nnet.seen[3] = 7\nprint(net.seen)")
    s.run('load(net, "start.safetensors")\nprint(sum(abs(net.w - first)), net.seen, net.w[5, 2])')
    s.run('net = Net(6, block = 5)\nload(net, "start.safetensors")\nprint(sum(abs(net.w - first)))')
    shown.append(s.output)
tap.is_str(shown[0], shown[1], "states: as without layouts")
shown = []
for options in ("verify=1", "backend=ref"):
    s = dclpy.Session(options)
    s.run(STATES.replace("~ uniform", "= 0.5").replace("0.0625", "0.03125"))
    s.run("step(net, opt, x)\nprint(step(net, opt, x))\nprint(round(net.w * 1024))")
    s.run("w = net.w")
    s.run(STATES.split("fn energy")[0].replace("a//block, a%block", "a%3, a//3")
          .replace("~ uniform", "= 0.5") + "print(sum(abs(net.w - w)), sum(net.seen))")
    shown.append(s.output)
tap.is_str(shown[0], shown[1], "... trained, and defined anew in another layout")

# What is moved.
MOVES = """
fn gathered(x: f32[N, 20] layout(n, c => c//8, n, c%8)) -> y: f32[N, N] {
  map i in N parallel, j in N { y[i, j] = x[j, i % 20] }
}
fn same(x: f32[N, 20]) -> y: f32[N, 20] {
  a: f32[N, 20] layout(n, c => c//8, n, c%8) = x
  b = inner(a)
  y = b
}
fn inner(x: f32[N, 20] layout(n, c => c//8, n, c%8)) -> y: f32[N, 20] {
  map n, c { y[n, c] = x[N - 1 - n, c] }
}
"""
with open("moves.dcl", "w", encoding="ascii") as stream:
    stream.write(MOVES)
status, text, _ = tap.dcl("movement", "moves.dcl", "--entry", "gathered", "--shape", "x=f32[10,20]",
                          "--passes", "none")
tap.ok(status == 0 and re.search(r"^x_2: reads 400, writes 1760 bytes", text, re.M),
       "a copy at a call moves blocks", text)
status, text, _ = tap.dcl("movement", "moves.dcl", "--entry", "gathered", "--shape",
                          "x=f32[10000,20]")
tap.ok(re.search(r"^x_2: reads \d+, writes 1760000 bytes", text, re.M), "... with passes, too",
       text)
status, text, _ = tap.dcl("show", "moves.dcl", "--entry", "same", "--passes", "none")
tap.is_int(text.count("3, N, 8"), 1, "an argument of the same layout is not copied")
tap.done_testing()
