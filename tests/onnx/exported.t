#!/usr/bin/env python3
"""exported.t: dcl export, and dcl import of what it wrote, compute the same; what cannot be
exported is told at once; files are written whole or not at all. export.t compares with ONNX
Runtime."""

import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402


def write(text):
    with open("p.dcl", "w", encoding="utf-8") as file:
        file.write(text)


def same(what, text, entry, *arguments, options=()):
    """The import of the export computes what the program does; the program's text."""
    write(text)
    done = tap.dcl("export", "p.dcl", "--entry", entry, "-o", "m.onnx", "--force", *options)
    tap.is_str(done, (0, "", ""), what + ": exported")
    tap.is_str(tap.dcl("import", "m.onnx", "--force"), (0, "", ""), what + ": imported")
    found = []
    for path, name in ("p.dcl", entry), ("m.dcl", "model"):
        with dclpy.Session("cache=off") as s:
            s.run_file(path)
            got = s.call(name, *arguments)
        found.append(got if isinstance(got, tuple) else (got,))
    for want, got in zip(*found):
        tap.is_close(got, want, what + ": the same")
    with open("m.dcl", encoding="utf-8") as file:
        return file.read()


random = numpy.random.default_rng(5)


def some(*shape):
    return random.standard_normal(shape).astype("f4")


MLP = """
layer Body(n: int) {
  maps = [Linear(n, n), Linear(n, n, with_bias = false)]
  fn forward(x: f32[B, n]) -> f32[B, n] {
    for f in maps { x = tanh(f(x)) }
    x
  }
}
layer Net(n: int) {
  body = Body(n)
  head = Linear(n, 3)
  fn forward(x: f32[B, n]) -> f32[B, 3] { x |> body |> head |> softmax }
}
net = Net(5)
"""
same("an MLP", MLP, "net", some(4, 5))
with dclpy.Session() as s:
    s.run_file("m.dcl")
    s.run('save(model, "weights.npz")')
tap.is_str(sorted(numpy.load("weights.npz")),
           ["body.maps.0.bias", "body.maps.0.weight", "body.maps.1.weight", "head.bias",
            "head.weight"], "weights keep their names")

same("convolutions", """
layer Net {
  conv = Conv2d(2, 4, 3, stride = 2, pad = 1)
  bn = BatchNorm(4)
  up = ConvTranspose2d(4, 2, 2, stride = 2)
  fn forward(x: f32[N, 2, H, W]) -> any { up(x |> conv |> bn |> silu |> max_pool(2, stride = 1)) }
}
net = Net()
""", "net", some(2, 2, 7, 9), options=["--shape", "x=f32[N, 2, 7, 9]"])

biases = same("biases", """
layer Net {
  conv = Conv2d(2, 4, 3)
  up = ConvTranspose2d(4, 2, 2)
  fn forward(x: f32[N, 2, H, W], w: f32[3, K], b: f32[3]) -> any {
    flatten(x |> conv |> up) @ w.T + b
  }
}
net = Net()
""", "net", some(2, 2, 3, 3), some(3, 8), some(3), options=[
    "--shape", "x=f32[N, 2, 3, 3]", "--shape", "w=f32[3, 8]", "--shape", "b=f32[3]"])
tap.ok(not any(word in biases for word in ("unsqueeze", "add(", "add_channels", " + ")),
       "and stand in the operators that know them", biases)

same("a map, and what reads it", """
fn f(x: f32[N, M], k: i64[N]) -> y: f32[N] {
  best: f32[N] = -inf
  map i in N, j in M { x[i, j] * x[i, j] >> best[i] (max) }
  map i in N {
    n << k[i]
    y[i] = if best[i] > 1 { x[i, n] / best[i] } else { x[i, 0] - x[i, M - 1] }
  }
}
""", "f", some(4, 3), numpy.array([2, 0, 1, 1]))

# Sizes that a layer fixes, its own or by what it calls, are numbers, where a part is exported.
PARTS = """
layer Block(n: int) {
  conv = Conv2d(n, n, 3, pad = 1)
  fn forward(x: f32[B, c, H, W]) -> f32[B, c, H, W] { x + conv(x) }
}
layer Net {
  blocks = [Block(4), Block(4)]
  head = Linear(4, 3)
  fn forward(x: f32[B, 4, H, W]) -> any {
    for b in blocks { x = b(x) }
    head(mean(x, axes = [2, 3]))
  }
}
net = Net()
fn three(x: f32[N, M]) -> f32[N, M] where N == 3 { x + 1 }
"""
text = same("a part of a net", PARTS, "net.blocks[1]", some(2, 4, 5, 3), options=[
    "--shape", "x=f32[B, c, 5, 3]"])
