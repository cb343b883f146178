#!/usr/bin/env python3
"""import.t: what `dcl import` makes of small models, and what it says of those it cannot have.

The values are compared with NumPy's; models.py writes the files.
"""

import json
import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import Graph, attribute, block, integer, model, node, tensor, value  # noqa: E402
from programs import imported, is_computed  # noqa: E402

F32, I64, COMPLEX = 1, 7, 14
rng = numpy.random.default_rng(1)


def f4(*shape):
    return rng.standard_normal(shape).astype("f4")


def save(data, name="m"):
    with open(name + ".onnx", "wb") as file:
        file.write(data)


def computes(data, arguments, want, what, backends=("ref",), *options):
    text = imported(data, what, *options)
    is_computed(arguments, want, what, backends)
    return text


def lines_of(text, method="forward"):
    """The lines of the body of the method."""
    body = text.split("fn %s(" % method)[1].split("{\n")[1].split("\n  }")[0]
    return [line.strip() for line in body.splitlines()]


# --- Gemm, in all its forms -------------------------------------------------------------------

a, b = f4(5, 3), f4(3, 4)
for t_a, t_b, c, alpha, beta in ((0, 0, f4(4), 1.0, 1.0), (1, 0, f4(1, 4), 0.5, 1.0),
                                 (0, 1, f4(5, 1), 1.0, 0.1), (1, 1, f4(5, 4), -2.0, 3.0),
                                 (0, 0, f4(), 1.0, 1.0), (0, 1, None, 1.0, 1.0)):
    x, w = (a.T if t_a else a).copy(), (b.T if t_b else b).copy()
    weights = [tensor("w", w)] + ([] if c is None else [tensor("c", c)])
    data = model(node("Gemm", ["x", "w"] + ([] if c is None else ["c"]), ["y"], alpha=alpha,
                      beta=beta, transA=t_a, transB=t_b),
                 inputs=[value("x", F32, ["n", 5] if t_a else ["n", 3])],
                 outputs=[value("y", F32, [5, 4] if t_a else ["n", 4])], weights=weights)
    text = computes(data, [x], [alpha * (a @ b) + (0 if c is None else beta * c)],
                    "Gemm of C%s" % (None if c is None else list(c.shape)), ("ref", "cpu"))
tap.is_str(lines_of(text), ["y = linear(x)"], "what is as usual is not written")

# --- the others -------------------------------------------------------------------------------

x, w, v = f4(2, 3), f4(3, 3), f4(3)
text = computes(
    model(node("Identity", ["sum"], ["same"]), node("Relu", ["same"], ["/act/Relu_output_0"]),
          node("Softmax", ["/act/Relu_output_0"], ["y"]), node("Identity", ["x"], ["z"]),
          node("MatMul", ["x", "w"], ["MatMul:0"]), node("Add", ["MatMul:0", "v"], ["sum"]),
          inputs=[value("x", F32, [2, 3]), value("w", F32, [3, 3])],
          outputs=[value("y", F32, [2, 3]), value("z", F32, [2, 3]), value("v", F32, [3])],
          weights=[tensor("w", w), tensor("v", v), tensor("unused", numpy.array([1, 2], "i8")),
                   tensor("flag", numpy.array(True))]), [x],
    [(e := numpy.exp(numpy.maximum(x @ w + v, 0))) / e.sum(1, keepdims=True), x, v],
    "nodes out of order, weights among the inputs, several outputs")
tap.is_str(lines_of(text),
           ["linear_out = linear(x)", "act_relu = relu(linear_out)", "y = softmax(act_relu)",
            "z = x", "v = linear.bias"], "in order")
tap.ok("unused" not in text and "flag" not in text, "without weights that nothing reads", text)

# --- names of values -----------------------------------------------------------------------------

text = imported(
    model(node("Relu", ["x"], ["/layer1/layer1.0/relu/Relu_output_0"]),
          node("Abs", ["/layer1/layer1.0/relu/Relu_output_0"], ["/layer1/layer1.0/Abs_output_0"]),
          node("Relu", ["/layer1/layer1.0/Abs_output_0"],
               ["/layer1/layer1.0/relu_1/Relu_output_0"]),
          node("Relu", ["/layer1/layer1.0/relu_1/Relu_output_0"], ["/relu/Relu_output_0"]),
          node("Relu", ["/relu/Relu_output_0"], ["//"]), node("Relu", ["//"], ["y"]),
          inputs=[value("x", F32, [2])], outputs=[value("y", F32, [2])]), "names of scopes")
