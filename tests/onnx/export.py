#!/usr/bin/env python3
"""export.py: what `dcl export` writes, beside what the program itself computes: onnx's checker
takes it, ONNX Runtime computes the same, and so does what `dcl import` makes of it. The networks of
examples/models at small sizes, with random weights, and a case for each row and each kind of map.

    export.py [--keep] [WORD..]

--keep leaves the files of the cases in the current folder."""

import os
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import dclpy  # noqa: E402
import tap  # noqa: E402
from export_cases import FUNCTIONS, NETWORKS, NOT_IMPORTED  # noqa: E402
from export_library import REFUSED, examples  # noqa: E402
from export_numbers import CASES  # noqa: E402

LIMIT = 1e-5


def random_weights(text, seed):
    """Weights for `net`: nothing that starts at 0 or 1 stays there."""
    random = numpy.random.default_rng(seed)
    with dclpy.Session("cache=off") as s:
        s.run(text + '\nsave(net, "start.npz")\n')
    weights = dict(numpy.load("start.npz"))
    for name, w in weights.items():
        noise = random.standard_normal(w.shape).astype(w.dtype)
        weights[name] = w + (abs(noise) if name.endswith("var") else noise) * w.dtype.type(0.1)
    numpy.savez("weights.npz", **weights)


def values_of(inputs, seed):
    """name: (type, shape, bound); bound is of integers, or what floats are multiplied with."""
    random = numpy.random.default_rng(seed)
    out = []
    for kind, shape, *bound in inputs.values():
        shape = [n if isinstance(n, int) else n[1] for n in shape]
        if bound and not isinstance(bound[0], int):
            out.append(numpy.array(bound[0], TYPES[kind]).reshape(shape))
        elif kind == "bool":
            out.append(random.random(shape) < 0.6)
        elif kind[0] in "iu":
            low = bound[1] if len(bound) > 1 else 0
            v = random.integers(low, bound[0] if bound else 9, shape)
            out.append(numpy.asarray(v, TYPES[kind]))
        else:
            v = random.standard_normal(shape) * (bound[0] if bound else 1)
            out.append(numpy.asarray(v, TYPES[kind]))
    return out


TYPES = {"f32": "f4", "f64": "f8", "f16": "f2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1",
         "u64": "u8", "u32": "u4", "u16": "u2", "u8": "u1", "bool": "?"}


def differs(got, want):
    """A text where two results are not the same, else None."""
    got = got if isinstance(got, (tuple, list)) else [got]
    if len(got) != len(want):
        return "%d results, not %d" % (len(got), len(want))
    for g, w in zip(got, want):
        if g.shape != w.shape or g.dtype != w.dtype:
            return "%s%s, not %s%s" % (g.dtype, g.shape, w.dtype, w.shape)
        if w.dtype.kind in "biu":
            if (g != w).any():
                return "%d of %d numbers differ" % ((g != w).sum(), w.size)
            continue
        half, g, w = w, g.astype("f8"), w.astype("f8")
        if (numpy.isfinite(g) != numpy.isfinite(w)).any():
            return "other infinities or NaN"
        ok = numpy.isfinite(w)
        top = abs(w[ok]).max() if ok.any() else 1
        limit = LIMIT if half.dtype != numpy.float16 else 1e-2
        if ok.any() and abs(g[ok] - w[ok]).max() > limit * max(top, 1e-3):
            return "%.1e apart, of %.2g" % (abs(g[ok] - w[ok]).max(), top)
    return None


def attempt(name, text, entry, inputs, options=()):
    """None, or what is wrong."""
    import onnx
    import onnxruntime
    with open("program.dcl", "w", encoding="utf-8") as file:
        file.write(text)
    shapes = []
    for k, (kind, shape, *_) in inputs.items():
        sizes = ", ".join(str(n if isinstance(n, int) else n[0]) for n in shape)
        shapes += ["--shape", "%s=%s%s" % (k, kind, "[%s]" % sizes if shape else "")]
    done = tap.dcl("export", "program.dcl", "--entry", entry, "-o", "model.onnx",
                   "--force", *shapes, *options)
    if done != (0, "", ""):
        return "dcl export: %s" % (done,)
    model = onnx.load("model.onnx")
    try:
        onnx.checker.check_model("model.onnx", full_check=True)
    except Exception as e:  # whatever it raises
        return "the checker: %s" % str(e)[:300]
    values = values_of(inputs, len(name))
    with dclpy.Session("cache=off") as s:
        s.run_file("program.dcl")
        given = [v.copy() for v in values]
        want = s.call(entry, *given)
        want = want if isinstance(want, tuple) else () if want is None else (want,)
        want += tuple(g for g, v in zip(given, values) if g.tobytes() != v.tobytes())  # inout
    quiet = onnxruntime.SessionOptions()
    quiet.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession("model.onnx", quiet,
                                               providers=["CPUExecutionProvider"])
        feed = {i.name: v for i, v in zip(session.get_inputs(), values)}
        got = session.run(None, feed)
    except Exception as e:  # whatever it raises
        return "ONNX Runtime: %s" % str(e)[:300]
    wrong = differs(got, want)
    if wrong:
        return "ONNX Runtime: " + wrong
    nodes = model.graph.node
    attempt.line = "%4d nodes, %d constants" % (
        len(nodes), sum(1 for w in model.graph.initializer if "." not in w.name))
    done = tap.dcl("import", "model.onnx", "--force", "-o", "again.dcl")
    if name in NOT_IMPORTED and NOT_IMPORTED[name] in done[2]:
        return None
    if done[0] or name in NOT_IMPORTED:
        return "dcl import: %s" % (done,)
    try:
        with dclpy.Session("cache=off") as s:
            s.run_file("again.dcl")
            wrong = differs(s.call("model", *values), want)
    except dclpy.Error as e:
        wrong = str(e)
    if wrong:
        return "the import: " + wrong
    return None


def main(words):
    keep = "--keep" in words
    words = [w for w in words if w != "--keep"]
    bad = 0
    library = {"library " + name: case for name, case in examples().items()}
    cases = {**NETWORKS, **FUNCTIONS, **CASES, **library}
    for name, (text, entry, inputs, *options) in cases.items():
        if words and not any(w in name for w in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(here if keep else folder)
            text = text.replace("MODELS", os.path.join(tap.SRC, "examples", "models"))
            if entry.startswith("net"):
                random_weights(text, len(name))
                text += '\nload(net, "weights.npz")\n'
            wrong = attempt(name, text, entry, inputs, *options)
            os.chdir(here)
        refused = REFUSED.get(name.split()[-1]) if name in library else None
        if refused:
            wrong = None if wrong and refused in wrong else "it is not refused: %s" % wrong
            attempt.line = "refused: " + refused
        bad += wrong is not None
        print("%-24s %s" % (name, "not ok: " + wrong if wrong else attempt.line), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
