"""dcl.py: DCL from Python, by way of ctypes and include/dcl.h. It needs libdcl.so, nothing else.

    import dcl
    m = dcl.compile("net.dcl")              # a file, or the text of a program
    y = m.softmax(x, axis = 1)              # tensors by position, static arguments by name
    z = m.net(x)                            # an instance of a layer that the program has made

A tensor is whatever has __array_interface__ (NumPy), a buffer (array, bytes, memoryview) or
__dlpack__ (PyTorch, on the CPU); DCL reads it, and writes it where it is inout, in its place. An
int is an i64, a float an f32, without dimensions. Results are NumPy's arrays, memoryviews where
there is no NumPy; more than one come as a tuple.

What DCL refuses raises dcl.Error, whose text is what the program `dcl` prints; what no tensor can
be made of raises TypeError. Ctrl-C ends a call. `with dcl.compile(..) as m:` closes at its end, as
m.close() and the garbage collector do. Threads may share a program: one of them calls, the others
wait.
"""

import array
import ctypes
import math
import os
import signal
import sys
import threading
import weakref

# The order of enum dcl_dtype: name, bytes, kind and NumPy's and memoryview's letter. Those of f16
# and bf16 are the raw bits where there is no NumPy.
DTYPES = [("f32", 4, "f", "f"), ("f64", 8, "f", "d"), ("i32", 4, "i", "i"), ("i64", 8, "i", "q"),
          ("bool", 1, "b", "?"), ("i8", 1, "i", "b"), ("i16", 2, "i", "h"), ("u8", 1, "u", "B"),
          ("u16", 2, "u", "H"), ("u32", 4, "u", "I"), ("u64", 8, "u", "Q"), ("f16", 2, "f", "H"),
          ("bf16", 2, "V", "H")]
NUMBER = {(kind, size): i for i, (_, size, kind, _) in enumerate(DTYPES)}
KINDS = {**dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQN", "u"), "?": "b",
         **dict.fromkeys("efd", "f")}
MOST = 16  # dimensions


class Error(Exception):
    """What libdcl said."""


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64))]


WRITE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)


def library():
    """libdcl.so: of DCL_LIB, of the source tree around this file, or where the system looks."""
    here = os.path.dirname(os.path.abspath(__file__))
    built = os.path.join(here, "..", "..", "libdcl.so")
    lib = ctypes.CDLL(os.environ.get("DCL_LIB") or
                      (built if os.path.exists(built) else "libdcl.so"))
    p, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    tensors, shapes = ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_int64 * MOST)
    for name, result, arguments in (
            ("dcl_open", p, [text]), ("dcl_close", None, [p]), ("dcl_errors", text, [p]),
            ("dcl_run", number, [p, text, text]), ("dcl_run_file", number, [p, text]),
            ("dcl_output", None, [p, WRITE, p]), ("dcl_compile", p, [p, text]),
            ("dcl_argument", text, [p, number, ctypes.POINTER(number)]),
            ("dcl_result_count", number, [p]),
            ("dcl_result_shapes", number, [p, tensors, number, tensors, shapes]),
            ("dcl_call", number, [p, tensors, number, tensors, number]),
            ("dcl_show", text, [p, text, text]), ("dcl_stop", None, [p]), ("dcl_go_on", None, [p]),
            ("dcl_version", text, [])):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


LIB = library()

# --- tensors -----------------------------------------------------------------------------------