tap.is_str([line.split(" = ")[0] for line in lines_of(text)],
           ["layer1_0_relu", "layer1_0_abs", "layer1_0_relu_1", "relu_relu", "v", "y"],
           "say each thing once")

# --- sizes -------------------------------------------------------------------------------------

x = f4(6, 4)
text = computes(
    model(node("Shape", ["x"], ["s"]), node("Gather", ["s", "one"], ["c"]),
          node("Div", ["c", "two"], ["half"]), node("Unsqueeze", ["half", "zero"], ["h"]),
          node("Concat", ["minus", "h", "pair"], ["to"], axis=0),
          node("Reshape", ["x", "to"], ["parts"]),
          node("Equal", ["half", "two"], ["is"]),
          node("If", ["is"], ["chosen"],
               then_branch=Graph(node("Mul", ["parts", "three"], ["t"]),
                                 outputs=[value("t", F32, [])],
                                 weights=[tensor("three", numpy.float32(3)[None])]),
               else_branch=Graph(node("Nonsense", ["parts"], ["t"]),
                                 outputs=[value("t", F32, [])])),
          node("ReduceSum", ["chosen", "axes"], ["y"], keepdims=0),
          inputs=[value("x", F32, ["batch", 4]), value("axes", I64, [1])],
          outputs=[value("y", F32, ["a", "b"])],
          weights=[tensor("one", numpy.int64(1)), tensor("two", numpy.int64(2)),
                   tensor("zero", numpy.array([0])), tensor("minus", numpy.array([-1])),
                   tensor("pair", numpy.array([2]))]), [x],
    [3 * x.reshape(-1, 2, 2).sum(2)], "shape arithmetic is done, conditions that are known choose",
    ("ref", "cpu"), "--set", "axes=[2]")
tap.is_str(lines_of(text), ["parts = onnx_reshape(x, [-1, 2, 2])", "t = parts * three",
                            "y = onnx_reduce_sum(t, [2], keepdims = 0)"], "numbers stand there")
tap.ok("forward(x: f32[batch, 4]) -> y: f32[batch, 2]" in text, "the shape follows", text)
text = computes(model(node("Shape", ["x"], ["s"]), node("Cast", ["s"], ["y"], to=F32),
                      node("Range", ["zero", "n", "step"], ["r"]),
                      inputs=[value("x", F32, ["m", "k"])],
                      outputs=[value("y", F32, [2]), value("s", I64, [2]), value("r", I64, ["?"])],
                      weights=[tensor("zero", numpy.int64(0)), tensor("n", numpy.int64(7)),
                               tensor("step", numpy.int64(3))]), [x],
                [numpy.array([6, 4], "f4"), numpy.array([6, 4]), numpy.array([0, 3, 6])],
                "sizes as results")
text = imported(model(node("Reshape", ["x", "to"], ["y"]),
                      inputs=[value("x", F32, ["m", "?", "?"])],
                      outputs=[value("y", F32, [])],
                      weights=[tensor("to", numpy.array([0, -1]))]), "dimensions without names",
                "--dim", "m=3", "--dim", "x[2]=5")
tap.ok("x: f32[3, n, 5]) -> y: f32[3, 5 * n]" in text, "and those that are given", text)

text = computes(model(node("Constant", [], ["k"], value_float=0.1),
                      node("Constant", [], ["m"], value_floats=[0.3, 1e-5]),
                      node("Mul", ["x", "k"], ["p"]), node("MatMul", ["p", "q"], ["r"]),
                      node("Identity", ["m"], ["n"]), node("Add", ["n", "k"], ["z"]),
                      inputs=[value("x", F32, [6, 4])], weights=[tensor("q", f4(4))],
                      outputs=[value("p", F32, [6, 4]), value("z", F32, [2]),
                               value("r", F32, [6])]), [x],
                [x * numpy.float32(0.1), numpy.array([0.4, 0.10001], "f4")],
                "numbers, and a product by a vector")
tap.ok("p = x * 0.1\n" in text and "onnx_matmul(p, q)" in text and "0.30000001" not in text,
       "in few digits", text)
