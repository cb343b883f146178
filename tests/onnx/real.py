#!/usr/bin/env python3
"""real.py: models as packages ship them (tests/harness/oracles models), beside ONNX Runtime: the
same random inputs, one process each, the largest difference relative to the largest output; as
programs that were imported, and by `dcl run MODEL.onnx`.

    real.py [WORD..]"""

import os
import subprocess
import sys
import tempfile
import time

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import tap  # noqa: E402

MODELS = os.path.join(tap.BUILD, "oracles", "onnx-models")
VAD = "silero_vad/data/silero_vad"
OCR = "rapidocr_onnxruntime/models/ch_"
# path, what is known at import, sizes of inputs that the model leaves open. Noise is no picture:
# what finds texts gives 1e-6 everywhere for it, in which rounding is all; PICTURES get bars.
PICTURES = {OCR + "PP-OCRv4_det_infer.onnx"}
CASES = [
    ("magika/models/standard_v3_3/model.onnx", [], {}),
    (OCR + "ppocr_mobile_v2.0_cls_infer.onnx", [], {"x": [2, 3, 48, 192]}),
    (OCR + "PP-OCRv4_det_infer.onnx", [], {"x": [1, 3, 192, 320]}),
    (OCR + "PP-OCRv4_rec_infer.onnx", ["--dim", "x[2]=48"], {"x": [1, 3, 48, 160]}),
    (OCR + "PP-OCRv4_rec_infer.onnx", ["--dim", "x[2]=48"], {"x": [2, 3, 48, 97]}),
    (VAD + ".onnx", ["--set", "sr=16000", "--dim", "input[0]=1", "--dim", "input[1]=576", "--dim",
                     "state[1]=1"], {"input": [1, 576], "state": [2, 1, 128]}),
    (VAD + ".onnx", ["--set", "sr=8000", "--dim", "input[0]=1", "--dim", "input[1]=288", "--dim",
                     "state[1]=1"], {"input": [1, 288], "state": [2, 1, 128]}),
    (VAD + "_16k_sequence.onnx", [], {"input": [5, 576]}),
    (VAD + "_half.onnx", ["--dim", "batch=1", "--dim", "sequence=576"],
     {"input": [1, 576], "state": [2, 1, 128]}),
    (VAD + "_op18_ifless.onnx", ["--set", "sr=16000", "--dim", "batch=1", "--dim", "sequence=576"],
     {"input": [1, 576], "state": [2, 1, 128]}),
    (VAD + "_openvino_16k.onnx", [], {}),
]
# ONNX Runtime's sigmoid (1.32) is off by up to 9e-8, whatever its value: at -12 by 0.6 % of it.
# So outputs that are smaller than this altogether are compared as if they were this large.
SMALL = 1e-2
TYPES = {"tensor(float)": "f4", "tensor(int64)": "i8", "tensor(int32)": "i4"}


def known(options):
    return dict(o.split("=", 1) for k, o in zip(options, options[1:]) if k == "--set")


def picture(rng, shape):
    """Dark bars of random widths in lines on a light ground, as writing looks from far."""
    x = numpy.full(shape, 1.5, "f4") + rng.standard_normal(shape).astype("f4") * 0.02
    for top in range(16, shape[2] - 16, 32):
        left = 10
        while left < shape[3] - 40:
            width = int(rng.integers(2, 7))
            x[:, :, top:top + 14, left:left + width] = -1.5
            left += width + int(rng.integers(2, 8))
    return x