def numbers(values):
    values = tuple(values)
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def describe(address, kind, size, shape, strides, keep):
    """A dcl_tensor and what has to live as long; STRIDES are bytes, or None."""
    if (kind, size) not in NUMBER:
        raise TypeError("no element type of DCL: %d bytes of kind %r" % (size, kind))
    if strides is not None and any(s % size for s in strides):
        raise TypeError("strides that are no multiples of the %d bytes of an element" % size)
    sizes = numbers(shape)
    steps = None if strides is None else numbers(s // size for s in strides)
    return Tensor(address, NUMBER[kind, size], len(shape), sizes, steps), (keep, sizes, steps)


def of_interface(x):
    interface = x.__array_interface__
    code, shape = interface["typestr"], interface["shape"]
    if code[0] == (">" if sys.byteorder == "little" else "<"):
        raise TypeError("elements in the other order of bytes")
    address, read_only = interface["data"]
    size = int(code[2:]) if code[2:].isdigit() else 0
    strides = interface.get("strides")
    # Of a number of NumPy, only the interface keeps the memory.
    return (*describe(address, code[1], size, shape, strides, (x, interface)), read_only)


class Buffer(ctypes.Structure):
    """Py_buffer of Python's C interface."""
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int),
                ("ndim", ctypes.c_int), ("format", ctypes.c_char_p),
                ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
                ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


FORMAT_AND_STRIDES = 0x1c  # PyBUF_RECORDS_RO


def of_buffer(x):
    view = memoryview(x)  # it keeps the memory where it is
    buffer = Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer),
                                        FORMAT_AND_STRIDES)
    address = buffer.buf
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    letter = view.format.lstrip("@=<" if sys.byteorder == "little" else "@=>!")
    if letter not in KINDS:
        raise TypeError("no element type of DCL: the format %r" % view.format)
    return (*describe(address, KINDS[letter], view.itemsize, view.shape, view.strides, view),
            view.readonly)