os.remove("m.safetensors")  # of the current folder, where a program looks first

# --- elements in other files --------------------------------------------------------------------


def away(name, shape, **entries):
    return (b"".join(integer(1, d) for d in shape) + integer(2, 1) + block(8, name) +
            integer(14, 1) + b"".join(block(13, block(1, k) + block(2, v))
                                      for k, v in entries.items()))


w = f4(3, 2)
os.makedirs("beside", exist_ok=True)
with open("beside/data.bin", "wb") as file:
    file.write(b"12345" + w.tobytes())
with open("outside.bin", "wb") as file:
    file.write(bytes(100))
if not os.path.lexists("beside/link"):
    os.symlink("../outside.bin", "beside/link")


def reads(**entries):
    data = model(node("MatMul", ["x", "w"], ["y"]), inputs=[value("x", F32, [2, 3])],
                 outputs=[value("y", F32, [2, 2])], weights=[away("w", (3, 2), **entries)])
    with open("beside/m.onnx", "wb") as file:
        file.write(data)
    return tap.dcl("import", "beside/m.onnx", "-o", "beside/m.dcl", "--force")


tap.is_int(reads(location="data.bin", offset="5", length="24", checksum="x")[0], 0, "other files")
with dclpy.Session("backend=ref") as s:
    s.run_file("beside/m.dcl")
    x = f4(2, 3)
    tap.is_close(s.call("model", x), x @ w, "elements from another file")
for words, entries in (("beyond the end", {"location": "data.bin", "offset": "6"}),
                       ("beyond the end", {"location": "data.bin", "offset": "9" * 15}),
                       ("asks for 24", {"location": "data.bin", "length": "20"}),
                       ("is no number", {"location": "data.bin", "offset": "-1"}),
                       ("is no number", {"location": "data.bin", "offset": "9" * 40}),
                       ("not beside", {"location": "../outside.bin"}),
                       ("not beside", {"location": "link"}),
                       ("not beside", {"location": os.path.abspath("outside.bin")}),
                       ("not beside", {"location": ""}), ("not beside", {}),
                       ("No such file", {"location": "none.bin"}),
                       ("not beside", {"location": "."})):
    status, _, errors = reads(**entries)
    tap.ok(status == 1 and words in errors, "refused: %s" % entries, errors)

# --- element types ------------------------------------------------------------------------------

TYPES = {"f16": (10, "f2", 5), "bf16": (16, "u2", 5), "i8": (3, "i1", 5), "i16": (5, "i2", 5),
         "i32": (6, "i4", 5), "i64": (7, "i8", 7), "u8": (2, "u1", 5), "u16": (4, "u2", 5),
         "u32": (12, "u4", 11), "u64": (13, "u8", 11), "bool": (9, "?", 5)}
weights, want = [], {}
for kind, (number, code, field) in TYPES.items():
    bits = numpy.arange(-2, 3).astype(code)
    numbers = [int(v) for v in (bits.view("u2") if kind == "f16" else bits)]
    weights.append(tensor("raw_" + kind, bits, number))
    weights.append(integer(1, len(bits)) + integer(2, number) + block(8, "list_" + kind) +
                   b"".join(integer(field, v % 2**64) for v in numbers))
    want["raw_" + kind] = want["list_" + kind] = bits.tobytes()
outputs = [value(prefix + kind, number, [5]) for kind, (number, _, _) in TYPES.items()
           for prefix in ("raw_", "list_")]
text = imported(model(node("Relu", ["x"], ["y"]), inputs=[value("x", F32, [2, 3])],
                      outputs=[value("y", F32, [2, 3])] + outputs, weights=weights),
                "weights of all element types")
with open("m.safetensors", "rb") as file:
    content = file.read()
start = 8 + int.from_bytes(content[:8], "little")
header = json.loads(content[8:start])
got = {key: content[start + one["data_offsets"][0]:start + one["data_offsets"][1]]
       for key, one in header.items() if key in want}
tap.ok(got == want, "as bytes and as numbers", got, want)
tap.ok(all("param raw_%s: %s[5]" % (kind, kind) in text for kind in TYPES), "with their types",
       text)

# --- names ------------------------------------------------------------------------------------

