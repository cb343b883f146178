#!/usr/bin/env python3
"""mlp.t: an ONNX MLP, imported as DCL text, computes what ONNX Runtime does.

mlp.onnx, mlp_x.npy and mlp_y.npy are made by make_mlp.py, expected.dcl by a person.
"""

import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402

HERE = os.path.join(tap.SRC, "tests", "onnx")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def here(name):
    return os.path.join(HERE, name)


# The import: to where one is, and to where one says.
tap.is_str(tap.dcl("import", here("mlp.onnx")), (0, "", ""), "dcl import is silent")
tap.is_str(sorted(os.listdir(".")), ["cache", "mlp.dcl", "mlp.safetensors"], "two files")
tap.is_str(read("mlp.dcl"), read(here("expected.dcl")), "the text a person would have written")
os.mkdir("there")
tap.is_str(tap.dcl("import", here("mlp.onnx"), "-o", "there/net.dcl"), (0, "", ""), "with -o")
tap.is_str(sorted(os.listdir("there")), ["net.dcl", "net.safetensors"], "two files there")
again = read("there/net.dcl")
tap.is_str(again.replace("net.", "mlp."), read("mlp.dcl"), "the same text")
with open("mlp.dcl", "a", encoding="utf-8") as file:
    file.write("# edited\n")
edited = read("mlp.dcl")
status, _, errors = tap.dcl("import", here("mlp.onnx"))
tap.ok(status == 1 and "cannot write mlp.dcl: it is there already" in errors and
       "--force" in errors and read("mlp.dcl") == edited, "what is there stays", errors)
os.rename("mlp.dcl", "edited.dcl")
status, _, errors = tap.dcl("import", here("mlp.onnx"))
tap.ok(status == 1 and "cannot write mlp.safetensors" in errors and
       not os.path.exists("mlp.dcl"), "and so do the weights", errors)
os.rename("edited.dcl", "mlp.dcl")
status, _, errors = tap.dcl("import", here("mlp.onnx"), "--force")
tap.is_str((status, errors), (0, ""), "what is there is replaced with --force")
tap.is_str(read("mlp.dcl"), read(here("expected.dcl")), "by the same text")

status, output, errors = tap.dcl("check", "mlp.dcl")
tap.is_str((status, output, errors), (0, "", ""), "dcl check has nothing to say")

# The values, from the file's folder and from another.
want = numpy.load(here("mlp_y.npy"))
for backend in "ref", "cpu":
    for path in "mlp.dcl", "there/net.dcl":
        done = tap.dcl("run", path, "--backend", backend, "--entry", "model",
                       "--input", "x=" + here("mlp_x.npy"), "--output", "0=y.npy")
        tap.is_str(done, (0, "", ""), "%s: dcl run %s" % (backend, path))
        if os.path.exists("y.npy"):
            tap.is_close(numpy.load("y.npy"), want, "%s: as ONNX Runtime" % backend)
            os.remove("y.npy")
        else:
            tap.fail("%s: as ONNX Runtime" % backend)

    # Another batch, and the weights under their names.
    x = numpy.load(here("mlp_x.npy"))
    with dclpy.Session("backend=" + backend) as s:
        s.run_file("mlp.dcl")
        tap.is_close(s.call("model", x[2:5]), want[2:5], backend + ": another batch")
        s.run('save(model, "weights.npz")')
        tap.is_str(sorted(numpy.load("weights.npz")),
                   sorted("fc%d.%s" % (k, n) for k in (1, 2, 3) for n in ("weight", "bias")),
                   backend + ": the names of the weights")

tap.done_testing()
