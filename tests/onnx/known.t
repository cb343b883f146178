#!/usr/bin/env python3
"""known.t: what is computed when a model is imported, and what --set and --dim may say."""

import os

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402
from models import model, node, tensor, value  # noqa: E402

F32, I32, I64, BOOL = 1, 6, 7, 9
NUMBERS = {"f4": F32, "i4": I32, "i8": I64, "b1": BOOL, "u1": 2, "f2": 10}
x = numpy.zeros((100, 50), "f4")


def convert(data, *options):
    with open("m.onnx", "wb") as file:
        file.write(data)
    return tap.dcl("import", "m.onnx", "--force", *options)


def gives(what, want, *nodes, opset=17, **weights):
    """The program gives the array WANT, of its element type, and computes nothing for it."""
    want = numpy.array(want)
    data = model(*nodes, inputs=[value("x", F32, list(x.shape))], opset=opset,
                 outputs=[value("y", NUMBERS[want.dtype.str[1:]], list(want.shape))],
                 weights=[tensor(k, numpy.array(v)) for k, v in weights.items()])
    status = convert(data)
    if not tap.is_str(status, (0, "", ""), what):
        return
    for backend in "ref", "cpu":
        with dclpy.Session("backend=" + backend) as s:
            s.run_file("m.dcl")
            got = s.call("model", x)
        tap.ok(got.dtype == want.dtype and got.shape == want.shape and
               (got.astype(want.dtype) == want).all(), "%s, on %s" % (what, backend), got, want)


def floats(*numbers):
    return node("Constant", [], ["k"], value_floats=[float(v) for v in numbers])


shape = node("Shape", ["x"], ["s"])
as_float = node("Cast", ["s"], ["f"], to=F32)

# --- rounding is that of the element type ------------------------------------------------------

gives("a product of singles is rounded", numpy.array([29, 14]), shape, as_float, floats(0.29),
      node("Mul", ["f", "k"], ["p"]), node("Cast", ["p"], ["y"], to=I64))
gives("as is a sum", numpy.array([0], "f4"), floats(16777216), node("Cast", ["one"], ["o"], to=F32),
      node("Add", ["k", "o"], ["a"]), node("Sub", ["a", "k"], ["y"]), one=[1])
for kind, code in (("singles", "f4"), ("halves", "f2")):
    a, b = numpy.array([-4.3, 7.2], code), numpy.array([2.1, 3.6], code)
    gives("what is left of %s is that of the numbers they are, not of their texts" % kind,
          numpy.fmod(a, b), floats(-4.3, 7.2), node("Constant", [], ["m"], value_floats=[2.1, 3.6]),
          node("Cast", ["k"], ["c"], to=NUMBERS[code]),
          node("Cast", ["m"], ["d"], to=NUMBERS[code]),
          node("Mod", ["c", "d"], ["y"], fmod=1))
gives("whole numbers wrap", numpy.array([144], "u1"), node("Add", ["a", "a"], ["y"]),
      a=numpy.array([200], "u1"))
gives("as they are cast", numpy.array([255, 44], "u1"), node("Cast", ["a"], ["y"], to=2),
      a=[-1, 300])
gives("a fraction is not 0", numpy.array([False, True]), floats(0, 0.5),
      node("Cast", ["k"], ["y"], to=BOOL))
gives("a power of whole numbers is whole", numpy.array([0, 1, 7]),
      node("Pow", ["a", "b"], ["y"]), a=[7, 1, 7], b=[-1, -1, 1])
gives("and cut off", numpy.array([2, 3]), node("Pow", ["a", "b"], ["y"]), a=[7, 9],
      b=numpy.float32(0.5))

# --- more operators ----------------------------------------------------------------------------

for operator, want in (("ReduceProd", 5000), ("ReduceMax", 100), ("ReduceMin", 50)):
    gives(operator, numpy.zeros([want], "f4"), shape, node(operator, ["s"], ["r"]),
          node("ConstantOfShape", ["r"], ["y"]))
gives("ReduceSum", numpy.zeros([150], "f4"), shape, node("ReduceSum", ["s", "a"], ["r"]),
      node("ConstantOfShape", ["r"], ["y"]), a=[0])
