#!/usr/bin/env python3
"""redefine.t: a layer that is defined anew keeps the states of its instances, where they fit."""

import tap

LAYERS = """
layer Block(n: int) {
  a = Linear(n, n)
  fn forward(x: f32[B, n]) -> f32[B, n] { x |> a |> relu }
}
layer Net(n: int, k: int = 2) {
  blocks = [Block(n) for i in 0:k]
  buffer calls: i64 = 0
  head = Linear(n, 2)
  fn forward(x: f32[B, n]) -> f32[B, 2] {
    calls = calls + 1
    for b in blocks { x = b(x) }
    head(x)
  }
}
net = Net(3)
first = net.blocks[0]
all = [net, Net(2, k = 1)]
x: f32[1, 3] = 1
w = first.a.weight
h = net.head.weight
"""
TWICE = """layer Block(n: int) {
  a = Linear(n, n)
  fn forward(x: f32[B, n]) -> f32[B, n] { 2 * (x |> a |> relu) }
}"""
SCALED = """layer Block(n: int) {
  a = Linear(n, n)
  param scale: f32[n] = 3
  fn forward(x: f32[B, n]) -> f32[B, n] { scale * x }
}"""
WIDER = """layer Net(n: int, k: int = 2, out: int = 3) {
  blocks = [Block(n) for i in 0:k]
  head = Linear(n, out)
  fn forward(x: f32[B, n]) -> f32[B, out] { head(blocks[0](x)) }
}"""
SAME = "fn same(x: f32[*S], y: f32[*S]) -> bool { max(abs(x - y)) == 0 }\n"