keys = ["net.0.w", "net.2.w", "net.3.w", "map.w", "a", "a.b", "onnx::Add_3", "0.w", "relu.w", "x",
        "deep.er.0.weight", "deep.er.0.bias", "..", ".".join("k" * 20), "\n\u00e9", "Model.q"]
arrays = [f4(3) for _ in keys]
arrays[10] = f4(2, 3)
arrays[11] = f4(2)
nodes, last = [], "the input"
for k, key in enumerate(keys):
    if k not in (10, 11):
        nodes.append(node("Add", [last, key], ["%d" % k]))
        last = "%d" % k
nodes.append(node("Gemm", [last, keys[10], keys[11]], ["fn"], transB=1))
x = f4(3)[None]
text = computes(model(*nodes, inputs=[value("the input", F32, ["batch size", 3])],
                      outputs=[value("fn", F32, ["batch size", 2])],
                      weights=[tensor(k, w) for k, w in zip(keys, arrays)]), [x],
                [(x + sum(w for k, w in enumerate(arrays) if k not in (10, 11)))
                 @ arrays[10].T + arrays[11]], "difficult names")
for part in ("net = [Net(), none, Net(), Net()]", "map_2 = ", "param a: ", "a_2 = A2()",
             "param onnx_Add_3: ", "_0 = ", "relu_2 = ", "param x: ", "deep = Deep()",
             "er = [Linear(3, 2)]", "Model = Model_2()", "fn forward(the_input: f32[batch_size, 3])"
             " -> fn_2: f32[batch_size, 2] {", "v0 = the_input + net[0].w", "v1 = v0 + net[2].w",
             "## The weight map.w is now map_2.w."):
    tap.ok(part in text, "it says " + part, text)
with dclpy.Session("backend=ref") as s:
    s.run_file("m.dcl")
    s.run('save(model, "names.npz")')
got = dict(numpy.load("names.npz"))
tap.ok(all(k in got and (got[k] == w).all() for k, w in zip(keys, arrays)
           if k in ("net.0.w", "net.2.w", "a", "x", "deep.er.0.weight", "deep.er.0.bias",
                    "Model.q")),
       "names that DCL can say are kept", sorted(got))
tap.is_int(len(got), len(keys), "and no weight is lost")

# --- what cannot be imported: all of it at once -------------------------------------------------

save(model(node("Foo", ["x"], ["a"], name="first"),
           node("Relu", ["a"], ["b"], name="/act/Relu", domain="com.example"),
           node("Softmax", ["b", "x"], ["c"], name="two inputs"),
           node("Gemm", ["c", "w"], ["d"], name="gemm", alpha=1, gamma=2.0, transB="yes"),
           node("Relu", ["nowhere"], ["e"]),
           node("Relu", ["g"], ["f"], name="loop 1"), node("Relu", ["f"], ["g"], name="loop 2"),
           node("Add", ["d", "h"], ["y", "second"], name="two outputs"),
           node("Add", ["d", "d"], ["x"], name="again"),
           inputs=[value("x", F32, ["n", 3]), value("h", COMPLEX, [1]),
                   block(1, "s") + block(2, b"")],
           outputs=[value("y", F32, ["m", None]), value("none", F32, [1]), value("y", F32, [1])],
           weights=[tensor("w", f4(3, 3)[:2], COMPLEX), tensor("short", f4(2)) + integer(1, 3),
                    tensor("minus", f4(0)) + integer(1, -1),
                    tensor("large", f4(1)) + integer(1, 1 << 62) + integer(1, 4),
                    tensor("away", f4(2)) + integer(14, 1)],
           extra=block(15, block(1, tensor("sparse", f4(2)))), opset=17))
status, output, errors = tap.dcl("import", "m.onnx", "-o", "no.dcl")
for line in ("weight w: DCL has no element type complex64",
             "weight short: 8 bytes of elements, its shape asks for 24",
             "weight minus: its shape is impossible", "weight large: its shape is impossible",
             "weight away: its elements are in , which is not beside the model",
             "weight sparse: sparse tensors are not read", "two things are called x",
             "input h: DCL has no element type complex64", "input s: it is no tensor",
             "node first (Foo, version 17, domain ai.onnx): the operator is not known",
             "node /act/Relu (Relu, no version, domain com.example): the operator is not known",
             "node two inputs (Softmax, version 17, domain ai.onnx): 2 inputs, some perhaps left "
             "out, where it has 1 to 1",
             "node gemm (Gemm, version 17, domain ai.onnx): the attribute alpha is no number",
             "node gemm (Gemm, version 17, domain ai.onnx): the attribute gamma is not known",
             "node gemm (Gemm, version 17, domain ai.onnx): the attribute transB is no whole "
             "number",
             "node of e (Relu, version 17, domain ai.onnx): nothing makes its input nowhere",
             "it reads f, which is made from what it makes",
             "node two outputs (Add, version 17, domain ai.onnx): 2 outputs, where it has 1",
             "output none: nothing makes it", "output y: it is listed twice"):
    tap.ok(line in errors, line, errors)
