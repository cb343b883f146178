"""dclpy.py: libdcl for tests in Python, by way of examples/python/dcl.py and NumPy: the functions
of dcl.h one by one, results that do not start at zero, and what libdcl.so has beside its face.

    import dclpy
    s = dclpy.Session("backend=ref")
    s.run("fn double(x: f32[N]) -> f32[N] { x + x }")
    y = s.compile("double").call(numpy.ones(3, "f4"))
    y = s.call("double", numpy.ones(3, "f4"))          # the same

NumPy has no bf16: its arrays are two raw bytes an element (V2), which to_bf16 makes of floats and
of_bf16 turns into f32.

Arrays are passed as they are, strides included; results are new arrays (one, or a tuple; None for
a function without results). What libdcl refuses raises dclpy.Error with the messages as its text.
What `print` writes is collected in s.output.
"""

import ctypes
import os
import sys

import numpy

import tap

os.environ.setdefault("DCL_LIB", os.path.join(tap.BUILD, "libdcl.so"))
sys.path.append(os.path.join(tap.SRC, "examples", "python"))
from dcl import LIB, WRITE, Error, Tensor, tensor_of  # noqa: E402, F401

DTYPES = [numpy.dtype(name) for name in
          ("f4", "f8", "i4", "i8", "?", "i1", "i2", "u1", "u2", "u4", "u8", "f2", "V2")]


def to_bf16(array):
    """Rounded to nearest, ties to even."""
    bits = numpy.asarray(array, "f4").view("u4").astype("i8")
    rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    rounded = numpy.where(numpy.isnan(array), 0x7fc0, rounded)
    return rounded.astype("u2").view("V2")


def of_bf16(array):
    bits = numpy.asarray(array).view("u2").astype("u4")
    return numpy.left_shift(bits, 16, dtype="u4", casting="unsafe").view("f4")

for name, result, arguments in (
        ("session_line", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]),
        ("session_messages", ctypes.c_char_p, [ctypes.c_void_p])):
    getattr(LIB, name).restype, getattr(LIB, name).argtypes = result, arguments


class Function:
    def __init__(self, session, handle):
        self.session, self.handle = session, handle

    def tensors(self, arrays):
        all_of = [tensor_of(a) for a in arrays]
        return (Tensor * max(len(all_of), 1))(*(t[0] for t in all_of)), all_of

    def shapes(self, *arrays):
        """[(dtype, shape), ..] of the results for these arguments."""
        arrays = [numpy.asarray(a) for a in arrays]
        args, keep = self.tensors(arrays)
        n = LIB.dcl_result_count(self.handle)
        results = (Tensor * max(n, 1))()
        sizes = ((ctypes.c_int64 * 16) * max(n, 1))()
        self.session.check(LIB.dcl_result_shapes(self.handle, args, len(arrays), results, sizes))
        del keep
        return [(DTYPES[results[i].dtype], tuple(sizes[i][:results[i].rank])) for i in range(n)]

    def call(self, *arrays, out=None):
        arrays = [numpy.asarray(a) for a in arrays]
        if out is None:
            out = [numpy.empty(shape, dtype) for dtype, shape in self.shapes(*arrays)]
        args, keep = self.tensors(arrays)
        results, kept = self.tensors(out)
        self.session.check(LIB.dcl_call(self.handle, args, len(arrays), results, len(out)))
        del keep, kept
        return tuple(out) if len(out) > 1 else out[0] if out else None

    def show(self, after="", what="dcl"):
        text = LIB.dcl_show(self.handle, after.encode(), what.encode())
        if text is None:
            raise Error(self.session.errors())
        return text.decode()


class Session:
    def __init__(self, options=""):
        self.handle = LIB.dcl_open(options.encode())
        if not self.handle:
            raise MemoryError("dcl_open")
        self.output = ""
        self.writer = WRITE(self.write)
        LIB.dcl_output(self.handle, self.writer, None)

    def write(self, data, text, n):
        self.output += ctypes.string_at(text, n).decode()

    def errors(self):
        return LIB.dcl_errors(self.handle).decode()

    def messages(self):
        return LIB.session_messages(self.handle).decode()

    def check(self, status):
        if status:
            raise Error(self.errors())

    def run(self, text, path="test.dcl"):
        self.check(LIB.dcl_run(self.handle, text.encode(), path.encode()))

    def run_file(self, path):
        self.check(LIB.dcl_run_file(self.handle, str(path).encode()))

    def line(self, text):
        """A line of the REPL; returns what it printed."""
        self.output = ""
        self.check(LIB.session_line(self.handle, text.encode(), b"<repl>"))
        return self.output

    def compile(self, signature):
        handle = LIB.dcl_compile(self.handle, signature.encode())
        if not handle:
            raise Error(self.errors())
        return Function(self, handle)

    def call(self, signature, *arrays):
        return self.compile(signature).call(*arrays)

    def stop(self):
        LIB.dcl_stop(self.handle)

    def close(self):
        if self.handle:
            LIB.dcl_close(self.handle)
            self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