for backend in "cpu", "ref":

    def run(text, *options):
        status, out, err = tap.dcl(*options, "--backend", backend, input=LAYERS + SAME + text)
        return out, err

    def prints(text, want, name):
        out, err = run(text)
        tap.ok(out == want and not err, "%s: %s" % (backend, name), out, err)

    prints("y = net(x)\n" + TWICE + "\nsame(net(x), y)\nsame(first.a.weight, w)\nnet.calls",
           "false\ntrue\n2\n", "members are defined anew, and keep what they hold")
    prints("y = first(x)\n" + TWICE + "\nsame(first(x), 2 * y)\nsame(net.blocks[0](x), 2 * y)\n"
           "same(all[0].blocks[0](x), 2 * y)", "true\ntrue\ntrue\n", "whoever refers to them")
    prints("fn f(b: Block, x: f32[1, 3]) -> f32[1, 3] { b(x) }\ny = f(first, x)\n" + TWICE +
           "\nsame(f(first, x), 2 * y)", "true\n", "functions that were compiled before")
    prints("net(x)\n" * 3 + LAYERS.split("net =")[0] + "net.calls\nsame(h, net.head.weight)",
           run("net(x)\n" * 3)[0] + "3\ntrue\n", "buffers too")
    prints(TWICE + "\nsave(net, \"net.npz\")\nother = Net(3)\nload(other, \"net.npz\")\n"
           "same(other.blocks[1].a.weight, net.blocks[1].a.weight)", "true\n", "names of states")

    out, err = run(TWICE + "\n:watch first.x\ny = first(x); 1")
    tap.is_str(out, "first.x is watched\nfirst.x: [[1. 1. 1.]]  f32[1, 3]\n1\n",
               backend + ": methods are those of the instance")

    out, err = run(SCALED + "\nfirst(x); net.blocks[0].scale[0]")
    tap.is_str(out, "[[3. 3. 3.]]  f32[1, 3]\n3.0\n", backend + ": a new state starts")
    tap.ok("warning: net.blocks[0]: not all of its states fit the new definition" in err and
           "note: scale is new: f32[3]" in err and err.count("warning") == 3, "and is told", err)
    out, err = run(WIDER + "\nnet(x).shape\nsame(w, net.blocks[0].a.weight)\n"
                   "same(w, first.a.weight)")
    tap.is_str(out, "[1, 3]\ntrue\ntrue\n", backend + ": a new parameter takes its default")
    tap.ok("head.weight was f32[2, 3] and starts anew as f32[3, 3]" in err and
           "calls is gone: i64[]" in err, "states of other shapes start anew", err)
    # A size that is mistyped and mended costs nothing, through others and collections.
    typo = WIDER.replace("Linear(n, out)", "Linear(n, 4)").replace("B, out", "B, 4")
    loop = "for i in 0:300 { t: f32[20000] = i; k = [t, t] }\n"
    again = "layer Net" + LAYERS.split("layer Net")[1].split("net =")[0]
    out, err = run("y = net(x)\nc = net.calls\n" + WIDER + "\nnet(x).shape\n" + loop + typo +
                   "\nnet(x).shape\n" + loop + again + "same(net(x), y)\nnet.calls == c + 1\n" +
                   WIDER + "\n" + WIDER + "\nnet(x).shape")
    tap.is_str(out, "[1, 3]\n[1, 4]\ntrue\ntrue\n[1, 3]\n", backend + ": what was aside is back")
    tap.ok("note: head.weight is again what it was as f32[2, 3]" in err and
           "note: calls is again what it was as i64[]" in err and
           "help: what no longer fits is set aside" in err, "and is told", err)
    typo = SCALED.replace("Linear(n, n)", "Linear(n, n + 1)").replace("scale * x", "x")
    out, err = run("y = net(x)\n" + typo + "\n" + WIDER + "\n" + again +
                   LAYERS.split("layer Net")[0] + "\nsame(net(x), y)\nsame(first.a.weight, w)")
    tap.is_str(out, "true\ntrue\n", backend + ": of members that were made anew, too")
    out, err = run("layer Net(m: int) {\n  fn forward(x: f32[B, m]) -> f32[B, m] { x }\n}\n"
                   "net(x).shape\nNet(3)(x).shape")
    tap.ok(out == "[1, 2]\n[1, 3]\n" and
           "warning: net keeps the former definition: Net: m is missing" in err,
           backend + ": one that cannot be made again", out, err)
    out, err = run("many = [Block(2) for i in 0:20]\n" + SCALED)
    tap.ok(err.count("warning") == 3 and "the same is true of 20 more" in err,
           backend + ": few of many are told", err)
    out, err = run("nest: f32[2] = 0\n" + TWICE + "\nfn Net(x: i64) -> i64 { x }\nnet(x).shape")
    tap.is_str(out, "[1, 2]\n", backend + ": a function in its place changes no instance")

    # An error takes it back, with what was written since.
    keep = "y = net(x)\n"
    for definition, name in (TWICE, "a layer"), (SCALED, "with a new state"), (WIDER, "of others"):
        out, err = run(keep + definition + "; net(x); net.calls = 7; oops\n"
                       "same(y, net(x))\nnet.calls\nsame(w, first.a.weight)\nnet.head.weight.shape")
        tap.is_str(out, "true\n2\ntrue\n[2, 3]\n", "%s: %s that is taken back" % (backend, name))
        tap.ok("unknown name oops" in err, "after an error")
        out, err = run(keep + definition + "; a = net(x)[0, 0]; first(x)[0, 9]\n"
                       "same(y, net(x))\nfirst\nnet.head.weight.shape")
        tap.is_str(out, "true\nBlock(a.weight: f32[3, 3], a.bias: f32[3])\n[2, 3]\n",
                   "%s: %s, after it ran" % (backend, name))
    # Enough garbage that it is collected on the way.
    loop = "for i in 0:300 { t: f32[20000] = i; k = [t, t] }"
    prints(keep + TWICE + "\n" + loop + "\nsame(net(x), y)\n" + LAYERS.split("layer Net")[0] +
           loop + "\nsame(net(x), y)", "false\ntrue\n", "through collections")
    out, err = run(keep + WIDER + "; " + loop + "; net(x); oops\n" + loop + "\nsame(net(x), y)")
    tap.is_str(out, "true\n", backend + ": an error after a collection")
    out, err = run(keep + WIDER + "; " + loop + "; z = net(x)[0, 8]\n" + loop + "\nsame(net(x), y)")
    tap.is_str(out, "true\n", backend + ": an error of a run after a collection")

    # In a file it means the same.
    with open("file.dcl", "w", encoding="ascii") as f:
        f.write(LAYERS + SAME + "y = first(x)\n" + TWICE + "\nprint(same(first(x), 2 * y))\n" +
                LAYERS.split("layer Net")[0] + "print(same(first(x), y))\n")
    status, out, err = tap.dcl("run", "file.dcl", "--backend", backend)
    tap.ok(status == 0 and out == "true\ntrue\n" and not err, backend + ": in a file", out, err)

# A variable of an earlier line that is called like a function of the library.
status, output, errors = tap.dcl(
    input="mean: f32[3] = 0\nmean[0] = 1\nmean += 1\nmean[1]\n")
tap.is_str((status, output, errors), (0, "1.0\n", ""), "a variable called mean is written into")
tap.done_testing()