def run_runtime(path, options, sizes, folder):
    """What ONNX Runtime computes, and the inputs, as files."""
    import onnxruntime
    given = onnxruntime.SessionOptions()
    given.intra_op_num_threads, given.log_severity_level = 1, 3
    session = onnxruntime.InferenceSession(path, given)
    rng = numpy.random.default_rng()
    feed, order = {}, []
    for i in session.get_inputs():
        if i.name in known(options):
            feed[i.name] = numpy.array(int(known(options)[i.name]), TYPES[i.type])
            continue
        shape = sizes.get(i.name) or [d if isinstance(d, int) else 1 for d in i.shape]
        if any(path.endswith(p) for p in PICTURES):
            x = picture(rng, shape)
        elif i.type == "tensor(float)":
            x = rng.standard_normal(shape).astype("f4")
        else:
            x = rng.integers(0, 100, shape).astype(TYPES[i.type])
        feed[i.name] = x
        order.append(x)
        numpy.save("%s/in-%s.npy" % (folder, i.name), x)
    numpy.savez(folder + "/in.npz", *order)
    numpy.savez(folder + "/want.npz", *session.run(None, feed))


def run_dcl(folder):
    import dclpy
    with numpy.load(folder + "/in.npz") as f:
        order = [f["arr_%d" % k] for k in range(len(f.files))]
    with dclpy.Session("threads=1 cache=off") as s:
        s.run_file(folder + "/m.dcl")
        got = s.call("model", *order)
    numpy.savez(folder + "/got.npz", *(got if isinstance(got, tuple) else [got]))


def run_model(path, options, folder):
    """The same by dcl run: the inputs say the sizes."""
    known = [w for o in zip(options, options[1:]) if o[0] == "--set" for w in o]
    with numpy.load(folder + "/want.npz") as f:
        outputs = ["--output=%d=%s/out%d.npy" % (k, folder, k) for k in range(len(f.files))]
    inputs = ["--input=%s=%s/%s" % (name[3:-4], folder, name)
              for name in os.listdir(folder) if name.startswith("in-")]
    done = subprocess.run([tap.DCL, "run", path, "--threads=1", "--cache=off", *known, *inputs,
                           *outputs], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    numpy.savez(folder + "/ran.npz", *[numpy.load("%s/out%d.npy" % (folder, k))
                                       for k in range(len(outputs))])
    return None


def apart(folder, got):
    """The largest difference of the outputs in two files, or what else is wrong."""
    worst = 0
    with numpy.load(folder + "/want.npz") as want, numpy.load(folder + got) as got:
        for name in want.files:
            a, b = got[name], want[name]
            if a.shape != b.shape or a.dtype != b.dtype:
                return "%s %s, expected %s %s" % (a.dtype, a.shape, b.dtype, b.shape)
            worst = max(worst, float(abs(a - b).max() / max(abs(b).max(), SMALL)))
    return worst


def compare(path, options, sizes):
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        done = subprocess.run([tap.DCL, "import", path, "-o", folder + "/m.dcl"] + options,
                              capture_output=True, text=True, check=False)
        took = time.monotonic() - begin
        if done.returncode:
            return done.stderr
        for work in ("runtime", path, repr(options), repr(sizes), folder), ("dcl", folder):
            subprocess.run([sys.executable, __file__, "--in-process", *work], check=True)
        why = run_model(path, options, folder)
        if why:
            return why
        worst = 0
        for got in "/got.npz", "/ran.npz":
            difference = apart(folder, got)
            if isinstance(difference, str):
                return difference
            worst = max(worst, difference)
        lines = sum(1 for _ in open(folder + "/m.dcl", encoding="utf-8"))
        print("%-60s %.1e apart, %d lines, imported in %.2f s" % (path[len(MODELS) + 1:], worst,
                                                                  lines, took), flush=True)
        return None if worst < 1e-4 else "too far apart"


def main():
    if sys.argv[1:2] == ["--in-process"]:
        if sys.argv[2] == "dcl":
            run_dcl(sys.argv[3])
        else:
            run_runtime(sys.argv[3], eval(sys.argv[4]), eval(sys.argv[5]), sys.argv[6])
        return 0
    bad = 0
    for name, options, sizes in CASES:
        path = os.path.join(MODELS, name)
        if len(sys.argv) > 1 and not any(w in name for w in sys.argv[1:]):
            continue
        why = compare(path, options, sizes) if os.path.exists(path) else "it is not there"
        if why:
            print("%s: %s" % (name, why), flush=True)
            bad += 1
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