for operator, want in (("Floor", [12, 6]), ("Ceil", [13, 7])):
    gives(operator, numpy.zeros(want, "f4"), shape, as_float, floats(0.125),
          node("Mul", ["f", "k"], ["p"]), node(operator, ["p"], ["q"]),
          node("Cast", ["q"], ["r"], to=I64), node("ConstantOfShape", ["r"], ["y"]))
gives("Abs, LessOrEqual, GreaterOrEqual, Xor", numpy.zeros([2, 48], "f4"), shape,
      node("Sub", ["a", "s"], ["d"]), node("Abs", ["d"], ["e"]),
      node("LessOrEqual", ["e", "b"], ["l"]), node("GreaterOrEqual", ["e", "b"], ["g"]),
      node("Xor", ["l", "g"], ["o"]), node("Where", ["o", "e", "zero"], ["r"]),
      node("ConstantOfShape", ["r"], ["y"]), a=98, b=[50], zero=0)
gives("a range of fractions", numpy.arange(0, 1, 0.25, "f4"), node("Range", ["a", "b", "c"], ["y"]),
      a=numpy.float32(0), b=numpy.float32(1), c=numpy.float32(0.25))

# --- nothing has a type and a shape, too -------------------------------------------------------

none = numpy.zeros([0], "i8")
gives("no elements", numpy.zeros([0], "i4"), node("Slice", ["a", "two", "one"], ["y"]),
      a=numpy.array([1, 2, 3], "i4"), one=[1], two=[2])
gives("a range of nothing", numpy.zeros([0], "f4"), node("Range", ["a", "a", "b"], ["y"]),
      a=numpy.float32(5), b=numpy.float32(1))
gives("dimensions beside it", numpy.zeros([0, 1], "i8"), node("Unsqueeze", ["a", "one"], ["y"]),
      a=none, one=[1])
gives("and inside", numpy.zeros([0, 3], "i8"), node("Add", ["a", "one"], ["y"]),
      a=numpy.zeros([0, 3], "i8"), one=1)
gives("from another shape", numpy.zeros([0, 3], "i8"),
      node("Reshape", ["a", "to"], ["y"], allowzero=1), a=none, to=[0, 3])
gives("before something", numpy.array([100, 50]), shape, node("Slice", ["s", "two", "one"], ["e"]),
      node("Concat", ["e", "s"], ["y"], axis=0), one=[1], two=[2])

# --- many operands -----------------------------------------------------------------------------

many = 3000
for operator, want in (("Sum", many), ("Max", 1), ("Mean", 1)):
    ones = numpy.ones((2,), "f4")
    data = model(node(operator, ["x"] * many, ["y"]), inputs=[value("x", F32, [2])],
                 outputs=[value("y", F32, [2])])
    tap.is_str(convert(data), (0, "", ""), "%s of %d" % (operator, many))
    with dclpy.Session("backend=ref") as s:
        s.run_file("m.dcl")
        tap.is_close(s.call("model", ones), want * ones, "computes")
gives("lists of many", numpy.zeros([3], "f4"), node("Concat", ["one"] * 3000, ["c"], axis=0),
      node("Reshape", ["c", "to"], ["r"]), node("Reshape", ["r", "minus"], ["m"]),
      node("Slice", ["m", "zero", "one"], ["n"]),
      node("Max", ["n"] * 3000, ["o"]), node("Add", ["o", "two"], ["t"]),
      node("ConstantOfShape", ["t"], ["y"]),
      one=[1], zero=[0], two=[2], minus=[-1], to=[1, 3000])
gives("tables that are large are tensors", numpy.ones([1000, 1000], "i8") * 2,
      node("Add", ["a", "b"], ["y"]), a=numpy.ones([1000, 1], "i8"),
      b=numpy.ones([1, 1000], "i8"))

# --- operators by version and by sizes that are open -------------------------------------------


def computes(what, want, argument, *nodes, opset=17, dims=None, **weights):
    data = model(*nodes, inputs=[value("x", F32, dims or list(argument.shape))], opset=opset,
                 outputs=[value("y", NUMBERS[want.dtype.str[1:]], list(want.shape))],
                 weights=[tensor(k, numpy.array(v)) for k, v in weights.items()])
    tap.is_str(convert(data), (0, "", ""), what)
    with dclpy.Session("backend=ref") as s:
        s.run_file("m.dcl")
        tap.is_close(s.call("model", argument), want, what + ": computes")