class DLTensor(ctypes.Structure):
    """Of dlpack.h."""
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("number", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


DLPACK_CPU = 1
DLPACK_KINDS = {0: "i", 1: "u", 2: "f", 4: "V", 6: "b"}
POINTER_OF = ctypes.pythonapi.PyCapsule_GetPointer
POINTER_OF.restype, POINTER_OF.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def of_dlpack(x):
    """The capsule stays unused, so that its own destructor gives the tensor back."""
    device = x.__dlpack_device__()[0]
    if device != DLPACK_CPU:
        raise TypeError("a tensor on another device than the CPU (DLPack's number %d)" % device)
    capsule = x.__dlpack__()
    t = DLTensor.from_address(POINTER_OF(capsule, b"dltensor"))
    if t.lanes != 1 or t.bits % 8:
        raise TypeError("no element type of DCL: %d lanes of %d bits" % (t.lanes, t.bits))
    size, shape = t.bits // 8, t.shape[:t.ndim]
    strides = [s * size for s in t.strides[:t.ndim]] if t.strides else None
    kind = DLPACK_KINDS.get(t.code, str(t.code))
    return (*describe((t.data or 0) + t.offset, kind, size, shape, strides, capsule), False)


def tensor_of(x):
    """(dcl_tensor, what has to stay alive beside it, whether X may only be read)."""
    if hasattr(x, "__array_interface__"):
        return of_interface(x)
    if hasattr(x, "__dlpack__"):
        return of_dlpack(x)
    if isinstance(x, bool):
        x = (ctypes.c_bool * 1)(x)
        return (*describe(ctypes.addressof(x), "b", 1, (), None, x), True)
    if isinstance(x, (int, float)):
        if isinstance(x, int) and not -1 << 63 <= x < 1 << 63:
            raise TypeError("%d does not fit into an i64" % x)
        x = array.array("q" if isinstance(x, int) else "f", [x])
        kind = "i" if x.typecode == "q" else "f"
        return (*describe(x.buffer_info()[0], kind, x.itemsize, (), None, x), True)
    if isinstance(x, (list, tuple)):
        raise TypeError("no tensor can be made of %s: numpy.array(x, \"f4\") makes an array of it" %
                        type(x).__name__)
    try:
        return of_buffer(x)
    except (TypeError, BufferError) as error:
        why = ": %s" % error if isinstance(error, BufferError) else ""
        raise TypeError("no tensor can be made of %s%s" % (type(x).__name__, why)) from None


def results_of(dtype, shape):
    """Memory for a result: an array of NumPy, or a memoryview. Zeros, since a function may leave
    elements unwritten."""
    name, size, kind, letter = DTYPES[dtype]
    try:
        import numpy
        return numpy.zeros(shape, "V2" if name == "bf16" else "%s%d" % (kind, size))
    except ImportError:
        pass
    if 0 not in shape:
        return memoryview(bytearray(size * math.prod(shape))).cast("B").cast(letter, shape)
    empty = {"f": ctypes.c_float, "d": ctypes.c_double}.get(letter) or getattr(
        ctypes, "c_bool" if kind == "b" else "c_%sint%d" % ("" if kind == "i" else "u", 8 * size))
    for n in reversed(shape):
        empty = empty * n
    return memoryview(empty())


# --- static arguments --------------------------------------------------------------------------


class Expression(str):
    """A static argument that is an expression of DCL as it stands: dcl.Expression("f32")."""


def text_of(x):
    """A static argument as DCL: numbers, texts, truth values, None, lists of these."""
    if isinstance(x, Expression):
        return str(x)
    if x is None or isinstance(x, bool):
        return {None: "none", True: "true", False: "false"}[x]
    if isinstance(x, str):
        return '"%s"' % x.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(text_of(v) for v in x) + "]"
    if getattr(x, "shape", ()) != ():
        raise TypeError("a tensor cannot be a static argument: tensors are given by position")
    if hasattr(x, "item"):  # a number of NumPy
        return text_of(x.item())
    if isinstance(x, (int, float)):
        return repr(x)
    raise TypeError("%s cannot be a static argument" % type(x).__name__)


# --- programs ----------------------------------------------------------------------------------


class Interrupt:
    """Lets Ctrl-C end what runs. Python's own handler waits until C is back, but the byte that
    announces the signal is written at once; a thread that reads it tells libdcl."""

    def __init__(self):
        self.running, self.lock, self.pipe = None, threading.Lock(), None

    def watch(self):
        while number := os.read(self.pipe[0], 1):
            if number[0] == signal.SIGINT:
                self.stop()

    def stop(self):
        """Stops what runs or is about to begin."""
        with self.lock:
            if self.running is not None:
                LIB.dcl_stop(self.running)

    def call(self, session, function, *arguments):
        """Signals belong to the main thread; the calls of others just run, as do those of a
        program that has a use of its own for the announcements (asyncio)."""
        if threading.current_thread() is not threading.main_thread():
            return function(*arguments)
        if not self.pipe:
            self.pipe = os.pipe()
            os.set_blocking(self.pipe[1], False)
            threading.Thread(target=self.watch, daemon=True).start()
        before = signal.set_wakeup_fd(self.pipe[1], warn_on_full_buffer=False)
        if before not in (-1, self.pipe[1]):
            signal.set_wakeup_fd(before)
            return function(*arguments)
        self.running = session
        try:
            return function(*arguments)
        finally:
            with self.lock:
                self.running = None
                LIB.dcl_go_on(session)  # what came too late: Python raises its KeyboardInterrupt
            signal.set_wakeup_fd(before)


INTERRUPT = Interrupt()


@WRITE
def write(_, text, n):
    sys.stdout.write(ctypes.string_at(text, n).decode(errors="replace"))


class Program:
    """A program and its names: m.f(..) calls the function or the instance f."""

    def __init__(self, options=""):
        self._session = LIB.dcl_open(options.encode())
        if not self._session:
            raise MemoryError("dcl_open")
        self._functions, self._lock = {}, threading.RLock()
        self._end = weakref.finalize(self, LIB.dcl_close, self._session)
        LIB.dcl_output(self._session, write, None)
        if LIB.dcl_errors(self._session):  # of the options
            raise Error(LIB.dcl_errors(self._session).decode())

    def run(self, text, path="<text>"):
        """Adds definitions, runs statements."""
        self._enter(LIB.dcl_run, text.encode(), os.fsencode(path))

    def run_file(self, path):
        self._enter(LIB.dcl_run_file, os.fsencode(path))

    def close(self):
        """What belongs to the program goes; results stay."""
        with self._lock:
            self._end()
            self._session = None

    def _enter(self, function, *arguments):
        with self._lock:
            if not self._session:
                raise Error("the program is closed")
            self._functions.clear()  # definitions may change
            self._check(INTERRUPT.call(self._session, function, self._session, *arguments))

    def _check(self, status):
        if status:
            raise Error(LIB.dcl_errors(self._session).decode())

    def _handle(self, signature):
        """(dcl_function, its arguments as (name, inout))."""
        if not self._session:
            raise Error("the program is closed")
        known = self._functions.get(signature)
        if not known:
            handle = INTERRUPT.call(self._session, LIB.dcl_compile, self._session,
                                    signature.encode())
            self._check(not handle)
            arguments, inout = [], ctypes.c_int()
            while name := LIB.dcl_argument(handle, len(arguments), ctypes.byref(inout)):
                arguments.append((name.decode(), bool(inout.value)))
            known = self._functions[signature] = handle, arguments
        return known

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self, name)

    def __getitem__(self, name):
        """What an attribute cannot say: m["run"], m["net.blocks[0]"]."""
        return Function(self, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Function:
    """A function, an instance or a part of one: m.net, m.net.blocks[0]."""

    def __init__(self, program, name):
        self._program, self._name = program, name

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self._program, self._name + "." + name)

    def __getitem__(self, index):
        return Function(self._program, "%s[%d]" % (self._name, index))

    def __repr__(self):
        return "<dcl %s>" % self._name

    def __call__(self, *tensors, out=None, **static):
        """OUT: a tensor, or a list of tensors, that the results are written to."""
        signature = self._name
        if static:
            signature += "(%s)" % ", ".join("%s = %s" % (k, text_of(v)) for k, v in static.items())
        with self._program._lock:
            return call(self._program, *self._program._handle(signature), tensors, out)


