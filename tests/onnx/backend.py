#!/usr/bin/env python3
"""backend.py: ONNX's own backend tests: each model is imported, run by both back-ends, and compared
with the outputs that stand beside it.

    backend.py [--kind KIND,..] [--jobs N] [--coverage FILE] [--out FILE] [--fixed] [WORD..]

Only tests with one of the WORDs in their name, if there are any. Kinds are node, simple,
pytorch-converted and pytorch-operator. Needs the packages of
tests/oracles (onnx). An input that decides sizes is given to the import with --set, from the test's
own data; the rest of the inputs goes to the compiled program."""

import argparse
import collections
import glob
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import dclpy  # noqa: E402
import tap  # noqa: E402

RTOL, ATOL = 1e-3, 1e-7  # those of onnx.backend.test
SECONDS = 300
BACKENDS = ["ref", "cpu"]
ALL_FIXED = False
HAS = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16}  # element types
# Their outputs are those of one generator: shape and type are compared.
CPU_ONLY = {"test_operator_conv"}  # 68 million products
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
          "RandomUniformLike"}


def element(value):
    """The element type of an input or output, None if it is no tensor."""
    if value.type.WhichOneof("value") != "tensor_type":
        return None
    return value.type.tensor_type.elem_type


def wanted(model):
    """Whether all inputs and outputs are tensors of types that DCL has."""
    return all(element(v) in HAS for v in list(model.graph.input) + list(model.graph.output))


def read(path):
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    array = numpy_helper.to_array(tensor)
    if tensor.data_type == onnx.TensorProto.BFLOAT16:
        array = array.view("u2").view("V2")
    return array


def as_text(array):
    """An array as --set writes it; None if it is too long."""
    if array.size > 64 or array.ndim > 3 or array.size == 0 < array.ndim - 1:
        return None
    if array.dtype.kind == "V" or (array.dtype.kind == "u" and (array >= 2**63).any()):
        return None

    def one(v):
        if array.dtype.kind == "b":
            return "true" if v else "false"
        if array.dtype.kind == "f":
            return repr(float(v)) if numpy.isfinite(v) else str(float(v))
        return str(int(v))
    if array.ndim == 0:
        return one(array[()])
    return "[" + ", ".join(one(v) if array.ndim == 1 else as_text(v) for v in array) + "]"


