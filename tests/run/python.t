#!/usr/bin/env python3
"""python.t: examples/python/dcl.py: tensors of NumPy, of buffers and of DLPack without copies,
static arguments, instances, errors, interrupts, threads; and without NumPy."""

import array
import ctypes
import gc
import mmap
import os
import re
import signal
import subprocess
import sys
import threading
import time

import tap

numpy = tap.need_numpy()

FOLDER = os.path.join(tap.SRC, "examples", "python")
sys.path.insert(0, FOLDER)
import dcl  # noqa: E402

TEXT = """
fn double(x: T[*S]) -> T[*S] where T: number { x + x }
fn flip(x: bool[N]) -> y: bool[N] { map i { y[i] = not x[i] } }
fn add_to(inout y: T[N], x: T[N]) where T: number { map i { y[i] += x[i] } }
fn scaled(x: f32[*S], by: f32; times: int = 1, note: str = "", on: bool = true) -> f32[*S] {
  if note == "no\\"\\\\" { error(note) }
  if on { x * by * times } else { x }
}
fn power(x: i64[N], k: i64) -> y: i64[N] { map i { y[i] = x[i] * k } }
fn both(x: f32[N]) -> (f32[N], i64[]) { (x * 2, 7) }
fn made(S: shape; t: dtype = f32) -> y: t[*S] { map *i in S { y[*i] = 3 } }
fn part(x: f32[N]) -> y: f32[N] { map i in 1:N { y[i] = x[i] } }
fn needs(x: f32[M, N], y: f32[N]) -> f32[M, N] { x + y }
fn slow(x: f32[N]; rounds: int) -> y: f32[N] {
  y = x
  for r in 0:rounds { y = sin(y) + x }
  y
}
layer Net(n: int) {
  a = Linear(n, 3); blocks = [Linear(3, 3) for k in 0:2]
  fn forward(x: f32[B, n]) -> f32[B, 3] { x |> a |> relu }
}
net = Net(4)
"""
ADDRESS = ctypes.c_void_p


def refused(call, kind, want, name):
    try:
        call()
        tap.fail(name, "no error")
    except kind as error:
        tap.ok(type(error) is kind and want in str(error), name, repr(error))


m = dcl.compile(TEXT)

# --- types, strides, sizes ---------------------------------------------------------------------

for name in "f4", "f8", "i4", "i8", "f2", "i1", "i2", "u1", "u2", "u4", "u8":
    for shape in (), (7,), (3, 5), (0,), (2, 0, 3), (2, 1, 3, 2):
        x = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(name)
        y = m.double(x)
        tap.ok(y.dtype == x.dtype and y.shape == x.shape and (y == x + x).all(),
               "%s %s" % (name, shape), repr(y))
b = numpy.array([True, False, True])
tap.is_str(m.flip(b).tolist(), [False, True, False], "bool")
half = numpy.array([1, 300], "u2").view("V2")
tap.ok(m.double(half).dtype == "V2", "bf16 are two raw bytes")
x = numpy.arange(60, dtype="f4").reshape(3, 4, 5)
for name, view in (("transposed", x.T), ("steps", x[::2, ::-1, 1::3]), ("stride 0",
                   numpy.broadcast_to(x[0, 0], (4, 5))), ("a column", x[:, 1, 2]),
                   ("not aligned", numpy.frombuffer(b"\0" + x.tobytes(), "f4", 60, 1)),
                   ("read-only", numpy.frombuffer(x.tobytes(), "f4"))):
    tap.ok((m.double(view) == view + view).all(), name)
y = numpy.zeros((5, 2), "f4")
m.add_to(y[:, 1], x[0, 0])
tap.ok((y[:, 1] == x[0, 0]).all() and not y[:, 0].any(), "inout with strides")
for n in 5, 50, 500:
    z = m.part(numpy.ones(n, "f4"))
    tap.ok(z[0] == 0 and (z[1:] == 1).all(), "what is not written is 0: %d" % n)
one, two = m.both(x[0, 0])
tap.ok((one == 2 * x[0, 0]).all() and two.shape == () and two == 7, "two results")
tap.ok(m.add_to(y[:, 0], y[:, 1].copy()) is None, "no result")

