"""dclpy.py: libdcl for tests in Python, by way of ctypes and NumPy.

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

import numpy

import tap

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


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64))]


WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


class Error(Exception):
    """What libdcl said."""


def library():
    lib = ctypes.CDLL(os.environ.get("DCL_LIB") or os.path.join(tap.BUILD, "libdcl.so"))
    p, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    tensors = ctypes.POINTER(Tensor)
    shapes = ctypes.POINTER(ctypes.c_int64 * 16)
    for name, result, arguments in (
            ("dcl_open", p, [text]), ("dcl_close", None, [p]), ("dcl_errors", text, [p]),
            ("dcl_run", number, [p, text, text]), ("dcl_run_file", number, [p, text]),
            ("dcl_output", None, [p, WRITE, p]), ("dcl_compile", p, [p, text]),
            ("dcl_result_count", number, [p]),
            ("dcl_result_shapes", number, [p, tensors, number, tensors, shapes]),
            ("dcl_call", number, [p, tensors, number, tensors, number]),
            ("dcl_show", text, [p, text, text]), ("dcl_stop", None, [p]),
            ("dcl_version", text, []), ("session_line", number, [p, text, text]),
            ("session_messages", text, [p])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


LIB = library()


def tensor_of(array):
    """A dcl_tensor over the array's memory, and what has to stay alive beside it."""
    rank = array.ndim
    shape = (ctypes.c_int64 * max(rank, 1))(*array.shape)
    strides = (ctypes.c_int64 * max(rank, 1))(*(s // array.itemsize for s in array.strides))
    tensor = Tensor(array.ctypes.data, DTYPES.index(array.dtype), rank, shape, strides)
    return tensor, (array, shape, strides)


class Function:
    def __init__(self, session, handle):
        self.session, self.handle = session, handle

    def tensors(self, arrays):
        pairs = [tensor_of(a) for a in arrays]
        return (Tensor * max(len(pairs), 1))(*(t for t, _ in pairs)), [k for _, k in pairs]

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
