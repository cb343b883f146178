#!/usr/bin/env python3
"""run.t: models in the place of programs: dcl run MODEL.onnx, and load("MODEL.onnx")."""

import os
import shutil

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import Graph, block, integer, model, node, tensor, value  # noqa: E402

F32, I64 = 1, 7
HERE = os.path.join(tap.SRC, "tests", "onnx")
rng = numpy.random.default_rng(5)
os.environ["DCL_VERIFY"] = "1"


def f4(*shape):
    return rng.standard_normal(shape).astype("f4")


def save(data, name="m.onnx"):
    with open(name, "wb") as file:
        file.write(data)


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def runs(what, want, *options, path="m.onnx"):
    """dcl run PATH gives the array WANT as y, on both back-ends."""
    for backend in "ref", "cpu":
        done = tap.dcl("run", path, "--backend", backend, "--output", "y=y.npy", *options)
        if tap.is_str(done, (0, "", ""), "%s: dcl run on %s" % (what, backend)):
            tap.is_close(numpy.load("y.npy"), want, "%s: its values on %s" % (what, backend))
            os.remove("y.npy")


def refused(what, words, *options, status=1, command="run", path="m.onnx"):
    got, _, errors = tap.dcl(command, path, *options)
    tap.ok(got == status and all(w in errors for w in words), what, got, errors)


def said(session, line):
    """What is wrong with the line."""
    try:
        return session.line(line) and "nothing"
    except dclpy.Error as e:
        return str(e)


# --- a model as exporters write it ----------------------------------------------------------------

os.mkdir("there")
shutil.copy(os.path.join(HERE, "mlp.onnx"), "there")
x, want = (numpy.load(os.path.join(HERE, "mlp_%s.npy" % k)) for k in "xy")
numpy.save("x.npy", x)
runs("mlp", want, "--input", "x=x.npy", path="there/mlp.onnx")
runs("its entry said", want, "--input", "x=x.npy", "--entry", "model", path="there/mlp.onnx")
runs("its batch said", want, "--input", "x=x.npy", "--dim", "batch=7", path="there/mlp.onnx")
runs("threads", want, "--input", "x=x.npy", "--threads", "2", path="there/mlp.onnx")
done = tap.dcl("run", "there/mlp.onnx", "--input", "x=x.npy", "--output", "0=y.npy", "--check")
tap.ok(done == (0, "", "") and numpy.allclose(numpy.load("y.npy"), want, 1e-4), "--check", done)
status, output, errors = tap.dcl("run", "there/mlp.onnx", "--input", "x=x.npy")
tap.ok(status == 0 and output.endswith("f32[7, 10]\n") and not errors, "else the result is printed",
       output, errors)
tap.is_str(sorted(os.listdir("there")), ["mlp.onnx"], "nothing is written beside the model")
tap.is_str(sorted(os.listdir(".")), ["cache", "there", "x.npy", "y.npy"], "nor here")

refused("an input is missing", ["x is missing"], path="there/mlp.onnx")
refused("an input that the model has not", ["--input z", "no such parameter", "it takes x"],
        "--input", "z=x.npy", status=2, path="there/mlp.onnx")
refused("an output that the model has not", ["--output 3", "it gives y"], "--input", "x=x.npy",
        "--output", "3=y.npy", status=2, path="there/mlp.onnx")
numpy.save("wrong.npy", x[:, :5])
refused("an input of another shape", ["x", "16", "5"], "--input", "x=wrong.npy",
        path="there/mlp.onnx")
refused("an input that is no file", ["nothing.npy"], "--input", "x=nothing.npy",
        path="there/mlp.onnx")
refused("a dimension that the model has not", ["Q=3", "no such dimension"], "--dim", "Q=3",
        path="there/mlp.onnx")
refused("a size that is none", ["batch=-1", "no size"], "--dim", "batch=-1", path="there/mlp.onnx")
refused("another entry", ["--entry net", "a model is called model"], "--entry", "net", status=2,
        path="there/mlp.onnx")
refused("no file", ["cannot read none.onnx"], path="none.onnx")
save(b"no model")
refused("no model", ["cannot read m.onnx", "no ONNX model"])

# --- the other commands ---------------------------------------------------------------------------