tap.ok("(x: f32[B, 4, 5, 3])" in text, "has the size that its convolution wants", text)
text = same("a condition", PARTS, "three", some(3, 2))
tap.ok("(x: f32[3, M])" in text, "fixes a size", text)
done = tap.dcl("export", "p.dcl", "--entry", "net.head", "-o", "head.onnx")
tap.ok(done[0] == 0 and "warning: x is exported with 3 dimensions\n" in done[2] and
       done[2].endswith("   help: another number is said by --shape 'x=f32[B0, 4]'\n"),
       "how many dimensions were chosen is told", done)
done = tap.dcl("export", "p.dcl", "--entry", "net.head", "-o", "head.onnx", "--force", "--shape",
               "x=f32[B0, 4]")
tap.is_str(done, (0, "", ""), "and may be said")

# The same bytes each time.
write(MLP)
for to in "a.onnx", "b.onnx":
    tap.dcl("export", "p.dcl", "--entry", "net", "-o", to)
with open("a.onnx", "rb") as a, open("b.onnx", "rb") as b:
    tap.ok(a.read() == b.read(), "the same program is the same bytes")

# Weights in a file beside.
write(MLP.replace("Net(5)", "Net(40)"))
done = tap.dcl("export", "p.dcl", "--entry", "net", "-o", "far.onnx", "--external-data")
tap.is_str(done, (0, "", ""), "with --external-data")
tap.ok(os.path.getsize("far.onnx.data") >= 2 * 40 * 40 * 4 > os.path.getsize("far.onnx"),
       "weights are in far.onnx.data")
tap.is_str(tap.dcl("import", "far.onnx"), (0, "", ""), "and are found there")

# Where one of the two cannot be written, the other one stays what it was.
for broken, kept in ("one.onnx", "one.onnx.data"), ("two.onnx.data", "two.onnx"):
    os.mkdir(broken)
    with open(kept, "w", encoding="ascii") as file:
        file.write("keep")
    model = broken.replace(".data", "")
    status, out, err = tap.dcl("export", "p.dcl", "--entry", "net", "-o", model, "--external-data",
                               "--force")
    with open(kept, encoding="ascii") as file:
        tap.ok(status == 1 and "is a folder" in err and file.read() == "keep",
               "%s cannot be written" % broken, status, out, err)
tap.ok(not [name for name in os.listdir(".") if name.startswith(".dcl")], "and nothing is left")

# What is refused, all at once, and nothing is written.
write("""
fn f(x: f32[N]) -> y: f32[N] {
  s = f32(0)
  while s < 5 { s = s + 1 }
  for t in 0:N { s = s + 1 }
  y = x * s
}
""")
done = tap.dcl("export", "p.dcl", "--entry", "f", "-o", "no.onnx")
tap.is_str(done, (1, "", """p.dcl:4:3: error: cannot export f: 2 problems
   4 |   while s < 5 { s = s + 1 }
     |   ^~~~~~~~~~~~~~~~~~~~~~~~~
   note: a loop that goes on as long as a condition holds: p.dcl:4:3
   note: a loop whose number of turns is not known: p.dcl:5:3
   help: it is known if N is: --shape 'x=f32[16]'
"""), "a list of what ONNX cannot say")
tap.ok(not os.path.exists("no.onnx"), "and no file")
write("""
fn f(x: f32[N, M], w: f32[N], k: i64) -> any { cummax(x, axis = 0) * unsqueeze(w, -1) * f32(k) }
""")
_, _, errors = tap.dcl("export", "p.dcl", "--entry", "f", "-o", "no.onnx")
tap.is_str(errors.splitlines()[-1], "   help: it is known if N is: --shape 'x=f32[16, M]' "
           "--shape 'w=f32[16]' --shape 'k=i64'", "how a number of turns is known")
done = tap.dcl("export", "p.dcl", "--entry", "f", "-o", "turns.onnx", "--shape", "x=f32[16, M]",
               "--shape", "w=f32[16]", "--shape", "k=i64")