# --- no copies ---------------------------------------------------------------------------------

big = mmap.mmap(-1, 1 << 33)  # 8 GiB of address space, of which pages that are touched exist
large = numpy.frombuffer(big, "f4")
cell = large[1 << 30:(1 << 30) + 4]
m.add_to(cell, numpy.ones(4, "f4"))
tap.ok(large[1 << 30] == 1 and large[(1 << 30) + 4] == 0, "inout is written in its place")
out = numpy.empty(4, "f4")
tap.ok(m.double(cell, out=out) is out and (out == 2).all(), "a result in the caller's memory")
m.double(cell, out=[large[:4]])
tap.ok(large[3] == 2 and large[4] == 0, "in the midst of an array")
tensor, _, _ = dcl.tensor_of(cell)
tap.is_int(tensor.data, cell.ctypes.data, "an argument's address is the array's")
tap.is_int(dcl.tensor_of(memoryview(cell))[0].data, cell.ctypes.data, "and the buffer's")
tap.is_int(dcl.tensor_of(numpy.arange(6.0)[::-2])[0].strides[0], -2, "strides in elements")
del large, cell

# --- buffers, numbers, DLPack ------------------------------------------------------------------

tap.ok((m.double(array.array("d", [1, 2])) == [2, 4]).all(), "array.array")
tap.ok((m.double(bytes([1, 2])) == [2, 4]).all(), "bytes are u8")
tap.ok((m.double((ctypes.c_int32 * 3 * 2)((1, 2, 3), (4, 5, 6))) ==
        [[2, 4, 6], [8, 10, 12]]).all(), "ctypes")
numbers = array.array("f", [1, 2, 3, 4])
m.add_to(memoryview(numbers)[::2], array.array("f", [10, 20]))
tap.is_str(numbers.tolist(), [11, 2, 23, 4], "a memoryview with steps, written")
numbers.append(5)
tap.is_int(len(numbers), 5, "afterwards the buffer is free")
y = m.scaled(numpy.ones(3, "f4"), 1.5)
tap.ok(y.dtype == "f4" and (y == 1.5).all(), "a number is an f32")
tap.ok((m.power(numpy.arange(3), 5) == [0, 5, 10]).all(), "an int is an i64")
tap.ok(m.double(numpy.float64(2)) == 4, "a number of NumPy")


class Foreign:
    """Only DLPack."""
    def __init__(self, x, device=1):
        self.x, self.device, self.taken = x, device, 0

    def __dlpack__(self, stream=None):
        self.taken += 1
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return self.device, 0