MLP = "there/mlp.onnx"
tap.is_str(tap.dcl("check", MLP), (0, "", ""), "dcl check")
status, output, errors = tap.dcl("show", MLP, "--after", "lower", "--dim", "batch=3")
tap.ok(status == 0 and "x: f32[3, 16]" in output, "dcl show, with a size", output, errors)
status, output, errors = tap.dcl("show", MLP, "--after", "lower", "--shape", "x=f32[7,16]")
tap.ok(status == 0 and "x: f32[7, 16]" in output, "dcl show, with a shape", output, errors)
status, output, errors = tap.dcl("movement", MLP)
tap.ok(status == 0 and "64*batch" in output, "dcl movement", output, errors)
status, output, errors = tap.dcl("bench", MLP, "--json", "--input", "x=x.npy")
tap.ok(status == 0 and '"median"' in output, "dcl bench", output, errors)
status, output, errors = tap.dcl("profile", MLP, "--dim", "batch=2")
tap.ok(status == 0 and "mlp.onnx:" in output, "dcl profile tells lines of the program", output,
       errors)
for command in "fmt", "doc", "test":
    refused("dcl %s wants a program" % command, ["dcl import makes one"], status=2,
            command=command, path=MLP)
save(model(node("Nonsense", ["x"], ["y"]), inputs=[value("x", F32, [2])],
           outputs=[value("y", F32, [2])]))
for command in "check", "run", "show", "bench":
    refused("dcl %s tells what cannot be imported" % command,
            ["cannot import m.onnx: 1 problem", "Nonsense"], command=command)

# --- inputs ---------------------------------------------------------------------------------------

save(model(node("Identity", ["w"], ["y"]), outputs=[value("y", F32, [2])],
           weights=[tensor("w", f4(2) * 0 + 3)]))
runs("a model without inputs", [3, 3])

a, w = f4(2, 3), f4(3)
numpy.save("a.npy", a)
save(model(node("Mul", ["in.0/x", "w"], ["t"]), node("Add", ["t", "v"], ["y"]),
           inputs=[value("in.0/x", F32, ["n", 3]), value("w", F32, [3])],
           outputs=[value("y", F32, ["n", 3])],
           weights=[tensor("w", w), tensor("v", numpy.float32(0.5))]))
runs("an input with a value, one with an unusual name", a * w + 0.5, "--input", "in_0_x=a.npy")
runs("a size by the file's name", a * w + 0.5, "--input", "in_0_x=a.npy", "--dim", "in.0/x[0]=2")

# Sizes that are open are those of the inputs: here a part of x is a tensor of its own only for 4.
save(model(node("Shape", ["x"], ["s"]), node("Sub", ["s", "four"], ["none"]),
           node("Add", ["none", "one"], ["shape"]), node("Reshape", ["k", "shape"], ["y"]),
           inputs=[value("x", F32, ["n"]), value("k", F32, [])], outputs=[value("y", F32, [1])],
           weights=[tensor("four", numpy.array([4])), tensor("one", numpy.array([1]))]))
numpy.save("four.npy", f4(4))
runs("a number is known before the import", [2.5], "--input", "x=four.npy", "--input", "k=2.5")
runs("and so is --set", [2.5], "--input", "x=four.npy", "--set", "k=2.5")
numpy.save("wide.npy", numpy.load("four.npy").astype("f8"))
runs("an argument is read and converted", [2.5], "--set", 'x=f32(load("wide.npy"))', "--set",
     "k=2.5")
refused("another size", ["cannot import m.onnx"], "--input", "x=x.npy", "--input", "k=1")

save(model(node("Gather", ["x", "k"], ["y"]), inputs=[value("x", F32, ["n"]), value("k", I64, [2])],
           outputs=[value("y", F32, [2])]))
runs("a list that is known", numpy.load("four.npy")[[2, 0]], "--input", "x=four.npy", "--set",
     "k=[2, 0]")
refused("a value that is none", ["k=7.5"], "--input", "x=four.npy", "--input", "k=7.5")

# --- where the weights are ------------------------------------------------------------------------

# Elements in a list, raw at each offset to their size, of all sizes; in another file.
# Fewer numbers would be known to the import.
MANY = 5000
kinds = {"f4": F32, "f8": 11, "i8": I64, "i4": 6, "u1": 2, "b1": 9, "f2": 10}
for pad in range(8):
    arrays = {k: rng.integers(0, 2, MANY).astype(k) for k in kinds}
    data = model(*[node("Cast", ["w" + k], ["c" + k], to=F32) for k in kinds],
                 node("Sum", ["c" + k for k in kinds], ["y"]), outputs=[value("y", F32, [MANY])],
                 weights=[tensor("w" + k, arrays[k]) for k in kinds])
    save(integer(1, 8) + block(2, "p" * pad) + data)
    runs("weights %d bytes further" % pad, sum(v.astype("f4") for v in arrays.values()))