tap.ok(errors.startswith("error: cannot import m.onnx: 20 problems\n") and
       errors.count("note: ") == 20, "their number", errors)
tap.is_int(status, 1, "the status")
tap.ok(not os.path.exists("no.dcl") and not os.path.exists("no.safetensors"), "nothing is written")


def refused(data, words, what, *options):
    save(data)
    before = sorted(os.listdir("."))
    status, output, errors = tap.dcl("import", "m.onnx", "--force", *options)
    tap.ok(status == 1 and output == "" and words in errors, what, errors)
    tap.is_str(sorted(os.listdir(".")), before, what + ": nothing is written")


x_to_y = {"inputs": [value("x", F32, [2, 3])], "outputs": [value("y", F32, [2, 3])]}
relu = model(node("Relu", ["x"], ["y"]), **x_to_y)
refused(b"", "empty", "an empty file")
refused(b"\x08", "at byte 1", "half a number")
refused(b"# A text", "m.onnx: it is no ONNX model, or a damaged one: ", "a text")
refused(integer(1, 8), "there is no graph in it", "no graph")
refused(model(**x_to_y), "output y: nothing makes it", "no nodes")
refused(model(node("Swish", ["x"], ["y"]), opset=12, **x_to_y),
        "the operator is known from version 24 on", "an old version")
refused(relu, "cannot write nosuch/m.dcl: No such file or directory", "a folder that is not there",
        "-o", "nosuch/m.dcl")
refused(model(node("Relu", ["x"], ["y"]), opset=1000, **x_to_y), "newer than", "a new version")
refused(model(node("Relu", ["x"], ["y"]), opset=0, **x_to_y),
        "the file does not say which version", "no version")
refused(model(node("Relu", ["x"], ["y"]),
              inputs=[block(1, "x") + block(2, block(1, integer(1, 1)))],
              outputs=[value("y", F32, [2])]), "its shape is not given", "an input of any shape")
refused(model(node("Relu", ["x"], ["y"]) + block(5, attribute("a", 1)), **x_to_y),
        "the attribute a is not known", "an attribute")
by_data = model(node("Reshape", ["x", "to"], ["y"]),
                inputs=[value("x", F32, [2, 3]), value("to", I64, [1])],
                outputs=[value("y", F32, [6])])
refused(by_data, "its input to must be known when the model is imported", "a size by data")
refused(by_data, "to=[: this is no number", "a value that is none", "--set", "to=[")
refused(by_data, "reshape: [2, 3] has 6 elements, [4] wants 4", "a size that does not fit", "--set",
        "to=[4]")
refused(relu, "does not end in .dcl", "another name", "-o", "m.txt")
refused(relu, "No such file", "no such folder", "-o", "nowhere/m.dcl")
os.makedirs("folder.dcl")
refused(relu, "it is a folder", "a folder", "-o", "folder.dcl")
status, _, errors = tap.dcl("import", "nothing.onnx")
tap.ok(status == 1 and "No such file" in errors, "no such file", errors)
status, _, errors = tap.dcl("import")
tap.ok(status == 2 and "wants one file" in errors, "no file", errors)
status, output, _ = tap.dcl("import", "--help")
tap.ok(status == 0 and "-o PATH" in output, "help", output)

# A model without weights is one file.
for old in "m.dcl", "m.safetensors":
    if os.path.exists(old):
        os.remove(old)
text = computes(relu, [f4(2, 3) * 0 - 1], [numpy.zeros((2, 3))], "no weights")
tap.ok(not os.path.exists("m.safetensors") and "load" not in text, "no weights, no file", text)
tap.done_testing()