class Behind:
    """Two f32 that begin 4 bytes behind the tensor's address, rows without strides."""
    def __init__(self):
        self.memory, self.shape = (ctypes.c_float * 3)(1, 2, 3), (ctypes.c_int64 * 1)(2)
        self.tensor = dcl.DLTensor(ctypes.addressof(self.memory), 1, 0, 1, 2, 32, 1, self.shape,
                                   None, 4)

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ADDRESS, ctypes.c_char_p, ADDRESS]
        return new(ctypes.addressof(self.tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return 1, 0


tap.is_str(m.double(Behind()).tolist(), [4, 6], "a tensor behind its address")
if hasattr(x, "__dlpack__"):
    f = Foreign(numpy.arange(12.0, dtype="f4").reshape(3, 4))
    tap.ok((m.double(f) == f.x * 2).all() and f.taken == 1, "DLPack")
    f.x = f.x.T
    tap.ok((m.double(f) == f.x * 2).all(), "DLPack with strides")
    tap.is_int(dcl.tensor_of(f)[0].data, f.x.ctypes.data, "without a copy")
    line = numpy.zeros(3, "f4")
    m.add_to(Foreign(line), f.x[0])
    tap.ok((line == f.x[0]).all(), "written by DLPack")
    before = sys.getrefcount(f.x)
    for _ in range(100):
        m.double(f)
    tap.is_int(sys.getrefcount(f.x), before, "each capsule gives its tensor back")
    refused(lambda: m.double(Foreign(x, 2)), TypeError, "another device than the CPU", "a GPU's")
    refused(lambda: m.double(Foreign(numpy.ones(2, "c8"))), TypeError, "no element type of DCL",
            "complex by DLPack")
else:
    tap.skip("this NumPy has no DLPack")
try:
    import torch
except ImportError:
    tap.skip("PyTorch is not installed")
else:
    t = torch.arange(12.0).reshape(3, 4).T
    tap.ok((m.double(t) == (t * 2).numpy()).all(), "PyTorch, transposed")
    tap.is_int(dcl.tensor_of(t)[0].data, t.data_ptr(), "PyTorch, without a copy")
    m.add_to(t[0], torch.ones(3))
    tap.ok(t[0, 1] == 5, "PyTorch, written")
    t = torch.ones(3, dtype=torch.bfloat16)
    m.double(t, out=t.new_empty(3))

# --- static arguments, instances ---------------------------------------------------------------

ones = numpy.ones(3, "f4")
tap.ok((m.scaled(ones, 1.5, times=3) == 4.5).all(), "a static argument")
tap.ok((m.scaled(ones, 1.5, times=numpy.int64(2)) == 3).all(), "of NumPy")

tap.ok((m.scaled(ones, 2.0, times=4, on=False) == 1).all(), "a truth value")
refused(lambda: m.scaled(ones, 2.0, note='no"\\'), dcl.Error, 'no"\\', "a text")
y = m.made(S=[2, 3], t=dcl.Expression("i32"))
tap.ok(y.dtype == "i4" and (y == numpy.full((2, 3), 3)).all(), "a list, an element type")
for shape in (2, 4), (5, 4), (1, 4), (8, 4):
    tap.ok(m.scaled(numpy.ones(shape, "f4"), 1.0, times=2).shape == shape, "shapes %s %s" % shape)
tap.is_str(m.net(numpy.ones((5, 4), "f4")).shape, (5, 3), "an instance")
tap.is_str(m.net.a(numpy.ones((2, 4), "f4")).shape, (2, 3), "a part of it")
tap.is_str(m.net.blocks[1](ones[None]).shape, (1, 3), "of a list")
tap.is_str(m["net.a"](numpy.ones((2, 4), "f4")).shape, (2, 3), "by name")
m.run("fn double(x: f32[N]) -> f32[N] { x * 3 }")
tap.ok((m.double(ones) == 3).all(), "a new definition")
m.run("fn changes(x: f32[N]) -> f32[N] { x }")
m.changes(memoryview(bytes(8)).cast("f"))
m.run("fn changes(inout x: f32[N]) { map i { x[i] = 1 } }")
refused(lambda: m.changes(memoryview(bytes(8)).cast("f")), TypeError, "x is inout",
        "which writes its argument")

# --- errors ------------------------------------------------------------------------------------

with open("wrong.dcl", "w", encoding="ascii") as file:
    file.write("fn f(x: f32[N]) -> f32[N] { x + y }\n")
status, _, errors = tap.dcl("run", "wrong.dcl")
refused(lambda: dcl.compile("wrong.dcl"), dcl.Error, errors, "the text that dcl prints")
try:
    dcl.compile("wrong.dcl")
except dcl.Error as error:
    tap.is_str(str(error), errors, "and no other")
ONNX = os.path.join(tap.SRC, "tests", "onnx", "mlp")
with dcl.compile(ONNX + ".onnx") as model:
    tap.ok(numpy.allclose(model.model(numpy.load(ONNX + "_x.npy")), numpy.load(ONNX + "_y.npy"),
                          1e-4), "an ONNX model")
refused(lambda: dcl.compile("none.dcl"), dcl.Error, "none.dcl", "no such file")
refused(lambda: dcl.compile("x = 1", "backend=none"), dcl.Error, "backend", "a wrong option")
for name, call, kind, want in (
        ("another size", lambda: m.needs(ones[None], numpy.ones(2, "f4")), dcl.Error, "needs"),
        ("another rank", lambda: m.needs(ones, ones), dcl.Error, "dimension"),
        ("another type", lambda: m.needs(ones[None], numpy.ones(3)), dcl.Error, "f64"),
        ("too few", lambda: m.needs(ones[None]), dcl.Error, "y"),
        ("too many", lambda: m.needs(ones[None], ones, ones), dcl.Error, "2 arguments"),
        ("no such function", lambda: m.nothing(ones), dcl.Error, "nothing"),
        ("no such argument", lambda: m.scaled(ones, 1.0, wide=2), dcl.Error, "wide"),
        ("an overlap", lambda: m.double(ones, out=ones), dcl.Error, "overlaps"),
        ("a result of another size", lambda: m.double(ones, out=numpy.ones(2, "f4")), dcl.Error,
         "does not fit"),
        ("complex", lambda: m.double(numpy.ones(2, "c8")), TypeError, "no element type of DCL"),
        ("texts", lambda: m.double(numpy.array(["a"])), TypeError, "no element type of DCL"),
        ("objects", lambda: m.double(numpy.array([None])), TypeError, "no element type of DCL"),
        ("other bytes", lambda: m.double(numpy.ones(2, ">f4")), TypeError, "order of bytes"),
        ("odd strides", lambda: m.double(numpy.zeros(3, "f4,u1")["f0"]), TypeError, "multiples"),
        ("a list", lambda: m.double([1, 2]), TypeError, "no tensor can be made of list"),
        ("a large int", lambda: m.power(numpy.arange(3), 1 << 63), TypeError, "an i64"),
        ("static dict", lambda: m.scaled(ones, 1.0, times={}), TypeError, "static argument"),
        ("read-only inout", lambda: m.add_to(numpy.frombuffer(bytes(12), "f4"), ones), TypeError,
         "y is inout"),
        ("bytes inout", lambda: m.add_to(bytes(3), bytes(3)), TypeError, "y is inout"),
        ("a read-only result", lambda: m.double(ones, out=bytes(12)), TypeError, "only be read")):
    refused(call, kind, want, name)
tap.ok((m.double(ones) == 3).all(), "the program goes on")

# What is misspelt: the nearest name, and all that can be called.
small = dcl.compile("""
fn double(x: f32[N]) -> f32[N] { x + x }
fn scaled(x: f32[N]; by: int) -> f32[N] { x * by }
layer Net(n: int) { a = Linear(n, 3); fn forward(x: f32[B, n]) -> f32[B, 3] { x |> a } }
layer Silent() { param w: f32[3] }
net = Net(4); silent = Silent(); count = 3
""")
HAVE = "   note: this program has double, scaled, net, silent\n"
AT = "<signature>:1:1: error: "
for call, want in (
        (lambda: small.duoble(ones), AT + "unknown name duoble\n   1 | duoble\n     | ^~~~~~\n" +
         HAVE + "   help: did you mean double?\n"),
        (lambda: small.Net.a(ones), AT + "a layer has no member a\n"),
        (lambda: small.nett(ones), AT + "unknown name nett\n   1 | nett\n     | ^~~~\n" + HAVE +
         "   help: did you mean net?\n"),
        (lambda: small.other(ones, by=2), AT + "unknown name other\n   1 | other\n     | ^~~~~\n" +
         HAVE),
        (lambda: small.count(ones), AT + "count is not a function or layer\n   1 | count\n"
         "     | ^~~~~\n" + HAVE),
        (lambda: small.silent(ones), AT + "silent is not a function or layer\n   1 | silent\n"
         "     | ^~~~~~\n   help: its layer has no method forward\n"),
        (lambda: small.Net(ones), AT + "Net is a layer, not an instance of one\n   1 | Net\n"
         "     | ^~~\n   help: the script makes one: net = Net(..)\n"),
        (lambda: small.scaled(ones, 3), "error: scaled takes 1 argument, 2 given\n   help: by is "
         "static: it is given by name, as in scaled(by = 2)\n"),
        (lambda: small.scaled(ones, by=dcl.Expression("cuont")), "<signature>:1:19: error: unknown "
         "name cuont\n   1 | fn signature(by = cuont) {}\n     |                   ^~~~~\n"
         "   help: did you mean count?\n"),
        (lambda: small.double(ones, out=numpy.ones((3, 1), "f4")), "error: the memory of result 0 "
         "does not fit: it is f32[3], not f32[3, 1]\n"),
        (lambda: dcl.compile("").f(ones), AT + "unknown name f\n   1 | f\n     | ^\n"
         "   note: this program has no functions of its own\n")):
    try:
        call()
        tap.fail(want, "no error")
    except dcl.Error as error:
        tap.is_str(str(error).strip()[:len(want.strip())], want.strip(), want.split("\n")[0])
refused(lambda: small.scaled(ones, by=ones), TypeError, "tensors are given by position",
        "a tensor by name")
refused(lambda: small.double([1, 2]), TypeError, 'numpy.array(x, "f4") makes', "a list of Python")

# --- many calls, programs, threads -------------------------------------------------------------


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


block = numpy.ones(1 << 18, "f4")
for k in range(2000):
    m.double(block)
    m.scaled(ones, 1.0, times=2)
    if k == 200:
        first = resident()
tap.ok(resident() < first + (20 << 20) or os.environ.get("DCL_ASAN"), "no leak in 2000 calls",
       first, resident())
first = len(os.listdir("/proc/self/fd"))
for _ in range(5):
    with dcl.compile("fn one(x: f32[N]) -> f32[N] { x + 1 }") as p:
        y = p.one(ones)
    dcl.compile("x = 1")
gc.collect()
tap.ok((y == 2).all() and len(os.listdir("/proc/self/fd")) <= first, "results outlive a program")
refused(lambda: p.one(ones), dcl.Error, "closed", "a closed program")
other = dcl.compile("fn double(x: f32[N]) -> f32[N] { x * 4 }", "backend=ref")
tap.ok((other.double(ones) == 4).all() and (m.double(ones) == 3).all(), "two programs")
wrong = []


def work(k):
    x = numpy.full(100 + k, k, "f4")
    for _ in range(100):
        wrong.extend(1 for y, want in ((m.double(x), 3 * x), (other.double(x), 4 * x))
                     if (y != want).any())


threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
tap.ok(not wrong, "threads share programs")

# --- Ctrl-C ------------------------------------------------------------------------------------

m.run("fn endless(x: f32[N]) -> y: f32[N] {\n  y = x\n"
      "  while y[0] > 0.0 { y = y + 1.0 }\n  y\n}")
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, as behind `&`
timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
start = time.monotonic()
timer.start()
try:
    m.endless(numpy.ones(4, "f4"))
    tap.fail("Ctrl-C", "no interrupt")
except KeyboardInterrupt:
    tap.ok(time.monotonic() < start + 60, "Ctrl-C ends a call")
tap.ok((m.double(ones) == 3).all(), "and the program goes on")

# --- without NumPy, and the README -------------------------------------------------------------

BARE = """
import sys
sys.modules["numpy"] = None
import array, dcl
m = dcl.compile("fn double(x: T[*S]) -> T[*S] where T: number { x + x }\\nprint(42)")
y = m.double(array.array("d", [1, 2]))
print(type(y).__name__, y.format, y.tolist(), m.double(array.array("q", [])).shape)
print(m.double(2)[()], m.double(memoryview(bytes(range(6))).cast("B", (2, 3))).tolist())
"""
env = {**os.environ, "PYTHONPATH": FOLDER}
done = subprocess.run([sys.executable, "-c", BARE], env=env, text=True, capture_output=True,
                      check=False)
tap.is_str(done.stdout + done.stderr, "42\nmemoryview d [2.0, 4.0] (0,)\n"
           "4 [[0, 2, 4], [6, 8, 10]]\n", "without NumPy")
with open(os.path.join(FOLDER, "README.md"), encoding="ascii") as file:
    code = re.search(r"```python\n(.*?)```", file.read(), re.DOTALL).group(1)
done = subprocess.run([sys.executable, "-c", code], env=env, cwd=FOLDER, text=True,
                      capture_output=True, check=False)
tap.ok(re.search(r"360 images: 0\.99.*\nof all 1797 images: (0\.99|1\.00)\n$",
                 done.stdout + done.stderr), "the README's example", done.stdout, done.stderr)
tap.done_testing()