other = f4(3)
with open("w.bin", "wb") as file:
    file.write(b"1234" + other.tobytes() + b"5" + other.tobytes())


def outside(name, offset):
    """A weight in w.bin."""
    entries = ("location", "w.bin"), ("offset", str(offset)), ("length", "12")
    return (integer(1, 3) + integer(2, F32) + block(8, name) + integer(14, 1) +
            b"".join(block(13, block(1, k) + block(2, v)) for k, v in entries))


save(model(node("Add", ["w", "u"], ["y"]), outputs=[value("y", F32, [3])],
           weights=[outside("w", 4), outside("u", 17)]))
runs("weights in another file", other + other)

# The memory of the import has been used for other things when they are read.
numbers = integer(1, MANY) + integer(2, 6) + block(8, "n") + block(5, bytes([7] * MANY))
flags = tensor("f", numpy.ones(MANY, "b1"))
for backend in "ref", "cpu":
    save(model(node("Cast", ["n"], ["a"], to=F32), node("Cast", ["f"], ["b"], to=F32),
               node("Add", ["a", "b"], ["y"]), outputs=[value("y", F32, [MANY])],
               weights=[numbers, flags]))
    with dclpy.Session("cache=off backend=" + backend) as s:
        s.run('net = load("m.onnx")')
        s.run('for k in 0:20 { m = load("there/mlp.onnx") }\nx = load("x.npy")\ny = m(x)')
        tap.is_close(s.call("net"), [8] * MANY, "a list, and truth values, on " + backend)

# --- scripts and the prompt -----------------------------------------------------------------------

with dclpy.Session("cache=off") as s:
    s.run_file(MLP)
    tap.is_close(s.call("model", x), want, "run_file makes model")
    s.run('a = load("there/mlp.onnx")\nb = load("%s/there/mlp.onnx")\n'
          'x = load("x.npy")\nprint(sum(abs(a(x) - b(x))))' % os.getcwd())
    tap.is_close(s.call("a", x[:2]), want[:2], "load makes an instance")
    s.run('c = load("there/mlp.onnx", dims = [("batch", 3)])')
    tap.is_close(s.call("c", x[:3]), want[:3], "of known sizes")
    tap.ok("3 from the signature and 7 from x" in said(s, "c(x)"), "and of no others")
    s.run('for k in 0:3 { d = load("there/mlp.onnx");  y = d(x) }')
    s.run("for k in 0:300 { e = sum(d(x[0:1, :])) }\nassert(abs(e - 1) < 0.001)")
    tap.is_close(s.call("d", x), want, "in a loop; it outlives what is collected")
    s.run('save(a, "a.npz")')
    tap.is_str(sorted(numpy.load("a.npz")),
               sorted("fc%d.%s" % (k, n) for k in (1, 2, 3) for n in ("weight", "bias")),
               "its states have their names")
    for words, what in (('load("there/mlp.onnx", name = "x")', "a name"),
                        ('load("there/mlp.onnx", dims = [("batch", 1.5)])', "no size"),
                        ('load("there/mlp.onnx", dims = 3)', "no pairs"),
                        ('load("x.npy", dims = [("batch", 1)])', "sizes of a tensor"),
                        ('load("there/mlp.onnx", set = [("x", "y")])', "a text")):
        tap.ok("load takes other arguments" in said(s, words), "load refuses " + what)
    for words, what, want in (
            ('use "there/mlp.onnx"', 'load("', "use says load"),
            ('fn f(x: f32[2]) -> f32[2] { m = load("there/mlp.onnx");  x }\nf(x[0, 0:2])',
             "belongs to scripts", "not in a function"),
            ('z = load("there/none.onnx")', "<repl>:1:5: error: cannot read there/none.onnx",
             "with its place"),
            ('z = load("m.onnx", dims = [("n", 4)], set = [("k", [0, 9])])',
             "<repl>:1:5: error: cannot import m.onnx", "with its place")):
        tap.ok(what in said(s, words), want, said(s, words))

status, output, errors = tap.run(
    tap.DCL, input=':load there/mlp.onnx\n:type model\n:load none.onnx\nmodel = 3\n'
                   ':load m.onnx\nmodel.fc1\n:save all.dcl\n')[0:3]
tap.ok("Model, fn forward(x: f32[batch, 16]) -> y: f32[batch, 10]" in output and
       "cannot read none.onnx" in errors, ":load", output, errors)
tap.is_str(text_of("all.dcl"),
           'model = load("there/mlp.onnx")\nmodel = 3\nmodel = load("m.onnx")\n',
           ":save writes the statements that do the same")

tap.done_testing()