def bring_in(path, model, arrays):
    """Imports the model; (the inputs that are left, None) or (None, the reason)."""
    names = [v.name for v in model.graph.input if v.name not in
             {w.name for w in model.graph.initializer}]
    fixed = {}
    if ALL_FIXED:
        fixed = {n: as_text(a) for n, a in zip(names, arrays) if as_text(a) is not None}
    for _ in range(8):
        options = []
        for name in fixed:
            options += ["--set", "%s=%s" % (name, fixed[name])]
        done = subprocess.run([tap.DCL, "import", path, "--force", "-o", "m.dcl"] + options,
                              capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode == 0:
            return [a for n, a in zip(names, arrays) if n not in fixed], None
        more = re.findall(r"its input (\S+) must be known", done.stderr)
        before = len(fixed)
        for name, array in zip(names, arrays):
            text = as_text(array)
            asked = name in more or (more and name not in more and array.dtype.kind in "biu" and
                                     not set(more) & set(names))
            if text is not None and asked and name not in fixed:
                fixed[name] = text
        if len(fixed) == before:
            return None, done.stderr.strip() or "status %d" % done.returncode
    return None, done.stderr.strip() or "status %d" % done.returncode


def floats(array):
    return dclpy.of_bf16(array) if array.dtype.kind == "V" else array


def differs(got, want, random=False):
    if got.shape != want.shape:
        return "shape %s, expected %s" % (list(got.shape), list(want.shape))
    if got.dtype != want.dtype and not (got.dtype.kind == "V" and want.dtype.kind == "V"):
        return "type %s, expected %s" % (got.dtype, want.dtype)
    if random:
        return None
    rtol = RTOL * (10 if got.dtype.itemsize == 2 and got.dtype.kind in "fV" else 1)
    got, want = floats(got), floats(want)
    if got.dtype.kind in "biu":
        wrong = got != want
    else:
        with numpy.errstate(all="ignore"):
            a, b = got.astype("f8"), want.astype("f8")
            # What cancels is as exact as the largest number.
            largest = abs(b[numpy.isfinite(b)]).max(initial=0)
            least = (1e-4 if rtol > RTOL else ATOL) + 2e-7 * largest
            wrong = ~((a == b) | (numpy.isnan(a) & numpy.isnan(b)) |
                      (abs(a - b) <= least + rtol * abs(b)))
    if not wrong.any():
        return None
    at = tuple(int(i[0]) for i in numpy.nonzero(wrong)) if wrong.ndim else ()
    return "%d of %d differ, the first at %s: %s, expected %s" % (
        wrong.sum(), wrong.size, list(at), got[at], want[at])


def run_one(folder):
    """(name, operators, state, reason)"""
    name = os.path.basename(folder)
    model = onnx.load(os.path.join(folder, "model.onnx"))
    operators = sorted({((n.domain + ".") if n.domain not in ("", "ai.onnx") else "") + n.op_type
                        for n in model.graph.node})
    versions = {o.domain: o.version for o in model.opset_import}

    def result(state, why=""):
        return {"name": name, "kind": os.path.basename(os.path.dirname(folder)),
                "operators": operators, "opset": versions.get("", 0),
                "state": state, "why": why[:2000]}
    if not wanted(model):
        return result("other", "a type that is not asked for")
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        try:
            for data in sorted(glob.glob(os.path.join(folder, "test_data_set_*"))):
                inputs = [read(p) for p in numbered(data, "input")]
                outputs = [read(p) for p in numbered(data, "output")]
                left, why = bring_in(os.path.join(folder, "model.onnx"), model, inputs)
                if why:
                    return result("import", why)
                for backend in ["cpu"] if name in CPU_ONLY else BACKENDS:
                    with dclpy.Session("cache=off threads=1 backend=" + backend) as s:
                        s.run_file("m.dcl")
                        got = s.call("model", *left)
                    got = got if isinstance(got, tuple) else [got]
                    for k, (g, w) in enumerate(zip(got, outputs)):
                        why = differs(g, w, bool(RANDOM & set(operators)))
                        if why:
                            return result("differs", "%s: output %d: %s" % (backend, k, why))
        except dclpy.Error as e:
            return result("run", str(e))
        except Exception as e:  # a test is never the end of all
            return result("run", "%s: %s" % (type(e).__name__, e))
        finally:
            os.chdir(here)
    return result("passed")


def numbered(folder, word):
    paths = glob.glob(os.path.join(folder, word + "_*.pb"))
    return sorted(paths, key=lambda p: int(re.findall(r"_(\d+)\.pb", p)[0]))


def guarded(folder):
    """run_one in a process of its own, which may crash or hang."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)
        os.close(reader)
        with os.fdopen(writer, "w") as file:
            file.write(json.dumps(run_one(folder)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    status = os.waitpid(pid, 0)[1]
    if text:
        return json.loads(text)
    return {"name": os.path.basename(folder), "kind": os.path.basename(os.path.dirname(folder)),
            "operators": [], "opset": 0, "state": "crash", "why": "status %d" % status}


HEAD = """# ONNX's own backend tests

What `tests/onnx/backend.py --coverage` wrote of the node tests of onnx %s: a model is imported, run
by both back-ends, and its outputs are compared with those beside it. %d of %d tests whose inputs
and outputs are tensors of the types that DCL has pass; %d more have others (texts, sequences,
complex numbers, types of less than 8 bits). Of operators that draw random numbers shape and type
are compared.%s

A test counts for its operator; models of several operators stand in the last line. The versions are
those of ONNX's set of operators that the tests are written in.

| operator | versions | passed | of | what fails |
|---|---|---|---|---|
"""


def shortened(why):
    """A reason without the model's path and the names in it."""
    lines = [line for line in why.splitlines() if line]
    notes = [re.sub(r"^ *note: (node|output|input|weight) .*?: ", "", line) for line in lines
             if " note: " in line]
    text = (notes or lines or ["?"])[0]
    return re.sub(r"^\S+\.dcl:\d+:\d+: error: ", "", text).replace("|", "/")[:90]


FAMILIES = """
The other families of tests, and of each what fails:

| tests | passed | of | of other types | what fails |
|---|---|---|---|---|
"""


def families(results):
    """Their lines: all kinds but node."""
    lines = ""
    for kind in sorted({r["kind"] for r in results} - {"node"}):
        of_kind = [r for r in results if r["kind"] == kind]
        counted = [r for r in of_kind if r["state"] != "other"]
        bad = [r for r in counted if r["state"] != "passed"]
        why = "; ".join(sorted({"%s (%s)" % (shortened(r["why"]), ", ".join(sorted(
            o.split(".")[-1] for o in r["operators"]))) for r in bad})[:12])
        lines += "| %s | %d | %d | %d | %s |\n" % (kind, len(counted) - len(bad), len(counted),
                                                  len(of_kind) - len(counted), why)
    return FAMILIES + lines if lines else ""


def of_known(path):
    """What the run that FILE is of says; "" without one."""
    if not path:
        return ""
    with open(path, encoding="utf-8") as file:
        results = [r for r in json.load(file) if r["state"] != "other" and r["kind"] == "node"]
    return (" Where all small inputs are\nknown when the model is imported (`--fixed`), %d of %d "
            "pass." % (sum(r["state"] == "passed" for r in results), len(results)))


def write_coverage(path, every, known):
    results = [r for r in every if r["kind"] == "node"]
    rows = collections.defaultdict(lambda: [set(), 0, 0, collections.Counter()])
    counted = [r for r in results if r["state"] != "other"]
    for r in counted:
        row = rows[r["operators"][0] if len(r["operators"]) == 1 else "several"]
        row[0].add(r["opset"])
        row[1] += r["state"] == "passed"
        row[2] += 1
        if r["state"] != "passed":
            row[3][shortened(r["why"])] += 1
    passed = sum(r["state"] == "passed" for r in counted)
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD % (onnx.__version__, passed, len(counted),
                           len(results) - len(counted), of_known(known)))
        for name in sorted(rows, key=lambda n: (n == "several", n.lower())):
            versions, good, all_of, reasons = rows[name]
            why = "; ".join(sorted(reasons)[:3])
            file.write("| %s | %s | %d | %d | %s |\n" % (
                name, " ".join(map(str, sorted(versions))), good, all_of, why))
        file.write(families(every))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", default="node")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out")
    parser.add_argument("--coverage")
    parser.add_argument("--known", help="for --coverage: what --fixed --out wrote")
    parser.add_argument("--backends", default="ref,cpu")
    parser.add_argument("--fixed", action="store_true",
                        help="all small inputs are known when the model is imported")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    globals().update(BACKENDS=args.backends.split(","), SECONDS=args.seconds,
                     ALL_FIXED=args.fixed)
    root = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
    folders = [os.path.join(root, kind, f) for kind in args.kind.split(",")
               for f in sorted(os.listdir(os.path.join(root, kind)))
               if not args.words or any(w in f for w in args.words)]
    with multiprocessing.Pool(args.jobs) as pool:
        results = pool.map(guarded, folders, chunksize=4)
    counts = collections.Counter(r["state"] for r in results)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    if args.coverage:
        write_coverage(args.coverage, results, args.known)
    for r in results:
        if r["state"] not in ("passed", "other"):
            print("%s: %s: %s" % (r["name"], r["state"], r["why"].replace("\n", " ")[:400]))
    print(dict(counts))


if __name__ == "__main__":
    main()
