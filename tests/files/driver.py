"""driver.py: what the tests of tensor files share: the program tensors.c, and what it prints."""

import json
import os
import shlex
import subprocess

import tap

numpy = tap.need_numpy()

NAMES = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32, "i64": numpy.int64,
         "bool": numpy.bool_, "i8": numpy.int8, "i16": numpy.int16, "u8": numpy.uint8,
         "u16": numpy.uint16, "u32": numpy.uint32, "u64": numpy.uint64,
         "f16": numpy.float16, "bf16": numpy.dtype("V2")}


def build():
    """Compiles tensors.c into the working directory."""
    words = shlex.split(os.environ.get("CC", "cc")) + [
        word for name in ("DCL_CFLAGS", "DCL_CPPFLAGS")
        for word in shlex.split(os.environ.get(name, ""))]
    words += ["-I" + tap.SRC, "-o", "tensors", os.path.join(tap.SRC, "tests/files/tensors.c"),
              "-L" + tap.BUILD, "-ldcl", "-Wl,-rpath," + tap.BUILD]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if not tap.ok(done.returncode == 0, "tensors.c is compiled", done.stderr):
        tap.done_testing()


class Dump:
    """What tensors printed of one file: .error, or .tensors, names to arrays, in .order."""

    def __init__(self, line):
        said = json.loads(line)
        self.error = said.get("error")
        self.errors = said.get("errors", 0)
        self.tensors, self.order, self.aligned = {}, [], True
        for one in said.get("tensors", []):
            data = numpy.frombuffer(bytes.fromhex(one["hex"]), dtype=numpy.uint8)
            if data.size == one["bytes"]:
                data = data.view(NAMES[one["type"]]).reshape(one["shape"])
            else:
                data = None  # too large to be printed
            self.tensors[one["name"]] = data
            self.order.append(one["name"])
            self.aligned = self.aligned and one["aligned"]


def dump(*paths, dtype=None, env=None):
    """A list of Dumps, one per path; a crash fails the test. Numbers in text are read as dtype."""
    words = ["as", dtype] if dtype else ["dump"]
    status, out, errors = tap.run("./tensors", *words, *paths, env=env)
    if status != 0:
        tap.fail("tensors dump ended with %d" % status, errors[-3000:])
        tap.done_testing()
    return [Dump(line) for line in out.splitlines()]


def is_read(path, array, name, dtype=None):
    """The file is this tensor."""
    said, = dump(path, dtype=dtype)
    got = said.tensors.get("")
    tap.ok(not said.error and same(got, array) and said.aligned, name, said.error or got, array)


def pillow():
    """The module Image of Pillow, or None."""
    try:
        from PIL import Image
    except ImportError:
        return None
    return Image


def same(a, b):
    """Arrays of the same type, shape and bytes."""
    return a is not None and a.dtype == b.dtype and a.shape == b.shape and (
        numpy.ascontiguousarray(a).tobytes() == numpy.ascontiguousarray(b).tobytes())


def write(path, data):
    with open(path, "wb") as stream:
        stream.write(data)
    return path


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def refused(cases, name):
    """Each case is (bytes, suffix, words of the error, what it is)."""
    paths = [write("case%d%s" % (i, case[1]), case[0]) for i, case in enumerate(cases)]
    for case, path, said in zip(cases, paths, dump(*paths)):
        tap.ok(said.error is not None and case[2] in said.error and said.errors == 1,
               "%s: %s" % (name, case[3]), "want: %s" % case[2],
               "got: %s" % (said.error or "it was read"))
        os.unlink(path)


def damage(path, limit=64 << 20):
    """5,000 damaged copies: nothing crashes, every refusal has its message, memory stays small."""
    count = int(os.environ.get("DCL_FUZZ_COUNT") or 100) * 50
    _hurt("%s: %d damaged copies" % (path, count), limit, "damage", path, count, 12345)


def cut(path, may=0, limit=64 << 20):
    """Every beginning of the file is refused, but for as many as may still be whole."""
    said = _hurt("%s: cut short anywhere" % path, limit, "cut", path)
    if said:
        tap.ok(said["read"] <= may, "and refused", "%d were read" % said["read"])


def _hurt(name, limit, *words):
    status, out, errors = tap.run("./tensors", *words)
    if not tap.ok(status == 0, name, "status %d" % status, errors[-3000:]):
        return None
    said = json.loads(out)
    tap.diag("%s: %d read, %d refused" % (name, said["read"], said["refused"]))
    tap.is_int(said["silent"], 0, "each refusal has one message")
    tap.ok(said["arena"] < limit, "arenas stay small", "%d bytes" % said["arena"])
    tap.ok(said["slowest"] < 10, "none takes long", "%s s" % said["slowest"])
    if "-fsanitize=address" not in os.environ.get("DCL_CFLAGS", ""):
        tap.ok(said["resident"] < 200 << 10, "memory stays small", "%d KiB" % said["resident"])
    return said