def call(program, handle, arguments, tensors, out):
    given = [tensor_of(x) for x in tensors]
    for (_, _, read_only), (name, inout) in zip(given, arguments):
        if inout and read_only:
            raise TypeError("%s is inout, and what was given may only be read" % name)
    args, n = (Tensor * max(len(given), 1))(*(g[0] for g in given)), len(given)
    if out is None:
        results = [results_of(*x) for x in shapes_of(program, handle, args, n)]
    else:
        results = list(out) if isinstance(out, (list, tuple)) else [out]
    taken = [tensor_of(x) for x in results]
    if any(read_only for _, _, read_only in taken):
        raise TypeError("a result cannot be written to what may only be read")
    memory = (Tensor * max(len(taken), 1))(*(t[0] for t in taken))
    program._check(INTERRUPT.call(program._session, LIB.dcl_call, handle, args, n, memory,
                                  len(taken)))
    return tuple(results) if len(results) > 1 else results[0] if results else None


def shapes_of(program, handle, args, nargs):
    """[(number of the element type, shape), ..] of the results for these arguments."""
    n = LIB.dcl_result_count(handle)
    results, sizes = (Tensor * max(n, 1))(), (ctypes.c_int64 * MOST * max(n, 1))()
    program._check(INTERRUPT.call(program._session, LIB.dcl_result_shapes, handle, args, nargs,
                                  results, sizes))
    return [(results[i].dtype, tuple(sizes[i][:results[i].rank])) for i in range(n)]


def compile(source, options=""):
    """The program of a file (a path, or a text that ends in ".dcl" or ".onnx") or of a text; that
    of an ONNX model is the instance `model`. OPTIONS are those of dcl_open, such as "threads=4"."""
    program = Program(options)
    if (isinstance(source, os.PathLike) or
            source.endswith((".dcl", ".onnx")) and "\n" not in source):
        program.run_file(source)
    else:
        program.run(source)
    return program