tap.is_str(done, (0, "", ""), "and so it is")
for text, shapes, want in (
        ("map i in N, j in M { y[i] prod= x[i, 0] }", "N, M",
         ["a product of equal numbers over an index"]),
        ("map i in N { y[i] = 2 }", "2*N, 3", ["a size that no input has"]),
        ("map i in N { y[i] = f32(shl(i32(x[i, 0]), 1)) }", "N, 3", ["shl of i32"]),
        ("map i in N, j in 0:i { y[i] += x[i, 0] }", "N, 3",
         ["a range that is not the same for all indices"]),
        ("y = 0;  for i in 0:5000 { y += 1 }", "N, 3", ["a loop of more than 4096 turns"]),
        ("l, g = gradient sum(x) over x;  y = g[:, 0]", "N, 3", ["a gradient"]),
        ("y = 0;  map i in N, j in M { if x[i, j] > 0 { y[i] = x[i, j] } }", "N, 3",
         ["a write in which the order of a map's indices decides"]),
        ("y = 0;  map i in N { y[i64(x[i, 0])] = 1 }", "N, 3",
         ["a write at a place that data choose, without a resolution"]),
        ("y = 0;  map i in N { if x[i, 0] > 0 { y[2*i - 1] = 1 } }", "N, 3",
         ["a write that counts at some places only, which the run finds"]),
        ("z: f32[?]\nmap i in N { x[i, 0] >> z[?] }\ny = sum(z)", "N, 3",
         ["a container that grows", "a loop whose number of turns is not known"]),
):
    write("fn f(x: f32[N, M]) -> y: f32[N] {\n%s\n}\n" % text)
    status, _, errors = tap.dcl("export", "p.dcl", "--entry", "f", "-o", "no.onnx", "--shape",
                                "x=f32[%s]" % shapes)
    told = [line.split(": ")[1] for line in errors.splitlines() if line.startswith("   note")]
    tap.is_str((status, told), (1, want), "refused: " + want[0])
for text, entry, want in (
        ("fn f(x: f32[N]) -> any { (x, x) }", "f", "   note: a result that is a list\n"),
        ("""layer Net {
  buffer n: i64 = 0
  fn forward(x: f32[N]) -> f32[N] {
    n += 1
    x
  }
}
net = Net()
""", "net", "   note: a write to what the model is given: p.dcl:4:5\n"),
        ("fn f(x: f32[N, 2, L], w: f32[3, 2, K]) -> any { conv(x, w) }", "f",
         "   note: an attribute of Conv that is not known before it runs: p.dcl:1:49\n")):
    write(text)
    status, _, errors = tap.dcl("export", "p.dcl", "--entry", entry, "-o", "no.onnx")
    tap.ok(status == 1 and errors.endswith(want) and errors.count("note") == 1,
           "refused: " + want.strip(), errors)
tap.ok(not os.path.exists("no.onnx"), "still no file")
write(MLP)
for there in "there.onnx", "there.onnx.data":
    with open(there, "w", encoding="utf-8") as file:
        file.write("kept")
    done = tap.dcl("export", "p.dcl", "--entry", "net", "-o", "there.onnx")
    with open(there, encoding="utf-8") as file:
        kept = file.read()
    os.remove(there)
    tap.is_str((done, kept), ((1, "", "error: cannot write %s: it is there already\n" % there +
                               "   help: --force writes over it, -o PATH writes elsewhere\n"),
                              "kept"), "%s stays" % there)
for to, name in (("net.txt", "net.onnx"), ("a.b/net", "a.b/net.onnx"),
                 ("a.b/.onnx", "a.b/model.onnx")):
    done = tap.dcl("export", "p.dcl", "--entry", "net", "-o", to)
    tap.is_str(done, (1, "", "error: cannot write %s: the name does not end in .onnx\n" % to +
                      "   help: a model is written: -o %s\n" % name), "refused: " + to)
for options, want in (
        ([], "dcl: export wants --entry, the function that is meant, as in: dcl export p.dcl "
             "--entry NAME\n"),
        (["--entry", "net"], "dcl: export wants one file, --entry NAME and -o MODEL.onnx\n"),
        (["--entry", "net", "-o", "m.onnx", "--opset", "x"],
         "dcl: --opset wants a number, not 'x'\n"),
        (["--entry", "net", "-o", "m.onnx", "--opset", "9"],
         "error: --opset is a version from 17 to 21, not 9\n")):
    status, _, errors = tap.dcl("export", "p.dcl", *options)
    tap.ok(status != 0 and errors == want, "refused: " + " ".join(options), errors)
status, _, errors = tap.dcl("export", "p.dcl", "--entry", "net", "-o", "none/m.onnx")
tap.is_str((status, errors),
           (1, "error: cannot write none/m.onnx: No such file or directory\n"), "no such folder")

tap.done_testing()
