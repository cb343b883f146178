#!/usr/bin/env python3
"""files.t: load and save in programs and on the command line, in every format: types, names, rates,
shards. What files hold byte for byte is compared in tests/files."""

import gzip
import json
import os
import struct
import wave

import tap

numpy = tap.need_numpy()

import dclpy  # noqa: E402


def text(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as stream:
        return stream.read()


def write(path, content):
    with open(path, "wb") as stream:
        stream.write(content)
    return path


PROGRAM = """
save("x.csv", stack([stack([1.5, 2]), stack([-0.25, nan])]))
save("n.csv.gz", stack([1, 2, 3]))
image: u8[5, 4, 3] = 0
map i in 5, j in 4, c in 3 { image[i, j, c] = u8(10 * i + 3 * j + c) }
save("x.png", image)
save("x.jpg", image)
deep: u16[2, 3] = 40000
save("deep.png", deep)
sound: i16[6, 2] = 0
map i in 6, c in 2 { sound[i, c] = i16(1000 * i * (1 - 2 * c)) }
save("x.wav", sound, rate = 8000)
save("y.wav", f32(sound) / 32768)
save("x-idx3-ubyte.gz", image)
save("k.npy", argmax(stack([1, 5, 2])))
save("b.npy", argmax(stack([1, 5, 2])) == 1)

print(load("x.csv"), load("n.csv.gz").dtype, load("n.csv.gz", dtype = f64).dtype)
assert(all(load("x.png") == image), "png")
print(load("x.jpg").shape, load("x.jpg").dtype, load("deep.png"))
assert(all(load("x.wav") == sound), "wav")
again = load("x.wav", name = "rate")
print(again + 1, load("y.wav", name = "rate"), load("y.wav").dtype)
save("z.wav", load("x.wav"), rate = again)
print(load("z.wav", name = "rate"), load("k.npy"), load("b.npy"))
assert(all(load("x-idx3-ubyte.gz") == image), "idx")
show_image(image, "shown.png")
show_image(image, "shown.jpg")
plot([1, 3, 2], "curve.svg")
"""
SAID = """[[ 1.5   2.  ]
 [-0.25   nan]]  f32[2, 2] i64 f64
[5, 4, 3] u8 [[40000 40000 40000]
 [40000 40000 40000]]  u16[2, 3]
8001 44100 f32
8000 1 true
"""
for backend in "ref", "cpu":
    for name in os.listdir("."):
        if os.path.isfile(name):
            os.unlink(name)
    write("p.dcl", PROGRAM.encode())
    status, out, errors = tap.dcl("run", "p.dcl", "--backend", backend)
    tap.ok(status == 0 and out == SAID, backend + ": written and read", out, errors)
    tap.is_str(text("x.csv"), "1.5,2.0\n-0.25,nan\n", "rows and columns")
    tap.is_str(text("n.csv.gz"), "1\n2\n3\n", "one dimension is a column")
    with wave.open("x.wav") as sound:
        tap.is_int(sound.getframerate(), 8000, "the rate")
    tap.is_int(len(gzip.open("x-idx3-ubyte.gz").read()), 4 + 3 * 4 + 60, "packed")
    tap.ok(text("curve.svg").endswith("</svg>\n"), "a curve")
    tap.ok(not [name for name in os.listdir(".") if name.startswith(".dcl-")], "nothing else")

# The command line: every format in and out.
write("f.dcl", b"""fn same(x: T[*S]) -> y: T[*S] where T: any { map *i in S { y[*i] = x[*i] } }
""")
for path in ["x.csv", "n.csv.gz", "x.png", "deep.png", "x.wav", "y.wav", "x-idx3-ubyte.gz"]:
    status, out, errors = tap.dcl("run", "f.dcl", "--entry", "same", "--input", "x=" + path,
                                  "--output", "y=out.npy")
    tap.ok(status == 0, "--input x=" + path, errors)
    back = numpy.load("out.npy")
    status, out, errors = tap.dcl("run", "f.dcl", "--entry", "same", "--input", "x=out.npy",
                                  "--output", "y=back-" + path)
    tap.ok(status == 0, "--output y=back-" + path, errors)
    status, out, errors = tap.dcl("run", "f.dcl", "--entry", "same", "--input", "x=back-" + path,
                                  "--output", "y=out.npy")
    again = numpy.load("out.npy")
    tap.ok(status == 0 and back.dtype == again.dtype and back.tobytes() == again.tobytes(),
           "as it was", errors)
status, out, errors = tap.dcl("run", "f.dcl", "--entry", "same", "--input", "x=x.png", "--output",
                              "y=back.jpg")
tap.ok(status == 0 and os.path.getsize("back.jpg") > 300, "--output y=back.jpg", errors)
for option, word in [("x=f.dcl", "the name ends in none of .npy .npz"),
                     ("x=none.png", "cannot read none.png: No such file")]:
    status, out, errors = tap.dcl("run", "f.dcl", "--entry", "same", "--input", option)
    tap.ok(status == 1 and word in errors, "--input %s" % option, errors)
status, out, errors = tap.dcl("run", "f.dcl", "--entry", "same", "--input", "x=x.png", "--output",
                              "y=out.gif")
tap.ok(status == 1 and "cannot write out.gif: the name ends in none of" in errors, "no such format",
       errors)

# Shards: those that are asked for are opened, no others.
def shard(path, **tensors):
    header, data = {}, b""
    for name, array in tensors.items():
        header[name.replace("__", ".")] = {"dtype": "F32", "shape": list(array.shape),
                                           "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    packed = json.dumps(header).encode()
    packed += b" " * (-len(packed) % 8)
    write(path, struct.pack("<Q", len(packed)) + packed + data)


os.mkdir("model")
W, B = numpy.arange(6, dtype="f4").reshape(2, 3), numpy.array([5, 7], dtype="f4")
shard("model/1.safetensors", part__weight=W)
shard("model/2.safetensors", part__bias=B)
INDEX = "model/model.safetensors.index.json"
MAP = {"part.weight": "1.safetensors", "part.bias": "2.safetensors", "gone": "3.safetensors"}
write(INDEX, json.dumps({"weight_map": MAP}).encode())
LAYER = """layer Net() {
  part = Linear(3, 2)
  fn forward(x: f32[B, 3]) -> f32[B, 2] { x |> part }
}
net = Net()
"""
s = dclpy.Session()
s.run(LAYER)
s.run('one = load("%s", name = "part.bias")\nsave("one.npy", one)' % INDEX)
tap.ok((numpy.load("one.npy") == B).all(), "one tensor, though a shard is missing")
with open("/proc/self/maps") as maps:
    text_of = maps.read()
    tap.ok("model/2.safetensors" in text_of and "model/1.safetensors" not in text_of,
           "only its file is mapped")
s.run('load(net, "%s", skip = ["gone"])\nsave("net.npz", net)' % INDEX)
with numpy.load("net.npz") as back:
    tap.ok((back["part.weight"] == W).all() and (back["part.bias"] == B).all(),
           "the states of a layer")
shard("model/both.safetensors", part__weight=W, part__bias=B)
ONE = "model/one.index.json"
write(ONE, json.dumps({"weight_map": dict.fromkeys(["part.weight", "part.bias"],
                                                   "both.safetensors")}).encode())
s.run('load(net, "%s")' % ONE)
with open("/proc/self/maps") as maps:
    tap.is_int(maps.read().count("model/both.safetensors"), 1, "a shard is opened once")


def refused(program, *words):
    try:
        s.run(program)
        tap.fail(program, "no error")
    except dclpy.Error as e:
        tap.ok(all(w in str(e) for w in words) and str(e).count("error:") == 1, program, str(e))


refused('load(net, "%s")' % INDEX, "1 difference", "gone belongs to nothing here")
refused('print(load("%s", name = "gone"))' % INDEX, "cannot read model/3.safetensors: No such file")
refused('print(load("%s", name = "none"))' % INDEX, "has no tensor none",
        "part.weight, part.bias, gone")
refused('print(load("%s"))' % INDEX, "holds 3 tensors")
write(INDEX, json.dumps({"weight_map": {**MAP, "part.bias": "1.safetensors"}}).encode())
refused('load(net, "%s", skip = ["gone"])' % INDEX, "'part.bias' should be in 1.safetensors",
        "but is not")
refused('print(load("x.wav", name = "depth"))', "has no tensor depth")
refused('print(load("x.png", dtype = f32))', "it is no CSV")
refused('print(load("x.csv", dtype = f16))', "not f16")
refused('print(load("x.csv", dtype = 3))', "takes other arguments")
s.run('a = load("x.png", raw = u8)\nsave("raw.npy", a)\n'
      'assert(text(a[1:4]) == "PNG" and text(u8(stack([97, 0, 98]))) == "a")')
with open("x.png", "rb") as stream:
    tap.ok(numpy.load("raw.npy").tobytes() == stream.read(), "the bytes of a file")
write("seven.bin", b"1234567")
write("sixteen.bin", numpy.array([-1, 258], "<i8").tobytes())
tap.is_str(s.line('load("sixteen.bin", raw = i64)'), "[ -1 258]  i64[2]\n", "as elements of i64")
refused('load("seven.bin", raw = f32)', "cannot read seven.bin", "7 bytes are no whole number")
refused('load("seven.bin", raw = bool)', "takes other arguments")
refused('load("seven.bin", raw = u8, name = "x")', "takes other arguments")
refused('load(net, "seven.bin", raw = u8)', "takes other arguments")
refused('load("none.onnx", raw = u8)', "cannot read none.onnx")
refused('text(stack([1.0]))', "a u8 tensor")
refused('text(a, a)', "takes other arguments")
refused('fn f(x: u8[2]) -> u8[2] { y = text(x);  x }\nf(a[0:2])', "belongs to scripts")
refused('save("a.png", stack([1.0]), rate = 3)', "one tensor, not 2")
refused('save("a.wav", stack([1.0]), rate = 0.5)', "takes other arguments")
refused('save("a.wav", stack([1.0]), rate = -1)', "a rate of -1")
refused('save("a.wav", stack([1.0]), speed = 3)', "takes other arguments")
refused('save("a.wav", net, rate = 3)', "takes other arguments")
refused('show_image(stack([1.0]), "a.npy")', "image")
refused('save("a.png", stack([stack([0.5])]))', "u8(255 * x)")
tap.done_testing()