row = numpy.arange(10, dtype="f4").reshape(1, 1, 10)
ends = numpy.array([[[0, 4, 8]]], "f4")
for dims in None, [1, 1, "n"]:
    computes("no window begins behind the end", ends, row,
             node("MaxPool", ["x"], ["y"], kernel_shape=[2], strides=[4], pads=[1, 1], ceil_mode=1),
             dims=dims)
computes("smaller images before version 11", numpy.array([[[0, 2, 4, 5, 7, 9]]], "f4"), row,
         node("Resize", ["x", "by"], ["y"]), opset=10, by=numpy.array([1, 1, 0.6], "f4"))
computes("Hardmax before version 13", numpy.array([[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]], "f4"), row[0],
         node("Hardmax", ["x"], ["y"]), opset=11)
computes("an element type that is not given", numpy.array([0, 5, 10], "u1"), row[0, 0, ::4] * 1.2,
         node("QuantizeLinear", ["x", "one"], ["y"], output_dtype=0), opset=21,
         one=numpy.float32(1))
computes("a power of whole numbers is cut off", numpy.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 3]),
         row[0, 0], node("Cast", ["x"], ["i"], to=I64), node("Pow", ["i", "half"], ["y"]),
         half=numpy.float32(0.5))
computes("conditions that are short", row[0, :, [1]].T.copy(), row[0],
         node("Compress", ["x", "c"], ["y"], axis=1), c=[False, True])

# --- what the options may say ------------------------------------------------------------------

add = model(node("Add", ["x", "k"], ["y"]), node("Cast", ["i"], ["z"], to=F32),
            inputs=[value("x", F32, ["N", 3]), value("k", F32, [1, 1]), value("i", I64, ["M"])],
            outputs=[value("y", F32, ["N", 3]), value("z", F32, ["M"])])
for options, words in (
        (("--set", "nothing=3"), "nothing=3: the model has no such input: it has x, k, i"),
        (("--dim", "nothing=3"), "dimension whose size is open: it has x[0] or N, i[0] or M"),
        (("--dim", "x[1]=3"), "x[1]=3: the model has no such dimension whose size is open"),
        (("--dim", "x[7]=3"), "x[7]=3: the model has no such dimension"),
        (("--dim", "N=-3"), "N=-3: this is no size"),
        (("--dim", "N=1.5"), "N=1.5: this is no size"),
        (("--dim", "N=[3]"), "N=[3]: this is no size"),
        (("--dim", "N=1", "--dim", "N=2"), "N=2: it is given twice"),
        (("--set", "k=1", "--set", "k=1"), "k=1: it is given twice"),
        (("--set", "k=[[1, 2]]"), "k=[[1, 2]]: this is no value of the input's type and shape"),
        (("--set", 'k="text"'), "type and shape"), (("--set", "k=true"), "type and shape"),
        (("--set", "k=none"), "type and shape"), (("--set", "k=f32"), "type and shape"),
        (("--set", "k=len"), "type and shape"), (("--set", "k=[[]]"), "type and shape"),
        (("--set", "i=[1.5]"), "type and shape"), (("--set", "i=[[1]]"), "type and shape"),
        (("--set", "k="), "this is no number"), (("--set", "k=[1"), "this is no number"),
        (("--set", "k=[0 for i in 0:10**10]"), "this is no number")):
    for old in "m.dcl", "m.safetensors":
        if os.path.exists(old):
            os.remove(old)
    status, output, errors = convert(add, *options)
    tap.ok(status == 1 and output == "" and words in errors and not os.path.exists("m.dcl"),
           "refused: " + " ".join(options), errors)
tap.is_str(convert(add, "--set", "k=2", "--set", "i=[]", "--dim", "N=4"), (0, "", ""),
           "a number for a tensor of one, no elements, a size")
with open("m.dcl", encoding="utf-8") as file:
    text = file.read()
tap.ok("x: f32[4, 3]" in text and "x + f32(stack([stack([2" not in text, "are used", text)
tap.done_testing()
